"""Made-up domains whose workers need what others know: a harbour, a chain of bakeries.

Their requests are like the hard ones of the project: an argument that only another worker's tool
yields, calculations of several steps, a ranking, a comparison under several aspects with a gap.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from course.errors import ToolError
from tests.policy.crews import Crew, Year, one_of, shelf, worker

# --- a harbour --------------------------------------------------------------------------------

SHIPS = {
    "V-11": ("Northern Gull", 8200, "East Quay"),
    "V-12": ("Amber Wake", 14600, "Long Pier"),
    "V-13": ("Saint Odile", 5300, "East Quay"),
}
CALLS = {
    ("Northern Gull", 2024): 31,
    ("Northern Gull", 2025): 38,
    ("Amber Wake", 2024): 12,
    ("Amber Wake", 2025): 9,
    ("Saint Odile", 2025): 22,
}
DEPTHS = {"East Quay": 9.4, "Long Pier": 13.1}
NAMES = tuple(name for name, _, _ in SHIPS.values())
Ship = Annotated[str, Field(description="the ship's name")]


def get_ship(ship: Ship) -> dict[str, Any]:
    """Get a ship's number, its gross tonnage, and the berth where it lies."""
    name = one_of(ship, NAMES, "ship")
    id, row = next((i, r) for i, r in SHIPS.items() if r[0] == name)
    return {"ship": name, "number": id, "gross_tonnage": row[1], "berth": row[2]}


def count_calls(ship: Ship, year: Year = None) -> dict[str, Any]:
    """Count how often a ship called at the port in a year."""
    name = one_of(ship, NAMES, "ship")
    years = [y for n, y in CALLS if n == name]
    if year is None:
        raise ToolError(f"calls of {name} are counted by the year: give year, from 2024 to 2025")
    if year not in years:
        raise ToolError(f"no calls of {name} are recorded for {year}, only for {years[0]}")
    return {"ship": name, "year": year, "calls": CALLS[name, year]}


def compute_port_dues(
    gross_tonnage: Annotated[float, Field(gt=0, description="the ship's gross tonnage")],
    days: Annotated[int, Field(gt=0, description="how many days it stays")],
    currency: Annotated[Literal["EUR", "NOK"] | None, Field(description="of the dues")] = None,
) -> dict[str, Any]:
    """Calculate the port dues for a stay from the gross tonnage."""
    if currency is None:
        raise ToolError("dues are paid in two currencies: give currency='EUR' or currency='NOK'")
    dues = gross_tonnage * days * 0.05
    return {"dues": round(dues if currency == "EUR" else dues * 11.5, 2), "currency": currency}


def rank_ships_by_waiting(
    month: Annotated[str | None, Field(description="the month, such as 2025-06")] = None,
) -> dict[str, Any]:
    """Rank the ships by the hours that they waited for a berth, the longest first."""
    if month is None:
        raise ToolError("waiting is counted by the month: give month, such as month='2025-06'")
    rows = [("Amber Wake", 41), ("Saint Odile", 17), ("Northern Gull", 6)]
    return {"month": month, "ships": [{"ship": n, "hours_waited": h} for n, h in rows]}


def get_depth(
    berth: Annotated[str, Field(description="the name of the berth")],
) -> dict[str, Any]:
    """Get the depth of water at a berth, in metres."""
    name = one_of(berth, tuple(DEPTHS), "berth")
    return {"berth": name, "depth_m": DEPTHS[name]}


HARBOUR = Crew(
    "harbour",
    (
        worker("registry", "looks up ships and counts their calls", get_ship, count_calls),
        worker("cashier", "calculates port dues of ships", compute_port_dues),
        worker("harbourmaster", "ranks ships by waiting, and knows the depth at berths",
               rank_ships_by_waiting, get_depth),
        worker("inspector", "searches and reads inspection reports and notices", *shelf({
            "N-61": ("Northern Gull", "Inspection report on the Northern Gull: lifeboats leak."),
            "N-62": ("Amber Wake", "Inspection report on the Amber Wake: hull cleaned 2025-03-04."),
            "N-63": ("Saint Odile", "Inspection report on the Saint Odile: engine oil was lost."),
            "N-64": ("East Quay", "Notice: the crane on East Quay rests until 2025-08-20."),
        })),
    ),
    (
        ("How often did the Amber Wake call at the port in 2024?", ("12",)),
        ("What are the port dues in EUR of the Northern Gull for a stay of 3 days?", ("1230",)),
        ("How deep is the water at the berth of the Saint Odile, and what did the inspection "
         "report find on it? Cite the report.", ("9.4", "engine oil", "N-63")),
        ("Which ship waited longest for a berth in June 2025, for how many hours, and what are "
         "its port dues for 2 days in NOK?", ("Amber Wake", "41", "16790")),
        ("Compare the Northern Gull, the Amber Wake and the Saint Odile: calls in 2024, calls in "
         "2025, and port dues in EUR for a stay of 4 days. Cite the inspection reports and say "
         "what is missing.",
         ("31", "38", "12", "9", "22", "1640", "2920", "1060", "no calls of saint odile", "N-61",
          "N-62", "N-63")),
        ("Prepare the stay of the Northern Gull: its gross tonnage, the depth at its berth, the "
         "dues in EUR for 5 days, until when the crane there rests, and its calls in 2025.",
         ("8200", "9.4", "2050", "2025-08-20", "38")),
    ),
)  # fmt: skip

