"""How many requests a second the server answers: `python -m tests.benchmarks.throughput`.

Eight clients over kept connections, instant profile, the server in a process of its own. They send
the requests of the development sets in turn, each with its tools. Beside the requests a second it
prints the server's CPU milliseconds a request, which a busy machine does not change.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import urlsplit

from tests.policy.cases import ALL

CLIENTS = 8
REQUESTS = 200
"""Requests of one client."""
SERVE = """
import sys
from course.models.server import background
with background(profile="instant") as url:
    print(url, flush=True)
    sys.stdin.read()
"""


@contextmanager
def served() -> Iterator[tuple[str, int]]:
    """The server's address and process id, in a process of its own."""
    command = [sys.executable, "-c", SERVE]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as process:
        assert process.stdin and process.stdout
        yield process.stdout.readline().strip(), process.pid
        process.stdin.close()


def bodies() -> list[bytes]:
    """The first request of each development case, as the wire has it."""
    return [
        json.dumps(
            {
                "model": "switchboard-small",
                "messages": [
                    {"role": "system", "content": case.instructions},
                    {"role": "user", "content": case.say},
                ],
                "tools": [
                    {
                        "type": "function",
                        "function": {
                            "name": tool.name,
                            "description": tool.description,
                            "parameters": tool.parameters,
                        },
                    }
                    for tool in case.tools
                ],
            }
        ).encode()
        for case in ALL
    ]


def post(url: str, sent: list[bytes]) -> None:
    """Send requests one after the other over one connection; each must be answered."""
    address = urlsplit(url)
    line = http.client.HTTPConnection(address.hostname or "", address.port)
    head = {"Content-Type": "application/json", "Authorization": "Bearer any"}
    for body in sent:
        line.request("POST", f"{address.path}/chat/completions", body, head)
        answer = line.getresponse()
        told = answer.read()
        assert answer.status == 200, told


def cpu_of(process: int) -> float:
    """Seconds of CPU that a process has taken (Linux)."""
    told = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


def throughput() -> dict[str, float]:
    """Requests a second at first and when all have been seen, and the server's CPU for each."""
    found = {}
    every = bodies()
    with served() as (url, process), ThreadPoolExecutor(CLIENTS) as clients:
        for name in ("first", "later"):
            begin, spent = time.perf_counter(), cpu_of(process)
            sent = [list(islice(cycle(every), n * 50, n * 50 + REQUESTS)) for n in range(CLIENTS)]
            list(clients.map(post, [url] * CLIENTS, sent))
            many = CLIENTS * REQUESTS
            found[f"{name}_a_second"] = many / (time.perf_counter() - begin)
            found[f"{name}_cpu_ms"] = 1000 * (cpu_of(process) - spent) / many
    return found


if __name__ == "__main__":
    print(json.dumps(throughput()))
