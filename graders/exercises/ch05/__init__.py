"""Chapter 05's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.ch05.completion_tool import DESCRIBE_COMPLETION
from graders.exercises.ch05.context_leaks import LEAKS
from graders.exercises.ch05.context_merge import MERGE
from graders.exercises.ch05.task_dialogue import DIALOGUE
from graders.exercises.ch05.task_group import IN_SEQUENCE
from graders.exercises.ch05.typed_result import READ_RESULT

EXERCISES = (DESCRIBE_COMPLETION, READ_RESULT, DIALOGUE, MERGE, IN_SEQUENCE, LEAKS)
