"""Counted groups: "the top three cloud providers" as a task for each of them.

Who they are is only to be found out, but how many is said, and somebody looks such things up by
rank. So what is asked of them can be looked up for all at once, what is to be calculated waits for
that, and what is to be written waits for both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from course.models.policy.forerunners import CALCULATES
from course.models.policy.staff import Hand, ranked, role, searcher
from course.models.policy.wordlists import cue
from course.models.policy.words import NUMBER_WORDS, singular

_BEST = r"top|leading|largest|biggest|best|first|highest|strongest"
_GROUP = re.compile(
    rf"(?:,? ?\b(?:of|for|by|among|across|on))? ?\b(?:the|our|its|their) (?:(?:{_BEST}) (?P<n>\w+)"
    rf"|(?P<m>\w+) (?:{_BEST})) (?P<noun>[a-z]+(?: [a-z]+)?s)\b(?P<after>[,.:]?)",
    re.IGNORECASE,
)
_BY_RANK = re.compile(r"\bby (?:its |their |the )?(?:rank|place|position)\b", re.IGNORECASE)
_ORDER = cue("counted.order")
_SUMS = re.compile(r"\b(?:growth|change|difference|increase|decrease)\b", re.IGNORECASE)
_WRITTEN = cue("counted.written")
_MOST = 8


@dataclass(frozen=True)
class Part:
    """A task before it has an id: its words, who does it, and the places (from 0) it waits for."""

    words: str
    hand: Hand
    after: tuple[int, ...] = ()


def by_rank(request: str, among: tuple[Hand, ...]) -> list[Part]:
    """The tasks of a request about a counted group; none where it is not about one, or where
    nobody looks such things up by rank."""
    group = _GROUP.search(request)
    finder = next((h for h in among if _BY_RANK.search(h.about)), None)
    said = (group["n"] or group["m"]).lower() if group else ""
    count = int(said) if said.isdecimal() else NUMBER_WORDS.get(said, 0)
    if group is None or finder is None or not 2 <= count <= _MOST:
        return []
    rest = f"{request[: group.start()]}{group['after'] or ''} {request[group.end() :]}"
    aspects = [_bare(each) for each in re.split(r",(?: and| with)? | with | and |[.:] ?", rest)]
    written = [m for a in aspects if (m := _WRITTEN.search(a))]
    sums = [a for a in aspects if _SUMS.search(a) and not _WRITTEN.search(a)]
    figures = [a for a in aspects if a and a not in sums and not _WRITTEN.search(a)]
    if not figures:
        return []
    return _parts(group["noun"], count, finder, among, figures, sums, written)


def _bare(aspect: str) -> str:
    return _ORDER.sub("", re.sub(r"^(?:and |with |the |an? )+", "", aspect.strip())).strip()


def _parts(
    noun: str,
    count: int,
    finder: Hand,
    among: tuple[Hand, ...],
    figures: list[str],
    sums: list[str],
    written: list[re.Match[str]],
) -> list[Part]:
    what, years = " and ".join(figures), ", this year and the year before" if sums else ""
    one = singular(noun)
    made = [
        Part(f"Find the {what} of the {one} of rank {place}{years}.", finder)
        for place in range(1, count + 1)
    ]
    found = tuple(range(count))
    for each in (m["about"] for m in written if m["about"]):
        made.append(Part(f"Search for the {each} of {noun}.", searcher(among) or finder))
    if sums:
        order = f"Calculate the {' and '.join(sums)} of the {what} of each of the {noun}."
        hand = next((h for h in among if CALCULATES.search(h.about)), ranked(order, among)[0][1])
        made.append(Part(order, hand, found))
    for each in written:
        told = f" of {each['about']}" if each["about"] else ""
        words = f"Write a {each['kind'].lower()}{told} of the {noun}, with the {what}"
        hand = next((h for h in among if re.search(r"\bwrit", role(h))), ranked(words, among)[0][1])
        words += f" and the {' and '.join(sums)}." if sums else "."
        made.append(Part(words, hand, tuple(range(len(made)))))
    return made
