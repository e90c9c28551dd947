"""Made students, graded by nbgrader: what they do to the notebook of the fixture chapter.

With `pytest --long` one is wrong in every other exercise, one in the rest, one in none, and one has
begun nothing; the wrong ones in chapters 01, 05 and 10 too. That an untouched exercise earns
nothing is held for all chapters by test_stubs.py, that a wrong answer fails its check alone by
test_wrong_answers.py.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from graders import release
from graders.exercises import exercises_of
from graders.judge.chapters import Chapter
from graders.judge.judge import judge_submission
from tests.grading.answers import of_chapter
from tests.grading.classroom import Classroom, open_class
from tests.marking import LONG
from tests.notebooks import kit

# nbgrader's own use of its database draws these; nothing in the course can change it.
pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
FIRST = "01_one_agent"
LARGE = [FIRST, *release.chapters()[5::5]]


def first_wrong(chapter: str) -> dict[str, str]:
    """Return one wrong answer for each exercise; the others are judged elsewhere."""
    return {number: each.wrong[0][1] for number, each in of_chapter(chapter[:2]).items()}


def students(chapter: str) -> dict[str, dict[str, str]]:
    """The wrong answers of the student who is wrong in the first exercise, the third and so on, of
    the one who is wrong in the others, or of both.
    """
    wrong = list(first_wrong(chapter).items())
    halves = {"wrong-odd": dict(wrong[0::2]), "wrong-even": dict(wrong[1::2])}
    if chapter == kit.CHAPTER:
        return halves
    turn = tuple(halves)[int(chapter[:2]) % 2]
    return {turn: halves[turn]}


@pytest.fixture(scope="module")
def room(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    """A chapter with all its made students, graded."""
    chapter: str = request.param
    path = kit.ROOT / "solutions" / chapter / f"{chapter}.ipynb"
    book = kit.read(path) if path.exists() else kit.chapter()
    room = open_class(tmp_path_factory.mktemp("class") / "course", chapter, book)
    for student, answers in students(chapter).items():
        room.hand_in(student, room.wrong(answers))
    room.grade_all(students(chapter))
    return room


@LONG
@pytest.mark.parametrize("room", [kit.CHAPTER], indirect=True)
def test_solved_gets_full_marks_and_the_untouched_release_nothing(room: Classroom) -> None:
    room.hand_in("solved", room.solved())
    room.grade("solved")
    assert room.scores("solved") == room.points()
    room.hand_in("untouched", room.released)
    room.grade("untouched")
    assert set(room.scores("untouched").values()) == {0}


@LONG
@pytest.mark.parametrize("room", [kit.CHAPTER, *LARGE], indirect=True)
def test_wrong_answers_lose_exactly_their_exercises(room: Classroom) -> None:
    for student, answers in students(room.chapter).items():
        assert room.scores(student) == {**room.points(), **dict.fromkeys(answers, 0.0)}


# What students do to notebooks. On the fixture chapter; its solution is otherwise right.


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    return open_class(tmp_path_factory.mktemp("class") / "course", kit.CHAPTER, kit.chapter())


def graded(small: Classroom, student: str, change: Callable[..., None], **execute: object) -> float:
    """Hand in a solved notebook after ``change`` and return its points of 5."""
    book = small.solved()
    change(book)
    small.hand_in(student, book)
    small.grade(student, **execute)
    return sum(small.scores(student).values())


def test_what_is_done_to_checks_costs_nothing(small: Classroom) -> None:
    """A word of an answer to stderr, a check that is there twice, and one renamed."""

    def tamper(book: kit.NotebookNode) -> None:
        kit.by_id(
            book, "ex_90_1"
        ).source = (
            "import sys\n\n\ndef double(x):\n    print('!', file=sys.stderr)\n    return 2 * x"
        )
        book.cells.append(kit.by_id(book, "ex_90_1_check").copy())
        kit.by_id(book, "ex_90_2_check").metadata.nbgrader.grade_id = "mine"

    assert graded(small, "tamperer", tamper) == 5


def test_a_skipped_check_is_run_all_the_same(small: Classroom) -> None:
    def skip(book: kit.NotebookNode) -> None:
        for name in ("ex_90_1", "ex_90_2"):
            kit.by_id(book, name).source = "pass"
            kit.by_id(book, f"{name}_check").metadata.tags = ["skip-execution"]

    assert graded(small, "skipper", skip) == 0


def test_a_cell_that_awaits_for_ever_costs_that_cell_and_feedback_shows_no_hidden_check(
    small: Classroom,
) -> None:
    """A check that was deleted is back, too."""

    def hang(book: kit.NotebookNode) -> None:
        kit.by_id(book, "ex_90_1").source = "def double(x):\n    return 4"
        kit.by_id(book, "ex_90_1_try").source = "import asyncio\nawait asyncio.sleep(1000)"
        book.cells.remove(kit.by_id(book, "ex_90_2_check"))

    def seconds(cell: kit.NotebookNode) -> int:
        return 2 if "sleep(1000)" in cell.source else 300

    # Its time is up, then the kernel is interrupted: what comes after must still be graded.
    graded(small, "sleeper", hang, timeout_func=seconds)
    assert small.scores("sleeper") == {**small.points(), "90.1": 0}
    page = small.feedback("sleeper")
    assert "double(-3): got 4" in page
    assert "return -6" not in page


def test_a_chapter_never_released_is_named(tmp_path: Path) -> None:
    room = open_class(tmp_path / "course", kit.CHAPTER, kit.chapter())
    book = room.solved()
    (room.root / "notebooks" / kit.CHAPTER / f"{kit.CHAPTER}.ipynb").unlink()
    room.hand_in("early", book)
    with pytest.raises(Exception, match="above failures"):
        room.grade("early")


@LONG
def test_nbgrader_awards_what_the_box_does_for_whole_exercises(
    tmp_path: Path,
) -> None:
    chapter = FIRST
    book = kit.read(kit.ROOT / "solutions" / chapter / f"{chapter}.ipynb")
    room = open_class(tmp_path / "course", chapter, book)
    mixed = room.wrong(
        {
            "1.1": "from course.tools import describe",
            "1.2": first_wrong(chapter)["1.2"],
            "1.3": "import time\n\n\nasync def answer_calls(calls, tools):\n    time.sleep(1)\n"
            "    return [await answer_call(call, tools) for call in calls]",
        }
    )
    room.hand_in("mixed", mixed)
    room.grade_all(["mixed"])
    kit.write(mixed, tmp_path / f"{chapter}.ipynb")
    chapters = [Chapter(chapter, room.released, exercises_of(chapter[:2]))]
    report = judge_submission(tmp_path / f"{chapter}.ipynb", chapters=chapters)
    part = {each.number: each.score for each in report.exercises}
    whole = {each.number: each.score for each in report.counted_by("exercise").exercises}
    assert whole == room.scores("mixed")
    assert whole["1.2"] == 0 < part["1.2"]
    assert whole["1.4"] == part["1.4"] > 0
