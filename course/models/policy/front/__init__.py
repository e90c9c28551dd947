"""Front: form and restraint before words.

What a conversation has come to (situation), how what was said is meant (mood), what the reader
proposes, what of it may be done (gate), and what is said instead (say). The reader finds tools and
values; nothing that it proposes is called without passing the gate.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from course.models.policy.colleagues import Staff
from course.models.policy.conversation import Made
from course.models.policy.front import people, say
from course.models.policy.front.conditions import holds, subject
from course.models.policy.front.gate import Refusal, passed
from course.models.policy.front.mood import Part
from course.models.policy.front.rules import looked_at
from course.models.policy.front.settle import plain_words, settled, without
from course.models.policy.front.situation import Situation, since, situation
from course.models.policy.front.tool import changes
from course.models.policy.needs import Wanted
from course.models.wire import Call, ChatRequest, Reply

Proposes = Callable[[ChatRequest], Reply]
"""Today's reader: a request in; the calls that its words ask for out, or words."""

_LOOKS = 3
"""Look-ups at most for what an order hangs on."""


@dataclass(frozen=True)
class _Decision:
    """What is done about a request: calls, or words; `held` are the calls that a yes would free."""

    calls: tuple[Wanted, ...] = ()
    text: str | None = None
    held: tuple[Wanted, ...] = ()


def fronted(request: ChatRequest, proposes: Proposes) -> Reply:
    """The reply to a request with tools, as the gate lets it pass."""
    made = _decided(request, proposes)
    kept = made.calls if request.parallel_tool_calls else made.calls[:1]
    calls = (Call(c.name, json.dumps(c.arguments, ensure_ascii=False)) for c in kept)
    return Reply(text=made.text, calls=tuple(calls))


def _decided(request: ChatRequest, proposes: Proposes) -> _Decision:
    sit = situation(request)
    if sit.agreed and (found := _as_agreed(request, sit, proposes)):
        return found
    if sit.declined and not any(p.mood == "ordered" and len(p.text.split()) > 2 for p in sit.parts):
        return _Decision(text="All right, I leave it at that: nothing was done.")
    team = people.staff(request, sit)
    if not sit.turn and (short := say.small(sit, request.tools, team)):
        return _Decision(text=short)
    if hanging := [p for p in sit.parts if p.condition and p.mood == "ordered"]:
        if found := _on_condition(request, sit, hanging, proposes):
            return found
        request = _unconditional(request, sit)
    found = _judged(request, sit, team, proposes)
    if found.calls or not team.others:
        return found if found.calls or not say.empty(found.text) else _nothing(request, sit, team)
    return _with_colleagues(request, sit, team, found)


def _with_colleagues(
    request: ChatRequest, sit: Situation, team: Staff, found: _Decision
) -> _Decision:
    """What is done where one has colleagues and nothing more to call oneself."""
    open_still = say.empty(found.text) or any(
        m.name in {c.tool for c in team.others} for m in sit.turn
    )
    if open_still and not found.held:
        asks = people.next_asks(request, sit, team)
        kept, _ = passed(asks, sit, request.tools)
        if kept:
            return _Decision(tuple(kept))
    if told := people.answers(sit, team):
        own = say.outcomes([m for m in sit.own if m.name in {t.name for t in team.own}], team.own)
        return _Decision(text="\n\n".join(filter(None, (told, own))))
    return _nothing(request, sit, team) if say.empty(found.text) else found


def _nothing(request: ChatRequest, sit: Situation, team: Staff) -> _Decision:
    """What is said where nothing fits: what came of calls, or an honest word."""
    told = say.outcomes(sit.own, request.tools)
    return _Decision(text=told or say.declined(sit, request.tools, team))


def _judged(request: ChatRequest, sit: Situation, team: Staff, proposes: Proposes) -> _Decision:
    """What the reader proposes, as far as it may be done."""
    plain = plain_words(sit)
    request = _saying(request, plain) if plain != sit.thread else request
    reply = proposes(request)
    if not reply.calls:
        return _Decision(text=reply.text)
    kept, refused = passed(settled(_wanted(reply), sit, request.tools), sit, request.tools)
    if not kept and (again := _without_values(request, sit, refused, proposes)):
        kept = again
    if kept:
        return _Decision(_whole(kept, request, sit, team), reply.text)
    if first := _first_looks(refused, request, sit):
        return _Decision(first)
    asks = any(p.mood == "asked" for p in sit.parts)
    if asks and not sit.turn and (looked := _looked_up(request, sit, proposes, plain)):
        return _Decision(looked)
    held = tuple(r.call for r in refused if r.reason in say.ASKED)
    words = say.refused(refused, sit, request.tools, lambda: _words(request, proposes))
    return _Decision(text=words, held=held)


