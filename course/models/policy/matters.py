"""Matters: the parts of a request, each with who is to deal with it: one's own tools or somebody
else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from course.models.policy.chat import found_answer
from course.models.policy.clauses import Clause, is_greeting, joined
from course.models.policy.colleagues import Colleague, Staff
from course.models.policy.conversation import Talk
from course.models.policy.lexicon import synonyms
from course.models.policy.lookups import reads_only
from course.models.policy.match import ENOUGH, grounded, shared_words, tool_index
from course.models.policy.mentions import mentions
from course.models.policy.parts import leans, parts_of
from course.models.policy.prose import polished
from course.models.policy.ranking import rank
from course.models.policy.verbs import commands, head_action, tool_action
from course.models.policy.wordlists import cue
from course.models.policy.words import STAND_IN, content, name_words, stem
from course.models.wire import ToolSpec

_OWN_FIRST = 0.7  # one's own tool may score this much less than somebody else
_FAINT = 0.75  # enough for somebody who stands out


@dataclass(frozen=True)
class Matter:
    """A part of a request. `own` are the tools that serve it, `others` the colleagues that suit it,
    best first; without own tools the first of them is whom it belongs to. `ranking` are all of
    them, and `fit` is the score of the first."""

    clause: Clause
    own: tuple[ToolSpec, ...] = ()
    others: tuple[Colleague, ...] = ()
    ranking: tuple[Colleague, ...] = ()
    fit: float = 0.0

    @property
    def who(self) -> Colleague | None:
        """Whose the part is, None when it is one's own or nobody's."""
        return self.others[0] if self.others and not self.own else None


def matters_of(talk: Talk, staff: Staff) -> list[Matter]:
    """The parts of the request in hand with whoever suits each."""
    staff = replace(staff, others=staff.by("transfer", "consult", "delegate"))
    stand_ins = tuple(c.stand_in for c in staff.others)
    found = parts_of(talk, (*staff.own, *stand_ins))
    matters = [_matter(clause, ranked, staff, talk) for clause, ranked in found]
    return _woven(_headed([p for m in matters for p in _listed_apart(m, staff, talk)], talk))


_AND = re.compile(r",? and (?=\w)|, (?=\w)")
_HEAD = cue("matters.head")


def _listed_apart(matter: Matter, staff: Staff, talk: Talk) -> list[Matter]:
    """A part that lists things for different colleagues, as one part for each: "flights to Rome,
    a hotel and a car"."""
    if not matter.who or len(staff.others) < 2:
        return [matter]
    text = matter.clause.text
    pieces: list[str] = []
    start = 0
    for joint in _AND.finditer(text):
        here, rest = text[start : joint.start()], text[joint.end() :]
        if _for_others(here, rest, staff, talk):
            pieces.append(here)
            start = joint.end()
    pieces.append(text[start:])
    if len(pieces) < 2:
        return [matter]
    cut = [replace(matter.clause, text=p.strip()) for p in pieces]
    return [_matter(c, tuple(x.stand_in for x in matter.ranking), staff, talk) for c in cut]


_ITS = re.compile(r"\b(?:my|our|his|her|their|the)(?: \w+){1,2}(?=$|[.,])", re.IGNORECASE)


def _for_others(left: str, right: str, staff: Staff, talk: Talk) -> bool:
    """Whether two pieces of a list belong to different colleagues, beyond doubt."""
    stand_ins = tuple(c.stand_in for c in staff.others)
    first = _AND.split(right, maxsplit=1)[0]
    one, two = (rank(stand_ins, t, (talk.instructions,)) for t in (left, first))
    (best, mine), (other, yours) = one[0], two[0]
    if leans(right):
        return False
    alike = _ITS.search(left) and _ITS.match(right)  # "my visit and my bill"
    if mine.name == yours.name or min(best, other) < (_FAINT if alike else ENOUGH):
        return False
    here = next(s for s, t in one if t == yours) < 0.6 * best
    return here and next(s for s, t in two if t == mine) < 0.6 * other


def _headed(found: list[Matter], talk: Talk) -> list[Matter]:
    """Things in a list with the verb or heading that stands before its first."""
    out: list[Matter] = []
    head = ""
    for matter in found:
        text = matter.clause.text
        if head and matter.who and not _stands(text) and _one_sentence(out[-1], text, talk):
            out.append(replace(matter, clause=replace(matter.clause, text=f"{head}{text}")))
        else:
            out.append(matter)
            head = _head_of(text)
    return out


def _one_sentence(before: Matter, text: str, talk: Talk) -> bool:
    end = talk.request.find(text)
    start = talk.request.find(before.clause.text.split(": ")[-1])
    return 0 <= start < end and not re.search(r"[.!?;]\s", talk.request[start:end])


def _head_of(text: str) -> str:
    """What a list is the object of: its verb, "I need", or a heading with a colon."""
    match = _HEAD.match(polished(text))
    head = match["head"] if match else ""
    plain = ":" in head or " " in head.strip() or commands(head + "the")
    return head if plain else ""


def _stands(piece: str) -> bool:
    return commands(piece) or head_action(piece) is not None


