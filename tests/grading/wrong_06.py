"""Answers to the exercises of chapter 06: wrong ones a student may well write, and right ones.

Each entry is (name, source of the solution cell). Every wrong one must lose exactly its exercise;
`RIGHT` are answers in other styles than the solution's, and every one must pass.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from course.supervisor_worker.departures import departures
from course.supervisor_worker.graph import circles, critical_path
from course.supervisor_worker.planning import make_plan

FIRST_LOOK = """\
def first_look(plan, registry):
    found = []
    ids = [task.id for task in plan.tasks]
    for id in dict.fromkeys(ids):
        if ids.count(id) > 1:
            found.append(Problem("duplicate_id", f"the id '{id}' is there twice", (id,)))
    known = ", ".join(registry.named)
    for task in plan.tasks:
        if task.worker not in registry.named:
            said = f"{task.id}: no worker '{task.worker}'; there are: {known}"
            found.append(Problem("unknown_worker", said, (task.id,)))
        for need in task.dependencies:
            if need not in ids:
                said = f"{task.id}: needs '{need}', which is no task"
                found.append(Problem("unknown_dependency", said, (task.id,)))
    return found
"""


def _changed(definition: Callable[..., Any] | str, *changes: tuple[str, str]) -> str:
    """A right definition with something changed, each time at exactly one place."""
    source = definition if isinstance(definition, str) else inspect.getsource(definition)
    for old, new in changes:
        if source.count(old) != 1:
            raise ValueError(f"the definition holds {source.count(old)} times: {old}")
        source = source.replace(old, new)
    return source


_LOOP = """\
async def make_plan(request, registry, *, client, model=SMALL, instructions="",
                    most=MOST_TASKS, asked=ASKED, agent="planner", run_id="run"):
    context = opening(request, registry, instructions=instructions, most=most)
    plan, found = None, ()
    for turn in range(asked):
        body = {"model": model, "messages": context.messages,
                "response_format": answer_format(registry, most)}
        headers = {"x-switchboard-run": run_id, "x-switchboard-agent": agent,
                   "x-switchboard-call": str(turn)}
        answer = await complete(client, body, headers=headers)
        plan, found = looked_at(answer.message["content"] or "", registry, most)
        if plan is not None and (not plan.tasks or not found):
            break
        context = context.add(answer.message, complaint(found))
    if plan is None or found:
        raise PlanError(verdict(plan, found, registry), plan=plan, problems=found)
    return plan
