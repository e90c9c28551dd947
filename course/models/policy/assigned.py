"""Assigned: orders to people of whom a list says what each does, as tasks of a plan.

The request is cut at its joints, each piece goes to the one whose description it has most in
common with, and a piece that nobody is described for stays with its neighbour, so that nothing is
lost. What a piece says about others ("once the bus is certain", "from both") is what it waits for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from course.models.policy.kin import nearest
from course.models.policy.prose import polished
from course.models.policy.staff import Hand, ranked
from course.models.policy.weighing import languages
from course.models.policy.words import STOP_WORDS, content, human, tokens

_JOINT = re.compile(r"\s*;\s*|\s+[-–—]\s+|,?\s+(?:and|but)\s+(?=\w)|,\s*(?=\w)|:\s+")
_SINCE = re.compile(
    r"\b(?:once|when|whenever|as soon as|after|if|depending on|based on|according to|until)\b"
    r"(?P<what>[^.;!?]*)",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\b(?:then|after (?:that|this)|afterwards|next|finally|lastly|in the end|with (?:that|this|it|"
    r"these|those)|the rest)\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:everything|it all|all (?:of )?(?:this|that|these|those|it|results)|the (?:results|"
    r"findings|answers)|finally|sum up)\b",
    re.IGNORECASE,
)
_BOTH = re.compile(r"\b(?:both|the two)\b", re.IGNORECASE)
_IT = re.compile(r"\b(?:it|them|they|those|these|its|their|the ones?|exactly th\w+)\b", re.I)
_APART = re.compile(
    r"\b(?:side by side|in parallel|at the same time|simultaneously|independent(?:ly)?|nothing to "
    r"do with (?:each other|one another)|separately|meanwhile|in the meantime|besides that)\b",
    re.IGNORECASE,
)
_OFF = re.compile(
    r"\b(?:no|not|nothing|never|without|leave|already|skip|reuse|re-use|unnecessary)\b|n['’]t\b",
    re.IGNORECASE,
)
_BLANK = re.compile(r"[\W_]+")


@dataclass
class Piece:
    """A task in the making: its words, who does it, and which earlier ones it waits for."""

    words: list[str]
    hand: Hand
    after: set[int] = field(default_factory=set)


def described(names: tuple[str, ...], guides: tuple[str, ...]) -> tuple[Hand, ...]:
    """The workers of a list with what a text says of each, up to the next one's name or line."""
    spelled = {n: r"[ _-]?".join(map(re.escape, re.split(r"[ _-]", n))) for n in names}
    anyone = "|".join(sorted(spelled.values(), key=len, reverse=True))
    found = []
    for name in names:
        told = re.compile(
            rf"(?<!\w)(?:{spelled[name]})(?!\w)[\s*`\"'|]*(?:\(|:|[-–—=|]|is\b|who\b)\s*"
            rf"(?P<a>[^\n]*?)(?=\)[,.;]|\|?\s*(?:\n|$)|[;.,]\s*\W*(?:{anyone})(?!\w)\s*[-:(–—=|])",
            re.IGNORECASE,
        )
        line = next((m["a"] for g in guides for m in told.finditer(g) if m["a"].strip()), "")
        found.append(Hand(name, line.strip(" ().;|")))
    return tuple(found)


def assigned(request: str, among: tuple[Hand, ...]) -> list[Piece]:
    """The tasks of a request that orders something of at least two of the workers, else none."""
    if len(among) < 2 or not all(h.about for h in among):
        return []
    made: list[Piece] = []
    context: list[str] = []
    sentences = _SENTENCES.split(request.strip())
    orders = any(not s.endswith("?") and not _tells(s, among) for s in sentences)
    for sentence in sentences:
        if _tells(sentence, among) or (orders and sentence.endswith("?")):
            (made[-1].words if made else context).append(sentence)
            continue
        begun, apart = len(made), False
        for text in _pieces(sentence):
            hand = _hand(text, among, made)
            if _APART.search(text) and (hand is None or len(content(text)) < 3):
                _parted(made)
                apart = begun == len(made)
            elif hand is None:
                (made[-1].words if made else context).append(text)
            else:
                after = set() if apart or _APART.search(text) else _waits(text, made, begun, among)
                _add(Piece([*context, text], hand, after), made)
                context, apart = [], False
    return made if len(made) > 1 else []


_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")
_STATES = re.compile(
    r"^(?:(?i:the|a|an|this|that|my|our|her|his|their|we|i|he|she|they|it|there)|[A-Z][\w'’-]*)\b"
    r"(?: (?!to\b|out\b)[\w'’-]+){0,6}? (?:is|are|was|were|has|have|had|says?|said|wants?|would)\b"
)
_NEEDS = re.compile(
    r"\b(?:needs?|must|should|ha(?:s|ve) to|to be|please|let|gets?|can be|could be|required|"
    r"(?:get|have) [\w ]+ed)\b",
    re.IGNORECASE,
)


def _tells(sentence: str, among: tuple[Hand, ...]) -> bool:
    """Whether a sentence only tells how things are: it orders nothing and needs nothing done."""
    opens = tokens(sentence)[:1]
    known = bool(opens) and any(nearest(opens[0].stem, h.stems) >= 0.8 for h in among)
    return bool(_STATES.match(sentence)) and not _NEEDS.search(sentence) and not known


