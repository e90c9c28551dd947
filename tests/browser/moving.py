"""README's moving picture: `python -m tests.browser.moving` writes docs/playing.svg anew.

It is what the viewer draws of a real run, event by event, put into one SVG that plays without a
script: each mark of the board is there once, and seen from one event to another.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate
from pathlib import Path
from textwrap import wrap
from typing import Any

from playwright.sync_api import Browser

from course import Supervisor, Trace, connect, run_sync
from course.markup import Markup, fill, joined
from course.scenarios.front_desk import Desk, specialists
from course.viewer.page import page, style
from tests.browser.lab import browse

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "docs/playing.svg"
REQUEST = "When is Katya Tanaka's next appointment, and what does she still owe?"
WIDTH, EDGE, CAPTION = 860, 14, 62  # pixels
LINE = 100  # letters in a line of the caption
EVENT, LAST = 1.3, 4.0  # seconds that an event stays, and the end
PLUGGED = 0.28  # seconds in which a cord is drawn
Seen = tuple[tuple[int, int], ...]
"""From which frame on, and before which: one pair for each time that a mark is seen."""

FRAMES = """(width) => {
  document.querySelector(".cordboard").style.width = `${width}px`;
  viewer.frame();
  const svg = () => document.querySelector(".cordboard svg");
  const all = (within, what) => [...within.querySelectorAll(what)].map((e) => e.outerHTML);
  const frames = viewer.view.moments.map((moment, n) => {
    viewer.go(n);
    const marks = [...all(svg(), ".tool"), ...all(svg(), ".jack")];
    for (const bead of document.querySelectorAll(".bead")) {
      const way = bead.parentNode.querySelector(".core").getAttribute("d");
      bead.removeAttribute("cx");
      bead.removeAttribute("cy");
      bead.setAttribute("style", `offset-path:path("${way}")`);
    }
    return { time: moment.t, text: moment.text, cords: all(svg(), ".cord"), marks };
  });
  const [trunk] = all(svg(), ".trunk");
  return { frames, trunk, height: Number(svg().getAttribute("height")), end: viewer.view.end };
}"""


def recorded() -> Trace:
    """The demo's request, at a front desk that leads specialists."""
    trace = Trace(f"front desk: {REQUEST}", messages=True)
    with Desk(seed=7) as desk:
        boss = Supervisor(name="front desk", workers=specialists(desk))
        run_sync(boss, REQUEST, client=connect("simulated"), trace=trace)
    return trace


def moving(browser: Browser) -> str:
    """The picture of the recorded run, as text of an SVG file."""
    view = browser.new_page()
    view.set_content(page(recorded()))
    drawn: dict[str, Any] = view.evaluate(FRAMES, WIDTH)
    view.close()
    return f"{_svg(drawn)}\n"


def _svg(drawn: dict[str, Any]) -> Markup:
    frames, clock = drawn["frames"], _Clock(len(drawn["frames"]))
    still = max(range(len(frames)), key=lambda n: len(frames[n]["cords"]))
    marks = [_mark(made, seen, still) for made, seen in _seen(f["marks"] for f in frames)]
    cords = [_mark(made, seen, still) for made, seen in _seen(f["cords"] for f in frames)]
    captions = [
        _mark(_caption(f, drawn), ((n, n + 1),), still, drawn["height"])
        for n, f in enumerate(frames)
    ]
    told = f"A run on the switchboard, event by event. {frames[still]['text']}"
    height = drawn["height"] + CAPTION
    return fill(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="{0} {0} {1} {2}" width="{1}"'
        ' height="{2}" role="img"><title>{3}</title><style>{4}</style>'
        '<g class="switchboard"><g class="board"><rect class="board-panel" x="{0}" y="{0}"'
        ' width="{1}" height="{2}" rx="12"/>{5}</g></g></svg>',
        -EDGE, WIDTH + 2 * EDGE, height + 2 * EDGE, told, _style(clock, frames),
        joined([Markup(drawn["trunk"]), *cords, *marks, *captions], "\n"),
    )  # fmt: skip


class _Clock:
    """When each frame begins, in percent of the whole."""

    def __init__(self, frames: int) -> None:
        lengths = [*[EVENT] * (frames - 1), LAST]
        self.seconds = sum(lengths)
        self._begins = [0.0, *accumulate(lengths)]

    def between(self, frame: int, other: int) -> str:
        """The percent in the middle of two frames."""
        return self.at(frame, (self._begins[other] - self._begins[frame]) / 2)

    def at(self, frame: int, later: float = 0) -> str:
        """The percent at which a frame begins, or so many seconds after it."""
        return f"{(self._begins[frame] + later) / self.seconds * 100:.3f}%"


