"""Traces that are not whole, or that another tool wrote: read as far as it goes.

`Trace.load` takes what follows the published schema and nothing else. A picture can be drawn of
more, if it says what was mended.

Source: OpenTelemetry protocol, JSON encoding (`resourceSpans`); GenAI semantic conventions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from course import files
from course.errors import FileFormatError
from course.trace import OPERATION, VERSION, Span, SpanEvent, Trace, all_plain

_ERROR = 2  # OpenTelemetry's status code of a step that failed


def read(path: str | Path) -> tuple[Trace, list[str]]:
    """A trace file of the course or of OpenTelemetry, and what was mended in it.

    Raises FileFormatError: it is no JSON (with the position), or holds no steps; OSError.
    """
    source = str(path)
    raw = files.from_json(
        files.read(path, source=source, hint="no trace file"), source=source, hint="no whole trace"
    )
    if not isinstance(raw, Mapping):
        raise FileFormatError(f"{source}: it is no trace")
    told: list[str] = []
    if "resourceSpans" in raw:
        told.append("written by another tool: it shows what the trace says")
        name, seed, spans = _name(raw) or Path(path).stem, 0, list(_foreign(raw))
        first = min((span.start for span in spans), default=0.0)
        spans = [replace(s, start=s.start - first, end=s.end - first) for s in spans]
    else:
        if raw.get("version") != VERSION:
            told.append(f"of version {raw.get('version', '?')}, and this reads {VERSION}")
        seed = raw["seed"] if isinstance(raw.get("seed"), int) else 0
        name, spans = str(raw.get("name") or Path(path).stem), list(_own(raw))
    given = _count(raw)
    if not spans and given:
        raise FileFormatError(f"{source}: none of its {given} steps can be read; it is no trace")
    if given > len(spans):
        told.append(f"{given - len(spans)} steps cannot be read and are left out")
    return _whole(name, seed, spans, told), told


def _count(raw: Mapping[str, Any]) -> int:
    spans = raw.get("spans")
    return sum(1 for _ in _open(raw)) or (len(spans) if isinstance(spans, list) else 0)


def _own(raw: Mapping[str, Any]) -> Iterator[Span]:
    """The steps of our own form that can be read."""
    given = raw.get("spans")
    for each in given if isinstance(given, list) else ():
        try:
            events = [
                SpanEvent(str(e["name"]), _second(e["time"]), all_plain(e.get("attributes")))
                for e in each.get("events") or ()
            ]
            failed = each.get("status") == "error"
            yield Span(
                name=str(each.get("name", "")),
                operation=str(each.get("operation", "step")),
                span_id=str(each["span_id"]),
                parent_id=str(each["parent_id"]) if each.get("parent_id") else None,
                start=_second(each["start"]),
                end=_second(each["end"]),
                attributes=all_plain(each.get("attributes")),
                events=tuple(events),
                status="error" if failed else "ok",
                error=str(each.get("error") or "failed") if failed else None,
            )
        except _UNREADABLE:
            continue


_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, OverflowError)


def _second(value: Any) -> float:
    """A time that can be drawn; ValueError for none."""
    if not math.isfinite(time := float(value)):
        raise ValueError("no time")
    return time


def _open(raw: Mapping[str, Any]) -> Iterator[Any]:
    for resource in raw.get("resourceSpans") or ():
        for scope in resource.get("scopeSpans") or ():
            yield from scope.get("spans") or ()


def _name(raw: Mapping[str, Any]) -> str:
    for resource in raw.get("resourceSpans") or ():
        told = _attributes((resource.get("resource") or {}).get("attributes"))
        if name := told.get("service.name"):
            return str(name)
    return ""


def _foreign(raw: Mapping[str, Any]) -> Iterator[Span]:
    """OpenTelemetry's steps, with seconds from the first one."""
    begin: int | None = None
    for each in _open(raw):
        try:
            start, end = int(each["startTimeUnixNano"]), int(each["endTimeUnixNano"])
            begin = start if begin is None else begin
            told = _attributes(each.get("attributes"))
            status = each.get("status") or {}
            failed = status.get("code") in (_ERROR, "STATUS_CODE_ERROR")
            kind = str(told.get(OPERATION) or each.get("name", "step").partition(" ")[0])
            named = (told.get(key) for key in ("gen_ai.tool.name", "gen_ai.agent.name"))
            model = told.get("gen_ai.request.model") if kind == "chat" else None
            name = str(model or next(filter(None, named), "") or each.get("name", ""))
            yield Span(
                name=name,
                operation=kind,
                span_id=str(each["spanId"]),
                parent_id=str(each["parentSpanId"]) if each.get("parentSpanId") else None,
                start=(start - begin) / 1e9,
                end=(end - begin) / 1e9,
                attributes=all_plain(told),
                status="error" if failed else "ok",
                error=str(status.get("message") or "failed") if failed else None,
            )
        except _UNREADABLE:
            continue


