"""The worlds of the project: a domain's real tools over its database, in virtual seconds.

What goes wrong in them is drawn from the seed: a call that is refused until the task is put
differently, a tool that is broken or hangs for good, a model that cannot be used for one task.
"""

from __future__ import annotations

from course.agent import Agent
from course.errors import ToolError
from course.scenarios.world.requests import Call
from course.tools import Tool
from graders.checks.text import folded
from graders.exercises.ch11.domains import BY_NAME, Setting, drawn_setting
from graders.exercises.ch11.errands import Errand, Job, made, same_call
from graders.exercises.ch11.model import ProjectModel
from graders.exercises.ch11.plan_shapes import (
    EXTRA,
    NO_FAULTS,
    PLACES,
    Faults,
    drawn_job,
    edit,
    person_plan,
)
from graders.exercises.kit import *

ROSTER = "who_works_here"
"""The call by which a stage tells the world who the workers are, and which plan is carried out
before anybody can change it."""
_SLOW = 14.0
_PATIENCE = 12  # plans, after which the model writes none any more
_BUSY = 40  # requests, after which who is turned away is told that it is for good
_THINKS = (0.2, 0.5)  # seconds of a model's answer


@dataclass(frozen=True)
class Script:
    """What happens in a world, and how long it takes.

    Attributes:
        seconds: what each task's tool takes, by reference.
        thinks: what an answer of the model takes.
    """

    setting: Setting
    job: Job
    places: Mapping[str, str]
    faults: Faults
    seconds: Mapping[str, float]
    thinks: float

    def refs(self, places: Iterable[str]) -> set[str]:
        """The tasks in these places."""
        return {self.places[place] for place in places}


@dataclass(frozen=True)
class ProjectWorld(Scenario):
    """A scenario with what its checks have to know.

    Attributes:
        script: what happens in it.
        plan: the plan that is handed to `execute`, where it is not the model's.
        chosen: what the submission chose.
    """

    script: Script = field(kw_only=True)
    plan: Mapping[str, Any] | None = None
    chosen: str = ""

    @property
    def job(self) -> Job:
        """The request, and what is to be done of it."""
        return self.script.job

    def at(self, place: str) -> Errand:
        """The task in a place."""
        return self.job.by_ref[self.script.places[place]]


class Behaviours:
    """What a world's model and tools do, from the first request to the last.

    It begins anew when a stage tells who the workers are.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._begin({})

    def _begin(self, roster: Mapping[str, Sequence[str]]) -> None:
        self._model = begun(self._script, roster)
        self._shaken: set[str] = set()
        self._turned_away = 0
        self._wanted: dict[str, str] = {}  # what stern tools want named, by task
        self._plans = 0

    def roster(self, ask: Ask) -> Answer:
        """Hear who the workers are, or which plan is carried out."""
        if "workers" in ask.arguments:
            told: Mapping[str, Sequence[str]] = ask.arguments["workers"]
            self._begin(told)
        return Answer("ok")

    def model(self, ask: Ask) -> Answer:
        """Answer a model request."""
        assert ask.request is not None
        reading = self._model.read(ask.request)
        script = self._script
        self._plans += reading.kind == "plan"
        if self._plans > _PATIENCE:
            return Answer(error=_refused("asked for a plan again and again"))
        if reading.kind == "answer" and script.faults.silent:
            return Answer(error=_refused("the answer cannot be written"), seconds=script.thinks)
        task = reading.task if reading.kind == "work" else None
        lost = self._lost(task.ref) if task is not None else None
        if lost is not None:
            return Answer(error=lost, seconds=script.thinks)
        if task is not None:
            self._hear_release(task.ref, reading.asked)
        reply = self._model.reply(ask.request, ask.token)
        return Answer(reply, seconds=0.0 if reading.kind == "plan" else script.thinks)

    def _lost(self, ref: str) -> ApiError | None:
        """Why a request for this task gets no answer, if it gets none."""
        faults, refs = self._script.faults, self._script.refs
        if ref in refs(faults.dead):
            return _refused(f"no model answers for {ref}")
        if ref in refs(faults.busy):
            self._turned_away += 1
            return _lost_on_the_way() if self._turned_away <= _BUSY else _refused("busy for good")
        if ref in refs(faults.shaky) - self._shaken:
            self._shaken.add(ref)
            return _lost_on_the_way()
        return None

    def _hear_release(self, ref: str, asked: str) -> None:
        wanted = self._wanted.get(ref)
        if wanted and folded(wanted) in folded(asked):
            self._wanted[ref] = ""

    def tool(self, name: str, ask: Ask) -> Answer:
        """Carry out a call of one of the domain's tools."""
        errand = self._of(name, ask.arguments)
        script = self._script
        seconds = script.seconds.get(errand.ref, 1.0) if errand else 1.0
        if errand is not None and errand.ref in script.refs(script.faults.hung):
            return Answer(never=True)
        if errand is not None and errand.ref in script.refs(script.faults.broken):
            said = f"{name} has lost its {_LOST[len(name) % len(_LOST)]} ({ask.token})"
            return Answer(error=said, seconds=seconds / 3)
        try:
            value = made(Call(name, ask.arguments), script.setting.tools)
        except ToolError as error:
            return Answer(error=f"{error} (refusal {ask.token})", seconds=seconds / 2)
        stern = errand is not None and errand.ref in script.refs(script.faults.stern)
        if errand is not None and stern and self._wanted.setdefault(errand.ref, ask.token):
            said = f"release {self._wanted[errand.ref]} has to be named in the task for {name}"
            return Answer(error=said, seconds=seconds / 2)
        return Answer(value, seconds=seconds)

    def _of(self, name: str, arguments: Mapping[str, Any]) -> Errand | None:
        fitting = [
            (len(call.arguments), each)
            for each in self._script.job.errands
            for call in (each.call, each.naive)
            if call is not None and same_call(call, name, arguments)
        ]
        return max(fitting, key=lambda pair: pair[0])[1] if fitting else None


