"""Say: what is said where the gate lets nothing pass: a question, a short honest sentence, or what
came of what was done."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from course.models.policy.colleagues import Staff
from course.models.policy.conversation import Made
from course.models.policy.front.gate import Reason, Refusal
from course.models.policy.front.mood import Part, parts_of
from course.models.policy.front.situation import Situation
from course.models.policy.front.tool import ability, changes, for_person, service, spoken, starts
from course.models.policy.lexicon import tool_action
from course.models.policy.ranking import rank
from course.models.policy.results import deed_words, done_words, reads, render
from course.models.policy.speech import asks_first, greeting, persona
from course.models.policy.spoken import LASTING
from course.models.policy.steps import rates
from course.models.policy.words import content, cue, human, listed
from course.models.wire import ToolSpec

_EMPTY, _EMERGENCY, _GREETS, _HOW, _THANKS, _BYE, _LATER, _WHO, _WHAT, _UPSET = (
    cue(f"say.{n}") for n in "empty emergency greets how thanks bye later who what upset".split()
)
_OPEN, _HUMAN = cue("say.open"), cue("say.human")
_FEW = 3
"""Abilities that are named where nothing else can be said."""
_LACKING = re.compile(r"To .{2,80} I need the ")
_UNCALLED = re.compile(r"I was asked to answer without calling tools")
ASKED: tuple[Reason, ...] = ("consent", "hedged", "asked", "told", "corrects", "unsure")
"""Why a call waits for a yes."""


_INSTEAD: dict[Reason, str] = {
    "done before": "That was done already.",
    "denied": "All right, that is left out, as you asked: nothing was done.",
}
"""What is said instead of a deed where nothing else was done."""


def refused(
    refusals: Sequence[Refusal],
    sit: Situation,
    tools: Sequence[ToolSpec],
    words: Callable[[], str | None],
) -> str:
    """What is said instead of calls; `words` gives what would be said of results."""
    by_name = {t.name: t for t in tools}
    first = refusals[0]
    about = by_name[first.call.name].description
    deed = deed_words(first.call.name, about)
    if first.reason in ("repeated", "bounced", "idle", "unheard of"):
        said = words() or ""
        said = "" if _UNCALLED.search(said) else said
        return said or outcomes(sit.turn, tools)
    told = outcomes([m for m in sit.own if not m.error], tools)
    if first.reason in _INSTEAD:
        return told or _INSTEAD[first.reason]
    if first.reason == "forbidden":
        return f"I'm sorry, I may not {deed} here, so nothing was done."
    if first.reason == "beyond a limit":
        return f"I'm sorry, I can't {deed}: {first.about} is the most. Nothing was done."
    if first.reason in ("no evidence", "one value twice"):
        return f"To {deed} I need the {human(first.about)}. Could you tell me?"
    if first.reason in ("consent", "unsure"):
        return asks_first(
            (r.call.name, r.call.arguments) for r in refusals if r.reason == first.reason
        )
    if first.reason == "against a rule":
        return f"{told}\n\nThat stands against it, so I have not done anything.".strip()
    if first.reason in ("waits", "look first"):
        return f"I can't tell yet whether that holds, so nothing was done. Shall I {deed}?"
    return _offered(first, told, about)


def _offered(refusal: Refusal, told: str, about: str) -> str:
    """What came of look-ups, with the question whether a deed is wanted; to a story or a complaint
    nothing is offered that nothing undoes."""
    call = refusal.call
    thanks = "Thank you for telling me." if refusal.reason == "told" else "Nothing is changed."
    if refusal.reason == "told" and tool_action(call.name, about) in LASTING:
        return told or f"{thanks} I have not changed anything."
    return f"{told or thanks} {asks_first([(call.name, call.arguments)])}"


def outcomes(made: Sequence[Made], tools: Sequence[ToolSpec]) -> str:
    """What came of calls, those apart that only brought what another one needed."""
    names = {t.name for t in tools}
    said = [m for m in made if m.name in names and m.text is not None]
    texts = [render(m) for n, m in enumerate(said) if not _led_on(m, said[n + 1 :])]
    return "\n\n".join(dict.fromkeys(texts))


def _led_on(made: Made, later: Sequence[Made]) -> bool:
    """Whether a result only brought an id with which something was called later."""
    ids = {str(v) for m in later for v in m.arguments.values() if re.search(r"\d", str(v))}
    told = {str(v) for v in made.arguments.values()}
    return made.error is None and any(i in (made.text or "") for i in ids - told)


def without_a_person(sit: Situation, tools: Sequence[ToolSpec], team: Staff) -> str:
    """That nobody can be put on the line, where somebody wishes to talk with a person beside other
    things and nothing leads to one; "" otherwise."""
    leads = team.others or any(for_person(t) for t in tools)
    return "" if leads or not _HUMAN.search(sit.latest) else "I can't put you through to a person."


def unmet(part: Part, made: Sequence[Made], tools: Sequence[ToolSpec]) -> str:
    """That what an order hangs on does not hold, with what the look-up brought."""
    return f"{outcomes(made, tools)}\n\nSo I have not done anything.".strip()


def unclear(part: Part, made: Sequence[Made], tools: Sequence[ToolSpec]) -> str:
    """That nobody can tell whether what an order hangs on holds."""
    condition = part.condition.rstrip(" ?.!")
    told = outcomes(made, tools)
    asks = f"I can't tell whether {condition}, so nothing was done. Shall I do it all the same?"
    return f"{told}\n\n{asks}".strip()


# --- small talk ----------------------------------------------------------------------------------


def small(sit: Situation, tools: Sequence[ToolSpec], team: Staff) -> str | None:
    """The short answer to an emergency, a greeting, thanks, a goodbye or a question about oneself;
    None where anything else was said."""
    said = sit.latest
    if _EMERGENCY.search(said) and not any(rates(t) for t in tools):
        return "If this is an emergency, please ring 112 or 911 right away and don't wait for me."
    if _GREETS.match(said):
        return greeting(sit.instructions)
    if _HOW.search(said) and len(content(said)) < 4:
        return "I'm fine, thank you. And how can I help you?"
    if _WHO.search(said) and len(content(said)) < 6:
        me = persona(sit.instructions)
        return f"I'm {me or 'a simulated assistant, a program'}. {able(sit, tools, team)}".strip()
    if _WHAT.search(said) and len(content(said)) < 6:
        return able(sit, tools, team) or None
    if _asks_something(sit, tools):
        return None
    if _THANKS.search(said) and not _UPSET.search(said):
        return "You're welcome."
    if _LATER.search(said) and len(content(said)) < _MUCH:
        return "Of course, take your time. I have not changed anything; just let me know."
    return "Goodbye, and take care." if _BYE.search(said) else None


_MUCH = 12
"""Words of content from which on somebody does not only put something off."""


def _asks_something(sit: Situation, tools: Sequence[ToolSpec]) -> bool:
    """Whether the last words ask for anything, by a question or an order of some content."""
    return any(_asks(part, tools) for part in parts_of(sit.latest, sit.verbs))


def _asks(part: Part, tools: Sequence[ToolSpec]) -> bool:
    words = content(_THANKS.sub("", part.text))
    if not words or part.mood not in ("asked", "ordered"):
        return False
    if part.mood == "asked":
        return True
    full = len(content(part.text)) > 1 or re.search(r"\d|\bsame\b", part.text)
    named = full or any(spoken(t, part.text) == "verb" for t in tools)
    return bool(named) and not _LATER.search(part.text)


# --- when nothing fits ---------------------------------------------------------------------------


def unserved(text: str | None, sit: Situation) -> bool:
    """Whether a text of the reader's says that nothing serves some part that is not only told."""
    return not text or bool(_OPEN.search(_of_wishes(text, sit)))


