"""Plans: a request as a graph of tasks for the workers that a prompt lists.

What is asked is cut into jobs, each for the worker that suits it best: by `planning` where workers
have tools, by `assigned` where they are people of any trade. Orders wait for others when their
words say so ("then", "based on", "using the prices") or when their kind of work does: comparing
waits for gathering, writing for both. One order that no single worker covers goes through all
workers in that sequence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from course.models.policy.asks import Ask, brief_of, leaning
from course.models.policy.assigned import assigned
from course.models.policy.clauses import Clause
from course.models.policy.planning import jobs
from course.models.policy.prose import polished
from course.models.policy.staff import (
    Hand,
    Hands,
    Job,
    calculates,
    hands,
    of,
    ranked,
    role,
    searcher,
)
from course.models.policy.wordlists import cue, word_list
from course.models.policy.words import NUMBER_WORDS, content, singular, stem, tokens


@dataclass(frozen=True)
class PlanTask:
    """A task of a plan: its place from 1, its words, its worker and the places it waits for."""

    place: int
    text: str
    worker: str
    after: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """The tasks of a request in an order in which they can run, without circles, and what it asks
    that no worker is there for, in its own words."""

    tasks: tuple[PlanTask, ...]
    unserved: tuple[str, ...] = ()


def plan(request: str, workers: tuple[str, ...], guides: tuple[str, ...], most: int = 12) -> Plan:
    """A request as tasks, at most so many, for workers that texts describe."""
    made, left = _jobs(request, hands(workers or ("",), guides), most)
    after = [sorted(j.after) for j in made[:most]]
    return Plan(tuple(
        PlanTask(
            n + 1,
            job.words,
            job.hand.name,
            tuple(a + 1 for a in sorted({*_without_detours(after, n), *job.sees})),
        )
        for n, job in enumerate(made[:most])
    ), left)  # fmt: skip


def _jobs(request: str, among: Hands, most: int) -> tuple[list[Job], tuple[str, ...]]:
    """The jobs of a request, by the kind of workers and of request, and what is nobody's work."""
    kinds = {stage(role(h)) for h in among}
    # workers with tools look things up, and those who all gather, judge or write go in that order
    trades = not any(h.tools for h in among) and (None in kinds or len(kinds) < len(among))
    made, left = assigned(request, among) if trades else ([], ())
    if made:
        return made, left
    brief = brief_of(request)
    anybody = bool(among[0].name)
    if anybody and not any(_suits(a.text, a.command, among) for a in brief.asks):
        return [], ()
    if anybody:
        idle = [a for a in brief.asks if _idle(a, among)]
        left = tuple(a.text.rstrip(".?! ") for a in idle)
        brief = replace(brief, asks=tuple(a for a in brief.asks if a not in idle))
    if anybody and (made := _by_rank(request, among)):
        return made, left
    lone = brief.asks[0] if len(brief.asks) == 1 else None
    if lone and not lone.text.endswith("?") and len(among) > 1 and _broad(lone.text, among):
        return _pipeline(request, among), left
    made = jobs(brief, among, most)
    _in_stages(made, among)
    return made, left


def _idle(ask: Ask, among: Hands) -> bool:
    """Whether nobody is there for an ask: what no other one is described for is looked for by
    whoever searches texts, and what leans on another ask goes with that."""
    if ask.head or leaning(ask.text) or searcher(among):
        return False
    return not _suits(ask.text, ask.command, among)


def _suits(text: str, command: bool, among: Hands) -> bool:
    """Whether a text has a word in common with a worker, orders a kind of work, or is a question
    that somebody may look for in texts."""
    if ranked(text, among)[0][0] > 0 or stage(text) is not None:
        return True
    return not command and text.endswith("?") and searcher(among) is not None


# --- kinds of work ------------------------------------------------------------------------------

_USES = cue("plans.uses")
_STAGES = ("gathering", "judging", "writing")
_STAGE_OF = {stem(w): n for n in (2, 1, 0) for w in word_list(f"plans.{_STAGES[n]}")}


def stage(text: str) -> int | None:
    """The kind of work in a text: 0 gathering, 1 judging, 2 writing; by its first such word."""
    return next((_STAGE_OF[t.stem] for t in tokens(text) if t.stem in _STAGE_OF), None)


def builds_on(clause: Clause, own: int | None, earlier: list[tuple[str, int | None]]) -> list[int]:
    """The places (from 0) of the earlier tasks that a clause builds on."""
    everything = list(range(len(earlier)))
    using = _USES.search(clause.text)
    if using and earlier:
        tail = set(content(clause.text[using.start() :]))
        named = [n for n, (text, _) in enumerate(earlier) if tail & set(content(text))]
        return named if named and using.group().lower() in ("based on", "using") else everything
    if own == 2 or (own == 1 and clause.after):
        return everything
    if own == 1:
        words = set(content(clause.text))
        return [n for n, (t, kind) in enumerate(earlier) if kind == 0 and words & set(content(t))]
    return everything[-1:] if clause.after else []


