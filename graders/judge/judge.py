"""The judge: a submission in, a report out."""

from __future__ import annotations

import hashlib
import random
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from graders.box import Lent, choose, warm
from graders.box.choice import Name
from graders.feedback.quoting import whole_sentence
from graders.judge import budget as budgets
from graders.judge.boxes import Boxes, OneAhead
from graders.judge.budget import Budget, Purse, Seconds
from graders.judge.cells import Cell, code_cells, is_written, needed
from graders.judge.chapters import Chapter, as_given, chapter_of, named_like
from graders.judge.comparing import Runs, finished_answer
from graders.judge.endings import CODES as ENDED
from graders.judge.endings import FINISHED, verdict_on
from graders.judge.needs import Needs
from graders.judge.outside import Played, limits_of, play_outside, script_for
from graders.judge.protocol import Note
from graders.judge.rebuild import places, rebuild
from graders.judge.submission import Unreadable, read
from graders.judge.world import Tokens, tokens_from
from graders.records.comparison import Comparison
from graders.records.log import Log
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.scenario import Exercise, Scenario, Trial
from graders.records.verdict import Verdict

HOPELESS = {
    "blocked.endless_loop": "never gave control back",
    "blocked.real_time": "waited in real time",
    "flood.messages": "asked or spoke without end",
    "flood.output": "printed without end",
}
"""After these the other trials of an exercise are not played: each would take its seconds."""

Progress = Callable[[str], None]


def judge_inside(
    exercise: Exercise, namespace: dict[str, Any], *, seed: int | None = None
) -> list[TrialVerdict]:
    """Judge an exercise in this process, with the names of a notebook.

    Args:
        exercise: what is judged; its `builds_on` stand in while it plays.
        namespace: the notebook's names, such as `globals()`.
        seed: of the scenarios; the exercise's visible one when None.

    Returns:
        One verdict for each trial, in order. After an endless loop the rest is not played.
    """
    seed = exercise.visible_seed if seed is None else seed
    verdicts: list[TrialVerdict] = []
    for trial in exercise.trials:
        skipped = not_played(verdicts)
        if skipped is None:
            verdicts.append(trial_inside(exercise, trial, namespace, seed=seed)[0])
        else:
            verdicts.append(_told(exercise, trial, skipped))
    return verdicts


def trial_inside(
    exercise: Exercise, trial: Trial, namespace: dict[str, Any], *, seed: int
) -> tuple[TrialVerdict, Log]:
    """Judge one trial as `judge_inside` does; gives what the world saw as well."""
    from graders.judge.inside import play_inside  # with openai, which no box's parent needs

    scenario = world_of(exercise, trial, seed, chosen=_text(namespace.get(exercise.choice)))
    tokens = _tokens(b"inside", exercise, trial, seed)
    log = play_inside(trial.stage, scenario, tokens, namespace, exercise)
    checks = trial.checks(scenario)
    verdict = verdict_on(log, checks, exercise=exercise.number, contract=exercise.asked)
    return _told(exercise, trial, verdict), log


def beside_inside(exercise: Exercise, trial: Trial, yours: Log, *, seed: int) -> Runs | None:
    """A run that failed, beside a right one that is played in this process; None where the package
    has no answer."""
    answered = finished_answer(exercise)
    if answered is None:
        return None
    judged, right = trial_inside(answered, trial, {}, seed=seed)
    return Runs(exercise, trial, yours, right) if judged.verdict.passed else None


def judge_submission(
    notebook: Path,
    *,
    chapters: Sequence[Chapter],
    box: Name = "auto",
    seed: int = 0,
    progress: Progress | None = None,
    own_work: bool = False,
    budget: Budget | None = None,
) -> Report:
    """Judge one notebook, each trial in a fresh box.

    Args:
        notebook: what was handed in.
        chapters: what can be judged, such as `graders.chapters.released()`.
        box: what the boxes are made of; see `graders.box.choose`.
        seed: varies the hidden scenarios.
        progress: is told each exercise's number before it is judged.
        own_work: whether it is the caller's own, the only case for the box "none".
        budget: how long it may take; the usual one when None.

    Raises:
        ConfigurationError: no such box works here.
        BoxError: the sandbox itself failed.
    """
    with judge(chapters=chapters, box=box, own_work=own_work, budget=budget) as ready:
        return ready.submission(notebook, seed=seed, progress=progress)


