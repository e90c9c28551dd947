"""People: work with colleagues, in whatever idiom they are reached: who is asked for which part of
what was said, each once a turn, with the whole matter in the task; and what came back from them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

from course.models.policy.clauses import constraints
from course.models.policy.colleagues import Colleague, Staff, staff_of
from course.models.policy.conversation import Made
from course.models.policy.front.mood import Part, parts_of
from course.models.policy.front.situation import Situation
from course.models.policy.lexicon import action_of, head_action
from course.models.policy.mentions import mentions
from course.models.policy.needs import Wanted
from course.models.policy.reader.matters import judged
from course.models.policy.reader.slots import offer_of
from course.models.policy.shares import in_trouble
from course.models.policy.staff import Hand
from course.models.policy.staff import ranked as ranked_hands
from course.models.policy.steps import is_control
from course.models.policy.team import handed
from course.models.policy.words import content, cue
from course.models.wire import ChatRequest

_LEANS = cue("people.leans")


def staff(request: ChatRequest, sit: Situation) -> Staff:
    """The tools of a request sorted: one's own, and the colleagues that they lead to."""
    return staff_of(request.tools, sit.instructions)


def only_orders(sit: Situation) -> bool:
    """Whether the last words are nothing but orders, which may build on each other."""
    parts = [p for p in parts_of(sit.latest, sit.verbs) if content(p.text)]
    first = bool(parts) and head_action(parts[0].text) is not None
    return first and all(p.mood == "ordered" and not p.condition for p in parts)


def failures(sit: Situation, team: Staff) -> list[Made]:
    """What was asked of colleagues in this turn and failed."""
    tools = {c.tool for c in team.others}
    asked = [m for m in sit.turn if m.name in tools and not m.put_off]
    return [m for m in asked if m.error is not None or _status(m)]


def _status(made: Made) -> bool:
    """Whether a result is a record that says that something failed."""
    data = made.data if isinstance(made.data, Mapping) else {}
    return str(data.get("status", "done")).lower() not in ("done", "ok", "completed", "success")


def denies(call: Wanted, sit: Situation) -> bool:
    """Whether a task is nothing but what was denied."""
    texts = [v for v in call.arguments.values() if isinstance(v, str) and " " in v]
    moods = {p.mood for t in texts for p in parts_of(t, sit.verbs) if content(p.text)}
    return "denied" in moods and not moods & {"asked", "ordered"}


def next_asks(request: ChatRequest, sit: Situation, team: Staff) -> tuple[Wanted, ...]:
    """The colleagues who are to be asked next: the first to hand over to, or all that are asked in
    passing; none who was asked since the person's last words."""
    if failures(sit, team):
        return ()
    claims = _claims(request, sit, team)
    left = [(c, text) for c, text in claims if not _asked(c, sit.turn)]
    if not left:
        return ()
    if left[0][0].how == "transfer":
        return (handed(*left[0]),)
    now = [(c, t) for n, (c, t) in enumerate(left) if not (n and _BUILDS.search(t))]
    if now[0][0].tool.startswith("consult_"):
        now = now[:1]  # one consultation in a message, as with handovers
    before = answers(sit, team) if len(left) < len(claims) else ""
    return tuple(
        _task(c, f"{t}\nContext: {before}" if before and _BUILDS.search(t) else t)
        for c, t in now
        if c.how in ("consult", "delegate")
    )


_BUILDS = re.compile(
    r"\b(?:it|them|these|those|that one|both|the (?:results?|figures?|findings|difference))\b"
    r"|^\W*(?:then|write|summari[sz]e)\b",
    re.IGNORECASE,
)
"""How a task shows that it needs what the one before it finds."""


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
    loose: list[str] = []
    for piece, who in _shares(request, sit, replace(team, others=tuple(others))):
        if who:
            found.setdefault(who.name, []).append(piece.text)
        elif piece.mood in ("told", "denied"):
            loose.append(piece.text)
    by_name = {c.name: c for c in others}
    whole = len(found) == 1
    told = " ".join(map(_ended, loose))
    claims = []
    for name, texts in found.items():
        text = sit.latest if whole else f"{' '.join(map(_ended, texts))} {told}".strip()
        beside = " ".join(t for n, ts in found.items() if n != name for t in ts)
        claims.append((by_name[name], in_full(text, sit, (beside, _answered(by_name[name], sit)))))
    return claims


def _answered(who: Colleague, sit: Situation) -> str:
    """What somebody answered last, before these words."""
    return next((m.text or "" for m in reversed(sit.before) if _asked(who, (m,))), "")


def _ended(text: str) -> str:
    return text if text.rstrip().endswith((".", "?", "!")) else f"{text.rstrip()}."


