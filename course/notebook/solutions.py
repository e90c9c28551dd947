"""Show the course's own answer, once the student has one or has tried."""

from __future__ import annotations

from course.notebook import ledger
from course.notebook.exercises import folder, solution
from course.notebook.show import show

TRIES = 3


def show_solution(exercise: str) -> None:
    """Show the course's answer to ``exercise`` after success or three tries.

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
        show({"text/markdown": f"```python\n{code}\n```", "text/plain": code})
