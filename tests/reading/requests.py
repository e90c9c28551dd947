"""Requests to the generated businesses, in the ways people put them, and what a right answer is.

A request is made of slots (what is asked, with its values and how they are said), a phrase for its
operation, and one *operator*: the way in which it differs from a plain request.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any

from tests.reading.domains import CHANNELS, LABELS, METHODS, STATES, Domain, Tool, number, tables

TODAY = date(2026, 6, 9)  # a Tuesday
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
         "eleven", "twelve")  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
NOTES = ("the bell is broken", "call before you come", "the dog bites", "second floor, no name",
         "they paid too much last time", "the gate code is 4711")  # fmt: skip


@dataclass(frozen=True)
class Said:
    """One value of a request: what a call must have, and how a person says it."""

    value: Any
    words: str


@dataclass(frozen=True)
class Case:
    """One request and its right answer.

    Attributes:
        operator: how the request differs from a plain one.
        messages: the conversation so far, without the system message.
        calls: (tool, arguments) of each call that a right answer makes; none if it makes none.
        optional: for each call arguments that may be there besides, with their values.
        asks: words of which one must stand in a question, where something is missing.
    """

    domain: str
    operator: str
    messages: tuple[dict[str, Any], ...]
    tools: tuple[dict[str, Any], ...]
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    optional: dict[str, Any] = field(default_factory=dict)
    asks: tuple[str, ...] = ()

    @property
    def system(self) -> str:
        return f"You answer for {tables()[0][self.domain]['business']}. Today is Tuesday, {TODAY}."


@dataclass(frozen=True)
class Matter:
    """One thing that is asked for: a tool, the value of each slot, and the phrase."""

    tool: Tool
    slots: dict[str, Said]
    phrase: str
    row: dict[str, Any]

    def text(self) -> str:
        """The request in words; the optional slots follow the phrase."""
        words = {slot: said.words for slot, said in self.slots.items()}
        one, many = self.row["thing"]
        spoken = {"thing": one, "things": many, **words}
        spoken["a:kind"] = _article(words["kind"]) if words.get("kind") else ""
        spoken["day"] = words.get("date", "").removeprefix("on ")
        text = self.phrase
        for name, word in spoken.items():
            text = text.replace("{" + name + "}", word)
        rest = [
            f"{word} of them" if slot == "count" else word
            for slot, word in words.items()
            if slot in ("time", "flag", "state")
            or (slot == "count" and "{count}" not in self.phrase)
        ]
        return ", ".join([" ".join([" ".join(text.split()), *rest[:1]]), *rest[1:]])

    def call(self) -> tuple[str, dict[str, Any]]:
        """The call that answers it."""
        return self.tool.name, {
            self.tool.named[slot]: said.value for slot, said in self.slots.items()
        }


def cases(domain: Domain) -> tuple[Case, ...]:
    """All requests to one business, always the same ones: one or two of each operator."""
    made: list[Case] = []
    for name, operator in OPERATORS.items():
        for turn in range(2):
            luck = random.Random(f"{domain.name} {name} {turn}")
            if case := operator(domain, luck):
                made.append(replace(case, operator=name))
    return tuple(made)


# What is said


def _slots(tool: Tool, row: dict[str, Any], luck: random.Random) -> dict[str, Said]:
    extra = [slot for slot in tool.named if slot not in tool.required and luck.random() < 0.5]
    return {slot: _said(slot, row, luck) for slot in (*tool.required, *extra)}


def _said(slot: str, row: dict[str, Any], luck: random.Random, *, avoid: Any = None) -> Said:
    """A value for a slot, not the one to avoid."""
    for _ in range(50):
        said = SAY[slot](row, luck)
        if said.value != avoid:
            return said
    raise AssertionError(f"{slot} has one value only")


def _one_of(values: dict[str, list[str]], luck: random.Random) -> Said:
    value = luck.choice(list(values))
    return Said(value, values[value][0])


def _say_date(row: dict[str, Any], luck: random.Random) -> Said:
    day = TODAY + timedelta(days=luck.randint(1, 40))
    forms = [f"on {day.day} {day:%B}", f"on {day:%B} {day.day}", f"on {day}"]
    ahead = (day - TODAY).days
    if ahead == 1:
        forms = ["tomorrow"]
    elif ahead == 2:
        forms = ["the day after tomorrow"]
    elif ahead < 7:
        forms.append(f"on {day:%A}")
    return Said(day.isoformat(), luck.choice(forms))


def _say_time(row: dict[str, Any], luck: random.Random) -> Said:
    hour, minute = luck.randint(7, 19), luck.choice((0, 0, 15, 30))
    value = f"{hour:02}:{minute:02}"
    twelve = (
        f"{(hour - 1) % 12 + 1}{f':{minute:02}' if minute else ''} {'am' if hour < 12 else 'pm'}"
    )
    if (hour, minute) == (12, 0):
        return Said(value, "at noon")
    return Said(value, luck.choice((f"at {value}", f"at {twelve}")))


def _say_amount(row: dict[str, Any], luck: random.Random) -> Said:
    euros, cents = luck.randint(5, 400), luck.choice((0, 0, 50, 95))
    value = euros + cents / 100 if cents else euros
    said = f"{euros}.{cents:02}" if cents else str(euros)
    return Said(value, luck.choice((f"{said} euros", f"€{said}", f"{said} EUR")))


def _say_lines(row: dict[str, Any], luck: random.Random) -> Said:
    one, two = luck.sample(list(row["kinds"]), 2)
    counts = luck.randint(2, 9), luck.randint(2, 9)
    words = f"{counts[0]} {row['kinds'][one][0]} and {counts[1]} {row['kinds'][two][0]}"
    return Said([{"kind": one, "count": counts[0]}, {"kind": two, "count": counts[1]}], words)


def _say_labels(row: dict[str, Any], luck: random.Random) -> Said:
    chosen = luck.sample(list(LABELS), luck.choice((1, 2)))
    return Said(chosen, " and ".join(LABELS[each][0] for each in chosen))


def _say_contact(row: dict[str, Any], luck: random.Random) -> Said:
    if luck.random() < 0.5:
        who = luck.choice(("ada", "b.lindt", "office", "zoe_77"))
        email = f"{who}@{luck.choice(('example.org', 'mail.example.com'))}"
        return Said({"email": email}, email)
    phone = f"0{luck.randint(100, 999)} {luck.randint(100000, 999999)}"
    return Said({"phone": phone}, phone)


def _say_flag(row: dict[str, Any], luck: random.Random) -> Said:
    yes = luck.random() < 0.5
    return Said(yes, luck.choice(row["yes" if yes else "no"]))


def _say_number(row: dict[str, Any], luck: random.Random) -> Said:
    made = number(row["number"], luck)
    return Said(made, made)


def _say_person(row: dict[str, Any], luck: random.Random) -> Said:
    name = luck.choice(tables()[1]["people"])
    return Said(name, name)


def _counted(low: int, high: int) -> Callable[[dict[str, Any], random.Random], Said]:
    def say(row: dict[str, Any], luck: random.Random) -> Said:
        count = luck.randint(low, high)
        return Said(count, str(count))

    return say


def _say_note(row: dict[str, Any], luck: random.Random) -> Said:
    note = luck.choice(NOTES)
    return Said(note, f'"{note}"')


SAY: dict[str, Callable[[dict[str, Any], random.Random], Said]] = {
    "number": _say_number,
    "kind": lambda row, luck: _one_of(row["kinds"], luck),
    "flag": _say_flag,
    "date": _say_date,
    "time": _say_time,
    "count": lambda row, luck: (lambda n: Said(n, str(n)))(luck.randint(2, 9)),
    "person": _say_person,
    "amount": _say_amount,
    "method": lambda row, luck: _one_of(METHODS, luck),
    "channel": lambda row, luck: _one_of(CHANNELS, luck),
    "state": lambda row, luck: _one_of(STATES, luck),
    "days": _counted(2, 9),
    "stars": _counted(2, 5),
    "note": _say_note,
    "labels": _say_labels,
    "contact": _say_contact,
    "lines": _say_lines,
}


def _article(words: str) -> str:
    if words.startswith(("the ", "on ", "in ", "at ", "by ", "with ", "for ", "under ", "over ")):
        return words
    return ("an " if words[0].lower() in "aeio" else "a ") + words


def _matter(
    domain: Domain, luck: random.Random, *, manner: str = "direct", needs: str = ""
) -> Matter | None:
    """Something to ask for, of a tool that has the slot which is needed; None where none has."""
    fitting = [tool for tool in domain.tools if not needs or needs in tool.named]
    if not fitting:
        return None
    tool = luck.choice(fitting)
    phrase = luck.choice(tables()[1]["operations"][tool.operation][manner])
    slots = _slots(tool, domain.row, luck)
    if needs and needs not in slots:
        slots[needs] = _said(needs, domain.row, luck)
    return Matter(tool, slots, phrase, domain.row)


def _case(
    domain: Domain, text: str, *matters: Matter, before: tuple[dict[str, Any], ...] = ()
) -> Case:
    text = text[0].upper() + text[1:]
    return Case(
        domain=domain.name,
        operator="",
        messages=(*before, {"role": "user", "content": text}),
        tools=tuple(tool.spec for tool in domain.tools),
        calls=tuple(matter.call() for matter in matters),
    )


# The operators


def plain(domain: Domain, luck: random.Random) -> Case | None:
    """The request and nothing else."""
    matter = _matter(domain, luck)
    return _case(domain, _ended(matter.text()), matter) if matter else None


def indirect(domain: Domain, luck: random.Random) -> Case | None:
    """The verb is left out: what is said is how things are."""
    matter = _matter(domain, luck, manner="indirect")
    return _case(domain, _ended(matter.text()), matter) if matter else None


def noise(domain: Domain, luck: random.Random) -> Case | None:
    """Politeness and a story around it."""
    matter = _matter(domain, luck)
    if matter is None:
        return None
    around = tables()[1]
    text = (
        f"{luck.choice(around['openers'])} {_ended(matter.text())} {luck.choice(around['closers'])}"
    )
    return _case(domain, text, matter)


def synonym(domain: Domain, luck: random.Random) -> Case | None:
    """A value of an enumeration in another word than the schema's."""
    matter = _matter(domain, luck, needs="kind")
    others = {value: words for value, words in domain.row["kinds"].items() if len(words) > 1}
    if matter is None or not others:
        return None
    value = luck.choice(list(others))
    slots = {**matter.slots, "kind": Said(value, others[value][1])}
    matter = replace(matter, slots=slots)
    return _case(domain, _ended(matter.text()), matter)


