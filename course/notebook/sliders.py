"""What if: the same request under other luck, other speed, more failures, as a slider turns.

Virtual time makes a run of half a minute take some milliseconds, so it is made anew while the
slider moves, and the board shows it. One kind of luck tells little, so others follow it.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from course.errors import CourseError
from course.markup import fill, joined
from course.models.connect import connect
from course.models.profile import Profile, load
from course.notebook.background import REST, beside
from course.notebook.show import show, show_html, watched
from course.observability.views import tree
from course.runner import run_sync
from course.supervisor_worker import PlanResult
from course.trace import Trace
from course.viewer.picture import Picture, picture_of
from course.viewer.still import still
from course.viewer.widget import kind

WITHOUT_WIDGETS = "There are no sliders here: call played(system, request, seed=..., faults=...)."
SLIDERS: dict[str, tuple[float, float, float, float]] = {
    "seed": (0, 30, 1, 0),
    "latency": (0.25, 4, 0.25, 1),
    "faults": (0, 0.6, 0.02, 0),
}
"""What can always be turned: from, to, step, at first. `latency` is a factor of the profile's,
`faults` the share of requests that fail."""
LUCKS = 10
"""Seeds, from 0 on, whose successes are counted beside the run that is shown."""


@dataclass(frozen=True)
class Outcome:
    """What a run came to: how much of what was needed is there.

    Attributes:
        right, needed: of `what`: "facts" in the answer, "tasks" of a plan; "" is the answer itself.
        stop: the limit or the error that ended it; empty where none did.
    """

    right: int
    needed: int
    what: str = ""
    stop: str = ""

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        return self.right == self.needed

    def __str__(self) -> str:
        counted = f"{self.right} of {self.needed} {self.what}" if self.what else ""
        plain = "answered" if self.whole else ""
        return " ".join(filter(None, ("✓" if self.whole else "✕", counted or plain, self.stop)))


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
    system: Any, request: Any, *, profile: str | Profile = "calm", facts: Collection[str] = (),
    options: Mapping[str, Any] | None = None, seed: float = 0, latency: float = 1,
    faults: float = 0, lines: float = 0, **more: float,
) -> tuple[Trace, Outcome]:  # fmt: skip
    """Run a request under these conditions.

    Args:
        system: of the course, or a function that makes one, of what else can be turned (`more`).
        request: what is asked.
        profile: speed and failures to begin with.
        facts: what a right answer says, word by word; without them the tasks of a plan are
            counted, or whether there is an answer at all.
        options: what `course.run` takes besides, such as `plan`.
        seed, latency, faults: as `SLIDERS` says.
        lines: how many requests may be under way at once; 0 is any number.

    Gives the trace with its messages, and what came of the run.
    """
    made = system(**more) if inspect.isfunction(system) else system
    conditions = changed(profile, latency=latency, faults=faults)
    client = connect("simulated", seed=int(seed), profile=conditions, in_flight=int(lines) or None)
    trace = Trace(f"{getattr(made, 'name', 'run')}: {request}", seed=int(seed), messages=True)
    try:
        result = run_sync(made, request, client=client, trace=trace, **(options or {}))
    except CourseError as error:
        return trace, Outcome(
            0, len(facts) or 1, "facts" if facts else "answer", type(error).__name__
        )
    return trace, _outcome(result, facts)


def _outcome(result: Any, facts: Collection[str]) -> Outcome:
    stop = str(getattr(result, "stop", None) or "")
    if facts:
        said = "\n".join((*getattr(result, "heard", ()), str(result.answer)))
        return Outcome(sum(each in said for each in facts), len(facts), "facts", stop)
    if isinstance(result, PlanResult):
        done = sum(each.done for each in result.results.values())
        return Outcome(done, len(result.results), "tasks", stop)
    return Outcome(int(not stop), 1, stop=stop)


def what_if(
    system: Any, request: Any, *, profile: str | Profile = "calm", facts: Collection[str] = (),
    options: Mapping[str, Any] | None = None, **more: Sequence[float],
) -> None:  # fmt: skip
    """Sliders for luck, speed and failures, and the board of the run that they make.

    Above the board stand three numbers: success, seconds, and model calls with their tokens; and
    how many of ten kinds of luck end well under the same conditions.

    Args:
        system: of the course; or a function that makes one anew for each run, since a run may
            change what its tools reach. Its parameters are sliders too, if `more` has them.
        request: what is asked.
        profile, facts, options: as for `played`.
        more: from, to and step of what else is turned, and where it stands at first if not at the
            beginning: what the function takes, such as ``workers=(1, 6, 1, 6)``, or `lines`.

    Where there are no widgets, the first run is shown as a picture, and a line says what to call.
    """
    places = [_place(name, values) for name, values in {**SLIDERS, **more}.items()]
    ask = partial(played, system, request, profile=profile, facts=facts, options=options)
    if not watched():
        _show_first(*ask(**{each["name"]: each["first"] for each in places}))
        return
    made = box_of(ask, places)._repr_mimebundle_()
    bundle = made[0] if isinstance(made, tuple) else made
    show({**bundle, "text/plain": WITHOUT_WIDGETS})


def _place(name: str, values: Sequence[float]) -> dict[str, Any]:
    low, high, step, *first = values
    return {"name": name, "low": low, "high": high, "step": step, "first": (*first, low)[0]}


@cache
def _sliders() -> Any:
    script = Path(__file__).with_name("sliders.js")
    return kind("Sliders", script, sliders=[], said={}, came={}, lucks="", run={})


def box_of(ask: Callable[..., tuple[Trace, Outcome]], places: Sequence[Mapping[str, Any]]) -> Any:
    """The widget: `said` has the `values` of its `sliders` by name, `came` is what came of the
    `run`, and `lucks` has a sign for each seed.
    """
    box = _sliders()(sliders=list(places))
    turning = _Turning(ask, box)
    box.observe(lambda change: turning.hear(change["new"]), names="said")
    box.said = {"values": {each["name"]: each["first"] for each in places}}
    box.turning = turning
    return box


class _Turning:
    """Makes the run at the places of the sliders, and after it those of other luck, one by one."""

    def __init__(self, ask: Callable[..., tuple[Trace, Outcome]], box: Any) -> None:
        self.ask, self.box = ask, box
        self.counting: asyncio.Task[None] | None = None

    def hear(self, said: Mapping[str, Any]) -> None:
        """Show the run under these conditions; the page knows what it waits for by `nth`."""
        values = said["values"]
        if self.counting:
            self.counting.cancel()
        trace, outcome = self.ask(**values)
        picture = picture_of(trace)
        self.box.lucks, self.box.came = "", _came(picture, outcome)
        self.box.run = {**picture.as_json(), "nth": said.get("nth", 0)}
        self.counting = beside(self.count(values))

    async def count(self, values: Mapping[str, float]) -> None:
        """Add a sign for each kind of luck."""
        for seed in range(LUCKS):
            await asyncio.sleep(REST)
            self.box.lucks += str(self.ask(**{**values, "seed": seed})[1])[0]


def _came(picture: Picture, outcome: Outcome) -> dict[str, str]:
    """The three numbers of a run."""
    facts = picture.facts
    calls = f"{facts['calls']:.0f} ({facts['tokens']:,.0f} tokens)"
    return {"success": str(outcome), "seconds": f"{facts['seconds']:.2f}", "model calls": calls}


def _show_first(trace: Trace, outcome: Outcome) -> None:
    """The first run as a picture, below its numbers."""
    print(WITHOUT_WIDGETS)
    picture = picture_of(trace)
    told = " · ".join(f"{name}: {value}" for name, value in _came(picture, outcome).items())
    show_html(joined((fill("<p>{}</p>", told), still(picture))), f"{told}\n{tree(trace)}")
