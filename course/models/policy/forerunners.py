"""Forerunners: jobs that come before others because those need what they find.

Whoever is to be found by name is found first, if one of the workers does that. What is computed
about something is computed from its record, so the record is looked up first by whoever keeps it,
and so is the list that a computation speaks of ("the interest on the invoice"). What is to be done
"by the mandate" waits for the paper, where somebody reads papers of that kind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from course.models.policy.asks import Ask, spoken
from course.models.policy.kin import meant, nearest
from course.models.policy.naming import YEAR, subjects
from course.models.policy.staff import Hand, finder, ranked, searcher
from course.models.policy.wordlists import cue
from course.models.policy.words import (
    content,
    listed,
    name_stems,
    name_words,
    plural,
    singular,
    stem,
)


@dataclass
class Job:
    """A task in the making: what is asked, of whom, which earlier jobs it waits for, and which of
    them it must see the results of, even if another one waits for them too."""

    asks: list[Ask]
    hand: Hand
    after: set[int] = field(default_factory=set)
    words: str = ""
    sees: set[int] = field(default_factory=set)


def before_all(
    made: list[Job], words: str, hand: Hand, needing: list[Job], place: int = 0
) -> list[Job]:
    """The jobs with a new one at a place, at their head if none is given, for which some wait."""
    for job in made:
        own = {place} if any(job is n for n in needing) else set()
        job.after = {n + (n >= place) for n in job.after} | own
        job.sees = {n + (n >= place) for n in job.sees} | own
    after = set().union(*(j.after for j in needing)) - {place} if place else set()
    after = {n for n in after if n < place}
    return [*made[:place], Job([Ask(words)], hand, after, words, set(after)), *made[place:]]


# --- papers that say how something is done -----------------------------------------------------

_BY_PAPER = cue("forerunners.by_paper", 0)


def ruled_first(made: list[Job], among: tuple[Hand, ...]) -> list[Job]:
    """The jobs with one before them that finds the paper by which something is to be done."""
    reader = searcher(among)
    if reader is None:
        return made
    for job in [j for j in made if j.hand is not reader]:
        said = [m["what"] for a in job.asks for m in _BY_PAPER.finditer(a.text)]
        about = subjects(job.words)
        for paper in _papers_in(reader.about, said) if about else ():
            needing = [j for j in made if j.hand is not reader and subjects(j.words) == about]
            years = {y for a in job.asks for y in YEAR.findall(a.head)}
            dated = f", in {min(years)}" if len(years) == 1 else ""
            made = before_all(
                made, f"Find the {paper} of {spoken(about[:4])}{dated}.", reader, needing
            )
    return made


def _papers_in(duty: str, said: list[str]) -> list[str]:
    """The papers that a reader's description names and a text speaks of, each in its own words."""
    words = frozenset(w for text in said for w in content(text))
    found: list[str] = []
    before = False
    for word in re.findall(r"[a-z]+|[,;]", duty.lower()) if words else ():
        named = bool(content(word)) and nearest(stem(word), words) >= _SAME
        if named and before:
            found[-1] = f"{found[-1]} {singular(word)}"
        elif named:
            found.append(singular(word))
        before = named
    return list(reversed(found))


_SAME = 0.8


# --- figures that are for something to be calculated first --------------------------------------

_AMOUNT_OF = cue("forerunners.amount_of", 0)
CALCULATES = re.compile(r"\b(?:calculat|comput|measur|estimat)\w+", re.IGNORECASE)


def worked_out_first(made: list[Job], among: tuple[Hand, ...]) -> list[Job]:
    """The jobs with one before them that works out what something is asked for: "the cheapest
    offer for the flour of 400 loaves"."""
    for job in list(made):
        match = _AMOUNT_OF.search(job.asks[0].text)
        if match is None:
            continue
        score, hand = ranked(match["what"], among)[0]
        if score > 0 and hand is not job.hand and CALCULATES.search(hand.about):
            made = before_all(made, f"Calculate the {match['what']}.", hand, [job])
    return made


# --- records that something is computed from ---------------------------------------------------

_COMPUTING = frozenset("compute calculate quote estimate convert".split())
_KEEPING = frozenset("find get look lookup fetch".split())


def _computed(job: Job) -> bool:
    """Whether the tool that a job's words name best computes something."""
    words = frozenset(meant(" ".join(a.text for a in job.asks)))
    best, verb = 0.0, ""
    for tool in job.hand.tools:
        stems = name_stems(tool)[1:]
        share = sum(nearest(s, words) for s in stems) / max(1, len(stems))
        if share > best:
            best, verb = share, name_words(tool)[0]
    return best >= _PART and verb in _COMPUTING


