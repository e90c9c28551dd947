"""Boxes from the judge's side: limits, endings, output, choice, errors in one line."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from course.errors import ConfigurationError
from graders.box import BoxError, Limits, bwrap, choice, choose, landlock, warm
from graders.box.backend import on_linux
from graders.box.bwrap import Bubblewrap
from graders.box.folder import Folder
from graders.box.none import LimitsOnly
from graders.box.probe import TESTER, attempt, attempt_source
from graders.box.sealed import space
from graders.box.warm import Parent
from tests.judge.boxes import needed, strongest


@pytest.fixture(scope="module")
def parent() -> Iterator[Parent]:
    with warm(strongest(), child=TESTER) as warmed:
        yield warmed


def test_what_it_prints_is_kept_up_to_the_cap(parent: Parent) -> None:
    source = "import sys; print('x' * 100); sys.stderr.write('y' * 100)"
    ending = attempt_source(parent, source, Limits(output_bytes=150)).ending
    assert ending.output == "x" * 100 + "\n" + "y" * 49
    assert ending.printed == 201


def test_what_is_no_text_is_replaced(parent: Parent) -> None:
    tried = attempt_source(parent, "import os; os.write(1, b'\\xff\\xfe ok \\xc3')")
    assert tried.ending.output == "\ufffd\ufffd ok \ufffd"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("", "exited 0"),
        ("raise SystemExit(3)", "exited 3"),
        ("raise SystemExit('no')", "exited 1"),
        ("1 / 0", "exited 1"),
        ("import os; os._exit(7)", "exited 7"),
        ("import ctypes; ctypes.string_at(0)", "killed by signal 11 (SIGSEGV)"),
    ],
)
def test_the_ending_in_words(parent: Parent, source: str, reason: str) -> None:
    assert attempt_source(parent, source).ending.reason == reason


def test_an_error_is_in_the_output_as_the_end_of_a_traceback(parent: Parent) -> None:
    output = attempt_source(parent, "1 / 0").ending.output
    assert output.endswith("ZeroDivisionError: division by zero\n")


def test_leaving_ends_what_still_runs(parent: Parent) -> None:
    with parent.box() as box:
        box.socket.sendall(b'{"attempt": "sleep", "values": {}}\n')
        assert not box.wait(0.05)
    assert box.reason() == "ended by the judge"
    assert box.end().kind == "stopped"


def test_boxes_may_live_side_by_side(parent: Parent) -> None:
    with parent.box() as one, parent.box() as other:
        other.socket.sendall(b'{"source": "got.append(2)", "values": {}}\n')
        assert other.socket.makefile().readline() == "[2]\n"
        one.socket.sendall(b'{"source": "got.append(1)", "values": {}}\n')
        assert one.socket.makefile().readline() == "[1]\n"


def test_each_box_draws_its_own_numbers(parent: Parent) -> None:
    source = "import random, uuid; got += [str(random.random()), uuid.uuid4().hex]"
    drawn = [attempt_source(parent, source).got for _ in range(2)]
    assert drawn[0][0] != drawn[1][0] and drawn[0][1] != drawn[1][1]


def test_threads_and_loops_work_up_to_the_limit(parent: Parent) -> None:
    source = """
import asyncio, concurrent.futures
async def main():
    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        loop = asyncio.get_running_loop()
        return sum(await asyncio.gather(*(loop.run_in_executor(pool, int) for _ in range(100))))
got.append(asyncio.run(main()))
"""
    assert attempt_source(parent, source, Limits()).got == [0]


def test_the_judges_descriptors_and_environment_stay_out(parent: Parent) -> None:
    source = """
import os
for number in range(3, 300):
    try:
        os.fstat(number); got.append(number)
    except OSError:
        pass
