"""Merge: several results into one answer that covers each, with contradictions and gaps named."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from course.models.policy.lines import scalar
from course.models.policy.material import Part
from course.models.policy.prose import polished
from course.models.policy.words import content, human, listed

_FIGURE = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z '’/-]{1,60}?)\s*(?:\bis\b|\bwas\b|\bare\b|\bwere\b|:|="
    r"|\bof\b|\bat\b|\bto\b|\bcosts?\b|\breached\b|\btotals?\b)\s*(?:about |around "
    r"|approximately |only )?"
    r"(?P<value>[€$£]?\s?\d[\d,]*(?:\.\d+)?\s?(?:%|percent|million|billion|bn|m\b|k\b|EUR"
    r"|USD|GBP|euros?|dollars?|days?|weeks?|months?|hours?|people|units)?)",
)


def _figures(part: Part) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Named figures of a part: (words of the name, name as written, value)."""
    if isinstance(part.data, Mapping):
        for key, value in part.data.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                yield tuple(sorted(content(human(key)))), human(key), scalar(value)
        return
    for match in _FIGURE.finditer(part.body):
        name = match["name"].strip()
        words = content(name)[-4:]
        if words:
            yield (
                tuple(sorted(words)),
                re.sub(r"^(?:the|its|their|a|an|and)\s+", "", name, flags=re.IGNORECASE),
                match["value"].strip(),
            )


def contradictions(found: list[Part]) -> list[str]:
    """Sentences that name figures which several parts give differently."""
    seen: dict[tuple[str, ...], list[tuple[str, str, str]]] = defaultdict(list)
    for part in found:
        for words, name, value in _figures(part):
            seen[words].append((part.label, name, value))
    out = []
    for entries in seen.values():
        values = {re.sub(r"[\s,]", "", v).lower() for _, _, v in entries}
        if len(values) > 1 and len({label for label, _, _ in entries}) > 1:
            said = listed([f"{value} according to {label}" for label, _, value in entries])
            out.append(f"The results disagree about {entries[0][1]}: {said}.")
    return out


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
