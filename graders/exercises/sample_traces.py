"""Traces of runs that never were, in the published format."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

PlanStep = tuple[str, str, float, float, str | None]
"""Operation, name, start, end, and the plan's JSON where there is one."""


def exported(spans: Sequence[Mapping[str, Any]]) -> str:
    """The JSON text of a trace with these spans.

    Args:
        spans: in their order, each with operation, name, start, end and whatever else the format
            knows; `above` is the place of the span that it belongs to, None at the top.
    """
    told = []
    for number, each in enumerate(spans):
        above = each.get("above")
        ids = {
            "span_id": f"{number + 1:016x}",
            "parent_id": None if above is None else f"{above + 1:016x}",
        }
        told.append({**ids, **{key: value for key, value in each.items() if key != "above"}})
    head = {"format": "switchboard-trace", "version": 2, "name": "run", "trace_id": "1" * 32}
    return json.dumps({**head, "spans": told})


def partly_failed(spans: Sequence[Mapping[str, Any]], operation: str) -> list[dict[str, Any]]:
    """The same spans, every other one of this operation failed: it is a step all the same."""
    told, number = [], 0
    for each in spans:
        number += each["operation"] == operation
        failed = each["operation"] == operation and number % 2 == 1
        told.append({**each, **({"status": "error", "error": "it broke"} if failed else {})})
    return told


def trace_of_plan(steps: Sequence[PlanStep], *, led: bool = True) -> str:
    """A trace with these steps below one supervisor or, not `led`, at the top."""
    end = max(step[3] for step in steps)
    above: list[PlanStep] = [("invoke_agent", "caretaker", 0.0, end, None)] if led else []
    spans = [
        {
            "operation": operation,
            "name": name,
            "above": 0 if led and number else None,
            "start": start,
            "end": end,
            "attributes": {} if text is None else {"switchboard.plan": text},
        }
        for number, (operation, name, start, end, text) in enumerate([*above, *steps])
    ]
    return exported(partly_failed(spans, "dispatch"))
