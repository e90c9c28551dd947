"""A real room: an agent that waits for calls at a LiveKit server, and a caller who calls there.

The same lines work against a server on this machine (`course.voice.server`) and against any other,
LiveKit Cloud included: only the `Access` differs.

Source: LiveKit Agents 1.8.9 (worker, dispatch), livekit rtc 1.1 (the caller's end).
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from inspect import isawaitable
from typing import Any

import aiohttp
from IPython.display import HTML
from livekit import api, rtc
from livekit.agents import (
    Agent,
    AgentServer,
    AgentSession,
    JobContext,
    JobExecutorType,
    room_io,
    utils,
)
from livekit.rtc.jupyter import room_html

from course.addresses import shown
from course.errors import ConfigurationError
from course.voice.call import (
    LONGEST_SECONDS,
    PATIENCE_SECONDS,
    CallerLine,
    SpokenCall,
    SpokenCaller,
    conduct,
)
from course.voice.line import STEP_SECONDS
from course.voice.listening import CALLER, listen_in
from course.voice.observed import Observer
from course.voice.server import Access
from course.voice.sound import HEARING_RATE, of_frames
from course.voice.systems import Copilot
from course.voice.terms import follow

AGENT = "switchboard"
_COMES_SECONDS = 20.0
_LEAVES_SECONDS = 35.0
_GREETS_SECONDS = 3.0
_QUIET_SECONDS = 0.5
_REGISTERS_SECONDS = 20.0
_STATE = "lk.agent.state"
_TRANSCRIPTION = "lk.transcription"
_TOKEN_MINUTES = 30
_TOKEN = re.compile(r"eyJ[\w.-]+")
_LOGIN = re.compile(r"(?<=://)[^/\s]*@")

Answering = Callable[[JobContext], tuple[AgentSession[Any], Agent]]
"""Makes a session and its agent for one call, in the thread that will hold it.

