"""Arithmetic: what a request asks to be worked out, and the calls of the tools that do so: one for
each operation, or one with the whole expression."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from course.models.policy.conversation import Made
from course.models.policy.params import params
from course.models.policy.patterns import regex
from course.models.policy.words import content, in_figures, name_words, table, word_list
from course.models.wire import ToolSpec

_NAMES = {op: frozenset(words.split()) for op, words in table("arithmetic.operations").items()}
_PLAIN = frozenset(word_list("arithmetic.plain"))
_EXPRESSIONS = frozenset(word_list("arithmetic.expressions"))
_AROUND = frozenset(content(" ".join(word_list("arithmetic.around"))))
_WORKS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "**": operator.pow, "%": operator.mod,
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%",
}  # fmt: skip
_SAID = {"+": "+", "-": "−", "*": "×", "/": "÷", "**": "^", "%": "mod"}


@dataclass(frozen=True)
class Sum:
    """An operation and what it is done with: numbers, or what others come to."""

    operator: str
    left: float | Sum
    right: float | Sum

    def __str__(self) -> str:
        return f"{_inner(self.left)} {self.operator} {_inner(self.right)}"


def _inner(operand: float | Sum) -> str:
    return f"({operand})" if isinstance(operand, Sum) else str(operand)


@dataclass(frozen=True)
class Reckoning:
    """A sum and the call that works it out.

    Attributes:
        text: the sum as it stands.
        tool: what works it out; None if nothing does.
        arguments: those of the call; None as long as what it builds on is not known.
        fails: whether what it builds on could not be worked out.
    """

    text: str
    tool: ToolSpec | None
    arguments: Mapping[str, Any] | None
    fails: bool = False


# --- what a text asks to be worked out -----------------------------------------------------------

_NUMBER = r"(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\w|[.,:]\d|-[^\W\d])"
_RESULT = table("cue.arithmetic")["result"]
_OPERAND = rf"(?:{_NUMBER}|{_RESULT}|\([^()]*\))"
_WRITTEN = tuple(
    (regex(pattern.replace("#", _OPERAND), re.IGNORECASE), written)
    for pattern, written in table("arithmetic.written")
)
_JOINT = r"\s{0,9}(?:\*\*|[-+*/^×÷·–−]|(?<=\s)[x%](?=\s))\s{0,9}"
_BRACKETED = rf"\({{0,9}}\s{{0,9}}(?:{_NUMBER}|{_RESULT})\s{{0,9}}\){{0,9}}"
_RUN = regex(rf"{_BRACKETED}(?:(?:{_JOINT}{_BRACKETED})|(?:\s+-(?:\d+)(?:\.\d+)?\)*))+", re.I)
_NAMED = regex(_RESULT, re.IGNORECASE)
_SENTENCE = regex(r"(?<=[.!?])\s+")
_RANGE = regex(r"\d+[-–/]\d+")
_DATE = regex(r"\d{2,4}[-/]\d{1,2}[-/]\d{1,4}")
_SYMBOLS = str.maketrans({"×": "*", "·": "*", "x": "*", "÷": "/", "–": "-", "−": "-", "^": "¦"})
_MOST, _LONGEST = 20, 300
"""Operations of a text that are read, and characters of one expression."""


@lru_cache(maxsize=1_000)
def sums_in(text: str) -> tuple[tuple[Sum, ...], str]:
    """What a text asks to be worked out, in its order, each with what it builds on inside it; and
    the rest of the text, "" if nothing is left in it that asks for something."""
    written = in_figures(text)
    for pattern, formed in _WRITTEN:
        for _ in range(_MOST):
            written, changes = pattern.subn(_former(formed), written, count=1)
            if not changes:
                break
    found: list[Sum] = []
    rest = []
    end = 0
    for match in list(_RUN.finditer(written))[:_MOST]:
        other = _DATE.search(match.group()) or (
            _RANGE.fullmatch(match.group().strip()) and _asks(text)
        )
        made = None if other else _parsed(match.group(), found)
        if made is not None:
            found.append(made)
            rest.append(written[end : match.start()])
            end = match.end()
    left = " ".join([*rest, written[end:]]) if found else text
    return tuple(found), " ".join(s for s in _SENTENCE.split(left) if _asks(s))


def _former(formed: str) -> str | Callable[[re.Match[str]], str]:
    """What is written for a match: its groups in a form, or its operands joined by a sign."""
    if formed not in _WORKS:
        return formed
    return lambda match: f"({f' {formed} '.join(re.findall(_OPERAND, match[1], re.IGNORECASE))})"


def _asks(text: str) -> bool:
    """Whether a text has words that arithmetic does not need."""
    return any(w not in _AROUND and not w[0].isdigit() for w in content(text))


def _parsed(run: str, before: list[Sum]) -> Sum | None:
    """A run of numbers and operators as a sum; what is called the result is the sum before it."""
    if len(run) > _LONGEST:
        return None
    code = _NAMED.sub(" result ", run).translate(_SYMBOLS).replace("¦", "**").replace(",", "")
    try:
        made = _sum(ast.parse(code.strip(), mode="eval").body, before)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return made if isinstance(made, Sum) else None


def _sum(node: ast.expr, before: list[Sum]) -> float | Sum:
    match node:
        case ast.BinOp() if type(node.op) in _OPERATORS:
            sides = (_sum(side, before) for side in (node.left, node.right))
            return Sum(_OPERATORS[type(node.op)], *sides)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=float() | int() as number)):
            return -number
        case ast.Constant(value=float() | int() as number):
            return number
        case ast.Name() if before:
            return before[-1]
    raise ValueError("no arithmetic")


# --- what works it out ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Tool:
    """A tool for arithmetic: for one operation on two numbers, for the one that it is told, or for
    an expression."""

    tool: ToolSpec
    operator: str = ""
    sides: tuple[str, ...] = ()
    choice: tuple[str, Mapping[str, str]] | None = None
    expression: str = ""

    def serves(self, asked: Sum) -> bool:
        """Whether it can do an operation."""
        own = self.choice[1] if self.choice else {self.operator}
        return bool(self.expression) or asked.operator in own

    def arguments(self, asked: Sum, left: float, right: float) -> dict[str, Any]:
        """The arguments of a call that does an operation."""
        if self.expression:
            return {self.expression: str(asked)}
        told = {self.choice[0]: self.choice[1][asked.operator]} if self.choice else {}
        return {**dict(zip(self.sides, (left, right), strict=True)), **told}


def _operation(words: tuple[str, ...]) -> str:
    """The one operation that some words name, and nothing else: `add_numbers`, not `add_points`; ""
    if there is none, or several."""
    found = [op for op, names in _NAMES.items() if names & {*words}]
    plain = len(found) == 1 and {*words} <= _NAMES[found[0]] | _PLAIN
    return found[0] if plain else ""


def _for_arithmetic(tool: ToolSpec) -> _Tool | None:
    """What a tool does of arithmetic, by its name and parameters."""
    wanted = [p for p in params(tool.parameters) if p.required]
    numbers = [p for p in wanted if p.type in ("number", "integer")]
    others = [p for p in wanted if p not in numbers]
    if not numbers and len(others) == 1 and others[0].type == "string":
        named = {*name_words(others[0].name)} & _EXPRESSIONS
        return _Tool(tool, expression=others[0].name) if named else None
    if len(numbers) != 2 or len(others) > 1:
        return None
    sides = tuple(p.name for p in numbers)
    if others:
        told = {_operation(name_words(str(o))) or str(o): str(o) for o in others[0].options}
        own = {op: value for op, value in told.items() if op in _WORKS}
        return _Tool(tool, sides=sides, choice=(others[0].name, own)) if own else None
    done = _operation(name_words(tool.name))
    second, first = (re.escape(s) for s in sides)
    turned = re.search(rf"\b{second} from (?:the )?{first}\b", tool.description, re.IGNORECASE)
    return _Tool(tool, done, sides[::-1] if turned else sides) if done else None


def reckonings(
    text: str, tools: tuple[ToolSpec, ...], made: tuple[Made, ...]
) -> tuple[list[Reckoning], str]:
    """The calls that work out what a text asks for, those before others that these build on, as
    far as `made` calls go; and the rest of the text. Nothing, and all of the text, if no tool is
    for arithmetic."""
    own = [found for tool in tools if (found := _for_arithmetic(tool))]
    asked, rest = sums_in(text) if own else ((), text)
    done: dict[Sum, Reckoning] = {}
    for each in asked:
        if not any(each in (s.left, s.right) for s in asked):
            _reckon(each, own, made, done)
    return [*done.values()], rest


def _reckon(
    asked: Sum, tools: list[_Tool], made: tuple[Made, ...], done: dict[Sum, Reckoning]
) -> float | None:
    """What a sum comes to, None as long as nobody has said; its calls are added to those `done`."""
    own = next((t for t in tools if t.serves(asked)), None)
    sides = [
        side if own is None or own.expression or not isinstance(side, Sum)
        else _reckon(side, tools, made, done)
        for side in (asked.left, asked.right)
    ]  # fmt: skip
    if own is None or any(s is None for s in sides):
        inner = [done[s] for s in (asked.left, asked.right) if s in done]
        fails = any(r.fails or _failed(r, made) for r in inner)
        done[asked] = Reckoning(str(asked), own.tool if own else None, None, fails)
        return None
    left, right = (s if isinstance(s, float | int) else 0 for s in sides)
    arguments = own.arguments(asked, left, right)
    done[asked] = Reckoning(str(asked), own.tool, arguments)
    result = _made(own.tool.name, arguments, made)
    return None if result is None or result.error is not None else number_in(result.data)


def _made(name: str, arguments: Mapping[str, Any], made: tuple[Made, ...]) -> Made | None:
    alike = (m for m in made if m.name == name and dict(m.arguments) == arguments)
    return next((m for m in alike if m.text is not None), None)


def _failed(one: Reckoning, made: tuple[Made, ...]) -> bool:
    """Whether nothing came of a call that others build on, or no number."""
    if one.tool is None:
        return True
    result = _made(one.tool.name, one.arguments or {}, made)
    return result is not None and (result.error is not None or number_in(result.data) is None)


def number_in(data: Any) -> float | None:
    """The one number of a result; None if there is none, or several."""
    if isinstance(data, bool) or (isinstance(data, float) and not math.isfinite(data)):
        return None
    if isinstance(data, int | float):
        return int(data) if isinstance(data, float) and data.is_integer() else data
    if isinstance(data, Mapping):
        told = [n for v in data.values() if (n := number_in(v)) is not None]
        return told[0] if len(told) == 1 else None
    numbers = re.findall(_NUMBER, data) if isinstance(data, str) else []
    if not numbers:
        return None
    return number_in(float(numbers[-1].replace(",", "")))


def equation(made: Made) -> str | None:
    """The result of a call of arithmetic with what it comes from ("3 + 4 = 7"), if it is right;
    None for all other calls."""
    plain = made.error is None and isinstance(made.data, int | float)
    result = number_in(made.data) if plain else None
    told = [v for v in made.arguments.values() if isinstance(v, str)]
    sides = [n for v in made.arguments.values() if (n := number_in(v)) is not None]
    asked: tuple[Sum, ...] = ()
    if told and [*made.arguments.values()] == told[:1]:
        found, rest = sums_in(told[0])
        asked = found if len(found) == 1 and not rest else ()
    elif len(sides) == 2:
        done = _operation((*name_words(made.name), *(w for t in told for w in name_words(t))))
        asked = (Sum(done, *sides), Sum(done, *sides[::-1])) if done else ()
    right = (a for a in asked if result is not None and _comes_to(a, result))
    return next((f"{_spoken(str(a))} = {result}" for a in right), None)


def _comes_to(asked: Sum, result: float) -> bool:
    try:
        return abs(_value(asked) - result) <= _CLOSE * max(1.0, abs(result))
    except (ArithmeticError, TypeError):
        return False


_CLOSE = 1e-6
_HIGHEST = 64
"""The highest power that is worked out here."""


def _value(asked: float | Sum) -> float:
    """What a sum comes to; ArithmeticError where that cannot be said."""
    if not isinstance(asked, Sum):
        return asked
    left, right = _value(asked.left), _value(asked.right)
    if asked.operator == "**" and not (abs(right) <= _HIGHEST and abs(left) <= 10**_HIGHEST):
        raise OverflowError
    return _WORKS[asked.operator](left, right)


def _spoken(expression: str) -> str:
    """An expression with the signs that people write."""
    return re.sub(r"(?<= )\S+(?= )", lambda m: _SAID.get(m.group(), m.group()), expression)
