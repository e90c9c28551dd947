"""Values: the result equals what is expected, or fits it, and if not, where it differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from graders.checks import natures
from graders.checks.places import Places, is_named, placed
from graders.checks.text import MISSING, reach
from graders.records.log import Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import clip, count, fail, sealed, shown, unfinished

CODES = {
    "value.no_result": "the run ended without a result to compare",
    "value.nowhere": "the result has nothing at the place that is looked at",
    "value.kind": "a value is of another kind, such as a text where a number should be",
    "value.missing": "a key that should be there is not",
    "value.extra": "a key is there that should not be",
    "value.length": "a list has more or fewer items",
    "value.differs": "a value of the right kind is another one",
}


Path = tuple[str, ...]
"""The steps from a value to a part of it: keys, and places in lists."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two values differ: a code's second half, the path, both sides."""

    code: str
    path: Path
    wanted: str
    came: str


@dataclass(frozen=True, slots=True)
class Rules:
    """How strictly values are compared.

    `extra` allows keys that nobody expected, `any_order` compares lists as bags, `within` is the
    largest difference of two numbers.
    """

    extra: bool = False
    any_order: bool = False
    within: float = 0.0


EXACT = Rules()
Wanted = Any
"""A plain value; or, inside `fits`, a function that says whether a value will do."""


def equals(
    expected: Wanted | Callable[[Log], Wanted],
    *,
    at: str = "",
    any_order: bool = False,
    within: float = 0.0,
    look: str = "look at what your code returns",
) -> Check:
    """The result, or what stands at a path in it, is exactly this.

    Args:
        expected: a plain value, or a function that makes it from the log (replies hold fresh
            tokens, so what should come back is often known only then).
        at: dotted path into the result, such as "items.0.price".
        any_order: lists may be in any order.
        within: numbers may differ by so much.
        look: the end of the message.
    """
    return _compared(expected, at, Rules(False, any_order, within), look)


def fits(
    expected: Wanted | Callable[[Log], Wanted],
    *,
    at: str = "",
    any_order: bool = False,
    within: float = 0.0,
    look: str = "look at what your code returns",
) -> Check:
    """The result holds at least this: other keys are welcome.

    A function among the expected values, such as `lambda n: n > 3`, judges what stands in its
    place; its docstring or name says in messages what it wants.
    """
    return _compared(expected, at, Rules(True, any_order, within), look)


def _compared(expected: Any, at: str, rules: Rules, look: str) -> Check:
    @sealed
    def check(log: Log) -> Verdict:
        stopped = unfinished(log, "value.no_result", "a result")
        if stopped:
            return stopped
        wanted = expected(log) if callable(expected) else expected
        came = reach(log.result, at)
        if came is MISSING:
            there = f"something in {placed(at, log.places)}"
            return fail("value.nowhere", expected=there, got="but there was nothing", look=look)
        found = difference(came, wanted, rules=rules)
        if found is None:
            return passed()
        path = (*at.split("."), *found.path) if at else found.path
        got = _got(found, path, log.places)
        there = f"{placed(path, log.places)} {found.wanted}"
        nature = _nature(came, wanted, found.path, rules)
        hint = f"{nature}; {look}" if nature else look
        verdict = fail(f"value.{found.code}", expected=there, got=got, look=hint)
        where = ".".join("*" if step.isdecimal() else step for step in path)
        return replace(verdict, cause=f"{where}: {found.came}")

    return check


def _got(found: Difference, path: Path, places: Places) -> str:
    """What came instead; of a thing that is not there, what is: but not the stage's own names."""
    if found.code != "missing":
        return f"got {found.came}"
    if found.came.startswith("a raised "):
        return f"got {found.came}"
    if is_named(path, places) or not found.came:
        return "but there was none"
    return f"but there is only {clip(found.came, 60)}"


def _items_that_came(came: Any) -> str:
    """How many items came, and which, as far as they are short."""
    if not came:
        return "none"
    large = any(isinstance(each, Mapping | list | tuple) for each in came)
    told = shown(list(came), 60)
    return str(len(came)) if large and told.endswith("…") else f"{len(came)}: {told}"


def same(came: Any, wanted: Any) -> bool:
    """Whether two plain values are equal: 1 is 1.0, but not True, and not "1"."""
    return difference(came, wanted) is None


def difference(
    came: Any, wanted: Any, *, rules: Rules = EXACT, path: Path = ()
) -> Difference | None:
    """The first difference between two plain values, in the order of what is wanted; or None."""
    if callable(wanted):
        return (
            None
            if _will_do(wanted, came)
            else Difference("differs", path, f"to be {_asked(wanted)}", _what(came))
        )
    if natures.kind_of(came) != natures.kind_of(wanted):
        return _kinds(came, wanted, path)
    if isinstance(wanted, Mapping):
        return _mapping(came, wanted, rules, path)
    if isinstance(wanted, list | tuple):
        return _items(came, wanted, rules, path)
    if isinstance(wanted, int | float) and not isinstance(wanted, bool):
        if _close(came, wanted, rules.within):
            return None
        return Difference("differs", path, f"to be {shown(wanted)}", shown(came))
    return None if came == wanted else _texts(came, wanted, path)


