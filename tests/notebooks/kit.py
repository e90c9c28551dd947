"""A small chapter made in code, a course around it, and ways to run and change it.

Chapter 90 has two exercises of the five cells, a saved definition, a trace and a diagram: enough
for every rule about notebooks to hold, and to be broken one at a time.
"""

from __future__ import annotations

import copy
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course.observability.diagrams import LOOK

ROOT = Path(__file__).resolve().parents[2]
CHAPTER = "90_fixture"
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
OUTCOMES = ("NotImplementedError", "NotAttempted", "CheckFailed")
AFRESH = "import gc\n\ngc.freeze()\n%reset -f"
GIT = ("git", "-c", "user.name=t", "-c", "user.email=t@example.invalid")

INTRO = f"""# 90 · A chapter to test with

Does a small chapter pass every rule?

```mermaid
{LOOK}
flowchart LR
    accTitle: A request and its answer
    accDescr: An arrow from a request to its answer.
    request --> answer
```
"""
START = "from course.notebook import check, progress, show_solution, show_trace, start\n\nstart()"
SAVED = '''def signed(outcome: str) -> str:
    """Return the sign of an outcome.

    Built in chapter 90.
    """
    return {"passed": "✓", "failed": "✗"}.get(outcome, "○")'''
TRACED = """import asyncio

from course import clock
from course.trace import Trace, span

run = Trace("fixture")


async def answer() -> None:
    with span("invoke_agent", "front desk"), span("chat", "small"):
        await asyncio.sleep(0.5)


with run.record():
    clock.simulate(answer())
show_trace(run)"""


def exercise(
    number: str, title: str, stub: str, solution: str, visible: str, hidden: str, points: int
) -> list[NotebookNode]:
    """Build the five cells of one exercise."""
    name = f"ex_{number.replace('.', '_')}"
    body = "\n".join(f"    {line}" for line in solution.splitlines())
    heading = (
        f"### Exercise {number} · {title}\n\nDifficulty 1 of 5 (●○○○○) · Importance 2 of 5 (●●○○○)"
        f" · about 5 minutes · {points} points\n\n- gets: `x`, a number\n- returns: a number\n"
        "- raises: nothing"
    )
    checks = (
        f'with check("{number} {visible[0]}", seconds=2):\n    {visible[1]}\n'
        f"### BEGIN HIDDEN TESTS\n"
        f"from graders.records.wording import shown\n{hidden}\n### END HIDDEN TESTS"
    )
    hints = (
        "<details><summary>Help - I don't know where to start</summary>\n\nStart at the return."
        "\n\n</details>\n\n<details><summary>Hint - first line</summary>\n\n`return`\n\n</details>"
        "\n\n<details><summary>What you should see</summary>\n\nOne line with ✓.\n\n</details>"
    )
    mark = {"schema_version": 3, "task": False}
    return [
        _cell("markdown", f"{name}_text", heading),
        _cell(
            "code",
            name,
            f"{stub}\n    ### BEGIN SOLUTION\n{body}\n    ### END SOLUTION",
            nbgrader={**mark, "grade": False, "grade_id": name, "locked": False, "solution": True},
        ),
        _cell(
            "code",
            f"{name}_check",
            checks,
            nbgrader={
                **mark,
                "grade": True,
                "grade_id": f"{name}_check",
                "locked": True,
                "points": points,
                "solution": False,
            },
        ),
        _cell("markdown", f"{name}_help", hints),
        _cell("code", f"{name}_try", "# Try it: any number will do.\nprint(3 + 4)"),
    ]


