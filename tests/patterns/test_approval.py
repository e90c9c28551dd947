"""Approvals: the run pauses, a person decides, and silence is a no."""

import asyncio
import time
from typing import Any

import pytest

from course import Agent, Trace, clock, connect, run, tool
from course.approval import (
    Approver,
    Decision,
    Question,
    ask_approval,
    needs_approval,
)
from course.errors import VirtualTimeError
from course.models import Scripted
from course.models.wire import Call, ChatRequest, Reply
from course.tools import Tool

QUESTION = Question(what="pay 80 EUR", details={"invoice_id": "INV-3001"}, asked_by="billing")


def ask(approver: Approver, **more: Any) -> Decision:
    return clock.simulate(ask_approval(QUESTION, approver, **more))


def after(seconds: float, decision: Decision | bool) -> Approver:
    async def approver(question: Question) -> Decision | bool:
        await asyncio.sleep(seconds)
        return decision

    return approver


def test_a_yes_in_time_is_a_yes_and_says_how_long_it_took() -> None:
    decision = ask(after(12.5, True))
    assert decision == Decision(approved=True, by="a person", seconds=12.5)


def test_a_plain_function_can_decide() -> None:
    seen: list[Question] = []
    assert not ask(lambda question: bool(seen.append(question))).approved
    assert seen == [QUESTION]


def test_a_decision_is_passed_on_with_its_reason() -> None:
    decision = ask(after(1, Decision(approved=False, by="Dr. Osei", reason="too much")))
    assert (decision.by, decision.reason, decision.seconds) == ("Dr. Osei", "too much", 1.0)


def test_no_decision_in_time_is_a_refusal_and_the_question_is_withdrawn() -> None:
    ended: list[str] = []

    async def approver(question: Question) -> bool:
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return True

    decision = ask(approver, timeout=30)
    assert decision == Decision(
        approved=False, by="nobody", reason="nobody decided within 30 s", seconds=30.0
    )
    assert ended == ["cancelled"]


def failing(question: Question) -> bool:
    raise KeyError("no such person")


def timing_out(question: Question) -> bool:
    raise TimeoutError("the phone rang out")


@pytest.mark.parametrize(
    ("approver", "reason"),
    [
        (failing, "the approver failed: KeyError: 'no such person'"),
        (timing_out, "the approver failed: TimeoutError: the phone rang out"),
        (lambda _: None, "the approver gave None, not True, False or a Decision"),
        (lambda _: "yes", "the approver gave 'yes', not True, False or a Decision"),
        (lambda _: 1, "the approver gave 1, not True, False or a Decision"),
    ],
)
def test_what_is_no_clear_yes_is_a_refusal(approver: Any, reason: str) -> None:
    decision = ask(approver)
    assert (decision.approved, decision.by, decision.reason) == (False, "nobody", reason)


def test_an_experiment_set_up_wrongly_is_no_decision() -> None:
    async def approver(question: Question) -> bool:
        time.sleep(1)  # noqa: ASYNC251
        return True

    with pytest.raises(VirtualTimeError):
        ask(approver)


def test_a_cancelled_run_does_not_become_a_refusal() -> None:
    async def main() -> None:
        asking = asyncio.ensure_future(ask_approval(QUESTION, after(100, True)))
        await asyncio.sleep(1)
        asking.cancel()
        await asking

    with pytest.raises(asyncio.CancelledError):
        clock.simulate(main())


def test_the_pause_and_the_decision_are_spans() -> None:
    trace = Trace("approval")

    async def main() -> None:
        with trace.record():
            await ask_approval(QUESTION, after(4, Decision(approved=False, by="Ada")))

    clock.simulate(main())
    approve, pause, decide = trace.spans
    assert [s.operation for s in trace.spans] == ["approve", "pause", "decide"]
    assert {pause.parent_id, decide.parent_id} == {approve.span_id}
    assert (approve.name, approve.seconds, pause.seconds) == ("pay 80 EUR", 4.0, 4.0)
    assert approve.attributes["switchboard.approval.approved"] is False
    assert approve.attributes["switchboard.approval.asked_by"] == "billing"
    assert (decide.name, decide.attributes["switchboard.approval.decided_by"]) == ("refused", "Ada")


class Till:
    def __init__(self) -> None:
        self.paid: list[float] = []

    async def pay(self, invoice_id: str, amount: float = 10.0) -> str:
        """Pay an invoice."""
        self.paid.append(amount)
        await asyncio.sleep(amount)
        return f"{invoice_id} paid"


def pay_once(guarded: Tool) -> tuple[str, Trace]:
    """What the model is told when it calls the tool once."""

    def script(request: ChatRequest) -> Reply:
        last = request.messages[-1]
        if last["role"] == "tool":
            return Reply(text=last["content"])
        return Reply(calls=(Call("pay", '{"invoice_id": "INV-1"}'),))

    agent = Agent(name="billing", tools=(guarded,))
    result = clock.simulate(run(agent, "pay it", client=connect(Scripted(script))))
    return result.answer, result.trace


def test_a_tool_that_needs_approval_looks_the_same_and_runs_once_approved() -> None:
    till = Till()
    plain = tool(till.pay)
    asked: list[Question] = []
    guarded = needs_approval(plain, lambda q: not asked.append(q), asked_by="billing")
    assert guarded.spec() == plain.spec()
    answer, trace = pay_once(guarded)
    assert (answer, till.paid) == ("INV-1 paid", [10.0])
    assert asked[0].what == "call pay"
    assert asked[0].details == {"invoice_id": "INV-1", "amount": 10.0}
    assert asked[0].asked_by == "billing"
    (approve,) = [s for s in trace.spans if s.operation == "approve"]
    (call,) = [s for s in trace.spans if s.operation == "execute_tool"]
    assert approve.parent_id == call.span_id


def test_a_refused_tool_does_not_run_and_the_model_reads_why() -> None:
    till = Till()
    no = Decision(approved=False, by="the owner", reason="not this month")
    answer, _ = pay_once(needs_approval(tool(till.pay), lambda _: no))
    assert till.paid == []
    assert "pay was refused by the owner: not this month; do not ask again" in answer


def test_the_tools_own_timeout_begins_after_the_decision() -> None:
    till = Till()
    slow = needs_approval(tool(timeout=11)(till.pay), after(50, True))
    assert pay_once(slow)[0] == "INV-1 paid"
    quick = needs_approval(tool(timeout=9)(till.pay), after(50, True))
    assert "pay gave no answer within 9 s" in pay_once(quick)[0]
