"""A run drawn as a sequence diagram: every call comes back, and the arrows are those of the run."""

import re
from collections import Counter

import pytest

from course import Agent, Supervisor, Trace, clock, connect, run
from course.models import Call, Reply, Scripted
from course.observability.diagrams import LOOK
from course.observability.sequence import PERSON, TOOLS, messages, sequence_diagram
from course.routing import Router
from course.scenarios import drive_through, front_desk
from course.scenarios.drive_through.chain import chain
from course.scenarios.front_desk.specialists import specialists
from course.team import patterns
from course.tools import tool

REQUEST = "When is Farid Mbeki's next appointment? And what does Goran Chandra owe?"


def supervised(desk: front_desk.Desk) -> Supervisor:
    return Supervisor(name="boss", instructions="Answer.", workers=tuple(specialists(desk)))


def routed(desk: front_desk.Desk) -> Router:
    return Router(name="reception", agents=tuple(specialists(desk)))


def connected(desk: front_desk.Desk) -> object:
    hub = Agent(name="hub", description="Answers first.", instructions="Pass the caller on.")
    return patterns.hub_and_spoke(hub, specialists(desk))


def trace_of(make: object, request: str = REQUEST) -> Trace:
    with front_desk.Desk(seed=7) as desk:
        system = make(desk)  # type: ignore[operator]
        trace: Trace = clock.simulate(run(system, request, client=connect())).trace
    return trace


@pytest.fixture(scope="module", params=[supervised, routed, connected], ids=lambda f: f.__name__)
def trace(request: pytest.FixtureRequest) -> Trace:
    return trace_of(request.param)


def test_the_person_asks_first_and_is_answered_last(trace: Trace) -> None:
    said = messages(trace)
    assert (said[0].sender, said[-1].receiver) == (PERSON, PERSON)
    assert [each.at for each in said] == sorted(each.at for each in said)


def test_every_tool_call_is_an_arrow_and_comes_back(trace: Trace) -> None:
    calls = [s for s in trace.spans if s.operation == "execute_tool"]
    moves = {s.start for s in trace.spans if s.operation == "handoff"}
    there = Counter(each.sender for each in messages(trace) if each.receiver == TOOLS)
    back = Counter(each.receiver for each in messages(trace) if each.sender == TOOLS)
    assert there == back
    assert sum(there.values()) == len(calls) > len(moves)
    assert {each.receiver for each in messages(trace, tools=False)} == {
        each.receiver for each in messages(trace) if each.receiver != TOOLS
    }


def test_whoever_is_called_answers_or_hands_over(trace: Trace) -> None:
    said = messages(trace, tools=False)
    calls = Counter(
        (m.sender, m.receiver) for m in said if m.kind == "call" and m.says != "hands over"
    )
    backs = Counter((m.receiver, m.sender) for m in said if m.kind != "call")
    if any(span.operation == "handoff" for span in trace.spans):
        assert sum(calls.values()) == sum(backs.values())
    else:
        assert calls == backs


def test_a_delegation_says_the_task_in_its_words() -> None:
    said = messages(trace_of(supervised), tools=False)
    told = {each.receiver: each.says for each in said if each.sender == "boss"}
    assert told["scheduling"] == "When is Farid Mbeki's next appointment?"
    assert told["billing"] == "What does Goran Chandra owe?"


def test_a_handoff_is_one_arrow_that_nobody_answers() -> None:
    said = messages(trace_of(connected, "What does Goran Chandra owe?"), tools=False)
    assert [(m.sender, m.receiver) for m in said if m.says == "hands over"] == [("hub", "billing")]
    assert ("billing", "hub") not in {(m.sender, m.receiver) for m in said}
    assert ("hub", PERSON) not in {(m.sender, m.receiver) for m in said}


def test_a_chain_calls_its_stages_one_after_the_other() -> None:
    with drive_through.Window(seed=21) as window:
        trace = clock.simulate(
            run(chain(window), "Two cheeseburgers, please.", client=connect())
        ).trace
    said = messages(trace, tools=False)
    assert [each.says for each in said if each.kind == "call"][1:] == [
        "stage welcome",
        "stage payment",
        "stage confirmation",
    ]


def test_what_failed_is_drawn_as_failed() -> None:
    @tool
    def broken() -> str:
        """Never works."""
        raise RuntimeError("dead; see: #1")

    answers = iter([Reply(calls=(Call("broken", "{}"),)), Reply(text="Sorry.")])
    agent = Agent(name="clerk", instructions="Try.", tools=(broken,))
    trace = clock.simulate(
        run(agent, "Go", client=connect(Scripted(lambda _: next(answers))))
    ).trace
    [back] = [each for each in messages(trace) if each.sender == TOOLS]
    assert back.kind == "failure"
    assert "dead, see · No. 1" in sequence_diagram(trace)


LINE = re.compile(r"    (P\d+)(->>|-->>|--x)(P\d+): \d+\.\d\d s · [^;#:\n]+")


def test_the_diagram_is_mermaid(trace: Trace) -> None:
    look, head, title, told, *rest = sequence_diagram(trace).splitlines()
    assert look == LOOK
    assert (head, title[:14], told[:14]) == ("sequenceDiagram", "    accTitle: ", "    accDescr: ")
    names = [line for line in rest if " as " in line and "->" not in line]
    arrows = rest[len(names) :]
    assert all(LINE.fullmatch(arrow) for arrow in arrows)
    declared = {line.split()[1] for line in names}
    assert {m[n] for arrow in arrows if (m := LINE.fullmatch(arrow)) for n in (1, 3)} == declared


def test_a_trace_without_steps_has_no_messages() -> None:
    assert messages(Trace("nothing")) == []
    assert "0 messages" in sequence_diagram(Trace("nothing"))
