"""The portfolio manager's world and the workers in it."""

from __future__ import annotations

from course.agent import Agent
from course.scenarios.portfolio.generate import make_book
from course.scenarios.portfolio.tools import Analysis, Ledger
from course.scenarios.world.domain import calculating, querying, searching, worker, writer
from course.scenarios.world.world import World


class Book(World):
    """Four clients' portfolios, the prices of twelve securities, and what was agreed."""

    make = staticmethod(make_book)


def workers(world: Book) -> tuple[Agent, ...]:
    """Mandates, ledger, analyst and writer, who share no tool."""
    ledger, analysis = Ledger(world.database), Analysis(world.database)
    return (
        worker(
            world,
            "mandates",
            "searches and reads clients' mandates and amendments, minutes, letters and notes",
            duty="You find out what was agreed with clients; what was agreed last counts.",
            does=searching(world),
        ),
        worker(
            world,
            "ledger",
            "looks up prices of securities and holdings of clients, and queries the database",
            duty="You look up what is held and what it is quoted at.",
            does=(ledger.get_price, ledger.list_holdings, *querying(world)),
        ),
        worker(
            world,
            "analyst",
            "calculates portfolio values, allocation and drift, returns and rebalancing trades",
            duty="You value portfolios in EUR and say how far they are from their targets.",
            does=(
                analysis.value_portfolio,
                analysis.measure_drift,
                analysis.measure_security_return,
                analysis.measure_portfolio_return,
                analysis.plan_trades,
                *calculating(),
            ),
        ),
        writer(world, whom="for the client "),
    )
