"""Figures in an answer that nothing holds on which it rests: made up, or worked out on the way.

A figure is held where it stands in the material, rounded, or with decimals in thousands, millions
or billions ("4.2 million" of 4,187,300), in words ("2 offices" of "two offices"), or as a share
("12 %" of 0.12). Numbers in a name ("t1", "D-077"), of list items, of references and of months
are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from course.statements import in_digits

# Both begin with a digit and then look back, since that is found several times as fast.
_FIGURE = re.compile(r"\d(?<![\w.,\[]\d)(?<![^\W\d_]-\d)[\d,]*(?:\.\d+)?(?![\w\]])")
_MONTH = re.compile(r"\d\d(?<=\b\d{4}-\d\d)(?=-\d\d\b)")
_ITEM = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_SCALES = (1.0, 1e3, 1e6, 1e9)
UNFOUNDED = "No result holds these figures: {figures}."


def figures_in(text: str) -> dict[str, float]:
    """The figures of a text, as they stand there, with their values."""
    found = (each.rstrip(",") for each in _FIGURE.findall(_MONTH.sub("", _ITEM.sub("", text))))
    return {each: float(each.replace(",", "")) for each in found}


def unfounded(answer: str, held: Iterable[str]) -> tuple[str, ...]:
    """The figures of an answer that none of these texts holds, in their order."""
    said = figures_in(answer)
    if not said:
        return ()
    known = {value for text in held for value in figures_in(f"{text}\n{in_digits(text)}").values()}
    return tuple(shown for shown, value in said.items() if not _is_held(shown, value, known))


def marked(answer: str, held: Iterable[str]) -> str:
    """An answer with a sentence that names the figures that none of these texts holds, if any."""
    found = unfounded(answer, held)
    return f"{answer}\n\n{UNFOUNDED.format(figures=', '.join(found))}" if found else answer


def _is_held(shown: str, value: float, known: Iterable[float]) -> bool:
    places = len(shown.partition(".")[2])
    return any(
        value in (each / scale, each * scale)
        or ((places or scale == 1) and round(each / scale, places) == value)
        for each in known
        for scale in _SCALES
    ) or any(round(100 * each, places) == value for each in known if 0 < each < 1)
