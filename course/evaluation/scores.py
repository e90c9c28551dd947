"""How good a supervisor-worker system is, in three scores: the plan, each output, the answer.

One number for a whole run hides where it went wrong. So a decomposition is scored before anything
runs, each worker's output against what it was given, and the aggregation against the outputs: an
answer that leaves out what a worker found is the aggregator's fault, and a figure that no tool told
is the worker's. All of it takes plain texts and plans, so any system can be scored, your own too;
`evaluate` does it for a run of the course.

Source: scoring steps and not only outcomes, Lightman et al., "Let's Verify Step by Step" (2023).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from course.scenarios.world.figures import Figure, figures
from course.supervisor_worker.plan import (
    Plan,
    PlanTask,
    critical_path,
    dependants,
    downstream,
    in_order,
)
from course.supervisor_worker.planning import problems
from course.supervisor_worker.supervisor import PlanResult
from course.supervisor_worker.workers import Registry

SMALL_COUNT = 12
"""Bare whole numbers up to here count things, and need no origin."""


@dataclass(frozen=True)
class Score:
    """What was met of what was looked at; each reason says what was not, in a line."""

    met: int
    of: int
    reasons: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """From 0 to 1; 1 where there was nothing to look at."""
        return self.met / self.of if self.of else 1.0

    def __add__(self, other: Score) -> Score:
        return Score(self.met + other.met, self.of + other.of, (*self.reasons, *other.reasons))


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A label: what a good decomposition of one request does.

    Attributes:
        request: what is asked.
        needs: tools without which it cannot be answered; each group is of one kind, any of it does.
        before: pairs of tools, the first of which tells something that the second needs.
        names: who and what must stand in the tasks, since a worker sees nothing else.
    """

    request: str
    needs: tuple[Collection[str], ...]
    before: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Evaluation:
    """The three scores of a run, the outputs' by task."""

    decomposition: Score
    outputs: Mapping[str, Score] = field(default_factory=dict)
    aggregation: Score = field(default_factory=lambda: Score(0, 0))

    @property
    def output(self) -> Score:
        """All outputs together."""
        return sum(self.outputs.values(), Score(0, 0))


def _counted(met: Mapping[str, bool]) -> Score:
    lost = tuple(reason for reason, good in met.items() if not good)
    return Score(len(met) - len(lost), len(met), lost)


def score_plan(plan: Plan, registry: Registry, wanted: Wanted) -> Score:
    """How good a decomposition is, before anything runs.

    It is looked at whether the plan can be carried out, whether each thing that is needed has a
    task of a worker who can do it, whether what waits has to and what has to waits, whether the
    tasks name what they are about, and whether none is the whole request once more.
    """
    found = problems(plan, registry)
    met = {f"it cannot be carried out: {'; '.join(map(str, found[:2]))}": not found}
    holders = [_holders(group, plan, registry) for group in wanted.needs]
    for group, who in zip(wanted.needs, holders, strict=True):
        met[f"no task of a worker with {' or '.join(sorted(group))}"] = bool(who)
    used = {task.id for who in holders for task in who}
    ends = {task.id for task in plan.tasks if not dependants(plan)[task.id]}
    idle = [
        t.id for t in plan.tasks if t.id not in used and (t.id not in ends or not t.dependencies)
    ]
    met[f"nothing needs {', '.join(idle)}"] = not idle
    met.update(_order(plan, registry, wanted))
    told = " ".join(task.description for task in plan.tasks).lower()
    for name in wanted.names:
        met[f"no task names {name}"] = name.lower() in told
    copies = [t.id for t in plan.tasks if wanted.request.lower() in t.description.lower()]
    alike = len({" ".join(t.description.lower().split()) for t in plan.tasks}) < len(plan.tasks)
    met["tasks repeat the request or each other"] = not alike and not (copies and plan.tasks[1:])
    return _counted(met)


def _holders(group: Collection[str], plan: Plan, registry: Registry) -> list[PlanTask]:
    """The tasks of workers who have a tool of a group."""
    owners = {name for tool in group for name in registry.owners.get(tool, ())}
    return [task for task in plan.tasks if task.worker in owners]


