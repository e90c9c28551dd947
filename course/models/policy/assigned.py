"""Assigned: orders to people of whom a list says what each does, as the jobs of a plan.

The request is cut at its joints, each piece goes to the one whose description it has most in
common with, and a piece that nobody is described for stays with its neighbour, so that nothing is
lost. What a piece says about others ("once the bus is certain", "from both") is what it waits for.
"""

from __future__ import annotations

import re

from course.models.policy.asks import Ask
from course.models.policy.forerunners import Job
from course.models.policy.kin import nearest
from course.models.policy.prose import polished
from course.models.policy.staff import Hand, Hands, ranked
from course.models.policy.weighing import languages
from course.models.policy.wordlists import cue
from course.models.policy.words import STOP_WORDS, content, human, tokens

_JOINT = re.compile(r"\s*;\s*|\s+[-–—]\s+|,?\s+(?:and|but)\s+(?=\w)|,\s*(?=\w)|:\s+")
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")
_OPENS, _SINCE, _NEXT = cue("assigned.opens"), cue("assigned.since"), cue("assigned.next")
_ALL, _BOTH, _IT, _MANY = (cue(f"assigned.{name}") for name in ("all", "both", "it", "many"))
_APART, _OFF, _WRITES = cue("assigned.apart"), cue("assigned.off"), cue("assigned.writes")
_STATES, _NEEDS = cue("assigned.states", 0), cue("assigned.needs")
_THE = re.compile(r"\b(?:the|that|this|its|their) (?:\w+ )?(?P<noun>[a-z]{4,})\b")
_INTO = re.compile(r"\b(?:into|from) (?P<what>[A-Z]\w+)")
_HAVE = re.compile(r"^\W*(?:then |please )*(?:have|get|let)\b(?! me| us)", re.IGNORECASE)
_LONG_CLAUSE = 9  # words, from which on a clause is no mere opening
_ENOUGH, _CLOSE = 0.5, 0.25  # what a worker must score, and who scores as much


def assigned(request: str, among: Hands) -> list[Job]:
    """The jobs of a request that orders something of at least two of the workers, else none."""
    if len(among) < 2 or not all(h.about for h in among):
        return []
    made: list[Job] = []
    context: list[Ask] = []
    sentences = _SENTENCES.split(request.strip())
    orders = any(not s.endswith("?") and not _tells(s, among) for s in sentences)
    for sentence in sentences:
        only_told = _tells(sentence, among) or (orders and sentence.endswith("?"))
        begun, apart = len(made), False
        for text in [sentence] if only_told else _pieces(sentence):
            hand = None if only_told else _hand(text, among, made)
            if _APART.search(text) and not only_told and (not hand or len(content(text)) < 3):
                if len(made) > 1:  # the last two go side by side, as the request says
                    made[-1].after.discard(len(made) - 2)
                apart = begun == len(made)
            elif hand is None:
                (made[-1].asks if made else context).append(Ask(text))
            else:
                after = set() if apart or _APART.search(text) else _waits(text, made, begun)
                _add(Job([*context, Ask(text)], hand, after), made)
                context, apart = [], False
    for job in made:
        text = ", ".join(a.text.rstrip(".!? ") for a in job.asks)
        job.words = f"{polished(text)}." if text else human(job.hand.name)
        job.sees = set(job.after)
    return made if len(made) > 1 else []


def _tells(sentence: str, among: Hands) -> bool:
    """Whether a sentence only tells how things stand: it opens with who or what it is about, says
    how that is, and orders nothing."""
    opens = tokens(sentence)[:1]
    known = bool(opens) and any(nearest(opens[0].stem, h.stems) >= 0.8 for h in among)
    return bool(_STATES.match(sentence)) and not _NEEDS.search(sentence) and not known


def _pieces(request: str) -> list[str]:
    """The pieces of a request; a clause that says when stays with the one it belongs to."""
    out: list[str] = []
    for piece in (p.strip(" ,;") for p in _JOINT.split(request)):
        if not re.search(r"[^\W_]", piece):
            continue
        opened = out and _OPENS.match(out[-1]) and out[-1][-1] not in ".!?"
        if opened and len(out[-1].split()) < _LONG_CLAUSE:
            out[-1] = f"{out[-1]}, {piece}"
        else:
            out.append(piece)
    return out


def _add(job: Job, made: list[Job]) -> None:
    """Put a job to the others; what the same one does besides is one job, as far as it can be."""
    same = next((n for n, j in enumerate(made) if j.hand is job.hand), None)
    if same is not None and (job.after <= {same} or same == len(made) - 1):
        made[same].asks += job.asks
    else:
        made.append(job)


def _hand(text: str, among: Hands, made: list[Job]) -> Hand | None:
    """Who is described for a piece; where several are, who has nothing to do yet, or else whom its
    first words mean. Nobody where it says that nothing is to be done."""
    own = _SINCE.sub("", text)
    if _OFF.search(own):
        return None
    text = own if content(own) else text
    if any(m["what"].lower() in languages() for m in _INTO.finditer(text)):
        text = f"{text} translate"
    verb = [t.stem for t in tokens(text) if t.text.lower() not in STOP_WORDS]
    verb = verb[-1:] if _HAVE.match(text) else verb[:1]
    scored = [
        (worth + max((nearest(w, h.stems) for w in verb), default=0.0) + 1.5 * _named(h, text), h)
        for worth, h in ranked(text, among)
    ]
    best = max(worth for worth, _ in scored)
    close = [h for worth, h in scored if worth >= best - _CLOSE]
    idle = [h for h in close if all(j.hand is not h for j in made)]
    return (idle or close)[0] if best >= _ENOUGH else None


def _named(hand: Hand, text: str) -> bool:
    """Whether a text speaks of a worker by name: "the pharmacy prepares it"."""
    return bool(re.search(rf"(?<!\w){re.escape(human(hand.name))}(?!\w)", text, re.IGNORECASE))


def _waits(text: str, made: list[Job], begun: int) -> set[int]:
    """The earlier jobs that a piece waits for; those from `begun` on stand in its sentence."""
    last = len(made) - 1
    since = _SINCE.search(text)
    if not made:
        return set()
    if _BOTH.search(text):
        return set(range(max(0, last - 1), last + 1))
    if _ALL.search(text):  # those that no other one waits for
        return set(range(len(made))) - set().union(*(j.after for j in made))
    if since and (said := content(since["what"])):
        own = [j.hand.stems | {w for a in j.asks for w in content(a.text)} for j in made]
        return {max(range(len(made)), key=lambda n: (sum(nearest(w, own[n]) for w in said), n))}
    if since or _NEXT.search(text):
        return {last}
    if _IT.search(text):
        beside = last >= begun and _MANY.search(text) and _MANY.search(made[last].asks[-1].text)
        return set(made[last].after) or {last} if beside else {last}
    # what it names is the outcome of one: "the translation" after "translate"
    nouns = {w for m in _THE.finditer(text) for w in content(m["noun"])}
    hits = [n for n, j in enumerate(made) if any(nearest(w, j.hand.stems) >= 0.8 for w in nouns)]
    return {hits[-1]} if hits else {last} if last >= begun and _WRITES.search(text) else set()
