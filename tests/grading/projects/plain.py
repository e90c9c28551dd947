"""A project with an openai client and json, and nothing of the course."""

from __future__ import annotations

import asyncio
import inspect
import json
import time
from types import SimpleNamespace

import openai

DOMAIN = "contract review"
MODEL = "switchboard-small"
TRIES = 3
ROUNDS = 10


def my_workers(tools):
    """Four people of a legal department, each with tools of their own."""

    def person(name, description, instructions, *owned):
        return SimpleNamespace(
            name=name,
            description=description,
            instructions=instructions,
            tools=[tools[each] for each in owned],
        )

    return [
        person(
            "archivist",
            "searches and reads contracts, amendments and the playbook",
            "You find texts. An amendment replaces the clause it names. Cite document ids.",
            "search_documents",
            "read_document",
        ),
        person(
            "clerk",
            "looks up contracts, clauses and invoices in the register",
            "You look up what the register says of a contract, with amounts and days.",
            "find_contract",
            "get_clause",
            "list_invoices",
            "describe_tables",
            "query_database",
        ),
        person(
            "lawyer",
            "checks clauses, calculates deadlines, liability caps and interest",
            "You hold clauses against the playbook and say what follows from them.",
            "check_clauses",
            "find_deadline",
            "compute_liability_cap",
            "compute_late_interest",
            "calculate",
        ),
        person(
            "typist",
            "formats results as a table, bullets or a memo",
            "You lay out what others found and add nothing.",
            "format_table",
            "format_bullets",
            "format_memo",
        ),
    ]


async def make_plan(request, workers, *, client):
    """Ask for a plan as JSON, and again with everything that is wrong with it."""
    team = "\n".join(
        f"* {w.name}: {w.description}. Tools: {', '.join(t.name for t in w.tools)}" for w in workers
    )
    messages = [
        {
            "role": "system",
            "content": "Write a plan and do none of the work. Answer with one JSON object "
            '{"goal": "...", "tasks": [{"id": "t1", "description": "...", "worker": "...", '
            '"dependencies": []}], "final_instruction": "..."}. A task goes to one worker, who '
            "sees its description and the results it depends on.\nThe workers:\n" + team,
        },
        {"role": "user", "content": request},
    ]
    for _ in range(3):
        said = await say(client, messages, log=None)
        text = said["content"] or ""
        plan, wrong = judged(text, {w.name for w in workers})
        if not wrong:
            return plan
        complaint = "This is no plan that can be carried out:\n" + "\n".join(wrong)
        messages += [{"role": "assistant", "content": text}, {"role": "user", "content": complaint}]
    raise ValueError(f"no valid plan: {'; '.join(wrong)}")


def judged(text, names):
    """The plan in a text, and what is wrong with it."""
    try:
        plan = json.loads(text)
        tasks = {each["id"]: each for each in plan["tasks"]}
        wrong = [] if tasks else ["there are no tasks"]
        if len(tasks) < len(plan["tasks"]):
            wrong.append("two tasks have the same id")
        for id, each in tasks.items():
            if each["worker"] not in names:
                wrong.append(f"{id}: no worker {each['worker']}; there are {sorted(names)}")
            if len(each["description"].split()) < 3:
                wrong.append(f"{id}: say what is to be done, and to what")
            wrong += [
                f"{id}: depends on {need}, which is no task"
                for need in each.get("dependencies", [])
                if need not in tasks
            ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return None, [f"not a plan as JSON: {error!r}"]
    left = dict(tasks)
    while free := [id for id in left if not set(left[id].get("dependencies", [])) & set(left)]:
        for id in free:
            del left[id]
    return plan, wrong + ([f"these wait for each other: {sorted(left)}"] if left else [])


class Log:
    """Spans, written down by hand in the published format."""

    def __init__(self, name):
        self.name = name
        self.spans = []
        self.begin = asyncio.get_running_loop().time()
        self.begin_ns = time.time_ns()

    def now(self):
        return asyncio.get_running_loop().time() - self.begin

    def open(self, operation, name, parent=None, **attributes):
        step = {
            "name": name,
            "operation": operation,
            "span_id": f"{len(self.spans) + 1:016x}",
            "parent_id": parent and parent["span_id"],
            "start": self.now(),
            "end": self.now(),
            "attributes": attributes,
            "status": "ok",
        }
        self.spans.append(step)
        return step

    def close(self, step, error=None):
        step["end"] = self.now()
        if error is not None:
            step["status"], step["error"] = "error", str(error)

    def to_json(self):
        whole = {
            "format": "switchboard-trace",
            "version": 2,
            "name": self.name[:80],
            "trace_id": f"{self.begin_ns:032x}",
            "begin_ns": self.begin_ns,
            "spans": self.spans,
        }
        return json.dumps(whole)


async def say(client, messages, *, log, parent=None, tools=None):
    """One model call, made again when its way failed."""
    body = {"model": MODEL, "messages": messages}
    if tools:
        body["tools"] = tools
    for wait in (0.5, 1.0, None):
        step = log and log.open("chat", MODEL, parent)
        try:
            answer = await client.with_options(max_retries=0).chat.completions.create(**body)
        except (openai.APIConnectionError, openai.APIStatusError) as error:
            if log:
                log.close(step, error)
            lasting = getattr(error, "status_code", 500) not in (408, 409, 429, 500, 502, 503)
            if wait is None or lasting:
                raise
            await asyncio.sleep(wait)
        else:
            if log:
                log.close(step)
            return answer.choices[0].message.model_dump(exclude_none=True) | {
                "content": answer.choices[0].message.content
            }
    return None


async def use(tools, call, log, parent):
    """One tool call: its result, or its error, as a message."""
    name, arguments = call["function"]["name"], call["function"]["arguments"]
    step = log.open("execute_tool", name, parent, **{"gen_ai.tool.call.arguments": arguments})
    failed = False
    try:
        outcome = tools[name].function(**json.loads(arguments or "{}"))
        outcome = await outcome if inspect.isawaitable(outcome) else outcome
        content = outcome if isinstance(outcome, str) else json.dumps(outcome)
    except Exception as error:
        log.close(step, error)
        content, failed = json.dumps({"error": str(error) or repr(error)}), True
    else:
        log.close(step)
    return {"role": "tool", "tool_call_id": call["id"], "content": content}, failed


async def work(client, worker, words, log, parent):
    """A worker's conversation about one task: its answer, or why there is none."""
    tools = {tool.name: tool for tool in worker.tools}
    offered = [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            },
        }
        for tool in worker.tools
    ]
    told = f"{worker.instructions}\nIf you cannot do the task, answer with CANNOT: and the reason."
    messages = [{"role": "system", "content": told}, {"role": "user", "content": words}]
    failures = []
    for _ in range(ROUNDS):
        said = await say(client, messages, log=log, parent=parent, tools=offered)
        messages.append(said)
        if not said.get("tool_calls"):
            text = said["content"] or ""
            if text.startswith("CANNOT"):
                return None, text.removeprefix("CANNOT:").strip()
            if failures and all(failures):
                return None, json.loads(messages[-2]["content"])["error"]
            return (text, None) if text else (None, "the answer was empty")
        came = await asyncio.gather(*(use(tools, c, log, parent) for c in said["tool_calls"]))
        messages += [message for message, _ in came]
        failures += [failed for _, failed in came]
    return None, f"not done after {ROUNDS} rounds"


