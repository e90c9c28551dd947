"""How a check speaks: one line of at most 240 characters, and bars to look at."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from course.terminal import plain
from graders.records.log import Exchange, Failure, Log
from graders.records.verdict import Bar, Check, Verdict, not_yet

LONGEST = 240
MOST_BARS = 24
UNREADABLE = "check.unreadable"
CODES = {
    UNREADABLE: "what the check would look at is not there, or cannot be read",
    "not_attempted": "the exercise still raises NotImplementedError",
}


def fail(code: str, *, expected: str, got: str, look: str, evidence: Iterable[Bar] = ()) -> Verdict:
    """A verdict that did not pass, as one line: "expected ..., ...; look ...".

    Args:
        code: short and stable.
        expected: what should have been seen; follows the word "expected".
        got: what was seen instead.
        look: where to look, as a hint or a question.
        evidence: what to draw.
    """
    head, tail = f"expected {one_line(expected)}, ", f"; {one_line(look)}"
    room = max(LONGEST - len(head) - len(tail), 40)
    message = clip(f"{head}{clip(one_line(got), room)}{tail}", LONGEST)
    return not_yet(code, message, *evidence)


def one_line(text: str) -> str:
    """The text on one line, without what a terminal or a page could take for a command."""
    return plain(" ".join(text.split()), keep="")


def clip(text: str, longest: int) -> str:
    """The text, cut to `longest` characters with an ellipsis."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def shown(value: Any, longest: int = 40) -> str:
    """A value as a message shows it: short JSON, or Python's form when it is no JSON."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and abs(value) < 1e6:
        value = round(value, 4)  # nobody compares more digits than that by eye
    if isinstance(value, str) and '"' in value:  # no backslashes before its quotes
        begin, end = "“”" if "'" in value else "''"
        return f"{begin}{clip(one_line(value), longest - 2)}{end}"
    try:
        text = json.dumps(value, ensure_ascii=False, default=_meant)
    except (TypeError, ValueError, RecursionError):
        text = f"{type(value).__name__} {value!s}"
    return clip(one_line(text), longest)


def _meant(value: Any) -> str:
    """What a test among expected values wants."""
    if not callable(value):
        raise TypeError(value)
    return str(value.__doc__ or getattr(value, "__name__", "something else")).strip()


def seconds(value: float) -> str:
    """Seconds for reading: at most milliseconds, no needless zeros."""
    return f"{round(value, 3):g} s" if math.isfinite(value) else "for ever"


def listed(names: Iterable[str], most: int = 4) -> str:
    """Names as a sentence holds them: "a, b and c", or the first few and how many more."""
    short = [clip(one_line(str(name)), 30) for name in names]
    if len(short) > most:
        return f"{', '.join(short[:most])} and {len(short) - most} more"
    return " and ".join([", ".join(short[:-1]), short[-1]]) if short[1:] else "".join(short)


def count(number: int, noun: str) -> str:
    """A number with its noun: "1 call", "3 calls"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def bar(exchange: Exchange, *, marked: bool = False, remark: str = "") -> Bar:
    """One exchange as a line of evidence."""
    said = remark or ("" if exchange.outcome == "answered" else exchange.outcome)
    return Bar(titled(exchange), exchange.start, exchange.end, said, marked)


def bars(
    exchanges: Iterable[Exchange],
    marked: Collection[int] = (),
    belongs: Mapping[int, str] | None = None,
) -> tuple[Bar, ...]:
    """Exchanges as evidence; those whose number is in `marked` are the ones that are meant.

    Of a long run only the neighbourhood of the first marked one is kept.

    Args:
        belongs: what an exchange belongs to, by its number, such as a task.
    """
    every = list(exchanges)
    first = next((i for i, each in enumerate(every) if each.number in marked), 0)
    begin = max(0, min(first - MOST_BARS // 2, len(every) - MOST_BARS))
    kept = every[begin : begin + MOST_BARS]
    drawn = (bar(each, marked=each.number in marked) for each in kept)
    owners = (belongs.get(each.number, "") if belongs else "" for each in kept)
    return tuple(
        replace(one, label=f"{one.label} · {owner}") if owner else one
        for one, owner in zip(drawn, owners, strict=True)
    )


def titled(exchange: Exchange) -> str:
    """What stands beside a bar: the name and, for a tool, its arguments."""
    if exchange.kind == "model":
        return clip(one_line(f"model {exchange.name}"), 48)
    given = ", ".join(shown(value, 24).strip('"') for value in exchange.request.values())
    return clip(one_line(f"{exchange.name}({given})"), 48)


def unfinished(log: Log, code: str, what: str) -> Verdict | None:
    """What a check of the result says of a run that has none; None when it returned."""
    if log.returned:
        return None
    if log.failure and log.failure.type == "NotImplementedError":
        return Verdict("not attempted", "not_attempted", "not attempted yet")
    return fail(
        code,
        expected=what,
        got=f"but {ending(log)}",
        look="look at what comes before the return",
        evidence=bars(log.exchanges, [e.number for e in log.exchanges if e.outcome == "open"]),
    )


def ending(log: Log) -> str:
    """How a run without a result ended, as a half sentence."""
    if log.failure:
        return f"your code raised {raised(log.failure)}"
    if log.moments:
        last = log.moments[-1]
        why = f" ({clip(one_line(last.detail), 60)})" if last.detail else ""
        return f"your code {_ENDINGS[last.kind]} at {seconds(last.time)}{why}"
    return "nothing was returned"


def let_out(log: Log) -> str:
    """The error that the run ended in, as the tail of a half sentence; empty without one."""
    return f": your code raised {raised(log.failure)}" if log.failure else ""


_ENDINGS = {
    "blocked": "was held up for ever",
    "stalled": "waited for what can never happen",
    "silent": "never gave control back",
    "asleep": "slept in real time",
    "overdrawn": "took too long",
    "flooded": "sent too much",
    "died": "ended",
    "lied": "broke the protocol",
}


def raised(failure: Failure) -> str:
    """An exception in a message: type, words and line."""
    words = f": {clip(one_line(failure.message), 80)}" if failure.message else ""
    line = f" ({clip(one_line(failure.line), 50)})" if failure.line else ""
    return f"{clip(one_line(failure.type), 40)}{words}{line}"


def sealed(inner: Check) -> Check:
    """The check, made to give a verdict on whatever log it is handed."""

    @functools.wraps(inner)
    def verdict(log: Log) -> Verdict:
        try:
            return inner(log)
        except Exception:  # what it would look at is not there, or of another kind
            came = count(len(log.exchanges), "call")
            return fail(
                UNREADABLE,
                expected="all the calls that are asked for, and what is made of them",
                got=f"but with {came} made, something to look at is missing",
                look="does your code come as far as its last call, and return what is asked for?",
            )

    return verdict
