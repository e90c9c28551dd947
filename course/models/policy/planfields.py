"""Plan fields: writing a plan into the field names of whatever schema asks for it."""

from __future__ import annotations

import re
from typing import Any

from course.models.policy.asks import brief_of
from course.models.policy.conversation import Talk
from course.models.policy.params import Param, params
from course.models.policy.plans import PlanTask, plan, workers_in
from course.models.policy.prose import constraints
from course.models.policy.schemas import Schema, as_schema, follow, minimal, type_of
from course.models.policy.words import name_words

_IDS = frozenset("id key identifier step number nr no ref".split())
_TEXTS = frozenset(
    "description task instruction instructions goal objective text prompt what title "
    "name summary request job".split()
)
_WORKERS = frozenset(
    "worker agent assignee assigned owner specialist role team executor who".split()
)
_AFTER = frozenset(
    "depends dependencies dependency after needs requires inputs prerequisites "
    "predecessors blocked waits".split()
)


_LAST = frozenset("final instruction instructions reason note".split())


_WANTS_PLAN = re.compile(
    r"\b(?:plan|decompose|break (?:it |the request )?down|split)\b", re.IGNORECASE
)
_WORKER_KEYS = ("worker", "agent", "assignee", "assigned_to", "who", "executor")
_TEXT_KEYS = ("description", "task", "instruction", "words", "what")
_AFTER_KEYS = ("dependencies", "depends_on", "after", "needs", "requires")
_WHOLE_KEYS = ("goal", "final_instruction")


def plan_schema(told: str) -> Schema | None:
    """The usual shape of a plan, when a text asks for a plan and lists workers; its fields are
    called as the text calls them."""
    if not _WANTS_PLAN.search(told) or not workers_in(told):
        return None
    texts, ids = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
    row: dict[str, Schema] = {"id": texts}
    row |= {_called(_TEXT_KEYS, told): texts, _called(_WORKER_KEYS, told): texts}
    row[_called(_AFTER_KEYS, told) if _mentions(_AFTER_KEYS, told) else "depends_on"] = ids
    rows = {"type": "array", "items": {"type": "object", "properties": row, "required": [*row]}}
    whole = {k: texts for k in _WHOLE_KEYS if _mentions((k,), told)}
    named = {"tasks": rows} if not _mentions(("steps",), told) else {"steps": rows}
    fields = {**whole, **named}
    return {"type": "object", "properties": fields, "required": list(fields)}


def _mentions(keys: tuple[str, ...], told: str) -> bool:
    return any(re.search(rf"\b{key}\b", told) for key in keys)


def _called(keys: tuple[str, ...], told: str) -> str:
    """The name of a field: one that the text puts in quotes or in a list, or else the usual one."""
    quoted = next((k for k in keys if re.search(rf"[\"'`]{k}[\"'`]", told)), None)
    return quoted or next((k for k in keys if re.search(rf"\b{k}\b", told)), keys[0])


def _rows(schema: Schema, root: Schema) -> Param | None:
    """The property that lists tasks: objects with an id or text, and a worker or an order."""
    for param in params(schema, root):
        items = follow(as_schema(param.schema.get("items")), root) if param.kind == "array" else {}
        if type_of(items) == "object" and items:
            words = {w for p in params(items, root) for w in name_words(p.name)}
            if words & _TEXTS and (words & _AFTER or (words & _WORKERS and words & _IDS)):
                return param
    return None


def is_plan(schema: Schema, root: Schema) -> bool:
    """Whether a schema describes a plan: tasks with an id or text, and workers or dependencies."""
    return _rows(schema, root) is not None


def _workers(items: Schema, root: Schema, talk: Talk) -> tuple[str, ...]:
    for param in params(items, root):
        options = param.schema.get("enum")
        if set(name_words(param.name)) & _WORKERS and isinstance(options, list):
            return tuple(o for o in options if isinstance(o, str))
    told = (talk.instructions, talk.material, talk.latest)
    return next((w for t in told if (w := workers_in(t))), ())


