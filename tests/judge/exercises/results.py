# ruff: noqa: E501 (answers keep their own lines)
"""Test exercises: what a result is made of, histories, plans, tools and traces."""

import json

from graders.checks import (
    built_from,
    by_argument,
    by_text,
    equals,
    gaps_named,
    history,
    history_grows,
    not_made,
    nothing_invented,
    planned,
    raises,
    sent_as,
    tools_disjoint,
    trace_agrees,
    typed,
)
from graders.records.log import Log
from graders.records.scenario import Answer, Ask, Scenario
from tests.judge.exercises.case import Case, case, offer, told
from tests.judge.exercises.waiting import ASK, CITIES, CITY, GATHER, GROUP, SEQUENTIAL, WORLD

BUILT_FROM = case(
    "built_from",
    ASK,
    WORLD,
    lambda world: [built_from(CITY, CITIES, ordered=True)],
    {
        "gather": GATHER,
        "task group": GROUP,
        "text": SEQUENTIAL.replace(
            "return [await weather(city=city) for city in cities]",
            "said = ''\n    for city in cities:\n        said += await weather(city=city) + '; '\n    return said",
        ),
    },
    {
        "loses one": (
            "content.lost",
            GATHER.replace("return await asyncio.gather", "_, *found = await asyncio.gather")
            + "    return found\n",
        ),
        "as they come": (
            "content.order",
            "async def solve(weather, cities):\n    tasks = [weather(city=city) for city in cities]\n"
            "    return [await each for each in asyncio.as_completed(tasks)]",
        ),
        "makes it up": (
            "content.missing",
            "async def solve(weather, cities):\n    return ['sunny' for _ in cities]",
        ),
        "asks and makes it up": (
            "content.lost",
            GATHER.replace("return await", "await") + "    return ['sunny'] * 4\n",
        ),
        "the first one for all": (
            "content.lost",
            GATHER.replace("return await", "found = await") + "    return [found[0]] * 4\n",
        ),
    },
)


def _one_fails(ask: Ask) -> Answer:
    return (
        Answer(error="no such city", seconds=1.0)
        if ask.arguments["city"] == "Lima"
        else told(ask, 1.0)
    )


GAPS = """
async def solve(weather, cities):
    said = await asyncio.gather(*(weather(city=city) for city in cities), return_exceptions=True)
    pairs = list(zip(cities, said))
    return {
        "found": {city: text for city, text in pairs if isinstance(text, str)},
        "missing": [city for city, text in pairs if not isinstance(text, str)],
    }
"""
GAPS_NAMED = case(
    "gaps_named",
    ASK,
    Scenario((offer("weather", _one_fails, "city"),), params={"cities": CITIES}),
    lambda world: [gaps_named(CITY, CITIES, at="missing")],
    {
        "exceptions returned": GAPS,
        "try": """
async def solve(weather, cities):
    found, missing = {}, []
    for city in cities:
        try:
            found[city] = await weather(city=city)
        except ToolError:
            missing.append(city)
    return {"found": found, "missing": missing}
""",
        "a sentence": GAPS.replace(
            '"missing": [city', '"missing": "nothing about " + ", ".join(city'
        ).replace("not isinstance(text, str)],", "not isinstance(text, str)),"),
    },
    {
        "keeps quiet": (
            "gaps.unnamed",
            GAPS.replace("if not isinstance(text, str)]", "if not text]"),
        ),
        "cries wolf": ("gaps.false_alarm", GAPS.replace("if not isinstance(text, str)]", "]")),
        "asks nothing": (
            "gaps.missing",
            "async def solve(weather, cities):\n    return {'missing': ['Lima']}",
        ),
        "names another": (
            "gaps.unnamed",
            GAPS.replace(
                "[city for city, text in pairs if not isinstance(text, str)]", "['one city']"
            ),
        ),
        "says how many": (
            "gaps.unnamed",
            GAPS.replace("[city for city, text in pairs if not isinstance(text, str)]", "1"),
        ),
    },
)

