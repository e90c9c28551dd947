"""Assigned: orders to people of whom a list says what each does, as the jobs of a plan.

The request is cut into clauses. Some order something, some only tell how things stand or what is
not to be done, some say when another one's turn is ("once the bus is certain", "before it opens").
An order goes to the one whose description it has most in common with; a piece that nobody is
described for stays with its neighbour, so that nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from course.models.policy.asks import Ask, leaning
from course.models.policy.clauses import polished
from course.models.policy.lexicon import commands, nearest
from course.models.policy.patterns import regex
from course.models.policy.staff import Hand, Hands, Job, ranked
from course.models.policy.words import STOP_WORDS, content, cue, human, stem, tokens, word_list

_JOINT, _SENTENCES = cue("assigned.joint"), cue("assigned.sentence", 0)
_SINCE, _NEXT, _BEFORE = cue("assigned.since"), cue("assigned.next"), cue("assigned.before")
_ALL, _BOTH, _IT, _MANY = (cue(f"assigned.{name}") for name in ("all", "both", "it", "many"))
_APART, _OFF, _WRITES = cue("assigned.apart"), cue("assigned.off"), cue("assigned.writes")
_STATES, _NEEDS, _FIRST = cue("assigned.states", 0), cue("assigned.needs"), cue("assigned.first")
_ASKED, _LOOKED_UP = cue("assigned.asked"), cue("assigned.looked_up")
_FINDING, _ANYBODY = cue("assigned.finding"), cue("assigned.anybody")
_BESIDE = regex(r"\b(?:side by side|parallel|same time|simultaneously)\b", re.IGNORECASE)
_PAST, _THAT = cue("assigned.past"), cue("assigned.that")
_THE = regex(r"\b(?:the|that|this|its|their) (?:\w+ )?(?P<noun>[a-z]{4,})\b")
_INTO = regex(r"\b(?:into|from) (?P<what>[A-Z]\w+)")
_SPEAKS = regex(r"^\W*(?:we|i|they|he|she|it|there)\b", re.IGNORECASE)
_SUBJECT = regex(r"^\W*(?:it|they)\b", re.IGNORECASE)
_MADE = regex(r"\b(\w{3,}ed)\b|\binto (\w+)")
_RECKONS, _SUMS = cue("assigned.reckons"), cue("assigned.sums")
_ENOUGH, _CLOSE = 0.5, 0.25  # what a worker must score, and who scores as much
_MANY_CLOSE = 3  # so many about equally good: what they share is what all is about
_BY_SUMS = 0.4  # what is counted somewhere is rather looked up than worked out
_TELLING = 2  # words that a job must have to be understood without what was said before
_SAME = 0.8  # from which likeness on two words mean the same thing


@dataclass
class _Piece:
    """A clause: its text, the place of its sentence, what it is there for ("order", "told",
    "since", "before"), who is described for it, whether a joint parts it from the one before, and
    whether it opens its sentence or comes after a joint that is more than a comma."""

    text: str
    sentence: int
    use: str
    hand: Hand | None = None
    joined: bool = True
    opens: bool = True


@dataclass
class _Plan:
    """The jobs in the making, with what was said and has gone to none of them yet: `told` besides,
    and `ahead` of an order when its turn is."""

    made: list[Job] = field(default_factory=list)
    waits: list[tuple[Job, str, int]] = field(default_factory=list)  # when, and the jobs by then
    told: list[Ask] = field(default_factory=list)
    ahead: list[str] = field(default_factory=list)
    begun: tuple[int, int] = (0, 0)  # the jobs before the last sentence, and before this one
    touched: list[Job] = field(default_factory=list)  # by this sentence
    apart: bool = False  # the next order waits for none
    first: bool = False  # the next order waits for the last one

    def hear(self, piece: _Piece, before: _Piece | None, ordered: bool) -> None:
        """Take a clause down; `ordered` tells that an order follows it in its sentence."""
        if before is None or before.sentence != piece.sentence:
            self.begun, self.touched, self.apart = (self.begun[1], len(self.made)), [], False
            before = None
        if piece.use == "since" and ordered and (before is None or piece.joined):
            self.ahead.append(piece.text)
        elif piece.hand:
            self._order(piece, piece.hand, before)
        elif piece.use == "since" and self.made and before:
            self.made[-1].asks.append(Ask(piece.text))
            self.waits.append((self.made[-1], piece.text, len(self.made) - 1))
        else:
            self._tell(piece.text)
        self.first = bool(piece.hand and _FIRST.search(piece.text))

    def _tell(self, text: str) -> None:
        """What is for nobody goes with the last job; it may say how the others go."""
        if _APART.search(text):
            self.apart = len(self.made) == self.begun[1]
            if len(self.made) > 1:  # the last two go side by side
                self.made[-1].after.discard(self.made[-2])
                self.made[-1].after |= self.made[-2].after if _BESIDE.search(text) else set()
        (self.made[-1].asks if self.made and not self.ahead else self.told).append(Ask(text))

    def _order(self, piece: _Piece, hand: Hand, before: _Piece | None) -> None:
        """Order something, with all that was said towards it."""
        last, text = len(self.made), piece.text
        asks = [*self.told, *(Ask(a) for a in self.ahead), Ask(text)]
        job = self._job(asks, hand, self._before(piece, before))
        self.waits += [(job, a, last) for a in self.ahead]
        if _THAT.match(text):  # "before that the hall must be empty"
            for other in (j for j in self.made[self.begun[0] : last] if not j.after):
                self.wait(other, [job])
        if job in self.touched and _APART.search(text):
            job.after.clear()
        self.touched.append(job)
        if _NEXT.match(text):  # "samples out of the cellar, into bottles, then a van"
            for one, other in pairwise(self.touched):
                if not (other.after or _ordered(other.asks[-1].text)):
                    self.wait(other, [one])
        self.told, self.ahead, self.apart = [], [], False

    def _job(self, asks: list[Ask], hand: Hand, after: list[Job]) -> Job:
        """The job of somebody who has one already, unless it waits for one that waits for that."""
        own = (j for j in self.made if j.hand is hand)
        job = next((j for j in own if not any(reaches(a, j) for a in after)), None)
        if job is None:
            job = Job([], hand)
            self.made.append(job)
        job.asks += asks
        self.wait(job, after)
        return job

    def _before(self, piece: _Piece, before: _Piece | None) -> list[Job]:
        """The earlier jobs that an order waits for."""
        if not self.made or _THAT.match(piece.text):
            return []
        if piece.use == "before" or self.first:
            return self.made[-1:]
        if self.apart or _APART.search(piece.text):
            return []
        if before and before.use == "told" and not _NEXT.search(piece.text):
            # "they" are those that were just told of, and those before them if these are "they" too
            return self.made[-1:] if _SUBJECT.match(before.text) else []
        return self._meant(piece)

    def _meant(self, piece: _Piece) -> list[Job]:
        """The earlier jobs whose outcome the words of an order speak of."""
        text = piece.text
        last = next((j for j in reversed(self.made) if j.hand is not piece.hand), self.made[-1])
        beside = len(self.made) > self.begun[1]
        if _BOTH.search(text):
            return self.made[-2:]
        if _ALL.search(text):  # those that no other one waits for
            held = set().union(*(j.after for j in self.made))
            return [j for j in self.made if j not in held]
        if piece.use == "since":
            return [self.about(text, piece.hand) or last]
        if _NEXT.search(text):
            return [last]
        if _IT.search(text) and not (_SUBJECT.match(text) and _NEEDS.search(text)):
            same = beside and _MANY.search(text) and _MANY.search(last.asks[-1].text)
            return [*last.after] or [last] if same else [last]
        # what it names is the outcome of one: "the translation" after "translate"
        nouns = {w for m in _THE.finditer(text) for w in content(m["noun"])}
        hits = [j for j in self.made if any(nearest(w, j.hand.stems) >= _SAME for w in nouns)
                or nouns & _asked_for(j)]  # fmt: skip
        builds = beside and (_WRITES.search(text) or _RECKONS.match(text))
        return hits[-1:] if hits else [last] if builds else []

    def wait(self, job: Job, others: Iterable[Job]) -> None:
        """Let a job wait for others, never in a circle."""
        for other in others:
            if other is not job and not reaches(other, job):
                job.after.add(other)

    def about(self, text: str, hand: Hand | None) -> Job | None:
        """The job of somebody else that a text speaks of, by who does it and what was asked."""
        said = [w for w in content(text) if w not in _PLAIN]
        others = [j for j in self.made if j.hand is not hand]
        worth = [
            (sum(nearest(w, j.hand.stems | {*_words(j)}) for w in said), n)
            for n, j in enumerate(others)
        ]
        best, place = max(worth, default=(0.0, 0))
        return others[place] if best >= _SAME else None

    def finished(self) -> list[Job]:
        """The jobs in words; none if there is but one."""
        for job, when, made in self.waits:
            own = self.about(when, job.hand)
            most = 2 if _BOTH.search(when) else 1
            self.wait(job, [own] if own else self.made[max(0, made - most) : made])
        for job in self.made:
            self.wait(job, [] if job.after else _makers(job.hand, self.made))
        if len(self.made) < 2:
            return []
        self.made[-1].asks += self.told
        for job in self.made:
            job.sees = set(job.after)
            text = ", ".join(a.text.rstrip(".!? ") for a in job.asks)
            if len(content(text)) < _TELLING and job is not self.made[0]:  # "get the distance"
                text = ", ".join([text, *(a.text.rstrip(".!? ") for a in self.made[0].asks[:-1])])
            job.words = f"{polished(text)}." if text else human(job.hand.name)
        return self.made


_PLAIN = frozenset(stem(w) for w in word_list("assigned.plain"))


def reaches(job: Job, other: Job) -> bool:
    """Whether a job waits for another one, at whatever distance."""
    return any(a is other or reaches(a, other) for a in job.after)


def _words(job: Job) -> Iterator[str]:
    return (w for a in job.asks for w in content(a.text))


def _asked_for(job: Job) -> frozenset[str]:
    """The stems of what a job finds out, by its questions."""
    told = (m["what"].lower() for a in job.asks for m in _ASKED.finditer(a.text))
    return frozenset(s for t in told for s in content("place" if t == "where" else t))


def _makers(hand: Hand, made: list[Job]) -> list[Job]:
    """The last job whose worker makes what another one's description starts from: "visits families
    that were picked" after "picks families", "fits scans" after a scanner."""
    used = {stem(next(filter(None, m))) for m in _MADE.findall(hand.about)}
    told = {*content(hand.about)[1:]}
    found = [j for j in made if j.hand is not hand
             and ({*content(j.hand.about)[:1]} & used
                  or any(nearest(d, frozenset(told)) >= _SAME for d in j.hand.does))]  # fmt: skip
    return found[-1:]