def _order(plan: Plan, registry: Registry, wanted: Wanted) -> dict[str, bool]:
    """Whether what needs a result waits for it, and nothing waits for more than it needs."""
    after = {task.id: set(downstream(plan, task.id)) for task in plan.tasks}
    met, owner = {}, registry.owners
    apart = [p for p in wanted.before if not {*owner.get(p[0], ())} & {*owner.get(p[1], ())}]
    for first, second in apart:
        ones, others = _holders([first], plan, registry), _holders([second], plan, registry)
        waits = any(two.id in after[one.id] for one in ones for two in others)
        met[f"who has {second} does not wait for {first}"] = waits or not (ones and others)
    chain = len(critical_path(plan)[0]) if len(in_order(plan)) == len(plan.tasks) else 0
    most = len(apart) + 2  # what has to wait, then one that works with it, then one that writes
    met[f"{chain} tasks wait for each other one by one, {most} would do"] = chain <= most
    return met


def score_output(
    said: str, material: Iterable[str], *, asked: str = "", done: bool = True
) -> Score:
    """How good one worker's output is, by itself.

    Args:
        said: the output.
        material: all it may rest on: what its tools told, and the results it was given.
        asked: the task, whose own figures may be repeated.
        done: whether the system took it for a result.
    """
    known = [*material]
    loose = _loose(said, [*known, asked])
    return _counted({
        "there is no result": done and bool(said.strip()),
        "it rests on nothing: no tool told anything and no result was given": bool(known),
        f"no material has {', '.join(f'{each:g}' for each in loose)}": not loose,
    })  # fmt: skip


def score_answer(
    answer: str, outputs: Mapping[str, str], *, request: str = "", missing: Collection[str] = ()
) -> Score:
    """How good an aggregation is: nothing lost, nothing added, and what is missing said.

    Args:
        answer: the one answer.
        outputs: what it is made of, by task, without what only served other tasks.
        missing: ids of tasks without a result, each of which the answer has to name.
    """
    there = {_rounded(figure.value) for figure in figures(answer)}
    met = {}
    for id, text in outputs.items():
        told = {_rounded(f.value) for f in figures(text) if not f.year and not _counts(f)}
        met[f"the answer has none of the figures of {id}"] = not told or bool(told & there)
        if len(told) > 1:
            kept = len(told & there)
            met[f"the answer has {kept} of the {len(told)} figures of {id}"] = kept == len(told)
    loose = _loose(answer, [*outputs.values(), request])
    met[f"no output has {', '.join(f'{each:g}' for each in loose)}"] = not loose
    for id in missing:
        met[f"the answer does not say that {id} is missing"] = id in answer
    return _counted(met)


def _loose(said: str, material: Iterable[str]) -> list[float]:
    """Figures that are said and stand in no material."""
    known = {_rounded(figure.value) for text in material for figure in figures(text)}
    found = (f for f in figures(said) if not f.year and not _counts(f))
    return sorted({f.value for f in found if _rounded(f.value) not in known})


def _counts(figure: Figure) -> bool:
    return figure.whole and abs(figure.value) <= SMALL_COUNT


def _rounded(value: float) -> float:
    return float(f"{abs(value):.6g}")


def evaluate(result: PlanResult, registry: Registry, wanted: Wanted) -> Evaluation:
    """The three scores of a run of a `PlanningSupervisor`."""
    outputs = {}
    for id, each in result.results.items():
        told = [e.result for e in each.evidence if not e.failed]
        told += [result.results[need].result for need in each.rests_on]
        asked = result.plan.by_id[id].description
        outputs[id] = score_output(each.result, told, asked=asked, done=each.done)
    said = {id: each.result for id, each in result.results.items() if each.done}
    missing = [gap.task_id for gap in result.gaps]
    return Evaluation(
        score_plan(result.plan, registry, wanted),
        outputs,
        score_answer(result.answer, said, request=wanted.request, missing=missing),
    )
