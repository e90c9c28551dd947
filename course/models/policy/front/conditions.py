"""Conditions: whether what an order hangs on holds, by what the look-ups of this turn brought."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from course.models.policy.conversation import Made
from course.models.policy.lexicon import nearest, suggested
from course.models.policy.words import content, cue, in_figures, name_stems

_LEAST, _MOST_OF, _NOT, _ABSENT, _UNTRUE = (
    cue(f"conditions.{n}") for n in "least most not absent untrue".split()
)
_SUBJECT, _THERE = cue("conditions.subject"), cue("conditions.there")
_ONE = re.compile(r"\ban? (?=(?:week|day|month|hour|year)\b)", re.IGNORECASE)


def holds(condition: str, made: Sequence[Made]) -> bool | None:
    """Whether a condition holds; None where what came back does not tell.

    Numbers are compared, flags and words are read as they stand, an empty list is nothing. The
    latest result that tells decides.
    """
    for each in reversed(made):
        if each.text is None:
            continue
        if (found := _by(condition, each)) is not None:
            return found
    return None


def subject(condition: str) -> str:
    """What a condition is about, without what it says of it: "B4" of "B4 is free"."""
    bare = _ONE.sub("1 ", in_figures(condition))
    for compares in (_LEAST, _MOST_OF):
        bare = compares.sub("", bare)
    if there := _THERE.match(bare):
        return bare[there.end() :].strip(" ?.,")
    found = _SUBJECT.search(bare)
    return (bare[: found.start()] if found else bare).strip(" ?.,")


def _by(condition: str, made: Made) -> bool | None:
    text = _ONE.sub("1 ", in_figures(condition))
    if made.error is not None:
        return _in_words(text, made.error, bool(_NOT.search(text)))
    data = made.data
    compared = _compared(text, data)
    if compared is not None:
        return compared
    return _stated(text, data)


def _values(data: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """The plain values of some data, each with the name under which it stands."""
    if isinstance(data, Mapping):
        for name, value in data.items():
            yield from _values(value, f"{key} {name}".strip())
    elif isinstance(data, list) and data and all(isinstance(v, Mapping) for v in data):
        for value in data:
            yield from _values(value, key)
    else:
        yield key, data


_NUMBER = re.compile(r"(?<![\w.-])-?\d+(?:[.,]\d+)?(?![\w-])")


def _compared(condition: str, data: Any) -> bool | None:
    """How a figure of the result stands to the one of the condition."""
    found = _LEAST.search(condition) or _MOST_OF.search(condition)
    if not found:
        return None
    limit = float(found["n"].replace(",", ""))
    figures = [(k, float(v)) for k, v in _values(data)
               if isinstance(v, int | float) and not isinstance(v, bool)]  # fmt: skip
    if not figures and isinstance(data, str):
        figures = [("", float(n.replace(",", "."))) for n in _NUMBER.findall(data)][:1]
    if not figures:
        lists = [v for _, v in _values(data) if isinstance(v, list)]
        figures = [("", float(len(v))) for v in lists[:1]]
    if not figures:
        return None
    said = frozenset((*content(condition), *suggested(condition)))
    if "week" in condition or "month" in condition:
        days = {"week": 7, "month": 30}
        named = next((n for w, n in days.items() if w in condition), 1)
        limit *= named if any("day" in k for k, _ in figures) else 1
    scored = [(max((nearest(s, said) for s in name_stems(k)), default=0.0), -n)
              for n, (k, _) in enumerate(figures)]  # fmt: skip
    value = figures[-max(scored)[1]][1]
    how = found["how"].lower()
    if _LEAST.search(condition):
        return value >= limit if re.search(r"least|or more|enough|minimum", how) else value > limit
    return value <= limit if re.search(r"most|or less|up to|no more|max", how) else value < limit


def _stated(condition: str, data: Any) -> bool | None:
    """Whether the words of a result say what the condition says."""
    negated = bool(_NOT.search(condition))
    if isinstance(data, list):
        wants_none = negated or bool(re.search(r"\b(?:nothing|nobody|no one|none|no)\b", condition))
        return bool(data) != wants_none
    said = frozenset((*content(condition), *suggested(condition)))
    flags = [(k, v) for k, v in _values(data) if isinstance(v, bool)]
    if flags:
        scored = [(max((nearest(s, said) for s in name_stems(k)), default=0.0), -n)
                  for n, (k, _) in enumerate(flags)]  # fmt: skip
        best = max(scored)
        if best[0] >= 0.6 or len(flags) == 1:
            key, value = flags[-best[1]]
            contrary = _UNTRUE.search(key) is not None and _UNTRUE.search(condition) is None
            contrary = contrary or (
                _UNTRUE.search(condition) is not None and _UNTRUE.search(key) is None
            )
            return value != (negated != contrary)
    if isinstance(data, Mapping):
        for key, value in data.items():
            if isinstance(value, list) and len(data) < 3:
                empty = negated or bool(re.search(r"\b(?:nothing|nobody|none|no)\b", condition))
                return bool(value) != empty
            if value is None and max((nearest(s, said) for s in name_stems(key)), default=0) >= 0.6:
                return negated
    told = " ".join(str(v) for _, v in _values(data) if isinstance(v, str))
    if not told:
        return None
    if _ABSENT.search(told):
        return negated
    return _in_words(condition, told, negated)


def _in_words(condition: str, told: str, negated: bool) -> bool | None:
    """Whether a text says what the condition says, by its last words."""
    state = list(content(_NOT.sub(" ", condition)))[-3:]
    words = frozenset(content(told))
    opposite = next((b for a, b in _OPPOSITES if a & set(state) and b & words), None)
    if opposite:
        return negated
    same = next((a for a, _ in _OPPOSITES if a & set(state) and a & words), None)
    if same or (state and nearest(state[-1], words) >= 0.8):
        denies = bool(re.search(r"\b(?:not|no|n't|never|un\w+)\b", told, re.IGNORECASE))
        return denies == negated
    return None


_PAIRS = (
    ("free available in open vacant left here back",
     "taken full out occupied booked gone closed unavailable sold let away"),
    ("open", "closed shut"), ("up running online", "down offline stopped crashed"),
    ("dry", "wet rain"), ("rain wet", "dry sunny fair"),
    ("strong rough high", "light calm weak low moderate"),
    ("ready done finished", "waiting pending open progress"),
    ("paid settled", "unpaid open overdue"),
    ("through approved granted come arrived",
     "waiting pending expected refused outstanding awaited"),
    ("clear empty cleared", "full inside occupied"), ("on", "off"),
)  # fmt: skip


def _both() -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    for one, other in _PAIRS:
        a, b = (frozenset(content(w) or (w,)) | {*w.split()} for w in (one, other))
        yield a, b
        yield b, a


_OPPOSITES = tuple(_both())


# --- rules of a house ---------------------------------------------------------------------------

_ROOM = re.compile(r"at most (?P<n>\d+) (?:[a-z]+ )?(?P<what>[a-z]+)", re.IGNORECASE)
_MORE_THAN = re.compile(r"(?:more than|above|over) (?P<n>\d[\d,.]*)", re.IGNORECASE)
_NOBODY = re.compile(r"\b(?:nobody|no one|empty|nothing)\b", re.IGNORECASE)


def breaks(rule: str, made: Made) -> bool:
    """Whether a result shows that a rule of the house stands against a deed: there is no room for
    one more, somebody is where nobody may be, a figure is too large, a state is named that bars."""
    rule = in_figures(rule)
    pairs = [(k, v) for k, v in _values(made.data)]
    said = frozenset(content(rule))
    if room := _ROOM.search(rule):
        lists = [(k, len(v)) for k, v in pairs if isinstance(v, list)]
        counts = [(k, v) for k, v in pairs if type(v) is int]
        what = frozenset(content(room["what"]))
        near = [
            n for k, n in (*lists, *counts) if any(nearest(s, what) >= 0.8 for s in name_stems(k))
        ]
        near = (
            near
            or [n for _, n in lists]
            or ([len(made.data)] if isinstance(made.data, list) else [])
        )
        return bool(near) and near[0] >= int(room["n"])
    figures = [
        (k, float(v)) for k, v in pairs if isinstance(v, int | float) and not isinstance(v, bool)
    ]
    if (limit := _MORE_THAN.search(rule)) and figures:
        most = float(limit["n"].replace(",", "").rstrip("."))
        named = [v for k, v in figures if any(nearest(s, said) >= 0.6 for s in name_stems(k))]
        return any(v > most for v in named or [v for _, v in figures])
    if _NOBODY.search(rule):
        return any(v for _, v in pairs if isinstance(v, list))
    flags = [(k, v) for k, v in pairs if isinstance(v, bool)]
    return any(v and any(nearest(s, said) >= 0.8 for s in name_stems(k)) for k, v in flags)
