"""What `execute` tells of each task is what was seen of it."""

from __future__ import annotations

from graders.checks.text import content_words, folded, share, words
from graders.exercises.ch11.observed_run import Done, Seen
from graders.exercises.ch11.prompt_reader import RESULT
from graders.exercises.ch11.verdicts import wrong
from graders.exercises.kit import *
from graders.records.wording import count, listed, shown

CARRIED = 0.5
"""Share of an error's, or of a task's, own words that have to be there."""
_STATUSES = ("done", "failed", "skipped")
CODES = {
    "project.tasks_untold": "execute does not tell what came of each task",
    "project.task_unplanned": "execute tells of a task that the plan does not have",
    "project.status_false": "another status is told than was seen",
    "project.result_lost": "a worker's result is not told",
    "project.result_invented": "a result is told that no worker gave",
    "project.error_lost": "the error of a failed task is not told",
    "project.attempts_false": "other tries are told than were seen",
}


def id_of(seen: Seen, ref: str) -> str:
    """A task's id in the plan."""
    return str(seen.planned.get(ref, {}).get("id", ref))


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
            look="look at what decides that a task is done"
            if status in _STATUSES
            else f"a status is one of {listed(_STATUSES)}",
            seen=seen,
        )
        return
    if done is not None and done.result and not _told_whole(result, done.result):
        yield wrong(
            "result_lost",
            expected=f"{where}: the worker's result as it was, with its code word",
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
    if wanted == "failed" and done is not None and not _tells(error, done):
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
            look="look at what is counted as a try: the first one is 1",
            seen=seen,
        )


def _told_whole(said: str, result: str) -> bool:
    found = RESULT.search(result)
    return found is not None and folded(found.group()) in folded(said) and tells(said, result)


def tells(text: str, result: str) -> bool:
    """Whether a text holds what a result says, and not its code word alone."""
    return share(content_words(RESULT.sub(" ", result)), words(text)) >= CARRIED


def _tells(said: str, done: Done) -> bool:
    """Whether an error is told; of what was broken off the reason is the project's own."""
    if done.settled.cut is not None and said.strip():
        return True
    return share(content_words(done.error), words(said)) >= CARRIED
