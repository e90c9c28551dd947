"""Exercise 6.4: a model writes a plan, hears all its problems, and writes it again, to a cap."""

from __future__ import annotations

from course import LARGE
from course.supervisor import Worker
from course.supervisor_worker.plan import Plan
from course.supervisor_worker.planning import SAID_MOST, looked_at, shortened
from course.supervisor_worker.workers import Registry
from graders.exercises.expected import asks
from graders.exercises.kit import *
from graders.exercises.sample_plans import REGISTRY, WORKERS

_STAGE = (
    REGISTRY
    + """

async def stage(bench, student):
    told = await planned(bench, student, bench.params["request"])
    if bench.params["again"]:
        told["again"] = await planned(bench, student, bench.params["again"])
    return told


async def planned(bench, student, request):
    registry = registry_of(bench.params["workers"])
    more = {each: bench.params[each] for each in ("asked", "most")} | bench.params["more"]
    try:
        plan = await student.make_plan(request, registry, client=bench.client, **more)
    except PlanError as error:
        flaws = sorted([each.flaw for each in error.problems])
        last = error.plan and error.plan.model_dump()
        return {"raised": "PlanError", "flaws": flaws, "plan": last}
    return {"plan": plan.model_dump()}
"""
)
SECONDS = 0.5
"""How long the model takes for each answer."""
_REGISTRY = Registry(
    tuple(Worker(name=each, description=f"does {each}", instructions=each) for each in WORKERS)
)
Written = Callable[[random.Random], str]


def _good(draw: random.Random) -> str:
    a, b = names(draw, 2)
    return json.dumps(plan([task(draw, a), task(draw, b, a)]))


def _wrong(draw: random.Random) -> str:
    """Three problems in two tasks."""
    a, b, gone = names(draw, 3)
    nobody = draw.choice(("roofing", "gardening", "tiling"))
    tasks = [task(draw, a, gone), task(draw, b, a, worker=nobody), task(draw, b)]
    return json.dumps(plan(tasks))


def _round(draw: random.Random) -> str:
    """Tasks that wait for each other."""
    a, b, c = names(draw, 3)
    return json.dumps(plan([task(draw, a, b), task(draw, b, c), task(draw, c, a)]))


def _broken(draw: random.Random) -> str:
    """Text that is no plan: broken off, another object, or words."""
    return draw.choice(
        (_good(draw)[:-9], '{"tasks": "all of them"}', "First the door, then paint.")
    )


def _endless(draw: random.Random) -> str:
    """Words, and more of them than a model is shown again."""
    return f"First hall {draw.randrange(90)}, then paint. " * 1000


def _long(draw: random.Random) -> str:
    """A task more than this world allows."""
    return json.dumps(plan(task(draw, each) for each in names(draw, 6)))


def _nobody_can(draw: random.Random) -> str:
    return json.dumps({**plan([]), "final_instruction": "Nobody here can bake a cake."})


def _world(*written: Written, asked: int = 3, most: int = 20, again: bool = False) -> ScenarioMaker:
    """A model that writes these one after the other, the last kind for ever.

    Where `again`, a second request is made after the first one.
    """

    def world(draw: random.Random) -> Scenario:
        texts = [each(draw) for each in written] + [written[-1](draw) for _ in range(4)]

        def says(ask: Ask) -> Answer:
            return Answer(texts[min(ask.number, len(texts) - 1)], seconds=SECONDS)

        params = {
            "workers": WORKERS,
            "request": f"Renovate hall {draw.randrange(100, 1000)}, please.",
            "again": f"Bake {draw.randrange(100, 1000)} cakes, please." if again else "",
            "asked": asked,
            "most": most,
            "more": {
                "instructions": f"The house is number {draw.randrange(100, 1000)}.",
                "agent": draw.choice(("architect", "builder")),
                "model": LARGE,
            },
        }
        return Scenario((), says, params)

    return world


def _flawed(text: str, most: int) -> list[str]:
    return [str(each) for each in looked_at(text, _REGISTRY, most)[1]][:SAID_MOST]


def _told(most: int, which: int) -> list[Check]:
    """The request after a plan ends in it, cut where it is long, and in all that is wrong."""

    def said(log: Log) -> Sequence[str]:
        before = log.requests()[which - 1]
        return _flawed(str(before.reply["text"]), most)

    def messages(log: Log) -> Any:
        return log.requests()[which].request["messages"]

    def wanted(log: Log) -> Any:
        before = log.requests()[which - 1]
        written = shortened({"role": "assistant", "content": str(before.reply["text"])})
        return [*before.request["messages"], written, {"content": _alone(log, most, which)}]

    look = "look at what is added to the conversation, and in which order"
    return [history(keeps=said, which=which), viewed(messages, fits(wanted, look=look))]


