"""Measure the simulated model on all its duties: `python -m tests.reading.duties [set ...]`.

The sets (tests/reading/duties/*.json) hold whole requests in natural words over trades that nobody
tuned for, with what a right answer must hold (`answers.py`): calls, questions back, dialogues,
repaired calls, routes, documents, plans, rewritten tasks, results put together, instructions. They
were written by people who saw neither the rules nor their results. `--wrong` prints what went
wrong, but of the sets that are kept for the end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from openai import AsyncOpenAI
from statsmodels.stats.proportion import proportion_confint

from course.models.connect import connect
from course.models.names import SMALL
from tests.reading.answers import Answer, wrong

HERE = Path(__file__).parent / "duties"
OPEN = ("open", "open_2")
"""Sets whose misses were read while rules were changed."""


def load(name: str) -> list[dict[str, Any]]:
    """The cases of a set: id, domain, category, request and expectation."""
    found: list[dict[str, Any]] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return found


def names() -> list[str]:
    """All sets."""
    return sorted(path.stem for path in HERE.glob("*.json"))


async def put(client: AsyncOpenAI, case: dict[str, Any]) -> str:
    """Why the answer to a case is not right; "" if it is."""
    reply = await client.chat.completions.create(model=SMALL, **case["request"])
    message = reply.choices[0].message
    calls = tuple(
        (c.function.name, json.loads(c.function.arguments))
        for c in message.tool_calls or ()
        if c.type == "function"
    )
    return wrong(case["request"], case["expect"], Answer(message.content or "", calls))


def verdicts(cases: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    """Each case with why its answer is not right."""
    client = connect(profile="instant", wire=False)

    async def through() -> list[str]:
        return [await put(client, case) for case in cases]

    yield from zip(cases, asyncio.run(through()), strict=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=names(), help="all, if none is named")
    parser.add_argument("--wrong", action="store_true", help="print the answers that went wrong")
    given = parser.parse_args()
    for name in given.sets:
        right, of = Counter[str](), Counter[str]()
        for case, reason in verdicts(load(name)):
            of[case["category"]] += 1
            right[case["category"]] += not reason
            if given.wrong and reason and name in OPEN:
                print(case["id"], case["category"], reason, sep=": ")
        low, high = proportion_confint(right.total(), of.total(), method="wilson")
        print(f"{name}: {right.total()} of {of.total()} [{low:.0%}, {high:.0%}]")
        for kind, count in sorted(of.items()):
            print(f"    {kind:22} {right[kind]:3} of {count:3}")


if __name__ == "__main__":
    main()
