"""A student opens a chapter in JupyterLab, solves an exercise and looks at the trace."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from graders.release import release
from tests.browser.lab import Chapter, Server, browse, serve
from tests.marking import first
from tests.notebooks import kit, lints
from tests.notebooks.lints import EXERCISE

pytestmark = pytest.mark.browser
# Whole chapters take their time: of those from 02 on, `test_systems.py` opens what it needs.
FIRST = [path.stem for path in lints.notebooks("notebooks") if path.stem < "02"]


@pytest.fixture(scope="session")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A student's copy of the notebooks, the fixture chapter among them, and of the solutions."""
    root = kit.make_course(tmp_path_factory.mktemp("lab") / "course")
    release(root)
    for folder in ("notebooks", "solutions"):
        shutil.copytree(kit.ROOT / folder, root / folder, dirs_exist_ok=True)
    return root


@pytest.fixture(scope="session")
def server(places: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(places / "notebooks", tmp_path_factory.mktemp("state")) as running:
        yield running


@pytest.fixture(scope="module")  # while it is open, no other test can run an event loop
def browser() -> Iterator[Browser]:
    with browse() as running:
        yield running


@pytest.fixture(scope="module", params=first(2, of=[kit.CHAPTER, *FIRST]))
def chapter(
    request: pytest.FixtureRequest, browser: Browser, server: Server
) -> Iterator[tuple[str, Chapter]]:
    """A chapter, opened and run from top to bottom."""
    name: str = request.param
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(server.address(f"{name}/{name}.ipynb"))
    opened = Chapter(page)
    opened.wait_until_ready()
    opened.run_all()
    yield name, opened
    context.close()


def exercises(places: Path, name: str) -> list[str]:
    book = kit.read(places / "solutions" / name / f"{name}.ipynb")
    return [kit.grade_id(cell) for cell in book.cells if EXERCISE.match(kit.grade_id(cell))]


def test_every_cell_ran(chapter: tuple[str, Chapter]) -> None:
    name, opened = chapter
    prompts = opened.page.locator(".jp-Notebook .jp-CodeCell .jp-InputPrompt").all_inner_texts()
    opened.save_picture(f"{name}-opened")
    assert [text for text in prompts if not any(sign.isdigit() for sign in text)] == []


def test_pictures_carry_alt_text(chapter: tuple[str, Chapter], places: Path) -> None:
    name, opened = chapter
    pictures = opened.page.locator(".jp-Notebook img")
    alts = [picture.get_attribute("alt") for picture in pictures.all()]
    assert all(alts), alts
    book = kit.read(places / "notebooks" / name / f"{name}.ipynb")
    if any("show_trace(" in cell.source for cell in book.cells):
        board = opened.page.locator(".jp-OutputArea .switchboard").first
        board.scroll_into_view_if_needed()
        caption = board.locator(".caption")
        begins = caption.inner_text()
        board.get_by_role("button", name="Next event (→)").click()
        assert caption.inner_text() != begins
        opened.save_picture(f"{name}-trace")


def test_a_hint_opens(chapter: tuple[str, Chapter], places: Path) -> None:
    name, opened = chapter
    if not exercises(places, name):
        pytest.skip(f"{name} has no exercises")
    hint = opened.page.locator(".jp-MarkdownCell details").first
    inside = hint.locator("> *:not(summary)").first
    assert not inside.is_visible()
    hint.locator("summary").click()
    assert inside.is_visible()
    opened.save_picture(f"{name}-hint")


def checking(number: str) -> re.Pattern[str]:
    """What the check cell of an exercise says, in either form."""
    return re.compile(rf'(check|play)\("{re.escape(number)}[ "]')


def test_an_untouched_check_says_so_quietly(chapter: tuple[str, Chapter], places: Path) -> None:
    name, opened = chapter
    for exercise in exercises(places, name):
        number = exercise.removeprefix("ex_").replace("_", ".")
        said = opened.told(opened.code(checking(number)))
        assert said.startswith((f"○ {number} ", f"Exercise {number}"))
        assert "○" in said
        assert not {"✓", "✗"} & set(said)


def test_a_check_turns_when_the_solution_is_typed(
    chapter: tuple[str, Chapter], places: Path
) -> None:
    name, opened = chapter
    for exercise in exercises(places, name)[:1]:
        number = exercise.removeprefix("ex_").replace("_", ".")
        book = kit.read(places / "solutions" / name / f"{name}.ipynb")
        stub = opened.code(f"Exercise {number} not attempted yet")
        check = opened.code(checking(number))
        opened.run(stub, kit.by_id(book, exercise).source)
        opened.run(check)
        said = opened.told(check)
        opened.save_picture(f"{name}-check")
        assert said.startswith((f"✓ {number} ", f"Exercise {number}"))
        assert "✓" in said
        assert not {"○", "✗"} & set(said)


def test_the_validate_button_of_nbgrader_is_there(chapter: tuple[str, Chapter]) -> None:
    _, opened = chapter
    assert opened.page.get_by_text("Validate", exact=True).first.is_visible()
