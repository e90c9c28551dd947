"""The viewer in Chromium: by keyboard, in three sizes, light and dark, with hostile words."""

import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from course import Agent
from course.markup import data
from course.notebook.seat import Seat
from course.scenarios.front_desk import Desk, agent
from course.viewer.page import page, script, style
from tests.hostile import NAME, PAYLOADS
from tests.marking import first
from tests.viewer.runs import (
    RUNS,
    approvals,
    crowd,
    failing_plan,
    faulty,
    find_tonnage,
    repeated,
    turns,
)

pytestmark = pytest.mark.browser
Size = tuple[int, int]
SIZES = ((1440, 900), (1024, 768), (390, 844))


@cache
def blank(browser: Browser, scripts: bool = True) -> Page:
    """One page for all that is opened, since each more is a process; `errors` has what it says."""
    view: Page = browser.new_context(java_script_enabled=scripts).new_page()
    errors: list[str] = []
    view.on("pageerror", lambda error: errors.append(str(error)))
    view.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    view.on("request", lambda asked: errors.append(asked.url) if "file:" not in asked.url else None)
    view.errors = errors  # type: ignore[attr-defined]
    return view


def opened(
    browser: Browser,
    folder: Path,
    made: str,
    *,
    viewport: Size = (1280, 720),
    color_scheme: Any = "light",
    reduced_motion: Any = "reduce",
    scripts: bool = True,
) -> Page:
    """A page in a browser, in the place of the one before; what moves is painted all the time."""
    path = folder / "run.html"
    path.write_text(made, encoding="utf-8")
    view = blank(browser, scripts)
    wrong(view).clear()
    view.set_viewport_size({"width": viewport[0], "height": viewport[1]})
    view.emulate_media(color_scheme=color_scheme, reduced_motion=reduced_motion)
    view.goto(path.as_uri())
    return view


def wrong(view: Page) -> list[str]:
    return view.errors  # type: ignore[attr-defined,no-any-return]


def events(view: Page) -> int:
    return int(view.evaluate("viewer.view.moments.length"))


STEPPED = """() => viewer.view.moments.map((told) => {
  const { view, state: { moment } } = viewer;
  const count = (kind) => document.querySelectorAll(kind).length;
  const seen = {
    moment, told: told.text, caption: document.querySelector(".caption").innerText,
    cords: [...document.querySelectorAll(".cord title")].map((each) => each.textContent),
    failed: view.steps.filter((s) => s.bad && s.ends <= moment).length, red: count(".plot .bad"),
    over: view.jobs.filter((j) => j.status === "skipped" && j.from <= moment).length,
    skipped: count(".plot .skip:not(.later)"),
  };
  const right = new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true });
  document.activeElement.dispatchEvent(right);
  return seen;
})"""
"""What is shown at each event, and what should be, with a key from one to the next."""


@pytest.mark.parametrize("name", RUNS)
def test_every_cord_is_seen_by_stepping_and_nothing_is_red_too_early(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    view = opened(browser, tmp_path, page(RUNS[name]()))
    stepped = view.evaluate(STEPPED)
    assert [each["moment"] for each in stepped] == list(range(events(view)))
    for each in stepped:
        assert each["told"] in each["caption"]
        assert (each["red"] > 0) <= (each["failed"] > 0)
        assert each["skipped"] == each["over"]
    kinds = view.evaluate("viewer.view.cords.map(c => [c.a, c.b])")
    seen = {cord for each in stepped for cord in each["cords"]}
    assert {tuple(each.split(":")[0].split(" – ")) for each in seen} == {tuple(k) for k in kinds}
    view.keyboard.press("ArrowLeft")
    assert view.evaluate("viewer.state.moment") == events(view) - 2
    view.keyboard.press("Home")
    assert view.evaluate("viewer.state.moment") == 0
    assert wrong(view) == []


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size[0]))
def test_nothing_is_cut_off_and_words_stand_out(
    browser: Browser, tmp_path: Path, size: Size
) -> None:
    view = opened(browser, tmp_path, page(failing_plan()), viewport=size)
    for moment in (0, 10, 32, events(view) - 1):
        view.evaluate(f"viewer.go({moment})")
        assert view.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert view.locator(".clock").is_visible()
        assert view.evaluate(COVERED) == []
        for scheme in ("light", "dark"):
            view.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            assert view.evaluate(CONTRAST) == []
    assert wrong(view) == []


