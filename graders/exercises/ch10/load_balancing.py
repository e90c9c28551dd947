"""Exercise 10.4: several supervisors share the requests; some are busy and some unwell."""

from __future__ import annotations

from graders.checks import made
from graders.exercises.kit import *

_STAGE = """
import asyncio

from course import clock
from course.errors import CourseError
from course.models.breaker import Breaker
from course.models.line import Backoff
from course.supervisor import Worker
from course.supervisor_worker import Replica, Plan, PlanningSupervisor, FailurePolicy, Registry


def replica_of(bench, name, busy):
    worker = Worker(
        name="finder", description="finds figures", instructions=f"You find figures at {name}."
    )
    boss = PlanningSupervisor(
        name=name, instructions=f"You lead {name}.", workers=(worker,),
        failure_policy=FailurePolicy(retry="never", backoff=Backoff(tries=1)),
    )
    breaker = Breaker(name=name, failures=2, cooldown=bench.params["cooldown"])
    return Replica(boss=boss, client=bench.client, breaker=breaker, under_way=busy)


async def ask(student, replicas, asked):
    more = {"plan": Plan.model_validate(asked["plan"])} if asked["plan"] else {}
    try:
        async with asyncio.timeout(asked["patience"]):
            result = await student.serve(replicas, asked["request"], **more)
    except (CourseError, ValueError, TimeoutError) as error:
        return {"raised": type(error).__name__, "words": str(error)}
    return {"answer": result.results["t1"].result}


async def stage(bench, student):
    replicas = [replica_of(bench, name, busy) for name, busy in bench.params["replicas"]]
    told = []
    for asked in bench.params["asked"]:
        await asyncio.sleep(asked["at"] - clock.now())
        many = [ask(student, replicas, asked) for _ in range(asked["times"])]
        told.append(await asyncio.gather(*many))
    return {
        "told": told,
        "replicas": {
            each.boss.name: [each.under_way, each.served, each.breaker.state] for each in replicas
        },
    }
"""
SECONDS = 1.0
"""How long the model takes for each answer."""
COOLDOWN = 30.0
NAMES = ("north", "south", "east", "west", "harbour", "market")
State = Callable[[float], str]
"""How a replica's model is at a time: well, gone (it refuses all), stuck (its worker cannot do its
task), or strange (it writes no plan)."""


def always(state: str) -> State:
    """A model that is like this all the time."""
    return lambda now: state


def gone_until(moment: float) -> State:
    """A model that refuses everything at first and is well later."""
    return lambda now: "gone" if now < moment else "well"


def replica_in(text: str) -> str | None:
    """Whose request this is, by its instructions."""
    found = re.search(r"You (?:find figures at|lead) (\w+)\.", text)
    return found[1] if found else None


def _model(states: dict[str, State]) -> Callable[[Ask], Answer]:
    def says(ask: Ask) -> Answer:
        assert ask.request is not None
        name = replica_in(str(ask.request.messages[0].get("content")))
        state = states[name](ask.time) if name else "well"
        if state == "gone":
            return Answer(error=ApiError(400, f"the model of {name} is gone"), seconds=SECONDS)
        if ask.request.raw.get("response_format"):
            written = "I would begin at once." if state == "strange" else json.dumps(PLAN)
            return Answer(written, seconds=SECONDS)
        if state == "stuck":
            return Answer(f"CANNOT: no such figure, says {name}.", seconds=SECONDS)
        return Answer(f"from {name} {ask.token}", seconds=SECONDS)

    return says


def asked(
    at: float, times: int = 1, *, request: str = "Find it.", planned: bool = True,
    patience: float | None = None,
) -> dict[str, Any]:  # fmt: skip
    """So many requests at a time, with a plan of their own, or to be planned at the replica."""
    given = PLAN if planned else None
    return {"at": at, "times": times, "request": request, "plan": given, "patience": patience}


PLAN = plan([task(random.Random(0), "t1", worker="finder")])
Desks = Sequence[tuple[State, int]]


def _world(replicas: Desks, *requests: dict[str, Any]) -> ScenarioMaker:
    """Desks with their model's state and how busy they are; and what is asked when."""

    def world(draw: random.Random) -> Scenario:
        names = draw.sample(NAMES, len(replicas))
        states = {name: state for name, (state, _) in zip(names, replicas, strict=True)}
        params = {
            "replicas": [[name, busy] for name, (_, busy) in zip(names, replicas, strict=True)],
            "asked": list(requests),
            "cooldown": COOLDOWN,
        }
        return Scenario((), _model(states), params)

    return world


def _when(exchange: Exchange) -> str | None:
    """Whose request it is and when it was made; None for those that make an answer of results."""
    said = exchange.request.get("messages") or [{}]
    name = replica_in(str(said[0].get("content"))) if exchange.kind == "model" else None
    return f"{name} at {exchange.start:g} s" if name else None


Told = dict[str, Any]


def came(name: str) -> Told:
    """An answer from this replica."""
    return {"answer": such_that(f"an answer of {name}", lambda text: name in text.split()[:2])}


def raised(kind: str, *words: str) -> Told:
    """An error of this kind, with these words."""
    what = f"words with {', '.join(words)}" if words else "any words"
    return {"raised": kind, "words": such_that(what, lambda text: all(w in text for w in words))}


@dataclass(frozen=True)
class Seen:
    """What must be seen: what came of each request, how replicas are left, who was asked when."""

    told: list[list[Told]]
    left: dict[str, list[Any]]
    asked: dict[str, list[float]]


