"""What the reference system reaches in the six domains, one measurement per process.

`python -m tests.benchmarks.domains NAME` prints JSON for one domain. Its five requests are asked in
worlds of many seeds; the model is the competent one that the project is judged with. A request
counts as right when every criterion of the rubric holds. Seconds are virtual, and each call takes
as long whether tasks run at once or one after the other.
"""

from __future__ import annotations

import json
import statistics
import sys
from typing import Any

SEEDS = range(100, 120)
CALM = range(100, 110)
FEW = range(100, 104)
LEVELS = range(1, 6)
FAILING = 0.2


def right_share(name: str, calls: int, *, retry: Any = "refine") -> float:
    """The share of requests answered right when 20 % of the calls of tools and model fail.

    Args:
        calls: how often a call is made at the most when the way to its model or its tool fails,
            and a task tried.
        retry: what becomes of a task that was refused.
    """
    from course.errors import ModelError
    from course.models.line import Backoff
    from course.scenarios.world.rubric import right, rubric
    from course.supervisor_worker import FailurePolicy
    from tests.project.playing import NAMED, play, storm

    policy = FailurePolicy(retry=retry, tries=calls, backoff=Backoff(tries=calls))
    answered = []
    for seed in SEEDS:
        with NAMED[name].open(seed=seed) as world:
            for level in LEVELS:
                fault = storm(seed, FAILING)
                try:
                    run = play(world, NAMED[name], (level,), fault=fault, failure_policy=policy)
                except ModelError:  # of the planner: nothing was run, and it was said
                    answered.append(False)
                    continue
                answered.append(right(rubric(world, run.asked[0][0], run.result.answer)))
    return statistics.mean(answered)


def gains(name: str, level: int) -> list[float]:
    """How many times longer a plan takes one task after the other, without faults."""
    from tests.project.playing import NAMED, play

    found = []
    for seed in CALM:
        with NAMED[name].open(seed=seed) as world:
            at_once = play(world, NAMED[name], (level,))
            in_turn = play(world, NAMED[name], (level,), plan=at_once.result.plan, limit=1)
        found.append(in_turn.makespan / at_once.makespan)
    return found


def criteria_met(name: str) -> float:
    """The share of the rubric's criteria that the simulated model's answers meet, without faults.

    It is no language model and knows none of the domains: this says how far its rules reach.
    """
    from dataclasses import fields

    from course import clock, connect
    from course.runner import run
    from course.scenarios.world.rubric import rubric
    from course.supervisor import Worker
    from course.supervisor_worker import PlanningSupervisor, Registry
    from tests.project.playing import NAMED

    met = []
    for seed in FEW:
        with NAMED[name].open(seed=seed) as world:
            said = [
                {f.name: getattr(a, f.name) for f in fields(a)} for a in NAMED[name].workers(world)
            ]
            registry = Registry(tuple(Worker(**each) for each in said))
            boss = PlanningSupervisor(name="chief", workers=registry.workers)
            for request in NAMED[name].requests:
                text, client = request.on(world).text, connect(profile="instant")
                answer = clock.simulate(run(boss, text, client=client)).answer
                met += [verdict.passed for verdict in rubric(world, request, answer)]
    return statistics.mean(met)


def domain(name: str) -> dict[str, Any]:
    """A domain: how much is right under faults, and what running tasks at once gains."""
    by_level = {level: gains(name, level) for level in LEVELS}
    every = [gain for found in by_level.values() for gain in found]
    return {
        "right_three": right_share(name, 3),
        "right_five": right_share(name, 5),
        "right_repeat": right_share(name, 3, retry="repeat"),
        "met_simulated": criteria_met(name),
        "gain": statistics.median(every),
        "gain_low": min(every),
        "gain_high": max(every),
        "gain_hardest": statistics.median(by_level[5]),
        "gain_hardest_low": min(by_level[5]),
        "gain_hardest_high": max(by_level[5]),
    }


if __name__ == "__main__":
    print(json.dumps(domain(sys.argv[1])))
