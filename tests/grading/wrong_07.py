"""Answers to the exercises of chapter 07: wrong ones a student may well write, and right ones.

Each entry is (name, source of the solution cell). Every wrong one must lose exactly its exercise;
`RIGHT` are answers in other styles than the solution's, and every one must pass.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from course.supervisor_worker.abreast import abreast
from course.supervisor_worker.delays import delays
from course.supervisor_worker.graph import urgency
from course.supervisor_worker.rates import in_turn
from course.supervisor_worker.schedule import schedule


def _changed(definition: Callable[..., Any] | str, *changes: tuple[str, str]) -> str:
    """A right definition with something changed, each time at exactly one place."""
    source = definition if isinstance(definition, str) else inspect.getsource(definition)
    for old, new in changes:
        if source.count(old) != 1:
            raise ValueError(f"the definition holds {source.count(old)} times: {old}")
        source = source.replace(old, new)
    return source


_BY_HAND = """\
import asyncio


async def abreast(works):
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        if tasks:
            over, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in tasks:
        if not task.cancelled() and task.exception():
            raise task.exception()
    return [task.result() for task in tasks]
"""

_AWAITING = """\
import asyncio

from course.supervisor_worker import urgency
from course.supervisor_worker.schedule import refuse_impossible


async def schedule(plan, work, *, limit=None, priority=None, done=None, on_result=None):
    refuse_impossible(plan, limit)
    rank = priority or urgency(plan)
    results = dict(done or {})
    running = set()
    waiting = {task.id: task for task in plan.tasks if task.id not in results}
    names = {}
    try:
        while waiting or running:
            ready = [t for t in waiting.values() if all(n in results for n in t.dependencies)]
            ready.sort(key=lambda task: -rank[task.id])
            for task in ready:
                if limit is not None and len(running) >= limit:
                    break
                given = {need: results[need] for need in task.dependencies}
                job = asyncio.ensure_future(work(task, given))
                names[job] = waiting.pop(task.id).id
                running.add(job)
            over, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for job in over:
                results[names[job]] = job.result()
                if on_result:
                    on_result(names[job], job.result())
    finally:
        for job in running:
            job.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    return {task.id: results[task.id] for task in plan.tasks}
"""

_GATHERING = """\
import asyncio

from course.supervisor_worker.schedule import refuse_impossible


async def schedule(plan, work, *, limit=None, priority=None, done=None, on_result=None):
    refuse_impossible(plan, limit)
    board = Board(plan, limit=limit, priority=priority, done=done or ())
    results, running = dict(done or {}), []

    async def carry_out(task):
        results[task.id] = await work(task, {n: results[n] for n in task.dependencies})
        if on_result:
            on_result(task.id, results[task.id])
        board.over(task.id)
        start()

    def start():
        for task in board.start():
            running.append(asyncio.ensure_future(carry_out(task)))

    start()
    while not all(job.done() for job in running):
        await asyncio.gather(*[job for job in running if not job.done()])
    return {task.id: results[task.id] for task in plan.tasks}
"""

_WAVES = """\
import asyncio

from course.supervisor_worker import waves
from course.supervisor_worker.schedule import refuse_impossible


async def schedule(plan, work, *, limit=None, priority=None, done=None, on_result=None):
    refuse_impossible(plan, limit)
    places = asyncio.Semaphore(limit or len(plan.tasks) or 1)
    results = dict(done or {})
    rank = priority or urgency(plan)

    async def carry_out(id):
        task = plan.by_id[id]
        async with places:
            results[id] = await work(task, {n: results[n] for n in task.dependencies})
        if on_result:
            on_result(id, results[id])

    for wave in waves(plan):
        async with asyncio.TaskGroup() as group:
            for id in sorted(wave, key=lambda id: -rank[id]):
                if id not in results:
                    group.create_task(carry_out(id))
    return {task.id: results[task.id] for task in plan.tasks}
"""

_LOCKED = """\
async def in_turn(rate, tokens=0):
    begin = clock.now()
    await rate.line.acquire()
    while rate.wait(tokens) > 0:
        await asyncio.sleep(rate.wait(tokens) + MARGIN)
    rate.take(tokens)
    rate.line.release()
    return clock.now() - begin
