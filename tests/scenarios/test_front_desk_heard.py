"""Who is only heard: confirmed by a date of birth, and asked again where a word makes no sense."""

from collections.abc import Iterator
from datetime import date

import pytest

from course.errors import ToolError
from course.scenarios.front_desk import Desk
from course.scenarios.front_desk.callers import Caller, callers
from course.scenarios.front_desk.visits import HeardPayment, HeardTriage, Visit, patient_of


@pytest.fixture
def desk() -> Iterator[Desk]:
    with Desk(seed=8) as made:
        yield made


@pytest.fixture
def caller(desk: Desk) -> Caller:
    return next(each for each in callers(desk, count=10) if each.name == "Goran Hansen")


def heard(name: str, born: date) -> HeardPayment:
    return HeardPayment(patient=name, born=born, method="card")


def test_a_misheard_name_is_the_one_with_that_date_of_birth(desk: Desk, caller: Caller) -> None:
    assert patient_of(desk, heard("Goron Hanson", caller.born)) == caller.patient_id


def test_whoever_does_not_know_name_and_date_is_asked_again_and_told_no_name(
    desk: Desk, caller: Caller
) -> None:
    other = next(each for each in callers(desk, count=10) if each.born != caller.born)
    names = [row["first_name"] for row in desk.rows("SELECT first_name FROM patients")]
    for told, field in (
        (heard(caller.name, date(1901, 1, 1)), "born"),
        (heard("Xu Bo", caller.born), "patient"),
        (heard(other.name, caller.born), "patient"),
    ):
        with pytest.raises(ToolError, match=f"does not fit: {field}: ") as raised:
            patient_of(desk, told)
        said = str(raised.value).replace(told.patient, "")
        assert not any(name in said.split() for name in names)


def complaint(words: str) -> HeardTriage:
    return HeardTriage(complaint=words, since="a week", severity="mild")


@pytest.mark.parametrize(
    ("words", "speciality"),
    [("BCG", "cardiology"), ("rush", "dermatology"), ("complaint, back pain", "orthopaedics"),
     ("heart check-up, heart check", "cardiology")],
)  # fmt: skip
def test_what_sounds_like_a_reason_or_holds_it_is_that_reason(
    desk: Desk, words: str, speciality: str
) -> None:
    visit = Visit(desk, heard=True)
    visit.understand(complaint(words))
    assert visit.speciality() == speciality


def test_an_unknown_complaint_is_doubted_once_and_then_taken_as_it_is_said(desk: Desk) -> None:
    visit = Visit(desk, heard=True)
    with pytest.raises(ToolError, match="complaint: 'headache' may be misheard"):
        visit.understand(complaint("headache"))
    assert visit.found is None
    visit.understand(complaint("headache"))
    assert visit.speciality() == "general practice"  # and not that of "earache"
