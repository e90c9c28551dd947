"""How long a slider takes to redraw the board: `python -m tests.benchmarks.redraw`.

The front desk under a supervisor, a request for three domains, at ten places of the sliders. In the
kernel, in milliseconds of processor time: the run, and its picture as JSON. In Chromium, in
milliseconds of the clock: reading it, and drawing it until the next frame is there. What a
notebook's wire takes between them is not in it. Aim: 200 ms together.
"""

from __future__ import annotations

import json
import re
import time
from statistics import median
from typing import Any

from playwright.sync_api import Page

from course import Supervisor
from course.markup import data
from course.notebook.sliders import played
from course.scenarios.front_desk import Desk, specialists
from course.viewer.page import script, style
from course.viewer.picture import picture_of
from tests.browser.lab import browse

ASKED = (
    "When is Farid Mbeki's next appointment? And which unpaid invoices does Katya Tanaka have?"
    " And what are your opening hours on Friday?"
)
PLACES = [{"seed": n, "faults": 0.05 * n, "workers": 3} for n in range(10)]
AIM = 200.0  # milliseconds
PAGE = """<!doctype html><html lang="en" class="page"><style>{style}</style><body class="page">
<main id="host"></main><script type="application/json" id="runs">{runs}</script>
<script type="module">{script}
const texts = JSON.parse(document.getElementById("runs").textContent);
const frame = () => new Promise((then) => requestAnimationFrame(() => setTimeout(then)));
window.drawn = async (n) => {
  const host = document.createElement("div"), begin = performance.now();
  document.getElementById("host").replaceChildren(host);
  show(host, JSON.parse(texts[n]));
  await frame();
  return performance.now() - begin;
};
</script></body></html>"""


def clinic(workers: int) -> Supervisor:
    """A fresh desk under a supervisor, as chapter 04 ends with it."""
    staff = specialists(Desk(seed=7))
    told = "You lead the front desk of a clinic. Delegate to your workers and answer with what they"
    return Supervisor(
        name="front desk", instructions=f"{told} report.", workers=staff[: int(workers)]
    )


def in_the_kernel(places: dict[str, Any]) -> tuple[float, float, str]:
    """Milliseconds for the run and for its picture, and the picture."""
    begin = time.process_time()
    trace, _ = played(clinic, ASKED, **places)
    middle = time.process_time()
    made = json.dumps(picture_of(trace).as_json())
    return 1000 * (middle - begin), 1000 * (time.process_time() - middle), made


def in_the_browser(view: Page, runs: list[str]) -> list[float]:
    """Milliseconds until each run is drawn."""
    values = {"style": style(), "runs": data(runs), "script": script()}
    view.set_content(re.sub(r"\{(style|runs|script)\}", lambda found: values[found[1]], PAGE))
    view.wait_for_function("!!window.drawn")
    return [float(view.evaluate(f"drawn({n})")) for n in range(len(runs))]


def main() -> None:
    in_the_kernel(PLACES[0])
    rows = [in_the_kernel(each) for each in PLACES]
    with browse() as running:
        drawn = in_the_browser(running.new_page(viewport={"width": 1440, "height": 900}),
                               [made for *_, made in rows])  # fmt: skip
    parts = {"run": [r[0] for r in rows], "picture": [r[1] for r in rows], "drawn": drawn}
    whole = [sum(each) for each in zip(*parts.values(), strict=True)]
    for name, values in {**parts, "together": whole}.items():
        print(f"{name:9} {median(values):6.0f} ms, at most {max(values):4.0f} ms")
    print(f"aim       {AIM:6.0f} ms: {'reached' if max(whole) <= AIM else 'not reached'}")


if __name__ == "__main__":
    main()
