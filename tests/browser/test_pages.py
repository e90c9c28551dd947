"""Pages that nbconvert makes of the home page and the chapters with their outputs: no barrier."""

from functools import cache
from pathlib import Path

import pytest
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from nbformat.v4 import new_output
from playwright.sync_api import Browser, Page
from traitlets.config.loader import PyFileConfigLoader

from course.notebook.chapters import chapters
from course.notebook.front import front_page
from course.notebook.overview import rows
from tests.browser.test_barriers import RULES, axe, barriers
from tests.marking import first
from tests.notebooks import kit, lints

pytestmark = pytest.mark.browser
DARK = "document.body.dataset.jpThemeLight = 'false'"
PAPER = """async (image) => {
    const canvas = document.createElement('canvas').getContext('2d');
    canvas.filter = getComputedStyle(image).filter;
    canvas.drawImage(image, 0, 0);
    return [...canvas.getImageData(2, 2, 1, 1).data].slice(0, 3);
}"""
"""The colour of a figure's corner as it is shown."""


@cache
def exporter() -> HTMLExporter:
    loader = PyFileConfigLoader("jupyter_nbconvert_config.py", path=str(kit.ROOT / "graders"))
    return HTMLExporter(config=loader.load_config())


def shown(browser: Browser, folder: Path, book: NotebookNode, *, dark: bool) -> Page:
    """A notebook's page, without a network."""
    made, _ = exporter().from_notebook_node(book, {"metadata": {"name": "a chapter"}})
    place = folder / "page.html"
    place.write_text(made, encoding="utf-8")
    context = browser.new_context(viewport={"width": 1024, "height": 900}, offline=True)
    view = context.new_page()
    view.goto(place.as_uri())
    if dark:
        view.evaluate(DARK)
    return view


def home() -> NotebookNode:
    """The home page with what its first cell shows."""
    book = kit.read(kit.ROOT / "notebooks" / "index.ipynb")
    found = chapters(kit.ROOT / "notebooks")
    html, plain = front_page(found, [rows(chapter.exercises) for chapter in found])
    cell = next(cell for cell in book.cells if cell.cell_type == "code")
    cell.outputs = [new_output("display_data", {"text/html": html, "text/plain": plain})]
    return book


def serious(view: Page) -> list[object]:
    view.evaluate(axe())
    return [each for each in barriers(view, RULES["light"]) if each[0] != "moderate"]


def test_axe_finds_nothing_on_the_home_page(browser: Browser, tmp_path: Path) -> None:
    assert serious(shown(browser, tmp_path, home(), dark=False)) == []


@pytest.mark.parametrize(
    "path", first(2, of=lints.notebooks("solutions")), ids=lambda path: path.stem
)
def test_axe_finds_nothing_in_a_chapter(browser: Browser, tmp_path: Path, path: Path) -> None:
    assert serious(shown(browser, tmp_path, kit.read(path), dark=False)) == []


@pytest.mark.parametrize("dark", [False, True])
def test_a_figure_is_as_dark_as_the_page(browser: Browser, tmp_path: Path, dark: bool) -> None:
    view = shown(browser, tmp_path, kit.read(lints.notebooks("solutions")[0]), dark=dark)
    figure = view.locator("img.figure").first
    paper = figure.evaluate(PAPER)
    assert max(paper) < 40 if dark else min(paper) > 215
