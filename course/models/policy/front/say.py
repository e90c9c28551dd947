"""Say: what is said where the gate lets nothing pass: a question, a short honest sentence, or what
came of what was done."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from course.models.policy.conversation import Made
from course.models.policy.front.gate import Reason, Refusal
from course.models.policy.front.mood import Part
from course.models.policy.front.situation import Situation
from course.models.policy.needs import Wanted
from course.models.policy.results import deed_words, render
from course.models.policy.speech import asks_first
from course.models.policy.words import human, listed
from course.models.wire import ToolSpec

ASKED: tuple[Reason, ...] = ("consent", "hedged", "asked", "unheard of")
"""Why a call waits for a yes."""


def refused(
    refusals: Sequence[Refusal],
    sit: Situation,
    tools: Sequence[ToolSpec],
    words: Callable[[], str | None],
) -> str:
    """What is said instead of calls; `words` gives what would be said of results."""
    by_name = {t.name: t for t in tools}
    first = refusals[0]
    deed = deed_words(first.call.name, by_name[first.call.name].description)
    if first.reason in ("repeated", "bounced", "idle"):
        return words() or outcomes(sit.turn, tools) or "What can I do for you?"
    if first.reason == "done before":
        return "That was done already."
    if first.reason == "denied":
        return "All right, I leave that as it is: nothing was done."
    if first.reason == "told":
        return f"Thank you for telling me. I have not changed anything. Shall I {deed}?"
    if first.reason == "forbidden":
        return f"I'm sorry, I may not {deed} here, so nothing was done."
    if first.reason == "beyond a limit":
        return f"I'm sorry, I can't {deed}: {first.about} is the most. Nothing was done."
    if first.reason in ("no evidence", "one value twice"):
        return f"To {deed} I need the {human(first.about)}. Could you tell me?"
    if first.reason == "consent":
        return asks_first((r.call.name, r.call.arguments) for r in refusals if r.reason == "consent")
    if first.reason == "against a rule":
        told = outcomes(sit.turn, tools)
        return f"{told}\n\nThat stands against it, so I have not done anything.".strip()
    if first.reason in ("waits", "look first"):
        return f"I can't tell yet whether that holds, so nothing was done. Shall I {deed}?"
    return f"Nothing is changed so far. {asks_first([(first.call.name, first.call.arguments)])}"


def outcomes(made: Sequence[Made], tools: Sequence[ToolSpec]) -> str:
    """What came of calls."""
    names = {t.name for t in tools}
    texts = [render(m) for m in made if m.name in names and m.text is not None]
    return "\n\n".join(dict.fromkeys(texts))


def unmet(part: Part, made: Sequence[Made], tools: Sequence[ToolSpec]) -> str:
    """That what an order hangs on does not hold, with what the look-up brought."""
    return f"{outcomes(made, tools)}\n\nSo I have not done anything.".strip()


def unclear(part: Part, made: Sequence[Made], tools: Sequence[ToolSpec]) -> str:
    """That nobody can tell whether what an order hangs on holds."""
    condition = part.condition.rstrip(" ?.!")
    told = outcomes(made, tools)
    asks = f"I can't tell whether {condition}, so nothing was done. Shall I do it all the same?"
    return f"{told}\n\n{asks}".strip()
