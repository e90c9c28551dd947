"""Other people's words on the pages and in the widgets of who reads them: nothing runs or loads.

An instructor grades what was handed in, with those words in it, in nbgrader's formgrader.
"""

from __future__ import annotations

import csv
import json
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from nbformat import NotebookNode
from nbformat.v4 import (
    new_code_cell,
    new_markdown_cell,
    new_notebook,
    new_output,
    new_raw_cell,
)
from playwright.sync_api import Browser, Page, expect

from course.lab.report import report as lab_report
from graders import cli
from graders.chapters import released
from graders.classroom.gradebook import manual_scores, write_gradebook
from graders.classroom.grades import Grade
from graders.classroom.overview import write_overview
from graders.classroom.results import Result, Results
from graders.classroom.roster import folder_name
from graders.feedback import feedback_page
from graders.harmless import harmless
from graders.records.comparison import Comparison
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.verdict import Bar, not_yet, passed
from tests.browser.lab import RUN, Chapter, Server, serve
from tests.hostile import NAME, PAYLOADS, SLY
from tests.lab.folders import results
from tests.lab.frames import runs_table
from tests.notebooks import kit

pytestmark = pytest.mark.browser
PROJECT = "11_the_project"
TRIALS = (TrialVerdict(NAME, 2, passed(), NAME), TrialVerdict("plans first", 3, passed()))
RESULT = Result(
    "ada", PROJECT, report=Report("x.ipynb", PROJECT, (ExerciseReport("11.1", TRIALS),))
)
MATHJAX = "https://cdnjs.cloudflare.com/ajax/libs/mathjax/"  # formgrader's own page asks for it
LINKS = """root => [...document.querySelectorAll(root)].flatMap(each =>
    [...each.querySelectorAll('*:not(.anchor-link)')]).flatMap(each => [...each.attributes])
    .filter(one => /href|src|action|^data$|background|poster/.test(one.name))
    .map(one => one.value)"""
LIVE = """root => [...document.querySelectorAll(root)].flatMap(each =>
    [...each.querySelectorAll('*')]).flatMap(each => [
        ...(/^(script|iframe|style|meta|base|form|object|embed|svg)$/i.test(each.tagName)
            ? [each.tagName] : []),
        ...[...each.attributes].filter(one => /^on/i.test(one.name)).map(one => one.name)])"""


@dataclass
class Opened:
    """A page of which everything is known that it asks for; the browser finds no other host."""

    page: Page
    home: str
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("request", lambda request: self._note(request.url))

    def _note(self, address: str) -> None:
        if not address.startswith((self.home, "data:", "blob:", "file:")):
            self.asked.append(address)

    def elsewhere(self) -> list[str]:
        return [each for each in self.asked if not each.startswith(MATHJAX)]

    def marks(self) -> object:
        """What has run; asked for after a moment in which a picture can fail and a frame load."""
        self.page.wait_for_timeout(300)
        return self.page.evaluate("window.marks || []")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = kit.read(kit.ROOT / f"solutions/{PROJECT}/{PROJECT}.ipynb")
    return kit.make_course(tmp_path_factory.mktemp("hostile") / "course", source, PROJECT)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[Server]:
    hand_in(root)
    config = str(root / "graders")
    with serve(root, tmp_path_factory.mktemp("state"), JUPYTER_CONFIG_PATH=config) as running:
        yield running


@pytest.fixture
def opened(browser: Browser, server: Server) -> Iterator[Opened]:
    context = browser.new_context(extra_http_headers={"Authorization": f"token {server.token}"})
    yield Opened(context.new_page(), server.url)
    context.close()


def hand_in(root: Path) -> None:
    """A submission with every text in its memo, in cells of its own, and in outputs."""
    [chapter] = [each for each in released() if each.name == PROJECT]
    book = kit.read(kit.ROOT / f"notebooks/{PROJECT}/{PROJECT}.ipynb")
    memo = kit.by_id(book, "ex_11_memo")
    memo.source = "\n\n".join(["So it is **planned**.", *PAYLOADS.values(), "And *done*."])
    book.cells += [new_markdown_cell(each) for each in (PAYLOADS | SLY).values()]
    book.cells.append(new_raw_cell(PAYLOADS["raw"], metadata={"raw_mimetype": "text/html"}))
    book.cells += [new_code_cell(f"'''{each}'''") for each in PAYLOADS.values()]
    path = kit.write(book, root / "handed in.ipynb")
    (root / "build").mkdir()
    people = {"ada": {"first_name": NAME, "last_name": NAME, "email": NAME}}
    other = replace(RESULT, student=folder_name(NAME))  # shown, where a student has no name
    there = {each.key: path for each in (RESULT, other)}
    assert write_gradebook([RESULT, other], there, root / "build", people) == []
    shown = root / f"build/autograded/ada/{PROJECT}/{PROJECT}.ipynb"
    kit.write(harmless(with_outputs(kit.read(shown)), chapter.released), shown)


