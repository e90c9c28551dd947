"""Steps: each part of a request with the tool that serves it, and how far it has come.

Nothing is remembered between requests: the steps are worked out anew from the conversation each
time, and the calls already made are dealt out to them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from course.models.policy.arguments import Filled, Texts, fill, variants
from course.models.policy.arithmetic import number_in, reckonings
from course.models.policy.clauses import Clause, split
from course.models.policy.conversation import Made, Talk
from course.models.policy.lookups import looked_up
from course.models.policy.mending import repaired_call
from course.models.policy.mentions import mentions
from course.models.policy.needs import LOOKED_UP, Need, Wanted, World, reads_only, resolve
from course.models.policy.params import Param, params
from course.models.policy.patterns import regex
from course.models.policy.ranking import rank
from course.models.policy.reader.decision import completed, in_hand, matters_in
from course.models.policy.reader.matters import RESULT, Matter, calls_of, unserved
from course.models.policy.schemas import as_schema, fits, minimal, repaired
from course.models.policy.words import content, cue, name_words
from course.models.wire import ChatRequest, ToolSpec

HANDS_OVER = (
    r"(?:transfer|hand|hand_?off|hand_?over|escalate|route|forward|refer|redirect|connect|switch|pass"
    r"|put_through|(?:assign|delegate)(?=_to_(?!agent|worker|specialist)))"
    r"(?:_(?:call|caller|customer|user|guest|client|conversation|chat|on|over|off))*_to"
)
"""How tools are called that hand the conversation over, words joined by "_"."""
_CONTROL = regex(rf"(?:hand_?off|escalate|transfer_call|hand_over|{HANDS_OVER})(?:_|$)")


@dataclass(frozen=True)
class Step:
    """A part of the request. `ranked` are the tools that suit it, best first; `made` the calls that
    were made for it; `need` what its call still wants; `skipped` says why it is left out."""

    clause: Clause
    texts: Texts
    ranked: tuple[ToolSpec, ...]
    need: Need
    made: tuple[Made, ...] = ()
    skipped: str = ""

    @property
    def tool(self) -> ToolSpec | None:
        """The tool that serves the part."""
        return self.ranked[0] if self.ranked else None

    @property
    def done(self) -> bool:
        """Whether nothing more is to be called for it, apart from a repair."""
        return bool(self.made) or self.tool is None or bool(self.skipped)


def is_control(name: str) -> bool:
    """Whether a tool hands the conversation over, so that only one such call makes sense."""
    return bool(_CONTROL.match("_".join(name_words(name))))


def _similar(made: Made, wanted: Mapping[str, Any]) -> float:
    keys = {*made.arguments, *wanted}
    same = sum(made.arguments.get(k) == wanted.get(k) for k in keys)
    return same / len(keys) if keys else 1.0


def _deal(steps: list[Step], made: tuple[Made, ...], tools: tuple[ToolSpec, ...]) -> list[Step]:
    """Deal the calls made in this turn out to the steps: the nearest arguments first."""
    names = {t.name for t in tools}
    own: list[list[Made]] = [[] for _ in steps]
    lookups = {w.key for s in steps for w in s.need.calls}
    left = [m for m in made if Wanted(m.name, m.arguments).key not in lookups]
    for call in left:
        fit = [
            (_similar(call, s.need.values) - 2.0 * _settled(own[n]), -n)
            for n, s in enumerate(steps)
            if s.tool and s.tool.name == call.name
        ]
        if fit and max(fit)[0] > -1.5:
            own[-max(fit)[1]].append(call)
        elif call.text is not None and call.name in names:
            _stray(steps, own, call, tools)
    return [replace(s, made=tuple(o)) for s, o in zip(steps, own, strict=True)]


def _settled(calls: list[Made]) -> bool:
    return bool(calls) and calls[-1].error is None


def _stray(
    steps: list[Step], own: list[list[Made]], call: Made, tools: tuple[ToolSpec, ...]
) -> None:
    """A call by a wrong route counts for the first step without one: the error is not noticed."""
    for n, step in enumerate(steps):
        if step.tool and not own[n] and not _helps(step, call, tools):
            own[n].append(call)
            return


def _helps(step: Step, call: Made, tools: tuple[ToolSpec, ...]) -> bool:
    """Whether a call may be a lookup made for the step rather than instead of it."""
    reading = next(reads_only(t) for t in tools if t.name == call.name)
    needed = params(step.tool.parameters) if step.tool else ()
    return reading and any(p.required and p.kind in LOOKED_UP for p in needed)


def steps_of(talk: Talk, tools: tuple[ToolSpec, ...]) -> list[Step]:
    """The steps of the request in hand, with the calls made so far dealt out to them."""
    found = _settled_steps([*_read(talk, tools), *_unserved(talk, tools)], talk, tools)
    return _answered_already(talk, tools) if _strangely_led(found, talk, tools) else found


_ASKS, _ORDERS = cue("steps.asks"), cue("steps.orders")


def _strangely_led(found: list[Step], talk: Talk, tools: tuple[ToolSpec, ...]) -> bool:
    """Whether a question has been looked up by other calls than those that this reading would have
    begun with: then these are its answer, and not what else it might mean."""
    asks = _ASKS.search(talk.request) and not _ORDERS.search(talk.request)
    by_name = {t.name: t for t in tools}
    looked = [m.name in by_name and m.error is None and m.text is not None for m in talk.made]
    if not asks or not looked or not all(looked):
        return False
    wanted = wanted_calls(found, talk)
    deeds = [c for c in wanted if c.name in by_name and not reads_only(by_name[c.name])]
    if not deeds and (wanted or any(s.made for s in found)):
        return False  # one look-up leads to the next
    fresh = replace(talk, made=())
    begun = wanted_calls(steps_of(fresh, tools), fresh)
    return not {m.name for m in talk.made} <= {c.name for c in begun}


def _answered_already(talk: Talk, tools: tuple[ToolSpec, ...]) -> list[Step]:
    """A step for each call that was made, with its result."""
    by_name = {t.name: t for t in tools}
    texts = Texts(talk.request, talk.answers, (), (talk.instructions,), talk.today)
    return [
        Step(Clause(talk.request), texts, (by_name[m.name],), Need(dict(m.arguments)), (m,))
        for m in talk.made
    ]


def _unserved(talk: Talk, tools: tuple[ToolSpec, ...]) -> list[Step]:
    """A step without a tool for each question that none of them answers."""
    texts = Texts(talk.request, talk.answers, (), (talk.instructions,), talk.today)
    asked = unserved(tools, in_hand(talk, tools).request, talk.today) if tools else []
    return [Step(Clause(q), replace(texts, clause=q), (), Need({})) for q in asked]


def _read(talk: Talk, tools: tuple[ToolSpec, ...]) -> list[Step]:
    """The steps of what the reader understood."""
    found = [*_of_arithmetic(talk, tools)]
    if found:
        talk = replace(talk, request=reckonings(talk.request, tools, ())[1])
    for matter in looked_up(matters_in(talk, tools), talk.request, tools):
        found += _of_matter(matter, talk, tools, found)
    return found


def _of_arithmetic(talk: Talk, tools: tuple[ToolSpec, ...]) -> Iterator[Step]:
    """The steps of what is to be worked out; one waits for the results that it builds on."""
    for each in reckonings(talk.request, tools, talk.made)[0]:
        texts = Texts(each.text, talk.answers, (), (talk.instructions,), talk.today)
        step = Step(Clause(each.text), texts, (each.tool,) if each.tool else (), Need({}))
        if each.fails or each.tool is None:
            yield replace(step, skipped=_BUILT_ON if each.fails else "")
        elif each.arguments is not None:
            yield replace(step, need=Need(dict(each.arguments)))


_BUILT_ON = "what it builds on could not be worked out"


def _of_matter(
    matter: Matter, talk: Talk, tools: tuple[ToolSpec, ...], before: list[Step]
) -> Iterator[Step]:
    """One step, or one for each thing in a list: of plain words, or of whatever is looked up."""
    world = World(
        tools, (*talk.tried, *talk.made), talk.past, known=facts_for(talk), given=talk.given
    )
    others = (talk.request, *talk.earlier)
    whole = Texts(matter.text, talk.answers, others, (talk.instructions,), talk.today)
    clause = Clause(matter.text, matter.after, matter.conditional)
    lists = matter.lists or reads_only(matter.tool)
    each = [*variants(whole, matter.tool)] if lists else [whole]
    for texts in each:
        lacks = tuple(s.param for s in matter.filling.missing)
        filled = Filled(matter.filling.values, lacks)
        if len(each) > 1:
            filled = fill(matter.tool.parameters, texts, matter.tool.name)
        filled = _carried(filled, {**_told(before), **_results(before, filled, matter, talk)})
        need = resolve(matter.tool, filled, texts, world)
        yield Step(clause, texts, matter.order, need)


def steps_beside(
    parts: Sequence[tuple[Clause, tuple[ToolSpec, ...]]],
    talk: Talk,
    tools: tuple[ToolSpec, ...],
) -> list[Step]:
    """The steps of one's own parts of a request, each with the tools that serve it."""
    texts = Texts(talk.request, talk.answers, (), (talk.instructions,), talk.today)
    found: list[Step] = []
    for clause, own in parts:
        if not own:
            found.append(Step(clause, replace(texts, clause=clause.text), (), Need({})))
        for matter in calls_of(tools, own, clause.text, talk.today) if own else ():
            for step in _of_matter(completed(matter, talk, tools), talk, tools, found):
                found.append(replace(step, clause=clause))
    return _settled_steps(found, talk, tools)


