"""A project in a style of its own: one loop that waits for whatever is over first."""

from __future__ import annotations

import asyncio
import contextlib
import json

from course import clock
from course.agent import Agent
from course.chat import complete
from course.errors import ModelError
from course.models.names import SMALL
from course.runner import run
from course.trace import Trace, span

DOMAIN = "product launch"


def my_workers(tools):
    """The domain's own people, with fewer tools, in classes."""
    return [kind(tools) for kind in (Scheduler, Controller, Buyer, Reader)]


class Person:
    """Somebody with a few of the tools; what he is like, his class says."""

    name = description = instructions = ""
    wants: tuple[str, ...] = ()

    def __init__(self, tools):
        self.tools = [tools[each] for each in self.wants]


class Scheduler(Person):
    name = "scheduler"
    description = "lists tasks with slack, calculates launch days and delays"
    instructions = "You say when a launch can be. Count working days of the country."
    wants = ("list_tasks", "plan_launch", "delay_task")


class Controller(Person):
    name = "controller"
    description = "checks budgets, calculates break-even, sums risks, queries the database"
    instructions = "You say what a launch costs and when it pays, in one currency."
    wants = ("check_budget", "calculate_break_even", "sum_risks", "describe_tables",
             "query_database")  # fmt: skip


class Buyer(Person):
    name = "buyer"
    description = "compares quotes for an order and calculates"
    instructions = "You compare what suppliers ask for one order, in EUR a unit."
    wants = ("compare_quotes", "calculate")


class Reader(Person):
    name = "researcher"
    description = "searches and reads quotes, minutes, market studies, newsletters and mails"
    instructions = "You read documents about launches and cite them."
    wants = ("search_documents", "read_document")


PLAN = """Plan, and leave the work to these people:
{people}
Your answer is JSON: {{"goal": ..., "tasks": [{{"id": ..., "description": ..., "worker": ...,
"dependencies": [...]}}, ...], "final_instruction": ...}}"""


async def make_plan(request, workers, *, client):
    people = "\n".join(
        f"{w.name} | {w.description} | {', '.join(t.name for t in w.tools)}" for w in workers
    )
    talk = [
        {"role": "system", "content": PLAN.format(people=people)},
        {"role": "user", "content": request},
    ]
    for _ in range(3):
        answer = await complete(client, {"model": SMALL, "messages": talk})
        talk.append(answer.message)
        wrong = []
        plan = read_plan(answer.message["content"] or "", workers, wrong)
        if not wrong:
            return plan
        talk.append(
            {"role": "user", "content": f"Wrong: {'; '.join(wrong)}. The whole plan again."}
        )
    raise ValueError("; ".join(wrong))


def read_plan(text, workers, wrong):
    with contextlib.suppress(ValueError):
        plan = json.loads(text)
        tasks = plan.get("tasks") if isinstance(plan, dict) else None
        if tasks and all(isinstance(task, dict) for task in tasks):
            check_tasks(tasks, {w.name for w in workers}, wrong)
            return plan
    wrong.append("the answer is no JSON object with tasks")
    return None


def check_tasks(tasks, names, wrong):
    order, ids = [], [str(task.get("id")) for task in tasks]
    if len(set(ids)) < len(ids):
        wrong.append(f"ids are there twice: {ids}")
    for task in tasks:
        if task.get("worker") not in names:
            wrong.append(
                f"{task.get('id')} goes to {task.get('worker')}, who is not one of {names}"
            )
        if len(str(task.get("description", "")).split()) < 3:
            wrong.append(f"{task.get('id')} is too vague")
        if strange := set(task.get("dependencies", ())) - set(ids):
            wrong.append(f"{task.get('id')} needs {strange}, which is nobody's id")
    while len(order) < len(ids):
        free = [
            t["id"] for t in tasks
            if t["id"] not in order and set(t.get("dependencies", ())) & set(ids) <= set(order)
        ]  # fmt: skip
        if not free:
            wrong.append(f"{sorted(set(ids) - set(order))} wait for each other in a circle")
            return
        order += free


async def execute(request, plan, workers, *, client):
    chief = Chief(request, plan, {w.name: w for w in workers}, client)
    trace = Trace("a launch", seed=1)
    with trace.record(), span("invoke_agent", "chief"):
        with span("plan", "given") as step:
            step.set("switchboard.plan", json.dumps(plan))
        begin = clock.now()
        await chief.all_tasks()
        took = clock.now() - begin
        with span("aggregate", "chief"):
            answer = await chief.answer()
    return {
        "answer": answer,
        "tasks": chief.over,
        "seconds": took,
        "sequential_seconds": sum(chief.seconds.values()),
        "trace": trace.to_json(),
    }


