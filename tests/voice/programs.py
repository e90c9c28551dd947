"""Calls to the eight programs that are written for LiveKit's cloud, three to each."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from course import clock, connect
from course.voice.call import SpokenCall, Utterance
from course.voice.room import answering, call_room
from course.voice.server import server
from course.voice.stand_ins import stand_ins
from course.voice.typed import hold, typed_job
from tests.voice.speech import flite, in_a_room

PROGRAMS = Path(__file__).parents[2] / "docs/systems/livekit"


class Call(NamedTuple):
    """A call: what is said first, what the person answers to which words, and what is to be so."""

    program: str
    first: str
    answers: tuple[tuple[str, str], ...]
    holds: Callable[[Any], bool]


CALLS = (
    Call(
        "consent", "Yes, you may.", (("message", "A message for Tom, please."),),
        lambda call: call.may_record is True and [to for to, _ in call.messages] == ["Tom"],
    ),
    Call(
        "consent", "No.", (("message", "Please take a message for Ines: I am late."),),
        lambda call: call.may_record is False and [to for to, _ in call.messages] == ["Ines"],
    ),
    Call("consent", "No, please don't.", (), lambda call: call.may_record is False),
    Call(
        "intake", "I want to move house.",
        (("name", "Ada Brown"), ("move from", "Leeds"), ("move to", "York"),
         ("rooms", "Four rooms."), ("packing", "No packing.")),
        lambda book: intake(book) == "Ada Brown Leeds York 4 False",
    ),
    Call(
        "intake", "Could you make me an offer? I am moving.",
        (("name", "My name is Ben Ortiz."), ("move from", "Bath"), ("move to", "Bristol"),
         ("rooms", "3 rooms, and yes, please help with packing."), ("packing", "Yes.")),
        lambda book: intake(book) == "Ben Ortiz Bath Bristol 3 True",
    ),
    Call(
        "intake", "I need an offer for a move.",
        (("name", "Carla Diaz"), ("move from", "Hull"), ("move to", "Derby"),
         ("rooms", "Two rooms."), ("packing", "Yes.")),
        lambda book: intake(book) == "Carla Diaz Hull Derby 2 True",
    ),
    Call("reception", "When is breakfast?", (), lambda hotel: hotel == type(hotel)()),
    Call(
        "reception", "I would like to book a room.", (("nights", "From Monday, three nights."),),
        lambda hotel: hotel.stays == [("Monday", 3)],
    ),
    Call(
        "reception", "I need two towels in room 214.", (),
        lambda hotel: [room for room, _ in hotel.wishes] == [214],
    ),
    Call(
        "practice", "I need to reschedule to Monday and check my balance.",
        (("part of day", "In the morning."),),
        lambda practice: practice.moved == ["Monday morning"],
    ),
    Call(
        "practice", "How much do I owe?", (("85", "And when is my next appointment?"),),
        lambda practice: practice.moved == [] and practice.balance == 85,
    ),
    Call(
        "practice", "Can I move my appointment to Thursday?",
        (("part of day", "In the afternoon."), ("taken", "Then Friday morning.")),
        lambda practice: practice.moved == ["Friday morning"],
    ),
    Call(
        "hub", "What does the family plan cost?", (("35", "Then I would like a demo on Tuesday."),),
        lambda account: account.demos == ["Tuesday"] and set(account.visited) == {"sales"},
    ),
    Call(
        "hub", "Please reset line L-12.", (),
        lambda account: account.resets == ["L-12"] and account.visited == ["technical"],
    ),
    Call(
        "hub", "What is invoice 77 for?", (("March", "Please refund invoice 77."),),
        lambda account: account.refunds == [77] and account.visited == ["billing"],
    ),
    Call(
        "escalation", "Please restart my printer.",
        (("restarted", "It works again, please close the case."),),
        lambda case: case.tried == ["restart"] and case.solved,
    ),
    Call(
        "escalation", "Please restart my printer.",
        (("restarted", "Please get me a specialist."),
         ("I am the specialist", "Please install the firmware again."),
         ("installed", "I want to talk to a person.")),
        lambda case: case.tried == ["restart", "firmware"] and len(case.queue) == 1,
    ),
    Call("escalation", "I want to talk to a person.", (), lambda case: len(case.queue) == 1),
    Call(
        "consultation", "What do three chairs cost?", (("240", "Please order three chairs."),),
        lambda deal: deal.orders == [("chair", 3)] and deal.moves == ["sales", "pricing", "sales"],
    ),
    Call(
        "consultation", "What do 12 lamps cost?", (("378", "Thank you."),),
        lambda deal: deal.quotes == {"12 lamps": 378} and deal.orders == [],
    ),
    Call(
        "consultation", "How much is one desk?", (("240", "Then please order two lamps."),),
        lambda deal: deal.quotes == {"1 desks": 240} and deal.orders == [("lamp", 2)],
    ),
    Call(
        "drive_through", "My name is Ada.",
        (("What would you like", "Two burgers, please."), ("12 euros", "And a lemonade, please."),
         ("14 euros. Anything", "Please finish the order."), ("right?", "Yes."),
         ("card", "By card.")),
        lambda order: (order.name, order.paid) == ("Ada", (14, "card")),
    ),
    Call(
        "drive_through", "My name is Ben.",
        (("What would you like", "I would like a wrap."), ("5 euros", "I would like fries."),
         ("8 euros. Anything", "Please finish the order."), ("right?", "Yes."), ("card", "Cash.")),
        lambda order: (order.name, order.paid) == ("Ben", (8, "cash")),
    ),
    Call(
        "drive_through", "My name is Carla.",
        (("What would you like", "Four fries, please."), ("12 euros", "Please finish the order."),
         ("right?", "Yes."), ("card", "By card.")),
        lambda order: (order.name, order.paid) == ("Carla", (12, "card")),
    ),
)  # fmt: skip


def intake(book: Any) -> str:
    """The only request in the moving company's book, in a line."""
    [found] = book.requests
    route, size = found["route"], found["size"]
    told = (found["name"].name, route.origin, route.destination, size.rooms, size.help_with_packing)
    return " ".join(map(str, told))


def program(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"livekit_{name}", PROGRAMS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def played(call: Call) -> tuple[str, Any]:
    """What was said in a typed call, and what the program's userdata holds at its end."""
    client, left = connect(profile="instant"), list(call.answers)

    async def person(heard: str) -> str:
        for place, (asked, answer) in enumerate(left):
            if asked in heard:
                del left[place]
                return answer
        raise EOFError

    async def main() -> tuple[str, Any]:
        async with typed_job(program(call.program).entrypoint, client=client) as session:
            said = await hold(session, person, first=call.first)
            return "\n".join(f"{text} -> {heard}" for text, heard in said), session.userdata

    with stand_ins(client):
        return clock.simulate(main())


def spoken() -> SpokenCall:
    """A call to the reception's program that is spoken in a real room: one question."""
    in_a_room()
    said = iter(("When is breakfast?",))

    async def caller(heard: str) -> Utterance:
        for text in said:
            return Utterance(await flite().say(text), text)
        raise EOFError

    async def call() -> SpokenCall:
        with stand_ins(spoken=True):
            entrypoint = program("reception").entrypoint
            async with server() as access, answering(access, entrypoint):
                return await call_room(access, caller, seconds=85, patience=40)

    return asyncio.run(call())
