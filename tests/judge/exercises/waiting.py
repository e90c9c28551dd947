# ruff: noqa: E501 (answers keep their own lines)
"""Test exercises: calls, order, parallel work, limits, what is left behind."""

from graders.checks import (
    backed_off,
    breaker,
    by_argument,
    by_tool,
    called,
    concurrency,
    dependencies,
    never_blocks,
    nothing_left,
    parallel,
    partial,
    rate,
    refined,
    sequence,
    tidied,
    times_out,
    within,
)
from graders.records.scenario import Answer, Ask, Scenario
from tests.judge.exercises.case import Case, case, lasting, offer, told

CITIES = ["Rome", "Oslo", "Lima", "Cairo"]
CITY = by_argument("city")
SLOW = {"Rome": 3.0, "Oslo": 2.0, "Lima": 4.0, "Cairo": 1.0}
WEATHER = offer("weather", lasting(**SLOW), "city")
WORLD = Scenario((WEATHER,), params={"cities": CITIES})
ASK = "return await solve(bench.tool('weather').function, bench.params['cities'])"

GATHER = """
async def solve(weather, cities):
    return await asyncio.gather(*(weather(city=city) for city in cities))
"""
GROUP = """
async def solve(weather, cities):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(weather(city=city)) for city in cities]
    return [task.result() for task in tasks]
"""
QUEUE = """
async def solve(weather, cities):
    queue, found = asyncio.Queue(), {}

    async def worker():
        while not queue.empty():
            city = queue.get_nowait()
            found[city] = await weather(city=city)

    for city in cities:
        queue.put_nowait(city)
    await asyncio.gather(*(worker() for _ in cities))
    return [found[city] for city in cities]
"""
THREADS = """
async def solve(weather, cities):
    loop = asyncio.get_running_loop()

    def ask(city):
        return asyncio.run_coroutine_threadsafe(weather(city=city), loop).result()

    return await asyncio.gather(*(asyncio.to_thread(ask, city) for city in cities))
"""
SEQUENTIAL = """
async def solve(weather, cities):
    return [await weather(city=city) for city in cities]
"""

CALLED = case(
    "called",
    ASK,
    WORLD,
    lambda world: [called("weather", [{"city": city} for city in CITIES])],
    {"gather": GATHER, "task group": GROUP, "one by one": SEQUENTIAL},
    {
        "forgets the last": ("called.missing", GATHER.replace("in cities)", "in cities[:-1])")),
        "shouts": ("called.wrong_arguments", GATHER.replace("city=city)", "city=city.upper())")),
        "asks for more": ("called.extra", GATHER.replace("in cities)", "in [*cities, 'Bonn'])")),
        "asks twice": ("called.repeated", GATHER.replace("in cities)", "in cities * 2)")),
        "asks nothing": ("called.missing", "async def solve(weather, cities):\n    return cities"),
    },
)

PARALLEL = case(
    "parallel",
    ASK,
    WORLD,
    lambda world: [parallel(CITY, CITIES, what="a look-up")],
    {"gather": GATHER, "task group": GROUP, "queue": QUEUE, "threads": THREADS},
    {
        "one by one": ("parallel.one_at_a_time", SEQUENTIAL),
        "in pairs": (
            "parallel.barrier",
            """
async def solve(weather, cities):
    found = []
    for n in range(0, len(cities), 2):
        found += await asyncio.gather(*(weather(city=city) for city in cities[n : n + 2]))
    return found
""",
        ),
        "the first one first": (
            "parallel.barrier",
            """
async def solve(weather, cities):
    first = await weather(city=cities[0])
    return [first, *await asyncio.gather(*(weather(city=city) for city in cities[1:]))]
""",
        ),
        "starts all, gives all up, and asks one by one": (
            "parallel.one_at_a_time",
            """
async def solve(weather, cities):
    tasks = [asyncio.create_task(weather(city=city)) for city in cities]
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return [await weather(city=city) for city in cities]
""",
        ),
        "forgets the last": ("parallel.missing", GATHER.replace("in cities)", "in cities[:-1])")),
        "pauses before each": (
            "parallel.late",
            """
async def solve(weather, cities):
    tasks = []
    for city in cities:
        tasks.append(asyncio.create_task(weather(city=city)))
        await asyncio.sleep(0.5)
    return [await task for task in tasks]
""",
        ),
    },
)

