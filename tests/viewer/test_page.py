"""A page without network: small, whole, and nobody's words in it are live."""

import re
from pathlib import Path

import pytest

from course import cli
from course.trace import Trace
from course.viewer.page import MODULES, page, script
from course.viewer.picture import picture_of
from course.viewer.still import still, svg
from tests.hostile import NAME, tags
from tests.viewer.runs import failing_plan

SCRIPT_MOST = 80_000  # bytes
PAGE_MOST = 150_000  # bytes, of a run of some fifty steps
STILL_MOST = 40_000  # bytes in a notebook
HERE = Path(cli.__file__).parent / "viewer"


def test_the_script_is_small_and_every_module_is_in_it() -> None:
    assert len(script().encode()) <= SCRIPT_MOST
    modules = {path.name for path in HERE.glob("*.js")}
    assert modules == {*MODULES, "widget.js"}
    assert "import" not in re.findall(r"^\w+", script(), flags=re.M)
    assert script() == script()


def test_a_page_of_a_run_is_small_and_asks_nothing_of_a_network() -> None:
    trace = failing_plan()
    made = page(trace)
    assert len(made.encode()) <= PAGE_MOST
    assert "default-src 'none'" in made
    live = [(tag, about) for tag, about in tags(made) if {"src", "href", "srcset"} & set(about)]
    assert live == []


def test_a_still_picture_is_small_and_has_the_colour_of_its_page(traces: list[Trace]) -> None:
    for trace in traces:
        picture = picture_of(trace)
        made = still(picture)
        assert len(made.encode()) <= STILL_MOST
        drawn = tags(svg(picture))
        assert drawn[0][1]["fill"] == "currentColor"
        assert drawn[0][1]["aria-label"]
        assert len(tags(made)) > len(drawn)


def test_words_of_others_are_shown_as_they_were_written() -> None:
    trace = failing_plan()
    plain = tags(page(trace))
    hostile = Trace.from_json(
        trace.to_json().replace("Report on the piers", NAME.replace('"', '\\"'))
    )
    assert [tag for tag, _ in tags(page(hostile))] == [tag for tag, _ in plain]


def test_a_trace_is_written_as_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = failing_plan().save(tmp_path / "run.json")
    assert cli.main(["trace", str(saved), "--html"]) == 0
    assert (tmp_path / "run.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "run.html" in capsys.readouterr().out
    both = tmp_path / "both.html"
    given = ["trace", str(saved), "--html", "--with", str(saved), "--to", str(both)]
    assert cli.main(given) == 0
    assert "The two runs are the same" in both.read_text(encoding="utf-8")


def test_a_trace_is_printed_as_a_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = failing_plan().save(tmp_path / "run.json")
    assert cli.main(["trace", str(saved)]) == 0
    assert "dispatch t2" in capsys.readouterr().out
