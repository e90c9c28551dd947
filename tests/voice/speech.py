"""What tests of speech need: in CI it has to be there, elsewhere they say what they lack."""

import asyncio
import os
from functools import cache

import pytest

from course.errors import ConfigurationError
from course.voice.hearing import Whisper
from course.voice.sound import Sound
from course.voice.speaking import Flite


def lacking(what: object) -> None:
    """Skip the test, naming what is missing and the command that adds it; in CI, fail."""
    if os.environ.get("CI"):
        pytest.fail(f"CI has to have it: {what}")
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


def said(text: str, voice: str = "rms") -> Sound:
    return asyncio.run(flite(voice).say(text))
