"""Notes: the results of tasks as one answer, or as notes of few words.

Every result keeps the id of its task in brackets. What contradicts what and what is missing is
said where the message names it: whoever asks has looked already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from course.models.policy.conversation import Talk
from course.models.policy.digest import weight
from course.models.policy.material import Part, task_in
from course.models.policy.merge import contradictions
from course.models.policy.prose import polished
from course.models.policy.statements import said_in, statements
from course.models.policy.wordlists import cue
from course.models.policy.words import content

_RESULTS = cue("notes.results", 0)
_CLAIMS = re.compile(r"(?m)^Contradictions:[ \t]*\n")
_MARK = re.compile(r"(?m)^(?:\[(?P<label>[^\]\n]{1,80})\]|\((?P<round>[\w-]{1,20})\)):?[ \t]*")
_LOST = cue("notes.lost", 0)
_FAILED = re.compile(r"^failed:\s*", re.IGNORECASE)
_MOST = re.compile(r"\bat most (?P<most>\d[\d,]*) words\b", re.IGNORECASE)


@dataclass(frozen=True)
class Sheet:
    """Results by label, failures by label, and what contradicts what, as a message gives them."""

    request: str
    results: tuple[tuple[str, str], ...]
    failed: tuple[tuple[str, str], ...] = ()
    claims: tuple[str, ...] = ()


def sheet_of(talk: Talk) -> Sheet | None:
    """The results that a message hands over in brackets; None when it does not."""
    start = _RESULTS.search(talk.latest)
    if start is None:
        return None
    rest = talk.latest[start.end() :]
    claims = list(_CLAIMS.finditer(rest))
    told = rest[: claims[-1].start()] if claims else rest
    lost = _LOST.search(told)
    told = told[: lost.start()] if lost else told
    gone = (("", lost["what"].rstrip(".")),) if lost and lost["what"] != "nothing" else ()
    said = rest[claims[-1].end() :].splitlines() if claims else []
    blocks = tuple(_blocks(told))
    return Sheet(
        _request_in(talk.latest[: start.start()]),
        tuple((label, text) for label, text in blocks if not _FAILED.match(text)),
        (*((label, _FAILED.sub("", t)) for label, t in blocks if _FAILED.match(t)), *gone),
        tuple(line.strip().removeprefix("- ") for line in said if line.strip()),
    )


def _request_in(text: str) -> str:
    """The request before the results: under its label, or the first paragraph."""
    return task_in(text) or re.sub(r"^[\w ]{3,20}: ", "", text.strip().split("\n\n")[0])


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    marks = list(_MARK.finditer(text))
    ends = [*(m.start() for m in marks[1:]), len(text)][: len(marks)]
    for mark, end in zip(marks, ends, strict=True):
        yield mark["label"] or mark["round"], text[mark.end() : end].strip()


def put_together(sheet: Sheet) -> str:
    """One answer out of all results: statements with their tasks, contradictions, and gaps."""
    results = tuple((_id(label), _STAMP.sub("", text)) for label, text in sheet.results)
    parts = [Part(label, text) for label, text in results]
    claims = sheet.claims or tuple(contradictions(parts))
    found = [s for s in statements(results, sheet.request) if not said_in(s, sheet.claims)]
    topic = polished(sheet.request).splitlines()[0].rstrip(".!?") if sheet.request else ""
    opening = f"On “{topic}”:" if topic else "The results:"
    lines = [s.shown() for s in found]
    blocks = ["\n".join([opening, *lines])] if lines else [] if claims else ["No result came in."]
    blocks += list(claims)
    if sheet.failed:
        told = ((_id(label), text) for label, text in sheet.failed)
        gaps = "; ".join(", ".join(t for t in each if t) for each in told)
        blocks.append(f"Missing: {gaps}{'' if gaps.endswith('.') else '.'}")
    return "\n\n".join(blocks)


def _id(label: str) -> str:
    """The task of a label such as "t1 (writer)"."""
    return label.split(" (")[0]


_STAMP = re.compile(r"^(?:On “[^”]*”(?:, these results came in)?:|These results came in:)\s*")


def most_words(talk: Talk) -> int:
    """How many words notes may have, as the instructions say; 0 when they do not."""
    match = _MOST.search(talk.instructions)
    return int(match["most"].replace(",", "")) if match else 0


def noted(sheet: Sheet, most: int) -> str:
    """Notes of at most so many words: of every task in turn the statement that the request needs
    most, until there is no more room."""
    rows = [(label, _ranked(_STAMP.sub("", text), sheet.request)) for label, text in sheet.results]
    rows += [(label, [(0, f"Failed: {text}")]) for label, text in sheet.failed]
    kept: dict[str, list[tuple[int, str]]] = {_id(label): [] for label, _ in rows}
    room = most - 2 * len(kept)
    for turn in range(max((len(told) for _, told in rows), default=0)):
        for label, told in rows:
            if turn < len(told) and len(told[turn][1].split()) <= room:
                kept[_id(label)].append(told[turn])
                room -= len(told[turn][1].split())
    lines = [(label, "; ".join(t for _, t in sorted(told))) for label, told in kept.items()]
    short = [(label, text or _cut(rows, label, most // len(kept))) for label, text in lines]
    return "\n".join(f"[{label}] {text}" for label, text in short if text)


def _ranked(text: str, request: str) -> list[tuple[int, str]]:
    """The statements of a text with their places, those that the request needs most first."""
    asked = set(content(request))
    told = [s.text.removeprefix("- ").rstrip(".") for s in statements((("", text),), request)]
    order = sorted(range(len(told)), key=lambda n: (-_need(told[n], asked), n))
    return [(n, told[n]) for n in order]


def _need(statement: str, asked: set[str]) -> float:
    return weight(statement) + 2.0 * len(asked & set(content(statement)))


def _cut(rows: list[tuple[str, list[tuple[int, str]]]], label: str, most: int) -> str:
    """The beginning of a result of which no statement had room."""
    told = next((told for name, told in rows if _id(name) == label), [])
    return " ".join(told[0][1].split()[: max(3, most // 2)]) if told and most > 6 else ""
