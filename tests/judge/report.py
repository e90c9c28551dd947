# ruff: noqa: E501 (a page of text)
"""docs/judging.md: what the judge looks for, and how it is itself judged.

`python -m tests.judge.report` writes the page anew; it measures, so it takes a minute or two.
The parts that only list what the code says are held to by a test.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import nbformat

from graders.box import warm
from graders.box.choice import choose
from graders.checks.table import rows
from graders.judge import endings, submission
from graders.judge.judge import judge
from tests.judge.attacks import ATTACKS
from tests.judge.exercises import basics, results, waiting
from tests.judge.exercises.playing import boxed, inside
from tests.judge.mutants import EXERCISES, tally
from tests.judge.survivors import reason
from tests.notebooks import kit

PAGE = kit.ROOT / "docs/judging.md"
CASES = [*basics.CASES, *waiting.CASES, *results.CASES]
ATTACKED = "00_start_here"
INTRODUCTION = """# How answers are judged

The student's code runs in a box, with the same `course` package and the same `openai` client as in
the notebook. Models, tools and the clock are the judge's: it answers each request at a virtual time
of its own choosing, with a fresh token in the reply, and writes down what crossed the boundary. A
check reads that log and nothing else; so any style passes that does what is asked, and nothing is
gained by saying it was done. The notebook plays the same worlds with the same checks and words in
its own process, with the seed that may be seen; hidden are only seeds, which never enter the box.

`python -m graders check NOTEBOOK` judges a notebook, `python -m graders doctor` proves what the
boxes of this machine hold, and an exercise is declared as data in `graders/exercises/`.

This page is printed by `python -m tests.judge.report`.
"""
BOXES = """## Boxes

| box | what it needs | network | files it sees | what it may use up |
|---|---|---|---|---|
| `bwrap` | bubblewrap | none | Python, the packages and `course`, read only; a private folder | memory, processor, processes, file sizes, disk and wall time |
| `landlock` | Linux with Landlock, no other program | none: a filter of system calls | the same | the same |
| `none` | nothing; for one's own work only | open | everything | processor, memory and wall time |

