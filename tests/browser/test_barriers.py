"""No barriers that axe-core finds: each sort of the viewer's pages, light and dark, two sizes."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from course import Agent
from course.notebook.seat import Seat
from course.viewer.page import page
from tests.browser.test_viewer import opened, seated, wrong
from tests.needs import lacking
from tests.viewer.runs import failing_plan, find_tonnage, turns

pytestmark = pytest.mark.browser
PHONE = {"width": 390, "height": 844}
WEIGHTY = ("moderate", "serious", "critical")
FOUND = """(how) => axe.run(document, how).then((said) => said.violations
  .map((each) => [each.impact, each.id, each.nodes[0].html.slice(0, 120)]))"""
"""Whatever axe-core holds for a violation: how bad, which rule, the first element."""
EVERY: dict[str, Any] = {}
RULES = {"light": EVERY, "dark": {"runOnly": ["color-contrast"]}}
"""What is looked for: in the dark, what it changes."""


def axe() -> str:
    """The script of axe-core, as the package has it."""
    found = find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        lacking("axe-core")
    return Path(found.origin).with_name("axe.min.js").read_text(encoding="utf-8")


def barriers(view: Page, how: Any = EVERY) -> list[Any]:
    """What stands in somebody's way, moderately or worse."""
    return [each for each in view.evaluate(FOUND, how) if each[0] in WEIGHTY]


def plan(browser: Browser, folder: Path, **how: Any) -> Page:
    return opened(browser, folder, page(failing_plan()), **how)


def two(browser: Browser, folder: Path, **how: Any) -> Page:
    return opened(browser, folder, page(failing_plan(), turns()), **how)


def seat(browser: Browser, folder: Path, **how: Any) -> Page:
    place = Seat(Agent(name="clerk", tools=(find_tonnage,)), "What is in pier 1?")
    view = seated(browser, folder, place.as_json(), **how)
    view.get_by_role("button", name="Call a tool").click()
    return view


Made = Callable[..., Page]
PAGES: tuple[Made, ...] = (plan, two, seat)


@pytest.mark.parametrize("scheme", RULES)
@pytest.mark.parametrize("made", PAGES, ids=lambda made: made.__name__)
def test_axe_finds_no_barrier(browser: Browser, tmp_path: Path, made: Made, scheme: str) -> None:
    view = made(browser, tmp_path, color_scheme=scheme)
    view.evaluate(axe())
    assert barriers(view, RULES[scheme]) == []
    view.set_viewport_size(PHONE)  # type: ignore[arg-type]
    for details in view.locator("details").all():
        details.evaluate("(each) => { each.open = true }")
    for _ in range(12):
        view.keyboard.press("ArrowRight")
    assert barriers(view, RULES[scheme]) == []
    assert wrong(view) == []


def test_a_barrier_is_found(browser: Browser, tmp_path: Path) -> None:
    view = plan(browser, tmp_path)
    view.evaluate(axe())
    view.evaluate("document.querySelector('.find').removeAttribute('aria-label')")
    view.evaluate("document.querySelector('.find').removeAttribute('placeholder')")
    assert [each[1] for each in barriers(view)] == ["label"]
