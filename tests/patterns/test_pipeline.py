"""A chain of stages: what each is shown, what it has to fill, how it ends and how it goes on."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from course import Agent, Limits, clock, connect, tool
from course.errors import ToolError
from course.events import Event
from course.models import ApiError, Call, ChatRequest, Reply, Scripted
from course.pipeline import (
    Pipeline,
    PipelineResult,
    Stage,
    StageCompleted,
    fill,
    shown,
)
from course.pipeline.running import Misfit, answer_format, fitted, is_done
from course.runner import run
from course.trace import Span, Trace


class Letter(BaseModel):
    model_config = ConfigDict(frozen=True)

    request: str
    topic: str = ""
    words: Annotated[int, Field(ge=1, le=50, description="how many words it has")] = 1
    draft: str = ""
    reason: str = ""


class Other(BaseModel):
    pass


class Killed(Exception):
    pass


THINKER = Agent(name="thinker", instructions="Find the topic.")
WRITER = Agent(name="writer", instructions="Write.")
TOPIC = Stage(name="topic", work=THINKER, reads=("request",), writes=("topic", "words"))
DRAFT = Stage(name="draft", work=WRITER, reads=("topic",), writes=("draft",))
CHAIN = Pipeline(name="letter", state=Letter, stages=(TOPIC, DRAFT))
RIGHT = {"topic": '{"topic": "rain", "words": 7}', "draft": '{"draft": "It rains."}'}


def scripted(answers: dict[str, Any]) -> Scripted:
    """Answers each stage, known by its form's name, with one text or with one after another."""
    left = {name: list(each) for name, each in answers.items() if isinstance(each, list)}

    def reply(request: ChatRequest) -> Any:
        name = str(request.schema_name)
        return left[name].pop(0) if name in left else answers[name]

    return Scripted(reply)


def play(
    model: Scripted, request: Any = "About rain.", *, chain: Pipeline[Any] = CHAIN, **more: Any
) -> PipelineResult[Any]:
    return clock.simulate(run(chain, request, client=connect(model), **more))


def user_texts(request: ChatRequest) -> list[str]:
    return [str(m["content"]) for m in request.messages if m["role"] == "user"]


# what a stage is shown


def test_a_stage_is_shown_what_it_reads_and_nothing_else() -> None:
    model = scripted(RIGHT)
    play(model, "My secret is 42, about rain.")
    first, second = model.requests
    assert json.loads(user_texts(first)[0]) == {"request": "My secret is 42, about rain."}
    assert json.loads(user_texts(second)[0]) == {"topic": "rain"}
    assert "42" not in str(second.messages)


def test_each_stage_has_its_own_instructions_and_no_history_of_others() -> None:
    model = scripted(RIGHT)
    play(model)
    assert [str(request.messages[0]["content"]) for request in model.requests] == [
        "Find the topic.",
        "Write.",
    ]
    assert [len(request.messages) for request in model.requests] == [2, 2]


@given(
    st.text(),
    st.text(),
    st.integers(1, 50),
    st.permutations(["request", "topic", "words", "draft"]),
    st.integers(0, 4),
)
def test_what_is_shown_is_exactly_the_fields_in_their_order(
    request: str, topic: str, words: int, order: list[str], many: int
) -> None:
    state = Letter(request=request, topic=topic, words=words)
    stage = Stage(name="s", work=WRITER, reads=tuple(order[:many]), writes=("draft",))
    seen = json.loads(shown(stage, state))
    assert list(seen) == order[:many]
    assert seen == {name: getattr(state, name) for name in order[:many]}


