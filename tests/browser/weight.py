"""Print how heavy each chapter is when it is opened: `python -m tests.browser.weight [08 ...]`.

Chromium, 1440 x 900, all cells in the page, nothing run; pixels are those of the whole notebook,
screens those that one scrolls to the heading of the first exercise.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.lab import Chapter, browse, serve
from tests.notebooks import kit
from tests.notebooks.weight import PIXELS, SCREENS, Weight, weigh

SIZE = {"width": 1440, "height": 900}
LAID_OUT = """async () => {
    const page = document.querySelector('.jp-WindowedPanel-outer');
    let before = -1;
    for (let still = 0; still < 3;) {
        await new Promise(go => setTimeout(go, 500));
        still = page.scrollHeight == before ? still + 1 : 0;
        before = page.scrollHeight;
    }
    const top = page.getBoundingClientRect().top - page.scrollTop;
    const first = [...page.querySelectorAll('h3')].find(h => /^Exercise /.test(h.textContent));
    const down = first ? first.getBoundingClientRect().top - top : 0;
    return [page.scrollHeight, down / page.clientHeight];
}"""
"""Waits until the page grows no more, since diagrams are drawn late."""
HEAD = """\
| chapter | px | screens to 1st | given to 1st | words | open | folded | says, min | takes | heavy |
|---|---|---|---|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Opened:
    """A chapter as it stands on the page.

    Attributes:
        name: its notebook's.
        weight: by its notebook alone.
        height: of the whole page, in pixels.
        screens: down to its first exercise.
    """

    name: str
    weight: Weight
    height: int
    screens: float

    def faults(self) -> list[str]:
        """What is too heavy, a sentence each."""
        told = [
            (self.height > PIXELS, f"{self.height} px"),
            (self.screens > SCREENS, f"{self.screens:.1f} screens before the first exercise"),
        ]
        return [sentence for wrong, sentence in told if wrong] + self.weight.faults()

    def row(self) -> str:
        """A line of the table, below `HEAD`."""
        w, faults = self.weight, self.faults()
        figures = (self.height, f"{self.screens:.1f}", w.given, w.words, w.open, w.folded)
        minutes = (" + ".join(f"{each:.0f}" for each in half) for half in (w.stated, w.estimated))
        told = [self.name, *figures, *minutes, "; ".join(faults)]
        return "| " + " | ".join(map(str, told)) + " |"


def looked_at(page: Page, path: Path) -> Opened:
    """Measure the notebook that is open in a page."""
    height, screens = page.evaluate(LAID_OUT)
    return Opened(path.stem, weigh(kit.read(path)), int(height), screens)


def opened(paths: Iterable[Path], *, width: int = 1440) -> Iterator[Opened]:
    """Open copies of released notebooks, one after the other, and measure them."""
    with tempfile.TemporaryDirectory() as folder:
        root, state = Path(folder, "notebooks"), Path(folder, "state")
        state.mkdir()
        for path in paths:
            kit.write(kit.read(path), root / path.name)
        with serve(root, state) as server, browse() as browser:
            for path in sorted(root.glob("*.ipynb")):
                page = browser.new_page(viewport={"width": width, "height": 900})
                page.goto(server.address(path.name))
                Chapter(page).wait_until_ready()
                yield looked_at(page, path)
                page.close()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("chapters", nargs="*", help="numbers, such as 08; all when left out")
    parser.add_argument("--width", type=int, default=1440, help="of the window, in pixels")
    chosen = parser.parse_args()
    found = sorted((kit.ROOT / "notebooks").glob("*/*.ipynb"))
    paths = [each for each in found if not chosen.chapters or each.stem[:2] in chosen.chapters]
    print(HEAD)
    for each in opened(paths, width=chosen.width):
        print(each.row(), flush=True)


if __name__ == "__main__":
    main()
