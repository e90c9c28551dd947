"""Answers to the exercises of chapter 10: wrong ones a student may well write, and right ones.

Each entry is (name, source of the solution cell). Every wrong one must lose exactly its exercise;
`RIGHT` are answers in other styles than the solution's, and every one must pass.
"""

from __future__ import annotations

from course.supervisor_worker.load_balancer import serve
from course.supervisor_worker.workers import shared_names, staff
from tests.grading.changing import changed

_TEAM = """\
async def do_as_team(team, task, *, client, calls=None, seconds=None):
    counts = [each for each in (team.max_calls, calls) if each is not None]
    times = [each for each in (team.limits.max_seconds, seconds) if each is not None]
    bounded = replace(
        team,
        max_calls=min(counts, default=None),
        limits=replace(team.limits, max_seconds=min(times, default=None)),
    )
    told = TaskResult(task_id=task.id, worker=team.name)
    failure = None
    try:
        result = await carry_out(bounded, task.description, client=client)
        evidence = tuple(each for some in result.sources.values() for each in some)
        told = replace(told, result=result.answer, evidence=evidence, usage=result.usage)
        if not any(each.done for each in result.results.values()):
            failure = Failure("worker", nothing_done(result))
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

_LEAD = """\
async def lead(request, ask):
    async def hear(part, words):
        try:
            result = await ask(part, words)
        except ModelError as error:
            return [], [f"{part}: {error}"]
        facts = [json.loads(each.result) for each in result.evidence if not each.failed]
        missing = [f"{part}: {each.result}" for each in result.evidence if each.failed]
        if result.failure:
            missing.append(f"{part}: {result.failure.error}")
        return facts, missing

    facts, missing = await hear("research", request)
    series = {}
    for fact in facts:
        series.setdefault(fact["name"], []).append((fact["year"], fact["value"]))
    pairs = {}
    for name, values in series.items():
        if len(values) == 2:
            pairs[name] = [value for _, value in sorted(values)]
        else:
            missing.append(f"research: {name} has one year")
    words = [f"growth of {name} from {old} to {new}" for name, (old, new) in pairs.items()]
    grown = await asyncio.gather(*(hear("analysis", each) for each in words))
    growths = [fact["growth"] for found, _ in grown for fact in found]
    if growths:
        grown.append(await hear("report", f"growths: {growths}"))
    for found, lacking in grown:
        facts += found
        missing += lacking
    return Findings(tuple(facts), tuple(missing))
