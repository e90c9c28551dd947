"""Errand work: the calls that an errand still needs, and what is said when there are none."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from course.models.policy.chains import Chain, chains, changes
from course.models.policy.chat import found_answer
from course.models.policy.conversation import Made
from course.models.policy.errand import Errand, without_gaps
from course.models.policy.findings import finding, shortcoming
from course.models.policy.focus import focused, labels
from course.models.policy.lookups import providers, reads_only
from course.models.policy.naming import subjects
from course.models.policy.needs import Wanted
from course.models.policy.obedience import form_of_refusal
from course.models.policy.params import Param, params
from course.models.policy.results import deed_words
from course.models.policy.shapes import shapes
from course.models.policy.store import Store
from course.models.policy.sums import told_of
from course.models.policy.supply import supply
from course.models.policy.toolkit import faintly, rivals, tools_for
from course.models.policy.wordlists import cue
from course.models.policy.words import content, human, listed
from course.models.wire import ToolSpec

_READ = 2  # documents that are read in full after a search


def errand_calls(errand: Errand) -> list[Wanted]:
    """The calls to make next, none when all is done or nothing more can be."""
    found: dict[str, Wanted] = {}
    made = {Wanted(m.name, m.arguments).key for m in errand.made}
    for chain in _chains(errand)[0]:
        if chain.arguments is not None:
            call = Wanted(chain.tool.name, chain.arguments)
            if call.key not in made:
                found.setdefault(call.key, call)
    return list(found.values())


def mistaken(errand: Errand, calls: list[Wanted]) -> list[Wanted]:
    """The calls with the first one made to another tool instead, one that can be called."""
    own = {c.name for c in calls}
    for tool in (*faintly(errand.task, errand.tools), *errand.tools):
        supplied = supply(tool, _store(errand, errand.task))
        if tool.name not in own and supplied.calls:
            return [Wanted(tool.name, supplied.calls[0]), *calls[1:]]
    return calls


def errand_text(errand: Errand) -> str:
    """What an errand brought, what it did not, or why it cannot be done."""
    open_chains, lacks = _chains(errand)
    done = _unique([c.last for c in open_chains if c.done and c.last])
    texts = [_owned(text, m, errand) for text, m in zip(_told(done, errand), done, strict=True)]
    texts += list(dict.fromkeys(shortcoming(m) for m in _in_vain(open_chains)))
    if texts and done:
        return "\n".join([*texts, *(f"Missing: {lack}" for lack in lacks)])
    if texts:
        return texts[-1].removeprefix("Missing: ")
    return _without_tools(errand, lacks)


def _told(done: list[Made], errand: Errand) -> list[str]:
    """What calls brought, each about those whom the ones before it told of."""
    known: frozenset[str] = frozenset()
    texts = []
    for made in done:
        text = finding(made, errand.task, known)
        texts.append(told_of(made.arguments, _store(errand, errand.task), text))
        known |= labels(focused(made.data, errand.task, known))
    return texts


def _owned(text: str, made: Made, errand: Errand) -> str:
    """What a call brought, with the name of whom the task is about, where it was called by an id
    or a figure and the result does not say whose that is."""
    about = subjects(errand.task)
    whose = about[0] if len(about) == 1 else _whose(about, made, errand)
    keyed = any(
        re.fullmatch(r"[A-Z]+-?\d+|\d\d+(?:\.\d+)?", str(v)) for v in made.arguments.values()
    )
    if not whose or not keyed or whose.lower() in text.lower() or "\n>" in text:
        return text
    return f"{whose}: {text[:1].lower() + text[1:] if text[1:2].islower() else text}"


def _whose(about: tuple[str, ...], made: Made, errand: Errand) -> str:
    """Whose the arguments of a call are, as the results say that they came from."""
    values = [str(v) for v in made.arguments.values() if re.search(r"\d\d", str(v))]
    for line in without_gaps(errand.given):
        named = [a for a in about if a in line]
        if len(named) == 1 and any(
            re.search(rf"(?<!\d){re.escape(v)}(?!\d)", line) for v in values
        ):
            return named[0]
    return ""


_WITH_RESULTS = cue("errandwork.with_results")


def _without_tools(errand: Errand, lacks: list[str]) -> str:
    """What earlier results say of a task that no tool serves, or that it cannot be done."""
    lines = without_gaps(errand.given)
    if lines and _WITH_RESULTS.match(errand.task):
        return "\n".join(re.sub(r"^\[[^\]]+\]\s*", "", line) for line in lines)
    said = found_answer(errand.task, lines) if lines else None
    if said:
        return said
    mark = form_of_refusal(errand.talk)
    return f"{mark} {'; '.join(lacks) or 'none of my tools fits the task'}"


def _in_vain(found: list[Chain]) -> list[Made]:
    """The last failure of each call that brought nothing, and failures that name a gap."""
    told = [c.last for c in found if c.last and not c.done and c.arguments is None]
    told += [f for c in found if c.done for f in c.failed if _GAP.search(f.error or "")]
    return _unique(told)


_GAP = cue("errandwork.gap", re.I)


def _unique(made: list[Made]) -> list[Made]:
    return list({Wanted(m.name, m.arguments).key: m for m in made}.values())


def _chains(errand: Errand) -> tuple[list[Chain], list[str]]:
    """All the calls that an errand wants, and what is lacking for others."""
    found: list[Chain] = []
    lacks: list[str] = []
    for ask, tools in _served(errand):
        mine: list[Chain] = []
        short: list[str] = []
        for tool in tools:
            _want(tool, _store(errand, ask), errand, mine, short)
        mine += _instead(ask, tools, errand, mine)
        found += mine
        lacks += short if not mine else []
    found += _readings(errand, found)
    return found, list(dict.fromkeys(lacks))


def _instead(ask: str, tools: list[ToolSpec], errand: Errand, mine: list[Chain]) -> list[Chain]:
    """The calls of the tool that suits an ask second best, where the first was refused; what was
    refused is not told of when they brought something."""
    refused = bool(mine) and all(_refused(c) for c in mine)
    if not mine or not any(m.error and m.name == tools[0].name for m in errand.made):
        return []
    called = {m.name for m in errand.made}
    found: list[Chain] = []
    for rival in rivals(ask, tools[0], errand.tools)[:1]:
        if refused or (rival.name in called and rival not in tools):
            _want(rival, _store(errand, ask), errand, found, [])
    if refused and any(c.done for c in found):
        mine.clear()
    return found


def _served(errand: Errand) -> list[tuple[str, list[ToolSpec]]]:
    """What the task asks, each with its tools."""
    served: list[tuple[str, list[ToolSpec]]] = []
    for ask in errand.asks:
        before = frozenset(t.name for _, tools in served for t in tools)
        served.append((ask, tools_for(ask, errand.tools, before)))
    if any(tools for _, tools in served):
        return served
    return [(errand.task, tools_for(errand.task, errand.tools) or _best_known(errand))]


def _refused(chain: Chain) -> bool:
    """Whether a call was tried in vain, and its error does not help."""
    return chain.arguments is None and chain.last is not None and chain.last.error is not None


def _best_known(errand: Errand) -> list[ToolSpec]:
    """What a worker tries with a task that none of its tools is described for: the one that has
    anything in common with it and can be called, or else one that searches."""
    faint = faintly(errand.task, errand.tools)
    store = _store(errand, errand.task)
    usable = [t for t in faint if supply(t, store).calls]
    search = [t for t in errand.tools if any(p.kind == "query" for p in params(t.parameters))]
    return (usable or search)[:1]


def _store(errand: Errand, ask: str) -> Store:
    told = tuple(line for m in errand.worked for line in finding(m).splitlines())
    return Store(ask, errand.task, (*without_gaps(errand.given), *told), errand.talk.today)


def _want(
    tool: ToolSpec, store: Store, errand: Errand, found: list[Chain], lacks: list[str]
) -> None:
    """Add the chains of one tool; a lookup first, if an id that it needs is to be had by one."""
    supplied = supply(tool, store)
    if supplied.missing:
        _look_up(tool, supplied.missing, store, errand, found, lacks)
        return
    for first in supplied.calls:
        begun = _begun(tool, dict(first), store, errand)
        for arguments in begun:
            found += chains(tool, arguments, store, errand.made)


def _begun(tool: ToolSpec, first: dict[str, Any], store: Store, errand: Errand) -> list[Any]:
    """The first arguments, changed by the error of the last try if it was this tool's."""
    told = errand.error.startswith((f"{tool.name}:", f"{tool.name} "))
    return (changes(tool, first, errand.error, store) if told else []) or [first]


