"""Limits respected: calls, requests, tokens, seconds, and how many in a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from graders.checks.intervals import later
from graders.checks.keys import Key, keyed
from graders.checks.order import began_before
from graders.records.log import Exchange, Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import bars, count, fail, sealed, seconds, titled

CODES = {
    "within.calls": "more tool calls were made than allowed",
    "within.requests": "the model was asked more often than allowed",
    "within.tokens": "the model was asked although the tokens were used up",
    "within.started_late": "something was sent although the time was used up",
    "within.ended_late": "the run ended later than allowed",
    "within.unused": "it ended before the limit, although there was more to do",
    "rate.missing": "there was no call to count",
    "rate.too_many": "more calls were sent within the time than allowed",
}

Usage = Callable[[Exchange], float]


@dataclass(frozen=True)
class _Caps:
    calls: int | None
    requests: int | None
    each: Mapping[str, int]
    tokens: float | None
    no_start_from: float | None
    ended_by: float | None
    reached: bool
    look: str
    usage: Usage = field(repr=False)


def within(
    *,
    calls: int | None = None,
    requests: int | None = None,
    each: Mapping[str, int] | None = None,
    tokens: float | None = None,
    no_start_from: float | None = None,
    ended_by: float | None = None,
    reached: bool = False,
    look: str = "",
    usage: Usage | None = None,
) -> Check:
    """A run keeps to its limits. None means that there is none of that kind.

    Args:
        calls: most calls of tools.
        requests: most requests to models.
        each: most calls of one tool, or requests to one model, by its name.
        tokens: no request to a model once so many tokens were used by those that ended.
        no_start_from: virtual second from which on nothing may be sent; what is under way may end.
        ended_by: virtual second at which the run must be over.
        reached: in a world without end the limit must be what ends the run: `calls`, `requests`
            and `each` must be used up.
        look: the end of the message where too much is sent, or it ends too late.
        usage: tokens of one exchange; by default the reply's `usage`.
    """
    each, usage = each or {}, usage or tokens_of
    caps = _Caps(calls, requests, each, tokens, no_start_from, ended_by, reached, look, usage)

    @sealed
    def check(log: Log) -> Verdict:
        return next(_troubles(log, caps), passed())

    return check


def rate(limit: int, per: float, key: Key, *, what: str = "call") -> Check:
    """In no stretch of `per` seconds are more than `limit` calls sent.

    Args:
        limit: most of them.
        per: seconds; what is sent exactly `per` later is in the next stretch.
        key: which exchanges count.
        what: what one of them is called in messages.
    """

    @sealed
    def check(log: Log) -> Verdict:
        sent = sorted(keyed(log, key), key=lambda e: (e.start, e.number))
        expected = f"at most {count(limit, what)} in {seconds(per)}"
        if not sent:
            return fail(
                "rate.missing",
                expected=expected,
                got="but there was none at all",
                look="look at where they are sent",
                evidence=bars(log.exchanges),
            )
        for first, last in zip(sent, sent[limit:], strict=False):
            if later(first.start + per, last.start):
                stretch = [e for e in sent if first.start <= e.start <= last.start]
                return fail(
                    "rate.too_many",
                    expected=expected,
                    got=f"but {len(stretch)} were sent from {seconds(first.start)}"
                    f" to {seconds(last.start)}",
                    look="look at what is awaited before each is sent",
                    evidence=bars(sent, [e.number for e in stretch]),
                )
        return passed()

    return check


def tokens_of(exchange: Exchange) -> float:
    """The tokens that a reply says were used; 0 when it says nothing."""
    usage = exchange.reply.get("usage") if isinstance(exchange.reply, Mapping) else None
    if not isinstance(usage, Mapping):
        return 0.0
    total = _number(usage.get("total_tokens"))
    parts = _number(usage.get("prompt_tokens")) + _number(usage.get("completion_tokens"))
    return total or parts


def _number(value: Any) -> float:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if plain else 0.0


def _troubles(log: Log, caps: _Caps) -> Iterator[Verdict]:
    counted: list[tuple[str, str, Sequence[Exchange], int | None]] = [
        ("calls", "tool call", log.calls(), caps.calls),
        ("requests", "model request", log.requests(), caps.requests),
    ]
    for name, most in caps.each.items():
        named = [e for e in log.exchanges if e.name == name]
        kind = "requests" if named and named[0].kind == "model" else "calls"
        counted.append((kind, f"`{name}` call", named, most))
    for code, noun, found, cap in counted:
        if cap is not None and len(found) > cap:
            over = found[cap]
            got = f"but there were {len(found)}; the first too many at {seconds(over.start)}"
            yield _told(code, log, [over], f"at most {count(cap, noun)}", got, caps.look)
    yield from _spent(log, caps)
    yield from _overtime(log, caps)
    for _, noun, found, cap in counted:
        if caps.reached and cap is not None and len(found) < cap:
            yield _told(
                "unused", log, [], f"{count(cap, noun)} before it stops", f"got {len(found)}"
            )


def _spent(log: Log, caps: _Caps) -> Iterator[Verdict]:
    if caps.tokens is None:
        return
    used, under_way = 0.0, list[Exchange]()
    for request in log.requests():
        used += sum(caps.usage(e) for e in under_way if not began_before(request, e))
        under_way = [*(e for e in under_way if began_before(request, e)), request]
        if used >= caps.tokens:
            expected = f"no request after {caps.tokens:g} tokens"
            got = f"but one was sent at {seconds(request.start)}, after {used:g}"
            yield _told("tokens", log, [request], expected, got)


def _overtime(log: Log, caps: _Caps) -> Iterator[Verdict]:
    limit = caps.no_start_from
    begun = [e for e in log.exchanges if limit is not None and not later(limit, e.start)]
    if limit is not None and begun:
        got = f"but {titled(begun[0])} was sent at {seconds(begun[0].start)}"
        yield _told("started_late", log, begun, f"nothing to be sent from {seconds(limit)} on", got)
    if caps.ended_by is not None and later(log.ended, caps.ended_by):
        expected = f"an end by {seconds(caps.ended_by)}"
        got = f"but it ended at {seconds(log.ended)}"
        apart = "only one call was open at a time: which need not wait?"
        look = caps.look if _overlaps(log) else apart
        yield _told("ended_late", log, [], expected, got, look)


def _overlaps(log: Log) -> bool:
    """Whether a call began while another one was open, or there are none to be open together."""
    pairs = list(pairwise(sorted(log.exchanges, key=lambda e: (e.start, e.number))))
    return not pairs or any(began_before(second, first) for first, second in pairs)


_LOOK = {
    "calls": "look at what is counted before a call is made",
    "requests": "look at what ends the loop",
    "tokens": "is the usage of every answer added up?",
    "started_late": "look at where the time is compared",
    "ended_late": "look at what is still awaited",
    "unused": "look at what ends the loop too early",
}


def _told(
    code: str, log: Log, meant: Sequence[Exchange], expected: str, got: str, look: str = ""
) -> Verdict:
    evidence, look = bars(log.exchanges, [e.number for e in meant]), look or _LOOK[code]
    return fail(f"within.{code}", expected=expected, got=got, look=look, evidence=evidence)
