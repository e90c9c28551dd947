"""The front door: `run` lets any system of the course answer a request.

`stream` does the same event by event, and `run_sync` serves a plain script or a notebook cell.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator, Callable
from functools import partial
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from course import clock
from course.agent import Agent, works_alone
from course.context import Context, condensed
from course.errors import ConfigurationError, CourseError, ModelError
from course.events import PERSON, Event, Finished, Said
from course.limits import since
from course.models.connect import default_client
from course.models.line import guarded
from course.models.wire import AsyncOpenAI
from course.runs import Run, current_run, emit, note
from course.systems import carrier_of, carry_out, measured
from course.trace import Trace, current, span

if TYPE_CHECKING:
    from course.models.profile import Profile
    from course.session import Session


async def run(
    system: Any,
    request: Any = None,
    *,
    client: AsyncOpenAI | None = None,
    session: Session | None = None,
    trace: Trace | None = None,
    on_event: Callable[[Event], None] | None = None,
    on_text: Callable[[str], None] | None = None,
    run_id: str | None = None,
    max_exchanges: int | None = None,
    **options: Any,
) -> Any:
    """Let a system answer a request.

    Args:
        system: an agent, pipeline, router, team, supervisor, typed task, or a pattern of your own
            (`course.systems.carry_out`). An agent whose handoffs name agents runs as their team.
        request: a text; for an agent or a supervisor also a conversation (`Context`) that ends with
            it, for a pipeline the fields of its start. A typed task needs none.
        client: as made by `connect`; without one, the process's default client: the simulated
            model, unless COURSE_BACKEND says "endpoint".
        session: the conversation so far, for a team; it is changed in place.
        trace: record into this one; without it, into the current one or a new one.
        on_event: gets every event as it happens; it must not take long.
        on_text: gets text for the person as it is written.
        run_id: names the run, for the simulated model's draws (another name, another luck) and in a
            store. "run" if left out; inside another run, that one's.
        max_exchanges: things the person may have said in the conversation before its older part
            goes in as a summary (one more model call; the whole where that fails); None is no
            limit.
        options: what this system takes besides, such as `plan` and `store` of a PlanningSupervisor,
            `start` of a Pipeline, `person` of a Task.

    Gives the system's `Result`; a limit that is reached is one, not an error. Raises
    ConfigurationError: it is no system or client, or takes no such option; ModelError: the model
    cannot be used (`context` is the conversation so far); ValueError: the request is empty, or
    nothing that this system takes.
    """
    if isinstance(system, Agent) and system.handoffs:
        from course.team import team_of

        system = team_of(system)
    client = guarded(default_client() if client is None else client)
    given = {"session": session, "on_text": on_text}
    options |= {name: value for name, value in given.items() if value is not None}
    _refuse_unknown(system, options)
    if not isinstance(run_id, str | None):
        raise ConfigurationError(f"run_id is a text, not {run_id!r}: write run_id='{run_id}'")
    outer = current_run()
    here = Run(run_id or (outer.id if outer else "run"), on_event, outer=outer)
    if profile := getattr(client, "profile", None):
        _meet_faults(here, profile, getattr(client, "seed", 0))
    name = str(getattr(system, "name", type(system).__name__))
    said = _words(request)
    title = f"{name}: {shorten(said, 80, placeholder=' ...')}" if said else name
    seed = getattr(client, "seed", 0)
    trace = trace or current() or Trace(title, seed=seed, run_id=here.id)
    begin, place = clock.now(), trace.place
    note(Said(system=PERSON, words=said))
    with (
        trace.told(said) as answered,
        trace.record(),
        here.active(),
        _workflow(system, name),
    ):
        if max_exchanges is not None:
            shorter = partial(_shorter, client=client, most=max_exchanges, seconds=_half(system))
            request = await shorter(request)
            if session is not None:
                session.context = await shorter(session.context)
        with since(begin):
            try:
                result = await carry_out(system, request, client=client, **options)
            except CourseError as error:  # as `answer_of`, with a frame less below each call
                if error.ended is not system:
                    raise
                result = error.instead
        answered(str(getattr(result, "answer", "")))
        result = measured(result, trace.since(place), clock.now() - begin)
        if outer is None or on_event is not None:
            emit(Finished(system=name, result=result))
    return result


async def stream(system: Any, request: Any = None, **more: Any) -> AsyncIterator[Event]:
    """Run as `run` does (`more`) and give every event as it happens; the last one is `Finished`.

    Whoever stops reading early cancels the run: with `contextlib.aclosing` before the block is
    left, else a moment later. An error of the run is raised at its end.
    """
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    running = asyncio.ensure_future(run(system, request, on_event=events.put_nowait, **more))
    running.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            yield event
        await running  # an error of the run is the reader's
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await running


def run_sync(
    system: Any,
    request: Any = None,
    *,
    client: AsyncOpenAI | None = None,
    speed: float | None = None,
    **more: Any,
) -> Any:
    """Run as `run` does (`more`), from code that is not asynchronous.

    `speed` is loop seconds per real second: None jumps over all waiting, and is real time where the
    client reaches a service over the network.
    """
    client = guarded(default_client() if client is None else client)
    if speed is None and getattr(client, "real_time", True):
        speed = 1
    return clock.simulate(run(system, request, client=client, **more), speed=speed)


async def _shorter(said: Any, *, client: AsyncOpenAI, most: int, seconds: float | None) -> Any:
    """A conversation, its older part summarised where it is too long; all else as it is."""
    if not isinstance(said, Context):
        return said
    try:
        async with asyncio.timeout(seconds):
            return await condensed(said, client, max_exchanges=most)
    except (ModelError, TimeoutError):
        return said


def _half(system: Any) -> float | None:
    """Half of a system's seconds, which is as long as summaries of what was said may take."""
    limits = getattr(system, "limits", None) or getattr(system, "guards", None)
    seconds = getattr(limits, "max_seconds", None)
    return None if seconds is None else seconds / 2


def _meet_faults(run: Run, profile: Profile, seed: int) -> None:
    """Let a run's tools and moves go wrong as a profile says; not a second time inside another."""
    from course.models.move_faults import MoveFaults
    from course.models.tool_faults import ToolFaults

    if profile.tool_failures is not None and run.tool_faults is None:
        run.tool_faults = ToolFaults(profile.tool_failures, seed=seed, run=run.id)
    if profile.move_failures and run.move_faults is None:
        run.move_faults = MoveFaults(profile.move_failures, seed=seed, run=run.id)


def _workflow(system: Any, name: str) -> contextlib.AbstractContextManager[Any]:
    """A step around an agent that leads others; what is no agent makes one of its own."""
    if not isinstance(system, Agent) or works_alone(system):
        return contextlib.nullcontext()
    return span("invoke_workflow", name, {"gen_ai.workflow.name": name})


def _refuse_unknown(system: Any, options: dict[str, Any]) -> None:
    carrier = carrier_of(type(system))
    takes = inspect.signature(carrier).parameters.values() if carrier and options else ()
    known = [p.name for p in takes if p.kind is p.KEYWORD_ONLY and p.name != "client"]
    strange = [name for name in options if name not in known]
    if takes and strange and not any(p.kind is p.VAR_KEYWORD for p in takes):
        kind, others = type(system).__name__, ", ".join(known) or "none"
        raise ConfigurationError(f"'{strange[0]}' is no option of {kind}; its options: {others}")


def _words(request: Any) -> str:
    """What is asked, as text."""
    if isinstance(request, Context):
        request = request.messages[-1].get("content") if request.messages else ""
    return str(request or "")
