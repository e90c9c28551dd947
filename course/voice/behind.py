"""Any system of the course behind a turn of the conversation, without silence while it works.

A plan with workers takes seconds; on the telephone two of them without a word are a dead line. So
the person hears something short first, and again while it lasts, and then the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from typing import Any

from livekit.agents import Agent, FlushSentinel, ModelSettings, llm

from course.errors import ModelError
from course.models.wire import AsyncOpenAI
from course.systems import Result, answer_of
from course.team.rules import SORRY
from course.team.turn import in_words
from course.voice.bridge import Heard
from course.voice.history import context_of

FILLERS = ("One moment, please.", "I am still looking.", "It takes a little longer.")
PATIENCE = 1.0
"""Seconds of silence before a filler, and between two."""


class LiveSystem(Agent):
    """A system of the course as a LiveKit agent: it answers each turn of the person.

    Args:
        system: whatever `course.run` takes: a supervisor with workers, a pipeline, a router.
        client: answers for all its agents.
        instructions: none are needed: nobody is asked but the system.
        fillers: what is said while it works, one after the other, the last again and again.
        patience: seconds of silence before each.
    """

    def __init__(
        self,
        system: Any,
        *,
        client: AsyncOpenAI,
        fillers: Sequence[str] = FILLERS,
        patience: float = PATIENCE,
    ) -> None:
        super().__init__(id=system.name, instructions="")
        self.system, self.client = system, client
        self.fillers, self.patience = tuple(fillers), patience

    async def llm_node(
        self, chat_ctx: llm.ChatContext, tools: list[llm.Tool], model_settings: ModelSettings
    ) -> AsyncIterator[Heard]:
        """The system's answer, after as many fillers as it takes."""
        request = in_words(context_of(chat_ctx))
        work = answer_of(self.system, request, client=self.client)
        async for chunk in meanwhile(work, self.fillers, self.patience):
            yield chunk


async def meanwhile(
    work: Coroutine[Any, Any, Result], fillers: Sequence[str] = FILLERS, patience: float = PATIENCE
) -> AsyncIterator[Heard]:
    """Fillers while a system works, and then its answer. Built in chapter 13.

    Whoever interrupts cancels the work. A model that cannot be used is no silence either: the
    person hears that it could not be settled.
    """
    job, said = asyncio.ensure_future(work), 0
    try:
        while fillers and not (await asyncio.wait({job}, timeout=patience))[0]:
            yield fillers[min(said, len(fillers) - 1)] + " "
            yield FlushSentinel()  # spoken at once, not with the answer
            said += 1
        yield (await job).answer
    except ModelError:
        yield SORRY
    finally:
        job.cancel()
        await asyncio.gather(job, return_exceptions=True)