SEMAPHORE = """
async def solve(weather, cities):
    gate = asyncio.Semaphore(2)

    async def ask(city):
        async with gate:
            return await weather(city=city)

    return await asyncio.gather(*(ask(city) for city in cities))
"""
TWO_WORKERS = QUEUE.replace("worker() for _ in cities", "worker() for _ in range(2)")
CONCURRENCY = case(
    "concurrency",
    ASK,
    WORLD,
    lambda world: [concurrency(2, CITY)],
    {
        "semaphore": SEMAPHORE,
        "two workers": TWO_WORKERS,
        "as places become free": """
async def solve(weather, cities):
    running, tasks = set(), []
    for city in cities:
        if len(running) == 2:
            _, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        tasks.append(asyncio.create_task(weather(city=city)))
        running.add(tasks[-1])
    return [await task for task in tasks]
""",
    },
    {
        "no limit": ("concurrency.too_many", GATHER),
        "one more": ("concurrency.too_many", SEMAPHORE.replace("(2)", "(3)")),
        "a gate for each": (
            "concurrency.too_many",
            """
async def solve(weather, cities):
    async def ask(city):
        async with asyncio.Semaphore(2):
            return await weather(city=city)

    return await asyncio.gather(*(ask(city) for city in cities))
""",
        ),
        "one at a time": ("concurrency.unused", SEMAPHORE.replace("(2)", "(1)")),
        "asks nothing": (
            "concurrency.missing",
            "async def solve(weather, cities):\n    return []",
        ),
    },
)


RATE = case(
    "rate",
    ASK,
    Scenario((offer("weather", lasting(), "city"),), params={"cities": CITIES}),
    lambda world: [rate(2, 10, CITY)],
    {
        "pairs": """
async def solve(weather, cities):
    found = []
    for n in range(0, len(cities), 2):
        if n:
            await asyncio.sleep(10)
        found += await asyncio.gather(*(weather(city=city) for city in cities[n : n + 2]))
    return found
""",
        "five seconds apart": """
async def solve(weather, cities):
    async def later(n, city):
        await asyncio.sleep(5 * n)
        return await weather(city=city)

    return await asyncio.gather(*(later(n, city) for n, city in enumerate(cities)))
""",
        "remembers when": """
async def solve(weather, cities):
    loop, sent, found = asyncio.get_running_loop(), [], []
    for city in cities:
        if len(sent) >= 2:
            await asyncio.sleep(max(0, sent[-2] + 10 - loop.time()))
        sent.append(loop.time())
        found.append(await weather(city=city))
    return found
""",
    },
    {
        "all at once": ("rate.too_many", GATHER),
        "one by one": ("rate.too_many", SEQUENTIAL),
        "a short pause": (
            "rate.too_many",
            """
async def solve(weather, cities):
    found = []
    for city in cities:
        found.append(await weather(city=city))
        await asyncio.sleep(2)
    return found
""",
        ),
        "a limit of running ones": ("rate.too_many", SEMAPHORE),
        "asks nothing": ("rate.missing", "async def solve(weather, cities):\n    return []"),
    },
)

