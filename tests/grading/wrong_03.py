"""Wrong answers to the exercises of chapter 03: what a student may well write.

Each entry is (name, source of the solution cell). Every one must lose exactly its exercise.
`RIGHT` are answers in other styles than the solution's; every one must pass.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from course.context import groups
from course.handoff import handoff_tool
from course.team.diagnosis import circle
from course.team.escalation import due
from course.team.guards import repeats
from course.team.moves import carry_out


def _changed(definition: Callable[..., Any], old: str, new: str) -> str:
    """The finished definition with one thing changed."""
    source = inspect.getsource(definition)
    if source.count(old) != 1:
        raise ValueError(f"{definition.__name__} holds {source.count(old)} times: {old}")
    return source.replace(old, new)


WRONG = {
    "3.1": [
        (
            "names the tool after the agent alone",
            _changed(
                handoff_tool,
                "return Tool(handoff.tool_name, told, takes, transfer)",
                "return Tool(to, told, takes, transfer)",
            ),
        ),
        (
            "does not say what the agent is for",
            _changed(
                handoff_tool,
                'f"Hand the conversation over to {to}: {description}"',
                'f"Hand the conversation over to {to}."',
            ),
        ),
        (
            "lets the model choose the agent",
            _changed(
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
            _changed(handoff_tool, "    if handoff.returns:", "    if False:"),
        ),
    ],
    "3.2": [
        (
            "hands over before the tools are done",
            "async def carry_out(calls, tools, moves):\n"
            "    names = [each.name for each in moves]\n"
            "    answers = await answer_calls(calls, [*tools, *moves])\n"
            "    made = [call for call in calls if call['function']['name'] in names]\n"
            "    for call in made[1:]:\n"
            "        reason = f'already {lowered(answers[calls.index(made[0])][\"content\"])}'\n"
            "        answers[calls.index(call)] = refused(call, reason)\n"
            "    return answers, made[0] if made else None\n",
        ),
        (
            "one tool after the other",
            _changed(
                carry_out,
                "await answer_calls(ordinary, (*tools, *moves))",
                "[await answer_call(call, (*tools, *moves)) for call in ordinary]",
            ),
        ),
        (
            "drops the other calls",
            _changed(
                carry_out,
                "    for call in calls:\n",
                "    if handed := [c for c in calls if c not in ordinary]:\n"
                "        return [await answer_call(handed[0], moves)], handed[0]\n"
                "    for call in calls:\n",
            ),
        ),
        (
            "lets the last handoff win",
            "async def carry_out(calls, tools, moves):\n"
            "    names = [each.name for each in moves]\n"
            "    ordinary = [call for call in calls if call['function']['name'] not in names]\n"
            "    made = ([c for c in calls if c not in ordinary] or [None])[-1]\n"
            "    results = iter(await answer_calls(ordinary, tools))\n"
            "    answers = []\n"
            "    for call in calls:\n"
            "        if call in ordinary:\n"
            "            answers.append(next(results))\n"
            "        elif call is made:\n"
            "            answers.append(await answer_call(call, moves))\n"
            "        else:\n"
            "            answers.append(refused(call, 'another handoff was made'))\n"
            "    return answers, made\n",
        ),
        (
            "does not say who has the conversation",
            _changed(carry_out, 'f"already {lowered(done)}; one handoff per message"', '"not now"'),
        ),
        (
            "takes a handoff that failed",
            _changed(carry_out, "if not failed(answers[-1]):", "if True:"),
        ),
        (
            "answers the handoff last",
            _changed(
                carry_out,
                "    return answers, made\n",
                "    answers.sort(key=lambda each: bool(made) and "
                "each['tool_call_id'] == made['id'])\n"
                "    return answers, made\n",
            ),
        ),
        (
            "stays when a tool failed",
            _changed(
                carry_out,
                "    return answers, made\n",
                "    return answers, None if any(map(failed, answers)) else made\n",
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
        ("forgets the last group", _changed(groups, "    if group:\n", "    if False:\n")),
        (
            "puts every message alone",
            "def groups(context):\n    return [[message] for message in context.messages]\n",
        ),
        (
            "groups by the person's turns",
            _changed(groups, '!= "tool" and group', '== "user" and group'),
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
            _changed(groups, "    if group:\n        yield group", "    yield group"),
        ),
    ],
    "3.4": [
        (
            "counts for ever",
            "from collections import Counter\n\n"
            "counted = Counter()\n\n\n"
            + _changed(
                repeats,
                "    seen[key] += 1\n    return seen[key]\n",
                "    counted[key] += 1\n    return counted[key]\n",
            ),
        ),
        ("forgets who asks", _changed(repeats, "[agent, asked, state]", "[asked, state]")),
        ("forgets the state", _changed(repeats, "[agent, asked, state]", "[agent, asked]")),
        (
            "looks at the names of the tools alone",
            _changed(repeats, '"" if name in moves else arguments', '""'),
        ),
        (
            "takes each reason for another handoff",
            _changed(repeats, '"" if name in moves else arguments', "arguments"),
        ),
        (
            "looks at the first call alone",
            _changed(repeats, "for call in calls:", "for call in list(calls)[:1]:"),
        ),
        (
            "knows the state by the dictionary it is in",
            _changed(repeats, "[agent, asked, state]", "[agent, asked, id(state)]"),
        ),
        (
            "compares the ids of the calls as well",
            _changed(repeats, "asked.append((name, ", 'asked.append((name, call["id"], '),
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
            _changed(circle, 'kind not in ("consult", "return")', "True"),
        ),
        (
            "looks for two agents alone",
            _changed(circle, "range(1, len(path) // 2 + 1)", "(2,)"),
        ),
        (
            "looks at the end alone",
            _changed(
                circle,
                "range(len(path) - 2 * length + 1)",
                "[len(path) - 2 * length]",
            ),
        ),
        (
            "forgets where the conversation began",
            _changed(
                circle,
                '            path = path or [str(span.attributes["switchboard.handoff.from"])]\n',
                "",
            ),
        ),
        (
            "finds the longest circle",
            _changed(
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
    ],
    "3.6": [
        (
            "counts the attempts that worked as well",
            _changed(
                due,
                "sum(attempt.failed for attempt in attempts)",
                "len(attempts)",
            ),
        ),
        (
            "waits for one failure more",
            _changed(due, "failed >= criteria.max_attempts", "failed > criteria.max_attempts"),
        ),
        (
            "wants exactly this severity",
            _changed(due, "if severity in bad_enough", "if severity == criteria.severity"),
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
            _changed(due, 'state.get("severity")', 'state["severity"]'),
        ),
        (
            "wants both at once",
            _changed(
                due,
                "    if failed >= criteria.max_attempts:\n",
                "    if failed < criteria.max_attempts:\n        return None\n    if False:\n",
            ),
        ),
        (
            "says yes instead of why",
            _changed(due, 'return f"failed attempts: {failed}"', 'return "yes"'),
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
    ],
    "3.2": [
        (
            "goes by numbers",
            "import asyncio\n\n\n"
            "async def carry_out(calls, tools, moves):\n"
            "    tools, names = list(tools), {move.name for move in moves}\n"
            "    answers = [None] * len(calls)\n\n"
            "    async def run(number):\n"
            "        answers[number] = await answer_call(calls[number], [*tools, *moves])\n\n"
            "    def hands_over(number):\n"
            "        return calls[number]['function']['name'] in names\n\n"
            "    others = [n for n in range(len(calls)) if not hands_over(n)]\n"
            "    await asyncio.gather(*map(run, others))\n"
            "    made = None\n"
            "    for number in filter(hands_over, range(len(calls))):\n"
            "        if made is not None:\n"
            "            went = calls[made]['function']['name'].removeprefix('transfer_to_')\n"
            "            answers[number] = refused(calls[number], f'it is with {went} now')\n"
            "            continue\n"
            "        await run(number)\n"
            "        made = None if failed(answers[number]) else number\n"
            "    return answers, None if made is None else calls[made]\n",
        ),
        (
            "keeps answers by id in a task group",
            "import asyncio\n\n\n"
            "async def carry_out(calls, tools, moves):\n"
            "    moves = {move.name: move for move in moves}\n"
            "    tools = tuple(tools)\n"
            "    tasks, answers, winner = {}, {}, None\n"
            "    async with asyncio.TaskGroup() as group:\n"
            "        for call in calls:\n"
            "            if call['function']['name'] not in moves:\n"
            "                work = answer_call(call, tools)\n"
            "                tasks[call['id']] = group.create_task(work)\n"
            "    for call in calls:\n"
            "        name, ident = call['function']['name'], call['id']\n"
            "        if ident in tasks:\n"
            "            answers[ident] = tasks[ident].result()\n"
            "        elif winner is None:\n"
            "            answers[ident] = await answer_call(call, [moves[name]])\n"
            "            if not failed(answers[ident]):\n"
            "                winner = call\n"
            "        else:\n"
            "            said = lowered(answers[winner['id']]['content'])\n"
            "            answers[ident] = refused(call, f'no: {said}')\n"
            "    return [answers[call['id']] for call in calls], winner\n",
        ),
        (
            "splits first and sorts afterwards",
            "async def carry_out(calls, tools, moves):\n"
            "    names = [move.name for move in moves]\n"
            "    plain = [c for c in calls if c['function']['name'] not in names]\n"
            "    handing = [c for c in calls if c['function']['name'] in names]\n"
            "    answers = list(await answer_calls(plain, tools))\n"
            "    made = None\n"
            "    while handing and made is None:\n"
            "        call = handing.pop(0)\n"
            "        answers.append(await answer_call(call, moves))\n"
            "        made = None if failed(answers[-1]) else call\n"
            "    for call in handing:\n"
            "        answers.append(refused(call, f\"after {made['function']['name']}\"))\n"
            "    order = [call['id'] for call in calls]\n"
            "    return sorted(answers, key=lambda a: order.index(a['tool_call_id'])), made\n",
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
    ],
    "3.4": [
        (
            "makes a text",
            "import json\n\n\n"
            "def repeats(seen, agent, calls, state, moves=()):\n"
            "    key = agent + json.dumps(state, sort_keys=True, default=str)\n"
            "    for call in calls:\n"
            "        name = call['function']['name']\n"
            "        key += '|' + name\n"
            "        if name not in moves:\n"
            "            key += call['function']['arguments']\n"
            "    seen[key] += 1\n"
            "    return seen[key]\n",
        ),
        (
            "makes a tuple",
            "def repeats(seen, agent, calls, state, moves=()):\n"
            "    functions = [call['function'] for call in calls]\n"
            "    asked = tuple(\n"
            "        (f['name'], None if f['name'] in moves else f['arguments'])\n"
            "        for f in functions\n"
            "    )\n"
            "    key = (agent, asked, repr(sorted(state.items())))\n"
            "    seen.update([key])\n"
            "    return seen[key]\n",
        ),
        (
            "reads the arguments",
            "import json\n\n\n"
            "def repeats(seen, agent, calls, state, moves=()):\n"
            "    def one(call):\n"
            "        name = call['function']['name']\n"
            "        if name in moves:\n"
            "            return [name]\n"
            "        return [name, json.loads(call['function']['arguments'] or '{}')]\n\n"
            "    key = json.dumps([agent, [one(c) for c in calls], state], sort_keys=True)\n"
            "    times = seen.get(key, 0) + 1\n"
            "    seen[key] = times\n"
            "    return times\n",
        ),
    ],
    "3.5": [
        (
            "compares slices of a text",
            "def circle(trace):\n"
            "    moves = [\n"
            "        s.attributes for s in trace.spans\n"
            "        if s.operation == 'handoff'\n"
            "        and s.attributes['switchboard.handoff.kind'] not in ('consult', 'return')\n"
            "    ]\n"
            "    if not moves:\n"
            "        return ()\n"
            "    path = [moves[0]['switchboard.handoff.from']]\n"
            "    path += [m['switchboard.handoff.to'] for m in moves]\n"
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
    ],
}
