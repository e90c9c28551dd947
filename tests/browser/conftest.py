"""A server and a browser must not outlive the tests, however these end."""

import signal
from collections.abc import Iterator
from types import FrameType

import pytest


@pytest.fixture(scope="session", autouse=True)
def ended_in_order() -> Iterator[None]:
    """Let SIGTERM end the tests like Ctrl-C does: what they started is stopped on the way out."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    yield
    signal.signal(signal.SIGTERM, before)
