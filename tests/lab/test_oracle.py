"""The oracle: as competent in every pattern, and as flawed in every pattern."""

from collections.abc import Iterator
from typing import Any

import pytest

from course import Agent
from course.benches.oracle import Errand, Oracle
from course.benches.outcome import by_marks
from course.errors import ConfigurationError
from course.lab.one import Played, play
from course.lab.patterns import PATTERNS, Setup, pattern
from course.lab.spec import Experiment
from course.models import ChatRequest, Key
from course.models.wire import ToolSpec
from course.systems import carry_out

KNOWN = tuple(PATTERNS)
GUESSING = ("router:static",)  # its words do not reach every specialist: that is its weakness


def played(**axes: Any) -> list[Played]:
    given = {"name": "test", "bench": "calls:3", "pattern": "single", "seeds": "0:1", "tasks": 1}
    return [play(cell) for cell in Experiment(**{**given, **axes}).cells()]


@pytest.mark.parametrize("name", [name for name in KNOWN if name not in GUESSING])
def test_every_pattern_brings_home_all_that_is_needed(name: str) -> None:
    [run] = played(pattern=name)
    assert (run.row["status"], run.row["share"], run.row["wrong"]) == ("scored", 1.0, 0)
    assert run.row["tool_calls"] >= 3 and run.row["calls"] >= 2
    assert run.row["critical_path_s"] <= run.row["latency_s"] + 1e-6 <= run.row["work_s"] + 1e-3


@pytest.mark.parametrize("name", ["single", "handoff", "consultation", "supervisor",
                                  "supervisor:nested", "planner", "planner:nested"])  # fmt: skip
def test_results_reach_the_tasks_that_rest_on_them(name: str) -> None:
    [run] = played(pattern=name, bench="dag:2x3")
    assert run.row["share"] == 1.0, run.row["why"]


def test_a_router_cannot_pass_results_on() -> None:
    [run] = played(pattern="router", bench="dag:3x2")
    assert 0 < run.row["share"] < 1


def test_a_difficult_task_is_misread_in_every_pattern_alike() -> None:
    axes = {"pattern": ["single", "supervisor", "planner"], "seeds": "0:12", "spans": False}
    shares: dict[str, list[float]] = {}
    for run in played(**axes, flaw={"difficulty": [0.5, 0.5]}, tasks=2):
        shares.setdefault(run.row["pattern"], []).append(run.row["success"])
    assert shares["single"] == shares["supervisor"] == shares["planner"]
    assert 0 < sum(shares["single"]) < len(shares["single"])


def test_among_many_tools_a_wrong_one_is_taken_and_its_figure_believed() -> None:
    """Chances of 0.25 among 40 tools and 0.01 among 5: five steps, four tasks, two seeds."""
    crowd = {"bench": "crowd:40x5", "pattern": ["single", "supervisor"], "tasks": 4, "seeds": "0:2"}
    right = dict.fromkeys(crowd["pattern"], 0)
    for run in played(**crowd, flaw={"confused": "misrouting"}):
        right[run.row["pattern"]] += run.row["success"]
        assert run.row["success"] or run.row["wrong"]  # nothing is missing, and nobody noticed
    assert right["single"] <= 5 < 7 <= right["supervisor"]
    assert all(run.row["success"] for run in played(**crowd, spans=False))
    with pytest.raises(ConfigurationError, match="no profile 'crowded'"):
        played(**crowd, flaw={"confused": "crowded"})


@pytest.mark.parametrize(
    ("flaw", "hurt", "unhurt"),
    [("lost_result", "router", "single"), ("wrong_route", "router", "single")],
)
def test_a_flaw_costs_the_pattern_that_it_concerns(flaw: str, hurt: str, unhurt: str) -> None:
    runs = played(pattern=[hurt, unhurt], seeds="0:6", flaw={flaw: 0.4}, spans=False)
    mean = {
        name: sum(r.row["share"] for r in runs if r.row["pattern"] == name) / 6
        for name in (hurt, unhurt)
    }
    assert mean[hurt] < 0.95
    assert mean[unhurt] == 1.0


