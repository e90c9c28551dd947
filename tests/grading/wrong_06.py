"""Answers to the exercises of chapter 06: wrong ones a student may well write, and right ones.

Each entry is (name, source of the solution cell). Every wrong one must lose exactly its exercise;
`RIGHT` are answers in other styles than the solution's, and every one must pass.
"""

from __future__ import annotations

from course.observability.plan_runs import departures
from course.supervisor_worker.plan import circles, critical_path
from course.supervisor_worker.planning import make_plan
from tests.grading.changing import changed

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


_LOOP = """\
async def make_plan(request, registry, *, client, model=SMALL, instructions="",
                    most=MOST_TASKS, asked=ASKED, agent="planner"):
    context = opening(request, registry, instructions=instructions, most=most)
    plan, found = None, ()
    for turn in range(asked):
        body = {"model": model, "messages": context.messages,
                "response_format": answer_format(registry, most)}
        answer = await complete(client, body, agent=agent)
        plan, found = looked_at(answer.message["content"] or "", registry, most)
        if plan is not None and (not plan.tasks or not found):
            break
        context = context.add(shortened(answer.message), complaint(found))
    if plan is None or found:
        raise PlanError(verdict(plan, found, registry), plan=plan, problems=found)
    return plan
"""

WRONG = {
    "6.1": [
        (
            "stops at the first problem",
            changed(
                FIRST_LOOK,
                'found.append(Problem("unknown_worker", said, (task.id,)))',
                'return [*found, Problem("unknown_worker", said, (task.id,))]',
            ),
        ),
        (
            "knows only the tasks further up",
            changed(
                FIRST_LOOK,
                "if need not in ids:",
                "if need not in ids[: ids.index(task.id)]:",
            ),
        ),
        (
            "tells a double id as often as it is there",
            changed(FIRST_LOOK, "in dict.fromkeys(ids):", "in ids:"),
        ),
        (
            "does not name the workers there are",
            changed(FIRST_LOOK, "; there are: {known}", ""),
        ),
        (
            "does not name the dependency that is missing",
            changed(FIRST_LOOK, "needs '{need}', which is no task", "a dependency is missing"),
        ),
        (
            "looks at the dependencies only where the worker is right",
            changed(
                FIRST_LOOK,
                "        for need in task.dependencies:",
                "        for need in task.dependencies if task.worker in registry.named else ():",
            ),
        ),
        (
            "leaves out whose problem it is",
            changed(
                FIRST_LOOK, '"unknown_dependency", said, (task.id,)', '"unknown_dependency", said'
            ),
        ),
        (
            "compares workers in small letters",
            changed(FIRST_LOOK, "if task.worker not in", "if task.worker.lower() not in"),
        ),
        (
            "raises instead of telling",
            "def first_look(plan, registry):\n"
            "    for task in plan.tasks:\n"
            "        if task.worker not in registry.named:\n"
            "            raise ValueError(f'no worker {task.worker}')\n"
            "    return []\n",
        ),
        (
            "gives only the messages",
            changed(FIRST_LOOK, "    return found", "    return [str(each) for each in found]"),
        ),
        (
            "gives None where all is well",
            changed(FIRST_LOOK, "    return found", "    return found or None"),
        ),
        (
            "counts circles, too",
            changed(
                FIRST_LOOK,
                "            if need not in ids:",
                "            if need == task.id:\n                "
                "found.append(Problem('circle', f'{need} waits for itself', "
                "(need,)))\n            if need not in ids:",
            ),
        ),
        (
            "finds something wrong in a plan without tasks",
            changed(
                FIRST_LOOK,
                "    known =",
                "    if not ids:\n        found.append(Problem('empty', 'there is "
                "nothing to do', ()))\n    known =",
            ),
        ),
        (
            "tells a worker that is not there only once",
            changed(
                FIRST_LOOK,
                "    for task in plan.tasks:\n",
                "    gone = set()\n    for task in plan.tasks:\n",
                "        if task.worker not in registry.named:",
                "        if task.worker not in {*registry.named, *gone}:\n           "
                " gone.add(task.worker)",
            ),
        ),
        (
            "names a double id as often as it is there",
            changed(FIRST_LOOK, 'twice", (id,)', 'twice", (id,) * ids.count(id)'),
        ),
        (
            "names the task that is missing, not the one that needs it",
            changed(
                FIRST_LOOK,
                '"unknown_dependency", said, (task.id,)',
                '"unknown_dependency", said, (need,)',
            ),
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
            changed(circles, "found.append(path[path.index(need) :])", "found.append(path)"),
        ),
        (
            "names them in the order of running",
            changed(
                circles,
                "found.append(path[path.index(need) :])",
                "found.append(path[path.index(need) :][::-1])",
            ),
        ),
        (
            "sorts the members",
            changed(
                circles,
                "found.append(path[path.index(need) :])",
                "found.append(sorted(path[path.index(need) :]))",
            ),
        ),
        (
            "stops at the first circle",
            changed(
                circles,
                "                del path[path.index(need) :]\n",
                "                return found\n",
            ),
        ),
        (
            "tells a circle once for each member",
            changed(
                circles,
                "    return found",
                "    return [c[n:] + c[:n] for c in found for n in range(len(c))]",
            ),
        ),
        (
            "closes the circle with its first member",
            changed(
                circles,
                "found.append(path[path.index(need) :])",
                "found.append([*path[path.index(need) :], need])",
                "stuck -= set(found[-1])",
                "stuck -= set(path)",
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
            changed(
                circles,
                "dependencies if n in stuck)",
                "dependencies if n in stuck and n != path[-1])",
            ),
        ),
        (
            "breaks on a dependency that is no task",
            changed(
                circles,
                "stuck = set(named) - set(in_order(plan))",
                "stuck = set(named).union(*(task.dependencies for task in plan.tasks))",
            ),
        ),
        (
            "takes a task with nobody to wait for as a circle",
            changed(
                circles,
                "    return found",
                "    return found + [[t.id] for t in plan.tasks if {*t.dependencies} - {*named}]",
            ),
        ),
        (
            "takes those along for whom a circle waits",
            changed(
                circles,
                "    return found",
                "    return [\n        c + [n for id in c for n in "
                "named[id].dependencies if n in named and n not in c]\n        for c "
                "in found\n    ]",
            ),
        ),
        (
            "raises where there is no circle",
            changed(
                circles,
                "    return found",
                "    if not found:\n        raise ValueError('no circle')\n    return found",
            ),
        ),
        (
            "gives up a circle that leads to another one",
            changed(
                circles,
                "stuck -= set(found[-1])",
                "stuck -= set(path)",
                "del path[path.index(need) :]",
                "path.clear()",
            ),
        ),
    ],
    "6.3": [
        (
            "counts tasks instead of seconds",
            changed(critical_path, "urgency(plan, seconds)", "urgency(plan)"),
        ),
        (
            "takes the slowest task next",
            changed(
                critical_path,
                'max(after[here], key=length.__getitem__, default="")',
                'max(after[here], key=lambda id: (seconds or {}).get(id, 1.0), default="")',
            ),
        ),
        (
            "begins with the first task that waits for nothing",
            changed(
                critical_path,
                "max((t.id for t in plan.tasks if not t.dependencies),"
                ' key=length.__getitem__, default="")',
                'next((t.id for t in plan.tasks if not t.dependencies), "")',
            ),
        ),
        (
            "names the chain from its end",
            changed(critical_path, "return tuple(chain),", "return tuple(chain[::-1]),"),
        ),
        (
            "gives the work instead of the chain's seconds",
            changed(
                critical_path,
                "length[chain[0]] if chain else 0.0",
                "sum((seconds or {}).get(t.id, 1.0) for t in plan.tasks)",
            ),
        ),
        (
            "breaks on a plan without tasks",
            changed(critical_path, ', default="")\n    chain', ")\n    chain"),
        ),
        (
            "takes nothing for what nothing is said of",
            "from course.supervisor_worker.plan import in_order\n\n\n"
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
            "from course.supervisor_worker.plan import in_order\n\n\n"
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
            "from course.supervisor_worker.plan import in_order\n\n\n"
            "def critical_path(plan, seconds=None):\n"
            "    best = {}\n"
            "    for id in in_order(plan):\n"
            "        needs = [best[n] for n in plan.by_id[id].dependencies]\n"
            "        chain, took = max(needs, key=lambda e: e[1], default=((), 0.0))\n"
            "        best[id] = ((*chain, id), took + (seconds or {}).get(id, 1.0))\n"
            "    return best[in_order(plan)[-1]] if best else ((), 0.0)\n",
        ),
        (
            "takes a second for what takes no time",
            "from course.supervisor_worker.plan import in_order\n"
            "\n"
            "\n"
            "def critical_path(plan, seconds=None):\n"
            "    best = {}\n"
            "    for id in in_order(plan):\n"
            "        needs = [best[n] for n in plan.by_id[id].dependencies]\n"
            "        chain, took = max(needs, key=lambda e: e[1], default=((), 0.0))\n"
            "        best[id] = ((*chain, id), took + ((seconds or {}).get(id) or 1.0))\n"
            "    return max(best.values(), key=lambda e: e[1], default=((), 0.0))\n",
        ),
        (
            "gives the seconds first",
            changed(
                critical_path,
                "return tuple(chain), length[chain[0]] if chain else 0.0",
                "return (length[chain[0]] if chain else 0.0), tuple(chain)",
            ),
        ),
        (
            "raises where nothing is said of a task",
            changed(
                critical_path,
                "    length, after",
                "    for task in plan.tasks:\n        if seconds and task.id not in "
                "seconds:\n            raise KeyError(task.id)\n    length, after",
            ),
        ),
        (
            "rounds the seconds",
            changed(
                critical_path, "length[chain[0]] if chain", "round(length[chain[0]], 1) if chain"
            ),
        ),
    ],
    "6.4": [
        (
            "takes the last plan whatever is wrong with it",
            changed(_LOOP, "if plan is None or found:", "if plan is None:"),
        ),
        (
            "tells the first problem only",
            changed(_LOOP, "complaint(found))", "complaint(found[:1]))"),
        ),
        (
            "forgets what the model wrote",
            changed(
                _LOOP,
                "context.add(shortened(answer.message), complaint(found))",
                "context.add(complaint(found))",
            ),
        ),
        (
            "asks again without saying why",
            changed(
                _LOOP,
                "        context = context.add(shortened(answer.message), complaint(found))\n",
                "",
            ),
        ),
        (
            "asks until it is right",
            changed(_LOOP, "for turn in range(asked):", "for turn in range(50):"),
        ),
        (
            "asks once more than it may",
            changed(_LOOP, "for turn in range(asked):", "for turn in range(asked + 1):"),
        ),
        (
            "presses a model that said that nobody can do it",
            changed(_LOOP, "(not plan.tasks or not found)", "not found"),
        ),
        (
            "gives an empty plan back",
            changed(
                _LOOP,
                "if plan is None or found:",
                "if plan is None or (found and plan.tasks):",
            ),
        ),
        (
            "gives up at what is no JSON",
            changed(
                _LOOP,
                "if plan is not None and (not plan.tasks or not found):",
                "if plan is None or not plan.tasks or not found:",
            ),
        ),
        (
            "keeps the problems to itself",
            changed(_LOOP, ", plan=plan, problems=found)", ")"),
        ),
        (
            "says None when nothing came of it",
            changed(
                _LOOP,
                "raise PlanError(verdict(plan, found, registry), plan=plan, problems=found)",
                "return None",
            ),
        ),
        (
            "asks on after a valid plan",
            changed(_LOOP, "(not plan.tasks or not found)", "not plan.tasks"),
        ),
        (
            "forgets how many tasks are allowed",
            changed(
                make_plan, "looked_at(text, registry, most, request)", "looked_at(text, registry)"
            ),
        ),
        (
            "shows a long answer in full",
            changed(_LOOP, "shortened(answer.message)", "answer.message"),
        ),
        (
            "complains before it shows what is wrong",
            changed(
                _LOOP,
                "shortened(answer.message), complaint(found)",
                "complaint(found), shortened(answer.message)",
            ),
        ),
        (
            "begins the conversation anew",
            changed(
                _LOOP,
                "context.add(shortened",
                "opening(\n            request, registry, instructions=instructions, "
                "most=most\n        ).add(shortened",
            ),
        ),
        (
            "raises a ValueError",
            changed(
                _LOOP,
                "PlanError(verdict(plan, found, registry), plan=plan, problems=found)",
                "ValueError(verdict(plan, found, registry))",
            ),
        ),
        (
            "leaves out the last plan",
            changed(_LOOP, "plan=plan, problems", "plan=None, problems"),
        ),
        (
            "gives an older plan for one that it could not read",
            changed(
                _LOOP,
                "        plan, found = looked_at",
                "        older = plan\n        plan, found = looked_at",
                "    if plan is None or found:\n",
                "    if plan is None or found:\n        plan = plan or older\n",
            ),
        ),
        (
            "forgets the rules of the house",
            changed(make_plan, "instructions=instructions", 'instructions=""'),
        ),
        (
            "keeps the first problem alone",
            changed(make_plan, "problems=found)", "problems=found[:1])"),
        ),
        (
            "asks a model of its own",
            changed(make_plan, '{"model": model', '{"model": SMALL'),
        ),
    ],
    "6.5": [
        (
            "takes the plan as there when it was begun",
            changed(departures, "(step.end, Plan", "(step.start, Plan"),
        ),
        (
            "calls a task early that began when the other one ended",
            changed(departures, "> each.start for need", ">= each.start for need"),
        ),
        (
            "is content with one dependency",
            changed(departures, "if any(ends.get", "if needs and all(ends.get"),
        ),
        (
            "overlooks a dependency that never ran",
            changed(departures, 'float("inf")', "0.0"),
        ),
        (
            "knows only the tasks further up in the trace",
            changed(
                departures,
                "    ends = {each.name: each.end for each in tasks}\n",
                "    ends = {}\n",
                "    for each in tasks:\n",
                "    for each in tasks:\n        ends[each.name] = each.end\n",
            ),
        ),
        (
            "breaks where nobody planned",
            changed(departures, " or [(0.0, {})]", ""),
        ),
        (
            "accuses nobody where nobody planned",
            changed(
                departures,
                "elif each.name not in",
                "elif named and each.name not in",
                "        else:\n",
                "        elif named:\n",
            ),
        ),
        (
            "asks whether it was planned before it asks when",
            changed(
                departures,
                "if each.start < there:\n"
                '            found.append(Departure(each.name, "before_plan"))\n'
                "        elif each.name",
                "if each.name",
                "        else:\n",
                "        elif each.start < there:\n"
                '            found.append(Departure(each.name, "before_plan"))\n'
                "        else:\n",
            ),
        ),
        (
            "tells every reason that fits",
            changed(
                departures,
                "        elif each.name not in",
                "        if each.name not in",
                "        else:\n",
                "        elif each.start >= there:\n",
            ),
        ),
        (
            "knows no plan but the first",
            changed(departures, "[plan for plan in plans if each.name in plan[1]] or ", ""),
        ),
        (
            "goes by the last plan that names a task",
            changed(departures, "named = naming[0]", "named = naming[-1]"),
        ),
        (
            "tells also what was planned and never begun",
            changed(
                departures,
                "    return found\n",
                "    left = [id for _, named in plans for id in named if id not in ends]\n"
                '    return found + [Departure(id, "unplanned") for id in left]\n',
            ),
        ),
        (
            "gives pairs",
            changed(
                departures,
                "    return found",
                "    return [(each.task, each.kind) for each in found]",
            ),
        ),
        (
            "in the reverse order",
            changed(departures, "    return found", "    return found[::-1]"),
        ),
        (
            "calls early what nobody planned",
            changed(departures, '(each.name, "unplanned")', '(each.name, "early")'),
        ),
        (
            "takes the last plan for what none names",
            changed(departures, "or plans or", "or plans[::-1] or"),
        ),
        (
            "leaves out the tasks that failed",
            changed(
                departures,
                'if step.operation == "dispatch"]',
                'if step.operation == "dispatch" and not step.error]',
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
        (
            "is a class with a method for each flaw",
            "class Look:\n"
            "    def __init__(self, plan, registry):\n"
            "        self.plan, self.names = plan, list(registry.named)\n"
            "        self.ids = Counter(task.id for task in plan.tasks)\n"
            "\n"
            "    def duplicate_id(self):\n"
            '        return {(id,): f"{id} is the id of {n} tasks" for id, n in '
            "self.ids.items() if n > 1}\n"
            "\n"
            "    def each(self):\n"
            '        for flaw in ("unknown_worker", "unknown_dependency"):\n'
            "            for task in self.plan.tasks:\n"
            '                yield from ((flaw, f"{task.id}: {said}") for said in '
            "getattr(self, flaw)(task))\n"
            "\n"
            "    def unknown_worker(self, task):\n"
            "        if task.worker not in self.names:\n"
            "            yield f\"nobody is called {task.worker}, there are {' and "
            "'.join(self.names)}\"\n"
            "\n"
            "    def unknown_dependency(self, task):\n"
            '        return (f"waits for {need}, in vain" for need in task.dependencies '
            "if not self.ids[need])\n"
            "\n"
            "\n"
            "def first_look(plan, registry):\n"
            "    look = Look(plan, registry)\n"
            '    found = [Problem("duplicate_id", said, id) for id, said in '
            "look.duplicate_id().items()]\n"
            '    return found + [Problem(flaw, said, (said.split(":")[0],)) for flaw, '
            "said in look.each()]\n",
        ),
        (
            "sorts, and groups what is equal",
            "from itertools import groupby\n"
            "\n"
            "\n"
            "def first_look(plan, registry):\n"
            "    found, known = [], sorted(registry.named)\n"
            "    for id, same in groupby(sorted(task.id for task in plan.tasks)):\n"
            "        if len([*same]) != 1:\n"
            '            found += [Problem("duplicate_id", "more than one task is " + id, (id,))]\n'
            "    every = {task.id for task in plan.tasks}\n"
            "    for task in reversed(plan.tasks):\n"
            "        match task.worker in known:\n"
            "            case False:\n"
            '                said = f"{task.id} wants {task.worker}; these are there: {known}"\n'
            '                found.insert(0, Problem("unknown_worker", said, (task.id,)))\n'
            "        for need in sorted(task.dependencies):\n"
            "            if need not in every:\n"
            '                said = f"{task.id} builds on {need}; nobody does that"\n'
            '                found.insert(0, Problem("unknown_dependency", said, (task.id,)))\n'
            "    return found\n",
        ),
        (
            "lets exceptions carry the problems",
            "import functools\n"
            "\n"
            "\n"
            "class Flawed(Exception):\n"
            "    pass\n"
            "\n"
            "\n"
            "def first_look(plan, registry):\n"
            "    counted = Counter([task.id for task in plan.tasks])\n"
            "\n"
            "    def one(id):\n"
            "        if counted[id] > 1:\n"
            '            raise Flawed("duplicate_id", f"\'{id}\' stands for '
            '{counted[id]} tasks", (id,))\n'
            "\n"
            "    def there(task):\n"
            "        try:\n"
            "            registry.named[task.worker]\n"
            "        except KeyError as gone:\n"
            "            said = f\"{task.id}: no {gone}; workers are {', "
            "'.join(registry.named)}\"\n"
            '            raise Flawed("unknown_worker", said, (task.id,)) from None\n'
            "\n"
            "    def needed(task, need):\n"
            "        if need not in counted:\n"
            '            raise Flawed("unknown_dependency", f"{task.id}: there is no '
            '{need}", (task.id,))\n'
            "\n"
            "    looks = [functools.partial(one, id) for id in counted]\n"
            "    looks += [functools.partial(there, task) for task in plan.tasks]\n"
            "    looks += [functools.partial(needed, t, need) for t in plan.tasks for "
            "need in t.dependencies]\n"
            "    found = []\n"
            "    for look in looks:\n"
            "        try:\n"
            "            look()\n"
            "        except Flawed as flaw:\n"
            "            found.append(Problem(*flaw.args))\n"
            "    return found\n",
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
        (
            "finds strongly connected tasks",
            "def circles(plan):\n"
            "    needs = {t.id: [n for n in t.dependencies if n in plan.by_id] for t in "
            "plan.tasks}\n"
            "\n"
            "    def reached(start):\n"
            "        seen, todo = set(), list(needs[start])\n"
            "        while todo:\n"
            "            if (here := todo.pop()) not in seen:\n"
            "                seen.add(here)\n"
            "                todo += needs[here]\n"
            "        return seen\n"
            "\n"
            "    reach = {id: reached(id) for id in needs}\n"
            "    found, done = [], set()\n"
            "    for id in needs:\n"
            "        if id in reach[id] and id not in done:\n"
            "            way = way_round(id, id, needs, reach, (id,))\n"
            "            found.append(list(way))\n"
            "            done |= {other for other in reach[id] if id in reach[other]}\n"
            "    return found\n"
            "\n"
            "\n"
            "def way_round(here, goal, needs, reach, way):\n"
            "    for need in needs[here]:\n"
            "        if need == goal:\n"
            "            return way\n"
            "        if goal in reach[need] and need not in way:\n"
            "            if (longer := way_round(need, goal, needs, reach, (*way, "
            "need))) is not None:\n"
            "                return longer\n"
            "    return None\n",
        ),
        (
            "asks in_order again after each circle",
            "def circles(plan):\n"
            "    found = []\n"
            "    while left := [id for id in plan.by_id if id not in set(in_order(plan))]:\n"
            "        path = [left[0]]\n"
            "        while (need := next(n for n in plan.by_id[path[-1]].dependencies if "
            "n in left)) not in path:\n"
            "            path.append(need)\n"
            "        found.append(path[path.index(need) :])\n"
            "        tasks = tuple(task for task in plan.tasks if task.id not in found[-1])\n"
            '        plan = plan.model_copy(update={"tasks": tasks})\n'
            "    return found\n",
        ),
        (
            "walks back in a generator",
            "def circles(plan):\n"
            "    def walks(path):\n"
            "        for need in plan.by_id[path[-1]].dependencies:\n"
            "            if need in path:\n"
            "                yield path[path.index(need) :]\n"
            "            elif need in plan.by_id:\n"
            "                yield from walks([*path, need])\n"
            "\n"
            "    found = {}\n"
            "    for id in plan.by_id:\n"
            "        for circle in walks([id]):\n"
            "            found.setdefault(frozenset(circle), circle)\n"
            "    return list(found.values())\n",
        ),
    ],
    "6.3": [
        (
            "forwards, without urgency",
            "from course.supervisor_worker.plan import in_order\n\n\n"
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
        (
            "pushes what it finds forwards",
            "from collections import deque\n"
            "\n"
            "\n"
            "def critical_path(plan, seconds=None):\n"
            "    takes = {task.id: 1.0 for task in plan.tasks} | {k: v for k, v in "
            "(seconds or {}).items()}\n"
            "    after, left = dependants(plan), {t.id: len(set(t.dependencies)) for t "
            "in plan.tasks}\n"
            "    ready = deque(id for id, many in left.items() if not many)\n"
            "    best = {id: (takes[id], (id,)) for id in ready}\n"
            "    while ready:\n"
            "        took, chain = best[here := ready.popleft()]\n"
            "        for each in after[here]:\n"
            "            longer = (took + takes[each], (*chain, each))\n"
            "            best[each] = max(best.get(each, longer), longer, key=lambda one: one[0])\n"
            "            left[each] -= 1\n"
            "            if not left[each]:\n"
            "                ready.append(each)\n"
            "    took, chain = max(best.values(), default=(0.0, ()), key=lambda one: one[0])\n"
            "    return chain, took\n",
        ),
        (
            "keeps chains in a dataclass",
            "from dataclasses import dataclass\n"
            "\n"
            "\n"
            "@dataclass(order=True)\n"
            "class Chain:\n"
            "    seconds: float = 0.0\n"
            "    tasks: tuple = ()\n"
            "\n"
            "\n"
            "def critical_path(plan, seconds=None):\n"
            "    known = {}\n"
            "\n"
            "    def until(id):\n"
            "        if id not in known:\n"
            "            before = max(map(until, plan.by_id[id].dependencies), default=Chain())\n"
            "            took = 1.0 if seconds is None or id not in seconds else seconds[id]\n"
            "            known[id] = Chain(before.seconds + took, (*before.tasks, id))\n"
            "        return known[id]\n"
            "\n"
            "    longest = max((until(task.id) for task in plan.tasks), default=Chain())\n"
            "    return longest.tasks, longest.seconds\n",
        ),
        (
            "relaxes with numpy until nothing changes",
            "import numpy as np\n"
            "\n"
            "\n"
            "def critical_path(plan, seconds=None):\n"
            "    ids = [task.id for task in plan.tasks]\n"
            "    if not ids:\n"
            "        return (), 0.0\n"
            "    takes = np.array([(seconds or {}).get(id, 1.0) for id in ids], dtype=float)\n"
            "    ends, before = takes.copy(), [None] * len(ids)\n"
            "    for _ in ids:\n"
            "        for place, task in enumerate(plan.tasks):\n"
            "            for need in task.dependencies:\n"
            "                other = ids.index(need)\n"
            "                if ends[other] + takes[place] > ends[place] or "
            "before[place] is None:\n"
            "                    if ends[other] + takes[place] >= ends[place]:\n"
            "                        ends[place], before[place] = ends[other] + "
            "takes[place], other\n"
            "    place = int(np.argmax(ends))\n"
            "    chain = [place]\n"
            "    while before[chain[-1]] is not None:\n"
            "        chain.append(before[chain[-1]])\n"
            "    return tuple(ids[each] for each in reversed(chain)), ends[place]\n",
        ),
    ],
    "6.4": [
        ("decides after the loop", _LOOP),
        (
            "counts down",
            "async def make_plan(request, registry, *, client, asked=ASKED, most=MOST_TASKS,\n"
            '                    model=SMALL, instructions="", agent="planner"):\n'
            "    context = opening(request, registry, instructions=instructions, most=most)\n"
            "    left = asked\n"
            "    while True:\n"
            "        body = dict(model=model, messages=context.messages,\n"
            "                    response_format=answer_format(registry, most))\n"
            "        answer = await complete(client, body, agent=agent)\n"
            '        plan, found = looked_at(answer.message["content"], registry, most)\n'
            "        left -= 1\n"
            "        match plan, found:\n"
            "            case Plan(), ():\n"
            "                return plan\n"
            "        if left == 0 or (plan and not plan.tasks):\n"
            "            why = verdict(plan, found, registry)\n"
            "            raise PlanError(why, plan=plan, problems=found)\n"
            "        context = context.add(shortened(answer.message), complaint(found))\n",
        ),
        (
            "calls itself",
            "async def make_plan(request, registry, *, client, asked=ASKED, most=MOST_TASKS,\n"
            '                    model=SMALL, instructions="", agent="planner"):\n'
            "    async def ask(context, turn):\n"
            '        body = {"model": model, "messages": context.messages}\n'
            "        answer = await complete(client, body)\n"
            '        text = answer.message["content"]\n'
            "        plan, found = looked_at(text, registry, most)\n"
            "        if not found:\n"
            "            return plan\n"
            "        said = '\\n'.join(f'{n}. {p}' for n, p in enumerate(found, 1))\n"
            "        if turn == asked or (plan is not None and len(plan.tasks) == 0):\n"
            "            raise PlanError(said, plan=plan, problems=tuple(found))\n"
            '        told = {"role": "user", "content": "Please correct this:\\n" + said}\n'
            "        return await ask(context.add(shortened(answer.message), told), turn + 1)\n\n"
            "    first = opening(request, registry, instructions=instructions, most=most)\n"
            "    return await ask(first, 1)\n",
        ),
        (
            "asks in an asynchronous generator",
            "async def drafts(context, registry, *, client, model, most, agent):\n"
            "    turn = 0\n"
            "    while True:\n"
            "        answer = await complete(\n"
            "            client,\n"
            "            {\n"
            '                "model": model,\n'
            '                "messages": context.messages,\n'
            '                "response_format": answer_format(registry, most),\n'
            "            },\n"
            "            agent=agent,\n"
            "        )\n"
            '        plan, found = looked_at(answer.message.get("content") or "", registry, most)\n'
            "        yield plan, found\n"
            "        context = context.add(shortened(answer.message), complaint(found))\n"
            "        turn += 1\n"
            "\n"
            "\n"
            'async def make_plan(request, registry, *, client, model=SMALL, instructions="",\n'
            '                    most=MOST_TASKS, asked=ASKED, agent="planner"):\n'
            "    context = opening(request, registry, instructions=instructions, most=most)\n"
            "    written = drafts(\n"
            "        context, registry, client=client, model=model, most=most, agent=agent\n"
            "    )\n"
            "    async for plan, found in written:\n"
            "        asked -= 1\n"
            "        if plan and not found:\n"
            "            return plan\n"
            "        if asked == 0 or (plan and not plan.tasks):\n"
            "            raise PlanError(verdict(plan, found, registry), plan=plan, "
            "problems=found)\n",
        ),
        (
            "is an object that is called",
            "from dataclasses import dataclass\n"
            "\n"
            "\n"
            "@dataclass\n"
            "class Planner:\n"
            "    tries: int = 0\n"
            "\n"
            "    async def __call__(self, request, registry, *, client, model=SMALL, "
            'instructions="",\n'
            '                       most=MOST_TASKS, asked=ASKED, agent="planner"):\n'
            "        said = opening(request, registry, instructions=instructions, most=most)\n"
            "        for self.tries in range(1, asked + 1):\n"
            "            body = dict(model=model, messages=list(said.messages),\n"
            "                        response_format=answer_format(registry, most))\n"
            "            message = (await complete(client, body, agent=agent)).message\n"
            '            match looked_at(message["content"], registry, most):\n'
            "                case plan, () if plan is not None:\n"
            "                    return plan\n"
            "                case plan, found:\n"
            "                    error = PlanError(verdict(plan, found, registry), "
            "plan=plan, problems=found)\n"
            "                    if plan is not None and len(plan.tasks) == 0:\n"
            "                        raise error\n"
            "            said = said.add(shortened(message)).add(complaint(found))\n"
            "        raise error\n"
            "\n"
            "\n"
            "make_plan = Planner()\n",
        ),
        (
            "keeps the messages in a list and falls out of a while",
            'async def make_plan(request, registry, *, client, model=SMALL, instructions="",\n'
            '                    most=MOST_TASKS, asked=ASKED, agent="planner"):\n'
            "    messages = [*opening(request, registry, instructions=instructions, "
            "most=most).messages]\n"
            '    fixed = {"model": model, "response_format": answer_format(registry, most)}\n'
            "    calls, problems, plan = 0, True, None\n"
            "    while problems and calls < asked:\n"
            '        answer = await complete(client, fixed | {"messages": messages}, '
            "agent=agent)\n"
            "        calls += 1\n"
            '        plan, problems = looked_at(str(answer.message["content"]), registry, most)\n'
            "        if plan is not None and not plan.tasks:\n"
            "            break\n"
            "        messages = [*messages, shortened(answer.message), complaint(problems)]\n"
            "    if not problems:\n"
            "        return plan\n"
            "    raise PlanError(verdict(plan, problems, registry), plan=plan, "
            "problems=problems)\n",
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
        (
            "asks small functions in turn",
            "from functools import partial\n"
            "\n"
            "\n"
            "def departures(trace):\n"
            "    plans, ends = [], {}\n"
            "    for step in trace.spans:\n"
            '        if step.operation == "plan" and (text := '
            'step.attributes.get("switchboard.plan")):\n'
            "            plans.append((step.end, {t.id: t for t in "
            "Plan.from_json(str(text)).tasks}))\n"
            '        elif step.operation == "dispatch":\n'
            "            ends[step.name] = step.end\n"
            "\n"
            "    def own(step):\n"
            "        return next((p for p in plans if step.name in p[1]), plans[0] if "
            "plans else (0, {}))\n"
            "\n"
            "    def before_plan(step):\n"
            "        return own(step)[0] > step.start\n"
            "\n"
            "    def unplanned(step):\n"
            "        return step.name not in own(step)[1]\n"
            "\n"
            "    def early(step):\n"
            "        return not all(\n"
            "            need in ends and ends[need] <= step.start\n"
            "            for need in own(step)[1][step.name].dependencies\n"
            "        )\n"
            "\n"
            "    def kind(tests, step):\n"
            "        return next((test.__name__ for test in tests if test(step)), None)\n"
            "\n"
            "    told = partial(kind, (before_plan, unplanned, early))\n"
            '    tasks = [step for step in trace.spans if step.operation == "dispatch"]\n'
            "    return [Departure(step.name, told(step)) for step in tasks if told(step)]\n",
        ),
        (
            "is a generator that is put into a list",
            "def departures(trace):\n"
            "    return [*departed(trace.spans)]\n"
            "\n"
            "\n"
            "def departed(steps):\n"
            '    whole = [s for s in steps if s.operation == "plan" and '
            '"switchboard.plan" in s.attributes]\n'
            "    plan_of, there = {}, {}\n"
            "    for step in reversed(whole):\n"
            '        for task in Plan.from_json(str(step.attributes["switchboard.plan"])).tasks:\n'
            "            plan_of[task.id], there[task.id] = task, step.end\n"
            '    ends = {s.name: s.end for s in steps if s.operation == "dispatch"}\n'
            '    first = whole[0].end if whole else float("-inf")\n'
            "    for step in steps:\n"
            '        if step.operation != "dispatch":\n'
            "            continue\n"
            "        if step.start < there.get(step.name, first):\n"
            '            yield Departure(step.name, "before_plan")\n'
            "        elif (task := plan_of.get(step.name)) is None:\n"
            '            yield Departure(task=step.name, kind="unplanned")\n'
            "        else:\n"
            "            late = [n for n in task.dependencies if n not in ends or "
            "ends[n] > step.start]\n"
            "            if late:\n"
            '                yield Departure(step.name, "early")\n',
        ),
        (
            "lets an exception name the kind",
            "import json\n"
            "\n"
            "\n"
            "class Departed(Exception):\n"
            "    pass\n"
            "\n"
            "\n"
            "def departures(trace):\n"
            "    plans = [\n"
            '        (step.end, {t["id"]: t["dependencies"] for t in json.loads(text)["tasks"]})\n'
            "        for step in trace.spans\n"
            '        for text in [step.attributes.get("switchboard.plan")]\n'
            '        if step.operation == "plan" and text is not None\n'
            "    ]\n"
            '    done = {step.name: step for step in trace.spans if step.operation == "dispatch"}\n'
            "\n"
            "    def look(step):\n"
            "        there, needs = ([p for p in plans if step.name in p[1]] or [*plans, "
            "(0.0, {})])[0]\n"
            "        if step.start < there:\n"
            '            raise Departed("before_plan")\n'
            "        try:\n"
            "            waited = [done[need].end <= step.start for need in needs[step.name]]\n"
            "        except KeyError as gone:\n"
            '            kind = "unplanned" if step.name not in needs else "early"\n'
            "            raise Departed(kind) from gone\n"
            "        if not all(waited):\n"
            '            raise Departed("early")\n'
            "\n"
            "    found = []\n"
            "    for step in done.values():\n"
            "        try:\n"
            "            look(step)\n"
            "        except Departed as kind:\n"
            "            found.append(Departure(step.name, str(kind)))\n"
            "    return found\n",
        ),
    ],
}
