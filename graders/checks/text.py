"""Text in what was sent and returned: which words it holds, and which tokens."""

from __future__ import annotations

import dataclasses
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from graders.records.log import Exchange

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "nothing"})()
"""What `reach` gives when there is nothing at the path."""

GENERIC = frozenset(
    "about after again also argument arguments attempt because been before cannot cause could did "
    "does error errors exception fail failed failing failure first from give have http into last "
    "message must need needs not please previous problem reason request result retry should status "
    "task that their them then there they this time tool tried trying unable value went were what "
    "when which will with worker would wrong your".split()
)


def leaves(value: Any, *, keys: bool = True) -> Iterator[str]:
    """Every text in a plain value, in order; numbers as Python writes them."""
    pending = [value]
    while pending:
        each = pending.pop()
        if type(each) is str:  # most are
            yield each
            continue
        known = type(each) is dict or type(each) is list
        if not known and dataclasses.is_dataclass(each) and not isinstance(each, type):
            each = {f.name: getattr(each, f.name) for f in dataclasses.fields(each)}
        if isinstance(each, Mapping):
            for key, inner in reversed(list(each.items())):
                pending += (inner, key) if keys else (inner,)
        elif isinstance(each, list | tuple | set | frozenset):
            pending += list(each)[::-1]
        elif each is not None:
            yield str(each)


def text_of(value: Any) -> str:
    """All texts of a plain value, one a line."""
    return "\n".join(leaves(value))


def folded(text: str) -> str:
    """The text without differences of case and spacing."""
    return " ".join(text.casefold().split())


def holds(text: str, piece: str) -> bool:
    """Whether `piece` stands in `text` as a word of its own, whatever the case and spacing."""
    wanted, inside = folded(piece), folded(text)
    place = inside.find(wanted) if wanted else -1
    while place >= 0:
        end = place + len(wanted)
        if not inside[place - 1 : place].isalnum() and not inside[end : end + 1].isalnum():
            return True
        place = inside.find(wanted, place + 1)
    return False


def words(text: str) -> list[str]:
    """The words of a text in order, without case and punctuation."""
    return re.findall(r"\w+", text.casefold())


def content_words(text: str) -> set[str]:
    """The words that carry meaning: four letters or more, or a digit, and not everyday ones."""
    return {
        word
        for word in words(text)
        if (len(word) >= 4 or any(c.isdigit() for c in word)) and word not in GENERIC
    }


def share(wanted: Iterable[str], there: Iterable[str]) -> float:
    """How many of the wanted words are there, from 0 to 1; endings may differ.

    Nothing wanted counts as all there.
    """
    wanted = set(wanted)
    if not wanted:
        return 1.0
    known: dict[str, set[str]] = {}
    for word in there:
        known.setdefault(word[:4], set()).add(word)
    found = sum(any(_alike(word, other) for other in known.get(word[:4], ())) for word in wanted)
    return found / len(wanted)


def _alike(one: str, other: str) -> bool:
    """The same word but for its ending: one letter may change, more may follow."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= 5 and short.isalpha() and long.startswith(short[:-1])


def proof(exchange: Exchange) -> tuple[str, ...]:
    """What only its caller can know of an answer: the token, or else every text of the reply."""
    if exchange.token and folded(exchange.token) in folded(text_of(exchange.reply)):
        return (exchange.token,)
    return tuple(leaf for leaf in leaves(said(exchange), keys=False) if words(leaf))


def said(exchange: Exchange) -> Any:
    """What a reply says: of a model's the text and the calls, without what is counted around it."""
    reply = exchange.reply
    if exchange.kind == "model" and isinstance(reply, Mapping) and "text" in reply:
        return [reply["text"], reply.get("refusal"), reply.get("calls")]
    return reply


def field_of(value: Any, *names: str) -> Any:
    """The first field with one of these names (without capitals) at any depth, outer ones first."""
    pending = deque([value])
    while pending:
        each = pending.popleft()
        if isinstance(each, Exception):
            each = vars(each)
        if isinstance(each, Mapping):
            fields = {str(name).lower(): inner for name, inner in each.items()}
            found = next((fields[name] for name in names if fields.get(name) is not None), None)
            if found is not None:
                return found
            pending.extend(fields.values())
        elif isinstance(each, list | tuple):
            pending.extend(each)
    return None


def error_text(exchange: Exchange) -> str:
    """What an error says, without its codes and the names of its fields."""
    said = field_of(exchange.reply, "message")
    return said if isinstance(said, str) else "\n".join(leaves(exchange.reply, keys=False))


def proven(text: str, exchange: Exchange) -> bool:
    """Whether the text holds the proof that this call's answer was received.

    A token may be glued to other text, as when answers are added up; nobody writes it by chance.
    """
    pieces = proof(exchange)
    if pieces == (exchange.token,):
        return folded(exchange.token) in folded(text)
    return all(holds(text, piece) for piece in pieces)


def reach(value: Any, path: str) -> Any:
    """The value at a dotted path, such as "items.0.price"; MISSING when there is none."""
    for step in path.split(".") if path else ():
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list | tuple) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return MISSING
    return value
