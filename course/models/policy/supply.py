"""Supply: the arguments of a call, from a task and from earlier results.

More than one value may be meant ("the price of Arden and of Belmont", "in June and in July"): then
there is more than one call. What the task does not hold is looked for in results, by the words
around it; nothing is taken for want of something better.

"Calculate the growth of each" with the line "Arden, revenue 2025 120, revenue 2024 100" is
(120 - 100) / 100. Whose figures a sum is about is said with its result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import product
from typing import Any, NamedTuple

from course.models.policy.dates import REFERENCE
from course.models.policy.lexicon import nearest
from course.models.policy.mentions import YEAR, mentions
from course.models.policy.naming import countries, subjects, without_names
from course.models.policy.params import PLACES, Param, params
from course.models.policy.patterns import regex
from course.models.policy.reader.choices import coded, hits
from course.models.policy.reader.slots import shaped_like
from course.models.policy.schemas import as_schema, fits, type_of
from course.models.policy.words import (
    STOP_WORDS,
    content,
    cue,
    name_stems,
    name_words,
    stem,
    tokens,
    word_list,
)
from course.models.wire import ToolSpec

_MOST = 8  # calls of one tool for one ask


@dataclass(frozen=True)
class Store:
    """Where arguments come from: one ask, the whole task, lines of results, and the day."""

    ask: str
    task: str
    lines: tuple[str, ...] = ()
    today: date = REFERENCE

    @property
    def texts(self) -> tuple[str, str]:
        """The ask, and then the whole task."""
        return self.ask, self.task

    @property
    def subjects(self) -> tuple[str, ...]:
        """Whom or what the ask is about, or else the task."""
        return subjects(self.ask) or subjects(self.task)


@dataclass(frozen=True)
class Supplied:
    """The calls that can be made, as arguments, and the parameters that nothing was found for."""

    calls: tuple[Mapping[str, Any], ...]
    missing: tuple[Param, ...] = ()


def supply(tool: ToolSpec, store: Store, *, alone: bool = False) -> Supplied:
    """The arguments for one tool; several sets where the task means several things; `alone` tells
    that the results are about one of them."""
    wanted = params(tool.parameters)
    options = {p.name: _options(p, wanted, tool, store) for p in wanted}
    about = store.subjects
    if not alone and len(about) > 1 and store.lines and not _says(options, about):
        apart = _for_each(tool, store)
        if apart:
            return Supplied(tuple(apart[:_MOST]))
    missing = tuple(p for p in wanted if p.required and not options[p.name])
    if missing:
        return Supplied((), missing)
    named = [p for p in wanted if options[p.name]]
    rows = product(*(options[p.name] for p in named))
    calls = (dict(zip((p.name for p in named), row, strict=True)) for row in rows)
    return Supplied(tuple(_matched(c, wanted, store) for c in list(calls)[:_MOST]))


def _says(options: Mapping[str, list[Any]], about: tuple[str, ...]) -> bool:
    """Whether an argument says whom a call is about."""
    return any(a in found for found in options.values() for a in about)


def _for_each(tool: ToolSpec, store: Store) -> list[Mapping[str, Any]]:
    """The calls for each of several subjects from the results about it, where no argument says
    whose it is."""
    calls: list[Mapping[str, Any]] = []
    for each in store.subjects:
        lines = tuple(line for line in store.lines if each in line)
        calls += supply(tool, replace(store, lines=lines), alone=True).calls if lines else ()
    return calls


def _matched(call: dict[str, Any], wanted: tuple[Param, ...], store: Store) -> dict[str, Any]:
    """A call whose figures are those of its own subject, where the results tell whose they are."""
    own = [str(v) for v in call.values() if isinstance(v, str)]
    for param in wanted:
        if param.name in call and param.kind in _FIGURES and param.required:
            lines = tuple(line for line in store.lines if any(o in line for o in own))
            found = amounts_in(param, lines, ordered=False)
            if found and not amounts_in(param, store.texts, ordered=True):
                call[param.name] = found[0]
    return call


def supplied(param: Param, tool: ToolSpec, store: Store) -> list[Any]:
    """What one parameter may be, taken as needed."""
    needed = replace(param, required=True)
    return _options(needed, (needed,), tool, store)


_FIGURES = ("number", "amount")


def _options(param: Param, wanted: tuple[Param, ...], tool: ToolSpec, store: Store) -> list[Any]:
    """The values that a parameter may have."""
    fitting = [v for v in _found(param, wanted, tool, store) if fits(v, param.raw)]
    return [v for n, v in enumerate(fitting) if v not in fitting[:n]]


_GROUP = regex(r"(?:^|[;.\n])\s*[\w ]{2,20}? ?\d+:\s*(?P<items>[^;:\n]+?)(?=;|\.\s|\.?$|\n)")


def _series(param: Param, text: str) -> list[Any]:
    """Lists of lists that a task writes out ("week 1: a, b; week 2: c"), as one value."""
    if type_of(as_schema(param.schema.get("items"))) != "array":
        return []
    groups = []
    for match in _GROUP.finditer(text):
        bare = re.sub(r"\s*\([^)]*\)", "", match["items"])
        members = (m.strip(" .") for m in re.split(r",\s*(?:and )?|\s+and\s+", bare))
        groups.append([m for m in members if m])
    return [groups] if len(groups) > 1 else []


def _found(param: Param, wanted: tuple[Param, ...], tool: ToolSpec, store: Store) -> Iterator[Any]:
    if is_arithmetic(param) and (wanted_sums := [s.expression for s in sums(store)]):
        yield from wanted_sums
    elif param.kind == "enum":
        yield from _chosen(param, store)
    elif "year" in name_words(param.name):
        yield from years(param, store)
    elif param.kind == "month":
        yield from months(param, store)
    elif param.kind in ("id", "intid"):
        yield from _ids(param, store)
    elif param.kind in _FIGURES:
        said = amounts_in(param, store.texts, ordered=True)
        yield from said or amounts_in(param, store.lines, ordered=False)
    elif param.kind == "array":
        yield from _series(param, store.task)
    elif param.kind in ("name", "words", "query", "prose", "currency"):
        yield from worded(param, wanted, tool, store)


def _chosen(param: Param, store: Store) -> list[Any]:
    """The enumerated values that the ask or the task names, else those that the results about its
    subjects do."""
    near = [line for line in store.lines if any(a in line for a in store.subjects)]
    for text in (*store.texts, *(near if param.required else ())):
        found = [h for h in coded(param, text) or hits(param, text) if not h.negated]
        least = min(_SURELY, max((h.worth for h in found), default=0.0))
        if values := [h.value for h in found if h.worth >= least]:
            return list(dict.fromkeys(values))
    return []


_SURELY = 0.7  # what a value must be worth to be named beside others


def _ids(param: Param, store: Store) -> list[Any]:
    """Ids by their shape: those in the ask or task, or in the results about its subjects."""
    for text in store.texts:
        found = [m.value for m in shaped_like(param, text)]
        found = found or [
            m.text for m in mentions(text) if m.kind == "id" and "pattern" not in param.schema
        ]
        if found:
            return list(dict.fromkeys(found))
    near = [line for line in store.lines if any(s in line for s in store.subjects)]
    for lines in (near, store.lines):
        found = [m.value for line in lines for m in shaped_like(param, line)]
        if found:
            return list(dict.fromkeys(found))[:_MOST]
    return []


# --- figures -----------------------------------------------------------------------------------


_NUMBER = regex(r"(?<![\w.-])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\.?\d|-\d|\w)")
_AHEAD, _BEHIND = 6, 2  # words about a figure that say what it is


def amounts_in(param: Param, texts: Sequence[str], *, ordered: bool) -> list[Any]:
    """The figure that has most words of a parameter's name about it: before it, or as its unit. In
    what is `ordered` its unit says enough ("6 days"); in results there are many days."""
    own, best = frozenset(name_stems(param.name)), (0.0, "")
    for text in texts:
        for match in _NUMBER.finditer(text):
            label = re.split(r"[,;:.](?=\s)", text[: match.start()].rstrip(": "))[-1]
            before = content(label.replace("_", " "))[-_AHEAD:]
            after = content(" ".join(text[match.end() :].split()[:_BEHIND]))
            unit = (
                (own | param.stems) & {*after}
                if ordered
                else len(after) > 1 and {*after} <= param.about
            )
            share = sum(nearest(s, frozenset(before)) for s in own) / max(1, len(own))
            worth = max(share, 0.7 * bool(unit)) * (not YEAR.fullmatch(match.group()))
            best = max(best, (worth, match.group()), key=lambda b: b[0])
    if best[0] < _MOSTLY:
        return []
    value = float(best[1].replace(",", ""))
    return [int(value) if param.type == "integer" or value.is_integer() else value]


_MOSTLY = 0.6  # of a parameter's words


# --- sums -----------------------------------------------------------------------------------------

_OPERATIONS = (
    (regex(r"\b(?:grow|grew|year-over-year|increase|decrease|percent)", re.I),
     "round(({new} - {old}) / {old} * 100, 2)", "growth", " percent"),
    (regex(r"\b(?:difference|change)\b", re.I), "round({new} - {old}, 2)", "difference", ""),
)  # fmt: skip
_DATED = cue("amounts.dated", 0)


class Sum(NamedTuple):
    """One calculation: the arithmetic, in words whose figure of which years it is, and its unit."""

    expression: str
    told: str
    unit: str


def is_arithmetic(param: Param) -> bool:
    """Whether a parameter takes arithmetic as text."""
    return param.type == "string" and param.name in ("expression", "formula", "arithmetic")


def sums(store: Store) -> Iterator[Sum]:
    """What a task orders to be calculated of the dated figures in results, once for each line
    that has figures of two years."""
    for _, form, name, unit in [o for o in _OPERATIONS if o[0].search(store.task)][:1]:
        for line in store.lines:
            dated: dict[str, dict[int, str]] = {}
            for m in _DATED.finditer(line):
                value = m["value"].replace(",", "")
                dated.setdefault(m["what"].strip(), {})[int(m["year"])] = value
            whose = next(iter(subjects(f"({line})")), "")
            for what, values in dated.items():
                if len(values) > 1 and float(values[min(values)]):
                    old, new = min(values), max(values)
                    expression = form.format(new=values[new], old=values[old])
                    yield Sum(expression, f"{whose}: {name} of {what}, {old} to {new}", unit)


def told_of(arguments: Mapping[str, Any], store: Store, text: str) -> str:
    """What a calculation brought, with whose it is; the text as it is where it is none of these."""
    own = next((s for s in sums(store) if s.expression in str(arguments)), None)
    result = re.search(r"-?\d[\d,]*(?:\.\d+)?\W*$", text)
    return f"{own.told}: {result.group().strip(' .')}{own.unit}." if own and result else text


def years(param: Param, store: Store) -> list[int | str]:
    """The years that a parameter may have; a year of birth is only ever one that is called so."""
    words = set(name_words(param.name))
    born = [y for t in store.texts for y in re.findall(r"\bborn (?:in |on )?[\w -]*?(\d{4})", t)]
    if words & {"birth", "born"}:
        return [_as(param, y) for y in born[:1]]
    said = [y for y in YEAR.findall(store.ask) if y not in born]
    whole = [y for y in YEAR.findall(store.task) if y not in born]
    if words & _STARTS or words & _ENDS:
        return _ends(param, words, sorted({*said} if len(set(said)) > 1 else {*said, *whole}))
    found = said or whole
    if param.required or not (_SEARCH & set(content(param.description))):
        return [_as(param, y) for y in dict.fromkeys(found)]
    return []  # a filter of a search may hide what is looked for


_SEARCH = frozenset(stem(w) for w in "documents written".split())
_STARTS = frozenset("first from start begin since".split())
_ENDS = frozenset("last to end until".split())


def _ends(param: Param, words: set[str], said: list[str]) -> list[int | str]:
    if not said:
        return []
    if len(said) == 1:
        said = [str(int(said[0]) - 1), said[0]]
    return [_as(param, said[0] if words & _STARTS else said[-1])]


def _as(param: Param, text: str) -> int | str:
    return int(text) if param.type == "integer" else text


def months(param: Param, store: Store) -> list[str]:
    """The months that a parameter may have, as year and month; a year is the end of December
    before it and its own."""
    words = set(name_words(param.name))
    for text in store.texts:
        told = mentions(text)
        found = [str(m.value) for m in told if (m.kind == "month" and YEAR.search(m.text))
                 or re.fullmatch(r"\d{4}-(?:0[1-9]|1[0-2])", m.text)]  # fmt: skip
        whole = [int(m.text) for m in told if m.kind == "number" and YEAR.fullmatch(m.text)][:1]
        ends = (
            sorted({*found}) if len(found) > 1 else [f"{y - n}-12" for y in whole for n in (1, 0)]
        )
        if words & (_STARTS | _ENDS):
            if ends:
                return [ends[0] if words & _STARTS else ends[-1]]
        elif found:
            return found
    return []


def worded(param: Param, wanted: tuple[Param, ...], tool: ToolSpec, store: Store) -> list[str]:
    """Values in words: a query, a name, or the plain noun that the task is about."""
    plain = [p for p in wanted if p.kind in ("name", "words") and p.type == "string"]
    if set(name_words(param.name)) & _UNITS or param.kind == "currency":
        return _unit(param, store)
    if not param.required:
        return list(store.subjects) if param.kind in ("name", "words", "query") else []
    if param.kind == "query":
        return _query(tool, store)
    if param.kind == "prose" and not _nouns(tool, store):
        return [store.ask]
    place = [p for p in plain if p.required].index(param) if param in plain else 1
    names, nouns = _of_kind(param, store), _nouns(tool, store)
    if any(p.required and p.kind in ("id", "intid") for p in wanted) and nouns:
        return nouns[:1]  # the id says already whom it is about
    return names if place == 0 and names else nouns[:1]


_UNITS = frozenset("unit units currency".split())
_UNIT = cue("wordings.unit", 0)


def _unit(param: Param, store: Store) -> list[str]:
    return [m["unit"] for t in store.texts for m in _UNIT.finditer(t) if m["unit"] != "percent"][:1]


def _of_kind(param: Param, store: Store) -> list[str]:
    """The names that an ask is about, in the form that the parameter's description wants."""
    names = list(store.subjects)
    places = list(countries(store.ask) or countries(store.task))
    if places and (not names or (param.stems | param.about) & PLACES):
        return places
    found = _found_names(store) if not names and _FOUND.search(store.task) else ()
    if found:
        return list(found)[:1]
    if not names:
        names = list(subjects(" ".join(store.lines)))[:1] if not _nouns_in(store.ask) else []
    told = param.description.lower()
    if re.search(r"\b(?:family|last) name|surname", told) and not re.search(
        r"\b(?:first|full)\b", told
    ):
        return list(dict.fromkeys(n.split()[-1] for n in names))
    return names


