"""The gradebook in a PostgreSQL database: a setting of the class, with all that the file can do."""

import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from course.errors import ConfigurationError
from graders.classroom.gradebook import give_zero, manual_scores, write_gradebook
from graders.classroom.results import Result
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.verdict import passed
from tests.classroom.making import CHAPTER
from tests.needs import lacking, package

PLACES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
PROJECT = "11_the_project"


@pytest.fixture(autouse=True, scope="module")
def needed() -> None:
    package("pg8000")
    if not PLACES:
        lacking("postgresql")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[str]:
    """An empty database on a server of its own, which root may not run."""
    account = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    home = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
    if os.geteuid() == 0:
        shutil.chown(home, account)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def run(program: str, *arguments: object) -> None:
        command = [str(PLACES[-1] / program), "-D", str(home / "data"), *map(str, arguments)]
        subprocess.run(command, user=account, cwd=home, check=True, stdout=subprocess.DEVNULL)

    run("initdb", "--auth=trust", "--username=ada", "--no-sync", "--no-instructions")
    settings = f"-p {port} -k {home} -c listen_addresses=127.0.0.1 -c fsync=off"
    run("pg_ctl", "-w", "-l", home / "log", "-o", settings, "start")
    try:
        yield f"postgresql+pg8000://ada:$WORD@127.0.0.1:{port}/postgres"
    finally:
        run("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(home)


def result(student: str, chapter: str, number: str, points: float) -> Result:
    trials = (TrialVerdict("says it", points, passed()),)
    return Result(student, chapter, report=Report("x", chapter, (ExerciseReport(number, trials),)))


def test_a_database_holds_what_the_file_would(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORD", "secret")
    handed_in = [result("ada", CHAPTER, "0.1", 1.0), result("ada", PROJECT, "11.1", 5.0)]
    for _ in range(2):  # what is written can be written again
        assert write_gradebook(handed_in, {}, tmp_path, database=database) == []
    there = manual_scores(tmp_path, database)
    memo = ("ada", PROJECT, "ex_11_memo")
    assert there[memo] == (None, "")
    give_zero([memo], tmp_path, database)
    assert write_gradebook(handed_in, {}, tmp_path, database=database) == []
    assert manual_scores(tmp_path, database)[memo] == (0.0, "")  # what a person gave stays
    assert not (tmp_path / "gradebook.db").exists()
    nowhere = database.replace("/postgres", "/nowhere")
    [line] = write_gradebook(handed_in, {}, tmp_path, database=nowhere)
    assert "no gradebook that can be read" in line and "nowhere" in line
    assert "secret" not in line
    with pytest.raises(ConfigurationError, match="no gradebook that can be read"):
        manual_scores(tmp_path, nowhere)
