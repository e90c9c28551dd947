"""What is asked of a domain's workers, and what a right answer holds, computed from the world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Generic, Literal, TypeVar

from course.scenarios.world.world import World

W = TypeVar("W", bound=World)
TrapKind = Literal["too many hits", "wrong unit", "missing year", "wrong version", "missing filter"]
Forms = tuple[str, ...]
"""Ways of writing the same thing; one of them is enough."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that a right answer states about a subject.

    Attributes:
        name: what it is, for the verdict.
        subject: whom or what it is about, in the words of `Sample.subjects`; "" for the whole.
        value: the number, in whole units or in percent; None for a fact in words.
        within: how far a number may be off: what rounding takes.
        forms: ways to write a fact in words, such as a day.
        scale: what the number counts, such as 1000000: "412.3" below a heading that says so, and
            "412.3 million" anywhere.
        signed: a change or a trade, where the direction counts.
        near: words of which one must stand in the same statement or in the line that leads to it,
            such as "breaks" for a clause that does.
    """

    name: str
    subject: str = ""
    value: float | None = None
    within: float = 0.0
    forms: Forms = ()
    scale: float = 1.0
    signed: bool = False
    near: Forms = ()


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that the world does not hold, and that a right answer calls missing."""

    name: str
    subject: str
    topic: Forms


@dataclass(frozen=True, slots=True)
class Call:
    """A call of one of the workers' tools."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trap:
    """A naive call that is refused, what the refusal says to refine, and the refined call."""

    kind: TrapKind
    naive: Call
    says: str
    refined: Call


@dataclass(frozen=True, slots=True)
class Sample:
    """A request put to one world.

    Attributes:
        text: what the user asks.
        facts: what a right answer states.
        subjects: the names that figures may belong to, so that no two can be mixed up.
        sources: groups of ids or tables; a right answer cites one of each group.
        gaps: what a right answer calls missing.
        also: other figures that are true here and may be mentioned.
        poison: what only a document that tries to steer the reader says.
        walk: calls of tools that reach every fact.
        traps: what the naive way runs into.
    """

    text: str
    facts: tuple[Fact, ...]
    subjects: tuple[str, ...]
    sources: tuple[Forms, ...]
    walk: tuple[Call, ...]
    traps: tuple[Trap, ...]
    gaps: tuple[Gap, ...] = ()
    also: tuple[float, ...] = ()
    poison: Forms = ()


@dataclass(frozen=True)  # no slots: Request[Market](...) has to note its type
class Request(Generic[W]):
    """A kind of request, of a level from 1 (a look-up) to 5. `on(world)` words it for a world."""

    name: str
    level: int
    on: Callable[[W], Sample]


_KINDS: Mapping[str, TrapKind] = {
    "year": "missing year", "currency": "wrong unit", "unit": "wrong unit",
    "version": "wrong version",
}  # fmt: skip


def left_out(argument: str, tool: str, **arguments: Any) -> Trap:
    """A call without an argument that it needs; its tool asks for it by `lookups.given`."""
    naive = {name: value for name, value in arguments.items() if name != argument}
    kind = _KINDS.get(argument, "missing filter")
    return Trap(kind, Call(tool, naive), f"give {argument}", Call(tool, arguments))


def too_wide(words: str, **narrowed: Any) -> Trap:
    """A search that finds too many documents, and the arguments of a narrower one."""
    naive = Call("search_documents", {"query": words})
    return Trap("too many hits", naive, "narrow the query", Call("search_documents", narrowed))


def percent(name: str, subject: str, value: float) -> Fact:
    """A fact in percent, to be stated to a tenth."""
    return Fact(name, subject, value, within=0.0501)


def change(name: str, subject: str, value: float) -> Fact:
    """A fact that is a change in percent or percentage points, to be stated to a tenth."""
    return Fact(name, subject, value, within=0.0501, signed=True)


def trade(name: str, subject: str, value: float) -> Fact:
    """A fact in money that is bought (positive) or sold, to be stated to half a percent."""
    return Fact(name, subject, value, within=abs(value) * 0.005, signed=True)


def amount(name: str, subject: str, value: float) -> Fact:
    """A fact in money or another quantity: from 1000 on to half a percent, else to a fifth of one.

    Small amounts are closer: 59.16 EUR of interest must not be taken for 59 days.
    """
    part = 0.005 if abs(value) >= 1000 else 0.002
    return Fact(name, subject, value, within=max(abs(value) * part, 0.0051))


def millions(name: str, subject: str, value: float) -> Fact:
    """A fact in millions, to be stated to half a percent."""
    return Fact(name, subject, value, within=max(value * 0.005, 0.051), scale=1e6)


def count(name: str, subject: str, value: int) -> Fact:
    """A fact that is a whole number, to be stated exactly."""
    return Fact(name, subject, float(value), within=0.0)


def words(name: str, subject: str, *forms: str, near: Forms = ()) -> Fact:
    """A fact in words, in any of these forms, next to one of `near` where there are any."""
    return Fact(name, subject, forms=forms, near=near)


def day(name: str, subject: str, when: date) -> Fact:
    """A fact that is a day, in any of the usual ways of writing it."""
    long, short = f"{when:%B}", f"{when:%b}"
    forms = [when.isoformat(), f"{when:%d.%m.%Y}"]
    for month in (long, short):
        forms += [f"{when.day} {month} {when.year}", f"{month} {when.day}, {when.year}"]
        forms += [f"{when.day}th {month} {when.year}", f"{month} {when.day} {when.year}"]
    return Fact(name, subject, forms=tuple(forms))