BILLS = Scenario(
    (offer("bills", lambda ask: Answer({"total": 1234.5, "number": "INV20417"}, 1.0)),)
)
NOTHING_INVENTED = case(
    "nothing_invented",
    "return await solve(bench.tool('bills').function)",
    BILLS,
    lambda world: [nothing_invented()],
    {
        "sentence": "async def solve(bills):\n    bill = await bills()\n    return f\"{bill['number']}: {bill['total']} euros\"",
        "rounded": "async def solve(bills):\n    bill = await bills()\n    return f\"about {bill['total']:.0f} euros\"",
        "as it came": "async def solve(bills):\n    return await bills()",
    },
    {
        "another number": (
            "invented.number",
            "async def solve(bills):\n    await bills()\n    return 'the total is 1300 euros'",
        ),
        "adds a tax": (
            "invented.number",
            "async def solve(bills):\n    bill = await bills()\n    return f\"{bill['total'] * 1.19:.2f} euros\"",
        ),
        "another bill": (
            "invented.token",
            "async def solve(bills):\n    await bills()\n    return 'see INV99999'",
        ),
        "says nothing": (
            "invented.empty",
            "async def solve(bills):\n    await bills()\n    return ''",
        ),
        "never asks": (
            "invented.number",
            "async def solve(bills):\n    return 'the total is 1234.50 euros'",
        ),
    },
)


def _tokens(log: Log) -> list[str]:
    return [
        f"{each.request['city']}: {each.token}"
        for each in sorted(log.exchanges, key=lambda e: CITIES.index(e.request["city"]))
    ]


EQUALS = case(
    "equals",
    ASK,
    WORLD,
    lambda world: [equals(_tokens)],
    {"gather": GATHER, "task group": GROUP, "one by one": SEQUENTIAL},
    {
        "a text": (
            "value.kind",
            GATHER.replace("return await", "return str(await").replace(
                "in cities))", "in cities)))"
            ),
        ),
        "one less": (
            "value.length",
            GATHER.replace("return await asyncio.gather", "_, *found = await asyncio.gather")
            + "    return found\n",
        ),
        "backwards": ("value.differs", SEQUENTIAL.replace("in cities]", "in cities[::-1]]")),
        "makes them up": (
            "value.length",
            "async def solve(weather, cities):\n    return ['Rome: 1a2b']",
        ),
        "shouts": (
            "value.differs",
            SEQUENTIAL.replace("await weather(city=city)", "(await weather(city=city)).upper()"),
        ),
    },
)

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
    {
        "dictionary": "async def solve(weather):\n    return {'city': 'Rome', **await weather(city='Rome')}",
        "dataclass": "from dataclasses import dataclass\n\n\n@dataclass\nclass Day:\n    city: str\n    degrees: float\n\n\nasync def solve(weather):\n    return Day('Rome', **await weather(city='Rome'))",
        "model": "from pydantic import BaseModel\n\n\nclass Day(BaseModel):\n    city: str\n    degrees: float\n\n\nasync def solve(weather):\n    return Day(city='Rome', **await weather(city='Rome'))",
    },
    {
        "forgets a field": (
            "typed.missing_field",
            "async def solve(weather):\n    return await weather(city='Rome')",
        ),
        "one too many": (
            "typed.extra_field",
            "async def solve(weather):\n    return {'city': 'Rome', 'note': '', **await weather(city='Rome')}",
        ),
        "number as text": (
            "typed.wrong_type",
            "async def solve(weather):\n    return {'city': 'Rome', 'degrees': '21'}",
        ),
        "impossible": (
            "typed.invalid",
            "async def solve(weather):\n    return {'city': 'Rome', 'degrees': -300}",
        ),
        "a tuple": ("typed.wrong_type", "async def solve(weather):\n    return 'Rome', 21"),
    },
)

RAISES = case(
    "raises",
    "return await solve(bench.tool('fetch').function)",
    Scenario((offer("fetch", lambda ask: Answer(error="gate 7 is closed", seconds=1.0)),)),
    lambda world: [raises("ToolError", "gate 7")],
    {
        "lets it through": "async def solve(fetch):\n    return await fetch()",
        "says more": "async def solve(fetch):\n    try:\n        return await fetch()\n    except ToolError as error:\n        raise ToolError(f'fetch: {error}') from error",
        "in a group": "async def solve(fetch):\n    async with asyncio.TaskGroup() as group:\n        group.create_task(fetch())",
    },
    {
        "swallows it": (
            "raised.nothing",
            "async def solve(fetch):\n    try:\n        return await fetch()\n    except ToolError:\n        return ''",
        ),
        "another kind": (
            "raised.other",
            "async def solve(fetch):\n    try:\n        return await fetch()\n    except ToolError as error:\n        raise ValueError(str(error))",
        ),
        "other words": (
            "raised.words",
            "async def solve(fetch):\n    try:\n        return await fetch()\n    except ToolError:\n        raise ToolError('it failed')",
        ),
        "returns the error": (
            "raised.nothing",
            "async def solve(fetch):\n    try:\n        return await fetch()\n    except ToolError as error:\n        return error",
        ),
        "breaks down": ("raised.other", "async def solve(fetch):\n    return {}['x']"),
    },
)


