"""The model that the project is judged with: competent, scripted, and general over the domains.

It plans what the request's `Job` holds, does a worker's task with the worker's tools, makes the
naive call first where there is a trap and the refined one only when the task was put differently
by the error, rewrites a task from its error, and answers from the results that it is shown.
"""

from __future__ import annotations

from course.models.wire import Call as ToolCall
from course.models.wire import ChatRequest
from course.scenarios.world.requests import Fact
from graders.exercises.ch11.errands import Errand, Job
from graders.exercises.ch11.prompt_reader import Reading, error_in, is_result
from graders.exercises.kit import *

CANNOT = "CANNOT:"
_HEARD = 0.3  # share of an error's words from which the model knows what went wrong


class ProjectModel:
    """Answers every request of a project's system.

    Args:
        job: the request and what there is to do for it.
        roster: the workers' names with their tools' names.
        planned: references of what belongs into a plan; all of it where it is left out.
        flaws: what the first plans have wrong, until the request after each of them says so.

    Attributes:
        errors: what went wrong with each task, by its reference, in order.
    """

    def __init__(
        self,
        job: Job,
        roster: Mapping[str, Sequence[str]],
        *,
        planned: Sequence[str] | None = None,
        flaws: Sequence[str] = (),
    ) -> None:
        self.job = job
        self.roster = dict(roster)
        self.errors: dict[str, list[str]] = {}
        self._planned = [each.ref for each in job.errands] if planned is None else list(planned)
        self._flaws = list(flaws)
        self._stepped: set[str] = set()  # tasks whose naive call has been made
        self._said: set[str] = set()  # lines of the first request for a plan
        self._wrote = ""  # the last plan
        self._count = 0

    def read(self, request: ChatRequest) -> Reading:
        """A request as the model reads it now."""
        known = frozenset(name for tools in self.roster.values() for name in tools)
        return Reading(request, self.job, known, self.errors)

    def reply(self, request: ChatRequest, code: str = "") -> Reply:
        """The answer to a request.

        Args:
            code: fresh text that goes into results and answers; made up where there is none.
        """
        self._count += 1
        code = code or f"code{self._count:04d}x"
        reading = self.read(request)
        if reading.kind == "plan":
            return self.plan(reading)
        if reading.kind == "work":
            return self.work(reading, code)
        if reading.kind == "rewrite":
            return self.rewrite(reading)
        if reading.kind == "answer":
            return Reply(self.answer(reading, code))
        return Reply("I cannot tell what I am asked: name the task, or show the request.")

    # -- a plan -------------------------------------------------------------------------------

    def plan(self, reading: Reading) -> Reply:
        """The plan, as text or through the tool that is offered for it."""
        quoted = reading.asked.replace(self._wrote, " ") if self._wrote else reading.asked
        lines = [each for each in quoted.splitlines() if each not in self._said]
        lines = [each for each in lines if not _quotes(each, self._wrote)]
        self._said = self._said or set(lines)
        if self._wrote and self._flaws and told_of(self._flaws[0], lines):
            self._flaws.pop(0)
        plan = self.tasks()
        if reading.plan_fields >= {"tools"}:
            plan["tasks"] = [{**each, "tools": []} for each in plan["tasks"]]
        self._wrote = text = flawed(plan, self._flaws[0] if self._flaws else "")
        if reading.plan_tool:
            return Reply(calls=(ToolCall(reading.plan_tool, text),))
        return Reply(text)

    def tasks(self) -> dict[str, Any]:
        """The plan as plain values; what nobody has a tool for is left out."""
        owners = {tool: name for name, tools in self.roster.items() for tool in tools}
        wanted = [each for each in self.job.errands if each.ref in self._planned]
        kept = [each for each in wanted if each.call.tool in owners]
        ids = {each.ref: f"t{number}" for number, each in enumerate(kept, start=1)}
        tasks = [
            {
                "id": ids[each.ref],
                "description": each.description,
                "worker": owners[each.call.tool],
                "dependencies": [ids[need] for need in each.needs if need in ids],
            }
            for each in kept
        ]
        return {
            "goal": self.job.text,
            "tasks": tasks,
            "final_instruction": "State each figure with its source, and say what is missing.",
        }

    # -- a worker's task ----------------------------------------------------------------------

    def work(self, reading: Reading, code: str) -> Reply:
        """One step of a worker: its call, or what came of it."""
        errand = reading.task
        if errand is None:
            return Reply(f"{CANNOT} no task with a reference stands in the request")
        if errand.call.tool not in reading.offered:
            return Reply(f"{CANNOT} {errand.call.tool} is needed and not among the tools")
        if reading.answered is None:
            return self._call(errand, reading)
        said = str(reading.answered.get("content") or "")
        if is_result(said, errand):
            return Reply(found(errand, code))
        error = error_in(said)
        self.errors.setdefault(errand.ref, []).append(error)
        return Reply(f"{CANNOT} {errand.call.tool}: {error}")

    def _call(self, errand: Errand, reading: Reading) -> Reply:
        refused = [errand.refusal, *self.errors.get(errand.ref, ())]
        met = errand.ref in self._stepped  # who knows a refusal beforehand has not learnt from it
        self._stepped.add(errand.ref)
        told = met and any(reading.carries(error, errand) for error in refused if error)
        call = errand.call if told or errand.naive is None else errand.naive
        arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
        return Reply(calls=(ToolCall(call.tool, arguments),))

    # -- another wording ----------------------------------------------------------------------

    def rewrite(self, reading: Reading) -> Reply:
        """The task put so that what was refused is heeded."""
        ref = next((r for r in reading.failed if r in reading.refs), reading.refs[0])
        errand = self.job.by_ref[ref]
        error = self._heard_of(errand, reading)
        if not error:
            return Reply(f"{errand.says}, with more care this time (ref {ref})")
        heeded = ", ".join(f"{k} {v}" for k, v in errand.call.arguments.items())
        told = f"{errand.says}, but this time with {heeded}: it was refused before ({error})"
        return Reply(f"{told} (ref {ref})")

    def _heard_of(self, errand: Errand, reading: Reading) -> str:
        """The error that the request tells of, the last one of several; "" where there is none."""
        met = self.errors.get(errand.ref, [errand.refusal])
        told = [(reading.told_of(error, errand), at) for at, error in enumerate(met) if error]
        most, at = max(told, default=(0.0, 0))
        return met[at] if most >= _HEARD else ""

    # -- the answer ---------------------------------------------------------------------------

    def answer(self, reading: Reading, code: str) -> str:
        """What the results that are shown say about the request, and what is missing."""
        done = [each for each in self.job.errands if each.ref in reading.results]
        lines = list(dict.fromkeys(stated(fact) for each in done for fact in each.facts))
        if len(done) == len(self.job.errands):
            lines += [stated(fact) for fact in self.job.spread]
        lines += [f"- {gap.subject}: {gap.topic[0]} is missing." for gap in self.job.gaps]
        told = [*reading.refs, *reading.failed]
        lost = [e for e in self.job.errands if e.ref in told and e.ref not in reading.results]
        lines += [f"Missing: {each.description}." for each in lost]
        cited = ", ".join(self._sources(done))
        return "\n".join([f"Answer {code}:", *lines, f"Sources: {cited}." if cited else ""])

    def _sources(self, done: Sequence[Errand]) -> Iterable[str]:
        held = "\n".join(f"{each.result} {each.call.arguments}" for each in done)
        whole = len(done) == len(self.job.errands)
        for group in self.job.sources:
            there = next((form for form in group if form in held), "")
            if there or whole:
                yield there or group[0]


