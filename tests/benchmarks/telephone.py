"""What is promised of LiveKit's programs and of the front desk on the telephone, measured."""

from __future__ import annotations

from course import clock, connect
from course.scenarios.front_desk import Desk
from course.voice.systems import front_desk
from course.voice.typed import exchange, typed_session
from tests.voice.programs import CALLS, played


def programs_to_their_end() -> tuple[int, int]:
    """How many of the programs that are written for LiveKit play all their calls to the end."""
    ended: dict[str, bool] = {}
    for call in CALLS:
        _, userdata = played(call)
        ended[call.program] = ended.get(call.program, True) and call.holds(userdata)
    return sum(ended.values()), len(ended)


def demo_on_the_telephone() -> bool:
    """Whether the front desk on the telephone answers what it is asked in writing in the demo."""
    client = connect(profile="instant")

    async def ask(desk: Desk) -> str:
        async with typed_session(front_desk(desk, client=client), client=client) as session:
            return await exchange(session, "When is the next appointment of Katya Tanaka?")

    with Desk(seed=7) as desk:
        heard = clock.simulate(ask(desk))
    return "Katya Tanaka" in heard and "2026-03-02 14:30" in heard
