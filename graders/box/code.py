"""A tool that runs Python in the judge's box, for an agent that writes code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from course.errors import ToolError
from course.tools import Tool, tool
from graders.box.backend import Backend
from graders.box.choice import choose
from graders.box.limits import Limits
from graders.box.probe import TESTER, attempt_source
from graders.box.warm import warm

LIMITS = Limits(cpu_seconds=2, wall_seconds=10, processes=8)
"""What one program of an agent may use."""


@contextmanager
def boxed_python(backend: Backend | None = None, *, limits: Limits = LIMITS) -> Iterator[Tool]:
    """The tool `run_python`: each program in a fresh box, without files, network or memory.

    Args:
        backend: from `choose`; without one, the strongest that works here.
        limits: of each program. One that breaks, is ended or prints nothing is an error that the
            agent reads.

    Raises:
        ConfigurationError: no box works here.
        BoxError: the sandbox did not start.
    """
    with warm(backend or choose(), child=TESTER) as parent:

        @tool
        def run_python(code: str) -> str:
            """Calculate with a Python program: run it and give what it prints."""
            ending = attempt_source(parent, code, limits).ending
            said = ending.output.strip()
            if ending.reason != "exited 0":
                why = said.splitlines()[-1] if said else ending.reason
                raise ToolError(f"the program did not end well: {why}")
            if not said:
                raise ToolError("the program printed nothing: print what you want to know")
            return said

        yield run_python
