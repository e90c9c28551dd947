"""Exercise 1.4: the loop of model and tools, its limits, and what it keeps."""

from __future__ import annotations

from course.models import Call
from graders.checks import by_text, sent_as
from graders.exercises.expected import usage_of
from graders.exercises.house_tools import STAIRS, rides
from graders.exercises.kit import *

_STAGE = (
    STAIRS
    + """
from course import Agent, Context, Limits
from course.errors import ModelError


async def stage(bench, student):
    played = []
    for each in bench.params["runs"]:
        limits = Limits(**each["limits"])
        agent = Agent(name="climber", tools=(*bench.tools, stairs), limits=limits)
        start = Context.of(each["says"], instructions=bench.params["instructions"])
        try:
            context, usage, stop = await student.loop(agent, start, client=bench.client)
        except ModelError as error:
            kept = error.context
            played.append({"raised": "ModelError", "messages": kept and kept.messages})
        else:
            stop = stop and [stop.reason, stop.limit, stop.value]
            usage = {"input": usage.input, "output": usage.output}
            played.append({"messages": context.messages, "usage": usage, "stop": stop})
    return played
"""
)
_INSTRUCTIONS = "You climb."


_PASSING = """
from course import Agent, Context


async def stage(bench, student):
    heard = []

    def on_text(text):
        bench.mark("heard", text)
        heard.append(text)

    said = bench.params["runs"][0]["says"]
    agent = Agent(name="climber", tools=bench.tools)
    opening = Context.of(said, instructions=bench.params["instructions"])
    await student.loop(agent, opening, client=bench.client, on_text=on_text)
    return {"heard": heard}
"""


def _model(rounds: int, *, stairs: bool, broken: bool = False) -> Callable[[Ask], Answer]:
    """Says so and takes the lift in each of its first rounds, one floor higher each time, then
    arrives."""

    def says(ask: Ask) -> Answer:
        assert ask.request is not None
        floor = sum(each["role"] == "assistant" for each in ask.request.messages)
        if floor >= rounds:
            if broken:
                gone = ApiError(404, "the model is gone", code="model_not_found")
                return Answer(error=gone, seconds=0.5)
            return Answer(f"arrived with {ask.token}", seconds=0.5)
        up = Call("lift", f'{{"floor": {floor}}}')
        calls = (up, Call("stairs", "{}")) if stairs else (up,)
        return Answer(Reply(f"To floor {floor}.", calls), seconds=0.5)

    return says


def _climb(
    rounds: int | None, *limits: dict[str, Any], stairs: bool = False, broken: bool = False
) -> ScenarioMaker:
    """A climb of so many rounds (None: a few) for each of the limits."""

    def world(draw: random.Random) -> Scenario:
        few = draw.randrange(2, 5) if rounds is None else rounds
        heard = draw.sample(("Go up.", "Upwards, please.", "Climb!", "To the top, please."), 4)
        runs = [
            {"says": said, "limits": {key: _drawn(draw, value) for key, value in each.items()}}
            for each, said in zip(limits or ({},), heard, strict=False)
        ]
        params = {"runs": runs, "instructions": _INSTRUCTIONS}
        return Scenario((LIFT,), _model(few, stairs=stairs, broken=broken), params)

    return world


def _drawn(draw: random.Random, value: Any) -> Any:
    return draw.choice(value) if isinstance(value, tuple) else value


def _of_run(log: Log, said: str) -> list[Exchange]:
    """What the model was asked in one run, by the caller's words."""
    return [each for each in log.requests() if said in str(each.request.get("messages"))]


def _conversation(log: Log, said: str) -> list[Any]:
    """The messages that a run should end with, made from what was seen."""
    asked = [each for each in _of_run(log, said) if each.outcome == "answered"]
    messages: list[Any] = [
        {"role": "system", "content": _INSTRUCTIONS},
        {"role": "user", "content": said},
    ]
    for one, following in zip(asked, [*asked[1:], None], strict=True):
        until = len(log.exchanges) if following is None else following.number
        taken = [each for each in log.calls("lift") if one.number < each.number < until]
        messages.append(_assistant(one))
        for call in one.reply["calls"]:
            wanted = json.loads(call["arguments"])
            ride = next((each.reply for each in taken if each.request == wanted), "a ride")
            told = ride if call["name"] == "lift" else error_with("no stairs")
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": told})
    return messages


