"""A correction replaces what it corrects: "no, 1981", "make that three", "wait, Wednesday".

A model that fills in a form tends to keep what was said first. So its values are looked at before
they count: where the person has corrected something, the old value is still there and the new one
is not, the new one takes its place. Only what fits exactly one value is replaced, and only by what
comes right after the word that corrects: "no, I have 7 dogs" is an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from course.statements import in_digits

_CUE = re.compile(
    r"(?:\A|[.!?,;\n]\s*)\W*(?:oh |oops |ah )?"
    r"(?:(?:no|nope)(?=\W*[,.:!;-]|\s+(?:\d|it\b|i\b|make\b|change\b|wait\b|sorry\b))"
    r"|wait|sorry|actually|rather|correction|pardon|i mean|i meant|hold on|on second thought)\b"
    r"(?:[,.!:]?\s+(?:no|wait|sorry|actually"
    r"|i meant?|i was|it's|it is|make (?:that|it)|change (?:that|it) to))*"
    r"[,.:!]?\s+(?P<new>\S.*)"
    r"|\b(?:make (?:that|it)|change (?:that|it) to)\s+(?P<that>\S.*)",
    re.IGNORECASE,
)
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_DAY = re.compile(rf"\b({'|'.join(_DAYS)})\b", re.IGNORECASE)
_YEAR = re.compile(r"\b((?:18|19|20)\d\d)\b")
_ISO = re.compile(r"\A(\d{4})-(\d\d)-(\d\d)")
_NUMBER = re.compile(r"(?<![\w.:-])(\d{1,3})(?![\w:-]|\.\d)")
_MAIL = re.compile(r"[^@\s,]+@[^@\s,]+\.\w+")
_DENIED = re.compile(r"\b(?:\w+n't|cannot|not|no|never)\b[^,;]*(?:[,;]|\Z)", re.IGNORECASE)
_BEFORE_IT = frozenset(  # what may stand between the word that corrects and the new value
    "a about am are be better birthday book born but by come day date email for give has have i"
    " i'd i'll i'm in is it it's just let's like mail make meant must my name need next of on only"
    " order paid pay paying please prefer rather say should take that the then there this to us"
    " want was we we're were will with would year mean change address number".split()
)
_ALONE = frozenset(  # what may follow a number of things that are not named
    "altogether and are at is instead of on of people persons guests please thanks then total"
    " will would years in for not".split()
)

Place = tuple[str | int, ...]
Places = list[tuple[Place, Any]]
Dates = list[tuple[Place, date]]


def correction_in(said: Sequence[str]) -> tuple[str, str] | None:
    """The last correction in what a person said, and all that was said before it; or None."""
    for number in range(len(said) - 1, -1, -1):
        if found := _CUE.search(said[number]):
            before = "\n".join((*said[:number], said[number][: found.start()])).strip()
            return before, found["new"] or found["that"]
    return None


def corrected(
    values: Mapping[str, Any], said: Sequence[str], schema: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Values as JSON has them, with the last correction of the person in them.

    Args:
        values: by name; lists and dictionaries within are looked into.
        said: what the person said, oldest first.
        schema: the JSON schema of the values, whose choices count; may be left out.
    """
    kept = dict(values)
    if not (found := correction_in(said)):
        return kept
    before, new = in_digits(found[0]), _first(in_digits(found[1]))
    places = [*_leaves(kept)]
    for place, value in [*_renewed(places, before, new), *_chosen(places, before, new, schema)][:1]:
        kept.update(_put(kept, place, value))
    return kept


def _first(new: str) -> str:
    """The first sentence of a correction, without what it denies."""
    sentence, end, _ = re.split(r"([.!;\n](?=\s|\Z)|\?|\Z)", new, maxsplit=1)
    return "" if end == "?" else _DENIED.sub(" ", sentence)


def _corrects(new: str, found: re.Match[str]) -> bool:
    """Whether a value is what is put right, and not something else that is told."""
    return set(re.findall(r"[a-z']+", new[: found.start()].lower())) <= _BEFORE_IT


def _counts(new: str, found: re.Match[str], before: str, places: Places) -> bool:
    """Whether a number puts a count right, by the words around it; and is no hour."""
    lead = f" {new[: found.start()].lower()}".rstrip()
    if not _corrects(new, found) or lead.endswith((" at", " by")):
        return False
    after = re.match(r"\W*([a-z']+)", new[found.end() :].lower())
    known = f"{before} {places}".lower()
    return not after or after[1] in _ALONE or after[1].rstrip("s") in known


