"""Mood: how each part of what a person says is meant: ordered, asked, told, hedged or denied; what
it hangs on; and whether it is taken back in the end.

Whoever orders a deed says so in the imperative, as a wish or in a bare phrase. A question, a
story, a worry, a "might" and a "don't" order nothing, whatever verbs they hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from course.models.policy.lexicon import EITHER, VERBS, action_of
from course.models.policy.words import cue, stem, tokens

Mood = Literal["ordered", "asked", "told", "hedged", "denied"]
_DENIED, _HEDGED, _ASKED, _POLITE, _LEAVE, _PARTICULAR, _WISH, _ACTS, _TOLD = (
    cue(f"mood.{n}") for n in "denied hedged asked polite leave particular wish acts told".split()
)
_CONCLUDES = cue("mood.concludes")
_BACK, _IF, _IF_LAST, _SO, _OPENING, _WANTS_KNOWING, _OFFERS, _REPORTS, _NEGATIVE, _POLITE_END = (
    cue(f"mood.{n}")
    for n in "back if if_last so opening wants_knowing offers reports negative polite_end".split()
)
_QUOTED = re.compile(r"(?<!\w)(?:\"[^\"\n]+\"|“[^”\n]+”|‘[^’\n]+’|'[^'\n]{3,}'(?!\w))")
_CITED = re.compile(r"^>[^\n]*", re.MULTILINE)
_END = re.compile(r"(?<!\s[A-Z])(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bMrs)[.!?…]+[\"”’)]?(?=\s|$)|\n+|;")
_JOINT = re.compile(
    r",? (?:but|so|hence|then|and then)[, ]+"
    r"|(?: -+|,| and(?: also)?| or) (?=(?:please |then |also |just )?"
    r"(?:i|we|you|he|she|it|they|can|could|would|don'?t|do not|let|there)\b)|,? and (?=\w+ )|, ",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Part:
    """A part of a message: its words, how they are meant, the condition that they hang on ("" for
    none), and whether it is the contrary of that which must hold."""

    text: str
    mood: Mood
    condition: str = ""
    unless: bool = False


@lru_cache(maxsize=2_000)
def parts_of(text: str, verbs: frozenset[str] = frozenset()) -> tuple[Part, ...]:
    """The parts of what a person says, each with its mood, in their order; `verbs` are stems that
    open an order besides those of the lexicon, such as those of the tools on offer."""
    quoted = [Part(m[0], "told") for m in _CITED.finditer(text)]
    parts: list[Part] = quoted
    for sentence in _sentences(_CITED.sub("", text)):
        back = _BACK.search(_QUOTED.sub(_masked, sentence))
        held, rest = (sentence[: back.end()], sentence[back.end() :]) if back else ("", sentence)
        if forbids := _FORBIDS.search(held) if re.match(r"\s+[a-z]", rest) else None:
            held, rest = held[: forbids.start()], held[forbids.start() :] + rest
        found = list(_of_sentence(rest, parts[-1] if parts else None, verbs))
        if back and not any(p.mood == "ordered" and len(p.text.split()) > 1 for p in found):
            parts = [replace(p, mood="denied") if p.mood == "ordered" else p for p in parts]
        parts += [Part(held.strip(), "denied")] if held.strip() else []
        parts += found
    return tuple(p for p in parts if re.search(r"\w", p.text))


_FORBIDS = re.compile(r"\b(?:don['’]?t|do not)\W*$", re.IGNORECASE)
"""What takes nothing back but forbids what follows: "no, don't write to him"."""


def _masked(quoted: re.Match[str]) -> str:
    """A quotation as letters that no rule reads, so that places in the text stay."""
    return "“" + "x" * (len(quoted[0]) - 2) + "”"


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(_QUOTED.sub(_masked, text)):
        if sentence := text[start : end.end()].strip(" ;\n"):
            yield sentence
        start = end.end()
    if sentence := text[start:].strip(" ,;\n"):
        yield sentence


def _bare(sentence: str) -> str:
    """A sentence without quotations and without the small words that open it."""
    return _OPENING.sub("", _QUOTED.sub(_masked, sentence))


_MIDDLE = re.compile(r",? and,? (?=(?:if|provided|as long as|unless|should)\b)", re.IGNORECASE)


def _of_sentence(sentence: str, before: Part | None, verbs: frozenset[str]) -> Iterator[Part]:
    bare = _bare(sentence)
    so = _SO.match(bare)
    if so and before:
        unless = bool(_NEGATIVE.search(so[0]))
        rest = _plain(bare[so.end() :], verbs)
        yield from (replace(p, condition=before.text, unless=unless) for p in rest)
    elif middle := _MIDDLE.search(sentence):
        yield from _plain(sentence[: middle.start()], verbs)
        yield from _of_sentence(sentence[middle.end() :], before, verbs)
    elif found := _conditional(sentence, verbs):
        condition, main = found
        unless = bool(re.match(r"\W*unless\b", condition, re.IGNORECASE))
        condition = _IF_WORD.sub("", condition).strip(" ,.?!")
        main = main.rstrip(" ?") if _opens(main, verbs) else main
        yield from (replace(p, condition=condition, unless=unless) for p in _plain(main, verbs))
    else:
        yield from _plain(sentence, verbs)


_IF_WORD = re.compile(
    r"^\W*(?:and |but |so |only )*(?:if|provided(?: that)?|providing|as long as|unless|in case"
    r"|assuming|once|as soon as|when|should)\b",
    re.IGNORECASE,
)


def _conditional(sentence: str, verbs: frozenset[str]) -> tuple[str, str] | None:
    """The condition of a sentence and what hangs on it, if an order hangs on one."""
    bare = _OPENING.sub("", sentence)
    found = None
    if first := _IF.match(bare):
        body = first["body"]
        at = _main_at(body, verbs)
        topic = f"{first['topic']}: " if first["topic"] else ""
        found = (f"{first['if']} {body[: at[0]]}", topic + body[at[1] :]) if at else None
    elif last := _IF_LAST.search(sentence):
        found = (last["if"].split(",")[0], sentence[: last.start()])
    return found if found and _mood(found[1]) != "asked" else None


def _main_at(body: str, verbs: frozenset[str]) -> tuple[int, int] | None:
    """Where a condition ends and where begins what hangs on it."""
    joints = list(re.finditer(r",\s+(?:then )?|\s+then\s+", body))
    for joint in joints:
        if _opens(body[joint.end() :], verbs):
            return joint.span()
    if just := re.search(r"\s+(?=(?:just|please|then) [a-z]+ )", body):
        return just.span()
    for token in tokens(body)[2:]:
        word = token.text.lower()
        lead = body[: token.start].rstrip().rsplit(" ", 1)[-1].lower()
        known = (action_of(word) and word not in _AUXILIARY) or token.stem in VERBS | verbs
        plain = token.text.islower() and not word.endswith(("ed", "ing"))
        if known and plain and lead not in _NO_VERB_AFTER:
            return token.start, token.start
    return joints[0].span() if joints else None


_NO_VERB_AFTER = frozenset(
    "a an the to is are was were be been has have had not no my your our his her its their of for"
    " in on at any some more less than much many i we you he she they it".split()
)


_NOT_YET = re.compile(r"\b(?:but|only|just|though) not (?:just )?(?:yet|now)\b", re.IGNORECASE)
_AUXILIARY = frozenset("is are was were has have had do does did any know".split())


_AND_COULD = re.compile(r",? and (?:also )?(?=(?:can|could|would|will) you\b)", re.IGNORECASE)


def _plain(text: str, verbs: frozenset[str]) -> Iterator[Part]:
    """The parts of a sentence without a condition."""
    if (joint := _AND_COULD.search(text)) and _mood(text[: joint.start()], verbs) == "asked":
        yield from _plain(text[: joint.start()], verbs)
        yield from _plain(text[joint.end() :], verbs)
        return
    whole = _mood(text, verbs)
    if whole == "hedged" or _NOT_YET.search(text) or (whole == "asked" and text.endswith("?")):
        yield Part(text.strip(), whole)
        return
    start, masked = 0, _QUOTED.sub(_masked, text)
    for joint in _JOINT.finditer(masked):
        if masked[start : joint.start()].strip() and _opens(masked[joint.end() :], verbs):
            yield Part(
                text[start : joint.start()].strip(), _mood(text[start : joint.start()], verbs)
            )
            start = joint.end()
    if text[start:].strip():
        yield Part(text[start:].strip(), _mood(text[start:], verbs))


def _opens(text: str, verbs: frozenset[str]) -> bool:
    """Whether a part of its own begins here: a verb, a subject, a question."""
    if _PLEASE_FIRST.match(text):
        return True
    text = _OPENING.sub("", text)
    if any(each.match(text) for each in (_ASKED, _TOLD, _WISH, _ACTS, _DENIED, _POLITE)):
        return True
    first = next(iter(tokens(text[:40])), None)
    known = first and (action_of(first.text) or first.stem in VERBS | verbs)
    return bool(known) and not text.split()[0].lower().endswith(("ing", "ed"))


def _commands(text: str, verbs: frozenset[str]) -> bool:
    """Whether a text opens with a verb that is no noun as well."""
    first = next(iter(tokens(text[:40])), None)
    word = first.text.lower() if first else ""
    known = bool(action_of(word)) or stem(word) in VERBS | verbs
    verb = word not in EITHER or _OBJECT.match(text)
    order = word not in _AUXILIARY | _PAST
    return bool(known and verb) and order and not _STANDS.match(text)


_PAST = frozenset("came went left got saw took gave kept lost found paid sent made".split())


_OBJECT = re.compile(
    r"[\w-]+ (?:off|up|the|my|our|an?|me|us|him|her|them|\+\d+|(?-i:[A-Z])[a-z]+"
    r"(?: (?-i:[A-Z])[a-z]+)* (?!is|was|will|has|had|are|were|can|could|did|does))\b",
    re.IGNORECASE,
)
"""A verb that may be a noun as well, with what it is done to: "E-mail Pavel Horak"."""
_STANDS = re.compile(r"\w+ (?:[\w-]+ )?(?:is|are|was|were|has|had|have)\b", re.IGNORECASE)
"""A noun with its verb: "Route nine was cancelled"."""


def commanded(text: str, verbs: frozenset[str] = frozenset()) -> bool:
    """Whether a part that is ordered says so by a form of its own, and is no mere phrase."""
    bare = _bare(text)
    forms = (_POLITE, _LEAVE, _WISH, _ACTS)
    closing = _POLITE_END.search(bare) or _WISHES.search(bare) or "please" in text.lower()
    return bool(closing or any(f.match(bare) for f in forms)) or _commands(bare, verbs)


_THEN_ASKS = re.compile(
    r"(?<!and)(?<!or),? (?:do|does|is|are|will|would|can|could|how|what|when|where)"
    r" (?:i|we|my|our|the|there|that|it|much|many|long|happens)\b",
    re.IGNORECASE,
)
"""A question behind a condition: "if you cancel it do I get my money back"."""
_BY_ONESELF = re.compile(
    r"(?:i|we)['’]?(?:ll| will| can| could)\b[^.!?]*\b(?:myself|ourselves)\b", re.IGNORECASE
)
"""What somebody does without help: "ill book the test myself next month"."""
_LEFT_OPEN = re.compile(
    r"(?:the|my|our|that|this) (?:[\w-]+ ){0,2}(?:i|we)(?:['’]ll| will)? (?:still )?"
    r"(?:decide|leave|keep|think|see|sort|let|know|check|ask|wait|look)\b",
    re.IGNORECASE,
)
"""What is said of a thing that is left for later: "the trip I decide when she answers"."""


_WISHES = re.compile(
    r"\b(?:i|we)(?: still| really| just| also)*(?: would|['’]d)? (?:like|love|want|need|take)\b"
    r"(?<!i like)(?<!we like)(?<!i love)(?<!we love)(?<!i take)(?<!we take)"
    r"(?! to (?:know|hear|see)\b)",
    re.IGNORECASE,
)
"""A wish within what is told."""
_PLEASE_FIRST = re.compile(r"\W*please\b(?=\W+\w)", re.IGNORECASE)
_PLEASE = re.compile(r"\bplease[ .!]*$", re.IGNORECASE)


def _mood(text: str, verbs: frozenset[str] = frozenset()) -> Mood:
    """How a part is meant, by its own words alone."""
    bare = _bare(text)
    asks = bare.rstrip(' "”’)').endswith("?")
    denied = _DENIED.search(bare)
    if denied and not (denied.start() == 0 and stem(denied[0].split()[0].lower()) in verbs):
        return "denied"
    if _HEDGED.search(bare):
        return "hedged"
    if _WANTS_KNOWING.search(bare) or (_IF.match(bare) and _THEN_ASKS.search(bare)):
        return "asked"
    left = _CONCLUDES.search(bare) or _LEFT_OPEN.match(bare) or _BY_ONESELF.match(bare)
    if left and not asks:
        return "told"
    if _POLITE.match(bare) or _POLITE_END.search(bare):
        return "ordered"
    if (leave := _LEAVE.match(bare)) and not _OFFERS.search(bare):
        return "ordered" if _PARTICULAR.search(text[leave.end() :]) else "asked"
    if _ASKED.match(bare):
        return "asked"
    if _PLEASE.search(bare) or _WISH.match(bare) or _ACTS.match(bare):
        return "ordered"
    if not _commands(bare, verbs) and (_REPORTS.search(bare) or _TOLD.match(bare)):
        wishes = _WISHES.search(bare) and not _REPORTS.search(bare)
        return "asked" if asks else "ordered" if wishes else "told"
    return "asked" if asks and "please" not in text.lower() else "ordered"
