"""What a sweep of a real service costs: the kit's own server on loopback, asked over HTTP.

`python -m tests.benchmarks.coverage money` prints these rows of the table. Prices are 1 and 2 US
dollars per million tokens; the account allows sixty requests a minute where its limit is known.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

from tests.benchmarks.__main__ import Row

ROOT = Path(__file__).parents[2]
IN_FLIGHT = 8
LIMITED = """
extends = "instant"
name = "limited"
summary = "sixty requests a minute"
sources.assumed = { what = "assumed", date = "2026-11" }
models.switchboard-small.requests_per_minute = { value = 60, source = "assumed" }
models.switchboard-large.requests_per_minute = { value = 60, source = "assumed" }
"""
DEAREST = 0.003
"""US dollars that no request here costs."""


@contextmanager
def served(profile: str) -> Iterator[None]:
    """A server under a profile, in the environment as the service."""
    command = [sys.executable, "-m", "course", "serve", "--profile", profile]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout
            found = re.search(r"http://127\.0\.0\.1:\d+/v1", process.stdout.readline())
            assert found
            named = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": found.group(),
                     "COURSE_MODEL": "switchboard-large"}  # fmt: skip
            with mock.patch.dict(os.environ, named):
                yield
        finally:
            process.kill()


def asked(folder: Path, **cap: Any) -> tuple[Any, float]:
    """The runs that a sweep keeps, and the US dollars that it spends until it ends."""
    from course.errors import ConfigurationError
    from course.lab import store
    from course.lab.spec import Experiment
    from course.lab.sweep import sweep

    prices = {"input": 1.0, "output": 2.0, "in_flight": IN_FLIGHT}
    made = Experiment(name="live", bench="calls:2", pattern=["single", "supervisor"], tasks=4,
                      model="endpoint", seeds="0:4", cap=prices | cap)  # fmt: skip
    with suppress(ConfigurationError, KeyboardInterrupt):
        sweep(made, folder, progress=False)
    calls: dict[int, dict[str, float]] = {}
    for line in (folder / "spent.jsonl").read_text().splitlines():
        told = json.loads(line)
        calls.setdefault(told["call"], {}).update(told)
    return store.runs(folder), sum(each.get("paid", each["held"]) for each in calls.values())


def interrupt(folder: Path, after: int = 12) -> None:
    """Press Ctrl-C once so many runs have ended."""
    while len(list(folder.glob("*.parquet"))) < after:
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)


def rows() -> Iterator[Row]:
    """Overshoot of a cap, what an interruption leaves, and what is refused at a known limit."""
    with tempfile.TemporaryDirectory() as name, served("instant"):
        folder, most = Path(name), 0.02
        runs, spent = asked(folder / "cap", usd=most)
        over = max(0.0, spent - most) / DEAREST
        yield Row("overshoot of a cap, in calls (in flight: 8)", "calls", over, IN_FLIGHT)
        pairs = runs.groupby(["task_id", "seed"]).size()
        yield Row("- whole pairs among what it left", "share", float((pairs == 2).mean()))
        threading.Thread(target=interrupt, args=(folder / "stop" / "runs",), daemon=True).start()
        kept, _ = asked(folder / "stop")
        yield Row("kept after Ctrl-C past 12 of 32 runs", "runs", len(kept), 12, at_least=True)
    with tempfile.TemporaryDirectory() as name:
        limited = Path(name) / "limited.toml"
        limited.write_text(LIMITED)
        with served(str(limited)):
            runs, _ = asked(Path(name) / "rate", rpm=60)
        refused = runs["retries"].sum() / runs["requests"].sum()
        yield Row("requests refused at a limit known beforehand", "share", float(refused), 0.02)
