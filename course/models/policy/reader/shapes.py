"""Shapes: what the values of a parameter look like by its pattern, its examples or what its
description tells, and where a text holds one, however people write it: "t 0512" is T0512."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from course.models.policy.params import Param
from course.models.policy.patterns import regex
from course.models.policy.schemas import matches
from course.models.policy.words import NUMBER_WORDS, STOP_WORDS

_EXAMPLE = regex(
    r"(?:e\.g\.|eg|for (?:example|instance)|such as|like|as in|example:?|looks like)[,:]?\s+"
    r"[\"'`“(]?"
    r"((?:[A-Z]{1,5} (?=\d)|\d{1,3} [A-Z]{1,2} (?=\d))?[A-Za-z0-9#][\w#/.-]*(?: \d+)*)",
    re.IGNORECASE,
)
_RISKY = regex(r"[+*}]\)[+*{]|\\\d")
_VARIES, _MOST_VARYING = regex(r"[+*?]|\{\d*,\d*\}"), 4
"""Parts of varying length, of which a search may try every combination."""


@dataclass(frozen=True)
class Said:
    """What a text says in the form of a shape, written as the schema writes it.

    Attributes:
        value: in the schema's form.
        start, end: where it stands in the text, in characters.
        text: as it was said.
        doubtful: whether only its number was said.
    """

    value: str
    start: int
    end: int
    text: str
    doubtful: bool = False


@dataclass(frozen=True, eq=False)
class Shape:
    """One form of values: where a text may hold one, and how it is written then."""

    form: re.Pattern[str]
    written: Callable[[re.Match[str]], str | None]
    bare: bool = False

    def find(self, text: str) -> list[Said]:
        """All that a text holds in this form."""
        found = ((self.written(m), m) for m in self.form.finditer(text))
        return [Said(v, *m.span(), m.group(), self.bare) for v, m in found if v]


_APART = r"(?<![\w-])(?<![A-Za-z]/)"
"""What does not stand before a value: another part of a longer one ("PF/60213")."""
_NO_SHAPE = ("date", "time", "datetime", "month", "weekday", "enum")


@lru_cache(maxsize=2_000)
def shapes_of(param: Param) -> tuple[tuple[Shape, ...], ...]:
    """What a parameter's values look like: forms in groups, of which a later one only counts where
    no earlier one is found."""
    if param.type not in ("string", "any") or param.kind in _NO_SHAPE:
        return ()
    declared = param.schema.get("pattern")
    if isinstance(declared, str):
        return tuple((s,) for s in _declared(declared))
    shown = param.schema.get("examples")
    examples = [e for e in shown if isinstance(e, str)] if isinstance(shown, list) else []
    examples += [m.group(1).rstrip(".") for m in _EXAMPLE.finditer(param.description)]
    examples += [] if examples else _told(param.description)
    made = tuple(shape for shape in map(_like, examples) if shape)
    made = made or ((_FILE,) if _FILES.search(param.name) else ())
    return (made,) if made else ()


_FILES = regex(r"(?:^|_)(?:path|file|file_?name|file_?path)$", re.IGNORECASE)
_FILE = Shape(
    regex(
        r"(?<![\w@./-])(?:~/|\.{0,2}/)?(?:[\w-]{1,60}/){0,9}[\w-]{1,60}\.[A-Za-z]\w{0,4}(?![\w/])"
    ),
    lambda match: match.group(),
)
"""The name of a file, with the folders before it."""


def found_in(groups: tuple[tuple[Shape, ...], ...], text: str) -> tuple[Said, ...]:
    """What a text holds in the first of several groups of forms of which it holds any."""
    return _found(groups, text) if groups else ()


@lru_cache(maxsize=8_000)
def _found(groups: tuple[tuple[Shape, ...], ...], text: str) -> tuple[Said, ...]:
    each = (tuple(said for shape in group for said in shape.find(text)) for group in groups)
    return next(filter(None, each), ())


_TEMPLATE = regex(
    r"(?<![\w/-])(?:[A-Z]{1,4}[-/ ]?(?:[0#]{2,}|…)|[0#]{2,}(?=[-/]))(?:[-/ ]?(?:[0#]+|…))*(?![\w-])"
)
_SPELT = regex(
    r"(?:(?P<head>[A-Z]{1,4}[-/]?)\s*(?:\+|and|plus|then|followed by)\s*)?"
    r"(?P<count>\d+|[A-Za-z]+) (?P<what>digits|characters|letters|capitals)",
)
_JOINTS = {"hyphen": "-", "dash": "-", "slash": "/", "dot": ".", "blank": " ", "space": " "}


def _told(description: str) -> Iterator[str]:
    """Examples of what a description says in words or by a template: "BK + five digits"."""
    for found in _TEMPLATE.finditer(description):
        yield found.group().replace("#", "0").replace("…", "0000")
    made, last = "", 0
    for found in _SPELT.finditer(description):
        count = found["count"].lower()
        size = int(count) if count.isdigit() else NUMBER_WORDS.get(count, 0)
        if not 0 < size <= 20:
            continue
        gap = description[last : found.start()].strip(" ,").lower() if made else ""
        letter = "A" if found["what"] in ("letters", "capitals") else "0"
        body = "A0" if found["what"] == "characters" and size == 2 else letter * int(size)
        made += _JOINTS.get(gap.removesuffix(", then").strip(), "") + (found["head"] or "") + body
        last = found.end()
    if made and re.search(r"\d", made):
        yield made


_SHOWN = regex(r"(?<![\w/-])(?:[A-Z]{1,5}[-/ ]?\d[\w/-]*\w|\d+[-/][A-Z][\w/-]*)")


def form_in(sentence: str) -> str:
    """An example of the form of ids that a sentence shows or tells, "" if it does neither."""
    shown = _SHOWN.search(sentence)
    return shown.group() if shown else next(_told(sentence), "")


# --- by a pattern ---

_PART = regex(
    r"(?:\\(?P<class>[dw])|\\(?P<sign>[^\w\s])|\[(?P<set>[A-Za-z0-9\\-]+)\]"
    r"|\((?:\?:)?(?P<either>[A-Za-z0-9]+(?:\|[A-Za-z0-9]+)*)\)|(?P<char>[\w/#: -]))"
    r"(?:\{(?P<least>\d+)(?P<to>,)?(?P<most>\d*)\}|(?P<count>[?+*]))?"
)
_JOINT = r"[-\s./_]?"
_OFTEN = 20
"""How often a part may repeat that a pattern lets repeat without an end."""


@dataclass(frozen=True)
class _Part:
    """A part of a pattern: letters or digits of a class, of which `least` to `most` stand there,
    what it says literally, one of several, or a sign that joins others."""

    kind: str
    body: str
    least: int = 1
    most: int = 1

    @property
    def form(self) -> str:
        """What it looks like where people write it."""
        if self.kind == "joint":
            return _JOINT
        if self.kind == "digits":
            least, most = self.least - 1, self.most - 1
            if most < 4:  # of few digits all or none stand apart
                apart = (
                    rf"|\d(?: \d){{{least},{most}}}|\d(?:-\d){{{least},{most}}}" if least else ""
                )
                return rf"(?:\d{{{self.least},{self.most}}}{apart})"
            return rf"\d(?:[ .-]?\d){{{least},{most}}}"
        if self.kind == "mixed":
            return rf"[A-Za-z0-9](?:-?[A-Za-z0-9]){{{self.least - 1},{self.most - 1}}}"
        body = self.body if self.kind == "either" else f"[A-Za-z]{{{self.least},{self.most}}}"
        return f"(?i:{re.escape(self.body) if self.kind == 'literal' else body})"

    def written(self, said: str) -> str:
        """What was said as the pattern has it."""
        if self.kind in ("literal", "joint"):
            return self.body
        if self.kind == "either":
            return next(e for e in self.body.split("|") if e.lower() == said.lower())
        plain = re.sub(r"[\s.-]", "", said)
        if "a-z" in self.body or "\\w" in self.body:
            return plain if "A-Z" in self.body or "\\w" in self.body else plain.lower()
        return plain.upper()


def _parts(pattern: str) -> list[_Part] | None:
    """The parts of a pattern that is a row of plain ones; else None."""
    found: list[_Part] = []
    place = 0
    while place < len(pattern):
        part = _PART.match(pattern, place)
        if part is None:
            return None
        made = _part(part)
        if made is None:
            return None
        last = found[-1] if found else None
        if last and last.kind == made.kind == "literal":
            found[-1] = _Part("literal", last.body + made.body)
        else:
            found.append(made)
        place = part.end()
    return found


def _part(part: re.Match[str]) -> _Part | None:
    least = int(part["least"] or 1)
    most = int(part["most"] or (_OFTEN if part["to"] else least))
    if part["count"]:
        least, most = {"?": (0, 1), "+": (1, _OFTEN), "*": (0, _OFTEN)}[part["count"]]
    sign = part["sign"] or (part["char"] if part["char"] and not part["char"].isalnum() else None)
    if sign:
        return _Part("joint", sign if least else "")
    if least == 0 or most > 4 * _OFTEN:
        return None
    if part["either"]:
        return _Part("either", part["either"]) if most == 1 else None
    if part["char"]:
        return _Part("literal", part["char"] * least) if least == most else None
    body = part["set"] or f"\\{part['class']}"
    digits, letters = bool(re.search(r"\d|\\d|\\w", body)), bool(re.search(r"[A-Za-z]-|\\w", body))
    if re.fullmatch(r"[0-9-]+|\\d", body):
        return _Part("digits", body, least, most)
    kind = "mixed" if digits and letters else "letters" if letters else ""
    return _Part(kind, body, least, most) if kind else None


@lru_cache(maxsize=1_000)
def _declared(pattern: str) -> tuple[Shape, ...]:
    """The forms of a schema's pattern: as it is, as people write it, and its bare number; none
    where it is unreadable or risky."""
    body = pattern.removeprefix("^").removesuffix("$")
    risky = _RISKY.search(pattern) or len(_VARIES.findall(body)) > _MOST_VARYING
    if len(pattern) > 120 or risky or not re.search(r"\\d|\d|\[", body):
        return ()
    try:
        exact = re.compile(rf"{_APART}(?:{body})(?![\w-])")
    except re.error:
        return ()
    found = [Shape(exact, lambda m: m.group() if _stands_out(m, pattern) else None)]
    parts = _parts(body)
    if parts and any(p.kind in ("digits", "mixed") for p in parts):
        found += [_loosely(parts, pattern), *_barely(parts, pattern)]
    return tuple(found)


def _stands_out(found: re.Match[str], pattern: str) -> bool:
    """Whether what has the form of an id is one: it has a digit, or the pattern wants capitals and
    they stand among small letters."""
    said = found.group()
    if re.search(r"\d", said):
        return True
    code = len(said) > 2 and said.isupper() and not matches(pattern, said.lower())
    letters = [c for c in found.string if c.isalpha()]
    return code and sum(c.isupper() for c in letters) < len(letters) / 2


def _loosely(parts: list[_Part], pattern: str) -> Shape:
    """A pattern with its parts apart or together, in small letters or capitals."""
    made = f"(?P<p0>{parts[0].form})"
    for n, (one, other) in enumerate(pairwise(parts), 1):
        gap = "" if "joint" in (one.kind, other.kind) else _JOINT
        made += f"{gap}(?P<p{n}>{other.form})"
    form = re.compile(rf"{_APART}(?<!\d[ .-]){made}(?![\w-]|[ .]?\d)")

    def written(found: re.Match[str]) -> str | None:
        said = found.group()
        first = re.match(r"[a-z]+(?= )", said)
        value = "".join(p.written(found[f"p{n}"]) for n, p in enumerate(parts))
        small = first is not None and first.group() in STOP_WORDS
        plain = small or not re.search(r"\d", said) or not matches(pattern, value)
        return None if plain else value

    return Shape(form, written)


_NUMBERS = "|".join(w for w in NUMBER_WORDS if len(w) > 2)


def _barely(parts: list[_Part], pattern: str) -> Iterator[Shape]:
    """The number alone of a pattern that has always the same before it: "has 022 enough juice" for
    FL-022, and with fewer digits where it is called a number."""
    *head, last = parts
    if not head or last.kind != "digits" or not {p.kind for p in head} <= {"literal", "joint"}:
        return
    most = min(last.most, 6)
    form = re.compile(
        rf"(?<![\w.,:/£$€-])(?:(?P<cue>(?i:number|no\.?|nr\.?|#)) ?)?"
        rf"(?P<n>\d{{1,{most}}}|(?i:{_NUMBERS}))"
        r"(?![\w%€$£-]|[.,:/]\d| ?(?:[a-z]{1,3}\b(?<!has)(?<!is)|euros?|pounds?|dollars?))"
    )

    def written(found: re.Match[str]) -> str | None:
        said = found["n"].lower()
        digits = said if said.isdigit() else str(NUMBER_WORDS[said])
        whole = said.isdigit() and len(said) >= max(3, last.least)
        if not (whole or found["cue"]) or not digits.isdigit():
            return None
        value = "".join(p.body for p in head) + digits.zfill(last.least)
        return value if matches(pattern, value) else None

    yield Shape(form, written, bare=True)


# --- by an example ---


def _class(found: re.Match[str]) -> str:
    text = found.group()
    if text.isdigit():
        close = rf"\d{{{max(1, len(text) - 1)},{len(text) + 1}}}"
        apart = rf"\d(?: ?\d){{{len(text) - 1}}}"  # in groups: 55 01 27
        before = found.string[: found.start()]
        lead = _JOINT if len(text) > 2 and before[-1:].isalpha() else ""
        grouped = len(text) > (3 if before[:1].isalpha() else 4)
        return lead + (rf"(?:{close}(?! ?\d)|{apart}(?! ?\d)|{close})" if grouped else close)
    if text.isalpha():
        case = "[A-Z]" if text.isupper() else "[A-Za-z]"
        small = rf"|[a-z]{{{len(text)}}}(?=[-/ ]?\d)" if text.isupper() else ""
        return rf"(?:{case}{{{len(text)}}}|(?i:{text}){small})"
    return _JOINT


@lru_cache(maxsize=1_000)
def _like(example: str) -> Shape | None:
    """What looks like an example with digits, however its parts are joined."""
    if not re.search(r"\d", example) or len(example) > 40:
        return None
    if example.isdigit():
        apart = "[ -]?" if len(example) > 4 else ""
        form = rf"(?<![\w.,-])\d(?:{apart}\d){{{len(example) - 1}}}(?![\w-]|[.,]\d)"
    else:
        body = re.sub(r"[A-Za-z]+|\d+|[^A-Za-z0-9]+", _class, example)
        form = rf"{_APART}{body}(?![\w-])"
    return Shape(re.compile(form), lambda m: _written_like(m.group(), example))


def _written_like(said: str, example: str) -> str | None:
    """What was said as the example shows it; None where a small word only stands before a figure:
    "for 300"."""
    first = re.match(r"[a-z]+(?= )", said)
    plain = first and (first.group() in STOP_WORDS or len(re.sub(r"\D", "", said)) < _LEAST)
    return None if plain else as_shown(said, example)


_LEAST = 3
"""Digits that an id in small letters has if it is written apart."""


def as_shown(said: str, example: str) -> str:
    """What was said, joined as the example joins its parts: "fm 2291" is FM-2291."""
    if example.isdigit():
        return re.sub(r"\D", "", said)
    shown = re.findall(r"[A-Za-z]+|\d+", example)
    parts = re.findall(r"[A-Za-z]+|\d+", said)
    if len(parts) > len(shown):
        said = re.sub(r"(?<=\d) (?=\d)", "", said)
        parts = re.findall(r"[A-Za-z]+|\d+", said)
    if not example or len(parts) != len(shown):
        return said
    out, rest = "", example
    for part, model in zip(parts, shown, strict=True):
        place = rest.index(model)
        out += rest[:place] + (part.upper() if model.isupper() else part)
        rest = rest[place + len(model) :]
    return out
