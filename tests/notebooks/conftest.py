"""Chapters, executed once each however many tests look at them."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from nbformat import NotebookNode

from graders.release import release
from tests.notebooks import kit


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with the fixture chapter, executed and released; tests must not change it."""
    root = kit.make_course(tmp_path_factory.mktemp("course") / "course")
    source = root / "solutions" / kit.CHAPTER / f"{kit.CHAPTER}.ipynb"
    kit.write(kit.execute(kit.read(source), source.parent), source)
    kit.commit(root)
    release(root)
    return root


@pytest.fixture(scope="session")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], NotebookNode]:
    """Run a notebook once; what a student's cells may raise is allowed in notebooks/ only."""

    @cache
    def run(path: Path) -> NotebookNode:
        released = path.parent.parent.name == "notebooks"
        folder = tmp_path_factory.mktemp("run")
        return kit.execute(kit.read(path), folder, allow=kit.OUTCOMES if released else ())

    return run
