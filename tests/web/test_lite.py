"""What makes the course run in a browser's tab, part by part; `test_tab.py` has the whole."""

import asyncio
import errno
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import rpds

from course import tab
from course.extras import need
from course.notebook import in_tab, ledger
from tests.house.test_locks import pins
from tests.notebooks import kit
from web.lite import rpds as ours
from web.lite.__main__ import FILES, LIST, with_pyodide
from web.lite.wheels import PLATFORM, entered


def wheel(folder: Path, name: str, requires: tuple[str, ...] = ()) -> Path:
    """A wheel with one module, which needs others."""
    path = folder / f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0"]
    lines += [f"Requires-Dist: {each}" for each in requires]
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(f"{name.replace('-', '_')}/__init__.py", "")
        packed.writestr(f"{name}-1.0.dist-info/METADATA", "\n".join(lines))
    return path


@pytest.mark.parametrize("base", ["https://host.example/full/", ""])
def test_a_list_has_our_wheels_beside_it_and_its_own_where_they_are(
    tmp_path: Path, base: str
) -> None:
    lock: dict[str, Any] = {
        "info": {"version": "1"},
        "packages": {
            "pandas": {"file_name": "pandas.whl", "depends": ["numpy"]},
            "anyio": {"file_name": "anyio.whl", "depends": []},
        },
    }
    asked = ("anyio", "elsewhere", "nbformat; extra == 'lab'", "winonly; sys_platform == 'win32'")
    course = wheel(tmp_path, "switchboard-course", asked)
    others = [wheel(tmp_path, name) for name in ("anyio", "nbformat", "winonly")]
    made = entered(lock, [course, *others], base)
    assert made["info"] == lock["info"]
    packages = made["packages"]
    assert packages["pandas"]["file_name"] == f"{base}pandas.whl"
    assert packages["pandas"]["depends"] == ["numpy"]
    assert packages["anyio"]["file_name"] == others[0].name  # ours, in the place of theirs
    assert set(packages["switchboard-course"]["depends"]) == {"anyio", "nbformat"}
    assert packages["switchboard-course"]["imports"] == ["switchboard_course"]


def test_a_folder_with_pyodide_is_all_that_a_site_asks(tmp_path: Path) -> None:
    folder, target = tmp_path / "pyodide", tmp_path / "site"
    folder.mkdir()
    for name in FILES:
        (folder / name).write_text(name)
    there = wheel(folder, "numpy")
    packages = {"numpy": {"file_name": there.name, "depends": []},
                "scipy": {"file_name": "scipy.whl", "depends": ["numpy"]}}  # fmt: skip
    info = {"abi_version": "2026_0", "arch": "wasm32", "python": "3.14.2"}
    lock = {"info": info, "packages": packages}
    (folder / LIST).write_text(json.dumps(lock))
    course = wheel(tmp_path, "switchboard-course")
    with_pyodide(target, folder, [course], "")
    told = json.loads((target / LIST).read_text())["packages"]
    files = {each["file_name"] for each in told.values()}
    assert files == {there.name, course.name}
    assert {path.name for path in target.iterdir()} == {*files, *FILES, LIST}
    (folder / LIST).write_text(json.dumps({**lock, "info": {**info, "abi_version": "2025_0"}}))
    with pytest.raises(ValueError, match=f"is pyemscripten_2025_0_wasm32; wanted is {PLATFORM}"):
        with_pyodide(tmp_path / "other", folder, [course], "")


def test_a_tab_runs_the_versions_of_the_lock() -> None:
    here, there = pins(kit.ROOT / "web/lite/requirements.txt"), pins(kit.ROOT / "requirements.lock")
    assert len(here) > 30
    assert {name: v for name, v in here.items() if name in there and not v <= there[name]} == {}


def test_the_stand_in_for_rpds_does_what_rpds_does() -> None:
    for room in (rpds, ours):
        whole = room.HashTrieMap({"a": 1})
        more = whole.insert("b", 2).update({"c": 3})
        assert (dict(whole), dict(more.remove("a"))) == ({"a": 1}, {"b": 2, "c": 3})
        assert room.HashTrieMap.convert(more) is more
        assert hash(room.HashTrieMap.convert({"a": 1})) == hash(whole)
        with pytest.raises(KeyError):
            whole.remove("z")
        few = room.HashTrieSet([1]).insert(2).update([3]).remove(1)
        assert (set(few), 1 in few) == ({2, 3}, False)
        line = room.List([2, 3]).push_front(1)
        assert (list(line), line.first, list(line.rest)) == ([1, 2, 3], 1, [2, 3])


async def _after(seconds: float, said: str) -> str:
    await asyncio.sleep(seconds)
    return said


def test_a_loop_without_sockets_runs_within_another_which_then_goes_on() -> None:
    async def page() -> tuple[str, ...]:
        own = asyncio.create_task(_after(0, "page"))

        async def both() -> list[str]:
            return [*await asyncio.gather(_after(0.002, "late"), _after(0, "soon"))]

        def run() -> list[str]:
            with asyncio.Runner(loop_factory=tab.DeafLoop) as runner:
                return runner.run(both())

        found = tab.within(run)
        assert not own.done()  # the page's loop stood still
        return *found, await own

    assert asyncio.run(page()) == ("late", "soon", "page")