def _in_stages(made: list[Job], among: Hands) -> None:
    """What orders wait for by the kind of their work; one without a word in common with anybody
    goes to whoever does work of its kind."""
    earlier: list[tuple[str, int | None]] = []
    for job in made:
        first, own = job.asks[0], stage(job.asks[0].text)
        if first.command and not first.head:
            job.after |= set(builds_on(Clause(first.text, first.after), own, earlier))
            kin = [h for h in among if stage(role(h)) == own]
            if kin and own is not None and ranked(first.text, among)[0][0] <= 0.3:
                job.hand = kin[0]
        earlier.append((job.words, own if first.command else None))


def _without_detours(after: list[list[int]], place: int) -> tuple[int, ...]:
    """Dependencies that are not already implied by another one."""
    implied: set[int] = set()
    stack = [b for a in after[place] for b in after[a]]
    while stack:
        here = stack.pop()
        if here not in implied:
            implied.add(here)
            stack += after[here]
    return tuple(w for w in after[place] if w not in implied)


def _broad(text: str, among: Hands) -> bool:
    """Whether a lone order asks for more than one worker's work: it ends in something written,
    or no worker stands out."""
    order = ranked(text, among)
    return stage(text) == 2 or order[0][0] < 0.8 or order[0][0] - order[1][0] < 0.3


def _pipeline(request: str, among: Hands) -> list[Job]:
    """One request through all workers: gatherers side by side, then judges, then writers."""
    kinds = {h: 1 if (s := stage(role(h))) is None else s for h in among}
    order = sorted(among, key=lambda h: kinds[h])
    made: list[Job] = []
    for hand in order:
        lower = [kinds[h] for h in order if kinds[h] < kinds[hand]]
        after = {n for n, h in enumerate(order) if lower and kinds[h] == max(lower)}
        about = (hand.about or hand.name).rstrip(".")
        made.append(of(f"{polished(request).rstrip('.')}: {about}", hand, after))
    return made


# --- counted groups -----------------------------------------------------------------------------

_GROUP = cue("plans.group")
_BY_RANK = re.compile(r"\bby (?:its |their |the )?(?:rank|place|position)\b", re.IGNORECASE)
_ORDER, _WRITTEN = cue("plans.order"), cue("plans.written")
_SUMS = re.compile(r"\b(?:growth|change|difference|increase|decrease)\b", re.IGNORECASE)
_MOST = 8


def _by_rank(request: str, among: Hands) -> list[Job]:
    """The jobs of a request about a counted group ("the top three cloud providers"), where somebody
    looks such things up by rank: what is asked of them is looked up for each at once, what is to be
    calculated waits for that, and what is to be written for both. Else none."""
    group = _GROUP.search(request)
    finder = next((h for h in among if _BY_RANK.search(h.about)), None)
    said = (group["n"] or group["m"]).lower() if group else ""
    count = int(said) if said.isdecimal() else NUMBER_WORDS.get(said, 0)
    if group is None or finder is None or not 2 <= count <= _MOST:
        return []
    rest = f"{request[: group.start()]}{group['after'] or ''} {request[group.end() :]}"
    aspects = [_bare(each) for each in re.split(r",(?: and| with)? | with | and |[.:] ?", rest)]
    written = [m for a in aspects if (m := _WRITTEN.search(a))]
    told = [a for a in aspects if a and not _WRITTEN.search(a)]
    sums = " and ".join(a for a in told if _SUMS.search(a))
    what = " and ".join(a for a in told if not _SUMS.search(a))
    if not what:
        return []
    noun, years = group["noun"], ", this year and the year before" if sums else ""
    one = f"Find the {what} of the {singular(noun)} of rank"
    made = [of(f"{one} {place}{years}.", finder) for place in range(1, count + 1)]
    found = set(range(count))
    for each in (m["about"] for m in written if m["about"]):
        made.append(of(f"Search for the {each} of {noun}.", searcher(among) or finder))
    if sums:
        order = f"Calculate the {sums} of the {what} of each of the {noun}."
        hand = next((h for h in among if calculates(h)), ranked(order, among)[0][1])
        made.append(of(order, hand, found))
    for each in written:
        words = f"Write a {each['kind'].lower()}{f' of {a}' if (a := each['about']) else ''}"
        words += f" of the {noun}, with the {what}{f' and the {sums}' if sums else ''}."
        made.append(of(words, _writer(words, among), range(len(made))))
    for job in made:
        job.sees = set(job.after)
    return made


def _bare(aspect: str) -> str:
    return _ORDER.sub("", re.sub(r"^(?:and |with |the |an? )+", "", aspect.strip())).strip()


def _writer(words: str, among: Hands) -> Hand:
    own = (h for h in among if re.search(r"\bwrit", role(h)))
    return next(own, ranked(words, among)[0][1])
