"""Whether an answer to a request is right: its calls, its JSON, its plan, its words.

An expectation is an object. All that it holds must be so; of `any_of` one of the alternatives.

    calls      exactly these, in any order; of each the arguments that are named must match, and
               others be left out, neutral, or among the `optional` ones
    json       the fields of the answer, which has to be JSON that fits the schema of the request
    plan       `workers` that are used and no others, `before` and `independent` pairs of them,
               `mentions` in the words, at most `max_tasks`
    text_*     `contains_all`, `contains_any`, `excludes`, `asks`, `prose` (no raw JSON), `nonempty`
    no_new_numbers   every figure is one of the conversation, or one of `numbers_allowed`

Values match by a list of what is right, or by one of `MATCHERS`.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from graphlib import CycleError, TopologicalSorter
from itertools import permutations
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from course.models.policy.words import NUMBER_WORDS

Expected = Mapping[str, Any]
_MONTHS = [date(2026, n, 1).strftime("%B").lower() for n in range(1, 13)]
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ASKS = re.compile(r"\?|\b(?:please|could you|can you|let me know|tell me|need|missing)\b")
_RAW = re.compile(r'^\s*[\[{]|\{\s*"|"[a-z_]+"\s*:')
_SPELLED = {**NUMBER_WORDS, "both": 2, "dozen": 12, "third": 3}


@dataclass(frozen=True)
class Answer:
    """What came back: the text, and the calls by name with their arguments."""

    text: str
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()


def wrong(request: Mapping[str, Any], expected: Expected, answer: Answer) -> str:
    """Why an answer to a request is not right, in a few words; "" if it is.

    `request` is the body of a Chat Completions request; with alternatives the reason is of the
    first.
    """
    ways = expected.get("any_of", [expected])
    reasons = [next(_reasons(request, way, answer), "") for way in ways]
    return "" if "" in reasons else reasons[0]


def _reasons(request: Mapping[str, Any], expected: Expected, answer: Answer) -> Iterator[str]:
    tools = {t["function"]["name"]: t["function"] for t in request.get("tools", ())}
    yield from _calls(expected.get("calls", ()), answer.calls, tools)
    if "json" in expected or "plan" in expected:
        yield from _document(request, expected, answer.text)
    else:
        yield from _words(request, expected, answer.text)


# --- calls --------------------------------------------------------------------------------------


def _calls(
    wanted: Sequence[Expected],
    made: Sequence[tuple[str, Mapping[str, Any]]],
    tools: Mapping[str, Any],
) -> Iterator[str]:
    if len(wanted) != len(made) or any(name not in tools for name, _ in made):
        yield f"calls {[name for name, _ in made]}, wanted {[w['name'] for w in wanted]}"
        return
    found = [
        [reason for want, call in zip(wanted, order, strict=True)
         for reason in _call(want, *call, tools[call[0]].get("parameters", {}))]
        for order in permutations(made)
    ]  # fmt: skip
    yield from min(found, key=len)


def _call(
    want: Expected, name: str, given: Mapping[str, Any], schema: Mapping[str, Any]
) -> Iterator[str]:
    if name not in ([want["name"]] if isinstance(want["name"], str) else want["name"]):
        yield f"calls {name}, not {want['name']}"
        return
    yield from (f"{name}: {reason}" for reason in _misfits(schema, given))
    known, args = schema.get("properties", {}), want.get("args", {})
    default = {k: known.get(k, {}).get("default") for k in {*known, *args, *given}}
    for key, matcher in args.items():
        by_default = key not in given and matcher == [default[key]]
        if not by_default and not (key in given and matches(matcher, given[key])):
            yield f"{name}: {key} is {given.get(key)!r}"
    for key, value in given.items():
        neutral = value in (None, "", [], {}, False) or _same(default[key], value)
        allowed = key in want.get("optional", {}) and matches(want["optional"][key], value)
        if key not in args and not neutral and not allowed:
            yield f"{name}: {key} is {value!r} from nowhere"
    unlike = want.get("unlike", {})
    if unlike and all(_same(v, given.get(k)) for k, v in unlike.items()):
        yield f"{name}: the call that failed, once more"


def _misfits(schema: Mapping[str, Any], value: Any) -> Iterator[str]:
    for error in Draft202012Validator(schema, format_checker=FormatChecker()).iter_errors(value):
        yield f"{error.json_path} does not fit: {error.message[:80]}"


# --- values -------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """A text in small letters with plain quotes, dashes and blanks, without emphasis."""
    text = unicodedata.normalize("NFKC", text)
    for marks, one in (("‘’ʼ", "'"), ("“”", '"'), ("‐‑‒–—−", "-")):
        text = re.sub(f"[{marks}]", one, text)
    return re.sub(r"\s+", " ", re.sub(r"\*\*|__|`", "", text)).strip().casefold()


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", plain(text))


def _same(want: Any, got: Any) -> bool:
    if isinstance(want, bool) or isinstance(got, bool):
        return want is got
    if isinstance(want, str) and isinstance(got, str):
        return plain(want).rstrip(".!") == plain(got).rstrip(".!")
    return bool(want == got)


def _holds(got: Any, *words: str) -> bool:
    return isinstance(got, str) and all(plain(w) in plain(got) for w in words)


def _some(wanted: Any) -> list[Any]:
    return wanted if isinstance(wanted, list) else [wanted]


def _paired(wanted: Sequence[Any], got: Any, fits: Callable[[Any, Any], bool]) -> bool:
    """Whether each of some things has one of its own among others, in whatever order."""
    if not isinstance(got, list) or len(got) != len(wanted):
        return False
    return any(all(map(fits, wanted, order)) for order in permutations(got))


def _fields(wanted: Expected, got: Any) -> bool:
    return isinstance(got, dict) and all(k in got and matches(m, got[k]) for k, m in wanted.items())


MATCHERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "contains": lambda w, got: _holds(got, *_some(w)),
    "contains_any": lambda w, got: any(_holds(got, n) for n in w),
    "regex": lambda w, got: isinstance(got, str) and bool(re.search(w, plain(got))),
    "alnum": lambda w, got: isinstance(got, str) and _letters(got) in map(_letters, _some(w)),
    "each": lambda w, got: isinstance(got, list) and bool(got) and all(matches(w, g) for g in got),
    "any": lambda w, got: got not in (None, "", [], {}),
    "set": lambda w, got: _paired(w, got, matches),
    "rows": lambda w, got: _paired(w, got, _fields),
    "object": _fields,
}  # fmt: skip
"""By name, whether a value is as wanted: a text that holds words or a pattern, letters and digits
alone, every item, anything at all, items or objects in any order, the fields of an object."""


def matches(matcher: Any, got: Any) -> bool:
    """Whether a value is as wanted."""
    if isinstance(matcher, list):
        return any(_same(want, got) for want in matcher)
    if not isinstance(matcher, Mapping):
        return _same(matcher, got)
    [(name, wanted)] = [(k, v) for k, v in matcher.items() if k in MATCHERS]
    return MATCHERS[name](wanted, got)


# --- JSON and plans -----------------------------------------------------------------------------


def _document(request: Mapping[str, Any], expected: Expected, text: str) -> Iterator[str]:
    try:
        value = json.loads(text)
    except ValueError:
        yield f"no JSON: {text[:60]!r}"
        return
    form = request.get("response_format") or {}
    if form.get("type") == "json_schema":
        yield from _misfits(form["json_schema"]["schema"], value)
    told = value if isinstance(value, dict) else {}
    for key, matcher in expected.get("json", {}).items():
        if key not in told or not matches(matcher, told[key]):
            yield f"{key} is {json.dumps(told.get(key), ensure_ascii=False)}"
    if "plan" in expected:
        yield from _plan(expected["plan"], told)


def _plan(wanted: Expected, plan: Mapping[str, Any]) -> Iterator[str]:
    tasks = {str(t["id"]): t for t in plan.get("tasks", ())}
    waits = {k: {*map(str, t["dependencies"])} for k, t in tasks.items()}
    if len(tasks) != len(plan.get("tasks", ())) or any(w - {*tasks} for w in waits.values()):
        yield "ids twice, or of no task"
        return
    try:
        order = [*TopologicalSorter(waits).static_order()]
    except CycleError:
        yield "tasks wait in a circle"
        return
    for place in order:
        waits[place] |= {o for w in waits[place] for o in waits[w]}
    of = {w: [k for k, t in tasks.items() if t["worker_type"] == w]
          for w in (t["worker_type"] for t in tasks.values())}  # fmt: skip
    needed, free = {*wanted["workers"]}, {*wanted.get("workers_optional", ())}
    if needed - {*of} or {*of} - needed - free:
        yield f"workers {sorted(of)}, wanted {sorted(needed)}"
        return
    if len(tasks) > wanted.get("max_tasks", len(tasks)):
        yield f"{len(tasks)} tasks"
    for one, other in wanted.get("before", ()):
        if not any(a in waits[b] for a in of[one] for b in of[other]):
            yield f"{other} does not wait for {one}"
    for one, other in wanted.get("independent", ()):
        if not any(a not in waits[b] and b not in waits[a] for a in of[one] for b in of[other]):
            yield f"{one} and {other} wait for each other"
    told = " ".join([str(plan.get("goal", "")), *(str(t["description"]) for t in tasks.values())])
    yield from (f"no word of {n}" for n in wanted.get("mentions", ()) if not said(n, told))


# --- words --------------------------------------------------------------------------------------


def said(needle: Any, text: str) -> bool:
    """Whether a text says something: words, one of several, a pattern, a date or a time however
    they are written, or a figure by its value."""
    if isinstance(needle, list):
        return any(said(each, text) for each in needle)
    low = plain(text)
    if isinstance(needle, str):
        start = r"\b" if needle[0].isalnum() else ""
        end = r"(?![.,]?\d)" if needle[-1].isdigit() else ""
        return bool(re.search(start + re.escape(plain(needle)) + end, low))
    if "number" in needle:
        return any(float(needle["number"]) in _readings(n) for n in _NUMBER.findall(low))
    if "date" in needle:
        return bool(re.search(_date(date.fromisoformat(needle["date"])), low))
    return bool(re.search(_time(needle["time"]) if "time" in needle else needle["regex"], low))


def _date(day: date) -> str:
    month = _MONTHS[day.month - 1]
    name, nth = rf"{month[:3]}(?:{month[3:]}|{month[3:4]})?\.?", rf"0?{day.day}(?:st|nd|rd|th|\.)?"
    return (rf"(?<!\d)(?:{day.isoformat()}|{nth} (?:of )?{name}\b|{name} (?:the )?{nth}(?!\d)"
            rf"|0?{day.day}[./-]0?{day.month}\b|0?{day.month}/0?{day.day}\b)")  # fmt: skip


def _time(told: str) -> str:
    hour, minute = map(int, told.split(":"))
    minutes = rf"[:.h]{minute:02d}" if minute else r"(?:[:.h]00)?"
    half = rf"{hour % 12 or 12}{minutes} ?{'pa'[hour < 12]}\.?m"
    return rf"(?<![\d:.])(?:0?{hour}[:.h ]{minute:02d}(?!\d)|{half})"


def _readings(number: str) -> set[float]:
    """The values that a written number may have: "84,200", "12,50"."""
    thousands = re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", number)
    found = {float(re.sub("[.,]", "", number))} if thousands else set()
    whole, mark, rest = re.sub(r"[.,](?=.*[.,])", "", number).replace(",", ".").partition(".")
    return found | {float(f"{whole}{mark}{rest}")}


def _known(request: Mapping[str, Any]) -> set[float]:
    """All figures of a conversation: in digits and words, as months, hours and lengths of lists."""
    known = {0.0, 1.0}
    for message in request["messages"]:
        told = [str(message.get("content") or "")]
        told += [c["function"]["arguments"] for c in message.get("tool_calls") or ()]
        for text in told:
            known |= {v for n in _NUMBER.findall(text) for v in _readings(n)}
            known |= {float(part) for n in _NUMBER.findall(text) for part in re.split("[.,]", n)}
            known |= {float(_SPELLED[w]) for w in re.findall(r"\w+", plain(text)) if w in _SPELLED}
            known |= {n + 1.0 for n, m in enumerate(_MONTHS) if m[:3] in plain(text)}
            for hour in map(int, re.findall(r"\b(\d{1,2})[:.]\d\d\b", text)):
                known |= {float(hour % 12 or 12), float(hour % 12 + 12)}
        if message["role"] == "tool":
            known |= {float(n) for n in _lengths(told[0])}
    return known


def _lengths(text: str) -> Iterable[int]:
    try:
        open_to = [json.loads(text)]
    except ValueError:
        return
    for value in open_to:
        if isinstance(value, list):
            yield len(value)
        if isinstance(value, list | dict):
            open_to += value.values() if isinstance(value, dict) else value


def _words(request: Mapping[str, Any], expected: Expected, text: str) -> Iterator[str]:
    demands = [k for k in expected if k.startswith("text_") and k != "text_excludes"]
    if (demands or "no_new_numbers" in expected) and not text.strip():
        yield "says nothing"
    if expected.get("text_prose") and _RAW.search(text):
        yield "raw JSON"
    yield from (f"lacks {n}" for n in expected.get("text_contains_all", ()) if not said(n, text))
    if "text_contains_any" in expected and not said(expected["text_contains_any"], text):
        yield f"has none of {expected['text_contains_any']}"
    yield from (f"says {n}" for n in expected.get("text_excludes", ()) if said(n, text))
    if expected.get("text_asks") and not _ASKS.search(plain(text)):
        yield "does not ask"
    if expected.get("no_new_numbers"):
        known = _known(request) | {float(n) for n in expected.get("numbers_allowed", ())}
        for number in _NUMBER.findall(re.sub(r"(?m)^\s*\d{1,2}[.)]\s+", "", plain(text))):
            parts = re.split("[.,]", number)
            pieces = len(parts) == 3 or re.fullmatch(r"\d{1,2}\.[0-5]\d", number)
            if not (_readings(number) & known or (pieces and {*map(float, parts)} <= known)):
                yield f"{number} from nowhere"
