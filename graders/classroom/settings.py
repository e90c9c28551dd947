"""The rules of a class, as data: `class.toml`, written by the instructor."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from course.errors import ConfigurationError
from graders.chapters import named, released
from graders.records.report import Partial

FILE = "class.toml"
Percent = Annotated[float, Field(ge=0, le=100)]
Counts = Literal["last", "first", "last-before-due", "best"]


@dataclass(frozen=True, slots=True)
class Late:
    """What lateness costs. Without a line of it, nothing.

    Attributes:
        percent_per_day: taken off for each started day, of the points earned.
        cap: at most so many percent.
        grace_minutes: nothing is taken off up to so many.
        credit_days: so many late days over all chapters cost nothing, the earliest first.
    """

    percent_per_day: Percent = 0.0
    cap: Percent = 100.0
    grace_minutes: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    credit_days: Annotated[int, Field(ge=0)] = 0


@dataclass(frozen=True, slots=True)
class Settings:
    """The rules of a class.

    Attributes:
        partial: what earns points by itself: each "trial", or a whole "exercise".
        attempts: which of several counts; with "best" all are judged, and the one with the most
            points after lateness counts.
        late: what lateness costs.
        due: for each chapter the time at which it is due, with its time zone. Its number
            will do for its name.
        columns: for each chapter the heading of its column in the LMS's file.
        gradebook: the database that nbgrader's gradebook is, as SQLAlchemy has it, such as
            "postgresql+pg8000://ada:$PASSWORD@db.uni/grades"; the file in build/ when empty. Names
            of environment variables in it are replaced.
    """

    partial: Partial = "trial"
    attempts: Counts = "last"
    late: Late = Late()
    due: Mapping[str, datetime] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    gradebook: str = ""


_READER = TypeAdapter(Settings)


def settings(path: Path) -> tuple[Settings, list[str]]:
    """The rules in a file, and a line for each thing in it that is not known and was left out.

    Raises:
        ConfigurationError: it is no TOML, or values are of the wrong kind; all that is wrong, and
            what is not known beside it, in one line.
    """
    if not path.exists():
        return Settings(), []
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as trouble:
        raise ConfigurationError(f"{path}: {trouble}") from None
    odd = _unknown(table, Settings, path.name)
    odd += _unknown(table.get("late", {}), Late, f"{path.name} [late]")
    for name in ("due", "columns"):
        odd += _by_chapter(table, name, path.name)
    made, faults = None, list[str]()
    try:
        made = _READER.validate_python(table)
    except ValidationError as trouble:
        faults += [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in trouble.errors()]
    due = table.get("due")
    faults += [
        f"due.{name} has no time zone: write 2026-11-20T23:59:00+01:00"
        for name, time in (due.items() if isinstance(due, dict) else ())
        if _is_naive(time)
    ]
    if made is None or faults:
        raise ConfigurationError("; ".join([*(f"{path}: {each}" for each in faults), *odd]))
    return made, odd


def _is_naive(time: Any) -> bool:
    """Whether it is a day, or a time without its zone, as TOML or a text has it."""
    if isinstance(time, str):
        try:
            time = datetime.fromisoformat(time)
        except ValueError:  # no time at all, which is told as that
            return False
    return isinstance(time, date) and getattr(time, "tzinfo", None) is None


def _by_chapter(table: dict[str, Any], name: str, place: str) -> list[str]:
    """Write chapters in full, take out those that there are not, and say so."""
    told = table.get(name)
    if not isinstance(told, dict):
        return []
    table[name] = {named(key): value for key, value in told.items() if named(key)}
    listed = [each.name for each in released()]
    return [
        f"{place} [{name}]: there is no chapter '{key}', so it was left out"
        + "".join(f": do you mean '{near}'?" for near in difflib.get_close_matches(key, listed, 1))
        for key in told
        if not named(key)
    ]


def _unknown(table: Any, kind: type, place: str) -> list[str]:
    """Take out what the kind has no field for, and say so."""
    if not isinstance(table, dict):
        return []
    names = [each.name for each in fields(kind)]
    odd = []
    for name in [name for name in table if name not in names]:
        del table[name]
        near = difflib.get_close_matches(name, names, 1)
        hint = f"do you mean '{near[0]}'?" if near else f"it may have {', '.join(names)}"
        odd.append(f"{place}: there is no '{name}', so it was left out: {hint}")
    return odd