def _talks(ask: Ask) -> Answer:
    return Answer(f"number {ask.number} {ask.token}", 1.0)


CHAT = "return await solve(bench.client)"
TALK = """
async def ask(client, messages):
    done = await client.chat.completions.create(model="switchboard-small", messages=messages)
    return {"role": "assistant", "content": done.choices[0].message.content}


async def solve(client):
    messages = [{"role": "system", "content": "be brief"}]
    for words in ("first things", "second things", "third things"):
        messages.append({"role": "user", "content": words})
        messages.append(await ask(client, messages))
    return messages[-1]["content"]
"""
GROWS = case(
    "history_grows",
    CHAT,
    Scenario(model=_talks),
    lambda world: [history_grows(at_least=3)],
    {
        "list": TALK,
        "new lists": TALK.replace(
            'messages.append({"role": "user", "content": words})',
            'messages = [*messages, {"role": "user", "content": words}]',
        ),
        "context": """
from course import Context


async def solve(client):
    context = Context.of("first things", instructions="be brief")
    for words in ("second things", "third things", ""):
        done = await client.chat.completions.create(model="switchboard-small", messages=context.messages)
        said = done.choices[0].message.content
        context = context.add({"role": "assistant", "content": said}, {"role": "user", "content": words})
    return said
""",
    },
    {
        "forgets all": (
            "history.forgot",
            TALK.replace("await ask(client, messages)", "await ask(client, messages[-1:])"),
        ),
        "forgets the replies": (
            "history.reply_lost",
            TALK.replace(
                "messages.append(await ask(client, messages))", "said = await ask(client, messages)"
            ).replace('messages[-1]["content"]', "said"),
        ),
        "the last two only": (
            "history.forgot",
            TALK.replace("await ask(client, messages)", "await ask(client, messages[-2:])"),
        ),
        "asks once": (
            "history.no_request",
            TALK.replace('"first things", "second things", "third things"', '"first things",'),
        ),
        "drops the instructions": (
            "history.forgot",
            TALK.replace(
                "await ask(client, messages)",
                "await ask(client, messages if len(messages) < 3 else messages[1:])",
            ),
        ),
    },
)

NAMED = """
async def solve(client):
    for turn in range(3):
        names = {"run": "rehearsal", "agent": "clerk", "call": str(turn)}
        done = await client.chat.completions.create(
            model="switchboard-small",
            messages=[{"role": "user", "content": "go on"}],
            extra_headers={f"x-switchboard-{key}": value for key, value in names.items()},
        )
    return done.choices[0].message.content
"""
SENT_AS = case(
    "sent_as",
    CHAT,
    Scenario(model=_talks),
    lambda world: [sent_as(run="rehearsal", agent="clerk", turns=True)],
    {
        "headers": NAMED,
        "counts from one": NAMED.replace("range(3)", "range(1, 4)"),
        "the course's ask": """
from course import Agent, Context
from course.agent import ask
from course.runs import Run


async def solve(client):
    clerk, talk = Agent(name="clerk"), Context.of("go on")
    with Run("rehearsal").active():
        said = [await ask(clerk, talk, client=client) for _ in range(3)]
    return said[-1].message["content"]
""",
    },
    {
        "another run": ("sent.other_run", NAMED.replace("rehearsal", "run")),
        "in no agent's name": ("sent.other_agent", NAMED.replace('"agent": "clerk", ', "")),
        "another agent": ("sent.other_agent", NAMED.replace("clerk", "chief")),
        "does not count": ("sent.same_turn", NAMED.replace("str(turn)", "str(0)")),
        "counts down": ("sent.same_turn", NAMED.replace("str(turn)", "str(3 - turn)")),
    },
)

