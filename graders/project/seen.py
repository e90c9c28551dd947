"""What was seen of a project's run: the tries of each task, and what was asked beside them.

Everything here is read off the log. The requests are read as the scripted model has read them, in
the order in which they came.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from course.models.wire import ChatRequest, ToolSpec
from graders.checks.keys import end_of
from graders.checks.text import text_of
from graders.judge.log import Exchange, Log
from graders.project.errands import Errand
from graders.project.model import CANNOT
from graders.project.reading import RESULT, Kind, Reading
from graders.project.worlds import ROSTER, ProjectWorld, begun


@dataclass(frozen=True)
class Heard:
    """A model request, and how the model has read it."""

    exchange: Exchange
    reading: Reading

    @property
    def kind(self) -> Kind:
        """What it asked for."""
        return self.reading.kind

    @property
    def text(self) -> str:
        """What people say in it."""
        return self.reading.asked

    @property
    def whole(self) -> str:
        """The same, with what the tools and the form that it offers say."""
        schema = json.dumps(self.reading.request.schema or {}, ensure_ascii=False)
        return "\n".join((self.text, text_of(self.exchange.request.get("tools")), schema))

    @property
    def opens(self) -> bool:
        """Whether it begins a try: it does not go on from a tool's result."""
        return self.reading.answered is None

    @property
    def reply(self) -> str:
        """The text of its answer; empty when there was none."""
        said = self.exchange.reply
        answered = self.exchange.outcome == "answered" and isinstance(said, Mapping)
        return str(said.get("text") or "") if answered else ""


@dataclass
class Try:
    """One try at a task: a worker's requests and calls, to its last word."""

    requests: list[Heard] = field(default_factory=list)
    calls: list[Exchange] = field(default_factory=list)

    @property
    def exchanges(self) -> list[Exchange]:
        """All of it, in order."""
        both = [*(each.exchange for each in self.requests), *self.calls]
        return sorted(both, key=lambda each: each.number)

    @property
    def last(self) -> Heard:
        """The request that it ended in."""
        return self.requests[-1]

    @property
    def result(self) -> str:
        """The worker's answer where it is one; else empty."""
        said = self.last.reply
        return said if RESULT.search(said) else ""

    @property
    def error(self) -> str:
        """Why it came to nothing; empty where it did not."""
        if self.result:
            return ""
        said = self.last.reply
        if said.startswith(CANNOT):
            return said.removeprefix(CANNOT).strip()
        return text_of(self.last.exchange.reply) or "no answer"


@dataclass
class Done:
    """What was seen of one task."""

    errand: Errand
    tries: list[Try] = field(default_factory=list)
    beside: list[Heard] = field(default_factory=list)

    @property
    def exchanges(self) -> list[Exchange]:
        """The exchanges of all tries, with those that put the task differently in between."""
        own = [each for one in self.tries for each in one.exchanges]
        return sorted([*own, *(h.exchange for h in self.beside)], key=lambda each: each.number)

    @property
    def settled(self) -> Try:
        """The first try that brought a result, else the last one."""
        return next((each for each in self.tries if each.result), self.tries[-1])

    @property
    def needless(self) -> list[Try]:
        """Tries that were made after one had brought a result."""
        return self.tries[self.tries.index(self.settled) + 1 :]

    @property
    def start(self) -> float:
        """When the first request was sent."""
        return min(each.start for each in self.exchanges)

    @property
    def end(self) -> float:
        """When the reply came that settled it."""
        return max(end_of(each) for each in self.settled.exchanges)

    @property
    def result(self) -> str:
        """What it brought; empty where it brought nothing."""
        return self.settled.result

    @property
    def error(self) -> str:
        """Why it brought nothing."""
        return self.settled.error


@dataclass(frozen=True)
class Seen:
    """A run as it was seen.

    Attributes:
        log: without the introduction of the workers.
        plan: that was made, or (if one was carried out) as it was before anybody could change it.
        known: the references that there are.
        tasks: by reference, those that were tried.
        plans: requests for a plan.
        answers: requests for an answer, or for a part of one.
        strays: requests that nobody could make out, and calls that no worker's model asked for.
    """

    log: Log
    roster: Mapping[str, Sequence[str]]
    plan: Any
    known: Collection[str]
    tasks: Mapping[str, Done]
    plans: tuple[Heard, ...]
    answers: tuple[Heard, ...]
    strays: tuple[Exchange, ...]

    @property
    def idle(self) -> list[Exchange]:
        """Requests that offer tools, and nobody can say for which task."""
        return [each for each in self.strays if each.kind == "model" and each.request.get("tools")]

    @property
    def result(self) -> Mapping[str, Any]:
        """What the stage returned."""
        return self.log.result if isinstance(self.log.result, Mapping) else {}

    @property
    def outcome(self) -> Mapping[str, Any]:
        """What `execute` returned; empty when it was no dictionary."""
        said = self.result.get("outcome")
        return said if isinstance(said, Mapping) else {}

    @property
    def planned(self) -> dict[str, Mapping[str, Any]]:
        """The tasks of the plan that was carried out, by the reference in their description."""
        return planned_in(self.plan, self.known)

    def told(self, id: str) -> Mapping[str, Any]:
        """What `execute` says of a task."""
        tasks = self.outcome.get("tasks")
        said = tasks.get(id) if isinstance(tasks, Mapping) else None
        return said if isinstance(said, Mapping) else {}


def workers_in(seen: Seen) -> list[Mapping[str, Any]]:
    """The workers as the stage has listed them."""
    said = seen.result.get("workers")
    return [each for each in said if isinstance(each, Mapping)] if isinstance(said, list) else []


