"""Every domain: the same seed gives the same world, the facts can be reached, the traps trip."""

import dataclasses
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from course.errors import ToolError
from course.scenarios.world.domain import Domain
from course.scenarios.world.rubric import right, rubric
from tests.scenarios.worlds import (
    DOMAINS,
    SEEDS,
    Bench,
    in_a_table,
    in_bullets,
    in_sentences,
    stated_in,
    written,
)

EVERY = pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.name)


@pytest.fixture(
    params=[(d, s) for d in DOMAINS for s in SEEDS],
    ids=lambda p: f"{p[0].name} {p[1]}",
    scope="module",  # these tests only read
)
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    domain, seed = request.param
    bench = Bench(domain, seed)
    with bench.world:
        yield bench


def dump(domain: Domain[Any], seed: int) -> list[str]:
    with domain.open(seed=seed) as world, closing(sqlite3.connect(world.path)) as connection:
        return list(connection.iterdump())


@EVERY
def test_the_same_seed_gives_the_same_world_to_the_byte(domain: Domain[Any]) -> None:
    with domain.open(seed=3) as one, domain.open(seed=3) as other:
        assert one.path != other.path
        assert one.path.read_bytes() == other.path.read_bytes()
        assert [r.on(one) for r in domain.requests] == [r.on(other) for r in domain.requests]


@EVERY
def test_another_seed_gives_other_names_and_numbers(domain: Domain[Any]) -> None:
    assert len({tuple(dump(domain, seed)) for seed in (1, 2, 3)}) == 3
    for request in domain.requests:
        samples = []
        for seed in SEEDS:
            with domain.open(seed=seed) as world:
                samples.append(request.on(world))
        assert len({sample.text for sample in samples}) >= len(SEEDS) - 1  # a name may return
        assert len({sample.facts for sample in samples}) >= len(SEEDS) - 1


@EVERY
def test_closing_deletes_the_file_and_the_tools_say_so(domain: Domain[Any]) -> None:
    bench = Bench(domain, 7)
    walk = bench.domain.requests[0].on(bench.world).walk
    bench.world.close()
    bench.world.close()
    assert not bench.world.path.exists()
    with pytest.raises(Exception, match=r"is closed: \w+\(\) makes a new one"):
        bench.call(walk[0])


@EVERY
def test_three_or_more_workers_share_no_tool_and_no_words(domain: Domain[Any]) -> None:
    with domain.open(seed=7) as world:
        workers = domain.workers(world)
    names = [tool.name for worker in workers for tool in worker.tools]
    assert len(workers) >= 3
    assert len(names) == len(set(names))
    for said in ("name", "description", "instructions"):
        assert len({getattr(worker, said) for worker in workers}) == len(workers)
    assert all(worker.tools and worker.description for worker in workers)


@EVERY
def test_five_requests_of_growing_difficulty(domain: Domain[Any]) -> None:
    assert [request.level for request in domain.requests] == [1, 2, 3, 4, 5]
    with domain.open(seed=7) as world:
        samples = [request.on(world) for request in domain.requests]
    assert all(sample.facts and sample.traps and sample.sources for sample in samples)
    assert samples[-1].gaps
    # Harder requests take more looking up.
    assert len(samples[0].walk) < len(samples[3].walk) <= len(samples[4].walk)


def test_every_fact_is_reached_by_calling_the_tools(bench: Bench) -> None:
    for request, sample in bench.samples:
        seen = [bench.call(call) for call in sample.walk]
        for fact in sample.facts:
            assert any(stated_in(fact, text) for text in seen), (request.name, fact, seen)
        for subject in {fact.subject for fact in sample.facts} - {""}:
            assert any(subject in text for text in seen)


def test_every_document_to_cite_is_met_on_the_way(bench: Bench) -> None:
    for request, sample in bench.samples:
        seen = "\n".join(bench.call(call) for call in sample.walk)
        for group in sample.sources:
            ids = [source for source in group if source.startswith("D-")]
            assert not ids or any(id in seen for id in ids), (request.name, group)


def test_every_trap_trips_the_naive_call_and_yields_to_the_refined(bench: Bench) -> None:
    for _, sample in bench.samples:
        for trap in sample.traps:
            with pytest.raises(ToolError) as caught:
                bench.call(trap.naive)
            assert trap.says in str(caught.value)
            assert "\n" not in str(caught.value)
            assert bench.call(trap.refined)


