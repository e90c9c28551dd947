"""A session: what it holds, what a file of it keeps, and what a bad file is answered with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.context import Context
from course.errors import ConfigurationError, FileFormatError
from course.session import Frame, Session, Ticket, ToolAttempt, state

CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
ASKED: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [CALL]}
FOUND: dict[str, Any] = {"role": "tool", "tool_call_id": "c1", "content": "found"}


def talked() -> Session:
    """A session with something in every field."""
    session = Session("hub", state={"patient": {"id": "P-1", "seen": [1, None, 2.5]}})
    session.add({"role": "user", "content": "Who am I? Zoë"}, ASKED, FOUND)
    tried = (
        ToolAttempt("hub", "find({})", "found"),
        ToolAttempt("hub", "mend()", "no", failed=True),
    )
    session.attempts = tried
    session.frames = (Frame("hub", "billing", session.context, ASKED, (), "c1", 3),)
    session.ticket = Ticket("T-1", "hub", "stuck", "Who am I?", tried, {"a": 1}, session.history)
    session.calls, session.entered = 4, 1
    return session


def test_a_file_keeps_everything(tmp_path: Path) -> None:
    session = talked()
    path = session.save(tmp_path / "session.json")
    assert Session.load(path) == session


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=4), st.lists(TEXTS, max_size=4))
def test_any_state_and_any_words_survive(known: dict[str, Any], said: list[str]) -> None:
    session = Session("hub", state=known)
    for text in said:
        session.add({"role": "user", "content": text}, {"role": "assistant", "content": text})
    assert Session.from_json(session.to_json()) == session


def test_what_an_agent_said_carries_its_name_in_the_history_alone() -> None:
    session = Session("hub")
    session.add({"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."})
    assert [m.get("name") for m in session.history] == [None, "hub"]
    assert [m.get("name") for m in session.context.messages] == [None, None]
    assert session.request == "Hello."
    assert Session("hub").request == ""


def test_tools_reach_the_running_sessions_state() -> None:
    session = Session("hub")
    with session.running():
        state()["known"] = 1
    assert session.state == {"known": 1}


def test_outside_a_session_there_is_no_state() -> None:
    with pytest.raises(ConfigurationError, match="no session is running here"):
        state()


@pytest.mark.parametrize("value", [{1, 2}, {1: "x"}, (1, 2), object(), {"deep": {3: 4}}, b"x"])
def test_a_state_that_is_no_json_is_named(value: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"state\['odd'\] cannot be saved as JSON"):
        Session("hub", state={"odd": value}).to_json()


def changed(**fields: Any) -> str:
    return json.dumps({**json.loads(talked().to_json()), **fields})


DEEP = "[" * 100_000
BAD = {
    "no JSON": ("{", "not JSON at line 1, column 2"),
    "too deep": (DEEP, "start a new session"),
    "no object": ("[]", "is none: save one with session.save(path)"),
    "another file": ('{"format": "switchboard-trace"}', "is none: save one"),
    "another version": (
        changed(version=2),
        "has version 2; this course reads version 1: start a new session",
    ),
    "no version": (changed(version=None), "has version None; this course reads version 1"),
    "wrong type": (changed(active=3), "active: Input should be a valid string"),
    "missing field": (changed(frames=[{"agent": "hub"}]), "frames[0].asked: Field required"),
    "a call without its result": (
        changed(context={"messages": [{"role": "user", "content": "x"}, ASKED]}),
        "context: An assistant message with 'tool_calls' must be followed",
    ),
    "a result without its call": (
        changed(context={"messages": [FOUND]}),
        "context: ",
    ),
    "a message without a role": (changed(history=[{"content": "x"}]), "history: no role"),
    "a frame that waits for another call": (
        changed(
            frames=[
                {
                    "agent": "hub",
                    "asked": "billing",
                    "context": {"messages": []},
                    "message": ASKED,
                    "answers": [],
                    "call_id": "c2",
                    "since": 3,
                }
            ]
        ),
        "frames[0]: ",
    ),
}


@pytest.mark.parametrize(("text", "told"), BAD.values(), ids=BAD)
def test_a_bad_file_is_answered_in_one_line(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileFormatError) as caught:
        Session.load(path)
    message = str(caught.value)
    assert message.startswith(f"session file {path}")
    assert told in message
    assert "\n" not in message
    assert message.lower().rstrip(".").endswith(("start a new session", "session.save(path)"))


def test_a_file_that_is_no_text_is_answered_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(FileFormatError, match="not text at byte 0; start a new session"):
        Session.load(path)


def test_a_missing_file_is_the_systems_own_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Session.load(tmp_path / "none.json")


def test_what_the_person_said_comes_after_what_it_answers() -> None:
    session = Session("billing", context=Context())
    session.note({"role": "user", "content": "one"}, ASKED)
    place = len(session.history)
    session.note({"role": "user", "content": "again"})  # after a failure, so it answers nothing
    session.note({"role": "assistant", "content": "Who?"}, {"role": "user", "content": "Ada"})
    assert [m["content"] for m in session.said_since(place)] == ["again", "Who?", "Ada"]
