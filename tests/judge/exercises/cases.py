"""Test exercises, one for each check of the vocabulary; their answers stand in answers/."""

import json

from graders.checks import (
    backed_off,
    breaker,
    built_from,
    by_argument,
    by_text,
    by_tool,
    called,
    concurrency,
    dependencies,
    equals,
    fits,
    gaps_named,
    history,
    history_grows,
    made,
    never_blocks,
    not_made,
    nothing_invented,
    nothing_left,
    parallel,
    partial,
    planned,
    raises,
    rate,
    refined,
    returned,
    sent_as,
    sequence,
    tidied,
    times_out,
    tools_disjoint,
    trace_agrees,
    typed,
    within,
)
from graders.records.log import Log
from graders.records.scenario import Answer, Ask, Scenario
from tests.judge.exercises.case import case, lasting, offer, told

CITIES = ["Rome", "Oslo", "Lima", "Cairo"]
CITY = by_argument("city")
SLOW = {"Rome": 3.0, "Oslo": 2.0, "Lima": 4.0, "Cairo": 1.0}
WEATHER = offer("weather", lasting(**SLOW), "city")
WORLD = Scenario((WEATHER,), params={"cities": CITIES})
ASK = "return await solve(bench.tool('weather').function, bench.params['cities'])"


CALLED = case(
    "called", ASK, WORLD, lambda world: [called("weather", [{"city": city} for city in CITIES])]
)

PARALLEL = case("parallel", ASK, WORLD, lambda world: [parallel(CITY, CITIES, what="a look-up")])

CONCURRENCY = case("concurrency", ASK, WORLD, lambda world: [concurrency(2, CITY)])


RATE = case(
    "rate",
    ASK,
    Scenario((offer("weather", lasting(), "city"),), params={"cities": CITIES}),
    lambda world: [rate(2, 10, CITY)],
)

STEPS = Scenario(tuple(offer(each, lambda ask: told(ask, 1.0)) for each in ("a", "b", "c", "d")))
STEP = by_tool()
TAKE = "return await solve(*(bench.tool(each).function for each in 'abcd'))"
SEQUENCE = case("sequence", TAKE, STEPS, lambda world: [sequence(STEP, "abcd")])

NEEDS = {"b": ["a"], "c": ["a"], "d": ["b", "c"]}
TASKS = Scenario(
    tuple(
        offer(each, lambda ask: told(ask, 2.0 if "b" in str(ask.arguments) else 1.0), "given")
        for each in "abcd"
    )
)
DEPENDENCIES = case(
    "dependencies", TAKE, TASKS, lambda world: [dependencies(STEP, NEEDS, carries=True)]
)


def _fails(ask: Ask) -> Answer:
    return Answer(error="the line is busy", seconds=1.0) if ask.number < 2 else told(ask, 1.0)


def _always_fails(ask: Ask) -> Answer:
    return Answer(error="the line is dead", seconds=1.0)


CALL = "return await solve(bench.tool('fetch').function)"
BACKED_OFF = case(
    "backed_off",
    CALL,
    Scenario((offer("fetch", _fails),)),
    lambda world: [backed_off(by_tool("fetch"), ["fetch"])],
)


def _wants_a_year(ask: Ask) -> Answer:
    task = str(ask.arguments["task"])
    if "1066" in task and "recent" in task:
        return told(ask, 1.0)
    return Answer(error="no figures for 1066: name a recent year", seconds=1.0)


REFINED = case(
    "refined",
    "return await solve(bench.tool('work').function)",
    Scenario((offer("work", _wants_a_year, "worker", "task"),)),
    lambda world: [refined(by_argument("worker"), ["ann"], field="task", tries=3)],
)

BREAKER = case(
    "breaker",
    "return await solve(bench.tool('fetch').function, 10)",
    Scenario((offer("fetch", _always_fails),)),
    lambda world: [breaker(by_tool("fetch"), 3)],
)


def _never(ask: Ask) -> Answer:
    return Answer(never=True)


TIMES_OUT = case(
    "times_out",
    CALL,
    Scenario((offer("fetch", _never),)),
    lambda world: [times_out(by_tool("fetch"), 3)],
)


def _half(ask: Ask) -> Answer:
    return (
        Answer(never=True)
        if ask.arguments["city"] == "Lima"
        else told(ask, SLOW[str(ask.arguments["city"])])
    )


