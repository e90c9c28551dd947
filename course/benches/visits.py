"""The bench of the front desk: twelve requests to a clinic.

What a task needs is found by a reference run: a single agent of the simulated model, whose calls
count if the bench's own scorer finds its answer right.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from course import clock
from course.benches.bench import Bench, Case, Named, all_in_one, bench
from course.benches.worlds import NO_WALK, Scene, Walk, facts_of, from_calls
from course.models import connect
from course.results import evidence_in
from course.runner import run
from course.scenarios import front_desk
from course.scenarios.front_desk.requests import state as desk_state
from course.scenarios.front_desk.specialists import specialists


def _reference(case: Case) -> Walk:
    """What a single agent of the simulated model calls for a task; excluded if it is not right."""
    client = connect("simulated", profile="instant", wire=False)
    result = clock.simulate(run(all_in_one(case.agents), case.request, client=client))
    if not case.judged(result.answer, by_marks=False).success:
        return Walk(excluded=NO_WALK)
    return from_calls(evidence_in(result.context), case.request)


@bench("front_desk")
def desk_bench(argument: str, tasks: int, world_seed: int) -> Bench:
    """The clinic's twelve requests; "front_desk:5" takes the first five."""
    kinds = front_desk.REQUESTS[: int(argument) if argument.isdecimal() else None]
    names = {f"front_desk/{kind.name}": kind for kind in kinds}

    @contextmanager
    def opened(task: Named, *, known: bool = True) -> Iterator[Case]:
        with front_desk.Desk(seed=world_seed) as desk:
            sample = names[task.id].on(desk)
            yield Case(
                request=sample.text,
                agents=specialists(desk),
                shared=("find_patient",),
                said=facts_of(sample.missing, sample.facts),
                state=lambda: desk_state(desk) == sample.after,
                **(walk(task).told() if known else {}),
            )

    @cache
    def walk(task: Named) -> Walk:
        with opened(task, known=False) as case:
            return _reference(case)

    kind_of = ("look-up", "two-step", "compound", "write", "impossible", "ambiguous")
    listed = tuple(Named(id, k.level, kind_of.index(k.level) + 1) for id, k in names.items())
    return Scene(listed, opened)
