"""Tool: what a tool does, by its name and description: whether it changes the world, the words that
name its deed, and what it can do in words for a person."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from course.models.policy.colleagues import consulted
from course.models.policy.lexicon import (
    EITHER,
    VERBS,
    action_of,
    is_noun_phrase,
    leading_phrase,
    nearest,
    phrases,
    suggested,
    synonyms,
    tool_action,
)
from course.models.policy.ranking import delegates
from course.models.policy.results import deed_words
from course.models.policy.spoken import LASTING
from course.models.policy.steps import rates
from course.models.policy.words import (
    STOP_WORDS,
    content,
    cue,
    name_stems,
    name_words,
    stem,
    tokens,
    word_list,
)
from course.models.wire import ToolSpec

_STATES, _READS, _CALLED, _PERSON, _PAYS, ENDS = (
    cue(f"tool.{n}") for n in "states reads called person pays ends".split()
)
_MONEY = frozenset(stem(w) for w in "pay payment settle".split())


_GIVEN = frozenset(word_list("results.given"))


@lru_cache(maxsize=2_000)
def plainly(description: str) -> str:
    """The first sentence of a description, without what says that it is a tool's ("Use this
    to ...", "Called when the caller wants to ...")."""
    first = re.split(r"\n\s*\n|(?<=[.!?])\s", description.strip())[0].strip().rstrip(".")
    return _CALLED.sub("", first)


@lru_cache(maxsize=2_000)
def _changes(name: str, description: str) -> bool:
    """Whether a tool may do something: all but those whose name or description is that of a
    look-up, a reckoning, a judgement or a thing."""
    words, told = name_words(name), plainly(description)
    if not words or _names_thing(words, told) or action_of(words[0]) == "transfer":
        return False
    if words[0] in _JUDGES or (words[0] in _RECKONS and _OF_NUMBERS.search(told)):
        return False
    if _SOMEBODY.search("_".join(words)) or (not _is_deed(words[0]) and _tells(words[0], told)):
        return _does_it(words, told)
    if _plainly_does(words, told):
        return True
    does, named = action_of(words[0]), is_noun_phrase(words) and not _is_deed(words[0])
    if not told or _OCCASION.match(told):
        return does != "find" and not named and bool(told or does or stem(words[0]) in VERBS)
    noun = _is_noun(words)
    opening = (re.findall(r"[a-z]+", told.lower()) or [""])[0]
    if _READS.match(told) and not (_is_deed(words[0]) and not noun):
        return False
    if noun and words[0] in EITHER and _STATES.match(told):
        return False
    known = does is not None or (stem(words[0]) in VERBS and words[0] not in EITHER)
    if known and not named:
        return does != "find" or words[1:] in _PARTICLES
    if (
        _HAS_DONE.match(told)
        or _is_deed(opening)
        or opening in _DEEDS | _VERBS_TOO
        or (
            opening in (words[0] if len(words) == 1 else "", *EITHER)
            and not (noun or _OF.match(told))
        )
    ):
        return True
    article = re.match(r"\W*\w+ (?:a|an|the|some|all|every|one|this|it)\b", told)
    verb = opening == words[0] or action_of(opening) or stem(opening) in VERBS or article
    return bool(verb) and not (named or _STATES.match(told))


def _plainly_does(words: tuple[str, ...], told: str) -> bool:
    """Whether a name opens with a verb that is a deed's alone, or with the one that its description
    opens with as an order: "open_record": "Open a record of a find"."""
    if words[1:] and words[0] in _DEEDS and not _is_noun(words):
        return True
    same = told.lower().split()[:1] == [words[0]] and action_of(words[0]) != "find"
    return bool(same and _TO_ONE.match(told))


def _does_it(words: tuple[str, ...], told: str) -> bool:
    """Whether a description opens with the verb of a name, as it is said of the tool:
    "note_callback": "Notes a number", "give_credit": "Credits a bottle"."""
    verb = words[1] if words[0] in _LIGHT and words[1:] else words[0]
    opens = re.match(rf"{verb}s (?:an?|the|some|all|every|one) ", told, re.IGNORECASE)
    return bool(opens and words[1:]) and not _is_noun(words)


def _is_noun(words: tuple[str, ...]) -> bool:
    """Whether a name ends like that of a thing that is told ("leave_balance", "price_for")."""
    return words[-1] in _GIVEN or words[-1] in _TELLS or words[1:2] in (("for",), ("of",), ("at",))


def _is_deed(word: str) -> bool:
    """Whether a word is the verb of a deed and no noun as well."""
    known = action_of(word) not in (None, "find", "transfer", "return")
    return known and word not in EITHER and not word.endswith("ing")


