"""A class judged elsewhere: on a Dask cluster, and one notebook in Gradescope's container."""

import json
import zipfile
from pathlib import Path

import pytest

from graders import cli
from graders.classroom import cluster
from graders.classroom.gradescope import results_of
from graders.classroom.judging import Job, Setup, Trouble
from graders.classroom.results import Result
from graders.classroom.submitted import Submission
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.verdict import not_yet, passed
from tests.classroom.making import CHAPTER, right
from tests.judge.boxes import strongest
from tests.needs import package

Printed = pytest.CaptureFixture[str]


def job(path: Path, data: bytes, student: str = "ada") -> Job:
    path.write_bytes(data)
    return Job(Submission(student, CHAPTER, path))


def test_workers_of_a_cluster_judge_as_this_machine_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package("distributed")
    import distributed

    strongest()
    wrong = right(ex_0_1="def greeting(name):\n    return name")
    jobs = [job(tmp_path / "a.ipynb", right()), job(tmp_path / "b.ipynb", wrong, "bo")]
    setup = Setup(b"s" * 32)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None,
        protocol="tcp", host="127.0.0.1", silence_logs="CRITICAL",
    ) as there:  # fmt: skip
        found = dict(cluster.judged_there(jobs, setup, there.scheduler_address))
        monkeypatch.setattr(cluster, "kit", lambda: "0.0.0+another")
        odd = [said for _, said in cluster.judged_there(jobs[:1], setup, there.scheduler_address)]
    cluster._OPEN.close()
    cluster._judge.cache_clear()
    scores = {
        each.submission.student: said.score
        for each, said in found.items()
        if isinstance(said, Result)
    }
    assert scores == {"ada": 5.0, "bo": 4.0}
    assert isinstance(odd[0], Trouble)
    assert "a worker has another kit" in odd[0].message


def test_a_cluster_that_is_not_there_gets_a_line(
    tmp_path: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    package("distributed")
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "build/submitted/ada" / CHAPTER
    place.mkdir(parents=True)
    (place / "x.ipynb").write_bytes(right())
    monkeypatch.setattr("course.executors.CONNECT_SECONDS", 0.2)
    assert cli.main(["grade", "--scheduler", "tcp://127.0.0.1:9", "--no-gradebook"]) == 2
    assert "no scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err


def test_gradescope_gets_a_zip_without_solutions(tmp_path: Path, capsys: Printed) -> None:
    path = tmp_path / "autograder.zip"
    assert cli.main(["gradescope", "00", "-o", str(path)]) == 0
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        script = archive.getinfo("run_autograder")
        asked = archive.read("run_autograder").decode()
    assert {"setup.sh", f"notebooks/{CHAPTER}/{CHAPTER}.ipynb", "graders/cli.py"} <= names
    assert not [each for each in names if each.startswith(("solutions/", "tests/"))]
    assert not [each for each in names if "notebooks/0" in each and CHAPTER not in each]
    assert script.external_attr >> 16 & 0o111
    assert "graders gradescope-run /autograder/submission" in asked
    assert cli.main(["gradescope", "77", "-o", str(path)]) == 2
    assert "there is no chapter 77; there are 00_start_here" in capsys.readouterr().err


def test_gradescope_reads_a_test_for_each_exercise(tmp_path: Path) -> None:
    strongest()
    folder, path = tmp_path / "submission", tmp_path / "results.json"
    folder.mkdir()
    (folder / "mine.ipynb").write_bytes(right(ex_0_1="def greeting(name):\n    return name"))
    assert cli.main(["gradescope-run", str(folder), str(path)]) == 0
    told = json.loads(path.read_text())
    assert [(each["name"], each["score"], each["max_score"]) for each in told["tests"]] == [
        ("0.1", 0.0, 1.0), ("0.2", 2.0, 2.0), ("0.3", 2.0, 2.0),
    ]  # fmt: skip
    assert [each["status"] for each in told["tests"]] == ["failed", "passed", "passed"]
    assert told["tests"][0]["output"].startswith("✗ greets a caller by name: ")
    (folder / "other.ipynb").write_bytes(right())
    assert cli.main(["gradescope-run", str(folder), str(path)]) == 0
    assert json.loads(path.read_text())["output"] == "hand in one notebook: 2 were found"


def test_gradescope_hears_why_a_notebook_was_not_judged() -> None:
    refused = Report("x.ipynb", CHAPTER, code="notebook.not_json", message="it is not JSON")
    assert results_of(refused)["output"] == "it is not JSON (notebook.not_json)"
    trials = (TrialVerdict("greets", 1, passed()), TrialVerdict("waits", 2, not_yet("x", "no")))
    [told] = results_of(Report("x.ipynb", CHAPTER, (ExerciseReport("0.1", trials),)))["tests"]
    assert (told["score"], told["max_score"], told["status"]) == (1, 3, "failed")
    assert told["output"] == "✗ waits: no\n✓ greets"
