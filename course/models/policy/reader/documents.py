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

from course.models.policy.lexicon import VERBS, known_words, phrases_said, suggested, synonyms
from course.models.policy.mentions import Mention, in_street
from course.models.policy.params import PERSONS
from course.models.policy.patterns import regex
from course.models.policy.reader.choices import Hit, words
from course.models.policy.reader.fields import (
    EMPTY,
    RELATIVES,
    is_person,
    label_of,
    labels,
    own_stems,
    vocabulary,
)
from course.models.policy.reader.pairs import Pair, pairs
from course.models.policy.reader.slots import Slot
from course.models.policy.schemas import fits
from course.models.policy.values import is_measure
from course.models.policy.words import ORDINALS, STOP_WORDS, name_words, stem, table, word_list
from course.models.policy.words import cue as pattern

_SPEAKS, _SPOKE, _GREETED = (pattern(f"documents.{n}") for n in "speaks spoke greeted".split())
_SPEAKER = regex(r"(?:^|\n)(?:\[[\d:. ]+\] ?)?$")
SENDERS, _PLACES, _ORGANISATIONS, _PAST = (
    frozenset(stem(w) for w in word_list(f"documents.{n}"))
    for n in "senders places organisations past".split()
)
_FORMS = {frozenset(words.split()): regex(form) for words, form in table("documents.forms").items()}
_DIMENSIONS = {
    stem(unit): frozenset(stem(w) for w in f"{units} {named}".split())
    for units, named in table("documents.dimensions").items()
    for unit in units.split()
}
"""The words of fields for what is measured in a unit, by the unit."""
_FAR = 7
_WEIGHTS = {"named": 2.0, "begun": 1.6, "meant": 1.4, "told": 1.0}


@lru_cache(maxsize=8_000)
def _clause(text: str, start: int, end: int) -> tuple[str, str]:
    """What stands before and after a mark, as far as its clause goes."""
    before = _END.split(text[max(0, start - 90) : start])[-1]
    after = _END.split(text[end : end + 60])[0]
    return before, after


_END = regex(r"(?<!\bext)(?<!\b[Nn]o)(?<!\b[Nn]r)(?<!\b[Tt]el)[.!?](?:\s|$)|[;\n]|\s{3,}| / ")


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
            if side == "after" and names[-1:] == ("by",):
                key = f"{how} after, by"
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
    found = [_whole(_bare(_over(p, today)), text) for p in pairs(slots, text, today, spans)]
    taken = {slot.name: _said_of_others(slot, slots) for slot in slots}
    found = [p for p in found if p.mark.text and not _is_label(p, text, taken[p.slot.name])]
    found += [p for slot in slots for made in (_designated, _reached) for p in made(slot, text)]
    forms = {slot.name: _formed(slot, text) for slot in slots}
    found = [_as_formed(p, text, forms) for p in found]
    persons = {p.slot.name for p in found if is_person(p.slot)}
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


# ---- marks of documents

_LABELS_OF_FORMS = frozenset(stem(w) for w in word_list("documents.labels"))
_HEADING = regex(r"^\W*(?:[A-Z][A-Z-]+\b *)+(?:[#\d].*)?$", re.M)


def _said_of_others(slot: Slot, slots: tuple[Slot, ...]) -> frozenset[str]:
    """The words that speak of the other fields and their values and not of this one."""
    said = {s for o in slots if o is not slot for s in own_stems(o)}
    options = {stem(w) for o in slots for v in o.param.options for w in name_words(str(v))}
    return (frozenset(said | options) | _LABELS_OF_FORMS) - own_stems(slot) - slot.param.about


def _is_label(pair: Pair, text: str, others: frozenset[str]) -> bool:
    """Whether a name or phrase is what another field is called or says that there is nothing, or
    stands in a label, or is no id and stands in a heading."""
    mark, kind = pair.mark, pair.slot.param.kind
    if kind not in ("words", "name", "query", "prose", "id"):
        return False
    if mark.kind in ("name", "phrase"):
        inside = any(e.begin <= mark.start and mark.end <= e.start for e in labels(text))
        if inside or EMPTY.fullmatch(mark.text) or all(w.stem in others for w in words(mark.text)):
            return True
    begin, end = text.rfind("\n", 0, mark.start) + 1, text.find("\n", mark.end)
    return kind != "id" and end >= 0 and bool(_HEADING.fullmatch(text[begin:end]))


