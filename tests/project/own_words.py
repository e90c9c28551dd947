"""Sixty requests in words of nobody's, ten for each of the six domains, and systems to ask.

Some are no business of the domain's, vague, rude, empty of meaning, or ask for a person: whatever
a person may say, they hear an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from course.agent import Agent
from course.limits import Limits
from course.routing import Router
from course.supervisor import Supervisor
from course.supervisor_worker import PlanningSupervisor
from course.team import HUMAN, consultation, escalation, hub_and_spoke

REQUESTS: dict[str, tuple[str, ...]] = {
    "competitive intelligence": (
        "Who of them made the most money last year, and how do we know?",
        "Is anybody cheaper than the market leader?",
        "Give me everything you have on prices, please, in a table.",
        "Compare two companies of your choice by growth and tell me which one worries you.",
        "What changed since 2023?",
        "Draft three lines for my boss about the competition.",
        "Does any of them sell bicycles?",
        "How sure are you of these figures?",
        "Never mind the competitors. I would like to talk to somebody real.",
        "Well?",
    ),
    "patient case": (
        "Summarise the case for the night shift in five lines.",
        "Does anything the patient takes clash with something else?",
        "Which lab value got worse, and since when?",
        "Is it safe to give ibuprofen on top of that?",
        "What was the blood pressure on the first visit, and on the last one?",
        "List the allergies. If there are none, say so.",
        "Write to the general practitioner, briefly.",
        "Why was the patient admitted at all?",
        "I am the patient's daughter; can a doctor call me?",
        "asdf qwer zxcv",
    ),
    "portfolio rebalancing": (
        "How far have we drifted from our targets, in percent?",
        "What would I have to sell so that shares are at 60 again?",
        "If the drift is below two percent, leave everything as it is; else propose trades.",
        "Which holding is the largest, and what is it worth today?",
        "How much tax would that cost me?",
        "Explain the fees as if I were twelve.",
        "Buy me a house.",
        "Half in bonds, half in shares: how many trades would that be?",
        "I lost a lot of money and I am angry. Get me your manager.",
        "42",
    ),
    "curriculum": (
        "What does somebody need before the statistics course?",
        "Plan two terms for a beginner who works in the evening.",
        "Does anything next term clash with the lab on Tuesdays?",
        "How many credits is the shortest way to the diploma?",
        "Which courses may I take without any prerequisite?",
        "Swap the second course for something easier, no, leave it, swap the third.",
        "Who teaches it and when?",
        "Is the canteen open on Fridays?",
        "Please put me through to an adviser.",
        "And?",
    ),
    "product launch": (
        "Are we ready for the launch? What is still open?",
        "What does the launch cost in all, by channel?",
        "Move everything by a week and tell me what breaks.",
        "Write the announcement, two sentences, no superlatives.",
        "Which risk would you look at first, and who owns it?",
        "Is the budget enough for the two largest channels?",
        "Compare the plan with last year's launch.",
        "What would you do if the supplier failed?",
        "This is nonsense. I want a human being.",
        "???",
    ),
    "contract review": (
        "What is the worst clause in there for us?",
        "When can we get out of this contract, and what does it cost?",
        "Does the liability cap agree with our rules?",
        "Rewrite the payment terms so that we pay after 30 days.",
        "Which clauses are missing altogether?",
        "Compare the two drafts and name every difference in money.",
        "Is the other side allowed to assign this to somebody else?",
        "Translate clause 4 into plain English.",
        "May I speak to your lawyer?",
        "Sign it for me.",
    ),
}


def kinds(workers: Sequence[Agent]) -> dict[str, Callable[[], Any]]:
    """Each kind of system over a domain's workers, by name."""
    desk = Agent(name="desk", description="the desk", instructions="You answer or pass on.")
    tools = {tool.name: tool for worker in workers for tool in worker.tools}
    plain = [Agent(name=w.name, description=w.description, instructions=w.instructions,
                   tools=w.tools) for w in workers]  # fmt: skip
    shared = tuple(
        name for name in tools if sum(any(t.name == name for t in w.tools) for w in workers) > 1
    )
    planner = PlanningSupervisor(name="chief", workers=tuple(workers), shared=shared)
    inner = replace(planner, name="group", description="everything there is to find out")
    return {
        "agent": lambda: Agent(
            name="solo", tools=tuple(tools.values()), limits=Limits(max_turns=6)
        ),
        "router": lambda: Router(agents=tuple(plain)),
        "hub": lambda: hub_and_spoke(desk, plain, fallback=HUMAN),
        "escalation": lambda: escalation(plain[:3]),
        "consultation": lambda: consultation(desk, plain),
        "supervisor": lambda: Supervisor(name="boss", workers=tuple(workers)),
        "planner": lambda: planner,
        "planner, short": lambda: replace(planner, max_calls=3, limits=Limits(max_seconds=5)),
        "supervisor of a planner": lambda: Supervisor(name="boss", workers=(inner, plain[0])),
    }
