"""How an answer is made is chosen by what the request wants; what a task needs, by its words."""

import json
from typing import Any

import pytest

from course import clock, run
from course.supervisor_worker import PlanningSupervisor, strategy_of
from course.supervisor_worker.planning import doubts, problems
from course.supervisor_worker.selecting import candidates, purpose_of, with_strategy
from course.tools import tool
from tests.patterns.planwork import Asked, World, chief, plan_of, task, worker

WANTED = {
    "select": (
        "Give me only the better answer.",
        "Let both look up the price of oak and pick the best.",
        "I want the shorter of the two drafts.",
        "Have two writers write a slogan, and keep the stronger one.",
        "Choose whichever is clearer.",
    ),
    "reduce": (
        "Add up the sales of all regions and give me one figure.",
        "Boil it down for me: how do the thirty shops do?",
        "I need a single overall number.",
        "Read all reports and tell me in one sentence.",
    ),
    "merge": ("Tell me everything about oak.", "I want the complete picture: all of it."),
    None: (
        "Which is the cheapest supplier?",
        "Choose the best supplier for oak.",
        "What is the best time to plant an oak?",
        "Find the price of oak and that of pine.",
        "The total of 2025, and who sold it.",
    ),
}


@pytest.mark.parametrize(("wanted", "said"), [(w, s) for w, all_ in WANTED.items() for s in all_])
def test_the_words_of_a_request_tell_how_its_answer_is_made(wanted: Any, said: str) -> None:
    assert purpose_of(said) == wanted


def test_what_the_request_wants_comes_before_what_the_plan_names_and_a_rule_last() -> None:
    two = plan_of(task("t1", what="Write a slogan"), task("t2", what="Draft a line about oak"))
    named = two.model_copy(update={"final_instruction": "Be brief. Strategy: merge."})
    assert strategy_of(with_strategy(named, "Give me only the better one.")) == "select"
    assert with_strategy(named, "Give me only the better one.").final_instruction == (
        "Be brief. Strategy: select."
    )
    assert strategy_of(with_strategy(named, "One figure, please.")) == "reduce"
    assert strategy_of(with_strategy(named, "Two lines on oak.")) == "merge"
    assert strategy_of(with_strategy(plan_of(task("t1")), "Only the best.")) == "merge"


def test_candidates_are_alike_or_else_all_that_nothing_waits_for() -> None:
    drafts = (task("t1", what="Write a slogan for oak"), task("t2", what="Write a slogan, funny"))
    hours = task("t3", what="Look up when they open on Sunday")
    assert candidates(plan_of(*drafts, hours)) == [("t1", "t2")]
    assert candidates(plan_of(drafts[0], hours)) == [("t1", "t3")]
    assert candidates(plan_of(task("t1"), task("t2", "t1"))) == []


def test_select_is_carried_out_though_descriptions_differ() -> None:
    plan = plan_of(
        task("t1", what="Ask the first shop for the price of oak"),
        task("t2", what="Look up oak in the price list", worker="v"),
    )
    judged: list[str] = []

    def says(asked: Asked) -> str | None:
        if asked.agent == "chief judging":
            judged.append(asked.words)
            shown = asked.words.split("Answers:\n")[1].splitlines()
            best = next(line[1] for line in shown if "price list" in line)
            return json.dumps({"reason": "it names its source", "best": best})
        told = {"t1": "Oak costs 40 EUR.", "t2": "Oak is 42 EUR, as the price list says."}
        return told.get(asked.task)

    world, words = World(says, plan=plan), "How much is oak? Give me only the better answer."
    result = clock.simulate(run(chief("w", "v"), words, client=world.client))
    assert "Strategy: select." in result.plan.final_instruction
    material = world.asked[-1].words
    assert "42 EUR" in material and "40 EUR" not in material
    assert all(words in each for each in judged)


GATHER = task("t1", what="Gather the sales of 2024 and 2025")
WRITE_MAIL = "Draft an e-mail to the board"


@pytest.mark.parametrize(
    "words",
    [
        "Calculate the change in percent",
        "Compute the year-over-year growth rate of the sales",
        "Compare the figures",
        "Summarise the findings in one paragraph",
        WRITE_MAIL,
        "Write a short report about the results for the managers",
    ],
)
def test_a_task_that_needs_another_by_its_words_is_told_to_wait_for_it(words: str) -> None:
    plan = plan_of(GATHER, task("t2", what=words, worker="v"))
    registry = chief("w", "v").registry
    [found] = doubts(plan, registry, "")
    assert (found.flaw, found.tasks) == ("missing_dependency", ("t2", "t1"))
    assert str(found) == (
        "t2: needs what t1 finds and does not depend on it; add 't1' to its dependencies"
    )
    waits = plan_of(GATHER, task("t2", "t1", what=words, worker="v"))
    assert [*doubts(waits, registry, "")] == []
    assert problems(plan, registry) == ()  # nobody's own plan is refused for a guess


