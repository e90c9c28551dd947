"""What was handed in, as it lies in a folder: `<student>/<chapter>/<any name>.ipynb`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from course.errors import ConfigurationError
from graders.judge.chapters import Chapter, chapter_of, named_like
from graders.judge.submission import Unreadable, read
from graders.records.wording import one_line

NOTEBOOKS = (".ipynb", ".ipynb.txt", ".ipynb.json")
ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
IGNORED = (".", "__")
STAMP = "timestamp.txt"  # of nbgrader's exchange
NO_NOTEBOOK = ("submission.none", "submission.archive", "submission.refused")
CODES = {
    "submission.several": "several different notebooks lie in one folder",
    "submission.link": "the file is a link, and links are not followed",
    "submission.refused": "the file could not be taken from the download, or is no notebook",
    "submission.archive": "there is only an archive, which nobody has unpacked",
    "submission.none": "there is no notebook",
    "submission.other_chapter": "the notebook is another chapter's than its folder",
}


@dataclass(frozen=True, slots=True)
class Submission:
    """One submission: where it lies, or why there is nothing to be judged.

    Attributes:
        student: the name of the student's folder.
        chapter: the name of the chapter; empty when nobody knows.
        path: the notebook; None when there is none that can be judged.
        attempt: 1 for the first that was handed in.
        code: why it cannot be judged; empty when it can. `message` says it in a sentence.
    """

    student: str
    chapter: str
    path: Path | None = None
    attempt: int = 1
    code: str = ""
    message: str = ""

    @property
    def key(self) -> tuple[str, str, int]:
        """Whose it is, of which chapter, and which attempt."""
        return self.student, self.chapter, self.attempt


def submissions(folder: Path, chapters: Sequence[Chapter]) -> list[Submission]:
    """Everything in the folder, by student; what is there twice or is no notebook is told.

    Raises:
        ConfigurationError: there is no such folder, or nothing in it.
    """
    if not folder.is_dir():
        raise ConfigurationError(
            f"{folder} is no folder: give one with a folder for each student, "
            "or make it with python -m graders collect"
        )
    found = [each for student in _folders(folder) for each in _told(student, chapters)]
    if not found:
        raise ConfigurationError(
            f"{folder} holds no folder of a student: python -m graders collect {folder} makes some"
        )
    return found


def loose(folder: Path) -> list[str]:
    """What lies beside the folders of students, and is nobody's: notebooks, archives, links."""
    return [
        path.name
        for path in sorted(folder.iterdir())
        if not path.name.startswith(IGNORED)
        and (path.name.lower().endswith((*NOTEBOOKS, *ARCHIVES)) or path.is_symlink())
    ]


def _told(student: Path, chapters: Sequence[Chapter]) -> list[Submission]:
    """What a student handed in; a folder without notebooks beside others is not told."""
    found = list(_of_student(student, chapters))
    placed = [each for each in found if each.chapter or each.code not in NO_NOTEBOOK]
    return placed or found[:1]


def _of_student(student: Path, chapters: Sequence[Chapter]) -> Iterator[Submission]:
    names = {each.name for each in chapters}
    places = [*_folders(student)]
    for place in places:
        yield _of_folder(student.name, place.name if place.name in names else "", place, chapters)
    if _notebooks(student) or not places:
        yield _of_folder(student.name, "", student, chapters)


def _of_folder(student: str, chapter: str, folder: Path, chapters: Sequence[Chapter]) -> Submission:
    notebooks = _notebooks(folder) or _deeper(folder)
    different = {_digest(path): path for path in reversed(notebooks)}
    named = [path for path in notebooks if path.name == f"{folder.name}.ipynb"]
    if links := [path for path in notebooks if path.is_symlink()]:
        said = f"{one_line(links[0].name)} is a link: links are not followed"
        return Submission(student, chapter, code="submission.link", message=said)
    if len(different) > 1 and not named:
        listed = ", ".join(sorted(one_line(path.name) for path in notebooks))
        said = f"there are several notebooks, leave the one that counts: {listed}"
        return Submission(student, chapter, code="submission.several", message=said)
    if not notebooks:
        return _nothing(student, chapter, folder)
    path = named[0] if named else next(iter(different.values()))
    return Submission(student, chapter or _by_content(path, folder, chapters), path)


def _nothing(student: str, chapter: str, folder: Path) -> Submission:
    if any(path.name.lower().endswith(ARCHIVES) for path in folder.iterdir()):
        said = "there is only an archive: unpack it with python -m graders collect"
        return Submission(student, chapter, code="submission.archive", message=said)
    files = (path.name for path in sorted(folder.iterdir()) if path.is_file())
    if others := [name for name in files if not name.startswith(IGNORED) and name != STAMP]:
        said = f"there is no notebook, but {one_line(others[0])}"
        return Submission(student, chapter, code="submission.refused", message=said)
    said = "there is no notebook in the folder"
    return Submission(student, chapter, code="submission.none", message=said)


def _by_content(path: Path, folder: Path, chapters: Sequence[Chapter]) -> str:
    """The chapter that a notebook in a folder of another name is of."""
    try:
        return chapter_of(read(path), folder.name, chapters).name
    except Unreadable:
        named = named_like(path.stem, chapters) or named_like(folder.name, chapters)
        return named.name if named else ""


def _folders(folder: Path) -> Iterable[Path]:
    paths = (path for path in sorted(folder.iterdir()) if path.is_dir() and not path.is_symlink())
    return (path for path in paths if not path.name.startswith(IGNORED))


def _notebooks(folder: Path) -> list[Path]:
    paths = (path for path in sorted(folder.iterdir()) if not path.name.startswith(IGNORED))
    return [
        path for path in paths
        if path.name.lower().endswith(NOTEBOOKS) and (path.is_symlink() or path.is_file())
    ]  # fmt: skip


def _deeper(folder: Path) -> list[Path]:
    """The notebooks in the folders of a folder that holds none itself."""
    return [path for each in _folders(folder) for path in _notebooks(each) or _deeper(each)]


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return str(path)
