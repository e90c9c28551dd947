"""Chapters 04 and 05 in JupyterLab, as far as only a browser can tell: cheap, not whole.

Chapters 00 and 01 are run whole in `test_lab.py`; that every check says ○ for a stub is
in `tests/grading/test_stubs.py`.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from graders.release import generate
from tests.browser.lab import RUN, Chapter, Server, browse, serve

pytestmark = pytest.mark.browser
CHAPTERS = ("04_supervisor", "05_task_delegation")
NEEDED = (  # of chapter 04, before its approval with two buttons
    "desk = front_desk.Desk(seed=7)",
    "LEAD = (",
    "request = ",
    "import asyncio",
    "from dataclasses import replace",
    "from course.approval import Approver",
    "async def manager(",
)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("systems")
    generate(root)
    with serve(root, tmp_path_factory.mktemp("state")) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browse() as running:
        yield running


@pytest.fixture(scope="module", params=CHAPTERS)
def chapter(
    request: pytest.FixtureRequest, browser: Browser, server: Server
) -> Iterator[tuple[str, Chapter]]:
    """A student's chapter, opened, with its first cell run."""
    name: str = request.param
    context = browser.new_context(viewport={"width": 1250, "height": 900})
    page = context.new_page()
    page.goto(server.address(f"{name}/{name}.ipynb"))
    opened = Chapter(page)
    opened.wait_until_ready()
    opened.run(opened.code("start()"))
    yield name, opened
    context.close()


def test_its_diagrams_are_drawn_and_named(chapter: tuple[str, Chapter]) -> None:
    name, opened = chapter
    drawn = opened.page.locator(".jp-RenderedMermaid img, .jp-RenderedMermaid svg")
    expect(drawn.first).to_be_visible(timeout=RUN)
    opened.save_picture(f"{name}-opened")
    for each in drawn.all():
        assert each.get_attribute("alt") or each.locator("title").first.text_content()


def test_its_first_check_says_quietly_that_nothing_was_attempted(
    chapter: tuple[str, Chapter],
) -> None:
    name, opened = chapter
    number = f"{int(name[:2])}.1"
    opened.run(opened.code(f"Exercise {number} not attempted yet"))
    check = opened.code(f'play("{number}"')
    opened.run(check)
    said = opened.told(check)
    assert said.startswith(f"Exercise {number}")
    assert "○ not attempted" in said
    assert not {"✓", "✗"} & set(said)


def test_its_buttons_and_boxes_can_be_used(chapter: tuple[str, Chapter]) -> None:
    name, opened = chapter
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
    opened.save_picture("04_supervisor-approval")
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
    opened.save_picture("05_task_delegation-chooser")
