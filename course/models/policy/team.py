"""Team: what an agent does that has colleagues: its own part, passing on the others', and one
answer from what came back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from course.models.policy.arguments import fill
from course.models.policy.clauses import constraints, is_greeting, polished
from course.models.policy.colleagues import Colleague, Staff, staff_of
from course.models.policy.conversation import Made, Talk
from course.models.policy.lines import inline
from course.models.policy.material import Part
from course.models.policy.needs import Wanted, World, reads_only, resolve
from course.models.policy.plans import builds_on, stage
from course.models.policy.results import (
    deed_words,
    error_words,
    names_in,
    reads,
    render,
    sentence,
)
from course.models.policy.shares import SURE, Share, in_full, in_trouble, misrouted, shares_of
from course.models.policy.speech import (
    answer,
    found_answer,
    greeting,
    known,
    passing_on,
    speech,
    statements,
)
from course.models.policy.steps import Step, is_control, repair_of, steps_beside, wanted_calls
from course.models.policy.synthesis import contradictions
from course.models.policy.words import content, cue, human, name_stems
from course.models.wire import ChatRequest

_NOT_MINE, _ALL, _HIGHER, _STILL, _WISHES_ANOTHER = (
    cue(f"team.{n}") for n in "not_mine all higher still wishes_another".split()
)

_PASSED_ON = cue("speech.passed_on")
_THEN = "; then: "
_SHARED = 2  # words that a finding and a remedy's purpose have in common


@dataclass(frozen=True)
class Errand:
    """A part for a worker: its task in words, the calls that were made for it, and the places of
    the errands whose results it builds on."""

    share: Share
    task: str
    limits: str
    after: tuple[int, ...]
    made: tuple[Made, ...] = ()

    @property
    def last(self) -> Made | None:
        """The latest call that has a result."""
        return next((m for m in reversed(self.made) if m.text is not None), None)

    @property
    def outcome(self) -> tuple[str, str]:
        """How the latest call ended and the words for it; ("", "") without one."""
        return _outcome(self.last) if self.last else ("", "")

    @property
    def done(self) -> bool:
        """Whether it came back well."""
        return self.outcome[0] == "done"

    @property
    def worker(self) -> Colleague | None:
        """Who should get it now: the best worker, or the next one when the last said that it is
        none of theirs; None when it has been dealt with."""
        if not self.made:
            return self.share.who
        if not self.done or not _NOT_MINE.search(self.outcome[1][:160]):
            return None
        asked = {self.asked(m) for m in self.made}
        return next((c for c in self.share.others if c.name not in asked), None)

    def asked(self, made: Made) -> str:
        """Who was asked by a call."""
        named = made.arguments.get(self.share.others[0].chooser)
        by_tool = next((c.name for c in self.share.ranking if c.tool == made.name), "")
        return str(named) if named else by_tool


@dataclass(frozen=True)
class Work:
    """A request as an agent with colleagues sees it: its own steps, and the errands of others."""

    talk: Talk
    staff: Staff
    shares: list[Share]
    steps: list[Step]
    errands: list[Errand]


def work_of(request: ChatRequest, talk: Talk) -> Work | None:
    """The work of an agent that may pass something on; None for one that can't."""
    staff = staff_of(request.tools, talk.instructions)
    if not staff.others:
        return None
    shares = _open(shares_of(talk, staff), talk)
    mine = [(m.clause, m.own) for m in shares if m.who is None]
    steps = steps_beside(mine, talk, staff.own)
    return Work(talk, staff, shares, steps, _errands(shares, talk))


def _handed_over(talk: Talk) -> list[Made]:
    """The handovers made while the request in hand was being served."""
    return [m for m in talk.made if is_control(m.name) and m.error is None]


def _open(shares: list[Share], talk: Talk) -> list[Share]:
    """The parts that are to be dealt with: after a handover those that its reason names, and not
    the wish for it."""
    passed = _handed_over(talk)
    if not passed:
        return shares
    why = _reason(passed[-1])
    left = [m for m in shares if not _WISHES_ANOTHER.search(m.clause.text)]
    first = _reason(passed[-1], whole=False)
    kept = [m for m in left if _mentioned(m, why)]
    return [replace(m, own=m.own or m.near) if _mentioned(m, first) else m for m in kept] or left


def _reason(made: Made, whole: bool = True) -> set[str]:
    """The words of why a handover was made: of all its parts, or of the first."""
    told = " ".join(v for v in made.arguments.values() if isinstance(v, str))
    return set(content(told if whole else told.split(_THEN)[0]))


