"""The market's world and the workers in it."""

from __future__ import annotations

import sqlite3
from typing import Annotated, Literal

from pydantic import Field

from course.agent import Agent
from course.errors import ToolError
from course.scenarios.competitive_intelligence.data import make_market
from course.scenarios.database import Row
from course.scenarios.world.domain import calculating, querying, searching, worker, writer
from course.scenarios.world.world import World

CompanyName = Annotated[str, Field(description="the company's name, such as it is written")]
Metric = Annotated[
    Literal["revenue", "research", "employees"],
    Field(description="revenue, spending on research and development, or number of employees"),
]
Year = Annotated[int, Field(description="the year of the figure, such as 2025")]

_FIGURES = """
    SELECT c.name AS company, f.metric, f.year, f.amount, c.currency, c.unit, r.euro AS rate
    FROM figures f JOIN companies c ON c.id = f.company_id
    JOIN rates r ON r.currency = c.currency AND r.year = f.year
    WHERE f.metric = ? AND (? IS NULL OR c.name = ?) ORDER BY c.name, f.year
"""


class Market(World):
    """Six companies that compete in home energy, with figures, products and documents."""

    make = staticmethod(make_market)

    def get_figure(
        self,
        company: CompanyName,
        metric: Metric,
        year: Annotated[int | None, Field(description="the year, such as 2025")] = None,
    ) -> Row:
        """Get one figure of a company as it reported it, in its own currency, and in EUR."""
        with self.database.read() as connection:
            name = _company(connection, company)
            rows = connection.execute(_FIGURES, (metric, name, name)).fetchall()
        if year is None:
            years = ", ".join(str(row["year"]) for row in rows)
            raise ToolError(f"{name} has a figure for {metric} in each of {years}: give the year")
        return _readable(_of_year(rows, name, metric, year)) | {"source": "figures"}

    def list_products(self, company: CompanyName) -> list[Row]:
        """List a company's products with segment, day of launch and price in EUR, newest first."""
        query = """SELECT p.name AS product, p.segment, p.launched, p.price_euro
            FROM products p JOIN companies c ON c.id = p.company_id WHERE c.name = ?
            ORDER BY p.launched DESC"""
        with self.database.read() as connection:
            return connection.execute(query, (_company(connection, company),)).fetchall()

    def compare_figures(
        self,
        metric: Metric,
        year: Year,
        currency: Annotated[
            Literal["EUR"] | None,
            Field(description="EUR converts amounts in other currencies at the year's rate"),
        ] = None,
    ) -> Row:
        """Compare all companies by a figure of one year, the largest first."""
        with self.database.read() as connection:
            rows = connection.execute(_FIGURES, (metric, None, None)).fetchall()
            everybody = _names(connection)
        found = [row for row in rows if row["year"] == year]
        if not found:
            raise ToolError(_no_year(rows, "the market", metric, year))
        units = sorted({f"{row['currency']} {row['unit']}" for row in found})
        if metric != "employees" and currency is None:
            raise ToolError(
                f"the companies report {metric} in {', '.join(units)}, which cannot be compared:"
                " give currency='EUR'"
            )
        ranked = sorted((_readable(row) for row in found), key=_size, reverse=True)
        missing = sorted(set(everybody) - {row["company"] for row in found})
        return {"metric": metric, "year": year, "companies": ranked, "not_disclosed_by": missing,
                "source": "figures"}  # fmt: skip

    def measure_growth(
        self,
        company: CompanyName,
        metric: Metric,
        first_year: Annotated[int | None, Field(description="the year to start from")] = None,
        last_year: Annotated[int | None, Field(description="the year to end with")] = None,
    ) -> Row:
        """Calculate how a company's figure grew between two years, in all and per year."""
        with self.database.read() as connection:
            name = _company(connection, company)
            rows = connection.execute(_FIGURES, (metric, name, name)).fetchall()
        if first_year is None or last_year is None:
            years = f"{rows[0]['year']} to {rows[-1]['year']}"
            raise ToolError(f"growth needs first_year and last_year; {name} has {years}: give both")
        if first_year >= last_year:
            raise ToolError(f"first_year {first_year} must be before last_year {last_year}")
        old = _of_year(rows, name, metric, first_year)["amount"]
        new = _of_year(rows, name, metric, last_year)["amount"]
        return {
            "company": name,
            "metric": metric,
            "from": first_year,
            "to": last_year,
            "growth_percent": round(change(old, new), 2),
            "growth_per_year_percent": round(per_year(old, new, last_year - first_year), 2),
            "measured_in": "the company's own currency",
            "source": "figures",
        }

    def rank_market_shares(
        self, segment: Annotated[str, Field(description="the market segment")], year: Year
    ) -> Row:
        """Calculate each company's share of the sales in a segment and year, in percent."""
        query = """SELECT c.name AS company, s.euro_million FROM segment_sales s
            JOIN companies c ON c.id = s.company_id WHERE s.segment = ? AND s.year = ?
            ORDER BY s.euro_million DESC"""
        with self.database.read() as connection:
            rows = connection.execute(query, (segment.lower(), year)).fetchall()
            known = [
                str(row["s"])
                for row in connection.execute("SELECT DISTINCT segment AS s FROM segment_sales")
            ]
        if not rows:
            raise ToolError(
                f"there are no sales of '{segment}' in {year}: segments are {', '.join(known)},"
                " years 2022 to 2025"
            )
        total = sum(row["euro_million"] for row in rows)
        shares = [
            row | {"share_percent": round(100 * row["euro_million"] / total, 2)} for row in rows
        ]
        return {"segment": segment, "year": year, "total_euro_million": round(total, 1),
                "companies": shares, "source": "segment_sales"}  # fmt: skip

    def measure_research_share(self, company: CompanyName, year: Year) -> Row:
        """Calculate what part of its revenue a company spends on research, in percent."""
        with self.database.read() as connection:
            name = _company(connection, company)
            spent = connection.execute(_FIGURES, ("research", name, name)).fetchall()
            earned = connection.execute(_FIGURES, ("revenue", name, name)).fetchall()
        research = _of_year(spent, name, "research", year)["amount"]
        share = 100 * research / _of_year(earned, name, "revenue", year)["amount"]
        return {"company": name, "year": year, "research_share_percent": round(share, 2),
                "source": "figures"}  # fmt: skip


