"""A chapter is short on the page, too."""

from pathlib import Path

import pytest

from tests.browser.weight import opened
from tests.marking import first
from tests.notebooks.test_chapters import RELEASED

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("path", first(1, of=RELEASED), ids=lambda path: path.stem)
def test_a_chapter_is_short_when_it_is_opened(path: Path) -> None:
    [found] = opened([path])
    assert found.faults() == []