def assigned(request: str, among: Hands) -> tuple[list[Job], tuple[str, ...]]:
    """The jobs of a request that orders something of at least two of the workers, else none; and
    what it asks that nobody is there for."""
    if len(among) < 2 or not any(h.about for h in among):
        return [], ()
    looks = any(h.tools for h in among)
    request = _apart(request, questions=looks)
    sentences = [s.strip() for s in _SENTENCES.split(request.strip()) if s and s.strip()]
    left = [s for s in sentences if _ANYBODY.search(s) and ranked(s, among)[0][0] <= 0]
    pieces = _staffed(_pieces([s for s in sentences if s not in left], among), among)
    plan = _Plan()
    for n, piece in enumerate(pieces):
        plan.hear(piece, pieces[n - 1] if n else None, bool(_following(pieces, n)))
    return plan.finished(), tuple(s.rstrip(".?! ") for s in left)


_LIST = regex(r"(?:^|,? (?:and )?)\(?[a-d1-4]\) ", re.IGNORECASE)
_BARE = regex(r"the \w+(?: of [\w ]+)?", re.IGNORECASE)
_WHAT = regex(r"(?:how|what|which) ", re.IGNORECASE)
_THOUSANDS = regex(r"(?<=\d),(?=\d{3}\b)")
_HUNDRED = regex(r"\bhundred and (?=\w+)", re.IGNORECASE)
_ASKS_TOO = regex(
    r",? (?:(?:and|n|then|but) )+(?=(?:how|what|which|who|when|where|why|is|are|has|have|can|could"
    r"|does|do|did)\b \w+)|, (?=(?:how|what|which|who|is|are|has|have)\b \w+)",
    re.IGNORECASE,
)


