"""How good a router is: how often right, at what price, and what a longer list does to it.

`evaluate_router` routes sentences with a known truth. `flat_against_two_levels` does so in a world
that grows: a town hall with 40 desks in eight departments, two requests for each desk. Its words
are plain, so that the simulated model without routing errors puts every request through rightly;
under the profile "misrouting" it errs the more often the longer the list is that it chooses from.
That curve is an assumption, named in the profile. What follows from it is measured here.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from course.benches.town_hall import town_hall
from course.evaluation.calibration import wilson
from course.models.draws import Draws
from course.models.wire import AsyncOpenAI, ChatRequest, Key
from course.routing.choosers import Chooser, ModelRouter, NestedRouter, Route, route
from course.routing.sentences import Sentence
from course.runs import Run
from course.trace import Trace

COUNTS = (2, 5, 10, 20, 30, 40)


@dataclass(frozen=True)
class RoutedSentence:
    """One sentence, where it was routed, and how many model calls that took. Used in chapter 02."""

    sentence: Sentence
    route: Route
    calls: int

    @property
    def right(self) -> bool:
        """Whether exactly the needed specialists were chosen; their order does not count."""
        return set(self.route.agents) == set(self.sentence.agents)


@dataclass(frozen=True)
class RouterScore:
    """What a router did with many sentences. Each figure is over all of them.
    Used in chapter 02.
    """

    cases: tuple[RoutedSentence, ...]

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

    def of(self, *kinds: str) -> RouterScore:
        """The same for some kinds of sentences. Raises ValueError when there are none."""
        kept = tuple(each for each in self.cases if each.sentence.kind in kinds)
        if not kept:
            raise ValueError(f"there are no sentences of the kind {' or '.join(kinds)}")
        return RouterScore(kept)


async def evaluate_router(
    chooser: Chooser, sentences: Iterable[Sentence], *, client: AsyncOpenAI, series: str = "run"
) -> RouterScore:
    """Route every sentence, all at the same time, each with a luck of its own. Used in chapter 02.

    Args:
        chooser: who decides.
        sentences: with their truth.
        client: reaches the model; under a profile with rate limits the sentences would get into
            each other's way.
        series: another name is another luck.

    Raises:
        ModelError: the model cannot be used.
        ValueError: there are no sentences.
    """
    listed = list(sentences)
    if not listed:
        raise ValueError("there are no sentences to route")

    async def one(number: int, sentence: Sentence) -> RoutedSentence:
        trace = Trace(sentence.text)
        with trace.record(), Run(f"{series} {number}").active():
            found = await route(chooser, sentence.text, client=client)
        return RoutedSentence(
            sentence, found, sum(step.operation == "chat" for step in trace.spans)
        )

    return RouterScore(tuple(await asyncio.gather(*(one(*each) for each in enumerate(listed)))))


def assumed_reader(
    sentences: Sequence[Sentence], accuracy: float, *, seed: int = 0
) -> Callable[[ChatRequest], str]:
    """A stand-in for a model that reads well: right on a given share of what it is asked.
    Used in chapter 02.

    The simulated model matches words, so it cannot show what a good reader would do. This one
    knows the truth and errs by chance: an assumption, to be named wherever its figures are shown.
    It is a function for `course.models.connect`, which gives it the latency of a profile.

    Args:
        sentences: all that may be asked, with their truth.
        accuracy: the chance of a right route, 0 to 1. A wrong one is a specialist drawn from those
            on offer; a sentence that is nobody's gets one, too.
        seed: of the draws, which hang on the sentence: the same one is misread every time.
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


@dataclass(frozen=True)
class Levels:
    """One row of the comparison: so many specialists, chosen from in this way, and how it went.
    Used in chapter 02.
    """

    specialists: int
    way: Literal["flat", "two levels"]
    score: RouterScore


async def flat_against_two_levels(
    counts: Iterable[int] = COUNTS, *, client: AsyncOpenAI, repeats: int = 5
) -> list[Levels]:
    """Route the town hall's requests with one long list, and with departments first.
    Used in chapter 02.

    Args:
        counts: numbers of specialists, 1 to 40 each.
        client: reaches the model; `connect(profile="misrouting")` makes long lists hard.
        repeats: how often each request is put, each time with another luck. More repeats tell the
            same assumption more exactly; they are no further evidence about the world.

    Returns:
        Two rows for each count, "flat" before "two levels". Up to five specialists are a single
        department, so that both ways are the same.

    Raises ModelError: the model cannot be used.
    """
    rows = []
    for count in counts:
        departments, sentences = town_hall(count)
        listed = {name: about for each in departments for name, about in each.choices.items()}
        flat, nested = ModelRouter(listed), NestedRouter(departments)
        asked = sentences * repeats
        for way, chooser in (("flat", flat), ("two levels", nested)):
            score = await evaluate_router(chooser, asked, client=client, series=f"levels {count}")
            rows.append(Levels(count, way, score))  # type: ignore[arg-type]
    return rows