def _alone(log: Log, most: int, which: int) -> Callable[[Any], bool]:
    """A complaint about the last plan, in which no former one's problems stand."""
    texts = [str(each.reply["text"]) for each in log.requests()[:which]]
    *former, last = (_flawed(each, most) for each in texts)
    old = {each for flaws in former for each in flaws} - set(last)
    return such_that(
        "the complaint about the last plan alone",
        lambda text: not any(each in text for each in old),
    )


def _asked(world: Scenario, many: int, *, cut: bool = False) -> list[Check]:
    """How often the model is asked, and that each time it reads all that was said before.

    `cut`: one of its answers is so long that it reads only the beginning of it.
    """
    most = world.params["most"]
    asked = [
        within(requests=many, reached=True),
        history(keeps=(world.params["request"],), which=0),
    ]
    if many > 1 and not cut:
        asked.append(history_grows(at_least=many))
    return [*asked, *(each for which in range(1, many) for each in _told(most, which))]


def _last(log: Log) -> str:
    return str(log.requests()[-1].reply["text"])


def _dumped(plan: Plan) -> Any:
    return json.loads(json.dumps(plan.model_dump()))


def _gives(many: int, look: str, *, cut: bool = False) -> Checks:
    def checks(world: Scenario) -> list[Check]:
        return [
            *_asked(world, many, cut=cut),
            fits(
                lambda log: {"plan": _dumped(Plan.model_validate(json.loads(_last(log))))},
                look=f"look at {look}",
            ),
        ]

    return checks


def _first_time(look: str) -> Checks:
    """The first answer is a plan; and all that is given besides the request reaches the model."""
    gives = _gives(1, look)

    def checks(world: Scenario) -> list[Check]:
        more = world.params["more"]
        return [*gives(world), history(keeps=(more["instructions"],), which=0), asks(more["model"])]

    return checks


def _refused(log: Log, world: Scenario) -> dict[str, Any]:
    """What is raised about the last answer."""
    plan, found = looked_at(_last(log), _REGISTRY, world.params["most"])
    flaws = sorted([each.flaw for each in found])
    return {"raised": "PlanError", "flaws": flaws, "plan": plan and _dumped(plan)}


def _fails(many: int, look: str) -> Checks:
    def checks(world: Scenario) -> list[Check]:
        wanted = fits(lambda log: _refused(log, world), look=f"look at {look}")
        return [*_asked(world, many), wanted]

    return checks


def _nobody(look: str) -> Checks:
    """An empty plan ends it: the first request's first answer, and the second one's second."""

    def checks(world: Scenario) -> list[Check]:
        def wanted(log: Log) -> dict[str, Any]:
            told = _refused(log, world)
            return {**told, "again": told}

        return [within(requests=3, reached=True), fits(wanted, look=f"look at {look}")]

    return checks


MAKE_PLAN = Exercise(
    "6.4", ("make_plan",), (
        Trial("gives a valid plan back as soon as there is one", _STAGE, _world(_good),
              _first_time("what ends your loop"), 0.5),
        Trial("tells the model everything that is wrong, and asks again", _STAGE,
              _world(_wrong, _good),
              _gives(2,
                     "what the model reads the second time: its own plan, and all the problems")),
        Trial("does so for what is no plan, has a circle or too many tasks", _STAGE,
              _world(_broken, _endless, _round, _long, _good, asked=6, most=5),
              _gives(5, "what each of the answers goes through", cut=True)),
        Trial("gives up at the cap, with the last plan and its problems", _STAGE,
              _world(_round, _wrong, asked=2),
              _fails(2, "what is raised when the model was asked often enough"), 0.5),
        Trial("gives up when the last answer is no plan at all", _STAGE,
              _world(_wrong, _broken, asked=2),
              _fails(2, "an answer that is no JSON: it is no plan, and looked_at says what it is"),
              0.5),
        Trial("does not press a model that says nobody can do it", _STAGE,
              _world(_nobody_can, _wrong, _nobody_can, again=True),
              _nobody("a plan without tasks: the model answered, and its answer is no"), 0.5),
    ),
    builds_on={
        name: f"course.supervisor_worker.planning:{name}"
        for name in ("opening", "looked_at", "complaint", "shortened", "verdict", "answer_format")
    },
    places={
        "": "the conversation",
        "*": "the {} message of the conversation",
        "model": "the model that is asked",
        "again": "what came of the second request",
        "raised": "the error",
        "flaws": "the flaws that the PlanError names",
        "flaws.*": "the {} flaw that the PlanError names",
        "plan": "the plan",
        "plan.tasks": "the plan's tasks",
        "plan.tasks.*": "the plan's {} task",
    },
    finished={"make_plan": "course.supervisor_worker.planning:make_plan"},
)  # fmt: skip
