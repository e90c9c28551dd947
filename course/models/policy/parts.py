"""Parts: a request cut into clauses, each with the tools that may serve it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from course.models.policy.arguments import Texts, fill
from course.models.policy.clauses import Clause, is_greeting, joined, split, takes_object
from course.models.policy.conversation import Talk
from course.models.policy.match import ENOUGH, grounded, values_in
from course.models.policy.mentions import mentions
from course.models.policy.ranking import rank
from course.models.policy.verbs import commands, head_action
from course.models.policy.wordlists import cue
from course.models.policy.words import STAND_IN, name_words, stem
from course.models.wire import ToolSpec

Part = tuple[Clause, tuple[ToolSpec, ...]]
Ranked = list[tuple[float, ToolSpec]]

_LITTLE = 0.6  # enough for a tool that stands out by the margin below
_MARGIN = 0.3
_STATED = 1.2  # what a statement needs, in multiples of ENOUGH, to be a request of its own
_ALIKE = 0.7  # scores above this share of the best count as about alike
_PER_GAP = 0.35  # what a missing argument costs among tools that score about alike
_ABOUT_ME = cue("parts.about_me")


@dataclass(frozen=True)
class Desk:
    """What a request is put to: the tools, the texts that describe choices, the whole request,
    and the stems of the verbs that the tools are named by."""

    tools: tuple[ToolSpec, ...]
    guides: tuple[str, ...]
    request: str
    verbs: frozenset[str]


def parts_of(talk: Talk, tools: tuple[ToolSpec, ...]) -> list[Part]:
    """The parts of the request in hand, each with its plausible tools, best first."""
    own = (t.name for t in tools if not t.name.startswith(STAND_IN))
    verbs = frozenset(stem(w) for name in own for w in name_words(name)[:1])
    desk = Desk(tools, (talk.instructions,), talk.request, verbs)
    sealed = split(_sealed(talk.request, tools), verbs)
    clauses = [_opened(c) for c in sealed]
    parts = _joined([(c, _suited(c, len(clauses) == 1, desk)) for c in clauses], desk)
    if len(clauses) > 1 and not any(ranked for _, ranked in parts):
        whole = Clause(talk.request.strip())
        ranked = _suited(whole, True, desk)
        return [(whole, ranked)] if ranked else parts
    return parts


# An agent that shares a request with others leaves their parts alone.
_OTHERS = cue("parts.others")


def shares(instructions: str) -> bool:
    """Whether instructions say that others see to the rest of the request."""
    return bool(_OTHERS.search(instructions))


_SEAL = "\u2060"


def _sealed(text: str, tools: tuple[ToolSpec, ...]) -> str:
    """A text that can't be cut inside the name of a choice such as "lost and found"."""
    if " and " not in text:
        return text
    low = text.lower()
    choices = (v for t in tools for v in values_in(t.parameters) if " and " in v)
    for choice in (v for v in choices if v.lower() in low):
        spoken = re.compile(re.escape(choice), re.IGNORECASE)
        text = spoken.sub(lambda m: m.group().replace(" and ", f" {_SEAL} "), text)
    return text


def _opened(clause: Clause) -> Clause:
    return replace(clause, text=clause.text.replace(f" {_SEAL} ", " and "))


_LEANS = re.compile(r"(?:with|at|in|on|for|by|to|from|of|about) ", re.IGNORECASE)


def leans(text: str) -> bool:
    """Whether a text is only a turn that goes on about what was asked before it."""
    return bool(_LEANS.match(text)) and len(text.split()) <= 4


def _suited(clause: Clause, alone: bool, desk: Desk) -> tuple[ToolSpec, ...]:
    """The plausible tools of a part; beside others, a statement has to match a tool well."""
    if is_greeting(clause.text) or (not alone and _fragment(clause.text, desk)):
        return ()
    found = rank(desk.tools, clause.text, desk.guides)
    told = clause.fact and not alone
    if told and (_ABOUT_ME.match(clause.text) or not found or found[0][0] < _STATED * ENOUGH):
        return ()
    suited = _plausible(_fillable_first(found, clause.text, desk), clause.text, desk)
    if suited and not alone and shares(desk.guides[0]):
        mine = found[0][0] >= ENOUGH and grounded(suited[0], clause.text)
        return suited if mine else ()
    return suited


