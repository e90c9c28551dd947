"""Errands: a task for somebody who sees nothing else and whom nobody answers.

"Task: ... Previous error: ... Results of earlier tasks: [t1] ..." with the rule that whoever cannot
do the task says so in a certain form. Nothing can be asked back, so everything has to come from
the task, from the earlier results and from the tools.

Each thing that a task asks wants calls of the tools that serve it. A call that fails is tried again
as its error says; how far each has come is its chain, worked out anew from the calls made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from course.models.policy.asks import brief_of
from course.models.policy.conversation import Made, Talk
from course.models.policy.lexicon import ACTIONS, kin
from course.models.policy.match import document, index_of, shared_words, tool_index
from course.models.policy.material import error_in_text, fields
from course.models.policy.mending import Hint, addressed, hints, meant_by, respelled
from course.models.policy.naming import subjects, without_names
from course.models.policy.needs import Wanted, providers, reads_only, records, told_in
from course.models.policy.obedience import form_of_refusal
from course.models.policy.params import Param, params
from course.models.policy.patterns import regex
from course.models.policy.reader.filling import fill_tool
from course.models.policy.reader.slots import offer_of, shaped_like
from course.models.policy.results import deed_words, finding, shortcoming
from course.models.policy.schemas import fits
from course.models.policy.supply import Store, supplied, supply, told_of
from course.models.policy.words import (
    content,
    cue,
    human,
    listed,
    name_stems,
    stem,
    tokens,
    word_list,
)
from course.models.wire import ChatRequest, ToolSpec

Tools = tuple[ToolSpec, ...]
Arguments = Mapping[str, Any]

_TRIES = 3  # of one call, the first among them
_READ = 2  # documents that are read in full after a search


@dataclass(frozen=True)
class Errand:
    """A task with all there is to do it: the error of the last try, the results of earlier tasks
    (their lines), the tools, and the calls made so far."""

    task: str
    error: str
    given: tuple[str, ...]
    tools: tuple[ToolSpec, ...]
    made: tuple[Made, ...]
    talk: Talk

    @property
    def asks(self) -> tuple[str, ...]:
        """The things that the task asks, each as a text, with what the task tells besides."""
        brief = brief_of(self.task)
        asked = (f"{a.head}: {a.text}" if a.head else a.text for a in brief.asks)
        return (*asked, *brief.facts)

    @property
    def worked(self) -> tuple[Made, ...]:
        """The calls that brought something."""
        return tuple(m for m in self.made if m.error is None and m.text is not None)


_RESULTS = ("results of earlier tasks", "earlier results", "previous results", "results", "result")


def errand_of(request: ChatRequest, talk: Talk) -> Errand | None:
    """The errand that a request is, None when it is none: no task under a label, no tools, or
    somebody who could be asked back."""
    labelled: Mapping[str, str] = fields(talk.latest)
    task = labelled.get("task", "").strip()
    if not task or not request.tools or form_of_refusal(talk) is None:
        return None
    told = _results_in(talk.latest) or next((labelled[n] for n in _RESULTS if labelled.get(n)), "")
    inside = _BELOW.search(task)  # results that follow the task without a heading
    told = f"{task[inside.start() :]}\n{told}" if inside else told
    lines = tuple(line.strip() for line in told.splitlines() if line.strip())
    words = task[: inside.start()].strip() if inside else task
    return Errand(words, error_in_text(talk.latest), lines, request.tools, talk.made, talk)


def _results_in(text: str) -> str:
    """All that stands below the heading of earlier results: headings in it are theirs."""
    heading = _RESULTS_BELOW.search(text)
    return text[heading.end() :].strip() if heading else ""


_RESULTS_BELOW = cue("errand.results_below", 0)
_BELOW = regex(r"(?m)^\s*[-*]?\s*\[[^\]\n]{1,60}\]")


_GAP = regex(r"^\[[^\]]+\] Failed: ")


def without_gaps(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The lines of earlier results that tell something, without those that tell of failures."""
    return tuple(line for line in lines if not _GAP.match(line))


@dataclass(frozen=True)
class Chain:
    """How far a wanted call has come: the arguments to try next (None when there is nothing more to
    try), the last call made with what came back, and those that failed."""

    tool: ToolSpec
    arguments: Arguments | None
    last: Made | None = None
    failed: tuple[Made, ...] = ()

    @property
    def done(self) -> bool:
        """Whether it brought something."""
        return self.last is not None and self.last.error is None and self.last.text is not None


# --- what is called and said --------------------------------------------------------------------


def errand_calls(errand: Errand) -> list[Wanted]:
    """The calls to make next, none when all is done or nothing more can be."""
    made = {_key(m) for m in errand.made}
    chains = _chains(errand)[0]
    wanted = [Wanted(c.tool.name, c.arguments) for c in chains if c.arguments is not None]
    return list({w.key: w for w in wanted if w.key not in made}.values())


