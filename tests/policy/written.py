"""Documents as people write them, each with a schema to be filled and what is right: mails, calls,
chats, notes and forms of trades that no other set has. Those of the part "train" are what the
reader's weights for fields are trained on beside the generated ones."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from openai import AsyncOpenAI

from course.models.names import SMALL
from tests.policy.cases import HERE


@dataclass(frozen=True)
class Written:
    """A text with the schema to be filled from it, and what is right in each field: a value, `any`
    of several, or a text that `contains` some words."""

    trade: str
    part: str
    instructions: str
    text: str
    schema: Mapping[str, Any]
    right: Mapping[str, Any]


def written(part: str) -> Iterator[Written]:
    """The documents of a part: "train" or "validation"."""
    found = json.loads((HERE / "natural_documents.json").read_text(encoding="utf-8"))
    return (Written(**each) for each in found if each["part"] == part)


def is_right(wanted: Any, got: Any) -> bool:
    """Whether a field is right: text without regard to case, numbers by value, lists in any
    order."""
    if isinstance(wanted, Mapping) and "any" in wanted:
        return any(is_right(w, got) for w in wanted["any"])
    if isinstance(wanted, Mapping) and "contains" in wanted:
        return isinstance(got, str) and all(w.lower() in got.lower() for w in wanted["contains"])
    if isinstance(wanted, Mapping):
        return isinstance(got, Mapping) and all(is_right(w, got.get(k)) for k, w in wanted.items())
    if isinstance(wanted, list):
        left = list(got) if isinstance(got, list) else []
        for each in wanted:
            found = next((n for n, g in enumerate(left) if is_right(each, g)), None)
            if found is None:
                return False
            left.pop(found)
        return not left and isinstance(got, list)
    if isinstance(wanted, str) and isinstance(got, str):
        return wanted.casefold().rstrip(".") == got.casefold().rstrip(".")
    return isinstance(wanted, bool) == isinstance(got, bool) and bool(wanted == got)


def wrong_in(client: AsyncOpenAI, document: Written) -> list[str]:
    """The names of the fields that are filled wrong."""
    form = {"name": "form", "schema": dict(document.schema)}
    answer = asyncio.run(
        client.chat.completions.create(
            model=SMALL,
            messages=[
                {"role": "system", "content": document.instructions},
                {"role": "user", "content": document.text},
            ],
            response_format={"type": "json_schema", "json_schema": form},
        )
    )
    got = json.loads(answer.choices[0].message.content or "{}")
    return [name for name, value in document.right.items() if not is_right(value, got.get(name))]
