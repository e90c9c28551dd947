"""A chapter as a student gets it runs to its end: checks say ○, and nothing else goes wrong.

That each check says ○ for its stub is tested in tests/grading/test_stubs.py.
"""

from pathlib import Path

import pytest

from tests.notebooks.test_chapters import RELEASED, Run, name, unsolved_fails


@pytest.mark.parametrize("path", RELEASED, ids=name)
def test_unsolved_fails(path: Path, executed: Run) -> None:
    unsolved_fails(path, executed)
