"""Documents: what more speaks for a mark as the value of a field, where a text is a whole mail,
form or conversation and many of its marks are no value at all.

The words of the clause around a mark are compared with the field's own, and with those of its
rivals; a name is somebody who writes, who is written to or who is spoken of; a day is over or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from functools import lru_cache

from course.models.policy.lexicon import synonyms
from course.models.policy.mentions import Mention
from course.models.policy.reader.choices import Hit, words
from course.models.policy.reader.pairs import Pair, pairs
from course.models.policy.reader.slots import Slot
from course.models.policy.schemas import fits
from course.models.policy.values import is_measure
from course.models.policy.wordlists import cue as pattern
from course.models.policy.wordlists import table, word_list
from course.models.policy.words import ORDINALS, STOP_WORDS, name_words, stem

_SPEAKS, _SPOKE, _GREETED, _PLACED = (
    pattern(f"documents.{n}") for n in "speaks spoke greeted placed".split()
)
_SPEAKER = re.compile(r"(?:^|\n)(?:\[[\d:. ]+\] ?)?$")
_GENERIC, SENDERS, _PLACES, _PAST = (
    frozenset(stem(w) for w in word_list(f"documents.{n}"))
    for n in "generic senders places past".split()
)
_FORMS = {
    frozenset(stem(w) for w in words.split()): re.compile(form)
    for words, form in table("documents.forms").items()
}
_DIMENSIONS = {
    stem(unit): frozenset(stem(w) for w in f"{units} {named}".split())
    for units, named in table("documents.dimensions").items()
    for unit in units.split()
}
"""The words of fields for what is measured in a unit, by the unit."""
_FAR = 7
_WEIGHTS = {"named": 2.0, "begun": 1.6, "meant": 1.4, "told": 1.0}


def own_stems(slot: Slot) -> frozenset[str]:
    """The stems of a field's name, without those that any field may have; a preposition in the
    middle only joins the others."""
    said = name_words(slot.name)
    every = frozenset(stem(w) for w in said)
    return every - _GENERIC - (STOP_WORDS - {said[0], said[-1]}) or every


def vocabulary(slot: Slot) -> frozenset[str]:
    """The only words that a field may hold, by its name; empty where any may."""
    said = own_stems(slot)
    for name in ("colour", "language"):
        if said & {stem(name), name.replace("u", "")}:
            return frozenset(word_list(f"documents.{name}"))
    return frozenset()


@lru_cache(maxsize=8_000)
def _clause(text: str, start: int, end: int) -> tuple[str, str]:
    """What stands before and after a mark, as far as its clause goes."""
    before = _END.split(text[max(0, start - 90) : start])[-1]
    after = _END.split(text[end : end + 60])[0]
    return before, after


_END = re.compile(r"(?<!\bext)(?<!\b[Nn]o)(?<!\b[Nn]r)(?<!\b[Tt]el)[.!?](?:\s|$)|[;\n]")


@lru_cache(maxsize=30_000)
def _cues(slot: Slot, text: str, start: int, end: int) -> Mapping[str, float]:
    """Which words of the clause speak of a field, the nearer the more: its name's, their beginnings
    and synonyms, and its description's."""
    own, about = own_stems(slot), slot.param.about
    names = name_words(slot.name)
    found: dict[str, float] = {}
    for side, said in zip(("before", "after"), _clause(text, start, end), strict=True):
        told = list(words(said))
        for place, word in enumerate((told[::-1] if side == "before" else told)[:_FAR]):
            if word.text in STOP_WORDS and (side == "after" or place > 2 or word.stem not in own):
                continue
            if word.stem in own:
                how = "named"
            elif len(word.text) > 2 and any(n.startswith(word.text) for n in names):
                how = "begun"
            elif synonyms(word.stem) & own:
                how = "meant"
            elif word.stem in about:
                how = "told"
            else:
                continue
            gap = said[word.end :] if side == "before" else said[: word.start]
            near = (0.4 if re.search(r",| and | but ", gap) else 1.0) * (1 - 0.12 * place)
            key = f"{how} {side} in clause"
            found[key] = max(found.get(key, 0.0), near)
    return found