PARTIAL = case(
    "partial",
    ASK,
    Scenario((offer("weather", _half, "city"),), params={"cities": CITIES}),
    lambda world: [partial(CITY, CITIES, deadline=5, gaps="missing")],
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
TIDIED = case("tidied", TIDY_UP, WORLD, lambda world: [tidied(CITY, after=0.25)])
NOTHING_LEFT = case("nothing_left", STOP, WORLD, lambda world: [nothing_left(cancelled_at=1.5)])

NEVER_BLOCKS = case("never_blocks", ASK, WORLD, lambda world: [never_blocks()])

WITHIN = case(
    "within",
    "return await solve(bench.tool('fetch').function)",
    Scenario((offer("fetch", lambda ask: told(ask, 1.0)),)),
    lambda world: [within(calls=4, ended_by=10, reached=True)],
)

MADE = case("made", ASK, WORLD, lambda world: [made(CITY, CITIES, what="a look-up")])


def _degrees(ask: Ask) -> Answer:
    city = str(ask.arguments["city"])
    return Answer({"degrees": 3.4 * len(city), "code": ask.token}, 1.0)


def _records(log: Log) -> list[dict[str, object]]:
    replies = {each.request["city"]: each.reply for each in log.calls()}
    return [{"city": city, **replies[city]} for city in CITIES]


FITS = case(
    "fits",
    ASK,
    Scenario((offer("weather", _degrees, "city"),), params={"cities": CITIES}),
    lambda world: [fits(_records, at="records", within=0.5)],
)


def _lima_fails(ask: Ask) -> Answer:
    failed = Answer(error="no such city", seconds=1.0)
    return failed if ask.arguments["city"] == "Lima" else told(ask, 1.0)


RETURNED = case(
    "returned",
    ASK,
    Scenario((offer("weather", _lima_fails, "city"),), params={"cities": CITIES}),
    lambda world: [returned()],
)

BUILT_FROM = case("built_from", ASK, WORLD, lambda world: [built_from(CITY, CITIES, ordered=True)])


def _one_fails(ask: Ask) -> Answer:
    return (
        Answer(error="no such city", seconds=1.0)
        if ask.arguments["city"] == "Lima"
        else told(ask, 1.0)
    )


GAPS_NAMED = case(
    "gaps_named",
    ASK,
    Scenario((offer("weather", _one_fails, "city"),), params={"cities": CITIES}),
    lambda world: [gaps_named(CITY, CITIES, at="missing")],
)

BILLS = Scenario(
    (offer("bills", lambda ask: Answer({"total": 1234.5, "number": "INV20417"}, 1.0)),)
)
NOTHING_INVENTED = case(
    "nothing_invented",
    "return await solve(bench.tool('bills').function)",
    BILLS,
    lambda world: [nothing_invented()],
)


def _tokens(log: Log) -> list[str]:
    return [
        f"{each.request['city']}: {each.token}"
        for each in sorted(log.exchanges, key=lambda e: CITIES.index(e.request["city"]))
    ]


EQUALS = case("equals", ASK, WORLD, lambda world: [equals(_tokens)])

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "degrees": {"type": "number", "minimum": -90}},
    "required": ["city", "degrees"],
    "additionalProperties": False,
}
TYPED = case(
    "typed",
    "return await solve(bench.tool('weather').function)",
    Scenario((offer("weather", lambda ask: Answer({"degrees": 21}, 1.0), "city"),)),
    lambda world: [typed(SCHEMA)],
)

RAISES = case(
    "raises",
    "return await solve(bench.tool('fetch').function)",
    Scenario((offer("fetch", lambda ask: Answer(error="gate 7 is closed", seconds=1.0)),)),
    lambda world: [raises("ToolError", "gate 7")],
)


def _talks(ask: Ask) -> Answer:
    return Answer(f"number {ask.number} {ask.token}", 1.0)


CHAT = "return await solve(bench.client)"
GROWS = case(
    "history_grows", CHAT, Scenario(model=_talks), lambda world: [history_grows(at_least=3)]
)

SENT_AS = case(
    "sent_as",
    CHAT,
    Scenario(model=_talks),
    lambda world: [sent_as(run="rehearsal", agent="clerk", turns=True)],
)

HISTORY = case(
    "history",
    CHAT,
    Scenario(model=_talks),
    lambda world: [
        history(
            keeps=["You are billing", "my invoice 4711 is wrong"],
            drops=["heron"],
            at_most=6,
            once=True,
        )
    ],
)

ROLES = by_text({"finder": "you find", "writer": "you write"}, part="system")
TOOLS_DISJOINT = case(
    "tools_disjoint",
    CHAT,
    Scenario(model=_talks),
    lambda world: [
        tools_disjoint(ROLES, forbidden=["delegate"], known=["search", "read", "write", "delegate"])
    ],
)

PLAN = {
    "tasks": [
        {"id": "a", "worker": "finder", "task": "find the figures of Acme", "depends_on": []},
        {"id": "b", "worker": "writer", "task": "write the report on Acme", "depends_on": ["a"]},
    ]
}
PLANNED = case(
    "planned",
    "return await solve(bench.tool('work').function)",
    Scenario((offer("work", lambda ask: told(ask, 1.0), "task_id", "text"),)),
    lambda world: [
        planned(
            ["finder", "writer"],
            dispatch=by_argument("task_id"),
            source="result",
            at_least=2,
            words_each=3,
            followed=True,
        )
    ],
)


def _plans(ask: Ask) -> Answer:
    return Answer(json.dumps(PLAN), 2.0)


PLANNED_FIRST = case(
    "planned (before the first dispatch)",
    "return await solve(bench.client, bench.tool('work').function)",
    Scenario((offer("work", lambda ask: told(ask, 1.0), "task_id", "text"),), _plans),
    lambda world: [planned(["finder", "writer"], dispatch=by_argument("task_id"), followed=True)],
)

NOT_MADE = case(
    "not_made",
    "return await solve(bench.tool('work').function, {'tasks': [{'id': 'a', 'needs': ['a']}]})",
    Scenario((offer("work", lambda ask: told(ask, 1.0), "task_id"),)),
    lambda world: [not_made(by_argument("task_id"), why="the plan goes in a circle")],
)

TRACE = case(
    "trace_agrees",
    "bench.export(await solve(bench.tool('weather').function, bench.params['cities']))",
    WORLD,
    lambda world: [trace_agrees(parents={"execute_tool": ["invoke_agent"]})],
)

CASES = [
    MADE, FITS, RETURNED, CALLED, SEQUENCE, DEPENDENCIES, PARALLEL, CONCURRENCY, RATE,
    BACKED_OFF, REFINED, BREAKER, TIMES_OUT, PARTIAL, NOTHING_LEFT, TIDIED, NEVER_BLOCKS,
    WITHIN, BUILT_FROM, GAPS_NAMED, NOTHING_INVENTED, EQUALS, TYPED, RAISES, HISTORY, GROWS,
    SENT_AS, PLANNED, PLANNED_FIRST, NOT_MADE, TOOLS_DISJOINT, TRACE,
]  # fmt: skip
