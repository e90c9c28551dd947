"""What the result is made of: what was received, nothing that nobody sent, and its gaps named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graders.checks.calls import absent
from graders.checks.keys import Key, answered, grouped
from graders.checks.places import placed
from graders.checks.text import (
    MISSING,
    folded,
    holds,
    leaves,
    proof,
    proven,
    reach,
    said,
    text_of,
)
from graders.records.log import Exchange, Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import bars, fail, listed, sealed, shown, unfinished

CODES = {
    "content.missing": "something that the result needs was not asked",
    "content.no_answer": "something that the result needs was asked, but never answered",
    "content.no_result": "the run ended without a result",
    "content.lost": "an answer that was received is not in the result",
    "content.misplaced": "an answer is in the result, but not where it belongs",
    "content.order": "the answers are in the result in another order",
    "gaps.no_result": "the run ended without a result",
    "gaps.missing": "something that should be asked was not asked",
    "gaps.unnamed": "the result does not say what is missing",
    "gaps.false_alarm": "the result says that something is missing which had arrived",
}


def built_from(
    key: Key,
    labels: Sequence[str],
    *,
    at: str = "",
    places: Mapping[str, str] | None = None,
    ordered: bool = False,
) -> Check:
    """The result holds what was received: the fresh token of each answer.

    Args:
        key: which exchange belongs to which label.
        labels: whose answers must be in it. Of several answers the last one or any other will do.
        at: dotted path to the part of the result that counts.
        places: label -> dotted path (from `at`) where its answer belongs.
        ordered: the answers must stand in the order of the labels.
    """

    @sealed
    def check(log: Log) -> Verdict:
        stopped = unfinished(log, "content.no_result", f"a result with {listed(labels)}")
        if stopped:
            return stopped
        groups = grouped(log, key)
        missing = absent(groups, labels, "content.missing", "a call")
        if missing:
            return missing
        silent = [label for label in labels if answered(groups[label]) is None]
        if silent:
            return _unanswered(log, groups, silent)
        whole = text_of(_part(log, at))
        answers = {n: _shown_in(whole, groups[n]) for n in labels}
        return (
            lost_trouble("content.lost", log, answers, at)
            or _misplaced(log, answers, at, places or {})
            or (_disordered(log, answers, whole) if ordered else None)
            or passed()
        )

    return check


def gaps_named(
    key: Key,
    labels: Sequence[str],
    *,
    at: str | None = None,
    names: Mapping[str, str] | None = None,
) -> Check:
    """What was asked and never answered is named in the result, and nothing else is.

    Args:
        key: which exchange belongs to which label.
        labels: what is asked; the scenario lets some of it fail.
        at: dotted path to the part of the result that names the gaps; without it, the names may
            stand anywhere, and a false alarm cannot be told.
        names: label -> the words that name it, where they are not the label itself.
    """

    @sealed
    def check(log: Log) -> Verdict:
        stopped = unfinished(log, "gaps.no_result", "a result that names what is missing")
        if stopped:
            return stopped
        groups = grouped(log, key)
        missing = absent(groups, labels, "gaps.missing", "a call")
        if missing:
            return missing
        there = [label for label in labels if answered(groups[label])]
        left = [label for label in labels if label not in there]
        return gap_trouble("gaps", log, left, there, at, names or {}) or passed()

    return check


def lost_trouble(code: str, log: Log, answers: Mapping[str, Exchange], at: str) -> Verdict | None:
    """The verdict on answers that are not in the result; None when all are."""
    whole = text_of(_part(log, at))
    lost = [label for label, each in answers.items() if not proven(whole, each)]
    if not lost:
        return None
    first = answers[lost[0]]
    return fail(
        code,
        expected=f"the answers of {listed(answers)} in {placed(at, log.places)}",
        got=f"but that of {listed(lost)} is not there: {shown(', '.join(proof(first)), 30)}",
        look="look at what becomes of the replies",
        evidence=bars(log.exchanges, [answers[label].number for label in lost]),
    )


def gap_trouble(
    family: str,
    log: Log,
    left: Sequence[str],
    there: Sequence[str],
    at: str | None,
    names: Mapping[str, str],
) -> Verdict | None:
    """The verdict on how a result names what is missing; None when it does so rightly."""
    every = {label: names.get(label, label) for label in (*left, *there)}
    named = _named(text_of(_part(log, at or "")), every)
    where = placed(at or "", log.places)
    unnamed = [label for label in left if label not in named]
    if unnamed:
        return fail(
            f"{family}.unnamed",
            expected=f"{where} to name what is missing: {listed(left)}",
            got=f"but it says nothing of {listed(unnamed)}",
            look="look at what becomes of a call that brought nothing",
            evidence=bars(log.exchanges),
        )
    wrong = [label for label in there if at is not None and label in named]
    if wrong:
        return fail(
            f"{family}.false_alarm",
            expected=f"{where} to name {listed(left) or 'nothing'} as missing",
            got=f"but it names {listed(wrong)}, which had arrived",
            look="look at what decides that something is missing",
            evidence=bars(log.exchanges),
        )
    return None


def _named(said: str, names: Mapping[str, str]) -> set[str]:
    """The labels whose names a text holds; "New York" does not name York as well."""
    text, found = folded(said), set()
    for label, name in sorted(names.items(), key=lambda item: -len(item[1])):
        if holds(text, name):
            found.add(label)
            text = text.replace(folded(name), " | ")
    return found


def _part(log: Log, at: str) -> object:
    found = reach(log.result, at)
    return "" if found is MISSING else found


def _shown_in(whole: str, exchanges: Sequence[Exchange]) -> Exchange:
    """Of several answers the one that the result holds, else the last."""
    done = [e for e in exchanges if e.outcome == "answered"]
    return next((e for e in done if proven(whole, e)), done[-1])


def _unanswered(
    log: Log, groups: Mapping[str, Sequence[Exchange]], silent: Sequence[str]
) -> Verdict:
    return fail(
        "content.no_answer",
        expected=f"an answer for {listed(silent)}",
        got="but each of its calls failed or was given up",
        look="look at what is done when a call fails",
        evidence=bars(log.exchanges, [e.number for label in silent for e in groups[label]]),
    )


def _misplaced(
    log: Log, answers: Mapping[str, Exchange], at: str, places: Mapping[str, str]
) -> Verdict | None:
    for label, place in places.items():
        path = ".".join(part for part in (at, place) if part)
        there = reach(log.result, path)
        if label in answers and not proven(text_of(there), answers[label]):
            return fail(
                "content.misplaced",
                expected=f"the answer of {shown(label)} in {placed(path, log.places)}",
                got=f"got {shown(there) if there is not MISSING else 'nothing'} there",
                look="look at how answers and calls are matched",
                evidence=bars(log.exchanges, [answers[label].number]),
            )
    return None


def _disordered(log: Log, answers: Mapping[str, Exchange], whole: str) -> Verdict | None:
    text = " ".join(whole.casefold().split())
    spots = [
        (text.find(" ".join(proof(e)[0].casefold().split())), n)
        for n, e in answers.items()
        if proof(e)
    ]
    if spots == sorted(spots, key=lambda spot: spot[0]):
        return None
    came = [label for _, label in sorted(spots, key=lambda spot: spot[0])]
    return fail(
        "content.order",
        expected=f"the answers in the order {listed(answers, 6)}",
        got=f"got {listed(came, 6)}",
        look="do they stand in the order of the calls, or of their ends?",
        evidence=bars(log.exchanges),
    )


def texts_of(log: Log) -> list[str]:
    """Every text that was sent to the judged code: replies, errors and parameters."""
    sent = [leaf for e in log.exchanges for leaf in leaves(said(e))]
    return [*sent, *leaves(log.params)]
