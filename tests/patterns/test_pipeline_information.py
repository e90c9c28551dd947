"""A trace tells which stage used a field that it was not shown."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel, ConfigDict

from course import Agent, clock, connect, tool
from course.models import Call, ChatRequest, Reply, Scripted
from course.observability.information import Unshown, unshown
from course.pipeline import Pipeline, Stage
from course.runner import run
from course.trace import Trace


class Bill(BaseModel):
    model_config = ConfigDict(frozen=True)

    request: str
    number: int = 0
    paid: str = ""
    said: str = ""


@tool
def pay(number: int, note: str = "") -> str:
    """Pay a bill."""
    return f"bill {number} is paid"


def traced(*, reads: tuple[str, ...], calls: list[dict[str, object]]) -> Trace:
    """The trace of a chain whose second stage reads this and calls `pay` like that."""

    def reply(request: ChatRequest) -> Reply | str:
        if request.schema_name == "find":
            return '{"number": 17}'
        if request.schema_name == "say":
            return '{"said": "Done."}'
        turn = sum(m["role"] == "assistant" for m in request.messages)
        if turn < len(calls):
            return Reply(calls=(Call("pay", json.dumps(calls[turn])),))
        return '{"paid": "yes"}'

    clerk = Agent(name="clerk", tools=(pay,))
    chain = Pipeline(
        name="bill",
        state=Bill,
        stages=(
            Stage(name="find", work=Agent(name="finder"), reads=("request",), writes=("number",)),
            Stage(name="pay", work=clerk, reads=reads, writes=("paid",)),
            Stage(name="say", work=Agent(name="speaker"), reads=("paid",), writes=("said",)),
        ),
    )
    return clock.simulate(run(chain, "Pay my bill.", client=connect(Scripted(reply)))).trace


def test_a_value_from_nowhere_is_found() -> None:
    trace = traced(reads=("request",), calls=[{"number": 1}])
    assert unshown(trace) == [Unshown("pay", "number", "pay")]


def test_a_field_that_was_shown_is_no_finding_whatever_its_value() -> None:
    assert unshown(traced(reads=("number",), calls=[{"number": 99}])) == []


def test_an_argument_that_is_no_field_of_the_state_is_the_models_to_choose() -> None:
    assert unshown(traced(reads=("number",), calls=[{"number": 17, "note": "x"}])) == []


def test_each_stage_and_field_is_told_once() -> None:
    trace = traced(reads=("request",), calls=[{"number": 1}, {"number": 2}])
    assert unshown(trace) == [Unshown("pay", "number", "pay")]


def test_a_saved_trace_tells_the_same() -> None:
    trace = traced(reads=("request",), calls=[{"number": 1}])
    assert unshown(Trace.from_json(trace.to_json())) == [Unshown("pay", "number", "pay")]


@pytest.mark.parametrize("calls", [[], [{"number": 17}]])
def test_a_sound_chain_has_no_findings(calls: list[dict[str, object]]) -> None:
    assert unshown(traced(reads=("number",), calls=calls)) == []


def test_a_trace_of_something_else_has_none() -> None:
    assert unshown(Trace("empty")) == []


def test_arguments_that_are_no_object_are_passed_over() -> None:
    def reply(request: ChatRequest) -> Reply | str:
        if any(m["role"] == "tool" for m in request.messages):
            return '{"number": 1}'
        return Reply(calls=(Call("pay", "not JSON"), Call("pay", "[1]")))

    stage = Stage(
        name="find", work=Agent(name="f", tools=(pay,)), reads=("request",), writes=("number",)
    )
    chain = Pipeline(name="one", state=Bill, stages=(stage,))
    trace = clock.simulate(run(chain, "x", client=connect(Scripted(reply)))).trace
    assert unshown(trace) == []
