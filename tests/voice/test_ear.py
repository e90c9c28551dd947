"""What is said of what was written: one fact a sentence, and nothing lost."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.voice.ear import for_the_ear, spoken_text


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Booked: patient Ines Moreau, 2026-03-09 09:30, doctor Dr. Roy.",
         "Booked. Patient Ines Moreau. Monday 9 March at 9:30. Doctor Dr. Roy."),
        ("Dr. Roy comes 2026-03-09 10:00.", "Dr. Roy comes Monday 9 March at 10 o'clock."),
        ("You owe 1,045.50 EUR for I-1002.", "You owe 1,045 euros 50 for I 1 0 0 2."),
        ("It costs €3.00 or $4.05.", "It costs 3 euros or 4 dollars 5."),
        ("We have: one, two, and three.", "We have: one, two, and three."),
        ("Well, if you like, on Monday, or later.", "Well, if you like, on Monday, or later."),
        ("On 2026-02-31 nothing.\nThe ratio is 3.14.", "On 2026-02-31 nothing. The ratio is 3.14."),
        ("", ""),
    ],
)  # fmt: skip
def test_facts_are_said_as_people_say_them(written: str, said: str) -> None:
    assert for_the_ear(written) == said


PARTS = st.lists(st.from_regex(r"[a-z]{2,8} [a-z]{2,8}", fullmatch=True), min_size=1, max_size=6)


@given(PARTS)
def test_no_word_is_lost_or_added(facts: list[str]) -> None:
    written = f"Found: {', '.join(facts)}. Anything else?"
    assert re.findall(r"\w+", for_the_ear(written).lower()) == re.findall(r"\w+", written.lower())


@given(PARTS, st.integers(1, 12))
def test_pieces_give_what_the_whole_gives(facts: list[str], size: int) -> None:
    written = f"Dr. Roy found: {', '.join(facts)}. On 2026-03-09 10:00 he is in. Bye."

    async def pieces() -> AsyncIterator[str]:
        for begin in range(0, len(written), size):
            yield written[begin : begin + size]

    async def joined() -> str:
        return "".join([each async for each in spoken_text(pieces())])

    assert asyncio.run(joined()).split() == for_the_ear(written).split()
