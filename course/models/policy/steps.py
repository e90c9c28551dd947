"""Steps: each part of a request with the tool that serves it, and how far it has come.

Nothing is remembered between requests: the steps are worked out anew from the conversation each
time, and the calls already made are dealt out to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from course.models.policy.arguments import Texts, fill
from course.models.policy.choices import chosen
from course.models.policy.clauses import Clause, joined, split
from course.models.policy.conversation import Made, Talk
from course.models.policy.lexicon import action_of, commands, head_action
from course.models.policy.lists import pieces
from course.models.policy.match import ENOUGH, choose, tool_index
from course.models.policy.mentions import mentions
from course.models.policy.needs import Need, Wanted, World, resolve
from course.models.policy.params import params
from course.models.policy.repair import repaired_call
from course.models.policy.shapes import fit
from course.models.policy.words import name_words, stem
from course.models.wire import ToolSpec

_CONTROL = frozenset(
    tuple(n.split())
    for n in (
        "handoff",
        "escalate",
        "transfer to",
        "transfer call",
        "hand off",
        "hand over",
        "route to",
        "connect to",
        "switch to",
    )
)


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
    words = name_words(name)
    return words[:1] in _CONTROL or words[:2] in _CONTROL


def _worker(tool: ToolSpec, clause: str, guides: tuple[str, ...]) -> Any:
    """Whom a delegation tool would be given for a clause."""
    param = next(p for p in params(tool.parameters) if p.kind == "enum")
    return chosen(param, clause, (tool.description, *guides))


def enum_guides(tool: ToolSpec, clause: str, guides: tuple[str, ...]) -> float:
    """How well the best described choice of a tool's enumerations suits the clause: a worker that
    a delegation tool may name speaks for the tool."""
    best = 0.0
    for param in params(tool.parameters):
        options = param.schema.get("enum")
        if param.kind == "enum" and isinstance(options, list) and len(options) > 1:
            names = tuple(o for o in options if isinstance(o, str))
            ranked = (
                choose(names, clause, (param.description, tool.description, *guides))
                if names
                else [(0.0, "")]
            )
            best = max(best, ranked[0][0])
    return best


def delegates(tool: ToolSpec) -> bool:
    """Whether a tool passes a task on to somebody chosen from a list."""
    kinds = {p.kind for p in params(tool.parameters)}
    said = set(name_words(tool.name)) | set(re.findall(r"[a-z]+", tool.description.lower()))
    return {"enum", "prose"} <= kinds and bool(
        said
        & {
            "delegate",
            "assign",
            "transfer",
            "handoff",
            "consult",
            "route",
            "worker",
            "agent",
            "specialist",
            "escalate",
        }
    )


def rank(
    tools: tuple[ToolSpec, ...], clause: str, guides: tuple[str, ...]
) -> list[tuple[float, ToolSpec]]:
    """The tools by how well they suit a clause, best first, with their scores."""
    scores = [
        s + fit(t, clause) for s, t in zip(tool_index(tools).scores(clause), tools, strict=True)
    ]
    for n, tool in enumerate(tools):
        if delegates(tool):
            scores[n] = max(scores[n], enum_guides(tool, clause, guides) * 0.95)
    scores = _deeds_first(tools, scores, head_action(clause))
    order = sorted(range(len(tools)), key=lambda n: (-scores[n], n))
    return [(scores[n], tools[n]) for n in order]


def _deeds_first(
    tools: tuple[ToolSpec, ...], scores: list[float], wanted: str | None
) -> list[float]:
    """When something is to be done and a tool for that fits, tools that only look things up step
    back: "the car with the plate X needs a battery" names the car but asks for the battery."""
    if wanted in (None, "find"):
        return scores
    deeds = [s for s, t in zip(scores, tools, strict=True) if _action(t) == wanted and s >= ENOUGH]
    if not deeds or max(deeds) < 0.5 * max(scores):
        return scores
    return [s * 0.5 if _action(t) == "find" else s for s, t in zip(scores, tools, strict=True)]


def _action(tool: ToolSpec) -> str | None:
    return action_of((name_words(tool.name) or ("",))[0])


def _plausible(ranked: list[tuple[float, ToolSpec]], clause: str) -> tuple[ToolSpec, ...]:
    """The tools with anything in common with a clause, provided that the best has enough: less is
    enough for one that stands out and whose arguments the clause holds."""
    best = max((s for s, _ in ranked), default=0.0)
    if best < ENOUGH:
        second = ranked[1][0] if len(ranked) > 1 else 0.0
        if best < _LITTLE or best - second < 0.3 or _lacking(ranked[0][1], clause):
            return ()
    return tuple(tool for score, tool in ranked if score > 0)


_LITTLE = 0.6


Part = tuple[Clause, tuple[ToolSpec, ...]]


def _joined(parts: list[Part], guides: tuple[str, ...]) -> list[Part]:
    """Parts without a tool that merely state something join a neighbour that has one."""
    out: list[Part] = []
    carried: Clause | None = None
    for clause, ranked in parts:
        if not ranked and _states(clause) and len(parts) > 1:
            if out and out[-1][1]:
                out[-1] = (joined(out[-1][0], clause), out[-1][1])
            else:
                carried = joined(carried, clause) if carried else clause
            continue
        if out and _one_matter(out[-1], (clause, ranked), guides):
            out[-1] = (joined(out[-1][0], clause), ranked)
            continue
        out.append(
            (replace(joined(carried, clause), after=clause.after) if carried else clause, ranked)
        )
        carried = None
    if carried and out:
        out[-1] = (joined(out[-1][0], carried), out[-1][1])
    return out or parts


def _one_matter(first: Part, second: Part, guides: tuple[str, ...]) -> bool:
    """Whether a statement and a request next to it are about one call: the same tool suits both,
    and they don't name two things."""
    (told, one), (wish, two) = first, second
    if not one or not two or one[0].name != two[0].name or not (_states(told) or _states(wish)):
        return False
    if delegates(one[0]) and len({_worker(one[0], c.text, guides) for c in (told, wish)}) > 1:
        return False
    numbered = [any(m.kind in ("id", "number") for m in mentions(c.text)) for c in (told, wish)]
    return not all(numbered)