STEPS = Scenario(tuple(offer(each, lambda ask: told(ask, 1.0)) for each in ("a", "b", "c", "d")))
STEP = by_tool()
TAKE = "return await solve(*(bench.tool(each).function for each in 'abcd'))"
SEQUENCE = case(
    "sequence",
    TAKE,
    STEPS,
    lambda world: [sequence(STEP, "abcd")],
    {
        "awaits": "async def solve(a, b, c, d):\n    return [await a(), await b(), await c(), await d()]",
        "loop": "async def solve(*steps):\n    return [await step() for step in steps]",
        "chain of tasks": """
async def solve(*steps):
    async def after(before, step):
        if before:
            await before
        return await step()

    task = None
    for step in steps:
        task = asyncio.create_task(after(task, step))
    return await task
""",
    },
    {
        "at once": (
            "order.too_early",
            "async def solve(*steps):\n    return await asyncio.gather(*(s() for s in steps))",
        ),
        "backwards": (
            "order.swapped",
            "async def solve(*steps):\n    return [await step() for step in steps[::-1]]",
        ),
        "swaps two": (
            "order.swapped",
            "async def solve(a, b, c, d):\n    return [await a(), await c(), await b(), await d()]",
        ),
        "forgets one": (
            "order.missing",
            "async def solve(a, b, c, d):\n    return [await a(), await b(), await d()]",
        ),
        "two in the middle at once": (
            "order.too_early",
            "async def solve(a, b, c, d):\n    await a()\n"
            "    await asyncio.gather(b(), c())\n    return await d()",
        ),
    },
)

NEEDS = {"b": ["a"], "c": ["a"], "d": ["b", "c"]}
TASKS = Scenario(
    tuple(
        offer(each, lambda ask: told(ask, 2.0 if "b" in str(ask.arguments) else 1.0), "given")
        for each in "abcd"
    )
)
DIAMOND = """
async def solve(a, b, c, d):
    first = await a(given="start")
    left, right = await asyncio.gather(b(given=first), c(given=first))
    return await d(given=left + right)
"""
DEPENDENCIES = case(
    "dependencies",
    TAKE,
    TASKS,
    lambda world: [dependencies(STEP, NEEDS, carries=True)],
    {
        "gather": DIAMOND,
        "one by one": """
async def solve(a, b, c, d):
    first = await a(given="start")
    left = await b(given=first)
    right = await c(given=first)
    return await d(given=f"{left} {right}")
""",
        "futures": """
async def solve(a, b, c, d):
    first = asyncio.create_task(a(given="start"))

    async def after(step, *needs):
        return await step(given=" ".join([await need for need in needs]))

    left = asyncio.create_task(after(b, first))
    right = asyncio.create_task(after(c, first))
    return await after(d, left, right)
""",
    },
    {
        "all at once": (
            "dependencies.too_early",
            "async def solve(*steps):\n"
            "    return await asyncio.gather(*(step(given='x') for step in steps))",
        ),
        "forgets the last": (
            "dependencies.missing",
            DIAMOND.replace("return await d(given=left + right)", "return left + right"),
        ),
        "hands on one half": ("dependencies.not_carried", DIAMOND.replace("left + right", "left")),
        "hands on nothing": (
            "dependencies.not_carried",
            DIAMOND.replace("b(given=first)", "b(given='x')"),
        ),
        "waits for one only": (
            "dependencies.too_early",
            """
async def solve(a, b, c, d):
    first = await a(given="start")
    right = asyncio.create_task(c(given=first))
    left = asyncio.create_task(b(given=first))
    done, _ = await asyncio.wait({left, right}, return_when=asyncio.FIRST_COMPLETED)
    last = asyncio.create_task(d(given=done.pop().result()))
    await asyncio.gather(left, right)
    return await last
""".replace(
                "await asyncio.wait({left, right}, return_when=asyncio.FIRST_COMPLETED)",
                "({left}, 0); await asyncio.sleep(0)",
            ).replace("done.pop().result()", "'early'"),
        ),
    },
)


def _fails(ask: Ask) -> Answer:
    return Answer(error="the line is busy", seconds=1.0) if ask.number < 2 else told(ask, 1.0)


def _always_fails(ask: Ask) -> Answer:
    return Answer(error="the line is dead", seconds=1.0)


