"""Going back to an earlier step: "back to the address", "can I change the day?".

Told by rules before a model is asked, as a wish for a person is, so that it holds with any model.
Only a wish that names exactly one thing of an earlier step, and nothing of the present one, counts;
a change that brings its own new value is a correction (`course.corrections`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic_core import to_json

from course.answers import Answer, Usage
from course.chat import assistant_message, tool_call
from course.models.wire import Message, ToolSpec
from course.stems import stem
from course.tools import Tool

OUT_OF_SCOPE = "out_of_scope"
"""The tool by which a step gives way to earlier ones, in the course's groups and in LiveKit's."""

_THING = r"(?P<what>(?:(?!\band (?:then|pay|go|finish)\b)[^.,;:!?])+)"
_CHANGE = r"(?:change|correct|fix|edit|redo|revise|update|choose|pick|enter|do|give|see to)"
_WISHED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:go(?:ing)?|get|come|(?:take|bring) (?:me|us)|step|move|jump) back to {_THING}",
        rf"(?:\A|[.,;:!?]\s*|\bthen |\bplease |\bwait )back to {_THING}",
        rf"\b(?:return|go) to {_THING}",
        rf"(?:\A\W*(?:(?:please|wait|no|sorry|oh|actually|now|ok|okay|hold on)\W+)*|\b(?:i|we)(?:'d"
        rf" like| want| need| have| wish)(?: to)?|\bcan (?:i|we|you)|\bcould (?:i|we|you)|\blet"
        rf"(?: me|'s| us)|\bmay (?:i|we)) (?:please |still )?(?:go back and )?{_CHANGE} {_THING}",
        rf"\A\W*(?:(?:please|wait|no|sorry|oh)\W+)*{_CHANGE} {_THING}",
        r"\b(?:the|my|our) (?P<what>[\w ]+?) (?:is|was|are|were) (?:wrong|not right|incorrect)\b",
        r"\bwrong (?P<what>[\w ]+)",
        r"\banother (?P<what>\w+)|\ba different (?P<other>\w+)",
    )
)
_NOT = re.compile(
    r"\b(?:don't|do not|no need|needn't|never|not|without|if|unless|cannot|can't)\b", re.IGNORECASE
)
_WORD = re.compile(r"[a-z]+")
_LIGHT = frozenset(
    "a about again all an and are as at back be both by did do entry for from get go have i in is"
    " it me my of on one or our part please question said step that the them there thing this to"
    " was we what when where which who whose how with you your".split()
)


def steps_meant(words: str, earlier: Mapping[str, str], now: str = "") -> list[str]:
    """The ids of the earlier steps that somebody wishes to go back to, in the order in which they
    are named; none for everything else.

    Args:
        words: what a person says.
        earlier: what each step settles, by its id.
        now: what the present step settles; whatever is named of it is seen to here.
    """
    about = {id: _stems(f"{id.replace('_', ' ')} {told}") for id, told in earlier.items()}
    for thing in _wished(words):
        named = [stem(each) for each in _WORD.findall(thing.lower()) if each not in _LIGHT]
        if {*named} & _stems(now):
            continue
        found = [[id for id, told in about.items() if each in told] for each in named]
        if meant := dict.fromkeys(ids[0] for ids in found if len(ids) == 1):
            return [*meant]
    return []


def going_back(tools: Iterable[Tool | ToolSpec], messages: Sequence[Message]) -> Answer | None:
    """What is called instead of a model's turn where a person wishes to go back to earlier steps
    and a tool leads there; None for everything else.
    """
    offered = {each.name: each for each in tools}
    if OUT_OF_SCOPE not in offered or not messages or messages[-1]["role"] != "user":
        return None
    earlier = dict(_earlier(offered.pop(OUT_OF_SCOPE)))
    now = " ".join(text for each in offered.values() for text in _fields(each))
    if not (ids := steps_meant(str(messages[-1].get("content") or ""), earlier, now)):
        return None
    given = to_json({"task_ids": ids}).decode()
    call = tool_call(f"back_{len(messages)}", OUT_OF_SCOPE, given)
    return Answer(assistant_message(None, [call]), usage=Usage(), finish_reason="tool_calls")


def _wished(words: str) -> Iterator[str]:
    """What somebody wishes to see or to change again, by each way of saying so."""
    said = words.replace("\u2019", "'")
    for pattern in _WISHED:
        for found in pattern.finditer(said):
            before = re.split(r"[.!?;]", said[: found.end()])[-1]
            if not _NOT.search(before):
                yield next(each for each in found.groups() if each)


def _earlier(tool: Tool | ToolSpec) -> Iterator[tuple[str, str]]:
    """The steps that a tool leads to, each with what is said of it: in a line, or as JSON."""
    items = tool.parameters["properties"]["task_ids"]["items"]
    for id in items.get("enum") or [items.get("const")]:
        found = re.search(rf'(?:^- |"){re.escape(id)}"?: "?([^"\n]*)', tool.description, re.M)
        yield id, found[1] if found else ""


def _fields(tool: Tool | ToolSpec) -> Iterator[str]:
    """What a tool takes, in words."""
    for name, kind in tool.parameters.get("properties", {}).items():
        yield f"{name.replace('_', ' ')} {kind.get('description', '')}"


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(each) for each in _WORD.findall(words.lower()) if each not in _LIGHT)
