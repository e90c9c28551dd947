"""What the policy writes without calling a tool: talk, shapes, plans, rewrites, merges."""

from __future__ import annotations

import json
from graphlib import TopologicalSorter
from typing import Any

import pytest
from jsonschema import validate

from course.models.policy.results import deed_words
from tests.policy.talks import HARBOUR, reply, say

PLAN: dict[str, Any] = {
    "type": "object",
    "properties": {
        "goal": {"type": "string"},
        "tasks": {"type": "array", "items": {"$ref": "#/$defs/Task"}},
    },
    "required": ["goal", "tasks"],
    "additionalProperties": False,
    "$defs": {
        "Task": {
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "description": {"type": "string"},
                "worker": {"enum": ["scout", "reckoner", "scribe"]},
                "depends_on": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["id", "description", "worker", "depends_on"],
            "additionalProperties": False,
        }
    },
}
CREW = (
    "Plan the request as tasks for these workers:\n- scout: searches sources and collects facts\n"
    "- reckoner: compares figures and calculates\n- scribe: writes reports and summaries"
)


def _plan(text: str) -> list[dict[str, Any]]:
    answer = say(text, system=CREW, response_format="json_schema", schema=PLAN)
    tasks: list[dict[str, Any]] = json.loads(answer)["tasks"]
    validate(json.loads(answer), PLAN)
    order = TopologicalSorter({t["id"]: t["depends_on"] for t in tasks})
    assert set(order.static_order()) == {t["id"] for t in tasks}
    return tasks


def test_a_plan_has_the_right_workers_and_dependencies() -> None:
    tasks = _plan(
        "Find the prices of oak and pine, collect facts on their durability, "
        "compare the prices of both and then write a short report"
    )
    assert [t["worker"] for t in tasks] == ["scout", "scout", "reckoner", "scribe"]
    assert tasks[0]["depends_on"] == [] and tasks[1]["depends_on"] == []
    assert tasks[2]["depends_on"] == ["t1", "t2"]
    assert tasks[3]["depends_on"] == ["t3"]


def test_a_broad_request_goes_through_all_workers_in_order() -> None:
    tasks = _plan("Prepare an overview of the timber market")
    assert [t["worker"] for t in tasks] == ["scout", "reckoner", "scribe"]
    assert tasks[2]["depends_on"] == ["t2"]


def test_a_plan_asked_for_in_words_is_json_too() -> None:
    tasks = json.loads(
        say("Find timber prices and write a report.", system=f"{CREW}\nAnswer in JSON.")
    )["tasks"]
    assert [t["worker"] for t in tasks] == ["scout", "scribe"]


@pytest.mark.parametrize(
    ("task", "error", "wanted"),
    [
        ("Find the turnover of Oak Ltd", "the query needs a year", "2026"),
        ("Report figures for 'Nord'", "unknown region 'Nord'; allowed: north, south", "north"),
        ("Search news about timber", "too many hits (512): narrow the search", "narrow"),
        ("Do the thing", "strange failure 17", "strange failure 17"),
    ],
)
def test_a_failed_task_is_rewritten_from_its_error(task: str, error: str, wanted: str) -> None:
    system = "Rewrite the failed task so that it succeeds. Today is 2026-03-02."
    text = say(f"Task: {task}\nError: {error}", system=system)
    assert wanted in text
    assert text.rstrip(".") != task


def test_a_merge_covers_every_result_and_names_gaps_and_contradictions() -> None:
    text = say(
        "Request: How is Oak Ltd doing?\n\nResults:\n[t1 scout] Turnover is 12 million EUR.\n"
        "[t2 reckoner] Turnover is 14 million EUR. Margin is 8%.\n[t3 scribe] FAILED: timeout",
        system="Combine the results of the workers into one answer.",
    )
    assert "12 million" in text and "Margin: 8% [t2 reckoner]" in text
    assert "disagree about Turnover" in text
    assert "Missing: t3 scribe, timeout" in text


