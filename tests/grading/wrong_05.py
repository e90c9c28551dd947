"""Wrong answers to the exercises of chapter 05: what a student may well write.

Each entry is (name, source of the solution cell). Every one must lose exactly its exercise.
`RIGHT` are answers in other styles than the solution's; every one must pass.
"""

from __future__ import annotations

import inspect

from course.context import merge
from course.delegation.group import in_sequence
from course.delegation.results import describe_completion, read_result
from course.delegation.task import dialogue
from course.observability.information import leaks
from tests.grading.changing import changed

COMPLETION = """from course.delegation.results import COMPLETE
from course.tools import without_titles


"""
READING = """from course.delegation.results import MISFIT
from course.errors import ToolError


"""
TALKING = """from course.delegation.dialogue import MAX_SILENCES, NUDGE


"""
SEQUENCE = """from collections import deque
from collections.abc import Iterable

from course.delegation.group import MAX_REGRESSIONS


"""


WRONG = {
    "5.1": [
        (
            "keeps pydantic's titles",
            changed(
                describe_completion,
                "without_titles(adapter(result_type).json_schema())",
                "adapter(result_type).json_schema()",
                head=COMPLETION,
            ),
        ),
        (
            "never wraps a plain type",
            changed(
                describe_completion, "if not has_fields(result_type):", "if False:", head=COMPLETION
            ),
        ),
        (
            "wraps every type",
            changed(
                describe_completion, "if not has_fields(result_type):", "if True:", head=COMPLETION
            ),
        ),
        (
            "leaves the definitions where nothing finds them",
            changed(
                describe_completion,
                '{"$defs": schema.pop("$defs")} if "$defs" in schema else {}',
                "{}",
                head=COMPLETION,
            ),
        ),
        (
            "requires nothing",
            changed(
                describe_completion,
                '            "required": ["result"],\n',
                "",
                head=COMPLETION,
            ),
        ),
        (
            "names the tool after the type",
            changed(
                describe_completion,
                'return {"name": "complete"',
                'return {"name": getattr(result_type, "__name__", "result")',
                head=COMPLETION,
            ),
        ),
        (
            "lets pydantic's error out",
            "from pydantic import TypeAdapter\n"
            + changed(
                describe_completion,
                "adapter(result_type)",
                "TypeAdapter(result_type)",
                head=COMPLETION,
            ),
        ),
        (
            "has no description",
            changed(
                describe_completion, '"description": COMPLETE', '"description": ""', head=COMPLETION
            ),
        ),
        (
            "drops a field that is called title",
            changed(
                describe_completion,
                "without_titles(adapter(result_type).json_schema())",
                "bare(adapter(result_type).json_schema())",
                head=COMPLETION + "def bare(part):\n"
                "    if isinstance(part, dict):\n"
                "        return {k: bare(each) for k, each in part.items() if k != 'title'}\n"
                "    return [*map(bare, part)] if isinstance(part, list) else part\n\n\n",
            ),
        ),
        (
            "describes the type instead of the call",
            changed(
                describe_completion,
                '"description": COMPLETE',
                '"description": schema.get("description", COMPLETE)',
            ),
        ),
    ],
    "5.2": [
        (
            "lets pydantic's error out",
            changed(
                read_result, "except ValidationError", "except ZeroDivisionError", head=READING
            ),
        ),
        (
            "says that it does not fit, and not where",
            changed(
                read_result,
                'raise ToolError(MISFIT + "; ".join(problems))',
                "raise ToolError(MISFIT)",
                head=READING,
            ),
        ),
        (
            "names the first problem alone",
            changed(read_result, '"; ".join(problems)', "problems[0]", head=READING),
        ),
        (
            "says why, and not which field",
            changed(
                read_result,
                "f\"{field_of(each)}: {each['msg']}\"",
                "each['msg']",
                head=READING,
            ),
        ),
        (
            "gives the arguments back as they are",
            changed(
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
        (
            "gives each field a line",
            changed(read_result, '"; ".join(problems)', '"\\n".join(problems)', head=READING),
        ),
        (
            "does not mind what stands beside result",
            changed(
                read_result,
                'set(arguments) != {"result"}',
                '"result" not in arguments',
                head=READING,
            ),
        ),
        (
            "does not name the result",
            changed(read_result, "field_of(each)", "'.'.join(map(str, each['loc']))", head=READING),
        ),
        (
            "says which field, and not why",
            changed(
                read_result, "f\"{field_of(each)}: {each['msg']}\"", "field_of(each)", head=READING
            ),
        ),
        (
            "makes a model without checking it",
            changed(
                read_result,
                "        return adapter(",
                "        if hasattr(result_type, 'model_construct'):\n            return "
                "result_type.model_construct(**arguments)\n        return adapter(",
                head=READING,
            ),
        ),
        (
            "names the first two problems alone",
            changed(read_result, "in error.errors()]", "in error.errors()[:2]]"),
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
            changed(dialogue, "        if here.stop:", "        if False:", head=TALKING),
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
            changed(
                dialogue,
                'here.context = here.context.add({"role": "system", "content": NUDGE})',
                "pass",
                head=TALKING,
            ),
        ),
        (
            "gives up at the first silence",
            changed(dialogue, "if silences > MAX_SILENCES:", "if silences:", head=TALKING),
        ),
        (
            "never forgives a silence",
            changed(dialogue, "            silences = 0\n", "", head=TALKING),
        ),
        (
            "swallows that the person is gone",
            changed(
                dialogue,
                "            await listen(here, words)\n",
                "            try:\n                await listen(here, words)\n"
                "            except PersonLeft:\n                return\n",
                head=TALKING,
            ),
        ),
        (
            "takes a limit for the model's silence",
            changed(
                dialogue,
                'raise TaskFailed(task.name, "limit", str(here.stop), stop=here.stop)',
                'raise TaskFailed(task.name, "silent", "it stopped")',
                head=TALKING,
            ),
        ),
        (
            "tells it in the person's name",
            changed(dialogue, '"role": "system"', '"role": "user"', head=TALKING),
        ),
        (
            "tells it in words of its own",
            changed(dialogue, '"content": NUDGE', '"content": "Say something."', head=TALKING),
        ),
        (
            "leaves out which limit it was",
            changed(dialogue, ", stop=here.stop", "", head=TALKING),
        ),
        (
            "fails in nobody's name",
            changed(dialogue, 'task.name, "limit"', '"task", "limit"', head=TALKING),
        ),
        (
            "counts one silence too many",
            changed(
                dialogue, "silences > MAX_SILENCES", "silences > MAX_SILENCES + 1", head=TALKING
            ),
        ),
        (
            "takes blanks for words",
            changed(dialogue, "if words.strip():", "if words:", head=TALKING),
        ),
        (
            "tells it only once",
            changed(
                dialogue,
                "            here.context = here",
                "            if silences == 1:\n                here.context = here",
                head=TALKING,
            ),
        ),
        (
            "takes a person who is late for one who says nothing",
            changed(
                dialogue,
                "            await listen(here, words)\n",
                "            try:\n                await listen(here, words)\n"
                "            except TimeoutError:\n                pass\n",
            ),
        ),
        (
            "gives a failure of its own for a model that is gone",
            changed(
                dialogue,
                "        words = await speak(here)\n",
                "        try:\n            words = await speak(here)\n"
                "        except Exception as error:\n"
                "            raise TaskFailed(task.name, 'error', str(error)) from error\n",
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
            changed(merge, "exclude_instructions=True", "exclude_instructions=False"),
        ),
        (
            "always leaves out the calls",
            changed(merge, "exclude_tool_calls=exclude_function_call", "exclude_tool_calls=True"),
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
        (
            "cuts off as many messages as the asker has",
            "def merge(context, other, *, exclude_function_call=True):\n"
            "    new = Context(other.messages[len(context.messages) :])\n"
            "    kept = new.copy(exclude_instructions=True, "
            "exclude_tool_calls=exclude_function_call)\n"
            "    return context.add(*kept.messages)\n",
        ),
        (
            "keeps the calls unless it is told",
            changed(
                merge, "exclude_function_call: bool = True", "exclude_function_call: bool = False"
            ),
        ),
        (
            "gives a list of messages",
            changed(
                merge,
                "return context.add(*kept.messages)",
                "return [*context.messages, *kept.messages]",
            ),
        ),
        (
            "puts the new ones first",
            changed(
                merge,
                "return context.add(*kept.messages)",
                "return Context((*kept.messages, *context.messages))",
            ),
        ),
        (
            "turns the new ones round",
            changed(merge, "*kept.messages", "*reversed(kept.messages)"),
        ),
        (
            "complains where nothing is new",
            changed(
                merge,
                "    return context.add",
                "    if not kept.messages:\n        raise ValueError('nothing is new')\n "
                "   return context.add",
            ),
        ),
        (
            "takes the calls out of the task's own messages",
            "def merge(context, other, *, exclude_function_call=True):\n"
            "    known = {id(message) for message in context.messages}\n"
            '    new = [m for m in other.messages if id(m) not in known and m["role"] != '
            '"system"]\n'
            "    if exclude_function_call:\n"
            "        for message in new:\n"
            '            message.pop("tool_calls", None)\n'
            '        new = [m for m in new if m["role"] != "tool" and m["content"]]\n'
            "    return context.add(*new)\n",
        ),
        (
            "takes the call from beside the words for good",
            changed(
                merge,
                "    known =",
                "    for message in other.messages if exclude_function_call else ():\n"
                "        if message.get('content'):\n"
                "            message.pop('tool_calls', None)\n"
                "    known =",
            ),
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
            changed(in_sequence, "[*change.task_ids, id]", "change.task_ids", head=SEQUENCE),
        ),
        (
            "goes back in the wrong order",
            changed(
                in_sequence,
                "reversed([*change.task_ids, id])",
                "[id, *change.task_ids]",
                head=SEQUENCE,
            ),
        ),
        (
            "takes going back for a failure",
            changed(
                in_sequence,
                "except OutOfScope as change:",
                "except KeyError as change:",
                head=SEQUENCE,
            ),
        ),
        (
            "swallows every exception",
            changed(
                in_sequence,
                "            if not return_exceptions:\n                raise\n",
                "",
                head=SEQUENCE,
            ),
        ),
        (
            "goes back for ever",
            changed(in_sequence, "if regressions > max_regressions:", "if False:", head=SEQUENCE),
        ),
        (
            "goes back once too often",
            changed(
                in_sequence,
                "if regressions > max_regressions:",
                "if regressions > max_regressions + 1:",
                head=SEQUENCE,
            ),
        ),
        (
            "keeps the first result",
            changed(
                in_sequence,
                "results[id] = await play(id)",
                "results.setdefault(id, await play(id))",
                head=SEQUENCE,
            ),
        ),
        (
            "goes back at the end",
            changed(
                in_sequence,
                "waiting.extendleft(reversed([*change.task_ids, id]))",
                "waiting.extend([*change.task_ids, id])",
                head=SEQUENCE,
            ),
        ),
        (
            "forgets the steps that were still to come",
            changed(
                in_sequence,
                "            waiting.extendleft(",
                "            waiting.clear()\n            waiting.extendleft(",
                head=SEQUENCE,
            ),
        ),
        (
            "gives a list of results",
            changed(
                in_sequence,
                "{id: results[id] for id in order}",
                "[results[id] for id in order]",
                head=SEQUENCE,
            ),
        ),
        (
            "sorts the results by id",
            changed(
                in_sequence,
                "{id: results[id] for id in order}",
                "dict(sorted(results.items()))",
                head=SEQUENCE,
            ),
        ),
        (
            "lets every exception out",
            changed(
                in_sequence,
                "            if not return_exceptions:\n                raise\n",
                "            raise\n",
                head=SEQUENCE,
            ),
        ),
        (
            "keeps what the exception says",
            changed(in_sequence, "results[id] = error", "results[id] = str(error)", head=SEQUENCE),
        ),
        (
            "stops at a failure that it keeps",
            changed(
                in_sequence,
                "            results[id] = error\n",
                "            results[id] = error\n            break\n",
                head=SEQUENCE,
            ).replace("for id in order}", "for id in order if id in results}"),
        ),
        (
            "fails in the name of the first step",
            changed(
                in_sequence, 'TaskFailed(id, "limit"', 'TaskFailed(order[0], "limit"', head=SEQUENCE
            ),
        ),
        (
            "knows one number of ways back",
            changed(
                in_sequence,
                "regressions > max_regressions:",
                "regressions > MAX_REGRESSIONS:",
                head=SEQUENCE,
            ),
        ),
        (
            "counts for each step how often it went back",
            changed(
                in_sequence,
                "regressions += 1",
                "order_left = results.setdefault(('left', id), [])\n"
                "            order_left.append(id)\n"
                "            regressions = len(order_left)",
            ),
        ),
        (
            "counts the steps that it goes back to",
            changed(in_sequence, "regressions += 1", "regressions += len(change.task_ids)"),
        ),
        (
            "keeps the failure of going back as a result",
            changed(
                in_sequence,
                'raise TaskFailed(id, "limit", str(stop), stop=stop) from None',
                'results[id] = TaskFailed(id, "limit", str(stop), stop=stop)\n'
                "                if return_exceptions:\n"
                "                    continue\n"
                "                raise results[id] from None",
            ),
        ),
    ],
    "5.6": [
        (
            "takes a call's own words for a leak",
            changed(
                leaks,
                'persons_words(task, "gen_ai.input.messages") - own',
                'persons_words(task, "gen_ai.input.messages")',
            ),
        ),
        (
            "stops at the task's parent",
            changed(leaks, "        while call.parent_id:\n", "        if call.parent_id:\n"),
        ),
        (
            "looks at each call's first task alone",
            changed(
                leaks,
                "        own = said.setdefault(call.name, set())\n",
                "        if call.name in said:\n"
                '            said[call.name] |= persons_words(task, "gen_ai.output.messages")\n'
                "            continue\n"
                "        own = said.setdefault(call.name, set())\n",
            ),
        ),
        ("names a leak again and again", changed(leaks, "list(dict.fromkeys(found))", "found")),
        (
            "names them the wrong way round",
            changed(leaks, "[(call.name, other) for other", "[(other, call.name) for other"),
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
        (
            "takes everybody's words for a person's",
            "import json\n\n\n"
            + inspect.getsource(leaks).replace("persons_words(", "everybodys_words(")
            + (
                "\n\ndef everybodys_words(task, key):\n"
                "    messages = json.loads(task.attributes[key])\n"
                "    parts = (part for each in messages for part in each['parts'])\n"
                "    return {part['content'] for part in parts if part['type'] == 'text'}\n"
            ),
        ),
        (
            "complains where there is no leak",
            changed(
                leaks,
                "    return list(",
                "    if not found:\n        raise ValueError('no leak')\n    return list(",
            ),
        ),
        (
            "names one leak of a task",
            changed(leaks, "if strange & words]", "if strange & words][:1]"),
        ),
        (
            "takes what was heard for what was said",
            changed(
                leaks,
                'own |= persons_words(task, "gen_ai.output.messages")',
                'own |= persons_words(task, "gen_ai.output.messages") | strange',
            ),
        ),
        (
            "leaves out the tasks that failed",
            changed(
                leaks, 'if task.operation != "task":', 'if task.operation != "task" or task.error:'
            ),
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
            "    schema = adapter(result_type).json_schema()\n"
            "    if not has_fields(result_type):\n"
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
        (
            "matches on the kind of schema",
            "def describe_completion(result_type):\n"
            "    match without_titles(adapter(result_type).json_schema()), "
            "has_fields(result_type):\n"
            "        case schema, True:\n"
            "            parameters = schema\n"
            '        case {"$defs": definitions, **schema}, False:\n'
            '            parameters = wrapped(schema) | {"$defs": definitions}\n'
            "        case schema, False:\n"
            "            parameters = wrapped(schema)\n"
            '    return {"name": "complete", "description": COMPLETE, "parameters": parameters}\n'
            "\n"
            "\n"
            "def wrapped(schema):\n"
            '    return {"type": "object", "properties": {"result": schema}, "required": '
            '["result"]}\n'
            "\n"
            "\n"
            "from course.delegation.results import COMPLETE\n"
            "from course.tools import without_titles\n",
        ),
        (
            "is a class with a way for each kind",
            "from course.delegation.results import COMPLETE\n"
            "\n"
            "\n"
            "class Description:\n"
            "    def __call__(self, result_type):\n"
            "        schema = adapter(result_type).json_schema()\n"
            "        here = self.whole if has_fields(result_type) else self.wrapped\n"
            '        return dict(name="complete", description=COMPLETE, parameters=here(schema))\n'
            "\n"
            "    def bare(self, part, names=False):\n"
            "        if isinstance(part, list):\n"
            "            return [self.bare(each) for each in part]\n"
            "        if not isinstance(part, dict):\n"
            "            return part\n"
            "        return {\n"
            '            key: self.bare(each, key in ("properties", "$defs") and not names)\n'
            "            for key, each in part.items()\n"
            '            if names or key != "title"\n'
            "        }\n"
            "\n"
            "    def whole(self, schema):\n"
            "        return self.bare(schema)\n"
            "\n"
            "    def wrapped(self, schema):\n"
            "        parts = self.bare(schema)\n"
            '        top = {"$defs": parts.pop("$defs")} if "$defs" in parts else {}\n'
            '        return {"type": "object", "required": ["result"], "properties": '
            '{"result": parts}} | top\n'
            "\n"
            "\n"
            "describe_completion = Description()\n",
        ),
        (
            "lets pydantic make the wrapping type",
            "from dataclasses import make_dataclass\n"
            "\n"
            "from course.delegation.results import COMPLETE\n"
            "from course.tools import without_titles\n"
            "\n"
            "\n"
            "def describe_completion(result_type):\n"
            "    adapter(result_type)  # complains about what JSON cannot hold\n"
            "    if not has_fields(result_type):\n"
            '        result_type = make_dataclass("Wrapped", [("result", result_type)])\n'
            "    schema = without_titles(adapter(result_type).json_schema())\n"
            '    schema.pop("description", None)\n'
            '    return {"name": "complete", "description": COMPLETE, "parameters": schema}\n',
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
        (
            "asks before it tries",
            "from course.delegation.results import MISFIT\n"
            "from course.errors import ToolError\n"
            "\n"
            "\n"
            "def read_result(result_type, arguments):\n"
            "    match has_fields(result_type), dict(arguments):\n"
            "        case True, given:\n"
            "            pass\n"
            '        case False, {"result": given, **rest} if not rest:\n'
            "            pass\n"
            "        case _:\n"
            '            raise ToolError(MISFIT + "result is the one argument")\n'
            "    problems = []\n"
            "    try:\n"
            "        value = adapter(result_type).validate_python(given)\n"
            "    except ValidationError as error:\n"
            "        problems = error.errors()\n"
            "    if problems:\n"
            '        raise ToolError(MISFIT + ", ".join(f"{field_of(p)} ({p[\'msg\']})" '
            "for p in problems))\n"
            "    return value\n",
        ),
        (
            "is a partial, with the error's words put together by reduce",
            "from functools import partial, reduce\n"
            "\n"
            "from course.errors import ToolError\n"
            "\n"
            "\n"
            "def reading(say, result_type, arguments):\n"
            "    whole = has_fields(result_type)\n"
            '    if not whole and [*arguments] != ["result"]:\n'
            '        raise ToolError("one argument is wanted: result")\n'
            "    try:\n"
            "        return adapter(result_type).validate_python(arguments if whole else "
            'arguments["result"])\n'
            "    except ValidationError as error:\n"
            '        raise ToolError(reduce(lambda so_far, each: f"{so_far} '
            '{say(each)}", error.errors(), "no:"))\n'
            "\n"
            "\n"
            "read_result = partial(reading, lambda each: f\"[{field_of(each)}] {each['msg']}\")\n",
        ),
        (
            "collects problems in a dataclass",
            "from dataclasses import dataclass, field\n"
            "\n"
            "from course.errors import ToolError\n"
            "\n"
            "\n"
            "@dataclass\n"
            "class Misfit:\n"
            "    problems: list = field(default_factory=list)\n"
            "\n"
            "    def note(self, name, problem):\n"
            '        self.problems.append(f"{name} is wrong, because: {problem}")\n'
            "\n"
            "    def refuse(self):\n"
            "        if self.problems:\n"
            '            raise ToolError(" / ".join(self.problems))\n'
            "\n"
            "\n"
            "def read_result(result_type, arguments):\n"
            "    misfit, value = Misfit(), None\n"
            "    if not has_fields(result_type):\n"
            '        for name in {"result", *arguments} - ({"result"} & set(arguments)):\n'
            '            misfit.note("result", "it is missing" if name == "result" else '
            'f"{name} beside it")\n'
            "        misfit.refuse()\n"
            '        arguments = arguments["result"]\n'
            "    try:\n"
            "        value = adapter(result_type).validate_python(arguments)\n"
            "    except ValidationError as error:\n"
            "        for each in error.errors():\n"
            '            misfit.note(field_of(each), each["msg"])\n'
            "    misfit.refuse()\n"
            "    return value\n",
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
        (
            "talks in a generator",
            "from course.delegation.dialogue import MAX_SILENCES, NUDGE\n"
            "\n"
            "\n"
            "async def said_by(task, here):\n"
            "    silences = 0\n"
            "    while not task.done():\n"
            "        if (words := await speak(here)).strip():\n"
            "            silences = 0\n"
            "            yield words\n"
            "        elif here.stop:\n"
            '            raise TaskFailed(task.name, "limit", f"reached {here.stop}", '
            "stop=here.stop)\n"
            "        elif not task.done():\n"
            "            if (silences := silences + 1) > MAX_SILENCES:\n"
            '                raise TaskFailed(task.name, "silent", "nothing to say")\n'
            '            here.context = here.context.add(dict(role="system", content=NUDGE))\n'
            "\n"
            "\n"
            "async def dialogue(task, here):\n"
            "    async for words in said_by(task, here):\n"
            "        await listen(here, words)\n",
        ),
        (
            "calls itself for each turn",
            "from course.delegation.dialogue import MAX_SILENCES, NUDGE\n"
            "\n"
            "\n"
            "async def dialogue(task, here, silences=0):\n"
            "    if task.done():\n"
            "        return\n"
            "    words = await speak(here)\n"
            "    if (stop := here.stop) is not None:\n"
            '        raise TaskFailed(task.name, "limit", str(stop), stop=stop)\n'
            "    if words.strip():\n"
            "        await listen(here, words)\n"
            "        return await dialogue(task, here)\n"
            "    if task.done():\n"
            "        return\n"
            "    if silences == MAX_SILENCES:\n"
            '        raise TaskFailed(task.name, "silent", f"silent {silences + 1} times")\n'
            '    here.context = here.context.add({"content": NUDGE, "role": "system"})\n'
            "    await dialogue(task, here, silences + 1)\n",
        ),
        (
            "is an object that remembers",
            "from course.delegation.dialogue import MAX_SILENCES, NUDGE\n"
            "\n"
            "\n"
            "class Dialogue:\n"
            "    def __init__(self, task, here):\n"
            "        self.task, self.here, self.left = task, here, MAX_SILENCES\n"
            "\n"
            "    def fail(self, kind, reason, stop=None):\n"
            "        raise TaskFailed(self.task.name, kind, reason, stop=stop)\n"
            "\n"
            "    async def turn(self):\n"
            "        words = await speak(self.here)\n"
            "        match bool(self.here.stop), bool(words.strip()), self.task.done():\n"
            "            case True, _, _:\n"
            '                self.fail("limit", str(self.here.stop), self.here.stop)\n'
            "            case _, True, _:\n"
            "                self.left = MAX_SILENCES\n"
            "                await listen(self.here, words)\n"
            "            case _, _, False if self.left:\n"
            "                self.left -= 1\n"
            '                nudge = {"role": "system", "content": NUDGE}\n'
            "                self.here.context = self.here.context.add(nudge)\n"
            "            case _, _, False:\n"
            '                self.fail("silent", "it says nothing")\n'
            "\n"
            "\n"
            "async def dialogue(task, here):\n"
            "    talk = Dialogue(task, here)\n"
            "    while not task.done():\n"
            "        await talk.turn()\n",
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
        (
            "skips with itertools",
            "from itertools import dropwhile\n"
            "\n"
            "\n"
            "def merge(context, other, *, exclude_function_call=True):\n"
            "    known = {*map(id, context.messages)}\n"
            '    instructions = [m for m in other.messages if m["role"] in ("system", '
            '"developer")]\n'
            "    rest = [m for m in other.messages if not any(m is each for each in "
            "instructions)]\n"
            "    new = Context(tuple(dropwhile(lambda m: id(m) in known, rest)))\n"
            "    if exclude_function_call:\n"
            "        new = new.copy(exclude_tool_calls=True)\n"
            "    return Context((*context.messages, *new.messages))\n",
        ),
        (
            "has a generator for what is kept",
            "def merge(context, other, *, exclude_function_call=True):\n"
            "    def kept():\n"
            "        for message in other.messages:\n"
            "            match message:\n"
            '                case {"role": "system" | "developer"}:\n'
            "                    continue\n"
            "                case _ if any(message is each for each in context.messages):\n"
            "                    continue\n"
            '                case {"role": "tool"} if exclude_function_call:\n'
            "                    continue\n"
            '                case {"tool_calls": [_, *_], **rest} if exclude_function_call:\n'
            '                    if rest.get("content"):\n'
            "                        yield rest\n"
            "                case _:\n"
            "                    yield message\n"
            "\n"
            "    return context.add(*kept())\n",
        ),
        (
            "sorts out one kind after the other",
            "import functools\n"
            "\n"
            "\n"
            "def without(test, messages):\n"
            "    return [each for each in messages if not test(each)]\n"
            "\n"
            "\n"
            "def merge(context, other, *, exclude_function_call=True):\n"
            "    def is_known(message):\n"
            "        return id(message) in [id(each) for each in context.messages]\n"
            "\n"
            '    tests = [is_known, lambda m: m["role"] == "system"]\n'
            "    new = functools.reduce(lambda so_far, test: without(test, so_far), "
            "tests, other.messages)\n"
            "    if exclude_function_call:\n"
            '        new = without(lambda m: m["role"] == "tool", new)\n'
            '        new = [{k: m[k] for k in m if k != "tool_calls"} for m in new]\n'
            '        new = without(lambda m: not m["content"], new)\n'
            "    merged = context\n"
            "    for message in new:\n"
            "        merged = merged.add(message)\n"
            "    return merged\n",
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
        (
            "keeps a place and a list of detours",
            "from course.delegation.group import MAX_REGRESSIONS\n"
            "\n"
            "\n"
            "async def in_sequence(ids, play, *, return_exceptions=False, "
            "max_regressions=MAX_REGRESSIONS):\n"
            "    order = tuple(ids)\n"
            "    found, place, detours, back = {}, 0, [], 0\n"
            "    while detours or place < len(order):\n"
            "        id = detours.pop(0) if detours else order[place]\n"
            "        own = id == order[place] and not detours\n"
            "        try:\n"
            "            found[id] = await play(id)\n"
            "        except OutOfScope as change:\n"
            "            if (back := back + 1) > max_regressions:\n"
            '                raise TaskFailed(id, "limit", f"back {back} times") from change\n'
            "            detours[:0] = [*change.task_ids, id]\n"
            "            continue\n"
            "        except Exception as error:\n"
            "            if not return_exceptions:\n"
            "                raise error\n"
            "            found[id] = error\n"
            "        place += own\n"
            "    return dict((id, found[id]) for id in order)\n",
        ),
        (
            "walks an iterator that can be put in front of",
            "from itertools import chain\n"
            "\n"
            "from course.delegation.group import MAX_REGRESSIONS\n"
            "\n"
            "\n"
            "async def in_sequence(ids, play, *, return_exceptions=False, "
            "max_regressions=MAX_REGRESSIONS):\n"
            "    order = list(ids)\n"
            "    results, coming, left = dict.fromkeys(order), iter(order), max_regressions\n"
            "    while (id := next(coming, None)) is not None:\n"
            "        try:\n"
            "            results[id] = await play(id)\n"
            "        except OutOfScope as change:\n"
            "            if not left:\n"
            '                raise TaskFailed(id, "limit", "too many changes of mind") from None\n'
            "            left -= 1\n"
            "            coming = chain(change.task_ids, [id], coming)\n"
            "        except Exception as error:\n"
            "            results[id] = error\n"
            "            if not return_exceptions:\n"
            "                raise\n"
            "    return results\n",
        ),
        (
            "is a class whose steps are numbered",
            "from dataclasses import dataclass, field\n"
            "\n"
            "from course.delegation.group import MAX_REGRESSIONS\n"
            "\n"
            "\n"
            "@dataclass\n"
            "class Sequence:\n"
            "    play: object\n"
            "    keeps: bool\n"
            "    most: int\n"
            "    results: dict = field(default_factory=dict)\n"
            "\n"
            "    async def carry_out(self, to_do):\n"
            "        match to_do:\n"
            "            case []:\n"
            "                return\n"
            "            case [id, *rest]:\n"
            "                await self.carry_out([*await self.step(id), *rest])\n"
            "\n"
            "    async def step(self, id):\n"
            "        try:\n"
            "            self.results[id] = await self.play(id)\n"
            "        except OutOfScope as change:\n"
            "            self.most -= 1\n"
            "            if self.most < 0:\n"
            '                raise TaskFailed(id, "limit", "too often")\n'
            "            return [*change.task_ids, id]\n"
            "        except Exception as error:\n"
            "            if not self.keeps:\n"
            "                raise\n"
            "            self.results[id] = error\n"
            "        return []\n"
            "\n"
            "\n"
            "async def in_sequence(ids, play, *, return_exceptions=False, "
            "max_regressions=MAX_REGRESSIONS):\n"
            "    sequence, order = Sequence(play, return_exceptions, max_regressions), list(ids)\n"
            "    await sequence.carry_out(order)\n"
            "    return {id: sequence.results[id] for id in order}\n",
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
            '        users = [m for m in messages if m["role"] == "user"]\n'
            '        return [part["content"] for m in users for part in m["parts"]]\n\n'
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
        (
            "goes down from the calls",
            "def leaks(trace):\n"
            "    below = {}\n"
            "    for step in trace.spans:\n"
            "        below.setdefault(step.parent_id, []).append(step)\n"
            "\n"
            "    def tasks(step):\n"
            '        if step.operation == "task":\n'
            "            yield step\n"
            "        for each in below.get(step.span_id, ()):\n"
            "            yield from tasks(each)\n"
            "\n"
            "    began = {step.span_id: place for place, step in enumerate(trace.spans)}\n"
            "    every = [(call.name, task) for call in below[None] for task in tasks(call)]\n"
            "    every.sort(key=lambda pair: began[pair[1].span_id])\n"
            "    told, pairs = [], {}\n"
            "    for call, task in every:\n"
            "        own = set().union(*(words for who, words in told if who == call))\n"
            '        for text in persons_words(task, "gen_ai.input.messages") - own:\n'
            "            pairs |= {(call, who): None for who, words in told if text in words}\n"
            '        told.append((call, persons_words(task, "gen_ai.output.messages")))\n'
            "    return list(pairs)\n",
        ),
        (
            "keeps who said it first, and everybody after",
            "from collections import defaultdict\n"
            "\n"
            "\n"
            "def leaks(trace):\n"
            "    steps = {step.span_id: step for step in trace.spans}\n"
            "\n"
            "    def call_of(step):\n"
            "        return step.name if step.parent_id is None else "
            "call_of(steps[step.parent_id])\n"
            "\n"
            "    sayers, found = defaultdict(list), []\n"
            "    for step in trace.spans:\n"
            '        if step.operation == "task":\n'
            "            call = call_of(step)\n"
            '            for text in sorted(persons_words(step, "gen_ai.input.messages")):\n'
            "                if call not in sayers[text]:\n"
            "                    found += [(call, who) for who in sayers[text] if (call, "
            "who) not in found]\n"
            '            for text in persons_words(step, "gen_ai.output.messages"):\n'
            "                sayers[text].append(call)\n"
            "    return found\n",
        ),
        (
            "compares every pair of tasks",
            "from itertools import combinations\n"
            "\n"
            "\n"
            "def leaks(trace):\n"
            "    steps = {step.span_id: step for step in trace.spans}\n"
            "    tasks = []\n"
            "    for step in trace.spans:\n"
            '        if step.operation == "task":\n'
            "            top = step\n"
            '            while top.operation != "invoke_workflow":\n'
            "                top = steps[top.parent_id]\n"
            '            words = (persons_words(step, f"gen_ai.{way}.messages") for way '
            'in ("input", "output"))\n'
            "            tasks.append((top.name, *words))\n"
            "    own = [\n"
            "        set().union(*(said for who, _, said in tasks[:place] if who == call))\n"
            "        for place, (call, _, _) in enumerate(tasks)\n"
            "    ]\n"
            "    pairs = combinations(enumerate(tasks), 2)\n"
            "    found = {\n"
            "        (late, early)\n"
            "        for (_, (early, _, said)), (place, (late, began, _)) in pairs\n"
            "        if late != early and said & (began - own[place])\n"
            "    }\n"
            "    return sorted(found)\n",
        ),
    ],
}
