"""The legal department's world and the workers in it."""

from __future__ import annotations

from course.agent import Agent
from course.scenarios.contract_review.generate import make_files
from course.scenarios.contract_review.tools import Register, Review
from course.scenarios.world.domain import calculating, querying, searching, worker, writer
from course.scenarios.world.world import World


class Files(World):
    """Eight contracts with suppliers, their amendments and invoices, and the playbook."""

    make = staticmethod(make_files)


def workers(world: Files) -> tuple[Agent, ...]:
    """Archive, register, reviewer and writer, who share no tool."""
    register, review = Register(world.database), Review(world.database)
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
                register.find_contract,
                register.get_clause,
                register.list_invoices,
                *querying(world),
            ),
        ),
        worker(
            world,
            "reviewer",
            "checks clauses against the playbook, calculates deadlines, liability and interest",
            duty="You say which clauses keep to the playbook, and what follows from them.",
            does=(
                review.check_clauses,
                review.find_deadline,
                review.compute_liability_cap,
                review.compute_late_interest,
                *calculating(),
            ),
        ),
        writer(world, whom="for the department "),
    )
