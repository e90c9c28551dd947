"""Exercise 13.4: when a task that never gets its result has to be ended."""

from __future__ import annotations

from graders.exercises.ch13.items import ASKED, Item, called, dialogue, message
from graders.exercises.kit import *

_STAGE = stage_of("student.why_end(case[0], **case[1])")
Maker = Callable[[random.Random], tuple[list[Item], dict[str, int], str]]
"""Makes a history, the numbers that are given, and the answer that is wanted."""


def _asked(question: str, *answers: str, interrupted: bool = False) -> list[Item]:
    """The same question before each of these answers."""
    said: list[Item] = []
    for each in answers:
        said.append(message("assistant", question, interrupted=interrupted))
        said.append(message("user", each))
    return said


def _goes_on(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    return dialogue(draw, 4), {}, ""


def _begins(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    return [], {}, ""


def _misheard(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    said = [*dialogue(draw, 1), *_asked(draw.choice(ASKED), "My old.", "My old.", "My olde.")]
    return said, {}, "stuck"


def _twice(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    return [*dialogue(draw, 1), *_asked(draw.choice(ASKED), "My old.", "My old.")], {}, ""


def _four(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    said = _asked(draw.choice(ASKED), "Hm.", "Hm.", "Hm.")
    return said, {"asked": 4}, ""


def _four_times(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    said = _asked(draw.choice(ASKED), "Hm.", "Hm.", "Hm.", "Hm.")
    return said, {"asked": 4}, "stuck"


def _varied(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    said = [
        *_asked("How bad is it?", "My old."),
        *_asked("how  bad is it", "My old."),
        *called(draw),
        *_asked("How bad is it ...", "My old."),
    ]
    return said, {}, "stuck"


def _broken_up(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    one, other = draw.sample(ASKED, 2)
    said = [*_asked(one, "Hm.", "Hm."), *_asked(other, "Yes."), *_asked(one, "Hm.", "Hm.")]
    return said, {}, ""


def _before(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    """It was asked three times, and then something else."""
    one, other = draw.sample(ASKED, 2)
    return [*_asked(one, "Hm.", "Hm.", "Ada."), *_asked(other, "Yes.")], {}, ""


def _in_turn(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    """The last is asked as the last but two was, and something else between them."""
    one, other = draw.sample(ASKED, 2)
    return [*_asked(one, "Hm."), *_asked(other, "Yes."), *_asked(one, "Hm.")], {}, ""


def _answered_twice(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    """The person says several things to each question."""
    question, more = draw.choice(ASKED), [message("user", "Well."), message("user", "My old.")]
    return 3 * [*_asked(question, "Hm."), *more], {}, "stuck"


def _nearly_the_same(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    """The questions begin alike, and go on in other words."""
    begun = draw.choice(("How bad is it", "Which day suits you"))
    asked = [_asked(begun + end, "Hm.") for end in (" now?", " then?", "?")]
    return [each for some in asked for each in some], {}, ""


def _other_numbers(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    day = draw.randrange(2, 20)
    asked = [_asked(f"Is it the {day + more}.?", "No.") for more in range(3)]
    return [each for some in asked for each in some], {}, ""


def _cut(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    question = draw.choice(ASKED)
    said = [*_asked(question, "Wait.", "Wait.", interrupted=True), *_asked(question, "Hm.", "Hm.")]
    return said, {}, ""


def _cut_between(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    question = draw.choice(ASKED)
    cut = [message("assistant", "I am", interrupted=True), message("user", "Hm.")]
    said = [*_asked(question, "Hm.", "Hm."), *cut, *_asked(question, "Hm.")]
    return said, {}, "stuck"


def _long(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    return dialogue(draw, 12), {}, "long"


def _nearly_long(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    return dialogue(draw, 11), {}, ""


def _very_long(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    return dialogue(draw, 15), {}, "long"


def _spoken_over(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    """The person has spoken, also where they were interrupted."""
    return [*dialogue(draw, 11), message("user", "And", interrupted=True)], {}, "long"


def _short(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    return dialogue(draw, 4), {"turns": 4}, "long"


def _both(draw: random.Random) -> tuple[list[Item], dict[str, int], str]:
    said = [*dialogue(draw, 11), *_asked(draw.choice(ASKED), "Hm.", "Hm.", "Hm.")]
    return said, {}, "stuck"


def _world(*makers: Maker) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        made = [make(draw) for make in makers]
        return Scenario(
            params={
                "cases": [[items, more] for items, more, _ in made],
                "wanted": [told for _, _, told in made],
            }
        )

    return world


def _told(look: str) -> Checks:
    return lambda world: [fits(world.params["wanted"], look=f"look at {look}")]


WHY_END = Exercise(
    "13.4", ("why_end",), (
        Trial("lets a task go on that gets somewhere", _STAGE,
              _world(_goes_on, _begins, _twice, _misheard), _told("what may go on"), 0.5),
        Trial("sees that the same is asked again and again", _STAGE,
              _world(_misheard, _four, _four_times, _both),
              _told("the last messages of the assistant"), 1),
        Trial("takes the same question for the same, however it is written", _STAGE,
              _world(_varied, _nearly_the_same, _other_numbers), _told("how texts are compared"),
              0.5),
        Trial("counts only what is asked in a row, and heard out", _STAGE,
              _world(_broken_up, _in_turn, _before, _answered_twice, _cut, _cut_between),
              _told("what stands between two questions"), 0.5),
        Trial("sees that it takes too long", _STAGE,
              _world(_long, _nearly_long, _very_long, _spoken_over, _short),
              _told("how often the person has spoken"), 0.5),
    ),
    places={"": "the answers", "*": "the answer for the {} history"},
)  # fmt: skip
