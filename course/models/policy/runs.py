"""Runs: the stretches of plain words in a text, each with the preposition before it."""

from __future__ import annotations

import re

from course.models.policy.lexicon import phrase_spans
from course.models.policy.mentions import TITLES, Mention
from course.models.policy.verbs import EITHER, VERBS, action_of
from course.models.policy.wordlists import cue, word_list
from course.models.policy.words import STOP_WORDS, tokens

_BREAKS = frozenset(word_list("runs.breaks"))
_SKIPS = frozenset(word_list("runs.skips"))


def _glue(text: str, start: int, end: int) -> bool:
    """Whether the marks between two words part them; a dot after a title or initial does not."""
    between = text[start:end]
    if between == ". " and re.search(rf"(?:\b{TITLES[:-3]}|\b[A-Z])$", text[:start]):
        return False
    return bool(re.search(r"[,.;:?!()\n\"“”]", between))


_AUXILIARIES = frozenset("is are was were be and or then so but if that which who".split())
_WISHES = frozenset(word_list("runs.wishes"))
# "Where do the otters live?": what stands between is asked about, and the last word is the verb.
_ASKED = cue("runs.asked")


class _Runs:
    """Collects runs of plain words; a boundary word, a mark or a claimed place ends one."""

    def __init__(self, text: str, taken: tuple[Mention, ...], verbs: frozenset[str]) -> None:
        self.text, self.taken, self.verbs = text, taken, verbs
        self.found: list[Mention] = []
        self.words: list[tuple[int, int]] = []
        self.lead = ""
        self.last = 0
        self.begun = False  # whether a word that is no small word has been seen
        self.before = ""
        asked = _ASKED.match(text)
        self.subject = asked.span("subject") if asked else (0, 0)
        self.verb = asked.start("verb") if asked else -1

    def close(self) -> None:
        if self.words:
            start, end = self.words[0][0], self.words[-1][1]
            text = re.sub(r"['’]s$", "", self.text[start:end])
            asked = self.subject[0] <= start < self.subject[1] and not self.lead
            lead = "subject" if asked else self.lead
            self.found.append(Mention("run", text, start, start + len(text), text, lead=lead))
        self.words = []
        self.lead = ""

    def opens(self, low: str, word_stem: str) -> bool:
        """Whether a word is the verb that opens the text: a verb before anything else."""
        first = not self.found and not self.words and not self.begun
        return first and (low in EITHER or word_stem in VERBS or bool(action_of(low)))

    def add(self, word: str, word_stem: str, start: int, end: int) -> None:
        low = word.lower()
        before, self.before = self.before, low
        infinitive = (
            before in ("to ", "i", "we", "they", "you", "who", "that", "which")
            and low not in _SKIPS
        )
        infinitive = infinitive and low not in _BREAKS
        if low == "to" and before.strip() in _WISHES:
            self.before = "to "
        if start == self.verb or infinitive:
            self.close()
            self.begun = True
        elif any(m.start < end and start < m.end for m in self.taken):
            self.close()
        elif low in _BREAKS:
            self.close()
            self.lead = "" if low in _AUXILIARIES else low
        elif (
            low in _SKIPS
            or before == "how"
            or word_stem in self.verbs
            or self.opens(low, word_stem)
        ):
            lead = self.lead
            if self.words:
                self.close()
            else:
                self.lead = lead
            self.begun = self.begun or low not in STOP_WORDS
        else:
            self.words.append((start, end))


def runs(text: str, taken: tuple[Mention, ...], verbs: frozenset[str]) -> tuple[Mention, ...]:
    """The runs of plain words left when mentions, small words and the given verb stems go.

    Each knows the preposition before it: "a table by the window" gives "table" and, led by "by",
    "window". `of` stays inside a run ("The Lord of the Rings").
    """
    spoken = tuple(Mention("phrase", "", start, end) for start, end in phrase_spans(text))
    state = _Runs(text, (*taken, *spoken), verbs)
    for token in tokens(text):
        if _glue(text, state.last, token.start):
            state.close()
        title = (
            token.text == "The" and bool(re.match(r" [A-Z]", text[token.end :])) and token.start > 0
        )
        if title or (token.text.lower() == "the" and re.search(r"\w of $", text[: token.start])):
            state.words.append((token.start, token.end))
        else:
            state.add(token.text, token.stem, token.start, token.end)
        state.last = token.end
    state.close()
    return tuple(state.found)
