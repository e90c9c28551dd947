"""Hearing: Whisper base on this machine, behind LiveKit's `stt.STT`.

An utterance is recognised when the voice detector says that it is over. The encoder gets a window
of ten seconds instead of thirty, a quarter of the work for the same words; what is longer is cut
where it is quietest. Words that are likely next, such as the values of the field that a task asks
for, go before the transcript as its prompt: they are LiveKit's keyterms.

Source: Radford et al. 2022, Robust Speech Recognition via Large-Scale Weak Supervision (Whisper),
for the log-mel features, the prompt and the thresholds for "nobody speaks".
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from livekit.agents import APIConnectOptions, LanguageCode, stt
from livekit.agents.types import NOT_GIVEN, NotGivenOr
from livekit.agents.utils import AudioBuffer
from numpy.typing import NDArray

from course.errors import ConfigurationError
from course.voice import sound, weights
from course.voice.sound import HEARING_RATE, Sound

if TYPE_CHECKING:
    from ctranslate2 import StorageView
    from ctranslate2.models import Whisper as Engine
    from tokenizers import Tokenizer

WINDOW_SECONDS = 10.0
MOST_PROMPT_TOKENS = 160
NOBODY_SPEAKS = 0.6
"""Past this probability of no speech, and below that mean log probability, nothing was said."""
UNLIKELY = -1.0
BEAM, LIKELY_BEAM = 2, 4
"""How many texts are weighed: first, and where a term may have been said. A term goes before the
first text."""
READINGS = 5
"""How many texts a sound is read as, once the likeliest was no answer."""
_FFT, _HOP, _BANDS = 400, 160, 80
_CUT_SECONDS = 2.5
_MOST_TOKENS = 96
_LONGER = re.compile(r"[\s\d]")  # than "No.", which may answer the same question twice
_TASK = "<|startoftranscript|><|en|><|transcribe|><|notimestamps|>"


class Whisper:
    """The recogniser: sound in, text out, one utterance at a time.

    Args:
        folder: of the weights; None takes those that `python -m course voice fetch` brought.
        threads: cores one utterance may use.

    Raises ConfigurationError: the weights or the packages of the extra `voice` are missing.
    """

    def __init__(self, folder: Path | None = None, *, threads: int = 2) -> None:
        where = folder or weights.installed()
        try:
            from ctranslate2.models import Whisper as Engine
            from tokenizers import Tokenizer
        except ModuleNotFoundError as error:
            raise ConfigurationError(
                f"no {error.name} here: pip install 'switchboard-course[voice]'"
            ) from None
        self._engine: Engine = Engine(
            str(where), device="cpu", compute_type="int8", intra_threads=threads
        )
        self._tokenizer: Tokenizer = Tokenizer.from_file(str(where / "tokenizer.json"))
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="whisper")

    async def transcribe(
        self, heard: Sound, *, terms: Iterable[str] = (), useless: Iterable[str] = ()
    ) -> str:
        """What was said; "" when nobody spoke. Does not hold up the loop while it works.

        Args:
            heard: of any rate.
            terms: words that are likely, the likeliest last.
            useless: what was heard before and was no answer, as `plain` text. Heard so again, the
                sound is read for the likeliest other text, with the terms and then without.
        """
        loop = asyncio.get_running_loop()
        work = partial(self.read, heard, tuple(terms), frozenset(useless))
        return await loop.run_in_executor(self._worker, work)

    def read(
        self, heard: Sound, terms: tuple[str, ...] = (), useless: frozenset[str] = frozenset()
    ) -> str:
        """Like `transcribe`, but now and here."""
        if not heard.audible():
            return ""
        samples = np.asarray(heard.at(HEARING_RATE).samples / 32768, dtype=np.float32)
        said = (self._window(piece, terms, useless) for piece in windows(samples))
        return " ".join(text for text in said if text)

    def _window(
        self, samples: NDArray[np.float32], terms: tuple[str, ...], useless: frozenset[str]
    ) -> str:
        from ctranslate2 import StorageView

        features = self._engine.encode(StorageView.from_array(log_mel(samples)[None]))
        known = {_plain(term) for term in terms}
        text = next(iter(self._texts(features, terms, BEAM)), "")
        if _plain(text) not in known and _as_short_as_one(text, known):
            likely = self._texts(features, terms, LIKELY_BEAM)
            text = next((each for each in likely if _plain(each) in known), text)
        if _plain(text) not in useless:
            return text
        others = (
            other for given in (terms, ()) for other in self._texts(features, given, READINGS)
        )
        return next((other for other in others if _plain(other) not in useless), text)

    def _texts(self, features: StorageView, terms: tuple[str, ...], count: int) -> list[str]:
        """The likeliest texts, the best first; nothing when nobody spoke."""
        task = self._tokenizer.encode(_TASK, add_special_tokens=False).ids
        [found] = self._engine.generate(
            features, [[*self._prompt(terms), *task]], beam_size=count,
            num_hypotheses=count, max_length=_MOST_TOKENS * 3, no_repeat_ngram_size=3,
            return_scores=True, return_no_speech_prob=True,
        )  # fmt: skip
        if found.no_speech_prob > NOBODY_SPEAKS and found.scores[0] < UNLIKELY:
            return []
        read = self._tokenizer.decode
        return [read(ids, skip_special_tokens=True).strip() for ids in found.sequences_ids]

    def _prompt(self, terms: tuple[str, ...]) -> list[int]:
        if not terms:
            return []
        before = self._tokenizer.encode("<|startofprev|>", add_special_tokens=False).ids
        words = self._tokenizer.encode(f" {', '.join(terms)}.", add_special_tokens=False).ids
        return [*before, *words[-MOST_PROMPT_TOKENS:]]


def _plain(text: str) -> str:
    """A text without what cannot be heard: case and signs."""
    return " ".join(re.findall(r"\w+", text.lower()))


def _as_short_as_one(text: str, known: set[str]) -> bool:
    """Whether a text has at most a word more than the longest term, and may be one misheard."""
    longest = max((len(each.split()) for each in known), default=0)
    return 0 < len(_plain(text).split()) <= longest + 1


def sentences(text: str) -> list[str]:
    """The sentences of a text, at least one."""
    return re.split(r"(?<=[.!?])\s+", text.strip())


@cache
def recogniser() -> Whisper:
    """The one recogniser of this process; calls share it. Raises ConfigurationError without it."""
    return Whisper()


def windows(samples: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    """Pieces of at most ten seconds, cut where the last seconds of each are quietest."""
    longest, search = int(WINDOW_SECONDS * HEARING_RATE), int(_CUT_SECONDS * HEARING_RATE)
    while len(samples) > longest:
        tail = np.abs(samples[longest - search : longest])
        loudness = tail[: len(tail) // _HOP * _HOP].reshape(-1, _HOP).mean(axis=1)
        smooth = np.convolve(loudness, np.ones(20) / 20, mode="same")
        cut = longest - search + int(np.argmin(smooth)) * _HOP
        yield samples[:cut]
        samples = samples[cut:]
    yield samples


def log_mel(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """Whisper's features of one window: 80 mel bands, one column each 10 ms, shape (80, 1000)."""
    wanted = int(WINDOW_SECONDS * HEARING_RATE)
    padded = np.zeros(wanted, np.float32)
    padded[: min(len(samples), wanted)] = samples[:wanted]
    padded = np.pad(padded, _FFT // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, _FFT)[::_HOP][:-1]
    hann = np.hanning(_FFT + 1)[:-1].astype(np.float32)
    power = np.abs(np.fft.rfft(frames * hann, axis=1)).astype(np.float32) ** 2
    mel = np.log10(np.maximum(_mel_bands() @ power.T, 1e-10))
    mel = np.maximum(mel, mel.max() - 8.0)
    return np.ascontiguousarray((mel + 4.0) / 4.0, dtype=np.float32)


@cache
def _mel_bands() -> NDArray[np.float32]:
    """80 overlapping triangles on Slaney's mel scale, each of area one, shape (80, 201)."""
    linear_mel, linear_hertz = 200.0 / 3, 1000.0
    step = np.log(6.4) / 27

    def hertz(mel: NDArray[Any]) -> NDArray[Any]:
        knee = linear_hertz / linear_mel
        return np.where(mel < knee, mel * linear_mel, linear_hertz * np.exp(step * (mel - knee)))

    top = linear_hertz / linear_mel + np.log(HEARING_RATE / 2 / linear_hertz) / step
    corners = hertz(np.linspace(0.0, top, _BANDS + 2))
    bins = np.linspace(0.0, HEARING_RATE / 2, _FFT // 2 + 1)
    rising = (bins - corners[:-2, None]) / np.diff(corners)[:-1, None]
    falling = (corners[2:, None] - bins) / np.diff(corners)[1:, None]
    area = 2.0 / (corners[2:] - corners[:-2])
    return np.asarray(np.maximum(0, np.minimum(rising, falling)) * area[:, None], np.float32)


class Hearing(stt.STT[Any]):
    """The recogniser as a LiveKit session uses it. Each session has its own, with its own terms.

    Args:
        whisper: who recognises; None takes the process's one.
        terms: words that are likely throughout the call.
    """

    def __init__(self, whisper: Whisper | None = None, *, terms: Iterable[str] = ()) -> None:
        super().__init__(
            capabilities=stt.STTCapabilities(streaming=False, interim_results=False, keyterms=True)
        )
        self._whisper = whisper or recogniser()
        self._always = tuple(terms)
        self._now: tuple[str, ...] = ()
        self._question = ""
        self._heard: dict[str, set[str]] = {}

    @property
    def model(self) -> str:
        """The recogniser's name in metrics and spans."""
        return "whisper-base-int8"

    @property
    def provider(self) -> str:
        """Where it runs."""
        return "in-process"

    @property
    def terms(self) -> tuple[str, ...]:
        """The words that are likely now, the likeliest last."""
        return (*self._always, *self._now)

    def asked(self, question: str) -> None:
        """Note what the agent asked. Asked the same again, what was heard was no answer to it."""
        self._question = sentences(question)[-1]

    def _update_session_keyterms(self, keyterms: list[str]) -> None:
        self._now = tuple(keyterms)

    async def _recognize_impl(
        self,
        buffer: AudioBuffer,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions,
    ) -> stt.SpeechEvent:
        before = self._heard.setdefault(self._question, set())
        known = {_plain(term) for term in self.terms}
        useless = {text for text in before if _LONGER.search(text)} - known
        text = await self._whisper.transcribe(
            sound.of_frames(buffer), terms=self.terms, useless=useless
        )
        before.add(_plain(text))
        return stt.SpeechEvent(
            type=stt.SpeechEventType.FINAL_TRANSCRIPT,
            alternatives=[stt.SpeechData(language=LanguageCode("en"), text=text)],
        )
