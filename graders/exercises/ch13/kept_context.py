"""Exercise 13.2: what of a conversation travels along to whoever takes over."""

from __future__ import annotations

from graders.exercises.ch13.items import SAID, Item, called, dialogue, message, notes
from graders.exercises.kit import *

_STAGE = """
import copy


async def stage(bench, student):
    given = [copy.deepcopy(each) for each in bench.params["histories"]]
    most = bench.params["most"]
    kept = [list(student.passed_on(items, most=most)) for items in given]
    return {"kept": kept, "after": given}
"""
Maker = Callable[[random.Random], list[Item]]


def _instructed(draw: random.Random) -> list[Item]:
    told = message("system", "You are the operator.")
    return [told, *dialogue(draw, 1), message("developer", "Be short."), message("user", "Hm?")]


def _busy(draw: random.Random) -> list[Item]:
    said = dialogue(draw, 2)
    return [*said[:3], *called(draw), *said[3:], *called(draw)]


def _looked_up(draw: random.Random) -> list[Item]:
    return [*dialogue(draw, 1), *called(draw)]


def _noted(draw: random.Random) -> list[Item]:
    said = dialogue(draw, 2)
    return [*notes(), *said[:2], *notes(), *said[2:]]


def _long(draw: random.Random) -> list[Item]:
    return dialogue(draw, 7)


def _cut(draw: random.Random) -> list[Item]:
    said = dialogue(draw, 1)
    unheard = {**message("assistant", "", interrupted=True), "content": ["", " "]}
    return [
        *said,
        unheard,
        message("user", "Wait."),
        message("assistant", "Yes,", interrupted=True),
    ]


def _in_pieces(draw: random.Random) -> list[Item]:
    """Messages of several texts, of which the first may be empty."""
    pieces = {**message("user", ""), "content": ["", draw.choice(SAID), "Or", ""]}
    return [*dialogue(draw, 1), pieces]


def _the_same_again(draw: random.Random) -> list[Item]:
    """What is said again is another message."""
    said = draw.choice(SAID)
    return [message("user", said), *(2 * [message("assistant", "Pardon?"), message("user", said)])]


def _nothing(draw: random.Random) -> list[Item]:
    return []


def _only_answers(draw: random.Random) -> list[Item]:
    return [message("assistant", "Good morning."), message("assistant", "Hello?")]


def _world(*makers: Maker, most: int = 6) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        return Scenario(params={"histories": [make(draw) for make in makers], "most": most})

    return world


def kept_of(items: Sequence[Item], most: int) -> list[Item]:
    """What has to travel along."""
    said = [
        each
        for each in items
        if each["type"] == "message"
        and each["role"] in ("user", "assistant")
        and "".join(each["content"]).strip()
    ]
    last = said[max(0, len(said) - most) :]
    begins = [place for place, each in enumerate(last) if each["role"] == "user"]
    return last[begins[0] :] if begins else []


def _kept(look: str) -> Checks:
    def checks(world: Scenario) -> list[Any]:
        histories, most = world.params["histories"], world.params["most"]
        wanted = [kept_of(each, most) for each in histories]
        return [fits({"kept": wanted}, look=f"look at {look}")]

    return checks


def _untouched(world: Scenario) -> list[Any]:
    same = fits({"after": world.params["histories"]}, look="does your code change its list?")
    return [same, *_kept("what is passed on")(world)]


PASSED_ON = Exercise(
    "13.2", ("passed_on",), (
        Trial("passes on what was said, without instructions", _STAGE,
              _world(_instructed, _nothing), _kept("the roles"), 0.5),
        Trial("leaves out calls, their results and LiveKit's notes", _STAGE, _world(_busy, _noted),
              _kept("the types of the items"), 0.5),
        Trial("passes on the last ones", _STAGE, _world(_long, _in_pieces, _the_same_again, most=5),
              _kept("how many there are"), 0.5),
        Trial("begins with the person's words", _STAGE, _world(_long, _only_answers, most=4),
              _kept("the first one that is passed on"), 0.5),
        Trial("leaves out what nobody heard", _STAGE, _world(_cut, most=3),
              _kept("what is left of what was cut off"), 0.5),
        Trial("leaves the history as it is", _STAGE, _world(_looked_up), _untouched, 0.5),
    ),
    places={
        "kept": "what is passed on",
        "kept.*": "what is passed on of the {} history",
        "kept.*.*": "the {} item that is passed on",
        "after": "the given lists afterwards",
        "after.*": "the {} given list afterwards",
    },
)  # fmt: skip
