"""Plans: a request as a graph of tasks for the workers that a prompt lists.

Every clause becomes a task for the worker whose description suits it best. A task waits for
others when its words say so ("then", "based on", "using the prices") or when its kind of work
does: comparing waits for gathering, writing for both. A request of one clause that no single
worker covers goes through all workers in that order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from course.models.policy.clauses import Clause, asked
from course.models.policy.match import choose, described_in
from course.models.policy.prose import polished
from course.models.policy.words import content, human, stem, tokens

_STAGES = (
    """search research collect gather find retrieve fetch query look look-up extract read list check
    investigate monitor measure interview survey scan identify get data database web source""",
    """analyse analyze compare calculate compute evaluate assess estimate rank rate model review
    score verify check validate examine interpret forecast classify""",
    """write summarise summarize draft report format present combine merge synthesise synthesize
    conclude recommend propose compile edit design prepare translate publish outline letter""",
)
_STAGE_OF = {stem(w): n for n, words in reversed(list(enumerate(_STAGES))) for w in words.split()}
_USES = re.compile(
    r"\b(?:based on|using|from (?:these|those|this|that|the results?)|with (?:the|these"
    r"|those) (?:results?|findings?|data|figures|numbers)|the (?:results?|findings?|outcome)"
    r"|compare (?:them|both|these|those|the two|it|all)|these|those|them|both|all of "
    r"(?:it|this|that)|everything|accordingly|it all|result)\b",
    re.IGNORECASE,
)
_BY_LINE = re.compile(
    r"(?m)^\s*(?:[-*•]|\d+[.)])\s*[`\"'*]*([A-Za-z][\w-]*(?:[ _][\w-]+){0,2})[`\"'*]*\s*"
    r"(?:\([^)\n]*\))?\s*(?::|-|–|—)\s+\S"
)


@dataclass(frozen=True)
class PlanTask:
    """A task of a plan: its place from 1, its words, its worker and the places it waits for."""

    place: int
    text: str
    worker: str
    after: tuple[int, ...]


def workers_in(text: str) -> tuple[str, ...]:
    """The names that a list in a prompt describes ("- researcher: searches the web")."""
    return tuple(dict.fromkeys(m.group(1) for m in _BY_LINE.finditer(text)))


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


def _worker_for(text: str, workers: tuple[str, ...], guides: tuple[str, ...]) -> tuple[float, str]:
    ranked = choose(workers, text, guides)
    if ranked[0][0] > 0.3:
        return ranked[0]
    kind = stage(text)
    kin = [w for w in workers if stage(_role(w, guides)) == kind]
    return (0.0, kin[0] if kin else ranked[0][1])


def _role(worker: str, guides: tuple[str, ...]) -> str:
    return f"{human(worker)} {next((d for g in guides if (d := described_in(worker, g))), '')}"


def _pipeline(request: str, workers: tuple[str, ...], guides: tuple[str, ...]) -> list[PlanTask]:
    """One request through all workers: gatherers side by side, then judges, then writers."""
    stages = {w: 1 if (s := stage(_role(w, guides))) is None else s for w in workers}
    order = sorted(workers, key=lambda w: stages[w])
    made: list[PlanTask] = []
    for place, worker in enumerate(order, 1):
        lower = [stages[w] for w in order if stages[w] < stages[worker]]
        after = tuple(n for n, w in enumerate(order, 1) if lower and stages[w] == max(lower))
        about = next((d for g in guides if (d := described_in(worker, g))), human(worker))
        made.append(
            PlanTask(place, f"{polished(request).rstrip('.')}: {about.rstrip('.')}", worker, after)
        )
    return made


def plan(
    request: str, workers: tuple[str, ...], guides: tuple[str, ...], most: int = 12
) -> list[PlanTask]:
    """The tasks of a request in an order in which they can run; no cycles by construction."""
    clauses = asked(request)[:most]
    named = workers or ("",)
    if workers and not any(_suits(c.text, workers, guides) for c in clauses):
        return []
    if len(clauses) == 1 and len(named) > 1 and _broad(clauses[0].text, named, guides):
        return _pipeline(request, named, guides)[:most]
    earlier: list[tuple[str, int | None]] = []
    after: list[list[int]] = []
    for clause in clauses:
        own = stage(clause.text)
        after.append(builds_on(clause, own, earlier))
        earlier.append((clause.text, own))
    return [
        PlanTask(
            n + 1,
            polished(c.text),
            _worker_for(c.text, named, guides)[1] if workers else "",
            tuple(a + 1 for a in _without_detours(after, n)),
        )
        for n, c in enumerate(clauses)
    ]


def _suits(text: str, workers: tuple[str, ...], guides: tuple[str, ...]) -> bool:
    """Whether a text has a word in common with a worker, or asks for a kind of work."""
    return choose(workers, text, guides)[0][0] > 0 or stage(text) is not None


def _broad(text: str, workers: tuple[str, ...], guides: tuple[str, ...]) -> bool:
    """Whether a lone clause asks for more than one worker's work: it ends in something written,
    or no worker stands out."""
    ranked = choose(workers, text, guides)
    return stage(text) == 2 or ranked[0][0] < 0.8 or ranked[0][0] - ranked[1][0] < 0.3
