"""Rules: what instructions make of a deed: a yes that is wanted first, what is never done, what is
at most, and what is looked at before."""

from __future__ import annotations

import re
from collections.abc import Sequence

from course.models.policy.conversation import Made
from course.models.policy.front.conditions import breaks
from course.models.policy.front.tool import changes, deeds_verbs, plainly, things
from course.models.policy.lexicon import nearest, synonyms
from course.models.policy.needs import Wanted
from course.models.policy.params import params
from course.models.policy.words import content, cue, in_figures, name_stems, stem, tokens
from course.models.wire import ToolSpec

_CONSENT, _AT_ONCE, _GENERAL, _NEVER, _SOMETIMES, _MOST, _LOOK = (
    cue(f"rules.{n}") for n in "consent at_once general never sometimes most look".split()
)
_BARS = re.compile(r"\b(?:never|only|no|nobody|at most|more than|not)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n+")


def _about(tool: ToolSpec, sentence: str, tools: Sequence[ToolSpec]) -> bool:
    """Whether a sentence of the instructions is about a tool's deed: by its own verb, unless that
    speaks for another's, or in general."""
    said = {t.stem for t in tokens(sentence.replace("-", " "))}
    named = [t for t in tools if changes(t) and deeds_verbs(t) & said]
    if named:
        fitting = [t for t in named if things(t) & said]
        return tool in (fitting or named)
    if _GENERAL.search(sentence):
        return True
    return any(synonyms(v) & said for v in deeds_verbs(tool)) and bool(things(tool) & said)


def consent(tool: ToolSpec, instructions: str, tools: Sequence[ToolSpec]) -> bool:
    """Whether instructions, or the tool itself, want a yes before a deed."""
    if _CONSENT.search(tool.description):
        return True
    sentences = (s for s in _SENTENCE.split(instructions) if _CONSENT.search(s))
    return any(not _AT_ONCE.search(s) and _about(tool, s, tools) for s in sentences)


def forbidden(tool: ToolSpec, instructions: str) -> str:
    """The sentence of the instructions that forbids a deed whatever the case, "" if none does."""
    for sentence in _SENTENCE.split(instructions):
        said = {t.stem for t in tokens(sentence)}
        if not _NEVER.search(sentence) or _SOMETIMES.search(sentence) or _TOO_MUCH.search(sentence):
            continue
        if deeds_verbs(tool) & said and (things(tool) & said or not things(tool)):
            return sentence
    return ""


_TOO_MUCH = re.compile(r"\bnever \w+ (?:any )?more\b", re.IGNORECASE)
"""How a sentence forbids only what is beyond a limit."""


def beyond(call: Wanted, tool: ToolSpec, instructions: str) -> str:
    """The limit in words that a number of a call is beyond, "" if there is none."""
    for sentence in _SENTENCE.split(in_figures(instructions)):
        for found in _MOST.finditer(sentence):
            most, unit = float(found["n"].replace(",", "")), stem((found["unit"] or "").lower())
            for param in params(tool.parameters):
                value = call.arguments.get(param.name)
                if isinstance(value, bool) or not isinstance(value, int | float) or value <= most:
                    continue
                near = frozenset((*name_stems(param.name), *content(param.description)))
                if unit and nearest(unit, near) >= 0.6:
                    return f"{found['n']} {found['unit']}"
    return ""


def banned(
    call: Wanted,
    tool: ToolSpec,
    instructions: str,
    made: Sequence[Made],
    tools: Sequence[ToolSpec],
) -> bool | None:
    """Whether what is to be looked at before a deed stands against it; None before anybody has
    looked."""
    reading = {t.name for t in tools if not changes(t)}
    looked = [m for m in made if m.name in reading and m.text is not None and m.error is None]
    sentences = _SENTENCE.split(in_figures(instructions))
    for place, sentence in enumerate(sentences):
        if not _LOOK.search(sentence):
            continue
        rule = sentence if _BARS.search(sentence) else f"{sentences[place - 1]} {sentence}"
        if not _about(tool, rule, tools):
            continue
        if not looked:
            return None
        return any(breaks(rule, m) for m in looked)
    return False


def looked_at(
    call: Wanted, tool: ToolSpec, instructions: str, tools: Sequence[ToolSpec]
) -> tuple[Wanted, ...]:
    """The look-ups that instructions want before a deed, with the values of its call."""
    found = []
    for each in (t for t in tools if not changes(t)):
        wanted = params(each.parameters)
        values = {p.name: call.arguments[p.name] for p in wanted if p.name in call.arguments}
        if all(p.name in values for p in wanted if p.required):
            said = frozenset(content(instructions))
            fit = sum(
                nearest(t, said) for t in (*things(each), *content(plainly(each.description)))
            )
            found.append((len(values) > 0, fit, each.name, values))
    best = max(found, key=lambda f: f[:2], default=None)
    return (Wanted(best[2], best[3]),) if best else ()