"""

WRONG = {
    "10.1": [
        (
            "lets the team use what it likes",
            changed(_TEAM, "await carry_out(bounded,", "await carry_out(team,"),
        ),
        (
            "takes what is left instead of the smaller number",
            changed(_TEAM, "max_calls=min(counts, default=None)", "max_calls=calls"),
        ),
        (
            "takes no calls left for no limit",
            changed(
                _TEAM,
                "(team.max_calls, calls) if each is not None",
                "(team.max_calls, calls) if each",
            ),
        ),
        (
            "forgets the time that is left",
            changed(
                _TEAM,
                "(team.limits.max_seconds, seconds) if each is not None",
                "(team.limits.max_seconds,) if each is not None",
            ),
        ),
        (
            "gives the outer time to the team whatever its own is",
            changed(_TEAM, "max_seconds=min(times, default=None)", "max_seconds=seconds"),
        ),
        (
            "takes every answer for a result",
            changed(_TEAM, "if not any(each.done for", "if not all(True for"),
        ),
        (
            "takes a gap for a failure",
            changed(_TEAM, "if not any(each.done for", "if not all(each.done for"),
        ),
        (
            "calls a missing plan a worker's failure",
            changed(_TEAM, 'Failure("decomposition", str(error))', 'Failure("worker", str(error))'),
        ),
        (
            "catches the larger kind of error first",
            changed(
                _TEAM,
                "except BudgetExceeded as error:",
                "except ModelError as error :",
                'Failure("worker", str(error), "limit")',
                'Failure("worker", str(error), "model")',
            ),
        ),
        (
            "lets a model that is gone end everything",
            changed(
                _TEAM,
                "    except ModelError as error:\n"
                '        failure = Failure("worker", str(error), "model")\n',
                "",
            ),
        ),
        (
            "keeps the tool calls to itself",
            changed(_TEAM, "evidence=evidence, ", ""),
        ),
        (
            "forgets what it cost",
            changed(_TEAM, ", usage=result.usage", ""),
        ),
        (
            "signs with somebody else's name",
            changed(_TEAM, "worker=team.name", "worker=task.worker"),
        ),
        (
            "hands the id in instead of the task",
            changed(_TEAM, "task.description", "task.id"),
        ),
        (
            "takes no seconds left for no limit",
            changed(
                _TEAM,
                "(team.limits.max_seconds, seconds) if each is not None",
                "(team.limits.max_seconds, seconds) if each",
            ),
        ),
        (
            "calls a team without a result out of its limits",
            changed(
                _TEAM,
                'Failure("worker", nothing_done(result))',
                'Failure("worker", nothing_done(result), "limit")',
            ),
        ),
        (
            "calls a model that is gone a task that cannot be done",
            changed(
                _TEAM, 'Failure("worker", str(error), "model")', 'Failure("worker", str(error))'
            ),
        ),
        (
            "says in words of its own why it failed",
            changed(
                _TEAM,
                'Failure("decomposition", str(error))',
                'Failure("decomposition", "it did not work")',
            ),
        ),
        (
            "gives the results instead of the answer",
            changed(_TEAM, "result=result.answer,", "result=str(len(result.results)),"),
        ),
        (
            "calls a run out of its limits a task that cannot be done",
            changed(
                _TEAM,
                'Failure("worker", str(error), "limit")',
                'Failure("worker", str(error), "task")',
            ),
        ),
        (
            "lets a missing plan out",
            changed(
                _TEAM,
                (
                    "    except PlanError as error:\n"
                    '        failure = Failure("decomposition", str(error))\n'
                ),
                "    except PlanError:\n        raise\n",
            ),
        ),
        (
            "heeds what is left only beside a limit of its own",
            changed(
                _TEAM,
                "max_calls=min(counts, default=None)",
                "max_calls=min(counts) if len(counts) == 2 else None",
            ),
        ),
        (
            "says in words of its own that nothing was done",
            changed(_TEAM, "nothing_done(result)", "'nothing of it was done'"),
        ),
        (
            "takes the larger number",
            changed(
                _TEAM,
                "max_calls=min(counts",
                "max_calls=max(counts",
                "max_seconds=min(times",
                "max_seconds=max(times",
            ),
        ),
        (
            "waits for errors that run does not raise",
            changed(_TEAM, "await carry_out(bounded,", "await run(bounded,"),
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
            changed(
                shared_names,
                "kept if name == dropped else name for",
                "kept if role == dropped else name for",
            ),
        ),
        (
            "keeps the name that comes last",
            changed(shared_names, "key=order.index)", "key=order.index, reverse=True)"),
        ),
        (
            "keeps the name that is first in the alphabet",
            changed(shared_names, "sorted(pair, key=order.index)", "sorted(pair)"),
        ),
        (
            "forgets roles without tools",
            changed(
                shared_names,
                "dict.fromkeys(task.worker for task in plan.tasks)",
                "dict.fromkeys(task.worker for task in plan.tasks if task.tools)",
            ),
        ),
        (
            "looks at the first tool of each task",
            changed(shared_names, "for tool in task.tools:", "for tool in task.tools[:1]:"),
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
        (
            "breaks on a role without tools",
            changed(
                shared_names,
                "    for task in plan.tasks:\n        for tool",
                ("    for task in plan.tasks:\n        task.tools[0]\n        for tool"),
            ),
        ),
    ],
    "10.3": [
        (
            "makes a worker for each role",
            changed(
                staff,
                "names = shared_names(plan)",
                "names = {t.worker: t.worker for t in plan.tasks}",
            ),
        ),
        (
            "leaves the old names in the plan",
            changed(staff, "return Staff(placed,", "return Staff(plan,"),
        ),
        (
            "makes the workers out of the old plan",
            changed(staff, "make_worker(name, placed,", "make_worker(name, plan,"),
        ),
        (
            "names the first tool that is missing",
            changed(staff, '"; ".join(missing)', "(missing[0] if missing else '')"),
        ),
        (
            "does not say which tools there are",
            changed(staff, "; tools: {', '.join(known)}", ""),
        ),
        (
            "leaves out tools that do not exist",
            changed(
                staff,
                "if missing or not plan.tasks:",
                "if not plan.tasks:",
                "names = shared_names(plan)",
                "tools = {t.id: tuple(n for n in t.tools if n in known) for t in plan.tasks}\n"
                "    plan = plan.model_copy(update={'tasks': tuple(\n"
                "        t.model_copy(update={'tools': tools[t.id]}) for t in plan.tasks)})\n"
                "    names = shared_names(plan)",
            ),
        ),
        (
            "ends in Python's own words",
            changed(staff, "if missing or not plan.tasks:", "if not plan.tasks:"),
        ),
        (
            "makes a staff of nobody",
            changed(staff, "if missing or not plan.tasks:", "if missing:"),
        ),
        (
            "forgets which model is wanted",
            changed(staff, "placed, known, model)", "placed, known, SMALL)"),
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
        (
            "names the tools without the tasks that need them",
            changed(
                staff,
                "f\"{task.id}: there is no tool '{name}'\"",
                "f\"there is no tool '{name}'\"",
            ),
        ),
        (
            "describes its workers by their names alone",
            """\
from course.supervisor import Worker


