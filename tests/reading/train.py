"""Train the reader's coefficients: `python -m tests.reading.train`.

It learns from the training parts of the generated requests and documents, and from the development
requests, the natural requests and documents for training and the staffs of tests/policy, and writes
course/models/policy/reader/coefficients.json, rounded and in order, so that the same data give the
same file. It looks at no other part.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.feature_extraction import DictVectorizer

from course.models.policy.conversation import stated_today, written_on
from course.models.policy.corrected import corrected, mended
from course.models.policy.dates import REFERENCE
from course.models.policy.extraction import as_read, left, settled
from course.models.policy.reader.enumerations import pieces
from course.models.policy.reader.filling import about, claims, fill_tool
from course.models.policy.reader.matters import UNHEARD, nothing_features, tool_features, word_pairs
from course.models.policy.reader.odds import unsaid
from course.models.policy.reader.options import option_features, switch_features
from course.models.policy.reader.pairs import Pair, pairs
from course.models.policy.reader.slots import Slot, as_told, foreign_ids, offer_of, slots_of
from course.models.policy.reader.stories import stories
from course.models.policy.reader.weights import coefficients
from course.models.policy.words import STAND_IN
from course.models.wire import ToolSpec
from tests.policy.cases import ALL, HERE, load
from tests.policy.written import written
from tests.reading.documents import all_documents
from tests.reading.domains import domains
from tests.reading.requests import TODAY, every

STRENGTH = 1.0
"""Of the choice of tools: how far its weights may go from nothing (their variance)."""
ASSUMED = {"titled staff": 3.0, "titled other": -3.0, "unnamed staff": -3.0,
           "oneself as staff": -5.0, "as shown": 1.5,
           "quoted>words": 1.8, "sole quoted>words": 1.7}  # fmt: skip
"""Features of the scorer of slots that are seen too seldom to be learned, with what they weigh."""
JOINED = {
    "lone letter": -3.0,
    "opens with its name": 2.0,
    "address itself": 2.5,
    "only its name": -4.0,
    "its relative": 3.0,
}
"""The same of the scorer of fields."""
FOREIGN = 3
"""Of so many requests one is put to a foreign staff, where it is for nobody."""
CUT_SHORT = 4
"""Of so many requests one is shown once more without a value that it needs."""
NATURAL = 3
"""How many times each document in natural words counts."""
UNSAID = 5
"""Of so many slots one is shown once more without its value."""
SEEN_IN = 3
"""Businesses in which a feature must occur to be learned."""


@dataclass(frozen=True)
class Example:
    """One request with what a right answer calls first; `business` for counting."""

    business: str
    text: str
    tools: tuple[ToolSpec, ...]
    calls: tuple[tuple[str, Mapping[str, Any]], ...]
    today: date
    whole: bool = True
    last: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    instructions: str = ""

    @property
    def deeds(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """The calls that do what is asked, after what had to be looked up for them."""
        return self.last or self.calls


def examples() -> Iterator[Example]:
    """All labelled requests of which one message holds everything."""
    for case in every(domains(), "train"):
        if len(case.messages) > 1:
            continue
        tools = tuple(
            ToolSpec(
                t["function"]["name"], t["function"]["description"], t["function"]["parameters"]
            )
            for t in case.tools
        )
        text = corrected(case.messages[0]["content"])
        yield Example(case.domain, text, tools, case.calls, TODAY, not case.asks, (), case.system)
    for each in (*ALL, *load("natural")):
        turns = [tuple((c["name"], c["arguments"]) for c in turn) for turn in each.calls] or [()]
        told = each.instructions
        today = stated_today(told) or written_on(told) or REFERENCE
        yield Example(
            f"{each.set}: {each.domain}",
            corrected(each.say),
            as_told(each.tools, told),
            turns[0],
            today,
            each.asks is None,
            turns[-1],
            each.instructions,
        )


def staffed(found: Iterable[Example]) -> Iterator[Example]:
    """The requests as they are put to colleagues who share the tools of a business: to all of
    them, and to one with the tools and the others beside."""
    staffs: Mapping[str, Any] = json.loads((HERE / "staff.json").read_text(encoding="utf-8"))
    whole = [*found]
    for place, example in enumerate(whole):
        business = example.business.rpartition(": ")[2]
        for staff in staffs.get(business, ()):
            names = [*staff]
            mine = names[place % len(names)]
            led = {t: name for name, told in staff.items() for t in told["tools"]}
            if not all(tool in led for tool, _ in example.deeds):
                continue
            described = f"You are {mine.replace('_', ' ')} of a {business}: {staff[mine]['about']}"
            for me, instructions, has_tools in (
                ("", example.instructions, False),
                (mine, described, True),
                (mine, described, False),
            ):
                own = tuple(
                    t for t in example.tools if has_tools and t.name in staff[mine]["tools"]
                )
                others = tuple(
                    ToolSpec(f"{STAND_IN}{name}", told["about"], {})
                    for name, told in staff.items()
                    if name != me
                )
                tools = (*own, *others, ToolSpec(STAND_IN, instructions, {}))
                known = {t.name for t in own}
                deeds = tuple(
                    (tool if tool in known else STAND_IN + led[tool].removeprefix(me), given)
                    if led[tool] == me or not me
                    else (f"{STAND_IN}{led[tool]}", given)
                    for tool, given in example.deeds
                )
                yield replace(example, tools=tools, calls=deeds, last=())
                other = whole[(place + 7 * (place % 90) + 41) % len(whole)]
                if place % FOREIGN == 0 and other.business != example.business:
                    yield replace(other, tools=tools, calls=(), last=())


def cut_short(found: list[Example]) -> Iterator[Example]:
    """Every so many of the requests for one thing without a value that its tool needs."""
    for example in found[::CUT_SHORT]:
        named = [t for t in example.tools if [t.name] == [n for n, _ in example.deeds]]
        if not named:
            continue
        offer, place = offer_of(example.tools), example.tools.index(named[0])
        made = fill_tool(offer, place, example.text, example.today)
        for start, end in made.spans if not made.missing else ():
            text = f"{example.text[:start].rstrip()} {example.text[end:].lstrip()}".strip()
            if fill_tool(offer, place, text, example.today).missing:
                yield replace(example, text=text)
                break


Choice = tuple[str, list[Mapping[str, float]], tuple[int, ...]]
"""A business, the features of each way to choose, the last of which is none, and the right ones."""


def mark_choices(found: Iterator[Example]) -> Iterator[Choice]:
    """Each plain slot of the right tools beside the marks that may be its value, and none."""
    for example in found:
        called = {name for name, _ in example.calls}
        offer = offer_of(example.tools)
        for place, tool in enumerate(offer.tools):
            if tool.name not in called:
                continue
            wanted = [args for name, args in example.calls if name == tool.name]
            spans = claims(offer, place, example.text)
            others = foreign_ids(offer, place, example.text)
            for slots_here, values in _levels(offer.slots[place], wanted):
                shared = about(offer, place)
                marked = pairs(slots_here, example.text, example.today, spans, shared, others)
                marked += stories(slots_here, example.text, shared)
                yield from _by_slot(
                    example.business, marked, lambda name, v=values: [w.get(name) for w in v]
                )


def _by_slot(
    business: str, marked: list[Pair], wanted: Callable[[str], list[Any]]
) -> Iterator[Choice]:
    """Pairs of mark and slot as choices, one for each slot, by the values that are right."""
    for slot in dict.fromkeys(p.slot for p in marked):
        own = [p for p in marked if p.slot is slot]
        values = wanted(slot.name)
        right = [n for n, p in enumerate(own) if any(_equal(v, p.value) for v in values)]
        yield business, [*(p.features for p in own), unsaid(slot)], tuple(right) or (len(own),)


def unsaid_choices(found: list[Choice]) -> list[Choice]:
    """Every so many of some choices as if the right mark were not there: then none is right."""
    said = [(b, ways, right) for b, ways, right in found if len(ways) - 1 not in right]
    less = [
        (b, [w for n, w in enumerate(ways) if n not in right]) for b, ways, right in said[::UNSAID]
    ]
    return [(b, ways, (len(ways) - 1,)) for b, ways in less if len(ways) > 1]


@dataclass(frozen=True)
class Told:
    """A document with the schema to be filled from it, the right values, and its day."""

    business: str
    text: str
    schema: Mapping[str, Any]
    right: Mapping[str, Any]
    today: date


def told() -> Iterator[Told]:
    """The documents to learn fields from: the generated ones, and those in natural words, each
    several times, as they are few."""
    for each in all_documents(domains(), "train"):
        right = {f.name: f.value for f in each.fields}
        yield Told(each.domain, each.text, each.schema, right, TODAY)
    for one in [*written("train")] * NATURAL:
        today = stated_today(one.instructions) or written_on(one.instructions) or REFERENCE
        yield Told(one.trade, one.text, one.schema, one.right, today)


def field_choices(found: Iterable[Told]) -> Iterator[Choice]:
    """Each open field of a document's schema beside the marks, rows of lists apart."""
    for each in found:
        text, slots = as_read(each.text), slots_of(each.schema)
        made = settled(slots, text, each.today)

        def value(name: str, right: Mapping[str, Any] = each.right) -> list[Any]:
            inside: Any = right
            for part in name.split("."):
                inside = inside.get(part) if isinstance(inside, Mapping) else None
            return [inside]

        yield from _by_slot(each.business, left(slots, made, text, each.today), value)
        for slot in slots:
            rows = each.right.get(slot.name) if slot.inner and slot.item is None else None
            for row in rows if isinstance(rows, list) else ():
                yield from _row_marks(each, slot, row, text)


