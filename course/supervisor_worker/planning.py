"""Making a plan, what is wrong with one, and a new one for what failed.

Whatever is wrong is found at once, each with the way out, and goes back to the model.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import BaseModel

from course.chat import complete
from course.conditions import conditioned
from course.context import Context
from course.errors import refuse_empty
from course.models.names import SMALL
from course.models.wire import AsyncOpenAI, Message
from course.supervisor.supervisor import Worker
from course.supervisor_worker.needs import copies, unnamed_needs
from course.supervisor_worker.plan import (
    MOST_TASKS,
    Plan,
    PlanError,
    PlanTask,
    circles,
    misreadings,
    remaining,
)
from course.supervisor_worker.selecting import with_strategy
from course.supervisor_worker.supervisor import PlanRun
from course.supervisor_worker.workers import Registry, tools_of
from course.tools import answer_in, object_schema
from course.trace import span

Flaw = Literal[
    "empty", "too_many_tasks", "not_a_plan", "no_id", "duplicate_id", "unknown_worker",
    "unknown_dependency", "missing_dependency", "self_dependency", "cycle", "vague",
    "unknown_tool", "missing_tool", "whole_request",
]  # fmt: skip

MENDED: set[Flaw] = {"missing_dependency", "whole_request"}
"""What is put right by rule where the planner does not."""

_FILLERS = frozenset(
    """a about accordingly all an and any anything appropriate are as at be best both by can care
    could do does done everything for from get handle help her his how i if in into is it its
    job make matter my necessary need needed of on one or our please process relevant required
    respective should something stuff such take task that the their them then there these they
    thing things this those to up us use various want way we what whatever which will with
    work would you your
    """.split()
)
_WORD = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]|[^\W_]+")  # some scripts set no blanks
_OPEN_END = re.compile(
    r"\betc\b\.?|\band so on\b|\btbd\b|\.\.\.|…|\bas (?:needed|appropriate)\b", re.I
)


@dataclass(frozen=True)
class Problem:
    """One thing that keeps a plan from being carried out. Built in chapter 06.

    `flaw` is the broken rule, `message` names the task and the way out, `tasks` are ids.
    """

    flaw: Flaw
    message: str
    tasks: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.message


def problems(plan: Plan, registry: Registry, *, most: int = MOST_TASKS) -> tuple[Problem, ...]:
    """Everything that is wrong with a plan; empty when it can be carried out.
    Built in chapter 06, begun in exercise 6.1.

    Args:
        plan: as a model or a person wrote it.
        registry: the workers there are.
        most: tasks that a plan may have.
    """
    if not plan.tasks:
        return (Problem("empty", "the plan has no tasks: name at least one"),)
    if len(plan.tasks) > most:
        said = f"the plan has {len(plan.tasks)} tasks, at most {most} are allowed"
        return (Problem("too_many_tasks", f"{said}: put some together"),)
    known = plan.by_id  # once: it is made anew each time
    found = [*_of_ids(plan)]
    for task in plan.tasks:
        found += [*_of_worker(task, registry), *_of_needs(task, known, registry)]
        if reason := vagueness(task):
            shown = " ".join(task.description.split())[:60]
            found.append(Problem("vague", f"{task.id} is vague (“{shown}”): {reason}", (task.id,)))
    for circle in circles(plan):
        if len(circle) > 1:
            way = " -> ".join([*circle, circle[0]])
            said = f"{way} wait for each other: take one of these dependencies away"
            found.append(Problem("cycle", said, tuple(circle)))
    return tuple(replace(each, message=" ".join(each.message.split())) for each in found)


def _of_ids(plan: Plan) -> Iterator[Problem]:
    for id, count in Counter(task.id for task in plan.tasks).items():
        if not id.strip():
            yield Problem("no_id", "a task has no id: give each one of its own")
        elif count > 1:
            yield Problem("duplicate_id", f"{count} tasks have the id '{id}': rename them", (id,))


def _of_worker(task: PlanTask, registry: Registry) -> Iterator[Problem]:
    known = ", ".join(registry.named)
    if task.worker not in registry.named:
        said = f"{task.id}: there is no worker '{task.worker}'; the workers are: {known}"
        yield Problem("unknown_worker", said, (task.id,))
    for tool in task.tools:
        owners = registry.owners.get(tool)
        if owners is None:
            said = f"{task.id}: nobody has a tool '{tool}'; there are: {', '.join(registry.owners)}"
            yield Problem("unknown_tool", said, (task.id,))
        elif task.worker not in owners and task.worker in registry.named:
            owner = " or ".join(owners)
            said = f"{task.id}: needs '{tool}', which {owner} has and {task.worker} has not"
            yield Problem("missing_tool", f"{said}: give it to {owner}, or split it", (task.id,))


def _of_needs(
    task: PlanTask, known: Mapping[str, PlanTask], registry: Registry
) -> Iterator[Problem]:
    for need in dict.fromkeys(task.dependencies):
        if need == task.id:
            said = f"{task.id}: depends on itself; take that away"
            yield Problem("self_dependency", said, (task.id,))
        elif need not in known:
            said = f"{task.id}: depends on '{need}', which is no task; the tasks are: "
            yield Problem("unknown_dependency", said + ", ".join(list(known)[:20]), (task.id,))
    for other in mentioned(task, known):
        if other != task.id and other not in task.dependencies:
            said = f"{task.id}: speaks of {other} and does not depend on it; add '{other}' to its"
            yield Problem("missing_dependency", f"{said} dependencies", (task.id, other))


def doubts(plan: Plan, registry: Registry, request: str) -> Iterator[Problem]:
    """What words tell against a plan that a model made of a request: a guess, so that nobody's own
    plan is refused for it.
    """
    if len(plan.tasks) > MOST_TASKS:  # refused anyway, and each would be compared with each
        return
    known = plan.by_id
    for task in plan.tasks:
        for other in unnamed_needs(task, known, tools_of(registry.named.get(task.worker))):
            said = f"{task.id}: needs what {other} finds and does not depend on it; add '{other}'"
            yield Problem("missing_dependency", f"{said} to its dependencies", (task.id, other))
    first, *others = copies(plan, request) or ("",)
    for id in others:
        said = f"{id}: is the whole request, as {first} is; give each worker its own part of it"
        yield Problem("whole_request", said, (id, first))


def mentioned(task: PlanTask, ids: Iterable[str]) -> list[str]:
    """The tasks that a text names, "compare t1 and t2". Built in chapter 06.

    Only ids that are no ordinary words count: with a digit, a hyphen or an underscore.
    """
    words = set(re.findall(r"[\w-]+", task.description))
    return [id for id in ids if id in words and re.search(r"[\d_-]", id)]


def vagueness(task: PlanTask) -> str | None:
    """Why nobody could work from a description alone, or None. Built in chapter 06.

    Two of its words must say what is to be done and to what, one where it builds on other
    results; words that would fit any task (do, handle, it, ...) say nothing. And it must
    not leave its end open (etc., as needed).
    """
    words = {word.lower() for word in _WORD.findall(task.description)}
    telling = words - _FILLERS
    if not telling:
        return "no word of it says what is to be done; name the action and its object"
    if len(telling) == 1 and not task.dependencies:
        return f"only “{telling.pop()}” says something; say what is to be done and to what"
    if end := _OPEN_END.search(task.description):
        return f"“{end.group()}” leaves the end open; name everything that is meant"
    return None


ASKED = 3
"""How often a model is asked for a plan: once, and again with the problems of the last one."""

INSTRUCTIONS = """\
You plan and do nothing else. Break the request down into tasks for the workers below.

