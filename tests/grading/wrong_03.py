# ruff: noqa: E501 (whole answers)
"""Wrong answers to the exercises of chapter 03: what a student may well write.

Each entry is (name, source of the solution cell). Every one must lose exactly its exercise.
`RIGHT` are answers in other styles than the solution's; every one must pass.
"""

from __future__ import annotations

import inspect

from course.context import groups
from course.handoff import handoff_tool
from course.observability.diagnosis import circle
from course.team.rules import due, repeats
from course.team.turn import answer_message
from tests.grading.changing import changed

WRONG = {
    "3.1": [
        (
            "names the tool after the agent alone",
            changed(
                handoff_tool,
                "return Tool(handoff.tool_name, told, takes, transfer)",
                "return Tool(to, told, takes, transfer)",
            ),
        ),
        (
            "does not say what the agent is for",
            changed(
                handoff_tool,
                'f"Hand the conversation over to {to}: {description}"',
                'f"Hand the conversation over to {to}."',
            ),
        ),
        (
            "lets the model choose the agent",
            changed(
                handoff_tool,
                "    return Tool(handoff.tool_name, told, takes, transfer)",
                '    takes["properties"]["agent"] = {"type": "string"}\n'
                "    return Tool(handoff.tool_name, told, takes, transfer)",
            ),
        ),
        (
            "takes no reason",
            "def handoff_tool(handoff, description):\n"
            "    def move() -> str:\n"
            '        return f"Transferred to {handoff.to}."\n\n'
            '    takes = {"type": "object", "properties": {}}\n'
            '    told = f"Hand the conversation over to {handoff.to}: {description}"\n'
            "    return Tool(handoff.tool_name, told, takes, move)\n",
        ),
        (
            "remembers only the last agent",
            "def handoff_tool(handoff, description):\n"
            "    global last_one\n"
            "    last_one = handoff\n\n"
            "    def transfer(reason: str) -> str:\n"
            '        return f"Transferred to {last_one.to}."\n\n'
            "    def consult(request: str) -> str:\n"
            '        return f"Asked {last_one.to}."\n\n'
            '    told = f"{handoff.to}: {description}"\n'
            "    if handoff.returns:\n"
            '        takes = text_argument("request", "what to find out")\n'
            "        return Tool(handoff.tool_name, told, takes, consult)\n"
            '    takes = text_argument("reason", "why")\n'
            "    return Tool(handoff.tool_name, told, takes, transfer)\n",
        ),
        (
            "forgets consultations",
            changed(handoff_tool, "    if handoff.returns:", "    if False:"),
        ),
        (
            "does not name the agent",
            inspect.getsource(handoff_tool)
            .replace("Hand the conversation over to {to}: ", "")
            .replace("Ask {to} and get its result back: ", ""),
        ),
        (
            "asks a reason for a consultation",
            changed(handoff_tool, 'text_argument("request"', 'text_argument("reason"').replace(
                "consult(request", "consult(reason"
            ),
        ),
        (
            "says nothing of a consultation",
            changed(handoff_tool, 'return f"Asked {to}."', 'return "Asked."'),
        ),
        (
            "refuses a consultation",
            changed(
                handoff_tool,
                "    if handoff.returns:\n",
                "    if handoff.returns:\n        raise ValueError(handoff.to)\n",
            ),
        ),
    ],
    "3.2": [
        (
            "hands over before the tools are done",
            "async def answer_message(calls, tools, handoffs):\n"
            "    names = [each.name for each in handoffs]\n"
            "    answers = await answer_calls(calls, [*tools, *handoffs])\n"
            "    made = [call for call in calls if call['function']['name'] in names]\n"
            "    for call in made[1:]:\n"
            "        reason = f'already {lowered(answers[calls.index(made[0])][\"content\"])}'\n"
            "        answers[calls.index(call)] = tool_message(call, reason, 'refused')\n"
            "    return answers, made[0] if made else None\n",
        ),
        (
            "one tool after the other",
            changed(
                answer_message,
                "await answer_calls(ordinary, (*tools, *handoffs))",
                "[await answer_call(call, (*tools, *handoffs)) for call in ordinary]",
            ),
        ),
        (
            "drops the other calls",
            changed(
                answer_message,
                "    for call in calls:\n",
                "    if handed := [c for c in calls if c not in ordinary]:\n"
                "        return [await answer_call(handed[0], handoffs)], handed[0]\n"
                "    for call in calls:\n",
            ),
        ),
        (
            "lets the last handoff win",
            "async def answer_message(calls, tools, handoffs):\n"
            "    names = [each.name for each in handoffs]\n"
            "    ordinary = [call for call in calls if call['function']['name'] not in names]\n"
            "    made = ([c for c in calls if c not in ordinary] or [None])[-1]\n"
            "    results = iter(await answer_calls(ordinary, tools))\n"
            "    answers = []\n"
            "    for call in calls:\n"
            "        if call in ordinary:\n"
            "            answers.append(next(results))\n"
            "        elif call is made:\n"
            "            answers.append(await answer_call(call, handoffs))\n"
            "        else:\n"
            "            answers.append(tool_message(call, 'another handoff was made', 'refused'))\n"
            "    return answers, made\n",
        ),
        (
            "does not say who has the conversation",
            changed(
                answer_message, 'f"already {lowered(done)}; one handoff per message"', '"not now"'
            ),
        ),
        (
            "takes a handoff that failed",
            changed(answer_message, 'if outcome_of(answers[-1]) == "ok":', "if True:"),
        ),
        (
            "answers the handoff last",
            changed(
                answer_message,
                "    return answers, made\n",
                "    answers.sort(key=lambda each: bool(made) and "
                "each['tool_call_id'] == made['id'])\n"
                "    return answers, made\n",
            ),
        ),
        (
            "stays when a tool failed",
            changed(
                answer_message,
                "    return answers, made\n",
                "    return answers, None if any(outcome_of(a) != 'ok' for a in answers) else made\n",
            ),
        ),
        (
            "answers nothing but the handoff",
            changed(
                answer_message,
                "    return answers, made\n",
                "    return [a for a in answers if made is None or a['tool_call_id'] == made['id']],"
                " made\n",
            ),
        ),
        (
            "takes the last call for a handoff",
            changed(
                answer_message, "    return answers, made\n", "    return answers, made or call\n"
            ),
        ),
        (
            "falls over without a handoff",
            changed(
                answer_message,
                "    return answers, made\n",
                "    return answers, dict(made)\n",
            ),
        ),
        (
            "keeps to itself what did not fit",
            changed(
                answer_message,
                '                made, done = call, answers[-1]["content"]\n',
                '                made, done = call, answers[-1]["content"]\n'
                "            else:\n"
                "                answers[-1] = tool_message(call, 'not now', 'refused')\n",
            ),
        ),
        (
            "makes none after one that does not fit",
            changed(
                answer_message, "        elif made is None:\n", "        elif not done:\n"
            ).replace(
                '                made, done = call, answers[-1]["content"]\n',
                '                made = call\n            done = answers[-1]["content"]\n',
            ),
        ),
        (
            "makes the handoff's answer up",
            "async def answer_message(calls, tools, handoffs):\n"
            "    names, made, answers = [each.name for each in handoffs], None, []\n"
            "    ordinary = [call for call in calls if call['function']['name'] not in names]\n"
            "    results = iter(await answer_calls(ordinary, tools))\n"
            "    for call in calls:\n"
            "        if call in ordinary:\n"
            "            answers.append(next(results))\n"
            "        elif 'reason' not in call['function']['arguments']:\n"
            "            answers.append(tool_message(call, 'the reason is missing', 'refused'))\n"
            "        elif made is None:\n"
            "            made = call\n"
            "            to = call['function']['name'].removeprefix('transfer_to_')\n"
            "            said = f'Transferred to {to}.'\n"
            "            answers.append(dict(role='tool', tool_call_id=call['id'], content=said))\n"
            "        else:\n"
            "            answers.append(tool_message(call, f'already with {to}', 'refused'))\n"
            "    return answers, made\n",
        ),
        (
            "hands over at the same time",
            "import asyncio\n\n\n"
            "async def answer_message(calls, tools, handoffs):\n"
            "    tools, handoffs = tuple(tools), tuple(handoffs)\n"
            "    names = [each.name for each in handoffs]\n"
            "    ordinary = [call for call in calls if call['function']['name'] not in names]\n"
            "    task = asyncio.ensure_future(answer_calls(ordinary, tools))\n"
            "    said, made = {}, None\n"
            "    for call in (each for each in calls if each not in ordinary):\n"
            "        if made is None:\n"
            "            said[call['id']] = await answer_call(call, handoffs)\n"
            "            made = None if outcome_of(said[call['id']]) != 'ok' else call\n"
            "        else:\n"
            "            done = lowered(said[made['id']]['content'])\n"
            "            said[call['id']] = tool_message(call, f'already {done}', 'refused')\n"
            "    said |= {each['tool_call_id']: each for each in await task}\n"
            "    return [said[call['id']] for call in calls], made\n",
        ),
        (
            "calls every handoff",
            changed(
                answer_message,
                "            answers.append(tool_message(call, ",
                "            await answer_call(call, handoffs)\n"
                "            answers.append(tool_message(call, ",
            ),
        ),
        (
            "passes over what is nobody's tool",
            changed(
                answer_message,
                "    answers: list[Message] = []\n",
                "    answers = []\n"
                "    known = by_name((*tools, *handoffs))\n"
                "    calls = [call for call in calls if call['function']['name'] in known]\n",
            ).replace(
                'for call in calls if call["function"]["name"] not in handing_over]',
                'for call in calls if call["function"]["name"] in by_name(tools)]',
            ),
        ),
        (
            "has no words for what is nobody's tool",
            changed(
                answer_message,
                "    answers: list[Message] = []\n",
                "    answers = []\n"
                "    wanted = [by_name((*tools, *handoffs))[c['function']['name']] for c in calls]\n",
            ),
        ),
        (
            "ten ordinary calls at a time",
            "async def answer_message(calls, tools, handoffs):\n"
            "    tools, handoffs, answers, made = tuple(tools), tuple(handoffs), {}, None\n"
            "    moves = by_name(handoffs)\n"
            '    plain = [call for call in calls if call["function"]["name"] not in moves]\n'
            "    for start in range(0, len(plain), 10):\n"
            "        for said in await answer_calls(plain[start : start + 10], (*tools, *handoffs)):\n"
            '            answers[said["tool_call_id"]] = said\n'
            "    for call in calls:\n"
            "        if call not in plain and made is None:\n"
            '            answers[call["id"]] = await answer_call(call, handoffs)\n'
            '            if outcome_of(answers[call["id"]]) == "ok":\n'
            "                made = call\n"
            "        elif call not in plain:\n"
            '            done = answers[made["id"]]["content"]\n'
            '            answers[call["id"]] = tool_message(call, f"already {lowered(done)}", "refused")\n'
            '    return [answers[call["id"]] for call in calls], made\n',
        ),
        (
            "makes another handoff to the same agent",
            changed(
                answer_message,
                "elif made is None:",
                "elif made is None or call['function']['name'] == made['function']['name']:",
            ),
        ),
    ],
    "3.3": [
        (
            "keeps one result only",
            "def groups(context):\n"
            "    messages = list(context.messages)\n"
            "    while messages:\n"
            "        many = 2 if messages[0].get('tool_calls') else 1\n"
            "        yield messages[:many]\n"
            "        del messages[:many]\n",
        ),
        ("forgets the last group", changed(groups, "    if group:\n", "    if False:\n")),
        (
            "puts every message alone",
            "def groups(context):\n    return [[message] for message in context.messages]\n",
        ),
        (
            "groups by the person's turns",
            changed(groups, '!= "tool" and group', '== "user" and group'),
        ),
        (
            "glues calls in a row together",
            "def groups(context):\n"
            "    group = []\n"
            "    for message in context.messages:\n"
            "        called = message['role'] == 'tool' or message.get('tool_calls')\n"
            "        if group and not (called and (group[-1]['role'] == 'tool' or "
            "group[-1].get('tool_calls'))):\n"
            "            yield group\n"
            "            group = []\n"
            "        group.append(message)\n"
            "    if group:\n"
            "        yield group\n",
        ),
        (
            "gives an empty group for nothing",
            changed(groups, "    if group:\n        yield group", "    yield group"),
        ),
        (
            "begins with the last group",
            inspect.getsource(groups).replace("def groups", "def in_order")
            + "\n\ndef groups(context):\n    return list(in_order(context))[::-1]\n",
        ),
        (
            "needs a first message",
            changed(
                groups,
                "    for message in context.messages:\n",
                "    first = context.messages[0]\n    for message in context.messages:\n",
            ),
        ),
    ],
    "3.4": [
        (
            "counts for ever",
            "from collections import Counter\n\n"
            "counted = Counter()\n\n\n"
            + changed(
                repeats,
                "    seen[key] += 1\n    return seen[key]\n",
                "    counted[key] += 1\n    return counted[key]\n",
            ),
        ),
        ("forgets who asks", changed(repeats, "[agent, asked, state]", "[asked, state]")),
        ("forgets the state", changed(repeats, "[agent, asked, state]", "[agent, asked]")),
        (
            "looks at the names of the tools alone",
            changed(repeats, '"" if name in handoffs else arguments', '""'),
        ),
        (
            "takes each reason for another handoff",
            changed(repeats, '"" if name in handoffs else arguments', "arguments"),
        ),
        (
            "looks at the first call alone",
            changed(repeats, "for call in calls:", "for call in list(calls)[:1]:"),
        ),
        (
            "knows the state by the dictionary it is in",
            changed(repeats, "[agent, asked, state]", "[agent, asked, id(state)]"),
        ),
        (
            "compares the ids of the calls as well",
            changed(repeats, "asked.append((name, ", 'asked.append((name, call["id"], '),
        ),
        ("counts from nought", changed(repeats, "return seen[key]", "return seen[key] - 1")),
        (
            "makes a key of what has none",
            changed(
                repeats,
                "json.dumps([agent, asked, state], sort_keys=True, default=repr)",
                "(agent, tuple(asked), frozenset(state.items()))",
            ),
        ),
        (
            "forgets all arguments beside a handoff",
            changed(
                repeats,
                '"" if name in handoffs else arguments',
                '"" if any(c["function"]["name"] in handoffs for c in calls) else arguments',
            ),
        ),
    ],
    "3.5": [
        (
            "takes every agent that is met again for a circle",
            "def circle(trace):\n"
            "    path = []\n"
            "    for span in trace.spans:\n"
            "        if span.operation == 'handoff':\n"
            "            path = path or [span.attributes['switchboard.handoff.from']]\n"
            "            to = span.attributes['switchboard.handoff.to']\n"
            "            if to in path:\n"
            "                return tuple(path[path.index(to):])\n"
            "            path.append(to)\n"
            "    return ()\n",
        ),
        (
            "takes consultations for handoffs",
            changed(circle, 'kind not in ("consult", "return")', "True"),
        ),
        (
            "looks for two agents alone",
            changed(circle, "range(1, len(path) // 2 + 1)", "(2,)"),
        ),
        (
            "looks at the end alone",
            changed(
                circle,
                "range(len(path) - 2 * length + 1)",
                "[len(path) - 2 * length]",
            ),
        ),
        (
            "forgets where the conversation began",
            changed(
                circle,
                '            path = path or [str(span.attributes["switchboard.handoff.from"])]\n',
                "",
            ),
        ),
        (
            "finds the longest circle",
            changed(
                circle,
                "for length in range(1, len(path) // 2 + 1):",
                "for length in range(len(path) // 2, 0, -1):",
            ),
        ),
        (
            "reads the agents' own spans",
            "def circle(trace):\n"
            "    path = [s.name for s in trace.spans if s.operation == 'invoke_agent']\n"
            "    for length in range(1, len(path) // 2 + 1):\n"
            "        for start in range(len(path) - 2 * length + 1):\n"
            "            once = path[start : start + length]\n"
            "            if once == path[start + length : start + 2 * length]:\n"
            "                return tuple(once)\n"
            "    return ()\n",
        ),
        (
            "wants it three times in a row",
            changed(
                circle,
                "            if once == path[start + length : start + 2 * length]:\n",
                "            if path[start : start + 3 * length] == 3 * once:\n",
            ),
        ),
        (
            "gives the whole way when there is none",
            changed(circle, "    return ()\n", "    return tuple(path)\n"),
        ),
        (
            "needs a first handoff",
            changed(
                circle,
                "    for length in range(1",
                "    first = path[0]\n    for length in range(1",
            ),
        ),
        (
            "takes a hub for a circle",
            changed(
                circle,
                "    return ()\n",
                "    hub = [name for name in path if path.count(name) > 2]\n"
                "    return tuple(hub[:1])\n",
            ),
        ),
        (
            "counts transfers alone",
            changed(circle, 'kind not in ("consult", "return")', 'kind == "transfer"'),
        ),
        (
            "takes the first circle, however long",
            changed(
                circle,
                """    for length in range(1, len(path) // 2 + 1):
        for start in range(len(path) - 2 * length + 1):
""",
                """    for start in range(len(path)):
        for length in range(1, (len(path) - start) // 2 + 1):
""",
            ),
        ),
    ],
    "3.6": [
        (
            "counts the attempts that worked as well",
            changed(
                due,
                "sum(attempt.failed for attempt in attempts)",
                "len(attempts)",
            ),
        ),
        (
            "waits for one failure more",
            changed(due, "failed >= criteria.max_attempts", "failed > criteria.max_attempts"),
        ),
        (
            "wants exactly this severity",
            changed(due, "if severity in bad_enough", "if severity == criteria.severity"),
        ),
        (
            "compares severities as words",
            "def due(criteria, attempts, state):\n"
            "    failed = sum(attempt.failed for attempt in attempts)\n"
            "    if failed >= criteria.max_attempts:\n"
            "        return f'{failed} attempts failed'\n"
            "    severity = state.get('severity')\n"
            "    if severity and severity >= criteria.severity:\n"
            "        return f'severity is {severity}'\n"
            "    return None\n",
        ),
        (
            "needs a severity to be there",
            changed(due, 'state.get("severity")', 'state["severity"]'),
        ),
        (
            "wants both at once",
            changed(
                due,
                "    if failed >= criteria.max_attempts:\n",
                "    if failed < criteria.max_attempts:\n        return None\n    if False:\n",
            ),
        ),
        (
            "says yes instead of why",
            changed(due, 'return f"failed attempts: {failed}"', 'return "yes"'),
        ),
        (
            "says True instead of a reason",
            inspect.getsource(due)
            .replace('return f"failed attempts: {failed}"', "return True")
            .replace('return f"severity is {severity}" if', "return True if"),
        ),
        (
            "does not say how severe",
            changed(due, 'f"severity is {severity}"', '"it is bad enough"'),
        ),
        (
            "says no instead of None",
            changed(due, "in bad_enough else None", 'in bad_enough else "no"'),
        ),
    ],
}

