"""A wish for a person: told by rules before a model is asked, so that it holds with any model.

`wishes_person` reads what somebody says. Where an agent has a tool of its own that leads to people
(`escalate_to_human(reason, severity)`), `put_through` calls it: what the tool wants to know is
taken from the conversation, or asked for once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic_core import to_json

from course.answers import Answer, Usage
from course.chat import assistant_message, tool_call
from course.models.wire import Message, ToolSpec
from course.runs import current_work
from course.tools import Tool, outcome_of

_REAL = r"(?:real|live|living|actual|human)"
_TO_REACH = (
    r"(?:person|human(?: being)?|operator|representative|rep|agent|human (?:agent|operator))"
)
_OF_OURS = (
    r"(?:employee|colleague|advis[eo]r|manager|supervisor|(?:staff|team) member"
    r"|member of (?:the |your )?(?:staff|team))"
)
_KIND = rf"(?:{_TO_REACH}|{_OF_OURS})"
_WHOSE = r"(?:an?|another|the|your|some|any|one of your)"
_SOMEBODY = r"(?:some(?:one|body)|any(?:one|body))"
_HOUSE = r"(?:team|staff|company|office|side|end|department|(?:customer )?(?:service|support))"
_WHO = (
    rf"(?:(?:{_WHOSE} )?{_REAL} (?:{_KIND}|people|{_SOMEBODY}|being)s?"
    rf"|{_WHOSE} {_KIND}s?(?: of yours)?|{_TO_REACH}s?|one of your (?:people|staff|team)"
    rf"|{_SOMEBODY} (?:{_REAL}|(?:from|on|at|in) your {_HOUSE}|who (?:isn't|is not) an? \w+)"
    r"|customer (?:service|support|care)|your (?:staff|team|people|boss))\b"
)
_MINE = r"(?:this|it|my|our|me|us|that|things?)\b"
_FOR_ME = (
    rf"(?:(?:call|phone|ring|help|contact|see|assist|answer) {_MINE}|look (?:at|into) {_MINE}"
    rf"|(?:deal|help)(?: {_MINE})? with {_MINE}|(?:handle|take|fix|sort|solve|explain) {_MINE}"
    r"|help\W*\Z|take over|(?:talk|speak|chat) (?:to|with)\b)"
)
_WHILE = (
    r"(?:please|now|here|there|instead|immediately|today|thanks|thank you|at once|asap|right away"
    r"|right now|straight away|then|on the (?:line|phone)|as soon as possible|a live one"
    r"|a human one|(?:for|with|on) (?:this|me|that|help))"
)
_END = (  # what may follow who is wished for: nothing that makes another thing of it
    rf"(?=(?:\W+{_WHILE})*(?:\W*\Z|,? (?:about|regarding|because|since|as i|as my|and not) .*\Z"
    rf"|, (?:i|i'm|i've|we|this|it|not|you|my)\b.*\Z|\W+to {_FOR_ME}.*\Z|\W+(?:who|that)\b.*\Z"
    rf"|\W+(?:i|we) can (?:talk|speak|chat|call)\b.*\Z))"
)
_TO = r"(?:to|with|through to|over to|on to)"
_ELSE = rf"(?:{_WHO}|{_SOMEBODY} else\b)"
_HELLO = r"\A\W*(?:(?:please|now|just|hello|hi|ok|okay|then)\W+)*"
_TALK = rf"\b(?:talk|speak|chat)(?:ing)? {_TO}"
_NO_MACHINE = (
    r"(?:want|wish|like|going) to (?:talk|speak|deal|chat) (?:to|with) (?:an? |the |this |your )?"
    r"(?:machine|robot|bot|chatbot|computer|ai\b|program|recording)"
)
_CALLED_FOR = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:i|we|me|us)\b.*{_TALK} {_ELSE}{_END}",
        rf"{_HELLO}(?:(?:want|need|like|would|to)\W+)*{_TALK} (?!.*\babout\b){_ELSE}{_END}",
        rf"\b(?:put|connect|transfer|patch|hand|pass|switch|forward|refer|escalate)\s(?:me|us"
        rf"|my call)\s(?:over |through |on )?{_TO} {_ELSE}{_END}",
        rf"\b(?:transfer|hand|pass|escalate) (?:this|it) (?:over |on )?{_TO} {_WHO}{_END}",
        rf"\b(?:get|give|find|fetch|call|bring) (?:me|us) {_ELSE}{_END}",
        rf"{_HELLO}(?:get|call|fetch) (?:{_WHOSE} (?:{_REAL} )?{_KIND}|{_REAL} {_KIND}){_END}",
        rf"\b(?:i|we)(?:'d| would)? (?:want|need|like|prefer|rather have|demand|insist on)"
        rf" {_WHO}{_END}",
        rf"\b(?:i|we)(?:'d| would)? (?:want|like|prefer|rather have) {_WHO} (?:to )?{_FOR_ME}",
        rf"\b(?:can|could|may|might) (?:i|we) (?:have|get|reach) {_WHO}{_END}",
        rf"\b(?:let|have|ask|can|could|will|would) {_WHO} (?:please )?(?:to )?{_FOR_ME}",
        rf"\bis (?:there )?(?:(?:an?|any) )?(?:{_REAL} )?(?:person|human|one|anybody|anyone"
        r"|somebody|someone)(?: (?:here|there|available))?(?: (?:that|who|whom))?"
        r" (?:i can (?:talk|speak|chat|call)|(?:isn't|is not) an?\b|not an?\b)",
        rf"\bis (?:there )?(?:an?|any)?\s?(?:{_REAL} )?(?:person|human|one|somebody|someone"
        rf"|anybody|anyone) (?:here|there|available){_END}",
        rf"\b(?:don't|do not|won't|will not|not) {_NO_MACHINE}",
        rf"{_HELLO}(?:human|operator|representative|agent|{_REAL} {_KIND})\W*\Z",
        rf"{_HELLO}(?:{_WHO}|{_OF_OURS})(?:\W+(?:please|now|immediately))+\W*\Z",
    )
)
_ASKS_ABOUT = re.compile(
    r"\A\W*(?:what|when|where|which|who|whose|why|how"
    rf"(?! (?:do|can) (?:i|we) (?:talk|speak|get|reach)\b.*\b(?:{_REAL}|{_TO_REACH})\W*\Z)"
    r"|(?:please )?(?:translate|write|draft|say|classify|summari[sz]e|explain|rewrite|add))\b",
    re.IGNORECASE,
)
_MATERIAL = re.compile(r":\s*[\n\"“].*|(?<=\w )[\"“][^\"”]*[\"”]", re.DOTALL)
_AMONG_OTHERS = re.compile(  # not said by who asks, not now, or only perhaps
    r"\b(?:don't|do not|doesn't|no need|needn't|without|never|(?<!who is )not|instead of"
    rf"|rather than)\b(?! {_NO_MACHINE})|\b(?:if|unless|in case|whether|spoke|spoken|talked"
    r"|yesterday|ago|costs?|charged?|told me|asked me|said)\b",
    re.IGNORECASE,
)
_NO_MATTER = re.compile(
    r"\bwhy (?:can't|can not|cannot|don't you|won't you)\b|\bif (?:possible|i may|you (?:can|could"
    r"|don't mind))\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?;\n]+|,\s*(?=(?:and|but|so|just|please(?= +\w))\b)", re.IGNORECASE)

BEFORE = "What was said before:"
"""What begins the transcript in a request that was made of a whole conversation."""


def wishes_person(words: str) -> bool:
    """Whether somebody asks, here and now, to be put through to a human being.

    A question about people ("how many people work there?"), a refusal ("I don't need a human"), a
    condition ("if it fails, ..."), a report ("I spoke to an agent"), quoted words and a thing that
    is named after people ("I need an agent contract") are no such wish.
    """
    said = words.partition(f"\n\n{BEFORE}")[0].replace("\u2019", "'")
    said = _MATERIAL.sub("", said)
    return any(_wishes(each) for each in _SENTENCE.split(said))


def _wishes(sentence: str) -> bool:
    plain = _NO_MATTER.sub("", " ".join(sentence.split()))
    if _AMONG_OTHERS.search(plain) or _ASKS_ABOUT.match(plain):
        return False
    return any(each.search(plain) for each in _CALLED_FOR)


def from_a_person() -> bool:
    """Whether a person's own words are answered here: those of a worker's task are a model's."""
    return current_work().role in ("", "task")