_SOMEBODY = re.compile(r"^(?:ask|to|team|desk|(?:pass|give|hand)(?:_on)?_to)_|_team$")
"""How a tool is called that leads to somebody who sees to things."""
_PARTICLES = (("out",), ("in",))
_OCCASION = re.compile(
    r"the (?:user|caller|customer|guest|person|visitor|client) (?:has|is|gives?|says?|tells?)\b"
)
"""How a description tells only when a tool is called."""
_DEEDS = frozenset(word_list("tool.deeds"))
_TO_ONE = re.compile(r"\W*\w+ (?:an?|one|your|my|their) ", re.IGNORECASE)
_VERBS_TOO = frozenset("give hand tell let stop start begin hold bring deliver carry".split())
_OF = re.compile(r"[\w-]+ (?:of|for|by|between|in|on|at|per|left|with)\b", re.IGNORECASE)


def _tells(first: str, told: str) -> bool:
    """Whether a description names what there is, for a name with this `first` word."""
    opening = (re.findall(r"[a-z]+", told.lower()) or [""])[0]
    counts = _COUNTS.match(told) and not (action_of(opening) or stem(opening) in VERBS)
    return bool(counts or _THING.match(told) or (opening == first and _PLACED.match(told)))


_COUNTS = re.compile(r"\w+s (?:an?|the|of|in|per|that)\b", re.IGNORECASE)
_THING = re.compile(
    r"(?:(?!bring)\w+ing|\w+[^aeiou]ed|known|open|free|record) (?:\w+s\b|of\b)"
    r"|(?:place|stop|turn|record)s\b(?! (?:an?|the|all|one|your)\b)",
    re.IGNORECASE,
)
_PLACED = re.compile(r"\w+ (?:at|of|in|per)\b", re.IGNORECASE)
"""How a description opens that tells what there is: "Litres a cow gave", "Wind at a mill"."""
_HAS_DONE = re.compile(r"have (?:an? |the )?[\w-]+ \w+ed\b", re.IGNORECASE)


def _names_thing(words: tuple[str, ...], told: str) -> bool:
    """Whether a name that opens like a verb names a thing: by a participle ("planned works"), or
    because the description goes on so ("rent_statement": "Rent paid and owed")."""
    noun = words[1:] and words[0].endswith("ed") and stem(words[0]) not in (words[0], words[0][:-1])
    opens = words[:1] == tuple(told.lower().split()[:1])
    return bool(noun or (opens and _PARTICIPLE.match(told)))


_PARTICIPLE = re.compile(
    r"\w+ (?:paid|due|owed|owing|left|made|sent|given|\w{3,}ed)\b", re.IGNORECASE
)
_JUDGES = (frozenset(word_list("plans.judging")) - EITHER) | {
    *"convert translate quote estimate".split()
}
_TELLS = frozenset(("status", "details", "info", "history"))
_OF_NUMBERS = re.compile(r"^\W*\w+ up\b|numbers?|sum|difference|product|\b[b-z] \w+ [ab]\b", re.I)
_RECKONS = frozenset("add sum subtract multiply divide power square average round".split())


def changes(tool: ToolSpec) -> bool:
    """Whether a tool changes the world, by its verb or else by how its description opens; what only
    begins a piece of talk, takes down how bad something is or asks a colleague does not."""
    harmless = starts(tool) or rates(tool) or asks_colleague(tool)
    return not harmless and _changes(tool.name, tool.description)


def asks_colleague(tool: ToolSpec) -> bool:
    """Whether a tool only has somebody else see to something."""
    return consulted(tool) or delegates(tool)


def starts(tool: ToolSpec) -> bool:
    """Whether a tool only begins a piece of the talk with whoever is there."""
    return name_words(tool.name)[:1] in (("start",), ("begin",)) and not tool.parameters.get(
        "properties"
    )


def deeds_verbs(tool: ToolSpec) -> frozenset[str]:
    """The stems of the verbs that a tool's name and description open with."""
    words = name_words(tool.name)
    light = words[0] in _LIGHT and words[1:] and words[1] not in STOP_WORDS
    named = words[1:2] if light else words[:1]
    turned = leading_phrase(" ".join(words))
    phrasal = turned[1].split() if turned and not turned[0] else []
    known = phrasal or any(action_of(w) or stem(w) in VERBS for w in named)
    said = [] if known else [w.text for w in tokens(plainly(tool.description))[:1]]
    return frozenset(stem(w) for w in (*named, *phrasal, *said))


_LIGHT = frozenset("take give make put do have".split())
"""Verbs that say little: the deed of `take_payment` is the payment."""
_OF_TROUBLE = frozenset(stem(w) for w in "report complain dispute".split())
_TAKES_DOWN = _OF_TROUBLE | {
    stem(w) for w in "record log submit register note enter return".split()
}


