"""Answers: what the policy says once it has called what it could."""

from __future__ import annotations

from course.models.policy.chat import found_answer, small_talk
from course.models.policy.conversation import Made, Talk
from course.models.policy.lines import head, record_line
from course.models.policy.material import Part
from course.models.policy.needs import Lack
from course.models.policy.parts import shares
from course.models.policy.prose import polished
from course.models.policy.records import records
from course.models.policy.results import Names, deed_words, entity_of, error_words, render
from course.models.policy.steps import Step
from course.models.policy.synthesis import contradictions
from course.models.policy.words import human, listed, singular

_PLAIN = {"email": "e-mail address", "phone": "phone number"}


def missing_words(lack: Lack) -> str:
    """What is missing, as one would ask for it: "the date", "the guest's name"."""
    asked = lack.asked
    if asked is not lack.param and (asked.entity in ("name", "") or asked.kind == "query"):
        owner = singular(entity_of((lack.source or lack.tool).name))
        return f"the {owner}'s name"
    if asked is not lack.param:
        return f"the {human(lack.param.name)}, or the {human(asked.name)} to look it up"
    words = _PLAIN.get(asked.kind, human(asked.name))
    return words if words.startswith("number of") else f"the {words}"


def _options(lack: Lack) -> str:
    shown = [f"- {record_line(r.fields)}" for r in lack.options[:6]]
    more = [f"- and {len(lack.options) - 6} more"] if len(lack.options) > 6 else []
    opening = f"Several fit your request to {deed_words(lack.tool.name)}:"
    return "\n".join([opening, *shown, *more, f"Which {lack.param.entity or 'one'} do you mean?"])


def _in_vain(lack: Lack, names: Names) -> str:
    """What a fruitless lookup brought, and that the deed could not be done for want of it."""
    made = lack.searched[0]
    found = error_words(made.error) if made.error else render(made, names=names)
    if found.endswith("?"):
        return found
    return f"{found}\nSo I could not {deed_words(lack.tool.name)}. What would you like instead?"


def question(step: Step, names: Names) -> str:
    """The question that asks for what a part is missing, or says what was looked for in vain."""
    lacks = step.need.lacks
    choice = next((k for k in lacks if k.options), None)
    if choice:
        return _options(choice)
    searched = next((k for k in lacks if k.searched), None)
    if searched:
        return _in_vain(searched, names)
    words = list(dict.fromkeys(missing_words(k) for k in lacks))
    return (
        f"To {deed_words(step.tool.name if step.tool else '')} I need {listed(words)}. "
        f"Could you tell me?"
    )


def known(step: Step, talk: Talk) -> str | None:
    """What the instructions or the material say of a part that no tool serves."""
    texts = (talk.material, talk.instructions)
    return None if step.tool else found_answer(step.clause.text, texts)


def unserved(step: Step, talk: Talk) -> str:
    """What is said of a part that no offered tool serves: an answer found in the instructions or
    the material, or that there is no tool for it."""
    text = step.clause.text
    found = small_talk(text, talk.instructions) or found_answer(
        text, (talk.material, talk.instructions)
    )
    said = polished(text).rstrip(".!?")
    return found or f"I have no tool for this part of your request: “{said}”."


def part(step: Step, talk: Talk, names: Names) -> str:
    """The text for one part: its result, its error, its question, or that nothing serves it."""
    if step.skipped:
        return f"I left out “{polished(step.clause.text).rstrip('.!?')}”: {step.skipped}."
    if step.made:
        last = step.made[-1]
        if last.text is None:
            return f"There is no result of {human(last.name)}."
        return render(last, step.clause.text, names)
    if step.need.lacks:
        return question(step, names)
    if step.tool:
        deed = deed_words(step.tool.name)
        return f"I did not {deed}: I was asked to answer without calling tools."
    return unserved(step, talk)


def names_in(made: tuple[Made, ...]) -> dict[str, str]:
    """What ids stand for, as far as results with a name and an id have told."""
    found: dict[str, str] = {}
    for record in records(made):
        _, used = head(record.fields)
        if len(used) == 2:
            found.setdefault(str(record.fields[used[1]]), str(record.fields[used[0]]))
    return found


def answer(steps: list[Step], talk: Talk) -> str:
    """The parts in order, then where results disagree, then the questions; each text once."""
    names = names_in((*talk.made, *talk.past))
    if shares(talk.instructions):
        steps = [s for s in steps if s.tool or known(s, talk)] or steps
    texts = list(dict.fromkeys(part(s, talk, names) for s in steps))
    asked = [t for t in texts if t.endswith("?")]
    told = [m for s in steps for m in s.made[-1:] if m.error is None and isinstance(m.data, str)]
    sources = [Part(_source(m), m.text or "") for m in told]
    disagree = contradictions(sources) if len(told) > 1 else []
    return "\n\n".join([*(t for t in texts if t not in asked), *disagree, *asked])


def _source(made: Made) -> str:
    """Whose words a result is: the worker it was delegated to, or the tool."""
    short = [v for v in made.arguments.values() if isinstance(v, str) and len(v.split()) == 1]
    return short[0] if short else human(made.name)
