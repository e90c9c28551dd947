"""Results: what came back from tools, and what is missing, in words: sentences and short lists,
with nothing added."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from course.models.policy.conversation import Made, Talk
from course.models.policy.lexicon import synonyms
from course.models.policy.lines import bullets, head, record_block, record_line, scalar
from course.models.policy.needs import Lack, records
from course.models.policy.prose import polished
from course.models.policy.reader.decision import shares
from course.models.policy.replies import ASSENT
from course.models.policy.steps import Step
from course.models.policy.synthesis import sentences
from course.models.policy.verbs import EITHER, VERBS, action_of, is_noun_phrase
from course.models.policy.wordlists import cue, word_list
from course.models.policy.words import content, human, listed, name_words, plural, singular, stem, STOP_WORDS

_COMPARES = cue("results.compares")
_READING = frozenset(word_list("results.reading"))
_PAST = dict(pair.split(":") for pair in word_list("results.past"))
_ASKING = frozenset(word_list("results.asking"))
# What an error says to the caller of the tool and not to the person who is waiting.
_TO_CALLER = cue("results.to_caller", 0)
_WHICH = cue("results.which")
_OFFERS = cue("results.offers")
_PLAIN = {"email": "e-mail address", "phone": "phone number"}

_GREETING = cue("results.greeting")
_THANKS = cue("results.thanks")
_BYE = re.compile(r"^\W*(?:bye|goodbye|see you|have a (?:nice|good))\b.{0,40}$", re.IGNORECASE)
_WHO = cue("results.who")
_WHAT = re.compile(r"what can you do|how can you help|what do you do|^\W*help\W*$", re.IGNORECASE)
_NAME = cue("results.name", 0)
_ROLE = re.compile(r"\b[Yy]ou(?: are|'re) (?:[A-Z][\w-]+, )?((?:an?|the) [^.,;:\n]{2,80})")

Names = Mapping[str, str]  # what ids stand for, as far as results have told


def _verb_first(name: str) -> tuple[str, ...]:
    """The words of a tool's name, its verb first: `lesson_cancel` gives "cancel", "lesson"."""
    words = name_words(name) or (name,)
    last = words[-1]
    named = _verb(words[0]) or words[0].endswith("s") or last.endswith("s")
    turned = not named and (last in _READING or (action_of(last) and last not in EITHER))
    return (last, *words[:-1]) if turned and len(words) > 1 else words


def _verb(word: str) -> bool:
    """Whether a word is known for a verb."""
    return bool(action_of(word)) or stem(word) in VERBS or word in _READING or word in _PAST


def _names_thing(words: tuple[str, ...]) -> bool:
    """Whether a tool's name says what it gives: `opening_times`, `seats_left`."""
    first = words[0]
    return is_noun_phrase(words) or (not _verb(first) and len(words) > 1 and first.endswith("s"))


def deed_words(name: str) -> str:
    """A tool's name as something to do: `book_room` gives "book the room"."""
    verb, *words = _verb_first(name)
    rest = " ".join(words)
    if not rest:
        return verb
    verb = {"lookup": "look up"}.get(verb, verb)
    if verb in _ASKING or _names_thing((verb, *words)):
        return f"{'look up' if verb in _ASKING else 'get the'} {verb} {rest}"
    return f"{verb} {'' if rest.endswith('s') or words[0] in ('to', 'for') else 'the '}{rest}"


def _done(name: str) -> str:
    """What a tool that changes something did: `book_room` gives "Booked the room"."""
    verb, *words = _verb_first(name)
    rest = " ".join(words)
    past = verb + ("d" if verb.endswith("e") else "ed")
    past = verb[:-1] + "ied" if re.search(r"[^aeiou]y$", verb) else past
    article = "the " if rest and words[0] not in ("to", "for", "the", "a") else ""
    return f"{_PAST.get(verb, past)} {article}{rest}".strip().capitalize()


def reads(name: str) -> bool:
    """Whether a tool's name says that it answers rather than acts."""
    words = _verb_first(name)
    if len(words) > 1 and words[0] in ("free", "next", "available"):
        return True  # "free lockers" is no deed
    return _names_thing(words) or words[0] in _READING or action_of(words[0]) == "find"


def sentence(text: str) -> str:
    """A text that starts large and ends with a mark."""
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ":")) or "\n" in text else text + "."


def error_words(error: str) -> str:
    """An error for the person who waits: no label, nothing that is meant for the caller; a
    question when several things fit."""
    bare = re.sub(r"^\W*(?:\w*error)\W+", "", error.strip(), flags=re.IGNORECASE)
    told = sentence(_TO_CALLER.sub("", bare).strip() or bare)
    return f"{told} Which one do you mean?" if _WHICH.search(bare) else told


