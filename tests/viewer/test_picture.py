"""The picture never lies: over every documented system, and over steps that nobody would make."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import Agent, clock, connect
from course.systems import carry_out
from course.trace import ATTRIBUTES, Span, Trace
from course.viewer.picture import CALLER, MODEL, Cord, Picture, picture_of
from course.viewer.steps import CALLS, PERSON, TraceStep


def inside(step: TraceStep, outer: TraceStep) -> bool:
    return step is outer or outer in step.above()


def lies(picture: Picture) -> list[str]:
    """What the picture says that the trace does not, or keeps quiet about."""
    wrong: list[str] = []
    parts = Counter(step for job in picture.jobs for step in picture.parts(job))
    for step in picture.steps:
        if step.kind in CALLS and parts[step] != 1:
            wrong.append(f"{step.kind} {step.order} is in {parts[step]} rows")
    wrong += _cords(picture)
    wrong += _moments(picture) + _persons(picture) + _stops(picture) + _second_row(picture)
    return wrong


def _cords(picture: Picture) -> list[str]:
    wrong, last = [], len(picture.moments)
    known = {CALLER, MODEL, *picture.agents}
    for cord in picture.cords:
        tools = picture.agents.get(cord.a, []) if cord.kind == "tool" else []
        if cord.a not in known or cord.b not in {*known, *tools}:
            wrong.append(f"{cord.a} - {cord.b} joins what is not on the board")
        if not 0 <= cord.begin < cord.end <= last:
            wrong.append(f"{cord.kind} of {cord.a} is never seen: {cord.begin} to {cord.end}")
        if cord.kind == "lent" and cord.step and (gone := _gone_early(picture, cord)):
            wrong.append(f"{cord.b} still works for {cord.a} at event {gone[0]}, without a cord")
        if cord.bad and not (cord.step and cord.step.failed):
            wrong.append(f"{cord.kind} of {cord.a} is red and did not fail")
        if cord.bad and picture.moments[cord.begin].time < cord.step.span.end:  # type: ignore[union-attr]
            wrong.append(f"{cord.kind} of {cord.a} is red before it failed")
    drawn = Counter(c.step for c in picture.cords if c.kind in ("tool", "model"))
    wrong += [
        f"{step.kind} {step.order} has {drawn[step]} cords"
        for step in picture.steps
        if step.kind in CALLS and drawn[step] != 1 and step.who
    ]
    held = [c for c in picture.cords if c.kind == "held"]
    for place in range(last):
        holders = [c.b for c in held if c.begin <= place < c.end]
        if held and len(holders) != 1:
            wrong.append(f"at event {place} {holders} have the conversation")
    return wrong


def _gone_early(picture: Picture, cord: Cord) -> list[int]:
    """The events at which somebody still works for another, and the cord is gone."""
    assert cord.step is not None
    span = cord.step.span
    late = range(cord.end, len(picture.moments))
    return [n for n in late if span.start < picture.moments[n].time < span.end]


def _persons(picture: Picture) -> list[str]:
    """Approvals without a cord to the person, or told of other than they went."""
    wrong = []
    for step in picture.steps:
        if step.kind != "approve" or not step.who:
            continue
        cords = [c for c in picture.cords if c.step is step and (c.a, c.b) == (step.who, PERSON)]
        if len(cords) != 1:
            wrong.append(f"approve {step.order} has {len(cords)} cords to the person")
        told = [m.text for m in picture.moments if m.step is step and m.phase == "end"]
        yes = step.told("switchboard.approval.approved") == "True"
        if any(("says yes" in text) != yes for text in told):
            wrong.append(f"approve {step.order} is told as {told}")
    return wrong


def _stops(picture: Picture) -> list[str]:
    """Limits that ended something, and of which nothing is said."""
    told = " ".join(moment.text for moment in picture.moments)
    stops = [step.told("switchboard.stop").removeprefix("stopped: ") for step in picture.steps]
    return [f"nothing is said of the limit {stop}" for stop in stops if stop not in told]


def _second_row(picture: Picture) -> list[str]:
    """Who stands below somebody that does not lead them, or that stands below somebody too."""
    under, found = picture.under, []
    lent = {(cord.a, cord.b) for cord in picture.cords if cord.kind == "lent"}
    for name, above in under.items():
        if above in under or above not in picture.agents or name == above:
            found.append(f"{name} stands under {above}, who is not in the first row")
        if not any((boss, name) in lent for boss in (above, *under)):
            found.append(f"{name} stands in the second row and works for nobody there")
    return found


def _moments(picture: Picture) -> list[str]:
    wrong, moments = _nested(picture), picture.moments
    times = [each.time for each in moments]
    if times != sorted(times):
        wrong.append("events are out of order")
    if moments[0].who != CALLER or moments[-1].who != CALLER:
        wrong.append("the caller does not begin and end it")
    begun: dict[TraceStep, int] = {}
    for place, each in enumerate(moments):
        if not each.text.strip() or "\n" in each.text:
            wrong.append(f"event {place} is no sentence")
        if each.text.endswith(("..", "….")):
            wrong.append(f"event {place} ends twice: {each.text}")
        step = each.step
        if step and step.kind == "dispatch" and each.who not in picture.agents:
            wrong.append(f"event {place} gives {each.who} a task, who is not on the board")
        if each.bad and step and each.time < step.span.end:
            wrong.append(f"event {place} tells a failure before it happened")
        if step and each.phase == "begin":
            begun[step] = place
        if step and each.phase == "end" and step in begun and begun[step] > place:
            wrong.append(f"{step.kind} {step.order} ends before it begins")
    return wrong


def _nested(picture: Picture) -> list[str]:
    wrong = []
    for step, (first, last) in picture.spans_of_events.items():
        for up in step.above():
            if up in picture.spans_of_events:
                a, b = picture.spans_of_events[up]
                if not a <= first <= last <= b:
                    wrong.append(f"{step.kind} {step.order} happens outside of what is around it")
    return wrong


def plan_less_dispatched(trace: Trace) -> list[tuple[str | None, str]]:
    """The tasks of each supervisor's plans that it never gave anybody."""
    planned: set[tuple[str | None, str]] = set()
    for span in trace.spans:
        if span.operation == "plan" and (plan := span.attributes.get("switchboard.plan")):
            tasks = json.loads(str(plan))["tasks"]
            planned |= {(span.parent_id, task["id"]) for task in tasks}
    given = {(s.parent_id, s.name) for s in trace.spans if s.operation == "dispatch"}
    bosses = {parent for parent, _ in given}
    return sorted((p for p in planned - given if p[0] in bosses), key=str)


