"""Answers to the exercises of chapter 07: wrong ones a student may well write, and right ones.

Each entry is (name, source of the solution cell). Every wrong one must lose exactly its exercise;
`RIGHT` are answers in other styles than the solution's, and every one must pass.
"""

from __future__ import annotations

import inspect

from course.models.rates import in_turn
from course.observability.plan_runs import delays
from course.supervisor_worker.plan import urgency
from course.supervisor_worker.schedule import concurrently, schedule
from tests.grading.changing import changed

_BY_HAND = """\
import asyncio


async def concurrently(works):
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        if tasks:
            over, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in over if tasks else ():
        if task.exception():
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
            "import asyncio\n\n\nasync def concurrently(works):\n"
            "    return list(await asyncio.gather(*works))\n",
        ),
        (
            "one after the other",
            "async def concurrently(works):\n    return [await work for work in works]\n",
        ),
        (
            "takes errors for results",
            "import asyncio\n\n\nasync def concurrently(works):\n"
            "    return list(await asyncio.gather(*works, return_exceptions=True))\n",
        ),
        (
            "waits for everybody before it tells",
            "import asyncio\n\n\nasync def concurrently(works):\n"
            "    results = await asyncio.gather(*works, return_exceptions=True)\n"
            "    for each in results:\n"
            "        if isinstance(each, BaseException):\n"
            "            raise each\n"
            "    return list(results)\n",
        ),
        (
            "cancels and does not wait",
            "import asyncio\n\n\nasync def concurrently(works):\n"
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
            changed(concurrently, "broken = several.exceptions[0]", "broken = several"),
        ),
        (
            "gives the results as they come",
            "import asyncio\n\n\nasync def concurrently(works):\n"
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
            "import asyncio\n\n\nasync def concurrently(works):\n"
            "    tasks = [asyncio.ensure_future(work) for work in works]\n"
            "    try:\n"
            "        return [await asyncio.shield(task) for task in tasks]\n"
            "    except Exception:\n"
            "        for task in tasks:\n"
            "            task.cancel()\n"
            "        await asyncio.gather(*tasks, return_exceptions=True)\n"
            "        raise\n",
        ),
        (
            "needs at least one",
            changed(
                _BY_HAND,
                "        if tasks:\n            over",
                "        if True:\n            over",
            ),
        ),
        (
            "raises the last error",
            changed(concurrently, "several.exceptions[0]", "several.exceptions[-1]"),
        ),
        (
            "raises the first error of the list",
            """\
import asyncio


async def concurrently(works):
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        if tasks:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in tasks:
        if not task.cancelled() and task.exception():
            raise task.exception()
    return [task.result() for task in tasks]
""",
        ),
        (
            "waits a second and no longer",
            changed(
                _BY_HAND,
                "await asyncio.gather(*tasks, return_exceptions=True)",
                "await asyncio.wait(tasks, timeout=1.0)",
            ),
        ),
        (
            "runs four at a time",
            "import asyncio\n\n\nasync def concurrently(works):\n"
            "    places = asyncio.Semaphore(4)\n\n"
            "    async def in_place(work):\n"
            "        async with places:\n"
            "            return await work\n\n"
            "    try:\n"
            "        async with asyncio.TaskGroup() as group:\n"
            "            tasks = [group.create_task(in_place(work)) for work in works]\n"
            "    except BaseExceptionGroup as several:\n"
            "        raise several.exceptions[0]\n"
            "    return [task.result() for task in tasks]\n",
        ),
        (
            "takes an empty result for none",
            changed(
                concurrently,
                "return [task.result() for task in tasks]",
                "return [task.result() for task in tasks if task.result()]",
            ),
        ),
        (
            "shields all of it together",
            """\
import asyncio


async def together(works):
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work) for work in works]
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
    return [task.result() for task in tasks]


async def concurrently(works):
    return await asyncio.shield(together(works))
""",
        ),
        (
            ("cancels what it started and does not wait, when it is cancelled itself"),
            """\
