"""Synthesis: what several results say, as one answer, as notes of few words, or the best of them.

A result becomes single statements, each with the tasks that it rests on: what a sentence says is
kept, how it says it is not, and what two say alike is said once. What contradicts what and what is
missing is said where the message names it: whoever asks has looked already.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from course.contradictions import contradictions as differing
from course.models.policy.clauses import polished
from course.models.policy.conversation import Talk
from course.models.policy.lexicon import nearest
from course.models.policy.lines import scalar
from course.models.policy.material import Part, task_in, unmarked
from course.models.policy.mentions import mentions
from course.models.policy.naming import without_names
from course.models.policy.patterns import regex
from course.models.policy.words import content, cue, human, listed

_SENTENCE = cue("synthesis.sentence", 0)
_PROSE = cue("synthesis.prose")
_EQUALS = cue("synthesis.equals")
_FIGURE = regex(r"-?\d[\d,.]*\d|\d")
_GOES_ON = regex(r"^(?:It|They|This|That|These|He|She)\b.*\d")
_TOPICS = 3  # words besides names, below which a request asks for everything


# --- texts in short ---------------------------------------------------------------------------

_LINE_OR_SENTENCE = regex(r"(?<=[.!?])\s+|\n+")
_NUMBERED = regex(r"\b[a-z]{3,} \d{2,}\b(?![-:.])")  # "order 55"
_KEPT = ("name", "id", "date", "time", "amount", "email", "phone", "number", "quoted")


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text that say something."""
    return [s.strip(" -*•\t") for s in _LINE_OR_SENTENCE.split(text) if content(s)]


def weight(sentence: str) -> float:
    """How much a summary would lose without a sentence: the facts in it."""
    return sum(
        2.0 if m.kind in ("id", "amount", "date") else 1.0
        for m in mentions(sentence)
        if m.kind in _KEPT
    )


def shortened(text: str, most: int) -> str:
    """The sentences of a text that carry most facts, at most `most`, in their order."""
    all_of_them = list(dict.fromkeys(sentences(text)))
    if len(all_of_them) <= most:
        return " ".join(all_of_them)
    best = sorted(range(len(all_of_them)), key=lambda n: (-weight(all_of_them[n]), n))[:most]
    return " ".join(all_of_them[n] for n in sorted(best))


def conversation(turns: Iterable[tuple[str, str]], most: int = 12) -> str:
    """Turns (speaker, text) in short, one line each, followed by the facts that were named."""
    lines: list[str] = []
    facts: dict[str, None] = {}
    for speaker, text in turns:
        bare = shortened(text, 2)
        if bare:
            lines.append(f"{speaker}: {bare}")
        facts |= dict.fromkeys(_NUMBERED.findall(text))
        facts |= {
            m.text: None
            for m in mentions(text)
            if m.kind in ("name", "id", "date", "time", "amount", "email", "phone")
        }
    kept = lines if len(lines) <= most else [*lines[:2], *lines[2 - most :]]
    named = [f"Named: {', '.join(list(facts)[:24])}."] if facts else []
    return "\n".join([*kept, *named])


# --- statements ---------------------------------------------------------------------------------


@dataclass
class Statement:
    """A statement with the tasks it is from; `row` tells that it is a line of a list."""

    text: str
    tasks: list[str] = field(default_factory=list)
    row: bool = False

    def shown(self) -> str:
        """The statement with its tasks in brackets; a quotation and a heading stand alone."""
        if self.text.startswith(">") or self.text.endswith(":"):
            return self.text
        return f"{self.text.rstrip('.')} [{', '.join(self.tasks)}]{'' if self.row else '.'}"


def _statements(results: tuple[tuple[str, str], ...], request: str) -> list[Statement]:
    """The statements of results (task, text) that a request needs, each once."""
    found: dict[tuple[str, ...], Statement] = {}
    for task, text in results:
        for line in _lines(text, request):
            row = line.startswith("- ")
            bare = line if row or line.startswith(">") else _plainer(line)
            key = (*content(bare), *_FIGURE.findall(bare)) or (bare,)
            known = found.setdefault(key, Statement(bare, [], row))
            if task not in known.tasks:
                known.tasks.append(task)
    return list(found.values())


def _lines(text: str, request: str) -> Iterator[str]:
    """The lines and sentences of a result that a request needs, with those that go on about them;
    of each line one at the least."""
    asked = frozenset(content(request))
    whole = len(content(without_names(request))) < _TOPICS
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith(("- ", ">")) or line.endswith(":"):
            yield line
            continue
        told = [s.strip() for s in _SENTENCE.split(line) if s.strip()]
        kept: list[str] = []
        before = False
        for sentence in told:
            bears = whole or any(nearest(w, asked) >= 0.6 for w in content(sentence))
            goes_on = before and bool(_GOES_ON.match(sentence))
            before = bears or goes_on or not _PROSE.search(sentence)
            kept += [sentence] if before else []
        yield from kept or told[:1]


