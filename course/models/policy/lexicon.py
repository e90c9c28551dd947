"""A small general lexicon: everyday English words that stand for one another, what verbs do, and
what people say for the plain words of tools, values and switches (said_*.toml).

The kin of a word are more than its synonyms: words of reporting and figuring, used where a longer
task is matched with workers and tools.

It holds no word of any particular business beyond what an English learner knows. A group lists
words that may replace one another when a request is compared with a tool; ACTIONS sorts verbs
into what they do to the world, so that "cancel my order" never becomes a new order.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from course.models.policy.patterns import regex
from course.models.policy.words import (
    NUMBER_WORDS,
    STAND_IN,
    STOP_WORDS,
    content,
    cue,
    name_words,
    stem,
    table,
    tokens,
    word_list,
)

_GROUPS = table("lexicon.groups")

# Kinds of things: a word on the left may be meant by one on the right, never the other way round.
_KINDS = table("lexicon.kinds")

PHRASES = table("lexicon.phrases")

# Turns of phrase that mean more than their words.
_TURNS = tuple((regex(p, re.IGNORECASE), words) for p, words in table("lexicon.turns"))


def related(groups: str, kinds: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """For the stem of each word those that mean much the same.

    Args:
        groups: groups of words that stand for one another, with commas between them.
        kinds: names of a kind, and the things that are of it: a thing may be called by its kind.
    """
    found: dict[str, set[str]] = {}
    for line in groups.split(","):
        group = {stem(word) for word in line.split()}
        for word in group:
            found.setdefault(word, set()).update(group - {word})
    for names, things in kinds.items():
        for word in things.split():
            found.setdefault(stem(word), set()).update(stem(name) for name in names.split())
    return {word: frozenset(others) for word, others in found.items()}


_SYNONYMS = related(_GROUPS, _KINDS)
_NONE: frozenset[str] = frozenset()
_PHRASE = regex(r"\b(" + "|".join(re.escape(p) for p in PHRASES) + r")\b", re.IGNORECASE)


def synonyms(word_stem: str) -> frozenset[str]:
    """The stems that may stand for this stem."""
    known = _SYNONYMS.get(word_stem, _NONE)
    if not known and word_stem[2:] in _SYNONYMS and word_stem.startswith("re"):
        return _SYNONYMS[word_stem[2:]] | _SYNONYMS["chang"] | {word_stem[2:], "chang"}
    return known


@lru_cache(maxsize=4_000)
def phrases(text: str) -> tuple[str, ...]:
    """The plain words that the phrasal verbs in a text stand for."""
    named = [w for m in _PHRASE.finditer(text) for w in PHRASES[m.group().lower()].split()]
    return (
        *named,
        *(w for pattern, words in _TURNS if any(pattern.finditer(text)) for w in words.split()),
    )


def leading_phrase(text: str) -> tuple[int, str] | None:
    """Where the first phrasal verb of a text starts, and the plain words it stands for."""
    match = _PHRASE.search(text)
    return (match.start(), PHRASES[match.group().lower()]) if match else None


def phrase_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where phrasal verbs stand in a text."""
    return tuple(m.span() for m in _PHRASE.finditer(text))


@cache
def known_words() -> frozenset[str]:
    """All everyday words that the lexicon, the verbs and the function words hold, as written."""
    groups = re.findall(r"[a-z]+", " ".join((_GROUPS, *_KINDS, *_KINDS.values(), *PHRASES)))
    return frozenset((*groups, *STOP_WORDS, *NUMBER_WORDS, *"please would could should".split()))


_REPORTING = table("kin.groups")
_REPORTED = table("kin.kinds")


_TABLE = related(_REPORTING, _REPORTED)
_NOTHING: frozenset[str] = frozenset()


def kin(word_stem: str) -> frozenset[str]:
    """The stems that may stand for a stem where tasks are matched."""
    return synonyms(word_stem) | _TABLE.get(word_stem, _NOTHING)


@lru_cache(maxsize=4_000)
def meant(text: str) -> tuple[str, ...]:
    """The stems of a text that carry meaning, and those that its turns of phrase stand for."""
    text = _BEFORE.sub("", text)
    spoken = (*phrases(text), *(words for turn, words in _ASKED if turn.search(text)))
    turned = (stem(w) for p in spoken for w in p.split() if stem(w) not in _SMALL)
    return tuple(dict.fromkeys((*content(text), *turned)))


