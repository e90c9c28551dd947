"""What a chapter's text asks of an exercise, to be held against the exercise's data."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path

from nbformat import NotebookNode

from graders.records.scenario import Exercise, Sentence
from tests.judge.mutants import SOLVED
from tests.notebooks import kit

_JOINTS = frozenset("and or but so then".split())
_LABEL = re.compile(r"^\*\*(\w+)\*\*")
_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
_ENTRY = re.compile(r"^ {4}(\*{0,2}\w+): ")
_SECTION = re.compile(r"^(Args|Attributes|Returns|Yields|Raises):$")


def folded(text: str) -> str:
    """Text as it is compared: white space folded, without the marks of Markdown."""
    return " ".join(text.translate(str.maketrans("", "", "`*")).split())


def faults(
    exercise: Exercise, answers: Collection[str], book: NotebookNode | None = None
) -> Iterator[str]:
    """What is wrong with a contract: held against its chapter, its trials and its wrong answers.

    Args:
        exercise: whose contract it is.
        answers: the names of the exercise's wrong answers.
        book: the solved chapter; the one in `solutions/` when None.
    """
    contract = exercise.contract
    if not contract:
        yield "there is no contract"
    asked, docs = heading(exercise, book), list(docstrings(exercise, book))
    said = folded(asked) + folded(" ".join(docs))
    yield from (fault for each in contract for fault in _of_sentence(each, said, answers))
    for bullet in bullets(exercise, book):
        if left := uncovered(bullet, contract):
            yield f"the heading asks for what is not in the contract: {left.strip()}"
    for sentence in (sentence for text in docs for sentence in told(text)):
        if not is_told(sentence, contract):
            yield f"a docstring asks for what is not in the contract: {sentence}"
    looked_at = {trial for each in contract for trial in each.trials}
    for title in sorted(looked_at ^ {trial.title for trial in exercise.trials}):
        yield f'no sentence has the trial "{title}", or no trial has this title'
    # A docstring may repeat a sentence in other words.
    broken = (each.broken_by for each in contract if folded(each.text) in folded(asked))
    for name, count in Counter(name for name in broken if name).items():
        if count > 1:
            yield f'"{name}" is to break two sentences of the heading'


def _of_sentence(each: Sentence, said: str, answers: Collection[str]) -> Iterator[str]:
    if folded(each.text) not in said:
        yield f'"{each.text}" stands neither in the heading nor in a docstring'
    if bool(each.given) == bool(each.broken_by) or bool(each.given) == bool(each.trials):
        yield f'"{each.text}" needs trials and a wrong answer, or a reason why there is none'
    if each.broken_by and each.broken_by not in answers:
        yield f'"{each.broken_by}" is to break "{each.text}", and there is no such wrong answer'


def heading(exercise: Exercise, book: NotebookNode | None = None) -> str:
    """The text of the cell that says what the exercise asks; in the project, all text."""
    cells = (book or _book(exercise)).cells
    if is_of_project(exercise):
        return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    names = [kit.grade_id(cell) for cell in cells]
    source: str = cells[names.index(exercise.grade_ids[0]) - 1].source
    return source


def is_of_project(exercise: Exercise) -> bool:
    """Whether it is a requirement of the project: a row of a table, over several cells."""
    return exercise.number.startswith("11.")


def bullets(exercise: Exercise, book: NotebookNode | None = None) -> Iterator[str]:
    """The bullets of the heading, such as "**Returns** a text."; a requirement's row."""
    lines = heading(exercise, book).splitlines()
    if is_of_project(exercise):
        [row] = [each for each in lines if each.startswith(f"| {exercise.number} |")]
        yield row.removeprefix(f"| {exercise.number} |")
        return
    starts = [place for place, line in enumerate(lines) if line.startswith("- ")]
    for start in starts:
        end = start + 1
        while end < len(lines) and lines[end].startswith("  "):
            end += 1
        yield " ".join(line.strip() for line in lines[start:end])[2:]


def docstrings(exercise: Exercise, book: NotebookNode | None = None) -> Iterator[str]:
    """The docstrings of the exercise's solution cell; the project's say what is handed over."""
    for name in () if is_of_project(exercise) else exercise.grade_ids:
        tree = ast.parse(kit.by_id(book or _book(exercise), name).source)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield ast.get_docstring(node) or ""


def told(docstring: str) -> Iterator[str]:
    """The sentences of a docstring: no examples, no names of sections, not where it was built."""
    paragraphs = [""]
    for line in docstring.splitlines():
        if not line.strip() or _SECTION.match(line):
            paragraphs.append("")
        elif _ENTRY.match(line):
            paragraphs.append(_ENTRY.sub("", line))
        else:
            paragraphs[-1] += f" {line}"
    for paragraph in paragraphs:
        if not paragraph.strip().startswith(">>>"):
            for sentence in _END.split(paragraph.strip()):
                if sentence and not sentence.startswith("Built in chapter"):
                    yield sentence


def uncovered(bullet: str, contract: Sequence[Sentence]) -> str:
    """What a bullet says beside the contract's sentences; its label and joints are nothing."""
    whole = folded(bullet)
    rest = list(whole)
    for text in (folded(each.text) for each in contract):
        for found in re.finditer(re.escape(text), whole):
            rest[found.start() : found.end()] = "|" * len(text)
    left = re.sub(r"\|+", " | ", "".join(rest))
    label = _LABEL.match(bullet)
    words = re.findall(r"[^\W_]+", left.removeprefix(label[1]) if label else left)
    return "" if _JOINTS.issuperset(word.lower() for word in words) else left


def is_told(sentence: str, contract: Sequence[Sentence]) -> bool:
    """Whether the contract says what a docstring's sentence says.

    It does if one of its sentences stands there, or if two thirds of the sentence's words stand
    somewhere in the contract: a docstring repeats the heading in other words.
    """
    text = folded(sentence).lower()
    texts = [folded(each.text).lower() for each in contract]
    if any(each in text or text.rstrip(".") in each for each in texts):
        return True
    words, known = _stems(text), _stems(" ".join(texts))
    return 3 * len(words & known) >= 2 * len(words)


@cache
def _read(path: Path) -> NotebookNode:
    return kit.read(path)


def _book(exercise: Exercise) -> NotebookNode:
    return _read(SOLVED[exercise.number.split(".")[0].zfill(2)])


def _stems(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[^\W_]{4,}", text)}