def test_whatever_happens_within_the_page_has_its_loop_again() -> None:
    async def page() -> bool:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        with pytest.raises(ZeroDivisionError):
            tab.within(lambda: 1 // 0)
        return asyncio.get_running_loop() is loop and asyncio.current_task() is task

    assert asyncio.run(page())


def test_a_task_that_waits_for_ever_is_told() -> None:
    async def nothing() -> None:
        await asyncio.get_running_loop().create_future()

    loop = tab.DeafLoop()
    waits = loop.create_task(nothing())
    with pytest.raises(RuntimeError, match="waits for ever"):
        loop.run_until_complete(waits)
    waits.cancel()
    loop.run_until_complete(asyncio.gather(waits, return_exceptions=True))
    loop.close()


class Kernel:
    """A tab's kernel, shell and page, as far as an error is shown with them."""

    def __init__(self, *lacks: str) -> None:
        self.kernel = self.display_pub = self
        self.lacks = list(lacks)
        self.shown: list[str] = []

    async def run(self, code: str) -> in_tab.Ran:
        if self.lacks:
            return {"status": "error", "traceback": [in_tab.lacking(self.lacks[0])]}
        if code == "right":
            return {"status": "ok", "payload": [1]}
        return {"status": "error", "traceback": ["a", "b"], "payload": []}

    def publish(self, data: dict[str, str]) -> None:
        self.shown.append(data["text/plain"])

    def clear_output(self) -> None:
        self.shown.append("cleared")

    async def load(self, module: str) -> bool:
        """Bring it, unless it is nowhere."""
        if module != "nowhere" and module in self.lacks:
            self.lacks.remove(module)
        return module != "nowhere"


def test_an_error_in_a_tab_is_shown_once_and_stops_no_other_cell() -> None:
    shell = Kernel()
    for _ in range(2):  # the first cell may be run again
        in_tab.go_on(shell, shell.load)
    assert asyncio.run(shell.kernel.run("right")) == {"status": "ok", "payload": [1]}
    assert shell.shown == []
    assert asyncio.run(shell.kernel.run("wrong")) == {"status": "ok", "payload": []}
    assert shell.shown == ["a\nb"]


@pytest.mark.parametrize(
    ("lacks", "shown"),
    [
        (("scipy", "sklearn"), ["cleared", "cleared"]),
        (("scipy", "nowhere"), ["cleared", f"No module named 'nowhere': {in_tab.NOT_LOADED}"]),
    ],
)
def test_what_a_cell_lacks_is_loaded_and_the_cell_run_again(
    lacks: tuple[str, ...], shown: list[str]
) -> None:
    shell = Kernel(*lacks)
    in_tab.go_on(shell, shell.load)
    assert asyncio.run(shell.kernel.run("right"))["status"] == "ok"
    assert shell.shown == shown


@pytest.mark.parametrize(
    ("module", "said"),
    [("matplotlib.pyplot", in_tab.NOT_LOADED), ("livekit.agents", in_tab.ON_A_COMPUTER)],
)
def test_what_is_missing_in_a_tab_is_told_in_a_line(module: str, said: str) -> None:
    told = in_tab.lacking(module)
    assert told == f"No module named {module!r}: {said}"
    assert "\n" not in told


def test_a_module_is_absent_where_it_is_imported_or_needed_and_in_no_other_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = []
    monkeypatch.delitem(sys.modules, "course.voice", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)  # as where it is not installed
    bodies = ("import no_such_a", "need('no_such_b.c')", "import course.voice", "1 // 0")
    for body in bodies:
        try:
            exec(body, {"need": need})
        except Exception as trouble:
            found.append(in_tab.absent(trouble))
    assert found == ["no_such_a", "no_such_b", "livekit", ""]


@pytest.mark.parametrize(
    ("mine", "told"),
    [
        ('{"metadata": {"switchboard": {"release": "0.1"}}}', True),
        ('{"metadata": {"switchboard": {"release": "9"}}}', False),
        ('{"metadata": {}}', False),
        ('{"metadata": {"swi', False),
    ],
)
def test_a_copy_of_another_release_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    mine: str,
    told: bool,
) -> None:
    ours = json.dumps({"metadata": {"switchboard": {"release": "9"}}})
    for folder, text in (("kept", mine), ("released", ours)):
        chapter = tmp_path / folder / "03_x"
        chapter.mkdir(parents=True)
        (chapter / "03_x.ipynb").write_text(text)
    monkeypatch.chdir(tmp_path / "kept" / "03_x")
    monkeypatch.setattr(in_tab, "RELEASED", tmp_path / "released")
    in_tab.settle(None)
    said = capsys.readouterr().out
    assert ("is of release 0.1, and this page of 9" in said) is told
    assert said.startswith(in_tab.HERE)


@pytest.mark.parametrize(("number", "told"), [(errno.ENOSPC, True), (errno.EROFS, False)])
def test_progress_without_room_is_remembered_and_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    number: int,
    told: bool,
) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(number, "it cannot be")

    monkeypatch.setenv("SWITCHBOARD_STATE", str(tmp_path))
    monkeypatch.setattr(ledger, "_seen", {})
    monkeypatch.setattr(Path, "write_text", full)
    ledger.record("90.1", {"works": "passed"})
    assert ("No room is left" in capsys.readouterr().out) is told
    assert ledger.load()["90.1"].outcome() == "passed"
