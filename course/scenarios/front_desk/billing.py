"""Invoices and payments. Amounts are whole cents inside and text such as '86.40 EUR' outside."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from course.errors import ToolError
from course.scenarios.database import Database, Row
from course.scenarios.front_desk.diary import TODAY
from course.scenarios.front_desk.patients import PatientId, require_patient
from course.scenarios.shared import money

InvoiceId = Annotated[
    str, Field(pattern=r"^INV-\d+$", description="the invoice's number, such as INV-3001")
]

_INVOICES = """
    SELECT i.id AS invoice_id, i.issued, i.due, b.total_cents, b.paid_cents,
           CASE WHEN b.paid_cents = b.total_cents THEN 'paid'
                WHEN i.due < ? THEN 'overdue' ELSE 'unpaid' END AS status
    FROM invoices i JOIN balances b ON b.invoice_id = i.id
"""
_SHOWN = {
    "unpaid": ("unpaid", "overdue"),
    "overdue": ("overdue",),
    "paid": ("paid",),
    "all": ("unpaid", "overdue", "paid"),
}


@dataclass(frozen=True, slots=True)
class Billing:
    """The tools that read invoices and write payments, on one database."""

    database: Database

    def list_invoices(
        self,
        patient_id: PatientId,
        status: Annotated[
            Literal["unpaid", "overdue", "paid", "all"],
            Field(description="which invoices to show; unpaid includes overdue ones"),
        ] = "unpaid",
    ) -> Row:
        """List a patient's invoices with their items, and the total that the patient owes."""
        with self.database.read() as connection:
            name = require_patient(connection, patient_id)
            query = f"{_INVOICES} WHERE i.patient_id = ? ORDER BY i.issued, i.id"
            rows = connection.execute(query, (TODAY.isoformat(), patient_id)).fetchall()
            owed = sum(row["total_cents"] - row["paid_cents"] for row in rows)
            shown = [_readable(connection, row) for row in rows if row["status"] in _SHOWN[status]]
        return {"patient": name, "total_owed": money(owed), "invoices": shown}

    def pay_invoice(
        self,
        invoice_id: InvoiceId,
        amount: Annotated[
            float | None,
            Field(
                gt=0,
                allow_inf_nan=False,
                description="euros to pay; leave it out to pay all that is open",
            ),
        ] = None,
    ) -> Row:
        """Pay an invoice, all that is still open or a part of it."""
        with self.database.write() as connection:
            invoice = _invoice(connection, invoice_id)
            open_cents = invoice["total_cents"] - invoice["paid_cents"]
            cents = open_cents if amount is None else to_cents(amount)
            _check_payment(invoice_id, cents, open_cents)
            connection.execute(
                "INSERT INTO payments (invoice_id, paid_on, cents) VALUES (?, ?, ?)",
                (invoice_id, TODAY.isoformat(), cents),
            )
            after = _readable(connection, _invoice(connection, invoice_id))
        return {"paid_now": money(cents)} | after


def to_cents(euros: float) -> int:
    """Whole cents; raises ToolError for fractions of a cent."""
    cents = Decimal(str(euros)) * 100  # by way of text: 19.99 as a binary fraction is not 19.99
    if cents != int(cents):
        raise ToolError(f"{euros} euros is not a whole number of cents: give at most two decimals")
    return int(cents)


def _invoice(connection: sqlite3.Connection, invoice_id: str) -> Row:
    query = f"{_INVOICES} WHERE i.id = ?"
    row: Row | None = connection.execute(query, (TODAY.isoformat(), invoice_id)).fetchone()
    if row is None:
        raise ToolError(
            f"there is no invoice {invoice_id}: list_invoices gives a patient's numbers"
        )
    return row


def _check_payment(invoice_id: str, cents: int, open_cents: int) -> None:
    if open_cents == 0:
        raise ToolError(f"invoice {invoice_id} is already paid: nothing is open")
    if cents > open_cents:
        raise ToolError(
            f"{money(cents)} is more than invoice {invoice_id} has open: pay up to"
            f" {money(open_cents)}"
        )


def _readable(connection: sqlite3.Connection, row: Row) -> Row:
    items = connection.execute(
        "SELECT description, cents FROM invoice_items WHERE invoice_id = ? ORDER BY position",
        (row["invoice_id"],),
    ).fetchall()
    return {
        "invoice_id": row["invoice_id"],
        "issued": row["issued"],
        "due": row["due"],
        "status": row["status"],
        "total": money(row["total_cents"]),
        "open": money(row["total_cents"] - row["paid_cents"]),
        "items": [f"{item['description']}: {money(item['cents'])}" for item in items],
    }
