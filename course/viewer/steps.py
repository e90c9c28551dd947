"""A trace's steps: what stands around each, who does it, and to which job it belongs.

A job is what somebody was asked to do: a task of a plan, a delegation, a stage, an agent's turn.
Each model call and each tool call belongs to exactly one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from course.trace import Span, SpanEvent, Trace, Value

INVOKE = "invoke_agent"
WORKFLOW = "invoke_workflow"
GIVEN = ("dispatch", "delegate", "task", "stage")
"""Steps in which somebody works on what somebody else gave away."""
OPENS = (*GIVEN, "skip", "enter", "take_down", "route", "approve")
CALLS = ("chat", "execute_tool")
PERSON = "the person"
"""Who says yes or no where an agent asks for it."""


@dataclass(eq=False, slots=True)
class TraceStep:
    """A span in its place: `up` is the step around it, `who` the agent that does it."""

    span: Span
    order: int
    up: TraceStep | None = None
    who: str = ""
    depth: int = 0
    busy: bool = False
    job: Job | None = None
    children: list[TraceStep] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The operation."""
        return self.span.operation

    @property
    def failed(self) -> bool:
        """Whether it ended in an error."""
        return self.span.status == "error"

    @property
    def instant(self) -> bool:
        """Whether it took no time."""
        return self.span.end == self.span.start

    def told(self, name: str) -> str:
        """An attribute as text, empty where there is none."""
        value = self.span.attributes.get(name)
        return "" if value is None else str(value)

    def within(self, name: str) -> str:
        """An attribute of it, or else of a step right inside it, as text."""
        return next(filter(None, (each.told(name) for each in (self, *self.children))), "")

    def above(self) -> Iterator[TraceStep]:
        """The steps around it, from the inside out."""
        step = self.up
        while step is not None:
            yield step
            step = step.up


@dataclass(eq=False, slots=True)
class Job:
    """What somebody was asked to do, with the steps that belong to it."""

    opened_by: TraceStep
    id: str = ""
    agent: str = ""
    words: str = ""
    status: str = "done"
    error: str = ""
    steps: list[TraceStep] = field(default_factory=list)

    @property
    def tries(self) -> list[SpanEvent]:
        """The tries at it, as a plan's supervisor notes them."""
        return [each for each in self.opened_by.span.events if each.name == "attempt"]

    @property
    def untold(self) -> bool:
        """Whether the trace only tells that it was given to somebody, and not what they did."""
        done = any(each.kind in (*CALLS, INVOKE) for each in self.steps)
        return self.opened_by.kind == "dispatch" and not done

    @property
    def name(self) -> str:
        """Who does it, and under which id."""
        return f"{self.agent} ({self.id})" if self.id else self.agent


def parsed(text: Value | None) -> Any:
    """What a JSON text holds; None where it is none."""
    try:
        return json.loads(str(text))
    except (ValueError, RecursionError):
        return None


def messages_of(step: TraceStep, key: str) -> list[dict[str, Any]]:
    """The messages of a model call, in parts, as far as they can be read."""
    read = parsed(step.span.attributes.get(f"gen_ai.{key}.messages"))
    given = read if isinstance(read, list) else []
    return [{**m, "parts": parts_of(m)} for m in given if isinstance(m, Mapping)]


def parts_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The parts of a message that can be read."""
    parts = message.get("parts")
    return [p for p in parts if isinstance(p, dict)] if isinstance(parts, list) else []


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, without its calls and results."""
    texts = [part.get("content") for part in message["parts"] if part.get("type") == "text"]
    return "\n".join(str(each) for each in texts if each is not None)


def steps_of(trace: Trace) -> list[TraceStep]:
    """The steps of a trace in its order, each with who does it and its job."""
    steps = [TraceStep(span, order) for order, span in enumerate(trace.spans)]
    known = {step.span.span_id: step for step in steps}
    for step in steps:
        step.up = known.get(step.span.parent_id or "")
        if step.up:
            step.depth = step.up.depth + 1
            step.up.children.append(step)
    for step in reversed(steps):
        step.busy = step.kind in (*CALLS, "dispatch") or any(child.busy for child in step.children)
    for step in steps:
        step.who = _who(step)
    for step in steps:
        step.job = Job(step) if _opens(step) else step.up.job if step.up else None
        if step.job:
            step.job.steps.append(step)
    for job in jobs_of(steps):
        _describe(job)
    return steps


