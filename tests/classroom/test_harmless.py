"""What students wrote is shown as text, with simple tags, http links and their own pictures."""

from __future__ import annotations

import base64
import copy
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbconvert import HTMLExporter
from nbconvert.filters import markdown2html
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell
from nbgrader.api import Gradebook
from PIL import Image

from graders.chapters import released
from graders.classroom.gradebook import write_gradebook
from graders.classroom.results import Result
from graders.harmless import ATTRIBUTES, LONGEST, MOST, MOST_PICTURES, TAGS, clean, harmless, prose
from graders.judge.rebuild import rebuild
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.verdict import passed
from tests.grading.classroom import Classroom
from tests.hostile import ELSEWHERE, PAYLOADS, SLY, tags
from tests.notebooks import kit

PROJECT = "11_the_project"
EMPTY = new_notebook()
ALL = PAYLOADS | SLY


def unsafe(markup: str) -> list[object]:
    """What of a page is not on the list."""
    wrong: list[object] = []
    for tag, attributes in tags(markup):
        if tag not in TAGS:
            wrong.append(tag)
        for name, value in attributes.items():
            fixed = (tag, name) in {("a", "rel"), ("div", "class")} and value in {
                "noopener noreferrer", "tex2jax_ignore mathjax_ignore"
            }  # fmt: skip
            if not fixed and name not in ATTRIBUTES.get(tag, ()):
                wrong.append((tag, name))
            if name == "href" and not value.lower().startswith(("http://", "https://")):
                wrong.append(value)
            if name == "src" and not value.startswith("data:image/png;base64,"):
                wrong.append(value)
    return wrong


def picture() -> str:
    made = io.BytesIO()
    Image.new("RGB", (2, 2)).save(made, "PNG")
    return base64.b64encode(made.getvalue()).decode()


@pytest.mark.parametrize("name", ALL)
def test_markdown_is_laid_out_to_what_is_on_the_list(name: str) -> None:
    made = prose(ALL[name])
    assert unsafe(made) == []
    assert markdown2html(made).strip() == made  # so it stays, whoever lays it out once more


PIECES = st.sampled_from(
    [*ALL.values(), "\n", "\n\n", " ", "    ", "`", "```", "$", "$$", "\\", "<", ">", "<!--", "-->",
     "<div>", "</div>", "[", "](", ")", "&", "|", "# ", "- ", "> ", '"', "'", "<pre>", "\x0b",
     "\u2028", "\r", "\u2424"]
)  # fmt: skip


@given(st.lists(PIECES | st.text(max_size=8), max_size=12).map("".join))
def test_no_mixture_of_them_comes_through(text: str) -> None:
    made = prose(text)
    assert unsafe(made) == []
    assert markdown2html(made).strip() == made
    assert unsafe(clean(text)) == []


def test_prose_is_laid_out_as_before() -> None:
    made = prose(
        "# Plan\n\nThree **workers**, *since* `x < y`:\n\n1. one\n2. two\n\n| a | b |\n|---|---|\n"
        "| 1 | 2 |\n\n> quoted\n\n```python\nx = [1]\n```\n\n<details><summary>more</summary>\n\n"
        "See [this](https://example.org/a?b=c&d=e) or https://example.org.\n\n</details>"
    )
    for part in (
        "<h1>Plan</h1>", "<strong>workers</strong>", "<em>since</em>", "<code>x &lt; y</code>",
        "<ol>", "<th>a</th>", "<td>2</td>", "<blockquote>", "x = [1]", "<summary>more</summary>",
        'href="https://example.org/a?b=c&amp;d=e"', 'href="https://example.org"',
    ):  # fmt: skip
        assert part in made


def test_what_may_not_run_is_there_to_read() -> None:
    assert "alert(1)&lt;/script&gt;" in prose("so <script>alert(1)</script>")
    assert "List&lt;int&gt;" in prose("a List<int> here")
    assert "javascript:x" in prose("[a](javascript:x)")
    assert f'href="{ELSEWHERE}/beacon.png"' in prose(SLY["beacon"])  # a link: it loads nothing


