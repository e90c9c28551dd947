# ruff: noqa: E501 (whole answers)
"""Wrong answers to the exercises of chapter 01: what a student may well write.

Each entry is (name, source of the solution cell). Every one must lose exactly its exercise.
`RIGHT` are answers in other styles than the solution's; every one must pass.
"""

from __future__ import annotations

from course.agent import answer_calls
from course.chat import join_deltas
from course.tools import describe
from tests.grading.changing import changed

CALL = """\
async def answer_call(call: Mapping[str, Any], tools: Iterable[Tool]) -> Message:
    name, arguments = call["function"]["name"], call["function"]["arguments"]
    attributes = {
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": call["id"],
        "gen_ai.tool.call.arguments": arguments,
    }
    with span("execute_tool", name, attributes) as step:
        try:
            named = by_name(tools)
            if name not in named:
                known = ", ".join(named) or "none"
                raise ToolError(f"there is no tool '{name}'; the tools are: {known}")
            content = await call_tool(named[name], arguments)
        except ToolError as error:
            step.fail(str(error), kind="ToolError")
            content = to_json({"error": str(error)}).decode()
        step.set("gen_ai.tool.call.result", content)
    return {"role": "tool", "tool_call_id": call["id"], "content": content}
"""
"""Exercise 1.2 without `tool_message`, in plain dictionaries."""

LOOP = """\
async def loop(
    agent: Agent,
    context: Context,
    *,
    client: AsyncOpenAI,
    on_text: Callable[[str], None] | None = None,
) -> tuple[Context, Usage, Stop | None]:
    usage, turns, begin = Usage(), 0, clock.now()
    while True:
        seconds = clock.now() - begin
        stop = reached(agent.limits, turns=turns, tokens=usage.total, seconds=seconds)
        if stop:
            return context, usage, stop
        try:
            answer = await ask(agent, context, client=client, on_text=on_text)
        except ModelError as error:
            error.context = context
            raise
        turns += 1
        usage += answer.usage
        context = context.add(answer.message)
        calls = answer.message.get("tool_calls")
        if not calls:
            return context, usage, cut_off(answer)
        context = context.add(*await answer_calls(calls, agent.tools))
"""
"""Chapter 01's own loop, as its exercise 1.4 asks for it."""

