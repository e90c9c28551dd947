"""Requirement 4: a failed task is put differently by its error, thrice at most; others go on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from graders.checks.saying import count, listed, shown
from graders.checks.text import content_words, folded, share, words
from graders.judge.scenario import Exercise
from graders.judge.verdict import Verdict
from graders.project import stages
from graders.project.planning import kept_to
from graders.project.reading import REFERENCE, RESULT
from graders.project.seen import Done, Seen, Try
from graders.project.shapes import PLACES, Faults
from graders.project.staging import ALL, DEFINITIONS, HIDDEN, trial
from graders.project.verdicts import Troubles, wrong
from graders.project.worlds import ProjectWorld

MOST_TRIES = 3
_CARRIED = 0.5  # share of an error's, or of a task's, own words that a new try must hold


def id_of(seen: Seen, ref: str) -> str:
    """A task's id in the plan."""
    return str(seen.planned.get(ref, {}).get("id", ref))


def refined(world: ProjectWorld) -> Troubles:
    """A task that was refused is sent again, changed by its error, and is done then."""

    def look(seen: Seen) -> Iterator[Verdict]:
        for place in world.script.faults.trapped:
            done = seen.tasks.get(world.at(place).ref)
            if done is None:
                continue  # told by who looks at what was done of the plan
            yield from _changed_each_time(seen, done)
            if not done.result and len(done.tries) < MOST_TRIES:
                yield _gave_up(seen, done)
            if not done.result:
                yield wrong(
                    "not_refined",
                    expected=f"task {shown(id_of(seen, done.errand.ref))} to work once it is put"
                    " as its error asks",
                    got=f"but all {len(done.tries)} tries were refused",
                    look="look at what the second try says",
                    seen=seen,
                    meant=done.exchanges,
                )

    return look


def _changed_each_time(seen: Seen, done: Done) -> Iterator[Verdict]:
    for before, after in zip(done.tries, done.tries[1:], strict=False):
        if before.result:
            yield wrong(
                "after_success",
                expected=f"task {shown(id_of(seen, done.errand.ref))} to end once it has a result",
                got="but it was sent again",
                look="does the loop end when it has what it wants?",
                seen=seen,
                meant=after.exchanges,
            )
        said = _unchanged(done, before, after)
        if said:
            code, got, look = said
            yield wrong(
                code,
                expected=f"task {shown(id_of(seen, done.errand.ref))} to be sent again, changed by"
                f" its error (“{before.error[:40]}…”)",
                got=got,
                look=look,
                seen=seen,
                meant=after.exchanges,
            )


def _unchanged(done: Done, before: Try, after: Try) -> tuple[str, str, str] | None:
    """What is wrong with a try that follows a failed one: code, what was got, a hint."""
    sent, now = before.requests[0].text, after.requests[0].text
    if words(sent) == words(now):
        return "plain_repeat", "but it was sent word for word", "look at how the new task is made"
    error = content_words(before.error) - content_words(done.errand.says)
    if share(error - set(words(sent)) or error, words(now)) < _CARRIED:
        return "no_error", "but the error is not in it", "is the error handed on?"
    task = content_words(done.errand.says)
    if share(task, words(now)) < _CARRIED or done.errand.ref not in REFERENCE.findall(now):
        return "no_task", "but the task itself is gone", "keep the task and add what went wrong"
    return None


def _gave_up(seen: Seen, done: Done) -> Verdict:
    return wrong(
        "gave_up",
        expected=f"up to {MOST_TRIES} tries of task {shown(id_of(seen, done.errand.ref))}",
        got=f"but it was given up after {len(done.tries)}",
        look="look at what is done with the error",
        seen=seen,
        meant=done.exchanges,
    )


def breaks_off(world: ProjectWorld) -> Troubles:
    """A task that fails whatever is tried is tried three times, and no more."""

    def look(seen: Seen) -> Iterator[Verdict]:
        for place in world.script.faults.broken:
            done = seen.tasks.get(world.at(place).ref)
            if done is not None and len(done.tries) > MOST_TRIES:
                yield wrong(
                    "too_many",
                    expected=f"at most {MOST_TRIES} tries of task"
                    f" {shown(id_of(seen, done.errand.ref))}",
                    got=f"but there were {len(done.tries)}",
                    look="what ends the loop when all of them fail?",
                    seen=seen,
                    meant=[each for one in done.tries[MOST_TRIES:] for each in one.exchanges],
                )
            if done is not None and len(done.tries) < MOST_TRIES:
                yield _gave_up(seen, done)

    return look


def never_more(seen: Seen) -> Iterator[Verdict]:
    """No task has more than three tries, whatever it fails of."""
    for ref, done in seen.tasks.items():
        if len(done.tries) > MOST_TRIES:
            yield wrong(
                "too_many",
                expected=f"at most {MOST_TRIES} tries of task {shown(id_of(seen, ref))}",
                got=f"but there were {len(done.tries)}",
                look="what ends the loop when all of them fail?",
                seen=seen,
                meant=done.exchanges,
            )


