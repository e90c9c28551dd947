"""Release: every chapter of solutions/ becomes a student's notebook in notebooks/."""

from __future__ import annotations

import filecmp
import json
import logging
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from course.notebook.chapters import chapters as read_chapters
from course.notebook.front import front_page
from course.notebook.show import html_bundle
from graders.exercises import exercises_of

ROOT = Path(__file__).resolve().parent.parent
HOME = "index.ipynb"
FORMER = "graders/former"
"""Where the cells of former releases are kept, in a folder for each number."""

NUMBER = "0.7"
"""Of the release, as its notebooks carry it. Raise it when a term begins: the next release then
keeps the cells that were given out before, and hand-ins of that number are judged by them."""

KEEP = "keep-output"
"""The tag of a cell whose output a release keeps."""
CONFIG = "graders/nbgrader_config.py"
PLAYED = re.compile(r"\bplay(?:_hidden)?\(\s*[\"']([\d.]+)")


class ReleaseError(Exception):
    """The release was refused or failed; the message says why and what to do."""


@dataclass(frozen=True)
class Difference:
    """One file of a release that is not as it should be.

    Attributes:
        path: relative to ``notebooks/``.
        kind: ``missing``, ``changed`` or ``stray`` (its chapter's source holds no such file).
    """

    path: Path
    kind: str

    def __str__(self) -> str:
        return f"{self.path}: {self.kind}"


def chapters(root: Path = ROOT) -> list[str]:
    """List the chapters that ``solutions/`` holds, in order."""
    return sorted({path.parent.name for path in (root / "solutions").glob("*/*.ipynb")})


def load_config(root: Path = ROOT) -> Any:
    """Read the course's nbgrader settings for the course at ``root`` as a traitlets ``Config``."""
    from traitlets.config.loader import PyFileConfigLoader

    return PyFileConfigLoader(str(root / CONFIG)).load_config()


def generate(target: Path, root: Path = ROOT) -> None:
    """Let nbgrader release every chapter of ``root`` into the folder ``target``.

    The gradebook is not touched.

    Raises:
        ReleaseError: nbgrader refused a chapter; what it said is in the message.
    """
    from nbgrader.converters import GenerateAssignment  # type: ignore[import-untyped]
    from nbgrader.coursedir import CourseDirectory  # type: ignore[import-untyped]

    for chapter in chapters(root):
        config = load_config(root)
        config.CourseDirectory.release_directory = str(target)
        config.SaveCells.enabled = False  # with no_database below: what --no-db means
        course = CourseDirectory(config=config)
        course.assignment_id = chapter
        converter = GenerateAssignment(coursedir=course, config=config)
        converter.no_database = True
        _run(converter, chapter)
    write_home(target, root / "solutions" / HOME)


def write_home(target: Path, source: Path) -> None:
    """Write the page of all chapters, whose table stands in the output of its tagged cell.

    Args:
        target: a folder that the chapters were released into.
        source: the page as its author wrote it; without one nothing is written.
    """
    if not source.exists():
        return
    book = nbformat.read(source, as_version=4)  # type: ignore[no-untyped-call]
    markup, plain = front_page(read_chapters(target))
    for cell in book.cells:
        if KEEP in cell.metadata.get("tags", []):
            shown = html_bundle(markup, plain)
            cell.outputs = [nbformat.v4.new_output("display_data", shown)]  # type: ignore[no-untyped-call]
    nbformat.write(book, target / HOME)  # type: ignore[no-untyped-call]


def compare(made: Path, kept: Path) -> list[Difference]:
    """Compare a fresh release with what ``notebooks/`` holds; files git ignores do not count."""
    fresh, old = set(_files(made)), set(_files(kept))
    changed = {path for path in fresh & old if not _same(made / path, kept / path)}
    found = [Difference(path, "missing") for path in fresh - old]
    found += [Difference(path, "changed") for path in changed]
    found += [Difference(path, "stray") for path in old - fresh]
    return sorted(found, key=lambda each: each.path)


def check(root: Path = ROOT) -> list[Difference]:
    """Release into a temporary folder and say what differs from ``notebooks/``; writes nothing."""
    with tempfile.TemporaryDirectory() as made:
        generate(Path(made), root)
        return compare(Path(made), root / "notebooks")


def release(root: Path = ROOT) -> list[Difference]:
    """Bring ``notebooks/`` up to date with ``solutions/``.

    Only files that differ are written, so nothing else in a chapter's folder is lost (nbgrader's
    own ``--force`` would empty it).

    Returns:
        What was changed.

    Raises:
        ReleaseError: there are uncommitted changes, a check has no data, or nbgrader refused a
            chapter. `notebooks/` is as it was.
    """
    refuse_when_dirty(root)
    refuse_without_data(root)
    with tempfile.TemporaryDirectory() as made:
        generate(Path(made), root)
        differences = compare(Path(made), root / "notebooks")
        keep_former(root)
        for each in differences:
            _apply(each, Path(made), root / "notebooks")
    return differences