def mistaken(errand: Errand, calls: list[Wanted]) -> list[Wanted]:
    """The calls with the first one made to another tool instead, one that can be called."""
    own = {c.name for c in calls}
    for tool in (*faintly(errand.task, errand.tools), *errand.tools):
        found = supply(tool, _store(errand, errand.task)).calls
        if tool.name not in own and found:
            return [Wanted(tool.name, found[0]), *calls[1:]]
    return calls


def errand_text(errand: Errand) -> str:
    """What an errand brought, what it did not, or why it cannot be done."""
    found, lacks = _chains(errand)
    done = _each_once(c.last for c in found if c.done and c.last)
    vain = [c.last for c in found if c.last and not c.done and c.arguments is None]
    short = list(dict.fromkeys(shortcoming(m) for m in _each_once(vain)))
    if done:
        told = (_told(made, errand) for made in done)
        return "\n".join([*told, *short, *(f"Missing: {lack}" for lack in lacks)])
    if short:
        return short[-1].removeprefix("Missing: ")
    reason = "; ".join(lacks) or "none of my tools fits the task"
    return f"{form_of_refusal(errand.talk)} {reason}"


def _told(made: Made, errand: Errand) -> str:
    """What a call brought, with whom it is about."""
    text = told_of(made.arguments, _store(errand, errand.task), finding(made, errand.task))
    return _owned(text, made, errand)


def _owned(text: str, made: Made, errand: Errand) -> str:
    """What a call brought, with the name of whom the task is about, where it was called by an id
    or a figure and the result does not say whose that is."""
    values = [str(v) for v in made.arguments.values()]
    if not any(re.fullmatch(r"[A-Z]+-?\d+|\d\d+(?:\.\d+)?", v) for v in values) or "\n>" in text:
        return text
    about = subjects(errand.task)
    figures = "|".join(re.escape(v) for v in values if re.search(r"\d\d", v))
    held = (line for line in without_gaps(errand.given)
            if figures and re.search(rf"(?<!\d)(?:{figures})(?!\d)", line))  # fmt: skip
    named = (whom for line in held if len(whom := [a for a in about if a in line]) == 1)
    whose = about[0] if len(about) == 1 else next(named, [""])[0]
    if not whose or whose.lower() in text.lower():
        return text
    return f"{whose}: {text[:1].lower() + text[1:] if text[1:2].islower() else text}"


def _key(made: Made) -> object:
    return Wanted(made.name, made.arguments).key


def _each_once(made: Iterable[Made]) -> list[Made]:
    return list({_key(m): m for m in made}.values())


# --- what is wanted -----------------------------------------------------------------------------


def _chains(errand: Errand) -> tuple[list[Chain], list[str]]:
    """All the calls that an errand wants, and what is lacking for others."""
    found: list[Chain] = []
    lacks: list[str] = []
    for ask, tools in _served(errand):
        mine: list[Chain] = []
        short: list[str] = []
        for tool in tools:
            _want(tool, ask, errand, mine, short)
        mine += _instead(ask, tools, errand, mine)
        found += mine
        lacks += short if not mine else []
    found += _readings(errand, found)
    return found, list(dict.fromkeys(lacks))


def _served(errand: Errand) -> list[tuple[str, list[ToolSpec]]]:
    """What the task asks, each with its tools. Where none of them is described for any of it, the
    one is tried that has something in common with it and can be called, or else one that searches.
    """
    served: list[tuple[str, list[ToolSpec]]] = []
    for ask in errand.asks:
        before = frozenset(t.name for _, tools in served for t in tools)
        served.append((ask, tools_for(ask, errand, before)))
    if any(tools for _, tools in served):
        return served
    if tools := tools_for(errand.task, errand):
        return [(errand.task, tools)]
    store = _store(errand, errand.task)
    usable = [t for t in faintly(errand.task, errand.tools) if supply(t, store).calls]
    return [(errand.task, (usable or [t for t in errand.tools if _searches(t)])[:1])]


def _instead(ask: str, tools: list[ToolSpec], errand: Errand, mine: list[Chain]) -> list[Chain]:
    """The calls of the tool that suits an ask second best, where the first was refused; what was
    refused is not told of when they brought something."""
    if not mine or not any(m.error and m.name == tools[0].name for m in errand.made):
        return []
    refused = all(c.arguments is None and c.last and c.last.error is not None for c in mine)
    called = {m.name for m in errand.made}
    found: list[Chain] = []
    for rival in faintly(ask, errand.tools, tools[0])[:1]:
        if refused or (rival.name in called and rival not in tools):
            _want(rival, ask, errand, found, [])
    if refused and any(c.done for c in found):
        mine.clear()
    return found


