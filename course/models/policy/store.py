"""Store: where the arguments of an errand come from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from course.models.policy.dates import REFERENCE
from course.models.policy.naming import subjects


@dataclass(frozen=True)
class Store:
    """Where arguments come from: one ask, the whole task, lines of results, and the day."""

    ask: str
    task: str
    lines: tuple[str, ...] = ()
    today: date = REFERENCE

    @property
    def texts(self) -> tuple[str, str]:
        """The ask, and then the whole task."""
        return self.ask, self.task

    @property
    def subjects(self) -> tuple[str, ...]:
        """Whom or what the ask is about, or else the task."""
        return subjects(self.ask) or subjects(self.task)
