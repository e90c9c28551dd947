"""Results: what came back from tools, in words: sentences and short lists, with nothing added.

An answer to a person tells a result as it is; a finding tells of it the rows and figures that a
task asks for, and all where the task does not say what it wants. A text out of a document stays a
quotation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from course.models.policy.arithmetic import equation
from course.models.policy.conversation import Made
from course.models.policy.lexicon import EITHER, VERBS, action_of, is_noun_phrase, meant, nearest
from course.models.policy.lines import bullets, head, record_block, record_line, scalar
from course.models.policy.needs import records
from course.models.policy.patterns import regex
from course.models.policy.words import (
    cue,
    human,
    name_stems,
    name_words,
    plural,
    singular,
    stem,
    word_list,
)

_COMPARES = cue("results.compares")
_READING = frozenset(word_list("results.reading"))
_PAST = dict(pair.split(":") for pair in word_list("results.past"))
_ASKING = frozenset(word_list("results.asking"))
# What an error says to the caller of the tool and not to the person who is waiting.
_TO_CALLER = cue("results.to_caller", 0)
_WHICH = cue("results.which")
_OFFERS = cue("results.offers")

Names = Mapping[str, str]  # what ids stand for, as far as results have told


def _verb_first(name: str) -> tuple[str, ...]:
    """The words of a tool's name, its verb first: `lesson_cancel` gives "cancel", "lesson"; without
    what stands before a verb and its object: `hr_log_overtime` gives "log", "overtime"."""
    words = name_words(name) or (name,)
    if len(words) > 1 and words[-1] in _KINDS and (words[0] in _READING or not _verb(words[0])):
        words = words[:-1]
    led = len(words) > 2 and not _verb(words[0]) and words[1] not in EITHER
    if led and _verb(words[1]) and not _verb(words[-1]):
        words = words[1:]
    last = words[-1]
    named = _verb(words[0]) or words[0].endswith("s") or last.endswith("s")
    turned = not named and (last in _READING or (action_of(last) and last not in EITHER))
    return (last, *words[:-1]) if turned and len(words) > 1 else words


def _verb(word: str) -> bool:
    """Whether a word is known for a verb."""
    return bool(action_of(word)) or stem(word) in VERBS or word in _READING or word in _PAST


def _names_thing(words: tuple[str, ...]) -> bool:
    """Whether a tool's name says what it gives: `opening_times`, `seats_left`."""
    first = words[0]
    state = words[-1] in _STATES and len(words) > 1 and action_of(first) not in ("change", "find")
    noun = not _verb(first) or first in EITHER
    state = state or (len(words) > 1 and words[-1] in _GIVEN and noun)
    return state or is_noun_phrase(words) or (not _verb(first) and len(words) > 1 and _many(first))


_PARTICLES = frozenset("up out off down in back over away".split())
_STATES = frozenset("status balance details info history".split())
"""What is looked up, also where a word stands before it that may be a verb: "order status"."""
_GIVEN = frozenset(word_list("results.given"))


def _many(word: str) -> bool:
    """Whether a word is a plural, by its end."""
    return singular(word) != word


_KINDS = ("tool", "function", "api")
"""How names say that they are names of tools."""


def deed_words(name: str, description: str = "") -> str:
    """A tool's name as something to do: `book_room` gives "book the room". A word that opens no
    `description`, if there is one, and is no known verb is something to be used."""
    verb, *words = _verb_first(name)
    rest = " ".join(words)
    if _MACHINE.search(rest or verb) and (verb not in _AS_LISTED if not rest else not _verb(verb)):
        return f"use the {verb} {rest}".strip()
    if not rest:
        opens = not description or description.lower().startswith(verb[:-1])
        return verb if opens or _verb(verb) or verb in _AS_LISTED else f"use {verb}"
    if verb in _ASKING or _names_thing((verb, *words)):
        return f"{'look up' if verb in _ASKING else 'get the'} {verb} {rest}"
    verb, words, rest = _parted(verb, words)
    if not rest:
        return verb
    return f"{verb} {'' if _many(rest) or words[0] in ('to', 'for') else 'the '}{rest}"


def _parted(verb: str, words: list[str]) -> tuple[str, list[str], str]:
    """A verb with its particle ("look up"), and what is left of a name, as words and as text."""
    verb, words = ("look", ["up", *words]) if verb == "lookup" else (verb, words)
    particle = words[0] if words and words[0] in _PARTICLES else ""
    rest = words[1:] if particle else words
    return f"{verb} {particle}".strip(), rest, " ".join(rest)


_AS_LISTED = frozenset(word_list("verbs.verbs")) | EITHER | {"monitor"}
_MACHINE = regex(r"(?:at|it|et|ut|ch|rt|v|l)(?:er|or)$")
"""The end of a word for what does something by itself: "converter", "calculator"."""


