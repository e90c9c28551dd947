"""docs/domains.md says what the code says."""

import pytest

from course.scenarios.domains import DOMAINS
from tests.scenarios import page


def test_the_page_begins_as_it_should_and_has_every_domain() -> None:
    text = page.PAGE.read_text()
    assert text.startswith(page.INTRODUCTION)
    assert text.count("\n## ") == len(DOMAINS)


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.name)
def test_the_page_is_up_to_date(domain: page.Domain[page.Any]) -> None:
    assert page.about(domain) in page.PAGE.read_text(), "run python -m tests.scenarios.page"
