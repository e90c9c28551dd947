"""What a message says in the end, where a person corrects a slip or says what is not wanted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.models.policy.corrected import corrected

MEANT = {
    "Book it for Friday, no, Saturday.": "Book it for Saturday.",
    "I pay 15.95 euros, sorry, I mean 80 EUR in cash.": "I pay 80 EUR in cash.",
    "I pay 298 EUR ... wait, €175 by card.": "I pay €175 by card.",
    "Come at 4 pm ... wait, at 19:15.": "Come at 19:15.",
    "What do 2, sorry, I mean 4 trips cost?": "What do 4 trips cost?",
    "List what Bjørn Ødegård, no, Piet van der Berg has.": "List what Piet van der Berg has.",
    "Move it to Friday. No, make that Saturday.": "Move it to Saturday.",
    "What do 9 trips cost? Sorry, 5 of course, not 9.": "What do 5 trips cost?",
    "A small, no, a large coat.": "A large coat.",
    "Not on Friday but on Saturday.": "on Saturday.",
    "What does a van cost, but not the lorry.": "What does a van cost.",
    "Cancel BH-1234. Do not touch BH-9999.": "Cancel BH-1234.",
    "Cancel BH-1234. Leave BH-9999 as it is.": "Cancel BH-1234.",
}
AS_SAID = (
    "Please do not cancel my appointment.",
    "I cannot come on Friday. Sorry, I have no car.",
    "A table, but not before 10 and not for more than two.",
    "No, thank you.",
    "No shoes, and not washable.",
    "Sorry, 5.",
    "Book one on Friday and one on Saturday.",
    "Not only the red one but also the blue one.",
    "Do not change anything.",
    "Actually, what do you cost?",
    "Count the passengers.\n\nError: no\n\nTask: Count the passengers.\n\nWorker: archive",
    "One lily and one orchid. Actually, make that three lilies.",
)


@pytest.mark.parametrize("said", MEANT)
def test_a_value_that_is_taken_back_gives_way(said: str) -> None:
    assert corrected(said) == MEANT[said]
    assert corrected(MEANT[said]) == MEANT[said]


@pytest.mark.parametrize("said", AS_SAID)
def test_nothing_else_is_changed(said: str) -> None:
    assert corrected(said) == said


@given(st.text(alphabet="ano, .!sorywtimed1249€", max_size=60))
def test_no_text_ends_in_an_error_or_in_nothing(said: str) -> None:
    left = corrected(said)
    assert any(sign.isalnum() for sign in left) or not any(sign.isalnum() for sign in said)


def test_a_long_message_of_names_is_read_in_one_way_only() -> None:
    told = "On M at the Hall of Old Lamps " + "Anna Bell and Karl Moss of the Green House, " * 20
    said = f"{told}came by. No, sorry, they stayed at Home I think"
    assert corrected(said) == said
