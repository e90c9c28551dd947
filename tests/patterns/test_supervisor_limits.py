"""Limits of a supervisor's run: depth, tokens, model calls; what happens when one is reached."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import Agent, Limits, clock, connect
from course.models.tokens import prompt_tokens
from course.models.wire import ChatRequest, Reply
from course.results import Failure
from course.runner import run
from course.supervisor import Supervisor, SupervisorResult
from course.team import HUMAN, HumanQueue
from tests.patterns.bosses import boss, client, models, order, ordering, results, turns, workers


def answer(thing: Any, *, request: str = "Do it all.", **scripts: Any) -> SupervisorResult:
    result: SupervisorResult = clock.simulate(run(thing, request, client=client(**scripts)))
    return result


def insisting(request: ChatRequest) -> Reply:
    """A supervisor that delegates as long as it can, and answers when it may not."""
    if request.tool_choice == "none":
        return Reply(text="what I have")
    return Reply(calls=(order("a", f"step {turns(request)}"),))


def words(count: int) -> str:
    return " ".join(["word"] * count)


# Its own model calls


def test_the_last_of_its_own_turns_is_kept_for_the_answer() -> None:
    model = models(boss=insisting, a="ok")
    team = boss("a", limits=Limits(max_turns=4))
    result = clock.simulate(run(team, "go", client=connect(model)))
    mine = [r for r in model.requests if r.key.agent == "boss"]
    assert len(mine) == 4
    assert [r.tool_choice for r in mine] == ["auto", "auto", "auto", "none"]
    assert result.answer == "what I have"
    assert [d.status for d in result.delegations.values()] == ["done", "done", "failed"]
    assert list(result.failures.values()) == [
        Failure(
            "limit",
            "max_turns is 4, reached 3: no new delegation; answer with what you have",
        )
    ]
    assert results(mine[-1])[-1]["error"].startswith("max_turns is 4, reached 3")
    assert result.stop is not None
    assert (result.stop.reason, result.stop.limit) == ("max_turns", 4)


def test_a_supervisor_that_never_ends_stops_within_its_ten_turns_by_default() -> None:
    model = models(boss=insisting, a="ok")
    clock.simulate(run(boss("a"), "go", client=connect(model)))
    assert sum(r.key.agent == "boss" for r in model.requests) == 10


def test_its_seconds_cut_off_the_delegation_under_way_but_not_the_answer() -> None:
    async def slow(request: ChatRequest) -> str:
        await asyncio.sleep(40)
        return "ok"

    result = answer(boss("a", limits=Limits(max_seconds=60)), boss=insisting, a=slow)
    assert result.stop is not None
    assert result.stop.reason == "max_seconds"
    assert [d.status for d in result.delegations.values()] == ["done", "failed"]
    assert result.answer == "what I have"


# Everybody's model calls


@pytest.mark.parametrize("most", [2, 3, 4, 5, 6, 7, 8])
def test_everybody_together_makes_no_more_model_calls_than_allowed(most: int) -> None:
    calls = [order("a", "1"), order("a", "2"), order("a", "3")]

    def script(request: ChatRequest) -> Reply:
        again = request.tool_choice != "none"
        return Reply(calls=tuple(calls)) if again else Reply(text="what I have")

    model = models(boss=script, a="ok")
    team = boss("a", max_iterations=most)
    result = clock.simulate(run(team, "go", client=connect(model)))
    assert len(model.requests) <= most
    assert result.answer == "what I have"
    assert result.stop is not None
    assert (result.stop.reason, result.stop.limit) == ("max_iterations", most)


def test_the_supervisor_is_told_which_limit_and_its_value() -> None:
    result = answer(boss("a", max_iterations=3), boss=insisting, a="ok")
    told = [json.loads(m["content"]) for m in result.context.messages if m["role"] == "tool"]
    assert told[-1]["status"] == "done"
    result = answer(
        boss("a", max_iterations=4),
        boss=lambda r: Reply(text="x") if r.tool_choice == "none" or turns(r) else
        Reply(calls=(order("a", "1"), order("a", "2"), order("a", "3"))),
        a="ok",
    )  # fmt: skip
    told = [json.loads(m["content"]) for m in result.context.messages if m["role"] == "tool"]
    assert [t["status"] for t in told] == ["done", "done", "failed"]
    assert told[2]["kind"] == "limit"
    assert told[2]["error"] == (
        "max_iterations is 4, reached 3: no new delegation; answer with what you have"
    )


# Tokens


def test_when_tokens_run_out_the_kept_back_rest_pays_for_the_last_answer() -> None:
    model = models(boss=insisting, a=words(60))
    team = boss("a", max_tokens=3000)
    result = clock.simulate(run(team, "go", client=connect(model)))
    assert result.answer == "what I have"
    assert result.stop is not None
    assert (result.stop.reason, result.stop.limit) == ("max_tokens", 3000)
    assert result.usage.total <= 3000
    assert any(d.status == "done" for d in result.delegations.values())


def test_a_worker_that_runs_into_the_budget_is_a_typed_failure_and_the_last_one() -> None:
    calls = [order("a", "1", id="x"), order("b", "2", id="y")]
    model = models(boss=lambda r: insisting(r) if turns(r) else Reply(calls=tuple(calls)), b="two")
    wordy = Agent(name="a", description="is wordy", instructions=words(3000))
    team = Supervisor(name="boss", workers=(wordy, *workers("b")), max_tokens=2800)
    result = clock.simulate(run(team, "go", client=connect(model)))
    assert result.failures["x"].kind == "limit"
    assert result.failures["x"].error.startswith("max_tokens is 2800, reached ")
    assert result.failures["x"].error.endswith("no new delegation; answer with what you have")
    assert {r.key.agent for r in model.requests} == {"boss", "b"}
    assert result.delegations["y"].result == "two"
    assert result.answer == "what I have"


def test_where_no_call_fits_the_results_themselves_are_the_answer() -> None:
    team = boss("a", max_tokens=120)
    result = answer(team, boss="never asked")
    assert result.answer == "No more could be done: max_tokens is 120."
    assert result.usage.total == 0


def test_what_is_kept_back_is_the_prompt_and_the_longest_answer() -> None:
    from course import Context
    from course.supervisor.state import SupervisorRun

    async def main() -> None:
        team = boss("a", max_tokens=5000)
        run = SupervisorRun(team, client())
        context = Context.of("hello", instructions="You lead.")
        prompt = prompt_tokens({"messages": context.messages, "tools": team.specs})
        run.keep_back(context)
        assert run.budget.kept_tokens == prompt + 500 + 500
        run.keep_back(context, coming=3)
        assert run.budget.kept_tokens == prompt + 500 + 3 * 150

    clock.simulate(main())


@given(
    limit=st.integers(0, 9000),
    costs=st.lists(st.tuples(st.integers(0, 500), st.integers(0, 3)), min_size=8, max_size=8),
    latency=st.lists(st.floats(0, 3), min_size=8, max_size=8),
    chatty=st.integers(0, 400),
)
def test_eight_delegations_at_once_never_exceed_the_budget_by_one_token(
    limit: int, costs: list[tuple[int, int]], latency: list[float], chatty: int
) -> None:
    """Random costs: words per answer and calls per worker; exact by the simulated model's count."""
    from course import tool

    @tool
    def look() -> str:
        """Look."""
        return "seen"

    from course.models.wire import Call

    async def work(request: ChatRequest) -> Reply:
        number = int(request.key.agent[1:])
        said, calls = costs[number]
        await asyncio.sleep(latency[number])
        if turns(request) < calls:
            return Reply(text=words(said), calls=(Call("look", "{}"),))
        return Reply(text=words(said))

    def script(request: ChatRequest) -> Reply:
        if request.tool_choice == "none" or turns(request) > 1:
            return Reply(text=words(chatty))
        return Reply(text=words(chatty), calls=tuple(order(f"w{n}", f"task {n}") for n in range(8)))

    names = [f"w{n}" for n in range(8)]
    model = models(boss=script, **dict.fromkeys(names, work))
    team = Supervisor(
        name="boss", workers=workers(*names, tools=(look,)), max_tokens=limit, max_iterations=None
    )
    result = clock.simulate(run(team, "go", client=connect(model)))
    chats = [s for s in result.trace.spans if s.operation == "chat" and s.status == "ok"]
    used = sum(
        s.attributes["gen_ai.usage.input_tokens"] + s.attributes["gen_ai.usage.output_tokens"]
        for s in chats
    )
    assert used == result.usage.total <= limit
    assert len(chats) == len(model.requests)
    assert result.answer or chatty == 0 or result.stop is None


