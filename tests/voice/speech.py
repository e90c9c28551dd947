"""What tests of speech need: ears, a voice and a server."""

import asyncio
from functools import cache

from course.errors import ConfigurationError
from course.voice.hearing import Whisper
from course.voice.server import binary
from course.voice.sound import Sound
from course.voice.speaking import Flite
from tests.needs import lacking


@cache
def _whisper() -> Whisper:
    return Whisper()


def whisper() -> Whisper:
    try:
        return _whisper()
    except ConfigurationError as error:
        lacking("weights of the recogniser", str(error))


def flite(name: str = "rms") -> Flite:
    try:
        return Flite(name)
    except ConfigurationError as error:
        lacking("flite", str(error))


def in_a_room() -> None:
    """All that a spoken call in a real room needs: ears, a voice and the server."""
    whisper()
    flite()
    try:
        binary()
    except ConfigurationError as error:
        lacking("a LiveKit server", str(error))


def said(text: str, voice: str = "rms") -> Sound:
    return asyncio.run(flite(voice).say(text))
