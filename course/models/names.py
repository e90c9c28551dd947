"""The model names of the course, in one place.

The simulated model serves both. At a real endpoint they stand for whatever COURSE_MODEL and
COURSE_MODEL_SMALL name, so no chapter ever spells out a vendor's model. Where a program from
elsewhere does, one of them can answer in its place.
"""

from __future__ import annotations

import re

SMALL = "switchboard-small"
LARGE = "switchboard-large"
NAMES = (SMALL, LARGE)

_OTHERS = re.compile(
    r"(?:[\w.-]+/)+[\w.:-]+|(?:chatgpt|claude|command|deepseek|gemini|gemma|gpt|grok|kimi|llama"
    r"|mistral|mixtral|o\d|phi|qwen)(?:[-.:\d][\w.:-]*)?",
    re.IGNORECASE,
)
_LITTLE = re.compile(
    r"(?<![a-z])(?:mini|nano|micro|tiny|small|lite|flash|haiku|instant|\d{1,2}b)(?![a-z])",
    re.IGNORECASE,
)


def stand_in(name: str) -> str:
    """Which of the course's models answers to another maker's name, such as "openai/gpt-4.1-mini":
    the small one where the name says that it is little; "" for what is no such name.
    """
    if not _OTHERS.fullmatch(name):
        return ""
    return SMALL if _LITTLE.search(name) else LARGE
