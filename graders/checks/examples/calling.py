"""Examples: calls, order, parallel work, limits."""

from __future__ import annotations

from graders.checks.calls import called, made, not_made
from graders.checks.examples.play import Example, ask, call, cancelled, failed, seen, user
from graders.checks.keys import by_argument, by_tool
from graders.checks.limits import rate, within
from graders.checks.order import dependencies, sequence
from graders.checks.overlap import concurrency, parallel
from graders.records.log import Log

CITY = by_argument("city")
STEP = by_tool()
CITIES = ["Rome", "Oslo", "Lima"]


def cities(*times: tuple[str, float, float]) -> Log:
    """Look-ups of the weather: city, start, end."""
    return seen(*(call("weather", start, end, city=city) for city, start, end in times))


def steps(*times: tuple[str, float, float]) -> Log:
    """Calls of tools named by one letter: tool, start, end."""
    return seen(*(call(tool, start, end) for tool, start, end in times))


def _asking(number: int) -> Log:
    return seen(*(ask(n, n + 1, user("go on"), reply="more") for n in range(number)))


_CALLED = called("weather", [{"city": "Rome"}, {"city": "Oslo"}])
_MADE = made(CITY, ["Rome", "Oslo"], what="a look-up")
_ONCE = cities(("Rome", 0, 1), ("Oslo", 0, 1))
_TWICE = cities(("Rome", 0, 1), ("Oslo", 0, 1), ("Oslo", 1, 2))
_MORE = cities(("Rome", 0, 1), ("Oslo", 0, 1), ("Lima", 0, 1))
_PARALLEL = parallel(CITY, CITIES, what="a look-up")
_DIAMOND = parallel(STEP, after={"b": "a", "c": "a", "d": "bc"})
_PAIRS = parallel(STEP, after={"c": "a", "d": "b"})
_BUILD = dependencies(STEP, {"b": ["a"]})
_USED = seen(call("a", 0, 1, token="7f3a"), call("b", 1, 2, text="so 7f3a"))

EXAMPLES = [
    Example("called", "called.missing", _CALLED, cities(("Rome", 0, 1))),
    Example("called", "called.wrong_arguments", _CALLED, cities(("Rome", 0, 1), ("OSLO", 0, 1))),
    Example("called", "called.extra", _CALLED, _MORE),
    Example("called", "called.repeated", _CALLED, _TWICE),
    Example("made", "made.missing", _MADE, cities(("Rome", 0, 1))),
    Example("made", "made.extra", _MADE, _MORE),
    Example("made", "made.repeated", _MADE, _TWICE),
    Example("not_made", "not_made.made", not_made(CITY, why="the plan is invalid"), _ONCE),
    Example("sequence", "order.missing", sequence(STEP, "abc"), steps(("a", 0, 1), ("b", 1, 2))),
    Example("sequence", "order.swapped", sequence(STEP, "ab"), steps(("b", 0, 1), ("a", 1, 2))),
    Example("sequence", "order.too_early", sequence(STEP, "ab"), steps(("a", 0, 2), ("b", 1, 3))),
    Example("dependencies", "dependencies.missing", _BUILD, steps(("a", 0, 1))),
    Example("dependencies", "dependencies.too_early", _BUILD, steps(("a", 0, 2), ("b", 1, 3))),
    Example(
        "dependencies", "dependencies.failed", _BUILD, seen(failed("a", 0, 1), call("b", 1, 2))
    ),
    Example(
        "dependencies",
        "dependencies.not_carried",
        dependencies(STEP, {"b": ["a"]}, carries=True),
        seen(call("a", 0, 1, token="7f3a"), call("b", 1, 2, text="so what")),
    ),
    Example("parallel", "parallel.missing", _PARALLEL, _ONCE),
    Example(
        "parallel",
        "parallel.no_time",
        _PARALLEL,
        cities(("Rome", 0, 0), ("Oslo", 0, 0), ("Lima", 0, 0)),
    ),
    Example(
        "parallel",
        "parallel.one_at_a_time",
        _PARALLEL,
        cities(("Rome", 0, 2), ("Oslo", 2, 5), ("Lima", 5, 6)),
    ),
    Example(
        "parallel",
        "parallel.late",
        _PARALLEL,
        cities(("Rome", 0, 2), ("Oslo", 0, 3), ("Lima", 1, 2)),
    ),
    Example(
        "parallel",
        "parallel.too_early",
        _DIAMOND,
        steps(("a", 0, 1), ("b", 1, 3), ("c", 1, 2), ("d", 2, 4)),
    ),
    Example(
        "parallel",
        "parallel.barrier",
        _PAIRS,
        steps(("a", 0, 1), ("b", 0, 3), ("c", 3, 4), ("d", 3, 4)),
    ),
    Example("concurrency", "concurrency.missing", concurrency(2, CITY), seen()),
    Example("concurrency", "concurrency.too_many", concurrency(2, CITY), _MORE),
    Example(
        "concurrency",
        "concurrency.unused",
        concurrency(2, CITY),
        cities(("Rome", 0, 1), ("Oslo", 1, 2), ("Lima", 2, 3)),
    ),
    Example("within", "within.calls", within(calls=2), _MORE),
    Example("within", "within.requests", within(requests=3), _asking(5)),
    Example("within", "within.tokens", within(tokens=100, usage=lambda _: 60.0), _asking(3)),
    Example("within", "within.started_late", within(no_start_from=2.5), _asking(4)),
    Example("within", "within.ended_late", within(ended_by=2.5), _asking(3)),
    Example("within", "within.unused", within(requests=5, reached=True), _asking(4)),
    Example("rate", "rate.missing", rate(2, 10, CITY), seen()),
    Example(
        "rate",
        "rate.too_many",
        rate(2, 10, CITY),
        cities(("Rome", 0, 1), ("Oslo", 4, 5), ("Lima", 9.5, 11)),
    ),
]