def _row_marks(document: Told, slot: Slot, row: Mapping[str, Any], text: str) -> Iterator[Choice]:
    """Each field of a row beside the marks, in the pieces of a text that hold the whole row."""
    for start, end, _ in pieces(text):
        piece = text[start:end]
        made = settled(slot.inner, piece, document.today)
        marked = left(slot.inner, made, piece, document.today)
        said = {p.slot.name for p in marked if _equal(row.get(p.slot.name), p.value)}
        if said | {*made.values} == {*row}:
            yield from _by_slot(document.business, marked, lambda name: [row.get(name)])


def tool_choices(found: Iterable[Example]) -> Iterator[Choice]:
    """Each request that asks for one thing or nothing, beside every tool and none."""
    for example in found:
        called = {name for name, _ in example.deeds}
        if len(called) > 1 or not example.tools:
            continue
        offer = offer_of(example.tools)
        text = mended(example.text, offer.tools)
        fillings = [fill_tool(offer, n, text, example.today) for n in range(len(offer.tools))]
        ways = [nothing_features(offer, text, fillings)]
        for place, filling in reversed([*enumerate(fillings)]):
            said, own = word_pairs(offer, place, text, filling)
            named = {f"{one}|{other}": 1.0 for one in said for other in own - {one}}
            ways.insert(0, tool_features(offer, place, text, fillings) | named)
        right = [n for n, t in enumerate(offer.tools) if t.name in called]
        if right and any(name.endswith(UNHEARD) for name in ways[right[0]]):
            continue  # nothing to learn from
        yield example.business, ways, (right[0] if right else len(ways) - 1,)


