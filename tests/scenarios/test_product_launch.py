"""The tools over launches: longest paths, working days, bills and quotes in several currencies."""

import json
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.errors import ToolError
from course.scenarios.product_launch import DOMAIN
from course.scenarios.product_launch.calendars import Task, finish, length, slack, workday
from course.scenarios.product_launch.data import HOLIDAYS
from course.scenarios.world.requests import Call
from tests.scenarios.worlds import Bench

FRIDAY = date(2026, 7, 10)
HOUSE = {
    task.name: task
    for task in (
        Task("dig", 2, ()),
        Task("wall", 5, ("dig",)),
        Task("wire", 3, ("dig",)),
        Task("roof", 4, ("wall",)),
        Task("paint", 1, ("wire", "roof")),
    )
}


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench(DOMAIN, 7)
    with bench.world:
        yield bench


def use(bench: Bench, tool: str, **arguments: Any) -> Any:
    return json.loads(bench.call(Call(tool, arguments)))


def products(bench: Bench) -> list[str]:
    return [row["name"] for row in bench.world.rows("SELECT name FROM products ORDER BY id")]


def test_a_plan_is_as_long_as_its_longest_path_and_the_rest_has_slack() -> None:
    assert length(HOUSE) == 12
    assert finish(HOUSE, "wire") == 5
    assert {name: slack(HOUSE, name) for name in HOUSE} == {
        "dig": 0, "wall": 0, "wire": 6, "roof": 0, "paint": 0,
    }  # fmt: skip


@given(st.sampled_from(sorted(HOUSE)), st.integers(0, 20))
def test_a_delay_moves_the_end_by_what_it_exceeds_the_slack(name: str, days: int) -> None:
    task = HOUSE[name]
    longer = {**HOUSE, name: Task(name, task.days + days, task.after)}
    assert length(longer) - length(HOUSE) == max(0, days - slack(HOUSE, name))


def test_weekends_and_holidays_are_no_working_days() -> None:
    assert workday(FRIDAY, 0, ()) == FRIDAY
    assert workday(FRIDAY, 1, ()) == date(2026, 7, 13)
    assert workday(FRIDAY, 2, {date(2026, 7, 14)}) == date(2026, 7, 15)
    assert workday(date(2026, 7, 11), 0, ()) == date(2026, 7, 13)  # a Saturday


@given(st.dates(date(2026, 7, 1), date(2026, 12, 31)), st.integers(0, 120))
def test_between_start_and_end_lie_so_many_working_days(start: date, days: int) -> None:
    holidays = {date.fromisoformat(day) for day in HOLIDAYS["FR"]}
    end = workday(start, days, holidays)
    between = (start + timedelta(days=n) for n in range((end - start).days))
    assert sum(day.weekday() < 5 and day not in holidays for day in between) == days
    assert end.weekday() < 5 and end not in holidays


@pytest.mark.parametrize("country", HOLIDAYS)
def test_holidays_are_in_order_and_on_days_of_the_week_that_count(country: str) -> None:
    days = [date.fromisoformat(day) for day in HOLIDAYS[country]]
    assert days == sorted(set(days))
    assert all(day.weekday() < 5 for day in days)


def test_a_plan_tells_the_longest_path_and_whether_it_is_in_time(bench: Bench) -> None:
    for name in products(bench):
        told = use(bench, "plan_launch", product=name, country="DE")
        tasks = {task["task"]: task for task in use(bench, "list_tasks", product=name)["tasks"]}
        assert (
            sum(tasks[each]["days"] for each in told["tasks_without_slack"]) >= told["working_days"]
        )
        assert all(tasks[each]["slack_days"] == 0 for each in told["tasks_without_slack"])
        assert told["in_time"] == (told["launch_day"] <= told["agreed_with_retailers"])


