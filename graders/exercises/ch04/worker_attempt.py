"""Exercise 4.4: a worker's run within its time, and every way it can fail as a value."""

from __future__ import annotations

from graders.checks import times_out
from graders.checks.keys import by_model
from graders.exercises.kit import *

_SETTING = """
from course import Agent, Limits, tool
from course.errors import UnexpectedRequest, VirtualTimeError
from course.supervisor import Supervisor
from course.supervisor.state import Order, SupervisorRun
from course.systems import carry_out


class Clumsy(Agent):
    \"\"\"A worker that breaks before it has done anything.\"\"\"


@carry_out.register(Clumsy)
async def stumble(worker, request, *, client):
    raise RuntimeError("stumbled over the stairs")


@tool
def look(name: str) -> str:
    \"\"\"Look something up.\"\"\"
    if name == "the script":
        raise UnexpectedRequest("the script has no answer to this")
    if name == "the clock":
        raise VirtualTimeError("that needs real time")
    return f"{name} was seen"


def orders(bench):
    for task in bench.params["tasks"]:
        turns = bench.params.get("turns", 10)
        worker = (Clumsy if "stumble" in task else Agent)(
            name="works below" if "Lead" in task else bench.params["worker"],
            description="works", instructions="You work.", tools=(look,),
            limits=Limits(max_turns=turns),
        )
        if "Lead" in task:
            worker = Supervisor(
                name=bench.params["worker"], description="leads", instructions="You lead.",
                workers=(worker,), coordinates=True,
            )
        boss = Supervisor(
            name="caretaker", workers=(worker,), delegation_seconds=bench.params["seconds"],
            max_tokens=bench.params.get("tokens"),
        )
        yield SupervisorRun(boss, bench.client), Order(worker, task)

"""
_STAGE = (
    _SETTING
    + """
async def stage(bench, student):
    told = []
    for run, order in orders(bench):
        with run.budget.in_force():
            outcome, failure = await student.attempt(run, order)
        told.append({
            "answer": outcome and outcome.answer,
            "kind": failure and failure.kind,
            "error": failure and failure.error,
            "limit": run.limit_reached and run.limit_reached.reason,
        })
    return told
"""
)
_LETS_OUT = (
    _SETTING
    + """
async def stage(bench, student):
    told = []
    for run, order in orders(bench):
        try:
            outcome, failure = await student.attempt(run, order)
        except (UnexpectedRequest, VirtualTimeError) as error:
            told.append(type(error).__name__)
        else:
            told.append(failure and failure.kind)
    return told
"""
)
_NAMES = ("plumbing", "carpentry", "painting", "roofing")
Says = Callable[[Ask], Answer]


def _says(ask: Ask) -> Answer:
    """Does what its task says: answers, falls silent, breaks, calls a tool again and again."""
    assert ask.request is not None
    task = str(ask.request.messages[1]["content"])
    results = [each for each in ask.request.messages if each["role"] == "tool"]
    if "for ever" in task:
        return Answer(never=True)
    if "strike" in task:
        return Answer(error=ApiError(400, f"on strike ({ask.token})"), seconds=1.0)
    if "nothing" in task:
        return Answer("", seconds=1.0)
    named = next((each for each in ("the script", "the clock") if each in task), "")
    if named or "again" in task or ("look" in task and not results):
        from course.models import Call

        name = named or "the sink"
        said = "so far" if "again" in task else None
        return Answer(Reply(said, (Call("look", f'{{"name": "{name}"}}'),)), seconds=1.0)
    return Answer(f"done: {ask.token}", seconds=1.0)


def _tasks(*tasks: str, seconds: float = 20.0, **more: Any) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        worker = draw.choice(_NAMES)
        params = {"worker": worker, "tasks": list(tasks), "seconds": seconds, **more}
        if seconds < 20:
            params["seconds"] = seconds + draw.randrange(4)
        return Scenario(model=_says, params=params)

    return world


def _told(*wanted: Any, look: str) -> Checks:
    """What each task gives; a function makes it from the world."""

    def checks(world: Scenario) -> list[Check]:
        expected = [each(world) if callable(each) else each for each in wanted]
        return [fits(expected, look=f"look at {look}")]

    return checks


def _answers(world: Scenario) -> list[Check]:
    def wanted(log: Log) -> list[Any]:
        said = [each.reply["text"] for each in log.requests() if each.reply["text"]]
        return [{"answer": words, "kind": None, "error": None, "limit": None} for words in said]

    return [equals(wanted, look="the run that came to its end, and no failure")]


def _late(world: Scenario) -> list[Check]:
    seconds = world.params["seconds"]
    wanted = {"answer": None, "kind": "timeout", "error": text_with(f"{seconds:g}"), "limit": None}
    return [
        times_out(by_model(), seconds),
        fits([wanted], look="what `broken` is told: was the time over?"),
        nothing_left(),
    ]


ATTEMPT = Exercise(
    "4.4", ("attempt",), (
        Trial("gives the worker's run when all goes well", _STAGE,
              _tasks("Answer.", "First look, then answer.", "Lead others."), _answers, 0.75),
        Trial("gives up when the time is over", _STAGE, _tasks("Think for ever.", seconds=4.0),
              _late, 0.75),
        Trial("says which limit of the whole run was reached", _STAGE,
              _tasks("Go on strike.", "Answer.", tokens=60),
              _told({"answer": None, "kind": "limit", "error": text_with("max_tokens", "60")},
                    {"answer": None, "kind": "limit", "limit": "max_tokens"},
                    look="what you catch, and who turns it into a Failure"), 0.5),
        Trial("makes a value of a model that cannot be used, and of a worker that breaks", _STAGE,
              _tasks("Go on strike.", "Come in and stumble.", "Answer."),
              _told({"answer": None, "kind": "model", "error": text_with("on strike"),
                     "limit": None},
                    {"answer": None, "kind": "error", "error": text_with("stairs"), "limit": None},
                    {"kind": None, "answer": text_with("done")},
                    look="what you catch, and who turns it into a Failure"), 0.25),
        Trial("does not sell a stopped run or silence as a result", _STAGE,
              _tasks("Look again and again.", "Say nothing.", turns=2),
              _told({"answer": text_with("so far"), "kind": "limit",
                     "error": text_with("max_turns", "2")},
                    {"answer": "", "kind": "error", "limit": None},
                    look="`shortfall`: a run that came to its end may still be no result"), 0.5),
        Trial(
            "lets out what no supervisor can help",
            _LETS_OUT,
            _tasks("Read the script.", "Read the clock.", "Answer."),
            lambda world: [
                equals(
                    ["UnexpectedRequest", "VirtualTimeError", None],
                    look="which errors say that the experiment itself is set up wrongly?",
                )
            ],
            points=0.25,
        ),
    ),
    builds_on={
        name: f"course.supervisor.delegating:{name}" for name in ("work", "broken", "shortfall")
    },
    places={
        "*": "what came of the {} order",
        "*.answer": "the outcome's `answer` for the {} order",
        "*.kind": "the failure's `kind` for the {} order",
        "*.error": "the failure's `error` for the {} order",
        "*.limit": "the reason in `run.limit_reached` after the {} order",
    },
    finished={"attempt": "course.supervisor.delegating:attempt"},
)  # fmt: skip
