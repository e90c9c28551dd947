"""A student opens a chapter in JupyterLab, solves an exercise and looks at the trace.

Chapter 00 is run whole, and of 05 what only a browser can tell; that every check says ○ for a stub
is in `tests/grading/test_stubs.py`, and how somebody approves in `test_cells.py`.
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from nbformat import NotebookNode
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser.lab import RUN, Chapter, Server, serve
from tests.browser.weight import looked_at
from tests.marking import first
from tests.notebooks import kit
from tests.notebooks.lints import EXERCISE

pytestmark = pytest.mark.browser
WHOLE = ("00_start_here", "01_one_agent")
IN_PART = ("05_task_delegation", "04_supervisor")
NEEDED = (  # of chapter 04, before its approval with two buttons
    "desk = front_desk.Desk(seed=7)",
    "LEAD = (",
    "request = ",
    "import asyncio",
    "from dataclasses import replace",
    "from course.approval import Approver",
    "async def manager(",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("lab") / "notebooks"
    shutil.copytree(kit.ROOT / "notebooks", root)
    config = f"{kit.ROOT}/graders/student:{kit.ROOT}/graders"  # as `make lab` sets it
    with serve(root, tmp_path_factory.mktemp("state"), JUPYTER_CONFIG_PATH=config) as running:
        yield running


@pytest.fixture(scope="module")
def context(browser: Browser) -> BrowserContext:
    """One for all: JupyterLab's scripts are loaded once."""
    return browser.new_context(viewport={"width": 1440, "height": 900})


@contextmanager
def opened_in(context: BrowserContext, server: Server, name: str) -> Iterator[Chapter]:
    page = context.new_page()
    page.goto(server.address(f"{name}/{name}.ipynb"))
    opened = Chapter(page)
    opened.wait_until_ready()
    yield opened
    page.close()


@pytest.fixture(scope="module", params=first(1, of=WHOLE))
def chapter(
    request: pytest.FixtureRequest, context: BrowserContext, server: Server
) -> Iterator[tuple[str, Chapter]]:
    """A chapter, opened and run from top to bottom."""
    with opened_in(context, server, request.param) as opened:
        opened.run_all()
        yield request.param, opened


@pytest.fixture(scope="module", params=first(1, of=IN_PART))
def begun(
    request: pytest.FixtureRequest, context: BrowserContext, server: Server
) -> Iterator[tuple[str, Chapter]]:
    """A chapter, opened, with its first cell run."""
    with opened_in(context, server, request.param) as opened:
        opened.run(opened.code("start()"))
        yield request.param, opened


def book_of(folder: str, name: str) -> NotebookNode:
    return kit.read(kit.ROOT / folder / name / f"{name}.ipynb")


def exercises(name: str) -> list[str]:
    found = [kit.grade_id(cell) for cell in book_of("solutions", name).cells]
    return [each for each in found if EXERCISE.match(each)]


def test_every_cell_ran(chapter: tuple[str, Chapter]) -> None:
    _, opened = chapter
    prompts = opened.page.locator(
        ".jp-Notebook .jp-CodeCell .jp-InputArea-prompt"
    ).all_inner_texts()
    assert [text for text in prompts if not any(sign.isdigit() for sign in text)] == []


def test_pictures_carry_alt_text(chapter: tuple[str, Chapter]) -> None:
    name, opened = chapter
    pictures = opened.page.locator(".jp-Notebook img")
    alts = [picture.get_attribute("alt") for picture in pictures.all()]
    assert all(alts), alts
    book = book_of("notebooks", name)
    if any("show_trace(" in cell.source for cell in book.cells):
        board = opened.page.locator(".jp-OutputArea .switchboard").first
        board.scroll_into_view_if_needed()
        caption = board.locator(".caption")
        begins = caption.inner_text()
        board.get_by_role("button", name="Next event (→)").click()
        assert caption.inner_text() != begins
        opened.page.keyboard.press("ArrowLeft")  # the notebook leaves it to the board
        assert caption.inner_text() == begins


def test_a_hint_opens(chapter: tuple[str, Chapter]) -> None:
    _, opened = chapter
    hint = opened.page.locator(".jp-MarkdownCell details").first
    inside = hint.locator("> *:not(summary)").first
    assert not inside.is_visible()
    hint.locator("summary").click()
    assert inside.is_visible()


def checking(number: str) -> re.Pattern[str]:
    """What the check cell of an exercise says, in either form."""
    return re.compile(rf'(check|play)\("{re.escape(number)}[ "]')


def test_an_untouched_check_says_so_quietly(chapter: tuple[str, Chapter]) -> None:
    name, opened = chapter
    for exercise in exercises(name):
        number = exercise.removeprefix("ex_").replace("_", ".")
        said = opened.told(opened.code(checking(number)))
        assert said.startswith((f"○ {number} ", f"Exercise {number}"))
        assert "○" in said
        assert not {"✓", "✗"} & set(said)


