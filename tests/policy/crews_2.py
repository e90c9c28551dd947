"""More made-up domains for the planner and its workers: bikes to share, wine, radio."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from course.errors import ToolError
from tests.policy.crews import Crew, Year, one_of, shelf, worker

# --- a bike share -----------------------------------------------------------------------------

TRIPS = {
    ("Station Square", "2025-06"): 4120,
    ("Station Square", "2025-07"): 4890,
    ("Old Harbour", "2025-06"): 2210,
    ("Old Harbour", "2025-07"): 2655,
}
DOCKS = {"Station Square": 40, "Old Harbour": 24}
Stop = Annotated[str, Field(description="the name of the station")]
Month = Annotated[str | None, Field(description="the month, such as 2025-06")]


def count_trips(station: Stop, month: Month = None) -> dict[str, Any]:
    """Count the trips that began at a station in a month."""
    name = one_of(station, tuple(DOCKS), "station")
    if month is None:
        raise ToolError("trips are counted by the month: give month, from 2025-06 to 2025-07")
    if (name, month) not in TRIPS:
        raise ToolError(f"no trips of {name} are recorded for {month}: take another month")
    return {"station": name, "month": month, "trips": TRIPS[name, month]}


def measure_growth_of_trips(
    station: Stop, first_month: Month = None, last_month: Month = None
) -> dict[str, Any]:
    """Calculate how the trips of a station grew between two months, in percent."""
    name = one_of(station, tuple(DOCKS), "station")
    if first_month is None or last_month is None:
        raise ToolError("growth needs first_month and last_month: give both")
    old, new = TRIPS[name, first_month], TRIPS[name, last_month]
    return {"station": name, "growth_percent": round(100 * (new / old - 1), 1)}


def get_docks(station: Stop) -> dict[str, Any]:
    """Get the number of docks at a station."""
    name = one_of(station, tuple(DOCKS), "station")
    return {"station": name, "docks": DOCKS[name]}


BIKES = Crew(
    "bike share",
    (
        worker("counter", "counts trips, and knows the docks of stations", count_trips, get_docks),
        worker("analyst", "calculates the growth of trips", measure_growth_of_trips),
        worker("reader", "searches and reads complaints and the city's notices", *shelf({
            "N-31": ("Old Harbour", "Notice: Old Harbour, the station, closes on 2025-09-15."),
            "N-32": ("Station Square", "Complaint: no bikes at Station Square on Mondays."),
        })),
    ),
    (
        ("How many trips began at Station Square in July 2025?", ("4890",)),
        ("By how many percent did the trips of Old Harbour grow from June 2025 to July 2025?",
         ("20.1",)),
        ("How many docks has Old Harbour, and when does the station close for works?",
         ("24", "2025-09-15")),
        ("Give the trips of Station Square and of Old Harbour in June 2025. Also calculate their "
         "growth from June 2025 to July 2025.", ("4120", "2210", "18.7", "20.1")),
    ),
)  # fmt: skip

# --- a vineyard -------------------------------------------------------------------------------

PLOTS = {"Steep Hill": (3.2, 5100), "River Bend": (1.8, 7300)}
SUGAR = {("Steep Hill", 2023): 92, ("Steep Hill", 2024): 96, ("River Bend", 2024): 84}
Plot = Annotated[str, Field(description="the plot's name")]


def compute_yield(
    plot: Plot,
    unit: Annotated[Literal["kg", "tonnes"] | None, Field(description="of the harvest")] = None,
) -> dict[str, Any]:
    """Calculate the harvest of a plot from its area."""
    name = one_of(plot, tuple(PLOTS), "plot")
    if unit is None:
        raise ToolError("harvests are kept in kg and in tonnes: give unit='kg' or unit='tonnes'")
    harvest = PLOTS[name][0] * PLOTS[name][1]
    return {"plot": name, "harvest": harvest if unit == "kg" else harvest / 1000, "unit": unit}


def get_sugar(plot: Plot, year: Year = None) -> dict[str, Any]:
    """Get the sugar of the must of a plot in degrees Oechsle."""
    name = one_of(plot, tuple(PLOTS), "plot")
    years = [y for n, y in SUGAR if n == name]
    if year not in years:
        raise ToolError(
            f"the must of {name} was measured in {', '.join(map(str, years))}: give year"
        )
    return {"plot": name, "year": year, "sugar_oechsle": SUGAR[name, int(year)]}


WINE = Crew(
    "vineyard",
    (
        worker("grower", "calculates the harvest of plots", compute_yield),
        worker("laboratory", "measures the sugar of must", get_sugar),
        worker("cellar", "searches and reads cellar notes and letters of buyers", *shelf({
            "N-41": ("Steep Hill", "Barrels of Steep Hill were racked on 2025-02-11."),
            "N-42": ("River Bend", "Letter: a buyer wants 400 bottles of River Bend."),
        })),
    ),
    (
        ("What was the sugar of the must of Steep Hill in 2023?", ("92",)),
        ("How large was the harvest of River Bend in kg?", ("13140",)),
        ("When were the barrels of Steep Hill racked, and what was the sugar of its must in 2024?",
         ("2025-02-11", "96")),
        ("What is the harvest of Steep Hill in tonnes, and how many bottles does the buyer of "
         "River Bend want? State units.", ("16.32", "400")),
    ),
)  # fmt: skip

# --- a radio station --------------------------------------------------------------------------

SHOWS = {"Morning Tide": 61000, "Night Owls": 9400}
GUESTS = {"G-7": "Petra Lind", "G-9": "Omar Faris"}


def get_audience(show: Annotated[str, Field(description="the show's name")]) -> dict[str, Any]:
    """Get how many people listen to a show."""
    name = one_of(show, tuple(SHOWS), "show")
    return {"show": name, "listeners": SHOWS[name]}


def find_guest(name: Annotated[str, Field(description="first and last name")]) -> dict[str, Any]:
    """Find a guest by name: id."""
    known = one_of(name, tuple(GUESTS.values()), "guest")
    return {"guest_id": next(i for i, n in GUESTS.items() if n == known), "name": known}


def compute_fee(
    guest_id: Annotated[str, Field(pattern=r"^G-\d+$", description="the guest's id, such as G-7")],
    currency: Annotated[Literal["EUR", "USD"] | None, Field(description="of the fee")] = None,
) -> dict[str, Any]:
    """Calculate the fee that is due to a guest."""
    if currency is None:
        raise ToolError("fees are paid in two currencies: give currency='EUR' or currency='USD'")
    fee = {"G-7": 300, "G-9": 450}[guest_id]
    return {
        "guest": GUESTS[guest_id],
        "fee": fee if currency == "EUR" else fee * 1.1,
        "in": currency,
    }


RADIO = Crew(
    "radio station",
    (
        worker("audience", "knows how many people listen to shows", get_audience),
        worker("desk", "finds guests by name", find_guest),
        worker("accounts", "calculates fees of guests", compute_fee),
        worker("archive", "searches and reads letters of listeners and programme plans", *shelf({
            "N-51": ("Night Owls", "Plan: Night Owls moves to 23:30 from October on."),
            "N-52": ("Morning Tide", "A listener likes the jingles of Morning Tide."),
        })),
    ),
    (
        ("How many people listen to Morning Tide?", ("61000",)),
        ("What fee is due to Omar Faris in EUR?", ("450",)),
        ("What fee is due to Petra Lind in USD, and how many people listen to Night Owls?",
         ("330", "9400")),
        ("To what time does Night Owls move by the plan? Cite the plan.", ("23:30",)),
    ),
)  # fmt: skip
