"""Answers to the exercises of chapter 04: wrong ones a student may well write, and right ones.

Each entry is (name, source of the solution cell). Every wrong one must lose exactly its exercise;
`RIGHT` are answers in other styles than the solution's, and every one must pass.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from course.approval import decide
from course.budget import charge
from course.supervisor.delegating import attempt, read_order
from course.supervisor.evidence import waits
from course.supervisor.running import answer_all


def _changed(definition: Callable[..., Any], old: str, new: str) -> str:
    """The finished definition with one thing changed."""
    source = inspect.getsource(definition)
    if source.count(old) != 1:
        raise ValueError(f"{definition.__name__} holds {source.count(old)} times: {old}")
    return source.replace(old, new)


WRONG = {
    "4.1": [
        (
            "gives the worker's name instead of the worker",
            _changed(read_order, "Order(boss.named[name], task,", "Order(name, task,"),
        ),
        (
            "keeps the space around the task",
            _changed(read_order, 'given["task"].strip()', 'given["task"]'),
        ),
        (
            "does not know the other workers' names",
            _changed(read_order, "there is no worker '{name}'; the workers: {known}", "no {name}"),
        ),
        (
            "names the worker that may never be asked",
            _changed(read_order, "for worker in boss.open_to", "for worker in boss.workers"),
        ),
        (
            "lets a KeyError out",
            "def read_order(boss, arguments):\n"
            "    given = parse_arguments(shape(), arguments)\n"
            '    worker, task = boss.named[given["worker_agent"]], given["task"].strip()\n'
            "    if not task:\n"
            '        raise ToolError(f"the task for {worker.name} is empty")\n'
            '    return Order(worker, task, given["constraints"].strip())\n',
        ),
        ("takes an empty task", _changed(read_order, "if not task:", "if task is None:")),
        (
            "forgets the constraints",
            _changed(read_order, ', given["constraints"].strip())', ")"),
        ),
        (
            "reads the JSON without checking it",
            "import json\n\n\n"
            + _changed(
                read_order,
                "parse_arguments(shape(), arguments)",
                '{"constraints": "", **json.loads(arguments)}',
            ),
        ),
    ],
    "4.2": [
        (
            "one after the other",
            "async def answer_all(shift, calls):\n"
            '    with span("monitor", shift.boss.name) as shift.monitor:\n'
            "        return [await answer_one(shift, call) for call in calls]\n",
        ),
        (
            "in the order in which they finish",
            "async def answer_all(shift, calls):\n"
            '    with span("monitor", shift.boss.name) as shift.monitor:\n'
            "        pending = [answer_one(shift, call) for call in calls]\n"
            "        return [await done for done in asyncio.as_completed(pending)]\n",
        ),
        (
            "delegates first and uses its own tools afterwards",
            "async def answer_all(shift, calls):\n"
            '    own = [c for c in calls if c["function"]["name"] != "delegate_to_agent"]\n'
            "    given = [c for c in calls if c not in own]\n"
            '    with span("monitor", shift.boss.name) as shift.monitor:\n'
            "        done = await asyncio.gather(*(answer_one(shift, c) for c in given))\n"
            "        done += await asyncio.gather(*(answer_one(shift, c) for c in own))\n"
            '    by_id = {each["tool_call_id"]: each for each in done}\n'
            '    return [by_id[c["id"]] for c in calls]\n',
        ),
        (
            "drops the failed ones",
            "async def answer_all(shift, calls):\n"
            '    with span("monitor", shift.boss.name) as shift.monitor:\n'
            "        done = await asyncio.gather(*(answer_one(shift, c) for c in calls))\n"
            "    return [each for each in done if '\"failed\"' not in each['content']]\n",
        ),
        (
            "watches over nothing",
            "async def answer_all(shift, calls):\n"
            "    return await asyncio.gather(*(answer_one(shift, call) for call in calls))\n",
        ),
        (
            "closes the step before the work is done",
            "async def answer_all(shift, calls):\n"
            '    with span("monitor", shift.boss.name) as shift.monitor:\n'
            "        tasks = [asyncio.ensure_future(answer_one(shift, c)) for c in calls]\n"
            "    return await asyncio.gather(*tasks)\n",
        ),
        (
            "leaves the workers running when it is stopped",
            "async def answer_all(shift, calls):\n"
            "    tasks = [asyncio.ensure_future(answer_one(shift, call)) for call in calls]\n"
            '    with span("monitor", shift.boss.name) as shift.monitor:\n'
            "        await asyncio.wait(tasks)\n"
            "    return [task.result() for task in tasks]\n",
        ),
        (
            "asks each worker only once",
            _changed(
                answer_all,
                "for call in calls]",
                "for call in {c['id']: c for c in calls[:3]}.values()]",
            ),
        ),
    ],
    "4.3": [
        (
            "looks, but does not take",
            _changed(
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
            _changed(charge, "    used = most\n", "    used = 0\n"),
        ),
        (
            "lets a refused call cost everything",
            _changed(charge, "        if was_refused(error):\n            used = 0\n", ""),
        ),
        (
            "believes a service that counts nothing",
            _changed(charge, "answer.usage.total or most", "answer.usage.total"),
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
            _changed(charge, "budget.reserve(most, last=last)", "budget.reserve(most)"),
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
    ],
    "4.4": [
        (
            "waits for ever",
            _changed(
                attempt, "asyncio.timeout(shift.boss.delegation_seconds)", "asyncio.timeout(None)"
            ),
        ),
        (
            "lets the worker's errors out",
            _changed(attempt, "except Exception as error:", "except TimeoutError as error:"),
        ),
        (
            "takes every error for a timeout",
            _changed(attempt, "late=deadline.expired()", "late=True").replace(
                "broken(shift, order.worker.name, error,",
                "broken(shift, order.worker.name, TimeoutError(),",
            ),
        ),
        (
            "takes a timeout for a broken worker",
            _changed(attempt, "late=deadline.expired()", "late=False"),
        ),
        (
            "sells a stopped run as a result",
            _changed(attempt, "shortfall(order.worker.name, outcome)", "None"),
        ),
        (
            "swallows what no supervisor can help",
            _changed(
                attempt,
                "    except (VirtualTimeError, UnexpectedRequest):\n        raise\n",
                "",
            ),
        ),
        (
            "throws the stopped run away",
            _changed(
                attempt,
                "    return outcome, shortfall(order.worker.name, outcome)",
                "    failure = shortfall(order.worker.name, outcome)\n"
                "    return (None if failure else outcome), failure",
            ),
        ),
        (
            "leaves the late worker running",
            "async def attempt(shift, order, run_id):\n"
            "    working = asyncio.ensure_future(work(shift, order, run_id))\n"
            "    done, _ = await asyncio.wait([working], timeout=shift.boss.delegation_seconds)\n"
            "    if not done:\n"
            "        return None, broken(shift, order.worker.name, TimeoutError(), late=True)\n"
            "    try:\n"
            "        outcome = working.result()\n"
            "    except (VirtualTimeError, UnexpectedRequest):\n"
            "        raise\n"
            "    except Exception as error:\n"
            "        return None, broken(shift, order.worker.name, error, late=False)\n"
            "    return outcome, shortfall(order.worker.name, outcome)\n",
        ),
    ],
    "4.5": [
        (
            "takes silence for consent",
            _changed(
                decide,
                '        return refusal(f"nobody decided within {seconds:g} s" if late else'
                " failed(error))",
                "        return Decision(approved=True) if late else refusal(failed(error))",
            ),
        ),
        ("waits for ever", _changed(decide, "asyncio.timeout(seconds)", "asyncio.timeout(None)")),
        (
            "takes whatever is true for a yes",
            _changed(
                decide,
                "    if isinstance(said, bool):\n        return Decision(approved=said)\n",
                "    if not isinstance(said, Decision):\n"
                "        return Decision(approved=bool(said))\n",
            ),
        ),
        (
            "takes 1 for True",
            _changed(decide, "if isinstance(said, bool):", "if said in (True, False):"),
        ),
        (
            "knows plain functions only",
            _changed(
                decide,
                "            if inspect.isawaitable(said):\n                said = await said\n",
                "",
            ),
        ),
        (
            "lets the approver's error out",
            _changed(decide, "except Exception as error:", "except TimeoutError as error:"),
        ),
        (
            "takes the approver's own timeout for silence",
            _changed(
                decide,
                "isinstance(error, TimeoutError) and deadline.expired()",
                "isinstance(error, TimeoutError)",
            ),
        ),
        (
            "decides what is nobody's decision",
            _changed(
                decide,
                "    except (VirtualTimeError, UnexpectedRequest):\n"
                "        raise  # that is nobody's decision\n",
                "",
            ),
        ),
        (
            "loses who decided and why",
            _changed(
                decide,
                "    if isinstance(said, Decision):\n        return said\n",
                "    if isinstance(said, Decision):\n"
                "        return Decision(approved=said.approved)\n",
            ),
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
            _changed(
                waits,
                "[s for s in trace.spans if s.parent_id == each.parent_id and s is not each]",
                "[s for s in trace.spans if s is not each]",
            ),
        ),
        (
            "takes later rounds for waiting",
            _changed(
                waits,
                "s.operation in ASKING and s.end <= each.start",
                "s.operation in ASKING and s.end <= 1.0",
            ),
        ),
        (
            "names the first instead of the one in front",
            _changed(waits, "max(before, key=", "min(before, key="),
        ),
        (
            "counts from the start of the run",
            _changed(waits, "each.start - asked", "each.start"),
        ),
        (
            "counts the gap instead of the wait",
            _changed(waits, "each.start - asked", "each.start - last.end"),
        ),
        ("finds nothing", "def waits(trace):\n    return []\n"),
        (
            "knows only one name for the message",
            _changed(waits, "s.operation in ASKING", 's.operation == "decompose"'),
        ),
    ],
}

RIGHT = {
    "4.1": [
        (
            "looks the worker up among the workers",
            "def read_order(boss, arguments):\n"
            "    given = parse_arguments(shape(), arguments)\n"
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
            "    given = parse_arguments(shape(), arguments)\n"
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
            "    values = parse_arguments(shape(), arguments)\n"
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
    ],
    "4.2": [
        (
            "gathers",
            "async def answer_all(shift, calls):\n"
            '    with span("monitor", shift.boss.name) as shift.monitor:\n'
            "        return await asyncio.gather(*(answer_one(shift, call) for call in calls))\n",
        ),
        (
            "fills a list in tasks of its own",
            "async def answer_all(shift, calls):\n"
            "    answers = [None] * len(calls)\n\n"
            "    async def answer(place, call):\n"
            "        answers[place] = await answer_one(shift, call)\n\n"
            '    with span("monitor", shift.boss.name) as step:\n'
            "        shift.monitor = step\n"
            "        async with asyncio.TaskGroup() as group:\n"
            "            for place, call in enumerate(calls):\n"
            "                group.create_task(answer(place, call))\n"
            "    return answers\n",
        ),
        (
            "sorts what is done by the calls",
            "async def answer_all(shift, calls):\n"
            '    with span("monitor", shift.boss.name) as shift.monitor:\n'
            "        last = [answer_one(shift, call) for call in reversed(calls)]\n"
            "        done = await asyncio.gather(*last)\n"
            '    by_id = {each["tool_call_id"]: each for each in done}\n'
            '    return [by_id[call["id"]] for call in calls]\n',
        ),
        (
            "cancels by hand",
            "async def answer_all(shift, calls):\n"
            "    tasks = [asyncio.create_task(answer_one(shift, call)) for call in calls]\n"
            "    try:\n"
            '        with span("monitor", shift.boss.name) as shift.monitor:\n'
            "            await asyncio.wait(tasks)\n"
            "    finally:\n"
            "        for task in tasks:\n"
            "            task.cancel()\n"
            "        await asyncio.gather(*tasks, return_exceptions=True)\n"
            "    return [task.result() for task in tasks]\n",
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
    ],
    "4.4": [
        (
            "waits with wait_for",
            "async def attempt(shift, order, run_id):\n"
            "    seconds, name = shift.boss.delegation_seconds, order.worker.name\n"
            "    try:\n"
            "        outcome = await asyncio.wait_for(work(shift, order, run_id), seconds)\n"
            "    except (VirtualTimeError, UnexpectedRequest):\n"
            "        raise\n"
            "    except TimeoutError as error:\n"
            "        return None, broken(shift, name, error, late=True)\n"
            "    except Exception as error:\n"
            "        return None, broken(shift, name, error, late=False)\n"
            "    return outcome, shortfall(name, outcome)\n",
        ),
        (
            "tests the error's type",
            "async def attempt(shift, order, run_id):\n"
            "    outcome = failure = None\n"
            "    try:\n"
            "        async with asyncio.timeout(shift.boss.delegation_seconds) as deadline:\n"
            "            outcome = await work(shift, order, run_id)\n"
            "        failure = shortfall(order.worker.name, outcome)\n"
            "    except Exception as error:\n"
            "        if isinstance(error, VirtualTimeError | UnexpectedRequest):\n"
            "            raise\n"
            "        failure = broken(shift, order.worker.name, error, late=deadline.expired())\n"
            "    return outcome, failure\n",
        ),
        (
            "cancels the task by hand",
            "async def attempt(shift, order, run_id):\n"
            "    name = order.worker.name\n"
            "    task = asyncio.ensure_future(work(shift, order, run_id))\n"
            "    try:\n"
            "        await asyncio.wait([task], timeout=shift.boss.delegation_seconds)\n"
            "        if not task.done():\n"
            "            return None, broken(shift, name, TimeoutError(), late=True)\n"
            "        error = task.exception()\n"
            "        if error is None:\n"
            "            return task.result(), shortfall(name, task.result())\n"
            "        if isinstance(error, (VirtualTimeError, UnexpectedRequest)):\n"
            "            raise error\n"
            "        return None, broken(shift, name, error, late=False)\n"
            "    finally:\n"
            "        task.cancel()\n"
            "        await asyncio.gather(task, return_exceptions=True)\n",
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
    ],
}
