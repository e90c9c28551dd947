"""Plays a recording back: the same requests get the same answers, after the same waits."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course.errors import UnexpectedRequest
from course.models.wire import Key

if TYPE_CHECKING:
    from course.models.recording import Exchange


class Replay:
    """A recorded run in place of a model.

    A request is answered by the exchange with the same body. Where several have it, the one under
    the same key comes first, then the order of the recording; after the last one it begins again,
    so that a cell can be run twice.

    Args:
        path: a recording made by `connect(record=path)`.
        timing: wait as long as the recorded model did; otherwise answer at once.

    Raises FileFormatError: when the file is missing or damaged; the message gives the line.
    """

    def __init__(self, path: str | Path, *, timing: bool = True) -> None:
        # Imported here: it takes pydantic, and most runs replay nothing.
        from course.models.recording import read_recording

        self.path = Path(path)
        self.timing = timing
        self.exchanges = read_recording(self.path)
        self._by_request: dict[str, list[Exchange]] = defaultdict(list)
        for exchange in self.exchanges:
            self._by_request[_identity(exchange.method, exchange.path, exchange.request)].append(
                exchange
            )
        self._left = {identity: list(known) for identity, known in self._by_request.items()}

    def next(self, method: str, path: str, body: Any, key: Key) -> Exchange:
        """The exchange that answers a request.

        Raises UnexpectedRequest: when none has this body; the message names the nearest one and the
        first difference.
        """
        identity = _identity(method, path, body)
        known = self._by_request.get(identity)
        if not known:
            raise UnexpectedRequest(self._explain(method, path, body))
        left = self._left[identity]
        if not left:
            left.extend(known)
        same_key = (at for at, exchange in enumerate(left) if exchange.key == key)
        return left.pop(next(same_key, 0))

    def _explain(self, method: str, path: str, body: Any) -> str:
        alike = [
            e
            for e in self.exchanges
            if (e.method, e.path) == (method, path) and isinstance(e.request, dict)
        ]
        if not alike or not isinstance(body, dict):
            return f"{self.path} holds no request {method} {path}: record the run again"
        nearest = max(alike, key=lambda exchange: _likeness(exchange.request, body))
        return (
            f"{self.path} does not hold this request; nearest is line {nearest.line}, where "
            f"{difference(nearest.request, body)}: ask the same, or record the run again"
        )


def _identity(method: str, path: str, body: Any) -> str:
    return f"{method} {path} {json.dumps(body, sort_keys=True)}"


def _likeness(recorded: Mapping[str, Any], asked: Mapping[str, Any]) -> tuple[int, float]:
    """How alike two requests are: their common beginning, then the message where they part."""
    old, new = _messages(recorded), _messages(asked)
    common = _common(old, new)
    rest_old, rest_new = str(old[common : common + 1]), str(new[common : common + 1])
    return (common, SequenceMatcher(None, rest_old[:2000], rest_new[:2000]).ratio())


def difference(recorded: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """The first difference between two request bodies, in words."""
    old, new = _messages(recorded), _messages(asked)
    common = _common(old, new)
    if common < min(len(old), len(new)):
        was, now = _apart(_said(old[common]), _said(new[common]))
        return f"message {common} was {was} and is now {now}"
    if len(old) != len(new):
        return f"there were {len(old)} messages and are now {len(new)}"
    for name in sorted(recorded.keys() | asked.keys()):
        if recorded.get(name) != asked.get(name):
            was, now = _apart(str(recorded.get(name)), str(asked.get(name)))
            return f"'{name}' was {was} and is now {now}"
    return "nothing differs"


def _messages(body: Mapping[str, Any]) -> Sequence[Any]:
    messages = body.get("messages")
    return messages if isinstance(messages, list) else []


def _common(old: Sequence[Any], new: Sequence[Any]) -> int:
    """How many messages the two begin with alike."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(old), len(new)))


def _said(message: Any) -> str:
    """A message as its role and text, or as JSON when there is more to it."""
    if isinstance(message, dict) and message.keys() <= {"role", "content"}:
        return f"{message.get('role')}: {message.get('content')}"
    return json.dumps(message, ensure_ascii=False)


def _apart(was: str, now: str) -> tuple[str, str]:
    """Two texts, quoted, and shortened to the neighbourhood of their first difference."""
    pairs = enumerate(zip(was, now, strict=False))
    split = next((at for at, (a, b) in pairs if a != b), min(len(was), len(now)))
    start = max(0, split - 25)
    return _quote(was, start), _quote(now, start)


def _quote(text: str, start: int) -> str:
    shown = " ".join(text[start : start + 70].split())
    return f"'{'...' if start else ''}{shown}{'...' if len(text) > start + 70 else ''}'"
