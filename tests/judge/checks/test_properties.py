"""What holds of every log: no exception, the same verdict twice, one line that can be read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.checks.examples import calling, results, structure, trying
from graders.checks.leftovers import nothing_left
from graders.checks.table import examples
from graders.records.log import Exchange, Failure, Log, Mark, Moment
from graders.records.verdict import Check, Verdict
from graders.records.wording import LONGEST, MOST_BARS, UNREADABLE

EVERY_PASS = [*calling.PASSES, *trying.PASSES, *results.PASSES, *structure.PASSES]
NAMES = ["fetch", "weather", "work", "a", "b", "small", "switchboard-small", "submit"]
FIELDS = [
    *("city", "worker", "task", "task_id", "text", "messages", "role", "content", "tools", "tasks"),
    *("id", "depends_on", "spans", "span_id", "parent_id", "start", "end", "name", "operation"),
    *("attributes", "begin_ns", "missing", "found", "status", "retry-after", "usage", "function"),
    *("tool_calls", "tool_call_id", "total_tokens", "message", "system", "Rome", "items", "0"),
]
WORDS = [
    *("Rome", "Oslo", "Lima", "ann", "find the revenue of Acme", "no such year: 1066", "1a2b9"),
    *("finder", "writer", "you find", "you write", "execute_tool", "chat", "tool", "assistant"),
    *("", "\x00\ud800 \x1b[31m\n\n", "1,234.50 1 300", "9" * 400, "INV99999", "```json\n{}```"),
    *('{"tasks": [{"id": "a", "worker": "finder", "depends_on": ["a"]}]}', "{{{", "[" * 3000),
    *("retry after 3 s", "gpt4o 12kg", "\u0663\u00b2 \u2028x", "A" * 1000),
]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 9),
    st.sampled_from([10**400, -(2**70), 1_767_225_600_000_000_001]),
    st.floats(),
    st.sampled_from(WORDS),
    st.text(max_size=8),
)
KEYS = st.sampled_from(FIELDS) | st.text(max_size=4)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=14,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=5)
TIMES = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 1e-7]) | st.floats(0, 20)
EXCHANGES = st.builds(
    Exchange,
    number=st.just(0),
    kind=st.sampled_from(["tool", "model"]),
    name=st.sampled_from(NAMES),
    request=OBJECTS,
    start=TIMES,
    end=st.none() | TIMES,
    outcome=st.sampled_from(["answered", "failed", "cancelled", "open"]),
    reply=VALUES,
    token=st.sampled_from(["", "1a2b9", "3c4d9"]),
)
LOGS = st.builds(
    Log,
    exchanges=st.lists(EXCHANGES, max_size=6).map(
        lambda each: tuple(replace(e, number=n) for n, e in enumerate(each))
    ),
    moments=st.lists(
        st.builds(
            Moment,
            kind=st.sampled_from(["blocked", "stalled", "silent", "flooded", "died", "lied"]),
            time=TIMES,
            detail=st.sampled_from(WORDS),
            seconds=TIMES,
        ),
        max_size=3,
    ).map(tuple),
    result=VALUES,
    failure=st.none() | st.builds(Failure, st.sampled_from(WORDS), st.sampled_from(WORDS)),
    ended=TIMES,
    still_running=st.lists(st.sampled_from(WORDS), max_size=3).map(tuple),
    left=st.sampled_from(["", "a timer, due at 3 s"]),
    marks=st.lists(
        st.builds(
            Mark, TIMES, st.sampled_from(["tidied", "piece"]), VALUES, after=st.integers(0, 6)
        ),
        max_size=3,
    ).map(tuple),
    trace=st.none() | OBJECTS | st.builds(lambda s: {"spans": s}, st.lists(OBJECTS, max_size=3)),
    returned=st.booleans(),
    params=OBJECTS,
)


def _checks() -> dict[str, Check]:
    named = {f"{e.factory} {n}": e.check for n, e in enumerate(examples())}
    named |= {f"pass {n}": check for n, (check, _) in enumerate(EVERY_PASS)}
    return named


CHECKS = _checks()


def sound(check: Check, log: Log) -> None:
    """The check gives a verdict, the same one twice, in one line with evidence to draw."""
    verdict = check(log)
    assert same(verdict, check(log))
    assert verdict.code != UNREADABLE, verdict.message
    assert len(verdict.message) <= LONGEST and verdict.message.isprintable()
    assert len(verdict.evidence) <= 2 * MOST_BARS
    assert (verdict.code == "ok") == verdict.passed
    assert verdict.passed or verdict.message


@given(LOGS)
def test_every_check_has_a_word_on_every_log(log: Log) -> None:
    for check in CHECKS.values():
        sound(check, log)


SAID = {"left.tasks", "blocking.call"}
"""Codes of what the judged process says of itself: it may cost points, and can give none."""


def _silent(log: Log) -> Log:
    """The log without what the process says of itself."""
    moments = tuple(each for each in log.moments if each.kind != "blocked")
    return replace(log, still_running=(), moments=moments)


@given(LOGS)
def test_nothing_is_gained_by_what_the_process_says_of_itself(log: Log) -> None:
    quiet = _silent(log)
    for name, check in CHECKS.items():
        heard, seen = check(log), check(quiet)
        assert seen.passed or not heard.passed, f"{name} wants it said"
        assert heard.passed or not seen.passed or heard.code in SAID, f"{name} trusts it"


@pytest.mark.parametrize(("check", "log"), EVERY_PASS)
def test_nothing_is_lost_by_saying_nothing(check: Check, log: Log) -> None:
    assert check(_silent(log)).passed


def test_what_was_left_is_seen_whatever_is_said() -> None:
    check = nothing_left()
    assert check(Log(returned=True, left="a timer, due at 3 s")).code == "left.tasks"


def same(one: Verdict, other: Verdict) -> bool:
    """Whether they say the same; of a time that is not a number too, which equals nothing."""
    return repr(one) == repr(other)


def _one_each() -> list[Check]:
    """A check of each factory."""
    return list({example.factory: example.check for example in examples()}.values())


def _deep(levels: int) -> Any:
    value: Any = "Rome"
    for _ in range(levels):
        value = [value] if levels % 2 else {"a": value}
    return value


ODD = {
    "empty": Log(),
    "deep": Log(result=_deep(20_001), returned=True, trace={"spans": _deep(20_000)}),
    "long": Log(result="Rome 12345 " * 5_000, returned=True),
    "later than the end": Log((Exchange(0, "tool", "fetch", {}, 5.0, 1.0, "answered"),)),
    "not a time": Log((Exchange(0, "tool", "fetch", {}, float("nan"), None, "failed"),)),
    "a reply that is an exception": Log(
        (Exchange(0, "tool", "fetch", {}, 0.0, 1.0, "failed", ValueError("no")),)
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_logs_get_a_verdict_too(name: str) -> None:
    for check in _one_each():
        verdict = check(ODD[name])
        assert same(verdict, check(ODD[name]))
        assert len(verdict.message) <= LONGEST and verdict.message.isprintable()


def test_five_thousand_calls_are_judged() -> None:
    """As many as a world answers; quadratic work would be felt here by whoever runs it."""
    calls = [
        Exchange(n, "tool", "fetch", {"city": f"c{n % 700}"}, n / 2, n / 2 + 3, "failed", "no")
        for n in range(5000)
    ]
    spans = [
        {"name": "fetch", "operation": "execute_tool", "span_id": str(n), "start": n / 2}
        | {"end": n / 2 + 3, "status": "error"}
        for n in range(5000)
    ]
    log = Log(tuple(calls), trace={"spans": spans}, returned=True, ended=2600.0)
    for check in _one_each():
        sound(check, log)