RIGHT = {
    "3.1": [
        (
            "writes the schema by hand",
            "def handoff_tool(handoff, description):\n"
            '    argument = "request" if handoff.returns else "reason"\n'
            '    done = "Asked" if handoff.returns else "Transferred to"\n'
            "    parameters = {\n"
            '        "type": "object",\n'
            '        "properties": {argument: {"type": "string"}},\n'
            '        "required": [argument],\n'
            "    }\n\n"
            "    def transfer(reason: str):\n"
            '        return f"{done} {handoff.to}."\n\n'
            "    def consult(request: str):\n"
            "        return transfer(request)\n\n"
            "    return Tool(\n"
            "        name=handoff.tool_name,\n"
            '        description=f"{handoff.to} can help with: {description}",\n'
            "        parameters=parameters,\n"
            "        function=consult if handoff.returns else transfer,\n"
            "    )\n",
        ),
        (
            "lets the course describe a function",
            "from course import tool as make_tool\n\n\n"
            "def handoff_tool(handoff, description):\n"
            "    if handoff.returns:\n"
            "        async def move(request: str) -> str:\n"
            '            return f"Asked {handoff.to}."\n'
            "    else:\n"
            "        async def move(reason: str) -> str:\n"
            '            return f"Transferred to {handoff.to}."\n'
            '    move.__doc__ = f"Give {handoff.to} the floor: {description}"\n'
            "    return make_tool(name=handoff.tool_name)(move)\n",
        ),
        (
            "makes the function in a helper",
            "def _move(to, returns):\n"
            "    if returns:\n"
            '        return lambda request: f"Asked {to}."\n'
            '    return lambda reason: f"Transferred to {to}."\n\n\n'
            "def handoff_tool(handoff, description):\n"
            "    function = _move(handoff.to, handoff.returns)\n"
            '    argument = "request" if handoff.returns else "reason"\n'
            "    function.__annotations__ = {argument: str}\n"
            "    takes = text_argument(argument, 'in a sentence')\n"
            "    told = f'{handoff.to} ({description})'\n"
            "    return Tool(handoff.tool_name, told, takes, function)\n",
        ),
        (
            "a class, and a match",
            "class Hands:\n"
            "    def __init__(self, handoff):\n"
            "        self.to = handoff.to\n\n"
            "    def transfer(self, reason: str) -> str:\n"
            "        return ' '.join(['Transferred', 'to', f'{self.to}.'])\n\n"
            "    def consult(self, request: str) -> str:\n"
            "        return ' '.join(['Asked', f'{self.to}.'])\n\n\n"
            "def handoff_tool(handoff, description):\n"
            "    move = Hands(handoff)\n"
            "    match handoff.returns:\n"
            "        case True:\n"
            "            argument, function = 'request', move.consult\n"
            "        case _:\n"
            "            argument, function = 'reason', move.transfer\n"
            "    schema = text_argument(argument, 'in one sentence')\n"
            "    about = f'{description}. This is {handoff.to}.'\n"
            "    return Tool(handoff.tool_name, about, schema, function)\n",
        ),
        (
            "an asynchronous function",
            "def handoff_tool(handoff, description):\n"
            "    async def transfer(*, reason: str) -> str:\n"
            "        return f'Transferred to {handoff.to}.'\n\n"
            "    async def consult(*, request: str) -> str:\n"
            "        return f'Asked {handoff.to}.'\n\n"
            "    does = {False: ('reason', transfer), True: ('request', consult)}\n"
            "    argument, function = does[bool(handoff.returns)]\n"
            "    return Tool(\n"
            "        name=handoff.tool_name,\n"
            "        description=f'{handoff.to}: {description}',\n"
            "        parameters=text_argument(argument, 'what and why'),\n"
            "        function=function,\n"
            "    )\n",
        ),
        (
            "default arguments instead of a closure",
            "from dataclasses import replace\n\n\n"
            "def handoff_tool(handoff, description):\n"
            "    def say(verb, to):\n"
            "        return f'{verb} {to}.'\n\n"
            "    def transfer(reason: str) -> str:\n"
            "        return say('Transferred to', handoff.to)\n\n"
            "    takes = text_argument('reason', 'why')\n"
            "    made = Tool(handoff.tool_name, f'{handoff.to} does {description}', takes, transfer)\n"
            "    if not handoff.returns:\n"
            "        return made\n\n"
            "    def consult(request: str) -> str:\n"
            "        return say('Asked', handoff.to)\n\n"
            "    return replace(made, parameters=text_argument('request', 'what'), function=consult)\n",
        ),
    ],
    "3.2": [
        (
            "goes by numbers",
            "import asyncio\n\n\n"
            "async def answer_message(calls, tools, handoffs):\n"
            "    tools, names = list(tools), {move.name for move in handoffs}\n"
            "    answers = [None] * len(calls)\n\n"
            "    async def run(number):\n"
            "        answers[number] = await answer_call(calls[number], [*tools, *handoffs])\n\n"
            "    def hands_over(number):\n"
            "        return calls[number]['function']['name'] in names\n\n"
            "    others = [n for n in range(len(calls)) if not hands_over(n)]\n"
            "    await asyncio.gather(*map(run, others))\n"
            "    made = None\n"
            "    for number in filter(hands_over, range(len(calls))):\n"
            "        if made is not None:\n"
            "            went = calls[made]['function']['name'].removeprefix('transfer_to_')\n"
            "            answers[number] = tool_message(calls[number], f'it is with {went} now', 'refused')\n"
            "            continue\n"
            "        await run(number)\n"
            "        made = None if outcome_of(answers[number]) != 'ok' else number\n"
            "    return answers, None if made is None else calls[made]\n",
        ),
        (
            "keeps answers by id in a task group",
            "import asyncio\n\n\n"
            "async def answer_message(calls, tools, handoffs):\n"
            "    handoffs = {move.name: move for move in handoffs}\n"
            "    tools = tuple(tools)\n"
            "    tasks, answers, winner = {}, {}, None\n"
            "    async with asyncio.TaskGroup() as group:\n"
            "        for call in calls:\n"
            "            if call['function']['name'] not in handoffs:\n"
            "                work = answer_call(call, tools)\n"
            "                tasks[call['id']] = group.create_task(work)\n"
            "    for call in calls:\n"
            "        name, ident = call['function']['name'], call['id']\n"
            "        if ident in tasks:\n"
            "            answers[ident] = tasks[ident].result()\n"
            "        elif winner is None:\n"
            "            answers[ident] = await answer_call(call, [handoffs[name]])\n"
            "            if outcome_of(answers[ident]) == 'ok':\n"
            "                winner = call\n"
            "        else:\n"
            "            said = lowered(answers[winner['id']]['content'])\n"
            "            answers[ident] = tool_message(call, f'no: {said}', 'refused')\n"
            "    return [answers[call['id']] for call in calls], winner\n",
        ),
        (
            "splits first and sorts afterwards",
            "async def answer_message(calls, tools, handoffs):\n"
            "    names = [move.name for move in handoffs]\n"
            "    plain = [c for c in calls if c['function']['name'] not in names]\n"
            "    handing = [c for c in calls if c['function']['name'] in names]\n"
            "    answers = list(await answer_calls(plain, tools))\n"
            "    made = None\n"
            "    while handing and made is None:\n"
            "        call = handing.pop(0)\n"
            "        answers.append(await answer_call(call, handoffs))\n"
            "        made = None if outcome_of(answers[-1]) != 'ok' else call\n"
            "    for call in handing:\n"
            "        answers.append(tool_message(call, f\"after {made['function']['name']}\", 'refused'))\n"
            "    order = [call['id'] for call in calls]\n"
            "    return sorted(answers, key=lambda a: order.index(a['tool_call_id'])), made\n",
        ),
        (
            "a generator decides, an object answers",
            "class Desk:\n"
            "    def __init__(self, tools, handoffs):\n"
            "        self.tools, self.handoffs = list(tools), list(handoffs)\n"
            "        self.names = {each.name for each in self.handoffs}\n"
            "        self.made, self.said = None, {}\n\n"
            "    def split(self, calls):\n"
            "        for call in calls:\n"
            "            yield call['function']['name'] in self.names, call\n\n"
            "    async def __call__(self, calls):\n"
            "        ordinary = [call for handoffs, call in self.split(calls) if not handoffs]\n"
            "        for each in await answer_calls(ordinary, self.tools):\n"
            "            self.said[each['tool_call_id']] = each\n"
            "        for call in (call for handoffs, call in self.split(calls) if handoffs):\n"
            "            self.said[call['id']] = await self.move(call)\n"
            "        return [self.said[call['id']] for call in calls], self.made\n\n"
            "    async def move(self, call):\n"
            "        if self.made:\n"
            "            went = self.said[self.made['id']]['content']\n"
            "            return tool_message(call, f'too late: {went}', 'refused')\n"
            "        answer = await answer_call(call, self.handoffs)\n"
            "        self.made = None if outcome_of(answer) != 'ok' else call\n"
            "        return answer\n\n\n"
            "async def answer_message(calls, tools, handoffs):\n"
            "    return await Desk(tools, handoffs)(calls)\n",
        ),
        (
            "by recursion over the calls",
            "import asyncio\n\n\n"
            "async def answer_message(calls, tools, handoffs):\n"
            "    tools, handoffs = list(tools), {each.name: each for each in handoffs}\n"
            "    is_move = lambda call: call['function']['name'] in handoffs\n"
            "    tasks = {}\n"
            "    async with asyncio.TaskGroup() as group:\n"
            "        for call in filter(lambda each: not is_move(each), calls):\n"
            "            tasks[call['id']] = group.create_task(answer_call(call, tools))\n\n"
            "    async def rest(left, made, to):\n"
            "        if not left:\n"
            "            return [], made\n"
            "        call, *later = left\n"
            "        if not is_move(call):\n"
            "            answer = tasks[call['id']].result()\n"
            "        elif made is not None:\n"
            "            answer = tool_message(call, f'the conversation is with {to}', 'refused')\n"
            "        elif outcome_of(answer := await answer_call(call, handoffs.values())) == 'ok':\n"
            "            made, to = call, answer['content'].split()[-1]\n"
            "        answers, made = await rest(later, made, to)\n"
            "        return [answer, *answers], made\n\n"
            "    return await rest(list(calls), None, '')\n",
        ),
        (
            "gathers what is ordinary, a tuple of answers",
            "import asyncio\n"
            "import json\n\n\n"
            "async def answer_message(calls, tools, handoffs):\n"
            "    handoffs, tools = tuple(handoffs), tuple(tools)\n"
            "    places = [n for n, c in enumerate(calls) if c['function']['name'] in map(lambda t: t.name, handoffs)]\n"
            "    others = sorted(set(range(len(calls))) - set(places))\n"
            "    said = dict(zip(others, await asyncio.gather(*(answer_call(calls[n], tools) for n in others))))\n"
            "    winner = None\n"
            "    for n in places:\n"
            "        if winner is not None:\n"
            '            why = f\'no: {calls[winner]["function"]["name"]} was made\'\n'
            "            content = json.dumps({'error': why})\n"
            "            said[n] = {'role': 'tool', 'tool_call_id': calls[n]['id'], 'content': content}\n"
            "            continue\n"
            "        said[n] = await answer_call(calls[n], handoffs)\n"
            "        winner = None if said[n]['content'].startswith('{\"error\"') else n\n"
            "    return tuple(said[n] for n in range(len(calls))), winner is not None and calls[winner] or None\n",
        ),
    ],
    "3.3": [
        (
            "makes a list",
            "def groups(context):\n"
            "    found = []\n"
            "    for message in context.messages:\n"
            "        if message['role'] == 'tool' and found:\n"
            "            found[-1].append(message)\n"
            "        else:\n"
            "            found.append([message])\n"
            "    return found\n",
        ),
        (
            "goes by the places where groups begin",
            "def groups(context):\n"
            "    said = list(context.messages)\n"
            "    begins = [n for n, m in enumerate(said) if m['role'] != 'tool']\n"
            "    for begin, end in zip(begins, [*begins[1:], len(said)]):\n"
            "        yield said[begin:end]\n",
        ),
        (
            "goes by the ids of the calls",
            "def groups(context):\n"
            "    messages = iter(context.messages)\n"
            "    for message in messages:\n"
            "        group = [message]\n"
            "        for _ in message.get('tool_calls') or ():\n"
            "            group.append(next(messages))\n"
            "        yield group\n",
        ),
        (
            "itertools.groupby and a running number",
            "from itertools import accumulate, groupby\n\n\n"
            "def groups(context):\n"
            "    begins = (m['role'] != 'tool' for m in context.messages)\n"
            "    numbered = zip(accumulate(begins), context.messages)\n"
            "    for _, some in groupby(numbered, key=lambda each: each[0]):\n"
            "        yield [message for _, message in some]\n",
        ),
        (
            "reduce, and tuples",
            "from functools import reduce\n\n\n"
            "def groups(context):\n"
            "    def add(done, message):\n"
            "        match message:\n"
            "            case {'role': 'tool'}:\n"
            "                *before, last = done\n"
            "                return (*before, (*last, message))\n"
            "        return (*done, (message,))\n\n"
            "    return reduce(add, context.messages, ())\n",
        ),
        (
            "an iterator of its own",
            "class groups:\n"
            "    def __init__(self, context):\n"
            "        self.left = list(context.messages)\n\n"
            "    def __iter__(self):\n"
            "        return self\n\n"
            "    def __next__(self):\n"
            "        if not self.left:\n"
            "            raise StopIteration\n"
            "        group = [self.left.pop(0)]\n"
            "        while self.left and self.left[0]['role'] == 'tool':\n"
            "            group.append(self.left.pop(0))\n"
            "        return group\n",
        ),
    ],
    "3.4": [
        (
            "makes a text",
            "import json\n\n\n"
            "def repeats(seen, agent, calls, state, handoffs=()):\n"
            "    key = agent + json.dumps(state, sort_keys=True, default=str)\n"
            "    for call in calls:\n"
            "        name = call['function']['name']\n"
            "        key += '|' + name\n"
            "        if name not in handoffs:\n"
            "            key += call['function']['arguments']\n"
            "    seen[key] += 1\n"
            "    return seen[key]\n",
        ),
        (
            "makes a tuple",
            "def repeats(seen, agent, calls, state, handoffs=()):\n"
            "    functions = [call['function'] for call in calls]\n"
            "    asked = tuple(\n"
            "        (f['name'], None if f['name'] in handoffs else f['arguments'])\n"
            "        for f in functions\n"
            "    )\n"
            "    key = (agent, asked, repr(sorted(state.items())))\n"
            "    seen.update([key])\n"
            "    return seen[key]\n",
        ),
        (
            "reads the arguments",
            "import json\n\n\n"
            "def repeats(seen, agent, calls, state, handoffs=()):\n"
            "    def one(call):\n"
            "        name = call['function']['name']\n"
            "        if name in handoffs:\n"
            "            return [name]\n"
            "        return [name, json.loads(call['function']['arguments'] or '{}')]\n\n"
            "    key = json.dumps([agent, [one(c) for c in calls], state], sort_keys=True)\n"
            "    times = seen.get(key, 0) + 1\n"
            "    seen[key] = times\n"
            "    return times\n",
        ),
        (
            "pickles a frozen picture",
            "import pickle\n\n\n"
            "def repeats(seen, agent, calls, state, handoffs=()):\n"
            "    def frozen(value):\n"
            "        match value:\n"
            "            case dict():\n"
            "                return tuple(sorted((k, frozen(v)) for k, v in value.items()))\n"
            "            case list() | tuple() | set():\n"
            "                return tuple(map(frozen, value))\n"
            "        return value\n\n"
            "    asked = tuple(\n"
            "        (c['function']['name'], None if c['function']['name'] in handoffs else c['function']['arguments'])\n"
            "        for c in calls\n"
            "    )\n"
            "    seen.update([key := pickle.dumps((agent, asked, frozen(state)))])\n"
            "    return seen[key]\n",
        ),
        (
            "hashes a text",
            "import hashlib\n"
            "import json\n"
            "from operator import itemgetter\n\n\n"
            "def repeats(seen, agent, calls, state, handoffs=()):\n"
            "    said = map(itemgetter('function'), calls)\n"
            "    words = [f['name'] + ('' if f['name'] in set(handoffs) else f['arguments']) for f in said]\n"
            "    text = '\\n'.join([agent, *words, json.dumps(state, sort_keys=True)])\n"
            "    key = hashlib.sha256(text.encode()).hexdigest()\n"
            "    seen[key] = seen.get(key, 0) + 1\n"
            "    return seen[key]\n",
        ),
        (
            "an object with a key",
            "import copy\n"
            "from dataclasses import dataclass\n\n\n"
            "@dataclass\n"
            "class Asked:\n"
            "    agent: str\n"
            "    calls: list\n"
            "    state: dict\n\n"
            "    def __hash__(self):\n"
            "        return hash(self.agent)\n\n\n"
            "def repeats(seen, agent, calls, state, handoffs=()):\n"
            "    wanted = []\n"
            "    for call in calls:\n"
            "        name, said = call['function']['name'], call['function']['arguments']\n"
            "        wanted += [(name,)] if name in handoffs else [(name, said)]\n"
            "    this = Asked(agent, wanted, copy.deepcopy(dict(state)))\n"
            "    seen[this] += 1\n"
            "    return seen[this]\n",
        ),
    ],
    "3.5": [
        (
            "compares slices of a text",
            "def circle(trace):\n"
            "    handoffs = [\n"
            "        s.attributes for s in trace.spans\n"
            "        if s.operation == 'handoff'\n"
            "        and s.attributes['switchboard.handoff.kind'] not in ('consult', 'return')\n"
            "    ]\n"
            "    if not handoffs:\n"
            "        return ()\n"
            "    path = [handoffs[0]['switchboard.handoff.from']]\n"
            "    path += [m['switchboard.handoff.to'] for m in handoffs]\n"
            "    windows = (\n"
            "        (n, i) for n in range(1, len(path)) for i in range(len(path) - 2 * n + 1)\n"
            "    )\n"
            "    for n, i in windows:\n"
            "        if path[i:i + n] == path[i + n:i + 2 * n]:\n"
            "            return tuple(path[i:i + n])\n"
            "    return ()\n",
        ),
        (
            "walks from every place",
            "def circle(trace):\n"
            "    path = []\n"
            "    for span in trace.spans:\n"
            "        if span.operation != 'handoff':\n"
            "            continue\n"
            "        told = {k.rsplit('.', 1)[1]: v for k, v in span.attributes.items()}\n"
            "        if told['kind'] in {'consult', 'return'}:\n"
            "            continue\n"
            "        if not path:\n"
            "            path.append(told['from'])\n"
            "        path.append(told['to'])\n"
            "    best = []\n"
            "    for start in range(len(path)):\n"
            "        for end in range(start + 1, len(path)):\n"
            "            part = path[start:end]\n"
            "            again = path[end:end + len(part)]\n"
            "            if part == again and (not best or len(part) < len(best)):\n"
            "                best = part\n"
            "    return tuple(best)\n",
        ),
        (
            "reads the names of the spans",
            "def circle(trace):\n"
            "    names = [\n"
            "        span.name.split(' -> ') for span in trace.spans\n"
            "        if span.operation == 'handoff'\n"
            "        and span.attributes.get('switchboard.handoff.kind') in ('transfer', "
            "'escalate', 'fallback')\n"
            "    ]\n"
            "    path = [names[0][0], *(to for _, to in names)] if names else []\n"
            "    for size in range(1, len(path)):\n"
            "        for at in range(len(path)):\n"
            "            first, second = path[at:at + size], path[at + size:at + 2 * size]\n"
            "            if first == second:\n"
            "                return tuple(first)\n"
            "    return ()\n",
        ),
        (
            "pairs first, then windows",
            "from itertools import chain\n\n\n"
            "def circle(trace):\n"
            "    moved = [\n"
            "        (s.attributes['switchboard.handoff.from'], s.attributes['switchboard.handoff.to'])\n"
            "        for s in trace.spans\n"
            "        if s.operation == 'handoff'\n"
            "        and s.attributes['switchboard.handoff.kind'] not in {'consult', 'return'}\n"
            "    ]\n"
            "    path = [*chain(moved[:1], ()), *()]\n"
            "    path = [a for a, _ in moved[:1]] + [b for _, b in moved]\n"
            "    windows = (\n"
            "        tuple(path[at : at + n])\n"
            "        for n in range(1, len(path))\n"
            "        for at in range(len(path))\n"
            "        if path[at : at + n] == path[at + n : at + 2 * n]\n"
            "    )\n"
            "    return next((each for each in windows if each), ())\n",
        ),
        (
            "exceptions for the way out",
            "class Found(Exception):\n"
            "    pass\n\n\n"
            "def circle(trace):\n"
            "    way = []\n"
            "    for span in trace.spans:\n"
            "        match span.operation, span.attributes.get('switchboard.handoff.kind'):\n"
            "            case 'handoff', 'consult' | 'return':\n"
            "                continue\n"
            "            case 'handoff', _:\n"
            "                if not way:\n"
            "                    way.append(span.attributes['switchboard.handoff.from'])\n"
            "                way.append(span.attributes['switchboard.handoff.to'])\n"
            "    try:\n"
            "        for long in range(1, len(way)):\n"
            "            for one, other in zip(range(len(way)), range(long, len(way) - long + 1)):\n"
            "                if way[one:other] == way[other : other + long]:\n"
            "                    raise Found(*way[one:other])\n"
            "    except Found as found:\n"
            "        return found.args\n"
            "    return ()\n",
        ),
        (
            "a list, by recursion",
            "def circle(trace):\n"
            "    told = 'switchboard.handoff.'\n"
            "    spans = [\n"
            "        each.attributes\n"
            "        for each in trace.spans\n"
            "        if each.operation == 'handoff'\n"
            "        and not each.attributes[told + 'kind'] in ('consult', 'return')\n"
            "    ]\n"
            "    path = [each[told + 'from'] for each in spans[:1]]\n"
            "    path.extend(each[told + 'to'] for each in spans)\n\n"
            "    def search(length, start):\n"
            "        if 2 * length > len(path):\n"
            "            return []\n"
            "        if start + 2 * length > len(path):\n"
            "            return search(length + 1, 0)\n"
            "        ring = path[start:][:length]\n"
            "        if ring * 2 == path[start:][: 2 * length]:\n"
            "            return ring\n"
            "        return search(length, start + 1)\n\n"
            "    return search(1, 0)\n",
        ),
    ],
    "3.6": [
        (
            "goes through the levels",
            "def due(criteria, attempts, state):\n"
            "    failures = [attempt for attempt in attempts if attempt.failed]\n"
            "    if len(failures) >= criteria.max_attempts:\n"
            "        return f'after {len(failures)} failures'\n"
            "    reached = False\n"
            "    for level in SEVERITIES:\n"
            "        reached = reached or level == criteria.severity\n"
            "        if reached and state.get('severity') == level:\n"
            "            return f'it is {level}'\n"
            "    return None\n",
        ),
        (
            "ranks the levels",
            "def due(criteria, attempts, state):\n"
            "    rank = {level: number for number, level in enumerate(SEVERITIES)}\n"
            "    if rank.get(state.get('severity'), -1) >= rank[criteria.severity]:\n"
            "        return 'severity: ' + state['severity']\n"
            "    bad = sum(1 for each in attempts if each.failed)\n"
            "    return f'{bad} times in vain' if bad >= criteria.max_attempts else None\n",
        ),
        (
            "collects the reasons",
            "def due(criteria, attempts, state):\n"
            "    reasons = []\n"
            "    failed = [each.failed for each in attempts].count(True)\n"
            "    if failed >= criteria.max_attempts:\n"
            "        reasons.append(f'{failed} failed')\n"
            "    severity = state.get('severity')\n"
            "    least = SEVERITIES.index(criteria.severity)\n"
            "    if severity in SEVERITIES and SEVERITIES.index(severity) >= least:\n"
            "        reasons.append(f'severity {severity}')\n"
            "    return ' and '.join(reasons) or None\n",
        ),
        (
            "match and a walrus",
            "def due(criteria, attempts, state):\n"
            "    if (bad := len([a for a in attempts if a.failed])) >= criteria.max_attempts:\n"
            "        return f'we tried and failed attempts: {bad}'\n"
            "    match state:\n"
            "        case {'severity': str(level)} if level in SEVERITIES:\n"
            "            order = list(SEVERITIES)\n"
            "            if order.index(level) >= order.index(criteria.severity):\n"
            "                return f'severity is {level} and that is too much'\n"
            "    return None\n",
        ),
        (
            "a generator of reasons",
            "from collections import Counter\n\n\n"
            "def due(criteria, attempts, state):\n"
            "    def reasons():\n"
            "        failed = Counter(bool(each.failed) for each in attempts)[True]\n"
            "        if not failed < criteria.max_attempts:\n"
            "            yield f'failed attempts: {failed}'\n"
            "        try:\n"
            "            rank = SEVERITIES.index(state['severity'])\n"
            "        except (KeyError, ValueError):\n"
            "            return\n"
            "        if rank >= SEVERITIES.index(criteria.severity):\n"
            "            yield f'severity is {SEVERITIES[rank]}'\n\n"
            "    return next(reasons(), None)\n",
        ),
        (
            "an enumeration",
            "import enum\n\n\n"
            "class Level(enum.IntEnum):\n"
            "    low = 0\n"
            "    medium = 1\n"
            "    high = 2\n"
            "    critical = 3\n\n\n"
            "def due(criteria, attempts, state):\n"
            "    failed = sum(1 for attempt in attempts if attempt.failed)\n"
            "    rated = Level.__members__.get(state.get('severity') or '')\n"
            "    words = []\n"
            "    if failed >= criteria.max_attempts:\n"
            "        words.append(f'failed attempts: {failed}')\n"
            "    if rated is not None and rated >= Level[criteria.severity]:\n"
            "        words.append(f'severity is {rated.name}')\n"
            "    return ' and '.join(words) or None\n",
        ),
    ],
}
