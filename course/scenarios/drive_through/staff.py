"""The three agents of the drive-through; the fourth stage, the menu, is decided in code."""

from __future__ import annotations

from course.agent import Agent
from course.scenarios.drive_through.window import Window
from course.tools import by_name

_HOST = """\
You are the first voice at a drive-through.
Greet the guest in a short sentence, and write down what is wanted in the end: when the guest
changes something, only the last word counts. Whether it can be had is not your business."""

_CASHIER = """\
You are at the till of a drive-through. Take the payment of the order.
Give total and receipt as the till says them; never add anything up yourself."""

_SERVER = """\
You are at the last window of a drive-through.
Tell the guest the order number, what comes, what could not be had and why, and the total.
Say names and amounts as they are given to you."""


def host() -> Agent:
    """Who listens: makes an order of what a guest says."""
    return Agent(
        name="host", instructions=_HOST, description="Greets guests and notes what they want."
    )


def cashier(window: Window) -> Agent:
    """Who takes the money: has the till, and nothing else."""
    tools = (by_name(window.tools)["take_payment"],)
    return Agent(
        name="cashier",
        instructions=_CASHIER,
        tools=tools,
        description="Takes the payment of an order.",
    )


def server() -> Agent:
    """Who hands over: tells the guest what comes and what it cost."""
    return Agent(
        name="server", instructions=_SERVER, description="Tells guests what comes and what it cost."
    )
