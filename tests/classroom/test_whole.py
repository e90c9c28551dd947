"""Nothing is half written: wherever a disk fills up, files are old or new, and the command goes on.

Every write of a class goes through one function, so its n-th call fails here for every n.
"""

import errno
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from graders import cli
from graders.classroom import grading
from graders.classroom.hashes import hashes_of
from graders.classroom.judging import Job, Setup
from graders.classroom.results import Hashes, Result
from graders.records import whole
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.verdict import passed
from tests.classroom.making import CHAPTER, right
from tests.judge.boxes import strongest

Files = dict[str, bytes]
Printed = pytest.CaptureFixture[str]
EXPORT = "Student,ID,00 Start Here\nPoints Possible,,5\nAda,101,\nBo,102,\n"
COMMANDS = (
    ["collect", "week.zip", "--roster", "export.csv", "--due", "2026-11-20T23:59:00+01:00"],
    ["grade", "--no-gradebook"],
    ["publish", "--lms", "canvas", "--template", "export.csv", "--feedback-zip", "--similar"],
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A class of two in Canvas; whom the judge is asked about, it gives all points."""
    strongest()
    monkeypatch.chdir(tmp_path)
    Path("export.csv").write_text(EXPORT)
    hand_in(ada=right(), bo=right(ex_0_1="def greeting(name): ..."))

    def played(jobs: list[Job], setup: Setup, call: object) -> Iterator[tuple[Job, Result]]:
        report = Report("x.ipynb", CHAPTER, (exercise(5),))
        for job in jobs:
            assert job.submission.path is not None
            hashes = Hashes(hashes_of(job.submission.path, None).notebook)
            yield job, Result(*job.submission.key, report=report, hashes=hashes)

    monkeypatch.setattr(grading, "_played", played)


def exercise(points: float) -> ExerciseReport:
    return ExerciseReport("0.1", (TrialVerdict("a trial", points, passed()),))


def hand_in(**papers: bytes) -> None:
    with zipfile.ZipFile("week.zip", "w") as archive:
        for number, (name, data) in enumerate(papers.items(), start=101):
            archive.writestr(f"{name}_{number}_{len(data)}_x.ipynb", data)


def files() -> Files:
    return {
        path.as_posix(): path.read_bytes()
        for path in sorted(Path("build").rglob("*"))
        if path.is_file() and path.name not in (".lock", "secret")
    }


def full_after(writes: int, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A disk that has room for so many files, half of the next one, and no more."""
    left = iter(range(writes))

    def fsync(_descriptor: int) -> None:
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fsync)
    return monkeypatch


def failing(command: list[str], capsys: Printed) -> Iterator[int]:
    """Give the command again and again, with room for one file more each time, until it works."""
    for writes in range(100):
        capsys.readouterr()
        with pytest.MonkeyPatch.context() as patched:
            full_after(writes, patched)
            code = cli.main(command)
        if code != 2:
            return
        said = [line for line in capsys.readouterr().err.splitlines() if "space" in line]
        assert len(said) == 1
        assert said[0].startswith(f"{command[0]}: build/")
        assert said[0].endswith(f"No space left on device; {whole.ON}")
        yield writes


def test_whatever_cannot_be_written_every_file_is_old_or_new(capsys: Printed) -> None:
    for command in COMMANDS:  # the first week, with room
        assert cli.main(command) == 0
    old = files()
    hand_in(ada=right(ex_0_2="# better"), bo=right())
    for command in COMMANDS:
        assert cli.main(command) == 0
    new = files()
    for name in new:
        Path(name).unlink()
    for name, data in old.items():
        Path(name).write_bytes(data)
    count = 0
    for command in COMMANDS:
        for _ in failing(command, capsys):
            count += 1
            for name, data in files().items():
                grows = name == "build/results.jsonl" and data.startswith(old[name])
                assert grows or data in (old.get(name), new.get(name)), name
            assert files().keys() >= old.keys()
    assert count >= 10
    assert files() == new


def test_a_line_that_did_not_fit_is_no_result(capsys: Printed) -> None:
    cli.main(COMMANDS[0])
    with pytest.MonkeyPatch.context() as patched:
        full_after(2, patched)  # the secret, and one of two results
        assert cli.main(COMMANDS[1]) == 2
    lines = Path("build/results.jsonl").read_text().splitlines()
    assert [json.loads(line)["student"] for line in lines] == ["101"]
    assert cli.main(COMMANDS[1]) == 0
    assert len(Path("build/results.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize("size", [0, 31])
def test_a_short_secret_is_refused(capsys: Printed, size: int) -> None:
    cli.main(COMMANDS[0])
    Path("build/secret").write_bytes(b"s" * size)
    assert cli.main(COMMANDS[1]) == 2
    assert f"grade: build/secret has {size} bytes and needs 32" in capsys.readouterr().err
    Path("build/secret").unlink()
    assert cli.main(COMMANDS[1]) == 0
    assert Path("build/secret").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOTCONN, errno.EIO])
def test_a_folder_that_is_read_only_or_gone_is_a_line(capsys: Printed, number: int) -> None:
    """As a read-only folder, a network drive that is gone, and a disk that fails answer."""
    for command in COMMANDS:
        capsys.readouterr()
        with pytest.MonkeyPatch.context() as patched:

            def refuse(name: object, *_: object, **__: object) -> None:
                raise OSError(number, os.strerror(number), str(name))

            patched.setattr(whole, "open", refuse, raising=False)
            assert cli.main(command) == 2
        [said] = [each for each in capsys.readouterr().err.splitlines() if whole.ON in each]
        assert os.strerror(number) in said
        assert cli.main(command) == 0
