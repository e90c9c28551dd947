"""Programs that were not written here: in virtual time, on a trace, in the lab's table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from course import clock
from course.benches.bench import BENCHES
from course.lab.one import play
from course.lab.patterns import PATTERNS
from course.lab.spec import Cell, Experiment
from course.models import connect
from course.trace import Span, Trace
from tests import needs
from tests.lab import theirs


@pytest.fixture(autouse=True)
def entered(name: str) -> Iterator[None]:
    needs.package(theirs.PROGRAMS[name].package, "other frameworks")
    benches, patterns = dict(BENCHES), dict(PATTERNS)
    theirs.enter()
    yield
    for table, before in ((BENCHES, benches), (PATTERNS, patterns)):
        table.clear()
        table.update(before)  # type: ignore[arg-type]


def told(step: Span) -> dict[str, Any]:
    """What a step tells but for a call's id: it follows from the conversation, into which
    langgraph-supervisor puts ids that it draws."""
    return {key: v for key, v in step.attributes.items() if key != "gen_ai.tool.call.id"}


def simulated(name: str) -> tuple[str, list[Span]]:
    program = theirs.PROGRAMS[name]

    async def main() -> tuple[str, list[Span]]:
        client = connect(seed=3)
        with Trace("theirs").record() as trace:
            answer = await program.work(lambda _: client, program.request)
        return answer, [replace(s, attributes=told(s)) for s in trace.spans]

    return clock.simulate(main())


def row_of(cell: Cell) -> dict[str, Any]:
    """A run's row, but for the digest of its trace, in which these ids are."""
    return {key: value for key, value in play(cell).row.items() if key != "trace_sha"}


@pytest.mark.parametrize("name", theirs.PROGRAMS)
def test_a_program_of_theirs_leaves_the_same_trace_twice_and_stands_in_the_lab_s_table(
    name: str,
) -> None:
    answer, spans = simulated(name)
    assert simulated(name) == (answer, spans)
    assert answer
    assert sum(each.operation == "chat" for each in spans) >= 2
    plan = Experiment(name="theirs", bench=f"theirs:{name}", pattern=f"theirs:{name}", seeds=(0, 1))
    rows = [row_of(cell) for cell in plan.cells()]
    for row in rows:
        assert (row["status"], row["success"]) == ("scored", True), row["why"]
        assert row["tool_calls"] >= len(theirs.PROGRAMS[name].needs)
        assert row["cost_usd"] > 0 and row["latency_s"] > 0
    assert rows == [row_of(cell) for cell in plan.cells()]
