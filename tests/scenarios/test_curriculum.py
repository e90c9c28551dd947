"""The college's tools: chains of prerequisites, hours in one unit, plans, and what they refuse."""

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.errors import ToolError
from course.scenarios.curriculum import DOMAIN
from course.scenarios.curriculum.data import PROGRAMMES
from course.scenarios.curriculum.world import ancestors, chain
from course.scenarios.world.requests import Call
from tests.scenarios.worlds import Bench

DIAMOND = {"a": (), "b": ("a",), "c": ("a", "b"), "d": ("b", "c"), "e": ()}


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench(DOMAIN, 7)
    with bench.world:
        yield bench


def use(bench: Bench, tool: str, **arguments: Any) -> Any:
    return json.loads(bench.call(Call(tool, arguments)))


def titles(bench: Bench) -> list[str]:
    return [row["title"] for row in bench.world.rows("SELECT title FROM courses ORDER BY code")]


def test_prerequisites_are_followed_to_the_end_and_counted_once() -> None:
    assert ancestors(DIAMOND, "d") == {"a", "b", "c"}
    assert chain(DIAMOND, "d") == ["a", "b", "c", "d"]
    assert ancestors(DIAMOND, "e") == set()
    assert chain(DIAMOND, "e") == ["e"]


@given(st.lists(st.sets(st.integers(0, 7)), min_size=1, max_size=8))
def test_each_course_of_a_chain_requires_the_one_before(drawn: list[set[int]]) -> None:
    required = {
        str(n): tuple(str(m) for m in sorted(before) if m < n) for n, before in enumerate(drawn)
    }
    for title in required:
        found = chain(required, title)
        assert all(a in required[b] for a, b in pairwise(found))
        assert set(found) <= ancestors(required, title) | {title}
        longest = max((len(chain(required, each)) for each in required[title]), default=0)
        assert len(found) == longest + 1


@pytest.mark.parametrize("name", PROGRAMMES)
def test_an_outline_names_courses_after_those_that_they_require(name: str) -> None:
    known: set[str] = set()
    for title, level, requires in PROGRAMMES[name][1]:
        assert set(requires) <= known
        assert title not in known
        assert level > 1 or not requires
        known.add(title)


def test_lessons_are_three_quarters_of_an_hour(bench: Bench) -> None:
    for title in titles(bench):
        hours, lessons = (
            use(bench, "count_course_hours", course=title, year=2025, unit=unit)
            for unit in ("hours", "lessons")
        )
        assert hours["contact"] == pytest.approx(0.75 * lessons["contact"], abs=0.01)
        assert hours["total"] == hours["contact"] + hours["self_study"]
        assert hours["hours_for_each_credit"] == lessons["hours_for_each_credit"]


def test_since_2026_hours_need_no_unit(bench: Bench) -> None:
    told = use(bench, "count_course_hours", course=titles(bench)[0], year=2026)
    assert told["unit"] == "hours"
    too_much = told["hours_for_each_credit"] > told["most_hours_for_each_credit"]
    assert told["verdict"] == ("too much work" if too_much else "within the rules")


def test_a_teachers_load_counts_every_group(bench: Bench) -> None:
    """Against the same sum in SQL."""
    rows = bench.world.rows(
        "SELECT t.name, t.contract_hours, sum(e.contact * e.groups) AS load FROM teachers t"
        " JOIN editions e ON e.teacher_id = t.id AND e.year = 2026 GROUP BY t.id"
    )
    for row in rows:
        told = use(bench, "count_teacher_load", teacher=row["name"].upper(), year=2026)
        assert told["teaching_hours"] == row["load"]
        assert told["over_contract_hours"] == row["load"] - row["contract_hours"]
    assert any(row["load"] > row["contract_hours"] for row in rows)


def test_a_plan_with_every_course_in_its_own_semester_is_right(bench: Bench) -> None:
    outline = next(o for _, o in PROGRAMMES.values() if o[0][0] in titles(bench))
    told = use(bench, "check_plan", semesters=[[title] for title, *_ in outline], year=2025)
    assert told["broken_prerequisites"] == []
    assert told["overfull_semesters"] == []
    back = [[title] for title, *_ in reversed(outline)]
    told = use(bench, "check_plan", semesters=back, year=2025)
    assert len(told["broken_prerequisites"]) == sum(len(requires) for *_, requires in outline)


def test_a_prerequisite_that_is_nowhere_in_the_plan_is_named(bench: Bench) -> None:
    row = bench.world.rows(
        "SELECT c.title, r.title AS required FROM prerequisites p JOIN courses c ON c.code = p.code"
        " JOIN courses r ON r.code = p.requires WHERE p.year = 2025 LIMIT 1"
    )[0]
    told = use(bench, "check_plan", semesters=[[row["title"]]], year=2025)
    missing = {"course": row["title"], "semester": 1, "requires": row["required"]}
    assert {**missing, "planned": "nowhere"} in told["broken_prerequisites"]


def test_pass_rates_of_one_year_and_of_all_agree(bench: Bench) -> None:
    for title in titles(bench):
        told = use(bench, "compare_pass_rates", course=title)
        for rate in told["rates"]:
            one = use(bench, "get_pass_rate", course=title, year=rate["year"])
            assert one["pass_percent"] == rate["pass_percent"]
        first, last = told["rates"][0], told["rates"][-1]
        expected = last["pass_percent"] - first["pass_percent"]
        assert told["change_in_points"] == pytest.approx(expected)


def test_results_that_were_not_reported_are_called_so(bench: Bench) -> None:
    [row] = bench.world.rows(
        "SELECT title FROM courses WHERE code NOT IN (SELECT code FROM results WHERE year = 2025)"
    )
    with pytest.raises(ToolError, match="reported no results for 2025, only for 2023, 2024"):
        use(bench, "get_pass_rate", course=row["title"], year=2025)


def test_courses_are_found_by_code_and_unknown_ones_named(bench: Bench) -> None:
    [row, *_] = bench.world.rows("SELECT code, title FROM courses ORDER BY code")
    told = use(bench, "find_earliest_semester", course=row["code"].lower(), year=2025)
    assert (told["course"], told["earliest"]) == (row["title"], "semester 1")
    with pytest.raises(ToolError, match=f"no course 'Alchemy'; there are {row['title']}, "):
        use(bench, "get_pass_rate", course="Alchemy", year=2025)
    with pytest.raises(ToolError, match="no edition of 1999; there are 2024, 2025, 2026"):
        use(bench, "list_prerequisites", course=row["title"], year=1999)
    with pytest.raises(ToolError, match="no edition of 1999; there are 2024, 2025, 2026"):
        use(bench, "check_plan", semesters=[[row["title"]]], year=1999)
    with pytest.raises(ToolError, match="there is no teacher 'Nobody'; there are "):
        use(bench, "count_teacher_load", teacher="Nobody", year=2026)