def _renewed(places: Places, before: str, new: str) -> Iterator[tuple[Place, Any]]:
    """The values that a correction renews: of each kind one, which was said before, if the new one
    is not there already.
    """
    dates = [(p, date.fromisoformat(v)) for p, v in places if _is_date(v)]
    told = {str(value).lower() for _, value in places}
    if (year := _YEAR.search(new)) and _corrects(new, year):
        yield from _other_year(places, dates, before, int(year[1]))
    if (day := _DAY.search(new)) and _corrects(new, day):
        yield from _other_day(places, dates, before.lower(), day[1].lower())
    if (mail := _MAIL.search(new)) and _corrects(new, mail):
        old = [p for p, v in places if isinstance(v, str) and _MAIL.fullmatch(v)]
        if len(old) == 1 and mail[0].rstrip(".").lower() not in told:
            yield old[0], mail[0].rstrip(".")
    number = None if year else _NUMBER.search(new)
    if number and number[1] not in told and _counts(new, number, before, places):
        counts = [(p, v) for p, v in places if type(v) is int]
        said = [p for p, v in counts if re.search(rf"(?<!\d){v}(?!\d)", before)]
        meant = [p for p in said if _named(places, p, new)] or said
        if len(meant) == 1:
            yield meant[0], int(number[1])


def _other_year(
    places: Places, dates: Dates, before: str, year: int
) -> Iterator[tuple[Place, Any]]:
    old = [(p, d) for p, d in dates if str(d.year) in before]
    if len(old) == 1 and all(d.year != year for _, d in dates):
        yield old[0][0], f"{year}{old[0][1].isoformat()[4:]}"
    plain = [(p, v) for p, v in places if str(v) in before and _YEAR.fullmatch(str(v))]
    if len(plain) == 1 and all(str(v) != str(year) for _, v in places):
        yield plain[0][0], type(plain[0][1])(year)


def _other_day(places: Places, dates: Dates, before: str, day: str) -> Iterator[tuple[Place, Any]]:
    wanted = _DAYS.index(day)
    old = [(p, d) for p, d in dates if _DAYS[d.weekday()] in before]
    if len(old) == 1 and all(d.weekday() != wanted for _, d in dates):
        place, was = old[0]
        yield place, (was + timedelta(days=wanted - was.weekday())).isoformat()
    names = [(p, v.lower()) for p, v in places if isinstance(v, str) and v.lower() in _DAYS]
    named = [p for p, v in names if v in before]
    if len(named) == 1 and all(v != day for _, v in names):
        yield named[0], day.capitalize()


def _chosen(
    places: Places, before: str, new: str, schema: Mapping[str, Any] | None
) -> Iterator[tuple[Place, Any]]:
    """The one choice that a correction changes: "card" to "cash"."""
    for (name, *deeper), value in places:
        kind = (schema or {}).get("properties", {}).get(name, {})
        options = [kind, *kind.get("anyOf", ())]
        choices = [c for each in options for c in each.get("enum", ()) if isinstance(c, str)]
        shown = ((c, re.search(rf"\b{re.escape(c)}\b", new, re.IGNORECASE)) for c in choices)
        named = [(c, found) for c, found in shown if found]
        was = rf"\b{re.escape(str(value))}\b"
        if len(named) != 1 or named[0][0] == value or not _corrects(new, named[0][1]):
            continue
        if re.search(was, before, re.IGNORECASE):
            yield (name, *deeper), named[0][0]


def _named(places: Places, place: Place, words: str) -> bool:
    """Whether words name the thing that a number in a list belongs to: "two burgers"."""
    beside = [v for p, v in places if len(p) > 1 and p[:-1] == place[:-1] and isinstance(v, str)]
    said = {each.rstrip("s") for each in re.findall(r"[a-z]{3,}", words.lower())}
    return any({w.rstrip("s") for w in v.lower().split()} & said for v in beside)


def _is_date(value: Any) -> bool:
    if not isinstance(value, str) or not _ISO.match(value) or len(value) != 10:
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _leaves(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _leaves(each, (*place, str(name)))
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            yield from _leaves(each, (*place, number))
    else:
        yield place, value


def _put(value: Any, place: Place, new: Any) -> Any:
    """A copy of a value with something else at a place."""
    if not place:
        return new
    first, *rest = place
    copy = dict(value) if isinstance(value, Mapping) else list(value)
    copy[first] = _put(value[first], tuple(rest), new)  # type: ignore[index]
    return copy
