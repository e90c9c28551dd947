"""Speaking: text becomes sound on this machine, behind LiveKit's `tts.TTS`.

LiveKit cuts a reply at its sentences and asks for one after the other, so the first is heard while
the next is made. flite is a small program of a Debian package; piper sounds better, weighs more
and is under the GPL, so it is for who installs it.
"""

from __future__ import annotations

import asyncio
import importlib.util
import shutil
import tempfile
import unicodedata
from collections.abc import Awaitable
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from livekit.agents import APIConnectOptions, tts
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS
from livekit.agents.utils import shortuuid

from course.errors import ConfigurationError
from course.voice.sound import Sound

FLITE_VOICES = ("slt", "rms", "awb", "kal16", "kal")
SPEAKING_RATE = 16_000
"""Samples a second of every voice here."""
NO_VOICE = (
    "no voice here: flite is a Debian package (apt install flite), piper a Python one"
    " (pip install piper-tts, and a voice for it)"
)
_SLOWEST_SECONDS = 30.0


class Voice(Protocol):
    """Who says something."""

    @property
    def name(self) -> str:
        """The voice's name in metrics."""

    def say(self, text: str) -> Awaitable[Sound]:
        """A sentence as sound, at `SPEAKING_RATE`, without quiet around it."""


class Flite:
    """A voice of flite, which is started anew for each sentence and stopped when nobody waits.

    Args:
        name: slt (the clearest for a person), rms (the clearest for the recogniser), ...

    Raises ConfigurationError: flite is not installed, or has no such voice.
    """

    def __init__(self, name: str = "slt") -> None:
        if name not in FLITE_VOICES:
            raise ConfigurationError(f"flite has no voice '{name}': {', '.join(FLITE_VOICES)}")
        program = shutil.which("flite")
        if program is None:
            raise ConfigurationError(NO_VOICE)
        self._program, self._voice = program, name

    @property
    def name(self) -> str:
        """The voice's name in metrics."""
        return f"flite-{self._voice}"

    async def say(self, text: str) -> Sound:
        """A sentence as sound. Raises ConfigurationError when flite makes none of it."""
        plain = "".join(
            sign for sign in unicodedata.normalize("NFKD", text) if sign.isascii()
        ).strip()
        if not any(sign.isalnum() for sign in plain):
            return Sound(np.zeros(0, np.int16), SPEAKING_RATE)
        with tempfile.TemporaryDirectory() as place:
            target = Path(place) / "said.wav"
            process = await asyncio.create_subprocess_exec(
                self._program, "-voice", self._voice, "-t", plain, "-o", str(target),
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
            try:
                await asyncio.wait_for(process.wait(), _SLOWEST_SECONDS)
            finally:
                if process.returncode is None:  # whoever waited was interrupted
                    process.kill()
                    await process.wait()
            if process.returncode or not target.is_file():
                raise ConfigurationError(f"flite says nothing (exit {process.returncode}): {plain}")
            return Sound.load(target).at(SPEAKING_RATE).trimmed()


class Piper:
    """A voice of piper, if it is installed.

    Args:
        model: the voice's .onnx file, its .onnx.json beside it.

    Raises ConfigurationError: piper or the file is missing.
    """

    def __init__(self, model: str | Path) -> None:
        if importlib.util.find_spec("piper") is None:
            raise ConfigurationError(NO_VOICE)
        if not Path(model).is_file():
            raise ConfigurationError(f"no voice at {model}: piper wants a voice's .onnx file")
        from piper import PiperVoice

        self._model = Path(model)
        self._voice = PiperVoice.load(str(model))

    @property
    def name(self) -> str:
        """The voice's name in metrics."""
        return f"piper-{self._model.stem}"

    async def say(self, text: str) -> Sound:
        """A sentence as sound."""
        return await asyncio.to_thread(self._made, text)

    def _made(self, text: str) -> Sound:
        chunks = list(self._voice.synthesize(text))
        if not chunks:
            return Sound(np.zeros(0, np.int16), SPEAKING_RATE)
        samples = np.concatenate([np.frombuffer(c.audio_int16_bytes, np.int16) for c in chunks])
        return Sound(samples, chunks[0].sample_rate).at(SPEAKING_RATE).trimmed()


@cache
def default_voice() -> Voice:
    """flite's slt. Raises ConfigurationError, which says how to install it, where it is not."""
    return Flite()


class Speech(tts.TTS[Any]):
    """A voice as a LiveKit session uses it.

    Args:
        voice: None takes `default_voice`.
    """

    def __init__(self, voice: Voice | None = None) -> None:
        super().__init__(
            capabilities=tts.TTSCapabilities(streaming=False),
            sample_rate=SPEAKING_RATE,
            num_channels=1,
        )
        self.voice = voice or default_voice()

    @property
    def model(self) -> str:
        """The voice's name in metrics and spans."""
        return self.voice.name

    @property
    def provider(self) -> str:
        """Where it runs."""
        return "in-process"

    def synthesize(
        self, text: str, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS
    ) -> tts.ChunkedStream:
        """One sentence, as LiveKit asks for it."""
        return _Sentence(tts=self, input_text=text, conn_options=conn_options)


class _Sentence(tts.ChunkedStream):
    _tts: Speech

    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        said = await self._tts.voice.say(self.input_text)
        output_emitter.initialize(
            request_id=shortuuid(), sample_rate=said.rate, num_channels=1, mime_type="audio/pcm"
        )
        output_emitter.push(said.samples.tobytes())
        output_emitter.flush()
