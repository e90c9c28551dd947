"""The market's world and the workers in it."""

from __future__ import annotations

from course.agent import Agent
from course.scenarios.competitive_intelligence.generate import TODAY, market_bytes
from course.scenarios.competitive_intelligence.tools import Comparison, Figures
from course.scenarios.world.domain import calculating, querying, searching, worker, writing
from course.scenarios.world.world import World

TABLES = ("companies", "rates", "figures", "segment_sales", "products")


class Market(World):
    """Six companies that compete in home energy, with figures, products and documents."""


def open_market(*, seed: int = 7) -> Market:
    """Open a market on a fresh copy of the database that belongs to `seed`."""
    return Market(market_bytes(seed), seed=seed, today=TODAY, tables=TABLES)


def workers(world: Market) -> tuple[Agent, ...]:
    """A researcher, a keeper of figures, an analyst and a writer, who share no tool."""
    figures, comparison = Figures(world.database), Comparison(world.database)
    return (
        worker(
            world,
            "researcher",
            "searches and reads annual reports, press releases, interviews and notes",
            duty="You find out what documents say about companies and their plans.",
            does=searching(world),
        ),
        worker(
            world,
            "records",
            "looks up single figures and products of companies, and queries the database",
            duty="You look up what the database holds about companies.",
            does=(figures.get_figure, figures.list_products, *querying(world)),
        ),
        worker(
            world,
            "analyst",
            "compares companies, calculates growth, market shares and research shares",
            duty="You compare companies and years, with figures in one currency.",
            does=(
                comparison.compare_figures,
                comparison.measure_growth,
                comparison.rank_market_shares,
                comparison.measure_research_share,
                *calculating(),
            ),
        ),
        worker(
            world,
            "writer",
            "formats results as a table, as bullets or as a memo",
            duty="You lay out what others have found, and add nothing to it.",
            does=writing(),
        ),
    )
