"""Exercise 5.3: a task's dialogue, and the three ways in which it may end."""

from __future__ import annotations

from collections.abc import Collection

from course.delegation.dialogue import NUDGE
from course.models import Call
from graders.exercises.kit import *

_PLAYED = """
from pydantic import BaseModel

from course import Limits
from course.delegation import PersonLeft, Task
from course.runner import run


class Order(BaseModel):
    dish: str
    guests: int


async def played(bench, student, leaves=None):
    class Judged(Task[Order]):
        async def work(self, here):
            await student.dialogue(self, here)

    async def person(said):
        told = await bench.tool("person").function(said=said)
        if told == "":
            raise leaves("the person hung up")
        return told

    limits = Limits(**bench.params["limits"])
    task = Judged(instructions="You take orders.", name="order", limits=limits)
    try:
        ended = await run(task, person=person, client=bench.client)
        if ended.stop:  # to whoever runs a task, a limit is a result
            raise task.outcome()
        result = ended.result.model_dump()
    except (NotImplementedError, NameError, AttributeError, TypeError):
        raise
    except Exception as error:
        stop = getattr(error, "stop", None)
        result = {
            "raised": type(error).__name__,
            "kind": getattr(error, "kind", None),
            "task": getattr(error, "task", None),
            "stop": stop and stop.reason,
        }
    return {"state": task.state, "result": result}
"""
_STAGE = (
    _PLAYED
    + """

async def stage(bench, student):
    return await played(bench, student)
"""
)
_LEFT = (
    _PLAYED
    + """

async def stage(bench, student):
    return [await played(bench, student, each) for each in (PersonLeft, TimeoutError, PersonLeft)]
"""
)
_SCHEMA = {"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]}
Move = Callable[[Ask], Any]


def _asks(ask: Ask) -> str:
    return f"And what else? ({ask.token})"


def _silent(ask: Ask) -> str:
    return "  "


def _complete(order: Mapping[str, Any]) -> Reply:
    return Reply(calls=(Call("complete", json.dumps(order)),))


def _done(ask: Ask) -> Any:
    """A mark: completes with the world's own order."""
    raise AssertionError("replaced before it is played")


def _when_told(ask: Ask) -> Any:
    """A mark: completes if it was told that it said nothing, else stays silent."""
    raise AssertionError("replaced before it is played")


def _told(ask: Ask) -> bool:
    """Whether it was told after each of the four silences, and the last time just now."""
    assert ask.request is not None
    nudges = [m["role"] == "system" and NUDGE in str(m["content"]) for m in ask.request.messages]
    return nudges[-1] and sum(nudges) == 4


def _unfit(ask: Ask) -> Reply:
    return Reply(calls=(Call("complete", '{"dish": 3}'),))


def _cancels(ask: Ask) -> Reply:
    return Reply(calls=(Call("cancel_task", '{"reason": "they do not want it"}'),))


def _answers(leaves: Collection[int] = ()) -> ToolOffer:
    """A person who answers each question with a fresh word, and leaves at some of them."""

    def behaviour(ask: Ask) -> Answer:
        return Answer("" if ask.number in leaves else f"I say {ask.token}", seconds=1.0)

    return ToolOffer("person", "Ask the person.", _SCHEMA, behaviour)


def _world(*moves: Move, limits: Mapping[str, Any] | None = None) -> ScenarioMaker:
    """A model that makes these moves one after the other, the last one for ever."""

    def world(draw: random.Random) -> Scenario:
        order = {"dish": draw.choice(("soup", "rice", "noodles")), "guests": draw.randrange(2, 30)}

        def says(ask: Ask) -> Any:
            move = moves[min(ask.number, len(moves) - 1)]
            if move is _when_told:
                move = _done if _told(ask) else _silent
            return Answer(_complete(order) if move is _done else move(ask), seconds=0.5)

        params = {"limits": dict(limits or {"max_turns": 20}), "order": order}
        return Scenario((_answers(),), says, params)

    return world


def _leaving(draw: random.Random) -> Scenario:
    """Three dialogues of three turns: at the last one the person is gone, then late, and then the
    model is."""

    def says(ask: Ask) -> Any:
        gone = ApiError(404, "the model is gone", code="model_not_found")
        return Answer(error=gone) if ask.number == 8 else Answer(_asks(ask), seconds=0.5)

    return Scenario((_answers((2, 5)),), says, {"limits": {"max_turns": 20}})


def _listened(log: Log) -> list[Any]:
    """What the person heard."""
    return [each.request["said"] for each in log.calls("person")]


def _heard(log: Log) -> list[str]:
    """What the model said in words, and the person should have heard."""
    said = [each.reply["text"] or "" for each in log.requests() if each.outcome == "answered"]
    return [text for text in said if text.strip()]


def _ends(state: str, look: str, requests: int, **result: Any) -> Checks:
    """How the task ends, what the person heard, and how often the model was asked."""

    def checks(world: Scenario) -> list[Any]:
        wanted = result or world.params["order"]
        return [
            within(requests=requests, reached=True),
            fits({"state": state}, look=f"look at {look}"),
            fits({"result": wanted}, look=f"look at {look}"),
            viewed(_listened, equals(_heard, look="what is the person told, and when?")),
        ]

    return checks


def _grows(checks: Checks, at_least: int) -> Checks:
    return lambda world: [*checks(world), history_grows(at_least=at_least)]


def _let_out(world: Scenario) -> list[Any]:
    """Each dialogue has two questions, comes to a third time, and ends with what was raised."""
    ends = [
        {"state": "failed", "result": {"raised": "TaskFailed", "kind": kind}}
        for kind in ("left", "timeout", "model")
    ]
    look = "look at what speak and listen raise: let it out"
    return [within(requests=9, reached=True), fits(ends, look=look)]


DIALOGUE = Exercise(
    "5.3", ("dialogue",), (
        Trial("talks until the task is complete", _STAGE, _world(_asks, _asks, _done),
              _grows(_ends("completed", "what ends your loop", 3), 3)),
        Trial("goes on after a result that did not fit", _STAGE,
              _world(_unfit, _asks, _unfit, _done),
              _grows(_ends("completed", "what ends your loop", 4), 4), 0.5),
        Trial("ends when the task is cancelled", _STAGE, _world(_asks, _cancels),
              _ends("cancelled", "what ends your loop", 2, raised="TaskCancelled"), 0.5),
        Trial("fails when a limit is reached", _STAGE,
              _world(_asks, _asks, _silent, limits={"max_turns": 4}),
              _ends("failed", "here.stop, after each turn", 4, raised="TaskFailed", kind="limit",
                    task="order", stop="max_turns"), 0.5),
        Trial("tells a silent model so, and counts afresh when it speaks", _STAGE,
              _world(_asks, _silent, _silent, _asks, _silent, _silent, _when_told),
              _ends("completed", "what the model reads after a silence", 7), 0.5),
        Trial("fails when the model stays silent", _STAGE, _world(_silent),
              _ends("failed", "what counts the silences", 3, raised="TaskFailed", kind="silent",
                    task="order"), 0.5),
        Trial("lets out that the person is gone", _LEFT, _leaving, _let_out, 0.5),
    ),
    builds_on={
        "speak": "course.delegation.dialogue:speak",
        "listen": "course.delegation.dialogue:listen",
        "TaskFailed": "course.delegation.results:TaskFailed",
    },
    places={
        "*.state": "the {} task's state",
        "*.result": "how the {} task ended",
        "*.result.raised": "the error that the {} task ended in",
        "*.result.kind": "the `kind` of the {} task's error",
        "result": "how the task ended",
        "result.raised": "the error that the task ended in",
        "result.kind": "the error's `kind`",
        "result.task": "the error's `task`",
        "result.stop": "the error's stop",
        "state": "the task's state",
        "heard": "what the person was told",
        "said": "what the person was told",
    },
    finished={"dialogue": "course.delegation.task:dialogue"},
)  # fmt: skip
