"""`check` says one line, whatever the code inside does."""

import asyncio
import contextlib
import io
import json
import linecache
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from course import clock
from course.errors import ConfigurationError
from course.notebook import CheckFailed, NotAttempted, check, ledger
from graders.exercises import play


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, as beside a notebook that was just opened."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SWITCHBOARD_STATE", str(tmp_path))
    monkeypatch.setattr(ledger, "_seen", {})
    return tmp_path


def outcome(body: Callable[[], object], title: str = "1.2 adds up", seconds: float = 5) -> str:
    """Run `body` in a check and return its line, the way a notebook shows it."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), check(title, seconds=seconds):
            body()
    except (CheckFailed, NotAttempted) as verdict:
        [line] = verdict._render_traceback_()
        assert printed.getvalue() == ""
        return line
    return printed.getvalue()


def raiser(trouble: BaseException) -> Callable[[], object]:
    def body() -> object:
        raise trouble

    return body


def test_a_pass_prints_one_line_and_nothing_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    with check("1.2 adds up"):
        pass
    assert capsys.readouterr() == ("✓ 1.2 adds up — passed\n", "")


@pytest.mark.parametrize(
    ("trouble", "line"),
    [
        (AssertionError("expected 3,\n got 2"), "✗ 1.2 adds up — not yet: expected 3, got 2"),
        (NotImplementedError(), "○ 1.2 adds up — not attempted yet"),
        (
            NotImplementedError("Exercise 1.2 not attempted yet"),
            "○ 1.2 adds up — not attempted yet",
        ),
        (
            NotImplementedError("Exercise 1.1 not attempted yet"),
            "○ 1.2 adds up — needs exercise 1.1, not attempted yet",
        ),
        (SystemExit(3), "✗ 1.2 adds up — not yet: SystemExit: 3"),
        (
            ExceptionGroup("tasks", [ExceptionGroup("inner", [AssertionError("expected 1")])]),
            "✗ 1.2 adds up — not yet: expected 1",
        ),
    ],
)
def test_each_outcome_is_one_line(trouble: BaseException, line: str) -> None:
    assert outcome(raiser(trouble)).startswith(line)


def wrapped_in_another(words: str, *, told: bool) -> Exception:
    """An error that somebody raises who met a stub: from it, or without a word of it."""
    try:
        try:
            raise NotImplementedError(words)
        except NotImplementedError as error:
            raise ValueError("no pattern") from (error if told else None)
    except ValueError as error:
        return error


@pytest.mark.parametrize("number", ["1.2", "1.1"])
@pytest.mark.parametrize("told", [True, False])
def test_a_stub_is_known_whatever_its_error_is_wrapped_in(number: str, told: bool) -> None:
    inner = wrapped_in_another(f"Exercise {number} not attempted yet", told=told)
    line = f"○ 1.2 adds up — {'' if number == '1.2' else f'needs exercise {number}, '}not attempted"
    for trouble in (
        inner,
        ExceptionGroup("tasks", [inner]),
        ExceptionGroup("tasks", [KeyError("a"), ExceptionGroup("inner", [inner])]),
    ):
        assert outcome(raiser(trouble)).startswith(line)


def test_an_error_that_names_no_exercise_is_no_stub() -> None:
    inner = wrapped_in_another("abstract", told=True)
    assert outcome(raiser(inner)).startswith("✗ 1.2 adds up — not yet: ValueError: no pattern")


def test_errors_that_lead_to_each_other_end() -> None:
    first, second = ValueError("one"), ValueError("two")
    first.__cause__, second.__cause__ = second, first
    assert outcome(raiser(first)).startswith("✗ 1.2 adds up — not yet: ValueError: one")


def test_an_assert_without_words_shows_itself() -> None:
    # As a cell is compiled: pytest would rewrite an assert written out here.
    source = "def body():\n    assert (1 +\n        1 == 3)\n"
    linecache.cache["<cell>"] = (len(source), None, source.splitlines(keepends=True), "<cell>")
    names: dict[str, Callable[[], object]] = {}
    exec(compile(source, "<cell>", "exec"), names)
    assert outcome(names["body"]).endswith("this does not hold: assert (1 + 1 == 3)")


def test_an_exception_names_the_line_of_the_student() -> None:
    def answer() -> None:
        {}["a"]

    line = outcome(answer)
    assert "KeyError: 'a'" in line
    assert line.endswith('{}["a"])')


def test_a_missing_name_is_told_with_its_line_and_says_to_run_the_cells_above() -> None:
    def answer() -> object:
        return undefined_name  # noqa: F821

    line = outcome(answer)
    assert "(in the check: return undefined_name #" in line
    assert "Run All Above Selected Cell" in line


def test_input_ends_at_once_and_works_again_afterwards() -> None:
    before = input
    line = outcome(lambda: input("who?"))
    assert "EOFError: input() has nobody to ask in a check" in line
    assert input is before


def test_a_long_message_is_cut() -> None:
    assert len(outcome(raiser(ValueError("x" * 100_000)))) < 600


def test_the_stop_button_is_left_alone() -> None:
    with pytest.raises(KeyboardInterrupt), check("1.2 adds up"):
        raise KeyboardInterrupt


def test_a_check_inside_a_check_speaks_for_itself() -> None:
    with pytest.raises(CheckFailed, match="inner"), check("1.2 outer"), check("1.2 inner"):
        raise AssertionError("no")


def test_a_verdict_carries_no_exception_group_along() -> None:
    """IPython prints a traceback to stderr, and sends no error, when it finds one in it."""
    with pytest.raises(CheckFailed) as caught, check("1.2 adds up"):
        raise ExceptionGroup("tasks", [ValueError("no")])
    assert caught.value.__context__ is None


# Hanging. The limits are short; what is tested is that the check comes back at all.


def spin() -> None:
    while True:
        pass


async def aspin() -> None:
    spin()


async def stubborn() -> None:
    while True:
        with contextlib.suppress(Exception):
            spin()


HANGS: dict[str, Callable[[], object]] = {
    "loop": spin,
    "lock": lambda: threading.Event().wait(),
    "coroutine": lambda: asyncio.run(aspin()),
    "sleep": lambda: asyncio.run(asyncio.sleep(1000)),
    "swallows exceptions": lambda: asyncio.run(stubborn()),
    "virtual time": lambda: clock.simulate(aspin()),
}


@pytest.mark.parametrize("name", HANGS)
def test_what_hangs_is_stopped(name: str) -> None:
    assert outcome(HANGS[name], seconds=0.2).endswith("not yet: still running after 0.2 s")


def in_a_cell(body: Callable[[], object]) -> str:
    """Run `body` awaited inside a check on a loop that goes on afterwards, like a kernel's."""

    async def cell() -> str:
        try:
            with check("1.2 adds up", seconds=0.2):
                await body()  # type: ignore[misc]
        except CheckFailed as verdict:
            return str(verdict)
        return "passed"

    async def kernel() -> str:
        line = await asyncio.create_task(cell())
        await asyncio.sleep(0)  # the loop is still alive
        return line

    return asyncio.run(kernel())


