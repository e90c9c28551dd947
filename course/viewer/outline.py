"""What is drawn of a trace that is too large: what is outermost first, and long texts cut."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from course.observability.views import walk
from course.trace import Span, Trace

MOST = 8_000
"""Steps that are drawn at once."""
LETTERS = 8_000_000
"""Letters of messages, results and errors that are drawn of a run."""
DEEP = 20
"""Levels of a message in which texts are looked for."""
LEAST = 40
"""Letters of a text that are worth showing; where there is room for less, none are."""


def outline(trace: Trace, most: int = MOST, letters: int = LETTERS) -> tuple[Trace, list[str]]:
    """What is drawn of a trace, and a line for each thing that is not; itself where it is small."""
    drawn, told = _outermost(trace, most)
    return _cut(drawn, told, letters)


def _outermost(trace: Trace, most: int) -> tuple[Trace, list[str]]:
    """Whole levels as far as they go, and of the next one the steps that began first."""
    if trace.place <= most:
        return trace, []
    depth = {span.span_id: level for level, span in walk(trace)}
    order = {span.span_id: n for n, span in enumerate(trace.spans)}
    kept = sorted(depth, key=lambda id: (depth[id], order[id]))[:most]
    deepest, chosen = depth[kept[-1]], set(kept)
    told = f"{trace.place:,} steps: the outermost {most:,}, {deepest + 1} levels deep, are drawn"
    drawn = _of(trace, trace.name, (span for span in trace.spans if span.span_id in chosen))
    return drawn, [f"{told}, and the figures are theirs"]


def _cut(trace: Trace, told: list[str], letters: int) -> tuple[Trace, list[str]]:
    """Texts cut where all together are too long: the longest first, and all to one length."""
    if sum(map(len, _texts(trace))) <= letters:
        return trace, told
    lengths: list[int] = []

    def measured(text: str) -> str:
        lengths.append(len(text))
        return text

    read = [(span, _words(span)) for span in trace.spans]
    for _, words in read:
        _each(words, measured)
    room = _room(lengths, letters)

    def shortened(text: str) -> str:
        if len(text) <= max(room, LEAST):
            return text
        return f"{text[:room]}… ({len(text) - room:,} letters more)"

    cut = _of(trace, shortened(trace.name), (_with(s, _each(w, shortened)) for s, w in read))
    how = f"are cut after {room:,}" if room else "are left out"
    return cut, [*told, f"{sum(lengths):,} letters of text: long ones {how}"]


def _room(lengths: list[int], letters: int) -> int:
    """The length to which texts are cut, so that all together have no more letters than this."""
    left = letters
    for n, length in enumerate(sorted(lengths)):
        if length * (len(lengths) - n) > left:
            room = left // (len(lengths) - n)
            return room if room >= LEAST else 0
        left -= length
    return letters


def _texts(trace: Trace) -> Iterator[str]:
    for span in trace.spans:
        yield span.error or ""
        yield from (v for v in span.attributes.values() if isinstance(v, str))
        for event in span.events:
            yield from (v for v in event.attributes.values() if isinstance(v, str))


def _words(span: Span) -> Any:
    """The texts of a step; messages as what they are in JSON, so that they can be cut inside."""
    about = {k: _read(v) if k.endswith(".messages") else v for k, v in span.attributes.items()}
    events = [dict(event.attributes) for event in span.events]
    return {"name": span.name, "error": span.error, "about": about, "events": events}


def _with(span: Span, words: Any) -> Span:
    """The step with other texts."""
    about = {
        key: value if isinstance(value, str | int | float) else json.dumps(value)
        for key, value in words["about"].items()
    }
    events = tuple(
        replace(event, attributes=own)
        for event, own in zip(span.events, words["events"], strict=True)
    )
    return replace(span, name=words["name"], error=words["error"], attributes=about, events=events)


def _read(text: object) -> Any:
    try:
        return json.loads(str(text))
    except (ValueError, RecursionError):
        return text


def _each(value: Any, change: Callable[[str], str], deep: int = DEEP) -> Any:
    """The same with each text in it changed; what lies too deep becomes one text."""
    if isinstance(value, dict | list) and not deep:
        value = json.dumps(value)
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): _each(inner, change, deep - 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_each(inner, change, deep - 1) for inner in value]
    return value


def _of(trace: Trace, name: str, spans: Iterable[Span]) -> Trace:
    """A trace like another, with other steps."""
    made = Trace(name, seed=trace.seed, messages=True)
    made.begin_ns = trace.begin_ns
    for span in spans:
        made.add(span)
    return made