def _mentioned(share: Share, why: set[str]) -> bool:
    words = set(content(share.clause.text))
    return len(words & why) >= 0.7 * len(words)


def _errands(shares: list[Share], talk: Talk) -> list[Errand]:
    """The errands of a request, with the delegations made so far dealt out: each to the one with
    most words in common."""
    found: list[Errand] = []
    earlier: list[tuple[str, int | None]] = []
    shared = "; ".join(constraints(m.group(1)) for m in _ALL.finditer(talk.request))
    for share in (m for m in shares if m.who and m.who.how in ("delegate", "consult")):
        task, kind = in_full(share, talk), stage(share.clause.text)
        after = tuple(builds_on(share.clause, kind, earlier))
        earlier.append((share.clause.text, kind))
        limits = "; ".join(dict.fromkeys(x for x in (constraints(task), shared) if x))
        found.append(Errand(share, task, limits, after))
    own: list[list[Made]] = [[] for _ in found]
    for call in talk.made:
        likely, place = max(((_likeness(call, e), -n) for n, e in enumerate(found)), default=(0, 0))
        if likely >= 0.6:
            own[-place].append(call)
    return [replace(e, made=tuple(o)) for e, o in zip(found, own, strict=True)]


def _likeness(call: Made, errand: Errand) -> float:
    """How much of an errand's words a delegation holds."""
    tools = {c.tool for c in errand.share.ranking}
    if call.name not in tools:
        return 0.0
    heard = set(content(str(call.arguments.get(errand.share.others[0].text, ""))))
    told = (set(content(t)) for t in (errand.task, errand.share.clause.text))
    return max((len(words & heard) / len(words) for words in told if words), default=0.0)


def _outcome(made: Made) -> tuple[str, str]:
    """How a delegation ended ("done", or the kind of its failure) and the words for it."""
    data = made.data
    if not isinstance(data, Mapping):
        return ("error", made.error) if made.error else ("done", made.text or "")
    failed = str(data.get("status", "")).lower() not in ("", "done", "ok", "completed")
    if failed or data.get("error"):
        words = data.get("error") or data.get("reason") or data.get("status")
        return str(data.get("kind") or "error"), inline(words)
    return "done", inline(
        next((data[k] for k in ("result", "output", "answer") if k in data), data)
    )


def team_calls(work: Work) -> list[Wanted]:
    """The calls to make next: one's own, then delegations, then a handover or the way back."""
    consulted = {c.tool for c in work.staff.by("consult")}
    given = _delegations(work.errands)
    one = [c for c in given if c.name in consulted][:1]  # one consultation in a message
    calls = [c for c in given if c.name not in consulted] + one
    calls = [*wanted_calls(work.steps, work.talk), *calls]
    if calls or any(_asks(s, work) for s in work.steps):
        return calls
    last = _remedy(work) or _handover(work) or _return(work)
    return [last] if last else []


def _asks(step: Step, work: Work) -> bool:
    """Whether a step waits for what the person has to say; one of which nothing at all was said
    is no wish where whatever is not one's own goes back."""
    if not step.need.lacks or step.made:
        return False
    hollow = len(step.need.lacks) > 1 and not step.need.values
    return not (hollow and work.staff.by("return") and not work.talk.answers)


def _delegations(errands: list[Errand]) -> list[Wanted]:
    """The delegations to make next: all that wait for nothing, in one message."""
    if any(e.outcome[0] == "limit" for e in errands):
        return []
    found = []
    for errand in errands:
        before = [errands[n] for n in errand.after]
        waits = any(not b.made or b.worker for b in before)
        lost = before and not any(b.done for b in before)
        if errand.worker and not waits and not lost:
            found.append(_delegation(errand, errand.worker, errands))
    return found


def _delegation(errand: Errand, worker: Colleague, errands: list[Errand]) -> Wanted:
    """The call that gives an errand to a worker, with the results that it builds on."""
    before = [errands[n].outcome[1] for n in errand.after if errands[n].done]
    values = {worker.chooser: worker.name} if worker.chooser else {}
    values[worker.text] = errand.task + "".join(f"\nContext: {sentence(b)}" for b in before)
    if worker.limits and errand.limits:
        values[worker.limits] = errand.limits
    return Wanted(worker.tool, values)