"""

WRONG = {
    "6.1": [
        (
            "stops at the first problem",
            _changed(
                FIRST_LOOK,
                (
                    'found.append(Problem("unknown_worker", said, (task.id,)))',
                    'return [*found, Problem("unknown_worker", said, (task.id,))]',
                ),
            ),
        ),
        (
            "knows only the tasks further up",
            _changed(
                FIRST_LOOK,
                ("if need not in ids:", "if need not in ids[: ids.index(task.id)]:"),
            ),
        ),
        (
            "tells a double id as often as it is there",
            _changed(FIRST_LOOK, ("in dict.fromkeys(ids):", "in ids:")),
        ),
        (
            "does not name the workers there are",
            _changed(FIRST_LOOK, ("; there are: {known}", "")),
        ),
        (
            "does not name the dependency that is missing",
            _changed(FIRST_LOOK, ("needs '{need}', which is no task", "a dependency is missing")),
        ),
        (
            "looks at the dependencies only where the worker is right",
            _changed(
                FIRST_LOOK,
                (
                    "        for need in task.dependencies:",
                    "        for need in task.dependencies"
                    " if task.worker in registry.named else ():",
                ),
            ),
        ),
        (
            "leaves out whose problem it is",
            _changed(
                FIRST_LOOK, ('"unknown_dependency", said, (task.id,)', '"unknown_dependency", said')
            ),
        ),
        (
            "compares workers in small letters",
            _changed(FIRST_LOOK, ("if task.worker not in", "if task.worker.lower() not in")),
        ),
        (
            "raises instead of telling",
            "def first_look(plan, registry):\n"
            "    for task in plan.tasks:\n"
            "        if task.worker not in registry.named:\n"
            "            raise ValueError(f'no worker {task.worker}')\n"
            "    return []\n",
        ),
    ],
    "6.2": [
        (
            "names everybody who never gets to run",
            "def circles(plan):\n"
            "    stuck = [id for id in plan.by_id if id not in in_order(plan)]\n"
            "    return [stuck] if stuck else []\n",
        ),
        (
            "keeps the way that leads to the circle",
            _changed(circles, ("found.append(path[path.index(here) :])", "found.append(path)")),
        ),
        (
            "names them in the order of running",
            _changed(
                circles,
                (
                    "found.append(path[path.index(here) :])",
                    "found.append(path[path.index(here) :][::-1])",
                ),
            ),
        ),
        (
            "sorts the members",
            _changed(
                circles,
                (
                    "found.append(path[path.index(here) :])",
                    "found.append(sorted(path[path.index(here) :]))",
                ),
            ),
        ),
        (
            "stops at the first circle",
            _changed(
                circles,
                (
                    "        stuck -= set(path)\n    return found",
                    "            break\n    return found",
                ),
            ),
        ),
        (
            "tells a circle once for each member",
            _changed(circles, ("        stuck -= set(path)\n", "")),
        ),
        (
            "closes the circle with its first member",
            _changed(
                circles,
                (
                    "found.append(path[path.index(here) :])",
                    "found.append([*path[path.index(here) :], here])",
                ),
            ),
        ),
        (
            "takes two ways that meet again for a circle",
            "def circles(plan):\n"
            "    for start in plan.by_id:\n"
            "        seen, todo = set(), [start]\n"
            "        while todo:\n"
            "            here = todo.pop()\n"
            "            if here in seen:\n"
            "                return [sorted(seen)]\n"
            "            seen.add(here)\n"
            "            if here in plan.by_id:\n"
            "                todo.extend(plan.by_id[here].dependencies)\n"
            "    return []\n",
        ),
        (
            "overlooks who waits for itself",
            _changed(
                circles,
                (
                    "in named[here].dependencies if n in stuck)",
                    "in named[here].dependencies if n in stuck and n != here)",
                ),
            ),
        ),
        (
            "breaks on a dependency that is no task",
            "def circles(plan):\n"
            "    found, done = [], set()\n"
            "    for start in plan.by_id:\n"
            "        path, here = [], start\n"
            "        while here not in path and here not in done:\n"
            "            path.append(here)\n"
            "            needs = [n for n in plan.by_id[here].dependencies if n not in done]\n"
            "            if not needs:\n"
            "                done.add(here)\n"
            "                break\n"
            "            here = needs[0]\n"
            "        else:\n"
            "            if here in path:\n"
            "                found.append(path[path.index(here):])\n"
            "            done.update(path)\n"
            "    return found\n",
        ),
    ],
    "6.3": [
        (
            "counts tasks instead of seconds",
            _changed(critical_path, ("urgency(plan, seconds)", "urgency(plan)")),
        ),
        (
            "takes the slowest task next",
            _changed(
                critical_path,
                (
                    'max(after[here], key=length.__getitem__, default="")',
                    'max(after[here], key=lambda id: (seconds or {}).get(id, 1.0), default="")',
                ),
            ),
        ),
        (
            "begins with the first task that waits for nothing",
            _changed(
                critical_path,
                (
                    "max((t.id for t in plan.tasks if not t.dependencies),"
                    ' key=length.__getitem__, default="")',
                    'next((t.id for t in plan.tasks if not t.dependencies), "")',
                ),
            ),
        ),
        (
            "names the chain from its end",
            _changed(critical_path, ("return tuple(chain),", "return tuple(chain[::-1]),")),
        ),
        (
            "gives the work instead of the chain's seconds",
            _changed(
                critical_path,
                (
                    "length[chain[0]] if chain else 0.0",
                    "sum((seconds or {}).get(t.id, 1.0) for t in plan.tasks)",
                ),
            ),
        ),
        (
            "breaks on a plan without tasks",
            _changed(critical_path, (', default="")\n    chain', ")\n    chain")),
        ),
        (
            "takes nothing for what nothing is said of",
            "from course.supervisor_worker.graph import in_order\n\n\n"
            "def critical_path(plan, seconds=None):\n"
            "    best = {}\n"
            "    for id in in_order(plan):\n"
            "        needs = [best[n] for n in plan.by_id[id].dependencies]\n"
            "        chain, took = max(needs, key=lambda e: e[1], default=((), 0.0))\n"
            "        best[id] = ((*chain, id), took + (seconds or {}).get(id, 0.0))\n"
            "    return max(best.values(), key=lambda e: e[1], default=((), 0.0))\n",
        ),
        (
            "goes by the number of tasks",
            "from course.supervisor_worker.graph import in_order\n\n\n"
            "def critical_path(plan, seconds=None):\n"
            "    best = {}\n"
            "    for id in in_order(plan):\n"
            "        needs = [best[n] for n in plan.by_id[id].dependencies]\n"
            "        best[id] = (*max(needs, key=len, default=()), id)\n"
            "    chain = max(best.values(), key=len, default=())\n"
            "    return chain, float(sum((seconds or {}).get(id, 1.0) for id in chain))\n",
        ),
        (
            "lets the plan's last task end the chain",
            "from course.supervisor_worker.graph import in_order\n\n\n"
            "def critical_path(plan, seconds=None):\n"
            "    best = {}\n"
            "    for id in in_order(plan):\n"
            "        needs = [best[n] for n in plan.by_id[id].dependencies]\n"
            "        chain, took = max(needs, key=lambda e: e[1], default=((), 0.0))\n"
            "        best[id] = ((*chain, id), took + (seconds or {}).get(id, 1.0))\n"
            "    return best[in_order(plan)[-1]] if best else ((), 0.0)\n",
        ),
    ],
    "6.4": [
        (
            "takes the last plan whatever is wrong with it",
            _changed(_LOOP, ("if plan is None or found:", "if plan is None:")),
        ),
        (
            "tells the first problem only",
            _changed(_LOOP, ("complaint(found))", "complaint(found[:1]))")),
        ),
        (
            "forgets what the model wrote",
            _changed(
                _LOOP,
                ("context.add(answer.message, complaint(found))", "context.add(complaint(found))"),
            ),
        ),
        (
            "asks again without saying why",
            _changed(
                _LOOP, ("        context = context.add(answer.message, complaint(found))\n", "")
            ),
        ),
        (
            "asks until it is right",
            _changed(_LOOP, ("for turn in range(asked):", "for turn in range(50):")),
        ),
        (
            "asks once more than it may",
            _changed(_LOOP, ("for turn in range(asked):", "for turn in range(asked + 1):")),
        ),
        (
            "presses a model that said that nobody can do it",
            _changed(_LOOP, ("(not plan.tasks or not found)", "not found")),
        ),
        (
            "gives an empty plan back",
            _changed(
                _LOOP,
                ("if plan is None or found:", "if plan is None or (found and plan.tasks):"),
            ),
        ),
        (
            "gives up at what is no JSON",
            _changed(
                _LOOP,
                (
                    "if plan is not None and (not plan.tasks or not found):",
                    "if plan is None or not plan.tasks or not found:",
                ),
            ),
        ),
        (
            "keeps the problems to itself",
            _changed(_LOOP, (", plan=plan, problems=found)", ")")),
        ),
        (
            "says None when nothing came of it",
            _changed(
                _LOOP,
                (
                    "raise PlanError(verdict(plan, found, registry), plan=plan, problems=found)",
                    "return None",
                ),
            ),
        ),
        (
            "asks on after a valid plan",
            _changed(_LOOP, ("(not plan.tasks or not found)", "not plan.tasks")),
        ),
        (
            "forgets how many tasks are allowed",
            _changed(make_plan, ('or ""), registry, most)', 'or ""), registry)')),
        ),
    ],
    "6.5": [
        (
            "takes the plan as there when it was begun",
            _changed(departures, ("(step.end, Plan", "(step.start, Plan")),
        ),
        (
            "calls a task early that began when the other one ended",
            _changed(departures, ("> each.start for need", ">= each.start for need")),
        ),
        (
            "is content with one dependency",
            _changed(departures, ("if any(ends.get", "if needs and all(ends.get")),
        ),
        (
            "overlooks a dependency that never ran",
            _changed(departures, ('float("inf")', "0.0")),
        ),
        (
            "knows only the tasks further up in the trace",
            _changed(
                departures,
                ("    ends = {each.name: each.end for each in tasks}\n", "    ends = {}\n"),
                (
                    "    for each in tasks:\n",
                    "    for each in tasks:\n        ends[each.name] = each.end\n",
                ),
            ),
        ),
        (
            "breaks where nobody planned",
            _changed(departures, (" or [(0.0, {})]", "")),
        ),
        (
            "accuses nobody where nobody planned",
            _changed(
                departures,
                ("elif each.name not in", "elif named and each.name not in"),
                ("        else:\n", "        elif named:\n"),
            ),
        ),
        (
            "asks whether it was planned before it asks when",
            _changed(
                departures,
                (
                    "if each.start < there:\n"
                    '            found.append(Departure(each.name, "before_plan"))\n'
                    "        elif each.name",
                    "if each.name",
                ),
                (
                    "        else:\n",
                    "        elif each.start < there:\n"
                    '            found.append(Departure(each.name, "before_plan"))\n'
                    "        else:\n",
                ),
            ),
        ),
        (
            "tells every reason that fits",
            _changed(
                departures,
                ("        elif each.name not in", "        if each.name not in"),
                ("        else:\n", "        elif each.start >= there:\n"),
            ),
        ),
        (
            "knows no plan but the first",
            _changed(departures, ("[plan for plan in plans if each.name in plan[1]] or ", "")),
        ),
        (
            "goes by the last plan that names a task",
            _changed(departures, ("named = naming[0]", "named = naming[-1]")),
        ),
        (
            "tells also what was planned and never begun",
            _changed(
                departures,
                (
                    "    return found\n",
                    "    left = [id for _, named in plans for id in named if id not in ends]\n"
                    '    return found + [Departure(id, "unplanned") for id in left]\n',
                ),
            ),
        ),
    ],
}

RIGHT = {
    "6.1": [
        ("in one pass over the tasks", FIRST_LOOK),
        (
            "with three comprehensions",
            "def first_look(plan, registry):\n"
            "    ids, known = Counter(t.id for t in plan.tasks), list(registry.named)\n"
            "    return [\n"
            "        *(Problem('duplicate_id', f'{id} is there {n} times', (id,))\n"
            "          for id, n in ids.items() if n > 1),\n"
            "        *(Problem('unknown_worker', f'{t.id}: not {t.worker}, but {known}', (t.id,))\n"
            "          for t in plan.tasks if t.worker not in known),\n"
            "        *(Problem('unknown_dependency', f'{t.id} needs {need}, no task', (t.id,))\n"
            "          for t in plan.tasks for need in t.dependencies if need not in ids),\n"
            "    ]\n",
        ),
        (
            "as a generator, dependencies first",
            "def first_look(plan, registry):\n"
            "    def search():\n"
            "        seen, told = set(), set()\n"
            "        for task in plan.tasks:\n"
            "            for need in set(task.dependencies) - set(plan.by_id):\n"
            "                yield 'unknown_dependency', f'{task.id} waits for {need}', task.id\n"
            "        for task in plan.tasks:\n"
            "            if task.id in seen and task.id not in told:\n"
            "                told.add(task.id)\n"
            "                yield 'duplicate_id', f'rename one {task.id}', task.id\n"
            "            seen.add(task.id)\n"
            "            if registry.named.get(task.worker) is None:\n"
            "                names = ' or '.join(registry.named)\n"
            "                said = f'{task.id}: {task.worker} is not {names}'\n"
            "                yield 'unknown_worker', said, task.id\n"
            "    return [Problem(flaw, said, (id,)) for flaw, said, id in search()]\n",
        ),
    ],
    "6.2": [
        (
            "with a walk of its own, coloured",
            "def circles(plan):\n"
            "    found, done = [], set()\n"
            "    for start in plan.by_id:\n"
            "        path = []\n\n"
            "        def walk(id):\n"
            "            if id in path:\n"
            "                circle = path[path.index(id):]\n"
            "                if not any(set(circle) == set(each) for each in found):\n"
            "                    found.append(list(circle))\n"
            "                return\n"
            "            if id in done or id not in plan.by_id:\n"
            "                return\n"
            "            path.append(id)\n"
            "            for need in plan.by_id[id].dependencies:\n"
            "                walk(need)\n"
            "            path.pop()\n"
            "            done.add(id)\n\n"
            "        walk(start)\n"
            "    return found\n",
        ),
        (
            "trims what leads in and what leads out",
            "def circles(plan):\n"
            "    named = plan.by_id\n"
            "    needs = {t.id: [n for n in t.dependencies if n in named] for t in plan.tasks}\n"
            "    changed = True\n"
            "    while changed:\n"
            "        wanted = {n for some in needs.values() for n in some}\n"
            "        dead = [id for id, some in needs.items() if not some or id not in wanted]\n"
            "        changed = bool(dead)\n"
            "        for id in dead:\n"
            "            del needs[id]\n"
            "        needs = {id: [n for n in some if n in needs] for id, some in needs.items()}\n"
            "    found = []\n"
            "    while needs:\n"
            "        circle, here = [], next(reversed(needs))\n"
            "        while here not in circle:\n"
            "            circle.append(here)\n"
            "            inside = [n for n in needs[here] if n in needs]\n"
            "            here = inside[0] if inside else here\n"
            "        circle = circle[circle.index(here):]\n"
            "        if here in needs[circle[-1]]:\n"
            "            found.append(circle)\n"
            "        for id in circle:\n"
            "            del needs[id]\n"
            "    return found\n",
        ),
        (
            "asks of each task whether it reaches itself",
            "from collections import deque\n\n\n"
            "def circles(plan):\n"
            "    named, told, found = plan.by_id, set(), []\n"
            "    for start in named:\n"
            "        ways = deque([[start]])\n"
            "        seen = set()\n"
            "        while ways and start not in told:\n"
            "            way = ways.popleft()\n"
            "            for need in named[way[-1]].dependencies:\n"
            "                if need == start:\n"
            "                    found.append(way)\n"
            "                    told.update(way)\n"
            "                    break\n"
            "                if need in named and need not in seen:\n"
            "                    seen.add(need)\n"
            "                    ways.append([*way, need])\n"
            "    return found\n",
        ),
    ],
    "6.3": [
        (
            "forwards, without urgency",
            "from course.supervisor_worker.graph import in_order\n\n\n"
            "def critical_path(plan, seconds=None):\n"
            "    best = {}\n"
            "    for id in in_order(plan):\n"
            "        needs = [best[n] for n in plan.by_id[id].dependencies]\n"
            "        chain, took = max(needs, key=lambda e: e[1], default=((), 0.0))\n"
            "        best[id] = ((*chain, id), took + (seconds or {}).get(id, 1.0))\n"
            "    return max(best.values(), key=lambda e: e[1], default=((), 0.0))\n",
        ),
        (
            "by recursion with a cache",
            "from functools import cache\n\n\n"
            "def critical_path(plan, seconds=None):\n"
            "    takes = {t.id: 1.0 for t in plan.tasks} | dict(seconds or {})\n\n"
            "    @cache\n"
            "    def longest(id):\n"
            "        ways = [longest(n) for n in plan.by_id[id].dependencies]\n"
            "        took, chain = max(ways, default=(0.0, ()))\n"
            "        return took + takes[id], (*chain, id)\n\n"
            "    took, chain = max(map(longest, plan.by_id), default=(0.0, ()))\n"
            "    return list(chain), took\n",
        ),
        (
            "tries every chain",
            "def critical_path(plan, seconds=None):\n"
            "    takes = lambda chain: sum((seconds or {}).get(id, 1.0) for id in chain)\n"
            "    after = dependants(plan)\n"
            "    chains = [(t.id,) for t in plan.tasks if not t.dependencies]\n"
            "    for chain in chains:\n"
            "        chains.extend((*chain, id) for id in after[chain[-1]])\n"
            "    best = max(chains, key=takes, default=())\n"
            "    return best, float(takes(best))\n",
        ),
    ],
    "6.4": [
        ("decides after the loop", _LOOP),
        (
            "counts down",
            "async def make_plan(request, registry, *, client, asked=ASKED, most=MOST_TASKS,\n"
            '                    model=SMALL, instructions="", agent="planner", run_id="run"):\n'
            "    context = opening(request, registry, instructions=instructions, most=most)\n"
            "    left = asked\n"
            "    while True:\n"
            "        body = dict(model=model, messages=context.messages,\n"
            "                    response_format=answer_format(registry, most))\n"
            "        answer = await complete(client, body, headers={\n"
            '            "x-switchboard-run": run_id, "x-switchboard-agent": agent,\n'
            '            "x-switchboard-call": str(asked - left)})\n'
            '        plan, found = looked_at(answer.message["content"], registry, most)\n'
            "        left -= 1\n"
            "        match plan, found:\n"
            "            case Plan(), ():\n"
            "                return plan\n"
            "        if left == 0 or (plan and not plan.tasks):\n"
            "            why = verdict(plan, found, registry)\n"
            "            raise PlanError(why, plan=plan, problems=found)\n"
            "        context = context.add(answer.message, complaint(found))\n",
        ),
        (
            "calls itself",
            "async def make_plan(request, registry, *, client, asked=ASKED, most=MOST_TASKS,\n"
            '                    model=SMALL, instructions="", agent="planner", run_id="run"):\n'
            "    async def ask(context, turn):\n"
            '        body = {"model": model, "messages": context.messages}\n'
            "        answer = await complete(client, body, headers={})\n"
            '        text = answer.message["content"]\n'
            "        plan, found = looked_at(text, registry, most)\n"
            "        if not found:\n"
            "            return plan\n"
            "        said = '\\n'.join(f'{n}. {p}' for n, p in enumerate(found, 1))\n"
            "        if turn == asked or (plan is not None and len(plan.tasks) == 0):\n"
            "            raise PlanError(said, plan=plan, problems=tuple(found))\n"
            '        told = {"role": "user", "content": "Please correct this:\\n" + said}\n'
            "        return await ask(context.add(answer.message, told), turn + 1)\n\n"
            "    first = opening(request, registry, instructions=instructions, most=most)\n"
            "    return await ask(first, 1)\n",
        ),
    ],
    "6.5": [
        (
            "one kind after the other",
            "import json\n\n\n"
            "def departures(trace):\n"
            "    steps = [s for s in trace.spans if s.operation == 'dispatch']\n"
            "    first, needs, there = 0.0, {}, {}\n"
            "    for s in trace.spans:\n"
            "        if s.operation == 'plan' and 'switchboard.plan' in s.attributes:\n"
            "            data = json.loads(s.attributes['switchboard.plan'])\n"
            "            first = first if there else s.end\n"
            "            for t in data['tasks']:\n"
            "                there.setdefault(t['id'], s.end)\n"
            "                needs.setdefault(t['id'], t['dependencies'])\n\n"
            "    def kind(step):\n"
            "        if step.start < there.get(step.name, first):\n"
            "            return 'before_plan'\n"
            "        if step.name not in needs:\n"
            "            return 'unplanned'\n"
            "        over = {s.name for s in steps if s.end <= step.start}\n"
            "        return None if set(needs[step.name]) <= over else 'early'\n\n"
            "    return [Departure(s.name, kind(s)) for s in steps if kind(s)]\n",
        ),
        (
            "matches on the steps",
            "def departures(trace):\n"
            "    plans, ends, found = [], {}, []\n"
            "    for step in trace.spans:\n"
            "        match step.operation:\n"
            "            case 'plan' if step.attributes.get('switchboard.plan'):\n"
            "                plan = Plan.from_json(step.attributes['switchboard.plan'])\n"
            "                plans.append((plan.by_id, step.end))\n"
            "            case 'dispatch':\n"
            "                ends[step.name] = step.end\n"
            "    for step in trace.spans:\n"
            "        if step.operation != 'dispatch':\n"
            "            continue\n"
            "        task, there = None, plans[0][1] if plans else float('-inf')\n"
            "        for named, end in reversed(plans):\n"
            "            if step.name in named:\n"
            "                task, there = named[step.name], end\n"
            "        if step.start < there:\n"
            "            found.append(Departure(step.name, 'before_plan'))\n"
            "        elif task is None:\n"
            "            found.append(Departure(step.name, 'unplanned'))\n"
            "        elif any(ends.get(n, 1e9) > step.start for n in task.dependencies):\n"
            "            found.append(Departure(task=step.name, kind='early'))\n"
            "    return found\n",
        ),
        (
            "collects the kinds in a dictionary",
            "def departures(trace):\n"
            "    made = [s for s in trace.spans if s.attributes.get('switchboard.plan')]\n"
            "    tasks = {s.name: s for s in trace.spans if s.operation == 'dispatch'}\n"
            "    if not made:\n"
            "        return [Departure(id, 'unplanned') for id in tasks]\n"
            "    by_id, there, kinds = {}, {}, {}\n"
            "    for span in reversed(made):\n"
            "        plan = Plan.from_json(span.attributes['switchboard.plan'])\n"
            "        by_id |= plan.by_id\n"
            "        there |= {id: span.end for id in plan.by_id}\n"
            "    for task in by_id.values():\n"
            "        for need in task.dependencies:\n"
            "            if task.id in tasks:\n"
            "                if need not in tasks or tasks[need].end > tasks[task.id].start:\n"
            "                    kinds[task.id] = 'early'\n"
            "    kinds |= {id: 'unplanned' for id in tasks if id not in by_id}\n"
            "    for id, s in tasks.items():\n"
            "        if s.start < there.get(id, made[0].end):\n"
            "            kinds[id] = 'before_plan'\n"
            "    return [Departure(id, kinds[id]) for id in tasks if id in kinds]\n",
        ),
    ],
}