FILTER = """
async def solve(client):
    talk = [
        {"role": "system", "content": "You are the front desk; the code word is heron."},
        {"role": "user", "content": "my invoice 4711 is wrong"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "invoice 4711"},
        {"role": "assistant", "content": "I connect you to billing."},
    ]
    sent = [each for each in talk if each["role"] != "system"]
    sent = [{"role": "system", "content": "You are billing."}, *sent]
    done = await client.chat.completions.create(model="switchboard-small", messages=sent)
    return done.choices[0].message.content
"""
_SENT = 'sent = [{"role": "system", "content": "You are billing."}, *sent]'
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
    {
        "filter": FILTER,
        "without tools": FILTER.replace(
            _SENT,
            _SENT
            + '\n    sent = [each for each in sent if each["role"] != "tool" and "tool_calls" not in each]',
        ),
        "slice": FILTER.replace('[each for each in talk if each["role"] != "system"]', "talk[1:]"),
    },
    {
        "copies everything": ("history.leaked", FILTER.replace('if each["role"] != "system"', "")),
        "forgets the caller": (
            "history.missing",
            FILTER.replace('!= "system"', '== "assistant" and each["content"]').replace(
                '"assistant" and each["content"]]', '"assistant" and each["content"]]'
            ),
        ),
        "breaks a pair": (
            "raised.error",
            FILTER.replace(
                'if each["role"] != "system"', 'if each["role"] not in ("system", "tool")'
            ),
        ),
        "sends it twice": ("history.twice", FILTER.replace("*sent]", "*sent, talk[1]]")),
        "instructions last": (
            "history.order",
            FILTER.replace(
                _SENT, 'sent = [*sent, {"role": "system", "content": "You are billing."}]'
            ),
        ),
        "asks nobody": ("history.no_request", "async def solve(client):\n    return ''"),
    },
)

ROLES = by_text({"finder": "you find", "writer": "you write"}, part="system")
TEAM = """
def spec(name):
    return {"type": "function", "function": {"name": name, "description": name, "parameters": {"type": "object", "properties": {}}}}


async def worker(client, role, *tools):
    request = {"model": "switchboard-small", "messages": [{"role": "system", "content": role}, {"role": "user", "content": "go"}]}
    if tools:
        request["tools"] = [spec(name) for name in tools]
    await client.chat.completions.create(**request)


async def solve(client):
    await worker(client, "You find.", "search", "read")
    await worker(client, "You write.", "write")
"""
TOOLS_DISJOINT = case(
    "tools_disjoint",
    CHAT,
    Scenario(model=_talks),
    lambda world: [
        tools_disjoint(ROLES, forbidden=["delegate"], known=["search", "read", "write", "delegate"])
    ],
    {
        "one by one": TEAM,
        "at once": TEAM.replace(
            '    await worker(client, "You find.", "search", "read")\n    await worker(client, "You write.", "write")',
            '    await asyncio.gather(worker(client, "You find.", "read"), worker(client, "You write.", "write"))',
        ),
        "asked twice": TEAM + '    await worker(client, "You find.", "read", "search")\n',
    },
    {
        "shares one": (
            "tools.shared",
            TEAM.replace('"You write.", "write"', '"You write.", "write", "read"'),
        ),
        "gives none": ("tools.none", TEAM.replace('"You write.", "write"', '"You write."')),
        "one worker": ("tools.too_few", TEAM.replace("You write.", "You find more.")),
        "hands on coordination": (
            "tools.forbidden",
            TEAM.replace('"You write.", "write"', '"You write.", "write", "delegate"'),
        ),
        "invents a tool": (
            "tools.unknown",
            TEAM.replace('"You write.", "write"', '"You write.", "print"'),
        ),
        "everybody everything": (
            "tools.shared",
            TEAM.replace('"search", "read"', '"search", "write"'),
        ),
    },
)

