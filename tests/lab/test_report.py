"""The report is one file that says on every figure what is assumed and who was left out."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from course.cli import main
from course.errors import ConfigurationError
from course.lab import store
from course.lab.inspect_export import export
from course.lab.report import report
from tests.lab.folders import NOTE, results
from tests.lab.frames import runs_table


class Tags(HTMLParser):
    """Every tag with its attributes, and that each is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    parts = [
        runs_table(seeds=2, fault_model=f, policy=p) for f in (0.0, 0.1) for p in ("none", "refine")
    ]
    runs = pd.concat(parts, ignore_index=True)
    runs["run_id"] = [f"run {n}" for n in range(len(runs))]
    runs.loc[:2, ["status", "why", "success", "share"]] = ["excluded", "<no key>", None, None]
    return results(tmp_path_factory.mktemp("results"), runs)


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return report(folder).read_text(encoding="utf-8")


def test_the_report_is_whole_and_needs_nothing_else(page: str) -> None:
    tags = Tags(page)
    assert tags.open == []
    names = [tag for tag, _ in tags.found]
    assert not {"script", "link", "iframe"} & set(names)
    sources = [told["src"] for tag, told in tags.found if tag == "img"]
    assert all(str(source).startswith("data:image/png;base64,") for source in sources)
    assert not re.search(r"https?://|url\(", page)


def test_every_figure_says_what_is_assumed_what_follows_and_who_was_left_out(page: str) -> None:
    figures = page.split("<figure>")[1:]
    assert len(figures) >= 10
    for each in figures:
        said = each.split("</figure>")[0]
        assert NOTE in said
        assert "The model is an oracle" in said
        alt = re.search(r'<img alt="([^"]+)"', said)
        assert alt
        assert alt[1] in said.split("What follows.</b>")[1]
        assert "3 of 288 runs are left out: 3 excluded: &lt;no key&gt;." in said
    assert "Not drawn" not in page


def test_every_table_says_who_was_left_out(page: str) -> None:
    tables = page.split("<h2>Tables</h2>")[1].split("<h2>Figures</h2>")[0]
    assert tables.count("<caption>") == tables.count('<p class="out">') == 8
    assert "3 single not scored" in tables
    assert "supervisor" in tables


def test_the_command_says_where_the_report_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lab", "report", str(folder / "none")]) == 2
    assert "there are no results in" in capsys.readouterr().err


def test_an_experiment_of_one_arm_has_a_report_without_comparisons(tmp_path: Path) -> None:
    runs = runs_table(tasks=3, seeds=1, effects={"single": 0.0})
    told = report(results(tmp_path, runs)).read_text(encoding="utf-8")
    assert "paired differences" not in told
    assert "Cumulative distribution" in told


def test_a_folder_without_a_finished_run_says_so(tmp_path: Path) -> None:
    folder = results(tmp_path, runs_table(tasks=1).iloc[:0])
    pytest.importorskip("inspect_ai")
    for reads in (report, export):
        with pytest.raises(ConfigurationError, match=r"no run of .* has ended yet"):
            reads(folder)


def test_a_sweep_that_was_stopped_says_so_wherever_a_number_stands(tmp_path: Path) -> None:
    runs = runs_table(tasks=3, seeds=2)
    folder = results(tmp_path, runs)
    assert "runs are there" not in report(folder).read_text(encoding="utf-8")
    told = store.manifest(folder)
    told["chunks"]["not yet run"] = {"runs": 100}
    told["chunks"]["chunk"]["runs"] = len(runs)
    store.save_manifest(folder, told)
    page = report(folder).read_text(encoding="utf-8")
    said = "Only 18 of 118 runs are there, and whole arms may be missing: &#39;lab run&#39;"
    assert page.count(said) == 1 + page.count("<figure>")