def workers(world: Market) -> tuple[Agent, ...]:
    """A researcher, a keeper of figures, an analyst and a writer, who share no tool."""
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
            does=(world.get_figure, world.list_products, *querying(world)),
        ),
        worker(
            world,
            "analyst",
            "compares companies, calculates growth, market shares and research shares",
            duty="You compare companies and years, with figures in one currency.",
            does=(
                world.compare_figures,
                world.measure_growth,
                world.rank_market_shares,
                world.measure_research_share,
                *calculating(),
            ),
        ),
        writer(world),
    )


def change(old: float, new: float) -> float:
    """The change from one amount to another, in percent."""
    return 100 * (new / old - 1)


def per_year(old: float, new: float, years: int) -> float:
    """The compound annual growth rate, in percent."""
    return 100 * float((new / old) ** (1 / years) - 1)


def _readable(row: Row) -> Row:
    shown: Row = {"company": row["company"], "metric": row["metric"], "year": row["year"]}
    if row["metric"] == "employees":
        return shown | {"employees": int(row["amount"])}
    return shown | {
        "reported": f"{row['amount']:,.1f} {row['currency']} {row['unit']}",
        "euro_million": round(euro_million(row), 1),
    }


def euro_million(row: Row) -> float:
    """A row's amount in millions of EUR at the rate of its year."""
    return float(row["amount"] * row["rate"] / (1000 if row["unit"] == "thousand" else 1))


def _size(row: Row) -> float:
    return float(row["euro_million"] if "euro_million" in row else row["employees"])


def _of_year(rows: list[Row], name: str, metric: str, year: int) -> Row:
    for row in rows:
        if row["year"] == year:
            return row
    raise ToolError(_no_year(rows, name, metric, year))


def _no_year(rows: list[Row], name: str, metric: str, year: int) -> str:
    years = ", ".join(dict.fromkeys(str(row["year"]) for row in rows))
    return f"{name} has not disclosed {metric} for {year}: there is {years}"


def _names(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT name FROM companies ORDER BY name").fetchall()
    return [str(row["name"]) for row in rows]


def _company(connection: sqlite3.Connection, name: str) -> str:
    known = _names(connection)
    found = [each for each in known if each.lower() == name.strip().lower()]
    if not found:
        raise ToolError(f"there is no company '{name}'; there are {', '.join(known)}")
    return found[0]
