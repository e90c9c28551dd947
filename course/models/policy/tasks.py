"""Tasks: finding out what a typed result asks for, one question at a time, and ending well.

A request belongs to a task when a tool is on offer that finishes one with a result. Its required
fields are what has to be known; what the person said fills them, then what tools brought.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from course.models.policy.conversation import Made, Talk, calls_in
from course.models.policy.exchanges import Exchange, asked_field, exchanges
from course.models.policy.lookups import reads_only
from course.models.policy.match import described_in, document, index_of
from course.models.policy.needs import Wanted
from course.models.policy.params import Param, params
from course.models.policy.replies import CORRECTS, by_the_way, gathered
from course.models.policy.wordlists import cue
from course.models.policy.words import STAND_IN, name_words
from course.models.wire import ChatRequest, ToolSpec

_ENDS = re.compile(r"\b(?:finish|complete|end)\b.*\b(?:result|task|form|record)\b", re.IGNORECASE)
_KEEPING = frozenset("record save submit store complete finish report register return".split())
_ASIDE = ("cancel_task", "out_of_scope")
_ONCE = cue("tasks.once")
_FINDS_OUT = cue("tasks.finds_out")
_QUITS = cue("tasks.quits")


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
    return Task(talk, request.tools, finish, said, known, calls_in(request.messages))


def _ends(tool: ToolSpec) -> bool:
    """Whether a tool says that it finishes what it is offered for."""
    named = tool.name.startswith(("complete", "finish"))
    return tool.name == "complete" or (named and bool(_ENDS.search(tool.description)))


def _keeps(request: ChatRequest, talk: Talk) -> ToolSpec | None:
    """The tool that hands over what was found out, whatever its name: `record_triage`.

    It is the only deed on offer, it takes what has to be known, and finding that out is the work,
    by its own description ("once you know ...") or by the instructions.
    """
    deeds = [t for t in request.tools if t.name not in _ASIDE and not reads_only(t)]
    if len(deeds) != 1:
        return None
    [tool] = deeds
    named = name_words(tool.name)[:1]
    if (
        not named
        or named[0] not in _KEEPING
        or not any(p.required for p in params(tool.parameters))
    ):
        return None
    told = _ONCE.search(tool.description) or _FINDS_OUT.search(talk.instructions)
    return tool if told else None


def _fresh(task: Task) -> bool:
    """Whether the person has spoken since the last call."""
    return bool(task.said) and not task.talk.made


def leaving(task: Task) -> list[Wanted]:
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
