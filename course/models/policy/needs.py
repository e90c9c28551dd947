"""Needs: what a call still lacks, and where it can come from.

A required argument that no text holds is looked for in the results of calls already made; failing
that, an offered tool that only reads and suggests that it finds the thing is called first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from course.models.policy.arguments import Filled, Texts, fill
from course.models.policy.conversation import Made
from course.models.policy.lexicon import synonyms
from course.models.policy.mentions import Mention, mentions
from course.models.policy.params import Param, params
from course.models.policy.records import Record, pick, records, then, value_for
from course.models.policy.remedy import repaired_call
from course.models.policy.schemas import fits
from course.models.policy.verbs import tool_action
from course.models.policy.words import content, name_stems, name_words, stem
from course.models.wire import ToolSpec

_DEEPEST = 3


@dataclass(frozen=True)
class Wanted:
    """A call the policy wants to make."""

    name: str
    arguments: Mapping[str, Any]

    @property
    def key(self) -> str:
        """Name and arguments as text: equal calls have equal keys."""
        return f"{self.name} {json.dumps(self.arguments, sort_keys=True, default=str)}"


@dataclass(frozen=True)
class Lack:
    """A parameter that can't be had: nothing known, or several `options` that fit equally well.

    `asked` is the parameter a person should be asked for: the name that a lookup wants rather
    than the id that it would find, and `source` that lookup.
    `searched` are lookups that came back without it.
    """

    param: Param
    tool: ToolSpec
    asked: Param
    options: tuple[Record, ...] = ()
    searched: tuple[Made, ...] = ()
    source: ToolSpec | None = None


@dataclass
class Need:
    """What became of filling one call: its values, lookups to make first, and what is lacking."""

    values: dict[str, Any]
    calls: list[Wanted] = field(default_factory=list)
    lacks: list[Lack] = field(default_factory=list)


@dataclass(frozen=True)
class World:
    """What a need is judged against: the tools on offer and the calls made so far."""

    tools: tuple[ToolSpec, ...]
    made: tuple[Made, ...]
    past: tuple[Made, ...]
    pending: frozenset[str] = frozenset()  # tools whose results are on their way
    known: Mapping[str, Any] = field(default_factory=dict)  # facts by name, for what is missing
    given: Mapping[str, Any] = field(default_factory=dict)  # facts by name, for every argument


def _names(text: str) -> list[str]:
    return [
        w
        for m in mentions(text)
        if m.kind in ("name", "quoted", "id")
        for w in content(str(m.value))
    ]


def _told(record: Record) -> str:
    return json.dumps([record.fields, record.made.arguments], default=str, ensure_ascii=False)


def _about(found: list[Record], names: list[str]) -> list[Record]:
    """The records that have to do with the names in a text: they or the calls that brought them
    hold one, or those calls were made with an id out of such a record."""
    if not names:
        return found
    near = [r for r in found if set(names) & set(content(_told(r)))]
    ids = {
        str(v)
        for r in near
        for k, v in r.fields.items()
        if isinstance(v, str | int) and "id" in name_words(k)
    }
    return [r for r in found if r in near or ids & {str(v) for v in r.made.arguments.values()}]


def _known(
    param: Param, tool: ToolSpec, texts: Texts, made: tuple[Made, ...], used: tuple[Mention, ...]
) -> tuple[list[Record], bool]:
    names = _names(" ".join((texts.clause, *texts.answers)))
    found = [
        r
        for r in _about(records(made), names)
        if r.made.name != tool.name and _usable(param, value_for(param, r))
    ]
    if not found and _is_slot(param):  # a free slot is nobody's yet
        found = [r for r in records(made) if _usable(param, value_for(param, r))]
    found = then(found, texts.clause, texts.today, used)
    own = [r for r in found if param.name in r.fields or param.kind in ("id", "intid")]
    top, sure = pick(own or found, " ".join((texts.clause, *texts.answers)), texts.today)
    if not sure and len(top) > 1:
        top, sure = (
            pick(top, " ".join(texts.others[:3]), texts.today) if texts.others else (top, sure)
        )
    values = {str(value_for(param, r)) for r in top}
    return top, sure or len(values) == 1


def _usable(param: Param, value: Any) -> bool:
    return value is not None and fits(value, param.raw)


def resolve(
    tool: ToolSpec,
    filled: Filled,
    texts: Texts,
    world: World,
    used: tuple[Mention, ...] = (),
    depth: int = 0,
) -> Need:
    """Complete the arguments of a call from results, or say which lookups or answers it needs."""
    need = Need({**filled.values, **_facts(tool, world, filled)})
    for param in filled.missing:
        if param.name not in need.values:
            _supply(param, tool, texts, world, used or filled.used, depth, need)
    return need


def _facts(tool: ToolSpec, world: World, filled: Filled) -> dict[str, Any]:
    """The arguments that are known by their names already."""
    if not world.known and not world.given:
        return {}
    missing = {p.name for p in filled.missing}
    found = {
        p.name: world.given.get(p.name, world.known.get(p.name))
        for p in params(tool.parameters)
        if p.name in world.given or (p.name in missing and p.name in world.known)
    }
    return {p.name: found[p.name] for p in params(tool.parameters) if _fitting(p, found)}


def _fitting(param: Param, found: Mapping[str, Any]) -> bool:
    return param.name in found and _usable(param, found[param.name])


def _supply(
    param: Param,
    tool: ToolSpec,
    texts: Texts,
    world: World,
    used: tuple[Mention, ...],
    depth: int,
    need: Need,
) -> None:
    top, sure = _known(param, tool, texts, world.made, used)
    if not top:
        older, sure_older = _known(param, tool, texts, world.past, used)
        top, sure = (older, sure_older) if sure_older else (top, sure)
    if top and (sure or _may_choose(param, texts)):
        _take(top[0], param, tool, need)
    elif top:
        need.lacks.append(Lack(param, tool, param, tuple(top)))
    else:
        _look_up(param, tool, texts, world, used, depth, need)


def _is_slot(param: Param) -> bool:
    return param.kind in ("time", "datetime") or "slot" in param.name


def _may_choose(param: Param, texts: Texts) -> bool:
    """Free slots on a day the user named are equally good; people and bookings are not."""
    return _is_slot(param) and any(
        m.kind in ("date", "time")
        for m in mentions(" ".join((texts.clause, *texts.answers)), texts.today)
    )


def _take(record: Record, param: Param, tool: ToolSpec, need: Need) -> None:
    need.values[param.name] = value_for(param, record)


def _look_up(
    param: Param,
    tool: ToolSpec,
    texts: Texts,
    world: World,
    used: tuple[Mention, ...],
    depth: int,
    need: Need,
) -> None:
    tried: list[Made] = []
    asked: Param = param
    source: ToolSpec | None = None
    for provider in providers(param, tool, world.tools) if depth < _DEEPEST else ():
        if provider.name in world.pending:
            need.calls.append(Wanted("", {}))
            return
        filled = fill_lookup(provider, texts, used, tool)
        inner = resolve(provider, filled, texts, world, used, depth + 1)
        if inner.lacks:
            if asked is param:
                asked, source = inner.lacks[0].asked, inner.lacks[0].source or provider
            tried += inner.lacks[0].searched
            continue
        calls = inner.calls or [Wanted(provider.name, inner.values)]
        done = [
            m for m in world.made if m.name == provider.name and dict(m.arguments) == inner.values
        ]
        if done and not inner.calls:
            again = _second_try(done[-1], texts, world)
            if again:
                need.calls.append(again)
                return
            tried += done
            if done[-1].error is not None:
                break  # a refusal has its reason, and another lookup would not change it
            continue
        if _empty_handed(provider, inner.values) and not inner.calls:
            asked, source = _first_property(provider, param), provider
            continue
        need.calls += calls
        return
    need.lacks.append(Lack(param, tool, asked, (), tuple(tried), source))


def _second_try(made: Made, texts: Texts, world: World) -> Wanted | None:
    """A failed lookup put differently, as its error suggests, unless that has been tried too."""
    changed = repaired_call(made, texts.clause) if made.error is not None else None
    tried = [m for m in world.made if m.name == made.name and dict(m.arguments) == changed]
    return Wanted(made.name, changed) if changed is not None and not tried else None


def _empty_handed(provider: ToolSpec, values: Mapping[str, Any]) -> bool:
    """A search by name makes no sense without anything to search for."""
    return (
        not values
        and bool(provider.parameters.get("properties"))
        and provider.name.startswith(("find", "search", "lookup", "look"))
    )


def _first_property(provider: ToolSpec, fallback: Param) -> Param:
    return next(iter(params(provider.parameters)), fallback)


_FREE = frozenset(stem(w) for w in "slot free available availability".split())
_SLOTS = frozenset(stem(w) for w in "slot opening".split())
LOOKED_UP = ("id", "intid", "email", "phone", "datetime", "time")


def reads_only(tool: ToolSpec) -> bool:
    """Whether a tool's name or description says that it only looks something up."""
    return tool_action(tool.name, tool.description) == "find"


