"""The clinic as a team: a reception that knows whom to ask, and colleagues who share what is known.

Whom a conversation is about is found out once and kept in the session's state, so that the next
specialist has not to ask for a name again. Who is spoken of comes from the person's own words: the
colleagues' tools tell and change nothing about anybody else.
"""

from __future__ import annotations

import difflib
import inspect
import re
from dataclasses import replace
from functools import wraps
from typing import Any

from course.agent import Agent
from course.errors import ToolError
from course.scenarios.front_desk import names
from course.scenarios.front_desk.desk import Desk
from course.scenarios.front_desk.specialists import specialists
from course.session import heard, state
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
    """The specialists, who keep the patient they found in the session's state as "patient".

    They work in a session: each use of a tool is held against what the person said (`checked`).
    """
    return tuple(
        replace(agent, tools=tuple(_known_to_all(checked(tool, desk)) for tool in agent.tools))
        for agent in specialists(desk)
    )


_OWNERS = {
    "patient_id": "SELECT id FROM patients WHERE id = ?",
    "appointment_id": "SELECT patient_id AS id FROM appointments WHERE id = ?",
    "invoice_id": "SELECT patient_id AS id FROM invoices WHERE id = ?",
}


def checked(tool: Tool, desk: Desk) -> Tool:
    """A tool that does the same, but for nobody of whom the person did not speak.

    A full name in what was said last counts, or else in what was said before: of one patient, it is
    their id that is used. Where there is none, a look-up needs a name that was said, or one close
    to it, and all else the patient found by it.
    """

    @wraps(tool.function)
    async def asked(**arguments: Any) -> Any:
        meant = _spoken_of(desk)
        if len(meant) == 1 and "patient_id" in arguments:
            arguments |= {"patient_id": next(iter(meant))}  # whoever a model took for them
        for key, query in _OWNERS.items():
            rows = desk.rows(query, arguments[key]) if key in arguments else ()
            for row in rows:
                found = state().get("patient") or {}
                if row["id"] not in (meant or {found.get("patient_id")}):
                    whom = " or ".join(meant.values()) or "nobody yet: ask for the name"
                    raise ToolError(f"the request is about {whom}: look that patient up first")
        if tool.name == "find_patient" and not meant:
            _require_said(str(arguments.get("name")))
        came = tool.function(**arguments)
        came = await came if inspect.isawaitable(came) else came
        if tool.name == "find_patient" and meant and came["patient_id"] not in meant:
            raise ToolError(f"the request is about {' or '.join(meant.values())}: look that up")
        return came

    return replace(tool, function=asked)


def _spoken_of(desk: Desk) -> dict[str, str]:
    """The ids and names of the patients whom the person named last, by full names."""
    query = "SELECT id, first_name || ' ' || last_name AS name FROM patients"
    patients = {row["id"]: row["name"] for row in desk.rows(query)}
    for words in heard():
        said = {id: name for id, name in patients.items() if _named(name, words)}
        if said:
            return said
    return {}


def _named(name: str, words: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", words, re.IGNORECASE) is not None


def _require_said(name: str) -> None:
    said = re.findall(r"[^\W_]+", " ".join(heard()).lower())
    for word in re.findall(r"[^\W_]+", name.lower()):
        if not difflib.get_close_matches(word, said, n=1, cutoff=0.7):
            raise ToolError(f"nobody spoke of '{name}': ask who it is about")


def remembering(tool: Tool, key: str) -> Tool:
    """A tool that does the same, and keeps its result in the session's state under `key`.
    Used in chapter 03.

    Args:
        tool: its function returns a JSON value.
        key: what the agents know it as.
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
