"""The stems that the course knows by heart: `python -m tests.policy.stems` writes them anew.

They are those of all words in the policy's tables; any other word is stemmed when it is met.
"""

from __future__ import annotations

import re
from pathlib import Path

import course.models.policy
from course import stems
from course.stems import unknown_stem

FOLDER = Path(course.models.policy.__file__).parent
TABLE = Path(stems.__file__).with_suffix(".txt")
_WORD = re.compile(r"[a-z]{2,}")


def made() -> str:
    """A word and its stem on each line, in order."""
    texts = [path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.toml")]
    words = {word for text in texts for word in _WORD.findall(text.lower())}
    return "".join(f"{word} {unknown_stem(word)}\n" for word in sorted(words))


if __name__ == "__main__":
    TABLE.write_text(made(), encoding="utf-8")
