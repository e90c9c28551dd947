"""What became of each submission: one line of JSON each, written as it is known.

While a class is judged, lines are added to the end of `results.jsonl`, in the order in which
submissions are done; at the end the file is put in order: one line for each submission, and below
it one that is held back, if a new verdict would lower a grade that stands.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from course.errors import FileFormatError
from graders.records.report import Partial, Report
from graders.records.whole import write

FILE = "results.jsonl"
Status = Literal["graded", "ungraded", "missing"]
Key = tuple[str, str, int]
TIMINGS = ("seconds", "cpu_seconds")
"""What two runs over the same class may differ in, and nothing else."""


@dataclass(frozen=True, slots=True)
class Hashes:
    """What a verdict depends on, as SHA-256 in hexadecimal digits.

    Attributes:
        notebook: of the file that was handed in.
        exercises: of the chapter's exercises as data, its released notebook and its hidden seeds.
        kit: version, and hash of the code that judges.
    """

    notebook: str = ""
    exercises: str = ""
    kit: str = ""


@dataclass(frozen=True)
class Result:
    """One submission, and what became of it.

    Attributes:
        student: the name of the student's folder.
        chapter: such as "01_one_agent"; empty when nobody knows.
        attempt: 1 for the first that was handed in.
        file: its name.
        status: graded, ungraded (`code` and `message` say why) or missing.
        hashes: what the verdict depends on.
        seed: varies the hidden scenarios.
        box: what it was judged in.
        report: the verdicts; None when there are none.
        held: whether it would lower a grade, and nobody has agreed to that yet.
        seconds: on the clock. `cpu_seconds`: of processor time, boxes included.
    """

    student: str
    chapter: str
    attempt: int = 1
    file: str = ""
    status: Status = "graded"
    code: str = ""
    message: str = ""
    hashes: Hashes = Hashes()
    seed: int = 0
    box: str = ""
    report: Report | None = None
    held: bool = False
    seconds: float = field(default=0.0, compare=False)
    cpu_seconds: float = field(default=0.0, compare=False)

    @property
    def key(self) -> Key:
        """Whose it is, of which chapter, and which attempt."""
        return self.student, self.chapter, self.attempt

    @property
    def score(self) -> float | None:
        """The points earned; None when it was not graded."""
        return self.report.score if self.status == "graded" and self.report else None

    @property
    def max_score(self) -> float:
        """The points that there were to be had, as far as they are known."""
        return self.report.max_score if self.report else 0.0

    def counted_by(self, partial: Partial) -> Result:
        """The same, with points for each trial or for whole exercises only."""
        return replace(self, report=self.report.counted_by(partial)) if self.report else self

    def line(self) -> str:
        """It as one line of JSON, without the line's end."""
        told = {"score": self.score, "max_score": self.max_score}
        return json.dumps({**asdict(self), **told}, ensure_ascii=False)


_READER = TypeAdapter(Result)


class Results:
    """The results of one class, in a file that survives whatever ends the program.

    Args:
        folder: where `results.jsonl` lies or will lie.

    Raises:
        FileFormatError: a line of the file is none of these; its last one may be cut.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._lines = list(self._read())

    @cached_property
    def _end(self) -> int:
        """How long the file is without a last line that was cut; nothing may follow that."""
        data = self.path.read_bytes() if self.path.exists() else b""
        return data.rfind(b"\n") + 1

    def add(self, result: Result) -> None:
        """Keep one more result, on the disk before this returns.

        Raises:
            OSError: there is no room for it; what was there is as it was.
        """
        data = (result.line() + "\n").encode("utf-8", "replace")
        before = self._end
        with self.path.open("r+b" if self.path.exists() else "wb") as file:
            file.truncate(before)
            file.seek(before)
            try:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            except OSError as trouble:
                os.ftruncate(file.fileno(), before)
                raise OSError(trouble.errno, trouble.strerror, str(self.path)) from trouble
        self._end = before + len(data)
        self._lines.append(result)

    def latest(self) -> dict[Key, Result]:
        """What was judged last, held back or not."""
        return {each.key: each for each in self._lines}

    def standing(self) -> dict[Key, Result]:
        """What counts: the last that nobody holds back."""
        return {each.key: each for each in self._lines if not each.held}

    def settle(self, keep: Iterable[Result]) -> None:
        """Put the file in order with these results, in one step: a reader meets all or nothing."""
        kept = sorted(keep, key=lambda each: (each.chapter, each.student, each.attempt, each.held))
        write(self.path, "".join(each.line() + "\n" for each in kept))
        self._lines = kept
        self._end = self.path.stat().st_size

    def __iter__(self) -> Iterator[Result]:
        return iter(self._lines)

    def _read(self) -> Iterator[Result]:
        data = self.path.read_bytes() if self.path.exists() else b""
        whole, _, _ = data.rpartition(b"\n")
        for number, line in enumerate(whole.split(b"\n") if whole else (), start=1):
            try:
                yield _READER.validate_python(_known(json.loads(line)))
            except (ValueError, ValidationError, TypeError):
                raise FileFormatError(
                    f"{self.path}, line {number}: this is no result; "
                    "put the file aside, and everything is judged anew"
                ) from None


def _known(line: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name not in ("score", "max_score")}