async def spin_beside() -> None:
    await asyncio.gather(aspin(), asyncio.sleep(1000))


async def wait_for_ever() -> None:
    await asyncio.Event().wait()


async def spin_in_virtual_time() -> None:
    threads = threading.active_count()
    try:
        clock.simulate(
            aspin()
        )  # from within a running loop, as in a kernel: in a thread of its own
    finally:
        assert threading.active_count() == threads


@pytest.mark.parametrize(
    "body", [aspin, stubborn, spin_beside, wait_for_ever, spin_in_virtual_time]
)
def test_a_cell_that_awaits_for_ever_is_stopped(body: Callable[[], object]) -> None:
    assert in_a_cell(body).endswith("still running after 0.2 s")


def test_the_alarm_is_given_back() -> None:
    before = signal.getsignal(signal.SIGALRM)
    outcome(lambda: None)
    outcome(raiser(ValueError()))
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_cancelled_cell_is_not_called_hanging() -> None:
    async def cell() -> None:
        with check("1.2 adds up"):
            await asyncio.sleep(1000)

    async def kernel() -> None:
        task = asyncio.create_task(cell())
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(kernel())


def test_a_check_works_outside_the_main_thread() -> None:
    lines: list[str] = []
    thread = threading.Thread(target=lambda: lines.append(_verdict_in_thread()))
    thread.start()
    thread.join()
    assert lines == ["✗ 1.2 adds up — not yet: no"]


def _verdict_in_thread() -> str:
    try:
        with check("1.2 adds up"):
            raise AssertionError("no")
    except CheckFailed as verdict:
        return str(verdict)


# The ledger.


def test_tries_and_outcomes_are_counted(desk: Path) -> None:
    for trouble in (AssertionError("a"), AssertionError("b"), NotImplementedError()):
        outcome(raiser(trouble))
    outcome(lambda: None, title="1.2 and more")
    standing = ledger.load()["1.2"]
    assert standing.tries == 2
    assert standing.last == {"adds up": "not attempted", "and more": "passed"}
    assert standing.lately() == "not attempted"
    assert standing.lately(["and more"]) == "passed"


def test_a_run_of_several_checks_is_one_try(desk: Path) -> None:
    with pytest.raises(CheckFailed):
        play("7.3", lambda plan, seconds=None: {})
    standing = ledger.load()["7.3"]
    assert list(standing.last.values()) == ["failed"] * 3
    assert standing.tries == 1


