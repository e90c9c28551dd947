"""Systems from files: found, asked once, and talked to, whatever kind they are."""

from __future__ import annotations

import io
import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from course import Agent, Supervisor, Team, Trace, cli, clock, connect
from course.models import Call, ChatRequest, Reply, Scripted
from course.playground.loading import loaded
from course.playground.talking import converse
from course.systems import Result

ONE = """
    from pydantic import BaseModel
    from course import Agent, Pipeline, Stage, Supervisor, escalation, hub_and_spoke
    from course.delegation import Task

    aide = Agent(name="aide", description="helps", instructions="Help.")
    boss = Supervisor(name="boss", workers=(aide,))
    hub = Agent(name="hub", description="routes", instructions="Route.")
    desk = hub_and_spoke(hub, [aide], name="desk")
    _hidden = desk

    def made():
        return Task[str](name="form", instructions="Find out a name.")

    def needy(what):
        return aide

    def nothing():
        return None

    def raising():
        raise ValueError("no shop\\ntoday")

    class Note(BaseModel, frozen=True):
        request: str
        found: str = ""

    def closed(request: str) -> str:
        raise RuntimeError("the archive is closed\\ntoday")

    search = Stage(name="search", work=closed, reads=("request",), writes=("found",))

    def chain():
        return Pipeline(name="chain", state=Note, stages=(search,))

    async def late():
        return aide

    number = 7
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "shop.py"
    path.write_text(dedent(ONE))
    return path


BAD = {
    "empty.py": b"x = 1",
    "broken.py": b"1 / 0",
    "leaving.py": b"raise SystemExit(3)",
    "odd.py": b"name = '\xff'",
    "words.txt": b"Hello",
}
"""Files that cannot be run."""


def echo(request: ChatRequest) -> str:
    """Says how many things the person has said so far, and the last of them."""
    said = [m["content"] for m in request.messages if m["role"] == "user"]
    return f"{len(said)}: {said[-1]}"


def said(place: str, *texts: str, script: Any = echo) -> list[str]:
    """What comes of a conversation with what stands there."""
    client, told, left = connect(Scripted(script)), list[Result | str](), iter(texts)
    with loaded(place, client=client) as (name, system):
        talk = converse(
            system, client=client, trace=Trace(name), hear=lambda: next(left, None),
            tell=told.append,
        )  # fmt: skip
        clock.simulate(talk)
    return [each if isinstance(each, str) else each.answer for each in told]


@pytest.mark.parametrize(
    ("name", "kind"), [("", Team), (":boss", Supervisor), (":aide", Agent), (":desk", Team)]
)
def test_a_system_is_found_by_its_name_or_as_the_last_one(file: Path, name: str, kind: Any) -> None:
    with loaded(f"{file}{name}", client=connect(echo)) as (_, system):
        assert type(system) is kind


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("shop.py:nobody", "its systems: aide, boss, hub, desk"),
        ("shop.py:needy", "shop.py:needy needs what"),
        ("shop.py:number", "shop.py:number is or gives int"),
        ("shop.py:nothing", "shop.py:nothing is or gives NoneType"),
        ("shop.py:raising", "shop.py:raising cannot be run: ValueError: no shop"),
        ("shop.py:chain", "the archive is closed"),
        ("shop.py:late", "shop.py:late is or gives function"),
        ("leaving.py", "leaving.py cannot be run: SystemExit: 3"),
        ("odd.py", "odd.py cannot be run: SyntaxError"),
        (".", "there is no file ."),
        ("nowhere.py", "there is no file"),
        ("empty.py", "has no system"),
        ("broken.py", "ZeroDivisionError: division by zero"),
        ("words.txt", "is no Python file"),
    ],
)
def test_what_cannot_be_run_is_one_line(
    file: Path, place: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in BAD.items():
        file.with_name(name).write_bytes(text)
    assert cli.main(["run", place, "Hello"]) == 2
    err = capsys.readouterr().err
    assert why in err and err.count("\n") == 1


def test_files_of_a_name_that_another_module_has_are_themselves(file: Path) -> None:
    other = file.with_name("json.py")
    other.write_text("from course import Agent\nfrom shop import aide\nown = Agent(name='own')\n")
    with loaded(str(other), client=connect(echo)) as (name, system):
        assert (name, system.name) == ("own", "own")
    assert json.loads("[1]") == [1]


@pytest.mark.parametrize(
    ("name", "turns"),
    [
        ("aide", ["1: Hello.", "2: More."]),
        ("boss", ["1: Hello.", "2: More."]),
    ],
)
def test_who_was_told_before_knows_it_in_the_next_turn(
    file: Path, name: str, turns: list[str]
) -> None:
    assert said(f"{file}:{name}", "Hello.", "More.") == turns


def test_a_team_keeps_its_session(file: Path) -> None:
    def script(request: ChatRequest) -> Any:
        if request.key.agent == "hub":
            return Reply(calls=(Call("transfer_to_aide", json.dumps({"reason": "it"})),))
        return echo(request)

    assert said(str(file), "Hello.", "More.", script=script) == ["1: Hello.", "2: More."]


def test_a_task_asks_until_it_is_done_and_then_the_conversation_is_over(file: Path) -> None:
    steps = iter(["Who?", Reply(calls=(Call("complete", json.dumps({"result": "Ada"})),))])
    told = said(f"{file}:made", "Hello.", "Ada.", "More.", script=lambda _: next(steps))
    assert told == ["Who?", 'Settled: "Ada"', "the conversation is over"]


def test_what_goes_wrong_is_a_line_and_the_conversation_goes_on(file: Path) -> None:
    calls = iter([ValueError("broken"), "Fine."])

    def script(_: ChatRequest) -> Any:
        if isinstance(step := next(calls, "Fine."), Exception):
            raise step
        return step

    assert said(f"{file}:boss", "Hello.", "More.", script=script)[-1] == "Fine."


def test_the_command_shows_answer_tree_and_cost_and_saves_the_trace(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", "shop.py:aide", "Hello.", "--save", "own.json"]) == 0
    out = capsys.readouterr().out
    assert "└─ chat switchboard" in out and "this run: " in out
    assert Trace.load("own.json").spans


def test_the_command_talks_until_nothing_more_is_typed(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Hello.\n\nThank you.\n"))
    assert cli.main(["run", "shop.py:aide"]) == 0
    out = capsys.readouterr().out
    assert out.count("aide: ") == 2
    assert out.count("chat switchboard") == 2


def test_a_request_that_is_empty_is_refused(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "shop.py:aide", " "]) == 2
    assert "the request is empty" in capsys.readouterr().err
