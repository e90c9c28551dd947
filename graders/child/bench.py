"""The bench a student's definition is played on: a client, tools and plain values."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

from course.errors import ToolError
from course.models.client import BASE_URL, CourseClient
from course.tools import Tool

from .calls import Call
from .keeper import Keeper
from .plain import plain
from .wires import BlockingTransport, WorldTransport

if TYPE_CHECKING:
    import httpx2
    from openai import OpenAI

_TYPES = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list[Any],
    "object": dict[str, Any],
    "null": type(None),
}


class Bench:
    """What a stage plays on.

    Attributes:
        client: a real AsyncOpenAI whose requests the world answers.
        tools: the world's tools, as `course.tools.Tool`.
        params: plain values of this run.
        exported: the trace that was exported, as text or plain values.
    """

    def __init__(
        self, keeper: Keeper, offers: Sequence[Mapping[str, Any]], params: Mapping[str, Any]
    ) -> None:
        self._keeper = keeper
        self.client = client_of(WorldTransport(keeper))
        self.tools = tuple(_tool(keeper, offer) for offer in offers)
        self.params = dict(params)
        self.exported: Any = None

    def tool(self, name: str) -> Tool:
        """The tool of this name; raises KeyError when the world has none."""
        return {each.name: each for each in self.tools}[name]

    def mark(self, name: str, value: Any = None) -> None:
        """Tell the world that something is so now. It notes when it hears it."""
        self._keeper.tell(name, plain(value))

    def export(self, trace: Any) -> None:
        """Hand in a trace: a `course.trace.Trace`, its JSON text, or plain values."""
        self.exported = trace.to_json() if hasattr(trace, "to_json") else trace

    def blocking_client(self) -> OpenAI:
        """A real synchronous OpenAI client for work in threads, answered by the world."""
        import httpx2
        from openai import OpenAI

        http = httpx2.Client(transport=BlockingTransport(self._keeper))
        return OpenAI(api_key="no-key-needed", base_url=BASE_URL, http_client=http)


class Undefined(BaseException):
    """The notebook did not define this name. No exception of the student's, whatever they catch."""


class Student:
    """The names of the student's notebook, as attributes; raises Undefined for others."""

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self._namespace = namespace

    def __getattr__(self, name: str) -> Any:
        try:
            return self._namespace[name]
        except KeyError:
            raise Undefined(name) from None


def client_of(transport: httpx2.AsyncBaseTransport) -> CourseClient:
    """The course's client on a transport."""
    import httpx2

    return CourseClient(
        api_key="no-key-needed",
        base_url=BASE_URL,
        http_client=httpx2.AsyncClient(transport=transport, follow_redirects=True),
    )


def _tool(keeper: Keeper, offer: Mapping[str, Any]) -> Tool:
    name, parameters = offer["name"], offer["parameters"]
    signature = _signature(parameters)

    async def ask(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = {key: value for key, value in bound.arguments.items() if value is not _LEFT_OUT}
        call = Call(keeper, {"do": "tool", "name": name, "arguments": plain(given)})
        part = await call.part()
        if "error" in part:
            raise ToolError(part["error"])
        return part["value"]

    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = offer["description"]
    ask.__signature__ = signature  # type: ignore[attr-defined]
    ask.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
    return Tool(name, offer["description"], dict(parameters), ask, offer["timeout"])


_LEFT_OUT = SimpleNamespace()  # an argument that was not given and has no default of its own


def _signature(parameters: Mapping[str, Any]) -> inspect.Signature:
    """The arguments of a tool as Python says them, from their JSON schema."""
    required = set(parameters.get("required", ()))
    fields = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY if required - {name} else _EITHER,
            default=_EMPTY if name in required else schema.get("default", _LEFT_OUT),
            annotation=_annotation(schema),
        )
        for name, schema in parameters.get("properties", {}).items()
    ]
    return inspect.Signature(fields)


_EMPTY = inspect.Parameter.empty
_EITHER = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _annotation(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    kind = schema.get("type")
    return _TYPES.get(kind, Any) if isinstance(kind, str) else Any
