"""Exercise 5.6: find in a trace which call heard words that were said in another one."""

from __future__ import annotations

from course import clock
from course.trace import span
from graders.exercises.kit import *

_STAGE = """
from course.trace import Trace


async def stage(bench, student):
    traces = [Trace.from_json(text) for text in bench.params["traces"]]
    found = [pair for trace in traces for pair in student.leaks(trace)]
    return [{"in": heard, "from": said} for heard, said in found]
"""

_REPLIES = ("a rash", "two days", "severe", "Monday", "by card", "my knee", "a week")
_QUESTIONS = ("What is wrong?", "Since when?", "How bad is it?", "Which day?")
_GREETING = "Hello, this is caller {}."
_TASKS = ("triage", "scheduling", "billing")


@dataclass
class Day:
    """What is played: calls with tasks, and from which other calls words leak into them.

    Attributes:
        leaks: (place of the call that hears, place of the call in which it was said).
        late: leaks reach the last task of a call instead of its first.
        echo: everybody says the same words, so that words alone prove nothing.
        nested: tasks stand in a group, the group in a tool, and so deeper in the trace.
        soon: what leaks are the words of a call's first task alone.
        repeated: the task that hears what leaked says it itself, afterwards.
        foretold: the last call says what the first one's tasks began with.
    """

    calls: int = 3
    leaks: Sequence[tuple[int, int]] = ()
    late: bool = False
    echo: bool = False
    nested: bool = False
    soon: bool = False
    repeated: bool = False
    foretold: bool = False
    said: list[list[dict[str, Any]]] = field(default_factory=list)


def _message(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def _dialogue(draw: random.Random, number: int, day: Day) -> list[dict[str, Any]]:
    """What a task adds: a question, an answer, and the call that completes it."""
    reply = _REPLIES[0] if day.echo else draw.choice(_REPLIES)
    own = reply if day.echo else f"{reply}, and my number is {number}{draw.randrange(100, 1000)}"
    id, said = f"call_{draw.randrange(10**6)}", json.dumps({"said": own})
    call = {"type": "tool_call", "id": id, "name": "complete", "arguments": said}
    response = {"type": "tool_call_response", "id": id, "response": said}
    return [
        _message("assistant", draw.choice(_QUESTIONS)),
        _message("user", own),
        {"role": "assistant", "parts": [call]},
        {"role": "tool", "parts": [response]},
    ]


async def _play(draw: random.Random, day: Day) -> Trace:
    trace = Trace(f"a day with {day.calls} calls", seed=draw.randrange(10**6))
    names = [f"call {number}" for number in draw.sample(range(1, 90), day.calls)]
    with trace.record():
        for place, name in enumerate(names):
            with span("invoke_workflow", name):
                await _call(draw, day, place)
    return trace


async def _call(draw: random.Random, day: Day, place: int) -> None:
    """One call: its tasks begin with its own words so far, and with what leaks into them."""
    first = _message("user", _GREETING.format(place))
    day.said.append([])
    many = len(_dialogue(draw, 0, day)) if day.soon else None
    wrong = [m for hears, said in day.leaks if hears == place for m in day.said[said][:many]]
    for task in _TASKS:
        leaked = wrong if not day.late or task == _TASKS[-1] else []
        begins = [*leaked, first, *day.said[place]]
        added = _dialogue(draw, place, day)
        if day.repeated:
            added += [each for each in leaked if each["role"] == "user"]
        if day.foretold and place == day.calls - 1:
            added.append(_message("user", _GREETING.format(0)))
        if day.nested:
            with (
                span("invoke_agent", "desk"), span("execute_tool", "visit"),
                span("task", "visit", {"gen_ai.input.messages": json.dumps([first])}) as step,
            ):  # fmt: skip
                await _task(task, begins, added)
                step.set("gen_ai.output.messages", json.dumps([]))
        else:
            await _task(task, begins, added)
        day.said[place] += added


async def _task(name: str, begins: list[dict[str, Any]], added: list[dict[str, Any]]) -> None:
    with span("task", name, {"gen_ai.input.messages": json.dumps(begins)}) as step:
        with span("invoke_agent", name), span("chat", "switchboard-small"):
            pass
        step.set("gen_ai.output.messages", json.dumps(added))
        if name == _TASKS[0]:
            step.fail("the person wants something else", kind="TaskCancelled")


Leaks = Sequence[tuple[int, int]]


_ONE: Leaks = ((2, 0),)


def _world(days: Sequence[Day]) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        traces = [clock.simulate(_play(draw, replace(each, said=[]))) for each in days]
        return Scenario(params={"traces": [each.to_json() for each in traces]})

    return world


def _found(look: str, days: Sequence[Day]) -> Checks:
    """Exactly these pairs of calls, given by their places in each trace."""

    def checks(world: Scenario) -> list[Any]:
        pairs = []
        for text, day in zip(world.params["traces"], days, strict=True):
            spans = Trace.from_json(text).spans
            names = [each.name for each in spans if each.operation == "invoke_workflow"]
            pairs += [{"in": names[hears], "from": names[said]} for hears, said in day.leaks]
        return [fits(pairs, any_order=True, look=f"look at {look}")]

    return checks


def _trial(title: str, points: float, look: str, *days: Day) -> Trial:
    return Trial(title, _STAGE, _world(days), _found(look, days), points)


LEAKS = Exercise(
    "5.6", ("leaks",), (
        _trial("finds the call that heard another one's words, once", 1,
               "what a task began with, and who had said it", Day(leaks=_ONE),
               Day(leaks=_ONE, soon=True), Day(leaks=_ONE, repeated=True)),
        _trial("finds every leak, also one that comes late", 0.5,
               "all tasks of a call, and all calls before it",
               Day(calls=4, leaks=((1, 0), (3, 0), (3, 2)), late=True)),
        _trial("finds none where there is none", 0.5, "a call's own words, which it may hear",
               Day(), Day(foretold=True), Day(leaks=_ONE)),
        _trial("does not take the same words for a leak", 0.5,
               "words that the call has said itself before", Day(echo=True), Day(leaks=_ONE)),
        _trial("looks into groups", 0.5,
               "how you get from a task to its call: there may be steps in between",
               Day(leaks=((1, 0),), nested=True)),
    ),
    places={
        "": "the list of leaks",
        "*": "the {} leak",
        "*.in": "where the {} leak was heard",
        "*.from": "where the {} leak was said",
    },
    finished={"leaks": "course.observability.information:leaks"},
)  # fmt: skip
