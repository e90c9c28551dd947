"""A chapter that is light by its text is short on the page, too."""

from pathlib import Path

import pytest

from tests.browser.weight import opened
from tests.marking import first
from tests.notebooks.test_chapters import HEAVY, RELEASED

pytestmark = pytest.mark.browser
LIGHT = [path for path in RELEASED if path.stem not in HEAVY]


@pytest.mark.parametrize("path", first(1, of=LIGHT), ids=lambda path: path.stem)
def test_a_light_chapter_is_short_when_it_is_opened(path: Path) -> None:
    [found] = opened([path])
    assert found.faults() == []
