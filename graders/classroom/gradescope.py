"""Gradescope: an autograder of one chapter as a zip, and the results.json that it writes.

Source: Gradescope, "Autograder specifications": `setup.sh` and `run_autograder` in the zip's root;
submissions in /autograder/submission, results in /autograder/results/results.json.
"""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from course.errors import ConfigurationError
from graders.chapters import released
from graders.classroom.saying import tell
from graders.classroom.submitted import NOTEBOOKS
from graders.feedback import findings
from graders.judge.judge import judge
from graders.judge.proof import doubt
from graders.records.report import ExerciseReport, Report
from graders.records.whole import whole, write
from graders.release import ROOT

SOURCES = ("course/", "graders/", "pyproject.toml", "binder/requirements.txt", "LICENSE",
           "LICENSE-text.md", "README.md")  # fmt: skip
SETUP = """#!/usr/bin/env bash
# Once, when Gradescope builds the container: Python 3.11, bubblewrap, and the kit in a venv.
set -euo pipefail
apt-get update
apt-get install -y python3.11 python3.11-venv bubblewrap
cd /autograder/source
python3.11 -m venv .venv
.venv/bin/pip install --no-cache-dir --require-hashes -r binder/requirements.txt
.venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation -e .
.venv/bin/python -m graders doctor || true
"""
RUN = """#!/usr/bin/env bash
# For each submission. Without a box nothing is judged, and Gradescope says that this failed.
set -euo pipefail
cd /autograder/source
exec .venv/bin/python -m graders gradescope-run /autograder/submission \\
    /autograder/results/results.json
"""
_EPOCH = (1980, 1, 1, 0, 0, 0)  # two runs give the same bytes


def write_autograder(chapter: str, path: Path, root: Path = ROOT) -> int:
    """Write the zip to upload under "Configure Autograder"; returns 0.

    It has the kit and this chapter's notebook, with your hidden seeds and without solutions.

    Raises:
        ConfigurationError: there is no such chapter, no git to ask, or no place for the zip.
    """
    names = [each.name for each in released() if chapter in (each.name, each.name[:2])]
    if not names:
        listed = ", ".join(each.name for each in released())
        raise ConfigurationError(f"there is no chapter {chapter}; there are {listed}")
    try:
        asked = subprocess.run(
            ["git", "ls-files", "-z", *SOURCES, f"notebooks/{names[0]}"],
            cwd=root, capture_output=True, text=True, check=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        raise ConfigurationError(f"{root} is no git checkout: nobody knows its files") from None
    files = [name for name in asked.stdout.split("\0") if (root / name).is_file()]
    files += [name for name in ("graders/seeds.toml",) if (root / name).is_file()]
    try:
        with whole(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in (("setup.sh", SETUP), ("run_autograder", RUN)):
                about = zipfile.ZipInfo(name, _EPOCH)
                about.external_attr = 0o755 << 16
                archive.writestr(about, text, zipfile.ZIP_DEFLATED)
            for name in sorted(set(files)):
                about = zipfile.ZipInfo(name, _EPOCH)
                archive.writestr(about, (root / name).read_bytes(), zipfile.ZIP_DEFLATED)
    except OSError as trouble:
        raise ConfigurationError(f"cannot write {path}: {trouble.strerror}") from None
    tell(f"{path}: {names[0]}, {len(files)} files of the kit, no solutions")
    return 0


def run_autograder(folder: Path, path: Path) -> int:
    """Judge the one notebook in a folder and write results.json; returns 0.

    Raises:
        ConfigurationError: no box works here, a right answer does not get full marks, or
            results.json cannot be written.
    """
    found = sorted(each for each in folder.rglob("*") if each.name.lower().endswith(NOTEBOOKS))
    if len(found) == 1:
        with judge(chapters=released()) as ready:
            report = ready.submission(found[0])
            for chapter in released():
                if chapter.name == report.chapter and (told := doubt(ready, chapter)):
                    raise ConfigurationError(told)
        results = results_of(report)
    else:
        told = f"hand in one notebook: {len(found)} were found"
        results = {"score": 0.0, "output": told, "tests": []}
    try:
        write(path, json.dumps(results, indent=1))
    except OSError as trouble:
        raise ConfigurationError(f"cannot write {path}: {trouble.strerror}") from None
    return 0


def results_of(report: Report) -> dict[str, Any]:
    """A report as Gradescope reads it: a test for each exercise, which every student may see."""
    if report.code:
        return {"score": 0.0, "output": f"{report.message} ({report.code})", "tests": []}
    return {
        "output": "\n".join(report.notes),
        "visibility": "visible",
        "tests": [
            {
                "name": each.number,
                "score": each.score,
                "max_score": each.max_score,
                "status": "passed" if each.score == each.max_score else "failed",
                "output": "\n".join(_lines(each)),
                "visibility": "visible",
            }
            for each in report.exercises
        ],
    }


def _lines(exercise: ExerciseReport) -> Iterator[str]:
    for found in findings(exercise.trials):
        yield f"{'✗' if found.sign == 'not yet' else '○'} {found.titles[0]}: {found.message}"
    yield from (f"✓ {each.title}" for each in exercise.trials if each.verdict.passed)
