"""Exercise 5.1: the call that completes a task, derived from the type of its result."""

from __future__ import annotations

from course.delegation.results import describe_completion
from graders.exercises.expected import schema_of
from graders.exercises.kit import *

TYPES = """
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Literal
from pydantic import BaseModel, Field, model_validator
"""

_DESCRIBE = f"""
from course.errors import ToolDefinitionError


async def stage(bench, student):
    said = {{}}
    for name, source in bench.params["sources"].items():
        names = {{}}
        exec({TYPES!r} + source, names)
        try:
            said[name] = student.describe_completion(names["Kind"])
        except ToolDefinitionError:
            said[name] = "refused"
    return said
"""

_FIELDS = ("complaint", "guests", "colour", "parcel", "street", "floor")
_WORDS = ("red", "green", "blue", "white", "black")


def _model(draw: random.Random, *, more: str = "") -> str:
    """A pydantic model with one field of each sort."""
    plain, chosen, counted, days = draw.sample(_FIELDS, 4)
    words = f"number {draw.randrange(100, 1000)} on the list"
    return (
        "class Kind(BaseModel):\n"
        f'    """What is written about number {draw.randrange(1000)}."""\n'
        f"    {plain}: str = Field(description={words!r})\n"
        f"    {chosen}: Literal[{', '.join(map(repr, draw.sample(_WORDS, 3)))}]\n"
        f"    {counted}: int = {draw.randrange(1, 90)}\n"
        f"    {days}: date\n{more}"
    )


def _dataclass(draw: random.Random) -> str:
    one, other = draw.sample(_FIELDS, 2)
    return (
        "@dataclass\nclass Kind:\n"
        f'    """Something with {draw.randrange(2, 90)} sides."""\n'
        f"    {one}: str\n    {other}: list[int] = field(default_factory=list)\n"
    )


_ITEM = "class Item(BaseModel):\n    {name}: str\n    title: str\n\n\n"


def _plain(draw: random.Random) -> dict[str, str]:
    # in one order: a Literal equals the one with its words the other way round, in any cache
    few = ", ".join(map(repr, sorted(draw.sample(_WORDS, 2))))
    least = draw.randrange(2, 9)
    return {
        "truth": "Kind = bool\n",
        "texts": "Kind = list[str]\n",
        "choice": f"Kind = Literal[{few}]\n",
        "number": f"Kind = Annotated[int, Field(ge={least}, description='how many')]\n",
    }


def _worlds(sources: dict[str, str]) -> Scenario:
    return Scenario(params={"sources": sources})


def _with_fields(draw: random.Random) -> Scenario:
    return _worlds({"model": _model(draw), "dataclass": _dataclass(draw)})


def _without_fields(draw: random.Random) -> Scenario:
    return _worlds(_plain(draw))


def _beyond(draw: random.Random) -> Scenario:
    """Types that JSON cannot hold, one unknown to pydantic and one without a schema; and one that
    it can."""
    thing = f"class Kind:\n    number = {draw.randrange(90)}\n"
    return _worlds(
        {"thing": thing, "function": "Kind = Callable[[int], str]\n", "truth": "Kind = bool\n"}
    )


def _nested(draw: random.Random) -> Scenario:
    item = _ITEM.format(name=draw.choice(_FIELDS))
    both = f"{item}class Kind(BaseModel):\n    first: Item\n    others: list[Item]\n"
    return _worlds({"list of models": f"{item}Kind = list[Item]\n", "model of models": both})


_DESCRIBED = such_that("a tool's description", lambda said: isinstance(said, Mapping))


def _kind(source: str) -> Any:
    """The type that a source of the judge's own defines."""
    names: dict[str, Any] = {}
    exec(compile(TYPES + source, "<kind>", "exec", dont_inherit=True), names)
    return names["Kind"]


def _described(world: Scenario) -> dict[str, Any]:
    return {name: _wanted(_kind(text)) for name, text in world.params["sources"].items()}


def _wanted(kind: Any) -> dict[str, Any]:
    """The call's name, its description, and parameters that say what the type's schema says."""
    schema = describe_completion(kind)["parameters"]

    def about_the_call(said: str) -> bool:
        return bool(said.strip()) and said != schema.get("description")

    parameters: dict[str, Any] = {
        "type": "object",
        "properties": {name: schema_of(each) for name, each in schema["properties"].items()},
        "required": _only(schema.get("required", [])),
    }
    if not schema.get("required"):
        del parameters["required"]
    return {
        "name": "complete",
        "description": such_that("words about the call, not about the type", about_the_call),
        "parameters": {**parameters, "$defs": schema["$defs"]} if "$defs" in schema else parameters,
    }


def _only(names: list[str]) -> Any:
    return such_that(f"only {', '.join(names)}", lambda came: sorted(came) == sorted(names))


def _is_untitled(schema: Any, named: bool = False) -> bool:
    """Whether no title stands in a schema but as a name, of a field or of a definition."""
    if isinstance(schema, Mapping):
        titled = not named and "title" in schema
        inner = (
            _is_untitled(each, not named and key in ("properties", "$defs"))
            for key, each in schema.items()
        )
        return not titled and all(inner)
    return not isinstance(schema, list) or all(map(_is_untitled, schema))


def _exactly(world: Scenario) -> list[Any]:
    """No parameter but those of the type, and no title anywhere."""
    found, bare = {}, {}
    for name, text in world.params["sources"].items():
        names = list(describe_completion(_kind(text))["parameters"]["properties"])
        found[name] = {"parameters": {"properties": _only(names)}}
        bare[name] = {"parameters": such_that("without a title", _is_untitled)}
    return [
        fits(_described(world), look="look at what describe_completion returns"),
        fits(found, look="look at the properties of the parameters"),
        fits(bare, look="look at all places at which pydantic writes a title"),
    ]


DESCRIBE_COMPLETION = Exercise(
    "5.1", ("describe_completion",), (
        Trial("gives the fields of a type as parameters", _DESCRIBE, _with_fields, _exactly, 1),
        Trial("gives any other type as one parameter called result", _DESCRIBE, _without_fields,
              _exactly, 0.25),
        Trial("refuses what JSON cannot hold", _DESCRIBE, _beyond,
              lambda world: [fits({"thing": "refused", "function": "refused", "truth": _DESCRIBED},
                                  look="look at adapter")], 0.25),
        Trial("keeps the definitions where references find them", _DESCRIBE, _nested, _exactly,
              0.5),
    ),
    places={
        "*": "the tool for a {}",
        "*.parameters": "the parameters for a {}",
        "*.parameters.properties": "the parameters for a {}",
        "*.parameters.properties.*": "the parameter {1} for a {0}",
    },
    finished={"describe_completion": "course.delegation.results:describe_completion"},
)  # fmt: skip