def test_the_form_asks_for_all_that_is_written_and_allows_no_more() -> None:
    form = answer_format("the topic!", Letter, ("topic", "words"))
    assert form["json_schema"]["name"] == "the_topic_"
    schema = form["json_schema"]["schema"]
    assert sorted(schema["properties"]) == sorted(schema["required"]) == ["topic", "words"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["words"]["description"] == "how many words it has"
    assert "default" not in schema["properties"]["words"]


# what a stage has to fill


def test_the_answer_and_the_state_hold_what_the_stages_wrote() -> None:
    result = play(scripted(RIGHT))
    assert result.state == Letter(request="About rain.", topic="rain", words=7, draft="It rains.")
    assert result.answer == "It rains."
    assert result.context.messages == (
        {"role": "user", "content": "About rain."},
        {"role": "assistant", "content": "It rains."},
    )
    assert [stage.name for stage in result.stages] == ["topic", "draft"]
    assert dict(result.stages[0].wrote) == {"topic": "rain", "words": 7}
    assert result.stop is None
    assert result.ended is None


def test_usage_is_the_sum_over_the_stages() -> None:
    result = play(scripted(RIGHT))
    assert result.usage.input == sum(stage.usage.input for stage in result.stages) > 0
    assert result.usage.input == result.trace.total("gen_ai.usage.input_tokens")


def test_an_answer_that_does_not_fit_goes_back_with_the_reason() -> None:
    model = scripted({**RIGHT, "topic": ['{"topic": "rain", "words": 70}', RIGHT["topic"]]})
    result = play(model)
    assert result.state.words == 7
    correction = user_texts(model.requests[1])[-1]
    assert "words" in correction
    assert "less than or equal to 50" in correction
    assert model.requests[1].messages[-2]["content"] == '{"topic": "rain", "words": 70}'


@pytest.mark.parametrize(
    ("answer", "field", "told"),
    [
        ("Gladly!", "topic", "not JSON"),
        ("[]", "topic", "dictionary"),
        ('{"words": 7}', "topic", "required"),
        ('{"topic": "rain", "words": "many"}', "words", "integer"),
        ('{"topic": "rain", "words": 7, "draft": "x"}', "draft", "not permitted"),
        ('{"topic": "rain", "words": NaN}', "topic", "not JSON"),
    ],
)
def test_a_stage_that_never_fits_fails_by_name_and_field(
    answer: str, field: str, told: str
) -> None:
    model = scripted({**RIGHT, "topic": answer})
    error = play(model).broken
    assert (error.stage, error.field) == ("topic", field)
    assert told in str(error)
    assert str(error).startswith(f"stage 'topic' could not fill '{field}' in 3 answers")
    assert "\n" not in str(error)
    assert len(model.requests) == 3
    assert error.state == Letter(request="About rain.")


@pytest.mark.parametrize("attempts", [1, 2, 5])
def test_attempts_bound_the_answers(attempts: int) -> None:
    stage = Stage(
        name="topic", work=THINKER, reads=("request",), writes=("topic",), attempts=attempts
    )
    model = scripted({"topic": "no"})
    play(model, chain=Pipeline(name="one", state=Letter, stages=(stage,)))
    assert len(model.requests) == attempts


def test_a_check_objects_to_what_types_allow() -> None:
    def short(letter: Letter) -> str | None:
        return "it has more than 5 words" if letter.words > 5 else None

    stage = Stage(
        name="topic", work=THINKER, reads=("request",), writes=("topic", "words"), check=short
    )
    model = scripted({"topic": [RIGHT["topic"], '{"topic": "rain", "words": 3}']})
    result = play(model, chain=Pipeline(name="one", state=Letter, stages=(stage,)))
    assert result.state.words == 3
    assert "it has more than 5 words" in user_texts(model.requests[1])[-1]


def test_the_rules_of_the_state_itself_count() -> None:
    class Ruled(BaseModel):
        model_config = ConfigDict(frozen=True)
        request: str
        low: int = 0
        high: int = 9

        @field_validator("low")
        @classmethod
        def even(cls, value: int) -> int:
            if value % 2:
                raise ValueError("it is odd")
            return value

        @model_validator(mode="after")
        def ordered(self) -> Ruled:
            if self.low > self.high:
                raise ValueError("low is above high")
            return self

    low = Stage(name="low", work=WRITER, reads=("request",), writes=("low",))
    high = Stage(name="high", work=WRITER, reads=("low",), writes=("high",))
    start = Ruled(request="r")
    with pytest.raises(Misfit, match=r"low: .* it is odd"):
        fitted(low, start, '{"low": 3}')
    state = fitted(low, start, '{"low": 4}')
    assert state.model_fields_set == {"request", "low"}
    with pytest.raises(Misfit, match="low is above high") as caught:
        fitted(high, state, '{"high": 2}')
    assert caught.value.field == "high"
    assert fitted(high, state, '{"high": 5}') == Ruled(request="r", low=4, high=5)


def test_names_of_other_systems_may_stand_in_the_answer() -> None:
    class Foreign(BaseModel):
        model_config = ConfigDict(frozen=True)
        request: str
        order_number: Annotated[int, Field(alias="orderNumber")] = 0

    stage = Stage(name="s", work=WRITER, reads=("request",), writes=("order_number",))
    assert fitted(stage, Foreign(request="r"), '{"orderNumber": 5}').order_number == 5


def test_fitted_keeps_the_rest_of_the_state() -> None:
    state = Letter(request="r", topic="t")
    new = fitted(DRAFT, state, '{"draft": "d"}')
    assert (new.request, new.topic, new.draft) == ("r", "t", "d")
    assert state.draft == ""
    with pytest.raises(Misfit):
        fitted(DRAFT, state, '{"draft": 1}')


def test_tools_run_before_the_fields_are_filled() -> None:
    asked: list[str] = []

    @tool
    def thesaurus(word: str) -> str:
        """Find another word."""
        asked.append(word)
        return "drizzle"

    agent = Agent(name="thinker", tools=(thesaurus,))
    stage = Stage(name="topic", work=agent, reads=("request",), writes=("topic",))
    model = scripted(
        {"topic": [Reply(calls=(Call("thesaurus", '{"word": "rain"}'),)), '{"topic": "drizzle"}']}
    )
    result = play(model, chain=Pipeline(name="one", state=Letter, stages=(stage,)))
    assert asked == ["rain"]
    assert result.answer == "drizzle"
    assert model.requests[1].messages[-1]["content"] == "drizzle"
    assert [t.name for t in model.requests[0].tools] == ["thesaurus"]


def test_tool_turns_do_not_count_as_attempts() -> None:
    @tool
    def look() -> str:
        """Look."""
        return "rain"

    looks = [Reply(calls=(Call("look", "{}"),))] * 4
    agent = Agent(name="thinker", tools=(look,))
    stage = Stage(name="topic", work=agent, reads=("request",), writes=("topic",), attempts=1)
    model = scripted({"topic": [*looks, '{"topic": "rain"}']})
    assert play(model, chain=Pipeline(name="one", state=Letter, stages=(stage,))).answer == "rain"


@pytest.mark.parametrize(
    ("limits", "reason"), [({"max_turns": 1}, "max_turns"), ({"max_tokens": 60}, "max_tokens")]
)
def test_limits_of_the_whole_chain_count_over_all_stages(limits: Any, reason: str) -> None:
    topic = Stage(name="topic", work=Agent(name="t"), reads=("request",), writes=("topic",))
    own = Limits(**{"max_turns": None, **limits})
    model = scripted({"topic": '{"topic": "rain"}', "draft": '{"draft": "It rains."}'})
    chain = Pipeline(name="two", state=Letter, stages=(topic, DRAFT), limits=own)
    result = play(model, chain=chain)
    assert result.stop is not None
    assert (result.stop.reason, result.ended) == (reason, None)
    assert "Not done: " in result.answer


def test_a_limit_stops_the_chain_and_is_a_result() -> None:
    agent = Agent(name="thinker", limits=Limits(max_turns=2))
    stage = Stage(name="topic", work=agent, reads=("request",), writes=("topic",), attempts=9)
    model = scripted({"topic": "no"})
    result = play(model, chain=Pipeline(name="two", state=Letter, stages=(stage, DRAFT)))
    assert result.stop is not None
    assert (result.stop.reason, result.stop.value) == ("max_turns", 2)
    assert result.answer == "No more could be done: max_turns is 2. Not done: topic, draft."
    assert [each.name for each in result.stages] == ["topic"]
    assert not result.stages[0].wrote
    assert result.state == Letter(request="About rain.")


def test_an_answer_cut_off_is_a_stop_and_no_attempt() -> None:
    model = scripted({"topic": Reply(text='{"topic": "ra', finish_reason="length")})
    result = play(model)
    assert result.stop is not None
    assert result.stop.reason == "length"
    assert len(model.requests) == 1


# stages in code


def code_stage(work: Callable[..., Any], **more: Any) -> Pipeline[Letter]:
    stage = Stage(name="count", work=work, reads=("request",), writes=("words",), **more)
    return Pipeline(name="code", state=Letter, stages=(stage,))


def test_a_function_gets_the_fields_by_name_and_costs_no_tokens() -> None:
    def count(request: str) -> dict[str, int]:
        return {"words": len(request.split())}

    result = play(scripted({}), "one two three", chain=code_stage(count))
    assert result.state.words == 3
    assert result.answer == "3"
    assert result.usage.total == 0


def test_an_asynchronous_function_does_as_well() -> None:
    async def count(request: str) -> dict[str, int]:
        return {"words": 4}

    assert play(scripted({}), chain=code_stage(count)).state.words == 4


@pytest.mark.parametrize("value", [{"words": 99}, {}, None, {"words": 1, "draft": ""}])
def test_a_function_that_does_not_fit_fails_at_once(value: Any) -> None:
    broken = play(scripted({}), chain=code_stage(lambda request: value)).broken
    assert broken.stage == "count"
    assert "in 1 answer (" in str(broken)


def test_an_error_of_the_course_names_the_stage() -> None:
    def refuse(request: str) -> dict[str, int]:
        raise ToolError("the scales are broken: weigh by hand")

    broken = play(scripted({}), chain=code_stage(refuse)).broken
    assert str(broken).startswith("stage 'count' could not go on: the scales are broken")


def test_a_model_that_is_gone_names_the_stage_and_keeps_the_state() -> None:
    gone = ApiError(404, "no such model", code="model_not_found")

    def reply(request: ChatRequest) -> str:
        if request.schema_name == "draft":
            raise gone
        return RIGHT["topic"]

    broken = play(Scripted(reply)).broken
    assert str(broken).startswith("stage 'draft' could not go on: the model refused")
    assert broken.state == Letter(request="About rain.", topic="rain", words=7)
    assert broken.field == ""


def test_a_mistake_in_a_function_is_not_hidden() -> None:
    def broken(request: str) -> dict[str, int]:
        return {"words": request.nothing}  # type: ignore[attr-defined]

    with pytest.raises(AttributeError):
        play(scripted({}), chain=code_stage(broken))


# the early way out


def gate(answer: str) -> tuple[Pipeline[Letter], Scripted]:
    check = Stage(
        name="gate", work=THINKER, reads=("request",), writes=("reason",), ends_on="reason"
    )
    chain = Pipeline(name="gated", state=Letter, stages=(check, TOPIC, DRAFT))
    return chain, scripted({**RIGHT, "gate": json.dumps({"reason": answer})})


def test_a_stage_ends_the_chain_with_a_reason_that_is_the_answer() -> None:
    chain, model = gate("We write no letters about rain.")
    result = play(model, chain=chain)
    assert result.ended == "gate"
    assert result.answer == "We write no letters about rain."
    assert len(model.requests) == 1
    assert result.stop is None
    [root] = [s for s in result.trace.spans if s.operation == "invoke_workflow"]
    assert root.attributes["switchboard.pipeline.ended"] == "gate"


def test_an_empty_reason_lets_the_chain_go_on() -> None:
    chain, model = gate("")
    result = play(model, chain=chain)
    assert result.ended is None
    assert result.answer == "It rains."


def test_a_chain_that_was_ended_stays_ended_when_started_again() -> None:
    chain, model = gate("No.")
    state = play(model, chain=chain).state
    again = clock.simulate(run(chain, start=state, client=connect(model)))
    assert (again.ended, again.answer, again.stages) == ("gate", "No.", ())
    assert len(model.requests) == 1


# the way back in


def states(keep: Callable[[Any], None]) -> Callable[[Event], None]:
    """What hears the state after each stage."""
    return lambda event: keep(event.stage.state) if isinstance(event, StageCompleted) else None


def test_a_chain_goes_on_from_a_state_kept_as_json() -> None:
    kept: list[str] = []
    model = scripted({**RIGHT, "draft": ["no", "no", "no", RIGHT["draft"]]})
    hear = states(lambda s: kept.append(s.model_dump_json(exclude_unset=True)))
    result = play(model, on_event=hear)
    assert len(kept) == 1
    start = Letter.model_validate_json(kept[-1])
    assert start == result.state == result.broken.state
    before = len(model.requests)
    result = clock.simulate(run(CHAIN, start=start, client=connect(model)))
    assert result.answer == "It rains."
    assert [stage.name for stage in result.stages] == ["draft"]
    assert len(model.requests) == before + 1


def test_killed_anywhere_it_ends_as_if_nothing_had_happened() -> None:
    whole = play(scripted(RIGHT)).state
    for alive in range(3):
        model, kept = scripted(RIGHT), [Letter(request="About rain.")]

        def die(state: Letter, kept: list[Letter] = kept, alive: int = alive) -> None:
            if len(kept) > alive:
                raise Killed
            kept.append(state)

        with contextlib.suppress(Killed):
            play(model, on_event=states(die))
        result = clock.simulate(run(CHAIN, start=kept[-1], client=connect(scripted(RIGHT))))
        assert result.state == whole
        assert len(result.stages) == 2 - (len(kept) - 1)


def test_a_default_is_not_a_filled_field() -> None:
    state = Letter(request="r")
    assert state.words == 1
    assert not is_done(CHAIN, TOPIC, state)
    assert is_done(CHAIN, TOPIC, Letter(request="r", topic="", words=1))
    assert not is_done(CHAIN, TOPIC, Letter(request="r", topic="t"))


def test_a_stage_that_only_rewrites_runs_until_a_later_one_is_done() -> None:
    polish = Stage(name="polish", work=WRITER, reads=("topic",), writes=("topic",))
    chain = Pipeline(name="polished", state=Letter, stages=(TOPIC, polish, DRAFT))
    half = Letter(request="r", topic="t", words=2)
    assert is_done(chain, TOPIC, half)
    assert not is_done(chain, polish, half)
    assert is_done(chain, polish, Letter(request="r", topic="t", words=2, draft="d"))


# what a chain is given


def test_fields_are_given_by_name_where_there_are_several() -> None:
    class Two(BaseModel):
        model_config = ConfigDict(frozen=True)
        language: str
        request: str
        draft: str = ""

    stage = Stage(name="draft", work=WRITER, reads=("language", "request"), writes=("draft",))
    chain = Pipeline(name="two", state=Two, stages=(stage,))
    model = scripted(RIGHT)
    result = play(model, {"request": "Hello", "language": "French"}, chain=chain)
    assert json.loads(user_texts(model.requests[0])[0]) == {
        "language": "French",
        "request": "Hello",
    }
    assert result.answer == "It rains."
    with pytest.raises(ValueError, match="give the fields by name"):
        play(model, "Hello", chain=chain)
    with pytest.raises(ValueError, match="cannot start: language: Field required"):
        play(model, {"request": "Hello"}, chain=chain)


@pytest.mark.parametrize(
    ("request_", "start", "told"),
    [
        ("  ", None, "the request is empty"),
        (None, None, "give either"),
        ("x", Letter(request="r"), "give either"),
        (None, Other(), "is of type Other; pipeline 'letter' has Letter"),
    ],
)
def test_a_chain_needs_one_thing_to_start_from(request_: Any, start: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        play(scripted(RIGHT), request_, start=start)


# the trace


def children(trace: Trace, parent: Span) -> list[Span]:
    return [span for span in trace.spans if span.parent_id == parent.span_id]


def test_the_trace_shows_workflow_stage_agent_and_call() -> None:
    trace = play(scripted(RIGHT)).trace
    root = trace.spans[0]
    assert (root.operation, root.name) == ("invoke_workflow", "letter")
    assert root.attributes["gen_ai.workflow.name"] == "letter"
    stages = children(trace, root)
    assert [(s.operation, s.name) for s in stages] == [("stage", "topic"), ("stage", "draft")]
    assert json.loads(str(stages[1].attributes["switchboard.stage.shown"])) == {"topic": "rain"}
    assert json.loads(str(stages[0].attributes["switchboard.stage.wrote"])) == {
        "topic": "rain",
        "words": 7,
    }
    [agent] = children(trace, stages[0])
    assert (agent.operation, agent.name) == ("invoke_agent", "thinker")
    assert [s.operation for s in children(trace, agent)] == ["chat"]


def test_a_failed_stage_is_marked_in_the_trace_and_wrote_nothing() -> None:
    trace = Trace("failed")
    play(scripted({**RIGHT, "draft": "no"}), trace=trace)
    stage = next(s for s in trace.spans if s.name == "draft" and s.operation == "stage")
    assert stage.status == "error"
    assert "switchboard.stage.wrote" not in stage.attributes


def test_fill_alone_returns_the_new_state_and_the_conversation() -> None:
    filled = clock.simulate(
        fill(TOPIC, Letter(request="About rain."), client=connect(scripted(RIGHT)))
    )
    assert filled.state.topic == "rain"
    assert filled.context.answer == RIGHT["topic"]
    with pytest.raises(TypeError, match="the work of a function"):
        Stage(name="f", work=len, reads=(), writes=("topic",)).agent  # noqa: B018
