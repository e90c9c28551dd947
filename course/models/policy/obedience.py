"""Obedience: what plain instructions forbid or ask for, whatever the request is.

"Never call a tool", "refuse to move money", "ask before you change anything", "answer in one
sentence", "end every message with ...", "never reveal the code word", "else say CANNOT: why"; and
what they want a refusal to say ("tell them that ...", "offer to ..."). Of rules with a condition of
their own one is read: "only members ...; anybody else: ...", where a person says of themselves that
they are none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from course.models.policy.conversation import Talk, shown_data, text_of
from course.models.policy.lexicon import VERBS, action_of, commands, nearest, tool_action
from course.models.policy.mentions import mentions
from course.models.policy.results import deed_words
from course.models.policy.speech import HONEST, UNFIT
from course.models.policy.words import (
    NUMBER_WORDS,
    content,
    cue,
    listed,
    name_stems,
    stem,
    word_list,
)
from course.models.wire import ChatRequest, Reply, ToolSpec

_RULE, _NEVER, _CONDITION, _EVEN, _TOOLS, _CHANGES = (
    cue(f"obedience.{n}") for n in "rule never condition even tools changes".split()
)
_SENTENCE, _SECRET, _PRIVATE, _ABOUT_RULES, _WANTS, _ORDER, _GOES_ON = (
    cue(f"obedience.{n}") for n in "sentence secret private rules wants to_models goes_on".split()
)
_TOOLLESS, _GUIDE, _ONLY, _OTHERS, _DENIES, _LONGEST, _WEEKDAY, _READ_ONLY, _SAYING = (
    cue(f"obedience.{n}")
    for n in "toolless guide only others denies most_words weekday read_only saying".split()
)
_LANGUAGE, _LITERAL, _FORM, _ENDS, _BEGINS, _KEPT = (
    cue(f"obedience.{n}", 0) for n in "language literal form ends begins kept".split()
)
_MAY_NOT = "I'm sorry, I may not "
_SORRY = "I'm sorry, I may not tell you that."


@dataclass(frozen=True)
class Rules:
    """What instructions say plainly.

    Attributes:
        forbidden: what is never to be done, each in its own words.
        sentences: how many sentences an answer has at most, 0 for any number.
        language: the language other than English that is wanted, or "".
        secrets: the sentences that are not to be told.
        withheld: what is never given out, each in its own words.
        instead: what a refusal says besides, in words for the person.
        only: the sentences that say who alone is served, where they say what others are told.
        frame: the words with which every answer begins and ends.
        words: how many words an answer has at most, 0 for any number.
    """

    forbidden: tuple[str, ...] = ()
    sentences: int = 0
    language: str = ""
    secrets: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    frame: tuple[str, str] = ("", "")
    words: int = 0


def rules_of(request: ChatRequest) -> Rules:
    """The plain rules that a request's instructions hold."""
    told = (text_of(m) for m in request.messages if m.get("role") in ("system", "developer"))
    return _rules("\n".join(told))


@lru_cache(maxsize=500)
def _rules(instructions: str) -> Rules:
    sentences = [s for s in _RULE.split(instructions) if s.strip()]
    lead = ["", *(s if s.rstrip().endswith(":") else "" for s in sentences)]
    always = [s for s, before in zip(sentences, lead, strict=False) if not _IF.search(before)]
    never = [_deed(_told(m)) for s in always for m in _NEVER.finditer(s)
             if not _SUCH.search(s[: m.start()])]  # fmt: skip
    kept = [w for w in never if _SECRET.match(w)]
    withheld = [*kept, *(_told(m) for m in _KEPT.finditer(instructions))]
    wanted = next((_told(m) for m in _LANGUAGE.finditer(instructions)), "")
    plain = [
        w for w in never if not _SECRET.match(w) and not _CONDITION.search(_WEEKDAY.sub("", w))
    ]
    plain += ["tools"] if _TOOLLESS.search(instructions) else []
    plain += ["any changes"] if _READ_ONLY.search(instructions) else []
    limit = _LONGEST.search(instructions)
    most = _count(limit["n"] or limit["m"]) if limit else 0
    counts_words = bool(limit) and "words" in (limit["unit"], limit["units"]) if limit else False
    framed = (p.search(instructions) for p in (_BEGINS, _ENDS))
    first, last = (_told(m) if m else "" for m in framed)
    return Rules(
        tuple(plain),
        1 if _SENTENCE.search(instructions) else 0 if counts_words else most,
        wanted if wanted.lower() in {*word_list("documents.language")} - {"english"} else "",
        tuple(s for s in sentences if _PRIVATE.search(s) or (kept and _LITERAL.search(s))),
        tuple(withheld),
        tuple(dict.fromkeys(_instead(sentences))),
        tuple(
            s
            for before, s in zip(["", *sentences], sentences, strict=False)
            if _serves_only(s) or (_serves_only(before) and not _OTHERS.search(s))
        ),
        (first, last),
        most if counts_words else 0,
    )


