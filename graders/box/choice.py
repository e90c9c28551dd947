"""Which box to use: the one asked for, or the strongest that works here."""

from __future__ import annotations

from typing import Literal

from course.errors import ConfigurationError
from graders.box import bwrap, landlock
from graders.box.backend import Backend
from graders.box.bwrap import Bubblewrap
from graders.box.landlock import Landlock
from graders.box.none import LimitsOnly

Name = Literal["auto", "bwrap", "landlock", "none"]


def choose(name: Name = "auto", *, own_work: bool = False) -> Backend:
    """The backend of that name, or the strongest that works here.

    Args:
        name: "auto" never gives "none".
        own_work: whether the code is the caller's own, the only case for "none".

    Raises:
        ConfigurationError: it cannot run here, or would not be safe; one line with the way out.
    """
    if name == "bwrap":
        return _if_possible(Bubblewrap(), bwrap.available())
    if name == "landlock":
        return _if_possible(Landlock(), landlock.available())
    if name == "none":
        return _for_own_work(own_work)
    if name != "auto":
        raise ConfigurationError(f"no box is called {name!r}: auto, bwrap, landlock or none")
    return _strongest()


def _strongest() -> Backend:
    without_bwrap = bwrap.available()
    if not without_bwrap:
        return Bubblewrap()
    without_landlock = landlock.available()
    if not without_landlock:
        return Landlock()
    raise ConfigurationError(
        f"no box works here ({without_bwrap}; {without_landlock}): see python -m graders doctor"
    )


def _if_possible(backend: Backend, reason: str) -> Backend:
    if reason:
        raise ConfigurationError(reason)
    return backend


def _for_own_work(own_work: bool) -> Backend:
    if not own_work:
        raise ConfigurationError(
            "the box 'none' has limits but no walls, so it is for your own work only: "
            "install bubblewrap to judge somebody else's"
        )
    return LimitsOnly()