def number_word(domain: Domain, luck: random.Random) -> Case | None:
    """A number written out."""
    for slot in luck.sample(("count", "days", "stars"), 3):
        if matter := _matter(domain, luck, needs=slot):
            said = matter.slots[slot]
            slots = {**matter.slots, slot: Said(said.value, WORDS[said.value])}
            matter = replace(matter, slots=slots)
            return _case(domain, _ended(matter.text()), matter)
    return None


def correction(domain: Domain, luck: random.Random) -> Case | None:
    """A value, and at once another one that holds instead."""
    for slot in luck.sample(("date", "count", "person", "time", "amount"), 5):
        if matter := _matter(domain, luck, needs=slot):
            right = matter.slots[slot]
            wrong = _said(slot, domain.row, luck, avoid=right.value)
            said = luck.choice(("{w}, no, {r}", "{w}, sorry, I mean {r}", "{w} ... wait, {r}"))
            words = said.format(w=wrong.words, r=right.words.removeprefix("on "))
            matter = replace(matter, slots={**matter.slots, slot: Said(right.value, words)})
            return _case(domain, _ended(matter.text()), matter)
    return None


def correction_after(domain: Domain, luck: random.Random) -> Case | None:
    """The value that holds comes in a sentence of its own."""
    for slot in luck.sample(("date", "count", "amount", "stars"), 4):
        if matter := _matter(domain, luck, needs=slot):
            right = matter.slots[slot]
            wrong = _said(slot, domain.row, luck, avoid=right.value)
            first = replace(matter, slots={**matter.slots, slot: wrong}).text()
            again = right.words.removeprefix("on ")
            text = (
                f"{_ended(first)} Sorry, {again} of course, not {wrong.words.removeprefix('on ')}."
            )
            return _case(domain, text, matter)
    return None


