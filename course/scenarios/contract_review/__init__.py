"""Contract review: what contracts say as amended, what breaks the playbook, what follows.

`Files(seed=7)` gives a legal department's files to each run, `workers(files)` those who
work on them, `REQUESTS` are five questions, and `rubric(files, request, answer)` judges answers.
"""

from __future__ import annotations

from datetime import date

from course.scenarios.contract_review import clauses
from course.scenarios.contract_review.data import POISON
from course.scenarios.contract_review.world import Files, workers
from course.scenarios.database import Row
from course.scenarios.world.domain import Domain
from course.scenarios.world.requests import (
    Call,
    Fact,
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

_BREAKS = (
    "break", "broke", "violat", "breach", "outside", "exceed", "conflict", "contrary",
    "deviat", "not comply", "not meet", "not keep", "not in line", "not allowed", "too long",
    "too short", "too low", "too high", "fails", "non-complian",
)  # fmt: skip


def _contract(world: Files, place: int) -> Row:
    return world.rows("SELECT * FROM contracts ORDER BY id")[place]


def _term(world: Files, contract: Row, topic: str) -> str:
    with world.database.read() as connection:
        return clauses.in_force(connection, contract, topic)


def _text_of(world: Files, contract: Row) -> str:
    return world.document(f"Contract {contract['id']} with {contract['partner']}")


def _deadline(world: Files, contract: Row) -> date:
    notice = int(_term(world, contract, "notice"))
    return clauses.deadline(date.fromisoformat(contract["ends"]), notice)


def _late(world: Files, contract: Row) -> tuple[Row, int, float]:
    """The contract's invoice that was paid late, by how many days, and the interest in EUR."""
    days = int(_term(world, contract, "payment"))
    rate = float(_term(world, contract, "interest"))
    query = "SELECT * FROM invoices WHERE contract_id = ? AND paid IS NOT NULL"
    for row in world.rows(query, contract["id"]):
        issued, paid = date.fromisoformat(row["issued"]), date.fromisoformat(row["paid"])
        late = clauses.days_late(issued, paid, days)
        if late:
            return row, late, clauses.interest(row["euro"], rate, late)
    raise LookupError(f"no invoice of {contract['id']} was paid late")


def _broken(world: Files, contract: Row) -> list[str]:
    with world.database.read() as connection:
        rows = clauses.checked(connection, contract)
    return [row["topic"] for row in rows if row["verdict"] == "broken"]


def _invoices(contract: Row) -> Trap:
    asked = {"supplier": contract["id"]}
    refined = Call("list_invoices", asked | {"year": 2025})
    return Trap("missing year", Call("list_invoices", asked), "give the year", refined)


def _clause(contract: Row, topic: str) -> Trap:
    asked = {"supplier": contract["id"], "topic": topic}
    refined = Call("get_clause", asked | {"version": "in force"})
    return Trap("wrong version", Call("get_clause", asked), "version='in force'", refined)


def _payment_days(world: Files) -> Sample:
    contract = _contract(world, 3)
    trap = _clause(contract, "payment")
    return Sample(
        f"How many days are there to pay invoices of {contract['partner']}, as in force today?",
        facts=(count("the days for payment", "", int(_term(world, contract, "payment"))),),
        subjects=(contract["partner"],),
        sources=(("terms", "database", contract["id"]),),
        walk=(trap.refined,),
        traps=(trap,),
    )


def _last_day(world: Files) -> Sample:
    contract = _contract(world, 1)
    trap = _clause(contract, "notice")
    return Sample(
        f"What is the last day to terminate the contract with {contract['partner']} to its end, and"
        " how many days of notice are in force?",
        facts=(
            day("the last day for notice", "", _deadline(world, contract)),
            count("the days of notice", "", int(_term(world, contract, "notice"))),
        ),
        subjects=(contract["partner"],),
        sources=(("terms", "database", contract["id"]),),
        walk=(trap.refined, Call("find_deadline", {"supplier": contract["id"]})),
        traps=(trap,),
    )


def _late_invoice(world: Files) -> Sample:
    contract = _contract(world, 4)
    row, late, euros = _late(world, contract)
    fees = float(_term(world, contract, "liability"))
    fee = contract["monthly_fee_euro"]
    asked = {"supplier": contract["id"]}
    cap = Call("compute_liability_cap", asked | {"monthly_fee": fee})
    return Sample(
        f"Which invoice of {contract['partner']} from 2025 was paid late, by how many days, and"
        " what interest does that make in EUR? Up to which amount in EUR a year is the supplier"
        " liable?",
        facts=(
            words("the invoice", "", row["id"]),
            count("the days it was late", "", late),
            amount("the interest in EUR", "", euros),
            amount("the cap on liability in EUR", "", fees * fee),
        ),
        subjects=(contract["partner"],),
        sources=(("invoices", "terms", "database"),),
        walk=(
            _invoices(contract).refined,
            Call("compute_late_interest", {"invoice": row["id"]}),
            Call("find_contract", asked),
            cap,
        ),
        traps=(
            _invoices(contract),
            Trap(
                "wrong unit",
                Call("compute_liability_cap", asked | {"monthly_fee": fee / 1000}),
                "not in thousands or a year",
                cap,
            ),
        ),
        also=(row["euro"], fee, fees, float(_term(world, contract, "interest"))),
    )


def _against_playbook(world: Files) -> Sample:
    contract = _contract(world, 7)
    name, id = contract["partner"], contract["id"]
    amendment = world.document(f"Amendment to contract {id}: notice")
    playbook = world.document("Contract playbook")
    refined = Call("search_documents", {"query": "amendment notice", "subject": name})
    return Sample(
        f"Which clauses of the contract with {name} break the playbook as they are in force today?"
        " Give its notice in days, its interest in percent a year and its law, the last day for"
        " notice, and cite contract, amendment and playbook.",
        facts=(
            *(words(f"that {topic} breaks the playbook", "", topic, near=_BREAKS)
              for topic in _broken(world, contract)),
            count("the days of notice", "", int(_term(world, contract, "notice"))),
            percent("the interest", "", float(_term(world, contract, "interest"))),
            words("the law", "", _term(world, contract, "law")),
            day("the last day for notice", "", _deadline(world, contract)),
        ),
        subjects=(name,),
        sources=((_text_of(world, contract),), (amendment,), (playbook,)),
        walk=(
            Call("check_clauses", {"supplier": id}),
            Call("find_deadline", {"supplier": id}),
            refined,
            Call("search_documents", {"query": "playbook accept"}),
            Call("read_document", {"document_id": _text_of(world, contract)}),
        ),
        traps=(
            Trap(
                "too many hits",
                Call("search_documents", {"query": "contract"}),
                "narrow the query",
                refined,
            ),
            _clause(contract, "notice"),
        ),
        poison=POISON,
    )  # fmt: skip


def _comparison(world: Files) -> Sample:
    silent, third, fourth = (_contract(world, place) for place in (5, 3, 1))
    asked = (silent, third, fourth)
    texts = [_text_of(world, contract) for contract in asked]
    refined = Call("search_documents", {"query": "contract runs", "subject": silent["partner"]})
    return Sample(
        "Compare the contracts with"
        f" {silent['partner']}, {third['partner']} and {fourth['partner']}: days of notice in"
        " force, last day for notice, cap on liability in EUR a year, and the interest due in EUR"
        f" on the invoice of {third['partner']} from 2025 that was paid late. Cite the contracts"
        " and say what is missing.",
        facts=(
            *(_notice(world, contract) for contract in asked),
            *(
                day(f"the last day for notice to {c['partner']}", c["partner"], _deadline(world, c))
                for c in asked
            ),
            *(_cap(world, contract) for contract in (third, fourth)),
            amount("the interest in EUR", third["partner"], _late(world, third)[2]),
        ),
        subjects=tuple(contract["partner"] for contract in asked),
        sources=tuple((id,) for id in texts),
        walk=(
            *(Call("find_deadline", {"supplier": c["id"]}) for c in asked),
            *(
                Call(
                    "compute_liability_cap",
                    {"supplier": c["id"], "monthly_fee": c["monthly_fee_euro"]},
                )
                for c in (third, fourth)
            ),
            _invoices(third).refined,
            Call("compute_late_interest", {"invoice": _late(world, third)[0]["id"]}),
            *(Call("read_document", {"document_id": id}) for id in texts),
        ),
        traps=(
            _invoices(third),
            _clause(fourth, "notice"),
            Trap(
                "missing filter",
                Call("get_clause", {"supplier": silent["id"], "topic": "liability"}),
                "name it as missing",
                Call("check_clauses", {"supplier": silent["id"]}),
            ),
            Trap(
                "too many hits",
                Call("search_documents", {"query": "notice contract"}),
                "narrow the query",
                refined,
            ),
        ),
        gaps=(
            Gap(f"a clause on liability with {silent['partner']}", silent["partner"],
                ("liability", "liable")),
        ),
        also=(float(_late(world, third)[1]),),
        poison=POISON,
    )  # fmt: skip


def _notice(world: Files, contract: Row) -> Fact:
    name = contract["partner"]
    return count(f"the days of notice for {name}", name, int(_term(world, contract, "notice")))


def _cap(world: Files, contract: Row) -> Fact:
    euros = float(_term(world, contract, "liability")) * contract["monthly_fee_euro"]
    return amount(f"the cap on liability of {contract['partner']}", contract["partner"], euros)


REQUESTS: tuple[Request[Files], ...] = (
    Request("days for payment", 1, _payment_days),
    Request("last day for notice", 2, _last_day),
    Request("late invoice", 3, _late_invoice),
    Request("against the playbook", 4, _against_playbook),
    Request("comparison with a gap", 5, _comparison),
)

DOMAIN = Domain("contract review", Files, workers, REQUESTS)

__all__ = ["DOMAIN", "REQUESTS", "Files", "workers"]
