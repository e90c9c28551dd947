"""Other frameworks in the lab: the same tasks, the same luck, as our own patterns of the kind."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from statistics import correlation
from types import SimpleNamespace
from typing import Any

import pytest

from course import Agent, clock, tool
from course.errors import ConfigurationError
from course.foreign import Foreign, Seats
from course.lab.frameworks import FRAMEWORKS, enter, planned
from course.lab.one import Played, play
from course.lab.patterns import PATTERNS as PATTERNS_OF_THE_LAB
from course.lab.patterns import Setup
from course.lab.spec import Cell, Experiment
from course.models import SMALL, connect
from course.models.server import background
from course.runner import run
from course.trace import Trace
from tests import needs
from tests.benchmarks import mishaps
from tests.benchmarks.frameworks import KINDS

PAGE = Path(__file__).parents[2] / "docs/frameworks.md"
MODULES = {
    "openai-agents": "agents", "pydantic-ai": "pydantic_ai", "langgraph": "langgraph_swarm",
    "agent-framework": "agent_framework",
}  # fmt: skip
PATTERNS = ("single", "supervisor", "handoff", "router", "planner")
GAPS = (("pydantic-ai", "handoff"), ("agent-framework", "planner"))


@pytest.fixture(autouse=True, scope="module")
def installed() -> None:
    for module in MODULES.values():
        needs.package(module, "other frameworks")


def experiment(**more: Any) -> Experiment:
    told: dict[str, Any] = {
        "name": "frameworks",
        "bench": "calls:2",
        "pattern": PATTERNS,
        "framework": ("course", *FRAMEWORKS),
        "fault": {"model": [0.1]},  # of tools: they strike our moves as well
        "seeds": (0, 1),
        "tasks": 2,
    }
    return Experiment(**{**told, **more})


@pytest.fixture(scope="module")
def played() -> dict[str, dict[tuple[str, int], Played]]:
    found: dict[str, dict[tuple[str, int], Played]] = defaultdict(dict)
    kinds = experiment(pattern=tuple(KINDS.values()), framework="course")
    for cell in (*experiment().cells(), *kinds.cells()):
        found[cell.pattern][cell.task, cell.seed] = play(cell)
    return found


def test_every_pattern_that_a_framework_has_is_scored_and_a_gap_says_so(played: Any) -> None:
    gaps = set()
    for pattern, runs in played.items():
        for each in runs.values():
            if each.row["status"] == "excluded":
                gaps.add((pattern, each.row["why"]))
                continue
            assert (each.row["status"], each.row["success"]) == ("scored", True), each.row["why"]
    names = (":".join(each) for each in GAPS)
    assert gaps == {(name, f"{name}: the framework has no such pattern") for name in names}


SAME_SHAPE = [
    (framework, pattern)
    for framework in FRAMEWORKS
    for pattern in PATTERNS
    if (framework, pattern) not in GAPS
]


@pytest.mark.parametrize(("framework", "pattern"), SAME_SHAPE)
def test_who_asks_the_same_meets_the_same_luck(played: Any, framework: str, pattern: str) -> None:
    theirs = played[f"{framework}:{pattern}"]
    ours = played[KINDS.get(f"{framework}:{pattern}", pattern)]
    one_by_one = f"{framework}:{pattern}" in KINDS  # its moves are the conversation's, not tasks'
    moves = ("delegations", "handoffs") if pattern != "router" and not one_by_one else ()
    for key, mine in ours.items():
        for told in ("calls", "requests", *moves):
            assert theirs[key].row[told] == mine.row[told], (key, told)
    pairs = [(mine.row["latency_s"], theirs[key].row["latency_s"]) for key, mine in ours.items()]
    assert correlation(*zip(*pairs, strict=True)) >= 0.95


def test_tasks_of_a_plan_begin_when_all_that_they_wait_for_is_there() -> None:
    plan = SimpleNamespace(tasks=[
        SimpleNamespace(id="last", dependencies=["left", "right", "no task"]),
        SimpleNamespace(id="left", dependencies=["first"]),
        SimpleNamespace(id="right", dependencies=["first", "right"]),
        SimpleNamespace(id="first", dependencies=[]),
    ])  # fmt: skip
    seconds = {"first": 1.0, "left": 2.0, "right": 5.0, "last": 1.0}

    async def work(task: Any, earlier: Mapping[str, str]) -> str:
        await asyncio.sleep(seconds[task.id])
        return f"{task.id}({','.join(earlier.values())})@{asyncio.get_running_loop().time():g}"

    left, right = "left(first()@1)@3", "right(first()@1)@6"
    assert clock.simulate(planned.carried_out(plan, work)) == {
        "last": f"last({left},{right})@7", "left": left, "right": right, "first": "first()@1",
    }  # fmt: skip


@pytest.mark.parametrize(
    "framework", [each for each in FRAMEWORKS if (each, "planner") not in GAPS]
)
def test_tasks_that_wait_for_each_other_are_carried_out_in_each_framework(framework: str) -> None:
    cells = experiment(bench="dag:2-2x2", pattern="planner", framework=("course", framework),
                       seeds=(0,), tasks=1).cells()  # fmt: skip
    ours, theirs = (play(each).row for each in cells)
    assert ours["success"] and theirs["success"]
    assert theirs["delegations"] == ours["delegations"] > 2
    assert theirs["calls"] == ours["calls"]


def same(cell: Cell) -> tuple[str, str]:
    return cell.run_id, play(cell).row["trace_sha"]


def test_a_run_is_the_same_to_the_byte_here_and_in_other_processes() -> None:
    one = experiment(bench="calls:2", seeds=(4,), tasks=1)
    cells = [cell for cell in one.cells() if ":" in cell.pattern]
    here = [same(cell) for cell in cells]
    assert here == [same(cell) for cell in cells]
    code = (
        "from tests.lab.test_frameworks import *\n"
        "cells = experiment(bench='calls:2', seeds=(4,), tasks=1).cells()\n"
        "print([same(c) for c in cells if ':' in c.pattern])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={"PYTHONHASHSEED": "1", "PATH": ""},
    )  # fmt: skip
    assert done.stdout.strip() == str(here)


def test_a_framework_that_is_not_installed_says_how_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "course.lab.frameworks.openai_agents", raising=False)
    monkeypatch.setitem(sys.modules, "agents", None)  # importing it fails, as where there is none
    with pytest.raises(ConfigurationError, match=r"openai-agents cannot be used here.*pip install"):
        experiment(framework="openai-agents")


def test_a_framework_that_nobody_knows_gets_the_nearest_name() -> None:
    with pytest.raises(ConfigurationError, match=r"no framework 'openai-agent'.*openai-agents"):
        experiment(framework="openai-agent")


def spans(trace: Trace) -> list[tuple[str, str, float, float]]:
    return [(s.operation, s.name, round(s.start, 6), round(s.end, 6)) for s in trace.spans]


def test_a_program_of_openai_agents_runs_as_it_stands_and_leaves_the_same_trace_twice() -> None:
    """An agent with a tool and a handoff, of the shape of that project's first examples."""
    import agents

    @agents.function_tool
    def get_weather(city: str) -> str:
        """Get the weather of a city."""
        return f"The weather in {city} is sunny."

    async def main() -> tuple[str, Trace]:
        model = agents.OpenAIChatCompletionsModel(model=SMALL, openai_client=connect(seed=3))
        agent = agents.Agent(name="Assistant", instructions="You answer questions about weather.",
                             model=model, tools=[get_weather])  # fmt: skip
        quiet = agents.RunConfig(tracing_disabled=True)
        with Trace("theirs").record() as trace:
            ran = await agents.Runner.run(agent, "What's the weather in Tokyo?", run_config=quiet)
        return ran.final_output, trace

    (answer, first), (again, second) = clock.simulate(main()), clock.simulate(main())
    assert "sunny" in answer
    assert answer == again
    assert spans(first) == spans(second)
    assert [s.operation for s in first.spans] == ["chat", "execute_tool", "chat"]