def _remedy(work: Work) -> Wanted | None:
    """The tool that mends what a look-up found: one whose purpose shares words with the finding."""
    talk, own = work.talk, work.staff.own
    done = {m.name for m in (*talk.tried, *talk.made)}
    for step in filter(_only_looked, work.steps):
        found = set(content(step.made[-1].text or "")) - set(name_stems(step.made[-1].name))
        for tool in (t for t in own if t.name not in done and not reads_only(t)):
            if len(set(content(tool.description.partition(" for ")[2])) & found) < _SHARED:
                continue
            filled = fill(tool.parameters, step.texts, tool.name)
            need = resolve(tool, filled, step.texts, World(own, talk.made, talk.past))
            if not need.calls and not need.lacks:
                return Wanted(tool.name, need.values)
    return None


def _handover(work: Work) -> Wanted | None:
    """The handover to make now: for the first open part that another agent is described for, or
    upwards when one's own means are exhausted; one that was refused is enough for a message."""
    doors = work.staff.by("transfer")
    refused = [m.error is not None for m in work.talk.made if is_control(m.name)]
    if not doors or (refused and refused[-1]):
        return None
    higher = next(
        (d for d in doors if _HIGHER.search(f"{d.name} {d.about}".replace("_", " "))), None
    )
    for share in work.shares:
        door = _door(share, doors, higher, work.talk)
        if door:
            rest = [m for m in work.shares if m is not share and not m.own]
            return _pass_to(
                door, in_full(share, work.talk), [m for m in rest if _lost(m, work.talk)]
            )
    return _upwards(higher, work) if higher else None


def _lost(share: Share, talk: Talk) -> bool:
    """Whether one neither serves a part nor knows it by heart."""
    by_heart = found_answer(share.clause.text, (statements(talk.instructions),))
    return not share.own and bool(share.who or not by_heart)


def _door(
    share: Share, doors: Sequence[Colleague], higher: Colleague | None, talk: Talk
) -> Colleague | None:
    """Whom a part is passed to, None when it stays. What is nobody's goes to whoever passes
    things on, or the one way out there is, and never the same way twice."""
    if share.own or share.who:
        who = share.who
        return who if who and who.how == "transfer" and not _bounces(share, who, talk) else None
    if share.mine or is_greeting(share.clause.text):
        return None
    fit = [d for d in doors if d.general or (len(doors) == 1 and not higher)]
    return next((d for d in fit if not _bounces(share, d, talk)), None)


def _bounces(share: Share, door: Colleague, talk: Talk) -> bool:
    """Whether a part would go the way again that it went before, without anybody to claim it."""
    passed = [m for m in _handed_over(talk) if m.name == door.tool]
    alone = door.general or share.who is None or share.likely < SURE
    return alone and any(_mentioned(share, _reason(m, False)) for m in passed)


def _pass_to(door: Colleague, text: str, also: list[Share]) -> Wanted:
    said = set(content(text))
    rest = [m.clause.text for m in also if not set(content(m.clause.text)) <= said]
    why = sentence(_THEN.join(polished(t).rstrip(".!") for t in (text, *rest)))
    return handed(door, why)


def handed(door: Colleague, why: str) -> Wanted:
    """The call that passes the conversation to somebody, with the reason where it takes one."""
    values = {door.chooser: door.name} if door.chooser else {}
    return Wanted(door.tool, values | ({door.text: why} if door.text else {}))


def _upwards(higher: Colleague, work: Work) -> Wanted | None:
    """Escalation: when what was tried failed, did not help, or found nothing that mends it."""
    own = {t.name for t in work.staff.own if not reads_only(t)}
    failed = [s.made[-1] for s in work.steps if s.made and s.made[-1].error and not repair_of(s)]
    vain = _STILL.search(work.talk.latest) and not any(s.tool for s in work.steps)
    if any(m.error is None and m.name in own for m in work.talk.made):
        return None
    if not (failed or vain or any(map(_only_looked, work.steps))):
        return None
    tried = [
        f"{deed_words(m.name)} failed: {error_words(m.error or '').rstrip('.')}" for m in failed
    ]
    what = "; ".join([polished(work.talk.request).rstrip(".!"), *tried])
    return handed(higher, f"{what}.")


def _only_looked(step: Step) -> bool:
    """Whether trouble was looked into and nothing was found that mends it."""
    last = step.made[-1] if step.made else None
    tool = next((t for t in step.ranked if last and t.name == last.name), None)
    looked = bool(last and not last.error and (reads(last.name) or (tool and reads_only(tool))))
    return looked and in_trouble(step.clause.text)


def _return(work: Work) -> Wanted | None:
    """Giving control back with what was found, once nothing is left to do or to ask."""
    sender = next(iter(work.staff.by("return")), None)
    if sender is None or any(m.name == sender.tool for m in work.talk.made):
        return None
    found = " ".join(_said(work).split("\n\n"))
    found = found or f"I could not find that out: {sentence(work.talk.request)}"
    return Wanted(sender.tool, {sender.text: found})


