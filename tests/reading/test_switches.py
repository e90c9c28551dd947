"""A switch that is off takes no branch, lets an operand of "and" hold, and takes back nothing."""

import ast
from typing import Any

import pytest

from tests.reading import switches

SOURCE = """
def told(n):
    if n > 1:
        return "many"
    return [k for k in (n, -n) if k > 0] and n == 1
"""


@pytest.fixture
def told() -> Any:
    switches.places.clear()
    tree = switches._Switches("course.models.policy.example").visit(ast.parse(SOURCE))
    names: dict[str, Any] = {
        "switched_test": switches._test,
        "switched_operand": switches._operand,
    }
    exec(compile(ast.fix_missing_locations(tree), "example", "exec"), names)
    yield names["told"]
    switches.off.clear()
    switches.reached.clear()
    switches.places.clear()


def _at(words: str) -> int:
    return next(n for n, place in enumerate(switches.places) if words in place)


def test_with_all_switches_on_it_is_the_same_and_tells_what_was_reached(told: Any) -> None:
    assert (told(2), told(1), told(0), told(-1)) == ("many", True, [], False)
    assert (
        {_at("if n > 1"), _at("only k > 0"), _at("and [k"), _at("and n == 1")}
        >= set(switches.reached)
        > {_at("if n > 1")}
    )


@pytest.mark.parametrize(
    ("off", "given", "answer"),
    [
        ("if n > 1", 2, False),
        ("and [k", 0, False),
        ("only k > 0", 0, False),
        ("and n == 1", -1, True),
    ],
)
def test_a_switch_that_is_off_changes_what_it_stands_at(
    told: Any, off: str, given: int, answer: Any
) -> None:
    switches.off.add(_at(off))
    assert told(given) == answer
