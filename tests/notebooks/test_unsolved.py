"""A chapter as a student gets it runs to its end: checks say ○, and nothing else goes wrong.

Each day another one of the chapters; `pytest --thorough` runs all of them. That each check says
○ for its stub is tested for all in tests/grading/test_stubs.py.
"""

from pathlib import Path

import pytest

from tests.notebooks.test_chapters import RELEASED, Run, name, unsolved_fails
from tests.sampling import part


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    metafunc.parametrize("path", part(RELEASED, metafunc.config, of=len(RELEASED)), ids=name)


def test_unsolved_fails(path: Path, executed: Run) -> None:
    unsolved_fails(path, executed)
