"""What one decision costs in CPU time: `python -m tests.benchmarks.decision` prints a table.

Requests of the natural development set are strung together to messages of several lengths, ten
tools beside each. Every message is met for the first time: what was read of texts before is
forgotten between two, while the tools and the stems of words are known as they are in a process
that has answered before. Beside the milliseconds stands how often a fixed loop of plain Python
would have run meanwhile, by which machines compare.

A second table has what a new process takes until it has imported the course, until the model has
decided for the first time, and until `run_sync` has an answer; a last line what the server takes
for a request that it has not seen before, and how many it answers a second (`throughput`).
"""

from __future__ import annotations

import argparse
import gc
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import _lru_cache_wrapper
from itertools import cycle, islice

from course.models.draws import Draws
from course.models.policy import respond
from course.models.policy.words import stem
from course.models.wire import ChatRequest, ToolSpec
from tests.benchmarks.throughput import throughput
from tests.policy.cases import Case, load

LENGTHS = {20: 60, 100: 40, 300: 40, 400: 20, 1_400: 12, 10_000: 8}
"""Tokens of a message, and how many are measured."""
TOOLS = 10
CHARACTERS = 4
"""Characters of a token, about."""
OTHERS = 12
"""Requests of another set that the tools of a message have served before."""


def messages(tokens: int, count: int) -> Iterator[ChatRequest]:
    """So many messages of about so many tokens, with the tools of the trade they begin in."""
    cases = list(load("natural"))
    domains = list(dict.fromkeys(c.domain for c in cases))
    each = [[c for c in cases if c.domain == d] for d in domains]
    for n in range(count):
        own, following = each[n % len(each)], each[(n + 1) % len(each)]
        tools = tuple({t.name: t for t in (*own[0].tools, *following[0].tools)}.values())
        place = next(p for p, c in enumerate(cases) if c is own[n // len(each) % len(own)])
        yield asked(strung(cases[place:] + cases[:place], tokens), own[0], tools[:TOOLS])


def strung(cases: list[Case], tokens: int) -> str:
    """As many of the requests as make so many tokens, the first one at least."""
    text = cases[0].say
    for case in cases[1:]:
        if len(text) + len(case.say) / 2 > tokens * CHARACTERS:
            break
        text = f"{text} {case.say}"
    return text


def asked(text: str, case: Case, tools: tuple[ToolSpec, ...]) -> ChatRequest:
    said = ({"role": "system", "content": case.instructions}, {"role": "user", "content": text})
    return ChatRequest("switchboard-small", said, tools)


def forget() -> None:
    """Empty all caches but that of the stems."""
    for cached in [c for c in gc.get_objects() if isinstance(c, _lru_cache_wrapper)]:
        if (
            cached is not stem
            and "policy" in cached.__module__
            and cached.cache_parameters()["maxsize"]
        ):
            cached.cache_clear()


def milliseconds(run: Callable[[], object]) -> float:
    begin = time.process_time()
    run()
    return 1000 * (time.process_time() - begin)


def loop() -> int:
    """Plain Python that always does the same: words counted, sorted and joined."""
    counts: dict[str, int] = {}
    for word in islice(cycle("so many words that are all the same in every run".split()), 20_000):
        counts[word] = counts.get(word, 0) + len(word)
    return len("".join(sorted(counts, key=counts.__getitem__)))


def first_time(request: ChatRequest) -> float:
    """The milliseconds of a message whose tools have served other requests before."""
    forget()
    for case in islice(load("development"), OTHERS):
        respond(asked(case.say, case, request.tools), Draws())
    return milliseconds(lambda: respond(request, Draws()))


FIRST = """
from course.models.draws import Draws
from course.models.policy import respond
from course.models.wire import ChatRequest, ToolSpec
wanted = {"day": {"type": "string", "description": "YYYY-MM-DD"}, "seats": {"type": "integer"}}
book = ToolSpec("book_table", "Book a table.", {"type": "object", "properties": wanted})
said = {"role": "user", "content": "A table for four tomorrow, please. My name is Anna Bell."}
assert respond(ChatRequest("switchboard-small", (said,), (book,)), Draws()).calls
"""
COLD = {
    "nothing": "pass",
    "import course": "import course",
    "first decision": FIRST,
    "the same after import openai": f"import openai\n{FIRST}",
    "first answer of run_sync": "import course; a = course.Agent(name='a', instructions='',"
    " model=course.SMALL); course.run_sync(a, 'Hello', client=course.connect(profile='instant'))",
}
"""What a new process does."""
COLD_RUNS = 5


def cold(code: str) -> float:
    """CPU milliseconds of a new process that does something, the middle of some runs; the first
    is left out, in which Python compiles what it imports."""
    took = []
    for _ in range(COLD_RUNS + 1):
        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(1000 * (end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime))
    return statistics.median(took[1:])


def show_cold() -> None:
    """Print what a new process takes until it has done this or that."""
    print("\n| a new process | CPU ms | in loops |\n|---|---|---|")
    for name, code in COLD.items():
        loops = statistics.median(milliseconds(loop) for _ in range(15))
        took = cold(code)
        print(f"| {name} | {took:.0f} | {took / loops:.0f} |", flush=True)


def show_server() -> None:
    """Print what the server takes for requests that it meets for the first time, and again."""
    loops = statistics.median(milliseconds(loop) for _ in range(15))
    found = throughput()
    print("\n| the server's requests | a second | CPU ms | in loops |\n|---|---|---|---|")
    for name in ("first", "later"):
        took = found[f"{name}_cpu_ms"]
        rate = found[f"{name}_a_second"]
        print(f"| {name} | {rate:.0f} | {took:.1f} | {took / loops:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.decision", description=__doc__
    )
    parser.add_argument("lengths", nargs="*", type=int, default=[*LENGTHS], help="in tokens")
    lengths = parser.parse_args().lengths
    for request in messages(20, 48):
        respond(request, Draws())
    print("| tokens | characters | messages | median ms | worst ms | median in loops |")
    print("|---|---|---|---|---|---|")
    for tokens in lengths:
        asked_for = list(messages(tokens, LENGTHS.get(tokens, 10)))
        size = statistics.median(len(r.messages[-1]["content"]) for r in asked_for)
        loops = statistics.median(milliseconds(loop) for _ in range(15))
        took = [first_time(r) for r in asked_for]
        middle = statistics.median(took)
        print(f"| {tokens} | {size:.0f} | {len(took)} | {middle:.1f} | {max(took):.1f}"
              f" | {middle / loops:.1f} |", flush=True)  # fmt: skip
    show_cold()
    show_server()


if __name__ == "__main__":
    main()
