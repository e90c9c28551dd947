"""What if: the same request under other luck, other speed, more failures, as a slider turns.

Virtual time makes a run of half a minute take some milliseconds, so it is made anew while the
slider moves, and the board shows it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from course.errors import CourseError
from course.markup import fill
from course.models.connect import connect
from course.models.profile import Profile, load
from course.notebook.show import html_widget, put, show, watched
from course.runner import run_sync
from course.trace import Trace
from course.viewer.picture import picture_of
from course.viewer.widget import widget

WITHOUT_WIDGETS = "There are no sliders here: call played(system, request, seed=..., faults=...)."
SLIDERS: dict[str, tuple[float, float, float, float]] = {
    "seed": (0, 30, 1, 0),
    "latency": (0.25, 4, 0.25, 1),
    "faults": (0, 0.6, 0.02, 0),
    "lines": (0, 8, 1, 0),
}
"""What can always be turned: from, to, step, at first. `latency` is a factor of the profile's,
`faults` the share of requests that fail, `lines` how many may be under way at once (0: any)."""


def changed(profile: str | Profile, *, latency: float = 1, faults: float = 0) -> Profile:
    """A profile with times as many times as long, and this share of requests that fail."""
    base = load(profile)
    models = {
        name: each.model_copy(
            update={
                "ttft_median": each.ttft_median * latency,
                "prefill_per_token": each.prefill_per_token * latency,
                "tokens_per_second": each.tokens_per_second / latency,
            }
        )
        for name, each in base.models.items()
    }
    failing = base.failures.model_copy(update={"rate": faults})
    return base.model_copy(update={"models": models, "failures": failing})


def played(
    system: Any, request: Any, *, profile: str | Profile = "calm", seed: float = 0,
    latency: float = 1, faults: float = 0, lines: float = 0, **more: float,
) -> tuple[Trace, str]:  # fmt: skip
    """Run a request under these conditions.

    Args:
        system: of the course, or a function that makes one, of what else can be turned (`more`).
        request: what is asked.
        profile: speed and failures to begin with.
        seed, latency, faults, lines: as `SLIDERS` says.

    Gives the trace with its messages, and how the run ended, in a few words.
    """
    made = system(**more) if inspect.isfunction(system) else system
    conditions = changed(profile, latency=latency, faults=faults)
    client = connect("simulated", seed=int(seed), profile=conditions, in_flight=int(lines) or None)
    trace = Trace(f"{getattr(made, 'name', 'run')}: {request}", seed=int(seed), messages=True)
    try:
        result = run_sync(made, request, client=client, trace=trace)
    except CourseError as error:
        return trace, f"✕ {type(error).__name__}"
    stop = getattr(result, "stop", None)
    return trace, f"✕ {stop}" if stop else "✓ answered"


def what_if(
    system: Any, request: Any, *, profile: str | Profile = "calm", **more: Sequence[float]
) -> Any:
    """Sliders for luck, speed, failures and lines, and the board of the run that they make.

    Args:
        system: of the course; or a function that makes one anew for each run, since a run may
            change what its tools reach. Its parameters are sliders too, if `more` has them.
        request: what is asked.
        profile: speed and failures to begin with.
        more: from, to and step of what else is turned, such as ``workers=(1, 6, 1)``.

    Gives the box of widgets, with its `sliders` by name; nothing where there are none.
    """
    if not watched():
        print(WITHOUT_WIDGETS)
        return None
    import ipywidgets  # type: ignore[import-untyped]

    ranges = {**SLIDERS, **{name: (*each, each[0]) for name, each in more.items()}}
    sliders = {
        name: ipywidgets.FloatSlider(
            description=name, min=low, max=high, step=step, value=begin,
            readout_format=".0f" if step == int(step) else ".2f",
        )
        for name, (low, high, step, begin) in ranges.items()
    }  # fmt: skip
    numbers, board = html_widget(), widget({})
    turn = _turning(system, request, profile, sliders, numbers, board)
    for slider in sliders.values():
        slider.observe(turn, names="value")
    turn(None)
    box = ipywidgets.VBox([ipywidgets.HBox(list(sliders.values())), numbers, board])
    box.sliders, box.board, box.numbers = sliders, board, numbers
    show({**box._repr_mimebundle_(), "text/plain": WITHOUT_WIDGETS})
    return box


def _turning(
    system: Any, request: Any, profile: str | Profile, sliders: Any, numbers: Any, board: Any
) -> Callable[[Any], None]:
    def turn(_: Any) -> None:
        values = {name: each.value for name, each in sliders.items()}
        turned = {name: int(v) if v == int(v) else v for name, v in values.items()}
        trace, ended = played(system, request, profile=profile, **turned)
        picture = picture_of(trace)
        facts = picture.facts
        told = f"{facts['seconds']:.2f} s · {facts['calls']:.0f} model calls"
        told += f" · {facts['tokens']:,.0f} tokens"
        put(numbers, fill('<p role="status">{} · {}</p>', ended, told))
        board.data = picture.as_json()

    return turn
