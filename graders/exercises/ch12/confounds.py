"""Exercise 12.2: what differs between two arms besides what is meant to differ."""

from __future__ import annotations

from graders.exercises.kit import *

_STAGE = """
async def stage(bench, student):
    found = []
    for each in bench.params["cases"]:
        try:
            told = student.confounds(each["baseline"], each["candidate"], each["axis"])
        except ValueError:
            told = "ValueError"
        found.append(told)
    return found
"""
Row = dict[str, Any]
Compared = dict[str, Any]
Case = Callable[[random.Random], Compared]
_AXES = {
    "pattern": ("single", "handoff", "supervisor", "planner", "router"),
    "policy": ("none", "retry", "refine", "breaker"),
    "profile": ("calm", "busy", "stormy"),
    "fault_model": (0.0, 0.05, 0.1),
    "level": (1, 2, 3, 4, 5),
}


def _crossed(draw: random.Random) -> Compared:
    """Two arms that differ in the axis alone: tasks by seeds, in an order of their own."""
    axis = draw.choice(["pattern", "policy"])
    first, second = draw.sample(_AXES[axis], 2)
    fixed = {name: draw.choice(values) for name, values in _AXES.items()}
    names = [*_AXES, "task", "seed"]
    draw.shuffle(names)
    rows = [
        {**fixed, "level": level, "task": f"{level}-{task}", "seed": seed}
        for level in (1, 2, 3)
        for task in range(2)
        for seed in range(2)
    ]

    def arm(value: object) -> list[Row]:
        told = [{name: {**row, axis: value}[name] for name in names} for row in rows]
        draw.shuffle(told)
        return told

    return {"baseline": arm(first), "candidate": arm(second), "axis": axis}


def _fair(draw: random.Random) -> Compared:
    return _crossed(draw)


def _not_even_the_axis(draw: random.Random) -> Compared:
    """The same runs on both sides: nothing differs, the axis neither."""
    made = _crossed(draw)
    return {**made, "candidate": [dict(row) for row in reversed(made["baseline"])]}


def _two_changed(draw: random.Random) -> Compared:
    """Two other conditions have another value everywhere in the candidate."""
    made = _crossed(draw)
    others = [name for name in ("profile", "fault_model", "policy", "pattern")
              if name != made["axis"]]  # fmt: skip
    for name in draw.sample(others, 2):
        there = made["candidate"][0][name]
        other = draw.choice([value for value in _AXES[name] if value != there])
        for row in made["candidate"]:
            row[name] = other
    return made


def _one_run_only(draw: random.Random) -> Compared:
    """The candidate had one run under another profile."""
    made = _crossed(draw)
    row = draw.choice(made["candidate"][1:])
    row["profile"] = draw.choice([name for name in _AXES["profile"] if name != row["profile"]])
    return made


def _harder(draw: random.Random) -> Compared:
    """As many runs, the same tasks: but one hard task stands in the place of an easy one."""
    made = _crossed(draw)
    easy = draw.choice([row for row in made["candidate"] if row["level"] == 1])
    hard = draw.choice([row for row in made["candidate"] if row["level"] == 3])
    easy |= {"level": hard["level"], "task": hard["task"]}
    return made


def _left_out(draw: random.Random) -> Compared:
    """The candidate's runs with one seed are gone."""
    made = _crossed(draw)
    return {**made, "candidate": [row for row in made["candidate"] if row["seed"] == 0]}


def _added(draw: random.Random) -> Compared:
    """The candidate has runs that the baseline has not, and all of the baseline's."""
    made = _left_out(draw)
    return {**made, "baseline": made["candidate"], "candidate": made["baseline"]}


def _no_runs(side: str) -> Case:
    return lambda draw: {**_crossed(draw), side: []}


def _differing(made: Compared) -> list[str] | str:
    """By sorting, not by counting."""
    arms = made["baseline"], made["candidate"]
    if not all(arms):
        return "ValueError"
    names = [name for name in arms[0][0] if name != made["axis"]]
    sides = [{name: sorted(str(row[name]) for row in arm) for name in names} for arm in arms]
    return [name for name in names if sides[0][name] != sides[1][name]]


_named = compared(_differing)


CONFOUNDS = Exercise(
    "12.2", ("confounds",), (
        Trial("finds what else differs, and nothing where all is well", _STAGE,
              cases(_fair, _two_changed, _one_run_only, _not_even_the_axis),
              _named("every run of both arms, the axis, and the order of the names")),
        Trial("counts the values, and does not only list them", _STAGE,
              cases(_harder, _left_out, _added, _fair),
              _named("how often each value occurs in each arm")),
        Trial("compares nothing with an arm that has no runs", _STAGE,
              cases(_no_runs("baseline"), _no_runs("candidate"), _fair),
              _named("what you do with an empty list")),
    ),
    places={
        "*": "the names for the {} comparison",
        "*.*": "the {1} name for the {0} comparison",
    },
)  # fmt: skip
