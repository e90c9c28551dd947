"""Figures of an answer that nothing holds on which it rests."""

import pytest

from course.figures import marked, unfounded

HELD = ("Sales were 4,187,300 EUR in 2024.", "Growth: 12.46 percent, in 3 regions", "Margin 0.124.",
        "Founded on 7 March 2011, two offices.")  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("Sales were 4187300 EUR in 2024.", ()),
        ("Sales were 4.2 million EUR [t12], growth 12.5%.", ()),
        ("1. Sales rose.\n2. So did costs.", ()),
        ("See t7 and v2.", ()),
        ("Sources: D-077, COVID-19, ISO-9001.", ()),
        ("Sales fell in 2023-2025 by -9.", ("2023", "2025", "9")),
        ("Sales were 5,000,000 EUR.", ("5,000,000",)),
        ("Growth was 13 percent in 4 regions, 13 again.", ("13", "4")),
        ("Nothing was found.", ()),
        ("It has 2 offices, since 2011-03-07.", ()),
        ("The margin is 12.4 %.", ()),
        ("The margin is 1240.", ("1240",)),
    ],
)
def test_a_figure_is_held_where_the_material_has_it_rounded_or_in_another_scale(
    answer: str, found: tuple[str, ...]
) -> None:
    assert unfounded(answer, HELD) == found


def test_the_mark_names_them_in_a_sentence_of_its_own() -> None:
    assert marked("It is 8.", HELD) == "It is 8.\n\nNo result holds these figures: 8."
    assert marked("It is 2024.", HELD) == "It is 2024."
