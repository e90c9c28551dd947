"""A plan: tasks for named workers and what waits for what, written down before anything runs.

It is data: read it, edit it as JSON (`docs/plan.schema.json`), draw it, check it.

Source: a directed acyclic graph of tasks made by a model before execution, as in LLMCompiler (Kim
et al., ICML 2024); critical path method, Kelley and Walker (1959).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from course.budget import BudgetExceeded
from course.errors import CourseError, FileFormatError, ModelError
from course.results import Failure, Kind

MOST_TASKS = 100
"""Tasks of a plan; more are refused, since somebody has to read and to pay for them."""


def half_a_character(text: Any) -> bool:
    """Whether a text holds half of one: JSON can escape it, but no file or request can hold it."""
    return isinstance(text, str) and text.encode(errors="ignore").decode() != text


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    @field_validator("*")
    @classmethod
    def _is_text(cls, value: Any) -> Any:
        if any(map(half_a_character, value if isinstance(value, tuple) else (value,))):
            raise ValueError("it holds half a character (a lone surrogate): leave it out")
        return value


class PlanTask(_Data):
    """One piece of work for one worker, who knows its own tools. Built in chapter 06."""

    id: str = Field(description="short and unique, such as t1")
    description: str = Field(description="what to do, with all the worker needs to know")
    worker: str = Field(description="the name of the worker that does it")
    dependencies: tuple[str, ...] = Field(
        default=(), description="ids of the tasks whose results it needs"
    )
    tools: tuple[str, ...] = Field(
        default=(), description="names of tools it cannot do without, if any"
    )


class Plan(_Data):
    """Tasks that together answer a request. `problems` tells whether it can be carried out.
    Built in chapter 06.
    """

    goal: str = Field(description="what the request is after, in a sentence")
    tasks: tuple[PlanTask, ...] = Field(description="the tasks, in any order")
    final_instruction: str = Field(
        default="",
        description="how to make one answer out of the results; its last words name the strategy:"
        " 'Strategy: merge.', or select where tasks do the same, or reduce for very many results",
    )

    @property
    def by_id(self) -> dict[str, PlanTask]:
        """The tasks by their ids; of two with the same id, the last."""
        return {task.id: task for task in self.tasks}

    def to_json(self) -> str:
        """The plan as indented JSON text, one line feed at its end."""
        return json.dumps(self.model_dump(), indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str, *, source: str = "plan") -> Plan:
        """Read a plan, as `to_json` or a person wrote it.

        FileFormatError, which names `source`: no JSON (with the position), or no plan (each place).
        """
        try:
            return cls.model_validate(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise FileFormatError(f"{source}: {'; '.join(misreadings(error))}") from None


PLAN_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **Plan.model_json_schema(),
}

_WANTED = "write one JSON object with goal and tasks"
MOST_SAID = 5  # places of a wrong plan that an error names


def misreadings(error: Exception) -> list[str]:
    """Why a text is no plan, a line for each reason. Used in chapter 06."""
    if isinstance(error, ValidationError):
        found = error.errors(include_url=False)
        told = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in found)
        said = [" ".join(each.split()) for each in told]
        if not found[0]["loc"]:
            said = [f"no plan but {type(found[0]['input']).__name__}; {_WANTED}"]
        more = len(said) - MOST_SAID
        return said if more <= 0 else [*said[:MOST_SAID], f"and {more} more"]
    if isinstance(error, json.JSONDecodeError):
        where = f"line {error.lineno}, column {error.colno}"
        return [f"not JSON at {where} ({error.msg}); {_WANTED}"]
    return [f"not a plan: {error}"]


class PlanError(CourseError):
    """There is no plan that could be carried out; nothing was run. Used in chapter 06.

    `plan` is the last one that was made, if it could be read, `problems` what is wrong with it.
    """

    kind: Literal["decomposition", "timeout"] = "decomposition"

    def __init__(self, message: str, *, plan: Plan | None = None, problems: tuple[Any, ...] = ()):
        super().__init__(message)
        self.plan, self.problems = plan, problems


class PlannerError(ModelError):
    """There is no plan, because the planner's model (`__cause__`) cannot be used; nothing was run.

    The request is not to blame: another supervisor, with another model, may plan it.
    """

    kind: Literal["decomposition"] = "decomposition"


def failure_of(error: Exception, kind: Kind) -> Failure:
    """What an error says that ended something of a kind, such as a try at a task ("worker").

    A supervisor that could not plan tells its own kind, whatever it was to do.
    """
    if isinstance(error, PlanError):
        return Failure(error.kind, str(error), "unavailable" if error.kind == "timeout" else "task")
    if isinstance(error, ModelError):  # a team's planner that cannot be reached among them
        return Failure(kind, str(error), "limit" if isinstance(error, BudgetExceeded) else "model")
    return Failure(kind, f"{type(error).__name__}: {error}", "unavailable")


Shape = Literal["sequential", "parallel", "hybrid"]


def dependants(plan: Plan) -> dict[str, list[str]]:
    """For each task the ids of those that wait for it, in the plan's order. Built in chapter 06."""
    waiting: dict[str, list[str]] = {task.id: [] for task in plan.tasks}
    for task in plan.tasks:
        for needed in dict.fromkeys(task.dependencies):
            if needed in waiting:
                waiting[needed].append(task.id)
    return waiting


