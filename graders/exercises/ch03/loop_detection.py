"""Exercises 3.4 and 3.5: the same again, counted while it happens and read from a trace."""

from __future__ import annotations

from course.observability.diagnosis import circle
from graders.exercises.kit import *
from graders.exercises.sample_traces import exported

_COUNTS = """
from collections import Counter


async def stage(bench, student):
    played = []
    for turn in bench.params["cases"]:
        seen, state, counts = Counter(), {}, []
        for each in turn:
            if each["state"] is not None:
                state.clear()
                state.update(each["state"])
            state.update(each["learns"])
            count = student.repeats(seen, each["agent"], each["calls"], state, each["handoffs"])
            counts.append(count)
        played.append(counts)
    return played
"""
_AGENTS = ("billing", "records", "scheduling", "tech")
_MOVES = [f"transfer_to_{name}" for name in _AGENTS]

Step = dict[str, Any]


def _step(
    agent: str,
    *calls: tuple[str, Any],
    learns: dict[str, Any] | None = None,
    state: dict[str, Any] | None = None,
) -> Step:
    """What an agent asks for; before it the state has grown, or is another one."""
    made = [call(name, said, f"call_{n}") for n, (name, said) in enumerate(calls)]
    learned = {"learns": learns or {}, "state": state}
    return {"agent": agent, "calls": made, "handoffs": _MOVES, **learned}


def _fresh_ids(draw: random.Random, turns: list[list[Step]]) -> Scenario:
    """Every call gets an id of its own, as it does from a model."""
    for each in (made for turn in turns for step in turn for made in step["calls"]):
        each["id"] = f"call_{draw.randrange(10**6)}"
    return Scenario(params={"cases": turns})


def _the_same(draw: random.Random) -> Scenario:
    who, other = draw.sample(_AGENTS, 2)
    number = draw.randrange(100)
    asked = ("find", {"number": number})
    first = [_step(who, asked) for _ in range(draw.randrange(3, 5))]
    second = [_step(other, asked, ("find", {"number": number + 1})) for _ in range(2)]
    return _fresh_ids(draw, [first, second, [_step(who, asked)]])


def _apart(draw: random.Random) -> Scenario:
    who, other = draw.sample(_AGENTS, 2)
    number = draw.randrange(100)
    asked = ("find", {"number": number})
    turn = [
        _step(who, asked),
        _step(other, asked),
        _step(who, ("find", {"number": number + 1})),
        _step(who, ("look", {"number": number})),
        _step(who, asked, ("look", {"number": number})),
        _step(who, asked),
    ]
    return _fresh_ids(draw, [turn])


def _learned(draw: random.Random) -> Scenario:
    who = draw.choice(_AGENTS)
    asked = ("find", {"number": draw.randrange(100)})
    turn = [
        _step(who, asked),
        _step(who, asked, learns={"patient": {"id": "P-1", "seen": [1, 2]}}),
        _step(who, asked, learns={"patient": {"id": "P-2", "seen": [1, 2]}}),
        _step(who, asked),
    ]
    states = {"day": 1, "hour": 2}, {"hour": 2, "day": 1}, {"week": 1, "hour": 2}
    filled = [_step(who, asked, state=each) for each in states]
    return _fresh_ids(draw, [turn, filled])


def _reasons(draw: random.Random) -> Scenario:
    one, other, third = draw.sample(_AGENTS, 3)
    turn = [_step(one, (f"transfer_to_{third}", {"reason": "reason 0"}))]
    for number in range(3):
        turn.append(_step(one, (f"transfer_to_{other}", {"reason": f"reason {number}"})))
        turn.append(_step(other, (f"transfer_to_{one}", {"reason": f"not mine {number}"})))
    turn.append(_step(one, ("look_up", {"reason": "reason 1"})))
    turn.append(_step(one, ("look_up", {"reason": "reason 2"})))
    for number in (1, 2, 2):  # both in one message
        handoff = (f"transfer_to_{other}", {"reason": f"reason {len(turn)}"})
        turn.append(_step(one, ("look_up", {"number": number}), handoff))
    return _fresh_ids(draw, [turn])


def counted(turn: Sequence[Step]) -> list[int]:
    """How often each step's state was there, by comparing every step with those before it."""
    states: list[Any] = []
    known: dict[str, Any] = {}
    for each in turn:
        known = {**(known if each["state"] is None else each["state"]), **each["learns"]}
        asked = [
            (made["function"]["name"], made["function"]["arguments"]) for made in each["calls"]
        ]
        plain = [(name, "" if name in each["handoffs"] else said) for name, said in asked]
        states.append((each["agent"], plain, known))
    return [states[: number + 1].count(state) for number, state in enumerate(states)]


_counts = compared(counted, fits)


REPEATS = Exercise(
    "3.4", ("repeats",), (
        Trial("counts the same request of the same agent", _COUNTS, _the_same,
              _counts("what is counted, and where: `seen` belongs to one turn"), 0.5),
        Trial("tells apart other agents and other calls", _COUNTS, _apart,
              _counts("what makes two requests the same: who asks, and all that is asked for"),
              0.5),
        Trial("sees when something was learned in between", _COUNTS, _learned,
              _counts("the state: it changes while it is the same dictionary"), 0.5),
        Trial("does not take another reason for another handoff", _COUNTS, _reasons,
              _counts("the arguments of handoffs, and at those of the other tools"), 0.5),
    ),
    places={
        "*": "the counts of the {} turn",
        "*.*": "the {1} count of the {0} turn",
    },
    finished={"repeats": "course.team.rules:repeats"},
)  # fmt: skip