def negation(domain: Domain, luck: random.Random) -> Case | None:
    """What is not wanted is named as well."""
    matter = _matter(domain, luck, needs="kind")
    if matter is None:
        return None
    wrong = _said("kind", domain.row, luck, avoid=matter.slots["kind"].value)
    text = luck.choice(("{t}. Not the {w} one, please.", "{t}, but not {w}."))
    return _case(domain, text.format(t=matter.text(), w=wrong.words.removeprefix("the ")), matter)


def negated_call(domain: Domain, luck: random.Random) -> Case | None:
    """One number is dealt with, another is expressly left alone."""
    matter = _matter(domain, luck, needs="number")
    if matter is None:
        return None
    other = _said("number", domain.row, luck, avoid=matter.slots["number"].value).words
    leave = luck.choice((f"Leave {other} as it is.", f"Do not touch {other}."))
    return _case(domain, f"{_ended(matter.text())} {leave}", matter)


def two(domain: Domain, luck: random.Random) -> Case | None:
    """Two matters in one message."""
    one, other = _matter(domain, luck), _matter(domain, luck)
    if one is None or other is None or one.tool is other.tool:
        return None
    joined = luck.choice(("{a}, and {b}", "{a}. Also, {b}", "{a}; and then {b}"))
    return _case(domain, _ended(joined.format(a=one.text(), b=other.text())), one, other)


