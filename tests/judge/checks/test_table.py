"""Every code of every check is earned by a small log, in one readable line, and documented."""

from __future__ import annotations

import pytest

import graders.checks
from graders.checks.examples import calling, results, structure, trying
from graders.checks.examples.play import Example
from graders.checks.table import examples, meanings, rows
from graders.records.log import Log
from graders.records.verdict import Check, Verdict
from graders.records.wording import LONGEST, UNREADABLE

PASSES = [*calling.PASSES, *trying.PASSES, *results.PASSES, *structure.PASSES]
COMBINATORS = {"all_of", "any_of", "first_failing", "viewed"}
KEYS = {"by_argument", "by_model", "by_request", "by_text", "by_tool"}
HELPERS = KEYS | {"did_fail", "is_transient", "Fields"}


def _name(example: Example) -> str:
    return f"{example.factory}-{example.code}"


@pytest.mark.parametrize("example", examples(), ids=_name)
def test_each_code_is_earned(example: Example) -> None:
    verdict = example.verdict
    assert (verdict.code, verdict.passed) == (example.code, False)
    assert verdict == example.verdict, "the same log, another verdict"


@pytest.mark.parametrize("example", examples(), ids=_name)
def test_each_message_is_a_line_that_says_where_to_look(example: Example) -> None:
    message = example.verdict.message
    assert 0 < len(message) <= LONGEST
    assert message.isprintable()
    if example.code != "not_attempted":
        assert message.startswith("expected ")
        assert "; " in message


@pytest.mark.parametrize("example", examples(), ids=_name)
def test_each_piece_of_evidence_can_be_drawn(example: Example) -> None:
    for bar in example.verdict.evidence:
        assert bar.label and len(bar.label) <= 48
        assert bar.end is None or bar.end >= bar.start


@pytest.mark.parametrize(("check", "log"), PASSES)
def test_what_is_right_passes(check: Check, log: Log) -> None:
    verdict = check(log)
    assert (verdict.code, verdict.sign) == ("ok", "passed"), verdict.message
    assert len(verdict.message) <= LONGEST


def test_every_code_has_an_example_and_a_meaning() -> None:
    earned = {example.code for example in examples()}
    assert set(meanings()) - earned == {UNREADABLE}
    assert earned <= set(meanings())


def test_every_check_stands_in_the_table() -> None:
    listed = {row.check for row in rows()}
    assert listed == set(graders.checks.__all__) - COMBINATORS - HELPERS


def test_the_table_says_what_each_check_takes() -> None:
    row = next(row for row in rows() if row.code == "concurrency.too_many")
    assert row.parameters == "limit, key, used=True, what='call'"
    assert row.purpose.startswith("Never more than `limit` at once")
    assert "3 were open at 0 s" in row.message


def _always(code: str) -> Check:
    return lambda log: Verdict("not yet", code, code)


def test_the_first_check_that_fails_has_the_word() -> None:
    fine = graders.checks.returned()
    log = Log(returned=True)
    assert graders.checks.first_failing([fine, _always("a"), _always("b")])(log).code == "a"
    assert graders.checks.all_of(fine, fine)(log).passed
    assert graders.checks.all_of()(log).passed


def test_one_of_several_is_enough() -> None:
    fine = graders.checks.returned()
    log = Log(returned=True)
    assert graders.checks.any_of(_always("a"), fine)(log).passed
    assert graders.checks.any_of(_always("a"), _always("b"))(log).code == "a"
    with pytest.raises(ValueError, match="at least one"):
        graders.checks.any_of()


def test_a_view_stands_in_for_the_result_of_a_run_that_returned() -> None:
    seen = graders.checks.viewed(lambda log: log.ended, graders.checks.equals(3.0))
    assert seen(Log(returned=True, ended=3.0)).passed
    assert seen(Log(returned=True, ended=4.0)).code == "value.differs"
    assert seen(Log(ended=3.0)).code == "value.no_result"
    broken = graders.checks.viewed(lambda log: log.result["no"], graders.checks.equals(3.0))
    assert broken(Log(returned=True)).code == UNREADABLE
