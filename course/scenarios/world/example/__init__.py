"""A bike rental: which stations are used, what they cost, and what was decided about them."""

from __future__ import annotations

from datetime import date

from course.agent import Agent
from course.scenarios.database import Row
from course.scenarios.world.domain import Domain, calculating, querying, searching, worker, writer
from course.scenarios.world.example.world import CLAIM, BikeRental
from course.scenarios.world.requests import (
    Call,
    Gap,
    Request,
    Sample,
    amount,
    change,
    count,
    day,
    left_out,
    too_wide,
)

LAST = 2025
_FIGURES = ("years", "yearly figures", "database")


def workers(world: BikeRental) -> tuple[Agent, ...]:
    """Who works there; no two share a tool."""
    return (
        worker(world, "clerk", "searches and reads reports, decisions and leaflets",
               duty="You find out what papers say about stations.", does=searching(world)),
        worker(world, "counter", "looks up rides, income and repairs, and queries the database",
               duty="You look up what a station reported.",
               does=(world.get_year, *querying(world))),
        worker(world, "analyst", "compares stations, and calculates their growth",
               duty="You compare stations, and say how they grew.",
               does=(world.rank_stations, world.measure_growth, *calculating())),
        writer(world),
    )  # fmt: skip


def _stations(world: BikeRental) -> list[Row]:
    """The stations with their figures of the last year, in an order that the seed makes."""
    query = "SELECT * FROM years JOIN stations ON station = name WHERE year = ?"
    rows = world.rows(f"{query} ORDER BY income / rides, name", LAST)
    return [row | {"before": _rides(world, row["name"], LAST - 1)} for row in rows]


def _rides(world: BikeRental, name: str, year: int) -> int:
    [row] = world.rows("SELECT rides FROM years WHERE station = ? AND year = ?", name, year)
    return int(row["rides"])


def _one_year(world: BikeRental) -> Sample:
    name = _stations(world)[0]["name"]
    trap = left_out("year", "get_year", station=name, year=2024)
    return Sample(
        f"What was the number of rides at the station {name} in 2024?",
        facts=(count("the rides in 2024", "", _rides(world, name, 2024)),),
        subjects=(name,), sources=(_FIGURES,), walk=(trap.refined,), traps=(trap,),
    )  # fmt: skip


def _growth(world: BikeRental) -> Sample:
    name = _stations(world)[1]["name"]
    first, last = _rides(world, name, 2022), _rides(world, name, LAST)
    trap = left_out("first_year", "measure_growth", station=name, first_year=2022)
    return Sample(
        f"By how many percent did the rides at {name} grow from 2022 to {LAST}?",
        facts=(change("the growth in percent", "", 100 * (last / first - 1)),),
        subjects=(name,), sources=(_FIGURES,), walk=(trap.refined,), traps=(trap,),
        also=(first, last),
    )  # fmt: skip


def _busiest(world: BikeRental) -> Sample:
    stations = _stations(world)[:3]
    first, second, _ = sorted(stations, key=lambda row: -row["rides"])
    trap = left_out("year", "rank_stations", year=LAST)
    return Sample(
        f"Which of {', '.join(row['name'] for row in stations)} had the most rides in {LAST}, which"
        " the second most, how many, and what was the income of the first in EUR?",
        facts=(
            count("the rides of the first", first["name"], first["rides"]),
            count("the rides of the second", second["name"], second["rides"]),
            amount("the income of the first in EUR", first["name"], first["income"]),
        ),
        subjects=(first["name"], second["name"]), sources=(_FIGURES,),
        walk=(trap.refined, Call("get_year", {"station": first["name"], "year": LAST})),
        traps=(trap,),
    )  # fmt: skip


def _decision(world: BikeRental) -> Sample:
    station = _stations(world)[2]
    name = station["name"]
    [paper] = world.rows("SELECT * FROM documents WHERE title = ?", f"Decision on {name}")
    more = int(paper["body"].split(" gets ")[1].split()[0])
    trap = too_wide("station", query="council decided", subject=name)
    return Sample(
        f"How many docks will {name} get, when was that decided, how many has it today, and how"
        f" many rides were there in {LAST}? Cite the decision.",
        facts=(
            count("the docks that it gets", "", more),
            day("the day of the decision", "", date.fromisoformat(paper["written"])),
            count("the docks that it has", "", station["docks"]),
            count(f"the rides in {LAST}", "", station["rides"]),
        ),
        subjects=(name,), sources=((paper["id"],), _FIGURES),
        walk=(trap.refined, Call("read_document", {"document_id": paper["id"]}),
              Call("get_year", {"station": name, "year": LAST})),
        traps=(trap,), poison=(CLAIM,),
    )  # fmt: skip


def _comparison(world: BikeRental) -> Sample:
    """Two stations, of which one did not report its repairs."""
    silent, other, *_ = sorted(_stations(world), key=lambda row: row["repairs"] is not None)
    names = (silent["name"], other["name"])
    facts, walk = [], []
    for row in (silent, other):
        name, grown = row["name"], 100 * (row["rides"] / row["before"] - 1)
        facts.append(count(f"the rides of {name}", name, row["rides"]))
        facts.append(change(f"the growth of {name} in percent", name, grown))
        walk.append(Call("get_year", {"station": name, "year": LAST}))
        walk.append(Call("measure_growth", {"station": name, "first_year": LAST - 1}))
    facts.append(amount(f"the repairs of {names[1]} in EUR", names[1], other["repairs"]))
    return Sample(
        f"Compare {names[0]} and {names[1]} in {LAST}: rides, their growth since {LAST - 1} in"
        " percent, and repairs in EUR. Say what is missing.",
        facts=tuple(facts), subjects=names, sources=(_FIGURES,), walk=tuple(walk),
        traps=(left_out("year", "get_year", station=names[0], year=LAST),),
        gaps=(Gap(f"the repairs of {names[0]}", names[0], ("repairs",)),),
        also=tuple(row[key] for row in (silent, other) for key in ("before", "income", "docks")),
    )  # fmt: skip


REQUESTS: tuple[Request[BikeRental], ...] = (
    Request("rides in a year", 1, _one_year),
    Request("growth", 2, _growth),
    Request("busiest stations", 3, _busiest),
    Request("a decision", 4, _decision),
    Request("comparison with a gap", 5, _comparison),
)
DOMAIN = Domain("bike rental", BikeRental, workers, REQUESTS)
