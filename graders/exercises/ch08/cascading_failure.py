"""Exercise 8.5: what a failure for good means further down a plan, under three policies.

What is expected is computed by playing the plan through in rounds: in each, whatever has all of its
dependencies behind it is begun, skipped or marked by the rules of the policy.
"""

from __future__ import annotations

from graders.exercises.kit import *

_STAGE = """
from course.supervisor_worker import Plan


def listed(ids):
    return ", ".join(sorted(ids)) or "none"


async def stage(bench, student):
    told = {}
    for case in bench.params["cases"]:
        plan, failing = Plan.model_validate(case["plan"]), frozenset(case["failing"])
        came = student.cascade(plan, failing, case["policy"])
        parts = ("failed", "skipped", "answer", "anew")
        told[case["called"]] = {
            **{part: listed(getattr(came, part)) for part in parts},
            "without": {id: listed(came.without[id]) for id in sorted(came.without)},
        }
    return told
"""
Plans = Callable[[random.Random], tuple[dict[str, Any], list[str]]]
POLICIES = ("skip", "mark", "replan")


def five(draw: random.Random) -> tuple[dict[str, Any], list[str]]:
    """The cascade of the chapter, under other names and in any order; the first task fails."""
    a, b, c, d, e = names(draw, 5)
    tasks = [task(draw, a), task(draw, b), task(draw, c, a), task(draw, d, b), task(draw, e, c, d)]
    return plan(shuffled(draw, tasks)), [a]


def _at_the_end(draw: random.Random) -> tuple[dict[str, Any], list[str]]:
    """What fails is needed by nobody; and by one who needs nothing else."""
    a, b, c, d = names(draw, 4)
    tasks = [task(draw, a), task(draw, b, a), task(draw, c, a), task(draw, d, c)]
    return plan(shuffled(draw, tasks)), [b, d]


def _chain(draw: random.Random) -> tuple[dict[str, Any], list[str]]:
    """A long chain that breaks early, listed from its end."""
    ids = names(draw, 6)
    needs = zip(ids, ["", *ids], strict=False)
    tasks = [task(draw, id, *([need] if need else [])) for id, need in needs]
    return plan(tasks[::-1]), [ids[1]]


def _twice(draw: random.Random) -> tuple[dict[str, Any], list[str]]:
    """Two failures on two ways that meet; one task sees both, one only the second."""
    a, b, c, d, e, f = names(draw, 6)
    tasks = [
        task(draw, a), task(draw, b), task(draw, c, a), task(draw, d, b), task(draw, e, c, d),
        task(draw, f, d),
    ]  # fmt: skip
    return plan(shuffled(draw, tasks)), [a, b]


def _in_a_row(draw: random.Random) -> tuple[dict[str, Any], list[str]]:
    """A task that would fail waits for one that does."""
    a, b, c, d = names(draw, 4)
    tasks = [task(draw, a), task(draw, b, a), task(draw, c, b), task(draw, d)]
    return plan(shuffled(draw, tasks)), [a, b]


def _all_well(draw: random.Random) -> tuple[dict[str, Any], list[str]]:
    data, _ = five(draw)
    return data, []


def _nothing(draw: random.Random) -> tuple[dict[str, Any], list[str]]:
    return plan([]), []


def any_plan(draw: random.Random) -> tuple[dict[str, Any], list[str]]:
    """A plan of up to eight tasks with up to three failures, drawn at random."""
    ids = names(draw, draw.randrange(4, 9))
    tasks = [
        task(draw, id, *draw.sample(ids[:place], draw.randrange(min(place, 2) + 1)))
        for place, id in enumerate(ids)
    ]
    return plan(shuffled(draw, tasks)), draw.sample(ids, draw.randrange(1, 4))


