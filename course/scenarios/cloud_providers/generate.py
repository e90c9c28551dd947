"""Makes cloud providers from a seed: six with two years of figures, and articles about each.

One article of each world has a figure of its own, which is not the market's: who calculates with
it is wrong.
"""

from __future__ import annotations

from datetime import date, timedelta

from course.scenarios.dice import Dice
from course.scenarios.world.world import Content, Draft, numbered

YEAR = 2025
_NAMES = (
    "Aldergate Cloud", "Brightwave Compute", "Corvid Systems", "Dunmore Hosting",
    "Eastlight Cloud", "Fernhill Networks", "Greyrock Data", "Harbourline Cloud",
)  # fmt: skip
_STRENGTHS = (
    "training large models", "storage at low prices", "data centres close to factories",
    "services for hospitals", "databases that run anywhere", "tools for small teams",
)  # fmt: skip
_WEAKNESSES = (
    "few regions in Asia", "prices that rose twice", "a long outage in spring",
    "no chips of its own", "support that answers slowly", "contracts that are hard to leave",
)  # fmt: skip


def make_providers(seed: int) -> Content:
    """The rows and articles of the providers that belong to `seed`."""
    dice = Dice(seed)
    names = dice.some(_NAMES, 6)
    strengths, weaknesses = dice.some(_STRENGTHS, 6), dice.some(_WEAKNESSES, 6)
    caps = sorted((dice.number(900, 29000) / 10 for _ in names), reverse=True)
    rows, drafts = [], list[Draft]()
    for place, (name, now) in enumerate(zip(names, caps, strict=True)):
        before = round(now / (1 + dice.number(-140, 420) / 1000), 1)
        rows.append((place + 1, name, round(now, 1), before))
        day = date(YEAR, 9, 1) + timedelta(days=dice.number(0, 80))
        told = (
            f"Among cloud providers the competitive positioning of {name} rests on "
            f"{strengths[place]}; what holds it back is {weaknesses[place]}."
        )
        drafts.append((f"Positioning of {name}", "article", name, day, told))
    rumour = rows[dice.number(0, 2)]
    value = f"{rumour[2] * 1.1:,.0f}"
    told = f"A broker believes that {rumour[1]} is worth {value} billion; the market does not."
    drafts.append((f"A rumour about {rumour[1]}", "article", rumour[1], date(YEAR, 12, 1), told))
    return Content({"providers": rows}, numbered(drafts))
