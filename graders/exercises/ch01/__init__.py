"""Chapter 01's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.ch01.agent_loop import LOOP
from graders.exercises.ch01.parallel_tool_calls import ANSWER_CALLS
from graders.exercises.ch01.streaming import JOIN_DELTAS
from graders.exercises.ch01.tool_call import ANSWER_CALL
from graders.exercises.ch01.tool_schema import DESCRIBE

EXERCISES = (DESCRIBE, ANSWER_CALL, ANSWER_CALLS, LOOP, JOIN_DELTAS)
