"""Chapter 00's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.ch00.concurrent_calls import PUT_ALL_THROUGH
from graders.exercises.ch00.greeting import GREETING
from graders.exercises.ch00.time_spent import TIME_SPENT

EXERCISES = (GREETING, PUT_ALL_THROUGH, TIME_SPENT)
