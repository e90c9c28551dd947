"""History kept or filtered: what a model's next request holds of what was said before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from graders.checks.keys import Key, by_model, keyed, messages
from graders.checks.text import folded, proven, text_of
from graders.checks.values import Rules, difference
from graders.records.log import Exchange, Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import bars, clip, count, fail, one_line, sealed, shown

CODES = {
    "history.no_request": "the model was not asked often enough",
    "history.missing": "a request lacks something that it should have kept",
    "history.leaked": "a request holds something that should have been left out",
    "history.order": "what was kept stands in another order",
    "history.twice": "something stands in a request twice",
    "history.too_long": "a request holds more messages than allowed",
    "history.broken_pair": "a tool's message without its call, or a call without its answer",
    "history.forgot": "a request lacks a message of the one before it",
    "history.reply_lost": "a request lacks the answer to the one before it",
}

Piece = str | Mapping[str, Any]
"""Text that some message holds, or the fields of a message (its content: text that it holds)."""
Pieces = Sequence[Piece] | Callable[[Log], Sequence[Piece]]


def history(
    *,
    keeps: Pieces = (),
    drops: Pieces = (),
    which: int = -1,
    key: Key | None = None,
    at_most: int | None = None,
    once: bool = False,
    pairs: bool = True,
) -> Check:
    """One request to a model holds this of what was said before, in this order, and not that.

    Args:
        keeps: what must be there; or a function that takes it from the log, such as what a tool
            answered. The order counts.
        drops: what must not be there.
        which: the request that is looked at, from 0; -1 is the last.
        key: count only requests with a label; all requests to models by default.
        at_most: messages that it may hold.
        once: what is kept must not stand there twice.
        pairs: each tool message must follow a call with its id, and each call must be answered.
    """
    meant = key or by_model()

    @sealed
    def check(log: Log) -> Verdict:
        asked = [e for e in keyed(log, meant) if e.kind == "model"]
        if not -len(asked) <= which < len(asked):
            return _told(
                "no_request", log, None, _nth(which), f"got {count(len(asked), 'request')}"
            )
        request = asked[which]
        said = messages(request)
        kept, dropped = (p(log) if callable(p) else p for p in (keeps, drops))
        return (
            _kept(log, request, said, kept, once)
            or _dropped(log, request, said, dropped)
            or _too_long(log, request, said, at_most)
            or (_broken(log, request, said) if pairs else None)
            or passed()
        )

    return check


def history_grows(*, key: Key | None = None, at_least: int = 2) -> Check:
    """Each request to a model begins with the messages of the last one and holds its answer.

    Args:
        key: look only at requests with a label, each label for itself; by default all requests to
            models are one conversation.
        at_least: requests that there must be.
    """
    meant = key or (lambda e: "" if e.kind == "model" else None)

    @sealed
    def check(log: Log) -> Verdict:
        asked = [e for e in keyed(log, meant) if e.kind == "model"]
        if len(asked) < at_least:
            got = f"got {count(len(asked), 'request')}"
            return _told("no_request", log, None, count(at_least, "request"), got)
        for label in dict.fromkeys(map(meant, asked)):
            for one, following in pairwise(e for e in asked if meant(e) == label):
                trouble = _grown(log, one, following)
                if trouble:
                    return trouble
        return passed()

    return check


def _nth(which: int) -> str:
    return (
        "a request to the model" if which == -1 else f"{count(which + 1, 'request')} to the model"
    )


def _kept(
    log: Log,
    request: Exchange,
    said: Sequence[Mapping[str, Any]],
    kept: Sequence[Piece],
    once: bool,
) -> Verdict | None:
    spots: list[list[int]] = []
    for piece in kept:
        found = [i for i, message in enumerate(said) if _holds(message, piece)]
        if not found:
            got = f"but none of its {count(len(said), 'message')} has it"
            return _told("missing", log, request, f"{_named(piece)} in the request", got)
        if once and len(found) > 1:
            got = f"but it stands in {len(found)} messages"
            return _told("twice", log, request, f"{_named(piece)} once", got)
        spots.append(found)
    at = -1
    for piece, found in zip(kept, spots, strict=True):
        after = [i for i in found if i >= at]
        if not after:
            got = "but it stands before what should come first"
            return _told("order", log, request, f"{_named(piece)} further down", got)
        at = after[0]
    return None


def _dropped(
    log: Log, request: Exchange, said: Sequence[Mapping[str, Any]], dropped: Sequence[Piece]
) -> Verdict | None:
    for piece in dropped:
        for number, message in enumerate(said, start=1):
            if _holds(message, piece):
                got = f"but message {number} ({message.get('role')}) has it"
                return _told("leaked", log, request, f"no {_named(piece)} in the request", got)
    return None


def _too_long(
    log: Log, request: Exchange, said: Sequence[Any], at_most: int | None
) -> Verdict | None:
    if at_most is None or len(said) <= at_most:
        return None
    return _told(
        "too_long", log, request, f"at most {count(at_most, 'message')}", f"got {len(said)}"
    )


def _broken(log: Log, request: Exchange, said: Sequence[Mapping[str, Any]]) -> Verdict | None:
    """APIs refuse a conversation whose calls and tool messages do not match."""
    open_calls: list[str] = []
    for number, message in enumerate(said, start=1):
        if message.get("role") == "tool":
            if str(message.get("tool_call_id")) not in open_calls:
                got = f"but message {number} answers {shown(message.get('tool_call_id'))}, uncalled"
                return _told("broken_pair", log, request, "each tool message after its call", got)
            open_calls.remove(str(message.get("tool_call_id")))
            continue
        if open_calls:
            break
        calls = message.get("tool_calls")
        open_calls = [str(c.get("id")) for c in calls or () if isinstance(c, Mapping)]
    if not open_calls:
        return None
    got = f"but {shown(open_calls[0])} has no answer"
    return _told("broken_pair", log, request, "each call to be followed by its answer", got)


def _grown(log: Log, one: Exchange, following: Exchange) -> Verdict | None:
    before, now = messages(one), messages(following)
    for number, message in enumerate(before):
        if number >= len(now) or difference(now[number], message, rules=Rules(extra=True)):
            expected = f"message {number + 1} of the last request to be kept: {_named(message)}"
            got = f"got {_named(now[number]) if number < len(now) else 'nothing in its place'}"
            return _told("forgot", log, following, expected, got)
    later = text_of([list(each.values()) for each in now[len(before) :]])
    if one.outcome == "answered" and not _repeats(later, one):
        expected = "the answer to the last request to be kept"
        return _told("reply_lost", log, following, expected, "but it is not among the messages")
    return None


def _repeats(text: str, exchange: Exchange) -> bool:
    return proven(text, exchange) if exchange.token else bool(text.strip())


def _holds(message: Mapping[str, Any], piece: Piece) -> bool:
    if isinstance(piece, str):
        return folded(piece) in folded(text_of(message))
    fields = {k: v for k, v in piece.items() if k != "content" or not isinstance(v, str)}
    if difference(message, fields, rules=Rules(extra=True)):
        return False
    content = piece.get("content")
    return not isinstance(content, str) or folded(content) in folded(
        text_of(message.get("content"))
    )


def _named(piece: Piece) -> str:
    if isinstance(piece, str):
        return shown(piece)
    text = clip(one_line(text_of(piece.get("content", ""))), 30)
    return f"the {piece.get('role', '')} message {text!r}" if text else shown(dict(piece))


_LOOK = {
    "no_request": "look at what ends the conversation",
    "missing": "look at what is handed on to the next request",
    "leaked": "look at what is filtered out, and when",
    "order": "messages go in the order in which they were said",
    "twice": "is it added a second time before the request?",
    "too_long": "look at where the history is cut",
    "broken_pair": "cut a call and its answers together",
    "forgot": "is the list started anew for each request?",
    "reply_lost": "add the model's message before what follows it",
}


def _told(code: str, log: Log, request: Exchange | None, expected: str, got: str) -> Verdict:
    evidence = bars(log.exchanges, [request.number] if request else [])
    return fail(f"history.{code}", expected=expected, got=got, look=_LOOK[code], evidence=evidence)