def test_an_end_that_comes_too_early_is_seen_in_the_answer() -> None:
    runs = played(pattern="supervisor", flaw={"early_end": 1.0})
    assert runs[0].row["share"] == 0.0 and "missing: m1" in runs[0].row["why"]


def test_an_invented_value_is_counted_as_wrong() -> None:
    [run] = played(flaw={"invented": 1.0})
    assert (run.row["right"], run.row["wrong"], run.row["success"]) == (0, 3, False)


def test_marks_are_judged_by_their_values() -> None:
    judged = by_marks("[m1=17] and [m2=5]", {"m1": "17", "m2": "6", "m3": "7"})
    assert (judged.right, judged.needed, judged.wrong) == (1, 3, 1)
    assert judged.why == "missing: m2, m3; wrong: m2"


def test_a_worker_without_the_tool_says_that_it_cannot() -> None:
    oracle = Oracle("task", [Errand("m1", "look_up", {"name": "x"}, "Look up x")], {})
    messages = ({"role": "user", "content": "Task: Look up x (ref m1)"},)
    reply = oracle(ChatRequest("m", messages, key=Key(agent="clerk")))
    assert reply.text is not None and reply.text.startswith("CANNOT:")


def test_what_was_found_is_said_where_a_move_takes_no_words() -> None:
    """As in agent-framework, which lets the next one read no calls and no results."""
    asked = {"role": "user", "content": "Look up x. Look up y."}
    call = {"id": "1", "function": {"name": "look_x", "arguments": "{}"}}
    messages = (
        asked, {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": '{"figure": 7}'},
    )  # fmt: skip
    errands = [Errand("m1", "look_x", {}, "Look up x"), Errand("m2", "look_y", {}, "Look up y")]
    oracle = Oracle("task", errands, {"look_x": ["clerk"], "look_y": ["keeper"]})
    tools = (ToolSpec("look_x"), ToolSpec("handoff_to_lead"))
    reply = oracle(ChatRequest("m", messages, tools, key=Key(agent="clerk")))
    assert [call.name for call in reply.calls] == ["handoff_to_lead"]
    assert by_marks(str(reply.text), {"m1": "7"}).share == 1.0
    told = (asked, {"role": "assistant", "content": reply.text})
    back = oracle(ChatRequest("m", told, (ToolSpec("handoff_to_keeper"),), key=Key(agent="lead")))
    assert [call.name for call in back.calls] == ["handoff_to_keeper"]
    assert "(ref m2)" in back.calls[0].arguments and "m1" not in back.calls[0].arguments


def test_a_pattern_that_breaks_is_a_run_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PATTERNS, "broken", lambda setup: Broken())
    [run] = played(pattern="broken")
    assert (run.row["status"], run.row["success"]) == ("failed", False)
    assert run.row["why"] == "KeyError: 'nowhere'"


class Broken:
    """A system that looks for something that is not there."""


@carry_out.register(Broken)
async def _(system: Broken, request: str, *, client: Any) -> Any:
    raise KeyError("nowhere")


@pytest.fixture
def two_heads() -> Iterator[str]:
    @pattern("two heads")
    def make(setup: Setup) -> Agent:
        tools = tuple(tool for agent in setup.agents for tool in agent.tools)
        return Agent(name="heads", tools=tools)

    yield "two heads"
    del PATTERNS["two heads"]


def test_a_pattern_of_ones_own_enters_with_a_decorator(two_heads: str) -> None:
    [run] = played(pattern=two_heads)
    assert run.row["pattern"] == two_heads and run.row["success"]


def test_a_pattern_that_breaks_as_it_is_made_is_one_line_that_names_it(two_heads: str) -> None:
    @pattern(two_heads)
    def make(setup: Setup) -> Agent:
        raise RuntimeError("no\nway")

    with pytest.raises(ConfigurationError, match=r"'two heads' breaks .* RuntimeError: no$"):
        played(pattern=two_heads)
