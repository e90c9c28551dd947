"""Makes a day at a drive-through from a seed: prices, what is sold out, and the cars ahead.

The menu has the same fifteen things every day; prices, extras' prices, what is sold out and the
orders before ours follow from the seed.
"""

from __future__ import annotations

from course.scenarios.dice import Dice
from course.scenarios.world.world import Content

SIZES = ("small", "medium", "large")
MENU: dict[str, tuple[str, int, bool, tuple[str, ...]]] = {
    # name: course, price in cents about which the day's price is drawn, sizes, extras
    "hamburger": ("main", 390, False, ("bacon", "cheese", "onions")),
    "cheeseburger": ("main", 440, False, ("bacon", "onions", "pickles")),
    "veggie burger": ("main", 490, False, ("cheese", "onions", "avocado")),
    "chicken wrap": ("main", 520, False, ("bacon", "avocado")),
    "chicken nuggets": ("main", 460, False, ("ketchup", "mayo")),
    "fries": ("side", 240, True, ("ketchup", "mayo")),
    "onion rings": ("side", 280, True, ("ketchup", "mayo")),
    "side salad": ("side", 330, False, ("avocado",)),
    "cola": ("drink", 210, True, ("ice",)),
    "lemonade": ("drink", 230, True, ("ice",)),
    "orange juice": ("drink", 260, True, ("ice",)),
    "coffee": ("drink", 220, True, ("milk",)),
    "milkshake": ("dessert", 340, True, ("cream",)),
    "apple pie": ("dessert", 250, False, ("cream",)),
    "ice cream": ("dessert", 190, False, ("sprinkles",)),
}
SOLD_OUT = 2  # things a day that are sold out by now, never two of one course
AHEAD = 6  # orders before ours today; the last two are not paid yet

_Rows = list[tuple[object, ...]]


def make_day(seed: int) -> Content:
    """The rows of the day that belongs to `seed`, by table."""
    dice = Dice(seed)
    gone = _sold_out(dice)
    prices = [row for name in MENU for row in _prices(dice, name)]
    rows: dict[str, _Rows] = {
        "items": [(name, course, int(name in gone)) for name, (course, *_) in MENU.items()],
        "prices": prices,
        "extras": _extras(dice),
        "meal": [(10 * dice.number(5, 15),)],
        **_cars_ahead(dice, prices),
    }
    return Content(rows)


def _sold_out(dice: Dice) -> set[str]:
    gone: dict[str, str] = {}
    for name in dice.some(list(MENU), len(MENU)):
        if len(gone) < SOLD_OUT:
            gone.setdefault(MENU[name][0], name)
    return set(gone.values())


def _prices(dice: Dice, name: str) -> _Rows:
    _, about, sizes, _ = MENU[name]
    cents = about + 10 * dice.number(-4, 4)
    if not sizes:
        return [(name, "", cents)]
    step = 10 * dice.number(4, 8)
    return [(name, size, cents + step * place) for place, size in enumerate(SIZES)]


def _extras(dice: Dice) -> _Rows:
    names = sorted({extra for *_, extras in MENU.values() for extra in extras})
    cents = {name: 10 * dice.number(2, 9) for name in names}
    return [(name, extra, cents[extra]) for name, (*_, extras) in MENU.items() for extra in extras]


def _cars_ahead(dice: Dice, prices: _Rows) -> dict[str, _Rows]:
    """The orders of the guests before ours, one line each; two of them have not paid yet."""
    first = dice.number(11, 60)
    orders: _Rows = []
    lines: _Rows = []
    payments: _Rows = []
    for number in range(first, first + AHEAD):
        item, size, cents = dice.pick(prices)
        quantity = dice.number(1, 3)
        orders.append((number, 0))
        lines.append((number, 1, item, size, quantity, cents))
        if number < first + AHEAD - 2:
            paying = dice.pick(("card", "cash"))
            payments.append((f"R-{number}", number, paying, quantity * int(str(cents))))
    return {"orders": orders, "order_lines": lines, "payments": payments}