def test_no_picture_of_a_documented_system_lies(traces: list[Trace]) -> None:
    for trace in traces:
        picture = picture_of(trace)
        assert lies(picture) == [], trace.name
        assert picture.facts["calls"] == sum(s.operation == "chat" for s in trace.spans)


def test_what_is_skipped_is_the_plan_less_what_was_given_out(traces: list[Trace]) -> None:
    for trace in traces:
        skips = {(s.parent_id, s.name) for s in trace.spans if s.operation == "skip"}
        assert sorted(skips, key=str) == plan_less_dispatched(trace)
        rows = [job for job in picture_of(trace).jobs if job.status == "skipped"]
        assert len(rows) == len(skips)
        assert all(job.error for job in rows)


def test_a_trace_says_what_was_asked_and_answered_by_whom(traces: list[Trace]) -> None:
    for trace in traces:
        roots = [span for span in trace.spans if span.parent_id is None]
        if not any("switchboard.request" in span.attributes for span in roots):
            continue  # a program that records its own steps, without `run`
        moments = picture_of(trace).moments
        asked = [m.words for m in moments if m.who == CALLER and m.phase == "once"]
        assert asked == [s.attributes["switchboard.request"] for s in roots
                         if "switchboard.request" in s.attributes]  # fmt: skip