def _assistant(asked: Exchange) -> dict[str, Any]:
    calls = asked.reply["calls"]
    if not calls:
        return {"role": "assistant", "content": asked.reply["text"]}
    called = [{"id": each["id"], "function": {"name": each["name"]}} for each in calls]
    said = {"content": asked.reply["text"]} if asked.reply["text"] else {}
    return {"role": "assistant", **said, "tool_calls": called}


def _keeps(world: Scenario, look: str) -> list[Check]:
    """The conversation of every run, as it was sent and as it is given back."""
    said = [each["says"] for each in world.params["runs"]]

    def wanted(log: Log) -> list[Any]:
        return [{"messages": _conversation(log, each)} for each in said]

    grown = [history_grows(key=by_text({each: each}), at_least=1) for each in said]
    return [*grown, fits(wanted, look=f"look at {look}")]


def _stops(world: Scenario, *expected: Any, look: str) -> Check:
    """How each run ends: None, or a Stop's reason, limit and value."""
    said = [each["says"] for each in world.params["runs"]]

    def wanted(log: Log) -> list[Any]:
        return [
            {"stop": each(log, words) if callable(each) else each}
            for each, words in zip(expected, said, strict=True)
        ]

    return fits(wanted, within=1e-6, look=f"look at {look}")


def _used(log: Log, said: str) -> dict[str, int]:
    read, written = zip(*(usage_of(each) for each in _of_run(log, said)), strict=True)
    return {"input": sum(read), "output": sum(written)}


def _tokens(world: Scenario) -> list[Check]:
    def wanted(log: Log) -> list[Any]:
        return [{"usage": _used(log, each["says"])} for each in world.params["runs"]]

    return [fits(wanted, look="is the usage of every call added up?")]


def _goes_round(world: Scenario) -> list[Check]:
    return [
        *_keeps(world, "what is added to the conversation after each call"),
        _stops(
            world,
            *[None] * len(world.params["runs"]),
            look="when your loop is over: nothing stopped it",
        ),
    ]


def _capped(world: Scenario) -> list[Check]:
    cap = world.params["runs"][0]["limits"].get("max_turns", 10)
    return [
        within(requests=cap, reached=True),
        _stops(world, ["max_turns", cap, cap], look="what reached says, and when you ask it"),
        *_keeps(world, "the conversation, which is kept when a limit is reached"),
    ]


def _other_limits(world: Scenario) -> list[Check]:
    turns, tokens, seconds = (each["limits"] for each in world.params["runs"])

    def spent(log: Log, said: str) -> list[Any]:
        return ["max_tokens", tokens["max_tokens"], sum(_used(log, said).values())]

    def lasted(log: Log, said: str) -> list[Any]:
        asked = _of_run(log, said)
        rides = [each for each in log.calls("lift") if each.number > asked[-1].number]
        end = max(each.end or 0.0 for each in (*rides, asked[-1]))
        return ["max_seconds", seconds["max_seconds"], end - asked[0].start]

    cap = turns["max_turns"]
    look = "what is counted before each model call: turns, tokens and seconds"
    return [
        _asked_until(world, 1, look, lambda log, said: sum(_used(log, said).values())),
        _stops(world, ["max_turns", cap, cap], spent, lasted, look=look),
        *_keeps(world, "the conversation, which is kept when a limit is reached"),
    ]


def _asked_until(world: Scenario, run: int, look: str, used: Callable[[Log, str], float]) -> Check:
    """The run with a limit of tokens uses them up, and ends then."""
    limit = world.params["runs"][run]["limits"]["max_tokens"]
    said = world.params["runs"][run]["says"]

    def wanted(log: Log) -> list[Any]:
        asked = _of_run(log, said)
        before = sum(sum(usage_of(each)) for each in asked[:-1])
        fair = before < limit <= used(log, said)
        enough = such_that(f"a stop as soon as {limit} tokens are used", lambda _: fair)
        anything = such_that("a run", lambda _: True)
        return [anything, enough, anything]

    return fits(wanted, look=f"look at {look}")


def _cut_off(draw: random.Random) -> Scenario:
    begun = draw.choice(("Well, I", "The lift is", "To the"))

    def says(ask: Ask) -> Answer:
        return Answer(Reply(text=f"{begun} {ask.token}", finish_reason="length"), seconds=0.5)

    runs = [{"says": "Go up.", "limits": {"max_turns": 1}}]  # which is used up then as well
    return Scenario((LIFT,), says, {"runs": runs, "instructions": _INSTRUCTIONS})


