"""Several agents and one conversation: who has it, how it moves, and what stops it going round.

`course.run(team, words)` answers one turn of the person, `Guards` are on by default, a `HumanQueue`
is where the agents' work ends, and the functions of `patterns` wire the usual teams.
"""

from __future__ import annotations

from course.team.entering import Entry, greet, human_handoff
from course.team.human import HUMAN, HumanQueue, answer_as_human
from course.team.patterns import (
    consultation,
    escalation,
    hub_and_spoke,
    hub_with_consultation,
    hub_with_escalation,
    pipeline_with_consultation,
)
from course.team.rules import Criteria, Escalation, Guards
from course.team.running import HandedOver, TeamResult
from course.team.team import Team, team_of

__all__ = [
    "HUMAN",
    "Criteria",
    "Entry",
    "Escalation",
    "Guards",
    "HandedOver",
    "HumanQueue",
    "Team",
    "TeamResult",
    "answer_as_human",
    "consultation",
    "escalation",
    "greet",
    "hub_and_spoke",
    "hub_with_consultation",
    "hub_with_escalation",
    "human_handoff",
    "pipeline_with_consultation",
    "team_of",
]
