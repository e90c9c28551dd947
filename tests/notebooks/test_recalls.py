"""Questions about earlier chapters: own words first, then the answer."""

from typing import Any

import ipywidgets
import pytest

from course.errors import ConfigurationError
from course.notebook import recalls, show
from course.notebook.recalls import WAITS, recall
from tests.notebooks import kit, lints

SHOWN = {
    path.stem[:2]: sum('recall("' in cell.source for cell in kit.read(path).cells)
    for path in lints.notebooks("notebooks")
}


@pytest.mark.parametrize("chapter", sorted(recalls.recalls()))
def test_a_chapter_asks_three_questions_about_earlier_ones(chapter: str) -> None:
    asked = recalls.recalls()[chapter]
    assert len(asked) == len({each.ask for each in asked}) == 3
    assert all("00" <= each.of < chapter for each in asked)
    assert all(each.ask.endswith(("?", ".")) and each.answer.endswith(".") for each in asked)


def test_a_chapter_that_recalls_has_questions() -> None:
    asking = {number for number, calls in SHOWN.items() if calls}
    assert asking <= recalls.recalls().keys()


def test_an_answer_opens_when_something_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    bundles: list[dict[str, Any]] = []
    made: list[Any] = []
    vbox = ipywidgets.VBox
    monkeypatch.setattr(ipywidgets, "VBox", lambda parts: made.append(vbox(parts)) or made[-1])
    monkeypatch.setattr(recalls, "watched", lambda: True)
    monkeypatch.setattr(show, "in_notebook", lambda: True)
    monkeypatch.setattr(recalls, "show", bundles.append)
    recall("08")
    _, own, button, answer = made[0].children
    assert button.disabled and button.tooltip == WAITS
    own.value = "  "
    assert button.disabled
    own.value = "that I can refuse it"
    button.click()
    told = recalls.recalls()["08"][0].answer
    assert told in answer.value
    assert told not in bundles[0]["text/plain"]


def test_where_nobody_watches_answers_are_folded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    markup = recalls._folded(recalls.Recall("01", "Is 1 < 2?", "It is."))
    assert "<summary>Is 1 &lt; 2? <em>(chapter 01)</em></summary><p>It is.</p>" in markup
    recall("08")
    assert capsys.readouterr().out.count("(chapter 0") == 3


def test_a_chapter_without_questions_is_named() -> None:
    with pytest.raises(ConfigurationError, match="'99'"):
        recall("99")
