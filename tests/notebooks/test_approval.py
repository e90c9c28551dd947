"""The two buttons of an approval, without a browser: clicks are calls."""

import asyncio
import builtins
import html
from typing import Any

import pytest

from course import clock
from course.approval import Decision, Question, ask_approval
from course.errors import VirtualTimeError
from course.notebook import approval, approval_buttons

QUESTION = Question(what="pay <80> EUR", details={"to": "INV-1", "cents": 8000}, asked_by="billing")


class Shown:
    """What `show` was given, and the widgets behind it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import ipywidgets

        self.bundles: list[dict[str, Any]] = []
        self.boxes: list[Any] = []
        self.there = asyncio.Event()
        made = ipywidgets.VBox

        def box(children: Any) -> Any:
            self.boxes.append(made(children))
            self.there.set()
            return self.boxes[-1]

        monkeypatch.setattr(ipywidgets, "VBox", box)
        monkeypatch.setattr(approval, "show", self.bundles.append)

    def buttons(self, place: int = 0) -> tuple[Any, Any]:
        _, row = self.boxes[place].children
        yes, no = row.children
        return yes, no

    def text(self, place: int = 0) -> str:
        return str(self.boxes[place].children[0].value)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    return Shown(monkeypatch)


def ask(*clicks: str, shown: Shown, timeout: float = 6_000.0) -> Decision:
    """Ask in real time, for a minute at most; the clicks come once the buttons are there."""

    async def main() -> Decision:
        asking = asyncio.ensure_future(
            ask_approval(QUESTION, approval_buttons(by="Ada"), timeout=timeout)
        )
        await shown.there.wait()
        yes, no = shown.buttons()
        for each in clicks:
            (yes if each == "yes" else no).click()
        return await asking

    return clock.simulate(main(), speed=100.0)


@pytest.mark.parametrize(
    ("clicks", "approved", "ending"),
    [
        (("yes",), True, "✓ approved"),
        (("no",), False, "✗ refused"),
        (("no", "yes"), False, "✗ refused"),
    ],
)
def test_the_first_click_decides(
    shown: Shown, clicks: tuple[str, ...], approved: bool, ending: str
) -> None:
    decision = ask(*clicks, shown=shown)
    assert (decision.approved, decision.by) == (approved, "Ada")
    assert ending in shown.text()
    assert all(button.disabled for button in shown.buttons())


def test_without_a_click_it_is_a_refusal_and_the_buttons_rest(shown: Shown) -> None:
    decision = ask(shown=shown, timeout=0.5)
    assert (decision.approved, decision.by) == (False, "nobody")
    assert "nobody decided: refused" in shown.text()
    assert all(button.disabled for button in shown.buttons())


def test_what_is_asked_is_text_on_the_page_whatever_a_model_wrote(shown: Shown) -> None:
    ask("no", shown=shown)
    assert html.escape("billing asks: pay <80> EUR") in shown.text()
    assert "<80>" not in shown.text()
    assert "to: INV-1" in shown.text()
    assert "cents: 8000" in shown.text()
    assert shown.bundles[0]["text/plain"] == f"pay <80> EUR\n{approval.WITHOUT_WIDGETS}"


def test_under_virtual_time_nobody_can_be_asked(shown: Shown) -> None:
    with pytest.raises(VirtualTimeError, match=r"clock.simulate\(..., speed=1\)"):
        clock.simulate(ask_approval(QUESTION, approval_buttons()))
    assert shown.boxes == []


def test_where_there_are_no_widgets_it_is_a_refusal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = builtins.__import__

    def refuse(name: str, *args: Any, **more: Any) -> Any:
        if name == "ipywidgets":
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    decision = clock.simulate(ask_approval(QUESTION, approval_buttons()), speed=100.0)
    assert not decision.approved
    assert capsys.readouterr().out == f"{approval.WITHOUT_WIDGETS}\n"