def plan_tasks(plan: Any) -> list[Mapping[str, Any]]:
    """The tasks of a plan, as far as it is one."""
    tasks = plan.get("tasks") if isinstance(plan, Mapping) else None
    return [task for task in tasks if isinstance(task, Mapping)] if isinstance(tasks, list) else []


def reference_of(task: Mapping[str, Any], known: Collection[str]) -> str:
    """The reference in a task's description; empty without one."""
    said = str(task.get("description"))
    return next((ref for ref in known if f"(ref {ref})" in said), "")


def planned_in(plan: Any, known: Collection[str]) -> dict[str, Mapping[str, Any]]:
    """The tasks of a plan by their references; those without one are left out."""
    found = ((reference_of(task, known), task) for task in plan_tasks(plan))
    return {ref: task for ref, task in found if ref}


def seen_of(world: ProjectWorld, log: Log) -> Seen:
    """Read a log. The same log is read the same way, whatever was played before."""
    kept = [each for each in log.exchanges if each.name != ROSTER]
    roster = next((_roster(e) for e in log.exchanges if e.name == ROSTER), {})
    model = begun(world.script, roster)
    tasks: dict[str, Done] = {}
    plans, answers, strays = list[Heard](), list[Heard](), list[Exchange]()
    wanted: list[tuple[str, str, Mapping[str, Any]]] = []
    for exchange in kept:
        if exchange.kind == "tool":
            ref = _asked_by(exchange, wanted)
            if ref:
                tasks[ref].tries[-1].calls.append(exchange)
            else:
                strays.append(exchange)
            continue
        request = request_of(exchange)
        heard = Heard(exchange, model.read(request))
        if heard.kind == "work" and heard.reading.task is not None:
            ref = heard.reading.task.ref
            done = tasks.setdefault(ref, Done(heard.reading.task))
            if (heard.opens and not _repeats(heard, done)) or not done.tries:
                done.tries.append(Try())
            done.tries[-1].requests.append(heard)
            wanted += [(ref, name, given) for name, given in _calls(exchange)]
        elif heard.kind == "plan":
            plans.append(heard)
        elif heard.kind == "rewrite" and heard.reading.refs[0] in tasks:
            tasks[heard.reading.refs[0]].beside.append(heard)
        elif heard.kind == "answer":
            answers.append(heard)
        else:
            strays.append(exchange)
        if exchange.outcome != "failed":  # who fails was not asked to think
            model.reply(request, exchange.token)
    return Seen(
        replace(log, exchanges=tuple(kept)),
        roster,
        _plan(world, log),
        tuple(world.job.by_ref),
        tasks,
        tuple(plans),
        tuple(answers),
        tuple(strays),
    )


def _repeats(heard: Heard, done: Done) -> bool:
    """Whether it is the same request again after one that the way to the model has lost."""
    if not done.tries:
        return False
    before = done.tries[-1].last
    status = before.exchange.reply.get("status") if before.exchange.outcome == "failed" else None
    lost = before.exchange.outcome == "cancelled" or status in (408, 409, 429, 500, 502, 503)
    return lost and before.text == heard.text


def _asked_by(call: Exchange, wanted: list[tuple[str, str, Mapping[str, Any]]]) -> str:
    """The task whose worker's model asked for a call; the wish is taken off the list."""
    for index, (ref, name, given) in enumerate(wanted):
        sent = call.request
        if name == call.name and all(_same(sent.get(key), told) for key, told in given.items()):
            del wanted[index]
            return ref
    return ""


def _same(sent: Any, asked: Any) -> bool:
    """Whether a tool got the value that was asked for; 3 may have become 3.0 on the way."""
    return bool(sent == asked) or text_of(sent) == text_of(asked)


def _calls(exchange: Exchange) -> Iterator[tuple[str, Mapping[str, Any]]]:
    reply = exchange.reply if isinstance(exchange.reply, Mapping) else {}
    for call in reply.get("calls") or ():
        yield call["name"], json.loads(call["arguments"])


def _roster(exchange: Exchange) -> Mapping[str, Sequence[str]]:
    told = exchange.request.get("workers")
    return told if isinstance(told, Mapping) else {}


def _plan(world: ProjectWorld, log: Log) -> Any:
    if world.plan is not None:
        return world.plan
    told = (e.request["plan"] for e in log.exchanges if e.name == ROSTER and "plan" in e.request)
    made = log.result.get("plan") if isinstance(log.result, Mapping) else None
    return next(told, made)


def functions_of(exchange: Exchange) -> list[Mapping[str, Any]]:
    """The tools that a model request offers, under whatever names."""
    offered = exchange.request.get("tools")
    return [
        each["function"]
        for each in (offered if isinstance(offered, list) else ())
        if isinstance(each, Mapping) and isinstance(each.get("function"), Mapping)
    ]


def request_of(exchange: Exchange) -> ChatRequest:
    """A model request as data, as far as the reading needs it."""
    raw = exchange.request
    said = raw.get("messages")
    form = raw.get("response_format")
    schema = form.get("json_schema") if isinstance(form, Mapping) else None
    return ChatRequest(
        model=exchange.name,
        messages=tuple(m for m in said if isinstance(m, Mapping)) if isinstance(said, list) else (),
        tools=tuple(
            ToolSpec(str(each.get("name")), parameters=each.get("parameters") or {})
            for each in functions_of(exchange)
        ),
        schema=schema if isinstance(schema, Mapping) else None,
    )
