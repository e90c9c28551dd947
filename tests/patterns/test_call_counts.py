"""How many model calls a request takes in three patterns: the published table, counted again.

Every count is of requests that reached the model. Each case runs with a script, which shows that
the patterns need no more calls than this, and with the simulated model, which shows that it finds
this way by itself.
"""

from __future__ import annotations

import json

import pytest

from course import connect
from course.models import Call, ChatRequest, Reply, Scripted
from course.reproductions.call_counts import EXPERTS, PATTERNS, PUBLISHED, SCENARIOS, counted


def script(request: ChatRequest) -> Reply | str:
    """Does what has to be done next, and nothing else."""
    done = _results_since_the_person_spoke(request)
    offered = {each.name for each in request.tools}
    if request.schema is not None:
        names = request.schema["properties"]["agents"]["items"]["enum"]
        return json.dumps({"agents": names if "python" in names else ["milk"]})
    if "buy_milk" in offered and not any(each.startswith("bought") for each in done):
        return Reply(calls=(Call("buy_milk", "{}"),))
    if "delegate_to_agent" in offered and not done:
        names = list(EXPERTS) if "knows the language" in request.tools[0].description else ["milk"]
        return Reply(calls=tuple(_call("delegate_to_agent", worker_agent=n, task=n) for n in names))
    if "transfer_to_milk" in offered:
        return Reply(calls=(_call("transfer_to_milk", reason="milk is wanted"),))
    if "consult_python" in offered and len(done) < 3:
        return Reply(
            calls=(_call(f"consult_{list(EXPERTS)[len(done)]}", request="what it is good for"),)
        )
    if "return_to_main" in offered:
        return Reply(calls=(_call("return_to_main", result="much"),))
    return "done"


def _call(name: str, **arguments: str) -> Call:
    return Call(name, json.dumps(arguments))


def _results_since_the_person_spoke(request: ChatRequest) -> list[str]:
    roles = [message["role"] for message in request.messages]
    last = max(place for place, role in enumerate(roles) if role == "user")
    return [str(m["content"]) for m in request.messages[last:] if m["role"] == "tool"]


CASES = [(pattern, scenario) for pattern in PATTERNS for scenario in SCENARIOS]


@pytest.mark.parametrize(("pattern", "scenario"), CASES)
def test_a_script_needs_the_published_number_of_calls(pattern: str, scenario: str) -> None:
    model = Scripted(script)
    found = counted(pattern, scenario, connect(model))
    assert found.calls == PUBLISHED[pattern][scenario]
    assert len(model.requests) == sum(found.calls)  # the traces tell all that reached the model


@pytest.mark.parametrize(("pattern", "scenario"), CASES)
def test_the_simulated_model_needs_the_published_number_of_calls(
    pattern: str, scenario: str
) -> None:
    found = counted(pattern, scenario, connect(profile="instant"))
    assert found.calls == PUBLISHED[pattern][scenario]
    wanted = EXPERTS.values() if scenario == "three" else ["bought 1 l of milk"]
    for words in wanted:
        assert words.casefold() in found.answer.casefold()


def test_three_domains_are_read_once_each_and_handoffs_read_most() -> None:
    """Published: about 9,000 tokens with subagents and a router and at least 14,000 with handoffs,
    whose figures round each call up to whole thousands and let every expert look things up; here
    three handbooks of 2,000 are read once each, and the rest is what the pattern adds."""
    tokens = {each: counted(each, "three", connect(profile="instant")).tokens for each in PATTERNS}
    assert 6_000 < tokens["router"] < tokens["subagents"] < tokens["handoffs"] < 9_000


def test_a_router_asks_its_specialists_at_the_same_time_and_handoffs_cannot() -> None:
    peaks = {}
    for pattern in PATTERNS:
        model = Scripted(script, latency=1.0)
        counted(pattern, "three", connect(model))
        peaks[pattern] = model.in_flight_peak
    assert peaks == {"subagents": 3, "handoffs": 1, "router": 3}