def test_pasted_pictures_are_shown_and_others_are_not() -> None:
    kept = {"a b.png": {"image/png": picture()}}
    assert f'src="data:image/png;base64,{picture()}"' in prose("![x](attachment:a%20b.png)", {
        "a%20b.png": kept["a b.png"]
    })  # fmt: skip
    for kind in ("image/svg+xml", "text/html", "application/javascript"):
        made = prose("![x](attachment:a)", {"a": {kind: picture()}})
        assert "img" not in [tag for tag, _ in tags(made)]
    assert unsafe(prose("![x](attachment:a)", {"a": {"image/png": '" onerror="alert(1)'}})) == []


def test_a_pasted_picture_may_have_a_size() -> None:
    kept = {"a b.png": {"image/png": picture()}}
    for tag in (
        '<img src="attachment:a%20b.png" width="300"/>',
        "So <img alt='attachment:a b.png' src='attachment:a b.png'> is",
        f'<p><img alt="x" src="data:image/png;base64,{picture()}"></p>',
    ):
        made = prose(tag, kept)
        assert f'src="data:image/png;base64,{picture()}"' in made
        assert unsafe(made) == []
    assert 'width="300"' in prose('<img src="attachment:a b.png" width="300">', kept)
    for tag in ('<img src="attachment:b" onerror="x">', '<img src="x" src="attachment:a b.png">'):
        assert "img" not in [name for name, _ in tags(prose(tag, kept))]


NAMED = {
    "itself": "![](attachment:a)",
    "by entities": "![](&#97;ttachment:a)",
    "by reference": "![][p]",
    "as a tag": '<img src="%61ttachment:a">',
}


@pytest.mark.parametrize("way", NAMED)
def test_a_picture_that_is_named_many_times_fills_no_memory(way: str) -> None:
    heavy = {"a": {"image/png": "A" * 3_000_000}}
    cells = [f"So {NAMED[way] * n}\n\n[p]: attachment:a" for n in (200, 2, 9, 9)]
    often = [new_markdown_cell(each, attachments=heavy) for each in cells]
    made = harmless(new_notebook(cells=often), EMPTY)
    assert sum(len(cell.source) for cell in made.cells) < MOST_PICTURES
    assert sum(cell.source.count("<img") for cell in made.cells) <= 11


def test_an_output_is_no_formula() -> None:
    """MathJax would make links of some, to anywhere in JupyterLab."""
    data = {"text/html": r"<b>$\href{/api/x}{y}$</b>"}
    book = new_notebook(cells=[new_code_cell("1", outputs=[new_output("display_data", data=data)])])
    [output] = harmless(book, EMPTY).cells[0].outputs
    assert output.data["text/html"].startswith('<div class="tex2jax_ignore mathjax_ignore">')


def shown(book: NotebookNode) -> str:
    """The notebook as nbconvert makes a page of it, without the page around it."""
    return str(HTMLExporter(template_name="basic").from_notebook_node(book)[0])


DATA = {
    "text/html": "".join(PAYLOADS.values()),
    "text/markdown": "\n\n".join(PAYLOADS.values()),
    "image/svg+xml": PAYLOADS["svg"],
    "application/javascript": "top.marks = ['output']",
    "text/latex": r"$\href{javascript:alert(1)}{x}$",
    "application/vnd.jupyter.widget-view+json": {"model_id": "</script><script>top.marks=1"},
    "application/json": {"a": "<script>"},
    "text/vnd.mermaid": PAYLOADS["img"],
    "image/png": '" onerror="top.marks=1',
    "application/pdf": "x",
    "text/plain": PAYLOADS["script"],
}


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("with_plain", [False, True])
def test_outputs_of_every_kind_are_harmless_and_say_what_they_are(
    kind: str, with_plain: bool
) -> None:
    data = {kind: DATA[kind]} | ({"text/plain": "in words"} if with_plain else {})
    about = {"text/html": {"isolated": True}, kind: {"width": '" onload="x'}}
    book = new_notebook(
        cells=[new_code_cell("1", outputs=[new_output("display_data", data=data, metadata=about)])]
    )
    [output] = harmless(book, EMPTY).cells[0].outputs
    assert output.data
    assert set(output.data) <= {"text/html", "text/plain", "image/png", "image/jpeg"}
    assert output.metadata == {}
    assert unsafe(output.data.get("text/html", "")) == []
    if not with_plain and kind not in ("text/html", "text/markdown", "text/latex", "text/plain"):
        assert kind in output.data["text/plain"]  # that there was something is told


