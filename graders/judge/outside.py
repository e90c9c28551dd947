"""A stage played in a box: the world here, the student's code there, lines between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graders.box import Box, BoxError, Ending, Limits, Used
from graders.judge import budget as budgets
from graders.judge import protocol
from graders.judge.boxes import Boxes
from graders.judge.budget import Budget, Purse, Seconds
from graders.judge.channel import Channel, Flooded, Gone
from graders.judge.meter import Asleep, Busy, Endless, Meter, Overdrawn
from graders.judge.printing import ENDLESS, FLOOD, shortened
from graders.judge.protocol import Lied, Note
from graders.judge.world import Tokens, World
from graders.records.log import Log, Moment
from graders.records.scenario import Exercise, Scenario


@dataclass(frozen=True)
class Played:
    """What came of a stage in a box.

    Attributes:
        log: the run.
        notes: cells of the notebook that raised.
        began: whether the notebook was built up before the run ended.
    """

    log: Log
    notes: tuple[Note, ...] = ()
    began: bool = True


def script_for(
    stage: str,
    scenario: Scenario,
    cells: Sequence[Mapping[str, Any]] = (),
    exercise: Exercise | None = None,
) -> dict[str, Any]:
    """What a child is told: the notebook's cells, the stage, names and schemas; no secret.

    Args:
        exercise: says what stands in for the notebook's names, and what is no answer.
    """
    tools = [
        {
            "name": offer.name,
            "description": offer.description,
            "parameters": dict(offer.parameters),
            "timeout": offer.timeout,
        }
        for offer in scenario.tools
    ]
    return {
        "cells": [dict(cell) for cell in cells],
        "stage": stage,
        "tools": tools,
        "params": dict(scenario.params),
        "given": dict(exercise.builds_on) if exercise else {},
        "judged": list(exercise.definitions) if exercise else [],
        "finished": dict(exercise.finished) if exercise else {},
    }


def limits_of(budget: Budget) -> Limits:
    """The limits of a box. Its real time is bounded as a last resort: the judge looks earlier."""
    return Limits(cpu_seconds=(budget.run + budget.aside).cpu, wall_seconds=60)


def play_outside(
    boxes: Boxes,
    script: Mapping[str, Any],
    scenario: Scenario,
    tokens: Tokens,
    purse: Purse | None = None,
) -> Played:
    """Play a stage in a fresh box; whatever the child does ends up in the log.

    Args:
        purse: says what the run may use up, and is told what it did.

    Raises:
        BoxError: the sandbox or the judge's half in it failed before any code of the student's was
            run, which says nothing about the student.
    """
    purse = purse or Purse(budgets.USUAL)
    world = World(scenario, tokens)
    with boxes.box(limits_of(purse.budget)) as box:
        beside = any(cell.get("side") for cell in script["cells"])
        budget = purse.budget if beside else replace(purse.budget, aside=Seconds())
        meter = Meter(box, budget, purse.run)
        gone = _played(box, meter, world, {**script, **purse.budget.told()})
        if gone:
            box.wait(1.0)  # it closed its end: let it finish dying, so as to hear of what
        ending = box.end()
        purse.pay(meter.used(Used(ending.cpu_seconds, ending.delayed)))
    if gone:
        _explain(world, ending)
    log = _heard(world.log(shortened(ending.output, ending.printed)), ending.printed)
    if not world.ready and (trouble := _own_trouble(log)):
        raise BoxError(f"before any code of the student's was run: {trouble}")
    return Played(log, world.notes, world.began)


def _own_trouble(log: Log) -> str:
    """What went wrong in a box that did not come to the student's code.

    Empty where only no time was left, which others of this student's runs have used.
    """
    last = log.moments[-1] if log.moments else None
    if last is not None and last.kind == "overdrawn":
        return ""
    if log.failure is not None:
        return f"{log.failure.type}: {log.failure.message}"
    printed = log.output.strip().splitlines()
    told = f"{last.kind} {last.detail}".strip() if last else "it ended"
    return f"{told}: {printed[-1]}" if printed else told


def _played(box: Box, meter: Meter, world: World, script: dict[str, Any]) -> bool:
    """Talk until something ends it; whether the box went away."""
    channel = Channel(box.socket, lambda: meter.look(channel.received, began=world.began))
    try:
        _talk(channel, world, script)
    except Lied as lie:
        world.stop("lied", str(lie))
    except Flooded as flood:
        world.stop("flooded", str(flood))
    except Asleep:
        world.stop("asleep", "")
    except Endless:
        world.stop("silent", "")
    except Busy:
        world.stop("flooded", f"{world.now:g} s in which it kept the judge busy")
    except Overdrawn:
        world.stop("overdrawn", "the time of this exercise was used up")
    except Gone:
        return not world.over
    return False


def _talk(channel: Channel, world: World, script: dict[str, Any]) -> None:
    channel.send(script)
    for line in channel.lines():
        message = protocol.read(line)
        delivery = world.hear(message)
        if delivery is not None:
            channel.send(delivery)
        if world.silent:
            return


def _explain(world: World, ending: Ending) -> None:
    """Say why a child is gone that had not finished."""
    if ending.printed > FLOOD and ending.kind != "exited":
        world.stop("flooded", ENDLESS)
    elif ending.kind in ("cpu", "wall"):
        world.stop("silent", "")
    else:
        world.stop("died", ending.reason)


def _heard(log: Log, printed: int) -> Log:
    """The log, in which a child that was ended while it printed without end did that."""
    *before, last = log.moments or (None,)
    if last is None or last.kind not in ("silent", "asleep") or printed <= FLOOD:
        return log
    return replace(log, moments=(*before, Moment("flooded", last.time, ENDLESS)))
