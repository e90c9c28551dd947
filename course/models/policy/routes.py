"""Routes: whom a request is sent to, as JSON for a router, and wrongly when the draw says so."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from course.models.policy.arguments import fill
from course.models.policy.clauses import is_fact
from course.models.policy.colleagues import Colleague, Staff
from course.models.policy.conversation import Talk
from course.models.policy.match import described_in
from course.models.policy.needs import Wanted
from course.models.policy.params import Param, params
from course.models.policy.plans import is_plan
from course.models.policy.ranking import rank
from course.models.policy.schemas import as_schema, follow, repaired
from course.models.policy.shares import Share, in_full, shares_of
from course.models.policy.steps import Step
from course.models.policy.verbs import head_action
from course.models.policy.wordlists import cue, word_list
from course.models.policy.words import name_words
from course.models.wire import ChatRequest, ToolSpec

_REST = frozenset(word_list("routes.rest"))
_NAMED = cue("routes.named")


def options_offered(request: ChatRequest, talk: Talk) -> int:
    """How many agents a router chooses from, 0 when a request is none for a router."""
    return len(_choice(request, talk)[1])


def routed(request: ChatRequest, talk: Talk, errs: Callable[[], bool]) -> dict[str, Any]:
    """The fields of an answer that say whom the request, or which part of it, is for; empty when
    nobody is asked for. `errs` says whether the second best comes first."""
    param, names = _choice(request, talk)
    if param is None:
        return _divided(request, talk)
    rest = [n for n in names if set(name_words(n)) <= _REST]
    agents = _agents((n for n in names if n not in rest), talk)
    shares = shares_of(talk, Staff((), agents, ""))
    owned = [m for m in shares if m.who]
    chosen = list(dict.fromkeys(m.who.name for m in owned if m.who))
    several = param.kind == "array"
    if not chosen and (param.schema.get("minItems") if several else not param.nullable):
        near = (m.ranking[0].name for m in shares if m.ranking)
        chosen = rest[:1] or [next(near, agents[0].name)]
    if owned and errs() and len(owned[0].ranking) > 1:
        second = owned[0].ranking[1].name
        chosen = [second, *(a for a in chosen[1:] if a != second)]
    return {param.name: chosen if several else next(iter(chosen), None)}


def _choice(request: ChatRequest, talk: Talk) -> tuple[Param | None, list[str]]:
    """The field that names agents, and all their names, if the instructions describe them."""
    root = request.schema if request.response_format == "json_schema" else None
    for param in params(follow(root, root), root) if root else ():
        inner = follow(as_schema(param.schema.get("items")), root or {})
        names = _names(inner if param.kind == "array" else param.schema)
        if len(names) > 1 and 2 * _described(names, talk) >= len(names):
            return param, names
    return None, []


def _names(schema: Any) -> list[str]:
    options = schema.get("enum")
    return [o for o in options if isinstance(o, str)] if isinstance(options, list) else []


def _described(names: list[str], talk: Talk) -> int:
    return sum(bool(described_in(n, talk.instructions)) for n in names)


def _agents(names: Any, talk: Talk) -> tuple[Colleague, ...]:
    told = talk.instructions
    return tuple(Colleague(n, described_in(n, told), "delegate", "", "") for n in names)


def _divided(request: ChatRequest, talk: Talk) -> dict[str, Any]:
    """A request cut into its parts, each in words of its own, with whose it is; empty when the
    schema asks for no list of such."""
    root = request.schema if request.response_format == "json_schema" else None
    if not root or is_plan(root, root):
        return {}
    for param in params(follow(root, root), root):
        each = follow(as_schema(param.schema.get("items")), root) if param.kind == "array" else {}
        parts = params(each, root)
        whose = next((p for p in parts if p.kind == "enum"), None)
        text = next((p for p in parts if p.type == "string" and p.kind != "enum"), None)
        names = _names(whose.schema) if whose else []
        known = 2 * _described(names, talk) >= max(4, len(names))
        if whose and text and len(parts) == 2 and known:
            found = _parts(names, talk)
            return {param.name: [{whose.name: who, text.name: part} for who, part in found]}
    return {}


def _parts(names: list[str], talk: Talk) -> list[tuple[str, str]]:
    """The parts of a request with the agent that each is for."""
    agents = _agents(names, talk)
    rest = [n for n in names if set(name_words(n)) <= _REST]
    general = [a.name for a in agents if a.general]
    nobody = (*rest, *general, names[0])[0]
    shares = shares_of(talk, Staff((), agents, ""))
    kept = [m for m in shares if m.who or len(shares) == 1 or not m.clause.fact]
    return [(m.who.name if m.who else nobody, _spoken(m, talk)) for m in kept]


def _spoken(share: Share, talk: Talk) -> str:
    """A part in full; one that only names a thing of somebody's ("My bill, please") as a wish."""
    part = in_full(share, talk)
    sentences = re.split(r"(?<=[.!]) ", part)
    facts = [s for s in sentences if is_fact(s) and not _NAMED.match(s)]
    rest = " ".join(s for s in sentences if s not in facts)
    named = _NAMED.match(rest)
    if not named or rest.rstrip().endswith("?") or head_action(rest) not in (None, "find"):
        return part
    thing = named[1].strip()
    behind = re.sub(r"^,? please\b", "", rest[named.end() :]).strip(" .")
    about = f"{thing[0].lower()}{thing[1:]} {behind}".strip()
    return " ".join((f"Please tell me about {about}.", *facts))


def misrouted(calls: list[Wanted], steps: list[Step], tools: tuple[ToolSpec, ...]) -> list[Wanted]:
    """The calls with the first one sent to the second best tool for its part.

    Calls stay as they are when there is no other tool to mistake for the right one.
    """
    call = calls[0]
    own = (s for s in steps if (s.tool and s.tool.name == call.name) or call in s.need.calls)
    step = next(own, None)
    tool = next((t for t in tools if t.name == call.name), None)
    if step is None or tool is None:
        return calls
    return [_other_tool(tool, step, tools) or call, *calls[1:]]


def _other_tool(own: ToolSpec, step: Step, tools: tuple[ToolSpec, ...]) -> Wanted | None:
    ranked = rank(tools, step.clause.text)
    filled = [(t, fill(t.parameters, step.texts, t.name)) for _, t in ranked if t != own]
    # What can be called in earnest is the likelier mistake.
    for other, found in sorted(filled, key=lambda pair: bool(pair[1].missing))[:1]:
        values = repaired(dict(found.values), other.parameters, other.parameters)
        return Wanted(other.name, values if isinstance(values, dict) else {})
    return None
