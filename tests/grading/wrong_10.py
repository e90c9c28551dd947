"""Answers to the exercises of chapter 10: wrong ones a student may well write, and right ones.

Each entry is (name, source of the solution cell). Every wrong one must lose exactly its exercise;
`RIGHT` are answers in other styles than the solution's, and every one must pass.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from course.supervisor_worker.door import serve
from course.supervisor_worker.factory import shared_names, staff


def _changed(definition: Callable[..., Any] | str, *changes: tuple[str, str]) -> str:
    """A right definition with something changed, each time at exactly one place."""
    source = definition if isinstance(definition, str) else inspect.getsource(definition)
    for old, new in changes:
        if source.count(old) != 1:
            raise ValueError(f"the definition holds {source.count(old)} times: {old}")
        source = source.replace(old, new)
    return source


_TEAM = """\
async def do_as_team(team, task, *, client, calls=None, seconds=None):
    counts = [each for each in (team.max_calls, calls) if each is not None]
    times = [each for each in (team.timeouts.plan, seconds) if each is not None]
    bounded = replace(
        team,
        max_calls=min(counts, default=None),
        timeouts=replace(team.timeouts, plan=min(times, default=None)),
    )
    told = TaskResult(task_id=task.id, worker=team.name)
    failure = None
    try:
        result = await run(bounded, task.description, client=client)
        evidence = tuple(each for some in result.sources.values() for each in some)
        told = replace(told, result=result.answer, evidence=evidence, usage=result.usage)
        if not any(each.done for each in result.results.values()):
            failure = Failure("worker", "nothing of it was done")
    except PlanError as error:
        failure = Failure("decomposition", str(error))
    except BudgetExceeded as error:
        failure = Failure("worker", str(error), "limit")
    except ModelError as error:
        failure = Failure("worker", str(error), "model")
    return replace(told, status="failed" if failure else "done", failure=failure)
"""

_CARRY = """\
async def carry_on(plan, work, *, store, run):
    store.begin(run, plan.goal)
    kept = store.plan(run)
    if kept is None:
        store.save_plan(run, plan)
    done = store.results(run)
    return await schedule(
        kept or plan, work, done=done, on_result=lambda id, result: store.save_result(run, result)
    )
