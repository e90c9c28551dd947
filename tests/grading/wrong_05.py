"""Wrong answers to the exercises of chapter 05: what a student may well write.

Each entry is (name, source of the solution cell). Every one must lose exactly its exercise.
`RIGHT` are answers in other styles than the solution's; every one must pass.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from course.delegation.completing import describe_completion, read_result
from course.delegation.dialogue import dialogue
from course.delegation.group import in_sequence
from course.delegation.history import merge
from course.delegation.leaking import leaks

COMPLETION = """from course.delegation.completing import COMPLETE
from course.tools import without_titles


"""
READING = """from course.delegation.completing import MISFIT
from course.errors import ToolError


"""
TALKING = """from course.delegation.dialogue import MAX_SILENCES, NUDGE


"""
SEQUENCE = """from collections import deque
from collections.abc import Iterable

from course.delegation.group import MAX_REGRESSIONS


"""


def _changed(definition: Callable[..., Any], old: str, new: str, *, head: str = "") -> str:
    """The finished definition with one thing changed, below its cell's imports."""
    source = inspect.getsource(definition)
    if source.count(old) != 1:
        raise ValueError(f"{definition.__name__} holds {source.count(old)} times: {old}")
    return head + source.replace(old, new)


WRONG = {
    "5.1": [
        (
            "keeps pydantic's titles",
            _changed(
                describe_completion,
                "without_titles(adapter(result_type).json_schema())",
                "adapter(result_type).json_schema()",
                head=COMPLETION,
            ),
        ),
        (
            "never wraps a plain type",
            _changed(
                describe_completion, "if not has_fields(result_type):", "if False:", head=COMPLETION
            ),
        ),
        (
            "wraps every type",
            _changed(
                describe_completion, "if not has_fields(result_type):", "if True:", head=COMPLETION
            ),
        ),
        (
            "leaves the definitions where nothing finds them",
            _changed(
                describe_completion,
                '{"$defs": schema.pop("$defs")} if "$defs" in schema else {}',
                "{}",
                head=COMPLETION,
            ),
        ),
        (
            "requires nothing",
            _changed(
                describe_completion,
                '            "required": ["result"],\n',
                "",
                head=COMPLETION,
            ),
        ),
        (
            "names the tool after the type",
            _changed(
                describe_completion,
                'return {"name": "complete"',
                'return {"name": getattr(result_type, "__name__", "result")',
                head=COMPLETION,
            ),
        ),
    ],
    "5.2": [
        (
            "lets pydantic's error out",
            _changed(
                read_result, "except ValidationError", "except ZeroDivisionError", head=READING
            ),
        ),
        (
            "says that it does not fit, and not where",
            _changed(
                read_result,
                'raise ToolError(MISFIT + "; ".join(problems))',
                "raise ToolError(MISFIT)",
                head=READING,
            ),
        ),
        (
            "names the first problem alone",
            _changed(read_result, '"; ".join(problems)', "problems[0]", head=READING),
        ),
        (
            "says why, and not which field",
            _changed(
                read_result,
                "f\"{field_of(each)}: {each['msg']}\"",
                "each['msg']",
                head=READING,
            ),
        ),
        (
            "gives the arguments back as they are",
            _changed(
                read_result,
                "return adapter(result_type)",
                'adapter(result_type).validate_python(arguments if fields else arguments["result"])'
                '\n        return dict(arguments) if fields else arguments["result"]'
                "\n        return adapter(result_type)",
                head=READING,
            ),
        ),
        (
            "takes a plain value from wherever it stands",
            READING + "def read_result(result_type, arguments):\n"
            "    fields = has_fields(result_type)\n"
            "    try:\n"
            "        return adapter(result_type).validate_python(\n"
            "            arguments if fields else next(iter(arguments.values()), None)\n"
            "        )\n"
            "    except ValidationError as error:\n"
            "        problems = [\n"
            "            f\"{'.'.join(map(str, each['loc'])) or 'result'}: {each['msg']}\"\n"
            "            for each in error.errors()\n"
            "        ]\n"
            '        raise ToolError("; ".join(problems)) from None\n',
        ),
    ],
    "5.3": [
        (
            "speaks once",
            TALKING + "async def dialogue(task, here):\n"
            "    words = await speak(here)\n"
            "    if not task.done():\n"
            "        await listen(here, words)\n",
        ),
        (
            "never looks at the limit",
            _changed(dialogue, "        if here.stop:", "        if False:", head=TALKING),
        ),
        (
            "listens to silence",
            TALKING + "async def dialogue(task, here):\n"
            "    while not task.done():\n"
            "        words = await speak(here)\n"
            "        if here.stop:\n"
            '            raise TaskFailed(task.name, "limit", str(here.stop), stop=here.stop)\n'
            "        if not task.done():\n"
            "            await listen(here, words)\n",
        ),
        (
            "does not tell the model that it was silent",
            _changed(
                dialogue,
                'here.context = here.context.add({"role": "system", "content": NUDGE})',
                "pass",
                head=TALKING,
            ),
        ),
        (
            "gives up at the first silence",
            _changed(dialogue, "if silences > MAX_SILENCES:", "if silences:", head=TALKING),
        ),
        (
            "never forgives a silence",
            _changed(dialogue, "            silences = 0\n", "", head=TALKING),
        ),
        (
            "swallows that the person is gone",
            _changed(
                dialogue,
                "            await listen(here, words)\n",
                "            try:\n                await listen(here, words)\n"
                "            except PersonLeft:\n                return\n",
                head=TALKING,
            ),
        ),
        (
            "takes a limit for the model's silence",
            _changed(
                dialogue,
                'raise TaskFailed(task.name, "limit", str(here.stop), stop=here.stop)',
                'raise TaskFailed(task.name, "silent", "it stopped")',
                head=TALKING,
            ),
        ),
    ],
    "5.4": [
        (
            "compares words instead of messages",
            "def merge(context, other, *, exclude_function_call=True):\n"
            "    new = [m for m in other.messages if m not in context.messages]\n"
            "    kept = Context(tuple(new)).copy(\n"
            "        exclude_instructions=True, exclude_tool_calls=exclude_function_call\n"
            "    )\n"
            "    return context.add(*kept.messages)\n",
        ),
        (
            "takes everything",
            "def merge(context, other, *, exclude_function_call=True):\n"
            "    kept = other.copy(\n"
            "        exclude_instructions=True, exclude_tool_calls=exclude_function_call\n"
            "    )\n"
            "    return context.add(*kept.messages)\n",
        ),
        (
            "takes the instructions along",
            _changed(merge, "exclude_instructions=True", "exclude_instructions=False"),
        ),
        (
            "always leaves out the calls",
            _changed(merge, "exclude_tool_calls=exclude_function_call", "exclude_tool_calls=True"),
        ),
        (
            "leaves the results of calls standing",
            "def merge(context, other, *, exclude_function_call=True):\n"
            "    known = {id(message) for message in context.messages}\n"
            "    new = [m for m in other.messages if id(m) not in known]\n"
            '    new = [m for m in new if m["role"] != "system"]\n'
            "    if exclude_function_call:\n"
            '        new = [m for m in new if not m.get("tool_calls")]\n'
            "    return context.add(*new)\n",
        ),
        (
            "loses words beside a call",
            "def merge(context, other, *, exclude_function_call=True):\n"
            "    known = {id(message) for message in context.messages}\n"
            "    new = [m for m in other.messages if id(m) not in known]\n"
            '    new = [m for m in new if m["role"] != "system"]\n'
            "    if exclude_function_call:\n"
            '        new = [m for m in new if m["role"] != "tool" and not m.get("tool_calls")]\n'
            "    return context.add(*new)\n",
        ),
        (
            "gives the task's context back",
            "def merge(context, other, *, exclude_function_call=True):\n"
            "    return other.copy(exclude_tool_calls=exclude_function_call)\n",
        ),
    ],
    "5.5": [
        (
            "a loop without a way back",
            SEQUENCE + "async def in_sequence(\n"
            "    ids, play, *, return_exceptions=False, max_regressions=MAX_REGRESSIONS\n"
            "):\n"
            "    results = {}\n"
            "    for id in ids:\n"
            "        try:\n"
            "            results[id] = await play(id)\n"
            "        except Exception as error:\n"
            "            if not return_exceptions:\n"
            "                raise\n"
            "            results[id] = error\n"
            "    return results\n",
        ),
        (
            "all at once",
            "import asyncio\n\n" + SEQUENCE + "async def in_sequence(\n"
            "    ids, play, *, return_exceptions=False, max_regressions=MAX_REGRESSIONS\n"
            "):\n"
            "    order = list(ids)\n"
            "    results = await asyncio.gather(\n"
            "        *map(play, order), return_exceptions=return_exceptions\n"
            "    )\n"
            "    return dict(zip(order, results))\n",
        ),
        (
            "forgets the step that was left",
            _changed(in_sequence, "[*change.task_ids, id]", "change.task_ids", head=SEQUENCE),
        ),
        (
            "goes back in the wrong order",
            _changed(
                in_sequence,
                "reversed([*change.task_ids, id])",
                "[id, *change.task_ids]",
                head=SEQUENCE,
            ),
        ),
        (
            "takes going back for a failure",
            _changed(
                in_sequence,
                "except OutOfScope as change:",
                "except KeyError as change:",
                head=SEQUENCE,
            ),
        ),
        (
            "swallows every exception",
            _changed(
                in_sequence,
                "            if not return_exceptions:\n                raise\n",
                "",
                head=SEQUENCE,
            ),
        ),
        (
            "goes back for ever",
            _changed(in_sequence, "if regressions > max_regressions:", "if False:", head=SEQUENCE),
        ),
        (
            "goes back once too often",
            _changed(
                in_sequence,
                "if regressions > max_regressions:",
                "if regressions > max_regressions + 1:",
                head=SEQUENCE,
            ),
        ),
        (
            "keeps the first result",
            _changed(
                in_sequence,
                "results[id] = await play(id)",
                "results.setdefault(id, await play(id))",
                head=SEQUENCE,
            ),
        ),
    ],
    "5.6": [
        (
            "takes a call's own words for a leak",
            _changed(
                leaks,
                'persons_words(task, "gen_ai.input.messages") - own',
                'persons_words(task, "gen_ai.input.messages")',
            ),
        ),
        (
            "stops at the task's parent",
            _changed(leaks, "        while call.parent_id:\n", "        if call.parent_id:\n"),
        ),
        (
            "looks at each call's first task alone",
            _changed(
                leaks,
                "        own = said.setdefault(call.name, set())\n",
                "        if call.name in said:\n"
                '            said[call.name] |= persons_words(task, "gen_ai.output.messages")\n'
                "            continue\n"
                "        own = said.setdefault(call.name, set())\n",
            ),
        ),
        ("names a leak again and again", _changed(leaks, "list(dict.fromkeys(found))", "found")),
        (
            "names them the wrong way round",
            _changed(leaks, "[(call.name, other) for other", "[(other, call.name) for other"),
        ),
        ("finds nothing", "def leaks(trace):\n    return []\n"),
        (
            "compares both ways",
            "def leaks(trace):\n"
            "    steps = {step.span_id: step for step in trace.spans}\n"
            "    heard, said = {}, {}\n"
            "    for task in trace.spans:\n"
            '        if task.operation != "task":\n'
            "            continue\n"
            "        call = task\n"
            "        while call.parent_id:\n"
            "            call = steps[call.parent_id]\n"
            "        heard.setdefault(call.name, set()).update(\n"
            '            persons_words(task, "gen_ai.input.messages")\n'
            "        )\n"
            "        said.setdefault(call.name, set()).update(\n"
            '            persons_words(task, "gen_ai.output.messages")\n'
            "        )\n"
            "    return [\n"
            "        (one, other)\n"
            "        for one in heard\n"
            "        for other in said\n"
            "        if one != other and heard[one] & said[other]\n"
            "    ]\n",
        ),
    ],
}

