"""Handover: passing the conversation on, and what an agent owes that has taken it over."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from course.models.policy.answers import names_in
from course.models.policy.arguments import fill
from course.models.policy.carrying import in_full
from course.models.policy.chat import found_answer, persona, small_talk
from course.models.policy.colleagues import Colleague, Staff
from course.models.policy.conversation import Made, Talk
from course.models.policy.lookups import reads_only
from course.models.policy.match import ENOUGH, document, index_of
from course.models.policy.matters import Matter, in_trouble
from course.models.policy.needs import Wanted, World, resolve
from course.models.policy.prose import polished
from course.models.policy.results import deed_words, error_words, reads, render, sentence
from course.models.policy.steps import Step, is_control, repair_of
from course.models.policy.verbs import head_action
from course.models.policy.wordlists import cue
from course.models.policy.words import content, listed, name_stems
from course.models.wire import ToolSpec

_HIGHER = cue("handover.higher")
_HUMAN = re.compile(r"\b(?:human|people|person|staff|employee|operator|manager)\b", re.IGNORECASE)
_ASKS_HUMAN = cue("handover.asks_human")
_WISHES_ANOTHER = cue("handover.wishes_another")
_STILL = cue("handover.still")


def handed_over(talk: Talk) -> list[Made]:
    """The handovers made while the request in hand was being served."""
    return [m for m in talk.made if is_control(m.name) and m.error is None]


def open_matters(matters: list[Matter], talk: Talk, staff: Staff) -> list[Matter]:
    """The parts that are still to be dealt with: after a handover those that its reason names, or
    else those that no earlier agent's call has served."""
    passed = handed_over(talk)
    if not passed:
        return matters
    matters = [m for m in matters if not _WISHES_ANOTHER.search(m.clause.text)]
    why = _words(passed[-1])
    named = [m for m in matters if _mentioned(m, why)]
    if named:
        return named
    foreign = _by_others(talk, staff)
    return [m for m in matters if not any(_served(m, f) for f in foreign)]


def held_back(matters: list[Matter]) -> list[Matter]:
    """One's own parts that wait, by their words, for a part that has to be handed over first."""
    found: list[Matter] = []
    waiting = False
    for matter in matters:
        if matter.own and matter.clause.after and waiting:
            found.append(matter)
        waiting = waiting or bool(matter.who and matter.who.how == "transfer")
    return found


def _words(made: Made) -> str:
    return " ".join(v for v in made.arguments.values() if isinstance(v, str))


def _mentioned(matter: Matter, why: str) -> bool:
    words = set(content(matter.clause.text))
    return bool(words) and len(words & set(content(why))) >= 0.7 * len(words)


def _by_others(talk: Talk, staff: Staff) -> list[Made]:
    """The results that were there before the latest handover."""
    last = max((n for n, m in enumerate(talk.made) if m in handed_over(talk)), default=0)
    moves = {c.tool for c in staff.others}
    found = [m for m in talk.made[:last] if m.name not in moves and not is_control(m.name)]
    return [m for m in found if m.text is not None]


def _served(matter: Matter, made: Made) -> bool:
    told = f"{json.dumps(made.arguments, default=str)} {made.text}"
    index = index_of((document(made.name, {"description": told[:2_000]}),))
    return made.error is None and index.scores(matter.clause.text)[0] >= ENOUGH


def found_before(talk: Talk, staff: Staff) -> list[str]:
    """What earlier agents found for the same request, without what they only looked up on the
    way."""
    if not handed_over(talk):
        return []
    found = [m for m in _by_others(talk, staff) if m.error is None]
    ends = [m for m in found if not _on_the_way(m, talk.made[talk.made.index(m) + 1 :])]
    return [render(m, "", names_in(tuple(found))) for m in ends]


def _on_the_way(made: Made, later: Sequence[Made]) -> bool:
    """Whether a later call used an id out of a result."""
    used = {str(v) for m in later for v in m.arguments.values() if isinstance(v, str | int)}
    return any(re.search(rf"(?<!\w){re.escape(u)}(?!\w)", made.text or "") for u in used if u)


