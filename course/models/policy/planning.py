"""Planning: the asks of a request as jobs, each for the worker that suits it.

An ask goes to the worker it has most in common with; one that only goes on about the one before
("and when was it?") stays with it. What builds on a result waits for it. Whoever is to be found by
name is found first, by the worker who does that.
"""

from __future__ import annotations

import re
from dataclasses import replace

from course.models.policy.asks import Ask, Brief, leaning, spoken, with_context
from course.models.policy.forerunners import forerun
from course.models.policy.lexicon import meant, nearest
from course.models.policy.mentions import YEAR, subjects
from course.models.policy.staff import Hand, Hands, Job, calculates, keeper, of, ranked, searcher
from course.models.policy.wordlists import cue
from course.models.policy.words import content, singular, stem

_DECISIVE = (1.5, 2.0)  # times and plus, by which another worker must suit a leaning ask better
_ITS = re.compile(r"\b(?:its|their)\b", re.IGNORECASE)
_SUCH = re.compile(r"\b(?:that|this|such) (?P<noun>[a-z]{4,})\b", re.IGNORECASE)
_REFERS = cue("planning.refers")
# "how many are allowed" leaves out what is counted: it goes on
_COUNTS = re.compile(r"^\W*(?:and )?how (?:many|much) (?:is|are|was|were|may|must)\b", re.I)


def jobs(brief: Brief, among: Hands, most: int) -> list[Job]:
    """The jobs of a request in an order in which they can be done."""
    made: list[Job] = []
    near: Job | None = None
    for ask in brief.asks:
        near = _place(ask, made, near, brief, among)
    _worded(made, brief)
    _papers(made, brief, among)
    return forerun(made, among)[:most]


def _place(ask: Ask, made: list[Job], near: Job | None, brief: Brief, among: Hands) -> Job:
    """Give an ask to whom it suits: to a job that there is, or to a new one; `near` is the job
    that the ask before it went to."""
    hand = _calculator(ask, brief, among) or _hand_for(ask, near, among)
    joined = next((j for j in (near, *reversed(made)) if j and _joins(ask, j, near, hand)), None)
    if joined is not None:
        joined.asks.append(ask)
        return joined
    needed = {n for n, j in enumerate(made) if _such(ask) & _words_of(j.asks)}
    builds = ask.after or _rests_on(ask)
    if near is not None and (builds or (hand is not near.hand and _of_found(ask, made))):
        needed_too = {next(n for n, j in enumerate(made) if j is near)}
    else:
        needed_too = set()
    made.append(Job([ask], hand, needed_too | needed, "", needed))
    return made[-1]


def _words_of(asks: list[Ask]) -> set[str]:
    return {w for a in asks for w in content(a.text)}


def _such(ask: Ask) -> set[str]:
    """What an item of a list speaks of that another one finds: "the dose at that clearance"."""
    found = _SUCH.finditer(ask.text) if ask.head else ()
    return {stem(singular(m["noun"].lower())) for m in found}


def _joins(ask: Ask, job: Job, near: Job | None, hand: Hand) -> bool:
    """Whether an ask belongs to a job: it goes on about the one before it (a question without a
    name of its own, or an order in a new sentence that leans on it), or about what another job of
    its sentence was asked."""
    if job.hand is not hand or ask.head or ask.after:
        return False
    last, named = job.asks[-1], bool(subjects(ask.text))
    same = ask.sentence == last.sentence
    if job is not near:
        return same and not ask.command and not named and not _rests_on(ask)
    if ask.command:
        return not same and leaning(ask.text) and not named
    return same or not named


def _of_found(ask: Ask, made: list[Job]) -> bool:
    """Whether an ask speaks of something of one that is only to be found: nobody is named."""
    named = any(subjects(a.text) for j in made for a in j.asks) or subjects(ask.text)
    return not ask.head and not named and bool(_ITS.search(ask.text))


def _rests_on(ask: Ask) -> bool:
    """Whether an ask speaks of the result of the one before it: "at that cost", "both"."""
    return not ask.head and bool(_REFERS.search(ask.text))


def _calculator(ask: Ask, brief: Brief, among: Hands) -> Hand | None:
    """Who calculates a figure that nobody is described for, when another item of the list needs
    it: somebody else than who needs it, since that one cannot find it."""
    if not ask.head or ranked(ask.text, among)[0][0] > 0:
        return None
    words = set(content(ask.text))
    for other in brief.asks:
        if other is not ask and _such(other) & words:
            needing = ranked(other.text, among)[0][1]
            return next((h for h in among if h is not needing and calculates(h)), None)
    return None