"""

WRONG = {
    "10.1": [
        (
            "lets the team use what it likes",
            _changed(_TEAM, ("await run(bounded,", "await run(team,")),
        ),
        (
            "takes what is left instead of the smaller number",
            _changed(_TEAM, ("max_calls=min(counts, default=None)", "max_calls=calls")),
        ),
        (
            "takes no calls left for no limit",
            _changed(
                _TEAM,
                ("(team.max_calls, calls) if each is not None", "(team.max_calls, calls) if each"),
            ),
        ),
        (
            "forgets the time that is left",
            _changed(
                _TEAM,
                (
                    "(team.timeouts.plan, seconds) if each is not None",
                    "(team.timeouts.plan,) if each is not None",
                ),
            ),
        ),
        (
            "gives the outer time to the team whatever its own is",
            _changed(_TEAM, ("plan=min(times, default=None)", "plan=seconds")),
        ),
        (
            "takes every answer for a result",
            _changed(_TEAM, ("if not any(each.done for", "if not all(True for")),
        ),
        (
            "takes a gap for a failure",
            _changed(_TEAM, ("if not any(each.done for", "if not all(each.done for")),
        ),
        (
            "calls a missing plan a worker's failure",
            _changed(
                _TEAM, ('Failure("decomposition", str(error))', 'Failure("worker", str(error))')
            ),
        ),
        (
            "catches the larger kind of error first",
            _changed(
                _TEAM,
                ("except BudgetExceeded as error:", "except ModelError as error :"),
                (
                    'Failure("worker", str(error), "limit")',
                    'Failure("worker", str(error), "model")',
                ),
            ),
        ),
        (
            "lets a model that is gone end everything",
            _changed(
                _TEAM,
                (
                    "    except ModelError as error:\n"
                    '        failure = Failure("worker", str(error), "model")\n',
                    "",
                ),
            ),
        ),
        (
            "keeps the tool calls to itself",
            _changed(_TEAM, ("evidence=evidence, ", "")),
        ),
        (
            "forgets what it cost",
            _changed(_TEAM, (", usage=result.usage", "")),
        ),
        (
            "signs with somebody else's name",
            _changed(_TEAM, ("worker=team.name", "worker=task.worker")),
        ),
        (
            "hands the id in instead of the task",
            _changed(_TEAM, ("task.description", "task.id")),
        ),
    ],
    "10.2": [
        (
            "leaves everybody alone",
            "def shared_names(plan):\n"
            "    return {task.worker: task.worker for task in plan.tasks}\n",
        ),
        (
            "goes one step only",
            "def shared_names(plan):\n"
            "    owner, names = {}, {}\n"
            "    for task in plan.tasks:\n"
            "        names.setdefault(task.worker, task.worker)\n"
            "        for tool in task.tools:\n"
            "            names[task.worker] = owner.setdefault(tool, names[task.worker])\n"
            "    return names\n",
        ),
        (
            "renames the one role and not its whole group",
            _changed(
                shared_names,
                ("kept if name == dropped else name for", "kept if role == dropped else name for"),
            ),
        ),
        (
            "keeps the name that comes last",
            _changed(shared_names, ("key=order.index)", "key=order.index, reverse=True)")),
        ),
        (
            "keeps the name that is first in the alphabet",
            _changed(shared_names, ("sorted(pair, key=order.index)", "sorted(pair)")),
        ),
        (
            "forgets roles without tools",
            _changed(
                shared_names,
                (
                    "dict.fromkeys(task.worker for task in plan.tasks)",
                    "dict.fromkeys(task.worker for task in plan.tasks if task.tools)",
                ),
            ),
        ),
        (
            "looks at the first tool of each task",
            _changed(shared_names, ("for tool in task.tools:", "for tool in task.tools[:1]:")),
        ),
        (
            "makes everybody one as soon as two share",
            "def shared_names(plan):\n"
            "    tools = [(t.worker, tool) for t in plan.tasks for tool in t.tools]\n"
            "    shared = {a for a, x in tools for b, y in tools if x == y and a != b}\n"
            "    first = next((t.worker for t in plan.tasks if t.worker in shared), None)\n"
            "    roles = [t.worker for t in plan.tasks]\n"
            "    return {role: first if role in shared else role for role in roles}\n",
        ),
        (
            "gives the groups back instead of names",
            "def shared_names(plan):\n"
            "    return {t.worker: [o.worker for o in plan.tasks if {*o.tools} & {*t.tools}]\n"
            "            for t in plan.tasks}\n",
        ),
    ],
    "10.3": [
        (
            "makes a worker for each role",
            _changed(
                staff,
                ("names = shared_names(plan)", "names = {t.worker: t.worker for t in plan.tasks}"),
            ),
        ),
        (
            "leaves the old names in the plan",
            _changed(staff, ("return Staff(placed,", "return Staff(plan,")),
        ),
        (
            "makes the workers out of the old plan",
            _changed(staff, ("make_worker(name, placed,", "make_worker(name, plan,")),
        ),
        (
            "names the first tool that is missing",
            _changed(staff, ('"; ".join(missing)', "(missing[0] if missing else '')")),
        ),
        (
            "does not say which tools there are",
            _changed(staff, ("; tools: {', '.join(known)}", "")),
        ),
        (
            "leaves out tools that do not exist",
            _changed(
                staff,
                ("if missing or not plan.tasks:", "if not plan.tasks:"),
                (
                    "names = shared_names(plan)",
                    "tools = {t.id: tuple(n for n in t.tools if n in known) for t in plan.tasks}\n"
                    "    plan = plan.model_copy(update={'tasks': tuple(\n"
                    "        t.model_copy(update={'tools': tools[t.id]}) for t in plan.tasks)})\n"
                    "    names = shared_names(plan)",
                ),
            ),
        ),
        (
            "ends in Python's own words",
            _changed(staff, ("if missing or not plan.tasks:", "if not plan.tasks:")),
        ),
        (
            "makes a staff of nobody",
            _changed(staff, ("if missing or not plan.tasks:", "if missing:")),
        ),
        (
            "forgets which model is wanted",
            _changed(staff, ("placed, known, model)", "placed, known, SMALL)")),
        ),
        (
            "gives every tool to everybody's first",
            "def staff(plan, tools, *, model=SMALL):\n"
            "    known = by_name(tools)\n"
            "    missing = [(t.id, n) for t in plan.tasks for n in t.tools if n not in known]\n"
            "    if missing or not plan.tasks:\n"
            "        raise PlanError(f'{missing}: there are {list(known)}')\n"
            "    names = shared_names(plan)\n"
            "    tasks = tuple(\n"
            "        t.model_copy(update={'worker': names[t.worker]}) for t in plan.tasks)\n"
            "    placed = plan.model_copy(update={'tasks': tasks})\n"
            "    first, *others = [make_worker(n, placed, known, model)\n"
            "                      for n in dict.fromkeys(names.values())]\n"
            "    spare = tuple(known[n] for n in known if not any(n in t.tools for t in tasks))\n"
            "    first = type(first)(name=first.name, description=first.description, model=model,\n"
            "                        instructions=first.instructions, tools=first.tools + spare)\n"
            "    return Staff(placed, Registry((first, *others)))\n",
        ),
    ],
    "10.4": [
        (
            "asks them in the order of the list",
            _changed(serve, ("in sorted(desks, key=lambda each: each.under_way):", "in desks:")),
        ),
        (
            "asks the busiest first",
            _changed(serve, ("each.under_way):", "-each.under_way):")),
        ),
        (
            "asks the one that served least",
            _changed(serve, ("key=lambda each: each.under_way)", "key=lambda each: each.served)")),
        ),
        (
            "does not ask the breaker",
            _changed(serve, ("probe = desk.breaker.admit()", "probe = False")),
        ),
        (
            "never tells the breaker",
            _changed(serve, ("            desk.breaker.settle(worked, probe=probe)\n", "")),
        ),
        (
            "forgets that it was a try",
            _changed(serve, ("settle(worked, probe=probe)", "settle(worked)")),
        ),
        (
            "counts down only when it went well",
            _changed(
                serve,
                ("            desk.under_way -= 1\n", ""),
                (
                    "                desk.served += 1\n",
                    "                desk.served += 1\n                desk.under_way -= 1\n",
                ),
            ),
        ),
        (
            "takes an answer of nobody for an answer",
            _changed(serve, ("worked = not helpless(result)", "worked = True")),
        ),
        (
            "gives up with the first one that fails",
            _changed(
                serve,
                (
                    '            reasons.append(f"{desk.boss.name}: {error}")\n',
                    "            raise\n",
                ),
            ),
        ),
        (
            "blames the desk for everything",
            _changed(serve, ("worked: bool | None = None", "worked: bool | None = False")),
        ),
        (
            "tries the next one whatever is wrong",
            _changed(serve, ("except ModelError as error:", "except Exception as error:")),
        ),
        (
            "leaves out those that were not let in",
            _changed(serve, ('            reasons.append(f"{desk.boss.name}: {refusal}")\n', "")),
        ),
        (
            "says that it is a pity",
            _changed(serve, ("({'; '.join(reasons)})", "just now")),
        ),
        (
            "never counts what is under way",
            _changed(serve, ("desk.under_way += 1", "pass"), ("desk.under_way -= 1", "pass")),
        ),
        (
            "takes a task that cannot be done for a desk that is gone",
            _changed(
                serve,
                ("not helpless(result)", "any(each.done for each in result.results.values())"),
            ),
        ),
    ],
    "10.5": [
        (
            "saves everything at the end",
            "async def carry_on(plan, work, *, store, run):\n"
            "    store.begin(run, plan.goal)\n"
            "    kept = store.plan(run)\n"
            "    if kept is None:\n"
            "        store.save_plan(run, plan)\n"
            "    results = await schedule(kept or plan, work, done=store.results(run))\n"
            "    for result in results.values():\n"
            "        store.save_result(run, result)\n"
            "    return results\n",
        ),
        (
            "tidies up when it is stopped",
            "async def carry_on(plan, work, *, store, run):\n"
            "    store.begin(run, plan.goal)\n"
            "    plan, results = store.plan(run) or plan, store.results(run)\n"
            "    try:\n"
            "        return await schedule(plan, work, done=results,\n"
            "                              on_result=results.__setitem__)\n"
            "    finally:\n"
            "        store.save_plan(run, plan)\n"
            "        for result in results.values():\n"
            "            store.save_result(run, result)\n",
        ),
        (
            "writes and never reads",
            _changed(_CARRY, ("done = store.results(run)", "done = {}")),
        ),
        (
            "leaves out what was done instead of handing it on",
            "async def carry_on(plan, work, *, store, run):\n"
            "    store.begin(run, plan.goal)\n"
            "    plan = store.plan(run) or plan\n"
            "    store.save_plan(run, plan)\n"
            "    done = store.results(run)\n"
            "    rest = [t.model_copy(update={'dependencies': tuple(\n"
            "        n for n in t.dependencies if n not in done)})\n"
            "        for t in plan.tasks if t.id not in done]\n"
            "    new = await schedule(\n"
            "        plan.model_copy(update={'tasks': tuple(rest)}), work,\n"
            "        on_result=lambda id, result: store.save_result(run, result))\n"
            "    return {t.id: {**done, **new}[t.id] for t in plan.tasks}\n",
        ),
        (
            "gives back what this process did",
            "async def carry_on(plan, work, *, store, run):\n"
            "    store.begin(run, plan.goal)\n"
            "    plan = store.plan(run) or plan\n"
            "    store.save_plan(run, plan)\n"
            "    done, new = store.results(run), {}\n\n"
            "    def came(id, result):\n"
            "        new[id] = result\n"
            "        store.save_result(run, result)\n\n"
            "    await schedule(plan, work, done=done, on_result=came)\n"
            "    return new\n",
        ),
        (
            "does failed tasks again",
            _changed(
                _CARRY,
                (
                    "done = store.results(run)",
                    "done = {id: r for id, r in store.results(run).items() if r.done}",
                ),
            ),
        ),
        (
            "keeps only what went well",
            _changed(
                _CARRY,
                (
                    "store.save_result(run, result)",
                    "result.done and store.save_result(run, result)",
                ),
            ),
        ),
        (
            "takes the new plan",
            _changed(_CARRY, ("kept or plan, work", "plan, work")),
        ),
        (
            "never writes the plan down",
            _changed(_CARRY, ("store.save_plan(run, plan)", "pass")),
        ),
        (
            "writes the new plan over the old one",
            _changed(
                _CARRY,
                ("    kept = store.plan(run)\n    if kept is None:\n        store", "    store"),
                ("kept or plan, work", "plan, work"),
            ),
        ),
        (
            "keeps all runs under one name",
            "async def carry_on(plan, work, *, store, run):\n"
            "    store.begin('run', plan.goal)\n"
            "    kept = store.plan('run') or plan\n"
            "    store.save_plan('run', kept)\n"
            "    return await schedule(\n"
            "        kept, work, done=store.results('run'),\n"
            "        on_result=lambda id, result: store.save_result('run', result))\n",
        ),
        (
            "calls a task done as soon as it begins",
            "async def carry_on(plan, work, *, store, run):\n"
            "    store.begin(run, plan.goal)\n"
            "    plan = store.plan(run) or plan\n"
            "    store.save_plan(run, plan)\n\n"
            "    async def noted(task, given):\n"
            "        store.save_result(run, TaskResult(task_id=task.id, worker=task.worker))\n"
            "        result = await work(task, given)\n"
            "        store.save_result(run, result)\n"
            "        return result\n\n"
            "    return await schedule(plan, noted, done=store.results(run))\n",
        ),
    ],
}

RIGHT = {
    "10.1": [
        (
            "errors in a table",
            "import asyncio\n\n\n"
            "async def do_as_team(team, task, *, client, calls=None, seconds=None):\n"
            "    def least(one, other):\n"
            "        return one if other is None else other if one is None else min(one, other)\n\n"
            "    own = replace(team, max_calls=least(team.max_calls, calls),\n"
            "                  timeouts=replace(team.timeouts,\n"
            "                                   plan=least(team.timeouts.plan, seconds)))\n"
            "    kinds = [(PlanError, 'decomposition', 'task'),\n"
            "             (BudgetExceeded, 'worker', 'limit'),\n"
            "             (ModelError, 'worker', 'model')]\n"
            "    try:\n"
            "        made = await run(own, task.description, client=client)\n"
            "    except tuple(kind for kind, *_ in kinds) as error:\n"
            "        kind, cause = next((k, c) for t, k, c in kinds if isinstance(error, t))\n"
            "        return TaskResult(task_id=task.id, worker=team.name, status='failed',\n"
            "                          failure=Failure(kind, str(error), cause))\n"
            "    calls = [e for r in made.results.values() if r.done for e in r.evidence\n"
            "             if not e.failed]\n"
            "    if not made.sources:\n"
            "        return TaskResult(task_id=task.id, worker=team.name, status='failed',\n"
            "                          failure=Failure('worker', 'no task of it has a result'))\n"
            "    return TaskResult(task_id=task.id, worker=team.name, result=made.answer,\n"
            "                      evidence=tuple(calls), usage=made.usage)\n",
        ),
        (
            "the time around the run as well, and a match",
            "async def do_as_team(team, task, *, client, calls=None, seconds=None):\n"
            "    infinite = float('inf')\n"
            "    may = min(infinite if team.max_calls is None else team.max_calls,\n"
            "              infinite if calls is None else calls)\n"
            "    time = min(infinite if team.timeouts.plan is None else team.timeouts.plan,\n"
            "               infinite if seconds is None else seconds)\n"
            "    bounded = replace(\n"
            "        team, max_calls=None if may == infinite else may,\n"
            "        timeouts=replace(team.timeouts, plan=None if time == infinite else time))\n"
            "    fields = dict(task_id=task.id, worker=team.name)\n"
            "    try:\n"
            "        result = await run(bounded, task.description, client=client)\n"
            "    except Exception as error:\n"
            "        match error:\n"
            "            case PlanError():\n"
            "                failure = Failure('decomposition', str(error))\n"
            "            case BudgetExceeded():\n"
            "                failure = Failure('worker', str(error), 'limit')\n"
            "            case ModelError():\n"
            "                failure = Failure('worker', str(error), 'model')\n"
            "            case _:\n"
            "                raise\n"
            "        return TaskResult(**fields, status='failed', failure=failure)\n"
            "    done = [r for r in result.results.values() if r.status == 'done']\n"
            "    fields |= dict(result=result.answer, usage=result.usage)\n"
            "    if not done:\n"
            "        why = Failure('worker', '; '.join(map(str, result.failures.values())))\n"
            "        return TaskResult(**fields, status='failed', failure=why)\n"
            "    return TaskResult(**fields, evidence=sum(result.sources.values(), ()))\n",
        ),
        (
            "with the package's own run in a trace",
            "from course.trace import Trace\n\n\n"
            "async def do_as_team(team, task, *, client, calls=None, seconds=None):\n"
            "    limits = {}\n"
            "    if calls is not None and (team.max_calls is None or calls < team.max_calls):\n"
            "        limits['max_calls'] = calls\n"
            "    if seconds is not None:\n"
            "        own = team.timeouts.plan\n"
            "        time = seconds if own is None else min(own, seconds)\n"
            "        limits['timeouts'] = replace(team.timeouts, plan=time)\n"
            "    failure, result = None, None\n"
            "    try:\n"
            "        result = await run(replace(team, **limits), task.description, client=client,\n"
            "                           trace=Trace(task.id), run_id=task.id)\n"
            "    except BudgetExceeded as error:\n"
            "        failure = Failure('worker', str(error), 'limit')\n"
            "    except (PlanError, ModelError) as error:\n"
            "        failure = (Failure('decomposition', str(error))\n"
            "                   if isinstance(error, PlanError)\n"
            "                   else Failure('worker', str(error), cause='model'))\n"
            "    else:\n"
            "        if all(each.failure for each in result.results.values()):\n"
            "            failure = Failure(kind='worker', error=result.answer, cause='task')\n"
            "    if failure:\n"
            "        return TaskResult(task_id=task.id, worker=team.name, status='failed',\n"
            "                          failure=failure)\n"
            "    seen = [call for calls in result.sources.values() for call in calls]\n"
            "    return TaskResult(task_id=task.id, worker=team.name, result=result.answer,\n"
            "                      evidence=tuple(seen), usage=result.usage)\n",
        ),
    ],
    "10.2": [
        (
            "as a graph that is walked through",
            "def shared_names(plan):\n"
            "    needs = {}\n"
            "    for task in plan.tasks:\n"
            "        needs.setdefault(task.worker, set()).update(task.tools)\n"
            "    names = {}\n"
            "    for first in needs:\n"
            "        todo = [first]\n"
            "        while todo:\n"
            "            role = todo.pop()\n"
            "            if role not in names:\n"
            "                names[role] = first\n"
            "                todo += [o for o in needs if needs[o] & needs[role]]\n"
            "    return names\n",
        ),
        (
            "with parents, as union and find",
            "def shared_names(plan):\n"
            "    order = list(dict.fromkeys(t.worker for t in plan.tasks))\n"
            "    parent = {role: role for role in order}\n\n"
            "    def find(role):\n"
            "        while parent[role] != role:\n"
            "            role = parent[role]\n"
            "        return role\n\n"
            "    holders = {}\n"
            "    for task in plan.tasks:\n"
            "        for tool in task.tools:\n"
            "            a, b = find(task.worker), find(holders.setdefault(tool, task.worker))\n"
            "            if order.index(a) < order.index(b):\n"
            "                parent[b] = a\n"
            "            else:\n"
            "                parent[a] = b\n"
            "    return {role: find(role) for role in order}\n",
        ),
        (
            "until nothing changes any more",
            "def shared_names(plan):\n"
            "    roles = [*dict.fromkeys(t.worker for t in plan.tasks)]\n"
            "    groups = [([r], {x for t in plan.tasks if t.worker == r for x in t.tools})\n"
            "              for r in roles]\n"
            "    changed = True\n"
            "    while changed:\n"
            "        changed = False\n"
            "        for i, (one, tools) in enumerate(groups):\n"
            "            for j in range(len(groups) - 1, i, -1):\n"
            "                if tools & groups[j][1]:\n"
            "                    one += groups[j][0]\n"
            "                    tools |= groups.pop(j)[1]\n"
            "                    changed = True\n"
            "    return {r: min(one, key=roles.index) for one, _ in groups for r in one}\n",
        ),
    ],
    "10.3": [
        (
            "with loops",
            "def staff(plan, tools, *, model=SMALL):\n"
            "    there = {tool.name: tool for tool in tools}\n"
            "    if len(plan.tasks) == 0:\n"
            "        raise PlanError('there is nothing to do', plan=plan)\n"
            "    faults = []\n"
            "    for task in plan.tasks:\n"
            "        for name in task.tools:\n"
            "            if name not in there:\n"
            "                faults.append(f'task {task.id} needs {name}')\n"
            "    if faults:\n"
            "        said = ', '.join(faults) + '. Known: ' + ' '.join(there)\n"
            "        raise PlanError(said, plan=plan)\n"
            "    names, tasks, made = shared_names(plan), [], {}\n"
            "    for task in plan.tasks:\n"
            "        tasks.append(task.model_copy(update={'worker': names[task.worker]}))\n"
            "    plan = plan.model_copy(update={'tasks': tuple(tasks)})\n"
            "    for task in plan.tasks:\n"
            "        if task.worker not in made:\n"
            "            made[task.worker] = make_worker(task.worker, plan, there, model)\n"
            "    return Staff(plan=plan, registry=Registry(tuple(made.values())))\n",
        ),
        (
            "with a plan made anew",
            "def staff(plan, tools, *, model=SMALL):\n"
            "    tools = by_name(tools)\n"
            "    lacking = {(t.id, n) for t in plan.tasks for n in t.tools} - {\n"
            "        (t.id, n) for t in plan.tasks for n in tools}\n"
            "    if lacking or not plan.tasks:\n"
            "        raise PlanError(f'no such tools: {sorted(lacking)}; there are {[*tools]}')\n"
            "    names = shared_names(plan)\n"
            "    end = plan.final_instruction\n"
            "    new = Plan(goal=plan.goal, final_instruction=end, tasks=tuple(\n"
            "        Task(id=t.id, description=t.description, worker=names[t.worker],\n"
            "             dependencies=t.dependencies, tools=t.tools) for t in plan.tasks))\n"
            "    who = sorted(set(names.values()))\n"
            "    made = tuple(make_worker(w, new, tools, model) for w in who)\n"
            "    return Staff(new, Registry(made))\n",
        ),
        (
            "with workers of its own",
            "from course.supervisor_worker import Worker\n\n\n"
            "def staff(plan, tools, *, model=SMALL):\n"
            "    known = {each.name: each for each in tools}\n"
            "    wrong = [f'{t.id}: {n}' for t in plan.tasks for n in t.tools if n not in known]\n"
            "    if wrong:\n"
            "        raise PlanError(f'unknown tools ({wrong}), known: {sorted(known)}')\n"
            "    if not plan.tasks:\n"
            "        raise PlanError('no tasks')\n"
            "    names = shared_names(plan)\n"
            "    plan = plan.model_copy(update={'tasks': tuple(\n"
            "        t.model_copy(update=dict(worker=names[t.worker])) for t in plan.tasks)})\n"
            "    workers = []\n"
            "    for name in dict.fromkeys(t.worker for t in plan.tasks):\n"
            "        mine = [t for t in plan.tasks if t.worker == name]\n"
            "        says = ' And: '.join(t.description for t in mine)\n"
            "        has = sorted({n for t in mine for n in t.tools})\n"
            "        workers.append(Worker(name=name, description=says, model=model,\n"
            "                              instructions=f'As {name}, you do this: {says}',\n"
            "                              tools=tuple(known[n] for n in has)))\n"
            "    return Staff(plan, Registry(tuple(workers)))\n",
        ),
    ],
    "10.4": [
        (
            "takes the least busy of those that are left",
            "async def serve(desks, request, **more):\n"
            "    left, reasons = list(desks), {}\n"
            "    while left:\n"
            "        desk = left.pop(min(range(len(left)), key=lambda n: left[n].under_way))\n"
            "        try:\n"
            "            probe = desk.breaker.admit()\n"
            "        except BreakerOpen as error:\n"
            "            reasons[desk.boss.name] = str(error)\n"
            "            continue\n"
            "        outcome = None\n"
            "        desk.under_way += 1\n"
            "        try:\n"
            "            result = await run(desk.boss, request, client=desk.client, **more)\n"
            "            outcome = not helpless(result)\n"
            "            if not outcome:\n"
            "                raise ModelError('its workers are out of reach')\n"
            "            desk.served += 1\n"
            "            return result\n"
            "        except ModelError as error:\n"
            "            outcome = False\n"
            "            reasons[desk.boss.name] = str(error)\n"
            "        finally:\n"
            "            desk.under_way -= 1\n"
            "            desk.breaker.settle(outcome, probe=probe)\n"
            "    said = ', '.join(f'{name} ({why})' for name, why in reasons.items())\n"
            "    raise Unavailable(f'nobody is there: {said}')\n",
        ),
        (
            "with a context manager for the books",
            "from contextlib import contextmanager\n\n\n"
            "@contextmanager\n"
            "def busy(desk, probe, told):\n"
            "    desk.under_way += 1\n"
            "    try:\n"
            "        yield\n"
            "    finally:\n"
            "        desk.under_way -= 1\n"
            "        desk.breaker.settle(told.get('worked'), probe=probe)\n\n\n"
            "async def serve(desks, request, **more):\n"
            "    why = []\n"
            "    for desk in sorted(desks, key=lambda d: (d.under_way, desks.index(d))):\n"
            "        name, told, result = desk.boss.name, {}, None\n"
            "        try:\n"
            "            with busy(desk, desk.breaker.admit(), told):\n"
            "                try:\n"
            "                    client = desk.client\n"
            "                    result = await run(desk.boss, request, client=client, **more)\n"
            "                    told['worked'] = not helpless(result)\n"
            "                except ModelError:\n"
            "                    told['worked'] = False\n"
            "                    raise\n"
            "        except (BreakerOpen, ModelError) as error:\n"
            "            why.append(f'{name}: {error}')\n"
            "            continue\n"
            "        if told['worked']:\n"
            "            desk.served += 1\n"
            "            return result\n"
            "        why.append(f'{name}: nobody there')\n"
            "    raise Unavailable('; '.join(why) or 'no desk')\n",
        ),
        (
            "in two functions, without finally",
            "async def at(desk, request, more):\n"
            "    probe = desk.breaker.admit()\n"
            "    desk.under_way += 1\n"
            "    try:\n"
            "        result = await run(desk.boss, request, client=desk.client, **more)\n"
            "    except BaseException as error:\n"
            "        desk.under_way -= 1\n"
            "        fault = False if isinstance(error, ModelError) else None\n"
            "        desk.breaker.settle(fault, probe=probe)\n"
            "        raise\n"
            "    desk.under_way -= 1\n"
            "    well = not helpless(result)\n"
            "    desk.breaker.settle(well, probe=probe)\n"
            "    desk.served += well\n"
            "    return result if well else 'its workers cannot be reached'\n\n\n"
            "async def serve(desks, request, **more):\n"
            "    reasons = ''\n"
            "    for desk in sorted(desks, key=lambda each: each.under_way):\n"
            "        try:\n"
            "            result = await at(desk, request, more)\n"
            "        except (BreakerOpen, ModelError) as error:\n"
            "            result = str(error)\n"
            "        if not isinstance(result, str):\n"
            "            return result\n"
            "        reasons += f' {desk.boss.name}: {result}.'\n"
            "    raise Unavailable('All desks are closed.' + reasons)\n",
        ),
    ],
    "10.5": [
        (
            "saves inside the work",
            "async def carry_on(plan, work, *, store, run):\n"
            "    store.begin(run, plan.goal)\n"
            "    plan = store.plan(run) or plan\n"
            "    store.save_plan(run, plan)\n\n"
            "    async def kept(task, given):\n"
            "        result = await work(task, given)\n"
            "        store.save_result(run, result)\n"
            "        return result\n\n"
            "    return await schedule(plan, kept, done=store.results(run))\n",
        ),
        (
            "answers from the store inside the work",
            "async def carry_on(plan, work, *, store, run):\n"
            "    store.begin(run, plan.goal)\n"
            "    if store.plan(run) is None:\n"
            "        store.save_plan(run, plan)\n"
            "    there = store.results(run)\n\n"
            "    async def known(task, given):\n"
            "        if task.id not in there:\n"
            "            there[task.id] = await work(task, given)\n"
            "            store.save_result(run, there[task.id])\n"
            "        return there[task.id]\n\n"
            "    return await schedule(store.plan(run), known)\n",
        ),
        (
            "one after the other, in an order that is possible",
            "from course.supervisor_worker.graph import in_order\n\n\n"
            "async def carry_on(plan, work, *, store, run):\n"
            "    store.begin(run, plan.goal)\n"
            "    plan = store.plan(run) or plan\n"
            "    store.save_plan(run, plan)\n"
            "    for id in in_order(plan):\n"
            "        results = store.results(run)\n"
            "        if id not in results:\n"
            "            task = plan.by_id[id]\n"
            "            given = {need: results[need] for need in task.dependencies}\n"
            "            store.save_result(run, await work(task, given))\n"
            "    results = store.results(run)\n"
            "    return {task.id: results[task.id] for task in plan.tasks}\n",
        ),
        (
            "with a task for each task",
            "import asyncio\n\n\n"
            "async def carry_on(plan, work, *, store, run):\n"
            "    store.begin(run, plan.goal)\n"
            "    kept = store.plan(run)\n"
            "    if not kept:\n"
            "        store.save_plan(run, plan)\n"
            "        kept = plan\n"
            "    old, running = store.results(run), {}\n\n"
            "    async def do(task):\n"
            "        if task.id in old:\n"
            "            return old[task.id]\n"
            "        await asyncio.sleep(0)\n"
            "        given = {n: await asyncio.shield(running[n]) for n in task.dependencies}\n"
            "        result = await work(task, given)\n"
            "        store.save_result(run, result)\n"
            "        return result\n\n"
            "    async with asyncio.TaskGroup() as group:\n"
            "        for task in kept.tasks:\n"
            "            running[task.id] = group.create_task(do(task))\n"
            "    return {id: each.result() for id, each in running.items()}\n",
        ),
    ],
}
