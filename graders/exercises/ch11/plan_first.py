"""Requirement 1: a plan as JSON before anything runs, and kept to as a person has changed it."""

from __future__ import annotations

from pydantic import ValidationError

from course.supervisor_worker.plan import Plan, misreadings
from graders.checks.planning import Task, plan_trouble
from graders.checks.text import content_words, folded, holds, share, words
from graders.exercises.ch11 import stages
from graders.exercises.ch11.observed_run import Seen, plan_tasks, planned_in, workers_in
from graders.exercises.ch11.plan_adherence import after_needs, by_whom, kept_to
from graders.exercises.ch11.plan_repair import given_up, mended, sent_back
from graders.exercises.ch11.plan_shapes import EXTRA, PLACES, Faults
from graders.exercises.ch11.shared import ALL, DEFINITIONS, HIDDEN, trial
from graders.exercises.ch11.verdicts import Troubles, wrong
from graders.exercises.ch11.worlds import ProjectWorld, begun
from graders.exercises.kit import *
from graders.records.wording import count, listed, seconds, shown, titled

CODES = {
    "project.no_plan": "make_plan returns no plan as JSON values",
    "project.plan_form": "the plan is not in the published form",
    "project.plan_invalid": "the plan cannot be carried out by these workers",
    "project.plan_not_asked": "no request asks a model for the plan",
    "project.plan_blind": "the request for a plan lacks the user's request, or who can do what",
    "project.work_before_plan": "a worker or a tool is asked while the plan is made",
    "project.plan_other": "tasks of the model's plan are gone, or others were made up",
}

_DESCRIBED = 0.5  # share of a description's own words
TOLD = 0.9
"""Share of a text's own words that have to be there, where it may be set differently."""


def valid(world: ProjectWorld) -> Troubles:
    """The plan is JSON in the published form, and can be carried out with these workers."""

    def look(seen: Seen) -> Iterator[Verdict]:
        plan = seen.plan
        if not isinstance(plan, Mapping):
            yield wrong(
                "no_plan",
                expected="make_plan to return a plan as JSON values, a dict with its tasks",
                got=f"got {shown(plan)}",
                look="look at what it returns",
                seen=seen,
            )
            return
        try:
            Plan.model_validate(plan)
        except ValidationError as error:
            yield wrong(
                "plan_form",
                expected="a plan in the form of docs/plan.schema.json",
                got=f"but {misreadings(error)[0]}",
                look="look at the fields of the plan and of its tasks",
                seen=seen,
            )
            return
        trouble = plan_trouble(_tasks(plan), list(seen.roster), at_least=2, words_each=2)
        if trouble:
            yield wrong(
                "plan_invalid",
                expected=trouble.expected,
                got=trouble.got,
                look="look at what is tested before the plan is returned",
                seen=seen,
            )

    return look


def _tasks(plan: Mapping[str, Any]) -> list[Task]:
    return [
        Task(t["id"], t["worker"], tuple(t.get("dependencies", ())), t["description"], n)
        for n, t in enumerate(plan_tasks(plan))
    ]


def asked(seen: Seen) -> Iterator[Verdict]:
    """The model is asked for the plan, and told for what, and who there is."""
    if seen.plans:
        yield from _blind(seen)
    else:
        yield wrong(
            "plan_not_asked",
            expected="the model to be asked for a plan, with the request and the workers",
            got=f"but none of {count(len(seen.log.requests()), 'request')} asked for one",
            look="a prompt for a plan names the tasks and their dependencies, in words or a schema",
            seen=seen,
        )


def _blind(seen: Seen) -> Iterator[Verdict]:
    """A request for a plan that says neither what is wanted nor who is there."""
    job, whole = seen.plans[0].reading.job, seen.plans[0].whole
    unnamed = [name for name in seen.roster if folded(name) not in folded(whole)]
    told = share(content_words(job.text), words(whole)) >= TOLD
    unable = [str(each["name"]) for each in workers_in(seen) if not _described(each, whole)]
    if not told or unnamed or unable:
        lack = f"it does not say what {shown(unable[0])} can do" if unable else ""
        lack = f"it does not name {shown(unnamed[0])}" if unnamed else lack
        yield wrong(
            "plan_blind",
            expected="the request for a plan to hold the user's request, and who can do what",
            got=f"but {lack or 'the request is not in it'}",
            look="look at the prompt for the plan",
            seen=seen,
            meant=[seen.plans[0].exchange],
        )


def _described(worker: Mapping[str, Any], whole: str) -> bool:
    """Whether a text says what a worker can do: by its description, or by a tool of its."""
    own = content_words(str(worker["description"])) - content_words(str(worker["name"]))
    named = (holds(whole, tool) for tool in worker["tools"])
    return any(named) or share(own, words(whole)) >= _DESCRIBED


