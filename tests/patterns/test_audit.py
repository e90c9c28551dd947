"""What a run leaves behind: an audit trail with every move and word, its seconds and its price."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from course import Agent, Limits, clock, connect, hub_and_spoke, run_sync
from course.errors import FileFormatError
from course.events import audit
from course.models import ChatRequest
from course.models.wire import Reply
from course.observability.transcript import transcript
from course.runner import run
from course.scenarios import front_desk
from course.systems import Result
from tests.patterns.bosses import boss, models, order, ordering
from tests.patterns.planwork import World, chief, plan_of, task
from tests.patterns.teaming import acting, agent, once, transfer


async def slowly(request: ChatRequest) -> str:
    await asyncio.sleep(3)
    return "I looked."


def hub(request: ChatRequest) -> Reply:
    return transfer("billing", "a bill")


def test_an_audit_trail_has_each_move_each_word_and_each_limit(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    team = hub_and_spoke(agent("hub"), [agent("billing")], name="desk")
    with audit(path):
        once(team, acting({"hub": hub, "billing": slowly}), "What do I owe?")
    once(team, acting({"hub": hub, "billing": slowly}), "Not written: the block is over.")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["event"] for row in rows] == [
        "Said", "ToolCalled", "ToolAnswered", "HandedOver", "Said", "Finished",
    ]  # fmt: skip
    moved = rows[3]
    assert (moved["sender"], moved["to"], moved["reason"]) == ("hub", "billing", "a bill")
    assert rows[-1]["answer"] == "I looked."


def test_a_transcript_says_who_when_how_long_and_after_which_silence(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    with audit(path):
        clock.simulate(run(boss("a"), "Go.", client=connect(models(
            boss=ordering([order("a", "look")]), a=slowly))))  # fmt: skip
    lines = transcript(path)
    told = [(line.who, line.at, line.seconds, line.silence) for line in lines]
    assert told == [("person", 0, 0, 0), ("a", 0, 3, 0), ("boss", 3, 0, 0)]
    assert str(lines[1]) == "    0.00 s  +0.00 s silence, 3.00 s  a: I looked."
    path.write_text(path.read_text() + "[]\n")
    with pytest.raises(FileFormatError, match="line 7: no JSON object"):
        transcript(path)


def test_a_plan_s_transcript_ends_with_the_answer_and_has_each_worker_s_words(
    tmp_path: Path,
) -> None:
    path, plan = tmp_path / "audit.jsonl", plan_of(task("t1"), task("t2", "t1"))
    says = World(lambda asked: (2.0, f"{asked.task} is 7." if asked.task else "Both are 7."))
    with audit(path):
        result = clock.simulate(run(chief(), "Go.", client=says.client, plan=plan))
    assert [(line.who, line.words) for line in transcript(path)] == [
        ("person", "Go."), ("w", "t1 is 7."), ("w", "t2 is 7."), ("chief", result.answer),
    ]  # fmt: skip


def test_turns_that_are_runs_of_their_own_are_told_on_one_clock(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    with audit(path):
        for _ in range(3):
            run_sync(agent("a"), "Go.", client=connect(models(a=slowly)))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["at"] for row in rows] == [0, 3, 3, 3, 6, 6, 6, 9, 9]
    assert [(line.who, line.at) for line in transcript(path)] == [
        ("person", 0), ("a", 0), ("person", 3), ("a", 3), ("person", 6), ("a", 6),
    ]  # fmt: skip


def test_python_s_own_logging_gets_the_same_records(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "switchboard.audit")
    once(agent_team(), acting({"hub": hub, "billing": ["Nothing."]}))
    moved = [r for r in caplog.records if type(r.event).__name__ == "HandedOver"]  # type: ignore[attr-defined]
    assert [r.getMessage().split("s  ", 1)[1] for r in moved] == [
        "desk: HandedOver kind=transfer, sender=hub, to=billing, reason=a bill"
    ]


def agent_team() -> Any:
    return hub_and_spoke(agent("hub"), [agent("billing")], name="desk")


def test_a_result_tells_its_seconds_its_gain_and_its_bill() -> None:
    team = boss("a", "b", "c", limits=Limits(max_turns=3))
    script = ordering([order("a", "1"), order("b", "2"), order("c", "3")])
    result: Result = clock.simulate(
        run(team, "Go.", client=connect(models(boss=script, a=slowly, b=slowly, c=slowly)))
    )
    assert (result.seconds, result.one_by_one, result.gain) == (3.0, 9.0, 3.0)
    assert result.cost == pytest.approx(result.trace.total("switchboard.cost_usd"))
    assert "price is not known" in replace(result, cost=None).bill


def test_the_bill_is_what_the_trace_says_also_of_the_second_run_of_a_trace() -> None:
    with front_desk.Desk(seed=7) as desk:
        first = run_sync(front_desk.agent(desk), "What are your opening hours?", client=connect())
        price = first.trace.total("switchboard.cost_usd")
        again = run_sync(
            Agent(name="x", instructions="Answer."), "Hello.", client=connect(), trace=first.trace
        )
    assert first.cost == pytest.approx(price) and price > 0
    assert again.cost == pytest.approx(first.trace.total("switchboard.cost_usd") - price)
    assert first.bill.startswith(f"this run: {price * 100:.2g} cents; a million of them a month: ")
    assert first.gain == pytest.approx(1.0)