def _states(clause: Clause) -> bool:
    if clause.fact or _fragment(clause.text):
        return True
    silent = head_action(clause.text) is None and not commands(clause.text)
    return silent and not clause.text.rstrip().endswith("?")


def _fragment(text: str) -> bool:
    """Whether a part is only a few words around a number or name, such as "Contract K-3."."""
    if not any(m.kind in ("id", "number", "email", "phone", "uuid") for m in mentions(text)):
        return False
    return (
        len(text.split()) <= 4
        and head_action(text) is None
        and not commands(text)
        and not text.endswith("?")
    )


_ABOUT_ME = re.compile(
    r"^(?:(?:the|my|our|its|his|her) [^.?]{1,40}? (?:is|are):? \S*[\d@]|my (?:name|number|e-?mail|phone|member\w*|customer)\b|i am|i'm|this is|it's for|today is)",
    re.IGNORECASE,
)


def _ranked(
    clause: Clause, alone: bool, tools: tuple[ToolSpec, ...], guides: tuple[str, ...]
) -> tuple[ToolSpec, ...]:
    """The plausible tools of a part; beside others, a statement has to match a tool well."""
    found = rank(tools, clause.text, guides)
    if not alone and _fragment(clause.text):
        return ()
    if (
        not alone
        and clause.fact
        and (_ABOUT_ME.match(clause.text) or not found or found[0][0] < 1.2 * ENOUGH)
    ):
        return ()
    return _plausible(_fillable_first(found, clause.text), clause.text)


