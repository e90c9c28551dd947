"""langgraph in the lab: an agent, langgraph-supervisor and langgraph-swarm, as their documentation
writes them. Source: langchain 1.4 (`create_agent`), langgraph-supervisor 0.0.31, swarm 0.1."""

from __future__ import annotations

import json
import operator
from typing import Annotated, Any, TypedDict

from langchain.agents import create_agent
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from langgraph_supervisor import create_supervisor
from langgraph_swarm import create_handoff_tool, create_swarm

from course.agent import Agent as Described
from course.benches.bench import all_in_one
from course.foreign import Foreign, Seats
from course.lab.frameworks import planned
from course.lab.frameworks.routed import ROUTER, WRITER, choice, chooser, material
from course.lab.patterns import FIRST, Setup, pattern
from course.models.names import SMALL
from course.tools import Tool

STEPS = 1_000  # beyond any bench: the run's own limits hold
MOVE = "transfer_to_"
BACK = "transfer_back_to_"


def _model(seats: Seats, name: str) -> ChatOpenAI:
    seat = seats.seat(name)
    return ChatOpenAI(model=SMALL, api_key="none", max_retries=0, root_async_client=seat,
                      async_client=seat.chat.completions)  # fmt: skip


def _tool(seats: Seats, tool: Tool) -> StructuredTool:
    async def use(**arguments: Any) -> str:
        return await seats.use(tool, json.dumps(arguments, ensure_ascii=False))

    return StructuredTool(name=tool.name, description=tool.description, coroutine=use,
                          args_schema=tool.parameters)  # fmt: skip


def _agent(seats: Seats, each: Described, *tools: Any) -> Any:
    theirs = [*(_tool(seats, tool) for tool in each.tools), *tools]
    return create_agent(
        _model(seats, each.name), theirs, system_prompt=each.instructions, name=each.name
    )


async def _answer(graph: Any, request: str, told: BaseCallbackHandler | None = None) -> Any:
    config = {"recursion_limit": STEPS, "callbacks": [told] if told else []}
    state = await graph.ainvoke({"messages": [("user", request)]}, config)
    return state["messages"][-1].content


class _Told(BaseCallbackHandler):  # type: ignore[misc]
    """Tells of each move, which langgraph makes by tools of these names."""

    run_inline = True  # in its order with what it tells of

    def __init__(self, seats: Seats, first: str) -> None:
        self._seats, self._active = seats, first

    def on_tool_start(self, serialized: dict[str, Any], *_: Any, **__: Any) -> None:
        name = serialized.get("name", "")
        if name.startswith(MOVE) and not name.startswith(BACK):
            to = name.removeprefix(MOVE)
            self._seats.handed(self._active, to)
            self._active = to


@pattern("langgraph:single")
def single(setup: Setup) -> Foreign:
    """One agent with everybody's tools."""

    async def ask(seats: Seats, request: str) -> Any:
        return await _answer(_agent(seats, all_in_one(setup.agents)), request)

    return Foreign(name="single", ask=ask)


@pattern("langgraph:supervisor")
def supervisor(setup: Setup) -> Foreign:
    """langgraph-supervisor: each worker gets the conversation and gives it back."""

    async def ask(seats: Seats, request: str) -> Any:
        graph = create_supervisor(
            [_agent(seats, each) for each in setup.agents], model=_model(seats, FIRST.name),
            prompt=FIRST.instructions, supervisor_name=FIRST.name,
        ).compile()  # fmt: skip
        return await _answer(graph, request, _Told(seats, FIRST.name))

    return Foreign(name=FIRST.name, ask=ask)


@pattern("langgraph:handoff")
def handoff(setup: Setup) -> Foreign:
    """langgraph-swarm: agents that hand the conversation over to each other."""

    async def ask(seats: Seats, request: str) -> Any:
        there = [
            create_handoff_tool(agent_name=each.name, description=each.description)
            for each in setup.agents
        ]
        back = create_handoff_tool(agent_name=FIRST.name, description=FIRST.description)
        agents = [_agent(seats, FIRST, *there)]
        agents += [_agent(seats, each, back) for each in setup.agents]
        graph = create_swarm(agents, default_active_agent=FIRST.name).compile()
        return await _answer(graph, request, _Told(seats, FIRST.name))

    return Foreign(name=FIRST.name, ask=ask)


