"""Makes a provider's customers and lines from a seed: the same seed, the same database.

Eighty lines in six areas. Most work; every kind of fault occurs at least twice, and one area has
an outage, which no remedy on a line can end.
"""

from __future__ import annotations

from course.scenarios.dice import Dice
from course.scenarios.shared import FIRST_NAMES, LAST_NAMES
from course.scenarios.world.world import Content, Rows

CUSTOMERS = 80
OF_EACH_FAULT = 4
AREAS = ("Harbour", "Hillside", "Mill Quarter", "Old Town", "Riverside", "Station")
FAULTS = ("router", "wifi", "port", "profile", "cable")
PLANS = (50, 100, 250, 500)
ROUTERS = ("Beacon 2", "Beacon 3", "Lantern X")
OUTAGES = ("a cut trunk cable", "a power failure in the exchange", "a fault in the core router")


def make_network(seed: int) -> Content:
    """The rows of the provider that belongs to `seed`."""
    dice = Dice(seed)
    dark = dice.pick(AREAS)
    areas = tuple(
        (name, dice.pick(OUTAGES), f"{dice.number(13, 20)}:00") if name == dark
        else (name, None, None)
        for name in AREAS
    )  # fmt: skip
    everyone = [(first, last) for first in FIRST_NAMES for last in LAST_NAMES]
    people = dice.some(everyone, CUSTOMERS)
    customers = tuple(
        (f"C-{101 + place}", first, last, dice.pick(AREAS))
        for place, (first, last) in enumerate(people)
    )
    lines = _lines(dice, customers, dark)
    return Content({"areas": areas, "customers": customers, "lines": lines})


def _lines(dice: Dice, customers: Rows, dark: str) -> Rows:
    """One line for each customer; what is broken on them, only where there is no outage."""
    lit = [place for place, customer in enumerate(customers) if customer[3] != dark]
    broken = dice.some(lit, OF_EACH_FAULT * len(FAULTS))
    fault = {place: FAULTS[number % len(FAULTS)] for number, place in enumerate(broken)}
    return tuple(
        (
            f"L-{2001 + place}",
            customer[0],
            dice.pick(PLANS),
            dice.pick(ROUTERS),
            dice.number(1, 48),
            fault.get(place),
        )
        for place, customer in enumerate(customers)
    )
