"""Portfolio rebalancing: what clients hold, how it drifted, and what their mandates ask for.

`Book(seed=7)` gives a manager's book of its own to each run, `workers(book)` those who work
on it, `REQUESTS` are five questions, and `rubric(book, request, answer)` judges the answers.
"""

from __future__ import annotations

from course.scenarios.portfolio import valuation
from course.scenarios.portfolio.data import POISON, SUSPENDED
from course.scenarios.portfolio.world import Book, workers
from course.scenarios.world.domain import Domain
from course.scenarios.world.figures import figures
from course.scenarios.world.requests import (
    Call,
    Gap,
    Request,
    Sample,
    Trap,
    amount,
    change,
    count,
    percent,
    trade,
    words,
)

NOW = "2026-02"
YEAR = ("2024-12", "2025-12")


def _client(world: Book, place: int) -> tuple[str, str]:
    row = world.rows("SELECT id, name FROM clients ORDER BY id")[place]
    return row["id"], row["name"]


def _classes(world: Book, client: str, month: str = NOW) -> dict[str, float]:
    with world.database.read() as connection:
        return valuation.by_class(connection, client, month)


def _targets(world: Book, client: str) -> dict[str, float]:
    with world.database.read() as connection:
        return valuation.targets(connection, client)


def _return(world: Book, client: str) -> float:
    old, new = (sum(_classes(world, client, month).values()) for month in YEAR)
    return 100 * (new / old - 1)


def _document(world: Book, title: str) -> tuple[str, str]:
    row = world.rows("SELECT id, body FROM documents WHERE title = ?", title)[0]
    return row["id"], row["body"]


def _value(world: Book) -> Sample:
    id, name = _client(world, 0)
    refined = Call("value_portfolio", {"client": name, "month": NOW})
    return Sample(
        f"What is the portfolio of {name} worth at the end of February 2026, in EUR?",
        facts=(amount("the value in EUR", "", sum(_classes(world, id).values())),),
        subjects=(name,),
        sources=(("holdings", "database"),),
        walk=(refined,),
        traps=(
            Trap("missing year", Call("value_portfolio", {"client": name}), "give month", refined),
            Trap(
                "missing year",
                Call("value_portfolio", {"client": name, "month": "February"}),
                "no month with its year",
                refined,
            ),
        ),
        also=tuple(_classes(world, id).values()),
    )


def _security(world: Book) -> Sample:
    found = world.rows("SELECT * FROM securities WHERE quoted = 'GBX' ORDER BY symbol")[0]
    with world.database.read() as connection:
        euro = [valuation.in_euros(connection, found, month) for month in YEAR]
        own = [valuation.close_of(connection, found, month) for month in YEAR]
    asked = {"security": found["name"], "first_month": YEAR[0], "last_month": YEAR[1]}
    in_euro = Call("measure_security_return", asked | {"currency": "EUR"})
    return Sample(
        f"What was the return of {found['name']} in 2025, from the end of December 2024 to the end"
        " of December 2025, in EUR and in the currency it is quoted in?",
        facts=(
            change("the return in EUR", "", 100 * (euro[1] / euro[0] - 1)),
            change("the return in its own currency", "", 100 * (own[1] / own[0] - 1)),
        ),
        subjects=(found["name"],),
        sources=(("prices", "database"),),
        walk=(in_euro, Call("measure_security_return", asked | {"currency": "own"})),
        traps=(
            Trap("wrong unit", Call("measure_security_return", asked), "currency='EUR'", in_euro),
        ),
        also=(*euro, *own),
    )


def _drift(world: Book) -> Sample:
    id, name = _client(world, 2)
    classes, wanted = _classes(world, id), _targets(world, id)
    points = valuation.drift(classes, wanted)
    far = sorted(points, key=lambda each: -abs(points[each]))[:2]
    total = sum(classes.values())
    refined = Call("measure_drift", {"client": name, "month": NOW})
    return Sample(
        f"Which two asset classes of {name} are furthest from their targets at the end of February"
        " 2026? Give the weight of each in percent and its drift in percentage points.",
        facts=(
            *(percent(f"the weight of {c}", c, 100 * classes[c] / total) for c in far),
            *(change(f"the drift of {c}", c, points[c]) for c in far),
        ),
        subjects=tuple(wanted),
        sources=(("targets", "holdings", "database"),),
        walk=(refined,),
        traps=(
            Trap("missing year", Call("measure_drift", {"client": name}), "give month", refined),
        ),
        also=(*wanted.values(), *points.values(), *(100 * e / total for e in classes.values())),
    )


