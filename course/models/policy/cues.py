"""Cues: how strongly the words around a mention speak for one parameter."""

from __future__ import annotations

import re
from functools import lru_cache

from course.models.policy.mentions import STREETS, Mention
from course.models.policy.params import Param, near, role_stems, suggested
from course.models.policy.units import unit_cue
from course.models.policy.wordlists import cue, table, word_list
from course.models.policy.words import STOP_WORDS, content, stem, tokens

BASE: dict[str, dict[str, float]] = table("cues.base")
"""What a mention of each kind is worth for a parameter of each kind, before any cue."""
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
    head = (
        re.split(r"[.,;:?!](?=\s)", text[:start])[-1]
        if not text[:start].rstrip().endswith(":")
        else text[:start]
    )
    return tuple((t.text.lower(), t.stem) for t in reversed(tokens(head)[-5:]))


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


def role_of(lead: str, param: Param) -> str:
    """Whether a preposition speaks for the role of a parameter, against it, or says nothing."""
    own = role_stems(param)
    if own & _OPPOSED.get(lead, frozenset()):
        return "against"
    return "for" if own & _ROLE_STEMS.get(lead, frozenset()) else ""


PLACES = frozenset(stem(w) for w in "country city town place location region area".split())
_WHERE = ("in", "at", "near", "to", "from", "into")


def _lead_cue(text: str, param: Param, mention: Mention) -> float:
    lead = lead_of(text, mention)
    own = role_stems(param)
    if not lead:
        return 0.0
    score = 1.5 if own & _ROLE_STEMS.get(lead, frozenset()) else 0.0
    if own & PLACES and lead in _WHERE:
        score = max(score, 1.0) + (0.8 if mention.kind == "name" else 0.0)
    if not score and param.about & _ROLE_STEMS.get(lead, frozenset()):
        score = 0.4
    if (
        not score
        and param.kind in ("words", "query")
        and lead not in ("of", "about", "for", "subject")
    ):
        score = -0.4
    if "new" in own and lead in ("to", "until", "till"):
        score = max(score, 1.5) + 1.0
    return score - (2.0 if own & _OPPOSED.get(lead, frozenset()) and not score >= 1.5 else 0.0)


def _word_cue(text: str, param: Param, mention: Mention) -> float:
    best = 0.0
    counted = mention.kind in ("number", "amount")
    if counted and re.search(r"\b(?:and|plus) $", text[: mention.start]):
        return best  # in "two adults and three children" the noun belongs to the first number
    for distance, (word, word_stem) in enumerate(_before(text, mention.start)):
        if word[:1].isdigit():
            break
        best = max(best, near(param, word_stem) * (1.0, 1.0, 0.7, 0.4, 0.2)[distance])
    return best


_ADDRESSES = frozenset(stem(w) for w in "street road address".split())


def _shape_cue(param: Param, mention: Mention) -> float:
    """Examples in the description speak for values of the same shape or the same words."""
    score = 0.0
    if mention.kind in ("id", "number") and param.kind in ("id", "intid"):
        prefix = re.match(r"#?([A-Za-z]+)", str(mention.text))
        shown = re.findall(r"\b([A-Z]{1,6})-?\d+", param.description)
        if prefix and shown:
            score += 2.0 if prefix.group(1).upper() in shown else -2.5
        initial = (param.entity or " ")[0].lower()
        score += 0.5 if prefix and prefix.group(1)[0].lower() == initial else 0.0
    if param.stems & _ADDRESSES and re.search(rf"\b(?:{STREETS})$", str(mention.value)):
        score += 1.5
    score += 0.5 if mention.lead == "subject" else 0.0
    if mention.kind in ("run", "name", "quoted"):
        stems = set(content(str(mention.value)))
        score += 1.5 if any(stems & set(content(s)) for s in suggested(param)) else 0.0
    return score


BIRTH = frozenset(stem(w) for w in "birth birthday born dob".split())


def _birth_cue(text: str, param: Param, mention: Mention) -> float:
    """A date of birth is only ever one that is called so, or the whole of an answer."""
    if mention.kind != "date" or not role_stems(param) & BIRTH:
        return 0.0
    said = BIRTH & {t.stem for t in tokens(text)}
    return 0.0 if said or len(content(text)) <= 4 else -5.0


_STAFF = frozenset(stem(w) for w in word_list("cues.staff"))


def _title_cue(param: Param, mention: Mention, tool_stems: frozenset[str]) -> float:
    if mention.kind != "name" or not _TITLED.match(mention.text):
        return 0.0
    return 1.5 if (param.stems | param.about | tool_stems) & _STAFF else -2.0


PERSONS = frozenset(stem(w) for w in word_list("cues.persons"))
_SERVING = _STAFF | frozenset(stem(w) for w in word_list("cues.serving"))


def _role_cue(text: str, param: Param, mention: Mention) -> float:
    """Who serves is named as such ("with Rosa"); a name alone is that of the person served."""
    if mention.kind != "name" or param.required or not param.stems & _SERVING:
        return 0.0
    named = lead_of(text, mention) in ("with", "by", "from", "to") or _TITLED.match(mention.text)
    named = named or _CALLED_FOR.search(text[: mention.start])
    return 0.0 if named or _word_cue(text, param, mention) else -2.0


_CALLED_FOR = cue("cues.called_for")
_TITLED = re.compile(r"(?:Dr|Prof|Doctor|Professor)\b")
_INTO = frozenset(stem(w) for w in "to target into".split())


def _currency_cue(text: str, param: Param, mention: Mention) -> float:
    """Of two currencies the one beside the amount is converted, into the other one."""
    if mention.kind != "currency":
        return 0.0
    beside = bool(
        re.search(r"\d ?$", text[: mention.start]) or re.match(r" ?\d", text[mention.end :])
    )
    return 1.6 if beside != bool(role_stems(param) & _INTO) else -1.6


@lru_cache(maxsize=2_000)
def _needs_digits(description: str) -> bool:
    """Whether the examples in a description all have digits, as a name hasn't."""
    shown = re.search(r"(?:e\.g\.|for example|such as),? ?([^,;)]+)", description)
    return bool(shown and re.search(r"\d", shown.group(1)))


def score(text: str, param: Param, mention: Mention, tool_stems: frozenset[str]) -> float | None:
    """How well a mention suits a parameter; None when its form rules it out."""
    kind = "who" if param.kind == "query" and tool_stems & PERSONS else param.kind
    base = BASE.get(kind, {}).get(mention.kind)
    if base is None or (
        param.kind in ("id", "intid") and mention.text.isalpha() and mention.kind == "number"
    ):
        return None
    if mention.kind == "id" and mention.unit:  # found by the shape of one parameter's example
        return 6.0 if mention.unit == param.name else None
    if (
        param.kind == "intid"
        and mention.kind == "id"
        and not re.fullmatch(r"#?[A-Za-z]{0,5}-?\d+", mention.text)
    ):
        return None
    if (
        param.kind == "id"
        and mention.kind == "quoted"
        and not any(c.isdigit() for c in mention.text)
    ):
        return None
    if mention.kind in ("name", "run") and _needs_digits(param.description):
        return None
    total = base + _lead_cue(text, param, mention) + _word_cue(text, param, mention)
    if mention.kind in ("number", "amount"):
        total += unit_cue(text, param, mention)
    return (
        total
        + _currency_cue(text, param, mention)
        + _birth_cue(text, param, mention)
        + _shape_cue(param, mention)
        + _role_cue(text, param, mention)
        + _title_cue(param, mention, tool_stems)
    )
