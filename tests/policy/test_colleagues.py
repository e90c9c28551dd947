"""Workers, agents and routes: wrong choices, limits, and who is asked next."""

from __future__ import annotations

import json
from typing import Any

import pytest

from course.models.draws import Draws
from course.models.policy import options, respond
from course.models.wire import ChatRequest, Key, Reply, ToolSpec
from tests.policy.talks import TEXT, ask, calls, reply, tool

CREW = {"pilot": "guides ships in and out", "divers": "inspect and repair hulls", "cook": "meals"}
LINES = "\n".join(f"- {name}: {about}" for name, about in CREW.items())
DELEGATE = tool(
    "delegate_to_agent",
    f"Give one worker a task; its result comes back to you. Workers:\n{LINES}",
    ["worker_agent", "task"],
    worker_agent={"type": "string", "enum": [*CREW]},
    task=TEXT,
    constraints=TEXT,
)
ROUTE = {
    "type": "object",
    "properties": {"agents": {"type": "array", "items": {"type": "string", "enum": [*CREW]}}},
    "required": ["agents"],
}


def transfer(name: str, about: str) -> ToolSpec:
    said = f"Hand the conversation over to {name}: {about}"
    return tool(f"transfer_to_{name}", said, ["reason"], reason=TEXT)


def after(request: ChatRequest, *answered: tuple[str, dict[str, Any], Any]) -> Reply:
    """What follows when these calls were made and answered."""
    made = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(a)}}
        for n, (name, a, _) in enumerate(answered)
    ]
    results = [
        {
            "role": "tool",
            "tool_call_id": f"c{n}",
            "content": v if isinstance(v, str) else json.dumps(v),
        }
        for n, (_, _, v) in enumerate(answered)
    ]
    turn = {"role": "assistant", "content": None, "tool_calls": made}
    messages = (*request.messages, turn, *results)
    return respond(ChatRequest("test", messages, tools=request.tools), Draws())


def test_a_delegation_tool_counts_as_often_as_it_has_workers() -> None:
    assert options(ask("Hello", tools=(DELEGATE,))) == 3
    assert options(ask("Hello", tools=(DELEGATE, tool("get_time", "The time.")))) == 4


def test_a_routers_answer_counts_as_often_as_it_has_agents() -> None:
    system = f"Route the request:\n{LINES}"
    request = ask("Hello", system=system, response_format="json_schema", schema=ROUTE)
    assert options(request) == 3


def test_plain_tools_are_counted_as_they_are() -> None:
    assert options(ask("Hello", tools=(tool("a_b", "A."), transfer("cook", "meals")))) == 2


@pytest.mark.parametrize(("rate", "wanted"), [(0.0, ["divers"]), (1.0, ["pilot"])])
def test_a_wrong_route_takes_the_second_best_agent(rate: float, wanted: list[str]) -> None:
    request = ask(
        "Inspect the hull before the ship comes in",
        system=f"Route the request:\n{LINES}",
        response_format="json_schema",
        schema=ROUTE,
    )
    answer = respond(request, Draws(), error_rate=rate)
    assert json.loads(answer.text or "") == {"agents": wanted}


def test_a_wrong_delegation_takes_the_second_best_worker_and_is_mended_when_it_says_so() -> None:
    request = ask("Inspect the hull of the ship", tools=(DELEGATE,))
    wrong = respond(request, Draws(), error_rate=1.0)
    name, arguments = calls(wrong)[0]
    assert arguments["worker_agent"] == "pilot"
    refused = {"worker": "pilot", "status": "done", "result": "None of my tools fits that."}
    again = after(request, (name, arguments, refused))
    assert [a["worker_agent"] for _, a in calls(again)] == ["divers"]


def test_a_wrong_handover_takes_the_second_best_agent() -> None:
    doors = (transfer("divers", "inspect and repair hulls"), transfer("cook", "meals"))
    request = ask("Please repair the hull", tools=doors)
    assert respond(request, Draws(), error_rate=0.0).calls[0].name == "transfer_to_divers"
    assert respond(request, Draws(), error_rate=1.0).calls[0].name == "transfer_to_cook"


