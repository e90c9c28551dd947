"""What a ruler is made of: sets in files, the worlds they are played in, and what can be wrong."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from course.agent import Agent
from course.errors import ToolError
from course.scenarios import front_desk
from course.tools import Tool, call_tool

SETS = Path(__file__).parent / "sets"
SENSIBLE = ".sensible.json"
KINDS = ("harmful", "endless", "failed", "silly", "missed")  # of a problem, the worst first
READS = ("find_", "get_", "list_")  # how the names of the clinic's reading tools begin

Json = dict[str, Any]
Lost = Literal["call", "told"]


@dataclass(frozen=True)
class Problem:
    """One thing that was wrong in a case: its kind, in a line, and which share it costs."""

    kind: str
    said: str
    lost: Lost | None = None


@dataclass(frozen=True)
class Call:
    """A tool call or handoff as the judge sees it, the turn it was made in, what came back."""

    name: str
    arguments: Json
    turn: int
    result: str

    @property
    def refused(self) -> bool:
        return self.result.startswith('{"error"')

    def fits(self, wanted: tuple[str, Json]) -> bool:
        return self.name == wanted[0] and suits(self.arguments, wanted[1])

    def __str__(self) -> str:
        return f"{self.name} {json.dumps(self.arguments, ensure_ascii=False)}"


@dataclass(frozen=True)
class Said:
    """A text of an agent. At depth 0 a person hears it, deeper a supervisor."""

    turn: int
    agent: str
    text: str
    depth: int = 0


@dataclass
class Played:
    """What happened when a case was played. `replies` are the texts of each turn for the person."""

    calls: list[Call] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    replies: list[list[str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def told(self, turn: int | None) -> str:
        """All that a person was told in a turn, or in all turns."""
        turns = self.replies if turn is None else self.replies[turn : turn + 1]
        return "\n".join(text for each in turns for text in each)


@dataclass(frozen=True)
class Verdict:
    """How a case ended: what was wrong, and of what was wanted how much there was."""

    id: str
    group: str
    problems: tuple[Problem, ...] = ()
    calls: tuple[int, int] = (0, 0)
    told: tuple[int, int] = (0, 0)

    @property
    def kind(self) -> str:
        """right, or the kind of the worst problem."""
        return min((p.kind for p in self.problems), key=KINDS.index, default="right")


def fits(made: Any, wanted: Any) -> bool:
    """Whether a value is as wanted: the same text, or a match of the expression after `~`."""
    if isinstance(wanted, str) and wanted.startswith("~"):
        return found(wanted[1:], str(made)) is not None
    return made == wanted or str(made).strip().lower() == str(wanted).strip().lower()


def suits(arguments: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether the arguments have all that is wanted; further ones may be anything."""
    return all(fits(arguments.get(name), value) for name, value in wanted.items())


def found(expression: str, text: str) -> re.Match[str] | None:
    """The expression's first place in a text; case is ignored, and a dot is also a line's end."""
    return re.search(expression, text, re.I | re.S)


@dataclass
class World:
    """Tools with canned results, or `own` ones of the course, and the prompt of who has them."""

    tools: Mapping[str, Json]
    instructions: str = ""
    description: str = ""
    own: Mapping[str, Tool] = field(default_factory=dict)
    used: Counter[tuple[str, int]] = field(default_factory=Counter)

    def spec(self, name: str, *, strict: bool = False) -> Json:
        if name in self.own:
            about = self.own[name]
            return function(name, about.description, about.parameters, strict=strict)
        return specified(name, self.tools[name], strict=strict)

    def reads(self, name: str) -> bool:
        return bool(self.tools[name].get("reads"))

    async def call(self, name: str, arguments: Json) -> str:
        """What a call brings back."""
        if name in self.own:
            try:
                return await call_tool(self.own[name], json.dumps(arguments))
            except ToolError as error:
                return json.dumps({"error": str(error)})
        for place, (wanted, answer, *more) in enumerate(self.tools[name].get("returns", ())):
            if not suits(arguments, wanted):
                continue
            self.used[name, place] += 1
            if not more or self.used[name, place] <= more[0].get("times", self.used[name, place]):
                return answer if isinstance(answer, str) else json.dumps(answer)
        return json.dumps({"error": "nothing found for these values"})


def clinic() -> World:
    """The kit's own front desk, anew."""
    desk = front_desk.Desk(seed=7)
    tools = {each.name: each for each in desk.tools}
    named = {name: {"reads": name.startswith(READS)} for name in tools}
    about = "The clinic's front desk: patients, appointments and invoices."
    return World(named, front_desk.agent(desk).instructions, about, tools)


