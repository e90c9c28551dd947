"""The studio: any wiring of a world runs, its Python does the same, and a fault is one line."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import pytest

from course.errors import ConfigurationError
from course.notebook.chooser import CHAPTERS
from course.notebook.studio import WITHOUT_WIDGETS, box_of, studio
from course.notebook.wiring import (
    PATTERNS,
    WORLDS,
    Wiring,
    note_of,
    opened,
    python,
    tasks_of,
    tried,
)

BOTH = "visit and bill"
BILLING = {"billing": ["find_patient", "list_invoices"], "scheduling": ["list_appointments"]}


def steps(lines: str) -> tuple[str, list[tuple[str, str, float]]]:
    """What the lines print, and what they do."""
    names: dict[str, Any] = {}
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(lines, names)
    spans = names["result"].trace.spans
    return said.getvalue().strip(), [(s.operation, s.name, s.end) for s in spans]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_lines_do_what_was_seen(pattern: str) -> None:
    wiring = Wiring(task=BOTH, pattern=pattern, seed=3)
    seen = tried(wiring)
    said, done = steps(python(wiring))
    assert said == seen.answer.strip()
    assert done == [(s.operation, s.name, s.end) for s in seen.trace.spans]


@pytest.mark.parametrize("world", WORLDS)
def test_a_supervisor_works_in_every_world_and_the_lines_open_it(world: str) -> None:
    wiring = Wiring(world=world)
    said, done = steps(python(wiring))
    assert said == tried(wiring).answer.strip() != ""
    assert {"delegate", "chat"} <= {operation for operation, *_ in done}


def test_other_tools_and_own_words_stand_in_the_lines() -> None:
    wiring = Wiring(given=BILLING, request="Which invoices has Goran Chandra open? 'Now'", seed=1)
    lines = python(wiring)
    assert steps(lines)[0] == tried(wiring).answer.strip()
    assert "cancel_appointment" not in lines and "records" not in lines
    assert all(len(line) <= 100 for line in lines.splitlines())
    assert len(python(Wiring(task=BOTH)).splitlines()) <= 10


def test_every_pattern_has_a_chapter_and_the_first_wiring_is_right() -> None:
    assert set(PATTERNS) <= set(CHAPTERS)
    assert tried(Wiring(task=BOTH)).success.startswith("✓")
    assert tried(Wiring(task=BOTH, given={"records": ["find_patient"]})).success.startswith("✕")
    assert tried(Wiring(task=BOTH, request="Good morning!")).success == "not judged"


def test_a_change_in_the_world_is_judged_and_the_next_world_is_fresh() -> None:
    paid = Wiring(task="pay")
    assert tried(paid).success == tried(paid).success
    assert tried(paid).success.startswith("✓")
    only = {"records": ["find_patient", "get_clinic_information"]}
    assert "left wrong" in tried(Wiring(task="pay", given=only)).why


@pytest.mark.parametrize(
    ("wiring", "said"),
    [
        (Wiring(given={"billing": [], "records": ["find_patient"]}), "billing has no tool"),
        (Wiring(given={}), "Nobody is on the board"),
        (Wiring(request="  "), "There is no request"),
        (Wiring(given={"porter": ["find_patient"]}), "no specialist 'porter'"),
        (Wiring(given={"billing": ["list_invoice"]}), "did you mean 'list_invoices'"),
        (Wiring(world="moon"), "no world 'moon'"),
        (Wiring(task="sing"), "no request 'sing'"),
        (Wiring(pattern="queue"), "no pattern 'queue'"),
    ],
)
def test_bad_wiring_is_told_in_one_line(wiring: Wiring, said: str) -> None:
    for use in (tried, python):
        with pytest.raises(ConfigurationError, match=said) as error:
            use(wiring)
        assert "\n" not in str(error.value)


def test_where_success_says_little_the_studio_says_so() -> None:
    assert "by time and cost" in note_of("portfolio rebalancing")
    assert note_of("front desk") == ""


@pytest.fixture
def box() -> Any:
    return box_of(Wiring(task=BOTH))


def say(box: Any, **more: Any) -> None:
    form = box.form
    own = {agent["name"]: agent["tools"] for agent in form["agents"]}
    said = {name: form[name] for name in ("world", "task", "pattern", "seed", "request")}
    box.said = {**said, "given": own, "run": True, "nth": len(box.told), **more}


def test_a_run_is_shown_with_its_python_beside_every_other_pattern(box: Any) -> None:
    say(box)
    assert box.told["success"].startswith("✓")
    assert [row["pattern"] for row in box.rows] == list(PATTERNS)
    mine = next(row for row in box.rows if row["pattern"] == "supervisor")
    assert mine["calls"] == box.told["run"]["calls"]
    assert steps(box.told["lines"])[0] == box.told["answer"].strip()
    assert len({row["tokens"] for row in box.rows}) > 3


def test_another_world_brings_its_own_agents_and_requests(box: Any) -> None:
    say(box, run=False, world="portfolio rebalancing", task="")
    assert box.form["world"] == "portfolio rebalancing"
    assert box.form["tasks"] == list(tasks_of("portfolio rebalancing"))
    with opened(Wiring(world="portfolio rebalancing")) as case:
        assert box.form["request"] == case.request
        assert [each["name"] for each in box.form["agents"]] == [a.name for a in case.agents]


def test_a_fault_is_told_on_the_page_and_a_run_that_breaks_is_one_of_the_rows(box: Any) -> None:
    say(box, given={"billing": []})
    assert box.told == {"fault": "billing has no tool: give it one, or take it off the board."}
    assert box.rows == []
    say(box, given={"billing": ["find_patient"]}, nth=9)
    assert "fault" not in box.told
    assert len(box.rows) == len(PATTERNS)


def test_without_widgets_there_is_a_picture_a_table_and_a_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    studio()
    told = capsys.readouterr().out
    assert told.startswith(WITHOUT_WIDGETS)
    assert all(f"{pattern} · " in told for pattern in PATTERNS)


def test_all_patterns_meet_the_same_luck_and_another_seed_is_another() -> None:
    """What two patterns ask of the same agent in the same words takes both as long."""
    times = {
        (pattern, seed): {
            s.attributes["gen_ai.input.messages"]: s.end - s.start
            for s in tried(Wiring(task="owed", pattern=pattern, seed=seed)).trace.spans
            if s.operation == "chat" and "find_patient" in str(s.attributes)
        }
        for pattern in ("supervisor", "supervisor-worker")
        for seed in (0, 1)
    }
    assert times["supervisor", 0] != times["supervisor", 1]
