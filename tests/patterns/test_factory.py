"""Workers made from a task's words and a catalogue: the right tools, a prompt, and a result."""

import pytest

from course import clock, connect
from course.errors import ConfigurationError
from course.models.scripted import Scripted
from course.supervisor_worker import worker_for
from course.supervisor_worker.workers import with_companions
from course.tools import by_name, tool
from tests.benchmarks.factory import Choice, choices, overhead


@tool
def find_ship(name: str) -> str:
    """Find a ship by its name: id, flag, length."""
    return f"S-1 {name}"


@tool
def list_voyages(ship_id: str) -> str:
    """List the voyages of a ship."""
    return ship_id


@tool
def search_logs(words: str) -> str:
    """Search logs for words: ids and titles."""
    return words


@tool
def read_log(log_id: str) -> str:
    """Read one log in full."""
    return log_id


CATALOGUE = (find_ship, list_voyages, search_logs, read_log)


def test_at_least_27_of_30_labelled_tasks_get_the_right_tools() -> None:
    made = choices()
    assert len(made) == 30
    assert sum(each.right for each in made) >= 27
    sound = made[-1]
    lost = Choice(sound.words, sound.chosen - sound.needs, sound.needs, sound.may)
    many = Choice(sound.words, sound.chosen | {"other", "another"}, sound.needs, sound.may)
    assert sound.right and not lost.right and not many.right


def test_a_made_worker_does_its_task_and_costs_one_call_more_each() -> None:
    told = overhead(tasks=3)  # which asserts that each task has a result
    assert told["registry"][0] < told["factory"][0] < 2 * told["registry"][0]


@pytest.mark.parametrize(
    ("chosen", "needed"),
    [
        (["list_voyages"], ("find_ship", "list_voyages")),
        (["find_ship"], ("find_ship",)),
        (["search_logs"], ("search_logs", "read_log")),
        (["read_log"], ("search_logs", "read_log")),
    ],
)
def test_a_tool_comes_with_what_it_cannot_do_without(
    chosen: list[str], needed: tuple[str, ...]
) -> None:
    assert with_companions(chosen, by_name(CATALOGUE)) == needed


@pytest.mark.parametrize("said", ["no JSON", '{"tools": ["sink_ship"]}', '{"tools": []}', "[]"])
def test_where_no_tool_is_named_the_worker_has_all(said: str) -> None:
    model = Scripted(lambda request: said)
    made = clock.simulate(worker_for("List voyages.", CATALOGUE, client=connect(model)))
    assert made.tools == CATALOGUE
    assert "read_log: Read one log in full." in made.instructions


def test_an_empty_catalogue_is_refused_in_a_line() -> None:
    with pytest.raises(ConfigurationError, match="the catalogue has no tools: pass at least one"):
        clock.simulate(worker_for("List voyages.", (), client=connect(Scripted(lambda _: ""))))