def same_twice(domain: Domain, luck: random.Random) -> Case | None:
    """One operation for two numbers."""
    single = [tool for tool in domain.tools if tool.required == ("number",)]
    if not single:
        return None
    tool = luck.choice(single)
    phrase = luck.choice(tables()[1]["operations"][tool.operation]["direct"])
    first = _said("number", domain.row, luck)
    second = _said("number", domain.row, luck, avoid=first.value)
    one, other = (Matter(tool, {"number": said}, phrase, domain.row) for said in (first, second))
    both = replace(one, slots={"number": Said("", f"{first.words} and {second.words}")})
    return _case(domain, _ended(both.text()), one, other)


def pronoun(domain: Domain, luck: random.Random) -> Case | None:
    """The number comes first, and "it" afterwards."""
    matter = _matter(domain, luck, needs="number")
    if matter is None:
        return None
    said = matter.slots["number"]
    spoken = replace(matter, slots={**matter.slots, "number": Said(said.value, "it")})
    one = domain.row["thing"][0]
    before = luck.choice((f"I have a {one} with you, {said.words}.", f"It is about {said.words}."))
    return _case(domain, f"{before} {_ended(_upper(spoken.text()))}", matter)


def earlier(domain: Domain, luck: random.Random) -> Case | None:
    """The number was told in an earlier turn."""
    matter = _matter(domain, luck, needs="number")
    if matter is None:
        return None
    said = matter.slots["number"]
    before = (
        {"role": "user", "content": f"Hello, I am calling about {said.words}."},
        {"role": "assistant", "content": f"I have {said.words} before me. What can I do for you?"},
    )
    spoken = replace(matter, slots={**matter.slots, "number": Said(said.value, "it")})
    return _case(domain, _ended(spoken.text()), matter, before=before)