import asyncio


async def concurrently(works):
    tasks = [asyncio.ensure_future(work) for work in works]
    if not tasks:
        return []
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in tasks:
            if task.done() and task.exception():
                raise task.exception()
        return [task.result() for task in tasks]
    except Exception:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        raise
""",
        ),
    ],
    "7.2": [
        ("goes forward in waves", _WAVES),
        (
            "one after the other",
            "from course.supervisor_worker.plan import in_order\n\n\n"
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
            changed(schedule, "{id: results[id] for id in task.dependencies}", "dict(results)"),
        ),
        (
            "gives the results as they came",
            changed(
                schedule,
                "return {task.id: results[task.id] for task in plan.tasks}",
                "return results",
            ),
        ),
        (
            "knows no limit",
            changed(schedule, "Board(plan, limit=limit, ", "Board(plan, "),
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
            changed(
                schedule,
                "priority=priority,",
                "priority={id: -each for id, each in (priority or urgency(plan)).items()},",
            ),
        ),
        (
            "repeats what is done",
            changed(schedule, "priority=priority, done=results)", "priority=priority)"),
        ),
        (
            "tells of what was over before",
            changed(
                schedule,
                "    board = Board(",
                "    for id in results if on_result else ():\n"
                "        on_result(id, results[id])\n"
                "    board = Board(",
            ),
        ),
        ("tells nobody", changed(schedule, "        if on_result:\n", "        if False:\n")),
        (
            "begins an impossible plan",
            changed(schedule, "    refuse_impossible(plan, limit)\n", ""),
        ),
        (
            "lets the group out",
            changed(schedule, "broken = several.exceptions[0]", "broken = several"),
        ),
        (
            "gives only what it carried out itself",
            changed(
                schedule,
                "for task in plan.tasks}",
                "for task in plan.tasks if task.id not in (done or {})}",
            ),
        ),
        (
            "looks every second what may begin",
            """\
import asyncio
from contextvars import copy_context

from course import clock


"""
            + changed(
                schedule,
                "        board.over(task.id)\n",
                ("        await asyncio.sleep(-clock.now() % 1.0)\n        board.over(task.id)\n"),
            ),
        ),
        (
            "does not heed the ranks",
            changed(schedule, "limit=limit, priority=priority,", "limit=limit,"),
        ),
        (
            "takes the plan's order where nothing is said of ranks",
            changed(
                schedule,
                "priority=priority,",
                "priority=priority or dict.fromkeys(plan.by_id, 1.0),",
            ),
        ),
        (
            "tells of all results in the end",
            changed(
                schedule,
                ("        if on_result:\n            on_result(task.id, result)\n"),
                "",
                "            start()\n        return",
                (
                    "            start()\n"
                    "        for id, result in results.items() if on_result else ():\n"
                    "            on_result(id, result)\n"
                    "        return"
                ),
            ),
        ),
        (
            "refuses circles and nothing else",
            changed(
                schedule,
                "    refuse_impossible(plan, limit)\n",
                (
                    "    from course.supervisor_worker.plan import circles\n"
                    "\n"
                    "    if circles(plan):\n"
                    "        refuse_impossible(plan, limit)\n"
                ),
            ),
        ),
        (
            "refuses what is left in the end",
            changed(
                schedule,
                "async def schedule(",
                "async def carried_out(",
                "    refuse_impossible(plan, limit)\n",
                "",
            )
            + """\


async def schedule(plan, work, **settings):
    try:
        return await carried_out(plan, work, **settings)
    except KeyError:
        refuse_impossible(plan, settings.get("limit"))
        raise
