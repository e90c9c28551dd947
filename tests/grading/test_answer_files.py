"""An answer is read as it is meant, and one that cannot be is told with its line."""

import pytest

from graders.exercises import exercises_of
from tests.grading.answers import FOLDER, AnswerError, Answers, read
from tests.notebooks import kit

OWN = "def add(a, b):\n    c = a + b\n\n    return c\n"


def test_every_file_belongs_to_an_exercise() -> None:
    known = {each.number for n in range(14) for each in exercises_of(f"{n:02}")}
    numbers = {path.stem for path in FOLDER.glob("*")}
    assert {each for each in numbers if not each.startswith(kit.CHAPTER[:2])} <= known


def test_an_answer_is_whole_or_differs_from_the_solution_or_from_another() -> None:
    told = """\
== right: at once
def add(a, b):
    return a + b
== wrong: takes away
-    c = a + b
+    c = a - b
== wrong: says one more, in words
 def add(a, b):
+    a += 1
...
-    return c
+    return str(c)
== wrong: doubles
== of: at once
-    return a + b
+    return 2 * (a + b)
"""
    assert read(told, "0.9.txt", OWN) == Answers(
        wrong=[
            ("takes away", OWN.replace("+", "-")),
            (
                "says one more, in words",
                "def add(a, b):\n    a += 1\n    c = a + b\n\n    return str(c)\n",
            ),
            ("doubles", "def add(a, b):\n    return 2 * (a + b)\n"),
        ],
        right=[("at once", "def add(a, b):\n    return a + b\n")],
    )


def test_a_projects_answer_says_of_which_one_it_is_what_it_is_told_and_what_falls_with_it() -> None:
    told = """\
== wrong: takes away
== of: plain
== says: expected 3
== also: 11.4 11.6
-x = 1
+x = 2
"""
    assert read(told, "11.1.txt", "", {"plain": "x = 1\n"}) == Answers(
        wrong=[("takes away", "x = 2\n")],
        says={"takes away": "expected 3"},
        also={"takes away": ("11.4", "11.6")},
    )


@pytest.mark.parametrize(
    ("told", "fault"),
    [
        ("def add(a, b): ...", "0.9.txt:1: write == wrong: or == right:"),
        ("== odd: one\nx = 1", "0.9.txt:1: write"),
        ("== wrong: one\n== wrong: two\nx = 1", "0.9.txt:2: write"),
        ("== wrong: one", "0.9.txt:2: write"),
        ("== wrong: one\n-    c = a - b\n+    c = 1", "0.9.txt:2: what it changes stands 0 times"),
        ("== wrong: one\n-    c = a + b\n+    c = 1\n...\n- \n+x", "0.9.txt:5: what it changes"),
        ("== wrong: one\n+    c = 1", "0.9.txt:2: what it changes stands no times"),
        ("== wrong: one\n-    c = a + b\nc = 1", "0.9.txt:2: begin each line with"),
        ("== wrong: one\n-    return c\n...\n-    c = a + b", "0.9.txt:4: in the chapter's sol"),
        ("== wrong: one\nx = 1\n== right: one\nx = 2", "0.9.txt:3: there is another answer"),
        ("== wrong: one\n== of: two\n-x", "0.9.txt:2: no answer further up is called 'two'"),
    ],
)
def test_an_answer_that_cannot_be_read_is_told_with_its_line(told: str, fault: str) -> None:
    with pytest.raises(AnswerError) as refused:
        read(told, "0.9.txt", OWN)
    assert str(refused.value).startswith(fault)