def _attributes(given: Any) -> dict[str, Any]:
    """OpenTelemetry's list of names and typed values, as names and values."""
    told: dict[str, Any] = {}
    for each in given or ():
        value = each.get("value") or {}
        kind, held = next(iter(value.items()), ("", None))
        told[str(each.get("key"))] = int(str(held)) if kind == "intValue" else held
    return told


def _whole(name: str, seed: int, spans: list[Span], told: list[str]) -> Trace:
    """The steps as a trace: each with a name of its own, an end, and a parent that is there."""
    ids = Counter(span.span_id for span in spans)
    if twice := sum(n - 1 for n in ids.values()):
        told.append(f"{twice} steps have the id of another and are left out")
    kept = {span.span_id: span for span in reversed(spans)}
    lost = [s for s in kept.values() if s.parent_id is not None and s.parent_id not in kept]
    if lost:
        told.append(f"{len(lost)} steps lack the step around them")
    backwards = [s for s in kept.values() if s.end < s.start]
    if backwards:
        told.append(f"{len(backwards)} steps end before they start and are drawn as instants")
    for each in lost:
        kept[each.span_id] = replace(each, parent_id=None)
    for each in backwards:
        kept[each.span_id] = replace(kept[each.span_id], end=each.start)
    if cut := _uncircled(kept):
        told.append(f"{cut} steps stand around themselves: the circle is cut")
    trace = Trace(name, seed=seed)
    trace.begin_ns = 0
    for each in _parents_first(kept, [span.span_id for span in spans]):
        trace.add(each)
    return trace


def _uncircled(kept: dict[str, Span]) -> int:
    """Make a step outermost that stands around itself, and say how many there were."""
    cut, safe = 0, set[str]()
    for start in list(kept):
        way, here = dict[str, None](), start
        while here not in safe and here not in way:
            way[here] = None
            above = kept[here].parent_id
            if above is None:
                break
            here = above
        else:
            if here in way:
                kept[here], cut = replace(kept[here], parent_id=None), cut + 1
        safe |= way.keys()
    return cut


def _parents_first(kept: Mapping[str, Span], order: list[str]) -> list[Span]:
    """The steps in their order; where an inner one stands before the one around it, as tools write
    that note a step when it ends, in the order in which they began."""
    place = {id: n for n, id in enumerate(order)}
    own = [kept[id] for id in dict.fromkeys(order)]
    if all(s.parent_id is None or place[s.parent_id] < place[s.span_id] for s in own):
        return own
    began: dict[str, tuple[float, int]] = {}
    for span in own:
        way = [span]
        while (above := way[-1].parent_id) is not None and above not in began:
            way.append(kept[above])
        for each in reversed(way):
            outer, depth = began.get(each.parent_id or "", (each.start, -1))
            began.setdefault(each.span_id, (max(each.start, outer), depth + 1))
    return sorted(own, key=lambda span: (*began[span.span_id], place[span.span_id]))