def takes_down(tool: ToolSpec) -> bool:
    """Whether a tool's deed is only to take down what somebody tells."""
    return bool(deeds_verbs(tool) & _TAKES_DOWN)


def of_trouble(tool: ToolSpec) -> bool:
    """Whether a tool takes down what is wrong."""
    return bool(deeds_verbs(tool) & _OF_TROUBLE)


def things(tool: ToolSpec) -> frozenset[str]:
    """The stems of what a tool is about."""
    told = plainly(tool.description)
    about = frozenset((*name_stems(tool.name), *content(told)))
    opening = {t.stem for t in tokens(told)[:1] if action_of(t.text) or t.stem in VERBS}
    return about - deeds_verbs(tool) - (opening if changes(tool) else set())


def for_person(tool: ToolSpec) -> bool:
    """Whether a tool hands over to a human being."""
    return bool(_PERSON.search(tool.name))


def named(tool: ToolSpec, part: str) -> bool:
    """Whether a part of what was said has a tool's own verb or, for what nothing undoes, one that
    stands for it."""
    said = {t.stem for t in tokens(part)}
    verbs = deeds_verbs(tool)
    lasting = tool_action(tool.name, tool.description) in LASTING
    return bool(said & verbs) or (lasting and any(synonyms(v) & said for v in verbs))


def spoken(tool: ToolSpec, part: str) -> Literal["verb", "thing", ""]:
    """How a part of what was said names a tool's deed: by a word for it, by its thing, or not."""
    said = {*content(part), *(stem(w) for p in phrases(part) for w in p.split())}
    said |= {t.stem for t in tokens(part)}
    verbs = deeds_verbs(tool)
    hinted = suggested(part)
    if said & verbs or any(synonyms(v) & said for v in verbs) or verbs & hinted.keys():
        return "verb"
    does = tool_action(tool.name, tool.description)
    if does and about(tool, part) and any(action_of(t.text) == does for t in tokens(part)):
        return "verb"  # a verb of the kind speaks for any deed of it
    if _PAYS.search(part) and (does == "pay" or (verbs | things(tool)) & _MONEY):
        return "verb"
    if does == "cancel" and ENDS.search(part):
        return "verb"
    return "thing" if about(tool, part) else ""


def about(tool: ToolSpec, part: str) -> bool:
    """Whether a part of what was said has a word for what a tool is about."""
    said = frozenset((*content(part), *(stem(w) for p in phrases(part) for w in p.split()))) - WHEN
    own = things(tool) - WHEN
    return bool(own & suggested(part).keys()) or any(nearest(t, said) >= 0.6 for t in own)


WHEN = frozenset(stem(w) for w in word_list("gate.when"))
"""The stems of words for a day or an hour: that one is named says nothing of what is asked."""


def ability(tool: ToolSpec) -> str:
    """What a tool can do, as the end of "I can ...": from its description, else its name."""
    told = plainly(tool.description)
    told = re.split(r"\s*[:(;]|, (?:such|e\.g|earliest|newest|with|by|if)\b", told)[0].strip()
    words = told.split()
    named = not 1 < len(words) <= 14
    if named:
        told = " ".join(name_words(tool.name))
        words = told.split()
    first = words[0].lower() if words else ""
    if first in _QUESTIONS and not named:
        return f"tell you {told[:1].lower()}{told[1:]}"
    if not changes(tool) and not named and _THING.match(told):
        return f"look up {told[:1].lower()}{told[1:]}"
    opens = changes(tool) and words and first == name_words(tool.name)[0]
    if action_of(first) or stem(first) in VERBS or opens:
        bare = first[:-1] if first.endswith("s") and not first.endswith("ss") else first
        verb = bare if action_of(bare) or stem(bare) in VERBS else first
        if named:
            return deed_words(tool.name, tool.description)
        if verb == first or not _STATES.match(told):
            return " ".join((verb, *words[1:]))
    if changes(tool):
        return deed_words(tool.name, tool.description)
    return f"look up {told[:1].lower()}{told[1:]}"


_QUESTIONS = frozenset("whether how what when who whom whose where which why".split())


def service(tool: ToolSpec) -> bool:
    """Whether the name of what changes something is that of a thing: "room_service"."""
    words = name_words(tool.name)
    named = words[-1] in _SERVICES and len(words) > 1 and not action_of(words[0])
    opens = plainly(tool.description).lower().startswith(words[0])
    return named and not opens and stem(words[0]) not in VERBS and changes(tool)


_SERVICES = frozenset("service call request order booking delivery reminder alarm tip".split())
