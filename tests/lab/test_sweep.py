"""Sweeps: the same bytes whoever plays, nothing lost by a kill, one line for what cannot be."""

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import course
from course import cli, extras
from course.errors import ConfigurationError, FileFormatError
from course.evaluation import stats
from course.executors import Cluster, Pool, Serial, executor
from course.lab import store, sweep, tables
from course.lab.report import report
from course.lab.spec import Experiment
from tests.lab.killing import kills_itself_once
from tests.needs import package

ROOT = str(Path(course.__file__).parents[1])
SPEC: dict[str, Any] = {
    "name": "small", "bench": "calls:2", "pattern": ["single", "planner"], "seeds": "0:4",
    "tasks": 3, "fault": {"model": 0.1, "tool": 0.1},
}  # fmt: skip


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "CHUNK", 8)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the experiment's results, played here; nobody may change it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "CHUNK", 8)
        return sweep.sweep(Experiment(**SPEC), tmp_path_factory.mktemp("played"), progress=False)


def files(folder: Path) -> dict[str, bytes]:
    paths = (path for kind in store.TABLES for path in (folder / kind).iterdir())
    return {f"{path.parent.name}/{path.name}": path.read_bytes() for path in paths}


def test_tables_have_the_documented_columns(played: Path) -> None:
    runs, spans = store.runs(played), store.spans(played)
    assert list(runs.columns) == [column.name for column in tables.RUNS]
    assert list(spans.columns) == [column.name for column in tables.SPANS]
    assert len(runs) == 24 and runs["run_id"].is_unique
    assert set(spans["run_id"]) == set(runs["run_id"])
    assert set(runs["status"]) == {"scored"}
    assert (runs["requests"] == runs["calls"] + runs["retries"]).all()
    one = store.spans(played, runs["run_id"][3])
    assert set(one["run_id"]) == {runs["run_id"][3]}
    assert runs["tokens_in"][3] == one["tokens_in"].sum()


def test_a_pool_writes_the_same_bytes(played: Path, tmp_path: Path) -> None:
    assert files(sweep.sweep(Experiment(**SPEC), tmp_path, executor=Pool(2), progress=False)) == (
        files(played)
    )


def test_a_pool_outlives_a_process_that_is_killed(played: Path, tmp_path: Path) -> None:
    jobs = [(tmp_path / "sign", ((), cells)) for _, cells in chunks()]
    made = dict(Pool(2).map(kills_itself_once, jobs))
    assert [made[n]["runs"] for n in range(3)] == ordered(played)


def chunks() -> list[tuple[str, Any]]:
    return list(sweep._chunks(Experiment(**SPEC)))


def ordered(folder: Path) -> list[bytes]:
    return [store.chunk(folder, name, "runs").read_bytes() for name, _ in chunks()]


def test_a_cluster_writes_the_same_bytes_with_a_worker_killed(played: Path, tmp_path: Path) -> None:
    package("distributed")
    import distributed

    jobs = [(tmp_path / "sign", ((), cells)) for _, cells in chunks()]
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1",
        silence_logs="CRITICAL",
    ) as cluster:  # fmt: skip
        there = Cluster(cluster.scheduler_address)
        made = dict(there.map(kills_itself_once, jobs))
        whole = sweep.sweep(Experiment(**SPEC), tmp_path / "out", executor=there, progress=False)
    assert (tmp_path / "sign").exists()
    assert [made[n]["runs"] for n in range(3)] == ordered(played)
    assert files(whole) == files(played)


