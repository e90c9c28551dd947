"""Exercises 10.2 and 10.3: which roles of a plan become one worker, and the staff made of them."""

from __future__ import annotations

from course.models.names import LARGE
from graders.checks import raises
from graders.exercises.kit import *

_ROLES = ("surveyor", "buyer", "mason", "glazier", "foreman", "archivist", "driver", "cook")
_TOOLS = ("measure", "order", "weigh", "drill", "photograph", "invoice", "deliver")
Tasks = list[dict[str, Any]]
Case = Callable[[random.Random], Tasks]


def staffed(draw: random.Random, *needs: tuple[str, Sequence[str]]) -> Tasks:
    """One task for each pair of a role and the tools that it needs."""
    ids = names(draw, len(needs))
    return [
        {**task(draw, id, worker=role), "tools": list(tools)}
        for id, (role, tools) in zip(ids, needs, strict=True)
    ]


def _drawn(draw: random.Random, roles: int, tools: int) -> tuple[list[str], list[str]]:
    return draw.sample(_ROLES, roles), draw.sample(_TOOLS, tools)


def _apart(draw: random.Random) -> Tasks:
    """Nobody needs what another one needs; one role has two tasks, one needs no tool."""
    (a, b, c), (x, y, z) = _drawn(draw, 3, 3)
    return shuffled(draw, staffed(draw, (a, [x]), (b, [y]), (a, [z, x]), (c, [])))


def _pair(draw: random.Random) -> Tasks:
    """Two of four need the same tool; the second of them has a task further up as well."""
    (a, b, c, d), (x, y, z) = _drawn(draw, 4, 3)
    return staffed(draw, (d, []), (a, [x]), (b, [y]), (c, [z]), (b, [x]))


def _early(draw: random.Random) -> Tasks:
    """A role shares a tool by the first of its tasks, and not by the last."""
    (a, b), (x, y, z) = _drawn(draw, 2, 3)
    return staffed(draw, (a, [x]), (b, [x]), (a, [y]), (b, [z]))


def _pairs(draw: random.Random) -> Tasks:
    """Two pairs that have nothing to do with each other."""
    (a, b, c, d), (x, y) = _drawn(draw, 4, 2)
    return staffed(draw, (a, [x]), (c, [y]), (b, [x]), (d, [y]))


def _chain(draw: random.Random) -> Tasks:
    """The first shares with the second, the second with the third, in other tools."""
    (a, b, c, d), (x, y, z) = _drawn(draw, 4, 3)
    return staffed(draw, (a, [x]), (b, [x, y]), (d, [z]), (c, [y]))


def _late(draw: random.Random) -> Tasks:
    """Two pairs that a last task joins; the joining role comes last of all in the plan."""
    (a, b, c, d, e), (v, w, x, y) = _drawn(draw, 5, 4)
    return staffed(draw, (a, [v]), (b, [v]), (c, [w, x]), (d, [x]), (e, [y]), (e, [v, w]))


def _backwards(draw: random.Random) -> Tasks:
    """The first role of the plan comes to the others' tool with its last task."""
    (a, b, c), (x, y, z) = _drawn(draw, 3, 3)
    return staffed(draw, (a, [z]), (b, [x]), (c, [x, y]), (a, [y]))


def _any(draw: random.Random) -> Tasks:
    """Seven tasks of five roles with a few tools each."""
    roles, tools = _drawn(draw, 5, 7)
    needs = [(draw.choice(roles), draw.sample(tools, draw.randrange(3))) for _ in range(7)]
    return staffed(draw, *needs)


