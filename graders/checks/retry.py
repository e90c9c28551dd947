"""Retry after an error of the way there (an overload, a lost connection), with back-off."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from graders.checks.calls import absent
from graders.checks.intervals import later
from graders.checks.keys import Key, end_of, grouped
from graders.checks.text import error_text, field_of
from graders.records.log import Exchange, Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import bars, count, fail, let_out, sealed, seconds, shown

CODES = {
    "retry.missing": "the call that should be tried was not made",
    "retry.no_failure": "no call failed, so that there was nothing to try again",
    "retry.gave_up": "a call that failed was not tried again",
    "retry.too_many": "a call was tried more often than allowed",
    "retry.permanent": "a call was tried again although its error cannot go away",
    "retry.after_success": "a call was made again after it had been answered",
    "retry.not_awaited": "a call was made again before the first one had failed",
    "retry.retry_after": "the next try came earlier than the Retry-After of the error allows",
    "retry.no_wait": "there was no wait, or too short a one, before the next try",
    "retry.not_growing": "the waits between tries do not grow",
    "retry.too_long": "the wait before the next try was longer than allowed",
}

Test = Callable[[Exchange], bool]


@dataclass(frozen=True)
class Policy:
    """What `backed_off` demands; see there."""

    tries: int
    least: float
    most: float | None
    grows: bool
    repeats: bool
    transient: Test


def backed_off(
    key: Key,
    labels: Sequence[str] = (),
    *,
    tries: int = 3,
    least: float = 0.0,
    most: float | None = None,
    grows: bool = True,
    repeats: bool = False,
    transient: Test | None = None,
) -> Check:
    """Whatever fails on its way is tried again, after waits that grow and honour Retry-After.

    Args:
        key: which exchange belongs to which call.
        labels: calls that have to be made.
        tries: most exchanges of one call, the first included; a failing one uses them all.
        least: seconds that a wait must have at least; a wait is never 0.
        most: seconds that a wait may have at most; waits that reach it need not grow further. An
            error's Retry-After may be longer.
        grows: each wait must be longer than the one before it. Waits that a Retry-After asked for
            are left out of that.
        repeats: allow a call to be made again after it was answered.
        transient: tells the errors that are worth another try; by default `is_transient`.
    """
    policy = Policy(tries, least, most, grows, repeats, transient or is_transient)

    @sealed
    def check(log: Log) -> Verdict:
        groups = grouped(log, key)
        missing = absent(groups, labels, "retry.missing", "a call")
        if missing:
            return missing
        for label, each in groups.items():
            for trouble in _troubles(each, policy, let_out(log)):
                return _told(label, each, trouble)
        if not any(e.outcome == "failed" for each in groups.values() for e in each):
            return fail(
                "retry.no_failure",
                expected="a call that fails at first",
                got=f"but none failed among {count(sum(map(len, groups.values())), 'call')}",
                look="look at what is called",
                evidence=bars(log.exchanges),
            )
        return passed()

    return check


def is_transient(exchange: Exchange) -> bool:
    """Whether trying again can help: all errors but a refusal of the request itself (4xx).

    408, 409 and 429 are worth another try, as the openai client sees it too; so is what has no
    status at all, and what the caller gave up.
    """
    status = status_of(exchange)
    return status is None or status in (408, 409, 429) or status >= 500


def status_of(exchange: Exchange) -> int | None:
    """The HTTP status of an error, if it has one."""
    found = field_of(exchange.reply, "status", "status_code")
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def retry_after(exchange: Exchange) -> float | None:
    """Seconds after which the error says to come back: a header, a field, or its words."""
    found = field_of(exchange.reply, "retry-after", "retry_after")
    if found is None:
        words = r"(?:retry|try again)[- ](?:after|in)\W{0,3}(\d+(?:\.\d+)?)\s*(?:s\b|seconds?|$)"
        said = re.search(words, error_text(exchange), re.IGNORECASE | re.MULTILINE)
        found = said.group(1) if said else None
    try:
        return float(found) if found is not None else None
    except (TypeError, ValueError):
        return None


@dataclass(frozen=True)
class _Trouble:
    """What is wrong with one try: a code's second half, the sentence, and the try that is meant."""

    code: str
    expected: str
    got: str
    look: str
    meant: Exchange


