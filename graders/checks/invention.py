"""Nothing invented: each number and each token in the result came from somewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from graders.checks.content import texts_of
from graders.checks.places import placed
from graders.checks.text import MISSING, reach, text_of
from graders.records.log import Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import bars, fail, sealed, shown, unfinished

CODES = {
    "invented.no_result": "the run ended without a result",
    "invented.empty": "there is nothing in the result that could have been received",
    "invented.number": "a number in the result was sent by nobody",
    "invented.token": "a code in the result was sent by nobody",
}

TOKEN = r"(?=[a-z0-9]*[a-z])(?=[a-z0-9]*[0-9])[a-z0-9]{5,}"
"""What counts as a code: five or more letters and digits mixed."""

_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*")
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:[ \u00a0\u202f']\d{3})+(?!\d)(?:[.,]\d+)?")


def nothing_invented(
    *,
    at: str = "",
    also: Sequence[Any] = (),
    derived: Callable[[Log], Iterable[float]] | None = None,
    counts: int = 10,
    token: str = TOKEN,
) -> Check:
    """Every number and code in the result was sent by a tool, a model or the stage's parameters.

    Args:
        at: dotted path to the part of the result that counts.
        also: further texts and numbers that may be used, such as a year.
        derived: numbers that may be computed from what was received, such as their sum.
        counts: whole numbers up to this one are free: they number and count.
        token: regular expression of a code, matched against the text without capitals.

    A number may be rounded and written in any usual way: 1234.5 as "1,234.50" or "1 234.5".
    """
    pattern = re.compile(rf"(?<![^\W_])(?:{token})(?![^\W_])")

    @sealed
    def check(log: Log) -> Verdict:
        stopped = unfinished(log, "invented.no_result", "a result")
        if stopped:
            return stopped
        said = reach(log.result, at)
        text = "" if said is MISSING else text_of(said).casefold()
        if not text.strip():
            return _told(
                "empty", log, at, f"got {shown(log.result)}", "something that was received"
            )
        source = "\n".join([*texts_of(log), text_of(list(also))]).casefold()
        codes = sorted(set(pattern.findall(source)), key=len, reverse=True)
        for code in codes:  # a received one may be glued to other text
            text = text.replace(code, " ")
        strange = [code for code in pattern.findall(text) if not _measure(code)]
        if strange:
            return _told("token", log, at, f"but nobody sent {shown(strange[0])}")
        free = set(derived(log)) if derived else set()
        wrong = unsent(pattern.sub(_keep_measures, text), source, free, counts)
        return _told("number", log, at, f"but nobody sent {shown(wrong)}") if wrong else passed()

    return check


def _told(
    code: str, log: Log, at: str, got: str, expected: str = "only what was received"
) -> Verdict:
    return fail(
        f"invented.{code}",
        expected=f"{expected} in {placed(at, log.places)}",
        got=got,
        look="look at what is written when an answer is missing",
        evidence=bars(log.exchanges),
    )


def _measure(word: str) -> bool:
    """A number with its unit, such as 1500kg, is judged as a number."""
    return re.fullmatch(r"\d+[a-z]{1,3}", word) is not None


def _keep_measures(found: re.Match[str]) -> str:
    return found.group() if _measure(found.group()) else " "


def unsent(text: str, source: str, free: set[float], counts: int) -> str:
    """The first number of the text that neither the source nor `free` has, or "".

    Args:
        counts: whole numbers up to this one are free.
    """
    written = [*_NUMBER.findall(source), *map(_joined, _GROUPED.findall(source))]
    known = {value for each in written for value in readings(each)} | free

    def fine(number: str) -> bool:
        values = readings(number)
        small = any(value.is_integer() and value <= counts for value in values)
        return small or any(_rounded(value, number, known) for value in values)

    rest = _GROUPED.sub(lambda found: " " if fine(_joined(found.group())) else found.group(), text)
    return next((each for each in _NUMBER.findall(rest) if not fine(each)), "")


def _joined(grouped: str) -> str:
    return re.sub(r"[^\d.,]", "", grouped)


def readings(number: str) -> set[float]:
    """What a written number may mean: commas and points can group digits or begin decimals."""
    plain, _, decimals = number.replace(",", ".").rpartition(".")
    if not plain:
        return {float(number)}
    found = {float(re.sub(r"[.,]", "", number))} if len(decimals) == 3 else set()
    return found | {float(f"{plain.replace('.', '')}.{decimals}")}


def _rounded(value: float, written: str, known: Iterable[float]) -> bool:
    """Whether a known number gives this one, rounded to the decimals it is written with."""
    marks = re.split(r"[.,]", written)
    places = len(marks[-1]) if len(marks) > 1 and not value.is_integer() else 0
    near = 0.5 * 10.0**-places * (1 + 1e-6)
    return any(abs(value - abs(each)) <= near for each in known)
