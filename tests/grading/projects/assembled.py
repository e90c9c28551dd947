"""A project put together from parts of the package, with a supervisor of its own."""

from __future__ import annotations

import json

import course
from course import agent, clock
from course.errors import ModelError
from course.models.time_limit import time_limit
from course.results import Attempt, Failure, TaskResult, evidence_in
from course.supervisor import Worker
from course.supervisor_worker import Plan, Registry, aggregate, refine, schedule
from course.supervisor_worker import make_plan as plan_with
from course.supervisor_worker.aggregate import Material
from course.supervisor_worker.task_run import briefing, shortfall, words_for
from course.trace import Trace, span

DOMAIN = "curriculum"


def my_workers(tools):
    def with_tools(*names):
        return tuple(tools[name] for name in names)

    return (
        Worker(
            name="planner",
            description="prerequisites, earliest semesters and plans of study",
            instructions="You say in which order courses can be taken, in the edition of a year.",
            tools=with_tools("list_prerequisites", "find_earliest_semester", "check_plan"),
        ),
        Worker(
            name="counter",
            description="hours of courses and teachers' loads",
            instructions="You count hours of work and of teaching.",
            tools=with_tools("count_course_hours", "count_teacher_load", "calculate"),
        ),
        Worker(
            name="registrar",
            description="examination results, pass rates and the database",
            instructions="You look up examinations and courses in the college's database.",
            tools=with_tools(
                "get_pass_rate", "compare_pass_rates", "describe_tables", "query_database"
            ),
        ),
        Worker(
            name="archivist",
            description="course descriptions, rules, minutes and evaluations",
            instructions="You find out what was written and decided, and cite the ids.",
            tools=with_tools("search_documents", "read_document"),
        ),
    )


async def make_plan(request, workers, *, client):
    plan = await plan_with(request, Registry(tuple(workers)), client=client, agent="dean planning")
    return json.loads(plan.to_json())


async def execute(request, plan, workers, *, client):
    plan = Plan.model_validate(plan)
    named = Registry(tuple(workers)).named
    trace, begin = Trace(plan.goal), clock.now()

    async def work(task, given):
        missing = {id: str(each.failure) for id, each in given.items() if not each.done}
        there = {id: each for id, each in given.items() if each.done}
        words, tries, start, result = task.description, [], clock.now(), None
        with span("dispatch", task.id, {"switchboard.task.worker": task.worker}) as step:
            for number in range(3):
                worker, error = named[task.worker], tries[-1].failure.error if tries else ""
                if tries:
                    words = await refine(words, tries[-1].failure, worker, client=client)
                told = words_for(words, there, error=error, missing=missing)
                result, failure = await one_try(worker, told, f"{task.id}/{number}", client)
                tries.append(Attempt(worker.name, words, failure))
                if failure is None:
                    break
            step.set("switchboard.task.attempts", len(tries))
            if failure:
                step.fail(failure.error, kind=failure.kind)
        return TaskResult(
            task_id=task.id,
            worker=task.worker,
            status="failed" if failure else "done",
            result=result,
            failure=failure,
            attempts=tuple(tries),
            seconds=clock.now() - start,
        )

    with trace.record(), span("invoke_agent", "dean"):
        results = await schedule(plan, work)
        seconds = clock.now() - begin
        made = await aggregate(Material.of(request, plan, results), client=client)
    return {
        "answer": made.answer,
        "tasks": {id: told_of(each) for id, each in results.items()},
        "seconds": seconds,
        "sequential_seconds": sum(each.seconds for each in results.values()),
        "trace": trace.to_json(),
    }


async def one_try(worker, told, name, client):
    one = agent.Agent(
        name=worker.name, instructions=briefing(worker.instructions), tools=worker.tools
    )
    try:
        async with time_limit(120):
            run = await course.run(one, told, client=client, run_id=name)
    except (ModelError, TimeoutError) as error:
        return "", Failure("worker", str(error) or "no result within 120 s")
    lack = shortfall(run, evidence_in(run.context))
    return run.answer, Failure("worker", *lack) if lack else None


def told_of(result):
    return {
        "status": result.status,
        "result": result.result if result.done else "",
        "error": result.failure.error if result.failure else "",
        "attempts": len(result.attempts),
    }
