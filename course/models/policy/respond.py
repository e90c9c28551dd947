"""Respond: one chat request in, one reply out; the policy's only door.

Whatever is asked is some duty: a task with a typed result, an errand that nobody answers, work
in a team, or a request for oneself. A duty says which calls come next, and what is said when there
are none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from course.models.draws import Draws
from course.models.policy.colleagues import staff_of
from course.models.policy.conversation import Talk, exchanges, read, running_in
from course.models.policy.corrected import as_meant
from course.models.policy.errand import errand_calls, errand_of, errand_text, mistaken
from course.models.policy.front import fronted
from course.models.policy.interview import task_calls, task_of, task_text
from course.models.policy.match import ENOUGH
from course.models.policy.material import read_json
from course.models.policy.mending import with_mended
from course.models.policy.needs import Wanted
from course.models.policy.obedience import obeying, rules_of, silenced, without_orders
from course.models.policy.plans import is_plan, plan_schema
from course.models.policy.ranking import rank
from course.models.policy.reader.cutting import orders
from course.models.policy.reader.dialogue import (
    CHOICE,
    LEANS,
    declined,
    followed_up,
    in_their_month,
)
from course.models.policy.reader.slots import as_told
from course.models.policy.schemas import Schema
from course.models.policy.shares import misrouted, options_offered, routed
from course.models.policy.speech import speech
from course.models.policy.steps import Step, forced_call, rates, rating, steps_of, wanted_calls
from course.models.policy.structured import Source, free_object, schema_of_example, structured
from course.models.policy.team import Work, team_aside, team_calls, team_mistake, team_text, work_of
from course.models.policy.words import cue
from course.models.wire import Call, ChatRequest, Reply


def respond(request: ChatRequest, draws: Draws, *, error_rate: float = 0.0) -> Reply:
    """Answer a chat request by rules, from nothing but the request itself.

    Pure: no clock, no input or output; the same request and draws give the same reply.
    `error_rate` is the probability (0 to 1) that this message's first call goes to the second
    best tool instead. Raises nothing on a well-formed request.
    """
    request = without_orders(as_meant(request))
    errs = partial(draws.chance, "route", error_rate)
    if request.tool_choice in ("named", "required"):
        return _answered(request, errs)
    if request.response_format != "text":
        return _in_form(request, errs) if _talks(request) else _answered(request, errs)
    rules = rules_of(request)
    if refusal := silenced(rules, request):
        return refusal
    free = not request.tools or request.tool_choice == "none"
    if free or task_of(request, _in_hand(request)):  # a typed task is asked for field by field
        return obeying(rules, request, _answered(request, errs))
    reply = fronted(request, partial(_answered, errs=lambda: False))
    if reply.calls and errs():
        return _answered(request, lambda: True)
    return obeying(rules, request, reply)


def _talks(request: ChatRequest) -> bool:
    """Whether a person speaks to who has tools and answers in a form: data is no person's word."""
    if not request.tools or request.tool_choice != "auto":
        return False
    try:
        return not isinstance(read_json(read(request).latest), dict | list)
    except ValueError:
        return True


def _in_form(request: ChatRequest, errs: Callable[[], bool]) -> Reply:
    """The reply where tools go with an answer in a form: what is done passes the gate as anywhere,
    and what is said stands in the form."""
    plain = replace(request, response_format="text", schema=None)
    reply = fronted(plain, partial(_answered, errs=lambda: False))
    if reply.calls:
        return _answered(request, lambda: True) if errs() else replace(reply, text=None)
    talk = _in_hand(request)
    duty = replace(_duty(request, talk), say=lambda: reply.text or "")
    return Reply(text=_text(request, talk, duty, errs))


def options(request: ChatRequest) -> int:
    """How many tools and agents a request lets its answer choose from.

    A delegation tool counts as many times as there are workers, a router's answer as many times as
    there are agents: who chooses among forty agents errs as if among forty tools.
    """
    talk = read(request)
    staff = staff_of(request.tools, talk.instructions)
    return max(len(staff.own) + len(staff.others), options_offered(request, talk))


@dataclass(frozen=True)
class _Duty:
    """What is to be done about a request: the calls that come next, what is said when there are
    none and what is said beside them, and the calls as somebody makes them who errs."""

    calls: Callable[[], list[Wanted]]
    say: Callable[[], str]
    steps: list[Step] = field(default_factory=list)
    beside: Callable[[list[Wanted]], str | None] = lambda calls: None
    mistaken: Callable[[list[Wanted]], list[Wanted]] = lambda calls: calls


def _answered(request: ChatRequest, errs: Callable[[], bool]) -> Reply:
    """The reply to a request as it was meant, before plain instructions are held against it."""
    talk = _in_hand(request)
    rated = rating(request, talk)
    request = _offered(request, talk)
    duty = _duty(request, talk)
    calls = _calls(request, talk, duty)
    if rated:
        return _called([rated, *calls], request)
    if calls:
        calls = duty.mistaken(calls) if errs() else calls
        return _called(calls, request, duty.beside(calls))
    return Reply(text=_text(request, talk, duty, errs))


def _in_hand(request: ChatRequest) -> Talk:
    """The conversation; a reply to a question that is itself a new request stands alone."""
    talk = in_their_month(read(request), request)
    if not (talk.answers and request.tools):
        return talk
    ranked = rank(request.tools, talk.latest)
    asks = orders(talk.latest) or talk.latest.rstrip().endswith("?")
    fresh = ranked[0][0] >= 1.5 * ENOUGH and asks
    return in_their_month(read(request, joined=False), request) if fresh else talk


