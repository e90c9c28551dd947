"""Hostile submissions through the whole judge: no point gained, nothing harmed, the rest judged."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from graders.judge.chapters import Chapter, released
from graders.judge.judge import Judge, judge
from tests.judge.attacks import ATTACKS
from tests.judge.boxes import missing
from tests.notebooks import kit

NAME = "00_start_here"


def shortened() -> Chapter:
    """The chapter with one trial and one seed of each exercise: an attack needs no more."""
    chapter = next(each for each in released() if each.name == NAME)
    short = [replace(each, trials=each.trials[:1], hidden_seeds=(2,)) for each in chapter.exercises]
    return replace(chapter, exercises=tuple(short))


@pytest.fixture(scope="module")
def ready() -> Iterator[Judge]:
    if missing("bwrap") and missing("landlock"):
        pytest.skip("no sandbox works here")
    with judge(chapters=[shortened()]) as made:
        yield made


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    folder = tmp_path / "submitted"
    folder.mkdir()
    (folder / "gradebook.db").write_text("3")
    (folder / "other.ipynb").write_text("somebody else's")
    for path in (tmp_path, folder, *folder.iterdir()):
        path.chmod(0o777)
    return folder


def picture(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_is_gained(ready: Judge, victim: Path, attack: str) -> None:
    source = ATTACKS[attack].replace("VICTIM", repr(str(victim)))
    book = kit.read(kit.ROOT / "solutions" / NAME / f"{NAME}.ipynb")
    kit.by_id(book, "ex_0_2").source = source.replace("PROJECT", repr(str(kit.ROOT)))
    paper = victim.parent / f"{NAME}.ipynb"
    nbformat.write(book, paper)
    before = picture(victim)
    report = ready.submission(paper)
    scores = {each.number: each.score for each in report.exercises}
    assert scores == {"0.1": 0.5, "0.2": 0, "0.3": 1}
    assert picture(victim) == before
    [trial] = report.exercises[1].trials
    assert trial.verdict.message
    assert len(report.exercises[1].output) <= 70_000
