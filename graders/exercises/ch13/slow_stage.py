"""Exercise 13.5: the slow stage of a spoken call, found in its trace."""

from __future__ import annotations

import asyncio

from course import clock
from course.trace import span
from graders.exercises.kit import *

_STAGE = """
from course.trace import Trace


async def stage(bench, student):
    traces = [Trace.from_json(text) for text in bench.params["cases"]]
    found = [student.slow_stage(trace) for trace in traces]
    return [{"stage": stage, "seconds": seconds} for stage, seconds in found]
"""
STAGES = ("hearing", "thinking", "voice")
_PAUSE = 0.7  # seconds before the person speaks


@dataclass(frozen=True)
class Turn:
    """Something that a person says, and the seconds of each stage of its answer.

    Attributes:
        waits: of each stage; None where they are not answered before they speak again.
        asks: how often the model is asked, one after the other, with a tool between.
        odd: what else happens: "filler", something is said before the model is asked; "again", a
            second sentence follows; "late", the answer is spoken when the person speaks again.
    """

    waits: tuple[float, float, float] | None
    asks: int = 1
    odd: str = ""


Maker = Callable[[random.Random], list[Turn]]


def _turns(draw: random.Random, slow: str, many: int = 3, *, asks: int = 1) -> list[Turn]:
    """Turns in which one stage takes longest."""
    base = {stage: draw.uniform(0.1, 0.3) for stage in STAGES}
    base[slow] += 0.5
    return [
        Turn((base["hearing"] + place / 10, base["thinking"], base["voice"]), asks)
        for place in range(many)
    ]


def _any(draw: random.Random) -> list[Turn]:
    return _turns(draw, draw.choice(STAGES))


def _each(slow: str, asks: int = 1) -> Maker:
    return lambda draw: _turns(draw, slow, asks=asks)


def _one_bad(draw: random.Random) -> list[Turn]:
    """The longest wait of all is not where most of the time passes."""
    return [*_turns(draw, "thinking", 4), Turn((0.2, 0.1, 1.2))]


def _unanswered(draw: random.Random) -> list[Turn]:
    one, two, three = _turns(draw, "voice")
    return [one, Turn(None), two, Turn(None), three]


def _mostly(draw: random.Random) -> list[Turn]:
    """In most turns another stage is the longest than on average."""
    return [*_turns(draw, "hearing", 3), Turn((0.2, 0.1, 4.0))]


def _odd(odd: str) -> Maker:
    """Turns in which something stands before or behind what is measured."""
    return lambda draw: [replace(each, odd=odd) for each in _any(draw)]


def _late(draw: random.Random) -> list[Turn]:
    one, two, three = _turns(draw, "voice")
    return [one, Turn(None, odd="late"), two, three]


def _no_turn(draw: random.Random) -> list[Turn]:
    return [Turn(None)]


async def _answer(turn: Turn, waits: tuple[float, float, float]) -> None:
    """One answer, as LiveKit's spans tell it."""
    hearing, thinking, voice = waits
    if turn.odd == "filler":
        with span("tts_node", "flite-slt"), span("agent_speaking", "agent_speaking"):
            await asyncio.sleep(hearing)
    else:
        await asyncio.sleep(hearing)
    with span("invoke_agent", "desk"):
        part = thinking / (turn.asks + 0.5)
        for _ in range(turn.asks):
            with span("llm_node", "switchboard-small"):
                await asyncio.sleep(part)
            if turn.asks > 1:
                with span("execute_tool", "find_slots"):
                    pass
        await asyncio.sleep(thinking - part * turn.asks)
        with span("tts_node", "flite-slt"):
            await asyncio.sleep(voice)
            with span("agent_speaking", "agent_speaking"):
                await asyncio.sleep(2.0)
    if turn.odd == "again":
        with span("tts_node", "flite-slt"):
            await asyncio.sleep(0.5)
            with span("agent_speaking", "agent_speaking"):
                await asyncio.sleep(1.0)


async def _too_late() -> None:
    """An answer that is spoken when the person speaks again already."""
    with span("llm_node", "switchboard-small"), span("tts_node", "flite-slt"):
        await asyncio.sleep(_PAUSE + 0.3)
        with span("agent_speaking", "agent_speaking"):
            await asyncio.sleep(0.2)


async def _call(draw: random.Random, turns: Sequence[Turn]) -> Trace:
    trace = Trace("a call", seed=draw.randrange(10**6))
    with trace.record(), span("invoke_workflow", "call"):
        with span("tts_node", "flite-slt"), span("agent_speaking", "agent_speaking"):
            await asyncio.sleep(1.0)
        late = None
        for turn in turns:
            await asyncio.sleep(_PAUSE)
            with span("user_turn", "whisper"), span("user_speaking", "user_speaking"):
                await asyncio.sleep(draw.uniform(0.8, 1.6))
            if turn.waits:
                await _answer(turn, turn.waits)
            elif turn.odd == "late":
                late = asyncio.ensure_future(_too_late())
        if late:
            await late
    return trace


def _world(*makers: Maker) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        calls = [make(draw) for make in makers]
        traces = [clock.simulate(_call(draw, each)).to_json() for each in calls]
        return Scenario(params={"cases": traces, "wanted": [slow_of(each) for each in calls]})

    return world


def slow_of(turns: Sequence[Turn]) -> dict[str, Any]:
    """The stage in which most time passes, and its seconds a turn."""
    waits = [each.waits for each in turns if each.waits]
    if not waits:
        return {"stage": "", "seconds": 0.0}
    means = [sum(each) / len(waits) for each in zip(*waits, strict=True)]
    return {"stage": STAGES[means.index(max(means))], "seconds": max(means)}


def _found(look: str) -> Checks:
    return lambda world: [fits(world.params["wanted"], within=1e-3, look=f"look at {look}")]


SLOW_STAGE = Exercise(
    "13.5", ("slow_stage",), (
        Trial("finds where most of the time passes", _STAGE, _world(_any, _one_bad, _mostly),
              _found("what is compared"), 1),
        Trial("measures the hearing", _STAGE, _world(_each("hearing")),
              _found("where hearing begins and ends"), 0.5),
        Trial("measures the thinking, tools and all", _STAGE,
              _world(_each("thinking"), _each("thinking", 3), _odd("filler")),
              _found("where thinking ends"), 1),
        Trial("measures the voice", _STAGE, _world(_each("voice"), _odd("again")),
              _found("where the voice ends"),
              0.5),
        Trial("leaves out what nobody answered", _STAGE, _world(_unanswered, _late),
              _found("what is a turn"), 0.5),
        Trial("knows when there is no turn", _STAGE, _world(_no_turn, lambda draw: []),
              _found("a call without a turn"), 0.5),
    ),
    places={
        "": "what is found",
        "*": "what is found in the {} trace",
        "*.stage": "the stage that is found in the {} trace",
        "*.seconds": "the seconds that are found in the {} trace",
    },
)  # fmt: skip
