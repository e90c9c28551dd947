"""Delegation: parts of a request as tasks for workers, and one answer from what they bring."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from course.models.policy.carrying import in_full
from course.models.policy.colleagues import Colleague
from course.models.policy.conversation import Made, Talk
from course.models.policy.lines import inline
from course.models.policy.material import Part
from course.models.policy.matters import Matter
from course.models.policy.needs import Wanted
from course.models.policy.plans import builds_on, stage
from course.models.policy.prose import constraints
from course.models.policy.results import sentence
from course.models.policy.synthesis import contradictions
from course.models.policy.wordlists import cue
from course.models.policy.words import content, human

_BUSY = re.compile(r"\balready (?:asked|transferred|consult\w*|handed)\b", re.IGNORECASE)
_NOT_MINE = cue("delegation.not_mine")


@dataclass(frozen=True)
class Errand:
    """A part for a worker: its task in words, the calls that were made for it, and the places of
    the errands whose results it builds on."""

    matter: Matter
    task: str
    limits: str
    after: tuple[int, ...]
    made: tuple[Made, ...] = ()

    @property
    def last(self) -> Made | None:
        """The latest call that has a result."""
        return next((m for m in reversed(self.made) if m.text is not None), None)

    @property
    def done(self) -> bool:
        """Whether it came back well."""
        return self.last is not None and not failure(self.last)

    @property
    def settled(self) -> bool:
        """Whether nothing more is to be expected of it."""
        return bool(self.made) and next_worker(self) is None


def state_of(made: Made) -> tuple[str, str]:
    """How a delegation ended ("done", or the kind of its failure) and the words for it."""
    data = made.data
    if isinstance(data, Mapping):
        failed = str(data.get("status", "")).lower() not in ("", "done", "ok", "completed")
        if failed or data.get("error"):
            words = data.get("error") or data.get("reason") or data.get("status")
            return str(data.get("kind") or "error"), inline(words)
        body = next((data[k] for k in ("result", "output", "answer") if k in data), data)
        return "done", inline(body)
    return ("error", made.error) if made.error else ("done", made.text or "")


def failure(made: Made) -> str:
    """The kind of failure of a delegation, "" when it went well."""
    kind, _ = state_of(made)
    return "" if kind == "done" else kind


def errands_of(matters: list[Matter], talk: Talk) -> list[Errand]:
    """The errands of a request, with the delegations made so far dealt out to them."""
    found: list[Errand] = []
    earlier: list[tuple[str, int | None]] = []
    shared = _shared_limits(talk)
    for matter in (m for m in matters if m.who and m.who.how in ("delegate", "consult")):
        task, kind = in_full(matter, talk), stage(matter.clause.text)
        after = tuple(builds_on(matter.clause, kind, earlier))
        earlier.append((matter.clause.text, kind))
        limits = "; ".join(dict.fromkeys(x for x in (constraints(task), shared) if x))
        found.append(Errand(matter, task, limits, after))
    return _dealt(found, talk.made)


def _dealt(errands: list[Errand], made: tuple[Made, ...]) -> list[Errand]:
    """The errands with the delegations that were made for each: the one with most words in
    common."""
    own: list[list[Made]] = [[] for _ in errands]
    for call in made:
        scores = [(_likeness(call, e), -n) for n, e in enumerate(errands)]
        if scores and max(scores)[0] >= 0.6:
            own[-max(scores)[1]].append(call)
    return [replace(e, made=tuple(o)) for e, o in zip(errands, own, strict=True)]


def _likeness(call: Made, errand: Errand) -> float:
    """How much of an errand's words a delegation holds; 2 when it begins with them."""
    worker = errand.matter.others[0]
    tools = {c.tool for c in errand.matter.ranking}
    said = str(call.arguments.get(worker.text, "")) if call.name in tools else ""
    if call.error and _BUSY.search(call.error):
        return 0.0  # only one at a time: it is still to be done
    if said.startswith(errand.task):
        return 2.0 + len(errand.task) / 10_000
    heard = set(content(said))
    shares = [
        len(words & heard) / len(words)
        for text in (errand.task, errand.matter.clause.text)
        if (words := set(content(text)))
    ]
    return max(shares, default=0.0)


_ALL = cue("delegation.all")


def _shared_limits(talk: Talk) -> str:
    """Limits that are stated for everything at once."""
    return "; ".join(constraints(m.group(1)) for m in _ALL.finditer(talk.request))


def next_worker(errand: Errand) -> Colleague | None:
    """Who should get an errand now: the best worker, or the next one when the last said that it
    is none of theirs; None when it has been dealt with."""
    if not errand.made:
        return errand.matter.who
    last = errand.last
    if last is None or failure(last) or not _NOT_MINE.search(state_of(last)[1][:160]):
        return None
    asked = {_asked(m, errand) for m in errand.made}
    return next((c for c in errand.matter.others if c.name not in asked), None)


def _asked(made: Made, errand: Errand) -> str:
    """Who was asked by a call."""
    named = made.arguments.get(errand.matter.others[0].chooser)
    by_tool = next((c.name for c in errand.matter.ranking if c.tool == made.name), "")
    return str(named) if named else by_tool


def delegations(errands: list[Errand]) -> list[Wanted]:
    """The delegations to make next: all that wait for nothing, in one message."""
    if any(e.last and failure(e.last) == "limit" for e in errands):
        return []
    found = []
    for errand in errands:
        worker = next_worker(errand)
        before = [errands[n] for n in errand.after]
        if (
            worker
            and all(b.settled for b in before)
            and (not before or any(b.done for b in before))
        ):
            found.append(delegation(errand, worker, errands))
    return found


def delegation(errand: Errand, worker: Colleague, errands: list[Errand]) -> Wanted:
    """The call that gives an errand to a worker, with the results that it builds on."""
    known = [state_of(b.last)[1] for n in errand.after if (b := errands[n]).done and b.last]
    task = errand.task + "".join(f"\nContext: {sentence(k)}" for k in known)
    values: dict[str, Any] = {worker.chooser: worker.name} if worker.chooser else {}
    values[worker.text] = task
    if worker.limits and errand.limits:
        values[worker.limits] = errand.limits
    return Wanted(worker.tool, values)


def report(errands: list[Errand]) -> str:
    """What came of the errands, in their order: results as they are, and what failed and why."""
    good = [e for e in errands if e.done and e.last]
    texts = [sentence(state_of(e.last)[1]) for e in good if e.last]
    texts = list(dict.fromkeys(texts))
    sources = [Part(_who(e), t) for e, t in zip(good, texts, strict=False)]
    disagree = contradictions(sources) if len(sources) > 1 else []
    ends = [state_of(e.last) for e in errands if e.last]
    limit = next((words for kind, words in ends if kind == "limit"), "")
    missing = [_missing(e, limit) for e in errands if not e.done]
    return "\n\n".join([*texts, *disagree, *missing])


def _who(errand: Errand) -> str:
    return human(_asked(errand.last, errand) if errand.last else errand.matter.others[0].name)


def _missing(errand: Errand, limit: str) -> str:
    part = errand.task.split("\n")[0].rstrip(".!?")
    if errand.last is None and limit:
        return f"Missing: “{part}” was not delegated any more: {limit.rstrip('.')}."
    if errand.last is None:
        return f"Missing: “{part}” was not done, because what it builds on is missing."
    kind, words = state_of(errand.last)
    reason = f" ({kind})" if kind not in ("error", "") else ""
    return f"Missing: “{part}”. {_who(errand).capitalize()} failed{reason}: {words.rstrip('.')}."
