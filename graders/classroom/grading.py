"""`python -m graders grade`: every submission ends graded, ungraded with a reason, or missing."""

from __future__ import annotations

import fcntl
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import get_args

from course.errors import ConfigurationError
from graders.box import choose
from graders.box.choice import Name
from graders.chapters import released
from graders.classroom import settings as rules
from graders.classroom.attempts import counting, judged_attempts
from graders.classroom.collected import (
    ROSTER,
    Collected,
    expected,
    put_right,
    read_collected,
    roster_of,
)
from graders.classroom.differences import agreed, differences, falls, write_differences
from graders.classroom.grades import grades_of
from graders.classroom.hashes import hashes_of
from graders.classroom.judging import Job, Setup, Trouble
from graders.classroom.private import make_folder
from graders.classroom.progress import Progress
from graders.classroom.results import FILE, Key, Result, Results, Status
from graders.classroom.roster import Roster, read_roster
from graders.classroom.saying import Lines, say, shortened, tell
from graders.classroom.submitted import Submission, loose, submissions
from graders.classroom.workers import judged
from graders.exercises import chapter_of, exercises_of
from graders.judge.chapters import Chapter
from graders.records.report import Partial
from graders.records.whole import write
from graders.records.wording import one_line

GRADED, UNUSABLE, SOME_UNGRADED, HELD_BACK, INTERRUPTED = 0, 2, 3, 4, 130
_SHOWN = 5
NO_WALLS = "the box 'none' has limits but no walls: judge only your own work in it"
SECRET = 32  # bytes
JUDGE_FAILED, NONE = "judge.failed", "submission.none"


@dataclass(frozen=True, slots=True)
class Call:
    """What `grade` was asked for.

    Attributes:
        submitted: the folder of submissions.
        out: where results go, and the secret of this class.
        only: names of students or chapters ("01" will do); all when empty.
        workers: how many judges at a time.
        scheduler: the address of a Dask cluster that judges instead; None: this machine does.
        regrade: None: what is judged already is skipped; "": everything is judged again;
            "3.7": that exercise of everybody is.
        accept: whether grades may fall.
        gradebook: whether nbgrader's gradebook is written as well.
    """

    submitted: Path
    out: Path
    only: Sequence[str] = ()
    workers: int = 1
    scheduler: str | None = None
    box: Name = "auto"
    seed: int = 0
    patience: float = 1.0
    partial: Partial | None = None
    regrade: str | None = None
    accept: bool = False
    gradebook: bool = True


def grade(call: Call) -> int:
    """Judge a class.

    Returns:
        0 when everything was graded; 3 when something is ungraded; 4 when a grade would fall and
        nobody agreed; 2, with one line on stderr, when it cannot be done; 130 when interrupted:
        what is done by then is kept.
    """
    try:
        if call.box == "none":
            _say(NO_WALLS)
        choose(call.box, own_work=call.box == "none")
        with alone(call.out):
            return _grade(call)
    except KeyboardInterrupt:
        _say("interrupted; what is done is kept, and the same command goes on from there")
        return INTERRUPTED


@contextmanager
def alone(out: Path) -> Iterator[None]:
    """Nobody else works on this class meanwhile.

    Raises:
        ConfigurationError: somebody does, or the folder cannot be made.
    """
    try:
        make_folder(out, out)
        file = (out / ".lock").open("w")
    except OSError as trouble:
        raise ConfigurationError(f"cannot write into {out}: {trouble.strerror}") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ConfigurationError(
                f"somebody else is grading into {out}: wait, or give another folder with --out"
            ) from None
        yield


def _grade(call: Call) -> int:
    made, odd = rules.settings(Path(rules.FILE))
    for line in odd:
        _say(line)
    if call.partial:
        made = replace(made, partial=call.partial)
    setup = Setup(_secret(call.out), call.box, call.seed, made.partial, call.patience)
    chapters = released()
    _refuse_unknown(call.regrade or "")
    everything = judged_attempts(whole(call, chapters), call.out, made)
    found = list(_asked(everything, call.only))
    if not found:
        raise ConfigurationError(f"nothing in {call.submitted} is of {', '.join(call.only)}")
    results = Results(call.out)
    before = results.standing()
    doubts = _judge(found, results, setup, call, chapters)
    code = _settled(results, before, everything, made, call)
    for line in doubts:
        _say(line)
    return UNUSABLE if doubts else code


def _refuse_unknown(number: str) -> None:
    """Refuse to judge an exercise again that there is not."""
    there = [each.number for each in exercises_of(chapter_of(number))] if number else [number]
    if number not in there:
        listed = f"that chapter has {', '.join(there)}" if there else "there is no such chapter"
        raise ConfigurationError(f"--regrade {number}: there is no such exercise; {listed}")


