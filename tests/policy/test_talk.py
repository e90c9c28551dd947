"""Talk measured by kind on sets of its own: of each, one half was open while rules were made, and
the other half was looked at by its number only. The least numbers are those measured then."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from course.models.wire import ToolSpec
from tests.policy.cases import HERE
from tests.policy.teamwork import TEXT, ask, schema_of

GREETS = {"role": "system", "content": "You greet callers and pass them on to a specialist."}


_REASON = schema_of({"reason": TEXT})


def _blocks(name: str, kept: bool) -> Iterator[Mapping[str, Any]]:
    blocks = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return (b for b in blocks if b["kept"] is kept)


def _transferred(agents: Mapping[str, str], said: str) -> list[str]:
    doors = tuple(
        ToolSpec(
            f"transfer_to_{name}", f"Hand over to {name}: {about}.", schema_of({"reason": TEXT})
        )
        for name, about in agents.items()
    )
    reply = ask([GREETS, {"role": "user", "content": said}], doors)
    return [c.name.removeprefix("transfer_to_") for c in reply.calls]


def _named(agents: Mapping[str, str], said: str) -> list[str]:
    lines = "\n".join(f"- {name}: {about}" for name, about in agents.items())
    told = f"Decide which specialist answers a request. Specialists:\n{lines}"
    schema = schema_of({"agent": {"type": "string", "enum": [*agents]}})
    messages = [{"role": "system", "content": told}, {"role": "user", "content": said}]
    reply = ask(messages, (), response_format="json_schema", schema=schema)
    return [json.loads(reply.text or "{}").get("agent")]


@pytest.mark.parametrize(
    ("way", "kept", "least"),
    [(_transferred, False, 18), (_transferred, True, 16), (_named, False, 18), (_named, True, 17)],
)
def test_one_sentence_reaches_the_right_one_of_three_specialists(
    way: Any, kept: bool, least: int
) -> None:
    cases = [
        (block["agents"], *each)
        for block in _blocks("specialists", kept)
        for each in block["requests"]
    ]
    right = [said for agents, said, who in cases if way(agents, said) == [who]]
    assert len(cases) == 20
    assert len(right) >= least, sorted(said for _, said, _ in cases if said not in right)