def nothing_done(seen: Seen) -> Iterator[Verdict]:
    """No worker and no tool is asked while the plan is made."""
    left = seen.log.still_running or [seen.log.left]
    if any(left):
        yield wrong(
            "work_before_plan",
            expected="make_plan to make a plan and nothing else",
            got=f"but it left {listed(left, 3)} running",
            look="look at what is begun and not awaited",
            seen=seen,
        )
    early = [*(d.exchanges[0] for d in seen.tasks.values()), *seen.log.calls(), *seen.idle]
    if early:
        first = min(early, key=lambda each: each.number)
        yield wrong(
            "work_before_plan",
            expected="make_plan to make a plan and nothing else",
            got=f"but it asked a worker: {titled(first)} at {seconds(first.start)}",
            look="look at what runs before the plan is returned",
            seen=seen,
            meant=early,
        )


def of_the_model(world: ProjectWorld) -> Troubles:
    """The plan is the model's: its tasks with their references, and none made up."""

    def look(seen: Seen) -> Iterator[Verdict]:
        wanted = {world.at(place).ref for place in PLACES}
        plan = seen.plan
        found = planned_in(plan, seen.known)
        owned = {tool for tools in seen.roster.values() for tool in tools}
        lost = [r for r in wanted - set(found) if world.job.by_ref[r].call.tool in owned]
        if lost or len(found) != len(plan_tasks(plan)):
            told = (
                f"“{world.job.by_ref[lost[0]].says[:50]}” is gone" if lost else "tasks were made up"
            )
            yield wrong(
                "plan_other",
                expected="the tasks that the model planned, with their references",
                got=f"but {told}",
                look="look at what becomes of the model's plan",
                seen=seen,
            )
        yield from _otherwise(world, seen)

    return look


def _otherwise(world: ProjectWorld, seen: Seen) -> Iterator[Verdict]:
    """Tasks that wait for others, go to others or say something else than the model has planned."""
    planned = planned_in(begun(world.script, seen.roster).tasks(), seen.known)
    made = seen.planned
    for ref in [ref for ref in planned if ref in made]:
        mine, own = made[ref], planned[ref]
        needs, wanted = _needs(mine, made), _needs(own, planned)
        got = ""
        if needs != wanted:
            whom = listed(sorted(str(planned[each]["id"]) for each in wanted)) or "nothing"
            got = f"waits for other tasks than {whom}"
        elif mine["worker"] != own["worker"]:
            got = f"goes to {shown(mine['worker'])} and not to {shown(own['worker'])}"
        elif share(content_words(own["description"]), words(mine["description"])) < TOLD:
            got = f"says only {shown(mine['description'], 60)}"
        if got:
            yield wrong(
                "plan_other",
                expected=f"the model's task {shown(own['id'])} as it was planned",
                got=f"but it {got}",
                look="look at what becomes of the model's plan",
                seen=seen,
            )


def _needs(task: Mapping[str, Any], among: Mapping[str, Mapping[str, Any]]) -> set[str]:
    ids = {str(each["id"]): ref for ref, each in among.items()}
    return {ids.get(str(need), str(need)) for need in task.get("dependencies", ())}


def changed(world: ProjectWorld) -> Troubles:
    """What a person has changed is in the plan that is carried out: nobody kept it away."""

    def look(seen: Seen) -> Iterator[Verdict]:
        gone, added = world.at("e"), world.at(EXTRA)
        if gone.ref in seen.tasks or added.ref not in seen.tasks:
            what = (
                f"“{gone.says[:50]}” was done"
                if gone.ref in seen.tasks
                else (f"“{added.says[:50]}” was not done")
            )
            yield wrong(
                "plan_ignored",
                expected="only the tasks of the plan as it was handed over, all of them",
                got=f"but {what}",
                look="does execute read the plan that it gets?",
                seen=seen,
            )

    return look


def _made(world: ProjectWorld) -> list[Troubles]:
    return [nothing_done, asked, valid(world), of_the_model(world)]


def _mended(world: ProjectWorld) -> list[Troubles]:
    return [nothing_done, asked, mended(world), valid(world), of_the_model(world), sent_back(world)]


PLANNED = Exercise(
    "11.1",
    DEFINITIONS,
    (
        trial("makes a plan before any worker is asked, in your domain", stages.PLAN, 1.0, _made,
              own=True),
        trial("makes one for workers that it does not know, in another domain", stages.PLAN, 1.0,
              _made),
        trial("tells the model what is wrong with its plan", stages.PLAN_OR_ERROR, 0.75, _mended,
              faults=Faults(flawed=("worker", "need"))),
        trial("so too when it is no JSON, or goes round in a circle", stages.PLAN_OR_ERROR, 0.75,
              _mended, faults=Faults(flawed=("text", "cycle"))),
        trial("gives up with an error when no plan is valid", stages.PLAN_OR_ERROR, 0.5,
              lambda world: [nothing_done, asked, given_up],
              faults=Faults(flawed=("worker",) * 20)),
        trial("carries out the plan as a person has changed it", stages.WHOLE, 1.0,
              lambda world: [valid(world), changed(world), kept_to(world), by_whom,
                             after_needs(world)], edited=True),
    ),
    cells=ALL[:2],
    choice="DOMAIN",
    hidden_seeds=HIDDEN,
)  # fmt: skip
