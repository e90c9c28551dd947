"""What becomes of a plan when tools, models and the machine fail, one measurement per process.

`python -m tests.benchmarks.failures NAME` prints JSON. Runs are in virtual time, so that the same
seed meets the same luck under every policy; only the kills are on the machine's clock.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from course.runner import run
from tests.benchmarks.workers import plan_of, task

RUNS = 1000
KILLS = 100
FAILING = 0.2

PLAN = [
    task("t1"), task("t2"), task("t3"), task("t4", "t1"), task("t5", "t2", "t3"), task("t6", "t5"),
]  # fmt: skip


def chance(*what: Any) -> float:
    """A number in [0, 1) that hangs on nothing but its arguments."""
    return random.Random(repr(what)).random()


def faulty_team(seed: int, *, steady: bool = False) -> Any:
    """A worker whose search fails on 20 % of the tasks until a year is named, and on 20 % of the
    calls for no reason; when `steady`, always on the same queries, whoever asks how often."""
    from course import ToolError, tool
    from course.supervisor import Worker
    from course.supervisor_worker import Registry

    calls: dict[str, int] = {}

    @tool
    def search(query: str) -> str:
        """Search the documents."""
        about = re.findall(r"\bt\d\b", query)[0]
        calls[about] = calls.get(about, 0) + 1
        if chance(seed, about, "trap") < FAILING and "2025" not in query:
            raise ToolError("240 hits, too many; name the year, such as 2025")
        luck = query if steady else (about, calls[about])
        if chance(seed, luck, "luck") < FAILING:
            raise ConnectionError("connection reset")
        return f"The figure of {about} in 2025 is {10 + int(about[1:])} EUR."

    worker = Worker(name="w", description="finds figures", instructions="Search.", tools=(search,))
    return Registry((worker,))


def faulty_model(request: Any) -> Any:
    """A worker that searches for its task in its words; a rewriter that does as the error says."""
    from course.models.wire import Call, Reply

    said = str(request.messages[-1]["content"])
    agent = request.key.agent
    if agent.endswith("refining"):
        words = said.split("\n\n")[0].removeprefix("Task: ")
        hint = re.search(r"such as (\w+)", said)
        return f"{words}, for {hint[1]}" if hint else f"{words}, once more"
    if agent.endswith("answering"):
        return " ".join(re.findall(r"The figure of t\d in 2025 is \d+ EUR\.", said)) or "Nothing."
    if request.messages[-1]["role"] == "tool":
        return said if "The figure" in said else "CANNOT: the search failed."
    query = said.split("\n\n")[0].removeprefix("Task: ")
    return Reply(calls=(Call("search", json.dumps({"query": query})),))


def faulty_run(seed: int, retry: Any) -> tuple[Any, bool]:
    """One run under 20 % failures of the model and 20 % of the tools."""
    from course import clock, connect
    from course import supervisor_worker as team
    from course.models import Scripted
    from course.models.profile import load

    profile = load("calm")
    failures = profile.failures.model_copy(update={"rate": FAILING})
    profile = profile.model_copy(update={"failures": failures})
    boss = team.PlanningSupervisor(
        name="chief",
        workers=faulty_team(seed).workers,
        failure_policy=team.FailurePolicy(retry=retry),
        timeouts=team.Timeouts(call=10.0),
    )
    client = connect(Scripted(faulty_model), profile=profile, seed=seed)
    running = run(boss, "All figures?", client=client, plan=plan_of(*PLAN), run_id=f"run {seed}")
    result = clock.simulate(running)
    named = all(gap.task_id in result.answer and gap.why in result.answer for gap in result.gaps)
    return result, named


def answered(result: Any) -> float:
    """The share of tasks with a result."""
    return sum(each.done for each in result.results.values()) / len(result.results)


def faults() -> dict[str, float]:
    """Refined retry against plain repeat and none: the same seeds, and so the same luck."""
    shares: dict[str, list[float]] = {"refine": [], "repeat": [], "never": []}
    ended = stated = 0
    for seed in range(RUNS):
        for retry, kept in shares.items():
            result, named = faulty_run(seed, retry)
            ended += 1
            stated += named
            kept.append(answered(result))
    gain = [a - b for a, b in zip(shares["refine"], shares["repeat"], strict=True)]
    middle, half = statistics.mean(gain), 1.96 * statistics.stdev(gain) / len(gain) ** 0.5
    return {
        "runs": 3 * RUNS,
        "ended": ended / (3 * RUNS),
        "gaps_stated": stated / (3 * RUNS),
        **{f"answered_{retry}": statistics.mean(kept) for retry, kept in shares.items()},
        "gain": middle,
        "gain_low": middle - half,
        "gain_high": middle + half,
    }


def kept_run(path: Path) -> tuple[Any, list[str]]:
    """A run that is kept in a file, and the tasks for which a model was asked."""
    from course import clock, connect
    from course import supervisor_worker as team
    from course.models import Scripted

    asked: list[str] = []

    def model(request: Any) -> Any:
        asked.append(request.key.run.split("/")[1] if "/" in request.key.run else "")
        return faulty_model(request)

    store = team.Store(path)
    boss = team.PlanningSupervisor(
        name="chief", workers=faulty_team(8, steady=True).workers, limit=2
    )
    client = connect(Scripted(model), profile="calm")
    running = run(boss, "All figures?", client=client, plan=plan_of(*PLAN), store=store)
    result = clock.simulate(running)
    store.close()
    return result, asked


def finished_in(path: Path) -> set[str]:
    from course.supervisor_worker import Store

    store = Store(path)
    store.begin("run", "All figures?")
    ids = set(store.results("run"))
    store.close()
    return ids


def forked(path: Path) -> int:
    """A process that carries out the run and ends; its id."""
    child = os.fork()
    if child == 0:
        kept_run(path)
        os._exit(0)
    return child


def kills() -> dict[str, float]:
    """Killed by the system at 100 random moments: what is asked again, and whether it answers the
    same."""
    folder = Path(tempfile.mkdtemp())
    whole, _ = kept_run(folder / "whole.db")
    begin = time.perf_counter()
    os.waitpid(forked(folder / "timed.db"), 0)
    longest = time.perf_counter() - begin
    luck = random.Random(3)
    repeated = same = midway = 0
    for number in range(KILLS):
        path = folder / f"killed_{number}.db"
        child = forked(path)
        time.sleep(luck.random() * longest)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        finished = finished_in(path)
        midway += 0 < len(finished) < len(PLAN)
        result, asked = kept_run(path)
        repeated += len(finished & set(asked))
        same += result.answer == whole.answer
    return {"kills": KILLS, "midway": midway, "repeated": repeated, "same_answer": same / KILLS}


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]]()))
