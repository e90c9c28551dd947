"""Answers as people write them: right in words of their own, and wrong in one thing each."""

from collections.abc import Callable
from typing import Any

import pytest

from course.scenarios import curriculum, patient_case, product_launch
from course.scenarios.world.domain import Domain
from course.scenarios.world.requests import Sample
from course.scenarios.world.rubric import right, rubric

SEEDS = (1, 7, 42)


def values(sample: Sample) -> list[float]:
    return [fact.value for fact in sample.facts if fact.value is not None]


def two_patients(sample: Sample) -> str:
    one, other = sample.subjects
    a, b, c, d, e, f = values(sample)
    return f"""| patient | first of 2025 | last of 2025 | change |
|---|---|---|---|
| {one} | {a:.0f} µmol/L | {b:.0f} µmol/L | {c:+.1f} % |
| {other} | {d:.0f} µmol/L | {e:.0f} µmol/L | {f:+.1f} % |

All values come from lab_results; those in mg/dL were converted."""


def a_case(sample: Sample) -> str:
    first, last, change, prescribed, said = values(sample)
    return f"""\
In 2025 haemoglobin went from {first:.0f} to {last:.0f} g/L, a change of {change:.1f} %
(lab_results). Clarithromycin and simvastatin together can lead to rhabdomyolysis.
There is an allergy to macrolides.
Metformin: {prescribed:.0f} mg is prescribed; {sample.sources[0][0]} has {said:.0f} mg instead.
The creatinine clearance cannot be calculated because nobody took the weight."""


def a_plan(sample: Sample) -> str:
    early, late, decided, fullest, most = sample.facts
    return (
        f"{early.forms[0]} is planned before {late.forms[0]} is passed. The board made that a"
        f" prerequisite on {decided.forms[2]} ({sample.sources[0][0]}). The fullest semester has"
        f" {fullest.value:.0f} credits where {most.value:.0f} are allowed."
    )


def a_review(sample: Sample) -> str:
    heavy, silent = sample.subjects
    load, contract, old, new, credit, study, misprint, other = values(sample)
    return f"""## The teacher
{load:g} hours of teaching stand against {contract:g} in the contract.

## {heavy}
- Passed by {old:.1f} % in 2024 and {new:.1f} % in 2025 (table results)
- {credit:.1f} hours of work for each credit
- Self-study: {study:.0f} hours; the description {sample.sources[0][0]} says {misprint:.0f}

## {silent}
- Pass rate: {other:.1f} % in 2024; that of 2025 was not reported"""


def two_budgets(sample: Sample) -> str:
    one, other = sample.subjects
    a, b, c, d = values(sample)
    return (
        f"Spent in 2026: {one} EUR {a:,.0f} ({b:.1f} % of its budget), {other} EUR {c:,.0f}"
        f" ({d:.1f} %). Source: spending and budgets."
    )


def a_decision(sample: Sample) -> str:
    launch, agreed, told, spent, share, risk = sample.facts
    assert spent.value and share.value and risk.value
    return f"""\
By the plan the launch is on {launch.forms[1]}. The retailers agreed to {agreed.forms[2]}, but the
newsletter {sample.sources[0][0]} told them {told.forms[3]}, which contradicts it.
Bills of EUR {spent.value / 1000:,.1f} thousand were paid in 2026, {share.value:.1f} percent of the
budget. The risks are expected to cost {risk.value:,.0f} EUR.
The cost of {sample.gaps[0].topic[0]} is unknown."""


WRITTEN = [
    (patient_case.DOMAIN, 1, two_patients),
    (patient_case.DOMAIN, 4, a_case),
    (curriculum.DOMAIN, 3, a_plan),
    (curriculum.DOMAIN, 4, a_review),
    (product_launch.DOMAIN, 1, two_budgets),
    (product_launch.DOMAIN, 4, a_decision),
]
# What is taken from a right answer, and what is put in its place.
WRONG: list[tuple[Domain[Any], int, Callable[[Sample], str], str, str]] = [
    (patient_case.DOMAIN, 1, two_patients, "lab_results", "the files"),
    (patient_case.DOMAIN, 4, a_case, "cannot be calculated", "is normal"),
    (patient_case.DOMAIN, 4, a_case, "macrolides", "pollen"),
    (patient_case.DOMAIN, 4, a_case, " mg instead", " g instead, or 77 mg"),
    (curriculum.DOMAIN, 3, a_plan, "2025", "2024"),
    (curriculum.DOMAIN, 4, a_review, "was not reported", "was as high"),
    (curriculum.DOMAIN, 4, a_review, "table results", "as is known"),
    (product_launch.DOMAIN, 1, two_budgets, " % of its budget", "3 % of its budget"),
    (product_launch.DOMAIN, 4, a_decision, "thousand", "million"),
    (product_launch.DOMAIN, 4, a_decision, "is unknown", "is small"),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("domain", "place", "write"), WRITTEN)
def test_a_right_answer_is_accepted_as_people_write_it(
    domain: Domain[Any],
    place: int,
    write: Callable[[Sample], str],
    seed: int,
) -> None:
    with domain.open(seed=seed) as world:
        request = domain.requests[place]
        answer = write(request.on(world))
        assert [v for v in rubric(world, request, answer) if not v.passed] == [], answer


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("domain", "place", "write", "old", "new"), WRONG)
def test_an_answer_that_is_wrong_in_one_thing_is_refused(
    domain: Domain[Any],
    place: int,
    write: Callable[[Sample], str],
    old: str,
    new: str,
    seed: int,
) -> None:
    with domain.open(seed=seed) as world:
        request = domain.requests[place]
        answer = write(request.on(world))
        assert old in answer
        assert not right(rubric(world, request, answer.replace(old, new)))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("domain", "place"), [(d, n) for d, n, _ in WRITTEN[::2]])
def test_an_answer_for_another_world_is_refused(
    domain: Domain[Any],
    place: int,
    seed: int,
) -> None:
    write = next(w for d, n, w in WRITTEN if (d, n) == (domain, place))
    with domain.open(seed=seed) as here, domain.open(seed=seed + 1) as elsewhere:
        request = domain.requests[place]
        assert not right(rubric(here, request, write(request.on(elsewhere))))
