"""How long judging may take: the numbers for a run, an exercise and a notebook, and what is left.

Seconds are of two kinds. `cpu` is processor time, of the box and of the judge together. `real` is
time on the clock, without what a busy machine let them wait for a processor: beside other programs
a right answer takes longer, but uses up no more of its budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields


@dataclass(frozen=True, slots=True)
class Seconds:
    """Processor seconds and real seconds."""

    cpu: float = 0.0
    real: float = 0.0

    def __add__(self, other: Seconds) -> Seconds:
        return Seconds(self.cpu + other.cpu, self.real + other.real)

    def __sub__(self, other: Seconds) -> Seconds:
        return Seconds(self.cpu - other.cpu, self.real - other.real)

    def __mul__(self, times: float) -> Seconds:
        return Seconds(self.cpu * times, self.real * times)

    def within(self, other: Seconds) -> Seconds:
        """The smaller of both, of each kind."""
        return Seconds(min(self.cpu, other.cpu), min(self.real, other.real))

    @property
    def gone(self) -> bool:
        """Whether nothing is left of one kind."""
        return self.cpu <= 0 or self.real <= 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What may be used up. The defaults suit two cores that somebody else uses too.

    A right answer needs less than 0.2 s for a run and less than 3 s for an exercise.

    Attributes:
        quiet: of a run that says nothing: computing for so long it is an endless loop, asleep for
            so long it waits in real time.
        run: one playing of one trial.
        aside: of a run beside that, for what of the notebook is not the answer's.
        exercise: all its trials, each with every hidden seed.
        notebook: all its exercises.
        reserve: kept back for each exercise that is still to come, whatever others use up.
    """

    quiet: Seconds = Seconds(2.0, 1.5)
    run: Seconds = Seconds(4.0, 5.0)
    aside: Seconds = Seconds(4.0, 1.0)
    exercise: Seconds = Seconds(10.0, 10.0)
    notebook: Seconds = Seconds(40.0, 40.0)
    reserve: Seconds = Seconds(3.0, 3.0)

    def told(self) -> dict[str, dict[str, float]]:
        """What a box needs to know of it."""
        return {"quiet": asdict(self.quiet), "aside": asdict(self.aside)}

    def times(self, factor: float) -> Budget:
        """The same for a machine that is slower by this factor."""
        return Budget(**{each.name: getattr(self, each.name) * factor for each in fields(self)})


USUAL = Budget()


class Purse:
    """What judging one notebook has used, and what it may still use.

    Args:
        budget: what there is.
        exercises: their numbers, in the order in which they will be judged.
    """

    def __init__(self, budget: Budget, exercises: Iterable[str] = ()) -> None:
        self.budget = budget
        self._used = Seconds()
        self._by: dict[str, Seconds] = {}
        self._to_come = list(exercises)
        self._short = False
        self._left = budget.exercise

    @contextmanager
    def exercise(self, number: str) -> Iterator[None]:
        """Judge this exercise in the block."""
        self._to_come = [each for each in self._to_come if each != number]
        free = self.budget.notebook - self._used - self.budget.reserve * len(self._to_come)
        self._left = self.budget.exercise.within(free)
        self._short = self._left != self.budget.exercise
        before = self._used
        yield
        self._by[number] = self._used - before

    @property
    def run(self) -> Seconds:
        """What the next run may use."""
        return (self.budget.run + self.budget.aside).within(self._left)

    @property
    def empty(self) -> bool:
        """Whether there is nothing left for the exercise that is being judged."""
        return self._left.gone

    def pay(self, used: Seconds) -> None:
        """Take this out."""
        self._used += used
        self._left -= used

    def why(self) -> str:
        """Why the exercise may go on no longer, for a sentence that ends with it."""
        if not self._short:
            return f"the {self.budget.exercise.real:g} s of this exercise were used up"
        most = sorted(self._by, key=lambda number: -self._by[number].real)
        most = [each for each in most if self._by[each].real >= self.budget.reserve.real / 2]
        return f"the notebook's {self.budget.notebook.real:g} s were used up by " + (
            f"exercises {' and '.join(most[:3])}" if len(most) > 1 else f"exercise {most[0]}"
        )