"""
            + changed(
                staff,
                "make_worker(name, placed, known, model)",
                (
                    "Worker(name=name, description=name, instructions=name, model=model, "
                    "tools=make_worker(name, placed, known, model).tools)"
                ),
            ),
        ),
    ],
    "10.4": [
        (
            "asks them in the order of the list",
            changed(serve, "in sorted(replicas, key=lambda each: each.under_way):", "in replicas:"),
        ),
        (
            "asks the busiest first",
            changed(serve, "each.under_way):", "-each.under_way):"),
        ),
        (
            "asks the one that served least",
            changed(serve, "key=lambda each: each.under_way)", "key=lambda each: each.served)"),
        ),
        (
            "does not ask the breaker",
            changed(serve, "probe = replica.breaker.admit()", "probe = False"),
        ),
        (
            "never tells the breaker",
            changed(serve, "            replica.breaker.settle(worked, probe=probe)\n", ""),
        ),
        (
            "forgets that it was a try",
            changed(serve, "settle(worked, probe=probe)", "settle(worked)"),
        ),
        (
            "counts down only when it went well",
            changed(
                serve,
                "            replica.under_way -= 1\n",
                "",
                "                replica.served += 1\n",
                "                replica.served += 1\n                replica.under_way -= 1\n",
            ),
        ),
        (
            "takes an answer of nobody for an answer",
            changed(serve, "worked = not helpless(result)", "worked = True"),
        ),
        (
            "gives up with the first one that fails",
            changed(
                serve,
                '            reasons.append(f"{replica.boss.name}: {error}")\n',
                "            raise\n",
            ),
        ),
        (
            "blames the replica for everything",
            changed(serve, "worked: bool | None = None", "worked: bool | None = False"),
        ),
        (
            "tries the next one whatever is wrong",
            changed(serve, "except ModelError as error:", "except Exception as error:"),
        ),
        (
            "leaves out those that were not let in",
            changed(serve, '            reasons.append(f"{replica.boss.name}: {refusal}")\n', ""),
        ),
        (
            "says that it is a pity",
            changed(serve, "({'; '.join(reasons)})", "just now"),
        ),
        (
            "never counts what is under way",
            changed(serve, "replica.under_way += 1", "pass", "replica.under_way -= 1", "pass"),
        ),
        (
            "takes a task that cannot be done for a replica that is gone",
            changed(
                serve,
                "not helpless(result)",
                "any(each.done for each in result.results.values())",
            ),
        ),
        (
            "keeps to itself what should go on to the run",
            changed(serve, "client=replica.client, **more", "client=replica.client"),
        ),
        (
            "asks the last of the equally busy first",
            changed(serve, "in sorted(replicas,", "in sorted(reversed(replicas),"),
        ),
        (
            "raises the last error that it met",
            changed(serve, "    raise Unavailable(f", "    raise ModelError(f"),
        ),
        (
            "counts every run as one that was served",
            changed(
                serve,
                "                replica.served += 1\n",
                "",
                "        replica.under_way += 1\n",
                "        replica.under_way += 1\n        replica.served += 1\n",
            ),
        ),
        (
            "takes a run that was given up for a failure of the replica",
            changed(
                serve,
                "        worked: bool | None = None",
                "        worked: bool | None = False",
                "        except ModelError as error:\n",
                (
                    "        except (PlanError, ValueError):\n"
                    "            worked = None\n"
                    "            raise\n"
                    "        except ModelError as error:\n"
                ),
            ),
        ),
        (
            "says who could not answer and not why",
            changed(
                serve,
                'reasons.append(f"{replica.boss.name}: {error}")',
                "reasons.append(replica.boss.name)",
            ),
        ),
        (
            "waits for errors that run does not raise",
            changed(serve, "= await carry_out(", "= await run("),
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
            changed(_CARRY, "done = store.results(run)", "done = {}"),
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
            changed(
                _CARRY,
                "done = store.results(run)",
                "done = {id: r for id, r in store.results(run).items() if r.done}",
            ),
        ),
        (
            "keeps only what went well",
            changed(
                _CARRY,
                "store.save_result(run, result)",
                "result.done and store.save_result(run, result)",
            ),
        ),
        (
            "takes the new plan",
            changed(_CARRY, "kept or plan, work", "plan, work"),
        ),
        (
            "never writes the plan down",
            changed(_CARRY, "store.save_plan(run, plan)", "pass"),
        ),
        (
            "writes the new plan over the old one",
            changed(
                _CARRY,
                "    kept = store.plan(run)\n    if kept is None:\n        store",
                "    store",
                "kept or plan, work",
                "plan, work",
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
        (
            "swallows the error of the work",
            changed(
                _CARRY,
                "    return await schedule(\n",
                "    try:\n      return await schedule(\n",
                "store.save_result(run, result)\n    )\n",
                (
                    "store.save_result(run, result)\n"
                    "      )\n"
                    "    except Exception:\n"
                    "      return store.results(run)\n"
                ),
            ),
        ),
    ],
    "10.6": [
        (
            "asks research twice",
            changed(
                _LEAD,
                "    series = {}\n",
                '    await ask("research", request) if facts else None\n    series = {}\n',
            ),
        ),
        (
            "asks about the first name alone",
            changed(_LEAD, "for each in words))", "for each in words[:1]))"),
        ),
        ("asks without the name", changed(_LEAD, "growth of {name} from", "growth from")),
        (
            "asks with the newer value first",
            changed(_LEAD, "name, (old, new) in", "name, (new, old) in"),
        ),
        (
            "asks about one name after the other",
            changed(
                _LEAD,
                'await asyncio.gather(*(hear("analysis", each) for each in words))',
                '[await hear("analysis", each) for each in words]',
            ),
        ),
        (
            "says nothing of a single year",
            changed(
                _LEAD,
                '            missing.append(f"research: {name} has one year")\n',
                "            pass\n",
            ),
        ),
        (
            "asks report for each growth",
            changed(
                _LEAD,
                '        grown.append(await hear("report", f"growths: {growths}"))\n',
                '        grown += [await hear("report", str(each)) for each in growths]\n',
            ),
        ),
        (
            "reports the last growth alone",
            changed(_LEAD, 'f"growths: {growths}"', 'f"growth: {growths[-1]}"'),
        ),
        ("has a report written of nothing", changed(_LEAD, "    if growths:\n", "    if True:\n")),
        (
            "hands on what report found alone",
            changed(
                _LEAD,
                "    return Findings(tuple(facts), ",
                '    return Findings(tuple(each for each in facts if "section" in each), ',
            ),
        ),
        (
            "hands on the last part first",
            changed(_LEAD, "        facts += found\n", "        facts = found + facts\n"),
        ),
        (
            "hands on the text of the JSON",
            changed(_LEAD, "Findings(tuple(facts),", "Findings(tuple(map(json.dumps, facts)),"),
        ),
        (
            "takes words for a fact",
            changed(
                _LEAD,
                "        return facts, missing\n\n",
                "        said = dict.fromkeys(('year', 'value', 'growth'), 0) | {'name': ''}\n"
                "        return [*facts, said | {'said': result.result}], missing\n\n",
            ),
        ),
        (
            "tells reasons without the part",
            changed(
                _LEAD, "tuple(missing))", 'tuple(each.partition(": ")[2] for each in missing))'
            ),
        ),
        (
            "forgets a call that failed",
            changed(
                _LEAD, '[f"{part}: {each.result}" for each in result.evidence if each.failed]', "[]"
            ),
        ),
        (
            "looks at the calls alone",
            changed(_LEAD, "        if result.failure:\n", "        if False:\n"),
        ),
        (
            "says nothing of a model that is gone",
            changed(_LEAD, 'return [], [f"{part}: {error}"]', "return [], []"),
        ),
        (
            "lets a model's error out",
            changed(
                _LEAD,
                "        except ModelError as error:\n"
                '            return [], [f"{part}: {error}"]\n',
                "        finally:\n            pass\n",
            ),
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
            "                  limits=Limits(\n"
            "                      max_seconds=least(team.limits.max_seconds, seconds)))\n"
            "    kinds = [(PlanError, 'decomposition', 'task'),\n"
            "             (BudgetExceeded, 'worker', 'limit'),\n"
            "             (ModelError, 'worker', 'model')]\n"
            "    try:\n"
            "        made = await carry_out(own, task.description, client=client)\n"
            "    except tuple(kind for kind, *_ in kinds) as error:\n"
            "        kind, cause = next((k, c) for t, k, c in kinds if isinstance(error, t))\n"
            "        return TaskResult(task_id=task.id, worker=team.name, status='failed',\n"
            "                          failure=Failure(kind, str(error), cause))\n"
            "    calls = [e for r in made.results.values() if r.done for e in r.evidence\n"
            "             if not e.failed]\n"
            "    if not made.sources:\n"
            "        return TaskResult(task_id=task.id, worker=team.name, status='failed',\n"
            "                          failure=Failure('worker', nothing_done(made)))\n"
            "    return TaskResult(task_id=task.id, worker=team.name, result=made.answer,\n"
            "                      evidence=tuple(calls), usage=made.usage)\n",
        ),
        (
            "the time around the run as well, and a match",
            "async def do_as_team(team, task, *, client, calls=None, seconds=None):\n"
            "    infinite = float('inf')\n"
            "    may = min(infinite if team.max_calls is None else team.max_calls,\n"
            "              infinite if calls is None else calls)\n"
            "    own = team.limits.max_seconds\n"
            "    time = min(infinite if own is None else own,\n"
            "               infinite if seconds is None else seconds)\n"
            "    bounded = replace(\n"
            "        team, max_calls=None if may == infinite else may,\n"
            "        limits=Limits(max_seconds=None if time == infinite else time))\n"
            "    fields = dict(task_id=task.id, worker=team.name)\n"
            "    try:\n"
            "        result = await carry_out(bounded, task.description, client=client)\n"
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
            "with the limits gathered in a dictionary",
            "async def do_as_team(team, task, *, client, calls=None, seconds=None):\n"
            "    limits = {}\n"
            "    if calls is not None and (team.max_calls is None or calls < team.max_calls):\n"
            "        limits['max_calls'] = calls\n"
            "    if seconds is not None:\n"
            "        own = team.limits.max_seconds\n"
            "        time = seconds if own is None else min(own, seconds)\n"
            "        limits['limits'] = Limits(max_seconds=time)\n"
            "    failure, result = None, None\n"
            "    try:\n"
            "        result = await carry_out(replace(team, **limits), task.description,\n"
            "                                 client=client)\n"
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
        (
            "an object, and a stack of contexts",
            """\