def with_outputs(book: NotebookNode) -> NotebookNode:
    """Outputs as `nbgrader autograde` leaves them, which runs what was handed in."""
    kinds = ("text/html", "text/markdown", "image/svg+xml", "application/javascript", "text/latex")
    for each in PAYLOADS.values():
        data = [{kind: each} for kind in kinds]
        widget = {"application/vnd.jupyter.widget-view+json": {"model_id": each}}
        outputs = [new_output("display_data", data=one) for one in [*data, widget]]
        outputs.append(new_output("stream", name="stdout", text=each))
        outputs.append(new_output("error", ename=each, evalue=each, traceback=[each]))
        book.cells.append(new_code_cell("1", outputs=outputs))
    book.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"a": "</script>"}}
    return book


def text_of_the_release() -> str:
    book = kit.read(kit.ROOT / f"notebooks/{PROJECT}/{PROJECT}.ipynb")
    return "\n".join(each.source for each in book.cells if each.cell_type == "markdown")


def test_formgrader_shows_what_was_handed_in_and_runs_none_of_it(opened: Opened) -> None:
    page = opened.page
    page.goto(f"{opened.home}formgrader/gradebook/{PROJECT}/{PROJECT}")
    page.get_by_role("link", name="Submission #1").click()
    expect(page.locator("input#ex_11_memo")).to_be_enabled()
    expect(page.locator("strong", has_text="planned")).to_be_visible()
    assert opened.marks() == []
    assert opened.elsewhere() == []
    assert page.url.startswith(f"{opened.home}formgrader/submissions/")
    inside = "#notebook-container .rendered_html, #notebook-container .output"
    links = page.evaluate(LINKS, inside)
    assert len(links) > 2
    kept = ("http://", "https://", "data:image/png;base64,")
    strange = [each for each in links if not each.startswith(kept)]
    assert {each for each in strange if f"]({each})" not in text_of_the_release()} == set()
    assert page.evaluate(LIVE, inside) == []
    expect(page.locator("#notebook-container").last).to_contain_text("<script>")  # to be read
    for link in page.locator("#notebook-container details").all():
        link.evaluate("each => { each.open = true }")
    page.goto(f"{opened.home}formgrader/gradebook/{PROJECT}/{PROJECT}")
    page.get_by_role("link", name="Submission #2").click()
    expect(page.locator("input#ex_11_memo")).to_be_enabled()
    assert (opened.marks(), opened.elsewhere()) == ([], [])
    for place in ("formgrader/manage_students", "formgrader/manage_students/ada"):
        page.goto(opened.home + place)
        expect(page.locator("td a").first).to_be_visible()
        assert (opened.marks(), opened.elsewhere()) == ([], [])
    for place in ("manage_students/{}", "manage_students/{}/x", "gradebook/{}", "gradebook/{}/x",
                  "manage_submissions/{}"):  # fmt: skip
        told = quote('";top.marks=[1];//' + NAME, safe="")  # as a link could say it
        page.goto(f"{opened.home}formgrader/{place.format(told)}")
        assert opened.marks() == []


