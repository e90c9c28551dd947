"""Verbs: what a piece of text asks to be done, by its first verb."""

from __future__ import annotations

import re
from functools import lru_cache

from course.models.policy.lexicon import leading_phrase
from course.models.policy.wordlists import cue, table, word_list
from course.models.policy.words import NUMBER_WORDS, STAND_IN, STOP_WORDS, name_words, stem, tokens

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
_NOUN_FIRST = re.compile(
    rf"^(?:an?|\d+|{'|'.join(n for n in NUMBER_WORDS)})\s(?!.*\b(?:is|are|was|were|does"
    rf"|has|have|doesn't|isn't)\b)[^?]*$",
    re.IGNORECASE | re.DOTALL,
)
_GET_ME = cue("verbs.get_me")
_TELL = re.compile(r"^\W*(?:please )?(?:tell|inform) (?!me\b|us\b)\w+", re.IGNORECASE)
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
