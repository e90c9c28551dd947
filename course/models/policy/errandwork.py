"""Errand work: the calls that an errand still needs, and what they brought, in words.

Each thing that a task asks wants calls of the tools that serve it. A call that fails is tried again
as its error says; how far each has come is its chain, worked out anew from the calls made.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from course.models.policy.conversation import Made
from course.models.policy.errand import Errand, Store, without_gaps
from course.models.policy.focus import focused, labels
from course.models.policy.lines import head, scalar
from course.models.policy.mentions import subjects
from course.models.policy.needs import Wanted, providers, reads_only
from course.models.policy.obedience import form_of_refusal
from course.models.policy.params import Param, params
from course.models.policy.reader.slots import shaped_like
from course.models.policy.remedy import Hint, addressed, hints, meant_by, respelled
from course.models.policy.results import deed_words, error_words, sentence
from course.models.policy.schemas import fits
from course.models.policy.stated import told_of
from course.models.policy.supply import supplied, supply
from course.models.policy.toolkit import faintly, rivals, tools_for
from course.models.policy.wordlists import cue
from course.models.policy.words import content, human, listed
from course.models.wire import ToolSpec

Arguments = Mapping[str, Any]

_TRIES = 3  # of one call, the first among them
_READ = 2  # documents that are read in full after a search
_GAP = cue("errandwork.gap")
_PARTLY = re.compile(r"\bno \w+ (?:has|have|holds?) all\b|\bthese have some\b", re.IGNORECASE)


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
    vain += [f for c in found if c.done for f in c.failed if _GAP.search(f.error or "")]
    short = list(dict.fromkeys(shortcoming(m) for m in _each_once(vain)))
    if done:
        return "\n".join([*_told(done, errand), *short, *(f"Missing: {lack}" for lack in lacks)])
    if short:
        return short[-1].removeprefix("Missing: ")
    reason = "; ".join(lacks) or "none of my tools fits the task"
    return f"{form_of_refusal(errand.talk)} {reason}"


def _told(done: list[Made], errand: Errand) -> list[str]:
    """What calls brought, each about those whom the ones before it told of."""
    known: frozenset[str] = frozenset()
    texts = []
    for made in done:
        text = finding(made, errand.task, known)
        text = told_of(made.arguments, _store(errand, errand.task), text)
        texts.append(_owned(text, made, errand))
        known |= labels(focused(made.data, errand.task, known))
    return texts


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
        served.append((ask, tools_for(ask, errand.tools, before)))
    if any(tools for _, tools in served):
        return served
    if tools := tools_for(errand.task, errand.tools):
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
    for rival in rivals(ask, tools[0], errand.tools)[:1]:
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
    if needed.missing:
        named = listed([f"the {human(p.name)}" for p in needed.missing])
        lacks.append(f"to {deed_words(tool.name)} I need {named}")
    told = errand.error.startswith((f"{tool.name}:", f"{tool.name} "))
    for first in needed.calls:  # changed by the error of the last try if it was this tool's
        begun = (_changes(tool, first, errand.error, store) if told else []) or [first]
        found += [c for a in begun for c in _follow(tool, a, store, errand.made)]


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


_LEAVE = re.compile(r"\b(?:leave (?:a|the|one) filter out|without (?:the|a) filter|drop)\b", re.I)
_ANOTHER = re.compile(r"\b(?:take|try|choose|use) (?:another|the next|a later) (?P<what>\w+)", re.I)
_FEWER = re.compile(r"\bat most \d+ words|\bwords\b.*\bat most \d+", re.IGNORECASE)


def _otherwise(tool: ToolSpec, arguments: dict[str, Any], error: str) -> list[Arguments]:
    """Other ways that an error names: leaving a filter out, another month, fewer words."""
    if another := _ANOTHER.search(error):
        later = {k: _next(v) for k, v in arguments.items() if another["what"].lower() in k}
        return [{**arguments, k: v} for k, v in later.items() if v is not None]
    wanted = params(tool.parameters)
    if _LEAVE.search(error):
        given = [p.name for p in wanted if not p.required and p.name in arguments]
        return [{k: v for k, v in arguments.items() if k != given[-1]}] if given else []
    query = next((p.name for p in wanted if p.kind == "query"), "")
    words = str(arguments.get(query, "")).split()
    if _FEWER.search(error) and len(words) > 3:
        return [{**arguments, query: " ".join(words[:3])}]
    return []


def _next(value: Any) -> Any:
    """The month or year after one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value + 1
    match = re.fullmatch(r"(\d{4})-(\d\d)", str(value))
    if not match:
        return None
    year, month = int(match[1]), int(match[2])
    return f"{year + month // 12}-{month % 12 + 1:02d}"


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
            most = _READ + bool(_PARTLY.search(chain.last.text or ""))
            hits = [(m.group(), row) for row in _records(chain.last.data)
                    for m in shaped_like(param, row)[:1]]  # fmt: skip
            for identity in _best(hits, errand.task, most):
                out += _follow(tool, {param.name: identity}, _store(errand, ""), errand.made)
    return out