def chapter() -> NotebookNode:
    """Return the chapter's source, without outputs."""
    cells = [
        _cell("markdown", "intro", INTRO),
        _cell("code", "start", START),
        _cell("markdown", "heading_trace", "## A trace"),
        _cell("code", "trace", TRACED, tags=["keep-output"]),
        _cell("markdown", "heading_saved", "## A definition of the package"),
        _cell("code", "saved", SAVED, tags=["save"]),
        _cell("markdown", "heading_exercises", "## Exercises"),
        *exercise(
            "90.1",
            "Double",
            'def double(x: float) -> float:\n    """Return twice `x`."""',
            "return 2 * x",
            ("doubles", 'assert double(2) == 4, f"expected 4, got {double(2)}"'),
            'with check("90.1 more numbers"):\n'
            '    assert double(-3) == -6, "double(-3): got " + shown(double(-3))',
            points=2,
        ),
        *exercise(
            "90.2",
            "Square",
            'async def square(x: float) -> float:\n    """Return `x` times `x`."""',
            "return x * x",
            ("squares", 'assert await square(3) == 9, "expected 9"'),
            'with check("90.2 more numbers"):\n    assert await square(-3) == 9, "expected 9"',
            points=3,
        ),
        _cell("markdown", "heading_summary", "## Summary\n\nIt does."),
        _cell("code", "progress", "progress()", tags=["nbval-ignore-output"]),
    ]
    return new_notebook(cells=cells, metadata={"kernelspec": KERNELSPEC})


def make_course(root: Path, book: NotebookNode | None = None, name: str = CHAPTER) -> Path:
    """Lay out a course of one chapter at ``root``, as a git checkout; return ``root``."""
    (root / "graders").mkdir(parents=True)
    shutil.copy(ROOT / "graders" / "nbgrader_config.py", root / "graders")
    shutil.copy(ROOT / ".gitignore", root)
    (root / "notebooks").mkdir()
    write(book or chapter(), root / "solutions" / name / f"{name}.ipynb")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    commit(root)
    return root


def commit(root: Path) -> None:
    """Commit all that there is."""
    subprocess.run([*GIT, "add", "-A"], cwd=root, check=True)
    command = [*GIT, "commit", "-q", "--allow-empty", "-m", "all"]
    subprocess.run(command, cwd=root, check=True)


def read(path: Path) -> NotebookNode:
    """Read a notebook."""
    return nbformat.read(path, as_version=4)


def write(book: NotebookNode, path: Path) -> Path:
    """Write a notebook, with the folders it needs, and return where."""
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, path)
    return path


@contextmanager
def kernel(
    folder: Path, *, allow: tuple[str, ...] = ()
) -> Iterator[Callable[[NotebookNode], NotebookNode]]:
    """Start a kernel in ``folder``; what comes of it runs a copy of a notebook, with its outputs.

    One that runs after another there finds none of its names, but what both import is loaded, and
    no collection looks through it again. Any error whose name is not in ``allow`` ends the run with
    ``CellExecutionError``.
    """
    client = NotebookClient(
        new_notebook(),
        timeout=180,
        kernel_name="python3",
        allow_error_names=list(allow),
        resources={"metadata": {"path": str(folder)}},
    )

    def run(book: NotebookNode) -> NotebookNode:
        client.nb = copy.deepcopy(book)
        client.nb.cells.insert(0, new_code_cell(AFRESH))
        client.reset_execution_trackers()
        for place, cell in enumerate(client.nb.cells):
            client.execute_cell(cell, place)
        del client.nb.cells[0]
        return client.nb

    with TemporaryDirectory() as own, client.setup_kernel(env=os.environ | {"TMPDIR": own}):
        yield run


def execute(book: NotebookNode, folder: Path, *, allow: tuple[str, ...] = ()) -> NotebookNode:
    """Run a copy of ``book`` on a kernel of its own; as ``kernel`` does."""
    with kernel(folder, allow=allow) as run:
        return run(book)


def by_id(book: NotebookNode, name: str) -> NotebookNode:
    """Return the cell with this grade id, or else with this cell id."""
    for cell in book.cells:
        if name in (grade_id(cell), cell.id):
            return cell
    raise KeyError(name)


def grade_id(cell: NotebookNode) -> str:
    """Return a cell's grade id, or an empty text."""
    return cell.metadata.get("nbgrader", {}).get("grade_id", "")


def errors(cell: NotebookNode) -> list[NotebookNode]:
    """Return what went wrong in an executed cell."""
    return [each for each in cell.get("outputs", []) if each.output_type == "error"]


def _cell(kind: str, name: str, source: str, **metadata: object) -> NotebookNode:
    new = new_code_cell if kind == "code" else new_markdown_cell
    return new(source, id=name.replace(".", "_"), metadata=metadata)
