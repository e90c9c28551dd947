"""Interview: finding out in a free chat what the instructions list, and summing it up."""

from __future__ import annotations

import re
from typing import Any

from course.models.policy.conversation import Talk
from course.models.policy.exchanges import asking, exchanges, question_for
from course.models.policy.lines import inline
from course.models.policy.params import params
from course.models.policy.replies import gathered
from course.models.policy.schemas import Schema
from course.models.policy.wordlists import cue
from course.models.policy.words import tokens
from course.models.wire import ChatRequest

_LISTED = cue("interview.listed", re.IGNORECASE | re.DOTALL)
_CHOICES = re.compile(r"\(([^()]+(?:,| or )[^()]+)\)")
SUM = "In sum: "


def _items(instructions: str) -> list[str]:
    """What the instructions want to be found out, thing by thing."""
    match = _LISTED.search(instructions)
    if not match:
        return []
    text = match["items"]
    cut = (
        r"\s*(?:;|\n)\s*(?:[-*•]|\d+[.)])?\s*" if re.search(r"[;\n]", text) else r",\s*(?![^(]*\))"
    )
    found = [re.sub(r"^(?:and |[-*•]\s*)", "", t.strip()) for t in re.split(cut, text)]
    return [f.strip(" .") for f in found if tokens(f)]


def interview_schema(instructions: str) -> Schema | None:
    """The things to find out as the fields of a form, None when nothing is listed."""
    items = _items(instructions)
    if len(items) < 2:
        return None
    properties = {_name(i): {"type": "string", "description": i, **_choices(i)} for i in items}
    return {"type": "object", "properties": properties, "required": [*properties]}


def _name(item: str) -> str:
    bare = re.sub(r"\(.*?\)", "", item)
    return "_".join(t.text.lower() for t in tokens(bare)[:6]).replace("'", "").replace("-", "_")


def _choices(item: str) -> dict[str, Any]:
    match = _CHOICES.search(item)
    if not match or re.search(r"\b(?:such as|e\.g\.|for example)\b", match[1]):
        return {}
    options = [o.strip() for o in re.split(r",\s*(?:or\s+)?|\s+or\s+", match[1])]
    return {"enum": options} if all(len(o.split()) <= 3 for o in options) else {}


def interview(request: ChatRequest, talk: Talk) -> str | None:
    """What is said next in such a chat: a question, the sum, or a goodbye; None when it is none."""
    schema = interview_schema(talk.instructions)
    if schema is None or request.tools or request.response_format != "text":
        return None
    said = exchanges(request.messages)
    wanted = params(schema)
    known = gathered(wanted, said, schema, talk.today)
    missing = next((p for p in wanted if p.name not in known), None)
    if missing is not None:
        return question_for(missing)
    told = [f"{re.sub('^the ', '', asking(p))}: {inline(known[p.name])}" for p in wanted]
    return f"{SUM}{'; '.join(told)}."
