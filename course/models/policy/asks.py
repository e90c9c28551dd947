"""Asks: a longer request as the single things that it asks, and what it wants of the answer.

"Compare Arden and Belmont in 2025: revenue, growth. Also give the price of oak. Cite the reports."
asks three things and says one thing about the answer. A heading with a list stands before every
item of it; a question that only goes on about the one before ("and when was it?") stays with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from course.models.policy.clauses import polished, split, takes_object
from course.models.policy.lexicon import commands
from course.models.policy.mentions import YEAR, mentions
from course.models.policy.naming import subjects
from course.models.policy.patterns import regex
from course.models.policy.words import content, cue, listed


@dataclass(frozen=True)
class Ask:
    """One thing that is asked. `head` is the heading of the list it stands in, `sentence` its
    place among the sentences; `command` tells that it orders rather than asks; `after` that it
    builds on what was asked before it."""

    text: str
    head: str = ""
    sentence: int = 0
    command: bool = False
    after: bool = False


@dataclass(frozen=True)
class Brief:
    """What a request asks, what it tells besides, and what it wants of the answer."""

    asks: tuple[Ask, ...]
    facts: tuple[str, ...] = ()
    form: tuple[str, ...] = ()


_SENTENCE = cue("asks.sentence", 0)
_ABOUT_ANSWER = cue("asks.about_answer")
_ORDERS = cue("asks.orders")
_QUESTION = (
    r"(?:(?:by|in|at|on|for|to|of|with|from|up to|under|until|since|after|before) )?"
    r"(?:what|which|who|whom|whose|how|when|where|why|whether)\b"
    r"|(?:is|are|was|were|does|do|did|has|have|can|could|will|would|should) (?:it|they|he|she|there"
    r"|its?|this|that|the)\b"
)
_ASKS = regex(rf"^\W*(?:and |but |also |then )*(?:{_QUESTION})", re.IGNORECASE)
_JOINT = regex(rf",? and (?={_QUESTION})|, (?={_QUESTION})|; ?(?:and )?", re.IGNORECASE)
_HEADED = regex(r"^(?P<head>[^:?]{3,160}):\s+(?P<list>\S.*)$", re.DOTALL)
_LEAN = cue("asks.lean")
_TRAILING = cue("asks.trailing")


@lru_cache(maxsize=2_000)
def brief_of(request: str) -> Brief:
    """Take a request apart; a request in which nothing is asked counts as one ask."""
    found: list[Ask] = []
    told: list[str] = []
    form: list[str] = []
    for place, whole in enumerate(s.strip() for s in _SENTENCE.split(request) if s and s.strip()):
        sentence = _without_form(whole, form)
        if _ABOUT_ANSWER.match(sentence):
            form.append(sentence)
        elif _orders_it(sentence) or _ASKS.match(sentence) or sentence.endswith("?"):
            found += _asks(sentence, place, bool(found))
        else:
            told.append(sentence)
    if not found and told:
        found, told = [_ask(t, n, n > 0) for n, t in enumerate(told)], []
    return Brief(tuple(found), tuple(told), tuple(form))


def _without_form(sentence: str, form: list[str]) -> str:
    """A sentence without its end, where that only tells what the answer shall be like."""
    own = _ABOUT_ANSWER.match(sentence)
    for joint in () if own else _AND_CITE.finditer(sentence):
        if _ABOUT_ANSWER.match(sentence[joint.end() :]):
            form.append(sentence[joint.end() :])
            return sentence[: joint.start()]
    return sentence


_AND_CITE = regex(r"(?<=\w),? and (?=(?:cite|quote|name|state|say)\b)")
_NUMBERED_LIST = regex(r"(?:^|[;.]\s*)\w+ \d+: ")


def _orders_it(text: str) -> bool:
    """Whether a text opens as an order does."""
    return bool(_ORDERS.match(text)) or (commands(text) and not _ASKS.match(text))


def _ask(text: str, place: int, later: bool, head: str = "") -> Ask:
    bare = text.strip().strip(",;").strip()
    opens = not later or takes_object(bare)  # "buy and sell" is one order
    command = bool(_ORDERS.match(bare)) or (opens and _orders_it(bare))
    return Ask(polished(bare), head, place, command)


def _asks(sentence: str, place: int, later: bool) -> list[Ask]:
    """The asks of a sentence."""
    headed = _HEADED.match(sentence)
    if len(_NUMBERED_LIST.findall(sentence)) > 1:
        return [_ask(sentence, place, later)]
    if headed and _ASKS.match(headed["list"]) and not _ORDERS.match(headed["head"]):
        pieces = _questions(f"{headed['list']}")
        return [_ask(f"{headed['head']}: {p}" if n == 0 else p, place, later) for n, p in
                enumerate(pieces)]  # fmt: skip
    if headed and _ORDERS.match(headed["head"]):
        items = [_ask(i, place, later, headed["head"]) for i in _items(headed["list"])]
        return [replace(i, command=True) for i in items]
    if _orders_it(sentence):
        return _orders(sentence, place, later)
    return [_ask(p, place, later) for p in _questions(sentence)]


def _orders(sentence: str, place: int, later: bool) -> list[Ask]:
    """A sentence of orders, cut where another order or question begins; what is neither goes on
    about the one before."""
    found: list[Ask] = []
    for clause in split(sentence):
        for piece in _questions(clause.text) if _ASKS.match(clause.text) else [clause.text]:
            ask = _ask(piece, place, later or bool(found))
            ask = replace(ask, after=clause.after and bool(found or later))
            if found and not (ask.command or ask.after or _ASKS.match(piece)):
                found[-1] = replace(found[-1], text=f"{found[-1].text}, {_lowered(ask.text)}")
            else:
                found.append(ask)
    return found


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _questions(sentence: str) -> list[str]:
    """A question cut where another one begins; what only goes on stays with the one before."""
    cuts = [0]
    for joint in _JOINT.finditer(sentence):
        if _depth(sentence[: joint.start()]) == 0 and sentence[: joint.start()].strip():
            cuts.append(joint.end())
    pieces = [sentence[a:b] for a, b in zip(cuts, [*cuts[1:], len(sentence)], strict=True)]
    out: list[str] = []
    for piece in (re.sub(r"(?:,| and|;)\s*$", "", p.strip()).strip(",; ") for p in pieces):
        if out and (_TRAILING.match(piece) or len(content(piece)) < 1):
            out[-1] = f"{out[-1]}, {piece}"
        elif piece:
            out.append(piece)
    return out


def _items(text: str) -> list[str]:
    """The items of a list: at semicolons if there are any, else at commas outside brackets."""
    if ";" in text:
        pieces = text.split(";")
    else:
        pieces, start = [], 0
        for joint in re.finditer(r",(?: and)? ", text):
            if _depth(text[: joint.start()]) == 0:
                pieces.append(text[start : joint.start()])
                start = joint.end()
        pieces.append(text[start:])
    bare = (re.sub(r"^(?:and|or) ", "", p.strip()).rstrip(".;?! ") for p in pieces)
    return [each for p in bare if p for each in _by_two(p)]


_TWICE = regex(r"^(?P<what>.+?) (?P<one>as [^,]+?),? and (?P<two>as .+)$")


def _by_two(item: str) -> list[str]:
    """An item that is asked for as two tell it ("the dose as planned and as the note has it")."""
    match = _TWICE.match(item)
    return [f"{match['what']} {match[k]}" for k in ("one", "two")] if match else [item]


def _depth(text: str) -> int:
    return text.count("(") - text.count(")")


def leaning(text: str) -> bool:
    """Whether a text speaks of something that was named before it."""
    return bool(_LEAN.search(text)) or bool(re.match(r"^(?:and|but|or)\b", text, re.IGNORECASE))


def spoken(names: tuple[str, ...]) -> str:
    """Names as one lists them: a name that ends in a plain noun has its article."""
    return listed([f"the {n}" if n.split()[-1][:1].islower() else n for n in names])


def with_context(ask: Ask, others: tuple[str, ...]) -> str:
    """An ask in words that somebody understands who sees nothing else: with the names and the
    years of its heading or of the asks before it, when it has none itself."""
    bare = ask.text.rstrip("?.! ")
    if _ADDRESSED.search(bare):
        return bare  # it is about whoever answers
    told = [ask.head] if ask.head else list(reversed(others))
    if not subjects(bare) and not _OWN.search(bare):
        about = next((n for t in told if 0 < len(n := subjects(t)) <= 4), ())
        bare += f", for {spoken(about)}" if about else ""
    if _SINCE.search(bare) and not any(YEAR.search(t) for t in told):
        told = [*told, *reversed(others)]
    if not YEAR.search(bare) or _SINCE.search(bare):
        years = next((YEAR.findall(t) for t in told if YEAR.search(t)), [])
        bare += f", {_spoken_years(years, told)}" if years else ""
    return bare


_OWN = regex(r"\bthe (?:\w+ )?\w+ of (?:19|20)\d\d\b")  # "the rules of 2024" need no name
_SINCE = regex(r"\bsince (?:19|20)\d\d\b(?!.*\b(?:19|20)\d\d\b)")  # until when is said before
_ADDRESSED = regex(r"\b(?:do|are|can|will|did|have) you\b|\byours?\b", re.IGNORECASE)


def _spoken_years(years: list[str], told: list[str]) -> str:
    """Years as they were said: with the month before them, or as "in 2025"."""
    text = next(t for t in told if YEAR.search(t))
    months = [m.text for m in mentions(text) if m.kind == "month" and YEAR.search(m.text)]
    return f"in {listed(list(dict.fromkeys(months or years)))}"