def _serves_only(sentence: str) -> bool:
    """Whether a sentence says who alone is served; "Only add what is ordered" says what is done."""
    found = _ONLY.search(sentence)
    first = _ONLY_DOES.match(sentence)
    return bool(found) and not (first and (action_of(first[1]) or stem(first[1]) in VERBS))


_ONLY_DOES = re.compile(r"\W*only (\w+)", re.IGNORECASE)


def _deed(what: str) -> str:
    """What is never to be done, without what is said of it besides and what is to be done then."""
    what = _SAYING.sub("", what)
    guided = _GUIDE.search(what)
    return _EVEN.sub("", _AND.sub("", what[: guided.start()]) if guided else what).strip()


_IF = re.compile(r"\b(?:who(?:ever)?|if|when|any(?:one|body)|those|without)\b", re.IGNORECASE)
_SUCH = re.compile(r"\b(?:than|whose|which|if|with|that (?:is|has|are|have))\b", re.IGNORECASE)
_AND = re.compile(r"[\s,]*\b(?:and|but|instead)?\s*$")


def _told(found: re.Match[str]) -> str:
    """What the named group of a match holds."""
    return found[found.lastgroup or 0].strip()


def _count(word: str) -> int:
    """How many a number says, in figures or as a word; 0 for what is none."""
    return int(word) if word.isdecimal() else int(NUMBER_WORDS.get(word.lower(), 0))


def _instead(sentences: list[str]) -> Iterator[str]:
    """What instructions want people to be told whom they refuse something."""
    refuses = False
    for sentence in sentences:
        for found in _GUIDE.finditer(sentence):
            if not _told(found).startswith("who"):
                yield _to_them(found.lastgroup or "", _told(found))
        if refuses and not _GUIDE.search(sentence) and not _NEVER.search(sentence):
            yield _to_them("told", sentence)
        refuses = bool(_NEVER.search(sentence)) and sentence.rstrip().endswith(":")


_LEADS = {
    "please": "please ",
    "can": "I can ",
    "whom": "please turn to ",
    "note": "there is ",
    "give": "here is ",
}
_TURNED = dict(pair.split(":") for pair in word_list("obedience.turned"))
_PRONOUN = re.compile(rf"\b(?:you are|you['’]re|{'|'.join(_TURNED)})\b", re.IGNORECASE)


def _to_them(kind: str, words: str) -> str:
    """Words about a person as words to that person, as a sentence; "you" is the model itself."""
    turned = _PRONOUN.sub(lambda m: _TURNED.get(m.group().lower(), "I am"), words.strip(" ,.:"))
    text = f"{_LEADS.get(kind, '')}{turned}"
    return f"{text[:1].upper()}{text[1:]}."


def silenced(rules: Rules, request: ChatRequest) -> Reply | None:
    """The refusal to whoever asks for a secret or the instructions themselves; else None."""
    *_, last = ({}, *request.messages)
    asked = text_of(last) if last.get("role") == "user" else ""
    if not _WANTS.search(asked):
        return None
    secret = any(len(set(content(asked)) & set(content(s))) > 1 for s in rules.secrets)
    return Reply(text=_SORRY) if secret or _ABOUT_RULES.search(asked) else None


def obeying(rules: Rules, request: ChatRequest, reply: Reply) -> Reply:
    """A reply as plain instructions allow it."""
    tools = {t.name: t for t in request.tools}
    left_out = _left_out(rules, request)
    barred = [
        tool
        for c in reply.calls
        if (tool := tools.get(c.name))
        and (_forbids(rules, tool, c.arguments) or (left_out and _changes(tool)))
    ]
    if barred:
        kept = tuple(c for c in reply.calls if all(c.name != t.name for t in barred))
        deeds = listed(list(dict.fromkeys(deed_words(t.name, t.description) for t in barred)))
        sorry = f"I'm sorry, I may not {deeds} here, so nothing was done."
        return replace(reply, calls=kept) if kept else Reply(text=_refusing(rules, sorry))
    if reply.calls or not reply.text:
        return reply
    needs = _NEEDS.match(reply.text)
    if needs and any(_TOOLS.match(what) for what in rules.forbidden):
        return Reply(text=_refusing(rules, f"I'm sorry, I may not {needs['deed']} here."))
    if reply.text.startswith((HONEST, UNFIT, _MAY_NOT)):
        return replace(reply, text=_refusing(rules, reply.text))
    return replace(reply, text=_worded(rules, _without_private(rules, reply.text)))


