"""A class of thirty pairs, from Canvas's downloads to grades and feedback, twice, and nothing lost.

In between a person changes a grade in Canvas, another pair hands in again, and the disk is full.
"""

import csv
import zipfile
from pathlib import Path

import pytest

from graders import cli
from tests.classroom.making import CHAPTER, right
from tests.classroom.test_whole import full_after
from tests.judge.boxes import strongest

PAIRS = 30
PAPERS = (right(), right(ex_0_1="def greeting(name):\n    return name"), right(ex_0_2="1 / 0"))
EARNED = ("5", "4", "3")
STUDENTS = [f"s{n:02}" for n in range(2 * PAIRS)]


def write_download(papers: dict[int, bytes], upload: int) -> None:
    with zipfile.ZipFile("submissions.zip", "w") as archive:
        for pair, data in papers.items():
            again = "-1" if upload > 1 else ""
            archive.writestr(f"pair{pair}_{5000 + pair}_{upload}{pair:03}_x{again}.ipynb", data)


def write_export(grades: dict[str, str]) -> None:
    with Path("export.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Student", "ID", "SIS Login ID", "00 Start Here (1)"])
        writer.writerow(["Points Possible", "", "", "5"])
        for number, name in enumerate(STUDENTS, start=101):
            writer.writerow([f"Student {name}", number, name, grades.get(name, "")])


def uploaded() -> dict[str, str]:
    """The grades in the file that goes up to Canvas."""
    with Path("build/upload/export.csv").open() as file:
        rows = list(csv.DictReader(file))[1:]
    return {row["SIS Login ID"]: row["00 Start Here (1)"] for row in rows}


def run(*command: str) -> int:
    """Give a command, first with a disk that is soon full: it ends in 2, and then goes on."""
    with pytest.MonkeyPatch.context() as patched:
        full_after(3, patched)
        code = cli.main([*command])
    assert code in (0, 2)
    assert code == 0 or cli.main([*command]) == 0
    return code


def term() -> list[int]:
    """Collect, grade and publish; how each ended while the disk was full."""
    found = [run("collect", "submissions.zip", "--roster", "export.csv", "--groups", "groups.csv")]
    if Path("build/results.jsonl").exists():
        found.append(run("grade", "-j", "1", "--no-gradebook"))
    else:
        assert cli.main(["grade", "-j", "1", "--no-gradebook"]) == 0
    found.append(run("publish", "--lms", "canvas", "--template", "export.csv", "--feedback-zip"))
    return found


def test_nothing_of_a_class_of_thirty_pairs_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    strongest()
    monkeypatch.chdir(tmp_path)
    groups = [f"{name},Pair {n // 2}" for n, name in enumerate(STUDENTS)]
    Path("groups.csv").write_text("\n".join(["login_id,group_name", *groups]) + "\n")
    papers = {n: PAPERS[n % 3] for n in range(PAIRS)}
    write_export({})
    write_download(papers, upload=1)
    assert 2 in term()
    first = {name: EARNED[n // 2 % 3] for n, name in enumerate(STUDENTS)}
    assert uploaded() == first

    in_canvas = {name: f"{float(grade):.2f}" for name, grade in first.items()}
    person = {"s00": "4.50", "s02": "EX"}
    write_export(in_canvas | person)
    write_download({**papers, 5: PAPERS[0]}, upload=2)
    capsys.readouterr()
    assert 2 in term()
    assert uploaded() == first | person | {"s10": "5", "s11": "5"}
    said = capsys.readouterr().err
    assert "2 grades that are not ours are kept: Student s00 has 4.50; Student s02 has EX" in said
    with Path("build/grades.csv").open() as file:
        final = {row["student"]: float(row["final"]) for row in csv.DictReader(file)}
    again = {"s10": 5.0, "s11": 5.0}
    assert final == {name: float(grade) for name, grade in first.items()} | again
    pages = {path.parent.name for path in Path("build/feedback").rglob(f"{CHAPTER}.html")}
    assert pages == set(STUDENTS)
    with zipfile.ZipFile("build/feedback.zip") as archive:
        assert len(archive.namelist()) == len(STUDENTS)
    assert len(list(Path("build/attempts/s10").rglob("*.ipynb"))) == 2
    assert list(Path("build").rglob("*.new")) == []
