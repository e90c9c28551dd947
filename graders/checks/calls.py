"""Calls made, and with what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graders.checks.keys import Key, grouped, keyed
from graders.checks.values import same
from graders.records.log import Exchange, Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import bars, count, fail, listed, sealed, seconds, shown, titled

CODES = {
    "called.missing": "a call of the tool was not made at all",
    "called.wrong_arguments": "the tool was called, but with other arguments",
    "called.extra": "the tool was called with arguments that nobody asked for",
    "called.repeated": "the same call was made more often than wanted",
    "made.missing": "something that had to be asked was not asked",
    "made.extra": "something was asked that nobody wanted",
    "made.repeated": "the same thing was asked more often than wanted",
    "not_made.made": "something was asked that had to be left alone",
}


def called(
    tool: str,
    wanted: Sequence[Mapping[str, Any]],
    *,
    extra: bool = False,
    repeats: bool = False,
) -> Check:
    """The tool is called with exactly these arguments, in any order.

    Args:
        tool: its name.
        wanted: the arguments of each call; the same ones twice mean two calls.
        extra: allow calls with other arguments.
        repeats: allow a call that was wanted to be made again, such as after a failure.
    """

    @sealed
    def check(log: Log) -> Verdict:
        made = log.calls(tool)
        missing, spare = _matched(made, wanted)
        again = [e for e in spare if any(same(e.request, each) for each in wanted)]
        other = [e for e in spare if e not in again]
        if missing:
            return _uncalled(tool, missing[0], made, other)
        if other and not extra:
            return fail(
                "called.extra",
                expected=f"{count(len(wanted), 'call')} of `{tool}`",
                got=f"but {titled(other[0])} was called too, at {seconds(other[0].start)}",
                look="look at what decides which calls are made",
                evidence=bars(made, [e.number for e in other]),
            )
        if again and not repeats:
            return fail(
                "called.repeated",
                expected=f"{titled(again[0])} as often as it was asked for",
                got=f"but it was called again at {seconds(again[-1].start)}",
                look="is its result kept, or fetched twice?",
                evidence=bars(made, [e.number for e in again]),
            )
        return passed()

    return check


def made(
    key: Key,
    labels: Sequence[str],
    *,
    extra: bool = False,
    repeats: bool = False,
    what: str = "a call",
) -> Check:
    """Each label is asked for, once.

    Args:
        key: which exchange belongs to which label.
        labels: what has to be asked.
        extra: allow other labels.
        repeats: allow more than one exchange of a label.
        what: what one of them is called in messages, such as "a task".
    """

    @sealed
    def check(log: Log) -> Verdict:
        groups = grouped(log, key)
        missing = absent(groups, labels, "made.missing", what)
        if missing:
            return missing
        other = [e for label, each in groups.items() if label not in labels for e in each]
        if other and not extra:
            return fail(
                "made.extra",
                expected=f"{what} for {listed(labels)} only",
                got=f"but there was one for {shown(key(other[0]))} at {seconds(other[0].start)}",
                look="look at what decides which ones are made",
                evidence=bars(keyed(log, key), [e.number for e in other]),
            )
        again = [e for each in groups.values() for e in each[1:]]
        if again and not repeats:
            return fail(
                "made.repeated",
                expected=f"{what} for {shown(key(again[0]))} once",
                got=f"but it was made again at {seconds(again[0].start)}",
                look="is its result kept, or fetched twice?",
                evidence=bars(keyed(log, key), [e.number for e in again]),
            )
        return passed()

    return check


def not_made(key: Key, *, why: str = "it was not asked for", what: str = "a call") -> Check:
    """Nothing that the key knows is asked, such as no dispatch after an invalid plan."""

    @sealed
    def check(log: Log) -> Verdict:
        found = keyed(log, key)
        if not found:
            return passed()
        return fail(
            "not_made.made",
            expected=f"no {what.removeprefix('a ').removeprefix('an ')}, because {why}",
            got=f"but {titled(found[0])} was sent at {seconds(found[0].start)}",
            look="look at what is tested before it is sent",
            evidence=bars(log.exchanges, [e.number for e in found]),
        )

    return check


def absent(
    groups: Mapping[str, Sequence[Exchange]], labels: Sequence[str], code: str, what: str
) -> Verdict | None:
    """The verdict on labels that nobody asked for; None when each was."""
    missing = [label for label in labels if not groups.get(label)]
    if not missing:
        return None
    there = [e for each in groups.values() for e in each]
    others = [label for label, each in groups.items() if each and label not in labels]
    look = f"{count(len(there), 'call')} came: what keeps the others from being made?"
    if others:
        look = f"there was one for {listed(others, 2)}: what decides which ones are made?"
    return fail(
        code,
        expected=f"{what} for {listed(labels)}",
        got=f"but there was none for {listed(missing)}",
        look=look,
        evidence=bars(sorted(there, key=lambda e: e.number)),
    )


def _matched(
    made: Sequence[Exchange], wanted: Sequence[Mapping[str, Any]]
) -> tuple[list[Mapping[str, Any]], list[Exchange]]:
    """What was wanted and not called, and what was called beyond that."""
    spare, missing = list(made), []
    for arguments in wanted:
        found = next((e for e in spare if same(e.request, arguments)), None)
        if found is None:
            missing.append(arguments)
        else:
            spare.remove(found)
    return missing, spare


def _uncalled(
    tool: str, missing: Mapping[str, Any], made: Sequence[Exchange], other: Sequence[Exchange]
) -> Verdict:
    expected = f"a call of `{tool}` with {shown(missing, 60)}"
    if not other:
        return fail(
            "called.missing",
            expected=expected,
            got=f"but there was none among {count(len(made), 'call')}",
            look="what keeps it from being made?",
            evidence=bars(made),
        )
    near = max(other, key=lambda e: sum(same(e.request.get(k), v) for k, v in missing.items()))
    return fail(
        "called.wrong_arguments",
        expected=expected,
        got=f"got {shown(dict(near.request), 60)}",
        look="look at how the arguments are put together",
        evidence=bars(made, [near.number]),
    )
