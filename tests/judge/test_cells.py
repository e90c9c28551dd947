"""Which cells an exercise needs, and boxes that are made one ahead."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from graders.box import Box, Limits, Parent
from graders.judge.boxes import FRESH, OneAhead
from graders.judge.cells import Cell, code_cells, needed
from graders.judge.reading import read_code
from graders.judge.rebuild import rebuild


def book(*sources: str | NotebookNode) -> NotebookNode:
    cells = [
        new_code_cell(each, id=f"c{n}") if isinstance(each, str) else each
        for n, each in enumerate(sources)
    ]
    return new_notebook(cells=cells)


def kept(*sources: str, names: tuple[str, ...] = ("f",), given: tuple[str, ...] = ()) -> list[str]:
    """The names of the cells that are needed when all of them are the release's."""
    released = book(*sources)
    return [cell.name for cell in needed(code_cells(released, released), names, given)]


@pytest.mark.parametrize(
    ("sources", "wanted"),
    [
        (("def f(): return g()", "def g(): return 1", "def h(): return f()"), ["1", "2"]),
        (("x = 1", "y = x", "f = y", "z = 3"), ["1", "2", "3"]),
        (("import a.b as g", "from c import (d, e as k)", "def f(): g(k)"), ["1", "2", "3"]),
        (("import a.b", "def f(): a.b.c()"), ["1", "2"]),
        (("g = 1", "def f():\n    g = 2\n    return g"), ["2"]),
        (("g = 1", "def f(g): return g"), ["2"]),
        (("g = 1", "def f():\n    def h(): return g\n    return h"), ["1", "2"]),
        (("g = 1", "class f:\n    x: 'g' = None"), ["1", "2"]),
        (("g = 1", "def f(x: 'list[g]') -> None: ..."), ["1", "2"]),
        (("g = 1", "def f(x: g) -> None: ..."), ["1", "2"]),
        (("def set_g():\n    global g\n    g = 1", "set_g()", "def f(): return g"), ["1", "3"]),
        (("g = await h()", "h = 1", "async def f(): return [x async for x in g]"), ["1", "2", "3"]),
        (("from os import *", "f = 1", "x = 2"), ["1", "2"]),
        (("f = 1", "f += 1", "print(f)"), ["1", "2"]),
        (("%%bash\nf = 1", "%matplotlib inline\nf = 2"), ["2"]),
        (("%%time\nf = 1", "f?\ng = !ls", "%time f = 2", "print(f)"), ["1", "3"]),
        (("def broken(:", "f = 1"), ["2"]),
    ],
)
def test_a_cell_is_needed_for_the_names_it_makes(sources: tuple[str, ...], wanted: Any) -> None:
    assert kept(*sources) == wanted


def test_what_is_given_needs_no_cell() -> None:
    assert kept("def g(): return h", "h = 1", "def f(): g()", given=("g",)) == ["3"]


def test_a_later_solution_or_demonstration_gives_no_helper_another_value() -> None:
    answers = {"ex_1_1": "def help(): ...\ndef f(): help()", "ex_1_2": "help = h = 1"}
    cells = [
        Cell(place, source, True, place, read_code(source)) for place, source in answers.items()
    ]
    assert [cell.name for cell in needed(cells, ["f"])] == ["ex_1_1"]
    assert [cell.name for cell in needed(cells, ["h"])] == ["ex_1_2"]
    shown = Cell("9", "for help in (1, 2): print(help)", False, reading=read_code("help = 1"))
    assert [cell.name for cell in needed([cells[0], shown], ["f"])] == ["ex_1_1"]
    own = Cell("ex_1_1", "def f(): h", True, "ex_1_1", read_code("def f(): h"))
    assert [cell.name for cell in needed([own, cells[1]], ["f"])] == ["ex_1_1", "ex_1_2"]


def test_of_a_cell_that_is_not_needed_its_future_remains() -> None:
    released = book("from __future__ import annotations\nimport big", "def f(): ...")
    cells = needed(code_cells(released, released), ["f"])
    assert [cell.source for cell in cells] == [
        "from __future__ import annotations",
        "def f(): ...",
    ]


def marked(source: str, *, tags: tuple[str, ...] = (), **about: Any) -> NotebookNode:
    metadata = {"tags": list(tags), **({"nbgrader": about} if about else {})}
    return new_code_cell(source, metadata=metadata, id="m" + str(abs(hash(source)) % 9999))


def test_checks_are_never_run_and_things_to_try_only_where_nobody_else_makes_a_name() -> None:
    released = book(
        marked("f = 'solution'", grade_id="ex_1_1", solution=True, grade=False, locked=False),
        marked("f = 'check'", grade_id="ex_1_1_check", solution=False, grade=True, locked=True),
        marked("f = 'locked'", grade_id="x", solution=False, grade=False, locked=True),
        marked("f = 'try'", tags=("try",)),
        marked("f = 'saved'", tags=("save",)),
        new_markdown_cell("f = 'prose'"),
    )
    released.cells.append(marked("g = 'tried'", tags=("try",)))
    cells = needed(code_cells(released, released), ["f", "g"])
    assert [(cell.source[5:-1], cell.own, cell.grade_id) for cell in cells] == [
        ("solution", True, "ex_1_1"),
        ("saved", False, ""),
        ("tried", False, ""),
    ]