def simulated(data: dict[str, Any], failing: list[str], policy: str) -> dict[str, Any]:
    """What comes of each task, found by carrying the plan out round by round."""
    needs = {each["id"]: each["dependencies"] for each in data["tasks"]}
    state: dict[str, str] = {}
    gaps: dict[str, set[str]] = {}
    while len(state) < len(needs):
        ready = [id for id in needs if id not in state and all(n in state for n in needs[id])]
        for id in ready:
            lacking = [n for n in needs[id] if state[n] != "done"]
            inherited = [gaps[n] for n in needs[id]]
            gaps[id] = set().union(*inherited) | {n for n in lacking if state[n] == "failed"}
            if lacking and policy != "mark":
                state[id] = "skipped"
            else:
                state[id] = "failed" if id in failing else "done"

    def which(*wanted: str) -> list[str]:
        return sorted(id for id in state if state[id] in wanted)

    return {
        "failed": which("failed"),
        "skipped": which("skipped"),
        "answer": which("done"),
        "anew": which("failed", "skipped") if policy == "replan" else [],
        "without": {id: sorted(gaps[id]) for id in which("done") if gaps[id]},
    }


def called(data: dict[str, Any], failing: list[str], policy: str) -> str:
    """What a message calls a case: the policy, who fails, and who waits for whom."""
    needs = {each["id"]: sorted(each["dependencies"]) for each in data["tasks"]}
    waits = (f"{id} after {' and '.join(after)}" for id, after in sorted(needs.items()) if after)
    told = ", ".join(waits) or f"{len(needs)} tasks"
    return f"{policy}, failing {' and '.join(sorted(failing)) or 'nobody'}: {told}"


def _cases(policies: tuple[str, ...], *plans: Plans) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        made = [each(draw) for each in plans]
        cases = [
            {
                "called": called(data, failing, policy),
                "plan": data,
                "failing": failing,
                "policy": policy,
            }
            for data, failing in made
            for policy in policies
        ]
        return Scenario(params={"cases": cases})

    return world


def _listed(told: Any) -> Any:
    """The same with each list of ids in a line, so that a message shows all of it."""
    if isinstance(told, dict):
        return {key: _listed(value) for key, value in told.items()}
    return ", ".join(told) or "none"


def _found(look: str) -> Checks:
    def checks(world: Scenario) -> list[Check]:
        wanted = {
            case["called"]: _listed(simulated(case["plan"], case["failing"], case["policy"]))
            for case in world.params["cases"]
        }
        return [equals(wanted, look=f"look at {look}")]

    return checks


CASCADE = Exercise(
    "8.5", ("cascade",), (
        Trial("skips all that waits for a failed task, and nothing else", _STAGE,
              _cases(("skip",), five, _chain, _at_the_end),
              _found("a task that waits for a skipped one, and one that waits for neither"), 0.75),
        Trial("marks all that has a gap behind it, however far back", _STAGE,
              _cases(("mark",), five, _chain, _twice),
              _found("what lies behind a task: its dependencies, and what lies behind those"),
              0.75),
        Trial("plans anew what failed and what was skipped", _STAGE,
              _cases(("replan",), five, _twice),
              _found("`anew`, which is empty under the other policies"), 0.5),
        Trial("lets fail only what is begun", _STAGE, _cases(POLICIES, _in_a_row),
              _found("a task that would fail, behind one that did"), 0.5),
        Trial("is right for any plan", _STAGE,
              _cases(POLICIES, _all_well, _nothing, any_plan, any_plan),
              _found("plans without a failure, without tasks, and with several failures"), 0.5),
    ),
    builds_on={"in_order": "course.supervisor_worker.plan:in_order"},
    places={
        "*": "the cascade for {}",
        "*.failed": "`failed` for {}",
        "*.skipped": "`skipped` for {}",
        "*.answer": "`answer` for {}",
        "*.anew": "`anew` for {}",
        "*.without": "`without` for {}",
        "*.without.*": "what {1} goes without for {0}",
    },
)  # fmt: skip
