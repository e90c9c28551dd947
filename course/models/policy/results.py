"""Results: tool results as sentences and short lists, with nothing added to them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from course.models.policy.conversation import Made
from course.models.policy.verbs import action_of, is_noun_phrase
from course.models.policy.words import content, human, name_stems, name_words, plural, singular

MOST = 6  # items shown of a list
_VERBS = frozenset(
    """find search list show get check look lookup view fetch retrieve query browse
    read track compare calculate compute estimate suggest recommend run call
    do convert translate""".split()
)
_PAST = {
    "book": "booked",
    "make": "made",
    "buy": "bought",
    "send": "sent",
    "pay": "paid",
    "set": "set",
    "put": "put",
    "cancel": "cancelled",
    "submit": "submitted",
    "begin": "begun",
    "transfer": "transferred",
    "refer": "referred",
    "write": "written",
    "give": "given",
    "take": "taken",
    "do": "done",
    "plan": "planned",
    "drop": "dropped",
    "stop": "stopped",
    "ship": "shipped",
    "rent": "rented",
    "lend": "lent",
    "swap": "swapped",
}
_HEADS = ("name", "title", "full_name", "label", "subject")


def _past(verb: str) -> str:
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if re.search(r"[^aeiou]y$", verb) else verb + "ed"


def entity_of(tool_name: str) -> str:
    """What a tool is about, in words: `find_free_slots` gives "free slots"."""
    words = list(name_words(tool_name))
    while words and words[0] in {*_VERBS, *("all", "my")}:
        words = words[1:]
    return " ".join(w for w in words if w not in ("by", "for")) or "results"


def scalar(value: Any) -> str:
    """One value as a reader expects it: yes and no, dates with a space, whole numbers plain."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{value:.0f}"
    if isinstance(value, float):
        return f"{value:.2f}" if abs(value * 100 - round(value * 100)) < 1e-9 else str(value)
    text = str(value).strip()
    moment = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::00(?:\.0+)?)?(?:Z|\+00:00)?", text)
    return f"{moment[1]} {moment[2]}" if moment else text


def _head(record: Mapping[str, Any]) -> tuple[str, list[str]]:
    """How a record is called: its name or title with its id in brackets; and the keys used."""
    name = next((k for k in record if k.lower() in _HEADS and isinstance(record[k], str)), None)
    name = name or next(
        (k for k in record if k.lower().endswith("_name") and isinstance(record[k], str)), None
    )
    identity = next((k for k in record if k.lower() == "id"), None) or next(
        (k for k in record if name_words(k)[-1:] == ("id",) and isinstance(record[k], str | int)),
        None,
    )
    if name and identity:
        return f"{record[name]} ({record[identity]})", [name, identity]
    key = name or identity
    return (str(record[key]), [key]) if key else ("", [])


def _bare(key: str, value: Any) -> bool:
    """Whether a value says by itself what it is: a date, a time, a state."""
    return isinstance(value, str) and (
        (
            bool(re.match(r"\d{4}-\d\d-\d\d|\d\d:\d\d$", value))
            and key.lower() in ("date", "day", "time", "start", "when", "slot", "datetime")
        )
        or key.lower() in ("status", "state")
    )