def world_of(held: Json, name: str) -> World:
    """The world of a case in a set of visitors or deeds."""
    if name == "clinic":
        return clinic()
    about = held["worlds"][name]
    return World(about["tools"], about["instructions"], about.get("description", ""))


def specified(name: str, about: Json, *, strict: bool = False) -> Json:
    """A tool of a set as a request carries it."""
    properties = about.get("parameters", {})
    required = about.get("required", [k for k, v in properties.items() if "default" not in v])
    schema = {"type": "object", "properties": properties, "required": required}
    return function(name, about.get("description", ""), schema, strict=strict)


def function(name: str, description: str, schema: Json, *, strict: bool) -> Json:
    """A tool as a request carries it, its schema closed where it is strict."""
    about: Json = {"name": name, "description": description, "parameters": schema}
    if strict:
        about |= {"parameters": closed(schema), "strict": True}
    return {"type": "function", "function": about}


def closed(schema: Json) -> Json:
    """A schema under the rules of strict tools: all required, what was optional may be null.

    Null stands beside the type, as the guide "Structured Outputs" and LiveKit's tools have it.
    """
    made = {key: value for key, value in schema.items() if key != "default"}
    if "items" in made:
        made["items"] = closed(made["items"])
    if "anyOf" in made:
        made["anyOf"] = [closed(each) for each in made["anyOf"]]
    if made.get("type") != "object":
        return made
    properties = {name: closed(each) for name, each in made.get("properties", {}).items()}
    for name in properties.keys() - set(made.get("required", ())):
        properties[name] = _or_null(properties[name])
    return {**made, "properties": properties, "required": list(properties),
            "additionalProperties": False}  # fmt: skip


def _or_null(schema: Json) -> Json:
    if "anyOf" in schema:
        null = {"type": "null"}
        others = [each for each in schema["anyOf"] if each != null]
        return {**schema, "anyOf": [*others, null]}
    made = {**schema, "type": [schema.get("type", "string"), "null"]}
    return made | {"enum": [*schema["enum"], None]} if "enum" in schema else made


@dataclass(frozen=True)
class NotedTool(Tool):
    """A world's tool for the course's own agents: the schema is all that checks its arguments."""

    @cached_property
    def arguments(self) -> type[BaseModel]:
        needed = self.parameters.get("required", ())
        fields: Json = {
            f"parameter_{name}": (Any, Field(... if name in needed else None, alias=name))
            for name in self.parameters["properties"]
        }
        return create_model(self.name, __config__=ConfigDict(extra="forbid"), **fields)


def worker(name: str, world: World, played: Played) -> Agent:
    """An agent of the course who has a world's tools; what it calls is noted."""

    def noted(tool: str) -> Tool:
        async def call(**arguments: Any) -> str:
            given = {name: value for name, value in arguments.items() if value is not None}
            played.calls.append(Call(tool, given, 0, await world.call(tool, given)))
            return played.calls[-1].result

        return NotedTool(**world.spec(tool)["function"], function=call)

    tools = tuple(map(noted, world.tools))
    about, told = world.description, world.instructions
    return Agent(name=name, description=about, instructions=told, tools=tools)


@dataclass(frozen=True)
class Ruler:
    """A set: its name, what it holds as JSON's values, and its sensible answers, if any."""

    name: str
    held: Any
    sensible: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """programs, visitors, deeds or plans."""
        if isinstance(self.held, list):
            return "programs"
        return next(kind for kind in ("visitors", "deeds", "plans") if kind in self.held)

    @property
    def cases(self) -> list[Json]:
        return self.held if isinstance(self.held, list) else self.held[self.kind]

    def ways(self, case: str) -> dict[str, list[Any]]:
        """The sensible ways of a case by their names."""
        ways = self.sensible.get(case, {})
        return ways if isinstance(ways, dict) else {"first": ways}


def read(path: Path) -> Ruler:
    """A set and its sensible answers out of their files."""
    beside = path.with_suffix(SENSIBLE)
    answers = json.loads(beside.read_text("utf-8")) if beside.exists() else {}
    return Ruler(path.stem, json.loads(path.read_text("utf-8")), answers)


def paths(folder: Path = SETS) -> Iterable[Path]:
    """The files of the sets, without those of the answers."""
    return sorted(each for each in folder.glob("*.json") if not each.name.endswith(SENSIBLE))
