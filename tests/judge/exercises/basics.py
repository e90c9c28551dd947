# ruff: noqa: E501 (answers keep their own lines)
"""Test exercises: what every chapter asks for. All was asked, it came to an end, the result fits."""

from graders.checks import fits, made, returned
from graders.records.log import Log
from graders.records.scenario import Answer, Ask, Scenario
from tests.judge.exercises.case import Case, case, offer, told
from tests.judge.exercises.waiting import ASK, CITIES, CITY, GATHER, GROUP, QUEUE, WORLD

MADE = case(
    "made",
    ASK,
    WORLD,
    lambda world: [made(CITY, CITIES, what="a look-up")],
    {"gather": GATHER, "task group": GROUP, "queue": QUEUE},
    {
        "forgets the first": ("made.missing", GATHER.replace("in cities)", "in cities[1:])")),
        "asks nothing": ("made.missing", "async def solve(weather, cities):\n    return cities"),
        "one city for all": ("made.missing", GATHER.replace("city=city)", "city=cities[0])")),
        "asks for more": ("made.extra", GATHER.replace("in cities)", "in [*cities, 'Bonn'])")),
        "one by one and all again": (
            "made.repeated",
            GATHER.replace(
                "    return", "    [await weather(city=each) for each in cities]\n    return"
            ),
        ),
        "looks twice at the last": (
            "made.repeated",
            GATHER.replace("    return", "    await weather(city=cities[-1])\n    return"),
        ),
    },
)


def _degrees(ask: Ask) -> Answer:
    city = str(ask.arguments["city"])
    return Answer({"degrees": 3.4 * len(city), "code": ask.token}, 1.0)


def _records(log: Log) -> list[dict[str, object]]:
    replies = {each.request["city"]: each.reply for each in log.calls()}
    return [{"city": city, **replies[city]} for city in CITIES]


RECORDS = """
async def solve(weather, cities):
    records = []
    for city in cities:
        said = await weather(city=city)
        records.append({"city": city, "degrees": said["degrees"], "code": said["code"]})
    return {"records": records}
"""
FITS = case(
    "fits",
    ASK,
    Scenario((offer("weather", _degrees, "city"),), params={"cities": CITIES}),
    lambda world: [fits(_records, at="records", within=0.5)],
    {
        "dictionaries": RECORDS,
        "rounded, with more than was asked": """
async def solve(weather, cities):
    said = await asyncio.gather(*(weather(city=city) for city in cities))
    records = [
        {**each, "degrees": round(each["degrees"]), "city": city, "from": "the weather service"}
        for city, each in zip(cities, said)
    ]
    return {"records": records, "count": len(records)}
""",
        "dataclasses": """
from dataclasses import dataclass, field


@dataclass
class Record:
    city: str
    degrees: float
    code: str


@dataclass
class Report:
    records: list = field(default_factory=list)


async def solve(weather, cities):
    report = Report()
    for city in cities:
        report.records.append(Record(city, **await weather(city=city)))
    return report
""",
    },
    {
        "forgets the code": ("value.missing", RECORDS.replace(', "code": said["code"]', "")),
        "degrees as text": (
            "value.kind",
            RECORDS.replace('said["degrees"]', 'str(said["degrees"])'),
        ),
        "leaves out the last": ("value.length", RECORDS.replace("records}", "records[:-1]}")),
        "only the records": (
            "value.nowhere",
            RECORDS.replace('return {"records": records}', "return records"),
        ),
        "a degree too much": (
            "value.differs",
            RECORDS.replace('said["degrees"]', 'said["degrees"] + 1'),
        ),
        "one code for all": (
            "value.differs",
            RECORDS.replace('"code": said["code"]', '"code": "Rome"'),
        ),
    },
)


def _lima_fails(ask: Ask) -> Answer:
    failed = Answer(error="no such city", seconds=1.0)
    return failed if ask.arguments["city"] == "Lima" else told(ask, 1.0)


TRIES = """
async def solve(weather, cities):
    found = []
    for city in cities:
        try:
            found.append(await weather(city=city))
        except ToolError as error:
            found.append(str(error))
    return found
"""
RETURNED = case(
    "returned",
    ASK,
    Scenario((offer("weather", _lima_fails, "city"),), params={"cities": CITIES}),
    lambda world: [returned()],
    {
        "try": TRIES,
        "exceptions returned": GATHER.replace("in cities))", "in cities), return_exceptions=True)"),
        "nothing, after all": TRIES.replace("    return found\n", ""),
    },
    {
        "lets an error out": ("raised.error", GATHER),
        "waits for ever": (
            "stalled.forever",
            TRIES.replace("return found", "await asyncio.Event().wait()"),
        ),
        "never gives back": (
            "blocked.endless_loop",
            TRIES.replace("return found", "while True: pass"),
        ),
        "prints without end": (
            "flood.output",
            TRIES.replace("return found", "while True: print('x' * 100_000)"),
        ),
        "ends the program": ("died.exit", TRIES.replace("return found", "raise SystemExit(0)")),
        "returns a function": ("result.not_data", TRIES.replace("return found", "return weather")),
        "is a stub": (
            "not_attempted",
            "async def solve(weather, cities):\n    raise NotImplementedError('Exercise 9.9')",
        ),
        "is called something else": ("cell.undefined", TRIES.replace("def solve", "def solved")),
    },
)

CASES: list[Case] = [MADE, FITS, RETURNED]