_ASKS_TOO = re.compile(
    r"(?:,? (?:and|but|oh|also)|,) (?:also )?(?=(?:what|when|where|who|whose|which|how|why|is|are"
    r"|was|were|do|does|did|has|have|can|could|would|will|may)\b[^,]* )",
    re.IGNORECASE,
)


def _pieces(sit: Situation) -> list[Part]:
    """The parts of what was said, joined questions cut apart; greetings and the like left out."""
    found: list[Part] = []
    for part in parts_of(sit.latest, sit.verbs):
        joints = _ASKS_TOO.split(part.text) if part.mood == "asked" else [part.text]
        if len(joints) > 1:
            found += [p for text in joints for p in parts_of(text, sit.verbs)]
        else:
            found.append(part)
    found = [p for p in found if content(p.text) or re.search(r"\d", p.text)]
    asked = any(_wants(p) for p in found)
    return [replace(p, mood="told") if asked and _bare(p) else p for p in found]


def _bare(part: Part) -> bool:
    """Whether a part only names things that what is asked beside it is about."""
    return part.mood == "ordered" and not _wants(part)


def _wants(part: Part) -> bool:
    """Whether a part asks for something by a question or by a verb."""
    ordered = head_action(part.text) is not None
    return part.mood == "asked" or (part.mood == "ordered" and ordered)


def _shares(
    request: ChatRequest, sit: Situation, team: Staff
) -> list[tuple[Part, Colleague | None]]:
    """The parts of what was said, each with whose it is: who is described for it; else who has
    what it leans on; of two colleagues the one who has nothing yet; who finds things out; or who
    had the matter last. None for what only tells."""
    others = team.others
    failed = {c.name for c in others if _failed(c, sit)}
    pieces = [p for piece in _pieces(sit) for p in _listed(piece, team, sit)]
    whose = [_surest(p.text, team, sit, failed) for p in pieces]
    asks = [p.mood in ("asked", "ordered") for p in pieces]
    claimed = {w.name for w, a in zip(whose, asks, strict=True) if w and a}
    last = next((c for m in reversed(sit.before) for c in others if _asked(c, (m,))), None)
    found: list[tuple[Part, Colleague | None]] = []
    before: Colleague | None = None
    for piece, who, wants in zip(pieces, whose, asks, strict=True):
        if wants:
            leans = bool(_LEANS.search(piece.text))
            who = who or (before if leans else None) or _left(piece, team, claimed | failed, sit)
            who = who or before or (last if last and last.name not in failed else None)
            claimed |= {who.name} if who else set()
        reports = piece.mood == "told" and in_trouble(piece.text)
        found.append((piece, who if wants or reports else None))
        before = who or before
    if not any(w for _, w in found):  # who only tells of a trouble wants somebody to see to it
        told = [(n, w) for n, (p, w) in enumerate(zip(pieces, whose, strict=True))
                if w and p.mood == "told"]  # fmt: skip
        found = [(p, dict(told).get(n)) for n, (p, _) in enumerate(found)]
    return found


_AND = re.compile(r",? and (?:also )?|, ")
_HEAD = re.compile(r"^.*?\b(?=(?:an?|the|some|my|our|\d+|one|two|three|four) )", re.IGNORECASE)


def _listed(part: Part, team: Staff, sit: Situation) -> list[Part]:
    """A part, or of one that lists things for different people ("a room and a buffet") each with
    what stands before the first."""
    if part.mood != "ordered":
        return [part]
    things, start = [], 0
    for joint in _AND.finditer(part.text):
        left, right = part.text[start : joint.start()], part.text[joint.end() :]
        whose = [_surest(t, team, sit, set()) for t in (left, _AND.split(right, maxsplit=1)[0])]
        if all(whose) and whose[0] != whose[1]:
            things.append(left)
            start = joint.end()
    head = _HEAD.match(part.text)
    rest = [f"{head[0] if head and things else ''}{t}" for t in (*things[1:], part.text[start:])]
    return [replace(part, text=t) for t in (*things[:1], *(rest if things else [part.text]))]


def _left(piece: Part, team: Staff, taken: set[str], sit: Situation) -> Colleague | None:
    """Whose something is that nobody is described for: the only one, if one has no tools; of
    two, who has nothing yet when the other has; or for a question the one who finds things
    out."""
    if len(team.others) == 1 and not team.own and len(content(sit.latest)) > 1:
        return next((c for c in team.others if c.name not in taken), None)
    free = [c for c in team.others if c.name not in taken and not c.general]
    if taken and len(free) == 1 and len(content(piece.text)) > 1:
        return free[0]
    finders = [c for c in free if _FINDS.search(c.about)]
    asks = piece.mood == "asked" and len(content(piece.text)) > 1
    return finders[0] if asks and len(finders) == 1 else None


