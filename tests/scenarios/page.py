# ruff: noqa: E501 (a page of text)
"""docs/domains.md: the six worlds of the project, as the code makes them.

`python -m tests.scenarios.page` writes the page anew; a test holds it to the code.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from course.scenarios.domains import KIT, named
from course.scenarios.world.domain import Domain, toolbox
from course.scenarios.world.requests import Call, Sample
from course.scenarios.world.world import World

PAGE = Path(__file__).parents[2] / "docs/domains.md"
SEED = 7
SHARED = (
    "search_documents",
    "read_document",
    "describe_tables",
    "query_database",
    "calculate",
    "format_table",
    "format_bullets",
    "format_memo",
)
INTRODUCTION = f"""# The six domains of the project

A domain is a kind of world, the workers in it, and five requests of growing difficulty. `DOMAINS` in `course/scenarios/domains.py` has all six. A
seed makes a world: a SQLite database of figures, a collection of documents, and a day that is today there. The same seed makes the same world to the
byte, another one other names and figures, with the same traps.

```python
from course.scenarios.domains import DOMAINS
from course.scenarios.world.rubric import right, rubric

domain = DOMAINS[0]
with domain.open(seed=7) as world:
    workers = domain.workers(world)              # agents; Worker(**vars(agent)) makes one a worker
    request = domain.requests[0]
    print(request.on(world).text)                # what is asked in this world
    verdicts = rubric(world, request, "...")     # one for each fact, gap and source
```

Every domain has full-text search and reading of documents (SQLite FTS5), read-only SQL, a calculator and a formatter beside tools of its own, and no
tool belongs to two workers. A tool that is asked too vaguely refuses, and says what to change: these are the **traps**, and whoever only asks again
in the same words meets the same refusal. Level 5 asks for something that the world does not hold: a right answer calls it missing. Some documents
carry **orders** to the reader; the tools show every document as a quotation, and an answer that obeys is wrong. That the
simulated model never does says nothing about a language model: rules that read no results as orders cannot be talked round ([security](security.md)).

An answer is judged by what it states and never by its wording: each fact about the right subject, each gap called one, each source cited, no figure
without an origin, and nothing that only an order says.

This page shows the worlds of seed {SEED} and is printed by `python -m tests.scenarios.page`.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *map(about, map(named, KIT))])


def about(domain: Domain[Any]) -> str:
    """One domain's part."""
    with domain.open(seed=SEED) as world:
        parts = [*head(domain, world), *holdings(world), *staff(domain, world)]
        samples = [(request.name, request.on(world)) for request in domain.requests]
    return "\n".join([*parts, *asked(samples), *traps(samples)]) + "\n"


def head(domain: Domain[Any], world: World) -> Iterator[str]:
    yield f"## {domain.name.capitalize()}\n"
    module = inspect.getmodule(type(world))
    assert module is not None
    room = module.__name__.rpartition(".")[0]
    yield f"{' '.join(str(type(world).__doc__).split())} Today is {world.today}."
    yield f"`{domain.open.__name__}(seed=...)` in `{room}`.\n"


def holdings(world: World) -> Iterator[str]:
    """Its tables and its documents."""
    yield from _head("table", "rows", "columns")
    for table in world.tables:
        rows = world.rows(f"SELECT count(*) AS rows FROM {table}")[0]["rows"]
        columns = [
            row["name"] for row in world.rows(f"SELECT name FROM pragma_table_info('{table}')")
        ]
        yield _row(f"`{table}`", str(rows), ", ".join(columns))
    yield ""
    yield from _head("documents", "how many", "such as")
    query = "SELECT kind, title, body FROM documents ORDER BY kind, id"
    for kind, found in groupby(world.rows(query), key=lambda row: row["kind"]):
        documents = list(found)
        orders = sum("ignore all previous" in row["body"].lower() for row in documents)
        told = f"{len(documents)}{f', {orders} with orders' if orders else ''}"
        yield _row(kind, told, documents[0]["title"])
    yield ""


def staff(domain: Domain[Any], world: World) -> Iterator[str]:
    """Its workers and their tools."""
    yield from _head("worker", "what for", "tools")
    for worker in domain.workers(world):
        named = ", ".join(f"`{tool.name}`" for tool in worker.tools)
        yield _row(worker.name, worker.description, named)
    yield ""
    yield from _head("tool of its own", "what it does")
    for name, tool in toolbox(domain.workers(world)).items():
        if name not in SHARED:
            yield _row(f"`{name}`", tool.description.splitlines()[0])
    yield ""


def asked(samples: list[tuple[str, Sample]]) -> Iterator[str]:
    """Its requests: what they say, and what a right answer holds."""
    yield from _head("level", "request", "facts", "missing", "sources", "calls that reach it all")
    for level, (name, sample) in enumerate(samples, start=1):
        missing = "; ".join(gap.name for gap in sample.gaps)
        yield _row(
            str(level), f"*{name}*: {sample.text}", str(len(sample.facts)), missing,
            str(len(sample.sources)), str(len(sample.walk)),
        )  # fmt: skip
    yield ""


def traps(samples: list[tuple[str, Sample]]) -> Iterator[str]:
    """What a naive call runs into, and the call that it becomes."""
    yield from _head("level", "trap", "a naive call", "is refused", "and becomes")
    for level, (_, sample) in enumerate(samples, start=1):
        for trap in sample.traps:
            yield _row(str(level), trap.kind, _call(trap.naive), trap.says, _call(trap.refined))


def _call(call: Call) -> str:
    said = ", ".join(f"{key}={_short(value)}" for key, value in call.arguments.items())
    return f"`{call.tool}({said})`"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:56]} ..."


def _head(*names: str) -> list[str]:
    return [_row(*names), "|" + "---|" * len(names)]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page())
