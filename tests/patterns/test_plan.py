"""A plan as data: its JSON and schema, its graph, its drawing, and who can carry it out."""

import itertools
import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from course import Agent, tool
from course.errors import ConfigurationError, FileFormatError
from course.observability.diagrams import LOOK
from course.observability.plan_diagram import mermaid
from course.supervisor_worker import (
    PLAN_SCHEMA,
    Plan,
    PlanTask,
    Registry,
    critical_path,
    problems,
    shape,
    urgency,
    waves,
)
from course.supervisor_worker.plan import circles, downstream, in_order
from tests.patterns.planwork import dags, plan_of, task, worker

PUBLISHED = Path(__file__).parents[2] / "docs" / "plan.schema.json"
DIAMOND = plan_of(task("a"), task("b"), task("c", "a"), task("d", "b", "c"))


@tool
def look_up(name: str) -> str:
    """Look something up."""
    return name


@tool
def add(a: float, b: float) -> float:
    """Add two numbers."""
    return a + b


# JSON


def test_the_published_schema_is_in_step() -> None:
    published = json.loads(PUBLISHED.read_text())
    assert published == PLAN_SCHEMA, "write PLAN_SCHEMA to docs/plan.schema.json again"


@given(dags())
def test_a_plan_survives_json_and_fits_its_schema(made: tuple[Plan, object]) -> None:
    plan = made[0]
    text = plan.to_json()
    assert Plan.from_json(text) == plan
    jsonschema.validate(json.loads(text), PLAN_SCHEMA)


def test_a_plan_and_its_tasks_cannot_be_changed_by_accident() -> None:
    with pytest.raises(ValidationError):
        DIAMOND.tasks[0].worker = "somebody"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"goal": "x", "tasks": [', "my.json: not JSON at line 1, column 25"),
        ('{"goal": "x"}', "tasks: Field required"),
        ('{"goal": "x", "tasks": [{"id": "a"}]}', "tasks.0.description: Field required"),
        ('{"goal": "x", "tasks": [], "extra": 1}', "extra: Extra inputs are not permitted"),
        ("[" * 100_000, "my.json: not"),
        ("[]", "no plan but list; write one JSON object with goal and tasks"),
    ],
)
def test_what_is_no_plan_is_refused_with_the_place(text: str, said: str) -> None:
    with pytest.raises(FileFormatError) as refused:
        Plan.from_json(text, source="my.json")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


# The graph


@given(dags())
def test_each_task_comes_after_all_it_depends_on(made: tuple[Plan, object]) -> None:
    plan = made[0]
    order = in_order(plan)
    assert sorted(order) == sorted(plan.by_id)
    for each in plan.tasks:
        assert all(order.index(need) < order.index(each.id) for need in each.dependencies)


@given(dags(most=7))
def test_the_critical_path_is_the_longest_of_all_chains(
    made: tuple[Plan, dict[str, float]],
) -> None:
    plan, seconds = made

    def chains(id: str) -> list[tuple[str, ...]]:
        needs = plan.by_id[id].dependencies
        return [(*c, id) for need in needs for c in chains(need)] or [(id,)]

    everyone = [chain for each in plan.tasks for chain in chains(each.id)]
    longest = max(sum(seconds[id] for id in chain) for chain in everyone)
    path, length = critical_path(plan, seconds)
    assert length == longest == sum(seconds[id] for id in path)
    assert path in everyone


@given(dags())
def test_a_task_is_at_least_as_urgent_as_all_behind_it(
    made: tuple[Plan, dict[str, float]],
) -> None:
    plan, seconds = made
    length = urgency(plan, seconds)
    for each in plan.tasks:
        for need in each.dependencies:
            assert length[need] >= length[each.id] + seconds[need]


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdef"), max_size=3)))
def test_circles_are_found_when_and_only_when_there_are_some(needs: dict[str, list[str]]) -> None:
    known = {id: [n for n in after if n in needs] for id, after in needs.items()}
    plan = plan_of(*(task(id, *after) for id, after in known.items()))

    def reaches(start: str) -> set[str]:
        seen: set[str] = set()
        pending = list(known[start])
        while pending:
            here = pending.pop()
            if here not in seen:
                seen.add(here)
                pending += known[here]
        return seen

    looping = {id for id in known if id in reaches(id)}
    found = circles(plan)
    assert bool(found) == bool(looping)
    members = list(itertools.chain(*found))
    assert set(members) <= looping
    assert len(members) == len(set(members))
    for circle in found:
        for here, there in zip(circle, [*circle[1:], circle[0]], strict=True):
            assert there in known[here]


def test_waves_and_shapes() -> None:
    chain = plan_of(task("a"), task("b", "a"), task("c", "b"))
    assert waves(DIAMOND) == [["a", "b"], ["c"], ["d"]]
    assert [shape(p) for p in (chain, plan_of(task("a"), task("b")), DIAMOND)] == [
        "sequential",
        "parallel",
        "hybrid",
    ]


