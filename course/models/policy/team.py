"""Team: what an agent does that has colleagues: its own part, and passing on the others'."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from course.models.policy.answers import answer
from course.models.policy.colleagues import Staff, staff_of
from course.models.policy.conversation import Talk
from course.models.policy.delegation import Errand, delegation, delegations, errands_of, report
from course.models.policy.handover import arrival, found_before, handed_over, handover, open_matters
from course.models.policy.matters import Matter, matters_of
from course.models.policy.needs import Wanted
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
    matters = open_matters(matters_of(talk, staff), talk, staff)
    mine = [(m.clause, m.own) for m in matters if m.who is None]
    steps = steps_for(mine, talk, staff.own)
    return Work(talk, staff, matters, steps, errands_of(matters, talk))


def team_calls(work: Work) -> list[Wanted]:
    """The calls to make next."""
    calls = [*wanted_calls(work.steps, work.talk), *delegations(work.errands)]
    if calls or any(s.need.lacks and not s.made for s in work.steps):
        return calls
    passed = handover(work.matters, work.steps, work.talk, work.staff)
    return [passed] if passed else []


def team_text(work: Work, request: ChatRequest) -> str:
    """What is said when there is nothing left to call."""
    before = found_before(work.talk, work.staff)
    if not work.matters and not before and handed_over(work.talk):
        return arrival(work.talk)
    if not before and not work.errands and not any(s.tool for s in work.steps):
        return speech(replace(work.talk, made=()), work.steps, request)
    mine = [answer(work.steps, work.talk)] if work.steps else []
    others = [report(work.errands)] if work.errands else []
    return "\n\n".join(dict.fromkeys([*before, *mine, *others]))


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