CALL = "return await solve(bench.tool('fetch').function)"
RETRY = """
async def solve(fetch):
    for attempt in range(3):
        try:
            return await fetch()
        except ToolError:
            if attempt == 2:
                raise
            await asyncio.sleep(2**attempt)
"""
BACKED_OFF = case(
    "backed_off",
    CALL,
    Scenario((offer("fetch", _fails),)),
    lambda world: [backed_off(by_tool("fetch"), ["fetch"])],
    {
        "loop": RETRY,
        "recursion": """
async def solve(fetch, wait=1):
    try:
        return await fetch()
    except ToolError:
        if wait > 2:
            raise
        await asyncio.sleep(wait)
        return await solve(fetch, wait * 2)
""",
        "list of pauses": """
async def solve(fetch):
    for pause in (0.5, 1.5, None):
        try:
            return await fetch()
        except ToolError as error:
            last = error
        if pause is not None:
            await asyncio.sleep(pause)
    raise last
""",
    },
    {
        "does not try again": (
            "retry.gave_up",
            RETRY.replace("range(3)", "range(1)")
            .replace("                raise\n", "                return\n")
            .replace("== 2", "== 0"),
        ),
        "gives up after two": ("retry.gave_up", RETRY.replace("range(3)", "range(2)")),
        "lets the error out": (
            "retry.gave_up",
            "async def solve(fetch):\n    return await fetch()",
        ),
        "gives up by raising": (
            "retry.gave_up",
            RETRY.replace("range(3)", "range(2)").replace(
                "            if attempt == 2:\n                raise\n",
                "            if attempt == 1:\n                raise RuntimeError('it is busy') from None\n",
            ),
        ),
        "no pause": (
            "retry.no_wait",
            RETRY.replace("            await asyncio.sleep(2**attempt)\n", ""),
        ),
        "the same pause": ("retry.not_growing", RETRY.replace("2**attempt", "1")),
        "all tries at once": (
            "retry.not_awaited",
            "async def solve(fetch):\n"
            "    said = await asyncio.gather(*(fetch() for _ in range(3)), return_exceptions=True)\n"
            "    return said[-1]",
        ),
        "asks again after success": (
            "retry.after_success",
            RETRY.replace(
                "return await fetch()",
                "said = await fetch()\n            await asyncio.sleep(4)\n            return await fetch()",
            ),
        ),
    },
)


def _wants_a_year(ask: Ask) -> Answer:
    task = str(ask.arguments["task"])
    if "1066" in task and "recent" in task:
        return told(ask, 1.0)
    return Answer(error="no figures for 1066: name a recent year", seconds=1.0)


REFINE = """
async def solve(work):
    task = "find the revenue of Acme"
    for _ in range(3):
        try:
            return await work(worker="ann", task=task)
        except ToolError as error:
            task = f"find the revenue of Acme. Last time: {error}"
"""
REFINED = case(
    "refined",
    "return await solve(bench.tool('work').function)",
    Scenario((offer("work", _wants_a_year, "worker", "task"),)),
    lambda world: [refined(by_argument("worker"), ["ann"], field="task", tries=3)],
    {
        "adds the error": REFINE,
        "in its own words": REFINE.replace(
            'f"find the revenue of Acme. Last time: {error}"',
            '"Find the revenue of Acme in a recent year: there are no figures for 1066."',
        ),
        "collects errors": """
async def solve(work):
    errors = []
    while len(errors) < 3:
        avoid = "".join(f" Avoid: {each}." for each in errors)
        try:
            return await work(worker="ann", task="find the revenue of Acme." + avoid)
        except ToolError as error:
            errors.append(str(error))
""",
    },
    {
        "plain repeat": ("refine.plain_repeat", REFINE.replace('task = f"find', 'note = f"find')),
        "says please": (
            "refine.no_error",
            REFINE.replace("Last time: {error}", "Please, please try again!"),
        ),
        "forgets the task": (
            "refine.no_task",
            REFINE.replace("find the revenue of Acme. Last time: ", "Mind this: "),
        ),
        "does not try again": (
            "refine.gave_up",
            REFINE.replace("range(3)", "range(1)"),
        ),
        "asks again after success": (
            "refine.after_success",
            REFINE.replace(
                "return await work(", "await work(worker='ann', task=task); return await work("
            ),
        ),
        "lets the error out": (
            "refine.gave_up",
            "async def solve(work):\n"
            "    return await work(worker='ann', task='find the revenue of Acme')",
        ),
        "asks nothing": ("refine.missing", "async def solve(work):\n    return ''"),
    },
)