""",
        ),
        (
            "takes an empty result for none",
            changed(
                _AWAITING,
                "all(n in results for n in t.dependencies)",
                "all(results.get(n) for n in t.dependencies)",
            ),
        ),
        (
            "repeats what was done with an empty result",
            changed(
                _AWAITING,
                "results = dict(done or {})",
                "results = {id: each for id, each in (done or {}).items() if each}",
            ),
        ),
        (
            "adds the ranks to the lengths of the chains",
            changed(
                schedule,
                "priority=priority,",
                "priority={id: n + (priority or {}).get(id, 0)"
                " for id, n in urgency(plan).items()},",
            ),
        ),
        (
            "shields all of it together",
            changed(schedule, "async def schedule(", "async def carried_out(")
            + """\


async def schedule(*given, **settings):
    return await asyncio.shield(asyncio.ensure_future(carried_out(*given, **settings)))
""",
        ),
        (
            "goes forward in waves, and tidies up",
            changed(
                _WAVES,
                (
                    "    for wave in waves(plan):\n"
                    "        async with asyncio.TaskGroup() as group:\n"
                    "            for id in sorted(wave, key=lambda id: -rank[id]):\n"
                    "                if id not in results:\n"
                    "                    group.create_task(carry_out(id))\n"
                ),
                (
                    "    try:\n"
                    "        for wave in waves(plan):\n"
                    "            async with asyncio.TaskGroup() as group:\n"
                    "                for id in sorted(wave, key=lambda id: -rank[id]):\n"
                    "                    if id not in results:\n"
                    "                        group.create_task(carry_out(id))\n"
                    "    except BaseExceptionGroup as several:\n"
                    "        raise several.exceptions[0]\n"
                ),
            ),
        ),
    ],
    "7.3": [
        (
            "counts tasks",
            changed(urgency, "takes.get(id, 1.0) + rest", "1.0 + rest"),
        ),
        (
            "adds up all that waits for it",
            changed(
                urgency,
                "max((length[each] for each in after[id]), default=0.0)",
                "sum(length[each] for each in after[id])",
            ),
        ),
        (
            "leaves its own seconds out",
            changed(urgency, "takes.get(id, 1.0) + rest", "rest"),
        ),
        (
            "counts the chain that leads to it",
            "from course.supervisor_worker.plan import in_order\n\n\n"
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
            changed(urgency, "rest = max(", "rest = min("),
        ),
        (
            "takes nothing for a second",
            changed(urgency, "takes.get(id, 1.0)", "(takes.get(id) or 1.0)"),
        ),
        (
            "counts nothing where nothing is said",
            changed(urgency, "takes.get(id, 1.0)", "takes.get(id, 0.0)"),
        ),
        (
            "takes the list's order for the plan's",
            changed(urgency, "reversed(in_order(plan))", "reversed(list(plan.by_id))").replace(
                "length[each] for each in after[id]",
                "length.get(each, 0.0) for each in after[id]",
            ),
        ),
        (
            "needs to be told the seconds",
            changed(urgency, "seconds or {}", "dict(seconds)"),
        ),
        (
            "breaks on a plan without tasks",
            changed(
                urgency,
                "    return length",
                "    assert max(length.values()) >= 0\n    return length",
            ),
        ),
        (
            "leaves out what nobody waits for",
            changed(
                urgency,
                "    return length",
                "    return {id: each for id, each in length.items() if after[id]}",
            ),
        ),
    ],
    "7.4": [
        (
            "does not stand in line",
            changed(
                in_turn,
                "    async with rate.line:\n",
                "    if True:\n",
            ),
        ),
        (
            "looks only once",
            changed(
                in_turn,
                "        while seconds > 0:\n",
                "        if seconds > 0:\n",
            ),
        ),
        ("does not pay", changed(in_turn, "        rate.take(tokens)\n", "")),
        (
            "pays before there is room",
            changed(
                in_turn,
                "        rate.take(tokens)\n",
                "",
                "        seconds = rate.wait(tokens)\n        while",
                "        rate.take(tokens)\n        seconds = rate.wait(tokens)\n        while",
            ),
        ),
        (
            "waits for a request of no size",
            inspect.getsource(in_turn).replace("rate.wait(tokens)", "rate.wait()"),
        ),
        (
            "pays for a request of no size",
            changed(in_turn, "rate.take(tokens)", "rate.take()"),
        ),
        (
            "keeps the line when it is cancelled",
            _LOCKED,
        ),
        (
            "always waits as long as a request takes on average",
            changed(
                in_turn,
                "        seconds = rate.wait(tokens)\n        while",
                "        await asyncio.sleep(60 / (rate.requests_per_minute or 60))\n"
                "        seconds = rate.wait(tokens)\n        while",
            ),
        ),
        (
            "looks again every second",
            changed(in_turn, "asyncio.sleep(seconds + MARGIN)", "asyncio.sleep(1.0)"),
        ),
        (
            "does not count the time in the line",
            changed(
                in_turn,
                "    begin = clock.now()\n    async with rate.line:\n",
                "    async with rate.line:\n        begin = clock.now()\n",
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
        (
            "never tells that it waited",
            changed(in_turn, "return clock.now() - begin", "return 0.0"),
        ),
        (
            "waits half as long as it should",
            """\
