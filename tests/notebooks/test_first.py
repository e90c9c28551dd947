"""Whatever is run first: no traceback, and no cell that never ends."""

import os
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from course.notebook.leash import Leash
from tests.notebooks import kit

OPENING = "00_start_here"
ENDLESS = "while True:\n    try:\n        sum(range(1000))\n    except Exception:\n        pass"
BUSY = "import asyncio\nwhile True:\n    await asyncio.sleep(0)"


def told(cell: NotebookNode) -> list[str]:
    """What a cell shows, errors by their lines."""
    shown = [line for each in kit.errors(cell) for line in each.traceback]
    return [
        *(each.get("text", "") for each in cell.outputs if each.output_type == "stream"),
        *shown,
    ]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, NotebookNode]:
    """Each cell of chapter 00 as if it were the first, and then endless ones, in one kernel."""
    path = kit.ROOT / "notebooks" / OPENING / f"{OPENING}.ipynb"
    cells = [cell for cell in kit.read(path).cells if cell.cell_type == "code"]
    first = [cell for cell in cells if "start()" not in cell.source]
    book = new_notebook(cells=[])
    for cell in first:
        book.cells += [new_code_cell("%reset -f"), cell]
    short = "from course.notebook import start\nstart(seconds=0.5)"
    last = {"short": short, "endless": ENDLESS, "busy": BUSY, "after": "print('went on')"}
    book.cells += [new_code_cell(source, id=name) for name, source in last.items()]
    for cell in book.cells:
        cell.metadata.tags = ["raises-exception"]
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTHONSTARTUP", str(kit.ROOT / "graders" / "startup.py"))
        done = kit.execute(book, tmp_path_factory.mktemp("first"))
    return {cell.id: cell for cell in done.cells}


def test_no_cell_of_the_first_chapter_answers_with_a_traceback(
    ran: dict[str, NotebookNode],
) -> None:
    lacking = [
        cell for cell in ran.values() if kit.errors(cell) and cell.id not in ("endless", "busy")
    ]
    lines = [line for cell in lacking for error in kit.errors(cell) for line in error.traceback]
    assert len(lines) == len(lacking) > 10
    assert {line[0] for line in lines} == {"○"}
    assert [line for line in lines if "not there yet" in line and "start()" not in line] == []


@pytest.mark.parametrize("name", ["endless", "busy"])
def test_a_cell_that_never_ends_is_stopped_with_a_line(
    ran: dict[str, NotebookNode], name: str
) -> None:
    assert told(ran[name])[0].startswith("■ Stopped after 0.5 s of computing")
    assert told(ran["after"]) == ["went on\n"]


def test_a_cell_that_ends_is_left_alone_and_a_second_start_takes_over() -> None:
    events: dict[str, list[object]] = {"pre_run_cell": [], "post_run_cell": []}
    shell = SimpleNamespace(
        events=SimpleNamespace(
            callbacks=events,
            register=lambda name, each: events[name].append(each),
            unregister=lambda name, each: events[name].remove(each),
        )
    )
    for seconds in (0.01, 300.0):
        Leash(seconds).fasten(shell)
    assert [len(each) for each in events.values()] == [1, 1]
    leash = events["pre_run_cell"][0].__self__  # type: ignore[attr-defined]
    leash.begin()
    left, _ = signal.getitimer(signal.ITIMER_PROF)
    leash.end()
    assert 200 < left < 400
    assert signal.getitimer(signal.ITIMER_PROF)[0] == 0


def test_the_lab_of_the_course_starts_kernels_that_say_what_to_run() -> None:
    makefile = Path(kit.ROOT, "Makefile").read_text(encoding="utf-8")
    assert 'PYTHONSTARTUP="$(CURDIR)/graders/startup.py"' in makefile
    assert os.path.exists(kit.ROOT / "graders" / "startup.py")