def handover(matters: list[Matter], steps: list[Step], talk: Talk, staff: Staff) -> Wanted | None:
    """The handover to make now: for the first open part that another agent is described for, or
    upwards when one's own means are exhausted."""
    doors = staff.by("transfer")
    own = frozenset(t.name for t in staff.own if not reads_only(t))
    if not doors:
        return None
    if _ASKS_HUMAN.search(talk.latest) and (human := _first(doors, _HUMAN)):
        return _pass_to(human, talk.latest, matters)
    for matter in matters:
        door = _door(matter, talk, staff)
        if door and not _answered(talk):
            return _pass_to(door, in_full(matter, talk), _not_own(matters, matter, talk))
    for step in steps:
        other = _after_failure(step, matters)
        if other and not _answered(talk):
            return _upwards(other, steps, talk, own)
    higher = _first(doors, _HIGHER)
    return _upwards(higher, steps, talk, own) if higher and not _answered(talk) else None


def _after_failure(step: Step, matters: list[Matter]) -> Colleague | None:
    """Who else is described for trouble that one's own tool could not mend."""
    failed = step.made and step.made[-1].error is not None and repair_of(step) is None
    if not failed or not in_trouble(step.clause.text):
        return None
    matter = next((m for m in matters if m.clause == step.clause), None)
    fitting = [c for c in matter.others if c.how == "transfer"] if matter else []
    return next(iter(fitting), None)


def _answered(talk: Talk) -> bool:
    """Whether the latest handover of this turn was refused: one is enough for a message."""
    last = [m for m in talk.made if is_control(m.name)][-1:]
    return bool(last) and last[0].error is not None


def _not_own(matters: list[Matter], first: Matter, talk: Talk) -> list[Matter]:
    """The other parts that one neither serves nor knows by heart."""
    held = held_back(matters)
    rest = [m for m in matters if m is not first and (not m.own or m in held)]
    return [
        m for m in rest if m.own or m.who or not found_answer(m.clause.text, (talk.instructions,))
    ]


def _first(doors: Sequence[Colleague], kind: re.Pattern[str]) -> Colleague | None:
    return next((d for d in doors if kind.search(f"{d.name} {d.about}".replace("_", " "))), None)


def _door(matter: Matter, talk: Talk, staff: Staff) -> Colleague | None:
    """Whom a part is passed to, None when it stays."""
    if matter.own:
        return None
    doors = [c for c in staff.by("transfer") if not (c.general and _bounces(matter, c, talk))]
    fitting = [c for c in matter.others if c in doors]
    if fitting:
        return fitting[0] if matter.who and matter.who.how == "transfer" else None
    if matter.who or _at_home(matter, talk):
        return None
    # Nothing for this agent: to whoever passes things on, or the one way out there is.
    only = doors if len(staff.by("transfer")) == 1 and not _first(doors, _HIGHER) else []
    back = [c for c in only if not _bounces(matter, c, talk)]
    return next((c for c in [*doors, *back] if c.general or c in back), None)


def _bounces(matter: Matter, door: Colleague, talk: Talk) -> bool:
    """Whether a part would go back for nothing: it was passed that way before, and the latest
    handover came for its sake."""
    passed = [_words(m) for m in handed_over(talk) if m.name == door.tool]
    latest = _words(handed_over(talk)[-1]).split("; then: ")[0] if handed_over(talk) else ""
    return _mentioned(matter, latest) and any(_mentioned(matter, p) for p in passed)


def _at_home(matter: Matter, talk: Talk) -> bool:
    """Whether a part is what one's own instructions are about, so that nobody else would do."""
    text = matter.clause.text
    if small_talk(text, talk.instructions) or found_answer(text, (talk.instructions,)):
        return True
    index = index_of((document("me", {"description": talk.instructions[:2_000]}),))
    return index.scores(text)[0] >= ENOUGH


