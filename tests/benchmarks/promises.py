"""What the machinery promises, measured: `python -m tests.benchmarks.promises` prints one table.

Everything is played with scripted models in virtual time, but for the requests of the six domains
and the telephone, which the simulated model answers, and the spoken call, which takes its seconds.
A row is a function that gives what was measured; to add one, add a line to `ROWS`. Names on the
command line choose rows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One promise: what is measured, how, what there was before, and what is to be reached."""

    what: str
    measure: Callable[[], Any]
    before: str
    reach: str


def over_the_limit() -> str:
    """The longest that any system goes on beyond ten seconds, whatever hangs in it, and how many
    of the runs said so.
    """
    from tests.patterns.hanging import SYSTEMS, WHAT, play

    played = [play(name, hung) for name in SYSTEMS for hung in WHAT]
    longest = max(each.late for each in played)
    return f"{longest:.2f} s over; {sum(each.told for each in played)} of {len(played)} say so"


def results_for_five_calls() -> str:
    """What eight tasks come to that five calls may be made for."""
    from tests.patterns.test_budget_pays import EIGHT, carried, done

    result = carried(max_calls=5)
    named = [id for id in result.results if f"- {id} " in result.answer.partition("Missing:")[2]]
    return f"{len(done(result))} finished, {len(named)} of {EIGHT - len(done(result))} named"


def exceptions_heard() -> str:
    """How often a person met an exception in place of an answer."""
    from course import clock, connect, run
    from tests.project.own_words import REQUESTS, kinds
    from tests.project.playing import NAMED, SEED

    met = asked = 0
    for domain, texts in REQUESTS.items():
        with NAMED[domain].open(seed=SEED) as world:
            for text in texts:
                for make in kinds(NAMED[domain].workers(world)).values():
                    asked += 1
                    try:
                        clock.simulate(run(make(), text, client=connect(profile="calm")))
                    except Exception as error:
                        print(f"{domain}: {text}: {type(error).__name__}: {error}", file=sys.stderr)
                        met += 1
    return f"{met} of {asked}"


def failures_told() -> str:
    """How many kinds of workers whose calls all failed are failed for who is above them."""
    from tests.patterns.test_failure_upward import BROKEN, told_upward

    return f"{sum(told_upward(name) for name in BROKEN)} of {len(BROKEN)}"


def persons_reached() -> str:
    """How many wishes for a person reach one within two turns, and how many other words do."""
    from tests.benchmarks.persons import OTHERS, WISHES, measure

    places = measure().values()
    wished, others = (sum(each[n] for each in places) for n in (0, 1))
    return (
        f"{wished} of {len(WISHES) * len(places)}; "
        f"{others} of {len(OTHERS) * len(places)} that wish for nobody"
    )


def programs_played() -> str:
    """How many of the programs that are written for LiveKit play their calls to the end."""
    from tests.benchmarks.telephone import programs_to_their_end

    ended, written = programs_to_their_end()
    return f"{ended} of {written}"


def call_spoken() -> str:
    """How a call to one of these programs goes that is spoken in a real room."""
    import pytest

    from tests.voice.programs import spoken

    try:
        held = spoken()
    except pytest.skip.Exception as missing:
        return str(missing).splitlines()[-1]
    return "answered" if "from seven to ten" in held.turns[0].answer else held.transcript()


def contradictions_found() -> str:
    """Of pairs of statements kept for the end: contradictions found, and false alarms."""
    from tests.core.test_contradictions import HALVES, found

    told = {kind: [bool(found(*pair)) for pair in pairs] for kind, pairs in HALVES["kept"].items()}
    return "; ".join(f"{sum(each)} of {len(each)} {kind}" for kind, each in told.items())


def demo_by_telephone() -> str:
    """Whether the demo's question is answered on the telephone."""
    from tests.benchmarks.telephone import demo_on_the_telephone

    return "answered" if demo_on_the_telephone() else "not answered"


ROWS: dict[str, Row] = {
    "limits": Row("systems x what hangs, limit 10 s", over_the_limit, "181 s over", "<= 0.5 s"),
    "budget": Row(
        "8 tasks, budget for 5 calls", results_for_five_calls, "0 finished", ">= 2 and 6 named"
    ),
    "failures": Row("workers whose calls all failed", failures_told, "plans only", "all told"),
    "persons": Row("wishes for a person x places", persons_reached, "4 of 10", "all, and none"),
    "programs": Row("programs for LiveKit, 3 calls each", programs_played, "at most 4", "8 of 8"),
    "contradictions": Row(
        "contradicting pairs kept for the end", contradictions_found, "1 of 9", ">= 24; <= 1"
    ),
    "spoken": Row("one of the programs' calls, spoken", call_spoken, "not tried", "answered"),
    "telephone": Row("the demo by telephone", demo_by_telephone, "not answered", "answered"),
    "exceptions": Row("60 requests x systems, exceptions", exceptions_heard, "3 of 12", "0"),
}


def main(names: list[str]) -> None:
    """Print the rows of these names, or all of them."""
    print("| what | before | measured | reach |\n|---|---|---|---|")
    for name in names or ROWS:
        row = ROWS[name]
        print(f"| {row.what} | {row.before} | {row.measure()} | {row.reach} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