from contextlib import contextmanager


class Deputy:
    async def __call__(self, team, task, *, client, calls=None, seconds=None):
        self.failure, self.fields = None, {"task_id": task.id, "worker": team.name}
        with self.told():
            small = replace(
                team,
                max_calls=self.least(team.max_calls, calls),
                limits=Limits(max_seconds=self.least(team.limits.max_seconds, seconds)),
            )
            result = await carry_out(small, task.description, client=client)
            self.fields |= {"result": result.answer, "usage": result.usage}
            self.fields["evidence"] = sum(map(tuple, result.sources.values()), ())
            if {each.status for each in result.results.values()}.isdisjoint({"done"}):
                self.failure = Failure("worker", nothing_done(result))
        status = "done" if self.failure is None else "failed"
        return TaskResult(**self.fields, status=status, failure=self.failure)

    @contextmanager
    def told(self):
        try:
            yield
        except (PlanError, ModelError) as error:
            kind, cause = "worker", "model"
            if isinstance(error, PlanError):
                kind, cause = "decomposition", "task"
            elif isinstance(error, BudgetExceeded):
                cause = "limit"
            self.failure = Failure(kind=kind, error=str(error), cause=cause)

    @staticmethod
    def least(*numbers):
        return min((each for each in numbers if each is not None), default=None)


do_as_team = Deputy()
""",
        ),
        (
            "small functions, with early returns",
            """\
from functools import partial


def smaller(one, other):
    match one, other:
        case None, _:
            return other
        case _, None:
            return one
    return one if one < other else other


