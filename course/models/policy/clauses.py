"""Clauses: the parts of a request that can be served one by one, and the sentences, limits and free
texts that a call takes out of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from course.models.policy.lexicon import EITHER, PHRASES, VERBS, action_of, head_action
from course.models.policy.mentions import mentions
from course.models.policy.params import Param
from course.models.policy.patterns import regex
from course.models.policy.words import STOP_WORDS, content, cue, name_words, tokens, word_list

MOST = 8  # parts; a longer text is a document, and its tail stays with the last part


@dataclass(frozen=True, slots=True)
class Clause:
    """One part of a request. `after` tells that its words ask for it to wait for the ones before;
    `conditional` that it should only happen if the one before came out well; `fact` that it
    states something rather than asks."""

    text: str
    after: bool = False
    conditional: bool = False
    fact: bool = False


_SENTENCE = cue("clauses.sentence", 0)
_JOINT = cue("clauses.joint")
_AFTER = cue("clauses.after")
_IF = cue("clauses.if")
_STARTERS = frozenset(word_list("clauses.starters"))
_ADVERBS = frozenset(word_list("clauses.adverbs"))
_FOLLOWS = frozenset(word_list("clauses.follows"))


_OBJECT = cue("clauses.object")


def takes_object(text: str) -> bool:
    """Whether a text opens with a word and then an article or pronoun, as commands do."""
    first = text.split(" ", 1)[0].lower()
    return first not in STOP_WORDS and bool(_OBJECT.match(text))


def _follows_verb(word: str, rest: str) -> bool:
    following = tokens(rest)
    if not following:
        return False
    text = following[0].text
    return text.lower() in _FOLLOWS or text[0].isupper() or text[0].isdigit()


_TOLD = regex(r"\s*\S*\d\S* (?:was|were|is|are|has|had)\b")  # order 12 was fine


def _opens(text: str, verbs: frozenset[str]) -> bool:
    """Whether a text reads as a part of its own: a question, a wish or a command."""
    words = tokens(text)
    while words and words[0].text.lower() in _ADVERBS:
        words = words[1:]
    if len(words) < 2 and not (
        words and words[0].text.lower() in ("compare", "summarise", "summarize")
    ):
        return False
    low, rest = words[0].text.lower(), text[words[0].end :]
    if _STATEMENT.match(text) or _ASKING.match(text):
        return True
    if low in _STARTERS or any(text[words[0].start :].lower().startswith(p + " ") for p in PHRASES):
        return True
    if words[0].stem in verbs and len(words) > 1:
        return True
    if low in EITHER:
        return _follows_verb(low, rest) and not _TOLD.match(rest)
    if low.endswith("s") and not low.endswith("ss"):
        return False  # "reviews" is no command
    if takes_object(text[words[0].start :]):
        return True
    return words[0].stem in VERBS or bool(action_of(low) and low not in STOP_WORDS)


_ASKING = cue("clauses.asking")
_STATEMENT = cue("clauses.statement")


def _pieces(sentence: str, verbs: frozenset[str]) -> list[str]:
    """A sentence cut at joints that are followed by something that reads as a part."""
    cuts = [0]
    for match in _JOINT.finditer(sentence):
        head = sentence[cuts[-1] : match.start()]
        if _quoted(sentence, match.start()) or not head.strip():
            continue
        begin = sentence[match.end() : match.end() + _OPENING]
        if len(tokens(head[:_OPENING])) > 1 and _opens(begin, verbs):
            cuts.append(match.start())
    return [sentence[a:b] for a, b in zip(cuts, [*cuts[1:], len(sentence)], strict=True)]


_OPENING = 400
"""Characters that tell whether a part begins: more would take time that grows with the square."""


def _quoted(text: str, place: int) -> bool:
    return text[:place].count('"') % 2 == 1 or text[:place].count("“") > text[:place].count("”")


_LEADING = cue("clauses.leading")
_EMPTY = cue("clauses.empty")


def is_greeting(text: str) -> bool:
    """Whether a text is nothing but politeness, which no tool is called for."""
    return bool(_EMPTY.match(text))


_FACT = cue("clauses.fact")


def _clause(piece: str, first: bool) -> Clause | None:
    text = _LEADING.sub("", piece).strip().strip(",").strip()
    greeting = re.match(
        r"(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: there)?[,!.]\s+(?=\S)",
        text,
        re.IGNORECASE,
    )
    text = text[greeting.end() :] if greeting else text
    if not text or _EMPTY.match(text):
        return None
    lead = piece[: piece.find(text)] if text in piece else ""
    after = not first and bool(_AFTER.search(lead + " ".join(text.split()[:3])))
    return Clause(text, after, not first and bool(_IF.match(text)), is_fact(text))


def is_fact(text: str) -> bool:
    """Whether a sentence tells rather than asks ("My name is ...", "The dog is limping.")."""
    return (
        bool(_FACT.match(text)) and not text.rstrip().endswith("?") and not _STARTS_WISH.match(text)
    )


_STARTS_WISH = cue("clauses.starts_wish")


@lru_cache(maxsize=4_000)
def split(text: str, verbs: frozenset[str] = frozenset()) -> tuple[Clause, ...]:
    """The parts of a request in order, statements of fact among them.

    `verbs` are stems that open a part here though they are nouns elsewhere ("order", "track").
    """
    found: list[Clause] = []
    for sentence in _SENTENCE.split(text):
        for piece in _pieces(sentence, verbs):
            clause = _clause(piece, not found)
            if clause is None:
                continue
            if len(found) >= MOST:
                found[-1] = joined(found[-1], clause)
            else:
                found.append(clause)
    return tuple(found) or ((Clause(text.strip()),) if text.strip() else ())


def joined(first: Clause, second: Clause) -> Clause:
    """Two parts as one."""
    mark = "" if first.text[-1:] in ".!?;:" else "."
    return replace(first, text=f"{first.text}{mark} {second.text}", fact=first.fact and second.fact)


_MESSAGES = frozenset(
    "message text body content note notes comment comments remarks statement greeting".split()
)
_REMARKS = frozenset("note notes comment comments remarks".split())
_REASONS = frozenset("reason explanation why cause".split())
_SUBJECTS = frozenset(
    "description details detail issue problem complaint feedback symptom symptoms".split()
)
_FAULTS = frozenset("fault defect".split())
_LIMITS = frozenset("constraints constraint limits requirements".split())
_CONTEXTS = frozenset("context background summary".split())

_SAID = regex(
    r"(?:\b(?:saying|says|say|reading|to say)\b(?: that)?:?|\b(?:message|note|text"
    r"|comment|notes?):|\bto tell (?:him|her|them)(?: that)?"
    r"|\btell(?:ing)? (?:him|her|them|[A-Z]\w+(?: [A-Z]\w+)?)(?: that)?|\bthat (?=(?:i|we"
    r"|the|he|she|they|my|our|it|there|you)\b))\s*",
    re.IGNORECASE,
)
_BECAUSE = regex(
    r"\b(?:because(?: of)?|due to|on account of|as it|as they|since (?=i |we |the |it "
    r"|my )|reason:|as (?=i |we |the |it |my ))\s*",
    re.IGNORECASE,
)
_THAT = regex(r"(?:\bthat\b|:|\babout\b|\bsaying\b|\bwith the note\b)\s+", re.IGNORECASE)
_POLITE = regex(
    r"^(?:(?:please|can you|could you|would you|will you|kindly|i(?:'d| would) like "
    r"(?:you )?to|i want (?:you )?to|i need (?:you )?to"
    r"|also|then|and|hi|hello|hey|help me(?: to)?|first|finally|we need to|let's"
    r"|(?:great|good|perfect|lovely|brilliant|wonderful|excellent|super|thanks|thank you)[,!])"
    r"[\s,]+)+",
    re.IGNORECASE,
)
_CONSTRAINT = regex(
    r"\b(?:(?:in|under|within|with) (?:at most |no more than |less than |up to |max"
    r"(?:imum)? )?\d+ (?:words?|sentences?|minutes?|hours?|days?|lines?|bullet points?"
    r"|points?|characters?|items?)"
    r"|(?:at most|no more than|less than|fewer than|at least|up to|only|without|excluding"
    r"|no later than|(?:by|before|until) (?=\w+day|tomorrow|\d)|in (?:english|german|french|spanish"
    r"|italian))\b[^,.;]*)",
    re.IGNORECASE,
)


def polished(text: str) -> str:
    """A part of a request as a task: without politeness, first letter large."""
    bare = _POLITE.sub("", text.strip()).strip()
    return bare[:1].upper() + bare[1:]


def constraints(text: str) -> str:
    """The phrases of a text that limit how something is done, joined by semicolons."""
    return "; ".join(dict.fromkeys(m.group().strip() for m in _CONSTRAINT.finditer(text)))


def _quotation(text: str) -> str | None:
    return next((str(m.value) for m in mentions(text) if m.kind == "quoted"), None)


_TYPED = ("phone", "email", "id", "number", "date", "time", "amount", "address")


def _from(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    rest = text[match.end() :].strip().rstrip(".!") if match else ""
    typed = any((m.start, m.end) == (0, len(rest)) and m.kind in _TYPED for m in mentions(rest))
    return rest if content(rest) and not typed else None


_FOR = regex(
    r"\bfor (?:an?|some) (?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?)(?=\s*$|[.,;?!]| (?:on|at"
    r"|with|next|this|in|for|tomorrow|today)\b)"
)


def _purpose(text: str) -> str | None:
    """What something is for, when the text says so with an article: "for a check-up"."""
    match = _FOR.search(text)
    return match["what"] if match else None


def _facts(text: str) -> str | None:
    """Sentences that merely state something, which is what a description consists of."""
    sentences = re.split(r"(?<=[.!?])\s+", text)
    told = [s for s in sentences if not s.endswith("?") and (is_fact(s) or head_action(s) is None)]
    return " ".join(told).rstrip(".") if told and len(told) < len(sentences) else None


_ASIDE = regex(
    r"(?:, |[.!;] |\band )(?P<why>(?:(?:my|the|our|his|her)(?: \w+){1,3}|i|we|he|she|they|it|there)"
    r"(?:['’]\w+| (?:has|have|had|is|am|are|was|were|can(?:['’]t|not)?|won['’]t"
    r"|do(?:es)?n['’]t|need|feel|got|broke|must|will))\b[^.!?]*)",
    re.IGNORECASE,
)


def _aside(text: str) -> str | None:
    """What a text adds about somebody's state, which is why the rest is asked for."""
    match = _ASIDE.search(text)
    return match["why"] if match and not _WISHING.search(match["why"]) else None


_WISHING = regex(r"\b(?:would|like|please|want|name|born|number|e-?mail)\b", re.IGNORECASE)


def free_text(param: Param, clause: str) -> str | None:
    """The part of a clause that a free-text parameter asks for.

    None when it holds none; a required parameter falls back on the whole clause.
    """
    said = set(name_words(param.name))
    if said & _LIMITS:
        return constraints(clause) or None
    if said & _MESSAGES:
        found = _quotation(clause) or _from(_SAID, clause)
        found = found or (_aside(clause) if said & _REMARKS and not param.required else None)
    elif said & _REASONS:
        found = _from(_BECAUSE, clause) or _purpose(clause) or _aside(clause)
    elif said & _FAULTS:
        found = _facts(clause)
    elif said & _SUBJECTS:
        found = (
            _quotation(clause) or _facts(clause) or _from(_THAT, clause) or _from(_BECAUSE, clause)
        )
    elif said & _CONTEXTS:
        found = _facts(clause)
    else:
        found = polished(clause) if param.required else None
    if found is None and param.required:
        return "" if said & _LIMITS else polished(clause)
    return found
