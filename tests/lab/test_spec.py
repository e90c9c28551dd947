"""An experiment: read as it is meant, and refused in a line that names the way out."""

import math
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from course import cli
from course.benches.bench import make
from course.errors import ConfigurationError, CourseError
from course.lab.spec import Experiment
from course.models.profile import load as load_profile

SMALL: dict[str, Any] = {"name": "small", "bench": "calls:2", "pattern": "single"}


def test_axes_take_lists_commas_and_ranges() -> None:
    made = Experiment(
        **{**SMALL, "pattern": "single, planner"}, seeds=["0:3", 9], deadline=[5, "none"]
    )
    assert made.pattern == ("single", "planner")
    assert made.seeds == (0, 1, 2, 9)
    assert made.deadline == (5.0, None)
    cells = list(made.cells())
    assert len(cells) == 2 * 2 * 10 * 4 == len({cell.run_id for cell in cells})
    assert len({cell.arm for cell in cells}) == 4
    assert (
        "40 runs of 2 arms"
        in Experiment(**SMALL, tasks=4, policy=["none", "retry"], seeds="0:5").dry()
    )


def test_kinds_of_faults_make_no_arms_where_nothing_fails() -> None:
    made = Experiment(**SMALL, fault={"model": [0, 0.1], "kind": ["service", "outages"]})
    assert [(arm["fault_model"], arm["fault_kind"]) for arm in made.arms] == [
        (0.0, "service"), (0.1, "service"), (0.1, "outages"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"patern": "single"}, "no key 'patern': did you mean 'pattern'?"),
        ({"pattern": "plannner"}, "no pattern 'plannner': did you mean 'planner'?"),
        ({"policy": "refined"}, "no policy 'refined': did you mean 'refine'?"),
        ({"bench": "front desk"}, "no bench 'front desk': did you mean 'front_desk'?"),
        ({"bench": "calls:1-9"}, "'1-9' are no matters"),
        ({"model": "gpt"}, "no model 'gpt'; there are: oracle, simulated, endpoint"),
        ({"profile": "clam"}, "no profile 'clam'"),
        ({"fault": {"modell": 0.1}}, "no key 'modell': did you mean 'model'?"),
        ({"fault": {"kind": "outage"}}, "no kind 'outage': did you mean 'outages'?"),
        ({"fault": {"model": 1.5}}, "model[0]: Input should be less than or equal to 1"),
        ({"flaw": {"wrong_rout": 0.1}}, "no flaw 'wrong_rout': did you mean 'wrong_route'?"),
        ({"flaw": {"early_end": 2}}, "flaw: early_end"),
        ({"seeds": "many"}, "seeds[0]"),
        ({"modules": "no_such_module"}, "'no_such_module' cannot be imported"),
        (
            {"model": "endpoint", "cap": {"input": 0, "output": 0}, "fault": {"model": 0.1}},
            "has faults of its own",
        ),
        ({"flaw": []}, "flaw: Tuple should have at least 1 item"),
        ({"load": [0, 1]}, "load[0]: Input should be greater than or equal to 1"),
        *(
            ({axis: endless}, f"{axis}[0]: Input should be a finite number")
            for axis in ("deadline", "gap")
            for endless in (math.inf, math.nan)
        ),
        ({"cap": {"usd": math.inf}}, "usd: Input should be a finite number"),
        ({"model": "endpoint", "cap": {"input": 1}}, "give cap.input and cap.output"),
        ({"model": "endpoint", "cap": {"output": 1}}, "give cap.input and cap.output"),
    ],
)
def test_what_cannot_be_is_one_line(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Experiment(**{**SMALL, **wrong})
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("huge", "key"),
    [
        ({"seeds": "0:100000000000"}, "seeds"),
        ({"seeds": "0:1000000, 0:1000000"}, "seeds"),
        ({"seeds": f"0:{'9' * 5000}"}, "seeds"),
        ({"seeds": 10**400}, "seeds"),
        ({"seeds": [2**63]}, "seeds"),
        ({"seeds": "0:1000000"}, "runs"),
        ({"seeds": "0:1000", "epochs": 1001}, "runs"),
        ({"epochs": 10**12}, "epochs"),
        ({"tasks": 10**11}, "tasks"),
        ({"tasks": 10**6}, "tasks"),
        ({"tasks": 10**400}, "tasks"),
        ({"load": 10**12}, "load"),
        ({"load": "1:100000000000"}, "load"),
        ({"load": "1:20000"}, "combinations"),
        ({"load": "1:999", "deadline": list(range(1, 99))}, "combinations"),
        ({"world_seed": 10**400}, "world_seed"),
        ({"cap": {"in_flight": 10**12}}, "in_flight"),
        ({"bench": f"calls:{'9' * 5000}"}, "no matters"),
        ({"bench": f"dag:2x{'9' * 5000}"}, "no layers"),
        ({"bench": "crowd:40x100000000000"}, "no steps"),
        ({"bench": "routing:100000000000"}, "no specialists"),
    ],
    ids=str,
)
def test_huge_numbers_are_refused_before_anything_is_made(huge: dict[str, Any], key: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ConfigurationError) as caught:
            list(Experiment(**{**SMALL, "seeds": 0, **huge}).cells())
        assert tracemalloc.get_traced_memory()[1] < 200_000_000
    finally:
        tracemalloc.stop()
    assert key in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 500