def _apart(request: str, *, questions: bool) -> str:
    """A request with the entries of a list and joined questions as sentences of their own, and
    with numbers in one piece."""
    text = _HUNDRED.sub("hundred ", _THOUSANDS.sub("", request))
    if len(_LIST.findall(text)) > 1:
        text = _LIST.sub(". ", text)
    if not questions:
        return text
    said = re.split(r"(?<=[.!?])(?=\s)", text)  # what is reckoned together stays in one piece
    return "".join(s if _RECKONS.match(s) else _ASKS_TOO.sub(_question, s) for s in said)


def _question(joint: re.Match[str]) -> str:
    return "? " if joint.start() else joint[0]


def _following(pieces: list[_Piece], place: int) -> list[_Piece]:
    """The orders that follow a clause in its sentence."""
    return [p for p in pieces[place + 1 :] if p.hand and p.sentence == pieces[place].sentence]


# --- clauses ------------------------------------------------------------------------------------


def _pieces(sentences: list[str], among: Hands) -> list[_Piece]:
    """The clauses of sentences, each with what it is there for."""
    out: list[_Piece] = []
    orders = any(not s.endswith("?") and not _tells(s, among) for s in sentences)
    looks = any(h.tools for h in among)  # who looks things up is asked questions
    for place, sentence in enumerate(sentences):
        asked = orders and sentence.endswith("?") and not (looks or _ANYBODY.search(sentence))
        cuts = [0, *(c for m in _JOINT.finditer(sentence) for c in m.span()), len(sentence)]
        for begin, end in zip(cuts[::2], cuts[1::2], strict=True):
            text = sentence[begin:end].strip(" ,;")
            joint = sentence[cuts[cuts.index(begin) - 1] : begin] if begin else ","
            if not re.search(r"[^\W_]", text):
                continue
            use = "since" if _SINCE.match(text) else "before" if _BEFORE.match(text) else "order"
            heading = sentence[end : end + 1] == ":" and not (commands(text) or _NEEDS.search(text))
            if use == "order" and (asked or heading or _tells(text, among)):
                use = "told"
            if looks and begin and out and _BARE.fullmatch(text) and commands(out[-1].text):
                text = f"{out[-1].text.split()[0]} {text}"  # "get the volume and the distance"
            if begin and out and _RECKONS.match(out[-1].text) and _WHAT.match(text):
                text = f"{out[-1].text.split()[0]} {text}"  # "reckon what it weighs and how much"
            opens = not begin or bool(joint.strip(" ,"))
            out.append(_Piece(text, place, use, None, bool(joint.strip()), opens))
    return out