def _field(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return human(key) if value else f"not {human(key)}"
    text = inline(value)
    return text if _bare(key, value) else f"{human(key)} {text}"


def inline(value: Any) -> str:
    """Any value on one line."""
    if isinstance(value, Mapping):
        return record_line(value)
    if isinstance(value, list):
        shown = [inline(v) for v in value[:MOST]]
        more = [f"{len(value) - MOST} more"] if len(value) > MOST else []
        return ", ".join([*shown, *more]) or "none"
    return scalar(value)


def record_line(record: Mapping[str, Any], about: str = "") -> str:
    """A record on one line: how it is called, then its fields, those that were asked for first."""
    head, used = _head(record)
    fields = [(k, v) for k, v in record.items() if k not in used and v not in (None, "", [], {})]
    asked = set(content(about))
    fields.sort(key=lambda f: not set(name_stems(f[0])) & asked)
    rest = ", ".join(_field(k, v) for k, v in fields)
    return ": ".join(p for p in (head, rest) if p) or "empty"


def _scope(arguments: Mapping[str, Any]) -> str:
    """What a lookup was about, for a sentence about nothing found."""
    values = [
        scalar(v)
        for v in arguments.values()
        if isinstance(v, str | int | float) and v not in ("", None) and not isinstance(v, bool)
    ]
    return f" for {', '.join(values[:3])}" if values else ""


def _listing(data: list[Any], made: Made, about: str) -> str:
    noun = entity_of(made.name)
    if not data:
        return f"I found no {plural(singular(noun))}{_scope(made.arguments)}."
    count = len(data)
    label = singular(noun) if count == 1 else plural(singular(noun))
    lines = [
        f"- {record_line(v, about) if isinstance(v, Mapping) else inline(v)}" for v in data[:MOST]
    ]
    more = [f"- and {count - MOST} more"] if count > MOST else []
    return "\n".join([f"I found {count} {label}{_scope(made.arguments)}:", *lines, *more])


def _wrapped(data: Mapping[str, Any]) -> list[Any] | None:
    """The list inside a result such as {"results": [...], "total": 3}."""
    lists = [v for v in data.values() if isinstance(v, list)]
    others = [k for k, v in data.items() if not isinstance(v, list)]
    plain = all(
        name_words(k)[-1:]
        and name_words(k)[-1] in ("count", "total", "query", "page", "ok", "success", "status")
        for k in others
    )
    return lists[0] if len(lists) == 1 and plain else None


def _deed(name: str) -> str:
    """What a tool that changes something did: `book_room` gives "Booked the room"."""
    words = name_words(name)
    rest = " ".join(words[1:])
    article = "the " if rest and not rest.startswith(("to ", "for ", "the ", "a ")) else ""
    return f"{_past(words[0])} {article}{rest}".strip().capitalize() if words else "Done"


def reads(name: str) -> bool:
    """Whether a tool's name says that it answers rather than acts."""
    words = name_words(name)
    return is_noun_phrase(words) or words[0] in _VERBS or action_of(words[0]) == "find"


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?", ":")) or "\n" in text else text + "."


def _scalar_result(made: Made) -> str:
    value = made.data
    if isinstance(value, str) and (len(value.split()) > 2 or not value):
        return _sentence(value) if value.strip() else _empty(made)
    if not reads(made.name):
        return (
            f"{_deed(made.name)}."
            if value in (None, True, "", "ok", "OK", "done")
            else f"{_deed(made.name)}: {scalar(value)}."
        )
    return _sentence(
        f"{entity_of(made.name).capitalize()}{_scope(made.arguments)}: {scalar(value)}"
    )


def _empty(made: Made) -> str:
    return (
        f"{_deed(made.name)}."
        if not reads(made.name)
        else f"I found no {entity_of(made.name)}{_scope(made.arguments)}."
    )


def render(made: Made, about: str = "") -> str:
    """A tool's result as text, `about` being the part of the request it answers."""
    data = made.data
    if made.error is not None:
        return f"I could not {human(made.name)}: {_sentence(made.error)}"
    if isinstance(data, Mapping):
        inner = _wrapped(data)
        if inner is not None:
            return _listing(inner, made, about)
        if not data:
            return _empty(made)
        line = record_line(data, about)
        return _sentence(
            line[:1].upper() + line[1:] if reads(made.name) else f"{_deed(made.name)}: {line}"
        )
    if isinstance(data, list):
        return _listing(data, made, about)
    return _scalar_result(made)


def as_text(value: Any) -> str:
    """A value as text for the inside of another text: strings as they are, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
