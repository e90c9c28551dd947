"""Show the course's own answer, once the student has one or has tried."""

from __future__ import annotations

import re
from difflib import unified_diff
from pathlib import Path

from course.notebook import ledger
from course.notebook.exercises import folder, solution
from course.notebook.overlooked import answered, defined_in
from course.notebook.show import show

TRIES = 3
WHY = "why"
"""The folder among the solutions with a page a chapter: why they are as they are."""


def show_solution(exercise: str) -> None:
    """Show the course's answer to ``exercise`` after success or three tries: its code, why it is
    so, what else would do, the nearest wrong answer, and how yours differs, if it was run here.

    A try is a run of the exercise's check that ends in ✗. Before that, one line says how many are
    left. Your answer need not look like it: the check decides.

    Args:
        exercise: its number, such as ``"1.2"``.
    """
    standing = ledger.load().get(exercise, ledger.Standing())
    left = TRIES - standing.tries
    if standing.outcome() != "passed" and left > 0:
        tries = "1 more try" if left == 1 else f"{left} more tries"
        print(f"The solution of {exercise} opens when its check passes, or after {tries}.")
        return
    place = folder("solutions")
    code = solution(exercise, place) if place else None
    if place is None:
        print("There are no solutions in this copy of the course; ask whoever gave it to you.")
    elif code is None:
        print(f"There is no exercise {exercise}; its number stands in the exercise's heading.")
    else:
        why, differs = commentary(exercise, place), difference(answered(defined_in(code)), code)
        parts = [("python", code), ("", why), ("diff", differs)]
        told = [f"````{kind}\n{text}\n````" if kind else text for kind, text in parts if text]
        plain = "\n\n".join(text for _, text in parts if text)
        show({"text/markdown": "\n\n".join(told), "text/plain": plain})


def commentary(exercise: str, solutions: Path) -> str:
    """What a chapter's page says of the solution of ``exercise``, as Markdown; empty if nothing."""
    for path in sorted((solutions / WHY).glob("*.md")):
        said = path.read_text(encoding="utf-8")
        found = re.search(rf"^## {re.escape(exercise)}\n(.*?)(?=^## |\Z)", said, re.S | re.M)
        if found:
            return found[1].strip().replace("\n", "\n\n")
    return ""


def difference(mine: str, ours: str) -> str:
    """From one answer to the other, line by line with - and +; empty without an answer."""
    if not mine:
        return ""
    lines = unified_diff(mine.splitlines(), ours.splitlines(), "yours", "ours", "", "", 1, "")
    return "\n".join(lines) or "Yours is the same, word for word."
