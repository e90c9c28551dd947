"""Planning: the asks of a request as tasks, each for the worker that suits it.

An ask goes to the worker it has most in common with; one that only goes on about the one before
("and when was it?") stays with it. What builds on a result waits for it. Whoever is to be found by
name is found first, by the worker who does that.
"""

from __future__ import annotations

import re
from dataclasses import replace

from course.models.policy.asks import Ask, Brief, leaning, spoken, with_context
from course.models.policy.forerunners import (
    CALCULATES,
    Job,
    found_first,
    keeper,
    recorded_first,
    ruled_first,
    worked_out_first,
)
from course.models.policy.kin import meant, nearest
from course.models.policy.naming import YEAR, subjects
from course.models.policy.staff import Hand, ranked, searcher
from course.models.policy.words import content, singular, stem

_DECISIVE = (1.5, 2.0)  # times and plus, by which another worker must suit a leaning ask better


def jobs(brief: Brief, among: tuple[Hand, ...], most: int) -> list[Job]:
    """The jobs of a request in an order in which they can be done."""
    made: list[Job] = []
    near: Job | None = None
    for ask in brief.asks:
        near = _place(ask, made, near, brief, among)
    _worded(made, brief)
    _papers(made, brief, among)
    made = recorded_first(worked_out_first(ruled_first(made, among), among), among)
    return found_first(made, among)[:most]


def _place(
    ask: Ask, made: list[Job], near: Job | None, brief: Brief, among: tuple[Hand, ...]
) -> Job:
    """Give an ask to whom it suits: to a job that there is, or to a new one; `near` is the job
    that the ask before it went to."""
    hand = _calculator(ask, brief, among) or _hand_for(ask, near, among)
    joined = next((j for j in (near, *reversed(made)) if j and _joins(ask, j, near, hand)), None)
    if joined is not None:
        joined.asks.append(ask)
        return joined
    after = {_at(near, made)} if near is not None and (ask.after or _rests_on(ask)) else set()
    if near is not None and hand is not near.hand and _of_found(ask, made):
        after |= {_at(near, made)}
    needed = _needed(ask, made)
    made.append(Job([ask], hand, after | needed, "", needed))
    return made[-1]


def _at(job: Job, made: list[Job]) -> int:
    return next(n for n, j in enumerate(made) if j is job)


def _joins(ask: Ask, job: Job, near: Job | None, hand: Hand) -> bool:
    """Whether an ask belongs to a job: it goes on about the one before it, or about what another
    job of its sentence was asked."""
    if job.hand is not hand:
        return False
    if job is near:
        return _goes_on(ask, job.asks[-1])
    own = not ask.head and not ask.command and not subjects(ask.text) and not _rests_on(ask)
    return own and ask.sentence == job.asks[-1].sentence and not ask.after


_ITS = re.compile(r"\b(?:its|their)\b", re.IGNORECASE)


def _of_found(ask: Ask, made: list[Job]) -> bool:
    """Whether an ask speaks of something of one that is only to be found: nobody is named."""
    named = any(subjects(a.text) for j in made for a in j.asks) or subjects(ask.text)
    return not ask.head and not named and bool(_ITS.search(ask.text))


_SUCH = re.compile(r"\b(?:that|this|such) (?P<noun>[a-z]{4,})\b", re.IGNORECASE)


def _needed(ask: Ask, made: list[Job]) -> set[int]:
    """The jobs that an item of a list speaks of: "the dose at that clearance"."""
    nouns = (
        {stem(singular(m["noun"].lower())) for m in _SUCH.finditer(ask.text)} if ask.head else set()
    )
    return {n for n, j in enumerate(made) if any(nouns & set(content(a.text)) for a in j.asks)}


