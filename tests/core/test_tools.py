"""Tools: what a function's types say, what a model may send, what a call gives back."""

import asyncio
import contextlib
import datetime as dt
import enum
import json
import sqlite3
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from course import clock
from course.errors import ToolDefinitionError, ToolError, UnexpectedRequest, VirtualTimeError
from course.tools import Tool, by_name, call_tool, describe, parse_arguments, tool


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Address(BaseModel):
    street: str
    town: str = "Bern"


class Person(BaseModel):
    name: str
    address: Address
    title: str | None = None


def call(it: Tool, arguments: str) -> str:
    return clock.simulate(call_tool(it, arguments))


def taking(annotation: Any, name: str = "x", default: Any = ...) -> Tool:
    """A tool with one parameter, which gives back what it got."""

    parameter = f"{name}: annotation" if default is ... else f"{name}: annotation = default"
    source = f"def echo({parameter}): 'Echo.'; return {name}"
    scope = {"annotation": annotation, "default": default}
    exec(source, scope)
    made: Any = scope["echo"]
    return tool(made)


# describe


def test_a_description_is_name_docstring_and_schema() -> None:
    def book(
        name: Annotated[str, Field(description="family name")],
        day: dt.date,
        minutes: int = 30,
        note: str | None = None,
    ) -> None:
        """Book an appointment."""

    assert describe(book) == {
        "name": "book",
        "description": "Book an appointment.",
        "parameters": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "family name"},
                "day": {"type": "string", "format": "date"},
                "minutes": {"type": "integer", "default": 30},
                "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            },
            "required": ["name", "day"],
            "additionalProperties": False,
        },
    }


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal["a"], {"type": "string", "const": "a"}),
        (dt.date, {"type": "string", "format": "date"}),
        (dt.datetime, {"type": "string", "format": "date-time"}),
        (Annotated[int, Field(ge=1, le=5)], {"type": "integer", "minimum": 1, "maximum": 5}),
        (str | None, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (Any, {}),
    ],
)
def test_a_type_becomes_its_schema(annotation: Any, schema: dict[str, Any]) -> None:
    assert taking(annotation).parameters["properties"]["x"] == schema


def test_models_and_enums_are_described_to_the_last_field_without_titles() -> None:
    schema = taking(list[Person]).parameters
    assert schema["$defs"]["Person"]["properties"]["title"]["default"] is None
    assert set(schema["$defs"]["Address"]["properties"]) == {"street", "town"}
    assert taking(Colour).parameters["$defs"]["Colour"] == {
        "type": "string",
        "enum": ["red", "blue"],
    }
    assert not {t for t in titles(schema) if isinstance(t, str)}


def titles(schema: Any) -> list[Any]:
    if isinstance(schema, list):
        return [t for item in schema for t in titles(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema["title"]] if "title" in schema else []
    return own + [t for value in schema.values() for t in titles(value)]


def test_a_default_is_data_in_which_a_title_stays() -> None:
    default = {"title": "Dr", "names": ["title"]}
    schema = taking(dict[str, Any], default=default).parameters
    assert schema["properties"]["x"]["default"] == default


@pytest.mark.parametrize(
    "name",
    (
        "title name description type default properties self cls function copy json schema dict"
        " validate model_config model_dump model_fields _x"
    ).split(),
)
def test_a_parameter_may_have_any_name_without_a_warning(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        echo = taking(str, name)
        assert call(echo, json.dumps({name: "value"})) == "value"
    assert echo.parameters["properties"][name] == {"type": "string"}
    assert echo.parameters["required"] == [name]


def test_every_schema_is_a_valid_schema_and_fits_what_it_accepts() -> None:
    echo = taking(list[Person])
    jsonschema.Draft202012Validator.check_schema(echo.parameters)
    people = {"x": [{"name": "Ada", "address": {"street": "Rain 3"}, "title": "Dr"}]}
    jsonschema.validate(people, echo.parameters)
    assert json.loads(call(echo, json.dumps(people)))[0]["address"]["town"] == "Bern"


def no_docstring(x: int) -> int:
    return x


def no_type(x) -> None:  # type: ignore[no-untyped-def]
    """Do."""


def stars(*x: int) -> None:
    """Do."""


def two_stars(**x: int) -> None:
    """Do."""


def by_position(x: int, /) -> None:
    """Do."""


def a_connection(x: sqlite3.Connection) -> None:
    """Do."""


def a_function(x: Callable[[int], int]) -> None:
    """Do."""


def an_unknown_type(x: "Nowhere") -> None:  # type: ignore[name-defined]  # noqa: F821
    """Do."""


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (no_docstring, "no_docstring has no docstring"),
        (no_type, "parameter 'x' has no type; add one, such as x: str"),
        (stars, r"by name, not '\*x: int'"),
        (two_stars, r"by name, not '\*\*x: int'"),
        (by_position, "by name, not 'x: int'"),
        (a_connection, "a type cannot be used: .*Connection"),
        (a_function, "a type cannot be used: .*Callable"),
        (an_unknown_type, "a type cannot be used: .*Nowhere"),
    ],
)
def test_what_cannot_become_a_tool_is_refused_in_one_line(
    function: Callable[..., Any], reason: str
) -> None:
    with pytest.raises(ToolDefinitionError, match=reason) as caught:
        tool(function)
    assert "\n" not in str(caught.value)


