"""Several matters in one request: taken down first, then served one after the other.

In a team with `matters`, a turn of the person begins with a list, for which the entry's agent is
asked: each matter in words of its own, and whose it is. Then the conversation goes from one to the
next; what was not served is named at the end of the turn, and stays in the session.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter, ValidationError

from course.chat import complete
from course.context import Context, transcript
from course.errors import ModelError
from course.session import OpenMatter
from course.team.human import HUMAN
from course.team.turn import Turn
from course.tools import answer_in, object_schema
from course.trace import span

ASKED = """\
Take down what the person wants now: each matter in full sentences that can be understood alone, \
with every name, date and number it needs, and whose work it is.
{listed}"""
STILL_OPEN = "Still open, and next: {matters}"


async def take_down(turn: Turn, request: str) -> tuple[OpenMatter, ...]:
    """The matters of a request, with whose they are; one model call of the entry's agent.

    One matter alone keeps its words; where the model cannot say, it is the entry's agent's.
    """
    team, hub = turn.team, turn.team.agent(turn.team.entry)
    known = {each.to: team.description_of(each.to) for each in hub.handoffs if not each.returns}
    known = {name: about for name, about in known.items() if name != HUMAN}
    known[hub.name] = hub.description or "everything else"
    listed = "\n".join(f"- {name}: {about}" for name, about in known.items())
    told = ASKED.format(listed=listed)
    if before := transcript(turn.session.context.messages[-2:]):
        told += f"\n\nWhat was said before:\n{before}"
    said = Context.of(request, instructions=told).messages
    shape = matters_format(list(known))
    body = {"model": hub.model, "messages": said, "response_format": shape}
    alone = (OpenMatter(hub.name, request),)
    with span("take_down", hub.name) as step:
        try:
            answer = await complete(hub.client or turn.client, body, agent=hub.name)
            turn.count(answer.usage)
            told = json.loads(str(answer.message["content"]))["matters"]
            found = TypeAdapter(tuple[OpenMatter, ...]).validate_python(told)
        except (ModelError, ValidationError, ValueError, KeyError, TypeError) as error:
            step.fail(str(error), kind=type(error).__name__)
            return alone
        found = tuple(each for each in found if each.agent in known and each.request.strip())
        step.set("switchboard.matters", json.dumps([each.agent for each in found]))
    if len(found) == 1:
        return (OpenMatter(found[0].agent, request),)
    return found or alone


def matters_format(names: list[str]) -> dict[str, Any]:
    """The form of a list of matters for these agents."""
    agent = {"type": "string", "enum": names, "description": "whose work it is"}
    words = {"type": "string", "description": "the matter, in full sentences"}
    matters = {"type": "array", "items": object_schema({"agent": agent, "request": words})}
    return answer_in("matters", object_schema({"matters": matters}), strict=True)