def test_a_program_of_pydantic_ai_runs_as_it_stands() -> None:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    async def main() -> tuple[str, Trace]:
        model = OpenAIChatModel(SMALL, provider=OpenAIProvider(openai_client=connect(seed=3)))
        agent = Agent(model, instructions="You answer questions about opening hours.")

        @agent.tool_plain
        def opening_hours(day: str) -> str:
            """Get the opening hours of a day."""
            return f"On {day} we are open from 8 to 12."

        with Trace("theirs").record() as trace:
            ran = await agent.run("What are the opening hours on Monday?")
        return ran.output, trace

    answer, trace = clock.simulate(main())
    assert "8 to 12" in answer
    assert [s.operation for s in trace.spans] == ["chat", "execute_tool", "chat"]


@tool
def find_bill(number: str) -> str:
    """Find a bill by its number."""
    return f"Bill {number}: 40 EUR are left to pay."


DESK = (
    Agent(name="billing", description="knows bills", tools=(find_bill,),
          instructions="You answer questions about bills."),
    Agent(name="stock", description="knows stock", instructions="You know the stock."),
)  # fmt: skip


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_same_agents_ask_a_service_in_real_time_by_a_vendor_s_name_of_a_model(
    framework: str,
) -> None:
    enter(f"{framework}:supervisor")
    system = PATTERNS_OF_THE_LAB[f"{framework}:supervisor"](Setup(agents=DESK))
    with background() as url:
        environ = {
            "OPENAI_API_KEY": "any", "OPENAI_BASE_URL": url, "COURSE_MODEL": "gpt-4o-mini",
        }  # fmt: skip
        client = connect("endpoint", environ=environ)
        result = asyncio.run(run(system, "What is left to pay on bill 7?", client=client))
    assert "40 EUR" in result.answer
    steps = Counter(each.operation for each in result.trace.spans)
    assert steps["chat"] >= 3 and steps["execute_tool"] == 1
    assert steps["delegate"] + steps["handoff"] == 1


