"""Speech: what is said when nothing is called: answers and questions, a merge, a rewrite, small
talk, and what the texts at hand say."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from course.models.policy.clauses import polished, split
from course.models.policy.colleagues import staff_of
from course.models.policy.conversation import Talk, text_of, turns_in
from course.models.policy.interview import interview
from course.models.policy.lexicon import synonyms
from course.models.policy.lines import as_sentences, plain_facts, record_line
from course.models.policy.match import choose
from course.models.policy.material import (
    Part,
    before_labels,
    failed_task,
    fields,
    parts,
    question_in,
)
from course.models.policy.needs import Lack
from course.models.policy.patterns import regex
from course.models.policy.reader.decision import shares
from course.models.policy.remedy import rewritten
from course.models.policy.replies import ASSENT
from course.models.policy.results import (
    Names,
    deed_words,
    entity,
    error_words,
    names_in,
    render,
    told_of_each,
)
from course.models.policy.steps import Step, is_control
from course.models.policy.synthesis import (
    DIFFERENCES,
    Sheet,
    conversation,
    merged,
    most_words,
    noted,
    put_together,
    sentences,
    sheet_of,
    shortened,
)
from course.models.policy.words import STOP_WORDS, content, cue, human, listed, singular, word_list
from course.models.tokens import count_text
from course.models.wire import ChatRequest

_PASSED_ON, _GREETS, _SUMMARY, _DIALOGUE, _LABELS, _MERGE = (
    cue(f"speech.{n}") for n in "passed_on greets summary dialogue labels merge".split()
)
_REWRITE, _AGAIN, _BOUNCED, _SAID_AGAIN = (
    cue(f"speech.{n}") for n in "rewrite again bounced again_said".split()
)
_PLAIN = {"email": "e-mail address", "phone": "phone number"}
_GREETING = cue("speech.greeting")
_THANKS = cue("speech.thanks")
_BYE = regex(r"^\W*(?:bye|goodbye|see you|have a (?:nice|good))\b.{0,40}$", re.IGNORECASE)
_WHO = cue("speech.who")
_WHAT = regex(r"what can you do|how can you help|what do you do|^\W*help\W*$", re.IGNORECASE)
_NAME = cue("speech.name", 0)
_ROLE = regex(r"\b[Yy]ou(?: are|'re) (?:[A-Z][\w-]+, )?((?:an?|the) [^.,;:\n]{2,80})")


def passing_on(request: ChatRequest) -> str | None:
    """The last words to a person whom a tool has just handed over to somebody; else None."""
    *_, last = ({}, *request.messages)
    if request.tool_choice != "none" or last.get("role") != "tool":
        return None
    match = _PASSED_ON.match(text_of(last))
    return f"I am passing you on to {match['to'].replace('_', ' ')}." if match else None


def speech(talk: Talk, steps: list[Step], request: ChatRequest) -> str:
    """The text of an answer that calls no tool."""
    if said := passing_on(request) or interview(request, talk):
        return said
    if _GREETS.search(talk.instructions) and not request.tools:
        return greeting(talk.instructions)
    if any(s.tool for s in steps):
        said = answer(steps, talk)
    elif any(not is_control(m.name) for m in talk.made):
        said = _from_results(talk)
    else:
        chat = small_talk(talk.latest, talk.instructions, _abilities(request))
        said = _by_instruction(talk, request) or chat or _from_texts(talk, request)
    return said


def _by_instruction(talk: Talk, request: ChatRequest) -> str | None:
    """What instructions ask for besides conversation: rewriting, merging, summing up, a label."""
    asked = f"{talk.instructions}\n{talk.request}"
    told_how = f"{talk.instructions}\n{before_labels(talk.latest)}"
    again = _REWRITE.search(asked) or (_AGAIN.search(told_how) and _BOUNCED.search(asked))
    if again and not request.tools and (told := failed_task(talk.latest)):
        return rewritten(told[0], told[1], talk.today, told[2])
    if _SUMMARY.search(asked) and _DIALOGUE.search(asked):
        return _summary(talk, request)
    merges = _MERGE.search(asked)
    sheet = sheet_of(talk) if merges else None
    if sheet:
        most = most_words(talk)
        return _notes(sheet, most, request) if most else put_together(sheet)
    found = parts(talk.latest) if merges else ()
    if found and (len(found) > 1 or fields(talk.latest)):
        return _merged(talk, found)
    return _label(talk)


def _merged(talk: Talk, found: tuple[Part, ...]) -> str:
    versions = bool(DIFFERENCES.search(talk.instructions))
    return merged(found, question_in(talk.latest), versions=versions)


def _notes(sheet: Sheet, most: int, request: ChatRequest) -> str:
    """Notes within so many words and within the tokens that the reply may have."""
    text = noted(sheet, most)
    room = 0.9 * request.max_tokens if request.max_tokens else math.inf
    while most > 8 and count_text(text) > room:
        most = int(0.85 * most)
        text = noted(sheet, most)
    return text


def _summary(talk: Talk, request: ChatRequest) -> str:
    turns = turns_in(talk.latest)
    lines = [(who.capitalize(), told.partition("\n")[0]) for who, told in turns]
    if not lines:
        turns = [(str(m.get("role")), text_of(m)) for m in request.messages]
        turns = [t for t in turns if t[0] in ("user", "assistant") and t[1]]
        asked = 1 if _SUMMARY.search(talk.latest) else 0
        lines = [(role.capitalize(), text) for role, text in turns[: len(turns) - asked]]
    return conversation(lines) or "There is nothing to sum up yet."


def _label(talk: Talk) -> str | None:
    """One of the labels that the instructions demand as the whole answer."""
    match = _LABELS.search(talk.instructions) if talk.request else None
    told = re.split(r",|\bor\b|\||/|;", match.group(1).split(". ")[0]) if match else ()
    names = tuple(n for t in told if (n := t.strip(" .'\"`*")) and len(n.split()) <= 4)
    return choose(names, talk.request, (talk.instructions,))[0][1] if len(names) > 1 else None


def _abilities(request: ChatRequest) -> str:
    staff = staff_of(request.tools, text_of(request.messages[0]) if request.messages else "")
    deeds = [deed_words(t.name, t.description) for t in staff.own]
    doors, asked = (
        list(dict.fromkeys(human(c.name) for c in staff.by(*how)))
        for how in (("transfer", "return"), ("consult", "delegate"))
    )
    deeds += [f"ask {listed(asked, 'or')}"] if asked else []
    deeds += [f"pass you on to {listed(doors, 'or')}"] if doors else []
    return f" I can {listed(deeds[:8])}." if deeds else ""


def _from_results(talk: Talk) -> str:
    """The results at hand when their tools are no longer on offer."""
    names = names_in(talk.made)
    made = (m for m in talk.made if m.text and not is_control(m.name))
    texts = dict.fromkeys(render(m, talk.request, names) for m in made)
    return "\n\n".join(texts) or "The tools returned nothing."


def _from_texts(talk: Talk, request: ChatRequest) -> str:
    """An answer out of the texts at hand, or an honest word that there is none."""
    found = parts(talk.latest)
    if plain_facts(talk.given):
        return as_sentences(talk.given)
    said = [text_of(m) for m in request.messages[::-1] if m.get("role") == "assistant"]
    said = [text for text in said if text]
    if said and _SAID_AGAIN.search(talk.latest):
        return said[0]
    if len(found) > 1:
        return _merged(talk, found)
    rest = talk.material.replace(talk.request, "")
    if rest.strip() and _SUMMARY.search(talk.request):
        return shortened(rest, 5)
    older = (m.text or "" for m in talk.past if m.error is None)
    texts = (talk.material, *said, *talk.earlier, *older, statements(talk.instructions))
    asked = (talk.request, *(c.text for c in split(talk.request)))
    whole, *pieces = (found_answer(text, texts) for text in asked)
    if told := whole or " ".join(dict.fromkeys(p for p in pieces if p)):
        return told
    if rest.strip() and rest == talk.material:  # a text that was pasted below the request
        return shortened(rest, 3)
    if foreign(talk.latest):
        return ENGLISH
    if request.tools and talk.request.strip():
        return f"{UNFIT}{_abilities(request)}"
    return HONEST if talk.request.strip() else "What would you like me to do?"


# --- the parts of a request ----------------------------------------------------------------------


def known(step: Step, talk: Talk) -> str | None:
    """What the instructions or the material say of a part that no tool serves."""
    texts = (talk.material, statements(talk.instructions))
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
        deed = deed_words(step.tool.name, step.tool.description)
        asked = _question(step.need.lacks, deed, names) if step.need.lacks else ""
        return asked or f"I did not {deed}: I was asked to answer without calling tools."
    found = small_talk(step.clause.text, talk.instructions) or known(step, talk)
    return found or f"I have no tool for this part of your request: “{said}”."


def asks_first(calls: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """The question that stands before calls, by name and arguments, that change something."""
    told = []
    for name, data in calls:
        named = listed([f"{human(k)} {_plain(v)}" for k, v in data.items() if v not in (None, "")])
        told.append(deed_words(name) + (f" with {named}" if named else ""))
    return f"Please confirm: shall I {listed(told)}?"


def _plain(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.rstrip(".?!")


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
        return f"the {singular(entity((lack.source or lack.tool).name))}'s name"
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
_FOREIGN = frozenset(word_list("speech.foreign"))


def foreign(text: str) -> bool:
    """Whether a text is in another language than English, by the small words in it."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    return sum(w in _FOREIGN for w in words) > max(1, sum(w in STOP_WORDS for w in words))


_NO_ANSWER, _TO_ME = cue("speech.no_answer", 0), cue("speech.to_me", 0)


def statements(instructions: str) -> str:
    """Instructions without what orders how to treat whoever asks: that is no answer to them."""
    return "\n".join(s for s in sentences(instructions) if not _TO_ME.search(s))


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
