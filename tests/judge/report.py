# ruff: noqa: E501 (a page of text)
"""The pages beside docs/judging.md: what the judge says, and how it is itself judged.

`python -m tests.judge.report` writes those that list what code and data say, which a test holds
them to. `python -m tests.judge.report measured` writes the one that is measured: it plays every
mutant, and a part of the attacks in every box, so it takes some minutes.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from graders.box import warm
from graders.checks.table import rows
from graders.exercises import exercises_of
from graders.judge import endings, submission
from tests.judge.attacking import Outcome, chosen, opened
from tests.judge.attacks import ATTACKS
from tests.judge.boxes import BACKENDS, missing
from tests.judge.exercises.cases import CASES
from tests.judge.exercises.playing import boxed, inside
from tests.judge.forgeries import FORGERIES, WRONG
from tests.judge.mutants import EXERCISES, Tally, tally
from tests.judge.survivors import EXPLAINED, STILL_RIGHT, key_of
from tests.notebooks import kit

DOCS = kit.ROOT / "docs"
SAYS = """# What the judge says

Every check with its codes, and an example of each message; then how a run may end before any check
is asked, and why a notebook may not be judged at all. [How answers are judged](judging.md) comes
first. Printed by `python -m tests.judge.report`.
"""
PLAYED = """# What the judge is tested with

The answers that every check must judge rightly, the project's trials, and what the attacks are.
What came of them is in [judging-measured.md](judging-measured.md). Printed by
`python -m tests.judge.report`.
"""
MEASURED = """# How the judge stood its tests

Answers in both transports, mutants of the reference solutions, and attacks. Printed by
`python -m tests.judge.report measured`, which takes some minutes.
"""


PROJECT = """## The project

Chapter 11's six exercises judge one system by six requirements. Three solution cells solve them
together: who works, how a plan is made, how it is carried out. Each trial plays them in a world of
its own: the domain that the submission names, with its own workers, or one that it does not name,
with the workers usual there. The tools are the domain's real ones over its database; a request is
two or three of the domain's in one, and its tasks stand in a plan that waves would slow down.

The model is scripted, general over the domains, and knows what it is asked by content alone: a
plan, a piece of work, another wording, an answer. Each task's description carries a reference, each
result and each answer a fresh code word, so that what travelled where is seen in whatever prompt.
It makes a naive call where a trap lies, and the refined one only for a task that was put
differently by the error. What goes wrong is drawn: a call refused until it is refined, or twice, the
second time for a word that nobody can know; a tool that is broken for good, slow, or never answers;
a model that fails once, for one task, or stays busy; a plan that cannot be carried out; an answer
that nobody can write.

`tests/grading/projects/` holds right ones in different styles, `tests/answers/11.*.txt` wrong ones
made of them, each of which loses points in its own group: some plainly, some that only seem to do
what is asked. `tests/judge/project/` tests the rest. What is not judged: whether prompts are good
(each has to be its own), how contradictions are told, whether an error's words help a reader; the
design memo, which a person reads, is the place for that.
"""
PROJECT_MODULES = (
    "shared plan_first plan_repair plan_adherence worker_set worker_isolation "
    "parallelism failure_handling retry_caps hang_limits told_results "
    "synthesis answer_gaps grounding exported_trace"
).split()


def vocabulary() -> str:
    """The checks with their codes and an example of what each says."""
    lines = []
    check = ""
    for row in rows():
        if row.check != check:
            check = row.check
            lines += [f"\n## `{check}`\n", f"{row.purpose}\n", *_head("code", "when", "message")]
        lines.append(_row(f"`{row.code}`", row.meaning, row.message))
    lines += ["\n## How a run may end before any check is asked\n", *_head("code", "when")]
    lines += [_row(f"`{code}`", told) for code, told in endings.CODES.items()]
    lines += ["\n## A notebook that cannot be judged\n", *_head("code", "when")]
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
        "## Attacks\n\n"
        f"{len(ATTACKS)} attacks are played through the whole judge by `tests/judge/test_attacks.py`,"
        " in an exercise of chapter 00 and in those of chapter 01, the chapter being solved elsewhere:"
        " in the function that is asked for, above it, and in a cell of their own. Each must earn 0"
        " points there, cost the other exercises nothing, leave a gradebook and another's work as they"
        " were, and no process. `make test` plays each in two boxes or three, `make test-all`"
        " and this page all of them.\n\n## Forgeries\n\n"
        f"{len(FORGERIES)} programs forge what is known in the judged process, such as its clocks, its"
        " tasks, the keeper of its time and the lines it sends. `tests/judge/test_forgeries.py` puts"
        f" them above {sum(map(len, WRONG.values()))} wrong answers to {len(WRONG)} exercises, which"
        " lose points for what they do: none may win a trial by it. Each "
        + "; ".join(FORGERIES)
        + ".\n"
    )


def project_listed() -> str:
    """The project's trials, what each is worth, and what its own checks say."""
    lines = [PROJECT, *_head("group", "trial", "points")]
    for exercise in exercises_of("11"):
        for each in exercise.trials:
            lines.append(_row(exercise.number, each.title, f"{each.points:g}"))
    lines += ["", *_head("code", "when")]
    for name in PROJECT_MODULES:
        said = importlib.import_module(f"graders.exercises.ch11.{name}").CODES
        lines += [_row(f"`{code}`", told) for code, told in said.items()]
    return "\n".join(lines) + "\n"


