"""The exported trace agrees with what was seen: each exchange has its span, and no span is made up.

What is compared are the spans of tool calls (`execute_tool`) and model requests (`chat`). Other
steps, such as plans and agents, happen inside the code and can only be asked for by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from graders.checks.intervals import later
from graders.checks.keys import end_of
from graders.checks.matching import OPERATIONS, Pair, alike, differs, matched, tells
from graders.checks.places import ordinal
from graders.checks.spans import Step, Unreadable, cycle_of, steps_of
from graders.records.log import Exchange, Log
from graders.records.verdict import Bar, Check, Verdict, passed
from graders.records.wording import (
    MOST_BARS,
    bar,
    bars,
    clip,
    count,
    fail,
    one_line,
    sealed,
    seconds,
    titled,
)

CODES = {
    "trace.none": "no trace was exported",
    "trace.malformed": "the trace cannot be read",
    "trace.duplicate_id": "two spans have the same id",
    "trace.thinned": "an exchange that was seen has no span",
    "trace.faked": "a span tells of an exchange that was never seen",
    "trace.shifted": "a span has other times than the exchange that it tells of",
    "trace.wrong_arguments": "a span tells of other arguments than were sent",
    "trace.hides_failure": "an exchange failed, but its span says that all was well",
    "trace.orphaned": "a span has no parent, or one that is not in the trace",
    "trace.circle": "a span is its own ancestor",
    "trace.wrong_parent": "a span hangs below a step of another kind",
    "trace.outside_parent": "a span begins before its parent or ends after it",
    "trace.step_missing": "a step that belongs into the trace is not there",
}


@dataclass(frozen=True)
class _Rules:
    slack: float
    parents: Mapping[str, Sequence[str]]
    steps: Mapping[str, int]
    kinds: Sequence[str]


def trace_agrees(
    *,
    slack: float = 0.0,
    parents: Mapping[str, Sequence[str]] | None = None,
    steps: Mapping[str, int] | None = None,
    models: bool = True,
    tools: bool = True,
) -> Check:
    """The trace that the stage exports tells what was seen at the boundary, no more and no less.

    Args:
        slack: seconds by which a span may be longer than its exchange, at either end.
        parents: operation -> the operations one of which its parent must have, such as
            {"execute_tool": ["invoke_agent"]}. Operations that are not named may be roots.
        steps: operation -> how many spans of it there must be at least, such as {"plan": 1}.
        models: compare `chat` spans with model requests. One span may stand for a request and its
            repetitions after errors, as the client makes them by itself.
        tools: compare `execute_tool` spans with tool calls.

    A failed span of no length and without a call is no fake: a call may be refused before it is
    made (an unknown tool, arguments that do not fit). What a span waits at its beginning, in steps
    `wait` directly below it, is no part of its exchange.
    """
    kinds = [kind for kind, asked in (("model", models), ("tool", tools)) if asked]
    rules = _Rules(slack, parents or {}, steps or {}, kinds)

    @sealed
    def check(log: Log) -> Verdict:
        if log.trace is None:
            return _told("none", "an exported trace", "got none", bars(log.exchanges))
        try:
            spans = steps_of(log.trace, log.ended)
        except Unreadable as wrong:
            return _told("malformed", "a trace in the published format", f"but {wrong}", ())
        return next(_troubles(log, spans, rules), passed())

    return check


def _troubles(log: Log, spans: Sequence[Step], rules: _Rules) -> Iterator[Verdict]:
    yield from _identities(spans)
    told = [_sent(s, spans) for s in spans if OPERATIONS.get(s.operation) in rules.kinds]
    seen = [e for e in log.exchanges if e.kind in rules.kinds and e.outcome != "open"]
    pairs, bare, spare = matched(told, seen, rules.slack)
    made_up = [s for s in spare if not _harmless(s, log)]
    yield from _without_a_span(bare, made_up)
    yield from _details(log, pairs)  # before the fakes: a refused call not marked looks like one
    yield from _fakes(log, made_up)
    yield from _kinship(log, spans, rules)
    for operation, least in rules.steps.items():
        found = sum(s.operation == operation for s in spans)
        if found < least:
            expected = f"at least {count(least, f'`{operation}` span')}"
            yield _told("step_missing", expected, f"got {found}", _drawn(spans))


def _sent(span: Step, spans: Sequence[Step]) -> Step:
    """The span from where its request was sent: after its turn in a line came."""
    waits = [s for s in spans if s.operation == "wait" and s.parent_id == span.span_id]
    start = span.start
    for wait in sorted(waits, key=lambda s: s.start):
        if not later(wait.start, start):
            start = max(start, wait.end)
    return replace(span, start=min(start, span.end))


def _identities(spans: Sequence[Step]) -> Iterator[Verdict]:
    known: set[str] = set()
    for span in spans:
        if span.span_id in known:
            which, its = ordinal(span.index + 1), clip(one_line(span.span_id), 20)
            got = f"but the {which} span has the id {its} again"
            yield _told("duplicate_id", "each span to have its own id", got, _drawn(spans, span))
        known.add(span.span_id)


def _harmless(span: Step, log: Log) -> bool:
    """Refused before it was sent; or sent, and still open when the run was over."""
    if span.failed and not later(span.end, span.start):
        return True
    going_on = [e for e in log.exchanges if e.outcome == "open" and alike(span, e)]
    return any(not differs(e.start, span.start, 0.0) for e in going_on)


def _without_a_span(bare: Sequence[Exchange], spare: Sequence[Step]) -> Iterator[Verdict]:
    for exchange in bare:
        twin = next((s for s in spare if alike(s, exchange)), None)
        lines = (bar(exchange, marked=True), *_drawn(spare[:8]))
        until = seconds(end_of(exchange))
        when = f"{titled(exchange)} from {seconds(exchange.start)} to {until}"
        if twin is not None and len(_like(bare, exchange)) <= len(_like_spans(spare, exchange)):
            got = f"but its span says {seconds(twin.start)} to {seconds(twin.end)}"
            yield _told("shifted", when, got, lines)
        else:
            yield _told("thinned", f"a span for {when}", "but the trace has none", lines)


def _fakes(log: Log, spare: Sequence[Step]) -> Iterator[Verdict]:
    for span in spare:
        got = f"but {clip(one_line(str(span)), 40)} from {seconds(span.start)} was never seen"
        lines = (*_drawn([span], span), *bars(log.exchanges))
        yield _told("faked", "only spans of what was really sent", got, lines)


def _like(bare: Sequence[Exchange], exchange: Exchange) -> list[Exchange]:
    return [e for e in bare if (e.kind, e.name) == (exchange.kind, exchange.name)]


def _like_spans(spare: Sequence[Step], exchange: Exchange) -> list[Step]:
    return [s for s in spare if alike(s, exchange)]


def _details(log: Log, pairs: Sequence[Pair]) -> Iterator[Verdict]:
    for span, chain in pairs:
        last = chain[-1]
        if last.kind == "tool" and not tells(span, last):
            got = f"but the {ordinal(span.index + 1)} span tells of others"
            yield _told(
                "wrong_arguments",
                f"the arguments of {titled(last)}",
                got,
                bars(log.exchanges, [last.number]),
            )
        if last.outcome == "failed" and not span.failed:
            got = f"but the {ordinal(span.index + 1)} span has not the status error"
            yield _told(
                "hides_failure",
                f"a failed span for {titled(last)}",
                got,
                bars(log.exchanges, [last.number]),
            )


def _kinship(log: Log, spans: Sequence[Step], rules: _Rules) -> Iterator[Verdict]:
    known = {span.span_id: span for span in spans}
    circle = cycle_of(spans)
    if circle is not None:
        got = f"but {circle} is its own ancestor"
        yield _told("circle", "each span below an earlier one", got, _drawn(spans, circle))
    for span in spans:
        parent = known.get(span.parent_id) if span.parent_id is not None else None
        trouble = _parentage(span, parent, rules.parents.get(span.operation, ()))
        if trouble:
            yield _told(*trouble, _drawn(spans, span))


def _parentage(
    span: Step, parent: Step | None, wanted: Sequence[str]
) -> tuple[str, str, str] | None:
    """What is wrong with a span's place in the tree: code, what was expected, what was got."""
    name = clip(one_line(str(span)), 40)
    if parent is None:
        if span.parent_id is None and not wanted:
            return None
        got = "but its parent is not in the trace" if span.parent_id else "but it has none"
        return "orphaned", f"{name} to have a parent", got
    if wanted and parent.operation not in wanted:
        return "wrong_parent", f"{name} below {' or '.join(wanted)}", f"but it is below {parent}"
    if later(parent.start, span.start) or later(span.end, parent.end):
        told = f"{seconds(parent.start)} to {seconds(parent.end)}"
        got = f"but it lasts from {seconds(span.start)} to {seconds(span.end)}"
        return "outside_parent", f"{name} within its parent, {told}", got
    return None


