"""Then, then, then: a fixed chain of stages that share one typed state. Built in chapter 02.

Each stage is shown the fields that it reads and nothing else, and has to fill those that it writes.
`course.run(pipeline, request)` gives a `PipelineResult`, whose state another run can start from.
"""

from __future__ import annotations

from course.pipeline.running import (
    Misfit,
    PipelineResult,
    StageCompleted,
    StageError,
    fill,
    shown,
)
from course.pipeline.stages import Pipeline, Stage, WiringError

__all__ = [
    "Misfit",
    "Pipeline",
    "PipelineResult",
    "Stage",
    "StageCompleted",
    "StageError",
    "WiringError",
    "fill",
    "shown",
]
