"""Single cells in JupyterLab: a click decides, Stop stops, and a check is told in a box."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.lab import RUN, Chapter, Server, browse, serve
from tests.notebooks import kit

pytestmark = pytest.mark.browser
ASK = """\
question = Question(what="pay {0} EUR", details={{"invoice_id": "INV-3001"}}, asked_by="billing")
decision = await ask_approval(question, approval_buttons(by="Ada"), timeout={1})
print("decided:", decision.approved, decision.by, decision.reason)"""
CELLS = (
    "import asyncio\nfrom course import clock\nfrom course.approval import Question, ask_approval\n"
    "from course.notebook import approval_buttons, start\n\nstart()",
    ASK.format(11, 600),
    ASK.format(12, 600),
    ASK.format(13, 1),
    "print('waiting')\nawait asyncio.Event().wait()",
    "print('sleeping')\nclock.simulate(asyncio.sleep(600), speed=1)",
    "print('went on')",
    "from course.notebook import ask_box\nask_box(lambda text: f'heard <{text}>', example='Hello')",
)
WRONG = """
from course.agent import answer_call

async def answer_calls(calls, tools):
    return [await answer_call(call, tools) for call in calls]
"""
LATER = """
async def loop(*args, **kwargs):
    raise NotImplementedError("Exercise 1.4 not attempted yet")
"""
RIGHT = "from asyncio import gather\n" + WRONG.replace(
    "return [await answer_call(call, tools) for call in calls]",
    "tools = tuple(tools)\n    return await gather(*(answer_call(call, tools) for call in calls))",
)
CHECK = 'from graders.exercises import play\nplay("1.3", answer_calls)'
GOING_ON = {"tags": ["raises-exception"]}  # as the release tags every cell from a check on
CHECKS = (
    WRONG,
    CHECK,
    LATER,
    'play("1.4", loop)',
    RIGHT,
    'play("1.3", answer_calls)  # again',
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("cells")
    books = {
        "cells": [new_code_cell(source) for source in CELLS],
        "evidence": [new_code_cell(source, metadata=GOING_ON) for source in CHECKS],
    }
    for name, cells in books.items():
        book = new_notebook(cells=cells, metadata={"kernelspec": kit.KERNELSPEC})
        kit.write(book, Path(root, f"{name}.ipynb"))
    (root / "page.md").write_text("# A page\n\n| word | meaning |\n|---|---|\n| span | work |\n")
    config = str(kit.ROOT / "graders")
    with serve(root, tmp_path_factory.mktemp("state"), JUPYTER_CONFIG_PATH=config) as running:
        yield running


@pytest.fixture(scope="module")
def context(server: Server) -> Iterator[BrowserContext]:
    """One for all: JupyterLab's scripts are loaded once."""
    with browse() as running:
        yield running.new_context(viewport={"width": 1280, "height": 900})


@pytest.fixture(scope="module")
def page(context: BrowserContext, server: Server) -> Page:
    """The notebook of single cells, opened, with its first cell run."""
    page = context.new_page()
    page.goto(server.address("cells.ipynb"))
    Chapter(page).wait_until_ready()
    Chapter(page).run(Chapter(page).code("start()"))
    return page


@pytest.fixture(scope="module")
def checked(context: BrowserContext, server: Server) -> Chapter:
    """The notebook of checks, run from top to bottom."""
    page = context.new_page()
    page.set_viewport_size({"width": 1024, "height": 900})
    page.goto(server.address("evidence.ipynb"))
    opened = Chapter(page)
    opened.wait_until_ready()
    opened.run_all()
    return opened


# -- a person decides with a click or a key while a cell still waits for it -----------------------


@pytest.mark.parametrize(
    ("amount", "button", "key", "said", "ending"),
    [
        (11, "Approve", None, "decided: True Ada", "✓ approved"),
        (12, "Refuse", "Enter", "decided: False Ada", "✗ refused"),
        (13, "", None, "decided: False nobody nobody decided within 1 s",
         "○ nobody decided: refused"),
    ],
)  # fmt: skip
def test_a_click_or_a_key_decides_while_the_cell_waits(
    page: Page, amount: int, button: str, key: str | None, said: str, ending: str
) -> None:
    opened = Chapter(page)
    cell = opened.code(f"pay {amount} EUR")
    cell.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    question = cell.locator(".jp-OutputArea-output").filter(has_text="billing asks").first
    expect(question).to_contain_text(f"pay {amount} EUR", timeout=RUN)
    expect(question).to_contain_text("invoice_id: INV-3001")
    if button:
        expect(cell.locator(".jp-InputPrompt")).to_contain_text("*")
        decides = cell.get_by_role("button", name=button)
        decides.click() if key is None else decides.press(key)
    expect(cell.locator(".jp-OutputArea-output").last).to_contain_text(said, timeout=RUN)
    expect(question).to_contain_text(ending, timeout=RUN)
    expect(cell.get_by_role("button", name="Approve")).to_be_disabled()


# -- a request is typed, and Enter sends it -------------------------------------------------------


