"""Params: what a JSON schema says a parameter is, in terms the rest of the policy understands; and
what the words before a mention say of the parameter that it is for."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

from course.models.policy.mentions import Mention
from course.models.policy.patterns import regex
from course.models.policy.schemas import (
    Schema,
    as_key,
    as_schema,
    follow,
    matches,
    nullable,
    type_of,
)
from course.models.policy.words import (
    STOP_WORDS,
    content,
    cue,
    name_stems,
    name_words,
    stem,
    table,
    tokens,
    word_list,
)

_GENERIC_STEMS = frozenset(word_list("params.generic_stems"))


@dataclass(frozen=True, eq=False)
class Param:
    """One property of an object schema. `kind` is what its values look like, see `_KINDS`;
    `stems` are those of its name without generic ones, `about` those of its description."""

    name: str
    kind: str
    schema: Schema
    raw: Schema
    required: bool
    nullable: bool
    stems: frozenset[str]
    about: frozenset[str]
    description: str

    @property
    def entity(self) -> str:
        """What an id is an id of: "order" for `order_id`, "" when the name does not say."""
        words = [w for w in name_words(self.name) if w not in _ID_WORDS]
        return " ".join(words)

    @cached_property
    def options(self) -> tuple[Any, ...]:
        """The enumerated values, without null."""
        listed = self.schema.get("enum")
        if isinstance(listed, list):
            return tuple(o for o in listed if o is not None)
        return (self.schema["const"],) if "const" in self.schema else ()

    @property
    def type(self) -> str:
        """The JSON type."""
        return type_of(self.schema)


_ID_WORDS = frozenset("id ids identifier number no nr ref reference code key uid".split())
_PERSONS = frozenset(word_list("params.persons"))
_PROSE = frozenset(word_list("params.prose"))
_QUERIES = frozenset(word_list("params.queries"))
_MONEY = frozenset(word_list("params.money"))
_DATES = frozenset("date day birthday dob deadline checkin checkout arrival departure".split())
_NUMBERISH = frozenset(word_list("params.numberish"))


_BY_FORMAT = {"date": "date", "time": "time", "date-time": "datetime", "email": "email",
              "uuid": "uuid", "uri": "url"}  # fmt: skip
_PROBES = (("time", "12:30"), ("time", "12:30:00"), ("date", "2026-01-31"), ("date", "31.01.2026"),
           ("date", "31/01/2026"), ("datetime", "2026-01-31T12:30"),
           ("datetime", "2026-01-31 12:30"))  # fmt: skip
"""Values that show by a pattern of what kind its values are."""


def _only_like(schema: Schema, probe: str) -> bool:
    """Whether a schema's pattern allows such a value, and not the like with letters."""
    pattern = schema.get("pattern")
    if not isinstance(pattern, str) or not matches(pattern, probe):
        return False
    return not matches(pattern, re.sub(r"\d", "A", probe)) and not matches(pattern, probe[:-1])


_PHONES = frozenset("phone telephone mobile callback cell fax".split())
_WEEKDAY = regex(r"\bweekday|\bdays? of the week|\bname of the day")


def _string_kind(name: str, schema: Schema, words: tuple[str, ...], description: str) -> str:
    low = description.lower()
    shown = (k for k, probe in _PROBES if _only_like(schema, probe))
    declared = _BY_FORMAT.get(str(schema.get("format", ""))) or next(shown, "")
    if declared:
        return declared
    last = words[-1] if words else ""
    said = set(words)
    if last in _ID_WORDS:
        return "id" if not said & _PHONES else "phone"
    if "weekday" in said or _WEEKDAY.search(low):
        return "weekday"
    if re.search(r"yyyy-mm-dd[t ]hh|date and time|datetime|iso 8601 date-?time|hh:mm.*yyyy", low):
        return "datetime"
    if last == "month" or re.search(r"yyyy-mm(?!-)|\b\d{4}-\d\d\b(?!-)", low):
        return "month"
    if re.search(r"yyyy-mm-dd|iso date|\b\d{4}-\d\d-\d\d\b(?!t)", low) or (
        said & _DATES and "time" not in said
    ):
        return "date"
    if re.search(r"\bhh:mm|time of day|24-?hour", low) or last == "time":
        return "time"
    for kind, names in (
        ("email", {"email", "mail"}),
        ("phone", _PHONES),
        ("url", {"url", "link", "website"}),
    ):
        if said & names:
            return kind
    return _plain_kind(schema, words, low)


_REACHED = cue("params.reached", 0)


def _plain_kind(schema: Schema, words: tuple[str, ...], low: str) -> str:
    last, said = (words[-1] if words else ""), set(words)
    if (
        said & _NUMBERISH
        or "pattern" in schema
        or re.search(r"\bid\b|identifier|reference number|\b[a-z]{1,5}-\d{2,}", low)
    ):
        return "id"
    if said & {"currency"}:
        return "currency"
    reached = _REACHED.match(low)
    if reached and " or " not in low:
        return "phone" if reached["phone"] else "email"
    if last in _PROSE or said & {"message", "reason", "description"}:
        return "prose"
    if said & _QUERIES:
        return "query"
    if (said & _PERSONS and not said & {"type", "species", "file", "title"}) or re.search(
        r"^who\b|(?:full|family|last|first) name|name of (?:the|a) (?:person"
        r"|guest|\w{3,}(?:er|or|ist|ian|ent)\b)",
        low,
    ):
        return (
            "name"
            if last != "name" or len(words) == 1 or said & (_PERSONS - {"name"}) or "name" in low
            else "words"
        )
    return "words"