async def in_turn(rate, tokens=0):
    begin = clock.now()
    async with rate.line:
        await asyncio.sleep(rate.wait(tokens) / 2)
        rate.take(tokens)
    return clock.now() - begin
""",
        ),
        (
            "lets a small request pass",
            changed(
                in_turn,
                "    async with rate.line:\n",
                (
                    "    if 0 < tokens < 50 and rate.wait(tokens) == 0:\n"
                    "        rate.take(tokens)\n"
                    "        return 0.0\n"
                    "    async with rate.line:\n"
                ),
            ),
        ),
        (
            "refuses what is larger than a minute's worth",
            changed(
                in_turn,
                "    begin = clock.now()\n",
                (
                    "    if rate.tokens_per_minute and tokens > rate.tokens_per_minute:\n"
                    "        raise ValueError(f'{tokens} tokens are too many')\n"
                    "    begin = clock.now()\n"
                ),
            ),
        ),
        (
            "pays for who has given up",
            """\
async def in_turn(rate, tokens=0):
    begin = clock.now()
    async with rate.line:
        try:
            while (seconds := rate.wait(tokens)) > 0:
                await asyncio.sleep(seconds + MARGIN)
        finally:
            rate.take(tokens)
    return clock.now() - begin
""",
        ),
    ],
    "7.5": [
        (
            "accuses who waited for its own dependencies",
            changed(delays, "max([made.end, *before])", "made.end"),
        ),
        (
            "overlooks who ended in the moment in which it began",
            changed(delays, "ready < t.end <= each.start", "ready < t.end < each.start"),
        ),
        (
            "takes the plan to be there when its span begins",
            changed(delays, "max([made.end, *before])", "max([made.start, *before])"),
        ),
        (
            "waits for all that is listed before",
            changed(
                delays,
                "for need in needs[id].dependencies if need in tasks]",
                "for need in list(tasks)[: list(tasks).index(id)]]",
            ),
        ),
        (
            "knows no limit",
            changed(
                delays,
                "idle(tasks.values(), ready, each.start, limit)",
                "each.start - ready",
            ),
        ),
        (
            "forgives whoever finds all places taken at first",
            changed(
                delays,
                "        if seconds > 0:\n",
                "        under_way = [t for t in tasks.values() if t.start <= ready < t.end]\n"
                "        if seconds > 0 and (limit is None or len(under_way) < limit):\n",
            ),
        ),
        (
            "names the task that ended first",
            changed(delays, "ended[max(ended)]", "ended[min(ended)]"),
        ),
        (
            "names its own dependency where nobody ended",
            changed(delays, "ready < t.end <= each.start", "ready <= t.end <= each.start"),
        ),
        (
            "breaks on tasks of another plan",
            changed(
                delays,
                ' if s.operation == "dispatch" and s.name in needs',
                ' if s.operation == "dispatch"',
            ),
        ),
        (
            "breaks on a dependency that is not in the trace",
            changed(delays, " if need in tasks]", "]"),
        ),
        (
            "names a task of another plan",
            changed(
                delays,
                "for t in tasks.values() if ready <",
                "for t in trace.spans if t.operation == 'dispatch' and ready <",
            ),
        ),
        (
            "gives another plan's task a place",
            changed(
                delays,
                "idle(tasks.values(),",
                "idle([s for s in trace.spans if s.operation == 'dispatch'],",
            ),
        ),
        (
            "tells them in the order of the seconds",
            changed(
                delays, "    return found", "    return sorted(found, key=lambda d: -d.seconds)"
            ),
        ),
        (
            "takes no limit for one place",
            changed(delays, "each.start, limit)", "each.start, limit or 1)"),
        ),
        (
            "takes the last plan",
            changed(
                delays,
                "next(s for s in trace.spans if",
                "next(s for s in reversed(trace.spans) if",
            ),
        ),
        (
            "takes every span of its name for the task",
            changed(delays, 's.operation == "dispatch" and s.name in needs', "s.name in needs"),
        ),
        (
            "tells tasks that began in time as well",
            changed(delays, "if seconds > 0:", "if True:"),
        ),
        (
            "calls them by what they waited behind",
            changed(
                delays,
                'Delay(id, ended[max(ended)] if ended else "", seconds)',
                "Delay(ended[max(ended)] if ended else id, id, seconds)",
            ),
        ),
        (
            "counts all seconds of a task that was held up",
            changed(delays, 'if ended else "", seconds)', 'if ended else "", each.start - ready)'),
        ),
        (
            "breaks on a task that never began",
            changed(
                delays,
                "    for id, each in tasks.items():\n",
                (
                    "    for id in needs:\n"
                    "        if not needs[id].dependencies and id not in tasks:\n"
                    "            continue\n"
                    "        each = tasks[id]\n"
                ),
            ),
        ),
    ],
}

RIGHT = {
    "7.1": [
        ("with wait and cancel by hand", _BY_HAND),
        (
            "gathers and tidies up",
            "import asyncio\n\n\nasync def concurrently(works):\n"
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
            "import asyncio\n\n\nasync def concurrently(works):\n"
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
            "import asyncio\n\n\nasync def concurrently(works):\n"
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
        (
            "an object that is called",
            """\