def _bare(pair: Pair) -> Pair:
    """A phrase without a unit at its beginning and the small words at its end, a name without what
    somebody is; nothing may be left."""
    mark = pair.mark
    if pair.value != mark.text or mark.kind not in ("name", "phrase"):
        return pair
    told = list(words(mark.text))
    if mark.kind == "name":
        titled = len(told) > 1 and told[0].stem in PERSONS and mark.text[told[1].start].isupper()
        told = told[titled:]
    else:
        if len(told) > 2 and told[1].text == "of" and is_measure(told[0].text):
            told = told[2:]
        going = (n for n, w in enumerate(told[1:-1], 1)
                 if w.text.endswith("ing") and told[n + 1].text in _TAIL)  # fmt: skip
        told = told[: next(going, None)]
        while told and told[-1].text in _TAIL:
            told = told[:-1]
    start, end = (told[0].start, told[-1].end) if told else (0, 0)
    if mark.kind == "name":
        end = len(mark.text)
    said, place = mark.text[start:end].removeprefix("x "), mark.start + end
    made = mark._replace(value=said, text=said, start=place - len(said), end=place)
    return pair._replace(mark=made, value=said)


_TAIL = frozenset(word_list("documents.tail"))


def _of_looks(slot: Slot, mark: Mention) -> str:
    """Whether a mark is in the form, or of the words, that a field's name tells; "" of no name."""
    if known := vocabulary(slot):
        return "in" if {w.text for w in words(mark.text)} & known else "out"
    named = {*name_words(slot.name)}
    forms = [form for names, form in _FORMS.items() if named & names]
    return ("in" if any(f.fullmatch(mark.text) for f in forms) else "out") if forms else ""


_CUED = 0.9
"""From which cue on the words around a mark name a field, rather than merely suit it."""


def _designated(slot: Slot, text: str) -> Iterator[Pair]:
    """What directly follows a field's own word and has a digit or is a capital: room 2.14, zone B,
    ext. 3307; of a number the ordinal before the word: the fifth semester."""
    own, names = own_stems(slot), name_words(slot.name)
    for found in _ORDINAL.finditer(text) if slot.param.kind == "number" else ():
        if stem(found["of"].lower()) in own:
            said = found["n"].lower()
            place = ORDINALS.get(said) or int(re.sub(r"\D", "", said))
            yield Pair(slot, Mention("number", place, *found.span("n"), found["n"]), place, {})
    for word in words(text) if slot.param.kind in _NAMED_SO else ():
        begun = len(word.text) > 2 and any(n.startswith(word.text) for n in names)
        if word.text in STOP_WORDS or not (begun or own & {word.stem, *suggested(word.text)}):
            continue
        told = _VALUE.match(text, word.end)
        if told and told["v"].count("/") < 2:  # with two it is a day
            said = told["v"]
            value = int(said) if slot.param.type == "integer" and said.isdigit() else said
            if fits(value, slot.param.schema):
                yield Pair(slot, Mention("designated", said, *told.span("v"), said), value, {})


_NAMED_SO = ("words", "id", "query", "name", "prose", "number", "intid")
_ORDINAL = regex(rf"\b(?P<n>{'|'.join(ORDINALS)}|\d+(?:st|nd|rd|th)) (?P<of>[a-z]+)", re.I)
_VALUE = regex(
    r"\.?:? (?:(?:is|no\.?|number|nr\.?|on) )?(?P<v>(?:[A-Z]{1,4}[ -]){0,2}\d(?:[\w./-]*\w)?"
    r"(?: \d{2,4}\b){0,4}(?![.,]?\d)|[A-Z](?![\w'’]))"
)
_PHONE = regex(r"(?<![\w.,/-])(?:\+|0)\d[\d ()/-]{5,}\d(?!\w)")


def _reached(slot: Slot, text: str) -> Iterator[Pair]:
    """A number of a telephone in two groups."""
    for found in _PHONE.finditer(text) if slot.param.kind == "phone" else ():
        said = found.group()
        if fits(said, slot.param.schema):
            mark = Mention("phone", said, *found.span(), said)
            yield Pair(slot, mark, said, {"phone>phone": 1.0})


_HOUSE = regex(r"\b(?:[A-Z][\w'’-]+ ){1,3}\d{1,4}[a-z]?\b(?![\w:/-]|\.\d)")


