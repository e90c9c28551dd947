"""Plans: who shall do what after what, planned by the course's own planner and judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from openai import AsyncOpenAI

from course.supervisor_worker.plan import Plan, PlanError, PlanTask
from course.supervisor_worker.planning import make_plan
from course.supervisor_worker.workers import Registry
from tests.rulers.cases import Json, Played, Problem, Verdict, World, found, worker


def registry(staff: Sequence[Json]) -> Registry:
    """A staff of a set as the planner is told of it."""
    worlds = {
        each["name"]: World(each.get("tools", {}), f"You are {each['name']}.", each["description"])
        for each in staff
    }
    return Registry(tuple(worker(name, world, Played()) for name, world in worlds.items()))


async def verdict(case: Json, staff: Sequence[Json], client: AsyncOpenAI) -> Verdict:
    """Have a plan made and judge it; calls are shares of the work, told what waits for what."""
    wanted = case["want"]
    shares, waits = len(wanted), sum(len(want.get("after", ())) for want in wanted)
    staffed = registry(staff)
    try:
        plan = await make_plan(case["request"], staffed, client=client)
    except PlanError as error:
        refused = error.plan is not None and not error.plan.tasks
        if refused and not wanted:
            return Verdict(case["id"], "plan")
        problem = Problem("missed" if refused else "silly", str(error)[:200])
    except Exception as error:  # a service that fails is a case that fails
        problem = Problem("failed", f"{type(error).__name__}: {error}"[:200])
    else:
        problems = tuple(judge(case, plan))
        lost = Counter(each.lost for each in problems)
        made = (shares - lost["call"], shares), (waits - lost["told"], waits)
        return Verdict(case["id"], "plan", problems, *made)
    return Verdict(case["id"], "plan", (problem,), (0, shares), (0, waits))


def judge(case: Json, plan: Plan) -> Iterator[Problem]:
    """What is wrong with a plan: shares not given, waits too few or too many, work for nothing."""
    wanted: list[Json] = case["want"]
    shares = [_share(want, wanted, plan) for want in wanted]
    needs = {task.id: _all_before(task.id, plan.by_id) for task in plan.tasks}
    for number, (want, share) in enumerate(zip(wanted, shares, strict=True)):
        if lacking := _lacking(want, share):
            yield Problem("missed", f"not given to {want['worker']}: {lacking}", "call")
        before = {id for id in share for id in needs[id]}
        for other in want.get("after", ()):
            if not before & set(shares[other]):
                said = f"{want['worker']} ({number}) does not wait for {wanted[other]['worker']}"
                yield Problem("missed", said, "told")
        may = _all_wanted(number, wanted)
        for other, theirs in enumerate(shares):
            if other not in may and other != number and before & set(theirs) - set(share):
                said = f"{want['worker']} ({number}) waits for {wanted[other]['worker']}"
                yield Problem("silly", f"{said}, whose result it doesn't need")
    allowed = {id for share in shares for id in share}
    for task in plan.tasks:
        if task.id not in allowed and task.worker not in case.get("may", ()):
            yield Problem("silly", f"nobody needs {task.worker}: {task.description}"[:200])


def _expressions(want: Json) -> list[str]:
    about = want.get("about", [])
    return [about] if isinstance(about, str) else about


def _fit(want: Json, task: PlanTask) -> float:
    """How much of what an entry is about a task says."""
    about = _expressions(want)
    return sum(found(each, task.description) is not None for each in about) / len(about or "-")


def _share(want: Json, wanted: Sequence[Json], plan: Plan) -> dict[str, PlanTask]:
    """The tasks for an entry: all of its worker's, or of several entries' those it fits best."""
    same = [each for each in wanted if each["worker"] == want["worker"]]
    mine = {task.id: task for task in plan.tasks if task.worker == want["worker"]}
    if len(same) == 1:
        return mine
    best = {id: max(_fit(each, task) for each in same) for id, task in mine.items()}
    return {id: task for id, task in mine.items() if 0 < _fit(want, task) == best[id]}


def _lacking(want: Json, share: Mapping[str, PlanTask]) -> str:
    """What of an entry no task says; nothing where all is said."""
    told = "\n".join(task.description for task in share.values())
    lacking = [each for each in _expressions(want) if not found(each, told)]
    return ", ".join(lacking) if share else "any task"


def _all_before(id: str, tasks: Mapping[str, PlanTask]) -> set[str]:
    """The tasks that one waits for, directly or over others."""
    direct = set(tasks[id].dependencies)
    return direct.union(*(_all_before(each, tasks) for each in direct))


def _all_wanted(number: int, wanted: Sequence[Json]) -> set[int]:
    """The entries whose results one needs, directly or over others."""
    direct = set(wanted[number].get("after", ()))
    return direct.union(*(_all_wanted(each, wanted) for each in direct))
