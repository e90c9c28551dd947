"""Retries, contents, values and texts: what must hold for whatever numbers and words there are."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graders.checks import (
    backed_off,
    built_from,
    by_argument,
    by_request,
    by_text,
    by_tool,
    equals,
    fits,
    gaps_named,
    nothing_invented,
    parallel,
    planned,
    refined,
    within,
)
from graders.checks.examples.play import ask, call, failed, seen, system, user
from graders.checks.invention import readings
from graders.checks.planning import find_plan
from graders.checks.retry import retry_after, status_of
from graders.checks.text import holds, reach
from graders.exercises.expected import json_of, text_with
from graders.records.log import Log
from graders.records.wording import fail, listed, seconds, shown

FETCH = by_tool("fetch")
CITY = by_argument("city")
WAITS = st.floats(0.01, 50).map(lambda wait: round(wait, 6))


def waiting(*waits: float, asked: dict[int, float] | None = None) -> Log:
    """Tries of one second each that fail, with these waits in between; the last one succeeds."""
    tries, now = [], 0.0
    for index, wait in enumerate(waits):
        headers = {"retry-after": str(asked[index])} if asked and index in asked else {}
        error = {"status": 503, "error": {"message": "busy"}, "headers": headers}
        tries.append(failed("fetch", now, now + 1, reply=error))
        now += 1 + wait
    return seen(*tries, call("fetch", now, now + 1))


@given(st.lists(WAITS, min_size=1, max_size=5, unique=True))
def test_waits_pass_when_and_only_when_they_grow(waits: list[float]) -> None:
    apart = all(abs(a - b) > 1e-4 for a in waits for b in waits if a is not b)
    assume(apart)
    check = backed_off(FETCH, tries=9)
    assert check(waiting(*sorted(waits))).passed
    verdict = check(waiting(*waits))
    assert verdict.code == ("ok" if waits == sorted(waits) else "retry.not_growing")


@given(WAITS, st.floats(0, 20).map(lambda n: round(n, 3)))
def test_a_retry_after_is_the_least_wait(wait: float, asked: float) -> None:
    verdict = backed_off(FETCH, tries=9)(waiting(wait, asked={0: asked}))
    assume(abs(wait - asked) > 1e-4)
    assert verdict.code == ("ok" if wait > asked else "retry.retry_after")


def test_the_longest_call_is_told_apart_from_its_seconds() -> None:
    rides = [call("lift", now, now + 7, floor=floor) for now, floor in ((0, 7), (7, 8))]
    verdict = parallel(by_argument("floor"), ["7", "8"])(seen(*rides))
    assert verdict.code == "parallel.one_at_a_time"
    assert "all took 14 s, the longest (7) alone 7 s;" in verdict.message


def test_refused_calls_at_once_are_no_start_at_once() -> None:
    refused = (failed("fetch", 0, 0, city=city) for city in ("Rome", "Oslo"))
    later = (call("fetch", n, n + 1, city=city) for n, city in enumerate(("Rome", "Oslo")))
    verdict = parallel(CITY, ["Rome", "Oslo"])(seen(*refused, *later))
    assert verdict.code == "parallel.one_at_a_time"


def test_a_retry_after_does_not_count_as_growth() -> None:
    assert backed_off(FETCH, tries=9)(waiting(1, 10, 2, asked={1: 10})).passed


@pytest.mark.parametrize(
    ("reply", "wait", "status"),
    [
        ({"status": 429, "headers": {"Retry-After": "2"}}, 2.0, 429),
        ({"error": "busy, please retry after 3.5 s"}, 3.5, None),
        ({"error": "Rate limited. Try again in 12 seconds."}, 12.0, None),
        ({"error": {"message": "no", "status_code": 503}}, None, 503),
        ("try again in a while", None, None),
        ({"headers": {"retry-after": "tomorrow"}}, None, None),
    ],
)
def test_errors_say_when_to_come_back(reply: Any, wait: float | None, status: int | None) -> None:
    error = failed("fetch", 0, 1, reply=reply)
    assert (retry_after(error), status_of(error)) == (wait, status)


TOKENS = st.lists(st.text("0123456789abcdef", min_size=12, max_size=12), min_size=2, unique=True)


def weather(tokens: list[str], result: Any) -> Log:
    calls = [call("weather", 0, n + 1, city=f"c{n}", token=t) for n, t in enumerate(tokens)]
    return seen(*calls, result=result)


@given(TOKENS, st.data())
def test_an_answer_that_is_left_out_is_missed(tokens: list[str], data: st.DataObject) -> None:
    assume(not any(a in b for a in tokens for b in tokens if a is not b))
    labels = [f"c{n}" for n in range(len(tokens))]
    check = built_from(CITY, labels)
    shuffled = data.draw(st.permutations(tokens))
    assert check(weather(tokens, " and ".join(shuffled))).passed
    assert check(weather(tokens, {"all": [{"text": each.upper()} for each in shuffled]})).passed
    without = [each for each in shuffled if each != tokens[0]]
    verdict = check(weather(tokens, without))
    assert verdict.code == "content.lost" and "c0" in verdict.message


@given(TOKENS)
def test_received_tokens_are_never_invented(tokens: list[str]) -> None:
    assert nothing_invented()(weather(tokens, "".join(tokens))).passed
    assert nothing_invented()(weather(tokens, {"list": tokens})).passed


NATURES = {
    "order": (["b", "a"], ["a", "b"], "the right ones in another order"),
    "order of what is compared in part": (
        [{"n": 2}, {"n": 1}],
        [{"n": 1}, {"n": 2}],
        "another order",
    ),
    "the last is missing": ([1, 2], [1, 2, 3], "the last is missing"),
    "one in the middle is missing": ([1, 3], [1, 2, 3], "the second is missing"),
    "the first ones are missing": ([3], [1, 2, 3], "the first 2 are missing"),
    "two here and there are missing": ([2, 4], [1, 2, 3, 4], "2 are missing"),
    "one too many": ([0, 1, 2], [1, 2], "the first is too many"),
    "one twice": ([1, 2, 1], [1, 2], "the last is there again"),
    "an edge": (4, 5, "that is one less"),
    "an edge above": (6, 5, "that is one more"),
    "a type": ({"a": 1}, "text", "a text is asked for, not a dictionary"),
    "capitals": ("Reason", "reason", "they differ in capitals"),
    "spaces": ("a b", " a b", "they differ in spaces"),
    "no JSON": ("{'a': 1}", json_of({"a": 1}), "that is no JSON"),
    "no text": ({"a": 1}, json_of({"a": 1}), "a text is asked for, not a dictionary"),
    "a name too few": ("{}", json_of({"a": 1}), '"a" is missing'),
    "a name too many": ('{"a": 1, "b": 2}', json_of({"a": 1}), '"b" is too many'),
    "a word too few": ("red", text_with("red", "green"), '"green" is missing'),
    "another value of a name": ('{"a": 2}', json_of({"a": 1}), '"a" differs'),
}


@pytest.mark.parametrize(("came", "wanted", "nature"), NATURES.values(), ids=NATURES)
def test_a_hint_begins_with_what_differs(came: Any, wanted: Any, nature: str) -> None:
    for around in (lambda value: {"it": value}, lambda value: [0, value]):
        verdict = equals(around(wanted), look="look here")(seen(result=around(came)))
        assert re.search(rf"; .*{re.escape(nature)}; look here$", verdict.message), verdict.message


@pytest.mark.parametrize(
    ("came", "wanted"), [("a", "b"), (1.5, 2.5), (3, 7), ([1, 2], [3, 4]), ([], [1]), (None, 1)]
)
def test_what_is_not_plain_is_left_to_the_hint(came: Any, wanted: Any) -> None:
    message = equals(wanted, look="look here")(seen(result=came)).message
    assert message.count(";") == 1


@pytest.mark.parametrize(
    ("came", "wanted", "said"),
    [
        ("ValueError", 0.83, "to be 0.83, got a raised ValueError;"),
        ("ValueError", "few", 'to be "few", got a raised ValueError;'),
        ("few", "ValueError", 'to be a raised ValueError, got "few";'),
        (0.83, "ValueError", "to be a raised ValueError, got 0.83;"),
        ("KeyError", "ValueError", 'to be "ValueError", got "KeyError";'),
        ({"raised": "Refused"}, {"hour": 8}, "to be 8, got a raised Refused;"),
    ],
)
def test_an_error_is_no_value(came: Any, wanted: Any, said: str) -> None:
    assert said in equals(wanted, look="look here")(seen(result=came)).message


def test_the_one_of_many_that_differs_is_compared_in_whatever_order() -> None:
    came, wanted = [{"a": 1}, {"a": 2}, {"a": 3}], [{"a": 3}, {"a": 1}, {"a": 4}]
    message = equals(wanted, any_order=True)(seen(result=came)).message
    assert message.startswith("expected `a` of the second item of the result to be 4, got 2;")


def test_calls_one_after_the_other_are_told_as_such_where_the_end_comes_late() -> None:
    apart = [call("lift", now, now + 5, floor=now) for now in (0, 5, 10)]
    over = [call("lift", now, now + 5, floor=now) for now in (0, 4, 10)]
    said = [within(ended_by=9)(replace(seen(*each), ended=15)).message for each in (apart, over)]
    assert ["only one call was open at a time" in each for each in said] == [True, False]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=10,
)


@given(JSON, JSON)
def test_values_equal_themselves_and_nothing_else(one: Any, other: Any) -> None:
    came = json.loads(json.dumps(one))
    assert equals(lambda log: one)(seen(result=came)).passed
    assert fits(lambda log: one)(seen(result=came)).passed
    assert equals(lambda log: one, any_order=True)(seen(result=came)).passed
    plain = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    alike = equals(lambda log: other)(seen(result=came)).passed
    assert alike or not plain
    assert plain or not alike or one == other


@pytest.mark.parametrize(
    ("came", "wanted"), [(True, 1), (1, "1"), ("", None), ([], {}), (0, False), ([1], 1)]
)
def test_kinds_are_not_mixed_up(came: Any, wanted: Any) -> None:
    assert equals(wanted)(seen(result=came)).code == "value.kind"


def test_a_long_text_is_compared_from_where_it_differs() -> None:
    verdict = equals("a" * 300 + "right")(seen(result="a" * 300 + "wrong"))
    assert "right" in verdict.message and "wrong" in verdict.message


@pytest.mark.parametrize(
    ("text", "number"),
    [("1,234.50", 1234.5), ("1.234,50", 1234.5), ("1,234", 1234.0), ("0.125", 0.125), ("7", 7.0)],
)
def test_numbers_are_read_in_any_usual_way(text: str, number: float) -> None:
    assert number in readings(text)


@pytest.mark.parametrize("result", ["5 120 or 1 999", "1 200 sold for 90", "12.4 on average", 13.1])
def test_made_up_numbers_are_seen(result: Any) -> None:
    sent = {"sold": 120, "in all": 1200, "mean": 12.345}
    log = seen(call("sales", 0, 1, reply=sent), result=result)
    assert nothing_invented(counts=9)(log).code == "invented.number"


@pytest.mark.parametrize("result", ["5 120", "1 200 in all", "12.35", "about 12", [120, 1200.0]])
def test_received_numbers_may_be_written_anew(result: Any) -> None:
    sent = {"sold": 120, "in all": 1200, "mean": 12.345}
    log = seen(call("sales", 0, 1, reply=sent), result=result)
    assert nothing_invented(counts=9)(log).passed


def test_new_york_is_not_york() -> None:
    cities = ["York", "New York"]
    log = seen(
        call("weather", 0, 1, city="York", token="1a2b"),
        failed("weather", 0, 1, city="New York"),
        result={"missing": ["New York"]},
    )
    assert gaps_named(CITY, cities, at="missing")(log).passed
    both = replace(log, result={"missing": "New York and York"})
    assert gaps_named(CITY, cities, at="missing")(both).code == "gaps.false_alarm"


def test_a_hardcoded_error_is_not_the_one_that_was_met() -> None:
    def tried(error: str) -> Log:
        told = "find the revenue, and mind: the year is needed"
        return seen(
            failed("work", 0, 1, worker="ann", task="find the revenue", reply=error),
            call("work", 2, 3, worker="ann", task=told, reply="done"),
        )

    check = refined(by_argument("worker"), ["ann"], field="task")
    assert check(tried("the year is needed")).passed
    assert check(tried("currency unknown: choose EUR or USD")).code == "refine.no_error"


def test_the_task_must_stay_even_if_the_error_quotes_it() -> None:
    log = seen(
        failed("work", 0, 1, worker="ann", task="compare Acme and Zenith", reply="no Acme here"),
        call("work", 2, 3, worker="ann", task="no Acme here"),
    )
    check = refined(by_argument("worker"), field="task")
    assert check(log).code == "refine.no_task"


def test_other_calls_beside_the_wanted_ones_are_left_alone() -> None:
    log = seen(
        call("weather", 0, 2, city="Rome"),
        call("weather", 0, 3, city="Oslo"),
        call("weather", 3, 4, city="health check"),
    )
    assert parallel(CITY, ["Rome", "Oslo"])(log).passed
    assert parallel(CITY)(log).code == "parallel.barrier"


def test_an_exercise_cannot_ask_for_a_circle() -> None:
    with pytest.raises(ValueError, match="circle"):
        parallel(FETCH, after={"a": ["b"], "b": ["a"]})


def test_a_label_is_taken_from_the_part_that_is_meant() -> None:
    request = ask(0, 1, system("You are Ann."), user("Ask Ben about Cleo."))
    names = {"ann": "Ann", "ben": "Ben"}
    assert by_text(names, part="system")(request) == "ann"
    assert by_text(names, part="last")(request) == "ben"
    assert by_text({"cleo": "cleo", "ann": "ann"})(request) == "cleo"
    assert by_text({"no": "Cle"})(request) is None


def test_the_same_request_has_the_same_label() -> None:
    key = by_request()
    one, again = (ask(n, n + 1, user("How is the weather?")) for n in range(2))
    other = ask(0, 1, user("How is the weather?"), user("And now?"))
    assert key(one) == key(again) != key(other)
    assert str(key(one)).startswith("How is the weath #")
    assert key(call("fetch", 0, 1, city="Rome")) == key(call("fetch", 5, 9, city="Rome"))
    assert by_request("fetch")(one) is None
    log = seen(failed("fetch", 0, 1, n=1), call("fetch", 2, 3, n=1), call("fetch", 3, 4, n=2))
    assert backed_off(key)(log).passed


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"tasks": []}', 0),
        ('[{"id": 1, "agent": "a"}, {"id": 2, "agent": "b"}]', 2),
        ('Sure!\n```\n{"plan": [{"id": "x"}]}\n```\nDone.', 1),
        ('{"a": {"b": {"steps": [{"name": "x"}]}}}', 1),
        ('{"type": "object", "properties": {"tasks": {"type": "array"}}}', None),
        ("[1, 2]", None),
        ("no plan", None),
    ],
)
def test_plans_are_found_wherever_they_stand(text: str, found: int | None) -> None:
    tasks = find_plan({"text": text})
    assert (None if tasks is None else len(tasks)) == found


def test_a_plan_may_need_itself_only_to_be_refused() -> None:
    reply = json.dumps({"tasks": [{"id": "a", "worker": "w", "needs": ["a"]}]})
    log = seen(ask(0, 1, user("plan"), reply=reply))
    verdict = planned(["w"])(log)
    assert verdict.code == "plan.cycle" and "a -> a" in verdict.message


@pytest.mark.parametrize(
    ("text", "piece", "there"),
    [
        ("It is Rome.", "rome", True),
        ("Romeo", "Rome", False),
        ("new\n  york", "New York", True),
        ("x", "", False),
        ("a_1b", "1b", True),
    ],
)
def test_words_stand_alone(text: str, piece: str, there: bool) -> None:
    assert holds(text, piece) is there


def test_paths_lead_into_results() -> None:
    result = {"items": [{"price": 3}], "0": "zero"}
    assert reach(result, "items.0.price") == 3
    assert reach(result, "") is result
    assert [repr(reach(result, path)) for path in ("items.1", "x", "items.x")] == ["nothing"] * 3


@given(st.text(), st.text(), st.text())
def test_a_message_is_one_short_line(expected: str, got: str, look: str) -> None:
    message = fail("x.y", expected=expected * 9, got=got * 9, look=look).message
    assert len(message) <= 240 and (message.isprintable() or not message)


def test_words_for_numbers_and_names() -> None:
    assert [seconds(n) for n in (0, 1.5, 0.1 + 0.2, float("inf"))] == [
        *("0 s", "1.5 s", "0.3 s", "for ever")
    ]
    assert listed("abcdef") == "a, b, c, d and 2 more"
    assert shown(object()).startswith("object ")
