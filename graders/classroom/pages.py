"""What goes back to students: a page each, and all of them in a zip that the LMS takes."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from course.terminal import plain
from graders.classroom.grades import Grade
from graders.classroom.lms_names import read_part
from graders.classroom.private import make_folder
from graders.feedback import feedback_page
from graders.records.report import Report
from graders.records.whole import whole, write

FOLDER = "feedback"
ZIP = "feedback.zip"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # in a zip: two runs give the same bytes


def write_pages(grades: Sequence[Grade], out: Path) -> dict[Path, Grade]:
    """Write `feedback/<student>/<chapter>.html` for each that handed in; returns them all."""
    written = {}
    for each in grades:
        result = each.result
        if result.status == "missing":
            continue
        report = result.report or Report(result.file, result.chapter)
        if result.status == "ungraded":
            report = replace(report, code=result.code, message=result.message, exercises=())
        path = out / FOLDER / result.student / f"{result.chapter or 'unknown'}.html"
        make_folder(path.parent, out)
        write(path, feedback_page(report, list(_facts(each))))
        written[path] = each
    return written


def write_zip(pages: dict[Path, Grade], out: Path) -> Path:
    """The pages as one zip, each named as the LMS named what it answers; else by student."""
    path = out / ZIP
    taken: set[str] = set()
    with whole(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for page, grade in sorted(pages.items()):
            own = f"{grade.result.student}/{page.name}"
            name = _as_handed_in(page, grade) or own
            name = own if name in taken else name
            taken.add(name)
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), page.read_bytes())
    return path


def _facts(grade: Grade) -> Iterator[tuple[str, str]]:
    result, found = grade.result, grade.collected
    yield "student", grade.person.get("name") or result.student
    if result.attempt > 1 or (found and found.attempt > 1):
        yield "attempt", str(found.attempt if found else result.attempt)
    if found and found.submitted_at:
        yield "handed in", found.submitted_at
    if result.score is None:
        return
    for cell, given in grade.by_hand.items():
        name = cell.rpartition("_")[2]
        yield name, "not read yet" if given is None else f"{given:g} points"
    for cell, said in grade.comments.items():
        yield f"on {cell}", said
    if grade.penalty:
        yield "late", f"{grade.penalty:g} points less"
    if grade.final is not None and (grade.penalty or grade.by_hand):
        yield "in all", f"{grade.final:g} of {grade.max:g} points"


def _as_handed_in(page: Path, grade: Grade) -> str:
    """As the LMS has named what it answers, but for the student's own word; empty where it did not.

    Moodle finds the student by the number in "Full Name_123_assignsubmission_file_", Canvas by the
    first two in "lastfirst_101_5006_" (its `infer_comment_context_from_filename`).
    """
    part = grade.collected.lms_part if grade.collected else ""
    named = read_part(part)
    if named is None or not (named.system == "moodle" or (named.system == "canvas" and named.rest)):
        return ""
    told = part.removesuffix(named.rest) if named.rest else f"{part}/"
    return plain(f"{told}{page.name}", keep="", mark="_")
