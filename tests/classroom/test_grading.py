"""A class is graded: nothing is lost, whatever was handed in and whatever ends the program."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from graders import cli
from graders.chapters import released
from graders.classroom.grading import Call, alone, whole
from tests.classroom.kinds import lost
from tests.classroom.making import CHAPTER, KINDS, graders, hand_in, lines, right
from tests.judge.boxes import strongest
from tests.notebooks import kit

FEW = {name: KINDS[name] for name in ("right", "partly right", "cut")}
WRONG = right(ex_0_1="def greeting(name):\n    return name")


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole class, graded once by two judges."""
    strongest()
    home = tmp_path_factory.mktemp("class")
    hand_in(home / "build/submitted")
    done = graders("grade", "-j", "2", where=home)
    (home / "said").write_text(done.stdout + done.stderr)
    assert done.returncode == 3, done.stderr
    return home


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """Three submissions, not graded yet."""
    strongest()
    hand_in(tmp_path / "build/submitted", FEW)
    return tmp_path


def test_everybody_gets_what_is_due(judged: Path) -> None:
    found = lines(judged / "build")
    assert {name: found[name]["code"] for name in KINDS} == {
        name: each.code for name, each in KINDS.items()
    }
    graded = {name: each.lost for name, each in KINDS.items() if not each.code}
    assert {name: lost(found[name]) for name in graded} == graded
    assert found["spin"]["score"] == 3.0  # of 0.1 and 0.3
    assert found["nothing"]["status"] == "missing"
    assert {each["max_score"] for name, each in found.items() if name in KINDS} == {5.0}


@pytest.mark.parametrize(
    ("files", "ends"),
    [
        ({}, "submission.none"),
        ({".DS_Store": b"", "timestamp.txt": b"2026-11-20 10:00:00 UTC"}, "submission.none"),
        ({"a.ipynb": right(), "b.ipynb": WRONG}, "submission.several"),
        ({"x/a.ipynb": right(), "y/b.ipynb": WRONG}, "submission.several"),
        ({"a.ipynb": right(), "b.ipynb": right()}, ""),
        ({"my/own/a.ipynb": right(), "my/.ipynb_checkpoints/a.ipynb": WRONG}, ""),
        ({"all.ZIP": b"PK", "notes.txt": b""}, "submission.archive"),
        ({"all.rar": b"Rar!"}, "submission.archive"),
        ({"answers.docx": b"PK"}, "submission.refused"),
    ],
)
@pytest.mark.parametrize("folder", [CHAPTER, "homework", ""])
def test_what_lies_in_a_folder_is_graded_or_told(
    tmp_path: Path, folder: str, files: dict[str, bytes], ends: str
) -> None:
    (tmp_path / "ada" / folder).mkdir(parents=True)
    for name, data in files.items():
        path = tmp_path / "ada" / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    if not folder and any("/" in name for name in files):
        return  # folders of a student are chapters
    (tmp_path / "bo" / CHAPTER).mkdir(parents=True)
    (tmp_path / "bo" / CHAPTER / "x.ipynb").write_bytes(right())
    call = Call(tmp_path, tmp_path / "build")
    [ada] = [each for each in whole(call, released()) if each.student == "ada"]
    assert (ada.code, ada.path is None) == (ends, bool(ends))


@pytest.mark.parametrize("other", ["data/values.csv", "old/all.zip", "figures/.keep"])
@pytest.mark.parametrize("place", [f"{CHAPTER}/x.ipynb", "x.ipynb", "homework/x.ipynb"])
def test_a_folder_of_other_files_is_no_submission(tmp_path: Path, place: str, other: str) -> None:
    for name, data in ((place, right()), (other, b"1")):
        path = tmp_path / "ada" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    [found] = whole(Call(tmp_path, tmp_path / "build"), released())
    assert (found.chapter, found.code) == (CHAPTER, "")


def test_what_lies_beside_the_folders_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ada").mkdir()
    (tmp_path / "bo.ipynb").write_bytes(right())
    (tmp_path / "cy.zip").write_bytes(b"")
    (tmp_path / "liz").symlink_to("/etc")
    (tmp_path / "roster.csv").write_text("")
    whole(Call(tmp_path, tmp_path / "build"), released())
    said = "in no folder of a student, so not graded: bo.ipynb, cy.zip, liz; collect finds"
    assert said in capsys.readouterr().err


def test_what_is_ungraded_is_told_in_a_line_each(judged: Path) -> None:
    said = (judged / "said").read_text()
    for name, each in KINDS.items():
        assert (f"✗ {name} {CHAPTER}: " in said) is bool(each.code)
    assert said.splitlines()[-1] == f"{len(KINDS) - 3} graded, 3 ungraded, 1 missing"


def test_a_result_stays_small_whatever_was_printed(judged: Path) -> None:
    text = (judged / "build/results.jsonl").read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) < 100_000


def test_what_is_judged_is_not_judged_again(judged: Path) -> None:
    path = judged / "build/results.jsonl"
    before = path.read_bytes()
    done = graders("grade", where=judged)
    assert (done.returncode, path.read_bytes()) == (3, before)  # with its seconds to the digit