_NAMED = re.compile(
    r"\A(?:(?:escalate|transfer|hand|handoff|connect|forward|put|talk|speak)(?:_[a-z]+)*"
    r"_(?:human|person|people|operator|representative|staff|manager|supervisor|colleague"
    r"|(?:live|human|real)_agent)"
    r"|(?:request|call|get|page)(?:_an?)?_(?:human|operator|representative"
    r"|(?:live|human|real)_agent|manager|supervisor))s?\Z"
)
_TOLD = re.compile(
    r"\b(?:escalate|transfer|hand|connect|forward|put|pass)(?: (?:the|this|an?|it|them|call|caller"
    r"|conversation|chat|session|customer|user|client|guest|patient|member|person|case|issue|matter"
    r"|problem|request|over|on|off|through))* to (?:an? |the )?"
    r"(?:(?:human|live|real) [a-z]+|human|person|operator|representative|member of staff)\b",
    re.IGNORECASE,
)


Offered = TypeVar("Offered", Tool, ToolSpec)


def way_out(tools: Iterable[Offered]) -> Offered | None:
    """The tool among an agent's own that leads to a human being, by its name or description."""
    for each in tools:
        if _NAMED.match(each.name) or _TOLD.search(each.description):
            return each
    return None


ASKED = "I will put you through to a person. They need to know first: {needed}?"
_ASKED = re.compile(re.escape(ASKED).replace(r"\{needed\}", ".*"))
_STORY = frozenset("summary transcript conversation context history background".split())
_WHY = frozenset(
    "reason issue problem request question topic subject message description details note notes"
    " why matter concern complaint".split()
)


