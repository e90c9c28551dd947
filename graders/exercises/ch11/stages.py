"""What plays a project: its workers are introduced, a plan is made or handed over, carried out.

These texts run beside the student's code. They hold no secret, and nothing they report is trusted
that could be seen at the boundary.
"""

_COMMON = """
import json

from course.supervisor import Worker


def field(each, name):
    return each.get(name) if isinstance(each, dict) else getattr(each, name, None)


def described(each):
    own = {getattr(t, "name", str(t)): t for t in field(each, "tools") or ()}
    about = {name: str(getattr(tool, "description", "")) for name, tool in own.items()}
    said = {name: str(field(each, name) or "") for name in ("name", "description", "instructions")}
    return {**said, "tools": list(own), "about": about}


async def stage(bench, student):
    return {} if bench.params["nowhere"] else await played(bench, student)


async def introduced(bench, student):
    [roster, *tools] = bench.tools
    named = {tool.name: tool for tool in tools}
    given = bench.params["workers"]
    if given is None:
        workers = list(student.my_workers(named))
    else:
        workers = [
            Worker(**{**each, "tools": tuple(named[name] for name in each["tools"])})
            for each in given
        ]
    said = [described(each) for each in workers]
    await roster.function(workers={each["name"]: each["tools"] for each in said})
    return workers, said


def is_json(plan):
    try:
        return isinstance(plan, dict) and json.dumps(plan) != ""
    except (TypeError, ValueError, RecursionError):
        return False


async def agreed(bench, plan):
    text = json.dumps(plan)
    await bench.tools[0].function(plan=json.loads(text))
    return json.loads(text)


def edited(plan, edit):
    if not edit:
        return plan
    tasks = [dict(task) for task in plan["tasks"]]
    before = [task["id"] for task in tasks if edit["after"] in task["description"]]
    gone = [task["id"] for task in tasks if edit["drop"] in task["description"]]
    for task in tasks:
        task["dependencies"] = [each for each in task["dependencies"] if each not in gone]
        if edit["later"] in task["description"]:
            task["dependencies"] += [each for each in before if each not in task["dependencies"]]
    kept = [task for task in tasks if task["id"] not in gone]
    return {**plan, "tasks": [*kept, {**edit["add"], "dependencies": before}]}


async def carried_out(bench, student, plan, workers):
    outcome = await student.execute(
        bench.params["request"], plan, workers, client=bench.client
    )
    if not isinstance(outcome, dict):
        return outcome
    trace = outcome.get("trace")
    if trace is not None:
        told = isinstance(trace, (str, dict)) or hasattr(trace, "to_json")
        bench.export(trace if told else {"trace": type(trace).__name__})
    return {name: value for name, value in outcome.items() if name != "trace"}
"""

WORKERS = (
    _COMMON
    + """

async def played(bench, student):
    workers, said = await introduced(bench, student)
    return {"workers": said}
"""
)
"""Who works in the chosen domain."""

PLAN = (
    _COMMON
    + """

async def played(bench, student):
    workers, said = await introduced(bench, student)
    plan = await student.make_plan(bench.params["request"], workers, client=bench.client)
    return {"workers": said, "plan": plan}
"""
)
"""A plan, and nothing else."""

PLAN_OR_ERROR = (
    _COMMON
    + """

async def played(bench, student):
    workers, said = await introduced(bench, student)
    try:
        plan = await student.make_plan(bench.params["request"], workers, client=bench.client)
    except NotImplementedError:
        raise
    except Exception as error:
        return {"workers": said, "raised": f"{type(error).__name__}: {error}"}
    return {"workers": said, "plan": plan}
"""
)
"""A plan, or the error with which it was given up."""

WHOLE = (
    _COMMON
    + """

async def played(bench, student):
    workers, said = await introduced(bench, student)
    plan = await student.make_plan(bench.params["request"], workers, client=bench.client)
    if not is_json(plan):
        return {"workers": said, "plan": plan}
    plan = await agreed(bench, edited(plan, bench.params["edit"]))
    outcome = await carried_out(bench, student, plan, workers)
    return {"workers": said, "outcome": outcome}
"""
)
"""From the request to the answer, the plan perhaps changed by a person in between."""

EXECUTE = (
    _COMMON
    + """

async def played(bench, student):
    workers, said = await introduced(bench, student)
    outcome = await carried_out(bench, student, bench.params["plan"], workers)
    return {"workers": said, "outcome": outcome}
"""
)
"""A plan that a person has written, carried out."""
