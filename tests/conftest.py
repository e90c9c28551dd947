"""For every test: no network but loopback, and no key or model setting from the person's shell."""

import gc
import os
import signal
import socket
import sys
import tempfile
import tracemalloc  # noqa: F401  # pytest loads it late, where the judge may end what runs
from collections.abc import Callable, Generator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from jupyter_client.connect import ConnectionFileMixin

from tests.notebooks.again import Playing
from tests.spreading import Spreading
from tests.telling import Telling

# The same examples on every day and machine, and none fails for being slow.
for profile, examples in (("usual", 30), ("long", 150)):
    settings.register_profile(
        profile,
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )

for name in [name for name in os.environ if name.startswith(("OPENAI_", "COURSE_", "OTEL_"))]:
    del os.environ[name]

os.environ["COURSE_WORLDS"] = ""  # a world of one's own is tried by tests/scenarios/test_domains.py
# No test reads or writes what somebody has passed on this machine, nor what another process notes.
STATE = tempfile.TemporaryDirectory(prefix="progress")
os.environ["SWITCHBOARD_STATE"] = STATE.name

# Before numpy is loaded, here or in a kernel: matrices are small, and idle threads of OpenBLAS wait
# for each other by spinning, up to twenty times what is computed where cores are shared.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# In the background of a shell Ctrl-C is ignored, by all that is started there as well.
signal.signal(signal.SIGINT, signal.default_int_handler)

LOOPBACK = ("127.", "::1", "localhost")
DEAR = (
    "tests/voice/test_room.py",
    "tests/voice/test_call.py",
    "tests/grading/test_answers.py",
    "tests/grading/test_projects.py",
    "tests/notebooks/test_unsolved.py",
    "tests/judge/test_mutants.py",
    "tests/classroom/",
    "tests/grading/",
    "tests/browser/",
    "solutions/",
    "tests/judge/",
    "tests/scenarios/test_domains.py",
    "tests/test_cli.py",
    "tests/voice/",
    "tests/lab/",
    "tests/project/",
)
"""Files that take minutes. They begin first, so that no core waits for another at the end."""
FEW = 30
"""Modules that are imported before all that is there is to stay."""
stays = 0
"""How many modules there were when it last was."""


def local_only(connect: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(self: socket.socket, address: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(
            LOOPBACK
        ):
            raise RuntimeError(f"a test tried to reach {address[0]}: only loopback is allowed")
        return connect(self, address)

    return guarded


def through_files(begin: Callable[..., None]) -> Callable[..., None]:
    """Have kernels speak through files, not ports.

    A port that was free when it was chosen may be taken when the kernel comes to bind it, where
    kernels start side by side; the kernel then dies before its first word.
    """
    numbers, folder = count(), tempfile.TemporaryDirectory(prefix="kernels")

    def init(self: ConnectionFileMixin, **given: Any) -> None:
        begin(
            self,
            **{"transport": "ipc", "ip": f"{folder.name}/{os.getpid()}.{next(numbers)}", **given},
        )

    return init


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--long",
        action="store_true",
        help="play the tests marked long too, each in every place that it has",
    )
    parser.addoption("--processes", type=int, default=0, help="play the files in so many processes")


def unheard(patched: pytest.MonkeyPatch, config: pytest.Config) -> None:
    """Hide this machine's recogniser, so that a chapter's calls are no calls aloud."""
    patched.setenv("SWITCHBOARD_CACHE", str(config.rootpath / "build/unheard"))


def of_kernels(config: pytest.Config) -> Path:
    """Where kernels that nbval kills leave what they would have removed: pytest does it for them.

    Their sockets lie elsewhere, for the path of a socket must be short.
    """
    folder: Path = config._tmp_path_factory.getbasetemp() / "of-kernels"  # type: ignore[attr-defined]
    folder.mkdir(exist_ok=True)
    return folder


class Unheard:
    """Chapters run where no recogniser is, as many readers have them; with `--long` aloud.

    Calls are held aloud by the tests that `make test` plays beside the others.
    """

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None]:
        """A notebook's kernel starts in here, and keeps what it finds in its environment."""
        if not item.nodeid.startswith("solutions/"):
            return (yield)
        item.output_timeout = 60  # type: ignore[attr-defined]  # nbval's 5 s are few
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("TMPDIR", str(of_kernels(item.config)))
            state = of_kernels(item.config) / f"progress-{item.path.stem}"
            state.mkdir(exist_ok=True)
            patched.setenv("SWITCHBOARD_STATE", str(state))
            if not item.config.getoption("long"):
                unheard(patched, item.config)
            return (yield)


def pytest_configure(config: pytest.Config) -> None:
    for name in ("connect", "connect_ex"):  # once: a fixture would do it 16,000 times
        setattr(socket.socket, name, local_only(getattr(socket.socket, name)))
    ConnectionFileMixin.__init__ = through_files(ConnectionFileMixin.__init__)  # type: ignore[method-assign]
    settings.load_profile("long" if config.getoption("long") else "usual")
    # A conftest's own hooks see its own folder alone.
    for plugin in (Unheard(), Playing(), Telling(config)):
        config.pluginmanager.register(plugin)
    if processes := config.getoption("processes"):
        config.pluginmanager.register(Spreading(processes))
    gc.disable()  # until all is collected, which is kept


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("long"):
        left = [item for item in items if item.get_closest_marker("long")]
        items[:] = [item for item in items if not item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=left)
    items.sort(
        key=lambda item: next(
            (place for place, name in enumerate(DEAR) if item.nodeid.startswith(name)), len(DEAR)
        )
    )


def stay() -> None:
    """What is there stays: no collection need look through it again.

    The judge asks for one in many plays, and with ten thousand collected tests, or with LiveKit,
    each would take a good part of a second.
    """
    global stays
    gc.collect()
    gc.freeze()
    stays = len(sys.modules)


def pytest_collection_finish() -> None:
    stay()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """What a test before this one was the first to import stays as well."""
    if len(sys.modules) > stays + FEW:
        stay()


@pytest.fixture(autouse=True)
def ctrl_c_is_heard() -> None:
    """Whatever ran before: LiveKit turns it off while it starts processes, and may not be asked
    to turn it on again where these end at once."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
