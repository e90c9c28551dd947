"""Published figures, measured again here: what comes out, with what tolerance, and what does not.

`page()` is the document docs/reproductions.md. Nothing in it is typed in but what others published
and, where a number was fitted, which one. All of it runs in virtual time with keyed draws.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import pandas as pd

from course import clock
from course.chat import complete
from course.errors import CourseError
from course.evaluation import stats
from course.lab.one import play
from course.lab.spec import Experiment
from course.models import Scripted, connect
from course.models.breaker import Breaker
from course.models.draws import Draws
from course.models.line import CALL_SECONDS, Line
from course.models.names import SMALL
from course.models.profile import Profile, load
from course.models.wire import Key
from course.reproductions import call_counts, routing_curves
from course.runs import Run
from course.supervisor_worker.plan import Plan, PlanTask, critical_path, waves
from course.supervisor_worker.schedule import schedule
from course.trace import Trace

QUERIES = 200
SEARCH_MEDIAN, SEARCH_SIGMA = 0.5436, 0.48  # lognormal of mean 0.61 s
PLANNER_S, FINAL_S, SLOWEST_S = 1.88, 1.62, 1.13
REACT_S, COMPILER_S = 20.47, 5.47
BRANCHES = {2: 21, 3: 31, 4: 31, 5: 30}  # ParallelQA: how many questions have so many branches
AT_LEAST = {("handoffs", "three"): " or more"}
PASS = {
    "retail, gpt-4o": (0.604, 0.491, 0.430, 0.383),
    "retail, claude-3.5-sonnet": (0.692, 0.576, 0.509, 0.462),
    "airline, claude-3.5-sonnet": (0.460, 0.326, 0.263, 0.225),
    "airline, gpt-4o-mini": (0.225, 0.140, 0.110, 0.100),
}

BEYOND = (
    ("which pattern answers more accurately (LangChain 2025, Kim et al. 2025, BenchAgent 2026)",
     "it hangs on what a language model misunderstands; here competence is an assumption"),
    ("multi-agent against a single agent in quality (+90.2 %, Anthropic 2025)",
     "the same: an assumed model can be given any ranking"),
    ("error amplification of 17.2 and 4.4 (Kim et al. 2025)",
     "the chance that a supervisor notices a wrong result would be put in, and come out again"),
    ("LLMCompiler's accuracies and its early stops (85 % of ReAct's Movie runs)",
     "both are properties of a model and its prompt"),
    ("absolute seconds and dollars of any service",
     "profiles are dated assumptions with sources; only what follows from them is measured"),
    ("how good a prompt is, and how often real requests fail",
     "no prompt is read here by a language model, and no service is asked"),
)  # fmt: skip


@dataclass(frozen=True)
class Reproduction:
    """One published figure and what came out here.

    Attributes:
        what: is measured, with its source.
        published, here: as text, with units.
        tolerance: what counts as reproduced; for a bound, what must hold.
        verdict: reproduced, holds, or by how much it is missed.
        fitted: the number that was set so that something else comes out; "" where none was.
    """

    what: str
    published: str
    here: str
    tolerance: str
    verdict: str
    fitted: str = ""


def page() -> str:
    """The document: every reproduction as a table, routing curves, and what is out of reach."""
    beyond = [f"| {what} | {why} |" for what, why in BEYOND]
    return "\n".join((
        "# Published figures, measured again", "", _OPENING, "", measured(), "",
        "## Routing on CLINC150", "", routing_curves.told(), "",
        "## What cannot be reproduced here", "", "| what | why |", "|---|---|", *beyond,
    ))  # fmt: skip


def measured() -> str:
    """Every reproduction as a table in Markdown."""
    groups = (langchain(), compiler(), schedules(), breakers(), difficulty(), trials())
    rows = (
        f"| {r.what} | {r.published} | {r.here} | {r.tolerance} | {r.fitted or '–'} | {r.verdict} |"
        for group in groups
        for r in group
    )
    head = ("| what | published | here | tolerance | fitted | verdict |", "|---" * 6 + "|")
    return "\n".join((*head, *rows))


_OPENING = """\
This page is printed by `python -m course lab reproduce`; a test prints it again. A *bound* follows
from waiting alone and has to hold for any system of the kind; a *fit* needs a number that was set
so that another one comes out, and the column says which. "8-way" is eight searches at once; pass^k
is the chance that k runs of a task all succeed; Beta(a, b) is how success rates spread over tasks.
All is measured offline, but CLINC150, a set of labelled questions, is fetched once.

