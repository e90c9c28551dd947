"""The world by itself: time, replies, ties, limits, and what it makes of odd requests."""

import json
from typing import Any

import pytest

from course.models import ApiError, Call, Reply
from graders.judge.protocol import Lied, read
from graders.judge.world import World, tokens_from
from graders.records.log import Log
from graders.records.scenario import Answer, Ask, Scenario, ToolOffer
from tests.judge.stages import NAME, TOKENS, world
from tests.judge.test_protocol import BEGAN, MODEL, TOOL

SIMPLE = {"model": "switchboard-small", "messages": [{"role": "user", "content": "x"}]}


class Talk:
    """A world and somebody who talks to it."""

    def __init__(self, scenario: Scenario | None = None) -> None:
        self.world = World(scenario or world(), TOKENS)
        self.say(BEGAN)

    def say(self, message: dict[str, Any]) -> dict[str, Any] | None:
        return self.world.hear(read(json.dumps(message).encode()))

    def idle(self, until: float | None = None, held: str = "") -> dict[str, Any]:
        delivery = self.say({"do": "idle", "until": until, "held": held})
        assert delivery is not None
        return delivery

    def tool(self, number: int, **arguments: Any) -> None:
        self.say({**TOOL, "id": number, "arguments": arguments})

    def model(self, number: int, **body: Any) -> None:
        self.say({**MODEL, "id": number, "body": json.dumps({**SIMPLE, **body})})

    @property
    def log(self) -> Log:
        return self.world.log()


def answering(answer: Any) -> Scenario:
    offer = ToolOffer("look_up", "Look up.", NAME, lambda ask: answer)
    return Scenario((offer,), lambda ask: answer)


def test_time_moves_to_the_next_reply_or_to_the_timer_whichever_is_first() -> None:
    talk = Talk()
    talk.tool(0, name="Ann")
    assert talk.idle(0.25) == {"now": 0.25, "events": []}
    delivery = talk.idle(7.0)
    assert delivery["now"] == 1.0
    assert [event["id"] for event in delivery["events"]] == [0]
    assert talk.idle(7.0) == {"now": 7.0, "events": []}


def test_replies_of_the_same_moment_come_in_the_order_of_asking() -> None:
    talk = Talk(answering(Answer("x", seconds=1.0)))
    for number in (5, 3, 9):
        talk.tool(number, name="Ann")
    assert [event["id"] for event in talk.idle(1.0)["events"]] == [5, 3, 9]


def test_time_never_goes_back() -> None:
    talk = Talk()
    talk.idle(5.0)
    assert talk.idle(2.0)["now"] == 5.0


def test_sums_of_tenths_are_what_they_look_like() -> None:
    talk = Talk(answering(Answer("x", seconds=0.1)))
    for number in range(3):
        talk.tool(number, name="Ann")
        talk.idle()
    assert [e.end for e in talk.log.exchanges] == [0.1, 0.2, 0.3]


def test_nothing_to_come_is_a_stall_that_the_child_explains() -> None:
    talk = Talk()
    talk.tool(0, name="never")
    assert talk.idle()["end"] == "stalled"
    talk.say({"do": "stuck", "waiting": ["solve (line 3: await x)"]})
    assert [(m.kind, m.detail) for m in talk.log.moments] == [
        ("stalled", "solve (line 3: await x)")
    ]
    assert talk.log.exchanges[0].outcome == "open"


def test_waiting_ten_hours_is_a_stall() -> None:
    assert "end" not in Talk().idle(36_000.0)
    assert Talk().idle(36_001.0)["end"] == "stalled"


def test_a_request_given_up_is_not_answered() -> None:
    talk = Talk()
    talk.tool(0, name="Ann")
    talk.idle(0.5)
    talk.say({"do": "cancel", "id": 0})
    talk.say({"do": "cancel", "id": 0})  # a second time does nothing
    assert talk.idle(2.0)["events"] == []
    assert [(e.end, e.outcome, e.reply) for e in talk.log.exchanges] == [(0.5, "cancelled", None)]


