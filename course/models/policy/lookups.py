"""Lookups: finding the tool that can supply an argument that the conversation does not hold."""

from __future__ import annotations

from course.models.policy.arguments import Filled, Texts, fill
from course.models.policy.lexicon import synonyms
from course.models.policy.mentions import Mention
from course.models.policy.params import Param
from course.models.policy.verbs import tool_action
from course.models.policy.words import content, name_stems, name_words, stem
from course.models.wire import ToolSpec

_FREE = frozenset(stem(w) for w in "slot free available availability".split())
_SLOTS = frozenset(stem(w) for w in "slot opening".split())
LOOKED_UP = ("id", "intid", "email", "phone", "datetime", "time")


def reads_only(tool: ToolSpec) -> bool:
    """Whether a tool's name or description says that it only looks something up."""
    return tool_action(tool.name, tool.description) == "find"


def supplies(tool: ToolSpec, param: Param) -> float:
    """How likely a tool's results hold a value for a parameter, by name and description."""
    named, told = set(name_stems(tool.name)), set(content(tool.description))
    if param.kind in ("datetime", "time"):
        return 2.0 if named & _FREE else 1.0 if told & _SLOTS else 0.0
    entity = {stem(w) for w in param.entity.split()} or {stem("id")}
    if param.kind in ("email", "phone"):
        return 1.5 if told & {stem(param.kind), stem("e-mail"), "contact"} else 0.0
    wide = set().union(*(synonyms(e) for e in entity))
    # "Find patients" supplies a patient id; a tool that itself needs that id does not.
    score = 3.0 if entity & named else 2.0 if wide & named else 0.0
    if param.kind in ("id", "intid") and not score:
        score = 1.0 if entity & told else 0.0
    listing = name_words(tool.name)[0] in ("find", "list", "search", "get", "show", "look")
    return score + (0.5 if score and entity & told else 0.0) + (0.3 if score and listing else 0.0)


def providers(param: Param, target: ToolSpec, tools: tuple[ToolSpec, ...]) -> list[ToolSpec]:
    """Offered tools that may supply the parameter, likeliest first."""
    if param.kind not in LOOKED_UP:
        return []
    scored = [
        (-supplies(t, param), n)
        for n, t in enumerate(tools)
        if t.name != target.name and reads_only(t) and param.name not in _required(t)
    ]
    best = min((score for score, _ in scored), default=0.0)
    # A tool named after the thing makes those that only sound like it superfluous.
    return [tools[n] for score, n in sorted(scored) if score < 0 and not (best <= -3 < score)]


def _required(tool: ToolSpec) -> list[str]:
    wanted = tool.parameters.get("required")
    return [w for w in wanted if isinstance(w, str)] if isinstance(wanted, list) else []


def fill_lookup(
    tool: ToolSpec, texts: Texts, used: tuple[Mention, ...], target: ToolSpec
) -> Filled:
    """Arguments of a lookup. Optional ones don't take what the deed itself needs: in "move it from
    Monday to Friday" the new day must not narrow the search."""
    filled = fill(tool.parameters, texts, tool.name, beside=frozenset(name_stems(target.name)))
    required = set(_required(tool))
    claimed = [m for m in filled.used if any(m.overlaps(u.start, u.end) for u in used)]
    if not claimed:
        return filled
    taken = {str(m.value) for m in claimed}
    kept = {k: v for k, v in filled.values.items() if k in required or str(v) not in taken}
    return Filled(kept, filled.missing, filled.used)
