"""The verdict on one run: its checks', or the reason why there is nothing to check."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from graders.child.withheld import Finished
from graders.judge import mistakes
from graders.judge.protocol import Note
from graders.records.log import Failure, Log, Moment
from graders.records.verdict import Check, Verdict, not_yet, passed
from graders.records.wording import bars, clip, fail, one_line, raised, seconds

CODES = {
    "not_attempted": "the exercise still raises NotImplementedError",
    "cell.failed": "the cell of the exercise itself ended in an error",
    "cell.undefined": "no cell that ran defines what the exercise asks for",
    "cell.finished": "the answer is the course's own finished version",
    "raised.error": "the code raised an error nobody asked for",
    "result.not_data": "what was returned is no plain data",
    "stalled.forever": "every task waits for what can never happen",
    "blocked.endless_loop": "the code never gave control back",
    "blocked.real_time": "the code waits in real time, which no virtual time shortens",
    "budget.used_up": "the time is used up that judging this exercise may take",
    "flood.messages": "requests or messages without end",
    "flood.output": "the code printed without end",
    "died.exit": "the code ended the program",
    "died.memory": "the code ran out of memory",
    "died.disk": "the code wrote more files than it may",
    "died.killed": "the operating system ended the program",
    "lied.protocol": "the code tampered with the line to the judge",
    **mistakes.CODES,
}
FINISHED = Finished.__name__
_NUMBER = re.compile(r"[Ee]xercise (\d+\.\d+)")
_RETURN = "a result"
_WHETHER = "what your code returns, and whether it does in every case"
_GAVE_UP = ("retry.gave_up", "refine.gave_up")  # say more of an error let out than its name does


def verdict_on(
    log: Log,
    checks: Sequence[Check],
    *,
    exercise: str = "",
    contract: str = "",
    notes: Sequence[Note] = (),
) -> Verdict:
    """What one run earns.

    A run that died, lied, hung or was never attempted is judged by that alone. An error that left
    the student's code is the verdict unless the checks ask for it.

    Args:
        log: the run.
        checks: of the trial; the first that fails speaks.
        exercise: its number, such as "1.2".
        contract: what it asks for, in one text.
        notes: the exercise's own cells that raised.
    """
    ended = _stopped(log) or _finished(log, notes) or _undefined(log, notes)
    if ended is not None:
        return ended
    verdict = _not_attempted(log, exercise) or _first_failing(log, checks)
    attempted = verdict.sign != "not attempted"
    if attempted and log.failure is not None and not _asks_for_error(log, checks, verdict):
        verdict = _raised(log, log.failure, notes)
    return verdict if notes else mistakes.in_plain_words(log, verdict, contract)


def _first_failing(log: Log, checks: Sequence[Check]) -> Verdict:
    return next((v for check in checks if not (v := check(log)).passed), passed())


def _asks_for_error(log: Log, checks: Sequence[Check], verdict: Verdict) -> bool:
    """Whether the error made a difference to the checks: then they have words for it."""
    if verdict.code in _GAVE_UP:
        return True
    return _first_failing(replace(log, failure=None), checks).code != verdict.code


def _undefined(log: Log, notes: Sequence[Note]) -> Verdict | None:
    """The verdict on a definition that was never made."""
    failure = log.failure
    if failure is None or failure.type != "Undefined" or notes:
        return None
    expected = f"a cell of yours that defines `{clip(failure.message, 40)}`"
    look = "the name that your cell defines, and whether it was run"
    return _say(log, "cell.undefined", expected, "but no cell of yours does", look)


def _finished(log: Log, notes: Sequence[Note]) -> Verdict | None:
    """The verdict on the course's own definition in the place of one's own."""
    met = [each for each in (log.failure, *notes) if each is not None and each.type == FINISHED]
    if log.failure is None or not met:
        return None
    module = clip(one_line(met[0].message), 60)
    said = f"that is the finished version from {module}: write your own; "
    return not_yet("cell.finished", f"{said}earlier exercises' finished versions are yours to use")


def _not_attempted(log: Log, exercise: str) -> Verdict | None:
    if log.failure is None or log.failure.type != "NotImplementedError":
        return None
    named = _NUMBER.search(log.failure.message)
    if named and exercise and named[1] != exercise:
        return Verdict("not attempted", "not_attempted", f"needs exercise {named[1]} first")
    return Verdict("not attempted", "not_attempted", "not attempted yet")


def _raised(log: Log, failure: Failure, notes: Sequence[Note]) -> Verdict:
    if notes:
        note = notes[0]
        told = raised(Failure(note.type, note.message, note.line))
        return _say(log, "cell.failed", "a cell that runs", f"but it ended in {told}", "that line")
    if failure.type == "SystemExit":
        return _say(log, "died.exit", _RETURN, _exited(failure), "exit() and quit()")
    if failure.type == "MemoryError":
        return _say(log, "died.memory", _RETURN, "but the memory ran out", "what grows")
    if failure.type == "NotPlain":
        got = f"but {failure.message}"
        return _say(log, "result.not_data", "plain data", got, "a missing await, or the return")
    if not failure.line:  # no line of the student's own: what they returned could not be used
        got = f"but what comes after your code ended in {raised(failure)}"
        return _say(log, "raised.error", _RETURN, got, _WHETHER)
    got = f"but your code raised {raised(failure)}"
    return _say(log, "raised.error", _RETURN, got, "that line")


def _exited(failure: Failure) -> str:
    return f"but your code ended the program ({raised(failure)})"


def _stopped(log: Log) -> Verdict | None:
    """The verdict on a run that was ended from outside."""
    ends = [moment for moment in log.moments if moment.kind in _STOPS]
    if log.returned or not ends:
        return None
    return _STOPS[ends[-1].kind](log, ends[-1])


def _stalled(log: Log, moment: Moment) -> Verdict:
    what = moment.detail or "what can never happen"
    got = f"but from {seconds(moment.time)} on everything waited for ever: {clip(what, 120)}"
    return _say(log, "stalled.forever", _RETURN, got, "what that line waits for")


def _silent(log: Log, moment: Moment) -> Verdict:
    where = f" in {moment.detail}" if moment.detail else ""
    got = f"but your code never gave control back{where}"
    return _say(log, "blocked.endless_loop", _RETURN, got, "a loop without an await or an end")


def _asleep(log: Log, moment: Moment) -> Verdict:
    what = f": {moment.detail}" if moment.detail else ", and says nothing"
    return _say(
        log,
        "blocked.real_time",
        "a result",
        f"but your code waits in real time{what}",
        "that wait: use asyncio.sleep, and await what others bring",
    )


def _overdrawn(log: Log, moment: Moment) -> Verdict:
    got = f"but it took too long: {moment.detail}"
    return _say(log, "budget.used_up", _RETURN, got, "what is done again and again")


def _flooded(log: Log, moment: Moment) -> Verdict:
    if "output" in moment.detail:
        got = f"but your code was stopped after printing {moment.detail}"
        return _say(log, "flood.output", _RETURN, got, "what prints in a loop")
    got = f"but your code was stopped after {moment.detail}"
    return _say(log, "flood.messages", _RETURN, got, "a loop that asks again and again")


def _died(log: Log, moment: Moment) -> Verdict:
    if moment.detail.startswith("exited"):
        got = "but your code ended the program"
        return _say(log, "died.exit", _RETURN, got, "exit(), quit() and os._exit()")
    if "wrote" in moment.detail:
        got = f"but the program {moment.detail}"
        return _say(log, "died.disk", _RETURN, got, "the files that your code writes")
    got = f"but the program was {moment.detail}"
    return _say(log, "died.killed", _RETURN, got, "memory that grows, or recursion without end")


def _lied(log: Log, moment: Moment) -> Verdict:
    got = f"but the line to the judge carried {moment.detail}"
    return _say(log, "lied.protocol", "work on the exercise", got, "code that writes to open files")


_STOPS: dict[str, Callable[[Log, Moment], Verdict]] = {
    "stalled": _stalled,
    "silent": _silent,
    "asleep": _asleep,
    "overdrawn": _overdrawn,
    "flooded": _flooded,
    "died": _died,
    "lied": _lied,
}


def _say(log: Log, code: str, expected: str, got: str, look: str) -> Verdict:
    still_open = [each.number for each in log.exchanges if each.outcome == "open"]
    evidence = bars(log.exchanges, still_open)
    return fail(
        code, expected=expected, got=one_line(got), look=f"look at {look}", evidence=evidence
    )
