"""The legal department's world and the workers in it."""

from __future__ import annotations

from course.agent import Agent
from course.scenarios.contract_review.generate import TODAY, files_bytes
from course.scenarios.contract_review.tools import Register, Review
from course.scenarios.world.domain import calculating, querying, searching, worker, writing
from course.scenarios.world.world import World

TABLES = ("contracts", "terms", "invoices", "playbook")


class Files(World):
    """Eight contracts with suppliers, their amendments and invoices, and the playbook."""


def open_files(*, seed: int = 7) -> Files:
    """Open a legal department's files on a fresh copy of the database that belongs to `seed`."""
    return Files(files_bytes(seed), seed=seed, today=TODAY, tables=TABLES)


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
        worker(
            world,
            "writer",
            "formats results as a table, as bullets or as a memo",
            duty="You lay out for the department what others have found, and add nothing to it.",
            does=writing(),
        ),
    )
