"""Arithmetic: what is to be worked out is found in signs and words, and goes to tools in order."""

import json
import math
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import Agent, ToolError, run_sync, tool
from course.models.policy.arithmetic import Sum, sums_in
from course.tools import Tool


@tool
def add(a: float, b: float) -> float:
    """Add two numbers."""
    return a + b


@tool
def subtract(a: float, b: float) -> float:
    """Subtract b from a."""
    return a - b


@tool(name="subtract")
def take_from(a: float, b: float) -> float:
    """Subtract a from b."""
    return b - a


@tool
def multiply(first: float, second: float) -> float:
    """Multiply two numbers."""
    return first * second


@tool
def divide(dividend: float, divisor: float) -> float:
    """Divide one number by another."""
    if not divisor:
        raise ToolError("division by zero")
    return dividend / divisor


@tool
def calculator(expression: str) -> str:
    """Evaluate a mathematical expression."""
    (asked,), _ = sums_in(expression)
    return str(worth(asked))


@tool
def compute(x: float, y: float, operation: Literal["add", "subtract", "multiply"]) -> str:
    """Do one operation on two numbers."""
    signs = {"add": "+", "subtract": "-", "multiply": "*"}
    return json.dumps({"result": worth(Sum(signs[operation], x, y))})


@tool
def weather(city: str) -> str:
    """Look up the weather in a city."""
    return f"It is sunny in {city}."


FOUR = (add, subtract, multiply, divide)


def worth(asked: float | Sum) -> float:
    if not isinstance(asked, Sum):
        return asked
    left, right = worth(asked.left), worth(asked.right)
    return float(eval(f"({left!r}) {asked.operator} ({right!r})"))  # numbers and a sign alone


def asked(text: str, *tools: Tool) -> tuple[str, list[tuple[str, dict[str, Any]]]]:
    """The answer, and the calls in their order."""
    result = run_sync(Agent(name="clerk", instructions="You do sums.", tools=tools), text)
    calls = [s.attributes for s in result.trace.spans if s.operation == "execute_tool"]
    return str(result.answer), [
        (c["gen_ai.tool.name"], json.loads(c["gen_ai.tool.call.arguments"])) for c in calls
    ]


@pytest.mark.parametrize(
    ("text", "calls", "told"),
    [
        ("Add 13 and 4.", [("add", [13, 4])], "13 + 4 = 17."),
        ("What's thirteen plus four?", [("add", [13, 4])], "13 + 4 = 17."),
        ("What is 30 minus 5?", [("subtract", [30, 5])], "30 − 5 = 25."),
        ("Could you subtract 5 from 30", [("subtract", [30, 5])], "30 − 5 = 25."),
        ("the difference between 30 and 5?", [("subtract", [30, 5])], "30 − 5 = 25."),
        ("what's 7 x 6", [("multiply", [7, 6])], "7 × 6 = 42."),
        ("The product of 7 and 6, please", [("multiply", [7, 6])], "7 × 6 = 42."),
        ("Divide 45 by 9", [("divide", [45, 9])], "45 ÷ 9 = 5."),
        ("How much is 20% of 50?", [("divide", [20, 100]), ("multiply", [0.2, 50])], "= 10."),
        ("12 - 4 + 2", [("subtract", [12, 4]), ("add", [8, 2])], "8 + 2 = 10."),
        ("2 + 3 * 4", [("multiply", [3, 4]), ("add", [2, 12])], "2 + 12 = 14."),
        ("(2 + 3) * 4", [("add", [2, 3]), ("multiply", [5, 4])], "5 × 4 = 20."),
        ("Add 1, 2 and 3", [("add", [1, 2]), ("add", [3, 3])], "3 + 3 = 6."),
        (
            "Add 2 to 8, then divide the result by 5.",
            [("add", [2, 8]), ("divide", [10, 5])],
            "= 2.",
        ),
        ("Multiply 2 by 8 and add 5 to it.", [("multiply", [2, 8]), ("add", [5, 16])], "= 21."),
        ("Add 2 and 8, then multiply by 5", [("add", [2, 8]), ("multiply", [10, 5])], "= 50."),
    ],
)
def test_sums_go_to_the_tools_for_them_one_after_another(
    text: str, calls: list[tuple[str, list[float]]], told: str
) -> None:
    said, made = asked(text, *FOUR)
    assert [(name, [*arguments.values()]) for name, arguments in made] == calls
    assert said.endswith(told)


def test_what_waits_for_nothing_is_asked_at_once() -> None:
    agent = Agent(name="clerk", instructions="", tools=FOUR)
    result = run_sync(agent, "What is (2 + 3) * (10 - 6)?")
    chats = sum(s.operation == "chat" for s in result.trace.spans)
    assert (chats, str(result.answer).splitlines()[-1]) == (3, "5 × 4 = 20.")


