"""Mutants of the reference solutions that no check kills, and why that is right."""

WORDS = "the same behaviour in other words"

EXPLAINED = {
    ("1.2", "constant", "step.fail("): (
        "what kind of error a span names is left open: the exercise asks for the words of the error"
    ),
    ("1.2", "constant", "known = "): "what is said when an agent has no tools at all is left open",
    ("1.5", "constant", "raise ModelError("): WORDS,
    ("1.5", "constant", "call = calls.setdefault("): (
        "the id that a call begins with is replaced by that of its first piece"
    ),
    ("5.5", "constant", "stop = Stop("): WORDS,
    ("5.6", "deleted", "if task.operation"): "other spans carry no messages, and so add nothing",
}


def reason(exercise: str, operator: str, line: str) -> str:
    """Why this survivor is no fault; empty when nobody has said."""
    for (number, kind, start), why in EXPLAINED.items():
        if (number, kind) == (exercise, operator) and line.startswith(start):
            return why
    return ""
