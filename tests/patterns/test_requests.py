"""A request that is none is one line at every system's door, before a model is asked."""

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from course import (
    Agent,
    Context,
    Pipeline,
    PlanningSupervisor,
    Router,
    Stage,
    Supervisor,
    Task,
    connect,
    consultation,
    hub_and_spoke,
    run_sync,
)
from course.errors import ConfigurationError


class State(BaseModel):
    model_config = ConfigDict(frozen=True)
    request: str
    note: str = ""


HUB = Agent(name="hub", description="who is met first", instructions="Lead.")
TWO = tuple(Agent(name=n, description=f"all of {n}", instructions=f"Do {n}.") for n in ("a", "b"))
STAGE = Stage(name="only", work=TWO[0], reads=("request",), writes=("note",))
SYSTEMS = {
    "agent": TWO[0],
    "supervisor": Supervisor(name="lead", instructions="Lead.", workers=TWO),
    "planner": PlanningSupervisor(name="lead", workers=TWO),
    "router": Router(agents=TWO),
    "hub": hub_and_spoke(HUB, TWO),
    "consultation": consultation(HUB, TWO),
    "pipeline": Pipeline(name="chain", stages=(STAGE,), state=State),
}
SAID = {"role": "user", "content": "Do a."}
WRONG = (None, 5, b"Do a.", ["Do a."], [SAID], {"role": "user"}, "", " \n", Context(()))


async def nobody(request: Any) -> Any:
    raise AssertionError("a model was asked")


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("request_", WRONG, ids=repr)
def test_what_is_no_request_is_one_line_and_asks_no_model(system: str, request_: Any) -> None:
    with pytest.raises(ValueError, match=r"request|start") as caught:
        run_sync(SYSTEMS[system], request_, client=connect(nobody))
    assert "\n" not in str(caught.value) and "object has no attribute" not in str(caught.value)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_number_as_a_runs_name_is_refused_with_the_way_out(system: str) -> None:
    with pytest.raises(ConfigurationError, match="a text, not 5: write run_id='5'"):
        run_sync(SYSTEMS[system], "Do a.", run_id=5, client=connect(nobody))


def test_a_task_is_told_the_same() -> None:
    task = Task[State](instructions="Take it.")
    with pytest.raises(ConfigurationError, match="a text, not 5"):
        run_sync(task, run_id=5, client=connect(nobody))
