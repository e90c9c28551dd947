"""Measuring routers: how often right, at what price, on sentences with a known truth."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from course.models.draws import Draws
from course.models.wire import ChatRequest, Key
from course.routing.calibration import wilson
from course.routing.route import Chooser, Route, route
from course.routing.sentences import Sentence
from course.trace import Trace

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@dataclass(frozen=True)
class Case:
    """One sentence, where it was routed, and how many model calls that took.

    Built in chapter 02.
    """

    sentence: Sentence
    route: Route
    calls: int

    @property
    def right(self) -> bool:
        """Whether exactly the needed specialists were chosen; their order does not count."""
        return set(self.route.agents) == set(self.sentence.agents)


@dataclass(frozen=True)
class Score:
    """What a router did with many sentences. Each figure is over all of them.

    Built in chapter 02.
    """

    cases: tuple[Case, ...]

    @property
    def accuracy(self) -> float:
        """The share that was routed rightly, 0 to 1."""
        return fmean(each.right for each in self.cases)

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true accuracy lies with 95 % certainty (Wilson's score interval)."""
        return wilson(sum(each.right for each in self.cases), len(self.cases))

    @property
    def calls(self) -> float:
        """Model calls for each request."""
        return fmean(each.calls for each in self.cases)

    @property
    def tokens(self) -> float:
        """Tokens for each request, read and written."""
        return fmean(each.route.usage.total for each in self.cases)

    @property
    def seconds(self) -> float:
        """Seconds of waiting for each request, on the loop's clock."""
        return fmean(each.route.seconds for each in self.cases)

    def of(self, *kinds: str) -> Score:
        """The same for some kinds of sentences. Raises ValueError when there are none."""
        kept = tuple(each for each in self.cases if each.sentence.kind in kinds)
        if not kept:
            raise ValueError(f"there are no sentences of the kind {' or '.join(kinds)}")
        return Score(kept)


async def evaluate(
    chooser: Chooser, sentences: Iterable[Sentence], *, client: AsyncOpenAI, run_id: str = "run"
) -> Score:
    """Route every sentence, all at the same time, each with a luck of its own.

    Args:
        chooser: who decides.
        sentences: with their truth.
        client: reaches the model; under a profile with rate limits the sentences would get into
            each other's way.
        run_id: names the series: another name, other luck.

    Raises:
        ModelError: the model cannot be used.
        ValueError: there are no sentences.

    Built in chapter 02.
    """
    listed = list(sentences)
    if not listed:
        raise ValueError("there are no sentences to route")

    async def one(number: int, sentence: Sentence) -> Case:
        trace = Trace(sentence.text)
        with trace.record():
            found = await route(chooser, sentence.text, client=client, run_id=f"{run_id} {number}")
        return Case(sentence, found, sum(step.operation == "chat" for step in trace.spans))

    return Score(tuple(await asyncio.gather(*(one(*each) for each in enumerate(listed)))))


def reader(
    sentences: Sequence[Sentence], accuracy: float, *, seed: int = 0
) -> Callable[[ChatRequest], str]:
    """A stand-in for a model that reads well: right on a given share of what it is asked.

    The simulated model matches words, so it cannot show what a good reader would do. This one
    knows the truth and errs by chance: an assumption, to be named wherever its figures are shown.
    It is a function for `course.models.connect`, which gives it the latency of a profile.

    Args:
        sentences: all that may be asked, with their truth.
        accuracy: the chance of a right route, 0 to 1. A wrong one is a specialist drawn from those
            on offer; a sentence that is nobody's gets one, too.
        seed: of the draws, which hang on the sentence: the same one is misread every time.

    Built in chapter 02.
    """
    truth = {each.text: each.agents for each in sentences}

    def answer(request: ChatRequest) -> str:
        text = str(request.messages[-1]["content"])
        draws = Draws(seed, Key(run=text))
        if draws.chance("reads rightly", accuracy):
            return json.dumps({"agents": truth[text]})
        wrong = [name for name in _offered(request) if (name,) != truth[text]]
        return json.dumps({"agents": [draws.choice("instead", wrong)]})

    return answer


def _offered(request: ChatRequest) -> list[str]:
    """The names that a router's schema allows."""
    schema = request.schema or {}
    names: list[str] = schema["properties"]["agents"]["items"]["enum"]
    return names