Every trial gets a fresh box, forked from one warmed process that has never run a student's code. As
root the box first becomes an ordinary account. `--box auto` takes the first that works, and never
`none`. What each of them holds on a machine is proved by `python -m graders doctor`.
"""


def vocabulary() -> str:
    """The checks with their codes and an example of what each says."""
    lines = ["## What a check says\n"]
    check = ""
    for row in rows():
        if row.check != check:
            check = row.check
            lines += [f"\n### `{check}`\n", f"{row.purpose}\n", *_head("code", "when", "message")]
        lines.append(_row(f"`{row.code}`", row.meaning, row.message))
    lines += ["\n### How a run may end before any check is asked\n", *_head("code", "when")]
    lines += [_row(f"`{code}`", told) for code, told in endings.CODES.items()]
    lines += ["\n### A notebook that cannot be judged\n", *_head("code", "when")]
    lines += [_row(f"`{code}`", told) for code, told in submission.CODES.items()]
    return "\n".join(lines) + "\n"


def answers_listed() -> str:
    """Right and wrong answers for every check, with the codes of the wrong ones."""
    lines = [
        "## Answers that are right and answers that are wrong\n",
        "`tests/judge/exercises/` plays each of these in the notebook's way and in a box; both must"
        " give the same verdict in the same words.\n",
        *_head("check", "right, in these styles", "wrong, and the code it must get"),
    ]
    for case in CASES:
        wrong = "; ".join(f"{name} (`{code}`)" for name, (code, _) in case.wrong.items())
        lines.append(_row(f"`{case.check}`", "; ".join(case.right), wrong))
    right = sum(len(case.right) for case in CASES)
    wrong_ones = sum(len(case.wrong) for case in CASES)
    lines.append(f"\n{len(CASES)} exercises, {right} right and {wrong_ones} wrong answers.")
    return "\n".join(lines) + "\n"


def attacks_listed() -> str:
    """The names of the attacks, which a test plays one by one."""
    return (
        f"{len(ATTACKS)} attacks are played through the whole judge by `tests/judge/test_attacks.py`,"
        " in one exercise of a chapter that is solved elsewhere. Each must earn 0 points there, cost"
        " the other exercises nothing, and leave a gradebook and another's work as they were.\n"
    )


def listed() -> Sequence[str]:
    """The parts of the page that do not depend on a run."""
    return (INTRODUCTION, vocabulary(), BOXES, answers_listed(), attacks_listed())


def answers_measured() -> str:
    """How many of them were judged right, in both transports."""
    good: Counter[str] = Counter()
    with warm(choose("auto")) as parent:
        for case in CASES:
            wanted = [*(("ok", each) for each in case.right.values()), *case.wrong.values()]
            for code, source in wanted:
                with contextlib.redirect_stderr(io.StringIO()):
                    here, there = inside(case, source), boxed(parent, case, source)
                kind = "right answers" if code == "ok" else "wrong answers"
                good[kind] += here.code == code and here == there
                good[f"{kind}, all"] += 1
    lines = _head("", "judged as they should be, in both transports")
    for kind in ("right answers", "wrong answers"):
        lines.append(_row(kind, f"{good[kind]} of {good[kind + ', all']}"))
    return "\n".join(lines) + "\n"


def mutants_measured() -> str:
    """Killed and surviving mutants of every reference solution."""
    lines = [
        "## Mutants of the reference solutions\n",
        "One small change each: another comparison or arithmetic, another constant, the other branch,"
        " nothing returned, a statement or an `await` left out.\n",
        *_head("exercise", "mutants", "killed", "share"),
    ]
    tallies = [tally(each) for each in EXERCISES]
    made = sum(each.made for each in tallies)
    alive = [mutant for each in tallies for mutant in each.alive]
    for each in tallies:
        lines.append(_killed(each.exercise, each.made, len(each.alive)))
    lines.append(_killed("all", made, len(alive)))
    lines += ["\nThe survivors:\n", *_head("exercise", "change", "line", "why it may live")]
    counted = Counter((m.exercise, m.operator, m.line) for m in alive)
    for (exercise, operator, line), times in counted.items():
        change = operator if times == 1 else f"{operator}, {times} times"
        lines.append(_row(exercise, change, f"`{line[:60]}`", reason(exercise, operator, line)))
    return "\n".join(lines) + "\n"


def attacks_measured() -> str:
    """What each attack came to."""
    lines = _head("attack", "points gained", "side effects", "verdict")
    with tempfile.TemporaryDirectory() as folder, judge() as ready:
        victim = Path(folder, "submitted")
        victim.mkdir()
        victim.joinpath("gradebook.db").write_text("3")
        for path in (Path(folder), victim, victim / "gradebook.db"):
            path.chmod(0o777)
        for name, source in ATTACKS.items():
            book = kit.read(kit.ROOT / "solutions" / ATTACKED / f"{ATTACKED}.ipynb")
            text = source.replace("VICTIM", repr(str(victim)))
            kit.by_id(book, "ex_0_2").source = text.replace("PROJECT", repr(str(kit.ROOT)))
            paper = Path(folder, f"{ATTACKED}.ipynb")
            nbformat.write(book, paper)
            report = ready.submission(paper)
            gained = report.score - 3.0  # what the other two exercises are worth
            harm = [path.name for path in victim.iterdir() if path.name != "gradebook.db"]
            harm += [] if victim.joinpath("gradebook.db").read_text() == "3" else ["gradebook"]
            codes = dict.fromkeys(t.verdict.code for t in report.exercises[1].trials)
            told = ", ".join(f"`{code}`" for code in codes)
            lines.append(_row(name, f"{gained:g}", ", ".join(harm) or "none", told))
    return "\n".join(lines) + "\n"


def page() -> Iterator[str]:
    """The whole page, in order."""
    yield INTRODUCTION
    yield vocabulary()
    yield BOXES
    yield answers_listed()
    yield answers_measured()
    yield mutants_measured()
    yield "## Hostile submissions\n"
    yield attacks_listed()
    yield attacks_measured()


def _killed(exercise: str, made: int, alive: int) -> str:
    return _row(exercise, str(made), str(made - alive), f"{(made - alive) / made:.0%}")


def _head(*names: str) -> list[str]:
    return [_row(*names), "|" + "---|" * len(names)]


def _row(*cells: str) -> str:
    return "| " + " | ".join(_cell(each) for each in cells) + " |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def main(parts: Iterable[str]) -> None:
    """Write the page."""
    PAGE.write_text("\n".join(part.rstrip("\n") + "\n" for part in parts))
    print(f"wrote {PAGE.relative_to(kit.ROOT)}")


if __name__ == "__main__":
    sys.exit(main(page()))
