"""A stage played in a box: the world here, the student's code there, lines between them."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from graders.judge import protocol
from graders.judge.channel import Channel, Flooded, Gone, Patience, Silent
from graders.judge.log import Log
from graders.judge.protocol import Lied, Note
from graders.judge.scenario import Scenario
from graders.judge.world import Tokens, World

QUIET_CPU = 2.0
"""Processor seconds after which a child that says nothing names its own line and ends."""

ENDING = (protocol.Returned, protocol.Raised, protocol.Stuck, protocol.Spinning)


class Box(Protocol):
    """A box with a fresh child in it; leaving it ends everything inside."""

    socket: socket.socket

    def __enter__(self) -> Box: ...
    def __exit__(self, *trouble: object) -> object: ...
    def output(self) -> str:
        """What the child printed, cut to size."""
        ...

    def reason(self) -> str:
        """How the child ended, in words."""
        ...


def script_for(
    stage: str,
    scenario: Scenario,
    cells: Sequence[Mapping[str, str]] = (),
    given: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What a child is told: the notebook's cells, the stage, names and schemas; no secret."""
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
        "given": dict(given or {}),
        "cpu_seconds": QUIET_CPU,
    }


def play_outside(
    box: Box,
    script: Mapping[str, Any],
    scenario: Scenario,
    tokens: Tokens,
    *,
    patience: Patience | None = None,
) -> tuple[Log, tuple[Note, ...]]:
    """Play a stage in a fresh box; whatever the child does ends up in the log.

    Returns:
        The log, and the notebook's cells that raised.
    """
    world = World(scenario, tokens)
    with box:
        cpu = getattr(box, "cpu", lambda: None)
        channel = Channel(box.socket, patience or Patience(), cpu)
        try:
            _talk(channel, world, dict(script))
        except Lied as lie:
            world.stop("lied", str(lie))
        except Flooded as flood:
            world.stop("flooded", str(flood))
        except Silent as silence:
            world.stop("silent", silence.detail, silence.seconds)
        except Gone:
            world.stop("died", "")
    log = world.log(box.output())
    return _with_reason(log, box.reason()), world.notes


def _talk(channel: Channel, world: World, script: dict[str, Any]) -> None:
    channel.send(script)
    for line in channel.lines():
        message = protocol.read(line)
        delivery = world.hear(message)
        if delivery is not None:
            channel.send(delivery)
        if isinstance(message, ENDING):
            return


def _with_reason(log: Log, reason: str) -> Log:
    """A death is explained by how the process ended."""
    from dataclasses import replace

    moments = tuple(
        replace(moment, detail=reason) if moment.kind == "died" else moment
        for moment in log.moments
    )
    return replace(log, moments=moments)
