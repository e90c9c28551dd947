"""Whatever agents do and in whatever order: each request is one that a model takes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import cycle
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from course import Agent, clock, connect, tool
from course.errors import ToolError
from course.handoff import ContextFilter, Handoff, last, summary, whole, without_instructions
from course.models import Call, ChatRequest, Reply, Scripted
from course.runner import run
from course.session import Session, state
from course.team import HUMAN, Criteria, Escalation, Guards, Team
from course.team.turn import GRACE

NAMES = ("hub", "billing", "records", "tech")
FILTERS: tuple[ContextFilter, ...] = (
    whole,
    without_instructions,
    last(1),
    last(3),
    summary(keep=2),
)

Action = tuple[str, ...]
CALLS = ("note", "fails", "no_such_tool", "garbled", "move", "move", "move", "return", "return")


@tool
def note(text: str) -> str:
    """Keep something in mind."""
    state()["note"] = text
    return f"noted {text}"


@tool
def fails() -> str:
    """Fail."""
    raise ToolError("it does not work")


def some_team(draw: Random) -> Team:
    """Four agents, each handing over to or consulting some of the others."""
    rules = [Escalation(sender="billing", to="tech", criteria=Criteria(max_attempts=2))]
    return Team(
        name="four",
        agents=tuple(some_agent(draw, name) for name in NAMES),
        escalations=tuple(rules[: draw.randrange(2)]),
        fallback=draw.choice((None, "records", HUMAN)),
        guards=Guards(max_turns=draw.randrange(1, 13)),
    )


def some_agent(draw: Random, name: str) -> Agent:
    others = draw.sample([each for each in NAMES if each != name], draw.randrange(1, 4))
    handoffs = [
        Handoff(
            other,
            draw.choice(FILTERS),
            returns=draw.random() < 0.5,
            greeting=draw.choice(("", "", f"This is {other}.")),
        )
        for other in others
    ]
    if draw.random() < 0.2:
        handoffs.append(Handoff(HUMAN))
    return Agent(
        name=name,
        description=f"does {name}",
        instructions=draw.choice(("", f"You are {name}.")),
        tools=(note, fails),
        handoffs=tuple(handoffs),
    )


def some_plan(draw: Random) -> list[Action]:
    """What the models do, one after the other: speak, ask the person, or call a few things."""
    spoken: list[Action] = [("say",), ("ask",)]
    called: list[Action] = [
        tuple(draw.choices(CALLS, k=draw.randrange(1, 4))) for _ in range(draw.randrange(2, 9))
    ]
    plan = [*called, *draw.choices(spoken, k=draw.randrange(1, 4))]
    draw.shuffle(plan)
    return plan


class Script:
    """Plays a plan of actions over and over; each call is made to fit what is offered."""

    def __init__(self, plan: Sequence[Action]) -> None:
        self._plan: Iterator[Action] = cycle(plan)
        self._count = 0

    def __call__(self, request: ChatRequest) -> Reply:
        action = next(self._plan)
        self._count += 1
        if action == ("say",) or not request.tools:
            return Reply(text=f"Answer {self._count}.")
        if action == ("ask",):
            return Reply(text="Which one?")
        text = None if self._count % 2 else "One moment."
        return Reply(text=text, calls=tuple(self._call(each, request) for each in action))

    def _call(self, what: str, request: ChatRequest) -> Call:
        self._count += 1
        moves = [t for t in request.tools if t.name.startswith(("transfer_to_", "consult_"))]
        back = [t for t in request.tools if t.name.startswith("return_to_")]
        ident = f"call_{self._count}"
        chosen = moves if what == "move" else back if what == "return" else []
        if chosen:
            spec = chosen[self._count % len(chosen)]
            [argument] = spec.parameters["properties"]
            return Call(spec.name, json.dumps({argument: f"because {self._count}"}), ident)
        if what == "garbled":
            name = moves[0].name if moves else "note"
            return Call(name, '{"reason": ', ident)
        arguments = {"text": f"thing {self._count}"} if what == "note" else {}
        return Call(
            what if what in ("note", "fails") else "no_such_tool", json.dumps(arguments), ident
        )


def asked(model: Scripted) -> list[Any]:
    """What went to the model, word for word."""
    return [(request.raw, request.key) for request in model.requests]


def talk(
    team: Team, plan: Sequence[Action], turns: int, *, saved_after: int | None = None
) -> tuple[Scripted, Session]:
    """Some turns of a person with a team, perhaps with a file in between."""
    model = Scripted(Script(plan))
    client = connect(model)

    async def all_turns() -> Session:
        session = team.begin()
        for number in range(turns):
            if number == saved_after:
                session = Session.from_json(session.to_json())
            request = f"Turn {number}, please."
            result = await run(team, request, client=client, session=session)
            session = result.session
            told = [m["content"] for m in session.history if m["role"] == "user"]
            assert told[-1] == request
            assert result.heard or result.answer == ""
        return session

    return model, clock.simulate(all_turns())


@given(st.integers(0, 10**9))
def test_every_request_is_one_that_a_model_takes(seed: int) -> None:
    """A request in which a call lacks its result is refused, so a run through is the proof."""
    draw = Random(seed)
    team, turns = some_team(draw), draw.randrange(1, 5)
    model, session = talk(team, some_plan(draw), turns)
    assert len(model.requests) <= turns * ((team.guards.max_turns or 0) + GRACE)
    assert Session.from_json(session.to_json()) == session


@given(st.integers(0, 10**9))
def test_a_resumed_session_goes_on_exactly(seed: int) -> None:
    draw = Random(seed)
    team, turns = some_team(draw), draw.randrange(2, 5)
    plan, place = some_plan(draw), draw.randrange(1, turns)
    straight, session = talk(team, plan, turns)
    resumed, again = talk(team, plan, turns, saved_after=place)
    assert asked(resumed) == asked(straight)
    assert again.history == session.history
    assert again.active == session.active


@settings(max_examples=15)
@given(st.integers(0, 10**9))
def test_the_simulated_model_takes_what_other_agents_called(seed: int) -> None:
    """Calls of tools that the reader is not offered stand in most of these histories."""
    draw = Random(seed)
    model, _ = talk(some_team(draw), some_plan(draw), draw.randrange(1, 4))
    client = connect(profile="instant")

    async def answers() -> list[Any]:
        bodies = [dict(request.raw) for request in model.requests]
        return [await client.chat.completions.create(**body) for body in bodies]

    assert all(answer.choices for answer in clock.simulate(answers()))
