"""Is the judge fair to a set? Models whose answers are known play it.

The sensible answers are right, and so they are with polite words around them. Never right are: to
decline all (lazy) and to repeat the prompt (parrot), where something is to be done; to call all
tools (greedy), to make changes twice (twice), in a program to act and say nothing (mute).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import course
from course.models.scripted import Scripted
from course.models.wire import Call, ChatRequest, Reply
from tests.rulers.cases import Json, Ruler, Verdict, world_of
from tests.rulers.playing import DELEGATE
from tests.rulers.verdicts import verdict

Model: TypeAlias = Callable[[ChatRequest], Reply]
DECLINED = "I'm sorry, I can't help with that."
ONE_VALUE: Json = {"integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}


async def faults(ruler: Ruler, case: Json) -> list[str]:
    """What is unfair about a case, in a line each; nothing where it is fair."""
    try:
        return await _faults(ruler, case)
    except Exception as error:  # whatever a writer left out or misspelled
        return [f"not as README.md says: {type(error).__name__} {error}"]


async def _faults(ruler: Ruler, case: Json) -> list[str]:
    said, ways = [], ruler.ways(case["id"])
    if not ways:
        said.append("no sensible answers")
    for way, script in ways.items():
        for name, polite in (("sensible", False), ("chatty", True)):
            model = Sensible(_steps(ruler, script), polite=polite)
            got = await _played(ruler, case, model)
            if got.problems:
                why = "; ".join(each.said for each in got.problems)
                said.append(f"{name} ({way}) is {got.kind}: {why}")
            if model.left and not polite:
                said.append(f"sensible ({way}): {len(model.left)} answers not used")
    for name, wrong in _wrong(ruler, case, ways):
        got = await _played(ruler, case, wrong)
        if got.kind == "right":
            said.append(f"{name} is right")
        if name == "lazy" and ruler.kind == "visitors" and got.kind != "missed":
            said.append(f"lazy is {got.kind}, not honest")
    return said


async def _played(ruler: Ruler, case: Json, model: Model) -> Verdict:
    if ruler.kind == "deeds":
        model = _fronted(model, case)
    return await verdict(ruler, case, course.connect(Scripted(model)))


def _steps(ruler: Ruler, script: Sequence[Any]) -> list[Any]:
    """A script's answers; a plan is one, given as its tasks."""
    return [_plan(script)] if ruler.kind == "plans" else list(script)


def _plan(tasks: Sequence[Json]) -> str:
    whole = [{"dependencies": [], "tools": [], **task} for task in tasks]
    return json.dumps({"goal": "what was asked", "tasks": whole, "final_instruction": ""})


class Sensible:
    """Gives a script's answers in turn, nothing when they are used up."""

    def __init__(self, steps: list[Any], *, polite: bool = False, mute: bool = False) -> None:
        self.left, self.polite, self.mute = list(steps), polite, mute

    def __call__(self, request: ChatRequest) -> Reply:
        step = self.left.pop(0) if self.left else ""
        if not isinstance(step, str):
            calls = tuple(Call(name, json.dumps(given)) for name, given in step)
            return Reply("One moment, let me see to that." if self.polite else None, calls)
        if self.mute:
            return Reply("OK.")
        if not self.polite:
            return Reply(step)
        if not step.startswith(("{", "[", "```")):
            return Reply(f"Sure! {step} Just let me know if I can do anything more.")
        bare = step.startswith("```") or request.response_format == "json_schema"
        return Reply(step if bare else f"```json\n{step}\n```")


