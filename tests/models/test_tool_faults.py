"""Tools that go wrong as a profile says: each kind, keyed by what is asked, and off by default."""

import json
from collections import Counter
from typing import Any

import pytest

from course import Agent, clock, connect, run, tool
from course.errors import FileFormatError
from course.models import Call, Reply, Scripted
from course.models.profile import ToolFailures, load, names, read
from course.models.tool_faults import ToolFaults

SHARES = {"slow": 0.0, "error": 0.0, "bad_value": 0.0, "wrong_shape": 0.0}


def certain(kind: str, *, rate: float = 1.0) -> ToolFailures:
    return ToolFailures(rate=rate, slow_seconds=8.0, **{**SHARES, kind: 1.0})


@tool
def find_price(article: str) -> dict[str, Any]:
    """Find the price of an article."""
    return {"article": article, "price": 12}


def script(request: Any) -> Reply:
    if request.messages[-1]["role"] == "tool":
        return Reply("done")
    return Reply(calls=(Call("find_price", json.dumps({"article": "lamp"})),))


def seen(failures: ToolFailures | None) -> tuple[str, str, float]:
    """What the model is told by the tool, how the trace calls it, and when the run is over."""
    profile = load("instant").model_copy(update={"tool_failures": failures})
    client = connect(Scripted(script), profile=profile)

    async def main() -> tuple[str, str, float]:
        result = await run(Agent(name="a", tools=(find_price,)), "The lamp?", client=client)
        [said] = [m["content"] for m in result.context.messages if m["role"] == "tool"]
        [step] = [s for s in result.trace.spans if s.operation == "execute_tool"]
        return said, step.status, clock.now()

    return clock.simulate(main())


def test_tools_work_where_a_profile_says_nothing() -> None:
    assert seen(None) == ('{"article":"lamp","price":12}', "ok", 0.0)
    assert {name for name in names() if load(name).tool_failures} == {"faulty_tools"}


def test_a_slow_one_answers_later() -> None:
    assert seen(certain("slow")) == ('{"article":"lamp","price":12}', "ok", 8.0)


def test_one_that_breaks_says_so() -> None:
    said, status, _ = seen(certain("error"))
    assert "find_price failed: ConnectionError" in said
    assert status == "error"


def test_a_bad_value_looks_like_a_good_one() -> None:
    said, status, _ = seen(certain("bad_value"))
    assert status == "ok"
    assert json.loads(said)["article"] == "lamp"
    assert json.loads(said.replace(":0", ":"))["price"] != 12


def test_a_wrong_shape_is_no_json() -> None:
    said, _, _ = seen(certain("wrong_shape"))
    assert said == '{"article":"la'


def test_the_same_question_meets_the_same_luck_whoever_asks_and_whenever() -> None:
    failures = load("faulty_tools").tool_failures
    assert failures is not None

    def luck(order: list[str]) -> dict[str, str | None]:
        faults = ToolFaults(failures, seed=3)
        return {each: faults.strike("find", each)[0] for each in order}

    asked = [json.dumps({"x": n}) for n in range(300)]
    assert luck(asked) == luck(asked[::-1])
    faults = ToolFaults(failures, seed=3)
    again = [faults.strike("find", "{}")[0] for _ in range(3000)]
    told = Counter(again)
    assert 0.08 < 1 - told[None] / 3000 < 0.12
    assert all(told[kind] for kind in SHARES)


def test_shares_that_do_not_add_up_are_refused(tmp_path: Any) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'extends = "faulty_tools"\n[tool_failures]\nslow = { value = 0.5, source = "assumption" }\n'
    )
    with pytest.raises(FileFormatError, match=r"must be 1, not 1\.25"):
        read(file)
