"""Timeouts: nothing is waited for too long, and what did arrive by then comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graders.checks.calls import absent
from graders.checks.content import gap_trouble, lost_trouble
from graders.checks.intervals import later
from graders.checks.keys import Key, answered, end_of, grouped, keyed
from graders.records.log import Exchange, Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import bars, fail, listed, sealed, seconds, titled, unfinished

CODES = {
    "timeout.missing": "the call that should time out was not made",
    "timeout.too_long": "a call was waited for longer than its timeout",
    "timeout.too_short": "a call was given up before its timeout",
    "timeout.unused": "no call was given up, although one never answers",
    "partial.missing": "something that should be asked was not asked",
    "partial.no_result": "at the deadline there was an error, or nothing, instead of a result",
    "partial.too_late": "the result came after the deadline",
    "partial.too_early": "the result came before the deadline although answers were still due",
    "partial.lost": "an answer that had arrived is not in the result",
    "partial.unnamed": "the result does not say what is missing",
    "partial.false_alarm": "the result says that something is missing which had arrived",
}


def times_out(key: Key, after: float, *, slack: float = 0.0, used: bool = True) -> Check:
    """No single call is waited for longer than `after` seconds, and none is given up sooner.

    Args:
        key: which exchanges have this timeout.
        after: seconds.
        slack: virtual seconds that a call may be open beyond it.
        used: demand that one was given up, as in a world where one never answers.
    """

    @sealed
    def check(log: Log) -> Verdict:
        calls = keyed(log, key)
        limit = f"each call to be given up after {seconds(after)}"
        if not calls:
            return fail(
                "timeout.missing",
                expected=limit,
                got="but none was made",
                look="look at where it is made",
                evidence=bars(log.exchanges),
            )
        for call in calls:
            open_for = (log.ended if call.end is None else call.end) - call.start
            got = f"but {titled(call)} was open for {seconds(open_for)}"
            code = _given_up(call, open_for, after, slack)
            if code:
                return fail(
                    code,
                    expected=limit,
                    got=got,
                    evidence=bars(calls, [call.number]),
                    look="look at what the timeout is put around",
                )
        if used and not any(call.outcome == "cancelled" for call in calls):
            return fail(
                "timeout.unused",
                expected=limit,
                got="but none was given up",
                look="look at which call never answers",
                evidence=bars(calls),
            )
        return passed()

    return check


def partial(
    key: Key,
    labels: Sequence[str],
    *,
    deadline: float,
    slack: float = 0.0,
    at: str = "",
    gaps: str | None = None,
    names: Mapping[str, str] | None = None,
) -> Check:
    """By the deadline there is a result: all that arrived is in it, and what did not is named.

    Args:
        key: which exchange belongs to which label.
        labels: what is asked; the scenario lets some of it come too late or never.
        deadline: virtual seconds from the start of the stage.
        slack: seconds that the result may come later.
        at: dotted path to the part of the result which holds what arrived.
        gaps: dotted path to the part that names what is missing. With it, nothing else may be
            named there; without it, the names may stand anywhere in the result.
        names: label -> the words that name it, where they are not the label itself.
    """

    @sealed
    def check(log: Log) -> Verdict:
        groups = grouped(log, key)
        missing = absent(groups, labels, "partial.missing", "a call")
        if missing:
            return missing
        stopped = unfinished(log, "partial.no_result", f"a partial result by {seconds(deadline)}")
        if stopped:
            return stopped
        arrived = {n: e for n in labels if (e := _in_time(groups[n], log, deadline))}
        left = [n for n in labels if not _perhaps(groups[n], log, deadline + slack)]
        return (
            _untimely(log, groups, left, deadline, slack)
            or lost_trouble("partial.lost", log, arrived, at)
            or gap_trouble("partial", log, left, list(arrived), gaps, names or {})
            or passed()
        )

    return check


def _given_up(call: Exchange, open_for: float, after: float, slack: float) -> str | None:
    if later(open_for, after, slack):
        return "timeout.too_long"
    if call.outcome == "cancelled" and later(after, open_for):
        return "timeout.too_short"
    return None


def _in_time(exchanges: Sequence[Exchange], log: Log, deadline: float) -> Exchange | None:
    """The answer that has to be used: it came before the deadline, and before the result."""
    done = answered(exchanges)
    if done is None or later(end_of(done), log.ended):
        return None
    waited = later(deadline, log.ended) or later(min(deadline, log.ended), end_of(done))
    return done if waited else None


def _perhaps(exchanges: Sequence[Exchange], log: Log, deadline: float) -> bool:
    """Whether an answer may have come in time: at the very moment of the deadline nobody knows."""
    done = answered(exchanges)
    return done is not None and not later(end_of(done), min(deadline, log.ended))


def _untimely(
    log: Log,
    groups: Mapping[str, Sequence[Exchange]],
    left: Sequence[str],
    deadline: float,
    slack: float,
) -> Verdict | None:
    due = [e for n in left for e in groups[n] if e.outcome != "failed"]
    every = sorted((e for each in groups.values() for e in each), key=lambda e: e.number)
    evidence = bars(every, [e.number for e in due])
    if later(log.ended, deadline, slack):
        return fail(
            "partial.too_late",
            expected=f"a result by {seconds(deadline)}",
            got=f"but it came at {seconds(log.ended)}",
            look="look at what the timeout is put around",
            evidence=evidence,
        )
    if due and later(deadline, log.ended):
        return fail(
            "partial.too_early",
            expected=f"{listed(left)} to be waited for until {seconds(deadline)}",
            got=f"but the result came at {seconds(log.ended)}",
            look="look at what ends the waiting",
            evidence=evidence,
        )
    return None