At which level they stand: the calls, speed-ups and plans are about waiting. Every answer in them is
right by design, so that they compare no success; tau-bench stands at its published pass^1 (0.225 to
0.692), to which its difficulty is set. `lab run --dry` finds such a level for an experiment."""


def _missed(here: float, published: float, tolerance: float) -> str:
    off = here / published - 1
    return "reproduced" if abs(off) <= tolerance else f"missed by {off:+.0%}"


def langchain() -> Iterator[Reproduction]:
    """LangChain's table: model calls of three patterns in three scenarios, and their tokens."""
    names = {
        "one": "one request",
        "again": "a request and its repetition",
        "three": "three domains",
    }
    for pattern, published in call_counts.PUBLISHED.items():
        for scenario, calls in published.items():
            found = call_counts.counted(pattern, scenario, connect(profile="instant", wire=False))
            same = found.calls == calls
            yield Reproduction(
                f"LangChain, calls: {pattern}, {names[scenario]}",
                _sum(calls) + AT_LEAST.get((pattern, scenario), ""), _sum(found.calls), "equal",
                "reproduced" if same else "missed",
            )  # fmt: skip


def _sum(calls: Sequence[int]) -> str:
    return " + ".join(map(str, calls))


def _fan(width: int) -> Plan:
    return Plan(goal="Search", tasks=tuple(_task(f"s{n}") for n in range(width)))


def _task(id: str, *needs: str) -> PlanTask:
    return PlanTask(id=id, description=f"Do {id}", worker="w", dependencies=needs)


def makespan(plan: Plan, seconds: Mapping[str, float], *, limit: int | None = None) -> float:
    """How long `schedule` takes for a plan whose tasks take so many seconds."""

    async def work(task: PlanTask, _: Mapping[str, None]) -> None:
        await asyncio.sleep(seconds[task.id])

    async def timed() -> float:
        begin = clock.now()
        await schedule(plan, work, limit=limit)
        return clock.now() - begin

    return clock.simulate(timed())


def _searches(query: int, width: int) -> dict[str, float]:
    draws = Draws(0, Key(f"query {query}"))
    return {
        f"s{n}": draws.lognormal(f"search {n}", median=SEARCH_MEDIAN, sigma=SEARCH_SIGMA)
        for n in range(width)
    }


def compiler() -> Iterator[Reproduction]:
    """LLMCompiler (Kim et al., ICML 2024): speed-ups over ReAct, from its step times alone."""
    step = (REACT_S - FINAL_S) / 8 - 0.61  # a ReAct step's thinking, so that Movie comes out
    for name, width, published in (("Movie Rec., 8-way", 8, 3.74), ("HotpotQA, 2-way", 2, 1.80)):
        drawn = [_searches(query, width) for query in range(QUERIES)]
        at_once = fmean(makespan(_fan(width), seconds) for seconds in drawn)
        in_turn = fmean(makespan(_fan(width), seconds, limit=1) for seconds in drawn)
        react = width * step + in_turn + FINAL_S
        bound = react / (PLANNER_S + at_once + FINAL_S)
        own = width == 8
        yield Reproduction(
            f"LLMCompiler, speed-up: {name}", f"{published:.2f} ×", f"{bound:.2f} ×",
            "upper bound: no less than published",
            "holds" if bound >= published else f"missed by {bound / published - 1:+.0%}",
            f"a ReAct step's thinking, {step:.2f} s, to Movie's {REACT_S} s"
            + ("" if own else "; out of sample"),
        )  # fmt: skip
        if own:
            yield Reproduction(
                "LLMCompiler, slowest of 8 searches", f"{SLOWEST_S} s", f"{at_once:.2f} s", "5 %",
                _missed(at_once, SLOWEST_S, 0.05), "σ of a search, 0.48; its mean is published",
            )  # fmt: skip
    steps = sum(width * count for width, count in BRANCHES.items()) / sum(BRANCHES.values()) + 2
    low, high = steps / 3, steps / 2  # plan, math and answer are model calls; or math is a tool
    yield Reproduction(
        "LLMCompiler, speed-up: ParallelQA, 113 shapes", "2.15 ×", f"{low:.2f} to {high:.2f} ×",
        "bracket: math as a model call, or as a tool that takes no time",
        "inside" if low <= 2.15 <= high else "outside",
        f"one step of ReAct, {35.90 / steps:.2f} s, to 35.90 s",
    )  # fmt: skip


