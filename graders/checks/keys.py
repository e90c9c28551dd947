"""Which exchange belongs to what: a key gives it a label, or None when it is not meant."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from graders.checks.text import holds, leaves, text_of
from graders.records.log import Exchange, Log

Key = Callable[[Exchange], str | None]
Failed = Callable[[Exchange], bool]


def did_fail(exchange: Exchange) -> bool:
    """The usual test for a failure: an error was the answer."""
    return exchange.outcome == "failed"


def by_tool(*names: str) -> Key:
    """Tool calls, labelled with the tool's name; all tools when none is named."""

    def key(exchange: Exchange) -> str | None:
        meant = exchange.kind == "tool" and (not names or exchange.name in names)
        return exchange.name if meant else None

    return key


def by_model(*names: str) -> Key:
    """Model requests, labelled with the model's name; all models when none is named."""

    def key(exchange: Exchange) -> str | None:
        meant = exchange.kind == "model" and (not names or exchange.name in names)
        return exchange.name if meant else None

    return key


def by_argument(argument: str, *, tool: str | None = None) -> Key:
    """Tool calls, labelled with the value of one argument, such as a task's id."""

    def key(exchange: Exchange) -> str | None:
        if exchange.kind != "tool" or tool not in (None, exchange.name):
            return None
        value = exchange.request.get(argument)
        return None if value is None else _label(value)

    return key


def by_request(*names: str) -> Key:
    """Every request its own label, the same request again the same one: for retries.

    The label holds a few words of it. Without names all tools and models are meant.
    """

    def key(exchange: Exchange) -> str | None:
        if names and exchange.name not in names:
            return None
        body = json.dumps(exchange.request, sort_keys=True, default=str)
        said = messages(exchange)[-1:] or [exchange.request]
        words = " ".join(leaves([each.get("content", each) for each in said], keys=False))
        mark = hashlib.blake2b(body.encode("utf-8", "replace"), digest_size=2).hexdigest()
        return f"{words[:16].strip()} #{mark}"

    return key


Part = Literal["all", "system", "last"]


def by_text(texts: Mapping[str, str], *, part: Part = "all") -> Key:
    """Requests, labelled by the text that stands in them: label -> text.

    Args:
        texts: the first whose text is found gives its label, so put the more special ones first.
        part: of a model's request look at everything, the system messages, or the last message.
    """

    def key(exchange: Exchange) -> str | None:
        said = _part(exchange, part)
        return next((label for label, text in texts.items() if holds(said, text)), None)

    return key


def grouped(log: Log, key: Key) -> dict[str, list[Exchange]]:
    """The exchanges of each label, in order of arrival; labels in order of their first."""
    found: dict[str, list[Exchange]] = {}
    for exchange in log.exchanges:
        label = key(exchange)
        if label is not None:
            found.setdefault(label, []).append(exchange)
    return found


def keyed(log: Log, key: Key) -> list[Exchange]:
    """All exchanges that have a label, in order of arrival."""
    return [exchange for exchange in log.exchanges if key(exchange) is not None]


def answered(exchanges: Iterable[Exchange]) -> Exchange | None:
    """The first that was answered, by time; None when none was."""
    done = [e for e in exchanges if e.outcome == "answered" and e.end is not None]
    return min(done, key=lambda e: (e.end or 0.0, e.number), default=None)


def end_of(exchange: Exchange) -> float:
    """When it ended; infinity while it is open."""
    return float("inf") if exchange.end is None else exchange.end


def messages(exchange: Exchange) -> Sequence[Mapping[str, Any]]:
    """The messages of a model's request; none when it has none that can be read."""
    listed = exchange.request.get("messages")
    if not isinstance(listed, list | tuple):
        return ()
    return [each for each in listed if isinstance(each, Mapping)]


def _part(exchange: Exchange, part: Part) -> str:
    if exchange.kind == "tool" or part == "all":
        return text_of(exchange.request)
    said = messages(exchange)
    if part == "last":
        return text_of(said[-1].get("content")) if said else ""
    return text_of([m.get("content") for m in said if m.get("role") in ("system", "developer")])


def _label(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