def _checks(seen: Callable[..., Seen], look: str) -> Checks:
    def checks(world: Scenario) -> list[Check]:
        wanted = seen(*(name for name, _ in world.params["replicas"]))
        labels = [f"{name} at {time:g} s" for name, times in wanted.asked.items() for time in times]
        about = "look at when under_way, served and the breaker change"
        told = [
            fits(each, at=f"told.{n}", any_order=True, look=f"look at {look}")
            for n, each in enumerate(wanted.told)
        ]
        alone = [check for check, each in zip(told, wanted.told, strict=True) if len(each) == 1]
        return [
            *alone,  # of many it says less what came than who was asked
            made(_when, labels, repeats=True, what="a request"),
            *told,
            equals(wanted.left, at="replicas", look=about),
        ]

    return checks


def _shared(a: str, b: str, c: str) -> Seen:
    first = [came(name) for name in (a, a, a, b, c, c)]
    return Seen(
        [first, [came(a)]],
        {a: [0, 4, "closed"], b: [2, 1, "closed"], c: [0, 2, "closed"]},
        {a: [0, 10], b: [0], c: [0]},
    )


def _replaced(a: str, b: str, c: str) -> Seen:
    return Seen(
        [[came(b)], [came(b)], [came(b)], [came(a), came(b)]],
        {a: [0, 1, "closed"], b: [0, 4, "closed"], c: [0, 0, "closed"]},
        {a: [0, 10, 45], b: [1, 11, 12, 20, 45], c: []},
    )


def _stuck(a: str, b: str) -> Seen:
    return Seen(
        [[{"answer": text_with(a)}]] * 3,
        {a: [0, 3, "closed"], b: [0, 0, "closed"]},
        {a: [0, 10, 20], b: []},
    )


def _nobody(*all: str) -> Seen:
    told = [raised("Unavailable", *all)]
    return Seen(
        [[raised("Unavailable", *all, "gone")], told, told],
        {each: [0, 0, "open"] for each in all},
        {each: [place, 10 + place] for place, each in enumerate(all)},
    )


def _astray(now: float) -> str:
    """Gone at first and in the end, and strange in between."""
    return "strange" if 5 <= now < 100 else "gone"


def _blameless(a: str, b: str) -> Seen:
    """Two failures in a row, though much lies between them that says nothing of the replica."""
    told = [[raised("ValueError")], [raised("PlanError")], [raised("TimeoutError")]]
    return Seen(
        [[came(b)], *told, [came(b)], [came(b)]],
        {a: [0, 0, "open"], b: [0, 3, "closed"]},
        {a: [0, 20, 21, 22, 30, 110], b: [1, 111, 120]},
    )


def _given_back(a: str, b: str) -> Seen:
    return Seen(
        [[came(b)], [came(b)], [raised("TimeoutError")], [came(a)]],
        {a: [0, 1, "closed"], b: [0, 2, "closed"]},
        {a: [0, 10, 50, 60], b: [1, 11]},
    )


_WELL, _GONE = always("well"), always("gone")
SERVE = Exercise(
    "10.4", ("serve",), (
        Trial("asks the least busy supervisor", _STAGE,
              _world([(_WELL, 0), (_WELL, 2), (_WELL, 0)], asked(0, 6), asked(10)),
              _checks(_shared, "the order in which they are asked")),
        Trial("asks the next one when one fails, and leaves that one alone for a while", _STAGE,
              _world([(gone_until(40), 0), (_WELL, 0), (_WELL, 0)], asked(0),
                     asked(10, planned=False), asked(20), asked(45, 2)),
              _checks(_replaced, "the two ways in which it shows that a model is gone")),
        Trial("takes what a task lacks for an answer", _STAGE,
              _world([(always("stuck"), 0), (_WELL, 0)], asked(0), asked(10), asked(20)),
              _checks(_stuck, "`helpless`: a task that cannot be done is no fault of the replica"),
              0.5),
        Trial("tells every reason when nobody can answer", _STAGE,
              _world([(_GONE, 0)] * 3, asked(0, planned=False), asked(10), asked(20)),
              _checks(_nobody, "what you collect on the way"), 0.5),
        Trial("blames nobody for the request itself, or for whoever gave up waiting", _STAGE,
              _world([(_astray, 0), (_WELL, 0)], asked(0), asked(10, request=" "),
                     asked(20, planned=False), asked(30, planned=False, patience=0.5),
                     asked(110), asked(120)),
              _checks(_blameless, "the errors that are about the request: they are the asker's"),
              0.5),
        Trial("gives the try of a half-open breaker back when it was given up", _STAGE,
              _world([(gone_until(25), 0), (_WELL, 0)], asked(0), asked(10),
                     asked(50, patience=0.5), asked(60)),
              _checks(_given_back, "what happens whichever way the run ends: `settle` hears of it"),
              0.5),
    ),
    builds_on={
        name: f"course.supervisor_worker.load_balancer:{name}"
        for name in ("Replica", "Unavailable", "helpless")
    },
    places={
        "told": "what was told",
        "told.*": "what came of the {} request",
        "told.*.*": "what came of the {0} request",
        "replicas": "the replicas",
        "replicas.*": "the replica {} afterwards",
        "replicas.*.0": "the runs under way at {} afterwards",
        "replicas.*.1": "the runs that {} served",
        "replicas.*.2": "the state of the breaker of {}",
    },
    finished={"serve": "course.supervisor_worker.load_balancer:serve"},
)  # fmt: skip
