"""Plans: a request as a graph of tasks for the workers that a prompt lists.

What is asked is cut into tasks, each for the worker that suits it best (`planning`). Orders wait
for others when their words say so ("then", "based on", "using the prices") or when their kind of
work does: comparing waits for gathering, writing for both. One order that no single worker covers
goes through all workers in that sequence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from course.models.policy.asks import brief_of
from course.models.policy.assigned import assigned, described, wording
from course.models.policy.clauses import Clause
from course.models.policy.counted import by_rank
from course.models.policy.forerunners import Job
from course.models.policy.planning import jobs
from course.models.policy.prose import polished
from course.models.policy.staff import Hand, hands, ranked, role, searcher
from course.models.policy.wordlists import cue
from course.models.policy.words import content, stem, tokens

_STAGES = (
    """search research collect gather find retrieve fetch query look look-up extract read list check
    investigate monitor measure interview survey scan identify get data database web source""",
    """analyse analyze compare calculate compute evaluate assess estimate rank rate model review
    score verify check validate examine interpret forecast classify""",
    """write summarise summarize draft report format present combine merge synthesise synthesize
    conclude recommend propose compile edit design prepare translate publish outline letter""",
)
_STAGE_OF = {stem(w): n for n, words in reversed(list(enumerate(_STAGES))) for w in words.split()}
_USES = cue("plans.uses")
_BY_LINE = cue("plans.by_line", 0)


@dataclass(frozen=True)
class PlanTask:
    """A task of a plan: its place from 1, its words, its worker and the places it waits for."""

    place: int
    text: str
    worker: str
    after: tuple[int, ...]


_BY_COLUMN = re.compile(r"(?m)^\s*([A-Za-z][\w-]*(?: [\w-]+){0,2})\s*\|\s*\S[^\n|]*\|")
_BY_BRACKET = cue("plans.by_bracket", 0)


_BY_DASH = re.compile(
    r"(?:[:.;]\s+|^\s*)(?:[Tt]he )?([A-Za-z]\w*(?:[ _]\w+){0,2}) (?:-|–|—|=) [^.;\n]+(?=[.;\n]|$)",
    re.MULTILINE,
)


def workers_in(text: str) -> tuple[str, ...]:
    """The names that a list in a prompt describes: "- researcher: searches the web", a line with
    columns, or "researcher (searches the web; tools find, read); ..."."""
    for form in (_BY_LINE, _BY_COLUMN, _BY_BRACKET, _BY_DASH):
        found = tuple(dict.fromkeys(m.group(1) for m in form.finditer(text)))
        if len(found) > 1 or (found and form is _BY_LINE):
            return found
    return ()


def stage(text: str) -> int | None:
    """The kind of work in a text: 0 gathering, 1 judging, 2 writing; by its first such word."""
    return next((_STAGE_OF[t.stem] for t in tokens(text) if t.stem in _STAGE_OF), None)


def builds_on(clause: Clause, own: int | None, earlier: list[tuple[str, int | None]]) -> list[int]:
    """The places (from 0) of the earlier tasks that a clause builds on."""
    if not earlier:
        return []
    using = _USES.search(clause.text)
    if using:
        tail = set(content(clause.text[using.start() :]))
        named = [n for n, (text, _) in enumerate(earlier) if len(tail & set(content(text))) >= 1]
        plain = using.group().lower() in ("based on", "using")
        return named if plain and named else list(range(len(earlier)))
    if own == 2 or (own == 1 and clause.after):
        return list(range(len(earlier)))
    if own == 1:
        words = set(content(clause.text))
        return [
            n
            for n, (text, stage) in enumerate(earlier)
            if stage == 0 and words & set(content(text))
        ]
    return [len(earlier) - 1] if clause.after else []


def _without_detours(after: list[list[int]], place: int) -> tuple[int, ...]:
    """Dependencies that are not already implied by another one."""
    wanted = after[place]
    implied: set[int] = set()
    stack = [b for a in wanted for b in after[a]]
    while stack:
        here = stack.pop()
        if here not in implied:
            implied.add(here)
            stack += after[here]
    return tuple(w for w in wanted if w not in implied)


def _pipeline(request: str, among: tuple[Hand, ...]) -> list[PlanTask]:
    """One request through all workers: gatherers side by side, then judges, then writers."""
    stages = {h: 1 if (s := stage(role(h))) is None else s for h in among}
    order = sorted(among, key=lambda h: stages[h])
    made: list[PlanTask] = []
    for place, hand in enumerate(order, 1):
        lower = [stages[h] for h in order if stages[h] < stages[hand]]
        after = tuple(n for n, h in enumerate(order, 1) if lower and stages[h] == max(lower))
        about = (hand.about or hand.name).rstrip(".")
        made.append(PlanTask(place, f"{polished(request).rstrip('.')}: {about}", hand.name, after))
    return made


def plan(
    request: str, workers: tuple[str, ...], guides: tuple[str, ...], most: int = 12
) -> list[PlanTask]:
    """The tasks of a request in an order in which they can run; no cycles by construction."""
    among = hands(workers or ("",), guides)
    if pieces := _ordered(request, workers, among, guides):
        return pieces[:most]
    brief = brief_of(request)
    if workers and not any(_suits(a.text, a.command, among) for a in brief.asks):
        return []
    if workers and (parts := by_rank(request, among)):
        waits = [tuple(a + 1 for a in p.after) for p in parts]
        named = zip(parts, waits, strict=True)
        return [PlanTask(n, p.words, p.hand.name, w) for n, (p, w) in enumerate(named, 1)][:most]
    lone = brief.asks[0] if len(brief.asks) == 1 else None
    if lone and not lone.text.endswith("?") and len(among) > 1 and _broad(lone.text, among):
        return _pipeline(request, among)[:most]
    made = jobs(brief, among, most)
    _in_stages(made, among)
    after = [sorted(j.after) for j in made]
    return [
        PlanTask(
            n + 1,
            job.words,
            job.hand.name if workers else "",
            tuple(a + 1 for a in sorted({*_without_detours(after, n), *job.sees})),
        )
        for n, job in enumerate(made)
    ]


def _ordered(
    request: str, workers: tuple[str, ...], among: tuple[Hand, ...], guides: tuple[str, ...]
) -> list[PlanTask]:
    """Orders to people of any trade: workers with tools look things up, and those who all gather,
    judge or write work in that order."""
    kinds = {stage(role(h)) for h in among}
    if any(h.tools for h in among) or (None not in kinds and len(kinds) == len(among)):
        return []
    pieces = assigned(request, described(workers, guides))
    return [
        PlanTask(n, wording(p), p.hand.name, tuple(a + 1 for a in sorted(p.after)))
        for n, p in enumerate(pieces, 1)
    ]


def _in_stages(made: list[Job], among: tuple[Hand, ...]) -> None:
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


def _suits(text: str, command: bool, among: tuple[Hand, ...]) -> bool:
    """Whether a text has a word in common with a worker, orders a kind of work, or is a question
    that somebody may look for in texts."""
    if ranked(text, among)[0][0] > 0 or stage(text) is not None:
        return True
    return not command and text.endswith("?") and searcher(among) is not None


def _broad(text: str, among: tuple[Hand, ...]) -> bool:
    """Whether a lone order asks for more than one worker's work: it ends in something written,
    or no worker stands out."""
    order = ranked(text, among)
    return stage(text) == 2 or order[0][0] < 0.8 or order[0][0] - order[1][0] < 0.3