def test_streams_errors_and_pictures_stay() -> None:
    outputs = [
        new_output("stream", name="stdout", text="\x1b[31mred\x1b[0m <b>"),
        new_output("error", ename="E", evalue="<b>", traceback=["\x1b[31m<script>"]),
        new_output("execute_result", data={"image/png": picture(), "text/plain": "a picture"}),
    ]
    book = new_notebook(cells=[new_code_cell("1", outputs=outputs)])
    made = [dict(each) for each in harmless(book, EMPTY).cells[0].outputs]
    assert made[0]["text"] == outputs[0].text
    assert made[1]["traceback"] == outputs[1].traceback
    assert made[2]["data"] == outputs[2].data
    page = shown(harmless(book, EMPTY))
    assert "<script>" not in page.partition("<body")[2]


def test_prose_of_the_release_is_left_as_it_is_and_marks_too() -> None:
    release = new_notebook(cells=[
        new_markdown_cell("```mermaid\nflowchart\n```\n$x$"), new_markdown_cell("*Your memo*"),
        new_code_cell("x = '<script>'"),
    ])  # fmt: skip
    release.cells[1].metadata["nbgrader"] = {"grade_id": "memo", "points": 9, "checksum": "a"}
    written = copy.deepcopy(release)
    written.cells[1].source = "My <script>memo</script>"
    before = copy.deepcopy(written)
    made = harmless(written, release)
    assert written == before
    assert made.cells[0] == release.cells[0]
    assert made.cells[2] == release.cells[2]
    assert made.cells[1].metadata == release.cells[1].metadata
    assert made.cells[1].id == written.cells[1].id
    assert unsafe(made.cells[1].source) == []


def test_raw_cells_attachments_and_widgets_are_nobody_elses() -> None:
    book = new_notebook(cells=[
        new_raw_cell(PAYLOADS["raw"], metadata={"raw_mimetype": "text/html"}),
        new_markdown_cell("![x](attachment:a)", attachments={"a": {"image/svg+xml": "PHN2Zy8+"}}),
    ])  # fmt: skip
    book.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"a": "</script>"}}
    made = harmless(book, EMPTY)
    assert [cell.cell_type for cell in made.cells] == ["markdown", "markdown"]
    assert "attachments" not in made.cells[1]
    assert "widgets" not in made.metadata
    assert all(unsafe(cell.source) == [] for cell in made.cells)


