"""Who answers a chat request: a simulated model, an endpoint, a script or a recording.

`connect()` returns a real `openai.AsyncOpenAI`; everything else here is for what stands behind it.
"""

from __future__ import annotations

from course.models.connect import connect
from course.models.draws import Draws
from course.models.names import LARGE, NAMES, SMALL
from course.models.replay import Replay
from course.models.scripted import Scripted
from course.models.wire import ApiError, Call, ChatRequest, Key, Reply, ToolSpec

__all__ = [
    "LARGE",
    "NAMES",
    "SMALL",
    "ApiError",
    "Call",
    "ChatRequest",
    "Draws",
    "Key",
    "Replay",
    "Reply",
    "Scripted",
    "ToolSpec",
    "connect",
]
