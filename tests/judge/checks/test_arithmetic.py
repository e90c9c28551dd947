"""Peaks, gaps, chains and schedules, against brute force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import assume, given
from hypothesis import strategies as st

from graders.checks import all_of, by_tool, concurrency, dependencies, parallel
from graders.checks.examples.play import call, seen
from graders.checks.intervals import (
    After,
    cycle_in,
    gaps,
    idle,
    levels,
    longest_chain,
    peak,
    profile,
)
from graders.records.log import Log

LABELS = "abcdefg"
WHOLE = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda two: (min(two), max(two)))
INTERVALS = st.lists(WHOLE, max_size=8)


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, list[str]]:
    """Needs without circles: each label may need earlier ones."""
    size = draw(st.integers(2, len(LABELS)))
    return {
        LABELS[n]: draw(st.lists(st.sampled_from(LABELS[:n]), unique=True, max_size=3)) if n else []
        for n in range(size)
    }


LENGTHS = st.fixed_dictionaries({label: st.integers(1, 5) for label in LABELS})


def running(intervals: Sequence[tuple[int, int]], second: int) -> int:
    return sum(begin <= second < end for begin, end in intervals)


@given(INTERVALS)
def test_the_peak_is_that_of_every_single_second(intervals: list[tuple[int, int]]) -> None:
    most, when = peak(intervals)
    assert most == max(running(intervals, second) for second in range(13))
    assert most == 0 or running(intervals, int(when)) == most


@given(INTERVALS, WHOLE, st.integers(1, 4))
def test_idle_time_is_counted_second_by_second(
    intervals: list[tuple[int, int]], wait: tuple[int, int], limit: int
) -> None:
    wanted = sum(running(intervals, second) < limit for second in range(*wait))
    assert idle(profile(intervals), wait, limit) == wanted
    assert idle(profile(intervals), wait, None) == wait[1] - wait[0]


@given(WHOLE, INTERVALS)
def test_gaps_are_the_seconds_that_nothing_covers(
    whole: tuple[int, int], covered: list[tuple[int, int]]
) -> None:
    left = {second for begin, end in gaps(whole, covered) for second in range(begin, end)}
    assert left == {second for second in range(*whole) if not running(covered, second)}


def chains(label: str, needs: After) -> list[list[str]]:
    """Every chain of needs that ends in a label."""
    before = [chain for need in needs[label] for chain in chains(need, needs)]
    return [[label], *([*chain, label] for chain in before)]


@given(graphs(), LENGTHS)
def test_the_critical_path_is_the_longest_of_all(
    needs: dict[str, list[str]], length: Mapping[str, int]
) -> None:
    lengths = {label: float(length[label]) for label in needs}
    every = [chain for label in needs for chain in chains(label, needs)]
    longest = max(sum(lengths[label] for label in chain) for chain in every)
    seconds, path = longest_chain(lengths, needs)
    assert seconds == longest
    assert path in every and sum(lengths[label] for label in path) == longest
    wave = levels(needs, needs)
    assert all(wave[need] < wave[label] for label in needs for need in needs[label])


@given(st.dictionaries(st.sampled_from("abcde"), st.lists(st.sampled_from("abcde"), max_size=3)))
def test_a_circle_is_found_if_there_is_one(needs: dict[str, list[str]]) -> None:
    circle = cycle_in(needs)
    for one, other in zip(circle, [*circle[1:], *circle[:1]], strict=True):
        assert other in needs[one]
    left = {label: set(each) for label, each in needs.items()}
    while free := [label for label, each in left.items() if not each & set(left)]:
        for label in free:
            del left[label]
    assert bool(circle) == bool(left)


# -- schedules -------------------------------------------------------------------------------


def scheduled(needs: After, length: Mapping[str, int], limit: int) -> dict[str, tuple[int, int]]:
    """Each task as soon as it can, second by second, never more than `limit` at once."""
    times: dict[str, tuple[int, int]] = {}
    for second in range(200):
        for label in needs:
            ready = all(times.get(n, (0, 999))[1] <= second for n in needs[label])
            busy = running(list(times.values()), second)
            if label not in times and ready and busy < limit:
                times[label] = (second, second + length[label])
    return times


def logged(times: Mapping[str, tuple[float, float]]) -> Log:
    ordered = sorted(times.items(), key=lambda item: item[1])
    return seen(*(call(label, begin, end) for label, (begin, end) in ordered))


@given(graphs(), LENGTHS, st.integers(1, 8))
def test_a_greedy_schedule_passes_at_its_limit(
    needs: dict[str, list[str]], length: Mapping[str, int], limit: int
) -> None:
    log = logged(scheduled(needs, length, limit))
    check = all_of(
        dependencies(by_tool(), needs),
        concurrency(limit, by_tool(), used=False),
        parallel(by_tool(), after=needs, limit=limit),
    )
    verdict = check(log)
    assert verdict.passed, verdict
    if limit >= len(needs):
        assert parallel(by_tool(), after=needs)(log).passed


@given(graphs(), LENGTHS)
def test_one_by_one_passes_only_where_nothing_could_overlap(
    needs: dict[str, list[str]], length: Mapping[str, int]
) -> None:
    best = scheduled(needs, length, 99)
    log = logged(scheduled(needs, length, 1))
    could = peak(list(best.values()))[0] > 1
    verdict = parallel(by_tool(), after=needs)(log)
    assert verdict.code == ("parallel.one_at_a_time" if could else "ok")


@given(graphs(), LENGTHS, st.sampled_from(LABELS), st.sampled_from([0.001, 0.5, 7.0]))
def test_any_delay_is_seen_and_forgiven_within_the_slack(
    needs: dict[str, list[str]], length: Mapping[str, int], late: str, delay: float
) -> None:
    assume(late in needs and any(late in each for each in needs.values()) is False)
    times: dict[str, tuple[float, float]] = dict(scheduled(needs, length, 99))
    begin, end = times[late]
    assume(needs[late] or sum(not each for each in needs.values()) > 1)
    times[late] = (begin + delay, end + delay)
    log = logged(times)
    assert not parallel(by_tool(), after=needs)(log).passed
    assert parallel(by_tool(), after=needs, slack=delay + 0.0001)(log).passed


@given(graphs(), LENGTHS, st.sampled_from(LABELS))
def test_a_start_before_its_needs_is_seen(
    needs: dict[str, list[str]], length: Mapping[str, int], early: str
) -> None:
    assume(needs.get(early))
    times: dict[str, tuple[float, float]] = dict(scheduled(needs, length, 99))
    begin, end = times[early]
    times[early] = (begin - 0.5, end - 0.5)
    log = logged(times)
    assert parallel(by_tool(), after=needs)(log).code == "parallel.too_early"
    assert dependencies(by_tool(), needs)(log).code == "dependencies.too_early"
