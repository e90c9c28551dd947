"""Exercise 8.1: a call is made again while its way fails, and waits longer each time."""

from __future__ import annotations

from pydantic_core import from_json

from course.models.line import Backoff
from course.models.names import LARGE, SMALL
from course.models.wire import Key
from graders.checks import backed_off, by_model
from graders.exercises.kit import *

_STAGE = """
import asyncio
import json

import openai

from course.models.wire import Key
from course.models.line import Backoff


async def stage(bench, student):
    client = bench.client.with_options(max_retries=0)
    backoff = Backoff(**bench.params["backoff"])
    told = []
    for name in bench.params["errors"]:

        async def call(made):
            answer = await client.chat.completions.create(
                model=name, messages=[{"role": "user", "content": json.dumps(made)}]
            )
            return answer.choices[0].message.content

        came = {}
        try:
            came["gave"] = await student.insist(call, backoff, key=Key("run", name))
        except openai.APIStatusError as error:
            came["raised"] = error.status_code
        told.append(came)
    await asyncio.sleep(bench.params["rest"])
    return told
"""
_LETS_OUT = """
from course.models.wire import Key
from course.models.line import Backoff


async def stage(bench, student):
    async def call(made):
        raise ValueError(await bench.tool("program").function(made=made))

    try:
        await student.insist(call, Backoff(**bench.params["backoff"]), key=Key())
    except ValueError as error:
        return str(error)
"""
SECONDS = 0.25
"""How long the model takes, whether it answers or fails."""
REST = 7.0
"""How long the stage waits in the end: so who stops the clock is seen to do so."""
Errors = dict[str, list[tuple[int, dict[str, str]]]]


def _says(errors: Errors) -> Any:
    """Fails with these errors, one after the other, and answers from then on."""

    def says(ask: Ask) -> Answer:
        assert ask.request is not None
        left = errors[ask.request.model][ask.number :]
        if left:
            status, headers = left[0]
            return Answer(error=ApiError(status, ask.token, headers=headers), seconds=SECONDS)
        return Answer(f"hello {ask.token}", seconds=SECONDS)

    return says


def _world(errors: Errors, draw: random.Random, **backoff: Any) -> Scenario:
    setting = {"tries": 3, "first": draw.choice((0.5, 1.0)), "most": 60.0, "jitter": 0.25}
    setting |= {"seed": draw.randrange(1000), **backoff}
    return Scenario((), _says(errors), {"errors": errors, "backoff": setting, "rest": REST})


def _plain(*statuses: int) -> list[tuple[int, dict[str, str]]]:
    return [(status, {}) for status in statuses]


def _twice(draw: random.Random) -> Scenario:
    return _world({SMALL: _plain(503, draw.choice((500, 502))), LARGE: []}, draw)


def _long(draw: random.Random) -> Scenario:
    """Seven calls; the longest waits reach what the backoff allows at the most."""
    errors = _plain(*(draw.choice((408, 409, 429, 500, 503)) for _ in range(6)))
    return _world({LARGE: errors}, draw, tries=7, most=6.0, jitter=draw.choice((0.0, 0.4)))


def _asked_to_wait(draw: random.Random) -> Scenario:
    """A service that says when it wants to be asked again, later or sooner than one would."""
    late = {"retry-after": str(draw.randrange(7, 20))}
    soon, fine = {"retry-after": "0.1"}, {"retry-after-ms": str(draw.randrange(9000, 19_000))}
    return _world({SMALL: [(429, late), (429, soon)], LARGE: [(503, fine)]}, draw)


def _hopeless(draw: random.Random) -> Scenario:
    never = {"x-should-retry": "false"}
    first = _plain(draw.choice((400, 401, 403, 404, 422)))
    return _world(
        {SMALL: first, LARGE: [(503, {}), (500, never), *_plain(503, 503)]}, draw, tries=5
    )


def _for_ever(draw: random.Random) -> Scenario:
    """Each error is another one: the last one counts. And a backoff of a single call."""
    statuses = draw.sample((408, 429, 500, 502, 503), 4)
    return _world({SMALL: _plain(*statuses), LARGE: []}, draw, tries=draw.choice((2, 3)))


def _once(draw: random.Random) -> Scenario:
    return _world({LARGE: _plain(503, 500)}, draw, tries=1)


def _mistake(draw: random.Random) -> Scenario:
    made = {"type": "object", "properties": {"made": {"type": "integer"}}, "required": ["made"]}
    program = ToolOffer("program", "Go wrong.", made, lambda ask: Answer(f"mistake {ask.token}"))
    return Scenario((program,), params={"backoff": {"tries": 4}})