def supplies(tool: ToolSpec, param: Param) -> float:
    """How likely a tool's results hold a value for a parameter, by name and description."""
    named, told = set(name_stems(tool.name)), set(content(tool.description))
    if param.kind in ("datetime", "time"):
        return 2.0 if named & _FREE else 1.0 if told & _SLOTS else 0.0
    entity = {stem(w) for w in param.entity.split()} or {stem("id")}
    if param.kind in ("email", "phone"):
        return 1.5 if told & {stem(param.kind), stem("e-mail"), "contact"} else 0.0
    wide = set().union(*(synonyms(e) for e in entity))
    # "Find patients" supplies a patient id; a tool that itself needs that id does not.
    score = 3.0 if entity & named else 2.0 if wide & named else 0.0
    if param.kind in ("id", "intid") and not score:
        score = 1.0 if entity & told else 0.0
    listing = name_words(tool.name)[0] in ("find", "list", "search", "get", "show", "look")
    return score + (0.5 if score and entity & told else 0.0) + (0.3 if score and listing else 0.0)


def providers(param: Param, target: ToolSpec, tools: tuple[ToolSpec, ...]) -> list[ToolSpec]:
    """Offered tools that may supply the parameter, likeliest first."""
    if param.kind not in LOOKED_UP:
        return []
    scored = [
        (-supplies(t, param), n)
        for n, t in enumerate(tools)
        if t.name != target.name and reads_only(t) and param.name not in _required(t)
    ]
    best = min((score for score, _ in scored), default=0.0)
    # A tool named after the thing makes those that only sound like it superfluous.
    return [tools[n] for score, n in sorted(scored) if score < 0 and not (best <= -3 < score)]


def _required(tool: ToolSpec) -> list[str]:
    wanted = tool.parameters.get("required")
    return [w for w in wanted if isinstance(w, str)] if isinstance(wanted, list) else []


def fill_lookup(
    tool: ToolSpec, texts: Texts, used: tuple[Mention, ...], target: ToolSpec
) -> Filled:
    """Arguments of a lookup. Optional ones don't take what the deed itself needs: in "move it from
    Monday to Friday" the new day must not narrow the search."""
    filled = fill(tool.parameters, texts, tool.name, beside=frozenset(name_stems(target.name)))
    required = set(_required(tool))
    claimed = [m for m in filled.used if any(m.overlaps(u.start, u.end) for u in used)]
    if not claimed:
        return filled
    taken = {str(m.value) for m in claimed}
    kept = {k: v for k, v in filled.values.items() if k in required or str(v) not in taken}
    return Filled(kept, filled.missing, filled.used)
