"""A server and a browser must not outlive the tests, however these end."""

import signal
from collections.abc import Iterator
from types import FrameType

import pytest
from playwright.sync_api import Browser

from tests.browser.lab import browse


@pytest.fixture(scope="session", autouse=True)
def ended_in_order() -> Iterator[None]:
    """Let SIGTERM end the tests like Ctrl-C does: what they started is stopped on the way out."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture(scope="module")  # while it runs, no other test can run an event loop
def browser() -> Iterator[Browser]:
    """One browser for the pages of a file."""
    with browse() as running:
        yield running
