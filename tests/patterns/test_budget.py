"""Budgets: reserved before a call, settled after it, never exceeded however many run at once."""

import asyncio
import json
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import AsyncOpenAI

from course import SMALL, Agent, clock, connect, run, team
from course.budget import LEAST_ANSWER, Budget, BudgetExceeded
from course.chat import complete
from course.models import Scripted
from course.models.tokens import prompt_tokens
from course.models.wire import Call, ChatRequest, Reply
from course.supervisor import Supervisor


def body(text: str = "hello", **more: Any) -> dict[str, Any]:
    return {"model": SMALL, "messages": [{"role": "user", "content": text}], **more}


def words(count: int) -> str:
    return " ".join(["word"] * count)


def test_what_a_call_used_is_spent_and_the_rest_comes_back() -> None:
    budget = Budget(tokens=100)
    budget.reserve(60)
    assert (budget.held, budget.left(), budget.made) == (60, 40, 1)
    budget.settle(60, 25)
    assert (budget.held, budget.spent, budget.left()) == (0, 25, 75)


def test_what_does_not_fit_beside_the_reservations_is_refused_and_takes_nothing() -> None:
    budget = Budget(tokens=100)
    budget.reserve(60)
    with pytest.raises(BudgetExceeded, match=r"max_tokens is 100, reached 60: .* 41 more tokens"):
        budget.reserve(41)
    assert (budget.held, budget.made) == (60, 1)
    budget.reserve(40)


def test_what_is_kept_back_is_for_the_last_call_alone() -> None:
    budget = Budget(tokens=100, calls=2, kept_tokens=30, kept_calls=1)
    with pytest.raises(BudgetExceeded, match="max_tokens is 100"):
        budget.reserve(71)
    budget.reserve(70)
    with pytest.raises(BudgetExceeded, match=r"max_calls is 2, reached 1: .* 1 more model call;"):
        budget.reserve(0)
    budget.reserve(30, last=True)
    assert budget.left(last=True) == 0


def test_the_count_is_the_simulated_models_own() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "string"}}}
    asked = body(
        "Book a visit for Ada, please.",
        tools=[{"type": "function", "function": {"name": "book", "parameters": schema}}],
        response_format={"type": "json_schema", "json_schema": {"name": "x", "schema": schema}},
    )
    answer = clock.simulate(complete(connect(Scripted(lambda _: "{}")), asked))
    assert answer.usage.input == prompt_tokens(asked)


def test_a_call_settles_with_what_it_used() -> None:
    budget = Budget(tokens=1000)

    async def main() -> int:
        with budget.in_force():
            answer = await complete(connect(Scripted(lambda _: words(7))), body())
        await complete(connect(Scripted(lambda _: words(50))), body())  # outside: not charged
        return answer.usage.total

    assert clock.simulate(main()) == budget.spent > 0
    assert (budget.held, budget.made) == (0, 1)


def test_an_answer_is_limited_to_what_is_left() -> None:
    budget = Budget(tokens=prompt_tokens(body()) + 40)

    async def main() -> Any:
        with budget.in_force():
            return await complete(connect(Scripted(lambda _: words(500))), body())

    answer = clock.simulate(main())
    assert answer.finish_reason == "length"
    assert budget.spent == budget.tokens


def test_no_call_is_made_for_an_answer_too_short_to_be_of_use() -> None:
    budget = Budget(tokens=prompt_tokens(body()) + LEAST_ANSWER - 1)
    model = Scripted(lambda _: "ok")

    async def main() -> None:
        with budget.in_force():
            await complete(connect(model), body())

    with pytest.raises(BudgetExceeded, match="no room for"):
        clock.simulate(main())
    assert model.requests == []
    assert (budget.spent, budget.held, budget.made) == (0, 0, 0)


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_a_request_that_limits_its_answer_reserves_that_much(name: str) -> None:
    budget = Budget(tokens=1000)
    held: list[int] = []

    def script(request: ChatRequest) -> str:
        held.append(budget.held)
        assert request.raw[name] == 5
        return "ok"

    async def main() -> None:
        with budget.in_force():
            await complete(connect(Scripted(script)), body(**{name: 5}))

    clock.simulate(main())
    assert held == [prompt_tokens(body()) + 5]


def test_a_call_waits_for_reservations_that_stand_in_its_way() -> None:
    """Two calls of which only one can be reserved at a time run one after the other."""
    budget = Budget(tokens=800, answer_tokens=600)

    async def main() -> float:
        client = connect(Scripted(lambda _: "ok", latency=1.0))
        with budget.in_force():
            await asyncio.gather(complete(client, body()), complete(client, body()))
        return clock.now()

    assert clock.simulate(main()) == pytest.approx(2.0)
    assert budget.made == 2


