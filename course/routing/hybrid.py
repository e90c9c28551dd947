"""Hybrid routing: the classifier where it is sure enough, the model for the rest."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from course.errors import ConfigurationError, ModelError
from course.routing.classifier import Classifier, Guess
from course.routing.route import Chooser, Route

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@dataclass(frozen=True, kw_only=True)
class HybridRouter:
    """Routes by a classifier first, and by another router where the classifier is unsure.

    Attributes:
        classifier: guesses, for next to nothing.
        threshold: the confidence from which on a guess counts; calibrate it, don't choose it.
        otherwise: decides the rest; a `ModelRouter`, as a rule.
        floor: the confidence that a guess needs when `otherwise` is out of order.

    Built in chapter 02.
    """

    classifier: Classifier
    threshold: float
    otherwise: Chooser
    floor: float = 0.3

    def __post_init__(self) -> None:
        if not (0 <= self.threshold <= 1 or self.threshold == math.inf):
            raise ConfigurationError(
                f"the threshold is a share between 0 and 1, not {self.threshold:g}; infinity"
                " trusts no guess"
            )

    @property
    def names(self) -> Collection[str]:
        """Everybody that either of the two may choose."""
        return dict.fromkeys((*self.classifier.labels, *self.otherwise.names)).keys()

    async def choose(self, request: str, *, client: AsyncOpenAI) -> Route:
        """Guess, and ask when unsure.

        Never raises ModelError: a model that is out of order costs accuracy, not the service.
        """
        [guess] = self.classifier.guess([request])
        return await decide(
            request,
            guess=guess,
            threshold=self.threshold,
            floor=self.floor,
            otherwise=self.otherwise,
            client=client,
        )


async def decide(
    request: str,
    *,
    guess: Guess,
    threshold: float,
    floor: float,
    otherwise: Chooser,
    client: AsyncOpenAI,
) -> Route:
    """Take the classifier's guess or ask further: one decision of a hybrid router.

    Args:
        request: what the user says.
        guess: what the classifier takes it for.
        threshold: from this confidence on the guess is taken and nobody else is asked.
        floor: from this confidence on the guess is taken when the other router fails.
        otherwise: asked where the guess is not sure enough; its word stands, even "nobody".
        client: reaches the model.

    Returns:
        The guess as a route by "classifier" with its confidence, or the other router's route. When
        that one raises ModelError: the guess if it is at least at the floor, else nobody; `why` is
        then the error's text.

    Built in chapter 02, exercise 2.6.
    """
    guessed = Route(agents=(guess.label,), by="classifier", confidence=guess.confidence)
    if guess.confidence >= threshold:
        return guessed
    try:
        return await otherwise.choose(request, client=client)
    except ModelError as error:
        agents = guessed.agents if guess.confidence >= floor else ()
        return Route(agents=agents, by="classifier", confidence=guess.confidence, why=str(error))
