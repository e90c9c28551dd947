"""A copilot in a real room: it hears the caller and the human operator, and only advises.

Nothing of it is heard: it publishes no sound and no transcript. Its advice is a text stream that
the server hands to the operator alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from livekit import rtc
from livekit.agents import AgentSession, inference, room_io, stt

from course.voice.hearing import Hearing
from course.voice.sound import HEARING_RATE
from course.voice.systems import Copilot

CALLER, OPERATOR = "caller", "operator"
ADVICE = "switchboard.advice"
"""The topic of the text streams that hold advice."""


def to_operator(room: rtc.Room) -> Callable[[str], None]:
    """What a `Copilot` in this room advises with: each piece goes to the operator and nobody else.

    Args:
        room: the one that the copilot was called into.
    """
    sending: set[asyncio.Task[Any]] = set()

    def advise(text: str) -> None:
        told = room.local_participant.send_text(
            text, topic=ADVICE, destination_identities=[OPERATOR]
        )
        task = asyncio.ensure_future(told)
        sending.add(task)
        task.add_done_callback(sending.discard)

    return advise


async def listen_in(room: rtc.Room, session: AgentSession[Any], copilot: Copilot) -> None:
    """Let a copilot hear a call: who joins as "caller" speaks to it, "operator" is overheard.

    Args:
        room: the one that it was called into.
        session: hears the caller; it is not started, and needs no voice.
        copilot: advises, mostly by `to_operator`.
    """
    listening: set[asyncio.Task[None]] = set()

    def begin(track: rtc.Track, _publication: object, speaker: rtc.RemoteParticipant) -> None:
        if speaker.identity == OPERATOR and track.kind == rtc.TrackKind.KIND_AUDIO:
            task = asyncio.create_task(_overhear(track, copilot))
            listening.add(task)
            task.add_done_callback(listening.discard)

    def end(_event: object) -> None:
        for task in listening:
            task.cancel()

    room.on("track_subscribed", begin)
    session.on("close", end)
    options = room_io.RoomOptions(
        participant_identity=CALLER, audio_output=False, text_output=False,
        delete_room_on_close=True,
    )  # fmt: skip
    await session.start(copilot, room=room, room_options=options, record=False)


async def _overhear(track: rtc.Track, copilot: Copilot) -> None:
    """Tell the copilot what the operator says, until their track ends."""
    ears = stt.StreamAdapter(stt=Hearing(), vad=inference.VAD())
    sound = rtc.AudioStream.from_track(track=track, sample_rate=HEARING_RATE, num_channels=1)
    heard = ears.stream()

    async def feed() -> None:
        async for event in sound:
            heard.push_frame(event.frame)
        heard.end_input()

    feeding = asyncio.create_task(feed())
    try:
        async for event in heard:
            if event.type == stt.SpeechEventType.FINAL_TRANSCRIPT and event.alternatives[0].text:
                await copilot.overhear(event.alternatives[0].text)
    finally:
        feeding.cancel()
        await asyncio.gather(feeding, return_exceptions=True)
        await heard.aclose()
        await sound.aclose()