def empty(text: str | None) -> bool:
    """Whether a text of the reader's says that there is nothing to say."""
    return not text or bool(_EMPTY.search(text))


def inside(text: str | None) -> bool:
    """Whether a text shows the inside: a record, a move, or that somebody could not help."""
    return bool(_INSIDE.search(text or ""))


_INSIDE = re.compile(r'\{"|Successfully transferred|I cannot help with that here')


def lacking(text: str | None) -> bool:
    """Whether a text of the reader's asks for what a call lacks."""
    return bool(_LACKING.match(text or ""))


def wished(text: str | None, sit: Situation, tools: Sequence[ToolSpec]) -> bool:
    """Whether what lacks something was wished for: a deed by an order, a look-up by a word for it;
    who only tells something is asked for nothing."""
    begins = (f"To {deed_words(t.name, t.description)} I need" for t in tools)
    tool = next((t for t, b in zip(tools, begins, strict=True) if (text or "").startswith(b)), None)
    if tool is None:
        return True
    parts = [p for p in sit.parts if p.mood != "denied"]
    if changes(tool):
        told = [p for p in parts if p.mood != "asked"]
        return any(p.mood == "ordered" or spoken(tool, p.text) == "verb" for p in told)
    asks = any(p.mood in ("asked", "ordered", "hedged") for p in parts)
    return asks and any(spoken(tool, p.text) for p in parts)


