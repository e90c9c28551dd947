"""What is judged in a box needs no scikit-learn: confidences come as data."""

from __future__ import annotations

import pytest

from graders.exercises.ch02.calibration import COVERAGE_ACCURACY, THRESHOLD_FOR
from graders.exercises.ch02.hybrid_router import DECIDE
from graders.judge.cells import code_cells, needed
from graders.records.scenario import Exercise
from tests.notebooks import kit


@pytest.mark.parametrize(
    "exercise", [COVERAGE_ACCURACY, THRESHOLD_FOR, DECIDE], ids=lambda each: each.number
)
def test_no_cell_that_an_exercise_needs_trains_or_routes(exercise: Exercise) -> None:
    """A cell that binds a name which an exercise uses runs in its box: names must not collide."""
    book = kit.read(kit.ROOT / "solutions" / "02_pipeline" / "02_pipeline.ipynb")
    cells = needed(code_cells(book, book), exercise.definitions, exercise.builds_on)
    assert exercise.definitions[0] in {name for cell in cells for name in cell.binds}
    calls = (
        "IntentClassifier(",
        "StaticRouter(",
        "connect(",
        "evaluate(",
        "clock.simulate(",
        "plt",
    )
    assert [(cell.name, call) for cell in cells for call in calls if call in cell.source] == []
    stages = " ".join(trial.stage for trial in exercise.trials)
    assert "sklearn" not in stages
    assert "IntentClassifier" not in stages