def test_a_title_without_a_number_is_not_counted(desk: Path) -> None:
    outcome(lambda: None, title="the demonstration works")
    assert list(desk.iterdir()) == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b'{"version": 9}',
        b'{"version": 1, "exercises": {"1.2": {"tries": 0, "checks": {}}}}',
        b'{"version": 2, "exercises": {"1.2": 3}}',
        b'{"version": 2, "exercises": {"1.2": {"tries": 1, "last": {}, "best": {"a": "maybe"}}}}',
        b'{"version": 2, "exercises": {"1.2": {"tries": 1, "la',
    ],
)
def test_a_damaged_or_foreign_ledger_is_put_aside(
    desk: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (desk / ledger.NAME).write_bytes(content)
    (desk / f"{ledger.NAME}.aside-1").write_text("another that was put aside before")
    with check("1.2 adds up"):
        pass
    first, second = capsys.readouterr().out.splitlines()
    assert "starts anew" in first
    assert second == "✓ 1.2 adds up — passed"
    assert ("of another version" in first) == (content.startswith(b'{"version": 1'))
    assert (desk / f"{ledger.NAME}.aside-2").read_bytes() == content
    assert (desk / f"{ledger.NAME}.aside-1").read_text().startswith("another")
    assert ledger.load()["1.2"].outcome() == "passed"


def test_the_best_run_is_kept_and_the_last_stands_beside_it(desk: Path) -> None:
    ledger.record("1.2", {"a": "failed", "b": "passed"})
    ledger.record("1.2", {"a": "passed", "b": "failed"})  # no run passed both
    assert ledger.load()["1.2"].outcome() == "failed"
    ledger.record("1.2", {"a": "passed", "b": "passed"})
    ledger.record("1.2", {"a": "not attempted", "b": "not attempted"})
    standing = ledger.load()["1.2"]
    assert (standing.outcome(), standing.lately(), standing.tries) == ("passed", "not attempted", 2)


def test_two_that_note_at_once_lose_nothing(desk: Path) -> None:
    def note(chapter: int) -> None:
        for number in range(20):
            ledger.record(f"{chapter}.{number}", {"a": "passed"})

    both = [threading.Thread(target=note, args=(chapter,)) for chapter in (1, 2)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    book = json.loads((desk / ledger.NAME).read_text(encoding="utf-8"))
    assert len(book["exercises"]) == 40


def test_progress_is_taken_along_and_taken_over(
    desk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.record("1.2", {"a": "passed"})
    ledger.record("1.3", {"a": "failed"})
    taken = desk / "mine.json"
    ledger.export_progress(taken)
    with pytest.raises(ConfigurationError, match="cannot be written"):
        ledger.export_progress(taken)
    monkeypatch.setattr(ledger, "_seen", {})
    (desk / ledger.NAME).unlink()
    ledger.record("1.2", {"a": "failed"})
    ledger.record("1.4", {"a": "passed"})
    ledger.import_progress(taken)
    said = {number: (each.outcome(), each.lately()) for number, each in ledger.load().items()}
    assert said == {
        "1.2": ("passed", "failed"), "1.3": ("failed", "failed"), "1.4": ("passed", "passed")
    }  # fmt: skip
    assert capsys.readouterr().out.count("2 exercises, 1 of them passed") == 2


@pytest.mark.parametrize(
    ("text", "why"), [("{", "is damaged"), ('{"version": 7, "exercises": {}}', "another version")]
)
def test_a_file_that_cannot_be_taken_over_changes_nothing(desk: Path, text: str, why: str) -> None:
    (desk / "theirs.json").write_text(text)
    ledger.record("1.2", {"a": "passed"})
    with pytest.raises(ConfigurationError, match=why):
        ledger.import_progress(desk / "theirs.json")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        ledger.import_progress(desk / "nowhere.json")
    assert ledger.load()["1.2"].outcome() == "passed"


def test_a_folder_that_cannot_be_written_loses_no_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWITCHBOARD_STATE", "/proc/nowhere")
    assert outcome(lambda: None) == "✓ 1.2 adds up — passed\n"
    assert outcome(raiser(AssertionError("no"))).startswith("✗")
    assert ledger.load()["1.2"].tries == 1


def test_the_grader_keeps_its_own_book(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    outcome(lambda: None)
    assert list(desk.iterdir()) == []


def test_the_ledger_is_plain_json(desk: Path) -> None:
    outcome(lambda: None)
    book = json.loads((desk / ledger.NAME).read_text(encoding="utf-8"))
    assert book == {
        "version": 2,
        "exercises": {
            "1.2": {"tries": 0, "last": {"adds up": "passed"}, "best": {"adds up": "passed"}}
        },
    }


@pytest.fixture(autouse=True)
def alarms_off() -> Iterator[None]:
    """A test that goes wrong must not leave an alarm to the next."""
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
