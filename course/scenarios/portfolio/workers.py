"""The portfolio manager's world and the workers in it."""

from __future__ import annotations

from course.agent import Agent
from course.scenarios.portfolio.generate import TODAY, book_bytes
from course.scenarios.portfolio.tools import Analysis, Ledger
from course.scenarios.world.domain import calculating, querying, searching, worker, writing
from course.scenarios.world.world import World

TABLES = ("clients", "securities", "holdings", "targets", "prices", "rates")


class Book(World):
    """Four clients' portfolios, the prices of twelve securities, and what was agreed."""


def open_book(*, seed: int = 7) -> Book:
    """Open a portfolio manager's book on a fresh copy of the database that belongs to `seed`."""
    return Book(book_bytes(seed), seed=seed, today=TODAY, tables=TABLES)


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
        worker(
            world,
            "writer",
            "formats results as a table, as bullets or as a memo",
            duty="You lay out for the client what others have found, and add nothing to it.",
            does=writing(),
        ),
    )
