"""What a student has tried and passed: one small file for all chapters, which stays with them."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Literal

from course.errors import ConfigurationError
from course.notebook.exercises import folder

NAME = ".progress.json"
VERSION = 2
Outcome = Literal["passed", "failed", "not attempted"]
SIGNS: Mapping[Outcome, str] = {"passed": "✓", "failed": "✗", "not attempted": "○"}
Outcomes = Mapping[str, Outcome]


@dataclass(frozen=True)
class Standing:
    """How one exercise stands.

    Attributes:
        tries: how many runs of its checks ended in ✗.
        last: what its checks said when they were run last, by title.
        best: what they said in the best of all runs.
    """

    tries: int = 0
    last: Outcomes = field(default_factory=dict)
    best: Outcomes = field(default_factory=dict)

    def outcome(self, titles: Iterable[str] | None = None) -> Outcome:
        """The worst outcome over ``titles`` in the best run; over all when None."""
        return _worst(self.best, titles)

    def lately(self, titles: Iterable[str] | None = None) -> Outcome:
        """The worst outcome over ``titles`` in the last run; over all when None."""
        return _worst(self.last, titles)

    def after(self, outcomes: Outcomes) -> Standing:
        """The standing after one more run, which says these outcomes by title."""
        last = {**self.last, **outcomes}
        best = last if _rank(last) >= _rank(self.best) else self.best
        return Standing(self.tries + ("failed" in outcomes.values()), last, best)

    def joined(self, other: Standing) -> Standing:
        """What is known from here and from another file; the last run is the one from here."""
        best = max(self.best, other.best, key=_rank)
        return Standing(max(self.tries, other.tries), self.last or other.last, best)


def _worst(outcomes: Outcomes, titles: Iterable[str] | None) -> Outcome:
    known = [o for t, o in outcomes.items() if titles is None or t in titles]
    if "failed" in known:
        return "failed"
    return "passed" if known and "not attempted" not in known else "not attempted"


def _rank(outcomes: Outcomes) -> tuple[int, int]:
    said = list(outcomes.values())
    return said.count("passed"), said.count("failed")


# What this kernel has seen. It carries on when the file cannot be written (a read-only folder).
_seen: dict[str, Standing] = {}


def place() -> Path:
    """Return the file: in ``notebooks``, or in the folder that SWITCHBOARD_STATE names.

    It is the same for a copy of a chapter elsewhere in the course's folder. Solutions that are run
    keep a file of their own beside them.
    """
    if state := os.environ.get("SWITCHBOARD_STATE"):
        return Path(state) / NAME
    here, solutions = Path.cwd(), folder("solutions")
    if solutions is not None and here.is_relative_to(solutions):
        return here / NAME
    return (folder("notebooks") or here) / NAME


def load() -> dict[str, Standing]:
    """Read the standings by exercise number.

    A missing file gives what this kernel has seen. One that is damaged or of another version is
    kept aside, with one printed line, and counting starts anew: a check never fails because of it.
    """
    path = place()
    try:
        return _decode(path)
    except FileNotFoundError:
        pass
    except OSError as trouble:
        print(f"{path} cannot be read ({trouble.strerror}); only this kernel counts progress")
    except ValueError as trouble:
        _put_aside(path, str(trouble))
    return dict(_seen)


def record(exercise: str, outcomes: Outcomes) -> None:
    """Note one run of an exercise's checks, by title.

    Never raises; silent inside nbgrader, which keeps its own book.
    """
    if os.environ.get("NBGRADER_EXECUTION"):
        return
    with _alone():
        standings = load()
        standings[exercise] = standings.get(exercise, Standing()).after(outcomes)
        _keep(standings)


def forget(exercises: Iterable[str]) -> None:
    """Note that nothing was tried of these exercises."""
    with _alone():
        left = {n: each for n, each in load().items() if n not in set(exercises)}
        _seen.clear()
        _keep(left)


def export_progress(path: str | Path) -> None:
    """Write the progress of all chapters to a file of yours, to take along or to keep.

    Args:
        path: where to; a file that is there already is not written over.

    Raises:
        ConfigurationError: there is such a file, or it cannot be written.
    """
    standings = load()
    try:
        with Path(path).open("x", encoding="utf-8") as file:
            file.write(_encode(standings))
    except OSError as trouble:
        raise ConfigurationError(f"{path} cannot be written: {trouble.strerror}") from None
    print(f"{path} has {_counted(standings)}.")


def import_progress(path: str | Path) -> None:
    """Take over what a file from `export_progress` has; of each exercise the best is kept.

    Args:
        path: such a file.

    Raises:
        ConfigurationError: it cannot be read, is damaged or of another version.
    """
    try:
        theirs = _decode(Path(path))
    except OSError as trouble:
        raise ConfigurationError(f"{path} cannot be read: {trouble.strerror}") from None
    except ValueError as trouble:
        raise ConfigurationError(f"{path} cannot be taken over: it {trouble}") from None
    with _alone():
        standings = load()
        for number, each in theirs.items():
            standings[number] = standings.get(number, Standing()).joined(each)
        _keep(standings)
    print(f"Taken over: {_counted(theirs)}.")


def _counted(standings: Mapping[str, Standing]) -> str:
    passed = sum(each.outcome() == "passed" for each in standings.values())
    noun = "exercise" if len(standings) == 1 else "exercises"
    return f"{len(standings)} {noun}, {passed} of them passed"


@contextmanager
def _alone() -> Iterator[None]:
    """Keep the kernels of other chapters waiting, while a file is read and written again."""
    try:
        from fcntl import LOCK_EX, flock

        held = os.open(place().parent, os.O_RDONLY)
    except (ImportError, OSError):  # no such lock here, or no such folder
        yield
        return
    try:
        flock(held, LOCK_EX)
        yield
    finally:
        os.close(held)


def _keep(standings: Mapping[str, Standing]) -> None:
    _seen.update(standings)
    path = place()
    # Written beside and moved into place, so that a kernel killed here leaves a whole file.
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        fresh.write_text(_encode(standings), encoding="utf-8")
        fresh.replace(path)
    except OSError as trouble:  # a read-only folder: this kernel still remembers
        if trouble.errno in (errno.ENOSPC, errno.EDQUOT):
            print(f"No room is left to keep progress in {path}; this kernel remembers it.")


def _encode(standings: Mapping[str, Standing]) -> str:
    book = {
        number: {"tries": each.tries, "last": dict(each.last), "best": dict(each.best)}
        for number, each in sorted(standings.items())
    }
    whole = {"version": VERSION, "exercises": book}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _decode(path: Path) -> dict[str, Standing]:
    """Raises OSError, and ValueError with what is wrong."""
    text = path.read_bytes()
    try:
        book = json.loads(text)
        version, entries = book["version"], book["exercises"]
        if version == VERSION:
            return {str(number): _standing(entry) for number, entry in entries.items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ValueError("is damaged") from None
    raise ValueError("is of another version of the course")


def _standing(entry: Any) -> Standing:
    last, best = ({str(t): o for t, o in entry[name].items()} for name in ("last", "best"))
    if not {*last.values(), *best.values()} <= set(SIGNS):
        raise ValueError("unknown outcome")
    return Standing(int(entry["tries"]), last, best)


def _put_aside(path: Path, why: str) -> None:
    names = (path.with_name(f"{path.name}.aside-{number}") for number in count(1))
    kept = next(name for name in names if not name.exists())
    try:
        path.replace(kept)
    except OSError:
        kept = path
    print(f"{path.name} {why}, so progress starts anew (the old file is kept as {kept.name})")
