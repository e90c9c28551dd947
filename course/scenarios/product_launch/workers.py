"""The launches' world and the workers in it."""

from __future__ import annotations

from course.agent import Agent
from course.scenarios.product_launch.generate import make_launches
from course.scenarios.product_launch.names import TODAY
from course.scenarios.product_launch.tools import Buying, Money, Schedule
from course.scenarios.world.domain import calculating, querying, searching, worker, writer
from course.scenarios.world.world import World


class Launches(World):
    """Three products on their way to the shops, with plans, bills, quotes and documents."""

    make = staticmethod(make_launches)
    today = TODAY


def workers(world: Launches) -> tuple[Agent, ...]:
    """A scheduler, a controller, a buyer, a researcher and a writer, who share no tool."""
    schedule, money = Schedule(world.database), Money(world.database)
    buying = Buying(world.database)
    return (
        worker(
            world,
            "scheduler",
            "lists tasks with their slack, calculates launch days, and what delays do to them",
            duty="You say when a launch can be, in working days of a country.",
            does=(schedule.list_tasks, schedule.plan_launch, schedule.delay_task),
        ),
        worker(
            world,
            "controller",
            "checks budgets and bills, calculates break-even and risks, queries the database",
            duty="You say what a launch costs, in one currency, and when it pays.",
            does=(
                money.check_budget,
                money.calculate_break_even,
                money.sum_risks,
                *querying(world),
            ),
        ),
        worker(
            world,
            "buyer",
            "compares suppliers' quotes for an order, in EUR a unit, and calculates",
            duty="You compare what suppliers ask, for the order that is wanted.",
            does=(buying.compare_quotes, *calculating()),
        ),
        worker(
            world,
            "researcher",
            "searches and reads quotes, minutes, market studies, newsletters and mails",
            duty="You find out what documents say about products and their launches.",
            does=searching(world),
        ),
        writer(world),
    )