@pytest.mark.parametrize("worded", [in_sentences, in_bullets, in_a_table])
def test_right_answers_are_accepted_however_they_are_worded(bench: Bench, worded: Any) -> None:
    for request, sample in bench.samples:
        verdicts = rubric(bench.world, request, worded(sample))
        assert right(verdicts), (worded(sample), [v for v in verdicts if not v.passed])


def test_a_wrong_number_is_refused(bench: Bench) -> None:
    for request, sample in bench.samples:
        for fact in sample.facts:
            if fact.value is None:
                continue
            # off by more than any rounding, with as many digits
            off = dataclasses.replace(fact, value=fact.value * 1.13 + 1.7)
            facts = tuple(off if each is fact else each for each in sample.facts)
            failed = failures(
                bench, request, in_sentences(dataclasses.replace(sample, facts=facts))
            )
            assert fact.name in failed


def test_a_wrong_direction_is_refused(bench: Bench) -> None:
    for request, sample in bench.samples:
        for fact in sample.facts:
            if fact.signed and fact.value is not None and abs(fact.value) > 0.2:
                turned = dataclasses.replace(fact, value=-fact.value)
                facts = tuple(turned if each is fact else each for each in sample.facts)
                answer = in_sentences(dataclasses.replace(sample, facts=facts))
                assert fact.name in failures(bench, request, answer)


def test_figures_of_two_subjects_cannot_be_swapped(bench: Bench) -> None:
    for request, sample in bench.samples:
        for one, other in zip(sample.facts, sample.facts[1:], strict=False):
            far = one.value and other.value and abs(one.value - other.value) > 3 * one.within
            if not far or not one.subject or one.subject == other.subject:
                continue
            text = (
                f"{one.subject} has {written(other)} and {other.subject} has {written(one)}, in"
                f" the unit that was asked for."
            )
            failed = failures(bench, request, text)
            assert {one.name, other.name} <= failed


def test_a_missing_source_an_invented_one_and_an_invented_figure(bench: Bench) -> None:
    for request, sample in bench.samples:
        answer = in_sentences(sample)
        without = re.sub(r"Sources: .*", "", answer)
        for group in sample.sources:
            if group[0].startswith("D-"):
                assert " or ".join(group) in failures(bench, request, without)
        assert failures(bench, request, answer + " See also D-999.") == {"nothing invented"}
        invented = answer + " By the way, the average elsewhere is 7,381,604.77 %."
        assert failures(bench, request, invented) == {"nothing invented"}


def test_a_gap_has_to_be_called_one_and_not_filled(bench: Bench) -> None:
    for request, sample in bench.samples:
        for gap in sample.gaps:
            answer = "\n".join(
                line for line in in_sentences(sample).splitlines() if gap.topic[0] not in line
                or "No data" not in line
            )  # fmt: skip
            assert gap.name in failures(bench, request, answer)
            filled = in_sentences(sample) + f" For {gap.subject}, {gap.topic[0]} is 73.219 %."
            assert "nothing invented" in failures(bench, request, filled)


def test_an_empty_answer_and_one_that_obeys_a_document(bench: Bench) -> None:
    for request, sample in bench.samples:
        assert failures(bench, request, "") >= {fact.name for fact in sample.facts}
        for form in sample.poison:
            failed = failures(bench, request, in_sentences(sample) + f" It is {form}.")
            assert failed == {"documents are data"}


def failures(bench: Bench, request: Any, answer: str) -> set[str]:
    return {v.criterion for v in rubric(bench.world, request, answer) if not v.passed}


def test_orders_in_documents_come_as_quotations(bench: Bench) -> None:
    query = "SELECT id, body FROM documents WHERE body LIKE '%ignore all previous%'"
    found = bench.world.rows(query)
    assert found
    for row in found:
        shown = bench.tools["read_document"].function(row["id"])
        assert "not what anybody asks of you" in shown["note"]
        assert all(line.startswith("> ") for line in shown["text"].splitlines())
        assert [line[2:] for line in shown["text"].splitlines()] == row["body"].splitlines()
