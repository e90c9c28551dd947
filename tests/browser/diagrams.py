"""Draw the chapters' diagrams for pages without a network: `python -m tests.browser.diagrams`.

JupyterLab draws them, as in a chapter; `graders.diagrams` puts them on a page.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Sequence
from pathlib import Path

from nbformat.v4 import new_markdown_cell, new_notebook
from PIL import Image

from graders.diagrams import DRAWN, SCALE, diagrams, place
from tests.browser.lab import Chapter, browse, serve
from tests.notebooks import kit

SOURCES = "() => [...document.querySelectorAll('.jp-RenderedMermaid img')].map(each => each.src)"


def of_chapters() -> list[str]:
    """The diagrams of all chapters, each once."""
    paths = sorted((kit.ROOT / "solutions").glob("*/*.ipynb"))
    return list(dict.fromkeys(text for path in paths for text in diagrams(kit.read(path))))


def drawn(texts: Sequence[str]) -> list[bytes]:
    """Mermaid texts as PNG, through which the page is seen."""
    cells = [new_markdown_cell(f"```mermaid\n{text.rstrip()}\n```") for text in texts]
    with tempfile.TemporaryDirectory() as folder:
        root, state = Path(folder, "notebooks"), Path(folder, "state")
        state.mkdir()
        kit.write(new_notebook(cells=cells, metadata={"kernelspec": kit.KERNELSPEC}),
                  root / "all.ipynb")  # fmt: skip
        with serve(root, state) as server, browse() as browser:
            page = browser.new_page(device_scale_factor=SCALE)
            page.goto(server.address("all.ipynb"))
            Chapter(page).wait_until_ready()
            page.wait_for_function(f"({SOURCES})().length == {len(texts)}")
            pictures = []
            for source in page.evaluate(SOURCES):
                page.set_content(f'<img src="{source}">')
                pictures.append(page.locator("img").screenshot(omit_background=True))
            return [_smaller(each) for each in pictures]


def _smaller(png: bytes) -> bytes:
    """The picture with few colours: grey, and what smooths its lines."""
    few = Image.open(io.BytesIO(png)).quantize(12, Image.Quantize.FASTOCTREE)
    made = io.BytesIO()
    few.save(made, "PNG", optimize=True)
    return made.getvalue()


def main() -> None:
    """Draw what has changed, and remove what no chapter has any more."""
    texts = of_chapters()
    DRAWN.mkdir(exist_ok=True)
    for kept in set(DRAWN.glob("*.png")) - {place(text) for text in texts}:
        kept.unlink()
    fresh = [text for text in texts if not place(text).exists()]
    for text, png in zip(fresh, drawn(fresh) if fresh else (), strict=True):
        place(text).write_bytes(png)
    size = sum(kept.stat().st_size for kept in DRAWN.glob("*.png"))
    print(f"{len(fresh)} drawn, {len(texts)} in all, {size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
