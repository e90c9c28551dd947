"""Retry with the task changed by the error it met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graders.checks.calls import absent
from graders.checks.keys import Failed, Key, did_fail, grouped
from graders.checks.text import content_words, error_text, reach, share, text_of, words
from graders.records.log import Exchange, Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import bars, clip, fail, let_out, listed, one_line, sealed, shown

CODES = {
    "refine.missing": "the task that should be tried was not sent",
    "refine.no_failure": "no task failed, so that there was nothing to refine",
    "refine.gave_up": "a task that failed was not tried again",
    "refine.too_many": "a task was tried more often than allowed",
    "refine.after_success": "a task was sent again after it had succeeded",
    "refine.plain_repeat": "the same task was sent again, word for word",
    "refine.no_error": "the task was changed, but not by the error that it met",
    "refine.no_task": "the error was sent, but the task itself is gone",
}


@dataclass(frozen=True)
class _Rules:
    tries: int
    field: str
    share: float
    failed: Failed

    def sent(self, exchange: Exchange) -> str:
        """The text of the task as it was sent."""
        return text_of(reach(exchange.request, self.field))


def refined(
    key: Key,
    labels: Sequence[str] = (),
    *,
    tries: int = 3,
    field: str = "",
    share: float = 0.5,
    failed: Failed = did_fail,
) -> Check:
    """A task that failed is sent again, changed by the error that it met, and not for ever.

    The next request must hold a share of the words of the error which were not in the request
    that failed, so that it can only have them from there; and a share of the first request's own
    words, those left out that the error repeats.

    Args:
        key: which exchange belongs to which task; labels must survive the change, so take them
            from a task's id or a worker's name rather than from its text.
        labels: tasks that have to be sent.
        tries: most requests of one task, the first included; a failing one uses them all.
        field: dotted path into the request where the task stands, such as "task"; "" is all.
        share: how many of the error's and of the task's words must be there, from 0 to 1.
        failed: tells a failure, where the worker says so in an ordinary answer.
    """
    rules = _Rules(tries, field, share, failed)

    @sealed
    def check(log: Log) -> Verdict:
        groups = grouped(log, key)
        missing = absent(groups, labels, "refine.missing", "a task")
        if missing:
            return missing
        for label, each in groups.items():
            trouble = _trouble(label, each, rules, let_out(log))
            if trouble:
                return trouble
        if not any(failed(e) for each in groups.values() for e in each):
            return fail(
                "refine.no_failure",
                expected="a task that fails at first",
                got="but none failed",
                look="look at what is sent",
                evidence=bars(log.exchanges),
            )
        return passed()

    return check


def _trouble(label: str, tries: Sequence[Exchange], rules: _Rules, ended: str) -> Verdict | None:
    for index, one in enumerate(tries):
        following = tries[index + 1] if index + 1 < len(tries) else None
        if following is None:
            if rules.failed(one) and len(tries) < rules.tries:
                return _gave_up(label, tries, rules, ended)
        elif rules.failed(one):
            if index + 1 >= rules.tries:
                return _too_many(label, tries, following, rules)
            said = _changed(tries[0], one, following, rules)
            if said:
                return _told(label, tries, following, *said)
        elif one.outcome == "answered":
            return _sent_again(label, tries, following)
    return None


def _changed(
    first: Exchange, one: Exchange, following: Exchange, rules: _Rules
) -> tuple[str, str, str] | None:
    """What is wrong with the request that follows a failure: code, what was got, a hint."""
    sent, now = rules.sent(one), rules.sent(following)
    said = error_text(one)
    error = content_words(said) or set(words(said))
    # the same error twice: what was changed by it once need not be changed again
    met_before = (
        one is not first and error <= set(words(sent)) and words(sent) != words(rules.sent(first))
    )
    if words(sent) == words(now) and not met_before:
        return "plain_repeat", "but it was sent word for word", "look at how the new task is made"
    fresh = error - set(words(sent)) or error
    if share(fresh, words(now)) < max(rules.share, 1e-9) or not _any(fresh, now):
        missed = sorted(fresh - set(words(now)))
        return "no_error", f"but without {shown(', '.join(missed), 50)}", "is the error handed on?"
    task = content_words(rules.sent(first))
    own = task - error or task
    if share(own, words(now)) < rules.share:
        missed = sorted(own - set(words(now)))
        got = f"but {shown(', '.join(missed), 50)} of the task is gone"
        return "no_task", got, "keep the task and add what went wrong"
    return None


def _any(wanted: set[str], text: str) -> bool:
    return not wanted or share(wanted, words(text)) > 0


def _gave_up(label: str, tries: Sequence[Exchange], rules: _Rules, ended: str) -> Verdict:
    return fail(
        "refine.gave_up",
        expected=f"up to {rules.tries} tries of {shown(label)}",
        got=f"but it was given up after {len(tries)}, which failed{ended}",
        look="look at what is done with the error",
        evidence=bars(tries, [tries[-1].number]),
    )


def _too_many(label: str, tries: Sequence[Exchange], following: Exchange, rules: _Rules) -> Verdict:
    return fail(
        "refine.too_many",
        expected=f"at most {rules.tries} tries of {shown(label)}",
        got=f"but there were {len(tries)}",
        look="what ends the loop when all of them fail?",
        evidence=bars(tries, [following.number]),
    )


def _sent_again(label: str, tries: Sequence[Exchange], following: Exchange) -> Verdict:
    return fail(
        "refine.after_success",
        expected=f"{shown(label)} to be done once it succeeded",
        got="but it was sent again",
        look="does the loop end when it has what it wants?",
        evidence=bars(tries, [following.number]),
    )


def _told(
    label: str, tries: Sequence[Exchange], following: Exchange, code: str, got: str, look: str
) -> Verdict:
    before = tries[tries.index(following) - 1]
    met = clip(one_line(error_text(before)), 50)
    return fail(
        f"refine.{code}",
        expected=f"{listed([label])} to be sent again, changed by its error ({met})",
        got=got,
        look=look,
        evidence=bars(tries, [following.number]),
    )
