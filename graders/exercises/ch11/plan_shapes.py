"""A request that nobody has seen, its tasks in their places of a plan, and the plan as JSON."""

from __future__ import annotations

from itertools import zip_longest

from graders.exercises.ch11.domains import Setting
from graders.exercises.ch11.errands import Errand, Job
from graders.exercises.kit import *

PLACES: Mapping[str, tuple[tuple[str, ...], tuple[float, float]]] = {
    "a": ((), (0.5, 1.0)),
    "b": ((), (3.0, 4.0)),
    "c": (("a",), (2.5, 3.5)),
    "d": (("b", "c"), (1.0, 2.0)),
    "e": ((), (1.0, 4.5)),
}
"""The shape of a plan: what each place waits for, and about how many seconds its tool takes. By
waves c would start after b; by its own needs it starts after a."""
EXTRA = "extra"
"""The place of a task that is in no plan of the model's."""


@dataclass(frozen=True)
class Faults:
    """What goes wrong in a world, by the places of its plan.

    Attributes:
        trapped: refused until the task is put differently.
        stern: of the trapped, those that are refused once more, for a reason that is drawn.
        broken: the tool refuses for good.
        dead: no model answers for this task.
        shaky: the first request for this task is lost on the way, the next one is not.
        busy: each request for this task is turned away, as if it were to be sent again.
        hung: the tool never answers.
        slow: the tool takes long.
        flawed: what the model's first plans have wrong, in order.
        silent: no model writes the answer.
    """

    trapped: tuple[str, ...] = ()
    stern: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    dead: tuple[str, ...] = ()
    shaky: tuple[str, ...] = ()
    busy: tuple[str, ...] = ()
    hung: tuple[str, ...] = ()
    slow: tuple[str, ...] = ()
    flawed: tuple[str, ...] = ()
    silent: bool = False

    @property
    def lasting(self) -> tuple[str, ...]:
        """The places whose tasks fail whatever is tried."""
        return (*self.broken, *self.dead, *self.busy, *self.hung)


NO_FAULTS = Faults()


def drawn_job(draw: random.Random, where: Setting, faults: Faults) -> tuple[Job, dict[str, str]]:
    """Some of a domain's requests in one, and which task (by its reference) is in which place."""
    trapped, many = len(faults.trapped), len(PLACES)
    while True:
        jobs = where.jobs(draw, draw.randrange(2, 4))
        found = _distinct(draw, jobs)
        traps = [each for each in found if each.naive is not None]
        if len(found) > many and len(traps) >= trapped:
            break
    chosen = traps[:trapped]
    rest = [each for each in _mixed(found, where) if each not in chosen][: many + 1 - trapped]
    free = [place for place in (*PLACES, EXTRA) if place not in faults.trapped]
    placed = dict(zip((*faults.trapped, *free), (*chosen, *rest), strict=True))
    refs = {place: _fresh(draw, number) for number, place in enumerate(placed)}
    errands = [_put(placed[place], place, refs, faults) for place in (*PLACES, EXTRA)]
    return Job(" ".join(job.text for job in jobs), tuple(errands)), refs


def _distinct(draw: random.Random, jobs: Sequence[Job]) -> list[Errand]:
    """Their errands in any order, none of which makes a call of another's."""
    made: set[tuple[str, str]] = set()
    kept = []
    for each in (each for job in jobs for each in job.errands):
        calls = {(c.tool, str(dict(c.arguments))) for c in (each.call, each.naive) if c}
        if made.isdisjoint(calls):
            kept.append(each)
            made |= calls
    return draw.sample(kept, len(kept))


def _mixed(errands: Iterable[Errand], where: Setting) -> list[Errand]:
    """The errands, those of different workers next to each other."""
    owners, groups = where.owners, dict[str, list[Errand]]()
    for each in errands:
        groups.setdefault(owners[each.call.tool], []).append(each)
    rows = zip_longest(*groups.values())
    return [each for row in rows for each in row if each is not None]


def _fresh(draw: random.Random, number: int) -> str:
    letters, digits = "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789"
    rest = draw.choice(digits), draw.choice(letters), draw.choice(digits)
    return letters[number * 4 + draw.randrange(4)] + "".join(rest)


def _put(each: Errand, place: str, refs: Mapping[str, str], faults: Faults) -> Errand:
    """An errand in its place of the plan; without its trap where there is to be none."""
    needs = tuple(refs[need] for need in PLACES[place][0]) if place in PLACES else ()
    moved = replace(each, ref=refs[place], needs=needs)
    if place in faults.trapped:
        return moved
    return replace(moved, naive=None, refusal="", says=_plainly(each))


def _plainly(each: Errand) -> str:
    """The errand in words, with all that its call needs."""
    given = ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in each.call.arguments.items())
    action = each.call.tool.replace("_", " ").capitalize()
    return f"{action} with {given}" if given else action


def person_plan(
    draw: random.Random, job: Job, refs: Mapping[str, str], where: Setting
) -> dict[str, Any]:
    """A plan as a person may have written it: ids that say nothing of an order, in no order."""
    names = draw.sample([f"{letter}{n}" for letter in "kmprsw" for n in range(1, 6)], len(PLACES))
    ids = dict(zip(PLACES, names, strict=True))
    tasks = [
        {
            "id": ids[place],
            "description": job.by_ref[refs[place]].description,
            "worker": where.owners[job.by_ref[refs[place]].call.tool],
            "dependencies": [ids[need] for need in needs],
        }
        for place, (needs, _) in PLACES.items()
    ]
    shuffled = draw.sample(tasks, len(tasks))
    return {"goal": job.text, "tasks": shuffled, "final_instruction": "Say what is missing."}


def edit(refs: Mapping[str, str], extra: Errand, where: Setting) -> dict[str, Any]:
    """What a person changes in a plan: a task goes, and two wait for one now, a new one of them."""
    added = {
        "id": f"x{extra.ref.lower()}",
        "description": extra.description,
        "worker": where.owners[extra.call.tool],
        "dependencies": [],
    }
    return {"drop": refs["e"], "add": added, "after": refs["a"], "later": refs["b"]}
