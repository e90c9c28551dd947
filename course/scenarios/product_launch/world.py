"""The launches' world and the workers in it."""

from __future__ import annotations

import math
import sqlite3
from dataclasses import replace
from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from course.agent import Agent
from course.errors import ToolError
from course.scenarios.database import Row
from course.scenarios.product_launch.calendars import Task, finish, length, slack, workday
from course.scenarios.product_launch.data import TODAY, make_launches
from course.scenarios.world.domain import calculating, querying, searching, worker, writer
from course.scenarios.world.world import World

ProductName = Annotated[str, Field(description="the product's name, such as it is written")]
Country = Annotated[
    Literal["DE", "FR", "SE"] | None, Field(description="whose public holidays are kept")
]
Euro = Annotated[
    Literal["EUR"] | None,
    Field(description="EUR converts bills in other currencies at the year's rate"),
]


class Launches(World):
    """Three products on their way to the shops, with plans, bills, quotes and documents."""

    make = staticmethod(make_launches)
    today = TODAY

    def list_tasks(self, product: ProductName) -> Row:
        """List the tasks of a launch: working days, what they come after, slack."""
        with self.database.read() as connection:
            row = find(connection, product)
            tasks = plan(connection, row["id"])
        shown = [
            {"task": task.name, "days": task.days, "after": list(task.after),
             "slack_days": slack(tasks, task.name)}
            for task in sorted(tasks.values(), key=lambda task: finish(tasks, task.name))
        ]  # fmt: skip
        return {"product": row["name"], "starts": row["starts"], "tasks": shown, "source": "tasks"}

    def plan_launch(self, product: ProductName, country: Country = None) -> Row:
        """Calculate the day of a launch: working days of the longest path, weekends, holidays."""
        with self.database.read() as connection:
            row = find(connection, product)
            tasks = plan(connection, row["id"])
            launch = launch_day(connection, row, length(tasks), country)
        return {
            "product": row["name"], "starts": row["starts"], "working_days": length(tasks),
            "tasks_without_slack": [name for name in tasks if slack(tasks, name) == 0],
            "launch_day": launch.isoformat(), "agreed_with_retailers": row["promised"],
            "in_time": launch <= date.fromisoformat(row["promised"]),
            "source": "tasks and holidays",
        }  # fmt: skip

    def delay_task(
        self,
        product: ProductName,
        task: Annotated[str, Field(description="the task that takes longer")],
        days: Annotated[int, Field(ge=1, le=250, description="how many working days longer")],
        country: Country = None,
    ) -> Row:
        """Calculate what becomes of a launch when a task takes some working days longer."""
        with self.database.read() as connection:
            row = find(connection, product)
            tasks = plan(connection, row["id"])
            if (late := tasks.get(task.strip().lower())) is None:
                raise ToolError(f"there is no task '{task}'; there are {', '.join(tasks)}")
            changed = {**tasks, late.name: replace(late, days=late.days + days)}
            launch = launch_day(connection, row, length(changed), country)
        return {
            "product": row["name"], "task": late.name, "delay_days": days,
            "slack_days": slack(tasks, late.name),
            "launch_moves_by_days": length(changed) - length(tasks),
            "launch_day": launch.isoformat(), "agreed_with_retailers": row["promised"],
            "in_time": launch <= date.fromisoformat(row["promised"]),
            "source": "tasks and holidays",
        }  # fmt: skip

    def check_budget(
        self,
        product: ProductName,
        year: Annotated[int | None, Field(description="the year of the budget")] = None,
        currency: Euro = None,
    ) -> Row:
        """Calculate what was spent of a product's budget in a year, in EUR and in percent."""
        with self.database.read() as connection:
            row = find(connection, product)
            query = "SELECT year, sum(euro) AS euro FROM budgets WHERE product_id = ? GROUP BY year"
            budgets = {
                each["year"]: each["euro"] for each in connection.execute(query, (row["id"],))
            }
            bills = connection.execute(_BILLS, (row["id"], str(year))).fetchall()
        years = ", ".join(map(str, budgets))
        if year is None:
            raise ToolError(f"each year has its own budget: give year ({years})")
        if year not in budgets:
            raise ToolError(f"there is no budget of {year}; there are {years}")
        if currency is None:
            known = ", ".join(sorted({bill["currency"] for bill in bills}))
            raise ToolError(f"the bills are in {known}, which cannot be added: give currency='EUR'")
        spent = sum(bill["amount"] * bill["euro"] for bill in bills)
        return {
            "product": row["name"], "year": year, "budget_euro": budgets[year],
            "spent_euro": round(spent, 2), "left_euro": round(budgets[year] - spent, 2),
            "spent_percent": round(100 * spent / budgets[year], 2), "bills": len(bills),
            "source": "budgets and spending",
        }  # fmt: skip

    def calculate_break_even(
        self,
        product: ProductName,
        unit_cost_euro: Annotated[float, Field(gt=0, description="what a unit costs, in EUR")],
    ) -> Row:
        """Calculate how many units must be sold to earn the budgets of all years."""
        with self.database.read() as connection:
            row = find(connection, product)
            query = "SELECT sum(euro) AS euro FROM budgets WHERE product_id = ?"
            fixed = connection.execute(query, (row["id"],)).fetchone()["euro"]
        margin = row["price_euro"] - unit_cost_euro
        if margin <= 0:
            raise ToolError(
                f"at {unit_cost_euro} EUR a unit costs more than its price of"
                f" {row['price_euro']} EUR: check that the cost is in EUR"
            )
        return {"product": row["name"], "price_euro": row["price_euro"],
                "margin_euro": round(margin, 2), "budgets_euro": fixed,
                "break_even_units": math.ceil(fixed / margin), "source": "budgets"}  # fmt: skip

    def sum_risks(self, product: ProductName) -> Row:
        """Calculate the expected cost of a launch's risks: probability times cost, in EUR."""
        with self.database.read() as connection:
            row = find(connection, product)
            query = "SELECT name, probability, cost_euro FROM risks WHERE product_id = ?"
            risks = connection.execute(query, (row["id"],)).fetchall()
        known = [risk for risk in risks if risk["cost_euro"] is not None]
        expected = sum(risk["probability"] / 100 * risk["cost_euro"] for risk in known)
        missing = [risk["name"] for risk in risks if risk["cost_euro"] is None]
        return {"product": row["name"], "expected_cost_euro": round(expected, 2),
                "risks": known, "cost_never_estimated": missing,
                "source": "risks"}  # fmt: skip

    def compare_quotes(
        self,
        product: ProductName,
        units: Annotated[int | None, Field(gt=0, description="how many units to order")] = None,
    ) -> Row:
        """Compare the valid quotes for an order in EUR a unit, the cheapest first."""
        with self.database.read() as connection:
            row = find(connection, product)
            quotes = connection.execute(_QUOTES, (row["id"], TODAY.year)).fetchall()
        if units is None:
            least = ", ".join(f"{quote['least_units']:,}" for quote in quotes)
            raise ToolError(f"quotes hold from {least} units on: give units")
        reasons = {quote["supplier"]: _objection(quote, units) for quote in quotes}
        valid = [_offer(quote) for quote in quotes if not reasons[quote["supplier"]]]
        refused = {supplier: reason for supplier, reason in reasons.items() if reason}
        ranked = sorted(valid, key=lambda offer: float(offer["unit_price_euro"]))
        return {"product": row["name"], "units": units, "quotes": ranked, "left_out": refused,
                "source": "quotes"}  # fmt: skip