def test_a_delay_within_the_slack_moves_nothing(bench: Bench) -> None:
    name = products(bench)[0]
    planned = use(bench, "plan_launch", product=name, country="SE")
    free = [t for t in use(bench, "list_tasks", product=name)["tasks"] if t["slack_days"]]
    assert free
    for task in free:
        asked = {"product": name, "task": task["task"].upper(), "country": "SE"}
        told = use(bench, "delay_task", **asked, days=task["slack_days"])
        assert told["launch_moves_by_days"] == 0
        assert told["launch_day"] == planned["launch_day"]
    with pytest.raises(ToolError, match=r"there is no task 'nap'; there are concept freeze, "):
        use(bench, "delay_task", product=name, task="nap", days=1, country="SE")


def test_a_budget_is_spent_in_euros_of_the_year(bench: Bench) -> None:
    name = products(bench)[0]
    rates = {
        (row["currency"], row["year"]): row["euro"]
        for row in bench.world.rows("SELECT * FROM rates")
    }
    for year in (2025, 2026):
        bills = bench.world.rows(
            "SELECT s.* FROM spending s JOIN products p ON p.id = s.product_id"
            " WHERE p.name = ? AND s.day LIKE ?",
            name,
            f"{year}-%",
        )
        told = use(bench, "check_budget", product=name, year=year, currency="EUR")
        spent = sum(bill["amount"] * rates[bill["currency"], year] for bill in bills)
        assert told["spent_euro"] == pytest.approx(spent, abs=0.01)
        assert told["left_euro"] == pytest.approx(told["budget_euro"] - spent, abs=0.01)
        assert told["bills"] == len(bills)
    with pytest.raises(ToolError, match="no budget of 2031; there are 2025, 2026"):
        use(bench, "check_budget", product=name, year=2031, currency="EUR")


def test_quotes_that_do_not_hold_are_left_out_with_the_reason(bench: Bench) -> None:
    for name in products(bench):
        told = use(bench, "compare_quotes", product=name, units=12_000)
        prices = [quote["unit_price_euro"] for quote in told["quotes"]]
        assert prices == sorted(prices)
        assert sorted(told["left_out"].values()) == [
            "expired on 2026-04-30",
            "holds from 50,000 units on",
        ]
        many = use(bench, "compare_quotes", product=name, units=50_000)
        assert len(many["quotes"]) == len(told["quotes"]) + 1
        assert many["quotes"][0]["unit_price_euro"] < prices[0]


def test_break_even_is_the_first_unit_that_pays(bench: Bench) -> None:
    name = products(bench)[0]
    told = use(bench, "calculate_break_even", product=name, unit_cost_euro=20)
    units, margin = told["break_even_units"], told["price_euro"] - 20
    assert (units - 1) * margin < told["budgets_euro"] <= units * margin
    with pytest.raises(ToolError, match=r"more than its price of .* check that the cost is in EUR"):
        use(bench, "calculate_break_even", product=name, unit_cost_euro=9000)


def test_risks_without_a_cost_are_named_and_not_counted(bench: Bench) -> None:
    told = use(bench, "sum_risks", product=products(bench)[0])
    expected = sum(risk["probability"] * risk["cost_euro"] / 100 for risk in told["risks"])
    assert told["expected_cost_euro"] == pytest.approx(expected)
    assert len(told["cost_never_estimated"]) == 1
    assert told["cost_never_estimated"][0] not in {risk["name"] for risk in told["risks"]}


def test_an_unknown_product_is_named_by_every_tool(bench: Bench) -> None:
    known = ", ".join(sorted(products(bench)))
    for tool, others in (
        ("list_tasks", {}),
        ("plan_launch", {"country": "DE"}),
        ("check_budget", {"year": 2026}),
        ("compare_quotes", {"units": 1}),
        ("sum_risks", {}),
    ):
        with pytest.raises(ToolError, match=f"there is no product 'Yacht'; there are {known}"):
            use(bench, tool, product="Yacht", **others)
