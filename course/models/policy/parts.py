"""Parts: a request cut into clauses, each with the tools that may serve it."""

from __future__ import annotations

import re
from dataclasses import replace

from course.models.policy.arguments import Texts, fill
from course.models.policy.clauses import Clause, joined, split
from course.models.policy.conversation import Talk
from course.models.policy.match import ENOUGH
from course.models.policy.mentions import mentions
from course.models.policy.ranking import delegates, rank, worker_for
from course.models.policy.verbs import commands, head_action
from course.models.policy.words import name_words, stem
from course.models.wire import ToolSpec


def _plausible(ranked: list[tuple[float, ToolSpec]], clause: str) -> tuple[ToolSpec, ...]:
    """The tools with anything in common with a clause, provided that the best has enough: less is
    enough for one that stands out and whose arguments the clause holds."""
    best = max((s for s, _ in ranked), default=0.0)
    if best < ENOUGH:
        second = ranked[1][0] if len(ranked) > 1 else 0.0
        if best < _LITTLE or best - second < 0.3 or _lacking(ranked[0][1], clause):
            return ()
    return tuple(tool for score, tool in ranked if score > 0)


_LITTLE = 0.6


Part = tuple[Clause, tuple[ToolSpec, ...]]


def _joined(parts: list[Part], guides: tuple[str, ...]) -> list[Part]:
    """Parts without a tool that merely state something join a neighbour that has one."""
    out: list[Part] = []
    carried: Clause | None = None
    for clause, ranked in parts:
        if not ranked and _states(clause) and len(parts) > 1:
            if out and out[-1][1]:
                out[-1] = (joined(out[-1][0], clause), out[-1][1])
            else:
                carried = joined(carried, clause) if carried else clause
            continue
        if out and _one_matter(out[-1], (clause, ranked), guides):
            out[-1] = (joined(out[-1][0], clause), ranked)
            continue
        out.append(
            (replace(joined(carried, clause), after=clause.after) if carried else clause, ranked)
        )
        carried = None
    if carried and out:
        out[-1] = (joined(out[-1][0], carried), out[-1][1])
    return out or parts


def _one_matter(first: Part, second: Part, guides: tuple[str, ...]) -> bool:
    """Whether a statement and a request next to it are about one call: the same tool suits both,
    and they don't name two things."""
    (told, one), (wish, two) = first, second
    if not one or not two or one[0].name != two[0].name or not (_states(told) or _states(wish)):
        return False
    if delegates(one[0]) and len({worker_for(one[0], c.text, guides) for c in (told, wish)}) > 1:
        return False
    numbered = [any(m.kind in ("id", "number") for m in mentions(c.text)) for c in (told, wish)]
    return not all(numbered)


def _states(clause: Clause) -> bool:
    if clause.fact or _fragment(clause.text):
        return True
    silent = head_action(clause.text) is None and not commands(clause.text)
    return silent and not clause.text.rstrip().endswith("?")


def _fragment(text: str) -> bool:
    """Whether a part is only a few words around a number or name, such as "Contract K-3."."""
    if not any(m.kind in ("id", "number", "email", "phone", "uuid") for m in mentions(text)):
        return False
    return (
        len(text.split()) <= 4
        and head_action(text) is None
        and not commands(text)
        and not text.endswith("?")
    )


_ABOUT_ME = re.compile(
    r"^(?:(?:the|my|our|its|his|her) [^.?]{1,40}? (?:is|are):? \S*[\d@]|my (?:name|number"
    r"|e-?mail|phone|member\w*|customer)\b|i am|i'm|this is|it's for|today is)",
    re.IGNORECASE,
)


def _ranked(
    clause: Clause, alone: bool, tools: tuple[ToolSpec, ...], guides: tuple[str, ...]
) -> tuple[ToolSpec, ...]:
    """The plausible tools of a part; beside others, a statement has to match a tool well."""
    found = rank(tools, clause.text, guides)
    if not alone and _fragment(clause.text):
        return ()
    if (
        not alone
        and clause.fact
        and (_ABOUT_ME.match(clause.text) or not found or found[0][0] < 1.2 * ENOUGH)
    ):
        return ()
    return _plausible(_fillable_first(found, clause.text), clause.text)


def _fillable_first(
    ranked: list[tuple[float, ToolSpec]], clause: str
) -> list[tuple[float, ToolSpec]]:
    """Among tools that score about alike, those whose arguments the clause holds come first."""
    near = [(s, t) for s, t in ranked[:3] if s >= 0.7 * ranked[0][0]]
    if len(near) < 2 or ranked[0][0] < ENOUGH:
        return ranked
    judged = [(s - 0.35 * _lacking(t, clause), -n, t) for n, (s, t) in enumerate(near)]
    judged.sort(key=lambda j: j[:2], reverse=True)
    return [*((near[-n][0], t) for _, n, t in judged), *ranked[len(near) :]]


def _lacking(tool: ToolSpec, clause: str) -> int:
    """How many required arguments of a tool, ids aside, a clause does not hold."""
    missing = fill(tool.parameters, Texts(clause), tool.name).missing
    return sum(p.kind not in ("id", "intid") for p in missing)


def parts_of(talk: Talk, tools: tuple[ToolSpec, ...]) -> list[tuple[Clause, tuple[ToolSpec, ...]]]:
    """The parts of the request in hand, each with its plausible tools."""
    guides = (talk.instructions,)
    verbs = frozenset(stem(w) for t in tools for w in name_words(t.name)[:1])
    clauses = split(talk.request, verbs)
    parts = _joined([(c, _ranked(c, len(clauses) == 1, tools, guides)) for c in clauses], guides)
    if len(clauses) > 1 and not any(ranked for _, ranked in parts):
        whole = Clause(talk.request.strip())
        ranked = _ranked(whole, True, tools, guides)
        return [(whole, ranked)] if ranked else parts
    return parts
