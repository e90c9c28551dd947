"""An instructor's JupyterLab: nbgrader's formgrader sees the course."""

import csv
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from graders import cli
from graders.classroom.gradebook import manual_scores, write_gradebook
from graders.classroom.results import Result, Results
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.verdict import passed
from tests.browser.lab import RUN, Server, browse, serve
from tests.grading.odd import as_file
from tests.notebooks import kit

PROJECT = "11_the_project"
TRIAL = TrialVerdict("plans first", 5, passed())
RESULT = Result(
    "ada", PROJECT, report=Report("x.ipynb", PROJECT, (ExerciseReport("11.1", (TRIAL,)),))
)

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course in which one project was handed in and judged."""
    folder = tmp_path_factory.mktemp("instructor")
    source = kit.read(kit.ROOT / f"solutions/{PROJECT}/{PROJECT}.ipynb")
    root = kit.make_course(folder / "course", source, PROJECT)
    (root / "build").mkdir()
    path = as_file(PROJECT, lambda book: None, folder / "handed in")
    assert write_gradebook([RESULT], {RESULT.key: path}, root / "build") == []
    return root


@pytest.fixture(scope="module")
def server(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    config = str(root / "graders")
    with serve(root, tmp_path_factory.mktemp("state"), JUPYTER_CONFIG_PATH=config) as running:
        yield running


def test_the_formgrader_lists_the_chapters(server: Server) -> None:
    [chapter] = json.loads(asked(server, "api/assignments"))
    assert chapter["name"] == PROJECT
    assert chapter["source_path"] == f"solutions/{PROJECT}"


def test_a_memo_graded_in_formgrader_is_in_the_table(
    root: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    [submission] = json.loads(asked(server, f"api/submissions/{PROJECT}"))
    [book] = json.loads(asked(server, f"api/submitted_notebooks/{PROJECT}/{PROJECT}"))
    page = asked(server, f"submissions/{book['id']}/")
    with browse() as browser:
        grade_by_clicking(browser, server, {"ex_11_memo": 9, "ex_11_reflection": 4})
    assert (submission["student"], submission["score"]) == ("ada", 5)
    assert submission["needs_manual_grade"]  # memo and reflection, which nobody read yet
    assert "plans first" in page
    assert "/ 12" in page or "12.0" in page
    given = {cell: points for (_, _, cell), (points, _) in manual_scores(root / "build").items()}
    assert (given["ex_11_memo"], given["ex_11_reflection"]) == (9, 4)
    Results(root / "build").settle([RESULT])
    monkeypatch.chdir(root)
    assert cli.main(["publish"]) == 0
    [row] = csv.DictReader((root / "build/grades.csv").read_text().splitlines())
    assert [float(row[name]) for name in ("raw", "manual", "final")] == [5, 13, 18]


def grade_by_clicking(browser: Browser, server: Server, points: dict[str, int]) -> None:
    """Go from formgrader's list to the submission, and type points as a person does."""
    page = browser.new_page(extra_http_headers={"Authorization": f"token {server.token}"})
    page.goto(f"{server.url}formgrader/gradebook/{PROJECT}/{PROJECT}")
    page.get_by_role("link", name="Submission #1").click()
    # Its boxes are enabled long before anything hears what is typed into them.
    page.wait_for_function("window.formgrader?.grades?.loaded", timeout=RUN)
    for cell, given in points.items():
        box = page.locator(f"input#{cell}")
        with page.expect_response(
            lambda answer: "/api/grade/" in answer.url and answer.request.method == "PUT"
        ) as answered:
            box.fill(str(given))
            box.press("Tab")
        assert answered.value.ok
    page.close()


def asked(server: Server, path: str) -> str:
    """What formgrader answers."""
    request = urllib.request.Request(
        f"{server.url}formgrader/{path}", headers={"Authorization": f"token {server.token}"}
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        return str(answer.read().decode())
