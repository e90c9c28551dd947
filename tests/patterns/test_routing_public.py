"""The classifier on public sentences: CLINC150 and BANKING77, read where somebody has put them.

The data belong to their publishers and are no part of this project. The folder that the variable
SWITCHBOARD_DATA names holds `clinc150.json.gz` and `clinc150-domains.json` (CC BY 3.0; Larson et
al., "An Evaluation Dataset for Intent Classification and Out-of-Scope Prediction", EMNLP 2019) and
`banking77-train.csv.gz`, `banking77-test.csv.gz` (CC BY 4.0; Casanueva et al., "Efficient Intent
Detection with Dual Sentence Encoders", 2020). Without them these tests are skipped.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from course.evaluation.calibration import coverage_accuracy, judge, threshold_for
from course.routing import IntentClassifier
from course.routing.sentences import Sentence
from tests.needs import lacking

DATA = Path(os.environ.get("SWITCHBOARD_DATA", "no folder"))


def need(*names: str) -> None:
    if missing := [name for name in names if not (DATA / name).is_file()]:
        lacking("public data", f"no {', '.join(missing)}")


@dataclass(frozen=True)
class Clinc:
    classifier: IntentClassifier
    held_out: list[Sentence]
    unseen: list[Sentence]
    nobody: list[Sentence]


@pytest.fixture(scope="module")
def clinc() -> Clinc:
    """The ten domains of CLINC150, the classifier trained on its 15,000 sentences."""
    need("clinc150.json.gz", "clinc150-domains.json")
    sets = json.loads(gzip.decompress((DATA / "clinc150.json.gz").read_bytes()))
    domains = json.loads((DATA / "clinc150-domains.json").read_text())
    domain = {intent: name for name, intents in domains.items() for intent in intents}

    def read(name: str) -> list[Sentence]:
        return [Sentence(text, (domain[intent],)) for text, intent in sets[name]]

    nobody = [Sentence(text, ()) for text, _ in sets["oos_test"]]
    return Clinc(IntentClassifier(read("train")), read("val"), read("test"), nobody)


def test_ten_domains_are_told_apart_as_published(clinc: Clinc) -> None:
    points = coverage_accuracy(judge(clinc.classifier, clinc.unseen))
    assert points[-1].accuracy >= 0.965  # word TF-IDF and logistic regression, on the same split
    at = {limit: max(p.coverage for p in points if p.threshold >= limit) for limit in (0.5, 0.7)}
    assert at[0.5] >= 0.97
    assert at[0.7] >= 0.92
    sure = min((p for p in points if p.threshold >= 0.7), key=lambda p: p.threshold)
    assert sure.accuracy >= 0.989


def test_a_threshold_from_held_out_sentences_holds_on_unseen_ones(clinc: Clinc) -> None:
    threshold = threshold_for(judge(clinc.classifier, clinc.held_out), 0.99)
    unseen = judge(clinc.classifier, clinc.unseen)
    kept = [each.right for each in unseen if each.confidence >= threshold]
    assert len(kept) / len(unseen) > 0.85
    assert sum(kept) / len(kept) == pytest.approx(0.99, abs=0.006)


def test_what_is_out_of_scope_is_mostly_left_to_the_model(clinc: Clinc) -> None:
    strange = judge(clinc.classifier, clinc.nobody)
    assert sum(each.confidence < 0.7 for each in strange) / len(strange) > 0.7
    assert sum(each.confidence < 0.9 for each in strange) / len(strange) > 0.9


def test_seventy_seven_intents_are_told_apart_as_published() -> None:
    need("banking77-train.csv.gz", "banking77-test.csv.gz")

    def read(name: str) -> list[Sentence]:
        text = gzip.decompress((DATA / name).read_bytes()).decode("utf-8")
        rows = csv.DictReader(io.StringIO(text))
        return [Sentence(row["text"], (row["category"],)) for row in rows]

    classifier = IntentClassifier(read("banking77-train.csv.gz"))
    points = coverage_accuracy(judge(classifier, read("banking77-test.csv.gz")))
    assert points[-1].accuracy >= 0.89
