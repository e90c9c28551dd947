"""The circle in a trace: the shortest part of a path that comes twice in a row."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from course.handoff import Handoff
from course.models import ChatRequest, Reply, Scripted
from course.observability.diagnosis import circle
from course.team import Guards, Team
from course.trace import Trace
from graders.exercises.ch03.loop_detection import trace_of
from tests.patterns.teaming import acting, agent, call, calls, once, transfer, who

NAMES = ("a", "b", "c", "d")


def found(path: str, kinds: list[str] | None = None) -> str:
    return "".join(circle(Trace.from_json(trace_of(path, kinds or []))))


@given(st.text(NAMES, min_size=1, max_size=9))
def test_it_is_what_comes_twice_in_a_row_and_nothing_shorter_does(path: str) -> None:
    once_found = found(path)
    parts = {path[i:j] for i in range(len(path)) for j in range(i + 1, len(path) + 1)}
    twice = sorted((p for p in parts if p + p in path), key=lambda p: (len(p), path.index(p + p)))
    assert once_found == (twice[0] if twice else "")


def test_consultations_do_not_count() -> None:
    assert found("ababa", ["consult", "return"] * 2) == ""
    assert found("ababa", ["transfer"] * 4) == "ab"
    assert found("xababa", ["consult", "transfer", "transfer", "transfer", "transfer"]) == "ab"


def test_a_trace_without_handoffs_has_none() -> None:
    assert circle(Trace("empty")) == ()


def test_it_reads_the_trace_of_a_team() -> None:
    following = {"desk": "sales", "sales": "stock", "stock": "sales"}
    agents = tuple(
        agent(name, *(other for other in following if other != name)) for name in following
    )
    team = Team(name="shop", agents=agents, guards=Guards(max_repeats=None))
    result = once(team, Scripted(lambda request: transfer(following[who(request)])))
    assert circle(result.trace) == ("sales", "stock")


def test_a_team_that_asks_and_returns_has_no_circle() -> None:
    def asks(request: ChatRequest) -> Reply | str:
        turns = sum(1 for m in request.messages if m["role"] == "assistant")
        if turns == 3:
            return "Done."
        return calls(call("consult_billing", f"c{turns}", request=f"question {turns}"))

    def returns(request: ChatRequest) -> Reply:
        return calls(call("return_to_hub", "r", result="answer"))

    team = Team(
        name="desk", agents=(agent("hub", Handoff("billing", returns=True)), agent("billing"))
    )
    result = once(team, acting({"hub": asks, "billing": returns}))
    assert result.answer == "Done."
    assert circle(result.trace) == ()
