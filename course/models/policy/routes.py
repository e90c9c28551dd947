"""Routes: which of the agents that a prompt describes a request needs, as JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from course.models.policy.carrying import in_full
from course.models.policy.clauses import is_fact
from course.models.policy.colleagues import Colleague, Staff
from course.models.policy.conversation import Talk
from course.models.policy.match import described_in
from course.models.policy.matters import Matter, matters_of
from course.models.policy.params import Param, params
from course.models.policy.planfields import is_plan
from course.models.policy.schemas import as_schema, follow
from course.models.policy.verbs import head_action
from course.models.policy.wordlists import word_list
from course.models.policy.words import name_words
from course.models.wire import ChatRequest

_REST = frozenset(word_list("routes.rest"))
_BESIDE = 1.15  # what a further part needs to ask for somebody besides the best


@dataclass(frozen=True)
class Route:
    """Whom a request needs: the field that names them, their names in order, and for whom the
    first could be mistaken."""

    field: str
    several: bool
    agents: tuple[str, ...]
    second: str | None

    def value(self, wrong: bool) -> Any:
        """What stands in the field; `wrong` takes the second best for the first."""
        agents = list(self.agents)
        if wrong and self.second:
            agents = [self.second, *(a for a in agents[1:] if a != self.second)]
        return agents if self.several else next(iter(agents), None)


def _choice(request: ChatRequest, talk: Talk) -> tuple[Param, list[str]] | None:
    """The field that names agents, and all their names, if the instructions describe them."""
    if request.response_format != "json_schema" or request.schema is None:
        return None
    root = request.schema
    for param in params(follow(root, root), root):
        inner = follow(as_schema(param.schema.get("items")), root)
        options = (inner if param.kind == "array" else param.schema).get("enum")
        names = [o for o in options if isinstance(o, str)] if isinstance(options, list) else []
        told = [n for n in names if described_in(n, talk.instructions)]
        if len(names) > 1 and 2 * len(told) >= len(names):
            return param, names
    return None


def options_offered(request: ChatRequest, talk: Talk) -> int:
    """How many agents a router chooses from, 0 when a request is none for a router."""
    found = _choice(request, talk)
    return len(found[1]) if found else 0


def route_of(request: ChatRequest, talk: Talk) -> Route | None:
    """Where a router sends the request, None when it isn't asked to route."""
    found = _choice(request, talk)
    if found is None:
        return None
    param, names = found
    rest = [n for n in names if set(name_words(n)) <= _REST]
    agents = tuple(_agent(n, talk) for n in names if n not in rest)
    matters = [m for m in matters_of(talk, Staff((), agents)) if m.who]
    best = max((m.fit for m in matters), default=0.0)
    kept = [m for m in matters if m.fit >= min(best, _BESIDE)]
    named = tuple(dict.fromkeys(m.who.name for m in kept if m.who))
    several = param.kind == "array"
    must = param.schema.get("minItems") if several else not param.nullable
    if not named and must:
        named = tuple(rest[:1]) or (_nearest(talk, agents),)
    return Route(param.name, several, named, _second(kept))


def division_of(request: ChatRequest, talk: Talk) -> dict[str, list[dict[str, str]]] | None:
    """A request cut into its parts, each in words of its own, with whose it is; None when the
    schema asks for no list of such."""
    root = request.schema if request.response_format == "json_schema" else None
    if not root or is_plan(root, root):
        return None
    for param in params(follow(root, root), root):
        each = follow(as_schema(param.schema.get("items")), root) if param.kind == "array" else {}
        parts = params(each, root)
        whose = next((p for p in parts if p.kind == "enum"), None)
        text = next((p for p in parts if p.type == "string" and p.kind != "enum"), None)
        listed = whose.schema.get("enum") if whose else None  # a constant is a choice of none
        names = [n for n in listed if isinstance(n, str)] if isinstance(listed, list) else []
        told = [n for n in names if described_in(n, talk.instructions)]
        if (
            not whose
            or not names
            or not text
            or len(parts) != 2
            or 2 * len(told) < max(4, len(names))
        ):
            continue
        rest = [n for n in names if set(name_words(n)) <= _REST]
        agents = tuple(_agent(n, talk) for n in names)
        matters = matters_of(talk, Staff((), agents))
        general = next((a.name for a in agents if a.general), names[0])
        nobody = rest[0] if rest else general
        return {
            param.name: [
                {whose.name: m.who.name if m.who else nobody, text.name: _told(in_full(m, talk))}
                for m in matters
                if m.who or len(matters) == 1 or not m.clause.fact
            ]
        }
    return None


_NAMED = re.compile(r"(?:.*\b(?:about|of) )?((?:my|our|his|her|their|the) (?:[\w']+ ?){1,3})", re.I)


def _told(part: str) -> str:
    """A part that only names a thing of somebody's, as a sentence: "My bill, please"."""
    who = [s for s in re.split(r"(?<=[.!]) ", part) if is_fact(s) and not _NAMED.match(s)]
    rest = " ".join(s for s in re.split(r"(?<=[.!]) ", part) if s not in who)
    named = _NAMED.match(rest)
    if not named or rest.rstrip().endswith("?") or head_action(rest) not in (None, "find"):
        return part
    thing, behind = named[1].strip(), rest[named.end() :]
    behind = re.sub(r"^,? please\b", "", behind).strip(" .")
    about = f"{thing[0].lower()}{thing[1:]} {behind}".strip()
    return " ".join((f"Please tell me about {about}.", *who))


def _agent(name: str, talk: Talk) -> Colleague:
    return Colleague(name, described_in(name, talk.instructions), "delegate", "", "")


def _second(matters: list[Matter]) -> str | None:
    ranking = matters[0].ranking if matters else ()
    return ranking[1].name if len(ranking) > 1 else None


def _nearest(talk: Talk, agents: tuple[Colleague, ...]) -> str:
    found = matters_of(talk, Staff((), agents))
    return next((m.ranking[0].name for m in found if m.ranking), agents[0].name)
