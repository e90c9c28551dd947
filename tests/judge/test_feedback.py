"""Feedback says what the report says, in words, bars and text, and nothing more."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser

from course import agent
from course.notebook import CheckFailed
from graders.checks.table import examples
from graders.exercises import play
from graders.feedback import evidence_svg, evidence_text, feedback_page, report_text
from graders.feedback.words import told
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.verdict import Bar, Verdict, not_yet, passed
from tests.browser.lab import browse

EVIDENCE = [each.verdict for each in examples() if each.verdict.evidence]
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&\x1b[31m\u202e\x00\ud800"
ONE_AT_A_TIME = not_yet(
    "parallel.one_at_a_time",
    "expected both at once, but one waited; is one awaited before the next starts?",
    Bar("find(Ana)", 0, 1),
    Bar("find(Ben)", 1, 2.5, "waited", marked=True),
    Bar("model small", 2.5, None),
)
UNTOUCHED = Verdict("not attempted", "not_attempted", "not attempted yet")


def report(*verdicts: Verdict, output: str = "", **fields: object) -> Report:
    trials = tuple(TrialVerdict(f"title {i}", 1, v, output) for i, v in enumerate(verdicts))
    return Report("01_one_agent.ipynb", "01_one_agent", (ExerciseReport("1.2", trials),), **fields)


class Page(HTMLParser):
    """Every element of a page with its attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_every_kind_of_evidence_can_be_drawn() -> None:
    for verdict in EVIDENCE:
        picture = ElementTree.fromstring(evidence_svg(verdict))
        texts = [text.text or "" for text in picture.iter(f"{SVG}text")]
        assert picture.get("aria-label") == told(verdict.evidence)
        assert texts.count("▶") == sum(bar.marked for bar in verdict.evidence)
        assert all(any(bar.label[:20] in text for text in texts) for bar in verdict.evidence)
        assert 0 < len(evidence_text(verdict).splitlines()) <= len(verdict.evidence)


def test_a_terminal_shows_the_steps_around_the_one_that_is_meant() -> None:
    bars = [Bar(f"step({place})", place, place + 1, marked=place == 20) for place in range(24)]
    lines = evidence_text(not_yet("code", "message", *bars)).splitlines()
    assert (len(lines), lines[0]) == (13, "  … 12 before")
    assert [line for line in lines if "▶ step(20)" in line]
    lines = evidence_text(not_yet("code", "message", *bars[::-1])).splitlines()
    assert (len(lines), lines[-1]) == (13, "  … 12 after")


@given(
    st.lists(
        st.builds(Bar, st.text(), st.floats(), st.none() | st.floats(), st.text(), st.booleans()),
        min_size=1,
        max_size=6,
    )
)
def test_whatever_the_bars_hold_picture_and_text_are_well_formed(bars: list[Bar]) -> None:
    verdict = not_yet("code", "message", *bars)
    assert len(evidence_text(verdict).splitlines()) == len(bars)
    assert "nan" not in re.sub(r'aria-label="[^"]*"|>[^<]*<', "", evidence_svg(verdict))
    ElementTree.fromstring(evidence_svg(verdict))


def test_what_is_marked_differs_without_colour() -> None:
    drawn = re.sub(r"#[0-9A-F]{6}", "", evidence_svg(ONE_AT_A_TIME))
    assert drawn.count("▶") == 1
    assert drawn.count("font-weight") == 2
    assert drawn.count('stroke-width="1.6"') == 1  # its stripes
    assert evidence_text(ONE_AT_A_TIME).splitlines() == [
        "  find(Ana)   │████████                │ 0 to 1 s",
        "▶ find(Ben)   │        ▒▒▒▒▒▒▒▒▒▒▒▒▒   │ 1 to 2.5 s · waited",
        "  model small │                     ██▸│ from 2.5 s on",
    ]


def test_the_picture_has_its_words() -> None:
    assert told(ONE_AT_A_TIME.evidence) == (
        "Timeline of 3 steps in virtual seconds, 1 marked because the message speaks of it: "
        "find(Ana), 0 to 1 s; find(Ben) (marked), 1 to 2.5 s · waited; model small, from 2.5 s on."
    )
    assert evidence_svg(passed()) == evidence_text(passed()) == told(()) == ""


def test_the_page_needs_nothing_from_elsewhere_and_runs_nothing() -> None:
    page = Page(feedback_page(report(passed(), *EVIDENCE, UNTOUCHED, output="one\n" * 30)))
    names = {name for name, _ in page.elements}
    assert names.isdisjoint({"script", "link", "img", "iframe", "object", "form", "base", "a:href"})
    links = [each.get("href") or "" for _, each in page.elements if "href" in each]
    assert links and all(link.startswith("#") for link in links)
    attributes = {name for _, each in page.elements for name in each}
    assert not {name for name in attributes if name.startswith("on") or name == "src"}


