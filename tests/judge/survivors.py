"""Mutants of the reference solutions that no check kills, and why that is right."""

SPANS = "the exercise's contract says nothing about the span that the solution records on the side"
WORDS = "the same behaviour in other words"

EXPLAINED = {
    ("1.2", "constant", "attributes = {"): SPANS,
    ("1.2", "constant", "'execute_tool'"): SPANS,
    ("1.2", "constant", "step.set("): SPANS,
    ("1.2", "constant", "step.fail("): SPANS,
    ("1.2", "deleted", "step.set("): SPANS,
    ("1.2", "deleted", "step.fail("): SPANS,
    ("1.2", "constant", "known = "): "what is said when an agent has no tools at all is left open",
    ("1.3", "deleted", "tools = tuple(tools)"): (
        "it matters only for tools that come from an iterator; the course always hands over a tuple"
    ),
    ("1.5", "constant", "raise ModelError("): WORDS,
    ("1.5", "constant", "call = calls.setdefault("): (
        "the id that a call begins with is replaced by that of its first piece"
    ),
}


def reason(exercise: str, operator: str, line: str) -> str:
    """Why this survivor is no fault; empty when nobody has said."""
    for (number, kind, start), why in EXPLAINED.items():
        if (number, kind) == (exercise, operator) and line.startswith(start):
            return why
    return ""
