"""Printing is counted and cut off; who prints without end is told so, in both transports."""

import io
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout

import pytest

from graders.box import Parent, choose, warm
from graders.child.cells import Cells
from graders.judge.inside import play_inside
from graders.judge.judge import HOPELESS, judge_inside
from graders.judge.outside import play_outside, script_for
from graders.judge.printing import CHARACTERS, ENDLESS, counted
from graders.judge.world import tokens_from
from graders.records.log import Log
from graders.records.scenario import Exercise, Scenario, Trial

STAGE = "async def stage(bench, student):\n    return await student.solve()\n"
TOKENS = tokens_from(b"printing")
LINE = "x" * 100_000
FLOODS = f"while True: print({LINE!r})"
LOUD = f"for _ in range(20): print({LINE!r})"


def source(body: str) -> str:
    return f"async def solve():\n    {body}\n"


@pytest.fixture(scope="module")
def parent() -> Iterator[Parent]:
    with warm(choose("none", own_work=True)) as warmed:
        yield warmed


def outside(parent: Parent, body: str) -> Log:
    script = script_for(STAGE, Scenario(), [{"name": "1", "source": source(body)}])
    return play_outside(parent, script, Scenario(), TOKENS).log


def inside(body: str) -> tuple[Log, str]:
    """The log, and what reached the notebook."""
    names: dict[str, object] = {"__name__": "__main__"}
    Cells(names).run([{"name": "1", "source": source(body)}])
    shown = io.StringIO()
    with redirect_stdout(shown):
        log = play_inside(STAGE, Scenario(), TOKENS, names)
    return log, shown.getvalue()


@pytest.mark.usefixtures("impatient")
def test_printing_without_end_is_a_flood_in_both(parent: Parent) -> None:
    here, shown = inside(FLOODS)
    there = outside(parent, FLOODS)
    assert here.moments == there.moments
    assert [(each.kind, each.detail) for each in here.moments] == [("flooded", ENDLESS)]
    assert len(shown) < 2 * CHARACTERS


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "body", ["print('here')\n    while True: pass", f"{LOUD}\n    while True: 1"]
)
def test_who_prints_and_then_spins_is_in_a_loop(parent: Parent, body: str) -> None:
    here, _ = inside(body)
    there = outside(parent, body)
    assert [each.kind for each in (*here.moments, *there.moments)] == ["silent", "silent"]


def test_who_prints_much_and_ends_is_judged(parent: Parent) -> None:
    body = f"for _ in range(60): print({LINE!r})\n    return 'done'"
    here, shown = inside(body)
    assert (here.result, outside(parent, body).result) == ("done", "done")
    assert len(shown) < 2 * CHARACTERS


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("for n in range(190): print(n)", "189\n"),
        ("for n in range(20_000): print(n)", "199\n… and 108,200 more bytes, left out\n"),
        ("print('é' * 9_000)", "é… and 6,001 more bytes, left out\n"),
    ],
)
def test_the_beginning_is_shown_the_same_in_both(parent: Parent, body: str, told: str) -> None:
    here, shown = inside(f"{body}\n    return 'done'")
    there = outside(parent, f"{body}\n    return 'done'")
    assert (here.result, there.result) == ("done", "done")
    assert shown == there.output
    assert shown.endswith(told)


@pytest.mark.usefixtures("impatient")
def test_after_a_flood_the_rest_is_not_played() -> None:
    trials = [Trial(f"trial {n}", STAGE, lambda draw: Scenario(), lambda world: []) for n in (1, 2)]
    names: dict[str, object] = {"__name__": "__main__"}
    Cells(names).run([{"name": "1", "source": source(FLOODS)}])
    with redirect_stdout(io.StringIO()):
        judged = judge_inside(Exercise("9.1", ("solve",), tuple(trials)), names)
    assert [each.verdict.code for each in judged] == ["flood.output"] * 2
    told = "not played: the code printed without end in trial 1"
    assert judged[1].verdict.message == told
    assert "flood.output" in HOPELESS


def test_streams_are_as_they_were_and_what_is_theirs_passes_through() -> None:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        before = sys.stdout, sys.stderr
        with counted() as printed:
            print("one", end="")
            sys.stdout.writelines(["two", "three"])
            sys.stderr.write("four")
            assert sys.stdout.getvalue() == "onetwothree"  # type: ignore[attr-defined]
        assert (sys.stdout, sys.stderr) == before
    assert (printed.characters, printed.endless) == (15, False)
    assert (out.getvalue(), err.getvalue()) == ("onetwothree", "four")


def test_a_redirection_made_meanwhile_is_left_alone() -> None:
    mine = io.StringIO()
    before = sys.stdout
    try:
        with counted():
            sys.stdout = mine
        assert sys.stdout is mine
    finally:
        sys.stdout = before


@pytest.mark.usefixtures("impatient")
def test_a_loop_in_a_very_long_line_is_a_loop_still(parent: Parent) -> None:
    log = outside(parent, f"text = {LINE!r}\n    while {LINE!r}: text")
    assert [each.kind for each in log.moments] == ["silent"]
