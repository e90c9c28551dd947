"""The classifier, what its confidence is worth, and the router that asks a model when unsure."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import clock, connect
from course.errors import ConfigurationError
from course.evaluation.calibration import Judged, coverage_accuracy, judge, threshold_for, wilson
from course.models import ApiError, ChatRequest, Scripted
from course.routing import (
    Guess,
    HybridRouter,
    IntentClassifier,
    ModelRouter,
    Route,
    route,
    sentences,
)
from course.routing.sentences import Sentence

MODEL = ModelRouter({"billing": "invoices", "scheduling": "appointments", "triage": "symptoms"})


@pytest.fixture(scope="module")
def classifier() -> IntentClassifier:
    return IntentClassifier(sentences.train())


def test_nothing_heavy_is_loaded_before_a_classifier_is_trained() -> None:
    program = (
        "import sys, course, course.routing, graders.judge.judge, graders.child.main;"
        "from course.evaluation.calibration import coverage_accuracy;"
        "from course.routing import Guess, sentences; sentences.train();"
        "print([n for n in ('sklearn', 'scipy', 'numpy', 'joblib') if n in sys.modules])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert loaded.stdout.strip() == "[]"


def test_without_scikit_learn_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)  # importing it fails, as where there is none
    with pytest.raises(ConfigurationError, match=r"sklearn is missing.* pip install .*\[lab\]"):
        IntentClassifier(sentences.train())


def test_the_three_sets_never_mix_and_cover_every_specialist() -> None:
    sets = [sentences.train(), sentences.calibration(), sentences.test()]
    texts = [each.text.casefold() for some in sets for each in some]
    assert len(set(texts)) == len(texts)
    names = set(sentences.specialists())
    assert len(names) == 8
    for some in sets:
        assert {name for each in some for name in each.agents} == names
        kinds = {each.kind for each in some}
        assert {"plain", "paraphrase", "tricky"} <= kinds
    for some in sets[1:]:
        assert {each.kind for each in some} >= {"out of scope", "several"}
    for each in (each for some in sets for each in some):
        assert (each.kind == "out of scope") == (each.agents == ())
        assert (each.kind == "several") == (len(each.agents) > 1)


def test_a_classifier_learns_what_it_was_told(classifier: IntentClassifier) -> None:
    assert set(classifier.labels) == set(sentences.specialists())
    held_out = [each for each in sentences.test() if each.kind == "plain"]
    guesses = classifier.guess([each.text for each in held_out])
    right = sum((g.label,) == s.agents for g, s in zip(guesses, held_out, strict=True))
    assert right >= 0.85 * len(held_out)
    assert all(1 / 8 <= guess.confidence <= 1 for guess in guesses)


def test_a_classifier_is_the_same_every_time(classifier: IntentClassifier) -> None:
    asked = ["How can I pay?", "My ear hurts."]
    assert IntentClassifier(sentences.train()).guess(asked) == classifier.guess(asked)
    assert classifier.guess(asked) == [*classifier.guess(asked[:1]), *classifier.guess(asked[1:])]


def test_a_classifier_is_unsure_of_what_it_never_saw(classifier: IntentClassifier) -> None:
    [guess] = classifier.guess(["xyzzy"])
    assert guess.confidence < 0.3
    assert classifier.guess([]) == []


def test_a_classifier_needs_two_labels() -> None:
    one = [Sentence("How do I pay?", ("billing",)), Sentence("Rain?", ())]
    with pytest.raises(ConfigurationError, match="at least two specialists"):
        IntentClassifier(one)


def test_a_guess_at_what_is_nobodys_or_several_peoples_is_wrong(
    classifier: IntentClassifier,
) -> None:
    texts = ["How can I pay my invoice?"] * 3
    truths: list[tuple[str, ...]] = [("billing",), (), ("billing", "scheduling")]
    told = [Sentence(text, agents) for text, agents in zip(texts, truths, strict=True)]
    assert [each.right for each in judge(classifier, told)] == [True, False, False]


GUESSES = [Judged(0.9, True), Judged(0.6, False), Judged(0.8, True), Judged(0.6, True)]


def test_the_curve_has_a_point_for_each_confidence() -> None:
    points = coverage_accuracy(GUESSES)
    assert [(p.threshold, p.coverage, p.accuracy, p.count) for p in points] == [
        (0.9, 0.25, 1.0, 1),
        (0.8, 0.5, 1.0, 2),
        (0.6, 1.0, 0.75, 4),
    ]
    assert coverage_accuracy([]) == []


judged = st.lists(st.builds(Judged, st.sampled_from([0.1, 0.4, 0.5, 0.7, 0.99]), st.booleans()))


@given(judged)
def test_the_curve_is_what_counting_says(some: list[Judged]) -> None:
    points = coverage_accuracy(some)
    assert [p.threshold for p in points] == sorted({e.confidence for e in some}, reverse=True)
    for point in points:
        kept = [each.right for each in some if each.confidence >= point.threshold]
        assert point.count == len(kept)
        assert point.coverage == pytest.approx(len(kept) / len(some))
        assert point.accuracy == pytest.approx(sum(kept) / len(kept))


@given(judged.filter(bool), st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0]))
def test_no_lower_threshold_reaches_the_accuracy(some: list[Judged], wanted: float) -> None:
    threshold = threshold_for(some, wanted)

    def accuracy(limit: float) -> float:
        kept = [each.right for each in some if each.confidence >= limit]
        return sum(kept) / len(kept)

    good = [e.confidence for e in some if accuracy(e.confidence) >= wanted]
    assert threshold == min(good, default=math.inf)


def test_a_threshold_may_lie_beyond_a_dip() -> None:
    some = [Judged(0.9, False), *[Judged(0.5, True)] * 9]
    assert threshold_for(some, 0.9) == 0.5


def test_a_threshold_that_cannot_be_had_trusts_no_guess() -> None:
    assert threshold_for([Judged(1.0, False)], 0.5) == math.inf
    with pytest.raises(ValueError, match="nothing was judged"):
        threshold_for([], 0.9)
    with pytest.raises(ValueError, match="between 0 and 1, not 90"):
        threshold_for(GUESSES, 90)


def test_wilsons_interval_is_the_published_one() -> None:
    # Newcombe, "Two-sided confidence intervals for the single proportion" (1998), Table I.
    for right, count, low, high in [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605),
                                    (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]:  # fmt: skip
        assert wilson(right, count) == pytest.approx((low, high), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)
    assert coverage_accuracy(GUESSES)[-1].interval() == pytest.approx(wilson(3, 4))


class Fixed:
    """A classifier that guesses billing, as sure as it is told to be."""

    labels = ("billing", "scheduling")

    def __init__(self, confidence: float) -> None:
        self.confidence = confidence

    def guess(self, requests: Sequence[str]) -> list[Guess]:
        return [Guess("billing", self.confidence)] * len(requests)


def decided(confidence: float, script: Scripted, **options: Any) -> Route:
    router = HybridRouter(classifier=Fixed(confidence), threshold=0.8, otherwise=MODEL, **options)
    return clock.simulate(route(router, "What about Tuesday?", client=connect(script)))


def answers(*agents: str) -> Scripted:
    return Scripted(lambda request: json.dumps({"agents": agents}))


def fails(request: ChatRequest) -> str:
    raise ApiError(401, "no")


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_a_sure_guess_asks_nobody(confidence: float) -> None:
    script = answers("scheduling")
    found = decided(confidence, script)
    assert (found.agents, found.by, found.confidence) == (("billing",), "classifier", confidence)
    assert script.requests == []
    assert found.usage.total == 0


def test_an_unsure_guess_asks_the_model_and_its_word_stands() -> None:
    script = answers("scheduling", "triage")
    found = decided(0.79, script)
    assert (found.agents, found.by) == (("scheduling", "triage"), "model")
    assert len(script.requests) == 1
    assert found.usage.total > 0


def test_a_model_that_names_nobody_is_believed() -> None:
    found = decided(0.79, answers())
    assert (found.agents, found.by) == ((), "model")


@pytest.mark.parametrize(
    ("confidence", "agents"), [(0.79, ("billing",)), (0.5, ("billing",)), (0.49, ())]
)
def test_without_a_model_a_guess_counts_down_to_the_floor(
    confidence: float, agents: tuple[str, ...]
) -> None:
    found = decided(confidence, Scripted(fails), floor=0.5)
    assert (found.agents, found.by, found.confidence) == (agents, "classifier", confidence)
    assert "key is not accepted" in found.why


def test_a_route_that_is_none_counts_as_no_model() -> None:
    found = decided(0.6, Scripted(lambda request: "billing, surely"))
    assert (found.agents, found.by) == (("billing",), "classifier")
    assert "no route" in found.why


def test_a_hybrid_may_choose_whom_either_may_choose() -> None:
    router = HybridRouter(classifier=Fixed(0.5), threshold=1, otherwise=MODEL)
    assert list(router.names) == ["billing", "scheduling", "triage"]


def test_a_calibrated_threshold_keeps_its_word_on_other_sentences(
    classifier: IntentClassifier,
) -> None:
    threshold = threshold_for(judge(classifier, sentences.calibration()), 0.9)
    unseen = judge(classifier, sentences.test())
    kept = [each.right for each in unseen if each.confidence >= threshold]
    everything = sum(each.right for each in unseen) / len(unseen)
    assert len(kept) >= 0.15 * len(unseen)
    low, high = wilson(sum(kept), len(kept))
    assert low <= 0.9 <= high  # what was promised lies where the unseen sentences say it may
    assert sum(kept) / len(kept) > everything + 0.2
