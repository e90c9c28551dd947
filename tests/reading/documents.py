"""Documents: mails, forms, chats, calls and minutes of the generated businesses, each with a schema
to be filled and the right answer.

Fields are named and described in other ways than tools' parameters are. What a document does not
say is null where it may be, and else left out. The parts are those of the businesses; validation
and test have names of fields and sentences of their own.
"""

from __future__ import annotations

import asyncio
import json
import random
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import cache
from typing import Any

from openai import AsyncOpenAI

from course.models.names import SMALL
from tests import sets
from tests.reading.domains import CHANNELS, HERE, LABELS, METHODS, Domain, number, tables
from tests.reading.requests import TODAY, WORDS, Said

GENRES = ("mail", "form", "chat", "call", "minutes")
EACH = 3
"""Documents of each genre that a business gets."""
_ALWAYS = ("kind", "reference")
_INSTEAD = {"kind": ("lines",), "goods": ("lines", "parts"), "phone": ("reach",),
            "email": ("reach",), "languages": ("language",), "minutes": ("price",),
            "weight": ("parts",)}  # fmt: skip
"""Fields that a document has not beside certain others, as nobody could tell them apart."""
_REMARKABLE = 0.25
"""How often a field is not said, and how often a value is said wrong first."""


@dataclass(frozen=True)
class Field:
    """A field of a schema, what a right answer has in it, and how it is told.

    Attributes:
        said: the sentence that says it, with the words of the value by itself; None if unsaid.
        required: whether it must be there.
    """

    name: str
    kind: str
    schema: Mapping[str, Any]
    value: Any
    sentence: str
    words: str
    required: bool


@dataclass(frozen=True)
class Document:
    """A text, the schema to be filled from it, and the right value of each field."""

    domain: str
    genre: str
    text: str
    schema: Mapping[str, Any]
    fields: tuple[Field, ...]

    @property
    def system(self) -> str:
        """The system message of the request."""
        business = tables()[0][self.domain]["business"]
        return f"Fill the form for {business} from the message. Today is Tuesday, {TODAY}."


@cache
def table() -> dict[str, Any]:
    """The fields by name, and what is said around them."""
    return tomllib.loads((HERE / "documents.toml").read_text())


def documents(domain: Domain) -> tuple[Document, ...]:
    """The documents of a business, always the same ones."""
    return tuple(
        _document(domain, genre, random.Random(f"{domain.name} {genre} {turn}"))
        for genre in GENRES
        for turn in range(EACH)
    )


def all_documents(domains: tuple[Domain, ...], part: str) -> Iterator[Document]:
    """All documents of one part: "train", "validation" or "test"."""
    for domain in domains:
        if domain.part == part:
            yield from documents(domain)


def _half(of: list[str], domain: Domain) -> list[str]:
    """The half of a list that a business's part may use."""
    middle = (len(of) + 1) // 2
    return of[:middle] if domain.part == "train" else of[middle:]


def _document(domain: Domain, genre: str, luck: random.Random) -> Document:
    entries = table()["fields"]
    others = [name for name in entries if name not in ("sender", *_ALWAYS)]
    chosen = ["sender", *(n for n in _ALWAYS if luck.random() < 0.7), *luck.sample(others, 6)]
    chosen = [n for n in chosen if not any(o in chosen for o in _INSTEAD.get(n, ()))]
    luck.shuffle(chosen)
    found = [_field(name, domain, luck) for name in chosen]
    fields = tuple({f.name: f for f in found}.values())
    schema = {
        "type": "object",
        "properties": {f.name: dict(f.schema) for f in fields},
        "required": [f.name for f in fields if f.required],
        "additionalProperties": False,
    }
    return Document(domain.name, genre, _RENDER[genre](fields, luck), schema, fields)


