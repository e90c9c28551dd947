"""The fixture chapter, executed once however many tests look at it."""

from pathlib import Path

import pytest

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
