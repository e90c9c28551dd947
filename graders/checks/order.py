"""Order and dependency order: what waits for what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from graders.checks.calls import absent
from graders.checks.intervals import EPSILON, After, cycle_in
from graders.checks.keys import Key, answered, end_of, grouped, keyed
from graders.checks.text import proven, text_of
from graders.records.log import Exchange, Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import bars, fail, listed, sealed, seconds, shown

CODES = {
    "order.missing": "a step of the sequence was not taken",
    "order.swapped": "two steps came the wrong way round",
    "order.too_early": "a step began before the one before it was answered",
    "dependencies.missing": "a task was not started at all",
    "dependencies.too_early": "a task was started before the answer that it needs was there",
    "dependencies.failed": "a task was started although what it needs never succeeded",
    "dependencies.not_carried": "a task waited for the answer it needs, but did not get it along",
}

Groups = Mapping[str, Sequence[Exchange]]


def sequence(key: Key, labels: Sequence[str], *, waits: bool = True) -> Check:
    """The labels are asked in this order.

    Args:
        key: which exchange belongs to which label.
        labels: the order; each has to be there.
        waits: each begins only when the one before it has been answered or has failed. Without it
            the order of the first requests is enough.
    """

    @sealed
    def check(log: Log) -> Verdict:
        groups = grouped(log, key)
        missing = absent(groups, labels, "order.missing", "a step")
        if missing:
            return missing
        for before, after in pairwise(labels):
            trouble = _stepped(groups, before, after, waits)
            if trouble:
                code, got, meant = trouble
                return fail(
                    code,
                    expected=f"the order {listed(labels, 6)}",
                    got=got,
                    look="look at what is awaited before it",
                    evidence=bars(keyed(log, key), [meant.number]),
                )
        return passed()

    return check


def dependencies(key: Key, after: After, *, carries: bool = False) -> Check:
    """Each task starts only when what it needs has been answered.

    Args:
        key: which exchange belongs to which task.
        after: task -> the tasks whose answers it needs. Each task must be started.
        carries: its request must also hold the fresh token of each answer that it needs.

    Raises:
        ValueError: `after` goes round in a circle.
    """
    refuse_cycles(after)
    labels = everyone(after)

    @sealed
    def check(log: Log) -> Verdict:
        groups = grouped(log, key)
        missing = absent(groups, labels, "dependencies.missing", "a task")
        if missing:
            return missing
        for label, needs in after.items():
            for need in needs:
                trouble = _needed(groups, label, need, carries)
                if trouble:
                    code, got, look, meant = trouble
                    return fail(
                        code,
                        expected=f"{shown(label)} to build on the answer of {shown(need)}",
                        got=got,
                        look=look,
                        evidence=bars(keyed(log, key), [meant.number]),
                    )
        return passed()

    return check


def everyone(after: After) -> list[str]:
    """All labels that a table of needs names, in order."""
    return list(dict.fromkeys(label for task, needs in after.items() for label in (*needs, task)))


def refuse_cycles(after: After) -> None:
    """Raise ValueError when an exercise's own table of needs goes round in a circle."""
    cycle = cycle_in(after)
    if cycle:
        raise ValueError(f"the dependencies of this check go in a circle: {listed(cycle)}")


def began_before(later: Exchange, earlier: Exchange) -> bool:
    """Whether `later` was sent before the end of `earlier` was known.

    At the same moment the order of arrival decides; a call of no length is over at once.
    """
    end = end_of(earlier)
    if end - later.start > EPSILON:
        return True
    return later.start <= end and later.number < earlier.number


def _stepped(
    groups: Groups, before: str, after: str, waits: bool
) -> tuple[str, str, Exchange] | None:
    one, other = groups[before], groups[after]
    if other[0].number < one[0].number:
        got = f"but {shown(after)} came before {shown(before)}"
        return "order.swapped", got, other[0]
    done = answered(one) or one[-1]
    if waits and began_before(other[0], done):
        got = f"but {shown(after)} began at {seconds(other[0].start)}, before {shown(before)} ended"
        return "order.too_early", got, other[0]
    return None


def _needed(
    groups: Groups, label: str, need: str, carries: bool
) -> tuple[str, str, str, Exchange] | None:
    done = answered(groups[need])
    first = next((e for e in groups[label] if done and not began_before(e, done)), None)
    early = groups[label][0]
    if done is None:
        got = f"but it was sent at {seconds(early.start)} and {shown(need)} was never answered"
        return "dependencies.failed", got, "look at what happens after a failed task", early
    if first is not early:
        got = (
            f"but it was sent at {seconds(early.start)}, the answer came at {seconds(end_of(done))}"
        )
        return "dependencies.too_early", got, "look at what is awaited before it", early
    sent = "\n".join(text_of(each.request) for each in groups[label][-1:])
    dones = [e for e in groups[need] if e.outcome == "answered"]
    if carries and not any(proven(sent, each) for each in dones):
        got = "but that answer is not in its request"
        return "dependencies.not_carried", got, "look at what is handed on to it", early
    return None
