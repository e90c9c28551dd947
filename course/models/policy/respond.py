"""Respond: one chat request in, one reply out; the policy's only door."""

from __future__ import annotations

import json

from course.models.draws import Draws
from course.models.policy.answers import answer
from course.models.policy.conversation import Talk, read
from course.models.policy.needs import Wanted
from course.models.policy.steps import Step, steps_of, wanted_calls
from course.models.wire import Call, ChatRequest, Reply


def respond(request: ChatRequest, draws: Draws, *, error_rate: float = 0.0) -> Reply:
    """Answer a chat request by rules, from nothing but the request itself.

    Pure: no clock, no input or output; the same request and draws give the same reply.
    `error_rate` is the probability (0 to 1) that a call goes to the second best tool. Raises
    nothing on a well-formed request.
    """
    talk = read(request)
    if request.tools and request.tool_choice != "none":
        steps = steps_of(talk, request.tools)
        calls = wanted_calls(steps, talk)
        if calls:
            return _calling(calls, request)
        return Reply(text=answer(steps))
    return Reply(text="")


def _calling(calls: list[Wanted], request: ChatRequest) -> Reply:
    kept = calls if request.parallel_tool_calls else calls[:1]
    return Reply(calls=tuple(Call(c.name, json.dumps(c.arguments, ensure_ascii=False)) for c in kept))