# Depth


def nested(depth: int, **more: Any) -> Supervisor:
    """A supervisor with a supervisor with ... a worker "leaf"; the innermost is "s1"."""
    inner: Any = workers("leaf")[0]
    for level in range(1, depth + 1):
        inner = Supervisor(
            name=f"s{level}", description="passes on", workers=(inner,), coordinates=True, **more
        )
    assert isinstance(inner, Supervisor)
    return inner


def passing_on(to: str) -> Any:
    def script(request: ChatRequest) -> Reply:
        if request.tool_choice == "none" or turns(request):
            known = results(request)
            return Reply(text=str(known[-1].get("result") or known[-1]["error"]))
        return Reply(calls=(order(to, "do it"),))

    return script


def test_a_supervisor_can_be_a_worker_when_it_is_allowed_to() -> None:
    result = answer(nested(2), s2=passing_on("s1"), s1=passing_on("leaf"), leaf="deep down")
    assert result.answer == "deep down"
    (outer,) = result.delegations.values()
    assert isinstance(outer.outcome, SupervisorResult)
    (inner,) = outer.outcome.delegations.values()
    assert inner.worker == "leaf"
    by_id = {s.span_id: s for s in result.trace.spans}
    leaf = next(s for s in result.trace.spans if s.name == "leaf" and s.operation == "invoke_agent")
    path = []
    span: Any = leaf
    while span:
        path.append(f"{span.operation} {span.name}")
        span = by_id.get(span.parent_id or "")
    assert path == [
        "invoke_agent leaf", "delegate leaf", "invoke_agent s1", "delegate s1",
        "invoke_agent s2", "invoke_workflow s2",
    ]  # fmt: skip