def value_choices(found: Iterable[Example], kind: str) -> Iterator[Choice]:
    """Each enumeration, or switch, of a tool that is called once, beside its values and none."""
    for example in found:
        offer = offer_of(example.tools)
        names = [name for name, _ in example.calls]
        for place, tool in enumerate(offer.tools):
            if names.count(tool.name) != 1:
                continue
            wanted = next(args for name, args in example.calls if name == tool.name)
            for slot in offer.slots[place]:
                if slot.param.kind != kind:
                    continue
                if kind == "enum":
                    ways = option_features(slot.param, example.text)
                else:
                    ways = switch_features(slot.param, example.text, about(offer, place))
                if slot.name not in wanted or (
                    kind == "boolean" and wanted[slot.name] is False and _unsaid(ways)
                ):
                    right = len(ways) - 1
                else:
                    right = next(
                        (n for n, (v, _) in enumerate(ways) if _equal(wanted[slot.name], v)),
                        len(ways) - 1,
                    )
                yield example.business, [f for _, f in ways], (right,)


def _unsaid(ways: Any) -> bool:
    """Whether nothing in a text speaks of a switch: then a required "false" is only its default."""
    return not any(v for _, features in ways[:-1] for k, v in features.items() if k)


def _levels(
    slots: tuple[Slot, ...], wanted: list[Mapping[str, Any]]
) -> Iterator[tuple[tuple[Slot, ...], list[Mapping[str, Any]]]]:
    yield slots, wanted
    for slot in slots:
        inside = [w[slot.name] for w in wanted if isinstance(w.get(slot.name), Mapping)]
        if slot.inner and inside:
            yield slot.inner, inside


