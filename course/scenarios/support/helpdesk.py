"""The help desk: the provider's world, and the agents of its two tiers."""

from __future__ import annotations

from functools import cached_property

from course.agent import Agent
from course.models.names import LARGE
from course.scenarios.support.generate import make_network
from course.scenarios.support.lines import FirstLine, SecondLine
from course.scenarios.world.world import World
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


class HelpDesk(World):
    """An internet provider's support: customers, their lines, and what is wrong with them.

    Attributes:
        first_line: the tools of tier 1.
        second_line: the tools of tier 2.
    """

    make = staticmethod(make_network)

    @cached_property
    def first_line(self) -> tuple[Tool, ...]:
        """Find the customer, check the line, restart the router, change the wifi channel."""
        line = FirstLine(self.database)
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
        line = SecondLine(self.database)
        functions = (line.measure_line, line.reset_port, line.lower_profile)
        return (self.first_line[0], *(tool(function) for function in functions))


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
