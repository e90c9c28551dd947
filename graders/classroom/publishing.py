"""`python -m graders publish`: grades, the LMS's own file, pages for students, and an overview."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from course.errors import ConfigurationError
from graders.chapters import asked
from graders.classroom import settings as rules
from graders.classroom.collected import ROSTER
from graders.classroom.gradebook import empty_texts, give_zero
from graders.classroom.grades import Grade, grades_of, write_grades
from graders.classroom.grading import alone
from graders.classroom.lms_files import fill
from graders.classroom.lms_names import Lms
from graders.classroom.overview import write_overview
from graders.classroom.pages import write_pages, write_zip
from graders.classroom.results import Results
from graders.classroom.roster import Roster, read_roster
from graders.classroom.saying import say, tell
from graders.classroom.similar import write_similar

DONE, INCOMPLETE = 0, 3


@dataclass(frozen=True, slots=True)
class Call:
    """What `publish` was asked for.

    Attributes:
        out: the folder of the class.
        lms: whose file is filled.
        template: that file, as it was exported; None: none is.
        chapter: the only one that the LMS's file and the zip are of; "" for all.
        zipped: whether the feedback goes into a zip as well.
        similar: whether pairs that are too alike are looked for.
        names: whether the overview names students.
        comments: whether Moodle's empty comments are filled.
        overwrite: whether grades and comments in the LMS's file that are not ours are replaced.
        empty_is_zero: whether texts that were left empty get 0 points.
    """

    out: Path
    lms: Lms = "csv"
    template: Path | None = None
    chapter: str = ""
    zipped: bool = False
    similar: bool = False
    names: bool = False
    comments: bool = False
    overwrite: bool = False
    empty_is_zero: bool = False


def publish(call: Call) -> int:
    """Write everything that goes out.

    Returns:
        0, or 3 when something has no final points yet.

    Raises:
        ConfigurationError: nothing was graded, or the template does not fit.
    """
    if (call.template is None) != (call.lms == "csv"):
        raise ConfigurationError("--lms canvas and --lms moodle go together with --template")
    with alone(call.out):
        return _publish(call)


def _publish(call: Call) -> int:
    chapter = asked(call.chapter)
    made, odd = rules.settings(Path(rules.FILE))
    for line in odd:
        _say(line)
    results = list(Results(call.out).standing().values())
    if not results:
        raise ConfigurationError(f"nothing was graded in {call.out}: python -m graders grade first")
    path = call.out / ROSTER
    roster = read_roster(path)[0] if path.exists() else Roster()
    grades = grades_of(results, call.out, roster, made)
    empty = empty_texts([(each.result, each.waiting) for each in grades], call.out)
    if empty and call.empty_is_zero:
        give_zero(empty, call.out, made.gradebook)
        grades = grades_of(results, call.out, roster, made)
    elif empty:
        _say(f"{len(empty)} texts that wait are empty: --empty-is-zero gives them 0 points")
    results = [each.result for each in grades]  # of several attempts the one that counts
    written = [write_grades(grades, call.out)]
    pages = write_pages(grades, call.out)
    if call.zipped:
        some = {at: each for at, each in pages.items() if chapter in ("", each.result.chapter)}
        written.append(write_zip(some, call.out))
    written.append(write_overview(grades, call.out, names=call.names))
    if call.similar:
        handed_in = (each.collected for each in grades if each.collected)
        groups = {(each.student, each.chapter): each.group for each in handed_in}
        path, count = write_similar(results, call.out, groups)
        _say(f"{count} pairs of submissions are alike: look at them yourself")
        written.append(path)
    if call.template is not None:
        filled = fill(
            call.template, call.lms, grades, roster, call.out,
            columns=made.columns, chapter=chapter, comments=call.comments,
            overwrite=call.overwrite,
        )  # fmt: skip
        written.append(filled.path)
        for line in (*filled.lines, f"{filled.cells} grades for {filled.rows} students filled in"):
            _say(line)
    tell("\n".join(str(each) for each in written))
    tell(f"{len(pages)} pages in {call.out / 'feedback'}")
    return _told(grades)


def _told(grades: Sequence[Grade]) -> int:
    waiting = [each for each in grades if each.waiting]
    ungraded = [each for each in grades if each.result.status == "ungraded"]
    if waiting:
        _say(f"{len(waiting)} wait for a person to read {', '.join(waiting[0].waiting)}")
    if ungraded:
        _say(f"{len(ungraded)} are ungraded, and have no points in any file")
    return INCOMPLETE if waiting or ungraded else DONE


def _say(line: str) -> None:
    say("publish", line)