def _field(slot: str, domain: Domain, luck: random.Random) -> Field:
    entry, row = table()["fields"][slot], domain.row
    spoken = {"thing": row["thing"][0], "called": row["called"]}
    name = luck.choice(_half(entry["names"], domain))
    name = name.format(called=row["called"].replace(" ", "_"), kind=row["kind"], flag=row["flag"])
    describes = luck.choice(_half(entry["describes"], domain)).format(**spoken)
    said = _SAY[entry["kind"]](row, luck)
    schema = _schema(entry["kind"], row)
    if entry["kind"] == "period":
        ends = luck.choice(_half(entry["ends"], domain)).split()
        schema = _object(**dict.fromkeys(ends, schema))
        said = Said(dict(zip(ends, said.value, strict=True)), said.words)
    schema = {**schema, **({"description": describes} if describes else {})}
    left_out = slot != "sender" and luck.random() < _REMARKABLE
    required = slot in ("sender", *_ALWAYS) or luck.random() < 0.6
    if left_out or luck.random() < _REMARKABLE:
        schema, required = _nullable(schema), required or luck.random() < 0.7
    if left_out:
        return Field(name, entry["kind"], schema, None, "", "", required)
    sentence = _sentence(entry, said, {**spoken, "field": name.replace("_", " ")}, domain, luck)
    if entry["kind"] in ("count", "date", "amount", "time") and luck.random() < 0.12:
        wrong = _SAY[entry["kind"]](row, luck).words
        words = f"{wrong}, no, {said.words.removeprefix('on ')}"
        if wrong != said.words:
            sentence = _sentence(entry, Said(said.value, words), spoken, domain, luck)
    return Field(name, entry["kind"], schema, said.value, sentence, said.words, required)


def _sentence(
    entry: Mapping[str, Any], said: Said, spoken: Mapping[str, str], domain: Domain,
    luck: random.Random,
) -> str:  # fmt: skip
    if entry["kind"] == "switch":
        return luck.choice(_half(entry["yes" if said.value else "no"], domain))
    if not entry["says"]:
        return ""
    bare = said.words.removeprefix("on ").removeprefix("at ")
    forms = {"v": bare, "V": bare[:1].upper() + bare[1:], "on": said.words,
             "On": said.words[:1].upper() + said.words[1:]}  # fmt: skip
    return luck.choice(_half(entry["says"], domain)).format(**{"field": "", **spoken, **forms})


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    if "enum" in schema:
        return {**schema, "type": ["string", "null"], "enum": [*schema["enum"], None]}
    if schema["type"] in ("array", "object"):
        return {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "type": [schema["type"], "null"]}


# What is said


def _day(luck: random.Random, first: int, last: int) -> Said:
    ahead = luck.randint(first, last)
    day = TODAY + timedelta(days=ahead)
    near = {1: "tomorrow", -1: "yesterday", 2: "the day after tomorrow"}
    forms = [f"on {day.day} {day:%B}", f"on {day:%B} {day.day}", f"on {day}", f"on {day:%d/%m/%Y}"]
    if 2 < ahead < 7:
        forms = [f"on {day:%A}", *forms[:1]]
    return Said(day.isoformat(), near.get(ahead) or luck.choice(forms))


def _time(luck: random.Random) -> Said:
    hour, minute = luck.randint(8, 19), luck.choice((0, 15, 30))
    forms = [f"{hour}:{minute:02}", f"{(hour - 1) % 12 + 1}{f':{minute:02}' if minute else ''} "
             f"{'am' if hour < 12 else 'pm'}"]  # fmt: skip
    return Said(f"{hour:02}:{minute:02}", luck.choice(forms))


def _count(luck: random.Random) -> Said:
    count = luck.randint(2, 40)
    tens = {20: "twenty", 30: "thirty", 40: "forty"}
    spelt = WORDS[count] if count < len(WORDS) else tens.get(count, str(count))
    return Said(count, luck.choice((str(count), spelt)))


def _measure(luck: random.Random) -> Said:
    value = luck.choice((luck.randint(3, 90), luck.randint(30, 900) / 10))
    said = f"{value}".replace(".", luck.choice((".", ",")))
    return Said(value, said)


def _amount(luck: random.Random) -> Said:
    value = luck.choice((luck.randint(10, 900), luck.randint(1000, 9000) / 100))
    said = f"{value:.2f}" if isinstance(value, float) else f"{value}"
    return Said(value, luck.choice((f"{said} euros", f"€{said}", f"EUR {said}", f"{said} EUR")))


