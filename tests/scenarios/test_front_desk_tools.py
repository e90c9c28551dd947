"""Each tool of the desk, used rightly and wrongly; what is written is read back from SQLite."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from course.errors import ToolError
from course.scenarios import front_desk
from course.scenarios.front_desk.billing import to_cents
from course.scenarios.shared import money

Use = Callable[..., Any]


def rows(desk: front_desk.Desk, query: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(desk.path)) as connection:
        return connection.execute(query, values).fetchall()


def refusal(use: Use, tool: str, **arguments: Any) -> str:
    with pytest.raises(ToolError) as caught:
        use(tool, **arguments)
    message = str(caught.value)
    assert "\n" not in message
    return message


def free_slot(desk: front_desk.Desk, place: int = 0) -> str:
    query = """SELECT id FROM slots WHERE starts > '2026-03-09' AND id NOT IN
        (SELECT slot_id FROM appointments WHERE status <> 'cancelled') ORDER BY starts"""
    return str(rows(desk, query)[place][0])


def upcoming(desk: front_desk.Desk) -> tuple[str, str, str]:
    """An appointment that can still be changed: its id, its patient and its slot."""
    query = """SELECT a.id, a.patient_id, a.slot_id FROM appointments a JOIN slots s
        ON s.id = a.slot_id WHERE a.status = 'booked' AND s.starts > '2026-03-03' LIMIT 1"""
    appointment, patient, slot = rows(desk, query)[0]
    return appointment, patient, slot


def open_invoice(desk: front_desk.Desk) -> tuple[str, str, int]:
    """An invoice on which something is owed: its number, its patient, the cents still open."""
    query = """SELECT i.id, i.patient_id, b.total_cents - b.paid_cents FROM invoices i
        JOIN balances b ON b.invoice_id = i.id WHERE b.paid_cents < b.total_cents LIMIT 1"""
    invoice, patient, cents = rows(desk, query)[0]
    return invoice, patient, cents


class TestFindPatient:
    @pytest.mark.parametrize(
        "name",
        ["Farid Mbeki", "farid mbeki", "Mbeki, Farid", "Mr. Farid Mbeki", "  Farid   Mbeki "],
    )
    def test_by_full_name_in_any_order_and_case(self, use: Use, name: str) -> None:
        found = use("find_patient", name=name)
        assert found["name"] == "Farid Mbeki"
        assert found["patient_id"] == "P-112"
        assert set(found) == {"patient_id", "name", "date_of_birth", "phone", "email"}

    def test_by_a_family_name_that_only_one_has(self, desk: front_desk.Desk, use: Use) -> None:
        query = "SELECT last_name, id FROM patients GROUP BY last_name HAVING count(*) = 1"
        for name, patient in rows(desk, query):
            assert use("find_patient", name=name)["patient_id"] == patient

    def test_a_shared_name_lists_the_candidates(self, use: Use) -> None:
        message = refusal(use, "find_patient", name="Clara Sorensen")
        assert message.startswith("2 patients match 'Clara Sorensen': ")
        assert "Clara Sorensen, born 1988-05-25; Clara Sorensen, born 2022-06-24" in message
        assert "date of birth" in message

    def test_the_date_of_birth_tells_them_apart(self, use: Use) -> None:
        found = use("find_patient", name="Clara Sorensen", date_of_birth="1988-05-25")
        assert (found["name"], found["date_of_birth"]) == ("Clara Sorensen", "1988-05-25")

    def test_a_wrong_date_of_birth_gives_nothing_away(self, use: Use) -> None:
        message = refusal(use, "find_patient", name="Clara Sorensen", date_of_birth="1970-01-01")
        assert message == (
            "no patient called 'Clara Sorensen' was born on 1970-01-01: ask for the date again"
        )

    def test_a_misspelt_name_gets_suggestions(self, use: Use) -> None:
        message = refusal(use, "find_patient", name="Farid Mbeky")
        assert message.startswith(
            "no patient is called 'Farid Mbeky'; names that come close: Farid"
        )

    def test_an_unknown_name_gets_advice(self, use: Use) -> None:
        message = refusal(use, "find_patient", name="Xyzzy")
        assert message == (
            "no patient is called 'Xyzzy': check the spelling, or search by the family name alone"
        )

    def test_a_name_that_fits_many_asks_for_more(self, use: Use) -> None:
        message = refusal(use, "find_patient", name="a")
        assert re.fullmatch(r"\d+ patients match 'a': ask for the full name", message)

    @pytest.mark.parametrize("name", ["", "  ", "...", "Mr."])
    def test_no_name_at_all(self, use: Use, name: str) -> None:
        assert refusal(use, "find_patient", name=name).startswith("the name is empty: give")

    def test_sql_in_a_name_is_just_a_name(self, desk: front_desk.Desk, use: Use) -> None:
        refusal(use, "find_patient", name="x'; DROP TABLE patients; --")
        refusal(use, "find_patient", name="%")
        assert rows(desk, "SELECT count(*) FROM patients") == [(120,)]


class TestClinicInformation:
    def test_opening_hours_cover_the_week(self, desk: front_desk.Desk, use: Use) -> None:
        hours = use("get_clinic_information", topic="opening hours")
        opens, closes = rows(desk, "SELECT opens, closes FROM opening_hours WHERE weekday = 0")[0]
        assert next(iter(hours)) == "Monday"
        assert hours["Monday"] == f"{opens} to {closes}"
        assert hours["Saturday"] == hours["Sunday"] == "closed"

    def test_doctors_come_with_their_speciality(self, use: Use) -> None:
        doctors = use("get_clinic_information", topic="doctors")
        assert len(doctors) == 8
        assert {"doctor": "Dr. Anton Orlov", "speciality": "dermatology"} in doctors

    def test_address_and_phone(self, use: Use) -> None:
        assert use("get_clinic_information", topic="address") == {
            "name": "Linden Lane Clinic",
            "address": "12 Linden Lane",
            "phone": "020 910 2000",
        }

    def test_another_topic_is_refused_with_the_choices(self, use: Use) -> None:
        message = refusal(use, "get_clinic_information", topic="prices")
        assert "'opening hours', 'doctors' or 'address'" in message


class TestFindFreeSlots:
    def test_without_wishes_the_next_free_ones(self, use: Use) -> None:
        slots = use("find_free_slots")
        starts = [slot["starts"] for slot in slots]
        assert starts == sorted(starts)
        assert starts[0] >= "2026-03-02 09:00"
        assert len(slots) == 12

    def test_none_of_them_is_taken(self, desk: front_desk.Desk, use: Use) -> None:
        taken = {row[0] for row in rows(desk, "SELECT slot_id FROM appointments"
                                              " WHERE status <> 'cancelled'")}  # fmt: skip
        for speciality in ("cardiology", "general practice"):
            slots = use("find_free_slots", speciality=speciality, day="2026-03-09", days=5)
            assert not taken & {slot["slot_id"] for slot in slots}
            assert {slot["speciality"] for slot in slots} == {speciality}

    @pytest.mark.parametrize("doctor", ["Lund", "lund", "Dr. Lund", "Dr Daniel Lund"])
    def test_by_doctor(self, use: Use, doctor: str) -> None:
        slots = use("find_free_slots", doctor=doctor)
        assert {slot["doctor"] for slot in slots} == {"Dr. Daniel Lund"}

    def test_by_day_and_half_of_it(self, use: Use) -> None:
        slots = use("find_free_slots", day="2026-03-11", part_of_day="afternoon")
        assert {slot["starts"][:10] for slot in slots} == {"2026-03-11"}
        assert all(slot["starts"][11:] >= "12:00" for slot in slots)
        assert {slot["weekday"] for slot in slots} == {"Wednesday"}

    def test_within_several_days(self, use: Use) -> None:
        slots = use("find_free_slots", speciality="neurology", day="2026-03-10", days=4)
        assert slots
        assert all("2026-03-10" <= slot["starts"][:10] <= "2026-03-13" for slot in slots)

    def test_an_unknown_doctor_is_answered_with_those_there_are(self, use: Use) -> None:
        message = refusal(use, "find_free_slots", doctor="Who")
        assert message.startswith("no doctor here is called 'Who'; there are Dr. Cormac Byrne")
        assert "Dr. Anton Orlov (dermatology)" in message

    def test_a_name_that_several_doctors_have(self, desk: front_desk.Desk, use: Use) -> None:
        with closing(sqlite3.connect(desk.path)) as connection, connection:
            connection.execute("UPDATE doctors SET last_name = 'Lund' WHERE last_name = 'Byrne'")
        message = refusal(use, "find_free_slots", doctor="Lund")
        assert message.startswith("several doctors are called 'Lund': Dr. Daniel Lund (general")
        assert message.endswith("give the full name")
        assert use("find_free_slots", doctor="Cormac Lund")

    @pytest.mark.parametrize("doctor", ["", "Dr."])
    def test_an_empty_doctor_is_no_doctor(self, use: Use, doctor: str) -> None:
        assert refusal(use, "find_free_slots", doctor=doctor).startswith("no doctor here is called")

    def test_a_closed_day_names_the_open_ones_and_the_next_times(self, use: Use) -> None:
        message = refusal(use, "find_free_slots", doctor="Lund", day="2026-03-08")
        assert message.startswith(
            "the clinic is closed on Sunday 2026-03-08; it is open on Monday, Tuesday, Wednesday,"
            " Thursday, Friday. The next free times: Monday 2026-03-02 09:00 with Dr. Daniel Lund"
        )

    def test_a_full_day_offers_the_next_free_times(self, desk: front_desk.Desk, use: Use) -> None:
        day = use("find_free_slots", doctor="Byrne", day="2026-03-09", days=99)[0]
        day = day["starts"][:10]
        for slot in use("find_free_slots", doctor="Byrne", day=day):
            assert use("book_appointment", patient_id=someone_free(desk), slot_id=slot["slot_id"])
        message = refusal(use, "find_free_slots", doctor="Byrne", day=day)
        assert message.startswith("nothing that fits is free on ")
        assert "The next free times: " in message

    def test_nothing_left_at_all(self, desk: front_desk.Desk, use: Use) -> None:
        with closing(sqlite3.connect(desk.path)) as connection, connection:
            connection.execute(
                "DELETE FROM appointments WHERE id NOT IN"
                " (SELECT appointment_id FROM invoices WHERE appointment_id > '')"
            )
            connection.execute("DELETE FROM slots WHERE starts > '2026-03-02'")  # fmt: skip
        message = refusal(use, "find_free_slots", speciality="cardiology")
        assert message == (
            "nothing that fits is free on 2026-03-02 to 2026-03-20, nor on any other day"
            " until 2026-03-20"
        )

    @pytest.mark.parametrize(
        ("wish", "message"),
        [
            ({"day": "2026-02-27"}, "2026-02-27 is in the past: today is 2026-03-02"),
            (
                {"day": "2026-04-01"},
                "the book is open until 2026-03-20: choose a day up to then",
            ),
        ],
    )
    def test_days_outside_the_book(self, use: Use, wish: dict[str, str], message: str) -> None:
        assert refusal(use, "find_free_slots", **wish) == message

    def test_an_unknown_speciality_is_refused_with_the_choices(self, use: Use) -> None:
        assert "'cardiology'" in refusal(use, "find_free_slots", speciality="magic")

    def test_no_days_at_all(self, use: Use) -> None:
        message = refusal(use, "find_free_slots", day="2026-03-09", days=0)
        assert message.startswith("the arguments do not fit: days: Input should be")

    def test_today_is_all_still_to_come(self, use: Use) -> None:
        assert use("find_free_slots", day="2026-03-02")[0]["starts"] >= "2026-03-02 08:00"


def someone_free(desk: front_desk.Desk) -> str:
    """A patient without any upcoming appointment."""
    query = """SELECT id FROM patients WHERE id NOT IN (SELECT patient_id FROM appointments
        WHERE status = 'booked') LIMIT 1"""
    found = rows(desk, query)
    if not found:
        with closing(sqlite3.connect(desk.path)) as connection, connection:
            connection.execute(
                "INSERT INTO patients SELECT 'P-' || (max(substr(id, 3)) + 1),"
                " 'New', 'Patient', '1990-01-01', '', '' FROM patients"
            )
        found = rows(desk, query)  # fmt: skip
    return str(found[0][0])


class TestListAppointments:
    def test_upcoming_are_booked_and_in_order(self, desk: front_desk.Desk, use: Use) -> None:
        _, patient, _ = upcoming(desk)
        found = use("list_appointments", patient_id=patient)
        starts = [row["starts"] for row in found]
        assert starts == sorted(starts)
        assert starts[0] > "2026-03-02"
        assert {row["status"] for row in found} == {"booked"}
        assert {"appointment_id", "patient", "doctor", "reason", "weekday"} <= set(found[0])

    def test_past_ones_come_latest_first(self, desk: front_desk.Desk, use: Use) -> None:
        patients = rows(desk, "SELECT DISTINCT patient_id FROM appointments")
        longest = max((use("list_appointments", patient_id=p, period="past") for (p,) in patients),
                      key=len)  # fmt: skip
        starts = [row["starts"] for row in longest]
        assert len(starts) > 1
        assert starts == sorted(starts, reverse=True)
        assert starts[0] < "2026-03-02"

    def test_none_is_an_empty_list(self, desk: front_desk.Desk, use: Use) -> None:
        assert use("list_appointments", patient_id=someone_free(desk)) == []

    def test_an_unknown_patient(self, use: Use) -> None:
        assert refusal(use, "list_appointments", patient_id="P-999") == (
            "there is no patient P-999: find_patient gives the id for a name"
        )

    def test_a_name_is_no_id(self, use: Use) -> None:
        assert "patient_id: String should match" in refusal(
            use, "list_appointments", patient_id="Ada Okafor"
        )


class TestBookAppointment:
    def test_the_row_is_in_the_database(self, desk: front_desk.Desk, use: Use) -> None:
        patient, slot = someone_free(desk), free_slot(desk)
        booked = use("book_appointment", patient_id=patient, slot_id=slot, reason="sore throat")
        found = rows(desk, "SELECT * FROM appointments WHERE id = ?", booked["appointment_id"])
        assert found == [(booked["appointment_id"], patient, slot, "sore throat", "booked")]
        last = rows(desk, "SELECT max(id) FROM appointments WHERE id <> ?", found[0][0])[0][0]
        assert found[0][0] == f"A-{int(last[2:]) + 1}"
        assert use("list_appointments", patient_id=patient) == [booked]

    def test_a_taken_slot(self, desk: front_desk.Desk, use: Use) -> None:
        _, _, slot = upcoming(desk)
        before = front_desk.state(desk)
        message = refusal(use, "book_appointment", patient_id="P-101", slot_id=slot)
        assert re.fullmatch(
            rf"slot {slot} on 2026-.* is taken: choose another from find_free_slots", message
        )
        assert front_desk.state(desk) == before

    def test_a_slot_in_the_past(self, use: Use) -> None:
        message = refusal(use, "book_appointment", patient_id="P-101", slot_id="S-1001")
        assert re.fullmatch(
            r"slot S-1001 was on 2026-02-23 .*, in the past: choose a later one", message
        )

    def test_an_unknown_slot(self, use: Use) -> None:
        assert refusal(use, "book_appointment", patient_id="P-101", slot_id="S-9") == (
            "there is no slot S-9: find_free_slots gives the ids of free ones"
        )

    def test_an_unknown_patient(self, desk: front_desk.Desk, use: Use) -> None:
        message = refusal(use, "book_appointment", patient_id="P-1", slot_id=free_slot(desk))
        assert message.startswith("there is no patient P-1")

    def test_the_same_patient_twice_at_one_time(self, desk: front_desk.Desk, use: Use) -> None:
        query = """SELECT s.id, t.id, s.starts FROM slots s JOIN slots t
            ON s.starts = t.starts AND s.id < t.id WHERE s.starts > '2026-03-09'
            AND NOT EXISTS (SELECT 1 FROM appointments WHERE slot_id IN (s.id, t.id))"""
        one, other, starts = rows(desk, query)[0]
        patient = someone_free(desk)
        first = use("book_appointment", patient_id=patient, slot_id=one)["appointment_id"]
        message = refusal(use, "book_appointment", patient_id=patient, slot_id=other)
        assert message == (
            f"the patient already has appointment {first} at {starts}: choose another time"
        )

    def test_an_empty_reason(self, desk: front_desk.Desk, use: Use) -> None:
        wish = {"patient_id": "P-101", "slot_id": free_slot(desk), "reason": ""}
        assert "reason: String should have at least 1" in refusal(use, "book_appointment", **wish)

    def test_ids_are_bound_and_never_run(self, desk: front_desk.Desk, use: Use) -> None:
        reason = "x'); DELETE FROM appointments; --"
        patient, slot = someone_free(desk), free_slot(desk)
        booked = use("book_appointment", patient_id=patient, slot_id=slot, reason=reason)
        assert booked["reason"] == reason
        assert rows(desk, "SELECT count(*) FROM appointments")[0][0] > 300


class TestMoveAppointment:
    def test_the_old_slot_becomes_free(self, desk: front_desk.Desk, use: Use) -> None:
        appointment, patient, old = upcoming(desk)
        new = free_slot(desk, 3)
        moved = use("move_appointment", appointment_id=appointment, slot_id=new)
        assert moved["appointment_id"] == appointment
        query = "SELECT patient_id, slot_id, status FROM appointments WHERE id = ?"
        assert rows(desk, query, appointment) == [(patient, new, "booked")]
        assert use("book_appointment", patient_id=someone_free(desk), slot_id=old)

    def test_to_a_taken_slot(self, desk: front_desk.Desk, use: Use) -> None:
        appointment, _, slot = upcoming(desk)
        before = front_desk.state(desk)
        message = refusal(use, "move_appointment", appointment_id=appointment, slot_id=slot)
        assert "is taken: choose another" in message
        assert front_desk.state(desk) == before

    def test_an_unknown_appointment(self, desk: front_desk.Desk, use: Use) -> None:
        message = refusal(use, "move_appointment", appointment_id="A-1", slot_id=free_slot(desk))
        assert message == "there is no appointment A-1: list_appointments gives a patient's ids"

    def test_one_that_is_over(self, desk: front_desk.Desk, use: Use) -> None:
        over = rows(desk, "SELECT id FROM appointments WHERE status = 'attended'")[0][0]
        message = refusal(use, "move_appointment", appointment_id=over, slot_id=free_slot(desk))
        assert message == f"appointment {over} is attended: only a booked one can be changed"


class TestCancelAppointment:
    def test_the_slot_is_given_back(self, desk: front_desk.Desk, use: Use) -> None:
        appointment, patient, slot = upcoming(desk)
        cancelled = use("cancel_appointment", appointment_id=appointment)
        assert cancelled["status"] == "cancelled"
        query = "SELECT status FROM appointments WHERE id = ?"
        assert rows(desk, query, appointment) == [("cancelled",)]
        assert use("book_appointment", patient_id=patient, slot_id=slot)["status"] == "booked"

    def test_cancelling_twice(self, desk: front_desk.Desk, use: Use) -> None:
        appointment, _, _ = upcoming(desk)
        use("cancel_appointment", appointment_id=appointment)
        assert refusal(use, "cancel_appointment", appointment_id=appointment) == (
            f"appointment {appointment} is cancelled: only a booked one can be changed"
        )

    def test_one_that_was_never_closed(self, desk: front_desk.Desk, use: Use) -> None:
        with closing(sqlite3.connect(desk.path)) as connection, connection:
            connection.execute("UPDATE appointments SET status = 'booked' WHERE id = 'A-2001'")
        message = refusal(use, "cancel_appointment", appointment_id="A-2001")
        assert re.fullmatch(
            r"appointment A-2001 was on 2026-02-2\d .*: what is past cannot be changed", message
        )

    def test_an_unknown_appointment(self, use: Use) -> None:
        message = refusal(use, "cancel_appointment", appointment_id="A-1")
        assert message.startswith("there is no appointment A-1")


class TestListInvoices:
    def test_totals_are_those_of_the_database(self, desk: front_desk.Desk, use: Use) -> None:
        for (patient,) in rows(desk, "SELECT DISTINCT patient_id FROM invoices"):
            query = """SELECT sum(total_cents - paid_cents) FROM balances JOIN invoices
                ON id = invoice_id WHERE patient_id = ?"""
            owed = rows(desk, query, patient)[0][0]
            assert use("list_invoices", patient_id=patient)["total_owed"] == money(owed)

    def test_each_status_shows_its_own(self, desk: front_desk.Desk, use: Use) -> None:
        for (patient,) in rows(desk, "SELECT DISTINCT patient_id FROM invoices"):
            shown = {
                status: use("list_invoices", patient_id=patient, status=status)["invoices"]
                for status in ("unpaid", "overdue", "paid", "all")
            }
            assert {row["status"] for row in shown["unpaid"]} <= {"unpaid", "overdue"}
            assert all(row["due"] < "2026-03-02" for row in shown["overdue"])
            assert {row["open"] for row in shown["paid"]} <= {"0.00 EUR"}
            assert len(shown["all"]) == len(shown["paid"]) + len(shown["unpaid"])

    def test_the_items_are_spelled_out(self, desk: front_desk.Desk, use: Use) -> None:
        invoice, patient, _ = open_invoice(desk)
        found = use("list_invoices", patient_id=patient)["invoices"]
        items = next(row["items"] for row in found if row["invoice_id"] == invoice)
        query = "SELECT description, cents FROM invoice_items WHERE invoice_id = ?"
        assert items == [f"{what}: {money(cents)}" for what, cents in rows(desk, query, invoice)]

    def test_an_unknown_patient(self, use: Use) -> None:
        assert refusal(use, "list_invoices", patient_id="P-1").startswith("there is no patient P-1")


class TestPayInvoice:
    def test_all_that_is_open(self, desk: front_desk.Desk, use: Use) -> None:
        invoice, _, cents = open_invoice(desk)
        paid = use("pay_invoice", invoice_id=invoice)
        assert paid["paid_now"] == money(cents)
        assert (paid["status"], paid["open"]) == ("paid", "0.00 EUR")
        query = "SELECT cents, paid_on FROM payments WHERE invoice_id = ? ORDER BY id DESC LIMIT 1"
        assert rows(desk, query, invoice) == [(cents, "2026-03-02")]

    def test_a_part(self, desk: front_desk.Desk, use: Use) -> None:
        invoice, _, cents = open_invoice(desk)
        paid = use("pay_invoice", invoice_id=invoice, amount=19.99)
        assert paid["paid_now"] == "19.99 EUR"
        assert paid["open"] == money(cents - 1999)
        assert paid["status"] != "paid"

    def test_more_than_is_open(self, desk: front_desk.Desk, use: Use) -> None:
        invoice, _, cents = open_invoice(desk)
        before = front_desk.state(desk)
        message = refusal(use, "pay_invoice", invoice_id=invoice, amount=(cents + 1) / 100)
        assert message == (
            f"{money(cents + 1)} is more than invoice {invoice} has open: pay up to {money(cents)}"
        )
        assert front_desk.state(desk) == before

    def test_twice(self, desk: front_desk.Desk, use: Use) -> None:
        invoice, _, _ = open_invoice(desk)
        use("pay_invoice", invoice_id=invoice)
        assert refusal(use, "pay_invoice", invoice_id=invoice) == (
            f"invoice {invoice} is already paid: nothing is open"
        )

    def test_fractions_of_a_cent(self, desk: front_desk.Desk, use: Use) -> None:
        message = refusal(use, "pay_invoice", invoice_id=open_invoice(desk)[0], amount=10.005)
        assert message == ("10.005 euros is not a whole number of cents: give at most two decimals")

    @pytest.mark.parametrize("amount", [0, -5, "inf", "nan", "lots"])
    def test_no_amount_at_all(self, desk: front_desk.Desk, use: Use, amount: object) -> None:
        message = refusal(use, "pay_invoice", invoice_id=open_invoice(desk)[0], amount=amount)
        assert message.startswith("the arguments do not fit: amount: Input should be")

    def test_an_unknown_invoice(self, use: Use) -> None:
        assert refusal(use, "pay_invoice", invoice_id="INV-1") == (
            "there is no invoice INV-1: list_invoices gives a patient's numbers"
        )

    @pytest.mark.parametrize(("euros", "cents"), [(19.99, 1999), (0.1, 10), (35, 3500), (1.1, 110)])
    def test_euros_become_whole_cents(self, euros: float, cents: int) -> None:
        assert to_cents(euros) == cents