def test_wrong_routes_are_as_frequent_as_asked() -> None:
    request = ask("Inspect the hull", tools=(DELEGATE,))
    draws = [Draws(seed, Key("run", "agent", 0)) for seed in range(300)]
    first = [calls(respond(request, d, error_rate=0.3))[0][1]["worker_agent"] for d in draws]
    assert abs(sum(w != "divers" for w in first) / 300 - 0.3) < 0.09


@pytest.mark.parametrize("kind", ["limit", "policy", "refused", "depth", "timeout", "model"])
def test_what_failed_is_named_and_not_delegated_again(kind: str) -> None:
    request = ask("Inspect the hull of the Halcyon", tools=(DELEGATE,))
    name, arguments = calls(respond(request, Draws()))[0]
    failed = {"worker": "divers", "status": "failed", "kind": kind, "error": "max_depth is 2"}
    answer = after(request, (name, arguments, failed))
    assert not answer.calls
    assert "max_depth is 2" in (answer.text or "") and "Inspect the hull" in (answer.text or "")


def test_after_a_limit_nothing_more_is_delegated() -> None:
    request = ask("Inspect the hull, then prepare meals for six people", tools=(DELEGATE,))
    name, arguments = calls(respond(request, Draws()))[0]
    limit = {"worker": "divers", "status": "failed", "kind": "limit", "error": "max_tokens is 9"}
    answer = after(request, (name, arguments, limit))
    assert not answer.calls and "max_tokens is 9" in (answer.text or "")


def test_who_took_over_does_not_hand_back_what_is_its_own() -> None:
    find = tool("find_hull", "Find the hull of a ship.", ["ship"], ship=TEXT)
    request = ask('Find the hull of the ship "Halcyon"', tools=(find, transfer("hub", "passes on")))
    answer = after(request, ("transfer_to_divers", {"reason": "x"}, "Transferred to divers."))
    assert calls(answer) == [("find_hull", {"ship": "Halcyon"})]


def test_a_second_handover_after_a_refused_one_waits() -> None:
    doors = (transfer("divers", "inspect and repair hulls"), transfer("cook", "meals"))
    request = ask("Repair the hull and prepare meals", tools=doors)
    refused = {"error": "already transferred to divers; one handoff per message"}
    assert not after(request, ("transfer_to_cook", {"reason": "meals"}, refused)).calls


def test_facts_known_so_far_fill_what_is_missing() -> None:
    stay = tool("cancel_stay", "Cancel a stay.", ["stay_id"], stay_id=TEXT)
    known = 'You are the harbour.\nKnown so far: {"stay": {"stay_id": "S-4", "name": "Halcyon"}}'
    answer = respond(ask("Cancel the stay, please", system=known, tools=(stay,)), Draws())
    assert calls(answer) == [("cancel_stay", {"stay_id": "S-4"})]
    other = respond(ask("Cancel Albatros's stay", system=known, tools=(stay,)), Draws())
    assert not other.calls


def test_what_was_tried_is_not_tried_again() -> None:
    reset = tool("reset_pump", "Reset a pump.", ["pump_id"], pump_id=TEXT)
    tried = [{"call": 'reset_pump({"pump_id": "P-1"})', "outcome": '{"error": "it is stuck"}'}]
    system = f"You mend pumps.\nKnown so far: {json.dumps({'tried': tried})}"
    answer = respond(ask("Reset pump P-1", system=system, tools=(reset,)), Draws())
    assert not answer.calls and "stuck" in (answer.text or "")
    fresh = respond(ask("Reset pump P-2", system=system, tools=(reset,)), Draws())
    assert calls(fresh) == [("reset_pump", {"pump_id": "P-2"})]


def test_a_refused_answer_is_made_again_from_what_was_asked() -> None:
    item = {"type": "object", "properties": {"item": TEXT, "quantity": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"items": {"type": "array", "items": item}}}
    texts = ('{"request":"Two ropes, please."}', "Your answer does not fit: items: too short.")
    request = ask(*texts, response_format="json_schema", schema=schema)
    answer = json.loads(respond(request, Draws()).text or "")
    assert answer["items"] == [{"item": "rope", "quantity": 2}]


