"""The sets of test requests are JSON with one request a line, written by one function."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests import sets


def once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """A mapping whose keys each stand there once: of two, `json.loads` would drop the first."""
    found = dict(pairs)
    assert len(found) == len(pairs), [key for key, _ in pairs]
    return found


@pytest.mark.parametrize("path", sets.paths(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_set_has_one_request_a_line(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = json.loads(text, object_pairs_hook=once)
    assert text == sets.laid_out(found), "write it so: python -m tests.sets"


def test_what_requests_share_stands_in_lines_of_its_own() -> None:
    tool = {"name": "mend", "parameters": {"type": "object", "required": []}}
    case = {"id": "a-1", "say": "Mend “it”,\nplease", "calls": [[{"name": "mend"}]]}
    block = {"domain": "bikes", "results": {}, "tools": [tool], "cases": [case, case]}
    written = json.dumps(case, ensure_ascii=False)
    assert sets.laid_out([block]).splitlines() == [
        "[",
        " {",
        '  "domain": "bikes",',
        '  "results": {},',
        '  "tools": [',
        f"   {json.dumps(tool)}",
        "  ],",
        '  "cases": [',
        f"   {written},",
        f"   {written}",
        "  ]",
        " }",
        "]",
    ]
    flat = [{"id": "a-1", "request": {"messages": [], "tools": [tool]}}]
    assert sets.laid_out(flat).splitlines() == ["[", f" {json.dumps(flat[0])}", "]"]
    for found in ([block], flat, {"about": "bikes", "domains": [block]}, {}, []):
        assert json.loads(sets.laid_out(found)) == found


def test_a_digest_is_of_what_a_set_holds() -> None:
    found = [{"id": "a-1", "say": "Büro"}]
    again = json.loads(json.dumps(found, indent=4))
    assert sets.digest(again) == sets.digest(found)
    assert sets.digest([{**found[0], "say": "Buro"}]) != sets.digest(found)
