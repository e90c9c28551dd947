"""Interview: finding out what a typed result or the instructions ask for, one question at a time,
and ending well.

A request belongs to a task when a tool is on offer that finishes one with a result. Its required
fields are what has to be known; what the person said fills them, then what tools brought.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from course.models.policy.arguments import Filled, Texts, fill
from course.models.policy.conversation import Exchange, Made, Talk, calls_in, exchanges
from course.models.policy.lines import inline
from course.models.policy.match import described_in, document, index_of
from course.models.policy.needs import LOOKED_UP, Need, Wanted, World, reads_only, resolve
from course.models.policy.params import Param, params
from course.models.policy.patterns import regex
from course.models.policy.reader.filling import fill_tool
from course.models.policy.reader.slots import offer_of
from course.models.policy.replies import (
    CORRECTS,
    asking,
    by_the_way,
    gathered,
    question_for,
)
from course.models.policy.results import error_words
from course.models.policy.schemas import Schema
from course.models.policy.steps import facts_for
from course.models.policy.words import STAND_IN, cue, name_stems, name_words, tokens, word_list
from course.models.wire import ChatRequest, ToolSpec

_ENDS, _ONCE, _FINDS_OUT, _QUITS = (
    cue(f"interview.{n}") for n in "ends once finds_out quits".split()
)
_LISTED = cue("interview.listed", re.IGNORECASE | re.DOTALL)
_CHOICES = regex(r"\(([^()]+(?:,| or )[^()]+)\)")
_KEEPING = frozenset(word_list("interview.keeping"))
_ASIDE = ("cancel_task", "out_of_scope")
_MEANT = 0.6  # the score from which words are about an earlier step


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
    finish = next((t for t in request.tools if _ends(t)), None) or _keeps(request, talk)
    if finish is None:
        return None
    said = exchanges(request.messages)
    known = gathered(params(finish.parameters), said, finish.parameters, talk.today)
    known = {**_read_of(finish, said[-1:], talk.today), **known}
    return Task(talk, request.tools, finish, said, known, calls_in(request.messages))


def _read_of(finish: ToolSpec, last: tuple[Exchange, ...], today: date) -> dict[str, Any]:
    """What the reader makes of a reply that tells several fields at once."""
    told = [fill_tool(offer_of((finish,)), 0, x.said, today) for x in last if "?" in x.asked]
    sure = {n: v for f in told for n, v in f.values.items() if n in f.surely}
    return sure if len(sure) > 1 else {}


def _ends(tool: ToolSpec) -> bool:
    """Whether a tool says that it finishes what it is offered for."""
    named = tool.name.startswith(("complete", "finish"))
    return tool.name == "complete" or (named and bool(_ENDS.search(tool.description)))


def _keeps(request: ChatRequest, talk: Talk) -> ToolSpec | None:
    """The tool that hands over what was found out, whatever its name: `record_triage`.

    It is the only deed on offer, or the one that the instructions name; it takes what has to be
    known, and finding that out is the work, by its own description ("once you know ...") or by the
    instructions.
    """
    deeds = [t for t in request.tools if t.name not in _ASIDE and not reads_only(t)]
    if len(deeds) > 1:
        named = set(re.findall(r"\w+", talk.instructions))
        deeds = [t for t in deeds if t.name in named]
    if len(deeds) != 1 or not set(name_words(deeds[0].name)[:1]) & _KEEPING:
        return None
    told = _ONCE.search(deeds[0].description) or _FINDS_OUT.search(talk.instructions)
    return deeds[0] if told and any(p.required for p in params(deeds[0].parameters)) else None


def task_calls(task: Task) -> list[Wanted]:
    """The calls to make next: giving up, going back, looking up, doing, or finishing."""
    return _leaving(task) or _next(task)[0]


def task_text(task: Task) -> str:
    """The question to ask when nothing can be called yet."""
    return _next(task)[1] or "I know everything that I need."


def _leaving(task: Task) -> list[Wanted]:
    """Giving the task up, or going back to an earlier one, as the person's last words ask."""
    if not task.said or task.talk.made:
        return []
    last = task.said[-1].said
    quits, back = (task.tool(name) for name in _ASIDE)
    if quits and _QUITS.search(last):
        reasons = [p.name for p in params(quits.parameters)][:1]
        return [Wanted(quits.name, {r: last.strip() for r in reasons})]
    lists = [p for p in params(back.parameters) if p.kind == "array"] if back else []
    for field in lists if CORRECTS.search(last) else ():
        steps = _steps_meant(field, back.description if back else "", task)
        return [Wanted("out_of_scope", {field.name: steps})] if steps else []
    return []


def _steps_meant(field: Param, about: str, task: Task) -> list[str]:
    """The earlier steps that the person's last words would change, if not this one."""
    items: Mapping[str, Any] = field.schema.get("items", {})
    names = [n for n in items.get("enum", [items.get("const")]) if isinstance(n, str)]
    told = [(f"{STAND_IN}{n}", described_in(n, about)) for n in names]
    mine = " ".join(f"{p.name.replace('_', ' ')} {p.description}" for p in task.wanted)
    pages = (document(n, {"description": d}) for n, d in (*told, (STAND_IN, mine)))
    last = task.said[-1]
    *scores, own = index_of(tuple(pages)).scores(last.said)
    best = max(scores, default=0.0)
    here = by_the_way(task.wanted, last.said, task.finish.parameters, task.talk.today)
    if best < _MEANT or best <= own + (0.5 if here else 0.0):
        return []
    return [n for n, s in zip(names, scores, strict=True) if s >= max(_MEANT, 0.75 * best)]


