"""Makes the book of a portfolio manager from a seed: clients, holdings, prices and documents.

Prices are quoted in euros, dollars or pence; each portfolio has drifted from its targets, and
one security was not traded for a month.
"""

from __future__ import annotations

from dataclasses import dataclass

from course.scenarios.dice import Dice
from course.scenarios.portfolio import names
from course.scenarios.portfolio.texts import Mandate, documents
from course.scenarios.world.world import Content, Rows

MONTHS = tuple(f"{year}-{month:02d}" for year in (2024, 2025) for month in range(1, 13))
MONTHS = (*MONTHS, "2026-01", "2026-02")
SUSPENDED = "2025-06"


@dataclass(frozen=True, slots=True)
class Security:
    """A security with its closing prices by month, as it is quoted."""

    symbol: str
    name: str
    asset_class: str
    quoted: str
    prices: dict[str, float]


def make_book(seed: int) -> Content:
    """The rows and documents of the book that belongs to `seed`."""
    dice = Dice(seed)
    rates = _rates(dice)
    securities = _securities(dice)
    clients = dice.some(names.CLIENTS, len(names.TARGETS))
    targets = dice.some(names.TARGETS, len(clients))
    mandates = [
        Mandate(
            client=client,
            targets=dict(target),
            band=dice.number(4, 5),
            amended=3 if place % 2 else None,
            excluded=dice.pick(securities).name,
        )
        for place, (client, target) in enumerate(zip(clients, targets, strict=True))
    ]
    held = [_holdings(dice, mandate, securities, rates) for mandate in mandates]
    ids = [f"C-{place + 1}" for place in range(len(clients))]
    rows: dict[str, Rows] = {
        "clients": [
            (id, m.client, cash) for id, m, (cash, _) in zip(ids, mandates, held, strict=True)
        ],
        "securities": [(s.symbol, s.name, s.asset_class, s.quoted) for s in securities],
        "holdings": [
            (id, symbol, shares)
            for id, (_, lots) in zip(ids, held, strict=True)
            for symbol, shares in lots.items()
        ],
        "targets": [
            (id, name, share)
            for id, mandate in zip(ids, mandates, strict=True)
            for name, share in mandate.targets.items()
        ],
        "prices": [
            (s.symbol, month, close) for s in securities for month, close in s.prices.items()
        ],
        "rates": [(currency, month, rate) for (currency, month), rate in rates.items()],
    }
    texts = documents(dice, mandates, [s.name for s in securities], securities[3].name)
    return Content(rows, texts)


def _rates(dice: Dice) -> dict[tuple[str, str], float]:
    rates = {}
    for currency, rate in (("USD", 0.92), ("GBP", 1.16)):
        for month in MONTHS:
            rate *= 1 + dice.number(-14, 14) / 1000
            rates[currency, month] = round(rate, 4)
    return rates


def _securities(dice: Dice) -> list[Security]:
    chosen = dice.some(names.SECURITIES, len(names.KINDS))
    return [
        Security(symbol, name, kind, quoted, _prices(dice, quoted, gap=place == 3))
        for place, ((symbol, name), (kind, quoted)) in enumerate(
            zip(chosen, names.KINDS, strict=True)
        )
    ]


def _prices(dice: Dice, quoted: str, *, gap: bool) -> dict[str, float]:
    price = dice.number(300, 1900) / (1 if quoted == "GBX" else 10)
    prices = {}
    for month in MONTHS:
        price *= 1 + dice.number(-48, 62) / 1000
        if not (gap and month == SUSPENDED):
            prices[month] = round(price, 2)
    return prices


def _holdings(
    dice: Dice, mandate: Mandate, securities: list[Security], rates: dict[tuple[str, str], float]
) -> tuple[float, dict[str, int]]:
    """Cash and shares: two asset classes are off their targets by more than any band."""
    worth = dice.number(400, 1600) * 1000
    up, down = dice.some(("equities", "bonds"), 2)
    shift = {up: dice.number(62, 95) / 10, down: -dice.number(62, 95) / 10}
    lots: dict[str, int] = {}
    for name in names.CLASSES:
        euros = worth * (mandate.targets[name] + shift.get(name, dice.number(-9, 9) / 10)) / 100
        members = [s for s in securities if s.asset_class == name]
        bought = dice.some(members, dice.number(2, len(members)))
        for security in bought:
            price = euro_price(security.quoted, security.prices[MONTHS[-1]], MONTHS[-1], rates)
            lots[security.symbol] = round(euros / len(bought) / price)
    return round(worth * mandate.targets["cash"] / 100, 2), lots


def euro_price(quoted: str, close: float, month: str, rates: dict[tuple[str, str], float]) -> float:
    """A closing price in EUR at the rate of its month; GBX is pence."""
    if quoted == "EUR":
        return close
    if quoted == "GBX":
        return close / 100 * rates["GBP", month]
    return close * rates[quoted, month]