@contextmanager
def judge(
    *,
    chapters: Sequence[Chapter],
    box: Name = "auto",
    own_work: bool = False,
    budget: Budget | None = None,
    lent: Lent | None = None,
) -> Iterator[Judge]:
    """A judge for many submissions: the boxes' parent is warmed once, or is one that was lent."""
    with (
        nullcontext(lent) if lent else warm(choose(box, own_work=own_work)) as parent,
        closing(OneAhead(parent, limits_of(budget or budgets.USUAL))) as boxes,
    ):
        yield Judge(boxes, chapters, budget=budget)


@dataclass(frozen=True)
class Judge:
    """Judges submissions, one at a time; each report depends on the submission alone.

    Attributes:
        boxes: where fresh boxes come from.
        chapters: what can be judged.
        secret: what the fresh texts in replies are made from; new for every judge.
        budget: how long judging one of them may take; the usual one when None.
        right: right runs that were played, for all of them: by exercise, trial and seed.
    """

    boxes: Boxes
    chapters: Sequence[Chapter]
    secret: bytes = b""
    budget: Budget | None = None
    right: dict[tuple[str, str, int], Log | None] = field(default_factory=dict)

    def submission(
        self, notebook: Path, *, seed: int = 0, progress: Progress | None = None
    ) -> Report:
        """Judge one notebook; what cannot be judged is a report too.

        One that is of a former release is judged with the cells that came with it and with those
        of today, and each exercise has the better of both: neither their cells nor a package that
        has moved on since is the student's fault.
        """
        try:
            book = read(notebook)
            chapter = chapter_of(book, notebook.stem, self.chapters)
        except Unreadable as trouble:
            return self._refused(notebook, trouble)
        given = as_given(chapter, book)
        report = self._judged(notebook, book, given, seed, progress)
        if given is chapter:
            return report
        now = self._judged(notebook, book, chapter, seed, progress)
        return replace(report, exercises=tuple(map(_better, report.exercises, now.exercises)))

    def _judged(
        self,
        notebook: Path,
        book: NotebookNode,
        chapter: Chapter,
        seed: int,
        progress: Progress | None,
    ) -> Report:
        """The report on a notebook, with its text in the place of a release's."""
        found = places(chapter.released, book)
        whole = rebuild(chapter.released, book, found)
        cells = code_cells(whole, chapter.released)
        faithful = code_cells(whole, chapter.released, faithful=True)
        spoilt: set[tuple[str, str]] = set()
        kept = (chapter.released.cells[place] for place in found if place is not None)
        marks = {str(cell.metadata.get("nbgrader", {}).get("grade_id", "")) for cell in kept}
        handed_in = [cell for cell in cells if not cell.grade_id or cell.grade_id in marks]
        written = {cell.name for cell in cells if cell.own}  # of others a student can mend nothing
        notes: dict[str, None] = {}
        choices = dict.fromkeys(each.choice for each in chapter.exercises if each.choice)
        purse = Purse(self.budget or budgets.USUAL, [each.number for each in chapter.exercises])
        chosen = {name: _chosen(self.boxes, cells, name, purse) for name in choices}
        reports = []
        for exercise in chapter.exercises:
            if progress is not None:
                progress(exercise.number)
            made = all(is_written(handed_in, name) for name in exercise.definitions)
            solved = made or marks.issuperset(exercise.grade_ids)
            choice = chosen.get(exercise.choice, "")
            both = Needs(exercise, cells, spoilt), Needs(exercise, faithful, spoilt)
            run = _Run(self, exercise, both, seed, purse, solved=solved, chosen=choice)
            with purse.exercise(exercise.number):
                reports.append(run.report())
            notes.update(dict.fromkeys(_noted(n) for n in run.notes if n.cell in written))
        if book.emptied:
            told = f"{book.emptied} cells were left out: the notebook has too much code to be read"
            notes[told] = None
        return Report(notebook.name, chapter.name, tuple(reports), notes=tuple(notes))

    def _refused(self, notebook: Path, trouble: Unreadable) -> Report:
        """What cannot be judged, with the points that were to be had where its name says so."""
        chapter = named_like(notebook.stem, self.chapters)
        verdict = Verdict("not attempted", trouble.code, trouble.message)
        exercises = tuple(
            ExerciseReport(
                exercise.number,
                tuple(TrialVerdict(each.title, each.points, verdict) for each in exercise.trials),
            )
            for exercise in (chapter.exercises if chapter is not None else ())
        )
        name = chapter.name if chapter is not None else ""
        return Report(notebook.name, name, exercises, trouble.code, trouble.message)