def _settled_steps(found: list[Step], talk: Talk, tools: tuple[ToolSpec, ...]) -> list[Step]:
    """The steps with the calls that were made dealt out to them."""
    return _conditions([_tried(s, talk) for s in _deal(found, talk.made, tools)])


def facts_for(talk: Talk) -> Mapping[str, Any]:
    """What is known from before, unless the request is about somebody else."""
    text = " ".join((talk.request, *talk.answers))
    names = {w for m in mentions(text, talk.today) if m.kind == "name" for w in content(m.text)}
    told = set(content(json.dumps(talk.known, default=str, ensure_ascii=False)))
    return talk.known if not names or names & told else {}


def _tried(step: Step, talk: Talk) -> Step:
    """A step with what was done before in just the same way, for another part or by others."""
    before = (*talk.tried, *talk.made)
    if step.made or not step.tool or not before:
        return step
    wanted = Wanted(step.tool.name, step.need.values).key
    same = tuple(m for m in before if Wanted(m.name, m.arguments).key == wanted)
    return replace(step, made=same[-1:])


def _told(steps: list[Step]) -> dict[str, Any]:
    """What earlier parts were about, by parameter: "them" in a later part means the same."""
    return {k: v for s in steps for k, v in s.need.values.items() if isinstance(v, str)}


