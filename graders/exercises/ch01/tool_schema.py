"""Exercise 1.1: a typed function, described in JSON schema."""

from __future__ import annotations

import inspect
from typing import Annotated, Literal

from pydantic import Field

from course.tools import describe
from graders.exercises.expected import schema_of
from graders.exercises.kit import *

_STAGE = """
from typing import Annotated, Literal
from pydantic import Field


async def stage(bench, student):
    said = {}
    for name, source in bench.params["sources"].items():
        names = {"Annotated": Annotated, "Literal": Literal, "Field": Field}
        exec(source, names)
        try:
            said[name] = student.describe(names[name])
        except (NotImplementedError, NameError):
            raise
        except Exception as error:
            kinds = [kind.__name__ for kind in type(error).__mro__]
            said[name] = {"raised": kinds, "says": str(error)}
    return said
"""

_NAMES = ("car", "colour", "day", "doctor", "lamp", "parcel", "street", "window")
_DEEDS = ("repaint", "book", "send_home", "measure", "weigh")
_REFUSED = "ToolDefinitionError"


def _function(name: str, doc: str, *parameters: str) -> str:
    written = f'    """{doc}"""\n' if doc else ""
    return f"def {name}({', '.join(parameters)}) -> str:\n{written}    return ''\n"


def _parameters(draw: random.Random) -> list[str]:
    """One of each kind: plain, explained, with a choice and with a default."""
    plain, explained, chosen, counted = draw.sample(_NAMES, 4)
    words = f"number {draw.randrange(100, 1000)} on the list"
    choices = draw.sample(("red", "green", "blue", "white"), 3)
    return [
        f"{plain}: str",
        f"{explained}: Annotated[str, Field(description={words!r})]",
        f"{chosen}: Literal[{', '.join(map(repr, choices))}] = {choices[0]!r}",
        f"{counted}: int = {draw.randrange(1, 90)}",
    ]


def _typed(draw: random.Random) -> Scenario:
    one, other = draw.sample(_DEEDS, 2)
    required, optional = _parameters(draw)[:2], _parameters(draw)[3:]
    sources = {
        one: _function(one, f"Do what number {draw.randrange(1000)} says.", *required),
        other: _function(other, "Do it by default.", *optional),
    }
    return Scenario(params={"sources": sources})


def _detailed(draw: random.Random) -> Scenario:
    name = draw.choice(_DEEDS)
    doc = f"Do it.\n\n    It takes {draw.randrange(2, 90)} days.\n    "
    source = _function(name, doc, *_parameters(draw), "title: str = ''")
    return Scenario(params={"sources": {name: source}})


def _refused(draw: random.Random) -> Scenario:
    fine, bare, untyped, unsayable = draw.sample(_DEEDS, 4)
    plain, *_, counted = _parameters(draw)
    sources = {
        fine: _function(fine, "Do it.", plain),
        bare: _function(bare, "", plain, counted),
        untyped: _function(untyped, "Do it.", plain.partition(":")[0]),
        unsayable: "class Van:\n    pass\n\n\n" + _function(unsayable, "Do it.", "van: Van"),
    }
    return Scenario(params={"sources": sources})


def _described(world: Scenario) -> dict[str, Any]:
    """What should be said of each function; the sources are the judge's own."""
    return {name: _wanted(_made(name, text)) for name, text in world.params["sources"].items()}


def _made(name: str, source: str) -> Callable[..., Any]:
    names: dict[str, Any] = {"Annotated": Annotated, "Literal": Literal, "Field": Field}
    exec(source, names)
    made: Callable[..., Any] = names[name]
    return made


def _wanted(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        said = describe(function)
    except Exception as error:
        return {
            "raised": such_that(f"a {type(error).__name__}", lambda kinds: _REFUSED in kinds),
            "says": such_that("what is missing", bool),
        }
    schema = said["parameters"]
    wanted = {
        "type": "object",
        "properties": such_that(
            f"only {', '.join(schema['properties'])}",
            lambda fields: sorted(fields) == sorted(schema["properties"]),
        ),
        "required": _required(schema.get("required", [])),
    }
    if not schema.get("required"):
        del wanted["required"]
    return {**said, "description": _docstring(said["description"]), "parameters": wanted}


def _docstring(text: str) -> Callable[[Any], bool]:
    """A docstring, whether or not it is still indented as in its function."""
    return such_that(json.dumps(text), lambda came: inspect.cleandoc(came) == text)


def _required(names: list[str]) -> Callable[[Any], bool]:
    return such_that(f"only {', '.join(names)}", lambda came: sorted(came) == sorted(names))


def _fields(world: Scenario) -> dict[str, Any]:
    """The schema of each parameter, and no title of pydantic's in it."""
    found = {}
    for name, text in world.params["sources"].items():
        fields = describe(_made(name, text))["parameters"]["properties"]
        found[name] = {
            "parameters": {"properties": {key: schema_of(each) for key, each in fields.items()}}
        }
    return found


def _described_well(look: str) -> Checks:
    return lambda world: [
        fits(_described(world), look="look at what describe returns"),
        fits(_fields(world), look=f"look at {look}"),
    ]


DESCRIBE = Exercise(
    "1.1", ("describe",), (
        Trial("describes a typed function", _STAGE, _typed,
              _described_well("json_schema, which takes pydantic's titles away"), 0.5),
        Trial("describes every parameter", _STAGE, _detailed,
              _described_well("defaults, descriptions and choices, and a parameter called title"),
              0.5),
        Trial("insists on a docstring, and refuses a parameter that cannot be described", _STAGE,
              _refused,
              lambda world: [fits(_described(world),
                                  look="look at what is tested before you describe")]),
    ),
    places={
        "*": "the description of {}",
        "*.name": "the `name` for {}",
        "*.description": "the `description` for {}",
        "*.raised": "the error for {}",
        "*.says": "the error's text for {}",
        "*.parameters": "the `parameters` of {}",
        "*.parameters.properties.*": "the parameter {1} of {0}",
    },
    finished={"describe": "course.tools:describe"},
)  # fmt: skip