def _pass_to(door: Colleague, text: str, also: list[Matter]) -> Wanted:
    said = set(content(text))
    also = [m for m in also if not set(content(m.clause.text)) <= said]
    rest = [polished(m.clause.text).rstrip(".!") for m in also]
    why = sentence("; then: ".join([polished(text).rstrip(".!"), *rest]))
    return Wanted(door.tool, {door.text: why} if door.text else {})


def _upwards(
    higher: Colleague, steps: list[Step], talk: Talk, own: frozenset[str]
) -> Wanted | None:
    """Escalation: when what was tried failed, did not help, or there is nothing to try."""
    failed = [s for s in steps if s.made and s.made[-1].error is not None and not repair_of(s)]
    mended = [m for m in talk.made if m.error is None and m.name in own]
    if mended:
        return None
    past = {Wanted(m.name, m.arguments).key for m in talk.past}
    spent = [
        s for s in steps if s.tool and not s.made and Wanted(s.tool.name, s.need.values).key in past
    ]
    helpless = [s for s in steps if not s.tool and _is_trouble(s) and not _known(s, talk)]
    if failed:
        tried = [f"{deed_words(s.made[-1].name)} failed: {_why(s.made[-1])}" for s in failed]
    elif _STILL.search(talk.latest) and (spent or not any(s.tool for s in steps)):
        done = dict.fromkeys(deed_words(m.name) for m in talk.past[::-1] if not is_control(m.name))
        tried = [f"tried without success: {listed(list(done))}"] if done else []
    elif helpless or any(_only_looked(s) for s in steps):
        tried = []
    else:
        return None
    what = polished(talk.request).rstrip(".!")
    return Wanted(
        higher.tool, {higher.text: f"{'; '.join([what, *tried])}."} if higher.text else {}
    )


def _only_looked(step: Step) -> bool:
    """Whether trouble was looked into and nothing was found that mends it."""
    last = step.made[-1] if step.made else None
    tool = next((t for t in step.ranked if last and t.name == last.name), None)
    looked = bool(last and (reads(last.name) or (tool and reads_only(tool))))
    return looked and bool(last and not last.error) and in_trouble(step.clause.text)


def remedy(steps: list[Step], talk: Talk, own: tuple[ToolSpec, ...]) -> Wanted | None:
    """The tool that mends what a look-up found: one whose purpose shares words with the finding."""
    done = {m.name for m in (*talk.tried, *talk.made)}
    for step in steps:
        if not _only_looked(step):
            continue
        found = set(content(step.made[-1].text or "")) - set(name_stems(step.made[-1].name))
        fitting = [(_purpose(t, found), -n, t) for n, t in enumerate(own) if t.name not in done]
        fitting = [f for f in fitting if f[0] >= _SHARED and not reads_only(f[2])]
        for _, _, tool in sorted(fitting, key=lambda f: f[:2], reverse=True):
            filled = fill(tool.parameters, step.texts, tool.name)
            need = resolve(tool, filled, step.texts, World(own, talk.made, talk.past))
            if not need.calls and not need.lacks:
                return Wanted(tool.name, need.values)
    return None


_SHARED = 2  # words that a finding and a remedy's purpose have in common


def _purpose(tool: ToolSpec, found: set[str]) -> int:
    """How many words of what a tool is for stand in a finding."""
    _, _, purpose = tool.description.partition(" for ")
    return len(set(content(purpose)) & found)


def _why(made: Made) -> str:
    return error_words(made.error or "").rstrip(".")


def _is_trouble(step: Step) -> bool:
    deed = head_action(step.clause.text)
    return step.clause.fact or deed not in (None, "find")


def _known(step: Step, talk: Talk) -> bool:
    text = step.clause.text
    return bool(small_talk(text, talk.instructions) or found_answer(text, (talk.instructions,)))


def arrival(talk: Talk) -> str:
    """The first words of an agent that was only asked for."""
    me = persona(talk.instructions)
    return f"Hello! I'm {me}. How can I help you?" if me else "Hello! How can I help you?"