def test_a_check_turns_when_the_solution_is_typed(chapter: tuple[str, Chapter]) -> None:
    name, opened = chapter
    for exercise in exercises(name)[:1]:
        number = exercise.removeprefix("ex_").replace("_", ".")
        book = book_of("solutions", name)
        stub = opened.code(f"Exercise {number} not attempted yet")
        check = opened.code(checking(number))
        opened.run(stub, kit.by_id(book, exercise).source)
        opened.run(check)
        said = opened.told(check)
        assert said.startswith((f"✓ {number} ", f"Exercise {number}"))
        assert "✓" in said
        assert not {"○", "✗"} & set(said)


def test_a_students_lab_shows_nothing_of_nbgrader(chapter: tuple[str, Chapter]) -> None:
    _, opened = chapter
    for words in ("nbgrader", "Validate", "Create Assignment", "Formgrader"):
        assert opened.page.get_by_text(words).count() == 0, words


def test_the_front_page_leads_to_a_chapter_and_says_what_is_done(
    context: BrowserContext, server: Server
) -> None:
    page = context.new_page()
    page.goto(server.address("index.ipynb"))
    front = Chapter(page)
    front.wait_until_ready()
    table = page.locator(".jp-OutputArea table").first
    expect(table).to_contain_text("07 Parallel execution")
    expect(table).not_to_contain_text("not begun")
    front.run(front.code("home()"))
    expect(table).to_contain_text("○ not begun")
    expect(page.get_by_role("checkbox", name="Lean: only the hour")).not_to_be_checked()
    table.get_by_role("link", name="07 Parallel execution").click()
    expect(page.get_by_role("heading", name="07 · Parallel execution")).to_be_visible(timeout=RUN)
    page.close()


# -- as far as only a browser can tell -------------------------------------------------------------


def test_it_is_short_on_the_page(begun: tuple[str, Chapter]) -> None:
    name, opened = begun
    path = kit.ROOT / f"notebooks/{name}/{name}.ipynb"
    assert looked_at(opened.page, path).faults() == []


def test_its_diagrams_are_drawn_and_named(begun: tuple[str, Chapter]) -> None:
    _, opened = begun
    drawn = opened.page.locator(".jp-RenderedMermaid img, .jp-RenderedMermaid svg")
    expect(drawn.first).to_be_visible(timeout=RUN)
    for each in drawn.all():
        assert each.get_attribute("alt") or each.locator("title").first.text_content()


def test_its_first_check_says_quietly_that_nothing_was_attempted(
    begun: tuple[str, Chapter],
) -> None:
    name, opened = begun
    number = f"{int(name[:2])}.1"
    opened.run(opened.code(f"Exercise {number} not attempted yet"))
    check = opened.code(f'play("{number}"')
    opened.run(check)
    said = opened.told(check)
    assert said.startswith(f"Exercise {number}")
    assert "○ not attempted" in said
    assert not {"✓", "✗"} & set(said)


def test_its_buttons_and_boxes_can_be_used(begun: tuple[str, Chapter]) -> None:
    name, opened = begun
    use = {"04_supervisor": approve_in, "05_task_delegation": choose_in}
    use[name](opened)


def approve_in(opened: Chapter) -> None:
    """Take the # away, as the cell asks for, and decide with a click."""
    for each in NEEDED:
        opened.run(opened.code(each))
    cell = opened.code("Try it: decide yourself")
    source = "".join(
        line.inner_text() + "\n" for line in cell.locator(".cm-content .cm-line").all()
    )
    assert "# print((await" in source
    cell.locator(".cm-content").click()
    opened.page.keyboard.press("ControlOrMeta+a")
    opened.page.keyboard.insert_text(source.replace("# print((await", "print((await"))
    opened.page.keyboard.press("Shift+Enter")
    button = cell.get_by_role("button", name="Approve")
    expect(button).to_be_visible(timeout=RUN)
    button.focus()
    opened.page.keyboard.press("Enter")  # the keyboard decides as well as a click
    output = cell.locator(".jp-OutputArea")
    expect(output).to_contain_text("✓ approved", timeout=RUN)
    expect(output).to_contain_text("paid", timeout=RUN)


def choose_in(opened: Chapter) -> None:
    """Tick a box with the keyboard; the table below follows."""
    cell = opened.code("pattern_chooser(")
    opened.run(cell)
    table = cell.locator(".jp-OutputArea table")
    expect(table).to_contain_text("task group", timeout=RUN)
    expect(table).not_to_contain_text("pipeline")
    box = cell.get_by_role("checkbox", name="The steps are known beforehand")
    box.focus()
    opened.page.keyboard.press("Space")
    expect(table).to_contain_text("pipeline", timeout=RUN)