def render(made: Made, about: str = "", names: Names | None = None) -> str:
    """A tool's result as text; `about` is the part of the request it answers, `names` says what
    ids stand for."""
    data, asks = made.data, reads(made.name)
    if made.error is not None:
        told = f"I could not {deed_words(made.name)}: {error_words(made.error)}"
        offers = _OFFERS.search(made.error) and not told.endswith("?")
        return f"{told} What would you like instead?" if offers else told
    if isinstance(data, list):
        return _listing(data, made, about, names or {})
    if isinstance(data, Mapping) and data:
        return sentence(record_block(data, about) if asks else _deed(data, made, about))
    if isinstance(data, str) and len(data.split()) > 2:
        return sentence(data) if asks else _told_deed(data, made)
    about = f"{_entity(made.name)}{_scope(made.arguments, names or {})}"
    if data in (None, "", {}):
        return f"I found no {about}." if asks else sentence(_done(made.name))
    if asks:
        return sentence(f"{about}: {scalar(data)}")
    done = _done(made.name)
    return sentence(done if _plain(data, done) else f"{done}: {scalar(data)}")


_JOINTS = re.compile(r"\s*[;|]\s*|(?<=^ok):\s*|(?<=^done):\s*", re.IGNORECASE)


def _told_deed(text: str, made: Made) -> str:
    """What came of a deed, where a text tells it in single notes; else the text as it is."""
    first, *notes = (n.strip().replace("=", " ") for n in _JOINTS.split(text.strip(" .")))
    done = _done(made.name)
    if not notes:
        return sentence(text)
    kept = notes if _plain(first, done) else [first, *notes]
    return sentence(f"{done}: {', '.join(filter(None, kept))}")


def _plain(data: Any, done: str) -> bool:
    """Whether a result merely says that something is done."""
    return data is True or str(data).strip(".! ").lower() in ("ok", "done", done.lower().split()[0])


def told_of_each(made: list[Made], about: str, names: Names) -> str:
    """Results of one tool as text, each with what it is of where there are several, and how their
    figures compare where the request compares."""
    if len(made) < 2:
        return "\n".join(render(m, about, names) for m in made)
    whose = [_own(m, made) for m in made]
    told = [(w, render(m, about, names)) for w, m in zip(whose, made, strict=True)]
    lines = [t if not w or w.lower() in t.lower() else f"For {w}: {t}" for w, t in told]
    return "\n".join([*lines, *_compared(made, whose, about)])


def _own(made: Made, others: list[Made]) -> str:
    """What a call alone was asked about, among several of one tool."""
    alike = (k for k, v in made.arguments.items() if all(o.arguments.get(k) == v for o in others))
    own = {k: v for k, v in made.arguments.items() if k not in {*alike}}
    return ", ".join(scalar(v) for v in own.values() if type(v) in (str, int, float))


def _compared(made: list[Made], whose: list[str], about: str) -> Iterator[str]:
    """The figures that the first and the last result both have, one held against the other."""
    first, last = made[0].data, made[-1].data
    if not (_COMPARES.search(about) and isinstance(first, Mapping) and isinstance(last, Mapping)):
        return
    for key, value in last.items():
        if all(type(v) in (int, float) for v in (value, first.get(key))):
            how = "the same" if value == first[key] else "lower" if value < first[key] else "higher"
            than = "as" if how == "the same" else "than"
            yield sentence(
                f"{human(key)} is {how} for {whose[-1]} ({scalar(value)}) {than} for {whose[0]}"
                f" ({scalar(first[key])})"
            )


def _entity(tool_name: str) -> str:
    """What a tool is about, in words: `find_free_slots` gives "free slots"."""
    words = list(_verb_first(tool_name))
    while words and words[0] in {*_READING, "all", "my"}:
        words = words[1:]
    return " ".join(w for w in words if w not in ("by", "for")) or "results"


def _scope(arguments: Mapping[str, Any], names: Names) -> str:
    """What a lookup was about (" for Anna Vogt, 2026-03-02"), ids by the names they stand for."""
    plain = (v for v in arguments.values() if v != "" and type(v) in (str, int, float))
    values = [names.get(str(v), scalar(v)) for v in plain]
    return f" for {', '.join(values[:3])}" if values else ""


def _listing(data: list[Any], made: Made, about: str, names: Names) -> str:
    noun = singular(_entity(made.name))
    where = _scope(made.arguments, names)
    if not data:
        return f"I found no {plural(noun)}{where}."
    label = noun if len(data) == 1 else plural(noun)
    return "\n".join([f"I found {len(data)} {label}{where}:", *bullets(data, about)])


