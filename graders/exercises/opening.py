"""Under a result in a notebook: a button that plays the run that failed beside a right one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from course.errors import ConfigurationError
from course.notebook.show import show, watched
from course.viewer.widget import widget
from graders.feedback import Finding
from graders.feedback.words import CONTRACT
from graders.judge.comparing import Runs

BUTTON, CLOSE = "Play both runs", "Close"
WITHOUT_WIDGETS = "Both runs can be played where there are widgets."


def offer(failed: Sequence[tuple[Finding, Runs]]) -> None:
    """A button for each run that can be played beside a right one, where somebody watches.

    The viewer is made when it is asked for: until then a failed check costs no more than its words.
    """
    if not failed or not watched():
        return
    import ipywidgets  # type: ignore[import-untyped]

    box = ipywidgets.VBox([_row(ipywidgets, *each) for each in failed])
    show({**box._repr_mimebundle_(), "text/plain": WITHOUT_WIDGETS})


def _row(widgets: Any, finding: Finding, runs: Runs) -> Any:
    said = f"{CONTRACT} “{finding.sentence}”" if finding.sentence else ""
    words = f"{BUTTON}: {finding.titles[0]}"
    button = widgets.Button(description=words, icon="play", layout={"width": "auto"})
    button.layout.align_self = "flex-start"
    row = widgets.VBox([button])

    def turn(_: Any) -> None:
        opened = row.children[1:]
        try:
            row.children = (button, *(() if opened else (widget(runs.view(said)),)))
        except ConfigurationError as error:  # no anywidget here
            button.description = str(error)
            return
        for each in opened:
            each.close()
        button.description, button.icon = (words, "play") if opened else (CLOSE, "times")

    button.on_click(turn)
    return row
