"""Makes a market from a seed: six companies, four years of figures, products, and documents.

Companies report in currencies and scales of their own, one of them keeps its research to itself,
and one has published an early figure that its annual report corrects.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from course.scenarios.competitive_intelligence import names
from course.scenarios.competitive_intelligence.texts import documents
from course.scenarios.dice import Dice
from course.scenarios.world.world import Content, Rows

YEARS = (2022, 2023, 2024, 2025)


@dataclass(frozen=True, slots=True)
class Product:
    """One row of products."""

    id: str
    company: str
    name: str
    segment: str
    launched: date
    price: int


@dataclass(frozen=True, slots=True)
class Company:
    """A company with all that is known of it; amounts are in its own currency and unit."""

    id: str
    name: str
    city: str
    currency: str
    unit: str
    revenue: dict[int, float]
    research: dict[int, float]
    employees: dict[int, int]
    segments: dict[tuple[str, int], float]
    products: tuple[Product, ...]
    site: str
    jobs: int
    early: float | None


def make_market(seed: int) -> Content:
    """The rows and documents of the market that belongs to `seed`."""
    dice = Dice(seed)
    rates = {
        (currency, year): rate if rate == 1 else round(rate * (0.97 + dice.number(0, 6) / 100), 4)
        for currency, rate in names.RATES.items()
        for year in YEARS
    }
    companies = _companies(dice, rates)
    rows: dict[str, Rows] = {
        "companies": [(c.id, c.name, c.city, c.currency, c.unit) for c in companies],
        "rates": [(currency, year, rate) for (currency, year), rate in rates.items()],
        "figures": [
            (c.id, year, metric, value)
            for c in companies
            for metric in ("revenue", "research", "employees")
            for year, value in getattr(c, metric).items()
        ],
        "segment_sales": [
            (c.id, *key, value) for c in companies for key, value in c.segments.items()
        ],
        "products": [
            (p.id, c.id, p.name, p.segment, p.launched.isoformat(), p.price)
            for c in companies
            for p in c.products
        ],
    }
    return Content(rows, documents(dice, companies))


def _companies(dice: Dice, rates: dict[tuple[str, int], float]) -> tuple[Company, ...]:
    count = len(names.REPORTING)
    called = dice.some(names.COMPANIES, count)
    products = dice.some(names.PRODUCTS, 3 * count)
    sites = dice.some(names.CITIES, count)
    silent, hasty = dice.some(range(count), 2)
    segments = dice.some(names.SEGMENTS, 3)
    return tuple(
        _company(
            dice,
            place,
            name=called[place],
            rates=rates,
            segments=segments,
            products=products[3 * place : 3 * place + 3],
            site=sites[place],
            silent=place == silent,
            hasty=place == hasty,
        )
        for place in range(count)
    )


def _company(
    dice: Dice,
    place: int,
    *,
    name: str,
    rates: dict[tuple[str, int], float],
    segments: list[str],
    products: list[str],
    site: str,
    silent: bool,
    hasty: bool,
) -> Company:
    currency, unit = names.REPORTING[place]
    id = f"K-{place + 1}"
    euros = _euro_millions(dice)
    scale = 1000 if unit == "thousand" else 1
    revenue = {
        year: round(euros[year] / rates[currency, year] * scale, 0 if scale == 1000 else 1)
        for year in YEARS
    }
    share = dice.number(30, 110) / 1000
    research = {
        year: round(amount * (share + dice.number(-8, 8) / 1000), 0 if scale == 1000 else 1)
        for year, amount in revenue.items()
        if not (silent and year == YEARS[-1])
    }
    staff = dice.number(900, 4800)
    return Company(
        id=id,
        name=name,
        city=dice.pick(names.CITIES),
        currency=currency,
        unit=unit,
        revenue=revenue,
        research=research,
        employees={y: staff + n * dice.number(-60, 210) for n, y in enumerate(YEARS)},
        segments=_segment_sales(dice, euros, segments),
        products=tuple(
            _product(dice, f"PR-{3 * place + n + 1}", name, each, segment)
            for n, (each, segment) in enumerate(zip(products, segments, strict=True))
        ),
        site=site,
        jobs=dice.number(13, 60) * 10,
        early=round(revenue[YEARS[-1]] * (1.04 + dice.number(0, 30) / 1000), 1) if hasty else None,
    )


def _euro_millions(dice: Dice) -> dict[int, float]:
    amount = dice.number(1800, 9400) / 10
    grown = {}
    for year in YEARS:
        grown[year] = round(amount, 1)
        amount *= 1 + dice.number(-70, 240) / 1000
    return grown


def _segment_sales(
    dice: Dice, euros: dict[int, float], segments: list[str]
) -> dict[tuple[str, int], float]:
    cuts = [dice.number(20, 60) for _ in segments]
    return {
        (segment, year): round(total * cut / (sum(cuts) + 15), 1)
        for year, total in euros.items()
        for segment, cut in zip(segments, cuts, strict=True)
    }


def _product(dice: Dice, id: str, company: str, name: str, segment: str) -> Product:
    launched = date(2023, 1, 9) + timedelta(days=dice.number(0, 1080))
    return Product(id, company, name, segment, launched, dice.number(39, 420) * 10 + 9)
