"""A calculator for what a model should not do in its head: arithmetic, and nothing but that.

The expressions are evaluated by simpleeval with a table of operators of our own: numbers are
binary fractions here, so that no power can grow past what fits in one, and there are no names,
texts, comparisons or attributes.

Source: https://github.com/danthedeckie/simpleeval.
"""

from __future__ import annotations

import ast
import math
import re
from operator import add, mul, neg, pos, sub, truediv
from typing import Annotated

import simpleeval
from pydantic import Field

from course.errors import ToolError
from course.scenarios.database import Row

MOST_CHARACTERS = 400
_UNITS = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "^": "**", "\u00a0": " "})
_SEPARATED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_UNCLEAR = re.compile(r"\b(?:min|max)\([^()]*?(?<![\d.,])(\d{1,3}(?:,\d{3})+)(?![\d.])")
_SCALED = re.compile(rf"(\d+(?:\.\d+)?)\s*({'|'.join(_UNITS)})\b", re.IGNORECASE)
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*(?:%|percent\b)(\s*of\b)?", re.IGNORECASE)
_FOREIGN = re.compile(r"[^\w\s.,+\-*/()]")
_WORD = re.compile(r"(?<![\w.])[^\W\d]\w*")


def _round(value: float, digits: int = 0) -> float:
    """A number to so many digits; of a whole one Python would make 10 to any power first."""
    return round(value, max(digits, -MOST_CHARACTERS)) if digits else round(value)


_FUNCTIONS = {"abs": abs, "min": min, "max": max, "round": _round, "sqrt": math.sqrt}
_OPERATORS = {
    ast.Add: add,
    ast.Sub: sub,
    ast.Mult: mul,
    ast.Div: truediv,
    ast.Pow: lambda base, power: float(base) ** float(power),
    ast.USub: neg,
    ast.UAdd: pos,
}
_NODES = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.Call, ast.Expr)
_UNREADABLE = (
    simpleeval.InvalidExpression,
    SyntaxError,
    TypeError,
    ValueError,
    KeyError,
    RecursionError,
    MemoryError,
)


def calculate(
    expression: Annotated[
        str,
        Field(
            description="numbers with + - * / ** ( ), such as (1,240 - 980) / 980, 12.5 % of 3.4"
            " million, or round(sqrt(2), 3); 10 % is 0.1"
        ),
    ],
) -> Row:
    """Calculate the value of an arithmetic expression, with percent, thousands and millions."""
    text = _plain(expression)
    try:
        value = _evaluator().eval(text)
        real = isinstance(value, int | float) and not isinstance(value, bool)
        real = real and math.isfinite(value)  # a whole number may be too large for this as well
    except ZeroDivisionError:
        raise ToolError(f"'{expression}' divides by zero: check the divisor") from None
    except OverflowError:
        raise ToolError(f"'{_short(expression)}' is too large a number") from None
    except _UNREADABLE:
        raise ToolError(f"'{_short(expression)}' is not arithmetic: {_WANTED}") from None
    if not real:
        raise ToolError(f"'{_short(expression)}' gives no real number: {_WANTED}")
    # 0.1 + 0.2 is 0.3 to whoever asked; twelve digits are more than any figure here has.
    return {"expression": text, "result": float(f"{value:.12g}")}


_WANTED = "write numbers with + - * / ** and parentheses, and % right after a number"


def _evaluator() -> simpleeval.SimpleEval:
    evaluator = simpleeval.SimpleEval(operators=_OPERATORS, functions=_FUNCTIONS, names={})
    evaluator.nodes = {kind: do for kind, do in evaluator.nodes.items() if kind in _NODES}
    return evaluator


def _plain(expression: str) -> str:
    """The expression with signs, units and percents written as Python writes them."""
    if len(expression) > MOST_CHARACTERS:
        raise ToolError(f"the expression is longer than {MOST_CHARACTERS} characters: split it")
    text = " ".join(expression.translate(_SIGNS).split()).rstrip("= ")
    if found := _UNCLEAR.search(text):
        raise ToolError(
            f"'{found[1]}' may be one number or several: write {found[1].replace(',', '')}, or"
            f" {found[1].replace(',', ', ')}"
        )
    text = _SEPARATED.sub(lambda found: found[0].replace(",", ""), text)
    text = _SCALED.sub(lambda found: f"({found[1]} * {_UNITS[found[2].lower()]:.0f})", text)
    text = _PERCENT.sub(lambda found: f"({found[1]} / 100){' *' if found[2] else ''}", text)
    _check(text, expression)
    return text


def _check(text: str, expression: str) -> None:
    """Refuse, with the reason, what no arithmetic has in it."""
    if not text:
        raise ToolError("the expression is empty: write one, such as 12.5 % of 3,400")
    if sign := _FOREIGN.search(text):
        raise ToolError(f"'{_short(expression)}' is not arithmetic, it has '{sign[0]}': {_WANTED}")
    for word in _WORD.findall(text):
        if word not in _FUNCTIONS:
            known = ", ".join(_FUNCTIONS)
            raise ToolError(
                f"'{_short(word)}' is no number: put figures for names, and leave units and"
                f" currencies out; the functions are {known}"
            )


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
