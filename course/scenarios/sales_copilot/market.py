"""What was sold in two years, and what those who visit customers wrote about it, from a seed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from course.scenarios.dice import Dice
from course.scenarios.world.world import Content, Draft, World, numbered

PRODUCTS = {"Lumina": 480, "Tessera": 1250, "Orbis": 310, "Vantage": 2100}  # EUR about which
REGIONS = ("North", "South", "East", "West")
YEARS, QUARTERS = (2024, 2025), ("Q1", "Q2", "Q3", "Q4")
CUSTOMERS = """Alder Bakery;Birch Hospital;Cedar Hotels;Dune Logistics;Elm Schools;Fjord Foods
Grove Pharmacy;Harbour Marina;Ivy Textiles;Juniper Bank;Kestrel Air;Larch Timber"""
THEMES = (  # what a visit was about, in two ways of saying it
    ("The last three deliveries came late; the warehouse stood still for a week.",
     "Shipments keep arriving after the agreed day, and they are losing patience with the delays."),
    ("They find the price too high: Brightline offers the same for 15 percent less.",
     "A competitor, Brightline, undercuts us, and the purchasing manager asks for a discount."),
    ("Their staff want a training course before they use it in a second building.",
     "New employees cannot operate it: they ask for a day of training on site."),
    ("Two of the displays broke within a month and had to be repaired.",
     "The displays are faulty; they sent several of them back for repair."),
    ("They are delighted, and plan to open four more sites with it next year.",
     "Very satisfied: they will expand to new sites and want an offer for those."),
    ("Their budget was cut in half; nothing will be ordered before summer.",
     "No money this season: the board has frozen the budget for purchases."),
)  # fmt: skip
WRONG = 3
"""Reports that give a revenue that is not in the books."""


class Market(World):
    """Four products in four regions over eight quarters, and a report of each visit."""

    @staticmethod
    def make(seed: int) -> Content:
        """The rows and reports that belong to a seed."""
        dice = Dice(seed)
        sales = [
            (product, region, year, quarter, units, units * (price + 10 * dice.number(-4, 4)))
            for product, price in PRODUCTS.items() for region in REGIONS
            for year in YEARS for quarter in QUARTERS
            for units in (dice.number(20, 260),)
        ]  # fmt: skip
        return Content({"sales": sales}, numbered(_reports(dice, sales)))


def _reports(dice: Dice, sales: list[tuple[str, str, int, str, int, int]]) -> Iterator[Draft]:
    """One report a customer; the first few state a revenue, of which `WRONG` are wrong."""
    names = CUSTOMERS.replace("\n", ";").split(";")
    recent = [row for row in sales if row[2] == YEARS[-1]]
    for n, (name, place) in enumerate(
        zip(dice.some(names, 12), dice.some(recent, 12), strict=True)
    ):
        product, region, year, quarter, _, revenue = place
        body = f"Visited {name} in the {region} about {product}. {THEMES[n % 6][n // 6]}"
        if n <= WRONG:
            told = revenue if n == WRONG else round(revenue * 14 // 10, -3)
            body += (
                f" I told them that the revenue of {product} in the {region} in {quarter} {year}"
            )
            body += f" was {told:,} EUR."
        yield f"Visit to {name}", "visit report", name, date(2026, 1, 5 + 2 * n), body
