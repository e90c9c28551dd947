"""The clinic as a team: a reception that knows whom to ask, and colleagues who share what is known.

Whom a conversation is about is found out once and kept in the session's state, so that the next
specialist has not to ask for a name again.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import wraps
from typing import Any

from course.agent import Agent
from course.scenarios.front_desk import names
from course.scenarios.front_desk.desk import Desk
from course.scenarios.front_desk.specialists import specialists
from course.session import state
from course.tools import Tool, by_name

_INSTRUCTIONS = """\
You are the reception of {clinic}. Today is {today:%A}, {today}.
Answer what is asked about the house itself: opening hours, doctors, address.
Hand everything else over to the colleague whose work it is, and answer nothing in their place."""


def reception(desk: Desk) -> Agent:
    """Who is met first, the hub of the clinic: knows the house, and whom to hand a request to."""
    return Agent(
        name="reception",
        description="the house itself, and whatever is somebody else's work",
        instructions=_INSTRUCTIONS.format(clinic=names.CLINIC, today=desk.today),
        tools=(by_name(desk.tools)["get_clinic_information"],),
    )


def colleagues(desk: Desk) -> tuple[Agent, ...]:
    """The specialists, who keep the patient they found in the session's state as "patient"."""
    return tuple(
        replace(agent, tools=tuple(_known_to_all(tool) for tool in agent.tools))
        for agent in specialists(desk)
    )


def remembering(tool: Tool, key: str) -> Tool:
    """A tool that does the same, and keeps its result in the session's state under `key`.

    Args:
        tool: its function returns a JSON value.
        key: what the agents know it as.

    Used in chapter 03.
    """

    @wraps(tool.function)
    async def kept(**arguments: Any) -> Any:
        found = tool.function(**arguments)
        found = await found if inspect.isawaitable(found) else found
        state()[key] = found
        return found

    return replace(tool, function=kept)


def _known_to_all(tool: Tool) -> Tool:
    return remembering(tool, "patient") if tool.name == "find_patient" else tool
