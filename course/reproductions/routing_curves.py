"""Routers without a model on real sentences: how often right, as specialists multiply.

Three routers that cost next to nothing: words of the intents' names, TF-IDF with logistic
regression, and vectors (latent semantic analysis, nearest specialist). The hybrid decides where
TF-IDF is sure and leaves the rest to a model.

Source: CLINC150, Larson et al. (EMNLP 2019): 150 intents in ten domains, each a specialist here,
and 1,000 sentences that belong to nobody.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from course.benches.public import fetch, intents
from course.drawing import GREY, tidy
from course.errors import ConfigurationError
from course.evaluation.calibration import wilson
from course.lab.figures import curves as lines
from course.lab.figures import note
from course.routing.sentences import Sentence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COUNTS = (2, 3, 5, 8, 10)
SURE = 0.8
SHAPE = 100  # dimensions of the vectors
CAPTION = """\
Each of the first domains is a specialist, with 450 sentences to test. Accuracy with Wilson's
interval; the hybrid's is over what TF-IDF decides with a confidence of {sure} or more, and coverage
is the share of that. Of {nobody:,} sentences that are nobody's it leaves {rejected:.0%} to the
model, with ten specialists. Nobody published these curves: they are ours. The paper's own
classifiers tell all 150 intents apart (SVM 91.0 %, BERT 96.9 %)."""


def scores(train: Sequence[Sentence], texts: Sequence[str]) -> tuple[list[str], Any, Any]:
    """Probabilities (TF-IDF, logistic regression) and likenesses (vectors) of each specialist.

    Args:
        train: sentences of one specialist each.
        texts: to be routed.

    Returns:
        The specialists' names, and two tables of floats, a row for each text.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import normalize

    labels = np.array([each.agents[0] for each in train])
    vectors = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    learned = vectors.fit_transform([each.text for each in train])
    asked = vectors.transform(texts)
    model = LogisticRegression(C=10.0, max_iter=300).fit(learned, labels)
    size = min(SHAPE, learned.shape[1] - 1, learned.shape[0] - 1)
    reduced = TruncatedSVD(size, random_state=0).fit(learned)
    near, far = (normalize(reduced.transform(table)) for table in (learned, asked))
    names = list(map(str, model.classes_))
    middles = normalize(np.stack([near[labels == name].mean(axis=0) for name in names]))
    return names, model.predict_proba(asked), far @ middles.T


def by_words(words: dict[str, set[str]], text: str) -> str:
    """The specialist most of whose words occur in a text; "" where none does."""
    said = set(text.lower().split())
    hits = {name: len(said & own) for name, own in words.items()}
    best = max(hits, key=lambda name: hits[name])
    return best if hits[best] else ""


def curves(
    train: Sequence[Sentence], test: Sequence[Sentence], words: dict[str, set[str]],
    *, counts: Sequence[int] = COUNTS, sure: float = SURE,
) -> tuple[pd.DataFrame, float]:  # fmt: skip
    """Accuracy and coverage of each router among the first so many specialists.

    Args:
        train: to learn from, one specialist each.
        test: to be routed; those of nobody have no agents.
        words: what the keyword router looks for, by specialist.
        counts: of specialists.
        sure: the hybrid's threshold.

    Returns:
        A table for `drawn` (router, specialists, accuracy, low, high,
        coverage), and the share of nobody's sentences that the last hybrid leaves to a model.

    Raises ConfigurationError: there are not so many specialists.
    """
    listed = list(words)
    if max(counts) > len(listed):
        raise ConfigurationError(f"there are {len(listed)} specialists, not {max(counts)}")
    rows, rejected = [], 0.0
    for count in counts:
        here = listed[:count]
        asked = [each for each in test if each.agents and each.agents[0] in here]
        nobody = [each.text for each in test if not each.agents]
        truth = np.array([each.agents[0] for each in asked])
        known = [each for each in train if each.agents[0] in here]
        names, chances, likeness = scores(known, [each.text for each in asked] + nobody)
        own = {name: words[name] for name in here}
        keyword = np.array([by_words(own, each.text) for each in asked])
        sides = (table[: len(asked)] for table in (chances, likeness))
        tfidf, vector = (np.array(names)[table.argmax(axis=1)] for table in sides)
        confident = chances.max(axis=1) >= sure
        certain = confident[: len(asked)]
        rejected = float(1 - confident[len(asked) :].mean()) if nobody else 0.0
        for router, right in (
            ("keyword", keyword == truth), ("TF-IDF", tfidf == truth), ("vector", vector == truth),
            ("hybrid", (tfidf == truth)[certain]),
        ):  # fmt: skip
            low, high = wilson(int(right.sum()), len(right))
            rows.append({
                "router": router, "specialists": count, "accuracy": float(right.mean()),
                "low": low, "high": high,
                "coverage": float(certain.mean()) if router == "hybrid" else 1.0,
            })  # fmt: skip
    return pd.DataFrame(rows), rejected


def drawn(table: pd.DataFrame, ax: Axes) -> str:
    """Routing accuracy as specialists multiply, and how much a hybrid decides without a model.

    Args:
        table: of `curves`.
        ax: to draw on.
    """
    ax.set_ylim(0, 1.04)
    groups, told = lines(table.rename(columns={"accuracy": "value"}), ax, "specialists", "router")
    covered = ""
    for name, group in groups:
        if (group["coverage"] < 1).any():
            ax.plot(group["specialists"], group["coverage"], color=GREY, marker="d", markersize=4,
                    linestyle=":")  # fmt: skip
            end = group.iloc[-1]
            note(ax, f"coverage of {name}", (end["specialists"], end["coverage"]), (-4, -13),
                  ha="right")  # fmt: skip
            first, last = group["coverage"].iloc[0], end["coverage"]
            covered += f" Coverage of {name}: {first:.2f} to {last:.2f}."
    tidy(ax, x="specialists", y="right among the decided (share)")
    return (
        "Line chart of routing accuracy against the number of specialists by router: "
        f"{told}.{covered}"
    )


def _clinc150(counts: Sequence[int] = COUNTS) -> tuple[pd.DataFrame, float]:
    """`curves` on CLINC150 by domain; the words are those of each domain's intents.

    Raises ConfigurationError: the set is not here and cannot be fetched.
    """
    train, test = intents("clinc150")
    domains: dict[str, list[str]] = json.loads(fetch("clinc150")[1])
    words = {name: {w for i in own for w in i.split("_")} for name, own in domains.items()}
    return curves(train, test, words, counts=counts)


def told() -> str:
    """The curves as a table in Markdown with a caption.

    Raises ConfigurationError: as `clinc150`.
    """
    table, rejected = _clinc150()
    nobody = sum(not each.agents for each in intents("clinc150")[1])
    wide = {(r["router"], r["specialists"]): r for r in table.to_dict("records")}
    routers = list(dict.fromkeys(table["router"]))
    rows = []
    for count in COUNTS:
        cells = [
            f"{r['accuracy']:.3f} [{r['low']:.3f}, {r['high']:.3f}]"
            for r in (wide[name, count] for name in routers)
        ]
        rows.append(f"| {count} | {' | '.join(cells)} | {wide['hybrid', count]['coverage']:.3f} |")
    head = f"| specialists | {' | '.join(routers)} | coverage of the hybrid |"
    caption = CAPTION.format(sure=SURE, nobody=nobody, rejected=rejected)
    return "\n".join((caption, "", head, "|---" * (len(routers) + 2) + "|", *rows))