def test_a_merge_reads_json_results() -> None:
    results = {
        "results": [
            {"task": "t1", "worker": "scout", "status": "ok", "result": {"price": 12}},
            {"task": "t2", "worker": "scribe", "status": "failed", "error": "no source"},
        ]
    }
    text = say(json.dumps(results), system="Synthesise the final answer.")
    assert "price 12" in text and "t2 (scribe), no source" in text


def test_a_conversation_is_summed_up_with_its_facts() -> None:
    text = say(
        "user: I am Ada Holm, order 551 is late.\nassistant: It comes on 2026-03-09.\nuser: "
        "I want 20 EUR.",
        system="Summarise the conversation.",
    )
    for fact in ("Ada Holm", "order 551", "2026-03-09", "20 EUR"):
        assert fact in text


def test_a_choice_follows_the_descriptions() -> None:
    schema = {
        "type": "object",
        "properties": {
            "team": {"enum": ["quay", "office", "workshop"]},
            "urgent": {"type": "boolean"},
        },
        "required": ["team", "urgent"],
    }
    system = (
        "Route.\n- quay: ropes, berths and cranes\n- office: invoices\n- workshop: broken engines"
    )
    said = "My engine is broken, it is urgent"
    answer = say(said, system=system, response_format="json_schema", schema=schema)
    assert json.loads(answer) == {"team": "workshop", "urgent": True}
    label = "Answer with exactly one of: quay, office, workshop. quay: berths. workshop: engines."
    assert say("The engine stopped", system=label) == "workshop"


def test_facts_are_taken_out_of_a_text() -> None:
    schema = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "email": {"type": "string", "format": "email"},
            "arrival": {"type": "string", "format": "date"},
            "departure": {"type": "string", "format": "date"},
            "people": {"type": "integer"},
            "remark": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["name", "email", "arrival", "departure", "people", "remark"],
    }
    said = "I'm Tom Reed (tom@reed.example), we are 3 people from 3 April to 6 April 2026."
    answer = json.loads(say(said, response_format="json_schema", schema=schema))
    assert answer["name"] == "Tom Reed" and answer["email"] == "tom@reed.example"
    assert (answer["arrival"], answer["departure"]) == ("2026-04-03", "2026-04-06")
    assert answer["people"] == 3


def test_a_json_object_without_a_schema_is_an_object() -> None:
    assert isinstance(json.loads(say("Hello!", response_format="json_object")), dict)


def test_small_talk_keeps_the_persona() -> None:
    assert "Nora" in say("Hello!", tools=HARBOUR)
    assert "Nora" in say("Who are you?", tools=HARBOUR)
    assert "welcome" in say("Thanks a lot!", tools=HARBOUR)
    assert "Goodbye" in say("bye", tools=HARBOUR)


def test_answers_are_looked_for_in_the_texts_at_hand() -> None:
    system = "You are Nora. The fuel dock opens at 8:00. Dogs are welcome on the pier."
    assert say("When does the fuel dock open?", system=system) == "The fuel dock opens at 8:00."


def test_what_nothing_answers_is_admitted() -> None:
    assert "simulated model" in say("Who wrote Hamlet?")
    assert "cannot help with that" in say("Who wrote Hamlet?", tools=HARBOUR)


def test_a_list_is_shown_in_part() -> None:
    rows = [{"id": f"B-{n}", "name": f"Boat {n}"} for n in range(20)]
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": "find_boat", "arguments": '{"name": "Boat"}'},
    }
    history = [
        {"role": "user", "content": "Find the boats called Boat"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": json.dumps(rows)},
    ]
    text = reply(history=history, tools=HARBOUR).text or ""
    assert "I found 20 boats" in text and "Boat 5 (B-5)" in text
    assert "Boat 6 " not in text and "and 14 more" in text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hr_log_overtime", "log the overtime"),
        ("clinic.getInvoice", "get the invoice"),
        ("lesson_cancel", "cancel the lesson"),
    ],
)
def test_a_tool_is_called_by_its_deed_without_whose_tool_it_is(name: str, said: str) -> None:
    assert deed_words(name) == said
