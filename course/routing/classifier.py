"""A trained intent classifier: TF-IDF and logistic regression, from a hundred sentences.

The only module that loads scikit-learn, and only when a classifier is trained.

Source: scikit-learn's user guide, "Working with text data" and "Logistic regression".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from course.errors import ConfigurationError

if TYPE_CHECKING:
    from course.routing.sentences import Sentence


@dataclass(frozen=True)
class Guess:
    """What a classifier takes a request for. Built in chapter 02.

    Attributes:
        label: the specialist it thinks of.
        confidence: the probability that it gives to that label, 0 to 1. Being sure is not being
            right: how the two hang together is what calibration measures.
    """

    label: str
    confidence: float


class Classifier(Protocol):
    """Whatever can guess an intent; another library's classifier needs no more than this."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Every label it knows."""

    def guess(self, requests: Sequence[str]) -> list[Guess]:
        """One guess for each request, in order."""


class IntentClassifier:
    """Guesses an intent from the words of a request and the letters in them. Used in chapter 02.

    Words and pairs of words carry the meaning, runs of letters what words share ("booked",
    "rebooking"). Trained twice on the same sentences, it is the same.

    Args:
        sentences: to learn from; those with exactly one specialist are used.
        strength: of the regularisation's inverse (scikit-learn's C): higher means surer.

    Raises ConfigurationError: fewer than two labels, or scikit-learn is not installed.
    """

    def __init__(self, sentences: Iterable[Sentence], *, strength: float = 10.0) -> None:
        known = [each for each in sentences if len(each.agents) == 1]
        labels = [each.agents[0] for each in known]
        if len(set(labels)) < 2:
            raise ConfigurationError("a classifier needs sentences of at least two specialists")
        self._pipeline = _pipeline(strength).fit([each.text for each in known], labels)

    @property
    def labels(self) -> tuple[str, ...]:
        """Every label it learned."""
        return tuple(map(str, self._pipeline.classes_))

    def guess(self, requests: Sequence[str]) -> list[Guess]:
        """One guess for each request, in order; a hundred at once are much cheaper than one by one.

        Sentences without a single known word get the labels' shares as confidence.
        """
        if not requests:
            return []
        table = self._pipeline.predict_proba(list(requests))
        best = zip(table, table.argmax(axis=1), strict=True)
        return [Guess(self.labels[column], float(row[column])) for row, column in best]


def _pipeline(strength: float) -> Any:
    """Words and letters to TF-IDF to probabilities, as one object with `fit`."""
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline, make_union
    except ImportError as error:
        raise ConfigurationError(
            "an intent classifier needs scikit-learn: pip install 'switchboard-course[lab]'"
        ) from error
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)
    return make_pipeline(make_union(words, letters), LogisticRegression(C=strength, max_iter=1000))
