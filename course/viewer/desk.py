"""What is told of a step when it lies on the desk: messages, what is new to the model, tables.

A message is kept once, however many calls saw it: contexts grow by repeating themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from course.models import tokens
from course.viewer.steps import GIVEN, INVOKE, TraceStep, messages_of, parsed, text_of

OLD, NEW, GROWN = 0, 1, 2
"""What a message is to the model since its last call in this job: seen, unseen, or seen in part."""


class Desk:
    """Tells steps one after the other, in the trace's order; `messages` are those that it named."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self._places: dict[str, int] = {}
        self._before: dict[tuple[int, str], list[int]] = {}
        self._tools: dict[str, int] = {}

    def tell(self, step: TraceStep) -> dict[str, Any]:
        """What is known of a step beyond its times, as far as there is anything."""
        told: dict[str, Any] = {"error": step.span.error} if step.failed else {}
        if step.kind == "chat":
            return told | self._chat(step)
        if step.kind == "execute_tool":
            given, came = (step.span.attributes.get(f"gen_ai.tool.call.{k}") for k in _CALL)
            if given is not None:
                told["bubbles"] = [{"role": "call", "name": step.span.name, "text": str(given)}]
            if came is not None:
                told.setdefault("bubbles", []).append({"role": "tool", "text": str(came)})
            return told
        told["bubbles"], told["table"] = list(_bubbles(step)), _table(step)
        return {key: value for key, value in told.items() if value}

    def _chat(self, step: TraceStep) -> dict[str, Any]:
        about = step.span.attributes
        read = int(float(str(about.get("gen_ai.usage.input_tokens", 0)) or 0))
        told: dict[str, Any] = {"in": read, "out": about.get("gen_ai.usage.output_tokens", 0)}
        told |= {"cost": about.get("switchboard.cost_usd", 0), "model": step.span.name}
        if (tries := about.get("switchboard.attempt", 1)) != 1:
            told["attempt"] = tries
        turn = next((up for up in step.above() if up.kind == INVOKE), step)
        if (tried := turn.span.attributes.get("switchboard.task.attempt", 1)) != 1:
            told["try"] = tried
        seen = [self._place(each) for each in messages_of(step, "input")]
        key = (id(turn if turn is not step else step.job), str(about.get("gen_ai.agent.name", "")))
        before = self._before.get(key)
        told["seen"] = [[place, *self._new(n, place, before)] for n, place in enumerate(seen)]
        told["first"] = before is None
        self._before[key] = seen
        told["answer"] = [self._place(each) for each in messages_of(step, "output")]
        if definitions := about.get("gen_ai.tool.definitions"):
            told["tools"] = self._offered(str(definitions))
        return told

    def _new(self, n: int, place: int, before: list[int] | None) -> Iterator[Any]:
        """What a message is to the model and, where it has grown, what was added."""
        if before is None:
            yield NEW
            return
        if place in before:
            yield OLD
            return
        then = self.messages[before[n]] if n < len(before) else None
        now = self.messages[place]
        was = text_of(then) if then and then["role"] == now["role"] else ""
        if was and text_of(now).startswith(was):
            yield from (GROWN, text_of(now)[len(was) :].strip())
        else:
            yield NEW

    def _place(self, message: Mapping[str, Any]) -> int:
        told = {"role": str(message.get("role") or "user"), "parts": message["parts"]}
        key = json.dumps(told, sort_keys=True, default=str)
        if key not in self._places:
            self._places[key] = len(self.messages)
            self.messages.append({**told, "tokens": _tokens(told)})
        return self._places[key]

    def _offered(self, definitions: str) -> list[Any]:
        """The names of the tools that a call was offered, and the tokens of their descriptions."""
        read = parsed(definitions)
        given = [each for each in read if isinstance(each, dict)] if isinstance(read, list) else []
        names = [str((each.get("function") or each).get("name", "")) for each in given]
        if definitions not in self._tools:
            self._tools[definitions] = sum(tokens.count_json(each) for each in given)
        return [names, self._tools[definitions]]


_CALL = ("arguments", "result")


def _tokens(message: Mapping[str, Any]) -> int:
    """About how many tokens a message in parts costs."""
    said = [
        str(part.get(key) or "")
        for part in message["parts"]
        for key in ("content", "response", "name", "arguments")
    ]
    return tokens.PER_MESSAGE + sum(tokens.count_text(each) for each in said if each)


def _bubbles(step: TraceStep) -> Iterator[dict[str, str]]:
    """What was said in a step that is no call."""
    job = step.job
    opens = job and job.opened_by is step and step.kind != "stage"  # its name is no message
    if job and opens and step.kind in (*GIVEN, "skip") and job.words:
        yield {"role": "user", "text": job.words}
    for key, role in _SAID.items():
        said = step.within if step.kind == "approve" else step.told
        if words := said(f"switchboard.{key}"):
            yield {"role": role, "text": words}


_SAID = {
    "handoff.reason": "user",
    "error": "error",
    "task.words": "user",
    "approval.details": "user",
    "approval.reason": "tool",
    "task.result": "assistant",
    "stage.shown": "user",
    "stage.wrote": "assistant",
    "aggregation.answer": "assistant",
}
_TABLES = {
    "handoff": ("handoff.from", "handoff.to", "handoff.kind", "handoff.context"),
    "dispatch": ("task.worker", "task.dependencies", "task.without", "task.status"),
    "skip": ("task.worker", "task.without"),
    "delegate": ("delegation.constraints", "delegation.status"),
    "aggregate": ("aggregation.method", "results", "gaps", "contradictions"),
    "route": ("route.by", "route.agents", "route.confidence", "route.why"),
    "select": ("candidates", "votes", "attempts", "agreeing"),
    "escalate": ("escalation.reason",),
    "approve": ("approval.asked_by", "approval.decided_by", "approval.seconds"),
    "take_down": ("matters",),
}


def _table(step: TraceStep) -> Any:
    """A small table about a step that is no call: a list of rows, or names with values."""
    plan = parsed(step.span.attributes.get("switchboard.plan"))
    if step.kind == "plan" and isinstance(plan, dict) and isinstance(plan.get("tasks"), list):
        keys = ("id", "worker", "description", "dependencies")
        return [{k: t.get(k) for k in keys} for t in plan["tasks"] if isinstance(t, dict)]
    tries = [each.attributes for each in step.span.events if each.name == "attempt"]
    if any(each.get("error") for each in tries):
        return [{k: each.get(k, "") for k in ("worker", "words", "error")} for each in tries]
    found = {key: step.within(f"switchboard.{key}") for key in _TABLES.get(step.kind, ())}
    return {key.split(".")[-1]: value for key, value in found.items() if value}