_READS = stage_of(
    "list(student.circle(Trace.from_json(case)))", given="from course.trace import Trace"
)


def trace_of(path: Sequence[str], kinds: Sequence[str] = ()) -> str:
    """The JSON text of a trace in which a conversation goes along a path of agents."""
    spans: list[dict[str, Any]] = []

    def add(operation: str, name: str, **told: str) -> None:
        start = len(spans) + 1.0
        spans.append(
            {
                "operation": operation,
                "name": name,
                "above": 0 if spans else None,
                "start": start,
                "end": start + 0.5,
                "attributes": {f"switchboard.handoff.{k}": v for k, v in told.items()},
            }
        )

    add("invoke_workflow", "desk")
    for number, (one, other) in enumerate(pairwise(path)):
        add("invoke_agent", one)
        add("chat", "switchboard-small")
        kind = kinds[number] if kinds else "transfer"
        add("execute_tool", f"{'consult' if kind == 'consult' else 'transfer_to'}_{other}")
        words = {"kind": kind, "from": one, "to": other, "reason": f"reason {number}"}
        add("handoff", f"{one} -> {other}", **words)
    add("invoke_agent", path[-1])
    spans[0]["end"] = len(spans) + 1.0
    return exported(spans)


def _names(draw: random.Random, many: int) -> list[str]:
    return draw.sample((*_AGENTS, "reception", "sales"), many)


def _two(draw: random.Random) -> tuple[list[str]]:
    one, other = _names(draw, 2)
    return ([one, other] * draw.randrange(4, 7),)


def _just_twice(draw: random.Random) -> tuple[list[str]]:
    """A circle that is closed for the second time by the last handoff."""
    ring = _names(draw, draw.randrange(2, 4))
    return ([*ring, *ring],)


def _three_after_a_start(draw: random.Random) -> tuple[list[str]]:
    start, *ring = _names(draw, 4)
    return ([start, *ring, *ring, ring[0]],)


def _and_then_rescued(draw: random.Random) -> tuple[list[str], list[str]]:
    start, one, other, calm = _names(draw, 4)
    path = [start, one, other, one, other, calm]
    return path, ["transfer"] * 4 + ["fallback"]


def _there_and_back(draw: random.Random) -> tuple[list[str]]:
    hub, *spokes = _names(draw, 4)
    return ([hub, spokes[0], hub, spokes[1], hub, spokes[2]],)


def _straight_on(draw: random.Random) -> tuple[list[str]]:
    return (_names(draw, draw.randrange(1, 4)),)


def _shorter_later(draw: random.Random) -> tuple[list[str]]:
    """A circle of three, and after it one of two."""
    one, two, three, four, five = _names(draw, 5)
    return ([one, two, three, one, two, three, four, five, four, five],)


def _by_rule(draw: random.Random) -> tuple[list[str], list[str]]:
    """Handoffs that a rule makes close a circle as well."""
    one, other = _names(draw, 2)
    return [one, other, one, other], ["transfer", "escalate", "fallback"]


def _alone(draw: random.Random) -> tuple[list[str]]:
    return (_names(draw, 1),)


def _consulted(draw: random.Random) -> tuple[list[str], list[str]]:
    hub, one = _names(draw, 2)
    return [hub, one, hub, one, hub], ["consult", "return"] * 2


def _consulted_between(draw: random.Random) -> tuple[list[str], list[str]]:
    """A conversation goes round, and somebody is consulted on the way."""
    one, other, asked = _names(draw, 3)
    kinds = ["transfer", "consult", "return", "transfer", "transfer"]
    return [one, other, asked, other, one, other], kinds


def _paths(*makers: Any) -> ScenarioMaker:
    return cases(*makers, made=lambda path: trace_of(*path))


_found = compared(lambda text: list(circle(Trace.from_json(text))), fits)


CIRCLE = Exercise(
    "3.5", ("circle",), (
        Trial("finds two agents that send a conversation to and fro", _READS,
              _paths(_two, _just_twice, _and_then_rescued, _by_rule),
              _found("the handoff spans: from whom, to whom, and which two came twice in a row")),
        Trial("finds a larger circle that has a way in", _READS,
              _paths(_three_after_a_start, _shorter_later),
              _found("where the circle begins, and how long it is")),
        Trial("finds none where there is none", _READS,
              _paths(_there_and_back, _straight_on, _alone, _two),
              _found("an agent that is met again on the way to somewhere new: that is no circle"),
              0.5),
        Trial("takes no consultation for a circle", _READS,
              _paths(_consulted, _consulted_between, _two),
              _found("the kind of a handoff: a consultation returns by design"), 0.5),
    ),
    places={
        "*": "the circle in the {} trace",
        "*.*": "the {1} agent of the circle in the {0} trace",
    },
    finished={"circle": "course.observability.diagnosis:circle"},
)  # fmt: skip
