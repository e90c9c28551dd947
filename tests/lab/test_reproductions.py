"""docs/reproductions.md says what is measured, and a router's curves are what its routes say."""

from __future__ import annotations

from pathlib import Path

import pytest

from course.errors import ConfigurationError
from course.reproductions import published, routing_curves
from course.reproductions.published import BEYOND, drawn_plan, makespan, measured
from course.routing.sentences import Sentence
from course.supervisor_worker import critical_path

PAGE = Path(__file__).parents[2] / "docs/reproductions.md"
WORDS = {"bank": {"money", "account"}, "travel": {"flight", "hotel"}, "home": {"lamp", "music"}}
TRAIN = [
    Sentence(f"{verb} my {word} {when}", (name,))
    for name, words in WORDS.items()
    for word in sorted(words)
    for verb in ("find", "change", "stop", "show")
    for when in ("now", "today", "please")
]
TEST = [
    Sentence("show me the money", ("bank",)),
    Sentence("where is my flight today", ("travel",)),
    Sentence("play some music", ("home",)),
    Sentence("change what I owe", ("bank",)),  # without a telling word
    Sentence("sing a song of sixpence", ()),
]


def test_the_page_has_what_is_measured_today() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert measured() in page
    assert all(f"| {what} | {why} |" in page for what, why in BEYOND)


def test_the_page_has_a_row_of_curves_for_each_number_of_specialists() -> None:
    page = PAGE.read_text(encoding="utf-8")
    section = page.split("## Routing on CLINC150")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows[1:]] == [
        str(count) for count in routing_curves.COUNTS
    ]


def test_a_miss_is_said_to_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published, "QUERIES", 50)
    monkeypatch.setattr(published, "SLOWEST_S", 2.0)
    verdicts = {each.what: each.verdict for each in published.compiler()}
    assert verdicts["LLMCompiler, speed-up: HotpotQA, 2-way"].startswith("missed by -")
    assert verdicts["LLMCompiler, slowest of 8 searches"].startswith("missed by -4")


def test_schedules_are_really_run() -> None:
    plan, seconds = drawn_plan(3)
    assert makespan(plan, seconds) == pytest.approx(critical_path(plan, seconds)[1])
    assert makespan(plan, seconds, limit=1) == pytest.approx(sum(seconds.values()))


def test_curves_count_what_is_right_and_what_is_decided() -> None:
    table, rejected = routing_curves.curves(TRAIN, TEST, WORDS, counts=(2, 3), sure=0.5)
    rows = {(row["router"], row["specialists"]): row for row in table.to_dict("records")}
    assert rows["keyword", 3]["accuracy"] == 0.75
    assert rows["keyword", 2]["accuracy"] == pytest.approx(2 / 3)
    assert rows["TF-IDF", 3]["accuracy"] >= 0.75
    assert rows["hybrid", 3]["coverage"] == 0.75
    assert rows["hybrid", 3]["accuracy"] == 1.0
    assert rejected == 1.0
    assert all(row["low"] <= row["accuracy"] <= row["high"] for row in rows.values())


def test_more_specialists_than_there_are_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="there are 3 specialists, not 4"):
        routing_curves.curves(TRAIN, TEST, WORDS, counts=(4,))
