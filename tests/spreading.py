"""Tests in several processes, which are forked from one that has collected them all.

`pytest --processes 4` collects once, which takes seconds, and no process imports again what another
has. Files go out in the order in which they were collected, and a file stays in one process: the
cells of a notebook share a kernel, and its tests what they set up. Only one of more than `MOST`
tests is given out in parts, or all would wait for it at the end.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import time
import warnings
import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, pairwise
from math import ceil
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NoReturn

import pytest

MOST = 500
"""Tests of a file that one process plays in a row."""
PATIENCE = 20
"""Seconds that a process has to put away what its tests set up, where they are broken off."""


@dataclass
class Player:
    """A process that plays tests: its number, the line to it, and the places that it has to play,
    of which the first is the one that it plays."""

    pid: int
    line: Connection
    left: deque[int] = field(default_factory=deque)

    def end(self) -> int:
        """Wait for its end and return its code, below zero for a signal."""
        self.line.close()
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def stop(self, until: float) -> None:
        """Break it off; what has not put things away by then is killed."""
        os.kill(self.pid, signal.SIGINT)
        while os.waitpid(self.pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > until:
                os.kill(self.pid, signal.SIGKILL)
            time.sleep(0.05)


def parts(paths: Iterable[Path]) -> list[list[int]]:
    """What goes out as one: the places of the tests of a file, or of an even part of a long one.

    Args:
        paths: the file of each test, in the order of the tests.
    """
    files: dict[Path, list[int]] = {}
    for place, path in enumerate(paths):
        files.setdefault(path, []).append(place)
    return [
        places[begin : begin + size]
        for places in files.values()
        for size in [ceil(len(places) / ceil(len(places) / MOST))]
        for begin in range(0, len(places), size)
    ]


class Spreading:
    """The plugin in the process that collected: it gives the tests out and hears how they went."""

    def __init__(self, processes: int) -> None:
        self.processes, self.begun = processes, 0
        self.players: dict[Connection, Player] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed or session.config.option.collectonly:
            return None  # pytest's own loop knows what to do
        reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
        reporter.showfspath = False  # lines of several files come mixed
        waiting = deque(parts(item.path for item in session.items))
        try:
            while self.players or waiting:
                while waiting and len(self.players) < self.processes:
                    self._begin(session)
                for line in wait(list(self.players)):
                    assert isinstance(line, Connection)
                    self._hear(session, self.players[line], waiting)
                    if session.shouldfail:
                        raise session.Failed(session.shouldfail)
                    if session.shouldstop:
                        raise session.Interrupted(session.shouldstop)
        finally:
            until = time.monotonic() + PATIENCE
            for player in self.players.values():
                player.stop(until)
        return True

    def _begin(self, session: pytest.Session) -> None:
        ours, theirs = Pipe()
        self.begun += 1
        for stream in (sys.stdout, sys.stderr):
            stream.flush()  # or each process would write it again
        pid = os.fork()
        if not pid:
            for line in (ours, *self.players):
                line.close()
            _play_all(session, theirs, self.begun)
        theirs.close()
        self.players[ours] = Player(pid, ours)

    def _hear(self, session: pytest.Session, player: Player, waiting: deque[list[int]]) -> None:
        try:
            told = player.line.recv()
        except (EOFError, OSError):
            del self.players[player.line]
            self._lost(session, player, waiting)
            return
        if told is None:  # it asks for more
            given = waiting.popleft() if waiting else None
            player.left.extend(given or ())
            with contextlib.suppress(BrokenPipeError):  # its end is heard next
                player.line.send(given)
            return
        hook, item = session.config.hook, session.items[player.left.popleft()]
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for kind, each in told:
            if kind == "report":
                report = hook.pytest_report_from_serializable(config=session.config, data=each)
                hook.pytest_runtest_logreport(report=report)
            else:
                hook.pytest_warning_recorded.call_historic(kwargs=each)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _lost(self, session: pytest.Session, player: Player, waiting: deque[list[int]]) -> None:
        """The process has ended: well, or in a test, which failed then; others play the rest."""
        code = player.end()
        if player.left:
            item = session.items[player.left.popleft()]
            said = f"the process that played it ended with {code}"
            report = pytest.TestReport(item.nodeid, item.location, {}, "failed", said, "call")
            session.config.hook.pytest_runtest_logreport(report=report)
        if player.left:
            waiting.appendleft(list(player.left))


class Heard:
    """The plugin in a process that plays: what a test tells, kept until it has ended."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.told: list[tuple[str, Any]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        told = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.told.append(("report", told))

    def pytest_warning_recorded(
        self, warning_message: warnings.WarningMessage, when: str, nodeid: str, location: Any
    ) -> None:
        said, each = str(warning_message.message), warning_message
        plain = warnings.WarningMessage(said, each.category, each.filename, each.lineno)  # type: ignore[arg-type]
        told = {"warning_message": plain, "when": when, "nodeid": nodeid, "location": location}
        self.told.append(("warning", told))


def _play_all(session: pytest.Session, line: Connection, number: int) -> NoReturn:
    """What a process does from its first moment to its last."""
    code = 1
    try:
        _on_its_own(session.config, number)
        try:
            _play(session, line)
        finally:
            session._setupstate.teardown_exact(None)
            line.close()
            atexit._run_exitfuncs()
        code = 0
    except KeyboardInterrupt:
        pass
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def _play(session: pytest.Session, line: Connection) -> None:
    def given() -> Iterator[int]:
        """The places of tests. It asks for more before its last one, which tears down the file."""
        while True:
            line.send(None)
            places = line.recv()
            if places is None:
                return
            yield from places

    heard = Heard(session.config)
    session.config.pluginmanager.register(heard)
    for place, following in pairwise(chain(given(), [None])):
        item, after = session.items[place], None if following is None else session.items[following]
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        line.send(heard.told)
        heard.told = []


def _on_its_own(config: pytest.Config, number: int) -> None:
    """Leave to the process that collected what is its own: streams, folders, and what it ends."""
    atexit._clear()
    weakref.finalize._registry.clear()  # type: ignore[attr-defined]
    weakref.finalize._registered_with_atexit = False  # type: ignore[attr-defined]
    os.environ.pop("COVERAGE_PROCESS_START", None)  # what tests start is not counted
    config.get_terminal_writer()._file = open(os.devnull, "w")  # noqa: SIM115
    capture: Any = config.pluginmanager.get_plugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    capture.suspend_global_capture()
    folders: Any = config._tmp_path_factory  # type: ignore[attr-defined]
    folders._given_basetemp = folders.getbasetemp() / f"process-{number}"
    folders._basetemp = None
