"""Answers to the exercises of chapter 04: wrong ones a student may well write, and right ones.

Each entry is (name, source of the solution cell). Every wrong one must lose exactly its exercise;
`RIGHT` are answers in other styles than the solution's, and every one must pass.
"""

from __future__ import annotations

import inspect

from course.approval import decide
from course.budget import charge
from course.observability.diagnosis import waits
from course.supervisor.delegating import attempt, read_order
from course.supervisor.running import answer_all
from tests.grading.changing import changed

WRONG = {
    "4.1": [
        (
            "gives the worker's name instead of the worker",
            changed(read_order, "Order(boss.named[name], task,", "Order(name, task,"),
        ),
        (
            "keeps the space around the task",
            changed(read_order, 'given["task"].strip()', 'given["task"]'),
        ),
        (
            "does not know the other workers' names",
            changed(read_order, "there is no worker '{name}'; the workers: {known}", "no {name}"),
        ),
        (
            "names the worker that may never be asked",
            changed(read_order, "for worker in boss.open_to", "for worker in boss.workers"),
        ),
        (
            "lets a KeyError out",
            "def read_order(boss, arguments):\n"
            "    given = parse_arguments(delegation_call, arguments)\n"
            '    worker, task = boss.named[given["worker_agent"]], given["task"].strip()\n'
            "    if not task:\n"
            '        raise ToolError(f"the task for {worker.name} is empty")\n'
            '    return Order(worker, task, given["constraints"].strip())\n',
        ),
        ("takes an empty task", changed(read_order, "if not task:", "if task is None:")),
        (
            "forgets the constraints",
            changed(read_order, ', given["constraints"].strip())', ")"),
        ),
        (
            "reads the JSON without checking it",
            "import json\n\n\n"
            + changed(
                read_order,
                "parse_arguments(delegation_call, arguments)",
                '{"constraints": "", **json.loads(arguments)}',
            ),
        ),
        (
            "keeps the space around the constraints",
            changed(read_order, 'given["constraints"].strip()', 'given["constraints"]'),
        ),
        (
            "delegates to the supervisor itself",
            changed(
                read_order,
                "        raise ToolError(f\"you are '{name}' and cannot delegate to yourself;"
                ' the workers: {known}")\n',
                '        return Order(boss, task, given["constraints"].strip())\n',
            ),
        ),
        (
            "does not say whose task is empty",
            changed(read_order, "the task for '{name}' is empty", "the task is empty"),
        ),
        (
            "takes a blank task",
            changed(read_order, "if not task:", 'if not given["task"]:'),
        ),
    ],
    "4.2": [
        (
            "one after the other",
            "async def answer_all(run, calls):\n"
            '    with span("monitor", run.boss.name) as run.monitor:\n'
            "        return [await answer_one(run, call) for call in calls]\n",
        ),
        (
            "in the order in which they finish",
            "async def answer_all(run, calls):\n"
            '    with span("monitor", run.boss.name) as run.monitor:\n'
            "        pending = [answer_one(run, call) for call in calls]\n"
            "        return [await done for done in asyncio.as_completed(pending)]\n",
        ),
        (
            "delegates first and uses its own tools afterwards",
            "async def answer_all(run, calls):\n"
            '    own = [c for c in calls if c["function"]["name"] != "delegate_to_agent"]\n'
            "    given = [c for c in calls if c not in own]\n"
            '    with span("monitor", run.boss.name) as run.monitor:\n'
            "        done = await asyncio.gather(*(answer_one(run, c) for c in given))\n"
            "        done += await asyncio.gather(*(answer_one(run, c) for c in own))\n"
            '    by_id = {each["tool_call_id"]: each for each in done}\n'
            '    return [by_id[c["id"]] for c in calls]\n',
        ),
        (
            "drops the failed ones",
            "async def answer_all(run, calls):\n"
            '    with span("monitor", run.boss.name) as run.monitor:\n'
            "        done = await asyncio.gather(*(answer_one(run, c) for c in calls))\n"
            "    return [each for each in done if '\"failed\"' not in each['content']]\n",
        ),
        (
            "watches over nothing",
            "async def answer_all(run, calls):\n"
            "    return await asyncio.gather(*(answer_one(run, call) for call in calls))\n",
        ),
        (
            "closes the step before the work is done",
            "async def answer_all(run, calls):\n"
            '    with span("monitor", run.boss.name) as run.monitor:\n'
            "        tasks = [asyncio.ensure_future(answer_one(run, c)) for c in calls]\n"
            "    return await asyncio.gather(*tasks)\n",
        ),
        (
            "leaves the workers running when it is stopped",
            "async def answer_all(run, calls):\n"
            "    tasks = [asyncio.ensure_future(answer_one(run, call)) for call in calls]\n"
            '    with span("monitor", run.boss.name) as run.monitor:\n'
            "        await asyncio.wait(tasks)\n"
            "    return [task.result() for task in tasks]\n",
        ),
        (
            "asks each worker only once",
            changed(
                answer_all,
                "for call in calls]",
                "for call in {c['id']: c for c in calls[:3]}.values()]",
            ),
        ),
        (
            "keeps the order in which they finish",
            "async def answer_all(run, calls):\n"
            "    done = []\n"
            "\n"
            "    async def answer(call):\n"
            "        done.append(await answer_one(run, call))\n"
            "\n"
            '    with span("monitor", run.boss.name) as run.monitor:\n'
            "        await asyncio.gather(*(answer(call) for call in calls))\n"
            "    return done\n",
        ),
        (
            "opens a step for each call",
            "async def answer_all(run, calls):\n"
            "    async def answer(call):\n"
            '        with span("monitor", run.boss.name) as run.monitor:\n'
            "            return await answer_one(run, call)\n"
            "\n"
            "    return await asyncio.gather(*(answer(call) for call in calls))\n",
        ),
        (
            "keeps the step to itself",
            "async def answer_all(run, calls):\n"
            '    with span("monitor", run.boss.name):\n'
            "        return await asyncio.gather(*(answer_one(run, call) for call in calls))\n",
        ),
        (
            "raises when a delegation failed",
            "async def answer_all(run, calls):\n"
            '    with span("monitor", run.boss.name) as run.monitor:\n'
            "        done = await asyncio.gather(*(answer_one(run, call) for call in calls))\n"
            '    if any(\'"failed"\' in each["content"] for each in done):\n'
            '        raise RuntimeError("a delegation failed")\n'
            "    return done\n",
        ),
        (
            "returns all the same when it is stopped",
            "async def answer_all(run, calls):\n"
            '    with span("monitor", run.boss.name) as run.monitor:\n'
            "        try:\n"
            "            return await asyncio.gather(*(answer_one(run, call) for call "
            "in calls))\n"
            "        except asyncio.CancelledError:\n"
            "            return []\n",
        ),
        (
            "ten at a time",
            "async def answer_all(run, calls):\n"
            "    places = asyncio.Semaphore(10)\n"
            "\n"
            "    async def answer(call):\n"
            "        async with places:\n"
            "            return await answer_one(run, call)\n"
            "\n"
            "    async with asyncio.TaskGroup() as group:\n"
            "        tasks = [group.create_task(answer(call)) for call in calls]\n"
            '        with span("monitor", run.boss.name) as run.monitor:\n'
            "            await asyncio.wait(tasks)\n"
            "    return [task.result() for task in tasks]\n",
        ),
    ],
    "4.3": [
        (
            "looks, but does not take",
            changed(
                charge, "budget.reserve(most, last=last)", "budget.check(most, last=last)"
            ).replace("budget.settle(most, used)", "budget.settle(0, used)"),
        ),
        (
            "reserves after the call",
            "async def charge(budget, most, call, *, last=False):\n"
            "    answer = await call()\n"
            "    budget.reserve(most, last=last)\n"
            "    budget.settle(most, answer.usage.total or most)\n"
            "    return answer\n",
        ),
        (
            "never settles what failed",
            "async def charge(budget, most, call, *, last=False):\n"
            "    budget.reserve(most, last=last)\n"
            "    answer = await call()\n"
            "    budget.settle(most, answer.usage.total or most)\n"
            "    return answer\n",
        ),
        (
            "takes what broke off for free",
            changed(charge, "    used = most\n", "    used = 0\n"),
        ),
        (
            "lets a refused call cost everything",
            changed(charge, "        if was_refused(error):\n            used = 0\n", ""),
        ),
        (
            "believes a service that counts nothing",
            changed(charge, "answer.usage.total or most", "answer.usage.total"),
        ),
        (
            "settles errors but not a cancelled call",
            "async def charge(budget, most, call, *, last=False):\n"
            "    budget.reserve(most, last=last)\n"
            "    try:\n"
            "        answer = await call()\n"
            "    except Exception as error:\n"
            "        budget.settle(most, 0 if was_refused(error) else most)\n"
            "        raise\n"
            "    budget.settle(most, answer.usage.total or most)\n"
            "    return answer\n",
        ),
        (
            "keeps the last call from what is kept back for it",
            changed(charge, "budget.reserve(most, last=last)", "budget.reserve(most)"),
        ),
        (
            "makes one call at a time",
            inspect.getsource(charge).replace(
                "        answer = await call()",
                "        while budget.held > most:\n"
                "            await asyncio.sleep(0.5)\n"
                "        answer = await call()",
            ),
        ),
        (
            "gives only the message",
            changed(charge, "return answer\n", "return answer.message\n"),
        ),
        (
            "spends all that it reserved",
            changed(charge, "used = answer.usage.total or most", "used = most"),
        ),
        (
            "sends what the budget refuses",
            "async def charge(budget, most, call, *, last=False):\n"
            "    try:\n"
            "        budget.reserve(most, last=last)\n"
            "    except BudgetExceeded:\n"
            "        await call()\n"
            "        raise\n"
            "    used = most\n"
            "    try:\n"
            "        answer = await call()\n"
            "        used = answer.usage.total or most\n"
            "        return answer\n"
            "    except Exception as error:\n"
            "        used = 0 if was_refused(error) else most\n"
            "        raise\n"
            "    finally:\n"
            "        budget.settle(most, used)\n",
        ),
        (
            "wraps what the call raises",
            changed(
                charge, "        raise\n", '        raise RuntimeError("no answer") from error\n'
            ),
        ),
        (
            "takes every error for a refusal",
            changed(charge, "if was_refused(error):", "if error:"),
        ),
        (
            "knows one way of being refused",
            changed(charge, "was_refused(error)", 'getattr(error, "status_code", None) == 429'),
        ),
        (
            "takes a stopped call for free",
            changed(
                charge,
                "    except Exception as error:\n        if was_refused(error):\n",
                "    except BaseException as error:\n"
                "        if was_refused(error) or not isinstance(error, Exception):\n",
            ),
        ),
        (
            "settles what it never reserved",
            changed(charge, "    budget.reserve(most, last=last)\n", "").replace(
                "    try:\n", "    try:\n        budget.reserve(most, last=last)\n"
            ),
        ),
        (
            "lets every call use what is kept back",
            changed(charge, "last=last", "last=True"),
        ),
    ],
    "4.4": [
        (
            "waits for ever",
            changed(
                attempt, "asyncio.timeout(run.boss.delegation_seconds)", "asyncio.timeout(None)"
            ),
        ),
        (
            "lets the worker's errors out",
            changed(attempt, "except Exception as error:", "except TimeoutError as error:"),
        ),
        (
            "takes every error for a timeout",
            changed(attempt, "late=deadline.expired()", "late=True").replace(
                "broken(run, order.worker.name, error,",
                "broken(run, order.worker.name, TimeoutError(),",
            ),
        ),
        (
            "takes a timeout for a broken worker",
            changed(attempt, "late=deadline.expired()", "late=False"),
        ),
        (
            "sells a stopped run as a result",
            changed(attempt, "shortfall(order.worker.name, outcome)", "None"),
        ),
        (
            "swallows what no supervisor can help",
            changed(
                attempt,
                "    except (VirtualTimeError, UnexpectedRequest):\n        raise\n",
                "",
            ),
        ),
        (
            "throws the stopped run away",
            changed(
                attempt,
                "    return outcome, shortfall(order.worker.name, outcome)",
                "    failure = shortfall(order.worker.name, outcome)\n"
                "    return (None if failure else outcome), failure",
            ),
        ),
        (
            "leaves the late worker running",
            "async def attempt(run, order):\n"
            "    working = asyncio.ensure_future(work(run, order))\n"
            "    done, _ = await asyncio.wait([working], timeout=run.boss.delegation_seconds)\n"
            "    if not done:\n"
            "        return None, broken(run, order.worker.name, TimeoutError(), late=True)\n"
            "    try:\n"
            "        outcome = working.result()\n"
            "    except (VirtualTimeError, UnexpectedRequest):\n"
            "        raise\n"
            "    except Exception as error:\n"
            "        return None, broken(run, order.worker.name, error, late=False)\n"
            "    return outcome, shortfall(order.worker.name, outcome)\n",
        ),
        (
            "gives an empty text for a run that broke",
            changed(attempt, "return None, broken", 'return "", broken'),
        ),
        (
            "finds a failure in every run",
            changed(
                attempt,
                "shortfall(order.worker.name, outcome)",
                "shortfall(order.worker.name, outcome) or broken(\n"
                '        run, order.worker.name, ValueError("no failure"), late=False\n    )',
            ),
        ),
        (
            "lets out what is no model's error",
            changed(
                attempt,
                "    except Exception as error:",
                "    except Exception as error:\n"
                "        if isinstance(error, RuntimeError):\n            raise",
            ),
        ),
        (
            "knows one of the two that go out",
            changed(
                attempt, "except (VirtualTimeError, UnexpectedRequest)", "except UnexpectedRequest"
            ),
        ),
    ],
    "4.5": [
        (
            "takes silence for consent",
            changed(
                decide,
                '        return refusal(f"nobody decided within {seconds:g} s" if late else'
                " failed(error))",
                "        return Decision(approved=True) if late else refusal(failed(error))",
            ),
        ),
        ("waits for ever", changed(decide, "asyncio.timeout(seconds)", "asyncio.timeout(None)")),
        (
            "takes whatever is true for a yes",
            changed(
                decide,
                "    if isinstance(said, bool):\n        return Decision(approved=said)\n",
                "    if not isinstance(said, Decision):\n"
                "        return Decision(approved=bool(said))\n",
            ),
        ),
        (
            "takes 1 for True",
            changed(decide, "if isinstance(said, bool):", "if said in (True, False):"),
        ),
        (
            "knows plain functions only",
            changed(
                decide,
                "            if inspect.isawaitable(said):\n                said = await said\n",
                "",
            ),
        ),
        (
            "lets the approver's error out",
            changed(decide, "except Exception as error:", "except TimeoutError as error:"),
        ),
        (
            "takes the approver's own timeout for silence",
            changed(
                decide,
                "isinstance(error, TimeoutError) and deadline.expired()",
                "isinstance(error, TimeoutError)",
            ),
        ),
        (
            "decides what is nobody's decision",
            changed(
                decide,
                "    except (VirtualTimeError, UnexpectedRequest):\n"
                "        raise  # that is nobody's decision\n",
                "",
            ),
        ),
        (
            "loses who decided and why",
            changed(
                decide,
                "    if isinstance(said, Decision):\n        return said\n",
                "    if isinstance(said, Decision):\n"
                "        return Decision(approved=said.approved)\n",
            ),
        ),
        (
            "gives a plain yes or no as it is",
            changed(decide, "return Decision(approved=said)", "return said"),
        ),
        (
            "does not say how long it waited",
            changed(decide, 'f"nobody decided within {seconds:g} s"', '"nobody decided"'),
        ),
        (
            "has words of its own for an error",
            changed(decide, "failed(error)", '"it failed"'),
        ),
        (
            "takes None for a no",
            changed(
                decide,
                "    if isinstance(said, bool):\n",
                "    if said is None:\n        return Decision(approved=False)\n"
                "    if isinstance(said, bool):\n",
            ),
        ),
        (
            "refuses without a reason",
            changed(
                decide,
                'f"the approver gave {said!r}, not True, False or a Decision"',
                '""',
            ),
        ),
        (
            "makes a new decision of one",
            changed(
                decide,
                "        return said\n",
                "        return Decision(approved=said.approved, by=said.by, reason=said.reason)\n",
            ),
        ),
        (
            "takes a plain function's decision for none",
            changed(
                decide,
                "if isinstance(said, Decision):",
                "if isinstance(said, Decision) and inspect.iscoroutinefunction(approver):",
            ),
        ),
        (
            "leaves the silent one waiting",
            "async def decide(question, approver, *, seconds):\n"
            "    try:\n"
            "        said = approver(question)\n"
            "        if inspect.isawaitable(said):\n"
            "            asked = asyncio.ensure_future(said)\n"
            "            await asyncio.wait([asked], timeout=seconds)\n"
            "            if not asked.done():\n"
            '                return refusal(f"nobody decided within {seconds:g} s")\n'
            "            said = asked.result()\n"
            "    except (VirtualTimeError, UnexpectedRequest):\n"
            "        raise\n"
            "    except Exception as error:\n"
            "        return refusal(failed(error))\n"
            "    if isinstance(said, Decision):\n"
            "        return said\n"
            '    return Decision(approved=said) if isinstance(said, bool) else refusal(f"{said!r} '
            'is neither")\n',
        ),
    ],
    "4.6": [
        (
            "accuses everybody but the first",
            "def waits(trace):\n"
            '    given = [s for s in trace.spans if s.operation == "delegate"]\n'
            "    return [\n"
            "        Wait(late.name, first.name, late.start - given[0].start)\n"
            "        for first, late in zip(given, given[1:])\n"
            "    ]\n",
        ),
        (
            "mixes the delegations of all supervisors",
            changed(
                waits,
                "[s for s in trace.spans if s.parent_id == each.parent_id and s is not each]",
                "[s for s in trace.spans if s is not each]",
            ),
        ),
        (
            "takes later rounds for waiting",
            changed(
                waits,
                "s.operation in ASKING and s.end <= each.start",
                "s.operation in ASKING and s.end <= 1.0",
            ),
        ),
        (
            "names the first instead of the one in front",
            changed(waits, "max(before, key=", "min(before, key="),
        ),
        (
            "counts from the start of the run",
            changed(waits, "each.start - asked", "each.start"),
        ),
        (
            "counts the gap instead of the wait",
            changed(waits, "each.start - asked", "each.start - last.end"),
        ),
        ("finds nothing", "def waits(trace):\n    return []\n"),
        (
            "knows only one name for the message",
            changed(waits, "s.operation in ASKING", 's.operation == "decompose"'),
        ),
        (
            "takes the workers' messages for the supervisor's",
            changed(
                waits,
                "(s.end for s in siblings if s.operation in",
                "(s.end for s in trace.spans if s.operation in",
            ),
        ),
        (
            "takes a tool for a delegation",
            changed(waits, 'if s.operation == "delegate" and asked <=', "if asked <="),
        ),
        (
            "in the reverse order",
            changed(waits, "return found", "return found[::-1]"),
        ),
        (
            "complains where nobody waited",
            changed(
                waits,
                "    return found",
                '    if not found:\n        raise ValueError("nobody waited")\n    return found',
            ),
        ),
        (
            "knows only those that began in the very moment",
            changed(
                waits,
                "asked <= s.start < s.end <= each.start",
                "s.start >= asked and s.end == each.start",
            ),
        ),
        (
            "rounds the seconds",
            changed(waits, "each.start - asked", "round(each.start - asked, 1)"),
        ),
        (
            "never takes a worker for waiting behind itself",
            changed(waits, "and s is not each]", "and s.name != each.name]"),
        ),
        (
            "tells each worker once",
            changed(
                waits, "if before:", "if before and each.name not in {w.worker for w in found}:"
            ),
        ),
        (
            "leaves out the delegations that failed",
            changed(
                waits,
                'if s.operation == "delegate" and',
                'if s.operation == "delegate" and not s.error and',
            ),
        ),
    ],
}