@pytest.mark.parametrize(
    "words",
    [
        "Calculate 3 times 41",
        "Find the sales of 2023",
        "Write a poem about the sea",
        "Calculate the growth of the population of Ghent",
        "Draft a welcome letter about our new office",
    ],
)
def test_what_stands_alone_is_left_alone(words: str) -> None:
    plan = plan_of(GATHER, task("t2", what=words, worker="v"))
    assert [*doubts(plan, chief("w", "v").registry, "")] == []


@tool
def compare_sales(region: str, year: int) -> str:
    """Compare the sales of a region with those of the year before."""
    return f"{region} {year}: 12 percent more"


@tool
def calculate_change(old: float, new: float) -> float:
    """Calculate the change between two figures."""
    return new - old


@pytest.mark.parametrize(
    ("words", "waits"),
    [
        ("Compare the sales of region north", False),
        ("Compare the figures of the sales with those of region north", False),
        ("Compare the results", True),
        ("Calculate the change of the sales", True),
    ],
)
def test_who_has_a_tool_that_looks_up_what_it_compares_needs_nobody(
    words: str, waits: bool
) -> None:
    workers = (worker("w"), worker("v", tools=(compare_sales, calculate_change)))
    plan = plan_of(GATHER, task("t2", what=words, worker="v"))
    found = doubts(plan, PlanningSupervisor(name="chief", workers=workers).registry, "")
    assert [each.flaw for each in found] == ["missing_dependency"] * waits


def test_who_would_wait_for_itself_is_left_alone() -> None:
    plan = plan_of(task("t1", "t2", what="Gather what it takes"), task("t2", what=WRITE_MAIL))
    assert [*doubts(plan, chief().registry, "")] == []


def test_the_planner_hears_of_it_and_mends_it() -> None:
    false = plan_of(GATHER, task("t2", what="Calculate the change in percent"))
    right = plan_of(GATHER, task("t2", "t1", what="Calculate the change in percent"))
    left = [false, right]

    def says(asked: Asked) -> str | None:
        return left.pop(0).to_json() if asked.agent == "chief planning" else None

    result, world = played(says)
    told = [a.words for a in world.asked if a.agent == "chief planning"]
    assert "add 't1' to its dependencies" in told[1] and len(told) == 2
    assert result.plan.by_id["t2"].dependencies == ("t1",)


def test_what_the_planner_does_not_mend_is_mended_by_rule() -> None:
    false = plan_of(GATHER, task("t2", what="Calculate the change in percent"))
    result, _ = played(lambda a: false.to_json() if a.agent == "chief planning" else None)
    assert result.plan.by_id["t2"].dependencies == ("t1",)
    assert result.results["t2"].rests_on == ("t1",)


def played(says: Any, request: str = "How did sales change?") -> tuple[Any, World]:
    world = World(says)
    return clock.simulate(run(chief("w", "v"), request, client=world.client)), world


BOTH = "Find the sales of 2024 and write a poem about them for the board."
COPIES = plan_of(
    task("t1", what="Find the sales of 2024, and write a poem about them for the board"),
    task("t2", what=BOTH, worker="v"),
    task("t3", "t2", what="Translate the poem into French"),
)


def test_a_planner_that_gives_the_whole_request_to_two_workers_hears_of_it() -> None:
    parts = plan_of(
        task("t1", what="Find the sales of 2024"),
        task("t2", "t1", what="Write a poem about the sales of 2024", worker="v"),
    )
    left = [COPIES, parts]
    result, world = played(lambda a: left.pop(0).to_json() if a.plans else None, BOTH)
    told = [a.words for a in world.asked if a.plans]
    assert "t2: is the whole request, as t1 is" in told[1] and len(told) == 2
    assert result.plan.tasks == parts.tasks


def test_what_is_still_given_twice_is_done_once() -> None:
    result, _ = played(lambda a: COPIES.to_json() if a.plans else None, BOTH)
    assert [*result.plan.by_id] == ["t1", "t3"]
    assert result.plan.by_id["t3"].dependencies == ("t1",)


@pytest.mark.parametrize(
    ("tasks", "request_"),
    [
        (COPIES.tasks[:2], f"{BOTH} Give me only the better answer."),
        ((COPIES.tasks[0], task("t2", what=BOTH)), BOTH),
        ((COPIES.tasks[0], task("t2", what="Find the sales of 2024", worker="v")), BOTH),
        ((COPIES.tasks[0], task("t2", what=f"The request is: {BOTH} Do no more of it than to look"
          " up the sales in the books of each region, and say who has them", worker="v")), BOTH),
    ],
)  # fmt: skip
def test_a_choice_one_worker_and_a_part_are_no_copies(tasks: Any, request_: str) -> None:
    registry = chief("w", "v").registry
    found = doubts(plan_of(*tasks), registry, request_)
    assert [each for each in found if each.flaw == "whole_request"] == []


def test_a_plan_by_hand_may_give_everybody_everything() -> None:
    result = clock.simulate(run(chief("w", "v"), BOTH, client=World().client, plan=COPIES))
    assert [*result.results] == ["t1", "t2", "t3"]