Load the recogniser before, by `course.voice.hearing.recogniser()`: a caller would wait for it.
"""

Entrypoint = Callable[[JobContext], Awaitable[None]]
"""What a program that is written for LiveKit gives its worker: it begins a session itself."""


def token(access: Access, room: str, identity: str, *, agent: str = "") -> str:
    """What lets one person into one room, for half an hour.

    Args:
        access: whose server it is.
        room: is made when the first one joins.
        identity: who they are there.
        agent: the name under which agents wait who shall be called into the room; "" for none.
    """
    made = (
        api.AccessToken(access.key, access.secret)
        .with_identity(identity)
        .with_ttl(timedelta(minutes=_TOKEN_MINUTES))
        .with_grants(api.VideoGrants(room_join=True, room=room))
    )
    if agent:
        dispatch = api.RoomAgentDispatch(agent_name=agent)
        made = made.with_room_config(api.RoomConfiguration(agents=[dispatch]))
    return made.to_jwt()


def page(access: Access, *, agent: str = AGENT, room: str = "") -> HTML:
    """LiveKit's own page for a room, to be shown in a notebook whose browser reaches the server.

    It joins by itself, as "you"; its microphone is off until one clicks on it. There is a token in
    it, for this room and half an hour: do not keep the cell's output.

    Args:
        access: the server the agent waits at.
        agent: the name under which it waits.
        room: the room's name; a new one without it.
    """
    there = token(access, room or utils.shortuuid("call-"), "you", agent=agent)
    return room_html(access.url, there, width="100%", height="110px")


async def reachable(access: Access) -> None:
    """Ask the server whether it is there and lets us in.

    Raises ConfigurationError: it is not, or the key or the secret is wrong.
    """
    timeout = aiohttp.ClientTimeout(total=_REGISTERS_SECONDS)
    try:
        async with api.LiveKitAPI(access.http, access.key, access.secret, timeout=timeout) as asked:
            await asked.room.list_rooms(api.ListRoomsRequest())
    except api.TwirpError as error:
        raise ConfigurationError(
            f"{shown(access.url)} refuses the key or its secret ({error.code}): check"
            " LIVEKIT_API_KEY and LIVEKIT_API_SECRET"
        ) from None
    except (aiohttp.ClientError, OSError, TimeoutError):
        raise ConfigurationError(
            f"no LiveKit server answers at {shown(access.url)}: check LIVEKIT_URL, or start one"
        ) from None


@asynccontextmanager
async def answering(
    access: Access, make: Answering | Entrypoint, *, name: str = AGENT, load: float = 0.0
) -> AsyncIterator[None]:
    """Let an agent wait for calls within the block; each call has a session and thread of its own.

    A `Copilot` does not answer: it listens in (`course.voice.listening`).

    The worker does not report its machine's load: from 0.7 on a server sends it no callers, who
    would wait in an empty room for ever.

    Args:
        access: the server it waits at.
        make: what answers a call, or the entrypoint of a program that is written for LiveKit.
        name: what calls ask for.
        load: what it reports instead, from 0 to 1.

    Raises ConfigurationError: the server cannot be reached, or refuses the key.
    """
    await reachable(access)
    worker = AgentServer(
        ws_url=access.url, api_key=access.key, api_secret=access.secret, host="127.0.0.1", port=0,
        job_executor_type=JobExecutorType.THREAD, num_idle_processes=1, max_retry=2,
        load_fnc=lambda *_: load, initialize_process_timeout=60.0, shutdown_process_timeout=5.0,
        session_end_timeout=5.0, log_level="ERROR",
    )  # fmt: skip

    async def call(job: JobContext) -> None:
        made = make(job)
        if isawaitable(made):  # an entrypoint begins its session itself
            await made
            return
        session, agent = made
        if isinstance(agent, Copilot):
            await listen_in(job.room, session, agent)
            return
        follow(session)
        options = room_io.RoomOptions(delete_room_on_close=True)
        with Observer(session, agent.id).run.active():
            await session.start(agent, room=job.room, room_options=options, record=False)

    worker.rtc_session(call, agent_name=name)
    registered = asyncio.Event()
    worker.on("worker_registered", lambda *_: registered.set())
    running = asyncio.create_task(worker.run(devmode=True))
    waiting = asyncio.create_task(registered.wait())
    try:
        await asyncio.wait(
            (running, waiting), timeout=_REGISTERS_SECONDS, return_when=asyncio.FIRST_COMPLETED
        )
        if not registered.is_set():
            raise ConfigurationError(f"no agent could be registered at {shown(access.url)}")
        yield
    finally:
        waiting.cancel()
        running.cancel()
        await asyncio.gather(waiting, running, return_exceptions=True)
        with suppress(Exception):  # a server that is gone cannot be told that we leave
            await worker.aclose()


async def call_room(
    access: Access,
    caller: SpokenCaller,
    *,
    agent: str = AGENT,
    room: str = "",
    seconds: float = LONGEST_SECONDS,
    patience: float = PATIENCE_SECONDS,
) -> SpokenCall:
    """Call an agent in a room of its own, and record what the caller hears.

    Args:
        access: the server the agent waits at.
        caller: who calls.
        agent: the name under which it waits.
        room: the room's name; a new one without it.
        seconds: the longest the call may take.
        patience: how long the caller waits for an answer before they give up (seconds).
    """
    line = RoomLine(agent)
    name = room or utils.shortuuid("call-")
    joining = line.connect(access.url, token(access, name, CALLER, agent=agent))
    return await conduct(line, joining, caller, seconds=seconds, patience=patience)


async def arrival(
    access: Access, *, agent: str = AGENT, seconds: float = _COMES_SECONDS
) -> float | None:
    """Call an agent, and hang up as soon as it is there.

    Args:
        access: the server it waits at.
        agent: the name under which it waits.
        seconds: the longest wait.

    Returns:
        Seconds until it was in the room; None if it did not come.
    """
    line, begin = RoomLine(agent), time.monotonic()
    try:
        async with asyncio.timeout(seconds):
            there = token(access, utils.shortuuid("call-"), CALLER, agent=agent)
            await line.connect(access.url, there)
        return None if line.closed else time.monotonic() - begin
    except TimeoutError:
        return None
    finally:
        await line.hang_up()


class RoomLine(CallerLine):
    """The caller's end of a call in a room.

    Attributes:
        first_audio: seconds from joining until something was heard; None when nothing was.
        transport: how sound travels: "udp" or "tcp"; None before it does.
    """

    def __init__(self, agent: str) -> None:
        super().__init__()
        self.room = rtc.Room()
        self.first_audio: float | None = None
        self.transport: str | None = None
        self._agent = agent
        self._tasks: set[asyncio.Task[None]] = set()
        self._source = rtc.AudioSource(HEARING_RATE, 1, queue_size_ms=100)
        self._gone = asyncio.Event()

    async def connect(self, url: str, token: str) -> None:
        """Join the room, open the microphone, and wait for the agent to come."""
        room = self.room
        room.on("track_subscribed", lambda track, *_: self._listen(track))
        room.on("participant_attributes_changed", lambda *_: self._changed.set())
        room.on("participant_connected", lambda *_: self._changed.set())
        room.on("participant_disconnected", lambda *_: self._over("the agent hung up"))
        room.on("reconnecting", lambda *_: self._over("the connection to the server was lost"))
        room.on("disconnected", lambda *_: self._left())
        room.register_text_stream_handler(_TRANSCRIPTION, self._text)
        self._begin = time.time()
        try:
            await room.connect(url, token)
        except rtc.ConnectError as error:
            self._gone.set()
            reason = _LOGIN.sub("", _TOKEN.sub("(a token)", str(error).splitlines()[0]))
            self._over(f"the server lets nobody in: {reason}")
            return
        track = rtc.LocalAudioTrack.create_audio_track("microphone", self._source)
        options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE)
        await room.local_participant.publish_track(track, options)
        self._do(self._speak())
        if not await self._until(lambda: self._state() is not None, _COMES_SECONDS):
            self._over(f"no agent came: does one wait under the name '{self._agent}'?")

    async def settled(self) -> None:
        """Until the agent listens and what it said has been heard, or the call is over."""
        if self.first_audio is None:  # whoever is called speaks first, mostly
            await self._until(lambda: self.first_audio is not None, _GREETS_SECONDS)
        while not self.closed:
            await self._until(lambda: self._state() == "listening", LONGEST_SECONDS)
            self._changed.clear()
            since = time.time() - self._last_sound
            await self._until(self._changed.is_set, max(0.1, _QUIET_SECONDS - since))
            if not self._changed.is_set() and time.time() - self._last_sound >= _QUIET_SECONDS:
                return

    async def hang_up(self) -> None:
        """Leave the room. A connection that is being mended is waited for: it must not be cut."""
        if not self._gone.is_set() and self.room.isconnected():
            await self._note_transport()
        lost = self.room.connection_state == rtc.ConnectionState.CONN_RECONNECTING
        if not self._gone.is_set() and lost:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._gone.wait(), _LEAVES_SECONDS)
        elif not self._gone.is_set():
            await self.room.disconnect()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._source.aclose()

    def _state(self) -> str | None:
        """What the agent does: "initializing", "listening", "thinking" or "speaking"."""
        states = (each.attributes.get(_STATE) for each in self.room.remote_participants.values())
        return next((state for state in states if state), None)

    def _do(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _speak(self) -> None:
        async for frame in self.microphone:
            await self._source.capture_frame(frame)

    def _listen(self, track: rtc.Track) -> None:
        if track.kind == rtc.TrackKind.KIND_AUDIO:
            self._do(self._hear_all(track))

    async def _hear_all(self, track: rtc.Track) -> None:
        stream = rtc.AudioStream.from_track(
            track=track, sample_rate=HEARING_RATE, num_channels=1,
            frame_size_ms=int(1000 * STEP_SECONDS),
        )  # fmt: skip
        try:
            async for event in stream:
                piece = of_frames(event.frame)
                if piece.trimmed().seconds:
                    if self.first_audio is None:
                        self.first_audio = time.time() - self._begin
                    self.hear(piece)
        finally:
            await stream.aclose()

    def _text(self, reader: rtc.TextStreamReader, speaker: str) -> None:
        self._do(self._read(reader, speaker))

    async def _read(self, reader: rtc.TextStreamReader, speaker: str) -> None:
        """What was said, as the server hands it round: the caller's words and the agent's."""
        of_caller = speaker == self.room.local_participant.identity
        final = (reader.info.attributes or {}).get("lk.transcription_final") == "true"
        said = ""
        async for piece in reader:
            said += piece
            if not of_caller:
                self._words.append(piece)
        if of_caller and final:
            self.understood(said)
        elif not of_caller:
            self._words.append(" ")

    async def _note_transport(self) -> None:
        with suppress(Exception):  # only for the record
            stats = await self.room.get_rtc_stats()
            every = (*stats.publisher_stats, *stats.subscriber_stats)
            pairs = [each.candidate_pair.candidate_pair for each in every]
            chosen = {each.local_candidate_id for each in pairs if each.nominated}
            for each in every:
                if each.local_candidate.rtc.id in chosen and each.HasField("local_candidate"):
                    self.transport = each.local_candidate.candidate.protocol

    def _over(self, why: str) -> None:
        self.closed = self.closed or why
        self._changed.set()

    def _left(self) -> None:
        self._gone.set()
        self._over("the server ended the call")


class _HideTokens(logging.Filter):
    """Keeps tokens out of logs: the client logs what a server refuses, word for word."""

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        if _TOKEN.search(said):
            record.msg, record.args = _TOKEN.sub("(a token)", said), ()
        return True


for _name in ("livekit", "livekit.agents"):
    logging.getLogger(_name).addFilter(_HideTokens())
