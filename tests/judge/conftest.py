"""Bounds that come sooner, for tests of what is said when one is met.

At their real size they are met in test_protocol.py, test_box_probes.py and test_attacks.py.
"""

from dataclasses import replace

import pytest

from graders.child import watch
from graders.judge import budget, inside, world


@pytest.fixture
def few_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking or waiting without end is over soon, but later than any answer needs."""
    monkeypatch.setattr(world, "MOST_REQUESTS", 200)
    monkeypatch.setattr(world, "MOST_IDLES", 2_000)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endless loop is over after an eighth of its time, an endless wait after a third.

    Only what may be quiet is less: with a part of a whole run a busy machine has used it up before
    the box could say which line it was. In this process one looks five times as often, and who
    uses a fifth between two looks is awake, too: a loop may have to wait for a processor.
    """
    quiet = budget.USUAL.quiet
    less = budget.Seconds(cpu=quiet.cpu / 8, real=quiet.real / 3)
    monkeypatch.setattr(budget, "USUAL", replace(budget.USUAL, quiet=less))
    look = watch.LOOK / 5
    for each in (watch, inside):
        monkeypatch.setattr(each, "LOOK", look)
    monkeypatch.setattr(watch, "_STILL", watch._STILL / 5)
