"""What a chapter shows: checks, progress, solutions, traces and a box to ask in.

Light to import; matplotlib and ipywidgets load when something is drawn. Everything here writes to
standard output or to the page, never to standard error, and returns None where a cell could end.
"""

from course.drawing import OKABE_ITO
from course.notebook.approval import approval_buttons
from course.notebook.asking import ask_box
from course.notebook.checks import CheckFailed, NotAttempted, check
from course.notebook.folding import lean
from course.notebook.front import home
from course.notebook.ledger import export_progress, import_progress
from course.notebook.overview import progress
from course.notebook.playing import show_trace
from course.notebook.recalls import recall
from course.notebook.resetting import reset
from course.notebook.seat import answer_as_the_model
from course.notebook.show import show_figure
from course.notebook.sliders import what_if
from course.notebook.solutions import show_solution
from course.notebook.sources import show_source
from course.notebook.starting import start
from course.notebook.timeline import alt_text, show_sequence

__all__ = [
    "OKABE_ITO",
    "CheckFailed",
    "NotAttempted",
    "alt_text",
    "answer_as_the_model",
    "approval_buttons",
    "ask_box",
    "check",
    "export_progress",
    "home",
    "import_progress",
    "lean",
    "progress",
    "recall",
    "reset",
    "show_figure",
    "show_sequence",
    "show_solution",
    "show_source",
    "show_trace",
    "start",
    "what_if",
]
