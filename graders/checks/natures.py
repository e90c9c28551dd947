"""How a value differs from the one that is asked for, where that is plain: order, count, edge...

A hint begins with it, before it says where an exercise's own fault may lie.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graders.checks.places import ordinal

_ERROR = re.compile(r"[A-Z]\w*Error")
Alike = Callable[[Any, Any], bool]


def kind_of(value: Any) -> str:
    """What a value is, as a noun: "text"; empty for None."""
    if isinstance(value, bool):
        return "truth value"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, Mapping):
        return "dictionary"
    if isinstance(value, list | tuple):
        return "list"
    return "" if value is None else type(value).__name__


def is_error(value: Any) -> bool:
    """Whether it is an exception's name, which a stage gives in the place of what was raised."""
    return isinstance(value, str) and _ERROR.fullmatch(value) is not None


def of_values(came: Any, wanted: Any, alike: Alike) -> str:
    """How two values differ, whatever they are; "" where that is not plain.

    Args:
        came: the one that is there.
        wanted: the one that is asked for; or a test, which may say `how` a value differs from it.
        alike: whether two items of lists are equal.
    """
    if callable(wanted):
        how = getattr(wanted, "how", None)
        return str(how(came)) if how else ""
    kind = kind_of(wanted)
    if kind_of(came) != kind:
        return "" if is_error(came) or is_error(wanted) else of_types(came, kind)
    if kind == "list":
        return of_lists(came, wanted, alike)
    if kind == "text":
        return of_texts(came, wanted)
    return of_numbers(came, wanted) if kind == "number" else ""


def of_types(came: Any, wanted: str) -> str:
    """One is a text and the other a number, or the like; `wanted` is the noun of what is asked."""
    kind = kind_of(came)
    return f"a {wanted} is asked for, not a {kind}" if kind and wanted and kind != wanted else ""


def of_numbers(came: float, wanted: float) -> str:
    """Whole numbers that lie side by side: an end is counted too often, or not at all."""
    if not isinstance(came, int) or not isinstance(wanted, int) or abs(came - wanted) != 1:
        return ""
    return f"that is one {'more' if came > wanted else 'less'}"


def of_texts(came: str, wanted: str) -> str:
    """The same letters, in other capitals or with other spaces."""
    if came.lower() == wanted.lower():
        return "they differ in capitals"
    return "they differ in spaces" if came.split() == wanted.split() else ""


def of_words(came: Any, wanted: Sequence[str]) -> str:
    """Which of several words a text lacks, where it has others of them."""
    if not isinstance(came, str):
        return of_types(came, "text")
    missing = [each for each in wanted if each not in came]
    return f'"{missing[0]}" is missing' if 0 < len(missing) < len(wanted) else ""


def of_json(came: Any, wanted: Any) -> str:
    """What is to be the JSON text of a value, and is not."""
    if not isinstance(came, str):
        return of_types(came, "text")
    try:
        said = json.loads(came)
    except ValueError:
        return "that is no JSON"
    if not isinstance(said, Mapping) or not isinstance(wanted, Mapping):
        return ""
    if said == wanted and list(said) != list(wanted):
        return "the right ones in another order"
    missing = [key for key in wanted if key not in said]
    spare = [key for key in said if key not in wanted]
    if missing or spare:
        return f'"{(missing or spare)[0]}" is {"missing" if missing else "too many"}'
    return next((f'"{key}" differs' for key in wanted if said[key] != wanted[key]), "")


def of_lists(came: Sequence[Any], wanted: Sequence[Any], alike: Alike) -> str:
    """The right items in another order; or some are missing, too many, or there again."""
    missing, spare = list(range(len(wanted))), list[int]()
    for number, each in enumerate(came):
        found = next((place for place in missing if alike(each, wanted[place])), None)
        if found is None:
            spare.append(number)
        else:
            missing.remove(found)
    if not missing and not spare:
        return "the right ones in another order"
    if came and not spare:
        return _which(missing, len(wanted), "missing")
    if wanted and not missing:
        again = any(alike(came[spare[0]], each) for each in wanted)
        return _which(spare, len(came), "there again" if again else "too many")
    return ""


def _which(places: Sequence[int], many: int, what: str) -> str:
    """Which items of so many are missing or too many, as far as that is said in a few words."""
    if len(places) == 1:
        return f"the {'last' if places[0] == many - 1 else ordinal(places[0] + 1)} is {what}"
    row = places[-1] - places[0] + 1 == len(places)
    end = "first " if places[0] == 0 else "last " if places[-1] == many - 1 else ""
    return f"the {end}{len(places)} are {what}" if row and end else f"{len(places)} are {what}"
