"""Results: what came back from a tool as sentences and short lists, with nothing added."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from course.models.policy.conversation import Made
from course.models.policy.lines import bullets, head, record_block, record_line, scalar
from course.models.policy.verbs import action_of, is_noun_phrase
from course.models.policy.wordlists import cue, word_list
from course.models.policy.words import name_words, plural, singular

_READING = frozenset(word_list("results.reading"))
_PAST = dict(pair.split(":") for pair in word_list("results.past"))
_TOTALS = ("count", "total", "query", "page", "ok", "success", "status")
# What an error says to the caller of the tool and not to the person who is waiting.
_TO_CALLER = cue("results.to_caller", 0)
_WHICH = re.compile(r"\bwhich (?:one|of)|\bseveral\b|\bambiguous\b|\b\d+ \w+ match", re.IGNORECASE)

Names = Mapping[str, str]  # what ids stand for, as far as results have told


def _past(verb: str) -> str:
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if re.search(r"[^aeiou]y$", verb) else verb + "ed"


def entity_of(tool_name: str) -> str:
    """What a tool is about, in words: `find_free_slots` gives "free slots"."""
    words = list(name_words(tool_name))
    while words and words[0] in {*_READING, "all", "my"}:
        words = words[1:]
    return " ".join(w for w in words if w not in ("by", "for")) or "results"


def deed_words(name: str) -> str:
    """A tool's name as something to do: `book_room` gives "book the room"."""
    words = name_words(name)
    if len(words) < 2:
        return " ".join(words) or name
    if words[0] in ("what", "which", "who", "when", "where", "how"):
        return f"look up {' '.join(words)}"
    if is_noun_phrase(words):
        return f"get the {' '.join(words)}"
    article = "" if words[-1].endswith("s") or words[1] in ("to", "for") else "the "
    return f"{words[0]} {article}{' '.join(words[1:])}"


def deed_done(name: str) -> str:
    """What a tool that changes something did: `book_room` gives "Booked the room"."""
    words = name_words(name)
    rest = " ".join(words[1:])
    article = "the " if rest and not rest.startswith(("to ", "for ", "the ", "a ")) else ""
    return f"{_past(words[0])} {article}{rest}".strip().capitalize() if words else "Done"


def reads(name: str) -> bool:
    """Whether a tool's name says that it answers rather than acts."""
    words = name_words(name)
    if len(words) > 1 and words[0] in ("free", "next", "available"):
        return True  # "free lockers" is no deed
    return is_noun_phrase(words) or words[0] in _READING or action_of(words[0]) == "find"


def sentence(text: str) -> str:
    """A text that starts large and ends with a mark."""
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ":")) or "\n" in text else text + "."


def scope(arguments: Mapping[str, Any], names: Names) -> str:
    """What a lookup was about (" for Anna Vogt, 2026-03-02"), ids by the names they stand for."""
    values = [
        names.get(str(v), scalar(v))
        for v in arguments.values()
        if isinstance(v, str | int | float) and v not in ("", None) and not isinstance(v, bool)
    ]
    return f" for {', '.join(values[:3])}" if values else ""


def error_words(error: str) -> str:
    """An error for the person who waits: no label, nothing that is meant for the caller; a
    question when several things fit."""
    bare = re.sub(r"^\W*(?:\w*error)\W+", "", error.strip(), flags=re.IGNORECASE)
    told = _TO_CALLER.sub("", bare).strip() or bare
    return f"{sentence(told)} Which one do you mean?" if _WHICH.search(bare) else sentence(told)


def _listing(data: list[Any], made: Made, about: str, names: Names) -> str:
    noun = singular(entity_of(made.name))
    where = scope(made.arguments, names)
    if not data:
        return f"I found no {plural(noun)}{where}."
    label = noun if len(data) == 1 else plural(noun)
    return "\n".join([f"I found {len(data)} {label}{where}:", *bullets(data, about)])


def _wrapped(data: Mapping[str, Any]) -> list[Any] | None:
    """The list inside a result such as {"results": [...], "total": 3}."""
    lists = [v for v in data.values() if isinstance(v, list)]
    others = [name_words(k)[-1:] for k, v in data.items() if not isinstance(v, list)]
    plain = all(words and words[0] in _TOTALS for words in others)
    return lists[0] if len(lists) == 1 and plain else None


def _scalar_result(made: Made, names: Names) -> str:
    value = made.data
    if isinstance(value, str) and len(value.split()) > 2:
        return sentence(value)
    if not reads(made.name):
        first = _past(name_words(made.name)[0])
        plain = value in (None, True, "") or str(value).strip(".! ").lower() in (
            "ok",
            "done",
            first,
        )
        return sentence(
            deed_done(made.name) if plain else f"{deed_done(made.name)}: {scalar(value)}"
        )
    if value in (None, ""):
        return f"I found no {entity_of(made.name)}{scope(made.arguments, names)}."
    return sentence(f"{entity_of(made.name)}{scope(made.arguments, names)}: {scalar(value)}")


def _record(data: Mapping[str, Any], made: Made, about: str) -> str:
    if reads(made.name):
        return sentence(record_block(data, about))
    called, used = head(data)
    rest = record_line({k: v for k, v in data.items() if k not in used}, about)
    deed = f"{deed_done(made.name)} {called}".strip()
    return sentence(f"{deed}: {rest}" if rest != "empty" else deed)


def render(made: Made, about: str = "", names: Names | None = None) -> str:
    """A tool's result as text; `about` is the part of the request it answers, `names` says what
    ids stand for."""
    data, known = made.data, names or {}
    if made.error is not None:
        return f"I could not {deed_words(made.name)}: {error_words(made.error)}"
    if isinstance(data, Mapping) and data:
        inner = _wrapped(data) if reads(made.name) else None
        return _record(data, made, about) if inner is None else _listing(inner, made, about, known)
    if isinstance(data, list):
        return _listing(data, made, about, known)
    return _scalar_result(Made(made.name, made.arguments, "", None) if data == {} else made, known)
