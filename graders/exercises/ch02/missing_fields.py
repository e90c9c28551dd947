"""Exercise 2.3: traces of chains in which a stage lacks a field, or does not."""

from __future__ import annotations

from course.observability.information import unshown
from course.trace import span
from graders.exercises.kit import *

_STAGE = stage_of(
    "[[each.stage, each.field, each.tool] for each in student.unshown(Trace.from_json(case))]",
    given="from course.trace import Trace",
)
_FIELDS = ("order", "total", "room", "guest", "date", "nights", "deposit", "invoice")
_STEPS = ("ask", "check", "book", "pay", "confirm", "remind", "archive")
_TOOLS = ("charge", "reserve", "write_letter", "print_label")
Step = tuple[str, Mapping[str, Any], Sequence[tuple[str, Any]], Mapping[str, Any] | None]
"""A stage: its name, what it was shown, its tool calls, what it wrote (None: it failed)."""


def trace_of(steps: Sequence[Step], *, seed: int) -> str:
    """The trace of a chain with these stages, in the published format."""
    trace = Trace("chain", seed=seed)
    with trace.record(), span("invoke_workflow", "chain"):
        for name, shown, calls, wrote in steps:
            saw = {"switchboard.stage.shown": json.dumps(shown)}
            with span("stage", name, saw) as stage:
                _agent(calls)
                if wrote is None:
                    stage.fail("could not fill it", kind="StageError")
                else:
                    stage.set("switchboard.stage.wrote", json.dumps(wrote))
    return trace.to_json()


def _agent(calls: Sequence[tuple[str, Any]]) -> None:
    """An agent's turn: a model call, its tools, of which every other one fails, a model call."""
    with span("invoke_agent", "clerk"):
        for number, (tool, arguments) in enumerate(calls):
            with span("chat", "small"):
                pass
            text = arguments if isinstance(arguments, str) else json.dumps(arguments)
            with span("execute_tool", tool, {"gen_ai.tool.call.arguments": text}) as step:
                if number % 2 == 0:
                    step.fail("it broke", kind="ToolError")
        with span("chat", "small"):
            pass


Case = tuple[list[Step], list[list[str]]]
"""A chain's stages, and what there is to find in its trace."""


def _names(draw: random.Random) -> tuple[list[str], list[str], list[str]]:
    return draw.sample(_FIELDS, 5), draw.sample(_STEPS, 4), draw.sample(_TOOLS, 2)


def _made_up(draw: random.Random) -> Case:
    """The third stage gives its tool a field that it was not shown."""
    (asked, number, total, *_), (one, two, three, _), (tool, _) = _names(draw)
    value = draw.randrange(100)
    steps: list[Step] = [
        (one, {asked: "words"}, [], {number: value}),
        (two, {number: value}, [], {total: 5}),
        (three, {total: 5}, [(tool, {total: 5, number: draw.randrange(100, 200)})], {"done": True}),
    ]
    return steps, [[three, number, tool]]


def _failed(draw: random.Random) -> Case:
    """A stage made a value up, the tool refused it, and the chain ended there."""
    (asked, number, *_), (one, two, *_), (tool, _) = _names(draw)
    steps: list[Step] = [
        (one, {asked: "words"}, [], {number: 7}),
        (two, {asked: "words"}, [(tool, {number: draw.randrange(9)})], None),
    ]
    return steps, [[two, number, tool]]


def _given(draw: random.Random) -> Case:
    """What was given at the start is known as soon as the first stage was shown it."""
    (asked, number, *_), (one, two, *_), (tool, _) = _names(draw)
    steps: list[Step] = [
        (one, {asked: "words"}, [], {number: 7}),
        (two, {number: 7}, [(tool, {asked: "other words", number: 7})], {"done": True}),
    ]
    return steps, [[two, asked, tool]]


