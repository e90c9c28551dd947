"""Two agents who answer every question, one from figures, one from reports, and what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field

from course.contradictions import SAME, claims
from course.errors import ConfigurationError, ToolError
from course.models.wire import AsyncOpenAI
from course.scenarios.database import Row
from course.scenarios.sales_copilot.market import PRODUCTS, QUARTERS, REGIONS, YEARS, Market
from course.scenarios.world.domain import worker
from course.scenarios.world.sql import Questions
from course.supervisor_worker import PlanningSupervisor, PlanResult, PlanTask, make_plan
from course.systems import carry_out

COLUMNS = {"product": PRODUCTS, "region": REGIONS, "year": YEARS, "quarter": QUARTERS}
TOPICS = (
    "customers, deliveries and delays, prices, discounts and competitors, training, faults, budgets"
)
HITS = 3
LIKE = 0.08
"""How alike, from 0 to 1, a report and a question are at least, to be worth showing."""

Measure = Annotated[Literal["revenue", "units"], Field(description="revenue in EUR, or units sold")]
Product = Annotated[
    Literal["Lumina", "Tessera", "Orbis", "Vantage"] | None, Field(description="only this product")
]
Region = Annotated[
    Literal["North", "South", "East", "West"] | None, Field(description="only this region")
]
Year = Annotated[Literal[2024, 2025] | None, Field(description="only this year")]
Quarter = Annotated[Literal["Q1", "Q2", "Q3", "Q4"] | None, Field(description="only this quarter")]


class Figures:
    """The sales table, which can only be read; `asked` are the queries that were made."""

    def __init__(self, market: Market) -> None:
        self.questions = Questions(market.database, market.tables)
        self.asked: list[str] = []

    def get_sales(
        self, measure: Measure = "revenue", product: Product = None, region: Region = None,
        year: Year = None, quarter: Quarter = None,
    ) -> Row:  # fmt: skip
        """Look up the revenue, or how many units were sold: the sum of all that is asked for."""
        where = _where(product=product, region=region, year=year, quarter=quarter)
        row: Row = self.query_sales(f"SELECT sum({measure}) AS {measure} FROM sales{where}")[
            "rows"
        ][0]
        return row

    def rank_sales(
        self, by: Literal["product", "region", "quarter"], measure: Measure = "revenue",
        product: Product = None, region: Region = None, year: Year = None, quarter: Quarter = None,
    ) -> Row:  # fmt: skip
        """Rank products, regions or quarters by what they sold: the best or highest first."""
        where = _where(product=product, region=region, year=year, quarter=quarter)
        sql = f"SELECT {by}, sum({measure}) AS {measure} FROM sales{where} GROUP BY {by}"
        return {"ranking": self.query_sales(f"{sql} ORDER BY 2 DESC")["rows"]}

    def query_sales(
        self, sql: Annotated[str, Field(description="one SELECT on the table sales")]
    ) -> Row:
        """Ask the table sales (product, region, year, quarter, units, revenue) in SQL."""
        found = self.questions.query_database(sql)
        self.asked.append(sql)
        return found


def _where(**columns: Any) -> str:
    said = [f"{name} = '{value}'" for name, value in columns.items() if value is not None]
    return f" WHERE {' AND '.join(said)}" if said else ""


class Reports:
    """The visit reports, each sentence a vector of TF-IDF weights of its words and letters.

    `found` are those that were.
    """

    def __init__(self, market: Market) -> None:
        self.found: list[Row] = []
        self.rows = [
            {"report": row["id"], "customer": row["subject"], "said": sentence}
            for row in market.rows("SELECT id, subject, body FROM documents ORDER BY id")
            for sentence in re.split(r"(?<=\.)\s+", row["body"])
        ]

    @cached_property
    def index(self) -> tuple[Any, Any]:
        """What makes a vector of a text, and the sentences' vectors."""
        try:
            from sklearn.feature_extraction.text import TfidfVectorizer
            from sklearn.pipeline import make_union
        except ImportError as error:
            raise ConfigurationError(
                "vectors need scikit-learn: pip install 'switchboard-course[lab]'"
            ) from error
        words = TfidfVectorizer(stop_words="english", sublinear_tf=True)
        letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
        union = make_union(words, letters)
        return union, union.fit_transform([row["said"] for row in self.rows])

    def search_reports(
        self, question: Annotated[str, Field(description="what to look for, in plain words")]
    ) -> Row:
        """Search the visit reports on customers: the sentences most like a question."""
        vectors, known = self.index
        likeness = (known @ vectors.transform([question]).T).toarray().ravel() / 2
        best = sorted(zip(likeness, range(len(self.rows)), strict=True), reverse=True)[:HITS]
        found = [self.rows[place] for alike, place in best if alike >= LIKE]
        if not found:
            raise ToolError("no report speaks of that")
        self.found += found
        return {"reports": found}


