"""A spoken call in process: a caller's sound in, a stereo recording out, no server and no network.

The session is an ordinary LiveKit `AgentSession`; `spoken()` are the options that give it ears and
a voice on this machine. A caller is a function, like a person in a conversation in text: it gets
what they heard, and gives what they say next, as sound.
"""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from livekit import rtc
from livekit.agents import Agent, AgentSession, CloseEvent, UserInputTranscribedEvent, inference
from livekit.agents.voice import io
from livekit.agents.voice.agent_activity import ActivityClosedError
from livekit.agents.voice.transcription import TranscriptSynchronizer

from course.voice.ear import spoken_text
from course.voice.hearing import Hearing
from course.voice.latency import SpokenTurn
from course.voice.line import Loudspeaker, Microphone
from course.voice.observed import Observer
from course.voice.sound import QUIET, Sound, Tape
from course.voice.speaking import Speech, Voice
from course.voice.terms import follow

LONGEST_SECONDS = 180.0
PATIENCE_SECONDS = 8.0
_SETTLED_SECONDS = 0.35
_CLOSING_SECONDS = 10.0
_LONGEST_TURN_SECONDS = 60.0


@dataclass(frozen=True)
class Utterance:
    """What a caller says.

    Attributes:
        sound: how it sounds.
        words: what it says, if that is known.
        then: what they say while the answer to this one is being given: they cut in.
        after: that many seconds after the answer began.
    """

    sound: Sound
    words: str = ""
    then: Utterance | None = None
    after: float = 1.0


SpokenCaller = Callable[[str], Awaitable[Utterance]]
"""Who calls: gets what they heard since they last spoke, gives what they say. EOFError hangs up."""


@dataclass(frozen=True, kw_only=True)
class SpokenCall:
    """What a call was.

    Attributes:
        turns: one for each thing the caller said.
        greeting: what they heard before they said anything.
        ending: how it ended, in a line.
        tape: both sides.
        seconds: how long it took.
    """

    turns: tuple[SpokenTurn, ...]
    greeting: str
    ending: str
    tape: Tape
    seconds: float

    def transcript(self) -> str:
        """What each side heard of the other, a line each, and how it ended."""
        lines = [f"agent   {self.greeting}"] if self.greeting else []
        for turn in self.turns:
            lines += [f"caller  {turn.heard or '(nothing was understood)'}"]
            lines += [f"agent   {turn.answer}"] if turn.answer else []
        return "\n".join([*lines, f"({self.ending})"])


def spoken(
    hearing: Hearing | None = None, voice: Voice | None = None, *, pause: float = 0.3
) -> dict[str, Any]:
    """Options with which an `AgentSession` hears and speaks offline: `AgentSession(**spoken())`.

    Args:
        hearing: None makes one.
        voice: None takes the default one.
        pause: seconds of silence that end what a caller says. A learner pauses longer than this.

    Raises ConfigurationError: the recogniser or the voice is missing; the line says what adds it.
    """
    return {
        "stt": hearing or Hearing(),
        "tts": Speech(voice),
        "vad": inference.VAD(min_silence_duration=pause),
        "tts_text_transforms": ["filter_markdown", "filter_emoji", spoken_text],
        "aec_warmup_duration": None,  # three seconds of deafness, for rooms with an echo
        "user_away_timeout": None,
        "turn_handling": {
            "turn_detection": "vad",
            "endpointing": {"min_delay": pause + 0.1},
            "interruption": {"mode": "vad"},
            "user_turn_limit": {"max_duration": _LONGEST_TURN_SECONDS},
        },
    }


def recorded(*recordings: Sound | str | Path) -> SpokenCaller:
    """A caller who says what was recorded, one after the other, and then hangs up.

    Raises FileFormatError: one of them is no usable WAV file.
    """
    sounds = [each if isinstance(each, Sound) else Sound.load(each) for each in recordings]
    coming = iter(sounds)

    async def caller(heard: str) -> Utterance:
        for each in coming:
            return Utterance(each)
        raise EOFError("the caller hung up")

    return caller


def voiced(person: Callable[[str], Awaitable[str]], voice: Voice) -> SpokenCaller:
    """A person of a conversation in text, such as a scenario's caller, who now has a voice."""

    async def caller(heard: str) -> Utterance:
        words = await person(heard)
        return Utterance(await voice.say(words), words)

    return caller