_PART = 0.4
_LOOKS_UP = r"\b(?:looks? up|finds?|keeps?)(?: the| all| our)? {noun}(?:s|es)?\b(?! of\b)"


def keeper(among: tuple[Hand, ...]) -> tuple[Hand, str] | None:
    """Who keeps the records of something, with what they are of: its description says that it
    looks them up, and one of its tools gets one."""
    for hand in among:
        for words in (name_words(tool) for tool in hand.tools):
            keeps = len(words) == 2 and words[0] in _KEEPING
            if keeps and re.search(_LOOKS_UP.format(noun=words[1]), hand.about, re.IGNORECASE):
                return hand, words[1]
    return None


def recorded_first(made: list[Job], among: tuple[Hand, ...]) -> list[Job]:
    """The jobs with those before them that look up what others compute from."""
    for hand, noun in _lists(among):
        needing = [j for j in made if j.hand is not hand and _computed(j) and _speaks(j, noun)]
        made = _looked_up(made, hand, noun, needing, "List")
    kept = keeper(among)
    if kept is None:
        return made
    hand, noun = kept
    needing = [j for j in made if j.hand is not hand and (_computed(j) or _placed(j))]
    made = _looked_up(made, hand, noun, [j for j in needing if subjects(j.words)], "Find")
    for job in [j for j in needing if not subjects(j.words) and j.after]:
        place = next(n for n, j in enumerate(made) if j is job)
        made = before_all(made, f"Find the {noun} of what was found.", hand, [job], place)
    return made


_AT = re.compile(r"\b(?:at|on|in) (?:its [a-z]+(?:[,.?]|$)|the [a-z]+ of (?:the )?[A-Z])")


def _placed(job: Job) -> bool:
    """Whether a job is about what there is at something of its subject's: "the depth at its
    berth", which the subject's record names."""
    return any(_AT.search(a.text) for a in job.asks)


def _lists(among: tuple[Hand, ...]) -> list[tuple[Hand, str]]:
    """Who lists things of which kind."""
    return [
        (hand, words[-1])
        for hand in among
        for words in (name_words(tool) for tool in hand.tools)
        if len(words) == 2 and words[0] == "list"
    ]


def _speaks(job: Job, noun: str) -> bool:
    return any(stem(noun) in content(a.text) for a in job.asks)


def _looked_up(made: list[Job], hand: Hand, noun: str, needing: list[Job], verb: str) -> list[Job]:
    """The jobs with one before them that looks up what the needing ones are about."""
    about = list(dict.fromkeys(n for j in needing for n in subjects(j.words)))
    if not about:
        return made
    years = list(dict.fromkeys(y for j in needing for y in YEAR.findall(j.words)))
    many = len(about) > 1 or verb == "List"
    dated = f", in {listed(years)}" if years and verb == "List" else ""
    words = f"{verb} the {plural(noun) if many and not noun.endswith('s') else noun} of "
    return before_all(made, f"{words}{spoken(tuple(about[:4]))}{dated}.", hand, needing)


# --- people who are found by name --------------------------------------------------------------


def _called(noun: str, words: str) -> bool:
    """Whether a text calls somebody so by name: "the patient Ada Lang"."""
    return bool(re.search(rf"\b{noun}s? [A-ZÀ-Þ]", words))


def _finds(job: Job, noun: str, names: list[str]) -> bool:
    """Whether a job finds these people already."""
    told = re.match(rf"(?:find|look up|identify) (?:the )?{noun}s?\b", job.words, re.IGNORECASE)
    return bool(told) and all(n in job.words for n in names)


_BORN = re.compile(r",? born (?:in |on )?[\w -]*\d{4}")


def found_first(made: list[Job], among: tuple[Hand, ...]) -> list[Job]:
    """The jobs with one before them that finds whom they are about, if somebody does that."""
    found = finder(among)
    if found is None:
        return made
    hand, noun = found
    needing = [j for j in made if j.hand is not hand and subjects(j.words)]
    told = [h for h in among if h is not hand and stem(noun) in content(h.about)]
    if told:  # some say that they deal with such people, so the others do not
        needing = [j for j in needing if j.hand in told or _called(noun, j.words)]
    names = list(dict.fromkeys(n for j in needing for n in subjects(j.words)))
    if not names:
        return made
    known = next((n for n, j in enumerate(made) if j.hand is hand and _finds(j, noun, names)), None)
    if known is not None:
        for job in made[known + 1 :]:
            job.after |= {known} if job in needing else set()
        return made
    whole = " ".join(j.words for j in made)
    shown = [n + (b.group() if (b := _BORN.match(whole.split(n, 1)[1])) else "") for n in names]
    words = f"Find the {plural(noun) if len(names) > 1 else noun} {listed(shown)}."
    return before_all(made, words, hand, needing)
