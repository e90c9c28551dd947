"""What a command for a class says, line by line: in the words of others nothing steers a terminal.

A line to a terminal goes through `say` or `tell`; of lines with one cause `Lines` keeps the first.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator

from course.terminal import plain
from graders.records.wording import one_line

MOST_LINES = 3  # of one cause: examples, with the count of the others
_END = 100  # letters of a path


def say(command: str, line: str) -> None:
    """Print what a person should know on stderr, on one line that begins with the command."""
    print(f"{command}: {one_line(line)}", file=sys.stderr)


def shortened(path: str) -> str:
    """A path in a download, without its middle where that is long."""
    return path if len(path) <= 2 * _END else f"{path[:_END]} … {path[-_END:]}"


def tell(text: str) -> None:
    """Print what was asked for."""
    print(plain(text))


class Lines:
    """Lines by cause: however many there are of one, some of everybody's are seen.

    Args:
        others: where those that are not seen stand.
    """

    def __init__(self, others: str = "") -> None:
        self._others = f"; {others} has them all" if others else ""
        self._of: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)

    def add(self, cause: str, line: str, *, whose: str = "") -> None:
        """Add one line; `whose` it is decides which are kept."""
        self._of[cause].append((whose, line))

    def __iter__(self) -> Iterator[str]:
        """At most `MOST_LINES` of each cause, everybody's first before anybody's second."""
        for lines in self._of.values():
            seen: Counter[str] = Counter()
            order = []
            for place, (whose, _) in enumerate(lines):
                seen[whose] += 1
                order.append((seen[whose], place))
            kept = sorted(place for _, place in sorted(order)[:MOST_LINES])
            yield from (lines[place][1] for place in kept)
            if left := len(lines) - len(kept):
                yield f"... and {left:,} more like the last one{self._others}"

    def __len__(self) -> int:
        return sum(map(len, self._of.values()))