def test_delegations_go_no_deeper_than_the_outermost_supervisor_allows() -> None:
    result = answer(nested(2, max_depth=1), s2=passing_on("s1"), s1=passing_on("leaf"))
    (outer,) = result.delegations.values()
    assert isinstance(outer.outcome, SupervisorResult)
    (failure,) = outer.outcome.failures.values()
    assert failure == Failure(
        "depth", "max_depth is 1, reached 1: no new delegation; answer with what you have"
    )
    three = answer(
        nested(3), s3=passing_on("s2"), s2=passing_on("s1"), s1=passing_on("leaf"), leaf="never"
    )
    assert three.answer.startswith("max_depth is 2, reached 2")


def test_everybody_below_shares_the_outermost_budget() -> None:
    model = models(s2=passing_on("s1"), s1=passing_on("leaf"), leaf="x")
    outer = Supervisor(name="s2", description="passes on", workers=(nested(1),), max_iterations=3)
    clock.simulate(run(outer, "go", client=connect(model)))
    assert len(model.requests) <= 3


def test_depth_is_counted_apart_for_delegations_that_run_at_once() -> None:
    team = Supervisor(name="top", workers=(nested(1), *workers("a")))
    script = ordering([order("s1", "1"), order("a", "2"), order("s1", "3")])
    result = answer(team, top=script, s1=passing_on("leaf"), leaf="deep", a="flat")
    assert [d.result for d in result.delegations.values()] == ["deep", "flat", "deep"]


# Somebody else takes over


def test_an_agent_takes_over_with_the_request_and_what_was_found() -> None:
    model = models(boss=insisting, a="a partial result", chief="settled")
    chief = Agent(name="chief", instructions="You settle.")
    team = boss("a", limits=Limits(max_turns=3), escalate_to=chief)
    result = clock.simulate(run(team, "Do it all.", client=connect(model)))
    assert (result.answer, result.escalated_to) == ("settled", "chief")
    (asked,) = [r for r in model.requests if r.key.agent == "chief"]
    words_ = asked.messages[-1]["content"]
    assert words_.startswith("Do it all.\n\nWhat others found before you:\na: a partial result")
    (step,) = [s for s in result.trace.spans if s.operation == "escalate"]
    assert step.name == "boss -> chief"
    assert result.stop is not None


def test_a_person_takes_over_and_finds_what_was_tried() -> None:
    queue = HumanQueue()
    team = boss("a", limits=Limits(max_turns=3), escalate_to=queue)
    result = answer(team, boss=insisting, a="a partial result")
    assert result.escalated_to == HUMAN
    (ticket,) = queue.tickets
    assert ticket is result.ticket
    assert (ticket.sender, ticket.request) == ("boss", "Do it all.")
    assert "max_turns is 3" in ticket.reason
    assert [(t.agent, t.call, t.failed) for t in ticket.tried] == [
        ("a", "step 0", False), ("a", "step 1", True),
    ]  # fmt: skip
    assert "colleague" in result.answer


def test_a_limit_that_stood_in_the_way_of_nothing_lets_the_supervisor_answer() -> None:
    team = boss("a", max_iterations=3, escalate_to=HUMAN)
    result = answer(team, boss=insisting, a="ok")
    assert (result.answer, result.escalated_to) == ("what I have", None)
    assert result.stop is not None


def test_without_a_limit_nobody_takes_over() -> None:
    result = answer(boss("a", escalate_to=HUMAN), boss=ordering([order("a", "1")]), a="ok")
    assert (result.answer, result.escalated_to, result.ticket) == ("all done", None, None)
