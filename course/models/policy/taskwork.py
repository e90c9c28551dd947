"""Task work: the next call or question of a task: look up, do, ask, finish, put right."""

from __future__ import annotations

import re
from typing import Any

from course.models.policy.arguments import Filled, Texts, fill
from course.models.policy.conversation import Made
from course.models.policy.exchanges import question_for
from course.models.policy.lookups import LOOKED_UP, reads_only
from course.models.policy.mentions import mentions
from course.models.policy.needs import Need, Wanted, World, resolve
from course.models.policy.params import Param, params
from course.models.policy.remedy import repaired_call
from course.models.policy.replies import reply_value
from course.models.policy.results import error_words
from course.models.policy.schemas import fits
from course.models.policy.steps import facts_for
from course.models.policy.tasks import Task, leaving
from course.models.policy.words import content, name_stems
from course.models.wire import ToolSpec


def task_calls(task: Task) -> list[Wanted]:
    """The calls to make next: giving up, going back, looking up, doing, or finishing."""
    return leaving(task) or _next(task)[0]


def task_text(task: Task) -> str:
    """The question to ask when nothing can be called yet."""
    return _next(task)[1] or "I know everything that I need."


def _next(task: Task) -> tuple[list[Wanted], str]:
    """The calls to make, or else the question to ask."""
    tried = [m for m in task.talk.made if m.name == task.finish.name]
    refused = tried[-1] if tried and tried[-1].error is not None else _refused_before(task)
    texts = _texts(task)
    world = World(
        task.tools, _results(task), (), frozenset(), facts_for(task.talk), _told_of_tools(task)
    )
    deed = _deed(task, texts, world)
    if deed is not None:
        return deed
    missing = tuple(p for p in task.wanted if p.required and p.name not in task.known)
    need = _resolved(task, missing, texts, world)
    wants = _wants(task, task.finish, need, texts)
    if wants is not None:
        return wants
    call = Wanted(task.finish.name, need.values)
    if refused is None or dict(refused.arguments) != dict(need.values):
        return [call], ""
    return _put_right(task, refused)


def _wants(task: Task, tool: ToolSpec, need: Need, texts: Texts) -> tuple[list[Wanted], str] | None:
    """What has to come before a call: lookups, or a question to the person."""
    calls = [w for w in need.calls if w.name]
    unsure = next((p for w in calls for p in _unsure(w, task)), None)
    if unsure is not None:
        return [], question_for(unsure)
    if calls:
        return calls, ""
    if not need.lacks:
        return None
    lack = need.lacks[0]
    return [], question_for(lack.asked)


def _unsure(call: Wanted, task: Task) -> list[Param]:
    """The persons' names in a lookup that nobody has said: words taken for a name."""
    tool = task.tool(call.name)
    named = {
        m.text.lower() for x in task.said for m in mentions(x.said) if m.kind in ("name", "quoted")
    }
    told = {str(v).lower() for v in (*_told_of_tools(task).values(), *task.known.values())}
    return [
        p
        for p in (params(tool.parameters) if tool else ())
        if p.kind == "name"
        and str(call.arguments.get(p.name, "")).lower() not in {"", *named, *told}
    ]


def _told_of_tools(task: Task) -> dict[str, Any]:
    """What the person answered when asked for something that only a tool needs."""
    own = {p.name for p in task.wanted}
    found: dict[str, Any] = {}
    for exchange in task.said:
        for tool in task.tools:
            fields = tuple(p for p in params(tool.parameters) if p.name not in own)
            exact = [p for p in fields if question_for(p).lower() in exchange.asked.lower()]
            for param in exact[:1]:
                value = reply_value(param, exchange.said, tool.parameters, task.talk.today)
                found |= {param.name: value} if value is not None else {}
    return found


def _refused_before(task: Task) -> Made | None:
    """The last finishing call that was refused, with nothing finished since."""
    tried = [m for m in task.made if m.name == task.finish.name]
    return tried[-1] if tried and tried[-1].error is not None else None


def _put_right(task: Task, refused: Made) -> tuple[list[Wanted], str]:
    """What follows a result that was refused: a changed one, or a question about what it names."""
    error = refused.error or ""
    changed = repaired_call(refused, " ".join(x.said for x in task.said))
    before = [dict(m.arguments) for m in task.made if m.name == task.finish.name]
    if changed and fits(changed, task.finish.parameters) and changed not in before:
        return [Wanted(task.finish.name, changed)], ""
    named = [p for p in task.wanted if re.search(rf"\b{re.escape(p.name)}\b", error)]
    about = named or [p for p in task.wanted if p.required] or list(task.wanted)
    why = error_words(re.sub(r"^the result does not fit:\s*", "", error))
    return [], f"{why} {question_for(about[0])}" if about else why


def _texts(task: Task) -> Texts:
    """What the person said, as texts that the arguments of other tools are filled from."""
    said = [x.said for x in task.said]
    return Texts(
        said[0] if said else "", tuple(said[:0:-1]), (), (task.talk.instructions,), task.talk.today
    )


def _results(task: Task) -> tuple[Made, ...]:
    """The results that missing values may come from, earlier finished tasks among them."""
    finished = [
        Made(m.name, {}, m.text, dict(m.arguments))
        for m in task.made
        if m.name == task.finish.name and m.error is None and m.text is not None
    ]
    return (*(m for m in task.made if m.name != task.finish.name), *finished)


def _resolved(task: Task, missing: tuple[Param, ...], texts: Texts, world: World) -> Need:
    """The result's fields with what tools have brought; people are asked for all other fields."""
    known = {p.name: task.known[p.name] for p in task.wanted if p.name in task.known}
    need = resolve(task.finish, Filled(known, missing, ()), texts, world)
    order = {p.name: n for n, p in enumerate(task.wanted)}
    need.lacks.sort(key=lambda k: order.get(k.param.name, 0))
    need.values = {p.name: need.values[p.name] for p in task.wanted if p.name in need.values}
    return need


def _deed(task: Task, texts: Texts, world: World) -> tuple[list[Wanted], str] | None:
    """A deed that the task wants done before its end: one that its instructions name, or whose
    result is a field that nobody can say."""
    for tool in task.tools:
        if tool.name in (task.finish.name, "cancel_task", "out_of_scope") or reads_only(tool):
            continue
        done = [m for m in task.made if m.name == tool.name]
        if any(m.error is None for m in done) or not _is_due(tool, task):
            continue
        filled = fill(tool.parameters, texts, tool.name)
        values = dict(filled.values) | _shared(tool, task)
        left = tuple(p for p in filled.missing if p.name not in values)
        need = resolve(tool, Filled(values, left, filled.used), texts, world)
        wants = _wants(task, tool, need, texts)
        if wants is not None:
            return wants
        call = Wanted(tool.name, need.values)
        if call.key in {Wanted(m.name, m.arguments).key for m in done}:
            return [], error_words(done[-1].error or "")
        return [call], ""
    return None


def _shared(tool: ToolSpec, task: Task) -> dict[str, Any]:
    """Arguments of a tool that the result has under the same name."""
    return {
        p.name: task.known[p.name]
        for p in params(tool.parameters)
        if p.name in task.known and fits(task.known[p.name], p.raw)
    }


def _is_due(tool: ToolSpec, task: Task) -> bool:
    stems = set(name_stems(tool.name))
    told = stems <= set(content(task.talk.instructions))
    entities = [
        set(name_stems(p.entity)) for p in task.wanted if p.kind in LOOKED_UP and p.required
    ]
    return told or any(e and e <= stems for e in entities)
