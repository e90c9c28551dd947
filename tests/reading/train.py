"""Train the reader's coefficients: `python -m tests.reading.train`.

It learns from the training part of the generated requests and from the development requests of
tests/policy, and writes course/models/policy/reader/coefficients.json, rounded and in order, so
that the same data give the same file. It looks at no other part.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from typing import Any

from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from course.models.policy.corrected import corrected
from course.models.policy.dates import REFERENCE, stated_today
from course.models.policy.extraction import as_read, left, pieces, settled
from course.models.policy.reader.filling import about, claims, fill_tool
from course.models.policy.reader.matters import mended, scores_of, tool_features
from course.models.policy.reader.pairs import coefficients, pairs
from course.models.policy.reader.slots import Slot, offer_of, slots_of
from course.models.wire import ToolSpec
from tests.policy.cases import ALL
from tests.reading.documents import Document, all_documents
from tests.reading.domains import domains
from tests.reading.requests import TODAY, every

STRENGTH = 0.3
"""Of the scorer of tools: how far its coefficients may go from nothing (scikit-learn's C)."""
ASSUMED = {"titled staff": 3.0, "titled other": -3.0, "unnamed staff": -3.0, "as shown": 1.5,
           "month>month": 3.0, "quoted>words": 1.8, "sole quoted>words": 1.7}  # fmt: skip
"""Features of the scorer of slots that are seen too seldom to be learned, with what they weigh."""
JOINED = {"from one to the other>date": 2.5, "from one to the other>time": 2.5}
"""The same of the scorer of fields."""
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
        yield Example(case.domain, text, tools, case.calls, TODAY, not case.asks)
    for each in ALL:
        turns = [tuple((c["name"], c["arguments"]) for c in turn) for turn in each.calls] or [()]
        today = stated_today(each.instructions) or REFERENCE
        yield Example(
            f"{each.set} {each.domain}",
            corrected(each.say),
            each.tools,
            turns[0],
            today,
            True,
            turns[-1],
        )


def slot_rows(found: Iterator[Example]) -> Iterator[tuple[str, Mapping[str, float], bool]]:
    """Each mark beside each slot of the right tools: the features, and whether it is the value."""
    for example in found:
        called = {name for name, _ in example.calls}
        offer = offer_of(example.tools)
        for place, tool in enumerate(offer.tools):
            if tool.name not in called:
                continue
            wanted = [args for name, args in example.calls if name == tool.name]
            spans = claims(offer, place, example.text)
            for slots_here, values in _levels(offer.slots[place], wanted):
                shared = about(offer, place)
                for pair in pairs(slots_here, example.text, example.today, spans, shared):
                    right = any(_equal(v.get(pair.slot.name), pair.value) for v in values)
                    yield example.business, pair.features, right


def field_rows(
    found: Iterable[Document],
) -> Iterator[tuple[str, Mapping[str, float], bool]]:
    """Each mark beside each open field of a document's schema, rows of lists apart."""
    for document in found:
        text, slots = as_read(document.text), slots_of(document.schema)
        made = settled(slots, text, TODAY)
        wanted = {f.name: f.value for f in document.fields}
        for pair in left(slots, made, text, TODAY):
            value: Any = wanted
            for name in pair.slot.name.split("."):
                value = value.get(name) if isinstance(value, Mapping) else None
            yield document.domain, pair.features, _equal(value, pair.value)
        for slot in slots:
            for row in wanted.get(slot.name) or () if slot.inner and slot.item is None else ():
                if isinstance(row, Mapping):
                    yield from _row_marks(document.domain, slot, row, text)


def _row_marks(
    domain: str, slot: Slot, row: Mapping[str, Any], text: str
) -> Iterator[tuple[str, Mapping[str, float], bool]]:
    """Each mark beside each field of a row, in the pieces of a text that hold the whole row."""
    for start, end, _ in pieces(text):
        piece = text[start:end]
        made = settled(slot.inner, piece, TODAY)
        pairs = left(slot.inner, made, piece, TODAY)
        told = {p.slot.name for p in pairs if _equal(row[p.slot.name], p.value)}
        if told | {*made.values} == {*row}:
            for pair in pairs:
                yield domain, pair.features, _equal(row[pair.slot.name], pair.value)


def tool_rows(found: Iterator[Example]) -> Iterator[tuple[str, Mapping[str, float], bool]]:
    """Each tool beside each request that asks for one thing or nothing."""
    for example in found:
        called = {name for name, _ in example.deeds}
        if len(called) > 1 or not example.tools:
            continue
        offer = offer_of(example.tools)
        text = mended(example.text, offer.tools)
        scores = scores_of(offer.tools, text)
        fillings = [fill_tool(offer, n, text, example.today) for n in range(len(offer.tools))]
        for place, tool in enumerate(offer.tools):
            features = tool_features(offer, place, text, fillings, scores)
            yield example.business, features, tool.name in called


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


def learned(
    rows: list[tuple[str, Mapping[str, float], bool]], *, strength: float
) -> dict[str, float]:
    """The coefficients of a logistic regression over the features that several businesses share."""
    places: dict[str, set[str]] = {}
    for business, features, _ in rows:
        for name in features:
            places.setdefault(name, set()).add(business)
    kept = {n for n, seen in places.items() if len(seen) >= (5 if "|" in n else SEEN_IN)}
    reader = DictVectorizer()
    table = reader.fit_transform([{k: v for k, v in f.items() if k in kept} for _, f, _ in rows])
    table.indices, table.indptr = table.indices.astype("int32"), table.indptr.astype("int32")
    model = LogisticRegression(C=strength, max_iter=2_000, solver="liblinear", random_state=0)
    model.fit(table, [right for *_, right in rows])
    found = dict(zip(reader.get_feature_names_out(), model.coef_[0], strict=True))
    rounded = {name: round(float(c), 2) for name, c in found.items() if abs(c) >= 0.05}
    return {"": round(float(model.intercept_[0]), 2), **dict(sorted(rounded.items()))}


def write(trained: Mapping[str, Mapping[str, float]]) -> None:
    """Keep the coefficients where the reader finds them."""
    path = files("course.models.policy.reader").joinpath("coefficients.json")
    text = json.dumps(trained, indent=0, ensure_ascii=False)
    with open(str(path), "w", encoding="utf-8") as file:
        file.write(text + "\n")


def main() -> None:
    found = list(examples())
    rows = list(slot_rows(iter(found)))
    print(len(found), "requests;", len(rows), "pairs,", Counter(right for *_, right in rows))
    slot = {**learned(rows, strength=1.0), **ASSUMED}
    write({"slot": slot, "tool": {}, "field": {}})
    coefficients.cache_clear()
    fields = [*rows, *field_rows(all_documents(domains(), "train"))]
    print(len(fields), "marks beside fields of documents")
    field = {**learned(fields, strength=0.3), **JOINED}
    write({"slot": slot, "tool": {}, "field": field})
    coefficients.cache_clear()
    tools = list(tool_rows(e for e in found if e.whole))
    print(len(tools), "tools beside requests")
    write({"slot": slot, "tool": learned(tools, strength=STRENGTH), "field": field})


if __name__ == "__main__":
    main()
