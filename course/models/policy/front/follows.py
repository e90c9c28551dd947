"""Follows: what a deed goes back to: a value that was said, an offer that is taken, a choice, a
correction, or a try that failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from course.models.policy.front.carry import picks
from course.models.policy.front.mood import parts_of
from course.models.policy.front.situation import DATED, Situation
from course.models.policy.front.tool import changes
from course.models.policy.mentions import mentions
from course.models.policy.needs import Wanted
from course.models.policy.words import cue, in_figures
from course.models.wire import ToolSpec

_OFFERED = cue("gate.offered")


def holds_value(call: Wanted, part: str) -> bool:
    """Whether a part says one of a call's values."""
    low = in_figures(part.lower())
    values = (str(v).lower() for v in leaves(call.arguments) if not isinstance(v, bool))
    return any(v in low and _whole(v, low) for v in values if v)


def _whole(value: str, text: str) -> bool:
    """Whether a value stands in a text as a word or words of its own."""
    return bool(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text))


def leaves(value: Any) -> Iterator[Any]:
    """The plain values within one."""
    if isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from leaves(each)
    else:
        yield value


def tries_other(call: Wanted, sit: Situation) -> bool:
    """Whether a call is one that just failed with one value changed: what was ordered still is."""
    keys = ({*call.arguments, *m.arguments} for m in sit.own if m.name == call.name and m.error)
    failed = [m for m in sit.own if m.name == call.name and m.error]
    return any(
        sum(call.arguments.get(k) != m.arguments.get(k) for k in each) == 1 and len(each) > 1
        for each, m in zip(keys, failed, strict=True)
    )


_CHOOSES = re.compile(r"\b(?:same|(?:the )?(?:first|second|third|last|\w+ing|\w+est) one)\b", re.I)


def goes_on(call: Wanted, tool: ToolSpec, sit: Situation) -> bool:
    """Whether the last words, ordering nothing else, answer our question with a value, choose one
    of what was brought, or want the same once more."""
    last = parts_of(sit.latest, sit.verbs)
    if not any(p.mood == "ordered" for p in sit.parts) or any(p.mood == "asked" for p in last):
        return False
    says = holds_value(call, sit.latest) or bool(_dates_of(call) & _dates_in(sit))
    replies = (sit.asked.rstrip().endswith("?") and says) or _takes_offer(sit)
    picked = any(picks(p, tool, sit) for p in last if p.mood == "ordered")
    return replies or picked or bool(sit.before and _CHOOSES.search(sit.latest))


def _takes_offer(sit: Situation) -> bool:
    """Whether the last words name a moment that we said could be had."""
    told, said = (
        {m.value for m in mentions(text, sit.today) if m.kind in ("time", "date")}
        for text in (sit.asked, sit.latest)
    )
    return bool(_OFFERED.search(sit.asked) and told & said)


def _dates_of(call: Wanted) -> set[str]:
    return {str(v)[:10] for v in leaves(call.arguments) if DATED.fullmatch(str(v))}


def _dates_in(sit: Situation) -> set[str]:
    found = (m for m in mentions(sit.latest, sit.today) if m.kind in ("date", "datetime"))
    return {str(m.value)[:10] for m in found}


def puts_right(call: Wanted, sit: Situation, tools: Sequence[ToolSpec]) -> bool:
    """Whether the last words correct something done before, and a call changes just that."""
    deeds = {t.name for t in tools if changes(t)}
    done = [m for m in sit.before if m.name in deeds and m.error is None][-1:]
    told = "\n".join(str(v) for m in done for v in (m.text, *m.arguments.values()))
    same = any(isinstance(v, str) and v in told for v in call.arguments.values())
    return same and bool(CORRECTS.search(sit.latest))


CORRECTS = re.compile(
    r"\b(?:(?:make|change|correct) (?:that|it)|i (?:mean|meant)|sorry|oops|should be)\b", re.I
)