BREAK = """
async def solve(fetch, times):
    failures = 0
    for _ in range(times):
        if failures >= 3:
            break
        try:
            return await fetch()
        except ToolError:
            failures += 1
"""
BREAKER = case(
    "breaker",
    "return await solve(bench.tool('fetch').function, 10)",
    Scenario((offer("fetch", _always_fails),)),
    lambda world: [breaker(by_tool("fetch"), 3)],
    {
        "count": BREAK,
        "class": """
class Breaker:
    def __init__(self, limit):
        self.left = limit

    async def call(self, function):
        if not self.left:
            raise RuntimeError("open")
        try:
            result = await function()
        except ToolError:
            self.left -= 1
            raise
        self.left = 3
        return result


async def solve(fetch, times):
    breaker = Breaker(3)
    for _ in range(times):
        try:
            return await breaker.call(fetch)
        except (ToolError, RuntimeError):
            pass
""",
        "with pauses": BREAK.replace(
            "failures += 1", "failures += 1\n            await asyncio.sleep(failures)"
        ),
    },
    {
        "no breaker": ("breaker.too_late", BREAK.replace(">= 3", ">= 99")),
        "one too many": ("breaker.too_late", BREAK.replace(">= 3", "> 3")),
        "one too few": ("breaker.too_early", BREAK.replace(">= 3", ">= 2")),
        "never counts": ("breaker.too_late", BREAK.replace("failures += 1", "pass")),
        "asks nothing": ("breaker.missing", "async def solve(fetch, times):\n    return None"),
    },
)


def _never(ask: Ask) -> Answer:
    return Answer(never=True)


TIMEOUT = """
async def solve(fetch):
    try:
        return await asyncio.wait_for(fetch(), 3)
    except TimeoutError:
        return "no answer"
"""
TIMES_OUT = case(
    "times_out",
    CALL,
    Scenario((offer("fetch", _never),)),
    lambda world: [times_out(by_tool("fetch"), 3)],
    {
        "wait_for": TIMEOUT,
        "timeout": """
async def solve(fetch):
    try:
        async with asyncio.timeout(3):
            return await fetch()
    except TimeoutError:
        return "no answer"
""",
        "wait and cancel": """
async def solve(fetch):
    task = asyncio.create_task(fetch())
    done, _ = await asyncio.wait({task}, timeout=3)
    if not done:
        task.cancel()
    return "no answer"
""",
    },
    {
        "too long": ("timeout.too_long", TIMEOUT.replace("3)", "30)")),
        "too short": ("timeout.too_short", TIMEOUT.replace("3)", "0.3)")),
        "no timeout": ("stalled.forever", "async def solve(fetch):\n    return await fetch()"),
        "asks nothing": ("timeout.missing", "async def solve(fetch):\n    return 'no answer'"),
        "a shielded call": (
            "timeout.unused",
            TIMEOUT.replace("fetch()", "asyncio.shield(fetch())"),
        ),
    },
)


def _half(ask: Ask) -> Answer:
    return (
        Answer(never=True)
        if ask.arguments["city"] == "Lima"
        else told(ask, SLOW[str(ask.arguments["city"])])
    )


