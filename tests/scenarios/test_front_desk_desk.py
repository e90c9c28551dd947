"""A desk of its own for each run: isolation, clean-up, a missing database."""

import gc
import json
from pathlib import Path
from typing import Any

import pytest

from course import clock
from course.errors import ScenarioError, ToolError
from course.scenarios import front_desk
from course.scenarios.database import Database
from course.tools import by_name, call_tool
from tests.scenarios.conftest import user_of


def test_the_desk_has_nine_tools_that_describe_every_parameter(desk: front_desk.Desk) -> None:
    assert [tool.name for tool in desk.tools] == [
        "find_patient",
        "get_clinic_information",
        "find_free_slots",
        "list_appointments",
        "book_appointment",
        "move_appointment",
        "cancel_appointment",
        "list_invoices",
        "pay_invoice",
    ]
    for tool in desk.tools:
        assert len(tool.description.split()) >= 6
        assert all(field["description"] for field in tool.parameters["properties"].values())


def test_two_desks_do_not_see_each_other(desk: front_desk.Desk) -> None:
    with front_desk.Desk(seed=7) as other:
        assert other.path != desk.path
        assert other.path.read_bytes() == desk.path.read_bytes()
        before = front_desk.state(desk)
        slot = user_of(other)("find_free_slots")[0]["slot_id"]
        user_of(other)("book_appointment", patient_id="P-101", slot_id=slot)
        assert front_desk.state(other) != before
        assert front_desk.state(desk) == before


def test_a_new_desk_is_untouched_by_an_earlier_one() -> None:
    with front_desk.Desk() as desk:
        fresh = desk.path.read_bytes()
        user_of(desk)("pay_invoice", invoice_id=_open_invoice(desk))
        assert desk.path.read_bytes() != fresh
    with front_desk.Desk() as desk:
        assert desk.path.read_bytes() == fresh


def _open_invoice(desk: front_desk.Desk) -> str:
    for patient in range(101, 221):
        bills = user_of(desk)("list_invoices", patient_id=f"P-{patient}")["invoices"]
        if bills:
            return str(bills[0]["invoice_id"])
    raise AssertionError("nobody owes anything")


def test_closing_removes_the_file_and_may_be_repeated() -> None:
    desk = front_desk.Desk()
    folder = desk.path.parent
    assert folder.exists()
    desk.close()
    desk.close()
    assert not folder.exists()


def test_the_tools_keep_the_database_when_the_desk_itself_is_dropped() -> None:
    tools = front_desk.Desk().tools
    gc.collect()
    arguments = json.dumps({"topic": "address"})
    call = call_tool(by_name(tools)["get_clinic_information"], arguments)
    assert "Linden Lane" in clock.simulate(call)


def test_a_desk_that_nobody_holds_leaves_no_file_behind() -> None:
    database = front_desk.Desk().path
    gc.collect()
    assert not database.exists()


def test_a_deleted_database_is_one_line_with_the_file_and_the_way_out(
    desk: front_desk.Desk,
) -> None:
    desk.path.unlink()
    with pytest.raises(ScenarioError) as caught:
        by_name(desk.tools)["find_patient"].function("Okafor")
    message = str(caught.value)
    assert message == f"the database {desk.path} is gone: Desk() makes a new one"
    assert not desk.path.exists(), "asking must not leave an empty file behind"


@pytest.mark.parametrize("seed", ["seven", 7.0, None, True])
def test_a_seed_that_is_no_whole_number_is_refused_in_one_line(seed: Any) -> None:
    with pytest.raises(ScenarioError, match="a seed is a whole number, such as 7, and not"):
        front_desk.Desk(seed=seed)


def test_the_model_hears_of_a_deleted_database(desk: front_desk.Desk) -> None:
    desk.path.unlink()
    with pytest.raises(ToolError, match=r"is gone: Desk\(\) makes a new one"):
        user_of(desk)("find_patient", name="Okafor")


def test_a_damaged_database_is_named(desk: front_desk.Desk) -> None:
    desk.path.write_bytes(b"not a database, but long enough to look like one" * 40)
    with pytest.raises(ScenarioError, match=r"cannot be used \(file is not a database\)"):
        by_name(desk.tools)["find_patient"].function("Okafor")


def test_a_block_that_raises_writes_nothing(desk: front_desk.Desk) -> None:
    before = front_desk.state(desk)

    def interrupted() -> None:
        with Database(desk.path).write() as connection:
            connection.execute("DELETE FROM payments")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert front_desk.state(desk) == before


def test_reading_cannot_write(desk: front_desk.Desk) -> None:
    database = Database(desk.path)
    with pytest.raises(ScenarioError, match="readonly"), database.read() as connection:
        connection.execute("DELETE FROM payments")


def test_a_path_with_odd_characters_opens(desk: front_desk.Desk, tmp_path: Path) -> None:
    odd = tmp_path / "a desk? 100%#1.sqlite"
    odd.write_bytes(desk.path.read_bytes())
    with Database(odd).read() as connection:
        assert connection.execute("SELECT count(*) AS n FROM patients").fetchone() == {"n": 120}


def test_the_agent_knows_the_day_the_clinic_and_the_rules(desk: front_desk.Desk) -> None:
    agent = front_desk.agent(desk)
    assert "Today is Monday, 2026-03-02" in agent.instructions
    assert "Linden Lane Clinic" in agent.instructions
    assert "Never give medical advice" in agent.instructions
    assert agent.tools == desk.tools
