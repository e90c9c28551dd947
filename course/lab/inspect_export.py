"""A results folder as logs of inspect_ai, so that its viewer and its readers open them.

One log for each arm and bench: a run is a sample, its task the sample's id, its seed and epoch the
epoch. Steps become spans and model and tool events, at their seconds after the experiment began.

Source: inspect_ai's documentation, "Eval Logs" (extra `inspect`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd

from course.evaluation import stats
from course.extras import need
from course.lab import store

SCORE = "success"
BEGAN = "2026-01-01T00:00:00+00:00"
"""When virtual time begins where a manifest does not say when it was."""


def export(folder: str | Path, target: str | Path | None = None) -> list[Path]:
    """Write a log for each arm and bench.

    Args:
        folder: a results folder.
        target: where the logs go; `inspect` within the folder where it is left out.

    Returns the logs, one `.eval` file each. Raises ConfigurationError: inspect_ai is not installed,
    or there are no results yet; FileFormatError: the results are damaged.
    """
    log = need("inspect_ai.log", extra="inspect")
    told, runs = store.manifest(folder), store.ended(folder)
    place = Path(target) if target else Path(folder, "inspect")
    place.mkdir(parents=True, exist_ok=True)
    began = datetime.fromisoformat(str(told.get("began") or BEGAN))
    written: list[Path] = []
    for (bench, arm), group in runs.groupby(["bench", "arm"], sort=False, observed=True):
        steps = store.spans(folder, *group["run_id"])
        named = [re.sub(r"[\W_]", "-", each)[:60].strip("-") for each in (bench, arm)]
        written.append(place / f"{len(written):03}-{'-'.join(named)}.eval")
        log.write_eval_log(_log(bench, arm, group, steps, began, told), str(written[-1]))
    return written


def _log(
    bench: str, arm: str, runs: pd.DataFrame, spans: pd.DataFrame, began: datetime,
    told: Mapping[str, Any],
) -> Any:  # fmt: skip
    log = need("inspect_ai.log")
    by_run = dict(tuple(spans.groupby("run_id", sort=False)))
    runs = runs.sort_values(["task_id", "world_seed", "seed", "epoch"])
    epochs = runs.groupby("task_id").cumcount() + 1
    samples = [
        _sample(row, int(epoch), by_run.get(row["run_id"]), began)
        for row, epoch in zip(runs.to_dict("records"), epochs, strict=True)
    ]
    found = stats.estimate(runs, SCORE)
    metrics = {
        name: log.EvalMetric(name=name, value=value)
        for name, value in (("mean", found.value), ("low", found.low), ("high", found.high))
        if value == value  # NaN is no value
    }
    score = log.EvalScore(name=SCORE, scorer=SCORE, scored_samples=found.runs, metrics=metrics,
                          unscored_samples=len(runs) - found.runs)  # fmt: skip
    tasks = list(dict.fromkeys(runs["task_id"].astype(str)))
    return log.EvalLog(
        status="success",
        eval=log.EvalSpec(
            created=began.isoformat(), task=f"{runs['experiment'].iloc[0]}: {bench}", solver=arm,
            dataset=log.EvalDataset(name=bench, samples=len(tasks), sample_ids=tasks),
            model=f"switchboard/{runs['model'].iloc[0]}", metadata={"notes": told.get("notes", [])},
            config=log.EvalConfig(epochs=int(epochs.max())), task_args={"arm": arm},
        ),
        results=log.EvalResults(
            total_samples=len(runs), completed_samples=found.runs, scores=[score]
        ),
        stats=log.EvalStats(started_at=began.isoformat(), completed_at=began.isoformat()),
        samples=samples,
    )  # fmt: skip


def _sample(row: Mapping[str, Any], epoch: int, steps: Any, began: datetime) -> Any:
    log, scorer = need("inspect_ai.log"), need("inspect_ai.scorer")
    known = {name: value for name, value in row.items() if not pd.isna(value)}
    scores = {}
    if row["status"] in stats.COUNTED and SCORE in known:
        scores[SCORE] = scorer.Score(value=float(known[SCORE]), explanation=known.get("why", ""))
    broke = str(known.get("why", "")) if row["status"] == "failed" else None
    error = log.EvalError(message=broke, traceback="", traceback_ansi="") if broke else None
    return log.EvalSample(
        id=str(row["task_id"]), epoch=epoch, input=f"task {row['task_id']} of {row['bench']}",
        target="", scores=scores or None, metadata=known, error=error,
        events=list(_events(steps, began)) if steps is not None else [],
        model_usage={f"switchboard/{row['model']}": _usage(row)},
        total_time=known.get("latency_s"), working_time=known.get("work_s"),
    )  # fmt: skip


def _usage(row: Mapping[str, Any]) -> Any:
    read, written = (
        0 if pd.isna(row[key]) else int(row[key]) for key in ("tokens_in", "tokens_out")
    )
    usage = need("inspect_ai.model").ModelUsage
    return usage(input_tokens=read, output_tokens=written, total_tokens=read + written)


def _events(steps: pd.DataFrame, began: datetime) -> Iterator[Any]:
    """The steps of a run in the order of time; a span's end comes after all that is in it."""
    event, model = need("inspect_ai.event"), need("inspect_ai.model")
    made: list[tuple[float, int, int, Any]] = []
    for row in steps.to_dict("records"):
        at, end = (began + timedelta(seconds=float(row[key])) for key in ("start_s", "end_s"))
        id, name = str(row["span"]), str(row["name"])
        parent = None if pd.isna(row["parent"]) else str(int(row["parent"]))
        seconds = float(row["end_s"] - row["start_s"])
        here = {"span_id": parent, "timestamp": at, "completed": end, "working_time": seconds}
        if row["operation"] == "chat":
            output = model.ModelOutput(model=name, usage=_usage(row))
            first = event.ModelEvent(
                model=name, input=[], tools=[], tool_choice="auto", output=output,
                config=model.GenerateConfig(), role=row["role"] or None, **here,
            )  # fmt: skip
        elif row["operation"] == "execute_tool":
            first = event.ToolEvent(id=id, function=name, arguments={}, **here)
        else:
            first = event.SpanBeginEvent(id=id, name=f"{row['operation']} {name}", type="agent",
                                         parent_id=parent, span_id=id, timestamp=at)  # fmt: skip
            close = event.SpanEndEvent(id=id, span_id=id, timestamp=end)
            made.append((row["end_s"], 1, -row["span"], close))
        made.append((row["start_s"], 0, row["span"], first))
    yield from (each[-1] for each in sorted(made, key=lambda each: each[:3]))
