"""The providers' world, who works in it, what they are asked, and how an answer is judged."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from course.agent import Agent
from course.scenarios.cloud_providers.generate import YEAR, make_providers
from course.scenarios.database import Database, Row
from course.scenarios.world.documents import Library
from course.scenarios.world.domain import calculating, worker
from course.scenarios.world.world import World
from course.trace import Trace

REQUEST = (
    "Compare the market capitalisation of the top three cloud providers, with year-over-year growth"
    " and a brief analysis of competitive positioning."
)


class Providers(World):
    """Six cloud providers with their market capitalisation in two years, and articles."""

    make = staticmethod(make_providers)


@dataclass(frozen=True, slots=True)
class Research:
    """The tools that look providers up, in figures and in articles."""

    database: Database

    def get_market_capitalisation(
        self, rank: Annotated[int, Field(ge=1, le=6, description="the place, 1 is the largest")]
    ) -> Row:
        """Get the market capitalisation of the provider of a rank, now and a year before."""
        query = "SELECT name, now, before FROM providers WHERE rank = ?"
        with self.database.read() as connection:
            row = connection.execute(query, (rank,)).fetchone()
        return {
            "name": row["name"],
            "rank": rank,
            "unit": "USD billion",
            f"market_capitalisation_{YEAR}": row["now"],
            f"market_capitalisation_{YEAR - 1}": row["before"],
        }

    def search_articles(
        self, query: Annotated[str, Field(description="words that the articles have")]
    ) -> list[Row]:
        """Search articles about providers for words: what each of them says, best first."""
        found = Library(self.database).search_documents(query)["documents"]
        with self.database.read() as connection:
            return [
                connection.execute(
                    "SELECT id AS article, subject AS about, body AS text FROM documents"
                    " WHERE id = ?", (each["document_id"],),
                ).fetchone()
                for each in found
            ]  # fmt: skip


def workers(world: Providers) -> tuple[Agent, ...]:
    """A researcher, an analyst and a writer, who share no tool."""
    research = Research(world.database)
    return (
        worker(
            world,
            "researcher",
            "researches providers: market capitalisation by rank, and searches articles",
            duty="You find out figures and what articles say about providers.",
            does=(research.get_market_capitalisation, research.search_articles),
        ),
        worker(
            world,
            "analyst",
            "calculates growth, differences and shares from figures that others found",
            duty="You calculate with the figures that you are given, never in your head.",
            does=calculating(),
        ),
        worker(
            world,
            "writer",
            "writes reports and brief analyses from what others found",
            duty="You write from what others have found, and add nothing to it.",
            does=(),
        ),
    )


def wrong_figures(world: Providers, answer: str) -> list[str]:
    """What an answer lacks of the three largest providers: a name, a figure, a growth, a strength.

    A growth may be told with one decimal place or more; a fall has its sign or a word for it.
    """
    found = []
    text = answer.replace(",", "")
    for row in world.rows("SELECT * FROM providers ORDER BY rank LIMIT 3"):
        lines = [line for line in text.splitlines() if row["name"] in line]
        told = "\n".join(lines)
        if not lines:
            found.append(f"{row['name']} is not named")
        for year, value in ((YEAR, row["now"]), (YEAR - 1, row["before"])):
            if not re.search(rf"(?<![\d.]){value:g}(?:\.?0+)?(?![\d])", told):
                found.append(f"{row['name']}: {value:g} USD billion in {year} is missing")
        if not _tells_growth(told, 100 * (row["now"] / row["before"] - 1)):
            found.append(f"{row['name']}: its growth is missing or wrong")
        if world.document(f"Positioning of {row['name']}") not in answer:
            found.append(f"{row['name']}: no article tells its positioning")
    return found


def _tells_growth(text: str, growth: float) -> bool:
    said = re.findall(r"(-?\d+(?:\.\d+)?) ?(?:%|percent)", text)
    falls = re.search(r"\b(?:fell|fall|lost|down|decline\w*)\b", text)
    near = (abs(float(each) - growth) < 0.06 for each in said)
    return any(near) or bool(falls and any(abs(float(e) + growth) < 0.06 for e in said))


def order_flaws(trace: Trace) -> list[str]:
    """Why the order of a run's work is wrong, as its trace tells; empty where it is right.

    Three lookups of figures must have overlapped, and each calculation must have begun after the
    last of them ended.
    """
    tools = [each for each in trace.spans if each.operation == "execute_tool"]
    research = [each for each in tools if "capitalisation" in each.name]
    sums = [each for each in tools if "calculate" in each.name]
    tasks = [each for each in trace.spans if each.operation == "dispatch"]
    holding = [t for t in tasks if any(t.start <= r.start and r.end <= t.end for r in research)]
    most = max((sum(t.start <= o.start < t.end for t in holding) for o in holding), default=0)
    found = [] if most >= 3 else [f"{most} of the lookups were under way at once, not three"]
    if not sums:
        found.append("nothing was calculated")
    elif min(each.start for each in sums) < max((r.end for r in research), default=0.0):
        found.append("a calculation began before the research was over")
    return found
