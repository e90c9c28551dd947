"""A chapter as a student gets it runs to its end: checks say ○, and nothing else goes wrong.

Run are the cells that rest on what a student writes; nbval runs the others in the solved chapter,
where they do the same. `pytest --long` runs all, each chapter on a kernel of its own. That each
check says ○ for its stub, whatever it is given, is tested in tests/grading/test_stubs.py.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from tests.conftest import unheard
from tests.marking import LONG
from tests.notebooks import kit
from tests.notebooks.resting import resting
from tests.notebooks.test_chapters import RELEASED, name, unsolved_fails

Run = Callable[[NotebookNode], NotebookNode]
FEW = """from course.lab import sweep

sweep.sweep = lambda experiment, *where, whole=sweep.sweep, **how: whole(
    experiment.model_copy(update={"tasks": 2, "seeds": (0, 1)}), *where, **how
)"""
"""How much an experiment plays is nothing to what rests on answers."""


@pytest.fixture(scope="module")
def shared(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Run]:
    """One kernel for all chapters: what they import is most of what each would take."""
    folder = tmp_path_factory.mktemp("unsolved")
    with pytest.MonkeyPatch.context() as patched:
        unheard(patched, request.config)
        with kit.kernel(folder, allow=kit.OUTCOMES) as run:
            run(new_notebook(cells=[new_code_cell(FEW)]))
            yield run


@pytest.mark.parametrize("path", RELEASED, ids=name)
def test_what_rests_on_answers_says_so_where_there_are_none(path: Path, shared: Run) -> None:
    unsolved_fails(shared(resting(kit.read(path))))


@LONG  # the other cells of a chapter are run where it is solved
@pytest.mark.parametrize("path", RELEASED, ids=name)
def test_unsolved_fails(path: Path, tmp_path: Path) -> None:
    unsolved_fails(kit.execute(kit.read(path), tmp_path, allow=kit.OUTCOMES))


def test_what_rests_on_an_answer_by_name_is_run_and_what_it_needs() -> None:
    def cell(name: str, source: str, **metadata: object) -> kit.NotebookNode:
        return new_code_cell(source, id=name, metadata=metadata)

    asked = {"grade_id": "ex_1_1", "solution": True}
    cells = [
        cell("first", "start = 1"),
        cell("needed", "import json\nseven = 7"),
        cell("measured", "import math\nprint(math.pi)"),
        cell("partly", "import cmath\n\n\ndef half(x):\n    return x / 2\n\n\nmany = half(9)"),
        cell("late", "def shown():\n    return json.dumps(double(seven))"),
        cell(
            "answer", "import os\n\n\ndef double(x):\n    raise NotImplementedError", nbgrader=asked
        ),
        cell("check", "assert double(1) == 2", nbgrader={"grade_id": "ex_1_1_check"}),
        cell("through", "lines = [shown() for _ in range(2)]"),
        cell("further", "async def told():\n    return lines\n\n\nprint(await told())"),
        cell("tried", "print(half(1))", tags=["try"]),
        cell("elsewhere", "print(os.name)"),
        cell("finished", "from course.tools import double\ntwice = double(2)"),
        cell("after", "print(twice)"),
    ]
    book = resting(new_notebook(cells=cells))
    kept = [each.id for each in book.cells]
    assert kept == [
        "first",
        "needed",
        "partly",
        "late",
        "answer",
        "check",
        "through",
        "further",
        "tried",
    ]
    partly = kit.by_id(book, "partly").source
    assert "import cmath" in partly and "def half" in partly and "many" not in partly