_NEEDS = re.compile(r"To (?P<deed>[^.?!]+?) I need ")
"""The question for what a call lacks."""


def _refusing(rules: Rules, sorry: str) -> str:
    """A refusal with what the instructions want to be said then."""
    return _worded(rules, " ".join((sorry, *rules.instead)))


def _left_out(rules: Rules, request: ChatRequest) -> bool:
    """Whether a person says of themselves that they are none of those who alone are served."""
    said = (text_of(m) for m in request.messages if m.get("role") == "user")
    denied = (c for text in said for c in re.split(r"[.,;!?]\s+", text) if _DENIES.search(c))
    about = {w for s in rules.only for w in content(s)}
    return any(about & set(content(clause)) for clause in denied)


_REACHED = {stem(w): k for k in ("phone", "email") for w in word_list(f"obedience.{k}")}


_OF = re.compile(r"\b(?:of|to|with|about|from)\b")
_GENERAL = frozenset(
    content("number data detail information private personal thing anything give out tell")
)


def _without_private(rules: Rules, text: str) -> str:
    """A text without its pieces that name or hold what is never to be given out, and with a word
    that they are left out."""
    nouns = (_OF.split(_SECRET.sub("", what))[0] for what in rules.withheld)
    named = {w for noun in nouns for w in content(noun)} - _GENERAL
    kinds = {_REACHED[w] for w in named if w in _REACHED}
    text, able, abilities = text.partition(_ABLE)
    pieces = re.split(r"(?<=[,;:.])\s+", text)
    kept = [
        p
        for p in pieces
        if not named & set(content(p)) and all(m.kind not in kinds for m in mentions(p))
    ]
    left_out = _SORRY.replace("that", "everything")
    said = text if len(kept) == len(pieces) else " ".join((*kept, left_out))
    return f"{said}{able}{abilities}"


_ABLE = "I can "
"""How a sentence opens that tells of no person, only of what one can do."""


def _changes(tool: ToolSpec) -> bool:
    return tool_action(tool.name, tool.description) not in ("find", "transfer", None)


def _forbids(rules: Rules, tool: ToolSpec, arguments: str) -> bool:
    """Whether a rule forbids a call: all of them, all that change something, or what it does."""
    values = " ".join(map(str, _plain_values(json.loads(arguments))))
    said = frozenset(content(values))
    return any(
        _TOOLS.match(what)
        or (_CHANGES.search(what) and _changes(tool))
        or (_names(_WEEKDAY.sub("", what), tool, said) and _on_that_day(what, values))
        for what in rules.forbidden
        if not _TOO_MUCH.search(what)
    )


_TOO_MUCH = re.compile(r"\bmore\W*$", re.IGNORECASE)
"""How words for a deed forbid only what is beyond a limit: "never book more"."""


def _plain_values(data: object) -> Iterator[object]:
    """The plain values within some data."""
    if isinstance(data, dict | list):
        for value in data.values() if isinstance(data, dict) else data:
            yield from _plain_values(value)
    else:
        yield data


def _on_that_day(what: str, values: str) -> bool:
    """Whether values name a day of the week that a rule is about, if it is about one."""
    told = _WEEKDAY.search(what)
    days = [date.fromisoformat(d).strftime("%A").lower() for d in _DAY.findall(values)]
    late = ("saturday", "sunday") if told and told["day"].lower() == "weekend" else ()
    return not told or any(d in late or d.startswith(told["day"].lower()) for d in days)


_DAY = re.compile(r"\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d)\b")
_SELF = re.compile(r"\b(?:your|it|them)sel(?:f|ves)\b", re.IGNORECASE)
_FEW, _CLOSE = 4, 0.6


def _names(what: str, tool: ToolSpec, values: frozenset[str]) -> bool:
    """Whether words for a deed are about a call: its tool's verb, and what it is done to."""
    said = [w for w in content(_SELF.sub("", what)) if w != "tool"]
    if tool.name.lower() in what.lower() or not 0 < len(said) <= _FEW:
        return tool.name.lower() in what.lower()
    named = frozenset(name_stems(tool.name))
    own = named | frozenset(content(tool.description)) | values
    verb = len(said) > 1 or nearest(said[0], named) >= _CLOSE
    return verb and all(nearest(w, own) >= _CLOSE for w in said)


