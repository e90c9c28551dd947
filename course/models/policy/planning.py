"""Planning: the asks of a request as tasks, each for the worker that suits it.

An ask goes to the worker it has most in common with; one that only goes on about the one before
("and when was it?") stays with it. What builds on a result waits for it. Whoever is to be found by
name is found first, by the worker who does that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from course.models.policy.asks import Ask, Brief, leaning, spoken, with_context
from course.models.policy.kin import meant, nearest
from course.models.policy.naming import subjects
from course.models.policy.staff import Hand, finder, ranked, searcher
from course.models.policy.words import content, listed, plural, stem

_DECISIVE = (1.5, 2.0)  # times and plus, by which another worker must suit a leaning ask better


@dataclass
class Job:
    """A task in the making: what is asked, of whom, and which earlier jobs it waits for."""

    asks: list[Ask]
    hand: Hand
    after: set[int] = field(default_factory=set)
    words: str = ""


def jobs(brief: Brief, among: tuple[Hand, ...], most: int) -> list[Job]:
    """The jobs of a request in an order in which they can be done."""
    made: list[Job] = []
    for ask in brief.asks:
        _place(ask, made, among)
    _worded(made, brief)
    _papers(made, brief, among)
    return _found_first(made, among)[:most]


def _place(ask: Ask, made: list[Job], among: tuple[Hand, ...]) -> None:
    """Give an ask to whom it suits: to the job before it, or to a new one."""
    last = made[-1] if made else None
    hand = _hand_for(ask, last, among)
    if last is not None and hand is last.hand and _goes_on(ask, last.asks[-1]):
        last.asks.append(ask)
        return
    after = {len(made) - 1} if last is not None and (ask.after or _rests_on(ask)) else set()
    made.append(Job([ask], hand, after))


def _goes_on(ask: Ask, last: Ask) -> bool:
    """Whether an ask goes on about the one before it: a question without a name of its own, or an
    order in a new sentence that leans on it."""
    if ask.head or ask.after:
        return False
    if ask.command:
        return ask.sentence != last.sentence and leaning(ask.text) and not subjects(ask.text)
    return ask.sentence == last.sentence or not subjects(ask.text)


_REFERS = re.compile(
    r"\b(?:that|this|such|these|those) (?!is\b|was\b|are\b|were\b|has\b|have\b|can\b|the\b"
    r"|an?\b)\w+"
    r"|\bboth\b|\b(?:does|did|would|will) (?:that|this) \w+|\bthem\b|\beach of\b|\baccordingly\b",
    re.IGNORECASE,
)


def _rests_on(ask: Ask) -> bool:
    """Whether an ask speaks of the result of the one before it: "at that cost", "both"."""
    return not ask.head and bool(_REFERS.search(ask.text))


def _hand_for(ask: Ask, last: Job | None, among: tuple[Hand, ...]) -> Hand:
    order = ranked(ask.text, among)
    best, hand = order[0]
    if last is None or ask.head:
        head = ranked(ask.head, among) if ask.head and best <= 0 else order
        return head[0][1] if head[0][0] > 0 else (searcher(among) or hand)
    own = next(s for s, h in order if h is last.hand)
    times, plus = _DECISIVE
    if leaning(ask.text) and not _rests_on(ask) and best < times * own + plus:
        return last.hand
    if best <= 0:
        return last.hand if leaning(ask.text) or subjects(ask.text) == () else _open(among, hand)
    return last.hand if own >= best else hand


def _open(among: tuple[Hand, ...], hand: Hand) -> Hand:
    return searcher(among) or hand


def _worded(made: list[Job], brief: Brief) -> None:
    """Write each job in words that hold alone."""
    before: list[str] = list(brief.facts)
    for place, job in enumerate(made):
        first = _with_owner(job.asks[0], made[place - 1].asks[-1] if place else None)
        texts = [_ended(with_context(first, tuple(before)), first)]
        texts += [_ended(a.text, a) for a in job.asks[1:]]
        told = [] if subjects(job.asks[0].text) or job.asks[0].head else list(brief.facts)
        job.words = " ".join([*told, *texts])
        before += [t for a in job.asks for t in ((a.head,) if a.head else ()) + (a.text,)]


_THING = re.compile(r"^(?:the )?(?P<noun>[a-z]{4,})(?= in\b| of\b|,|$)", re.IGNORECASE)


def _with_owner(ask: Ask, before: Ask | None) -> Ask:
    """An item of a list that opens with "its", with the thing that the item before it names."""
    leans = ask.head and re.match(r"its\b", ask.text, re.IGNORECASE)
    thing = _THING.match(before.text) if before and before.head == ask.head else None
    if not leans or thing is None:
        return ask
    return replace(ask, text=f"{ask.text.rstrip('.')} (of {thing['noun'].lower()})")


def _ended(text: str, ask: Ask) -> str:
    """A text with the mark of a question or of an order at its end."""
    return f"{text.rstrip('.?! ')}{'.' if ask.command or ask.head else '?'}"


_CITES = re.compile(
    r"\bcite (?:the |its |their |every |all )?(?P<what>[^.,]+?)"
    r"(?= and say|,|\.|$| and (?:where|what))",
    re.IGNORECASE,
)
_ANY_PAPER = frozenset("document documents source sources texts text table tables id ids".split())


def _papers(made: list[Job], brief: Brief, among: tuple[Hand, ...]) -> None:
    """A job for the papers that an answer must cite, where somebody reads papers of this kind."""
    reader = searcher(among)
    if reader is None or not made:
        return
    named = [m["what"] for f in brief.form for m in _CITES.finditer(f)]
    about = spoken(tuple(dict.fromkeys(n for j in made for n in subjects(j.words)))[:4])
    for what in named:
        if set(what.lower().split()) & _ANY_PAPER or _has(reader, what, made):
            continue
        if any(nearest(w, reader.stems) for w in meant(what)):
            words = f"Find the {what}" + (f" of {about}" if about else "") + "."
            made.append(Job([Ask(words)], reader, set(), words))


def _has(reader: Hand, what: str, made: list[Job]) -> bool:
    """Whether a job of the reader is about these papers already."""
    return any(j.hand is reader and what.lower() in j.words.lower() for j in made)


def _called(noun: str, words: str) -> bool:
    """Whether a text calls somebody so by name: "the patient Ada Lang"."""
    return bool(re.search(rf"\b{noun}s? [A-ZÀ-Þ]", words))


def _finds(job: Job, noun: str, names: list[str]) -> bool:
    """Whether a job finds these people already."""
    told = re.match(rf"(?:find|look up|identify) (?:the )?{noun}s?\b", job.words, re.IGNORECASE)
    return bool(told) and all(n in job.words for n in names)


_BORN = re.compile(r",? born (?:in |on )?[\w -]*\d{4}")


def _found_first(made: list[Job], among: tuple[Hand, ...]) -> list[Job]:
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
    for job in made:
        job.after = {n + 1 for n in job.after} | ({0} if job in needing else set())
    return [Job([Ask(words)], hand, set(), words), *made]