RIGHT = {
    "5.1": [
        (
            "asks the schema itself whether it has properties",
            COMPLETION + "def describe_completion(result_type):\n"
            "    schema = without_titles(adapter(result_type).json_schema())\n"
            '    if "properties" not in schema:\n'
            '        shared = schema.pop("$defs", None)\n'
            '        schema = {"type": "object", "properties": {"result": schema}}\n'
            '        schema["required"] = ["result"]\n'
            "        if shared:\n"
            '            schema["$defs"] = shared\n'
            '    return {"name": "complete", "description": COMPLETE, "parameters": schema}\n',
        ),
        (
            "lets pydantic wrap a plain type",
            COMPLETION + "from pydantic import create_model\n\n\n"
            "def describe_completion(result_type):\n"
            "    if has_fields(result_type):\n"
            "        schema = adapter(result_type).json_schema()\n"
            "    else:\n"
            '        wrapped = create_model("Wrapped", result=(result_type, ...))\n'
            "        schema = wrapped.model_json_schema()\n"
            "    return {\n"
            '        "name": "complete",\n'
            '        "description": "Done: hand over the result.",\n'
            '        "parameters": without_titles(schema),\n'
            "    }\n",
        ),
        (
            "closes the object and copies what it needs",
            COMPLETION + "def describe_completion(result_type):\n"
            "    whole = without_titles(adapter(result_type).json_schema())\n"
            '    shared = {key: each for key, each in whole.items() if key == "$defs"}\n'
            '    own = {key: each for key, each in whole.items() if key != "$defs"}\n'
            "    if has_fields(result_type):\n"
            '        fields, needed = own["properties"], own.get("required", [])\n'
            "    else:\n"
            '        fields, needed = {"result": own}, ["result"]\n'
            '    parameters = {"type": "object", "properties": fields, **shared}\n'
            "    if needed:\n"
            '        parameters["required"] = needed\n'
            '    parameters["additionalProperties"] = False\n'
            '    return dict(name="complete", description=COMPLETE, parameters=parameters)\n',
        ),
    ],
    "5.2": [
        (
            "one sentence a field",
            READING + "from pydantic import TypeAdapter\n\n\n"
            "def read_result(result_type, arguments):\n"
            "    value = arguments\n"
            "    if not has_fields(result_type):\n"
            '        if list(arguments) != ["result"]:\n'
            '            raise ToolError("give exactly one argument: result")\n'
            '        value = arguments["result"]\n'
            "    try:\n"
            "        return TypeAdapter(result_type).validate_python(value)\n"
            "    except ValidationError as error:\n"
            '        told = ""\n'
            "        for each in error.errors():\n"
            '            place = " of ".join(str(part) for part in reversed(each["loc"]))\n'
            "            told += f\"{place or 'the result'} is wrong: {each['msg']}. \"\n"
            "        raise ToolError(told.strip()) from error\n",
        ),
        (
            "hands on pydantic's own words",
            READING + "def read_result(result_type, arguments):\n"
            "    plain = not has_fields(result_type)\n"
            '    if plain and arguments.keys() != {"result"}:\n'
            '        raise ToolError("the argument is called result, and there is no other")\n'
            "    try:\n"
            "        return adapter(result_type).validate_python(\n"
            '            arguments["result"] if plain else dict(arguments)\n'
            "        )\n"
            "    except ValidationError as error:\n"
            '        raise ToolError(f"result: {error}".replace("\\n", " ")) from None\n',
        ),
        (
            "reads JSON again",
            READING + "import json\n\n\n"
            "def read_result(result_type, arguments):\n"
            "    if has_fields(result_type):\n"
            "        written = arguments\n"
            '    elif set(arguments) == {"result"}:\n'
            '        written = arguments["result"]\n'
            "    else:\n"
            '        raise ToolError("there must be one argument, result")\n'
            "    try:\n"
            "        return adapter(result_type).validate_json(json.dumps(written))\n"
            "    except ValidationError as error:\n"
            "        lines = [\n"
            '            "/".join(map(str, each["loc"])) + " " + each["msg"]\n'
            "            for each in error.errors()\n"
            "        ]\n"
            '        raise ToolError("result: " + " | ".join(lines))\n',
        ),
    ],
    "5.3": [
        (
            "a loop that is left",
            TALKING + "async def dialogue(task, here):\n"
            "    quiet = 0\n"
            "    while True:\n"
            "        words = await speak(here)\n"
            "        if task.done():\n"
            "            return\n"
            "        if here.stop is not None:\n"
            '            raise TaskFailed(task.name, "limit", f"{here.stop}", stop=here.stop)\n'
            "        if not words.strip():\n"
            "            quiet += 1\n"
            "            if quiet == MAX_SILENCES + 1:\n"
            '                raise TaskFailed(task.name, "silent", "not a word")\n'
            '            nudge = {"role": "system", "content": NUDGE}\n'
            "            here.context = here.context.add(nudge)\n"
            "            continue\n"
            "        quiet = 0\n"
            "        await listen(here, words)\n",
        ),
        (
            "counts in a function of its own",
            TALKING + "async def dialogue(task, here):\n"
            "    async def words():\n"
            "        for _ in range(MAX_SILENCES + 1):\n"
            "            said = await speak(here)\n"
            "            if here.stop:\n"
            '                raise TaskFailed(task.name, "limit", str(here.stop), stop=here.stop)\n'
            "            if said.strip() or task.done():\n"
            "                return said\n"
            '            here.context = here.context.add({"role": "system", "content": NUDGE})\n'
            '        raise TaskFailed(task.name, "silent", "it said nothing")\n\n'
            "    while not task.done():\n"
            "        said = await words()\n"
            "        if not task.done():\n"
            "            await listen(here, said)\n",
        ),
        (
            "completes with the failure itself",
            TALKING + "async def dialogue(task, here):\n"
            "    silences = 0\n"
            "    while not task.done():\n"
            "        words = (await speak(here)).strip()\n"
            "        if here.stop and not task.done():\n"
            "            task.complete(\n"
            '                TaskFailed(task.name, "limit", str(here.stop), stop=here.stop)\n'
            "            )\n"
            "        elif words:\n"
            "            silences = 0\n"
            "            await listen(here, words)\n"
            "        elif not task.done() and silences == MAX_SILENCES:\n"
            '            task.complete(TaskFailed(task.name, "silent", "nothing was said"))\n'
            "        elif not task.done():\n"
            "            silences += 1\n"
            '            here.context = here.context.add({"role": "system", "content": NUDGE})\n',
        ),
    ],
    "5.4": [
        (
            "asks with is",
            "def merge(context, other, *, exclude_function_call=True):\n"
            "    new = tuple(\n"
            "        message\n"
            "        for message in other.messages\n"
            "        if not any(message is known for known in context.messages)\n"
            "    )\n"
            "    kept = Context(new).copy(\n"
            "        exclude_instructions=True, exclude_tool_calls=exclude_function_call\n"
            "    )\n"
            "    return Context(context.messages + kept.messages)\n",
        ),
        (
            "goes through by hand",
            "def merge(context, other, *, exclude_function_call=True):\n"
            "    merged = list(context.messages)\n"
            "    known = [id(message) for message in merged]\n"
            "    for message in other.messages:\n"
            '        if id(message) in known or message["role"] in ("system", "developer"):\n'
            "            continue\n"
            '        if exclude_function_call and message["role"] == "tool":\n'
            "            continue\n"
            '        if exclude_function_call and message.get("tool_calls"):\n'
            '            if not message.get("content"):\n'
            "                continue\n"
            '            message = {"role": "assistant", "content": message["content"]}\n'
            "        merged.append(message)\n"
            "    return Context(tuple(merged))\n",
        ),
        (
            "filters first",
            "def merge(context, other, *, exclude_function_call=True):\n"
            "    known = set(map(id, context.messages))\n"
            "    unknown = (each for each in other.messages if id(each) not in known)\n"
            "    said = Context().add(*unknown).copy(exclude_instructions=True)\n"
            "    if exclude_function_call:\n"
            "        said = said.copy(exclude_tool_calls=True)\n"
            "    return context.add(*said.messages)\n",
        ),
    ],
    "5.5": [
        (
            "a list that is cut",
            SEQUENCE + "async def in_sequence(\n"
            "    ids, play, *, return_exceptions=False, max_regressions=MAX_REGRESSIONS\n"
            "):\n"
            "    order = list(ids)\n"
            "    to_do, results, back = order[:], {}, 0\n"
            "    while to_do:\n"
            "        id, to_do = to_do[0], to_do[1:]\n"
            "        try:\n"
            "            results[id] = await play(id)\n"
            "        except OutOfScope as change:\n"
            "            back += 1\n"
            "            if back > max_regressions:\n"
            '                reason = f"went back {back} times"\n'
            '                raise TaskFailed(id, "limit", reason)\n'
            "            to_do = [*change.task_ids, id, *to_do]\n"
            "        except Exception as error:\n"
            "            if return_exceptions:\n"
            "                results[id] = error\n"
            "            else:\n"
            "                raise\n"
            "    return {id: results[id] for id in order}\n",
        ),
        (
            "a stack",
            SEQUENCE + "async def in_sequence(\n"
            "    ids, play, *, return_exceptions=False, max_regressions=MAX_REGRESSIONS\n"
            "):\n"
            "    order = list(ids)\n"
            "    stack, results = order[::-1], dict.fromkeys(order)\n"
            "    while stack:\n"
            "        id = stack.pop()\n"
            "        try:\n"
            "            results[id] = await play(id)\n"
            "        except OutOfScope as change:\n"
            "            if max_regressions == 0:\n"
            '                raise TaskFailed(id, "limit", "too many changes") from change\n'
            "            max_regressions -= 1\n"
            "            stack += [id, *change.task_ids[::-1]]\n"
            "        except Exception as error:\n"
            "            if not return_exceptions:\n"
            "                raise\n"
            "            results[id] = error\n"
            "    return results\n",
        ),
        (
            "recursion",
            SEQUENCE + "async def in_sequence(\n"
            "    ids, play, *, return_exceptions=False, max_regressions=MAX_REGRESSIONS\n"
            "):\n"
            "    order, found, left = list(ids), {}, [max_regressions]\n\n"
            "    async def one(id):\n"
            "        try:\n"
            "            found[id] = await play(id)\n"
            "        except OutOfScope as change:\n"
            "            left[0] -= 1\n"
            "            if left[0] < 0:\n"
            '                raise TaskFailed(id, "limit", "they never make up their mind")\n'
            "            for each in (*change.task_ids, id):\n"
            "                await one(each)\n"
            "        except Exception as error:\n"
            "            if not return_exceptions:\n"
            "                raise\n"
            "            found[id] = error\n\n"
            "    for id in order:\n"
            "        await one(id)\n"
            "    return {id: found[id] for id in order}\n",
        ),
    ],
    "5.6": [
        (
            "calls first, then tasks",
            "def leaks(trace):\n"
            "    steps = {step.span_id: step for step in trace.spans}\n\n"
            "    def call_of(step):\n"
            "        return call_of(steps[step.parent_id]) if step.parent_id else step.name\n\n"
            "    said, pairs = {}, []\n"
            '    for task in [step for step in trace.spans if step.operation == "task"]:\n'
            "        here = call_of(task)\n"
            '        for words in persons_words(task, "gen_ai.input.messages"):\n'
            "            for there, heard in said.items():\n"
            "                new = words not in said.get(here, set())\n"
            "                if words in heard and new and (here, there) not in pairs:\n"
            "                    pairs.append((here, there))\n"
            '        words = persons_words(task, "gen_ai.output.messages")\n'
            "        said[here] = said.get(here, set()) | words\n"
            "    return pairs\n",
        ),
        (
            "sets, sorted",
            "def leaks(trace):\n"
            "    parents = {step.span_id: step.parent_id for step in trace.spans}\n"
            "    names = {step.span_id: step.name for step in trace.spans}\n"
            "    said, found = {}, set()\n"
            "    for step in trace.spans:\n"
            '        if step.operation != "task":\n'
            "            continue\n"
            "        top = step.span_id\n"
            "        while parents[top] is not None:\n"
            "            top = parents[top]\n"
            "        call = names[top]\n"
            '        began = persons_words(step, "gen_ai.input.messages")\n'
            "        strange = began - said.get(call, set())\n"
            "        others = [each for each in said if each != call]\n"
            "        found |= {(call, each) for each in others if strange & said[each]}\n"
            '        added = persons_words(step, "gen_ai.output.messages")\n'
            "        said.setdefault(call, set()).update(added)\n"
            "    return sorted(found)\n",
        ),
        (
            "reads the attributes itself",
            "import json\n\n\n"
            "def leaks(trace):\n"
            "    def words(step, key):\n"
            "        messages = json.loads(step.attributes[key])\n"
            '        return [m["content"] for m in messages if m["role"] == "user"]\n\n'
            "    call_of, history, found = {}, [], {}\n"
            "    for step in trace.spans:\n"
            "        call_of[step.span_id] = call_of.get(step.parent_id, step.name)\n"
            "        call = call_of[step.span_id]\n"
            '        if step.operation == "task":\n'
            '            for text in words(step, "gen_ai.input.messages"):\n'
            "                callers = [who for who, what in history if what == text]\n"
            "                if call not in callers:\n"
            "                    found.update({(call, who): True for who in callers})\n"
            '            added = words(step, "gen_ai.output.messages")\n'
            "            history += [(call, each) for each in added]\n"
            "    return list(found)\n",
        ),
    ],
}
