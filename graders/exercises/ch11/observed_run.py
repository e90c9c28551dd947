"""What was seen of a project's run: the tries of each task, and what was asked beside them.

`graders.exercises.ch11.log_reader` reads it off a log.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from graders.checks.text import error_text, text_of
from graders.exercises.ch11.errands import Errand
from graders.exercises.ch11.model import CANNOT
from graders.exercises.ch11.prompt_reader import RESULT, Kind, Reading
from graders.exercises.kit import *
from graders.records.wording import listed, seconds


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
    def beside(self) -> str:
        """What stands in it elsewhere: as if a model or a tool had said it, or in its tools."""
        said = [m for m in self.reading.request.messages if m.get("role") in ("assistant", "tool")]
        rest = {key: each for key, each in self.exchange.request.items() if key != "messages"}
        return text_of([said, rest])

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
        if self.cut is not None:
            return f"it was broken off at {seconds(end_of(self.cut))}, {self.cut.name} under way"
        if asked := [name for name, _ in calls_in(self.last.exchange)]:
            return f"it was broken off once the model had asked for {listed(asked)}"
        return said or error_text(self.last.exchange) or "no answer"

    @property
    def cut(self) -> Exchange | None:
        """What was under way when it was broken off, where it was."""
        return next((each for each in self.exchanges if each.outcome == "cancelled"), None)


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
    def answer(self) -> str:
        """The answer that it returned; empty when it is no text."""
        said = self.outcome.get("answer")
        return said if isinstance(said, str) else ""

    @property
    def finished(self) -> dict[str, Done]:
        """The tasks that brought a result."""
        return {ref: done for ref, done in self.tasks.items() if done.result}

    @property
    def unfinished(self) -> list[str]:
        """The planned tasks without a result."""
        return [ref for ref in self.planned if ref not in self.finished]

    @property
    def planned(self) -> dict[str, Mapping[str, Any]]:
        """The tasks of the plan that was carried out, by the reference in their description."""
        return planned_in(self.plan, self.known)

    @cached_property
    def owners(self) -> dict[int, str]:
        """Which task of the plan an exchange was for, by its number."""
        ids = {ref: str(task.get("id", ref)) for ref, task in self.planned.items()}
        return {
            each.number: ids.get(ref, ref)
            for ref, done in self.tasks.items()
            for each in done.exchanges
        }

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


def calls_in(exchange: Exchange) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The calls that the model's answer asks for: each one's tool and arguments."""
    reply = exchange.reply if isinstance(exchange.reply, Mapping) else {}
    for call in reply.get("calls") or ():
        yield call["name"], json.loads(call["arguments"])


def functions_of(exchange: Exchange) -> list[Mapping[str, Any]]:
    """The tools that a model request offers, under whatever names."""
    offered = exchange.request.get("tools")
    return [
        each["function"]
        for each in (offered if isinstance(offered, list) else ())
        if isinstance(each, Mapping) and isinstance(each.get("function"), Mapping)
    ]