def _plausible(ranked: Ranked, clause: str, desk: Desk) -> tuple[ToolSpec, ...]:
    """The tools with anything in common with a clause, provided that the best has enough: less is
    enough for one that stands out and whose arguments the clause holds."""
    best = max((s for s, _ in ranked), default=0.0)
    if best < ENOUGH:
        second = ranked[1][0] if len(ranked) > 1 else 0.0
        if best < _LITTLE or best - second < _MARGIN or _lacking(ranked[0][1], clause, desk):
            return ()
    return tuple(tool for score, tool in ranked if score > 0)


def _fillable_first(ranked: Ranked, clause: str, desk: Desk) -> Ranked:
    """Among tools that score about alike, those whose arguments are at hand come first."""
    near = [(s, t) for s, t in ranked[:3] if s >= _ALIKE * ranked[0][0]]
    if len(near) < 2 or ranked[0][0] < ENOUGH:
        return ranked
    judged = [(s - _PER_GAP * _lacking(t, clause, desk), -n) for n, (s, t) in enumerate(near)]
    return [*(near[-n] for _, n in sorted(judged, reverse=True)), *ranked[len(near) :]]


def _lacking(tool: ToolSpec, clause: str, desk: Desk) -> int:
    """How many required arguments of a tool, ids aside, the request does not hold."""
    others = () if clause.strip() == desk.request.strip() else (desk.request,)
    texts = Texts(clause, others=others, guides=desk.guides)
    missing = fill(tool.parameters, texts, tool.name).missing
    return sum(p.kind not in ("id", "intid") for p in missing)


def _joined(parts: list[Part], desk: Desk) -> list[Part]:
    """Parts without a tool that merely state something join a neighbour that has one."""
    out: list[Part] = []
    carried: Clause | None = None
    for clause, ranked in parts:
        if not ranked and _states(clause, desk) and len(parts) > 1:
            if out and out[-1][1]:
                out[-1] = (joined(out[-1][0], clause), out[-1][1])
            else:
                carried = joined(carried, clause) if carried else clause
        elif out and _one_matter(out[-1], (clause, ranked), desk):
            out[-1] = (joined(out[-1][0], clause), ranked)
        else:
            own = replace(joined(carried, clause), after=clause.after) if carried else clause
            out.append((own, ranked))
            carried = None
    if carried and out:
        out[-1] = (joined(out[-1][0], carried), out[-1][1])
    return out or parts


def _one_matter(first: Part, second: Part, desk: Desk) -> bool:
    """Whether a statement and a request next to it are about one call: the same tool suits both,
    and they don't name two things."""
    (told, one), (wish, two) = first, second
    if not one or not two or one[0].name != two[0].name:
        return False
    if not (_states(told, desk) or _states(wish, desk)):
        return False
    return not all(any(m.kind in ("id", "number") for m in mentions(c.text)) for c in (told, wish))


def _states(clause: Clause, desk: Desk) -> bool:
    """Whether a part tells something rather than asks or orders."""
    if clause.fact or _fragment(clause.text, desk):
        return True
    silent = head_action(clause.text) is None and not commands(clause.text, desk.verbs)
    silent = silent and not takes_object(clause.text)
    return silent and not clause.text.rstrip().endswith("?")


def _fragment(text: str, desk: Desk) -> bool:
    """Whether a part is only a few words around a number or an id, such as "Contract K-3."."""
    if len(text.split()) > 4 or text.endswith("?"):
        return False
    if not any(m.kind in ("id", "number", "email", "phone", "uuid") for m in mentions(text)):
        return False
    return head_action(text) is None and not commands(text, desk.verbs)
