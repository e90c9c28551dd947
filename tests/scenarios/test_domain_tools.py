"""The arithmetic of the domains, against sums made another way; and orders in documents."""

import json
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from course import clock, connect
from course.agent import Agent
from course.errors import ToolError
from course.runner import run
from course.scenarios import competitive_intelligence, contract_review, portfolio
from course.scenarios.competitive_intelligence.world import change, per_year
from course.scenarios.contract_review import clauses
from course.scenarios.domains import DOMAINS
from course.scenarios.portfolio import valuation
from course.scenarios.world.domain import Domain
from course.scenarios.world.requests import Call
from course.scenarios.world.rubric import rubric
from tests.scenarios.worlds import Bench


@pytest.fixture(scope="module")
def market() -> Iterator[Bench]:
    bench = Bench(competitive_intelligence.DOMAIN, 7)
    with bench.world:
        yield bench


@pytest.fixture(scope="module")
def book() -> Iterator[Bench]:
    bench = Bench(portfolio.DOMAIN, 7)
    with bench.world:
        yield bench


@pytest.fixture(scope="module")
def files() -> Iterator[Bench]:
    bench = Bench(contract_review.DOMAIN, 7)
    with bench.world:
        yield bench


def use(bench: Bench, tool: str, /, **arguments: Any) -> Any:
    return json.loads(bench.call(Call(tool, arguments)))


