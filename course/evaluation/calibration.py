"""Calibration: what a confidence is worth, measured on sentences that were not learned from.

Source: El-Yaniv and Wiener, "On the Foundations of Noise-free Selective Classification" (2010),
where the trade of coverage against accuracy has its name; Wilson (1927) for the interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from course.routing.choosers import Classifier
from course.routing.sentences import Sentence


@dataclass(frozen=True)
class Judged:
    """One guess on a held-out sentence: how sure it was, and whether it was right.
    Built in chapter 02.
    """

    confidence: float
    right: bool


@dataclass(frozen=True)
class Point:
    """One point of the coverage-accuracy curve. Built in chapter 02.

    Attributes:
        threshold: the guesses that count are those with at least this confidence.
        coverage: their share of all sentences, 0 to 1.
        accuracy: the share of them that is right, 0 to 1.
        count: how many they are.
    """

    threshold: float
    coverage: float
    accuracy: float
    count: int

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Where the true accuracy lies with this much certainty (Wilson's score interval)."""
        return wilson(round(self.accuracy * self.count), self.count, level=level)


def judge(classifier: Classifier, sentences: Iterable[Sentence]) -> list[Judged]:
    """A classifier's guesses on held-out sentences, with what is right for each.
    Built in chapter 02.

    A guess at a sentence that belongs to nobody, or to several, is wrong, however sure it is.
    """
    held_out = list(sentences)
    guesses = classifier.guess([each.text for each in held_out])
    return [
        Judged(guess.confidence, (guess.label,) == sentence.agents)
        for guess, sentence in zip(guesses, held_out, strict=True)
    ]


def coverage_accuracy(judged: Sequence[Judged]) -> list[Point]:
    """The coverage-accuracy curve: one point for each confidence that occurs, highest first.
    Built in chapter 02, exercise 2.4.

    Args:
        judged: guesses on held-out sentences, in any order. Guesses of the same confidence come
            and go together, because no threshold can tell them apart.

    Returns:
        Points with falling threshold and rising coverage; the last one covers everything. No
        points when nothing was judged.
    """
    ranked = sorted(judged, key=lambda each: each.confidence, reverse=True)
    points, right = [], 0
    for count, each in enumerate(ranked, start=1):
        right += each.right
        if count == len(ranked) or ranked[count].confidence < each.confidence:
            points.append(Point(each.confidence, count / len(ranked), right / count, count))
    return points


def threshold_for(judged: Sequence[Judged], accuracy: float) -> float:
    """The lowest confidence from which on the guesses are right often enough.
    Built in chapter 02, exercise 2.5.

    Args:
        judged: guesses on held-out sentences.
        accuracy: the share of right ones that is wanted, 0 to 1.

    Returns:
        The threshold that covers most while what it covers reaches the accuracy; infinity when no
        threshold does, so that no guess is trusted.

    Raises:
        ValueError: nothing was judged, or the accuracy is no share.
    """
    if not judged:
        raise ValueError("nothing was judged: a threshold needs held-out sentences")
    if not 0 <= accuracy <= 1:
        raise ValueError(f"the accuracy is a share between 0 and 1, not {accuracy}")
    good = [each for each in coverage_accuracy(judged) if each.accuracy >= accuracy]
    return good[-1].threshold if good else math.inf


def wilson(right: int, count: int, *, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a share: where the true one lies with this much certainty.
    Built in chapter 02.

    Args:
        right: how many were right.
        count: how many there were; with none the interval is all of (0, 1).
        level: the certainty, such as 0.95.
    """
    if not count:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, spread = right / count, z * z / count
    middle = share + spread / 2
    half = z * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    low, high = (middle - half) / (1 + spread), (middle + half) / (1 + spread)
    return max(0.0, low), min(1.0, high)
