"""A tool of a scenario, its arguments checked before its behaviour sees them."""

from __future__ import annotations

from course.models.validators import Draft202012Validator, best_match
from course.models.wire import ApiError
from graders.records.scenario import Answer, Ask, ToolOffer


class CheckedTool:
    """A tool with its behaviour, its arguments checked."""

    def __init__(self, offer: ToolOffer) -> None:
        self._behaviour = offer.behaviour
        self._validator = Draft202012Validator(dict(offer.parameters))

    def says(self, ask: Ask) -> Answer:
        """What it answers; an error when the arguments do not fit or it cannot cope."""
        problem = best_match(self._validator.iter_errors(dict(ask.arguments)))
        if problem is not None:
            return Answer(error=f"the arguments do not fit: {problem.message:.200}")
        try:
            return self._behaviour(ask)
        except Exception as trouble:  # a behaviour that did not expect what it was asked
            return Answer(error=f"the tool cannot do this: {trouble!r:.200}")


def worded(error: str | ApiError) -> str:
    """An error as text."""
    return error.message if isinstance(error, ApiError) else error