def _fillable_first(
    ranked: list[tuple[float, ToolSpec]], clause: str
) -> list[tuple[float, ToolSpec]]:
    """Among tools that score about alike, those whose arguments the clause holds come first."""
    near = [(s, t) for s, t in ranked[:3] if s >= 0.7 * ranked[0][0]]
    if len(near) < 2 or ranked[0][0] < ENOUGH:
        return ranked
    judged = [(s - 0.35 * _lacking(t, clause), -n, t) for n, (s, t) in enumerate(near)]
    judged.sort(key=lambda j: j[:2], reverse=True)
    return [*((near[-n][0], t) for _, n, t in judged), *ranked[len(near) :]]


def _lacking(tool: ToolSpec, clause: str) -> int:
    """How many required arguments of a tool, ids aside, a clause does not hold."""
    missing = fill(tool.parameters, Texts(clause), tool.name).missing
    return sum(p.kind not in ("id", "intid") for p in missing)


def parts_of(talk: Talk, tools: tuple[ToolSpec, ...]) -> list[tuple[Clause, tuple[ToolSpec, ...]]]:
    """The parts of the request in hand, each with its plausible tools."""
    guides = (talk.instructions,)
    verbs = frozenset(stem(w) for t in tools for w in name_words(t.name)[:1])
    clauses = split(talk.request, verbs)
    parts = _joined([(c, _ranked(c, len(clauses) == 1, tools, guides)) for c in clauses], guides)
    if len(clauses) > 1 and not any(ranked for _, ranked in parts):
        whole = Clause(talk.request.strip())
        ranked = _ranked(whole, True, tools, guides)
        return [(whole, ranked)] if ranked else parts
    return parts


def _texts(talk: Talk, parts: list[str], place: int) -> Texts:
    before = parts[:place][::-1]
    return Texts(
        parts[place],
        talk.answers,
        (*before, *parts[place + 1 :], *talk.earlier),
        (talk.instructions,),
        talk.today,
    )


def _choices(texts: Texts, tool: ToolSpec) -> Iterator[dict[str, Any]]:
    """One set of values for each choice that the pieces of a clause name for one enumeration
    ("the front door and the back door"); otherwise a single empty set."""
    found = pieces(texts.clause)
    for param in params(tool.parameters):
        if param.kind == "enum" and len(found) > 1 and not delegates(tool):
            named = [chosen(param, p) for p in found]
            if len(set(map(str, named))) == len(named) and None not in named:
                yield from ({param.name: value} for value in named)
                return
    yield {}


def _variants(texts: Texts, tool: ToolSpec) -> Iterator[Texts]:
    """One text for each of several values that one parameter is asked for ("Paris and Rome")."""
    listing = _listing(texts.clause)
    if any(p.type == "array" for p in params(tool.parameters)):
        yield texts
        return
    counted = _counted(texts, tool)
    if counted or listing is None:
        yield from counted or (texts,)
        return
    start, end, values = listing
    texts_for = [
        replace(texts, clause=texts.clause[:start] + v + texts.clause[end:]) for v in values
    ]
    filled = [dict(fill(tool.parameters, t, tool.name).values) for t in texts_for]
    if _differ_in_one(filled, values):
        yield from texts_for
    else:
        yield texts


def _counted(texts: Texts, tool: ToolSpec) -> list[Texts]:
    """One text for each counted thing ("four blades and ten fuses"), when each fills a call."""
    found = pieces(texts.clause)
    if len(found) < 2 or not all(any(m.kind == "number" for m in mentions(p)) for p in found):
        return []
    out = [replace(texts, clause=p) for p in found]
    filled = [fill(tool.parameters, t, tool.name) for t in out]
    numbers = {p.name for p in params(tool.parameters) if p.kind == "number"}
    alike = len({frozenset(f.values) for f in filled}) == 1 and numbers & set(filled[0].values)
    return out if alike and len(filled[0].values) > 1 and not any(f.missing for f in filled) else []


def _differ_in_one(filled: list[dict[str, Any]], values: list[str]) -> bool:
    if len({frozenset(f) for f in filled}) != 1:
        return False
    changed = [k for k in filled[0] if len({str(f[k]) for f in filled}) == len(filled)]
    same = [k for k in filled[0] if len({str(f[k]) for f in filled}) == 1]
    return (
        len(changed) == 1
        and len(same) == len(filled[0]) - 1
        and all(
            str(f[changed[0]]).lower() in v.lower()
            or v.lower() in str(f[changed[0]]).lower()
            or not isinstance(f[changed[0]], str)
            or any(str(m.value) == str(f[changed[0]]) for m in mentions(v))
            for f, v in zip(filled, values, strict=True)
        )
    )


