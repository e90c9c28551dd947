"""A small world and many ways to work in it, for tests of both transports."""

import linecache
from pathlib import Path
from typing import Any

from course.models import ApiError, Reply
from graders.judge.world import tokens_from
from graders.records.scenario import Answer, Ask, Scenario, ToolOffer
from tests.grading.answers import read

TOKENS = tokens_from(b"a test's own")
NAME = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "additionalProperties": False,
}


def look_up(ask: Ask) -> Answer:
    """Takes a second, and one more for each call before; refuses "nobody", ignores "never"."""
    name = ask.arguments["name"]
    if name == "nobody":
        return Answer(error="there is no nobody", seconds=0.5)
    return Answer(f"{name} {ask.token}", seconds=1.0 + ask.number, never=name == "never")


def model(ask: Ask) -> Answer:
    """Answers after two seconds; the first two requests that say "stormy" fail."""
    assert ask.request is not None
    said = str(ask.request.messages[-1]["content"])
    if "stormy" in said and ask.number < 2:
        return Answer(error=ApiError(503, "come again", type="server_error"), seconds=0.25)
    return Answer(Reply(f"to {said}: {ask.token}"), seconds=2.0, never="never" in said)


def world(*names: str, **params: Any) -> Scenario:
    """The world, with the names that a stage is given."""
    tool = ToolOffer("look_up", "Look a person up.", NAME, look_up)
    return Scenario((tool,), model, {"names": list(names or ("Ann", "Ben", "Cem")), **params})


STAGE = """
async def stage(bench, student):
    return await student.solve(bench, bench.tool("look_up").function, bench.params["names"])
"""

HEAD = """
import asyncio, concurrent.futures, queue, threading, time
from course import SMALL, clock, connect

async def ask(client, text, **options):
    said = [{"role": "user", "content": text}]
    return await client.chat.completions.create(model=SMALL, messages=said, **options)

"""

_PAGE = Path(__file__).with_name("stages.txt")
RUNS = {
    name: f"\n{source}"
    for name, source in read(_PAGE.read_text(encoding="utf-8"), _PAGE.name, "").right
}
"""Solutions by what they do, from stages.txt."""


def cell(style: str) -> str:
    """The source text of a solution."""
    return HEAD + RUNS[style]


def notebook(source: str) -> dict[str, Any]:
    """The names of a notebook that ran this text as its only cell."""
    file = "<cell 1>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"__name__": "a_notebook"}
    exec(compile(source, file, "exec"), namespace)
    return namespace
