"""Remedy: what an error or a helper's note says would help, put into a call or into a failed task.

A call that failed gets the value that its error allows. A task is put differently in words of its
own: with what is told to hold instead of what is refused, with the setting that is lacking, or
else with what the error's kind asks for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher
from typing import Any

from course.models.policy.conversation import Made
from course.models.policy.dates import find_dates
from course.models.policy.match import choose
from course.models.policy.mentions import YEAR, mentions
from course.models.policy.prose import polished
from course.models.policy.reader.slots import as_shown
from course.models.policy.wordlists import cue
from course.models.policy.words import content, human, name_words, stem, tokens

# --- values that an error allows ----------------------------------------------------------------

_ALLOWED = cue("remedy.allowed", re.I | re.S)
_FORM = re.compile(r"YYYY|HH:MM|\bISO\b|format", re.IGNORECASE)  # says how, not which
_MEANT = re.compile(r"did you mean:? ['\"“]?([^'\"”?]+)['\"”]?\??", re.IGNORECASE)
_QUOTED = re.compile(r"['\"“]([^'\"”]+)['\"”]")
_EXAMPLE = re.compile(r"\b(?:as|like|example:?) ['\"“]?(?P<example>[A-Za-z]+[ /-]?\d+)\b")
_UNKNOWN = re.compile(r"not found|no such|no \w+ (?:found|named|called)|unknown", re.IGNORECASE)


def allowed_values(error: str) -> list[str]:
    """The values that an error message says would have been right."""
    if meant := _MEANT.search(error):
        return [meant.group(1).strip()]
    match = _ALLOWED.search(error)
    if not match:
        return []
    tail = re.sub(r"^(?:either|one of|any of)\b:?\s*", "", match.group(1))
    first = re.split(r"\.(?:\s|$)|\n|\)", tail)[0]
    plain = re.split(r",\s*(?:and |or )?|\s+or\s+|\s+and\s+|;|\|", first)
    found = _QUOTED.findall(tail) or [p.strip(" []().'\"") for p in plain]
    return [f for f in found if f and len(f) <= 40 and not _FORM.search(f)]


def _nearest(value: str, request: str, allowed: list[str]) -> str:
    """The allowed value that a request means, or else the one that is spelled most alike."""
    score, best = choose(tuple(allowed), request)[0]
    low = value.lower()
    return best if score > 0 else max(
        allowed, key=lambda a: SequenceMatcher(None, a.lower(), low).ratio())  # fmt: skip


def _blamed(arguments: Mapping[str, Any], error: str, allowed: list[str]) -> str | None:
    """The argument that an error is about: named in it, quoted by its value, or spoken of."""
    said, low = set(content(error)), error.lower()
    for k in arguments:
        if re.search(rf"\b{re.escape(k)}\b", error):
            return k
    quoted = [k for k, v in arguments.items() if v not in ("", None) and str(v).lower() in low]
    spoken = [k for k in arguments if {stem(w) for w in k.split("_")} & said]
    texts = [k for k, v in arguments.items() if isinstance(v, str)]
    return next(iter((*quoted, *spoken, *(texts if len(texts) == 1 and allowed else ()))), None)


def repaired_call(made: Made, request: str) -> dict[str, Any] | None:
    """Changed arguments for a failed call, None when its error gives no hint."""
    error = made.error or ""
    allowed = allowed_values(error)
    name = _blamed(made.arguments, error, allowed)
    if name is None:
        return None
    old = made.arguments[name]
    new: Any = old
    if allowed:
        new = _nearest(str(old), f"{old} {request}", allowed)
        number = isinstance(old, int | float) and not isinstance(old, bool)
        if number and re.fullmatch(r"-?\d+(?:\.\d+)?", new):
            new = float(new) if "." in new else int(new)
    elif isinstance(old, str) and (shown := _EXAMPLE.search(error)):
        new = as_shown(old, shown["example"])
    elif isinstance(old, str) and _UNKNOWN.search(error):
        new = old.split()[-1] if old.split() else old
    return {**made.arguments, name: new} if new != old else None


# --- what went wrong, and what is said to help --------------------------------------------------

_NOTE = cue("remedy.note", 0)
_NAME = cue("remedy.name", 0)
_CLAUSE = re.compile(r"(?<=[a-z)\d'”\"])[.;]\s+|\n+")
_REMEDY = cue("remedy.remedy")
_REFUSED = cue("remedy.refused")
_EQUALS = cue("remedy.equals", 0)
_COUNT = re.compile(r"\b(?P<n>\d[\d.,]*) (?P<unit>[a-z]{3,})")
_DAY = cue("remedy.day", 0)
_ISO = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_OFFERED = cue("remedy.offered")
_TIMES = ("date", "time", "weekday", "datetime")


@dataclass(frozen=True)
class Trouble:
    """What went wrong, what is said to help, and what somebody adds: each a list of clauses."""

    complaints: tuple[str, ...]
    remedies: tuple[str, ...]
    notes: tuple[str, ...]


def _trouble_in(error: str, notes: str) -> Trouble:
    """An error's text taken apart; labelled lines in it that help are notes."""
    pieces = _NOTE.split(error)
    told = [(label.lower(), text) for label, text in zip(pieces[1::2], pieces[2::2], strict=True)]
    own = [t.strip() for label, t in told if not label.startswith(("attempt", "reason"))]
    bare = _NAME.sub("", pieces[0].strip() or next((t for k, t in told if k == "reason"), ""))
    clauses = [c.strip().rstrip(".") for c in _CLAUSE.split(bare) if c.strip()]
    remedies = tuple(c for c in clauses if _REMEDY.search(c) and not _REFUSED.search(c))
    others = tuple(c for c in clauses if c not in remedies)
    return Trouble(others, remedies, tuple(n for n in (*own, notes.strip()) if n))


