"""Respond: one chat request in, one reply out; the policy's only door."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial

from course.models.draws import Draws
from course.models.policy.chat import HOUSE, passing_on
from course.models.policy.colleagues import staff_of
from course.models.policy.conversation import Talk, read, text_of
from course.models.policy.corrected import as_meant
from course.models.policy.errand import Errand, errand_of
from course.models.policy.errandwork import errand_calls, errand_text, mistaken
from course.models.policy.exchanges import exchanges
from course.models.policy.forced import forced_call
from course.models.policy.handover import arrival
from course.models.policy.interview import interview
from course.models.policy.match import ENOUGH
from course.models.policy.needs import Wanted
from course.models.policy.obedience import (
    SORRY,
    Rules,
    asks_first,
    changes,
    confirmed,
    declined,
    forbids,
    pries,
    rules_of,
    without_orders,
    worded,
)
from course.models.policy.planfields import is_plan, plan_schema
from course.models.policy.ranking import rank
from course.models.policy.reader.dialogue import CHOICE, followed_up
from course.models.policy.refusing import refused
from course.models.policy.routes import division_of, options_offered, route_of
from course.models.policy.routing import misrouted
from course.models.policy.schemas import Schema
from course.models.policy.severity import rates, rating
from course.models.policy.speech import speech
from course.models.policy.steps import Step, steps_of, wanted_calls
from course.models.policy.structured import Source, free_object, schema_of_example, structured
from course.models.policy.tasks import Task, task_of
from course.models.policy.taskwork import task_calls, task_text
from course.models.policy.team import Work, team_aside, team_calls, team_mistake, team_text, work_of
from course.models.policy.verbs import head_action
from course.models.wire import Call, ChatRequest, Reply, ToolSpec


def respond(request: ChatRequest, draws: Draws, *, error_rate: float = 0.0) -> Reply:
    """Answer a chat request by rules, from nothing but the request itself.

    Pure: no clock, no input or output; the same request and draws give the same reply.
    `error_rate` is the probability (0 to 1) that this message's first call goes to the second
    best tool instead. Raises nothing on a well-formed request.
    """
    request = without_orders(as_meant(request))
    rules = rules_of("\n".join(text_of(m) for m in request.messages if m.get("role") in _TOLD_BY))
    if request.response_format != "text" or request.tool_choice in ("named", "required"):
        return _answered(request, draws, error_rate)
    *_, last = ({}, *request.messages)
    if last.get("role") == "user" and pries(rules, text_of(last)):
        return Reply(text=SORRY)
    return _obeying(rules, request, _answered(request, draws, error_rate))


_TOLD_BY = ("system", "developer")


def _obeying(rules: Rules, request: ChatRequest, reply: Reply) -> Reply:
    """A reply as plain instructions allow it."""
    tools = {t.name: t for t in request.tools}
    barred = [
        tools[c.name] for c in reply.calls if c.name in tools and forbids(rules, tools[c.name])
    ]
    if barred:
        kept = tuple(c for c in reply.calls if all(c.name != t.name for t in barred))
        return replace(reply, calls=kept) if kept else Reply(text=worded(rules, declined(barred)))
    deeds = [c for c in reply.calls if c.name in tools and changes(tools[c.name])]
    if rules.confirms and deeds and not confirmed(request.messages):
        return Reply(text=asks_first(deeds))
    if reply.calls or not reply.text:
        return reply
    return replace(reply, text=worded(rules, reply.text))


def _answered(request: ChatRequest, draws: Draws, error_rate: float) -> Reply:
    """The reply to a request as it was meant, before plain instructions are held against it."""
    talk = _talk(request)
    rated = rating(request.tools, talk) if request.tools and request.tool_choice == "auto" else None
    if any(rates(t) for t in request.tools) and request.tool_choice in ("auto", "none"):
        request = replace(request, tools=tuple(t for t in request.tools if not rates(t)))
    if HOUSE.search(talk.latest):
        request = replace(request, tools=tuple(t for t in request.tools if not _starts(t)))
    task = task_of(request, talk) if request.tools else None
    if task:
        return _in_task(request, task)
    errand = errand_of(request, talk)
    if errand and request.tool_choice == "auto" and request.response_format == "text":
        return _on_errand(request, errand, draws, error_rate)
    work = work_of(request, talk) if request.tools else None
    steps = work.steps if work else steps_of(talk, request.tools) if request.tools else []
    calls = _as_replied(request, talk, work, _calls(request, talk, steps, work))
    if rated:
        return _called([rated, *calls], request)
    if calls and draws.chance("route", error_rate):
        calls = (
            team_mistake(calls, work, request.tools)
            if work
            else misrouted(calls, steps, request.tools)
        )
    if calls:
        return _called(calls, request, team_aside(work, calls) if work else None)
    chat = interview(request, talk)
    if chat is not None:
        return Reply(text=chat)
    text = _text(request, talk, steps, work)
    return Reply(text=_sent_on(text, request, talk, draws, error_rate))


def _as_replied(
    request: ChatRequest, talk: Talk, work: Work | None, calls: list[Wanted]
) -> list[Wanted]:
    """The calls as a reply changes them: it chooses among several things that were brought, says
    a value of the one call anew, or asks for what was spoken of before it."""
    if work or request.tool_choice != "auto" or request.response_format != "text":
        return calls
    if not calls and interview(request, talk) is not None:
        return calls
    again = followed_up(request, talk, request.tools)
    chosen = talk.made and CHOICE.search(talk.latest)
    same = talk.answers and len(calls) == 1 and [c.name for c in again] == [calls[0].name]
    return again if again and (not calls or chosen or same) else calls


def _sent_on(text: str, request: ChatRequest, talk: Talk, draws: Draws, error_rate: float) -> str:
    """An answer that says who is to deal with the request, or with which part of it."""
    route = route_of(request, talk)
    if route:
        wrong = bool(route.agents) and draws.chance("route", error_rate)
        return json.dumps({**json.loads(text), route.field: route.value(wrong)}, ensure_ascii=False)
    if (parts := division_of(request, talk)) is not None:
        return json.dumps({**json.loads(text), **parts}, ensure_ascii=False)
    return text


_GREETS = re.compile(r"\bgreet (?:them|him|her|the \w+) in (?:one|a) sentence\b", re.IGNORECASE)


def _starts(tool: ToolSpec) -> bool:
    """Whether a tool starts a piece of work with the person."""
    return tool.name.startswith(("start", "begin"))


def _passing_on(request: ChatRequest) -> str | None:
    """The last words of who has handed over and may call nothing more."""
    *_, last = ({}, *request.messages)
    if request.tool_choice != "none" or last.get("role") != "tool":
        return None
    return passing_on(text_of(last))


def _called(calls: list[Wanted], request: ChatRequest, text: str | None = None) -> Reply:
    kept = calls if request.parallel_tool_calls else calls[:1]
    return Reply(
        text=text,
        calls=tuple(Call(c.name, json.dumps(c.arguments, ensure_ascii=False)) for c in kept),
    )


def _in_task(request: ChatRequest, task: Task) -> Reply:
    """What is said or called within a task that ends with a typed result."""
    calls = task_calls(task) if request.tool_choice != "none" else []
    if request.tool_choice == "named":
        calls = [c for c in calls if c.name == request.named_tool]
    if not calls and request.tool_choice in ("named", "required"):
        calls = [forced_call(request, task.talk, [])]
    if calls:
        return _called(calls, request)
    schema = _schema(request, task.talk, [])
    heard = exchanges(request.messages)
    if schema is not None:
        return Reply(text=structured(schema, Source(task.talk, partial(task_text, task), heard)))
    plain = request.response_format == "text"
    return Reply(text=task_text(task) if plain else free_object(task.talk, task_text(task)))


def _on_errand(request: ChatRequest, errand: Errand, draws: Draws, error_rate: float) -> Reply:
    """What is said or called by somebody with a task whom nobody answers."""
    calls = errand_calls(errand)
    if calls and draws.chance("route", error_rate):
        calls = mistaken(errand, calls)
    return _called(calls, request) if calls else Reply(text=errand_text(errand))


def options(request: ChatRequest) -> int:
    """How many tools and agents a request lets its answer choose from.

    A delegation tool counts as many times as there are workers, a router's answer as many times as
    there are agents: who chooses among forty agents errs as if among forty tools.
    """
    talk = read(request)
    staff = staff_of(request.tools, talk.instructions)
    return max(len(staff.own) + len(staff.others), options_offered(request, talk))


def _talk(request: ChatRequest) -> Talk:
    """The conversation; a reply to a question that is itself a new request stands alone."""
    talk = read(request)
    if not talk.answers:
        return talk
    latest = talk.latest
    ranked = rank(request.tools, latest, (talk.instructions,)) if request.tools else []
    fresh = bool(ranked) and ranked[0][0] >= 1.5 * ENOUGH and head_action(latest) is not None
    return read(request, joined=False) if fresh else talk


def _calls(request: ChatRequest, talk: Talk, steps: list[Step], work: Work | None) -> list[Wanted]:
    if not request.tools or request.tool_choice == "none":
        return []
    calls = team_calls(work) if work else wanted_calls(steps, talk)
    if request.tool_choice == "named":
        calls = [c for c in calls if c.name == request.named_tool][:1]
    if not calls and request.tool_choice in ("named", "required"):
        return [forced_call(request, talk, steps)]
    return calls


def _text(request: ChatRequest, talk: Talk, steps: list[Step], work: Work | None) -> str:
    if (handed := _passing_on(request)) and request.response_format == "text":
        return handed
    if _GREETS.search(talk.instructions) and not request.tools:
        return arrival(talk)
    say = partial(team_text, work, request) if work else partial(speech, talk, steps, request)
    schema = _schema(request, talk, steps)
    if schema is not None:
        return structured(schema, Source(talk, say, exchanges(request.messages)))
    if request.response_format == "text":
        return refused(say(), talk)
    return free_object(talk, say())


def _whole(schema: Schema | None) -> bool:
    """Whether an example shows more than names: the shape of a plan, or no list that is empty."""
    return schema is not None and (is_plan(schema, schema) or "array" not in str(schema))


_WANTS_JSON = re.compile(r"\bJSON\b")


def _schema(request: ChatRequest, talk: Talk, steps: list[Step]) -> Schema | None:
    """The shape that the answer must have: the request's schema, or the example or the plan that
    the instructions ask for as JSON."""
    if request.response_format == "json_schema":
        return request.schema
    by_words = _WANTS_JSON.search(talk.instructions) and not any(s.tool for s in steps)
    if request.response_format == "json_object" or by_words:
        shown = schema_of_example(talk.instructions)
        return plan_schema(talk.instructions) or shown if not _whole(shown) else shown
    return None