def _mapping(
    came: Mapping[Any, Any], wanted: Mapping[Any, Any], rules: Rules, path: Path
) -> Difference | None:
    for key, value in wanted.items():
        here = (*path, str(key))
        if key not in came:
            raised = came.get("raised")
            there = f"a raised {raised}" if raised else ", ".join(f"`{each}`" for each in came)
            return Difference("missing", here, f"to be {_asked(value)}", there)
        found = difference(came[key], value, rules=rules, path=here)
        if found:
            return found
    spare = [key for key in came if key not in wanted]
    if spare and not rules.extra:
        return Difference("extra", (*path, str(spare[0])), "to be absent", shown(came[spare[0]]))
    return None


def _items(came: Any, wanted: Any, rules: Rules, path: Path) -> Difference | None:
    if len(came) != len(wanted):
        size = f"to have {count(len(wanted), 'item')}" if wanted else "to be empty"
        return Difference("length", path, size, _items_that_came(came))
    if rules.any_order:
        return _bag(came, wanted, rules, path)
    for index, (one, other) in enumerate(zip(came, wanted, strict=True)):
        found = difference(one, other, rules=rules, path=(*path, str(index)))
        if found:
            return found
    return None


def _bag(came: Any, wanted: Any, rules: Rules, path: Path) -> Difference | None:
    """Items in any order: each wanted one takes one that came, and gives way when it can.

    Augmenting paths, because a loose item may fit several places and must not take the only one
    that another needs.
    """
    fit = [[difference(c, w, rules=rules) is None for c in came] for w in wanted]
    taken: dict[int, int] = {}

    def place(index: int, seen: set[int]) -> bool:
        for spot, good in enumerate(fit[index]):
            if good and spot not in seen:
                seen.add(spot)
                if spot not in taken or place(taken[spot], seen):
                    taken[spot] = index
                    return True
        return False

    left = [index for index in range(len(wanted)) if not place(index, set())]
    if len(left) == 1:
        [spot] = set(range(len(came))) - set(taken)
        return difference(came[spot], wanted[left[0]], rules=rules, path=(*path, str(spot)))
    if left:
        asked = f"to hold {_asked(wanted[left[0]])}"
        return Difference("differs", path, asked, _items_that_came(came))
    return None


def _texts(came: Any, wanted: Any, path: Path) -> Difference:
    """Two texts that differ, from the place where they do when they are long."""
    if natures.is_error(came) != natures.is_error(wanted):
        return _errors(came, wanted, path, "differs")
    if not isinstance(wanted, str) or len(wanted) <= 40:
        return Difference("differs", path, f"to be {shown(wanted)}", shown(came))
    pairs = enumerate(zip(came, wanted, strict=False))
    first = next((i for i, (a, b) in pairs if a != b), min(len(came), len(wanted)))
    begin = max(0, first - 10)
    sides = [f"…{shown(text[begin:], 36)}" for text in (wanted, came)]
    return Difference("differs", path, f"to be {sides[0]}", sides[1])


def _kinds(came: Any, wanted: Any, path: Path) -> Difference:
    """Two values of different kinds."""
    if natures.is_error(came) or natures.is_error(wanted):
        return _errors(came, wanted, path, "kind")
    return Difference("kind", path, f"to be {shown(wanted)}", _of_kind(came))


def _errors(came: Any, wanted: Any, path: Path, code: str) -> Difference:
    """An exception's name on one side: it was raised, and is no value that was given."""
    if natures.is_error(came):
        return Difference(code, path, f"to be {shown(wanted)}", f"a raised {came}")
    return Difference(code, path, f"to be a raised {wanted}", _what(came))


def _of_kind(came: Any) -> str:
    kind = natures.kind_of(came)
    return f"the {kind} {shown(came)}" if kind else shown(came)


def _nature(came: Any, wanted: Any, path: Path, rules: Rules) -> str:
    """How they differ, at the place where they do or, in their order, in a list around it."""
    around = []
    for step in path:
        if rules.any_order and isinstance(came, list | tuple):
            return ""  # the same place is not the same item
        around.append((came, wanted))
        came, wanted = _part(came, step), _part(wanted, step)

    def alike(one: Any, other: Any) -> bool:
        return difference(one, other, rules=rules) is None

    here = natures.of_values(came, wanted, alike)
    for one, other in reversed(around):
        if isinstance(one, list | tuple) and len(one) == len(other):
            here = natures.of_lists(one, other, alike) or here
    return here


def _part(value: Any, step: str) -> Any:
    if isinstance(value, Mapping):
        return next((each for key, each in value.items() if str(key) == step), None)
    return value[int(step)] if isinstance(value, list | tuple) else None


def _asked(wanted: Wanted) -> str:
    """What is expected, in the words of its test where one judges."""
    if not callable(wanted):
        return shown(wanted)
    return str(wanted.__doc__ or getattr(wanted, "__name__", "something else")).strip()


def _what(came: Any) -> str:
    """What came where a test of its own judges: it is said of more than a text or a number."""
    return _of_kind(came) if isinstance(came, Mapping | list | tuple) else shown(came)


def _close(came: float, wanted: float, within: float) -> bool:
    try:
        return came == wanted or abs(came - wanted) <= within
    except OverflowError:  # a whole number of 400 digits against a fraction
        return False


def _will_do(test: Callable[[Any], Any], value: Any) -> bool:
    try:
        return bool(test(value))
    except Exception:  # a value of another kind cannot even be tested
        return False