def _says_so(world: Scenario) -> list[Check]:
    anything = such_that("a number", lambda value: isinstance(value, int | float))
    return [
        within(requests=1),
        _stops(world, ["length", anything, anything], look="cut_off"),
        *_keeps(world, "the words that were cut off: they are kept"),
    ]


def _loses_nothing(world: Scenario) -> list[Check]:
    kept = such_that("the conversation so far", lambda messages: messages is not None)
    return [
        fits([{"raised": "ModelError"}], look="what has to reach the caller?"),
        fits([{"messages": kept}], look="look at the error's context"),
        *_keeps(world, "the conversation in the error's context"),
    ]


def _many_rides(draw: random.Random) -> Scenario:
    """One message asks for many rides, the longest first."""
    calls = [Call("lift", f'{{"floor": {floor}}}') for floor in rides(draw, MANY)]

    def says(ask: Ask) -> Answer:
        assert ask.request is not None
        if ask.request.messages[-1]["role"] == "tool":
            return Answer(f"arrived with {ask.token}", seconds=0.5)
        return Answer(Reply(calls=tuple(calls)), seconds=0.5)

    params = {
        "runs": [{"says": "Go up.", "limits": {}}],
        "instructions": _INSTRUCTIONS,
        "floors": [str(json.loads(each.arguments)["floor"]) for each in calls],
    }
    return Scenario((LIFT,), says, params)


def _rides_at_once(world: Scenario) -> list[Check]:
    ride = by_argument("floor", tool="lift")
    return [
        parallel(ride, world.params["floors"], what="a call"),
        *_keeps(world, "what is added to the conversation after each call"),
    ]


def _passes_on(world: Scenario) -> list[Check]:
    def heard(log: Log) -> dict[str, Any]:
        said = log.marked("heard")
        answered = [each for each in log.requests() if each.outcome == "answered"]
        text = "".join(str(each.reply["text"]) for each in answered)
        whole = bool(said) and "".join(str(mark.value) for mark in said) == text
        fair = whole and said[0].time < (answered[0].end or 0.0)
        return {"heard": such_that("the answer in pieces, as it is written", lambda _: fair)}

    return [sent_as(agent="climber"), fits(heard, look="is on_text passed on?")]


_FINISHED: Sequence[str] = ("ask", "answer_calls", "answer_call")

LOOP = Exercise(
    "1.4", ("loop",), (
        Trial("goes round until the model asks for no more tools", _STAGE,
              _climb(3, {}, {"max_turns": 4}),
              _goes_round, 0.5),
        Trial("runs the calls of one answer at the same time", _STAGE, _many_rides, _rides_at_once,
              0.25),
        Trial("passes on who asks, and what is written", _PASSING, _climb(None), _passes_on, 0.25),
        Trial("stops at the cap and says so", _STAGE, _climb(40), _capped, 0.5),
        Trial("adds up the tokens", _STAGE, _climb(None),
              lambda world: [*_tokens(world), history_grows(at_least=3)], 0.5),
        Trial("keeps to other limits too", _STAGE,
              _climb(40, {"max_turns": (3, 4)}, {"max_tokens": (300, 350, 400)},
                     {"max_seconds": (5.0, 6.0)}, stairs=True), _other_limits, 0.5),
        Trial("answers every call before it asks again", _STAGE, _climb(None, stairs=True),
              _goes_round, 0.5),
        Trial("says when an answer was cut off", _STAGE, _cut_off, _says_so, 0.5),
        Trial("loses nothing when the model goes away", _STAGE,
              _climb(None, stairs=True, broken=True), _loses_nothing, 0.5),
    ),
    builds_on={**{name: f"course.agent:{name}" for name in _FINISHED}, "clock": "course:clock"},
    places={
        "*": "the {} run",
        "*.raised": "the error of the {} run",
        "*.messages": "the context of the {} run",
        "*.messages.*": "the {1} message of the {0} run",
        "*.usage": "the usage of the {} run",
        "*.stop": "the stop of the {} run",
        "*.stop.0": "the stop's reason in the {} run",
        "*.stop.1": "the stop's limit in the {} run",
        "*.stop.2": "the stop's value in the {} run",
    },
    finished={"loop": "course.agent:loop"},
)  # fmt: skip
