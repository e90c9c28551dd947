"""A transcript with timings, read from an audit trail: who said what, when, after how long."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from course import files
from course.errors import FileFormatError
from course.events import PERSON


@dataclass(frozen=True)
class TranscriptLine:
    """Something that was said; times in seconds.

    Attributes:
        who: an agent's name, or "person".
        at: when it began, on the clock of the run.
        seconds: how long it took to be said: for an agent, its model call.
        silence: how long nobody had said anything; 0 where two spoke at once.
    """

    who: str
    at: float
    seconds: float
    silence: float
    words: str

    def __str__(self) -> str:
        timed = f"{self.at:8.2f} s  +{self.silence:.2f} s silence, {self.seconds:.2f} s"
        return f"{timed}  {self.who}: {self.words}"


def transcript(path: str | Path) -> list[TranscriptLine]:
    """Everything that was said in the runs of an audit trail, in the order in which it was said.

    An answer that nobody said, such as one that a planning supervisor put together, is its system's
    last word.

    Args:
        path: of the file, as `course.events.audit` writes it.

    Raises FileFormatError: a line is no JSON object. OSError when the file cannot be read.
    """
    lines, quiet = list[TranscriptLine](), None
    text = files.read(path, source=f"audit trail {path}", hint="write one with audit(path)")
    for number, row in enumerate(text.splitlines(), 1):
        try:
            told = json.loads(row)
        except ValueError:
            told = None
        if not isinstance(told, dict):
            raise FileFormatError(f"audit trail {path}, line {number}: no JSON object")
        words, seconds = told.get("words"), told.get("seconds", 0.0)
        if told.get("event") == "Finished" and told["answer"] not in ("", *_answers(lines)):
            words = told["answer"]
        if words is None or told["event"] not in ("Said", "Finished"):
            continue
        begin = told["at"] - seconds
        silence = 0.0 if quiet is None else max(0.0, begin - quiet)
        lines.append(TranscriptLine(told["system"], begin, seconds, silence, words))
        quiet = max(told["at"], quiet or 0.0)
    return lines


def _answers(lines: list[TranscriptLine]) -> Iterator[str]:
    """What was said since the person spoke last."""
    return (each.words for each in takewhile(lambda line: line.who != PERSON, reversed(lines)))