_AFTER = regex(r"\b(?:of|in|for|with|on) (?P<noun>[a-z][a-z-]+(?: [a-z][a-z-]+)?)\b")
_OPENING = regex(r"^(?:The|the) (?P<noun>[a-z][a-z-]+(?: [a-z][a-z-]+)?) of the [A-Z]")
_COUNTED = regex(r"^(?:by )?[Hh]ow (?:much|many) (?P<noun>[a-z][a-z-]+)\b")


def _nouns_in(text: str) -> list[str]:
    return [m["noun"] for p in (_OPENING, _AFTER, _COUNTED) for m in p.finditer(text)]


def _nouns(tool: ToolSpec, store: Store) -> list[str]:
    """The plain nouns that a task is about: after a preposition, and not a word of the tool's."""
    told = frozenset(content(f"{tool.name.replace('_', ' ')} {tool.description}"))
    own = told | {s for p in params(tool.parameters) for s in (*p.stems, *p.about)}
    found = []
    for text in store.texts:
        for noun in _nouns_in(text):
            words = noun.split()
            while words and (words[-1] in _JOINING or stem(words[-1]) in own):
                words = words[:-1]
            if words and words[0] not in _JOINING and not set(content(" ".join(words))) & own:
                found.append(" ".join(words))
    return list(dict.fromkeys(f for f in found if content(f)))


