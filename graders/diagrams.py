"""Diagrams on pages that `jupyter nbconvert` makes: drawn beforehand, so that no network is needed.

JupyterLab draws Mermaid itself; a page would load a program for it from elsewhere. The drawings are
files under nbconvert/diagrams, made by `python -m tests.browser.diagrams`.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

from nbconvert.preprocessors import Preprocessor

from course.markup import Markup, fill
from course.notebook.show import html_bundle

DRAWN = Path(__file__).parent / "nbconvert" / "diagrams"
KIND = "text/vnd.mermaid"
FENCE = re.compile(r"^```mermaid\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TOLD = re.compile(r"^\s*acc(?:Title|Descr):\s*(.*)$", re.MULTILINE)


def diagrams(book: Any) -> list[str]:
    """The Mermaid texts of a notebook, in cells and in what they show."""
    found = []
    for cell in book.cells:
        if cell.cell_type == "markdown":
            found += FENCE.findall(cell.source)
        found += [
            output.data[KIND]
            for output in cell.get("outputs", [])
            if KIND in output.get("data", {})
        ]
    return found


def place(diagram: str) -> Path:
    """Where the drawing of a Mermaid text is kept."""
    return DRAWN / f"{hashlib.sha256(diagram.strip().encode()).hexdigest()[:12]}.svg"


def picture(diagram: str) -> Markup | None:
    """The drawing as an ``<img>``, None where there is none."""
    kept = place(diagram)
    if not kept.exists():
        return None
    data = base64.b64encode(kept.read_bytes()).decode("ascii")
    return fill('<img alt="{}" src="data:image/svg+xml;base64,{}">', told(diagram), data)


def told(diagram: str) -> str:
    """What a diagram says, for those who do not see it."""
    return " ".join(_TOLD.findall(diagram)) or "A diagram of what the cell above made."


class Drawn(Preprocessor):
    """Puts drawings in the place of Mermaid texts; a text that has none stays."""

    def preprocess_cell(self, cell: Any, resources: Any, index: int) -> tuple[Any, Any]:
        """As nbconvert asks for each cell."""
        if cell.cell_type == "markdown":
            cell.source = FENCE.sub(lambda found: picture(found[1]) or found[0], cell.source)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if drawing := picture(data.get(KIND, "")):
                del data[KIND]
                data.update(html_bundle(drawing, data.get("text/plain", "")))
        return cell, resources