_FINDS = re.compile(
    r"^\W*(?:\w+ )?(?:knows?|finds?|looks?|search\w*|says?|tells?|answers?|reads?|keeps? track)\b",
    re.IGNORECASE,
)


_SURE, _TIMES, _LIKELY = 0.15, 1.5, 0.35


def _surest(text: str, team: Staff, sit: Situation, failed: set[str]) -> Colleague | None:
    """Whom a piece is for beyond doubt, apart from those who could not serve it."""
    others = [c for c in team.asked.others if c.name not in failed]
    # where the reader finds somebody likely, a planner's words do not outweigh it
    for scored, likely in ((_ranked(text, team, sit), _LIKELY), (_as_staff(text, team), inf)):
        ranked = [(n, c) for n, c in scored if c in others]
        second = ranked[1][0] if len(ranked) > 1 else 0.0
        if ranked and (ranked[0][0] >= likely or ranked[0][0] >= max(_SURE, _TIMES * second)):
            return ranked[0][1]
    return None


def _as_staff(text: str, team: Staff) -> list[tuple[float, Colleague]]:
    """The colleagues by how well they suit a task, as a planner ranks them."""
    by_name = {c.name: c for c in team.asked.others}
    among = tuple(Hand(c.name, c.about) for c in by_name.values())
    return [(n, by_name[h.name]) for n, h in ranked_hands(text, among)] if among else []


def _ranked(text: str, team: Staff, sit: Situation) -> list[tuple[float, Colleague]]:
    asked = team.asked
    offer = offer_of(asked.offered)
    likely = {offer.tools[j.place].name: j.likely for j in judged(offer, text, sit.today)}
    scored = [(likely.get(c.stand_in.name, 0.0), c) for c in asked.others]
    return sorted(scored, key=lambda pair: -pair[0])


def _failed(who: Colleague, sit: Situation) -> bool:
    """Whether somebody was asked in this turn and said that it is nothing of theirs."""
    if who.how == "transfer":
        spoken = sit.spoken[-1] if sit.spoken else ""
        return _asked(who, sit.turn) and bool(_NOT_MINE.search(spoken))
    answers = [m.text or "" for m in sit.turn if _asked(who, (m,))]
    return any(_NOT_MINE.search(a) for a in answers)


_NOT_MINE = re.compile(
    r"^\W*(?:I['’]m sorry, I cannot help with that|I could not find that out|None of my tools)"
)


def in_full(text: str, sit: Situation, beside: tuple[str, ...] = ()) -> str:
    """Words that can be understood without what was said before, or `beside` them: with the names,
    ids and numbered things that they lean on."""
    if not _LEANS.search(re.split(r"(?<=[.!?])\s", text)[0]):
        return text  # what leans on the sentence before it can be understood
    named: list[str] = []
    for places, sources in ((True, beside), (False, tuple(reversed(sit.rounds[:-1])))):
        own = (_named(t, sit, names=not places or t is beside[0]) for t in sources)
        named += next(filter(None, own), [])[:2]
    named = [n for n in dict.fromkeys(named) if n.lower() not in text.lower()]
    return f"{text} ({', '.join(named[:3])})" if named else text


_NO_NOUN = frozenset("over under about most least only some than until till after before".split())


def _named(text: str, sit: Situation, *, names: bool) -> list[str]:
    """The numbered things and ids of a text, and its names."""
    found = [m[0] for m in re.finditer(r"\b([A-Za-z]{3,}) [A-Z]{0,4}-?\d+\b", text)
             if not (action_of(m[1]) or m[1].lower() in _NO_NOUN)]  # fmt: skip
    kinds = ("id", "name") if names else ("id",)
    return found + [m.text for m in mentions(text, sit.today) if m.kind in kinds
                    and not m.text.isupper() and not any(m.text in n for n in found)]  # fmt: skip


def answers(sit: Situation, team: Staff) -> str:
    """What colleagues answered in this turn, in their words; that it is nothing of theirs only
    where nobody said more."""
    tools = {c.tool for c in team.others if c.how in ("consult", "delegate")}
    told = [m.text or "" for m in sit.turn if m.name in tools]
    said = [t.strip() for t in dict.fromkeys((*sit.spoken, *told)) if not _GONE.match(t.strip())]
    served = [t for t in said if not _NOT_MINE.search(t)]
    return "\n\n".join(served or said[:1])


_GONE = re.compile(r"^\W*(?:(?:Successfully )?transferr(?:ed|ing)\b.*)?$", re.IGNORECASE)
