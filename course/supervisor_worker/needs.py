"""What a task needs of others, as far as its words tell it, where it names none of them.

A calculation has to calculate with something, and a text has to be about something. Where a task
that waits for nobody has neither figures nor a subject of its own, the tasks beside it that look
something up are what it needs; what hangs on a condition needs those that look at it. Tasks that
wait for something are left alone, and so are those that name a tool of their worker's that looks up
what it compares.

Source: false independence, the commonest fault of plans that models make.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache

from course.conditions import Condition, condition_of, orders
from course.stems import stem
from course.supervisor_worker.plan import Plan, PlanTask
from course.supervisor_worker.selecting import purpose_of
from course.tools import Tool

_GATHERS = re.compile(
    r"\A\W*(?:please )?(?:gather|collect|find|look|get|fetch|search|retrieve|research|query|read"
    r"|extract|obtain|list|pull|check|identify|determine|look up)\b",
    re.IGNORECASE,
)
_DERIVES = re.compile(
    r"\A\W*(?:please )?(?:then )?(?:calculate|compute|work out|compare|rank|analy[sz]e|evaluate"
    r"|interpret|assess|add up|sum up|average)\b",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"\A\W*(?:please )?(?:then )?(?:write|draft|compose|prepare|summari[sz]e|format|present|report"
    r"|recommend|conclude|turn)\b",
    re.IGNORECASE,
)
_DERIVED = re.compile(  # what is calculated from something else
    r"\b(?:change|difference|growth|rates?|ratio|share|total|sum|average|mean|percentages?|percent"
    r"|margin|trend|drift|result|results|findings|figures|numbers|outcome|data|values|comparison"
    r"|increase|decrease|variance|year-over-year|year-on-year|yoy)\b",
    re.IGNORECASE,
)
_FROM_OTHERS = re.compile(
    r"\b(?:the|these|those|its|their|that|all|this) (?:\w+ )?(?:results?|findings|figures|numbers"
    r"|outcomes?|data|change|difference|comparison|analysis|calculation|growth|above|list)\b",
    re.IGNORECASE,
)
_FORMS = (
    "email mail letter report note memo summary text message paragraph section page table slide"
    " post article brief briefing short one-page answer conclusion document"
)
_SAID = (
    "a about all an and any as at be by clear concise each for from give given in into is it its"
    " latest of on or our percent please say short simple so that the their them then these they"
    " this to two up we what which with you your year calculate compute compare rank write draft"
    " compose prepare summarise summarize format present report recommend analyse analyze evaluate"
    " interpret assess work out conclude turn add sum average e mail"
)
_LITTLE = (
    "a about an and as at by can could for i in is it me my of on our please so that the then to us"
    " we will with would you your"
)
MUCH_ALIKE = 0.8
"""From this share of common words on, a task is the request itself."""
_TO_WHOM = re.compile(r"\b(?:to|for) (?:the |our |my |a )?[\w-]+(?: team| board)?", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])(?!(?:19|20)\d\d\b)\d[\d,.]*")


def unnamed_needs(
    task: PlanTask, known: Mapping[str, PlanTask], tools: Collection[Tool] = ()
) -> Iterator[str]:
    """The ids of the tasks whose results a task needs by its words and does not wait for; `tools`
    are those of its worker.
    """
    words = task.description
    if task.dependencies:
        return
    if found := condition_of(words):
        yield from _looking(found, task, known)
        return
    if _NUMBER.search(words):
        return
    others = [t for t in known.values() if t.id != task.id and not _waits(t, task.id, known)]
    writes = _WRITES.match(words)
    if writes:
        subject = _subject(_TO_WHOM.sub("", words))
        if subject and not _FROM_OTHERS.search(words):
            return
        wanted = [t for t in others if not _WRITES.match(t.description)]
        subject = frozenset()
    elif _DERIVES.match(words) and (_DERIVED.search(words) or not _subject(words)):
        subject = _subject(_DERIVED.sub("", words))
        if subject and any(_looks_up(tool, words) for tool in tools):
            return
        wanted = [t for t in others if _GATHERS.match(t.description)]
    else:
        return
    for other in wanted:
        if not subject or subject & _subject(other.description):
            yield other.id


def _looking(condition: Condition, task: PlanTask, known: Mapping[str, PlanTask]) -> Iterator[str]:
    """The ids of the tasks that look at what a task hangs on."""
    about = _subject(condition.looks)
    for other in known.values():
        looks = about & _subject(other.description) and not orders(other.description, condition)
        if looks and other.id != task.id and not _waits(other, task.id, known):
            yield other.id


def copies(plan: Plan, request: str) -> list[str]:
    """The ids of the tasks that are the whole request, where they are for several workers and no
    choice is to be made between what they find.
    """
    if purpose_of(request) == "select":
        return []
    asked = _words(request)
    alike = [t for t in plan.tasks if _alike(asked, _words(t.description)) >= MUCH_ALIKE]
    return [t.id for t in alike] if len({t.worker for t in alike}) > 1 else []


def _words(text: str) -> frozenset[str]:
    return frozenset(map(stem, re.findall(r"[a-z0-9]+", text.lower()))) - _stems(_LITTLE)


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of all their words that two texts have in common (Jaccard, 1901)."""
    return len(one & other) / len(one | other) if one | other else 0.0


def _looks_up(tool: Tool, words: str) -> bool:
    """Whether words name a tool, by two words or more, that takes names and no values."""
    name, said = tool.name.lower().split("_"), set(map(stem, re.findall(r"[a-z]+", words.lower())))
    taken = [each.get("type") for each in tool.parameters.get("properties", {}).values()]
    named = len(name) > 1 and said.issuperset(map(stem, name))
    return named and "string" in taken and not {"number", "array", "object"} & {*taken}


def _subject(words: str) -> frozenset[str]:
    """The stems of what a text is about: its words, less those that any task of the kind has."""
    found = map(stem, re.findall(r"[a-z]+", words.lower()))
    return frozenset(found) - _stems(f"{_SAID} {_FORMS}")


@cache
def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


def _waits(task: PlanTask, id: str, known: Mapping[str, PlanTask]) -> bool:
    """Whether a task waits for the one of this id, directly or by way of others."""
    reached, left = set[str](), [task]
    while left:
        for need in left.pop().dependencies:
            if need == id:
                return True
            if need in known and need not in reached:
                reached.add(need)
                left.append(known[need])
    return False
