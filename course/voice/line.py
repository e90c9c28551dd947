"""The line of a call that needs no sound card: a microphone one speaks into, and a loudspeaker.

Both keep the pace of a real device, 20 ms at a time, because voice detection, turn taking and
interruptions are about time.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

import numpy as np
from livekit import rtc
from livekit.agents.voice import io

from course.voice.sound import HEARING_RATE, Sound
from course.voice.speaking import SPEAKING_RATE

STEP_SECONDS = 0.02


class Microphone(io.AudioInput):
    """What a session listens to: silence, and what is said into it."""

    def __init__(self) -> None:
        super().__init__(label="microphone")
        self._size = int(STEP_SECONDS * HEARING_RATE)
        self._waiting: deque[tuple[rtc.AudioFrame, asyncio.Future[float] | None]] = deque()
        self._silent = rtc.AudioFrame(bytes(2 * self._size), HEARING_RATE, 1, self._size)
        self._due: float | None = None

    async def say(self, said: Sound) -> float:
        """Say something; returns, when it has been said, the time of its end (`time.time()`)."""
        over: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        samples = said.at(HEARING_RATE).samples
        padded = np.pad(samples, (0, -len(samples) % self._size))
        pieces = padded.reshape(-1, self._size)
        for place, piece in enumerate(pieces, start=1):
            frame = rtc.AudioFrame(piece.tobytes(), HEARING_RATE, 1, self._size)
            self._waiting.append((frame, over if place == len(pieces) else None))
        if len(pieces) == 0:
            over.set_result(time.time())
        return await over

    async def __anext__(self) -> rtc.AudioFrame:
        now = asyncio.get_running_loop().time()
        self._due = now if self._due is None else self._due + STEP_SECONDS
        await asyncio.sleep(max(0.0, self._due - now))
        if not self._waiting:
            return self._silent
        frame, over = self._waiting.popleft()
        if over is not None and not over.done():
            over.set_result(time.time())
        return frame


class Loudspeaker(io.AudioOutput):
    """What a session speaks through. A reply is over when it has been heard, not when it is made.

    Args:
        hear: gets each piece of sound as it is heard: 16-bit samples at `SPEAKING_RATE`.
        hush: is called when what is being said is cut off.
        step: how much is heard at a time (seconds).
    """

    def __init__(
        self,
        hear: Callable[[Sound], None],
        hush: Callable[[], None] = lambda: None,
        step: float = STEP_SECONDS,
    ) -> None:
        super().__init__(
            label="loudspeaker",
            capabilities=io.AudioOutputCapabilities(pause=True),
            sample_rate=SPEAKING_RATE,
        )
        self._hear, self._hush, self._step = hear, hush, step
        self._waiting = np.zeros(0, np.int16)
        self._played = 0.0
        self._ended = False
        self._going = asyncio.Event()
        self._going.set()
        self._playing: asyncio.Task[None] | None = None

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        """Take a piece of a reply, much faster than it is heard."""
        if self._ended and self._playing is not None:  # the reply before is still being heard
            await asyncio.wait([self._playing])
        await super().capture_frame(frame)
        self._waiting = np.concatenate([self._waiting, np.frombuffer(frame.data, np.int16)])
        if self._playing is None:
            self._playing = asyncio.create_task(self._play())

    def flush(self) -> None:
        """That was the whole reply."""
        super().flush()
        self._ended = self._playing is not None

    def clear_buffer(self) -> None:
        """Be silent at once."""
        if self._playing is not None:
            self._playing.cancel()
            self._hush()
            self._over(interrupted=True)

    def pause(self) -> None:
        """Hold on: somebody may be interrupting."""
        super().pause()
        self._going.clear()

    def resume(self) -> None:
        """Go on where it was."""
        super().resume()
        self._going.set()

    async def _play(self) -> None:
        loop = asyncio.get_running_loop()
        size, due = int(self._step * SPEAKING_RATE), loop.time()
        while len(self._waiting) or not self._ended:
            if not self._going.is_set():
                await self._going.wait()
                due = loop.time()
            piece, self._waiting = self._waiting[:size], self._waiting[size:]
            if len(piece):
                if not self._played:
                    self.on_playback_started(created_at=time.time())
                self._hear(Sound(piece, SPEAKING_RATE))
                self._played += len(piece) / SPEAKING_RATE
            due = max(due + self._step, loop.time() - self._step)
            await asyncio.sleep(max(0.0, due - loop.time()))
        self._over(interrupted=False)

    def _over(self, *, interrupted: bool) -> None:
        played, self._played = self._played, 0.0
        self._waiting, self._ended, self._playing = self._waiting[:0], False, None
        self._going.set()
        self.on_playback_finished(playback_position=played, interrupted=interrupted)