def _troubles(tries: Sequence[Exchange], policy: Policy, ended: str) -> Iterator[_Trouble]:
    """What is wrong with the tries of one call, in order; `ended` says how the run did."""
    before: float | None = None
    for made, (one, following) in enumerate(zip_longest(tries, tries[1:]), start=1):
        if following is None:
            if one.outcome == "failed" and policy.transient(one) and made < policy.tries:
                yield _gave_up(one, made, policy, ended)
        elif one.outcome == "answered":
            if not policy.repeats:
                yield _made_again(following)
        elif one.outcome == "failed" and not policy.transient(one):
            yield _hopeless(one, following)
        else:
            if made >= policy.tries:
                yield _too_many(following, len(tries), policy)
            yield from _waited(one, following, before, policy)
            if retry_after(one) is None:
                before = following.start - end_of(one)


def _waited(
    one: Exchange, following: Exchange, before: float | None, policy: Policy
) -> Iterator[_Trouble]:
    """What is wrong with the wait between two tries; `before` is the wait before that."""
    wait, asked = following.start - end_of(one), retry_after(one)
    came = f"but the next one came after {seconds(max(wait, 0.0))}"
    if later(end_of(one), following.start):
        yield _overtaken(following)
    elif asked is not None:
        if later(asked, wait):
            wanted = f"a wait of {seconds(asked)}, as the error's Retry-After says"
            look = "look at where the error's headers are read"
            yield _Trouble("retry_after", wanted, came, look, following)
    elif not later(wait, 0.0) or later(policy.least, wait):
        least = f"at least {seconds(policy.least)}" if policy.least else "some time"
        look = "look at what is awaited after a failure"
        yield _Trouble("no_wait", f"{least} before the next try", came, look, following)
    elif policy.most is not None and later(wait, policy.most):
        wanted = f"at most {seconds(policy.most)} before the next try"
        yield _Trouble("too_long", wanted, came, "look at how the wait grows", following)
    elif before is not None and _must_grow(wait, policy) and not later(wait, before):
        yield _level(wait, before, following)


def _must_grow(wait: float, policy: Policy) -> bool:
    return policy.grows and (policy.most is None or later(policy.most, wait))


def _level(wait: float, before: float, following: Exchange) -> _Trouble:
    got = f"but after {seconds(before)} came {seconds(wait)}"
    look = "look at how the wait follows from the number of tries"
    return _Trouble("not_growing", "each wait to be longer than the last", got, look, following)


def _overtaken(following: Exchange) -> _Trouble:
    got = f"but another was sent at {seconds(following.start)}, before the first had failed"
    return _Trouble("not_awaited", "one try at a time", got, "look at what is awaited", following)


def _made_again(following: Exchange) -> _Trouble:
    got = f"but it was made again at {seconds(following.start)}"
    look = "does the loop end when it has what it wants?"
    return _Trouble("after_success", "no more tries after an answer", got, look, following)


def _hopeless(one: Exchange, following: Exchange) -> _Trouble:
    status = status_of(one)
    said = f"status {status}" if status is not None else f"the error {shown(one.reply)}"
    got = f"but the same call was made again at {seconds(following.start)}"
    look = "look at which errors are caught"
    return _Trouble("permanent", f"no other try after {said}", got, look, following)


def _gave_up(one: Exchange, made: int, policy: Policy, ended: str) -> _Trouble:
    got = f"but none followed the {'first' if made == 1 else f'{made}.'} one, which failed{ended}"
    look = "look at what is done with the error"
    return _Trouble("gave_up", f"up to {policy.tries} tries", got, look, one)


def _too_many(following: Exchange, made: int, policy: Policy) -> _Trouble:
    got, look = f"but there were {made}", "what ends the loop when all of them fail?"
    return _Trouble("too_many", f"at most {policy.tries} tries", got, look, following)


def _told(label: str, tries: Sequence[Exchange], trouble: _Trouble) -> Verdict:
    return fail(
        f"retry.{trouble.code}",
        expected=f"{trouble.expected} for {shown(label, 24)}",
        got=trouble.got,
        look=trouble.look,
        evidence=bars(tries, [trouble.meant.number]),
    )