def _formed(slot: Slot, text: str) -> list[tuple[str, int, int]]:
    """What looks as a field's name tells and is written in several words: a plate, a street with
    the number of a house; of what kind it is, and where."""
    named, kind = {*name_words(slot.name)}, slot.param.kind
    forms = [("id", f) for names, f in _FORMS.items() if named & names and kind in ("id", "words")]
    forms += [("address", _HOUSE)] if own_stems(slot) & _STREETS else []
    found = [(of, *m.span()) for of, form in forms for m in form.finditer(text) if " " in m.group()]
    return [
        (of, start, end) for of, start, end in found
        if not (re.search(r"[\w-]$", text[:start]) or re.match(r"[\w-]", text[end:]))
        and re.search(r"\d", text[start:end]) and (of == "id" or in_street(text[start:end]))
        and fits(text[start:end], slot.param.schema)
    ]  # fmt: skip


def _as_formed(pair: Pair, text: str, forms: Mapping[str, list[tuple[str, int, int]]]) -> Pair:
    """A pair with the whole of what its mark is a piece of."""
    mark = pair.mark
    for of, start, end in forms[pair.slot.name]:
        if start <= mark.start and mark.end <= end and pair.value == mark.text:
            said = text[start:end].rstrip()
            mark = Mention(of, said, start, start + len(said), said)
            return pair._replace(mark=mark, value=said)
    return pair


_STREETS = frozenset(stem(w) for w in ("street", "road", "address"))
_CLOSERS = frozenset(word_list("documents.closers"))


def _over(pair: Pair, today: date) -> Pair:
    """A day without a year as the last of its name, where the field is for what is over."""
    value, told = str(pair.value), pair.mark.text
    over = pair.mark.kind == "date" and own_stems(pair.slot) & _PAST
    if not over or pair.slot.param.kind != "date" or value <= today.isoformat():
        return pair
    year = int(value[:4])
    bare = str(year) not in told and not re.search(r"\d[/.]\d+[/.]\d", told)
    return pair._replace(value=f"{year - 1}{value[4:]}") if bare else pair


_CENTS = regex(r" ?(?:cents?|ct|pence)\b")


def _whole(pair: Pair, text: str) -> Pair:
    """A sum that is told in cents in whole units, unless the field is for cents."""
    told = pair.slot.param.kind in ("amount", "number") and _CENTS.match(text, pair.mark.end)
    if not told or pair.slot.param.type == "integer" or "cent" in own_stems(pair.slot):
        return pair
    return pair._replace(value=pair.value / 100)


def _of_document(pair: Pair, text: str, today: date) -> Iterator[tuple[str, float]]:
    slot, mark, kind = pair.slot, pair.mark, pair.slot.param.kind
    yield from _of_form(slot, mark)
    yield from _of_label(slot, mark, text)
    if kind in ("id", "words"):
        yield f"long figure>{kind}", float(mark.text.isdigit() and len(mark.text) > _COUNT)
    if mark.kind == "date" and not own_stems(slot) & _PAST:
        yield "over already", float(str(pair.value) < today.isoformat())
    if mark.kind in ("number", "amount") and kind in ("number", "amount"):
        yield from _of_figure(slot, mark, text)
    if mark.kind in ("name", "phrase", "address", "quoted", "designated"):
        yield from _of_words(slot, mark, text)


_COUNT = 3  # digits: what is longer is rather called so than counted
_NUMBERS = regex(r"\b(?P<of>[^\W\d_]{3,}) (?:no\.? |number )?$")


def _of_figure(slot: Slot, mark: Mention, text: str) -> Iterator[tuple[str, float]]:
    """What speaks for a figure: the noun before it ("seat 48"), and the unit after it."""
    own, (before, after) = own_stems(slot), _clause(text, mark.start, mark.end)
    if numbers := _NUMBERS.search(before):
        said = stem(numbers["of"])
        if said not in VERBS and numbers["of"].lower() not in STOP_WORDS:
            yield f"numbered by {'its name' if said in own else 'another'}", 1.0
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


