"""Where a text asks for work at the same time, its worlds have more of it than a usual limit."""

from __future__ import annotations

import pytest

from graders.exercises import exercise
from graders.judge.inside import play_inside
from graders.judge.judge import world_of
from graders.records.log import Log
from graders.records.scenario import Exercise
from tests.grading.judging import cells_of, names_of
from tests.judge.exercises.playing import TOKENS

LIMIT = 10  # as somebody may set it who wants to be polite
AT_ONCE = {
    "00_start_here": ("0.2",),
    "01_one_agent": ("1.3", "1.4"),
    "03_handoff": ("3.2",),
    "04_supervisor": ("4.2",),
}


def together(log: Log) -> int:
    """The most requests that were open at the same time."""
    events = [(each.start, 1) for each in log.exchanges]
    events += [(each.end, -1) for each in log.exchanges if each.end is not None]
    running = most = 0
    for _, step in sorted(events):
        running += step
        most = max(most, running)
    return most


def logs(chapter: str, number: str) -> list[Log]:
    """What is seen of the chapter's own answer, with each seed that counts."""
    one: Exercise = exercise(number)
    names = names_of(cells_of(chapter, one), one)
    worlds = [
        (trial, world_of(one, trial, seed)) for trial in one.trials for seed in one.hidden_seeds
    ]
    return [play_inside(trial.stage, world, TOKENS, names, one) for trial, world in worlds]


@pytest.mark.parametrize(
    ("chapter", "number"), [(chapter, each) for chapter, some in AT_ONCE.items() for each in some]
)
def test_a_limit_would_show(chapter: str, number: str) -> None:
    assert max(map(together, logs(chapter, number))) > LIMIT
