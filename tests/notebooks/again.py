"""After a run of all cells one plays: what one tries, and boxes to ask in, work as they did.

nbval has run a solved chapter, and its kernel stands: its last test plays there what is to be
played, so that no chapter need run a second time.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from queue import Empty
from typing import Any

import pytest
from nbformat import NotebookNode

# Kernels have no page whose Enter would be heard: a box asks its example at once.
ASK_AT_ONCE = """import course.notebook

_asked = []
course.notebook.ask_box = lambda ask, *, example="": _asked.append(ask(example))"""
ANSWERS = """import inspect

for _each in _asked:
    _each = await _each if inspect.isawaitable(_each) else _each
    print(getattr(_each, "answer", _each))"""
BOXES = ("ask_box(", "pattern_chooser(", "studio(", "what_if(", "answer_as_the_model(")
CLOSED = re.compile(r"this \w+ is closed|ScenarioError|'ename': ")
"""What is told where a world is gone, or where a later cell gave a name to something else."""
PATIENCE = 60  # seconds for a cell


class Again(pytest.Item):
    """The last test of a chapter."""

    def runtest(self) -> None:
        """Raises AssertionError where something is closed or broken, or nothing was shown."""
        book: NotebookNode = self.parent.nb  # type: ignore[union-attr]
        played = [cell.source for cell in book.cells if is_played(cell)]
        told = [said for source in (ASK_AT_ONCE, *played, ANSWERS) for said in self._run(source)]
        assert told or not played
        assert [each for each in told if CLOSED.search(each)] == []

    def _run(self, source: str) -> Iterator[str]:
        """What a cell shows, an error too."""
        kernel: Any = self.parent.kernel  # type: ignore[union-attr]
        mine = kernel.execute_cell_input(source, allow_stdin=False)
        while True:
            try:
                message = kernel.get_message("iopub", timeout=PATIENCE)
            except Empty:
                raise AssertionError(f"no end after {PATIENCE} s: {source}") from None
            if message["parent_header"].get("msg_id") != mine:
                continue
            content = message["content"]
            if content.get("execution_state") == "idle":
                return
            if message["msg_type"] in ("stream", "error", "display_data", "execute_result"):
                yield str(content)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Where it is, for pytest."""
        return self.path, None, self.name


def is_played(cell: NotebookNode) -> bool:
    """Whether a cell is to be tried, or shows something to play with."""
    tried = "try" in cell.metadata.get("tags", [])
    return cell.cell_type == "code" and (tried or any(box in cell.source for box in BOXES))


class Playing:
    """The plugin that adds it to what nbval collects."""

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        if hasattr(collector, "nb") and collector.path.parents[1].name == "solutions":
            report.result.append(Again.from_parent(collector, name="Again"))
        return report