class _Run:
    """One exercise of one submission."""

    def __init__(
        self,
        judge: Judge,
        exercise: Exercise,
        cells: tuple[Needs, Needs],
        seed: int,
        purse: Purse,
        *,
        solved: bool,
        chosen: str,
    ) -> None:
        self._judge = judge
        self._exercise = exercise
        self._seed = seed
        self._purse = purse
        self._solved = solved
        self._chosen = chosen
        self._cells, self._faithful = cells
        self._secret = judge.secret or secrets.token_bytes(32)
        self.notes: tuple[Note, ...] = ()

    def report(self) -> ExerciseReport:
        verdicts: list[TrialVerdict] = []
        for trial in self._exercise.trials:
            skipped = not_played(verdicts) or self._missing() or self._unaffordable()
            if skipped is None:
                verdicts.append(self._trial(trial))
            else:
                verdicts.append(_told(self._exercise, trial, skipped))
        return ExerciseReport(self._exercise.number, tuple(verdicts))

    def _missing(self) -> Verdict | None:
        if self._solved:
            return None
        names = " and ".join(f"`{name}`" for name in self._exercise.definitions)
        message = (
            f"the cell of exercise {self._exercise.number} is not in the notebook, "
            f"and no other cell defines {names}"
        )
        return Verdict("not attempted", "cell.missing", message)

    def _unaffordable(self) -> Verdict | None:
        if not self._purse.empty:
            return None
        return Verdict("not yet", "budget.used_up", f"not played: {self._purse.why()}")

    def _trial(self, trial: Trial) -> TrialVerdict:
        """Play a trial in the world of each hidden seed, until one is not passed.

        Where a seed changes nothing, its world was played already.
        """
        verdict, played, beside = Verdict("passed", "ok", ""), None, None
        worlds: list[Scenario] = []
        for hidden in self._exercise.hidden_seeds:
            drawn = _drawn(self._seed, hidden)
            scenario = world_of(self._exercise, trial, drawn, chosen=self._chosen)
            if scenario in worlds:
                continue
            worlds.append(scenario)
            played, verdict = self._attempt(trial, scenario, hidden, self._cells)
            if not verdict.passed and self._faithful.script() != self._cells.script():
                again, better = self._attempt(trial, scenario, hidden, self._faithful)
                played, verdict = (again, better) if better.passed else (played, verdict)
            if not verdict.passed:
                beside = self._beside(trial, verdict, played.log, hidden)
                break
        output = played.log.output if played is not None else ""
        return replace(_told(self._exercise, trial, verdict, output), comparison=beside)

    def _beside(self, trial: Trial, verdict: Verdict, yours: Log, hidden: int) -> Comparison | None:
        """The run that failed beside a right one; None where there is none, or no difference."""
        answered = finished_answer(self._exercise)
        if answered is None or verdict.sign != "not yet":
            return None
        drawn = _drawn(self._seed, hidden)
        place = self._exercise.number, trial.title, drawn
        if place not in self._judge.right:
            self._judge.right[place] = right_run(
                self._judge, answered, trial, self._seed, hidden, secret=self._secret
            )
        right = self._judge.right[place]
        if right is None:
            return None
        return Runs(self._exercise, trial, yours, right).comparison()

    def _attempt(
        self, trial: Trial, scenario: Scenario, hidden: int, cells: Needs
    ) -> tuple[Played, Verdict]:
        """Play a trial, and again without what spoilt it beside the answer."""
        while True:
            script = script_for(trial.stage, scenario, cells.script(), self._exercise)
            tokens = _tokens(self._secret, self._exercise, trial, hidden)
            played = play_outside(self._judge.boxes, script, scenario, tokens, self._purse)
            notes = played.notes + cells.leave_out(played)
            self.notes = tuple(dict.fromkeys((*self.notes, *notes)))
            verdict = self._verdict(trial, scenario, played, cells)
            if verdict.passed or cells.script() == script["cells"] or self._purse.empty:
                return played, verdict

    def _verdict(self, trial: Trial, scenario: Scenario, played: Played, cells: Needs) -> Verdict:
        own = [each for each in played.notes if each.cell in cells.own or each.type == FINISHED]
        begin = time.process_time()
        checks = trial.checks(scenario)
        number, asked = self._exercise.number, self._exercise.asked
        verdict = verdict_on(played.log, checks, exercise=number, contract=asked, notes=own)
        self._purse.pay(Seconds(1.0, 1.0) * (time.process_time() - begin))
        return verdict