def _hand(text: str, among: tuple[Hand, ...], made: list[Piece]) -> Hand | None:
    """Who is to do a piece; nobody where it says that nothing is to be done."""
    own = _SINCE.sub("", text)
    if _OFF.search(own):
        return None
    return _whose(own if content(own) else text, among, made)


def _add(piece: Piece, made: list[Piece]) -> None:
    """Put a task to the others; what the same one does besides is one task, as far as it can be."""
    same = next((n for n, p in enumerate(made) if p.hand is piece.hand), None)
    if same is not None and (piece.after <= {same} or same == len(made) - 1):
        made[same].words += piece.words
    else:
        made.append(piece)


_OPENS = re.compile(
    r"(?:(?:once|when|as soon as|if|depending)\b|(?:after|with)\b(?! (?:that|this|both)$))",
    re.IGNORECASE,
)
_LONG_CLAUSE = 9  # words, from which on a clause is no mere opening


def _pieces(request: str) -> list[str]:
    """The pieces of a request; a clause that says when stays with the one it belongs to."""
    out: list[str] = []
    for piece in (p.strip(" ,;") for p in _JOINT.split(request)):
        if not _BLANK.sub("", piece):
            continue
        opened = out and _OPENS.match(out[-1]) and out[-1][-1] not in ".!?"
        if opened and len(out[-1].split()) < _LONG_CLAUSE:
            out[-1] = f"{out[-1]}, {piece}"
        else:
            out.append(piece)
    return out


_ENOUGH = 0.5
_INTO = re.compile(r"\b(?:into|from) (?P<what>[A-Z]\w+)")


def _whose(text: str, among: tuple[Hand, ...], made: list[Piece] | None = None) -> Hand | None:
    """Who is described for a text; where several are, who has nothing to do yet, or else whom the
    first words mean."""
    if any(m["what"].lower() in languages() for m in _INTO.finditer(text)):
        text = f"{text} translate"
    verb = [t.stem for t in tokens(text) if t.text.lower() not in STOP_WORDS]
    verb = verb[-1:] if _HAVE.match(text) else verb[:1]
    scored = [
        (worth + max((nearest(w, h.stems) for w in verb), default=0.0) + 1.5 * _by_name(h, text), h)
        for worth, h in ranked(text, among)
    ]
    best = max(worth for worth, _ in scored)
    if best < _ENOUGH:
        return None
    close = [h for worth, h in scored if worth >= best - 0.25]
    idle = [h for h in close if all(p.hand is not h for p in made or ())]
    return (idle or close)[0]


_HAVE = re.compile(r"^\W*(?:then |please )*(?:have|get|let)\b(?! me| us)", re.IGNORECASE)


def _by_name(hand: Hand, text: str) -> bool:
    """Whether a text speaks of a worker by name: "the pharmacy prepares it"."""
    return bool(re.search(rf"(?<!\w){re.escape(human(hand.name))}(?!\w)", text, re.IGNORECASE))


def _waits(text: str, made: list[Piece], begun: int, among: tuple[Hand, ...]) -> set[int]:
    """The earlier tasks that a piece waits for; those from `begun` on stand in its sentence."""
    last = len(made) - 1
    if not made:
        return set()
    if _BOTH.search(text):
        return set(range(max(0, last - 1), last + 1))
    if _ALL.search(text):
        return _ends(made)
    since = _SINCE.search(text)
    if since and content(since["what"]):
        said = content(since["what"])
        shared = [
            sum(nearest(w, p.hand.stems | frozenset(content(" ".join(p.words)))) for w in said)
            for p in made
        ]
        best = max(range(len(made)), key=lambda n: (shared[n], n))
        return {best}
    if since or _NEXT.search(text):
        return {last}
    if _IT.search(text):
        beside = last >= begun and _MANY.search(text) and _MANY.search(made[last].words[-1])
        return set(made[last].after) or {last} if beside else {last}
    return _repeated(text, made) or ({last} if last >= begun and _WRITES.search(text) else set())


_MANY = re.compile(r"\b(?:them|those|these|they|their)\b", re.IGNORECASE)
_WRITES = re.compile(r"\b(?:write|draft|summari[sz]e|report|compile|combine|present)\b", re.I)
_THE = re.compile(r"\b(?:the|that|this|its|their) (?:\w+ )?(?P<noun>[a-z]{4,})\b")


def _repeated(text: str, made: list[Piece]) -> set[int]:
    """The task whose outcome a piece names: "the translation" after "translate"."""
    nouns = {w for m in _THE.finditer(text) for w in content(m["noun"])}
    hits = [n for n, p in enumerate(made) if any(nearest(w, p.hand.stems) >= 0.8 for w in nouns)]
    return set(hits[-1:])


def _ends(made: list[Piece]) -> set[int]:
    """The tasks that no other one waits for."""
    waited = set().union(*(p.after for p in made))
    return {n for n in range(len(made)) if n not in waited}


def _parted(made: list[Piece]) -> None:
    """Let the last two tasks go side by side, as the request says."""
    if len(made) > 1:
        made[-1].after.discard(len(made) - 2)


def wording(piece: Piece) -> str:
    """A task in words that hold alone."""
    text = ", ".join(w.rstrip(".!? ") for w in piece.words)
    return f"{polished(text)}." if text else human(piece.hand.name)
