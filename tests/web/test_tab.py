"""The course in a browser's tab, whole: its programs, its chapters, and a page in Chromium.

Programs and chapters run in Node, in the kernel that the built site has. Pyodide's own packages
(numpy, matplotlib, pandas) come from its host: where that can't be reached, a figure is a line.
"""

import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from playwright.sync_api import Page, expect

from course.notebook import in_tab
from tests.browser.lab import RUN, Chapter, browse
from tests.house.test_programs import PRINTS, PROGRAMS
from tests.marking import LONG
from tests.needs import lacking
from tests.notebooks import kit

RUNNER = Path(__file__).with_name("tab.mjs")
CHAPTERS = ("00", "01", "03", "04", "06", "08")
CHECKED = re.compile(r"^✓ (\d+\.\d+) ", re.MULTILINE)
NOT_GREEN = re.compile(r"^[✗○] \d+\.\d+ .*", re.MULTILINE)
EXERCISE = re.compile(r"ex_(\d+)_(\d+)_check")
SECONDS = 900  # for a chapter, on a machine that does much else
pytestmark = LONG


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("jupyterlite_core") is None:
        lacking("the site's generator")
    if not (shutil.which("node") and shutil.which("npm")):
        lacking("node")
    from web.lite.__main__ import build

    target = tmp_path_factory.mktemp("some") / "path" / "lite"
    target.parent.mkdir()
    try:
        build(target)
    except subprocess.CalledProcessError as trouble:
        lacking("a course for a tab", str(trouble))
    return target


def ran(site: Path, drive: Path, sources: list[str]) -> list[dict[str, str]]:
    """What each cell told in the site's kernel, and its status."""
    cells = drive.with_suffix(".json")
    cells.write_text(json.dumps(sources), encoding="utf-8")
    node = ["node", str(RUNNER), str(site), str(drive), str(cells)]
    done = subprocess.run(node, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[dict[str, str]] = json.loads(done.stdout.splitlines()[-1])  # Pyodide speaks too
    return found


def released(number: str) -> NotebookNode:
    [path] = kit.ROOT.glob(f"notebooks/{number}_*/*.ipynb")
    return kit.read(path)


def answered(number: str) -> list[str]:
    """The released chapter's code, with the author's answers typed in."""
    [path] = kit.ROOT.glob(f"solutions/{number}_*/*.ipynb")
    answers = {cell.id: cell.source for cell in kit.read(path).cells}
    return [
        answers[cell.id] if "# YOUR CODE HERE" in cell.source else cell.source
        for cell in released(number).cells
        if cell.cell_type == "code"
    ]


def exercises(book: NotebookNode) -> set[str]:
    names = (EXERCISE.fullmatch(kit.grade_id(cell)) for cell in book.cells)
    return {f"{int(name[1])}.{int(name[2])}" for name in names if name}


def test_five_programs_run_unchanged(site: Path, tmp_path: Path) -> None:
    sources = [(PROGRAMS / f"{name}.py").read_text() for name in PRINTS]
    told = ran(site, tmp_path / "drive", sources)
    assert [each["status"] for each in told] == ["ok"] * len(PRINTS)
    for said, words in zip(told, PRINTS.values(), strict=True):
        assert words in said["told"]


@pytest.mark.parametrize("number", CHAPTERS)
def test_a_chapters_answers_are_green(site: Path, tmp_path: Path, number: str) -> None:
    told = ran(site, tmp_path / "drive", answered(number))
    text = "\n".join(each["told"] for each in told)
    wrong = [line for line in NOT_GREEN.findall(text) if in_tab.NOT_LOADED not in line]
    assert wrong == []
    assert set(CHECKED.findall(text)) == exercises(released(number))
    assert {each["status"] for each in told} == {"ok"}
    missing = re.findall(r"No module named '([\w.]+)'", text)
    assert {name.partition(".")[0] for name in missing} <= {"matplotlib", "numpy", "pandas"}
    kept = json.loads((tmp_path / "drive/notebooks/.progress.json").read_text(encoding="utf-8"))
    assert set(kept["exercises"]) == exercises(released(number))


def test_a_chapter_that_nobody_answered_runs_to_its_end(site: Path, tmp_path: Path) -> None:
    book = released("00")
    told = ran(site, tmp_path / "drive", [c.source for c in book.cells if c.cell_type == "code"])
    assert {each["status"] for each in told} == {"ok"}
    text = "\n".join(each["told"] for each in told)
    assert {f"○ {number} " in text for number in exercises(book)} == {True}
    assert "✗ 0." not in text


class Quiet(SimpleHTTPRequestHandler):
    """The server of `python -m http.server`, which says nothing here."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where the site is served, below another folder as on any host."""
    handler = partial(Quiet, directory=site.parent.parent)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/path/lite/lab/index.html"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def page(address: str) -> Iterator[Page]:
    """Chapter 00, open in a tab with its kernel."""
    with browse() as browser:
        opened = browser.new_page(viewport={"width": 1280, "height": 900}, accept_downloads=True)
        opened.goto(f"{address}?path=notebooks/00_start_here/00_start_here.ipynb")
        opened.wait_for_selector(".jp-Notebook .jp-Cell", timeout=RUN)
        opened.get_by_text("Python (Pyodide) | Idle").wait_for(timeout=RUN)
        yield opened


@pytest.mark.browser
def test_a_browser_without_webassembly_is_told(address: str) -> None:
    with browse() as browser:
        view = browser.new_page()
        view.add_init_script("delete globalThis.WebAssembly")
        view.goto(address)
        expect(view.get_by_role("alert")).to_contain_text("has no WebAssembly")


@pytest.mark.browser
def test_a_chapter_is_answered_in_a_tab_kept_there_and_handed_in(
    page: Page, tmp_path: Path
) -> None:
    chapter = Chapter(page)
    chapter.run_all()
    check = chapter.code('check("0.1 ')
    assert chapter.told(check).startswith("○ 0.1")
    answer = next(source for source in answered("00") if "def greeting" in source)
    chapter.run(chapter.code("Exercise 0.1 not attempted yet"), answer)
    chapter.run(check)
    assert "✓ 0.1 greets a caller by name" in chapter.told(check)
    page.keyboard.press("ControlOrMeta+s")
    page.get_by_role("menuitem", name="File", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Download", exact=True).click()
    path = tmp_path / "00_start_here.ipynb"
    download.value.save_as(path)
    assert answer in {cell.source for cell in nbformat.read(path, as_version=4).cells}
    judge = [sys.executable, "-m", "graders", "check", "--json", str(path)]
    judged = subprocess.run(judge, capture_output=True, text=True, timeout=SECONDS)
    found = {each["number"]: each["score"] for each in json.loads(judged.stdout)["exercises"]}
    assert (found["0.1"] > 0, found["0.2"]) == (True, 0)
    page.reload()
    page.get_by_text("Python (Pyodide) | Idle").wait_for(timeout=RUN)
    page.get_by_role("menuitem", name="Edit", exact=True).click()
    page.get_by_role("menuitem", name="Clear Outputs of All Cells", exact=True).click()
    chapter.run(chapter.code("start()"))
    chapter.run(chapter.code("progress()"))
    expect(chapter.code("progress()").get_by_text("0.1")).to_be_visible()
