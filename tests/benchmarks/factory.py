"""The worker factory, measured: `python -m tests.benchmarks.factory`.

How often the choice of tools is right for thirty tasks, labelled by hand (`factory.toml`), over the
catalogues of the six domains; and what making workers costs against a static registry, for a plan
of ten tasks side by side, in virtual seconds and in tokens of the simulated model. No test.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from course import Plan, PlanningSupervisor, clock, connect, run_sync
from course.scenarios.cloud_providers import Providers, workers
from course.scenarios.domains import DOMAINS
from course.scenarios.world.domain import toolbox
from course.supervisor_worker import Factory, PlanTask, worker_for

LABELS = Path(__file__).with_name("factory.toml")


@dataclass(frozen=True)
class Choice:
    """Tools that were chosen for a task, with what it needs and what also makes sense."""

    words: str
    chosen: frozenset[str]
    needs: frozenset[str]
    may: frozenset[str]

    @property
    def right(self) -> bool:
        """Everything needed is there, and at most one tool that makes no sense."""
        return self.needs <= self.chosen and len(self.chosen - self.needs - self.may) <= 1


def choices() -> list[Choice]:
    """The factory's choices for all labelled tasks."""
    client = connect("simulated", profile="instant", wire=False)
    found = []
    labels = tomllib.loads(LABELS.read_text("utf-8"))["task"]
    for domain in DOMAINS:
        with domain.open(seed=7) as world:
            catalogue = toolbox(domain.workers(world)).values()
            for each in labels:
                if each["domain"] == domain.name:
                    made = clock.simulate(worker_for(each["words"], catalogue, client=client))
                    chosen = frozenset(tool.name for tool in made.tools)
                    needs, may = frozenset(each["needs"]), frozenset(each["may"])
                    found.append(Choice(each["words"], chosen, needs, may))
    return found


def overhead(tasks: int = 10) -> dict[str, tuple[float, int]]:
    """Virtual seconds and tokens of a plan, from a registry and from a factory."""
    told = {}
    with Providers(seed=7) as world:
        registry = workers(world)[:1]
        factory = Factory(name="researcher", description="does any task with a catalogue of tools",
                          tools=registry[0].tools)  # fmt: skip
        words = "Find the market capitalisation of the cloud provider of rank {}."
        plan = Plan(goal="figures", tasks=tuple(
            PlanTask(id=f"t{n}", description=words.format(n % 6 + 1), worker="researcher")
            for n in range(tasks)
        ))  # fmt: skip
        for name, staff in (("registry", registry), ("factory", (factory,))):
            boss = PlanningSupervisor(name="boss", workers=staff)
            client = connect("simulated", seed=7, wire=False)
            result = run_sync(boss, "Find them.", plan=plan, client=client)
            assert all(each.done for each in result.results.values())
            seconds = max(span.end for span in result.trace.spans)
            told[name] = (seconds, result.usage.total)
    return told


def main() -> None:
    """Print the choices that were wrong, how many were right, and the overhead."""
    made = choices()
    for each in made:
        if not each.right:
            print(f"wrong: {each.words} chose {', '.join(sorted(each.chosen))}")
    print(f"right: {sum(each.right for each in made)} of {len(made)}")
    for name, (seconds, tokens) in overhead().items():
        print(f"{name}: {seconds:.1f} s, {tokens} tokens")


if __name__ == "__main__":
    main()