def _given_later(draw: random.Random) -> Case:
    """It is known, too, if no stage before the second was shown it."""
    (asked, number, guest, *_), (one, two, three, _), (tool, _) = _names(draw)
    steps: list[Step] = [
        (one, {asked: "words"}, [], {number: 7}),
        (two, {number: 7, guest: 3}, [], {"half": True}),
        (three, {"half": True}, [(tool, {guest: 4})], {"done": True}),
    ]
    return steps, [[three, guest, tool]]


def _sound(draw: random.Random) -> Case:
    """Everything that was used was shown, or is none of the state's fields."""
    (asked, number, later, *_), (one, two, three, _), (tool, other) = _names(draw)
    steps: list[Step] = [
        (one, {asked: "words"}, [(tool, {asked: "words", "copies": 2})], {number: 7}),
        (two, {number: 7}, [(tool, {number: 8, "colour": "red"})], {later: 1}),
        (three, {later: 1, number: 7}, [(other, {number: 7, later: 1})], {"done": True}),
    ]
    return steps, []


def _early(draw: random.Random) -> Case:
    """A tool is given what its own stage, or a later one, is going to write: nobody knew it yet."""
    (asked, number, later, *_), (one, two, three, _), (tool, _) = _names(draw)
    steps: list[Step] = [
        (one, {asked: "words"}, [(tool, {number: 7, later: 1})], {number: 7}),
        (two, {number: 7}, [(tool, {number: 7, later: 1})], {later: 1}),
        (three, {later: 1}, [], {"done": True}),
    ]
    return steps, []


def _many(draw: random.Random) -> Case:
    """Three stages lack something, one again and again; some arguments are no JSON."""
    (asked, number, total, *_), (one, two, three, four), (tool, other) = _names(draw)
    calls = [
        (tool, "not JSON"),
        (tool, {number: 1}),
        (tool, '["' + number + '"]'),
        (tool, {number: 2}),
        (other, {number: 3}),
        (tool, {number: 4}),
    ]
    again = [(other, {total: 3, number: 9}), (tool, {asked: "other words"})]
    last = [(tool, {number: 7, asked: "other words"})]
    steps: list[Step] = [
        (one, {asked: "words"}, [], {number: 7, total: 9}),
        (two, {asked: "words"}, calls, {"half": True}),
        (three, {number: 7}, again, {"done": True}),
        (four, {"done": True, number: 7, total: 9}, last, {"said": "Bye."}),
    ]
    lack = [[two, number, tool], [two, number, other], [three, total, other], [three, asked, tool]]
    return steps, [*lack, [four, asked, tool]]


CASES = (_made_up, _failed, _given, _given_later, _sound, _early, _many)


def _traces(*cases: Callable[[random.Random], Case]) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        traces = [trace_of(case(draw)[0], seed=number) for number, case in enumerate(cases)]
        return Scenario(params={"cases": traces})

    return world


_found = compared(
    lambda text: [[each.stage, each.field, each.tool] for each in unshown(Trace.from_json(text))]
)


UNSHOWN = Exercise(
    "2.3", ("unshown",), (
        Trial("finds the field that a stage made up", _STAGE,
              _traces(_made_up, _failed, _given, _given_later),
              _found("what was known by then, and what the stage was shown")),
        Trial("accuses nobody who was shown what it used", _STAGE,
              _traces(_sound, _early, _made_up),
              _found("which arguments are fields of the state, and from when on they are known")),
        Trial("tells each stage, field and tool once, whatever the arguments look like", _STAGE,
              _traces(_many, _made_up),
              _found("the arguments that are no JSON object, and what is told twice")),
    ),
    places={
        "*": "what was found in the {} trace",
        "*.*": "the {1} finding in the {0} trace",
        "*.*.0": "the stage of the {1} finding in the {0} trace",
        "*.*.1": "the field of the {1} finding in the {0} trace",
        "*.*.2": "the tool of the {1} finding in the {0} trace",
    },
    finished={"unshown": "course.observability.information:unshown"},
)  # fmt: skip
