"""Makes three product launches from a seed: plans, budgets, bills, quotes, risks, documents.

Bills and quotes come in several currencies; the cheapest quote has expired and the next one asks
for more units than anybody wants; one risk was never estimated; and the retailers were told
another day than the one that was agreed with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from course.scenarios.dice import Dice
from course.scenarios.product_launch import names
from course.scenarios.product_launch.texts import documents
from course.scenarios.world.world import Content, Rows

PRODUCTS = 3
BILLS = 24  # of each product, in each year
_Row = tuple[Any, ...]


def make_launches(seed: int) -> Content:
    """The rows and the documents of the launches that belong to `seed`."""
    dice = Dice(seed)
    products = [
        _product(dice, f"L-{n}", name)
        for n, name in enumerate(dice.some(names.PRODUCTS, PRODUCTS), start=1)
    ]
    ids = [str(row[0]) for row in products]
    suppliers = dice.some(names.SUPPLIERS, 4)
    prices = {row[0]: row[4] for row in products}
    tasks = list(_tasks(dice, ids))
    rows: dict[str, Rows] = {
        "products": products,
        "holidays": [(country, day) for country, days in names.HOLIDAYS.items() for day in days],
        "tasks": tasks,
        "dependencies": list(_dependencies(tasks)),
        "rates": list(_rates(dice)),
        "budgets": list(_budgets(dice, ids)),
        "spending": [(n, *row) for n, row in enumerate(_spending(dice, ids), start=1)],
        "quotes": [row for id in ids for row in _quotes(dice, id, prices[id], suppliers)],
        "risks": [(n, *row) for n, row in enumerate(_risks(dice, ids), start=1)],
    }
    return Content(rows, documents(dice, rows))


def _product(dice: Dice, id: str, name: str) -> _Row:
    starts = date(2026, 7, 6) + timedelta(days=7 * dice.number(0, 7) + dice.number(0, 4))
    promised = starts + timedelta(days=7 * dice.number(13, 18))
    price, order = dice.number(70, 190) - 0.05, 9000 + 100 * dice.number(0, 80)
    return id, name, starts.isoformat(), promised.isoformat(), price, order


def _tasks(dice: Dice, ids: list[str]) -> Iterator[_Row]:
    for place, id in enumerate(ids, start=1):
        for number, (name, shortest, longest, _) in enumerate(names.TASKS, start=1):
            yield f"A-{100 * place + number}", id, name, dice.number(shortest, longest)


def _dependencies(tasks: list[_Row]) -> Iterator[_Row]:
    by_name = {(product, name): id for id, product, name, _ in tasks}
    for id, product, name, _ in tasks:
        [before] = [before for each, _, _, before in names.TASKS if each == name]
        for each in before:
            yield id, by_name[product, each]


def _rates(dice: Dice) -> Iterator[_Row]:
    for currency, rate in names.RATES.items():
        for year in names.YEARS:
            yield currency, year, rate if rate == 1 else round(rate * dice.number(96, 104) / 100, 4)


def _budgets(dice: Dice, ids: list[str]) -> Iterator[_Row]:
    for id in ids:
        for year in names.YEARS:
            for category in names.CATEGORIES:
                yield id, year, category, 5000.0 * dice.number(16, 44)


def _spending(dice: Dice, ids: list[str]) -> Iterator[_Row]:
    """Bills over the whole of 2025 and the months of 2026 until today."""
    for id in ids:
        for year, days in ((2025, 360), (2026, 160)):
            for _ in range(BILLS):
                currency = dice.pick(tuple(names.RATES))
                amount = dice.number(400_000, 2_200_000) / 100 / names.RATES[currency]
                day = date(year, 1, 2) + timedelta(days=dice.number(0, days))
                category = dice.pick(names.CATEGORIES)
                yield id, category, day.isoformat(), round(amount, 2), currency


def _quotes(dice: Dice, id: str, price: float, suppliers: list[str]) -> Iterator[_Row]:
    """The cheapest has expired, the next wants too many units, and then there is a choice."""
    order = dice.some(suppliers, len(suppliers))
    share = dice.number(22, 28)  # of the price, in percent
    for place, supplier in enumerate(order):
        currency = dice.pick(tuple(names.RATES))
        euro = price * (share + 4 * place) / 100
        least = 50_000 if place == 1 else 1000 * dice.number(1, 8)
        valid = date(2026, 4, 30) if place == 0 else date(2026, 9, 30)
        lead = dice.number(25, 75)
        unit = round(euro / names.RATES[currency], 2)
        yield id, supplier, unit, currency, least, lead, valid.isoformat()


def _risks(dice: Dice, ids: list[str]) -> Iterator[_Row]:
    for id in ids:
        drawn = dice.some(names.RISKS, 4)
        for place, name in enumerate(drawn):
            cost = None if place == 3 else 1000.0 * dice.number(40, 400)
            yield id, name, float(5 * dice.number(1, 9)), cost