def together(tasks: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Who becomes whom: for each role, the first in the plan of all that it can be reached from."""
    tools: dict[str, set[str]] = {}
    for each in tasks:
        tools.setdefault(each["worker"], set()).update(each["tools"])
    found: dict[str, str] = {}
    for first in tools:
        group = [first]
        for role in group if first not in found else ():  # it grows while it is walked through
            group += [other for other in tools if other not in group and tools[other] & tools[role]]
        found |= {role: first for role in group if role not in found}
    return found


def _plans(*makers: Case) -> ScenarioMaker:
    return cases(*makers, made=plan)


_named = compared(lambda plan: together(plan["tasks"]))


_NAMES_STAGE = stage_of(
    "dict(student.shared_names(Plan.model_validate(case)))",
    given="from course.supervisor_worker import Plan",
)
SHARED_NAMES = Exercise(
    "10.2", ("shared_names",), (
        Trial("makes one of two roles that need the same tool", _NAMES_STAGE,
              _plans(_apart, _pair, _early, _pairs),
              _named("which roles need the same tool, and which of them the plan names first")),
        Trial("follows a chain of shared tools to its end", _NAMES_STAGE,
              _plans(_chain, _late, _backwards, _any),
              _named("roles that share nothing with each other, and both something with a third")),
    ),
    places={
        "*": "the names of the {} plan",
        "*.*": "the name for {1} in the {0} plan",
    },
    finished={"shared_names": "course.supervisor_worker.workers:shared_names"},
)  # fmt: skip

# -- 10.3 ---------------------------------------------------------------------------------------

_STAFF_STAGE = """
from course.supervisor_worker import Plan


async def stage(bench, student):
    found = []
    for data in bench.params["plans"]:
        made = student.staff(Plan.model_validate(data), bench.tools, **bench.params["more"])
        workers = {
            each.name: {
                "tools": sorted(tool.name for tool in each.tools),
                "model": each.model,
                "description": each.description,
                "instructions": each.instructions,
            }
            for each in made.registry.workers
        }
        found.append({"plan": made.plan.model_dump(mode="json"), "workers": workers})
    return found
"""


def _offer(name: str) -> ToolOffer:
    parameters = {"type": "object", "properties": {"what": {"type": "string"}}, "required": []}
    return ToolOffer(name, f"{name} what is asked for", parameters, lambda ask: Answer("done"))


_OFFERS = tuple(map(_offer, _TOOLS))


def _sites(*cases: Case, **more: Any) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        params = {"plans": [plan(case(draw)) for case in cases], "more": more}
        return Scenario(_OFFERS, None, params)

    return world


def _made(data: dict[str, Any], model: str | None) -> dict[str, Any]:
    """The staff of a plan: the plan with the workers' names, and the workers."""
    who = together(data["tasks"])
    placed = [{**each, "worker": who[each["worker"]]} for each in data["tasks"]]
    workers = {}
    for name in who.values():
        own = [each for each in placed if each["worker"] == name]
        told = [each["description"].rstrip(".") for each in own]
        workers[name] = {
            "tools": sorted({tool for each in own for tool in each["tools"]}),
            "model": model or such_that("the usual model", bool),
            "description": text_with(*told),
            "instructions": text_with(name, *told),
        }
    return {"plan": {**data, "tasks": placed}, "workers": workers}


def _staff(look: str) -> Checks:
    def checks(world: Scenario) -> list[Any]:
        model = world.params["more"].get("model")
        wanted = [_made(each, model) for each in world.params["plans"]]
        return [fits(wanted, look=f"look at {look}")]

    return checks


def _lacking(draw: random.Random) -> Tasks:
    """Three tasks need three tools that nobody has, two of them the same one."""
    (a, b, c), (x, y) = _drawn(draw, 3, 2)
    return staffed(draw, (a, [x, "crane"]), (b, [y]), (c, ["ferry", "laser", y]), (b, ["crane"]))


def _nothing(draw: random.Random) -> Tasks:
    return []


def _refused(world: Scenario) -> list[Any]:
    [data] = world.params["plans"]
    words = [
        word
        for each in data["tasks"]
        for tool in each["tools"]
        if tool not in _TOOLS
        for word in (each["id"], tool)
    ]
    return [raises("PlanError", *words, *(_TOOLS if words else ()))]


STAFF = Exercise(
    "10.3", ("staff",), (
        Trial("makes a worker of each role, with the tools that its tasks need", _STAFF_STAGE,
              _sites(_apart, _pair, model=LARGE),
              _staff("what each worker gets: no tool that none of its tasks names")),
        Trial("gives the tasks of several roles to the one worker they became", _STAFF_STAGE,
              _sites(_chain, _late, _any),
              _staff("the plan that comes back: it has to name the workers that there are"), 0.5),
        Trial("refuses a plan that needs tools nobody has, and names all of them", _STAFF_STAGE,
              _sites(_lacking), _refused),
        Trial("refuses a plan without tasks", _STAFF_STAGE, _sites(_nothing), _refused, 0.5),
    ),
    builds_on={
        name: f"course.supervisor_worker.workers:{name}"
        for name in ("Staff", "shared_names", "make_worker")
    },
    places={
        "*": "what was made for the {} plan",
        "*.plan": "the plan made from the {} plan",
        "*.plan.tasks.*": "the {1} task of the {0} plan",
        "*.workers": "the workers for the {} plan",
        "*.workers.*": "the worker {1} for the {0} plan",
        "*.workers.*.*": "{2} of the worker {1} for the {0} plan",
    },
    finished={"staff": "course.supervisor_worker.workers:staff"},
)  # fmt: skip
