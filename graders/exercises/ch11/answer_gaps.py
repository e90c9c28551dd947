"""What an answer says of the tasks that have no result."""

from __future__ import annotations

from graders.checks.text import content_words, folded, holds, share, words
from graders.exercises.ch11.distinct_mentions import told_apart
from graders.exercises.ch11.observed_run import Seen
from graders.exercises.ch11.told_results import id_of
from graders.exercises.ch11.verdicts import wrong
from graders.exercises.kit import *
from graders.records.wording import listed

CODES = {
    "project.gap_unnamed": "the answer does not name a task that has no result",
    "project.gap_alike": "the answer says the same of what has a result and of what has none",
}

_NAMED = 0.6  # share of a task's words that name it


def names_gaps(seen: Seen) -> Iterator[Verdict]:
    """Each task without a result is named in the answer as missing."""
    said = seen.answer
    unnamed = [ref for ref in seen.unfinished if not _named(seen, ref, said)]
    if unnamed:
        missing = listed([id_of(seen, ref) for ref in seen.unfinished])
        yield wrong(
            "gap_unnamed",
            expected=f"the answer to name what has no result: {missing}",
            got=f"but it says nothing of {listed([id_of(seen, ref) for ref in unnamed])}",
            look="tell the model which tasks failed, or say it yourself",
            seen=seen,
        )


def tells_gaps_apart(seen: Seen) -> Iterator[Verdict]:
    """What the answer says of a task without a result, it does not say of those that have one."""
    alike = [ref for ref in seen.unfinished if not _apart(seen, ref)]
    if alike:
        yield wrong(
            "gap_alike",
            expected=f"the answer to tell {id_of(seen, alike[0])}, which has no result, apart from"
            " what has one",
            got="but it says the same of all",
            look="look at which tasks you name as missing",
            seen=seen,
        )


def _apart(seen: Seen, ref: str) -> bool:
    said, there = seen.answer, list(seen.finished)
    described = [folded(str(seen.planned[r]["description"])) in folded(said) for r in there]
    return (
        told_apart(said, id_of(seen, ref), [id_of(seen, other) for other in there])
        or told_apart(said, ref, there)
        or (share(_about(seen, ref), words(said)) >= _NAMED and not all(described))
    )


def _named(seen: Seen, ref: str, said: str) -> bool:
    told = holds(said, str(seen.planned[ref]["id"])) or holds(said, ref)
    return told or share(_about(seen, ref), words(said)) >= _NAMED


def _about(seen: Seen, ref: str) -> set[str]:
    return content_words(str(seen.planned[ref]["description"])) - {ref.casefold()}
