"""The help desk: one copy of the provider's database, and the agents of its two tiers."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from course.agent import Agent
from course.models.names import LARGE
from course.scenarios.database import Database
from course.scenarios.support.generate import database_bytes
from course.scenarios.support.lines import FirstLine, SecondLine
from course.tools import Tool, tool

PROVIDER = "Northlight Broadband"

_TIER_1 = f"""\
You are the first line of support at {PROVIDER}.
Find the customer by name, check the line, and try what fits: restart the router of a connection
that is down, change the wifi channel of a slow one.
Say only what the tools told you. If nothing helps, hand over to the second line."""

_TIER_2 = f"""\
You are the second line of support at {PROVIDER}, for what the first line could not mend.
What was tried is known: do not try it again. Measure the line, then do what fits the finding:
reset a port that is stuck, lower a profile that is too fast.
Say only what the tools told you. If nothing helps, hand over to a person."""


class HelpDesk:
    """An internet provider's support on its own copy of the generated database.

    Attributes:
        database: the SQLite file; the tools open it for each call, and so may you.
        first_line: the tools of tier 1.
        second_line: the tools of tier 2.

    Leaving the `with` block, `close()` or the end of the program deletes the file.
    """

    def __init__(self, seed: int = 7) -> None:
        folder = tempfile.mkdtemp(prefix="support-")
        self.seed = seed
        self.database = Path(folder, "support.sqlite")
        self.database.write_bytes(database_bytes(seed))
        self._database = Database(self.database, remedy="open_support() makes a new one")
        # Tied to what the tools hold, so that agents may outlive the desk that made them.
        self._remove = weakref.finalize(self._database, shutil.rmtree, folder, ignore_errors=True)

    @cached_property
    def first_line(self) -> tuple[Tool, ...]:
        """Find the customer, check the line, restart the router, change the wifi channel."""
        line = FirstLine(self._database)
        functions = (
            line.find_customer,
            line.check_line,
            line.restart_router,
            line.change_wifi_channel,
        )
        return tuple(tool(function) for function in functions)

    @cached_property
    def second_line(self) -> tuple[Tool, ...]:
        """Measure the line, reset its port, lower its profile; and find the customer."""
        line = SecondLine(self._database)
        functions = (line.measure_line, line.reset_port, line.lower_profile)
        return (self.first_line[0], *(tool(function) for function in functions))

    def close(self) -> None:
        """Delete the database; closing twice does no harm."""
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def open_support(*, seed: int = 7) -> HelpDesk:
    """Open a help desk on a fresh copy of the provider that belongs to `seed`."""
    return HelpDesk(seed)


def tiers(desk: HelpDesk) -> tuple[Agent, Agent]:
    """The agents of tier 1 (a small model) and tier 2 (a large one), without handoffs."""
    return (
        Agent(
            name="tier1",
            description="first line of support: checks connections and tries simple remedies",
            instructions=_TIER_1,
            tools=desk.first_line,
        ),
        Agent(
            name="tier2",
            description="second line of support: for what the first line could not mend",
            instructions=_TIER_2,
            tools=desk.second_line,
            model=LARGE,
        ),
    )
