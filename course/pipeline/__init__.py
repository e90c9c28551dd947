"""Then, then, then: a fixed chain of stages that share one typed state. Built in chapter 02.

Each stage is shown the fields that it reads and nothing else, and has to fill those that it writes.
`course.run(pipeline, request)` gives a `PipelineResult`, whose state another run can start from.
"""

from __future__ import annotations

from course.pipeline.running import (
    Filled,
    Misfit,
    PipelineResult,
    StageCompleted,
    StageError,
    StageResult,
    answer_format,
    fill,
    fitted,
    is_done,
    shown,
)
from course.pipeline.stages import Pipeline, Stage, WiringError, check_wiring

__all__ = [
    "Filled",
    "Misfit",
    "Pipeline",
    "PipelineResult",
    "Stage",
    "StageCompleted",
    "StageError",
    "StageResult",
    "WiringError",
    "answer_format",
    "check_wiring",
    "fill",
    "fitted",
    "is_done",
    "shown",
]
