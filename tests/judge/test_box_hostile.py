"""The side effects of hostile submissions: none, whatever is tried, and the next box is clean."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from graders.box.limits import MIB, Limits
from graders.box.probe import TESTER, Attempt, attempt_source
from graders.box.warm import Parent, warm
from tests.judge.boxes import BACKENDS, needed

HOSTILE = Path(__file__).parent / "hostile"
LIMITS = Limits(
    memory_bytes=512 * MIB, cpu_seconds=5, wall_seconds=30, disk_bytes=32 * MIB, file_bytes=8 * MIB
)
# attack: how its box may end; it has answered where the box exited 0
ATTACKS = {
    "files.rewrite_the_gradebook": {"exited 0"},
    "files.persist_in_startup_files": {"exited 0"},
    "files.find_the_answers": {"exited 0"},
    "files.leave_what_cannot_be_removed": {"exited 0", "wrote more than it may"},
    "files.use_up_the_names": {"exited 0", "wrote more than it may"},
    "processes.fork_and_hide": {"exited 0"},
    "processes.take_four_gigabytes": {"exited 0"},
    "processes.leave_at_once": {"exited 0"},
    "processes.crash": {"killed by signal 11 (SIGSEGV)"},
    "processes.stop_itself": {"used up its time", "killed by signal 19 (SIGSTOP)"},
    "processes.threads_that_never_end": {"exited 0"},
    "processes.close_everything": {"exited 0"},
    "processes.hang_at_exit": {"exited 0"},
    "processes.signal_everybody": {"exited 0"},
    "world.send_it_out": {"exited 0"},
    "world.poison_modules": {"exited 0"},
}


@pytest.fixture(scope="module", params=BACKENDS)
def parent(request: pytest.FixtureRequest) -> Iterator[Parent]:
    with warm(needed(request.param), child=TESTER) as warmed:
        yield warmed


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A gradebook and another's submission that file modes would let anybody change."""
    folder = tmp_path / "submitted"
    folder.mkdir()
    with sqlite3.connect(folder / "gradebook.db") as book:
        book.execute("CREATE TABLE grade (score)")
        book.execute("INSERT INTO grade VALUES (3)")
    (folder / "submission.ipynb").write_text('{"cells": []}')
    for path in (tmp_path, folder, *folder.iterdir()):
        path.chmod(0o777)
    return folder


def play(parent: Parent, attack: str, victim: Path) -> Attempt:
    module, name = attack.split(".")
    limits = replace(LIMITS, wall_seconds=0.5) if name == "stop_itself" else LIMITS
    source = (HOSTILE / f"{module}.py").read_text() + f"\ngot += {name}(victim)\n"
    return attempt_source(parent, source, limits, victim=str(victim))


def picture(folder: Path) -> dict[str, object]:
    return {
        str(path): (path.lstat().st_mode, path.read_bytes() if path.is_file() else None)
        for path in sorted([folder, *folder.rglob("*")])
    }


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_is_gained_and_nothing_is_left(parent: Parent, victim: Path, attack: str) -> None:
    before = picture(victim)
    tried = play(parent, attack, victim)
    assert tried.got == [], tried.ending
    assert tried.ending.reason in ATTACKS[attack], tried.ending.output
    assert tried.let_go, "a process outlived its box"
    assert picture(victim) == before
    assert not list(parent._folder.path.glob("private-*"))
    after = play(parent, "world.poisoned", victim)
    assert after.answered and after.got == [] and after.ending.reason == "exited 0"


def test_attacks_work_where_nothing_holds_them(victim: Path) -> None:
    scope: dict[str, object] = {}
    exec((HOSTILE / "files.py").read_text(), scope)
    got = scope["rewrite_the_gradebook"](str(victim))  # type: ignore[operator]
    assert got == ["wrote the gradebook", "spoilt a submission"]


def test_the_private_folder_is_nobody_elses_and_works(parent: Parent, tmp_path: Path) -> None:
    source = """
import os, tempfile
got += [os.getcwd(), tempfile.gettempdir(), oct(os.stat(".").st_mode & 0o777), str(os.listdir("."))]
import pathlib, shutil, sqlite3
with tempfile.TemporaryDirectory() as folder:
    one = pathlib.Path(folder, "one")
    one.write_text("fine")
    one.touch()
    shutil.copy(one, "two")
    shutil.copy2(one, "three")
    shutil.move("two", one)
book = sqlite3.connect("book.db")
book.execute("CREATE TABLE page (line)")
book.commit()
"""
    tried = attempt_source(parent, source, LIMITS)
    home, temporary, mode, listed = tried.got
    assert home.startswith(temporary)
    assert (mode, listed) == ("0o700", "[]")
    assert not os.path.exists(home) or stat.S_ISDIR(os.stat(home).st_mode)
