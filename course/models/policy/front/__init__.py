"""Front: form and restraint before words.

What a conversation has come to (situation), how what was said is meant (mood), what the reader
proposes, what of it may be done (gate), and what is said instead (say). The reader finds tools and
values; nothing that it proposes is called without passing the gate.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from course.models.policy.colleagues import Staff
from course.models.policy.conversation import Made, text_of
from course.models.policy.corrected import mended
from course.models.policy.front import people, say
from course.models.policy.front.carry import just_handed, of_meant, own_words, sought
from course.models.policy.front.conditions import holds, subject
from course.models.policy.front.gate import AGAIN, QUESTION, Refusal, passed
from course.models.policy.front.handing import in_whole
from course.models.policy.front.mood import Part, parts_of
from course.models.policy.front.rules import looked_at
from course.models.policy.front.settle import (
    in_other_role,
    misnamed,
    plain_words,
    settled,
    spelled_out,
    without,
)
from course.models.policy.front.situation import (
    FAILS,
    NEWS,
    Situation,
    said_itself,
    since,
    situation,
)
from course.models.policy.front.tool import changes, named, spoken
from course.models.policy.needs import Wanted
from course.models.policy.steps import is_control
from course.models.policy.words import content, in_figures, name_stems
from course.models.wire import Call, ChatRequest, JsonObject, Reply, ToolSpec

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
    request = _spelled_out(request)
    made = _handing(_decided(request, proposes), request)
    if made.text:
        sit = situation(request)
        text = say.cleaned(made.text, sit, request.tools)
        if not made.calls and sit.turn:
            alone = say.without_a_person(sit, request.tools, people.staff(request, sit))
            text = "\n\n".join(filter(None, (text, alone)))
        silent = not text and not made.calls
        text = say.declined(sit, request.tools, people.staff(request, sit)) if silent else text
        made = replace(made, text=text or None)
    kept = made.calls if request.parallel_tool_calls else made.calls[:1]
    calls = (Call(c.name, json.dumps(c.arguments, ensure_ascii=False)) for c in kept)
    return Reply(text=made.text, calls=tuple(calls))


def _handing(made: _Decision, request: ChatRequest) -> _Decision:
    """What is done, with handovers that have all that their tools require, or the question for
    what one of them lacks."""
    sit, tools = situation(request), {t.name: t for t in request.tools}
    whole: list[Wanted] = []
    for call in made.calls:
        found = in_whole(call, tools[call.name], sit) if call.name in tools else call
        if isinstance(found, str):
            return _Decision(text=found)
        whole.append(found)
    return replace(made, calls=tuple(whole))


_LONG = 2_500


def _spelled_out(request: ChatRequest) -> ChatRequest:
    """The request with what the person writes in short as it is spoken."""
    messages = tuple(
        {**m, "content": mended(spelled_out(m["content"]), request.tools)}
        if m.get("role") == "user"
        and isinstance(m.get("content"), str)
        and len(m["content"]) < _LONG
        else m
        for m in request.messages
    )
    return replace(request, messages=messages)


def _decided(request: ChatRequest, proposes: Proposes) -> _Decision:
    sit = situation(request)
    if sit.agreed and (found := _as_agreed(request, sit, proposes)):
        return found
    if sit.declined and not any(p.mood == "ordered" and len(p.text.split()) > 2 for p in sit.parts):
        return _Decision(text="All right, I leave it at that: nothing was done.")
    team = people.staff(request, sit)
    if not sit.turn and (short := say.small(sit, request.tools, team)):
        return _Decision(text=short)
    if again := _tried_again(request, sit):
        return _Decision((again,))
    passes_on = bool(team.others) and not team.own
    hanging = [p for p in sit.parts if p.condition and p.mood == "ordered"]
    failed = sit.own and sit.own[-1].error is not None
    hanging = [
        p for p in hanging
        if not _only_news(p, request.tools) and not (failed and FAILS.search(p.condition))
    ]  # fmt: skip
    if hanging and not passes_on:
        if found := _on_condition(request, sit, hanging, proposes):
            return found
        request = request if failed else _unconditional(request, sit)
    found = _judged(request, sit, team, proposes)
    if found.calls or not team.others:
        return found if found.calls or not say.empty(found.text) else _nothing(request, sit, team)
    return _with_colleagues(request, sit, team, found)


def _only_news(part: Part, tools: Sequence[ToolSpec]) -> bool:
    """Whether somebody only wishes to hear of something once it happens, and no tool does that."""
    return bool(NEWS.match(part.text)) and not any(spoken(t, part.text) == "verb" for t in tools)


def _tried_again(request: ChatRequest, sit: Situation) -> Wanted | None:
    """The last call once more, if it only failed for the moment."""
    last = sit.turn[-1] if sit.turn else None
    own = {t.name for t in people.staff(request, sit).own}
    if last is None or last.error is None or last.name not in own:
        return None
    again = Wanted(last.name, last.arguments)
    tries = [m for m in sit.turn if _same(again, m)]
    return again if len(tries) == 1 and AGAIN.search(last.error) else None


def _with_colleagues(
    request: ChatRequest, sit: Situation, team: Staff, found: _Decision
) -> _Decision:
    """What is done where one has colleagues and nothing more to call oneself."""
    tools = {c.tool for c in team.others}
    missed = [m for m in sit.turn if m.error is not None and m.name in tools]
    failed = any(not m.put_off for m in missed)
    empty = say.empty(found.text)
    if (empty or missed or say.unserved(found.text, sit)) and not (found.held or failed):
        kept, _ = passed(people.next_asks(request, sit, team), sit, request.tools)
        if kept:
            return _Decision(tuple(kept))
    if empty and (told := people.answers(sit, team)):
        own = say.outcomes([m for m in sit.own if m.name in {t.name for t in team.own}], team.own)
        return _Decision(text="\n\n".join(filter(None, (told, own))))
    return _nothing(request, sit, team) if say.empty(found.text) else found


def _nothing(request: ChatRequest, sit: Situation, team: Staff) -> _Decision:
    """What is said where nothing fits: what came of calls, or an honest word."""
    told = say.outcomes(sit.own, request.tools)
    return _Decision(text=told or say.declined(sit, request.tools, team))


def _judged(request: ChatRequest, sit: Situation, team: Staff, proposes: Proposes) -> _Decision:
    """What the reader proposes, as far as it may be done."""
    if team.others and not team.own and (found := _passed_on(request, sit, team, proposes)):
        return found
    plain = plain_words(sit)
    bound = any(p.condition for p in sit.parts)  # such words were settled when it held
    request = _saying(request, plain) if plain != sit.latest and not bound else request
    if own := _as_handed(request, sit, team, proposes):
        return _Decision(own)
    reply = proposes(of_meant(request, sit))
    single = not team.others and len(sit.rounds) == 1  # the reader knows those best
    fresh = not (single or sit.own)  # who has called something has no need of what may serve
    if fresh and _idle(reply, team) and (own := _sought(request, sit, team)):
        return _Decision(own)
    if single and not sit.turn and say.lacking(reply.text):
        if say.wished(reply.text, sit, request.tools):
            return _Decision(text=reply.text)
        return _Decision(_looked_up(request, sit, proposes, plain) or _sought(request, sit, team))
    if not reply.calls:
        calls, refused = _left_over(request, sit, proposes)
        if (
            calls
            or (refused and say.empty(reply.text))
            or any(r.reason in ("against a rule", "beyond a limit", "consent") for r in refused)
        ):
            return _as_passed(calls, refused, None, request, sit, team, proposes)
        return _Decision(text=reply.text)
    kept, refused = passed(settled(_wanted(reply), sit, request.tools), sit, request.tools)
    if not kept:
        kept, instead = _without_values(request, sit, refused, proposes)
        refused = instead if any(r.reason == "consent" for r in instead) else refused
    return _as_passed(kept, refused, reply.text, request, sit, team, proposes)


def _passed_on(
    request: ChatRequest, sit: Situation, team: Staff, proposes: Proposes
) -> _Decision | None:
    """What whoever only passes on does about talk that the reader does not take apart as well;
    None where it does, or where one was just handed what is left."""
    if people.only_orders(sit) or just_handed(sit):
        return None
    reply = proposes(request)
    reads, _ = passed(settled(_wanted(reply), sit, request.tools), sit, request.tools)
    kept, _ = passed(people.next_asks(request, sit, team), sit, request.tools)
    if kept and (len(reads) < len(kept) or any(people.denies(c, sit) for c in reads)):
        return _Decision(tuple(kept))
    told = "" if reads or people.failures(sit, team) else people.answers(sit, team)
    poor = say.unserved(reply.text, sit) or say.empty(reply.text) or say.inside(reply.text)
    return _Decision(text=told) if told and poor else None


def _as_handed(
    request: ChatRequest, sit: Situation, team: Staff, proposes: Proposes
) -> tuple[Wanted, ...]:
    """What one's own tools are called for by whoever was just handed the conversation, as if the
    person had said it to oneself."""
    if not (team.own and just_handed(sit)):
        return ()
    alone = replace(request, tools=team.own, messages=_without_moves(request.messages))
    alone = _saying(alone, own_words(sit, team.own))
    wanted = settled(_wanted(proposes(alone)), sit, request.tools)
    return tuple(passed(wanted, sit, request.tools)[0]) or _sought(request, sit, team)


def _without_moves(messages: tuple[JsonObject, ...]) -> tuple[JsonObject, ...]:
    """The messages without what hands the conversation over after the person's last words."""
    last = max((n for n, m in enumerate(messages) if m.get("role") == "user"), default=-1)
    return messages[: last + 1]