def _plainer(sentence: str) -> str:
    """A sentence in fewer words: an equation as "what: value"."""
    bare = sentence.strip().rstrip(".")
    if equal := _EQUALS.match(bare):
        bare = f"{equal['what']}: {equal['value']}"
    bare = re.sub(r", which is (?=\d)", ": ", bare)
    return f"{bare[:1].upper()}{bare[1:]}"


# --- contradictions -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Told:
    """What a part says, as the search for contradictions reads it."""

    task_id: str
    result: str


def _text(part: Part) -> str:
    """A part in words; of JSON the figures, a line each."""
    if not isinstance(part.data, Mapping):
        return part.body
    figures = ((k, v) for k, v in part.data.items() if isinstance(v, int | float))
    return "\n".join(f"{human(k)}: {scalar(v)}" for k, v in figures if not isinstance(v, bool))


def contradictions(found: list[Part]) -> list[str]:
    """Sentences that name figures which several parts give differently; where their labels name
    things of one kind ("Site North", "Site South"), each has its own."""
    kinds = [set(content(p.label)) for p in found]
    if any(a & b for n, a in enumerate(kinds) for b in kinds[n + 1 :]):
        return []
    out = []
    for each in differing(_Told(part.label, _text(part)) for part in found):
        said = listed([f"{value} according to {label}" for label, value in each.said])
        out.append(f"The results disagree about {each.about}: {said}.")
    return out or _alike(found)


_AND = regex(r",? (?:and|but) |; ")


def _alike(found: list[Part]) -> list[str]:
    """Statements of several sources in the same words, but with another figure, time or day."""
    said: dict[tuple[str, frozenset[str]], list[tuple[str, str, Any]]] = defaultdict(list)
    for part in found:
        for text in (p for s in sentences(_text(part)) for p in _AND.split(s)):
            told = [m for m in mentions(text) if m.kind in ("date", "time", "number", "amount")]
            if len(told) == 1:
                rest = f"{text[: told[0].start]} {text[told[0].end :]}"
                about = frozenset(re.findall(r"\w+", rest.lower()))
                said[told[0].kind, about].append((part.label, told[0].text, told[0].value))
    return [
        f"The results disagree: {listed([f'{t} according to {_human(k)}' for k, t, _ in each])}."
        for (_, about), each in said.items()
        if len(content(" ".join(about))) > 1
        and len({value for _, _, value in each}) > 1 < len({label for label, _, _ in each})
    ]


# --- results under labels -----------------------------------------------------------------------


def _human(label: str) -> str:
    """A label as a reader likes it: underscores become blanks."""
    return re.sub(r"(?<=\w)_(?=\w)", " ", label)


def _topic(request: str) -> str:
    return polished(request).splitlines()[0].rstrip(".!?") if request.strip() else ""


_FAILURE = regex(r"^\W*(?:status:?\s*)?(?:failed|failure|error)\b[\s:,.-]*", re.IGNORECASE)


DIFFERENCES = cue("synthesis.differences")


def merged(found: tuple[Part, ...], request: str = "", *, versions: bool = False) -> str:
    """One text from labelled results: what each says, where they disagree, what is missing; where
    `versions` are wanted, what one source says is told as its own."""
    good, bad = [p for p in found if not p.failed], [p for p in found if p.failed]
    topic = _topic(request)
    disagree = contradictions(good)
    according = "According to " if versions and not disagree and len(good) > 1 else ""
    lines = [f"On “{topic}”, these results came in:" if topic else "These results came in:"]
    for part in good:
        body = part.body.strip()
        ended = body if body.endswith((".", "!", "?")) or "\n" in body else body + "."
        lines.append(f"- {according}{_human(part.label)}: {ended}")
    blocks = ["\n".join(lines) if good else "No result came in.", *disagree]
    if bad:
        told = ((_human(p.label), _FAILURE.sub("", p.body.strip()).rstrip(".")) for p in bad)
        gaps = "; ".join(", ".join(filter(None, each)) for each in told)
        without = "it" if len(bad) == 1 else "them"
        blocks.append(f"Missing: {gaps}. The answer is incomplete without {without}.")
    return "\n\n".join(blocks)


# --- results in brackets ------------------------------------------------------------------------

_RESULTS = cue("synthesis.results", 0)
_CLAIMS = regex(r"(?m)^Contradictions:[ \t]*\n")
_MARK = regex(r"(?m)^(?:\[(?P<label>[^\]\n]{1,80})\]|\((?P<round>[\w-]{1,20})\)):?[ \t]*")
_LOST = cue("synthesis.lost", 0)
_FAILED = regex(r"^failed:\s*", re.IGNORECASE)
_MOST = regex(r"\bat most (?P<most>\d[\d,]*) words\b", re.IGNORECASE)
_STAMP = regex(r"^(?:On “[^”]*”(?:, these results came in)?:|These results came in:)\s*")


@dataclass(frozen=True)
class Sheet:
    """Results by task, failures by task, and what contradicts what, as a message gives them."""

    request: str
    results: tuple[tuple[str, str], ...]
    failed: tuple[tuple[str, str], ...] = ()
    claims: tuple[str, ...] = ()