def _phone(luck: random.Random) -> Said:
    said = f"0{luck.randint(100, 999)} {luck.randint(100000, 999999)}"
    return Said(said, said)


def _email(luck: random.Random) -> Said:
    said = f"{luck.choice(('ada', 'b.lindt', 'zoe_77', 'office'))}@{luck.choice(('example.org', 'mail.example.com'))}"  # noqa: E501
    return Said(said, said)


def _period(luck: random.Random) -> Said:
    first = TODAY + timedelta(days=luck.randint(3, 30))
    last = first + timedelta(days=luck.randint(2, 9))
    words = luck.choice(("from {a} until {b}", "from {a} to {b}"))
    a, b = (f"{day.day} {day:%B}" for day in (first, last))
    return Said([first.isoformat(), last.isoformat()], words.format(a=a, b=b))


def _parts(luck: random.Random) -> Said:
    count, weight = luck.randint(2, 30), luck.randint(2, 90)
    spelt = WORDS[count] if count < len(WORDS) else str(count)
    words = luck.choice((f"{count} pieces of {weight} kg each", f"{spelt} pieces at {weight} kg"))
    return Said({"count": count, "weight_each": weight}, words)


def _price(luck: random.Random) -> Said:
    amount, per = luck.randint(2, 400), luck.choice(("hour", "day", "piece"))
    unit = luck.choice(("euros", "EUR"))
    return Said(
        {"amount": amount, "per": per}, f"{amount} {unit} {luck.choice(('a', 'per'))} {per}"
    )


def _listed(words: list[str]) -> str:
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else words[0]


def _lines(row: Mapping[str, Any], luck: random.Random) -> Said:
    chosen = luck.sample(list(row["kinds"]), 2)
    counts = [_count(luck) for _ in chosen]
    words = [f"{c.words} {row['kinds'][k][0]}" for k, c in zip(chosen, counts, strict=True)]
    rows = [{"kind": k, "count": c.value} for k, c in zip(chosen, counts, strict=True)]
    return Said(rows, _listed(words))


def _goods(luck: random.Random) -> Said:
    chosen = luck.sample(table()["said"]["goods"], luck.choice((2, 3)))
    counts = [_count(luck) for _ in chosen]
    words = [f"{c.words} {g}" for g, c in zip(chosen, counts, strict=True)]
    rows = [{"item": g, "quantity": c.value} for g, c in zip(chosen, counts, strict=True)]
    return Said(rows, _listed(words))


def _some(values: list[str], luck: random.Random) -> Said:
    chosen = luck.sample(values, luck.choice((1, 2, 3)))
    return Said(chosen, _listed(chosen))


def _one(values: Mapping[str, list[str]], luck: random.Random) -> Said:
    value = luck.choice(list(values))
    return Said(value, luck.choice(values[value]))


def _labels(luck: random.Random) -> Said:
    chosen = luck.sample(list(LABELS), luck.choice((1, 2)))
    return Said(chosen, _listed([LABELS[each][0] for each in chosen]))


def _reach(luck: random.Random) -> Said:
    email, phone = _email(luck), _phone(luck)
    return Said({"email": email.value, "phone": phone.value}, f"{email.words} or {phone.words}")


def _flag(row: Mapping[str, Any], luck: random.Random) -> Said:
    yes = luck.random() < 0.5
    return Said(yes, luck.choice(row["yes" if yes else "no"]))


def _plain(values: list[str], luck: random.Random) -> Said:
    value = luck.choice(values)
    return Said(value, value)


def _number(row: Mapping[str, Any], luck: random.Random) -> Said:
    made = number(row["number"], luck)
    return Said(made, made)


def _address(luck: random.Random) -> Said:
    said = f"{luck.randint(2, 90)} {luck.choice(table()['said']['streets'])}"
    return Said(said, said)


def _person(luck: random.Random) -> Said:
    return _plain(tables()[1]["people"], luck)


def _sayings(name: str) -> list[str]:
    found: list[str] = table()["said"][name]
    return found