def whole(call: Call, chapters: Sequence[Chapter]) -> list[Submission]:
    """What was handed in, and what was not by whom the roster or a folder names."""
    found = submissions(call.submitted, chapters)
    if beside := loose(call.submitted):
        shown = ", ".join(map(one_line, beside[:_SHOWN])) + (", ..." if beside[_SHOWN:] else "")
        _say(f"in no folder of a student, so not graded: {shown}; collect finds whose it is")
    names = {each.chapter for each in found if each.chapter} | set(expected(call.out))
    there = {(each.student, each.chapter) for each in found if each.chapter}
    nowhere = {each.student for each in found if each.code == NONE and not each.chapter}
    nowhere |= set(roster_of(call.out))
    refused = {(each.student, each.chapter): each for each in read_collected(call.out)}
    missing = [
        _absent(student, chapter, refused.get((student, chapter)))
        for student in sorted(nowhere)
        for chapter in sorted(names)
        if (student, chapter) not in there
    ]
    kept = [each for each in found if each.chapter or each.code != NONE]
    return sorted([*kept, *missing], key=lambda each: (each.chapter, each.student, each.attempt))


def _absent(student: str, chapter: str, row: Collected | None) -> Submission:
    """Nothing can be judged: nothing was handed in, or nothing that could be taken."""
    if row is None or not row.refused:
        told = "nothing was handed in"
        return Submission(student, chapter, code=NONE, message=told)
    told = f"{shortened(row.file)}: {row.reason}"
    return Submission(student, chapter, code="submission.refused", message=told)


def _asked(found: Iterable[Submission], only: Sequence[str]) -> Iterator[Submission]:
    for each in found:
        short = each.chapter.partition("_")[0]
        if not only or {each.student, each.chapter, short} & set(only):
            yield each


def _judge(
    found: Sequence[Submission],
    results: Results,
    setup: Setup,
    call: Call,
    chapters: Sequence[Chapter],
) -> list[str]:
    """Judge what has no result of its kind yet; keep each as it is known.

    Returns:
        A line for each chapter in which the judge could not prove itself. What stood of it stands.
    """
    named = {each.name: each for each in chapters}
    latest = results.latest()
    doubts: dict[str, str] = {}
    jobs = []
    for each in found:
        if each.path is None:
            result = _unjudged(each)
            if latest.get(each.key) != result:
                _keep(results, result, call)
        elif not _known(each, latest.get(each.key), named, setup, call):
            jobs.append(Job(each, _exercises(each, latest.get(each.key), call)))
    alike = _alike(jobs)
    with Progress(len(jobs)) as progress:
        for job, said in _for_each(_played([same[0] for same in alike], setup, call), alike):
            each = job.submission
            result = _failed(each, said, setup) if isinstance(said, Trouble) else said
            if job.exercises:
                result = _merged(latest[each.key], result)
            before = results.standing().get(each.key)
            if isinstance(said, Trouble) and said.chapter:
                doubts[said.chapter] = said.message
                if before is not None and before.status == "graded":
                    continue
            _keep(results, replace(result, held=falls(before, result)), call)
            progress.done(result.status, each.student)
    return [doubts[name] for name in sorted(doubts)]


def _alike(jobs: Iterable[Job]) -> list[list[Job]]:
    """Jobs on the very same file, such as of a group's members: one of them is judged."""
    found: dict[object, list[Job]] = {}
    for job in jobs:
        assert job.submission.path is not None
        try:
            digest = hashes_of(job.submission.path, None).notebook
        except OSError:
            digest = str(job.submission.path)
        key = digest, job.submission.chapter, job.exercises, job.submission.path.name
        found.setdefault(key, []).append(job)
    return list(found.values())


def _for_each(
    played: Iterable[tuple[Job, Result | Trouble]], alike: Iterable[list[Job]]
) -> Iterator[tuple[Job, Result | Trouble]]:
    """What became of one job, for each that is alike."""
    groups = {same[0]: same for same in alike}
    for job, said in played:
        for each in groups[job]:
            own = each.submission
            if isinstance(said, Result):
                yield each, replace(said, student=own.student, attempt=own.attempt)
            else:
                yield each, said


def _played(
    jobs: Sequence[Job], setup: Setup, call: Call
) -> Iterator[tuple[Job, Result | Trouble]]:
    if call.scheduler is None:
        return judged(jobs, setup, workers=call.workers)
    from graders.classroom.cluster import judged_there  # with what only a cluster needs

    return judged_there(jobs, setup, call.scheduler)


def _known(
    each: Submission,
    last: Result | None,
    named: dict[str, Chapter],
    setup: Setup,
    call: Call,
) -> bool:
    """Whether it needs no judging: same notebook, exercises, kit and seed as last time."""
    if last is None or each.path is None or last.code == JUDGE_FAILED:
        return False
    if call.regrade == "":
        return False
    if call.regrade:
        return each.chapter[:2] != call.regrade.partition(".")[0].zfill(2)
    try:
        chapter = named.get(last.report.chapter if last.report else each.chapter)
        hashed = hashes_of(each.path, chapter)
    except OSError:
        return False
    return hashed == last.hashes and last.seed == setup.seed


def _exercises(each: Submission, last: Result | None, call: Call) -> tuple[str, ...]:
    """The one exercise to judge again, where its whole notebook was judged before."""
    if not call.regrade or last is None or last.status != "graded" or each.path is None:
        return ()
    try:
        same = hashes_of(each.path, None).notebook == last.hashes.notebook
    except OSError:
        same = False
    return (call.regrade,) if same else ()


