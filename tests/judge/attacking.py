"""Submissions made of attacks, each put into an exercise of a chapter that is solved elsewhere."""

from __future__ import annotations

import ast
import copy
import functools
import itertools
import textwrap
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell

from graders.box import Parent, warm
from graders.box.backend import Backend
from graders.chapters import released
from graders.judge.boxes import OneAhead
from graders.judge.budget import USUAL
from graders.judge.chapters import Chapter
from graders.judge.judge import Judge, grade_id
from graders.judge.outside import limits_of
from graders.records.report import Report
from graders.records.scenario import Exercise, Trial
from tests.judge.attacks import ATTACKS, SLOW, Attack
from tests.judge.mutants import EXERCISES, solution_cells
from tests.notebooks import kit

PLACES = ("in the call", "above the function", "in a cell of its own")
GUESSES = {
    "0.2": "[f'{caller} is through' for caller in callers]",
    "1.1": "{'name': function.__name__, 'description': '', 'parameters': {}}",
    "1.2": "{'role': 'tool', 'tool_call_id': call['id'], 'content': 'done'}",
    "1.3": "[{'role': 'tool', 'tool_call_id': call['id'], 'content': 'done'} for call in calls]",
    "1.4": "(context, None, None)",
    "1.5": "Answer({'role': 'assistant', 'content': 'done'})",
}
ASKS = {
    "0.2": "await put_through('Ada')",
    "1.2": "await call_tool(tuple(tools)[0], '{}')",
    "1.3": "await answer_call(tuple(calls)[0], tools)",
    "1.4": "await ask(agent, context, client=client, turn=0)",
}
BY_NUMBER = {each.number: each for each in EXERCISES}
_PATIENCE = 60.0  # real seconds until nothing of a box may be left


@dataclass(frozen=True)
class Assault:
    """One attack, in one place of one exercise."""

    attack: str
    number: str
    place: str

    @property
    def makes_sense(self) -> bool:
        """Whether it does there what its name says."""
        does = ATTACKS[self.attack].does
        called = self.place == PLACES[0]
        if "ASK" in does:
            return called and self.number in ASKS
        return not (called and "await" in does and _head(self.number).startswith("def "))


@functools.cache
def everyone(chapter: str) -> list[Assault]:
    """Every attack in every place of every exercise of a chapter ("01") that it makes sense in."""
    numbers = [number for number in GUESSES if number.startswith(f"{int(chapter)}.")]
    product = itertools.product(ATTACKS, numbers, PLACES)
    return [each for each in itertools.starmap(Assault, product) if each.makes_sense]


def sample(chapter: str) -> list[Assault]:
    """Each attack once, so that every exercise of the chapter meets every place."""
    chosen: list[Assault] = []
    for turn, attack in enumerate(ATTACKS):
        fitting = [each for each in everyone(chapter) if each.attack == attack]
        combinations = _combinations(chapter)
        start = 0 if attack in SLOW else turn % len(combinations)
        wanted = combinations[start:] + combinations
        chosen.append(min(fitting, key=lambda each: wanted.index((each.number, each.place))))
    return chosen


def everywhere() -> list[Assault]:
    """Each attack in chapter 00 and once in chapter 01: walls see no exercise and no place."""
    return [*plainly("0.2"), *sample("01")]


def plainly(number: str) -> list[Assault]:
    """Each attack once in this exercise, in the place that is its own."""
    return [Assault(name, number, PLACES[each.above]) for name, each in ATTACKS.items()]


@functools.cache
def chosen(box: str) -> list[Assault]:
    """What every run of the tests plays in this kind of box."""
    if box == "bwrap":
        return plainly("0.2")
    everything = sample("01") if box == "landlock" else plainly("0.2")
    return [each for each in everything if each.attack not in SLOW]


def around(number: str, *, whole: bool = True) -> Chapter:
    """The chapter with this exercise and those before and after it, each with one seed.

    Those have one trial, and so has the exercise itself unless `whole`.
    """
    chapter = next(each for each in released() if BY_NUMBER[number] in each.exercises)
    place = chapter.exercises.index(BY_NUMBER[number])
    exercises = [
        replace(each, hidden_seeds=(2,), trials=_trials(each, whole and each.number == number))
        for each in chapter.exercises[max(0, place - 1) : place + 2]
    ]
    return replace(chapter, exercises=tuple(exercises))


@dataclass(frozen=True)
class Outcome:
    """What came of it.

    Attributes:
        gained: points for the attacked exercise.
        lost: points that the solved exercises beside it should have got.
        harm: what it did elsewhere.
    """

    gained: float
    lost: float
    harm: tuple[str, ...]
    report: Report
    codes: tuple[str, ...]


