"""Right and wrong answers to the exercises: a text file for each exercise, in tests/answers.

`== wrong: what is wrong` or `== right: in which style` begins an answer. Below it stands the whole
solution cell, or what differs from the chapter's own, or from an answer further up that
`== of: its name` names: lines that go have a - before them, lines that come a +, lines around them
by which the place is found a space; `...` stands between two places. `== says:` is a part of what
the judge says of a wrong one first, and `== hushes:` what it does not say, such as another cause.
`== way:` is how a wrong one breaks its sentence: see clauses.py. The project's answers differ from
its right ones in projects/, and `== also:` names the other exercises that fall with one, or see it
if it is right.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.notebooks import kit

FOLDER = kit.ROOT / "tests" / "answers"
LEAST = {"wrong": 5, "right": 3}
"""How many answers of each kind an exercise has, besides the chapter's own."""
PROJECT = "11"
"""Its submissions are whole systems, judged by test_projects.py."""
OWN = "the chapter's solution"
_ABOUT = ("of", "says", "hushes", "also", "way")
_MARKS = ("### BEGIN SOLUTION", "### END SOLUTION")
Line = tuple[int, str]
"""A line with its number in the file."""
Told = list[tuple[str, str]]
"""Answers: name and source of the solution cell."""


class AnswerError(ValueError):
    """An answer cannot be read, or does not fit what it changes; the message has file and line."""


@dataclass
class Answers:
    """What the file of an exercise holds.

    By a wrong one's name: what it is told and what not, in which way it breaks its sentence, and
    which other exercises fall with it.
    """

    wrong: Told = field(default_factory=list)
    right: Told = field(default_factory=list)
    says: dict[str, str] = field(default_factory=dict)
    hushes: dict[str, str] = field(default_factory=dict)
    way: dict[str, str] = field(default_factory=dict)
    also: dict[str, tuple[str, ...]] = field(default_factory=dict)


@cache
def answers(number: str) -> Answers:
    """The answers to an exercise ("3.4"); none where it has no file.

    Raises:
        AnswerError: one of them cannot be read.
    """
    path = FOLDER / f"{number}.txt"
    if not path.exists():
        return Answers()
    text, name = path.read_text(encoding="utf-8"), f"tests/answers/{path.name}"
    return read(text, name, solution(number), styles() if number.startswith(PROJECT) else {})


def of_chapter(chapter: str) -> dict[str, Answers]:
    """The answers to each exercise of a chapter ("03") that has a file, in order."""
    names = (path.stem for path in FOLDER.glob(f"{int(chapter)}.*.txt"))
    return {name: answers(name) for name in sorted(names, key=lambda name: int(name.split(".")[1]))}


@cache
def styles() -> dict[str, str]:
    """Right projects, whole, by the names of their styles."""
    paths = sorted(Path(__file__).with_name("projects").glob("[a-z]*.py"))
    return {path.stem: path.read_text(encoding="utf-8") for path in paths}


@cache
def solution(number: str) -> str:
    """The chapter's own answer, without the lines that mark it; "" where no chapter has one."""
    for path in (kit.ROOT / "solutions").glob(f"{number.partition('.')[0].zfill(2)}_*/*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            about = cell["metadata"].get("nbgrader", {})
            if about.get("grade_id") == "ex_" + number.replace(".", "_"):
                lines = "".join(cell["source"]).splitlines()
                return "\n".join(line for line in lines if line.strip() not in _MARKS) + "\n"
    return ""


def read(text: str, name: str, own: str, others: Mapping[str, str] = {}) -> Answers:
    """The answers that a file holds.

    Args:
        text: the file's.
        name: its name, for messages.
        own: the solution that a difference is from.
        others: more that one may be from, by name.

    Raises:
        AnswerError: one of them cannot be read, or what it changes is not there.
    """
    found, known = Answers(), {OWN: own, **others}
    for kind, title, about, body in _parts(text, name):
        base = about.get("of", OWN)
        above = f"{name}:{body[0][0] - 1}"
        if title in known:
            raise AnswerError(f"{above}: there is another answer called '{title}'")
        if base not in known:
            raise AnswerError(f"{above}: no answer further up is called '{base}'")
        lines = known[base].splitlines()
        made = list(_changed(lines, body, name, base)) if _differs(body) else [t for _, t in body]
        known[title] = "\n".join(made).strip("\n") + "\n"
        getattr(found, kind).append((title, known[title]))
        for word in ("says", "hushes", "way"):
            if word in about:
                getattr(found, word)[title] = about[word]
        if "also" in about:
            found.also[title] = tuple(about["also"].split())
    return found


def _parts(text: str, name: str) -> Iterator[tuple[str, str, dict[str, str], list[Line]]]:
    """Kind, name, what is said about it, and lines of each answer."""
    head: tuple[str, str] | None = None
    about, body = dict[str, str](), list[Line]()
    for number, line in enumerate([*text.splitlines(), "== end: "], 1):
        if head and not line.startswith("== "):
            body.append((number, line))
            continue
        word, _, title = line.removeprefix("== ").partition(": ")
        if word in _ABOUT and head and not body:
            about[word] = title
            continue
        if head and body:
            yield *head, about, body
        elif head or word not in (*LEAST, "end"):
            raise AnswerError(f"{name}:{number}: write == wrong: or == right:, then the answer")
        head, about, body = (word, title), {}, []


def _differs(body: Sequence[Line]) -> bool:
    """Whether it is a difference: no cell begins with a space, a plus or a minus."""
    return body[0][1].startswith((" ", "+", "-"))


def _changed(lines: list[str], body: Sequence[Line], name: str, base: str) -> Iterator[str]:
    """The lines of an answer with the changes of a difference."""
    after = 0
    for place in _places(body):
        first = f"{name}:{place[0][0]}"
        if any(line[:1] not in ("", " ", "+", "-") for _, line in place):
            raise AnswerError(f"{first}: begin each line with a space, a + or a -")
        old = [line[1:] for _, line in place if not line.startswith("+")]
        starts = [n for n in range(len(lines)) if lines[n : n + len(old)] == old]
        if not old or len(starts) != 1:
            times = len(starts) if old else "no"
            raise AnswerError(f"{first}: what it changes stands {times} times in {base}")
        if starts[0] < after:
            raise AnswerError(f"{first}: in {base} it stands before what is changed above it")
        yield from lines[after : starts[0]]
        yield from (line[1:] for _, line in place if not line.startswith("-"))
        after = starts[0] + len(old)
    yield from lines[after:]


def _places(body: Sequence[Line]) -> Iterator[list[Line]]:
    place: list[Line] = []
    for number, line in [*body, (0, "...")]:
        if line == "..." and place:
            yield place
            place = []
        else:
            place.append((number, line))
