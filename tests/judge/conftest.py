"""Bounds that come sooner, for tests of what is said when one is met.

At their real size they are met in test_protocol.py, test_box_probes.py and test_attacks.py.
"""

from dataclasses import replace

import pytest

from graders.judge import budget, world


@pytest.fixture
def few_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking or waiting without end is over soon, but later than any answer needs."""
    monkeypatch.setattr(world, "MOST_REQUESTS", 200)
    monkeypatch.setattr(world, "MOST_IDLES", 2_000)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endless loop or wait is over after a quarter of its time.

    Only what may be quiet is less: with a quarter of a whole run a busy machine has used it up
    before the box could say which line it was.
    """
    quiet = budget.USUAL.quiet * 0.25
    monkeypatch.setattr(budget, "USUAL", replace(budget.USUAL, quiet=quiet))
