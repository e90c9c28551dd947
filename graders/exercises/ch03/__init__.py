"""Chapter 03's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.ch03.escalation import DUE
from graders.exercises.ch03.handoffs import ANSWER_MESSAGE, HANDOFF_TOOL
from graders.exercises.ch03.loop_detection import CIRCLE, REPEATS
from graders.exercises.ch03.message_groups import GROUPS

EXERCISES = (HANDOFF_TOOL, ANSWER_MESSAGE, GROUPS, REPEATS, CIRCLE, DUE)