"""

WRONG = {
    "7.1": [
        (
            "gathers",
            "import asyncio\n\n\nasync def abreast(works):\n"
            "    return list(await asyncio.gather(*works))\n",
        ),
        (
            "one after the other",
            "async def abreast(works):\n    return [await work for work in works]\n",
        ),
        (
            "takes errors for results",
            "import asyncio\n\n\nasync def abreast(works):\n"
            "    return list(await asyncio.gather(*works, return_exceptions=True))\n",
        ),
        (
            "waits for everybody before it tells",
            "import asyncio\n\n\nasync def abreast(works):\n"
            "    results = await asyncio.gather(*works, return_exceptions=True)\n"
            "    for each in results:\n"
            "        if isinstance(each, BaseException):\n"
            "            raise each\n"
            "    return list(results)\n",
        ),
        (
            "cancels and does not wait",
            "import asyncio\n\n\nasync def abreast(works):\n"
            "    tasks = [asyncio.ensure_future(work) for work in works]\n"
            "    try:\n"
            "        return list(await asyncio.gather(*tasks))\n"
            "    except BaseException:\n"
            "        for task in tasks:\n"
            "            task.cancel()\n"
            "        raise\n",
        ),
        (
            "lets the group out",
            _changed(abreast, ("broken = several.exceptions[0]", "broken = several")),
        ),
        (
            "gives the results as they come",
            "import asyncio\n\n\nasync def abreast(works):\n"
            "    found = []\n\n"
            "    async def keep(work):\n"
            "        found.append(await work)\n\n"
            "    try:\n"
            "        async with asyncio.TaskGroup() as group:\n"
            "            for work in works:\n"
            "                group.create_task(keep(work))\n"
            "    except BaseExceptionGroup as several:\n"
            "        raise several.exceptions[0]\n"
            "    return found\n",
        ),
        (
            "shields what it starts",
            "import asyncio\n\n\nasync def abreast(works):\n"
            "    tasks = [asyncio.ensure_future(work) for work in works]\n"
            "    try:\n"
            "        return [await asyncio.shield(task) for task in tasks]\n"
            "    except Exception:\n"
            "        for task in tasks:\n"
            "            task.cancel()\n"
            "        await asyncio.gather(*tasks, return_exceptions=True)\n"
            "        raise\n",
        ),
    ],
    "7.2": [
        ("goes forward in waves", _WAVES),
        (
            "one after the other",
            "from course.supervisor_worker.graph import in_order\n\n\n"
            "async def schedule(plan, work, *, limit=None, priority=None, done=None,"
            " on_result=None):\n"
            "    refuse_impossible(plan, limit)\n"
            "    results = dict(done or {})\n"
            "    for id in in_order(plan):\n"
            "        task = plan.by_id[id]\n"
            "        if id not in results:\n"
            "            results[id] = await work(task, {n: results[n] for n in"
            " task.dependencies})\n"
            "            if on_result:\n"
            "                on_result(id, results[id])\n"
            "    return {task.id: results[task.id] for task in plan.tasks}\n",
        ),
        ("leaves orphans", _GATHERING),
        (
            "gives all results to everybody",
            _changed(schedule, ("{id: results[id] for id in task.dependencies}", "dict(results)")),
        ),
        (
            "gives the results as they came",
            _changed(
                schedule,
                ("return {task.id: results[task.id] for task in plan.tasks}", "return results"),
            ),
        ),
        (
            "knows no limit",
            _changed(schedule, ("Board(plan, limit=limit, ", "Board(plan, ")),
        ),
        (
            "holds a place while it waits for its dependencies",
            "import asyncio\n\n\n"
            "async def schedule(plan, work, *, limit=None, priority=None, done=None,"
            " on_result=None):\n"
            "    refuse_impossible(plan, limit)\n"
            "    places = asyncio.Semaphore(limit or 10_000)\n"
            "    results, over = dict(done or {}), {t.id: asyncio.Event() for t in plan.tasks}\n\n"
            "    async def carry_out(task):\n"
            "        async with places:\n"
            "            for need in task.dependencies:\n"
            "                await over[need].wait()\n"
            "            given = {n: results[n] for n in task.dependencies}\n"
            "            results[task.id] = await work(task, given)\n"
            "        if on_result:\n"
            "            on_result(task.id, results[task.id])\n"
            "        over[task.id].set()\n\n"
            "    try:\n"
            "        async with asyncio.TaskGroup() as group:\n"
            "            for task in plan.tasks:\n"
            "                if task.id in results:\n"
            "                    over[task.id].set()\n"
            "                else:\n"
            "                    group.create_task(carry_out(task))\n"
            "    except BaseExceptionGroup as several:\n"
            "        raise several.exceptions[0]\n"
            "    return {task.id: results[task.id] for task in plan.tasks}\n",
        ),
        (
            "starts what is least urgent",
            _changed(
                schedule,
                (
                    "priority=priority,",
                    "priority={id: -each for id, each in (priority or urgency(plan)).items()},",
                ),
            ),
        ),
        (
            "repeats what is done",
            _changed(schedule, ("priority=priority, done=results)", "priority=priority)")),
        ),
        ("tells nobody", _changed(schedule, ("        if on_result:\n", "        if False:\n"))),
        (
            "begins an impossible plan",
            _changed(schedule, ("    refuse_impossible(plan, limit)\n", "")),
        ),
        (
            "lets the group out",
            _changed(schedule, ("broken = several.exceptions[0]", "broken = several")),
        ),
    ],
    "7.3": [
        (
            "counts tasks",
            _changed(urgency, ("takes.get(id, 1.0) + rest", "1.0 + rest")),
        ),
        (
            "adds up all that waits for it",
            _changed(
                urgency,
                (
                    "max((length[each] for each in after[id]), default=0.0)",
                    "sum(length[each] for each in after[id])",
                ),
            ),
        ),
        (
            "leaves its own seconds out",
            _changed(urgency, ("takes.get(id, 1.0) + rest", "rest")),
        ),
        (
            "counts the chain that leads to it",
            "from course.supervisor_worker.graph import in_order\n\n\n"
            "def urgency(plan, seconds=None):\n"
            "    length = {}\n"
            "    for id in in_order(plan):\n"
            "        before = max((length[n] for n in plan.by_id[id].dependencies), default=0.0)\n"
            "        length[id] = (seconds or {}).get(id, 1.0) + before\n"
            "    return length\n",
        ),
        (
            "looks one task ahead",
            "def urgency(plan, seconds=None):\n"
            "    takes = {t.id: (seconds or {}).get(t.id, 1.0) for t in plan.tasks}\n"
            "    after = dependants(plan)\n"
            "    return {id: takes[id] + max((takes[a] for a in after[id]), default=0.0)"
            " for id in takes}\n",
        ),
        (
            "takes the shortest way on",
            _changed(urgency, ("rest = max(", "rest = min(")),
        ),
        (
            "takes nothing for a second",
            _changed(urgency, ("takes.get(id, 1.0)", "(takes.get(id) or 1.0)")),
        ),
        (
            "counts nothing where nothing is said",
            _changed(urgency, ("takes.get(id, 1.0)", "takes.get(id, 0.0)")),
        ),
        (
            "takes the list's order for the plan's",
            _changed(urgency, ("reversed(in_order(plan))", "reversed(list(plan.by_id))")).replace(
                "length[each] for each in after[id]",
                "length.get(each, 0.0) for each in after[id]",
            ),
        ),
    ],
    "7.4": [
        (
            "does not stand in line",
            _changed(
                in_turn,
                ("    async with rate.line:\n", "    if True:\n"),
            ),
        ),
        (
            "looks only once",
            _changed(
                in_turn,
                ("        while seconds > 0:\n", "        if seconds > 0:\n"),
            ),
        ),
        ("does not pay", _changed(in_turn, ("        rate.take(tokens)\n", ""))),
        (
            "pays before there is room",
            _changed(
                in_turn,
                ("        rate.take(tokens)\n", ""),
                (
                    "        seconds = rate.wait(tokens)\n        while",
                    "        rate.take(tokens)\n        seconds = rate.wait(tokens)\n        while",
                ),
            ),
        ),
        (
            "waits for a request of no size",
            inspect.getsource(in_turn).replace("rate.wait(tokens)", "rate.wait()"),
        ),
        (
            "pays for a request of no size",
            _changed(in_turn, ("rate.take(tokens)", "rate.take()")),
        ),
        (
            "keeps the line when it is cancelled",
            _LOCKED,
        ),
        (
            "always waits as long as a request takes on average",
            _changed(
                in_turn,
                (
                    "        seconds = rate.wait(tokens)\n        while",
                    "        await asyncio.sleep(60 / (rate.requests_per_minute or 60))\n"
                    "        seconds = rate.wait(tokens)\n        while",
                ),
            ),
        ),
        (
            "looks again every second",
            _changed(in_turn, ("asyncio.sleep(seconds + MARGIN)", "asyncio.sleep(1.0)")),
        ),
        (
            "does not count the time in the line",
            _changed(
                in_turn,
                (
                    "    begin = clock.now()\n    async with rate.line:\n",
                    "    async with rate.line:\n        begin = clock.now()\n",
                ),
            ),
        ),
        (
            "takes a cancelled wait for a turn",
            "async def in_turn(rate, tokens=0):\n"
            "    begin = clock.now()\n"
            "    async with rate.line:\n"
            "        while rate.wait(tokens) > 0:\n"
            "            try:\n"
            "                await asyncio.sleep(rate.wait(tokens) + MARGIN)\n"
            "            except asyncio.CancelledError:\n"
            "                break\n"
            "        rate.take(tokens)\n"
            "    return clock.now() - begin\n",
        ),
    ],
    "7.5": [
        (
            "accuses who waited for its own dependencies",
            _changed(delays, ("max([made.end, *before])", "made.end")),
        ),
        (
            "overlooks who ended in the moment in which it began",
            _changed(delays, ("ready < t.end <= each.start", "ready < t.end < each.start")),
        ),
        (
            "takes the plan to be there when its span begins",
            _changed(delays, ("max([made.end, *before])", "max([made.start, *before])")),
        ),
        (
            "waits for all that is listed before",
            _changed(
                delays,
                (
                    "for need in needs[id].dependencies if need in tasks]",
                    "for need in list(tasks)[: list(tasks).index(id)]]",
                ),
            ),
        ),
        (
            "knows no limit",
            _changed(
                delays,
                ("idle(tasks.values(), ready, each.start, limit)", "each.start - ready"),
            ),
        ),
        (
            "forgives whoever finds all places taken at first",
            _changed(
                delays,
                (
                    "        if seconds > 0:\n",
                    "        under_way = [t for t in tasks.values() if t.start <= ready < t.end]\n"
                    "        if seconds > 0 and (limit is None or len(under_way) < limit):\n",
                ),
            ),
        ),
        (
            "names the task that ended first",
            _changed(delays, ("ended[max(ended)]", "ended[min(ended)]")),
        ),
        (
            "names its own dependency where nobody ended",
            _changed(delays, ("ready < t.end <= each.start", "ready <= t.end <= each.start")),
        ),
        (
            "breaks on tasks of another plan",
            _changed(
                delays,
                (
                    ' if s.operation == "dispatch" and s.name in needs',
                    ' if s.operation == "dispatch"',
                ),
            ),
        ),
        (
            "breaks on a dependency that is not in the trace",
            _changed(delays, (" if need in tasks]", "]")),
        ),
        (
            "tells them in the order of the seconds",
            _changed(
                delays, ("    return found", "    return sorted(found, key=lambda d: -d.seconds)")
            ),
        ),
    ],
}

RIGHT = {
    "7.1": [
        ("with wait and cancel by hand", _BY_HAND),
        (
            "gathers and tidies up",
            "import asyncio\n\n\nasync def abreast(works):\n"
            "    tasks = [asyncio.create_task(each) for each in works]\n"
            "    try:\n"
            "        return list(await asyncio.gather(*tasks))\n"
            "    finally:\n"
            "        for task in tasks:\n"
            "            task.cancel()\n"
            "        await asyncio.gather(*tasks, return_exceptions=True)\n",
        ),
        (
            "catches with a star",
            "import asyncio\n\n\nasync def abreast(works):\n"
            "    errors, tasks = [], []\n"
            "    try:\n"
            "        async with asyncio.TaskGroup() as group:\n"
            "            for work in works:\n"
            "                tasks.append(group.create_task(work))\n"
            "    except* Exception as several:\n"
            "        errors.extend(several.exceptions)\n"
            "    if errors:\n"
            "        raise errors[0]\n"
            "    return [task.result() for task in tasks]\n",
        ),
        (
            "keeps results at their places",
            "import asyncio\n\n\nasync def abreast(works):\n"
            "    works = list(works)\n"
            "    results, errors = [None] * len(works), []\n\n"
            "    async def keep(place, work):\n"
            "        try:\n"
            "            results[place] = await work\n"
            "        except Exception as error:\n"
            "            errors.append(error)\n"
            "            raise\n\n"
            "    try:\n"
            "        async with asyncio.TaskGroup() as group:\n"
            "            for place, work in enumerate(works):\n"
            "                group.create_task(keep(place, work))\n"
            "    except ExceptionGroup:\n"
            "        raise errors[0] from None\n"
            "    return results\n",
        ),
    ],
    "7.2": [
        ("looks at everything after each end", _AWAITING),
        (
            "with a condition, without a board",
            "import asyncio\n\n\n"
            "async def schedule(plan, work, *, limit=None, priority=None, done=None,"
            " on_result=None):\n"
            "    refuse_impossible(plan, limit)\n"
            "    rank = priority or urgency(plan)\n"
            "    results, begun = dict(done or {}), set(done or ())\n"
            "    changed = asyncio.Condition()\n\n"
            "    def best():\n"
            "        free = [t for t in plan.tasks if t.id not in begun\n"
            "                and all(n in results for n in t.dependencies)]\n"
            "        return max(free, key=lambda t: rank.get(t.id, 0.0), default=None)\n\n"
            "    async def place():\n"
            "        while True:\n"
            "            async with changed:\n"
            "                await changed.wait_for(\n"
            "                    lambda: best() or len(begun) == len(plan.tasks))\n"
            "                task = best()\n"
            "                if task is None:\n"
            "                    return\n"
            "                begun.add(task.id)\n"
            "                changed.notify_all()\n"
            "            given = {n: results[n] for n in task.dependencies}\n"
            "            result = await work(task, given)\n"
            "            async with changed:\n"
            "                results[task.id] = result\n"
            "                if on_result is not None:\n"
            "                    on_result(task.id, result)\n"
            "                changed.notify_all()\n\n"
            "    places = len(plan.tasks) if limit is None else limit\n"
            "    try:\n"
            "        async with asyncio.TaskGroup() as group:\n"
            "            for _ in range(places):\n"
            "                group.create_task(place())\n"
            "    except BaseExceptionGroup as several:\n"
            "        error = several.exceptions[0]\n"
            "    else:\n"
            "        return {t.id: results[t.id] for t in plan.tasks}\n"
            "    raise error\n",
        ),
        (
            "gathers, and tidies up in the end",
            _changed(
                _GATHERING,
                (
                    "    start()\n    while not",
                    "    start()\n    try:\n        await until_over()\n    finally:\n"
                    "        for job in running:\n            job.cancel()\n"
                    "        await asyncio.gather(*running, return_exceptions=True)\n"
                    "    return {task.id: results[task.id] for task in plan.tasks}\n\n\n"
                    "async def unused():\n    while not",
                ),
                (
                    "    def start():\n",
                    "    async def until_over():\n"
                    "        while not all(job.done() for job in running):\n"
                    "            jobs = [job for job in running if not job.done()]\n"
                    "            over, _ = await asyncio.wait(jobs,"
                    " return_when=asyncio.FIRST_EXCEPTION)\n"
                    "            for job in over:\n"
                    "                job.result()\n\n"
                    "    def start():\n",
                ),
            ),
        ),
        (
            "a queue of ends",
            "import asyncio\n\n\n"
            "async def schedule(plan, work, *, limit=None, priority=None, done=None,"
            " on_result=None):\n"
            "    refuse_impossible(plan, limit)\n"
            "    results, ends = dict(done or {}), asyncio.Queue()\n"
            "    board = Board(plan, limit=limit, priority=priority, done=set(results))\n"
            "    left = len(plan.tasks) - len(results)\n\n"
            "    async def carry_out(task):\n"
            "        given = {n: results[n] for n in task.dependencies}\n"
            "        ends.put_nowait((task.id, await work(task, given)))\n\n"
            "    failed = None\n"
            "    try:\n"
            "        async with asyncio.TaskGroup() as group:\n"
            "            while True:\n"
            "                for task in board.start():\n"
            "                    group.create_task(carry_out(task))\n"
            "                if left == 0:\n"
            "                    break\n"
            "                id, result = await ends.get()\n"
            "                left -= 1\n"
            "                results[id] = result\n"
            "                if on_result:\n"
            "                    on_result(id, result)\n"
            "                board.over(id)\n"
            "    except BaseExceptionGroup as several:\n"
            "        failed = several.exceptions[0]\n"
            "    if failed is not None:\n"
            "        raise failed\n"
            "    return {task.id: results[task.id] for task in plan.tasks}\n",
        ),
    ],
    "7.3": [
        (
            "by recursion with a cache",
            "from functools import cache\n\n\n"
            "def urgency(plan, seconds=None):\n"
            "    after = dependants(plan)\n\n"
            "    @cache\n"
            "    def longest(id):\n"
            "        own = 1.0 if seconds is None else seconds.get(id, 1.0)\n"
            "        return own + max(map(longest, after[id]), default=0.0)\n\n"
            "    return {task.id: longest(task.id) for task in plan.tasks}\n",
        ),
        (
            "pushes each length back to what it needs",
            "from course.supervisor_worker.graph import in_order\n\n\n"
            "def urgency(plan, seconds=None):\n"
            "    takes = {t.id: 1.0 for t in plan.tasks} | dict(seconds or {})\n"
            "    rest = dict.fromkeys(plan.by_id, 0.0)\n"
            "    for id in in_order(plan)[::-1]:\n"
            "        for need in plan.by_id[id].dependencies:\n"
            "            rest[need] = max(rest[need], rest[id] + takes[id])\n"
            "    return {id: rest[id] + takes[id] for id in rest}\n",
        ),
        (
            "repeats until nothing grows",
            "def urgency(plan, seconds=None):\n"
            "    takes = lambda id: (seconds or {}).get(id, 1.0)\n"
            "    found = {t.id: takes(t.id) for t in plan.tasks}\n"
            "    grew = True\n"
            "    while grew:\n"
            "        grew = False\n"
            "        for task in plan.tasks:\n"
            "            for need in task.dependencies:\n"
            "                longer = takes(need) + found[task.id]\n"
            "                if longer > found[need]:\n"
            "                    found[need], grew = longer, True\n"
            "    return found\n",
        ),
    ],
    "7.4": [
        (
            "lets go of the line at last",
            _changed(
                _LOCKED,
                (
                    "    while rate.wait(tokens) > 0:\n"
                    "        await asyncio.sleep(rate.wait(tokens) + MARGIN)\n"
                    "    rate.take(tokens)\n"
                    "    rate.line.release()\n",
                    "    try:\n"
                    "        while rate.wait(tokens) > 0:\n"
                    "            await asyncio.sleep(rate.wait(tokens) + MARGIN)\n"
                    "        rate.take(tokens)\n"
                    "    finally:\n"
                    "        rate.line.release()\n",
                ),
            ),
        ),
        (
            "looks again and again",
            _changed(in_turn, ("asyncio.sleep(seconds + MARGIN)", "asyncio.sleep(0.05)")),
        ),
        (
            "asks a function of its own for room",
            "import asyncio\n\n\n"
            "async def room(rate, tokens):\n"
            "    seconds = rate.wait(tokens)\n"
            "    if seconds:\n"
            "        await asyncio.sleep(seconds + 0.002)\n"
            "        return await room(rate, tokens)\n"
            "    rate.take(tokens)\n\n\n"
            "async def in_turn(rate, tokens=0):\n"
            "    time = asyncio.get_running_loop().time\n"
            "    begin = time()\n"
            "    async with rate.line:\n"
            "        await room(rate, tokens)\n"
            "    return time() - begin\n",
        ),
    ],
    "7.5": [
        (
            "one loop after the other",
            "def delays(trace, limit=None):\n"
            "    plan, there, spans = None, 0.0, []\n"
            "    for span in trace.spans:\n"
            "        if plan is None and 'switchboard.plan' in span.attributes:\n"
            "            plan = Plan.from_json(span.attributes['switchboard.plan'])\n"
            "            there = span.end\n"
            "    for span in trace.spans:\n"
            "        if span.operation == 'dispatch' and span.name in plan.by_id:\n"
            "            spans.append(span)\n"
            "    found = []\n"
            "    for span in spans:\n"
            "        ready = there\n"
            "        for other in spans:\n"
            "            if other.name in plan.by_id[span.name].dependencies:\n"
            "                ready = max(ready, other.end)\n"
            "        free = idle(spans, ready, span.start, limit)\n"
            "        if not free:\n"
            "            continue\n"
            "        behind = ''\n"
            "        for other in sorted(spans, key=lambda s: s.end):\n"
            "            if ready < other.end <= span.start:\n"
            "                behind = other.name\n"
            "        found.append(Delay(span.name, behind, free))\n"
            "    return found\n",
        ),
        (
            "reads the JSON, and counts the free seconds itself",
            "import json\n\n\n"
            "def delays(trace, limit=None):\n"
            "    first = [s for s in trace.spans if s.attributes.get('switchboard.plan')][0]\n"
            "    listed = json.loads(first.attributes['switchboard.plan'])['tasks']\n"
            "    needs = {each['id']: each['dependencies'] for each in listed}\n"
            "    ran = [s for s in trace.spans if s.operation == 'dispatch']\n"
            "    tasks = [s for s in ran if s.name in needs]\n"
            "    end = {s.name: s.end for s in tasks}\n"
            "    moments = sorted({m for s in tasks for m in (s.start, s.end)} | {first.end})\n\n"
            "    def free(begin, until):\n"
            "        total = 0.0\n"
            "        for now, later in zip(moments, moments[1:]):\n"
            "            running = sum(s.start <= now < s.end for s in tasks)\n"
            "            if begin <= now < until and (limit is None or running < limit):\n"
            "                total += later - now\n"
            "        return total\n\n"
            "    found = []\n"
            "    for s in tasks:\n"
            "        ready = max([first.end] + [end[n] for n in needs[s.name] if n in end])\n"
            "        late = free(ready, s.start)\n"
            "        if late > 0:\n"
            "            between = [t for t in tasks if ready < t.end <= s.start]\n"
            "            last = max(between, key=lambda t: t.end, default=None)\n"
            "            found.append(Delay(s.name, last.name if last else '', late))\n"
            "    return found\n",
        ),
        (
            "small functions",
            "def delays(trace, limit=None):\n"
            "    made = next(s for s in trace.spans if 'switchboard.plan' in s.attributes)\n"
            "    by_id = Plan.from_json(str(made.attributes['switchboard.plan'])).by_id\n"
            "    ran = {s.name: s for s in trace.spans\n"
            "           if s.operation == 'dispatch' and s.name in by_id}\n\n"
            "    def ready(id):\n"
            "        ends = (ran[n].end for n in by_id[id].dependencies if n in ran)\n"
            "        return max(ends, default=made.end)\n\n"
            "    def behind(id):\n"
            "        between = (s for s in ran.values() if ready(id) < s.end <= ran[id].start)\n"
            "        last = sorted(between, key=lambda s: s.end)[-1:]\n"
            "        return last[0].name if last else ''\n\n"
            "    steps = ran.values()\n"
            "    free = {s.name: idle(steps, ready(s.name), s.start, limit) for s in steps}\n"
            "    return [Delay(task=id, behind=behind(id), seconds=free[id])\n"
            "            for id in ran if free[id]]\n",
        ),
    ],
}