def answered(domain: Domain, luck: random.Random) -> Case | None:
    """What was missing was asked for, and here it is."""
    fitting = [tool for tool in domain.tools if len(tool.required) > 1]
    if not fitting:
        return None
    tool = luck.choice(fitting)
    operation = tables()[1]["operations"][tool.operation]
    slots = {slot: _said(slot, domain.row, luck) for slot in tool.required}
    matter = Matter(tool, slots, luck.choice(operation["direct"]), domain.row)
    late = luck.choice([slot for slot in tool.required if slot != "lines"])
    vague = replace(matter, slots={**slots, late: Said("", LATER.get(late, ""))})
    before = (
        {"role": "user", "content": _ended(_upper(" ".join(vague.text().split())))},
        {"role": "assistant", "content": f"Gladly. Could you tell me the {tool.named[late]}?"},
    )
    return _case(domain, _ended(slots[late].words), matter, before=before)


LATER = {"date": "some day", "person": "somebody", "number": "something of mine", "kind": "nice",
         "time": "some time", "count": "some", "amount": "what I owe", "method": "", "days": "some",
         "channel": "", "stars": "some", "contact": "another address", "note": "something",
         "labels": "special"}  # fmt: skip


def missing(domain: Domain, luck: random.Random) -> Case | None:
    """Something that is required is left out: a right answer asks for it."""
    late = luck.choice(("number", "date", "amount", "person"))
    fitting = [tool for tool in domain.tools if late in tool.required]
    if not fitting:
        return None
    tool = luck.choice(fitting)
    slots = {slot: _said(slot, domain.row, luck) for slot in tool.required}
    slots[late] = Said("", LATER[late])
    phrase = luck.choice(tables()[1]["operations"][tool.operation]["direct"])
    text = _ended(Matter(tool, slots, phrase, domain.row).text())
    asks = {"number": (tool.named[late].split("_")[-1], domain.row["called"].split()[-1], "which"),
            "date": ("date", "day", "when"), "amount": ("amount", "sum", "how much", "euros"),
            "person": ("name", "who", "person", "customer")}  # fmt: skip
    return replace(_case(domain, text), asks=asks[late])


def typo(domain: Domain, luck: random.Random) -> Case | None:
    """Two letters change places in a word that is no value."""
    matter = _matter(domain, luck)
    if matter is None:
        return None
    phrase = matter.phrase
    words = re.findall(r"(?<![{:\w])[A-Za-z]{5,}(?![}\w])", phrase)
    for word in luck.sample(words, min(2, len(words))):
        at = luck.randint(1, len(word) - 3)
        swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        phrase = re.sub(rf"(?<![{{:\w]){word}(?![}}\w])", swapped, phrase)
    matter = replace(matter, phrase=phrase)
    return _case(domain, _ended(matter.text()), matter)


def chat(domain: Domain, luck: random.Random) -> Case | None:
    """Nothing is asked for."""
    return _case(domain, luck.choice(tables()[1]["chat"]))


def elsewhere(domain: Domain, luck: random.Random) -> Case | None:
    """Something is asked for that no tool does."""
    return _case(domain, luck.choice(tables()[1]["elsewhere"]))


OPERATORS: dict[str, Callable[[Domain, random.Random], Case | None]] = {
    each.__name__: each
    for each in (plain, indirect, noise, synonym, number_word, correction, correction_after,
                 negation, negated_call, two, same_twice, pronoun, earlier, answered, missing,
                 typo, chat, elsewhere)
}  # fmt: skip


def _ended(text: str) -> str:
    text = text.strip()
    asking = text.lower().startswith(("what", "which", "how", "can ", "is ", "any news"))
    return text + ("?" if asking else ".")


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]


def every(domains: tuple[Domain, ...], part: str) -> Iterator[Case]:
    """All requests of one part: "train", "validation" or "test"."""
    for domain in domains:
        if domain.part == part:
            yield from cases(domain)
