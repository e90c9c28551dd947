"""Exercise 10.1: a team does a task of somebody else's plan, with no more than is left there."""

from __future__ import annotations

from graders.exercises.ch10.trip_team import WORKERS, Limits, world_of
from graders.exercises.kit import *

_STAGE = """
from course import Limits
from course.supervisor import Worker
from course.supervisor_worker import PlanningSupervisor, FailurePolicy, Registry, PlanTask


def team_of(bench, own):
    tools = {each.name: each for each in bench.tools}
    workers = tuple(
        Worker(
            name=name, description=f"does {name}", instructions=f"You do {name}.",
            tools=(tools[tool],) if tool in tools else (),
        )
        for name, tool in bench.params["workers"].items()
    )
    return PlanningSupervisor(
        name=bench.params["team"], description="plans trips", workers=workers,
        failure_policy=FailurePolicy(retry="never"), max_calls=own.get("calls"),
        limits=Limits(max_seconds=own.get("seconds")),
    )


def shown(told):
    failure = told.failure
    return {
        "task_id": told.task_id,
        "worker": told.worker,
        "status": told.status,
        "result": told.result,
        "evidence": sorted([each.tool, each.result] for each in told.evidence),
        "tokens": told.usage.total,
        "failure": failure and {"kind": failure.kind, "cause": failure.cause},
        "error": failure.error if failure else "",
    }


async def stage(bench, student):
    found = []
    for case in bench.params["cases"]:
        team = team_of(bench, case["own"])
        told = await student.do_as_team(
            team, PlanTask(**case["task"]), client=bench.client, **case["left"]
        )
        found.append(shown(told))
    return found
"""


def _evidence(log: Log) -> list[list[Any]]:
    """The tool calls that worked, as a worker saw them."""
    found = [e for e in log.exchanges if e.kind == "tool" and e.outcome == "answered"]
    return sorted([e.name, json.dumps(e.reply, separators=(",", ":"))] for e in found)


def tokens(log: Log) -> int:
    """Tokens of all that the models answered."""
    return sum(e.reply["usage"]["total_tokens"] for e in log.requests() if e.outcome == "answered")


_ANY = such_that("any text", lambda text: isinstance(text, str))


def _done(world: Scenario, case: Mapping[str, Any], result: Any, log: Log) -> dict[str, Any]:
    return {
        "task_id": case["task"]["id"],
        "worker": world.params["team"],
        "status": "done",
        "result": result,
        "evidence": _evidence(log),
        "tokens": tokens(log),
        "failure": None,
        "error": "",
    }


def _works(*missing: str) -> Checks:
    """One case that is done; the answer names what is missing."""

    def checks(world: Scenario) -> list[Check]:
        [case] = world.params["cases"]

        def wanted(log: Log) -> list[Any]:
            words = (log.requests()[-1].token, *missing)
            said = such_that(
                f"a text with {' and '.join(words)}", lambda text: all(w in text for w in words)
            )
            return [_done(world, case, said, log)]

        return [
            history(keeps=(case["task"]["description"],), which=0),
            fits(wanted, look="look at what of a run goes into the result"),
        ]

    return checks


def _failed(kind: str, cause: str, word: str, requests: int) -> Checks:
    """One case that has failed in this way, after so many requests."""

    def checks(world: Scenario) -> list[Check]:
        [case] = world.params["cases"]
        wanted = {
            "task_id": case["task"]["id"],
            "worker": world.params["team"],
            "status": "failed",
            "result": _ANY,
            "evidence": [],
            "tokens": such_that("any number", lambda many: isinstance(many, int)),
            "failure": {"kind": kind, "cause": cause},
            "error": text_with(word),
        }
        return [
            within(requests=requests, reached=True),
            fits([wanted], look="which error is that, and what would help?"),
        ]

    return checks


_PIECES = 2 + len(WORKERS)
"""Requests of a team whose workers need no tool: a plan, one for each worker, an answer."""


def allowed(own: Limits, left: Limits) -> int:
    """Requests that a team may make, by the smaller of its own limit and what is left."""
    limits = [limit for each in (own, left) if (limit := each.get("calls")) is not None]
    return min(_PIECES, *map(int, limits))


_SMALLER = "which of two limits holds? And 0 is a limit, None is not"


def _kept_within(world: Scenario) -> list[Check]:
    many = [allowed(case["own"], case["left"]) for case in world.params["cases"]]
    error = such_that("what the error says", bool)
    limit = {"status": "failed", "failure": {"kind": "worker", "cause": "limit"}, "error": error}
    done = {"status": "done", "failure": None}
    return [
        within(requests=sum(many), reached=True, look=_SMALLER),
        fits([{**_OTHERS, **(done if may else limit)} for may in many], look=_SMALLER),
    ]


_OTHERS = dict.fromkeys(
    ("task_id", "worker", "result", "evidence", "tokens", "error"),
    such_that("anything", lambda value: True),  # the other trials look at it
)


def _in_time(seconds: float) -> Checks:
    def checks(world: Scenario) -> list[Check]:
        done = {**_OTHERS, "status": "done", "failure": None}
        failed = {**_OTHERS, "status": "failed", "failure": such_that("a failure", bool)}
        wanted = [
            failed if case["left"].get("seconds") == 0 else done for case in world.params["cases"]
        ]
        return [
            within(ended_by=seconds, look=_SMALLER),
            fits(wanted, look="what came before the time was over is a result; and 0 is a limit"),
        ]

    return checks


def _no_plan(_: Ask) -> Answer:
    return Answer("First the trains, I would say.")


def _gone(_: Ask) -> Answer:
    return Answer(error=ApiError(400, "this model is gone"))


def _cannot(ask: Ask) -> Answer:
    return Answer(f"CANNOT: there is a strike, {ask.token}")


DO_AS_TEAM = Exercise(
    "10.1", ("do_as_team",), (
        Trial("gives the team's answer, and what it rests on", _STAGE, world_of(), _works()),
        Trial("counts what has gaps, and tells the gaps", _STAGE,
              world_of(broken=("find_trains", "find_halls")), _works("is closed"), 0.5),
        Trial("keeps to the smaller of two numbers of calls", _STAGE,
              world_of(({"calls": 20}, {"calls": 4}), ({"calls": 3}, {"calls": 30}),
                       ({}, {"calls": 3}), ({"calls": 4}, {}), ({"calls": 20}, {"calls": 0}),
                       calls=False), _kept_within),
        Trial("ends when the time is over that is left", _STAGE,
              world_of(({"seconds": 60.0}, {"seconds": 5.0}), ({"seconds": 4.0}, {"seconds": 30.0}),
                       ({}, {"seconds": 6.0}), ({"seconds": 60.0}, {"seconds": 0.0}), slow=True),
              _in_time(15.0), 0.5),
        Trial("tells a team that came to no plan", _STAGE, world_of(plans=_no_plan),
              _failed("decomposition", "task", "no valid plan", 3), 0.5),
        Trial("tells a team whose model cannot be used", _STAGE, world_of(plans=_gone),
              _failed("worker", "model", "this model is gone", 1), 0.25),
        Trial("has failed when nothing inside worked, whatever the answer says", _STAGE,
              world_of(works=_cannot, calls=False),
              _failed("worker", "task", "there is a strike", 4), 0.25),
    ),
    places={
        "*": "the team's {} result",
        "*.failure": "the failure in the team's {} result",
    },
)  # fmt: skip