async def do_as_team(team, task, *, client, calls=None, seconds=None):
    made = partial(TaskResult, task_id=task.id, worker=team.name)

    def lost(kind, error, cause="task"):
        return made(status="failed", failure=Failure(kind, error, cause))

    limits = replace(team.limits, max_seconds=smaller(team.limits.max_seconds, seconds))
    team = replace(team, limits=limits, max_calls=smaller(team.max_calls, calls))
    try:
        came = await carry_out(team, task.description, client=client)
    except PlanError as error:
        return lost("decomposition", f"{error}")
    except BudgetExceeded as error:
        return lost("worker", f"{error}", "limit")
    except ModelError as error:
        return lost("worker", f"{error}", "model")
    if not [each for each in came.results.values() if each.done]:
        return lost("worker", nothing_done(came))
    seen = [each for some in came.sources.values() for each in some]
    return made(result=came.answer, evidence=tuple(seen), usage=came.usage)
""",
        ),
        (
            "a task of asyncio whose error is looked at",
            """\
import asyncio


async def do_as_team(team, task, *, client, calls=None, seconds=None):
    limits = {"max_calls": team.max_calls}
    if calls is not None and (team.max_calls is None or calls < team.max_calls):
        limits["max_calls"] = calls
    times = team.limits
    if seconds is not None and not (times.max_seconds is not None and times.max_seconds <= seconds):
        times = replace(times, max_seconds=seconds)
    doing = asyncio.create_task(
        carry_out(replace(team, limits=times, **limits), task.description, client=client)
    )
    await asyncio.wait([doing])
    told = TaskResult(task_id=task.id, worker=team.name)
    causes = {"PlanError": ("decomposition", "task"), "BudgetExceeded": ("worker", "limit")}
    if (error := doing.exception()) is not None:
        if not isinstance(error, (PlanError, ModelError)):
            raise error
        kind, cause = causes.get(type(error).__name__, ("worker", "model"))
        return replace(told, status="failed", failure=Failure(kind, str(error), cause))
    result = doing.result()
    evidence = []
    for each in result.sources.values():
        evidence.extend(each)
    told = replace(told, result=result.answer, evidence=(*evidence,), usage=result.usage)
    for each in result.results.values():
        if each.done:
            break
    else:
        why = Failure("worker", nothing_done(result))
        told = replace(told, status="failed", failure=why)
    return told
""",
        ),
        (
            "by run, with what it says of a missing plan",
            """\
def what_failed(result):
    if any(each.done for each in result.results.values()):
        return None
    unplanned = result.failures.get("decomposition")
    if unplanned is None:
        return Failure("worker", nothing_done(result))
    if unplanned.cause in ("limit", "model"):
        return Failure("worker", unplanned.error, unplanned.cause)
    return Failure("decomposition", unplanned.error)


async def do_as_team(team, task, *, client, calls=None, seconds=None):
    counts = {each for each in (team.max_calls, calls) if each is not None}
    times = {each for each in (team.limits.max_seconds, seconds) if each is not None}
    limits = replace(team.limits, max_seconds=min(times, default=None))
    own = replace(team, max_calls=min(counts, default=None), limits=limits)
    result = await run(own, task.description, client=client)
    failure = what_failed(result)
    return TaskResult(
        task_id=task.id, worker=team.name, status="failed" if failure else "done",
        result=result.answer, evidence=sum(result.sources.values(), ()),
        usage=result.usage, failure=failure,
    )
""",
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
        (
            "by recursion over what is shared",
            """\
def shared_names(plan):
    tools = {}
    for task in plan.tasks:
        tools[task.worker] = tools.get(task.worker, frozenset()) | set(task.tools)

    def reached(role, seen=frozenset()):
        seen = seen | {role}
        for other in tools:
            if other not in seen and tools[other] & tools[role]:
                seen = reached(other, seen)
        return seen

    return {role: next(each for each in tools if each in reached(role)) for role in tools}
""",
        ),
        (
            "a matrix of who shares with whom",
            """\
import numpy as np


def shared_names(plan):
    roles = list(dict.fromkeys(task.worker for task in plan.tasks))
    tools = sorted({tool for task in plan.tasks for tool in task.tools})
    has = np.zeros((len(roles), len(tools) + 1), dtype=int)
    for task in plan.tasks:
        for tool in task.tools:
            has[roles.index(task.worker), tools.index(tool)] = 1
    near = (has @ has.T > 0) | np.eye(len(roles), dtype=bool)
    for _ in roles:
        near = near @ near
    return {role: roles[int(np.argmax(row))] for role, row in zip(roles, near)}
""",
        ),
        (
            "a class of groups that are merged",
            """\
class Groups(dict):
    def __missing__(self, role):
        self[role] = [role]
        return self[role]

    def join(self, one, other):
        if (a := self[one]) is not (b := self[other]):
            a += b
            for each in b:
                self[each] = a


def shared_names(plan):
    groups, holder = Groups(), {}
    for task in plan.tasks:
        groups[task.worker]
    order = [*groups]
    for task in plan.tasks:
        for tool in task.tools:
            groups.join(holder.setdefault(tool, task.worker), task.worker)
    return {role: sorted(groups[role], key=order.index)[0] for role in order}
""",
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
            "        PlanTask(id=t.id, description=t.description, worker=names[t.worker],\n"
            "             dependencies=t.dependencies, tools=t.tools) for t in plan.tasks))\n"
            "    who = sorted(set(names.values()))\n"
            "    made = tuple(make_worker(w, new, tools, model) for w in who)\n"
            "    return Staff(new, Registry(made))\n",
        ),
        (
            "with workers of its own",
            "from course.supervisor import Worker\n\n\n"
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
        (
            "an object, and errors as a generator",
            """\
