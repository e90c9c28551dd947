"""Sound: what was said as samples, read from a WAV file and written to one.

Everything inside is mono, 16 bits a sample. A stereo WAV of a call has the caller on the left and
the agent on the right.
"""

from __future__ import annotations

import wave
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from livekit import rtc
from numpy.typing import NDArray

from course.errors import ConfigurationError, FileFormatError

Samples = NDArray[np.int16]
HEARING_RATE = 16_000
"""Samples a second that the voice detector and the recogniser work with."""
QUIET = 330
"""Below this a sample is no sound: one hundredth of full scale, -40 dB."""
_AUDIBLE_SECONDS = 0.02


@dataclass(frozen=True, eq=False)
class Sound:
    """Mono samples.

    Attributes:
        samples: 16-bit integers, shape (n,).
        rate: samples a second.
    """

    samples: Samples = field(repr=False)
    rate: int

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return len(self.samples) / self.rate

    @classmethod
    def load(cls, path: str | Path) -> Sound:
        """Read a WAV file of any rate, of one channel or several (they are mixed).

        Raises:
            FileFormatError: it is no WAV of 16-bit samples, or holds none at all.
            OSError: there is no such file.
        """
        try:
            with wave.open(str(path)) as file:
                rate, channels, width = (
                    file.getframerate(),
                    file.getnchannels(),
                    file.getsampwidth(),
                )
                raw = file.readframes(file.getnframes())
        except (wave.Error, EOFError) as error:
            raise FileFormatError(
                f"{path}: no WAV file ({str(error) or 'it is empty'}); save the recording as WAV"
            ) from None
        if width != 2:
            raise FileFormatError(f"{path}: {8 * width} bits a sample; save it as 16-bit PCM")
        if not raw:
            raise FileFormatError(f"{path}: 0 seconds of sound; record it again")
        mixed = np.frombuffer(raw, "<i2").reshape(-1, channels).mean(axis=1)
        return cls(mixed.astype(np.int16), rate)

    def save(self, path: str | Path) -> Path:
        """Write it as a WAV file and return where. Raises OSError when that fails."""
        return _write(path, self.samples.reshape(-1, 1), self.rate)

    def at(self, rate: int) -> Sound:
        """The same sound with so many samples a second."""
        if rate == self.rate:
            return self
        resampler = rtc.AudioResampler(self.rate, rate)
        frame = rtc.AudioFrame(self.samples.tobytes(), self.rate, 1, len(self.samples))
        frames = [*resampler.push(frame), *resampler.flush()]
        parts = [np.frombuffer(each.data, np.int16) for each in frames]
        return Sound(np.concatenate(parts) if parts else np.zeros(0, np.int16), rate)

    def trimmed(self, *, keep: float = 0.03) -> Sound:
        """Without the quiet before and after it, but for `keep` seconds; empty if all is quiet."""
        loud = np.flatnonzero(np.abs(self.samples.astype(np.int32)) > QUIET)
        if len(loud) == 0:
            return Sound(self.samples[:0], self.rate)
        margin = int(keep * self.rate)
        return Sound(self.samples[max(0, loud[0] - margin) : loud[-1] + 1 + margin], self.rate)

    def audible(self) -> bool:
        """Whether there is any sound in it, rather than silence or a click."""
        loud = np.count_nonzero(np.abs(self.samples.astype(np.int32)) > QUIET)
        return bool(loud > _AUDIBLE_SECONDS * self.rate)

    def frame(self) -> rtc.AudioFrame:
        """As LiveKit hands sound around."""
        return rtc.AudioFrame(self.samples.tobytes(), self.rate, 1, len(self.samples))

    def _repr_html_(self) -> str:
        from IPython.display import Audio

        return str(Audio(self.samples, rate=self.rate)._repr_html_())  # type: ignore[no-untyped-call]


def of_frames(frames: Iterable[rtc.AudioFrame] | rtc.AudioFrame) -> Sound:
    """What LiveKit hands around, as one sound; several channels are mixed.

    Raises ConfigurationError: there is no frame at all.
    """
    every = [frames] if isinstance(frames, rtc.AudioFrame) else list(frames)
    if not every:
        raise ConfigurationError("no audio frame: there is nothing to hear")
    parts: list[NDArray[Any]] = [
        np.frombuffer(each.data, np.int16).reshape(-1, each.num_channels).mean(axis=1)
        for each in every
    ]
    return Sound(np.concatenate(parts).astype(np.int16), every[0].sample_rate)


def silence(seconds: float, rate: int = HEARING_RATE) -> Sound:
    """Nothing, for so many seconds."""
    return Sound(np.zeros(int(seconds * rate), np.int16), rate)


def _write(path: str | Path, samples: Samples, rate: int) -> Path:
    target = Path(path)
    with wave.open(str(target), "wb") as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.astype("<i2").tobytes())
    return target


class Tape:
    """A stereo recording of a call: the caller on the left, the agent on the right.

    Args:
        rate: samples a second of what is written.
    """

    SIDES = ("caller", "agent")

    def __init__(self, rate: int = HEARING_RATE) -> None:
        self.rate = rate
        self._parts: list[tuple[int, float, Sound]] = []

    def add(self, side: str, start: float, sound: Sound) -> None:
        """Lay a piece of sound down `start` seconds after the call began. Silence need not be."""
        self._parts.append((self.SIDES.index(side), max(0.0, start), sound))

    def samples(self) -> Samples:
        """Everything so far, shape (n, 2)."""
        placed = [
            (side, round(start * self.rate), sound.at(self.rate).samples)
            for side, start, sound in self._merged()
        ]
        length = max((at + len(each) for _, at, each in placed), default=0)
        mixed = np.zeros((length, 2), np.int32)
        for side, at, each in placed:
            mixed[at : at + len(each), side] += each
        return np.clip(mixed, -32768, 32767).astype(np.int16)

    def save(self, path: str | Path) -> Path:
        """Write it as a stereo WAV file and return where. Raises OSError when that fails."""
        return _write(path, self.samples(), self.rate)

    def _merged(self) -> list[tuple[int, float, Sound]]:
        """Pieces that follow each other closely as one, so that resampling leaves no seams."""
        runs: list[tuple[int, float, list[Sound]]] = []
        for side, start, sound in sorted(self._parts, key=lambda part: part[:2]):
            if runs and runs[-1][0] == side and runs[-1][2][0].rate == sound.rate:
                end = runs[-1][1] + sum(each.seconds for each in runs[-1][2])
                if abs(start - end) < 0.1:
                    runs[-1][2].append(sound)
                    continue
            runs.append((side, start, [sound]))
        return [
            (side, start, Sound(np.concatenate([each.samples for each in parts]), parts[0].rate))
            for side, start, parts in runs
        ]

    def _repr_html_(self) -> str:
        from IPython.display import Audio

        return str(Audio(self.samples().T, rate=self.rate)._repr_html_())  # type: ignore[no-untyped-call]
