"""One command for everything, and chapters that are never copied over somebody's work."""

import sys
from pathlib import Path

import pytest

from course.notebook.exercises import RELEASED
from graders import cli
from graders.doors import copy_chapters, main


def test_it_has_every_command_of_both(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    for name in ("lab", "ask (demo)", "run", "serve", "trace", "new-world", "experiment",
                 "check", "class", "grade", "doctor"):  # fmt: skip
        assert f"    {name}" in said


def test_the_chapters_are_copied_whole(tmp_path: Path) -> None:
    there = {path.relative_to(RELEASED) for path in RELEASED.rglob("*.ipynb")}
    assert copy_chapters(tmp_path / "course") == (len(there), 0)
    made = {path.relative_to(tmp_path / "course"): path for path in tmp_path.rglob("*.ipynb")}
    assert set(made) == there
    assert all(made[name].read_bytes() == (RELEASED / name).read_bytes() for name in there)


def test_work_that_is_there_stays(tmp_path: Path) -> None:
    copied, _ = copy_chapters(tmp_path)
    mine = tmp_path / "01_one_agent" / "01_one_agent.ipynb"
    mine.write_text("my work")
    (tmp_path / "02_pipeline" / "02_pipeline.ipynb").unlink()
    assert copy_chapters(tmp_path) == (1, copied - 1)
    assert mine.read_text() == "my work"


@pytest.mark.parametrize("kind", ["a file", "a folder of other things"])
def test_what_is_no_folder_for_chapters_is_left_alone(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "there"
    if kind == "a file":
        target.write_text("mine")
    else:
        target.mkdir()
        (target / "letter.txt").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    assert main(["lab", str(target)]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("switchboard: ")
    assert "name a folder" in line
    assert sorted(tmp_path.rglob("*")) == before


def test_without_its_extra_nothing_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "jupyterlab", None)
    assert main(["lab", str(tmp_path / "course")]) == 2
    assert "pip install 'switchboard-course[lab]'" in capsys.readouterr().err
    assert not (tmp_path / "course").exists()


@pytest.mark.parametrize(
    ("codes", "played", "code"),
    [
        ({}, ["collect", "grade", "publish"], 0),
        ({"grade": 3}, ["collect", "grade", "publish"], 0),
        ({"publish": 3}, ["collect", "grade", "publish"], 3),
        ({"collect": 2}, ["collect"], 2),
        ({"grade": 2}, ["collect", "grade"], 2),
    ],
)
def test_a_class_goes_on_until_a_step_fails(
    codes: dict[str, int], played: list[str], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[list[str]] = []

    def step(words: list[str]) -> int:
        steps.append(words)
        return codes.get(words[0], 0)

    monkeypatch.setattr(cli, "main", step)
    call = [
        "class",
        "download.zip",
        "--roster",
        "r.csv",
        "--template",
        "t.csv",
        "--grade",
        "--jobs 1",
    ]
    assert main(call) == code
    assert [words[0] for words in steps] == played
    assert steps[0] == ["collect", "--roster", "r.csv", "--", "download.zip"]
    if "publish" in played:
        lms = ["--lms", "canvas", "--template", "t.csv"]
        assert steps[1:] == [["grade", "--jobs", "1"], ["publish", "--feedback-zip", *lms]]