def own_cells(*sources: str) -> list[Cell]:
    return code_cells(book(*sources), book("released = 0"))


def test_a_students_own_statement_about_a_needed_name_is_needed() -> None:
    sources = ("f = []", "f.append(1)", "g = 2", "print(g)")
    assert [cell.name for cell in needed(own_cells(*sources), ["f"])] == ["1", "2"]


def solution(source: str, id: str) -> NotebookNode:
    mark = {"nbgrader": {"grade_id": "ex", "solution": True}}
    return new_code_cell(source, id=id, metadata=mark)


STUB = "def f():\n    raise NotImplementedError"
RELEASED = (
    "import math",
    "seen = slow()",
    solution(STUB, "ex"),
    "from graders.exercises import play\nplay('1.1', f)",
    new_code_cell("f()", id="try", metadata={"tags": ["try"]}),
    "import json",
    "def g():\n    return json",
)
MINE = "def f():\n    return g(math)"


@pytest.mark.parametrize(
    "merged",
    [
        book("import math\nseen = slow()", solution(MINE, "ex"), "def g():\n    return json"),
        book(solution(f"import math\nseen = slow()\n{MINE}\nplay('1.1', f)\nf()", "ex")),
        book(solution(f"from graders.exercises import play as p\n{MINE}\np('1.1', f)", "ex")),
        book(new_code_cell(f"f()\nimport math\nseen = slow()\n{MINE}\nimport json", id="try")),
    ],
    ids=["demonstrations", "with the solution", "with a check", "with a thing to try"],
)
def test_what_was_released_stays_so_in_whichever_cell_it_is_put(merged: NotebookNode) -> None:
    released = book(*RELEASED)
    run = needed(code_cells(rebuild(released, merged), released), ["f"])
    text = [cell.source.strip() for cell in run]
    assert {"import math", "import json", "def g():\n    return json"} <= set(text)
    assert any(MINE in each for each in text)
    assert not any("slow" in each or each == "f()" for each in text)
    assert not any("graders" in each and MINE in each for each in text)


def test_a_students_own_cell_is_not_needed_for_what_everybody_has() -> None:
    sources = ("def f(x): return list(map(g, x))", "g = 1", "print(list(1 for _ in forever))")
    assert [cell.name for cell in needed(own_cells(*sources), ["f"])] == ["1", "2"]
    made = ("list = []", "list.append(1)", "def f(): return list")
    assert [cell.name for cell in needed(own_cells(*made), ["f"])] == ["1", "2", "3"]


def test_a_students_own_cell_that_does_not_parse_is_run_to_be_named() -> None:
    assert [cell.name for cell in needed(own_cells("f = 1", "def broken(:"), ["f"])] == ["1", "2"]


@pytest.mark.parametrize(
    "source",
    [
        "-" * 100_000 + "1",
        "[" * 100_000,
        "x" + ".y" * 50_000,
        "1+" * 50_000 + "1",
        "f(" * 50_000,
        "x: '" + "-" * 100_000 + "1'",
        "if x: pass\n" + "elif y: pass\n" * 10_000,
        "@a\n" * 50_000 + "def f(): pass",
        "x = 1\0",
        "x = 9" + "9" * 100_000,
    ],
)
def test_no_text_is_too_odd_to_be_looked_at(source: str) -> None:
    cells = own_cells(source, "f = 1")
    assert "2" in [cell.name for cell in needed(cells, ["f"])]


class _Parent:
    """Counts the boxes that are open."""

    def __init__(self, *, several: bool) -> None:
        self.several = several
        self.made = 0
        self.open: list[int] = []

    @contextmanager
    def box(self, limits: Limits | None = None) -> Iterator[Box]:
        self.made += 1
        number = self.made
        self.open.append(number)
        yield cast(Box, number)
        self.open.remove(number)


LIMITS = Limits()


def test_the_next_box_is_made_while_one_is_in_use() -> None:
    parent = _Parent(several=True)
    boxes = OneAhead(cast(Parent, parent), LIMITS)
    for number in (1, 2, 3):
        with boxes.box() as box:
            assert (box, parent.open) == (number, [number, number + 1])
        assert parent.open == [number + 1]
    boxes.close()
    assert parent.open == []


def test_where_boxes_would_meet_none_is_made_ahead() -> None:
    parent = _Parent(several=False)
    boxes = OneAhead(cast(Parent, parent), LIMITS)
    with boxes.box(LIMITS):
        assert parent.open == [1]
    boxes.close()
    assert (parent.open, parent.made) == ([], 1)


def test_a_box_that_waited_for_long_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    parent = _Parent(several=True)
    boxes = OneAhead(cast(Parent, parent), LIMITS)
    with boxes.box():
        pass
    monkeypatch.setattr("graders.judge.boxes.FRESH", -FRESH)
    with boxes.box() as box:
        assert box == 3
    boxes.close()


def test_other_limits_get_a_box_of_their_own() -> None:
    parent = _Parent(several=True)
    boxes = OneAhead(cast(Parent, parent), LIMITS)
    with boxes.box(Limits(wall_seconds=1)):
        assert parent.open == [1]
    assert parent.open == []