def _equal(wanted: Any, value: Any) -> bool:
    if isinstance(wanted, Mapping) and "any" in wanted:
        return any(_equal(w, value) for w in wanted["any"])
    if isinstance(wanted, Mapping) and "contains" in wanted:
        return all(str(w).lower() in str(value).lower() for w in wanted["contains"])
    if isinstance(wanted, str) and isinstance(value, str):
        return wanted.casefold().strip(" .") == value.casefold().strip(" .")
    return wanted is not None and bool(wanted == value)


def chosen(of: str, found: list[Choice], *, strength: float) -> dict[str, dict[str, float]]:
    """The coefficients of a conditional logit: which way is chosen, one of the right, or none."""
    rows: list[Mapping[str, float]] = []
    groups, right = [], []
    places: dict[str, set[str]] = {}
    for n, (business, ways, some) in enumerate(found):
        right += [len(rows) + place for place in some]
        rows += [*ways[:-1], {f"no {k}": v for k, v in ways[-1].items()}]
        groups += [n] * len(ways)
        for name in {k for features in rows[-len(ways) :] for k in features}:
            places.setdefault(name, set()).add(business)
    kept = {n for n, seen in places.items() if len(seen) >= (5 if "|" in n else SEEN_IN)}
    reader = DictVectorizer()
    table = reader.fit_transform([{k: v for k, v in f.items() if k in kept} for f in rows])
    group = np.array(groups)
    good = np.bincount(right, minlength=len(rows))

    def loss(weights: Any) -> tuple[float, Any]:
        scores = table @ weights
        top = np.full(len(found), -np.inf)
        np.maximum.at(top, group, scores)
        odds = np.exp(scores - top[group])
        whole, fine = np.bincount(group, odds), np.bincount(group, odds * good) + 1e-300
        wrong = odds / whole[group] - odds * good / fine[group]
        missed = float(np.sum(np.log(whole) - np.log(fine)))
        return missed + weights @ weights / (2 * strength), table.T @ wrong + weights / strength

    start = np.zeros(table.shape[1])
    made = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500})
    out: dict[str, dict[str, float]] = {of: {}, f"no {of}": {}}
    for name, c in sorted(zip(reader.get_feature_names_out(), made.x, strict=True)):
        if abs(c) >= 0.05:
            none = name.startswith("no ")
            out[f"no {of}" if none else of][name.removeprefix("no ")] = round(float(c), 2)
    return out


def write(trained: Mapping[str, Mapping[str, float]]) -> None:
    """Keep the coefficients where the reader finds them."""
    path = files("course.models.policy.reader").joinpath("coefficients.json")
    text = json.dumps(trained, indent=0, ensure_ascii=False)
    beside = Path(f"{path}.new")  # who stops here halfway keeps what was
    beside.write_text(f"{text}\n", encoding="utf-8")
    beside.replace(str(path))


def among(business: str, share: float) -> bool:
    """Whether a business is among a share (0 to 1) of all, the same at every run."""
    return int(sha256(business.encode()).hexdigest()[:8], 16) < share * 16**8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of businesses, for a curve")
    share = parser.parse_args().share
    found = [e for e in examples() if among(e.business, share)]
    values = list(value_choices(found, "enum"))
    switches = list(value_choices(found, "boolean"))
    print(len(values), "enumerations and", len(switches), "switches beside requests")
    trained = {
        **chosen("value", values, strength=3.0),
        **chosen("switch", switches, strength=3.0),
    }
    write(trained)
    coefficients.cache_clear()
    marks = list(mark_choices(iter(found)))
    print(len(found), "requests;", len(marks), "slots beside marks")
    made = chosen("slot", [*marks, *unsaid_choices(marks)], strength=STRENGTH)
    trained |= {**made, "slot": {**made["slot"], **ASSUMED}}
    write(trained)
    coefficients.cache_clear()
    fields = [*marks, *field_choices(t for t in told() if among(t.business, share))]
    print(len(fields), "slots and fields of documents beside marks")
    made = chosen("field", fields, strength=0.3)
    trained |= {**made, "field": {**made["field"], **JOINED}}
    write(trained)
    coefficients.cache_clear()
    whole = [e for e in found if e.whole]
    whole += [*cut_short(whole)]
    tools, staffs = list(tool_choices(whole)), list(tool_choices(staffed(whole)))
    print(len(tools), "requests with tools,", len(staffs), "with colleagues")
    trained |= chosen("tool", tools, strength=STRENGTH)
    write({**trained, **chosen("staff", staffs, strength=STRENGTH)})


if __name__ == "__main__":
    main()