def _exchanged(task: str, trouble: Trouble) -> str:
    """The task with what is refused left out, and with values that are told to hold instead."""
    told = (*trouble.remedies, *trouble.complaints)
    for found in (m for t in (*trouble.notes, *told) for m in _EQUALS.finditer(t)):
        task = task.replace(found["old"].strip(), found["new"].strip())
    for found in (m for r in trouble.remedies for m in _COUNT.finditer(r)):
        same = re.compile(rf"\b(?:\d[\d.,]* )?{re.escape(stem(found['unit']))}\w*\b")
        task = same.sub(f"{found['n']} {found['unit']}", task, count=1)
    wanted = [d for t in told for d in _ISO.findall(t)]
    refused = any(_ISO.search(t) for t in trouble.complaints)
    if refused and wanted and (said := _DAY.search(task)):
        task = task.replace(said.group(), wanted[-1])
    offered = _offered(task, trouble)
    times = [m.text for m in mentions(task) if m.kind in _TIMES]
    if times and any(m.kind in _TIMES for m in mentions(offered)):
        return task.replace(times[0], offered)
    for what in (w for t in told if (w := _refused(t, task))):
        task = _without(task, what, offered)
    return task


def _refused(clause: str, task: str) -> str:
    """What a clause says cannot be had, in the words that the task has for it, "" if nothing: what
    stands before its "is not", or else what stands last."""
    match = _REFUSED.search(clause)
    if match is None:
        return ""
    sides = (_shared(clause[: match.start()], task), _shared(clause[match.end() :], task))
    return (sides[0] or sides[1] or [""])[-1]


def _shared(text: str, task: str) -> list[str]:
    """The runs of words of a text that stand in a task too, from telling word to telling word."""
    words, found, start = [w.strip(",.") for w in text.split()], [], 0
    while start < len(words):
        ends = (n for n in range(len(words), start, -1) if content(words[n - 1]))
        runs = ((n, " ".join(words[start:n])) for n in ends if content(words[start]))
        held = (r for r in runs if re.search(rf"(?<!\w){re.escape(r[1])}(?!\w)", task, re.I))
        end, run = next(held, (start + 1, ""))
        found += [run] if run else []
        start = end
    return found


def _offered(task: str, trouble: Trouble) -> str:
    """What an error offers instead: of several the one that the task or a note means, or else the
    first; "" when it offers nothing."""
    told = (*trouble.remedies, *trouble.complaints)
    what = next((m["what"] for t in told if (m := _OFFERED.search(t))), "")
    values = tuple(
        v.strip(" .'\"“”") for v in re.split(r",\s*(?:or )?|\s+or\s+", what) if v.strip()
    )
    return next(iter([*meant_by(values, " ".join((*trouble.notes, task))), *values]), "")


def _without(task: str, refused: str, offered: str) -> str:
    """The task without what is refused: what is offered takes its place, or else the piece that
    was joined to another one goes."""
    joined = rf",? (?:and|or) (?:(?:by|via|with|in|to|for|as|a|the) )*{re.escape(refused)}\b"
    bare = re.sub(joined, "", task, flags=re.IGNORECASE)
    if bare != task or not offered:
        return bare
    return re.sub(rf"\b{re.escape(refused)}(?!\w)", lambda _: offered, task, flags=re.IGNORECASE)


def _noted(task: str, trouble: Trouble) -> str | None:
    """The task with what helps put into it or said behind it; None where nothing is said to."""
    changed = _exchanged(task, trouble)
    if not trouble.notes and changed == task:
        own = "; ".join(map(_spoken, trouble.remedies))
        return f"{task}; {own}" if own else None
    left = [n.rstrip(".") for n in trouble.notes
            if not ((same := _EQUALS.search(n)) and same["new"].strip() in changed)]  # fmt: skip
    return f"{changed}; note: {'; '.join(left)}" if left else changed


def _spoken(remedy: str) -> str:
    """A clause as it goes on within a sentence."""
    return remedy[:1].lower() + remedy[1:] if remedy[1:2].islower() else remedy


# --- a failed task put differently --------------------------------------------------------------

