"""Sentences of a contract that no answer can break, each with the reason."""

from __future__ import annotations

from graders.records.scenario import Sentence

HANDED_OVER = "says what is handed over"
IN_SHORT = "says in short what the rest says"
REASON = "says why"


def given(*texts: str, why: str = HANDED_OVER) -> tuple[Sentence, ...]:
    """Sentences that are given, for one reason.

    Args:
        texts: word for word as the chapter says them.
        why: why no answer can break them.
    """
    return tuple(Sentence(text, given=why) for text in texts)
