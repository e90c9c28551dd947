"""The project's worlds: requests nobody has seen, the shape of a plan, and what goes wrong."""

from random import Random

import pytest

from graders.exercises.ch11.domains import BY_NAME
from graders.exercises.ch11.plan_shapes import EXTRA, PLACES, Faults
from graders.exercises.ch11.worlds import ROSTER, ProjectWorld, world
from graders.records.scenario import Answer, Ask

CHOSEN = "portfolio rebalancing"


def asked(made: ProjectWorld, place: str, *, naive: bool = False) -> Answer:
    """What the tool of a place's task answers."""
    errand = made.at(place)
    call = errand.naive if naive and errand.naive else errand.call
    offer = next(each for each in made.tools if each.name == call.tool)
    return offer.behaviour(Ask(0, call.arguments, None, 0.0, "c0de", 1))


@pytest.mark.parametrize("name", sorted(BY_NAME))
@pytest.mark.parametrize("seed", range(3))
def test_every_domain_has_worlds_of_this_shape(name: str, seed: int) -> None:
    made = world(Random(seed), name, own=True, given=True, faults=Faults(trapped=("a", "e")))
    refs = {made.at(place).ref for place in (*PLACES, EXTRA)}
    calls = {(made.at(p).call.tool, str(made.at(p).call.arguments)) for p in (*PLACES, EXTRA)}
    assert made.script.setting.domain.name == name
    assert len(refs) == len(calls) == len(PLACES) + 1
    assert [p for p in PLACES if made.at(p).naive is not None] == ["a", "e"]
    assert {len(task["dependencies"]) for task in made.params["plan"]["tasks"]} == {0, 1, 2}


def test_a_world_is_drawn_from_its_seed_alone() -> None:
    one, same, other = (world(Random(seed), CHOSEN) for seed in (1, 1, 2))
    assert one.params == same.params
    assert one.params["request"] != other.params["request"]


def test_the_other_domain_is_another_one() -> None:
    names = {world(Random(seed), CHOSEN).script.setting.domain.name for seed in range(20)}
    assert CHOSEN not in names and len(names) > 2


def test_a_name_that_no_domain_has_is_played_somewhere() -> None:
    made = world(Random(1), "astrology", own=True)
    assert made.script.setting.domain.name in BY_NAME


def test_nothing_that_the_box_is_told_holds_a_result_or_a_fault() -> None:
    made = world(Random(3), CHOSEN, given=True, faults=Faults(broken=("b",), trapped=("a",)))
    told = str(made.params)
    assert set(made.params) == {"request", "workers", "plan", "edit", "nowhere"}
    assert made.at("a").refusal not in told
    assert "result" not in str(made.params["plan"])


def test_tools_are_real_refuse_what_is_naive_and_break_where_they_are_to() -> None:
    faults = Faults(trapped=("a",), broken=("b",), slow=("e",))
    made = world(Random(4), CHOSEN, faults=faults)
    assert asked(made, "a", naive=True).error == f"{made.at('a').refusal} (refusal c0de)"
    assert asked(made, "a").error is None
    assert "has lost its" in str(asked(made, "b").error)
    assert asked(made, "e").seconds > 10 > asked(made, "d").seconds
    assert asked(made, "d").value is not None


def test_a_tool_hangs_or_wants_a_word_that_nobody_knows_beforehand() -> None:
    made = world(Random(4), CHOSEN, faults=Faults(trapped=("a",), stern=("a",), hung=("b",)))
    assert asked(made, "b").never
    assert asked(made, "a", naive=True).error == f"{made.at('a').refusal} (refusal c0de)"
    first, again = asked(made, "a").error, asked(made, "a").error
    assert first == again and "release c0de has to be named" in str(first)


def test_the_roster_comes_first_among_the_tools() -> None:
    made = world(Random(5), CHOSEN)
    assert [each.name for each in made.tools].index(ROSTER) == 0