def plan_value(schema: Schema, root: Schema, talk: Talk) -> dict[str, Any]:
    """The request in hand as a plan in the schema's own field names."""
    rows = _rows(schema, root)
    assert rows is not None
    items = follow(as_schema(rows.schema.get("items")), root)
    workers = _workers(items, root, talk)
    most = rows.schema.get("maxItems", 12)
    request = _bare(" ".join((talk.request, *talk.answers)))
    tasks = plan(request, workers, (talk.instructions, talk.material, talk.latest), most)
    out: dict[str, Any] = {}
    for param in params(schema, root):
        if param.name == rows.name:
            out[param.name] = [_row(t, tasks, items, root) for t in tasks]
        elif set(name_words(param.name)) & _LAST and param.type == "string":
            out[param.name] = _last_words(tasks, request)
        elif param.required or param.type == "string":
            out[param.name] = (
                request
                if param.type == "string" and "enum" not in param.schema
                else minimal(param.raw, root)
            )
    return out


_SPLITS = re.compile(
    r"^(?:please )?(?:split|break|divide|decompose|plan|answer|return|write|give|make|respond)\b"
    r"[^\n]*\b(?:tasks?|plan|JSON|workers?)\b",
    re.IGNORECASE,
)


def _bare(request: str) -> str:
    """A request without the paragraphs that say how to plan it."""
    kept = [p for p in re.split(r"\n\s*\n", request.strip()) if not _SPLITS.match(p.strip())]
    return "\n\n".join(kept).strip() or request.strip()


def _last_words(tasks: list[PlanTask], request: str) -> str:
    """How the results become one answer, with what the request wants of it; or why there is no
    plan."""
    if not tasks:
        return f"No worker can do what is asked: {request}"
    form = " ".join(brief_of(request).form)
    return f"Answer the request from the results of the tasks. {form}".strip() if form else request


def _id(task: PlanTask, items: Schema, root: Schema) -> str | int:
    param = next((p for p in params(items, root) if set(name_words(p.name)) & _IDS), None)
    if param is not None and param.type in ("integer", "number"):
        return task.place
    shown = re.search(r"\b([a-z]+[_-]?)1\b", param.description) if param else None
    pattern = str(param.schema.get("pattern", "")) if param else ""
    shown = shown or re.match(r"\^?\(?([A-Za-z]+[_-]?)(?=\[|\\d)", pattern)
    if param is None:
        return task.worker
    return f"{shown.group(1) if shown else 't'}{task.place}"


def _row(task: PlanTask, tasks: list[PlanTask], items: Schema, root: Schema) -> dict[str, Any]:
    fields = params(items, root)
    roles: dict[str, str] = {}
    for role, words in (("id", _IDS), ("after", _AFTER), ("worker", _WORKERS), ("text", _TEXTS)):
        for param in fields:
            if param.name not in roles and set(name_words(param.name)) & words:
                roles[param.name] = role
                if role in ("id", "worker"):
                    break
    out: dict[str, Any] = {}
    for param in fields:
        value = _cell(roles.get(param.name), param, task, tasks, items, root)
        if value is not None or param.required:
            out[param.name] = minimal(param.raw, root) if value is None else value
    return out


def _cell(
    role: str | None,
    param: Param,
    task: PlanTask,
    tasks: list[PlanTask],
    items: Schema,
    root: Schema,
) -> Any:
    if role == "id":
        return _id(task, items, root)
    if role == "worker":
        return task.worker or None
    if role == "text" and param.type == "string":
        return task.text
    if role == "after":
        ids = [_id(tasks[a - 1], items, root) for a in task.after]
        if param.type == "array":
            return ids
        return (ids[0] if ids else None) if param.type != "string" else ", ".join(map(str, ids))
    if set(name_words(param.name)) & {"constraints", "constraint"} and param.type == "string":
        return constraints(task.text)
    return None
