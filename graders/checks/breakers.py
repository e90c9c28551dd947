"""A circuit breaker: after n failures in a row nothing more is sent, until it has cooled down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from graders.checks.intervals import later
from graders.checks.keys import Failed, Key, did_fail, end_of, keyed
from graders.checks.order import began_before
from graders.records.log import Exchange, Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import bars, count, fail, sealed, seconds

CODES = {
    "breaker.missing": "the call that the breaker guards was not made",
    "breaker.too_early": "it was given up before the breaker may open",
    "breaker.too_late": "a call was sent although the breaker has to be open",
    "breaker.too_soon": "a call was sent before the breaker had cooled down",
    "breaker.many_probes": "more than one call was sent before the first one after the pause ended",
    "breaker.stayed_open": "no call was tried after the breaker had cooled down",
}


@dataclass
class _State:
    """A breaker as it should be, fed with what happened."""

    n: int
    cooldown: float | None
    failed: Failed
    failures: int = 0
    opened: float | None = None
    last_opened: float | None = None
    tripped: bool = False
    probe: Exchange | None = None
    probes: int = 0

    @property
    def key(self) -> tuple[object, ...]:
        """What tells a state from others of the same breaker, but when it opened last."""
        probe = self.probe and self.probe.number
        return min(self.failures, self.n), self.opened, self.tripped, probe, self.probes

    def after(self, done: Iterable[Exchange]) -> list[_State]:
        """The states that it can be in once exchanges have ended, in the order of time."""
        states = [self]
        for _, tied in groupby(sorted(done, key=lambda e: (end_of(e), e.number)), end_of):
            together = [*tied]
            states = _each(after for state in states for after in state._heard(together))
        return states

    def _heard(self, tied: list[Exchange]) -> list[_State]:
        """The states that it can be in once exchanges have ended at the same moment: a success
        among them may have been heard before and behind every failure."""
        states, closed = [self], list[_State]()
        succeeded = any(e.outcome == "answered" and not self.failed(e) for e in tied)
        if succeeded:
            closed = [self._closed()]
        for done in filter(self.failed, tied):
            states = _each(after for state in states for after in state._after_failure(done))
            closed = _each(after for state in closed for after in state._after_failure(done))
            if succeeded:
                closed = _each((*closed, *(state._closed() for state in (*closed, *states))))
        return closed or states

    def _closed(self) -> _State:
        return replace(self, failures=0, opened=None, probe=None)

    def _after_failure(self, done: Exchange) -> Iterator[_State]:
        """The states that it can be in once an exchange has failed.

        What was on its way when the breaker opened does not open it again; after a success has
        closed it meanwhile, such a failure counts with some breakers and does not with others.
        """
        stale = done is not self.probe and self._is_stale(done)
        if stale:
            yield self
        if not stale or self.opened is None:
            after = replace(self)
            after._fail(done)
            yield after

    def _fail(self, done: Exchange) -> None:
        self.failures += 1
        if self.failures >= self.n and (self.opened is None or done is self.probe):
            self.opened, self.probe, self.tripped = end_of(done), None, True
            self.last_opened = self.opened

    def _is_stale(self, done: Exchange) -> bool:
        return self.last_opened is not None and later(self.last_opened, done.start)

    def refuses(self, call: Exchange) -> str | None:
        """The code of what is wrong with sending this call now."""
        if self.opened is None:
            return None
        if self.cooldown is None:
            return "too_late"
        if later(self.opened + self.cooldown, call.start):
            return "too_soon" if call.start > self.opened else "too_late"
        if self.probe is not None:
            return "many_probes"
        self.probe, self.probes = call, self.probes + 1
        return None


def breaker(
    key: Key,
    n: int = 3,
    *,
    cooldown: float | None = None,
    probed: bool = False,
    failed: Failed = did_fail,
) -> Check:
    """After `n` failures in a row no further call is sent, and not before.

    Calls that were already on their way when the breaker opened are forgiven; a success in
    between starts the count anew.

    Args:
        key: which exchanges the breaker guards; one breaker for all of them.
        n: failures in a row that open it.
        cooldown: seconds after which one call may probe whether things are better; success closes
            the breaker, failure opens it again. None: it stays open.
        probed: demand that a call was tried after the pause.
        failed: tells a failure, such as one that the caller gave up.

    Failing calls must take virtual time, else what was sent at the same moment cannot be told
    from what was sent afterwards.
    """

    @sealed
    def check(log: Log) -> Verdict:
        calls = keyed(log, key)
        if not calls:
            return _told("missing", calls, None, f"calls until {n} failed in a row", "got none")
        states = [_State(n, cooldown, failed)]
        under_way: list[Exchange] = []
        for call in calls:
            ended = [e for e in under_way if not began_before(call, e)]
            states = _each(after for state in states for after in state.after(ended))
            under_way = [*(e for e in under_way if began_before(call, e)), call]
            codes = [state.refuses(call) for state in states]
            if all(codes):
                return _refused(codes[0] or "", calls, call, states[0])
            states = [s for s, code in zip(states, codes, strict=True) if code is None]
        ended = [e for e in under_way if e.end is not None]
        after = _each(after for state in states for after in state.after(ended))
        verdicts = [_afterwards(calls, state, probed) for state in after]
        return next((v for v in verdicts if v.passed), verdicts[0])

    return check


def _each(states: Iterable[_State]) -> list[_State]:
    """Each state once; of those that opened at different times the last, which forgives most."""
    last: dict[object, _State] = {}
    for state in states:
        other = last.get(state.key)
        if other is None or (other.last_opened or 0.0) < (state.last_opened or 0.0):
            last[state.key] = state
    return [*last.values()]


def _afterwards(calls: Sequence[Exchange], state: _State, probed: bool) -> Verdict:
    if 0 < state.failures < state.n and not state.tripped:
        got = f"but it was given up after {count(state.failures, 'failure')}"
        return _told("too_early", calls, calls[-1], f"calls until {state.n} failed in a row", got)
    if probed and not state.probes:
        cooled = (state.opened or 0.0) + (state.cooldown or 0.0)
        expected = f"one call to be tried {seconds(state.cooldown or 0.0)} after it opened"
        got = f"but none was sent after {seconds(cooled)}"
        return _told("stayed_open", calls, None, expected, got)
    return passed()


def _refused(code: str, calls: Sequence[Exchange], call: Exchange, state: _State) -> Verdict:
    opened = seconds(state.opened or 0.0)
    expected = f"no call after {state.n} failures in a row, at {opened}"
    if code == "too_soon":
        expected = f"no call within {seconds(state.cooldown or 0.0)} of the breaker's opening"
    if code == "many_probes":
        expected = "a single call after the pause, until it is known how it ends"
    return _told(code, calls, call, expected, f"but one was sent at {seconds(call.start)}")


_LOOK = {
    "missing": "look at where the call is made",
    "too_early": "look at what counts the failures",
    "too_late": "look at what is asked before a call is sent",
    "too_soon": "look at how the pause is measured",
    "many_probes": "look at what half open means",
    "stayed_open": "look at what closes the breaker again",
}


def _told(
    code: str, calls: Sequence[Exchange], meant: Exchange | None, expected: str, got: str
) -> Verdict:
    return fail(
        f"breaker.{code}",
        expected=expected,
        got=got,
        look=_LOOK[code],
        evidence=bars(calls, [meant.number] if meant else []),
    )
