"""Twenty questions to the sales copilot, with answers that the test works out for itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from course import clock, connect
from course.errors import ToolError
from course.runner import run
from course.scenarios.sales_copilot import Copilot, Market
from course.scenarios.sales_copilot.copilot import Figures, Reports, disagreements
from course.scenarios.sales_copilot.market import WRONG

SEEDS = (7, 21, 3, 5)
RIGHT_AT_LEAST = 18
Known = tuple[str, tuple[object, ...]]


def total(market: Market, measure: str, **where: object) -> int:
    rows = market.rows("SELECT * FROM sales")
    return sum(r[measure] for r in rows if all(r[k] == v for k, v in where.items()))


def best(market: Market, by: str, **where: object) -> str:
    names = {str(row[by]) for row in market.rows("SELECT * FROM sales")}
    return max(names, key=lambda name: total(market, "revenue", **where, **{by: name}))


def who(market: Market, words: str) -> tuple[str, str]:
    """The customer whose report says this, and the report's id."""
    query = "SELECT subject, id FROM documents WHERE body LIKE '%' || ? || '%'"
    [row] = market.rows(query, words)
    return row["subject"], row["id"]


def questions(m: Market) -> Iterator[Known]:
    """Each question with what its answer states, sources included."""
    sql = "SELECT"
    late, price = who(m, "deliveries came late"), who(m, "Brightline offers")
    lumina = {"product": "Lumina", "region": "North", "year": 2025, "quarter": "Q3"}
    yield (
        "What was the revenue of Lumina in the North in Q3 2025?",
        (total(m, "revenue", **lumina), sql),
    )
    yield (
        "How many units of Orbis did we sell in 2025?",
        (total(m, "units", product="Orbis", year=2025), sql),
    )
    yield "What was our revenue in 2024?", (total(m, "revenue", year=2024), sql)
    yield (
        "Which region had the highest revenue of Tessera in 2025?",
        (best(m, "region", product="Tessera", year=2025), sql),
    )
    yield (
        "Which product sold best in the West in 2024?",
        (best(m, "product", region="West", year=2024), sql),
    )
    east = {"product": "Vantage", "region": "East", "year": 2024, "quarter": "Q1"}
    yield (
        "How many units of Vantage were sold in the East in Q1 2024?",
        (total(m, "units", **east), sql),
    )
    yield (
        "What was the revenue in the South in 2025?",
        (total(m, "revenue", region="South", year=2025), sql),
    )
    yield (
        "Which quarter of 2025 had the highest revenue of Lumina?",
        (best(m, "quarter", product="Lumina", year=2025), sql),
    )
    yield "Which customers complain about late deliveries?", late
    yield "Which customers find the price too high?", price
    yield "Who wants training?", (*who(m, "training course"), *who(m, "day of training"))
    yield (
        "Which customers report faulty displays?",
        (*who(m, "displays are faulty"), *who(m, "displays broke")),
    )
    happy = who(m, "four more sites")
    yield f"What does {happy[0]} plan?", (*happy, "four more sites")
    yield "Whose budget was cut?", who(m, "budget was cut")
    yield (
        "How many units of Orbis did we sell in 2024, and who is losing patience with delays?",
        (total(m, "units", product="Orbis", year=2024), sql, *who(m, "losing patience")),
    )
    yield (
        f"What was the revenue of Tessera in the West in 2025, and what does {happy[0]} plan?",
        (total(m, "revenue", product="Tessera", region="West", year=2025), sql, *happy),
    )
    yield (
        "What was the revenue of Orbis in 2025, and which competitor undercuts us?",
        (total(m, "revenue", product="Orbis", year=2025), "Brightline", sql),
    )
    yield (
        "Which product sold best in the North in 2025, and who asks for a discount?",
        (best(m, "product", region="North", year=2025), sql, *who(m, "asks for a discount")),
    )
    wrong, *_, other = disagreements(m, Reports(m))
    yield (
        "What was the revenue of {product} in the {region} in {quarter} {year}?".format(
            **wrong.place
        ),
        (wrong.booked, wrong.told, "disagree", wrong.row["report"], sql),
    )
    [customer] = m.rows("SELECT subject FROM documents WHERE id = ?", other.row["report"])
    yield (
        f"What did we tell {customer['subject']} about the revenue?",
        (other.told, f"{other.booked:,}", "disagree", other.row["report"]),
    )


def answered(market: Market, question: str) -> str:
    async def ask() -> str:
        async with connect("simulated", profile="instant") as client:
            return str((await run(Copilot(market), question, client=client)).answer)

    return clock.simulate(ask())


@pytest.mark.parametrize("sql", ["DELETE FROM sales", "SELECT * FROM documents"])
def test_the_figures_can_only_be_read_and_nothing_else_can(sql: str) -> None:
    with Market(seed=7) as market, pytest.raises(ToolError, match=r"writes|not allowed|only|table"):
        Figures(market).query_sales(sql)


def test_every_wrong_revenue_of_a_report_is_found_and_no_right_one() -> None:
    for seed in SEEDS:
        with Market(seed=seed) as market:
            stated = [row for row in market.rows("SELECT id, body FROM documents")
                      if "I told them" in row["body"]]  # fmt: skip
            found = [each.row["report"] for each in disagreements(market, Reports(market))]
            assert len(stated) == WRONG + 1
            assert found == [row["id"] for row in stated[:WRONG]]


@pytest.mark.parametrize("seed", SEEDS)
def test_of_twenty_questions_eighteen_are_answered_right_with_their_sources(
    seed: int,
) -> None:
    with Market(seed=seed) as market:
        asked = list(questions(market))
        assert len(asked) == 20
        wrong = {}
        for question, facts in asked:
            said = answered(market, question)
            lacking = [fact for fact in facts if str(fact) not in said]
            if lacking:
                wrong[question] = lacking, said
        assert len(asked) - len(wrong) >= RIGHT_AT_LEAST, wrong