async def hold_call(
    session: AgentSession[Any],
    agent: Agent,
    caller: SpokenCaller,
    *,
    seconds: float = LONGEST_SECONDS,
    patience: float = PATIENCE_SECONDS,
) -> SpokenCall:
    """Hold one call to its end; the session is closed then.

    Args:
        session: made with `spoken()`, not started.
        agent: who answers.
        caller: who calls.
        seconds: the longest the call may take.
        patience: how long the caller waits for an answer before they give up (seconds).

    Raises Exception: what the caller raised, other than EOFError.
    """
    line = _InProcess(session)
    return await conduct(line, line.connect(agent), caller, seconds=seconds, patience=patience)


async def conduct(
    line: CallerLine,
    connecting: Awaitable[None],
    caller: SpokenCaller,
    *,
    seconds: float,
    patience: float,
) -> SpokenCall:
    """Hold a call over whatever line, to its end or so many seconds; then hang up."""
    begin = time.time()
    try:
        async with asyncio.timeout(seconds):
            await connecting
            ending = await line.talk(caller, seconds=seconds, patience=patience)
    except TimeoutError:
        ending = f"cut off after {seconds:g} s: a longer call needs seconds=..."
    finally:
        await line.hang_up()
    return SpokenCall(
        turns=tuple(line.turns),
        greeting=line.greeting,
        ending=ending,
        tape=line.tape,
        seconds=time.time() - begin,
    )


class CallerLine(ABC):
    """The caller's end of a call, and the moments of the turn that is going on.

    Attributes:
        tape: both sides as the caller hears them.
        turns: those that are over.
        greeting: what was heard first.
        closed: why there is no call any more, in a line; "" while there is one.
    """

    def __init__(self) -> None:
        self.tape = Tape()
        self.turns: list[SpokenTurn] = []
        self.greeting = ""
        self.closed = ""
        self.microphone = Microphone()
        self._begin = time.time()
        self._moments: dict[str, float] = {}
        self._words: list[str] = []
        self._heard: list[str] = []
        self._changed = asyncio.Event()
        self._last_sound = self._silenced = 0.0

    @abstractmethod
    async def settled(self) -> None:
        """Until the agent has said all it wants to say and listens, or the call is over."""

    @abstractmethod
    async def hang_up(self) -> None:
        """End the call, whatever state it is in."""

    async def talk(self, caller: SpokenCaller, *, seconds: float, patience: float) -> str:
        """Let the caller speak until they hang up; how the call ended, in a line."""
        await self.settled()
        heard = self.greeting = self.take_words()
        while not self.closed:
            try:
                utterance = await caller(heard)
            except EOFError:
                return "the caller hung up"
            coming = utterance.sound.seconds
            if coming > seconds:
                return f"the caller would speak for {coming:.0f} s, and a call lasts {seconds:g} s"
            turn = await self.exchange(utterance, patience)
            heard = turn.answer
            if turn.ear is None and not self.closed:
                what = "came in answer" if turn.heard else "was understood"
                return f"nothing {what} within {patience:g} s"
        return self.closed

    def take_words(self) -> str:
        """What the caller heard since it was last asked."""
        said = "".join(self._words).strip()
        self._words.clear()
        return said

    async def exchange(self, utterance: Utterance, patience: float) -> SpokenTurn:
        """Say something and hear the answer out, or cut in on it as the utterance wants.

        Returns:
            The turn; if the caller cut in, that of the words they cut in with.
        """
        end = await self._say(utterance)
        while await self._until(lambda: "ear" in self._moments, patience) and utterance.then:
            await asyncio.sleep(utterance.after)
            marks, heard, begin = dict(self._moments), list(self._heard), time.time()
            end_of_next = await self._say(utterance.then)
            self._note(utterance, end, marks, heard, self._silenced - begin)
            utterance, end = utterance.then, end_of_next
        if "ear" in self._moments:
            await self.settled()
        return self._note(utterance, end, self._moments, self._heard, None)

    def _note(
        self,
        utterance: Utterance,
        end: float,
        marks: dict[str, float],
        heard: list[str],
        silent_after: float | None,
    ) -> SpokenTurn:
        turn = SpokenTurn(
            said=utterance.words,
            heard=" ".join(heard),
            answer=self.take_words(),
            silent_after=silent_after,
            **{name: at - end for name, at in marks.items()},
        )
        self.turns.append(turn)
        return turn

    async def _say(self, utterance: Utterance) -> float:
        """Say something; the time of its end. What the agent is still saying is no answer to it."""
        sound = utterance.sound.trimmed()
        self.tape.add("caller", time.time() - self._begin, sound)
        self._heard.clear()
        end = await self.microphone.say(sound)
        self._silenced = self._last_sound
        self._moments.clear()
        return end

    def hear(self, piece: Sound) -> None:
        """Note that the caller heard this of the agent just now."""
        now = time.time()
        self.tape.add("agent", now - self._begin, piece)
        if abs(piece.samples.astype(int)).max(initial=0) > QUIET:
            self._last_sound = now + piece.seconds
            self.mark("ear")

    def mark(self, name: str) -> None:
        """Note that something of the answer is there; only the first time counts."""
        if name not in self._moments:
            self._moments[name] = time.time()
            self._changed.set()

    def understood(self, words: str) -> None:
        """Note that something the caller said was recognised."""
        self._heard.append(words)
        self._moments["transcript"] = time.time()
        self._changed.set()

    async def _until(self, holds: Callable[[], bool], seconds: float) -> bool:
        """Whether something came to hold within so many seconds, or the session closed first."""
        try:
            async with asyncio.timeout(seconds):
                while not holds() and not self.closed:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            pass
        return holds()


