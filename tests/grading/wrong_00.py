"""Wrong answers to the exercises of chapter 00: what a student may well write.

Each entry is (name, source of the solution cell). Every one must lose exactly its exercise.
`RIGHT` are answers in other styles than the solution's; every one must pass.
"""

WRONG = {
    "0.1": [
        (
            "forgets the empty name",
            'def greeting(name: str) -> str:\n    return f"Switchboard, good morning, {name}."\n',
        ),
        (
            "prints instead of returning",
            'def greeting(name: str) -> None:\n    print(f"Switchboard, good morning, {name}.")\n',
        ),
        (
            "knows only the visible caller",
            "def greeting(name: str) -> str:\n"
            "    return f\"Switchboard, good morning{', Ada' if name else str()}.\"\n",
        ),
        (
            "refuses an empty name",
            "def greeting(name: str) -> str:\n"
            "    if not name:\n"
            '        raise ValueError("who is calling?")\n'
            '    return f"Switchboard, good morning, {name}."\n',
        ),
        (
            "leaves out the full stop",
            "def greeting(name: str) -> str:\n"
            "    return f\"Switchboard, good morning{', ' + name if name else str()}\"\n",
        ),
        (
            "says the first name only",
            "def greeting(name: str) -> str:\n"
            '    caller = f", {name.split()[0]}" if name else ""\n'
            '    return f"Switchboard, good morning{caller}."\n',
        ),
        (
            "writes the name in its own way",
            "def greeting(name: str) -> str:\n"
            '    caller = f", {name.title()}" if name else ""\n'
            '    return f"Switchboard, good morning{caller}."\n',
        ),
    ],
    "0.2": [
        (
            "one after the other",
            "async def put_all_through(callers, put_through):\n"
            "    return [await put_through(caller) for caller in callers]\n",
        ),
        (
            "in the order in which they finish",
            "async def put_all_through(callers, put_through):\n"
            "    pending = [put_through(caller) for caller in callers]\n"
            "    return [await done for done in asyncio.as_completed(pending)]\n",
        ),
        (
            "forgets that two callers may share a name",
            "async def put_all_through(callers, put_through):\n"
            "    tasks = {each: asyncio.ensure_future(put_through(each)) for each in callers}\n"
            "    return [await task for task in tasks.values()]\n",
        ),
        (
            "never awaits",
            "async def put_all_through(callers, put_through):\n"
            "    return [put_through(caller) for caller in callers]\n",
        ),
        (
            "counts the callers",
            "async def put_all_through(callers, put_through):\n"
            "    await asyncio.gather(*(put_through(caller) for caller in callers))\n"
            '    return [f"caller {number}" for number, _ in enumerate(callers)]\n',
        ),
        (
            "refuses a day without callers",
            "async def put_all_through(callers, put_through):\n"
            "    if not callers:\n"
            '        raise ValueError("nobody calls")\n'
            "    return await asyncio.gather(*(put_through(caller) for caller in callers))\n",
        ),
        (
            "ten at a time",
            "async def put_all_through(callers, put_through):\n"
            "    lines = asyncio.Semaphore(10)\n"
            "\n"
            "    async def connect(caller):\n"
            "        async with lines:\n"
            "            return await put_through(caller)\n"
            "\n"
            "    return await asyncio.gather(*map(connect, callers))\n",
        ),
    ],
    "0.3": [
        (
            "from the first start to the last end",
            "def time_spent(trace, operation):\n"
            "    steps = [s for s in trace.spans if s.operation == operation]\n"
            "    return max(s.end for s in steps) - min(s.start for s in steps) if steps else 0\n",
        ),
        (
            "counts instead of adding",
            "def time_spent(trace, operation):\n"
            "    return sum(s.operation == operation for s in trace.spans)\n",
        ),
        (
            "every operation",
            "def time_spent(trace, operation):\n    return sum(s.seconds for s in trace.spans)\n",
        ),
        (
            "the outermost steps",
            "def time_spent(trace, operation):\n"
            "    steps = [s for s in trace.spans if s.operation == operation]\n"
            "    return sum(s.seconds for s in steps if s.parent_id is None)\n",
        ),
        (
            "None when there are none",
            "def time_spent(trace, operation):\n"
            "    return sum(s.seconds for s in trace.spans if s.operation == operation) or None\n",
        ),
        (
            "cannot read an empty trace",
            "def time_spent(trace, operation):\n"
            "    begin = trace.spans[0].start\n"
            "    steps = [s for s in trace.spans if s.operation == operation and s.end >= begin]\n"
            "    return sum(s.seconds for s in steps)\n",
        ),
        (
            "rounds what it added up",
            "def time_spent(trace, operation):\n"
            "    steps = [s for s in trace.spans if s.operation == operation]\n"
            "    return round(sum(s.seconds for s in steps), 1)\n",
        ),
        (
            "goes by the names of the steps",
            "def time_spent(trace, operation):\n"
            "    return sum(step.seconds for step in trace.spans if step.name == operation)\n",
        ),
    ],
}

