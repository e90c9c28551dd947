"""Values: what stands against the values of a call: nobody said them, they are doubtful, or belong
elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from course.models.policy.conversation import Made
from course.models.policy.front.grounds import grounded, is_id, known_for
from course.models.policy.front.situation import DATED, Situation
from course.models.policy.front.tool import (
    changes,
    deeds_verbs,
    spoken,
    takes_down,
)
from course.models.policy.lexicon import VERBS, action_of
from course.models.policy.needs import Wanted
from course.models.policy.params import PERSONS, Param, params
from course.models.policy.reader.filling import fill_tool
from course.models.policy.reader.slots import offer_of
from course.models.policy.steps import is_control
from course.models.policy.words import (
    content,
    cue,
    in_figures,
    name_stems,
    name_words,
    stem,
    tokens,
    word_list,
)
from course.models.wire import ToolSpec

Unfit = Literal["one value twice", "one name, two roles", "no evidence"]
_WORDY = cue("gate.wordy")

_FREE = ("prose", "query")


def worthless(
    call: Wanted, tool: ToolSpec, sit: Situation, tools: Sequence[ToolSpec]
) -> tuple[Unfit, str] | None:
    """What is wrong with the values of a call."""
    by_name = {p.name: p for p in params(tool.parameters)}
    texts: dict[str, str] = {}
    told = sit.told.lower()
    if changes(tool) and (lacking := _borrowed_number(call, by_name, sit)
                          or grounded(call, tool, sit)[1]):  # fmt: skip
        return "no evidence", lacking
    for name, value in call.arguments.items():
        param = by_name.get(name)
        if param is None or not isinstance(value, str) or param.kind == "enum" or not value.strip():
            continue
        same = next((n for n, v in texts.items() if v == value.lower()), None)
        if same and told.count(value.lower()) < 2 and not DATED.fullmatch(value):
            return "one value twice", name
        texts[name] = value.lower()
        if _other_role(name, value, call, sit):
            return "one name, two roles", name
        first = next(iter(tokens(value)), None)
        orders = (
            param.kind not in _FREE
            and changes(tool)
            and first
            and first.stem in deeds_verbs(tool)
            and first.text in value
        )
        orders = orders or _opens(value, param, sit) or _names_nothing(value, param, tool, sit)
        if orders or not evident(param, value, sit) or not _as_shown(param, value, tools):
            return "no evidence", name
    return None


def _opens(value: str, param: Param, sit: Situation) -> bool:
    """Whether a value is only the verb with which something opens: "Check the soil"."""
    verb = param.kind not in _FREE and (action_of(value) or stem(value) in VERBS)
    places = [m.start() for m in re.finditer(rf"\b{re.escape(value)}\b", sit.told)] if verb else []
    return bool(places) and all(_OPENS.search(sit.told[:p]) for p in places)


def _names_nothing(value: str, param: Param, tool: ToolSpec, sit: Situation) -> bool:
    """Whether a value is only the word for what is wanted: small words alone, the parameter's own
    name, or of an id or a name a word of its tool."""
    if param.kind in _FREE or not value.islower() or re.search(r"\d", value):
        return False
    tried = [m.arguments.get(param.name) for m in sit.turn]
    if value in (*tried, *known_for(param, sit)):
        return False
    own = {s for p in params(tool.parameters) for s in name_stems(p.name)}
    if param.kind == "name" or is_id(param) or _NUMBER_OF.search(param.description):
        own |= {*name_stems(tool.name)}
    return {*content(value)} <= own


_NUMBER_OF = re.compile(r"\b(?:number|no\.|id|code|reference)(?: of|$)", re.IGNORECASE)


_OPENS = re.compile(r"(?:^|[.!?;:\n]\s*)(?:please )?$", re.IGNORECASE)
_SURE, _SURE_ALONE, _PLACED = 0.6, 0.5, 0.3
"""How likely plain words have to be what a deed is done to: among several, as the only ones, and
where they stand beside its verb."""


def doubtful(call: Wanted, tool: ToolSpec, sit: Situation, tools: Sequence[ToolSpec]) -> str:
    """The parameter whose words are hardly what a deed is done to, "" if there is none: words that
    were said, are no more likely than not, and came neither from a call nor a result."""
    plain = [p for p in params(tool.parameters) if p.required and p.kind in _WORDS]
    place = next(n for n, t in enumerate(tools) if t.name == tool.name)
    offer = offer_of(tuple(tools))
    texts = (sit.latest, sit.thread)
    fillings = [fill_tool(offer, place, text, sit.today) for text in texts]
    known = json.dumps([[m.arguments, m.data] for m in (*sit.before, *sit.turn)], default=str)
    for param in plain:
        value = call.arguments.get(param.name)
        if not isinstance(value, str) or re.search(r"\d", value) or value in known:
            continue
        likely = [f.surely.get(param.name, 0.0) for f in fillings
                  if _alike(f.values.get(param.name), value)]  # fmt: skip
        if _taken_back(value, sit):
            return param.name
        if len(plain) == 1 and not likely:
            continue  # settled otherwise
        told = [p for p in sit.parts if value in p.text]
        beside = any(p.mood == "ordered" for p in sit.parts) and {p.mood for p in told} == {"told"}
        alone = (len(plain) == 1 and not beside) or takes_down(tool)
        ordered = any(value in p.text and p.mood == "ordered" and spoken(tool, p.text) == "verb"
                      for p in sit.parts)  # fmt: skip
        enough = _PLACED if ordered else _SURE_ALONE if alone else _SURE
        if max(likely, default=0.0) < enough:
            return param.name
    return ""


def _taken_back(value: str, sit: Situation) -> bool:
    """Whether something else was said in a value's place."""
    back = max((m.end() for m in _TAKES_BACK.finditer(sit.latest)), default=0)
    return bool(back) and value in sit.latest[:back] and value not in sit.latest[back:]


