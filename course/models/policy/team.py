"""Team: what an agent does that has colleagues: its own part, and passing on the others'."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from course.models.policy.answers import answer, known
from course.models.policy.colleagues import Staff, staff_of
from course.models.policy.conversation import Talk
from course.models.policy.delegation import Errand, delegation, delegations, errands_of, report
from course.models.policy.handover import (
    arrival,
    found_before,
    handed_over,
    handover,
    held_back,
    open_matters,
    remedy,
)
from course.models.policy.matters import Matter, matters_of
from course.models.policy.needs import Wanted
from course.models.policy.results import reads, render, sentence
from course.models.policy.routing import misrouted
from course.models.policy.speech import speech
from course.models.policy.steps import Step, steps_for, wanted_calls
from course.models.wire import ChatRequest, ToolSpec


@dataclass(frozen=True)
class Work:
    """A request as an agent with colleagues sees it: its own steps, and the errands of others."""

    talk: Talk
    staff: Staff
    matters: list[Matter]
    steps: list[Step]
    errands: list[Errand]


def work_of(request: ChatRequest, talk: Talk) -> Work | None:
    """The work of an agent that may pass something on; None for one that can't."""
    staff = staff_of(request.tools, talk.instructions)
    if not staff.others:
        return None
    parts = matters_of(talk, staff)
    matters = open_matters(parts, talk, staff)
    held = held_back(matters)
    mine = [(m.clause, m.own) for m in matters if m.who is None and m not in held]
    steps = steps_for(mine, talk, staff.own)
    return Work(talk, staff, matters, steps, errands_of(matters, talk))


def team_calls(work: Work) -> list[Wanted]:
    """The calls to make next."""
    talk, staff = work.talk, work.staff
    calls = [*wanted_calls(work.steps, talk), *_one_at_a_time(delegations(work.errands), staff)]
    if calls or any(s.need.lacks and not s.made for s in work.steps):
        return calls
    last = remedy(work.steps, talk, staff.own)
    last = last or handover(work.matters, work.steps, talk, staff) or _return(work)
    return [last] if last else []


def _one_at_a_time(calls: list[Wanted], staff: Staff) -> list[Wanted]:
    """Delegations all at once, but only one consultation in a message."""
    asking = {c.tool for c in staff.by("consult")}
    asked = [c for c in calls if c.name in asking]
    return [c for c in calls if c.name not in asking] + asked[:1]


def _return(work: Work) -> Wanted | None:
    """Giving control back with what was found, once nothing is left to do or to ask."""
    sender = next(iter(work.staff.by("return")), None)
    if sender is None or any(m.name == sender.tool for m in work.talk.made):
        return None
    found = " ".join(_said(work).split("\n\n"))
    if not found:
        found = f"I could not find that out: {sentence(work.talk.request)}"
    return Wanted(sender.tool, {sender.text: found})


def team_text(work: Work, request: ChatRequest) -> str:
    """What is said when there is nothing left to call."""
    if not work.matters and handed_over(work.talk) and not _said(work):
        return arrival(work.talk)
    return _said(work) or speech(replace(work.talk, made=()), work.steps, request)


def _said(work: Work) -> str:
    """What was found by whoever worked on the request; "" when nobody did."""
    before = found_before(work.talk, work.staff)
    by_heart = [k for s in work.steps if (k := known(s, work.talk))]
    if not (before or by_heart or work.errands or any(s.tool for s in work.steps)):
        return ""
    mine = [answer(work.steps, work.talk)] if work.steps else []
    dealt = [m for s in work.steps for m in s.made]
    own = {t.name for t in work.staff.own}
    done = [m for m in work.talk.made if m.name in own and m not in dealt and not reads(m.name)]
    others = [report(work.errands)] if work.errands else []
    return "\n\n".join(dict.fromkeys([*before, *mine, *map(render, done), *others]))


def team_aside(work: Work, calls: list[Wanted]) -> str | None:
    """What is said beside a handover: the parts that one's instructions answer."""
    doors = {c.tool for c in work.staff.by("transfer")}
    if not calls or calls[0].name not in doors:
        return None
    return "\n\n".join(k for s in work.steps if (k := known(s, work.talk))) or None


def team_mistake(calls: list[Wanted], work: Work, tools: tuple[ToolSpec, ...]) -> list[Wanted]:
    """The calls with the first one gone to the second best tool or colleague."""
    for errand in work.errands:
        right = errand.matter.others[0]
        again = partial(delegation, errand, errands=work.errands)
        wrong = next((c for c in errand.matter.ranking if c.name != right.name), None)
        if wrong and calls[0] == again(right):
            return [again(wrong), *calls[1:]]
    doors = work.staff.by("transfer")
    if calls[0].name in {d.tool for d in doors}:
        other = _other_door(calls[0], work)
        return [other, *calls[1:]] if other else calls
    return misrouted(calls, work.steps, work.staff.own)


def _other_door(call: Wanted, work: Work) -> Wanted | None:
    """The same handover to the second best agent."""
    first = next((m for m in work.matters if m.who and m.who.tool == call.name), None)
    ranking = first.ranking if first else work.staff.others
    others = [c for c in ranking if c.how == "transfer" and c.tool != call.name]
    said = next(iter(call.arguments.values()), "")
    return Wanted(others[0].tool, {others[0].text: said}) if others else None
