"""Results: what came back from tools, and what is missing, in words: sentences and short lists,
with nothing added."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from course.models.policy.chat import found_answer, small_talk
from course.models.policy.conversation import Made, Talk
from course.models.policy.lines import bullets, head, record_block, record_line, scalar
from course.models.policy.material import Part
from course.models.policy.needs import Lack
from course.models.policy.parts import shares
from course.models.policy.prose import polished
from course.models.policy.records import records
from course.models.policy.steps import Step
from course.models.policy.synthesis import contradictions
from course.models.policy.verbs import action_of, is_noun_phrase
from course.models.policy.wordlists import cue, word_list
from course.models.policy.words import human, listed, name_words, plural, singular

_READING = frozenset(word_list("results.reading"))
_PAST = dict(pair.split(":") for pair in word_list("results.past"))
_TOTALS = ("count", "total", "query", "page", "ok", "success", "status")
# What an error says to the caller of the tool and not to the person who is waiting.
_TO_CALLER = cue("results.to_caller", 0)
_WHICH = re.compile(r"\bwhich (?:one|of)|\bseveral\b|\bambiguous\b|\b\d+ \w+ match", re.IGNORECASE)

Names = Mapping[str, str]  # what ids stand for, as far as results have told


def _past(verb: str) -> str:
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if re.search(r"[^aeiou]y$", verb) else verb + "ed"


def entity_of(tool_name: str) -> str:
    """What a tool is about, in words: `find_free_slots` gives "free slots"."""
    words = list(name_words(tool_name))
    while words and words[0] in {*_READING, "all", "my"}:
        words = words[1:]
    return " ".join(w for w in words if w not in ("by", "for")) or "results"


def deed_words(name: str) -> str:
    """A tool's name as something to do: `book_room` gives "book the room"."""
    words = name_words(name)
    if len(words) < 2:
        return " ".join(words) or name
    if words[0] in ("what", "which", "who", "when", "where", "how"):
        return f"look up {' '.join(words)}"
    if is_noun_phrase(words):
        return f"get the {' '.join(words)}"
    article = "" if words[-1].endswith("s") or words[1] in ("to", "for") else "the "
    return f"{words[0]} {article}{' '.join(words[1:])}"


def deed_done(name: str) -> str:
    """What a tool that changes something did: `book_room` gives "Booked the room"."""
    words = name_words(name)
    rest = " ".join(words[1:])
    article = "the " if rest and not rest.startswith(("to ", "for ", "the ", "a ")) else ""
    return f"{_past(words[0])} {article}{rest}".strip().capitalize() if words else "Done"


def reads(name: str) -> bool:
    """Whether a tool's name says that it answers rather than acts."""
    words = name_words(name)
    if len(words) > 1 and words[0] in ("free", "next", "available"):
        return True  # "free lockers" is no deed
    return is_noun_phrase(words) or words[0] in _READING or action_of(words[0]) == "find"


def sentence(text: str) -> str:
    """A text that starts large and ends with a mark."""
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ":")) or "\n" in text else text + "."


def scope(arguments: Mapping[str, Any], names: Names) -> str:
    """What a lookup was about (" for Anna Vogt, 2026-03-02"), ids by the names they stand for."""
    values = [
        names.get(str(v), scalar(v))
        for v in arguments.values()
        if isinstance(v, str | int | float) and v not in ("", None) and not isinstance(v, bool)
    ]
    return f" for {', '.join(values[:3])}" if values else ""


def error_words(error: str) -> str:
    """An error for the person who waits: no label, nothing that is meant for the caller; a
    question when several things fit."""
    bare = re.sub(r"^\W*(?:\w*error)\W+", "", error.strip(), flags=re.IGNORECASE)
    told = _TO_CALLER.sub("", bare).strip() or bare
    return f"{sentence(told)} Which one do you mean?" if _WHICH.search(bare) else sentence(told)


def _listing(data: list[Any], made: Made, about: str, names: Names) -> str:
    noun = singular(entity_of(made.name))
    where = scope(made.arguments, names)
    if not data:
        return f"I found no {plural(noun)}{where}."
    label = noun if len(data) == 1 else plural(noun)
    return "\n".join([f"I found {len(data)} {label}{where}:", *bullets(data, about)])


def _wrapped(data: Mapping[str, Any]) -> list[Any] | None:
    """The list inside a result such as {"results": [...], "total": 3}."""
    lists = [v for v in data.values() if isinstance(v, list)]
    others = [name_words(k)[-1:] for k, v in data.items() if not isinstance(v, list)]
    plain = all(words and words[0] in _TOTALS for words in others)
    return lists[0] if len(lists) == 1 and plain else None


def _scalar_result(made: Made, names: Names) -> str:
    value = made.data
    if isinstance(value, str) and len(value.split()) > 2:
        return sentence(value)
    if not reads(made.name):
        first = _past(name_words(made.name)[0])
        plain = value in (None, True, "") or str(value).strip(".! ").lower() in (
            "ok",
            "done",
            first,
        )
        return sentence(
            deed_done(made.name) if plain else f"{deed_done(made.name)}: {scalar(value)}"
        )
    if value in (None, ""):
        return f"I found no {entity_of(made.name)}{scope(made.arguments, names)}."
    return sentence(f"{entity_of(made.name)}{scope(made.arguments, names)}: {scalar(value)}")


def _record(data: Mapping[str, Any], made: Made, about: str) -> str:
    if reads(made.name):
        return sentence(record_block(data, about))
    called, used = head(data)
    rest = record_line({k: v for k, v in data.items() if k not in used}, about)
    deed = f"{deed_done(made.name)} {called}".strip()
    return sentence(f"{deed}: {rest}" if rest != "empty" else deed)


def render(made: Made, about: str = "", names: Names | None = None) -> str:
    """A tool's result as text; `about` is the part of the request it answers, `names` says what
    ids stand for."""
    data, known = made.data, names or {}
    if made.error is not None:
        return f"I could not {deed_words(made.name)}: {error_words(made.error)}"
    if isinstance(data, Mapping) and data:
        inner = _wrapped(data) if reads(made.name) else None
        return _record(data, made, about) if inner is None else _listing(inner, made, about, known)
    if isinstance(data, list):
        return _listing(data, made, about, known)
    return _scalar_result(Made(made.name, made.arguments, "", None) if data == {} else made, known)


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
