"""Progress, solutions, traces, the ask box and the first cell."""

import asyncio
import html
import os
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from IPython.core.events import EventManager, available_events
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from course import clock, notebook
from course.notebook import (
    asking,
    exercises,
    ledger,
    overlooked,
    playing,
    show,
    solutions,
    starting,
)
from course.notebook.timeline import MOST_LANES, timeline
from course.trace import CAPTURE_VARIABLE, Trace, span
from course.viewer.picture import picture_of
from course.viewer.still import still
from tests.hostile import tags
from tests.notebooks import kit, lints


@pytest.fixture
def chapter(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A student's copy of the fixture course; the folder of its chapter is where we are."""
    copied = tmp_path / "copy"
    shutil.copytree(course, copied, ignore=shutil.ignore_patterns(".git", ".progress*"))
    monkeypatch.setattr(ledger, "_seen", {})
    monkeypatch.delenv("SWITCHBOARD_STATE")
    monkeypatch.chdir(copied / "notebooks" / kit.CHAPTER)
    return copied


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What a notebook would be given to show."""
    bundles: list[dict[str, Any]] = []
    monkeypatch.setattr(show, "in_notebook", lambda: True)
    monkeypatch.setattr("IPython.display.display", lambda bundle, raw: bundles.append(bundle))
    return bundles


def trace(*, models: int = 1) -> Trace:
    made = Trace('front <desk> & "co"')

    async def work() -> None:
        with span("invoke_agent", "front desk"):
            for _ in range(models):
                with span("chat", "small", {"gen_ai.usage.input_tokens": 7}) as step:
                    step.event("first token")
                    await asyncio.sleep(1.25)
            with span("execute_tool", "find_patient") as step:
                step.fail("no <such> patient")

    with made.record():
        clock.simulate(work())
    return made


# Progress.


def test_progress_shows_every_exercise_with_sign_and_word(
    chapter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger.record("90.1", {"doubles": "passed"})
    ledger.record("90.1", {"doubles": "failed"})
    ledger.record("90.2", {"squares": "failed"})
    notebook.progress()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines] == [
        ["exercise", "best", "last,", "if", "another", "tries", "points"],
        ["90.1", "✓", "passed", "✗", "not", "yet", "1", "2"],
        ["90.2", "✗", "not", "yet", "1", "3"],
        ["1", "of", "2", "exercises", "pass", "their", "visible", "checks"],
    ]


def test_progress_is_a_table_in_a_notebook(chapter: Path, shown: list[dict[str, Any]]) -> None:
    notebook.progress()
    [bundle] = shown
    assert bundle["text/html"].count(">○ not attempted</td>") == 2
    assert bundle["text/html"].count('<th scope="col"') == 5


def test_progress_forgets_checks_that_a_new_release_dropped(chapter: Path) -> None:
    ledger.record("90.1", {"a check of last year": "failed"})
    ledger.record("90.1", {"doubles": "passed"})
    [first, _] = exercises.exercises(chapter / "notebooks")
    assert ledger.load()["90.1"].outcome(first.titles) == "passed"


def test_progress_without_any_chapter_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(exercises, "REPOSITORY", tmp_path)
    notebook.progress()
    assert "no exercises here yet" in capsys.readouterr().out


@pytest.mark.parametrize("quote", ["'", '"'])
def test_titles_are_read_from_check_cells(quote: str) -> None:
    title = "under the call's id" if quote == '"' else 'says "no"'
    found = exercises.TITLE.findall(f"with check({quote}1.2 {title}{quote}):")
    assert found == [(quote, "1.2", title)]


# Solutions.


def test_the_solution_opens_after_three_tries(
    chapter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for left in ("3 more tries", "2 more tries", "1 more try"):
        notebook.show_solution("90.1")
        assert left in capsys.readouterr().out
        ledger.record("90.1", {"doubles": "failed"})
    notebook.show_solution("90.1")
    code = capsys.readouterr().out
    assert "return 2 * x" in code
    assert "SOLUTION" not in code


def test_the_solution_opens_after_success(chapter: Path, shown: list[dict[str, Any]]) -> None:
    ledger.record("90.2", {"squares": "passed"})
    notebook.show_solution("90.2")
    [bundle] = shown
    assert bundle["text/markdown"].startswith("````python\nasync def square")


def test_with_it_comes_why_and_what_differs_from_mine(
    chapter: Path, shown: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = chapter / "solutions" / solutions.WHY / "90.md"
    page.parent.mkdir()
    page.write_text("# Why\n\n## 90.1\n**Why so.** Twice.\n**Else.** Add.\n\n## 90.2\nSquares.\n")
    mine = 'def double(x: float) -> float:\n    """Return twice `x`."""\n    return x + x'
    cells = ["def double(x): return 1", mine, "def double(x"]
    monkeypatch.setattr(overlooked, "_cells_before", lambda: cells)
    ledger.record("90.1", {"doubles": "passed"})
    notebook.show_solution("90.1")
    said = shown[0]["text/markdown"]
    assert "**Why so.** Twice.\n\n**Else.** Add.\n\n````diff" in said and "Squares" not in said
    assert "-    return x + x\n+    return 2 * x" in said
    assert shown[0]["text/plain"].endswith("+    return 2 * x")


def test_an_answer_that_was_not_run_here_is_compared_with_nothing() -> None:
    assert overlooked.answered_in(["a = 1", "def f(): ..."], ["f", "g"]) == ""
    assert solutions.difference("", "x = 1") == ""
    assert "the same" in solutions.difference("x = 1", "x = 1")


@pytest.mark.parametrize("path", lints.notebooks("solutions"), ids=lambda path: path.stem)
def test_each_solution_has_a_commentary(path: Path) -> None:
    said = (path.parents[1] / solutions.WHY / f"{path.stem[:2]}.md").read_text(encoding="utf-8")
    page = re.findall(r"^## (\d+\.\d+)$", said, re.M)
    assert page == [
        e.number for e in exercises.exercises(path.parents[1]) if e.chapter == path.stem
    ]
    for number in page:
        parts = solutions.commentary(number, path.parents[1]).split("\n\n")
        heads = [part.split("**")[1] for part in parts]
        assert heads == ["Why so.", "What else would do.", "The nearest wrong answer."], number
        assert min(len(part.split()) for part in parts) > 5, number


def test_a_copy_without_solutions_says_so(
    chapter: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(chapter / "solutions")
    monkeypatch.setattr(exercises, "REPOSITORY", chapter)
    ledger.record("90.1", {"doubles": "passed"})
    notebook.show_solution("90.1")
    assert "no solutions in this copy" in capsys.readouterr().out


def test_an_exercise_that_is_not_there_is_named(
    chapter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger.record("90.9", {"nothing": "passed"})
    notebook.show_solution("90.9")
    assert "no exercise 90.9" in capsys.readouterr().out


# Traces.


class Balance(HTMLParser):
    """Counts open elements, and collects text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_alt_text_tells_the_run_in_words() -> None:
    text = notebook.alt_text(trace())
    assert "3 spans over 1.25 s" in text
    assert "model small 0.00 to 1.25 s" in text
    assert "Failed: tool find_patient." in text


def test_a_trace_is_shown_as_a_still_picture_and_a_table_where_nobody_watches(
    shown: list[dict[str, Any]],
) -> None:
    assert notebook.show_trace(trace()) is None  # type: ignore[func-returns-value]
    [bundle] = shown
    assert set(bundle) == {"text/html", "text/plain"}
    told = [about for tag, about in tags(bundle["text/html"]) if tag == "svg"]
    assert [each["role"] for each in told] == ["img"]
    assert "front desk" in told[0]["aria-label"]
    assert "<details><summary>" in bundle["text/html"]
    assert "find_patient" in bundle["text/plain"]


def test_two_traces_are_two_pictures_and_why_they_part(shown: list[dict[str, Any]]) -> None:
    notebook.show_trace(trace(), trace(models=3), said="the contract")
    [bundle] = shown
    assert [tag for tag, _ in tags(bundle["text/html"])].count("svg") == 2
    for words in ("the contract", "in B this comes"):
        assert words in bundle["text/html"]
        assert words in bundle["text/plain"]


def test_a_trace_is_played_where_somebody_watches(
    shown: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "watched", lambda: True)
    notebook.show_trace(trace())
    notebook.show_trace(trace(), trace(models=3), said="the contract")
    for bundle in shown:
        assert "application/vnd.jupyter.widget-view+json" in bundle
        assert "<svg" in bundle["text/html"]


def test_the_picture_of_a_run_is_the_same_each_time() -> None:
    pictures = {show.image(timeline(trace()), "alt") for _ in range(2)}
    assert len(pictures) == 1


def test_bars_differ_without_colour_and_carry_their_seconds() -> None:
    [axes] = timeline(trace()).axes
    assert [bar.get_hatch() for bar in axes.patches] == ["", "///", "xx"]
    assert [text.get_text() for text in axes.texts] == [" 1.25 s", " 1.25 s", " 0.00 s ✗"]
    assert [tick.get_text().strip() for tick in axes.get_yticklabels()] == [
        "agent front desk",
        "model small",
        "tool find_patient",
    ]


def test_a_long_trace_is_cut_in_the_figure() -> None:
    long = trace(models=MOST_LANES + 10)
    [axes] = timeline(long).axes
    assert len(axes.patches) == MOST_LANES
    assert "12 more spans" in axes.get_xlabel()


def test_the_still_picture_is_sound_html() -> None:
    parser = Balance()
    parser.feed(still(picture_of(trace())))
    assert parser.open == []
    assert "no <such> patient" in parser.text


def test_an_empty_trace_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    notebook.show_trace(Trace("quiet"))
    assert capsys.readouterr().out == "The trace of quiet is empty: nothing was recorded.\n"


def test_a_figure_needs_alt_text() -> None:
    from matplotlib.figure import Figure

    with pytest.raises(ValueError, match="alt text"):
        notebook.show_figure(Figure(), " ")


def test_a_figure_carries_its_alt_text(shown: list[dict[str, Any]]) -> None:
    from matplotlib.figure import Figure

    notebook.show_figure(Figure(), 'a "quoted" <sentence>')
    assert lints._tags_img(shown[0]["text/html"])[0][0] == 'a "quoted" <sentence>'


# The ask box.


def box(run_request: Any, request: str) -> tuple[tuple[dict[str, Any], ...], bool]:
    """Send one request; return what was shown and whether the button rests afterwards."""
    button, output = SimpleNamespace(disabled=False), SimpleNamespace(outputs=())

    async def press() -> None:
        asking._send(run_request, request, button, output)
        await asyncio.gather(*asking._running)

    asyncio.run(press())
    return output.outputs, button.disabled


async def echo(text: str) -> str:
    return f"you said <{text}>"


async def fail(text: str) -> str:
    raise ExceptionGroup("tasks", [ValueError("no\nsuch thing")])


@pytest.mark.parametrize(
    ("run_request", "request_text", "plain"),
    [
        (echo, " hello ", "you said <hello>"),
        (str.upper, "hello", "HELLO"),
        (fail, "hello", "✗ ValueError: no such thing"),
        (echo, "  ", "Type a request first."),
    ],
)
def test_a_request_is_answered(run_request: Any, request_text: str, plain: str) -> None:
    [shown], disabled = box(run_request, request_text)
    assert shown["data"]["text/plain"] == plain
    assert html.escape(plain) in shown["data"]["text/html"]
    assert not disabled


def test_while_a_request_is_answered_no_other_is_sent() -> None:
    button, output = SimpleNamespace(disabled=True), SimpleNamespace(outputs=())
    asking._send(echo, "hello", button, output)
    assert (output.outputs, asking._running) == ((), set())


def test_a_result_is_shown_with_its_trace() -> None:
    answer, picture = box(lambda _: SimpleNamespace(answer="done", trace=trace()), "go")[0]
    assert answer["data"]["text/plain"] == "done"
    assert "<svg" in picture["data"]["text/html"]


def test_without_widgets_one_line_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    notebook.ask_box(echo)
    assert capsys.readouterr().out == f"{asking.WITHOUT_WIDGETS}\n"


def test_in_a_notebook_the_box_has_a_plain_form(shown: list[dict[str, Any]]) -> None:
    notebook.ask_box(echo, example="Who is next?")
    assert shown[0]["text/plain"] == asking.WITHOUT_WIDGETS
    assert "application/vnd.jupyter.widget-view+json" in shown[0]


# The first cell.


def test_start_is_one_line_when_all_is_well(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "_finding", lambda name, version: "")
    notebook.start()
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith("Switchboard ")
    assert line.endswith(" · offline, simulated model, no key needed")


@pytest.mark.parametrize(("before", "after"), [(None, "true"), ("no_content", "no_content")])
def test_in_a_notebook_traces_carry_messages_unless_somebody_said_no(
    before: str | None, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CAPTURE_VARIABLE, before or "")  # so that it is as it was afterwards
    if before is None:
        monkeypatch.delenv(CAPTURE_VARIABLE)
    shell = SimpleNamespace(set_custom_exc=lambda kinds, handler: None)
    shell.events = EventManager(shell, available_events)
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    notebook.start()
    assert os.environ[CAPTURE_VARIABLE] == after


def test_start_names_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "_wanted", lambda: {"openai": "0.0.1", "pip": None, "nix9": None})
    notebook.start()
    out = capsys.readouterr().out
    assert "[FAIL] openai: " in out
    assert "[OK]   pip" in out
    assert "[FAIL] nix9: missing" in out
    assert "make lab" in out


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"COURSE_BACKEND": "endpoint"}, "without OPENAI_API_KEY"),
        (
            {"COURSE_BACKEND": "endpoint", "OPENAI_API_KEY": "sk-secret", "COURSE_MODEL": "big"},
            "endpoint: big answers, over the network",
        ),
    ],
)
def test_start_says_who_answers(
    environment: dict[str, str],
    told: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    notebook.start()
    out = capsys.readouterr().out
    assert told in out
    assert "sk-secret" not in out


def test_the_versions_wanted_are_those_of_the_project() -> None:
    wanted = starting._wanted()
    assert wanted["jupyterlab"]
    assert "pytest" not in wanted


def complaints(cell: NotebookNode) -> str:
    """What an executed cell wrote to stderr."""
    return "".join(each.text for each in cell.outputs if each.get("name") == "stderr")


STUB = 'NotImplementedError("Exercise 1.2 not attempted yet")'
WRAPPED = [
    f"raise {STUB}",
    f"try:\n    raise {STUB}\nexcept Exception as error:\n"
    "    raise ConfigurationError('a pattern breaks') from error",
    f"try:\n    raise {STUB}\nexcept Exception:\n    raise KeyError('a') from None",
    f"async def stub():\n    raise {STUB}\n\n\n"
    "async with asyncio.TaskGroup() as group:\n    group.create_task(stub())",
]


def test_an_unsolved_exercise_is_one_line_and_other_errors_are_whole(tmp_path: Path) -> None:
    book = kit.chapter()
    book.cells = [
        kit.by_id(book, "start"),
        new_code_cell("import asyncio\nfrom course.errors import ConfigurationError"),
        *(new_code_cell(source) for source in WRAPPED),
        new_code_cell('raise NotImplementedError("abstract")'),
        new_code_cell("{}['a']"),
        new_code_cell("raise ConfigurationError('no such model')"),
        new_code_cell("raise ExceptionGroup('tasks', [ValueError('a part')])"),
        new_code_cell("play('1.3', answer_calls)"),
        new_code_cell('play = print\nplay("1.3", answer_calls)'),
        new_code_cell("%not_a_magic"),
    ]
    for cell in book.cells[2:]:
        cell.metadata["tags"] = ["raises-exception"]
    ran = kit.execute(book, tmp_path)
    unsolved = ran.cells[2 : 2 + len(WRAPPED)]
    for [shown] in map(kit.errors, unsolved):
        assert shown.traceback == ["○ Exercise 1.2 not attempted yet"]
        assert shown.ename == "NotImplementedError"
        assert shown.evalue == "Exercise 1.2 not attempted yet"
    assert not any(map(complaints, unsolved))
    abstract, key, ours, group, missing, deleted, magic = ran.cells[2 + len(WRAPPED) :]
    for cell in (abstract, key):
        [other] = kit.errors(cell)
        assert len("".join(other.traceback).splitlines()) > 1
    [told] = kit.errors(ours)
    assert told.traceback == ["ConfigurationError: no such model"]
    assert "ValueError: a part" in complaints(group)  # IPython shows groups so
    assert "`%not_a_magic` not found" in complaints(magic)
    [undefined] = kit.errors(missing)
    assert "'play' is not defined: is it spelt right" in undefined.traceback[-1]
    assert "Run All Above Selected Cell" in undefined.traceback[-1]
    [lacks] = kit.errors(deleted)
    assert "'answer_calls' is not defined: run the cell that answers 1.3" in lacks.traceback[-1]
