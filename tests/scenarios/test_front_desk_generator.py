"""The generated clinic: the same for the same seed, plausible, and guarded by its schema."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.scenarios.dice import Dice
from course.scenarios.front_desk import Desk, diary, names
from course.scenarios.front_desk.generate import make_clinic

SEEDS = (0, 1, 7, 42)


@pytest.fixture
def clinic() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(Desk.content(7))
        connection.execute("PRAGMA foreign_keys = ON")
        yield connection


def count(connection: sqlite3.Connection, query: str) -> int:
    return int(connection.execute(query).fetchone()[0])


def test_the_same_seed_makes_the_same_rows_and_the_same_bytes() -> None:
    first = Desk.content(7)
    Desk.content.cache_clear()
    assert Desk.content(7) == first
    assert make_clinic(7) == make_clinic(7)


def test_other_seeds_make_other_clinics() -> None:
    patients = {make_clinic(seed).rows["patients"] for seed in SEEDS}
    assert len(patients) == len(SEEDS)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_clinic_has_the_size_and_the_calendar_it_promises(seed: int) -> None:
    clinic = make_clinic(seed)
    days = [date.fromisoformat(slot[2][:10]) for slot in clinic.rows["slots"]]
    assert len(clinic.rows["patients"]) == 120
    assert len(clinic.rows["doctors"]) == 8
    assert {doctor[3] for doctor in clinic.rows["doctors"]} == set(names.SPECIALITIES)
    assert min(days) >= diary.FIRST_DAY
    assert max(days) <= diary.LAST_DAY
    assert {day.weekday() for day in days} <= set(range(5))
    assert len(clinic.rows["appointments"]) > 200
    assert len(clinic.rows["invoices"]) > 90


@pytest.mark.parametrize("seed", SEEDS)
def test_consultations_lie_within_the_opening_hours(seed: int) -> None:
    clinic = make_clinic(seed)
    hours = {day: (opens, closes) for day, opens, closes in clinic.rows["opening_hours"]}
    for _, _, starts, _ in clinic.rows["slots"]:
        opens, closes = hours[date.fromisoformat(starts[:10]).weekday()]
        assert opens <= starts[11:] < closes


@pytest.mark.parametrize("seed", SEEDS)
def test_one_child_and_one_adult_share_a_whole_name(seed: int) -> None:
    shared = Counter(patient[1:3] for patient in make_clinic(seed).rows["patients"])
    name = next(name for name, times in shared.items() if times == 2)
    born = sorted(row[3] for row in make_clinic(seed).rows["patients"] if row[1:3] == name)
    assert born[0] < "2009" < born[1]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_patient_is_in_two_places_at_once(seed: int) -> None:
    clinic = make_clinic(seed)
    starts = {slot[0]: slot[2] for slot in clinic.rows["slots"]}
    visits = Counter((row[1], starts[row[2]]) for row in clinic.rows["appointments"])
    assert max(visits.values()) == 1


def test_the_future_is_booked_and_the_past_is_over(clinic: sqlite3.Connection) -> None:
    rows = clinic.execute(
        "SELECT a.status, s.starts < '2026-03-02 08:00' FROM appointments a"
        " JOIN slots s ON s.id = a.slot_id"
    ).fetchall()
    assert {status for status, past in rows if past} == {"attended", "missed", "cancelled"}
    assert {status for status, past in rows if not past} == {"booked", "cancelled"}


def test_some_invoices_are_paid_some_open_some_overdue_and_some_paid_in_part(
    clinic: sqlite3.Connection,
) -> None:
    book = "SELECT count(*) FROM invoices JOIN balances ON invoice_id = id WHERE "
    assert count(clinic, book + "paid_cents = total_cents") > 30
    assert count(clinic, book + "paid_cents < total_cents AND due < '2026-03-02'") > 5
    assert count(clinic, book + "paid_cents < total_cents AND due >= '2026-03-02'") > 5
    assert count(clinic, book + "paid_cents > 0 AND paid_cents < total_cents") > 0
    assert count(clinic, book + "paid_cents > total_cents") == 0


def test_no_foreign_key_is_broken(clinic: sqlite3.Connection) -> None:
    assert clinic.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize(
    ("statement", "complaint"),
    [
        ("INSERT INTO patients VALUES ('101', 'A', 'B', '2000-01-01', '', '')", "CHECK"),
        ("INSERT INTO patients VALUES ('P-1', 'A', 'B', '2000-02-31', '', '')", "CHECK"),
        ("INSERT INTO slots VALUES ('S-1', 'D-99', '2026-03-02 09:00', 30)", "FOREIGN KEY"),
        ("INSERT INTO slots VALUES ('S-1', 'D-1', '2026-03-02 9:00', 30)", "CHECK"),
        ("INSERT INTO slots SELECT 'S-1', doctor_id, starts, 30 FROM slots LIMIT 1", "UNIQUE"),
        ("UPDATE appointments SET status = 'lost'", "CHECK"),
        ("UPDATE opening_hours SET closes = '07:00'", "CHECK"),
        ("UPDATE invoices SET due = '2020-01-01'", "CHECK"),
        ("UPDATE invoice_items SET cents = 1.5", "CHECK"),
        ("UPDATE invoice_items SET cents = 0", "CHECK"),
        ("DELETE FROM doctors WHERE id = 'D-1'", "FOREIGN KEY"),
    ],
)
def test_the_schema_refuses(clinic: sqlite3.Connection, statement: str, complaint: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match=complaint):
        clinic.execute(statement)


def test_the_schema_refuses_a_second_booking_of_a_slot_unless_the_first_is_cancelled(
    clinic: sqlite3.Connection,
) -> None:
    again = (
        "INSERT INTO appointments SELECT 'A-1', 'P-101', slot_id, 'cough', 'booked'"
        " FROM appointments WHERE status = ? LIMIT 1"
    )
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        clinic.execute(again, ("booked",))
    clinic.execute(again, ("cancelled",))


def test_the_schema_refuses_an_overpayment(clinic: sqlite3.Connection) -> None:
    pay = "INSERT INTO payments SELECT NULL, invoice_id, '2026-03-02', total_cents - paid_cents + ?"
    pay += " FROM balances WHERE paid_cents < total_cents LIMIT 1"
    with pytest.raises(sqlite3.IntegrityError, match="larger than what is open"):
        clinic.execute(pay, (1,))
    clinic.execute(pay, (0,))


@given(seed=st.integers(0, 2**32), low=st.integers(-5, 5), span=st.integers(0, 9))
def test_dice_stay_in_range_and_repeat_themselves(seed: int, low: int, span: int) -> None:
    def throws() -> list[int]:
        dice = Dice(seed)
        return [dice.number(low, low + span) for _ in range(20)]

    assert throws() == throws()
    assert all(low <= number <= low + span for number in throws())
    assert sorted(Dice(seed).some(range(9), 9)) == list(range(9))
    assert len(set(Dice(seed).some(range(9), 4))) == 4
