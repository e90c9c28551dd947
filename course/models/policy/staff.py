"""Staff: the workers that a prompt lists, how well each suits a task, and what each is to do."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import zip_longest

from course.models.policy.asks import Ask
from course.models.policy.lexicon import meant, nearest
from course.models.policy.naming import without_names
from course.models.policy.params import PERSONS
from course.models.policy.patterns import regex
from course.models.policy.words import content, cue, human, name_stems, name_words, stem, word_list


@dataclass(frozen=True)
class Hand:
    """A worker as a prompt describes it: its name, what it is for, and its tools by name."""

    name: str
    about: str
    tools: tuple[str, ...] = ()

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its description and name."""
        return frozenset((*content(self.about), *name_stems(self.name), *self.does))

    @cached_property
    def does(self) -> frozenset[str]:
        """The stems of what a name such as "scanner" says that it does."""
        named = [m[1] for w in name_words(self.name) if (m := _DOER.fullmatch(w))]
        return frozenset(
            stem(b) for d in named for b in (d, f"{d}e", d[: len(d) - (d[-1] == d[-2])])
        )

    @cached_property
    def kit(self) -> tuple[frozenset[str], ...]:
        """The stems of each tool's name, without those of plain verbs."""
        return tuple(frozenset(name_stems(t)) - _VERBS for t in self.tools)

    @cached_property
    def duties(self) -> tuple[frozenset[str], ...]:
        """The stems of each of its duties."""
        return tuple(frozenset(content(d)) for d in re.split(r"[,;]", self.about))


Hands = tuple[Hand, ...]


@dataclass(eq=False)
class Job:
    """A task in the making: what is asked, of whom, which earlier jobs it waits for, and which of
    them it must see the results of, even if another one waits for them too."""

    asks: list[Ask]
    hand: Hand
    after: set[Job] = field(default_factory=set)
    words: str = ""
    sees: set[Job] = field(default_factory=set)


def of(words: str, hand: Hand, after: Iterable[Job] = ()) -> Job:
    """A job in words of its own."""
    return Job([Ask(words)], hand, set(after), words)


_DOER = regex(r"(\w{3,})[eo]r")
_VERBS = frozenset(stem(w) for w in word_list("staff.verbs"))

# --- who there is -------------------------------------------------------------------------------

_TOOLS = cue("staff.tools")
_LISTS = tuple(cue(f"staff.by_{form}", re.MULTILINE) for form in ("line", "column", "bracket",
                                                                  "dash", "kind"))  # fmt: skip


def workers_in(text: str) -> tuple[str, ...]:
    """The names that a list in a prompt describes: "- researcher: searches the web", a line with
    columns, "researcher (searches the web; tools find, read); ..." or "researcher - searches"."""
    for form in _LISTS:
        found = tuple(dict.fromkeys(m.group(1) for m in form.finditer(text)))
        if len(found) > 1 or (found and form is _LISTS[0]):
            return found
    return ()


@lru_cache(maxsize=256)
def hands(names: tuple[str, ...], guides: tuple[str, ...]) -> Hands:
    """The workers of a list with what texts say of each, up to the next one's name or line."""
    spelled = {n: r"[ _-]?".join(map(re.escape, re.split(r"[ _-]", n))) for n in names if n}
    anyone = "|".join(sorted(spelled.values(), key=len, reverse=True)) or r"(?!)"
    entry = re.compile(rf"(?<!\w)(?P<name>{anyone})(?!\w)[ *`\"'|]*{_BETWEEN}\s*", re.IGNORECASE)
    told: dict[str, str] = {}
    for line in (line for guide in guides for line in guide.splitlines()):
        begun = [(m, _OPENED.search(line[: m.start()])) for m in entry.finditer(line)]
        found = [m for n, (m, opened) in enumerate(begun) if opened or (m["sep"] and not n)]
        for match, after in zip_longest(found, found[1:]):
            text = line[match.end() : after.start() if after else None]
            if match["sep"] == "(" and (inside := _INSIDE.match(text)):
                text = inside[0]
            elif len(found) > 1:  # all stand in one line, and the last one's end with its sentence
                text = re.split(r"\.\s+(?=[A-Z])", text)[0]
            text = _QUOTED.sub(r"\1", text)
            if text.strip():
                told.setdefault(_bare(match["name"]), text.strip(" ().,;|/•*"))
    return tuple(_hand(n, told.get(_bare(n), "")) for n in names)


_BETWEEN = r"(?P<sep>\(|:|[-–—=|]|is\b|who\b|(?=[a-z]+s\b))"
_OPENED = regex(r"(?:^|[.:;,/>•|*])\W*$")  # where "Ann sews costumes" may begin
_QUOTED = regex(r'^"([^"]*)".*')  # the value of a JSON field
_INSIDE = regex(r"(?:[^()]|\([^()]*\))*")


