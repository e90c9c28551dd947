"""What spoken calls reach: hearing, waiting, being interrupted, and whole visits.

`python -m tests.benchmarks.speech NAME` prints JSON: `words`, `names`, `call`, `room`, `dispatch`,
or `visits FIRST COUNT`, which holds whole seeded visits at the front desk, two minutes or so each.
Numbers of seconds are real ones: they say something on a machine without other work.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
from statistics import mean
from typing import Any

from livekit.agents import AgentSession
from livekit.plugins import openai

import course
from course.scenarios.front_desk import Desk, state
from course.scenarios.front_desk.callers import Answering, callers
from course.scenarios.nearest import nearest
from course.voice.call import Utterance, conduct, hold_call, spoken, voiced
from course.voice.hearing import recogniser
from course.voice.latency import SpokenTurn
from course.voice.room import AGENT, RoomLine, answering, arrival, token
from course.voice.server import server
from course.voice.speaking import Flite
from course.voice.systems import front_desk
from tests.voice.calling import booked, paid
from tests.voice.hours import Hours

SPEAKERS = ("slt", "rms", "awb", "kal16")
FIELDS = (
    ("mild", "moderate", "severe"),
    ("card", "cash", "transfer"),
    ("morning", "afternoon"),
    ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
)
SAID = "mild moderate severe card cash transfer morning afternoon Monday Tuesday".split()
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
SEED = 7
AT_ONCE = 4


async def words() -> dict[str, float]:
    """One-word answers of four voices, heard with and without the values of their field."""
    found = {"with": 0, "without": 0}
    for speaker in SPEAKERS:
        for word in SAID:
            sound = await Flite(speaker).say(f"{word}.")
            field = next(each for each in FIELDS if word in each)
            for key, terms in (("with", field), ("without", ())):
                heard = await recogniser().transcribe(sound, terms=terms)
                found[key] += heard.strip(" .").lower() == word.lower()
    return dict(found)


async def names() -> dict[str, float]:
    """Names of ten callers in three voices: said, asked back, said again, and taken."""
    with Desk(seed=SEED) as desk:
        rows = desk.rows("SELECT first_name || ' ' || last_name AS name FROM patients")
        known, people = (
            [row["name"] for row in rows],
            [each.name for each in callers(desk, count=10)],
        )
    found = {}
    for speaker in SPEAKERS[:3]:
        right = 0
        for name in people:
            first = nearest(await recogniser().transcribe(await Flite(speaker).say(name)), known)
            again = await recogniser().transcribe(
                await Flite(speaker).say(f"{name}."), terms=first.candidates
            )
            right += first.certain or first.taken(again) == name
        found[speaker] = right
    return found


async def asking() -> Any:
    """A caller of nine turns, who cuts in on the last answer but one."""
    voice = Flite("rms")
    questions = [f"What time do you open on {day}?" for day in (*DAYS, *DAYS[:4])]
    spoken_ones = [Utterance(await voice.say(each), each) for each in questions]
    last = spoken_ones.pop()
    cut = spoken_ones.pop()
    spoken_ones.append(Utterance(cut.sound, cut.words, then=last, after=2.0))
    coming = iter(spoken_ones)

    async def caller(heard: str) -> Utterance:
        for each in coming:
            return each
        raise EOFError

    return caller


def session(kept: list[AgentSession[Any]]) -> AgentSession[Any]:
    client = course.connect(profile="instant")
    made: AgentSession[Any] = AgentSession(
        llm=openai.LLM(client=client, model="switchboard-small"), **spoken()
    )
    kept.append(made)
    return made


async def warm() -> None:
    """What a chapter has done long before its first call: loaded its model and its recogniser."""
    recogniser()
    question = [{"role": "user", "content": "What time do you open on Monday?"}]
    client = course.connect(profile="instant")
    await client.chat.completions.create(model="switchboard-small", messages=question)  # type: ignore[call-overload]


def figures(turns: tuple[SpokenTurn, ...], held: list[AgentSession[Any]]) -> dict[str, float]:
    whole = [turn for turn in turns if turn.silent_after is None]
    messages = [each for one in held for each in one.history.messages()]
    e2e = [each.metrics["e2e_latency"] for each in messages if "e2e_latency" in each.metrics]
    return {
        "turns": len(turns),
        "ear": mean(turn.ear for turn in whole if turn.ear is not None),
        "transcript": mean(turn.transcript for turn in whole if turn.transcript is not None),
        "e2e": mean(e2e),
        "silent_after": mean(t.silent_after for t in turns if t.silent_after is not None),
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "load": os.getloadavg()[0],
    }


async def call() -> dict[str, float]:
    """Nine turns in process."""
    held: list[AgentSession[Any]] = []
    await warm()
    done = await hold_call(session(held), Hours(), await asking())
    return figures(done.turns, held)


async def room() -> dict[str, float]:
    """The same in a real room; memory is that of caller and worker together, without server."""
    held: list[AgentSession[Any]] = []
    await warm()
    async with server() as access, answering(access, lambda job: (session(held), Hours())):
        line = RoomLine(AGENT)
        joining = line.connect(access.url, token(access, "bench", "caller", agent=AGENT))
        done = await conduct(line, joining, await asking(), seconds=180, patience=8)
    return {**figures(done.turns, held), "join": line.first_audio or float("nan")}


async def dispatch() -> dict[str, float | None]:
    """Seconds until an agent comes, by what its worker reports of its load; None within 5 s."""
    await warm()
    came = {}
    async with server() as access:
        for load in (0.0, 0.6, 0.8):
            answer = answering(access, lambda job: (session([]), Hours()), load=load)
            async with answer:
                await asyncio.sleep(1)
                for wanted in (AGENT, "nobody") if not load else (AGENT,):
                    came[f"{wanted}, load {load:g}"] = await arrival(
                        access, agent=wanted, seconds=5
                    )
    return came


async def visits(first: int, count: int) -> dict[str, Any]:
    """Whole visits of scripted callers, each at a desk of its own; why those failed that did."""
    await warm()
    limit = asyncio.Semaphore(AT_ONCE)
    numbers = range(first, first + count)
    calls = await asyncio.gather(*(one_visit(each, limit) for each in numbers))
    failed = {number: call for number, call in zip(numbers, calls, strict=True) if call}
    return {"right": count - len(failed), "of": count, "failed": failed, "load": os.getloadavg()[0]}


async def one_visit(number: int, limit: asyncio.Semaphore) -> list[str]:
    """What was said in a visit that went wrong; nothing when all of it is right."""
    async with limit:
        with Desk(seed=SEED + number // 10) as desk:
            who, before = callers(desk, count=10)[number % 10], state(desk)
            answers, opening = Answering(who), [who.first]

            async def person(heard: str) -> str:
                return opening.pop() if opening else await answers(heard)

            client = course.connect(profile="instant")
            speaks = voiced(person, Flite(SPEAKERS[number % 3]))
            done = await hold_call(
                session([]), front_desk(desk, client=client), speaks, seconds=400, patience=20
            )
            after = state(desk)
            once = len(after.visits - before.visits) == 1
            right = once and booked(desk, who) and paid(who, before, after)
            print(number, who.name, "right" if right else "wrong", file=sys.stderr, flush=True)
            return [] if right else [str(who), *done.transcript().splitlines()]


if __name__ == "__main__":
    name, *numbers = sys.argv[1:]
    kinds = {each.__name__: each for each in (words, names, call, room, dispatch, visits)}
    print(json.dumps(asyncio.run(kinds[name](*map(int, numbers)))))
