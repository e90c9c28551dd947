"""inspect_ai's own readers and viewer open what is exported, and find the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from course.lab.inspect_export import export
from tests.lab.folders import results
from tests.lab.frames import runs_table
from tests.needs import package

RUNS = runs_table(tasks=3, seeds=2)


@pytest.fixture(autouse=True, scope="module")
def needed() -> None:
    package("inspect_ai")


# Imported only where they run: each worker collects all tests.


def read_eval_log(path: str) -> Any:
    from inspect_ai.log import read_eval_log

    return read_eval_log(path)


def samples_df(logs: list[str]) -> Any:
    from inspect_ai.analysis import samples_df

    return samples_df(logs)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    runs = RUNS.copy()
    runs.loc[0, ["status", "why", "success"]] = ["excluded", "no key", None]
    runs.loc[1, ["status", "why", "success"]] = ["failed", "the model was away", False]
    return export(results(tmp_path_factory.mktemp("results"), runs))


def test_there_is_a_log_for_each_arm_with_every_run_as_a_sample(logs: list[Path]) -> None:
    assert [path.name for path in logs] == [
        "000-front-desk-single.eval", "001-front-desk-supervisor.eval",
        "002-front-desk-planner.eval",
    ]  # fmt: skip
    first = read_eval_log(str(logs[0]))
    assert first.status == "success"
    assert first.samples is not None
    assert len(first.samples) == 6
    by_run = {each.metadata["run_id"]: each for each in first.samples}
    assert first.results is not None
    [score] = first.results.scores
    assert (score.scored_samples, score.unscored_samples) == (5, 1)
    assert [each.epoch for each in first.samples] == [1] * 3 + [2] * 3
    assert by_run["single/0/0"].scores is None
    assert by_run["single/0/1"].error is not None
    assert by_run["single/0/1"].error.message == "the model was away"


def test_steps_are_events_at_their_seconds(logs: list[Path]) -> None:
    sample = read_eval_log(str(logs[1])).samples[0]  # type: ignore[index]
    calls = [each for each in sample.events if each.event == "model"]
    tools = [each for each in sample.events if each.event == "tool"]
    assert (len(calls), len(tools)) == (8, 3)
    assert sum(each.output.usage.input_tokens for each in calls if each.output.usage) > 5000
    moments = [each.timestamp for each in sample.events]
    assert moments == sorted(moments)


def test_inspects_data_frames_have_the_same_numbers(logs: list[Path]) -> None:
    found = samples_df([str(path) for path in logs])
    assert len(found) == len(RUNS)
    ours = RUNS.set_index("run_id")["latency_s"]
    theirs = found.set_index("metadata_run_id")["metadata_latency_s"]
    assert (theirs.astype(float) - ours).abs().max() < 1e-9


def test_the_viewer_lists_and_opens_the_logs(logs: list[Path]) -> None:
    from inspect_ai._view.fastapi_server import view_server_app
    from starlette.testclient import TestClient

    with TestClient(view_server_app(default_dir=str(logs[0].parent))) as viewer:
        listed = viewer.get("/logs").json()
        names = [each["name"] for each in listed["files"]]
        assert len(names) == 3
        opened = viewer.get(f"/logs/{names[0]}")
        assert opened.status_code == 200
