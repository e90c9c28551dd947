"""docs/authoring.md works one exercise to its end: here it is taken from the page and tried."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from graders.exercises.contracts import read
from tests.grading import answers, one
from tests.notebooks import kit

PAGE = (kit.ROOT / "docs/authoring.md").read_text(encoding="utf-8")
WORKED = PAGE.partition("## One exercise, worked to its end")[2].partition("\n## The ")[0]
CODE = re.findall(r"```python\n(.*?)```", WORKED, re.DOTALL)
NUMBER = "2.7"
RUFF = (sys.executable, "-m", "ruff", "--quiet", "--config", str(kit.ROOT / "pyproject.toml"))
SPOILED = {
    "its cells": lambda made: replace(made, book=new_notebook()),
    "its contract": lambda made: with_answers(made, wrong=made.answers.wrong[1:]),
    "answers enough": lambda made: with_answers(made, right=made.answers.right[:2]),
    "its own solution": lambda made: with_source(made, "async def cheapest(shops, article): ..."),
    "unsolved": lambda made: with_source(made, "async def cheapest(shops, article):\n    return 1"),
    "right and wrong answers": lambda made: with_answers(made, wrong=made.answers.right),
}


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> one.Draft:
    """The exercise of the page."""
    heading, hints, contract = re.findall(r"```markdown\n(.*?)```", WORKED, re.DOTALL)
    given, solution, check, trial, data = CODE
    module = ModuleType("worked")
    monkeypatch.setitem(sys.modules, "worked", module)
    exec(compile(data, "docs/authoring.md", "exec"), module.__dict__)
    [told, _] = re.findall(r"```text\n(.*?)```", WORKED, re.DOTALL)
    own = "\n".join(line for line in solution.splitlines() if " SOLUTION" not in line)
    book = new_notebook(
        cells=[
            new_code_cell(given),
            new_markdown_cell(heading),
            new_code_cell(solution, metadata={"nbgrader": mark("ex_2_7")}),
            new_code_cell(check, metadata={"nbgrader": mark("ex_2_7_check", 2)}),
            new_markdown_cell(hints),
            new_code_cell(trial),
        ]
    )
    rows = read(contract, "02.md")[NUMBER]
    exercise = replace(
        module.CHEAPEST, contract=tuple(row.sentence(module.CHEAPEST.trials) for row in rows)
    )
    return one.Draft(exercise, book, answers.read(told, f"{NUMBER}.txt", own))


def mark(name: str, points: int = 0) -> dict[str, Any]:
    about = {"grade_id": name, "schema_version": 3, "task": False, "solution": not points}
    return {**about, "grade": bool(points), "locked": bool(points), "points": points}


def with_answers(made: one.Draft, **changed: answers.Told) -> one.Draft:
    return replace(made, answers=replace(made.answers, **changed))


def with_source(made: one.Draft, source: str) -> one.Draft:
    cells = [
        new_code_cell(source, metadata=cell.metadata) if kit.grade_id(cell) == "ex_2_7" else cell
        for cell in made.book.cells
    ]
    return replace(made, book=new_notebook(cells=cells))


def test_the_exercise_of_the_page_is_whole(worked: one.Draft) -> None:
    found = dict(one.faults(worked))
    assert found == {name: [] for name, _, _ in one.STEPS}
    shown = re.findall(r"^✓ 2\.7 (.*)$", PAGE, re.MULTILINE)
    assert shown == list(found)


def test_what_the_page_lays_out_is_clean(tmp_path: Path) -> None:
    path = tmp_path / "page.py"
    path.write_text(CODE[-1], encoding="utf-8")
    subprocess.run([*RUFF, "format", str(path)], check=True)
    told = subprocess.run(
        [*RUFF, "check", "--stdin-filename", "graders/exercises/ch02/cheapest.py", "-"],
        input=path.read_text(encoding="utf-8"),
        cwd=kit.ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stdout


@pytest.mark.parametrize("step", SPOILED)
def test_what_is_missing_is_told_with_its_file_and_exercise(step: str, worked: one.Draft) -> None:
    place = next(place for name, place, _ in one.STEPS if name == step)
    assert dict(one.faults(worked, step)) == {step: []}
    [(_, found)] = one.faults(SPOILED[step](worked), step)
    assert found
    assert found[0].startswith(f"{worked.files[place]}, {NUMBER}: ")


def test_an_exercise_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert one.main(["3.17"]) == 2
    assert "graders/exercises/ch03 has 3.1, " in capsys.readouterr().err


def test_trials_that_a_row_leaves_open_are_filled_in(worked: one.Draft, tmp_path: Path) -> None:
    contract = re.findall(r"```markdown\n(.*?)```", WORKED, re.DOTALL)[-1]
    page = tmp_path / "02.md"
    page.write_text(
        re.sub(r"\| [ \d]+ \|$", "|  |", contract, flags=re.MULTILINE), encoding="utf-8"
    )
    assert one.fill(worked, page)
    assert page.read_text(encoding="utf-8") == contract
    assert not one.fill(worked, page)