def test_a_text_that_takes_long_to_lay_out_stands_as_it_was_typed() -> None:
    lengths = [LONGEST // 6 + 1] * 2 + [LONGEST // 6] * (MOST // LONGEST + 2)
    book = new_notebook(cells=[new_markdown_cell("**x** " * length) for length in lengths])
    laid_out = ["<strong>" in cell.source for cell in harmless(book, EMPTY).cells]
    assert laid_out == [False, False, True, True, True, True, False, False]
    assert "**x**" in harmless(book, EMPTY).cells[0].source


SHOWS = "from IPython.display import HTML, Javascript, Markdown, Latex, SVG, display"
SAYS = f"""\
for text in {list(PAYLOADS.values())!r}:
    display(HTML(text), Markdown(text), Javascript(text), Latex(text))
    display({{"image/svg+xml": text, "application/vnd.jupyter.widget-view+json": {{}}}}, raw=True)
    print(text)
raise ValueError({PAYLOADS["script"]!r})"""


def test_what_nbgrader_itself_ran_is_harmless_in_autograded_and_in_its_feedback(
    tmp_path: Path,
) -> None:
    room = Classroom(kit.make_course(tmp_path / "course"), kit.CHAPTER)
    room.release()
    honest, book = room.solved(), room.solved()
    book.cells += [new_markdown_cell(each) for each in ALL.values()]
    book.cells += [new_raw_cell(PAYLOADS["raw"], metadata={"raw_mimetype": "text/html"})]
    book.cells += [new_code_cell(f"{SHOWS}\n{SAYS}")]
    room.hand_in("ada", book)
    room.hand_in("bo", honest)
    room.grade_all(["ada", "bo"])
    assert room.scores("ada") == room.scores("bo") == room.points()
    graded = room.graded("ada")
    assert [cell.cell_type for cell in graded.cells if cell.cell_type == "raw"] == []
    own = {cell.source for cell in room.released.cells}
    outputs = [output for cell in graded.cells for output in cell.get("outputs", [])]
    assert len(outputs) > 4 * len(PAYLOADS)
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert kinds <= {"text/html", "text/plain", "image/png"}
    texts = [output.data.get("text/html", "") for output in outputs if "data" in output]
    texts += [c.source for c in graded.cells if c.cell_type == "markdown" and c.source not in own]
    assert [unsafe(text) for text in texts if unsafe(text)] == []
    page, plain = tags(room.feedback("ada")), tags(room.feedback("bo"))
    for name in ("script", "iframe", "base", "form", "svg", "meta"):
        assert [t for t, _ in page].count(name) == [t for t, _ in plain].count(name)
    assert [name for _, about in page for name in about if name.startswith("on")] == []
    elsewhere = ("http:", "https:", "//")
    loaded = [about.get("src") or "" for name, about in plain]
    loaded += [about.get("href") or "" for name, about in plain if name == "link"]
    assert [each for each in loaded if each.startswith(elsewhere)] == []


def test_a_notebook_of_before_is_written_again(tmp_path: Path) -> None:
    [chapter] = [each for each in released() if each.name == PROJECT]
    book = copy.deepcopy(chapter.released)
    kit.by_id(book, "ex_11_memo").source = PAYLOADS["img"]
    handed_in = kit.write(book, tmp_path / "there.ipynb")
    trial = TrialVerdict("plans", 5, passed())
    report = Report("x", PROJECT, (ExerciseReport("11.1", (trial,)),))
    result = Result("ada", PROJECT, report=report)
    of_old = f"{result.hashes.notebook} {result.hashes.exercises} {result.score}"
    book.metadata["switchboard"] = of_old
    shown_at = kit.write(book, tmp_path / f"autograded/ada/{PROJECT}/{PROJECT}.ipynb")
    names = {"ada": {"first_name": "Ada <script>", "last_name": "<b>Love", "email": "a@uni"}}
    assert write_gradebook([result], {result.key: handed_in}, tmp_path, names) == []
    made = kit.by_id(kit.read(shown_at), "ex_11_memo")
    assert unsafe(made.source) == []
    assert "onerror=" in made.source  # to be read
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}", "switchboard") as there:
        ada = there.find_student("ada")
    assert (ada.first_name, ada.last_name) == ("Ada ‹script›", "‹b›Love")


def test_pictures_that_were_pasted_come_along_with_the_text_and_only_there() -> None:
    mine = {"image.png": {"image/png": picture()}}
    release = new_notebook(cells=[new_markdown_cell("*Your memo*"), new_markdown_cell("Locked.")])
    release.cells[0].metadata["nbgrader"] = {"grade_id": "memo", "solution": True, "grade": True}
    release.cells[1].metadata["nbgrader"] = {"grade_id": "text", "solution": False, "grade": False}
    book = copy.deepcopy(release)
    for cell in book.cells:
        cell.source, cell["attachments"] = "![image.png](attachment:image.png)", mine
    book.cells.append(new_markdown_cell("![image.png](attachment:image.png)", attachments=mine))
    made = rebuild(release, book)
    assert [cell.get("attachments") for cell in made.cells] == [mine, None, mine]
    shown_there = [cell.source for cell in harmless(made, release).cells]
    assert [picture() in source for source in shown_there] == [True, False, True]