def _idle(reply: Reply, team: Staff) -> bool:
    """Whether the reader finds nothing to do oneself: it declines, lacks a value, or would hand
    over to whoever passes things on."""
    if not reply.calls:
        return say.empty(reply.text) or say.lacking(reply.text)
    general = {c.tool for c in team.others if c.general or c.how == "return"}
    return all(c.name in general for c in reply.calls)


def _sought(request: ChatRequest, sit: Situation, team: Staff) -> tuple[Wanted, ...]:
    """The calls that one's own tools suggest for what was said, as far as they may be made."""
    calls = settled(sought(sit, team.own, alone=not team.others), sit, request.tools)
    return tuple(passed(calls, sit, request.tools)[0])


def _as_passed(
    kept: list[Wanted],
    refused: list[Refusal],
    text: str | None,
    request: ChatRequest,
    sit: Situation,
    team: Staff,
    proposes: Proposes,
) -> _Decision:
    """What is done once the gate has spoken: the calls that it lets pass; else the look-ups that
    come first, or words."""
    if kept:
        return _Decision(_whole(kept, request, sit, team), text)
    if first := _first_looks(refused, request, sit):
        return _Decision(first)
    asks = any(p.mood == "asked" for p in sit.parts)
    if asks and not sit.turn and (looked := _looked_up(request, sit, proposes, plain_words(sit))):
        return _Decision(looked)
    held = tuple(r.call for r in refused if r.reason in say.ASKED)
    words = say.refused(refused, sit, request.tools, lambda: _words(request, proposes))
    return _Decision(text=words, held=held)


