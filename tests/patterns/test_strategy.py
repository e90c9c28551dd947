"""The strategy that a plan's last instruction names, and a worker that tries until tries agree."""

import json
from typing import Any

import pytest

from course import clock, run
from course.errors import ConfigurationError
from course.supervisor_worker import PlanningSupervisor, Repeated, strategy_of
from course.supervisor_worker.selecting import MANY, agree, rivals, with_strategy
from tests.patterns.planwork import Asked, World, chief, plan_of, task, worker

SAME = "Find the price of oak"


def played(boss: PlanningSupervisor, world: World) -> Any:
    return clock.simulate(run(boss, "How much is oak?", client=world.client))


def test_the_rule_names_select_for_the_same_task_twice_and_reduce_for_many() -> None:
    twice = plan_of(task("t1", what=SAME), task("t2", what=f"{SAME}."), task("t3"))
    assert rivals(twice) == [("t1", "t2")]
    assert strategy_of(with_strategy(twice)) == "select"
    assert strategy_of(with_strategy(plan_of(*map(task, map(str, range(MANY + 1)))))) == "reduce"
    plain = plan_of(task("t1"), task("t2", "t1"))
    assert strategy_of(plain) == "merge" and "Strategy" not in plain.final_instruction
    assert with_strategy(plain).final_instruction.endswith("Strategy: merge.")
    assert with_strategy(with_strategy(plain)) == with_strategy(plain)
    assert not with_strategy(plan_of()).final_instruction  # no tasks: it says why there are none
    own = twice.model_copy(update={"final_instruction": "Strategy: merge. Be brief."})
    assert with_strategy(own) == own and strategy_of(own) == "merge"


def test_a_made_plan_names_its_strategy_and_whoever_writes_the_answer_is_not_told_it() -> None:
    chosen = "Strategy: reduce. Name the sum."
    for said, named in (("Name the sum.", "merge"), (chosen, "reduce")):
        plan = plan_of(task("t1")).model_copy(update={"final_instruction": said})
        world = World(plan=plan)
        result = played(chief(), world)
        assert strategy_of(result.plan) == named in result.plan.final_instruction
        answering = world.asked[-1].words
        assert "Instruction: Name the sum.\n" in answering and "Strategy" not in answering
        assert all("'Strategy: merge.'" in str(a.request.schema) for a in world.asked[:1])


def test_of_tasks_that_do_the_same_a_judge_selects_one_and_the_answer_is_made_of_it() -> None:
    plan = plan_of(task("t1", what=SAME), task("t2", what=SAME, worker="v"), task("t3"))

    def says(asked: Asked) -> str | None:
        if asked.agent == "chief judging":
            shown = asked.words.split("Answers:\n")[1].splitlines()
            best = next(line[1] for line in shown if "price list" in line)
            return json.dumps({"reason": "it names its source", "best": best})
        told = {"t1": "Oak costs 40 EUR.", "t2": "Oak costs 42 EUR, as the price list says."}
        return told.get(asked.task)

    world = World(says, plan=plan)
    result = played(chief("w", "v"), world)
    assert result.plan.final_instruction == "Strategy: select."
    material = world.asked[-1].words
    assert "42 EUR" in material and "40 EUR" not in material and "t3 is done" in material
    assert not result.contradictions  # the judge has settled it
    assert len(result.results) == 3


def test_reduce_is_done_where_the_plan_names_it_though_everything_fits() -> None:
    tasks = [task(f"t{n}") for n in range(8)]
    plan = plan_of(*tasks).model_copy(update={"final_instruction": "Strategy: reduce."})
    world = World(lambda asked: "word " * 200 if asked.task else None, plan=plan)
    played(chief(), world)
    answering = [a for a in world.asked if a.answers]
    assert len(answering) > 1 and "summarise" in str(answering[0].request.messages[0]["content"])


def answers(*said: str) -> World:
    """A worker that says these things in turn; a judge that takes the last letter."""
    left = list(said)

    def says(asked: Asked) -> str | None:
        if "best" in str(asked.request.schema or ""):
            return json.dumps({"reason": "", "best": "C"})
        return left.pop(0) if asked.task else None

    return World(says, plan=plan_of(task("t1", what=SAME)))


@pytest.mark.parametrize(
    ("said", "tries", "result"),
    [
        (("It is 40 EUR.", "40 EUR it is"), 2, "40"),
        (("It is 40 EUR.", "It is 41 EUR.", "41 EUR"), 3, "41"),
        (("no idea", "none", "none"), 3, "none"),
    ],
)
def test_a_repeated_worker_ends_as_soon_as_enough_tries_agree(
    said: tuple[str, ...], tries: int, result: str
) -> None:
    world = answers(*said)
    boss = PlanningSupervisor(name="chief", workers=(Repeated.of(worker("w")),))
    done = played(boss, world)
    assert len(world.of("t1")) == tries and result in done.results["t1"].result
    [step] = [s for s in done.trace.spans if s.operation == "select"]
    assert step.attributes["switchboard.attempts"] == tries


def test_where_too_few_ever_agree_a_judge_selects() -> None:
    world = answers("1 EUR", "2 EUR", "3 EUR")
    boss = PlanningSupervisor(name="chief", workers=(Repeated.of(worker("w")),))
    assert "EUR" in played(boss, world).results["t1"].result
    assert sum("best" in str(a.request.schema or "") for a in world.asked) == 3


def test_answers_agree_by_their_numbers_or_else_by_their_words() -> None:
    assert agree("1,200 in 2025", "In 2025 it was 1,200.") and not agree("12", "13")
    assert agree("No price.", "no  price.") and not agree("none", "some") and not agree("1", "one")


def test_more_must_not_agree_than_may_be_made() -> None:
    with pytest.raises(ConfigurationError, match="3 of 2 attempts cannot agree"):
        Repeated.of(worker("w"), attempts=2, agreeing=3)
