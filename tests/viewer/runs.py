"""Runs with what the documented systems seldom show: skipped tasks, retries, faults, turns."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace

from course import (
    Agent,
    Limits,
    Plan,
    PlanningSupervisor,
    Supervisor,
    ToolError,
    Trace,
    Worker,
    clock,
    connect,
    hub_and_spoke,
    run,
    run_sync,
    tool,
)
from course.approval import Decision, Question, needs_approval
from course.models import Call, Reply, Scripted
from course.scenarios.front_desk import Desk, colleagues, reception
from course.supervisor_worker.plan import PlanTask
from course.supervisor_worker.supervisor import FailurePolicy


@tool
def find_tonnage(pier: int) -> str:
    """Find the tonnage of a pier."""
    if pier == 3:
        raise ToolError("the book of pier 3 is lost")
    return f"pier {pier}: {pier * 100} tons"


def failing_plan() -> Trace:
    """A plan in which one task fails, after tries, and those that need it are skipped."""
    clerk = Worker(name="clerk", description="finds the tonnage of piers", tools=(find_tonnage,))
    writer = Worker(name="writer", description="writes reports")
    tasks = (
        PlanTask(id="t1", worker="clerk", description="Find the tonnage of pier 1."),
        PlanTask(id="t2", worker="clerk", description="Find the tonnage of pier 3."),
        PlanTask(id="t3", worker="writer", description="Write a report.", dependencies=("t2",)),
        PlanTask(id="t4", worker="writer", description="Shorten it.", dependencies=("t3", "t1")),
    )
    policy = FailurePolicy(downstream="skip")
    boss = PlanningSupervisor(name="boss", workers=(clerk, writer), failure_policy=policy)
    trace = Trace("boss: the piers", messages=True)
    plan = Plan(goal="a report on the piers", tasks=tasks)
    run_sync(boss, "Report on the piers.", plan=plan, trace=trace, client=connect("simulated"))
    return trace


def crowd() -> Trace:
    """A plan for six workers, whose board is wider than a column."""
    names = ("harbour", "accounts", "post", "shipyard", "council", "archive")
    workers = tuple(Worker(name=name, description=f"asks the {name}") for name in names)
    tasks = tuple(PlanTask(id=n[:2], worker=n, description=f"Ask the {n}.") for n in names)
    trace = Trace("town hall", messages=True)
    run_sync(
        PlanningSupervisor(name="town hall", workers=workers), "Ask everybody.",
        plan=Plan(goal="what they say", tasks=tasks), trace=trace, client=connect("simulated"),
    )  # fmt: skip
    return trace


def turns() -> Trace:
    """A conversation of two turns in one trace."""
    trace = Trace("clinic", messages=True)

    async def talk() -> None:
        with Desk(seed=7) as desk:
            clinic = hub_and_spoke(reception(desk), colleagues(desk), name="clinic")
            session = None
            for said in ("What does Katya Tanaka still owe?", "And when is her next appointment?"):
                result = await run(
                    clinic, said, session=session, client=connect("simulated"), trace=trace
                )
                session = result.session

    clock.simulate(talk())
    return trace


def faulty() -> Trace:
    """An agent whose model fails and is asked again, and whose tool takes time."""
    trace = Trace("clerk: the tonnage", messages=True)
    clerk = Agent(name="clerk", instructions="Look it up.", tools=(find_tonnage,))
    client = connect("simulated", profile="faulty")
    run_sync(clerk, "What is the tonnage of pier 1?", trace=trace, client=client)
    return trace


@tool
def find_bed(ward: int) -> str:
    """Find a free bed in a ward."""
    return f"bed {ward}-7"


def nested() -> Trace:
    """A supervisor whose workers are supervisors."""
    beds = Supervisor(
        name="beds",
        description="finds a free bed in a ward",
        coordinates=True,
        workers=(Worker(name="porter", description="finds a free bed", tools=(find_bed,)),),
    )
    piers = Supervisor(
        name="piers",
        description="finds the tonnage of a pier",
        coordinates=True,
        workers=(
            Worker(name="clerk", description="finds a pier's tonnage", tools=(find_tonnage,)),
            Worker(name="writer", description="writes reports"),
        ),
    )
    trace = Trace("house: a bed and a pier", messages=True)
    house = Supervisor(name="house", workers=(beds, piers))
    asked = "Find a free bed in ward 3. Find the tonnage of pier 2."
    run_sync(house, asked, trace=trace, client=connect("simulated"))
    return trace


@tool
def pay(invoice: str) -> str:
    """Pay an invoice in full."""
    return f"{invoice} is paid"


def approvals() -> Trace:
    """A person says yes, then no, and then nothing in time."""
    trace = Trace("desk: three invoices", messages=True)
    decisions: list[Decision | None] = [
        Decision(approved=True, by="Ada"),
        Decision(approved=False, by="Ada", reason="it is paid at the counter"),
        None,
    ]
    left = iter(decisions)

    async def ada(question: Question) -> Decision:
        await asyncio.sleep(5)
        if (decision := next(left)) is None:
            await asyncio.sleep(100)
        return decision or Decision(approved=True)

    asks = needs_approval(pay, ada, asked_by="desk", timeout=20)
    calls = [Reply(calls=(Call("pay", json.dumps({"invoice": f"I-{n}"})),)) for n in (1, 2, 3)]
    answers = iter([*calls, Reply(text="One is paid.")])
    desk = Agent(name="desk", tools=(asks,))
    client = connect(Scripted(lambda _: next(answers)), profile="calm")
    run_sync(desk, "Pay the three invoices.", trace=trace, client=client)
    return trace


def looping() -> Trace:
    """A model that asks for the same again and again, until a limit stops it."""
    trace = Trace("clerk: the tonnage", messages=True)
    clerk = Agent(name="clerk", tools=(find_tonnage,), limits=Limits(max_turns=3))
    asks = Reply(calls=(Call("find_tonnage", '{"pier": 1}'),))
    client = connect(Scripted(lambda _: asks), profile="calm")
    run_sync(clerk, "What is the tonnage of pier 1?", trace=trace, client=client)
    return trace


def budget() -> Trace:
    """Workers that share a budget of calls too small for all of them."""
    clerks = tuple(
        Worker(name=f"clerk {n}", description=f"finds pier {n}'s tonnage", tools=(find_tonnage,))
        for n in (1, 2, 4)
    )
    boss = Supervisor(name="boss", workers=clerks, max_iterations=6)
    asked = "Find the tonnage of pier 1. Find the tonnage of pier 2. Find the tonnage of pier 4."
    trace = Trace("boss: the piers", messages=True)
    run_sync(boss, asked, trace=trace, client=connect("simulated"))
    return trace


def repeated(base: Trace, spans: int) -> Trace:
    """A run again and again, until there are so many steps."""
    many = Trace("many: a long day", messages=True)
    many.begin_ns = 0
    end = max(span.end for span in base.spans)
    for turn in range(spans // len(base.spans) + 1):
        ids = {span.span_id: f"{turn:08x}{n:08x}" for n, span in enumerate(base.spans)}
        for span in base.spans:
            many.add(
                replace(
                    span, span_id=ids[span.span_id], parent_id=ids.get(span.parent_id or ""),
                    start=span.start + turn * end, end=span.end + turn * end,
                )
            )  # fmt: skip
    return many


RUNS: dict[str, Callable[[], Trace]] = {
    each.__name__: each
    for each in (failing_plan, turns, faulty, nested, approvals, looping, budget)
}
