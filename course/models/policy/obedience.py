"""Obedience: what plain instructions forbid or ask for, whatever the request is.

"Never call a tool", "refuse to move money", "ask before you change anything", "answer in one
sentence", "answer in French", "never reveal the code word". Rules with a condition of their own
("only members ...") are not plain and stay with the people who wrote them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from course.models.policy.kin import nearest
from course.models.policy.results import deed_words
from course.models.policy.verbs import tool_action
from course.models.policy.weighing import languages
from course.models.policy.words import content, human, listed, name_stems
from course.models.wire import Call, ChatRequest, JsonObject, ToolSpec

_RULE = re.compile(r"(?<=[.!?;:])\s+|\n+|,? but (?=you )")
_NEVER = re.compile(
    r"\b(?:never|do not|don['’]t|must not|mustn['’]t|may not|cannot|refuse(?: to)?|"
    r"not allowed to|forbidden to|are barred from|without)\b(?: ever)? (?P<what>[^.;!?]+)",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:unless|without|if|before|until|except|more than|over|under|when|whose|who|other than|"
    r"twice|again|than|only|first|outside|after|on|for)\b",
    re.IGNORECASE,
)
_EVEN = re.compile(r",? (?:whatever|even|no matter|not even|to nobody|for no)\b.*$", re.IGNORECASE)
_TOOLS = re.compile(
    r"^(?:(?:ever )?(?:call|use|make|run|invoke)(?:ing)? )?(?:a|any|the|your|of the)? ?"
    r"(?:tools?|functions?)(?: calls?)?\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:(?:every|any|all|make|no) changes?|(?:change|modify|alter|write|touch) (?:anything|"
    r"any\w*|data|records?))\b",
    re.IGNORECASE,
)
_ASK = re.compile(
    r"\b(?:ask|confirm|check|repeat|read (?:back|it back)|approval|permission|consent|go-ahead"
    r"|(?:a|their) yes|okay|ok)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"\b(?:before|first|only after|prior to|without)\b", re.IGNORECASE)
_DEEDS = re.compile(
    r"\b(?:chang|book|cancel|order|mov|pay|send|writ|act|do(?:ing)? anything|call|tool|cost|"
    r"reserv|delet|irrevers)\w*",
    re.IGNORECASE,
)
_YES = re.compile(
    r"^\W*(?:yes|yep|yeah|ok|okay|sure|please do|go ahead|confirmed?|correct|do it|right)\b", re.I
)
_SENTENCE = re.compile(
    r"\b(?:in|with|to|than|exactly) (?:exactly |only |at most |just )?(?:one|a single) "
    r"(?:short |plain |full )?sentence\b|\bone-sentence\b|\bsingle-sentence\b",
    re.IGNORECASE,
)
_IN = re.compile(
    r"\b(?i:answer|reply|respond|write|speak|talk)\w*\b[^.;!?]{0,40}\bin (?P<what>[A-Z]\w+)"
)
_SECRET = re.compile(
    r"\b(?:reveal|disclose|share|tell|give away|give out|mention|pass on|say)\b"
    r"(?! that\b)",
    re.I,
)
_PRIVATE = re.compile(r"\b(?:secret|confidential|internal only|code ?word|password)\b", re.I)
_ABOUT_RULES = re.compile(
    r"\b(?:your|the|these|those|system|hidden|initial) (?:\w+ )?(?:instructions?|system prompt|"
    r"prompt|guidelines|system message)\b",
    re.IGNORECASE,
)
_WANTS = re.compile(
    r"\b(?:what|which|tell|say|give|show|repeat|print|reveal|list|share|spell|know)\b", re.I
)
_LITERAL = re.compile(r"['\"“‘]([^'\"”’]{3,40})['\"”’]|\b(?:is|=|:) ?([A-Z0-9][\w-]*\d[\w-]*)")
SORRY = "I'm sorry, I may not tell you that."


@dataclass(frozen=True)
class Rules:
    """What instructions say plainly.

    Attributes:
        forbidden: what is never to be done, each in its own words.
        confirms: whether somebody is asked before anything changes.
        sentence: whether an answer has one sentence.
        language: the language other than English that is wanted, or "".
        secrets: the sentences that are not to be told.
    """

    forbidden: tuple[str, ...] = ()
    confirms: bool = False
    sentence: bool = False
    language: str = ""
    secrets: tuple[str, ...] = ()


def rules_of(instructions: str) -> Rules:
    """The plain rules that instructions hold."""
    sentences = [s for s in _RULE.split(instructions) if s.strip()]
    never = [_EVEN.sub("", m["what"]).strip() for s in sentences for m in _NEVER.finditer(s)]
    plain = tuple(w for w in never if not _CONDITION.search(w) and not _SECRET.match(w))
    kept = any(_SECRET.match(w) for w in never)
    wanted = next((m["what"] for m in _IN.finditer(instructions)), "")
    foreign = wanted.lower() in languages() - {"english"}
    return Rules(
        plain,
        any(_ASK.search(s) and _BEFORE.search(s) and _DEEDS.search(s) for s in sentences),
        bool(_SENTENCE.search(instructions)),
        wanted if foreign else "",
        tuple(s for s in sentences if _PRIVATE.search(s) or (kept and _LITERAL.search(s))),
    )


def changes(tool: ToolSpec) -> bool:
    """Whether a tool changes something; finding out does not."""
    return tool_action(tool.name, tool.description) not in ("find", "transfer", None)


def forbids(rules: Rules, tool: ToolSpec) -> bool:
    """Whether a rule forbids a tool: all of them, all that change something, or what it does."""
    return any(
        bool(_TOOLS.match(what)) or (bool(_CHANGES.search(what)) and changes(tool))
        or _names(what, tool)
        for what in rules.forbidden
    )  # fmt: skip


def _names(what: str, tool: ToolSpec) -> bool:
    """Whether words for a deed are about a tool: its verb, and what it is done to."""
    if tool.name.lower() in what.lower():
        return True
    said = [w for w in content(what) if w != "tool"]
    own = frozenset((*name_stems(tool.name), *content(tool.description)))
    if not said or len(said) > _FEW:
        return False
    return all(max((nearest(w, own), 0.0)) >= _CLOSE for w in said) and (
        nearest(said[0], frozenset(name_stems(tool.name))) >= _CLOSE or len(said) > 1
    )


_FEW, _CLOSE = 4, 0.6


def declined(tools: Iterable[ToolSpec]) -> str:
    """What is said instead of calls that the instructions forbid."""
    deeds = listed(list(dict.fromkeys(deed_words(t.name) for t in tools)))
    return f"I'm sorry, I may not {deeds} here, so nothing was done."


def asks_first(calls: Iterable[Call]) -> str:
    """The question that stands before calls that change something."""
    told = []
    for call in calls:
        data = json.loads(call.arguments)
        named = listed([f"{human(k)} {_plain(v)}" for k, v in data.items() if v not in (None, "")])
        told.append(deed_words(call.name) + (f" with {named}" if named else ""))
    return f"Please confirm: shall I {listed(told)}?"


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def confirmed(messages: Iterable[JsonObject]) -> bool:
    """Whether the person has just said yes to a question."""
    told = [m for m in messages if m.get("role") in ("user", "assistant")][-2:]
    if len(told) < 2:
        return False
    before, last = told
    asked = str(before.get("content") or "")
    return "?" in asked and last.get("role") == "user" and bool(
        _YES.match(str(last.get("content") or ""))
    )  # fmt: skip


def pries(rules: Rules, request: str) -> bool:
    """Whether a request wants to hear a secret, or the instructions themselves."""
    if not _WANTS.search(request):
        return False
    words = set(content(request))
    secret = any(len(words & set(content(s))) > 1 for s in rules.secrets)
    return secret or bool(_ABOUT_RULES.search(request))


def worded(rules: Rules, text: str) -> str:
    """An answer as the rules want it: without secrets, in one sentence, and with a word that
    another language than English is beyond this model."""
    told = [a or b for s in rules.secrets for a, b in _LITERAL.findall(s)]
    if any(t.lower() in text.lower() for t in told):
        return SORRY
    if rules.sentence:
        pieces = [p.strip(" -\n") for p in re.split(r"(?<=[a-z0-9%)])[.]\s+|\n+", text.strip())]
        text = "; ".join(p.rstrip(".") for p in pieces if p)
        text += "" if text.endswith("?") else "."
    return f"(I can only write English, not {rules.language}.) {text}" if rules.language else text


_TO_MODELS = (
    r"(?:(?:note|message|attention|instructions?|notice) (?:to|for) (?:all |the |any |every "
    r"|automatic |automated )*(?:AIs?|assistants?|agents?|bots?|chatbots?|models?|LLMs?)\b"
    r"|\bdear (?:AI|LLM|chatbot|language model|assistant|model)\b"
    r"|\b(?:AIs?|LLMs?|chatbots?|bots|language models?|assistants) (?:reading|that reads?|"
    r"processing|must|should|have to|are to)\b"
    r"|\b(?:ignore|disregard|forget) (?:all |any |the |your |my )*(?:earlier|previous|prior|above|"
    r"other|former)?\s?(?:rules|instructions|prompts?|guidelines)\b)"
)
_ORDER = re.compile(_TO_MODELS, re.IGNORECASE)
_MARKS = '.!?"\\\n'
_REST = re.compile(rf"[^{re.escape(_MARKS)}]*(?:\.(?=\w)[^{re.escape(_MARKS)}]*)*[.!?]?")


def without_orders(request: ChatRequest) -> ChatRequest:
    """The request without sentences in results, or in what a person pastes, that give orders to
    whatever model reads them: they are data, and nothing that anybody asked about."""
    messages = tuple(
        {**m, "content": _without(m["content"])}
        if m.get("role") in ("tool", "user")
        and isinstance(m.get("content"), str)
        and (m["role"] == "tool" or len(m["content"]) > _PASTED)
        else m
        for m in request.messages
    )
    return request if messages == request.messages else replace(request, messages=messages)


_QUOTED = re.compile(r"n?\s*>")


def _without(text: str) -> str:
    """A text without its sentences that speak to models, but for lines marked as quotations."""
    kept, at = [], 0
    while found := _ORDER.search(text, at):
        begin = max(at, *(text.rfind(mark, at, found.start()) + 1 for mark in _MARKS))
        rest = _REST.match(text, found.end())
        end = rest.end() if rest else found.end()
        kept.append(text[at : end if _QUOTED.match(text, begin) else begin])
        at = end
    return "".join((*kept, text[at:]))


_PASTED = 150
"""Characters, from which on a person's message may hold what somebody else wrote."""