_LOST = ("ledger of last winter", "index of the cellar", "key to the archive")


def begun(script: Script, roster: Mapping[str, Sequence[str]]) -> ProjectModel:
    """The model at the beginning of a run."""
    planned = [script.places[place] for place in PLACES]
    return ProjectModel(script.job, roster, planned=planned, flaws=script.faults.flawed)


def _refused(said: str) -> ApiError:
    return ApiError(400, said, code="model_not_usable")


def _lost_on_the_way() -> ApiError:
    return ApiError(503, "the model is busy", type="server_error")


def world(
    draw: random.Random,
    chosen: str,
    *,
    own: bool = False,
    given: bool = False,
    edited: bool = False,
    faults: Faults = NO_FAULTS,
) -> ProjectWorld:
    """One world of the project.

    Args:
        chosen: the domain that the submission names.
        own: play it there, with the submission's workers; else in another, with usual workers.
        given: hand a plan to `execute` instead of asking for one.
        edited: change the plan between `make_plan` and `execute`, as a person would.
        faults: what goes wrong.
    """
    where = drawn_setting(draw, chosen, own=own)
    job, refs = drawn_job(draw, where, faults)
    seconds, thinks = _durations(draw, refs, faults), round(draw.uniform(*_THINKS), 2)
    script = Script(where, job, refs, faults, seconds, thinks)
    behaves = Behaviours(script)
    plan = person_plan(draw, job, refs, where) if given else None
    params: dict[str, Any] = {
        "request": job.text,
        "workers": None if own else [_listed(worker) for worker in where.workers],
        "plan": plan,
        "nowhere": own and chosen not in BY_NAME,
        "edit": edit(refs, job.by_ref[refs[EXTRA]], where) if edited else None,
    }
    return ProjectWorld(
        tools=_offers(where, behaves),
        model=behaves.model,
        params=params,
        script=script,
        plan=plan,
        chosen=chosen,
    )


def _durations(draw: random.Random, refs: Mapping[str, str], faults: Faults) -> dict[str, float]:
    found = {refs[place]: round(draw.uniform(*about), 2) for place, (_, about) in PLACES.items()}
    return found | {refs[place]: _SLOW for place in faults.slow}


def _listed(worker: Agent) -> dict[str, Any]:
    return {
        "name": worker.name,
        "description": worker.description,
        "instructions": worker.instructions,
        "tools": [tool.name for tool in worker.tools],
    }


def _offers(where: Setting, behaves: Behaviours) -> tuple[ToolOffer, ...]:
    told_of = {"workers": {"type": "object"}, "plan": {"type": "object"}}
    roster = {"type": "object", "properties": told_of}
    told = ToolOffer(ROSTER, "Say who works here, and by which plan.", roster, behaves.roster)
    return (told, *(_offer(tool, behaves) for tool in where.tools.values()))


def _offer(tool: Tool, behaves: Behaviours) -> ToolOffer:
    def behaviour(ask: Ask) -> Answer:
        return behaves.tool(tool.name, ask)

    return ToolOffer(tool.name, tool.description, tool.parameters, behaviour, tool.timeout)
