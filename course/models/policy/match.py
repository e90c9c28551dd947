"""Matching: which of the offered tools a piece of text is about.

A small BM25: every tool is a document whose words weigh more in its name than in its description
and least in its parameters. The inverse document frequency is taken over the offered tools plus a
fixed imaginary background, so that a lone tool can be matched and words shared by all tools still
count a little. A word matches through its stem, or, for less, through a synonym of the lexicon.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from course.models.policy.lexicon import head_action, phrases, suggested, synonyms, tool_action
from course.models.policy.schemas import as_key
from course.models.policy.words import (
    STAND_IN,
    content,
    cue,
    name_stems,
    name_words,
    stem,
    table,
    word_list,
)
from course.models.wire import ToolSpec

ENOUGH = 1.15  # a score below this is no match: chosen on the development set of tests/policy
_BACKGROUND = 12
_WEIGHTS = {"name": 3.0, "description": 1.6, "values": 1.6, "parameter": 0.9, "about": 0.4}
_GENERIC = frozenset(stem(w) for w in word_list("match.generic"))
_SYNONYM = 0.6
_FIELD, _FIELD_TOLD = 0.55, 1.6
"""What one word of a trade's counts in a text, and what the trade weighs in who sees to it."""
_TRADES: dict[str, list[str]] = defaultdict(list)
for _field, _words in table("match.fields").items():
    for _word in set(map(stem, _words.split())):
        _TRADES[_word].append(f"{STAND_IN}{_field}")
_PHRASE = 0.8  # words that a turn of phrase stands for
_AGREE, _CLASH = 0.9, 1.6
_MILD = {
    ("create", "find"),
    ("change", "find"),
    ("pay", "find"),
    ("return", "find"),
    ("refund", "find"),
    ("send", "find"),
}
_KIN = {
    frozenset(p)
    for p in (
        ("refund", "pay"),
        ("return", "create"),
        ("create", "change"),
        ("return", "change"),
        ("send", "create"),
        ("pay", "create"),
        ("refund", "cancel"),
    )
}


@dataclass(frozen=True, slots=True)
class Document:
    """What is known of one tool (or worker): the weight of every stem, and the deed of its name."""

    weights: Mapping[str, float]
    length: float
    action: str | None
    label: frozenset[str]


def document(name: str, fields: Mapping[str, str]) -> Document:
    """A document from a name and texts by field (see _WEIGHTS)."""
    weights: dict[str, float] = defaultdict(float)
    named = frozenset(s for s in name_stems(name))
    faint = 1.0 if name.startswith(STAND_IN) else 0.3  # "returns" is a matter for an agent
    for word in named:
        weights[word] += _WEIGHTS["name"]
    for field, text in fields.items():
        for word in set(content(text)) | {stem(p) for p in phrases(text)}:
            weights[word] += _WEIGHTS[field] * (faint if word in _GENERIC else 1.0)
    for word in [w for w in weights if len(w) > 5 and w.endswith("er")]:
        weights[word[:-2]] += 0.7 * weights[word]  # a trainer trains
    if name.startswith(STAND_IN):
        for trade, count in _trades((*named, *content(fields.get("description", "")))).items():
            weights[trade] = _FIELD_TOLD * count
    action = tool_action(name, fields.get("description", ""))
    return Document(dict(weights), sum(weights.values()), action, named)


def _trades(stems: Iterable[str]) -> dict[str, float]:
    """The trades that words belong to, each with how many do; a word of several is shared out."""
    found: dict[str, float] = defaultdict(float)
    for word in set(stems):
        own = _TRADES.get(word, ())
        for trade in own:
            found[trade] += 1 / len(own) ** 0.5
    return found


Like = Callable[[str], frozenset[str]]


@dataclass(frozen=True)
class Index:
    """The documents of one list of tools or workers, with what a stem is worth among them."""

    documents: tuple[Document, ...]
    idf: Mapping[str, float]
    tools: tuple[ToolSpec, ...] = ()

    def scores(self, text: str, like: Like = synonyms) -> tuple[float, ...]:
        """How well each document answers the text; 0 is nothing in common. What is `like` a stem
        stands for it."""
        return _scores(self, text, like)

    def __hash__(self) -> int:
        return id(self)


# What is to be written or said is not what is asked for.
_CONTENT = cue("match.content", re.IGNORECASE | re.DOTALL)
_MEANS = cue("match.means")


@lru_cache(maxsize=4_000)
def _scores(index: Index, text: str, like: Like) -> tuple[float, ...]:
    text = _CONTENT.sub(" ", text) if content(_CONTENT.sub(" ", text)) else text
    meant = {stem(p): _PHRASE for p in phrases(text)}
    words = {**meant, **dict.fromkeys(content(text), 1.0)}
    wanted = head_action(text)
    plain = tuple(_score(index, doc, words, wanted, like) for doc in index.documents)
    if max(plain, default=0.0) >= ENOUGH:
        return plain
    words |= {
        trade: _FIELD * count for trade, count in _trades(content(_MEANS.sub(" ", text))).items()
    }
    return tuple(_score(index, doc, words, wanted, like) for doc in index.documents)


@lru_cache(maxsize=4_000)
def hinted(index: Index, text: str) -> tuple[float, ...]:
    """How well what a text's words and phrases suggest suits each document."""
    own = set(content(text))
    words = {head: n**0.5 for head, n in suggested(text).items() if head not in own}
    return tuple(
        sum(w * _gain(index, doc, head) for head, w in words.items()) for doc in index.documents
    )


