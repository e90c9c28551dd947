"""What comes back from a model call: a message in wire form, and the tokens it took.

Source: Chat Completions API (openai 3.54).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from course.models.wire import Message

if TYPE_CHECKING:
    from openai.types import CompletionUsage


@dataclass(frozen=True)
class Usage:
    """Tokens that models read (`input`) and wrote (`output`). Built in chapter 01."""

    input: int = 0
    output: int = 0

    @property
    def total(self) -> int:
        """Tokens read and written."""
        return self.input + self.output

    @classmethod
    def of(cls, counted: CompletionUsage | None) -> Usage:
        """The usage of a response, zero where it says nothing."""
        if counted is None:
            return cls()
        return cls(counted.prompt_tokens or 0, counted.completion_tokens or 0)

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.input + other.input, self.output + other.output)


@dataclass(frozen=True)
class Answer:
    """What came back from one model call: the assistant's message in wire form, the tokens, and
    why it ended ("stop", "tool_calls", "length" or "content_filter"). Built in chapter 01.
    """

    message: Message
    usage: Usage = Usage()
    finish_reason: str = "stop"