RIGHT = {
    "0.1": [
        (
            "an object that is called",
            "class Greeting:\n"
            "    def __init__(self, words):\n"
            "        self.words = words\n\n"
            "    def __call__(self, name):\n"
            '        return ", ".join(filter(None, (self.words, name))) + "."\n\n\n'
            'greeting = Greeting("Switchboard, good morning")\n',
        ),
        (
            "match",
            "def greeting(name):\n"
            "    match name:\n"
            '        case "":\n'
            '            return "Switchboard, good morning."\n'
            "        case caller:\n"
            '            return greeting("").replace(".", f", {caller}.")\n',
        ),
        (
            "a partial",
            "import functools\n\n\n"
            "def said(words, end, name):\n"
            "    return words + (name and f', {name}') + end\n\n\n"
            'greeting = functools.partial(said, "Switchboard, good morning", ".")\n',
        ),
        (
            "a lambda",
            'greeting = lambda name="": f"Switchboard, good morning{name and \', \'}{name}."\n',
        ),
    ],
    "0.2": [
        (
            "a task group",
            "async def put_all_through(callers, put_through):\n"
            "    async with asyncio.TaskGroup() as group:\n"
            "        tasks = [group.create_task(put_through(caller)) for caller in callers]\n"
            "    return [task.result() for task in tasks]\n",
        ),
        (
            "as they finish, put back in order",
            "async def put_all_through(callers, put_through):\n"
            "    async def numbered(number, caller):\n"
            "        return number, await put_through(caller)\n\n"
            "    pending = [numbered(*each) for each in enumerate(callers)]\n"
            "    done = [await each for each in asyncio.as_completed(pending)]\n"
            "    return [text for _, text in sorted(done)]\n",
        ),
        (
            "a tuple, by recursion",
            "async def put_all_through(callers, put_through):\n"
            "    if not callers:\n"
            "        return ()\n"
            "    first, *others = callers\n"
            "    both = put_through(first), put_all_through(others, put_through)\n"
            "    said, rest = await asyncio.gather(*both)\n"
            "    return said, *rest\n",
        ),
        (
            "a queue, and an object that is called",
            "class Board:\n"
            "    async def serve(self, place, caller, put_through, lines):\n"
            "        lines[place] = await put_through(caller)\n\n"
            "    async def __call__(self, callers, put_through):\n"
            "        lines = {}\n"
            "        tasks = [\n"
            "            asyncio.ensure_future(self.serve(place, caller, put_through, lines))\n"
            "            for place, caller in enumerate(callers)\n"
            "        ]\n"
            "        while pending := [task for task in tasks if not task.done()]:\n"
            "            await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)\n"
            "        return [lines[place] for place in range(len(tasks))]\n\n\n"
            "put_all_through = Board()\n",
        ),
    ],
    "0.3": [
        (
            "a loop that counts in a Counter",
            "from collections import Counter\n\n\n"
            "def time_spent(trace, operation):\n"
            "    spent = Counter()\n"
            "    for step in trace.spans:\n"
            "        spent[step.operation] += step.end - step.start\n"
            "    return spent[operation]\n",
        ),
        (
            "a generator that fsum adds up",
            "import math\n\n\n"
            "def time_spent(trace, operation):\n"
            "    def seconds():\n"
            "        for step in trace.spans:\n"
            "            match step.operation:\n"
            "                case kind if kind == operation:\n"
            "                    yield step.seconds\n\n"
            "    return math.fsum(seconds())\n",
        ),
        (
            "reduce over what filter leaves",
            "from functools import reduce\n\n\n"
            "time_spent = lambda trace, operation: reduce(\n"
            "    lambda total, step: total + step.seconds,\n"
            "    filter(lambda step: step.operation == operation, trace.spans),\n"
            "    0,\n"
            ")\n",
        ),
        (
            "numpy",
            "import numpy as np\n\n\n"
            "def time_spent(trace, operation):\n"
            "    kinds = np.array([step.operation for step in trace.spans], dtype=object)\n"
            "    seconds = np.array([step.seconds for step in trace.spans], dtype=float)\n"
            "    return seconds[kinds == operation].sum()\n",
        ),
    ],
}
