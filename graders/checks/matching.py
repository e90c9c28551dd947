"""Which span tells of which exchange."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from graders.checks.intervals import EPSILON, later
from graders.checks.keys import end_of
from graders.checks.spans import Step
from graders.checks.text import text_of
from graders.checks.values import same
from graders.records.log import Exchange

OPERATIONS = {"execute_tool": "tool", "chat": "model"}

Pair = tuple[Step, list[Exchange]]


def matched(
    spans: Sequence[Step], seen: Sequence[Exchange], slack: float
) -> tuple[list[Pair], list[Exchange], list[Step]]:
    """Spans with the exchanges they tell of, exchanges without a span, spans without exchanges.

    First what agrees in name, times, arguments and outcome, then in name and times, then a request
    with its repetitions in one span. What is left of both sides disagrees.
    """
    pairs: list[Pair] = []
    bare = _Bare(seen)
    left = list(spans)
    for fits in (_same_call, _same_times, None):
        rest = []
        for span in left:
            near = bare.near(span, slack)
            one = next((e for e in near if fits and fits(span, e, slack)), None)
            found = _chain(span, near, slack) if fits is None else [one] if one else []
            if found:
                pairs.append((span, found))
                bare.take(found)
            else:
                rest.append(span)
        left = rest
    return pairs, bare.all, left


class _Bare:
    """Exchanges without a span, by kind and name, in order of their start."""

    def __init__(self, seen: Sequence[Exchange]) -> None:
        self._left: dict[tuple[str, str], list[Exchange]] = {}
        for each in sorted(seen, key=_when):
            self._left.setdefault((each.kind, each.name), []).append(each)

    @property
    def all(self) -> list[Exchange]:
        """What is left, in order of arrival."""
        return sorted((e for each in self._left.values() for e in each), key=lambda e: e.number)

    def near(self, span: Step, slack: float) -> list[Exchange]:
        """Those of the span's name that begin while it lasts."""
        named = self._left.get((OPERATIONS[span.operation], span.name), [])
        first = bisect_left(named, span.start - 2 * EPSILON, key=lambda e: e.start)
        last = bisect_right(named, span.end + 2 * EPSILON, key=lambda e: e.start)
        return named[first:last]

    def take(self, found: Sequence[Exchange]) -> None:
        """Leave these out from now on."""
        for each in found:
            self._left[each.kind, each.name].remove(each)


def _when(exchange: Exchange) -> tuple[float, int]:
    return exchange.start, exchange.number


def alike(span: Step, exchange: Exchange) -> bool:
    """Whether both are of the same tool, or of the same model."""
    return OPERATIONS[span.operation] == exchange.kind and span.name == exchange.name


def _same_times(span: Step, exchange: Exchange, slack: float) -> bool:
    starts = not differs(exchange.start, span.start, slack)
    return starts and not differs(span.end, end_of(exchange), slack)


def _same_call(span: Step, exchange: Exchange, slack: float) -> bool:
    alike_in_end = span.failed == (exchange.outcome == "failed")
    return _same_times(span, exchange, slack) and alike_in_end and tells(span, exchange)


def tells(span: Step, exchange: Exchange) -> bool:
    """Whether the span's arguments, if it has any, are those that were sent.

    They are often noted as the model wrote them: before defaults came in and texts became numbers.
    """
    noted = span.arguments
    if not isinstance(noted, Mapping):
        return noted is None
    sent = exchange.request
    return all(
        key in sent and (same(value, sent[key]) or text_of(value) == text_of(sent[key]))
        for key, value in noted.items()
    )


def differs(outer: float, inner: float, slack: float) -> bool:
    """Whether two times disagree: `inner` may come up to `slack` before `outer`, never after it.

    For a start `outer` is the exchange's and `inner` the span's; for an end the other way round.
    """
    return later(inner, outer) or later(outer, inner, slack)


def _chain(span: Step, near: Sequence[Exchange], slack: float) -> list[Exchange]:
    """A request and its repetitions that one span tells of: all but the last one failed."""
    within = [each for each in near if not later(end_of(each), span.end)]
    for first in within:
        if differs(first.start, span.start, slack):
            continue
        chain = [first]
        for each in within[within.index(first) + 1 :]:
            if _follows(each, chain):
                chain.append(each)
        if not differs(span.end, end_of(chain[-1]), slack):
            return chain
    return []


def _follows(exchange: Exchange, chain: Sequence[Exchange]) -> bool:
    """Whether it is the same request again, after the last one ended without an answer."""
    over = chain[-1].outcome != "answered" and not later(end_of(chain[-1]), exchange.start)
    return over and same(dict(exchange.request), dict(chain[0].request))