_MISSING = cue("remedy.missing")
_SHOWN = re.compile(r"(?:e\.g\.|such as|like|for example)[,:]? ['\"“]?([^'\".;”)]+)")
_BY_KIND = (
    (cue("remedy.wide"), "narrow it to the three most relevant items of {year}"),
    (cue("remedy.nothing"), "search with broader terms, such as “{last}”, and name close matches"),
    (cue("remedy.busy"), "if a source does not answer, use another one and say so"),
    (cue("remedy.long"), "keep it short: only the most important points"),
)
_KNOWN = {
    **dict.fromkeys(("year", "period", "time range", "timeframe"), " for the year {year}"),
    "quarter": " for quarter {quarter} of {year}",
    "month": " for {month} {year}",
    **dict.fromkeys(("date", "dates"), " as of {day}"),
    **dict.fromkeys(("unit", "units"), "; give every figure with its unit"),
    "currency": "; give amounts in EUR",
    "source": "; name the source of each statement",
}
_FEW = 4  # values that are alternatives of one setting; a longer list counts what was found


def rewritten(task: str, error: str, today: date, notes: str = "") -> str:
    """A changed task that takes the error into account, and what somebody adds to help; never
    the same words as before."""
    bare = polished(task).rstrip(".?")
    trouble = _trouble_in(error, notes)
    changed = _noted(bare, trouble) if trouble.notes or _exchanged(bare, trouble) != bare else None
    changed = (
        changed
        or _with_settings(bare, error)
        or _with_allowed(bare, error)
        or _dated(bare, error, today)
        or _with_missing(bare, error, today)
        or _noted(bare, trouble)
        or _by_kind(bare, error, today)
    )
    if changed is None or changed == bare:
        complaint = _spoken("; ".join(trouble.complaints)) or "it failed before"
        changed = f"{bare}; mind that {complaint}"
    return changed + "."


def _with_settings(task: str, error: str) -> str | None:
    """The task with the arguments that the error asks for by name: the values that the task names
    of those offered, or else the first, of years the latest."""
    told = [h for h in hints(error) if h.name and h.values]
    along = len(told) == 1 or all(len(h.values) <= _FEW for h in told)
    stated = []
    for hint in told:
        named = meant_by(hint.values, task)
        if named or along:
            value = named[0] if named else _first(hint)
            stated.append(f"{human(hint.name)} {value if value.isdigit() else f'“{value}”'}")
    fresh = [s for s in stated if s.lower() not in task.lower()]
    return f"{task}, with {' and '.join(fresh)}" if fresh else None


def _first(hint: Hint) -> str:
    """The value taken where the task names none: the latest year, and else the first."""
    if all(YEAR.fullmatch(v) for v in hint.values):
        earliest = hint.name.startswith(("first", "from", "start"))
        return min(hint.values) if earliest else max(hint.values)
    return hint.values[0]


def _with_allowed(task: str, error: str) -> str | None:
    """The task with the value that the error rejects replaced by the nearest allowed one."""
    allowed = allowed_values(error)
    if not allowed or (len(allowed) == 1 and len(allowed[0].split()) > 4):
        return None
    quoted = (q for q in _QUOTED.findall(error) if q not in allowed)
    wrong = next((q for q in quoted if q.lower() in task.lower()), None)
    best = _nearest(wrong or "", task, allowed)
    if wrong:
        return re.sub(re.escape(wrong), lambda m: best, task, flags=re.IGNORECASE)
    return f"{task}, using “{best}” (allowed: {', '.join(allowed)})"


def _dated(task: str, error: str, today: date) -> str | None:
    if not re.search(r"YYYY-MM-DD|ISO|date format|invalid date", error, re.IGNORECASE):
        return None
    found = find_dates(task, today)
    for day in reversed(found):
        task = task[: day.start] + day.value.isoformat() + task[day.end :]
    return task if found else None


def _with_missing(task: str, error: str, today: date) -> str | None:
    match = _MISSING.search(error)
    if not match:
        return None
    thing = match["thing"].lower()
    if shown := _SHOWN.search(error):
        return f"{task}, with {thing} {shown.group(1).strip()}"
    known = _KNOWN.get(thing, f"; state the {thing} explicitly")
    return task + known.format(year=today.year, quarter=(today.month + 2) // 3,
                               month=f"{today:%B}", day=today.isoformat())  # fmt: skip


def _by_kind(task: str, error: str, today: date) -> str | None:
    """The task with what an error of its kind asks for: less, more, other or shorter."""
    told = next((words for kind, words in _BY_KIND if kind.search(error)), None)
    if told is None:
        return None
    if "{last}" in told:  # fewer and plainer words: without quotation marks and years
        task = re.sub(r"[\"“”]", "", task).rstrip(".")
        task = re.sub(r"\s*\b(?:in|for|from|of|since) (?:the year )?(?:19|20)\d\d\b", "", task)
    last = " ".join([t.text for t in tokens(task) if content(t.text)][-2:])
    return f"{task}; {told.format(year=today.year, last=last)}"


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