RIGHT = {
    "4.1": [
        (
            "looks the worker up among the workers",
            "def read_order(boss, arguments):\n"
            "    given = parse_arguments(delegation_call, arguments)\n"
            "    for worker in boss.workers:\n"
            '        if worker.name == given["worker_agent"]:\n'
            "            break\n"
            "    else:\n"
            '        names = " or ".join(each.name for each in boss.open_to)\n'
            '        raise ToolError(f"nobody here has that name: ask {names}")\n'
            '    words = given["task"].strip()\n'
            "    if not words:\n"
            '        raise ToolError(f"{worker.name} needs to know what to do")\n'
            '    return Order(worker, words, given["constraints"].strip())\n',
        ),
        (
            "catches the KeyError",
            "def read_order(boss, arguments):\n"
            "    given = parse_arguments(delegation_call, arguments)\n"
            "    try:\n"
            '        worker = boss.named[given["worker_agent"]]\n'
            "    except KeyError as unknown:\n"
            "        known = [each.name for each in boss.open_to]\n"
            '        raise ToolError(f"no worker {unknown}, but {known}") from None\n'
            '    if given["task"].isspace() or not given["task"]:\n'
            '        raise ToolError(f"an empty task for {worker.name}")\n'
            '    return Order(worker, given["task"].strip(), given["constraints"].strip())\n',
        ),
        (
            "checks in another order",
            "def read_order(boss, arguments):\n"
            "    values = parse_arguments(delegation_call, arguments)\n"
            "    name, task, limits = (\n"
            '        values[key].strip() for key in ("worker_agent", "task", "constraints")\n'
            "    )\n"
            "    if task == '':\n"
            "        raise ToolError(f'what shall {name} do?')\n"
            "    found = boss.named.get(name)\n"
            "    if found is None:\n"
            "        known = ', '.join(w.name for w in boss.open_to)\n"
            "        raise ToolError(f'{name} is none of {known}')\n"
            "    return Order(worker=found, task=task, constraints=limits)\n",
        ),
        (
            "is a callable object, and matches",
            "class Reader:\n"
            "    def __call__(self, boss, arguments):\n"
            "        match parse_arguments(delegation_call, arguments):\n"
            '            case {"worker_agent": str(name), "task": str(task)} as given:\n'
            "                pass\n"
            "        match boss.named.get(name), task.strip():\n"
            "            case None, _:\n"
            '                raise ToolError(f"not {name}: {[each.name for each in '
            'boss.open_to]}")\n'
            '            case _, "":\n'
            '                raise ToolError(f"nothing to do for {name}")\n'
            "            case worker, words:\n"
            '                return Order(worker, words, given.get("constraints", "").strip())\n'
            "\n"
            "\n"
            "read_order = Reader()\n",
        ),
        (
            "says little of itself, and rewords what does not fit",
            "def read_order(boss, arguments):\n"
            "    try:\n"
            "        given = parse_arguments(delegation_call, arguments)\n"
            "    except ToolError as error:\n"
            '        raise ToolError("these arguments cannot be read") from error\n'
            '    if (name := given["worker_agent"]) == boss.name:\n'
            '        raise ToolError("nobody delegates to themselves")\n'
            "    workers = {each.name: each for each in boss.workers}\n"
            "    if name not in workers:\n"
            '        raise ToolError("ask one of " + " and ".join(w.name for w in boss.open_to))\n'
            '    if not (task := given["task"].strip()):\n'
            '        raise ToolError(f"{name}: do what?")\n'
            '    return Order(workers[name], task, given["constraints"].strip())\n',
        ),
        (
            "collects its objections in a generator",
            "def read_order(boss, arguments):\n"
            "    given = {key: text.strip() for key, text in parse_arguments(delegation_call, "
            "arguments).items()}\n"
            "\n"
            "    def objections(name):\n"
            "        if name not in boss.named:\n"
            '            yield f"no {name}; there are " + ", ".join(sorted(w.name for w '
            "in boss.open_to))\n"
            '        if not given["task"]:\n'
            '            yield f"{name} has nothing to do"\n'
            "\n"
            '    for objection in objections(given["worker_agent"]):\n'
            "        raise ToolError(objection)\n"
            '    return Order(boss.named[given.pop("worker_agent")], **given)\n',
        ),
    ],
    "4.2": [
        (
            "gathers",
            "async def answer_all(run, calls):\n"
            '    with span("monitor", run.boss.name) as run.monitor:\n'
            "        return await asyncio.gather(*(answer_one(run, call) for call in calls))\n",
        ),
        (
            "fills a list in tasks of its own",
            "async def answer_all(run, calls):\n"
            "    answers = [None] * len(calls)\n\n"
            "    async def answer(place, call):\n"
            "        answers[place] = await answer_one(run, call)\n\n"
            '    with span("monitor", run.boss.name) as step:\n'
            "        run.monitor = step\n"
            "        async with asyncio.TaskGroup() as group:\n"
            "            for place, call in enumerate(calls):\n"
            "                group.create_task(answer(place, call))\n"
            "    return answers\n",
        ),
        (
            "sorts what is done by the calls",
            "async def answer_all(run, calls):\n"
            '    with span("monitor", run.boss.name) as run.monitor:\n'
            "        last = [answer_one(run, call) for call in reversed(calls)]\n"
            "        done = await asyncio.gather(*last)\n"
            '    by_id = {each["tool_call_id"]: each for each in done}\n'
            '    return [by_id[call["id"]] for call in calls]\n',
        ),
        (
            "cancels by hand",
            "async def answer_all(run, calls):\n"
            "    tasks = [asyncio.create_task(answer_one(run, call)) for call in calls]\n"
            "    try:\n"
            '        with span("monitor", run.boss.name) as run.monitor:\n'
            "            await asyncio.wait(tasks)\n"
            "    finally:\n"
            "        for task in tasks:\n"
            "            task.cancel()\n"
            "        await asyncio.gather(*tasks, return_exceptions=True)\n"
            "    return [task.result() for task in tasks]\n",
        ),
        (
            "waits for the first to be done, again and again",
            "async def answer_all(run, calls):\n"
            '    with span("monitor", run.boss.name) as run.monitor:\n'
            "        tasks = {asyncio.ensure_future(answer_one(run, c)): n for n, c in "
            "enumerate(calls)}\n"
            "        pending, answers = set(tasks), {}\n"
            "        try:\n"
            "            while pending:\n"
            "                done, pending = await asyncio.wait(pending, "
            "return_when=asyncio.FIRST_COMPLETED)\n"
            "                answers |= {tasks[each]: each.result() for each in done}\n"
            "        finally:\n"
            "            for each in pending:\n"
            "                each.cancel()\n"
            "            await asyncio.gather(*pending, return_exceptions=True)\n"
            "    return [answers[n] for n in sorted(answers)]\n",
        ),
        (
            "numbers them and sorts what as_completed gives",
            "async def answer_all(run, calls):\n"
            "    async def numbered(number, call):\n"
            "        return number, await answer_one(run, call)\n"
            "\n"
            '    with span("monitor", run.boss.name) as run.monitor:\n'
            "        async with asyncio.TaskGroup() as group:\n"
            "            running = [group.create_task(numbered(n, c)) for n, c in "
            "enumerate(calls)]\n"
            "            pairs = [await each for each in asyncio.as_completed(running)]\n"
            "    return [answer for _, answer in sorted(pairs, key=lambda pair: pair[0])]\n",
        ),
        (
            "divides and conquers",
            "async def answer_all(run, calls):\n"
            "    async def some(few):\n"
            "        if len(few) < 2:\n"
            "            return [await answer_one(run, call) for call in few]\n"
            "        half = len(few) // 2\n"
            "        parts = await asyncio.gather(some(few[:half]), some(few[half:]))\n"
            "        return [*parts[0], *parts[1]]\n"
            "\n"
            '    with span("monitor", run.boss.name, {"switchboard.calls": '
            "len(calls)}) as step:\n"
            "        run.monitor = step\n"
            "        return await some(list(calls))\n",
        ),
    ],
    "4.3": [
        (
            "settles in every branch",
            "async def charge(budget, most, call, *, last=False):\n"
            "    budget.reserve(most, last=last)\n"
            "    try:\n"
            "        answer = await call()\n"
            "    except BaseException as error:\n"
            "        budget.settle(most, 0 if was_refused(error) else most)\n"
            "        raise\n"
            "    budget.settle(most, answer.usage.total or most)\n"
            "    return answer\n",
        ),
        (
            "uses a context manager of its own",
            "from contextlib import contextmanager\n\n\n"
            "async def charge(budget, most, call, *, last=False):\n"
            "    @contextmanager\n"
            "    def reserved():\n"
            "        budget.reserve(most, last=last)\n"
            '        bill = {"used": most}\n'
            "        try:\n"
            "            yield bill\n"
            "        except Exception as error:\n"
            '            bill["used"] *= not was_refused(error)\n'
            "            raise\n"
            "        finally:\n"
            '            budget.settle(most, bill["used"])\n\n'
            "    with reserved() as bill:\n"
            "        answer = await call()\n"
            '        bill["used"] = answer.usage.total or most\n'
            "    return answer\n",
        ),
        (
            "asks how it ended",
            "async def charge(budget, most, call, *, last=False):\n"
            "    budget.reserve(most, last=last)\n"
            "    answer = error = None\n"
            "    try:\n"
            "        answer = await call()\n"
            "    except Exception as trouble:\n"
            "        error = trouble\n"
            "    finally:\n"
            "        if answer is not None and answer.usage.total > 0:\n"
            "            budget.settle(most, answer.usage.total)\n"
            "        elif error is not None and was_refused(error):\n"
            "            budget.settle(most, 0)\n"
            "        else:\n"
            "            budget.settle(most, most)\n"
            "    if error is not None:\n"
            "        raise error\n"
            "    return answer\n",
        ),
        (
            "looks at the task that made the call",
            "import asyncio\n\n\n"
            "async def charge(budget, most, call, *, last=False):\n"
            "    budget.reserve(most, last=last)\n"
            "\n"
            "    def settle(task):\n"
            "        if task.cancelled() or (task.exception() and not "
            "was_refused(task.exception())):\n"
            "            budget.settle(most, most)\n"
            "        elif task.exception():\n"
            "            budget.settle(most, 0)\n"
            "        else:\n"
            "            budget.settle(most, task.result().usage.total or most)\n"
            "\n"
            "    async def made():\n"
            "        return await call()\n"
            "\n"
            "    task = asyncio.ensure_future(made())\n"
            "    try:\n"
            "        return await task\n"
            "    finally:\n"
            "        settle(task)\n",
        ),
        (
            "has a class for what is reserved",
            "class Reserved:\n"
            "    def __init__(self, budget, most, last):\n"
            "        budget.reserve(most, last=last)\n"
            "        self.budget, self.most, self.answer = budget, most, None\n"
            "\n"
            "    async def __aenter__(self):\n"
            "        return self\n"
            "\n"
            "    async def __aexit__(self, kind, error, trace):\n"
            "        match error:\n"
            "            case None:\n"
            "                used = self.answer.usage.total or self.most\n"
            "            case Exception() if was_refused(error):\n"
            "                used = 0\n"
            "            case _:\n"
            "                used = self.most\n"
            "        self.budget.settle(self.most, used)\n"
            "\n"
            "\n"
            "async def charge(budget, most, call, *, last=False):\n"
            "    async with Reserved(budget, most, last) as reserved:\n"
            "        reserved.answer = await call()\n"
            "        return reserved.answer\n",
        ),
        (
            "leaves what to settle to an ExitStack",
            "import contextlib\n"
            "import functools\n"
            "\n"
            "\n"
            "async def charge(budget, most, call, *, last=False):\n"
            "    budget.reserve(most, last=last)\n"
            "    with contextlib.ExitStack() as stack:\n"
            "        stack.callback(lambda: budget.settle(most, used))\n"
            "        used = most\n"
            "        try:\n"
            "            answer = await functools.partial(call)()\n"
            "        except Exception as error:\n"
            "            used = most * (not was_refused(error))\n"
            "            raise\n"
            "        if (total := answer.usage.total):\n"
            "            used = total\n"
            "        return answer\n",
        ),
    ],
    "4.4": [
        (
            "waits with wait_for",
            "async def attempt(run, order):\n"
            "    seconds, name = run.boss.delegation_seconds, order.worker.name\n"
            "    try:\n"
            "        outcome = await asyncio.wait_for(work(run, order), seconds)\n"
            "    except (VirtualTimeError, UnexpectedRequest):\n"
            "        raise\n"
            "    except TimeoutError as error:\n"
            "        return None, broken(run, name, error, late=True)\n"
            "    except Exception as error:\n"
            "        return None, broken(run, name, error, late=False)\n"
            "    return outcome, shortfall(name, outcome)\n",
        ),
        (
            "tests the error's type",
            "async def attempt(run, order):\n"
            "    outcome = failure = None\n"
            "    try:\n"
            "        async with asyncio.timeout(run.boss.delegation_seconds) as deadline:\n"
            "            outcome = await work(run, order)\n"
            "        failure = shortfall(order.worker.name, outcome)\n"
            "    except Exception as error:\n"
            "        if isinstance(error, VirtualTimeError | UnexpectedRequest):\n"
            "            raise\n"
            "        failure = broken(run, order.worker.name, error, late=deadline.expired())\n"
            "    return outcome, failure\n",
        ),
        (
            "cancels the task by hand",
            "async def attempt(run, order):\n"
            "    name = order.worker.name\n"
            "    task = asyncio.ensure_future(work(run, order))\n"
            "    try:\n"
            "        await asyncio.wait([task], timeout=run.boss.delegation_seconds)\n"
            "        if not task.done():\n"
            "            return None, broken(run, name, TimeoutError(), late=True)\n"
            "        error = task.exception()\n"
            "        if error is None:\n"
            "            return task.result(), shortfall(name, task.result())\n"
            "        if isinstance(error, (VirtualTimeError, UnexpectedRequest)):\n"
            "            raise error\n"
            "        return None, broken(run, name, error, late=False)\n"
            "    finally:\n"
            "        task.cancel()\n"
            "        await asyncio.gather(task, return_exceptions=True)\n",
        ),
        (
            "asks a helper what the run was",
            "async def attempt(run, order):\n"
            "    name = order.worker.name\n"
            "\n"
            "    async def tried():\n"
            "        async with asyncio.timeout(run.boss.delegation_seconds):\n"
            "            return await work(run, order)\n"
            "\n"
            "    [outcome] = await asyncio.gather(tried(), return_exceptions=True)\n"
            "    match outcome:\n"
            "        case VirtualTimeError() | UnexpectedRequest():\n"
            "            raise outcome\n"
            "        case TimeoutError():\n"
            "            return None, broken(run, name, outcome, late=True)\n"
            "        case Exception():\n"
            "            return None, broken(run, name, outcome, late=False)\n"
            "    return outcome, shortfall(name, outcome)\n",
        ),
        (
            "uses else and a named tuple",
            "from typing import NamedTuple\n"
            "\n"
            "\n"
            "class Ending(NamedTuple):\n"
            "    outcome: object = None\n"
            "    failure: object = None\n"
            "\n"
            "\n"
            "async def attempt(run, order):\n"
            "    try:\n"
            "        async with asyncio.timeout(run.boss.delegation_seconds) as limit:\n"
            "            outcome = await work(run, order)\n"
            "    except Exception as error:\n"
            "        if isinstance(error, UnexpectedRequest) or isinstance(error, "
            "VirtualTimeError):\n"
            "            raise error\n"
            "        return Ending(failure=broken(run, order.worker.name, error, "
            "late=limit.expired()))\n"
            "    else:\n"
            "        return Ending(outcome, shortfall(order.worker.name, outcome))\n",
        ),
        (
            "sets a clock by hand",
            "async def attempt(run, order):\n"
            "    loop, me = asyncio.get_running_loop(), asyncio.current_task()\n"
            "    late = False\n"
            "\n"
            "    def ring():\n"
            "        nonlocal late\n"
            "        late = True\n"
            "        me.cancel()\n"
            "\n"
            "    bell = loop.call_later(run.boss.delegation_seconds, ring)\n"
            "    try:\n"
            "        outcome = await work(run, order)\n"
            "        return outcome, shortfall(order.worker.name, outcome)\n"
            "    except (VirtualTimeError, UnexpectedRequest):\n"
            "        raise\n"
            "    except asyncio.CancelledError:\n"
            "        if not late or me.uncancel() > 0:\n"
            "            raise\n"
            "        return None, broken(run, order.worker.name, TimeoutError(), late=True)\n"
            "    except Exception as error:\n"
            "        return None, broken(run, order.worker.name, error, late=False)\n"
            "    finally:\n"
            "        bell.cancel()\n",
        ),
    ],
    "4.5": [
        (
            "waits with wait_for",
            "async def decide(question, approver, *, seconds):\n"
            "    waiting = False\n"
            "    try:\n"
            "        said = approver(question)\n"
            "        if inspect.isawaitable(said):\n"
            "            task = asyncio.ensure_future(said)\n"
            "            await asyncio.wait([task], timeout=seconds)\n"
            "            if not task.done():\n"
            "                task.cancel()\n"
            "                await asyncio.wait([task])\n"
            '                return refusal(f"nobody decided within {seconds:g} s")\n'
            "            said = task.result()\n"
            "    except (VirtualTimeError, UnexpectedRequest):\n"
            "        raise\n"
            "    except Exception as error:\n"
            "        return refusal(failed(error))\n"
            "    if said is True or said is False:\n"
            "        return Decision(approved=said)\n"
            "    if isinstance(said, Decision):\n"
            "        return said\n"
            '    return refusal(f"{said!r} is no decision")\n',
        ),
        (
            "matches on what was said",
            "async def decide(question, approver, *, seconds):\n"
            "    async def asked():\n"
            "        said = approver(question)\n"
            "        return await said if inspect.isawaitable(said) else said\n\n"
            "    try:\n"
            "        async with asyncio.timeout(seconds) as deadline:\n"
            "            said = await asked()\n"
            "    except (VirtualTimeError, UnexpectedRequest):\n"
            "        raise\n"
            "    except Exception as error:\n"
            "        if deadline.expired():\n"
            '            return refusal(f"no decision in {seconds:g} s")\n'
            "        return refusal(failed(error))\n"
            "    match said:\n"
            "        case True | False:\n"
            "            return Decision(approved=said)\n"
            "        case Decision():\n"
            "            return said\n"
            "    return refusal(f'{said} is neither yes nor no')\n",
        ),
        (
            "begins with a refusal",
            "async def decide(question, approver, *, seconds):\n"
            '    decision = refusal(f"nobody decided within {seconds:g} s")\n'
            "    try:\n"
            "        async with asyncio.timeout(seconds) as deadline:\n"
            "            said = approver(question)\n"
            "            said = await said if inspect.isawaitable(said) else said\n"
            "            if type(said) is bool:\n"
            "                decision = Decision(approved=said)\n"
            "            elif isinstance(said, Decision):\n"
            "                decision = said\n"
            "            else:\n"
            '                decision = refusal(f"not a decision: {said}")\n'
            "    except (VirtualTimeError, UnexpectedRequest):\n"
            "        raise\n"
            "    except Exception as error:\n"
            "        if not deadline.expired():\n"
            "            decision = refusal(failed(error))\n"
            "    return decision\n",
        ),
        (
            "lets an exception carry the refusal",
            "class Refused(Exception):\n"
            "    pass\n"
            "\n"
            "\n"
            "async def decide(question, approver, *, seconds):\n"
            "    try:\n"
            "        try:\n"
            "            said = approver(question)\n"
            "            if inspect.iscoroutine(said):\n"
            "                async with asyncio.timeout(seconds) as deadline:\n"
            "                    said = await said\n"
            "        except TimeoutError as error:\n"
            "            if inspect.iscoroutine(said) and deadline.expired():\n"
            '                raise Refused(f"nobody decided within {seconds:g} s") from None\n'
            "            raise Refused(failed(error)) from None\n"
            "        if not isinstance(said, (bool, Decision)):\n"
            '            raise Refused("what came is no decision")\n'
            "    except Refused as why:\n"
            "        return refusal(str(why))\n"
            "    except (VirtualTimeError, UnexpectedRequest):\n"
            "        raise\n"
            "    except Exception as error:\n"
            "        return refusal(failed(error))\n"
            "    return said if isinstance(said, Decision) else Decision(approved=said)\n",
        ),
        (
            "looks the type up in a table",
            "async def decide(question, approver, *, seconds):\n"
            "    async def ask():\n"
            "        said = approver(question)\n"
            "        while inspect.isawaitable(said):\n"
            "            said = await said\n"
            "        return said\n"
            "\n"
            "    task = asyncio.ensure_future(ask())\n"
            "    try:\n"
            "        done, _ = await asyncio.wait({task}, timeout=seconds)\n"
            "    finally:\n"
            "        task.cancel()\n"
            "    if not done:\n"
            "        await asyncio.gather(task, return_exceptions=True)\n"
            '        return refusal(f"waited {seconds:g} s for a decision")\n'
            "    if (error := task.exception()) is not None:\n"
            "        if isinstance(error, (VirtualTimeError, UnexpectedRequest)):\n"
            "            raise error\n"
            "        return refusal(failed(error))\n"
            "    said = task.result()\n"
            "    made = {bool: lambda: Decision(approved=said), Decision: lambda: said}\n"
            '    return made.get(type(said), lambda: refusal("neither yes nor no"))()\n',
        ),
        (
            "is a partial of a function with more",
            "import functools\n"
            "\n"
            "\n"
            "async def deciding(is_decision, question, approver, *, seconds):\n"
            "    try:\n"
            "        async with asyncio.timeout(seconds) as limit:\n"
            "            said = approver(question)\n"
            '            said = (await said) if hasattr(said, "__await__") else said\n'
            "    except Exception as error:\n"
            "        if type(error) in (VirtualTimeError, UnexpectedRequest):\n"
            "            raise\n"
            "        if limit.expired() and isinstance(error, TimeoutError):\n"
            '            return refusal(f"no word within {seconds:g} s")\n'
            "        return refusal(failed(error))\n"
            "    if said is True or said is False:\n"
            "        said = Decision(approved=said)\n"
            '    return said if is_decision(said) else refusal(f"{said!r}")\n'
            "\n"
            "\n"
            "decide = functools.partial(deciding, lambda said: isinstance(said, Decision))\n",
        ),
    ],
    "4.6": [
        (
            "groups by parent first",
            "def waits(trace):\n"
            "    found = {}\n"
            "    families = {}\n"
            "    for step in trace.spans:\n"
            "        families.setdefault(step.parent_id, []).append(step)\n"
            "    for family in families.values():\n"
            '        given = [s for s in family if s.operation == "delegate"]\n'
            "        ends = [s.end for s in family if s.operation in ASKING]\n"
            "        for each in given:\n"
            "            asked = max([e for e in ends if e <= each.start] or [0.0])\n"
            "            before = [s for s in given if s is not each and s.start >= asked]\n"
            "            before = [s for s in before if s.start < s.end <= each.start]\n"
            "            if before:\n"
            "                name = sorted(before, key=lambda s: s.end)[-1].name\n"
            "                found[each.span_id] = Wait(each.name, name, each.start - asked)\n"
            "    return [found[s.span_id] for s in trace.spans if s.span_id in found]\n",
        ),
        (
            "walks the trace once for each delegation",
            "def waits(trace):\n"
            "    def of(late):\n"
            "        asked, front = 0.0, None\n"
            "        for step in sorted(trace.spans, key=lambda s: s.end):\n"
            "            if step.parent_id != late.parent_id or step.end > late.start:\n"
            "                continue\n"
            "            if step.operation in ASKING:\n"
            "                asked, front = step.end, None\n"
            '            elif step.operation == "delegate" and step is not late:\n'
            "                front = step\n"
            "        return front and Wait(late.name, front.name, late.start - asked)\n\n"
            '    late = [of(s) for s in trace.spans if s.operation == "delegate"]\n'
            "    return [each for each in late if each]\n",
        ),
        (
            "keeps tuples until the end",
            "def waits(trace):\n"
            "    rows = []\n"
            "    for each in trace.spans:\n"
            '        if each.operation == "delegate":\n'
            "            near = [s for s in trace.spans if s.parent_id == each.parent_id]\n"
            "            asked = 0.0\n"
            "            for s in near:\n"
            "                if s.operation in ASKING and asked < s.end <= each.start:\n"
            "                    asked = s.end\n"
            '            near = [s for s in near if s.operation == "delegate" and s is not each]\n'
            "            front = [s for s in near if asked <= s.start and s.end <= each.start]\n"
            "            rows.append((each, asked, front))\n"
            "    return [\n"
            "        Wait(worker=each.name, behind=max(front, key=lambda s: s.end).name,\n"
            "             seconds=each.start - asked)\n"
            "        for each, asked, front in rows if front\n"
            "    ]\n",
        ),
        (
            "asks a generator",
            "def waits(trace):\n"
            "    def late():\n"
            '        given = [s for s in trace.spans if s.operation == "delegate"]\n'
            "        for each in given:\n"
            "            asked = 0.0\n"
            "            for s in trace.spans:\n"
            "                if s.parent_id == each.parent_id and s.operation in ASKING:\n"
            "                    if asked < s.end <= each.start:\n"
            "                        asked = s.end\n"
            "            front = None\n"
            "            for s in given:\n"
            "                if s.parent_id == each.parent_id and asked <= s.start and "
            "s.end <= each.start:\n"
            "                    if s is not each and s.end > s.start and (front is None "
            "or s.end > front.end):\n"
            "                        front = s\n"
            "            if front:\n"
            "                yield Wait(each.name, front.name, each.start - asked)\n"
            "\n"
            "    return list(late())\n",
        ),
        (
            "sorts by time, then puts the trace's order back",
            "from bisect import bisect_right\n"
            "from collections import defaultdict\n"
            "\n"
            "\n"
            "def waits(trace):\n"
            "    messages, given = defaultdict(list), defaultdict(list)\n"
            "    for place, s in enumerate(trace.spans):\n"
            "        if s.operation in ASKING:\n"
            "            messages[s.parent_id].append(s.end)\n"
            '        elif s.operation == "delegate":\n'
            "            given[s.parent_id].append((s.end, place, s))\n"
            "    found = {}\n"
            "    for parent, some in given.items():\n"
            "        ends = sorted(messages[parent])\n"
            "        for _, place, s in some:\n"
            "            before = bisect_right(ends, s.start)\n"
            "            asked = ends[before - 1] if before else 0.0\n"
            "            done = [one for one in sorted(some)[::-1] if one[0] <= s.start]\n"
            "            done = [one for one in done if one[2].start >= asked and one[1] "
            "!= place]\n"
            "            if done:\n"
            "                found[place] = Wait(worker=s.name, behind=done[0][2].name, "
            "seconds=s.start - asked)\n"
            "    return [found[place] for place in sorted(found)]\n",
        ),
        (
            "uses a class and a walrus",
            "class Round:\n"
            "    def __init__(self, trace, late):\n"
            "        near = [s for s in trace.spans if s.parent_id == late.parent_id and "
            "s != late]\n"
            "        asked = [s.end for s in near if s.operation in ASKING if s.end <= "
            "late.start]\n"
            "        self.asked, self.late = max([0.0, *asked]), late\n"
            '        self.done = [s for s in near if s.operation == "delegate" and '
            "self.is_before(s)]\n"
            "\n"
            "    def is_before(self, s):\n"
            "        return self.asked <= s.start and s.start < s.end <= self.late.start\n"
            "\n"
            "    @property\n"
            "    def wait(self):\n"
            "        if not self.done:\n"
            "            return None\n"
            "        last = max(self.done, key=lambda s: s.end)\n"
            "        return Wait(self.late.name, last.name, self.late.start - self.asked)\n"
            "\n"
            "\n"
            "def waits(trace):\n"
            '    given = (s for s in trace.spans if s.operation == "delegate")\n'
            "    return [found for s in given if (found := Round(trace, s).wait) is not None]\n",
        ),
    ],
}
