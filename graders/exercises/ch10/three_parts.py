"""Exercise 10.6: one who leads research, analysis and report, and what these hand on."""

from __future__ import annotations

from graders.exercises.kit import *

_STAGE = """
from course.errors import ModelError
from course.results import Evidence, Failure, TaskResult


def result_of(part, told):
    failure = Failure("worker", told["failure"]) if told["failure"] else None
    return TaskResult(
        task_id=part, worker=part, status="failed" if failure else "done", result=told["says"],
        evidence=tuple(Evidence(**each) for each in told["evidence"]), failure=failure,
    )


async def stage(bench, student):
    found = {}
    for case in bench.params["cases"]:

        async def ask(part, words):
            told = await bench.tool("ask").function(case=case["called"], part=part, words=words)
            if "gone" in told:
                raise ModelError(told["gone"])
            return result_of(part, told)

        came = await student.lead(case["request"], ask)
        found[case["called"]] = {"facts": [*came.facts], "missing": [*came.missing]}
    return found
"""
_NAMES = ("passengers", "revenue", "fuel", "delays", "crew", "repairs")
_YEARS = (2023, 2024, 2025)
_SECONDS = {"research": 2.0, "analysis": 10.0, "report": 2.0}
_SOONER = 1.0
"""Seconds by which each further analysis of a request is there before the one above it."""
_SCHEMA = {
    "type": "object",
    "properties": {each: {"type": "string"} for each in ("case", "part", "words")},
    "required": ["case", "part", "words"],
}
Case = dict[str, Any]


def _case(draw: random.Random, number: int, about: Case) -> Case:
    """A request about some figures, with faults: each name's two values and its growth."""
    names = draw.sample(_NAMES, about.get("many", 2))
    years = sorted(draw.sample(_YEARS, 2))
    figures = draw.sample(range(10_000, 100_000), 2 * len(names))
    growths = draw.sample(range(101, 1000), len(names))
    series = {
        name: {"values": figures[2 * n : 2 * n + 2], "growth": growths[n] / 10}
        for n, name in enumerate(names)
    }
    request = f"Report on the {' and the '.join(names)} of ferry {draw.randrange(10, 99)}."
    lost = {"closed": (), "failing": (), "stopped": (), "gone": (), "more": 0, **about}
    return {
        "called": f"request {number}", "request": request, "names": names, "years": years,
        "series": series, "turned": draw.random() < 0.5, **lost,
    }  # fmt: skip


def _world(*kinds: Case) -> ScenarioMaker:
    """Requests, each with its faults.

    In a kind, `many` is how many figures the request has. `closed` and `failing` are places in
    that list: whose newer value nobody finds, whose growth nobody can calculate. `more` is how
    often an analysis gives a second growth, the same one each time. `stopped` names
    parts whose results have a failure, `gone` parts, or places in the list for an analysis, whose
    model is gone.
    """

    def world(draw: random.Random) -> Scenario:
        cases = [_case(draw, number, kind) for number, kind in enumerate(kinds, 1)]
        named = {case["called"]: case for case in cases}

        def behaviour(ask: Ask) -> Answer:
            case, part = named[ask.arguments["case"]], ask.arguments["part"]
            words = ask.arguments["words"]
            lasts = _SECONDS[part]
            if part == "analysis":
                lasts -= _SOONER * _place(case, words)
            return Answer(_told(case, part, words, ask.token), lasts)

        offer = ToolOffer("ask", "Asks one of the parts.", _SCHEMA, behaviour, timeout=None)
        return Scenario((offer,), params={"cases": cases})

    return world


def _told(case: Case, part: str, words: str, token: str) -> dict[str, Any]:
    """What a part answers: calls behind it, words that claim more, or that it is gone."""
    place = _place(case, words)
    if part in case["gone"] or (part == "analysis" and place in case["gone"]):
        return {"gone": f"the model of {part} does not answer ({token})"}
    told = {
        "research": _researched,
        "analysis": _analysed,
        "report": lambda *_: [{"section": f"The ferry, by {token}."}],
    }[part](case, place, token)
    evidence = [
        {"tool": part, "arguments": "{}", "result": each, "outcome": "refused"}
        if isinstance(each, str)
        else {"tool": part, "arguments": "{}", "result": json.dumps(each), "outcome": "ok"}
        for each in told
    ]
    failure = f"{part} was stopped ({token})" if part in case["stopped"] else ""
    return {"says": "I found everything.", "evidence": evidence, "failure": failure}


def _place(case: Case, words: str) -> int:
    """Of the figure that is spoken of."""
    return next((n for n, name in enumerate(case["names"]) if name in words), 0)


def _researched(case: Case, place: int, token: str) -> list[Any]:
    """A fact for each name and year; of those that are closed only the older one."""
    found: list[Any] = []
    for year, which in zip(case["years"], (0, 1), strict=True):
        for n, name in enumerate(case["names"]):
            if which and n in case["closed"]:
                found.append(f"the books of {name} in {year} are not closed ({token})")
                continue
            value = case["series"][name]["values"][which]
            found.append({"name": name, "year": year, "value": value, "source": token})
    return found[::-1] if case["turned"] else found


def _analysed(case: Case, place: int, token: str) -> list[Any]:
    name = case["names"][place]
    if place in case["failing"]:
        return [f"{name} cannot be compared ({token})", f"{name} has gaps ({token})"]
    growth = case["series"][name]["growth"]
    found = [{"name": name, "growth": growth, "source": token}]
    return found + [{"name": name, "growth": growth + 0.5}] * case["more"]


