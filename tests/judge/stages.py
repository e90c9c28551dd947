"""A small world and many ways to work in it, for tests of both transports."""

import linecache
from typing import Any

from course.models import ApiError, Reply
from graders.judge.world import tokens_from
from graders.records.scenario import Answer, Ask, Scenario, ToolOffer

TOKENS = tokens_from(b"a test's own")
NAME = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "additionalProperties": False,
}


def look_up(ask: Ask) -> Answer:
    """Takes a second, and one more for each call before; refuses "nobody", ignores "never"."""
    name = ask.arguments["name"]
    if name == "nobody":
        return Answer(error="there is no nobody", seconds=0.5)
    return Answer(f"{name} {ask.token}", seconds=1.0 + ask.number, never=name == "never")


def model(ask: Ask) -> Answer:
    """Answers after two seconds; the first two requests that say "stormy" fail."""
    assert ask.request is not None
    said = str(ask.request.messages[-1]["content"])
    if "stormy" in said and ask.number < 2:
        return Answer(error=ApiError(503, "come again", type="server_error"), seconds=0.25)
    return Answer(Reply(f"to {said}: {ask.token}"), seconds=2.0, never="never" in said)


def world(*names: str, **params: Any) -> Scenario:
    """The world, with the names that a stage is given."""
    tool = ToolOffer("look_up", "Look a person up.", NAME, look_up)
    return Scenario((tool,), model, {"names": list(names or ("Ann", "Ben", "Cem")), **params})


STAGE = """
async def stage(bench, student):
    return await student.solve(bench, bench.tool("look_up").function, bench.params["names"])
"""

HEAD = """
import asyncio, concurrent.futures, queue, threading, time
from course import SMALL, clock, connect

async def ask(client, text, **options):
    said = [{"role": "user", "content": text}]
    return await client.chat.completions.create(model=SMALL, messages=said, **options)

"""