@dataclass(frozen=True)
class Arena:
    """A judge to attack, and how many processes there are while it has no boxes."""

    ready: Judge
    parent: Parent
    idle: int

    def play(self, assault: Assault, folder: Path) -> Outcome:
        """Judge a submission with this attack; `folder` is fresh, for all that it may harm."""
        whole = assault.attack not in SLOW
        judge = replace(self.ready, chapters=[around(assault.number, whole=whole)])
        paper, victim = hand_in(assault, folder), folder / "submitted"
        before = _picture(victim)
        report = judge.submission(paper)
        harm = [f"{name}: {text!r:.40}" for name, text in before.items() ^ _picture(victim).items()]
        left = ["left processes"] if self._left() else []
        [attacked] = [each for each in report.exercises if each.number == assault.number]
        return Outcome(
            attacked.score,
            sum(each.max_score - each.score for each in report.exercises if each is not attacked),
            (*sorted(harm), *left),
            report,
            tuple(dict.fromkeys(trial.verdict.code for trial in attacked.trials)),
        )

    def _left(self) -> bool:
        """Whether something of a box is alive, also after some patience."""
        self.ready.boxes.close()  # type: ignore[attr-defined]
        deadline = time.monotonic() + _PATIENCE
        while _tasks(self.parent) > self.idle:
            if time.monotonic() > deadline:
                return True
            time.sleep(0.02)
        return False


@contextmanager
def opened(backend: Backend) -> Iterator[Arena]:
    """A judge whose boxes are of this backend."""
    with warm(backend) as parent, closing(OneAhead(parent, limits_of(USUAL))) as boxes:
        yield Arena(Judge(boxes, ()), parent, _tasks(parent))


def _trials(exercise: Exercise, whole: bool) -> tuple[Trial, ...]:
    return exercise.trials if whole else exercise.trials[:1]


def _combinations(chapter: str) -> list[tuple[str, str]]:
    return list(dict.fromkeys((each.number, each.place) for each in everyone(chapter)))


def hand_in(assault: Assault, folder: Path) -> Path:
    victim = folder / "submitted"
    victim.mkdir()
    victim.joinpath("gradebook.db").write_text("3")
    victim.joinpath("other.ipynb").write_text("somebody else's")
    for path in (folder, victim, *victim.iterdir()):
        path.chmod(0o777)
    paper = folder / f"{around(assault.number).name}.ipynb"
    nbformat.write(_book(assault, victim), paper)
    return paper


def _book(assault: Assault, victim: Path) -> nbformat.NotebookNode:
    name = around(assault.number).name
    book = copy.deepcopy(_solved(name))
    added, solution = texts(assault, victim)
    cell = kit.by_id(book, grade_id(BY_NUMBER[assault.number]))
    cell.source = solution
    if added:
        book.cells.insert(book.cells.index(cell), new_code_cell(added))
    return book


def texts(assault: Assault, victim: Path) -> tuple[str, str]:
    """The source of the cell that is added, empty if none is, and of the solution."""
    attack, number = ATTACKS[assault.attack], assault.number
    does = _filled(attack, number, victim)
    head, gives = _head(number), attack.gives.replace("GUESS", GUESSES[number])
    if assault.place == "in the call":
        return "", f"{head}{textwrap.indent(does, '    ')}\n    return {gives}\n"
    if assault.place == "above the function":
        return "", f"{does}\n\n\n{head}    return {gives}\n"
    return f"armed = True\n{does}\n", f"{head}    armed\n    return {gives}\n"


def _filled(attack: Attack, number: str, victim: Path) -> str:
    does = attack.does.replace("VICTIM", repr(str(victim)))
    return does.replace("PROJECT", repr(str(kit.ROOT))).replace("ASK", ASKS.get(number, "ASK"))


@functools.cache
def _solved(name: str) -> nbformat.NotebookNode:
    return kit.read(kit.ROOT / "solutions" / name / f"{name}.ipynb")


@functools.cache
def _head(number: str) -> str:
    """The lines of the exercise's `def`, down to its docstring."""
    exercise = BY_NUMBER[number]
    [cell] = [c for c in solution_cells(exercise) if c.grade_id == grade_id(exercise)]
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = (each for each in ast.parse(cell.source).body if isinstance(each, kinds))
    function = next(each for each in found if each.name == exercise.definitions[0])
    lines = cell.source.splitlines(keepends=True)
    return "".join(lines[function.lineno - 1 : function.body[0].lineno - 1])


def _picture(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() if path.is_file() else "" for path in folder.iterdir()}


def _tasks(parent: Parent) -> int:
    """Processes below the sandbox, and those that carry its folder's name but got away from it."""
    assert parent._sandbox is not None
    root, folder = parent._sandbox._process.pid, str(parent._folder.path).encode()
    found = list(_processes())
    parents = {pid: parent for pid, parent, _ in found}
    return sum(folder in words or root in _ancestors(pid, parents) for pid, _, words in found)


def _processes() -> Iterator[tuple[int, int, bytes]]:
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            status = (entry / "stat").read_text().rpartition(")")[2].split()
            if status[0] != "Z":
                yield int(entry.name), int(status[1]), (entry / "cmdline").read_bytes()
        except OSError:  # it has ended
            continue


def _ancestors(pid: int, parents: dict[int, int]) -> Sequence[int]:
    above = [pid]
    while above[-1] in parents:
        above.append(parents[above[-1]])
    return above