def _wrong(ruler: Ruler, case: Json, ways: dict[str, Any]) -> Iterator[tuple[str, Model]]:
    """The models that may never be right, by name, as far as a case can tell them."""
    if ruler.kind == "plans":
        yield from _wrong_plans(ruler, case, ways)
        return
    acts = ruler.kind != "deeds" or case["kind"] == "do"
    if acts:  # a deed that is not to be done is right in silence
        yield "lazy", lambda request: Reply(DECLINED)
        yield "parrot", parrot
    yield "greedy", greedy
    tools: Mapping[str, Json] = {}  # those whose changes may be made once
    if ruler.kind == "programs" and case.get("repeats", 1) == 1:
        tools = case["tools"]
    elif ruler.kind == "deeds":
        tools = world_of(ruler.held, case["world"]).tools
    for way, script in ways.items():
        if ruler.kind == "programs":  # elsewhere one answer's words say little
            yield f"mute ({way})", Sensible(script, mute=True)
        if (doubled := [_doubled(step, tools) for step in script]) != script:
            yield f"twice ({way})", Sensible(doubled)


def _doubled(step: Any, tools: Mapping[str, Json]) -> Any:
    """A step with each of its calls that change something made twice."""
    if isinstance(step, str):
        return step
    reads = {"reads": True}
    return [one for one in step for _ in range(2 - bool(tools.get(one[0], reads).get("reads")))]


def _wrong_plans(ruler: Ruler, case: Json, ways: dict[str, Any]) -> Iterator[tuple[str, Model]]:
    staff = case["staff"]
    listed = ruler.held["staffs"][staff] if isinstance(staff, str) else staff
    names = [each["name"] for each in listed]

    def plan(tasks: Sequence[Json]) -> Model:
        return lambda request: Reply(_plan(tasks))

    if case["want"]:
        yield "lazy", plan([])
    everybody = [
        {"id": f"t{n}", "worker": name, "description": case["request"]}
        for n, name in enumerate(names)
    ]
    yield "greedy", plan(everybody)
    for way, tasks in ways.items():
        if tasks:
            dull = [{**task, "description": "Please answer your part now"} for task in tasks]
            yield f"mute ({way})", plan(dull)


def greedy(request: ChatRequest) -> Reply:
    """Calls every tool, twice a turn, then tells all results."""
    since = 0
    for message in reversed(request.messages):
        if message["role"] == "user":
            break
        since += message["role"] == "assistant"
    if request.tools and since < 2:
        asked = str(request.messages[-1].get("content") or "")
        given = [(tool.name, filled(tool.parameters, asked)) for tool in request.tools]
        return Reply(calls=tuple(Call(name, json.dumps(values)) for name, values in given))
    results = [str(each.get("content")) for each in request.messages if each["role"] == "tool"]
    return Reply("Done. " + " ".join(results))


def filled(schema: Mapping[str, Any], text: str) -> Json:
    """Some value for every parameter: the first choice, a one, or the text."""

    def value(part: Json) -> Any:
        part = part["anyOf"][0] if "anyOf" in part else part
        kind = part.get("type", "")
        kind = kind[0] if isinstance(kind, list) else kind
        return part["enum"][0] if "enum" in part else ONE_VALUE.get(kind, text)

    return {name: value(part) for name, part in schema.get("properties", {}).items()}


def parrot(request: ChatRequest) -> Reply:
    """Repeats the prompt and what the person said."""
    said = [each["content"] for each in request.messages if each["role"] == "user"]
    return Reply(f"{request.messages[0]['content']}\n{said[-1]}")


def _fronted(model: Model, deed: Json) -> Model:
    """The model at the desk of a deed's form; who stands before the desk does as is sensible."""

    def answer(request: ChatRequest) -> Reply:
        offered, last = {tool.name for tool in request.tools}, request.messages[-1]
        if request.schema_name == "plan":
            said = f"Do at the desk what was asked: {' '.join(deed['say'])}".replace("...", " ")
            return Reply(_plan([{"id": "t1", "worker": "desk", "description": said}]))
        if "transfer_to_desk" in offered:
            return Reply(calls=(Call("transfer_to_desk", "{}"),))
        if DELEGATE in offered:
            if last["role"] == "tool":
                return Reply(str(last["content"]))
            task = {"worker_agent": "desk", "task": str(last["content"])}
            return Reply(calls=(Call(DELEGATE, json.dumps(task)),))
        if deed.get("form") == "plan" and not offered:
            return Reply(str(last["content"]))
        return model(request)

    return answer
