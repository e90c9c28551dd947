"""Exercise 3.6: when a tier has to hand on."""

from __future__ import annotations

from graders.exercises.kit import *

_STAGE = """
from course.session import ToolAttempt
from course.team.rules import Criteria


async def stage(bench, student):
    reasons = []
    for case in bench.params["cases"]:
        criteria = Criteria(**case["criteria"])
        went = case["failed"]
        attempts = [ToolAttempt("tier1", "mend()", "so it went", failed) for failed in went]
        reasons.append(student.due(criteria, attempts, case["state"]))
    return reasons
"""
_LEVELS = ("low", "medium", "high", "critical")
_UNHEARD_OF = ("odd", "", None, 3)

Case = dict[str, Any]


def _case(wanted: str | None, *failed: bool, state: Any = None, **criteria: Any) -> Case:
    """One question; `wanted` is the word that the reason has to hold, None for no reason."""
    return {"criteria": criteria, "failed": list(failed), "state": state or {}, "wanted": wanted}


def _cases(make: Any) -> ScenarioMaker:
    return lambda draw: Scenario(params={"cases": make(draw)})


def _mixed(draw: random.Random, failed: int, worked: int) -> list[bool]:
    outcomes = [True] * failed + [False] * worked
    draw.shuffle(outcomes)
    return outcomes


def _attempts(draw: random.Random) -> list[Case]:
    most = draw.randrange(2, 6)
    over = most + draw.randrange(1, 3)
    return [
        _case(str(most), *_mixed(draw, most, 3), max_attempts=most),
        _case(None, *_mixed(draw, most - 1, 4), max_attempts=most),
        _case(str(over), *_mixed(draw, over, 1), max_attempts=most),
        _case(None, max_attempts=most),
    ]


def _severity(draw: random.Random) -> list[Case]:
    cases = []
    for limit in draw.sample(_LEVELS, 3):
        for level in _LEVELS:
            enough = _LEVELS.index(level) >= _LEVELS.index(limit)
            state = {"severity": level, "patient": "P-1"}
            cases.append(_case(level if enough else None, severity=limit, state=state))
    draw.shuffle(cases)
    return cases


def _neither(draw: random.Random) -> list[Case]:
    unheard_of = [_case(None, False, True, state={"severity": each}) for each in _UNHEARD_OF]
    draw.shuffle(unheard_of)
    return [
        *unheard_of,
        _case(None, False, False, state={"patient": "P-1"}),
        _case(None, True, state={"severity": "low"}, max_attempts=draw.randrange(2, 5)),
        _case("critical", False, state={"severity": "critical"}, max_attempts=9),
        _case("2", True, True, state={"severity": "low"}, severity="critical"),
    ]


def _reason(case: Case) -> Any:
    word = case["wanted"]
    if word is None:
        return None
    return such_that(f"a reason that says '{word}'", lambda said: word in said.split())


_reasons = compared(_reason, fits)


DUE = Exercise(
    "3.6", ("due",), (
        Trial("counts the attempts that failed", _STAGE, _cases(_attempts),
              _reasons("which attempts count, and from which number on"), 0.5),
        Trial("compares severities in their order", _STAGE, _cases(_severity),
              _reasons("the order of SEVERITIES: this one or worse"), 1.0),
        Trial("hands on for one of the two reasons and for no other", _STAGE, _cases(_neither),
              _reasons("what happens when nothing was rated, or something unheard-of"), 0.5),
    ),
    builds_on={"SEVERITIES": "course.team.rules:SEVERITIES"},
    places={
        "*": "the reason in the {} case",
    },
    finished={"due": "course.team.rules:due"},
)  # fmt: skip