def drawn_plan(seed: int, tasks: int = 12) -> tuple[Plan, dict[str, float]]:
    """A random plan whose seconds are whole, so that sums are exact."""
    draws = Draws(seed, Key("plan"))
    share = draws.choice("share", [0.1, 0.2, 0.4])
    plan = Plan(
        goal="Any",
        tasks=tuple(
            _task(f"t{n}", *(f"t{m}" for m in range(n) if draws.chance(f"{m} before {n}", share)))
            for n in range(tasks)
        ),
    )
    return plan, {t.id: 1.0 + int(20 * draws.uniform(f"seconds {t.id}")) for t in plan.tasks}


def schedules(plans: int = 60) -> Iterator[Reproduction]:
    """Parallel, sequential, in waves and in few places: what a schedule owes to its plan."""
    parallel, sequential, ratios, graham = 0.0, 0.0, list[float](), 0.0
    for seed in range(plans):
        plan, seconds = drawn_plan(seed)
        chain, work = critical_path(plan, seconds)[1], sum(seconds.values())
        free = makespan(plan, seconds)
        parallel = max(parallel, abs(free - chain))
        sequential = max(sequential, abs(makespan(plan, seconds, limit=1) - work))
        ratios.append(sum(max(seconds[id] for id in wave) for wave in waves(plan)) / free)
        for limit in (2, 3, 4):
            bound = chain + (work - chain) / limit
            graham = max(graham, makespan(plan, seconds, limit=limit) / bound)
    exact = "equal to a microsecond"
    for what, published, off in (
        ("parallel takes the critical path", "critical path (Kelley and Walker 1959)", parallel),
        ("one after the other takes the sum", "sum of all tasks", sequential),
    ):
        yield Reproduction(
            f"{what}, {plans} random plans", published, f"off by {off:.1g} s at most", exact,
            "reproduced" if off < 1e-6 else "missed",
        )  # fmt: skip
    yield Reproduction(
        "streaming against waves", "a lead that waits for each wave waits for its slowest"
        " (Anthropic 2025); 1.01 to 1.30 × (LLMCompiler, table C.1)",
        f"waves take {fmean(ratios):.2f} × as long, {max(ratios):.2f} × at most",
        "never below 1", "holds" if min(ratios) >= 1 - 1e-9 else "missed",
    )  # fmt: skip
    yield Reproduction(
        "Graham's bound, 2 to 4 places", "path + (work − path) / places (Graham 1969)",
        f"{graham:.2f} of the bound at most", "never above 1",
        "holds" if graham <= 1 + 1e-9 else "missed",
    )  # fmt: skip