async def own_openai_agents() -> None:
    from agents import Agent, RunConfig, Runner

    await Runner.run(Agent(name="a"), "Hello.", run_config=RunConfig(tracing_disabled=True))


async def own_pydantic_ai() -> None:
    from pydantic_ai import Agent

    await Agent("openai:gpt-5-mini").run("Hello.")


async def own_langgraph() -> None:
    from langchain_openai import ChatOpenAI

    await ChatOpenAI(model="gpt-5-mini").ainvoke("Hello.")


async def own_agent_framework() -> None:
    from agent_framework import Agent
    from agent_framework.openai import OpenAIChatCompletionClient

    await Agent(OpenAIChatCompletionClient(model="gpt-5-mini"), "You help.").run("Hello.")


@pytest.mark.parametrize(
    "ask", [own_openai_agents, own_pydantic_ai, own_langgraph, own_agent_framework]
)
def test_a_client_that_a_framework_makes_is_kept_from_the_network_and_told_of_ours(
    ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(Exception, match=r"needs one: give it that of course\.connect\(\)"):
        clock.simulate(ask())


def test_an_agent_that_never_ends_is_ended_and_says_so() -> None:
    import agents

    from course.limits import Limits
    from course.models import Call, Reply

    @agents.function_tool
    def look(city: str) -> str:
        """Look at a city."""
        return "nothing"

    async def ask(seats: Seats, request: str) -> Any:
        model = agents.OpenAIChatCompletionsModel(model=SMALL, openai_client=seats.seat("a"))
        agent = agents.Agent(name="a", model=model, tools=[look])
        quiet = agents.RunConfig(tracing_disabled=True)
        ran = await agents.Runner.run(agent, request, max_turns=10_000, run_config=quiet)
        return ran.final_output

    client = connect(lambda _: Reply(calls=(Call("look", '{"city": "Oslo"}'),)))
    system = Foreign(name="a", ask=ask, limits=Limits(max_turns=6))
    result = clock.simulate(run(system, "Look!", client=client))
    assert result.answer == "No more could be done: max_turns is 6."
    assert sum(s.operation == "chat" for s in result.trace.spans) == 6


def test_the_page_s_programs_run() -> None:
    page = PAGE.read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(block, "docs/frameworks.md", "exec"), names)
    assert names["answer"] == names["result"].answer == "It is sunny in Oslo."
    assert [s.operation for s in names["trace"].spans] == ["chat", "execute_tool", "chat"]


def test_the_page_shows_what_comes_of_each_mishap() -> None:
    page = PAGE.read_text("utf-8").splitlines()
    assert [row for row in (*mishaps.sent(), *mishaps.rows()) if row not in page] == []


@pytest.mark.parametrize("framework", mishaps.FRAMEWORKS)
def test_a_front_desk_is_as_short_as_its_documentation_has_it(framework: str) -> None:
    assert len(mishaps.path_of(framework).read_text("utf-8").splitlines()) <= 30
