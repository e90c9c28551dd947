"""What a check shows in JupyterLab: a box with sign, sentence, picture and the next step."""

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
LATER = """
async def loop(*args, **kwargs):
    raise NotImplementedError("Exercise 1.4 not attempted yet")
"""
RIGHT = "from asyncio import gather\n" + WRONG.replace(
    "return [await answer_call(call, tools) for call in calls]",
    "tools = tuple(tools)\n    return await gather(*(answer_call(call, tools) for call in calls))",
)
CHECK = 'from graders.exercises import play\nplay("1.3", answer_calls)'


@pytest.fixture(scope="session")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, state: Path) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("evidence")
    sources = (
        WRONG,
        CHECK,
        LATER,
        'play("1.4", loop)',
        RIGHT,
        'play("1.3", answer_calls)  # again',
    )
    going_on = {"tags": ["raises-exception"]}  # as the release tags every cell from a check on
    cells = [new_code_cell(source, metadata=going_on) for source in sources]
    book = new_notebook(cells=cells, metadata={"kernelspec": kit.KERNELSPEC})
    kit.write(book, Path(root, "evidence.ipynb"))
    with serve(root, state) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browse() as running:
        yield running


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_a_check_is_told_in_a_box(
    browser: Browser, server: Server, state: Path, theme: str
) -> None:
    (state / "settings" / THEME).write_text(f'{{"theme": "JupyterLab {theme}"}}')
    context = browser.new_context(viewport={"width": 1024, "height": 900})
    page = context.new_page()
    page.goto(server.address("evidence.ipynb"))
    opened = Chapter(page)
    opened.wait_until_ready()
    opened.run_all()
    boxes = page.get_by_role("status").filter(has_text="Exercise")
    expect(boxes).to_have_count(3)
    failed, untouched, passed = (boxes.nth(place) for place in range(3))
    picture = failed.get_by_role("img", name="Timeline of")
    expect(picture).to_be_visible()
    expect(failed).to_contain_text("✗ not yet runs them at the same time")
    expect(untouched).to_contain_text("○ not attempted")
    expect(passed).to_contain_text("2 of 2 · 2 of 14 in this chapter · next: 1.4")
    for box, name in ((failed, "not-yet"), (untouched, "not-attempted"), (passed, "passed")):
        box.scroll_into_view_if_needed()
        opened.save_picture(f"check-{name}-{theme.lower()}")
    errors = page.locator('[data-mime-type*="vnd.jupyter.err"], [data-mime-type*="jupyter.stderr"]')
    shown = [errors.nth(place).is_visible() for place in range(errors.count())]
    ink = picture.evaluate("picture => getComputedStyle(picture).fill")
    size = picture.bounding_box()
    wide = [box.evaluate("box => [box.scrollWidth, box.clientWidth]") for box in (failed, passed)]
    quiet = untouched.locator(".sign").first.evaluate("sign => getComputedStyle(sign).color")
    loud = failed.locator(".sign").first.evaluate("sign => getComputedStyle(sign).color")
    context.close()
    assert shown == [False, False]  # they are there for graders, and told in the box
    assert size is not None and size["width"] > 300
    assert (ink == "rgb(236, 232, 224)") == (theme == "Dark"), ink
    assert all(needed <= given for needed, given in wide)
    assert quiet != loud
