"""Text from elsewhere, made fit for a terminal, a table's cell or a file's name.

A model's answer, a student's file name or a service's error may hold escape codes, which steer a
terminal, and marks that turn text around. Every line that prints such text goes through here.
"""

from __future__ import annotations

_JOINER = "\u200d"  # makes one emoji of several, and changes nothing else
LINES = f"\n\t{_JOINER}"


def plain(text: str, *, keep: str = LINES, mark: str = "?") -> str:
    """The text with each sign that is not to be seen replaced by a mark.

    Args:
        text: from elsewhere; lone surrogates are replaced as well.
        keep: signs that may stay although they cannot be seen; by default those of several lines.
        mark: what stands in their place.
    """
    whole = text.encode("utf-8", "replace").decode()
    return "".join(c if c.isprintable() or c in keep else mark for c in whole)