def test_a_stopped_sweep_goes_on_where_it_was(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    class Dying:
        """Plays one chunk and dies."""

        def map(self, job: Any, given: Any) -> Iterator[tuple[int, Any]]:
            made.append(len(given))
            yield 0, job(given[0])
            raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            sweep.sweep(Experiment(**SPEC), tmp_path, executor=Dying(), progress=False)
    assert made == [3, 2]
    assert len(store.runs(tmp_path)) == 16
    last = chunks()[1][0]
    store.chunk(tmp_path, last, "runs").write_bytes(b"PAR1 and no more")  # broken off
    with pytest.raises(FileFormatError, match="makes that chunk again"):
        store.runs(tmp_path)
    sweep.sweep(Experiment(**SPEC), tmp_path, progress=False)
    assert files(tmp_path) == files(played)


def test_a_killed_command_loses_no_finished_chunk(tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(
        'name = "long"\nbench = "calls:5"\npattern = "planner"\nseeds = "0:60"\ntasks = 5\n'
    )
    command = [
        sys.executable,
        "-m",
        "course",
        "lab",
        "run",
        str(spec),
        "--out",
        str(tmp_path / "o"),
    ]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": ROOT},
    ) as process:  # fmt: skip
        assert process.stderr is not None
        shown = ""
        while "100/300" not in shown and (piece := process.stderr.read(1)):
            shown += piece
        process.kill()
    told = store.manifest(tmp_path / "o")["chunks"]
    there = [name for name in told if store.finished(tmp_path / "o", name)]
    assert 1 <= len(there) < len(told) == 3
    assert len(store.runs(tmp_path / "o")) == 100 * len(there)


def test_check_finds_what_is_not_as_it_was(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sweep.check(played, sample=3) == []
    assert cli.main(["lab", "check", str(played), "--sample", "1"]) == 0
    sweep.sweep(Experiment(**SPEC), tmp_path, progress=False)
    name, cells = chunks()[0]
    rows = [{**row, "trace_sha": "0" * 16} for row in
            store.runs(tmp_path)[: len(cells)].astype(object).to_dict("records")]  # fmt: skip
    rows = [{k: None if v is v is None or v != v else v for k, v in row.items()} for row in rows]
    store.chunk(tmp_path, name, "runs").write_bytes(store.parquet(rows, tables.RUNS))
    found = sweep.check(tmp_path, sample=24)
    assert any(line.startswith(f"chunk {name}") for line in found)
    assert sum("goes another way now" in line for line in found) == 8


def test_a_run_can_be_played_once_more_by_its_name(played: Path) -> None:
    runs = store.runs(played)
    cell = sweep.cell_of(played, runs["run_id"][5])
    assert (cell.pattern, cell.seed) == (runs["pattern"][5], runs["seed"][5])
    with pytest.raises(ConfigurationError, match="has no run 'gone'"):
        sweep.cell_of(played, "gone")


def test_a_folder_of_another_version_or_experiment_is_refused(played: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="holds another experiment"):
        sweep.sweep(Experiment(**{**SPEC, "seeds": "0:5"}), played, progress=False)
    told = json.loads((played / store.MANIFEST).read_text())
    (tmp_path / store.MANIFEST).write_text(json.dumps({**told, "format": 99}))
    with pytest.raises(ConfigurationError, match="format 99, and this is 2"):
        store.runs(tmp_path)
    with pytest.raises(ConfigurationError, match="there are no results in"):
        store.runs(tmp_path / "nothing")


@pytest.mark.parametrize("text", [
    "", "{", "[]", "null", "{}", '{"format": 2}', '{"format": 2, "spec": {}, "chunks": {}}',
    '{"format": 2, "spec": {"name": "x"}, "chunks": []}', '{"spec": {"name": "x"}, "chunks": {}}',
    '{"format": 2, "spec": null, "chunks": {"a": {}}}', b"\xff\xfe",
    '{"format": 2, "spec": {"name": "x"}, "chunks": {"a": 5}}',
])  # fmt: skip
def test_a_damaged_manifest_is_one_line_and_its_way_out_loses_nothing(
    played: Path, tmp_path: Path, text: str | bytes
) -> None:
    folder = Path(shutil.copytree(played, tmp_path / "copy"))
    damaged = folder / store.MANIFEST
    damaged.write_bytes(text.encode() if isinstance(text, str) else text)
    for reads in (store.runs, sweep.check, report, partial(sweep.sweep, Experiment(**SPEC))):
        with pytest.raises(FileFormatError, match="delete it and run the experiment again") as said:
            reads(folder)
        assert str(damaged) in str(said.value) and "\n" not in str(said.value)
    damaged.unlink()

    class Idle:
        """Plays nothing, for there is nothing left to play."""

        def map(self, job: Any, given: Any) -> Iterator[tuple[int, Any]]:
            assert list(given) == []
            return iter(())

    sweep.sweep(Experiment(**SPEC), folder, executor=Idle(), progress=False)
    assert files(folder) == files(played)
    assert sweep.check(folder, sample=1) == []


@pytest.mark.parametrize("place", ["file", "file/within"])
def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(ConfigurationError, match=r"cannot be written .*: make it writable"):
        sweep.sweep(Experiment(**SPEC), tmp_path / place, progress=False)
    assert (tmp_path / "file").read_text() == "no folder"


@pytest.mark.parametrize("sample", [0, -1])
def test_a_sample_of_no_run_is_refused(played: Path, sample: int) -> None:
    with pytest.raises(ConfigurationError, match=f"1 or more runs, not {sample}"):
        sweep.check(played, sample=sample)


def test_a_full_disk_is_one_line_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, written = Path.write_bytes, []

    def filling(path: Path, data: bytes) -> int:
        if {"runs", "spans"} & set(path.parts) and len(written) >= 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(path)
        return real(path, data)

    monkeypatch.setattr(Path, "write_bytes", lambda path, data: filling(path, data))
    with pytest.raises(ConfigurationError, match="the disk is full; what is finished is kept"):
        sweep.sweep(Experiment(**SPEC), tmp_path, progress=False)
    assert len(store.runs(tmp_path)) == 8


def test_who_plays_is_chosen_or_refused() -> None:
    assert executor() == Serial()
    assert executor(jobs=3) == Pool(3)
    assert executor(scheduler="tcp://a:1") == Cluster("tcp://a:1")
    with pytest.raises(ConfigurationError, match="1 or more processes"):
        executor(jobs=0)
    with pytest.raises(ConfigurationError, match="--jobs or --scheduler"):
        executor(jobs=2, scheduler="tcp://a:1")


def test_a_scheduler_that_is_away_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    package("distributed")
    monkeypatch.setattr("course.executors.CONNECT_SECONDS", 0.5)
    with pytest.raises(ConfigurationError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9"):
        list(Cluster("tcp://127.0.0.1:9").map(len, ["a"]))
    for form in ("tcp://ada:hun/ter2@127.0.0.1:9", "tls://ada:hunter2@127.0.0.1:9", "hunter2"):
        with pytest.raises(ConfigurationError, match="no scheduler answers at") as caught:
            list(Cluster(form).map(len, ["a"]))
        assert not [part for part in ("hun", "ter2", "ada") if part in str(caught.value)]


def test_without_pandas_the_way_out_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'switchboard-course\[lab\]'"):
        extras.need("pandas")


def test_a_library_can_be_left_out_of_an_import_and_is_there_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "takes_what_is_there.py").write_text(
        "try:\n    import colorsys\nexcept ImportError:\n    colorsys = None\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    assert extras.need("takes_what_is_there", without="colorsys").colorsys is None
    monkeypatch.delitem(sys.modules, "takes_what_is_there")
    there = extras.need("colorsys")
    assert extras.need("takes_what_is_there", without="colorsys").colorsys is there


def test_several_folders_are_one_table_and_each_table_is_one_folder(
    played: Path, tmp_path: Path
) -> None:
    pandas = extras.need("pandas")
    for kind, columns in store.TABLES.items():
        whole = pandas.read_parquet(played / kind)
        assert list(whole.columns) == [column.name for column in columns]
    assert len(pandas.read_parquet(played / "runs")) == len(store.runs(played))
    faster = Experiment(**{**SPEC, "name": "later", "profile": "instant"})
    later = sweep.sweep(faster, tmp_path / "later", progress=False)
    both = store.runs(played, later)
    assert list(both["experiment"].unique()) == ["small", "later"] and len(both) == 48
    sides = both.assign(profile="any")  # what else tells the two apart
    found = stats.compare(sides, "latency_s", "small", "later", axis="experiment")
    assert found.pairs == 24 and found.difference < 0
    told = json.loads((later / store.MANIFEST).read_text())
    (later / store.MANIFEST).write_text(json.dumps({**told, "keys": 1}))
    with pytest.raises(ConfigurationError, match="run the older ones again with this version"):
        store.runs(played, later)


def test_an_axis_with_one_value_is_one_line(played: Path) -> None:
    with pytest.raises(ConfigurationError, match="give the experiment another policy"):
        stats.compare_all(store.runs(played), "success", "retry", axis="policy")
