"""The report is one file that says on every figure what is assumed and who was left out.

Most of a report's seconds go into its pictures. They are painted for the one report that is looked
at whole; where a claim is about tables and words, figures are drawn and left unpainted, but for
`pytest --long`.
"""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure

from course.cli import main
from course.errors import ConfigurationError
from course.lab import store
from course.lab.figures import forest
from course.lab.inspect_export import export
from course.lab.report import Results, report, tables
from tests.lab.folders import NOTE, results
from tests.lab.frames import PATTERNS, runs_table
from tests.needs import package


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


@pytest.fixture
def unpainted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not request.config.getoption("long"):
        monkeypatch.setattr("course.lab.report.image", lambda _, alt: f'<img alt="{escape(alt)}">')


in_words = pytest.mark.usefixtures("unpainted")


def test_the_report_is_whole_and_needs_nothing_else(page: str) -> None:
    tags = Tags(page)
    assert tags.open == []
    names = [tag for tag, _ in tags.found]
    assert not {"script", "link", "iframe"} & set(names)  # where no run can be played again
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
    assert "runs are there" not in page  # which is said of a sweep that was stopped


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


def test_beside_an_interval_stands_its_own_p_and_then_holms() -> None:
    runs = runs_table(effects={"a": 0.0, "b": 0.3, "c": 0.2, "d": -0.2}, seed=3)
    of = Results(runs, pd.DataFrame())
    [(_, _, table)] = [each for each in of.compared if each[1] == "latency_s"]
    [shown] = [each for each in tables(of) if each["caption"].startswith("latency (s): paired")]
    assert shown["head"][1:4] == ("difference [95 % interval]", "p", "p (Holm)")
    alt = forest(table, Figure().add_subplot())
    for row, cells in zip(table.to_dict("records"), shown["rows"], strict=True):
        assert (row["low"] > 0 or row["high"] < 0) == (float(cells[2]) <= 0.05)
        assert cells[3] == f"{row['p_holm']:.3g}"
        assert f"{cells[1]}, p = {row['p']:.2g}, Holm = {row['p_holm']:.2g}," in alt
    assert ((table["p"] <= 0.05) & (table["p_holm"] > 0.05)).any()  # where the two say otherwise


@in_words
def test_an_experiment_of_one_arm_has_a_report_without_comparisons(tmp_path: Path) -> None:
    runs = runs_table(tasks=3, seeds=1, effects={"single": 0.0})
    told = report(results(tmp_path, runs)).read_text(encoding="utf-8")
    assert "paired differences" not in told
    assert "Cumulative distribution" in told


EXCLUDED = {"status": "excluded", "success": None, "share": None, "why": "no way"}
FAILED = {"status": "failed", "success": False, "share": 0.0, "latency_s": 0.0, "work_s": 0.0,
          "critical_path_s": 0.0}  # fmt: skip
NO_COST, NO_TIME, NO_VERDICT = {"cost_usd": None}, {"latency_s": None}, {"success": None}


@in_words
@pytest.mark.parametrize("gone", [
    *(dict.fromkeys(PATTERNS, each) for each in (EXCLUDED, FAILED, NO_COST, NO_TIME, NO_VERDICT)),
    dict(zip(PATTERNS, (EXCLUDED, NO_COST), strict=False)),  # and of others all is known
    dict(zip(PATTERNS, (FAILED, NO_TIME, NO_VERDICT), strict=True)),
])  # fmt: skip
def test_runs_of_which_little_is_known_have_a_report(
    tmp_path: Path, gone: dict[str, dict[str, Any]]
) -> None:
    runs = runs_table(tasks=3, seeds=2)
    for pattern, values in gone.items():
        for column, value in values.items():
            runs.loc[runs["pattern"] == pattern, column] = pd.NA if value is None else value
    page = report(results(tmp_path, runs)).read_text(encoding="utf-8")
    assert "nan [" not in page
    assert all("nan" not in (each["alt"] or "") for tag, each in Tags(page).found if tag == "img")


@in_words
def test_who_broke_or_was_cut_off_is_counted_where_it_counts(tmp_path: Path) -> None:
    runs = runs_table(tasks=5, seeds=2)
    runs.loc[:2, "status"] = "failed"
    runs.loc[20:23, "stop_reason"] = "deadline"
    page = report(results(tmp_path, runs)).read_text(encoding="utf-8")
    said = "All 30 runs count. 3 broke and 4 were cut off at the deadline: these count with"
    assert page.count(said) >= page.count("<figure>") > 0


@in_words
def test_where_all_tasks_are_alike_a_share_says_what_that_allows(tmp_path: Path) -> None:
    runs = runs_table(tasks=12, seeds=2).assign(success=True, calls=3)
    page = report(results(tmp_path, runs)).read_text(encoding="utf-8")
    assert "3 [all 12 alike]" in page and "1 [0.75, 1]" in page
    assert "+0 [-0.25, +0.25]" in page and "[+0, +0]" not in page


def test_a_folder_without_a_finished_run_says_so(tmp_path: Path) -> None:
    folder = results(tmp_path, runs_table(tasks=1).iloc[:0])
    package("inspect_ai")
    for reads in (report, export):
        with pytest.raises(ConfigurationError, match=r"no run of .* has ended yet"):
            reads(folder)


@in_words
def test_a_sweep_that_was_stopped_says_so_wherever_a_number_stands(tmp_path: Path) -> None:
    runs = runs_table(tasks=3, seeds=2)
    folder = results(tmp_path, runs)
    told = store.manifest(folder)
    told["chunks"]["not yet run"] = {"runs": 100}
    told["chunks"]["chunk"]["runs"] = len(runs)
    store.save_manifest(folder, told)
    page = report(folder).read_text(encoding="utf-8")
    said = "Only 18 of 118 runs are there, and whole arms may be missing: &#39;lab run&#39;"
    assert page.count(said) == 1 + page.count("<figure>")
