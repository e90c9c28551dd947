"""Remedies: what an error or a helper's note says would make a failed task work."""

from __future__ import annotations

import re
from dataclasses import dataclass

from course.models.policy.words import stem

_NOTE = re.compile(
    r"(?im)^\s*(?P<label>(?:context|background|notes?|hints?|helps?|additional|more|attempts?|reason)"
    r"\b[^:\n]{0,24}):[ \t]*"
)
_NAME = re.compile(
    r"^\W*(?:[A-Z]\w*(?:Error|Exception|[a-z][A-Z]\w*)|(?i:error|failed)|\d{3})\W+\s*"
)
_CLAUSE = re.compile(r"(?<=[a-z)\d'”\"])[.;]\s+|\n+")
_REMEDY = re.compile(
    r"^(?:please |so |you (?:must|should|may|can) )?(?:use|give|ask|say|state|specify|choose|"
    r"restrict|limit|try|provide|name|add|pass|set|send|split|narrow|pick|only)\b"
    r"|\b(?:must|only|at most|at least|allowed|required|instead|no more than|valid|supported)\b",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"\b(?:may|can|must|do(?:es)?) ?not (?:\w+ )??(?P<what>[\w-]+)(?= |$)"
    r"|^(?P<thing>[\w-]+(?: [\w-]+)?) (?:is|are) not\b|\bno (?P<none>[\w-]+) (?:is|are)\b",
    re.IGNORECASE,
)
_EQUALS = re.compile(
    r"(?P<old>\d[\d.,]* ?[\w ]{0,14}?) (?:is|are|=|equals?|means?)(?: about| roughly)? "
    r"(?P<new>\d[^;,\n]*?)(?=[;,.]\s|[.;,]?$)"
)
_COUNT = re.compile(r"\b(?P<n>\d[\d.,]*) (?P<unit>[a-z]{3,})")
_DAY = re.compile(
    r"\b(?:\d{4}-\d\d-\d\d|\d{1,2}\.? (?:January|February|March|April|May|June|July|August"
    r"|September|October|November|December)(?: \d{4})?)\b"
)
_ISO = re.compile(r"\b\d{4}-\d\d-\d\d\b")


@dataclass(frozen=True)
class Trouble:
    """What went wrong, what is said to help, and what somebody adds: each a list of clauses."""

    complaints: tuple[str, ...]
    remedies: tuple[str, ...]
    notes: tuple[str, ...]


def trouble_in(error: str, hints: str = "") -> Trouble:
    """An error's text taken apart; labelled lines in it that help are notes."""
    pieces = _NOTE.split(error)
    told = [(label.lower(), text) for label, text in zip(pieces[1::2], pieces[2::2], strict=True)]
    notes = [t.strip() for label, t in told if not label.startswith(("attempt", "reason"))]
    bare = _NAME.sub("", pieces[0].strip() or next((t for k, t in told if k == "reason"), ""))
    clauses = [c.strip().rstrip(".") for c in _CLAUSE.split(bare) if c.strip()]
    remedies = tuple(c for c in clauses if _REMEDY.search(c) and not _REFUSED.search(c))
    others = tuple(c for c in clauses if c not in remedies)
    return Trouble(others, remedies, tuple(n for n in (*notes, hints.strip()) if n))


def remedied(task: str, trouble: Trouble) -> str | None:
    """The task in words of its own with what helps put into it; None where nothing is said to."""
    changed = exchanged(task, trouble)
    notes = [n.rstrip(".") for n in trouble.notes if not _put_in(n, changed)]
    if not trouble.notes and changed == task:
        own = [spoken(r) for r in trouble.remedies]
        return f"{task}; {'; '.join(own)}" if own else None
    return f"{changed}; note: {'; '.join(notes)}" if notes else changed


def _put_in(note: str, changed: str) -> bool:
    """Whether the figure that a note gives already stands in the task."""
    same = _EQUALS.search(note)
    return bool(same and same["new"].strip() in changed)


def spoken(remedy: str) -> str:
    """A clause as it goes on within a sentence."""
    return remedy[:1].lower() + remedy[1:] if remedy[1:2].islower() else remedy


def exchanged(task: str, trouble: Trouble) -> str:
    """The task with what is refused left out, and with values that are told to hold instead."""
    told = (*trouble.remedies, *trouble.complaints)
    for found in (m for t in (*trouble.notes, *told) for m in _EQUALS.finditer(t)):
        task = task.replace(found["old"].strip(), found["new"].strip())
    for found in (m for r in trouble.remedies for m in _COUNT.finditer(r)):
        same = re.compile(rf"\b(?:\d[\d.,]* )?(?P<w>{re.escape(stem(found['unit']))}\w*)\b")
        task = same.sub(f"{found['n']} {found['unit']}", task, count=1)
    days = [d for t in trouble.complaints for d in _ISO.findall(t)]
    wanted = list(dict.fromkeys(d for t in told for d in _ISO.findall(t)))[-1:]
    if days and wanted and (said := _DAY.search(task)):
        task = task.replace(said.group(), wanted[0])
    for found in (m for t in told for m in _REFUSED.finditer(t)):
        what = found["what"] or found["thing"] or found["none"]
        task = _without(task, what, found.string[found.end() :], trouble)
    return task


_OFFERED = re.compile(r"\b(?:use|choose|try|take|pick)\b:? (?P<what>[^.;]+)", re.IGNORECASE)


def _without(task: str, what: str, after: str, trouble: Trouble) -> str:
    """The task without what is refused: the first that is offered takes its place, or else the
    piece that was joined to another one goes."""
    refused = [w for w in (after.strip().split(" ")[0].strip(",;."), what) if len(w) > 3]
    said = next((w for w in refused if re.search(rf"\b{re.escape(w)}\b", task, re.I)), None)
    if said is None:
        return task
    joined = rf",? (?:and|or) (?:(?:by|via|with|in|to|for|as|a|the) )*{re.escape(said)}\b"
    bare = re.sub(joined, "", task, flags=re.IGNORECASE)
    if bare != task:
        return bare
    offered = next((m["what"] for t in trouble.remedies if (m := _OFFERED.search(t))), None)
    return re.sub(rf"\b{re.escape(said)}\b", offered, task, flags=re.I) if offered else task