def _whole(
    calls: list[Wanted], request: ChatRequest, sit: Situation, team: Staff
) -> tuple[Wanted, ...]:
    """Calls, those of colleagues with the whole matter in their tasks."""
    tools = {c.tool for c in team.by("consult", "delegate")}
    if sit.turn or any(c.name not in tools for c in calls):
        return tuple(calls)
    asks = people.next_asks(request, sit, team)
    return tuple(calls) if team.by("delegate") and (len(calls) > 1 or len(asks) != 1) else asks


def _left_over(
    request: ChatRequest, sit: Situation, proposes: Proposes
) -> tuple[list[Wanted], list[Refusal]]:
    """The calls of what was ordered in words of its own and is still left to do, and those that a
    look-up in vain calls for."""
    if again := _without_values(request, sit, [], proposes)[0]:
        return again, []
    called = {m.name for m in sit.turn}
    deeds = _deeds(request) & {m.name for m in sit.turn if m.error is None}
    own = tuple(t for t in request.tools if not is_control(t.name))
    refused: list[Refusal] = []
    parts = [p for p in parts_of(sit.latest, sit.verbs) if p.mood == "ordered"]
    done = [t for t in own if t.name in deeds]
    for part in parts if len(parts) > len(deeds) else ():
        if any(named(t, part.text) for t in done):
            continue
        words = part.text if len(parts) > 1 else plain_words(sit)
        fresh_deeds = (t for t in own if changes(t) and t.name not in called)
        meant = tuple(t for t in fresh_deeds if spoken(t, part.text) == "verb")
        meant = tuple(t for t in meant if named(t, part.text)) or meant
        if len(meant) != 1:
            continue
        looking = tuple(t for t in own if not changes(t))
        narrow = _saying(replace(request, tools=(meant[0], *looking)), words)
        fresh = replace(narrow, tools=meant, messages=_without_moves(narrow.messages))
        for asked in (narrow, fresh) if sit.turn else (narrow,):
            wanted = settled(_wanted(proposes(asked)), sit, request.tools)
            kept, no = passed(wanted, sit, request.tools)
            if kept:
                return kept, []
            refused += no
    return [], refused


