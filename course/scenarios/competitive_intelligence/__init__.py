"""Competitive intelligence: who sells what, who grows, and what they announce.

`Market(seed=7)` gives a market of its own to each run, `workers(market)` those who work on
it, `REQUESTS` are five questions, and `rubric(market, request, answer)` judges the answers.
"""

from __future__ import annotations

from datetime import date

from course.scenarios.competitive_intelligence.data import POISON
from course.scenarios.competitive_intelligence.world import (
    Market,
    change,
    euro_million,
    per_year,
    workers,
)
from course.scenarios.database import Row
from course.scenarios.world.domain import Domain
from course.scenarios.world.figures import figures
from course.scenarios.world.requests import (
    Call,
    Fact,
    Gap,
    Request,
    Sample,
    Trap,
    amount,
    count,
    day,
    millions,
    percent,
    words,
)
from course.scenarios.world.requests import change as growth

_FIGURE = """
    SELECT f.amount, c.unit, r.euro AS rate FROM figures f JOIN companies c ON c.id = f.company_id
    JOIN rates r ON r.currency = c.currency AND r.year = f.year
    WHERE c.name = ? AND f.metric = ? AND f.year = ?
"""
_DATABASE = ("figures", "database")


def _companies(world: Market) -> list[str]:
    return [str(row["name"]) for row in world.rows("SELECT name FROM companies ORDER BY id")]


def _figure(world: Market, name: str, metric: str, year: int) -> Row:
    return world.rows(_FIGURE, name, metric, year)[0]


def _silent(world: Market) -> str:
    """The company that does not say what it spends on research."""
    query = """SELECT name FROM companies WHERE id NOT IN
        (SELECT company_id FROM figures WHERE metric = 'research' AND year = 2025)"""
    return str(world.rows(query)[0]["name"])


def _hasty(world: Market) -> str:
    """The company whose early figure its annual report corrected."""
    query = "SELECT subject FROM documents WHERE title LIKE '%early figures%'"
    return str(world.rows(query)[0]["subject"])


def _revenue(world: Market, name: str, year: int = 2025) -> Fact:
    value = euro_million(_figure(world, name, "revenue", year))
    return millions(f"the revenue of {name} in {year} in EUR million", name, round(value, 1))


def _growth(world: Market, name: str, first: int, last: int) -> float:
    old = _figure(world, name, "revenue", first)["amount"]
    return change(old, _figure(world, name, "revenue", last)["amount"])


def _share_of_research(world: Market, name: str) -> Fact:
    spent = _figure(world, name, "research", 2025)["amount"]
    share = 100 * spent / _figure(world, name, "revenue", 2025)["amount"]
    return percent(f"the share of research in the revenue of {name}", name, share)


def _reported(world: Market, *names: str) -> tuple[float, ...]:
    """What these companies reported, in their own currencies, and the same in EUR million."""
    query = _FIGURE.split("WHERE")[0] + "WHERE c.name = ?"
    rows = [row for name in names for row in world.rows(query, name)]
    return (*(row["amount"] for row in rows), *(euro_million(row) for row in rows))


def _missing_year(name: str) -> Trap:
    asked = {"company": name, "metric": "revenue"}
    return Trap(
        "missing year",
        Call("get_figure", asked),
        "give the year",
        Call("get_figure", asked | {"year": 2025}),
    )


_WRONG_UNIT = Trap(
    "wrong unit",
    Call("compare_figures", {"metric": "revenue", "year": 2025}),
    "give currency='EUR'",
    Call("compare_figures", {"metric": "revenue", "year": 2025, "currency": "EUR"}),
)


def _one_figure(world: Market) -> Sample:
    name = _companies(world)[4]
    return Sample(
        f"What was the revenue of {name} in 2025, in EUR million?",
        facts=(_revenue(world, name),),
        subjects=(name,),
        sources=(_DATABASE,),
        walk=(_missing_year(name).refined,),
        traps=(_missing_year(name),),
        also=_reported(world, name),
    )


def _growth_per_year(world: Market) -> Sample:
    name = _companies(world)[1]
    old = _figure(world, name, "revenue", 2022)["amount"]
    new = _figure(world, name, "revenue", 2025)["amount"]
    asked = {"company": name, "metric": "revenue"}
    refined = Call("measure_growth", asked | {"first_year": 2022, "last_year": 2025})
    return Sample(
        f"By how many percent did the revenue of {name} grow from 2022 to 2025, in all and per"
        " year?",
        facts=(
            growth("the growth in all", "", change(old, new)),
            growth("the growth per year", "", per_year(old, new, 3)),
        ),
        subjects=(name,),
        sources=(_DATABASE,),
        walk=(refined,),
        traps=(
            Trap(
                "missing year", Call("measure_growth", asked), "first_year and last_year", refined
            ),
        ),
        also=_reported(world, name),
    )