class Factory:
    def __init__(self, plan, tools):
        self.plan, self.tools = plan, dict(map(lambda tool: (tool.name, tool), tools))

    def faults(self):
        if not self.plan.tasks:
            yield "a plan without tasks"
        for task in self.plan.tasks:
            yield from (f"{task.id} needs {n}" for n in task.tools if n not in self.tools)

    def named(self):
        names = shared_names(self.plan)
        for task in self.plan.tasks:
            yield task.model_copy(update={"worker": names[task.worker]})

    def staff(self, model):
        plan = self.plan.model_copy(update={"tasks": (*self.named(),)})
        who = {task.worker: None for task in plan.tasks}
        workers = [make_worker(name, plan, self.tools, model) for name in who]
        return Staff(plan, Registry(tuple(workers)))


def staff(plan, tools, *, model=SMALL):
    factory = Factory(plan, tools)
    match [*factory.faults()]:
        case []:
            return factory.staff(model)
        case faults:
            raise PlanError(f"{'; '.join(faults)}. There are {', '.join(factory.tools)}.")
""",
        ),
        (
            "by way of plain data",
            """\
def staff(plan, tools, *, model=SMALL):
    known = by_name(tools)
    data = plan.model_dump()
    assert_known(data["tasks"], list(known))
    names = shared_names(plan)
    for each in data["tasks"]:
        each["worker"] = names[each["worker"]]
    placed = Plan.model_validate(data)
    made = {t.worker: make_worker(t.worker, placed, known, model) for t in placed.tasks}
    return Staff(plan=placed, registry=Registry((*made.values(),)))


def assert_known(tasks, known):
    try:
        tasks[0]
        bad = {task["id"]: set(task["tools"]) - set(known) for task in tasks}
        assert not any(bad.values()), f"{bad} are not among {known}"
    except (IndexError, AssertionError) as error:
        raise PlanError(f"no staff: {error}") from error
""",
        ),
        (
            "partial and sets",
            """\
from functools import partial


def staff(plan, tools, *, model=SMALL):
    known = {tool.name: tool for tool in tools}
    needed = {(task.id, name) for task in plan.tasks for name in task.tools}
    lacking = sorted(pair for pair in needed if pair[1] not in known)
    if lacking or not len(plan.tasks):
        lines = [": ".join(pair) for pair in lacking] + ["there are: " + " ".join(known)]
        raise PlanError(chr(10).join(lines), plan=plan)
    become = shared_names(plan).get
    tasks = (t.model_copy(update={"worker": become(t.worker)}) for t in plan.tasks)
    plan = plan.model_copy(update={"tasks": tuple(tasks)})
    make = partial(make_worker, plan=plan, tools=known, model=model)
    return Staff(plan, Registry(tuple(map(make, sorted({t.worker for t in plan.tasks})))))
""",
        ),
    ],
    "10.4": [
        (
            "takes the least busy of those that are left",
            "async def serve(replicas, request, **more):\n"
            "    left, reasons = list(replicas), {}\n"
            "    while left:\n"
            "        replica = left.pop(min(range(len(left)), key=lambda n: left[n].under_way))\n"
            "        try:\n"
            "            probe = replica.breaker.admit()\n"
            "        except BreakerOpen as error:\n"
            "            reasons[replica.boss.name] = str(error)\n"
            "            continue\n"
            "        outcome = None\n"
            "        replica.under_way += 1\n"
            "        try:\n"
            "            result = await carry_out(replica.boss, request,\n"
            "                client=replica.client, **more)\n"
            "            outcome = not helpless(result)\n"
            "            if not outcome:\n"
            "                raise ModelError('its workers are out of reach')\n"
            "            replica.served += 1\n"
            "            return result\n"
            "        except ModelError as error:\n"
            "            outcome = False\n"
            "            reasons[replica.boss.name] = str(error)\n"
            "        finally:\n"
            "            replica.under_way -= 1\n"
            "            replica.breaker.settle(outcome, probe=probe)\n"
            "    said = ', '.join(f'{name} ({why})' for name, why in reasons.items())\n"
            "    raise Unavailable(f'nobody is there: {said}')\n",
        ),
        (
            "with a context manager for the books",
            "from contextlib import contextmanager\n\n\n"
            "@contextmanager\n"
            "def busy(replica, probe, told):\n"
            "    replica.under_way += 1\n"
            "    try:\n"
            "        yield\n"
            "    finally:\n"
            "        replica.under_way -= 1\n"
            "        replica.breaker.settle(told.get('worked'), probe=probe)\n\n\n"
            "async def serve(replicas, request, **more):\n"
            "    why = []\n"
            "    for replica in sorted(replicas, key=lambda d: (d.under_way, replicas.index(d))):\n"
            "        name, told, result = replica.boss.name, {}, None\n"
            "        try:\n"
            "            with busy(replica, replica.breaker.admit(), told):\n"
            "                try:\n"
            "                    client = replica.client\n"
            "                    result = await carry_out(replica.boss, request,\n"
            "                        client=client, **more)\n"
            "                    told['worked'] = not helpless(result)\n"
            "                except ModelError:\n"
            "                    told['worked'] = False\n"
            "                    raise\n"
            "        except (BreakerOpen, ModelError) as error:\n"
            "            why.append(f'{name}: {error}')\n"
            "            continue\n"
            "        if told['worked']:\n"
            "            replica.served += 1\n"
            "            return result\n"
            "        why.append(f'{name}: nobody there')\n"
            "    raise Unavailable('; '.join(why) or 'no replica')\n",
        ),
        (
            "in two functions, without finally",
            "async def at(replica, request, more):\n"
            "    probe = replica.breaker.admit()\n"
            "    replica.under_way += 1\n"
            "    try:\n"
            "        result = await carry_out(replica.boss, request,\n"
            "            client=replica.client, **more)\n"
            "    except BaseException as error:\n"
            "        replica.under_way -= 1\n"
            "        fault = False if isinstance(error, ModelError) else None\n"
            "        replica.breaker.settle(fault, probe=probe)\n"
            "        raise\n"
            "    replica.under_way -= 1\n"
            "    well = not helpless(result)\n"
            "    replica.breaker.settle(well, probe=probe)\n"
            "    replica.served += well\n"
            "    return result if well else 'its workers cannot be reached'\n\n\n"
            "async def serve(replicas, request, **more):\n"
            "    reasons = ''\n"
            "    for replica in sorted(replicas, key=lambda each: each.under_way):\n"
            "        try:\n"
            "            result = await at(replica, request, more)\n"
            "        except (BreakerOpen, ModelError) as error:\n"
            "            result = str(error)\n"
            "        if not isinstance(result, str):\n"
            "            return result\n"
            "        reasons += f' {replica.boss.name}: {result}.'\n"
            "    raise Unavailable('All replicas are closed.' + reasons)\n",
        ),
        (
            "an object, and a heap of replicas",
            """\
