"""The site: links, folds, outputs and doors as its pages need them, and the whole of it."""

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from playwright.sync_api import Page

from graders.diagrams import KIND, diagrams
from tests.browser.lab import browse
from tests.browser.test_barriers import FOUND, PHONE, RULES, axe
from tests.marking import LONG
from tests.needs import lacking
from tests.notebooks import kit
from web.host import Host, host
from web.site import api, chapters, contents, texts
from web.site.links import wrong

PUBLIC = Host(source="https://git.example/some/course", version="v9", lite="../lite")
LOOKED_AT = (
    "index", "notebooks/00_start_here/00_start_here", "docs/glossary", "api/course.limits"
)  # fmt: skip
BUILD = """
import sys
from pathlib import Path
from web.host import Host
from web.site.__main__ import build
print(build(Path(sys.argv[1]), Host()))
"""
THERE = {"docs/a.md", "docs/sub/b.md", "notebooks/03_x/03_x.ipynb"}


@pytest.mark.parametrize(
    ("written", "at_home", "in_public"),
    [
        ("[b](sub/b.md#Two-Words)", "[b](sub/b.md#two-words)", None),
        ("[ch](../notebooks/03_x/03_x.ipynb)", "[ch](../notebooks/03_x/03_x.ipynb)", None),
        ("[`a` [1]](a.md)", "[`a` [1]](a.md)", None),
        ("[here](#below)", "[here](#below)", None),
        ("[out](https://example.org/a.md)", "[out](https://example.org/a.md)", None),
        ("[`code`](../course/agent.py)", "`code`",
         "[`code`](https://git.example/some/course/blob/v9/course/agent.py)"),
        ("`[x](no.md)`\n```\n[x](no.md)\n```", "`[x](no.md)`\n```\n[x](no.md)\n```", None),
    ],
)  # fmt: skip
def test_a_link_leads_into_the_site_or_to_the_host_or_is_words(
    written: str, at_home: str, in_public: str | None
) -> None:
    assert texts.relinked(written, "docs/a.md", THERE, Host()) == at_home
    assert texts.relinked(written, "docs/a.md", THERE, PUBLIC) == (in_public or at_home)


def test_a_diagram_is_a_picture_with_its_words() -> None:
    book = next(
        b for b in map(kit.read, sorted(kit.ROOT.glob("solutions/0*/*.ipynb"))) if diagrams(b)
    )
    drawing = texts.drawn(f"before\n\n```mermaid\n{diagrams(book)[0]}```\n", "../../")
    assert drawing.startswith("before\n\n![") and "](../../diagrams/" in drawing
    assert "mermaid" not in drawing and not drawing.startswith("before\n\n![]")


def test_a_page_shows_what_the_authors_run_showed_where_the_cell_is_the_same() -> None:
    told = [new_output("stream", text="told\n")]
    source = [
        new_code_cell("show()", id="a", outputs=told),
        new_code_cell("secret", id="b", outputs=told),
    ]
    released = [new_code_cell("show()", id="a"), new_code_cell("# YOUR CODE HERE", id="b")]
    page = chapters.with_outputs(new_notebook(cells=released), new_notebook(cells=source))
    assert [cell.outputs for cell in page.cells] == [told, []]


def test_what_is_folded_in_the_lab_is_folded_by_its_title() -> None:
    hidden = new_code_cell(
        "# ▸ A title (2 lines)\na = 1\n", metadata={"jupyter": {"source_hidden": True}}
    )
    plain = new_code_cell("# ▸ no fold\n")
    for cell in (hidden, plain):
        chapters.folded(cell)
    assert hidden.source == "a = 1\n" and "hide-input" in hidden.metadata.tags
    assert hidden.metadata.mystnb["code_prompt_show"] == "A title (2 lines)"
    assert plain.source == "# ▸ no fold\n" and "mystnb" not in plain.metadata


def test_an_output_keeps_what_a_page_without_a_kernel_shows() -> None:
    live = new_output(
        "display_data", {"application/vnd.jupyter.widget-view+json": {}, "text/plain": "a box"}
    )
    graph = new_output("display_data", {KIND: "flowchart LR", "text/plain": "a graph"})
    table = new_output("display_data", {"text/html": '<a href="01_x/01_x.ipynb">1</a>'})
    for output in (live, graph, table):
        chapters.shown(output, "../../")
    assert list(live.data) == ["text/plain"]
    assert KIND not in graph.data and "diagrams/" in graph.data["text/markdown"]
    assert table.data["text/html"] == '<a href="01_x/01_x.html">1</a>'


