"""Grounds: on what the values of a deed stand: the noun that they were said with, what came back or
was called for their slot before, or an order's own words; and what stands there in their place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from course.models.policy.front.mood import parts_of
from course.models.policy.front.situation import DATED, Situation
from course.models.policy.front.tool import spoken, takes_down
from course.models.policy.lexicon import VERBS, action_of, synonyms, tool_action
from course.models.policy.needs import Wanted, records, value_for
from course.models.policy.params import Param, params
from course.models.policy.steps import is_control
from course.models.policy.values import is_measure, sign_of, signs_in
from course.models.policy.words import (
    STOP_WORDS,
    content,
    cue,
    in_figures,
    name_stems,
    name_words,
    stem,
)
from course.models.wire import ToolSpec

_BACK, AGAIN = cue("settle.back"), cue("gate.again")
_CODE = re.compile(r"#?[A-Za-z]{0,6}[ -]?\d[\w./-]*")
_PLAIN = ("words", "name", "query")
GENERIC = frozenset("id number no nr code ref reference the".split())


def grounded(call: Wanted, tool: ToolSpec, sit: Situation) -> tuple[Wanted, str]:
    """A deed's call with its values on their best ground, and the first parameter whose value has
    none, "" where all have one."""
    values, lacking = dict(call.arguments), ""
    for param in params(tool.parameters):
        value = values.get(param.name)
        if value in (None, "") or isinstance(value, bool | list | dict) or param.options:
            continue
        best = _best(param, value, tool, sit)
        if best is None:
            lacking = lacking or param.name
        elif str(best) != str(value):
            values[param.name] = best
    return (replace(call, arguments=values) if values != call.arguments else call), lacking


def _best(param: Param, value: Any, tool: ToolSpec, sit: Situation) -> Any:
    said = str(value)
    if _unknown(param, said, tool, sit):
        return None
    coded = bool(_CODE.fullmatch(said)) and not DATED.fullmatch(said)
    known = [k for k in known_for(param, sit) if param.kind in _PLAIN]
    numbered = coded or (bool(known) and all(_CODE.fullmatch(k) for k in known))
    if is_id(param) or (numbered and isinstance(value, str) and param.kind in _PLAIN):
        return _id(param, value, tool, sit)
    if isinstance(value, int | float):
        own = frozenset((*name_stems(param.name), *content(param.description)))
        if _labels_other(said.removesuffix(".0"), own, sit, _ALONE):
            return None
        measured = any(sign_of(w) for w in name_words(param.name))
        if measured and _in_other_unit(said.removesuffix(".0"), param, sit):
            return None
        which = measured or says_which(param, tool)
        if which and _counts_other(said.removesuffix(".0"), own, sit):
            form = _BARE if measured else _STANDS_ALONE
            alone = {*form.findall(in_figures(sit.thread))} - {said}
            return _like(alone.pop(), value) if len(alone) == 1 else None
        before = [k for k in known_for(param, sit) if k != said]
        return value if not before or _in_order(said, tool, sit) else _like(before[-1], value)
    if param.kind in _PLAIN and param.required:
        return None if _only_its_words(said, tool) else _words(param, said, tool, sit)
    return value


def _unknown(param: Param, said: str, tool: ToolSpec, sit: Situation) -> bool:
    """Whether another call for the same slot has failed with a value, and none came to anything."""
    others = (m for m in sit.turn if m.name != tool.name)
    tried = [m for m in others if str(m.arguments.get(param.name)) == said]
    return bool(tried) and all(m.error is not None and not AGAIN.search(m.error) for m in tried)


def is_id(param: Param) -> bool:
    """Whether a parameter's values are ids, by its kind or its name."""
    return param.kind in ("id", "intid") or bool(_ID_NAME.search(param.name))


_ID_NAME = re.compile(r"(?:^|_)(?:id|no|nr|number|code|ref|reference)$", re.IGNORECASE)


def _id(param: Param, value: Any, tool: ToolSpec, sit: Situation) -> Any:
    """An id, or the one that stands in its place: the one that was said with its noun, the only
    one that there is, or the one that the order describes; None where several may be meant."""
    said = str(value)
    nouns = [w for w in name_words(param.name) if w not in GENERIC]
    labelled, known = _labelled(nouns or [*name_words(tool.name)], sit), known_for(param, sit)
    pool = dict.fromkeys((*known, *labelled))
    if said in labelled or (said in known and _in_order(said, tool, sit)):
        rivals = [v for v in pool if v != said]
        ordered = _in_order(said, tool, sit) and not (_undoes(tool) and said not in known)
        return value if ordered or not rivals else _described(pool, value, sit)
    if said in known:
        named = [v for v in pool if re.search(rf"(?<!\w){re.escape(v)}(?!\w)", sit.latest)]
        return value if [said] in (named, [*pool]) else _described(pool, value, sit)
    if _puts_right(said, sit):
        return value
    mixed = re.search(r"[A-Za-z].*\d|\d.*[A-Za-z]|\d[-/]\d", said)
    if (
        mixed
        and not _in_order(said, tool, sit)
        and len(alike := _ordered_like(said, tool, sit)) == 1
    ):
        return alike.pop()
    if labelled and not mixed:
        return _like(labelled[-1], value)
    own = frozenset((*map(stem, nouns), *content(param.description)))
    if not re.search(r"\d", said) or (not mixed and _labels_other(said, own, sit)):
        if not pool:
            return None if re.search(r"\d", said) else value
        return _described(pool, value, sit)
    return value