RUNS = {
    "gather": """
async def solve(bench, look_up, names):
    return await asyncio.gather(*(look_up(name=name) for name in names))
""",
    "one after another": """
async def solve(bench, look_up, names):
    return [await look_up(name=name) for name in names]
""",
    "task group": """
async def solve(bench, look_up, names):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(look_up(name=name)) for name in names]
    return [task.result() for task in tasks]
""",
    "queue and workers": """
async def solve(bench, look_up, names):
    todo, done = asyncio.Queue(), {}
    for name in names:
        todo.put_nowait(name)
    async def work():
        while True:
            name = await todo.get()
            done[name] = await look_up(name=name)
            todo.task_done()
    workers = [asyncio.create_task(work()) for _ in range(2)]
    await todo.join()
    for worker in workers:
        worker.cancel()
    await asyncio.gather(*workers, return_exceptions=True)
    return done
""",
    "semaphore": """
async def solve(bench, look_up, names):
    places = asyncio.Semaphore(2)
    async def one(name):
        async with places:
            return await look_up(name=name)
    return await asyncio.gather(*map(one, names))
""",
    "as completed": """
async def solve(bench, look_up, names):
    found = []
    for each in asyncio.as_completed([look_up(name=name) for name in names]):
        found.append((await each, clock.now()))
    return found
""",
    "timeout": """
async def solve(bench, look_up, names):
    found = {}
    async def one(name):
        try:
            async with asyncio.timeout(1.5):
                found[name] = await look_up(name=name)
        except TimeoutError:
            found[name] = None
    await asyncio.gather(*(one(name) for name in [*names, "never"]))
    return found
""",
    "cancelled": """
async def solve(bench, look_up, names):
    tasks = [asyncio.create_task(look_up(name=name)) for name in names]
    done, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    return [task.result() for task in done]
""",
    "left running": """
async def solve(bench, look_up, names):
    for name in names:
        asyncio.create_task(look_up(name=name))
    await asyncio.sleep(0)
    return "gone"
""",
    "tool error": """
from course.errors import ToolError
async def solve(bench, look_up, names):
    try:
        await look_up(name="nobody")
    except ToolError as error:
        return str(error)
""",
    "wrong argument": """
from course.tools import call_tool
async def solve(bench, look_up, names):
    found = []
    for text in ('{"name": 3}', '{"who": "Ann"}', '{"name": "Ann"}'):
        try:
            found.append(await call_tool(bench.tools[0], text))
        except Exception as error:
            found.append(str(error))
    return found
""",
    "model": """
async def solve(bench, look_up, names):
    answers = await asyncio.gather(*(ask(bench.client, name) for name in names))
    return [(a.choices[0].message.content, a.usage.total_tokens) for a in answers]
""",
    "stream": """
async def solve(bench, look_up, names):
    stream = await ask(bench.client, names[0], stream=True)
    return [(c.choices[0].delta.content, clock.now()) async for c in stream if c.choices]
""",
    "stream left early": """
async def solve(bench, look_up, names):
    async with await ask(bench.client, names[0], stream=True) as stream:
        async for chunk in stream:
            if chunk.choices[0].delta.content:
                return chunk.choices[0].delta.content
""",
    "retries of the line": """
from course.chat import complete
from course.models.line import guarded
async def solve(bench, look_up, names):
    said = [{"role": "user", "content": "stormy " + names[0]}]
    answer = await complete(guarded(bench.client), {"model": SMALL, "messages": said})
    return answer.message["content"], round(clock.now(), 3)
""",
    "a refusal": """
import openai
async def solve(bench, look_up, names):
    try:
        await ask(bench.client, "x", temperature=9)
    except openai.BadRequestError as error:
        return error.status_code, error.param
""",
    "impatient client": """
import openai
async def solve(bench, look_up, names):
    try:
        await ask(bench.client.with_options(timeout=1.0), "never")
    except openai.APITimeoutError:
        return round(clock.now(), 3)
""",
    "other clients": """
import openai
own = connect()
async def solve(bench, look_up, names):
    clients = (own, connect(), openai.AsyncOpenAI())
    answers = [await ask(client, names[0]) for client in clients]
    return [answer.choices[0].message.content for answer in answers]
""",
    "blocking client in a thread": """
import openai
async def solve(bench, look_up, names):
    def one(client, name):
        said = [{"role": "user", "content": name}]
        answer = client.chat.completions.create(model=SMALL, messages=said)
        return answer.choices[0].message.content, clock.time_ns() > 0
    clients = (openai.OpenAI(), bench.blocking_client(), openai.OpenAI())
    return await asyncio.gather(*map(asyncio.to_thread, [one] * 3, clients, names))
""",
    "threads that call back": """
async def solve(bench, look_up, names):
    loop = asyncio.get_running_loop()
    def one(name):
        time.sleep(0.5)
        return asyncio.run_coroutine_threadsafe(look_up(name=name), loop).result()
    return await asyncio.gather(*(asyncio.to_thread(one, name) for name in names))
""",
    "forty threads at once": """
async def solve(bench, look_up, names):
    began = clock.now()
    def one(number):
        time.sleep(1)
        return number
    numbers = await asyncio.gather(*(asyncio.to_thread(one, n) for n in range(32)))
    return numbers, clock.now() - began
""",
    "a pool of two": """
async def solve(bench, look_up, names):
    def one(name):
        time.sleep(0.5)
        return asyncio.run(look_up(name=name)), threading.current_thread() is not None
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = [asyncio.wrap_future(pool.submit(one, name)) for name in names]
        return await asyncio.gather(*futures)
""",
    "threads of its own": """
async def solve(bench, look_up, names):
    found, ready, finished = [], threading.Event(), queue.Queue()
    def one(name):
        ready.wait()
        found.append((name, asyncio.run(look_up(name=name))))
        finished.put(name)
    threads = [threading.Thread(target=one, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    await asyncio.sleep(2)
    ready.set()
    def all_of_them():
        for thread in threads:
            thread.join()
        return [finished.get() for _ in threads]
    return await asyncio.to_thread(all_of_them), found, clock.now()
""",
    "a lock between threads": """
async def solve(bench, look_up, names):
    lock, order = threading.Lock(), []
    def one(name):
        with lock:
            time.sleep(1)
            order.append(name)
    await asyncio.gather(*(asyncio.to_thread(one, name) for name in names))
    return sorted(order), clock.now()
""",
    "a condition with patience": """
async def solve(bench, look_up, names):
    event = threading.Event()
    def one():
        return event.wait(3), event.wait(0)
    return await asyncio.to_thread(one), clock.now()
""",
    "its own loop in a thread": """
async def solve(bench, look_up, names):
    def both():
        return clock.simulate(solve_gather(look_up, names)), asyncio.run(clock_of())
    return await asyncio.to_thread(both)
async def solve_gather(look_up, names):
    return await asyncio.gather(*(look_up(name=name) for name in names))
async def clock_of():
    await asyncio.sleep(1)
    return clock.now(), clock.is_virtual()
""",
    "blocks its loop": """
async def solve(bench, look_up, names):
    task = asyncio.create_task(look_up(name=names[0]))
    await asyncio.sleep(0)
    threading.Event().wait(2.5)
    return await task, clock.now()
""",
    "waits for a thread in its loop": """
async def solve(bench, look_up, names):
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        return list(pool.map(lambda name: time.sleep(1) or name, names))
""",
    "a trace": """
from course.trace import Trace, span
async def solve(bench, look_up, names):
    trace = Trace("a run")
    with trace.record(), span("invoke_agent", "one"):
        await look_up(name=names[0])
    bench.export(trace)
""",
    "waits for ever": """
async def solve(bench, look_up, names):
    await look_up(name=names[0])
    await asyncio.Event().wait()
""",
    "waits for ever in a thread": """
async def solve(bench, look_up, names):
    await asyncio.to_thread(threading.Event().wait)
""",
    "two locks": """
async def solve(bench, look_up, names):
    one, other = threading.Lock(), threading.Lock()
    def grab(first, second):
        with first:
            time.sleep(1)
            with second:
                return True
    await asyncio.gather(*map(asyncio.to_thread, [grab] * 2, (one, other), (other, one)))
""",
    "polls for ever": """
async def solve(bench, look_up, names):
    while True:
        await asyncio.sleep(600)
""",
    "polls for ever in small steps": """
async def solve(bench, look_up, names):
    while True:
        await asyncio.sleep(0.5)
""",
    "says more than anybody needs": """
async def solve(bench, look_up, names):
    while True:
        await look_up(name=50_000 * "x")
""",
    "raises": """
async def solve(bench, look_up, names):
    await look_up(name=names[0])
    return names[99]
""",
    "raises in a group": """
async def solve(bench, look_up, names):
    async def fail(name):
        raise ValueError(await look_up(name=name))
    async with asyncio.TaskGroup() as group:
        for name in names:
            group.create_task(fail(name))
""",
    "leaves": """
import sys
async def solve(bench, look_up, names):
    sys.exit("enough")
""",
    "no data": """
async def solve(bench, look_up, names):
    return {"answer": [look_up(name=names[0])]}
""",
    "not attempted": """
async def solve(bench, look_up, names):
    raise NotImplementedError("Exercise 9.1 not attempted yet")
""",
}


def cell(style: str) -> str:
    """The source text of a solution."""
    return HEAD + RUNS[style]


def notebook(source: str) -> dict[str, Any]:
    """The names of a notebook that ran this text as its only cell."""
    file = "<cell 1>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"__name__": "a_notebook"}
    exec(compile(source, file, "exec"), namespace)
    return namespace
