"""The studio and the sliders in Chromium: by keyboard alone, named, in two sizes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from course.markup import data
from course.notebook import studio
from course.notebook.wiring import PATTERNS, Wiring
from course.viewer.page import script, style
from tests.browser.lab import browse
from tests.browser.test_viewer import CONTRAST, opened

pytestmark = pytest.mark.browser
PAGE = """<!doctype html><html lang="en" class="page"><title>{name}</title><style>{style}</style>
<body class="page"><main id="host"></main>
<script type="application/json" id="data">{data}</script><script type="module">{script}
window.said = [];
const host = document.getElementById("host"), send = (each) => window.said.push({ ...each });
const given = JSON.parse(document.getElementById("data").textContent);
window.form = {start};
</script></body></html>"""
STUDIO = "(() => { const made = studio(host, send, 1); made.ask(given); return made; })()"
SLIDERS = "sliders(host, given, send, 1)"
UNNAMED = """() => [...document.querySelectorAll("button, input, select, textarea, [tabindex]")]
.filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length))
.map((e) => e.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def came() -> Any:
    """What a first run tells."""
    box, running = kernel(studio._form(Wiring(task="visit and bill")))
    given = {agent["name"]: agent["tools"] for agent in box.form["agents"]}
    running.hear({**box.form, "given": given, "run": True})
    return box


@pytest.fixture(scope="module")  # after what came, for while it is open no other loop can run
def browser(came: Any) -> Iterator[Browser]:
    with browse() as running:
        yield running


def kernel(form: dict[str, Any]) -> tuple[Any, Any]:
    """What the form tells, and what it is told."""
    box = SimpleNamespace(form=form, told={}, rows=[])
    return box, studio._Running(box)


def page(browser: Browser, folder: Path, given: Any, start: str = STUDIO, **how: Any) -> Page:
    name = start.partition("(host")[0].rpartition(" ")[2]
    own = Path(studio.__file__).with_name(f"{name}.js").read_text(encoding="utf-8")
    own = re.sub(r"^export default", "const widget =", own, flags=re.M)
    scripts = f"{script()}\n{re.sub(r'^export ', '', own, flags=re.M)}"
    values = {
        "name": name,
        "style": style(),
        "data": data(given),
        "script": scripts,
        "start": start,
    }
    made = re.sub(rf"\{{({'|'.join(values)})\}}", lambda found: values[found[1]], PAGE)
    return opened(browser, folder, made, **how)


def tab_to(view: Page, name: str) -> None:
    here = "document.activeElement"
    label = f"{here}.getAttribute('aria-label') || {here}.labels?.[0]?.firstChild.textContent"
    for _ in range(60):
        view.keyboard.press("Tab")
        if name in (view.evaluate(label) or view.evaluate(f"{here}.textContent")):
            return
    raise AssertionError(f"{name} is not reached by Tab")


def test_a_board_is_wired_and_run_by_keyboard_alone(
    browser: Browser, came: Any, tmp_path: Path
) -> None:
    box, running = kernel(studio._form(Wiring(task="visit and bill")))
    view = page(browser, tmp_path, box.form)
    tab_to(view, "Pattern")
    view.keyboard.type("hand")  # a list is chosen from by its letters
    tab_to(view, "billing has pay_invoice")
    view.keyboard.press("Space")
    tab_to(view, "Run")
    view.keyboard.press("Enter")
    [said] = view.evaluate("said")
    assert (said["pattern"], said["run"]) == ("handoff", True)
    assert said["given"]["billing"] == ["find_patient", "list_invoices"]
    running.hear(said)
    view.evaluate(f"form.compare({json.dumps(came.rows)}); form.tell({json.dumps(box.told)})")
    assert "✓ 5 of 5" in view.locator("p[role=status]").inner_text()
    assert view.locator(".compared tbody tr").count() == len(PATTERNS)
    assert view.get_by_role("row", name="handoff ◂ yours").count() == 1
    tab_to(view, "The patterns beside each other")
    view.keyboard.press("Tab")
    view.keyboard.press("Enter")
    assert "hub_and_spoke(lead, agents)" in view.locator("pre").inner_text()
    assert view.locator(".cordboard svg").is_visible()
    assert view.errors == []  # type: ignore[attr-defined]


def test_nobody_on_the_board_is_told_in_one_line(browser: Browser, tmp_path: Path) -> None:
    box, running = kernel(studio._form(Wiring()))
    view = page(browser, tmp_path, box.form)
    for name in ("scheduling", "billing", "records"):
        view.get_by_role("checkbox", name=name, exact=True).uncheck()
    assert view.get_by_label("billing has find_patient").is_disabled()
    view.get_by_role("button", name="Run").click()
    running.hear(view.evaluate("said")[0])
    view.evaluate(f"form.tell({json.dumps(box.told)})")
    told = view.locator("p[role=status]").inner_text()
    assert told == "✕ Nobody is on the board: tick a specialist."


def test_another_world_is_another_form_and_another_request_other_words(
    browser: Browser, tmp_path: Path
) -> None:
    box, running = kernel(studio._form(Wiring()))
    view = page(browser, tmp_path, box.form)
    view.get_by_label("Request", exact=True).select_option("owed")
    running.hear(view.evaluate("said.at(-1)"))
    view.evaluate(f"form.ask({json.dumps(box.form)})")
    assert "still owe" in view.get_by_label("What is asked").input_value()
    view.get_by_label("World").select_option("curriculum")
    running.hear(view.evaluate("said.at(-1)"))
    view.evaluate(f"form.ask({json.dumps(box.form)})")
    asked = view.get_by_label("What is asked").input_value()
    assert asked == box.form["request"] != ""
    assert view.get_by_role("checkbox").count() > len(box.form["agents"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_is_cut_off_named_badly_or_pale(
    browser: Browser, tmp_path: Path, came: Any, width: int, scheme: str
) -> None:
    view = page(browser, tmp_path, came.form, viewport=(width, 844), color_scheme=scheme)
    view.evaluate(f"form.compare({json.dumps(came.rows)}); form.tell({json.dumps(came.told)})")
    assert view.evaluate("document.documentElement.scrollWidth") <= width
    assert view.evaluate(CONTRAST) == []
    assert view.evaluate(UNNAMED) == []


PLACES = [
    {"name": "latency", "low": 0.25, "high": 4, "step": 0.25, "first": 1},
    {"name": "workers", "low": 1, "high": 3, "step": 1, "first": 3},
]


def test_a_slider_is_named_and_moves_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    view = page(browser, tmp_path, PLACES, SLIDERS)
    tab_to(view, "workers")
    view.keyboard.press("ArrowLeft")
    view.get_by_role("slider", name="latency").press("ArrowRight")
    assert view.evaluate("said") == [
        {"latency": 1, "workers": 2},
        {"latency": 1.25, "workers": 2},
    ]
    assert "1.25" in view.locator("label").first.inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_numbers_and_the_board_of_a_slider_are_whole(
    browser: Browser, tmp_path: Path, came: Any, width: int, scheme: str
) -> None:
    view = page(browser, tmp_path, PLACES, SLIDERS, viewport=(width, 844), color_scheme=scheme)
    numbers = {"success": "✕ 2 of 3 facts", "seconds": "63.90", "model calls": "13 (5,457 tokens)"}
    view.evaluate(f"form.came({json.dumps(numbers)}); form.count('✓✓✕✓')")
    view.evaluate(f"form.play({json.dumps(came.told['run'])})")
    assert "✕ 2 of 3 facts" in view.locator("dl[role=status]").inner_text()
    assert "3 of 4 succeed" in view.locator(".sliders").inner_text()
    assert view.evaluate("document.documentElement.scrollWidth") <= width
    assert view.evaluate(CONTRAST) == []
    assert view.evaluate(UNNAMED) == []
    view.get_by_role("button", name="Next event (→)").click()
    time = view.evaluate("document.querySelector('.clock .time').textContent")
    view.evaluate(f"form.play({json.dumps(came.told['run'])})")  # the same second stays in sight
    assert view.evaluate("document.querySelector('.clock .time').textContent") == time
