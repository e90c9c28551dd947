"""The Stop button: an interrupt ends whatever a cell waits for, and the next cell runs."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_client import KernelManager
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

from course.notebook.stopping import wake_on_signals

WAIT = 60  # seconds for a kernel on a busy machine; nothing here takes so long
CELLS = {
    "a sleep": "await asyncio.sleep(600)",
    "an event": "await asyncio.Event().wait()",
    "a group": "await asyncio.gather(*(asyncio.sleep(600) for _ in range(3)))",
    "a loop of its own": "clock.simulate(asyncio.sleep(600), speed=1)",
    "a blocking call": "time.sleep(600)",
}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Stop is no signal on Windows")


@pytest.fixture(scope="module")
def kernel(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    folder: Path = tmp_path_factory.mktemp("stop")
    manager, client = start_new_kernel(startup_timeout=WAIT, cwd=str(folder))
    try:
        first = (
            "import asyncio, time\nfrom course import clock\nfrom course.notebook import start\n"
        )
        told = client.execute(f"{first}start()\nstart()", reply=True, timeout=WAIT)
        assert told["content"]["status"] == "ok"
        yield manager, client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


@pytest.mark.parametrize("what", CELLS)
def test_stop_ends_what_a_cell_waits_for(
    kernel: tuple[KernelManager, BlockingKernelClient], what: str
) -> None:
    manager, client = kernel

    def press_stop(message: dict[str, object]) -> None:
        if message["msg_type"] == "stream":  # the cell runs, and the next thing it does is wait
            manager.interrupt_kernel()

    ended = client.execute_interactive(
        f"print('waiting', flush=True)\n{CELLS[what]}", output_hook=press_stop, timeout=WAIT
    )
    assert ended["content"]["status"] == "error"
    assert ended["content"]["ename"] in ("CancelledError", "KeyboardInterrupt")
    assert client.execute("1 + 1", reply=True, timeout=WAIT)["content"]["status"] == "ok"


@pytest.fixture
def quiet() -> Iterator[None]:
    """Nobody listens for signals before or after."""
    before = signal.set_wakeup_fd(-1)
    yield
    signal.set_wakeup_fd(before)


def test_a_signal_wakes_the_loop(quiet: None) -> None:
    async def waits() -> bool:
        assert wake_on_signals()
        loop, woken = asyncio.get_running_loop(), asyncio.Event()
        # As ipykernel does: a callback added by the handler, which alone does not wake the loop.
        signal.signal(signal.SIGUSR2, lambda *_: loop.call_soon(woken.set))
        task = asyncio.current_task()
        assert task is not None
        give_up = threading.Timer(WAIT, loop.call_soon_threadsafe, (task.cancel,))
        give_up.start()
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR2)).start()
        await woken.wait()
        give_up.cancel()
        return True

    before = signal.getsignal(signal.SIGUSR2)
    try:
        assert asyncio.run(waits())
    finally:
        signal.signal(signal.SIGUSR2, before)


def test_it_is_done_once_and_takes_nothing_from_others(quiet: None) -> None:
    async def twice() -> tuple[bool, bool, int]:
        first, second = wake_on_signals(), wake_on_signals()
        return first, second, signal.set_wakeup_fd(-1)

    first, second, left = asyncio.run(twice())
    assert (first, second) == (True, False)
    assert left != -1


def test_where_it_cannot_work_it_does_nothing(quiet: None, monkeypatch: pytest.MonkeyPatch) -> None:
    async def here() -> bool:
        return wake_on_signals()

    assert not wake_on_signals()  # no loop
    assert not asyncio.run(asyncio.to_thread(lambda: asyncio.run(here())))  # not the main thread
    monkeypatch.setattr(sys, "platform", "win32")
    assert not asyncio.run(here())
    assert signal.set_wakeup_fd(-1) == -1
