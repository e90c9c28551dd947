"""A log read into what was seen: which exchange belongs to which try of which task."""

from __future__ import annotations

from course.models.wire import ChatRequest, ToolSpec
from graders.checks.text import text_of
from graders.exercises.ch11.observed_run import Done, Heard, Seen, Try, calls_in, functions_of
from graders.exercises.ch11.worlds import ROSTER, ProjectWorld, begun
from graders.exercises.kit import *


def seen_of(world: ProjectWorld, log: Log) -> Seen:
    """Read a log. The same log is read the same way, whatever was played before."""
    kept = [each for each in log.exchanges if each.name != ROSTER]
    roster = next((_roster(e) for e in log.exchanges if e.name == ROSTER), {})
    model = begun(world.script, roster)
    tasks: dict[str, Done] = {}
    plans, answers, strays = list[Heard](), list[Heard](), list[Exchange]()
    wanted: list[tuple[str, str, Mapping[str, Any]]] = []
    for exchange in kept:
        if exchange.kind == "tool":
            ref = _asked_by(exchange, wanted)
            if ref:
                tasks[ref].tries[-1].calls.append(exchange)
            else:
                strays.append(exchange)
            continue
        request = request_of(exchange)
        heard = Heard(exchange, model.read(request))
        if heard.kind == "work" and heard.reading.task is not None:
            ref = heard.reading.task.ref
            done = tasks.setdefault(ref, Done(heard.reading.task))
            if (heard.opens and not _repeats(heard, done)) or not done.tries:
                done.tries.append(Try())
            done.tries[-1].requests.append(heard)
            wanted += [(ref, name, given) for name, given in calls_in(exchange)]
        elif heard.kind == "plan":
            plans.append(heard)
        elif heard.kind == "rewrite" and heard.reading.refs[0] in tasks:
            tasks[heard.reading.refs[0]].beside.append(heard)
        elif heard.kind == "answer":
            answers.append(heard)
        else:
            strays.append(exchange)
        if exchange.outcome != "failed":  # who fails was not asked to think
            model.reply(request, exchange.token)
    return Seen(
        replace(log, exchanges=tuple(kept)),
        roster,
        _plan(world, log),
        tuple(world.job.by_ref),
        tasks,
        tuple(plans),
        tuple(answers),
        tuple(strays),
    )


def _repeats(heard: Heard, done: Done) -> bool:
    """Whether it is the same request again after one that the way to the model has lost."""
    if not done.tries:
        return False
    before = done.tries[-1].last
    status = before.exchange.reply.get("status") if before.exchange.outcome == "failed" else None
    lost = before.exchange.outcome == "cancelled" or status in (408, 409, 429, 500, 502, 503)
    return lost and before.text == heard.text


def _asked_by(call: Exchange, wanted: list[tuple[str, str, Mapping[str, Any]]]) -> str:
    """The task whose worker's model asked for a call; the wish is taken off the list."""
    for index, (ref, name, given) in enumerate(wanted):
        sent = call.request
        if name == call.name and all(_same(sent.get(key), told) for key, told in given.items()):
            del wanted[index]
            return ref
    return ""


def _same(sent: Any, asked: Any) -> bool:
    """Whether a tool got the value that was asked for; 3 may have become 3.0 on the way."""
    return bool(sent == asked) or text_of(sent) == text_of(asked)


def _roster(exchange: Exchange) -> Mapping[str, Sequence[str]]:
    told = exchange.request.get("workers")
    return told if isinstance(told, Mapping) else {}


def _plan(world: ProjectWorld, log: Log) -> Any:
    if world.plan is not None:
        return world.plan
    told = (e.request["plan"] for e in log.exchanges if e.name == ROSTER and "plan" in e.request)
    made = log.result.get("plan") if isinstance(log.result, Mapping) else None
    return next(told, made)


def request_of(exchange: Exchange) -> ChatRequest:
    """A model request as data, as far as the reading needs it."""
    raw = exchange.request
    said = raw.get("messages")
    form = raw.get("response_format")
    schema = form.get("json_schema") if isinstance(form, Mapping) else None
    return ChatRequest(
        model=exchange.name,
        messages=tuple(m for m in said if isinstance(m, Mapping)) if isinstance(said, list) else (),
        tools=tuple(
            ToolSpec(str(each.get("name")), parameters=each.get("parameters") or {})
            for each in functions_of(exchange)
        ),
        schema=schema if isinstance(schema, Mapping) else None,
    )
