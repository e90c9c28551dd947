"""A check that did not pass shows in JupyterLab what its message speaks of."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, expect

from tests.browser.lab import Chapter, Server, browse, serve
from tests.notebooks import kit

pytestmark = pytest.mark.browser
WRONG = """
from course.agent import answer_call

async def answer_calls(calls, tools):
    return [await answer_call(call, tools) for call in calls]
"""
THEME = "@jupyterlab/apputils-extension/themes.jupyterlab-settings"
CHECK = 'from graders.exercises import play\nplay("1.3")'


@pytest.fixture(scope="session")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, state: Path) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("evidence")
    cells = [new_code_cell(WRONG), new_code_cell(CHECK)]
    book = new_notebook(cells=cells, metadata={"kernelspec": kit.KERNELSPEC})
    kit.write(book, Path(root, "evidence.ipynb"))
    with serve(root, state) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browse() as running:
        yield running


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_the_evidence_of_a_check_is_drawn(
    browser: Browser, server: Server, state: Path, theme: str
) -> None:
    (state / "settings" / THEME).write_text(f'{{"theme": "JupyterLab {theme}"}}')
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(server.address("evidence.ipynb"))
    opened = Chapter(page)
    opened.wait_until_ready()
    opened.run_all()
    output = opened.code("play(").locator(".jp-OutputArea")
    picture = output.get_by_role("img", name="Timeline of")
    expect(picture).to_be_visible()
    expect(output).to_contain_text("✗ 1.3 runs them at the same time")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    ink = picture.evaluate("picture => getComputedStyle(picture).fill")
    opened.save_picture(f"evidence-{theme.lower()}")
    context.close()
    assert box is not None and box["width"] > 300
    assert ("255, 255, 255" in ink) == (theme == "Dark"), ink
