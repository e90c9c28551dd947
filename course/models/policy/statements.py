"""Statements: results as single statements, each with the tasks that it rests on.

What a sentence says is kept, how it says it is not: lead-ins go, "the revenue was 12" becomes
"Revenue: 12", asides that have nothing to do with the request are left out, and what two results
say alike is said once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from course.models.policy.kin import nearest
from course.models.policy.naming import without_names
from course.models.policy.wordlists import cue
from course.models.policy.words import content

_SENTENCE = cue("statements.sentence", 0)
_PROSE = cue("statements.prose")
_LEAD_IN = cue("statements.lead_in")
_EQUALS = cue("statements.equals")
_FIGURE = re.compile(r"-?\d[\d,.]*\d|\d")


@dataclass
class Statement:
    """A statement with the tasks it is from; `row` tells that it is a line of a list."""

    text: str
    tasks: list[str] = field(default_factory=list)
    row: bool = False

    def shown(self) -> str:
        """The statement with its tasks in brackets."""
        tag = f"[{', '.join(self.tasks)}]"
        if self.text.startswith(">") or self.text.endswith(":"):
            return self.text
        return f"{self.text.rstrip('.')} {tag}{'' if self.row else '.'}"


def statements(results: tuple[tuple[str, str], ...], request: str) -> list[Statement]:
    """The statements of results (task, text) that a request needs, each once."""
    found: dict[tuple[str, ...], Statement] = {}
    for task, text in results:
        told = list(_told(text, request))
        for line in told:
            row = line.startswith("- ")
            bare = line if row or line.startswith(">") else plainer(line)
            key = (*content(bare), *_FIGURE.findall(bare)) or (bare,)
            known = found.setdefault(key, Statement(bare, [], row))
            if task not in known.tasks:
                known.tasks.append(task)
    return list(found.values())


def _told(text: str, request: str) -> Iterator[str]:
    """The lines and sentences of a result, without asides."""
    for line in (raw.strip() for raw in text.splitlines()):
        if not line:
            continue
        if line.startswith(("- ", ">")) or line.endswith(":"):
            yield line
            continue
        sentences = [s.strip() for s in _SENTENCE.split(line) if s.strip()]
        yield from _borne(sentences, request)


_GOES_ON = re.compile(r"^(?:It|They|This|That|These|He|She)\b.*\d")


def _borne(sentences: list[str], request: str) -> list[str]:
    """The sentences that a request needs, with those that go on about them; one at the least."""
    kept: list[str] = []
    before = False
    for sentence in sentences:
        before = bool(
            not _PROSE.search(sentence)
            or _bears(sentence, request)
            or (before and _GOES_ON.match(sentence))
        )
        if before:
            kept.append(sentence)
    return kept or sentences[:1]


_TOPICS = 3  # words besides names, below which a request asks for everything


def _bears(sentence: str, request: str) -> bool:
    """Whether a sentence has to do with a request."""
    asked = frozenset(content(request))
    topics = frozenset(content(without_names(request)))
    return len(topics) < _TOPICS or any(nearest(w, asked) >= 0.6 for w in content(sentence))


def plainer(sentence: str) -> str:
    """A sentence in fewer words: without its lead-in, an equation as "what: value"."""
    bare, source = sentence.strip().rstrip("."), ""
    lead = _LEAD_IN.match(bare)
    if lead:
        source = f" ({lead['source'].removeprefix('the ')})" if lead["source"] else ""
        bare = bare[lead.end() :]
    equal = _EQUALS.match(bare)
    if equal:
        bare = f"{equal['what']}: {equal['value']}"
    bare = re.sub(r", which is (?=\d)", ": ", bare)
    return f"{bare[:1].upper()}{bare[1:]}{source}"


def said_in(statement: Statement, lines: tuple[str, ...]) -> bool:
    """Whether all figures of a statement stand in one of these lines."""
    figures = _FIGURE.findall(statement.text)
    amounts = [f for f in figures if not re.fullmatch(r"(?:19|20)\d\d", f)]
    return bool(amounts) and any(all(f in line for f in amounts) for line in lines)