def asked(server: Server, path: str) -> str:
    """What formgrader answers."""
    request = urllib.request.Request(
        f"{server.url}formgrader/{path}", headers={"Authorization": f"token {server.token}"}
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        return str(answer.read().decode())


def adas(server: Server, path: str) -> dict[str, Any]:
    [found] = [each for each in json.loads(asked(server, path)) if each["student"] == "ada"]
    return dict(found)


def test_the_formgrader_lists_the_chapters(server: Server) -> None:
    [chapter] = json.loads(asked(server, "api/assignments"))
    assert chapter["name"] == PROJECT
    assert chapter["source_path"] == f"solutions/{PROJECT}"


def test_a_memo_graded_in_formgrader_is_in_the_table(
    opened: Opened, root: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = adas(server, f"api/submissions/{PROJECT}")
    book = adas(server, f"api/submitted_notebooks/{PROJECT}/{PROJECT}")
    address = f"submissions/{book['id']}/"
    shown = asked(server, address)
    opened.page.goto(f"{server.url}formgrader/{address}")
    grade_by_typing(opened.page, {"ex_11_memo": 9, "ex_11_reflection": 4})
    assert submission["score"] == 5
    assert submission["needs_manual_grade"]  # memo and reflection, which nobody read yet
    assert "plans first" in shown
    assert "/ 12" in shown or "12.0" in shown
    scores = manual_scores(root / "build").items()
    given = {cell: points for (student, _, cell), (points, _) in scores if student == "ada"}
    assert (given["ex_11_memo"], given["ex_11_reflection"]) == (9, 4)
    Results(root / "build").settle([RESULT])
    monkeypatch.chdir(root)
    assert cli.main(["publish"]) == 0
    [row] = csv.DictReader((root / "build/grades.csv").read_text().splitlines())
    assert [float(row[name]) for name in ("raw", "manual", "final")] == [5, 13, 18]


def grade_by_typing(page: Page, points: dict[str, int]) -> None:
    """Type points where a submission is shown, as a person does."""
    # Its boxes are enabled long before anything hears what is typed into them.
    page.wait_for_function("window.formgrader?.grades?.loaded", timeout=RUN)
    for cell, given in points.items():
        box = page.locator(f"input#{cell}")
        with page.expect_response(
            lambda answer: "/api/grade/" in answer.url and answer.request.method == "PUT"
        ) as answered:
            box.fill(str(given))
            box.press("Tab")
        assert answered.value.ok


# -- what researchers and students look at -----------------------------------------------------

WORDS = f"""\
import asyncio
from types import SimpleNamespace
from course import Agent, clock
from course.approval import Question, ask_approval
from course.drawing import image
from course.markup import fill, joined
from course.notebook import (
    answer_as_the_model,
    approval_buttons,
    ask_box,
    show_trace,
    what_if,
)
from course.notebook.explorer import explore
from course.notebook.microphone import Telephone
from course.notebook.show import html_widget, show, show_figure, show_html
from course.notebook.timeline import show_sequence
from course.observability.plan_diagram import mermaid
from course.supervisor_worker.plan import Plan, PlanTask
from course.trace import Trace, span
from graders.feedback import notebook_result
from graders.exercises.opening import offer
from graders.feedback import findings
from graders.judge.comparing import Runs
from graders.records.comparison import Comparison
from graders.records.log import Exchange, Log
from graders.records.report import ExerciseReport, TrialVerdict
from graders.records.scenario import Exercise, Scenario, Trial
from graders.records.verdict import Bar, not_yet
from IPython.display import display
from matplotlib.figure import Figure
NAME = {NAME!r}
TEXT = {NAME + "".join(PAYLOADS.values())!r}
run = Trace(NAME)

async def work():
    with span(NAME, NAME, {{NAME: TEXT}}), span("invoke_agent", NAME):
        with span("chat", NAME, {{"gen_ai.output.messages": TEXT}}) as step:
            step.event(NAME, {{NAME: TEXT}})
        with span("execute_tool", NAME, {{"gen_ai.tool.call.result": TEXT}}) as step:
            step.fail(TEXT)

with run.record():
    clock.simulate(work())
"""
WIDGETS = (
    "show_trace(run)",
    "show_trace(run, run, said=TEXT)",
    "seat = answer_as_the_model(Agent(name='agent', instructions=TEXT), NAME + TEXT)",
    "what_if(Agent(name='agent', instructions=TEXT), NAME + TEXT, facts=[TEXT])",
    "show_sequence(run)",
    "task = PlanTask(id=NAME, description=TEXT, worker=NAME, dependencies=[NAME])\n"
    "plan = Plan(goal=NAME, tasks=[task])\n"
    "show({'text/vnd.mermaid': mermaid(plan), 'text/plain': 'a plan'})",
    "ask_box(lambda text: SimpleNamespace(answer=TEXT, trace=run), example=NAME)",
    "question = Question(what=NAME, details={NAME: TEXT}, asked_by=NAME)\n"
    "asked = asyncio.ensure_future(ask_approval(question, approval_buttons(), timeout=600))\n"
    "await asyncio.sleep(0.5)",
    "explore('results', by='pattern')",
    "explore('results', by='policy')",
    "phone = Telephone(None)\nphone.lines = [[NAME, TEXT]]\nphone.state = NAME\n"
    "phone.trace = TEXT\nphone",
    "bar = Bar(NAME, 0.0, 1.0, NAME, True)\n"
    "trial = TrialVerdict(NAME, 1, not_yet(NAME, TEXT, bar), TEXT, NAME)\n"
    "show_html(notebook_result(ExerciseReport(NAME, (trial,)), NAME), 'a result')",
    "beside = Comparison(0.5, TEXT, (bar,), (bar,), (1, 1))\n"
    "compared = TrialVerdict(NAME, 1, not_yet(NAME, TEXT), TEXT, NAME, beside)\n"
    "show_html(notebook_result(ExerciseReport(NAME, (compared,)), NAME), 'a result')",
    "asked = Exchange(0, 'tool', NAME, {NAME: TEXT}, 0.0, 1.0, 'answered', TEXT)\n"
    "said = {'messages': [{'role': NAME, 'content': TEXT}]}\n"
    "told = Exchange(1, 'model', NAME, said, 1.0, 2.0, 'failed', {'error': {'message': TEXT}})\n"
    "trial = Trial(NAME, '', lambda draw: Scenario(), lambda world: ())\n"
    "runs = Runs(Exercise(NAME, (NAME,), (trial,)), trial, Log((asked, told)), Log((asked,)))\n"
    "offer([(findings([compared])[0], runs)])",
    "show_html(TEXT, 'not marked up')\ndisplay(html_widget(TEXT))",
    "show_figure(Figure(), TEXT)",
    "show_html(fill('<b title=\"{}\">{}</b>{}', NAME, TEXT, joined([NAME, TEXT])), 'filled')",
)
"""Every kind of widget and of output with words of others in it."""


def other_results(folder: Path) -> None:
    """What `lab run` would have left with patterns, policies, benches and models so named."""
    runs = runs_table(tasks=4, seeds=2)
    for column in ("arm", "pattern", "policy", "bench", "model", "profile", "experiment"):
        runs[column] = runs[column] + NAME
    runs["run_id"] = [f"{NAME}{n}" for n in range(len(runs))]
    results(folder, runs)


def test_widgets_and_outputs_show_it_and_run_none_of_it(opened: Opened, root: Path) -> None:
    other_results(root / "results")
    cells = [new_code_cell(source) for source in (WORDS, *WIDGETS)]
    book = new_notebook(cells=cells, metadata={"kernelspec": kit.KERNELSPEC})
    kit.write(book, root / "all.ipynb")
    page = opened.page
    page.goto(f"{opened.home}lab/workspaces/all/tree/all.ipynb")
    chapter = Chapter(page)
    chapter.wait_until_ready()
    chapter.run_all()
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("button", name="Play both runs").click()
    expect(page.locator(".compare .half")).to_have_count(4)  # with those of show_trace
    asked = page.locator(".jp-CodeCell").filter(has=page.get_by_title("Send the request"))
    expect(asked.locator("[role=status] pre")).to_contain_text("Full credit")
    for cell in page.locator(".jp-CodeCell").all()[1:]:
        expect(cell.locator(".jp-OutputArea-output").first).to_be_attached()
        assert "Traceback" not in cell.inner_text()
    for folded in page.locator(".jp-OutputArea details").all():
        folded.evaluate("each => { each.open = true }")
    assert opened.marks() == []
    assert opened.elsewhere() == []
    live = page.evaluate(LIVE, ".jp-OutputArea-output")
    assert set(live) <= {"svg", "STYLE", "style"}  # our own pictures and our own style


def test_pages_show_it_and_run_none_of_it(opened: Opened, tmp_path: Path) -> None:
    text = NAME + "".join(PAYLOADS.values())
    wrong = not_yet(NAME, text, Bar(NAME, 0.0, None, NAME, True))
    beside = Comparison(0.5, text, wrong.evidence, wrong.evidence, (1, 1))
    compared = TrialVerdict(NAME, 1, not_yet(NAME, NAME), text, NAME, beside)
    trials = (TrialVerdict(NAME, 1, wrong, text, NAME), compared, TrialVerdict(NAME, 1, passed()))
    report = Report(NAME, NAME, (ExerciseReport(NAME, trials),), notes=(text,))
    facts = [(NAME, text)]
    broken = Report(NAME, NAME, code=NAME, message=text)
    (tmp_path / "feedback.html").write_text(feedback_page(report, facts))
    (tmp_path / "broken.html").write_text(feedback_page(broken, facts))
    graded = Result(NAME, NAME, file=NAME, report=report)
    cut = Result(f"{NAME}2", NAME, status="ungraded", code=NAME, message=text)
    write_overview(
        [Grade(graded, {"name": NAME}), Grade(cut, {"name": NAME})], tmp_path, names=True
    )
    other_results(tmp_path / "results")
    lab_report(tmp_path / "results")
    pages = [*tmp_path.glob("*.html"), *tmp_path.glob("results/*.html")]
    assert len(pages) == 4
    for each in pages:
        opened.page.goto(each.as_uri())
        expect(opened.page.locator("body")).to_contain_text("onerror=")
        assert (opened.marks(), opened.elsewhere()) == ([], []), each.name
        own = {"svg", "STYLE"} if each.name == "report.html" else {"svg"}  # its figures' looks
        assert set(opened.page.evaluate(LIVE, "body")) <= own, each.name