def _store(errand: Errand, ask: str) -> Store:
    told = tuple(line for m in errand.worked for line in finding(m).splitlines())
    return Store(ask, errand.task, (*without_gaps(errand.given), *told), errand.talk.today)


def _want(tool: ToolSpec, ask: str, errand: Errand, found: list[Chain], lacks: list[str]) -> None:
    """Add the chains of one tool, or of a lookup of what it lacks, or say what that is."""
    store = _store(errand, ask)
    needed = supply(tool, store)
    for param in needed.missing:
        for source in providers(param, tool, errand.tools):
            if calls := supply(source, store).calls:
                found += [c for a in calls for c in _follow(source, a, store, errand.made)]
                return
    if len(needed.missing) > 1 and (whole := _read(tool, ask, errand)):
        found += _follow(tool, whole, store, errand.made)
        return
    if needed.missing:
        named = listed([f"the {human(p.name)}" for p in needed.missing])
        lacks.append(f"to {deed_words(tool.name, tool.description)} I need {named}")
    told = errand.error.startswith((f"{tool.name}:", f"{tool.name} "))
    for first in needed.calls:  # changed by the error of the last try if it was this tool's
        begun = (_changes(tool, first, errand.error, store) if told else []) or [first]
        found += [c for a in begun for c in _follow(tool, a, store, errand.made)]


_SURE = 0.8
"""How likely each argument has to be that is read where several are missing."""


def _read(tool: ToolSpec, ask: str, errand: Errand) -> Arguments | None:
    """The arguments of a tool as the reader finds them in an ask or the task, if it is sure of all:
    several that fit together are no guess."""
    for text in dict.fromkeys((ask, errand.task)):
        read = fill_tool(offer_of((tool,)), 0, text, errand.talk.today)
        if not read.missing and min(read.surely.values(), default=0.0) >= _SURE:
            return dict(read.values)
    return None


# --- which tools serve an ask -------------------------------------------------------------------

_ENOUGH = 1.5  # what a tool must score to be taken for an ask
_MORE = 2.1  # what another tool must score by the words that the first does not know
_FAINTEST = 0.4  # what counts as having anything in common
_MOST = 3  # tools for one ask
_MEASURE = 0.3  # what words that measure count
_MEASURES = frozenset(stem(w) for w in word_list("toolkit.measures"))
_LOOKS = frozenset(stem(w) for w in ACTIONS["find"].split())
_AHEAD = 1.3  # by how much what served the asks before, or can be called, comes first


def tools_for(ask: str, errand: Errand, before: frozenset[str] = frozenset()) -> list[ToolSpec]:
    """The tools that serve an ask, best first; none when none has enough in common with it. What
    served the asks `before`, or can be called, comes first among those that suit about alike."""
    text, found = without_names(ask), list[ToolSpec]()
    store = _store(replace(errand, made=()), ask)  # what is called must not change the choice
    lead = [_AHEAD ** ((t.name in before) + bool(supply(t, store).calls)) for t in errand.tools]
    while text and len(found) < _MOST:
        each = zip(lead, _scores(text, errand.tools), strict=True)
        scores, named = [ahead * s for ahead, s in each], _named(text, errand.tools)
        best = max(range(len(scores)), key=lambda n: (round(scores[n], 1), named[n], -n))
        tool = errand.tools[best]
        if scores[best] < (_MORE if found else _ENOUGH) or tool in found:
            break
        found.append(tool)
        text = _without(text, shared_words(tool, text) | _LOOKS)
    return found


def _without(text: str, stems: frozenset[str]) -> str:
    return " ".join(t.text for t in tokens(text) if t.stem not in stems)


def _named(text: str, tools: Tools) -> list[int]:
    """How many words of a text each tool's name has, or has the like of."""
    said = frozenset(content(text)).union(*map(kin, content(text)))
    return [len(said.intersection(name_stems(t.name))) for t in tools]


def faintly(ask: str, tools: Tools, like: ToolSpec | None = None) -> list[ToolSpec]:
    """The tools that have something in common with an ask, best first: of the others than the one
    that was refused, those that suit it about as well."""
    scores = dict(zip((t.name for t in tools), _scores(without_names(ask), tools), strict=True))
    least = max(_FAINTEST, 0.6 * scores[like.name]) if like else _FAINTEST
    best_first = sorted(tools, key=lambda t: -scores[t.name])
    return [t for t in best_first if t != like and scores[t.name] > least]


def _scores(text: str, tools: Tools) -> list[float]:
    """How well tools suit a text, whose words that measure say little about what is measured."""
    index = tool_index(tools)
    each = zip(index.scores(text, kin), index.scores(_without(text, _MEASURES), kin), strict=True)
    return [_MEASURE * whole + (1 - _MEASURE) * telling for whole, telling in each]


# --- another try --------------------------------------------------------------------------------


