"""Chat: small talk, answers found word for word in what the model was given, and texts in short."""

from __future__ import annotations

import re
from collections.abc import Iterable

from course.models.policy.lexicon import synonyms
from course.models.policy.mentions import mentions
from course.models.policy.wordlists import cue
from course.models.policy.words import content

_GREETING = cue("chat.greeting")
_THANKS = cue("chat.thanks")
_BYE = re.compile(r"^\W*(?:bye|goodbye|see you|have a (?:nice|good))\b.{0,40}$", re.IGNORECASE)
ASSENT = cue("chat.assent")
"""Words that agree to what was said before, and say nothing themselves."""
YES, NO = cue("chat.yes"), cue("chat.no")
"""How a reply to a question opens that agrees, and one that does not."""
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


_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_NUMBERED = re.compile(r"\b[a-z]{3,} \d{2,}\b(?![-:.])")  # "order 55"
_KEPT = ("name", "id", "date", "time", "amount", "email", "phone", "number", "quoted")


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text that say something."""
    return [s.strip(" -*•\t") for s in _SENTENCE.split(text) if content(s)]


def weight(sentence: str) -> float:
    """How much a summary would lose without a sentence: the facts in it."""
    return sum(
        2.0 if m.kind in ("id", "amount", "date") else 1.0
        for m in mentions(sentence)
        if m.kind in _KEPT
    )


def shortened(text: str, most: int) -> str:
    """The sentences of a text that carry most facts, at most `most`, in their order."""
    all_of_them = list(dict.fromkeys(sentences(text)))
    if len(all_of_them) <= most:
        return " ".join(all_of_them)
    best = sorted(range(len(all_of_them)), key=lambda n: (-weight(all_of_them[n]), n))[:most]
    return " ".join(all_of_them[n] for n in sorted(best))


def conversation(turns: Iterable[tuple[str, str]], most: int = 12) -> str:
    """Turns (speaker, text) in short, one line each, followed by the facts that were named."""
    lines: list[str] = []
    facts: dict[str, None] = {}
    for speaker, text in turns:
        bare = shortened(text, 2)
        if bare:
            lines.append(f"{speaker}: {bare}")
        facts |= dict.fromkeys(_NUMBERED.findall(text))
        facts |= {
            m.text: None
            for m in mentions(text)
            if m.kind in ("name", "id", "date", "time", "amount", "email", "phone")
        }
    kept = lines if len(lines) <= most else [*lines[:2], *lines[2 - most :]]
    named = [f"Named: {', '.join(list(facts)[:24])}."] if facts else []
    return "\n".join([*kept, *named])
