"""An instructor's JupyterLab: nbgrader's formgrader sees the course."""

import json
import urllib.request
from pathlib import Path

import pytest

from graders.classroom.gradebook import write_gradebook
from graders.classroom.results import Result
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.verdict import passed
from tests.browser.lab import Server, serve
from tests.grading.odd import as_file
from tests.notebooks import kit

PROJECT = "11_the_project"

pytestmark = pytest.mark.browser


def test_the_formgrader_lists_the_chapters(tmp_path: Path) -> None:
    root = kit.make_course(tmp_path / "course")
    with serve(root, tmp_path, JUPYTER_CONFIG_PATH=str(root / "graders")) as server:
        request = urllib.request.Request(
            f"{server.url}formgrader/api/assignments",
            headers={"Authorization": f"token {server.token}"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            [chapter] = json.load(answer)
    assert chapter["name"] == kit.CHAPTER
    assert chapter["source_path"] == f"solutions/{kit.CHAPTER}"


def test_formgrader_opens_what_the_judge_graded(tmp_path: Path) -> None:
    root = kit.make_course(
        tmp_path / "course", kit.read(kit.ROOT / f"solutions/{PROJECT}/{PROJECT}.ipynb"), PROJECT
    )
    trial = TrialVerdict("plans first", 5, passed())
    report = Report("x.ipynb", PROJECT, (ExerciseReport("11.1", (trial,)),))
    result = Result("ada", PROJECT, report=report)
    (root / "build").mkdir()
    path = as_file(PROJECT, lambda book: None, tmp_path / "handed in")
    assert write_gradebook([result], {result.key: path}, root / "build") == []
    with serve(root, tmp_path, JUPYTER_CONFIG_PATH=str(root / "graders")) as server:
        [submission] = json.loads(asked(server, f"api/submissions/{PROJECT}"))
        [book] = json.loads(asked(server, f"api/submitted_notebooks/{PROJECT}/{PROJECT}"))
        page = asked(server, f"submissions/{book['id']}/")
    assert (submission["student"], submission["score"]) == ("ada", 5)
    assert submission["needs_manual_grade"]  # memo and reflection, which nobody read yet
    assert "plans first" in page
    assert "/ 12" in page or "12.0" in page


def asked(server: Server, path: str) -> str:
    """What formgrader answers."""
    request = urllib.request.Request(
        f"{server.url}formgrader/{path}", headers={"Authorization": f"token {server.token}"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(answer.read().decode())
