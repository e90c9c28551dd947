"""The sample requests, put to the desk's agent with the simulated model: answers and rows.

The model is general and knows nothing of this clinic, so this also tells how far it gets. What it
cannot do yet is listed by name, and found out as soon as it can.
"""

import functools

import pytest

from course import clock
from course.models import connect
from course.runner import run
from course.scenarios import front_desk
from course.scenarios.front_desk import REQUESTS, Request, Sample
from course.systems import Result

SEEDS = (7, 1, 2)


@functools.cache
def answered(name: str, seed: int) -> tuple[Sample, Result, bool]:
    """The request, how its run ended, and whether the database then is as it should be."""
    request = next(each for each in REQUESTS if each.name == name)
    with front_desk.Desk(seed=seed) as desk:
        sample = request.on(desk)

        async def ask() -> Result:
            async with connect("simulated", profile="instant") as client:
                return await run(front_desk.agent(desk), sample.text, client=client)

        return sample, clock.simulate(ask()), front_desk.state(desk) == sample.after


def is_right(name: str, seed: int) -> bool:
    sample, result, rows_are_right = answered(name, seed)
    return rows_are_right and not sample.missing(result.answer)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.name)
def test_the_answer_states_the_facts_and_the_rows_are_right(request_: Request, seed: int) -> None:
    sample, result, rows_are_right = answered(request_.name, seed)
    assert result.stop is None
    assert rows_are_right, f"{sample.text} -> {result.answer}"
    assert sample.missing(result.answer) == [], f"{sample.text} -> {result.answer}"


def test_every_answer_was_looked_up_and_no_tool_crashed() -> None:
    for request in REQUESTS:
        _, result, _ = answered(request.name, 7)
        tools = [span for span in result.trace.spans if span.operation == "execute_tool"]
        assert tools
        assert not [span.error for span in tools if span.error and " failed: " in span.error]
