"""The pages that list what the judge says and is tested with say what the code says."""

import pytest

from tests.judge import report

READER = report.DOCS / "judging.md"


@pytest.mark.parametrize("name", report.listed())
def test_a_listed_page_is_up_to_date(name: str) -> None:
    page = (report.DOCS / name).read_text(encoding="utf-8")
    assert page == report.joined(report.listed()[name]), "run python -m tests.judge.report"


def test_the_page_for_a_reader_is_short_and_leads_to_the_others() -> None:
    text = READER.read_text(encoding="utf-8")
    assert len(text.split()) <= 1_500
    assert all(f"({name})" in text for name in (*report.listed(), "judging-measured.md"))
