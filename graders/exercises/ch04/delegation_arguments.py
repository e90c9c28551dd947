"""Exercise 4.1: the arguments of a delegation become an order, or an error with the way out."""

from __future__ import annotations

from graders.exercises.kit import *

_STAGE = """
from course import ToolError
from course.supervisor import Supervisor, Worker


async def stage(bench, student):
    workers = tuple(
        Worker(name=name, description=f"does {name}", policy=policy)
        for name, policy in bench.params["workers"]
    )
    boss = Supervisor(name=bench.params["boss"], workers=workers)
    read = []
    for text in bench.params["calls"]:
        try:
            order = student.read_order(boss, text)
        except ToolError as error:
            read.append({"error": str(error)})
        else:
            place = next((n for n, each in enumerate(workers) if each is order.worker), None)
            read.append({"worker": place, "task": order.task, "constraints": order.constraints})
    return read
"""
_NAMES = ("plumbing", "carpentry", "painting", "roofing", "gardening", "tiling")
_TASKS = ("Look at the sink.", "Fix the door.", "Paint the hall.", "Count the tiles.")
_LIMITS = ("by noon", "at most 80 EUR", "without noise")


def _call(worker: str, task: str, **more: str) -> str:
    return json.dumps({"worker_agent": worker, "task": task, **more})


def _house(*calls: Callable[[random.Random, list[str]], str]) -> ScenarioMaker:
    """Four workers, the last of whom may never be asked, and these calls."""

    def world(draw: random.Random) -> Scenario:
        names = draw.sample(_NAMES, 4)
        policies = ["allowed", "allowed", "allowed", "never"]
        workers = list(zip(names, policies, strict=True))
        made = [each(draw, names) for each in calls]
        return Scenario(params={"boss": "caretaker", "workers": workers, "calls": made})

    return world


def _orders(world: Scenario) -> list[dict[str, Any]]:
    names = [name for name, _ in world.params["workers"]]
    given = [json.loads(each) for each in world.params["calls"]]
    return [
        {
            "worker": names.index(each["worker_agent"]),
            "task": each["task"].strip(),
            "constraints": each.get("constraints", "").strip(),
        }
        for each in given
    ]


def _read(look: str) -> Checks:
    return lambda world: [equals(_orders(world), look=f"look at {look}")]


def _refused(*said: Callable[[Scenario], Callable[[Any], bool]], look: str) -> Checks:
    return lambda world: [fits([{"error": each(world)} for each in said], look=f"look at {look}")]


def _with(*words: str, apart: tuple[str, ...] = ()) -> Callable[[Any], bool]:
    """Words that a message has to hold, not glued to others, and words that it must not."""

    def told(text: Any) -> bool:
        said = re.split(r"\W+", text)
        return all(word in said for word in words) and not any(word in text for word in apart)

    without = f" and without {', '.join(apart)}" if apart else ""
    return such_that(f"a message with {', '.join(words)}{without}", told)


def _open_workers(world: Scenario) -> Callable[[Any], bool]:
    *names, hidden = [name for name, _ in world.params["workers"]]
    return _with(*names, apart=(hidden,))


def _anything(world: Scenario) -> Callable[[Any], bool]:
    """A message whose words are nobody's business."""
    return such_that("some words", lambda text: bool(text.strip()))


READ_ORDER = Exercise(
    "4.1", ("read_order",), (
        Trial(
            "reads the worker, the task and the constraints",
            _STAGE,
            _house(
                lambda draw, names: _call(names[1], draw.choice(_TASKS)),
                lambda draw, names: _call(
                    names[0], draw.choice(_TASKS), constraints=draw.choice(_LIMITS)
                ),
                lambda draw, names: _call(names[2], f"  {draw.choice(_TASKS)}\n", constraints=" "),
            ),
            _read("what the order holds: the worker itself, and words without space around them"),
        ),
        Trial("names the workers there are when it is none of them", _STAGE,
              _house(lambda draw, names: _call("heating", draw.choice(_TASKS)),
                     lambda draw, names: _call(names[0].upper(), draw.choice(_TASKS)),
                     lambda draw, names: _call("caretaker", draw.choice(_TASKS))),
              _refused(_open_workers, _open_workers, _anything,
                       look="the message: the model needs the names of the workers it can ask"),
              0.5),
        Trial(
            "refuses an empty task, and arguments that do not fit",
            _STAGE,
            _house(
                lambda draw, names: _call(names[0], ""),
                lambda draw, names: _call(names[1], draw.choice(("  ", "\n"))),
                lambda draw, names: json.dumps({"worker_agent": names[0]}),
                lambda draw, names: _call(names[1], "Do it.", priority="high"),
                lambda draw, names: '{"worker_agent": "',
            ),
            _refused(
                lambda world: _with(world.params["workers"][0][0]),
                lambda world: _with(world.params["workers"][1][0]),
                _anything,
                _anything,
                _anything,
                look="what parse_arguments says by itself, and what is left for you to test",
            ),
            points=0.5,
        ),
    ),
    places={
        "*": "the {} order",
        "*.worker": "the place of the {} order's worker among the workers",
        "*.error": "the ToolError for the {} call",
    },
    finished={"read_order": "course.supervisor.delegating:read_order"},
)  # fmt: skip
