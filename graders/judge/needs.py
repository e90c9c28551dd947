"""The code that one exercise of a submission needs, without what spoilt a run beside its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graders.judge.cells import Cell, needed
from graders.judge.outside import Played
from graders.judge.protocol import Note
from graders.records.scenario import Exercise

INTERRUPTED = "Interrupted"
"""What a note says of code beside the answer that was stopped."""


class Needs:
    """The code that one exercise needs.

    Args:
        exercise: whose it is.
        cells: of the whole notebook.
        spoilt: code beside an answer that took too long or ended the program once, and is not
            run again in the whole submission.
    """

    def __init__(
        self, exercise: Exercise, cells: Sequence[Cell], spoilt: set[tuple[str, str]]
    ) -> None:
        names = exercise.definitions
        self._cells = needed(cells, names, exercise.builds_on)
        self._spoilt = spoilt
        self._grade_ids = exercise.grade_ids
        self.own = {
            each.name
            for each in cells
            if not self._is_side(each) or not each.owns.isdisjoint(names)
        }

    def script(self) -> list[dict[str, Any]]:
        """What a box is told of it."""
        return [each.script(side=self._is_side(each)) for each in self._left()]

    def leave_out(self, played: Played) -> tuple[Note, ...]:
        """Leave out from now on what spoilt this run; returns a note for each cell."""
        if played.began:
            stopped = {(note.cell, note.line) for note in played.notes if note.type == INTERRUPTED}
            found = [each for each in self._left() if (each.name, each.begin) in stopped]
        else:
            found = [each for each in self._left() if self._is_side(each) and each.risky]
        found = [each for each in found if self._is_side(each)]
        self._spoilt |= {(each.name, each.source) for each in found}
        if played.began:
            return ()
        why = "the program ended, or hung, before the answer was played: it was left out"
        return tuple(Note(each.name, "LeftOut", why, each.begin) for each in found if each.own)

    def _left(self) -> list[Cell]:
        return [each for each in self._cells if not self._is_spoilt(each)]

    def _is_spoilt(self, cell: Cell) -> bool:
        return self._is_side(cell) and (cell.name, cell.source) in self._spoilt

    def _is_side(self, cell: Cell) -> bool:
        return cell.grade_id not in self._grade_ids
