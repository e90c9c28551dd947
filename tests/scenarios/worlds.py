"""What the tests of the domains share: calling tools as the agent loop does, and right answers."""

import json
from functools import cached_property
from typing import Any

from course import clock
from course.scenarios import own
from course.scenarios.domains import KIT, named
from course.scenarios.world.domain import Domain, toolbox
from course.scenarios.world.figures import figures
from course.scenarios.world.requests import Call, Fact, Sample
from course.scenarios.world.world import World
from course.tools import call_tool

SEEDS = (1, 7, 11, 42, 2026)


def in_place() -> tuple[Domain[Any], ...]:
    """The worlds of one's own, from which all other tests are kept."""
    own.__path__.append(str(own.place()))
    try:
        return tuple(own.domains())
    finally:
        own.__path__.pop()


DOMAINS = (*map(named, KIT), *in_place())


class Bench:
    """A domain's world with its workers' tools."""

    def __init__(self, domain: Domain[Any], seed: int) -> None:
        self.domain = domain
        self.world: World = domain.open(seed=seed)
        self.tools = toolbox(domain.workers(self.world))

    def call(self, call: Call) -> str:
        text = json.dumps(dict(call.arguments))
        return clock.simulate(call_tool(self.tools[call.tool], text))

    @cached_property
    def samples(self) -> list[tuple[Any, Sample]]:
        return [(request, request.on(self.world)) for request in self.domain.requests]


def stated_in(fact: Fact, text: str) -> bool:
    if fact.value is None:
        return any(form.lower() in text.lower() for form in fact.forms)
    return any(
        abs(figure.value - fact.value * by) <= fact.within * by
        for figure in figures(text)
        for by in (1.0, fact.scale)
    )


def written(fact: Fact) -> str:
    if fact.value is None:
        return " ".join([fact.forms[0], *fact.near[:1]])
    if fact.value == int(fact.value) and not fact.within:
        return f"{int(fact.value)}"
    return f"{fact.value:,.1f}" if 0.05 <= fact.within < 1 else f"{fact.value:,.2f}"


def in_sentences(sample: Sample) -> str:
    lines = [f"For {f.subject or 'this'}, {f.name} is {written(f)}." for f in sample.facts]
    return closing(sample, lines)


def in_bullets(sample: Sample) -> str:
    """Grouped below the subjects, the value first, with the words turned round."""
    lines = []
    for subject in dict.fromkeys(fact.subject for fact in sample.facts):
        lines.append(f"### {subject or 'Result'}")
        lines += [f"- {written(f)} ({f.name.split(' of ')[0]})" for f in sample.facts
                  if f.subject == subject]  # fmt: skip
    return closing(sample, lines)


def in_a_table(sample: Sample) -> str:
    lines = ["| of | what | value |", "|---|---|---|"]
    lines += [f"| {f.subject} | result {n} | {written(f)} |"
              for n, f in enumerate(sample.facts, 1)]  # fmt: skip
    return closing(sample, lines)


def closing(sample: Sample, lines: list[str]) -> str:
    gaps = [f"No data on {g.topic[0]} of {g.subject} has been disclosed." for g in sample.gaps]
    cited = ", ".join(group[0] for group in sample.sources)
    return "\n".join([*lines, *gaps, f"Sources: {cited}."])