def _hand_for(ask: Ask, last: Job | None, among: Hands) -> Hand:
    """Whom an ask suits; one that leans on the ask before it goes to that one's worker unless
    another suits it far better, and what nobody is described for to who searches texts."""
    order = ranked(ask.text, among)
    best, hand = order[0]
    if last is not None and _COUNTS.match(ask.text) and len(content(ask.text)) < 2:
        return last.hand
    if ask.head and best <= 0 and _ITS.match(ask.text) and (kept := keeper(among)):
        return kept[0]
    if last is None or ask.head:
        if ask.head and best <= 0:
            best, hand = ranked(ask.head, among)[0]
        return hand if best > 0 else searcher(among) or hand
    own = next(s for s, h in order if h is last.hand)
    times, plus = _DECISIVE
    if leaning(ask.text) and (best <= 0 or (not _rests_on(ask) and best < times * own + plus)):
        return last.hand
    if best <= 0 and subjects(ask.text):
        return searcher(among) or hand
    return last.hand if own >= best else hand


# --- each job in words that hold alone ----------------------------------------------------------

_THING = re.compile(r"^(?:the )?(?P<noun>[a-z]{4,})(?= in\b| of\b|,|$)", re.IGNORECASE)


def _worded(made: list[Job], brief: Brief) -> None:
    """Write each job in words that hold alone."""
    before: list[str] = list(brief.facts)
    last: Ask | None = None
    for job in made:
        first = _with_owner(job.asks[0], last)
        texts = [_ended(with_context(first, tuple(before)), first)]
        texts += [_ended(a.text, a) for a in job.asks[1:]]
        told = [] if subjects(job.asks[0].text) or job.asks[0].head else list(brief.facts)
        job.words = " ".join([*told, *texts])
        before += [t for a in job.asks for t in (a.head, a.text) if t]
        last = job.asks[-1]


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


# --- papers that the answer has to cite ---------------------------------------------------------

_CITES = cue("planning.cites")
_MANY = 4  # names, beyond which they are a list to work on rather than whom all is about
_WRITTEN = frozenset("document documents text texts paper papers".split())
_ANY_PAPER = _WRITTEN - {"paper", "papers"} | set("source sources table tables id ids".split())
_SOUGHT = r"\b(?:which|what)(?: \w+)? {noun}s?\b|\b\w{{3,}}est(?: \w+)? {noun}s?\b"


def _papers(made: list[Job], brief: Brief, among: Hands) -> None:
    """Jobs for the papers that an answer must cite, where somebody reads papers of this kind."""
    reader = searcher(among)
    if reader is None:
        return
    about = tuple(dict.fromkeys(n for j in made for n in subjects(j.words)))
    whose = f" of {spoken(about)}" if 0 < len(about) <= _MANY else ""
    years = list(dict.fromkeys(y for a in brief.asks for y in YEAR.findall(a.head)))
    dated = f", in {years[0]}" if len(years) == 1 else ""
    for what in (w for f in brief.form for m in _CITES.finditer(f) for w in _each(m["what"])):
        said = set(what.lower().split())
        if said & _WRITTEN:
            _written_about(made, reader)
        known = any(j.hand is reader and what.lower() in j.words.lower() for j in made)
        if said & _ANY_PAPER or known or not any(nearest(w, reader.stems) for w in meant(what)):
            continue
        # "who has the cheapest quote" finds out which paper is meant
        noun = re.escape(singular(what.lower()))
        sought = re.compile(_SOUGHT.format(noun=noun), re.IGNORECASE)
        found = {n for n, j in enumerate(made) if j.hand is not reader
                 and any(sought.search(a.text) for a in j.asks)}  # fmt: skip
        told = " of what was found" if found else ""
        made.append(of(f"Find the {what}{told}{whose}{dated}.", reader, found))


def _each(what: str) -> list[str]:
    """The papers of a list: "the contract, the amendment and the playbook"."""
    pieces = re.split(r", (?:and )?| and ", what)
    return [re.sub(r"^(?:the|its|their|his|her|every|all|your) ", "", p.strip()) for p in pieces]


def _written_about(made: list[Job], reader: Hand) -> None:
    """A job for what is written about each thing that somebody looks up, since documents are to be
    cited; a figure that is calculated stands in none."""
    for place, job in enumerate(list(made)):
        told = subjects(job.words)
        if job.hand is not reader and 0 < len(told) <= 2 and not calculates(job.hand):
            asked = job.asks[0].text.rstrip("?. ")
            words = f"Find documents on what was found about {spoken(told)}: {asked}."
            made.append(of(words, reader, {place}))
