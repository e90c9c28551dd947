"""Queries: the words to search for, out of a task that says what is to be found out."""

from __future__ import annotations

import re

from course.models.policy.mentions import mentions
from course.models.policy.naming import YEAR, subjects, without_names
from course.models.policy.params import params
from course.models.policy.wordlists import word_list
from course.models.policy.words import STOP_WORDS, content, stem, tokens
from course.models.wire import ToolSpec

_MOST = 5  # words of a query
_ASKING = frozenset(stem(w) for w in word_list("queries.asking"))


def query_for(tool: ToolSpec, ask: str, task: str, lines: tuple[str, ...] = ()) -> list[str]:
    """A query of few telling words, without the names that another argument takes; with the names
    of what results in `lines` found, where the task is about that."""
    found = found_names(task, lines) if FOUND.search(ask) or FOUND.search(task) else ()
    if found:
        return [" ".join(f'"{n}"' if " " in n else n for n in found)]
    quoted = [str(m.value) for m in mentions(ask) if m.kind == "quoted"]
    if quoted:
        return [f'"{quoted[0]}"']
    named = any(p.kind in ("name", "words", "query") and not p.required for p in params(
        tool.parameters))  # fmt: skip
    for text in (ask, task):
        words = telling(without_names(text) if named else text)
        if words:
            return [" ".join(words[:_MOST])]
    about = subjects(task)
    return [about[0]] if about else []


FOUND = re.compile(r"\b(?:what was found|th(?:at|is) one)\b", re.IGNORECASE)


def found_names(task: str, lines: tuple[str, ...]) -> tuple[str, ...]:
    """The names in the first row of a list in results, those that the task does not name first."""
    for line in (li for li in lines if li.startswith("- ")):
        names = subjects(re.sub(r"^- ", "The ", line))
        if names:
            return (tuple(n for n in names if n not in task) or names)[:2]
    return ()


def telling(text: str) -> list[str]:
    """The words of a text that a document about it would hold."""
    found: dict[str, str] = {}
    for token in tokens(re.sub(r"\([^)]*\)", " ", YEAR.sub(" ", text))):
        low = token.text.lower()
        if low in STOP_WORDS or token.stem in _ASKING or low[:1].isdigit() or len(low) < 3:
            continue
        if content(token.text):
            found.setdefault(token.stem, low)
    return list(found.values())
