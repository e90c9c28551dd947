"""What an exercise asks for, quoted by whole sentences.

The judge knows a contract by pieces, each of which can be broken; a reader is told the sentence
that the piece stands in, as the chapter has it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from course.notebook.exercises import answers_to, cells_of, folder, source_of

LONGEST = 400  # characters of a quote; a longer sentence is left at its piece
_BLOCK = re.compile(r"\n\s*\n|\n\s*(?=[-*|] ?)")
_STRESS = re.compile(r"(?<![\w*])\*{1,2}(?=\S)(.+?)(?<=\S)\*{1,2}(?![\w*])")
_END = re.compile(r"(?<=[.?!])\s+(?=[A-Z`“\"(*])")


def whole_sentence(number: str, piece: str) -> str:
    """The sentence that holds a piece of an exercise's contract; two where it goes over an end.

    Args:
        number: the exercise's, such as "1.3".
        piece: some words of its contract, word for word.

    Returns:
        The sentence without stress; the piece itself where the chapter is not at hand, has other
        words, or says it in a very long sentence.
    """
    wanted = " ".join(piece.split())
    for block in _blocks(number):
        begin = block.find(wanted)
        if begin >= 0:
            ends = [0, *(each.end() for each in _END.finditer(block)), len(block)]
            first = max(each for each in ends if each <= begin)
            last = min(each for each in ends if each >= begin + len(wanted))
            whole = block[first:last].strip(" ,;|")
            if len(whole) <= LONGEST:
                return _STRESS.sub(r"\1", whole)
    return piece


@lru_cache(maxsize=4)
def _blocks(number: str) -> tuple[str, ...]:
    """What an exercise's heading and its stub say: bullets, rows of tables and paragraphs."""
    chapters, chapter = folder("notebooks"), number.partition(".")[0].zfill(2)
    paths = sorted(chapters.glob(f"{chapter}_*/{chapter}_*.ipynb")) if chapters else []
    cells = [cell for path in paths for cell in cells_of(path)]
    heads = [each for each in map(source_of, cells) if each.startswith(f"### Exercise {number} ")]
    stubs = map(source_of, answers_to(number, cells))
    told = [doc for stub in stubs for doc in re.findall(r'"""(.*?)"""', stub, re.DOTALL)]
    parts = (" ".join(part.split()) for text in (*heads, *told) for part in _BLOCK.split(text))
    return tuple(re.sub(r"^(?:[-*]|\|) ", "", part) for part in parts)