class _Routed(TypedDict, total=False):
    request: str
    named: list[str]
    found: Annotated[list[tuple[str, str]], operator.add]


@pattern("langgraph:router")
def router(setup: Setup) -> Foreign:
    """A graph: a node chooses by structured output, `Send` starts the chosen, a node writes."""

    async def ask(seats: Seats, request: str) -> Any:
        async def choose(state: _Routed) -> _Routed:
            model = _model(seats, ROUTER).with_structured_output(choice(setup.agents))
            told = [("system", chooser(setup.agents).instructions), ("user", state["request"])]
            named: Any = await model.ainvoke(told)
            return {"named": named.agents}

        async def work(each: Described) -> _Routed:
            with seats.given(each.name, request):
                return {"found": [(each.name, await _answer(_agent(seats, each), request))]}

        async def write(state: _Routed) -> _Routed:
            if len(found := state["found"]) == 1:
                return {"request": found[0][1]}
            return {"request": await _answer(_agent(seats, WRITER), material(request, found))}

        graph: Any = StateGraph(_Routed)
        for name, node in (("choose", choose), ("work", work), ("write", write)):
            graph.add_node(name, node)
        graph.add_edge(START, "choose")
        graph.add_conditional_edges(
            "choose", lambda s: [Send("work", e) for e in setup.agents if e.name in s["named"]]
        )
        graph.add_edge("work", "write")
        graph.add_edge("write", END)
        return (await graph.compile().ainvoke({"request": request}))["request"]

    return Foreign(name=ROUTER, ask=ask)


class _Planned(TypedDict, total=False):
    plan: Any
    task: Any
    found: Annotated[dict[str, str], operator.or_]
    answer: str


@pattern("langgraph:planner")
def planner(setup: Setup) -> Foreign:
    """Orchestrator and workers: a node plans, `Send` starts what is ready, and a node writes.

    A graph goes on in steps: what is ready next waits until all of a step have ended.
    """

    async def ask(seats: Seats, request: str) -> Any:
        workers = {each.name: each for each in setup.agents}

        async def plans(state: _Planned) -> _Planned:
            one = planned.planner(setup.agents)
            model = _model(seats, one.name).with_structured_output(planned.form(setup.agents))
            made = await model.ainvoke([("system", one.instructions), ("user", request)])
            return {"plan": made}

        def ready(state: _Planned) -> list[Send] | str:
            found, plan = state.get("found", {}), state["plan"]
            left = [each for each in plan.tasks if each.id not in found]
            able = [each for each in left if not set(planned.needs(plan, each)) - found.keys()]
            told: _Planned = {"plan": plan, "found": found}
            return [Send("work", {**told, "task": each}) for each in able] or "write"

        async def work(state: _Planned) -> _Planned:
            task, found = state["task"], state["found"]
            earlier = {need: found[need] for need in planned.needs(state["plan"], task)}
            with seats.given(task.worker, task.description):
                worker = _agent(seats, workers[task.worker])
                return {"found": {task.id: await _answer(worker, planned.asked(task, earlier))}}

        async def write(state: _Planned) -> _Planned:
            told = planned.material(request, state["plan"], state["found"])
            return {"answer": await _answer(_agent(seats, planned.WRITER), told)}

        graph: Any = StateGraph(_Planned)
        nodes = {"plans": plans, "next": lambda _: {}, "work": work, "write": write}
        for name, node in nodes.items():
            graph.add_node(name, node)
        for one, other in ((START, "plans"), ("plans", "next"), ("work", "next"), ("write", END)):
            graph.add_edge(one, other)
        graph.add_conditional_edges("next", ready, ["work", "write"])
        return (await graph.compile().ainvoke({}, {"recursion_limit": STEPS}))["answer"]

    return Foreign(name=planned.WRITER.name, ask=ask)
