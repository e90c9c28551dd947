"""Rows: the pieces of an enumeration, and the plain phrases in a text."""

from __future__ import annotations

import re

from course.models.policy.words import STOP_WORDS

_BREAK = re.compile(r"[;\n]|,(?!\d)|\band\b|\bplus\b|(?<=\w)\.\s")
_PHRASE = re.compile(
    r"(?<=\b)(?:(?:an?|the|my|our|your|his|her|their|for|about|on|as|\d+(?:\.\d+)?|x) )+"
    r"(?P<p>(?:[a-z][\w'’-]*|[A-Z][\w'’-]+)(?: (?:of )?[a-z][\w'’-]*| [A-Z][\w-]+){0,3})"
    r"|(?::|\bis|\bare|\bwas|['’]s) (?P<q>[a-z][\w'’-]*(?: [a-z][\w'’-]*){0,2})"
)
_ENDS = frozenset(
    """for on in at by with from to until before after as that which who is are was were not no
    per each please and or but since because if when while""".split()
)


def row_texts(text: str) -> list[tuple[int, int]]:
    """The pieces that may be rows of a list, by their places in the text."""
    out, start = [], 0
    for found in [*_BREAK.finditer(text), None]:
        end = found.start() if found else len(text)
        if text[start:end].strip():
            out.append((start, end))
        start = found.end() if found else end
    return out


def phrase_after(text: str) -> list[tuple[int, int]]:
    """The plain noun phrases of a text: what stands after an article, a number or a colon."""
    out = []
    for found in _PHRASE.finditer(text):
        group = "p" if found["p"] else "q"
        start = found.start(group)
        said = re.split(r"(?<= )(?=[\w'’-]+(?: |$))", found[group])
        kept = []
        for word in said:
            if word.strip().lower() in _ENDS | (STOP_WORDS - {"of"}):
                break
            kept.append(word)
        phrase = "".join(kept).rstrip()
        if phrase:
            out.append((start, start + len(phrase)))
    return out
