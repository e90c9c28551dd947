"""Exercise 3.3: the parts of a conversation that must not be split."""

from __future__ import annotations

from course.context import Context, groups
from graders.exercises import house_tools
from graders.exercises.kit import *

_STAGE = stage_of(
    "[list(group) for group in student.groups(Context(tuple(case)))]",
    given="from course.context import Context",
)
_WORDS = ("Good morning.", "I am Ada.", "On Monday?", "That is all.", "Yes, please.", "At nine.")


def _spoken(draw: random.Random, many: int) -> list[dict[str, Any]]:
    """So many words, person and assistant in turn."""
    words = draw.sample(_WORDS, many)
    roles = ("user", "assistant")
    return [{"role": roles[n % 2], "content": each} for n, each in enumerate(words)]


def _called(draw: random.Random, many: int, saying: str | None = None) -> list[dict[str, Any]]:
    """A message with so many calls, and their results."""
    ids = house_tools.idents(draw, many)
    made = [call("room", {"number": draw.randrange(9)}, each) for each in ids]
    asked = {"role": "assistant", "content": saying, "tool_calls": made}
    results = [{"role": "tool", "tool_call_id": each, "content": f"found {each}"} for each in ids]
    return [asked, *results]


def _plain(draw: random.Random) -> list[dict[str, Any]]:
    return [{"role": "system", "content": "Be kind."}, *_spoken(draw, 4)]


def _with_a_call(draw: random.Random) -> list[dict[str, Any]]:
    return [*_spoken(draw, 1), *_called(draw, 1), *_spoken(draw, 2)]


def _with_many(draw: random.Random) -> list[dict[str, Any]]:
    return [*_spoken(draw, 3), *_called(draw, draw.randrange(2, 5)), *_spoken(draw, 2)]


def _in_a_row(draw: random.Random) -> list[dict[str, Any]]:
    return [*_spoken(draw, 1), *_called(draw, 2, "One moment."), *_called(draw, 1)]


def _to_the_end(draw: random.Random) -> list[dict[str, Any]]:
    return [*_spoken(draw, 3), *_called(draw, 2)]


def _nothing(draw: random.Random) -> list[dict[str, Any]]:
    return []


_grouped = compared(lambda case: list(groups(Context(tuple(case)))), fits)


GROUPS = Exercise(
    "3.3", ("groups",), (
        Trial("leaves what is only said alone, message by message", _STAGE, cases(_plain, _nothing),
              _grouped("the messages without calls, and at a conversation that is empty"), 0.5),
        Trial("keeps a call and all its results together", _STAGE, cases(_with_a_call, _with_many),
              _grouped("where the results of one message end"), 0.5),
        Trial("begins anew with the next message that calls", _STAGE, cases(_in_a_row),
              _grouped("two messages with calls, one right after the other"), 0.5),
        Trial("loses nothing at the end", _STAGE, cases(_to_the_end, _in_a_row),
              _grouped("the last group"), 0.5),
    ),
    places={
        "*": "the groups of the {} conversation",
        "*.*": "the {1} group of the {0} conversation",
        "*.*.*": "the {2} message in the {1} group of the {0} conversation",
    },
    finished={"groups": "course.context:groups"},
)  # fmt: skip
