"""Whole plans on made-up domains: planned, done and put together by the simulated model alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from course import clock, connect
from course.models.draws import Draws
from course.models.policy import respond
from course.models.policy.asks import brief_of
from course.models.wire import ToolSpec
from course.runner import run
from course.scenarios.domains import DOMAINS
from course.scenarios.world.domain import Domain
from course.scenarios.world.requests import Request
from course.scenarios.world.rubric import rubric
from course.supervisor_worker import PlanningSupervisor
from tests.policy.crews import KITCHEN, LOANED, OBSERVATORY, Crew, Facts, outcome
from tests.policy.crews_2 import BIKES, RADIO, WINE
from tests.policy.crews_3 import BAKERIES, HARBOUR
from tests.policy.crews_4 import AGENCY, SOLAR
from tests.policy.talks import TEXT, ask, calls, say, tool

CREWS = (OBSERVATORY, KITCHEN, LOANED, BIKES, WINE, RADIO, HARBOUR, BAKERIES, SOLAR, AGENCY)
OPEN = {
    "bike share-3": "when a station closes stands in a notice, which no word of it says",
    "solar parks-4": "nobody is described for what a park's capacity is: it stands in its record",
    "translation agency-6": "who translates a text hangs on its language, which no word says",
}
OF_PROJECT = {f"{each.name}-{request.level}": (each, request)
              for each in DOMAINS for request in each.requests}  # fmt: skip
OPEN_OF_PROJECT = {
    "portfolio rebalancing-4": "nobody looks first for the paper by which something is to be done",
}
CASES = [
    pytest.param(crew, request, facts, id=f"{crew.name}-{place}")
    for crew in CREWS
    for place, (request, facts) in enumerate(crew.requests, 1)
    if f"{crew.name}-{place}" not in OPEN
]


@pytest.mark.parametrize(("crew", "request_", "facts"), CASES)
def test_a_request_is_answered_with_its_facts(crew: Crew, request_: str, facts: Facts) -> None:
    assert outcome(crew, request_, facts) == ""


@pytest.mark.parametrize(
    ("domain", "request_"),
    [
        pytest.param(
            *each,
            id=name,
            marks=pytest.mark.xfail(
                name in OPEN_OF_PROJECT, reason=OPEN_OF_PROJECT.get(name, ""), strict=True
            ),
        )
        for name, each in OF_PROJECT.items()
    ],
)
def test_a_request_of_the_six_domains_is_answered_as_the_model_card_says(
    domain: Domain[Any], request_: Request[Any]
) -> None:
    with domain.open(seed=7) as world:
        boss = PlanningSupervisor(name="chief", workers=domain.workers(world))
        asked = request_.on(world).text
        done = clock.simulate(run(boss, asked, client=connect(profile="instant")))
        failed = [v.reason for v in rubric(world, request_, done.answer) if not v.passed]
    assert failed == []


def test_little_is_left_open() -> None:
    assert len(CASES) == 45
    assert len(OF_PROJECT) == 30
    assert len(OPEN_OF_PROJECT) == 1


def test_a_judge_takes_the_answer_with_figure_and_source() -> None:
    told = (
        "Task: What was the yield of Steep Hill in 2024?\n\nAnswers:\n"
        "[A]: It was quite large, I think.\n[B]: 16.32 tonnes (report, N-44).\n[C]: 15 tonnes."
    )
    shape = {
        "type": "object",
        "properties": {"best": {"type": "string", "enum": ["A", "B", "C"]}},
        "required": ["best"],
    }
    system = "Choose the best of these answers."
    said = say(told, system=system, response_format="json_schema", schema=shape)
    assert json.loads(said)["best"] == "B"


ERRAND = "You work. If you cannot do the task, answer with `CANNOT:` and the reason."
OWN = tuple(
    ToolSpec(t.name, t.description, t.parameters) for w in WINE.workers[:2] for t in w.tools
)


def test_an_error_of_the_model_is_a_call_of_another_tool() -> None:
    request = ask("Task: Get the sugar of Steep Hill in 2024.", system=ERRAND, tools=OWN)
    assert [c.name for c in respond(request, Draws()).calls] == ["get_sugar"]
    wrong = respond(request, Draws(), error_rate=1.0)
    assert [c.name for c in wrong.calls] == ["compute_yield"]


def test_the_error_of_the_last_try_changes_the_next_call() -> None:
    told = (
        "Task: Get the sugar of Steep Hill, with year 2023.\n\n"
        "Previous error: get_sugar: the must of Steep Hill was measured in 2023, 2024: give year"
    )
    made = calls(respond(ask(told, system=ERRAND, tools=OWN), Draws()))
    assert made == [("get_sugar", {"plot": "Steep Hill", "year": 2023})]


def test_a_task_is_rewritten_with_what_its_error_offers() -> None:
    said = say(
        "Task: Get the sugar of Steep Hill\n\n"
        "Error: get_sugar: the must of Steep Hill was measured in 2023, 2024: give year",
        system="Rewrite the failed task so that it succeeds.",
    )
    assert said == "Get the sugar of Steep Hill, with year 2024."


def test_what_no_tool_serves_is_refused_in_the_form_that_is_wanted() -> None:
    said = say("Task: Bake a cake.", system=ERRAND, tools=OWN)
    assert said.startswith("CANNOT:")


def test_nothing_is_changed_where_something_is_to_be_found_out() -> None:
    tools = (*OWN, tool("sell_harvest", "Sell the harvest of a plot.", ["plot"], plot=TEXT))
    made = calls(respond(
        ask("Task: How large is the harvest of River Bend in kg?", system=ERRAND, tools=tools),
        Draws(),
    ))  # fmt: skip
    assert [name for name, _ in made] == ["compute_yield"]


def test_how_to_answer_is_no_task() -> None:
    brief = brief_of("What does Omar earn? Cite the plan, and say what is missing. Keep it short.")
    assert [a.text for a in brief.asks] == ["What does Omar earn?"]
    assert len(brief.form) == 2


def test_notes_keep_within_their_words_and_name_every_task() -> None:
    told = "\n".join(
        f"[t{n} (w)]: The harvest of plot {n} was {n}00 kg. Rain fell all day long, nobody minded, "
        "and the dogs of the village barked at the moon until the morning came." for n in (1, 2, 3)
    )  # fmt: skip
    said = say(
        f"Request: What was the harvest of each plot?\n\nResults:\n{told}",
        system="You summarise the results of several tasks as notes. Write at most 40 words.",
    )
    assert len(said.split()) <= 40
    assert all(f"[t{n}]" in said and f"{n}00 kg" in said for n in (1, 2, 3))


def test_an_answer_states_contradictions_and_gaps_that_it_is_told_of() -> None:
    said = say(
        "Request: What was the harvest?\n\nResults:\n[t1 (grower)]: The harvest was 900 kg.\n"
        "[t2 (cellar)]: Bottles were filled in May.\n[t3]: Failed: worker: no scale\n\n"
        "Contradictions:\n- The results disagree on the harvest: 900 kg (t1) and 800 kg (t2).",
        system="You combine the results of several tasks into one answer to the request.",
    )
    assert "The results disagree on the harvest: 900 kg (t1) and 800 kg (t2)." in said
    assert "Missing: t3, worker: no scale." in said
    assert "Contradictions" not in said


@pytest.mark.parametrize("country", ["Portugal", "Tunisia", "Japan"])
def test_a_country_is_a_name_where_no_other_is_given(country: str) -> None:
    rules = tool(
        "look_up_rules", "Look up the entry rules of a country.", ["country"], country=TEXT
    )
    told = f"Task: Look up the entry rules of {country}."
    made = calls(respond(ask(told, system=ERRAND, tools=(rules,)), Draws()))
    assert made == [("look_up_rules", {"country": country})]
