"""Plan fields: writing a plan into the field names of whatever schema asks for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from course.models.policy.asks import brief_of
from course.models.policy.conversation import Talk
from course.models.policy.params import Param, params
from course.models.policy.plans import Plan, PlanTask, plan
from course.models.policy.prose import constraints
from course.models.policy.schemas import Schema, as_schema, follow, minimal, type_of
from course.models.policy.staff import workers_in
from course.models.policy.wordlists import word_list
from course.models.policy.words import name_words

_NAMED = {
    role: frozenset(word_list(f"planfields.{role}")) for role in ("id", "after", "worker", "text")
}
_LAST = frozenset(word_list("planfields.last"))
_FEWEST = 3  # values of an enumeration that are workers though its name does not say so


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


def _roles(fields: tuple[Param, ...]) -> dict[str, str]:
    """What the fields of a task are for, by name: its id, its worker, what it waits for, its text.
    A worker is also what has the longest enumeration, when no name says whose it is."""
    roles: dict[str, str] = {}
    for role, words in _NAMED.items():
        named = [p.name for p in fields if set(name_words(p.name)) & words and p.name not in roles]
        if role == "worker" and not named:
            listed = [p for p in fields if len(p.options) >= _FEWEST and p.name not in roles]
            named = [p.name for p in sorted(listed, key=lambda p: -len(p.options))]
        roles |= dict.fromkeys(named[:1] if role in ("id", "worker") else named, role)
    return roles


def _rows(schema: Schema, root: Schema) -> Param | None:
    """The property that lists tasks: objects with an id or text, and a worker or an order."""
    for param in params(schema, root):
        items = follow(as_schema(param.schema.get("items")), root) if param.kind == "array" else {}
        if type_of(items) == "object" and items:
            fields = params(items, root)
            told = {*_roles(fields).values()}
            named = any(set(name_words(p.name)) & _NAMED["worker"] for p in fields)
            if "text" in told and ("after" in told or (named and "id" in told)):
                return param
    return None


def _inner(param: Param, root: Schema) -> Schema | None:
    """The plan that a property holds whole, if it does."""
    inner = follow(param.schema, root) if param.type == "object" else {}
    return inner if inner and _rows(inner, root) is not None else None


def is_plan(schema: Schema, root: Schema) -> bool:
    """Whether a schema describes a plan, or an object with one in it: tasks with an id or text,
    and workers or dependencies."""
    return _rows(schema, root) is not None or any(_inner(p, root) for p in params(schema, root))


def _workers(items: Schema, root: Schema, guides: tuple[str, ...]) -> tuple[str, ...]:
    """The workers that a task may have: as the schema lists them, or else a text."""
    fields = params(items, root)
    roles = _roles(fields)
    for options in (p.options for p in fields if roles.get(p.name) == "worker"):
        if options:
            return tuple(o for o in options if isinstance(o, str))
    return next((w for t in guides if (w := workers_in(t))), ())


def plan_value(schema: Schema, root: Schema, talk: Talk) -> dict[str, Any]:
    """The request in hand as a plan in the schema's own field names."""
    rows = _rows(schema, root)
    if rows is None:
        held = {p.name: _inner(p, root) for p in params(schema, root)}
        return {name: plan_value(inner, root, talk) for name, inner in held.items() if inner}
    items = follow(as_schema(rows.schema.get("items")), root)
    guides = (talk.instructions, talk.material, talk.latest)
    workers = _workers(items, root, guides)
    request = _bare(" ".join((talk.request, *talk.answers)))
    made = plan(request, workers, guides, rows.schema.get("maxItems", 12))
    out: dict[str, Any] = {}
    for param in params(schema, root):
        if param.name == rows.name:
            out[param.name] = _Table(params(items, root), root, made.tasks).rows()
        elif set(name_words(param.name)) & _LAST and param.type == "string":
            out[param.name] = _last_words(made, request)
        elif param.required or param.type == "string":
            plain = param.type == "string" and "enum" not in param.schema
            out[param.name] = request if plain else minimal(param.raw, root)
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


def _last_words(made: Plan, request: str) -> str:
    """How the results become one answer, with what the request wants of it and what nobody can do;
    or why there is no plan."""
    if not made.tasks:
        return f"No worker can do what is asked: {request}"
    told = list(brief_of(request).form)
    if made.unserved:
        told.append(f"Say that no worker is there for this: {'; '.join(made.unserved)}.")
    return (
        " ".join(["Answer the request from the results of the tasks.", *told]) if told else request
    )


@dataclass(frozen=True)
class _Table:
    """The tasks of a plan in the fields of a schema."""

    fields: tuple[Param, ...]
    root: Schema
    tasks: tuple[PlanTask, ...]

    def rows(self) -> list[dict[str, Any]]:
        """The tasks, each with the fields that are required or have a value."""
        roles = _roles(self.fields)
        out = []
        for task in self.tasks:
            row = {p.name: self._cell(roles.get(p.name), p, task) for p in self.fields}
            out.append({
                p.name: minimal(p.raw, self.root) if row[p.name] is None else row[p.name]
                for p in self.fields if row[p.name] is not None or p.required
            })  # fmt: skip
        return out

    def _cell(self, role: str | None, param: Param, task: PlanTask) -> Any:
        if role == "id":
            return self._id(task)
        if role == "worker":
            return task.worker or None
        if role == "text" and param.type == "string":
            return task.text
        if role == "after":
            ids = [self._id(self.tasks[a - 1]) for a in task.after]
            if param.type == "array":
                return ids
            return ", ".join(map(str, ids)) if param.type == "string" else next(iter(ids), None)
        limits = {"constraints", "constraint"} & set(name_words(param.name))
        return constraints(task.text) if limits and param.type == "string" else None

    def _id(self, task: PlanTask) -> str | int:
        param = next((p for p in self.fields if _roles(self.fields).get(p.name) == "id"), None)
        if param is None:
            return task.worker
        if param.type in ("integer", "number"):
            return task.place
        shown = re.search(r"\b([a-z]+[_-]?)1\b", param.description)
        pattern = str(param.schema.get("pattern", ""))
        shown = shown or re.match(r"\^?\(?([A-Za-z]+[_-]?)(?=\[|\\d)", pattern)
        return f"{shown.group(1) if shown else 't'}{task.place}"
