"""Items of a LiveKit history as its `ChatContext.to_dict` writes them, for exercises of chapter 13.

Plain values, so that whoever judges them need not load LiveKit.
"""

from __future__ import annotations

from graders.exercises.kit import *

Item = dict[str, Any]
ASKED = ("Who are you, please?", "Since when?", "How bad is it?", "Which day suits you?")
SAID = ("I am Ada.", "Since Monday.", "It is mild.", "On Friday.", "In the morning.", "Yes.")


def message(role: str, text: str, *, interrupted: bool = False) -> Item:
    """Something that was said, or that an agent is told."""
    said = {"id": f"item_{role}", "type": "message", "role": role, "content": [text]}
    return {**said, "interrupted": interrupted}


def called(draw: random.Random) -> list[Item]:
    """A call and its result."""
    id = f"call_{draw.randrange(10**6)}"
    call = {"type": "function_call", "call_id": id, "name": "find_slots", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": id, "name": "find_slots"}
    return [call, {**result, "output": f"{draw.randrange(2, 9)} slots", "is_error": False}]


def notes() -> list[Item]:
    """What LiveKit notes beside what is said."""
    moved = {"type": "agent_handoff", "old_agent_id": "operator", "new_agent_id": "accounts"}
    return [moved, {"type": "agent_config_update", "instructions": None, "tools_added": ["pay"]}]


def dialogue(draw: random.Random, many: int) -> list[Item]:
    """So many questions, each with an answer; the person begins with a word of greeting."""
    said = [message("user", f"Hello, this is call {draw.randrange(1000)}.")]
    for place in range(many):
        said.append(message("assistant", f"{ASKED[place % len(ASKED)]} ({place})"))
        said.append(message("user", f"{draw.choice(SAID)} ({place})"))
    return said