def _drawn(spans: Sequence[Step], meant: Step | None = None) -> tuple[Bar, ...]:
    """Spans as evidence; of many those around the one that is meant."""
    first = next((i for i, span in enumerate(spans) if span is meant), 0)
    begin = max(0, min(first - MOST_BARS // 2, len(spans) - MOST_BARS))
    return tuple(
        Bar(clip(one_line(str(s)), 48), s.start, s.end, "in the trace", s is meant)
        for s in spans[begin : begin + MOST_BARS]
    )


_LOOK = {
    "none": "return the trace as the exercise says",
    "malformed": "export it with trace.to_json()",
    "duplicate_id": "look at how ids are made",
    "thinned": "look at where a span is opened around the call",
    "faked": "record a span only around a call that is made",
    "shifted": "open the span right before the call and close it right after",
    "wrong_arguments": "set the attribute from the call itself",
    "hides_failure": "let the exception pass through the span, or mark it as failed",
    "orphaned": "look at which span is open when this one begins",
    "circle": "look at how parent ids are set",
    "wrong_parent": "look at which span is open when this one begins",
    "outside_parent": "await what was started before the parent is closed",
    "step_missing": "look at which steps are recorded",
}


def _told(code: str, expected: str, got: str, evidence: Sequence[Bar]) -> Verdict:
    return fail(f"trace.{code}", expected=expected, got=got, look=_LOOK[code], evidence=evidence)
