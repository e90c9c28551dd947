"""What there is to do for a request: calls of the domain's tools, each with what it brings.

An errand is one task of a plan as the scripted model makes it. Everything in it is computed from a
request's `Sample` and the open world: the walk is walked, the traps are stepped into.
"""

from __future__ import annotations

import hashlib
import inspect
from itertools import count

from course.errors import ToolError
from course.scenarios.world.figures import figures, states
from course.scenarios.world.requests import Call, Fact, Gap, Sample, Trap
from course.tools import Tool, parse_arguments
from graders.checks.text import folded, leaves, text_of
from graders.exercises.kit import *

_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_DIGITS = "23456789"


@dataclass(frozen=True)
class Errand:
    """One thing to do.

    Attributes:
        ref: four signs that stand in the task's description, by which it is known again.
        call: the tool call that brings what is wanted.
        result: what the tool gives, as text.
        says: what is to be done, in words.
        naive: the same call as it is made at first, where that is refused; else None.
        refusal: the tool's words for it.
        hint: what the refusal asks to be changed.
        needs: refs of the errands whose results it builds on.
        facts: what its result states, alone or (as far as it goes) with others.
    """

    ref: str
    call: Call
    result: str
    says: str
    naive: Call | None = None
    refusal: str = ""
    hint: str = ""
    needs: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()

    @property
    def description(self) -> str:
        """The task as a plan has it."""
        return f"{self.says} (ref {self.ref})"


@dataclass(frozen=True)
class Job:
    """A request with all there is to do for it.

    Attributes:
        text: what the user asks.
        errands: in an order in which none comes before what it needs.
        spread: facts that no single errand states, and the refs that they take.
        sources: groups of ids or tables, one of each to be cited.
        gaps: what the world does not hold.
    """

    text: str
    errands: tuple[Errand, ...]
    spread: tuple[Fact, ...] = ()
    sources: tuple[tuple[str, ...], ...] = ()
    gaps: tuple[Gap, ...] = ()
    by_ref: Mapping[str, Errand] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_ref", {each.ref: each for each in self.errands})


def errands_of(
    text: str, samples: Sequence[Sample], tools: Mapping[str, Tool], *, salt: str = ""
) -> Job:
    """A request, which may be several samples' in one, with what there is to do for it.

    Args:
        text: what the user asks.
        samples: whose walks are walked.
        tools: all tools of the open world by name.
        salt: other references for the same calls.
    """
    found: dict[str, Errand] = {}
    calls = [(call, sample) for sample in samples for call in _calls(sample)]
    for call, sample in calls:
        if all(each.call != call for each in found.values()):
            each = _errand(call, sample, tools, _free(call, salt, found))
            found[each.ref] = _placed(each, tuple(found.values()), text)
    errands = tuple(found.values())
    stated = {fact.name for each in errands for fact in each.facts}
    return Job(
        text,
        errands,
        spread=tuple(f for sample in samples for f in sample.facts if f.name not in stated),
        sources=tuple(group for sample in samples for group in sample.sources),
        gaps=tuple(gap for sample in samples for gap in sample.gaps),
    )


def made(call: Call, tools: Mapping[str, Tool]) -> Any:
    """What a tool of the world gives for a call.

    Raises:
        ToolError: it refuses.
    """
    tool = tools[call.tool]
    result = tool.function(**parse_arguments(tool, json.dumps(dict(call.arguments))))
    if inspect.isawaitable(result):
        raise TypeError(f"{call.tool} is asynchronous: a world's tools answer at once")
    return result


def same_call(one: Call, name: str, arguments: Mapping[str, Any]) -> bool:
    """Whether this is the call, defaults that were filled in and left out ones aside."""
    wanted = {key: text_of(value) for key, value in one.arguments.items() if value is not None}
    sent = {key: text_of(value) for key, value in arguments.items() if value is not None}
    return one.tool == name and all(sent.get(key) == value for key, value in wanted.items())


def _calls(sample: Sample) -> Iterator[Call]:
    """The walk, and what a trap leads to beside it."""
    yield from sample.walk
    apart = [trap for trap in sample.traps if trap.refined not in sample.walk]
    yield from (trap.refined for trap in apart if trap.naive.tool == trap.refined.tool)


def _errand(call: Call, sample: Sample, tools: Mapping[str, Tool], ref: str) -> Errand:
    result = text_of(made(call, tools))
    trap, refusal = _trapped(call, sample.traps, tools)
    return Errand(
        ref=ref,
        call=call,
        result=result,
        says="",
        naive=trap.naive if trap else None,
        refusal=refusal,
        hint=trap.says if trap else "",
        facts=tuple(fact for fact in sample.facts if _states(result, fact)),
    )


def _trapped(
    call: Call, traps: Sequence[Trap], tools: Mapping[str, Tool]
) -> tuple[Trap | None, str]:
    """The first trap before a call that refuses what is naive, and how."""
    for trap in traps:
        if trap.refined == call and trap.naive.tool == call.tool:
            try:
                made(trap.naive, tools)
            except ToolError as error:
                return trap, str(error)
    return None, ""


def _free(call: Call, salt: str, taken: Mapping[str, Errand]) -> str:
    """A reference that no other errand has, always the same for a call."""
    for again in count():
        text = json.dumps([call.tool, dict(call.arguments), salt, again], sort_keys=True)
        drawn = hashlib.blake2b(text.encode(), digest_size=4).digest()
        signs = (_LETTERS, _DIGITS, _LETTERS, _DIGITS)
        ref = "".join(kind[byte % len(kind)] for kind, byte in zip(signs, drawn, strict=True))
        if ref not in taken:
            return ref
    raise AssertionError("there are more references than errands")


def _states(result: str, fact: Fact) -> bool:
    if fact.value is None:
        return any(folded(form) in folded(result) for form in fact.forms)
    if fact.subject and folded(fact.subject) not in folded(result):
        return False
    scales = {1.0, fact.scale}
    return any(
        states(figure, fact.value * by, within=fact.within * by, text=result, signed=False)
        for figure in figures(result)
        for by in scales
    )


def _placed(each: Errand, before: Sequence[Errand], text: str) -> Errand:
    """The errand with what it builds on, and its task in words: the tool and what it is about."""
    given = {v: _source(v, before, text) for v in leaves(dict(each.call.arguments), keys=False)}
    told = []
    for name, value in (each.naive or each.call).arguments.items():
        shown = ["as found before" if given.get(v) else v for v in leaves(value, keys=False)]
        told.append(f"{name.replace('_', ' ')} {', '.join(shown)}")
    action = each.call.tool.replace("_", " ").capitalize()
    return replace(
        each,
        says=f"{action} with {' and '.join(told)}" if told else action,
        needs=tuple(dict.fromkeys(source for source in given.values() if source)),
    )


def _source(value: str, before: Sequence[Errand], text: str) -> str:
    """The first errand from whose result a value can be known; "" where the request has it."""
    wanted = folded(value)
    if len(wanted) < 3 or wanted in folded(text):
        return ""
    for each in before:
        own = text_of(dict(each.call.arguments))
        if wanted in folded(each.result) and wanted not in folded(own):
            return each.ref
    return ""
