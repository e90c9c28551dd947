"""Two runs on one clock: where they part is found, and the sentence says why."""

from dataclasses import replace

import pytest

from course import Supervisor, Trace, connect, run_sync
from course.scenarios.front_desk import Desk, specialists
from course.viewer.compare import Parting, comparison, parting
from course.viewer.picture import Picture, picture_of

REQUEST = "When is Katya Tanaka's next appointment, and what does she still owe?"


def office(request: str = REQUEST, **more: object) -> Picture:
    trace = Trace(f"front desk: {request}", messages=True)
    with Desk(seed=7) as desk:
        boss = Supervisor(name="front desk", workers=specialists(desk))
        client = connect("simulated", **more)  # type: ignore[arg-type]
        run_sync(boss, request, client=client, trace=trace)
    return picture_of(trace)


@pytest.fixture(scope="module")
def plain() -> Picture:
    return office()


def parted(a: Picture, b: Picture) -> Parting:
    found = parting(a, b)
    assert found is not None
    assert 0 <= found.a < len(a.moments)
    assert 0 <= found.b < len(b.moments)
    return found


def test_a_run_and_itself_do_not_part(plain: Picture) -> None:
    assert parting(plain, office()) is None


def test_a_line_that_is_taken_is_the_cause(plain: Picture) -> None:
    slow = office(in_flight=1)
    found = parted(plain, slow)
    assert "calls in flight" in found.sentence
    assert f"B ends {slow.end - plain.end:.2f} s later" in found.sentence
    other = parted(slow, plain)
    assert other.time == pytest.approx(found.time)
    assert "earlier" in other.sentence


def test_other_requests_part_at_once(plain: Picture) -> None:
    found = parted(plain, office("What does Katya Tanaka still owe?"))
    assert found.time == 0
    assert "asked different things" in found.sentence


def test_other_luck_parts_where_a_call_takes_longer(plain: Picture) -> None:
    found = parted(plain, office(seed=5))
    assert "took longer" in found.sentence
    assert plain.moments[found.a].step is not None


def test_what_a_tool_gave_differently_is_said(plain: Picture) -> None:
    spans = [
        replace(s, attributes={**s.attributes, "gen_ai.tool.call.result": "nobody"})
        if s.operation == "execute_tool" and s.name == "list_invoices" else s
        for s in plain.trace.spans
    ]  # fmt: skip
    changed = Trace(plain.trace.name, messages=True)
    changed.begin_ns = 0
    for span in spans:
        changed.add(span)
    found = parted(plain, picture_of(changed))
    step = plain.moments[found.a].step
    assert step is not None
    assert step.span.name == "list_invoices"


def test_what_never_happens_in_one_is_said(plain: Picture) -> None:
    kept = [s for s in plain.trace.spans if s.name != "list_invoices"]
    changed = Trace(plain.trace.name, messages=True)
    changed.begin_ns = 0
    for span in kept:
        changed.add(span)
    assert "In B this never happens" in parted(plain, picture_of(changed)).sentence


def test_what_the_scripts_get_holds_both_and_where_they_part(plain: Picture) -> None:
    shown = comparison(plain, office(in_flight=1), names=("yours", "right"), said="3.2 is broken")
    assert len(shown["views"]) == 2
    assert shown["names"] == ["yours", "right"]
    assert shown["said"] == "3.2 is broken"
    assert shown["parting"]["sentence"].startswith("The same until")
