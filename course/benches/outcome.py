"""What a run came to: scored, failed, or excluded with a reason that is counted.

A comparison is fair only if both of its runs were scored, so a run that could not be scored is
never a wrong answer in silence.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

Status = Literal["scored", "failed", "excluded"]
_MARK = re.compile(r"\[([^\s=\[\],()]+)=([^\[\]]+)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What came of a run.

    Attributes:
        status: "scored" (an answer was judged), "failed" (the run broke; success is False), or
            "excluded" (it says nothing about the pattern, see `why`).
        right, needed: how many of the needed things are there.
        wrong: things said that are not so.
        why: what is missing, what broke, or why it was excluded, in a line.
    """

    status: Status = "scored"
    right: int = 0
    needed: int = 0
    wrong: int = 0
    why: str = ""

    @property
    def success(self) -> bool | None:
        """Whether everything that was needed is there and nothing wrong; None if excluded."""
        if self.status == "excluded":
            return None
        return self.status == "scored" and self.right == self.needed and not self.wrong

    @property
    def share(self) -> float | None:
        """The share of what was needed that is there; 0 where it failed, None if excluded."""
        if self.status == "excluded":
            return None
        return self.right / self.needed if self.status == "scored" and self.needed else 0.0

    def with_state(self, right: bool | None) -> Scored:
        """The same with the world's end state as one more needed thing; None is no such thing."""
        if right is None or self.status != "scored":
            return self
        why = self.why if right else f"{self.why}; the world was left wrong".removeprefix("; ")
        return replace(self, right=self.right + right, needed=self.needed + 1, why=why)


class Scorer(Protocol):
    """Judges an answer; a bench has one for any model."""

    def __call__(self, answer: str, /) -> Scored:
        """What the answer is worth."""


def failed(why: str) -> Scored:
    """A run that broke."""
    return Scored(status="failed", why=why)


def excluded(why: str) -> Scored:
    """A run that says nothing about its pattern."""
    return Scored(status="excluded", why=why)


def counted(met: Mapping[str, bool], *, wrong: Iterable[str] = ()) -> Scored:
    """Needed things by name and whether they are there, and what was said that is not so."""
    false, lost = list(wrong), [name for name, there in met.items() if not there]
    told = [f"missing: {', '.join(lost)}"] if lost else []
    told += [f"wrong: {', '.join(false)}"] if false else []
    return Scored(
        right=len(met) - len(lost), needed=len(met), wrong=len(false), why="; ".join(told)
    )


def mark(errand: str, value: str) -> str:
    """How the oracle shows that it has the result of an errand: "[m1=48213]"."""
    return f"[{errand}={value}]"


def marks(text: str) -> dict[str, str]:
    """The marks in a text: errand to value; the last one of an errand counts."""
    return dict(_MARK.findall(text))


def by_marks(answer: str, truth: Mapping[str, str]) -> Scored:
    """Judge an oracle's answer: which marks reached it, and with which values."""
    said = marks(answer)
    met = {name: said.get(name) == value for name, value in truth.items()}
    return counted(met, wrong=(name for name in said if name in met and not met[name]))


def value_of(result: str, truth: str = "") -> str:
    """What a tool's result is known by: its figure, the truth if it is among the values that it
    tells or stands in its words, or else a hash of all of it."""
    try:
        said = json.loads(result)
    except ValueError:
        said = "" if result.lstrip().startswith(("{", "[")) else result  # a broken object is none
    if isinstance(said, dict) and "figure" in said:
        return str(said["figure"])
    if truth and (truth == result or any(_tells(each, truth) for each in _values(said))):
        return truth
    return hashlib.sha256(result.encode()).hexdigest()[:6]


def _tells(text: str, truth: str) -> bool:
    """Whether a text has the truth as words or a number of its own: no 5 in 15, 1.5, -5 or 5-7."""
    return bool(re.search(rf"(?<![\w-])(?<!\d[.,]){re.escape(truth)}(?![\w-]|[.,]\w)", text))


def _values(said: Any) -> Iterator[str]:
    """All values within what was told, as text."""
    if isinstance(said, dict | list):
        for each in said.values() if isinstance(said, dict) else said:
            yield from _values(each)
    else:
        yield said if isinstance(said, str) else json.dumps(said)
