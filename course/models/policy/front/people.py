"""People: work with colleagues, in whatever idiom they are reached: who is asked for which part of
what was said, each once a turn, with the whole matter in the task; and what came back from them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from course.models.policy.clauses import constraints
from course.models.policy.colleagues import Colleague, Staff, staff_of
from course.models.policy.conversation import Made, Talk, read
from course.models.policy.front.mood import parts_of
from course.models.policy.front.situation import Situation
from course.models.policy.mentions import mentions
from course.models.policy.needs import Wanted
from course.models.policy.reader.matters import judged
from course.models.policy.reader.slots import offer_of
from course.models.policy.shares import shares_of
from course.models.policy.steps import is_control
from course.models.policy.team import handed
from course.models.policy.words import content, cue
from course.models.wire import ChatRequest

_LIKELY = 0.15
"""How likely somebody has to be for what nobody claims."""
_LEANS = cue("people.leans")


def staff(request: ChatRequest, sit: Situation) -> Staff:
    """The tools of a request sorted: one's own, and the colleagues that they lead to."""
    return staff_of(request.tools, sit.instructions)


def next_asks(request: ChatRequest, sit: Situation, team: Staff) -> tuple[Wanted, ...]:
    """The colleagues who are to be asked next: the first to hand over to, or all that are asked in
    passing; none who was asked since the person's last words."""
    left = [(c, text) for c, text in _claims(request, sit, team) if not _asked(c, sit.turn)]
    if not left:
        return ()
    if left[0][0].how == "transfer":
        return (handed(*left[0]),)
    return tuple(_task(c, text) for c, text in left if c.how in ("consult", "delegate"))


def _task(who: Colleague, text: str) -> Wanted:
    values = {who.chooser: who.name} if who.chooser else {}
    values |= {who.text: text} if who.text else {}
    limits = constraints(text) if who.limits else ""
    return Wanted(who.tool, values | ({who.limits: limits} if limits else {}))


def _asked(who: Colleague, made: Sequence[Made]) -> bool:
    return any(
        m.name == who.tool and (not who.chooser or m.arguments.get(who.chooser) == who.name)
        for m in made
        if not m.put_off
    )


def _claims(request: ChatRequest, sit: Situation, team: Staff) -> list[tuple[Colleague, str]]:
    """Each colleague with the words that are its share, in the order of what was said."""
    others = [c for c in team.asked.others if not (c.general and is_control(c.tool) and sit.turn)]
    if not others:
        return []
    found: dict[str, list[str]] = {}
    by_name = {c.name: c for c in others}
    loose: list[str] = []
    for text, who in _shares(read(request), team, sit):
        moods = {p.mood for p in parts_of(text, sit.verbs)}
        if who is None and not moods & {"asked", "ordered"}:
            loose.append(text)
        elif moods <= {"denied", "hedged"} or (who is None and len(content(text)) < 1):
            continue
        elif (who := who or _nearest(text, team, sit, list(found))) and who.name in by_name:
            found.setdefault(who.name, []).append(text)
    if not found:
        return []
    told = " ".join(loose)
    if len(found) == 1:
        name = next(iter(found))
        return [(by_name[name], in_full(sit.latest, sit))]
    return [
        (by_name[name], in_full(f"{' '.join(_ended(t) for t in texts)} {told}".strip(), sit))
        for name, texts in found.items()
    ]


def _ended(text: str) -> str:
    return text if text.rstrip().endswith((".", "?", "!")) else f"{text.rstrip()}."


def _shares(talk: Talk, team: Staff, sit: Situation) -> list[tuple[str, Colleague | None]]:
    """The parts of what was said, with whose they are as the reader sees it."""
    found: list[tuple[str, Colleague | None]] = []
    for share in shares_of(talk, team):
        pieces = [p.text for p in parts_of(share.clause.text, sit.verbs)
                  if p.mood in ("asked", "ordered")]  # fmt: skip
        whose = [_surest(p, team, sit) for p in pieces]
        names = {w.name for w in whose if w}
        if len(names) > 1 and None not in whose:
            found += [(p, w) for p, w in zip(pieces, whose, strict=True)]
        else:
            found.append((share.clause.text, share.who))
    return found


_SURE, _TIMES = 0.4, 2.0


def _surest(text: str, team: Staff, sit: Situation) -> Colleague | None:
    """Whom a piece is for beyond doubt."""
    ranked = _ranked(text, team, sit)
    second = ranked[1][0] if len(ranked) > 1 else 0.0
    sure = ranked and ranked[0][0] >= _SURE and ranked[0][0] >= _TIMES * second
    return ranked[0][1] if sure else None


def _ranked(text: str, team: Staff, sit: Situation) -> list[tuple[float, Colleague]]:
    asked = team.asked
    offer = offer_of(asked.offered)
    likely = {offer.tools[j.place].name: j.likely for j in judged(offer, text, sit.today)}
    scored = [(likely.get(c.stand_in.name, 0.0), c) for c in asked.others]
    return sorted(scored, key=lambda pair: -pair[0])


def _nearest(text: str, team: Staff, sit: Situation, before: list[str]) -> Colleague | None:
    """Whom something is for that nobody claims: whoever comes near, who had the matter last, who
    has what was said beside it, or the only one there is; None for what was handed over."""
    if any(is_control(m.name) for m in sit.turn):
        return None  # who was handed what nobody claims says so
    ranked = _ranked(text, team, sit)
    if ranked and ranked[0][0] >= _LIKELY:
        return ranked[0][1]
    others = team.asked.others
    last = next((c for m in reversed(sit.before) for c in others if _asked(c, (m,))), None)
    beside = next((c for c in others if before and c.name == before[-1]), None)
    return beside or last or (others[0] if len(others) == 1 and not team.own else None)


def in_full(text: str, sit: Situation) -> str:
    """Words that can be understood without what was said before: with the names, ids and numbered
    things that they lean on."""
    if not _LEANS.search(text):
        return text
    for earlier in reversed(sit.rounds[:-1]):
        named = [m[0] for m in re.finditer(r"\b[A-Za-z]{3,} \d+\b", earlier)]
        named += [m.text for m in mentions(earlier, sit.today) if m.kind in ("id", "name")
                  and not m.text.isupper() and not any(m.text in n for n in named)]  # fmt: skip
        named = [n for n in dict.fromkeys(named) if n.lower() not in text.lower()]
        if named:
            return f"{text} ({', '.join(named[:3])})"
    return text


def answers(sit: Situation, team: Staff) -> str:
    """What colleagues answered in this turn, in their words."""
    tools = {c.tool for c in team.others if c.how in ("consult", "delegate")}
    told = [m.text or "" for m in sit.turn if m.name in tools]
    return "\n\n".join(dict.fromkeys(t.strip() for t in (*sit.spoken, *told) if t.strip()))