def _worded(rules: Rules, text: str) -> str:
    """An answer as the rules want it: without secrets, in one sentence, and with a word that
    another language than English is beyond this model."""
    told = [a or b for s in rules.secrets for a, b in _LITERAL.findall(s)]
    if any(t.lower() in text.lower() for t in told):
        return _SORRY
    text = _in_sentences(text, rules.sentences) if rules.sentences else text
    text = _shortened(text, rules.words) if rules.words else text
    text = f"(I can only write English, not {rules.language}.) {text}" if rules.language else text
    return _framed(rules, text)


def _in_sentences(text: str, most: int) -> str:
    """A text in so many sentences at most: those beyond go on after a semicolon."""
    pieces = [p.strip(" -\n") for p in re.split(r"(?<=[a-z0-9%)][.!?])\s+|\n+", text.strip())]
    if pieces[1:] and len(pieces[0].split()) < 3 and pieces[0].endswith("!"):
        pieces[:2] = [" ".join(pieces[:2])]  # "Hello!" is no sentence
    first, rest = pieces[: most - 1], [p.rstrip(".!") for p in pieces[most - 1 :] if p]
    last = "; ".join(rest)
    return " ".join([*first, last if last.endswith("?") or not last else f"{last}."])


def _framed(rules: Rules, text: str) -> str:
    """A text between the words with which every answer begins and ends."""
    first, last = rules.frame
    return " ".join(p for p in (first, text, last) if p)


def _shortened(text: str, most: int) -> str:
    """The first pieces of a text that together have so many words at most."""
    if len(text.split()) <= most:
        return text
    kept: list[str] = []
    for piece in re.split(r"(?<=[.!?;,:])\s+|\n+(?:- )?", text):
        if len(f"{' '.join(kept)} {piece}".split()) > most:
            break
        kept.append(piece)
    short = " ".join(kept or text.split()[:most]).rstrip(",;: ")
    return short if short.endswith((".", "!", "?")) else f"{short}."


def form_of_refusal(talk: Talk) -> str | None:
    """The word that the instructions want before a refusal, None when they name none."""
    form = _FORM.search(talk.instructions)
    return f"{form['mark'].rstrip(':')}:" if form else None


_PASTED = 150
"""Characters, from which on a person's message may hold what somebody else wrote."""
_PIECE = re.compile(r".+?(?:[.!?]+\s+|$)", re.DOTALL)
_LEAD = re.compile(r"^.*[;(<\[—](?=\W*$)", re.DOTALL)


def without_orders(request: ChatRequest) -> ChatRequest:
    """The request without sentences in results, or in what a person pastes, that give orders to
    whatever model reads them: they are data, and nothing that anybody asked about."""
    messages = tuple(
        {**m, "content": _plain_data(told)}
        if (told := text_of(m))
        and (m.get("role") == "tool" or (m.get("role") == "user" and len(told) > _PASTED))
        and _ORDER.search(told)
        else m
        for m in request.messages
    )
    return request if messages == request.messages else replace(request, messages=messages)


def _plain_data(text: str) -> str:
    """A text without orders; in what it shows as data, each value for itself."""
    data = shown_data(text)
    return _without(text) if data is None else json.dumps(_each(data), ensure_ascii=False)


def _each(data: object) -> object:
    """Data whose texts are without orders."""
    if isinstance(data, dict):
        return {k: _each(v) for k, v in data.items()}
    if isinstance(data, list):
        return [_each(v) for v in data]
    return _without(data) if isinstance(data, str) else data


def _without(text: str) -> str:
    """A text without its sentences that speak to models, and those that go on giving orders, but
    for lines marked as quotations."""
    lines = (x if x.startswith(">") else _line_without(x) for x in text.split("\n"))
    return "\n".join(lines).strip()


def _line_without(line: str) -> str:
    kept, ordered = [], False
    for piece in _PIECE.findall(line):
        found = _ORDER.search(piece)
        ordered = bool(found) or (ordered and bool(_GOES_ON.search(piece) or commands(piece)))
        lead = _LEAD.match(piece[: found.start()]) if found else None
        kept += [lead[0].rstrip("(<[—; ")] if lead else [] if ordered else [piece]
    return "".join(kept)