def done_words(name: str) -> str:
    """What a tool that changes something did: `book_room` gives "Booked the room"."""
    if deed_words(name).startswith("use "):
        return f"Used {deed_words(name)[4:]}"
    called, *named = _verb_first(name)
    said, words, rest = _parted(called, named)
    verb, _, particle = said.partition(" ")
    past = verb + ("d" if verb.endswith("e") else "ed")
    past = verb[:-1] + "ied" if re.search(r"[^aeiou]y$", verb) else past
    past = f"{verb}{verb[-1]}ed" if _SHORT.fullmatch(verb) else past
    article = "the " if rest and words[0] not in ("to", "for", "the", "a") else ""
    done = f"{_PAST.get(verb, past)} {particle}".strip()
    return f"{done} {article}{rest}".strip().capitalize()


_SHORT = regex(r"[^aeiou]*[aeiou][^aeiouwxy]")
"""A verb that doubles its last letter: "log", "logged"."""


def reads(name: str) -> bool:
    """Whether a tool's name says that it answers rather than acts."""
    words = _verb_first(name)
    if len(words) > 1 and words[0] in ("free", "next", "available"):
        return True  # "free lockers" is no deed
    return _names_thing(words) or words[0] in _READING or action_of(words[0]) == "find"


def sentence(text: str) -> str:
    """A text that starts large and ends with a mark."""
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ":")) or "\n" in text else text + "."


def error_words(error: str) -> str:
    """An error for the person who waits: no label, nothing that is meant for the caller; a
    question when several things fit."""
    bare = re.sub(r"^\W*(?:\w*error)\W+", "", error.strip(), flags=re.IGNORECASE)
    told = sentence(_TO_CALLER.sub("", bare).strip() or bare)
    return f"{told} Which one do you mean?" if _WHICH.search(bare) else told


def render(made: Made, about: str = "", names: Names | None = None) -> str:
    """A tool's result as text; `about` is the part of the request it answers, `names` says what
    ids stand for."""
    data, asks = made.data, reads(made.name)
    if made.error is not None:
        told = f"I could not {deed_words(made.name)}: {error_words(made.error)}"
        offers = _OFFERS.search(made.error) and not told.endswith("?")
        return f"{told} What would you like instead?" if offers else told
    if worked := equation(made):
        return sentence(worked)
    if isinstance(data, list):
        return _listing(data, made, about, names or {})
    if isinstance(data, Mapping) and data:
        return sentence(record_block(data, about) if asks else _deed(data, made, about))
    if isinstance(data, str) and len(data.split()) > 2:
        return sentence(data) if asks else _told_deed(data, made)
    about = f"{entity(made.name)}{_scope(made.arguments, names or {})}"
    if data in (None, "", {}):
        return f"I found no {about}." if asks else sentence(done_words(made.name))
    if asks:
        return sentence(f"{about}: {scalar(data)}")
    done = done_words(made.name)
    return sentence(done if _plain(data, done) else f"{done}: {scalar(data)}")


_JOINTS = regex(r"\s*[;|]\s*|(?<=^ok):\s*|(?<=^done):\s*", re.IGNORECASE)


def _told_deed(text: str, made: Made) -> str:
    """What came of a deed, where a text tells it in single notes; else the text as it is."""
    first, *notes = (n.strip().replace("=", " ") for n in _JOINTS.split(text.strip(" .")))
    done = done_words(made.name)
    if not notes:
        return sentence(text)
    kept = notes if _plain(first, done) else [first, *notes]
    return sentence(f"{done}: {', '.join(filter(None, kept))}")


def _plain(data: Any, done: str) -> bool:
    """Whether a result merely says that something is done."""
    return data is True or str(data).strip(".! ").lower() in ("ok", "done", done.lower().split()[0])


def told_of_each(made: list[Made], about: str, names: Names) -> str:
    """Results of one tool as text, each with what it is of where there are several, and how their
    figures compare where the request compares."""
    if len(made) < 2:
        return "\n".join(render(m, about, names) for m in made)
    whose = [_own(m, made) for m in made]
    told = [(w, render(m, about, names)) for w, m in zip(whose, made, strict=True)]
    lines = [t if not w or w.lower() in t.lower() else f"For {w}: {t}" for w, t in told]
    return "\n".join([*lines, *_compared(made, whose, about)])


def _own(made: Made, others: list[Made]) -> str:
    """What a call alone was asked about, among several of one tool."""
    alike = (k for k, v in made.arguments.items() if all(o.arguments.get(k) == v for o in others))
    own = {k: v for k, v in made.arguments.items() if k not in {*alike}}
    return ", ".join(scalar(v) for v in own.values() if type(v) in (str, int, float))