def test_the_page_tells_each_verdict_in_words() -> None:
    page = Page(feedback_page(report(passed(), ONE_AT_A_TIME, UNTOUCHED)))
    for words in ("1 of 3 points", "✓ passed", "✗ not yet", "○ not attempted", "title 1"):
        assert words in page.text
    assert "Expected both at once, but one waited." in page.text
    assert "Is one awaited before the next starts?" in page.text
    assert "parallel.one_at_a_time" not in page.text  # a kind means nothing to a student


def test_hostile_texts_stay_text() -> None:
    bars = (Bar(HOSTILE, 0, 1, HOSTILE, True),)
    verdict = Verdict("not yet", HOSTILE, HOSTILE, bars)
    trial = TrialVerdict(HOSTILE, 1, verdict, HOSTILE)
    hostile = Report(HOSTILE, HOSTILE, (ExerciseReport(HOSTILE, (trial,)),), notes=(HOSTILE,))
    broken = Report(HOSTILE, code=HOSTILE, message=HOSTILE)
    plain = report(ONE_AT_A_TIME, output="one", notes=("two",))
    allowed = {name for name, _ in Page(feedback_page(plain)).elements}
    for each in (hostile, broken):
        page = feedback_page(each)
        page.encode()
        assert {name for name, _ in Page(page).elements} <= allowed
        assert not set("\x1b\u202e\x00") & set(page)
        assert not set("\x1b\u202e\x00\ud800") & set(report_text(each))
        assert len(report_text(each).splitlines()) < 30


def test_output_is_shown_but_neither_at_length_nor_as_markup() -> None:
    long = feedback_page(report(passed(), output="<b>spam</b>\n" * 90_000))
    assert len(long) < 30_000
    assert "<b>spam" not in long
    assert "characters more" in long
    assert "<details><summary>your output" in long
    short = feedback_page(report(ONE_AT_A_TIME, output="<b>spam</b>\n"))
    assert "<details open><summary>your output (1 line)</summary>" in short
    assert ">&lt;b&gt;spam&lt;/b&gt;</pre>" in short
    assert "│ <b>spam</b>" in report_text(report(ONE_AT_A_TIME, output="<b>spam</b>\n" * 90_000))
    assert len(report_text(report(ONE_AT_A_TIME, output="spam\n" * 90_000)).splitlines()) < 20
    assert "your output" not in report_text(report(passed(), output="spam\n"))


def test_the_table_has_one_line_for_each_verdict() -> None:
    lines = report_text(report(passed(), ONE_AT_A_TIME, UNTOUCHED, notes=("cell 3: boo",)))
    assert lines.splitlines() == [
        "01_one_agent.ipynb, judged as 01_one_agent",
        "",
        "exercise  verdict          points        what is checked",
        "1.2       ✓ passed         1 of 1        title 0",
        "          ✗ not yet        0 of 1        title 1",
        "            expected both at once, but one waited; is one awaited before the next starts?",
        "            (parallel.one_at_a_time)",
        *(f"            {line}" for line in evidence_text(ONE_AT_A_TIME).splitlines()),
        "          ○ not attempted  0 of 1        title 2",
        "",
        "Cells that ended in an error:",
        "  cell 3: boo",
        "",
        "1 of 3 points · 1 passed, 1 not yet, 1 not attempted",
    ]


def test_what_could_not_be_judged_is_said_with_its_reason() -> None:
    broken = Report("x.ipynb", code="notebook.not_json", message="the file is no notebook")
    assert report_text(broken) == "✗ x.ipynb: the file is no notebook (notebook.not_json)"
    assert "The file is no notebook." in Page(feedback_page(broken)).text


def test_a_check_in_the_notebook_shows_the_evidence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def one_by_one(calls: Any, tools: Any) -> list[Any]:
        return [await agent.answer_call(call, tools) for call in calls]

    monkeypatch.setenv("SWITCHBOARD_STATE", str(tmp_path))  # tries are counted there
    with pytest.raises(CheckFailed, match="only one ran at a time"):
        play("1.3", one_by_one)
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("▶ ") and "▒" in line]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browse() as running:
        yield running


@pytest.mark.browser
@pytest.mark.parametrize("width", [1000, 390])
def test_the_page_in_a_browser(browser: Browser, tmp_path: Path, width: int) -> None:
    shown = report(passed(), ONE_AT_A_TIME, UNTOUCHED, output=HOSTILE)
    path = tmp_path / "feedback.html"
    path.write_text(feedback_page(shown), encoding="utf-8")
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    trouble: list[str] = []
    page.on("console", lambda message: trouble.append(message.text))
    page.on("dialog", lambda dialog: trouble.append(dialog.message))
    page.on("request", lambda asked: trouble.append(asked.url) if asked.url[:4] != "file" else None)
    page.goto(path.as_uri())
    picture = page.get_by_role("img", name="Timeline of 3 steps")
    box = picture.bounding_box()
    wide = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert box is not None and box["width"] > 400 and box["height"] > 80
    assert wide <= width
    assert trouble == []