PLAN = {
    "tasks": [
        {"id": "a", "worker": "finder", "task": "find the figures of Acme", "depends_on": []},
        {"id": "b", "worker": "writer", "task": "write the report on Acme", "depends_on": ["a"]},
    ]
}
PLANNING = f"""
PLAN = {json.dumps(PLAN)}


def check(plan):
    known = {{each["id"] for each in plan["tasks"]}}
    assert all(need in known for each in plan["tasks"] for need in each["depends_on"])


async def solve(work):
    plan = PLAN
    check(plan)
    found = {{}}
    for each in plan["tasks"]:
        found[each["id"]] = await work(task_id=each["id"], text=each["task"])
    return plan
"""
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
    {
        "dictionary": PLANNING,
        "text": PLANNING.replace("return plan", "return json.dumps(plan)"),
        "list of tasks": PLANNING.replace("return plan", "return {'steps': plan['tasks']}"),
    },
    {
        "a circle": ("plan.cycle", PLANNING.replace('"depends_on": []', '"depends_on": ["b"]')),
        "an unknown worker": ("plan.unknown_worker", PLANNING.replace('"writer"', '"cook"')),
        "an unknown need": (
            "plan.unknown_dependency",
            PLANNING.replace('["a"]', '["z"]').replace("    check(plan)\n", ""),
        ),
        "the same id twice": ("plan.duplicate_id", PLANNING.replace('"id": "b"', '"id": "a"')),
        "vague": ("plan.vague", PLANNING.replace("write the report on Acme", "do it")),
        "no plan": ("plan.none", PLANNING.replace("return plan", "return 'done'")),
        "does something else": (
            "plan.not_followed",
            PLANNING.replace('work(task_id=each["id"]', 'work(task_id="x" + each["id"]'),
        ),
    },
)


def _plans(ask: Ask) -> Answer:
    return Answer(json.dumps(PLAN), 2.0)


BEFORE = """
async def plan_of(client):
    done = await client.chat.completions.create(model="switchboard-small", messages=[{"role": "user", "content": "plan"}])
    return json.loads(done.choices[0].message.content)


async def solve(client, work):
    plan = await plan_of(client)
    for each in plan["tasks"]:
        await work(task_id=each["id"], text=each["task"])
"""
PLANNED_FIRST = case(
    "planned (before the first dispatch)",
    "return await solve(bench.client, bench.tool('work').function)",
    Scenario((offer("work", lambda ask: told(ask, 1.0), "task_id", "text"),), _plans),
    lambda world: [planned(["finder", "writer"], dispatch=by_argument("task_id"), followed=True)],
    {
        "loop": BEFORE,
        "at once": BEFORE.replace(
            '    for each in plan["tasks"]:\n        await work(task_id=each["id"], text=each["task"])',
            "    await asyncio.gather(*(work(task_id=t['id'], text=t['task']) for t in plan['tasks']))",
        ),
        "task group": BEFORE.replace(
            '    for each in plan["tasks"]:\n        await work(',
            '    async with asyncio.TaskGroup() as group:\n      for each in plan["tasks"]:\n        group.create_task(work(',
        ).replace('text=each["task"])', 'text=each["task"]))'),
    },
    {
        "begins at once": (
            "plan.late",
            BEFORE.replace(
                "plan = await plan_of(client)",
                "first = asyncio.create_task(work(task_id='a', text='x'))\n    plan = await plan_of(client)\n    await first",
            ).replace('["tasks"]:', '["tasks"][1:]:'),
        ),
        "plans afterwards": (
            "plan.late",
            BEFORE.replace(
                "plan = await plan_of(client)",
                "await work(task_id='a', text='x')\n    plan = await plan_of(client)",
            ).replace('["tasks"]:', '["tasks"][1:]:'),
        ),
        "never begins": ("plan.not_dispatched", BEFORE.replace('plan["tasks"]:', "():")),
        "never plans": (
            "plan.none",
            "async def solve(client, work):\n    await work(task_id='a', text='x')",
        ),
        "sends something else": (
            "plan.not_followed",
            BEFORE.replace('task_id=each["id"]', 'task_id="x" + each["id"]'),
        ),
    },
)