def test_a_bound_method_becomes_a_tool_without_its_self() -> None:
    class Desk:
        def find(self, name: str) -> str:
            """Find a person."""
            return f"{name} is here"

    find = tool(Desk().find)
    assert list(find.parameters["properties"]) == ["name"]
    assert call(find, '{"name": "Ada"}') == "Ada is here"


def test_name_and_timeout_can_be_chosen() -> None:
    @tool(name="look_up", timeout=2.5)
    def find() -> str:
        """Find."""
        return "found"

    assert (find.name, find.timeout) == ("look_up", 2.5)
    assert find.spec()["function"]["name"] == "look_up"
    assert find.spec()["type"] == "function"


def test_two_tools_of_one_name_and_what_is_no_tool_are_refused() -> None:
    echo = taking(str)
    with pytest.raises(ToolDefinitionError, match="two tools are called 'echo'"):
        by_name([echo, echo])
    with pytest.raises(ToolDefinitionError, match="is not a tool: make it one with @tool"):
        by_name([echo, len])  # type: ignore[list-item]


# arguments


PLAIN = {
    "text": (str, st.text(st.characters(exclude_categories=["Cs"]))),
    "count": (int, st.integers(-(2**63), 2**63)),
    "share": (float, st.floats(allow_nan=False, allow_infinity=False)),
    "yes": (bool, st.booleans()),
    "day": (dt.date, st.dates()),
    "moment": (dt.datetime, st.datetimes()),
    "colour": (Colour, st.sampled_from(Colour)),
    "size": (Literal["s", "m"], st.sampled_from(["s", "m"])),
    "maybe": (int | None, st.none() | st.integers(-9, 9)),
    "many": (list[int], st.lists(st.integers(-9, 9), max_size=5)),
    "home": (Address, st.builds(Address, street=st.just("Rain 3"))),
}


def everything(
    text: str,
    count: int,
    share: float,
    yes: bool,
    day: dt.date,
    moment: dt.datetime,
    colour: Colour,
    size: Literal["s", "m"],
    maybe: int | None,
    many: list[int],
    home: Address,
) -> None:
    """Take everything."""


@given(st.fixed_dictionaries({name: values for name, (_, values) in PLAIN.items()}))
def test_arguments_come_back_from_json_as_they_went_in(values: dict[str, Any]) -> None:
    from pydantic_core import to_json

    taker = tool(everything)
    text = to_json(values).decode()
    assert parse_arguments(taker, text) == values
    jsonschema.validate(json.loads(text), taker.parameters)


def test_defaults_fill_in_and_are_not_shared_between_calls() -> None:
    @tool
    def collect(item: str, into: list[str] = []) -> list[str]:  # noqa: B006
        """Collect."""
        into.append(item)
        return into

    assert call(collect, '{"item": "a"}') == '["a"]'
    assert call(collect, '{"item": "b"}') == '["b"]'


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
TAKERS = [
    taking(str),
    taking(int),
    taking(Any),
    taking(Person),
    taking(list[Colour]),
    taking(dt.date | None, default=None),
    taking(dict[str, float]),
    tool(everything),
]


@given(
    st.sampled_from(TAKERS),
    JSON.map(json.dumps) | JSON.map(lambda v: json.dumps({"x": v})) | st.text(max_size=20),
)
@example(taking(Any), '{"x": ' + "1" * 5000 + "}")
@example(taking(Any), '{"x": ' + "[" * 5000)
@example(taking(Any), '{"x": ' + "[" * 150 + "]" * 150 + "}")
@example(taking(Any), r'{"x": "\ud800"}')
@example(taking(Any), '{"x": "\ud800"}')
@example(taking(float), '{"x": NaN}')
@example(taking(int), "")
def test_whatever_a_model_sends_only_a_tool_error_comes_of_it(taker: Tool, text: str) -> None:
    with contextlib.suppress(ToolError):
        assert isinstance(call(taker, text), str)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("{bad", "the arguments are not JSON: .* at line 1 column 2"),
        ('{"count": NaN}', "the arguments are not JSON: .* at line 1 column"),
        ("[1]", "must be a JSON object, not list"),
        ("null", "must be a JSON object, not NoneType"),
        ("{}", "do not fit: count: Field required"),
        ('{"count": "many"}', "do not fit: count: .*integer"),
        ('{"count": 1, "cuont": 2}', "do not fit: cuont: Extra inputs are not permitted"),
        ('{"count": 0}', "do not fit: count: .*greater than or equal to 1"),
    ],
)
def test_an_error_in_the_arguments_names_the_argument_and_the_reason(
    arguments: str, reason: str
) -> None:
    @tool
    def take(count: Annotated[int, Field(ge=1)]) -> None:
        """Take."""

    with pytest.raises(ToolError, match=reason):
        parse_arguments(take, arguments)


