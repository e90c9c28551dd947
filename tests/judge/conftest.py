"""Bounds that come sooner, for tests of what is said when one is met.

At their real size they are met in test_protocol.py, test_box_probes.py and test_attacks.py.
"""

import pytest

from graders.judge import budget, world


@pytest.fixture
def few_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking or waiting without end is over soon, but later than any answer needs."""
    monkeypatch.setattr(world, "MOST_REQUESTS", 200)
    monkeypatch.setattr(world, "MOST_IDLES", 2_000)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endless loop or wait is over after a quarter of its time."""
    monkeypatch.setattr(budget, "USUAL", budget.USUAL.times(0.25))
