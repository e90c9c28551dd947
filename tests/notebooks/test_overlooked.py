"""A stub that still stands although an answer was typed: the check says why, where it can know."""

from collections.abc import Callable, Iterator

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from course.notebook.overlooked import said_of, stale_in
from tests.notebooks import kit

WORDS = "Exercise 1.3 not attempted yet"
STUB = f"async def solve(calls):\n    raise NotImplementedError('{WORDS}')"
LAST = "the cell that was run before this one"


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("async def solve(calls):\n    return (1", f"{LAST} has a syntax error in line 2"),
        ("async def slove(calls):\n    return 1", f"{LAST} defines `slove`, and wanted is `solve`"),
        ("1 / 0\ndef solve(calls): ...", f"{LAST} ended in an error before `solve` was there"),
        ("get_ipython().run_cell_magic('time', '', 'def slove(calls): ...')", ""),  # who knows
        ("def ring(line): ...", ""),  # a cell of the chapter's
        ("print(1", ""),
        (STUB, ""),
    ],
)
def test_what_the_last_cell_lacked_is_said(cell: str, said: str) -> None:
    assert said_of(["start()", STUB, cell], WORDS).startswith(said)
    assert bool(said_of(["start()", STUB, cell], WORDS)) == bool(said)


def test_without_a_stub_nothing_is_known() -> None:
    assert said_of(["start()", "def slove(calls): ..."], WORDS) == ""
    assert said_of([], WORDS) == ""


RIGHT = "def solve(calls):\n    return calls"
BROKEN = "def solve(calls):\n    return (calls"


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([STUB, RIGHT, BROKEN], True),
        ([STUB, RIGHT, BROKEN, "print(1)", "print(solve(1"], True),
        ([STUB, BROKEN], True),
        ([STUB, RIGHT, BROKEN, RIGHT], False),
        ([STUB, RIGHT, BROKEN, "solve = sorted"], False),
        ([STUB, RIGHT, "def other(calls):\n    return (solve(calls)"], False),
        ([STUB, RIGHT, "print(solve(1"], False),
        ([STUB], False),
        ([], False),
    ],
)
def test_an_answer_that_did_not_compile_is_not_judged_by_the_one_before(
    cells: list[str], said: bool
) -> None:
    for names in ((), ("solve",)):
        told = stale_in(cells, WORDS, names)
        assert bool(told) == said
        assert not said or "syntax error in line 2" in told


@pytest.fixture(scope="module")
def run(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[NotebookNode], NotebookNode]]:
    folder = tmp_path_factory.mktemp("overlooked")
    with kit.kernel(folder, allow=(*kit.OUTCOMES, "SyntaxError")) as kernel:
        yield kernel


@pytest.mark.parametrize("checking", ['play("1.3", answer_calls)', 'with check("1.3 x"):\n    f()'])
def test_both_kinds_of_checks_say_it_however_often_they_are_run(
    checking: str, run: Callable[[NotebookNode], NotebookNode]
) -> None:
    stub = "def answer_calls(calls, tools):\n    raise NotImplementedError('" + WORDS + "')"
    first = "from course.notebook import check, start\nfrom graders.exercises import play\nstart()"
    right = "def answer_calls(calls, tools):\n    return []"
    broken = "def answer_calls(calls, tools:"
    misspelt = "def answer_cals(calls, tools): ..."
    begin = [first, f"{stub}\nf = lambda: answer_calls(1, 2)"]
    book = kit.chapter()
    book.cells = [
        new_code_cell(each)
        for each in (*begin, misspelt, checking, right, broken, checking, checking)
    ]
    ran = run(book)
    said = {3: "defines `answer_cals`", 6: "syntax error in line 1", 7: "not judged"}
    for place, words in said.items():
        [untouched] = kit.errors(ran.cells[place])
        assert untouched.ename == "NotAttempted"
        assert words in untouched.evalue