def _seen(frames: Iterable[list[str]]) -> Iterator[tuple[str, Seen]]:
    """Each mark once, with the frames in which it is seen."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for n, marks in enumerate(frames):
        for made in marks:
            times = found[made]
            if times and times[-1][1] == n:
                times[-1] = (times[-1][0], n + 1)
            else:
                times.append((n, n + 1))
    return ((made, tuple(times)) for made, times in found.items())


def _mark(made: str, seen: Seen, still: int, down: int = 0) -> Markup:
    """A mark that is seen at its time; at `still` it is also where nothing may move."""
    here = " still" if any(a <= still < b for a, b in seen) else ""
    moved = fill(' transform="translate(0 {})"', down) if down else ""
    return fill('<g class="at {}{}"{}>{}</g>', _name(seen), here, moved, Markup(made))


def _name(seen: Seen) -> str:
    return "at" + "-".join(f"{a}_{b}" for a, b in seen)


def _caption(frame: dict[str, Any], drawn: dict[str, Any]) -> Markup:
    """The second and the sentence of an event, and how far the run is."""
    done = frame["time"] / drawn["end"] * WIDTH
    lines = [
        fill('<text x="0" y="{}" class="said">{}</text>', 44 + 17 * n, line)
        for n, line in enumerate(wrap(frame["text"], LINE)[:2])
    ]
    clock = f"{frame['time']:.2f} of {drawn['end']:.2f} s"
    return fill(
        '<rect class="way" y="6" width="{}" height="4" rx="2"/><rect class="gone" y="6"'
        ' width="{:.1f}" height="4" rx="2"/><text x="0" y="26" class="soft">{}</text>{}',
        WIDTH, done, clock, joined(lines),
    )  # fmt: skip


def _style(clock: _Clock, frames: list[dict[str, Any]]) -> Markup:
    """How the board looks (the first two paragraphs of the viewer's sheet), and what moves when."""
    rules = [*style().split("\n\n")[:2], _LOOKS.replace("SECONDS", f"{clock.seconds:.2f}s")]
    cords = {seen: None for _, seen in _seen(f["cords"] for f in frames)}
    every = {seen: None for _, seen in _seen(f["marks"] for f in frames)} | cords
    every |= {((n, n + 1),): None for n in range(len(frames))}
    for seen in every:
        name = _name(seen)
        rules.append(f".{name} {{ animation-name: {name} }}")
        rules.append(f"@keyframes {name} {{ {_steps(clock, seen)} }}")
    for seen in cords:
        name = _name(seen)
        plugged = " ".join(
            f"{clock.at(a)} {{ stroke-dashoffset: 1 }} {clock.at(a, PLUGGED)}, {clock.at(b)}"
            " { stroke-dashoffset: 0 }"
            for a, b in seen
        )
        out = " ".join(
            f"{clock.at(a)}, {clock.at(b)} {{ offset-distance: 0% }} {clock.between(a, b)}"
            " { offset-distance: 100% }"
            for a, b in seen
        )
        rules.append(f".{name} .core[pathLength] {{ animation-name: plug-{name} }}")
        rules.append(f"@keyframes plug-{name} {{ {plugged} }}")
        rules.append(f".{name} .bead {{ animation-name: bead-{name} }}")
        rules.append(f"@keyframes bead-{name} {{ {out} }}")
    return Markup("\n".join(rules))


_LOOKS = """\
.board-panel { fill: var(--panel) } .board .said { font: 15px Georgia, serif }
.way { fill: var(--line) } .gone { fill: var(--held) } .at { visibility: hidden }
.still { visibility: visible } .at { animation: SECONDS step-end infinite }
.switchboard .cord :is(.core[pathLength], .bead) { animation: SECONDS linear infinite }
.bead { offset-distance: 50% }
@media (prefers-reduced-motion: reduce) { .switchboard * { animation: none !important } }"""


def _steps(clock: _Clock, seen: Seen) -> str:
    """The keyframes of something that is seen from one frame to another."""
    steps = {0: "hidden"}
    for a, b in seen:
        steps |= {a: "visible", b: "hidden"}
    return " ".join(f"{clock.at(n)} {{ visibility: {said} }}" for n, said in sorted(steps.items()))


def main() -> int:
    """Write the picture."""
    with browse() as browser:
        TARGET.write_text(moving(browser), encoding="utf-8", newline="\n")
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
