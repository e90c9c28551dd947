"""The portfolio manager's world and the workers in it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from course.agent import Agent
from course.errors import ToolError
from course.scenarios.database import Row
from course.scenarios.portfolio import valuation
from course.scenarios.portfolio.data import make_book
from course.scenarios.world.domain import calculating, querying, searching, worker, writer
from course.scenarios.world.world import World

ClientName = Annotated[str, Field(description="the client's family name")]
SecurityName = Annotated[str, Field(description="the security's name or symbol")]
Month = Annotated[str | None, Field(description="the month whose end counts, such as 2026-02")]


class Book(World):
    """Four clients' portfolios, the prices of twelve securities, and what was agreed."""

    make = staticmethod(make_book)

    def get_price(self, security: SecurityName, month: Month = None) -> Row:
        """Get the closing price of a security at the end of a month, as quoted and in EUR."""
        with self.database.read() as connection:
            found = valuation.security(connection, security)
            when = valuation.check_month(connection, month)
            close = valuation.close_of(connection, found, when)
            euro = valuation.in_euros(connection, found, when)
        return {"security": found["name"], "asset_class": found["asset_class"], "month": when,
                "close": f"{close:,.2f} {found['quoted']}",
                "close_euro": round(euro, 4), "source": "prices"}  # fmt: skip

    def list_holdings(self, client: ClientName) -> Row:
        """List a client's holdings: securities, asset classes, shares, and the cash in EUR."""
        query = """SELECT s.name AS security, s.asset_class, s.quoted, h.shares FROM holdings h
            JOIN securities s ON s.symbol = h.symbol WHERE h.client_id = ? ORDER BY s.name"""
        with self.database.read() as connection:
            id, name = valuation.client_id(connection, client)
            cash = connection.execute(
                "SELECT cash_euro FROM clients WHERE id = ?", (id,)
            ).fetchone()
            holdings = connection.execute(query, (id,)).fetchall()
        return {"client": name, "holdings": holdings, **cash}

    def value_portfolio(self, client: ClientName, month: Month = None) -> Row:
        """Calculate what a client's portfolio is worth at the end of a month, in EUR."""
        with self.database.read() as connection:
            id, name = valuation.client_id(connection, client)
            when = valuation.check_month(connection, month)
            classes = valuation.by_class(connection, id, when)
        return {
            "client": name,
            "month": when,
            "value_euro": round(sum(classes.values()), 2),
            "by_asset_class_euro": {each: round(euro, 2) for each, euro in classes.items()},
            "source": "holdings and prices",
        }

    def measure_drift(self, client: ClientName, month: Month = None) -> Row:
        """Calculate a client's weights by asset class, the targets, and the drift from them."""
        with self.database.read() as connection:
            id, name = valuation.client_id(connection, client)
            when = valuation.check_month(connection, month)
            classes = valuation.by_class(connection, id, when)
            wanted = valuation.targets(connection, id)
        total = sum(classes.values())
        rows = [
            {
                "asset_class": each,
                "weight_percent": round(100 * classes.get(each, 0.0) / total, 2),
                "target_percent": wanted[each],
                "drift_percentage_points": round(points, 2),
            }
            for each, points in valuation.drift(classes, wanted).items()
        ]
        return {"client": name, "month": when, "allocation": rows,
                "source": "targets, holdings and prices"}  # fmt: skip

    def measure_security_return(
        self,
        security: SecurityName,
        first_month: Month = None,
        last_month: Month = None,
        currency: Annotated[
            Literal["EUR", "own"] | None,
            Field(
                description="EUR counts the exchange rate in, own is the currency it is quoted in"
            ),
        ] = None,
    ) -> Row:
        """Calculate the return of a security from the end of one month to another, in percent."""
        with self.database.read() as connection:
            found = valuation.security(connection, security)
            first = valuation.check_month(connection, first_month, "first_month")
            last = valuation.check_month(connection, last_month, "last_month")
            if found["quoted"] != "EUR" and currency is None:
                raise ToolError(
                    f"{found['name']} is quoted in {found['quoted']}, so its return depends on the"
                    " currency: give currency='EUR' or currency='own'"
                )
            price = valuation.close_of if currency == "own" else valuation.in_euros
            old, new = (price(connection, found, each) for each in (first, last))
        _in_order(first, last)
        return {"security": found["name"], "from": first, "to": last,
                "measured_in": found["quoted"] if currency == "own" else "EUR", "source": "prices",
                "return_percent": round(100 * (new / old - 1), 2)}  # fmt: skip

    def measure_portfolio_return(
        self, client: ClientName, first_month: Month = None, last_month: Month = None
    ) -> Row:
        """Calculate the return of a client's present holdings between two months, in EUR."""
        with self.database.read() as connection:
            id, name = valuation.client_id(connection, client)
            first = valuation.check_month(connection, first_month, "first_month")
            last = valuation.check_month(connection, last_month, "last_month")
            old, new = (
                sum(valuation.by_class(connection, id, each).values()) for each in (first, last)
            )
        _in_order(first, last)
        return {"client": name, "from": first, "to": last, "holdings": "as they are today",
                "source": "holdings and prices",
                "return_percent": round(100 * (new / old - 1), 2)}  # fmt: skip

    def plan_trades(
        self,
        client: ClientName,
        band: Annotated[
            float, Field(gt=0, le=50, description="drift let pass, in percentage points, such as 5")
        ],
        month: Month = None,
    ) -> Row:
        """Calculate what to buy and sell, in EUR, to bring drifted asset classes to target."""
        if band < 1:
            raise ToolError(
                f"a band of {band:g} percentage points trades at every breath: the band is in"
                f" percentage points, so write {100 * band:g} for {100 * band:g} %"
            )
        with self.database.read() as connection:
            id, name = valuation.client_id(connection, client)
            when = valuation.check_month(connection, month)
            classes = valuation.by_class(connection, id, when)
            wanted = valuation.targets(connection, id)
        rows = [
            {"asset_class": each, "action": "buy" if euro > 0 else "sell", "euro": round(euro, 2)}
            for each, euro in valuation.trades(classes, wanted, band).items()
        ]
        return {"client": name, "month": when, "band_percentage_points": band, "trades": rows,
                "source": "targets, holdings and prices"}  # fmt: skip


def workers(world: Book) -> tuple[Agent, ...]:
    """Mandates, ledger, analyst and writer, who share no tool."""
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
            does=(world.get_price, world.list_holdings, *querying(world)),
        ),
        worker(
            world,
            "analyst",
            "calculates portfolio values, allocation and drift, returns and rebalancing trades",
            duty="You value portfolios in EUR and say how far they are from their targets.",
            does=(
                world.value_portfolio,
                world.measure_drift,
                world.measure_security_return,
                world.measure_portfolio_return,
                world.plan_trades,
                *calculating(),
            ),
        ),
        writer(world, whom="for the client "),
    )


def _in_order(first: str, last: str) -> None:
    if first >= last:
        raise ToolError(f"first_month {first} must be before last_month {last}")