def test_the_order_of_the_two_numbers_is_that_of_the_description() -> None:
    assert asked("Subtract 5 from 12", take_from)[1] == [("subtract", {"b": 12, "a": 5})]


def test_a_calculator_gets_the_whole_expression() -> None:
    said, made = asked("Add 3 and 4, then multiply the result by 5.", calculator)
    assert (said, [m[1] for m in made]) == ("(3 + 4) × 5 = 35.", [{"expression": "(3 + 4) * 5"}])


def test_a_tool_may_be_told_the_operation() -> None:
    said, made = asked("What is 7 times 6?", compute)
    assert [m[1] for m in made] == [{"x": 7, "y": 6, "operation": "multiply"}]
    assert "42" in said


def test_another_matter_beside_it_is_served_too() -> None:
    said, made = asked("What is 4 times 5? And what is the weather in Oslo?", multiply, weather)
    assert [name for name, _ in made] == ["multiply", "weather"]
    assert "4 × 5 = 20." in said
    assert "sunny in Oslo" in said


def test_what_builds_on_a_failure_is_left_out_and_says_so() -> None:
    said, made = asked("Divide 8 by 0, then add 3 to the result", *FOUR)
    assert [name for name, _ in made] == ["divide"]
    assert "ivision by zero" in said
    assert "left out" in said


def test_an_operation_that_no_tool_does_is_named() -> None:
    said, made = asked("What is 12 minus 5?", add, multiply)
    assert "cannot help with that" in said and "add" in said and "multiply" in said
    assert not made


def test_a_tool_that_is_wrong_is_not_corrected() -> None:
    @tool(name="add")
    def wrong(a: float, b: float) -> float:
        """Add two numbers."""
        return a + b + 1

    said, _ = asked("Add 2 and 2", wrong)
    assert "5" in said
    assert "2 + 2" not in said


@pytest.mark.parametrize(
    "text",
    [
        "Book a table for 4-5 people on 2026-03-04 at 12:30",
        "Call 555-1234 for me",
        "Roll an 8-sided die",
        "Send 3 boxes to 12/4 Mill Lane",
        "My number is 0170 - 12 34",
    ],
)
def test_ranges_numbers_and_dates_are_no_sums(text: str) -> None:
    assert sums_in(text)[0] == ()


numbers = st.integers(0, 999).map(float) | st.integers(0, 9999).map(lambda n: n / 10)
sums = st.recursive(
    numbers, lambda inner: st.builds(Sum, st.sampled_from("+-*/"), inner, inner), max_leaves=6
)
SIGNS = {"+": ("+", "plus"), "-": ("-", "−", "minus"), "*": ("*", "×", "times"), "/": ("/", "÷")}


def written(asked: float | Sum, draw: Any, *, inner: bool = False) -> str:
    if not isinstance(asked, Sum):
        return f"{asked:g}"
    sign = draw(st.sampled_from(SIGNS[asked.operator]))
    left, right = (written(side, draw, inner=True) for side in (asked.left, asked.right))
    return f"({left} {sign} {right})" if inner else f"{left} {sign} {right}"


@given(st.data(), sums.filter(lambda s: isinstance(s, Sum)))
def test_whatever_is_written_is_read_as_it_is_meant(data: st.DataObject, meant: Sum) -> None:
    found, rest = sums_in(f"What is {written(meant, data.draw)}?")
    assert rest == ""
    assert len(found) == 1
    try:
        expected = worth(meant)
    except ZeroDivisionError:
        return
    assert math.isclose(worth(found[0]), expected, rel_tol=1e-9)


@given(st.text(alphabet="0123456789 +-*/().,%x×÷^ae\n", max_size=400))
def test_no_text_breaks_it(text: str) -> None:
    found, rest = sums_in(text)
    assert isinstance(rest, str)
    assert all(isinstance(each, Sum) for each in found)


@tool
def add_points(member: int, points: int) -> int:
    """Add points to a member's card."""
    return member + points


def test_a_tool_that_adds_something_of_its_own_does_no_sums() -> None:
    said, made = asked("Add 20 points to member 14", add_points)
    assert [m[1] for m in made] in ([], [{"member": 14, "points": 20}])
    assert "+" not in said


@pytest.mark.parametrize("told", ["1e999", "NaN", "no number", ""])
def test_a_result_that_is_no_number_is_built_on_by_nothing(told: str) -> None:
    @tool(name="add")
    def odd(a: float, b: float) -> str:
        """Add two numbers."""
        return told

    _, made = asked("Add 1 and 2, then multiply the result by 5", odd, multiply)
    assert [name for name, _ in made] == ["add"]
