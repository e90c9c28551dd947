"""What tests of speech need: where CI brought it, it has to serve; else they say what they lack."""

import asyncio
import os
from functools import cache

import pytest

from course.errors import ConfigurationError
from course.voice.hearing import Whisper
from course.voice.server import binary
from course.voice.sound import Sound
from course.voice.speaking import Flite


def lacking(what: object, expected: str = "EXPECTS_SPEECH") -> None:
    """Skip the test, naming what is missing and the command that adds it; fail where CI brought it.

    Args:
        what: is missing.
        expected: the variable with which `.ci/run` says that it brought it.
    """
    if os.environ.get(expected):
        pytest.fail(f"CI brought it, and it does not serve: {what}")
    pytest.skip(str(what))


@cache
def _whisper() -> Whisper:
    return Whisper()


def whisper() -> Whisper:
    try:
        return _whisper()
    except ConfigurationError as error:
        lacking(error)
        raise


def flite(name: str = "rms") -> Flite:
    try:
        return Flite(name)
    except ConfigurationError as error:
        lacking(error)
        raise


def in_a_room() -> None:
    """All that a spoken call in a real room needs: ears, a voice and the server."""
    whisper()
    flite()
    try:
        binary()
    except ConfigurationError as error:
        lacking(error, "EXPECTS_LIVEKIT")


def said(text: str, voice: str = "rms") -> Sound:
    return asyncio.run(flite(voice).say(text))