def cue(slot: Slot, text: str, piece: Mention | Hit) -> float:
    """How much the words around a piece speak of a field."""
    found = _cues(slot, text, piece.start, piece.end)
    return max((_WEIGHTS[k.split()[0]] * v for k, v in found.items()), default=0.0)


def document_pairs(
    slots: tuple[Slot, ...], text: str, today: date, spans: tuple[tuple[int, int], ...]
) -> list[Pair]:
    """Every mark that may be the value of a field, with what speaks for it in a document."""
    found = [_over(p, today) for p in pairs(slots, text, today, spans)]
    found += [p for slot in slots for p in _designated(slot, text)]
    persons = {p.slot.name for p in found if _is_person(p.slot)}
    cues = [cue(p.slot, text, p.mark) for p in found]
    by_mark: dict[tuple[int, int], list[float]] = {}
    by_slot: dict[str, list[float]] = {}
    for pair, worth in zip(found, cues, strict=True):
        by_mark.setdefault((pair.mark.start, pair.mark.end), []).append(worth)
        by_slot.setdefault(pair.slot.name, []).append(worth)
    out = []
    for pair, worth in zip(found, cues, strict=True):
        of_mark = by_mark[pair.mark.start, pair.mark.end]
        more = {
            "claimed by others": max(of_mark) - worth,
            "better cued": max(by_slot[pair.slot.name]) - worth,
            "best cued": float(worth > 0 and worth == max(by_slot[pair.slot.name])),
            **_cues(pair.slot, text, pair.mark.start, pair.mark.end),
            **dict(_of_document(pair, text, today)),
            f"{'cued ' * (worth >= _CUED)}{pair.mark.kind} as {pair.slot.param.kind}": 1.0,
        }
        if pair.mark.kind == "name" and persons == {pair.slot.name}:
            more[f"{_standing(pair.mark, text)}>lone person"] = 1.0
        features = {**pair.features, **{k: v for k, v in more.items() if v}}
        if pair.mark.doubtful and _standing(pair.mark, text) in ("speaks", "signed"):
            del features["doubtful"]
        out.append(pair._replace(features=features))
    return out


_CUED = 0.9
"""From which cue on the words around a mark name a field, rather than merely suit it."""


def _is_person(slot: Slot) -> bool:
    return slot.param.kind == "name" or (
        slot.param.kind == "words" and bool(_ACTS.search(name_words(slot.name)[-1]))
    )


_ACTS = re.compile(r"(?:ant|er|or|ist|ian|ee)$")


def _designated(slot: Slot, text: str) -> Iterator[Pair]:
    """What directly follows a field's own word and has a digit or is a capital: room 2.14, zone B,
    ext. 3307; of a number the ordinal before the word: the fifth semester."""
    if slot.param.kind == "number":
        for found in _ORDINAL.finditer(text):
            if stem(found["of"].lower()) in own_stems(slot):
                said = found["n"].lower()
                place = ORDINALS.get(said) or int(re.sub(r"\D", "", said))
                mark = Mention("number", place, *found.span("n"), found["n"])
                yield Pair(slot, mark, place, {})
    if slot.param.kind not in ("words", "id", "query"):
        return
    own = own_stems(slot)
    for word in words(text):
        if word.text in STOP_WORDS:
            continue
        if word.stem not in own and not (
            len(word.text) > 2 and any(n.startswith(word.text) for n in name_words(slot.name))
        ):
            continue
        if told := _VALUE.match(text, word.end):
            said = told["v"]
            mark = Mention("designated", said, told.start("v"), told.end("v"), said)
            if fits(said, slot.param.schema):
                yield Pair(slot, mark, said, {})


_STREETS = frozenset(stem(w) for w in ("street", "road", "address"))
_CLOSERS = frozenset(word_list("documents.closers"))


_ORDINAL = re.compile(rf"\b(?P<n>{'|'.join(ORDINALS)}|\d+(?:st|nd|rd|th)) (?P<of>[a-z]+)", re.I)
_VALUE = re.compile(
    r"\.?:? (?:(?:is|no\.?|number|nr\.?) )?(?P<v>(?:[A-Z]{1,4}[ -])?\d(?:[\w./-]*\w)?(?![.,]?\d)"
    r"|[A-Z](?![\w'’]))"
)


