"""Chapter 04's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.ch04.approval import DECIDE
from graders.exercises.ch04.delegation_arguments import READ_ORDER
from graders.exercises.ch04.delegation_waits import WAITS
from graders.exercises.ch04.parallel_delegations import ANSWER_ALL
from graders.exercises.ch04.token_budget import CHARGE
from graders.exercises.ch04.worker_attempt import ATTEMPT

EXERCISES = (READ_ORDER, ANSWER_ALL, CHARGE, ATTEMPT, DECIDE, WAITS)
