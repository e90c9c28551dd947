"""Whole submissions of a small chapter: whatever is handed in, there is a report."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from nbformat import NotebookNode, writes
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course.errors import ConfigurationError
from graders.chapters import released
from graders.checks import by_argument, parallel, raises
from graders.feedback import feedback_page, report_text
from graders.judge.chapters import Chapter
from graders.judge.judge import Judge, judge, judge_submission
from graders.judge.submission import MOST_CELLS
from graders.records.report import Report
from graders.records.scenario import Exercise, Scenario, Trial
from graders.records.verdict import Check, Verdict, not_yet, passed
from tests.judge.boxes import strongest
from tests.judge.stages import world
from tests.notebooks import kit

GOOD = """
async def fan_out(look_up, names):
    return await asyncio.gather(*(look_up(name=name) for name in names))
"""
STUB = """
async def fan_out(look_up, names):
    raise NotImplementedError("Exercise 9.1 not attempted yet")
"""
COUNT = """
async def count(look_up, names):
    return len(await fan_out(*(look_up(name=name) for name in names)))
"""
COUNT_STUB = """
async def count(look_up, names):
    raise NotImplementedError("Exercise 9.2 not attempted yet")
"""


def solution(name: str, source: str) -> NotebookNode:
    about = {"grade_id": name, "solution": True, "locked": False, "grade": False}
    return new_code_cell(source, metadata={"nbgrader": about}, id=name)


def check_cell() -> NotebookNode:
    about = {"grade_id": "ex_9_1_check", "solution": False, "locked": True, "grade": True}
    source = "raise SystemExit('a check was run')"
    return new_code_cell(source, metadata={"nbgrader": about}, id="four")


def names(random: Random) -> Scenario:
    return world(*random.sample(["Ann", "Ben", "Cem", "Dov", "Eva", "Fay"], 4))


def built(scenario: Scenario) -> list[Check]:
    def check(log: Any) -> Verdict:
        right = log.result == [call.reply for call in log.calls()]
        return passed() if right else not_yet("content.invented", "expected what came back")

    return [check]


RUN = """
async def stage(bench, student):
    return await student.{}(bench.tool("look_up").function, bench.params["names"])
"""
FAILING = """
async def stage(bench, student):
    return await student.fan_out(bench.tool("look_up").function, ["nobody"])