@dataclass(frozen=True)
class Copilot:
    """Answers one question from figures and reports: `course.run(Copilot(market), question)`."""

    market: Market
    name: str = "copilot"
    description: str = "Answers questions on sales, from figures and from reports of visits."


@carry_out.register(Copilot)
async def run_copilot(copilot: Copilot, request: str, *, client: AsyncOpenAI) -> PlanResult:
    """Plan a question, let both agents find out, and add disagreements and sources in code.

    The reports are read whatever the plan says: they may tell otherwise than the figures.
    """
    figures, reports = Figures(copilot.market), Reports(copilot.market)
    boss = analysts(copilot.market, figures, reports)
    plan = await make_plan(request, boss.registry, client=client)
    if all(task.worker != "reports" for task in plan.tasks):
        look = PlanTask(id="reports", description=request, worker="reports")
        plan = plan.model_copy(update={"tasks": (*plan.tasks, look)})
    result: PlanResult = await carry_out(boss, request, client=client, plan=plan)
    found = disagreements(copilot.market, reports)
    told = [str(each) for each in found if each.concerns(figures, reports)]
    sources = dict.fromkeys((*figures.asked, *(row["report"] for row in reports.found)))
    said = (result.answer, *told, f"Sources: {'; '.join(sources) or 'none'}")
    return replace(result, answer="\n".join(said))


def analysts(market: Market, figures: Figures, reports: Reports) -> PlanningSupervisor:
    """The two agents, who share no tool, under a supervisor that plans."""
    return PlanningSupervisor(
        name="copilot",
        workers=(
            worker(market, "figures", "looks up and ranks sales figures: the revenue and units sold"
                   " of products, regions and quarters", duty="You answer from the table sales.",
                   does=(figures.get_sales, figures.rank_sales, figures.query_sales)),
            worker(market, "reports", "searches visit reports: who asks for what, who complains and"
                   f" who plans what; on {TOPICS}", duty="You answer from the visit reports.",
                   does=(reports.search_reports,)),
        ),
    )  # fmt: skip


@dataclass(frozen=True)
class Disagreement:
    """A revenue that a report gives and the table does not; `place` is of what, by column."""

    row: Row
    told: str
    place: dict[str, str]
    booked: int

    def concerns(self, figures: Figures, reports: Reports) -> bool:
        """Whether the sentence was found, or a query asked for what it is of, or more than that."""
        within = (
            all(_said(sql, name) in ("", value) for name, value in self.place.items())
            for sql in figures.asked
            if "revenue" in sql
        )
        return self.row in reports.found or any(within)

    def __str__(self) -> str:
        of = "{product} in the {region} in {quarter} {year}".format(**self.place)
        return (
            f"Figures and reports disagree on the revenue of {of}: {self.booked:,} EUR (sales),"
            f" {self.told} ({self.row['report']})."
        )


def _said(sql: str, column: str) -> str:
    """The value that a query asks for in a column; empty where it asks for all."""
    found = re.search(rf"{column} = '?(\w+)", sql)
    return found[1] if found else ""


def disagreements(market: Market, reports: Reports) -> Iterator[Disagreement]:
    """Each revenue that a report states otherwise than the table, as a check in code."""
    query = """
        SELECT revenue FROM sales WHERE product = ? AND region = ? AND year = ? AND quarter = ?
    """
    for row in reports.rows:
        for claim in claims(Statement(row["report"], row["said"])):
            place = {
                column: next((v for v in map(str, known) if v.lower() in claim.about), "")
                for column, known in COLUMNS.items()
            }
            for booked in market.rows(query, *place.values()) if "revenue" in claim.about else ():
                said = claim.value
                if isinstance(said, float) and abs(said - booked["revenue"]) > SAME * said:
                    yield Disagreement(row, claim.shown, place, booked["revenue"])


@dataclass(frozen=True)
class Statement:
    """What a report says, in the form that `claims` reads."""

    task_id: str
    result: str