PASSES = [
    (_CALLED, _ONCE),
    (_CALLED, cities(("Oslo", 0, 1), ("Rome", 1, 2))),
    (called("weather", [{"city": "Rome"}], extra=True), _MORE),
    (called("weather", [{"city": "Oslo"}, {"city": "Rome"}], repeats=True), _TWICE),
    (called("weather", []), seen(call("other", 0, 1))),
    (_MADE, _ONCE),
    (made(CITY, ["Lima"], extra=True), _MORE),
    (made(CITY, ["Oslo", "Rome"], repeats=True), _TWICE),
    (not_made(CITY), seen(call("other", 0, 1))),
    (sequence(STEP, "abc"), steps(("a", 0, 1), ("b", 1, 2), ("c", 5, 6))),
    (sequence(STEP, "ab"), steps(("a", 0, 0), ("b", 0, 0))),
    (sequence(STEP, "ab", waits=False), steps(("a", 0, 2), ("b", 1, 3))),
    (sequence(STEP, "ab"), seen(failed("a", 0, 1), call("b", 1, 2))),
    (_BUILD, steps(("a", 0, 1), ("b", 1, 2))),
    (_BUILD, seen(failed("a", 0, 1), call("a", 2, 3), call("b", 3, 4))),
    (dependencies(STEP, {"b": ["a"]}, carries=True), _USED),
    (_PARALLEL, cities(("Rome", 0, 2), ("Oslo", 0, 3), ("Lima", 0, 1))),
    (_PARALLEL, cities(("Lima", 4, 6), ("Oslo", 4, 5), ("Rome", 4, 9))),
    (_DIAMOND, steps(("a", 0, 1), ("b", 1, 3), ("c", 1, 2), ("d", 3, 4))),
    (_PAIRS, steps(("a", 0, 1), ("b", 0, 3), ("c", 1, 2), ("d", 3, 4))),
    (
        parallel(STEP, after={"c": "a", "d": "b"}, waves=True),
        steps(("a", 0, 1), ("b", 0, 3), ("c", 3, 4), ("d", 3, 4)),
    ),
    (
        parallel(CITY, CITIES, limit=2),
        cities(("Rome", 0, 2), ("Oslo", 0, 3), ("Lima", 2, 4)),
    ),
    (
        parallel(CITY, ["Rome", "Oslo"], slack=0.5),
        seen(
            failed("weather", 0, 1, city="Rome"),
            call("weather", 0, 4, city="Oslo"),
            call("weather", 1.5, 3, city="Rome"),
        ),
    ),
    (
        parallel(CITY, ["Rome"]),
        seen(cancelled("weather", 0, 3, city="Rome"), call("weather", 5, 6, city="Rome")),
    ),
    (concurrency(2, CITY), cities(("Rome", 0, 2), ("Oslo", 0, 3), ("Lima", 2, 4))),
    (concurrency(2, CITY, used=False), cities(("Rome", 0, 2), ("Oslo", 2, 3))),
    (concurrency(4, CITY), cities(("Rome", 0, 2), ("Oslo", 0, 3))),
    (within(calls=3, requests=0, no_start_from=1, ended_by=1), _MORE),
    (within(requests=5, reached=True), _asking(5)),
    (within(tokens=100, usage=lambda _: 60.0), _asking(2)),
    (within(each={"weather": 3, "switchboard-small": 1}), _MORE),
    (rate(2, 10, CITY), cities(("Rome", 0, 1), ("Oslo", 4, 5), ("Lima", 10, 11))),
]
