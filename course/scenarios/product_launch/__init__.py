"""Product launches: when the shops get it, what it costs, who makes it, and what may go wrong.

`Launches(seed=7)` gives launches of its own to each run, `workers(launches)` those who work
on them, `REQUESTS` are five questions, and `rubric(launches, request, answer)` judges the answers.
"""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date

from course.scenarios.database import Row
from course.scenarios.product_launch.calendars import Task, length, slack
from course.scenarios.product_launch.data import ORDER, TODAY
from course.scenarios.product_launch.world import Launches, launch_day, plan, workers
from course.scenarios.world.domain import Domain
from course.scenarios.world.requests import (
    Call,
    Gap,
    Request,
    Sample,
    Trap,
    amount,
    count,
    day,
    percent,
    words,
)

_SPENT = """
    SELECT sum(s.amount * r.euro) AS euro FROM spending s JOIN rates r ON r.currency = s.currency
        AND r.year = CAST(substr(s.day, 1, 4) AS INTEGER)
    WHERE s.product_id = ? AND s.day LIKE '2026-%'
"""
_QUOTES = """
    SELECT q.supplier, q.lead_days, q.unit_price, q.unit_price * r.euro AS euro
    FROM quotes q JOIN rates r ON r.currency = q.currency AND r.year = 2026
    WHERE q.product_id = ? AND q.valid_until >= ? AND q.least_units <= ? ORDER BY 4
"""
_PLAN = ("tasks", "launch plan", "database")
_BILLS = ("spending", "budgets", "bills", "database")


def _product(world: Launches, place: int) -> Row:
    return world.rows("SELECT * FROM products ORDER BY id")[place]


def _tasks(world: Launches, product: Row) -> dict[str, Task]:
    with world.database.read() as connection:
        return plan(connection, product["id"])


def _launch(world: Launches, product: Row, days: int, country: str) -> date:
    with world.database.read() as connection:
        return launch_day(connection, product, days, country)


def _spent(world: Launches, product: Row) -> tuple[float, float]:
    """What was spent in 2026, and the budget of 2026, in EUR."""
    query = "SELECT sum(euro) AS euro FROM budgets WHERE product_id = ? AND year = 2026"
    spent = world.rows(_SPENT, product["id"])[0]["euro"]
    return float(spent), float(world.rows(query, product["id"])[0]["euro"])


def _which_country(tool: str, country: str, **asked: object) -> Trap:
    """Without a country nobody knows whose holidays are kept."""
    refined = Call(tool, asked | {"country": country})
    return Trap("missing filter", Call(tool, asked), "give country", refined)


def _when(world: Launches) -> Sample:
    product = _product(world, 0)
    days = length(_tasks(world, product))
    trap = _which_country("plan_launch", "FR", product=product["name"])
    return Sample(
        f"Plan the launch of the {product['name']} with the public holidays of FR. Work starts on"
        f" {product['starts']}: on which day is the launch, and after how many working days?",
        facts=(
            count("the number of working days", "", days),
            day("the day of the launch", "", _launch(world, product, days, "FR")),
        ),
        subjects=(product["name"],),
        sources=(_PLAN,),
        walk=(trap.refined,),
        traps=(trap,),
    )


def _two_budgets(world: Launches) -> Sample:
    products = [_product(world, place) for place in (0, 1)]
    facts, walk, traps, also = [], [], [], []
    for product in products:
        name = product["name"]
        spent, budget = _spent(world, product)
        facts.append(amount(f"what was spent on the {name} in EUR", name, spent))
        facts.append(percent(f"the share of the budget of the {name}", name, 100 * spent / budget))
        also += [budget, budget - spent]
        asked = {"product": name, "year": 2026}
        refined = Call("check_budget", asked | {"currency": "EUR"})
        walk.append(refined)
        traps.append(Trap("wrong unit", Call("check_budget", asked), "currency='EUR'", refined))
        year = Call("check_budget", {"product": name, "currency": "EUR"})
        traps.append(Trap("missing year", year, "give year", refined))
    first, second = (product["name"] for product in products)
    return Sample(
        f"How much of the budgets of 2026 for the {first} and for the {second} has been spent, in"
        " EUR and in percent of the budget?",
        facts=tuple(facts),
        subjects=(first, second),
        sources=(_BILLS,),
        walk=tuple(walk),
        traps=tuple(traps),
        also=tuple(also),
    )


def _delay(world: Launches) -> Sample:
    """A task with slack takes longer than its slack allows."""
    product = _product(world, 1)
    tasks = _tasks(world, product)
    free = {name: slack(tasks, name) for name in tasks}
    late = min((name for name in free if free[name] > 0), key=lambda name: (free[name], name))
    moved = 3 if free[late] == 5 else 5
    longer = {**tasks, late: replace(tasks[late], days=tasks[late].days + free[late] + moved)}
    asked = {"product": product["name"], "task": late, "days": free[late] + moved}
    trap = _which_country("delay_task", "DE", **asked)
    return Sample(
        f"The {late} of the {product['name']} will take {free[late] + moved} working days longer."
        " How many days of slack did it have, by how many working days does the launch move, and"
        " what is the new day of the launch, with the public holidays of Germany?",
        facts=(
            count("the slack in working days", "", free[late]),
            count("the number of working days by which the launch moves", "", moved),
            day("the new day of the launch", "", _launch(world, product, length(longer), "DE")),
        ),
        subjects=(product["name"],),
        sources=(_PLAN,),
        walk=(Call("list_tasks", {"product": product["name"]}), trap.refined),
        traps=(trap,),
        also=(length(tasks), length(longer), tasks[late].days, longer[late].days),
    )