def _tells(text: str, among: Hands) -> bool:
    """Whether a clause only tells how things stand: it opens with who or what it is about, says
    how that is, and orders nothing."""
    opens = tokens(_SPEAKS.sub("", text))[:1]  # "we film on Monday" is known by its verb
    known = bool(opens) and any(nearest(opens[0].stem, h.stems) >= _SAME for h in among)
    orders = _ordered(text) or _NEEDS.search(text)
    return not orders and bool(_PAST.search(text) or (_STATES.match(text) and not known))


# --- who does it --------------------------------------------------------------------------------


def _staffed(pieces: list[_Piece], among: Hands) -> list[_Piece]:
    """The clauses with whom each is for; where several are described for one, who is for no other
    one, or else whom its first words mean."""
    close = [_hands(p.text, among) if p.use in ("order", "before") else [] for p in pieces]
    for n, (piece, before) in enumerate(zip(pieces[1:], pieces, strict=False), 1):
        if not close[n] and before.use == "told" and leaning(piece.text) and _alone(piece):
            close[n] = _hands(before.text, among)  # "the engine rattles: have that looked at"
    opening = [n for n, p in enumerate(pieces) if not p.sentence]
    if not any(_ordered(pieces[n].text) for n in opening):
        # "they want it built. Draw it, build it."
        later = {h.name for own in close[len(opening) :] for h in own}
        for n in (n for n in opening if close[n]):
            close[n] = [h for h in close[n] if h.name not in later]
            pieces[n].use = pieces[n].use if close[n] else "told"
    _sure(pieces, close)
    for n, piece in enumerate(pieces):
        if piece.use == "since" and piece.opens and not _following(pieces, n):
            close[n] = _last_named(piece.text, among)
    _sure(pieces, close)
    taken = {p.hand.name for p in pieces if p.hand}
    for piece in [p for p in pieces if p.use == "since" and not p.hand]:
        worth, hand = ranked(piece.text, among)[0]
        if worth >= _ENOUGH and hand.name not in taken:
            _called(piece, hand, pieces)
    return pieces