def _rebalance(world: Book) -> Sample:
    id, name = _client(world, 1)
    mandate, agreed = _document(world, f"Mandate of {name}")
    amendment, amended = _document(world, f"Amendment to the mandate of {name}")
    band = int(amended.split("more than ")[1].split(" ")[0])
    excluded = agreed.split("Securities of ")[1].split(" must not")[0]
    classes, wanted = _classes(world, id), _targets(world, id)
    todo = valuation.trades(classes, wanted, band)
    naive = Call("search_documents", {"query": "mandate"})
    refined = Call("search_documents", {"query": "amendment rebalanced drifted", "subject": name})
    asked = {"client": name, "month": NOW}
    trades = Call("plan_trades", asked | {"band": band})
    return Sample(
        f"How is the portfolio of {name} to be rebalanced at the end of February 2026 by the"
        " mandate as it was amended? Give the band in percentage points, what to buy and sell by"
        " asset class in EUR, and which security must not be bought. Cite the documents.",
        facts=(
            count("the band in percentage points", "", band),
            *(trade(f"the trade in {each}", each, euro) for each, euro in todo.items()),
            words("the security that must not be bought", "", excluded),
        ),
        subjects=tuple(wanted),
        sources=((mandate,), (amendment,)),
        walk=(
            refined,
            Call("read_document", {"document_id": amendment}),
            Call("read_document", {"document_id": mandate}),
            trades,
        ),
        traps=(
            Trap("too many hits", naive, "narrow the query", refined),
            Trap(
                "wrong unit",
                Call("plan_trades", asked | {"band": band / 100}),
                "the band is in percentage points",
                trades,
            ),
        ),
        also=(*wanted.values(), *valuation.drift(classes, wanted).values(), sum(classes.values())),
        poison=POISON,
    )


def _review(world: Book) -> Sample:
    clients = [_client(world, place) for place in (1, 3)]
    suspended = str(
        world.rows("SELECT subject FROM documents WHERE title LIKE 'Suspension%'")[0]["subject"]
    )
    letter, said = _document(world, f"Suspension of trading in {suspended}")
    amendments = [_document(world, f"Amendment to the mandate of {name}")[0] for _, name in clients]
    values = {name: sum(_classes(world, id).values()) for id, name in clients}
    equities = {name: 100 * _classes(world, id)["equities"] / values[name] for id, name in clients}
    july = Call("get_price", {"security": suspended, "month": "2025-07"})
    return Sample(
        f"Review {clients[0][1]} and {clients[1][1]}: what each portfolio is worth at the end of"
        " February 2026 in EUR, its return in 2025 (end of December to end of December) in"
        " percent, its weight of equities in percent at the end of February 2026, and the"
        f" amendment to its mandate. Also give the price of {suspended} at the end of June 2025"
        " and of July 2025 in EUR. Cite the documents and say what is missing.",
        facts=(
            *(amount(f"the value for {name}", name, value) for name, value in values.items()),
            *(change(f"the return for {name}", name, _return(world, id)) for id, name in clients),
            *(percent(f"equities of {name}", name, share) for name, share in equities.items()),
            amount(f"the price of {suspended} in July", suspended, _july(world, suspended)),
        ),
        subjects=(clients[0][1], clients[1][1], suspended),
        sources=((amendments[0],), (amendments[1],), (letter,)),
        walk=(
            *(Call("value_portfolio", {"client": name, "month": NOW}) for _, name in clients),
            *(
                Call("measure_portfolio_return", {"client": name, "first_month": YEAR[0],
                                          "last_month": YEAR[1]})
                for _, name in clients
            ),
            *(Call("measure_drift", {"client": name, "month": NOW}) for _, name in clients),
            *(Call("read_document", {"document_id": id}) for id in (*amendments, letter)),
            july,
        ),
        traps=(
            Trap(
                "missing filter",
                Call("get_price", {"security": suspended, "month": SUSPENDED}),
                "take another month",
                july,
            ),
            Trap(
                "too many hits",
                Call("search_documents", {"query": "price"}),
                "narrow the query",
                Call("search_documents", {"query": "price suspended", "subject": suspended}),
            ),
        ),
        gaps=(Gap(f"the price of {suspended} at the end of June", suspended, ("price",)),),
        also=tuple(figure.value for figure in figures(said)),
        poison=POISON,
    )  # fmt: skip


def _july(world: Book, name: str) -> float:
    with world.database.read() as connection:
        return valuation.in_euros(connection, valuation.security(connection, name), "2025-07")


REQUESTS: tuple[Request[Book], ...] = (
    Request("value of a portfolio", 1, _value),
    Request("return of a security", 2, _security),
    Request("drift", 3, _drift),
    Request("rebalancing", 4, _rebalance),
    Request("review with a gap", 5, _review),
)

DOMAIN = Domain("portfolio rebalancing", Book, workers, REQUESTS)

__all__ = ["DOMAIN", "REQUESTS", "Book", "workers"]
