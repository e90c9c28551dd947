"""Planning: the asks of a request as jobs, each for the worker that suits it.

An ask goes to the worker it has most in common with; one that only goes on about the one before
("and when was it?") stays with it. What builds on a result waits for it. Whoever is to be found by
name is found first, by the worker who does that.
"""

from __future__ import annotations

import re
from dataclasses import replace

from course.models.policy.asks import Ask, Brief, leaning, spoken, with_context
from course.models.policy.lexicon import meant, nearest
from course.models.policy.mentions import YEAR
from course.models.policy.naming import subjects
from course.models.policy.patterns import regex
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
from course.models.policy.words import (
    content,
    cue,
    listed,
    name_stems,
    name_words,
    plural,
    singular,
    stem,
)

_DECISIVE = (1.5, 2.0)  # times and plus, by which another worker must suit a leaning ask better
_ITS = regex(r"\b(?:its|their)\b", re.IGNORECASE)
_SUCH = regex(r"\b(?:that|this|such) (?P<noun>[a-z]{4,})\b", re.IGNORECASE)
_REFERS = cue("planning.refers")
# "how many are allowed" leaves out what is counted: it goes on
_COUNTS = regex(r"^\W*(?:and )?how (?:many|much) (?:is|are|was|were|may|must)\b", re.I)


def jobs(brief: Brief, among: Hands, most: int) -> list[Job]:
    """The jobs of a request in an order in which they can be done."""
    made: list[Job] = []
    near: Job | None = None
    for ask in brief.asks:
        near = _place(ask, made, near, brief, among)
    _worded(made, brief)
    _papers(made, brief, among)
    return _forerun(made, among)[:most]


def _place(ask: Ask, made: list[Job], near: Job | None, brief: Brief, among: Hands) -> Job:
    """Give an ask to whom it suits: to a job that there is, or to a new one; `near` is the job
    that the ask before it went to."""
    hand = _calculator(ask, brief, among) or _hand_for(ask, near, among)
    joined = next((j for j in (near, *reversed(made)) if j and _joins(ask, j, near, hand)), None)
    if joined is not None:
        joined.asks.append(ask)
        return joined
    needed = {j for j in made if _such(ask) & _words_of(j.asks)}
    builds = ask.after or _rests_on(ask)
    waits = near is not None and (builds or (hand is not near.hand and _of_found(ask, made)))
    before = {near} if near is not None and waits else set()
    made.append(Job([ask], hand, before | needed, "", needed))
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

_THING = regex(r"^(?:the )?(?P<noun>[a-z]{4,})(?= in\b| of\b|,|$)", re.IGNORECASE)


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
        found = {j for j in made if j.hand is not reader
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
    for job in list(made):
        told = subjects(job.words)
        if job.hand is not reader and 0 < len(told) <= 2 and not calculates(job.hand):
            asked = job.asks[0].text.rstrip("?. ")
            words = f"Find documents on what was found about {spoken(told)}: {asked}."
            made.append(of(words, reader, {job}))


# --- what comes before because others need what it finds -----------------------------------------


def _forerun(made: list[Job], among: Hands) -> list[Job]:
    """The jobs with those that have to come before them."""
    made = _worked_out_first(made, among)
    return _found_first(_recorded_first(made, among), among)


def _before(made: list[Job], words: str, hand: Hand, needing: list[Job], place: int = 0
            ) -> list[Job]:  # fmt: skip
    """The jobs with a new one at a place, at their head if none is given, for which some wait."""
    new = of(words, hand, {a for j in needing for a in j.after if a in made[:place]})
    new.sees = set(new.after)
    for job in needing:
        job.after = job.after | {new}
        job.sees = job.sees | {new}
    return [*made[:place], new, *made[place:]]


def _text(job: Job) -> str:
    return " ".join(a.text for a in job.asks)


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
_AT = regex(r"\b(?:at|on|in) (?:its [a-z]+(?:[,.?]|$)|the [a-z]+ of (?:the )?[A-Z])")


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

_BORN = regex(r",? born (?:in |on )?[\w -]*\d{4}")


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
                later.after |= {job} if later in needing else set()
            return made
    whole = " ".join(j.words for j in made)
    shown = [n + (b.group() if (b := _BORN.match(whole.split(n, 1)[1])) else "") for n in names]
    words = f"Find the {plural(noun) if len(names) > 1 else noun} {listed(shown)}."
    return _before(made, words, hand, needing)
