"""Exercise 8.2: a task is rewritten by a model that reads the error it met."""

from __future__ import annotations

from course import LARGE
from graders.exercises.expected import asks
from graders.exercises.kit import *

_STAGE = """
from course.supervisor import Worker
from course.results import Failure


async def stage(bench, student):
    told = []
    for case in bench.params["cases"]:
        worker = Worker(
            name=case["worker"], description=case["about"], instructions="You do as you are told."
        )
        failure = Failure(case.get("kind", "worker"), case["error"])
        client = bench.client.with_options(max_retries=0)
        told.append(
            await student.refine(
                case["words"], failure, worker, client=client, **bench.params["more"]
            )
        )
    return told
"""
_WORKERS = {
    "archive": "searches the town's papers",
    "ledger": "knows what everything cost",
    "gauge": "reads the water levels",
}
_TASKS = (
    "Count the bicycles that crossed the old bridge",
    "Find the rent of the market hall",
    "Say how high the river Erl stood",
)
_ERRORS = (
    "{n} papers fit, too many: name the year, such as 19{m}",
    "no figure in litres: give it in hectolitres ({n})",
    "the station {n} is closed: take the one at kilometre {m}",
)
Case = dict[str, str]
Says = Callable[[Ask, Case], Answer]


def _case(draw: random.Random, **more: str) -> Case:
    worker, about = draw.choice(list(_WORKERS.items()))
    error = draw.choice(_ERRORS).format(n=draw.randrange(100, 1000), m=draw.randrange(10, 99))
    words = f"{draw.choice(_TASKS)}, file {draw.randrange(1000, 10_000)}."
    return {"words": words, "error": error, "worker": worker, "about": about, **more}


def _world(says: Says, *kinds: str, many: int = 1) -> ScenarioMaker:
    """So many tasks, and a model that `says` something about each."""

    def world(draw: random.Random) -> Scenario:
        cases = [_case(draw, kind=draw.choice(kinds or ("worker",))) for _ in range(many)]
        more = {"model": LARGE, "agent": draw.choice(("editor", "clerk"))}
        params = {"cases": cases, "more": more}
        return Scenario((), lambda ask: says(ask, cases[ask.number % many]), params)

    return world


def _new(ask: Ask, case: Case) -> Answer:
    return Answer(f"Look at it another way, by {ask.token}.", seconds=1.0)


def _wrapped(ask: Ask, case: Case) -> Answer:
    return Answer(f"\n  Task: Do it by the book {ask.token}. Task: none.  \n", seconds=1.0)


def _refused(ask: Ask, case: Case) -> Answer:
    """Refuses a request, and then cannot be reached."""
    status = (400, 503)[ask.number % 2]
    return Answer(error=ApiError(status, f"no ({ask.token})"), seconds=1.0)


def _silent(ask: Ask, case: Case) -> Answer:
    nothing = (Reply(), "  \n ", "Task:")
    return Answer(nothing[ask.number % 3], seconds=1.0)


def _parrot(ask: Ask, case: Case) -> Answer:
    """Says the task again, word for word: once as it is, once with a label and blanks."""
    words = case["words"]
    return Answer(words if ask.number == 0 else f" Task: {words}\n", seconds=1.0)


def _asked(world: Scenario) -> list[Check]:
    """One request for each case, in which stands all that a rewriter needs."""
    cases = world.params["cases"]
    return [
        within(requests=len(cases), reached=True),
        *(
            history(keeps=(case[part],), which=number)
            for number, case in enumerate(cases)
            for part in ("words", "error", "worker", "about")
        ),
    ]


def _gives(wanted: Callable[[Log], list[Any]], look: str) -> Checks:
    return lambda world: [*_asked(world), equals(wanted, look=f"look at {look}")]


def _shows(world: Scenario) -> list[Check]:
    gives = _gives(_said, "what is in the request, and what is returned")
    return [*gives(world), asks(world.params["more"]["model"])]


def _said(log: Log) -> list[Any]:
    return [each.reply["text"] for each in log.requests()]


def _unwrapped(log: Log) -> list[Any]:
    return [text.strip().removeprefix("Task:").strip() for text in _said(log)]


def _by_hand(case: Case) -> Callable[[Any], bool]:
    """Both are in it: what was asked, and what went wrong."""
    words = case["words"].rstrip(".")
    return such_that(
        f"'{words[:24]} ...' with its error added",
        lambda text: words in text and case["error"] in text,
    )


def _falls_back(look: str) -> Checks:
    def checks(world: Scenario) -> list[Check]:
        wanted = [_by_hand(case) for case in world.params["cases"]]
        return [*_asked(world), fits(wanted, look=f"look at {look}")]

    return checks


REFINE = Exercise(
    "8.2", ("refine",), (
        Trial("shows the model the task, the error and the worker", _STAGE,
              _world(_new, "worker", "timeout", many=2), _shows),
        Trial("takes the new words alone", _STAGE, _world(_wrapped),
              _gives(_unwrapped, "blanks around the new words, and `Task:` in front of them"), 0.5),
        Trial("adds the error by hand where the model cannot be used", _STAGE,
              _world(_refused, many=2), _falls_back("what `complete` raises then"), 0.5),
        Trial("adds it also where the model says nothing", _STAGE, _world(_silent, many=3),
              _falls_back("an answer without words"), 0.5),
        Trial("and where it only repeats the task", _STAGE, _world(_parrot, many=2),
              _falls_back("new words that are the old ones"), 0.5),
    ),
    builds_on={
        name: f"course.supervisor_worker.task_run:{name}"
        for name in ("by_hand", "REFINE_INSTRUCTIONS")
    },
    places={
        "model": "the model that is asked",
        "*": "the {} rewritten task",
    },
    finished={"refine": "course.supervisor_worker.task_run:refine"},
)  # fmt: skip
