"""The market's world and the workers in it."""

from __future__ import annotations

from course.agent import Agent
from course.scenarios.competitive_intelligence.generate import make_market
from course.scenarios.competitive_intelligence.tools import Comparison, Figures
from course.scenarios.world.domain import calculating, querying, searching, worker, writer
from course.scenarios.world.world import World


class Market(World):
    """Six companies that compete in home energy, with figures, products and documents."""

    make = staticmethod(make_market)


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
        writer(world),
    )
