"""Any sequence of bookings, moves and cancellations leaves a book that a paper book would agree."""

import sqlite3
from contextlib import closing

from hypothesis import given
from hypothesis import strategies as st

from course.errors import ToolError
from course.scenarios import front_desk
from course.tools import by_name

PATIENTS = ("P-101", "P-102", "P-999")  # the last one is nobody
SLOTS = 6
ACTIONS = st.lists(
    st.one_of(
        st.tuples(
            st.just("book"),
            st.integers(0, len(PATIENTS) - 1),
            st.integers(0, SLOTS - 1),
        ),
        st.tuples(st.just("move"), st.integers(0, 7), st.integers(0, SLOTS - 1)),
        st.tuples(st.just("cancel"), st.integers(0, 7), st.just(0)),
    ),
    max_size=14,
)


class PaperBook:
    """What should happen, in the plainest way: appointment -> [patient, slot], if not cancelled."""

    def __init__(self, times: dict[str, str]) -> None:
        self.times = times
        self.visits: dict[str, tuple[str, str]] = {}

    def may(self, patient: str, slot: str, *, leaving: str = "") -> bool:
        others = [visit for number, visit in self.visits.items() if number != leaving]
        busy = {self.times[taken] for who, taken in others if who == patient}
        return (
            patient != "P-999"
            and slot not in {taken for _, taken in self.visits.values()}
            and self.times[slot] not in busy
        )


def empty_slots(desk: front_desk.Desk) -> dict[str, str]:
    """Some slots of an empty book, three pairs that begin at the same time: id -> start."""
    query = """SELECT id, starts FROM slots s WHERE starts > '2026-03-09' AND 1 < (
        SELECT count(*) FROM slots WHERE starts = s.starts) ORDER BY starts LIMIT ?"""
    with closing(sqlite3.connect(desk.path)) as connection, connection:
        connection.execute("UPDATE appointments SET status = 'cancelled' WHERE status = 'booked'")
        return dict(connection.execute(query, (SLOTS,)).fetchall())


def booked(desk: front_desk.Desk) -> dict[str, tuple[str, str]]:
    query = "SELECT id, patient_id, slot_id FROM appointments WHERE status = 'booked'"
    with closing(sqlite3.connect(desk.path)) as connection:
        return {number: (patient, slot) for number, patient, slot in connection.execute(query)}


def apply(desk: front_desk.Desk, paper: PaperBook, action: tuple[str, int, int]) -> None:
    """Do one thing in both books; the desk has to refuse exactly what the paper book refuses."""
    tools = {name: tool.function for name, tool in by_name(desk.tools).items()}
    kind, first, second = action
    slot = list(paper.times)[second]
    if kind == "book":
        allowed = paper.may(PATIENTS[first], slot)
        try:
            number = tools["book_appointment"](PATIENTS[first], slot)["appointment_id"]
        except ToolError:
            assert not allowed
        else:
            assert allowed
            paper.visits[number] = (PATIENTS[first], slot)
        return
    number = list(paper.visits)[first] if first < len(paper.visits) else "A-2001"
    patient = paper.visits.get(number, ("", ""))[0]
    if kind == "move":
        allowed = bool(patient) and paper.may(patient, slot, leaving=number)
        try:
            tools["move_appointment"](number, slot)
        except ToolError:
            assert not allowed
        else:
            assert allowed
            paper.visits[number] = (patient, slot)
        return
    try:
        tools["cancel_appointment"](number)
    except ToolError:
        assert not patient
    else:
        del paper.visits[number]


@given(actions=ACTIONS)
def test_the_book_stays_consistent(actions: list[tuple[str, int, int]]) -> None:
    with front_desk.Desk() as desk:
        paper = PaperBook(empty_slots(desk))
        for action in actions:
            apply(desk, paper, action)
            assert booked(desk) == paper.visits
        slots = [slot for _, slot in booked(desk).values()]
        assert len(slots) == len(set(slots)), "a slot is booked twice"


@given(amounts=st.lists(st.integers(1, 9000), max_size=8))
def test_payments_never_exceed_the_invoice(amounts: list[int]) -> None:
    with front_desk.Desk() as desk:
        pay = by_name(desk.tools)["pay_invoice"].function
        query = "SELECT invoice_id, total_cents - paid_cents FROM balances WHERE paid_cents = 0"
        with closing(sqlite3.connect(desk.path)) as connection:
            invoice, left = connection.execute(query).fetchone()
        for cents in amounts:
            try:
                pay(invoice, cents / 100)
            except ToolError:
                assert cents > left
            else:
                assert cents <= left
                left -= cents
        query = "SELECT total_cents - paid_cents FROM balances WHERE invoice_id = ?"
        with closing(sqlite3.connect(desk.path)) as connection:
            assert connection.execute(query, (invoice,)).fetchone() == (left,)