def _next(task: Task) -> tuple[list[Wanted], str]:
    """The calls to make, or else the question to ask."""
    said = [x.said for x in task.said]
    texts = Texts(
        said[0] if said else "", tuple(said[:0:-1]), (), (task.talk.instructions,), task.talk.today
    )
    world = World(task.tools, _results(task), (), given=facts_for(task.talk))
    for tool in task.tools:
        if _is_due(tool, task):
            return _deed(tool, task, texts, world)
    known = {p.name: task.known[p.name] for p in task.wanted if p.name in task.known}
    missing = tuple(p for p in task.wanted if p.required and p.name not in known)
    need = resolve(task.finish, Filled(known, missing, ()), texts, world)
    order = [p.name for p in task.wanted]
    need.lacks.sort(key=lambda k: order.index(k.param.name) if k.param.name in order else 0)
    values = {n: need.values[n] for n in order if n in need.values}
    tried = [m for m in task.made if m.name == task.finish.name][-1:]
    if before := _before(task, need):
        return before
    if tried and tried[0].error is not None and dict(tried[0].arguments) == values:
        return [], _put_right(task, tried[0].error)
    return [Wanted(task.finish.name, values)], ""


def _before(task: Task, need: Need) -> tuple[list[Wanted], str] | None:
    """What has to come before a call: lookups, or a question to the person."""
    calls = [w for w in need.calls if w.name]
    if need.lacks and not calls:
        return [], question_for(need.lacks[0].asked)
    return (calls, "") if calls else None


def _put_right(task: Task, error: str) -> str:
    """The question about what a refused result's error names."""
    named = [p for p in task.wanted if re.search(rf"\b{re.escape(p.name)}\b", error)]
    about = named or [p for p in task.wanted if p.required]
    why = error_words(re.sub(r"^the result does not fit:\s*", "", error))
    return f"{why} {question_for(about[0])}" if about else why


def _results(task: Task) -> tuple[Made, ...]:
    """The results that missing values may come from, earlier finished tasks among them."""
    return tuple(
        m if m.name != task.finish.name else Made(m.name, {}, m.text, dict(m.arguments))
        for m in task.made
        if m.name != task.finish.name or (m.error is None and m.text is not None)
    )


def _is_due(tool: ToolSpec, task: Task) -> bool:
    """Whether a deed has to be done before the end: its result is a field that nobody can say."""
    if tool.name in (task.finish.name, *_ASIDE) or reads_only(tool):
        return False
    stems = set(name_stems(tool.name))
    sought = (set(name_stems(p.entity)) for p in task.wanted if p.kind in LOOKED_UP and p.required)
    done = any(m.name == tool.name and m.error is None for m in task.made)
    return not done and any(thing and thing <= stems for thing in sought)


def _deed(tool: ToolSpec, task: Task, texts: Texts, world: World) -> tuple[list[Wanted], str]:
    """A deed that the task wants done before its end, or what has to come before that."""
    filled = fill(tool.parameters, texts, tool.name)
    own = {p.name: task.known[p.name] for p in params(tool.parameters) if p.name in task.known}
    left = tuple(p for p in filled.missing if p.name not in own)
    need = resolve(tool, Filled({**filled.values, **own}, left, filled.used), texts, world)
    call = Wanted(tool.name, need.values)
    failed = [m for m in task.made if Wanted(m.name, m.arguments).key == call.key]
    why = error_words(failed[-1].error or "") if failed else ""
    return _before(task, need) or ([] if failed else [call], why)


def interview_schema(instructions: str) -> Schema | None:
    """The things that instructions want to be found out as the fields of a form, None when they
    list none."""
    match = _LISTED.search(instructions)
    text = match["items"] if match else ""
    rows = r"\s*(?:;|\n)\s*(?:[-*•]|\d+[.)])?\s*"
    told = re.split(rows if re.search(r"[;\n]", text) else r",\s*(?![^(]*\))", text)
    items = [re.sub(r"^(?:and |[-*•]\s*)", "", t.strip()).strip(" .") for t in told]
    items = [i for i in items if tokens(i)]
    if len(items) < 2:
        return None
    properties = {_name(i): {"type": "string", "description": i, **_choices(i)} for i in items}
    return {"type": "object", "properties": properties, "required": [*properties]}


def _name(item: str) -> str:
    bare = re.sub(r"\(.*?\)", "", item)
    return "_".join(t.text.lower() for t in tokens(bare)[:6]).replace("'", "").replace("-", "_")


def _choices(item: str) -> dict[str, Any]:
    match = _CHOICES.search(item)
    if not match or re.search(r"\b(?:such as|e\.g\.|for example)\b", match[1]):
        return {}
    options = [o.strip() for o in re.split(r",\s*(?:or\s+)?|\s+or\s+", match[1])]
    return {"enum": options} if all(len(o.split()) <= 3 for o in options) else {}


def interview(request: ChatRequest, talk: Talk) -> str | None:
    """What is said next in a chat that finds things out: a question, or the sum; None in others."""
    schema = interview_schema(talk.instructions)
    if schema is None or request.tools or request.response_format != "text":
        return None
    wanted = params(schema)
    known = gathered(wanted, exchanges(request.messages), schema, talk.today)
    missing = next((p for p in wanted if p.name not in known), None)
    if missing is not None:
        return question_for(missing)
    told = [f"{re.sub('^the ', '', asking(p))}: {inline(known[p.name])}" for p in wanted]
    return f"In sum: {'; '.join(told)}."
