"""Wrong answers to the exercises of chapter 01: what a student may well write.

Each entry is (name, source of the solution cell). Every one must lose exactly its exercise.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from course.agent import answer_call, answer_calls, loop
from course.chat import join_deltas
from course.tools import describe


def _changed(definition: Callable[..., Any], old: str, new: str) -> str:
    """The finished definition with one thing changed."""
    source = inspect.getsource(definition)
    if source.count(old) != 1:
        raise ValueError(f"{definition.__name__} holds {source.count(old)} times: {old}")
    return source.replace(old, new)


WRONG = {
    "1.1": [
        (
            "keeps pydantic's titles",
            _changed(
                describe,
                "json_schema(arguments_model(function))",
                "arguments_model(function).model_json_schema()",
            ),
        ),
        ("describes without a docstring", _changed(describe, "if not description:", "if False:")),
        (
            "forgets what is required",
            _changed(
                describe,
                "    return {",
                '    schema["required"] = list(schema["properties"])\n    return {',
            ),
        ),
        (
            "keeps the first line only",
            _changed(
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
    ],
    "1.2": [
        ("lets a tool's error out", _changed(answer_call, "except ToolError", "except ValueError")),
        (
            "does not name the tools there are",
            _changed(answer_call, "; the tools are: {known}", ""),
        ),
        (
            "answers under another id",
            _changed(answer_call, '"tool_call_id": call["id"]', '"tool_call_id": "call_1"'),
        ),
        (
            "swallows the reason",
            _changed(answer_call, 'to_json({"error": str(error)})', 'to_json({"error": "failed"})'),
        ),
        (
            "answers in the user's name",
            _changed(answer_call, 'return {"role": "tool"', 'return {"role": "user"'),
        ),
        (
            "gives the error as plain text",
            _changed(answer_call, 'to_json({"error": str(error)}).decode()', "str(error)"),
        ),
        (
            "records the call as something else",
            _changed(answer_call, 'span("execute_tool"', 'span("answer"'),
        ),
        (
            "hides a failure from the trace",
            _changed(answer_call, 'step.fail(str(error), kind="ToolError")', "pass"),
        ),
        (
            "leaves the result out of the trace",
            _changed(answer_call, '        step.set("gen_ai.tool.call.result", content)\n', ""),
        ),
        (
            "records whose call it was, but not with what",
            _changed(answer_call, '        "gen_ai.tool.call.arguments": arguments,\n', ""),
        ),
        (
            "closes the span before the call",
            _changed(
                answer_call,
                "attributes) as step:\n        try:",
                "attributes) as step:\n        pass\n    if True:\n        try:",
            ),
        ),
    ],
    "1.3": [
        (
            "one after the other",
            "async def answer_calls(calls, tools):\n"
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
            _changed(
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
    ],
    "1.4": [
        ("has no cap", _changed(loop, "        if stop:\n", "        if False:\n")),
        ("never counts the turns", _changed(loop, "        turns += 1\n", "")),
        (
            "one turn too many",
            _changed(loop, "turns=turns, tokens", "turns=turns - 1, tokens"),
        ),
        (
            "counts the last call's tokens only",
            _changed(loop, "usage += answer.usage", "usage = answer.usage"),
        ),
        (
            "forgets the tools' results",
            _changed(
                loop,
                "context = context.add(*await answer_calls(calls, agent.tools))",
                "await answer_calls(calls, agent.tools)",
            ),
        ),
        (
            "loses the conversation with the model",
            _changed(loop, "            error.context = context\n", ""),
        ),
        ("sells a cut-off answer as whole", _changed(loop, "cut_off(answer)", "None")),
        (
            "ignores the clock",
            _changed(loop, "seconds=seconds)", "seconds=0.0)"),
        ),
    ],
    "1.5": [
        (
            "takes every piece for a new call",
            _changed(join_deltas, "piece.index, tool_call", "len(calls), tool_call"),
        ),
        (
            "keeps the last piece of the arguments",
            _changed(join_deltas, '["arguments"] +=', '["arguments"] ='),
        ),
        (
            "hands the text over at the end",
            _changed(join_deltas, "                on_text(said)\n", "").replace(
                "    message = assistant_message",
                "    on_text(text)\n    message = assistant_message",
            ),
        ),
        (
            "forgets the usage",
            _changed(join_deltas, "        if chunk.usage:", "        if False:"),
        ),
        (
            "loses the finish reason",
            _changed(join_deltas, "choice.finish_reason or reason", '"stop"'),
        ),
        (
            "takes half an answer for a whole one",
            _changed(join_deltas, "if reason is None:", "if False:"),
        ),
        (
            "only knows text",
            _changed(join_deltas, "[calls[index] for index in sorted(calls)]", "[]"),
        ),
    ],
}
