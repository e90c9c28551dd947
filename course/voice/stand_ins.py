"""What stands in, on this machine, for what a program on LiveKit names of other makers.

A program that is written for LiveKit's cloud names its ears, model and voice by strings
(`stt="deepgram/nova-3"`, `llm="openai/gpt-4.1-mini"`), and loads plugins for its turns and against
noise. Within `stand_ins` such a program runs as it stands: the course's model answers, the
recogniser and the voice of `course.voice` hear and speak, and a plugin that is not installed is
what LiveKit brings itself, or nothing.

Source: LiveKit Agents 1.8.9, `livekit.agents.inference`, and its plugins `silero`,
`turn_detector` and `noise_cancellation`.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from types import ModuleType
from typing import Any
from unittest.mock import patch

from livekit import plugins
from livekit.agents import inference

from course.models.connect import connect
from course.models.names import LARGE, stand_in
from course.models.wire import AsyncOpenAI
from course.voice.model import live_model

LOG = logging.getLogger(__name__)
CONFIGURED = ("LIVEKIT_INFERENCE_URL", "LIVEKIT_INFERENCE_API_KEY")
CLOUD = ".livekit.cloud"


@contextmanager
def stand_ins(client: AsyncOpenAI | None = None, *, spoken: bool = False) -> Iterator[None]:
    """Let programs on LiveKit run within the block without other makers' models, ears and voices.

    Where LiveKit Inference is configured (`CONFIGURED`, or LIVEKIT_URL names LiveKit Cloud), its
    models answer, and only missing plugins are stood in for. Such blocks may nest and not overlap.

    Args:
        client: answers in place of every model; None connects one for each, as `course.connect`
            does without arguments.
        spoken: whether the program hears and speaks, which takes the recogniser and the voice;
            a typed one has neither.

    A spoken program that makes its ears or its voice raises ConfigurationError where the recogniser
    or the voice is missing.
    """
    with ExitStack() as standing:
        for plugin, modules in _plugins().items():
            path = f"{plugins.__name__}.{plugin}"
            if path not in sys.modules and find_spec(path) is None:
                for name, there in modules.items():
                    _install(standing, f"{path}{name}", there)
        if not configured():
            for name, made in _makers(client, spoken).items():
                standing.enter_context(patch.object(inference, name, made))
        yield


def configured() -> bool:
    """Whether LiveKit Inference is there for this process."""
    cloud = CLOUD in os.environ.get("LIVEKIT_URL", "")
    return cloud or any(os.environ.get(name) for name in CONFIGURED)


def _makers(client: AsyncOpenAI | None, spoken: bool) -> dict[str, Callable[..., Any]]:
    """What stands at each name of LiveKit Inference instead."""
    said: set[str] = set()

    def say(ours: str, theirs: object) -> None:
        if ours not in said:
            said.add(ours)
            LOG.info("%s stands in for %s", ours, theirs)

    def answering(theirs: str) -> Any:
        ours = stand_in(theirs) or LARGE
        say(ours, theirs)
        return live_model(client or connect(), ours)

    class LLM(inference.LLM):
        def __new__(cls, model: str, **_: object) -> Any:
            return answering(model)

    class STT(inference.STT):
        def __new__(cls, model: object = "auto", **_: object) -> Any:
            if not spoken:
                return None
            from course.voice.hearing import Hearing

            say("the recogniser", model)
            return Hearing()

    class TTS(inference.TTS):
        def __new__(cls, model: object = "auto", **_: object) -> Any:
            if not spoken:
                return None
            from course.voice.speaking import Speech

            say("the voice", model)
            return Speech()

    return {"LLM": LLM, "STT": STT, "TTS": TTS, "llm_from_model_string": LLM}


def _plugins() -> dict[str, dict[str, dict[str, Any]]]:
    """What stands in each module of a plugin that is not installed."""

    class VAD:
        """LiveKit's own, which has the same weights."""

        @staticmethod
        def load(**_: object) -> inference.VAD:
            return inference.VAD()

    def nothing(*_: object, **__: object) -> None:
        """No noise is taken out: what is typed or spoken here has none."""

    def silence(*_: object, **__: object) -> str:
        """A turn ends by silence."""
        return "vad"

    return {
        "silero": {"": {"VAD": VAD}},
        "noise_cancellation": {"": dict.fromkeys(("NC", "BVC", "BVCTelephony"), nothing)},
        "turn_detector": {
            "": {},
            ".multilingual": {"MultilingualModel": silence},
            ".english": {"EnglishModel": silence},
        },
    }


def _install(standing: ExitStack, path: str, there: Mapping[str, Any]) -> None:
    """Let a module of these names be imported within the block."""
    module = ModuleType(path)
    vars(module).update(there, __path__=[])
    sys.modules[path] = module
    standing.callback(sys.modules.pop, path)
    parent, _, name = path.rpartition(".")
    standing.enter_context(patch.object(sys.modules[parent], name, module, create=True))