def _reads_by(tool: ToolSpec) -> Param | None:
    """The id by which a tool reads something in full, if that is all it needs."""
    needed = [p for p in params(tool.parameters) if p.required]
    alone = len(needed) == 1 and needed[0].kind == "id" and "pattern" in needed[0].schema
    return needed[0] if alone and reads_only(tool) else None


def _records(data: Any) -> Iterator[str]:
    """The records in a result, each as a text."""
    if isinstance(data, dict):
        lists = [v for v in data.values() if isinstance(v, list)]
        if not lists:
            yield " ".join(str(v) for v in data.values())
        for value in lists:
            yield from _records(value)
    elif isinstance(data, list):
        for value in data:
            yield from _records(value) if isinstance(value, dict) else [str(value)]


def _best(hits: list[tuple[str, str]], task: str, most: int) -> list[str]:
    """The ids of the hits that have most words of the task, those that few of them have first;
    the first ones among equals."""
    words = set(content(task))
    held = [words & set(content(row)) for _, row in hits]
    rare = {w: math.log(1 + len(hits) / sum(w in h for h in held)) for h in held for w in h}
    worth = [sum(rare[w] for w in h) for h in held]
    order = sorted(range(len(hits)), key=lambda n: (-worth[n], n))
    return [hits[n][0] for n in sorted(order[:most])]


# --- what it brought, in words: a text out of a document stays a quotation ----------------------

_ROWS = 30  # of a list that a finding shows


def finding(made: Made, task: str = "", known: frozenset[str] = frozenset()) -> str:
    """The result of a call as lines of text; with a task only what it asks for, where it says,
    and of those that `known` names."""
    data = focused(made.data, task, known) if task else made.data
    if isinstance(data, Mapping):
        lines = list(_record(data))
    elif isinstance(data, list):
        lines = list(_rows(data)) or ["Nothing was found."]
    else:
        lines = str(data if data is not None else made.text or "").strip().splitlines()
    whole = "\n".join(lines)
    about = [str(v) for v in made.arguments.values() if isinstance(v, str) and _named(v)]
    lead = [a for a in about if a.lower() not in whole.lower()]
    return f"For {', '.join(lead)}:\n{whole}" if lead else whole


def _named(value: str) -> bool:
    return bool(re.match(r"[A-ZÀ-Þ][^\d]+$", value)) and 2 < len(value) <= 60


def _record(data: Mapping[str, Any]) -> Iterator[str]:
    """A record: its plain fields on one line, then its lists, then the texts that it quotes."""
    plain = {k: v for k, v in data.items() if not _quotes(v) and not _table(v)}
    if plain:
        line = _line(plain)
        yield sentence(line)
    for key, value in data.items():
        if _table(value):
            yield f"{human(key).capitalize()}:"
            yield from _rows(value)
    for value in data.values():
        if _quotes(value):
            yield from str(value).splitlines()


def _rows(values: list[Any]) -> Iterator[str]:
    for value in values[:_ROWS]:
        if isinstance(value, Mapping):
            plain = {k: v for k, v in value.items() if not _quotes(v)}
            yield f"- {_line(plain)}"
        else:
            yield f"- {_flat(value)}"
    if len(values) > _ROWS:
        yield f"- and {len(values) - _ROWS} more"


def _line(record: Mapping[str, Any]) -> str:
    """A record on one line: how it is called, then its fields by their names."""
    called, used = head(record)
    rest = (f"{human(k)} {_flat(v)}" for k, v in record.items() if k not in used and v is not None)
    return ": ".join(p for p in (called, ", ".join(rest)) if p)


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{human(str(k))} {_flat(v)}" for k, v in value.items()) or "none"
    if isinstance(value, list):
        return " and ".join(_flat(v) for v in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return scalar(value)


def _table(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(v, Mapping) for v in value)


def _quotes(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith(">")


def shortcoming(made: Made) -> str:
    """What a call did not bring, in the words of its error, and about whom."""
    told = error_words(made.error or "")[:300].rstrip("?").strip()
    about = [str(v) for v in made.arguments.values() if isinstance(v, str) and _named(v)]
    lacking = [a for a in about if a.lower() not in told.lower()]
    return f"Missing for {', '.join(lacking)}: {told}" if lacking else f"Missing: {told}"