WRONG = {
    "1.1": [
        (
            "keeps pydantic's titles",
            changed(
                describe,
                "json_schema(arguments_model(function))",
                "arguments_model(function).model_json_schema()",
            ),
        ),
        ("describes without a docstring", changed(describe, "if not description:", "if False:")),
        (
            "forgets what is required",
            changed(
                describe,
                "    return {",
                '    schema["required"] = list(schema["properties"])\n    return {',
            ),
        ),
        (
            "keeps the first line only",
            changed(
                describe, '"description": description', '"description": description.split("\\n")[0]'
            ),
        ),
        (
            "hard-codes the example",
            "def describe(function):\n"
            "    if not function.__doc__:\n"
            '        raise ToolDefinitionError("no docstring")\n'
            '    return by_hand["function"]\n',
        ),
        (
            "says nothing",
            "def describe(function):\n"
            "    if not function.__doc__:\n"
            '        raise ToolDefinitionError("no docstring")\n'
            "    arguments_model(function)\n"
            "    return {}\n",
        ),
        (
            "writes the name large",
            changed(describe, '"name": function.__name__', '"name": function.__name__.title()'),
        ),
        (
            "takes what has no type for text",
            changed(
                describe,
                "    schema = ",
                "    for each in inspect.signature(function).parameters:\n"
                "        function.__annotations__.setdefault(each, str)\n"
                "    schema = ",
            ),
        ),
        (
            "takes what it does not know for text",
            changed(
                describe,
                "    schema = ",
                "    for each, kind in function.__annotations__.items():\n"
                "        if isinstance(kind, type) and kind not in (str, int, float, bool):\n"
                "            function.__annotations__[each] = str\n"
                "    schema = ",
            ),
        ),
    ],
    "1.2": [
        ("lets a tool's error out", changed(CALL, "except ToolError", "except ValueError")),
        (
            "does not name the tools there are",
            changed(CALL, "; the tools are: {known}", ""),
        ),
        (
            "answers under another id",
            changed(CALL, '"tool_call_id": call["id"]', '"tool_call_id": "call_1"'),
        ),
        (
            "swallows the reason",
            changed(CALL, 'to_json({"error": str(error)})', 'to_json({"error": "failed"})'),
        ),
        (
            "answers in the user's name",
            changed(CALL, 'return {"role": "tool"', 'return {"role": "user"'),
        ),
        (
            "gives the error as plain text",
            changed(CALL, 'to_json({"error": str(error)}).decode()', "str(error)"),
        ),
        (
            "records the call as something else",
            changed(CALL, 'span("execute_tool"', 'span("answer"'),
        ),
        (
            "hides a failure from the trace",
            changed(CALL, 'step.fail(str(error), kind="ToolError")', "pass"),
        ),
        (
            "leaves the result out of the trace",
            changed(CALL, '        step.set("gen_ai.tool.call.result", content)\n', ""),
        ),
        (
            "records whose call it was, but not with what",
            changed(CALL, '        "gen_ai.tool.call.arguments": arguments,\n', ""),
        ),
        (
            "closes the span before the call",
            changed(
                CALL,
                "attributes) as step:\n        try:",
                "attributes) as step:\n        pass\n    if True:\n        try:",
            ),
        ),
        (
            "says more than the result",
            changed(
                CALL,
                "content = await call_tool(named[name], arguments)",
                "content = f'{name} says: ' + await call_tool(named[name], arguments)",
            ).replace('call.result", content', 'call.result", content.split(": ", 1)[-1]'),
        ),
        (
            "lets an unknown name out as a KeyError",
            changed(CALL, "            if name not in named:\n", "            if False:\n"),
        ),
        (
            "lets bad arguments out",
            changed(
                CALL,
                "            content = await call_tool(",
                "            json.loads(arguments)\n            content = await call_tool(",
            ),
        ),
        (
            "lets a failing tool out",
            changed(
                CALL,
                "        except ToolError as error:\n",
                "        except ToolError as error:\n"
                "            if name in named and 'the arguments' not in str(error):\n"
                "                raise\n",
            ),
        ),
        (
            "puts the error beside the content",
            changed(
                CALL,
                'content = to_json({"error": str(error)}).decode()',
                'return dict(role="tool", tool_call_id=call["id"], content="", why=str(error))',
            ),
        ),
        (
            "records what succeeded only",
            "async def answer_call(call, tools):\n"
            "    tools = list(tools)\n"
            "    name, arguments = call['function']['name'], call['function']['arguments']\n"
            "    said = {'role': 'tool', 'tool_call_id': call['id']}\n"
            "    try:\n"
            "        if name not in by_name(tools):\n"
            "            raise ToolError(f\"no {name}; there are {', '.join(by_name(tools))}\")\n"
            "        content = await call_tool(by_name(tools)[name], arguments)\n"
            "    except ToolError as error:\n"
            "        return said | {'content': json.dumps({'error': str(error)})}\n"
            "    attributes = {\n"
            "        'gen_ai.tool.name': name,\n"
            "        'gen_ai.tool.call.id': call['id'],\n"
            "        'gen_ai.tool.call.arguments': arguments,\n"
            "        'gen_ai.tool.call.result': content,\n"
            "    }\n"
            "    with span('execute_tool', name, attributes):\n"
            "        return said | {'content': content}\n",
        ),
        (
            "leaves the name out",
            changed(CALL, '        "gen_ai.tool.name": name,\n', ""),
        ),
        (
            "leaves the id out",
            changed(CALL, '        "gen_ai.tool.call.id": call["id"],\n', ""),
        ),
        (
            "marks a failure without its words",
            changed(CALL, "step.fail(str(error), ", 'step.fail("it failed", '),
        ),
        (
            "records the call twice",
            changed(
                CALL,
                '    with span("execute_tool", name, attributes) as step:\n',
                '    with span("execute_tool", name, attributes):\n'
                "        pass\n"
                '    with span("execute_tool", name, attributes) as step:\n',
            ),
        ),
        (
            "puts the error into a list",
            changed(CALL, '{"error": str(error)}', '{"error": [str(error)]}'),
        ),
    ],
    "1.3": [
        (
            "one after the other",
            "async def answer_calls(calls, tools):\n"
            "    tools = tuple(tools)\n"
            "    return [await answer_call(call, tools) for call in calls]\n",
        ),
        (
            "in the order in which they finish",
            "async def answer_calls(calls, tools):\n"
            "    pending = [answer_call(call, tools) for call in calls]\n"
            "    return [await done for done in asyncio.as_completed(pending)]\n",
        ),
        (
            "drops the calls that failed",
            changed(
                answer_calls,
                "    return await asyncio.gather(*(answer_call(call, tools) for call in calls))",
                "    answers = await asyncio.gather(*(answer_call(c, tools) for c in calls))\n"
                '    return [a for a in answers if "error" not in a["content"]]',
            ),
        ),
        (
            "answers the first call only",
            "async def answer_calls(calls, tools):\n"
            "    return [await answer_call(call, tools) for call in calls[:1]]\n",
        ),
        (
            "reads an iterator of tools for every call",
            "async def answer_calls(calls, tools):\n"
            "    return await asyncio.gather(*(answer_call(call, tools) for call in calls))\n",
        ),
        (
            "makes two equal calls once",
            "async def answer_calls(calls, tools):\n"
            "    tools, calls = tuple(tools), list(calls)\n"
            "    once = {str(call['function']): call for call in calls}\n"
            "    said = await asyncio.gather(*(answer_call(c, tools) for c in once.values()))\n"
            "    by_call = dict(zip(once, said, strict=True))\n"
            "    return [by_call[str(c['function'])] | {'tool_call_id': c['id']} for c in calls]\n",
        ),
        (
            "refuses to answer no calls",
            "async def answer_calls(calls, tools):\n"
            "    tools, calls = tuple(tools), list(calls)\n"
            "    async def first():\n"
            "        return await answer_call(calls[0], tools)\n"
            "    others = (answer_call(call, tools) for call in calls[1:])\n"
            "    return await asyncio.gather(first(), *others)\n",
        ),
        (
            "one failure is everybody's",
            "async def answer_calls(calls, tools):\n"
            "    tools = tuple(tools)\n"
            "    said = await asyncio.gather(*(answer_call(call, tools) for call in calls))\n"
            "    wrong = [each['content'] for each in said if each['content'].startswith('{')]\n"
            "    return [each | {'content': (*wrong, each['content'])[0]} for each in said]\n",
        ),
        (
            "ten at a time",
            "async def answer_calls(calls, tools):\n"
            "    tools, places = tuple(tools), asyncio.Semaphore(10)\n"
            "\n"
            "    async def answer(call):\n"
            "        async with places:\n"
            "            return await answer_call(call, tools)\n"
            "\n"
            "    return await asyncio.gather(*map(answer, calls))\n",
        ),
    ],
    "1.4": [
        ("has no cap", changed(LOOP, "        if stop:\n", "        if False:\n")),
        ("never counts the turns", changed(LOOP, "        turns += 1\n", "")),
        (
            "one turn too many",
            changed(LOOP, "turns=turns, tokens", "turns=turns - 1, tokens"),
        ),
        (
            "counts the last call's tokens only",
            changed(LOOP, "usage += answer.usage", "usage = answer.usage"),
        ),
        (
            "forgets the tools' results",
            changed(
                LOOP,
                "context = context.add(*await answer_calls(calls, agent.tools))",
                "await answer_calls(calls, agent.tools)",
            ),
        ),
        (
            "loses the conversation with the model",
            changed(LOOP, "            error.context = context\n", ""),
        ),
        ("sells a cut-off answer as whole", changed(LOOP, "cut_off(answer)", "None")),
        (
            "ignores the clock",
            changed(LOOP, "seconds=seconds)", "seconds=0.0)"),
        ),
        (
            "one tool call at a time",
            changed(
                LOOP,
                "context.add(*await answer_calls(calls, agent.tools))",
                "context.add(*[(await answer_calls([each], agent.tools))[0] for each in calls])",
            ),
        ),
        ("passes no on_text on", changed(LOOP, ", on_text=on_text", "")),
        (
            "says None when it was stopped",
            changed(
                LOOP,
                "            return context, usage, stop\n",
                "            return context, usage, None\n",
            ),
        ),
        (
            "says that it was done",
            changed(LOOP, "usage, cut_off(answer)", 'usage, cut_off(answer) or Stop("done", 0, 0)'),
        ),
        (
            "hides that the model is gone",
            changed(
                LOOP,
                "            error.context = context\n            raise\n",
                "            return context, usage, None\n",
            ),
        ),
        (
            "keeps to the usual limits",
            changed(LOOP, "reached(agent.limits", "reached(Limits()"),
        ),
        (
            "looks at the clock only",
            changed(LOOP, "turns=turns, tokens=usage.total", "turns=0, tokens=0"),
        ),
        (
            "drops what is said beside a call",
            changed(
                LOOP,
                "context = context.add(answer.message)",
                """said = dict(answer.message)
        if said.get("tool_calls"):
            said["content"] = None
        context = context.add(said)""",
            ),
        ),
    ],
    "1.5": [
        (
            "takes every piece for a new call",
            changed(join_deltas, "piece.index, tool_call", "len(calls), tool_call"),
        ),
        (
            "keeps the last piece of the arguments",
            changed(join_deltas, '["arguments"] +=', '["arguments"] ='),
        ),
        (
            "hands the text over at the end",
            changed(join_deltas, "                on_text(said)\n", "").replace(
                "    message = assistant_message",
                "    on_text(text)\n    message = assistant_message",
            ),
        ),
        (
            "forgets the usage",
            changed(join_deltas, "        if chunk.usage:", "        if False:"),
        ),
        (
            "loses the finish reason",
            changed(join_deltas, "Answer(message, usage, reason)", "Answer(message, usage)"),
        ),
        (
            "takes half an answer for a whole one",
            changed(join_deltas, "if reason is None:", "if False:"),
        ),
        (
            "only knows text",
            changed(join_deltas, "[calls[index] for index in sorted(calls)]", "[]"),
        ),
        (
            "goes by the last call where a piece has no id",
            changed(
                join_deltas,
                "calls.setdefault(piece.index, ",
                "calls.setdefault(piece.index if piece.id else list(calls)[-1], ",
            ),
        ),
        (
            "takes an answer whose usage came for a whole one",
            changed(join_deltas, "if reason is None:", "if usage == Usage():"),
        ),
    ],
}

