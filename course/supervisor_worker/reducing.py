"""Reducing: results that do not fit into one request are put together batch by batch, as a tree.

Each level makes a few notes out of many results, until what is left fits. Contradictions and gaps
were found before, on the results themselves, so that no level can lose them.

Source: MapReduce (Dean and Ghemawat, OSDI 2004), applied to summaries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from course.chat import complete
from course.context import Context
from course.models import tokens as counting
from course.models.names import SMALL
from course.supervisor_worker.abreast import abreast
from course.supervisor_worker.material import Material
from course.trace import span

if TYPE_CHECKING:
    from openai import AsyncOpenAI

INSTRUCTIONS = """\
You summarise the results of several tasks as notes for a colleague who writes the answer to the
request. Keep every figure with its unit and year that the request needs, and say in brackets which
task it is from. Write at most {words} words."""

SHARE = 4
"""A batch is put together into notes of a quarter of its room, so that each level is a step."""

WORDS_PER_TOKEN = 0.75


def size(results: Mapping[str, str]) -> int:
    """Tokens of results with their labels, as the simulated model counts.

    Built in chapter 09.
    """
    return sum(
        counting.count_text(label) + counting.count_text(text) for label, text in results.items()
    )


def fits(material: Material, context_tokens: int) -> bool:
    """Whether the results can be shown in one request.

    Built in chapter 09.
    """
    return size(material.results) <= context_tokens


def batches(results: Mapping[str, str], context_tokens: int) -> list[dict[str, str]]:
    """The results in batches that fit, in order; one that is too long by itself is cut.

    Built in chapter 09.
    """
    found: list[dict[str, str]] = [{}]
    for label, text in pieces(results, context_tokens):
        if found[-1] and size({**found[-1], label: text}) > context_tokens:
            found.append({})
        found[-1][label] = text
    return found


def pieces(results: Mapping[str, str], context_tokens: int) -> list[tuple[str, str]]:
    """Results with their labels, those too long for one request in several parts.

    Built in chapter 09.
    """
    found = []
    for label, text in results.items():
        parts = -(-size({label: text}) // max(1, context_tokens - counting.count_text(label) - 8))
        letters = -(-len(text) // parts)
        for number in range(parts):
            part = text[number * letters : (number + 1) * letters]
            found.append((label if parts == 1 else f"{label}, part {number + 1}", part))
    return found


async def reduce(
    material: Material,
    *,
    client: AsyncOpenAI,
    context_tokens: int,
    model: str = SMALL,
    agent: str = "aggregator",
    run_id: str = "run",
) -> Material:
    """Put results together, level by level, until they fit into one request.

    Args:
        material: what there is; if it fits, no model is asked.
        context_tokens: of results that one request may hold.

    Raises:
        ModelError: the model cannot be used.

    Built in chapter 09, exercise 9.4.
    """
    level = 0
    while not fits(material, context_tokens):
        level += 1
        parts = batches(material.results, context_tokens)
        with span("reduce", agent, {"switchboard.level": level, "switchboard.batches": len(parts)}):
            notes = await abreast(
                condense(
                    material.request, part, client=client, room=context_tokens // SHARE,
                    model=model, agent=agent, run_id=f"{run_id}/{level}.{number}",
                )
                for number, part in enumerate(parts)
            )  # fmt: skip
        labels = [together(part) for part in parts]
        material = replace(material, results=dict(zip(labels, notes, strict=True)))
    return material


def together(part: Mapping[str, str]) -> str:
    """A label for what was put together: the first and the last of its tasks.

    Built in chapter 09.
    """
    labels = [label.split(" (")[0] for label in part]
    first, last = labels[0].split(" to ")[0], labels[-1].split(" to ")[-1]
    return labels[0] if len(labels) == 1 else f"{first} to {last}"


async def condense(
    request: str,
    results: Mapping[str, str],
    *,
    client: AsyncOpenAI,
    room: int,
    model: str = SMALL,
    agent: str = "aggregator",
    run_id: str = "run",
) -> str:
    """Notes on a few results, of at most `room` tokens: one model call.

    Notes that were cut off have lost the last results without a word. Then the results themselves
    are the notes, each cut to its share, so that something of every task goes on.

    Raises:
        ModelError: the model cannot be used.

    Built in chapter 09.
    """
    told = "\n".join(f"[{label}]: {text}" for label, text in results.items())
    words = INSTRUCTIONS.format(words=max(1, int(room * WORDS_PER_TOKEN)))
    asked = Context.of(f"Request: {request}\n\nResults:\n{told}", instructions=words)
    body = {"model": model, "messages": asked.messages, "max_completion_tokens": max(1, room)}
    headers = {"x-switchboard-run": run_id, "x-switchboard-agent": agent}
    answer = await complete(client, body, headers=headers)
    said = str(answer.message.get("content") or "")
    if answer.finish_reason == "length" or counting.count_text(said) > room or not said.strip():
        return cut_evenly(results, room)
    return said


def cut_evenly(results: Mapping[str, str], room: int) -> str:
    """The beginnings of results, the same share of the room for each, marked where they are cut.

    Built in chapter 09.
    """
    share = max(1, room // len(results) - 12)
    told = []
    for label, text in results.items():
        start = counting.cut(text, share)
        told.append(f"[{label.split(' (')[0]}] {start}{'' if start == text else ' [cut]'}")
    return counting.cut("\n".join(told), room)