def _calculator(ask: Ask, brief: Brief, among: tuple[Hand, ...]) -> Hand | None:
    """Who calculates a figure that nobody is described for, when another item of the list needs
    it: somebody else than who needs it, since that one cannot find it."""
    if not ask.head or ranked(ask.text, among)[0][0] > 0:
        return None
    words = set(content(ask.text))
    for other in brief.asks:
        if other is not ask and any(stem(m["noun"].lower()) in words for m in
                                    _SUCH.finditer(other.text)):  # fmt: skip
            needing = ranked(other.text, among)[0][1]
            return next((h for h in among if h is not needing and CALCULATES.search(h.about)), None)
    return None


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
    if last is not None and _COUNTS.match(ask.text) and len(content(ask.text)) < 2:
        return last.hand
    kept = keeper(among) if ask.head and best <= 0 and _ITS.match(ask.text) else None
    if kept is not None:
        return kept[0]
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


# "how many are allowed" leaves out what is counted: it goes on
_COUNTS = re.compile(r"^\W*(?:and )?how (?:many|much) (?:is|are|was|were|may|must)\b", re.I)


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
    r"\bcite (?P<what>[^.]+?)(?=,? and (?:say|where|what|name|tell)\b|, (?:say|where|what|name)\b"
    r"|\.|$)",
    re.IGNORECASE,
)
_MANY = 4  # names, beyond which they are a list to work on rather than whom all is about
_ANY_PAPER = frozenset("document documents source sources text texts table tables id ids".split())
_WRITTEN = frozenset("document documents text texts paper papers".split())


def _papers(made: list[Job], brief: Brief, among: tuple[Hand, ...]) -> None:
    """Jobs for the papers that an answer must cite, where somebody reads papers of this kind."""
    reader = searcher(among)
    if reader is None or not made:
        return
    about = tuple(dict.fromkeys(n for j in made for n in subjects(j.words)))
    about = about if len(about) <= _MANY else ()
    years = list(dict.fromkeys(y for a in brief.asks for y in YEAR.findall(a.head)))
    dated = f", in {years[0]}." if len(years) == 1 else "."
    for what in [w for f in brief.form for m in _CITES.finditer(f) for w in _each(m["what"])]:
        if set(what.lower().split()) & _WRITTEN:
            _written_about(made, reader)
        if set(what.lower().split()) & _ANY_PAPER or _has(reader, what, made):
            continue
        if any(nearest(w, reader.stems) for w in meant(what)):
            found = {n for n, j in enumerate(made) if j.hand is not reader and _finds(j, what)}
            told = " of what was found" if found else ""
            words = f"Find the {what}{told}" + (f" of {spoken(about)}" if about else "") + dated
            made.append(Job([Ask(words)], reader, found, words))


def _each(what: str) -> list[str]:
    """The papers of a list: "the contract, the amendment and the playbook"."""
    pieces = re.split(r", (?:and )?| and ", what)
    return [re.sub(r"^(?:the|its|their|his|her|every|all|your) ", "", p.strip()) for p in pieces]


_SOUGHT = r"\b(?:which|what)(?: \w+)? {noun}s?\b|\b\w{{3,}}est(?: \w+)? {noun}s?\b"


def _finds(job: Job, what: str) -> bool:
    """Whether a job finds out which paper is meant: "who has the cheapest quote"."""
    sought = re.compile(_SOUGHT.format(noun=re.escape(singular(what.lower()))), re.IGNORECASE)
    return any(sought.search(a.text) for a in job.asks)


def _written_about(made: list[Job], reader: Hand) -> None:
    """A job for what is written about each thing that somebody looks up, since documents are to be
    cited; a figure that is calculated stands in none."""
    for place, job in enumerate(list(made)):
        told = subjects(job.words)
        if job.hand is not reader and 0 < len(told) <= 2 and not CALCULATES.search(job.hand.about):
            asked = job.asks[0].text.rstrip("?. ")
            words = f"Find documents on what was found about {spoken(told)}: {asked}."
            made.append(Job([Ask(words)], reader, {place}, words))


def _has(reader: Hand, what: str, made: list[Job]) -> bool:
    """Whether a job of the reader is about these papers already."""
    return any(j.hand is reader and what.lower() in j.words.lower() for j in made)