def test_every_attribute_is_described_in_the_schema(traces: list[Trace]) -> None:
    for trace in traces:
        for span in trace.spans:
            ours = {key for key in span.attributes if key.startswith("switchboard.")}
            assert ours <= set(ATTRIBUTES), span.operation


def test_the_page_about_the_trace_names_what_there_is() -> None:
    page = (Path(__file__).parents[2] / "docs/trace.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:gen_ai|switchboard|error)\.[a-z_.]+)`", page))
    assert len(named) > 10
    assert named <= set(ATTRIBUTES) | {"gen_ai.operation.name"}


def test_what_the_scripts_get_is_whole(traces: list[Trace]) -> None:
    for trace in traces:
        shown = json.loads(json.dumps(picture_of(trace).as_json(), allow_nan=False))
        steps, jobs = len(shown["steps"]), len(shown["jobs"])
        assert all(-1 <= step["job"] < jobs for step in shown["steps"])
        assert all(-1 <= moment["step"] < steps for moment in shown["moments"])
        places = [s[0] for step in shown["steps"] for s in step.get("seen", ())]
        places += [n for step in shown["steps"] for n in step.get("answer", ())]
        assert all(0 <= place < len(shown["messages"]) for place in places)
        assert set(places) == set(range(len(shown["messages"])))


def test_who_worked_is_on_the_board_even_where_only_the_plan_is_told() -> None:
    from tests.viewer.runs import failing_plan

    trace = failing_plan()
    kept = {
        span.span_id for span in trace.spans if span.operation in PLANNED or span.name == "boss"
    }
    trace._spans = [span for span in trace.spans if span.span_id in kept]
    picture = picture_of(trace)
    assert [*picture.agents] == ["boss", "clerk", "writer"]
    lent = [(c.a, c.b, c.step.told("switchboard.task.id")) for c in picture.cords if c.step]
    assert sorted(lent) == [("boss", "clerk", "t1"), ("boss", "clerk", "t2")]
    assert (CALLER, "boss") in [(cord.a, cord.b) for cord in picture.cords]
    assert all(picture.parts(job) for job in picture.jobs if job.opened_by.kind == "dispatch")
    assert lies(picture) == []


PLANNED = ("invoke_workflow", "plan", "dispatch", "skip")


def test_a_failed_task_its_tries_and_what_it_costs_others_are_told() -> None:
    from tests.viewer.runs import failing_plan

    picture = picture_of(failing_plan())
    told = {job.id: (job.status, len(job.tries)) for job in picture.jobs if job.id}
    assert told["t2"] == ("failed", 3)
    assert (told["t3"][0], told["t4"][0]) == ("skipped", "skipped")
    turns = [s for s in picture.steps if s.kind == "invoke_agent" and s.job and s.job.id == "t2"]
    assert [s.told("switchboard.task.attempt") for s in turns] == ["1", "2", "3"]
    texts = [moment.text for moment in picture.moments]
    assert sum("rewrites t2" in text for text in texts) == 2


@pytest.mark.parametrize(
    ("name", "messages", "words"),
    [
        ("clerk: What is in pier 1?", False, "What is in pier 1?"),
        ("slow", False, ""),
        ("run 3: slow", False, ""),
        ("slow", True, "What is the tonnage of pier 1?"),
    ],
)
def test_only_what_somebody_said_is_what_the_caller_asks(
    name: str, messages: bool, words: str
) -> None:
    trace = Trace(name, messages=messages)
    clerk = Agent(name="clerk", instructions="Look it up.")
    with trace.record():  # as a program does that calls the model without `run`
        clock.simulate(carry_out(clerk, "What is the tonnage of pier 1?", client=connect()))
    first = picture_of(trace).moments[0]
    assert (first.who, first.words) == (CALLER, words)
    assert first.text == (f"The caller asks: “{words}”" if words else "The caller asks.")