def _compared(made: list[Made], whose: list[str], about: str) -> Iterator[str]:
    """The figures that the first and the last result both have, one held against the other."""
    first, last = made[0].data, made[-1].data
    if not (_COMPARES.search(about) and isinstance(first, Mapping) and isinstance(last, Mapping)):
        return
    for key, value in last.items():
        if all(type(v) in (int, float) for v in (value, first.get(key))):
            how = "the same" if value == first[key] else "lower" if value < first[key] else "higher"
            than = "as" if how == "the same" else "than"
            yield sentence(
                f"{human(key)} is {how} for {whose[-1]} ({scalar(value)}) {than} for {whose[0]}"
                f" ({scalar(first[key])})"
            )


def entity(tool_name: str) -> str:
    """What a tool is about, in words: `find_free_slots` gives "free slots"."""
    words = list(_verb_first(tool_name))
    while words and words[0] in {*_READING, *_PARTICLES, "all", "my"}:
        words = words[1:]
    return " ".join(w for w in words if w not in ("by", "for")) or "results"


def _scope(arguments: Mapping[str, Any], names: Names) -> str:
    """What a lookup was about (" for Anna Vogt, 2026-03-02"), ids by the names they stand for."""
    plain = (v for v in arguments.values() if v != "" and type(v) in (str, int, float))
    values = [names.get(str(v), scalar(v)) for v in plain]
    return f" for {', '.join(values[:3])}" if values else ""


def _listing(data: list[Any], made: Made, about: str, names: Names) -> str:
    noun = singular(entity(made.name))
    where = _scope(made.arguments, names)
    if not data:
        return f"I found no {plural(noun)}{where}."
    label = noun if len(data) == 1 else plural(noun)
    return "\n".join([f"I found {len(data)} {label}{where}:", *bullets(data, about)])


def _deed(data: Mapping[str, Any], made: Made, about: str) -> str:
    called, used = head(data)
    rest = record_line({k: v for k, v in data.items() if k not in used}, about)
    deed = f"{done_words(made.name)} {called}".strip()
    return f"{deed}: {rest}" if rest != "empty" else deed


def names_in(made: tuple[Made, ...]) -> dict[str, str]:
    """What ids stand for, as far as results with a name and an id have told."""
    found: dict[str, str] = {}
    for record in records(made):
        _, used = head(record.fields)
        if len(used) == 2:
            found.setdefault(str(record.fields[used[1]]), str(record.fields[used[0]]))
    return found


# --- what a task asks for ------------------------------------------------------------------------

_ROWS = 30  # of a list that a finding shows


def finding(made: Made, task: str = "") -> str:
    """The result of a call as lines of text; with a task only what it asks for, where it says."""
    data = focused(made.data, task) if task else made.data
    if isinstance(data, Mapping):
        lines = list(_record(data))
    elif isinstance(data, list):
        lines = bullets(_unquoted(data), most=_ROWS) if data else ["Nothing was found."]
    else:
        lines = str(data if data is not None else made.text or "").strip().splitlines()
        lines = lines or ["Nothing was found."]
    whole = "\n".join(lines)
    lead = [a for a in _about(made) if a.lower() not in whole.lower()]
    return f"For {', '.join(lead)}:\n{whole}" if lead else whole


def shortcoming(made: Made) -> str:
    """What a call did not bring, in the words of its error, and about whom."""
    told = error_words(made.error or "")[:300].rstrip("?").strip()
    lacking = [a for a in _about(made) if a.lower() not in told.lower()]
    return f"Missing for {', '.join(lacking)}: {told}" if lacking else f"Missing: {told}"


def _about(made: Made) -> list[str]:
    """The names among the arguments of a call."""
    values = (v for v in made.arguments.values() if isinstance(v, str) and 2 < len(v) <= 60)
    return [v for v in values if re.match(r"[A-ZÀ-Þ][^\d]+$", v)]


def _record(data: Mapping[str, Any]) -> Iterator[str]:
    """A record: its plain fields on one line, then its lists, then the texts that it quotes."""
    first, *rows = record_block(_unquoted(data), most=_ROWS).splitlines() or [""]
    yield from [sentence(first), *rows] if first else rows
    for value in data.values():
        if _quotes(value):
            yield from str(value).splitlines()


def _unquoted(value: Any) -> Any:
    """A value without the texts in it that quote a document; that a list is empty is told."""
    if isinstance(value, Mapping):
        return {k: _unquoted(v) for k, v in value.items() if not _quotes(v)}
    return ([_unquoted(v) for v in value] or "none") if isinstance(value, list) else value