"""
EXERCISES = (
    Exercise(
        "9.1",
        ("fan_out",),
        (
            Trial("returns what came", RUN.format("fan_out"), names, built, 2.0),
            Trial(
                "asks all at once",
                RUN.format("fan_out"),
                names,
                lambda scenario: [parallel(by_argument("name"))],
                3.0,
            ),
            Trial("passes an error on", FAILING, names, lambda _: [raises("ToolError")]),
        ),
    ),
    Exercise(
        "9.2",
        ("count",),
        (
            Trial(
                "counts",
                RUN.format("count"),
                names,
                lambda _: [lambda log: passed() if log.result == 4 else not_yet("no", "no")],
            ),
        ),
        builds_on={"fan_out": "asyncio:gather"},  # what a finished version is, here
    ),
)


def start() -> NotebookNode:
    setup = "from __future__ import annotations\nimport asyncio"
    return new_notebook(
        cells=[
            new_markdown_cell("# A chapter", id="one"),
            new_code_cell(setup, id="two"),
            solution("ex_9_1", STUB),
            check_cell(),
            new_code_cell("1 / 0  # shown, never needed", id="five"),
            new_code_cell("fan_out = None", metadata={"tags": ["try"]}, id="six"),
            solution("ex_9_2", COUNT_STUB),
        ]
    )


CHAPTERS = (Chapter("09_fixture", start(), EXERCISES),)


@pytest.fixture(scope="module")
def ready() -> Iterator[Judge]:
    with judge(box="none", own_work=True, chapters=CHAPTERS) as made:
        yield made


def handed_in(folder: Path, *sources: str, name: str = "09_fixture.ipynb", **changes: str) -> Path:
    """A submission with this solution of 9.1, and further cells after it."""
    book = start()
    book.cells[2].source = sources[0]
    book.cells[6].source = changes.get("count", COUNT)
    book.cells[3:3] = [new_code_cell(source) for source in sources[1:]]
    path = folder / name
    path.write_text(writes(book))  # type: ignore[no-untyped-call]
    return path


def codes(report: Report) -> list[str]:
    return [trial.verdict.code for exercise in report.exercises for trial in exercise.trials]


def first(report: Report) -> Verdict:
    return report.exercises[0].trials[0].verdict


def test_a_right_submission_gets_everything(ready: Judge, tmp_path: Path) -> None:
    report = ready.submission(handed_in(tmp_path, GOOD))
    assert codes(report) == ["ok"] * 4
    assert (report.score, report.max_score) == (7.0, 7.0)
    assert (report.chapter, report.code, report.notes) == ("09_fixture", "", ())


def test_a_stub_is_not_attempted_and_blocks_nothing_else(ready: Judge, tmp_path: Path) -> None:
    report = ready.submission(handed_in(tmp_path, STUB))
    assert codes(report) == ["not_attempted"] * 3 + ["ok"]
    assert first(report).sign == "not attempted"
    assert report.score == 1.0


def test_a_wrong_answer_loses_what_it_misses(ready: Judge, tmp_path: Path) -> None:
    one_by_one = "async def fan_out(l, names):\n    return [await l(name=n) for n in names]"
    report = ready.submission(handed_in(tmp_path, one_by_one))
    assert codes(report)[0] == codes(report)[2] == "ok"
    assert codes(report)[1].startswith("parallel.")
    assert report.exercises[0].trials[1].verdict.evidence
    assert report.score == 4.0


WRONG = {
    "waits for ever": ("await asyncio.Event().wait()", "stalled.forever"),
    "never gives back": ("while True: pass", "blocked.endless_loop"),
    "leaves": ("raise SystemExit(0)", "died.exit"),
    "is gone": ("import os; os._exit(0)", "died.exit"),
    "is killed": ("import os; os.kill(os.getpid(), 11)", "died.killed"),
    "takes too much": ("return bytearray(40_000_000_000)", "died.memory"),
    "writes to the judge": ("import os; os.write(3, b'[]\\n')", "lied.protocol"),
    "asks for ever": (
        "while True: asyncio.create_task(l(name='Ann')); await asyncio.sleep(0)",
        "flood.messages",
    ),
    "gives no data": ("return [l]", "code.no_data"),
    "raises": ("return {}['missing']", "raised.error"),
    "recurses": ("return await fan_out(l, names)", "raised.error"),
    "invents": ("return [name + ' found' for name in names]", "content.invented"),
    "has a faked equality": (
        "return type('All', (list,), {'__eq__': lambda *_: True})(names)",
        "content.invented",
    ),
}


@pytest.mark.usefixtures("few_requests", "impatient")
@pytest.mark.parametrize("name", WRONG)
def test_whatever_a_solution_does_has_a_name(ready: Judge, tmp_path: Path, name: str) -> None:
    statement, code = WRONG[name]
    report = ready.submission(handed_in(tmp_path, f"async def fan_out(l, names):\n    {statement}"))
    assert first(report).code == code
    assert codes(report)[3] == "ok"  # everything else is judged
    assert report.exercises[0].score == 0 or name == "asks for ever"


@pytest.mark.usefixtures("impatient")
def test_an_endless_loop_costs_its_time_once(ready: Judge, tmp_path: Path) -> None:
    spin = "async def fan_out(l, names):\n    while True: pass"
    report = ready.submission(handed_in(tmp_path, spin))
    assert codes(report)[:3] == ["blocked.endless_loop"] * 3
    told = [trial.verdict.message for trial in report.exercises[0].trials]
    assert "while True: pass" in told[0]
    assert all("not played" in each for each in told[1:])


def test_a_cell_with_a_syntax_error_is_named_with_its_line(ready: Judge, tmp_path: Path) -> None:
    report = ready.submission(handed_in(tmp_path, "async def fan_out(l, names)\n    return 1"))
    assert first(report).code == "cell.failed"
    assert "line 1: async def fan_out(l, names)" in first(report).message
    assert "SyntaxError" in report.notes[0]


def test_cells_of_the_students_own_count(ready: Judge, tmp_path: Path) -> None:
    helper = "async def ask(l, name):\n    return await l(name=name)"
    uses = GOOD.replace("look_up(name=name)", "ask(look_up, name)")
    assert codes(ready.submission(handed_in(tmp_path, uses, helper)))[:2] == ["ok", "ok"]


def test_a_cell_of_the_students_own_that_fails_is_noted(ready: Judge, tmp_path: Path) -> None:
    report = ready.submission(handed_in(tmp_path, GOOD, "fan_out.limit = missing"))
    assert codes(report)[:3] == ["ok"] * 3
    assert report.notes == (
        "cell 4: NameError: name 'missing' is not defined (line 1: fan_out.limit = missing)",
    )


def test_copied_cells_count_like_the_notebook_that_runs_them(ready: Judge, tmp_path: Path) -> None:
    path = handed_in(tmp_path, STUB)
    book = json.loads(path.read_text())
    copy = {**book["cells"][2], "source": GOOD, "id": "copy"}
    book["cells"] = [
        *book["cells"][:4],
        book["cells"][3],
        copy,
        book["cells"][3],
        *book["cells"][4:],
    ]
    path.write_text(json.dumps(book))
    assert codes(ready.submission(path))[:3] == ["ok"] * 3


def test_without_its_solution_cell_an_exercise_is_not_attempted(
    ready: Judge, tmp_path: Path
) -> None:
    path = handed_in(tmp_path, GOOD)
    book = json.loads(path.read_text())
    del book["cells"][2]
    path.write_text(json.dumps(book))
    report = ready.submission(path)
    assert codes(report) == ["cell.missing"] * 3 + ["ok"]
    assert first(report).sign == "not attempted"


@pytest.mark.parametrize(
    "change",
    [
        {"metadata": {"tags": ["skip-execution"], "nbgrader": {"grade_id": "ex_9_1", "points": 9}}},
        {"metadata": {"nbgrader": {"grade_id": ["ex_9_1"]}}},
        {"metadata": "none"},
        {"cell_type": "raw"},
        {"id": 7},
        {"source": ["async def fan_out", "(l, names):\n", "    return await asyncio.gather(*("]},
        {"outputs": [{"output_type": "junk"}], "execution_count": "x"},
    ],
)
def test_metadata_counts_for_nothing(ready: Judge, tmp_path: Path, change: dict[str, Any]) -> None:
    path = handed_in(tmp_path, GOOD)
    book = json.loads(path.read_text())
    book["cells"][2].update(change)
    path.write_text(json.dumps(book))
    report = ready.submission(path)
    assert codes(report)[3] == "ok"
    assert report.exercises[0].score in (0.0, 6.0)


UNREADABLE = {
    "not JSON": (b"\x89PNG", "notebook.not_json"),
    "a list": (b"[1, 2]", "notebook.not_json"),
    "no cells": (b'{"cells": 3}', "notebook.not_json"),
    "nothing": (b"", "notebook.not_json"),
    "deep": (b"[" * 100_000, "notebook.not_json"),
    "of another course": (b'{"cells": [{"cell_type": "code"}, 3, null]}', "notebook.other_release"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_notebook_is_a_report_too(ready: Judge, tmp_path: Path, name: str) -> None:
    data, code = UNREADABLE[name]
    path = tmp_path / "handed in.ipynb"
    path.write_bytes(data)
    report = ready.submission(path)
    assert (report.code, report.score, report.max_score) == (code, 0.0, 0.0)
    assert report.message


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_was_to_be_had_stands_beside_a_refusal(
    ready: Judge, tmp_path: Path, name: str
) -> None:
    data, code = UNREADABLE[name]
    path = tmp_path / "Zoë 09_fixture (2).ipynb"
    path.write_bytes(data)
    report = ready.submission(path)
    if code == "notebook.other_release":  # its name says which one it is
        assert codes(report) == ["cell.missing"] * 4
        assert "`fan_out`" in first(report).message
    else:
        assert (report.code, report.chapter) == (code, "09_fixture")
        assert codes(report) == [code] * 4
        assert "0 of 7 points" in report_text(report)
        assert "0 of 7 points" in feedback_page(report)
    assert (report.score, report.max_score) == (0.0, 7.0)


def test_too_many_cells_are_too_many(ready: Judge, tmp_path: Path) -> None:
    path = tmp_path / "09_fixture.ipynb"
    path.write_text(
        json.dumps({"cells": [{"cell_type": "code", "source": "1"}] * (MOST_CELLS + 1)})
    )
    report = ready.submission(path)
    assert report.code == "notebook.too_many_cells"
    assert "3,001 cells and may have 3,000" in report.message
    assert report.max_score == 7.0


def test_a_notebook_of_an_old_windows_editor_is_read(ready: Judge, tmp_path: Path) -> None:
    path = handed_in(tmp_path, GOOD + "# voilà, £5\n")
    book = json.loads(path.read_text())
    path.write_bytes(json.dumps(book, ensure_ascii=False).encode("cp1252"))
    assert ready.submission(path).score == 7.0


def test_a_huge_file_is_not_read(ready: Judge, tmp_path: Path) -> None:
    path = tmp_path / "huge.ipynb"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    report = ready.submission(path)
    assert report.code == "notebook.too_large"
    assert "100 MB" in report.message


def test_a_file_that_is_not_there_is_a_report_too(ready: Judge, tmp_path: Path) -> None:
    assert ready.submission(tmp_path / "gone.ipynb").code == "notebook.missing"
    assert ready.submission(tmp_path).code == "notebook.missing"


@pytest.mark.parametrize(
    "name", ["09_fixture (1).ipynb", "Zoë – ☎ final;rm -rf.ipynb", "-.ipynb", "no extension"]
)
def test_odd_names_are_names(ready: Judge, tmp_path: Path, name: str) -> None:
    report = ready.submission(handed_in(tmp_path, GOOD, name=name))
    assert (report.notebook, report.exercises[0].score) == (name, 6.0)


def test_a_notebook_without_marks_is_known_by_its_name(ready: Judge, tmp_path: Path) -> None:
    path = tmp_path / "09_fixture.ipynb"
    path.write_text('{"cells": []}')
    assert codes(ready.submission(path)) == ["cell.missing"] * 4


def test_the_same_submission_gets_the_same_report(ready: Judge, tmp_path: Path) -> None:
    path = handed_in(tmp_path, GOOD)
    assert ready.submission(path) == ready.submission(path)
    assert json.loads(json.dumps(ready.submission(path, seed=5).to_json()))["score"] == 7.0


def test_progress_is_told_and_output_is_handed_back(ready: Judge, tmp_path: Path) -> None:
    told: list[str] = []
    path = handed_in(tmp_path, "print('hello')\n" + GOOD)
    report = ready.submission(path, progress=told.append)
    assert told == ["9.1", "9.2"]
    assert report.exercises[0].output == "hello\n"
    assert report.exercises[0].score == 6.0


def test_one_call_judges_one_notebook(tmp_path: Path) -> None:
    strongest()
    path = handed_in(tmp_path, GOOD)
    report = judge_submission(path, box="auto", chapters=CHAPTERS)
    assert report.score == 7.0
    with pytest.raises(ConfigurationError):
        judge_submission(path, box="none", chapters=CHAPTERS)


def test_the_courses_own_chapters_are_found() -> None:
    assert [chapter.name for chapter in released()][:2] == ["00_start_here", "01_one_agent"]
    assert "ex_1_2" in released()[1].grade_ids


def test_judging_a_chapter_loads_no_other_ones_exercises_and_no_scenario() -> None:
    program = (
        "import sys; from pathlib import Path; from graders.chapters import released; "
        "from graders.judge.judge import judge_submission; "
        f"book = Path({str(kit.ROOT)!r}, 'notebooks/00_start_here/00_start_here.ipynb'); "
        "judge_submission(book, chapters=released(), box='none', own_work=True); "
        "print(*sys.modules)"
    )
    judged = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    names = judged.stdout.split()
    assert {each[:22] for each in names if each.startswith("graders.exercises.ch")} == {
        "graders.exercises.ch00"
    }
    assert not [each for each in names if each.startswith("course.scenarios")]
