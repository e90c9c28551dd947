"""Chapter 05's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.completing import DESCRIBE_COMPLETION
from graders.exercises.conversing import DIALOGUE
from graders.exercises.leaking import LEAKS
from graders.exercises.merging import MERGE
from graders.exercises.resulting import READ_RESULT
from graders.exercises.sequencing import IN_SEQUENCE

EXERCISES = (DESCRIBE_COMPLETION, READ_RESULT, DIALOGUE, MERGE, IN_SEQUENCE, LEAKS)
