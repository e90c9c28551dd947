"""A chain that cannot work is refused when it is built: one line, the name, the way out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, create_model

from course import Agent
from course.handoff import Handoff
from course.pipeline import Pipeline, Stage, WiringError

AGENT = Agent(name="clerk")


class Parcel(BaseModel):
    model_config = ConfigDict(frozen=True)

    request: str
    weight: int = 0
    price: int = 0
    label: str = ""


class Loose(BaseModel):
    request: str
    weight: int = 0


def stage(name: str, reads: str = "", writes: str = "", **more: Any) -> Stage:
    return Stage(
        name=name,
        reads=tuple(reads.split()),
        writes=tuple(writes.split()),
        **{"work": AGENT, **more},
    )


def build(*stages: Stage, state: type[BaseModel] = Parcel, answer: str = "") -> Pipeline[Any]:
    return Pipeline(name="post", state=state, stages=stages, answer=answer)


WEIGH = stage("weigh", "request", "weight")
PRICE = stage("price", "weight", "price")

REFUSED: list[tuple[Callable[[], Any], str, str]] = [
    (lambda: build(), "no stages", "at least one"),
    (lambda: build(WEIGH, state=Loose), "could change its state", "frozen=True"),
    (lambda: build(WEIGH, PRICE, WEIGH), "2 stages are called 'weigh'", "rename"),
    (lambda: build(stage("weigh", "wieght", "weight")), "no field 'wieght'", "it has: request, we"),
    (lambda: build(stage("weigh", "request", "mass")), "no field 'mass'", "price, label"),
    (lambda: build(stage("weigh", "request")), "'weigh' writes nothing", "say which fields"),
    (lambda: build(PRICE, WEIGH), "'price' reads 'weight', but 'weigh'", "change the order"),
    (lambda: build(PRICE), "reads 'weight', which no stage", "let one of them write it"),
    (
        lambda: build(WEIGH, stage("weigh again", "request", "weight")),
        "'weigh again' writes 'weight' over what stage 'weigh' filled",
        "let it read the field",
    ),
    (
        lambda: build(stage("weigh", "", "request weight")),
        "writes 'request' over what the start filled",
        "or write another one",
    ),
    (
        lambda: build(stage("weigh", "request", "weight", ends_on="label")),
        "ends on 'label', which it does not write",
        "add it to writes",
    ),
    (lambda: build(stage("weigh", "request", "weight", attempts=0)), "0 attempts", "at least 1"),
    (lambda: build(WEIGH, answer="label"), "its answer is 'label'", "take one that is written"),
    (
        lambda: build(stage("weigh", "request", "weight", work="clerk")),
        "its work is 'clerk'",
        "neither an Agent nor a function",
    ),
    (
        lambda: build(stage("weigh", "request", "weight", work=lambda weight: {})),
        "its function does not fit what the stage reads",
        "missing a required argument: 'weight'",
    ),
    (
        lambda: build(
            stage("weigh", "request", "weight", work=Agent(name="hub", handoffs=(Handoff("x"),)))
        ),
        "'hub' hands over",
        "course.team",
    ),
]


@pytest.mark.parametrize(("make", "fault", "way_out"), REFUSED)
def test_a_fault_is_named_with_the_way_out(
    make: Callable[[], Any], fault: str, way_out: str
) -> None:
    with pytest.raises(WiringError) as caught:
        make()
    told = str(caught.value)
    assert told.startswith("pipeline 'post': ")
    assert fault in told
    assert way_out in told
    assert "\n" not in told


def test_what_is_read_again_may_be_written_again() -> None:
    assert build(WEIGH, stage("round up", "weight", "weight")).last_words == "weight"


def test_what_is_given_is_what_has_no_default() -> None:
    chain = build(WEIGH, PRICE)
    assert chain.given == ("request",)
    assert chain.last_words == "price"
    assert build(WEIGH, PRICE, answer="weight").last_words == "weight"


FIELDS = ("a", "b", "c", "d")
Chain = create_model(
    "Chain",
    __config__=ConfigDict(frozen=True),
    given=(str, ...),
    **dict.fromkeys(FIELDS, (str, "")),  # type: ignore[call-overload]
)
ANY_STAGES = st.lists(
    st.tuples(
        st.sets(st.sampled_from(("given", *FIELDS))),
        st.sets(st.sampled_from(FIELDS), min_size=1),
    ),
    min_size=1,
    max_size=4,
)


@given(ANY_STAGES)
def test_a_chain_is_built_exactly_when_every_read_is_filled_and_no_write_is_blind(
    wanted: list[tuple[set[str], set[str]]],
) -> None:
    filled, sound = {"given"}, True
    for reads, writes in wanted:
        sound &= reads <= filled and not (writes & filled) - reads
        filled |= writes
    stages = [
        Stage(name=f"s{n}", work=AGENT, reads=tuple(sorted(reads)), writes=tuple(sorted(writes)))
        for n, (reads, writes) in enumerate(wanted)
    ]
    try:
        build(*stages, state=Chain)
    except WiringError:
        assert not sound
    else:
        assert sound