def keep_former(root: Path = ROOT) -> None:
    """Keep the cells of notebooks that carry another number than this release, without outputs."""
    for path in sorted((root / "notebooks").glob("*/*.ipynb")):
        book = json.loads(path.read_text(encoding="utf-8"))
        number = (book["metadata"].get("switchboard") or {}).get("release", NUMBER)
        if number == NUMBER:
            continue
        for cell in book["cells"]:
            about = cell["metadata"].get("nbgrader")
            cell["metadata"] = {"nbgrader": about} if about else {}
            cell.pop("attachments", None)
            if cell["cell_type"] == "code":
                cell |= {"outputs": [], "execution_count": None}
        target = root / FORMER / number / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(book, ensure_ascii=False, indent=0)
        target.write_text(text + "\n", encoding="utf-8")


def refuse_when_dirty(root: Path) -> None:
    """Refuse when ``notebooks/`` or ``solutions/`` hold something that git does not have yet.

    Raises:
        ReleaseError: there is such a file, or no git to ask.
    """
    command = ["git", "status", "--porcelain", "-uall", "--", "notebooks", "solutions"]
    try:
        asked = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        raise ReleaseError(
            f"{root} is no git checkout, so nothing would bring back what a release overwrites"
        ) from None
    dirty = [line[3:] for line in asked.stdout.splitlines()]
    if dirty:
        more = f" and {len(dirty) - 1} more" if len(dirty) > 1 else ""
        raise ReleaseError(
            f"not committed yet: {dirty[0]}{more}; commit it or put it aside, then release"
        )


def refuse_without_data(root: Path) -> None:
    """Refuse when check cells and `graders/exercises` do not agree on exercises and points.

    Raises:
        ReleaseError: there is such a cell, or its points are not the data's, or data has no cell;
            or a source is no notebook.
    """
    for chapter in chapters(root):
        for path in sorted((root / "solutions" / chapter).glob("*.ipynb")):
            try:
                book = json.loads(path.read_text(encoding="utf-8"))
                faults = list(_faults(book, chapter))
            except (ValueError, KeyError, TypeError) as trouble:  # edited or merged by hand
                raise ReleaseError(f"{path.relative_to(root)} is no notebook: {trouble}") from None
            if faults:
                raise ReleaseError(f"{chapter}: {'; '.join(faults)}")


def _faults(book: dict[str, Any], chapter: str) -> Iterator[str]:
    """What check cells and exercises as data do not agree on."""
    try:
        data = {each.number: each.points for each in exercises_of(chapter[:2])}
    except Exception as trouble:  # whatever their author wrote
        place = f"graders/exercises/ch{chapter[:2]}"
        yield f"{place} cannot be loaded: {type(trouble).__name__}: {trouble}"
        return
    played = set()
    for cell in book["cells"]:
        about = cell.get("metadata", {}).get("nbgrader") or {}
        if not about.get("grade"):
            continue
        for number in dict.fromkeys(PLAYED.findall("".join(cell["source"]))):
            played.add(number)
            if number not in data:
                yield f"exercise {number} is checked, and graders/exercises has none of this number"
            elif about.get("points") != data[number]:
                yield (
                    f"exercise {number} has {about.get('points')} points in its check cell and "
                    f"{data[number]:g} in graders/exercises"
                )
    yield from (
        f"exercise {each} is judged, and no cell checks it" for each in data if each not in played
    )


def _run(converter: Any, chapter: str) -> None:
    """Run one converter, keeping what it logs for the case that it fails."""
    log = _Lines()
    # nbgrader's converters log to traitlets' logger; its lines matter only when something fails.
    logger = logging.getLogger("traitlets")
    level, handlers = logger.level, list(logger.handlers)
    logger.handlers[:] = [log]
    logger.setLevel(logging.INFO)
    try:
        converter.start()
    except Exception as trouble:
        raise ReleaseError(f"{chapter}: {log.fault() or trouble}") from trouble
    finally:
        logger.handlers[:] = handlers
        logger.setLevel(level)


class _Lines(logging.Handler):
    """Keeps the errors that were logged."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    def fault(self) -> str:
        """Return the last line of what went wrong first."""
        told = [line.strip().splitlines()[-1] for line in self.lines if line.strip()]
        return next((line for line in told if "Error" in line), told[0] if told else "")


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and not any(part.startswith((".", "__")) for part in relative.parts):
            yield relative


def _same(one: Path, other: Path) -> bool:
    return filecmp.cmp(one, other, shallow=False)


def _apply(difference: Difference, made: Path, kept: Path) -> None:
    target = kept / difference.path
    if difference.kind == "stray":
        target.unlink()
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(made / difference.path, target)