def _matter(clause: Clause, ranked: tuple[ToolSpec, ...], staff: Staff, talk: Talk) -> Matter:
    scored = rank(
        (*staff.own, *(c.stand_in for c in staff.others)), clause.text, (talk.instructions,)
    )
    scores = {tool.name: score for score, tool in scored}
    ranking = tuple(_in_order(staff, scored))
    others = tuple(c for c in ranking if _fits(c, scores, clause))
    best = max((scores[f"{STAND_IN}{c.name}"] for c in others), default=0.0)
    if not ranked and not _looks_into(clause.text, staff):
        faint = others and not found_answer(clause.text, (talk.instructions,))
        return Matter(clause, (), others if faint else (), ranking, best)
    own = tuple(t for t in ranked if not t.name.startswith(STAND_IN))
    if own and scores[own[0].name] < ENOUGH and any(c.general for c in staff.by("transfer")):
        own = ()  # too little in common, and there is somebody who knows who should have it
    own = own or _looks_into(clause.text, staff)
    solid = own and (best == 0 or _serves(own[0], clause, best, others[0]))
    enough = max(ENOUGH * (best > 0), _OWN_FIRST * best)
    if solid and (scores[own[0].name] >= enough or in_trouble(clause.text)):
        return Matter(clause, own, others, ranking, best)
    return Matter(clause, () if others else own, others, ranking, best)


_DOWN = cue("matters.down")


def in_trouble(text: str) -> bool:
    """Whether a text says that something does not work, which somebody should mend."""
    return bool(_DOWN.search(text)) and not text.rstrip().endswith("?")


def _serves(tool: ToolSpec, clause: Clause, best: float, other: Colleague) -> bool:
    """Whether one's own tool does what a part asks for rather than sharing a noun with it: a
    look-up does no deed, no deed is done that a mere statement does not name, and whoever
    covers all that the tool covers and more comes first."""
    mine, theirs = (shared_words(t, clause.text) for t in (tool, other.stand_in))
    if not mine or mine < theirs:
        return False
    wish, deed = head_action(clause.text), tool_action(tool.name, tool.description)
    if wish not in (None, "find") and deed == "find":
        return best < ENOUGH
    if clause.fact and wish is None and deed not in (None, "find"):
        told = set(content(f"{tool.name.replace('_', ' ')} {tool.description}"))
        said = [w for w in content(clause.text) if w not in _things(tool)]
        return any(w in told or synonyms(w) & told for w in said)
    return True


def _things(tool: ToolSpec) -> set[str]:
    """The nouns of a tool's name, which a statement may share with many tools."""
    return {stem(w) for w in name_words(tool.name)[1:]}


def _looks_into(text: str, staff: Staff) -> tuple[ToolSpec, ...]:
    """The tool of one's own that looks into trouble of this sort, if anything is in trouble."""
    if not in_trouble(text) or not staff.own:
        return ()
    scores = tool_index(staff.own).scores(text)
    best = max(range(len(scores)), key=lambda n: scores[n])
    fine = scores[best] >= _FAINT and reads_only(staff.own[best])
    return (staff.own[best],) if fine and grounded(staff.own[best], text) else ()


def _in_order(staff: Staff, scored: Iterable[tuple[float, ToolSpec]]) -> list[Colleague]:
    by_name = {f"{STAND_IN}{c.name}": c for c in staff.others}
    return [by_name[t.name] for _, t in scored if t.name in by_name]


def _fits(colleague: Colleague, scores: dict[str, float], clause: Clause) -> bool:
    return scores[f"{STAND_IN}{colleague.name}"] >= _FAINT and not is_greeting(clause.text)


_SUMS_UP = cue("matters.sums_up")
_BACK = cue("matters.back")


def _woven(found: list[Matter]) -> list[Matter]:
    """Parts that only go on about the one before join it: "and book it", or a part for nobody."""
    out: list[Matter] = []
    for matter in found:
        before = out[-1] if out else None
        if before and _same_call(before, matter):
            out[-1] = replace(before, clause=joined(before.clause, matter.clause))
            continue
        if before and matter.clause.fact and not matter.own and matter.who is None:
            out[-1] = replace(before, clause=joined(before.clause, matter.clause))
            continue
        if before and matter.who is None and not matter.own and _SUMS_UP.search(matter.clause.text):
            continue  # putting the results together is what the answer does anyway
        if before and not matter.own and _goes_on(before, matter):
            out[-1] = replace(before, clause=joined(before.clause, matter.clause))
        else:
            out.append(matter)
    return out


def _same_call(before: Matter, matter: Matter) -> bool:
    """Whether two statements are about one call of one tool: they don't name two things."""
    if not before.own or not matter.own or before.own[0].name != matter.own[0].name:
        return False
    texts = (before.clause.text, matter.clause.text)
    ids = [any(m.kind in ("id", "number") for m in mentions(t)) for t in texts]
    told = [head_action(t) is None and not t.rstrip().endswith("?") for t in texts]
    return all(told) and not all(ids)


def _goes_on(before: Matter, matter: Matter) -> bool:
    if before.own or not before.who:
        return False
    leaning = bool(_BACK.search(matter.clause.text)) or matter.clause.after
    if matter.who is None:
        return leaning and not matter.clause.text.rstrip().endswith("?")
    return matter.who.name == before.who.name and leaning