Workers:
{workers}

A task goes to one worker, who sees its description and the results of its dependencies and
nothing else: not the request, not the other tasks. So say in each description what is to be done
and to what, with names, years and units. A task depends on those whose results it needs, and on
no others: tasks that do not need each other run at the same time. Write at most {most} tasks.
If no worker can do what is asked, give no tasks and say why in `final_instruction`."""

SAID_MOST = 12  # problems that one message to the model names
LONGEST_SHOWN = 20_000  # letters of a wrong plan that the model is shown again
LONGEST_GIVEN = 6000  # letters of one earlier result that a worker is shown


async def make_plan(
    request: str,
    registry: Registry,
    *,
    client: AsyncOpenAI,
    model: str = SMALL,
    instructions: str = "",
    most: int = MOST_TASKS,
    asked: int = ASKED,
    agent: str = "planner",
) -> Plan:
    """Let a model write a plan for a request, and put it right as long as it may.
    Built in chapter 06, exercise 6.4.

    Args:
        request: what a person wants.
        registry: who can do tasks.
        client: reaches the model.
        model: writes the plan.
        instructions: more for the planner, such as the rules of a house.
        most: tasks that a plan may have.
        asked: how often the model is asked at the most.
        agent: in whose name it is asked.

    Returns:
        A plan without problems. Nothing of it has run.

    Raises:
        PlanError: no worker can do it, or the last plan still has problems (`problems`
            has them).
        ModelError: the model cannot be used.
        ValueError: the request is empty.
    """
    context = opening(request, registry, instructions=instructions, most=most)
    body: dict[str, Any] = {"model": model, "response_format": answer_format(registry, most)}
    plan: Plan | None = None
    found: tuple[Problem, ...] = ()
    with span("plan", agent, {"gen_ai.agent.name": agent}) as step:
        for _ in range(asked):
            body["messages"] = context.messages
            answer = await complete(client, body, agent=agent, role="plan")
            text = str(answer.message.get("content") or "")
            plan, found = looked_at(text, registry, most, request)
            if plan is not None and not found:
                step.set("switchboard.plan", plan.to_json())
                return plan
            step.event("rejected", {"problems": "; ".join(map(str, found[:SAID_MOST]))})
            if plan is not None and not plan.tasks:
                break  # it says that nobody can do it: asking again would only press for a plan
            context = context.add(shortened(answer.message), complaint(found))
        error = PlanError(verdict(plan, found, registry), plan=plan, problems=found)
        step.fail(str(error), kind="decomposition")
    raise error


def opening(request: str, registry: Registry, *, instructions: str, most: int) -> Context:
    """What the planner sees: workers, rules, the request. Used in chapter 06."""
    refuse_empty(request)
    told = INSTRUCTIONS.format(workers=registry.described(), most=most)
    return Context.of(request, instructions=f"{told}\n\n{instructions}".strip())


def looked_at(
    text: str, registry: Registry, most: int = MOST_TASKS, request: str = ""
) -> tuple[Plan | None, tuple[Problem, ...]]:
    """An answer as a plan of a request, if it is one, and its problems. Built in chapter 06."""
    try:
        plan = Plan.model_validate(json.loads(text))
    except (ValueError, RecursionError) as error:
        return None, tuple(Problem("not_a_plan", each) for each in misreadings(error))
    plan = with_condition(plan, request)
    return plan, (*problems(plan, registry, most=most), *doubts(plan, registry, request))


def complaint(found: Sequence[Problem]) -> Message:
    """All that is wrong with a plan, for the model. Built in chapter 06."""
    said = [f"- {problem}" for problem in found[:SAID_MOST]]
    if len(found) > SAID_MOST:
        said.append(f"- and {len(found) - SAID_MOST} more of the kind")
    words = "The plan is not valid. Put all of this right and answer with the whole plan:\n"
    return {"role": "user", "content": words + "\n".join(said)}


def shortened(message: Message) -> Message:
    """A model's answer as it is shown to it again, cut. Used in chapter 06."""
    text = str(message.get("content") or "")
    return {**message, "content": clipped(text, LONGEST_SHOWN)}