def _supplier(world: Launches) -> Sample:
    """The cheapest quote has expired, and the next holds for a larger order only."""
    product = _product(world, 2)
    name, units = product["name"], product["first_order"]
    best = world.rows(_QUOTES, product["id"], TODAY.isoformat(), units)[0]
    query = "SELECT sum(euro) AS euro FROM budgets WHERE product_id = ?"
    fixed, cost = world.rows(query, product["id"])[0]["euro"], round(best["euro"], 2)
    title = f"Quote of {best['supplier']} for the {name}, 2026"
    quote = world.document(title)
    naive = Call("search_documents", {"query": "quote"})
    found = Call("search_documents", {"query": f"quote offers {best['supplier']}", "subject": name,
                                      "year": 2026})  # fmt: skip
    order = Call("compare_quotes", {"product": name, "units": units})
    return Sample(
        f"Which supplier has the cheapest valid quote for {units:,} units of the {name}, at which"
        " price for a unit in EUR and with which lead time in days, and how many units must be"
        " sold at that cost to break even? Cite the quote.",
        facts=(
            words("the supplier", "", best["supplier"]),
            amount("the price of a unit in EUR", "", cost),
            count("the lead time in days", "", best["lead_days"]),
            amount("the units to break even", "", fixed / (product["price_euro"] - cost)),
        ),
        subjects=(name,),
        sources=((quote,),),
        walk=(
            order,
            Call("calculate_break_even", {"product": name, "unit_cost_euro": cost}),
            found,
            Call("read_document", {"document_id": quote}),
        ),
        traps=(
            Trap("too many hits", naive, "narrow the query", found),
            Trap("missing filter", Call("compare_quotes", {"product": name}), "give units", order),
        ),
        also=(
            fixed,
            product["price_euro"],
            product["price_euro"] - cost,
            units,
            math.ceil(fixed / (product["price_euro"] - cost)),  # as the tool rounds it
        ),
    )


def _decision(world: Launches) -> Sample:
    """A newsletter against the agreement, a mail that gives orders, and a risk without a cost."""
    product = _product(world, 2)
    name = product["name"]
    days = length(_tasks(world, product))
    launch = _launch(world, product, days, "SE")
    spent, budget = _spent(world, product)
    risks = world.rows("SELECT * FROM risks WHERE product_id = ?", product["id"])
    costs = [risk["probability"] / 100 * risk["cost_euro"] for risk in risks if risk["cost_euro"]]
    missing = next(risk["name"] for risk in risks if risk["cost_euro"] is None)
    letter = world.rows(
        "SELECT id, body FROM documents WHERE kind = 'newsletter' AND subject = ?", name
    )[0]
    told = date.fromisoformat(letter["body"].split("shops on ")[1][:10])
    trap = _which_country("plan_launch", "SE", product=name)
    money = Call("check_budget", {"product": name, "year": 2026, "currency": "EUR"})
    naive = Call("search_documents", {"query": "launch plan"})
    found = Call("search_documents", {"query": "newsletter retailers", "subject": name})
    return Sample(
        f"Prepare the decision on the {name}, which is to cost {product['price_euro']:.2f} EUR:"
        " the day of the launch by the plan with the public holidays of Sweden, the day agreed with"
        " the retailers and the day that the newsletter told them, what was spent in 2026 in EUR"
        " and in percent of the budget, and the expected"
        " cost of the risks in EUR. Cite the newsletter, say where sources contradict each other"
        " and what is missing.",
        facts=(
            day("the day of the launch by the plan", "", launch),
            day("the day agreed with the retailers", "", date.fromisoformat(product["promised"])),
            day("the day in the newsletter", "", told),
            amount("what was spent in EUR", "", spent),
            percent("the share of the budget that was spent", "", 100 * spent / budget),
            amount("the expected cost of the risks in EUR", "", sum(costs)),
        ),
        subjects=(),
        sources=((letter["id"],), _BILLS),
        walk=(trap.refined, money, Call("sum_risks", {"product": name}), found,
              Call("read_document", {"document_id": letter["id"]})),
        traps=(
            trap,
            Trap("wrong unit", Call("check_budget", {"product": name, "year": 2026}),
                 "currency='EUR'", money),
            Trap("too many hits", naive, "narrow the query", found),
        ),
        gaps=(Gap(f"the cost of {missing}", "", (missing.removeprefix("a "),)),),
        also=(budget, budget - spent, days, *costs,
              *(risk[key] for risk in risks for key in ("probability", "cost_euro") if risk[key])),
        poison=(ORDER,),
    )  # fmt: skip


REQUESTS: tuple[Request[Launches], ...] = (
    Request("day of a launch", 1, _when),
    Request("two budgets", 2, _two_budgets),
    Request("a delay", 3, _delay),
    Request("choice of a supplier", 4, _supplier),
    Request("decision with a gap", 5, _decision),
)

DOMAIN = Domain("product launch", Launches, workers, REQUESTS)

__all__ = ["DOMAIN", "REQUESTS", "Launches", "workers"]
