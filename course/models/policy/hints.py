"""Hints: what an error says has to change, argument by argument.

"give the year (2024, 2025)", "give unit='g/L' or unit='g/dL'", "there are Arden, Belmont" and the
like say which argument to change and which values it may have. Which of them is meant, the task
says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from course.models.policy.naming import YEAR
from course.models.policy.wordlists import cue
from course.models.policy.words import content, name_words, stem


@dataclass(frozen=True)
class Hint:
    """What an error asks for: an argument by its name ("" for the one that was wrong), the values
    that it may have ("" in `wrong` when no value was called wrong)."""

    name: str
    values: tuple[str, ...] = ()
    wrong: str = ""


_SET = re.compile(r"\b(?P<name>[a-z]\w*)\s?=\s?(?P<q>['\"])(?P<value>[^'\"]+)(?P=q)")
_GIVE = cue("hints.give")
_MORE = re.compile(r"\bor (?:give )?(?P<name>[a-z]\w*) \((?P<values>[^()]+)\)")
_THERE = cue("hints.there")
_WRITE = re.compile(r"\bwrite (?:it as |them as )?['\"]?(?P<value>[\w.-]+)['\"]?")
_WRONG = re.compile(r"['\"“](?P<value>[^'\"”]+)['\"”]")
_FILLER = frozenset("again it them more less words word both another other first and".split())


def hints(error: str) -> tuple[Hint, ...]:
    """What an error asks for, in the order in which it says so."""
    found = _settings(error)
    for match in (*_GIVE.finditer(error), *_MORE.finditer(error)):
        values = tuple(_values(match["values"] or ""))
        named = match.groupdict().get("names") or match.groupdict().get("name") or ""
        for name in re.findall(r"[a-z]\w*", re.sub(r"\b(?:and|or|the)\b", " ", named)):
            if name not in _FILLER and not any(h.name == name for h in found):
                found.append(Hint(name, values or _years_in(name, error)))
    there = _THERE.search(error)
    wrong = _WRONG.search(error[: there.start()]) if there else None
    if there and wrong:
        found.append(Hint("", tuple(_values(there["values"])), wrong["value"]))
    written = _WRITE.search(error)
    quoted = _WRONG.search(error)
    if written and quoted and written["value"] != quoted["value"]:
        found.append(Hint("", (written["value"],), quoted["value"]))
    return tuple(found)


def _settings(error: str) -> list[Hint]:
    """The arguments that an error writes out as name='value'."""
    by_name: dict[str, list[str]] = {}
    for match in _SET.finditer(error):
        by_name.setdefault(match["name"], []).append(match["value"])
    return [Hint(name, tuple(values)) for name, values in by_name.items()]


def _values(text: str) -> list[str]:
    """The values in a list, without the numbers that count them ("Arden: 6, Belmont: 8")."""
    quoted = re.findall(r"['\"“]([^'\"”]+)['\"”]", text)
    pieces = quoted or re.split(r",\s*(?:and |or )?|\s+(?:or|and)\s+|\|", text)
    bare = (re.sub(r":\s*\d+$", "", p).strip(" ()") for p in pieces)
    return [b for b in bare if b and len(b) <= 60]


def _years_in(name: str, error: str) -> tuple[str, ...]:
    return tuple(YEAR.findall(error)) if "year" in name_words(name) else ()


def meant_by(values: tuple[str, ...], task: str) -> list[str]:
    """The values that a task names: whole, or by their telling words."""
    low = task.lower()
    whole = [v for v in values if re.search(rf"(?<!\w){re.escape(v.lower())}(?!\w)", low)]
    if whole:
        return [v for v in whole if not any(v != w and v in w for w in whole)]
    said = set(content(task))
    worth = {v: len(set(content(v)) & said) / max(1, len(set(content(v)))) for v in values}
    best = max(worth.values(), default=0.0)
    return [v for v in values if worth[v] == best] if best >= 0.5 else []


def respelled(wrong: str, values: tuple[str, ...]) -> list[str]:
    """The value that is spelled nearly like the wrong one, if any is."""
    scored = [(SequenceMatcher(None, v.lower(), wrong.lower()).ratio(), v) for v in values]
    best = max(scored, default=(0.0, ""))
    return [best[1]] if best[0] >= 0.75 else []


def addressed(hint: Hint, arguments: Mapping[str, object], names: tuple[str, ...]) -> str:
    """The argument that a hint is about, by its name or by the value called wrong."""
    if hint.name in names:
        return hint.name
    if hint.name:
        asked = stem(hint.name)
        near = [n for n in names if asked in {stem(w) for w in name_words(n)}]
        return near[0] if near else ""
    return next((k for k, v in arguments.items() if str(v).lower() == hint.wrong.lower()), "")