_BEFORE = cue("kin.before")
_ASKED = (
    (regex(r"\blast day\b|\bby when\b|\bat the latest\b", re.IGNORECASE), "deadline"),
    (regex(r"^\W*how (?:many|much)\b", re.IGNORECASE), "figure"),
    (regex(r"\bhow (?:hot|warm|cold)\b", re.IGNORECASE), "temperature"),
    (regex(r"\bhow long\b", re.IGNORECASE), "duration"),
    (regex(r"\bin all\b|\baltogether\b|\boverall\b", re.IGNORECASE), "total"),
)


_SMALL = frozenset(stem(w) for w in word_list("kin.small"))


def alike(word: str, other: str) -> float:
    """How well one stem stands for another: 1 the same, 0.6 kin, 0 not at all."""
    if word == other:
        return 1.0
    short, long = sorted((word, other), key=len)
    if long.startswith(short) and (len(short) > 4 or (len(short) == 4 and len(long) < 7)):
        return 0.8
    return 0.6 if other in kin(word) or word in kin(other) else 0.0


def nearest(word: str, others: frozenset[str]) -> float:
    """How well the best of several stems stands for one."""
    if word in others:
        return 1.0
    return max((alike(word, o) for o in others), default=0.0)


_KEY = 3
"""Letters by which phrases are filed: a word and its forms begin alike."""
TABLES = ("said_deeds", "said_things", "said_values")


class Said(NamedTuple):
    """A phrase of a text: the table and the plain words that it stands for, and its place."""

    table: str
    head: tuple[str, ...]
    start: int
    end: int


_ENTRY = regex(r'^(?:\[(\w+)\]|(?:"([^"]+)"|([\w-]+)) = "([^"\\]*)")$', re.MULTILINE)
"""A line of said_*.toml: a table's name, or a head with its phrases. That these are all that there
is makes the files as quick to read as they have to be, which `tomllib` is not."""


@cache
def _entries() -> tuple[tuple[str, str, str], ...]:
    """All (table, head, phrases with commas between them) of the files."""
    found, inside = [], ""
    for file in TABLES:
        text = files("course.models.policy").joinpath(f"{file}.toml").read_text("utf-8")
        for named, quoted, bare, said in _ENTRY.findall(text):
            inside = named or inside
            if not named:
                found.append((inside, quoted or bare, said))
    return tuple(found)


@cache
def _filed() -> Mapping[str, list[tuple[str, str, str]]]:
    """All phrases by the beginning of their first word, each with its table and head."""
    found: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for kind, head, said in _entries():
        for phrase in said.split(","):
            if first := phrase.split(None, 1):
                found[first[0][:_KEY]].append((phrase, kind, head))
    return found


@cache
def everyday() -> frozenset[str]:
    """All words that the tables hold, as they are written there."""
    said = ",".join(phrases for _, _, phrases in _entries()).replace(",", " ").split()
    return frozenset(said) | {*name_words(" ".join(head for _, head, _ in _entries()))}


Filed = tuple[tuple[str, ...], str, str]


@cache
def _opened_by(key: str) -> Mapping[tuple[str, ...], tuple[Filed, ...]]:
    """The phrases of one file, their words as stems, by the first of these or the first two."""
    found: dict[tuple[str, ...], list[Filed]] = defaultdict(list)
    for phrase, kind, head in _filed().get(key, ()):
        stems = tuple(stem(w) for w in phrase.split())
        found[stems[:2]].append((stems, kind, head))
    return {first: tuple(v) for first, v in found.items()}


@lru_cache(maxsize=4_000)
def _head(name: str) -> tuple[str, ...]:
    return tuple(stem(w) for part in name.split() for w in name_words(part))


@lru_cache(maxsize=4_000)
def phrases_said(text: str) -> tuple[Said, ...]:
    """All phrases of the tables that stand in a text."""
    said = tokens(text)
    stems = tuple(t.stem for t in said)
    found = []
    for place, token in enumerate(said):
        near = _opened_by(token.text.lower()[:_KEY])
        one, two = stems[place : place + 1], stems[place : place + 2]
        for words, kind, head in (*near.get(one, ()), *(near.get(two, ()) if two != one else ())):
            end = place + len(words)
            if stems[place:end] == words:
                found.append(Said(kind, _head(head), token.start, said[end - 1].end))
    return tuple(found)


_LOOKS_UP = frozenset(stem(w) for w in "find list get show look search view".split())
"""Of a deed like "find book" it is the thing that a phrase tells; many tools find."""


@lru_cache(maxsize=4_000)
def suggested(text: str) -> Mapping[str, int]:
    """The stems that a text's words and phrases suggest, with how many do."""
    found: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for said in phrases_said(text):
        if said.table in ("deeds", "things", "values"):
            for head in set(said.head) - (_LOOKS_UP if len(said.head) > 1 else set()):
                found[head].add((said.start, said.end))
    return {head: len(by) for head, by in found.items()}


