"""Two buttons for a decision that a run waits for."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from course import clock
from course.errors import VirtualTimeError
from course.markup import Markup, fill, joined
from course.notebook.show import html_widget, put, show

if TYPE_CHECKING:
    from course.approval import Approver, Decision, Question

WITHOUT_WIDGETS = "There are no buttons here, so this counts as a refusal: run it in JupyterLab."
REAL_TIME = (
    "a person decides in real time: await the run in the cell, or use clock.simulate(..., speed=1)"
)


def approval_buttons(*, by: str = "you") -> Approver:
    """An approver that shows each question with two buttons and waits for a click.

    Args:
        by: whose decision it is, as the trace and the agents are told.

    Each question gets buttons of its own, so several runs can wait at once. When the time is over
    or the run is stopped, the buttons rest. A click arrives while the cell still awaits, since
    JupyterLab 4.4 and ipykernel 7 handle widgets beside the running cell; with older ones, start
    the run in a task (`asyncio.ensure_future`) and let the cell end.

    Raises VirtualTimeError: when asked under virtual time, where a minute is over at once.
    """

    async def approver(question: Question) -> Decision | bool:
        if clock.is_virtual():
            raise VirtualTimeError(REAL_TIME)
        try:
            import ipywidgets  # type: ignore[import-untyped]
        except ImportError:
            print(WITHOUT_WIDGETS)
            return False
        return await _ask(ipywidgets, question, by)

    return approver


async def _ask(ipywidgets: Any, question: Question, by: str) -> Decision:
    """Show one question and wait; a click may come in another thread than the run's."""
    from course.approval import Decision

    loop = asyncio.get_running_loop()
    clicked: asyncio.Future[bool] = loop.create_future()
    yes = ipywidgets.Button(description="✓ Approve", tooltip="Let it happen")
    no = ipywidgets.Button(description="✗ Refuse", tooltip="Do not let it happen")
    said = html_widget(_words(question))
    for button, approved in ((yes, True), (no, False)):
        button.on_click(lambda _, a=approved: loop.call_soon_threadsafe(_decide, clicked, a))
    box = ipywidgets.VBox([said, ipywidgets.HBox([yes, no])])
    show({**box._repr_mimebundle_(), "text/plain": f"{question.what}\n{WITHOUT_WIDGETS}"})
    ending = "○ nobody decided: refused"
    try:
        approved = await clicked
        ending = "✓ approved" if approved else "✗ refused"
        return Decision(approved=approved, by=by)
    finally:
        yes.disabled = no.disabled = True
        put(said, fill("{}<p><b>{}</b></p>", _words(question), ending))


def _decide(clicked: asyncio.Future[bool], approved: bool) -> None:
    if not clicked.done():  # the second of two quick clicks
        clicked.set_result(approved)


def _words(question: Question) -> Markup:
    """The question as HTML; whatever a model wrote into it is text there."""
    who = f"{question.asked_by} asks: " if question.asked_by else ""
    lines = [fill("<p><b>{}{}</b></p>", who, question.what)]
    for name, value in question.details.items():
        text = value if isinstance(value, str) else json.dumps(value, default=str)
        lines.append(fill("<div>{}: {}</div>", name, text))
    return joined(lines)
