"""What a chapter shows: checks, progress, solutions, traces and a box to ask in.

Light to import: names load when they are first used, matplotlib and ipywidgets when something is
drawn. Everything here writes to standard output or to the page, never to standard error, and
returns None where a cell could end.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from course.drawing import OKABE_ITO as OKABE_ITO
    from course.notebook.approval import approval_buttons as approval_buttons
    from course.notebook.asking import ask_box as ask_box
    from course.notebook.checks import CheckFailed as CheckFailed
    from course.notebook.checks import NotAttempted as NotAttempted
    from course.notebook.checks import check as check
    from course.notebook.folding import lean as lean
    from course.notebook.front import home as home
    from course.notebook.ledger import export_progress as export_progress
    from course.notebook.ledger import import_progress as import_progress
    from course.notebook.overview import progress as progress
    from course.notebook.playing import show_trace as show_trace
    from course.notebook.recalls import recall as recall
    from course.notebook.resetting import reset as reset
    from course.notebook.seat import answer_as_the_model as answer_as_the_model
    from course.notebook.show import show_figure as show_figure
    from course.notebook.sliders import what_if as what_if
    from course.notebook.solutions import show_solution as show_solution
    from course.notebook.sources import show_source as show_source
    from course.notebook.starting import start as start
    from course.notebook.timeline import alt_text as alt_text
    from course.notebook.timeline import show_sequence as show_sequence

_NAMES = {
    "course.drawing": "OKABE_ITO",
    "course.notebook.approval": "approval_buttons",
    "course.notebook.asking": "ask_box",
    "course.notebook.checks": "CheckFailed NotAttempted check",
    "course.notebook.folding": "lean",
    "course.notebook.front": "home",
    "course.notebook.ledger": "export_progress import_progress",
    "course.notebook.overview": "progress",
    "course.notebook.playing": "show_trace",
    "course.notebook.recalls": "recall",
    "course.notebook.resetting": "reset",
    "course.notebook.seat": "answer_as_the_model",
    "course.notebook.show": "show_figure",
    "course.notebook.sliders": "what_if",
    "course.notebook.solutions": "show_solution",
    "course.notebook.sources": "show_source",
    "course.notebook.starting": "start",
    "course.notebook.timeline": "alt_text show_sequence",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"course.notebook has no '{name}'; it has: {', '.join(__all__)}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