def _ordered_like(said: str, tool: ToolSpec, sit: Situation) -> set[str]:
    """The codes of the form of one that stand in what orders a deed by a word for it."""
    form = re.sub(r"\d+", r"\\d+", re.escape(said))
    ordered = (p.text for p in sit.parts if p.mood == "ordered" and spoken(tool, p.text) == "verb")
    return {m for text in ordered for m in re.findall(rf"(?<![\w-]){form}(?![\w-])", text)}


def _undoes(tool: ToolSpec) -> bool:
    """Whether a deed is done to what somebody has made before."""
    return tool_action(tool.name, tool.description) == "cancel"


def _puts_right(said: str, sit: Situation) -> bool:
    """Whether a value was said in the place of another one ("9, sorry, I mean 19")."""
    form = rf"{_BACK.pattern}(?:[a-z]+ )?{re.escape(said)}(?!\w)"
    return bool(re.search(form, in_figures(sit.latest), re.IGNORECASE))


def _like(said: str, value: Any) -> Any:
    return int(said) if isinstance(value, int) and said.isdigit() else said


def _described(pool: Iterable[str], value: Any, sit: Situation) -> Any:
    """The one of several ids beside which stand words of the order; the only one of one."""
    ids = list(pool)
    if len(ids) == 1:
        return _like(ids[0], value)
    ordered = {s for p in sit.parts if p.mood == "ordered" for s in content(p.text)}
    scored = sorted(((len(ordered & _beside(i, ids, sit)), i) for i in ids), reverse=True)
    if scored[0][0] > scored[1][0]:
        return _like(scored[0][1], value)
    came = "\n".join(m.text or "" for m in (*sit.before, *sit.turn) if m.error is None)
    return value if str(value) in came else None  # of rows that came back the reader has chosen


_BESIDE = 6
"""Words before an id that may say what it is the id of."""


def _beside(said: str, ids: list[str], sit: Situation) -> set[str]:
    """The stems of what is said right before an id, after any other."""
    found: set[str] = set()
    stops = "|".join(re.escape(i) for i in ids)
    told = "\n".join(sit.rounds)
    for part in (p for p in sit.parts if p.mood == "ordered"):
        told = told.replace(part.text, "")
    for place in re.finditer(rf"(?<![\w-]){re.escape(said)}(?![\w-])", told):
        before = re.split(stops, told[: place.start()])[-1]
        found |= {*content(" ".join(before.split()[-_BESIDE:]))}
    return found


def known_for(param: Param, sit: Situation) -> tuple[str, ...]:
    """The values that came back or were called for a slot, without those of calls that failed."""
    made = [m for m in (*sit.before, *sit.turn) if m.error is None and not is_control(m.name)]
    came = [value_for(param, r) for r in records(tuple(made))]
    called = [m.arguments.get(param.name) for m in made]
    return tuple(dict.fromkeys(str(v) for v in (*came, *called) if v not in (None, "")))


def _labelled(nouns: list[str], sit: Situation) -> list[str]:
    """What was said with a noun ("customer 3040", "lot no. 613", "my paddle is 58")."""
    noun = "|".join(map(re.escape, nouns))
    form = (
        rf"\b(?:{noun})s?\b\W{{0,2}}(?:(?:no|nr|number|id|ref|is|it['’]?s)\b\W{{0,3}}){{0,2}}#?"
        r"(?P<id>[A-Za-z]{0,6}-?\d[\w/-]*)"
    )
    text = in_figures("\n".join(sit.rounds))
    return list(dict.fromkeys(m["id"] for m in re.finditer(form, text, re.IGNORECASE)))


def _in_order(said: str, tool: ToolSpec, sit: Situation) -> bool:
    """Whether a value stands in a part that orders a tool's deed, or in any where nothing is
    ordered by a word for it."""
    form = re.compile(rf"(?<!\w){re.escape(said)}(?!\w)", re.IGNORECASE)
    ordered = [p.text for p in sit.parts if p.mood == "ordered"] or [p.text for p in sit.parts]
    own = [t for t in ordered if spoken(tool, t) == "verb"] or ordered
    return any(form.search(in_figures(t)) for t in own)


