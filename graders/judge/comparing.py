"""A run that failed beside a right one on the same trial: where they part, and why.

The right run is made of the package's own definition, in the same world, and is judged too: what
doesn't pass is no example. Of the definition itself nothing is shown but what the world saw.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from graders.records.comparison import Comparison
from graders.records.log import Log
from graders.records.scenario import Exercise, Trial
from graders.records.traced import MOST, asker, span_id, trace_of
from graders.records.verdict import Bar
from graders.records.wording import bars, clip, one_line

if TYPE_CHECKING:
    from course.viewer.compare import Parting
    from course.viewer.picture import Picture

NAMES = ("your run", "a right run")
SHOWN = 8  # bars of each run
LONGEST = 400  # characters of the cause


def finished_answer(exercise: Exercise) -> Exercise | None:
    """The exercise with the package's own definitions as the answer; None where it has none."""
    if not set(exercise.definitions) <= exercise.finished.keys():
        return None
    own = {name: exercise.finished[name] for name in exercise.definitions}
    return replace(exercise, builds_on={**exercise.builds_on, **own}, finished={})


@dataclass(frozen=True)
class Runs:
    """Two runs of one trial: the one that failed, and a right one."""

    exercise: Exercise
    trial: Trial
    yours: Log
    right: Log

    def comparison(self) -> Comparison | None:
        """Where they part; None where the world saw no difference."""
        try:
            return self._compared()
        except Exception:  # whatever somebody's code asks of the world, its verdict stands
            return None

    def view(self, said: str) -> dict[str, Any]:
        """Both as the viewer plays them, at the moment where they part.

        Args:
            said: what stands above them, such as the sentence of the contract that was broken.
        """
        from course.viewer.compare import comparison

        shown = comparison(*self._pictures, names=NAMES, said=said, found=self._parting)
        return {**shown, "by": "step"}  # a row for each call: they are one function's

    def _compared(self) -> Comparison | None:
        found = self._parting
        if found is None:
            return None
        yours, right = self._pictures
        cause = clip(one_line(found.sentence), LONGEST)
        return Comparison(
            found.time,
            cause,
            _around(self.yours, found.time, _step(yours, found.a, found.lacking == "a")),
            _around(self.right, found.time, _step(right, found.b, found.lacking == "b")),
            (len(self.yours.exchanges), len(self.right.exchanges)),
        )

    @cached_property
    def _pictures(self) -> tuple[Picture, Picture]:
        from course.viewer.picture import picture_of

        code, asked = self.exercise.definitions[0], self.trial.title
        yours, right = (picture_of(trace_of(log, code, asked)) for log in (self.yours, self.right))
        return yours, right

    @cached_property
    def _parting(self) -> Parting | None:
        """Told of the run that failed, so against the right one."""
        from course.viewer.compare import parting

        yours, right = self._pictures
        found = parting(right, yours, names=NAMES[::-1])
        if found is None:
            return None
        lacking: dict[str, Any] = {"a": "b", "b": "a", "": ""}
        return replace(found, a=found.b, b=found.a, lacking=lacking[found.lacking])


def _step(picture: Picture, place: int, lacking: bool) -> str:
    """The id of the step that parts; empty where there is none."""
    step = None if lacking else picture.moments[place].step
    return step.span.span_id if step is not None else ""


def _around(log: Log, time: float, parts: str) -> tuple[Bar, ...]:
    """The bars around the moment at which the runs part; what parts is marked."""
    every = log.exchanges[:MOST]
    marked = [each.number for each in every if span_id(each.number) == parts]
    begun = sum(each.start <= time for each in every)
    first = marked[0] if marked else max(begun - 1, 0)
    begin = max(0, min(first - SHOWN // 2, len(every) - SHOWN))
    kept = every[begin : begin + SHOWN]
    return bars(kept, marked, {each.number: asker(each) for each in kept if each.kind == "model"})
