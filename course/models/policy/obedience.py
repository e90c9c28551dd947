"""Obedience: what plain instructions forbid or ask for, whatever the request is.

"Never call a tool", "refuse to move money", "ask before you change anything", "answer in one
sentence", "answer in French", "never reveal the code word", "else say CANNOT: why". Rules with a
condition of their own ("only members ...") are not plain and stay with the people who wrote them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from course.models.policy.chat import HONEST, YES
from course.models.policy.conversation import Talk, exchanges, text_of
from course.models.policy.lexicon import nearest
from course.models.policy.results import deed_words
from course.models.policy.verbs import tool_action
from course.models.policy.wordlists import cue, word_list
from course.models.policy.words import content, human, listed, name_stems
from course.models.wire import Call, ChatRequest, JsonObject, Reply, ToolSpec

_RULE, _NEVER, _CONDITION, _EVEN, _TOOLS, _CHANGES, _ASK, _BEFORE, _DEEDS = (
    cue(f"obedience.{n}")
    for n in "rule never condition even tools changes ask before deeds".split()
)
_SENTENCE, _SECRET, _PRIVATE, _ABOUT_RULES, _WANTS, _ORDER = (
    cue(f"obedience.{n}") for n in "sentence secret private rules wants to_models".split()
)
_LANGUAGE, _LITERAL, _FORM, _HELPLESS = (
    cue(f"obedience.{n}", 0) for n in "language literal form helpless".split()
)
_SORRY = "I'm sorry, I may not tell you that."


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


def rules_of(request: ChatRequest) -> Rules:
    """The plain rules that a request's instructions hold."""
    instructions = "\n".join(
        text_of(m) for m in request.messages if m.get("role") in ("system", "developer")
    )
    sentences = [s for s in _RULE.split(instructions) if s.strip()]
    never = [_EVEN.sub("", m["what"]).strip() for s in sentences for m in _NEVER.finditer(s)]
    kept = any(_SECRET.match(w) for w in never)
    wanted = next((m["what"] for m in _LANGUAGE.finditer(instructions)), "")
    return Rules(
        tuple(w for w in never if not _CONDITION.search(w) and not _SECRET.match(w)),
        any(_ASK.search(s) and _BEFORE.search(s) and _DEEDS.search(s) for s in sentences),
        bool(_SENTENCE.search(instructions)),
        wanted if wanted.lower() in {*word_list("documents.language")} - {"english"} else "",
        tuple(s for s in sentences if _PRIVATE.search(s) or (kept and _LITERAL.search(s))),
    )


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
    barred = [tools[c.name] for c in reply.calls if c.name in tools]
    barred = [t for t in barred if _forbids(rules, t)]
    if barred:
        kept = tuple(c for c in reply.calls if all(c.name != t.name for t in barred))
        deeds = listed(list(dict.fromkeys(deed_words(t.name) for t in barred)))
        sorry = f"I'm sorry, I may not {deeds} here, so nothing was done."
        return replace(reply, calls=kept) if kept else Reply(text=_worded(rules, sorry))
    changing = [c for c in reply.calls if c.name in tools and _changes(tools[c.name])]
    if rules.confirms and changing and not _confirmed(request.messages):
        return Reply(text=_asks_first(changing))
    if reply.calls or not reply.text:
        return reply
    return replace(reply, text=_worded(rules, reply.text))


def _changes(tool: ToolSpec) -> bool:
    return tool_action(tool.name, tool.description) not in ("find", "transfer", None)


def _forbids(rules: Rules, tool: ToolSpec) -> bool:
    """Whether a rule forbids a tool: all of them, all that change something, or what it does."""
    return any(
        _TOOLS.match(what) or (_CHANGES.search(what) and _changes(tool)) or _names(what, tool)
        for what in rules.forbidden
    )


_FEW, _CLOSE = 4, 0.6


def _names(what: str, tool: ToolSpec) -> bool:
    """Whether words for a deed are about a tool: its verb, and what it is done to."""
    said = [w for w in content(what) if w != "tool"]
    if tool.name.lower() in what.lower() or not 0 < len(said) <= _FEW:
        return tool.name.lower() in what.lower()
    named = frozenset(name_stems(tool.name))
    own = named | frozenset(content(tool.description))
    verb = len(said) > 1 or nearest(said[0], named) >= _CLOSE
    return verb and all(nearest(w, own) >= _CLOSE for w in said)


def _asks_first(calls: Iterable[Call]) -> str:
    """The question that stands before calls that change something."""
    told = []
    for call in calls:
        data = json.loads(call.arguments)
        named = listed([f"{human(k)} {_plain(v)}" for k, v in data.items() if v not in (None, "")])
        told.append(deed_words(call.name) + (f" with {named}" if named else ""))
    return f"Please confirm: shall I {listed(told)}?"


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _confirmed(messages: tuple[JsonObject, ...]) -> bool:
    """Whether the person has just said yes to a question."""
    return any("?" in last.asked and YES.match(last.said) for last in exchanges(messages)[-1:])


def _worded(rules: Rules, text: str) -> str:
    """An answer as the rules want it: without secrets, in one sentence, and with a word that
    another language than English is beyond this model."""
    told = [a or b for s in rules.secrets for a, b in _LITERAL.findall(s)]
    if any(t.lower() in text.lower() for t in told):
        return _SORRY
    if rules.sentence:
        pieces = [p.strip(" -\n") for p in re.split(r"(?<=[a-z0-9%)])[.]\s+|\n+", text.strip())]
        text = "; ".join(p.rstrip(".") for p in pieces if p)
        text += "" if text.endswith("?") else "."
    return f"(I can only write English, not {rules.language}.) {text}" if rules.language else text


def form_of_refusal(talk: Talk) -> str | None:
    """The word that the instructions want before a refusal, None when they name none."""
    form = _FORM.search(talk.instructions)
    return f"{form['mark'].rstrip(':')}:" if form else None


def refused(text: str, talk: Talk) -> str:
    """A text as it is, or, when it does not do what was asked and nobody can be asked back, after
    the word that the instructions want before a refusal."""
    mark = form_of_refusal(talk)
    if mark is None or talk.made or not (_HELPLESS.match(text) or text.rstrip().endswith("?")):
        return text
    told = re.sub(r"\s*[^.!?]*\?$", "", text.strip())
    return f"{mark} {'nothing I was given answers it.' if text == HONEST else told or text}"


_PASTED = 150
"""Characters, from which on a person's message may hold what somebody else wrote."""
_MARKS = '.!?"\\\n'
_REST = re.compile(rf"[^{re.escape(_MARKS)}]*(?:\.(?=\w)[^{re.escape(_MARKS)}]*)*[.!?]?")
_QUOTED = re.compile(r"n?\s*>")


def without_orders(request: ChatRequest) -> ChatRequest:
    """The request without sentences in results, or in what a person pastes, that give orders to
    whatever model reads them: they are data, and nothing that anybody asked about."""
    messages = tuple(
        {**m, "content": _without(m["content"])}
        if isinstance(m.get("content"), str)
        and (m.get("role") == "tool" or (m.get("role") == "user" and len(m["content"]) > _PASTED))
        else m
        for m in request.messages
    )
    return request if messages == request.messages else replace(request, messages=messages)


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
