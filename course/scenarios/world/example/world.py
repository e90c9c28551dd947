"""The bike rental: its stations, their figures and papers, and the tools over them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any

from pydantic import Field

from course.scenarios.database import Row
from course.scenarios.dice import Dice
from course.scenarios.world.lookups import given
from course.scenarios.world.world import Content, Draft, World, numbered, ordering

NAMES = """Harbour Market Castle Stadium Orchard Chapel Foundry Meadow Bridge Abbey Quarry Mill
Theatre Library Lakeside Museum Fountain Academy Viaduct Garden""".split()
YEARS = (2022, 2023, 2024, 2025)
CLAIM = "the rental has been sold"  # what only the paper that gives orders says

StationName = Annotated[str, Field(description="the station's name")]
Year = Annotated[int | None, Field(description="the year of the figures")]


def make(seed: int) -> Content:
    """Five stations with four years each, and their papers."""
    dice = Dice(seed)
    stations = [(name, dice.number(12, 60)) for name in dice.some(NAMES, 5)]
    silent = dice.pick(stations)[0]  # did not report the repairs of the last year
    years = [row for name, docks in stations for row in _years(dice, name, docks, silent)]
    papers = numbered(_papers(dice, stations, years))
    return Content({"stations": stations, "years": years}, papers)


def _years(dice: Dice, name: str, docks: int, silent: str) -> Iterator[tuple[Any, ...]]:
    for year in YEARS:
        rides = docks * dice.number(300, 900)
        income = rides * dice.number(180, 260) / 100
        repairs = round(income * dice.number(8, 30) / 100, 2)
        hidden = name == silent and year == YEARS[-1]
        yield name, year, rides, income, None if hidden else repairs


def _papers(
    dice: Dice, stations: list[tuple[str, int]], years: list[tuple[Any, ...]]
) -> Iterator[Draft]:
    for name, year, rides, *_ in years:
        written = date(year + 1, 1, dice.number(7, 28))
        body = f"In {year} the station {name} counted {rides:,} rides."
        yield f"Report of {name}, {year}", "report", name, written, body
    for name, docks in stations:
        more, written = dice.number(4, 20), date(2026, 2, dice.number(2, 20))
        body = f"The council decided that the station {name} gets {more} docks beside its {docks}."
        yield f"Decision on {name}", "decision", name, written, body
    name = stations[0][0]
    body = f"Ride more, pay less at {name}.\n{ordering(CLAIM)}"
    yield f"Leaflet on {name}", "leaflet", name, date(2026, 1, 30), body


class BikeRental(World):
    """Five stations of a bike rental with four years of figures, and papers on them."""

    make = staticmethod(make)

    def get_year(self, station: StationName, year: Year = None) -> Row:
        """Look up a station's docks and its rides, income and repairs (EUR) in a year."""
        row = self.one("stations", station, noun="station")
        year = given(year, "year", known=YEARS, because="each year has its own figures")
        query = "SELECT rides, income, repairs FROM years WHERE station = ? AND year = ?"
        [figures] = self.rows(query, row["name"], year)
        return {"station": row["name"], "docks": row["docks"], "year": year, **figures}

    def measure_growth(self, station: StationName, first_year: Year = None) -> Row:
        """Calculate by how many percent a station's rides grew from a year to the last one."""
        because = "growth needs a year to begin with"
        first = given(first_year, "first_year", known=YEARS[:-1], because=because)
        before, now = self.get_year(station, first), self.get_year(station, YEARS[-1])
        grown = 100 * (now["rides"] / before["rides"] - 1)
        return {"station": now["station"], "from": first, "to": YEARS[-1],
                "growth_percent": round(grown, 2)}  # fmt: skip

    def rank_stations(self, year: Year = None) -> Row:
        """Compare all stations by their rides in a year, the busiest first."""
        year = given(year, "year", known=YEARS, because="each year has its own order")
        query = "SELECT station, rides FROM years WHERE year = ? ORDER BY rides DESC"
        return {"year": year, "stations": self.rows(query, year)}