def test_a_free_chat_finds_out_what_it_is_told_to_and_sums_it_up() -> None:
    system = "Find out from the guest: the boat's name; how many nights; the size (small or large)."
    said = ["Halcyon", "three", "large"]
    messages: list[Any] = [{"role": "system", "content": system}]
    heard = []
    for words in [*said, None]:
        text = respond(ChatRequest("test", tuple(messages)), Draws()).text
        heard.append(text or "")
        messages.append({"role": "assistant", "content": text})
        messages.append({"role": "user", "content": words})
    assert [h.endswith("?") for h in heard] == [True, True, True, False]
    assert all(w in heard[-1] for w in ("Halcyon", "three", "large"))


# Whose a part is


KEY = {"type": "string", "pattern": "^B-\\d+$"}
RESTART = tool("restart_boiler", "Restart a boiler.", ["boiler"], boiler=KEY)
FITTERS = transfer("fitters", "restarts, repairs and replaces boilers")
OFFICE = transfer("office", "the first contact: invoices and whatever is nobody else's")
BAND = (
    transfer("venue", "rooms, stages and seating"),
    transfer("sound", "loudspeakers, microphones and lights"),
    transfer("tickets", "sales, prices and refunds of tickets"),
)


def led_to(said: str, *tools: ToolSpec) -> list[str]:
    """The names of the tools that a sentence is answered with."""
    return [name for name, _ in calls(reply(said, tools=tools))]


def test_what_ones_own_tool_is_named_for_is_not_passed_on() -> None:
    assert led_to("Please restart boiler B-7", FITTERS, RESTART) == ["restart_boiler"]


def test_an_office_for_everything_else_takes_back_nothing_that_one_can_do() -> None:
    assert led_to("B-7 has to be restarted", OFFICE, RESTART) == ["restart_boiler"]


@pytest.mark.parametrize(
    ("said", "who"),
    [
        ("The show was called off, please pay me back for my tickets.", "tickets"),
        ("We sat in the third row. What do tickets for the next show cost?", "tickets"),
        ("The microphone crackled all evening.", "sound"),
    ],
)
def test_what_is_only_told_belongs_to_what_is_asked_beside_it(said: str, who: str) -> None:
    assert led_to(said, *BAND) == [f"transfer_to_{who}"]


def test_what_people_say_for_a_thing_finds_who_sees_to_it() -> None:
    hotel = (
        transfer("housekeeping", "cleaning of rooms"),
        transfer("workshop", "repairs of broken devices"),
        transfer("accounts", "invoices and refunds"),
    )
    said = "It stinks in here and the floor is filthy."
    assert led_to(said, *hotel) == ["transfer_to_housekeeping"]


def test_what_is_added_with_and_is_for_somebody_of_its_own() -> None:
    workers = {"plumber": "leaking taps and pipes", "painter": "paints walls and ceilings"}
    lines = "\n".join(f"- {name}: {about}" for name, about in workers.items())
    give = tool(
        "delegate_to_agent",
        f"Give one worker a task. Workers:\n{lines}",
        ["worker_agent", "task"],
        worker_agent={"type": "string", "enum": [*workers]},
        task=TEXT,
    )
    made = calls(reply("A tap is leaking and I'd like to have the ceiling painted.", tools=(give,)))
    assert [given["worker_agent"] for _, given in made] == ["plumber", "painter"]


def test_who_says_his_own_name_names_no_doctor() -> None:
    slots = tool("find_slots", "Find free times of a doctor.", doctor={"type": "string"})
    [(_, given)] = calls(reply("I'm Emil Doyle. Any free times of a doctor?", tools=(slots,)))
    assert given == {}


def test_who_has_nothing_but_a_way_back_says_so_there() -> None:
    back = tool("return_to_hub", "Give control back with your result.", ["result"], result=TEXT)
    said = "My train was cancelled, and the lamp is broken."
    assert [name for name, _ in calls(reply(said, tools=(back,)))] == ["return_to_hub"]