def _merged(before: Result, after: Result) -> Result:
    """The earlier report with the exercises that were judged again."""
    if before.report is None or after.report is None or after.status != "graded":
        return after
    fresh = {each.number: each for each in after.report.exercises}
    whole = tuple(fresh.pop(each.number, each) for each in before.report.exercises)
    report = replace(before.report, exercises=(*whole, *fresh.values()))
    return replace(after, report=report)


def _unjudged(each: Submission) -> Result:
    return Result(
        each.student,
        each.chapter,
        each.attempt,
        status="missing" if each.code == NONE else "ungraded",
        code=each.code,
        message=each.message,
    )


def _failed(each: Submission, trouble: Trouble, setup: Setup) -> Result:
    message = f"the judge itself failed: {one_line(trouble.message)}; grade it again"
    if trouble.chapter:
        message = "the judge has not proved itself in this chapter"
    path = each.path.name if each.path else ""
    return Result(
        each.student, each.chapter, each.attempt, path, "ungraded", JUDGE_FAILED, message,
        seed=setup.seed, box=setup.box,
    )  # fmt: skip


def _keep(results: Results, result: Result, call: Call) -> None:
    results.add(result)


def _settled(
    results: Results,
    before: dict[Key, Result],
    everything: Sequence[Submission],
    made: rules.Settings,
    call: Call,
) -> int:
    """Tell what changed, ask where grades fall, put the file in order, tell how it stands."""
    latest = results.latest()
    held = [each for each in latest.values() if each.held]
    changed = list(differences(before, latest.values()))
    if changed:
        path = write_differences(changed, call.out)
        tell("\n".join(str(each) for each in changed))
        tell(f"{len(changed)} differences, also in {path}")
    if held and (call.accept or agreed(len(held))):
        held = []
    keys = {each.key for each in everything}
    back = {each.key for each in held}
    standing = results.standing()
    kept = [standing.get(key, each) if key in back else each for key, each in latest.items()]
    rows = read_collected(call.out)
    kept = [
        each
        for each in kept
        if each.key in keys
        or (
            each.status == "graded"
            and not put_right(each.student, each.chapter, each.hashes.notebook, rows)
        )
    ]
    kept = [replace(each, held=False).counted_by(made.partial) for each in kept]
    results.settle([*kept, *(each.counted_by(made.partial) for each in held)])
    ungraded = _told(kept)
    if held:
        _say(f"{len(held)} grades would fall and are held back: agree with --accept")
    written = True
    if call.gradebook:
        notebooks = {each.key: each.path for each in everything if each.path}
        counted = [each for each, _ in counting(kept, call.out, made)]
        written = _write_gradebook(counted, notebooks, call, made)
    if not written:
        return UNUSABLE
    return HELD_BACK if held else SOME_UNGRADED if ungraded else GRADED


def _told(kept: Sequence[Result]) -> int:
    """Print what is ungraded, some of each cause, and the sum; returns how many they are."""
    ungraded = [each for each in kept if each.status == "ungraded"]
    lines = Lines(others=FILE)
    for each in ungraded:
        place = one_line(f"{each.student} {each.chapter or '(no chapter)'}")
        line = f"✗ {place}: {one_line(each.message)} ({each.code})"
        lines.add(each.code, line, whose=each.student)
    for line in lines:
        tell(line)
    counts = Counter(each.status for each in kept)
    tell(", ".join(f"{counts[name]} {name}" for name in get_args(Status)))
    return len(ungraded)


def _write_gradebook(
    kept: Sequence[Result], notebooks: Mapping[Key, Path], call: Call, made: rules.Settings
) -> bool:
    """Write it, say what is odd, and return whether it could be written."""
    from graders.classroom.gradebook import KEPT, write_gradebook

    path = call.out / ROSTER
    roster = read_roster(path)[0] if path.exists() else Roster()
    lines = write_gradebook(
        kept,
        notebooks,
        call.out,
        roster.in_gradebook(),
        database=made.gradebook,
        late=_lateness(kept, call.out, roster, made),
    )
    for line in lines:
        _say(line)
    return not any(line.endswith(KEPT) for line in lines)


def _lateness(
    kept: Iterable[Result], out: Path, roster: Roster, made: rules.Settings
) -> dict[Key, tuple[datetime | None, float]]:
    """When each was handed in, and the points that lateness takes."""
    return {
        each.result.key: (each.collected.time if each.collected else None, each.penalty)
        for each in grades_of(kept, out, roster, made, strict=False)
    }


def _secret(out: Path) -> bytes:
    """The class's secret, made once: who has it could make an answer's fresh texts up."""
    path = out / "secret"
    if not path.exists():
        write(path, secrets.token_bytes(SECRET), mode=0o600)
    secret = path.read_bytes()
    if len(secret) < SECRET:
        raise ConfigurationError(
            f"{path} has {len(secret)} bytes and needs {SECRET}: delete it, and a new one is made"
        )
    return secret


def _say(line: str) -> None:
    say("grade", line)