def workers(world: Launches) -> tuple[Agent, ...]:
    """A scheduler, a controller, a buyer, a researcher and a writer, who share no tool."""
    return (
        worker(
            world,
            "scheduler",
            "lists tasks with their slack, calculates launch days, and what delays do to them",
            duty="You say when a launch can be, in working days of a country.",
            does=(world.list_tasks, world.plan_launch, world.delay_task),
        ),
        worker(
            world,
            "controller",
            "checks budgets and bills, calculates break-even and risks, queries the database",
            duty="You say what a launch costs, in one currency, and when it pays.",
            does=(
                world.check_budget,
                world.calculate_break_even,
                world.sum_risks,
                *querying(world),
            ),
        ),
        worker(
            world,
            "buyer",
            "compares suppliers' quotes for an order, in EUR a unit, and calculates",
            duty="You compare what suppliers ask, for the order that is wanted.",
            does=(world.compare_quotes, *calculating()),
        ),
        worker(
            world,
            "researcher",
            "searches and reads quotes, minutes, market studies, newsletters and mails",
            duty="You find out what documents say about products and their launches.",
            does=searching(world),
        ),
        writer(world),
    )


_BILLS = """
    SELECT s.amount, s.currency, r.euro FROM spending s
    JOIN rates r ON r.currency = s.currency AND r.year = CAST(substr(s.day, 1, 4) AS INTEGER)
    WHERE s.product_id = ? AND substr(s.day, 1, 4) = ?
"""
_QUOTES = """
    SELECT q.*, r.euro FROM quotes q JOIN rates r ON r.currency = q.currency
    WHERE q.product_id = ? AND r.year = ? ORDER BY q.supplier
"""


