"""Material: what a message brings along besides the request, such as labelled results.

A message may say what to do ("Task: ..."), what went wrong ("Error: ...") and hand over the work
of others under headings, in brackets, in tags, as list items or as JSON. All of that is data.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any

from course.models.policy.patterns import regex
from course.models.policy.words import cue

_TASK = (
    "task|request|question|user request|original request|original "
    "task|goal|objective|query|instruction|user question|customer request|failed task|your task"
)
_ERROR = (
    "error|failure|previous error|last error|the error before|error before|the last error"
    "|error message|what went wrong|reason for "
    "failure|failure reason|reason|problem"
)
_LABEL = regex(
    rf"^[ \t]{{0,20}}(?:[#*>-]+[ \t]{{0,9}})?(?P<label>{_TASK}|{_ERROR}|context|background"
    r"|constraints?|results?|worker results|task results|results of earlier tasks"
    r"|earlier results|previous results|findings|inputs?|history|conversation|documents?"
    r"|attempts?|previous attempt|shared context|workers?"
    r"|available workers|plan|completed tasks|failed tasks|missing)(?: "
    r"\([^)\n]*\))?\**\s*:\**[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = cue("material.heading", re.MULTILINE)
_FAILED = cue("material.failed")


@dataclass(frozen=True)
class Part:
    """One labelled piece of material; `failed` tells that it reports a failure."""

    label: str
    body: str
    failed: bool = False
    data: Any = None


def fields(text: str) -> dict[str, str]:
    """The labelled fields of a message ("Task: ...", "Error: ..."), keys in lower case."""
    data = _json(text)
    if isinstance(data, Mapping):
        return {
            str(k).lower().replace("_", " "): v
            if isinstance(v, str)
            else json.dumps(v, ensure_ascii=False)
            for k, v in data.items()
        }
    marks = list(_LABEL.finditer(text))
    ends = [*(m.start() for m in marks[1:]), len(text)][: len(marks)]
    found = {
        m["label"].lower(): text[m.end() : end].strip() for m, end in zip(marks, ends, strict=True)
    }
    if marks and text[: marks[0].start()].strip():
        found[""] = text[: marks[0].start()].strip()
    return found


def _any(found: Mapping[str, str], names: str) -> str:
    return next((found[n] for n in names.split("|") if found.get(n)), "")


def task_in(text: str) -> str:
    """The task that a message states under a label, "" when it has none."""
    return _any(fields(text), _TASK)


_PASTED = cue("material.pasted")
"""Where a message goes on with a text that somebody else wrote."""


def task_and_rest(text: str) -> tuple[str, str]:
    """A message as the task it states and the material it brings along (often "")."""
    if _json(text) is not None:
        return task_in(text) or text, text
    pasted = _PASTED.search(text)
    if pasted and _WORDS.search(text[: pasted.start()]):
        return text[: pasted.start()].strip(), text[pasted.end() :].strip()
    marks = list(_LABEL.finditer(text))
    task = task_in(text) or (text[: marks[0].start()].strip() if marks else "")
    return (task, text) if task and marks else (text, "")


_WORDS = regex(r"^\W*[A-Za-z'’]+,? [A-Za-z'’]{2,}")  # at least two words, no amount


def opened(text: str) -> tuple[str, str, Mapping[str, Any]]:
    """A message as its task, the material it brings along, and the facts it gives as JSON."""
    data = _json(text)
    if not isinstance(data, Mapping) or not data:
        return (*task_and_rest(text), {})
    words = [v for v in data.values() if isinstance(v, str) and _WORDS.search(v)]
    task = task_in(text) or (words[0] if len(words) == 1 else "") or _in_words(data)
    return task, text, flat_facts(data, task)


def _in_words(data: Mapping[str, Any]) -> str:
    """JSON fields as words."""
    return "; ".join(f"{str(k).replace('_', ' ')}: {_flat(v)}" for k, v in data.items())


_STATE = regex(r"(?m)^\s*Known so far:\s*(\{.*\})\s*$")


def state_in(instructions: str) -> tuple[str, Mapping[str, Any]]:
    """Instructions without the line that tells what is known, and what it tells."""
    match = _STATE.search(instructions)
    data = _json(match.group(1)) if match else None
    if match is None or not isinstance(data, Mapping):
        return instructions, {}
    bare = (instructions[: match.start()] + instructions[match.end() :]).strip()
    return bare, flat_facts(data)


def flat_facts(data: Mapping[str, Any], task: str = "") -> dict[str, Any]:
    """Facts by name, those of inner objects among them where no other has the name."""
    found = {str(k): v for k, v in data.items() if v != task and v is not None}
    for value in data.values():
        if isinstance(value, Mapping):
            for key, inner in value.items():
                found.setdefault(str(key), inner)
    return found


def error_in_text(text: str) -> str:
    """The error that a message states under a label, "" when it has none."""
    return _any(fields(text), _ERROR)


def _json(text: str) -> Any:
    stripped = text.strip().removeprefix("```json").strip("`").strip()
    if not stripped.startswith(("{", "[")):
        return None
    try:
        return read_json(stripped)
    except ValueError:
        return None


_DEEPEST = 50
"""Brackets within one another that are read; deeper ones nobody reads."""


def read_json(text: str) -> Any:
    """The data in JSON text. Raises ValueError for what is none, what holds a number that none is
    ("NaN", "1e999"), and what is nested too deeply to be told."""
    return _DECODER.decode(_shallow(text))


def _shallow(text: str) -> str:
    depths = accumulate(1 if c in "[{" else -1 for c in re.findall(r"[\[\]{}]", text))
    if max(depths, default=0) > _DEEPEST:
        raise ValueError("nested too deeply")
    return text


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text} is no number")
    return number


_DECODER = json.JSONDecoder(parse_constant=_finite, parse_float=_finite)


def _embedded(text: str) -> Any:
    """The first JSON object or list inside a text."""
    for match in re.finditer(r"(?m)^\s*[\[{]|(?<=[:\n ])[\[{]", text):
        try:
            found, end = _DECODER.raw_decode(rest := text[match.start() :].lstrip())
            _shallow(rest[:end])
        except (ValueError, RecursionError):
            continue
        if isinstance(found, list | dict) and found:
            return found
    return None


_KEYS = ("from", "who", "task_id", "task", "id", "worker", "agent", "name", "label", "source")
_BODIES = (
    "result",
    "output",
    "answer",
    "text",
    "content",
    "value",
    "summary",
    "error",
    "reason",
    "message",
)


def _from_record(record: Mapping[str, Any], name: str) -> Part:
    label = next((str(record[k]) for k in _KEYS if isinstance(record.get(k), str | int)), name)
    worker = record.get("worker") or record.get("agent")
    if worker and str(worker) != label:
        label = f"{label} ({worker})"
    error = record.get("error")
    state = str(record.get("status") or record.get("state") or "").lower().replace("_", " ")
    failed = bool(error) or bool(_LACKS.fullmatch(state))
    body = (
        error
        if failed and error
        else next((record[k] for k in _BODIES if record.get(k) not in (None, "")), None)
    )
    return Part(label, _flat(body), failed or body is None, body)


def _flat(value: Any) -> str:
    from course.models.policy.lines import inline

    return "" if value is None else inline(value)


def _holds_results(key: str, value: Any) -> bool:
    """Whether a field holds all results: by its name, or as a list of objects with a text each."""
    if key in ("results", "tasks", "outputs", "workers", "answers"):
        return isinstance(value, list | Mapping)
    records = value if isinstance(value, list) else []
    return bool(records) and all(isinstance(r, Mapping) and {*r} & {*_BODIES} for r in records)


def _from_json(data: Any) -> list[Part]:
    if isinstance(data, Mapping):
        inner = next((v for k, v in data.items() if _holds_results(k, v)), None)
        if inner is not None:
            return _from_json(inner)
        return [
            _from_record(v, str(k))
            if isinstance(v, Mapping) and any(x in v for x in (*_BODIES, "status"))
            else Part(str(k), _flat(v), v is None or bool(_FAILED.search(_flat(v))), v)
            for k, v in data.items()
        ]
    if isinstance(data, list):
        return [
            _from_record(v, f"result {n}") for n, v in enumerate(data, 1) if isinstance(v, Mapping)
        ]
    return []


def _label(match: re.Match[str]) -> str:
    raw = next((g for g in match.groups() if g is not None), "")
    told = {k: v for k, v in _ATTRIBUTE.findall(raw) if k not in ("state", "status")}
    named = next((told[k] for k in _NAMING if k in told), next(iter(told.values()), None))
    return _SPEAKS.sub("", (named or _ATTRIBUTE.sub("", raw)).strip().strip("*:` "))


_SPEAKS = regex(r"\s+(?:says?|said|reports?|writes?|wrote|notes?)$", re.IGNORECASE)


_ATTRIBUTE = regex(r"([\w-]+)\s*=\s*[\"']([^\"']+)[\"']")
_NAMING = ("id", "worker", "name", "task", "from", "source", "by", "agent")
_KINDS = "xyhebsltpqc"  # headings, the most conspicuous first


def _written(text: str) -> str:
    """A text with its labels at the beginnings of lines, one a line, and without frames."""
    for form, plain in _FORMS:
        text = form.sub(plain, text)
    return text.strip()


_FORMS = tuple((regex(form, re.MULTILINE), plain) for form, plain in (
    (r"(?<=>)(?=<[a-z])", "\n"),  # one tag after another
    (r"(?<=[.!?;]) (?=[A-Z]{3,}: )", "\n"),  # TASK: ... ERROR: ...
    (r"^\|.*\n\|[ :|-]+\|$\n?|^\|[ \t]*|[ \t]*\|$", ""),  # a table's head and borders
    (r"^(?:From|By|Source|Sender|Agent|Worker): ([^\n:]{2,40})\n", r"\1: "),
    (r"^(?:[-*•]|\d+[.)])[ \t]+(?=\[[^\]\n]{2,80}\]|\*\*[^*\n]{2,80}\*\*)", ""),  # 1. [site] ...
    (r"^(?:[@#]|\w+(?=\[))\[?([\w -]{2,40})\]?(?=:)", r"\1"),  # @kitchen: out[kitchen]:
))  # fmt: skip


def _blocks(text: str) -> Iterator[Part]:
    text = _written(text)
    marks = list(_HEADING.finditer(text))
    kinds = [m.lastgroup for m in marks]
    # Headings of the most conspicuous kind cut the text; lesser ones stay inside the pieces.
    kind = next(
        (k for k in _KINDS if kinds.count(k) >= (1 if k == "x" else 2)),
        kinds[0] if kinds else None,
    )
    chosen = [m for m in marks if m.lastgroup == kind]
    ends = [*(m.start() for m in chosen[1:]), len(text)][: len(chosen)]
    for match, end in zip(chosen, ends, strict=True):
        whole = text[match.end() : end]
        inside = re.split(r"</" if kind in ("x", "y") else r"\n" if kind == "t" else r"\Z", whole)[
            0
        ]
        label, body = _STATUS.sub("", _label(match)).strip(), unmarked(inside)
        if label.isdigit() and (named := _NAMED.match(body)):  # [1] store: what it says
            label, body = named[1], body[named.end() :]
        state = _STATUS.search(match.group())
        data = _json(body)
        if isinstance(data, Mapping) and ("status" in data or "error" in data):
            yield _from_record(data, _label(match))
        elif body or state:
            failed = bool(state and _LACKS.fullmatch(next(filter(None, state.groups()))))
            told = data is None and bool(
                _GAP.search(re.split(r"(?<=[.!?])\s", body, maxsplit=1)[0])
            )
            yield Part(
                label,
                body if data is None else _flat(data),
                failed or told or bool(_FAILED.search(body[:160])),
                data,
            )


_GAP = cue("material.gap")
_NAMED = regex(r"([^:.\n]{2,40}):\s+(?=\S)")


def question_in(text: str) -> str:
    """The question that the results in a text are to answer: what stands under a label for it, or
    the first labelled piece where that asks; "" if nothing does."""
    data = _json(text)
    told = data.values() if isinstance(data, Mapping) else (p.body for p in _blocks(text))
    first = next((t for t in told), "")
    asked = isinstance(first, str) and first.endswith("?")
    return task_in(text) or (str(first) if asked else "")


def failed_task(text: str) -> tuple[str, str, str] | None:
    """A task that failed, what was said against it, and what somebody adds, each by its label or
    else by its place; None where a text does not consist of such pieces."""
    found = [p for p in _pieces(text) if not _TRIES.match(p.label)]
    if len(found) < 2:
        told = _TOLD_WHY.search(text)
        return (told["task"], told["why"], told["notes"].strip()) if told else None
    named = [p for p in found if _named(p, _TASK) or _named(p, _OLD)]
    task = next((p for p in named if not _BOUNCED.search(p.label)), (*named, found[0])[0])
    if not named and (quoted := _QUOTED_LINE.search(before_labels(text))):
        task = Part("", quoted[1])
    rest = [p for p in found if p is not task]
    blamed = [p for p in rest if _named(p, _ERROR) or _BOUNCED.search(p.label)]
    error = (*blamed, rest[0])[0]
    notes = (p.body for p in rest if p is not error)
    return task.body, error.body, "\n".join(notes)


_QUOTED_LINE = regex(r"^>\s*(\S.*)$", re.MULTILINE)
_TOLD_WHY = regex(
    r"\b(?:reject|refus|declin|return|sent back|turn|fail|bounc)\w*[^“\"”.]{0,40}"
    r"[“\"](?P<task>[^“\"”]+)[”\"][^.“\"]{0,30}?(?:\bbecause\b|\bsince\b|\bas\b|:) "
    r"(?P<why>[^\n]+?[.!])(?P<notes>(?:\s.*)?)$",
    re.IGNORECASE | re.DOTALL,
)
"""A task that failed and why, told in a sentence: 'They refused "..." because ...'."""


def before_labels(text: str) -> str:
    """What a text says before its first label: what is to be done with what stands under them."""
    first = _HEADING.search(text)
    return text[: first.start()] if first else text


def _pieces(text: str) -> list[Part]:
    """The pieces that a text consists of: the fields of its JSON, or all that stands under labels
    from the first on."""
    data = _json(text) or _embedded(text)
    if data:
        told = data.items() if isinstance(data, Mapping) else ()
        stated = [Part(str(k), said) for k, v in told if (said := _said(v))]
        return stated if any(_named(p, f"{_TASK}|{_OLD}") for p in stated) else []
    found, first = list(_blocks(text)), _HEADING.search(_written(text))
    opens = bool(first and found and _STATUS.sub("", _label(first)).strip() == found[0].label)
    return found if opens and len(found) > 1 else []


def _said(value: Any) -> str:
    """What a field of JSON says in words: of an object its text, of a list all its texts."""
    if isinstance(value, Mapping):
        return max((v for v in value.values() if isinstance(v, str)), key=len, default="")
    if isinstance(value, list):
        return "; ".join(filter(None, map(_said, value)))
    return value if isinstance(value, str) else ""


_OLD = (
    r"(?:the )?(?:(?:old|original|first|last|previous|given) )?(?:task|job|order|step|ticket|text)"
)
_BOUNCED = cue("speech.bounced")


def _named(part: Part, names: str) -> bool:
    return bool(re.fullmatch(names, part.label.replace("_", " "), re.IGNORECASE))


_TRIES = regex(r"(?:attempt|try|tries|retry|worker|agent|id)\b", re.IGNORECASE)
_HEADLINE = regex(r"(?m)^#+ +([^\n]*?)[\s:]*$")
_MARKUP = regex(r"</?\w+>|[✔✓✘✗✅❌]\s*|\*\*|__|`")


def unmarked(text: str) -> str:
    """A text without markup; what was a headline ends with a colon."""
    return _MARKUP.sub("", _HEADLINE.sub(r"\1:", text)).strip()


_STATUS = regex(
    r"\s*(?:\((?P<state>done|ok|finished|empty|failed|error|timeout|skipped|missing)\)"
    r"|\bstat(?:us|e)=[\"'](?P<other>\w+)[\"']|[|;]\s*(?P<column>[a-z ]+?)\s*[|;])"
)
_LACKS = regex(
    r"empty|failed|error|time(?:d )?-?out|skipped|missing|cancelled|none|unavailable|open"
    r"|no (?:result|answer|reply)"
)


@lru_cache(maxsize=500)
def parts(text: str) -> tuple[Part, ...]:
    """The labelled results in a text, in order."""
    data = _json(text)
    labelled = tuple(_blocks(text)) if data is None else ()
    found = _from_json(data if data is not None else _embedded(text))
    inside = any(p.data is not None for p in labelled) and len(labelled) > len(found)
    if not inside and (len(found) > 1 or (found and data is not None)):
        return tuple(found)
    known = fields(text)
    body = next(
        (
            v
            for k, v in known.items()
            if "result" in k or k in ("findings", "inputs", "input", "completed tasks")
        ),
        "",
    )
    blocks = [
        p
        for p in _blocks(body or text)
        if not _LABEL.match(f"{p.label}:") or p.label.lower().startswith(("task ", "worker "))
    ]
    return tuple(blocks[1:] if blocks and blocks[0].body.endswith("?") else blocks)