def test_only_doors_that_exist_are_shown() -> None:
    notebook = "notebooks/03_x/03_x.ipynb"
    assert Host().doors(notebook, "../../") == []
    assert [words for words, _ in replace(PUBLIC, version="").doors(notebook, "")] == [
        "Open in a tab"
    ]
    words, addresses = zip(*PUBLIC.doors(notebook, "../../"), strict=True)
    assert words == ("Open in a tab",)  # neither Binder nor Colab opens any host's repository
    assert addresses == ("../../../lite/lab/index.html?path=notebooks/03_x/03_x.ipynb",)
    known = replace(PUBLIC, source="https://github.com/some/course")
    assert [words for words, _ in known.doors(notebook, "")] == ["Open in a tab", "Binder", "Colab"]
    door = chapters.doors([("A & B", 'x"y')])
    assert door.source == '<p class="doors"><a href="x&quot;y">A &amp; B</a></p>'
    title, below, text = chapters.below_title([new_markdown_cell("# T\n\nText.")], door)
    assert (title.source, below, text.source) == ("# T", door, "Text.")


def test_each_page_stands_in_the_contents_once() -> None:
    named = [page for part in contents.PARTS for page in part.pages(kit.ROOT)]
    pages = {
        *kit.ROOT.glob("docs/*.md"),
        *kit.ROOT.glob("docs/systems/*.md"),
        *kit.ROOT.glob("notebooks/**/*.ipynb"),
    }
    assert [page for page, times in Counter(named).items() if times > 1] == []
    assert {str(p.relative_to(kit.ROOT).with_suffix("")) for p in pages} <= set(named)


def test_a_page_of_public_names_asks_for_each_and_its_members() -> None:
    page = api.page("course.limits", {"Limits": {"()": "", "merge": ""}, "asked": "() -> float"})
    assert ".. autoclass:: course.limits.Limits\n   :members: merge\n" in page
    assert ".. autofunction:: course.limits.asked\n" in page
    lines = ["Like this:", "", "    @one", "Args:", "    x: y"]
    api.example(None, "", "", None, None, lines)
    assert lines == ["Like this::", "", "    @one", "Args:", "    x: y"]


@pytest.mark.parametrize(
    ("markup", "said"),
    [
        ('<a href="b.html#x">b</a>', ""),
        ('<a href="https://example.org/">b</a>', ""),
        ('<a href="gone.html">b</a>', "leads nowhere"),
        ('<a href="b.html#gone">b</a>', "names no place"),
        ('<img src="gone.svg">', "leads nowhere"),
        ('<script src="https://example.org/x.js"></script>', "loaded from elsewhere"),
        ('<link rel="stylesheet" href="//example.org/x.css">', "loaded from elsewhere"),
    ],
)
def test_a_link_that_leads_nowhere_or_loads_from_elsewhere_is_found(
    tmp_path: Path, markup: str, said: str
) -> None:
    (tmp_path / "b.html").write_text('<p id="x">b</p>')
    (tmp_path / "a.html").write_text(markup)
    found = wrong(tmp_path)
    assert len(found) == bool(said) and all(said in each for each in found)


def test_the_hosts_file_is_read_and_a_key_that_means_nothing_is_refused(tmp_path: Path) -> None:
    assert host().lite
    other = tmp_path / "host.toml"
    other.write_text('sorce = "x"\n')
    with pytest.raises(TypeError, match="sorce"):
        host(other)


def barriers(view: Page, address: str, rules: object) -> list[str]:
    """What axe holds for serious on a page with all its folds open."""
    view.goto(address)
    view.evaluate(axe())
    for details in view.locator("details").all():
        details.evaluate("(each) => { each.open = true }")
    found = view.evaluate(FOUND, rules)
    return [str(each) for each in found if each[0] in ("serious", "critical")]


@LONG
def test_the_whole_site_is_built_and_every_link_leads_somewhere(tmp_path: Path) -> None:
    if find_spec("sphinx") is None:
        lacking("the site's generator")
    # In a process of its own: autodoc changes typing for all that is imported after it.
    made = subprocess.run([sys.executable, "-c", BUILD, str(tmp_path / "site")],
                          cwd=kit.ROOT, capture_output=True, text=True, timeout=300)  # fmt: skip
    assert made.stdout == "[]\n", made.stdout + made.stderr
    chapter = (tmp_path / "site/notebooks/04_supervisor/04_supervisor.html").read_text()
    assert '<details class="admonition hide above-input">' in chapter and '.svg"' in chapter
    assert "# YOUR CODE HERE" in chapter  # and no solution
    assert "course.Agent" in (tmp_path / "site/api/course.html").read_text()
    asked: list[str] = []
    with browse() as browser:
        for scheme, rules in RULES.items():
            view = browser.new_context(color_scheme=scheme, viewport=PHONE).new_page()
            view.on("request", lambda request: asked.append(request.url))
            for page in LOOKED_AT:
                address = (tmp_path / "site" / f"{page}.html").as_uri()
                assert barriers(view, address, rules) == [], (page, scheme)
                assert view.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
