"""Forerunners: jobs that come before others because those need what they find.

Whoever is to be found by name is found first, if one of the workers does that. What is computed
about something is computed from its record, so the record is looked up first by whoever keeps it,
and so is the list that a computation speaks of ("the interest on the invoice"). What is to be done
"by the mandate" waits for the paper, where somebody reads papers of that kind.
"""

from __future__ import annotations

import re

from course.models.policy.asks import spoken
from course.models.policy.lexicon import meant, nearest
from course.models.policy.mentions import YEAR, subjects
from course.models.policy.staff import (
    Hand,
    Hands,
    Job,
    calculates,
    finder,
    keeper,
    of,
    ranked,
    searcher,
)
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


def forerun(made: list[Job], among: Hands) -> list[Job]:
    """The jobs with those that have to come before them."""
    made = _worked_out_first(_ruled_first(made, among), among)
    return _found_first(_recorded_first(made, among), among)


def _before(made: list[Job], words: str, hand: Hand, needing: list[Job], place: int = 0
            ) -> list[Job]:  # fmt: skip
    """The jobs with a new one at a place, at their head if none is given, for which some wait."""
    for job in made:
        own = {place} if any(job is n for n in needing) else set()
        job.after = {n + (n >= place) for n in job.after} | own
        job.sees = {n + (n >= place) for n in job.sees} | own
    new = of(words, hand, {n for j in needing for n in j.after if n < place})
    new.sees = set(new.after)
    return [*made[:place], new, *made[place:]]


def _text(job: Job) -> str:
    return " ".join(a.text for a in job.asks)


# --- papers that say how something is done ------------------------------------------------------

_BY_PAPER = cue("forerunners.by_paper", 0)
_SAME = 0.8


def _ruled_first(made: list[Job], among: Hands) -> list[Job]:
    """The jobs with one before them that finds the paper by which something is to be done."""
    reader = searcher(among)
    if reader is None:
        return made
    for job in [j for j in made if j.hand is not reader]:
        said = frozenset(w for m in _BY_PAPER.finditer(_text(job)) for w in content(m["what"]))
        about = subjects(job.words)
        for paper in _papers_in(reader.about, said) if about else ():
            needing = [j for j in made if j.hand is not reader and subjects(j.words) == about]
            years = {y for a in job.asks for y in YEAR.findall(a.head)}
            dated = f", in {min(years)}" if len(years) == 1 else ""
            words = f"Find the {paper} of {spoken(about[:4])}{dated}."
            made = _before(made, words, reader, needing)
    return made


def _papers_in(duty: str, said: frozenset[str]) -> list[str]:
    """The papers that a reader's description names and a text speaks of, each in its own words."""
    found: list[list[str]] = [[]]
    for word in re.findall(r"[a-z]+|[,;]", duty.lower()) if said else ():
        if content(word) and nearest(stem(word), said) >= _SAME:
            found[-1].append(singular(word))
        elif found[-1]:
            found.append([])
    return [" ".join(words) for words in reversed(found) if words]


# --- figures that are for something to be calculated first --------------------------------------

_AMOUNT_OF = cue("forerunners.amount_of", 0)


def _worked_out_first(made: list[Job], among: Hands) -> list[Job]:
    """The jobs with one before them that works out what something is asked for: "the cheapest
    offer for the flour of 400 loaves"."""
    for job in list(made):
        if match := _AMOUNT_OF.search(job.asks[0].text):
            score, hand = ranked(match["what"], among)[0]
            if score > 0 and hand is not job.hand and calculates(hand):
                made = _before(made, f"Calculate the {match['what']}.", hand, [job])
    return made


# --- records that something is computed from ----------------------------------------------------

_COMPUTING = frozenset("compute calculate quote estimate convert".split())
_PART = 0.4
_AT = re.compile(r"\b(?:at|on|in) (?:its [a-z]+(?:[,.?]|$)|the [a-z]+ of (?:the )?[A-Z])")