def test_enter_sends_what_was_typed_and_the_answer_is_read_aloud(page: Page) -> None:
    opened = Chapter(page)
    cell = opened.code("ask_box(")
    opened.run(cell)
    answer, box = cell.get_by_role("status"), cell.get_by_label("Request:")
    box.focus()
    page.keyboard.press("Enter")
    expect(answer).to_have_text("heard <Hello>")
    page.keyboard.type(" operator, quickly")
    page.keyboard.press("Enter")
    expect(answer).to_have_text("heard <Hello operator, quickly>")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(answer).to_have_text("heard <Hello operator, quickly>")


# -- a student stops a cell that would wait for ever, and goes on ---------------------------------


@pytest.mark.parametrize("word", ["waiting", "sleeping"])
def test_stop_ends_a_cell_that_awaits_for_ever(page: Page, word: str) -> None:
    opened = Chapter(page)
    endless, after = opened.code(f"print('{word}')"), opened.code("print('went on')")
    endless.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    expect(endless.locator(".jp-OutputArea-output").first).to_contain_text(word, timeout=RUN)
    expect(endless.locator(".jp-InputPrompt")).to_contain_text("*")
    page.locator('jp-button[data-command="notebook:interrupt-kernel"], [data-command='
                 '"notebook:interrupt-kernel"]').first.click()  # fmt: skip
    expect(endless.locator(".jp-InputPrompt")).not_to_contain_text("*", timeout=RUN)
    opened.run(after)
    expect(after.locator(".jp-OutputArea-output")).to_contain_text("went on", timeout=RUN)


# -- a check that fails plays both runs, where they part ------------------------------------------


def test_both_runs_play_on_one_clock_from_where_they_part(checked: Chapter) -> None:
    cell = checked.code('play("1.3", answer_calls)')
    cell.get_by_role("button", name="Play both runs: runs them at the same time").press("Enter")
    both = cell.locator(".compare")
    expect(both).to_contain_text("✗ The exercise says: “All of them run at the same time, and one")
    expect(both).to_contain_text("since it waits for lift with 13")
    halves = both.locator(".half")
    expect(halves).to_have_count(2)
    expect(halves.nth(0)).to_contain_text("answer_calls calls lift with 13")
    expect(halves.nth(1)).to_contain_text("answer_calls calls lift with 11")
    expect(both.locator(".time")).to_contain_text("0.00")
    cell.get_by_role("button", name="Close").press("Enter")
    expect(both).to_have_count(0)


# -- what a check shows: a box with sign, sentence, picture and the next step ---------------------


def choose(page: Page, theme: str) -> None:
    """Take a theme from the menu, and wait until it is there."""
    page.get_by_role("menuitem", name="Settings", exact=True).click()
    menus = page.get_by_role("menu")
    menus.get_by_text("Theme", exact=True).hover()  # what opens a menu is no menuitem there
    menus.get_by_text(f"JupyterLab {theme}", exact=True).click()
    expect(page.locator("body")).to_have_attribute("data-jp-theme-name", f"JupyterLab {theme}")


@pytest.mark.parametrize("theme", ["Dark", "Light"])
def test_a_check_is_told_in_a_box(checked: Chapter, theme: str) -> None:
    page = checked.page
    choose(page, theme)
    boxes = page.get_by_role("status").filter(has_text="Exercise")
    expect(boxes).to_have_count(3)
    failed, untouched, passed = (boxes.nth(place) for place in range(3))
    picture = failed.get_by_role("img", name="Two runs").first
    expect(picture).to_be_visible()
    expect(failed).to_contain_text("✗ not yet runs them at the same time")
    expect(untouched).to_contain_text("○ not attempted")
    expect(passed).to_contain_text("2 of 2 · 2 of 14 in this chapter · next: 1.4")
    errors = page.locator('[data-mime-type*="vnd.jupyter.err"], [data-mime-type*="jupyter.stderr"]')
    shown = [errors.nth(place).is_visible() for place in range(errors.count())]
    ink = picture.evaluate("picture => getComputedStyle(picture).fill")
    size = picture.bounding_box()
    wide = [box.evaluate("box => [box.scrollWidth, box.clientWidth]") for box in (failed, passed)]
    quiet = untouched.locator(".sign").first.evaluate("sign => getComputedStyle(sign).color")
    loud = failed.locator(".sign").first.evaluate("sign => getComputedStyle(sign).color")
    assert shown == [False, False]  # they are there for graders, and told in the box
    assert size is not None and size["width"] > 300
    assert (ink == "rgb(236, 232, 224)") == (theme == "Dark"), ink
    assert all(needed <= given for needed, given in wide)
    assert quiet != loud


# -- who teaches has nbgrader beside it -----------------------------------------------------------


def test_the_validate_button_of_nbgrader_is_there(checked: Chapter) -> None:
    assert checked.page.get_by_text("Validate", exact=True).first.is_visible()


# -- a page that a chapter links to is shown as it is meant to be read -----------------------------


def test_a_page_is_read_and_not_edited(checked: Chapter) -> None:
    checked.page.locator(".jp-DirListing-item", has_text="page.md").dblclick()
    expect(checked.page.get_by_role("heading", name="A page")).to_be_visible(timeout=RUN)
    expect(checked.page.get_by_role("cell", name="span")).to_be_visible()