def test_a_behaviour_sees_what_runs_and_what_came_before() -> None:
    seen: list[Ask] = []

    def behaviour(ask: Ask) -> Answer:
        seen.append(ask)
        return Answer(ask.token, seconds=1.0)

    talk = Talk(Scenario((ToolOffer("look_up", "Look up.", NAME, behaviour),)))
    talk.tool(0, name="Ann")
    talk.tool(1, name="Ben")
    talk.idle(1.0)
    talk.tool(2, name="Cem")
    assert [(a.number, a.running, a.time) for a in seen] == [(0, 1, 0.0), (1, 2, 0.0), (2, 1, 1.0)]
    assert [a.token for a in seen] == [e.token for e in talk.log.exchanges]
    assert len({a.token for a in seen}) == 3


def test_tokens_hang_on_the_salt_alone() -> None:
    assert tokens_from(b"a")(3) == tokens_from(b"a")(3) != tokens_from(b"b")(3)


@pytest.mark.parametrize("arguments", [{}, {"name": 3}, {"name": "Ann", "more": 1}])
def test_arguments_that_do_not_fit_never_reach_a_behaviour(arguments: dict[str, Any]) -> None:
    talk = Talk(Scenario((ToolOffer("look_up", "Look up.", NAME, lambda ask: 1 / 0),)))  # type: ignore[arg-type,return-value]
    talk.tool(0, **arguments)
    assert "do not fit" in talk.idle()["events"][0]["error"]
    assert talk.log.exchanges[0].outcome == "failed"


def test_a_behaviour_that_breaks_is_an_error_reply() -> None:
    def breaks(ask: Ask) -> Answer:
        raise KeyError("oh")

    talk = Talk(Scenario((ToolOffer("look_up", "Look up.", NAME, breaks),), breaks))
    talk.tool(0, name="Ann")
    talk.model(1)
    tool, model = talk.idle()["events"]
    assert ("KeyError" in tool["error"], model["status"]) == (True, 400)


def test_a_model_reply_is_the_bytes_of_the_simulated_model() -> None:
    talk = Talk(answering(Reply(calls=(Call("look_up", '{"name": "Ann"}'),))))
    talk.model(0)
    (event,) = talk.idle()["events"]
    body = json.loads(event["body"])
    assert body["object"] == "chat.completion"
    assert body["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "look_up"
    assert body["usage"]["total_tokens"] > 0
    shown = talk.log.exchanges[0].reply
    assert (shown["calls"][0]["name"], shown["finish_reason"]) == ("look_up", "tool_calls")


def test_a_streamed_reply_comes_in_pieces_over_its_seconds() -> None:
    talk = Talk(answering(Answer("one two three four", seconds=4.0)))
    talk.model(0, stream=True, stream_options={"include_usage": True})
    times, text = [], ""
    while not (delivery := talk.idle()).get("end"):
        times.append(delivery["now"])
        text += "".join(event["body"] for event in delivery["events"])
    assert (times[0], times[-1]) == (2.0, 4.0)
    assert len(times) > 3
    assert text.endswith("data: [DONE]\n\n")
    assert '"usage":{' in text
    assert talk.log.exchanges[0].end == 4.0


def test_an_api_error_has_its_status_headers_and_body() -> None:
    error = ApiError(429, "slow down", type="rate_limit_error", headers={"retry-after": "3"})
    talk = Talk(answering(Answer(error=error, seconds=0.5)))
    talk.model(0)
    (event,) = talk.idle()["events"]
    assert (event["status"], event["headers"]["retry-after"]) == (429, "3")
    assert talk.log.exchanges[0].reply["error"]["message"] == "slow down"
    assert talk.log.exchanges[0].outcome == "failed"


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"body": "{"}, 400),
        ({"body": "[]"}, 400),
        ({"body": '{"model": "gone", "messages": [{"role": "user", "content": "x"}]}'}, 404),
        ({"path": "/v1/embeddings"}, 404),
        ({"method": "DELETE"}, 405),
    ],
)
def test_requests_that_are_wrong_are_refused_like_the_real_ones(
    change: dict[str, str], status: int
) -> None:
    talk = Talk()
    talk.say({**MODEL, **change})
    (event,) = talk.idle()["events"]
    assert event["status"] == status
    assert talk.log.exchanges[0].outcome == "failed"


