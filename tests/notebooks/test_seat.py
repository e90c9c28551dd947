"""A person in the model's seat: the run goes on with each answer, in virtual time, and is kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from course import Agent, Limits, Supervisor, Worker, connect, run_sync, tool
from course.errors import ConfigurationError
from course.models import Replay
from course.notebook import CheckFailed, answer_as_the_model
from course.notebook.seat import Seat
from tests.notebooks import kit


@tool
def find_bed(ward: int) -> str:
    """Find a free bed in a ward."""
    return f"bed {ward}-7"


TRIAGE = Agent(name="triage", instructions="Find beds.", tools=(find_bed,))
REQUEST = "A bed in ward 3, please."


@pytest.fixture
def seat() -> Seat:
    return answer_as_the_model(TRIAGE, REQUEST)


def test_the_exact_request_is_seen(seat: Seat, capsys: pytest.CaptureFixture[str]) -> None:
    assert seat.request is not None
    assert seat.request.messages[-1]["content"] == REQUEST
    assert [each.name for each in seat.request.tools] == ["find_bed"]
    told = seat.as_json()
    assert told["agent"] == "triage"
    assert told["tools"][0]["parameters"]["properties"]["ward"]["type"] == "integer"


def test_the_system_goes_on_with_each_answer_in_virtual_time(seat: Seat) -> None:
    seat.call("find_bed", ward=3)
    assert seat.request is not None
    assert seat.request.messages[-1]["content"] == "bed 3-7"
    seat.say("You have bed 3-7.")
    assert seat.request is None
    assert seat.result.answer == "You have bed 3-7."
    chats = [span for span in seat.trace.spans if span.operation == "chat"]
    assert len(chats) == 2
    assert chats[1].start >= chats[0].end > 0
    assert seat.as_json()["run"]["calls"] == 2
    with pytest.raises(ConfigurationError, match="the run is over"):
        seat.say("More.")


@pytest.mark.parametrize(
    ("tool_name", "arguments", "said"),
    [("find_beds", "{}", "no tool"), ("find_bed", '{"ward": ', "JSON"), ("find_bed", "{}", "ward")],
)
def test_mistakes_on_purpose_come_back_to_the_model(
    seat: Seat, tool_name: str, arguments: str, said: str
) -> None:
    seat.call(tool_name, arguments)
    assert seat.request is not None
    assert said in str(seat.request.messages[-1]["content"])
    assert "error" in str(seat.request.messages[-1]["content"])


def test_a_loop_ends_at_the_agents_limit(seat: Seat) -> None:
    for _ in range(30):
        if seat.request is None:
            break
        seat.call("find_bed", ward=3)
    assert seat.request is None
    assert "max_turns" in str(seat.result.stop)


def test_an_answer_can_be_taken_back(seat: Seat) -> None:
    seat.call("find_bed", ward=4).back()
    assert seat.answers == []
    assert seat.request is not None
    assert seat.request.messages[-1]["content"] == REQUEST


def test_several_agents_are_answered_in_the_order_in_which_they_ask() -> None:
    workers = tuple(
        Worker(name=name, description=f"knows the {name}") for name in ("north", "south")
    )
    seat = Seat(Supervisor(name="lead", workers=workers), "What is new?")
    asks = [("delegate_to_agent", {"worker_agent": w.name, "task": "look"}) for w in workers]
    seat.calls(*asks)
    asked = []
    while seat.request is not None and len(asked) < 5:
        asked.append(seat.request.key.agent)
        seat.say(f"Nothing, says {asked[-1]}.")
    assert asked == ["north", "south", "lead"]
    assert seat.result.answer == "Nothing, says lead."


def test_a_kept_run_answers_a_test(seat: Seat, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="still waits"):
        seat.save(tmp_path / "early.jsonl")
    seat.calls(("find_bed", {"ward": 3}), ("find_bed", {"ward": 4})).say("Two beds.")
    kept = seat.save(tmp_path / "mine.jsonl")
    again = run_sync(TRIAGE, REQUEST, client=connect(Replay(kept)))
    assert again.answer == "Two beds."


def test_tools_that_change_something_begin_anew_with_each_answer() -> None:
    made = []

    def office() -> Agent:
        taken: list[int] = []
        made.append(taken)

        @tool
        def take_bed(ward: int) -> str:
            """Take a bed in a ward."""
            taken.append(ward)
            return f"{len(taken)} taken"

        return Agent(name="office", tools=(take_bed,))

    seat = Seat(office, REQUEST)
    seat.call("take_bed", ward=1).call("take_bed", ward=2).say("Done.")
    assert made[-1] == [1, 2]
    assert seat.result.answer == "Done."


def test_what_the_form_says_is_done(seat: Seat) -> None:
    heard: list[Any] = []
    seat.watch(lambda: heard.append(seat.as_json()["answered"]))
    seat.take({"calls": [{"name": "find_bed", "arguments": '{"ward": 3}'}], "nth": 1})
    seat.take({"back": True, "nth": 2})
    seat.take({"text": "None is free.", "nth": 3})
    assert heard == [1, 0, 1]
    assert seat.result.answer == "None is free."


CHAPTER = kit.ROOT / "solutions/01_one_agent/01_one_agent.ipynb"
GIVEN, OPENED, LOOKED = ("c01-82",), ("c01-85", "c01-88"), ("c01-86", "c01-89")
WELL, LOOPED = LOOKED


@pytest.fixture(scope="module")
def triage() -> Callable[..., Any]:
    """Runs one of the cells of chapter 01 in which a triage is answered, the answers given."""
    book = kit.read(CHAPTER)
    names: dict[str, Any] = {"Agent": Agent, "Limits": Limits, "tool": tool}
    for each in (*GIVEN, *OPENED):
        exec(kit.by_id(book, each).source, names)

    def look(cell: str, *answers: Callable[[Seat], Any]) -> str:
        seat = Seat(names["triage"], names["complaint"])
        for answer in answers:
            answer(seat)
        exec(kit.by_id(book, cell).source, names | {"well": seat, "looped": seat})
        return "" if seat.result is None else str(seat.result.answer)

    return look


def calls(name: str, **given: str) -> Callable[[Seat], Any]:
    return lambda seat: seat.call(name, given)


def says(text: str) -> Callable[[Seat], Any]:
    return lambda seat: seat.say(text)


RULE = calls("how_soon", complaint="a cough for a week")
DIARY = calls("next_free", when="this week")
ANSWER = says("Please come at 9:40 on Thursday.")


@pytest.mark.parametrize(
    "answers",
    [
        (RULE, DIARY, ANSWER),
        (calls("how_soon"), RULE, DIARY, ANSWER),  # a mistake on the way costs a turn
        (lambda seat: seat.calls(("how_soon", {"complaint": "cough"})), DIARY, ANSWER),
    ],
)
def test_a_triage_that_was_answered_well_passes(
    triage: Any, answers: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    triage(WELL, *answers)
    assert capsys.readouterr().out == "✓ a triage answered well — passed\n"


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ((ANSWER,), "look up the rule"),
        ((calls("how_soon", complaint="chest pain"), DIARY, ANSWER), "look up the rule"),
        ((RULE, ANSWER), "look into the diary"),
        ((RULE, calls("next_free", when="today"), ANSWER), "look into the diary"),
        ((RULE, calls("next_free", when="soon"), ANSWER), "look into the diary"),
        ((RULE, DIARY, says("Come on Thursday.")), "tell the caller the time"),
        ((RULE, DIARY, DIARY, DIARY), "max_turns is 4"),
    ],
)
def test_a_triage_that_was_not_is_told_why(triage: Any, answers: Any, why: str) -> None:
    with pytest.raises(CheckFailed, match=why):
        triage(WELL, *answers)


def test_a_loop_that_the_guard_stops_passes(
    triage: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    heard = triage(LOOPED, *[RULE] * 4)
    passed, told = capsys.readouterr().out.splitlines()
    assert passed == "✓ a loop that the guard stops — passed"
    assert "max_turns is 4" in told
    assert told.endswith(heard)


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ((RULE, RULE, ANSWER), "do not give in"),
        ((RULE, DIARY, RULE, DIARY), "each time the same"),
        ((ANSWER,), "make one call"),
    ],
)
def test_what_is_no_loop_is_told_why(triage: Any, answers: Any, why: str) -> None:
    with pytest.raises(CheckFailed, match=why):
        triage(LOOPED, *answers)


@pytest.mark.parametrize("cell", LOOKED)
def test_a_run_that_waits_is_not_attempted(
    triage: Any, cell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    triage(cell, RULE)
    assert capsys.readouterr().out.startswith("○ ")