async def put_otherwise(client, words, error, log, parent):
    """The task in other words, made of the error."""
    asked = (
        "This task failed. Rewrite it so that it can be done; keep what is asked, and answer with "
        f"the new task alone.\n\nTask: {words}\n\nError: {error}"
    )
    try:
        said = await say(client, [{"role": "user", "content": asked}], log=log, parent=parent)
    except openai.OpenAIError:
        return f"{words} (It failed before: {error})"
    new = (said["content"] or "").strip()
    return new if new and new != words else f"{words} (It failed before: {error})"


async def execute(request, plan, workers, *, client):
    """Carry a plan out: a task is a future that waits for those of its dependencies."""
    loop = asyncio.get_running_loop()
    begin = loop.time()
    log = Log(request)
    root = log.open("invoke_agent", "chief", **{"switchboard.plan": json.dumps(plan)})
    staff = {w.name: w for w in workers}
    planned = {each["id"]: each for each in plan["tasks"]}
    running = {}
    took = {}

    async def carried_out(id):
        task = planned[id]
        before = await asyncio.gather(*(result_of(need) for need in task["dependencies"]))
        given = dict(zip(task["dependencies"], before, strict=True))
        lacking = [need for need, each in given.items() if each["status"] != "done"]
        made = {"status": "skipped", "result": "", "error": "", "attempts": 0}
        if lacking:
            return made | {"error": f"it needs {', '.join(lacking)}"}
        start, words = loop.time(), task["description"]
        step = log.open("dispatch", id, root)
        for _ in range(TRIES):
            if made["error"]:
                words = await put_otherwise(client, words, made["error"], log, step)
            told = f"Task: {words}\n"
            if made["error"]:
                told += f"The last try failed: {made['error']}\n"
            told += "".join(f"\nResult of {n}: {each['result']}" for n, each in given.items())
            made["attempts"] += 1
            try:
                async with asyncio.timeout(90):
                    said, error = await work(client, staff[task["worker"]], told, log, step)
            except (openai.OpenAIError, TimeoutError) as trouble:
                said, error = None, str(trouble) or "it took longer than 90 s"
            if said is not None:
                made |= {"status": "done", "result": said, "error": ""}
                break
            made |= {"status": "failed", "error": error}
        step["attributes"]["switchboard.task.attempts"] = made["attempts"]
        log.close(step, made["error"] or None)
        took[id] = loop.time() - start
        return made

    def result_of(id):
        if id not in running:
            running[id] = asyncio.ensure_future(carried_out(id))
        return running[id]

    results = await asyncio.gather(*(result_of(id) for id in planned))
    tasks = dict(zip(planned, results, strict=True))
    answer = await put_together(client, request, plan, tasks, log, root)
    log.close(root)
    return {
        "answer": answer,
        "tasks": tasks,
        "seconds": loop.time() - begin,
        "sequential_seconds": sum(took.values()),
        "trace": log.to_json(),
    }


async def put_together(client, request, plan, tasks, log, root):
    """One answer, which says what is missing; a list where no model makes one."""
    results = [f"[{id}] {t['result']}" for id, t in tasks.items() if t["status"] == "done"]
    gaps = [
        f"{id} ({t['status']}: {t['error']})" for id, t in tasks.items() if t["status"] != "done"
    ]
    step = log.open("aggregate", "chief", root)
    asked = f"{request}\n\nThe results of the tasks:\n" + "\n".join(results)
    if gaps:
        asked += "\n\nThese tasks have no result: " + "; ".join(gaps)
    told = "Make one answer out of the results. State contradictions and what is missing. "
    messages = [
        {"role": "system", "content": told + plan.get("final_instruction", "")},
        {"role": "user", "content": asked},
    ]
    answer = ""
    if results:
        try:
            answer = (await say(client, messages, log=log, parent=step))["content"] or ""
        except openai.OpenAIError:
            answer = "No answer could be written. What was found:\n" + "\n".join(results)
    if unsaid := [gap for gap in gaps if gap not in answer]:
        answer += "\n\nMissing: " + "; ".join(unsaid)
    log.close(step)
    return answer.strip()
