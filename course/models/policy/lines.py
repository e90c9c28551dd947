"""Lines: JSON values as short readable lines, with nothing added to them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from course.models.policy.words import content, human, name_stems

MOST = 6  # items shown of a list
_HEADS = ("name", "title", "full_name", "label", "subject")


def scalar(value: Any) -> str:
    """One value as a reader expects it: yes and no, dates with a blank, whole numbers plain."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{value:.0f}"
    if isinstance(value, float):
        return f"{value:.2f}" if abs(value * 100 - round(value * 100)) < 1e-9 else str(value)
    text = str(value).strip()
    moment = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::00(?:\.0+)?)?(?:Z|\+00:00)?", text)
    return f"{moment[1]} {moment[2]}" if moment else text


def head(record: Mapping[str, Any]) -> tuple[str, list[str]]:
    """How a record is called: its name or title with its id in brackets; and the keys used."""
    words = [k for k in record if isinstance(record[k], str)]
    name = next((k for k in words if k.lower() in _HEADS), None)
    name = name or next((k for k in words if k.lower().endswith("_name")), None)
    ids = [
        k for k in record if isinstance(record[k], str | int) and k.lower().split("_")[-1] == "id"
    ]
    identity = "id" if "id" in ids else next(iter(ids), None)
    if name and identity:
        return f"{record[name]} ({record[identity]})", [name, identity]
    key = name or identity
    return (str(record[key]), [key]) if key else ("", [])


def _bare(key: str, value: Any) -> bool:
    """Whether a value says by itself what it is: a date, a time, a state."""
    low = key.lower()
    dated = isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\d|\d\d:\d\d$", value)
    return low in ("status", "state") or bool(
        dated and low in ("date", "day", "time", "start", "starts", "when", "slot", "datetime")
    )


def _field(key: str, value: Any) -> str:
    if isinstance(value, bool):
        is_, has = (key.partition(f"{verb}_")[2] if key.startswith(f"{verb}_") else ""
                    for verb in ("is", "has"))  # fmt: skip
        said = human(is_ or key)
        return said if value else f"no {human(has)}" if has else f"not {said}"
    if value in (None, "", [], {}):
        return f"no {human(key)}"
    text = inline(value)
    return text if _bare(key, value) else f"{human(key)} {text}"


def inline(value: Any) -> str:
    """Any value on one line; a figure with its unit is one value."""
    if isinstance(value, Mapping):
        only = with_units(value)
        return scalar(*only.values()) if len(only) == 1 < len(value) else record_line(value)
    if isinstance(value, list):
        shown = [inline(v) for v in value[:MOST]]
        more = [f"{len(value) - MOST} more"] if len(value) > MOST else []
        return ", ".join([*shown, *more]) or "none"
    return scalar(value)


def _fields(record: Mapping[str, Any], used: list[str], about: str) -> list[tuple[str, Any]]:
    """The fields to show, asked for ones first; of empty ones these and the only list."""
    asked = {k for k in record if set(name_stems(k)) & set(content(about))}
    alone = about and not any(isinstance(v, list) and v for v in record.values())
    shown = [
        (k, v)
        for k, v in with_units(record).items()
        if k not in used and (v not in (None, "", {}, []) or k in asked or (v == [] and alone))
    ]
    return sorted(shown, key=lambda f: f[0] not in asked)


_UNITS = ("currency", "unit", "units")


def with_units(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record whose one figure has its unit, where another field says only that."""
    unit = next((k for k in record if k.lower() in _UNITS and isinstance(record[k], str)), None)
    figures = [k for k, v in record.items() if type(v) in (int, float) and not k.endswith("id")]
    if unit is None or len(figures) != 1:
        return record
    told = f"{scalar(record[figures[0]])} {record[unit]}"
    return {k: told if k == figures[0] else v for k, v in record.items() if k != unit}


def record_line(record: Mapping[str, Any], about: str = "") -> str:
    """A record on one line: how it is called, then its fields."""
    name, used = head(record)
    rest = ", ".join(_field(k, v) for k, v in _fields(record, used, about))
    return ": ".join(p for p in (name, rest) if p) or "empty"


def bullets(values: list[Any], about: str = "", most: int = MOST) -> list[str]:
    """A list as bulleted lines, at most `most` of them and the number of the others."""
    lines = [
        f"- {record_line(v, about) if isinstance(v, Mapping) else inline(v)}" for v in values[:most]
    ]
    return [*lines, f"- and {len(values) - most} more"] if len(values) > most else lines


def record_block(record: Mapping[str, Any], about: str = "", most: int = MOST) -> str:
    """A record with its plain fields on one line and every list of records inside it below."""
    nested = {k: v for k, v in record.items() if _is_table(v)}
    plain = {k: v for k, v in record.items() if k not in nested}
    line = record_line(plain, about) if plain else ""
    blocks = [
        "\n".join([f"{human(k).capitalize()}:", *bullets(v, about, most)])
        for k, v in nested.items()
    ]
    return "\n".join([line[:1].upper() + line[1:], *blocks] if line else blocks)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(v, Mapping) for v in value)


def plain_facts(data: Mapping[str, Any]) -> bool:
    """Whether values are facts to be told, rather than a report of who did what."""
    inner = [v for value in data.values() for v in (value if isinstance(value, list) else [value])]
    return bool(data) and not any(isinstance(v, Mapping) for v in inner)


def as_sentences(data: Mapping[str, Any]) -> str:
    """Facts by name as sentences; what is empty is left out, for there is nothing to tell."""
    told = []
    for key, value in data.items():
        if value in (None, "", [], {}):
            continue
        text = inline(value) if not isinstance(value, list) else "; ".join(map(inline, value))
        name = human(key)
        said = text if key.lower() in _SPOKEN else f"{name[:1].upper()}{name[1:]}: {text}"
        told.append(said if said.endswith((".", "!", "?")) else f"{said}.")
    return " ".join(told)


_SPOKEN = ("greeting", "text", "message", "answer", "sorry", "note")
