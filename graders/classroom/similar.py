"""Pairs of submissions whose solutions are too alike to have come about apart.

By winnowing (Schleimer, Wilkerson, Aiken, "Winnowing: local algorithms for document
fingerprinting", SIGMOD 2003), as copydetect has it: names and comments do not count, and what the
release and the reference solution have is taken off. It finds pairs to look at, and proves nothing.
"""

from __future__ import annotations

import ast
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import nbformat
import numpy as np

from course.errors import ConfigurationError
from graders.chapters import released
from graders.classroom.csv_cells import write_table
from graders.classroom.results import Result
from graders.judge.rebuild import rebuild
from graders.judge.submission import read
from graders.release import ROOT

FILE = "similar.csv"
ALIKE = 0.8
LEAST = 2  # exercises of a pair that are so alike
TOKENS, WINDOW = 12, 4
SHORTEST = 40  # characters of a fingerprinted solution: below that everybody's is alike
Solutions = Mapping[str, str]


def write_similar(
    results: Iterable[Result], out: Path, groups: Mapping[tuple[str, str], str] | None = None
) -> tuple[Path, int]:
    """Write `similar.csv`: pairs that are alike in at least two exercises; and how many they are.

    Args:
        groups: by student and chapter the group that handed in together, whose members are alike.

    Raises:
        ConfigurationError: copydetect is not installed.
    """
    rows: list[tuple[str, str, str, int, float, str]] = []
    graded = [each for each in results if each.status == "graded"]
    for chapter in released():
        mine = [each for each in graded if each.chapter == chapter.name]
        if len(mine) < 2:
            continue
        own = _solutions(chapter.released)
        path = ROOT / "solutions" / chapter.name / f"{chapter.name}.ipynb"
        known: list[Solutions] = [own]
        if path.exists():
            known.append(_solutions(nbformat.read(path, as_version=4)))  # type: ignore[no-untyped-call]
        handed_in = {
            each.student: _solutions(rebuild(chapter.released, read(_submitted(each, out))))
            for each in mine
            if _submitted(each, out).exists()
        }
        group = {name: (groups or {}).get((name, chapter.name)) for name in handed_in}
        for pair, found in pairs(handed_in, known):
            if group[pair[0]] and group[pair[0]] == group[pair[1]]:
                continue
            rows.append((chapter.name, *pair, len(found), max(found.values()), " ".join(found)))
    path = out / FILE
    rows.sort(key=_alikest)
    write_table(path, ("chapter", "student", "other", "exercises", "most", "which"), rows)
    return path, len(rows)


def pairs(
    handed_in: Mapping[str, Solutions], known: Sequence[Solutions], *, least: int = LEAST
) -> Iterator[tuple[tuple[str, str], dict[str, float]]]:
    """Pairs of students, and how alike each solution is that is more alike than it should be.

    Args:
        handed_in: for each student the solution cells, by grade id.
        known: solution cells that all may share: the release's, the reference's.
        least: in how many exercises.
    """
    prints: dict[str, dict[str, Any]] = defaultdict(dict)
    for student, solutions in sorted(handed_in.items()):
        for name, source in solutions.items():
            shared = [_bare(each[name]) for each in known if name in each]
            made = _fingerprint(_bare(source), [text for text in shared if text])
            if made is not None:
                prints[name][student] = made
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for name, by in prints.items():
        for one, other in combinations(by, 2):
            share = _alike(by[one], by[other])
            if share >= ALIKE:
                found[one, other][name] = round(share, 2)
    yield from ((pair, each) for pair, each in found.items() if len(each) >= least)


def _fingerprint(source: str, shared: Sequence[str]) -> Any:
    try:
        from copydetect import CodeFingerprint  # type: ignore[import-untyped]
    except ImportError:
        raise ConfigurationError(
            "--similar needs copydetect: pip install 'switchboard-course[similar]'"
        ) from None
    boilerplate: list[Any] = []
    for text in shared:
        made = CodeFingerprint("known.py", TOKENS, WINDOW, fp=io.StringIO(text), language="python")
        boilerplate.extend(made.hashes)
    known: Any = np.unique(np.array(boilerplate)) if boilerplate else []
    made = CodeFingerprint(
        "own.py", TOKENS, WINDOW, boilerplate=known, fp=io.StringIO(source), language="python"
    )
    return made if made.token_coverage >= SHORTEST else None


def _alike(one: Any, other: Any) -> float:
    """The smaller share of both that the other has too, from 0 to 1."""
    from copydetect import compare_files

    _, shares, _ = compare_files(one, other)
    return float(min(shares))


def _solutions(book: Any) -> dict[str, str]:
    marks = ((cell.metadata.get("nbgrader", {}), cell) for cell in book.cells)
    return {
        str(about["grade_id"]): str(cell.source)
        for about, cell in marks
        if about.get("solution") and cell.cell_type == "code"
    }


def _bare(source: str) -> str:
    """The code without docstrings; as it is where it does not parse."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not (isinstance(body, list) and body and isinstance(body[0], ast.Expr)):
            continue
        if isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str):
            body[0] = ast.Pass()
    return ast.unparse(tree)


def _alikest(row: tuple[str, str, str, int, float, str]) -> tuple[int, float, tuple[str, ...]]:
    return -row[3], -row[4], row[:3]


def _submitted(each: Result, out: Path) -> Path:
    return out / "autograded" / each.student / each.chapter / f"{each.chapter}.ipynb"
