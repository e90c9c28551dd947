"""Arithmetic of what ran when: peaks, wasted waiting, longest chains. Half open, in seconds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

EPSILON = 2e-6
"""Worlds keep whole microseconds, so times may be off by that much; nothing else is forgiven."""

Interval = tuple[float, float]
After = Mapping[str, Sequence[str]]


def later(one: float, other: float, slack: float = 0.0) -> bool:
    """Whether `one` comes after `other` by more than `slack` and rounding."""
    return one - other > slack + EPSILON


def peak(intervals: Iterable[Interval]) -> tuple[int, float]:
    """How many ran at once at most, and when first. What ends at t is over for what starts at t."""
    edges = [edge for begin, end in intervals if end > begin for edge in ((begin, 1), (end, -1))]
    running, most, when = 0, 0, 0.0
    for time, step in sorted(edges):
        running += step
        if running > most:
            most, when = running, time
    return most, when


Profile = tuple[list[float], list[int]]
"""Times in order, and how many run from each of them on."""


def profile(intervals: Iterable[Interval]) -> Profile:
    """How many run when."""
    edges = [edge for begin, end in intervals for edge in ((begin, 1), (end, -1))]
    times, counts, running = [], [], 0
    for time, step in sorted(edges):
        running += step
        times.append(time)
        counts.append(running)
    return times, counts


def idle(running: Profile, wait: Interval, limit: int | None) -> float:
    """Seconds within `wait` during which fewer than `limit` ran; without a limit all of them."""
    begin, end = wait
    if end <= begin or limit is None:
        return max(0.0, end - begin)
    times, counts = running
    first = bisect_right(times, begin)
    total, at, now = 0.0, begin, counts[first - 1] if first else 0
    for time, count in zip(times[first:], counts[first:], strict=True):
        total += max(0.0, min(time, end) - at) if now < limit else 0.0
        at, now = min(time, end), count
        if time >= end:
            return total
    return total + (end - at if now < limit else 0.0)


def gaps(whole: Interval, covered: Iterable[Interval]) -> list[Interval]:
    """The parts of `whole` that no other interval covers, in order."""
    begin, end = whole
    left = []
    for start, stop in sorted(covered):
        if start > begin:
            left.append((begin, min(start, end)))
        begin = max(begin, stop)
    left.append((begin, end))
    return [(a, b) for a, b in left if b > a]


def cycle_in(after: After) -> list[str]:
    """The members of one cycle, in order, each needing the next; empty when there is none."""
    state: dict[str, bool] = {}  # False while its needs are being followed, True afterwards
    for root in after:
        if root in state:
            continue
        state[root] = False
        path = [(root, iter(after.get(root, ())))]
        while path:
            label, needs = path[-1]
            step = next((n for n in needs if not state.get(n, False)), None)
            if step is None:
                state[label] = True
                path.pop()
            elif step in state:
                members = [each for each, _ in path]
                return members[members.index(step) :]
            else:
                state[step] = False
                path.append((step, iter(after.get(step, ()))))
    return []


def in_order(labels: Iterable[str], after: After) -> list[str]:
    """The labels, each behind what it needs; `after` must be free of cycles."""
    ordered: dict[str, None] = {}
    pending = list(labels)[::-1]
    while pending:
        needs = [n for n in after.get(pending[-1], ()) if n not in ordered]
        if needs:
            pending += needs
        else:
            ordered[pending.pop()] = None
    return list(ordered)


def longest_chain(length: Mapping[str, float], after: After) -> tuple[float, list[str]]:
    """The critical path: the seconds and labels of the longest chain of needs."""
    total: dict[str, float] = {}
    before: dict[str, str | None] = {}
    for label in in_order(length, after):
        needs = [n for n in after.get(label, ()) if n in total]
        last = max(needs, key=lambda n: total[n], default=None)
        before[label] = last
        total[label] = length.get(label, 0.0) + (total[last] if last is not None else 0.0)
    tail = max(total, key=lambda n: total[n], default=None)
    best, chain = (total[tail] if tail is not None else 0.0), []
    while tail is not None:
        chain.append(tail)
        tail = before[tail]
    return best, chain[::-1]


def levels(labels: Iterable[str], after: After) -> dict[str, int]:
    """The wave a label belongs to: 0 when it needs nothing, else one more than what it needs."""
    level: dict[str, int] = {}
    for label in in_order(labels, after):
        level[label] = 1 + max((level[n] for n in after.get(label, ())), default=-1)
    return level
