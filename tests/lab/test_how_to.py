"""The how-to's experiment can be run and its Python works on a results folder."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pandas as pd
import pytest

from course.lab.spec import Experiment
from tests.lab.folders import results
from tests.lab.frames import runs_table

PAGE = (Path(__file__).parents[2] / "docs/lab.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_experiment_is_one() -> None:
    [spec] = blocks("toml")
    experiment = Experiment(**tomllib.loads(spec))
    assert "600 runs of 3 arms" in experiment.dry()


def test_the_python_draws_and_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = [runs_table(seeds=2, effects={"planner": 0.0}, policy=p, seed=n)
             for n, p in enumerate(("retry", "repeat", "refine"))]  # fmt: skip
    monkeypatch.chdir(tmp_path)
    results(tmp_path / "refine", pd.concat(parts, ignore_index=True))
    known: dict[str, object] = {}
    for block in blocks("python"):
        exec(block, known)
    said = capsys.readouterr().out
    assert "Forest plot of paired differences in success (share) from retry" in said
    assert "detectable" in said.splitlines()[-10]
    assert (tmp_path / "refine.pdf").stat().st_size > 1000
