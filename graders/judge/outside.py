"""A stage played in a box: the world here, the student's code there, lines between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graders.box import Ending, Limits
from graders.judge import protocol
from graders.judge.boxes import Boxes
from graders.judge.channel import Channel, Flooded, Gone, Silent
from graders.judge.log import Log, Moment
from graders.judge.printing import ENDLESS, FLOOD
from graders.judge.protocol import Lied, Note
from graders.judge.scenario import Exercise, Scenario
from graders.judge.world import Tokens, World

QUIET_CPU = 2.0
"""Processor seconds after which a child that says nothing names its own line and ends."""

ASIDE_CPU = 4.0
"""Processor seconds for what of a notebook is not the answer's: it is not taken from the answer."""

LIMITS = Limits(cpu_seconds=4 + ASIDE_CPU, wall_seconds=60)


@dataclass(frozen=True)
class Played:
    """What came of a stage in a box: the log, and the cells of the notebook that raised."""

    log: Log
    notes: tuple[Note, ...] = ()


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
        "cpu_seconds": QUIET_CPU,
        "aside_seconds": ASIDE_CPU,
    }


def play_outside(
    boxes: Boxes, script: Mapping[str, Any], scenario: Scenario, tokens: Tokens
) -> Played:
    """Play a stage in a fresh box; whatever the child does ends up in the log.

    Raises:
        BoxError: the sandbox itself failed, which says nothing about the student.
    """
    world = World(scenario, tokens)
    with boxes.box(LIMITS) as box:
        gone = False
        try:
            _talk(Channel(box.socket), world, dict(script))
        except Lied as lie:
            world.stop("lied", str(lie))
        except Flooded as flood:
            world.stop("flooded", str(flood))
        except Silent as silence:
            world.stop("silent", "", silence.seconds)
        except Gone:
            gone = not world.over
        if gone:
            box.wait(1.0)  # it closed its end: let it finish dying, so as to hear of what
        ending = box.end()
    if gone:
        _explain(world, ending)
    return Played(_heard(world.log(ending.output), ending.printed), world.notes)


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
        world.stop("silent", "", ending.cpu_seconds)
    else:
        world.stop("died", ending.reason)


def _heard(log: Log, printed: int) -> Log:
    """The log, in which a child that said nothing because it printed without end did so."""
    *before, last = log.moments or (None,)
    if last is None or last.kind != "silent" or printed <= FLOOD:
        return log
    return replace(log, moments=(*before, Moment("flooded", last.time, ENDLESS)))