def _ordered(text: str) -> bool:
    """Whether a clause opens with a verb, as an order does."""
    return commands(text) and not _SPEAKS.match(text)


def _sure(pieces: list[_Piece], close: list[list[Hand]]) -> None:
    """Give each clause one of those who are described for it about equally well."""
    taken = {h[0].name for h in close if len(h) == 1}
    for piece, own in zip(pieces, close, strict=True):
        idle = [h for h in own if h.name not in taken]
        piece.hand = next(iter(idle or own), None)
        taken |= {piece.hand.name} if piece.hand else set()


def _called(piece: _Piece, hand: Hand, pieces: list[_Piece]) -> None:
    """Let somebody do what a clause takes for done: the order before it that nobody is described
    for, or else to find out what it speaks of."""
    place = next(n for n, p in enumerate(pieces) if p is piece)
    open_ = [p for p in pieces[:place] if p.use == "order" and not p.hand and _alone(p)]
    if open_:
        open_[-1].hand = hand
    elif _FINDING.search(piece.text):
        start = next(n for n, p in enumerate(pieces) if p.sentence == piece.sentence)
        pieces.insert(start, _Piece(piece.text, piece.sentence, "order", hand))


def _alone(piece: _Piece) -> bool:
    """Whether a clause that nobody is described for orders something by itself."""
    return commands(piece.text) and not _OFF.search(piece.text)


def _hands(text: str, among: Hands) -> list[Hand]:
    """Who is described for a text about equally well; nobody where nothing is to be done."""
    if _OFF.search(text):
        return []
    if any(m["what"].lower() in word_list("documents.language") for m in _INTO.finditer(text)):
        text = f"{text} translate"
    if _RECKONS.match(text) and len(own := [h for h in among if _SUMS.search(h.about)]) == 1:
        return own
    text = _FIRST.sub("", text)
    verb = [t.stem for t in tokens(text) if t.text.lower() not in STOP_WORDS][:1]
    scored = []
    looked_up = _LOOKED_UP.search(text) and not _RECKONS.match(text)
    for worth, hand in ranked(text, among):
        if looked_up and hand.about and _SUMS.search(hand.about):
            worth *= _BY_SUMS
        near = max((nearest(w, hand.stems) for w in verb), default=0.0)
        scored.append((worth + (near if worth or near >= _SAME else 0.0), hand))
    best = max(worth for worth, _ in scored)
    close = [h for worth, h in scored if best >= _ENOUGH and worth >= best - _CLOSE]
    own = [h for h in close if content(h.about)[:1] == tuple(verb) or h.does & {*verb}]
    return own or (close if len(close) < _MANY_CLOSE else [])


def _last_named(text: str, among: Hands) -> list[Hand]:
    """Whose turn it is in a clause that says when as well: "once it is dry the printer has it"."""
    words = text.split()
    tails = (ranked(" ".join(words[n:]), among)[0] for n in range(len(words) - 1, 0, -1))
    return [hand for worth, hand in tails if worth >= _ENOUGH][:1]
