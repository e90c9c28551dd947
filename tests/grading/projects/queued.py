"""A project in a style of its own: a queue of ready tasks, hands that take from it, rules."""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict

from course import ToolError, clock
from course.errors import ModelError
from course.models.names import LARGE
from course.supervisor import Worker
from course.supervisor_worker import PLAN_SCHEMA, Plan, Registry, problems
from course.tools import call_tool
from course.trace import Trace, span

DOMAIN = "competitive intelligence"
HANDS = 12
CAP = 3
AS_PLAN = {"type": "json_schema", "json_schema": {"name": "plan", "schema": PLAN_SCHEMA}}

PROMPTS = {
    "researcher": "Find out what documents say about companies. Cite the ids.",
    "records": "Look up single figures of companies in the database, with unit and year.",
    "analyst": "Compare companies and years. Say in which currency.",
    "writer": "Lay out what others have found, for somebody in a hurry. Add nothing to it.",
}
ABOUT = {
    "researcher": "searches and reads annual reports, press releases, interviews and notes",
    "records": "looks up figures and products of companies, and queries the database",
    "analyst": "compares companies, calculates growth, market shares and research shares",
    "writer": "formats results as a table, as bullets or as a memo",
}
OWNERS = {
    "search": "researcher", "read": "researcher", "get": "records", "list": "records",
    "describe": "records", "query": "records", "format": "writer",
}  # fmt: skip


def my_workers(tools):
    owned = defaultdict(list)
    for name, tool in tools.items():
        owned[OWNERS.get(name.split("_")[0], "analyst")].append(tool)
    return tuple(
        Worker(
            name=name, description=ABOUT[name], instructions=PROMPTS[name], tools=tuple(owned[name])
        )
        for name in PROMPTS
    )


async def chat(client, messages, **more):
    """A model call with a span around it; the client itself repeats what its way lost."""
    with span("chat", LARGE, {"gen_ai.request.model": LARGE}):
        answer = await client.chat.completions.create(model=LARGE, messages=messages, **more)
    return answer.choices[0].message


async def make_plan(request, workers, *, client):
    registry = Registry(tuple(as_worker(each) for each in workers))
    messages = [
        {
            "role": "user",
            "content": f"Workers:\n{registry.described()}\n\nRequest: {request}\n\nSplit"
            " it into tasks for these workers, as JSON: goal, tasks (id, description, worker,"
            " dependencies), final_instruction. Let tasks depend on nothing that they do not need.",
        }
    ]
    for _ in range(4):
        text = (await chat(client, messages, response_format=AS_PLAN)).content or ""
        try:
            plan = Plan.from_json(text, source="the model's plan")
            wrong = [str(each) for each in problems(plan, registry)]
        except Exception as error:
            wrong = [str(error)]
        if not wrong:
            return plan.model_dump(mode="json")
        said = "Not yet. " + " / ".join(wrong) + " Write the whole plan again, as JSON."
        messages.append({"role": "assistant", "content": text})
        messages.append({"role": "user", "content": said})
    raise RuntimeError(f"there is no plan: {wrong}")


def as_worker(each):
    if isinstance(each, Worker):
        return each
    return Worker(
        name=each.name,
        description=each.description,
        instructions=each.instructions,
        tools=tuple(each.tools),
    )


class Board:
    """Which tasks are ready, and what came of the others."""

    def __init__(self, plan):
        self.tasks = {task["id"]: task for task in plan["tasks"]}
        self.left = {id: set(t.get("dependencies", ())) for id, t in self.tasks.items()}
        self.results = {}
        self.seconds = {}
        self.ready = asyncio.Queue()
        for id in [id for id, needs in self.left.items() if not needs]:
            self.ready.put_nowait(id)
        if not self.tasks:
            self.close()

    def close(self):
        for _ in range(HANDS):
            self.ready.put_nowait(None)

    def finish(self, id, result):
        self.results[id] = result
        for other, needs in self.left.items():
            if id in needs:
                needs.discard(id)
                if not needs:
                    self.ready.put_nowait(other)
        if len(self.results) == len(self.tasks):
            self.close()


async def hand(board, staff, client):
    """Take tasks from the board until there are none."""
    while (id := await board.ready.get()) is not None:
        task, begin = board.tasks[id], clock.now()
        with span("dispatch", id) as step:
            result = await carry(task, board, staff[task["worker"]], client)
            step.set("switchboard.task.attempts", result["attempts"])
            if result["status"] != "done":
                step.fail(result["error"])
        board.seconds[id] = clock.now() - begin
        board.finish(id, result)


