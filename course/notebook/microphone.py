"""One's own microphone in a notebook: a call over the kernel's own connection.

No server and no port are needed, so it works on Binder too. The browser asks for the microphone
when one clicks; use headphones, or the agent may hear itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets
from livekit import rtc
from livekit.agents import Agent, AgentSession
from livekit.agents.voice import io
from livekit.agents.voice.transcription import TranscriptSynchronizer

from course.errors import CourseError
from course.observability.views import tree
from course.trace import Trace, span
from course.voice.line import Loudspeaker
from course.voice.sound import HEARING_RATE, Sound
from course.voice.spans import join_spans
from course.voice.terms import follow

PIECE_SECONDS = 0.06
GONE_SECONDS = 15.0
"""Without sound for so long the browser is gone, and the call ends."""
_CLOSING_SECONDS = 10.0
_TRACE_LINES = 40
_STATES = {
    "initializing": "○ the agent comes",
    "listening": "○ the agent listens",
    "thinking": "… the agent thinks",
    "speaking": "● the agent speaks",
}


class Telephone(anywidget.AnyWidget):
    """A button that calls an agent, what was said, and the trace of the call.

    Show it as the last line of a cell; it does not hold the notebook up.

    Args:
        make: makes a session and its agent for each call, such as
            `lambda: (AgentSession(llm=..., **spoken()), Desk())`.

    Attributes:
        calls: the traces of the calls so far.
    """

    _esm = Path(__file__).parent / "microphone.js"
    on = traitlets.Bool(False).tag(sync=True)
    state = traitlets.Unicode("Click to call, and speak.").tag(sync=True)
    lines: traitlets.List[list[str]] = traitlets.List().tag(sync=True)
    trace = traitlets.Unicode("").tag(sync=True)
    rate = traitlets.Int(HEARING_RATE).tag(sync=True)
    piece = traitlets.Int(int(PIECE_SECONDS * HEARING_RATE)).tag(sync=True)

    def __init__(self, make: Callable[[], tuple[AgentSession[Any], Agent]]) -> None:
        super().__init__()
        self.calls: list[Trace] = []
        self._make = make
        self._loop = asyncio.get_running_loop()
        self._call: asyncio.Task[None] | None = None
        self._ear = _Ear()
        self.on_msg(self._receive)

    def _receive(self, _widget: Any, message: dict[str, Any], buffers: Sequence[Any]) -> None:
        """What the browser sends; JupyterLab may hand it over in another thread."""
        sound = bytes(buffers[0]) if buffers else b""
        self._loop.call_soon_threadsafe(self._take, message.get("kind"), sound)

    def _take(self, kind: str | None, sound: bytes) -> None:
        if kind == "sound":
            self._ear.feed(sound)
        elif kind == "call" and self._call is None:
            self.on = True
            self._call = self._loop.create_task(self._hold())
        elif kind == "hang up":
            self._ear.stop()

    async def _hold(self) -> None:
        """One call, from the click to its end."""
        self._ear = _Ear()
        self.lines, self.trace, self.state = [], "", _STATES["initializing"]
        ending = "○ the call is over"
        try:
            session, agent = self._make()
            await self._talk(session, agent)
        except CourseError as error:
            ending = f"✗ {error}"
        except Exception as error:  # a call in a notebook has nobody else to tell
            ending = f"✗ the call failed: {error}"
        finally:
            self.on, self._call, self.state = False, None, ending

    async def _talk(self, session: AgentSession[Any], agent: Agent) -> None:
        join_spans()
        record = Trace(f"call with {agent.id}")
        self.calls.append(record)
        over = asyncio.Event()
        speaker = Loudspeaker(self._play, lambda: self.send({"kind": "hush"}), PIECE_SECONDS)
        synchronizer = TranscriptSynchronizer(
            next_in_chain_audio=speaker, next_in_chain_text=_Lines(self._add)
        )
        session.input.audio = self._ear
        session.output.audio = synchronizer.audio_output
        session.output.transcription = synchronizer.text_output
        session.on("agent_state_changed", lambda event: self._now(event.new_state, record))
        session.on("user_state_changed", lambda event: self._you(event.new_state, session))
        session.on("user_input_transcribed", lambda event: self._add("you", event.transcript))
        session.on("close", lambda event: over.set())
        follow(session)
        with record.record(), span("invoke_workflow", agent.id):
            try:
                await session.start(agent, record=False)
                ended = (over.wait(), self._ear.over.wait())
                waits = [asyncio.create_task(each) for each in ended]
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                for each in waits:
                    each.cancel()
            finally:
                async with asyncio.timeout(_CLOSING_SECONDS):
                    await session.aclose()
                    await synchronizer.aclose()
        self._draw(record)

    def _play(self, piece: Sound) -> None:
        self.send({"kind": "play"}, [piece.samples.tobytes()])

    def _add(self, who: str, words: str, *, more: bool = False) -> None:
        """A line of the transcript; `more` goes on with the last one, if it is that speaker's."""
        lines = [list(each) for each in self.lines]
        if more and lines and lines[-1][0] == who:
            lines[-1][1] += words
        elif words.strip():
            lines.append([who, words])
        self.lines = lines

    def _now(self, state: str, record: Trace) -> None:
        self.state = _STATES.get(state, state)
        self._draw(record)

    def _you(self, state: str, session: AgentSession[Any]) -> None:
        speaks = state == "speaking"
        self.state = "● you speak" if speaks else _STATES.get(session.agent_state, "")

    def _draw(self, record: Trace) -> None:
        self.trace = "\n".join(tree(record).splitlines()[-_TRACE_LINES:])


class _Ear(io.AudioInput):
    """What the browser's microphone hears, as it arrives."""

    def __init__(self) -> None:
        super().__init__(label="browser")
        self.over = asyncio.Event()
        self._pieces: asyncio.Queue[bytes] = asyncio.Queue()

    def feed(self, sound: bytes) -> None:
        """A piece of 16-bit samples at `HEARING_RATE`."""
        self._pieces.put_nowait(sound[: len(sound) // 2 * 2])

    def stop(self) -> None:
        """Nothing more comes."""
        self.over.set()

    async def __anext__(self) -> rtc.AudioFrame:
        try:
            piece = await asyncio.wait_for(self._pieces.get(), GONE_SECONDS)
        except TimeoutError:
            self.stop()
            raise StopAsyncIteration from None
        samples = np.frombuffer(piece, np.int16)
        return Sound(samples, HEARING_RATE).frame()


class _Lines(io.TextOutput):
    """The agent's words as they are heard, a line for each reply."""

    def __init__(self, add: Callable[..., None]) -> None:
        super().__init__(label="lines", next_in_chain=None)
        self._add = add
        self._begun = False

    async def capture_text(self, text: str) -> None:
        self._add("agent", text, more=self._begun)
        self._begun = True

    def flush(self) -> None:
        self._begun = False