def put_through(tools: Iterable[Offered], messages: Sequence[Message]) -> Answer | None:
    """What is said or called instead of a model's turn, where the person wishes for a person and a
    tool leads there; None for everything else.

    A call, with its arguments from the conversation; or, once, a question for those that are in
    nothing that was said. Of a choice that the question has not brought either, what the schema has
    as its default is taken, else the choice that says that it is not known, else the middle one,
    of two the later; the reason then says what was not told. Where there is no choice the model
    goes on.
    """
    spoken = [m for m in messages if m["role"] != "system"]
    if not spoken or spoken[-1]["role"] != "user":
        return None
    said = [str(m.get("content") or "") for m in spoken if m["role"] == "user"]
    before = spoken[-2] if len(spoken) > 1 else {}
    asked = bool(_ASKED.fullmatch(str(before.get("content") or "")))
    if not asked and not wishes_person(said[-1]):
        return None
    tool = way_out(tools)
    if tool is None or _called(tool, spoken):
        return None
    found, missing = _filled(tool, said, story=said[:-1] if asked else said)
    if missing and not asked:
        shown = " and ".join(_shown(name, kind) for name, kind in missing.items())
        return _answer(assistant_message(ASKED.format(needed=shown)), "stop")
    for name, kind in missing.items():
        if choice := kind.get("enum"):
            found[name] = _untold(kind, choice)
        elif kind.get("type") == "string":
            found[name] = said[-1]
        else:
            return None
    untold = [name for name, kind in missing.items() if kind.get("enum")]
    for name in [n for n in found if n in _WHY][:1] if untold else ():
        found[name] = f"{found[name]} (not told: {', '.join(untold)})"
    call = tool_call(f"person_{len(messages)}", tool.name, to_json(found).decode())
    return _answer(assistant_message(None, [call]), "tool_calls")


def _answer(message: Message, reason: str) -> Answer:
    return Answer(message=message, usage=Usage(), finish_reason=reason)


_UNKNOWN = re.compile(
    r"\A(?:not[ _](?:known|told|said|given|sure)|un(?:known|specified|sure|clear)|n/?a)\Z", re.I
)


def _untold(kind: Mapping[str, Any], choice: Sequence[Any]) -> Any:
    """What is taken of a choice that nobody made: neither the mildest nor the worst of it."""
    if kind.get("default") in choice:
        return kind["default"]
    unknown = (each for each in choice if _UNKNOWN.match(str(each)))
    return next(unknown, choice[len(choice) // 2])


def _called(tool: Tool | ToolSpec, spoken: Sequence[Message]) -> bool:
    """Whether the tool was called before, with a result."""
    made = {
        call["id"]
        for message in spoken
        for call in message.get("tool_calls") or ()
        if call["function"]["name"] == tool.name
    }
    return any(
        m["role"] == "tool" and m["tool_call_id"] in made and outcome_of(m) == "ok" for m in spoken
    )


def _filled(
    tool: Tool | ToolSpec, said: Sequence[str], *, story: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments that the conversation gives, and the schemas of those it does not."""
    found, missing = dict[str, Any](), dict[str, Any]()
    properties = tool.parameters.get("properties", {})
    why = next((each for each in story if not wishes_person(each)), story[0])
    for name in tool.parameters.get("required", ()):
        kind, parts = _resolved(properties[name], tool.parameters), set(name.lower().split("_"))
        if choice := kind.get("enum"):
            told = [each for words in reversed(said) for each in choice if _names(words, each)]
            (found if told else missing)[name] = told[0] if told else kind
        elif kind.get("type") == "string" and parts & _STORY:
            found[name] = "\n".join(story)
        elif kind.get("type") == "string" and parts & _WHY:
            found[name] = why
        else:
            missing[name] = kind
    return found, missing


def _resolved(kind: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    named = str(kind.get("$ref", "")).rpartition("/")[2]
    return {**schema.get("$defs", {}).get(named, {}), **kind}


def _names(words: str, value: Any) -> bool:
    shown = re.escape(str(value).replace("_", " "))
    return bool(re.search(rf"(?<!\w){shown}(?!\w)", words, re.IGNORECASE))


def _shown(name: str, kind: Mapping[str, Any]) -> str:
    words = str(kind.get("description") or f"the {name.replace('_', ' ')}").rstrip(".?")
    choice = ", ".join(str(each) for each in kind.get("enum", ()))
    return f"{words} ({choice})" if choice and choice not in words else words