def test_a_bench_of_huge_numbers_is_refused_as_well() -> None:
    for tasks in (0, 10**6, 10**11):
        with pytest.raises(ConfigurationError, match="tasks is 1 to 10,000"):
            make("calls:1-5", tasks=tasks)
    with pytest.raises(ConfigurationError, match="that is 3,000,000 runs"):
        Experiment(**SMALL, tasks=10_000, seeds="0:300").dry()


@pytest.mark.parametrize("axis", [
    {"seeds": [1, 1]}, {"seeds": "0:3, 2:5"}, {"load": "1:3, 2"}, {"gap": [1, 1.0], "load": 3},
    {"deadline": [5, 5.0, "none", "none"]}, {"pattern": "single, single"}, {"policy": "none, none"},
    {"bench": ["calls:2", "calls:2"]}, {"profile": "calm, calm"}, {"flaw": [{}, {}]},
    {"flaw": [{"early_end": 0.1}, {"early_end": 0.1}, {}]}, {"fault": {"tool": [0, 0, 0.1]}},
])  # fmt: skip
def test_what_an_axis_names_twice_is_run_once(axis: dict[str, Any]) -> None:
    names = [cell.run_id for cell in Experiment(**{**SMALL, **axis}).cells()]
    assert len(names) == len(set(names)) > 0


@pytest.mark.parametrize(
    "text", ["x = (", "1 / 0", "import no_such_module", "raise OSError('a\\nb')"]
)
def test_a_module_that_cannot_be_loaded_is_one_line_that_says_why(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"own_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ConfigurationError, match=f"'{name}' cannot be imported") as caught:
        Experiment(**SMALL, modules=name)
    assert "\n" not in str(caught.value) and "Error" in str(caught.value)


def test_a_file_is_named_with_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "spec.toml"
    for text, said in (("name = ", "is no TOML"), ('name="a"\nbrench="b"', "no key 'brench'")):
        spec.write_text(text)
        assert cli.main(["lab", "run", str(spec), "--out", str(tmp_path / "out")]) == 2
        shown = capsys.readouterr().err
        assert said in shown and str(spec) in shown and shown.count("\n") == 1
    assert cli.main(["lab", "run", str(tmp_path / "none.toml"), "--out", str(tmp_path)]) == 2


@pytest.mark.parametrize("said", [f"seeds = {'9' * 5000}", f"seeds = {'[' * 5000}", "self = 1"])
def test_a_file_that_cannot_be_read_is_one_line(said: str, tmp_path: Path) -> None:
    for read, name in ((Experiment.read, "spec.toml"), (load_profile, "profile.toml")):
        path = tmp_path / name
        path.write_text(said, encoding="utf-8")
        with pytest.raises(CourseError, match=name) as caught:
            read(path)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 500