def _deed(data: Mapping[str, Any], made: Made, about: str) -> str:
    called, used = head(data)
    rest = record_line({k: v for k, v in data.items() if k not in used}, about)
    deed = f"{_done(made.name)} {called}".strip()
    return f"{deed}: {rest}" if rest != "empty" else deed


def names_in(made: tuple[Made, ...]) -> dict[str, str]:
    """What ids stand for, as far as results with a name and an id have told."""
    found: dict[str, str] = {}
    for record in records(made):
        _, used = head(record.fields)
        if len(used) == 2:
            found.setdefault(str(record.fields[used[1]]), str(record.fields[used[0]]))
    return found


def known(step: Step, talk: Talk) -> str | None:
    """What the instructions or the material say of a part that no tool serves."""
    texts = (talk.material, talk.instructions)
    return None if step.tool else found_answer(step.clause.text, texts)


def answer(steps: list[Step], talk: Talk) -> str:
    """The parts in order, then the questions; each text once."""
    names = names_in((*talk.made, *talk.past))
    if shares(talk.instructions):
        steps = [s for s in steps if s.tool or known(s, talk)] or steps
    texts = list(dict.fromkeys(_part(s, talk, names) for s in _once(steps)))
    asked = [t for t in texts if t.endswith("?")]
    return "\n\n".join([*(t for t in texts if t not in asked), *asked])


def _once(steps: list[Step]) -> Iterator[Step]:
    """The parts, without those of which a part before tells the results of the same tool."""
    told: list[str] = []
    for step in steps:
        last = step.made[-1] if step.made and not step.skipped else None
        if last is None or last.error or last.name not in told:
            yield step
        told += [last.name] if last and not last.error else []


def _part(step: Step, talk: Talk, names: Names) -> str:
    """The text for one part: its result, its error, its question, or that nothing serves it."""
    said = polished(step.clause.text).rstrip(".!?")
    if step.skipped:
        return f"I left out “{said}”: {step.skipped}."
    if step.made:
        last = step.made[-1]
        if last.text is None:
            return f"There is no result of {human(last.name)}."
        alike = [m for m in talk.made if m.name == last.name and m.error is None and m.text]
        several = last in alike and len(alike) > 1
        about = talk.request if several else step.clause.text
        return told_of_each(alike if several else [last], about, names)
    if step.tool:
        deed = deed_words(step.tool.name)
        asked = _question(step.need.lacks, deed, names) if step.need.lacks else ""
        return asked or f"I did not {deed}: I was asked to answer without calling tools."
    found = small_talk(step.clause.text, talk.instructions) or known(step, talk)
    return found or f"I have no tool for this part of your request: “{said}”."


def _question(lacks: list[Lack], deed: str, names: Names) -> str:
    """The question that asks for what a part is missing, or says what was looked for in vain."""
    for lack in lacks:
        if lack.options:
            rows = [record_line(r.fields) for r in lack.options[:6]]
            rows += [f"and {len(lack.options) - 6} more"] if len(lack.options) > 6 else []
            shown = "\n".join(f"- {row}" for row in rows)
            which = f"Which {lack.param.entity or 'one'} do you mean?"
            return f"Several fit your request to {deed}:\n{shown}\n{which}"
    searched = next((k.searched[0] for k in lacks if k.searched), None)
    if searched:
        found = error_words(searched.error) if searched.error else render(searched, names=names)
        more = f"\nSo I could not {deed}. What would you like instead?"
        return found if found.endswith("?") else found + more
    words = list(dict.fromkeys(map(_missing, lacks)))
    return f"To {deed} I need {listed(words)}. Could you tell me?"


def _missing(lack: Lack) -> str:
    """What is missing, as one would ask for it: "the date", "the guest's name"."""
    asked = lack.asked
    if asked is lack.param:
        words = _PLAIN.get(asked.kind, human(asked.name))
        return words if words.startswith("number of") else f"the {words}"
    if asked.entity in ("name", "") or asked.kind == "query":
        return f"the {singular(_entity((lack.source or lack.tool).name))}'s name"
    return f"the {human(lack.param.name)}, or the {human(asked.name)} to look it up"


# --- small talk, and what texts answer ----------------------------------------------------------


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


UNFIT = "None of my tools fits that."
ENGLISH = "I'm sorry, I can only read and write English. Could you say that in English?"
_FOREIGN = frozenset(word_list("results.foreign"))


def foreign(text: str) -> bool:
    """Whether a text is in another language than English, by the small words in it."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    return sum(w in _FOREIGN for w in words) > max(1, sum(w in STOP_WORDS for w in words))


_NO_ANSWER = cue("results.no_answer", 0)


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
