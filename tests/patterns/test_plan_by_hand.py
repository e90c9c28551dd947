"""A plan that a person wrote, however odd, is refused in one line or carried out as it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from course import clock
from course.errors import FileFormatError
from course.observability.plan_diagram import mermaid
from course.observability.plan_runs import departures
from course.runner import run
from course.supervisor_worker import Plan, PlanError, problems
from course.trace import Trace
from tests.patterns.planwork import World, chief

IDS = st.sampled_from(["t1", "t2", "t-3", "", "a,b", "x\ny", "t/1", "é", "🙂", " t1", "\ud800"])
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | IDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
TASKS = st.fixed_dictionaries(
    {
        "id": IDS | st.text(max_size=4) | ODD,
        "description": st.sampled_from(["Find the figure of t1", "Do it", "Compare t1 with t2"]),
        "worker": st.sampled_from(["w", "w", "w", "nobody", "no\nbody"]),
    },
    optional={"dependencies": st.lists(IDS, max_size=2) | ODD, "tools": ODD},
)
PLANS = st.fixed_dictionaries({"goal": IDS, "tasks": st.lists(TASKS, max_size=5) | ODD}) | ODD


def refused_by(work: Callable[[], Any]) -> str:
    """What a refusal says; empty when there is none."""
    try:
        work()
    except (FileFormatError, PlanError) as refusal:
        return str(refusal)
    return ""


@given(PLANS)
def test_whatever_stands_in_a_plan_it_is_refused_in_a_line_or_done(data: Any) -> None:
    text = json.dumps(data)
    if said := refused_by(lambda: Plan.from_json(text)):
        assert "\n" not in said
        return
    plan, trace = Plan.from_json(text), Trace("by hand")
    assert Plan.from_json(plan.to_json()) == plan
    assert mermaid(plan)
    found = problems(plan, chief().registry)
    more = {"client": World().client, "plan": plan, "trace": trace}
    said = refused_by(lambda: clock.simulate(run(chief(), "Go.", **more)))
    assert bool(said) == bool(found)
    assert "\n" not in said
    tasks = [step for step in trace.spans if step.operation == "dispatch"]
    assert len(tasks) == (0 if found else len(plan.tasks))
    assert all(step.status == "ok" for step in tasks)
    assert departures(Trace.from_json(trace.to_json())) == []