def _look_up(
    tool: ToolSpec,
    missing: tuple[Param, ...],
    store: Store,
    errand: Errand,
    found: list[Chain],
    lacks: list[str],
) -> None:
    for param in missing:
        for source in providers(param, tool, errand.tools):
            supplied = supply(source, store)
            if supplied.calls:
                new = [c for a in supplied.calls for c in chains(source, a, store, errand.made)]
                found += new
                return
    lacks.append(f"to {deed_words(tool.name)} I need {_needed(missing)}")


def _needed(missing: tuple[Param, ...]) -> str:
    return listed([f"the {human(p.name)}" for p in missing])


def _readings(errand: Errand, found: list[Chain]) -> list[Chain]:
    """Reading in full what a search found, where a tool reads by the ids that it gave."""
    readers = [(t, p) for t in errand.tools if (p := _reads_by(t)) is not None]
    out: list[Chain] = []
    for chain in found:
        searches = any(p.kind == "query" for p in params(chain.tool.parameters))
        if not (chain.done and searches and readers and chain.last):
            continue
        tool, param = readers[0]
        most = _READ + (_PARTLY.search(chain.last.text or "") is not None)
        for identity in _best(_hits(chain.last, param), errand.task, most):
            out += chains(tool, {param.name: identity}, _store(errand, ""), errand.made)
    return out


