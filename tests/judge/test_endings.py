"""What an ended run is called: the most telling of its names."""

from __future__ import annotations

import pytest

from graders.checks import backed_off, by_tool, called, equals, refined, returned
from graders.checks.keys import by_argument
from graders.judge.endings import CODES, verdict_on
from graders.judge.protocol import Note
from graders.records.log import Exchange, Failure, Log
from graders.records.verdict import Check

BUSY = {"error": "the line is busy"}
LET_OUT = Failure("ToolError", "the line is busy", "line 2: return await fetch()")
UNDEFINED = Failure("Undefined", "fan_out")


def failed_once(failure: Failure | None, *, answered: bool = False) -> Log:
    outcome = "answered" if answered else "failed"
    call = Exchange(0, "tool", "fetch", {"who": "ann"}, 0.0, 1.0, outcome, BUSY)  # type: ignore[arg-type]
    return Log(exchanges=(call,), failure=failure, returned=failure is None, ended=1.0)


@pytest.mark.parametrize(
    ("check", "code"),
    [
        (backed_off(by_tool("fetch"), ["fetch"]), "retry.gave_up"),
        (refined(by_argument("who"), ["ann"], field="who"), "refine.gave_up"),
    ],
)
def test_giving_up_by_raising_is_giving_up(check: Check, code: str) -> None:
    verdict = verdict_on(failed_once(LET_OUT), [check])
    assert verdict.code == code
    assert "your code raised ToolError: the line is busy (line 2: return" in verdict.message
    quiet = verdict_on(failed_once(None), [check])
    assert (quiet.code, "raised" in quiet.message) == (code, False)


def test_an_error_that_no_try_explains_keeps_its_own_name() -> None:
    check = backed_off(by_tool("fetch"), ["fetch"])
    bug = Failure("KeyError", "'Ann'", "line 3: return found['Ann']")
    assert verdict_on(failed_once(bug, answered=True), [check]).code == "raised.error"
    assert verdict_on(Log(failure=bug), [check]).code == "raised.error"
    assert verdict_on(failed_once(LET_OUT), [called("fetch", [{"who": "ben"}])]).code == (
        "raised.error"
    )


def test_an_error_without_a_line_of_the_students_is_the_results_fault() -> None:
    unusable = Failure("AttributeError", "'NoneType' object has no attribute 'stop'")
    verdict = verdict_on(Log(failure=unusable), [returned()])
    assert verdict.code == "raised.error"
    assert verdict.message == (
        "expected a result, but what comes after your code ended in AttributeError: 'NoneType'"
        " object has no attribute 'stop'; look at what your code returns, and whether it does in"
        " every case"
    )


@pytest.mark.parametrize(
    "check",
    [equals({"days": 3}), returned(), called("fetch", [{}])],
    ids=["equals", "returned", "called"],
)
def test_a_definition_that_was_never_made_is_named(check: Check) -> None:
    verdict = verdict_on(Log(failure=UNDEFINED), [check], exercise="9.1")
    assert (verdict.sign, verdict.code) == ("not yet", "cell.undefined")
    assert verdict.message == (
        "expected a cell of yours that defines `fan_out`, but no cell of yours does;"
        " look at the name that your cell defines, and whether it was run"
    )


def test_a_cell_that_died_says_why_it_defined_nothing() -> None:
    note = Note("ex_9_1", "ZeroDivisionError", "division by zero", "line 1: 1 / 0")
    verdict = verdict_on(Log(failure=UNDEFINED), [returned()], notes=[note])
    assert verdict.code == "cell.failed"
    assert "ZeroDivisionError" in verdict.message


def test_every_name_has_a_meaning() -> None:
    assert {"cell.undefined", "flood.output"} <= set(CODES)