def others_finish(world: ProjectWorld) -> Troubles:
    """What does not build on a failed task is done all the same."""

    def look(seen: Seen) -> Iterator[Verdict]:
        failed = {world.at(p).ref for p in (*world.script.faults.broken, *world.script.faults.dead)}
        for place in PLACES:
            errand = world.at(place)
            if errand.ref in failed | _downstream(world, failed):
                continue
            done = seen.tasks.get(errand.ref)
            if done is None or not done.result:
                got = "but it was never begun" if done is None else f"but it ended in {done.error}"
                yield wrong(
                    "sibling_lost",
                    expected=f"task {shown(id_of(seen, errand.ref))}, which builds on nothing that"
                    " failed, to be done",
                    got=got,
                    look="look at what one failure does to the others",
                    seen=seen,
                )

    return look


def _downstream(world: ProjectWorld, failed: set[str]) -> set[str]:
    """What waits, directly or not, for one of these."""
    found: set[str] = set()
    for place in PLACES:  # in an order in which none comes before what it needs
        errand = world.at(place)
        if not (failed | found).isdisjoint(errand.needs):
            found.add(errand.ref)
    return found


def told_truly(seen: Seen) -> Iterator[Verdict]:
    """Each task's status, result, error and tries are told as they were seen."""
    tasks = seen.outcome.get("tasks")
    if not isinstance(tasks, Mapping):
        yield wrong(
            "tasks_untold",
            expected="`tasks`: what came of each task, by its id",
            got=f"got {shown(tasks)}",
            look="look at what execute returns",
            seen=seen,
        )
        return
    strange = sorted(set(map(str, tasks)) - {str(t["id"]) for t in seen.planned.values()})
    if strange:
        yield wrong(
            "task_unplanned",
            expected="only the plan's tasks in `tasks`",
            got=f"but {listed(strange)} too",
            look="look at what `tasks` is made of",
            seen=seen,
        )
    for ref, task in seen.planned.items():
        yield from _told(seen, str(task["id"]), seen.tasks.get(ref))


def _told(seen: Seen, id: str, done: Done | None) -> Iterator[Verdict]:
    said = seen.told(id)
    status, result, error = (str(said.get(name, "")) for name in ("status", "result", "error"))
    wanted = "skipped" if done is None else "done" if done.result else "failed"
    where = f"tasks[{shown(id)}]"
    if status != wanted:
        code = "result_invented" if status == "done" else "status_false"
        got = f"got {shown(status)}" if said else "but it is not there"
        why = "no worker was asked" if done is None else done.error or "its worker answered"
        yield wrong(
            code,
            expected=f"{where} to be {shown(wanted)} ({why[:60]})",
            got=got,
            look="look at what decides that a task is done",
            seen=seen,
        )
        return
    if done is not None and done.result and not _holds_code(result, done.result):
        yield wrong(
            "result_lost",
            expected=f"{where}: the worker's result, with its code word",
            got=f"got {shown(result)}",
            look="look at what is kept of a worker's answer",
            seen=seen,
        )
    elif wanted != "done" and RESULT.search(result):
        yield wrong(
            "result_invented",
            expected=f"no result of {shown(id)}, which has none",
            got=f"got {shown(result)}",
            look="look at what is written where a result is missing",
            seen=seen,
        )
    if wanted == "failed" and done is not None and not _tells(error, done.error):
        yield wrong(
            "error_lost",
            expected=f"{where}: its last error, “{done.error[:50]}”",
            got=f"got {shown(error)}",
            look="look at what becomes of the error",
            seen=seen,
        )
    tries = len(done.tries) if done else 0
    if said.get("attempts") != tries:
        yield wrong(
            "attempts_false",
            expected=f"{where}: {count(tries, 'attempt')}, as many as were seen",
            got=f"got {shown(said.get('attempts'))}",
            look="look at what is counted as a try",
            seen=seen,
        )


def _holds_code(said: str, result: str) -> bool:
    found = RESULT.search(result)
    return found is not None and folded(found.group()) in folded(said)


def _tells(said: str, error: str) -> bool:
    return share(content_words(error), words(said)) >= _CARRIED


def _partial(world: ProjectWorld) -> Sequence[Troubles]:
    return [never_more, others_finish(world), told_truly]


FAILURES = Exercise(
    "11.4",
    DEFINITIONS,
    (
        trial(
            "puts a task that was refused differently, by its error, in your domain",
            stages.WHOLE,
            1.0,
            lambda world: [refined(world), kept_to(world)],
            own=True,
            faults=Faults(trapped=("a", "e")),
        ),
        trial(
            "does so in another domain, and counts the tries",
            stages.EXECUTE,
            1.0,
            lambda world: [refined(world), kept_to(world), told_truly],
            given=True,
            faults=Faults(trapped=("b",)),
        ),
        trial(
            "tries what cannot work three times and no more",
            stages.EXECUTE,
            1.0,
            lambda world: [breaks_off(world), never_more],
            given=True,
            faults=Faults(broken=("e",)),
        ),
        trial(
            "finishes what does not build on a failed task, and tells what came of each",
            stages.EXECUTE,
            1.0,
            _partial,
            given=True,
            faults=Faults(broken=("a",)),
        ),
        trial(
            "lives with a model that fails: once on the way, and for one task for good",
            stages.EXECUTE,
            1.0,
            _partial,
            given=True,
            faults=Faults(dead=("b",), shaky=("e",)),
        ),
    ),
    cells=ALL,
    choice="DOMAIN",
    hidden_seeds=HIDDEN,
)
