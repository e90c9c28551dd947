"""The bench of the drive-through: orders at a window, a chain of stages and no other pattern."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from course.benches.bench import Bench, Case, Named, bench
from course.benches.worlds import TUNED, Scene, facts_of
from course.pipeline import Pipeline, Stage
from course.scenarios import drive_through


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
                chain=_chain(window),
                only_chain=True,
                excluded="an oracle runs errands, and an order is filled in field by field",
            )

    kind_of = list(dict.fromkeys(kind.level for kind in drive_through.REQUESTS))
    listed = tuple(Named(id, k.level, kind_of.index(k.level) + 1) for id, k in kinds.items())
    return Scene(listed, opened, tuned=TUNED)


def _chain(window: drive_through.Window) -> Pipeline[Any]:
    """The drive-through's four stages, as chapter 02 builds them."""
    told = ("order_number", "lines", "refused")
    stages = (
        Stage(
            name="listening",
            work=drive_through.host(),
            reads=("request",),
            writes=("greeting", "wishes", "paying"),
        ),
        Stage(
            name="menu",
            work=window.check_order,
            reads=("wishes",),
            writes=(*told, "sorry"),
            ends_on="sorry",
        ),
        Stage(
            name="till",
            work=drive_through.cashier(window),
            reads=("order_number", "paying"),
            writes=("total", "receipt"),
            check=window.check_payment,
        ),
        Stage(
            name="window",
            work=drive_through.server(),
            reads=(*told, "total"),
            writes=("answer",),
            check=window.check_answer,
        ),
    )
    return Pipeline(name="drive-through", stages=stages, state=drive_through.Order, answer="answer")
