"""Merge: several results into one answer that covers each, with contradictions and gaps named."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from course.contradictions import contradictions as differing
from course.models.policy.digest import sentences
from course.models.policy.lines import scalar
from course.models.policy.material import Part
from course.models.policy.mentions import mentions
from course.models.policy.prose import polished
from course.models.policy.words import content, human, listed


@dataclass(frozen=True)
class _Told:
    """What a part says, as the search for contradictions reads it."""

    task_id: str
    result: str


def _text(part: Part) -> str:
    """A part in words; of JSON the figures, a line each."""
    if not isinstance(part.data, Mapping):
        return part.body
    figures = (
        (key, value)
        for key, value in part.data.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    )
    return "\n".join(f"{human(key)}: {scalar(value)}" for key, value in figures)


def contradictions(found: list[Part]) -> list[str]:
    """Sentences that name figures which several parts give differently."""
    out = []
    for each in differing(_Told(part.label, _text(part)) for part in found):
        said = listed([f"{value} according to {label}" for label, value in each.said])
        out.append(f"The results disagree about {each.about}: {said}.")
    return out or _alike(found)


def _alike(found: list[Part]) -> list[str]:
    """Statements of several sources in the same words, but with another figure, time or day; where
    the labels name things of one kind ("Site North", "Site South"), each has its own."""
    said: dict[tuple[str, frozenset[str]], list[tuple[str, str, Any]]] = defaultdict(list)
    for part in found:
        for text in sentences(_text(part)):
            told = [m for m in mentions(text) if m.kind in ("date", "time", "number", "amount")]
            if len(told) == 1:
                rest = f"{text[: told[0].start]} {text[told[0].end :]}"
                about = frozenset(re.findall(r"\w+", rest.lower()))
                said[told[0].kind, about].append((part.label, told[0].text, told[0].value))
    kinds = [set(content(p.label)) for p in found]
    if any(a & b for n, a in enumerate(kinds) for b in kinds[n + 1 :]):
        return []
    differ = [
        [f"{text} according to {human_label(label)}" for label, text, _ in each]
        for (_, about), each in said.items()
        if len(content(" ".join(about))) > 1
        and len({value for _, _, value in each}) > 1
        and len({label for label, _, _ in each}) > 1
    ]
    return [f"The results disagree: {listed(each)}." for each in differ]


def _body(part: Part) -> str:
    text = part.body.strip()
    return text if text.endswith((".", "!", "?")) or "\n" in text else text + "."


def _reason(part: Part) -> str:
    bare = re.sub(
        r"^\W*(?:status:?\s*)?(?:failed|failure|error)\b[\s:,.-]*",
        "",
        part.body.strip(),
        flags=re.IGNORECASE,
    ).rstrip(".")
    return f"{human_label(part.label)}, {bare}" if bare else human_label(part.label)


def human_label(label: str) -> str:
    """A label as a reader likes it: underscores become blanks."""
    return re.sub(r"(?<=\w)_(?=\w)", " ", label)


def merged(found: tuple[Part, ...], request: str = "") -> str:
    """One text from labelled results: what each says, where they disagree, what is missing."""
    good = [p for p in found if not p.failed]
    bad = [p for p in found if p.failed]
    lines = [f"- {human_label(p.label)}: {_body(p)}" for p in good]
    topic = polished(request).splitlines()[0].rstrip(".!?") if request.strip() else ""
    opening = f"On “{topic}”, these results came in:" if topic else "These results came in:"
    blocks = ["\n".join([opening, *lines])] if good else ["No result came in."]
    blocks += contradictions(good)
    if bad:
        blocks.append(
            f"Missing: {'; '.join(_reason(p) for p in bad)}. The answer is incomplete without "
            f"{'it' if len(bad) == 1 else 'them'}."
        )
    return "\n\n".join(blocks)


def texts_of(value: Any) -> list[str]:
    """The strings in a JSON value, in order."""
    if isinstance(value, str):
        return [value]
    inner = (
        value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    )
    return [t for v in inner for t in texts_of(v)]
