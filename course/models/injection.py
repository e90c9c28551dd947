"""What goes wrong on purpose: with the way to a model, with what it answers, and with tools.

Everything is drawn from what is asked (seed, run, agent, matter, call), never from the order, so
that patterns that are compared meet the same faults wherever they ask the same. Rate limits are
not among them: those follow from load, under a profile that has them.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from course.models.draws import Draws
from course.models.engine import Answered, Responder
from course.models.profile import Failures, Outages, Profile, ToolFailures, load
from course.models.wire import Call, ChatRequest, Reply
from course.trace import span

WAYS = ("service", "slow", "outages")
ANSWERS = ("bad_json", "unknown_tool", "wrong_argument", "repeat", "early_end", "truncated")
MODEL_KINDS = (*WAYS, *ANSWERS, "mixed")
"""Of a model: "service" (429, 5xx and hanging calls, one by one), "slow" (they hang), "outages"
(the same share, but in spells), or what it answers: arguments that are no JSON, a tool that does
not exist, an argument that does not fit, the call before once more, an end that comes too early,
an answer that breaks off. "mixed" is half "service" and half one of the answers."""
SHARED = ("slow", "error", "bad_value", "wrong_shape")
"""The kinds of `course.models.tool_faults.TOOL_KINDS` that a profile has shares of."""

_BAD, _END, _SLOT = 0.75, 0.25, 5.0
"""Of outages, as in the profile "stormy": the share that fails in one, the chance that one ends
within a slot, and a slot's seconds."""


@cache
def profile_with(
    profile: str, *, model: float = 0.0, kind: str = "service", tool: float = 0.0,
    tool_kind: str = "mixed", move: float = 0.0, weather: str = "run",
) -> Profile:  # fmt: skip
    """A profile with failures of these shares (0 to 1) put in the place of its own.

    Where a share is 0, the profile's own failures stay. Each one becomes a `fault` step; outages
    come as the `weather` of this name has them.
    """
    base = load(profile)
    failures = base.failures
    if model and kind in (*WAYS, "mixed"):
        failures = _failures(failures, model / 2 if kind == "mixed" else model, kind)
    spells = failures.outages and failures.outages.model_copy(update={"weather": weather})
    changed: dict[str, Any] = {
        "failures": failures.model_copy(update={"noted": True, "outages": spells}),
        "move_failures": move or base.move_failures,
    }
    if tool:
        shares = load("faulty_tools").tool_failures
        assert shares is not None
        changed["tool_failures"] = _tool_failures(shares, tool, tool_kind)
    return base.model_copy(update=changed)


def _failures(base: Failures, rate: float, kind: str) -> Failures:
    if kind == "slow":
        only = {"rate_limited": 0.0, "server_error": 0.0, "timeout": 1.0}
        return base.model_copy(update={"rate": rate, "outages": None, **only})
    if kind != "outages":
        return base.model_copy(update={"rate": rate, "outages": None})
    bad = min(0.99, rate / _BAD)  # of the time, so that the long run's share is the same
    begin = min(1.0, _END * bad / (1 - bad))
    spells = Outages(slot_seconds=_SLOT, begin=begin, end=_END, failure_rate=_BAD, at_first=bad)
    return base.model_copy(update={"rate": 0.0, "outages": spells})


def _tool_failures(shares: ToolFailures, rate: float, kind: str) -> ToolFailures:
    if kind == "mixed":
        return shares.model_copy(update={"rate": rate})
    if kind not in SHARED:
        return shares.model_copy(update={"rate": rate, "own": kind})
    return shares.model_copy(
        update={"rate": rate, **{each: float(each == kind) for each in SHARED}}
    )


class Troubled:
    """A model whose answers go wrong now and then; each time is a `fault` step of the trace.

    Args:
        responder: the model.
        rate: the share of its answers.
        kinds: what happens to them, each as likely; where one cannot, nothing happens.
        seed: of the draws.
    """

    def __init__(
        self, responder: Responder, *, rate: float, kinds: Sequence[str], seed: int
    ) -> None:
        self._responder, self._rate, self._kinds, self._seed = responder, rate, kinds, seed

    async def __call__(self, request: ChatRequest) -> Answered:
        """The answer to a request, or what became of it."""
        answer = self._responder(request)
        if inspect.isawaitable(answer):
            answer = await answer
        draws = Draws(self._seed, request.key)
        if not isinstance(answer, Reply) or not draws.chance("fault of an answer", self._rate):
            return answer
        kind = draws.choice("kind of it", self._kinds)
        spoilt = spoil(answer, kind, request)
        if spoilt != answer:
            with span("fault", kind):
                pass
        return spoilt


def troubled(responder: Responder, *, rate: float, kind: str, seed: int) -> Responder:
    """The model itself, unless this kind of fault is one of its answers."""
    if not rate or kind in WAYS:
        return responder
    kinds, share = (ANSWERS, rate / 2) if kind == "mixed" else ((kind,), rate)
    return Troubled(responder, rate=share, kinds=kinds, seed=seed)


def spoil(reply: Reply, kind: str, request: ChatRequest) -> Reply:
    """An answer after a fault of this kind; the same one where the fault does not apply."""
    if kind == "early_end":
        return Reply("That is all.") if reply.calls else reply
    if kind == "truncated":
        text = reply.text or ""
        return (
            replace(reply, text=text[: len(text) // 2], finish_reason="length") if text else reply
        )
    if kind == "repeat":
        before = [call for m in request.messages for call in m.get("tool_calls") or ()]
        if not before or not reply.calls:
            return reply
        last = before[-1]["function"]
        return Reply(calls=(Call(last["name"], last["arguments"]),))
    return replace(reply, calls=tuple(_spoilt_call(call, kind) for call in reply.calls))


def _spoilt_call(call: Call, kind: str) -> Call:
    if kind == "bad_json":
        return replace(call, arguments=call.arguments[: len(call.arguments) // 2] + "{")
    if kind == "unknown_tool":
        return replace(call, name=f"{call.name}_now")
    given: dict[str, Any] = json.loads(call.arguments or "{}")
    first = next(iter(given), "value")
    return replace(call, arguments=json.dumps({**given, first: {"wrong": True}}))
