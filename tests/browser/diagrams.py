"""Draw the diagrams of chapters and docs: `python -m tests.browser.diagrams`.

JupyterLab draws them, as in a chapter; `graders.diagrams` puts them on pages that need no network.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from nbformat.v4 import new_markdown_cell, new_notebook

from graders.diagrams import DRAWN, FENCE, diagrams, place
from tests.browser.lab import Chapter, browse, serve
from tests.notebooks import kit

SOURCES = "() => [...document.querySelectorAll('.jp-RenderedMermaid img')].map(each => each.src)"


def of_pages() -> list[str]:
    """The diagrams of all chapters and of the docs, each once."""
    paths = sorted((kit.ROOT / "solutions").glob("*/*.ipynb"))
    found = [text for path in paths for text in diagrams(kit.read(path))]
    for page in sorted((kit.ROOT / "docs").rglob("*.md")):
        found += FENCE.findall(page.read_text(encoding="utf-8"))
    return list(dict.fromkeys(found))


def drawn(texts: Sequence[str]) -> list[str]:
    """Mermaid texts as SVG, through which the page is seen."""
    cells = [new_markdown_cell(f"```mermaid\n{text.rstrip()}\n```") for text in texts]
    with tempfile.TemporaryDirectory() as folder:
        root, state = Path(folder, "notebooks"), Path(folder, "state")
        state.mkdir()
        kit.write(new_notebook(cells=cells, metadata={"kernelspec": kit.KERNELSPEC}),
                  root / "all.ipynb")  # fmt: skip
        with serve(root, state) as server, browse() as browser:
            page = browser.new_page()
            page.goto(server.address("all.ipynb"))
            Chapter(page).wait_until_ready()
            page.wait_for_function(f"({SOURCES})().length == {len(texts)}")
            return [_lean(unquote(each.partition(",")[2])) for each in page.evaluate(SOURCES)]


def _lean(svg: str) -> str:
    """A drawing as wide as it is, without what no browser reads: entities, data, fine decimals."""
    svg = re.sub(r"^\s*<\?xml.*?\?>\s*<!DOCTYPE.*?\]>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r' data-[a-z-]+="[^"]*"', "", svg)
    svg = re.sub(r"(\d\.\d)\d+", r"\1", svg)
    return re.sub(r' width="100%"(.*?viewBox="\S+ \S+ (\S+))', r' width="\2"\1', svg, count=1)


def main() -> None:
    """Draw what has changed, and remove what no page has any more."""
    texts = of_pages()
    DRAWN.mkdir(exist_ok=True)
    for kept in set(DRAWN.iterdir()) - {place(text) for text in texts}:
        kept.unlink()
    fresh = [text for text in texts if not place(text).exists()]
    for text, svg in zip(fresh, drawn(fresh) if fresh else (), strict=True):
        place(text).write_text(svg, encoding="utf-8")
    size = sum(kept.stat().st_size for kept in DRAWN.iterdir())
    print(f"{len(fresh)} drawn, {len(texts)} in all, {size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