def _follow(
    tool: ToolSpec,
    arguments: Arguments,
    store: Store,
    made: tuple[Made, ...],
    failed: tuple[Made, ...] = (),
) -> list[Chain]:
    """What became of a call: one chain, or several where an error means several values."""
    same = [m for m in made if m.name == tool.name and dict(m.arguments) == dict(arguments)]
    if not same:
        return [Chain(tool, arguments, None, failed)]
    last = same[-1]
    if last.error is None:
        return [Chain(tool, None, last, failed)]
    failed = (*failed, last)
    before = [dict(f.arguments) for f in failed]
    changed = _changes(tool, arguments, last.error, store) if len(failed) < _TRIES else []
    fresh = [c for c in changed if dict(c) not in before]
    if not fresh:
        return [Chain(tool, None, last, failed)]
    return [c for a in fresh for c in _follow(tool, a, store, made, failed)]


def _changes(tool: ToolSpec, arguments: Arguments, error: str, store: Store) -> list[Arguments]:
    """The arguments to try instead, as an error and the task say; none when they don't."""
    names = tuple(p.name for p in params(tool.parameters))
    rows: list[dict[str, Any]] = [dict(arguments)]
    for hint in hints(error):
        name = addressed(hint, arguments, names)
        values = _picked(hint, name, tool, store) if name else []
        rows = [{**row, name: v} for row in rows for v in values] or rows
    return [r for r in rows if r != dict(arguments)] or _otherwise(tool, dict(arguments), error)


def _picked(hint: Hint, name: str, tool: ToolSpec, store: Store) -> list[Any]:
    """The values for an argument that an error names: those that the ask or the task names, one
    that is spelled nearly alike, or the one that results tell of what was named instead of it (who
    manages the shop, where a shop was given)."""
    param = next(p for p in params(tool.parameters) if p.name == name)
    named = meant_by(hint.values, store.ask) or meant_by(hint.values, store.task)
    if not named and hint.wrong:
        near = [line.lower() for line in store.lines if hint.wrong.lower() in line.lower()]
        beside = [v for v in hint.values if any(v.lower() in line for line in near)]
        named = respelled(hint.wrong, hint.values) or beside[:1]
    found: list[Any] = [_typed(v, param.type) for v in named]
    dated = param.kind == "month" or "year" in name
    worded = param.kind in ("words", "name", "query", "prose")
    if (not found and not hint.wrong and not worded) or (dated and len(found) > 1):
        found = supplied(param, tool, store) or found
    return [v for v in found if fits(v, param.raw)]


def _typed(text: str, kind: str) -> Any:
    if kind in ("integer", "number") and re.fullmatch(r"-?\d+(?:\.\d+)?", text):
        return float(text) if "." in text else int(text)
    return text


_LEAVE = regex(r"\b(?:leave (?:a|the|one) filter out|without (?:the|a) filter|drop)\b", re.I)


def _otherwise(tool: ToolSpec, arguments: dict[str, Any], error: str) -> list[Arguments]:
    """The call without its last optional argument, where an error says that a filter hides it."""
    if not _LEAVE.search(error):
        return []
    given = [p.name for p in params(tool.parameters) if not p.required and p.name in arguments]
    return [{k: v for k, v in arguments.items() if k != given[-1]}] if given else []


# --- reading what a search found ----------------------------------------------------------------


def _searches(tool: ToolSpec) -> bool:
    return any(p.kind == "query" for p in params(tool.parameters))


def _readings(errand: Errand, found: list[Chain]) -> list[Chain]:
    """Reading in full what a search found, where a tool reads by the ids that it gave."""
    reader = next(((t, p) for t in errand.tools if (p := _reads_by(t)) is not None), None)
    out: list[Chain] = []
    for chain in found if reader else ():
        if reader and chain.done and chain.last and _searches(chain.tool):
            tool, param = reader
            rows = (told_in(record) for record in records((chain.last,)))
            hits = {m.value: row for row in rows for m in shaped_like(param, row)[:1]}
            for identity in _best(hits, errand.task):
                out += _follow(tool, {param.name: identity}, _store(errand, ""), errand.made)
    return out


def _reads_by(tool: ToolSpec) -> Param | None:
    """The id by which a tool reads something in full, if that is all it needs."""
    needed = [p for p in params(tool.parameters) if p.required]
    alone = len(needed) == 1 and needed[0].kind == "id" and "pattern" in needed[0].schema
    return needed[0] if alone and reads_only(tool) else None


def _best(hits: Mapping[str, str], task: str) -> list[str]:
    """The ids of the hits that suit the task best, in their order."""
    scores = index_of(tuple(document("", {"description": row}) for row in hits.values())).scores(
        task
    )
    order = sorted(range(len(hits)), key=lambda n: (-scores[n], n))
    return [[*hits][n] for n in sorted(order[:_READ])]