COVERED = """() => {
  const high = document.querySelector(".caption"), svg = document.querySelector(".cordboard svg");
  const found = high.scrollHeight > high.clientHeight + 2 ? [high.textContent] : [];
  const texts = [...svg.querySelectorAll("text:not(.cross, .sign)")].filter((e) => e.textContent);
  const boxes = texts.map((e) => [e.textContent, e.getBoundingClientRect()]);
  const out = svg.getBoundingClientRect();
  boxes.forEach(([text, a], n) => {
    if (a.left < out.left - 1 || a.right > out.right + 1) found.push(`${text} is outside`);
    for (const [other, b] of boxes.slice(n + 1))
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4)
        found.push(`${text}, ${other}`);
  });
  return found;
}"""
"""A sentence that does not fit below the board, and words that lie over others on it."""


CONTRAST = """() => {
  const rgb = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
  const behind = (e) => { for (; e; e = e.parentElement) {
    const [r, g, b, a = 1] = rgb(getComputedStyle(e).backgroundColor); if (a > 0) return [r, g, b];
  } return [255, 255, 255]; };
  const found = [];
  const texts = "p, b, span, dt, dd, th, td, summary, h1, h2, button, output";
  for (const e of document.querySelectorAll(`.switchboard :is(${texts})`)) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !e.checkVisibility()) continue;
    const [x, y] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((p, q) => q - p);
    if ((x + 0.05) / (y + 0.05) < 4.5) found.push(`${e.tagName} ${e.className}`);
  }
  return found;
}"""
"""Texts with less than 4.5 to 1 against what is behind them (WCAG 2, 1.4.3)."""