def team_text(work: Work, request: ChatRequest) -> str:
    """What is said when there is nothing left to call."""
    if gone := passing_on(request):
        return gone
    if not work.shares and _handed_over(work.talk) and not _said(work):
        last = work.talk.made[-1]
        told = last.text if is_control(last.name) and isinstance(last.data, str) else None
        says = told and " " in told and not _PASSED_ON.match(told)
        return sentence(told) if told and says else greeting(work.talk.instructions)
    return _said(work) or speech(replace(work.talk, made=()), work.steps, request)


def _said(work: Work) -> str:
    """What was found by whoever worked on the request; "" when nobody did."""
    talk, steps = work.talk, work.steps
    before = _found_before(work)
    by_heart = [k for s in steps if (k := known(s, talk))]
    if not (before or by_heart or work.errands or any(s.tool for s in steps)):
        return ""
    mine = [answer(steps, talk)] if steps else []
    dealt = [m for s in steps for m in s.made]
    own = {t.name for t in work.staff.own}
    done = [m for m in talk.made if m.name in own and m not in dealt and not reads(m.name)]
    others = [_report(work.errands)] if work.errands else []
    return "\n\n".join(dict.fromkeys([*before, *mine, *map(render, done), *others]))


def _found_before(work: Work) -> list[str]:
    """What earlier agents found for the same request, without what they only looked up on the
    way."""
    made = work.talk.made
    last = max((n for n, m in enumerate(made) if m in _handed_over(work.talk)), default=0)
    moves = {c.tool for c in work.staff.others}
    found = [m for m in made[:last] if m.name not in moves and not is_control(m.name)]
    found = [m for m in found if m.text is not None and m.error is None]
    ends = [m for m in found if not _on_the_way(m, made[made.index(m) + 1 :])]
    return [render(m, "", names_in(tuple(found))) for m in ends]


def _on_the_way(made: Made, later: Sequence[Made]) -> bool:
    """Whether a later call used an id out of a result."""
    used = {str(v) for m in later for v in m.arguments.values() if isinstance(v, str | int)}
    return any(re.search(rf"(?<!\w){re.escape(u)}(?!\w)", made.text or "") for u in used if u)


def _report(errands: list[Errand]) -> str:
    """What came of the errands, in their order: results as they are, and what failed and why."""
    good = {sentence(e.outcome[1]): human(e.asked(e.last)) for e in errands if e.done and e.last}
    sources = [Part(who, text) for text, who in good.items()]
    disagree = contradictions(sources) if len(sources) > 1 else []
    limit = next((words for kind, words in (e.outcome for e in errands) if kind == "limit"), "")
    return "\n\n".join([*good, *disagree, *(_missing(e, limit) for e in errands if not e.done)])


def _missing(errand: Errand, limit: str) -> str:
    part = f"Missing: “{errand.task.rstrip('.!?')}”"
    if errand.last is None and limit:
        return f"{part} was not delegated any more: {limit.rstrip('.')}."
    if errand.last is None:
        return f"{part} was not done, because what it builds on is missing."
    kind, words = errand.outcome
    reason = f" ({kind})" if kind != "error" else ""
    who = human(errand.asked(errand.last)).capitalize()
    return f"{part}. {who} failed{reason}: {words.rstrip('.')}."


def team_aside(work: Work, calls: list[Wanted]) -> str | None:
    """What is said beside a handover: the parts that one's instructions answer."""
    if calls[0].name not in {c.tool for c in work.staff.by("transfer")}:
        return None
    return "\n\n".join(k for s in work.steps if (k := known(s, work.talk))) or None


def team_mistake(work: Work, calls: list[Wanted]) -> list[Wanted]:
    """The calls with the first one gone to the second best tool or colleague."""
    for errand in work.errands:
        right = errand.share.others[0]
        wrong = next((c for c in errand.share.ranking if c.name != right.name), None)
        if wrong and calls[0] == _delegation(errand, right, work.errands):
            return [_delegation(errand, wrong, work.errands), *calls[1:]]
    if calls[0].name not in {d.tool for d in work.staff.by("transfer")}:
        return misrouted(calls, work.steps, work.staff.own)
    first = next((m for m in work.shares if m.who and m.who.tool == calls[0].name), None)
    ranking = first.ranking if first else work.staff.others
    others = [c for c in ranking if c.how == "transfer" and c.tool != calls[0].name]
    said = next(iter(calls[0].arguments.values()), "")
    return [Wanted(others[0].tool, {others[0].text: said}), *calls[1:]] if others else calls
