"""Parallel work: independent calls overlap at the boundary, and a concurrency limit is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graders.checks.calls import absent
from graders.checks.intervals import (
    After,
    Interval,
    Profile,
    gaps,
    idle,
    later,
    levels,
    longest_chain,
    peak,
    profile,
)
from graders.checks.keys import Key, answered, end_of, grouped, keyed
from graders.checks.order import everyone, refuse_cycles
from graders.records.log import Exchange, Log
from graders.records.verdict import Bar, Check, Verdict, passed
from graders.records.wording import bars, count, fail, listed, sealed, seconds, shown

CODES = {
    "parallel.missing": "one of the calls was not made, or given up by the caller each time",
    "parallel.no_time": "no call took any time, so that nothing can be said",
    "parallel.too_early": "a call began before what it needs was there",
    "parallel.one_at_a_time": "independent calls ran one after the other",
    "parallel.barrier": "a call waited for another one that it does not need",
    "parallel.late": "a call could have begun earlier",
    "concurrency.missing": "there was no call to count",
    "concurrency.too_many": "more ran at once than the limit allows",
    "concurrency.unused": "fewer ran at once than the limit allows, although more were waiting",
}


@dataclass(frozen=True)
class Work:
    """What was done for each label, and what needs what."""

    groups: Mapping[str, Sequence[Exchange]]
    after: After
    limit: int | None
    spans: Mapping[str, Interval]  # from the first try of a label to its answer
    own: Mapping[str, Sequence[Interval]]  # when one of its exchanges was open
    intervals: Sequence[Interval]  # the same, of all labels
    running: Profile  # how many were open when

    @property
    def exchanges(self) -> list[Exchange]:
        """All of them in order of arrival."""
        return sorted((e for each in self.groups.values() for e in each), key=lambda e: e.number)

    @property
    def elapsed(self) -> float:
        """From the first start to the last end."""
        return max(e for _, e in self.spans.values()) - min(b for b, _ in self.spans.values())

    @property
    def sequential(self) -> float:
        """What it would take one after the other."""
        return sum(end - begin for begin, end in self.spans.values())

    @property
    def critical(self) -> tuple[float, list[str]]:
        """The longest chain of needs: no schedule is shorter."""
        return longest_chain({n: e - b for n, (b, e) in self.spans.items()}, self.after)


def parallel(
    key: Key,
    labels: Sequence[str] = (),
    *,
    after: After | None = None,
    limit: int | None = None,
    slack: float = 0.0,
    waves: bool = False,
    what: str = "a call",
) -> Check:
    """Each call starts as soon as what it needs is there, so that independent ones overlap.

    Args:
        key: which exchange belongs to which label. A label may be asked several times (a retry);
            what the caller cancelled does not count.
        labels: what has to be asked; those in `after` need not be repeated. Other labels are left
            alone; without any, all are judged.
        after: label -> the labels whose answers it needs.
        limit: most that may run at once; waiting for a free place is no delay then.
        slack: virtual seconds that a label may be left waiting, from the moment it is ready to
            its answer; allow for back-off here.
        waves: allow a whole wave to be awaited before the next one starts.
        what: what one of them is called in messages.

    The calls must take virtual time, or the verdict is "parallel.no_time".

    Raises:
        ValueError: `after` goes round in a circle.
    """
    needs = dict(after or {})
    refuse_cycles(needs)
    wanted = list(dict.fromkeys([*labels, *everyone(needs)]))

    @sealed
    def check(log: Log) -> Verdict:
        groups = _counted(log, key, wanted)
        missing = absent(groups, wanted, "parallel.missing", what)
        if missing:
            return missing
        work = _work(groups, needs, limit)
        if not work.intervals or work.sequential <= 0:
            return fail(
                "parallel.no_time",
                expected=f"{what} to take some time",
                got=f"but {count(len(work.exchanges), 'call')} took none",
                look="look at what is sent: was each refused at once?",
                evidence=bars(work.exchanges),
            )
        return _late(work, slack, waves, what) or _gain(work)

    return check


def concurrency(limit: int, key: Key, *, used: bool = True, what: str = "call") -> Check:
    """Never more than `limit` at once, and with `used` as many as that when there are enough.

    Args:
        limit: most exchanges that may be open at the same time.
        key: which exchanges count.
        used: the limit must be reached as well: one at a time is no use of a limit of three.
        what: what one of them is called in messages.
    """

    @sealed
    def check(log: Log) -> Verdict:
        counted = keyed(log, key)
        if not counted:
            return fail(
                "concurrency.missing",
                expected=f"at most {count(limit, what)} at once",
                got="but there was none at all",
                look="look at where they are started",
                evidence=bars(log.exchanges),
            )
        intervals = [(e.start, end_of(e)) for e in counted]
        most, when = peak(intervals)
        open_then = [e.number for e in counted if e.start <= when < end_of(e)]
        if most > limit:
            return fail(
                "concurrency.too_many",
                expected=f"at most {count(limit, what)} at once",
                got=f"but {most} were open at {seconds(when)}",
                look="is the semaphore, or the pool of workers, around the call itself?",
                evidence=bars(counted, open_then),
            )
        enough = min(limit, len([e for e in counted if end_of(e) > e.start]))
        if used and most < enough:
            return fail(
                "concurrency.unused",
                expected=f"{count(enough, what)} at once where as many wait",
                got=f"but never more than {most} ran at the same time",
                look="is one awaited before the next is started?",
                evidence=bars(counted),
            )
        return passed()

    return check


def _counted(log: Log, key: Key, wanted: Sequence[str]) -> dict[str, list[Exchange]]:
    """The exchanges of each wanted label (of all, if none is named) that were not given up."""
    groups = {}
    for label, each in grouped(log, key).items():
        kept = [e for e in each if e.outcome != "cancelled"]
        if kept and (not wanted or label in wanted):
            groups[label] = kept
    return groups


def _work(groups: Mapping[str, Sequence[Exchange]], after: After, limit: int | None) -> Work:
    own = {n: [(e.start, end_of(e)) for e in each] for n, each in groups.items()}
    intervals = [(b, e) for each in own.values() for b, e in each if e > b]
    return Work(
        groups=groups,
        after={label: after.get(label, ()) for label in groups},
        limit=limit,
        spans={label: _span(each) for label, each in groups.items()},
        own=own,
        intervals=intervals,
        running=profile(intervals),
    )


def _span(exchanges: Sequence[Exchange]) -> Interval:
    done = answered(exchanges)
    end = end_of(done) if done else max(end_of(e) for e in exchanges)
    return min(e.start for e in exchanges), end


def _late(work: Work, slack: float, waves: bool, what: str) -> Verdict | None:
    begin = min(b for b, _ in work.spans.values())
    wave = levels(work.spans, work.after) if waves else {}
    for label, (start, end) in sorted(work.spans.items(), key=lambda item: item[1]):
        ready = max((work.spans[n][1] for n in work.after[label]), default=begin)
        if later(ready, start):
            return _too_early(work, label, ready, what)
        if waves and work.after[label]:
            ready = max([ready, *(e for n, (_, e) in work.spans.items() if wave[n] < wave[label])])
        waits = gaps((ready, end), work.own[label])
        if later(sum(idle(work.running, each, work.limit) for each in waits), 0.0, slack):
            return _delayed(work, label, waits[-1], what)
    return None


def _too_early(work: Work, label: str, ready: float, what: str) -> Verdict:
    start = work.spans[label][0]
    return fail(
        "parallel.too_early",
        expected=f"{what} for {shown(label)} after {listed(work.after[label])}",
        got=f"but it began at {seconds(start)}, before {seconds(ready)} when they were done",
        look="look at what is awaited before it",
        evidence=_evidence(work, label, start),
    )


def _delayed(work: Work, label: str, wait: Interval, what: str) -> Verdict:
    ready, start = wait
    critical, chain = work.critical
    longest = f"the longest {'chain ' if chain[1:] else ''}({listed(chain)})"
    took = f"all took {seconds(work.elapsed)}, {longest} alone {seconds(critical)}"
    evidence = _evidence(work, label, start)
    if peak(work.intervals)[0] <= 1:
        return fail(
            "parallel.one_at_a_time",
            expected=f"{what} for {listed(work.spans)} to overlap",
            got=f"but only one ran at a time; {took}",
            look="is one awaited before the next is started?",
            evidence=evidence,
        )
    expected = f"{what} for {shown(label)} to start at {seconds(ready)}"
    holder = next((n for n, (_, end) in work.spans.items() if end == start and n != label), None)
    if holder is not None:
        return fail(
            "parallel.barrier",
            expected=expected,
            got=f"but it waited for {shown(holder)}, which it does not need; {took}",
            look="look at what is awaited together with what",
            evidence=evidence,
        )
    return fail(
        "parallel.late",
        expected=expected,
        got=f"but it began at {seconds(start)}; {took}",
        look="look at what your code waits for in between",
        evidence=evidence,
    )


def _evidence(work: Work, label: str, start: float) -> tuple[Bar, ...]:
    meant = [e.number for e in work.groups[label] if e.start == start]
    return bars(work.exchanges, meant)


def _gain(work: Work) -> Verdict:
    critical, chain = work.critical
    gain = work.sequential / work.elapsed if work.elapsed else 1.0
    said = (
        f"took {seconds(work.elapsed)} instead of {seconds(work.sequential)} one after the other"
        f" (x {gain:.1f}); critical path {listed(chain)}: {seconds(critical)}"
    )
    return Verdict("passed", "ok", said, bars(work.exchanges))