def _results(before: list[Step], filled: Filled, matter: Matter, talk: Talk) -> dict[str, Any]:
    """The number that the part before came to, where a part that speaks of it lacks numbers."""
    last = before[-1].tool if before else None
    spoken_of = RESULT.search(matter.text) or _IT.search(matter.text)
    made = [m for m in talk.made if last and m.name == last.name and m.error is None]
    number = number_in(made[-1].data) if made and spoken_of else None
    if number is None:
        return {}
    lists = {p.name: [number] for p in filled.missing if p.kind == "array"}
    return {**{p.name: number for p in filled.missing if p.kind == "number"}, **lists}


_IT = regex(r"\bit\b", re.IGNORECASE)


def _carried(filled: Filled, told: Mapping[str, Any]) -> Filled:
    """What was filled with what earlier parts told, where it lacks that."""
    same = {
        p.name: told[p.name]
        for p in filled.missing
        if p.name in told and p.kind not in (*LOOKED_UP, "prose") and fits(told[p.name], p.raw)
    }
    left = tuple(p for p in filled.missing if p.name not in same)
    return Filled({**filled.values, **same}, left, filled.used)


def _conditions(steps: list[Step]) -> list[Step]:
    """Leave out a conditional step when the one before it came out badly."""
    out: list[Step] = []
    for step in steps:
        before = out[-1] if out else None
        if (
            step.clause.conditional
            and not step.made
            and before
            and before.made
            and _negative(before.made[-1])
        ):
            step = replace(step, skipped="its condition was not met")
        out.append(step)
    return out


def _negative(made: Made) -> bool:
    data = made.data
    if isinstance(data, Mapping):
        flags = [v for v in data.values() if isinstance(v, bool)]
        return bool(flags) and not any(flags)
    return made.error is not None or data in (False, None, [], "")


def repair_of(step: Step) -> Wanted | None:
    """A changed second try for a step whose only call so far failed."""
    if len(step.made) != 1 or step.made[0].error is None or not step.tool:
        return None
    whole = ". ".join((step.texts.clause, *step.texts.answers, *step.texts.others))
    changed = repaired_call(step.made[0], step.texts.clause, whole)
    if changed is not None:
        return Wanted(step.made[0].name, changed)
    if (
        re.search(r"unknown tool|no such tool|not a tool", step.made[0].error, re.IGNORECASE)
        and len(step.ranked) > 1
    ):
        other = step.ranked[1]
        filled = fill(other.parameters, step.texts, other.name)
        return None if filled.missing else Wanted(other.name, filled.values)
    return None