def right_run(
    judge: Judge, answered: Exercise, trial: Trial, seed: int, hidden: int, *, secret: bytes = b""
) -> Log | None:
    """A right run in a box of its own, which costs nobody's time; None if it is none.

    Args:
        answered: an exercise with its answer, by `finished_answer`.
        seed: of the class. `hidden` is the exercise's.
        secret: what fresh texts are made from.
    """
    scenario = world_of(answered, trial, _drawn(seed, hidden))
    script = script_for(trial.stage, scenario, (), answered)
    tokens = _tokens(secret, answered, trial, hidden)
    log = play_outside(judge.boxes, script, scenario, tokens).log
    return log if verdict_on(log, trial.checks(scenario)).passed else None


def _drawn(seed: int, hidden: int) -> int:
    """The seed of one world."""
    return seed * 1_000_003 + hidden


def _better(one: ExerciseReport, other: ExerciseReport) -> ExerciseReport:
    return other if other.score > one.score else one


def grade_id(exercise: Exercise) -> str:
    """The name that an exercise's cells begin with: "1.2" has ex_1_2 and ex_1_2_check."""
    return "ex_" + exercise.number.replace(".", "_")


def world_of(exercise: Exercise, trial: Trial, seed: int, *, chosen: str = "") -> Scenario:
    """The scenario of a trial for one seed, and for what the submission chose if it may choose."""
    draw = random.Random(f"{exercise.number}/{trial.title}/{seed}")
    world = trial.scenario(draw, chosen) if exercise.choice else trial.scenario(draw)
    return replace(world, places=exercise.places)


def _chosen(boxes: Boxes, cells: Sequence[Cell], name: str, purse: Purse) -> str:
    """The text that a submission gives this name, read in a box; "" where it gives none."""
    stage = f"async def stage(bench, student):\n    return student.{name}\n"
    script = script_for(
        stage, Scenario(), [each.script(side=not each.grade_id) for each in needed(cells, [name])]
    )
    played = play_outside(boxes, script, Scenario(), tokens_from(b"choice"), purse)
    return _text(played.log.result)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _tokens(secret: bytes, exercise: Exercise, trial: Trial, seed: int) -> Tokens:
    place = f"{exercise.number}/{trial.title}/{seed}".encode()
    return tokens_from(hashlib.blake2b(place, key=secret[:64], digest_size=32).digest())


def not_played(verdicts: Sequence[TrialVerdict]) -> Verdict | None:
    """What a trial gets after one of these that was hopeless; None when it is to be played."""
    for number, each in enumerate(verdicts, start=1):
        code = each.verdict.code
        if code in HOPELESS:
            why = f"not played: the code {HOPELESS[code]} in trial {number}"
            return Verdict("not yet", code, why, cause=each.verdict.cause or each.verdict.message)
    return None


def _told(exercise: Exercise, trial: Trial, verdict: Verdict, output: str = "") -> TrialVerdict:
    """A verdict as the report has it. How a run ended breaks no sentence of the contract."""
    broken = not verdict.passed and verdict.code not in ENDED
    piece = exercise.sentence(trial.title, verdict.code) if broken else ""
    named = whole_sentence(exercise.number, piece) if piece else ""
    return TrialVerdict(trial.title, trial.points, verdict, output, named)


def _noted(note: Note) -> str:
    line = f" ({note.line})" if note.line else ""
    return f"cell {note.cell}: {note.type}: {note.message}{line}"
