"""Look-ups: tools and colleagues that find out whatever they are asked, such as a search of the
web, and the questions that go to them when nobody else answers these."""

from __future__ import annotations

from dataclasses import replace

from course.models.policy.lexicon import head_action, tool_action
from course.models.policy.match import shared_words
from course.models.policy.params import params
from course.models.policy.reader.filling import Filling
from course.models.policy.reader.matters import Matter
from course.models.policy.words import content, cue, name_words, stem, word_list
from course.models.wire import ToolSpec

_ANY = frozenset(stem(w) for w in word_list("lookups.any"))
_SEEKS = frozenset(stem(w) for w in word_list("lookups.seeks"))
_ASKS, _LEAD, _PERSONAL = (cue(f"lookups.{n}") for n in "asks lead personal".split())


def finds_anything(name: str, about: str) -> bool:
    """Whether somebody is described as finding out things of no particular kind."""
    words = {*content(" ".join(name_words(name))), *content(about)}
    return bool(words & _SEEKS) and words <= _ANY | _SEEKS


def question_in(text: str) -> str:
    """What a text wants to know, without what leads up to it; "" if it wants something else, or to
    know something of those who talk."""
    if _PERSONAL.search(text) or not (_ASKS.match(text) or _LEAD.match(text)):
        return ""
    return _LEAD.sub("", text).strip().rstrip("?.! ")


def looked_up(matters: list[Matter], text: str, tools: tuple[ToolSpec, ...]) -> list[Matter]:
    """The matters of a text, or the look-up of its question where it has none; one that would
    change something is none if it lacks what it needs, as a question changes nothing."""
    tool = next((t for t in tools if finds_anything(t.name, t.description)), None)
    wanted = [p for p in params(tool.parameters) if p.required] if tool else []
    if tool is None or len(wanted) != 1 or wanted[0].type != "string" or wanted[0].options:
        return matters
    matters = [_asked_whole(m, wanted[0].name) if m.tool == tool else m for m in matters]
    hollow = all(_hollow(m) for m in matters)
    question = question_in(text) if hollow and head_action(text) in (None, "find") else ""
    filling = Filling({wanted[0].name: question})
    return [Matter(text, tool, 1.0, filling, order=(tool,))] if question else matters


def _hollow(matter: Matter) -> bool:
    """Whether a matter is none beside a look-up: a deed that lacks something, or a tool that has no
    word of what is to be looked up."""
    if tool_action(matter.tool.name, matter.tool.description) != "find":
        return bool(matter.filling.missing)
    told = _LEAD.sub("", matter.text)
    return told != matter.text and not shared_words(matter.tool, told)


def _asked_whole(matter: Matter, name: str) -> Matter:
    """A look-up with all of its question, where its words are led up to."""
    question = question_in(matter.text)
    values = {**matter.filling.values, name: question}
    return replace(matter, filling=replace(matter.filling, values=values)) if question else matter