def test_a_refused_call_costs_nothing_and_a_broken_one_all_it_reserved() -> None:
    def client(handler: Any) -> AsyncOpenAI:
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(handler))
        return AsyncOpenAI(api_key="k", base_url="http://m/v1", max_retries=0, http_client=http)

    def broken(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ReadError("gone")

    async def spent(handler: Any) -> int:
        budget = Budget(tokens=1000)
        with budget.in_force(), pytest.raises(Exception, match="model"):
            await complete(client(handler), body())
        assert budget.held == 0
        return budget.spent

    async def main() -> list[int]:
        return [await spent(lambda _: httpx2.Response(400, json={})), await spent(broken)]

    assert clock.simulate(main()) == [0, prompt_tokens(body()) + 600]


def test_a_cancelled_call_gives_its_reservation_up_as_spent() -> None:
    budget = Budget(tokens=1000)

    async def main() -> None:
        with budget.in_force():
            async with asyncio.timeout(0.5):
                await complete(connect(Scripted(lambda _: "ok", latency=9)), body())

    with pytest.raises(TimeoutError):
        clock.simulate(main())
    assert (budget.held, budget.spent) == (0, prompt_tokens(body()) + 600)


def test_nested_budgets_are_all_charged_and_any_of_them_can_refuse() -> None:
    outer, inner = Budget(tokens=5000, calls=9), Budget(calls=1)

    async def main() -> None:
        client = connect(Scripted(lambda _: "ok"))
        with outer.in_force(), inner.in_force():
            await complete(client, body())
            with pytest.raises(BudgetExceeded, match="max_calls is 1"):
                await complete(client, body())

    clock.simulate(main())
    assert (outer.made, inner.made) == (1, 1)
    assert outer.held == 0
    assert outer.spent == inner.spent > 0


def test_a_budget_entered_twice_is_charged_once() -> None:
    budget = Budget(tokens=5000)

    async def main() -> int:
        with budget.in_force(), budget.in_force(last=True):
            return (await complete(connect(Scripted(lambda _: "ok")), body())).usage.total

    assert clock.simulate(main()) == budget.spent


def test_an_agent_that_a_budget_ends_keeps_its_conversation() -> None:
    async def main() -> BudgetExceeded:
        with Budget(calls=0).in_force(), pytest.raises(BudgetExceeded) as caught:
            await run(Agent(name="clerk"), "hello there", client=connect(Scripted(lambda _: "x")))
        return caught.value

    error = clock.simulate(main())
    assert error.stop.reason == "max_calls"
    assert "hello there" in repr(error.context)


@given(
    limit=st.integers(0, 4000),
    answers=st.lists(st.integers(0, 700), min_size=8, max_size=8),
    prompts=st.lists(st.integers(0, 300), min_size=8, max_size=8),
    latencies=st.lists(st.floats(0, 3), min_size=8, max_size=8),
)
def test_eight_at_once_never_exceed_a_budget_by_one_token(
    limit: int, answers: list[int], prompts: list[int], latencies: list[float]
) -> None:
    budget = Budget(tokens=limit)
    used: list[int] = []

    async def answer(request: ChatRequest) -> Reply:
        number = int(request.key.agent)
        await asyncio.sleep(latencies[number])
        return Reply(text=words(answers[number]))

    async def one(number: int, client: AsyncOpenAI) -> None:
        for _ in range(3):
            done = await complete(client, body(words(prompts[number])), agent=str(number))
            used.append(done.usage.total)

    async def main() -> None:
        client = connect(Scripted(answer))
        with budget.in_force():
            ends = await asyncio.gather(*(one(n, client) for n in range(8)), return_exceptions=True)
        assert all(end is None or isinstance(end, BudgetExceeded) for end in ends)

    clock.simulate(main())
    assert sum(used) == budget.spent <= limit
    assert budget.held == 0


def test_teams_and_workers_are_charged_without_being_told() -> None:
    def script(request: ChatRequest) -> Reply:
        if request.tools and not any(m["role"] == "tool" for m in request.messages):
            name = request.tools[0].name
            given = {"transfer_to_b": {"reason": "it is yours"}}.get(name)
            return Reply(
                calls=(Call(name, json.dumps(given or {"worker_agent": "a", "task": "t"})),)
            )
        return Reply(text="done")

    async def main() -> tuple[int, int]:
        client = connect(Scripted(script))
        agents = [Agent(name=name, description=f"does {name}") for name in "ab"]
        handed, delegated = Budget(), Budget()
        with handed.in_force():
            moved = await run(
                team.hub_and_spoke(agents[0], agents[1:], back=False), "go", client=client
            )
        lead = Supervisor(name="lead", workers=agents[:1])
        with delegated.in_force():
            led = await run(lead, "go", client=client)
        assert (handed.spent, delegated.spent) == (moved.usage.total, led.usage.total)
        return handed.made, delegated.made

    assert clock.simulate(main()) == (3, 3)