got.append(sorted(os.environ))
"""
    os.environ["JUDGE_SECRET"] = "42"
    opened = [os.open("/dev/null", os.O_RDONLY) for _ in range(40)]
    for each in opened:
        os.set_inheritable(each, True)
    try:
        numbers = attempt_source(parent, source).got
    finally:
        del os.environ["JUDGE_SECRET"]
        for each in opened:
            os.close(each)
    # The channel is closed by nobody: the tester's reader holds it while the text runs.
    assert numbers[:-1] == [3]
    assert "JUDGE_SECRET" not in numbers[-1]


def test_a_lost_parent_is_started_again(parent: Parent) -> None:
    assert parent._sandbox is not None
    lost = parent._sandbox._process
    lost.kill()
    lost.wait()
    assert attempt_source(parent, "got.append('again')").got == ["again"]


def test_without_nested_namespaces_each_box_gets_a_sandbox() -> None:
    needed("bwrap")
    path = "/tmp/left"
    with warm(Bubblewrap(namespaces=False), child=TESTER) as parent:
        assert not parent.namespaces
        assert attempt(parent, "leftovers", path=path).got == []
        assert attempt(parent, "found_leftovers", path=path).got == []
        assert attempt(parent, "killing", pids=[os.getpid()]).got == []


def test_a_child_that_cannot_be_imported_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("import no_such_module")
    wanted = "did not start: ModuleNotFoundError: No module named 'no_such_module'"
    with pytest.raises(BoxError, match=wanted), warm(LimitsOnly(), child=tmp_path):
        pass


def test_what_a_child_prepares_is_there_in_each_box(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        "made = []\n"
        "def prepare():\n    made.append(1)\n"
        "def main(fd):\n    made.append(2)\n    print(made)\n"
    )
    with warm(strongest(), child=tmp_path) as parent:
        for _ in range(2):
            with parent.box() as box:
                assert box.wait(60)
            assert box.output() == "[1, 2]\n"


def test_a_judge_that_dies_leaves_nothing_behind() -> None:
    strongest()
    source = """
import os, signal
from graders.box import choose, warm
from graders.box.probe import TESTER
with warm(choose("auto"), child=TESTER) as parent, parent.box() as box:
    box.socket.sendall(b'{"attempt": "sleep", "values": {}}\\n')
    box.wait(0.1)
    print(parent._sandbox._process.pid, parent._folder.path, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    command = [sys.executable, "-c", source]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as judge:
        assert judge.stdout is not None
        number, folder = judge.stdout.readline().split()
        sandbox = int(number)
        assert judge.wait(60) == -signal.SIGKILL
    ended = os.pidfd_open(sandbox) if Path(f"/proc/{sandbox}").exists() else None
    if ended is not None:
        import select

        poll = select.poll()
        poll.register(ended, select.POLLIN)
        assert poll.poll(60_000), "the sandbox outlived the judge"
        os.close(ended)
    # A killed judge removes no folder; the next one does, and spares those that are in use.
    used = Folder()
    Folder().close()
    assert not Path(folder).exists() and used.path.exists()
    used.close()
    assert not used.path.exists()


def test_limits_are_checked() -> None:
    for wrong in ({"memory_bytes": 0}, {"cpu_seconds": float("nan")}, {"wall_seconds": -1}):
        with pytest.raises(ConfigurationError, match=f"limit {next(iter(wrong))} must be above 0"):
            Limits(**wrong)


def test_no_box_for_others_work_without_walls() -> None:
    with pytest.raises(ConfigurationError, match="for your own work only"):
        choose("none")
    assert choose("none", own_work=True).name == "none"


def test_an_unknown_box_is_named() -> None:
    with pytest.raises(ConfigurationError, match="no box is called 'docker'"):
        choose("docker")  # type: ignore[arg-type]


def test_without_bubblewrap_the_choice_falls_on_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert "apt-get install bubblewrap" in bwrap.available()
    with pytest.raises(ConfigurationError, match="bubblewrap is not installed"):
        choose("bwrap")
    if not landlock.available():
        assert choose("auto").name == "landlock"
    monkeypatch.setattr(choice.landlock, "available", lambda: "no Landlock here")
    with pytest.raises(ConfigurationError, match=r"no box works here .*no Landlock here"):
        choose("auto", own_work=True)


def test_an_unknown_processor_fails_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(ConfigurationError, match="x86_64 and aarch64"):
        on_linux("landlock")
    assert bwrap.available() and landlock.available()


def test_space_that_cannot_be_counted_is_endless(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 10_000)
    assert 10_000 <= space.in_folder(str(tmp_path)) < 100_000
    deep = tmp_path
    for _ in range(40):
        deep /= "d"
        deep.mkdir()
    assert space.in_folder(str(tmp_path)) == float("inf")
