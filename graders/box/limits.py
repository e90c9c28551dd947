"""What one box may use before it is ended."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from course.errors import ConfigurationError

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one box. Defaults suit an exercise: generous to a right answer.

    Attributes:
        memory_bytes: address space that it may take beyond what the warmed process holds.
        cpu_seconds: processor time, over all threads; whole seconds, rounded up.
        processes: tasks (threads included) that may live at once.
        file_bytes: size of one file.
        open_files: descriptors.
        wall_seconds: real time from its start.
        disk_bytes: all files together, in its private folder.
        output_bytes: how much of standard output and error is kept; the rest is thrown away.
    """

    memory_bytes: int = 1024 * MIB
    cpu_seconds: float = 20
    processes: int = 64
    file_bytes: int = 16 * MIB
    open_files: int = 256
    wall_seconds: float = 60
    disk_bytes: int = 64 * MIB
    output_bytes: int = 64 * 1024

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
                raise ConfigurationError(f"the box's limit {name} must be above 0, not {value!r}")