def clipped(text: str, longest: int = LONGEST_GIVEN) -> str:
    """A text cut at its end if it has more letters than these; that it was cut is said."""
    left_out = len(text) - longest
    return text if left_out <= 0 else f"{text[:longest]} [cut: {left_out} letters left out]"


def verdict(plan: Plan | None, found: Sequence[Problem], registry: Registry) -> str:
    """Why there is no plan, in a line for a person. Built in chapter 06."""
    if plan is not None and not plan.tasks:
        reason = plan.final_instruction.strip() or "none of them fits"
        return (
            f"no worker can serve the request: {' '.join(reason.split())};"
            f" there are: {', '.join(registry.named)}"
        )
    said = "; ".join(map(str, found[:3])) + (f"; and {len(found) - 3} more" if found[3:] else "")
    return f"no valid plan: {said}; write it yourself, or ask for less at once"


def answer_format(registry: Registry, most: int = MOST_TASKS) -> dict[str, Any]:
    """A plan's shape, with workers and tools that exist. Used in chapter 06."""
    text = {"type": "string"}
    task = {
        "id": text,
        "description": text,
        "worker": {**text, "enum": list(registry.named)},
        "dependencies": {"type": "array", "items": text},
        "tools": {"type": "array", "items": {**text, "enum": list(registry.owners)}},
    }
    if not registry.owners:
        del task["tools"]  # an empty list of choices is no schema
    tasks = {"type": "array", "maxItems": most, "items": _described(PlanTask, task)}
    plan = _described(Plan, {"goal": text, "tasks": tasks, "final_instruction": text})
    return answer_in("plan", plan)


def _described(kind: type[BaseModel], shapes: dict[str, Any]) -> dict[str, Any]:
    """An object with these fields of a model and no others, said what they are for."""
    for name in shapes.keys() - {"worker", "tasks"}:  # their choices and items say it
        shapes[name] = {**shapes[name], "description": kind.model_fields[name].description}
    return object_schema(shapes)