def _without_values(
    request: ChatRequest, sit: Situation, refused: list[Refusal], proposes: Proposes
) -> tuple[list[Wanted], list[Refusal]]:
    """What the reader proposes once values that cannot be meant are taken out of the words, as far
    as it may be done."""
    wrong = [r.call.arguments[r.about] for r in refused if r.reason in _MISREAD]
    led = {c.tool for c in people.staff(request, sit).others}
    looking = {t.name for t in request.tools if not changes(t) and t.name not in led}
    failed = [m for m in sit.own if _UNKNOWN.search(m.error or "") and m.name in looking]
    wrong += [v for m in failed for v in m.arguments.values() if misnamed(v, sit)]
    words = plain_words(sit)
    turned = [c for r in refused if r.reason == "one name, two roles"
              if (c := in_other_role(r.call, r.about, sit))]  # fmt: skip
    if found := passed(turned, sit, request.tools)[0]:
        return found, []
    if any(re.match(r"(?:same|this|that|these|those|other|another)\b", str(v)) for v in wrong):
        return [], []  # what is only pointed at has to be asked for
    for value in wrong:
        words = without(words, str(value))
    if not wrong or words == plain_words(sit):
        return [], []
    reply = proposes(_saying(request, words))
    return passed(settled(_wanted(reply), sit, request.tools), sit, request.tools)


_UNKNOWN = re.compile(
    r"not found|found for|unknown|no such|no .{0,30}(?:called|named|of this name)", re.I
)
_MISREAD = ("one value twice", "one name, two roles", "no evidence")


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
    held = held or _as_asked(request, sit, proposes)
    left = [c for c in held if not any(_same(c, m) for m in sit.turn)]
    kept, refused = passed(left, sit, request.tools, agreed=True)
    if kept:
        return _Decision(tuple(kept))
    return _Decision(text=say.outcomes(sit.turn, request.tools)) if held and not refused else None


def _as_asked(request: ChatRequest, sit: Situation, proposes: Proposes) -> tuple[Wanted, ...]:
    """The calls that our question names, by their deed or by all its figures, where nothing was
    held back: "That takes eight at most. Shall I make it eight?" """
    by_name = {t.name: t for t in request.tools}
    question = in_figures(QUESTION.findall(sit.asked)[-1])
    figures = set(re.findall(r"\d+(?:[.:]\d+)*", question))
    calls = settled(_wanted(proposes(request)), sit, request.tools)
    tried = {m.name for m in sit.before}
    return tuple(
        c for c in calls if c.name in by_name and changes(by_name[c.name])
        and figures <= {str(v) for v in c.arguments.values()}
        and (spoken(by_name[c.name], question) == "verb" or (figures and c.name in tried))
    )  # fmt: skip


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
            calls := _looked_up(request, sit, proposes, _as_question(part, sit), needed=True)
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


def _as_question(part: Part, sit: Situation) -> str:
    """A condition as what one looks up, after what else was told."""
    told = " ".join(p.text for p in sit.parts if not p.condition and not _says_nothing_of_it(p))
    return f"{told} {_question(part.condition)}".strip()


def _says_nothing_of_it(part: Part) -> bool:
    """Whether a part says nothing that a look-up could need."""
    return part.text.rstrip().endswith("?") or part.mood == "denied"


def _question(condition: str) -> str:
    return f"Check whether {condition.rstrip('.?!')}." if not condition.endswith("?") else condition


def _looked_up(
    request: ChatRequest, sit: Situation, proposes: Proposes, words: str, *, needed: bool = False
) -> tuple[Wanted, ...]:
    """The look-ups that some words ask for, with the tools that only read."""
    reading = tuple(t for t in request.tools if not changes(t) and not is_control(t.name))
    said = frozenset(content(words))
    named = tuple(t for t in reading if said & set(name_stems(t.name))) or reading
    for offered in (named, reading) if len(named) < len(reading) else (reading,):
        if not offered:
            return ()
        for choice in ("auto", "required") if needed else ("auto",):
            asked = replace(request, tools=offered, tool_choice=choice)
            made = settled(_wanted(proposes(_saying(asked, words))), sit, offered)
            if kept := passed(made, sit, offered)[0]:
                return tuple(kept)
    return ()


def _saying(request: ChatRequest, words: str) -> ChatRequest:
    """The request as if the person had last said just these words, with what came along."""
    last = max((n for n, m in enumerate(request.messages) if m.get("role") == "user"), default=None)
    messages = tuple(
        {**m, "content": _with_rest(words, text_of(m))} if n == last else m
        for n, m in enumerate(request.messages)
    )
    return replace(request, messages=messages)


def _with_rest(words: str, text: str) -> str:
    rest = said_itself(text)[1]
    return f"{words}\n\n{rest}" if rest else words


def _unconditional(request: ChatRequest, sit: Situation) -> ChatRequest:
    """The request with what it hangs on left out, since it holds."""
    said = []
    for part in sit.parts:
        about = subject(part.condition) if part.condition else ""
        said.append(f"{part.text.rstrip('.')} ({about})." if about else part.text)
    return _saying(request, " ".join(said))