NOBODY, NOWHERE = "the night porter", "t77"
_TOLD = {
    "text": r"json|parse|decod|expecting|read",
    "worker": rf"{NOBODY}",
    "need": rf"\b{NOWHERE}\b",
    "cycle": r"cycl|circ(le|ular)|waits? for|each other|itself|loop",
}
"""What a request says that has heard of a flaw."""


def flawed(plan: dict[str, Any], flaw: str) -> str:
    """A plan as text, with something wrong in it: "text", "worker", "need", "cycle" or nothing."""
    tasks = plan["tasks"]
    if flaw == "worker" and tasks:
        tasks[-1]["worker"] = NOBODY
    if flaw == "need" and tasks:
        tasks[0]["dependencies"] = [NOWHERE]
    if flaw == "cycle" and tasks:
        tasks[0]["dependencies"], tasks[-1]["dependencies"] = [tasks[-1]["id"]], [tasks[0]["id"]]
    text = json.dumps(plan, ensure_ascii=False)
    return f"Here is what I would do:\n{text[: len(text) // 2]}" if flaw == "text" else text


def told_of(flaw: str, lines: Sequence[str]) -> bool:
    """Whether these lines, which came after a plan, say what is wrong with it."""
    return any(re.search(_TOLD[flaw], line, re.IGNORECASE) for line in lines)


def _quotes(line: str, plan: str) -> bool:
    """Whether a line is a piece of a plan's JSON, however it was set: it complains of nothing."""
    squeezed = "".join(line.split())
    return bool(re.search(r'[][{}":,]', squeezed)) and squeezed in "".join(plan.split())


def found(errand: Errand, code: str) -> str:
    """A worker's result: what it states, and a code word that shows where it went."""
    lines = [stated(fact).removeprefix("- ") for fact in errand.facts]
    brief = " ".join(lines) or f"{errand.call.tool} was looked at; it settles no figure."
    return f"{brief} (result {errand.ref}-{code})"


def stated(fact: Fact) -> str:
    """A fact in a line."""
    about = f"{fact.subject}: " if fact.subject and fact.subject not in fact.name else ""
    near = f"{fact.near[0]} " if fact.near and fact.near[0] not in fact.name else ""
    return f"- {about}{near}{fact.name} is {shown(fact)}."


def shown(fact: Fact) -> str:
    """A fact's value, written as precisely as it has to be."""
    if fact.value is None:
        return fact.forms[0]
    digits = 0 if fact.value.is_integer() else 4 if abs(fact.value) < 1 else 2
    sign = "+" if fact.signed and fact.value > 0 else ""
    return f"{sign}{fact.value:.{digits}f}"