_SAY: dict[str, Any] = {
    "sender": lambda row, luck: _person(luck),
    "person": lambda row, luck: _person(luck),
    "number": _number,
    "date": lambda row, luck: _day(luck, 1, 40),
    "past": lambda row, luck: _day(luck, -20, -1),
    "time": lambda row, luck: _time(luck),
    "count": lambda row, luck: _count(luck),
    "measure": lambda row, luck: _measure(luck),
    "amount": lambda row, luck: _amount(luck),
    "phone": lambda row, luck: _phone(luck),
    "email": lambda row, luck: _email(luck),
    "address": lambda row, luck: _address(luck),
    "city": lambda row, luck: _plain(_sayings("cities"), luck),
    "colour": lambda row, luck: _plain(_sayings("colours"), luck),
    "method": lambda row, luck: _one(METHODS, luck),
    "channel": lambda row, luck: _one(CHANNELS, luck),
    "kind": lambda row, luck: _one(row["kinds"], luck),
    "flag": _flag,
    "switch": lambda row, luck: (lambda yes: Said(yes, "yes" if yes else "no"))(
        luck.random() < 0.5
    ),
    "labels": lambda row, luck: _labels(luck),
    "lines": _lines,
    "goods": lambda row, luck: _goods(luck),
    "languages": lambda row, luck: _some(_sayings("languages"), luck),
    "reach": lambda row, luck: _reach(luck),
    "period": lambda row, luck: _period(luck),
    "room": lambda row, luck: _plain(_sayings("rooms"), luck),
    "extension": lambda row, luck: _plain([str(luck.randint(1000, 9999))], luck),
    "company": lambda row, luck: _plain(_sayings("companies"), luck),
    "product": lambda row, luck: _plain(_sayings("products"), luck),
    "language": lambda row, luck: _plain(_sayings("languages"), luck),
    "postcode": lambda row, luck: _plain([str(luck.randint(10000, 99999))], luck),
    "year": lambda row, luck: (lambda year: Said(year, str(year)))(luck.randint(1950, 2024)),
    "parts": lambda row, luck: _parts(luck),
    "price": lambda row, luck: _price(luck),
    "first_name": lambda row, luck: _plain(_sayings("first_names"), luck),
}


def _object(**fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields)}


def _schema(kind: str, row: Mapping[str, Any]) -> dict[str, Any]:
    text, whole, day = {"type": "string"}, {"type": "integer"}, {"type": "string", "format": "date"}
    kinds = {"type": "string", "enum": list(row["kinds"])}
    of_kind: dict[str, dict[str, Any]] = {
        "date": day, "past": day, "count": whole, "measure": {"type": "number"},
        "amount": {"type": "number"}, "kind": kinds, "flag": {"type": "boolean"},
        "switch": {"type": "boolean"}, "time": {"type": "string", "description": "HH:MM"},
        "method": {"type": "string", "enum": list(METHODS)},
        "channel": {"type": "string", "enum": list(CHANNELS)},
        "labels": {"type": "array", "items": {"type": "string", "enum": list(LABELS)}},
        "lines": {"type": "array", "items": _object(kind=kinds, count=whole)},
        "goods": {"type": "array", "items": _object(item=text, quantity=whole)},
        "languages": {"type": "array", "items": text},
        "year": whole,
        "parts": _object(count=whole, weight_each=whole),
        "price": _object(
            amount={"type": "number"}, per={"type": "string", "enum": ["hour", "day", "piece"]}
        ),
        "reach": _object(email=text, phone=text),
        "period": day,
    }  # fmt: skip
    return dict(of_kind.get(kind, text))


# The genres


def _told(fields: tuple[Field, ...], luck: random.Random) -> list[str]:
    """The sentences of a document in some order, with one or two that say nothing of it."""
    told = [f.sentence for f in fields if f.sentence]
    told += luck.sample(_sayings("noise"), luck.choice((0, 1, 2)))
    luck.shuffle(told)
    return told


def _sender(fields: tuple[Field, ...]) -> str:
    return next(f.words for f in fields if f.kind == "sender")


