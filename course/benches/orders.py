"""The bench of the drive-through: orders at a window, a chain of stages and no other pattern."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from course.benches.bench import Bench, Case, Named, bench
from course.benches.worlds import TUNED, Scene, facts_of
from course.scenarios import drive_through
from course.scenarios.drive_through.chain import chain


@bench("drive_through")
def window_bench(argument: str, tasks: int, world_seed: int) -> Bench:
    """Sixteen orders at a window: a chain of four stages, and no other pattern."""
    kinds = {f"drive_through/{kind.name}": kind for kind in drive_through.REQUESTS}

    @contextmanager
    def opened(task: Named) -> Iterator[Case]:
        with drive_through.Window(seed=world_seed) as window:
            sample = kinds[task.id].on(window)
            before = drive_through.orders(window)

            def right() -> bool:
                now = drive_through.orders(window)
                new = [lines for number, lines in now.items() if number not in before]
                return new == ([sample.lines] if sample.lines else [])

            yield Case(
                request=sample.text,
                agents=(
                    drive_through.host(),
                    drive_through.cashier(window),
                    drive_through.server(),
                ),
                said=facts_of(sample.missing, sample.facts),
                state=right,
                chain=chain(window),
                only_chain=True,
                excluded="an oracle runs errands, and an order is filled in field by field",
            )

    kind_of = list(dict.fromkeys(kind.level for kind in drive_through.REQUESTS))
    listed = tuple(Named(id, k.level, kind_of.index(k.level) + 1) for id, k in kinds.items())
    return Scene(listed, opened, tuned=TUNED)
