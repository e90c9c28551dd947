"""Exercise 4.5: only a clear yes in time is a yes."""

from __future__ import annotations

from graders.checks import called, times_out
from graders.checks.keys import by_tool
from graders.exercises.kit import *

_STAGE = """
import asyncio

from course.approval import Decision, Question
from course.errors import UnexpectedRequest, VirtualTimeError


def approver(bench, said):
    def plain(question):
        if said == "broken":
            raise LookupError("no such person")
        if said == "no script":
            raise UnexpectedRequest("the script has no answer")
        if said == "no time":
            raise VirtualTimeError("a person needs real time")
        if said == "note":
            return Decision(approved=False, by="the office", reason="closed", seconds=2.5)
        return {"yes": True, "no": False, "none": None, "one": 1, "nought": 0, "text": "yes",
                "blank": ""}[said]

    async def asked(question):
        if said == "rang out":
            raise TimeoutError("the phone rang out")
        try:
            heard = await bench.tool("person").function(question=question.what)
        except asyncio.CancelledError:
            bench.mark("tidied", "person")
            raise
        if said == "decision":
            return Decision(**heard)
        return heard["approved"]

    return asked if said in ("person", "decision", "rang out") else plain


async def stage(bench, student):
    told = []
    for said in bench.params["answers"]:
        question = Question(what=bench.params["what"], asked_by="billing")
        asked = student.decide(
            question, approver(bench, said), seconds=bench.params["seconds"]
        )
        try:
            decision = await asked
        except (UnexpectedRequest, VirtualTimeError) as error:
            told.append(type(error).__name__)
        else:
            told.append([decision.approved, decision.by, decision.reason])
            if said in ("decision", "note"):  # how long it took belongs to it, too
                told[-1].append(decision.seconds)
    return told
"""
_ANY = such_that("a reason", lambda text: bool(text.strip()))
_PEOPLE = ("Ada", "Ben", "Chiara", "Deniz")
_REASONS = ("it is too much", "not this month", "go ahead", "as agreed")


def _person(draw: random.Random, *, silent: bool) -> ToolOffer:
    """Somebody who decides after a while, or never."""
    approved, by, reason = draw.random() < 0.5, draw.choice(_PEOPLE), draw.choice(_REASONS)
    seconds = draw.randrange(3, 9)

    def behaves(ask: Ask) -> Answer:
        said = {"approved": approved, "by": by, "reason": f"{reason} ({ask.token})"}
        return Answer({**said, "seconds": seconds}, seconds=seconds, never=silent)

    schema = {"type": "object", "properties": {"question": {"type": "string"}}}
    return ToolOffer("person", "Decide.", {**schema, "required": ["question"]}, behaves, None)


def _asked(*answers: str, silent: bool = False) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        params = {
            "answers": list(answers),
            "what": f"pay {draw.randrange(20, 90)} EUR",
            "seconds": float(draw.randrange(20, 40)),
        }
        return Scenario((_person(draw, silent=silent),), params=params)

    return world


def _passed_on(world: Scenario) -> list[Check]:
    def wanted(log: Log) -> list[Any]:
        people = iter(log.calls("person"))
        told: list[Any] = []
        for answer in world.params["answers"]:
            if answer in ("yes", "no"):
                told.append([answer == "yes", "a person", ""])
                continue
            if answer == "note":
                told.append([False, "the office", "closed", 2.5])
                continue
            said = next(people).reply
            if answer == "decision":
                told.append([said[key] for key in ("approved", "by", "reason", "seconds")])
            else:
                told.append([said["approved"], "a person", ""])
        return told

    asked = [each for each in world.params["answers"] if each in ("person", "decision")]
    return [
        called("person", [{"question": world.params["what"]} for _ in asked]),
        equals(wanted, look="look at the two kinds of answers, and at the two of approvers"),
    ]


def _refused(*words: str, look: str) -> Checks:
    """A refusal by nobody for each answer, with a word of the reason, or with any reason."""

    def checks(world: Scenario) -> list[Check]:
        reasons = [text_with(word) if word else _ANY for word in words]
        return [fits([[False, "nobody", reason] for reason in reasons], look=f"look at {look}")]

    return checks


def _silent(world: Scenario) -> list[Check]:
    seconds = world.params["seconds"]
    return [
        times_out(by_tool("person"), seconds),
        *_refused(f"{seconds:g} s", look="what is decided when nobody does")(world),
        nothing_left(),
        tidied(by_tool("person")),
    ]


DECIDE = Exercise(
    "4.5", ("decide",), (
        Trial("passes on what is decided in time", _STAGE,
              _asked("person", "yes", "decision", "no", "note", "person"), _passed_on, 0.25),
        Trial("takes silence for a refusal", _STAGE, _asked("person", silent=True), _silent, 0.75),
        Trial("takes nothing for a yes that is not one", _STAGE,
              _asked("none", "one", "nought", "text", "blank"),
              _refused(*[""] * 5, look="which answers are a decision at all"), 0.5),
        Trial("takes a broken approver for a refusal, with the reason", _STAGE,
              _asked("broken", "rang out"),
              _refused("no such person", "the phone rang out",
                       look="what you catch, and around what"), 0.25),
        Trial(
            "lets out what is nobody's decision",
            _STAGE,
            _asked("no script", "no time", "yes"),
            lambda world: [
                equals(
                    ["UnexpectedRequest", "VirtualTimeError", [True, "a person", ""]],
                    look="which errors say that the experiment itself is set up wrongly?",
                )
            ],
            points=0.25,
        ),
    ),
    builds_on={name: f"course.approval:{name}" for name in ("refusal", "failed")},
    places={
        "*": "the {} decision",
        "*.0": "`approved` of the {} decision",
        "*.1": "`by` of the {} decision",
        "*.2": "`reason` of the {} decision",
        "*.3": "`seconds` of the {} decision",
    },
    finished={"decide": "course.approval:decide"},
)  # fmt: skip
