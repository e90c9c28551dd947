"""What is folded: given cells on a page that nbconvert makes, and definitions of the package."""

import re

import pytest
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from traitlets.config.loader import PyFileConfigLoader

from course.errors import ConfigurationError
from course.notebook.sources import read_source, show_source
from graders.diagrams import DRAWN, FENCE, KIND, diagrams, place
from tests.notebooks import kit, lints
from tests.notebooks.kit import ROOT
from tests.notebooks.weight import weigh


def cell(source: str, **metadata: object) -> NotebookNode:
    shown = new_output("stream", text="what it shows\n")
    return new_code_cell(source, outputs=[shown], metadata=metadata)


SOURCES = [kit.read(path) for path in lints.notebooks("solutions")]
DIAGRAM = diagrams(SOURCES[0])[0]
OF_A_RUN = next(
    output.data[KIND]
    for book in SOURCES
    for each in book.cells
    for output in each.get("outputs", [])
    if KIND in output.get("data", {})
)
FOLDED = {"jupyter": {"source_hidden": True}}
BOOK = new_notebook(
    cells=[
        cell("# ▸ Draw <it> (1 lines)\ndraw(1)", **FOLDED),
        cell("draw(2)"),
        new_markdown_cell(f"Who?\n\n```mermaid\n{DIAGRAM}```\n\n```mermaid\npie\n```"),
        new_code_cell("plan", outputs=[new_output("display_data", {KIND: OF_A_RUN})]),
    ]
)


@pytest.fixture(scope="module")
def page() -> str:
    loader = PyFileConfigLoader("jupyter_nbconvert_config.py", path=str(ROOT / "graders"))
    made, _ = HTMLExporter(config=loader.load_config()).from_notebook_node(BOOK)
    return str(made)


def test_a_page_folds_the_cells_that_are_folded_in_the_notebook(page: str) -> None:
    closed = page[page.index('<details class="folded"') : page.index("</details>")]
    assert page.count('<details class="folded"') == 1
    assert ">Draw &lt;it&gt; (1 lines)</summary>" in closed
    assert "what it shows" not in closed
    assert page.count("what it shows") == 2


def test_a_page_has_its_diagrams_without_a_network(page: str) -> None:
    shown = re.findall(r'<img[^>]*alt="([^"]+)"[^>]*src="data:image/svg', page)
    assert len(shown) == 2 and shown[0].startswith("Four ways")
    assert page.count('class="mermaid"') == 1  # the one that nobody has drawn


def test_all_diagrams_are_drawn_and_nothing_else() -> None:
    wanted = {place(text) for book in SOURCES for text in diagrams(book)}
    for page in (kit.ROOT / "docs").rglob("*.md"):
        wanted |= {place(text) for text in FENCE.findall(page.read_text(encoding="utf-8"))}
    kept = set(DRAWN.iterdir())
    assert wanted == kept, "run python -m tests.browser.diagrams"
    assert sum(each.stat().st_size for each in kept) <= 550_000


def test_a_definition_is_shown_by_what_it_takes_and_what_it_is_for() -> None:
    field = read_source("course.models.line:Backoff")
    assert field.signature.startswith("class Backoff(tries: int = 3, first: float = 0.5")
    assert field.sentence.endswith("how long is waited in between.")
    assert field.code.startswith("@dataclass")
    assert lints.definitions(field.code).keys() == {"Backoff"}
    assert read_source("course.agent:loop").signature.startswith("async def loop(agent: Agent, ")
    assert read_source("course.models.breaker:Breaker").signature.startswith("class Breaker(")


def test_several_definitions_are_shown_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    show_source("course.agent:loop", "course.models.line:Backoff")
    places = [line for line in capsys.readouterr().out.splitlines() if line.startswith("▸")]
    assert [each.split()[1] for each in places] == [
        "course.agent:loop", "course.models.line:Backoff"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "way_out"),
    [
        ("course.agent:lopp", "'loop'"),
        ("course.agent", "no '' in"),
        ("course.nowhere:loop", '"module:name"'),
        ("", '"module:name"'),
    ],
)
def test_what_is_not_there_is_said_in_a_line(place: str, way_out: str) -> None:
    with pytest.raises(ConfigurationError, match=way_out):
        read_source(place)


def test_a_definition_that_is_shown_from_the_package_counts_as_shown() -> None:
    node = lints.definitions(read_source("course.models.line:Backoff").code)
    books = {8: new_notebook(cells=[new_code_cell('show_source("course.models.line:Backoff")')])}
    assert lints.unshown(books, node) == []
    assert len(lints.unshown({8: new_notebook(cells=[])}, node)) == 1


def test_a_chapter_is_as_heavy_as_what_stands_open() -> None:
    head = "# 1 · One\n\n**The hour** (6 minutes): all. **An hour more** (1 minutes): none. a b"
    task = "### Exercise 1.1 · Do it\nDifficulty · about 5 minutes · 2 points"
    long = "\n".join(f"x = {n}" for n in range(13))
    cells = [new_markdown_cell(head), cell(long), cell(long, tags=["open"]), cell(long, **FOLDED)]
    cells += [new_markdown_cell(task), cell("\ny = 1\n\n"), cell("z = 1", tags=["more"])]
    weight = weigh(new_notebook(cells=cells))
    assert (weight.given, weight.open, weight.folded, weight.long) == (26, 28, 13, 1)
    assert weight.stated == (6, 1)
    assert weight.estimated == pytest.approx((weight.words / 180 + 27 / 20 + 5, 1 / 20))
    assert [fault.startswith("it states 1 minutes") for fault in weight.faults()] == [False, True]