def test_a_world_without_a_model_says_so() -> None:
    talk = Talk(Scenario())
    talk.model(0)
    assert talk.idle()["events"][0]["status"] == 404


def test_being_held_up_in_pieces_is_one_moment() -> None:
    talk = Talk()
    talk.tool(0, name="Ann")
    talk.idle(3.0, held="time.sleep(3)")
    talk.idle(3.0, held="time.sleep(3)")
    talk.idle(4.0)
    talk.idle(5.0, held="time.sleep(1)")
    assert [(m.time, m.seconds, m.detail) for m in talk.log.moments] == [
        (0.0, 3.0, "time.sleep(3)"),
        (4.0, 1.0, "time.sleep(1)"),
    ]


def test_nothing_is_heard_after_the_end() -> None:
    talk = Talk()
    talk.say({"do": "raised", "type": "KeyError", "message": "x", "line": ""})
    with pytest.raises(Lied):
        talk.tool(0, name="Ann")
    with pytest.raises(Lied):
        talk.say({"do": "returned", "result": 1, "trace": None, "running": []})
    assert talk.log.failure is not None


@pytest.mark.parametrize(
    ("sent", "kept"),
    [(None, None), ({"a": 1}, {"a": 1}), ('{"a": 1}', {"a": 1}), ("no", {"unreadable": "no"})],
)
def test_a_trace_is_an_object_or_unreadable(sent: Any, kept: Any) -> None:
    talk = Talk()
    talk.say({"do": "returned", "result": 1, "trace": sent, "running": []})
    assert talk.log.trace == kept


def test_a_mark_has_the_worlds_own_time_and_stands_between_the_requests() -> None:
    talk = Talk()
    talk.say({"do": "told", "name": "piece", "value": "a"})
    talk.tool(0, name="Ann")
    talk.idle(7.0)
    talk.say({"do": "told", "name": "piece", "value": "b"})
    talk.say({"do": "told", "name": "other", "value": None})
    marks = talk.log.marked("piece")
    assert [(m.time, m.value, m.after) for m in marks] == [(0.0, "a", 0), (1.0, "b", 1)]


RETURNED = {"do": "returned", "result": 1, "trace": None, "running": []}


@pytest.mark.parametrize(
    ("message", "left"),
    [
        ({"do": "idle", "until": None, "held": ""}, ""),
        ({"do": "idle", "until": 7.0, "held": ""}, "a timer, due at 7 s"),
        ({**TOOL, "id": 1}, "a call of look_up"),
        ({**MODEL, "id": 1}, "a request to the model"),
        ({"do": "spinning", "line": ""}, "something that never came to rest"),
    ],
)
def test_what_is_heard_first_after_the_return_tells_what_was_left(
    message: dict[str, Any], left: str
) -> None:
    talk = Talk()
    talk.tool(0, name="Ann")
    talk.say(RETURNED)
    talk.say({"do": "cancel", "id": 0})
    assert (talk.world.silent, talk.log.left) == (False, "something that never came to rest")
    talk.say(message)
    assert (talk.world.silent, talk.log.left) == (True, left)
    assert talk.idle() == {"now": 0.0, "events": [], "end": "over"}
    assert (talk.log.left, len(talk.log.exchanges), talk.log.result) == (left, 1, 1)
    with pytest.raises(Lied):
        talk.say(RETURNED)
