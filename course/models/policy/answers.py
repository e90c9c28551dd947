"""Answers: what the policy says once it has called what it could."""

from __future__ import annotations

from course.models.policy.chat import found_answer, small_talk
from course.models.policy.conversation import Made, Talk
from course.models.policy.material import Part
from course.models.policy.merge import contradictions
from course.models.policy.needs import Lack
from course.models.policy.prose import polished
from course.models.policy.results import entity_of, record_line, render
from course.models.policy.steps import Step, is_control
from course.models.policy.verbs import is_noun_phrase
from course.models.policy.words import human, listed, name_words, singular


def missing_words(lack: Lack) -> str:
    """What is missing, as one would ask for it: "the date", "the guest's name"."""
    asked = lack.asked
    if asked is not lack.param and asked.entity in ("name", ""):
        owner = lack.param.entity or singular(entity_of(lack.tool.name))
        return f"the {owner}'s name"
    plain = {"email": "e-mail address", "phone": "phone number"}
    words = plain.get(asked.kind, human(asked.name))
    return words if words.startswith("number of") else f"the {words}"


def deed_words(name: str) -> str:
    """A tool's name as something to do: `book_room` gives "book the room"."""
    words = name_words(name)
    if len(words) < 2:
        return human(name)
    if is_noun_phrase(words):
        return f"get the {human(name)}"
    article = "" if words[-1].endswith("s") or words[1] in ("to", "for") else "the "
    return f"{words[0]} {article}{' '.join(words[1:])}"


def _options(lack: Lack) -> str:
    shown = [f"- {record_line(r.fields)}" for r in lack.options[:6]]
    noun = lack.param.entity or "one"
    more = [f"- and {len(lack.options) - 6} more"] if len(lack.options) > 6 else []
    return "\n".join(
        [
            f"Several fit your request to {deed_words(lack.tool.name)}:",
            *shown,
            *more,
            f"Which {noun} do you mean?",
        ]
    )


def question(step: Step) -> str:
    """The question that asks for what a part is missing, or says what was looked for in vain."""
    lacks = step.need.lacks
    chosen = next((k for k in lacks if k.options), None)
    if chosen:
        return _options(chosen)
    searched = next((k for k in lacks if k.searched), None)
    if searched:
        made = searched.searched[-1]
        found = render(made)
        return (
            f"{found} So I could not {deed_words(searched.tool.name)}; could you check "
            f"{missing_words(searched)}?"
            if not made.error
            else found
        )
    words = list(dict.fromkeys(missing_words(k) for k in lacks))
    tool = step.tool.name if step.tool else ""
    return f"To {deed_words(tool)} I need {listed(words)}. Could you tell me?"


def unserved(step: Step, talk: Talk) -> str:
    """What is said of a part that no offered tool serves: an answer found in the instructions or
    the material, or that there is no tool for it."""
    found = small_talk(step.clause.text, talk.instructions) or found_answer(
        step.clause.text, (talk.material, talk.instructions)
    )
    if found:
        return found
    text = polished(step.clause.text).rstrip(".!?")
    return f"I have no tool for this part of your request: “{text}”."


def part(step: Step, talk: Talk) -> str:
    """The text for one part: its result, its error, its question, or that nothing serves it."""
    if step.skipped:
        return f"I left out “{polished(step.clause.text).rstrip('.!?')}”: {step.skipped}."
    if step.made:
        last = step.made[-1]
        return (
            render(last, step.clause.text)
            if last.text is not None
            else f"There is no result of {human(last.name)}."
        )
    if step.need.lacks:
        return question(step)
    if step.tool:
        return (
            f"I did not {deed_words(step.tool.name)}: I was asked to answer without calling tools."
        )
    return unserved(step, talk)


def answer(steps: list[Step], talk: Talk) -> str:
    """The parts in order, then where results disagree, then the questions; each text once."""
    texts = list(dict.fromkeys(part(s, talk) for s in steps if not _silent(s)))
    asked = [t for t in texts if t.endswith("?")]
    told = [m for s in steps for m in s.made[-1:] if m.error is None and isinstance(m.data, str)]
    disagree = (
        contradictions([Part(_source(m), m.text or "") for m in told]) if len(told) > 1 else []
    )
    return "\n\n".join([*(t for t in texts if t not in asked), *disagree, *asked])


def _source(made: Made) -> str:
    """Whose words a result is: the worker it was delegated to, or the tool."""
    short = [v for v in made.arguments.values() if isinstance(v, str) and len(v.split()) == 1]
    return short[0] if short else human(made.name)


def _silent(step: Step) -> bool:
    return (
        bool(step.made)
        and is_control(step.made[-1].name)
        and step.made[-1].error is None
        and not step.made[-1].text
    )