def _kind(name: str, schema: Schema, description: str) -> str:
    words = name_words(name)
    if isinstance(schema.get("enum"), list) or "const" in schema:
        return "enum"
    kind = type_of(schema)
    if kind in ("boolean", "array", "object", "null"):
        return kind
    if kind == "integer" and re.search(
        rf"\b{words[-1] if words else ''} (?:number|id)\b", description.lower()
    ):
        return "intid"
    if kind in ("integer", "number"):
        if set(words) & _NUMBERISH - {"number"} or (
            words[-1:] == ("number",) and len(words) > 1 and "of" not in words
        ):
            return "intid"
        if words[-1:] == ("hour",):
            return "hour"
        return "amount" if set(words) & _MONEY else "number"
    return _string_kind(name, schema, words, description)


def _param(name: str, raw: Schema, root: Schema, required: bool) -> Param:
    schema = follow(raw, root)
    description = str(raw.get("description") or schema.get("description") or "")
    stems = frozenset(s for s in name_stems(name) if s not in _GENERIC_STEMS)
    about = frozenset(content(description)) - _GENERIC_STEMS
    kind = _kind(name, schema, description)
    return Param(name, kind, schema, raw, required, nullable(raw, root), stems, about, description)


@lru_cache(maxsize=1_000)
def _params(key: str, root_key: str) -> tuple[Param, ...]:
    root: Schema = json.loads(root_key)
    schema = follow(json.loads(key), root)
    properties = as_schema(schema.get("properties"))
    wanted = schema.get("required")
    required = {n for n in wanted if isinstance(n, str)} if isinstance(wanted, list) else set()
    return tuple(
        _param(name, as_schema(raw), root, name in required) for name, raw in properties.items()
    )


def params(schema: Mapping[str, Any], root: Schema | None = None) -> tuple[Param, ...]:
    """The properties of an object schema, required or not, in the schema's order."""
    key = as_key(schema)
    return _params(key, key if root is None else as_key(root))


_EXAMPLES = cue("params.examples")


def suggested(param: Param) -> tuple[str, ...]:
    """Values that a description offers ("one of: small, large", "e.g. oil or brakes")."""
    return _offered(param.description)


@lru_cache(maxsize=2_000)
def _offered(description: str) -> tuple[str, ...]:
    found: list[str] = []
    for match in _EXAMPLES.finditer(description):
        pieces = re.split(r",\s*|\s+or\s+|\s+and\s+|/", match.group(1) or match.group(2))
        found += [p.strip(" '\"`") for p in pieces if 0 < len(p.strip(" '\"`")) <= 30]
    return tuple(f for f in found if not re.search(r"e\.g|yyyy|hh:", f, re.IGNORECASE))


def role_stems(param: Param) -> frozenset[str]:
    """The stems by which prepositions know a parameter, generic ones such as "date" included."""
    return _roles(param.name)


@lru_cache(maxsize=4_000)
def _roles(name: str) -> frozenset[str]:
    words = name_words(name)
    joined = [a + b for a, b in pairwise(words)]
    return frozenset(stem(w) for w in (*words, *joined))


_SIDES = table("cues.sides")
_ROLES = _SIDES | table("cues.roles")
_ROLE_STEMS = {word: frozenset(stem(r) for r in roles.split()) for word, roles in _ROLES.items()}
_OPPOSED = {
    lead: frozenset().union(*(_ROLE_STEMS[o] for o in _SIDES if o != lead)) - _ROLE_STEMS[lead]
    for lead in ("from", "to", "until")
}
_STEP = frozenset(STOP_WORDS) - frozenset(word_list("cues.leads"))


@lru_cache(maxsize=8_000)
def _before(text: str, start: int) -> tuple[tuple[str, str], ...]:
    """Up to four words before a place, nearest first, as (word, stem), not past a comma or stop."""
    near = text[max(0, start - _NEAR) : start]
    head = near if near.rstrip().endswith(":") else re.split(r"[.,;:?!](?=\s)", near)[-1]
    return tuple((t.text.lower(), t.stem) for t in reversed(tokens(head)[-5:]))


_NEAR = 100
"""Characters that hold the last words before a place."""


def lead_of(text: str, mention: Mention) -> str:
    """The preposition that leads to a mention ("from", "to", ...), "" when there is none."""
    if mention.lead:
        return mention.lead
    for word, _ in _before(text, mention.start)[:3]:
        if word in _ROLE_STEMS or word in ("until", "till", "before", "under", "below", "above"):
            return word
        if word not in _STEP:
            return ""
    return ""


_ONTO = ("to", "until", "till")


def role_of(lead: str, param: Param) -> str:
    """Whether a preposition speaks for the role of a parameter, against it, or says nothing."""
    own = role_stems(param)
    if own & _ROLE_STEMS.get(lead, frozenset()) or ("new" in own and lead in _ONTO):
        return "for"
    if "new" in own and lead == "from":
        return "against"
    return "against" if own & _OPPOSED.get(lead, frozenset()) else ""


PLACES = frozenset(stem(w) for w in "country city town place location region area".split())
BIRTH = frozenset(stem(w) for w in "birth birthday born dob".split())
PERSONS = frozenset(stem(w) for w in word_list("cues.persons"))
STAFF = frozenset(stem(w) for w in word_list("cues.staff"))
SERVING = STAFF | frozenset(stem(w) for w in word_list("cues.serving"))
