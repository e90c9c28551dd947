"""Situation: what a conversation has come to, from its messages alone: who spoke last and how it
is meant, what was done and came back since, what our own question keeps open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from course.models.policy.conversation import Made, calls_in, stated_today, text_of
from course.models.policy.dates import REFERENCE
from course.models.policy.front.mood import Part, parts_of
from course.models.policy.steps import is_control
from course.models.policy.words import cue, name_words, stem
from course.models.wire import ChatRequest, JsonObject

YES, NO = cue("front.yes"), cue("front.no")
_SHALL = cue("front.shall")
_OFFER = cue("front.offer")
NEWS, FAILS = cue("front.news"), cue("front.fails")
"""How somebody only wishes to hear of something, and a condition that what was tried fails."""


@dataclass(frozen=True)
class Situation:
    """A conversation as it stands.

    Attributes:
        instructions: what the system messages say.
        latest: the person's last words.
        asked: our own words just before them, "" when there are none.
        thread: the last words, with those before them that our own questions kept open.
        rounds: all that the person said.
        turn: the calls since the last words, with their results.
        before: the calls before.
        spoken: what was said since the last words, by whoever had the conversation.
        verbs: the stems of the verbs that open the names of the tools on offer.
    """

    instructions: str
    latest: str
    asked: str
    thread: str
    rounds: tuple[str, ...]
    turn: tuple[Made, ...]
    before: tuple[Made, ...]
    spoken: tuple[str, ...]
    verbs: frozenset[str] = frozenset()
    today: date = REFERENCE

    @property
    def own(self) -> tuple[Made, ...]:
        """The calls of this turn since the conversation was last handed over."""
        moved = [n for n, made in enumerate(self.turn) if is_control(made.name)]
        return self.turn[moved[-1] + 1 if moved else 0 :]

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the thread with their moods."""
        return parts_of(self.thread, self.verbs)

    @property
    def agreed(self) -> bool:
        """Whether the last words say yes to our own question whether something shall be done."""
        return bool(_SHALL.search(self.asked) and YES.match(self.latest))

    @property
    def declined(self) -> bool:
        """Whether the last words say no to our own question whether something shall be done."""
        return bool(_SHALL.search(self.asked) and NO.match(self.latest))

    @cached_property
    def told(self) -> str:
        """All that values may come from: what was said, instructed and came back, errors apart."""
        results = (m.text or "" for m in (*self.before, *self.turn) if m.error is None)
        return "\n".join((self.instructions, *self.rounds, *results))


def situation(request: ChatRequest) -> Situation:
    """Read a request's messages."""
    messages = request.messages
    users = [n for n, m in enumerate(messages) if m.get("role") == "user"]
    last = users[-1] if users else len(messages)
    told = (text_of(m) for m in messages if m.get("role") in ("system", "developer"))
    instructions = "\n".join(t for t in told if t)
    said = tuple(text_of(messages[n]) for n in users)
    latest = said_itself(said[-1])[0] if said else ""
    today = stated_today("\n".join((instructions, *said))) or REFERENCE
    return Situation(
        instructions,
        latest,
        asked_before(messages[:last]),
        _thread(messages, users),
        said,
        calls_in(messages[last:]),
        calls_in(messages[:last]),
        tuple(filter(None, map(_spoken, messages[last:]))),
        frozenset(stem(w) for t in request.tools for w in name_words(t.name)[:1]),
        today,
    )


_RESULTS_BELOW = cue("errand.results_below", 0)


def said_itself(text: str) -> tuple[str, str]:
    """What a message says itself, and the results of earlier tasks that it brings along: in those
    nobody orders anything."""
    below = _RESULTS_BELOW.search(text)
    return (text[: below.start()].strip(), text[below.start() :]) if below else (text, "")


def asked_before(messages: Sequence[JsonObject]) -> str:
    """The assistant's last words, if they are the last thing that was said."""
    for message in reversed(messages):
        if message.get("role") == "user":
            return ""
        if told := _spoken(message):
            return told
    return ""


def _spoken(message: JsonObject) -> str:
    speaks = message.get("role") == "assistant" and not message.get("tool_calls")
    return text_of(message) if speaks else ""


def _thread(messages: tuple[JsonObject, ...], users: list[int]) -> str:
    """The last words, with those before them as long as our own question, and no deed, came
    between."""
    kept: list[str] = []
    for place, start in reversed(list(enumerate(users))):
        kept.insert(0, said_itself(text_of(messages[start]))[0])
        if not place:
            break
        between = messages[users[place - 1] : start]
        asked = asked_before(between).rstrip()
        if not asked.endswith("?") or _OFFER.search(asked):
            break
    return "\n".join(kept)


def since(request: ChatRequest) -> tuple[Any, ...]:
    """The messages of a request up to our own question that was answered last."""
    messages = request.messages
    users = [n for n, m in enumerate(messages) if m.get("role") == "user"]
    places = [n for n in range(users[-1]) if _spoken(messages[n])] if users else []
    return messages[: places[-1]] if places else ()


DATED = re.compile(r"\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?)?|\d\d:\d\d(?::\d\d)?")
