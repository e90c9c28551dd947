"""Remedy: a failed task put differently, in words of its own: with what is told to hold instead of
what is refused, with the setting that is lacking, or else with what its error's kind asks for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from course.models.policy.clauses import polished
from course.models.policy.mending import (
    QUOTED,
    allowed_by,
    listed_values,
    meant_by,
    nearest_allowed,
)
from course.models.policy.mentions import YEAR, mentions
from course.models.policy.patterns import regex
from course.models.policy.words import content, cue, name_words, stem

# --- a failed task put differently --------------------------------------------------------------

_NAME = cue("remedy.name", 0)
_CLAUSE = regex(r"(?<=[a-z)\d'”\"])[.;]\s+|\n+")
_REMEDY, _REFUSED, _MISSING = (cue(f"remedy.{n}") for n in ("remedy", "refused", "missing"))
_EQUALS = cue("remedy.equals", 0)
_COUNT = regex(r"\b(?P<n>\d[\d.,]*) (?P<unit>[a-z]{3,})")
_SHOWN = regex(r"(?:e\.g\.|such as|like|for example)[,:]? ['\"“]?([^'\".;”)]+)")


def rewritten(task: str, error: str, today: date, notes: str = "") -> str:
    """A changed task that takes the error into account, and what somebody adds to help; never
    the same words as before."""
    first = bare = polished(task).rstrip(".?")
    clauses = _clauses(_NAME.sub("", error))
    for found in (m for t in (notes, *clauses) for m in _EQUALS.finditer(t)):
        bare = bare.replace(found["old"].strip(), found["new"].strip())
    parts = [c for t in (*clauses, *_clauses(notes)) for c in re.split(r",\s+", t)]
    wanted = [new for part in parts if (new := _wanted(part))]
    for new in wanted:
        bare = _renamed(bare, new)
    for part in parts if not wanted and len(_choices(error)) < 2 else ():
        bare = _with_counterparts(bare, part) if _OFFERS.search(part) else bare
    changed = _exchanged(bare, error, clauses, notes)
    left = [n for n in _lines(notes) if not _EQUALS.search(n) and not _heeded(n, changed)]
    if changed == first:
        remedies = [c for c in clauses if _REMEDY.search(c) and not _REFUSED.search(c)]
        told = [r for r in remedies if not (left and _ASKS.match(r))]
        mind = [] if left else [f"mind that {_spoken('; '.join(clauses)) or 'it failed before'}"]
        said = [_spoken(r) for r in told] or mind
        unheard = [each for each in said if each not in first]  # what was said before helped nobody
        changed = (
            _with_allowed(bare, error, notes)
            or (None if left else _with_missing(bare, error, today))
            or "; ".join((bare, *(unheard or (said and ["do it in another way"]))))
        )
    return f"{changed} ({'; '.join(left)})." if left else f"{changed}."


def _clauses(text: str) -> list[str]:
    return [c.strip().rstrip(".") for c in _CLAUSE.split(text) if c.strip()]


def _wanted(clause: str) -> str:
    """What a clause says to take instead: "take Kranz instead", "a smaller one will do"."""
    found = _INSTEAD.search(clause)
    return next(filter(None, found.groups())) if found else ""


def _heeded(note: str, task: str) -> bool:
    return bool(new := _wanted(note)) and new in task


def _lines(text: str) -> list[str]:
    return [line.rstrip(".") for line in text.splitlines() if line.strip()]


_OFFERS, _INSTEAD = cue("remedy.offers"), cue("remedy.instead")
_LABELLED = regex(r"\b(?P<label>[A-Za-z]+)[ -]?\d+\b(?!:)")


def _with_counterparts(task: str, offer: str) -> str:
    """The task with what an offer has of the same sort in place of its own: another day or time,
    another number of the same things, another number or code after the same letters."""
    own = _sorts(task)
    if any(piece in offer for piece in own.values()):
        return task  # it tells of what was refused
    for sort, new in _sorts(offer, joined="time" not in own).items():
        if old := own.get(sort):
            said = f"on {new}" if sort == "date" else _spoken(new)
            task = task.replace(old, said if old[0].islower() else new, 1)
        elif sort.startswith("of "):
            task = re.sub(rf"\b{re.escape(sort[3:])}\w*\b", new, task, count=1)
    return task


def _sorts(text: str, *, joined: bool = False) -> dict[str, str]:
    """The pieces of a text that may have counterparts, by their sort; a day `joined` with the time
    that follows it is one."""
    found: dict[str, str] = {}
    told = [m for m in mentions(text) if m.kind in ("date", "time")]
    for mention, after in zip(told, [*told[1:], None], strict=False):
        near = after and after.kind == "time" and after.start - mention.end <= len(" at ")
        end = after.end if after and near and joined else mention.end
        found[mention.kind] = text[mention.start : end]
    found |= {f"of {stem(m['unit'])}": m.group() for m in _COUNT.finditer(text)}
    return found | {f"as {m['label'].lower()}": m.group() for m in _LABELLED.finditer(text)}


def _exchanged(task: str, error: str, clauses: list[str], notes: str) -> str:
    """The task with what is offered in place of what is refused."""
    allowed = _choices(error, notes)
    offered = _offered(allowed, notes, task)
    quoted = (q for q in QUOTED.findall(error) if q not in allowed and q.lower() in task.lower())
    said = [r for c in clauses if (r := _refused(c, task))]
    if not said and offered and offered not in task:  # what else it speaks of
        said = [runs[-1] for c in clauses if offered not in c and (runs := _shared(c, task))]
    for refused in (*quoted, *said):
        task = _without(task, refused, offered)
    if offered in _DAYS and not re.search(rf"\b{offered}\b", task):
        task = _DAY.sub(offered, task, count=1)
    return task


_DAYS = frozenset("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
_DAY = regex(rf"\b(?:{'|'.join(sorted(_DAYS))})\b")
_COLON = regex(
    r":\s+(?P<list>(?:[^:;]|\d:\d)*?(?:,| and | or )(?:[^:;]|\d:\d)*?)(?=[.;]\s|[.;]?$)",
    re.MULTILINE,
)
_ASKS = regex(r"(?:please )?(?:say|state|specify|name|give|tell|ask)\b", re.IGNORECASE)
_ENDS = regex(r"\s+(?:is|are|was|were|exists?|remains?)\b")
_UNWANTED = regex(r"\b(?:too|no|not|never|won't|can't|don't|cannot)\b", re.IGNORECASE)
_CAN = cue("remedy.can")
_FEW = 3  # words of one of several values


def _choices(error: str, notes: str = "") -> dict[str, str]:
    """The values that an error lists, without those that somebody adds not to want."""
    found = allowed_by(error)
    listed = _COLON.search(error) if len(found) < 2 else None
    if listed and not _ASKS.match(listed["list"]):
        *first, last = listed_values(listed["list"]).items() or [("", "")]
        values = dict([*first, (_ENDS.split(last[0])[0], last[1])])
        said = any(_ENDS.search(v) or len(v.split()) > _FEW for v in values)
        found = values if len(values) > 1 and not said else found
    can = None if found else _CAN.search(error)
    values = listed_values(can["list"]) if can else {}
    found = found if any(len(v.split()) > _FEW for v in values) else values or found
    clauses = [c for n in notes.splitlines() for c in re.split(r"[,;.] ", n)]
    unwanted = {v for c in clauses if _UNWANTED.search(c) for v in found if v in c}
    return {v: gloss for v, gloss in found.items() if v not in unwanted} or found


def _offered(allowed: Mapping[str, str], *texts: str) -> str:
    """The value that the first of the texts means that means any, else one that begins like a word
    of theirs, else the first; "" where there is none."""
    named = next((found[0] for t in texts if (found := meant_by(allowed, t))), "")
    begun = {w[:3] for t in texts for w in content(t)}
    alike = (v for v in allowed if any(p[:3] in begun for p in name_words(v)))
    return named or next(alike, next(iter(allowed), ""))


def _renamed(task: str, new: str) -> str:
    """The task with another thing of the same sort: "the large hall" for "the small hall"."""
    head = new.split()[-1]
    return re.sub(rf"\b(?:(?!the\b|an?\b)[\w-]+ )?{re.escape(head)}\b", new, task, count=1)


def _without(task: str, refused: str, offered: str) -> str:
    """The task without what is refused: the piece goes that was joined to another one, or else what
    is offered takes its place."""
    joined = rf",? (?:and|or) (?:(?:by|via|with|in|to|for|as|a|the) )*{re.escape(refused)}\b"
    bare = re.sub(joined, "", task, flags=re.IGNORECASE)
    if bare != task or not offered:
        return bare
    return re.sub(rf"\b{re.escape(refused)}(?!\w)", lambda _: offered, task, flags=re.IGNORECASE)


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


def _spoken(remedy: str) -> str:
    """A clause as it goes on within a sentence."""
    return remedy[:1].lower() + remedy[1:] if remedy[1:2].islower() else remedy


def _with_allowed(task: str, error: str, notes: str) -> str | None:
    """The task with the allowed value that is nearest to it or to what somebody adds, where the
    error names several."""
    allowed = _choices(error, notes)
    if len(allowed) < 2:
        return None
    by_gloss = {gloss: v for v, gloss in allowed.items() if gloss}
    if meant := meant_by(allowed, notes) or [by_gloss[g] for g in meant_by(by_gloss, notes)]:
        return f"{task}, using “{meant[0]}”"
    best = nearest_allowed(allowed, task)
    return f"{task}, using “{best}” (allowed: {', '.join(allowed)})" if best else None


def _with_missing(task: str, error: str, today: date) -> str | None:
    """The task with the setting that the error asks for: as it shows one, of the years that it
    names the latest, or else this year."""
    match = _MISSING.search(error)
    if not match:
        return None
    thing = match["thing"].lower()
    if thing == "year":
        years = YEAR.findall(error)
        return f"{task}, with year {max(years) if years else today.year}"
    shown = _SHOWN.search(error)
    return f"{task}, with {thing} {shown[1].strip()}" if shown else f"{task}; state the {thing}"