def listed() -> dict[str, Sequence[str]]:
    """The pages that depend on no run, each as its parts."""
    return {
        "judging-says.md": (SAYS, vocabulary()),
        "judging-tests.md": (PLAYED, answers_listed(), project_listed(), attacks_listed()),
    }


def answers_measured() -> str:
    """How many of them were judged right, in both transports."""
    lines = _head("judged as they should be, in the notebook and in", "right", "wrong")
    for name in _working():
        good: Counter[str] = Counter()
        with warm(BACKENDS[name]()) as parent:
            for case in CASES:
                wanted = [*(("ok", each) for each in case.right.values()), *case.wrong.values()]
                for code, source in wanted:
                    with contextlib.redirect_stderr(io.StringIO()):
                        here, there = inside(case, source), boxed(parent, case, source)
                    kind = "right" if code == "ok" else "wrong"
                    good[kind] += here.code == code and here == there
                    good[f"{kind}, all"] += 1
        shares = [f"{good[kind]} of {good[f'{kind}, all']}" for kind in ("right", "wrong")]
        lines.append(_row(f"`{name}`", *shares))
    return "\n".join(lines) + "\n"


def mutants_measured() -> str:
    """Killed and surviving mutants of every reference solution."""
    lines = [
        "## Mutants of the reference solutions\n",
        "One small change each: another comparison or arithmetic, another constant, the other branch,"
        " nothing returned, a statement or an `await` left out, the first or last operand, element or"
        " condition left out, an exception not caught, a loop ended early. Some do all the same what the exercise asks:"
        " a judge that killed those would refuse right answers. The share is that of the others.\n",
        *_head("exercise", "mutants", "killed", "still right", "share of the others"),
    ]
    tallies = [tally(each) for each in EXERCISES]
    for each in tallies:
        lines.append(_killed(each.exercise, [each]))
    lines.append(_killed("all", tallies))
    lines += ["\nThe survivors:\n"]
    lines += _head("exercise", "change", "line", "is it right?", "why it may live")
    counted = Counter((m.exercise, m.operator, m.line) for each in tallies for m in each.alive)
    for (exercise, operator, line), times in counted.items():
        change = operator.replace("_", " ") + (f", {times} times" if times > 1 else "")
        key = key_of(exercise, operator, line)
        right, why = "yes" if key in STILL_RIGHT else "no", EXPLAINED[key] if key else "?"
        lines.append(_row(exercise, change, f"`{line[:60]}`", right, why))
    return "\n".join(lines) + "\n"


def attacks_measured() -> str:
    """What each attack came to, where every run of the tests plays it, with the real bounds."""
    met: defaultdict[str, list[Outcome]] = defaultdict(list)
    for name in _working():
        with opened(BACKENDS[name]()) as arena:
            for assault in chosen(name):
                with tempfile.TemporaryDirectory() as folder:
                    met[assault.attack].append(arena.play(assault, Path(folder)))
    columns = ("submissions", "points gained", "points lost beside it", "side effects", "verdicts")
    lines = _head("attack", *columns)
    for attack, outcomes in met.items():
        sums = [f"{sum(getattr(o, each) for o in outcomes):g}" for each in ("gained", "lost")]
        harm = ", ".join(dict.fromkeys(each for o in outcomes for each in o.harm)) or "none"
        codes = ", ".join(f"`{each}`" for each in sorted({c for o in outcomes for c in o.codes}))
        lines.append(_row(attack, str(len(outcomes)), *sums, harm, codes))
    boxes = ", ".join(f"`{name}`" for name in _working())
    lines.append(f"\n{sum(map(len, met.values()))} submissions, in the boxes {boxes}.")
    return "\n".join(lines) + "\n"


def measured() -> Iterator[str]:
    """The page of what was measured, part by part."""
    yield MEASURED
    yield "## Right and wrong answers\n"
    yield answers_measured()
    yield mutants_measured()
    yield "## Hostile submissions\n"
    yield attacks_measured()


def _working() -> list[str]:
    return [name for name in BACKENDS if not missing(name)]


def _killed(exercise: str, tallies: Sequence[Tally]) -> str:
    made = sum(each.made for each in tallies)
    alive = [mutant for each in tallies for mutant in each.alive]
    right = sum(key_of(m.exercise, m.operator, m.line) in STILL_RIGHT for m in alive)
    killed = made - len(alive)
    return _row(exercise, str(made), str(killed), str(right), f"{killed / (made - right):.0%}")


def _head(*names: str) -> list[str]:
    return [_row(*names), "|" + "---|" * len(names)]


def _row(*cells: str) -> str:
    return "| " + " | ".join(_cell(each) for each in cells) + " |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def joined(parts: Iterable[str]) -> str:
    """A page of these parts."""
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def main(wanted: Sequence[str]) -> None:
    """Write the pages that list, or the one that is measured."""
    pages = {"judging-measured.md": measured()} if "measured" in wanted else listed()
    for name, parts in pages.items():
        (DOCS / name).write_text(joined(parts), encoding="utf-8")
        print(f"wrote docs/{name}")


if __name__ == "__main__":
    main(sys.argv[1:])