import asyncio


class Abreast:
    async def __call__(self, works):
        tasks = [asyncio.ensure_future(work) for work in works]
        try:
            for over in asyncio.as_completed(tasks):
                await over
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return tuple(task.result() for task in tasks)


concurrently = Abreast()
""",
        ),
        (
            "a queue of what is over, and a partial",
            """\
import asyncio
from functools import partial


async def carried_out(make_queue, works):
    over, tasks = make_queue(), []
    for work in works:
        tasks.append(task := asyncio.create_task(work))
        task.add_done_callback(over.put_nowait)
    try:
        for _ in tasks:
            (await over.get()).result()
        return [task.result() for task in tasks]
    finally:
        while any(not task.done() for task in tasks):
            [task.cancel() for task in tasks if not task.done() and not task.cancelling()]
            await asyncio.wait(tasks)


concurrently = partial(carried_out, asyncio.Queue)
""",
        ),
        (
            "the first, and the rest likewise",
            """\
import asyncio


async def concurrently(works):
    match list(works):
        case []:
            return []
        case [first, *rest]:
            pair = [asyncio.create_task(first), asyncio.create_task(concurrently(rest))]
            try:
                over, _ = await asyncio.wait(pair, return_when=asyncio.FIRST_EXCEPTION)
                for each in over:
                    each.result()
            finally:
                for each in pair:
                    each.cancel()
                await asyncio.gather(*pair, return_exceptions=True)
            return [pair[0].result(), *pair[1].result()]