import heapq


class LoadBalancer:
    async def __call__(self, replicas, request, **more):
        queue = [(replica.under_way, place, replica) for place, replica in enumerate(replicas)]
        heapq.heapify(queue)
        said = {}
        while queue:
            *_, replica = heapq.heappop(queue)
            try:
                if (result := await self.at(replica, request, more)) is not None:
                    return result
                said[replica.boss.name] = "none of its workers answered"
            except (BreakerOpen, ModelError) as error:
                said[replica.boss.name] = error
        raise Unavailable("; ".join(f"{name}: {why}" for name, why in said.items()))

    async def at(self, replica, request, more):
        probe, worked = replica.breaker.admit(), None
        replica.under_way += 1
        try:
            result = await carry_out(replica.boss, request, client=replica.client, **more)
            worked = not helpless(result)
            if worked:
                replica.served += 1
                return result
        except ModelError:
            worked = False
            raise
        finally:
            replica.under_way -= 1
            replica.breaker.settle(worked, probe=probe)


serve = LoadBalancer()
""",
        ),
        (
            "by recursion over the replicas that are left",
            """\
async def serve(replicas, request, reasons=(), **more):
    if not replicas:
        raise Unavailable(", ".join(reasons) or "there is no replica")
    replica = min(replicas, key=lambda each: each.under_way)
    others = [each for each in replicas if each is not replica]
    name, worked = replica.boss.name, None
    try:
        probe = replica.breaker.admit()
    except BreakerOpen as refused:
        return await serve(others, request, (*reasons, f"{name} ({refused})"), **more)
    replica.under_way = replica.under_way + 1
    try:
        result = await carry_out(replica.boss, request, client=replica.client, **more)
        worked, why = not helpless(result), "nobody of its workers could be reached"
    except ModelError as error:
        worked, why = False, error
    finally:
        replica.under_way = replica.under_way - 1
        replica.breaker.settle(worked, probe=probe)
    match worked:
        case True:
            replica.served += 1
            return result
        case _:
            return await serve(others, request, (*reasons, f"{name} ({why})"), **more)
""",
        ),
        (
            "an async context manager that keeps the books",
            """\
from contextlib import asynccontextmanager


@asynccontextmanager
async def at(replica):
    ticket = {"worked": None}
    probe = replica.breaker.admit()
    try:
        replica.under_way += 1
        yield ticket
    except ModelError:
        ticket["worked"] = False
        raise
    finally:
        replica.under_way -= 1
        replica.served += ticket["worked"] is True
        replica.breaker.settle(ticket["worked"], probe=probe)


async def serve(replicas, request, **more):
    refused = []
    for replica in sorted(replicas, key=lambda one: one.under_way):
        try:
            async with at(replica) as ticket:
                result = await carry_out(replica.boss, request, client=replica.client, **more)
                ticket["worked"] = not helpless(result)
        except (ModelError, BreakerOpen) as error:
            refused.append((replica.boss.name, str(error)))
        else:
            if ticket["worked"]:
                return result
            refused.append((replica.boss.name, "helpless"))
    raise Unavailable(str(refused))
""",
        ),
        (
            "by run, with what it says of a missing plan",
            """\
async def serve(replicas, request, **more):
    reasons = []
    for replica in sorted(replicas, key=lambda each: each.under_way):
        name, worked = replica.boss.name, None
        try:
            probe = replica.breaker.admit()
        except BreakerOpen as refusal:
            reasons.append(f"{name}: {refusal}")
            continue
        replica.under_way += 1
        try:
            result = await run(replica.boss, request, client=replica.client, **more)
            unplanned = result.failures.get("decomposition")
            if unplanned and unplanned.cause not in ("limit", "model") and not result.results:
                raise PlanError(unplanned.error)
            worked = not helpless(result)
        finally:
            replica.under_way -= 1
            replica.breaker.settle(worked, probe=probe)
        if worked:
            replica.served += 1
            return result
        reasons.append(f"{name}: {unplanned or 'nobody could be reached'}")
    raise Unavailable("; ".join(reasons))