class _InProcess(CallerLine):
    """The line to a session in this process."""

    def __init__(self, session: AgentSession[Any]) -> None:
        super().__init__()
        self.session = session
        self._synchronizer: TranscriptSynchronizer | None = None

    async def connect(self, agent: Agent) -> None:
        """Attach the ends and let the agent answer."""
        session = self.session
        speaker = _Marked(self.mark, Loudspeaker(self.hear))
        self._synchronizer = TranscriptSynchronizer(
            next_in_chain_audio=speaker, next_in_chain_text=_Subtitles(self._words.append)
        )
        session.input.audio = self.microphone
        session.output.audio = self._synchronizer.audio_output
        session.output.transcription = _FirstWords(self.mark, self._synchronizer.text_output)
        session.on("agent_state_changed", lambda event: self._changed.set())
        session.on("user_input_transcribed", self._recognised)
        session.on("close", self._close)
        follow(session)
        self._begin = time.time()
        with Observer(session, agent.id).run.active():
            await session.start(agent, record=False)

    async def hang_up(self) -> None:
        """Close the session, whatever state it is in."""
        async with asyncio.timeout(_CLOSING_SECONDS):
            await self.session.aclose()
            if self._synchronizer is not None:
                await self._synchronizer.aclose()

    async def settled(self) -> None:
        """Until the agent has said all it wants to say and listens, or the session is closed."""
        while not self.closed:
            try:
                await self.session.wait_for_idle()
            except (ActivityClosedError, RuntimeError):  # it is closing, or never began
                return
            self._changed.clear()
            if not await self._until(self._changed.is_set, _SETTLED_SECONDS):
                return

    def _recognised(self, event: UserInputTranscribedEvent) -> None:
        if event.is_final:
            self.understood(event.transcript)

    def _close(self, event: CloseEvent) -> None:
        problem = getattr(event.error, "error", None)
        self.closed = f"the call failed: {problem}" if problem else "the agent hung up"
        self._changed.set()


class _Marked(io.AudioOutput):
    """Notes when the first sound of a reply was made, and hands it on."""

    def __init__(self, mark: Callable[[str], None], speaker: Loudspeaker) -> None:
        super().__init__(
            label="marked",
            capabilities=io.AudioOutputCapabilities(pause=True),
            next_in_chain=speaker,
            sample_rate=speaker.sample_rate,
        )
        self._mark = mark

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        await super().capture_frame(frame)
        self._mark("first_audio")
        if self.next_in_chain:
            await self.next_in_chain.capture_frame(frame)

    def flush(self) -> None:
        super().flush()
        if self.next_in_chain:
            self.next_in_chain.flush()

    def clear_buffer(self) -> None:
        if self.next_in_chain:
            self.next_in_chain.clear_buffer()


class _FirstWords(io.TextOutput):
    """Notes when the first words of a reply were there, and hands them on."""

    def __init__(self, mark: Callable[[str], None], to: io.TextOutput) -> None:
        super().__init__(label="first words", next_in_chain=to)
        self._mark = mark

    async def capture_text(self, text: str) -> None:
        self._mark("first_token")
        if self.next_in_chain:
            await self.next_in_chain.capture_text(text)

    def flush(self) -> None:
        if self.next_in_chain:
            self.next_in_chain.flush()


class _Subtitles(io.TextOutput):
    """The words as they are heard: what is cut off never gets here."""

    def __init__(self, show: Callable[[str], None]) -> None:
        super().__init__(label="subtitles", next_in_chain=None)
        self._show = show

    async def capture_text(self, text: str) -> None:
        self._show(text)

    def flush(self) -> None:
        self._show(" ")