def test_two_turns_of_a_conversation_are_two_requests() -> None:
    from tests.viewer.runs import turns

    caller = [m for m in picture_of(turns()).moments if m.who == CALLER]
    assert [m.phase for m in caller] == ["once", "end", "once", "end"]
    assert "owe" in caller[0].words
    assert "appointment" in caller[2].words


def test_on_a_line_whose_turn_it_is_has_the_conversation_and_each_word_is_heard() -> None:
    from tests.viewer.conftest import recorded

    [trace] = recorded("livekit-programs")
    picture = picture_of(trace)
    assert list(picture.agents) == ["supervisor", "find_slot"]
    held = [cord.b for cord in picture.cords if cord.kind == "held"]
    assert held == ["supervisor", "find_slot", "supervisor"]
    caller = [m for m in picture.moments if m.who == CALLER]
    assert [m.phase for m in caller] == ["end", "once", "end", "once", "end", "end"]
    assert picture.request == caller[1].words != ""
    times = [m.time for m in caller]
    assert len(set(times)) == len(times)  # each where it was said, and not at the turn's end


def test_what_is_new_to_the_model_is_told_apart() -> None:
    from tests.viewer.runs import faulty

    chats = [step for step in picture_of(faulty()).as_json()["steps"] if step["op"] == "chat"]
    assert [state for _, state in chats[0]["seen"]] == [1] * len(chats[0]["seen"])
    later = chats[-1]["seen"]
    old = [place for place, state in later if state == 0]
    assert old == [place for place, _ in chats[0]["seen"]]
    assert len(later) > len(old)
    assert chats[0]["tools"][0] == ["find_tonnage"]
    assert chats[0]["tools"][1] > 0


KINDS = (
    "chat", "execute_tool", "invoke_agent", "invoke_workflow", "dispatch", "delegate", "task",
    "stage", "handoff", "plan", "refine", "aggregate", "select", "wait", "fault", "skip", "enter",
    "monitor", "approve", "route", "escalate", "take_down", "something else",
)  # fmt: skip


@st.composite
def trees(draw: st.DrawFn) -> Trace:
    """Steps inside each other, as no system makes them, with times that fit or not."""
    trace = Trace(draw(st.text(max_size=8)), messages=True)
    trace.begin_ns = 0
    count = draw(st.integers(0, 14))
    times = st.sampled_from([0.0, 0.0, 1.0, 2.0, 2.0, 3.5])
    for n in range(count):
        parent = draw(st.integers(-1, n - 1))
        outer = trace.spans[parent] if parent >= 0 else None
        start = draw(times)
        start = max(start, outer.start) if outer else start
        end = start + draw(st.sampled_from([0.0, 0.0, 1.0]))
        names = st.sampled_from(["a", "b", "a planning", ""])
        about = {"gen_ai.agent.name": draw(names), "switchboard.holder": draw(names)}
        about |= {f"switchboard.handoff.{key}": draw(names) for key in ("from", "to")}
        about["switchboard.task.worker"] = draw(names)
        about["switchboard.stop"] = draw(st.sampled_from(["", "stopped: it is over"]))
        about |= {f"switchboard.{key}": draw(names) for key in ("request", "answer")}
        told = {key: value for key, value in about.items() if value and draw(st.booleans())}
        told["switchboard.approval.approved"] = draw(st.booleans())
        trace.add(
            Span(
                name=draw(names),
                operation=draw(st.sampled_from(KINDS)),
                span_id=f"{n:016x}",
                parent_id=outer.span_id if outer else None,
                start=start,
                end=min(end, outer.end) if outer and outer.end >= start else end,
                attributes=told,
                status=draw(st.sampled_from(["ok", "ok", "error"])),  # type: ignore[arg-type]
            )
        )
    return trace


@given(trees())
def test_no_picture_of_any_steps_lies(trace: Trace) -> None:
    picture = picture_of(trace)
    found = [each for each in lies(picture) if "outside" not in each]  # its times may be odd
    assert found == []
    json.dumps(picture.as_json(), allow_nan=False)
