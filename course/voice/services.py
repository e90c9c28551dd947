"""Specialists as services: each its own worker, perhaps on another machine, called into a room.

The supervisor has the call. What it delegates goes by LiveKit's RPC to the service, which joins the
room without ears and voice, works with a system of the course, and reports back: the caller hears
the supervisor alone.

Source: LiveKit Agents 1.8.9, explicit dispatch; livekit rtc 1.1, RPC.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated, Any

from livekit import api, rtc
from livekit.agents import JobContext, get_job_context
from pydantic import Field

from course.errors import CourseError, ToolError
from course.models.wire import AsyncOpenAI
from course.runner import run
from course.tools import Tool, tool
from course.voice.server import Access

DELEGATE = "switchboard.delegate"
"""The method that a service answers: its payload is the task, its answer the result, as text."""
SERVICE = "switchboard.service"
"""The attribute that tells which service a participant is."""

COMES_SECONDS = 20.0
WORKS_SECONDS = 60.0
LONGEST = 4_000
"""Characters of a result that travel: an RPC carries 15 KiB."""

_REFUSED = rtc.RpcError.ErrorCode.APPLICATION_ERROR


def service(
    name: str, system: Callable[[], Any], *, client: Callable[[], AsyncOpenAI]
) -> Callable[[JobContext], Awaitable[None]]:
    """What a specialist's worker does with each call: `answering(access, service(...), name=name)`.

    It works for agents in the room alone: a caller cannot go past the supervisor.

    Args:
        name: under which it waits.
        system: makes what works, anything that `course.run` takes; for each room a new one.
        client: makes what answers for it, in the thread that holds the call.
    """

    async def entrypoint(job: JobContext) -> None:
        works, answers = system(), client()

        async def delegate(asked: rtc.RpcInvocationData) -> str:
            others = job.room.remote_participants.values()
            kinds = [each.kind for each in others if each.identity == asked.caller_identity]
            if kinds != [rtc.ParticipantKind.PARTICIPANT_KIND_AGENT]:
                raise rtc.RpcError(_REFUSED, "only an agent in the room delegates")
            try:
                result = await run(works, asked.payload, client=answers)
            except CourseError as error:
                raise rtc.RpcError(_REFUSED, str(error)) from error
            return str(result.answer)[:LONGEST]

        await job.connect()
        here = job.room.local_participant
        here.register_rpc_method(DELEGATE, delegate)
        await here.set_attributes({SERVICE: name})  # from here on it can be asked

    return entrypoint


def ask_service(access: Access, name: str, description: str) -> Tool:
    """A tool with which who has the call delegates to a service, and gets its result.

    At first use in a room it calls the service there. A service that does not come, does not answer
    in time or fails is an error that the model reads.

    Args:
        access: the server that both wait at.
        name: of the service; the tool is called `ask_` and the name.
        description: what it does, for the supervisor's model.
    """

    @tool(name=f"ask_{name}", timeout=COMES_SECONDS + WORKS_SECONDS)
    async def ask(
        task: Annotated[str, Field(description="what to do, whole: the service hears no caller")],
    ) -> str:
        """Delegate."""
        room = get_job_context().room
        there = _there(room, name) or await _called(access, room, name)
        try:
            return await room.local_participant.perform_rpc(
                destination_identity=there, method=DELEGATE, payload=task,
                response_timeout=WORKS_SECONDS,
            )  # fmt: skip
        except rtc.RpcError as error:
            raise ToolError(f"{name} could not do it: {error.message}") from error

    return replace(ask, description=description)


def _there(room: rtc.Room, name: str) -> str:
    """The identity of a service that is in the room; "" where it is not."""
    others = room.remote_participants.values()
    return next((each.identity for each in others if each.attributes.get(SERVICE) == name), "")


async def _called(access: Access, room: rtc.Room, name: str) -> str:
    """Call a service into the room, and wait until it is there."""
    came = asyncio.Event()

    def look(*_: object) -> None:
        if _there(room, name):
            came.set()

    room.on("participant_attributes_changed", look)
    room.on("participant_connected", look)
    try:
        async with (
            asyncio.timeout(COMES_SECONDS),
            api.LiveKitAPI(access.http, access.key, access.secret) as asked,
        ):
            wanted = api.CreateAgentDispatchRequest(agent_name=name, room=room.name)
            await asked.agent_dispatch.create_dispatch(wanted)
            look()
            await came.wait()
    except TimeoutError:
        raise ToolError(f"{name} did not come within {COMES_SECONDS:g} s") from None
    except api.TwirpError as error:
        raise ToolError(f"{name} cannot be called: {error.code}") from error
    finally:
        room.off("participant_attributes_changed", look)
        room.off("participant_connected", look)
    return _there(room, name)
