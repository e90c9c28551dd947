"""Wrong answers to the exercises of chapter 00: what a student may well write.

Each entry is (name, source of the solution cell). Every one must lose exactly its exercise.
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
    ],
}
