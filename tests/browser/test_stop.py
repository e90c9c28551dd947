"""A student stops a cell that would wait for ever, in JupyterLab, and goes on."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, Page, expect

from tests.browser.lab import RUN, Chapter, Server, browse, serve
from tests.notebooks import kit

pytestmark = pytest.mark.browser
CELLS = (
    "import asyncio\nfrom course import clock\nfrom course.notebook import start\n\nstart()",
    "print('waiting')\nawait asyncio.Event().wait()",
    "print('sleeping')\nclock.simulate(asyncio.sleep(600), speed=1)",
    "print('went on')",
)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("stop")
    book = new_notebook(
        cells=[new_code_cell(source) for source in CELLS], metadata={"kernelspec": kit.KERNELSPEC}
    )
    kit.write(book, Path(root, "stop.ipynb"))
    with serve(root, tmp_path_factory.mktemp("state")) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browse() as running:
        yield running


@pytest.fixture(scope="module")
def page(browser: Browser, server: Server) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(server.address("stop.ipynb"))
    Chapter(page).wait_until_ready()
    Chapter(page).run(Chapter(page).code("start()"))
    yield page
    context.close()


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
    opened.save_picture(f"stop-{word}")
