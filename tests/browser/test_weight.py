"""Every chapter is short on the page, too."""

import pytest

from tests.browser.weight import opened
from tests.notebooks.test_chapters import RELEASED

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_a_chapter_is_short_when_it_is_opened() -> None:
    assert {each.name: each.faults() for each in opened(RELEASED) if each.faults()} == {}
