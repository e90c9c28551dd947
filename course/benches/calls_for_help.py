"""The bench of support: faults on customers' lines, two tiers, and a line that has to work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from course.benches.bench import Bench, Case, Named, bench
from course.benches.outcome import counted
from course.benches.worlds import Scene, Walk, walked
from course.scenarios import support

_REMEDIES = {
    "router": ("check_line", "restart_router"),
    "wifi": ("check_line", "change_wifi_channel"),
    "port": ("check_line", "measure_line", "reset_port"),
    "profile": ("check_line", "measure_line", "lower_profile"),
}


@bench("support")
def support_bench(argument: str, tasks: int, world_seed: int) -> Bench:
    """Customers with a fault on their line: two tiers; the line has to work afterwards."""

    @contextmanager
    def opened(task: Named) -> Iterator[Case]:
        _, fault, number = task.id.split("/")
        with support.HelpDesk(seed=world_seed) as desk:
            call = support.calls(desk, fault)[int(number)]
            yield Case(
                request=call.text,
                agents=support.tiers(desk),
                shared=("find_customer",),
                said=lambda answer: counted({"an answer": bool(answer.strip())}),
                state=lambda: support.fault_of(desk, call.line_id) is None,
                **walk(task).told(),
            )

    @cache
    def walk(task: Named) -> Walk:
        """Who calls, and what mends this fault: done once in a world of its own."""
        _, fault, number = task.id.split("/")
        with support.HelpDesk(seed=world_seed) as desk:
            call = support.calls(desk, fault)[int(number)]
            tools = {tool.name: tool for tool in (*desk.first_line, *desk.second_line)}
            line = {"line_id": call.line_id}
            made = [("find_customer", {"name": call.name})]
            return walked([*made, *((each, line) for each in _REMEDIES[fault])], tools, call.text)

    listed = tuple(
        Named(f"support/{fault}/{number}", fault, 1 + (fault in ("port", "profile")))
        for fault in _REMEDIES
        for number in range(min(tasks, 4))
    )
    return Scene(listed, opened)
