"""What the viewer costs: `python -m tests.benchmarks.viewer` prints its numbers and their aims.

Pages are opened in Chromium. Frames are compared with those of an empty page in the same browser,
since a busy machine makes both slower.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from course import Supervisor
from course.notebook.sliders import played
from course.scenarios.front_desk import Desk, specialists
from course.trace import Trace
from course.viewer.foreign import read
from course.viewer.page import page, script, style
from course.viewer.picture import picture_of
from tests.benchmarks.__main__ import Row, line
from tests.browser.lab import browse
from tests.browser.moving import REQUEST
from tests.browser.test_barriers import RULES, axe, barriers
from tests.viewer.runs import failing_plan, repeated

FRAMES = 120
FRAME_MS = 1000 / 60
LETTERS = 100_000_000
OPENED = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd / 1000"
FRAME = """(act) => new Promise((done) => {
  const turn = act ? eval(act) : () => 0, times = [];
  let before = 0, n = 0;
  const next = (now) => {
    if (before) times.push(now - before);
    before = now;
    turn(n++);
    if (times.length < COUNT) requestAnimationFrame(next); else done(times);
  };
  requestAnimationFrame(next);
})""".replace("COUNT", str(FRAMES))
SLIDE = """(n) => {
  const slider = document.querySelector("input[type=range]");
  slider.value = viewer.view.end * ((n * 7) % 120) / 120;
  slider.dispatchEvent(new Event("input"));
}"""
PLAY = "(n) => { if (!n) viewer.toggle(true); }"
SCROLL = "(n) => { document.querySelector('.scroll').scrollTop = n * 200; }"
SHOWN = """(given) => {
  const begin = performance.now();
  show(document.getElementById("here"), given, {});
  document.body.offsetHeight;
  return performance.now() - begin;
}"""


def frames(view: Page, act: str = "") -> tuple[float, float]:
    """Milliseconds of a frame while something is done in each, the median; and of CPU that the
    page's main thread took for one, on average."""
    watched = view.context.new_cdp_session(view)
    watched.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        metrics = watched.send("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

    before = busy()
    taken: list[float] = view.evaluate(FRAME, act)
    return statistics.median(taken), (busy() - before) / FRAMES * 1000


def opened(browser: Browser, made: str, folder: Path) -> tuple[Page, float]:
    """A page from a file, and the seconds until it is drawn."""
    path = folder / "page.html"
    path.write_text(made, encoding="utf-8")
    view = browser.new_page(viewport={"width": 1440, "height": 900})
    view.goto(path.as_uri())
    return view, float(view.evaluate(OPENED))


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What some work gives, and its CPU seconds."""
    begin = time.process_time()
    return work(), time.process_time() - begin


def thousands(browser: Browser, folder: Path) -> Iterator[Row]:
    """2,000 steps as they come, and 50,000 by level."""
    empty, _ = opened(browser, "<!doctype html><title>empty</title>", folder)
    least, _ = frames(empty)
    view, seconds = opened(browser, page(repeated(failing_plan(), 2_000)), folder)
    yield Row("2,000 spans, opened and drawn", "s", seconds, 1)

    def rows(what: str, act: str) -> Iterator[Row]:
        frame, cpu = frames(view, act)
        yield Row(f"- a frame {what}, over an empty page's", "x", frame / least, 1.05)
        yield Row("- - CPU of the main thread in it", "ms", cpu, FRAME_MS)

    view.get_by_role("radio", name="30×").check()
    yield from rows("while it plays at 30×", PLAY)
    view.evaluate("viewer.toggle(false)")
    yield from rows("while the slider jumps about", SLIDE)
    view.get_by_role("radio", name="step").check()
    yield from rows("while its rows are scrolled", SCROLL)
    many, _ = timed(lambda: repeated(failing_plan(), 50_000))
    made, cpu = timed(lambda: page(many))
    view, seconds = opened(browser, made, folder)
    yield Row("50,000 spans: the page made (CPU) and drawn, by level", "s", cpu + seconds, 3)
    yield Row("- said in its head", "", "steps: the outermost" in view.inner_text(".head"), 1, True)


def texts(browser: Browser, folder: Path) -> Iterator[Row]:
    """100 MB of messages, in a file."""
    raw = json.loads(failing_plan().to_json())
    chats = [span for span in raw["spans"] if span["operation"] == "chat"]
    for span in chats:
        said = {"role": "user", "parts": [{"type": "text", "content": "never mind. " * 10}]}
        said["parts"][0]["content"] *= LETTERS // len(chats) // 120
        span["attributes"]["gen_ai.input.messages"] = json.dumps([said])
    path = folder / "long.json"
    path.write_text(json.dumps(raw), encoding="utf-8")
    made, cpu = timed(lambda: page(*read(path)[:1]))
    view, seconds = opened(browser, made, folder)
    yield Row("100 MB of messages: read, cut (CPU) and drawn", "s", cpu + seconds, 5)
    yield Row("- said in its head", "", "letters of text" in view.inner_text(".head"), 1, True)


def small(browser: Browser, folder: Path) -> Iterator[Row]:
    """A run of fifty steps as a file, and at the sliders."""
    trace = repeated(failing_plan(), 50)
    size = len(page(trace).encode()) / 1000
    yield Row(f"HTML of a run of {len(trace.spans)} spans", "kB", size, 150)
    yield Row("- of it script", "kB", len(script().encode()) / 1000, 80)
    with Desk(seed=7) as desk:
        boss = Supervisor(name="front desk", workers=specialists(desk))
        played(boss, REQUEST)  # so that what is loaded once is not counted
        turned = [
            timed(lambda seed=seed: picture_of(played(boss, REQUEST, seed=seed)[0]).as_json())
            for seed in range(1, 8)
        ]
    shell = f"<style>{style()}</style><div id=here></div><script type=module>{script()}"
    view, _ = opened(browser, f"<!doctype html>{shell}\nwindow.show = show</script>", folder)
    redrawn = [view.evaluate(SHOWN, given) for given, _ in turned]
    made = statistics.median(cpu for _, cpu in turned) * 1000
    drawn = statistics.median(redrawn)
    yield Row(
        "what if, front desk under a supervisor: made (CPU) and drawn", "ms", made + drawn, 200
    )
    yield Row("- of it drawn", "ms", drawn)


def found(browser: Browser, folder: Path) -> Iterator[Row]:
    """What axe-core finds, in both colour schemes."""
    for scheme in RULES:
        view, _ = opened(browser, page(failing_plan(), replaced(failing_plan())), folder)
        view.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        view.evaluate(axe())
        count = len(barriers(view))
        yield Row(f"barriers that axe-core finds in two compared runs, {scheme}", "", count, 0)


def replaced(trace: Trace) -> Trace:
    """The same run with another end."""
    trace._spans = [replace(span, error="lost") if span.error else span for span in trace.spans]
    return trace


def main() -> None:
    print(line(["what", "aim", "measured", "of the aim", ""]))
    with tempfile.TemporaryDirectory() as made, browse() as browser:
        for rows in (thousands, texts, small, found):
            for row in rows(browser, Path(made)):
                print(line(row.cells()), flush=True)


if __name__ == "__main__":
    main()
