"""A plan: tasks for named workers and what waits for what, written down before anything runs.

It is data and nothing else. You can read it, edit it as JSON, draw it and check it; only then
does somebody carry it out. `docs/plan.schema.json` is the published copy of `PLAN_SCHEMA`.

Source: a directed acyclic graph of tasks made by a model before execution, as in LLMCompiler
(Kim et al., ICML 2024).
"""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from course.budget import BudgetExceeded
from course.errors import CourseError, FileFormatError, ModelError
from course.results import Failure, Kind


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    @field_validator("*")
    @classmethod
    def _is_text(cls, value: Any) -> Any:
        """JSON can escape half a character, which no file, database or request can hold."""
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str) and text.encode(errors="ignore").decode() != text:
                raise ValueError("it holds half a character (a lone surrogate): leave it out")
        return value


class PlanTask(_Data):
    """One piece of work for one worker. Built in chapter 06.

    Attributes:
        tools: names of tools the task cannot do without; mostly empty, the worker knows its own.
    """

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

    Attributes:
        goal: what the request is after, in a sentence.
        final_instruction: how to make one answer out of the results, and by which strategy.
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

        Raises FileFormatError: it is no JSON (with the position) or no plan (each place and
        reason); `source` is named.
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
    """Why a text is no plan, a line each: the position in broken JSON, or the fields that misfit.
    Used in chapter 06.
    """
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

    Attributes:
        plan: the last one that was made, if it could be read.
        problems: what is wrong with it.
        kind: of failure: "decomposition", or "timeout" where time ran out.
    """

    kind: Literal["decomposition", "timeout"] = "decomposition"

    def __init__(self, message: str, *, plan: Plan | None = None, problems: tuple[Any, ...] = ()):
        super().__init__(message)
        self.plan = plan
        self.problems = problems


class PlannerError(ModelError):
    """There is no plan, because the planner's model cannot be used; nothing was run.

    Its kind is that of a `PlanError`, but here the request is not to blame: another supervisor,
    with another model, may plan it. `__cause__` is the model's own error.
    """

    kind: Literal["decomposition"] = "decomposition"


def failure_of(error: Exception, kind: Kind) -> Failure:
    """What an error says that ended something of a kind, such as a try at a task ("worker").

    A supervisor that plans and could not plan tells its own kind, whatever it was to do.
    """
    if isinstance(error, PlanError):
        return Failure(error.kind, str(error), "unavailable" if error.kind == "timeout" else "task")
    if isinstance(error, ModelError):  # a team's planner that cannot be reached among them
        return Failure(kind, str(error), "limit" if isinstance(error, BudgetExceeded) else "model")
    return Failure(kind, f"{type(error).__name__}: {error}", "unavailable")
