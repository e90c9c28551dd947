"""The how-to's experiments can be run, and its Python works on what they leave."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest

from course.benches.bench import BENCHES
from course.evaluation import stats
from course.lab import store
from course.lab.measures import MEASURES
from course.lab.patterns import PATTERNS
from course.lab.report import report
from course.lab.spec import Experiment
from course.lab.sweep import sweep
from course.models.tool_faults import TOOL_KINDS
from tests.lab.folders import results
from tests.lab.frames import runs_table

PAGE = (Path(__file__).parents[2] / "docs/lab.md").read_text(encoding="utf-8")
ASKED, OWN = PAGE.split("## What is your own")
LONGEST = 45
"""Lines that a worked example has at the most."""


def blocks(language: str, text: str = ASKED) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


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


def test_what_is_ones_own_stands_in_tables_and_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered = (BENCHES, MEASURES, PATTERNS, TOOL_KINDS)
    for registry in entered:
        for name in registry:
            monkeypatch.setitem(registry, name, registry[name])  # type: ignore[index]
    parts = blocks("python", OWN)
    assert len(parts) == 4 and max(part.count("\n") for part in parts) <= LONGEST
    (tmp_path / "mine.py").write_text("\n".join(parts))
    monkeypatch.syspath_prepend(tmp_path)
    spec, _ = blocks("toml", OWN)
    try:
        folder = sweep(Experiment(**tomllib.loads(spec)), tmp_path / "out", progress=False)
        page = report(folder).read_text("utf-8")
    finally:
        sys.modules.pop("mine", None)
        for registry, name in zip(entered, ("depot", "asked_twice", "two heads", "stale"),
                                  strict=True):  # fmt: skip
            registry.pop(name, None)  # type: ignore[attr-defined]
    runs = store.runs(folder)
    assert len(runs) == 320 and (runs["asked_twice"] == 1).all()
    struck = runs[runs["fault_tool"] > 0].groupby("pattern")["faults"].sum()
    assert struck.nunique() == 1 and struck.iloc[0] > 0
    met = (runs["faults"] > 0).astype("boolean")
    assert (runs["success"] != met).all()  # a stale result is a wrong one, and nothing else is
    slower = stats.compare(runs, "latency_s", "depot:quick", "depot:slow", axis="bench")
    assert slower.pairs == 160 and 1.7 < slower.difference < 1.9  # of two calls, at the same time
    assert "asked twice: paired differences from single" in page
    opening = set(re.findall(r'data-run="(\w+)"', page))
    assert 4 <= len(opening) <= 6 and opening <= set(runs["run_id"])
    [pictures] = re.findall(r'id="pictures">(.*?)</script>', page)
    assert set(json.loads(pictures)) == opening
    assert len(page) < 700_000 and not re.search(r'(?:src|href)="(?!data:|#)', page)


def test_the_settings_of_a_service_are_such() -> None:
    _, live = blocks("toml", OWN)
    made = Experiment(name="x", bench="calls:1", pattern="single", **tomllib.loads(live))
    assert made.cap.usd == 5 and made.cap.tpm == 200_000