def _of(log: Log, case: Case, part: str = "") -> list[Exchange]:
    """Who was asked for a request, in order."""
    asked = [each for each in log.calls("ask") if each.request["case"] == case["called"]]
    return [each for each in asked if part in ("", each.request["part"])]


def _evidence(asked: Exchange) -> list[dict[str, str]]:
    reply = asked.reply if isinstance(asked.reply, dict) else {}
    return list(reply.get("evidence", ()))


def _facts(asked: list[Exchange]) -> list[Any]:
    calls = (call for each in asked for call in _evidence(each))
    return [json.loads(call["result"]) for call in calls if call["outcome"] == "ok"]


def _lacking(asked: list[Exchange]) -> Iterator[str]:
    """What parts lack, told with their names."""
    for each in asked:
        part = each.request["part"]
        why = [call["result"] for call in _evidence(each) if call["outcome"] != "ok"]
        why += [each.reply[key] for key in ("failure", "gone") if each.reply.get(key)]
        yield from (f"{part}: {reason}" for reason in why)


def _wanted(log: Log, case: Case) -> dict[str, Any]:
    """Who has to be asked for a request and with what, and what has to come of it."""
    researched = _facts(_of(log, case, "research"))
    years = dict.fromkeys(case["names"], 0)
    for fact in researched:
        years[fact["name"]] += 1
    series = {name: case["series"][name] for name, many in years.items() if many == 2}
    grown = sorted(fact["growth"] for fact in _facts(_of(log, case, "analysis")))
    lone = [f"research: {name} has one year" for name, many in years.items() if many == 1]
    return {
        "research": [case["request"]],
        "analysis": sorted([[name], each["values"]] for name, each in series.items()),
        "report": [grown] if grown else [],
        "facts": _facts(_of(log, case)),
        "missing": sorted([*_lacking(_of(log, case)), *lone]),
    }


def _seen(log: Log, case: Case) -> dict[str, Any]:
    """Who was asked and with what, as far as it counts; and what came of it."""
    values = [value for each in case["series"].values() for value in each["values"]]
    growths = [each["growth"] + more for each in case["series"].values() for more in (0, 0.5)]

    def numbers(words: str, among: list[Any]) -> list[float]:
        return [float(n) for n in re.findall(r"\d+(?:\.\d+)?", words) if float(n) in among]

    words = {part: [e.request["words"] for e in _of(log, case, part)] for part in _SECONDS}
    found = log.result[case["called"]]
    return {
        "research": words["research"],
        "analysis": sorted(
            [[name for name in case["names"] if name in said], numbers(said, values)]
            for said in words["analysis"]
        ),
        "report": [sorted(numbers(said, growths)) for said in words["report"]],
        "facts": found["facts"],
        "missing": sorted(found["missing"]),
    }


def _led(look: str, *, ended_by: float) -> Checks:
    """Each request is answered in this way, and all of them by then."""

    def checks(world: Scenario) -> list[Check]:
        cases = world.params["cases"]

        def seen(log: Log) -> dict[str, Any]:
            return {case["called"]: _seen(log, case) for case in cases}

        def wanted(log: Log) -> dict[str, Any]:
            return {case["called"]: _wanted(log, case) for case in cases}

        told = viewed(seen, equals(wanted, look=f"look at {look}"))
        return [told, within(ended_by=ended_by, look="which of them need not wait for others?")]

    return checks


LEAD = Exercise(
    "10.6", ("lead",), (
        Trial("asks each part for its own, and hands on what all of them found", _STAGE,
              _world({"many": 3, "more": 2}, {"many": 1}),
              _led("what each part is asked, and in which order facts are handed on",
                   ended_by=29.0)),
        Trial("tells what is missing, and goes on with the rest", _STAGE,
              _world({"closed": (1,)},
                     {"many": 3, "failing": (0,), "stopped": ("research", "report")},
                     {"closed": (0, 1)}, {"failing": (0, 1), "stopped": ("analysis",)}),
              _led("what failed behind the words of a part", ended_by=43.0)),
        Trial("answers with what there is where a model is gone", _STAGE,
              _world({"gone": ("research",)}, {"many": 3, "gone": (1,)}, {"gone": ("report",)}),
              _led("what becomes of a `ModelError`, and of all that came before it",
                   ended_by=31.0)),
    ),
    places={
        "*": "what came of {}",
        "*.research": "what research was asked for {}",
        "*.analysis": "the names and values that analysis was asked about for {}",
        "*.analysis.*.0": "the names in the {1} question to analysis for {0}",
        "*.analysis.*.0.*": "the {2} name in the {1} question to analysis for {0}",
        "*.analysis.*.1": "the values in the {1} question to analysis for {0}",
        "*.analysis.*.1.*": "the {2} value in the {1} question to analysis for {0}",
        "*.report": "the growths that report was asked about for {}",
        "*.report.*": "the growths in the {1} question to report for {0}",
        "*.report.*.*": "the {2} growth in the {1} question to report for {0}",
        "*.facts": "the facts handed on for {}",
        "*.facts.*": "the {1} fact handed on for {0}",
        "*.missing": "what is told as missing for {}",
        "*.missing.*": "the {1} thing that is told as missing for {0}",
    },
)  # fmt: skip