def sheet_of(talk: Talk) -> Sheet | None:
    """The results that a message hands over in brackets; None when it does not."""
    start = _RESULTS.search(talk.latest)
    if start is None:
        return None
    told, said = talk.latest[start.end() :], ""
    if claims := list(_CLAIMS.finditer(told)):
        told, said = told[: claims[-1].start()], told[claims[-1].end() :]
    gone: tuple[tuple[str, str], ...] = ()
    if lost := _LOST.search(told):
        told = told[: lost.start()]
        gone = (("", lost["what"].rstrip(".")),) if lost["what"] != "nothing" else ()
    # the task of a label such as "t1 (writer)" is its first part
    blocks = [(label.split(" (")[0], text) for label, text in _blocks(told)]
    before = talk.latest[: start.start()]
    first = re.sub(r"^[\w ]{3,20}: ", "", before.strip().split("\n\n")[0])
    return Sheet(
        task_in(before) or first,
        tuple((id, _STAMP.sub("", text)) for id, text in blocks if not _FAILED.match(text)),
        (*((id, _FAILED.sub("", text)) for id, text in blocks if _FAILED.match(text)), *gone),
        tuple(line.strip().removeprefix("- ") for line in said.splitlines() if line.strip()),
    )


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """The pieces of a text by the labels that they stand under."""
    marks = list(_MARK.finditer(text))
    ends = [*(m.start() for m in marks[1:]), len(text)][: len(marks)]
    for mark, end in zip(marks, ends, strict=True):
        yield mark["label"] or mark["round"], unmarked(text[mark.end() : end])


def put_together(sheet: Sheet) -> str:
    """One answer out of all results: statements with their tasks, contradictions, and gaps."""
    parts = [Part(id, text) for id, text in sheet.results]
    claims = sheet.claims or tuple(contradictions(parts))
    told = _statements(sheet.results, sheet.request)
    lines = [s.shown() for s in told]
    topic = _topic(sheet.request)
    opening = f"On “{topic}”:" if topic else "The results:"
    blocks = ["\n".join([opening, *lines])] if lines else [] if claims else ["No result came in."]
    blocks += claims
    if sheet.failed:
        gaps = "; ".join(", ".join(filter(None, each)) for each in sheet.failed)
        blocks.append(f"Missing: {gaps}{'' if gaps.endswith('.') else '.'}")
    return "\n\n".join(blocks)


def most_words(talk: Talk) -> int:
    """How many words notes may have, as the instructions say; 0 when they do not."""
    match = _MOST.search(talk.instructions)
    return int(match["most"].replace(",", "")) if match else 0


def noted(sheet: Sheet, most: int) -> str:
    """Notes of at most so many words: of every task the statements that the request needs most
    within its share of the words, and what tasks before it left; else the beginning of one."""
    rows = [(id, _by_need(text, sheet.request)) for id, text in sheet.results]
    rows += [(id, [(0, f"Failed: {text}")]) for id, text in sheet.failed]
    share = most // max(1, len(rows)) - 2  # a label may be of two words
    lines, room = [], 0
    for id, told in rows:
        room += max(0, share)
        kept: list[tuple[int, str]] = []
        for place, text in told:
            held = " ".join([t for _, t in kept] + [text])
            kept += [(place, text)] if len(held.split()) <= room else []
        first = " ".join(told[0][1].split()[: max(0, share)]) if told else ""
        text = "; ".join(t for _, t in sorted(kept)) or first
        room -= len(text.split())
        lines += [f"[{id}] {text}"] if text else []
    return "\n".join(lines)


def _by_need(text: str, request: str) -> list[tuple[int, str]]:
    """The statements of a text with their places, those that the request needs most first."""
    asked = set(content(request))
    told = [s.text.removeprefix("- ").rstrip(".") for s in _statements((("", text),), request)]
    need = [weight(t) + 2.0 * len(asked & set(content(t))) for t in told]
    return [(n, told[n]) for n in sorted(range(len(told)), key=lambda n: (-need[n], n))]


# --- the best of several answers ----------------------------------------------------------------

_SOURCE = cue("synthesis.source")
_HEDGE = cue("synthesis.hedge")


def best_of(options: tuple[str, ...], talk: Talk) -> str | None:
    """The label of the best answer, None when the options are no labels of answers in a message.

    Counted are the words shared with the task, figures, and sources; hedges count against.
    """
    answers = dict(_blocks(talk.latest))
    if len(options) < 2 or not set(options) <= set(answers):
        return None
    task = set(content(talk.request))

    def worth(answer: str) -> float:
        told = bool(re.search(r"(?<![\w-])\d[\d,.]*", answer)) + bool(_SOURCE.search(answer))
        return 0.5 * len(set(content(answer)) & task) + 1.5 * told - len(_HEDGE.findall(answer))

    return max(options, key=lambda o: (worth(answers[o]), -options.index(o)))
