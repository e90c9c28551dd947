"""Wrong answers for the fixture chapter."""

WRONG: dict[str, list[tuple[str, str]]] = {
    "90.1": [
        ("right for 2 only", "def double(x):\n    return 4"),
        ("adds one", "def double(x):\n    return x + 1"),
        ("forgets to return", "def double(x):\n    2 * x"),
        ("does not parse", "def double(x)\n    return 2 * x"),
    ],
    "90.2": [
        ("sign is kept", "async def square(x):\n    return x * abs(x)"),
        ("is not awaitable", "def square(x):\n    return x * x"),
        ("never ends", "import asyncio\nasync def square(x):\n    await asyncio.Event().wait()"),
    ],
}
