"""`--dry` says where patterns can differ: the rate at which the baseline is near 0.7."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from course.cli import main
from course.lab.levels import NEAR, OFF, level
from course.lab.one import play
from course.lab.spec import Experiment

AXES: dict[str, Any] = {"name": "x", "bench": "calls:3", "pattern": ["single", "supervisor"],
                        "tasks": 4, "seeds": "0:5"}  # fmt: skip


@pytest.mark.parametrize(("axes", "knob"), [
    ({"fault": {"tool": [0, 0.1], "tool_kind": "bad_value"}}, "fault.tool"),
    ({"fault": {"tool": 0.1, "tool_kind": "slow"}}, "flaw.invented"),  # slow tools spoil nothing
    ({}, "fault.tool"),
])  # fmt: skip
def test_the_rate_that_is_named_brings_the_baseline_there(axes: Any, knob: str) -> None:
    found = level(Experiment(**{**AXES, **axes}))
    assert found and found.knob == knob and found.runs == 20
    assert abs(found.there - NEAR) <= OFF
    kind, _, which = knob.partition(".")
    at = {**axes.get("fault", {}), which: found.rate} if kind == "fault" else {which: found.rate}
    cells = Experiment(**{**AXES, **axes, "pattern": "single", kind: at}).cells()
    told = [play(cell).row["success"] for cell in cells]
    assert sum(told) / len(told) == pytest.approx(found.there)


def test_dry_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "x.toml"
    spec.write_text('name = "x"\nbench = "calls:2"\npattern = "single"\ntasks = 2\nseeds = "0:5"\n')
    assert main(["lab", "run", str(spec), "--out", str(tmp_path / "o"), "--dry"]) == 0
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("baseline single") and "success 1.00 in 10 runs; near 0.7 at" in said
    assert not (tmp_path / "o").exists()