""",
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
            changed(
                _GATHERING,
                "    start()\n    while not",
                "    start()\n    try:\n        await until_over()\n    finally:\n"
                "        for job in running:\n            job.cancel()\n"
                "        await asyncio.gather(*running, return_exceptions=True)\n"
                "    return {task.id: results[task.id] for task in plan.tasks}\n\n\n"
                "async def unused():\n    while not",
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
        (
            "with graphlib and a heap",
            """\
import asyncio
import heapq
from graphlib import TopologicalSorter


async def schedule(plan, work, *, limit=None, priority=None, done=None, on_result=None):
    refuse_impossible(plan, limit)
    named, rank, results = plan.by_id, priority or urgency(plan), dict(done or {})
    sorter = TopologicalSorter({t.id: t.dependencies for t in plan.tasks})
    sorter.prepare()
    heap, doing = [], {}
    try:
        while sorter.is_active():
            for id in sorter.get_ready():
                if id in results:
                    sorter.done(id)
                else:
                    heapq.heappush(heap, (-rank.get(id, 0), id))
            if any(id in results for id in doing.values()):
                continue
            while heap and len(doing) < (limit or len(named)):
                _, id = heapq.heappop(heap)
                given = {need: results[need] for need in named[id].dependencies}
                doing[asyncio.create_task(work(named[id], given))] = id
            if doing:
                over, _ = await asyncio.wait(doing, return_when=asyncio.FIRST_COMPLETED)
                for job in over:
                    id = doing.pop(job)
                    results[id] = job.result()
                    sorter.done(id)
                    on_result and on_result(id, results[id])
    finally:
        for job in doing:
            job.cancel()
        await asyncio.gather(*doing, return_exceptions=True)
    return {id: results[id] for id in named}
""",
        ),
        (
            "a class of callbacks, and a partial",
            """\
import asyncio
from functools import partial


class Run:
    def __init__(self, board, work, results, on_result):
        self.board, self.work, self.results, self.tell = board, work, results, on_result
        self.jobs, self.over = set(), asyncio.get_running_loop().create_future()

    def go_on(self):
        for task in self.board.start():
            given = {need: self.results[need] for need in task.dependencies}
            job = asyncio.ensure_future(self.work(task, given))
            self.jobs.add(job)
            job.add_done_callback(partial(self.ended, task.id))
        if not self.jobs and not self.over.done():
            self.over.set_result(None)

    def ended(self, id, job):
        self.jobs.discard(job)
        if self.over.done():
            return
        if job.cancelled() or job.exception():
            self.over.set_exception(job.exception() or asyncio.CancelledError())
            return
        self.results[id] = job.result()
        if self.tell is not None:
            self.tell(id, job.result())
        self.board.over(id)
        self.go_on()


async def schedule(plan, work, *, limit=None, priority=None, done=None, on_result=None):
    refuse_impossible(plan, limit)
    results = dict(done or {})
    run = Run(Board(plan, limit=limit, priority=priority, done=results), work, results, on_result)
    run.go_on()
    try:
        await run.over
    finally:
        left = list(run.jobs)
        for job in left:
            job.cancel()
        await asyncio.gather(*left, return_exceptions=True)
    return {task.id: results[task.id] for task in plan.tasks}
""",
        ),
        (
            "a generator says who may begin",
            """\
import asyncio


def turns(plan, limit, rank, over):
    waiting = {t.id: set(t.dependencies) - over for t in plan.tasks if t.id not in over}
    free = limit
    while True:
        ready = sorted((id for id in waiting if not waiting[id]), key=lambda id: -rank[id])
        chosen = ready[: free if limit else None]
        [waiting.pop(id) for id in chosen]
        ended = yield chosen
        free = free and free - len(chosen) + 1 if limit else None
        for needs in waiting.values():
            needs.discard(ended)


