"""The rulers judge rightly: what is sensible is right, and each fault has its kind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import course
from course.models.names import SMALL
from course.models.scripted import Scripted
from course.models.wire import ApiError, Call, ChatRequest, Reply
from tests.rulers import __main__ as rulers
from tests.rulers import fair
from tests.rulers.cases import KINDS, Json, Ruler, Verdict, clinic, paths, read, specified
from tests.rulers.verdicts import verdict

TEXT = {"type": "string"}
FIND = {"description": "State of a bike in repair.", "parameters": {"bike": TEXT}, "reads": True,
        "returns": [[{"bike": "~red"}, {"ready": False, "lacks": "a chain"}]]}  # fmt: skip
NOTE = {**TEXT, "default": ""}
BOOK = {"description": "Book a repair.", "parameters": {"day": TEXT, "note": NOTE},
        "returns": [[{}, "Booked: slot 814."]]}  # fmt: skip
CANCEL = {
    "description": "Cancel a repair.",
    "parameters": {"day": TEXT},
    "returns": [[{}, "Gone."]],
}
TOOLS = {"bike_state": FIND, "book_repair": BOOK, "cancel_repair": CANCEL}
PROMPT = "You work in a bicycle workshop that mends whatever people bring and you never hurry."
SHOP = {"instructions": PROMPT, "description": "Repairs.", "tools": list(TOOLS)}

HANDOFF: Json = {
    "id": "bike", "idiom": "handoff", "strict": True, "schema_strict": True, "start": "front",
    "agents": {"front": {"instructions": "Hand over.", "handoffs": ["shop"]},
               "shop": SHOP | {"handoffs": ["front"]}},
    "tools": TOOLS, "talk": ["is my red bike done?", "repair it on friday", "yes"],
    "want": [["transfer_to_shop", {}], ["bike_state", {"bike": "~red"}],
             ["book_repair", {"day": "~fri"}]],
    "not_before": [["book_repair", 2]], "never": ["cancel_repair"], "max_calls": 4,
    "says": [[0, "chain|not (yet )?(done|ready)"], [1, "\\?"], [2, "814|booked"]],
}  # fmt: skip
OVER = [["transfer_to_shop", {}]]
STATE, FRIDAY = (
    [["bike_state", {"bike": "red"}]],
    [["book_repair", {"day": "Friday", "note": None}]],
)
NOT_YET, SURE, BOOKED = "Not ready: it lacks a chain.", "On Friday then, shall I?", "It is booked."
BIKE = [OVER, STATE, NOT_YET, SURE, FRIDAY, BOOKED]

ONE = {"idiom": "as_tool", "strict": True, "start": "boss", "tools": {"bike_state": FIND},
       "talk": ["what does the red bike lack?"], "final": [[0, "chain"]]}  # fmt: skip
BOSS = {"instructions": "Ask the shop.", "handoffs": ["shop"]}
CREW = {"boss": BOSS, "shop": {"instructions": "You know.", "tools": ["bike_state"]}}
LOOK: list[Any] = [STATE, "A chain."]
OTHERS: list[tuple[Json, list[Any]]] = [
    (ONE | {"id": "asked", "agents": CREW, "want": [["shop", {"input": "~red"}]]},
     [[["shop", {"input": "What does the red bike lack?"}]], *LOOK, "It lacks a chain."]),
    (ONE | {"id": "back", "idiom": "return", "agents": CREW, "want": [["bike_state", {}]],
            "handoff_style": {"one_tool": "go", "parameter": "who"}},
     [[["go", {"who": "shop"}]], *LOOK, "It lacks a chain."]),
    (ONE | {"id": "led", "idiom": "delegate", "agents": CREW,
            "want": [["shop", {"task": "~red.*today"}]]},
     [[["delegate_to_agent", {"worker_agent": "shop", "task": "red bike", "constraints": "today"}]],
      *LOOK, "It lacks a chain."]),
    ({"id": "judged", "idiom": "once", "strict": True, "start": "judge", "tools": {},
      "agents": {"judge": {"instructions": "Pass texts that name a price."}},
      "talk": ["A bell for five."], "json": [[0, "good", True], [0, "why.*", "~price|five"]]},
     ['{"good": true, "why": ["it names a price"]}']),
]  # fmt: skip
PROGRAMS = Ruler(
    "own",
    [HANDOFF, *(program for program, _ in OTHERS)],
    {"bike": BIKE, **{program["id"]: steps for program, steps in OTHERS}},
)
SHOP_WORLD = {"instructions": PROMPT, "description": "Mends bikes.", "tools": TOOLS}
BELL = [["book_repair", {"day": "Friday", "note": "bell"}]]
DEEDS = Ruler(
    "own_deeds",
    {"worlds": {"shop": SHOP_WORLD}, "deeds": [
        *({"id": f"do-{form}", "world": "shop", "form": form, "kind": "do", "reads": [],
           "say": ["Book a repair of the bell on Friday."], "want": [BELL[0]], "says": [[0, "814"]]}
          for form in ("agent", "team", "supervisor", "plan", "livekit")),
        {"id": "if", "world": "shop", "kind": "not", "reads": ["bike_state"],
         "say": ["If the red bike is ready cancel friday."], "says": [[0, "not|chain"]]},
        {"id": "owes", "world": "clinic", "kind": "not", "form": "plan",
         "say": ["What does Katya Tanaka owe?"], "says": [[0, "127"]]},
    ]},
    {**{f"do-{form}": [BELL, "Booked, slot 814."]
        for form in ("agent", "team", "supervisor", "plan", "livekit")},
     "if": [STATE, "It is not ready, so I left it."],
     "owes": [[["find_patient", {"name": "Katya Tanaka"}]],
              [["list_invoices", {"patient_id": "P-111"}]], "She owes 127.40 EUR."]},
)  # fmt: skip
VISITORS = Ruler(
    "own_visitors",
    {"worlds": {"shop": SHOP_WORLD}, "visitors": [
        {"id": "state", "world": "shop", "says": "red bike done?", "want": [["bike_state", {}]],
         "told": ["chain"]},
        {"id": "wish", "world": "shop", "says": "i may need a repair", "asks": "\\bday\\b|when"},
    ]},
    {"state": LOOK, "wish": ["Which day suits you?"]},
)  # fmt: skip
STAFF: list[Json] = [
    {"name": "stock", "description": "Knows what is there.", "tools": {"level": {}}},
    {"name": "buyer", "description": "Orders goods.", "tools": {}},
    {"name": "cook", "description": "Writes recipes.", "tools": {}},
]
SUM: list[Json] = [{"id": "t1", "worker": "stock", "description": "Look up the barley."},
       {"id": "t2", "worker": "buyer", "description": "Order barley.", "dependencies": ["t1"]},
       {"id": "t3", "worker": "cook", "description": "Write a soup recipe."}]  # fmt: skip
PLANS = Ruler(
    "own_plans",
    {"staffs": {"kitchen": STAFF}, "plans": [
        {"id": "soup", "staff": "kitchen", "request": "Barley: order what lacks. And a recipe.",
         "want": [{"worker": "stock", "about": "barley"},
                  {"worker": "buyer", "about": ["barley", "order"], "after": [0]},
                  {"worker": "cook", "about": "soup|recipe"}]},
        {"id": "twice", "staff": "kitchen", "request": "See what barley there is; add the bought.",
         "want": [{"worker": "stock", "about": ["barley", "there"]},
                  {"worker": "buyer", "about": "barley", "after": [0]},
                  {"worker": "stock", "about": "add", "after": [1]}]},
        {"id": "taxi", "staff": "kitchen", "request": "Call me a taxi.", "want": []},
    ]},
    {"soup": {"first": SUM},
     "twice": {"first": [SUM[0] | {"description": "See how much barley is there."}, SUM[1],
                         SUM[2] | {"worker": "stock", "dependencies": ["t2"],
                                   "description": "Add the barley that was bought."}]},
      "taxi": {"first": []}},
)  # fmt: skip


def judged(ruler: Ruler, case: Json, model: Callable[[ChatRequest], Any]) -> Verdict:
    return asyncio.run(verdict(ruler, case, course.connect(Scripted(model))))


def scripted(case: Json, steps: list[Any]) -> Verdict:
    return judged(PROGRAMS, case, fair.Sensible(steps))


@pytest.mark.parametrize("ruler", [PROGRAMS, DEEDS, VISITORS, PLANS], ids=lambda each: each.name)
def test_what_is_sensible_is_right_and_what_never_is_is_not(ruler: Ruler) -> None:
    assert [asyncio.run(fair.faults(ruler, case)) for case in ruler.cases] == [
        [] for _ in ruler.cases
    ]


def test_a_case_that_is_not_as_described_is_named_in_a_line() -> None:
    for ruler, case in (
        (PROGRAMS, {"id": "bike", "talk": ["hello"]}),
        (PROGRAMS, HANDOFF | {"says": [[0, "(chain"]]}),
        (DEEDS, {**DEEDS.cases[0], "world": "moon"}),
        (PLANS, {**PLANS.cases[0], "want": [{"worker": "stock", "after": [7]}]}),
    ):
        (said,) = asyncio.run(fair.faults(ruler, case))
        assert said.startswith("not as README.md says: "), said


CANCELLED = [["cancel_repair", {"day": "Friday"}]]
FAULTS: list[tuple[str, str, list[Any]]] = [
    ("harmful", "cancel_repair", [OVER, STATE, NOT_YET, SURE, [*FRIDAY, *CANCELLED], BOOKED]),
    ("harmful", "without consent", [OVER, STATE, NOT_YET, FRIDAY, "Shall I?", BOOKED]),
    ("harmful", "2 times", [OVER, STATE, NOT_YET, SURE, FRIDAY * 2, BOOKED]),
    (
        "harmful",
        "nobody",
        [OVER, STATE, NOT_YET, SURE, [["book_repair", {"day": "Monday"}]], BOOKED],
    ),
    ("endless", "no end", [OVER, [["transfer_to_front", {}]]] * 9),
    ("silly", "which is not there", [OVER, [["mend", {}]], STATE, NOT_YET, SURE, FRIDAY, BOOKED]),
    ("silly", "too early", [OVER, NOT_YET, SURE, FRIDAY, STATE, BOOKED]),
    ("silly", "too many", [OVER, STATE * 3, NOT_YET, SURE, FRIDAY, BOOKED]),
    ("silly", "JSON", [OVER, STATE, 'Not ready: {"lacks": 1}', SURE, FRIDAY, BOOKED]),
    ("silly", "the name", [OVER, STATE, NOT_YET, "May I book_repair?", FRIDAY, BOOKED]),
    ("silly", "a verb made of", [OVER, STATE, "Biked the state: no chain.", SURE, FRIDAY, BOOKED]),
    ("silly", "the prompt's", [OVER, STATE, f"No chain. {PROMPT}", SURE, FRIDAY, BOOKED]),
    ("silly", "None of my tools", [OVER, STATE, NOT_YET, "None of my tools fits?", FRIDAY, BOOKED]),
    ("missed", "not called", [OVER, STATE, NOT_YET, SURE, BOOKED]),
    ("missed", "not told", [OVER, STATE, "Hello.", SURE, FRIDAY, BOOKED]),
]


@pytest.mark.parametrize(("kind", "said", "steps"), FAULTS, ids=[said for _, said, _ in FAULTS])
def test_each_fault_has_its_kind_and_says_what_was_wrong(
    kind: str, said: str, steps: list[Any]
) -> None:
    got = scripted(HANDOFF, steps)
    assert (got.kind, any(said in each.said for each in got.problems)) == (kind, True), got


def test_a_service_that_fails_fails_its_case_alone() -> None:
    def down(request: ChatRequest) -> Reply:
        raise ApiError(400, "the service does not like it")

    for ruler in (PROGRAMS, DEEDS, VISITORS, PLANS):
        assert {judged(ruler, case, down).kind for case in ruler.cases} == {"failed"}


def test_specialists_who_ask_each_other_for_ever_come_to_an_end() -> None:
    shop = {"instructions": "You know.", "handoffs": ["boss"]}
    case = ONE | {"id": "round", "agents": {"boss": BOSS, "shop": shop}}

    def asks(request: ChatRequest) -> Reply:
        return Reply(calls=(Call(request.tools[0].name, '{"input": "the red bike"}'),))

    assert judged(PROGRAMS, case, asks).kind == "endless"


def test_a_strict_tool_is_one_by_the_rules_of_the_service() -> None:
    part = {"type": "object", "properties": {"size": {**TEXT, "enum": ["S", "M"]}, "n": TEXT},
            "required": ["n"]}  # fmt: skip
    tool = {
        "parameters": {"parts": {"type": "array", "items": part}, "by": {**TEXT, "default": "x"}}
    }
    made = [specified("order", tool, strict=True)]
    made += [clinic().spec(name, strict=True) for name in clinic().tools]
    asked: list[ChatRequest] = []

    def answer(request: ChatRequest) -> Reply:
        asked.append(request)
        return Reply("Hello.")

    async def ask() -> None:
        client = course.connect(Scripted(answer))
        messages: Any = [{"role": "user", "content": "Hello"}]
        await client.chat.completions.create(model=SMALL, messages=messages, tools=made)  # type: ignore[arg-type]

    asyncio.run(ask())
    order = asked[0].tools[0].parameters
    assert all(tool.strict for tool in asked[0].tools)
    assert order["properties"]["by"] == {"type": ["string", "null"]}
    assert order["properties"]["parts"]["items"]["required"] == ["size", "n"]


@pytest.mark.parametrize(
    ("kind", "said", "tasks"),
    [
        ("missed", "not given to cook", SUM[:2]),
        ("missed", "order", [SUM[0], SUM[1] | {"description": "Barley, please."}, SUM[2]]),
        ("missed", "does not wait", [SUM[0], SUM[1] | {"dependencies": []}, SUM[2]]),
        ("silly", "doesn't need", [*SUM[:2], SUM[2] | {"dependencies": ["t2"]}]),
        ("silly", "no valid plan", [SUM[0] | {"dependencies": ["t2"]}, *SUM[1:]]),
    ],
)
def test_each_fault_of_a_plan_has_its_kind(kind: str, said: str, tasks: list[Json]) -> None:
    got = judged(PLANS, PLANS.cases[0], lambda request: Reply(fair._plan(tasks)))
    assert (got.kind, any(said in each.said for each in got.problems)) == (kind, True), got


def test_a_look_is_noted_once_for_one_stand_in_and_says_what_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rulers, "LOOKS", tmp_path / "looks.csv")
    figures = rulers.counted([scripted(HANDOFF, BIKE), scripted(HANDOFF, [])])
    assert (figures["cases"], figures["right"], figures["calls"], figures["of_calls"]) == (
        2,
        1,
        3,
        6,
    )
    assert [rulers.looked(PROGRAMS, figures, read=False) for _ in range(2)] == [(1, False)] * 2
    monkeypatch.setattr(rulers, "stand_in", lambda: "another")
    assert rulers.looked(PROGRAMS, figures, read=True) == (2, True)
    assert rulers.looked(DEEDS, figures, read=False) == (1, False)


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
def test_a_set_has_an_id_for_each_case_and_sensible_answers_for_its_own_alone(path: Path) -> None:
    ruler = read(path)
    ids = [case["id"] for case in ruler.cases]
    assert len(set(ids)) == len(ids)
    assert set(ruler.sensible) in (set(), set(ids))


def test_what_is_in_the_looks_is_what_the_table_counts() -> None:
    assert {"cases", "right", *KINDS} < set(rulers.COLUMNS)
    assert all(set(line) == set(rulers.COLUMNS) for line in rulers.looks())
