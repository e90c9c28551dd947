"""Judging: whether a text has what its instructions want in it, and whether a message is one of
those that may pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from course.models.policy.conversation import Talk
from course.models.policy.lexicon import nearest
from course.models.policy.mentions import mentions
from course.models.policy.params import Param
from course.models.policy.patterns import regex
from course.models.policy.words import content, cue, in_figures, listed, name_words, stem

_MUST, _MUST_NOT, _WORDS, _PASSES, _FAILS, _ALLOWED, _BANNED, _DETECTS, _TASKS, _LETS = (
    cue(f"judging.{n}")
    for n in "must must_not words passes fails allowed banned detects tasks lets".split()
)
_PRIVATE, _PRIVACY = cue("judging.private"), cue("judging.privacy")
_LACKING = regex(r"missing|issues?|problems?|lacking|errors?|gaps?|improvements?", re.IGNORECASE)
_SAYS = regex(r"feedback|comment|reason\w*|why|explanation|rationale|notes?|critique", re.I)
_SPLIT = regex(r"; |, and |, | and (?:that )?(?=the |an? |its |\w+$)")
_FORMS: Mapping[str, re.Pattern[str]] = {
    "price": regex(r"(?:[€$£]|\b(?:eur|usd|gbp)\b) ?\d|\d ?(?:[€$£]|eur|usd|gbp|euros?|pounds?"
                   r"|dollars?|kr\b)", re.IGNORECASE),
    "size": regex(r"\d ?[x×] ?\d|\d ?(?:cm|mm|m|inch|litres?|ml|kg|g)\b", re.IGNORECASE),
    "percentage": regex(r"\d ?(?:%|per ?cent)", re.IGNORECASE),
}  # fmt: skip
"""How what texts often have to name looks, by its word."""
_SAME = {"cost": "price", "dimension": "size", "dimensions": "size", "measurements": "size"}
_KINDS = {"date": "date", "day": "date", "time": "time", "email": "email", "phone": "phone"}


@dataclass(frozen=True)
class Criteria:
    """What a text has to have in it, what it may not have, and its most words (0 for any)."""

    wanted: tuple[str, ...]
    banned: tuple[str, ...] = ()
    words: int = 0

    def lacks(self, text: str) -> list[str]:
        """What is wrong with a text, in a few words each."""
        found = [w for w in self.wanted if not _has(w, text)]
        found += [f"no {b}" for b in self.banned if _has(b, text)]
        long = self.words and len(text.split()) > self.words
        return [*found, *([f"at most {self.words} words"] if long else [])]


def criteria_in(instructions: str) -> Criteria | None:
    """The criteria that instructions name for a text, None if they name none."""
    told = in_figures(instructions)
    wanted = [_bare(w) for m in _MUST.finditer(told) for w in _SPLIT.split(m["what"] or m["also"])]
    banned = [_bare(w) for m in _MUST_NOT.finditer(told) for w in re.split(", | or ", m["what"])]
    words = _WORDS.search(told)
    wanted = [w for w in wanted if content(w) and not _WORDS.search(w)]
    if not wanted:
        return None
    return Criteria(
        tuple(wanted),
        tuple(b for b in banned if b),
        int(words["n"] or words["most"]) if words else 0,
    )


def _bare(text: str) -> str:
    return re.sub(r"^(?:and |the |an? |its )+", "", text.strip(" .;:")).strip()


def _has(criterion: str, text: str) -> bool:
    """Whether a text has what a criterion names: by its form, or by most of its words."""
    last = _SAME.get(criterion.split()[-1].lower(), criterion.split()[-1].lower())
    if form := _FORMS.get(last):
        return bool(form.search(text))
    if kind := _KINDS.get(last):
        return any(m.kind == kind for m in mentions(text))
    own, said = content(criterion), frozenset(content(text))
    return bool(own) and sum(nearest(w, said) >= 0.6 for w in own) > 0.5 * len(own)


def verdict(wanted: Iterable[Param], talk: Talk) -> dict[str, Any]:
    """The fields of an answer that judges: whether a text passes and what it lacks, or whether a
    message may pass; with the reason. Empty where nothing is judged."""
    fields = tuple(wanted)
    if criteria := criteria_in(talk.instructions):
        return _marked(fields, criteria.lacks(talk.latest))
    return _guarded(fields, talk)


def _marked(fields: tuple[Param, ...], lacks: list[str]) -> dict[str, Any]:
    told = f"Missing: {listed(lacks)}." if lacks else "All that is asked for is there."
    found: dict[str, Any] = {}
    for param in fields:
        if param.kind == "boolean" and _PASSES.search(param.name):
            found[param.name] = not lacks
        elif param.kind == "enum" and (option := _option(param, good=not lacks)):
            found[param.name] = option
        elif param.kind == "array" and _LACKING.search(param.name):
            found[param.name] = lacks
        elif param.type == "string" and param.kind != "enum" and _SAYS.search(param.name):
            found[param.name] = told
    judges = any(p.name in found and p.kind in ("boolean", "enum") for p in fields)
    return found if judges else {}


def _option(param: Param, *, good: bool) -> str | None:
    """The option that says that something passes, or that it does not."""
    options = [o for o in param.options if isinstance(o, str)]
    fails = [o for o in options if _FAILS.search(o)]
    passes = [o for o in options if o not in fails and _PASSES.search(o)]
    if not (fails and passes):
        return None
    return passes[0] if good else fails[0]


# --- guards --------------------------------------------------------------------------------------


def _guarded(fields: tuple[Param, ...], talk: Talk) -> dict[str, Any]:
    """Whether a message may pass, or is of the sort that is looked for."""
    flags = [p for p in fields if p.kind == "boolean"]
    if len(flags) != 1 or not _LETS.search(talk.instructions):
        return {}
    flag, text = flags[0], talk.latest
    banned = _words_of(m["what"] for m in _BANNED.finditer(talk.instructions))
    rest = _BANNED.sub(" ", talk.instructions)
    allowed = _words_of(m["what"] for m in _ALLOWED.finditer(rest))
    detects = _DETECTS.search(talk.instructions)
    if detects and not _PASSES.search(flag.name):
        sought = _words_of([detects["what"], " ".join(name_words(flag.name))])
        meant = _shared(text, sought) > _shared(text, allowed - sought)
        return {flag.name: meant} | _reasons(fields, text, meant)
    odd = bool(_TASKS.search(text)) and not _TASKS.search(" ".join(allowed))
    odd = odd or bool(_PRIVATE.search(text) and _PRIVACY.search(talk.instructions))
    passes = not odd and _shared(text, allowed) > 0 and not _shared(text, banned - allowed)
    value = passes if not _FAILS.search(flag.name) else not passes
    return {flag.name: value} | _reasons(fields, text, passes)


def _words_of(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(w for t in texts for w in content(t)) - _PLAIN


_PLAIN = frozenset(stem(w) for w in "question questions message anything thing answer user".split())


def _shared(text: str, words: frozenset[str]) -> int:
    return sum(nearest(w, words) >= 0.6 for w in content(text))


def _reasons(fields: tuple[Param, ...], text: str, yes: bool) -> dict[str, str]:
    """The reason in a sentence, with what the message says."""
    said = " ".join(text.split())[:120].rstrip(" .?!")
    told = "is" if yes else "is not"
    reason = f"It says “{said}”, which {told} what this is about."
    return {p.name: reason for p in fields
            if p.type == "string" and p.kind != "enum" and _SAYS.search(p.name)}  # fmt: skip
