"""README's moving picture is what the viewer draws of a real run, and moves only where it may."""

import re
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.moving import REQUEST, ROOT, TARGET, moving
from tests.browser.test_viewer import blank

pytestmark = pytest.mark.browser
MOST = 200_000  # bytes
MOVING = "document.getAnimations().filter((each) => each.playState === 'running').length"
SEEN = """() => [...document.querySelectorAll(".at")]
  .filter((each) => getComputedStyle(each).visibility === "visible" && each.querySelector(".said"))
  .map((each) => each.querySelector(".said").textContent)"""


def test_the_picture_is_that_of_the_run_as_it_is_drawn_today(browser: Browser) -> None:
    kept = TARGET.read_text(encoding="utf-8")
    assert moving(browser) == kept, "make picture"
    assert len(kept.encode()) <= MOST


def test_the_readme_shows_it_and_says_in_words_what_it_shows() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [alt] = re.findall(r"!\[([^\]]+)\]\(docs/playing\.svg\)", readme)
    assert REQUEST in readme
    assert len(alt) > 80


def test_it_runs_nothing_and_asks_for_nothing(tmp_path: Path) -> None:
    tree = ElementTree.parse(TARGET)
    tags = {each.tag.rpartition("}")[2] for each in tree.iter()}
    assert tags <= {"svg", "title", "style", "g", "rect", "text", "tspan", "circle", "path"}
    names = {name for each in tree.iter() for name in each.attrib}
    assert not {each for each in names if each.startswith("on") or "href" in each}
    assert "url(" not in TARGET.read_text(encoding="utf-8")


def opened(
    browser: Browser, color_scheme: Any = "light", reduced_motion: Any = "no-preference"
) -> Page:
    view = blank(browser)
    view.emulate_media(color_scheme=color_scheme, reduced_motion=reduced_motion)
    view.goto(TARGET.as_uri())
    return view


def test_it_moves_unless_less_motion_is_wished_for(browser: Browser) -> None:
    assert opened(browser).evaluate(MOVING) > 10
    still = opened(browser, reduced_motion="reduce")
    assert still.evaluate(MOVING) == 0
    assert len(still.evaluate(SEEN)) == 1


TOLD = """(seen) => {
  const all = document.getAnimations(), told = [];
  const whole = Math.max(...all.map((each) => each.effect.getComputedTiming().duration));
  for (const each of all) each.pause();
  for (let now = 1; now < whole; now += 500) {
    for (const each of all) each.currentTime = now;
    told.push(seen());
  }
  return told;
}""".replace("seen()", f"({SEEN})()")


def test_one_event_is_told_at_a_time_and_all_of_them_in_order(browser: Browser) -> None:
    view = opened(browser)
    told = view.evaluate(TOLD)
    assert {len(each) for each in told} == {1}
    first = "(all) => all.map((each) => each.querySelector('.said').textContent)"
    sentences = view.locator(".at:has(.said)").evaluate_all(first)
    assert [text for text, _ in groupby(each[0] for each in told)] == [
        text for text, _ in groupby(sentences)
    ]
    assert len(sentences) > 20


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_has_the_colours_of_its_page(browser: Browser, scheme: str) -> None:
    view = opened(browser, color_scheme=scheme)
    panel = view.locator(".board-panel").evaluate("(each) => getComputedStyle(each).fill")
    words = view.locator(".said").first.evaluate("(each) => getComputedStyle(each).fill")
    light = [sum(map(int, re.findall(r"\d+", each)[:3])) for each in (panel, words)]
    assert (light[0] > light[1]) == (scheme == "light")
