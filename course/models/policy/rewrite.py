"""Rewrite: a failed task put differently, using the words of its error."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from course.models.policy.dates import find_dates
from course.models.policy.hints import Hint, hints, meant_by
from course.models.policy.match import choose
from course.models.policy.naming import YEAR
from course.models.policy.prose import polished
from course.models.policy.remedies import exchanged, remedied, spoken, trouble_in
from course.models.policy.repair import allowed_values, nearest_spelling
from course.models.policy.settings import setting
from course.models.policy.words import content, tokens

_MISSING = re.compile(
    r"(?:missing|needs?|requires?|specify|name|narrow it with|narrow it to|add|give"
    r"|provide|without|lacks?|no|state|which"
    r"|unclear|ambiguous)\s+(?:an?|the|its|your|explicit|valid|any)?\s*(?:\w+ )?"
    r"(?P<thing>year|units?|dates?|currency|period|country|region|language|format|name|id"
    r"|quarter|month|city|scope|source|time range|timeframe)\b",
    re.IGNORECASE,
)
_WIDE = re.compile(
    r"too (?:many|broad|vague|general|wide|generic)|narrow|\b\d+ (?:hits|results|matches"
    r"|records|documents)\b|more specific|vague|ambiguous",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"no (?:results?|hits|matches|documents?|records?|data)|nothing (?:found|matched)"
    r"|not found|0 (?:results|hits)|empty",
    re.IGNORECASE,
)
_LONG = re.compile(
    r"time(?:d)? ?out|too (?:long|large|slow|big)|exceed|deadline|limit", re.IGNORECASE
)
_BUSY = re.compile(
    r"rate limit|429|overload|unavailable|temporar|connection|500|503", re.IGNORECASE
)


def _with_allowed(task: str, error: str) -> str | None:
    """The task with the value that the error rejects replaced by the nearest allowed one."""
    allowed = allowed_values(error)
    if not allowed or (len(allowed) == 1 and len(allowed[0].split()) > 4):
        return None
    score, best = choose(tuple(allowed), task)[0]
    quoted = re.findall(r"['\"“]([^'\"”]+)['\"”]", error)
    wrong = next((q for q in quoted if q not in allowed and q.lower() in task.lower()), None)
    if wrong:
        best = best if score > 0 else nearest_spelling(wrong, allowed)
        return re.sub(re.escape(wrong), lambda m: best, task, flags=re.IGNORECASE)
    return f"{task}, using “{best}” (allowed: {', '.join(allowed)})"


def _with_missing(task: str, error: str, today: date) -> str | None:
    match = _MISSING.search(error)
    if not match:
        return None
    thing = match["thing"].lower()
    shown = re.search(r"(?:e\.g\.|such as|like|for example)[,:]? ['\"“]?([^'\".;”)]+)", error)
    if shown:
        return f"{task}, with {thing} {shown.group(1).strip()}"
    known = _KNOWN.get(thing)
    return f"{task}{known(today) if known else f'; state the {thing} explicitly'}"


_KNOWN: dict[str, Callable[[date], str]] = {
    "year": lambda t: f" for the year {t.year}",
    "period": lambda t: f" for the year {t.year}",
    "time range": lambda t: f" for the year {t.year}",
    "timeframe": lambda t: f" for the year {t.year}",
    "quarter": lambda t: (
        f" for the first quarter of {t.year}"
        if t.month <= 3
        else f" for quarter {(t.month + 2) // 3} of {t.year}"
    ),
    "month": lambda t: f" for {t:%B %Y}",
    "date": lambda t: f" as of {t.isoformat()}",
    "dates": lambda t: f" as of {t.isoformat()}",
    "unit": lambda t: "; give every figure with its unit",
    "units": lambda t: "; give every figure with its unit",
    "currency": lambda t: "; give amounts in EUR",
    "source": lambda t: "; name the source of each statement",
}


def _dated(task: str, error: str, today: date) -> str | None:
    if not re.search(r"YYYY-MM-DD|ISO|date format|invalid date", error, re.IGNORECASE):
        return None
    found = find_dates(task, today)
    for day in reversed(found):
        task = task[: day.start] + day.value.isoformat() + task[day.end :]
    return task if found else None


def _broader(task: str) -> str:
    """Fewer and plainer words: without quotation marks, years and qualifiers."""
    bare = re.sub(r"[\"“”]", "", task)
    bare = re.sub(r"\s*\b(?:in|for|from|of|since) (?:the year )?(?:19|20)\d\d\b", "", bare)
    words = [t.text for t in tokens(bare) if content(t.text)]
    return (
        f"{bare.rstrip('.')}; search with broader terms, such as "
        f"“{' '.join(words[-2:])}”, and name close matches"
    )


def _with_settings(task: str, error: str) -> str | None:
    """The task with the arguments that the error asks for by name: the values that the task names
    of those offered, or else the first, of years the latest."""
    told = [h for h in hints(error) if h.name and h.values]
    stated = []
    for hint in told:
        named = meant_by(hint.values, task)
        if named or len(told) == 1 or _settles(hint, told):
            value = named[0] if named else _first(hint)
            stated.append(setting(hint.name, value))
    fresh = [s for s in stated if s.lower() not in task.lower()]
    return f"{task}, with {' and '.join(fresh)}" if fresh else None


def _settles(hint: Hint, told: list[Hint]) -> bool:
    """Whether an argument is to be given along with the others, rather than in their place."""
    return all(len(h.values) <= _FEW for h in told) and hint.values != ()


_FEW = 4  # values that are alternatives of one setting; a longer list counts what was found


def _first(hint: Hint) -> str:
    """The value taken where the task names none: the latest year, and else the first."""
    years = [v for v in hint.values if YEAR.fullmatch(v)]
    if len(years) == len(hint.values):
        return min(years) if hint.name.startswith(("first", "from", "start")) else max(years)
    return hint.values[0]


def rewritten(task: str, error: str, today: date, hints: str = "") -> str:
    """A changed task that takes the error into account, and what somebody adds to help; never
    the same words as before."""
    bare = polished(task).rstrip(".?")
    trouble = trouble_in(error, hints)
    changed = (
        (remedied(bare, trouble) if trouble.notes or exchanged(bare, trouble) != bare else None)
        or _with_settings(bare, error)
        or _with_allowed(bare, error)
        or _dated(bare, error, today)
        or _with_missing(bare, error, today)
    )
    changed = changed or remedied(bare, trouble)
    if changed is None and _WIDE.search(error):
        changed = f"{bare}; narrow it to the three most relevant items of {today.year}"
    if changed is None and _NOTHING.search(error):
        changed = _broader(bare)
    if changed is None and _BUSY.search(error):
        changed = f"{bare}; if a source does not answer, use another one and say so"
    if changed is None and _LONG.search(error):
        changed = f"{bare}; keep it short: only the most important points"
    if changed is None or changed == bare:
        changed = f"{bare}; mind that {spoken('; '.join(trouble.complaints)) or 'it failed before'}"
    return changed + "."
