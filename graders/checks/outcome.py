"""How the run ended: with a result, or with the error that was asked for."""

from __future__ import annotations

from graders.checks.text import folded
from graders.records.log import Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import bars, ending, fail, raised, sealed, seconds, shown, unfinished

CODES = {
    "returned.not": "the run ended without a result",
    "raised.nothing": "no error was raised",
    "raised.other": "another kind of error was raised",
    "raised.words": "the error does not say what it should",
    "raised.stopped": "the run was stopped before it could raise anything",
}


def returned() -> Check:
    """The run came to its end and gave a result back, whatever it is."""

    @sealed
    def check(log: Log) -> Verdict:
        return unfinished(log, "returned.not", "a result") or passed()

    return check


def raises(kind: str, *words: str) -> Check:
    """The run ended in an error of this kind, whose message holds these words.

    Args:
        kind: the name of the exception's class, such as "ModelError".
        words: what its message must say, such as the name of what is missing.
    """

    @sealed
    def check(log: Log) -> Verdict:
        failure = log.failure
        if failure is None:
            code = "raised.nothing" if log.returned else "raised.stopped"
            got = f"got {shown(log.result)}" if log.returned else f"but {ending(log)}"
            return _told(log, code, kind, got, "look at what is tested before the return")
        if failure.type == "NotImplementedError" != kind:
            return Verdict("not attempted", "not_attempted", "not attempted yet")
        if failure.type != kind:
            return _told(log, "raised.other", kind, f"got {raised(failure)}", "look at that line")
        missing = [each for each in words if folded(each) not in folded(failure.message)]
        if missing:
            got = f"got {shown(failure.message, 60)} at {seconds(log.ended)}"
            expected = f"{kind} with {shown(missing[0])} in its message"
            return _told(log, "raised.words", expected, got, "say what went wrong, and with what")
        return passed()

    return check


def _told(log: Log, code: str, expected: str, got: str, look: str) -> Verdict:
    return fail(code, expected=expected, got=got, look=look, evidence=bars(log.exchanges))