_JOINING = frozenset(word_list("wordings.joining"))


# --- queries --------------------------------------------------------------------------------------

_FEW = 5  # words of a query
_ASKING = frozenset(stem(w) for w in word_list("wordings.asking"))
_FOUND = regex(r"\b(?:what was found|th(?:at|is) one)\b", re.IGNORECASE)


def _query(tool: ToolSpec, store: Store) -> list[str]:
    """A query of few telling words, without the names that another argument takes; with the names
    of what results found, where the task is about that."""
    if found := _found_names(store) if any(map(_FOUND.search, store.texts)) else ():
        return [" ".join(f'"{n}"' if " " in n else n for n in found)]
    quoted = [str(m.value) for m in mentions(store.ask) if m.kind == "quoted"]
    if quoted:
        return [f'"{quoted[0]}"']
    optional = [p.kind for p in params(tool.parameters) if not p.required]
    named = {"name", "words", "query"} & set(optional)
    told = (_telling(without_names(t) if named else t) for t in store.texts)
    words = next(filter(None, told), [])
    return [" ".join(words[:_FEW])] if words else list(subjects(store.task)[:1])


def _found_names(store: Store) -> tuple[str, ...]:
    """The names in the first row of a list in results, those that the task does not name first."""
    rows = (re.sub(r"^- ", "The ", line) for line in store.lines if line.startswith("- "))
    names = next(filter(None, map(subjects, rows)), ())
    return (tuple(n for n in names if n not in store.task) or names)[:2]


def _telling(text: str) -> list[str]:
    """The words of a text that a document about it would hold."""
    found: dict[str, str] = {}
    for token in tokens(re.sub(r"\([^)]*\)", " ", YEAR.sub(" ", text))):
        low = token.text.lower()
        if low in STOP_WORDS or token.stem in _ASKING or low[:1].isdigit() or len(low) < 3:
            continue
        if content(token.text):
            found.setdefault(token.stem, low)
    return list(found.values())