_TAKES_BACK = re.compile(
    r"[,.!] *(?:oh |ah )?(?:no|sorry|wait|i mean|i meant|rather|make (?:it|that))[, ]+"
    r"(?:sorry|wait|i mean)?[, ]*(?=(?:to|in|at|on|for|the) )",
    re.IGNORECASE,
)


def _alike(found: Any, value: str) -> bool:
    one, other = str(found or "").lower().split(), value.lower().split()
    return bool(one) and (not {*one} - {*other} or " ".join(other) in " ".join(one))


_WORDS = ("name", "words", "query")


def _borrowed_number(call: Wanted, by_name: Mapping[str, Param], sit: Situation) -> str:
    """The parameter whose number was said for another one, "" if none was."""
    thread = in_figures(sit.thread)
    numbers = {k: str(v).removesuffix(".0") for k, v in call.arguments.items()
               if k in by_name and re.fullmatch(r"\d+(?:\.0)?", str(v))
               and not isinstance(v, bool)}  # fmt: skip
    for name, number in numbers.items():
        said = len(re.findall(rf"(?<![\w.]){number}(?!\w|\.\d)", thread))
        twice = list(numbers.values()).count(number) > 1
        if twice and (said < 2 or len(number) > 2):
            return name
    return ""


def _looks_in(sit: Situation) -> list[Made]:
    """The calls of this turn that came to something, handovers apart."""
    return [m for m in sit.turn if m.error is None and not is_control(m.name)]


def _other_role(name: str, value: str, call: Wanted, sit: Situation) -> bool:
    """Whether a name that was said once was looked up in another role in this turn."""
    if re.search(r"\d", value) or sit.thread.lower().count(value.lower()) != 1:
        return False
    before = () if {stem(w) for w in name_words(name)} & PERSONS else sit.before
    made = (*_looks_in(sit), *before)
    looked = ((k, str(v)) for m in made for k, v in m.arguments.items())
    roles = {k for k, v in looked if v.lower() == value.lower()}
    return bool(roles) and name not in roles and bool(set(call.arguments) - {name})


def _as_shown(param: Param, value: str, tools: Sequence[ToolSpec]) -> bool:
    """Whether a value has figures where tools show that such values have some."""
    if re.search(r"\d", value):
        return True
    told = (p.description for t in tools for p in params(t.parameters) if p.name == param.name)
    shown = [e[1] for d in told if (e := _SHOWN.search(d)) and not _OTHERWISE.search(d)]
    return not shown


_SHOWN = re.compile(
    r"\b(?:such as|like|e\.g\.,?|for example|for instance) [\"'`]?([A-Z]{0,4}-?\d[\w-]*)", re.I
)
_OTHERWISE = re.compile(r"\bor\b", re.IGNORECASE)