def _reads_by(tool: ToolSpec) -> Param | None:
    """The id by which a tool reads something in full, if that is all it needs."""
    needed = [p for p in params(tool.parameters) if p.required]
    alone = len(needed) == 1 and needed[0].kind == "id" and "pattern" in needed[0].schema
    return needed[0] if alone and reads_only(tool) else None


def _hits(made: Made, param: Param) -> list[tuple[str, str]]:
    """The ids in a result with the text of the record around each."""
    rows = list(_records(made.data))
    return [(m.text, row) for row in rows for m in shapes(row, [param])[:1]]


def _records(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        lists = [v for v in data.values() if isinstance(v, list)]
        if not lists:
            yield " ".join(str(v) for v in data.values())
        for value in lists:
            yield from _records(value)
    elif isinstance(data, list):
        for value in data:
            yield from _records(value) if isinstance(value, dict) else [str(value)]


_PARTLY = re.compile(r"\bno \w+ (?:has|have|holds?) all\b|\bthese have some\b", re.IGNORECASE)


def _best(hits: list[tuple[str, str]], task: str, most: int) -> list[str]:
    """The ids of the hits that have most words of the task, those that few of them have first;
    the first ones among equals."""
    words = set(content(task))
    held = [words & set(content(row)) for _, row in hits]
    rare = {w: math.log(1 + len(hits) / sum(w in h for h in held)) for h in held for w in h}
    worth = [sum(rare[w] for w in h) for h in held]
    order = sorted(range(len(hits)), key=lambda n: (-worth[n], n))
    return [hits[n][0] for n in sorted(order[:most])]