BEST = """
async def solve(weather, cities):
    tasks = {city: asyncio.create_task(weather(city=city)) for city in cities}
    done, late = await asyncio.wait(tasks.values(), timeout=5)
    for task in late:
        task.cancel()
    found = {city: task.result() for city, task in tasks.items() if task in done}
    return {"found": found, "missing": [city for city in cities if city not in found]}
"""
PARTIAL = case(
    "partial",
    ASK,
    Scenario((offer("weather", _half, "city"),), params={"cities": CITIES}),
    lambda world: [partial(CITY, CITIES, deadline=5, gaps="missing")],
    {
        "wait": BEST,
        "each with a timeout": """
async def solve(weather, cities):
    found, missing = {}, []

    async def ask(city):
        try:
            found[city] = await asyncio.wait_for(weather(city=city), 5)
        except TimeoutError:
            missing.append(city)

    await asyncio.gather(*(ask(city) for city in cities))
    return {"found": found, "missing": missing}
""",
        "timeout around a group": """
async def solve(weather, cities):
    found = {}

    async def ask(city):
        found[city] = await weather(city=city)

    try:
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            for city in cities:
                group.create_task(ask(city))
    except TimeoutError:
        pass
    return {"found": found, "missing": [city for city in cities if city not in found]}
""",
    },
    {
        "loses everything": (
            "partial.lost",
            """
async def solve(weather, cities):
    try:
        async with asyncio.timeout(5):
            return await asyncio.gather(*(weather(city=city) for city in cities))
    except TimeoutError:
        return {"found": {}, "missing": ["Lima"]}
""",
        ),
        "too late": ("partial.too_late", BEST.replace("timeout=5", "timeout=9")),
        "too early": ("partial.too_early", BEST.replace("timeout=5", "timeout=3.5")),
        "names no gap": ("partial.unnamed", BEST.replace("if city not in found]", "if not city]")),
        "throws an answer away": (
            "partial.lost",
            BEST.replace("if task in done}", "if task in done and city != 'Rome'}").replace(
                "city not in found]", 'city == "Lima"]'
            ),
        ),
        "cries wolf": ("partial.false_alarm", BEST.replace("if city not in found]", "]")),
    },
)

STOP = """
    import asyncio
    task = asyncio.create_task(solve(bench.tool('weather').function, bench.params['cities']))
    await asyncio.sleep(1.5)
    task.cancel()
    await asyncio.wait([task])
    return "stopped"
""".strip()
TIDY_UP = """
async def fetch(city):
        try:
            return await bench.tool('weather').function(city=city)
        except asyncio.CancelledError:
            await asyncio.sleep(0.25)
            bench.mark('tidied', city)
            raise
    import asyncio
    running = asyncio.ensure_future(solve(fetch, bench.params['cities'][:2]))
    await asyncio.sleep(1.5)
    running.cancel()
    try:
        await running
    except asyncio.CancelledError:
        return 'stopped'
""".strip()
BEGUN = """
async def solve(fetch, cities):
    tasks = [asyncio.ensure_future(fetch(city)) for city in cities]
    try:
        return [await asyncio.shield(task) for task in tasks]
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
"""
TIDIED = case(
    "tidied",
    TIDY_UP,
    WORLD,
    lambda world: [tidied(CITY, after=0.25)],
    {
        "cancels, and waits": BEGUN + "        await asyncio.wait(tasks)\n        raise\n",
        "task group": """
async def solve(fetch, cities):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(fetch(city)) for city in cities]
    return [task.result() for task in tasks]
""",
        "one by one": """
async def solve(fetch, cities):
    return [await fetch(city) for city in cities]
""",
    },
    {
        "cancels and goes": ("left.untidied", BEGUN + "        raise\n"),
        "cancels and answers": ("left.untidied", BEGUN + "        return []\n"),
        "waits for one of them": (
            "left.untidied",
            BEGUN.replace("task.cancel()", "task.cancel()\n            await asyncio.sleep(0)")
            + "        raise\n",
        ),
        "waits too short a time": (
            "left.untidied",
            BEGUN + "        await asyncio.wait(tasks, timeout=0.125)\n        raise\n",
        ),
        "interrupts the tidying": (
            "left.untidied",
            BEGUN + "        await asyncio.sleep(0)\n        tasks[0].cancel()\n"
            "        await asyncio.wait(tasks)\n        raise\n",
        ),
    },
)
NOTHING_LEFT = case(
    "nothing_left",
    STOP,
    WORLD,
    lambda world: [nothing_left(cancelled_at=1.5)],
    {"gather": GATHER, "task group": GROUP, "one by one": SEQUENTIAL},
    {
        "tasks of its own": (
            "left.ran_on",
            """
async def solve(weather, cities):
    tasks = [asyncio.create_task(weather(city=city)) for city in cities]
    return [await task for task in tasks[::-1]]
""",
        ),
        "swallows it": (
            "left.started_later",
            """
async def solve(weather, cities):
    found = []
    for city in cities:
        try:
            found.append(await weather(city=city))
        except asyncio.CancelledError:
            await asyncio.sleep(0.5)
    return found
""",
        ),
        "shields": (
            "left.ran_on",
            "async def solve(weather, cities):\n"
            "    return [await asyncio.shield(weather(city=city)) for city in cities]",
        ),
        "tidies up by asking": (
            "left.started_later",
            """
async def solve(weather, cities):
    try:
        return [await weather(city=city) for city in cities]
    finally:
        await asyncio.sleep(0.1)
        await weather(city="Bonn")
""",
        ),
        "asks nothing": (
            "left.nothing_cancelled",
            "async def solve(weather, cities):\n    await asyncio.sleep(9)",
        ),
    },
)

