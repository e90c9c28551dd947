"""Tables of runs and spans made by hand, with the columns of `course.lab.tables`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from course.lab.tables import RUNS, SPANS, pandas_type, table

PATTERNS = {"single": 0.0, "supervisor": 1.5, "planner": 0.6}


def frame(rows: list[dict[str, Any]], columns: Any = RUNS) -> pd.DataFrame:
    return table(rows, columns).to_pandas(types_mapper=pandas_type)  # type: ignore[no-any-return]


def runs_table(
    *, tasks: int = 12, seeds: int = 4, effects: dict[str, float] | None = None, seed: int = 0,
    between: float = 2.0, by_task: float = 0.3, noise: float = 0.2, **conditions: Any,
) -> pd.DataFrame:  # fmt: skip
    """Latencies with a part of the task, of pattern and task, and of the run; the same each time.

    `effects` are the patterns' true differences in seconds.
    """
    luck = np.random.default_rng(seed)
    rows = []
    hard = luck.normal(0, between, tasks)
    for pattern, effect in (effects or PATTERNS).items():
        own = luck.normal(0, by_task, tasks)
        for task in range(tasks):
            for repeat in range(seeds):
                seconds = 10 + hard[task] + effect + own[task] + luck.normal(0, noise)
                rows.append({
                    "run_id": f"{pattern}/{task}/{repeat}", "experiment": "by hand",
                    "arm": pattern, "pattern": pattern, "policy": "refine", "bench": "front_desk",
                    "task_id": f"t{task}", "cluster": f"t{task}", "level": 1 + task % 5,
                    "world_seed": task, "seed": repeat, "epoch": 0,
                    "model": "oracle", "profile": "calm",
                    "fault_model": 0.0, "fault_tool": 0.0, "fault_kind": "mixed", "flaw": "",
                    "deadline_s": 30.0, "status": "scored",
                    "success": bool(luck.random() < 0.85 - effect / 10),
                    "share": float(np.clip(luck.normal(0.9 - effect / 10, 0.1), 0, 1)),
                    "why": "", "stop_reason": "", "latency_s": seconds,
                    "critical_path_s": seconds * 0.9, "work_s": seconds * (1 + 0.4 * (task % 5)),
                    "calls": 3 + int(effect * 2), "agents": 1 + task % 5, "load": 1, "gap_s": 0.0,
                    "tokens_in": 4000 + int(800 * effect), "tokens_out": 200,
                    "cost_usd": 0.002 * (1 + effect / 3), "context_max": 2000,
                } | conditions)  # fmt: skip
    return frame(rows)


def spans_table(runs: pd.DataFrame) -> pd.DataFrame:
    """For each run a lead's call, three workers (one after the other for "single", at once for the
    others, each a call, a tool and a call), now and then a repeated attempt, and an answer."""
    luck = np.random.default_rng(3)
    return frame(
        [
            step
            for run_id, pattern in zip(runs["run_id"], runs["pattern"], strict=True)
            for step in _steps(run_id, pattern != "single", luck)
        ],
        SPANS,
    )


def _steps(run_id: str, concurrently: bool, luck: np.random.Generator) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []

    def step(operation: str, name: str, agent: str, role: str, begin: float, seconds: float,
             tokens: int | None = None, attempt: int | None = None) -> float:  # fmt: skip
        rows.append({
            "run_id": run_id, "span": len(rows), "parent": None, "operation": operation,
            "name": name, "agent": agent, "role": role, "start_s": begin,
            "end_s": begin + seconds, "queue_s": 0.0, "attempt": attempt, "status": "ok",
            "error_type": "", "fault": "", "tokens_in": tokens,
            "tokens_out": 60 if tokens else None,
        })  # fmt: skip
        return begin + seconds

    begin = step("chat", "small", "lead", "lead", 0.0, luck.uniform(1, 2), 800, 1)
    ends: list[float] = []
    read = 900
    for worker in ("records", "billing", "analyst"):
        at = begin if concurrently or not ends else ends[-1]
        again = 1 + int(luck.random() < 0.2)
        at = step("chat", "small", worker, "worker", at, luck.uniform(0.8, 2.5), read, again)
        at = step("execute_tool", f"find_{worker}", worker, "", at, luck.uniform(0.1, 0.9))
        read += 0 if concurrently else 500
        ends.append(step("chat", "small", worker, "worker", at, luck.uniform(0.8, 2), read, 1))
    step("chat", "small", "lead", "synthesis", max(ends), luck.uniform(1, 2), 1500, 1)
    return rows
