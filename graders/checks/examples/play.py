"""Small logs in few words, for examples and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from course.models.wire import Key
from graders.records.log import Exchange, Log, Outcome
from graders.records.verdict import Check, Verdict


@dataclass(frozen=True)
class Example:
    """A check, a log that it does not pass, and the code that it then gives."""

    factory: str
    code: str
    check: Check
    log: Log

    @property
    def verdict(self) -> Verdict:
        """What the check says."""
        return self.check(self.log)


def call(
    tool: str,
    start: float,
    end: float | None,
    /,
    *,
    outcome: Outcome = "answered",
    reply: Any = None,
    token: str = "",
    **request: Any,
) -> Exchange:
    """A tool call; with a token its reply holds it."""
    said = reply if reply is not None or not token else f"it is {token}"
    return Exchange(0, "tool", tool, request, start, end, outcome, said, token)


def failed(
    tool: str, start: float, end: float, /, *, reply: Any = "it broke", **request: Any
) -> Exchange:
    """A tool call that an error answers."""
    error = {"error": reply} if isinstance(reply, str) else reply
    return call(tool, start, end, outcome="failed", reply=error, **request)


def cancelled(tool: str, start: float, end: float, /, **request: Any) -> Exchange:
    """A tool call that its caller gave up."""
    return call(tool, start, end, outcome="cancelled", **request)


def still_open(tool: str, start: float, /, **request: Any) -> Exchange:
    """A tool call that nobody answered before the run was over."""
    return call(tool, start, None, outcome="open", **request)


def ask(
    start: float,
    end: float,
    /,
    *messages: Mapping[str, Any],
    reply: str | None = None,
    calls: Sequence[Mapping[str, Any]] = (),
    token: str = "",
    tools: Sequence[str] = (),
    model: str = "switchboard-small",
    key: Key = Key(),
) -> Exchange:
    """A request to a model, and what it answers."""
    body: dict[str, Any] = {"model": model, "messages": list(messages)}
    if tools:
        body["tools"] = [{"type": "function", "function": {"name": name}} for name in tools]
    said = {"text": reply, "calls": list(calls), "refusal": None, "finish_reason": "stop"}
    return Exchange(0, "model", model, body, start, end, "answered", said, token, key)


def seen(*exchanges: Exchange, result: Any = None, ended: float | None = None, **more: Any) -> Log:
    """A log of these exchanges, numbered as they are given; it returned if nothing else is said."""
    numbered = tuple(replace(each, number=n) for n, each in enumerate(exchanges))
    last = max((e.end for e in numbered if e.end is not None), default=0.0)
    over = last if ended is None else ended
    returned = more.pop("returned", more.get("failure") is None)
    return Log(numbered, result=result, ended=over, returned=returned, **more)


def span(
    operation: str,
    name: str,
    start: float,
    end: float,
    ids: str = "1",
    /,
    *,
    failed: bool = False,
    **attributes: Any,
) -> dict[str, Any]:
    """A span; `ids` is its own id, or "own<parent"."""
    own, _, parent = ids.partition("<")
    return {
        "name": name,
        "operation": operation,
        "span_id": own,
        "parent_id": parent or None,
        "start": start,
        "end": end,
        "status": "error" if failed else "ok",
        "attributes": attributes,
    }


def user(text: str) -> dict[str, Any]:
    """A message of the user."""
    return {"role": "user", "content": text}


def system(text: str) -> dict[str, Any]:
    """The instructions."""
    return {"role": "system", "content": text}


def assistant(text: str) -> dict[str, Any]:
    """A message of the model."""
    return {"role": "assistant", "content": text}