_ALONE = r"(?=\W*$|[,.;:!?)](?!\d)|\s(?:for|on|at|in|to|and|or|is|was|has|by|from|with|of)\b)"
"""What follows a number that numbers something, and counts or measures nothing."""


def _labels_other(number: str, own: frozenset[str], sit: Situation, then: str = "") -> bool:
    """Whether a number was only said as what numbers another thing ("tram 11")."""
    thread = in_figures(sit.thread if number in in_figures(sit.thread) else "\n".join(sit.rounds))
    said = len(re.findall(rf"(?<![\w.]){re.escape(number)}(?!\w|\.\d)", thread))
    labels = re.findall(rf"\b([a-z]{{3,}}) (?:no\.? )?{re.escape(number)}{then}(?![\w-])", thread)
    return bool(labels) and said == len(labels) and all(_label(w, own) for w in labels)


def says_which(param: Param, tool: ToolSpec) -> bool:
    """Whether a parameter's number says which one is meant: that of a single thing of which its
    tool speaks ("to a room"), and of no group, which has so many."""
    last = name_words(param.name)[-1]
    one = re.search(rf"\b(?:an?|the) (?:[a-z]+ )?{re.escape(last)}\b", tool.description, re.I)
    return param.kind == "intid" or bool(one and last not in _GROUPS)


_GROUPS = frozenset("party group team class family crew number amount quantity total sum".split())
_STANDS_ALONE = re.compile(r"\b(?:to|for|in|at|on|of|no\.?) #?(\d+)(?=\W*$|[,.;!?](?!\d))", re.I)
_BARE = re.compile(r"(?<![\w.:/-])(\d+)(?=\W*$|[,.;!?](?!\d))")
"""A number with nothing behind it, for what measures something: "one pair, I'm 172"."""


def _spelled(number: str) -> str:
    """How a number may be written: "one" is left as it is, where others are put in figures."""
    return "(?:1|one)" if number == "1" else re.escape(number)


def _in_other_unit(number: str, param: Param, sit: Situation) -> bool:
    """Whether a number was only said in a unit that is none of a parameter's ("300 watts" for
    kilowatts)."""
    thread = in_figures(sit.thread if number in in_figures(sit.thread) else "\n".join(sit.rounds))
    said = re.findall(rf"(?<![\w.]){_spelled(number)}(?: ?([a-z]+)\b|(?!\w|\.\d))", thread, re.I)
    return bool(said) and all(sign_of(u) and sign_of(u) not in signs_in(param) for u in said)


def _counts_other(number: str, own: frozenset[str], sit: Situation) -> bool:
    """Whether a number was only said as what counts other things ("2 coffees")."""
    thread = in_figures(sit.thread if number in in_figures(sit.thread) else "\n".join(sit.rounds))
    said = len(re.findall(rf"(?<![\w.]){_spelled(number)}(?!\w|\.\d)", thread, re.I))
    form = rf"(?<![\w.]){_spelled(number)} (?:[a-z]+ of )?(?:[a-z]+ )?([a-z]{{3,}}s)\b"
    counted = re.findall(form, thread, re.I)
    counted = [w for w in counted if not is_measure(w)]
    return bool(counted) and said == len(counted) and not own & {stem(w) for w in counted}


def _label(word: str, own: frozenset[str]) -> bool:
    """Whether a word before a number names something else that it numbers."""
    known = action_of(word) or stem(word) in VERBS or word in STOP_WORDS or word == "number"
    return not known and not own & {stem(word), *synonyms(stem(word))}


def _only_its_words(said: str, tool: ToolSpec) -> bool:
    """Whether what a tool is to take down is only a word of the tool's own."""
    own = {*name_stems(tool.name), *content(tool.description)}
    return takes_down(tool) and {*content(said)} <= own


def _spoken_of(param: Param, said: str, tool: ToolSpec, sit: Situation) -> bool:
    """Whether plain words of an earlier message were said of a tool's deed or of a parameter, or
    stand nowhere there."""
    own = {*name_stems(param.name), *content(param.description)}
    parts = [p for r in sit.rounds for p in parts_of(r, sit.verbs) if said in p.text.lower()]
    return not parts or any(spoken(tool, p.text) or own & {*content(p.text)} for p in parts)


def _words(param: Param, said: str, tool: ToolSpec, sit: Situation) -> Any:
    """Plain words, or what was called or came back for their slot where they were only told; None
    where nobody said what is meant."""
    known = known_for(param, sit)
    low = said.lower()
    if any(low in k.lower() or k.lower() in low for k in known):
        return said
    if low not in sit.thread.lower():
        return said if not said.islower() or _spoken_of(param, said, tool, sit) else None
    moods = {p.mood for p in sit.parts if low in p.text.lower()}
    ordered = any(p.mood == "ordered" for p in sit.parts)
    if "ordered" in moods or not moods or not ordered or not known:
        return said
    return known[0] if len(known) == 1 else None