def _of_words(slot: Slot, mark: Mention, text: str) -> Iterator[tuple[str, float]]:
    """What speaks for a name or phrase: what leads to it and what it looks like, by the role of
    the field."""
    own, role, lead = own_stems(slot), _role(slot), _lead(text, mark.start)
    said = {w.stem for w in words(mark.text)}
    yield f"{lead}~{role}", 1.0
    yield f"{mark.kind}>{role}", 1.0
    yield "only its name", float(bool(said) and said <= own)
    yield "a kind of it", float(bool(own & suggested(mark.text).keys()))
    yield "own preposition", float(lead in STOP_WORDS and lead in name_words(slot.name))
    if kin := _KIN.search(text[max(0, mark.start - 40) : mark.start]):
        its = (own | slot.param.about) & _RELATED.get(kin[1], frozenset())
        yield f"{'its' if its else 'another'} relative", 1.0
    if mark.kind == "name":
        yield f"{_look(mark.text)}>{role}", 1.0
        yield f"{_standing(mark, text)}>{role}", 1.0


def _role(slot: Slot) -> str:
    """Whom or what a field for words is about: who writes, somebody else, an organisation, a place,
    a thing."""
    own = own_stems(slot)
    if own & _ORGANISATIONS or (
        len(slot.param.about) < _SHORT and slot.param.about & _ORGANISATIONS
    ):
        return "organisation"
    if own & _PLACES:
        return "place"
    if own & SENDERS:
        return "sender"
    return "person" if is_person(slot) else slot.param.kind


_SHORT = 4
_KIN = regex(rf"\b(?:my|our|his|her|their|the) (?:[a-z]+ )?({'|'.join(RELATIVES)})s?,? $")
_RELATED = {
    relative: frozenset(stem(w) for w in (*fields.split(), relative))
    for fields, relatives in table("documents.related").items()
    for relative in relatives.split()
}
"""The words of fields for a relative, by what the relative is called."""
_TITLED = regex(r"\b(?:M(?:rs?|s|iss)|Dr|Prof|Father|Sister|Doctor|Professor)\.? $")
_LEADS = regex(r"(?P<p>[a-z]+) (?:(?:the|a|an|some|my|our|your) )?$")
_FOR = pattern("documents.behalf")


@lru_cache(maxsize=8_000)
def _lead(text: str, start: int) -> str:
    """What leads to a mark: a relative, a title, a preposition, an article, or a plain word."""
    before = text[max(0, start - 40) : start]
    for kind, form in (("kin", _KIN), ("titled", _TITLED), ("behalf", _FOR)):
        if form.search(before):
            return kind
    found = _LEADS.search(before)
    if found is None:
        return "opens" if re.search(r"(?:^|[.!?:;\n])\W*$", before) else "-"
    said = found["p"]
    return said if said in STOP_WORDS else "verb" if stem(said) in VERBS else "noun"


_FIRM = regex(r"&|\b(?:Ltd|GmbH|Inc|LLC|AG|plc|Co|Bros|Sons)\b")


@lru_cache(maxsize=8_000)
def _look(said: str) -> str:
    """What a name looks like: a firm, everyday words, a full name or a single one."""
    if _FIRM.search(said):
        return "firm"
    told = [w.text for w in words(said)]
    if any(phrases_said(w) or w in known_words() for w in told if len(w) > 2):
        return "everyday"
    return "full name" if len(told) > 1 else "one name"


def _of_label(slot: Slot, mark: Mention, text: str) -> Iterator[tuple[str, float]]:
    """Whether a mark stands behind a label, and whose."""
    inside = next((e for e in labels(text) if e.start <= mark.start and mark.end <= e.end), None)
    named = label_of(slot, text)
    if inside is not None and inside is named:
        yield "labelled", 1.0
        yield "begins its label's value", float(mark.start == inside.start)
    elif inside is not None and len(text[inside.start : inside.end]) < _SHORT_VALUE:
        yield "under another label", 1.0 - inside.names(slot)
    elif named is not None:
        yield "not under its label", 1.0


_SHORT_VALUE = 60


def _of_form(slot: Slot, mark: Mention) -> Iterator[tuple[str, float]]:
    """What speaks for a mark by its looks alone, where the field's name tells how values look."""
    own = own_stems(slot)
    yield f"{mark.kind} itself", float(stem(mark.kind) in own)
    if looks := _of_looks(slot, mark):
        yield f"{looks} form", 1.0
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
    closes = not text[mark.end :].strip(" .\n") and _CLOSING.search(before)
    return "signed" if alone or closes else "inside"


_CLOSING = pattern("documents.closing")
_ENDS = regex(r"(?: x+|,[^\n]*)?\W*$")