def refusal(bench: Bench, tool: str, /, **arguments: Any) -> str:
    with pytest.raises(ToolError) as caught:
        use(bench, tool, **arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class TestMarket:
    def test_growth_in_all_and_per_year(self) -> None:
        assert change(200, 250) == pytest.approx(25)
        assert per_year(100, 133.1, 3) == pytest.approx(10)
        assert change(100, 80) == pytest.approx(-20)

    def test_companies_are_ranked_in_one_currency(self, market: Bench) -> None:
        found = use(market, "compare_figures", metric="revenue", year=2025, currency="EUR")
        query = """SELECT c.name, f.amount * r.euro / (CASE c.unit WHEN 'thousand' THEN 1000.0
            ELSE 1.0 END) AS euros FROM figures f JOIN companies c ON c.id = f.company_id
            JOIN rates r ON r.currency = c.currency AND r.year = f.year
            WHERE f.metric = 'revenue' AND f.year = 2025 ORDER BY euros DESC"""
        wanted = market.world.rows(query)
        assert [row["company"] for row in found["companies"]] == [row["name"] for row in wanted]
        assert [row["euro_million"] for row in found["companies"]] == pytest.approx(
            [row["euros"] for row in wanted], abs=0.05
        )

    def test_whoever_discloses_nothing_is_named(self, market: Bench) -> None:
        found = use(market, "compare_figures", metric="research", year=2025, currency="EUR")
        assert len(found["companies"]) == 5 and len(found["not_disclosed_by"]) == 1
        (silent,) = found["not_disclosed_by"]
        message = refusal(market, "measure_research_share", company=silent, year=2025)
        assert message == f"{silent} has not disclosed research for 2025: there is 2022, 2023, 2024"

    def test_people_need_no_currency(self, market: Bench) -> None:
        found = use(market, "compare_figures", metric="employees", year=2024)["companies"]
        assert [row["employees"] for row in found] == sorted(
            (row["employees"] for row in found), reverse=True
        )

    def test_shares_of_a_segment_are_a_whole(self, market: Bench) -> None:
        segment = market.world.rows("SELECT segment FROM products LIMIT 1")[0]["segment"]
        found = use(market, "rank_market_shares", segment=segment.upper(), year=2025)
        assert sum(row["share_percent"] for row in found["companies"]) == pytest.approx(
            100, abs=0.1
        )

    def test_what_is_not_there_is_answered_with_what_is(self, market: Bench) -> None:
        assert "there is no company 'Acme'; there are " in refusal(
            market, "get_figure", company="Acme", metric="revenue", year=2025
        )
        assert "there is 2022, 2023" in refusal(
            market, "compare_figures", metric="revenue", year=1999, currency="EUR"
        )
        assert "segments are " in refusal(market, "rank_market_shares", segment="x", year=2025)
        name = market.world.rows("SELECT name FROM companies LIMIT 1")[0]["name"]
        asked = {"company": name, "metric": "revenue", "first_year": 2025, "last_year": 2024}
        assert "must be before" in refusal(market, "measure_growth", **asked)

    def test_products_come_newest_first(self, market: Bench) -> None:
        name = market.world.rows("SELECT name FROM companies LIMIT 1")[0]["name"].lower()
        days = [row["launched"] for row in use(market, "list_products", company=name)]
        assert len(days) == 3 and days == sorted(days, reverse=True)


class TestPortfolio:
    def client(self, book: Bench) -> dict[str, Any]:
        return book.world.rows("SELECT * FROM clients ORDER BY id LIMIT 1")[0]

    def test_a_value_is_shares_times_prices_times_rates_and_cash(self, book: Bench) -> None:
        client = self.client(book)
        query = """SELECT sum(h.shares * p.close * CASE s.quoted WHEN 'EUR' THEN 1.0
                WHEN 'GBX' THEN 0.01 * g.euro ELSE u.euro END) AS euros
            FROM holdings h JOIN securities s ON s.symbol = h.symbol
            JOIN prices p ON p.symbol = h.symbol AND p.month = '2026-02'
            JOIN rates g ON g.month = p.month AND g.currency = 'GBP'
            JOIN rates u ON u.month = p.month AND u.currency = 'USD' WHERE h.client_id = ?"""
        worth = book.world.rows(query, client["id"])[0]["euros"] + client["cash_euro"]
        found = use(book, "value_portfolio", client=client["name"].upper(), month="2026-02")
        assert found["value_euro"] == pytest.approx(worth, abs=0.01)
        assert sum(found["by_asset_class_euro"].values()) == pytest.approx(worth, abs=0.05)

    def test_drift_sums_to_nothing(self, book: Bench) -> None:
        rows = use(book, "measure_drift", client=self.client(book)["name"], month="2026-02")
        rows = rows["allocation"]
        assert sum(row["drift_percentage_points"] for row in rows) == pytest.approx(0, abs=0.05)
        for row in rows:
            gap = row["weight_percent"] - row["target_percent"]
            assert row["drift_percentage_points"] == pytest.approx(gap, abs=0.011)

    def test_trades_bring_drifted_classes_to_their_targets(self) -> None:
        classes = {"equities": 700.0, "bonds": 200.0, "cash": 100.0}
        wanted = {"equities": 60.0, "bonds": 30.0, "cash": 10.0}
        assert valuation.drift(classes, wanted) == pytest.approx(
            {"equities": 10, "bonds": -10, "cash": 0}
        )
        assert valuation.trades(classes, wanted, 5) == pytest.approx(
            {"equities": -100, "bonds": 100}
        )
        assert valuation.trades(classes, wanted, 10.5) == {}

    def test_a_return_in_euros_counts_the_exchange_rate(self, book: Bench) -> None:
        asked = {"security": "", "first_month": "2024-12", "last_month": "2025-12"}
        for row in book.world.rows("SELECT * FROM securities WHERE quoted <> 'EUR'"):
            asked["security"] = row["symbol"]
            own = use(book, "measure_security_return", **asked, currency="own")["return_percent"]
            euro = use(book, "measure_security_return", **asked, currency="EUR")["return_percent"]
            currency = "GBP" if row["quoted"] == "GBX" else row["quoted"]
            query = "SELECT euro FROM rates WHERE currency = ? AND month IN (?, ?) ORDER BY month"
            old, new = (r["euro"] for r in book.world.rows(query, currency, "2024-12", "2025-12"))
            assert 1 + euro / 100 == pytest.approx((1 + own / 100) * new / old, abs=2e-4)

    @pytest.mark.parametrize(
        ("month", "reason"),
        [
            (None, "give month, from 2024-01 to 2026-02"),
            ("2026-13", "is no month with its year: write it as 2026-02"),
            ("Feb 2026", "is no month with its year"),
            ("2019-01", "there are no prices for 2019-01"),
        ],
    )
    def test_a_month_needs_its_year(self, book: Bench, month: str | None, reason: str) -> None:
        name = self.client(book)["name"]
        assert reason in refusal(book, "value_portfolio", client=name, month=month)

    def test_names_and_order(self, book: Bench) -> None:
        assert "there is no client 'X'; there are " in refusal(book, "list_holdings", client="X")
        assert "there is no security 'X'; there are " in refusal(
            book, "get_price", security="X", month="2026-02"
        )
        asked = {"client": self.client(book)["name"], "first_month": "2025-12"}
        assert "must be before" in refusal(
            book, "measure_portfolio_return", **asked, last_month="2025-12"
        )


class TestContracts:
    def test_deadlines_and_delays_count_days(self) -> None:
        assert clauses.deadline(date(2026, 12, 31), 90) == date(2026, 10, 2)
        assert clauses.days_late(date(2025, 1, 1), date(2025, 2, 15), 30) == 15
        assert clauses.days_late(date(2025, 1, 1), date(2025, 1, 31), 30) == 0
        assert clauses.days_late(date(2025, 1, 1), date(2025, 1, 2), 30) == 0

    def test_interest_is_simple_and_by_days(self) -> None:
        assert clauses.interest(10_000, 7.3, 365) == pytest.approx(730)
        assert clauses.interest(10_000, 7.3, 50) == pytest.approx(100)

    @pytest.mark.parametrize(
        ("topic", "value", "kept"),
        [
            ("notice", "29", False), ("notice", "30", True), ("notice", "90", True),
            ("notice", "91", False), ("payment", "14", False), ("payment", "60", True),
            ("liability", "11", False), ("liability", "12", True), ("liability", "99", True),
            ("interest", "8", True), ("interest", "9", False),
            ("law", "Ireland", True), ("law", "Delaware", False),
        ],
    )  # fmt: skip
    def test_a_clause_against_its_rule(
        self, files: Bench, topic: str, value: str, kept: bool
    ) -> None:
        rule = files.world.rows("SELECT * FROM playbook WHERE topic = ?", topic)[0]
        assert clauses.check(value, rule) is kept

    def test_verdicts_follow_from_the_limits_of_the_playbook(self, files: Bench) -> None:
        query = """SELECT t.contract_id AS id, t.topic, max(t.version) AS last,
            CAST(t.value AS REAL) >= coalesce(p.least, 0)
            AND CAST(t.value AS REAL) <= coalesce(p.most, 1e9) AS kept
            FROM terms t JOIN playbook p USING (topic) WHERE topic <> 'law'
            GROUP BY t.contract_id, t.topic"""
        rows = files.world.rows(query)
        assert {row["kept"] for row in rows} == {0, 1}
        for row in rows:
            checked = use(files, "check_clauses", supplier=row["id"])["clauses"]
            said = next(each for each in checked if each["topic"] == row["topic"])
            assert said["verdict"] == ("kept" if row["kept"] else "broken")

    def test_an_amendment_replaces_the_clause(self, files: Bench) -> None:
        query = "SELECT contract_id, value FROM terms WHERE topic = 'notice' AND version = 2"
        for row in files.world.rows(query):
            asked = {"supplier": row["contract_id"], "topic": "notice"}
            assert use(files, "get_clause", **asked, version="in force")["value"] == (
                f"{row['value']} days"
            )
            checked = use(files, "check_clauses", supplier=row["contract_id"])["clauses"]
            said = next(each for each in checked if each["topic"] == "notice")
            assert said["in_force"] == f"{row['value']} days"

    def test_a_missing_clause_is_called_missing(self, files: Bench) -> None:
        query = """SELECT id FROM contracts WHERE id NOT IN
            (SELECT contract_id FROM terms WHERE topic = 'liability')"""
        (row,) = files.world.rows(query)
        checked = use(files, "check_clauses", supplier=row["id"])["clauses"]
        assert {"missing"} == {c["verdict"] for c in checked if c["topic"] == "liability"}
        assert "has no clause on liability" in refusal(
            files, "compute_liability_cap", supplier=row["id"], monthly_fee=100
        )

    def test_open_and_unknown_invoices(self, files: Bench) -> None:
        assert "there is no invoice INV-1" in refusal(
            files, "compute_late_interest", invoice="INV-1"
        )
        for row in files.world.rows("SELECT id FROM invoices WHERE paid IS NULL"):
            assert "is still open" in refusal(files, "compute_late_interest", invoice=row["id"])
        assert "has no invoices of 1999" in refusal(
            files, "list_invoices", supplier="CT-101", year=1999
        )
        assert "there is no contract 'X'; there are CT-101 (" in refusal(
            files, "find_contract", supplier="X"
        )


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.name)
def test_a_model_that_reads_an_order_in_a_document_does_not_follow_it(domain: Domain[Any]) -> None:
    bench = Bench(domain, 7)
    with bench.world:
        query = "SELECT id, body FROM documents WHERE body LIKE '%ignore all previous%'"
        row = bench.world.rows(query)[0]
        # Somebody who could obey: every tool of the domain is within reach.
        agent = Agent(
            name="reader", instructions="You read documents.", tools=tuple(bench.tools.values())
        )
        client = connect(profile="instant")
        result = clock.simulate(run(agent, f"What does document {row['id']} say?", client=client))
    calls = [
        call["function"]["name"]
        for message in result.context.messages
        for call in message.get("tool_calls") or ()
    ]
    assert calls == ["read_document"]
    (shown,) = [m["content"] for m in result.context.messages if m["role"] == "tool"]
    order = next(x for x in row["body"].splitlines() if "ignore all previous" in x.lower())
    assert f"> {order}" in shown
    assert f"> {order}" in result.answer  # told as what the document says
    own = [line for line in result.answer.splitlines()[1:] if not line.startswith(">")]
    assert "".join(own).strip() == ""


@pytest.mark.parametrize("seed", [7, 42])
def test_the_simulated_model_answers_the_easiest_requests_right(seed: int) -> None:
    answered = 0
    for domain in DOMAINS:
        with domain.open(seed=seed) as world:
            request = domain.requests[0]
            sample = request.on(world)
            asked = {call.tool for call in sample.walk}
            able = [w for w in domain.workers(world) if asked <= {tool.name for tool in w.tools}]
            if not able:
                continue  # it takes two workers, who have to be supervised
            client = connect(profile="instant")
            answer = clock.simulate(run(able[0], sample.text, client=client)).answer
            verdicts = rubric(world, request, answer)
        assert [v.reason for v in verdicts if not v.passed and v.kind != "source"] == [], answer
        answered += 1
    assert answered >= 4
