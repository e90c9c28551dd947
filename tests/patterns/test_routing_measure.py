"""Measuring routers, and what happens to a list of specialists when it grows."""

from __future__ import annotations

import pytest

from course import clock, connect
from course.benches.town_hall import town_hall
from course.evaluation.routing_quality import (
    RouterScore,
    assumed_reader,
    evaluate_router,
    flat_against_two_levels,
)
from course.models import Scripted
from course.routing import ModelRouter, NestedRouter, StaticRouter, sentences
from course.routing.sentences import Sentence

FEW = (
    Sentence("What do I owe?", ("billing",)),
    Sentence("Book me in and tell me what I owe", ("billing", "book"), "several"),
    Sentence("Rain?", (), "out of scope"),
    Sentence("An hour on Monday?", ("book",), "paraphrase"),
)
NAMES = ModelRouter({"billing": "money", "book": "appointments", "nurse": "symptoms"})


def scored(accuracy: float, *, seed: int = 0, latency: float = 0.5) -> RouterScore:
    script = assumed_reader(FEW, accuracy, seed=seed)
    client = connect(Scripted(lambda request: script(request), latency=latency))
    return clock.simulate(evaluate_router(NAMES, FEW, client=client))


def test_a_perfect_reader_is_always_right_at_one_call_each() -> None:
    score = scored(1.0)
    assert (score.accuracy, score.calls) == (1.0, 1.0)
    assert score.seconds == pytest.approx(0.5)
    assert score.tokens == sum(each.route.usage.total for each in score.cases) / 4
    assert score.tokens > 0


def test_a_reader_that_errs_names_somebody_on_offer() -> None:
    score = scored(0.0)
    assert score.accuracy == 0.0
    assert all(len(each.route.agents) == 1 for each in score.cases)


def test_a_reader_errs_about_as_often_as_it_should_and_always_alike() -> None:
    many = [Sentence(f"request {n}", ("billing",)) for n in range(400)]
    client = connect(assumed_reader(many, 0.8))
    first = clock.simulate(evaluate_router(NAMES, many, client=client))
    again = clock.simulate(evaluate_router(NAMES, many, client=client, series="again"))
    low, high = first.interval
    assert low <= 0.8 <= high
    assert [c.route.agents for c in first.cases] == [c.route.agents for c in again.cases]


def test_a_score_is_kept_for_each_kind() -> None:
    table = StaticRouter({"billing": ["owe"], "book": ["book"]})
    score = clock.simulate(evaluate_router(table, FEW, client=connect(Scripted(lambda _: None))))
    assert score.accuracy == 0.5
    assert (score.calls, score.tokens, score.seconds) == (0, 0, 0)
    assert score.of("plain", "out of scope").accuracy == 1.0
    assert score.of("several").accuracy == 0.0  # one of the two is not enough
    with pytest.raises(ValueError, match="no sentences of the kind rude"):
        score.of("rude")


def test_there_must_be_something_to_route() -> None:
    with pytest.raises(ValueError, match="no sentences"):
        clock.simulate(evaluate_router(NAMES, [], client=connect("simulated")))


def test_the_order_of_several_does_not_count() -> None:
    client = connect(Scripted(lambda _: '{"agents": ["book", "billing"]}'))
    assert clock.simulate(evaluate_router(NAMES, FEW[1:2], client=client)).accuracy == 1.0


def test_a_town_hall_has_the_desks_that_are_asked_for() -> None:
    for count in (1, 5, 7, 40):
        departments, requests = town_hall(count)
        names = [name for each in departments for name in each.choices]
        assert len(names) == count == len(set(names))
        assert {each.agents[0] for each in requests} == set(names)
        assert len(requests) == 2 * count
        assert all(len(each.choices) <= 5 for each in departments)
    for count in (0, 41):
        with pytest.raises(ValueError, match=f"1 to 40 desks, not {count}"):
            town_hall(count)


def test_without_routing_errors_both_ways_are_right() -> None:
    departments, requests = town_hall()
    flat = ModelRouter({n: about for each in departments for n, about in each.choices.items()})
    client = connect(profile="instant")
    for chooser in (flat, NestedRouter(departments)):
        score = clock.simulate(evaluate_router(chooser, requests, client=client))
        assert [c.sentence.text for c in score.cases if not c.right] == []


def test_past_ten_specialists_two_levels_are_right_more_often_and_read_less() -> None:
    rows = clock.simulate(
        flat_against_two_levels((5, 20, 40), client=connect(profile="misrouting"), repeats=1)
    )
    table = {(row.specialists, row.way): row.score for row in rows}
    assert [(row.specialists, row.way) for row in rows[:2]] == [(5, "flat"), (5, "two levels")]
    one, same = table[5, "flat"], table[5, "two levels"]
    assert (one.accuracy, one.calls, one.tokens) == (same.accuracy, same.calls, same.tokens)
    flat, nested = table[40, "flat"], table[40, "two levels"]
    assert flat.accuracy < 0.85 < 0.93 < nested.accuracy
    assert nested.tokens < flat.tokens
    assert table[20, "flat"].tokens < 0.75 * flat.tokens
    assert (flat.calls, nested.calls) == (1.0, pytest.approx(2.0, abs=0.02))
    assert flat.seconds < nested.seconds


def test_the_sentences_name_only_specialists_that_exist() -> None:
    known = set(sentences.specialists())
    told = (*sentences.train(), *sentences.calibration(), *sentences.test())
    assert {name for each in told for name in each.agents} == known