def _bare(name: str) -> str:
    return re.sub(r"[ _-]", "", name).lower()


def _hand(name: str, line: str) -> Hand:
    """A worker by what a list says: what it is for, and then its tools."""
    listed = _TOOLS.search(line)
    tools = re.findall(r"\w+", listed["names"] or listed["last"]) if listed else []
    about = line[: listed.start()] if listed else line
    return Hand(name, about.strip(" (;|."), tuple(tools))


# --- whom a task suits --------------------------------------------------------------------------

# where and why are told in texts rather than counted, and a ban is so all the more
_TOLD = (
    (regex(r"\b(?:must|may|shall) not\b", re.IGNORECASE), 3.0),
    (regex(r"^\W*(?:and )?(?:where|why)\b", re.IGNORECASE), 1.5),
)


_FILE = regex(r"\b[\w-]+\.(?:pdf|docx?|txt|csv|png|jpe?g|md|xlsx?|json|html?|zip)\b", re.IGNORECASE)


def ranked(text: str, among: Hands) -> list[tuple[float, Hand]]:
    """The workers by how well they suit a task, best first."""
    scores = _scores(text, among)
    order = sorted(range(len(among)), key=lambda n: (-scores[n], n))
    return [(scores[n], among[n]) for n in order]


@lru_cache(maxsize=4_000)
def _scores(text: str, among: Hands) -> tuple[float, ...]:
    """By the words that a task shares with a description and tools, rare words first."""
    said = _FILE.sub(r"\g<0> file", text)
    words = [w for w in meant(without_names(said)) if not w[:1].isdigit()]
    totals = [_by_tool(words, h) + _by_duty(words, h) for h in among]
    for word in words:
        gains = [max(nearest(word, own) for own in (h.stems, *h.kit)) for h in among]
        known = sum(g > 0 for g in gains)
        worth = math.log(1 + (len(among) + 1.0) / known) if known else 0.0
        totals = [t + worth * g for t, g in zip(totals, gains, strict=True)]
    told = next((worth for sign, worth in _TOLD if sign.search(text)), 0.0)
    reader = searcher(among)
    return tuple(t + told * (h is reader) for t, h in zip(totals, among, strict=True))


def _by_duty(words: list[str], hand: Hand) -> float:
    """What the best of its duties adds: words of the task that stand together in one of them."""
    most = max((sum(nearest(w, d) >= 0.8 for w in words) for d in hand.duties if d), default=0)
    return 0.5 * max(0, most - 1)


def _by_tool(words: list[str], hand: Hand) -> float:
    """What the best of its tools adds: how much of its name the task holds."""
    held = frozenset(words)
    shares = (sum(nearest(s, held) for s in t) / len(t) * min(1.2, 0.6 * len(t))
              for t in hand.kit if t)  # fmt: skip
    return max(shares, default=0.0)


# --- whose work it is in general ----------------------------------------------------------------

_SEARCHES = cue("staff.searches")
_CALCULATES = regex(r"\b(?:calculat|comput|measur|estimat)\w+", re.IGNORECASE)
_FINDING = frozenset("find identify locate lookup resolve".split())
_KEEPING = frozenset("find get look lookup fetch".split())
_LOOKS_UP = r"\b(?:looks? up|finds?|keeps?)(?: the| all| our)? {noun}(?:s|es)?\b(?! of\b)"


def finder(among: Hands) -> tuple[Hand, str] | None:
    """The worker who finds somebody by name, with what it finds ("patient"), if there is one."""
    pairs = ((h, w) for h in among for w in map(name_words, h.tools) if len(w) == 2)
    found = ((h, w[1]) for h, w in pairs if w[0] in _FINDING and stem(w[1]) in PERSONS)
    return next(found, None)


def keeper(among: Hands) -> tuple[Hand, str] | None:
    """Who keeps the records of something, with what they are of: its description says that it
    looks them up, and one of its tools gets one."""
    pairs = ((h, w) for h in among for w in map(name_words, h.tools) if len(w) == 2)
    kept = ((h, w[1]) for h, w in pairs if w[0] in _KEEPING
            and re.search(_LOOKS_UP.format(noun=w[1]), h.about, re.IGNORECASE))  # fmt: skip
    return next(kept, None)


def searcher(among: Hands) -> Hand | None:
    """The worker who searches texts: what nobody is described for is looked for there."""
    return next((h for h in among if _SEARCHES.search(h.about)), None)


def calculates(hand: Hand) -> bool:
    """Whether a worker works figures out."""
    return bool(_CALCULATES.search(hand.about))


def role(hand: Hand) -> str:
    """A worker's name and description as one text."""
    return f"{human(hand.name)} {hand.about}"