_HOUSE = cue("results.house")  # a question about the house wishes for nothing to be started


def _offered(request: ChatRequest, talk: Talk) -> ChatRequest:
    """The request with the tools that are to be chosen from: none that only rates, and none that
    starts a piece of work that was begun, or for a question about the house; with what instructions
    say of ids."""
    asks, begun = _HOUSE.search(talk.latest), running_in(request.messages)
    starting = {t.name for t in request.tools if t.name.startswith(("start", "begin"))}
    kept = [t for t in request.tools if t.name not in (starting if asks else starting & begun)]
    if request.tool_choice in ("auto", "none"):
        kept = [t for t in kept if not rates(t)]
    return replace(request, tools=as_told(tuple(kept), talk.instructions))


def _duty(request: ChatRequest, talk: Talk) -> _Duty:
    """Whose duty a request is: the first that fits."""
    plain = request.tool_choice == "auto" and request.response_format == "text"
    if task := task_of(request, talk):
        return _Duty(partial(task_calls, task), partial(task_text, task))
    if plain and (errand := errand_of(request, talk)):
        said = partial(errand_text, errand)
        return _Duty(partial(errand_calls, errand), said, mistaken=partial(mistaken, errand))
    if work := work_of(request, talk):
        made, said = partial(_in_team, request, work, plain), partial(team_text, work, request)
        wrong = partial(team_mistake, work)
        return _Duty(made, said, work.steps, partial(team_aside, work), wrong)
    if plain and declined(request, talk):
        return _Duty(list, lambda: "All right, I leave it at that: nothing was done.")
    steps = steps_of(talk, request.tools) if request.tools else []
    calls = partial(_as_replied if plain else _as_asked, request, talk, steps)
    wrong = partial(misrouted, steps=steps, tools=request.tools)
    return _Duty(calls, partial(speech, talk, steps, request), steps, mistaken=wrong)


def _in_team(request: ChatRequest, work: Work, plain: bool) -> list[Wanted]:
    """The calls of whoever has colleagues; a reply may ask for what was spoken of before it."""
    talk = work.talk
    calls = with_mended(team_calls(work), talk, work.staff.own)
    leans = talk.answers or CHOICE.search(talk.latest) or LEANS.search(talk.latest)
    return calls or (followed_up(request, talk, work.staff.own) if plain and leans else [])


def _as_asked(request: ChatRequest, talk: Talk, steps: list[Step]) -> list[Wanted]:
    return with_mended(wanted_calls(steps, talk), talk, request.tools)


def _as_replied(request: ChatRequest, talk: Talk, steps: list[Step]) -> list[Wanted]:
    """The calls as a reply changes them: it chooses among several things that were brought, says
    a value of the one call anew, or asks for what was spoken of before it."""
    calls = _as_asked(request, talk, steps)
    again = followed_up(request, talk, request.tools)
    chosen = (talk.made or talk.past) and CHOICE.search(talk.latest)
    leans = chosen or LEANS.search(talk.latest)
    if len(calls) == 1 and [c.name for c in again] == [calls[0].name]:
        return again if talk.answers or leans else calls
    return again if again and (not calls or leans) else calls


def _calls(request: ChatRequest, talk: Talk, duty: _Duty) -> list[Wanted]:
    """The calls of a duty as far as the request's tool choice wants them."""
    if not request.tools or request.tool_choice == "none":
        return []
    calls = duty.calls()
    if request.tool_choice == "named":
        calls = [c for c in calls if c.name == request.named_tool][:1]
    if not calls and request.tool_choice in ("named", "required"):
        return [forced_call(request, talk, duty.steps)]
    return calls


def _called(calls: list[Wanted], request: ChatRequest, text: str | None = None) -> Reply:
    kept = calls if request.parallel_tool_calls else calls[:1]
    made = (Call(c.name, json.dumps(c.arguments, ensure_ascii=False)) for c in kept)
    return Reply(text=text, calls=tuple(made))


def _text(request: ChatRequest, talk: Talk, duty: _Duty, errs: Callable[[], bool]) -> str:
    """What is said, in the shape that the answer must have; a router's names stand in theirs."""
    schema = _schema(request, talk, duty.steps)
    if schema is None and request.response_format == "text":
        return duty.say()
    if schema is None:
        return free_object(talk, duty.say())
    text = structured(schema, Source(talk, duty.say, exchanges(request.messages)))
    names = routed(request, talk, errs)
    return json.dumps({**json.loads(text), **names}, ensure_ascii=False) if names else text


_WANTS_JSON = re.compile(r"\bJSON\b")


def _schema(request: ChatRequest, talk: Talk, steps: list[Step]) -> Schema | None:
    """The shape that the answer must have: the request's schema, or the example or the plan that
    the instructions ask for as JSON."""
    if request.response_format == "json_schema":
        return request.schema
    by_words = _WANTS_JSON.search(talk.instructions) and not any(s.tool for s in steps)
    if request.response_format != "json_object" and not by_words:
        return None
    shown = schema_of_example(talk.instructions)
    whole = shown is not None and (is_plan(shown, shown) or "array" not in str(shown))
    return shown if whole else plan_schema(talk.instructions) or shown
