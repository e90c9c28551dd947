"""Examples: retries, breakers, timeouts, what is left behind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graders.checks.breakers import breaker
from graders.checks.examples.play import (
    Example,
    call,
    cancelled,
    failed,
    seen,
    still_open,
)
from graders.checks.keys import by_argument, by_tool
from graders.checks.leftovers import never_blocks, nothing_left, tidied
from graders.checks.refine import refined
from graders.checks.retry import backed_off
from graders.checks.timeouts import partial, times_out
from graders.records.log import Failure, Log, Mark, Moment

TOOL = by_tool("fetch")
CITY = by_argument("city")
WORKER = by_argument("worker")


def failing(*starts: float, lasting: float = 1.0) -> Log:
    """Calls that all fail, each after a second."""
    return seen(*(failed("fetch", start, start + lasting) for start in starts))


def tried(*tasks: str, error: str = "no such year: 1066", good: bool = True) -> Log:
    """A task that fails until its last try."""
    last = len(tasks) - 1
    made = [
        call("work", n, n + 0.5, worker="ann", task=task, reply="done")
        if good and n == last
        else failed("work", n, n + 0.5, worker="ann", task=task, reply=error)
        for n, task in enumerate(tasks)
    ]
    return seen(*made)


def _limited(wait: float, seconds: str = "5") -> Log:
    error = {"status": 429, "error": {"message": "slow down"}, "headers": {"retry-after": seconds}}
    return seen(failed("fetch", 0, 1, reply=error), call("fetch", 1 + wait, 2 + wait))


def _three(ended: float, result: Any = None, **more: Any) -> Log:
    """Rome answers at 1, Oslo at 2, Lima is given up when the run ends."""
    return seen(
        call("weather", 0, 1, city="Rome", token="1a2b"),
        call("weather", 0, 2, city="Oslo", token="3c4d"),
        cancelled("weather", 0, ended, city="Lima"),
        result=result,
        ended=ended,
        **more,
    )


def _result(*found: str, missing: tuple[str, ...] = ("Lima",)) -> Mapping[str, Any]:
    return {"found": list(found), "missing": list(missing)}


def _cancelled_at_two(*more: Any, **fields: Any) -> Log:
    return seen(call("fetch", 0, 1), cancelled("fetch", 1, 2), *more, ended=2, **fields)


_TASK = "find the revenue of Acme"
_BAD = {"status": 400, "error": {"message": "what is this"}}
_BACK = backed_off(TOOL, ["fetch"])
_REFINED = refined(WORKER, ["ann"], field="task", tries=3)
_PARTIAL = partial(CITY, ["Rome", "Oslo", "Lima"], deadline=5, gaps="missing")
_BOTH = _result("1a2b", "3c4d")
_OPEN = breaker(TOOL, 3)
_COOL = breaker(TOOL, 3, cooldown=10, probed=True)
_STOP = nothing_left(cancelled_at=2)

EXAMPLES = [
    Example("backed_off", "retry.missing", _BACK, seen()),
    Example("backed_off", "retry.no_failure", _BACK, seen(call("fetch", 0, 1))),
    Example("backed_off", "retry.gave_up", _BACK, failing(0)),
    Example("backed_off", "retry.too_many", _BACK, failing(0, 2, 5, 10)),
    Example(
        "backed_off",
        "retry.permanent",
        _BACK,
        seen(failed("fetch", 0, 1, reply=_BAD), call("fetch", 2, 3)),
    ),
    Example(
        "backed_off",
        "retry.after_success",
        _BACK,
        seen(failed("fetch", 0, 1), call("fetch", 2, 3), call("fetch", 6, 7)),
    ),
    Example(
        "backed_off",
        "retry.not_awaited",
        _BACK,
        seen(failed("fetch", 0, 1), call("fetch", 0.5, 2)),
    ),
    Example("backed_off", "retry.retry_after", _BACK, _limited(2)),
    Example("backed_off", "retry.no_wait", _BACK, failing(0, 1, 2)),
    Example("backed_off", "retry.not_growing", _BACK, failing(0, 2, 4)),
    Example("backed_off", "retry.too_long", backed_off(TOOL, most=10), failing(0, 2, 63)),
    Example("refined", "refine.missing", _REFINED, seen()),
    Example("refined", "refine.no_failure", _REFINED, tried(_TASK)),
    Example("refined", "refine.gave_up", _REFINED, tried(_TASK, good=False)),
    Example(
        "refined",
        "refine.too_many",
        _REFINED,
        tried(_TASK, *[f"{_TASK}, but no such year: 1066 {n}" for n in range(5)]),
    ),
    Example(
        "refined",
        "refine.after_success",
        _REFINED,
        seen(*(call("work", n, n + 0.5, worker="ann", task=_TASK) for n in range(2))),
    ),
    Example("refined", "refine.plain_repeat", _REFINED, tried(_TASK, _TASK)),
    Example("refined", "refine.no_error", _REFINED, tried(_TASK, f"{_TASK}. Please try again!")),
    Example("refined", "refine.no_task", _REFINED, tried(_TASK, "Avoid this: no such year: 1066")),
    Example("breaker", "breaker.missing", _OPEN, seen()),
    Example("breaker", "breaker.too_early", _OPEN, failing(0, 2)),
    Example("breaker", "breaker.too_late", _OPEN, failing(0, 2, 4, 6)),
    Example("breaker", "breaker.too_soon", _COOL, failing(0, 2, 4, 8)),
    Example(
        "breaker",
        "breaker.many_probes",
        _COOL,
        seen(*failing(0, 2, 4).exchanges, failed("fetch", 15, 17), failed("fetch", 16, 17)),
    ),
    Example("breaker", "breaker.stayed_open", _COOL, failing(0, 2, 4)),
    Example("times_out", "timeout.missing", times_out(TOOL, 3), seen()),
    Example("times_out", "timeout.too_long", times_out(TOOL, 3), seen(cancelled("fetch", 0, 9))),
    Example("times_out", "timeout.too_short", times_out(TOOL, 3), seen(cancelled("fetch", 0, 2))),
    Example("times_out", "timeout.unused", times_out(TOOL, 3), seen(call("fetch", 0, 2))),
    Example(
        "partial", "partial.missing", _PARTIAL, seen(call("weather", 0, 1, city="Rome"), ended=5)
    ),
    Example(
        "partial",
        "partial.no_result",
        _PARTIAL,
        _three(5, failure=Failure("TimeoutError", "", "line 7: await gather(*jobs)")),
    ),
    Example("partial", "partial.too_late", _PARTIAL, _three(9, _BOTH)),
    Example("partial", "partial.too_early", _PARTIAL, _three(3, _BOTH)),
    Example("partial", "partial.lost", _PARTIAL, _three(5, _result("1a2b"))),
    Example("partial", "partial.unnamed", _PARTIAL, _three(5, _result("1a2b", "3c4d", missing=()))),
    Example(
        "partial",
        "partial.false_alarm",
        _PARTIAL,
        _three(5, _result("1a2b", "3c4d", missing=("Oslo", "Lima"))),
    ),
    Example(
        "nothing_left",
        "left.nothing_cancelled",
        _STOP,
        seen(call("fetch", 0, 1), ended=2),
    ),
    Example("nothing_left", "left.calls", nothing_left(), seen(still_open("fetch", 0), ended=1)),
    Example(
        "nothing_left",
        "left.tasks",
        nothing_left(),
        seen(call("fetch", 0, 1), still_running=("poll", "watch")),
    ),
    Example("nothing_left", "left.ran_on", _STOP, seen(call("fetch", 0, 4), ended=4)),
    Example("nothing_left", "left.started_later", _STOP, _cancelled_at_two(call("fetch", 3, 4))),
    Example("tidied", "left.untidied", tidied(TOOL), _cancelled_at_two()),
    Example(
        "never_blocks",
        "blocking.call",
        never_blocks(),
        seen(call("fetch", 0, 3), moments=(Moment("blocked", 1.0, "time.sleep(2)", 2.0),)),
    ),
]

PASSES = [
    (_BACK, seen(failed("fetch", 0, 1), failed("fetch", 2, 3), call("fetch", 5, 6))),
    (_BACK, failing(0, 1.5, 3.5)),
    (_BACK, _limited(5)),
    (_BACK, _limited(7)),
    (_BACK, _limited(1, "soon")),
    (_BACK, seen(failed("fetch", 0, 1, reply=_BAD))),
    (
        backed_off(CITY, ["Rome", "Oslo"]),
        seen(
            failed("fetch", 0, 1, city="Rome"),
            call("fetch", 0, 1, city="Oslo"),
            call("fetch", 3, 4, city="Rome"),
        ),
    ),
    (backed_off(TOOL, grows=False, least=0.5), failing(0, 2, 4)),
    (backed_off(TOOL, most=2, tries=4), failing(0, 2, 5, 8)),
    (backed_off(TOOL, repeats=True), seen(*_limited(5).exchanges, call("fetch", 9, 10))),
    (_REFINED, tried(_TASK, f"{_TASK}. Last time: no such year: 1066")),
    (_REFINED, tried(_TASK, "Revenue of Acme: find it, there is no year 1066.")),
    (
        _REFINED,
        tried(
            _TASK,
            f"{_TASK} (no such year: 1066)",
            f"{_TASK}; avoid: no such year: 1066; do not repeat yourself",
        ),
    ),
    (
        refined(WORKER, tries=2),
        tried(_TASK, f"{_TASK}, mind: no such year: 1066", good=False),
    ),
    (_OPEN, failing(0, 2, 4)),
    (_OPEN, seen(*failing(0, 2).exchanges, call("fetch", 4, 5))),
    (_OPEN, failing(0, 0, 0, 0.5)),
    (_COOL, failing(0, 2, 4, 15)),
    (_COOL, seen(*failing(0, 2, 4).exchanges, call("fetch", 15, 16), failed("fetch", 16, 17))),
    (times_out(TOOL, 3), seen(cancelled("fetch", 0, 3), call("fetch", 0, 2))),
    (times_out(TOOL, 3, used=False), seen(call("fetch", 0, 3))),
    (_PARTIAL, _three(5, _BOTH)),
    (
        partial(CITY, ["Rome", "Oslo"], deadline=5, gaps="missing"),
        _three(2, _result("1A2B", "3c4d")),
    ),
    (partial(CITY, ["Rome", "Oslo", "Lima"], deadline=5), _three(5, "1a2b and 3c4d; no Lima")),
    (
        _PARTIAL,
        seen(
            call("weather", 0, 5, city="Rome", token="1a2b"),
            failed("weather", 0, 1, city="Oslo"),
            failed("weather", 0, 2, city="Lima"),
            result={"missing": ["Lima", "Oslo", "Rome"]},
        ),
    ),
    (nothing_left(), seen(call("fetch", 0, 1))),
    (_STOP, _cancelled_at_two()),
    (tidied(TOOL), _cancelled_at_two(marks=(Mark(2.0, "tidied", "fetch", 2),))),
    (never_blocks(), seen(call("fetch", 0, 3))),
    (never_blocks(at_most=1), seen(moments=(Moment("blocked", 0.0, "open", 0.5),))),
]