def find(connection: sqlite3.Connection, name: str) -> Row:
    """The row of a product; raises ToolError for an unknown name."""
    rows = connection.execute("SELECT * FROM products ORDER BY name").fetchall()
    for row in rows:
        if row["name"].lower() == name.strip().lower():
            return dict(row)
    known = ", ".join(row["name"] for row in rows)
    raise ToolError(f"there is no product '{name}'; there are {known}")


def plan(connection: sqlite3.Connection, product_id: str) -> dict[str, Task]:
    """The tasks of a product by name, each after those that it comes after."""
    query = "SELECT id, name, days FROM tasks WHERE product_id = ? ORDER BY id"
    tasks = connection.execute(query, (product_id,)).fetchall()
    called = {task["id"]: task["name"] for task in tasks}
    after: dict[str, list[str]] = {id: [] for id in called}
    for row in connection.execute("SELECT * FROM dependencies ORDER BY task_id, after_id"):
        if row["task_id"] in after:
            after[row["task_id"]].append(called[row["after_id"]])
    return {
        task["name"]: Task(task["name"], task["days"], tuple(after[task["id"]])) for task in tasks
    }


def launch_day(
    connection: sqlite3.Connection, product: Row, days: int, country: str | None
) -> date:
    """The day of a launch; raises ToolError when nobody said whose holidays are kept."""
    if country is None:
        rows = connection.execute("SELECT DISTINCT country FROM holidays ORDER BY 1").fetchall()
        known = ", ".join(row["country"] for row in rows)
        raise ToolError(f"working days depend on public holidays: give country ({known})")
    query = "SELECT day FROM holidays WHERE country = ?"
    rows = connection.execute(query, (country,)).fetchall()
    holidays = {date.fromisoformat(row["day"]) for row in rows}
    return workday(date.fromisoformat(product["starts"]), days, holidays)


def _objection(quote: Row, units: int) -> str:
    if quote["valid_until"] < TODAY.isoformat():
        return f"expired on {quote['valid_until']}"
    if quote["least_units"] > units:
        return f"holds from {quote['least_units']:,} units on"
    return ""


def _offer(quote: Row) -> Row:
    return {
        "supplier": quote["supplier"],
        "unit_price": f"{quote['unit_price']:.2f} {quote['currency']}",
        "unit_price_euro": round(quote["unit_price"] * quote["euro"], 2),
        "lead_days": quote["lead_days"],
        "valid_until": quote["valid_until"],
    }
