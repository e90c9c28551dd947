"""A trace as a sequence diagram on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from course.notebook.show import show
from course.observability.sequence import sequence_diagram

if TYPE_CHECKING:
    from course.trace import Trace


def show_sequence(trace: Trace, *, tools: bool = True) -> None:
    """Show who turned to whom in a run, and what came back; JupyterLab draws it from Mermaid text.

    Args:
        trace: of any system, as recorded or from a file.
        tools: whether the calls of tools are drawn.
    """
    diagram = sequence_diagram(trace, tools=tools)
    show({"text/vnd.mermaid": diagram, "text/plain": diagram})