NEVER_BLOCKS = case(
    "never_blocks",
    ASK,
    WORLD,
    lambda world: [never_blocks()],
    {
        "gather": GATHER,
        "sleeps politely": SEQUENTIAL.replace("return", "await asyncio.sleep(1)\n    return"),
        "sleeps in a thread": SEQUENTIAL.replace(
            "return", "await asyncio.to_thread(time.sleep, 1)\n    return"
        ),
    },
    {
        "sleeps before": (
            "blocking.call",
            SEQUENTIAL.replace("return", "threading.Event().wait(1)\n    return"),
        ),
        "sleeps after each": (
            "blocking.call",
            "async def solve(weather, cities):\n    for city in cities:\n"
            "        await weather(city=city)\n        threading.Event().wait(0.5)",
        ),
        "sleeps in a helper": (
            "blocking.call",
            "def nap():\n    threading.Event().wait(2)\n\n\nasync def solve(weather, cities):\n    nap()\n"
            "    return [await weather(city=city) for city in cities]",
        ),
        "sleeps in a task": (
            "blocking.call",
            "async def solve(weather, cities):\n    async def nap():\n        threading.Event().wait(1)\n\n"
            "    await asyncio.gather(nap(), *(weather(city=city) for city in cities))",
        ),
        "waits for a thread": (
            "blocking.call",
            "import threading\n\n\nasync def solve(weather, cities):\n"
            "    thread = threading.Thread(target=time.sleep, args=(1,))\n    thread.start()\n"
            "    thread.join()\n    return [await weather(city=city) for city in cities]",
        ),
    },
)

WITHIN = case(
    "within",
    "return await solve(bench.tool('fetch').function)",
    Scenario((offer("fetch", lambda ask: told(ask, 1.0)),)),
    lambda world: [within(calls=4, ended_by=10, reached=True)],
    {
        "loop": "async def solve(fetch):\n    return [await fetch() for _ in range(4)]",
        "at once": "async def solve(fetch):\n    return await asyncio.gather(*(fetch() for _ in range(4)))",
        "while": "async def solve(fetch):\n    n = 0\n    while n < 4:\n        await fetch()\n        n += 1",
    },
    {
        "one too many": (
            "within.calls",
            "async def solve(fetch):\n    return [await fetch() for _ in range(5)]",
        ),
        "many": (
            "within.calls",
            "async def solve(fetch):\n    return [await fetch() for _ in range(50)]",
        ),
        "one too few": (
            "within.unused",
            "async def solve(fetch):\n    return [await fetch() for _ in range(3)]",
        ),
        "none": ("within.unused", "async def solve(fetch):\n    return []"),
        "dawdles": (
            "within.ended_late",
            "async def solve(fetch):\n    for _ in range(4):\n        await fetch()\n        await asyncio.sleep(5)",
        ),
    },
)

CASES: list[Case] = [
    CALLED,
    SEQUENCE,
    DEPENDENCIES,
    PARALLEL,
    CONCURRENCY,
    RATE,
    BACKED_OFF,
    REFINED,
    BREAKER,
    TIMES_OUT,
    PARTIAL,
    NOTHING_LEFT,
    TIDIED,
    NEVER_BLOCKS,
    WITHIN,
]
