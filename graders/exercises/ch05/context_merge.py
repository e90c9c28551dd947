"""Exercise 5.4: what was said in a task becomes part of its asker's conversation."""

from __future__ import annotations

from graders.exercises.house_tools import idents
from graders.exercises.kit import *

_STAGE = """
from course import Context


async def stage(bench, student):
    came = []
    for each in bench.params["merges"]:
        context = Context(tuple(dict(message) for message in each["context"]))
        # a number stands for a message of the context: the very same object
        other = Context(
            tuple(context.messages[m] if isinstance(m, int) else dict(m) for m in each["other"])
        )
        if each["settings"]:  # once without them first: that must not change what comes now
            student.merge(context, other)
        merged = student.merge(context, other, **each["settings"])
        came.append({"messages": merged.messages})
    return came
"""


def _says(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "content": content}


def _desk(draw: random.Random) -> list[dict[str, Any]]:
    wish = draw.choice(("I need an appointment.", "It hurts.", "My knee is swollen."))
    return [_says("system", "You are the desk."), _says("user", wish), _says("assistant", "Yes?"),
            _says("user", "yes"), *_looked_up(draw)]  # fmt: skip


def _looked_up(draw: random.Random) -> list[dict[str, Any]]:
    """A call of the asker's own and its result."""
    [ident] = idents(draw, 1)
    asks = {"role": "assistant", "content": None, "tool_calls": [call("desk", {}, ident)]}
    return [asks, {"role": "tool", "tool_call_id": ident, "content": "the desk is open"}]


def _task(draw: random.Random, *, beside: str = "") -> list[Any]:
    """What a task has in view: its instructions, the asker's words, and what it added."""
    [ident] = idents(draw, 1)
    room = draw.randrange(1, 90)
    asks = {"role": "assistant", "content": beside or None,
            "tool_calls": [call("room", {"number": room}, ident)]}  # fmt: skip
    result = {"role": "tool", "tool_call_id": ident, "content": f"room {room} is free"}
    return [
        _says("system", "You are the nurse."),
        1, 2, 3,
        _says("assistant", draw.choice(("How bad is it?", "Since when?"))),
        _says("user", "yes"),
        asks,
        result,
        _says("system", "Ask once more."),
        _says("assistant", "Anything else?"),
        _says("user", "yes"),
        _says("user", "yes"),
    ]  # fmt: skip


def _world(*, beside: str = "", settings: dict[str, Any] | None = None) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        one = {
            "context": _desk(draw),
            "other": _task(draw, beside=beside),
            "settings": settings or {},
        }
        return Scenario(params={"merges": [one]})

    return world


def _talked(draw: random.Random) -> Scenario:
    """Without any call; a task that was given no context at all, or only the end of it."""
    words = [each for each in _task(draw) if isinstance(each, int) or "content" in each]
    plain = [each for each in words if isinstance(each, int) or _is_plain(each)]
    alone = [each for each in plain if not isinstance(each, int)]
    merges: list[dict[str, Any]] = [
        {"context": _desk(draw), "other": each, "settings": {}}
        for each in (plain, alone, plain[:4], plain[:1] + plain[3:])
    ]
    return Scenario(params={"merges": merges})


def _is_plain(message: dict[str, Any]) -> bool:
    return message["role"] != "tool" and "tool_calls" not in message


def _merged(each: dict[str, Any]) -> list[dict[str, Any]]:
    """What should come out, by the rules of the exercise."""
    keeps_calls = not each["settings"].get("exclude_function_call", True)
    new = []
    for message in each["other"]:
        if isinstance(message, int) or message["role"] == "system":
            continue
        if keeps_calls or _is_plain(message):
            new.append(message)
        elif message["role"] == "assistant" and message["content"]:
            new.append(_says("assistant", message["content"]))
    return [*each["context"], *new]


def _kept(look: str) -> Checks:
    def checks(world: Scenario) -> list[Any]:
        messages = [{"messages": _merged(each)} for each in world.params["merges"]]
        return [fits(messages, look=f"look at {look}")]

    return checks


MERGE = Exercise(
    "5.4", ("merge",), (
        Trial("adds what is new, and what was said twice", _STAGE, _talked,
              _kept("how you tell a message that is known from one with the same words"), 1),
        Trial("leaves out calls together with their results", _STAGE, _world(),
              _kept("calls and results: the one cannot stand without the other"), 0.5),
        Trial("keeps the words beside a call", _STAGE, _world(beside="One moment, please."),
              _kept("a message that says something and calls a tool"), 0.25),
        Trial("keeps the calls when it is asked to", _STAGE,
              _world(beside="I look.", settings={"exclude_function_call": False}),
              _kept("exclude_function_call, and whether an earlier merge has changed the messages"),
              0.25),
    ),
    places={
        "*": "the {} merge",
        "*.messages": "the messages of the {} merge",
        "*.messages.*": "the {1} message of the {0} merge",
    },
    finished={"merge": "course.context:merge"},
)  # fmt: skip