async def schedule(plan, work, *, limit=None, priority=None, done=None, on_result=None):
    refuse_impossible(plan, limit)
    results, ends, failed = dict(done or {}), asyncio.Queue(), []

    async def carry_out(task):
        try:
            given = {need: results[need] for need in task.dependencies}
            ends.put_nowait((task.id, await work(task, given), None))
        except Exception as error:
            ends.put_nowait((task.id, None, error))

    who = turns(plan, limit, priority or urgency(plan), set(results))
    async with asyncio.TaskGroup() as group:
        jobs = [group.create_task(carry_out(plan.by_id[id])) for id in next(who)]
        while len(results) < len(plan.tasks):
            id, result, error = await ends.get()
            if error is not None:
                failed.append(error)
                [job.cancel() for job in jobs]
                break
            results[id] = result
            if on_result:
                on_result(id, result)
            jobs += [group.create_task(carry_out(plan.by_id[each])) for each in who.send(id)]
    if failed:
        raise failed[0]
    return {task.id: results[task.id] for task in plan.tasks}
""",
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
            "from course.supervisor_worker.plan import in_order\n\n\n"
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
        (
            "with graphlib, from the end",
            """\
from collections import defaultdict
from graphlib import TopologicalSorter


def urgency(plan, seconds=None):
    takes = defaultdict(lambda: 1.0, seconds or {})
    rest, found = defaultdict(float), {}
    order = TopologicalSorter({t.id: t.dependencies for t in plan.tasks}).static_order()
    for id in reversed([*order]):
        found[id] = takes[id] + rest[id]
        for need in plan.by_id[id].dependencies:
            rest[need] = max(rest[need], found[id])
    return found
""",
        ),
        (
            "an object that remembers, in numpy's numbers",
            """\
import numpy as np


class Urgency:
    def __call__(self, plan, seconds=None):
        seconds = seconds if seconds is not None else {}

        def longest(id, known={}):
            after = [t.id for t in plan.tasks if id in t.dependencies]
            return np.float64(seconds.get(id, 1)) + np.max([longest(a) for a in after], initial=0)

        return {task.id: longest(task.id) for task in plan.tasks}


urgency = Urgency()
""",
        ),
        (
            "chains as a generator tells them",
            """\
def urgency(plan, seconds=None):
    def chains(id):
        own = (seconds or {}).get(id, 1.0)
        yield own
        for task in plan.tasks:
            if id in task.dependencies:
                yield from (own + rest for rest in chains(task.id))

    return dict((task.id, max(chains(task.id))) for task in plan.tasks)
""",
        ),
    ],
    "7.4": [
        (
            "sleeps for just so long, and no moment more",
            """\
async def in_turn(rate, tokens=0):
    begin = clock.now()
    async with rate.line:
        while seconds := rate.wait(tokens):
            await asyncio.sleep(seconds)
        rate.take(tokens)
        return clock.now() - begin
""",
        ),
        (
            "sleeps in small steps, the last one a shorter one",
            """\
async def in_turn(rate, tokens=0):
    begin = clock.now()
    await rate.line.acquire()
    try:
        while rate.wait(tokens) > 0:
            await asyncio.sleep(min(rate.wait(tokens), 0.05))
        rate.take(tokens)
    finally:
        rate.line.release()
    return clock.now() - begin
""",
        ),
        (
            "lets go of the line at last",
            changed(
                _LOCKED,
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
        (
            "looks again and again",
            changed(in_turn, "asyncio.sleep(seconds + MARGIN)", "asyncio.sleep(0.05)"),
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
        (
            "an object, and recursion",
            """\
class InTurn:
    async def __call__(self, rate, tokens=0):
        began = clock.now()
        async with rate.line:
            return await self.wait(rate, tokens, began)

    async def wait(self, rate, tokens, began):
        match rate.wait(tokens):
            case seconds if seconds > 0:
                await asyncio.sleep(seconds + MARGIN)
                return await self.wait(rate, tokens, began)
        rate.take(tokens)
        return clock.now() - began


in_turn = InTurn()
""",
        ),
        (
            "adds up its naps",
            """\
