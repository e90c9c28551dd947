"""Chat: small talk, and answers found word for word in what the model was given."""

from __future__ import annotations

import re

from course.models.policy.digest import sentences
from course.models.policy.lexicon import synonyms
from course.models.policy.wordlists import cue
from course.models.policy.words import content

_GREETING = cue("chat.greeting")
_THANKS = cue("chat.thanks")
_BYE = re.compile(r"^\W*(?:bye|goodbye|see you|have a (?:nice|good))\b.{0,40}$", re.IGNORECASE)
ASSENT = cue("chat.assent")
"""Words that agree to what was said before, and say nothing themselves."""
HOUSE = cue("chat.house")
"""A question about the house itself, which is no wish for anything to be started."""
_WHO = cue("chat.who")
_WHAT = re.compile(r"what can you do|how can you help|what do you do|^\W*help\W*$", re.IGNORECASE)
_NAME = cue("chat.name", 0)
_ROLE = re.compile(r"\b[Yy]ou(?: are|'re) (?:[A-Z][\w-]+, )?((?:an?|the) [^.,;:\n]{2,80})")


def persona(instructions: str) -> str:
    """Who the instructions say the model is: "Ada, the night porter"; "" when they don't."""
    name = _NAME.search(instructions)
    role = _ROLE.search(instructions)
    told = [
        next(g for g in name.groups() if g) if name else "",
        role.group(1).strip() if role else "",
    ]
    return ", ".join(t for t in told if t)


def greeting(instructions: str) -> str:
    """The first words of whoever the instructions say that it is."""
    me = persona(instructions)
    return f"Hello! I'm {me}. How can I help you?" if me else "Hello! How can I help you?"


def small_talk(text: str, instructions: str, can: str = "") -> str | None:
    """A reply to a greeting, thanks, a goodbye or a question about oneself; None for the rest."""
    me = persona(instructions)
    if _GREETING.match(text):
        return greeting(instructions)
    if _BYE.match(text):
        return "Goodbye, and take care."
    if _THANKS.match(text):
        return "You're welcome."
    if ASSENT.fullmatch(text):
        return "Gladly. What can I do for you?"
    if _WHO.search(text):
        return f"I'm {me or 'a simulated model: rules instead of a neural network'}.{can}"
    if _WHAT.search(text):
        return f"I'm {me}.{can}" if me else (can.strip() or HONEST)
    return None


HONEST = (
    "I am a simulated model and can only work with what is in this conversation and with the tools "
    "I am given; nothing here answers that."
)


_NO_ANSWER = cue("chat.no_answer", 0)


def _overlap(asked: tuple[str, ...], sentence: str) -> float:
    words = set(content(sentence))
    hits = sum(
        1.0 if w in words else 0.7 if synonyms(w) & words else 0.0 for w in dict.fromkeys(asked)
    )
    return hits / max(1, len(set(asked)))


def found_answer(question: str, texts: tuple[str, ...], least: float = 0.5) -> str | None:
    """The sentences of the given texts that share most words with a question, if enough do."""
    asked = content(question)
    if not asked:
        return None
    scored = [
        (_overlap(asked, s), -n, s)
        for n, s in enumerate(s for t in texts for s in sentences(t))
        if question.strip(" ?.!").lower() not in s.lower()
    ]
    scored = [x for x in scored if x[0] >= least and not _NO_ANSWER.search(x[2])]
    if not scored:
        return None
    best = max(scored)[0]
    kept = sorted((x for x in scored if x[0] >= best - 1e-9), key=lambda x: -x[1])[:3]
    return " ".join(s if s.endswith((".", "!")) else s + "." for _, _, s in kept)