def test_killed_in_the_middle_one_judge_goes_on_and_says_what_two_say(
    judged: Path, few: Path
) -> None:
    shutil.copy(judged / "build/secret", few / "build")
    path = few / "build/results.jsonl"
    command = [sys.executable, "-m", "graders", "grade", "-j", "1"]
    environment = {**os.environ, "PYTHONPATH": str(kit.ROOT)}
    running = subprocess.Popen(command, cwd=few, env=environment, start_new_session=True)
    while running.poll() is None and not (path.exists() and path.read_bytes().count(b"\n")):
        time.sleep(0.05)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    kept = path.read_bytes()
    path.write_bytes(kept + b'{"student": "half a li')
    first = json.loads(kept.splitlines()[0])
    done = graders("grade", "-j", "1", where=few)
    assert done.returncode == 3, done.stderr
    again, among = lines(few / "build"), lines(judged / "build")
    assert {name: among[name] for name in FEW} == {name: again[name] for name in FEW}
    text = path.read_text(encoding="utf-8").splitlines()
    assert first in [json.loads(line) for line in text]  # not judged twice: its seconds are there


def test_ctrl_c_keeps_what_is_done(few: Path) -> None:
    path = few / "build/results.jsonl"
    command = [sys.executable, "-m", "graders", "grade", "-j", "1"]
    environment = {**os.environ, "PYTHONPATH": str(kit.ROOT)}
    running = subprocess.Popen(
        command, cwd=few, env=environment, start_new_session=True, stderr=subprocess.PIPE, text=True
    )
    while running.poll() is None and not (path.exists() and path.read_bytes().count(b"\n")):
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert said.splitlines()[-1].startswith("grade: interrupted; what is done is kept")
    assert path.read_bytes().endswith(b"\n")


def test_without_room_on_the_disk_it_says_so_and_keeps_what_it_has(few: Path) -> None:
    limit = 12_000  # bytes of a file: some results fit, and then no more

    def bounded() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    (few / "build/secret").write_bytes(b"s" * 32)
    (few / "build/results.jsonl").write_text("")
    program = (
        "from pathlib import Path\n"
        "from graders.classroom.results import Result, Results\n"
        "kept = Results(Path('build'))\n"
        "try:\n"
        "    for n in range(100): kept.add(Result(f's{n}', 'c'))\n"
        "except OSError as trouble:\n"
        "    print(trouble.strerror, len(Results(Path('build')).latest()), n)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=few,
        env={**os.environ, "PYTHONPATH": str(kit.ROOT)},
        preexec_fn=bounded,
        capture_output=True,
        text=True,
        timeout=60,
    )
    reason, there, added = done.stdout.rsplit(maxsplit=2)
    assert (reason, done.stderr) == ("File too large", "")
    assert there == added
    assert int(added) > 5


def test_a_grade_falls_only_when_somebody_agrees(
    judged: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    build, path = tmp_path / "build", tmp_path / "build/results.jsonl"
    hand_in(build / "submitted", {"right": KINDS["right"]})
    shutil.copy(judged / "build/secret", build)
    of_all = (judged / "build/results.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    handed = ("right", "nothing")
    text = "".join(line for line in of_all if json.loads(line)["student"] in handed)
    # The judge of that day was kinder: the very same notebook had a point more.
    kinder = text.replace('"points": 1.0', '"points": 2.0', 1)
    path.write_text(re.sub(r'"(\d+\.){2}\d+\+', '"0.0.1+', kinder))
    assert cli.main(["grade"]) == 4
    assert "3 ->      2  held back" in capsys.readouterr().out
    of_each = (json.loads(line) for line in path.read_text().splitlines())
    stands, held = (each for each in of_each if each["student"] == "right")
    assert [stands["score"], held["score"]] == [6, 5]
    assert [stands["held"], held["held"]] == [False, True]
    table = (build / "regrade.csv").read_text().splitlines()
    assert len(table) == 2
    assert cli.main(["grade", "--accept"]) == 0
    assert lines(build)["right"]["score"] == 5


def test_a_call_that_cannot_be_carried_out_gets_a_line(few: Path) -> None:
    nowhere = graders("grade", few / "nowhere", where=few)
    assert (nowhere.returncode, len(nowhere.stderr.splitlines())) == (2, 1)
    assert "is no folder: give one with a folder for each student" in nowhere.stderr
    (few / "class.toml").write_text('partal = "exercise"\n[late]\npercent_per_dy = 3\n')
    (few / "build/results.jsonl").write_text("{}\n")
    odd = graders("grade", where=few)
    assert odd.returncode == 2
    assert odd.stderr.splitlines()[0].endswith("do you mean 'partial'?")
    assert odd.stderr.splitlines()[1].endswith("do you mean 'percent_per_day'?")
    assert "line 1: this is no result" in odd.stderr.splitlines()[2]


def test_two_do_not_grade_into_one_folder(few: Path) -> None:
    with alone(few / "build"):
        done = graders("grade", where=few)
    assert done.returncode == 2
    assert "somebody else is grading into build: wait" in done.stderr
    assert not (few / "build/results.jsonl").exists()