def _worth(index: Index, doc: Document, word: str, like: Like) -> float:
    """What one word of the text adds: its own stem, or the best of those like it for less."""
    best = _gain(index, doc, word)
    for other in like(word):
        best = max(best, _SYNONYM * _gain(index, doc, other))
    return best


def _gain(index: Index, doc: Document, word: str) -> float:
    weight = doc.weights.get(word, 0.0)
    if not weight:
        return 0.0
    saturation = weight / (weight + 0.8 + 0.01 * doc.length)
    return index.idf.get(word, 1.0) * saturation


def _score(
    index: Index, doc: Document, words: dict[str, float], wanted: str | None, like: Like
) -> float:
    score = sum(weight * _worth(index, doc, word, like) for word, weight in words.items())
    return max(0.0, score + _agreement(wanted, doc.action)) if score > 0 else 0.0


def _agreement(wanted: str | None, offered: str | None) -> float:
    if wanted is None or offered is None:
        return 0.0
    if wanted == offered:
        return _AGREE
    if "transfer" in (wanted, offered) or (wanted, offered) in _MILD:
        return 0.0
    return -0.4 if frozenset((wanted, offered)) in _KIN else -_CLASH


def index_of(documents: tuple[Document, ...], tools: tuple[ToolSpec, ...] = ()) -> Index:
    """An index over documents, with the inverse document frequency of every stem."""
    counts: dict[str, int] = defaultdict(int)
    for doc in documents:
        for word in doc.weights:
            counts[word] += 1
    total = len(documents) + _BACKGROUND
    idf = {
        w: math.log(1 + (total - n + 0.5) / (n + (4.5 if w in _GENERIC else 0.5)))
        for w, n in counts.items()
    }
    return Index(documents, idf, tools)


def values_in(schema: object, depth: int = 0) -> list[str]:
    """All enumerated string values anywhere in a schema."""
    if isinstance(schema, Mapping):
        own = (
            [v for v in schema.get("enum", ()) or () if isinstance(v, str)]
            if isinstance(schema.get("enum"), list)
            else []
        )
        return (
            own + [v for part in schema.values() for v in values_in(part, depth + 1)]
            if depth < 12
            else own
        )
    if isinstance(schema, list) and depth < 12:
        return [v for part in schema for v in values_in(part, depth + 1)]
    return []


def tool_document(tool: ToolSpec) -> Document:
    """The document of one tool: its name, description, parameters and their enumerated values."""
    properties = tool.parameters.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    about = [str(p.get("description", "")) for p in properties.values() if isinstance(p, Mapping)]
    return document(
        tool.name,
        {
            "description": tool.description,
            "parameter": " ".join(" ".join(name_words(p)) for p in properties),
            "about": " ".join(about),
            "values": " ".join(" ".join(name_words(v)) for v in values_in(tool.parameters)),
        },
    )


@lru_cache(maxsize=512)
def _tool_index(key: str) -> Index:
    tools = tuple(ToolSpec(name, about, schema) for name, about, schema in json.loads(key))
    return index_of(tuple(tool_document(tool) for tool in tools), tools)


def tool_index(tools: tuple[ToolSpec, ...]) -> Index:
    """The index of a list of tools, kept by its JSON text."""
    return _tool_index(as_key([(t.name, t.description, t.parameters) for t in tools]))


def shared_words(tool: ToolSpec, text: str) -> frozenset[str]:
    """The words of a text that stand in a tool, or whose like do; no turns of phrase."""
    weights = tool_index((tool,)).documents[0].weights
    found = (w for w in content(text) if w in weights or synonyms(w) & weights.keys())
    return frozenset(found)


_LISTED = (
    r"(?m)(?:^|[;\n]|(?<=[.:,])\s)[\s>*#\d.()-]*[`\"'*]*{name}[`\"'*]*\s*"
    r"(?:\([^)\n]{{0,40}}\))?\s*(?::|-|–|—|=|\bfor\b|\bhandles\b|\()\s*([^\n;]+)"
)


@lru_cache(maxsize=2_000)
def described_in(name: str, text: str) -> str:
    """What a list in a text says of a name ("- billing: invoices and refunds"), "" if nothing."""
    if name.lower().replace("_", " ") not in text.lower().replace("_", " "):
        return ""  # as most are not, and a pattern of each would be dear
    pattern = _LISTED.format(name=re.escape(name).replace("_", "[_ ]"))
    match = re.search(pattern, text, re.IGNORECASE)
    return match.group(1).strip(" )") if match else ""


@lru_cache(maxsize=512)
def _choice_index(names: tuple[str, ...], texts: tuple[str, ...]) -> Index:
    about = [next((d for d in (described_in(n, t) for t in texts) if d), "") for n in names]
    return index_of(
        tuple(document(n, {"description": a}) for n, a in zip(names, about, strict=True))
    )


def choose(
    names: tuple[str, ...], text: str, texts: tuple[str, ...] = ()
) -> list[tuple[float, str]]:
    """The names ranked by how well they suit the text, best first; `texts` may describe them."""
    scores = _choice_index(names, texts).scores(text)
    ranked = sorted(zip(scores, range(len(names)), strict=True), key=lambda p: (-p[0], p[1]))
    return [(score, names[place]) for score, place in ranked]
