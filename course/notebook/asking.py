"""A box to type a request into, and the answer below it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from course.markup import fill
from course.notebook.explain import leaf, one_line
from course.notebook.playing import trace_bundle
from course.notebook.show import html_bundle, show

if TYPE_CHECKING:
    from ipywidgets import Output  # type: ignore[import-untyped]

    from course.trace import Trace

WITHOUT_WIDGETS = (
    "There is no text box here: run this cell in JupyterLab, "
    "or call the function yourself with your request as text."
)
SETTLED = 0.3  # seconds after Enter until the kernel has all that was typed, on a slow line too
_running: set[asyncio.Future[None]] = set()  # keeps tasks alive until they are done


def ask_box(run_request: Callable[[str], Any], *, example: str = "") -> None:
    """Show a text box; Enter, or the button, sends what is typed to ``run_request``.

    Args:
        run_request: takes the typed text; plain or ``async``. What it returns is shown: text as it
            is, a ``Result`` by its ``answer`` and its trace.
        example: stands in the box at first.

    A request that fails gives one line. Where there are no widgets (a page without a kernel, a
    terminal), one line says what to do instead.
    """
    try:
        import ipywidgets
    except ImportError:
        print(WITHOUT_WIDGETS)
        return
    text = ipywidgets.Text(
        value=example, placeholder="Type a request", description="Request:",
        layout=ipywidgets.Layout(width="80%"),
    )  # fmt: skip
    button = ipywidgets.Button(description="Ask", tooltip="Send the request")
    output = ipywidgets.Output()
    button.on_click(lambda _: _send(run_request, text.value, button, output))
    text.on_msg(lambda _, told, __: _entered(told, button))
    box = ipywidgets.VBox([ipywidgets.HBox([text, button]), output])
    show({**box._repr_mimebundle_(), "text/plain": WITHOUT_WIDGETS})


def _entered(told: dict[str, Any], button: Any) -> None:
    """Press the button where the page tells that Enter was pressed."""
    if told.get("event") == "submit":
        # The page may still hold back the last letters: it sends them one answer later.
        asyncio.get_running_loop().call_later(SETTLED, button.click)


def _send(run_request: Callable[[str], Any], text: str, button: Any, output: Output) -> None:
    """Start one request; the button rests until it is answered, and so does Enter."""
    if button.disabled:
        return
    request = text.strip()
    if not request:
        _put(output, "Type a request first.")
        return
    button.disabled = True
    _put(output, "…")
    task = asyncio.ensure_future(_answer(run_request, request, button, output))
    _running.add(task)
    task.add_done_callback(_running.discard)


async def _answer(
    run_request: Callable[[str], Any], request: str, button: Any, output: Output
) -> None:
    try:
        answer = run_request(request)
        if inspect.isawaitable(answer):
            answer = await answer
        _put(output, str(getattr(answer, "answer", answer)), getattr(answer, "trace", None))
    except Exception as trouble:  # whatever a student's function raises belongs on the page
        cause = leaf(trouble)
        _put(output, one_line(f"✗ {type(cause).__name__}: {cause}"))
    finally:
        button.disabled = False


def _put(output: Output, text: str, trace: Trace | None = None) -> None:
    """Replace what the output shows.

    Outputs are set as data: ``with output:`` redirects whatever is printed meanwhile, and while a
    request waits that can be another cell's.
    """
    told = fill('<pre style="white-space: pre-wrap">{}</pre>', text)
    aloud = fill('<div role="status" aria-live="polite">{}</div>', told)  # when it comes
    shown = [_output(aloud, text)]
    if trace is not None and trace.spans:
        shown.append(_display(trace_bundle(trace)))
    output.outputs = tuple(shown)


def _output(markup: str, plain: str) -> dict[str, Any]:
    return _display(html_bundle(markup, plain))


def _display(data: Mapping[str, Any]) -> dict[str, Any]:
    return {"output_type": "display_data", "data": dict(data), "metadata": {}}