def _whole(
    calls: list[Wanted], request: ChatRequest, sit: Situation, team: Staff
) -> tuple[Wanted, ...]:
    """Calls, those of colleagues with the whole matter in their tasks."""
    tools = {c.tool for c in team.by("consult")}
    if not any(c.name in tools for c in calls):
        return tuple(calls)
    asks = people.next_asks(request, sit, team)
    named = {c.name for c in asks}
    rest = [c for c in calls if c.name not in named]
    return (*asks, *passed(rest, sit, request.tools)[0])


def _without_values(
    request: ChatRequest, sit: Situation, refused: list[Refusal], proposes: Proposes
) -> list[Wanted]:
    """What the reader proposes once values that cannot be meant are taken out of the words."""
    wrong = [r.call.arguments[r.about] for r in refused if r.reason in _MISREAD]
    wrong += [v for m in sit.own if m.error is not None and not changes_by_name(m.name, request)
              for v in m.arguments.values()]  # fmt: skip
    words = plain_words(sit)
    for value in wrong:
        words = without(words, str(value))
    if not wrong or words == plain_words(sit):
        return []
    reply = proposes(_saying(request, words))
    return passed(settled(_wanted(reply), sit, request.tools), sit, request.tools)[0]


_MISREAD = ("one value twice", "one name, two roles", "no evidence")


def changes_by_name(name: str, request: ChatRequest) -> bool:
    return any(t.name == name and changes(t) for t in request.tools)


def _first_looks(
    refused: list[Refusal], request: ChatRequest, sit: Situation
) -> tuple[Wanted, ...]:
    """The look-ups that instructions want before the deeds that were proposed."""
    by_name = {t.name: t for t in request.tools}
    deeds = (r.call for r in refused if r.reason == "look first")
    looks = (
        w for c in deeds for w in looked_at(c, by_name[c.name], sit.instructions, request.tools)
    )
    return tuple(passed(looks, sit, request.tools)[0])


def _words(request: ChatRequest, proposes: Proposes) -> str | None:
    """What the reader says where nothing more is called."""
    return proposes(replace(request, tool_choice="none")).text


def _wanted(reply: Reply) -> list[Wanted]:
    return [Wanted(c.name, json.loads(c.arguments)) for c in reply.calls]


# --- a yes to our own question --------------------------------------------------------------------


def _as_agreed(request: ChatRequest, sit: Situation, proposes: Proposes) -> _Decision | None:
    """The calls that the person said yes to: those that our question held back."""
    held = _decided(replace(request, messages=since(request)), proposes).held
    left = [c for c in held if not any(_same(c, m) for m in sit.turn)]
    kept, refused = passed(left, sit, request.tools, agreed=True)
    if kept:
        return _Decision(tuple(kept))
    return _Decision(text=say.outcomes(sit.turn, request.tools)) if held and not refused else None


def _same(call: Wanted, made: Made) -> bool:
    return call.name == made.name and dict(call.arguments) == dict(made.arguments)


# --- an order that hangs on something -------------------------------------------------------------


def _on_condition(
    request: ChatRequest, sit: Situation, hanging: list[Part], proposes: Proposes
) -> _Decision | None:
    """What comes before an order that hangs on something: the look-up, or word that it does not
    hold, or that nobody can tell; None once it holds."""
    part = hanging[0]
    held = holds(part.condition, sit.turn)
    if held is None:
        if len(sit.turn) < _LOOKS and (
            calls := _looked_up(request, sit, proposes, _as_question(part.condition))
        ):
            return _Decision(calls)
        if any(m.name in _deeds(request) for m in sit.turn):
            return None
        return _Decision(text=say.unclear(part, sit.turn, request.tools))
    if held != part.unless:
        return None
    return _Decision(text=say.unmet(part, sit.turn, request.tools))


def _deeds(request: ChatRequest) -> set[str]:
    return {t.name for t in request.tools if changes(t)}


def _as_question(condition: str) -> str:
    """A condition as what one looks up: "B4 is free" asks for B4."""
    return f"Check whether {condition.rstrip('.?!')}." if not condition.endswith("?") else condition


def _looked_up(
    request: ChatRequest, sit: Situation, proposes: Proposes, words: str
) -> tuple[Wanted, ...]:
    """The look-ups that some words ask for, with the tools that only read."""
    reading = tuple(t for t in request.tools if not changes(t))
    if not reading:
        return ()
    kept, _ = passed(
        _wanted(proposes(_saying(replace(request, tools=reading), words))), sit, reading
    )
    return tuple(kept)


def _saying(request: ChatRequest, words: str) -> ChatRequest:
    """The request as if the person had last said just these words."""
    last = max((n for n, m in enumerate(request.messages) if m.get("role") == "user"), default=None)
    messages = tuple(
        {**m, "content": words} if n == last else m for n, m in enumerate(request.messages)
    )
    return replace(request, messages=messages)


def _unconditional(request: ChatRequest, sit: Situation) -> ChatRequest:
    """The request with what it hangs on left out, since it holds."""
    said = []
    for part in sit.parts:
        about = subject(part.condition) if part.condition else ""
        said.append(f"{part.text.rstrip('.')} ({about})." if about else part.text)
    return _saying(request, " ".join(said))