NOT_MADE = case(
    "not_made",
    "return await solve(bench.tool('work').function, {'tasks': [{'id': 'a', 'needs': ['a']}]})",
    Scenario((offer("work", lambda ask: told(ask, 1.0), "task_id"),)),
    lambda world: [not_made(by_argument("task_id"), why="the plan goes in a circle")],
    {
        "returns": "async def solve(work, plan):\n    for task in plan['tasks']:\n        if task['id'] in task['needs']:\n            return 'refused'\n    return [await work(task_id=task['id']) for task in plan['tasks']]",
        "sorts": "import graphlib\n\n\nasync def solve(work, plan):\n    graph = {t['id']: t['needs'] for t in plan['tasks']}\n    try:\n        order = list(graphlib.TopologicalSorter(graph).static_order())\n    except graphlib.CycleError:\n        return 'refused'\n    return [await work(task_id=each) for each in order]",
        "counts": "async def solve(work, plan):\n    ready = [t for t in plan['tasks'] if not t['needs']]\n    return [await work(task_id=task['id']) for task in ready]",
    },
    {
        "sends all": (
            "not_made.made",
            "async def solve(work, plan):\n    return [await work(task_id=t['id']) for t in plan['tasks']]",
        ),
        "at once": (
            "not_made.made",
            "async def solve(work, plan):\n    return await asyncio.gather(*(work(task_id=t['id']) for t in plan['tasks']))",
        ),
        "sends the first": (
            "not_made.made",
            "async def solve(work, plan):\n    return await work(task_id=plan['tasks'][0]['id'])",
        ),
        "looks afterwards": (
            "not_made.made",
            "async def solve(work, plan):\n    for t in plan['tasks']:\n        await work(task_id=t['id'])\n        if t['id'] in t['needs']:\n            return 'refused'",
        ),
        "gives up in between": (
            "not_made.made",
            "async def solve(work, plan):\n    try:\n        await asyncio.wait_for(work(task_id='a'), 0.5)\n    except TimeoutError:\n        return 'refused'",
        ),
    },
)

TRACED = """
from course.trace import Trace, span


async def solve(weather, cities):
    trace = Trace("cities")
    with trace.record(), span("invoke_agent", "desk"):
        for city in cities:
            with span("execute_tool", "weather"):
                await weather(city=city)
    return trace
"""
TRACE = case(
    "trace_agrees",
    "bench.export(await solve(bench.tool('weather').function, bench.params['cities']))",
    WORLD,
    lambda world: [trace_agrees(parents={"execute_tool": ["invoke_agent"]})],
    {
        "one by one": TRACED,
        "at once": TRACED.replace(
            '        for city in cities:\n            with span("execute_tool", "weather"):\n                await weather(city=city)',
            '        async def ask(city):\n            with span("execute_tool", "weather"):\n                await weather(city=city)\n\n        await asyncio.gather(*map(ask, cities))',
        ),
        "as text": TRACED.replace("return trace", "return trace.to_json()"),
    },
    {
        "leaves one out": (
            "trace.thinned",
            TRACED.replace(
                '            with span("execute_tool", "weather"):\n                await weather(city=city)',
                '            if city == "Oslo":\n                await weather(city=city)\n                continue\n            with span("execute_tool", "weather"):\n                await weather(city=city)',
            ),
        ),
        "makes one up": (
            "trace.faked",
            TRACED.replace(
                "    return trace",
                '    with trace.record(), span("invoke_agent", "desk"), span("execute_tool", "weather"):\n        await asyncio.sleep(1)\n    return trace',
            ),
        ),
        "no trace": ("trace.none", TRACED.replace("return trace", "return None")),
        "without a parent": (
            "trace.orphaned",
            TRACED.replace(', span("invoke_agent", "desk")', ""),
        ),
        "closes too late": (
            "trace.shifted",
            TRACED.replace(
                "await weather(city=city)",
                "await weather(city=city)\n                await asyncio.sleep(0.5)",
            ),
        ),
        "begins too late": (
            "trace.shifted",
            TRACED.replace(
                '            with span("execute_tool", "weather"):\n                await weather(city=city)',
                '            task = asyncio.create_task(weather(city=city))\n            await asyncio.sleep(0.5)\n            with span("execute_tool", "weather"):\n                await task',
            ),
        ),
        "under another name": (
            "trace.thinned",
            TRACED.replace('"execute_tool", "weather"', '"execute_tool", "climate"'),
        ),
        "nonsense": (
            "trace.malformed",
            TRACED.replace("return trace", "return {'spans': [{'name': 1}]}"),
        ),
    },
)

CASES: list[Case] = [
    BUILT_FROM,
    GAPS_NAMED,
    NOTHING_INVENTED,
    EQUALS,
    TYPED,
    RAISES,
    HISTORY,
    GROWS,
    SENT_AS,
    PLANNED,
    PLANNED_FIRST,
    NOT_MADE,
    TOOLS_DISJOINT,
    TRACE,
]