def wanted_calls(steps: list[Step], talk: Talk) -> list[Wanted]:
    """The calls to make next: those of parts that wait for nothing, without repeats."""
    found: dict[str, Wanted] = {}
    already = {Wanted(m.name, m.arguments).key for m in talk.made}
    again = any(_calls(s) for s in steps if s.made)
    for place, step in enumerate(steps):
        if step.clause.after and not all(
            s.done for s in steps[:place] if s.clause is not step.clause
        ):
            break
        for call in _calls(step):
            if call.key not in already and (step.made or not again):
                found.setdefault(call.key, call)
    return _one_handover(list(found.values()))


def _calls(step: Step) -> list[Wanted]:
    if step.made:
        again = repair_of(step)
        return [again] if again else []
    if step.done or not step.tool:
        return []
    if step.need.lacks:  # a question is due anyway; asking first spares the lookups
        return []
    return step.need.calls or [Wanted(step.tool.name, step.need.values)]


def _one_handover(calls: list[Wanted]) -> list[Wanted]:
    plain = [c for c in calls if not is_control(c.name)]
    begun = [c for c in plain if c.name.startswith("start_") and not c.arguments]
    # What starts a talk with the person has to end before the next one.
    plain = [c for c in plain if c not in begun[1:]]
    return plain or calls[:1]


# --- a call that is demanded ----------------------------------------------------------------------


def forced_call(request: ChatRequest, talk: Talk, steps: list[Step]) -> Wanted:
    """The call that `tool_choice` demands, with arguments that validate whether or not the
    conversation holds them.

    What is missing gets the smallest value that its schema allows.
    """
    tool, texts = _demanded(request, talk, steps)
    world = World(request.tools, talk.made, talk.past)
    need = resolve(tool, fill(tool.parameters, texts, tool.name), texts, world)
    values = dict(need.values)
    properties = as_schema(tool.parameters.get("properties"))
    for lack in need.lacks:
        known = lack.options[0].fields.get(lack.param.name) if lack.options else None
        values[lack.param.name] = (
            minimal(as_schema(properties.get(lack.param.name)), tool.parameters)
            if known is None
            else known
        )
    whole = repaired(values, tool.parameters, tool.parameters)
    return Wanted(tool.name, whole if isinstance(whole, dict) else {})


def _demanded(request: ChatRequest, talk: Talk, steps: list[Step]) -> tuple[ToolSpec, Texts]:
    whole = Texts(talk.request, talk.answers, talk.earlier, (talk.instructions,), talk.today)
    for step in steps:
        if step.tool and (
            step.tool.name == request.named_tool or (request.named_tool is None and not step.made)
        ):
            return step.tool, step.texts
    named = [t for t in request.tools if t.name == request.named_tool]
    if named:
        return named[0], whole
    return rank(request.tools, talk.request)[0][1], whole


# --- how bad something is, for a tool that wants it rated ----------------------------------------

_RATES = frozenset("rate assess grade classify judge".split())
_CUES = {level: cue(f"severity.{level}") for level in ("critical", "high", "low")}
_LEVELS = {*_CUES, "medium"}


def rates(tool: ToolSpec) -> bool:
    """Whether a tool takes down how severe something is."""
    return bool(_RATES & set(name_words(tool.name)[:1])) and _level(tool) is not None


def _level(tool: ToolSpec) -> Param | None:
    """The parameter that grades, if its values are grades."""
    wanted = ((p, p.schema.get("enum")) for p in params(tool.parameters))
    told = ((p, sum(level in v for level in _LEVELS)) for p, v in wanted if isinstance(v, list))
    return next((p for p, grades in told if grades >= 3), None)


def rating(request: ChatRequest, talk: Talk) -> Wanted | None:
    """The call that rates what the person says, when it is alarming and has not been rated yet."""
    offered = request.tools if request.tool_choice == "auto" else ()
    tool = next((t for t in offered if rates(t)), None)
    param = _level(tool) if tool else None
    before = (*talk.made, *talk.past, *talk.tried)
    if not tool or not param or any(m.name == tool.name and m.error is None for m in before):
        return None
    told = [c.text for c in split(f"{talk.request} {' '.join(talk.answers)}".strip())]
    for level in (v for v in _CUES if v in param.schema["enum"]):
        if clause := next((t for t in told if _CUES[level].search(t)), None):
            reasons = [p.name for p in params(tool.parameters) if p.kind == "prose"][:1]
            return Wanted(tool.name, {param.name: level, **dict.fromkeys(reasons, clause)})
    return None