def test_everything_is_named_and_reached_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    view = opened(browser, tmp_path, page(failing_plan()))
    named = view.evaluate(
        """() => [...document.querySelectorAll("button, input, [tabindex], [role=img], section")]
        .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length))
        .map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert named == []
    keys = "button, input, select, textarea, summary, [tabindex]"
    taken = f"[...document.querySelectorAll('{keys}')].filter(e => !e.dataset.lmSuppressShortcuts)"
    assert view.evaluate(f"{taken}.map(e => e.outerHTML)") == []  # or a notebook takes their keys
    levels = view.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(e => +e.tagName[1])")
    assert levels[0] == 1
    assert max(b - a for a, b in pairwise(levels)) <= 1
    reached = set()
    for _ in range(60):
        view.keyboard.press("Tab")
        here = view.evaluate("[document.activeElement.className, document.activeElement.type]")
        reached |= set(here)
    assert {"play", "range", "search", "radio", "desk", "scroll", "cordboard"} <= reached
    live = view.locator(".caption").get_attribute("aria-live")
    assert live == "polite"


def test_a_row_and_a_chapter_lead_to_their_event(browser: Browser, tmp_path: Path) -> None:
    view = opened(browser, tmp_path, page(failing_plan()))
    view.locator(".names button").filter(has_text="t3").click()
    assert "is skipped" in view.locator(".caption").inner_text()
    assert "for want of t2" in view.locator(".desk").inner_text()
    view.locator(".marks .plan").first.click()
    assert "lays a plan" in view.locator(".caption").inner_text()
    assert view.locator(".desk table tbody tr").count() == 4
    view.get_by_label("Find rows").fill("pier 3")
    assert view.locator(".names li").count() == 1
    view.get_by_role("radio", name="agent").check()
    view.get_by_label("Find rows").fill("")
    assert view.locator(".names li").count() == 3


def test_an_answer_is_not_shown_before_it_came(browser: Browser, tmp_path: Path) -> None:
    view = opened(browser, tmp_path, page(turns()))
    chat = view.evaluate("viewer.view.moments.findIndex(m => m.text.includes('asks the model'))")
    view.evaluate(f"viewer.go({chat})")
    assert "The model is thinking" in view.locator(".desk").inner_text()
    view.keyboard.press("ArrowRight")
    assert "The model, after" in view.locator(".desk").inner_text()


def test_the_clock_runs_to_the_end_and_by_event_with_less_motion(
    browser: Browser, tmp_path: Path
) -> None:
    view = opened(browser, tmp_path, page(failing_plan()), reduced_motion="no-preference")
    view.get_by_role("radio", name="30×").check()
    view.get_by_role("button", name="Play").click()
    expect(view.get_by_role("button", name="Play")).to_be_visible()
    assert view.evaluate("viewer.state.moment") == events(view) - 1
    still = opened(browser, tmp_path, page(failing_plan()))
    assert still.evaluate("viewer.state.speed") == "event"
    moving = "document.getAnimations().filter(a => a.playState === 'running').length"
    still.evaluate("viewer.go(8)")
    assert still.evaluate(moving) == 0


def test_a_person_who_is_asked_decides(browser: Browser, tmp_path: Path) -> None:
    view = opened(browser, tmp_path, page(approvals()))
    asked = view.evaluate("viewer.view.moments.findIndex((m) => m.text.includes('asks a person'))")
    view.evaluate(f"viewer.go({asked})")
    board = view.locator(".cordboard svg")
    assert "the person decides" in str(board.get_attribute("aria-label"))
    view.keyboard.press("ArrowRight")
    assert "Ada says yes" in view.locator(".caption").inner_text()
    assert "the person decides" not in str(board.get_attribute("aria-label"))


def test_who_waits_for_others_is_not_said_to_work(browser: Browser, tmp_path: Path) -> None:
    """Who has the conversation and does nothing is on the line; a wait is told from its event."""
    view = opened(browser, tmp_path, page(turns()))
    board = view.locator(".cordboard svg")
    assert "on the line" in str(board.get_attribute("aria-label"))
    assert "Meanwhile" not in view.locator(".caption").inner_text()
    waiting = faulty()
    *_, last = (span for span in waiting.spans if span.operation == "chat")
    wait = replace(last, operation="wait", name="backoff")
    waiting._spans = [wait if span is last else span for span in waiting.spans]
    failing = opened(browser, tmp_path, page(waiting))
    told = "viewer.view.moments.map((m) => m.text.includes(' waits: ') ? 1 : 0)"
    [first, *_] = [n for n, waits in enumerate(failing.evaluate(told)) if waits]
    for place in (0, first):
        failing.evaluate(f"viewer.go({place})")
        label = str(failing.locator(".cordboard svg").get_attribute("aria-label"))
        assert ("waits: " in label) == (place == first)


def test_whoever_it_is_about_is_in_sight(browser: Browser, tmp_path: Path) -> None:
    """Where the board is wider than its place."""
    view = opened(browser, tmp_path, page(crowd()), viewport=(960, 800))
    assert view.evaluate(
        "(e => e.scrollWidth > e.clientWidth)(document.querySelector('.cordboard'))"
    )
    assert view.evaluate(OUT_OF_SIGHT) == []


OUT_OF_SIGHT = """() => [...viewer.view.moments.keys()].filter((place) => {
  viewer.go(place);
  const who = viewer.view.moments[viewer.state.moment].who;
  const named = (e) => e.querySelector("title").textContent === who;
  const jack = [...document.querySelectorAll(".jack")].find(named);
  if (!jack) return false;
  const a = jack.querySelector(".ring").getBoundingClientRect();
  const b = document.querySelector(".cordboard").getBoundingClientRect();
  return a.left < b.left - 1 || a.right > b.right + 1;
})"""


def test_words_follow_a_moving_clock(browser: Browser, tmp_path: Path) -> None:
    """While it moves they may lag, and when it rests they are those of the second shown."""
    view = opened(browser, tmp_path, page(failing_plan()), reduced_motion="no-preference")
    view.evaluate("for (let n = 0; n <= 40; n++) viewer.seek(viewer.view.end * n / 50, true)")
    told = view.evaluate("viewer.view.moments[viewer.state.moment].text")
    assert told != view.evaluate("viewer.view.moments[0].text")
    expect(view.locator(".caption")).to_contain_text(told)
    assert told in str(view.get_by_label("Virtual seconds").get_attribute("aria-valuetext"))


def test_two_runs_share_one_clock(browser: Browser, tmp_path: Path) -> None:
    whole, cut = failing_plan(), failing_plan()
    cut._spans = [replace(s, error="lost") if s.error else s for s in cut.spans if s.name != "t4"]
    view = opened(browser, tmp_path, page(whole, cut))
    assert view.locator(".clock").count() == 1
    assert "never happens" in view.locator(".parting").inner_text()
    times = "viewer.shown.map(one => one.state.time)"
    view.keyboard.press("Home")
    assert view.evaluate(times) == [0, 0]
    for _ in range(12):
        view.keyboard.press("ArrowRight")
        one, other = view.evaluate(times)
        assert one == other
    assert one > 0
    assert wrong(view) == []


TAGS = """() => [...new Set([...viewer.view.moments.keys()].flatMap((place) => {
  viewer.go(place);
  return [...document.querySelectorAll("main *")].map((each) => each.localName);
}))]"""
"""The tags that are there at any event."""


@pytest.mark.parametrize("kind", first(2, of=PAYLOADS))
def test_scripts_in_messages_and_names_are_shown_as_text(
    browser: Browser, tmp_path: Path, kind: str
) -> None:
    text = NAME + PAYLOADS[kind]
    trace = failing_plan()
    trace.name = f"{text}: {text}"
    trace._spans = [
        replace(
            span, name=span.name if span.operation == "dispatch" else text,
            error=text if span.error else None,
            attributes={
                key: text if isinstance(value, str) and "plan" not in key and "id" not in key
                else value for key, value in span.attributes.items()
            },
        )
        for span in trace.spans
    ]  # fmt: skip
    view = opened(browser, tmp_path, page(trace))
    tags = set(view.evaluate(TAGS))
    assert not tags & {"script", "img", "iframe", "a", "object", "embed", "form", "link", "video"}
    assert wrong(view) == []
    assert view.evaluate("document.title").startswith(NAME[:4])


def test_thousands_of_steps_are_rows_in_sight_only(browser: Browser, tmp_path: Path) -> None:
    view = opened(browser, tmp_path, page(repeated(failing_plan(), 2_000)))
    view.get_by_role("radio", name="step").check()
    assert view.locator(".names li").count() < 100
    view.locator(".scroll").evaluate("each => { each.scrollTop = each.scrollHeight }")
    last = view.locator(".names li:last-child button")
    expect(last).to_have_attribute("data-row", re.compile(r"19\d\d|2\d{3}"))
    view.keyboard.press("End")
    assert "The caller hears" in view.locator(".caption").inner_text()
    view.keyboard.press("+")
    assert wrong(view) == []


def test_without_scripts_there_is_a_picture_and_a_table(browser: Browser, tmp_path: Path) -> None:
    view = opened(browser, tmp_path, page(failing_plan()), scripts=False)
    assert view.locator("svg[role=img]").is_visible()
    view.locator("summary").click()
    assert view.get_by_role("row").count() > 30


SEAT = """<!doctype html><html lang="en" class="page"><title>seat</title><style>{style}</style>
<body class="page"><main><h1>Be the model</h1><div id="seat"></div></main>
<script type="application/json" id="data">{data}</script>
<script type="module">{script}
window.told = [];
const given = JSON.parse(document.getElementById("data").textContent);
seat(document.getElementById("seat"), given, (said) => window.told.push(said), 1);
</script></body></html>"""


def seated(browser: Browser, folder: Path, given: object, **how: Any) -> Page:
    values = {"style": style(), "data": data(given), "script": script()}
    made = re.sub(r"\{(style|data|script)\}", lambda found: values[found[1]], SEAT)
    return opened(browser, folder, made, **how)


def test_the_model_is_answered_by_keyboard_alone(browser: Browser, tmp_path: Path) -> None:
    desk = Desk(seed=7)
    place = Seat(agent(desk), "When is Katya Tanaka's next appointment?")
    view = seated(browser, tmp_path, place.as_json())
    assert "Katya Tanaka" in view.locator(".asked").inner_text()

    def tab_to(name: str) -> None:
        for _ in range(40):
            view.keyboard.press("Tab")
            here = "document.activeElement"
            label = view.evaluate(f"{here}.getAttribute('aria-label') || {here}.textContent")
            if label == name:
                return
        raise AssertionError(f"{name} is not reached by Tab")

    tab_to("Call a tool")
    view.keyboard.press("Enter")
    view.keyboard.type("find_p")  # the list is chosen from by its letters
    assert view.get_by_label("Tool", exact=True).input_value() == "find_patient"
    view.get_by_label("name *").focus()
    view.keyboard.type("Katya Tanaka")
    tab_to("Answer")
    view.keyboard.press("Enter")
    [said] = view.evaluate("told")
    assert said["calls"] == [{"name": "find_patient", "arguments": '{"name":"Katya Tanaka"}'}]
    place.take(said)
    assert "P-111" in str(place.as_json()["messages"][-1])
    assert wrong(view) == []
    desk.close()


def test_a_mistake_on_purpose_goes_out_as_it_was_written(browser: Browser, tmp_path: Path) -> None:
    place = Seat(Agent(name="clerk", tools=(find_tonnage,)), "What is in pier 1?")
    view = seated(browser, tmp_path, place.as_json())
    view.get_by_role("button", name="Call a tool").click()
    view.get_by_label("write the arguments yourself").check()
    view.get_by_label("Arguments as text").fill('{"pier": ')
    view.get_by_role("button", name="Call a tool").click()
    view.get_by_label("Tool", exact=True).nth(1).select_option("another name …")
    view.get_by_label("Name of the tool").nth(1).fill("find_everything")
    view.get_by_role("button", name="Answer", exact=True).click()
    [said] = view.evaluate("told")
    assert [each["name"] for each in said["calls"]] == ["find_tonnage", "find_everything"]
    place.take(said)
    errors = [m for m in place.as_json()["messages"] if "error" in str(m["parts"])]
    assert len(errors) == 2
    place.take({"text": "I cannot."})
    over = seated(browser, tmp_path, place.as_json())
    assert "The run is over" in over.locator("p[role=status]").inner_text()
    assert over.locator(".cordboard svg").is_visible()
    assert wrong(over) == []