def able(sit: Situation, tools: Sequence[ToolSpec], team: Staff) -> str:
    """What one can do that comes nearest to what was said, in a sentence."""
    own = list(team.own)
    near = [t for _, t in rank(tuple(own), sit.latest)][:_FEW] if own else []
    deeds = [ability(t) for t in near]
    others = [c.name for c in team.asked.others if not c.general or not own]
    who = [human(n) for n in dict.fromkeys(others)][:4]
    if who:
        deeds.append(f"pass that on to {listed(who, 'or')}" if team.by("transfer") else
                     f"ask {listed(who, 'or')}")  # fmt: skip
    return f"I can {listed(deeds, 'or')}." if deeds else ""


def declined(sit: Situation, tools: Sequence[ToolSpec], team: Staff) -> str:
    """An honest word that nothing fits, with what would."""
    moods = {p.mood for p in sit.parts}
    can = able(sit, tools, team)
    if "asked" not in moods and "ordered" not in moods:
        if "denied" in moods:
            return "All right, I leave that as it is."
        feels = (
            "I'm sorry to hear that." if _UPSET.search(sit.latest) else "Thank you for telling me."
        )
        return f"{feels} I have not changed anything. Is there something that I can do for you?"
    return f"I'm sorry, I cannot help with that here. {can}".strip()


# --- nothing of the inside -----------------------------------------------------------------------

_RUN = 8
"""Words in a row that are the instructions' and not one's own."""
_ANSWERS = 2
"""Words of a question in a sentence that answers it, and may be the instructions' own."""


def cleaned(text: str, sit: Situation, tools: Sequence[ToolSpec]) -> str:
    """A text without verbs made of the names of things, and without sentences that are the
    instructions' own; what nothing is taken from keeps its first letter."""
    said = text
    for tool in tools:
        if not changes(tool) and not starts(tool) and not reads(tool.name):
            text = re.sub(rf"\b{re.escape(done_words(tool.name))}(?:: | |\.)", "", text)
            deed = re.escape(deed_words(tool.name, tool.description))
            text = re.sub(rf"\b(To|not|can|shall I) {deed}\b", rf"\1 {ability(tool)}", text)
        elif service(tool):
            text = text.replace(done_words(tool.name), "Done")
            text = text.replace(deed_words(tool.name, tool.description), ability(tool))
    text = _of_wishes(text, sit)
    heard = " ".join(_words(" ".join((*sit.rounds, *(m.text or "" for m in sit.turn)))))
    told = " ".join(_words(sit.instructions))
    pieces = re.split(r"(?<=[.!?])(\s+)", text)
    asked = [set(content(p.text)) for p in sit.parts if p.mood == "asked"]
    kept = [p for p in pieces if any(len(a & set(content(p))) >= _ANSWERS for a in asked)
            or not _leaks(p, told, heard)]  # fmt: skip
    left = "".join(kept).strip()
    return left if left == said.strip() else left[:1].upper() + left[1:]


_UNSERVED = re.compile(r"\s*I have no tool for this part of your request: “(?P<part>[^”]+)”\.")


def _of_wishes(text: str, sit: Situation) -> str:
    """A text without what it says of parts that only tell, or that what was called for an id
    beside them has answered: "What have I got out? L-5510"."""
    others = [p.text for p in sit.parts if p.text.rstrip("?.!") not in text]
    answered = bool(sit.turn) and all(re.fullmatch(r"\W*\S*\d\S*\W*", o) for o in others)
    return _UNSERVED.sub(lambda m: "" if answered or _only_told(m["part"]) else m[0], text)


def _only_told(part: str) -> bool:
    return {p.mood for p in parts_of(part)} <= {"told"}


def _words(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.lower())


def _leaks(text: str, told: str, heard: str) -> bool:
    words = _words(text)
    runs = (" ".join(words[n : n + _RUN]) for n in range(len(words) - _RUN + 1))
    return any(run in told and run not in heard for run in runs)