async def carry(task, board, worker, client):
    """Tries at one task; what is missing is marked, and the work goes on."""
    known = [
        f"[{need}] {board.results[need]['result']}"
        if board.results[need]["status"] == "done"
        else f"[{need}] is missing: {board.results[need]['error']}"
        for need in task.get("dependencies", ())
    ]
    words, error = task["description"], ""
    for attempt in range(1, CAP + 1):
        told = "\n".join([f"Task: {words}", *known])
        try:
            answer, error = await asyncio.wait_for(converse(worker, told, client), 100)
        except (ModelError, TimeoutError) as trouble:
            answer, error = "", str(trouble) or "it took more than 100 s"
        except Exception as trouble:
            answer, error = "", f"{type(trouble).__name__}: {trouble}"
        if not error:
            return {"status": "done", "result": answer, "error": "", "attempts": attempt}
        words = f"{task['description']} This way it failed: {error}. So do it differently."
    return {"status": "failed", "result": "", "error": error, "attempts": CAP}


async def converse(worker, told, client):
    """Model and tools in turn: the answer, or why there is none."""
    tools = {tool.name: tool for tool in worker.tools}
    prompt = f"{worker.instructions} Answer CANNOT: and why, if you cannot do what is asked."
    messages = [{"role": "system", "content": prompt}, {"role": "user", "content": told}]
    worked, errors = 0, []
    for _ in range(8):
        said = await chat(client, messages, tools=[tool.spec() for tool in tools.values()])
        messages.append(said.model_dump(exclude_none=True))
        if not said.tool_calls:
            if refused := re.match(r"\W*CANNOT\W*(.*)", said.content or "", re.DOTALL):
                return "", refused[1] or "no reason"
            return (said.content, "") if worked or not errors else ("", errors[-1])
        for call, content in zip(
            said.tool_calls,
            await asyncio.gather(*(use(tools, call, errors) for call in said.tool_calls)),
            strict=True,
        ):
            worked += not content.startswith('{"error"')
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    return "", "it was not done after 8 rounds"


async def use(tools, call, errors):
    name, arguments = call.function.name, call.function.arguments
    with span("execute_tool", name, {"gen_ai.tool.call.arguments": arguments}) as step:
        try:
            if name not in tools:
                raise ToolError(f"no tool {name}; you have {', '.join(tools)}")
            return await call_tool(tools[name], arguments)
        except ToolError as error:
            step.fail(str(error))
            errors.append(str(error))
            return json.dumps({"error": str(error)})


async def execute(request, plan, workers, *, client):
    trace, begin = Trace(request[:60]), clock.now()
    with trace.record(), span("invoke_workflow", "board", {"switchboard.plan": json.dumps(plan)}):
        board, staff = Board(plan), {each.name: each for each in workers}
        await asyncio.gather(*(hand(board, staff, client) for _ in range(HANDS)))
        seconds = clock.now() - begin
        with span("aggregate", "board"):
            answer = await summed_up(request, plan, board, client)
    return {
        "answer": answer,
        "tasks": {id: board.results[id] for id in board.tasks},
        "seconds": seconds,
        "sequential_seconds": sum(board.seconds.values()),
        "trace": trace.to_json(),
    }


async def summed_up(request, plan, board, client):
    found = {id: each for id, each in board.results.items() if each["status"] == "done"}
    lost = {id: each["error"] for id, each in board.results.items() if id not in found}
    material = "\n".join(f"({id}) {each['result']}" for id, each in found.items())
    gaps = "; ".join(f"{id} failed: {error}" for id, error in lost.items())
    messages = [
        {
            "role": "system",
            "content": "You write one answer out of several results, in words of your own, and say"
            " what is missing and what does not agree.",
        },
        {
            "role": "user",
            "content": f"Request: {request}\n{plan.get('final_instruction', '')}\n\nResults:\n"
            f"{material}\n\nMissing: {gaps or 'nothing'}",
        },
    ]
    try:
        answer = (await chat(client, messages)).content if found else "No task has a result."
    except Exception:
        answer = "The results could not be put together; here they are:\n" + material
    unsaid = [f"{id}: {error}" for id, error in lost.items() if error not in answer]
    return answer + ("\n\nWhat is missing: " + "; ".join(unsaid) if unsaid else "")