""",
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
            "from course.supervisor_worker.plan import in_order\n\n\n"
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
        (
            "an object with a partial",
            """\
from functools import partial


class CarryOn:
    async def __call__(self, plan, work, *, store, run):
        store.begin(run, plan.goal)
        match store.plan(run):
            case None:
                store.save_plan(run, plan)
            case there:
                plan = there
        keep = partial(self.keep, store, run)
        return await schedule(plan, work, done=store.results(run), on_result=keep)

    @staticmethod
    def keep(store, run, id, result):
        store.save_result(run, result)


carry_on = CarryOn()
""",
        ),
        (
            "with asyncio and graphlib alone",
            """\
import asyncio
from graphlib import TopologicalSorter


async def carry_on(plan, work, *, store, run):
    store.begin(run, plan.goal)
    if (kept := store.plan(run)) is None:
        store.save_plan(run, kept := plan)
    results, doing = dict(store.results(run)), {}
    sorter = TopologicalSorter({task.id: task.dependencies for task in kept.tasks})
    sorter.prepare()
    try:
        while sorter.is_active():
            for id in sorter.get_ready():
                if id in results:
                    sorter.done(id)
                    continue
                given = {need: results[need] for need in kept.by_id[id].dependencies}
                doing[asyncio.ensure_future(work(kept.by_id[id], given))] = id
            if not doing:
                continue
            over, _ = await asyncio.wait(doing, return_when=asyncio.FIRST_COMPLETED)
            for job in over:
                id = doing.pop(job)
                results[id] = job.result()
                store.save_result(run, results[id])
                sorter.done(id)
    finally:
        for job in doing:
            job.cancel()
        await asyncio.gather(*doing, return_exceptions=True)
    return results
""",
        ),
        (
            "each task awaits those that it needs",
            """\
import asyncio


async def carry_on(plan, work, *, store, run):
    store.begin(run, plan.goal)
    plan = store.plan(run) or plan
    store.save_plan(run, plan)
    there, jobs = store.results(run), {}

    async def result_of(task):
        if task.id in there:
            return there[task.id]
        given = {need: await asyncio.shield(job(need)) for need in task.dependencies}
        result = await work(task, given)
        store.save_result(run, result)
        return result

    def job(id):
        if id not in jobs:
            jobs[id] = asyncio.ensure_future(result_of(plan.by_id[id]))
        return jobs[id]

    try:
        every = [job(task.id) for task in plan.tasks]
        return dict(zip(plan.by_id, await asyncio.gather(*every)))
    finally:
        for each in jobs.values():
            each.cancel()
        await asyncio.gather(*jobs.values(), return_exceptions=True)
""",
        ),
    ],
    "10.6": [
        ("what is heard is a pair of lists", _LEAD),
        (
            "a task group, and notes that all write into",
            """\
async def lead(request, ask):
    facts, missing = {}, []

    async def hear(place, part, words):
        facts[place] = []
        try:
            result = await ask(part, words)
        except ModelError as error:
            missing.append(f"{part}: {error}")
            return
        for each in result.evidence:
            if each.failed:
                missing.append(f"{part}: {each.result}")
            else:
                facts[place].append(json.loads(each.result))
        if result.failure is not None:
            missing.append(f"{part}: {result.failure.error}")

    await hear(0, "research", request)
    known = sorted(facts[0], key=lambda fact: fact["year"])
    async with asyncio.TaskGroup() as group:
        for place, name in enumerate(dict.fromkeys(fact["name"] for fact in facts[0]), 1):
            values = [str(fact["value"]) for fact in known if fact["name"] == name]
            if len(values) > 1:
                group.create_task(hear(place, "analysis", f"{name}: {' then '.join(values)}"))
            else:
                missing.append(f"research: {name} has one year")
    growths = [fact["growth"] for place in sorted(facts) for fact in facts[place] if place]
    if growths:
        await hear(99, "report", ", ".join(map(str, growths)))
    return Findings(tuple(f for place in sorted(facts) for f in facts[place]), tuple(missing))
""",
        ),
        (
            "findings are added up",
            """\
from functools import reduce


def found_in(part, result):
    worked = [json.loads(each.result) for each in result.evidence if each.outcome == "ok"]
    why = [each.result for each in result.evidence if each.outcome != "ok"]
    why += [result.failure.error] if result.failure else []
    return Findings(tuple(worked), tuple(f"{part}: {each}" for each in why))


def both(one, other):
    return Findings(one.facts + other.facts, one.missing + other.missing)


async def lead(request, ask):
    async def findings(part, words):
        try:
            return found_in(part, await ask(part, words))
        except ModelError as gone:
            return Findings(missing=(f"{part}: {gone}",))

    research = await findings("research", request)
    years = {}
    for fact in research.facts:
        years.setdefault(fact["name"], {})[fact["year"]] = fact["value"]
    lone = [f"research: {name} has one year" for name, each in years.items() if len(each) == 1]
    asked = [
        f"Calculate the growth of {name} from {each[min(each)]} to {each[max(each)]}."
        for name, each in years.items()
        if len(each) == 2
    ]
    grown = reduce(
        both, await asyncio.gather(*[findings("analysis", words) for words in asked]), Findings()
    )
    so_far = both(both(research, Findings(missing=tuple(lone))), grown)
    if not grown.facts:
        return so_far
    told = "; ".join(f"{fact['name']} grew by {fact['growth']} %" for fact in grown.facts)
    return both(so_far, await findings("report", told))
""",
        ),
    ],
}
