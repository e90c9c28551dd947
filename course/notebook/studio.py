"""The studio: wire agents by choosing from lists, run them, and compare with the other patterns.

Each other pattern meets the same request, the same agents with the same tools, the same luck.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from course.errors import ConfigurationError
from course.markup import Markup, fill, joined
from course.notebook.background import REST, beside
from course.notebook.chooser import CHAPTERS, COSTS
from course.notebook.show import show, show_html, watched
from course.notebook.wiring import (
    PATTERNS,
    WORLDS,
    Tried,
    Wiring,
    note_of,
    opened,
    python,
    tasks_of,
    tried,
)
from course.viewer.picture import picture_of
from course.viewer.still import still
from course.viewer.widget import kind

WITHOUT_WIDGETS = (
    "There is no studio here: call tried(Wiring(pattern=..., given=...)) of course.notebook.wiring."
)
Row = dict[str, Any]


def studio(world: str = "front desk", task: str = "visit and bill") -> None:
    """A board to wire: choose specialists, their tools and a pattern, ask, and compare.

    Args:
        world: where the agents come from at first, one of `course.notebook.wiring.WORLDS`.
        task: what is asked at first, the name of one of its requests.

    Where there are no widgets, the first wiring is shown as a picture, beside the other patterns,
    and a line says what to call.

    Raises ConfigurationError: there is no such world or request.
    """
    first = Wiring(world=world, task=task)
    if not watched():
        _show_first(first)
        return
    made = box_of(first)._repr_mimebundle_()
    bundle = made[0] if isinstance(made, tuple) else made
    show({**bundle, "text/plain": WITHOUT_WIDGETS})


def box_of(first: Wiring) -> Any:
    """The widget: its `form` is what can be chosen, its `told` what came of the last run, and its
    `rows` are the patterns beside each other.
    """
    box = _studio()(form=_form(first))
    running = _Running(box)
    box.observe(lambda change: running.hear(change["new"]), names="said")
    return box


@cache
def _studio() -> Any:
    script = Path(__file__).with_name("studio.js")
    return kind("Studio", script, form={}, told={}, rows=[], said={})


def _form(wiring: Wiring) -> dict[str, Any]:
    """What can be chosen in a world, and what is chosen."""
    with opened(wiring) as case:
        agents = [
            {"name": a.name, "told": a.description, "tools": [tool.name for tool in a.tools]}
            for a in case.agents
        ]
        request = case.request
    return {
        "worlds": list(WORLDS),
        "world": wiring.world,
        "tasks": list(tasks_of(wiring.world)),
        "task": wiring.task or next(iter(tasks_of(wiring.world))),
        "request": request,
        "patterns": [
            {"name": name, "chapter": CHAPTERS[name], "costs": COSTS[name]} for name in PATTERNS
        ],
        "pattern": wiring.pattern,
        "seed": wiring.seed,
        "agents": agents,
        "note": note_of(wiring.world),
    }


class _Running:
    """What the form says is done here, and what comes of it goes back."""

    def __init__(self, box: Any) -> None:
        self.box = box
        self.comparing: asyncio.Task[None] | None = None

    def hear(self, said: Mapping[str, Any]) -> None:
        """Show another world or request, or run what is wired."""
        chosen = {name: said[name] for name in ("world", "task", "pattern", "seed")}
        if not said.get("run"):
            self.box.form = _form(Wiring(**chosen))
            return
        if self.comparing:
            self.comparing.cancel()
        request = said["request"]
        with opened(Wiring(**chosen)) as case:
            own = request.strip() != case.request
        wiring = Wiring(**chosen, given=said["given"], request=request if own else None)
        try:
            mine = tried(wiring)
        except ConfigurationError as error:
            self.box.told, self.box.rows = {"fault": str(error)}, []
            return
        self.box.rows = [_row(wiring.pattern, mine)]
        self.box.told = {
            "answer": mine.answer,
            "success": f"{mine.success}: {mine.why}" if mine.why else mine.success,
            "lines": python(wiring),
            "run": picture_of(mine.trace).as_json(),
        }
        self.comparing = beside(self.compare(wiring, mine))

    async def compare(self, wiring: Wiring, mine: Tried) -> None:
        """Let the other patterns do the same, one by one."""
        rows: list[Row] = []
        for pattern in PATTERNS:
            await asyncio.sleep(REST)
            own = pattern == wiring.pattern
            rows.append(_row(pattern, mine) if own else _other(replace(wiring, pattern=pattern)))
            self.box.rows = list(rows)


def _row(pattern: str, tried_: Tried) -> Row:
    """What a pattern came to, in numbers."""
    facts = picture_of(tried_.trace).facts
    return {
        "pattern": pattern, "success": tried_.success, "calls": int(facts["calls"]),
        "tokens": int(facts["tokens"]), "seconds": round(facts["seconds"], 2), "why": tried_.why,
    }  # fmt: skip


def _other(wiring: Wiring) -> Row:
    try:
        return _row(wiring.pattern, tried(wiring))
    except ConfigurationError as error:  # it does not take these agents
        return {"pattern": wiring.pattern, "success": "✕ cannot be wired", "why": str(error)}


def _show_first(wiring: Wiring) -> None:
    """The first wiring as a picture, beside the other patterns."""
    print(WITHOUT_WIDGETS)
    mine = tried(wiring)
    rows = [_other(replace(wiring, pattern=each)) for each in PATTERNS]
    show_html(joined((still(picture_of(mine.trace)), _table(rows))), _text(rows))


COLUMNS = ("pattern", "success", "calls", "tokens", "seconds")


def _table(rows: Iterable[Row]) -> Markup:
    head = joined(fill('<th scope="col">{}</th>', name) for name in COLUMNS)
    body = joined(
        fill(
            '<tr><th scope="row">{}</th>{}</tr>',
            row["pattern"], joined(fill("<td>{}</td>", row.get(name, "")) for name in COLUMNS[1:]),
        )
        for row in rows
    )  # fmt: skip
    return fill(
        "<table><caption>The same request, agents and luck</caption><thead><tr>{}</tr></thead>"
        "<tbody>{}</tbody></table>",
        head, body,
    )  # fmt: skip


def _text(rows: Iterable[Row]) -> str:
    return "\n".join(" · ".join(str(row.get(name, "")) for name in COLUMNS) for row in rows)
