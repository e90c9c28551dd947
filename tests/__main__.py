"""Run the tests: `python -m tests`, which is what `make test` does.

Without words everything that every run plays, in two processes beside each other: linters, types
and spoken calls in one, since calls take real seconds, and all other tests in the other.
`--long` plays the long tests too and measures what is covered; `--room NAME` plays what one room
needs. Other words go to pytest, whose paths are then what is played.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

from tests import covering, telling
from tests.covering import SPREAD
from tests.rooms import ROOMS

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"
BIN = Path(sys.executable).parent
LINTERS = (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",))
SPOKEN = (
    "tests/voice/test_call.py",
    "tests/voice/test_room.py",
    "tests/voice/test_services.py",
    "tests/browser/test_microphone.py",
    "tests/browser/test_room_page.py",
)
"""Calls that take real seconds: where they run, all other tests give way to them."""
NOTEBOOKS = ("--nbval", "--nbval-sanitize-with", "tests/notebooks/sanitize.cfg")
EVERYTHING = ("tests", "solutions")
NOTHING_TO_PLAY = 5  # pytest's code


class Run:
    """What has been run, and what of it was not clean."""

    def __init__(self) -> None:
        self.told, self.unclean = telling.Told(), list[str]()

    def linters(self, output: Path) -> None:
        with output.open("w") as file:
            for command in LINTERS:
                if _run(command, stdout=file) and command[0] not in self.unclean:
                    self.unclean.append(command[0])

    def pytest(self, name: str, *words: str, output: Path | None = None, nice: int = 0) -> None:
        """Run pytest; `name` is that of the file in which it leaves what is to be told."""
        kept = BUILD / f"{name}.json"
        kept.unlink(missing_ok=True)
        command = ("nice", "-n", str(nice), str(BIN / "pytest"), *words)
        with (output or Path(os.devnull)).open("a") as file:
            code = _run(command, stdout=file if output else None, **{telling.KEPT: str(kept)})
        told = telling.read(kept)
        self.told.add(told)
        if code not in (0, 1, NOTHING_TO_PLAY):
            self.unclean.append(f"pytest ended with {code}")

    def end(self) -> int:
        for line in telling.sentences(self.told, besides=self.unclean):
            print(line)
        return 1 if self.unclean or self.told.red else 0


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests", description=__doc__)
    parser.add_argument("--long", action="store_true", help="play the long tests as well")
    parser.add_argument("--room", choices=sorted(ROOMS), help="play what this room needs")
    given, others = parser.parse_known_args(words)
    BUILD.mkdir(mode=0o700, exist_ok=True)  # a class's grades go there as well
    long = ("--long",) if given.long else ()
    run = Run()
    if given.room or others:
        paths = () if _names_paths(others) else (ROOMS[given.room] if given.room else EVERYTHING)
        run.pytest("told", *SPREAD, *NOTEBOOKS, *long, *paths, *others)
        return run.end()
    print("Linters, types and spoken calls run beside the tests; build/test-beside.txt has them.")
    output = BUILD / "test-beside.txt"

    def beside() -> None:
        run.linters(output)
        run.pytest("told-spoken", "--quiet", *long, *SPOKEN, output=output)

    thread = Thread(target=beside)
    thread.start()
    apart = (f"--ignore={path}" for path in SPOKEN)
    run.pytest("told-most", *SPREAD, *NOTEBOOKS, *long, *apart, *EVERYTHING, nice=19)
    thread.join()
    print(output.read_text(encoding="utf-8"))
    if given.long and not covering.holds():
        run.unclean.append("coverage")
    return run.end()


def _run(command: Sequence[str], *, stdout: object = None, **variables: str) -> int:
    program = BIN / command[0] if (BIN / command[0]).exists() else command[0]
    sys.stdout.flush()
    return subprocess.run(
        [str(program), *command[1:]],
        cwd=ROOT,
        env=os.environ | variables,
        stdout=stdout,  # type: ignore[call-overload]
        stderr=subprocess.STDOUT if stdout else None,
        check=False,
    ).returncode


def _names_paths(words: Sequence[str]) -> bool:
    return any((ROOT / word.partition("::")[0]).exists() for word in words)


if __name__ == "__main__":
    sys.exit(main())