def test_every_misfit_is_told_at_once_with_its_path() -> None:
    with pytest.raises(ToolError, match=r"x\.name: .*; x\.address\.street: ") as caught:
        parse_arguments(taking(Person), '{"x": {"name": 1, "address": {}}}')
    assert "\n" not in str(caught.value)


# results


@dataclass
class Slot:
    day: dt.date
    colour: Colour


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        ("as it is", "as it is"),
        (None, "null"),
        (True, "true"),
        (dt.date(2026, 1, 31), '"2026-01-31"'),
        (Decimal("1.50"), '"1.50"'),
        (Colour.RED, '"red"'),
        (Slot(dt.date(2026, 1, 31), Colour.BLUE), '{"day":"2026-01-31","colour":"blue"}'),
        (Address(street="Rain 3"), '{"street":"Rain 3","town":"Bern"}'),
        ([Address(street="ä")], '[{"street":"ä","town":"Bern"}]'),
        ({"a": (1, 2)}, '{"a":[1,2]}'),
    ],
)
def test_a_result_is_text_or_becomes_json(outcome: Any, text: str) -> None:
    @tool
    def give() -> Any:
        """Give."""
        return outcome

    assert call(give, "") == text


circle: list[Any] = []
circle.append(circle)


@pytest.mark.parametrize("outcome", [object(), len, b"\xff", circle, ValueError("x")])
def test_a_result_that_is_not_json_is_an_error_the_model_can_read(outcome: Any) -> None:
    @tool
    def give() -> Any:
        """Give."""
        return outcome

    with pytest.raises(ToolError, match="give failed: "):
        call(give, "{}")


def test_a_tool_that_fails_says_how_and_a_tool_error_stays_as_it_is() -> None:
    @tool
    def fails() -> None:
        """Fail."""
        raise KeyError("nobody")

    @tool
    async def refuses() -> None:
        """Refuse."""
        raise ToolError("there is no such patient")

    with pytest.raises(ToolError, match=r"^fails failed: KeyError: 'nobody'$"):
        call(fails, "")
    with pytest.raises(ToolError, match=r"^there is no such patient$"):
        call(refuses, "")


# waiting


def test_an_asynchronous_tool_that_hangs_is_given_up_at_its_timeout() -> None:
    ended: list[float] = []

    @tool(timeout=2.5)
    async def hang() -> None:
        """Hang."""
        try:
            await asyncio.sleep(1000)
        finally:
            ended.append(clock.now())

    with pytest.raises(ToolError, match=r"^hang gave no answer within 2\.5 s$"):
        call(hang, "")
    assert ended == [2.5]


def test_without_a_timeout_a_tool_may_take_a_day() -> None:
    @tool(timeout=None)
    async def slow() -> str:
        """Take long."""
        await asyncio.sleep(86_400)
        return "done"

    assert call(slow, "") == "done"


def test_a_timeout_inside_the_tool_is_not_taken_for_ours() -> None:
    @tool
    async def impatient() -> None:
        """Wait a second for something slow."""
        await asyncio.wait_for(asyncio.sleep(10), 1)

    @tool
    def offline() -> None:
        """Fail at once."""
        raise TimeoutError("no line")

    with pytest.raises(ToolError, match="impatient failed: TimeoutError"):
        call(impatient, "")
    with pytest.raises(ToolError, match="offline failed: TimeoutError: no line"):
        call(offline, "")


def test_something_cancelled_inside_the_tool_does_not_cancel_the_caller() -> None:
    @tool
    async def lost() -> None:
        """Wait for a task that is cancelled."""
        task = asyncio.create_task(asyncio.sleep(10))
        asyncio.get_running_loop().call_later(1, task.cancel)
        await task

    with pytest.raises(ToolError, match="lost failed: what it waited for was cancelled"):
        call(lost, "")


def test_cancelling_the_caller_does_cancel_the_tool() -> None:
    ended: list[str] = []

    @tool
    async def hang() -> None:
        """Hang."""
        try:
            await asyncio.sleep(1000)
        finally:
            ended.append("cleaned up")

    async def main() -> None:
        task = asyncio.create_task(call_tool(hang, ""))
        await asyncio.sleep(1)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        clock.simulate(main())
    assert ended == ["cleaned up"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(2), UnexpectedRequest("what?")])
def test_what_no_model_can_help_with_ends_the_run(error: BaseException) -> None:
    @tool
    def breaks() -> None:
        """Break."""
        raise error

    with pytest.raises(type(error)):
        call(breaks, "")


def test_a_blocking_tool_is_told_to_its_author_not_to_the_model() -> None:
    @tool
    def blocks() -> None:
        """Block."""
        time.sleep(10)

    with pytest.raises(VirtualTimeError, match=r"time\.sleep blocks every agent"):
        call(blocks, "")