def breakers(calls: int = 400, seeds: int = 2) -> Iterator[Reproduction]:
    """A breaker under independent failures and under outages of the same rate (Nygard 2007)."""
    independent = load("faulty")
    failures = independent.failures.model_copy(update={"rate": 0.06, "rate_limited": 0.0})
    stormy = load("stormy")
    bad = stormy.failures.model_copy(update={"rate_limited": 0.0})
    for name, profile in (
        ("independent failures", independent.model_copy(update={"failures": failures})),
        ("outages", stormy.model_copy(update={"failures": bad})),
    ):
        with_, without = (
            [_stream(profile, calls, seed, breaker) for seed in range(seeds)]
            for breaker in (True, False)
        )
        lost = [fmean(each[0] for each in way) for way in (without, with_)]
        wasted = [fmean(each[1] for each in way) for way in (without, with_)]
        saved = 1 - wasted[1] / wasted[0]
        pays = saved > 0.2
        yield Reproduction(
            f"a breaker under {name} of about 6 %",
            "pays only where failures come together" if name == "outages" else "does not pay",
            f"{saved:.0%} fewer failed requests ({wasted[0]:.0f} to {wasted[1]:.0f} in {calls}"
            f" calls); unanswered {lost[0]:.0f} without, {lost[1]:.0f} with it",
            "pays: a fifth fewer failed requests",
            "holds" if pays == (name == "outages") else "missed",
        )  # fmt: skip


def _stream(profile: Profile, calls: int, seed: int, breaker: bool) -> tuple[int, int]:
    """Calls a second apart at one service: how many stay unanswered, how many requests failed."""
    body = {"model": SMALL, "messages": [{"role": "user", "content": "Well?"}]}
    client = connect(Scripted(lambda _: "Well."), profile=profile, seed=seed, wire=False)
    trace = Trace("stream")

    async def call(number: int, line: Any) -> bool:
        await asyncio.sleep(number)
        try:
            with Run(f"call {number}").active():
                await complete(line, body, agent="caller")
        except CourseError:
            return False
        return True

    async def all_of_them() -> list[bool]:
        line = Line(client, breaker=Breaker() if breaker else None, timeout=CALL_SECONDS)
        return await asyncio.gather(*(call(number, line) for number in range(calls)))

    with trace.record():
        answered = clock.simulate(all_of_them())
    requests = [step for step in trace.spans if step.operation == "chat"]
    return answered.count(False), sum(step.status == "error" for step in requests)


def trials(tasks: int = 60, seeds: int = 6) -> Iterator[Reproduction]:
    """The same from runs of this lab: an oracle whose tasks have that difficulty, tried again."""
    name, (first, second, *_) = next(iter(PASS.items()))
    a, b = stats.beta_from(first, second)
    spec = Experiment(
        name="trials", bench="calls:1", pattern="single", flaw=[{"difficulty": (a, b)}],
        tasks=tasks, seeds=range(seeds), spans=False,
    )  # fmt: skip
    runs = pd.DataFrame([play(cell).row for cell in spec.cells()])
    for row, published in zip(stats.pass_k(runs).to_dict("records"), PASS[name], strict=True):
        inside = row["low"] <= published <= row["high"]
        yield Reproduction(
            f"pass^{row['k']} of {tasks} tasks, {seeds} runs each: {name}", f"{published:.3f}",
            f"{row['value']:.3f} [{row['low']:.3f}, {row['high']:.3f}]",
            "published lies in the interval", "reproduced" if inside else "missed",
            f"tasks' difficulty, Beta({a:.2f}, {b:.2f})",
        )  # fmt: skip


def difficulty() -> Iterator[Reproduction]:
    """tau-bench's pass^k from two of its points: a latent difficulty of the tasks, Beta."""
    for name, (first, second, *later) in PASS.items():
        a, b = stats.beta_from(first, second)
        for k, published in enumerate(later, start=3):
            here = stats.beta_pass_k(a, b, k)
            yield Reproduction(
                f"tau-bench, pass^{k}: {name}", f"{published:.3f}",
                f"{here:.3f} (independent runs: {first**k:.3f})", "0.02",
                "reproduced" if abs(here - published) <= 0.02 else "missed",
                f"Beta({a:.2f}, {b:.2f}) to pass^1 and pass^2",
            )  # fmt: skip
