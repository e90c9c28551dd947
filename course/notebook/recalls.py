"""Three questions about earlier chapters: first in one's own words, then the answer. Never graded.

The questions stand in ``recalls.toml``, under the number of the chapter that asks them.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.errors import ConfigurationError
from course.markup import Markup, fill, joined
from course.notebook.show import html_widget, put, show, show_html, watched

PAGE = Path(__file__).with_name("recalls.toml")
OPEN, WAITS = "Show the answer", "Write a few words of your own first."


@dataclass(frozen=True)
class Recall:
    """A question about an earlier chapter.

    Attributes:
        of: the number of that chapter, such as ``"06"``.
        ask: the question.
        answer: one or two sentences to compare one's own with.
    """

    of: str
    ask: str
    answer: str


def recall(chapter: str) -> None:
    """Ask what a chapter builds on; who has written something of their own can open the answer.

    Nothing that is written is kept or judged. Where nobody watches, and where there are no
    widgets, each answer is folded below its question.

    Args:
        chapter: the number of the chapter that asks, such as ``"08"``.

    Raises:
        ConfigurationError: no questions are written for this chapter.
    """
    asked = recalls().get(chapter)
    if asked is None:
        raise ConfigurationError(f"recalls.toml has no questions for chapter {chapter!r}")
    plain = "\n".join(f"{each.ask} (chapter {each.of})" for each in asked)
    if watched() and (box := _box(asked)) is not None:
        show({**box._repr_mimebundle_(), "text/plain": plain})
    else:
        show_html(joined(map(_folded, asked)), plain)


def recalls() -> dict[str, tuple[Recall, ...]]:
    """Read all questions, by the chapter that asks them."""
    page = tomllib.loads(PAGE.read_text(encoding="utf-8"))
    return {number: tuple(Recall(**each) for each in asked) for number, asked in page.items()}


def _folded(recall: Recall) -> Markup:
    return fill(
        "<details><summary>{} <em>(chapter {})</em></summary><p>{}</p></details>",
        recall.ask, recall.of, recall.answer,
    )  # fmt: skip


def _box(asked: tuple[Recall, ...]) -> Any | None:
    """The questions as widgets; None where there are none."""
    try:
        import ipywidgets  # type: ignore[import-untyped]
    except ImportError:
        return None
    return ipywidgets.VBox([_row(ipywidgets, each) for each in asked])


def _row(widgets: Any, recall: Recall) -> Any:
    question = html_widget(fill("{} <em>(chapter {})</em>", recall.ask, recall.of))
    own = widgets.Textarea(description="Your words:", rows=2, layout={"width": "90%"})
    button = widgets.Button(description=OPEN, disabled=True, tooltip=WAITS)
    answer = html_widget()

    def typed(_: Any) -> None:
        button.disabled = not own.value.strip()
        button.tooltip = WAITS if button.disabled else OPEN

    def opened(_: Any) -> None:
        put(answer, fill('<div role="status" aria-live="polite">{}</div>', recall.answer))

    own.observe(typed, names="value")
    button.on_click(opened)
    return widgets.VBox([question, own, button, answer])