def _quotes(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith(">")


def focused(data: Any, task: str) -> Any:
    """A result with the rows that the task names, and the figures whose names it has words of."""
    if isinstance(data, Mapping):
        kept = {k: _trimmed(v, task) if isinstance(v, list) else v for k, v in data.items()}
        return _figures(kept, task)
    return _rows(data, task) if isinstance(data, list) else data


def _trimmed(rows: list[Any], task: str) -> list[Any]:
    """The rows that a task names, of each the figures that it has words of."""
    return [_figures(r, task) if isinstance(r, Mapping) else r for r in _rows(rows, task)]


def _rows(rows: list[Any], task: str) -> list[Any]:
    records = [r for r in rows if isinstance(r, Mapping)]
    if len(records) < 2 or len(records) != len(rows):
        return rows
    named = [] if _WHICH_ALL.search(task) else [r for r in records if _told_by(r, task)]
    if 0 < len(named) < len(records):
        return named
    most = _wanted(task)
    return records[:most] if most and _sorted(records) else rows


_WHICH_ALL = regex(r"\b(?:which|what) [a-z]{3,}s\b", re.IGNORECASE)


def _told_by(record: Mapping[str, Any], task: str) -> bool:
    """Whether a task names a record: by its first text."""
    label = next((v for v in record.values() if isinstance(v, str)), "")
    return len(label) > 2 and bool(re.search(rf"(?<!\w){re.escape(label)}(?!\w)", task, re.I))


_SECOND = regex(r"\b(?:second|both|two|runner-up)\b", re.IGNORECASE)
_FIRST = cue("results.first")


def _wanted(task: str) -> int:
    """How many rows from the top a task asks for, 0 when it doesn't."""
    if not _FIRST.search(task):
        return 0
    return 2 if _SECOND.search(task) else 1


def _sorted(records: list[Mapping[str, Any]]) -> bool:
    """Whether records stand in the order of one of their figures or days."""
    for key in records[0]:
        values = [r.get(key) for r in records]
        if all(isinstance(v, int | float) and not isinstance(v, bool) for v in values) or all(
            isinstance(v, str) and re.match(r"\d{4}-\d\d-\d\d$", v) for v in values
        ):
            falling = sorted(values, reverse=True) == values  # type: ignore[type-var]
            if falling or sorted(values) == values:  # type: ignore[type-var]
                return True
    return False


def _figures(record: Mapping[str, Any], task: str) -> Mapping[str, Any]:
    """A record without the figures that the task has no word of, if it has words of others."""
    words = frozenset(meant(task))
    record = {k: v for k, v in record.items() if not _aside(k, v, words)}
    figures = [k for k, v in record.items() if _counts(v) and not _kept(k)]
    if _LOOKUP.match(task) and any(k.endswith("id") for k in record):
        return {k: v for k, v in record.items() if k not in figures}
    groups = [k for k, v in record.items() if _counted(v)]
    if len(figures) + sum(len(record[k]) for k in groups) < _MANY:
        return record
    asked = _rated([k for k in (*figures, *groups) if _asked(k, words)], task)
    if not asked and (figures or not any(_kept(k) for k in record)):
        return record
    return {k: v for k, v in record.items() if k not in (*figures, *groups) or k in asked}


def _aside(key: str, value: Any, words: frozenset[str]) -> bool:
    """Whether a value only remarks, in sentences with figures, on what a task does not ask for."""
    texts = (
        value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    )
    told = [v for v in texts if isinstance(v, str) and len(v.split()) > 3]
    return any(re.search(r"\d", v) for v in told) and not _asked(key, words)


def _asked(key: str, words: frozenset[str]) -> bool:
    """Whether a task has a word of a figure's name, units apart where there is more to it."""
    stems = name_stems(key)
    telling = [s for s in stems if s not in _UNITS] or stems
    return any(nearest(s, words) >= 0.8 for s in telling)


def _rated(asked: list[str], task: str) -> list[str]:
    """The figures asked for, without counts where a task asks for the rate of them."""
    for key in [k for k in asked if _SHARES & set(name_words(k))]:
        stems = set(name_stems(key)) - _UNITS
        for other in [k for k in asked if not _SHARES & set(name_words(k))]:
            counted = {s for s in name_stems(other) if any(nearest(s, frozenset({t})) >= 0.8
                                                           for t in stems)}  # fmt: skip
            if counted and _RATE.search(task):
                asked = [k for k in asked if k != other]
    return asked


_SHARES = frozenset("percent rate share".split())
_RATE = regex(r"\brates?\b", re.IGNORECASE)


def _counted(value: Any) -> bool:
    """Whether a value is a group of figures by their names."""
    return isinstance(value, Mapping) and len(value) > 1 and all(map(_counts, value.values()))


_UNITS = frozenset(stem(w) for w in "percent percentage point euro eur year month days".split())
_MANY = 3  # figures of a record, from which on only those are told that are asked for
_LOOKUP = regex(r"^Find the [a-z]+ [A-ZÀ-Þ]")
_MAIN = frozenset("year value total amount result number".split())


def _counts(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _kept(key: str) -> bool:
    return bool(_MAIN & set(name_words(key)))