def evident(param: Param, value: str, sit: Situation) -> bool:
    """Whether a text is a value that was said or came back, of the sort that a parameter takes."""
    coded = _SHORT_CODE.fullmatch(value) and _CODED.search(f"{param.name} {param.description}")
    if coded or DATED.fullmatch(value) or _of_listed(value, param, sit):
        return True
    squeezed = re.sub(r"[\W_]+", "", value.lower().replace("&", "and"))
    known = squeezed in re.sub(r"[\W_]+", "", sit.told.lower())
    if not known and param.kind not in _FREE:
        figures = re.search(r"[1-9]\d*", value)
        known = _in_one_run(value, sit.told) or bool(figures and re.search(
            rf"(?<!\d)0*{figures[0]}(?!\d)", sit.told))  # fmt: skip
    elif not known:
        said = {t.stem for t in tokens(sit.told)}
        own = [t.stem for t in tokens(value)]
        known = bool(own) and sum(w in said for w in own) >= 0.6 * len(own)
    if all(t.text.lower() in _EMPTY for t in tokens(value)):
        return False
    if not known or param.kind in _FREE:
        return known
    if _MOMENT.search(param.name):
        return bool(_WHEN.search(value))
    marked = bool(_MARKED.search(param.name) or _A_NUMBER.match(param.description))
    marked = marked or any(re.search(r"\d", str(m.arguments.get(param.name, "")))
                           for m in sit.before)  # fmt: skip
    if marked and not re.search(r"\d", value) and not _CODE.fullmatch(value):
        return value in json.dumps([m.data for m in (*sit.before, *sit.turn)], default=str)
    words = [t.text.lower() for t in tokens(value)]
    return not (
        (_WORDY.search(value) and not re.fullmatch(r"\S*\d\S*", value))
        or words[:1] in _POINTING
        or (len(words) == 1 and words[0].endswith("ly") and not _WHEN.search(value))
        or (words and all(w in _EMPTY for w in words))
    )


def _of_listed(value: str, param: Param, sit: Situation) -> bool:
    """Whether a value stands in a parameter's description or in what an error offers, and a word of
    it was said that stands in nothing else there."""
    offered = (re.split("[:;]", m.error)[-1] for m in sit.turn if m.error)
    described = "\n".join((param.description, *dict.fromkeys(offered))).lower()
    said = {t.text.lower() for t in tokens(sit.thread)}
    words = {t.text.lower() for t in tokens(value)} & said
    return value.lower() in described and any(described.count(w) == 1 for w in words)


def _in_one_run(value: str, told: str) -> bool:
    """Whether the words of a value stand together somewhere, small words and endings apart."""
    words = [re.escape(w[: max(3, len(w) - 3)]) + r"\w*" for w in re.findall(r"\w+", value)]
    between = r"\W+(?:(?:of|the|an?|for|in|with|my|to|our|your)\W+)*"
    return bool(words) and bool(re.search(rf"\b{between.join(words)}", told, re.IGNORECASE))


_MARKED = re.compile(r"(?:^|_)(?:id|no|nr|number|code|ref|reference|ticket|plate)$", re.IGNORECASE)
_A_NUMBER = re.compile(r"\W*(?:the |an? )?(?:\w+ )?(?:number|id|reference)\b(?! of)", re.IGNORECASE)
_SHORT_CODE = re.compile(r"[a-z]{2}|[A-Z]{3}")
_CODED = re.compile(r"(?:language|currency|country)", re.IGNORECASE)
"""What is said in words and written as a code: "German" is "de"."""
_CODE = re.compile(r"[A-Z]{5,8}")
_MOMENT = re.compile(r"(?:^|_)(?:until|till|day|date|time|slot|when)$", re.I)
_WHEN = re.compile(
    r"\d|\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b|today|tonight|tomorrow"
    r"|tmrw|noon|midnight|morning|evening|afternoon|week|month|year|now|\b(?:jan|feb|mar|apr|may|jun"
    r"|jul|aug|sep|oct|nov|dec)\w*|lunch|dinner|breakfast|easter|christmas",
    re.IGNORECASE,
)
_POINTING = [[w] for w in ("same", "this", "that", "these", "those", "other", "another")]
_EMPTY = frozenset(word_list("gate.empty"))
