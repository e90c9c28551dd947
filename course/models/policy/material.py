"""Material: what a message brings along besides the request, such as labelled results.

A message may say what to do ("Task: ..."), what went wrong ("Error: ...") and hand over the work
of others under headings, in brackets, in tags, as list items or as JSON. All of that is data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from course.models.policy.wordlists import cue

_TASK = (
    "task|request|question|user request|original request|original "
    "task|goal|objective|query|instruction|user question|customer request|failed task|your task"
)
_ERROR = (
    "error|failure|previous error|last error|the error before|error before|the last error"
    "|error message|what went wrong|reason for "
    "failure|failure reason|reason|problem"
)
_LABEL = re.compile(
    rf"^[ \t]*[#*>-]*[ \t]*(?P<label>{_TASK}|{_ERROR}|context|background|constraints?|results?"
    rf"|worker results|task results|results of earlier tasks"
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


def task_and_rest(text: str) -> tuple[str, str]:
    """A message as the task it states and the material it brings along (often "")."""
    if _json(text) is not None:
        return task_in(text) or text, text
    marks = list(_LABEL.finditer(text))
    task = task_in(text) or (text[: marks[0].start()].strip() if marks else "")
    return (task, text) if task and marks else (text, "")


_WORDS = re.compile(r"^\W*[A-Za-z'’]+,? [A-Za-z'’]{2,}")  # at least two words, no amount


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


_STATE = re.compile(r"(?m)^\s*Known so far:\s*(\{.*\})\s*$")


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
        return json.loads(stripped)
    except (ValueError, RecursionError):
        return None


def _embedded(text: str) -> Any:
    """The first JSON object or list inside a text."""
    for match in re.finditer(r"(?m)^\s*[\[{]|(?<=[:\n ])[\[{]", text):
        try:
            found, _ = json.JSONDecoder().raw_decode(text[match.start() :].lstrip())
        except (ValueError, RecursionError):
            continue
        if isinstance(found, list | dict) and found:
            return found
    return None


_KEYS = ("task_id", "task", "id", "worker", "agent", "name", "label", "source")
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
    state = str(record.get("status", "")).lower()
    failed = bool(error) or state in (
        "failed",
        "error",
        "timeout",
        "timed_out",
        "skipped",
        "cancelled",
    )
    body = (
        error
        if failed and error
        else next((record[k] for k in _BODIES if record.get(k) not in (None, "")), None)
    )
    return Part(label, _flat(body), failed or body is None, body)


def _flat(value: Any) -> str:
    from course.models.policy.lines import inline

    return "" if value is None else inline(value)


def _from_json(data: Any) -> list[Part]:
    if isinstance(data, Mapping):
        inner = next(
            (
                v
                for k, v in data.items()
                if k in ("results", "tasks", "outputs", "workers", "answers")
                and isinstance(v, list | Mapping)
            ),
            None,
        )
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
    named = re.search(r"(?:id|worker|name|task|from|source|by|agent)\s*=\s*[\"']([^\"']+)", raw)
    return (named.group(1) if named else raw).strip().strip("*:` ")


def _blocks(text: str) -> Iterator[Part]:
    marks = list(_HEADING.finditer(text))
    kinds = [m.lastgroup for m in marks]
    # Headings of the most conspicuous kind cut the text; lesser ones stay inside the pieces.
    kind = next(
        (k for k in ("x", "h", "b", "s", "l", "p") if kinds.count(k) >= (1 if k in "x" else 2)),
        kinds[0] if kinds else None,
    )
    chosen = [m for m in marks if m.lastgroup == kind]
    ends = [*(m.start() for m in chosen[1:]), len(text)][: len(chosen)]
    for match, end in zip(chosen, ends, strict=True):
        body = unmarked(text[match.end() : end])
        state = _STATUS.search(match.group())
        data = _json(body)
        if isinstance(data, Mapping) and ("status" in data or "error" in data):
            yield _from_record(data, _label(match))
        elif body:
            failed = bool(state and _LACKS.fullmatch(state["state"] or state["other"]))
            yield Part(
                _STATUS.sub("", _label(match)).strip(),
                body if data is None else _flat(data),
                failed or bool(_FAILED.search(body[:160]) or _NOTHING.fullmatch(body)),
                data,
            )


_HEADLINE = re.compile(r"(?m)^#+ +([^\n]*?)[\s:]*$")
_MARKUP = re.compile(r"</?\w+>|\*\*|__|`")


def unmarked(text: str) -> str:
    """A text without markup; what was a headline ends with a colon."""
    return _MARKUP.sub("", _HEADLINE.sub(r"\1:", text)).strip()


_STATUS = re.compile(
    r"\s*(?:\((?P<state>done|ok|finished|empty|failed|error|timeout|skipped|missing)\)"
    r"|\bstatus=[\"'](?P<other>\w+)[\"'])"
)
_LACKS = re.compile(r"empty|failed|error|timeout|skipped|missing")
_NOTHING = re.compile(
    r"\W*(?:no (?:answer|reply|result|response|data)\b[^.]*|empty|nothing)?\W*",
    re.IGNORECASE,
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
    return tuple(blocks)