async def planned(run: PlanRun, request: str, registry: Registry) -> Plan:
    """A plan that a run's supervisor has made by its model; raises as `make_plan`."""
    most, told = run.boss.most_tasks, run.boss.instructions
    asked = run.asking("planning")
    try:
        plan = await make_plan(request, registry, most=most, instructions=told, **asked)
    except PlanError as error:
        if error.plan is None or not {each.flaw for each in error.problems} <= MENDED:
            raise
        plan = mended(error.plan, error.problems)
        if problems(plan, registry, most=most):
            raise
    return with_strategy(plan, request)


def mended(plan: Plan, found: Iterable[Problem]) -> Plan:
    """A plan in which tasks wait for what they are said to need, and the first of those that are
    the whole request does it for all.
    """
    told = [(each.flaw, *each.tasks) for each in found]
    needs = [(id, other) for flaw, id, other in told if flaw == "missing_dependency"]
    done_by = {id: first for flaw, id, first in told if flaw == "whole_request"}
    tasks = []
    for task in (each for each in plan.tasks if each.id not in done_by):
        own = [*task.dependencies, *(other for id, other in needs if id == task.id)]
        waits = dict.fromkeys(done_by.get(id, id) for id in own)
        tasks.append(task.model_copy(update={"dependencies": tuple(waits)}))
    return plan.model_copy(update={"tasks": tuple(tasks)})


def with_condition(plan: Plan, request: str) -> Plan:
    """A plan whose tasks say the condition of the request where they order what it is for."""
    said = {task.id: conditioned(task.description, request) for task in plan.tasks}
    tasks = (task.model_copy(update={"description": said[task.id]}) for task in plan.tasks)
    return plan.model_copy(update={"tasks": tuple(tasks)})


async def plan_anew(run: PlanRun) -> Plan:
    """A plan that keeps what is done, planned again. Built in chapter 08.

    Its new tasks begin with its number, as in "r1-t2". Raises PlanError: no worker is
    left, or the new plan has problems as well.
    """
    boss, plan, results = run.boss, run.plan, run.results
    rest = [task for task in plan.tasks if not results[task.id].done]
    done = [task for task in plan.tasks if results[task.id].done]
    replaces = {"switchboard.plan.replaces": ", ".join(task.id for task in rest)}
    with span("plan", f"{boss.name} planning anew", replaces) as step:
        failures = [(task.worker, results[task.id].failure) for task in rest]
        down = {worker for worker, f in failures if f and f.cause in ("unavailable", "model")}
        told = ". Then ".join(task.description.strip().rstrip(".") for task in rest) + "."
        new = await planned(run, told, without(boss.registry, down))
        tasks = (*done, *joined(new, done, run.plans_made + 1))
        whole = Plan(goal=plan.goal, tasks=tasks, final_instruction=plan.final_instruction)
        before = {task.id for task in done} - set(run.tasks)  # in the life of a run before this
        step.set("switchboard.plan", remaining(whole, before).to_json())
    return whole


def without(registry: Registry, names: set[str]) -> Registry:
    """The registry without some workers; all of them, where nobody would be left."""
    left = [worker for worker in registry.workers if worker.name not in names]
    if not left or not names:
        return registry
    for number, worker in enumerate(left):
        if isinstance(worker, Worker):
            others = tuple(name for name in worker.stands_in_for if name not in names)
            left[number] = replace(worker, stands_in_for=others)
    tools = {tool.name for worker in left for tool in tools_of(worker)}
    return Registry(tuple(left), tuple(name for name in registry.shared if name in tools))


def joined(new: Plan, done: Sequence[PlanTask], number: int) -> list[PlanTask]:
    """New tasks under ids of their own; those that wait for nothing see all that is done,
    on which what failed may have rested. Built in chapter 08.
    """
    ids = {task.id: f"r{number}-{task.id}" for task in new.tasks}
    all_done = tuple(task.id for task in done)

    def words(task: PlanTask) -> str:
        spoken = {id: ids[id] for id in mentioned(task, ids)}
        return re.sub(r"[\w-]+", lambda word: spoken.get(word[0], word[0]), task.description)

    return [
        PlanTask(
            id=ids[task.id],
            description=words(task),
            worker=task.worker,
            dependencies=tuple(ids[need] for need in task.dependencies) or all_done,
            tools=task.tools,
        )
        for task in new.tasks
    ]