def _over(pair: Pair, today: date) -> Pair:
    """A day without a year as the last of its name, where the field is for what is over."""
    value, told = str(pair.value), pair.mark.text
    over = pair.mark.kind == "date" and own_stems(pair.slot) & _PAST
    if not over or pair.slot.param.kind != "date" or value <= today.isoformat():
        return pair
    year = int(value[:4])
    bare = str(year) not in told and not re.search(r"\d[/.]\d+[/.]\d", told)
    return pair._replace(value=f"{year - 1}{value[4:]}") if bare else pair


def _of_document(pair: Pair, text: str, today: date) -> Iterator[tuple[str, float]]:
    slot, mark, own = pair.slot, pair.mark, own_stems(pair.slot)
    yield from _of_form(slot, mark)
    before, after = _clause(text, mark.start, mark.end)
    if mark.kind == "date" and not own & _PAST:
        yield "over already", float(str(pair.value) < today.isoformat())
    if mark.kind in ("number", "amount") and slot.param.kind in ("number", "amount"):
        unit = next(iter(words(after)), None)
        measured = _DIMENSIONS.get(unit.stem) if unit else None
        if re.match(r" ?%", after):
            measured = _DIMENSIONS["percent"]
        if unit and unit.stem in own | slot.param.about:
            yield "in its unit", 1.0
        elif measured and (own | slot.param.about) & measured:
            yield "of its dimension", 1.0
        elif measured or (unit and is_measure(unit.text)):
            yield "in another unit", 1.0
    if mark.kind in ("name", "phrase", "address"):
        what = "place" if own & _PLACES else slot.param.kind
        yield f"placed>{what}", float(bool(_PLACED.search(before)))
        yield f"{mark.kind}>{what}", 1.0
    if mark.kind == "name":
        who = "person" if _is_person(slot) else slot.param.kind
        yield f"{_standing(mark, text)}>{'sender' if own & SENDERS else who}", 1.0
        yield "two names", float(" " in mark.text)


def _of_form(slot: Slot, mark: Mention) -> Iterator[tuple[str, float]]:
    """What speaks for a mark by its looks alone, where the field's name tells how values look."""
    own = own_stems(slot)
    yield f"{mark.kind} itself", float(stem(mark.kind) in own)
    if known := vocabulary(slot):
        said = {w.text for w in words(mark.text)}
        yield ("in vocabulary" if said & known else "out of vocabulary"), 1.0
    for form in (form for stems, form in _FORMS.items() if own & stems):
        yield ("in form" if form.fullmatch(mark.text) else "out of form"), 1.0
    if mark.kind == "id":
        yield "no digit", float(not re.search(r"\d", mark.text))
    name = name_words(slot.name)
    opening = mark.text.split()[0].rstrip("0123456789-./").lower()
    led = mark.kind in ("id", "designated") and opening in {*name, "".join(w[0] for w in name)}
    yield "opens with its name", float(led and len(opening) > 1)
    yield "lone letter", float(mark.kind == "id" and len(mark.text) == 1)
    yield "address itself", float(mark.kind == "address" and bool(own & _STREETS))


def _standing(mark: Mention, text: str) -> str:
    """Who a name is by its place: the writer, somebody greeted, or somebody inside."""
    before, after = text[max(0, mark.start - 40) : mark.start], text[mark.end : mark.end + 40]
    if mark.text.lower() in _CLOSERS:
        return "inside"
    if _GREETED.search(before):
        return "greeted"
    if _SPOKE.search(before) or _SPEAKS.match(after):
        return "speaks"
    if after.startswith(":") and _SPEAKER.search(before):
        return "speaker"
    head, _, line = text[: mark.start].rpartition("\n")
    alone = head.strip() and not line.strip(" -–—*") and _ENDS.match(text, mark.end)
    return "signed" if alone or not text[mark.end :].strip(" .\n") else "inside"


_ENDS = re.compile(r"(?: x+|,[^\n]*)?\W*$")
