"""Speech: what is said when nothing is called: an answer, a merge, a rewrite, small talk."""

from __future__ import annotations

import math
import re

from course.models.policy.clauses import split
from course.models.policy.conversation import Talk, text_of, turns_in
from course.models.policy.interview import interview
from course.models.policy.lines import as_sentences, plain_facts
from course.models.policy.match import choose
from course.models.policy.material import (
    Part,
    before_labels,
    failed_task,
    fields,
    parts,
    question_in,
)
from course.models.policy.remedy import rewritten
from course.models.policy.results import (
    ENGLISH,
    HONEST,
    UNFIT,
    answer,
    deed_words,
    foreign,
    found_answer,
    greeting,
    names_in,
    render,
    small_talk,
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
    sheet_of,
    shortened,
)
from course.models.policy.wordlists import cue
from course.models.policy.words import human, listed
from course.models.tokens import count_text
from course.models.wire import ChatRequest

_PASSED_ON, _GREETS, _SUMMARY, _DIALOGUE, _LABELS, _MERGE = (
    cue(f"speech.{n}") for n in "passed_on greets summary dialogue labels merge".split()
)
_REWRITE, _AGAIN, _BOUNCED, _SAID_AGAIN = (
    cue(f"speech.{n}") for n in "rewrite again bounced again_said".split()
)


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
    deeds = [deed_words(t.name) for t in request.tools if not is_control(t.name)]
    agents = [human(t.name.split("_to_")[-1]) for t in request.tools if is_control(t.name)]
    deeds += [f"pass you on to {listed(agents, 'or')}"] if agents else []
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
    if talk.material and _SUMMARY.search(talk.request):
        return shortened(talk.material.replace(talk.request, ""), 5)
    older = (m.text or "" for m in talk.past if m.error is None)
    texts = (talk.material, *said, *talk.earlier, *older, talk.instructions)
    asked = (talk.request, *(c.text for c in split(talk.request)))
    whole, *pieces = (found_answer(text, texts) for text in asked)
    if told := whole or " ".join(dict.fromkeys(p for p in pieces if p)):
        return told
    if foreign(talk.latest):
        return ENGLISH
    if request.tools and talk.request.strip():
        return f"{UNFIT}{_abilities(request)}"
    return HONEST if talk.request.strip() else "What would you like me to do?"
