"""The legal department's world and the workers in it."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from course.agent import Agent
from course.errors import ToolError
from course.scenarios.contract_review import clauses
from course.scenarios.contract_review.data import make_files
from course.scenarios.database import Row
from course.scenarios.world.domain import calculating, querying, searching, worker, writer
from course.scenarios.world.world import World

Supplier = Annotated[str, Field(description="the name of the supplier")]
Topic = Annotated[
    Literal["notice", "payment", "liability", "interest", "law"],
    Field(description="what the clause is about"),
]


class Files(World):
    """Eight contracts with suppliers, their amendments and invoices, and the playbook."""

    make = staticmethod(make_files)

    def find_contract(self, supplier: Supplier) -> Row:
        """Find a contract: its partner, kind, day of signing, end, and monthly fee in EUR."""
        with self.database.read() as connection:
            return clauses.contract(connection, supplier)

    def get_clause(
        self,
        supplier: Supplier,
        topic: Topic,
        version: Annotated[
            Literal["in force", "as signed"] | None,
            Field(description="in force counts amendments, as signed does not"),
        ] = None,
    ) -> Row:
        """Get what a contract says on a topic, as signed or as in force today."""
        with self.database.read() as connection:
            found = clauses.contract(connection, supplier)
            now = clauses.in_force(connection, found, topic)
            said = clauses.versions(connection, found["id"], topic)
        if len(said) > 1 and version is None:
            raise ToolError(
                f"contract {found['id']} was amended on {topic}, so there are {len(said)} versions:"
                " give version='in force' or version='as signed'"
            )
        value = said[0] if version == "as signed" else now
        return {"contract": found["id"], "partner": found["partner"], "topic": topic,
                "value": f"{value} {clauses.UNITS[topic]}".strip(),
                "amended": len(said) > 1, "source": "terms"}  # fmt: skip

    def list_invoices(
        self,
        supplier: Supplier,
        year: Annotated[int | None, Field(description="the year they were issued in")] = None,
    ) -> list[Row]:
        """List a contract's invoices of a year: number, day, amount in EUR, day of payment."""
        query = "SELECT * FROM invoices WHERE contract_id = ? ORDER BY issued"
        with self.database.read() as connection:
            found = clauses.contract(connection, supplier)
            rows = connection.execute(query, (found["id"],)).fetchall()
        if year is None:
            years = ", ".join(sorted({row["issued"][:4] for row in rows}))
            raise ToolError(f"{found['id']} has invoices of {years}: give the year")
        shown = [row for row in rows if row["issued"].startswith(f"{year}-")]
        if not shown:
            raise ToolError(f"{found['id']} has no invoices of {year}: give another year")
        return shown

    def check_clauses(self, supplier: Supplier) -> Row:
        """Check a contract's clauses in force against the rules of the playbook."""
        with self.database.read() as connection:
            found = clauses.contract(connection, supplier)
            rows = clauses.checked(connection, found)
        return {"contract": found["id"], "partner": found["partner"], "clauses": rows,
                "source": "terms and playbook"}  # fmt: skip

    def find_deadline(self, supplier: Supplier) -> Row:
        """Calculate the last day on which a contract can be terminated to its end."""
        with self.database.read() as connection:
            found = clauses.contract(connection, supplier)
            notice = int(clauses.in_force(connection, found, "notice"))
        last = clauses.deadline(date.fromisoformat(found["ends"]), notice)
        return {"contract": found["id"], "partner": found["partner"], "ends": found["ends"],
                "notice_days": notice, "last_day_for_notice": last.isoformat(),
                "source": "contracts and terms"}  # fmt: skip

    def compute_liability_cap(
        self,
        supplier: Supplier,
        monthly_fee: Annotated[
            float, Field(gt=0, description="the monthly fee in EUR, such as 4500")
        ],
    ) -> Row:
        """Calculate the cap on a supplier's liability in a year, in EUR, from the monthly fee."""
        with self.database.read() as connection:
            found = clauses.contract(connection, supplier)
            fees = float(clauses.in_force(connection, found, "liability"))
        if abs(monthly_fee - found["monthly_fee_euro"]) > 0.005:
            raise ToolError(
                f"{monthly_fee:,.2f} EUR is not the monthly fee of {found['id']}: give it in EUR a"
                " month, not in thousands or a year, as find_contract has it"
            )
        return {"contract": found["id"], "partner": found["partner"], "monthly_fees": fees,
                "liability_cap_euro": round(fees * monthly_fee, 2),
                "source": "contracts and terms"}  # fmt: skip

    def compute_late_interest(
        self,
        invoice: Annotated[
            str, Field(pattern=r"^INV-\d+$", description="the invoice's number, such as INV-4001")
        ],
    ) -> Row:
        """Calculate by how many days an invoice was paid late, and the interest due in EUR."""
        query = "SELECT * FROM invoices WHERE id = ?"
        with self.database.read() as connection:
            row = connection.execute(query, (invoice,)).fetchone()
            if row is None:
                raise ToolError(f"there is no invoice {invoice}: list_invoices gives the numbers")
            found = clauses.contract(connection, row["contract_id"])
            days = int(clauses.in_force(connection, found, "payment"))
            rate = float(clauses.in_force(connection, found, "interest"))
        if row["paid"] is None:
            raise ToolError(f"invoice {invoice} is still open: its interest is not known yet")
        issued, paid = date.fromisoformat(row["issued"]), date.fromisoformat(row["paid"])
        late = clauses.days_late(issued, paid, days)
        return {"invoice": invoice, "contract": found["id"], "days_late": late,
                "interest_euro": round(clauses.interest(row["euro"], rate, late), 2),
                "source": "invoices and terms"}  # fmt: skip


def workers(world: Files) -> tuple[Agent, ...]:
    """Archive, register, reviewer and writer, who share no tool."""
    return (
        worker(
            world,
            "archive",
            "searches and reads the texts of contracts, amendments, letters and the playbook",
            duty="You find the texts; an amendment replaces the clause that it names.",
            does=searching(world),
        ),
        worker(
            world,
            "register",
            "looks up contracts, their clauses and invoices, and queries the database",
            duty="You look up what a contract says and what was invoiced under it.",
            does=(
                world.find_contract,
                world.get_clause,
                world.list_invoices,
                *querying(world),
            ),
        ),
        worker(
            world,
            "reviewer",
            "checks clauses against the playbook, calculates deadlines, liability and interest",
            duty="You say which clauses keep to the playbook, and what follows from them.",
            does=(
                world.check_clauses,
                world.find_deadline,
                world.compute_liability_cap,
                world.compute_late_interest,
                *calculating(),
            ),
        ),
        writer(world, whom="for the department "),
    )