# --- a chain of bakeries ----------------------------------------------------------------------

SHOPS = ("Mill Lane", "Castle Street", "Harbour Gate")
TAKINGS = {
    ("Mill Lane", "2025-04"): 31200,
    ("Castle Street", "2025-04"): 28750,
    ("Harbour Gate", "2025-04"): 19400,
    ("Mill Lane", "2025-05"): 33540,
    ("Castle Street", "2025-05"): 27025,
}
FLOUR = {"Rye loaf": 620, "Sour roll": 85, "Plum cake": 340}
MANAGERS = {"Mill Lane": "Irma Voss", "Castle Street": "Pavel Duda", "Harbour Gate": "Lena Ott"}
HOURS = {"Irma Voss": 1720, "Pavel Duda": 1585, "Lena Ott": 1640}
Shop = Annotated[str, Field(description="the shop's name")]
Month = Annotated[str | None, Field(description="the month, such as 2025-05")]
Product = Annotated[str, Field(description="the product's name, such as Rye loaf")]


def sum_takings(shop: Shop, month: Month = None) -> dict[str, Any]:
    """Add up the takings of a shop in a month, in EUR."""
    name = one_of(shop, SHOPS, "shop")
    if month is None:
        raise ToolError("takings are kept by the month: give month, 2025-04 or 2025-05")
    if (name, month) not in TAKINGS:
        raise ToolError(f"no takings of {name} are recorded for {month}: name them as missing")
    return {"shop": name, "month": month, "takings_euro": TAKINGS[name, month]}


def get_manager(shop: Shop) -> dict[str, Any]:
    """Get who manages a shop."""
    name = one_of(shop, SHOPS, "shop")
    return {"shop": name, "manager": MANAGERS[name]}


def count_hours(
    employee: Annotated[str, Field(description="first and last name of the employee")],
) -> dict[str, Any]:
    """Count the hours that an employee worked this year."""
    name = one_of(employee, tuple(HOURS), "employee")
    return {"employee": name, "hours": HOURS[name]}


def compute_flour(
    product: Product,
    pieces: Annotated[int | None, Field(description="how many pieces are baked")] = None,
) -> dict[str, Any]:
    """Calculate how many kilograms of flour a product needs."""
    name = one_of(product, tuple(FLOUR), "product")
    if pieces is None:
        raise ToolError("it depends on how many are baked: give pieces")
    return {"product": name, "pieces": pieces, "flour_kg": round(FLOUR[name] * pieces / 1000, 1)}


def compare_offers(
    kilograms: Annotated[float | None, Field(description="how much flour is ordered")] = None,
) -> dict[str, Any]:
    """Compare the offers of mills for flour, in EUR a kilogram, the cheapest first."""
    if kilograms is None:
        raise ToolError("mills offer by weight: give kilograms")
    rows = [("Weir Mill", 0.61, 100), ("Old Dam", 0.68, 20), ("Stone Wheel", 0.74, 1)]
    fit = [{"mill": n, "euro_per_kg": p} for n, p, least in rows if kilograms >= least]
    return {"kilograms": kilograms, "offers": fit}


BAKERIES = Crew(
    "bakeries",
    (
        worker("tills", "adds up the takings of shops", sum_takings),
        worker("staff office", "knows the managers of shops, and counts hours of employees",
               get_manager, count_hours),
        worker("recipes", "calculates how much flour products need", compute_flour),
        worker("purchasing", "compares offers of mills for flour", compare_offers),
        worker("letters", "searches and reads letters of guests and visits of the health office",
               *shelf({
                   "N-71": ("Mill Lane", "Visit of the health office at Mill Lane: no complaint."),
                   "N-72": ("Castle Street", "Visit of the health office at Castle Street: a "
                            "fridge stood at 9 degrees."),
                   "N-73": ("Harbour Gate", "Letter: a guest at Harbour Gate wants bread without "
                            "nuts."),
               })),
    ),
    (
        ("How much did Castle Street take in May 2025, in EUR?", ("27025",)),
        ("How much flour do 250 pieces of the Rye loaf need?", ("155",)),
        ("Which mill has the cheapest offer for the flour of 400 pieces of the Sour roll, at which "
         "price per kilogram in EUR?", ("Old Dam", "0.68")),
        ("Who manages Harbour Gate, and how many hours did that employee work this year?",
         ("Lena Ott", "1640")),
        ("Compare Mill Lane, Castle Street and Harbour Gate: takings in April 2025 and in May 2025 "
         "in EUR, and the hours of the manager. Say what is missing.",
         ("31200", "33540", "28750", "27025", "19400", "1720", "1585", "1640",
          "no takings of harbour gate")),
        ("Review Castle Street for the board: its takings in May 2025, its manager and the hours "
         "of the manager, what the health office found there, and the flour for 90 pieces of the "
         "Plum cake. Cite the visits of the health office.",
         ("27025", "Pavel Duda", "1585", "9 degrees", "30.6", "N-72")),
    ),
)  # fmt: skip
