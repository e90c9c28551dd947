"""The stems that the course knows by heart: `python -m tests.policy.stems` writes them anew.

They are those of all words in the policy's tables, and in the modules that compare by rules; any
other word is stemmed when it is met.
"""

from __future__ import annotations

import re
from pathlib import Path

import course.models.policy
from course import conditions, statements, stems
from course.stems import unknown_stem
from course.supervisor_worker import needs

FOLDER = Path(course.models.policy.__file__).parent
TABLE = Path(stems.__file__).with_suffix(".txt")
RULES = (conditions, needs, statements, stems)
_WORD = re.compile(r"[a-z]{2,}")


def made() -> str:
    """A word and its stem on each line, in order."""
    paths = (*FOLDER.rglob("*.toml"), *(Path(each.__file__) for each in RULES))
    texts = [path.read_text(encoding="utf-8") for path in paths]
    words = {word for text in texts for word in _WORD.findall(text.lower())}
    return "".join(f"{word} {unknown_stem(word)}\n" for word in sorted(words))


if __name__ == "__main__":
    TABLE.write_text(made(), encoding="utf-8")