def _mail(fields: tuple[Field, ...], luck: random.Random) -> str:
    text = " ".join(_told(fields, luck))
    half = text.find(". ", len(text) // 2) + 1
    text = text[:half] + "\n" + text[half:].strip() if half and luck.random() < 0.5 else text
    opening, closing = luck.choice(_sayings("greetings")), luck.choice(_sayings("closings"))
    return f"{opening}\n\n{text}\n\n{closing}\n{_sender(fields)}"


def _form(fields: tuple[Field, ...], luck: random.Random) -> str:
    lines, told = [luck.choice(_sayings("forms"))], []
    for each in fields:
        plain = each.words.removeprefix("on ").removeprefix("at ")
        label = each.name.replace("_", " ").capitalize()
        in_words = each.kind == "flag" or (each.kind != "sender" and luck.random() < 0.4)
        if each.sentence and in_words:
            told.append(each.sentence)
        elif plain:
            lines.append(f"{label}: {plain}")
        elif luck.random() < 0.5:
            lines.append(f"{label}: {luck.choice(_sayings('empty'))}".rstrip())
    return "\n".join([*lines, f"Message: {' '.join(told)}".rstrip()])


def _chat(fields: tuple[Field, ...], luck: random.Random) -> str:
    name, lines, minute = _sender(fields), [], 2
    for sentence in _told(fields, luck):
        minute += luck.randint(0, 2)
        said = sentence if luck.random() < 0.5 else sentence[0].lower() + sentence[1:].rstrip(".")
        lines.append(f"[09:{minute:02}] {name}: {said}")
        if luck.random() < 0.2:
            lines.append(f"[09:{minute:02}] desk: {luck.choice(('ok', 'noted', 'I see'))}")
    return "\n".join(lines or [f"[09:01] {name}: hello"])


def _call(fields: tuple[Field, ...], luck: random.Random) -> str:
    name = _sender(fields)
    opening = luck.choice((f"{name} here.", f"Good day, {name} speaking.", f"My name is {name}.",
                           f"Hello, this is {name}."))  # fmt: skip
    return " ".join([opening, *_told(fields, luck), luck.choice(("Thanks.", "Bye for now.", ""))])


def _minutes(fields: tuple[Field, ...], luck: random.Random) -> str:
    title = luck.choice(_sayings("minutes"))
    lines = [f"- {each}" for each in _told(fields, luck)]
    return "\n".join([title, *lines, f"Signed: {_sender(fields)}"])


_RENDER = {"mail": _mail, "form": _form, "chat": _chat, "call": _call, "minutes": _minutes}


# Whether an answer is right


def put(client: AsyncOpenAI, document: Document) -> list[Field]:
    """Have a document's schema filled, and tell the fields that are wrong."""
    form = {"name": "form", "schema": dict(document.schema)}
    answer = asyncio.run(
        client.chat.completions.create(
            model=SMALL,
            messages=[
                {"role": "system", "content": document.system},
                {"role": "user", "content": document.text},
            ],
            response_format={"type": "json_schema", "json_schema": form},
        )
    )
    return wrong_fields(document, json.loads(answer.choices[0].message.content or "{}"))


def wrong_fields(document: Document, answer: Mapping[str, Any]) -> list[Field]:
    """The fields of an answer that are not right; what was not said may be left out, null or an
    empty list."""
    return [
        f
        for f in document.fields
        if not (
            answer.get(f.name) in (None, [])
            if f.value is None
            else same(f.value, answer.get(f.name))
        )
    ]


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same, whatever the case of letters and the order of a list."""
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(_plain_text, one)) == sorted(map(_plain_text, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return _plain_text(one) == _plain_text(other)


def _plain_text(value: Any) -> str:
    if isinstance(value, Mapping):
        return json.dumps({k: _plain_text(v) for k, v in value.items()}, sort_keys=True)
    if isinstance(value, str):
        return " ".join(value.strip(" \"'.").casefold().split())
    return json.dumps(float(value) if isinstance(value, int | float) else value)


def digest(found: Iterator[Document]) -> str:
    """A hash of documents and right answers: who changes the ruler has to say so."""
    return sets.digest([asdict(each) for each in found])