class Chief:
    def __init__(self, request, plan, people, client):
        self.request, self.people, self.client = request, people, client
        self.hint = plan.get("final_instruction", "")
        self.todo = {task["id"]: task for task in plan["tasks"]}
        self.under_way, self.over, self.seconds = {}, {}, {}

    async def all_tasks(self):
        """Begin what can begin, wait for the first that ends, and again."""
        try:
            while self.todo or self.under_way:
                for id in [i for i, t in self.todo.items() if self.can_begin(t)]:
                    work = asyncio.create_task(self.carry(self.todo.pop(id)), name=id)
                    self.under_way[id] = work
                ended, _ = await asyncio.wait(
                    self.under_way.values(), return_when=asyncio.FIRST_COMPLETED
                )
                for each in ended:
                    del self.under_way[each.get_name()]
                    self.over[each.get_name()] = each.result()
        finally:
            for each in self.under_way.values():
                each.cancel()

    def can_begin(self, task):
        return all(need in self.over for need in task.get("dependencies", ()))

    async def carry(self, task):
        needs = {need: self.over[need] for need in task.get("dependencies", ())}
        if needs and all(each["status"] != "done" for each in needs.values()):
            reason = f"nothing to build on: {', '.join(needs)} failed"
            return {"status": "skipped", "result": "", "error": reason, "attempts": 0}
        state = {"status": "failed", "result": "", "error": "", "attempts": 0}
        begin, words = clock.now(), task["description"]
        with span("dispatch", task["id"]) as step:
            while state["attempts"] < 3:
                if state["error"]:
                    words = await self.reworded(words, state["error"])
                state["attempts"] += 1
                result, error = await self.one_try(task, words, needs, state["error"])
                step.event("attempt", {"worker": task["worker"], "words": words, "error": error})
                if not error:
                    state |= {"status": "done", "result": result, "error": ""}
                    break
                state["error"] = error
            if state["status"] == "failed":
                step.fail(state["error"])
        self.seconds[task["id"]] = clock.now() - begin
        return state

    async def one_try(self, task, words, needs, error):
        person = self.people[task["worker"]]
        parts = [f"Task: {words}"] + ([f"The error before: {error}"] if error else [])
        for id, each in needs.items():
            parts.append(f"{id}: {each['result'] or 'FAILED, go on without it'}")
        who = Agent(
            name=person.name,
            instructions=f"{person.instructions}\nStart with CANNOT: if it cannot be done.",
            tools=tuple(person.tools),
        )
        try:
            said = await asyncio.wait_for(run(who, "\n".join(parts), client=self.client), 60)
        except TimeoutError:
            return "", "nothing came within 60 s"
        except ModelError as broken:
            return "", str(broken)
        results = [m["content"] for m in said.context.messages if m["role"] == "tool"]
        broken = [text for text in results if text.startswith('{"error":')]
        if said.answer.upper().startswith("CANNOT"):
            return "", said.answer.split(":", 1)[-1].strip()
        if broken and broken == results:
            return "", broken[-1]
        return said.answer, "" if said.answer else "an empty answer"

    async def reworded(self, words, error):
        told = f"The task was: {words}\nThe error was: {error}\nWrite the task anew, and only that."
        talk = [{"role": "user", "content": told}]
        with span("refine", "chief"), contextlib.suppress(ModelError):
            answer = await complete(self.client, {"model": SMALL, "messages": talk})
            if (new := (answer.message["content"] or "").strip()) and new != words:
                return new
        return f"{words} (but mind: {error})"

    async def answer(self):
        lost = {i: each["error"] for i, each in self.over.items() if each["status"] != "done"}
        parts = [f"Question: {self.request}", self.hint]
        for id, each in self.over.items():
            parts.append(f"{id}: {each['result'] or 'no result, ' + each['error']}")
        told = "Make one text of what was found. Do not hide gaps or contradictions."
        talk = [
            {"role": "system", "content": told},
            {"role": "user", "content": "\n".join(parts)},
        ]
        said = ""
        if len(lost) < len(self.over):
            try:
                answer = await complete(self.client, {"model": SMALL, "messages": talk})
                said = answer.message["content"] or ""
            except ModelError:
                said = "What was found, as it is:\n" + "\n".join(parts[2:])
        for id, error in lost.items():
            if id not in said or error not in said:
                said += f"\nThere is no result of {id}: {error}."
        return said
