"""Needs: what a call still lacks, and where it can come from: the records inside results, and the
one of them that a request is about.

A required argument that no text holds is looked for in the results of calls already made; failing
that, an offered tool that only reads and suggests that it finds the thing is called first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from course.models.policy.arguments import Filled, Texts, fill
from course.models.policy.conversation import Made
from course.models.policy.lexicon import synonyms, tool_action
from course.models.policy.mentions import Mention, mentions
from course.models.policy.params import Param, lead_of, params
from course.models.policy.patterns import regex
from course.models.policy.schemas import fits
from course.models.policy.words import (
    ORDINALS,
    STOP_WORDS,
    content,
    cue,
    name_stems,
    name_words,
    stem,
    table,
    word_list,
)
from course.models.wire import ToolSpec

_ID_KEYS = frozenset(word_list("records.id_keys"))
_MOMENTS = frozenset(word_list("records.moments"))
_UNBOUND = frozenset(word_list("records.unbound"))
_FIRST = cue("records.first")
_EXTREMES = tuple(
    (regex(rf"\b(?:{words})\b", re.I), frozenset(keys.split()), largest)
    for words, keys, largest in table("records.extremes")
)
_ID = regex(r"\bid\b", re.IGNORECASE)
_SHAPES = {"date": regex(r"\d{4}-\d\d-\d\d"), "time": regex(r"\d\d:\d\d")}


@dataclass(frozen=True)
class Record:
    """An object found in a result, with the call that brought it."""

    made: Made
    fields: Mapping[str, Any]


def _objects(data: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    if depth > 6:
        return
    if isinstance(data, Mapping):
        if any(not isinstance(v, Mapping | list) for v in data.values()):
            yield data
        data = list(data.values())
    for value in data[:200] if isinstance(data, list) else ():
        yield from _objects(value, depth + 1)


def records(made: tuple[Made, ...]) -> list[Record]:
    """All objects in the results of calls that worked."""
    return [Record(m, o) for m in made if m.error is None for o in _objects(m.data)]


def value_for(param: Param, record: Record) -> Any:
    """What a record offers for a parameter: its own key, one that means the same, or the id of the
    thing it describes."""
    fields = record.fields
    if not isinstance(fields.get(param.name), Mapping | list | None):
        return fields[param.name]
    plain = {k: v for k, v in fields.items() if isinstance(v, str | int)}
    ids = {k: v for k, v in plain.items() if set(name_words(k)) & _ID_KEYS}
    if param.kind not in ("id", "intid") and not _ID.search(param.description):
        keys = (k for k in plain if k not in ids)
        alike = (k for k in keys if {*name_stems(k)} == param.stems or param.kind in name_words(k))
        return next((plain[k] for k in alike), None)
    entity = stem((param.entity.split() or [""])[-1])
    own = {*name_stems(record.made.name)}
    described = not entity or entity in own or bool((synonyms(entity) | param.about) & own)
    fit = (v for k, v in ids.items() if entity in name_stems(k) or (described and k in _ID_KEYS))
    return next(fit, None)


def told_in(record: Record) -> str:
    """The values of a record as a text, without what is listed in it."""
    inner = (v.values() if isinstance(v, Mapping) else (v,) for v in record.fields.values())
    return " ".join(str(v) for part in inner for v in part if not isinstance(v, list))


def _overlap(record: Record, text: str, today: date) -> float:
    """How much of a record's values the text mentions: words, names, dates, times and ids."""
    values = told_in(record)
    score = float(len(set(content(values)) & set(content(text))))
    said = [w for w in re.findall(r"[a-z]+", text.lower()) if len(w) > 3]
    for piece in {*re.findall(r"[a-z]{3,}", values.lower().replace("_", " "))} - STOP_WORDS:
        score += any(w != piece and w.startswith(piece) for w in said)  # "negative": DEA1_NEG
    for mention in mentions(text, today):
        told = str(mention.value).lstrip("#")
        if mention.kind in ("date", "time"):
            score += 1.5 * (told in values)
        elif mention.kind == "id" or (mention.kind == "number" and told in mention.text):
            year = "(?:19|20)?" if re.fullmatch(r"\d\d", told) else ""  # "the 53 one": 1953
            score += 2.0 * bool(re.search(rf"(?<!\w){year}{re.escape(told)}(?!\w)", values))
    return score


def _moments(record: Record) -> str:
    """When the thing that a record describes takes place; nobody's birthday counts."""
    named = ((set(name_words(k)), v) for k, v in record.fields.items())
    return " ".join(str(v) for k, v in named if k & _MOMENTS and not k & {"birth", "born"})


def then(found: list[Record], text: str, today: date, used: tuple[Mention, ...]) -> list[Record]:
    """The records at the date and time that a text states, of those that tell theirs.

    What a call takes for itself (`used`), such as the day something is moved to, is no condition,
    nor is a time beside such a day.
    """
    said = mentions(text, today)
    bound = [
        m
        for m in said
        if any(m.overlaps(u.start, u.end) for u in used) or lead_of(text, m) in _UNBOUND
    ]
    days = any(m.kind == "date" for m in bound)
    for mention in (m for m in said if m.kind in _SHAPES and m not in bound):
        told = all(_SHAPES[mention.kind].search(_moments(r)) for r in found)
        if told and not (days and mention.kind == "time"):
            found = [r for r in found if str(mention.value) in _moments(r)]
    return found


def pick(found: list[Record], text: str, today: date) -> tuple[list[Record], bool]:
    """The records a text speaks of, best first, and whether the first is meant beyond doubt."""
    scores = [_overlap(r, text, today) for r in found]
    top = [r for r, score in zip(found, scores, strict=True) if score == max(scores)]
    return _superlative(top, text) if len(top) > 1 else (top, bool(top))


def _superlative(top: list[Record], text: str) -> tuple[list[Record], bool]:
    for pattern, keys, largest in _EXTREMES:
        key = next((k for k in top[0].fields if set(name_words(k)) & keys), None)
        if key and pattern.search(text):
            try:
                return sorted(top, key=lambda r: r.fields[key], reverse=largest), True
            except (TypeError, KeyError):
                return top, True
    said = content(text)
    place = next((n for w, n in ORDINALS.items() if stem(w) in said and n <= len(top)), 0)
    return ([top[place - 1], *top], True) if place else (top, bool(_FIRST.search(text)))


# --- what a call lacks

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
    if not found and (_is_slot(param) or param.kind not in LOOKED_UP):
        # a free slot is nobody's yet, and a zone or a rate is no person's own
        every = [r for r in records(made) if _usable(param, value_for(param, r))]
        found = every if _is_slot(param) else [r for r in every if param.name in r.fields]
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
    order = [p.name for p in params(tool.parameters) if p.name in need.values]
    return replace(need, values={name: need.values[name] for name in order})


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
        need.values[param.name] = value_for(param, top[0])
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
        beside = frozenset(name_stems(tool.name))
        filled = fill(provider.parameters, texts, provider.name, beside=beside)
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
            found = done[-1].data if done[-1].error is None else None
            if _bare(found) and _usable(param, found):
                need.values[param.name] = found
                return
            tried += done
            if done[-1].error is not None:
                break  # a refusal has its reason, and another lookup would not change it
            continue
        need.calls += calls
        return
    need.lacks.append(Lack(param, tool, asked, (), tuple(tried), source))


def _bare(found: Any) -> bool:
    """Whether a look-up brought one id and nothing else."""
    return type(found) is int or (isinstance(found, str) and bool(_ONE_ID.fullmatch(found)))


_ONE_ID = regex(r"(?=\S*\d)\S{1,60}")
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