# Words that are nouns as often as verbs open a part only when an article or the like follows.
EITHER = frozenset(word_list("verbs.either"))
VERBS = frozenset(stem(w) for w in word_list("verbs.verbs"))

ACTIONS = table("verbs.actions")
_ACTION_OF = {
    stem(verb): action for action, verbs in reversed(ACTIONS.items()) for verb in verbs.split()
}
_OPENERS = frozenset(word_list("verbs.openers"))
_SUBJECTS = frozenset("i we they it there he she you".split())
_QUESTIONS = frozenset(word_list("verbs.questions"))


_PERIODS = frozenset("daily weekly monthly yearly annual".split())
_NOUNS = frozenset(word_list("verbs.nouns"))


def is_noun_phrase(words: tuple[str, ...]) -> bool:
    """Whether the words of a tool's name say what it gives rather than what it does."""
    if words and ((words[0].endswith("ing") and len(words[0]) > 5) or words[0] in _PERIODS):
        return True  # "opening times"
    if not words or action_of(words[0]) or stem(words[0]) in VERBS:
        return not words
    if len(words) == 1 or words[0].endswith("ing") or words[-1] in _NOUNS:
        return True
    return words[1] in ("of", "for")


_ASKING = frozenset("whether how what which where when who whose why price prices list".split())


@lru_cache(maxsize=2_000)
def tool_action(name: str, description: str) -> str | None:
    """What kind of deed a tool does, by its name and the first word of its description."""
    if name.startswith(STAND_IN):
        return "transfer"
    words = name_words(name)
    opening = (re.findall(r"[a-z]+", description.lower()) or [""])[0]
    says = words[-1:] and words[-1] in _NOUNS and not action_of(opening)  # "leave balance"
    if opening in _ASKING or says or (len(words) > 1 and is_noun_phrase(words)):
        return "find"
    return (action_of(words[0]) if words else None) or action_of(opening)


def action_of(word: str) -> str | None:
    """What kind of deed a verb names ("find", "create", ...), None when it is no known verb."""
    own = _ACTION_OF.get(stem(word))
    again = own is None and word[:2].lower() == "re" and _ACTION_OF.get(stem(word[2:]))
    return "change" if again == "create" else own  # to rebook is to change


@lru_cache(maxsize=4_000)
def head_action(clause: str) -> str | None:
    """The deed that a clause asks for: that of its first verb, or "find" for a question."""
    opening = leading_phrase(clause)
    if _NOUN_FIRST.match(clause) or _GET_ME.match(clause):
        return "create"
    if _TELL.match(clause):
        return "send"
    before = ""
    for token in tokens(clause):
        word = token.text.lower()
        if opening and token.start == opening[0]:
            return action_of(opening[1].split()[0])
        if (word in _QUESTIONS or word.split("'")[0] in _QUESTIONS) and before not in _SUBJECTS:
            return "find"
        before = word
        if word in _QUESTIONS:
            continue
        if word in _OPENERS:
            continue
        action = action_of(word)
        if action or word not in STOP_WORDS:
            return action or _wish(clause)
    return None


def commands(clause: str, verbs: frozenset[str] = frozenset()) -> bool:
    """Whether a clause opens with a verb, as a command does; `verbs` are stems of more verbs."""
    for token in tokens(clause):
        word = token.text.lower()
        if word in _OPENERS and word not in EITHER:
            continue
        known = word in EITHER or token.stem in VERBS or token.stem in verbs
        return known or bool(action_of(word))
    return False


# "Two seats for tonight", "A taxi to the station", "Get me a taxi": something is to be had.
_NOUN_FIRST = regex(
    rf"^(?:an?|\d+|{'|'.join(n for n in NUMBER_WORDS)})\s(?!.*\b(?:is|are|was|were|does"
    rf"|has|have|doesn't|isn't)\b)[^?]*$",
    re.IGNORECASE | re.DOTALL,
)
_GET_ME = cue("verbs.get_me")
_TELL = regex(r"^\W*(?:please )?(?:tell|inform) (?!me\b|us\b)\w+", re.IGNORECASE)
_WISH = cue("verbs.wish")


def _wish(clause: str) -> str | None:
    """What a statement about somebody asks for: "the car needs a battery", "she wants to quit"."""
    for match in _WISH.finditer(clause):
        meant = leading_phrase(clause[match.start("verb") :]) if match["verb"] else None
        if meant and meant[0] == 0:
            return action_of(meant[1].split()[0])
        if match["verb"]:
            return action_of(match["verb"]) or "create"
        if match.group().lower().startswith(("need", "want")):
            return "create"
    return None