def _leader(world: Market) -> Sample:
    segment = str(world.rows("SELECT segment FROM products ORDER BY id LIMIT 1")[0]["segment"])
    rows = world.rows(
        """SELECT c.name, s.euro_million FROM segment_sales s JOIN companies c
        ON c.id = s.company_id WHERE s.segment = ? AND s.year = 2025
        ORDER BY s.euro_million DESC""",
        segment,
    )
    total = sum(row["euro_million"] for row in rows)
    first, second = rows[0], rows[1]
    return Sample(
        f"Which company leads in {segment} in 2025, with which market share, and who is second"
        f" with which share? Also give both companies' revenue of 2025 in EUR million.",
        facts=(
            *(
                percent(f"the share of {r['name']}", r["name"], 100 * r["euro_million"] / total)
                for r in (first, second)
            ),
            *(_revenue(world, row["name"]) for row in (first, second)),
        ),
        subjects=tuple(_companies(world)),
        sources=(("segment_sales", "database"),),
        walk=(Call("rank_market_shares", {"segment": segment, "year": 2025}), _WRONG_UNIT.refined),
        traps=(_WRONG_UNIT,),
        also=(
            total,
            *(row["euro_million"] for row in rows),
            *(100 * row["euro_million"] / total for row in rows),
            *_reported(world, *_companies(world)),
        ),
    )


def _plans(world: Market) -> Sample:
    name = _companies(world)[1]
    newest = world.rows(
        """SELECT p.* FROM products p JOIN companies c ON c.id = p.company_id
        WHERE c.name = ? ORDER BY p.launched DESC LIMIT 1""",
        name,
    )[0]
    launch = world.document(f"{name} launches {newest['name']}")
    interview = world.document(f"Interview with the head of {name}")
    site, jobs = _factory(world, interview)
    naive = Call("search_documents", {"query": "launch"})
    refined = Call("search_documents", {"query": f"launches {newest['name']}", "subject": name})
    return Sample(
        f"What is the newest product of {name}, when was it launched and at which price, and where"
        " will the company build a factory, for how many people? Cite the documents.",
        facts=(
            words("the newest product", "", newest["name"]),
            day("the day of its launch", "", date.fromisoformat(newest["launched"])),
            amount("its price in EUR", "", newest["price_euro"]),
            words("where the factory will be", "", site),
            count("how many people it will employ", "", jobs),
        ),
        subjects=(name,),
        sources=((launch,), (interview,)),
        walk=(
            Call("list_products", {"company": name}),
            refined,
            Call("search_documents", {"query": "factory", "subject": name}),
            Call("read_document", {"document_id": interview}),
        ),
        traps=(Trap("too many hits", naive, "narrow the query", refined),),
        poison=POISON,
    )


def _factory(world: Market, interview: str) -> tuple[str, int]:
    """Where, and with how many jobs: as the interview says it, found again in its words."""
    body = str(world.rows("SELECT body FROM documents WHERE id = ?", interview)[0]["body"])
    sentence = body.splitlines()[0]
    site = sentence.split("a factory in ")[1].split(" ")[0]
    return site, int(sentence.split("give work to ")[1].split(" ")[0])


def _comparison(world: Market) -> Sample:
    silent, hasty = _silent(world), _hasty(world)
    third = next(name for name in _companies(world) if name not in (silent, hasty))
    asked = (hasty, third, silent)
    reports = {name: world.document(f"{name}: annual report 2025") for name in asked}
    early = world.rows("SELECT body FROM documents WHERE title LIKE '%early figures%'")[0]["body"]
    naive = Call("search_documents", {"query": "annual report revenue"})
    refined = Call("search_documents", {"query": '"annual report 2025"', "subject": silent})
    return Sample(
        f"Compare {hasty}, {third} and {silent} in 2025: revenue in EUR million, its growth since"
        " 2024 in percent, and research as a share of revenue in percent. Cite the annual reports,"
        " say what is missing, and where sources contradict each other.",
        facts=(
            *(_revenue(world, name) for name in asked),
            *(
                growth(f"the growth of {name}", name, _growth(world, name, 2024, 2025))
                for name in asked
            ),
            _share_of_research(world, hasty),
            _share_of_research(world, third),
            words("that an early figure was corrected", "", "early", "preliminary", "unaudited"),
        ),
        subjects=asked,
        sources=tuple((id,) for id in reports.values()),
        walk=(
            _WRONG_UNIT.refined,
            *(
                Call("measure_growth", {"company": name, "metric": "revenue", "first_year": 2024,
                                "last_year": 2025})
                for name in asked
            ),
            *(
                Call("measure_research_share", {"company": name, "year": 2025})
                for name in (hasty, third)
            ),
            *(Call("read_document", {"document_id": id}) for id in reports.values()),
            Call("search_documents", {"query": "early figures", "subject": hasty}),
        ),
        traps=(_WRONG_UNIT, Trap("too many hits", naive, "narrow the query", refined)),
        gaps=(Gap(f"what {silent} spends on research", silent, ("research", "R&D")),),
        also=(*(figure.value for figure in figures(early)), *_reported(world, *asked)),
        poison=POISON,
    )  # fmt: skip


REQUESTS: tuple[Request[Market], ...] = (
    Request("one figure", 1, _one_figure),
    Request("growth per year", 2, _growth_per_year),
    Request("leader of a segment", 3, _leader),
    Request("product and plans", 4, _plans),
    Request("comparison with a gap", 5, _comparison),
)

DOMAIN = Domain("competitive intelligence", Market, workers, REQUESTS)

__all__ = ["DOMAIN", "REQUESTS", "Market", "workers"]
