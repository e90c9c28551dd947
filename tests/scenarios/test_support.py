"""The provider's support: the same for the same seed, and every fault has its one remedy."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from course import clock
from course.errors import ScenarioError, ToolError
from course.scenarios import support
from course.scenarios.support.generate import FAULTS, OF_EACH_FAULT, make_network
from course.tools import by_name, call_tool

SEEDS = (0, 1, 7, 42)
REMEDIES = {
    "router": "restart_router",
    "wifi": "change_wifi_channel",
    "port": "reset_port",
    "profile": "lower_profile",
}


@pytest.fixture
def desk() -> Iterator[support.HelpDesk]:
    with support.HelpDesk(seed=7) as desk:
        yield desk


def use(desk: support.HelpDesk, tool: str, **arguments: Any) -> Any:
    """Call a tool the way the agent loop does, from JSON to JSON."""
    tools = {**by_name(desk.first_line), **by_name(desk.second_line)}
    return json.loads(clock.simulate(call_tool(tools[tool], json.dumps(arguments))))


def test_the_same_seed_makes_the_same_rows_and_the_same_bytes() -> None:
    first = support.HelpDesk.content(7)
    support.HelpDesk.content.cache_clear()
    assert support.HelpDesk.content(7) == first
    assert len({make_network(seed).rows["customers"] for seed in SEEDS}) == len(SEEDS)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_fault_occurs_and_only_where_there_is_no_outage(seed: int) -> None:
    network = make_network(seed)
    [dark] = [name for name, outage, _ in network.rows["areas"] if outage]
    area = {customer[0]: customer[3] for customer in network.rows["customers"]}
    faults = Counter(line[5] for line in network.rows["lines"] if line[5])
    assert faults == dict.fromkeys(FAULTS, OF_EACH_FAULT)
    assert all(area[line[1]] != dark for line in network.rows["lines"] if line[5])


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_ended_by_its_own_remedy_and_by_no_other(
    desk: support.HelpDesk, fault: str
) -> None:
    caller = support.calls(desk, fault)[0]
    for meant, remedy in REMEDIES.items():
        if meant == fault:
            continue
        with pytest.raises(ToolError, match=f"done on {caller.line_id}, but it did not help"):
            use(desk, remedy, line_id=caller.line_id)
    assert support.fault_of(desk, caller.line_id) == fault
    if fault in REMEDIES:
        told = use(desk, REMEDIES[fault], line_id=caller.line_id)
        assert told["result"] == "the connection works again"
        assert support.fault_of(desk, caller.line_id) is None


def test_who_calls_is_found_whatever_the_case_and_the_spaces(desk: support.HelpDesk) -> None:
    caller = support.calls(desk, "port")[0]
    found = use(desk, "find_customer", name=f"  {caller.name.upper()} ")
    assert (found["name"], found["line_id"]) == (caller.name, caller.line_id)
    with pytest.raises(ToolError, match="no customer is called 'Nobody Here'"):
        use(desk, "find_customer", name="Nobody Here")


@pytest.mark.parametrize(
    ("fault", "connection", "slow"),
    [
        ("router", "down", True),
        ("cable", "down", True),
        ("wifi", "up", True),
        ("profile", "up", True),
        (None, "up", False),
    ],
)
def test_a_check_shows_the_symptom_and_not_the_cause(
    desk: support.HelpDesk, fault: str | None, connection: str, slow: bool
) -> None:
    caller = support.calls(desk, fault or "router")[0]
    if fault is None:
        use(desk, "restart_router", line_id=caller.line_id)
    line = use(desk, "check_line", line_id=caller.line_id)
    assert line["connection"] == connection
    assert (line["speed_mbit"] < line["plan_mbit"]) == slow
    assert line["outage"] == "none"
    assert "fault" not in line


def test_in_an_outage_the_line_is_down_and_no_remedy_helps(desk: support.HelpDesk) -> None:
    query = (
        "SELECT l.id FROM lines l JOIN customers c ON c.id = l.customer_id"
        " JOIN areas a ON a.name = c.area WHERE a.outage IS NOT NULL"
    )
    with closing(sqlite3.connect(desk.path)) as connection:
        line_id = connection.execute(query).fetchone()[0]
    line = use(desk, "check_line", line_id=line_id)
    assert line["connection"] == "down"
    assert "expected to end at" in line["outage"]
    with pytest.raises(ToolError, match="did not help"):
        use(desk, "restart_router", line_id=line_id)


def test_a_measurement_names_the_fault_and_what_was_done(desk: support.HelpDesk) -> None:
    line_id = support.calls(desk, "port")[0].line_id
    with pytest.raises(ToolError):
        use(desk, "restart_router", line_id=line_id)
    measured = use(desk, "measure_line", line_id=line_id)
    assert measured["finding"] == "the port in the street cabinet is stuck"
    assert measured["done"] == ["restart the router: no help"]


def test_an_unknown_line_and_an_unknown_fault_are_named(desk: support.HelpDesk) -> None:
    with pytest.raises(ToolError, match="there is no line L-1: find_customer gives the id"):
        use(desk, "check_line", line_id="L-1")
    with pytest.raises(ScenarioError, match="there is no fault 'gremlins'; there are: router"):
        support.calls(desk, "gremlins")


def test_closing_deletes_the_database_and_says_how_to_get_another() -> None:
    desk = support.HelpDesk(seed=1)
    desk.close()
    desk.close()
    assert not desk.path.exists()
    with pytest.raises(ToolError, match=r"this HelpDesk is closed: HelpDesk\(\) makes a new one"):
        use(desk, "check_line", line_id="L-2001")


def test_the_tiers_have_their_own_tools(desk: support.HelpDesk) -> None:
    first, second = support.tiers(desk)
    shared = {tool.name for tool in first.tools} & {tool.name for tool in second.tools}
    assert shared == {"find_customer"}
    assert first.model != second.model