def sorter(plan: Plan, over: Collection[str] = ()) -> TopologicalSorter[str]:
    """Who waits for whom, tasks that are `over` left out. Built in chapter 06."""
    left: TopologicalSorter[str] = TopologicalSorter()
    ids = dict.fromkeys(task.id for task in plan.tasks if task.id not in over)
    for id in ids:
        left.add(id)  # first all of them, so that the plan's order decides between equals
    for task in plan.tasks:
        if task.id not in over:
            left.add(task.id, *(need for need in task.dependencies if need in ids))
    with suppress(CycleError):  # whatever waits for no circle is free all the same
        left.prepare()
    return left


def in_order(plan: Plan) -> list[str]:
    """Ids, each after all it depends on; circles left out. Built in chapter 06."""
    left, order = sorter(plan), list[str]()
    while free := left.get_ready():
        order += free
        left.done(*free)
    return order


def circles(plan: Plan) -> list[list[str]]:
    """Tasks that wait for each other: each circle once, in the order of waiting.
    Built in chapter 06, exercise 6.2.
    """
    named = plan.by_id
    stuck = set(named) - set(in_order(plan))
    found: list[list[str]] = []
    for start in named:
        path = [start] if start in stuck else []
        while path:
            need = next((n for n in named[path[-1]].dependencies if n in stuck), None)
            if need is None:
                stuck.discard(path.pop())  # it waits for nobody who is left
            elif need not in path:
                path.append(need)
            else:
                found.append(path[path.index(need) :])
                stuck -= set(found[-1])
                del path[path.index(need) :]
    return found


def urgency(plan: Plan, seconds: Mapping[str, float] | None = None) -> dict[str, float]:
    """For each task, how long it takes at the least from its start to the plan's end.
    Built in chapter 07, exercise 7.3.

    It is the length of the longest chain that begins with the task, and so its
    priority. A task takes as many `seconds` as are said by id, or else 1.
    """
    length: dict[str, float] = {}
    after, takes = dependants(plan), seconds or {}
    for id in reversed(in_order(plan)):
        rest = max((length[each] for each in after[id]), default=0.0)
        length[id] = takes.get(id, 1.0) + rest
    return length


def critical_path(
    plan: Plan, seconds: Mapping[str, float] | None = None
) -> tuple[tuple[str, ...], float]:
    """The longest chain of tasks and its length in seconds: no schedule is shorter.
    Built in chapter 06, exercise 6.3.

    Args:
        plan: has no circles.
        seconds: what each task takes, by id; 1 where it is not said.
    """
    length, after = urgency(plan, seconds), dependants(plan)
    here = max((t.id for t in plan.tasks if not t.dependencies), key=length.__getitem__, default="")
    chain: list[str] = []
    while here:
        chain.append(here)
        here = max(after[here], key=length.__getitem__, default="")
    return tuple(chain), length[chain[0]] if chain else 0.0


def waves(plan: Plan) -> list[list[str]]:
    """The tasks in waves, each after all of the one before. Built in chapter 07."""
    left, found = sorter(plan), list[list[str]]()
    while free := left.get_ready():
        found.append([*free])
        left.done(*free)
    return found


def shape(plan: Plan) -> Shape:
    """How a plan decomposes: in a chain, at once, or both. Used in chapter 06."""
    if all(not task.dependencies for task in plan.tasks):
        return "parallel" if len(plan.tasks) > 1 else "sequential"
    return "sequential" if all(len(wave) == 1 for wave in waves(plan)) else "hybrid"


def downstream(plan: Plan, id: str) -> list[str]:
    """All that waits for a task, in an order to run it. Built in chapter 08."""
    after, reached = dependants(plan), {id}
    order = in_order(plan)
    for each in order:
        if each in reached:
            reached.update(after[each])
    return [each for each in order if each in reached and each != id]


def remaining(plan: Plan, over: Collection[str]) -> Plan:
    """A plan without the tasks that are over, and without anybody waiting for them."""
    left = []
    for task in plan.tasks:
        if task.id not in over:
            needs = tuple(need for need in task.dependencies if need not in over)
            left.append(task.model_copy(update={"dependencies": needs}))
    return plan.model_copy(update={"tasks": tuple(left)})