def reckoned(world: Scenario, name: str) -> dict[str, Any]:
    """What has to come of the calls of one model: how many, with which waits, how it ends."""
    backoff, errors = Backoff(**world.params["backoff"]), world.params["errors"][name]
    waits: list[float] = []
    for made in range(1, backoff.tries + 1):
        if made > len(errors):
            return {"numbers": list(range(made)), "waits": waits}
        status, headers = errors[made - 1]
        again = status in (408, 409, 429) or status >= 500
        if made == backoff.tries or not again or "x-should-retry" in headers:
            return {"numbers": list(range(made)), "waits": waits, "raised": status}
        asked = [float(headers[k]) / per for k, per in _UNITS.items() if k in headers]
        key = Key("run", name)
        waits.append(backoff.wait(made, key=key, retry_after=asked[0] if asked else None))
    raise AssertionError("a backoff has at least one try")


_UNITS = {"retry-after-ms": 1000.0, "retry-after": 1.0}


def _wanted(world: Scenario) -> Any:
    def wanted(log: Log) -> list[dict[str, Any]]:
        found = []
        for name in world.params["errors"]:
            told = {**reckoned(world, name), "after": 0.0}
            if "raised" not in told:
                told["gave"] = log.requests(name)[-1].reply["text"]
            found.append(told)
        return found

    return wanted


def _timed(log: Log) -> list[dict[str, Any]]:
    """What came of each model's calls, with their numbers and the waits as the service saw them."""
    tried = [log.requests(name) for name in log.params["errors"]]
    found = []
    for came, calls, following in zip(log.result, tried, [*tried[1:], []], strict=True):
        begins = [*(each.start for each in (*calls[1:], *following[:1])), log.ended - REST]
        waits = [begin - end_of(each) for each, begin in zip(calls, begins, strict=False)]
        numbers = [each.request["messages"][0]["content"] for each in calls]
        told = {"numbers": list(map(from_json, numbers)), "waits": waits[:-1]}
        found.append({**came, **told, "after": waits[-1] if waits else None})
    return found


def _mistaken(log: Log) -> Any:
    return [log.result, [each.request["made"] for each in log.calls("program")]]


def _let_out(world: Scenario) -> list[Check]:
    def wanted(log: Log) -> Any:
        return [log.calls("program")[0].reply, [0]]

    return [viewed(_mistaken, equals(wanted, look="look at what is_transient says of it"))]


_HOW_OFTEN = "look at how often the call is made, and after which errors"


def _insists(look: str) -> Checks:
    def checks(world: Scenario) -> list[Check]:
        tries = world.params["backoff"]["tries"]
        told = [reckoned(world, name) for name in world.params["errors"]]
        return [
            within(
                requests=sum(len(each["numbers"]) for each in told), reached=True, look=_HOW_OFTEN
            ),
            *([backed_off(by_model(), tries=tries, grows=False)] if _retried(world) else []),
            viewed(_timed, equals(_wanted(world), within=1e-6, look=f"look at {look}")),
        ]

    return checks


def _retried(world: Scenario) -> bool:
    """Whether the general check has its say: it does not know of the header x-should-retry."""
    errors = world.params["errors"].values()
    return not any("x-should-retry" in headers for each in errors for _, headers in each)


INSIST = Exercise(
    "8.1", ("insist",), (
        Trial("makes the call again until it works", _STAGE, _twice,
              _insists("what is returned, and what each call is told"), 0.5),
        Trial("waits as the backoff says, longer each time", _STAGE, _long,
              _insists("the waits: `backoff.wait(n, ...)`, with n = 1 for the first of them"), 0.5),
        Trial("waits as long as the service asks for", _STAGE, _asked_to_wait,
              _insists("the waits: where does `retry_after(error)` go?"), 0.5),
        Trial("does not insist where it is hopeless", _STAGE, _hopeless,
              _insists("what is asked of an error before you wait"), 0.5),
        Trial("ends after the last try, with its error and without a wait", _STAGE, _for_ever,
              _insists("the last call: after it, there is nothing to wait for"), 0.5),
        Trial("makes one call where one is allowed", _STAGE, _once,
              _insists("a backoff of a single try"), 0.25),
        Trial("lets a mistake in the program out at once", _LETS_OUT, _mistake, _let_out, 0.25),
    ),
    builds_on={name: f"course.models.line:{name}" for name in ("is_transient", "retry_after")},
    places={
        "*": "the {} call",
        "*.gave": "what the {} call gave in the end",
        "*.raised": "the status of the error let out of the {} call",
        "*.waits": "the waits of the {} call",
        "*.waits.*": "the {1} wait of the {0} call",
        "*.after": "the seconds that the {} call went on after its last try",
        "*.numbers": "the numbers that `call` was given the {} time",
        "*.numbers.*": "the number that `call` was given at the {1} try of the {0} call",
    },
    finished={"insist": "course.models.line:insist"},
)  # fmt: skip
