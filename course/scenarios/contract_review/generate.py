"""Makes a legal department's files from a seed: contracts, clauses, amendments, invoices, rules.

An amendment replaces a clause, so a contract's own text may be out of date; and in one contract
the clause on liability is missing altogether.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from course.scenarios.contract_review import names
from course.scenarios.contract_review.texts import documents
from course.scenarios.dice import Dice
from course.scenarios.world.world import Content, Rows, World

TODAY = World.today
PLAYBOOK = (
    ("notice", "notice of termination between 30 and 90 days", 30, 90),
    ("payment", "payment within 30 to 60 days of the invoice", 30, 60),
    ("liability", "liability capped at 12 or more monthly fees", 12, None),
    ("interest", "interest on late payment of at most 8 % a year", None, 8),
    ("law", "law of the Netherlands, Ireland or Germany", None, None),
)


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract with its terms as signed and as amended; a topic may be missing."""

    id: str
    partner: str
    kind: str
    about: str
    signed: date
    ends: date
    fee: int
    terms: dict[str, str]
    amended: dict[str, str]
    amended_on: date


def make_files(seed: int) -> Content:
    """The rows and documents of the files that belong to `seed`."""
    dice = Dice(seed)
    contracts = _contracts(dice)
    terms = [
        (c.id, topic, version, value)
        for c in contracts
        for version, values in ((1, c.terms), (2, c.amended))
        for topic, value in values.items()
    ]
    rows: dict[str, Rows] = {
        "contracts": [
            (c.id, c.partner, c.kind, c.signed.isoformat(), c.ends.isoformat(), c.fee)
            for c in contracts
        ],
        "terms": terms,
        "invoices": _invoices(dice, contracts),
        "playbook": PLAYBOOK,
    }
    return Content(rows, documents(dice, contracts, PLAYBOOK))


def _contracts(dice: Dice) -> tuple[Contract, ...]:
    partners = dice.some(names.PARTNERS, len(names.KINDS))
    return tuple(
        _contract(dice, place, partner, kind)
        for place, (partner, kind) in enumerate(zip(partners, names.KINDS, strict=True))
    )


def _contract(dice: Dice, place: int, partner: str, kind: tuple[str, str]) -> Contract:
    signed = date(2021, 1, 4) + timedelta(days=dice.number(0, 1100))
    terms = {
        "notice": str(dice.pick((30, 45, 60, 90, 120, 180))),
        "payment": str(dice.pick((14, 30, 45, 60))),
        "liability": str(dice.pick((3, 6, 12, 18, 24))),
        "interest": str(dice.pick((5, 6, 8, 9, 11))),
        "law": dice.pick((*names.LAWS, *names.FOREIGN)),
    }
    if place == 5:
        del terms["liability"]
    amended = {}
    if place % 2:
        amended["notice"] = str(dice.number(31, 110))
    if place in (3, 4):
        amended["payment"] = str(dice.number(16, 75))
    return Contract(
        id=f"CT-{101 + place}",
        partner=partner,
        kind=kind[0],
        about=kind[1],
        signed=signed,
        ends=TODAY + timedelta(days=dice.number(240, 520)),
        fee=dice.number(18, 240) * 50,
        terms=terms,
        amended=amended,
        amended_on=date(2025, dice.number(1, 12), dice.number(1, 28)),
    )


def _invoices(dice: Dice, contracts: tuple[Contract, ...]) -> Rows:
    rows: list[tuple[str, str, str, float, str | None]] = []
    for contract in contracts:
        days = int((contract.terms | contract.amended)["payment"])
        late = dice.number(0, 2)
        for number in range(6):
            issued = date(2025, 7 + number, dice.number(1, 9))
            paid = issued + timedelta(days=days + (dice.number(20, 60) if number == late else -3))
            shown = paid.isoformat() if paid <= TODAY else None
            id = f"INV-{4001 + len(rows)}"
            rows.append((id, contract.id, issued.isoformat(), float(contract.fee), shown))
    return rows
