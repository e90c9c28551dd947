"""Whether an answer is the right one: the calls that it makes, or that it asks, or does nothing."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from openai import AsyncOpenAI
from statsmodels.stats.proportion import proportion_confint

from course.models.names import SMALL
from tests import sets
from tests.reading.requests import Case

ASKS = re.compile(r"\?|\b(?:please|could you|which|what|when|tell me|need)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Verdict:
    """What came of one request; `wrong` says in a few words why it is not right."""

    case: Case
    wrong: str = ""


async def ask(client: AsyncOpenAI, case: Case) -> Verdict:
    """Put one request and look at the answer."""
    messages: list[Any] = [{"role": "system", "content": case.system}, *case.messages]
    answer = await client.chat.completions.create(
        model=SMALL, messages=messages, tools=list(case.tools)
    )
    message = answer.choices[0].message
    calls = [
        (each.function.name, json.loads(each.function.arguments))
        for each in message.tool_calls or ()
        if each.type == "function"
    ]
    return Verdict(case, wrong(case, calls, message.content or ""))


def put_all(client: AsyncOpenAI, cases: Iterable[Case]) -> list[Verdict]:
    """Put all requests, one after another."""

    async def through() -> list[Verdict]:
        return [await ask(client, case) for case in cases]

    return asyncio.run(through())


def wrong(case: Case, calls: list[tuple[str, dict[str, Any]]], text: str) -> str:
    """Why these calls and this text are no right answer; empty if they are one."""
    if Counter(name for name, _ in calls) != Counter(name for name, _ in case.calls):
        return f"calls {sorted(name for name, _ in calls)}"
    left = list(calls)
    for name, wanted in case.calls:
        schema = _schema(case, name)
        same = [call for call in left if call[0] == name and _fits(call[1], wanted, schema)]
        if not same:
            return f"{name} with {[args for called, args in left if called == name]}"
        left.remove(same[0])
    if case.asks and not (ASKS.search(text) and _names_one(text, case.asks)):
        return f"does not ask: {text[:80]!r}"
    return ""


def _schema(case: Case, name: str) -> Mapping[str, Any]:
    of_name = (tool["function"] for tool in case.tools if tool["function"]["name"] == name)
    properties: Mapping[str, Any] = next(of_name)["parameters"]["properties"]
    return properties


def _fits(given: Mapping[str, Any], wanted: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    def neutral(name: str, value: Any) -> bool:
        return value in (None, "", False, [], {}) or value == schema.get(name, {}).get("default")

    return all(
        _same(given[name], wanted[name])
        if name in given and name in wanted
        else neutral(name, given.get(name, wanted.get(name)))
        for name in {*given, *wanted}
    )


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, str) and isinstance(other, str):
        return _plain(one) == _plain(other)
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(_ordered, one)) == sorted(map(_ordered, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return {k: _ordered(v) for k, v in one.items() if v not in (None, "")} == {
            k: _ordered(v) for k, v in other.items()
        }
    return bool(one == other)


def _ordered(value: Any) -> str:
    return _plain(value) if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _plain(text: str) -> str:
    return " ".join(text.strip(" \"'.").casefold().split())


def _names_one(text: str, words: Iterable[str]) -> bool:
    return any(word.casefold() in text.casefold() for word in words)


def digest(cases: Iterable[Case]) -> str:
    """A hash of requests and right answers: who changes the ruler has to say so."""
    return sets.digest([asdict(case) for case in cases])


def table(verdicts: list[Verdict]) -> str:
    """Right of all with its 95 % interval (Wilson), by operator and in sum."""
    lines = []
    for operator in (*dict.fromkeys(each.case.operator for each in verdicts), "all"):
        of = [each for each in verdicts if operator in (each.case.operator, "all")]
        right = sum(not each.wrong for each in of)
        low, high = proportion_confint(right, len(of), method="wilson")
        lines.append(
            f"{operator:18} {right:4} of {len(of):4}  {right / len(of):4.0%}"
            f"  [{low:.0%}, {high:.0%}]"
        )
    return "\n".join(lines)