def jobs_of(steps: list[TraceStep]) -> list[Job]:
    """The jobs in the order in which they were begun."""
    return [step.job for step in steps if step.job and step.job.opened_by is step]


def boss_of(step: TraceStep) -> str:
    """Who gave a step away and gets it back: empty where it has the conversation itself."""
    if step.kind == INVOKE and step.told("switchboard.holder"):
        return ""
    for each in step.above():
        if each.kind == INVOKE:
            return each.who
        if each.told("switchboard.holder"):
            return ""
        if each.kind == WORKFLOW:
            return each.span.name
    return ""


def _who(step: TraceStep) -> str:
    """The agent that does a step: named by it, or by what it stands in. Who works under several
    names ("boss planning") is one agent."""
    own = step.told("gen_ai.agent.name")
    if step.kind in (INVOKE, "take_down", "enter"):
        own = own or step.span.name
    if step.kind == INVOKE:
        return own
    if step.kind == "handoff":
        return step.told("switchboard.handoff.to")
    if step.kind in ("dispatch", "skip"):
        return step.told("switchboard.task.worker")
    outer = boss_of(step) or (step.up.who if step.up else "")
    if step.kind == WORKFLOW and not step.told("switchboard.holder"):
        outer = step.span.name
    return outer if not own or own.startswith(f"{outer} ") else own


def _opens(step: TraceStep) -> bool:
    """Whether a step begins a job of its own."""
    if step.kind in OPENS:
        return True
    around = step.up.job if step.up else None
    if step.kind == INVOKE and around:
        given = around.opened_by.kind in GIVEN
        between = next((s for s in step.above() if s.kind == INVOKE or s is around.opened_by), None)
        return not given or between is not around.opened_by
    return step.kind == INVOKE or (around is None and step.busy and step.kind != WORKFLOW)


def _describe(job: Job) -> None:
    """Work out who does a job, what was asked, and how it ended."""
    step = job.opened_by
    turn = next((each for each in job.steps if each.kind == INVOKE), None)
    chat = next((each for each in job.steps if each.kind == "chat"), None)
    worker = step.told("switchboard.task.worker") or (turn.who if turn else "")
    job.agent = worker or (chat.who if chat else "") or step.who or step.span.name
    if step.kind == "approve":
        job.agent = PERSON
    job.id = step.told("switchboard.task.id")
    job.id = "" if job.id == job.agent else job.id
    job.words = _asked(job, turn, chat)
    if step.kind == "skip":
        job.status, job.error = "skipped", step.told("switchboard.error")
    elif step.failed:
        job.status, job.error = "failed", step.span.error or "failed"


def _asked(job: Job, turn: TraceStep | None, chat: TraceStep | None) -> str:
    step = job.opened_by
    if step.kind == "stage" and step.span.name != job.agent:
        return step.span.name
    around = step.up if step.up and step.up.kind == WORKFLOW else step
    asked_of = (step, turn or step, step if around.told("switchboard.holder") else around)
    for key in ("task.description", "delegation.task", "request"):
        for each in asked_of:
            if said := each.told(f"switchboard.{key}"):
                return said
    if step.kind not in (INVOKE, *GIVEN):
        return step.span.name if step.kind == "approve" else step.kind.replace("_", " ")
    given = step.kind in ("dispatch", "delegate", "task")  # what they read is not what they got
    asked = [m for m in messages_of(chat, "input") if m.get("role") == "user"] if chat else []
    if asked and not given:
        return text_of(asked[-1])
    received = next((s.told("switchboard.request") for s in job.steps if s.kind == "receive"), "")
    return received or (step.span.name if step.kind == "stage" else "")
