"""What there is to do for a request is computed from its sample and the open world."""

import pytest

from course.errors import ToolError
from course.scenarios.world.domain import toolbox
from graders.exercises.ch11.domains import BY_NAME
from graders.exercises.ch11.errands import Job, errands_of, made, same_call

SEED = 5


@pytest.fixture(scope="module", params=sorted(BY_NAME))
def jobs(request: pytest.FixtureRequest) -> list[Job]:
    domain = BY_NAME[request.param]
    with domain.open(seed=SEED) as world:
        tools = toolbox(domain.workers(world))
        samples = [each.on(world) for each in domain.requests]
        found = [errands_of(sample.text, [sample], tools) for sample in samples]
        for job in found:
            _refused_and_given(job, tools)
    return found


def _refused_and_given(job: Job, tools: dict) -> None:
    """Each naive call is refused with the words that are noted, each refined one is not."""
    for errand in job.errands:
        assert made(errand.call, tools) is not None
        if errand.naive is not None:
            with pytest.raises(ToolError) as refused:
                made(errand.naive, tools)
            assert str(refused.value) == errand.refusal


def test_every_call_has_its_errand_and_its_own_reference(jobs: list[Job]) -> None:
    for job in jobs:
        refs = [each.ref for each in job.errands]
        assert len(set(refs)) == len(refs)
        assert all(each.ref in each.description for each in job.errands)


def test_nothing_comes_before_what_it_needs(jobs: list[Job]) -> None:
    for job in jobs:
        before: set[str] = set()
        for each in job.errands:
            assert before.issuperset(each.needs)
            before.add(each.ref)


def test_every_fact_is_stated_by_an_errand_or_by_all(jobs: list[Job]) -> None:
    """With a trap in each level: that is what a naive plan runs into."""
    for job in jobs:
        assert job.spread or any(each.facts for each in job.errands)
        assert any(each.naive is not None for each in job.errands)


def test_a_call_is_known_by_its_arguments_in_whatever_form(jobs: list[Job]) -> None:
    call = next(each.call for job in jobs for each in job.errands if each.call.arguments)
    as_text = {key: str(value) for key, value in call.arguments.items()}
    assert same_call(call, call.tool, {**call.arguments, "left_out": None})
    assert same_call(call, call.tool, as_text) or any(
        isinstance(value, list) for value in call.arguments.values()
    )
    assert not same_call(call, "another_tool", call.arguments)
    assert not same_call(call, call.tool, {})