def _computed(job: Job) -> bool:
    """Whether the tool that a job's words name best computes something."""
    words = frozenset(meant(_text(job)))
    best, verb = 0.0, ""
    for tool in job.hand.tools:
        stems = name_stems(tool)[1:]
        share = sum(nearest(s, words) for s in stems) / max(1, len(stems))
        if share > best:
            best, verb = share, name_words(tool)[0]
    return best >= _PART and verb in _COMPUTING


def _recorded_first(made: list[Job], among: Hands) -> list[Job]:
    """The jobs with those before them that look up what others compute from: lists that they speak
    of, and the records of what they are about, also where they ask for something at a place that
    the record names ("the depth at its berth")."""
    lists = [(h, w[-1]) for h in among for w in map(name_words, h.tools)
             if len(w) == 2 and w[0] == "list"]  # fmt: skip
    for hand, noun in lists:
        needing = [j for j in made if j.hand is not hand and _computed(j)
                   and stem(noun) in content(_text(j))]  # fmt: skip
        made = _looked_up(made, hand, ("List", noun), needing)
    kept = keeper(among)
    if kept is None:
        return made
    hand, noun = kept
    needing = [j for j in made if j.hand is not hand
               and (_computed(j) or any(_AT.search(a.text) for a in j.asks))]  # fmt: skip
    made = _looked_up(made, hand, ("Find", noun), [j for j in needing if subjects(j.words)])
    for job in [j for j in needing if not subjects(j.words) and j.after]:
        place = next(n for n, j in enumerate(made) if j is job)
        made = _before(made, f"Find the {noun} of what was found.", hand, [job], place)
    return made


def _looked_up(made: list[Job], hand: Hand, what: tuple[str, str], needing: list[Job]) -> list[Job]:
    """The jobs with one before them that looks up what the needing ones are about."""
    about = tuple(dict.fromkeys(n for j in needing for n in subjects(j.words)))
    if not about:
        return made
    verb, noun = what
    years = list(dict.fromkeys(y for j in needing for y in YEAR.findall(j.words)))
    dated = f", in {listed(years)}" if years and verb == "List" else ""
    if (len(about) > 1 or verb == "List") and not noun.endswith("s"):
        noun = plural(noun)
    return _before(made, f"{verb} the {noun} of {spoken(about[:4])}{dated}.", hand, needing)


# --- people who are found by name ---------------------------------------------------------------

_BORN = re.compile(r",? born (?:in |on )?[\w -]*\d{4}")


def _found_first(made: list[Job], among: Hands) -> list[Job]:
    """The jobs with one before them that finds whom they are about, if somebody does that. Where
    some say that they deal with such people, the others do so only when somebody is called one."""
    found = finder(among)
    if found is None:
        return made
    hand, noun = found
    needing = [j for j in made if j.hand is not hand and subjects(j.words)]
    if told := [h for h in among if h is not hand and stem(noun) in content(h.about)]:
        called = re.compile(rf"\b{noun}s? [A-ZÀ-Þ]")
        needing = [j for j in needing if j.hand in told or called.search(j.words)]
    names = list(dict.fromkeys(n for j in needing for n in subjects(j.words)))
    if not names:
        return made
    finds = re.compile(rf"(?:find|look up|identify) (?:the )?{noun}s?\b", re.IGNORECASE)
    for place, job in enumerate(made):
        if job.hand is hand and finds.match(job.words) and all(n in job.words for n in names):
            for later in made[place + 1 :]:
                later.after |= {place} if later in needing else set()
            return made
    whole = " ".join(j.words for j in made)
    shown = [n + (b.group() if (b := _BORN.match(whole.split(n, 1)[1])) else "") for n in names]
    words = f"Find the {plural(noun) if len(names) > 1 else noun} {listed(shown)}."
    return _before(made, words, hand, needing)