async def in_turn(rate, tokens=0):
    start = clock.now()
    await rate.line.acquire()
    try:
        waited = clock.now() - start
        while (left := rate.wait(tokens)) > 0:
            waited += (nap := left + 0.001)
            await asyncio.sleep(nap)
        rate.take(tokens)
    finally:
        rate.line.release()
    return waited
""",
        ),
        (
            "an async generator of waits, and numpy's numbers",
            """\
from contextlib import AsyncExitStack

import numpy as np


async def waits(rate, tokens):
    while seconds := rate.wait(tokens):
        yield seconds


async def in_turn(rate, tokens=0):
    begin = np.float64(asyncio.get_running_loop().time())
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(rate.line)
        async for seconds in waits(rate, tokens):
            await asyncio.sleep(float(seconds) + MARGIN)
        rate.take(tokens)
    return np.float64(asyncio.get_running_loop().time()) - begin
""",
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
        (
            "an object with properties",
            """\
from functools import cached_property


class Run:
    def __init__(self, trace, limit):
        self.trace, self.limit = trace, limit

    @cached_property
    def made(self):
        return [s for s in trace_spans(self.trace) if "switchboard.plan" in s.attributes][0]

    @cached_property
    def needs(self):
        return Plan.from_json(str(self.made.attributes["switchboard.plan"])).by_id

    @cached_property
    def steps(self):
        wanted = "dispatch", True
        return [s for s in self.trace.spans if (s.operation, s.name in self.needs) == wanted]

    def ready(self, step):
        own = self.needs[step.name].dependencies
        return max([s.end for s in self.steps if s.name in own] + [self.made.end])

    def __iter__(self):
        for step in self.steps:
            if free := idle(self.steps, ready := self.ready(step), step.start, self.limit):
                late = [s for s in self.steps if ready < s.end <= step.start]
                behind = max(late, key=lambda s: s.end).name if late else ""
                yield Delay(task=step.name, behind=behind, seconds=free)


def trace_spans(trace):
    yield from trace.spans


def delays(trace, limit=None):
    return [*Run(trace, limit)]
""",
        ),
        (
            "a generator",
            """\
def delays(trace, limit=None):
    plan = None
    for span in trace.spans:
        match span.attributes:
            case {"switchboard.plan": text}:
                plan, there = Plan.from_json(text), span.end
                break
    ran = {s.name: s for s in trace.spans if s.operation == "dispatch"}
    ran = {id: span for id, span in ran.items() if id in plan.by_id}
    for id, span in ran.items():
        ready = there
        for need in plan.by_id[id].dependencies:
            try:
                ready = max(ready, ran[need].end)
            except KeyError:
                continue
        seconds = idle(list(ran.values()), ready, span.start, limit)
        ends = sorted((s.end, name) for name, s in ran.items() if ready < s.end <= span.start)
        if seconds:
            yield Delay(id, ends[-1][1] if ends else "", seconds)
""",
        ),
        (
            "partial, reduce and filter",
            """\
from functools import partial, reduce


def looked_at(made, needs, spans, limit, span):
    befores = filter(lambda s: s.name in needs[span.name].dependencies, spans)
    ready = reduce(lambda latest, s: max(latest, s.end), befores, made.end)
    ended = filter(lambda s: ready < s.end <= span.start, spans)
    last = reduce(lambda a, b: a if a and a.end > b.end else b, ended, None)
    return Delay(span.name, last.name if last else "", idle(spans, ready, span.start, limit))


def delays(trace, limit=None):
    made = next(filter(lambda s: "switchboard.plan" in s.attributes, trace.spans))
    needs = Plan.from_json(str(made.attributes["switchboard.plan"])).by_id
    spans = [s for s in trace.spans if s.operation == "dispatch" and s.name in needs]
    told = map(partial(looked_at, made, needs, spans, limit), spans)
    return list(filter(lambda delay: delay.seconds > 0, told))
""",
        ),
    ],
}