_LIST = re.compile(
    r"(?P<a>[\w#-]+(?: [A-Z][\w-]+)*)(?P<more>(?:, [\w#-]+(?: [A-Z][\w-]+)*)*),? and (?:(?:the|for|of|to|in|at|on) )?(?P<z>[\w#-]+(?: [A-Z][\w-]+)*)"
)


def _listing(clause: str) -> tuple[int, int, list[str]] | None:
    for match in _LIST.finditer(clause):
        if re.search(r"\bbetween [^,]*$", clause[: match.start()] + match["a"]):
            continue
        values = pieces(f"{match['a']}{match['more']} and {match['z']}")
        if len(values) >= 2:
            return match.start(), match.end(), values
    return None


def _similar(made: Made, wanted: Mapping[str, Any]) -> float:
    keys = {*made.arguments, *wanted}
    same = sum(made.arguments.get(k) == wanted.get(k) for k in keys)
    return same / len(keys) if keys else 1.0


def _deal(steps: list[Step], made: tuple[Made, ...], names: frozenset[str]) -> list[Step]:
    """Deal the calls made in this turn out to the steps: the nearest arguments first."""
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
        elif call.error is None and call.text is not None and call.name in names:
            _stray(steps, own, call)
    return [replace(s, made=tuple(o)) for s, o in zip(steps, own, strict=True)]


def _settled(calls: list[Made]) -> bool:
    return bool(calls) and calls[-1].error is None


def _stray(steps: list[Step], own: list[list[Made]], call: Made) -> None:
    """A call by a wrong route counts for the step whose second best tool it was."""
    for n, step in enumerate(steps):
        if (
            not own[n]
            and len(step.ranked) > 1
            and step.ranked[1].name == call.name
            and not _helps(step, call)
        ):
            own[n].append(call)
            return


def _helps(step: Step, call: Made) -> bool:
    """Whether a call looks like a lookup made for the step rather than instead of it."""
    from course.models.policy.lookups import reads_only

    return reads_only(next(t for t in step.ranked if t.name == call.name)) and bool(
        step.tool and not reads_only(step.tool)
    )


def steps_of(talk: Talk, tools: tuple[ToolSpec, ...]) -> list[Step]:
    """The steps of the request in hand, with the calls made so far dealt out to them."""
    parts = parts_of(talk, tools)
    clauses = [c.text for c, _ in parts]
    found: list[Step] = []
    for place, (clause, ranked) in enumerate(parts):
        texts = _texts(talk, clauses, place)
        for own in _variants(texts, ranked[0]) if ranked else (texts,):
            pending = frozenset(s.tool.name for s in found if s.tool and not _answered(s, talk))
            world = World(tools, talk.made, talk.past, pending)
            for values in _choices(own, ranked[0]) if ranked else ({},):
                need = _need(own, ranked, world)
                need.values.update(values)
                found.append(Step(clause, own, ranked, need))
    return _conditions(_deal(found, talk.made, frozenset(t.name for t in tools)))


def _answered(step: Step, talk: Talk) -> bool:
    return step.tool is None or any(
        m.name == step.tool.name and m.text is not None for m in talk.made
    )


def _need(texts: Texts, ranked: tuple[ToolSpec, ...], world: World) -> Need:
    if not ranked:
        return Need({})
    return resolve(ranked[0], fill(ranked[0].parameters, texts, ranked[0].name), texts, world)


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
    changed = repaired_call(step.made[0], step.texts.clause)
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
    for place, step in enumerate(steps):
        if step.clause.after and not all(
            s.done for s in steps[:place] if s.clause is not step.clause
        ):
            break
        for call in _calls(step):
            if call.name and call.key not in already:
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
    return plain or calls[:1]
