"""A person decides with a click while a cell of JupyterLab still waits for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, Page, expect

from tests.browser.lab import RUN, Chapter, Server, browse, serve
from tests.notebooks import kit

pytestmark = pytest.mark.browser
ASK = """\
question = Question(what="pay {0} EUR", details={{"invoice_id": "INV-3001"}}, asked_by="billing")
decision = await ask_approval(question, approval_buttons(by="Ada"), timeout={1})
print("decided:", decision.approved, decision.by, decision.reason)"""
CELLS = (
    "from course.approval import Question, ask_approval\n"
    "from course.notebook import approval_buttons, start\n\nstart()",
    ASK.format(11, 600),
    ASK.format(12, 600),
    ASK.format(13, 1),
)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("approval")
    book = new_notebook(
        cells=[new_code_cell(source) for source in CELLS], metadata={"kernelspec": kit.KERNELSPEC}
    )
    kit.write(book, Path(root, "approval.ipynb"))
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
    page.goto(server.address("approval.ipynb"))
    Chapter(page).wait_until_ready()
    Chapter(page).run(Chapter(page).code("start()"))
    yield page
    context.close()


@pytest.mark.parametrize(
    ("amount", "button", "said", "ending"),
    [
        (11, "Approve", "decided: True Ada", "✓ approved"),
        (12, "Refuse", "decided: False Ada", "✗ refused"),
        (13, "", "decided: False nobody nobody decided within 1 s", "○ nobody decided: refused"),
    ],
)
def test_a_click_decides_while_the_cell_waits(
    page: Page, amount: int, button: str, said: str, ending: str
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
        opened.save_picture(f"approval-{amount}")
        cell.get_by_role("button", name=button).click()
    expect(cell.locator(".jp-OutputArea-output").last).to_contain_text(said, timeout=RUN)
    expect(question).to_contain_text(ending, timeout=RUN)
    expect(cell.get_by_role("button", name="Approve")).to_be_disabled()