def test_what_waits_for_a_task_directly_or_not() -> None:
    assert downstream(DIAMOND, "a") == ["c", "d"]
    assert downstream(DIAMOND, "d") == []


def test_a_graph_of_thousands_of_tasks_needs_no_recursion() -> None:
    chain = plan_of(task("t0"), *(task(f"t{n}", f"t{n - 1}") for n in range(1, 5000)))
    assert critical_path(chain)[1] == 5000
    assert circles(chain) == []
    around = plan_of(task("t0", "t4999"), *chain.tasks[1:])
    assert len(circles(around)[0]) == 5000


# The drawing


def test_a_drawing_shows_tasks_arrows_and_the_critical_path() -> None:
    drawn = mermaid(DIAMOND, status={"a": "done", "b": "failed", "c": "skipped"})
    assert drawn.startswith(f"{LOOK}\nflowchart LR\n")
    assert 'n0["<b>✓ a · w</b><br/>Find the figure of a"]' in drawn
    assert "n0 ==> n2" in drawn and "n2 ==> n3" in drawn and "n1 --> n3" in drawn
    assert "✗ b" in drawn and "○ c" in drawn


def test_words_in_a_drawing_cannot_break_out_of_their_box() -> None:
    rude = PlanTask(id='a"]', description='click n0 "<script>" & #35;\nend', worker="w")
    drawn = mermaid(plan_of(rude))
    look, _, label = drawn.splitlines()
    assert look == LOOK and label.count('"') == 2
    assert "<script>" not in drawn


def test_a_plan_that_is_none_is_drawn_with_what_is_wrong_with_it() -> None:
    drawn = mermaid(plan_of(task("a"), task("b", "a", "c", "gone"), task("c", "b")))
    assert 'x2["<b>gone</b><br/>is no task"]' in drawn and "x2 --> n1" in drawn
    assert "n1 --> n2" in drawn and "n2 --> n1" in drawn and "==>" not in drawn


# The registry


def test_a_registry_names_its_workers_and_who_has_which_tool() -> None:
    registry = Registry((worker("finder", tools=(look_up,)), worker("adder", tools=(add,))))
    assert registry.owners == {"look_up": ("finder",), "add": ("adder",)}
    assert registry.described() == (
        "- finder: does finder (tools: look_up)\n- adder: does adder (tools: add)"
    )


def test_a_shared_tool_is_refused_with_both_names() -> None:
    with pytest.raises(ConfigurationError, match="'a' and 'b' share the tool 'add'"):
        Registry((worker("a", tools=(add,)), worker("b", tools=(look_up, add))))


def test_a_tool_may_be_shared_where_it_is_said() -> None:
    both = (worker("a", tools=(add,)), worker("b", tools=(look_up, add)))
    registry = Registry(both, shared=("add",))
    assert registry.owners == {"add": ("a", "b"), "look_up": ("b",)}
    for name in ("a", "b"):
        summed = PlanTask(id="t", worker=name, description="Add 12 and 30.", tools=("add",))
        assert problems(plan_of(summed), registry) == ()
    wrong = PlanTask(
        id="t", worker="a", description="Look up the price of oats.", tools=("look_up",)
    )
    (found,) = problems(plan_of(wrong), registry)
    assert "needs 'look_up', which b has and a has not" in found.message
    with pytest.raises(ConfigurationError, match="no worker has the shared tool 'ad'; tools: add"):
        Registry(both[:1], shared=("ad",))


@pytest.mark.parametrize(
    ("workers", "said"),
    [
        ((), "there are no workers"),
        ((worker("a"), worker("a")), "two workers are called 'a'"),
        ((worker(" "),), "a worker has no name"),
        ((worker("a", stands_in_for=("x",)),), "'a' cannot stand in for 'x'"),
        ((worker("a", stands_in_for=("a",)),), "'a' cannot stand in for 'a'"),
        (("a",), "'a' cannot be a worker: give an agent"),
        ((Agent(name="a"),), "worker 'a' has no description"),
    ],
)
def test_a_registry_that_is_none_says_why(workers: tuple[object, ...], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        Registry(workers)  # type: ignore[arg-type]


def test_every_reason_is_named_at_once() -> None:
    from course.supervisor import Worker

    twins = (Worker(name="a", instructions="Same."), Worker(name="b", instructions="Same."))
    with pytest.raises(ConfigurationError) as refused:
        Registry(twins)
    assert "'a' has no description" in str(refused.value)
    assert "'b' has no description" in str(refused.value)
    assert "'a' and 'b' have the same instructions" in str(refused.value)


def test_workers_without_instructions_are_told_apart_by_their_descriptions() -> None:
    told = (Agent(name=n, description=f"does {n}") for n in "ab")
    registry = Registry(tuple(told))
    assert [w.name for w in registry.workers] == ["a", "b"]


def test_who_can_take_over() -> None:
    registry = Registry((worker("web"), worker("archive", stands_in_for=("web",))))
    assert [w.name for w in registry.stand_ins("web")] == ["archive"]
    assert registry.stand_ins("archive") == ()
