"""Tasks: finding out what a typed result asks for, one question at a time, and ending well.

A request belongs to a task when a tool is on offer that finishes one with a result. Its required
fields are what has to be known; what the person said fills them, then what tools brought.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from course.models.policy.answers import question
from course.models.policy.arguments import Filled, Texts, fill
from course.models.policy.conversation import Made, Talk, calls_in
from course.models.policy.exchanges import Exchange, asked_field, exchanges, question_for
from course.models.policy.lookups import LOOKED_UP, reads_only
from course.models.policy.match import described_in, document, index_of
from course.models.policy.mentions import mentions
from course.models.policy.needs import Lack, Need, Wanted, World, resolve
from course.models.policy.params import Param, params
from course.models.policy.repair import repaired_call
from course.models.policy.replies import CORRECTS, by_the_way, gathered, reply_value
from course.models.policy.results import error_words, render
from course.models.policy.schemas import fits
from course.models.policy.steps import Step, facts_for
from course.models.policy.words import STAND_IN, content, name_stems
from course.models.wire import ChatRequest, ToolSpec

_ENDS = re.compile(r"\b(?:finish|complete|end)\b.*\b(?:result|task|form|record)\b", re.IGNORECASE)
_QUITS = re.compile(
    r"\bnever ?mind\b|\bforget (?:it|about it|the whole thing|this)\b"
    r"|^\W*(?:please )?(?:stop|cancel)(?: (?:it|this|that|everything|here))?(?:,? please)?\W*$"
    r"|\bchanged my mind\W*(?:$|[,.]| and|i )"
    r"|\b(?:do not|don't) want (?:it|this|that|to|any of (?:it|this)|anything)\b[^.]{0,20}"
    r"(?:any ?more|any longer|after all|$)|\bdon't want (?:it|this|that)\W*$|\bno longer (?:want"
    r"|need|interested)\b|\bleave it\b(?! (?:at|to|as|in|on))|\bdrop it\b|\bi'd rather not\b"
    r"|\bnot any ?more\b|\bdon't bother\b|\bi give up\b|\blet's (?:stop|leave (?:it|that)|not)\b"
    r"|\bcall it off\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Task:
    """A task in hand: its finishing tool, what is known of its fields, and the calls so far."""

    talk: Talk
    tools: tuple[ToolSpec, ...]
    finish: ToolSpec
    said: tuple[Exchange, ...]
    known: Mapping[str, Any]
    made: tuple[Made, ...]

    @property
    def wanted(self) -> tuple[Param, ...]:
        """The fields of the result."""
        return params(self.finish.parameters)

    def tool(self, name: str) -> ToolSpec | None:
        """An offered tool by its name."""
        return next((t for t in self.tools if t.name == name), None)


def task_of(request: ChatRequest, talk: Talk) -> Task | None:
    """The task that a request belongs to, None when no tool finishes one."""
    finish = next(
        (t for t in request.tools if t.name.startswith(("complete", "finish")) and _ends(t)), None
    )
    if finish is None:
        return None
    said = exchanges(request.messages)
    known = gathered(params(finish.parameters), said, finish.parameters, talk.today)
    return Task(talk, request.tools, finish, said, known, calls_in(request.messages))


def _ends(tool: ToolSpec) -> bool:
    return tool.name == "complete" or bool(_ENDS.search(tool.description))


def task_calls(task: Task) -> list[Wanted]:
    """The calls to make next: giving up, going back, looking up, doing, or finishing."""
    return _leaving(task) or _next(task)[0]


def task_text(task: Task) -> str:
    """The question to ask when nothing can be called yet."""
    return _next(task)[1]


def _fresh(task: Task) -> bool:
    """Whether the person has spoken since the last call."""
    return bool(task.said) and not task.talk.made


def _leaving(task: Task) -> list[Wanted]:
    """Giving the task up, or going back to an earlier one, as the person's last words ask."""
    if not _fresh(task):
        return []
    last = task.said[-1].said
    quit_tool = task.tool("cancel_task")
    if quit_tool and _QUITS.search(last):
        reasons = [p.name for p in params(quit_tool.parameters)]
        return [Wanted(quit_tool.name, {r: last.strip() for r in reasons[:1]})]
    back = task.tool("out_of_scope")
    steps = _steps_meant(back, task) if back and CORRECTS.search(last) else []
    field = next((p.name for p in params(back.parameters) if p.kind == "array"), "") if back else ""
    return [Wanted(back.name, {field: steps})] if back and steps else []


def _steps_meant(back: ToolSpec, task: Task) -> list[str]:
    """The earlier steps that the person's last words would change, if not this one."""
    items: Mapping[str, Any] = next(
        (p.schema.get("items", {}) for p in params(back.parameters)), {}
    )
    names = [n for n in items.get("enum", [items.get("const")]) if isinstance(n, str)]
    last = task.said[-1]
    about = [
        document(f"{STAND_IN}{n}", {"description": described_in(n, back.description)})
        for n in names
    ]
    own = document(STAND_IN, {"description": _own_words(task)})
    scores = index_of((*about, own)).scores(last.said)
    asked = asked_field(last.asked, task.wanted)
    here = by_the_way(task.wanted, last.said, task.finish.parameters, task.talk.today)
    if here and not (scores and max(scores[:-1], default=0.0) > scores[-1] + 0.5):
        return []
    if asked and not here and max(scores[:-1], default=0.0) < 0.6:
        return []
    best = max(scores[:-1], default=0.0)
    if best < 0.6 or best <= scores[-1]:
        return []
    return [n for n, s in zip(names, scores, strict=False) if s >= max(0.6, 0.75 * best)]


def _own_words(task: Task) -> str:
    fields = [f"{p.name.replace('_', ' ')} {p.description}" for p in task.wanted]
    return " ".join(fields)


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
    if lack.options:
        return [], question(Step(_clause(task), texts, (tool,), need), {})
    if lack.searched:
        return [], _searched_in_vain(lack, task)
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


def _searched_in_vain(lack: Lack, task: Task) -> str:
    """What a fruitless lookup brought, and the question that may help it."""
    made = lack.searched[0]
    tool = task.tool(made.name)
    fields = [p for p in params(tool.parameters) if p.name in made.arguments] if tool else []
    found = error_words(made.error) if made.error else render(made)
    return f"{found} {question_for(fields[0])}" if fields else found


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


def _clause(task: Task) -> Any:
    from course.models.policy.clauses import Clause

    return Clause(task.said[0].said if task.said else "")


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