RIGHT = {
    "1.1": [
        (
            "an object that is called",
            "class Describer:\n"
            "    def __call__(self, function):\n"
            "        if (said := inspect.getdoc(function)) is None or not said.strip():\n"
            '            raise ToolDefinitionError("nothing says what it is for")\n'
            "        return dict(\n"
            "            parameters=json_schema(arguments_model(function)),\n"
            "            description=said,\n"
            "            name=function.__name__,\n"
            "        )\n\n\n"
            "describe = Describer()\n",
        ),
        (
            "takes the titles away itself, by recursion",
            "def untitled(schema, names=False):\n"
            "    match schema:\n"
            "        case dict():\n"
            "            kept = schema.items() if names else (\n"
            '                (key, value) for key, value in schema.items() if key != "title"\n'
            "            )\n"
            "            return {\n"
            '                key: untitled(value, key == "properties" and not names)\n'
            "                for key, value in kept\n"
            "            }\n"
            "        case list():\n"
            "            return [untitled(each) for each in schema]\n"
            "    return schema\n\n\n"
            "def describe(function):\n"
            "    try:\n"
            "        words = inspect.cleandoc(function.__doc__)\n"
            "    except AttributeError:\n"
            '        raise ToolDefinitionError(f"{function.__name__}: no docstring") from None\n'
            "    parameters = untitled(arguments_model(function).model_json_schema(by_alias=True))\n"
            '    return {"name": function.__name__, "description": words, "parameters": parameters}\n',
        ),
        (
            "an error of its own kind",
            "class Undocumented(ToolDefinitionError):\n"
            '    """There is no docstring."""\n\n\n'
            "def docstring_of(function):\n"
            "    match inspect.getdoc(function):\n"
            "        case str(words) if words:\n"
            "            return words\n"
            "        case _:\n"
            "            raise Undocumented(function.__name__)\n\n\n"
            "def describe(function):\n"
            "    def parts():\n"
            '        yield "name", function.__name__\n'
            '        yield "description", docstring_of(function)\n'
            '        yield "parameters", json_schema(arguments_model(function))\n\n'
            "    return dict(parts())\n",
        ),
        (
            "takes the docstring as it stands in the code",
            "def describe(function):\n"
            "    if not (written := function.__doc__):\n"
            '        raise ToolDefinitionError(f"{function.__name__} has no docstring")\n'
            "    parameters = json_schema(arguments_model(function))\n"
            "    return dict(name=function.__name__, description=written, parameters=parameters)\n",
        ),
    ],
    "1.2": [
        (
            "match, and a function for each part",
            "async def said_by(named, name, arguments):\n"
            "    match named.get(name):\n"
            "        case None:\n"
            '            raise ToolError(f"no {name!r}; try one of {sorted(named)}")\n'
            "        case found:\n"
            "            return await call_tool(found, arguments)\n\n\n"
            "async def answer_call(call, tools):\n"
            "    match call:\n"
            '        case {"id": ident, "function": {"name": name, "arguments": arguments}}:\n'
            "            pass\n"
            "    told = dict(zip(('name', 'call.id', 'call.arguments'), (name, ident, arguments)))\n"
            "    about = {f'gen_ai.tool.{key}': value for key, value in told.items()}\n"
            "    with span('execute_tool', name, about) as step:\n"
            "        try:\n"
            "            text = await said_by({each.name: each for each in tools}, name, arguments)\n"
            "        except ToolError as trouble:\n"
            "            step.fail(f'{trouble}')\n"
            "            text = json.dumps({'error': f'{trouble}'}, indent=2)\n"
            "        else:\n"
            "            step.set('gen_ai.tool.call.result', text)\n"
            "    return dict(role='tool', content=text, tool_call_id=ident)\n",
        ),
        (
            "an object that carries the call",
            "@dataclass\n"
            "class Answering:\n"
            "    call: dict\n"
            "    tools: list\n\n"
            "    @property\n"
            "    def name(self):\n"
            "        return self.call['function']['name']\n\n"
            "    def tool(self):\n"
            "        for each in self.tools:\n"
            "            if each.name == self.name:\n"
            "                return each\n"
            "        known = ' and '.join(each.name for each in self.tools)\n"
            "        raise ToolError(f'{self.name} is not among {known}')\n\n"
            "    async def content(self, step):\n"
            "        try:\n"
            "            said = await call_tool(self.tool(), self.call['function']['arguments'])\n"
            "            step.set('gen_ai.tool.call.result', said)\n"
            "            return said\n"
            "        except ToolError as error:\n"
            "            step.fail(str(error), kind='ToolError')\n"
            "            return json.dumps({'error': str(error)})\n\n\n"
            "async def answer_call(call, tools):\n"
            "    answering = Answering(call, list(tools))\n"
            "    with span('execute_tool', answering.name) as step:\n"
            "        step.set('gen_ai.tool.name', answering.name)\n"
            "        step.set('gen_ai.tool.call.id', call['id'])\n"
            "        step.set('gen_ai.tool.call.arguments', call['function']['arguments'])\n"
            "        content = await answering.content(step)\n"
            "    return {'role': 'tool', 'tool_call_id': call['id'], 'content': content}\n",
        ),
        (
            "in a task of its own, by a chain of ifs",
            "async def answer_call(call, tools):\n"
            "    wanted, ident = call['function'], call['id']\n"
            "    tools = tuple(tools)\n"
            "    step_of = lambda: span('execute_tool', wanted['name'], {\n"
            "        'gen_ai.tool.name': wanted['name'],\n"
            "        'gen_ai.tool.call.id': ident,\n"
            "        'gen_ai.tool.call.arguments': wanted['arguments'],\n"
            "    })\n"
            "    with step_of() as step:\n"
            "        found = [each for each in tools if each.name == wanted['name']]\n"
            "        result = error = None\n"
            "        if not found:\n"
            "            error = 'unknown ' + wanted['name'] + ': ' + repr([t.name for t in tools])\n"
            "        else:\n"
            "            task = asyncio.create_task(call_tool(found[0], wanted['arguments']))\n"
            "            [outcome] = await asyncio.gather(task, return_exceptions=True)\n"
            "            if isinstance(outcome, ToolError):\n"
            "                error = str(outcome)\n"
            "            elif isinstance(outcome, BaseException):\n"
            "                raise outcome\n"
            "            else:\n"
            "                result = outcome\n"
            "        if error is not None:\n"
            "            step.fail(error)\n"
            "            result = json.dumps(dict(error=error))\n"
            "        step.set('gen_ai.tool.call.result', result)\n"
            "    return {'tool_call_id': ident, 'role': 'tool', 'content': result}\n",
        ),
    ],
    "1.3": [
        (
            "a task group",
            "async def answer_calls(calls, tools):\n"
            "    tools = [*tools]\n"
            "    async with asyncio.TaskGroup() as group:\n"
            "        tasks = [group.create_task(answer_call(each, tools)) for each in calls]\n"
            "    return [task.result() for task in tasks]\n",
        ),
        (
            "as they finish, put back by id",
            "async def answer_calls(calls, tools):\n"
            "    calls, tools = list(calls), list(tools)\n"
            "    pending = [answer_call(call, tools) for call in calls]\n"
            "    answers = {}\n"
            "    for each in asyncio.as_completed(pending):\n"
            "        answers |= {(message := await each)['tool_call_id']: message}\n"
            "    return [answers[call['id']] for call in calls]\n",
        ),
        (
            "threads, each with a loop of its own",
            "from concurrent.futures import ThreadPoolExecutor\n\n\n"
            "async def answer_calls(calls, tools):\n"
            "    calls, tools = tuple(calls), tuple(tools)\n"
            "    if not calls:\n"
            "        return ()\n"
            "    loop = asyncio.get_running_loop()\n\n"
            "    def in_thread(call):\n"
            "        return asyncio.run_coroutine_threadsafe(answer_call(call, tools), loop).result()\n\n"
            "    with ThreadPoolExecutor(len(calls)) as pool:\n"
            "        jobs = [loop.run_in_executor(pool, in_thread, call) for call in calls]\n"
            "        return tuple([await job for job in jobs])\n",
        ),
        (
            "by recursion",
            "async def answer_calls(calls, tools):\n"
            "    tools = tuple(tools)\n\n"
            "    async def both(some):\n"
            "        match some:\n"
            "            case []:\n"
            "                return []\n"
            "            case [only]:\n"
            "                return [await answer_call(only, tools)]\n"
            "        half = len(some) // 2\n"
            "        left, right = await asyncio.gather(both(some[:half]), both(some[half:]))\n"
            "        return left + right\n\n"
            "    return await both(list(calls))\n",
        ),
    ],
    "1.4": [
        (
            "by recursion",
            "async def loop(agent, context, *, client, on_text=None):\n"
            "    begin = clock.now()\n\n"
            "    async def go_on(context, usage, turn):\n"
            "        spent = dict(turns=turn, tokens=usage.total, seconds=clock.now() - begin)\n"
            "        if (stop := reached(agent.limits, **spent)) is not None:\n"
            "            return context, usage, stop\n"
            "        try:\n"
            "            answer = await ask(\n"
            "                agent, context, client=client, on_text=on_text\n"
            "            )\n"
            "        except ModelError as error:\n"
            "            error.context = context\n"
            "            raise error\n"
            "        context, usage = context.add(answer.message), usage + answer.usage\n"
            "        match answer.message:\n"
            "            case {'tool_calls': [_, *_] as calls}:\n"
            "                answers = await answer_calls(calls, agent.tools)\n"
            "                return await go_on(context.add(*answers), usage, turn + 1)\n"
            "        return context, usage, cut_off(answer)\n\n"
            "    return await go_on(context, Usage(), 0)\n",
        ),
        (
            "an object with a state",
            "@dataclass\n"
            "class Run:\n"
            "    agent: Agent\n"
            "    context: Context\n"
            "    usage: Usage = Usage()\n"
            "    turns: int = 0\n\n"
            "    def __post_init__(self):\n"
            "        self.begin = clock.now()\n\n"
            "    def stop(self):\n"
            "        return reached(\n"
            "            self.agent.limits,\n"
            "            turns=self.turns,\n"
            "            tokens=self.usage.total,\n"
            "            seconds=clock.now() - self.begin,\n"
            "        )\n\n"
            "    async def turn(self, **how):\n"
            "        self.turns += 1\n"
            "        try:\n"
            "            answer = await ask(self.agent, self.context, **how)\n"
            "        except ModelError as error:\n"
            "            error.context = self.context\n"
            "            raise\n"
            "        self.usage = self.usage + answer.usage\n"
            "        self.context = self.context.add(answer.message)\n"
            "        return answer\n\n\n"
            "async def loop(agent, context, *, client, **how):\n"
            "    run = Run(agent, context)\n"
            "    while not (stop := run.stop()):\n"
            "        answer = await run.turn(client=client, **how)\n"
            "        if not answer.message.get('tool_calls'):\n"
            "            stop = cut_off(answer)\n"
            "            break\n"
            "        said = await answer_calls(answer.message['tool_calls'], agent.tools)\n"
            "        run.context = run.context.add(*said)\n"
            "    return run.context, run.usage, stop\n",
        ),
        (
            "turns as a stream, tools in a task group",
            "import contextlib\n"
            "import itertools\n\n\n"
            "async def turns_of(agent, state, **how):\n"
            "    begin = clock.now()\n"
            "    for turn in itertools.count():\n"
            "        gone = clock.now() - begin\n"
            "        state['stop'] = reached(\n"
            "            agent.limits, turns=turn, tokens=state['usage'].total, seconds=gone\n"
            "        )\n"
            "        if state['stop']:\n"
            "            return\n"
            "        answer = await ask(agent, state['context'], **how)\n"
            "        state['usage'] += answer.usage\n"
            "        state['context'] = state['context'].add(answer.message)\n"
            "        yield answer\n\n\n"
            "async def loop(agent, context, *, client, on_text=None):\n"
            "    state = {'usage': Usage(), 'context': context, 'stop': None}\n"
            "    how = {'client': client, 'on_text': on_text}\n"
            "    try:\n"
            "        async with contextlib.aclosing(turns_of(agent, state, **how)) as turns:\n"
            "            async for answer in turns:\n"
            "                calls = answer.message.get('tool_calls') or []\n"
            "                if not calls:\n"
            "                    state['stop'] = cut_off(answer)\n"
            "                    break\n"
            "                async with asyncio.TaskGroup() as group:\n"
            "                    tasks = [\n"
            "                        group.create_task(answer_call(call, agent.tools))\n"
            "                        for call in calls\n"
            "                    ]\n"
            "                answers = [task.result() for task in tasks]\n"
            "                state['context'] = state['context'].add(*answers)\n"
            "    except ModelError as error:\n"
            "        error.context = state['context']\n"
            "        raise\n"
            "    return state['context'], state['usage'], state['stop']\n",
        ),
        (
            "a dataclass that looks at the clock when it is made",
            "from dataclasses import field\n"
            "\n"
            "\n"
            "@dataclass\n"
            "class Tally:\n"
            "    begin: float = field(default_factory=clock.now)\n"
            "    turns: int = 0\n"
            "    usage: Usage = Usage()\n"
            "\n"
            "    def stop(self, limits):\n"
            "        seconds = clock.now() - self.begin\n"
            "        return reached(limits, turns=self.turns, tokens=self.usage.total, seconds=seconds)\n"
            "\n"
            "\n"
            "async def loop(agent, context, *, client, on_text=None):\n"
            "    tally = Tally()\n"
            "    while (stop := tally.stop(agent.limits)) is None:\n"
            "        try:\n"
            "            answer = await ask(agent, context, client=client, on_text=on_text)\n"
            "        except ModelError as broken:\n"
            "            broken.context = context\n"
            "            raise\n"
            "        tally.turns, tally.usage = tally.turns + 1, tally.usage + answer.usage\n"
            "        context = context.add(answer.message)\n"
            '        calls = answer.message.get("tool_calls")\n'
            "        if not calls:\n"
            "            stop = cut_off(answer)\n"
            "            break\n"
            "        context = context.add(*await answer_calls(calls, agent.tools))\n"
            "    return context, tally.usage, stop\n",
        ),
    ],
    "1.5": [
        (
            "an object that hears the pieces",
            "class Joiner:\n"
            "    def __init__(self, on_text):\n"
            "        self.on_text, self.text, self.calls = on_text, [], {}\n"
            "        self.usage, self.reason = Usage(), None\n\n"
            "    def hear(self, chunk):\n"
            "        self.usage = Usage.of(chunk.usage) if chunk.usage else self.usage\n"
            "        for choice in chunk.choices[:1]:\n"
            "            self.reason = choice.finish_reason or self.reason\n"
            "            if choice.delta.content:\n"
            "                self.text.append(choice.delta.content)\n"
            "                self.on_text(choice.delta.content)\n"
            "            for piece in choice.delta.tool_calls or []:\n"
            "                id_, name, args = self.calls.get(piece.index, ('', '', ''))\n"
            "                self.calls[piece.index] = (\n"
            "                    piece.id or id_,\n"
            "                    (piece.function.name or name),\n"
            "                    args + (piece.function.arguments or ''),\n"
            "                )\n\n"
            "    def answer(self):\n"
            "        if not self.reason:\n"
            "            raise ModelError('it broke off')\n"
            "        calls = [tool_call(*self.calls[n]) for n in sorted(self.calls)]\n"
            "        message = assistant_message(''.join(self.text), calls)\n"
            "        return Answer(message, self.usage, self.reason)\n\n\n"
            "async def join_deltas(chunks, on_text):\n"
            "    joiner = Joiner(on_text)\n"
            "    async for chunk in chunks:\n"
            "        joiner.hear(chunk)\n"
            "    return joiner.answer()\n",
        ),
        (
            "collects first, joins by grouping",
            "from collections import defaultdict\n\n\n"
            "async def join_deltas(chunks, on_text):\n"
            "    kept, shreds = [], defaultdict(list)\n"
            "    async for chunk in chunks:\n"
            "        kept.append(chunk)\n"
            "        for delta in (choice.delta for choice in chunk.choices):\n"
            "            delta.content and on_text(delta.content)\n"
            "            for piece in delta.tool_calls or ():\n"
            "                shreds[piece.index].append(piece)\n"
            "    choices = [choice for chunk in kept for choice in chunk.choices]\n"
            "    reasons = [each.finish_reason for each in choices if each.finish_reason]\n"
            "    if not reasons:\n"
            "        raise ModelError('no piece says why it ended')\n"
            "    text = ''.join(each.delta.content or '' for each in choices)\n"
            "    usage = sum((Usage.of(each.usage) for each in kept), Usage())\n"
            "    calls = [\n"
            "        tool_call(\n"
            "            next(p.id for p in some if p.id),\n"
            "            ''.join(p.function.name or '' for p in some if p.function),\n"
            "            ''.join(p.function.arguments or '' for p in some if p.function),\n"
            "        )\n"
            "        for _, some in sorted(shreds.items())\n"
            "    ]\n"
            "    return Answer(assistant_message(text, calls), usage, reasons[-1])\n",
        ),
        (
            "match, and a response that `read` reads",
            "from openai.types.chat import ChatCompletion\n\n\n"
            "async def join_deltas(chunks, on_text):\n"
            "    text, calls, usage, reason = '', {}, None, None\n"
            "    async for chunk in chunks:\n"
            "        match chunk.choices:\n"
            "            case []:\n"
            "                usage = chunk.usage\n"
            "            case [choice, *_]:\n"
            "                reason = reason or choice.finish_reason\n"
            "                if said := choice.delta.content:\n"
            "                    on_text(said)\n"
            "                    text += said\n"
            "                for piece in choice.delta.tool_calls or []:\n"
            "                    new = {'id': piece.id, 'type': 'function'}\n"
            "                    new['function'] = {'name': piece.function.name, 'arguments': ''}\n"
            "                    call = calls.setdefault(piece.index, new)\n"
            "                    call['function']['arguments'] += piece.function.arguments or ''\n"
            "    if reason is None:\n"
            "        raise ModelError('half an answer')\n"
            "    message = {'role': 'assistant', 'content': text or None}\n"
            "    if calls:\n"
            "        message['tool_calls'] = [calls[index] for index in sorted(calls)]\n"
            "    whole = {\n"
            "        'id': 'x', 'object': 'chat.completion', 'created': 0, 'model': 'm', 'usage': usage,\n"
            "        'choices': [{'index': 0, 'finish_reason': reason, 'message': message}],\n"
            "    }\n"
            "    return read(ChatCompletion.model_validate(whole))\n",
        ),
    ],
}
