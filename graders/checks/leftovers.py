"""What is left behind: calls and coroutines that go on after the end, and blocked moments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from graders.checks.intervals import later
from graders.checks.keys import Key, end_of, keyed
from graders.records.log import Exchange, Log
from graders.records.verdict import Bar, Check, Verdict, passed
from graders.records.wording import (
    bars,
    clip,
    fail,
    listed,
    one_line,
    sealed,
    seconds,
    titled,
)

CODES = {
    "left.nothing_cancelled": "nothing was running that could have been cancelled",
    "left.calls": "calls were still open when the run was over",
    "left.tasks": "coroutines were still running when the run was over",
    "left.ran_on": "a call stayed open after everything had been cancelled",
    "left.started_later": "a call was sent after everything had been cancelled",
    "left.untidied": "whoever made a call that was given up did not hear of it, or not to the end",
    "blocking.call": "something held up the event loop, and with it everything else",
}


def nothing_left(*, cancelled_at: float | None = None, slack: float = 0.0) -> Check:
    """When the run is over, or from a moment on, nothing of it goes on.

    Args:
        cancelled_at: virtual second at which the stage cancels the student's code: whatever is
            open then ends then, and nothing is sent afterwards.
        slack: virtual seconds for cleaning up.
    """

    @sealed
    def check(log: Log) -> Verdict:
        if cancelled_at is not None:
            trouble = _after(log, cancelled_at, slack)
            if trouble:
                return trouble
        calls = [e for e in log.exchanges if e.end is None or later(e.end, log.ended, slack)]
        if calls:
            return _going_on("left.calls", log, calls, f"at the end, {seconds(log.ended)}")
        if log.still_running or log.left:
            return fail(
                "left.tasks",
                expected="no coroutine to go on after the end",
                got=f"but {_left(log)}",
                look="look at what starts tasks and who awaits or cancels them",
                evidence=bars(log.exchanges),
            )
        return passed()

    return check


def tidied(key: Key, *, after: float = 0.0, mark: str = "tidied") -> Check:
    """Whoever made a call that was given up was cancelled with it, and could tidy up.

    That a call is given up says no more than that nobody waits for the answer. So the stage's own
    functions tell the world what they do when they are cancelled.

    Args:
        key: which calls; the stage marks each under its label.
        after: virtual seconds that tidying up takes.
        mark: the name of the stage's mark.
    """

    @sealed
    def check(log: Log) -> Verdict:
        done = [(each.value, each.time) for each in log.marked(mark)]
        for call in keyed(log, key):
            if call.outcome != "cancelled":
                continue
            over = next((each for each in done if _is_of(each, key(call), call, after)), None)
            if over is None:
                return fail(
                    "left.untidied",
                    expected=f"{titled(call)} to be cancelled and to end before you do",
                    got=f"but it had not ended when you did, at {seconds(log.ended)}",
                    look="cancel the tasks and await them, or use a TaskGroup",
                    evidence=bars(log.exchanges, [call.number]),
                )
            done.remove(over)
        return passed()

    return check


def _is_of(done: tuple[Any, float], label: str | None, call: Exchange, after: float) -> bool:
    """Whether this mark says that this call's maker has ended when it should."""
    value, time = done
    return bool(value == label) and not (
        later(time, end_of(call) + after) or later(end_of(call) + after, time)
    )


def never_blocks(*, at_most: float = 0.0) -> Check:
    """Nothing holds up the event loop: no `time.sleep`, no endless computing.

    Args:
        at_most: seconds that one moment may last.
    """

    @sealed
    def check(log: Log) -> Verdict:
        held = [m for m in log.moments if m.kind == "blocked" and m.seconds >= at_most]
        if not held:
            return passed()
        first = held[0]
        what = clip(one_line(first.detail), 60) or "your code"
        took = f" for {seconds(first.seconds)}" if first.seconds else ""
        moments = [
            Bar(
                clip(one_line(m.detail), 48) or "blocked",
                m.time,
                m.time + m.seconds,
                "blocked",
                True,
            )
            for m in held[:12]
        ]
        return fail(
            "blocking.call",
            expected="the event loop to stay free",
            got=f"but {what} held it up{took} at {seconds(first.time)}",
            look="await asyncio.sleep, or put what blocks into asyncio.to_thread",
            evidence=[*moments, *bars(log.exchanges)[:12]],
        )

    return check


def _left(log: Log) -> str:
    """What was left, in the words of the process itself or else as it was seen."""
    if not log.still_running:
        return f"{log.left} was left"
    was = "was" if len(log.still_running) == 1 else "were"
    names = [
        f"{name} ({n} times)" if n > 1 else name for name, n in Counter(log.still_running).items()
    ]
    return f"{len(log.still_running)} {was} left: {listed(names)}"


def _after(log: Log, moment: float, slack: float) -> Verdict | None:
    if not any(e.start <= moment and not later(moment, end_of(e)) for e in log.exchanges):
        return fail(
            "left.nothing_cancelled",
            expected=f"calls to be open at {seconds(moment)}, when it is cancelled",
            got="but none was",
            look="look at where they are started",
            evidence=bars(log.exchanges),
        )
    begun = [e for e in log.exchanges if later(e.start, moment, slack)]
    if begun:
        return fail(
            "left.started_later",
            expected=f"nothing to be sent after it was cancelled at {seconds(moment)}",
            got=f"but {titled(begun[0])} was sent at {seconds(begun[0].start)}",
            look="is CancelledError caught and not raised again?",
            evidence=bars(log.exchanges, [e.number for e in begun]),
        )
    open_on = [e for e in log.exchanges if later(end_of(e), moment, slack)]
    if open_on:
        when = f"after it was cancelled at {seconds(moment)}"
        return _going_on("left.ran_on", log, open_on, when)
    return None


def _going_on(code: str, log: Log, calls: Sequence[Exchange], when: str) -> Verdict:
    return fail(
        code,
        expected=f"no call to be open {when}",
        got=f"but {listed([titled(e) for e in calls], 2)} went on",
        look="cancel the tasks and await them, or use a TaskGroup",
        evidence=bars(log.exchanges, [e.number for e in calls]),
    )
