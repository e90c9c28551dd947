"""A conversation over many turns: who has it, what was said and done, and what all agents know.

It is nothing but data: saved between two turns, it goes on as if it had never stopped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, cast, get_type_hints

from pydantic import BaseModel, Field, TypeAdapter, ValidationError, create_model
from pydantic_core import to_jsonable_python

from course import files
from course.context import Context
from course.errors import ConfigurationError, FileFormatError, ToolError
from course.models.messages import Histories
from course.models.wire import ApiError, Message
from course.runs import within

FORMAT = "switchboard-session"
VERSION = 1
AGAIN = "start a new session"


@dataclass(frozen=True)
class ToolAttempt:
    """Something an agent tried: a tool call as text, and what came of it. Built in chapter 03."""

    agent: str
    call: str
    outcome: str
    failed: bool = False


@dataclass(frozen=True)
class Ticket:
    """What a person who takes over finds on the desk. Used in chapter 03.

    `sender` had the conversation, `request` was said last; `transcript` has everything, under the
    agents' names, and `summary` the same in a few words, where a model wrote it.
    """

    number: str
    sender: str
    reason: str
    request: str
    tried: tuple[ToolAttempt, ...] = ()
    state: dict[str, Any] = field(default_factory=dict)
    transcript: tuple[Message, ...] = ()
    summary: str = ""


@dataclass(frozen=True)
class OpenMatter:
    """One thing that a person wants, and whose work it is. Used in chapter 03."""

    agent: str
    request: str


@dataclass(frozen=True)
class Frame:
    """An agent that waits for another one's result. Built in chapter 03.

    Attributes:
        agent, asked: who waits, and for whose result.
        context: what it had in view before it asked.
        message, answers: with the call that waits (`call_id`), and the other results.
        since: how long the session's history was when the other agent took over.
    """

    agent: str
    asked: str
    context: Context
    message: Message
    answers: tuple[Message, ...]
    call_id: str
    since: int


class TypedState(dict[str, Any]):
    """What all agents know, with fields of a type: whatever is written is checked first.
    Used in chapter 03.

    Read and written by key or attribute (`state().patient = "Ada"`); "3" is 3 for an int. What has
    no default and was not written yet is not there. `kind` is a dataclass or a pydantic model, else
    ConfigurationError; `also` are further keys, unchecked. ToolError, in words for a model: a value
    does not fit its field, or there is no such field.
    """

    def __init__(
        self, kind: type, known: Mapping[str, Any] | None = None, *, also: Iterable[str] = ()
    ) -> None:
        super().__init__()
        checked = _model_of(kind).model_construct()  # has what has a default
        object.__setattr__(self, "_checked", checked)
        object.__setattr__(self, "_also", frozenset(also))
        self.update({**dict(checked), **(known or {})})

    def __setitem__(self, key: str, value: Any) -> None:
        model = type(self._checked)
        if key in model.model_fields:
            try:
                model.__pydantic_validator__.validate_assignment(self._checked, key, value)
            except ValidationError as error:
                raise ToolError(f"state['{key}']: {error.errors()[0]['msg']}") from None
            value = getattr(self._checked, key)
        elif key not in self._also:
            known = ", ".join(model.model_fields)
            raise ToolError(f"state has no '{key}'; {model.__name__} has: {known}")
        super().__setitem__(key, value)

    def update(self, *given: Any, **more: Any) -> None:
        """Write several fields; none where one of them does not fit."""
        before = dict(self)
        try:
            for key, value in dict(*given, **more).items():
                self[key] = value
        except ToolError:
            self.clear()
            super().update(before)
            raise

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of a field, written first where there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"nothing is known as '{name}' yet") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def _model_of(kind: Any) -> type[BaseModel]:
    """A pydantic model with the fields of a dataclass, or the model itself."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind
    if not isinstance(kind, type) or not is_dataclass(kind):
        raise ConfigurationError(f"a state is a dataclass or a pydantic model, not {kind!r}")
    types, given = get_type_hints(kind), dict[str, Any]()
    for each in fields(kind):
        made = each.default_factory
        default = ... if each.default is MISSING else each.default
        given[each.name] = Field(default) if made is MISSING else Field(default_factory=made)
    shape: dict[str, Any] = {name: (types[name], field) for name, field in given.items()}
    return create_model(kind.__name__, **shape)


@dataclass
class Session:
    """One conversation, from the first thing the person says to the last. Used in chapter 03.

    Attributes:
        active: name of the agent that has the conversation.
        context: what that agent has in view, without its own instructions.
        state: what all agents know; JSON values, which tools read and write through `state()`.
        history: everything that was said and done, an agent's under its "name".
        frames: the agents that wait for a result, the first to ask first.
        attempts: the tool calls so far, of which `entered` were there when the active agent came.
        ticket: what was handed to a person, if it came to that.
        calls: model calls so far.
        open: matters that were taken down and are not served yet.
    """

    active: str
    context: Context = field(default_factory=Context)
    state: dict[str, Any] = field(default_factory=dict)
    history: tuple[Message, ...] = ()
    frames: tuple[Frame, ...] = ()
    attempts: tuple[ToolAttempt, ...] = ()
    entered: int = 0
    ticket: Ticket | None = None
    calls: int = 0
    open: tuple[OpenMatter, ...] = ()

    @property
    def request(self) -> str:
        """What the person said last."""
        said = (m["content"] for m in reversed(self.history) if m["role"] == "user")
        return str(next(said, ""))

    def add(self, *messages: Message) -> None:
        """Put messages at the end of what the active agent has in view, and into the history."""
        self.context = self.context.add(*messages)
        self.note(*messages)

    def note(self, *messages: Message) -> None:
        """Put messages into the history alone, those of agents under the active one's name."""
        tagged = (m if m["role"] == "user" else {**m, "name": self.active} for m in messages)
        self.history = (*self.history, *tagged)

    def said_since(self, place: int) -> list[Message]:
        """What the person said since that place in the history, each after what it answers."""
        said: list[Message] = []
        for number in range(place, len(self.history)):
            if self.history[number]["role"] == "user":
                before = self.history[number - 1]
                if before["role"] == "assistant" and not before.get("tool_calls"):
                    said.append({k: v for k, v in before.items() if k != "name"})
                said.append(self.history[number])
        return said

    def running(self) -> AbstractContextManager[None]:
        """Make this the session whose state `state()` gives, within the `with` block."""
        return within(_running, self)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Make this the running session, and nobody else's, within the `with` block.

        Raises ConfigurationError: another run is changing it; what each of them heard would get
        into the other's answer.
        """
        if id(self) in _changing:
            raise ConfigurationError(
                "another run is changing this session: await that one first, or give each"
                " conversation a session of its own"
            )
        _changing.add(id(self))
        try:
            with self.running():
                yield
        finally:
            _changing.discard(id(self))

    def to_json(self) -> str:
        """The session as JSON text for `from_json`; ConfigurationError for what is no JSON."""
        state: Any = dict(self.state)
        if isinstance(self.state, TypedState):
            state = to_jsonable_python(state)
        for key, value in state.items():
            _check_plain(key, value)
        record = asdict(replace(self, state=state))
        return files.as_json({"format": FORMAT, "version": VERSION, **record})

    def save(self, path: str | Path) -> Path:
        """Write the session to a file and return where. Raises OSError when that fails."""
        return files.write(path, self.to_json())

    @classmethod
    def from_json(cls, text: str, *, source: str = "text") -> Session:
        """Read a session back; FileFormatError names `source`, what is wrong and the way out."""
        source = f"session file {source}"
        record = files.from_json(text, source=source, hint=AGAIN)
        if not isinstance(record, dict) or record.pop("format", None) != FORMAT:
            raise FileFormatError(f"{source} is none: save one with session.save(path)")
        version = record.pop("version", None)
        if version != VERSION:
            raise FileFormatError(
                f"{source} has version {version}; this course reads version {VERSION}: {AGAIN}"
            )
        try:
            session = TypeAdapter(Session).validate_python(record)
        except ValidationError as error:
            raise FileFormatError(f"{source}: {files.misfit(error)}; {AGAIN}") from None
        if not all("role" in message for message in session.history):
            raise FileFormatError(f"{source}: history: no role; {AGAIN}")
        _check_messages(session.context.messages, f"{source}: context")
        for number, frame in enumerate(session.frames):
            answered = {"role": "tool", "tool_call_id": frame.call_id, "content": ""}
            waiting = (*frame.context.messages, frame.message, *frame.answers, answered)
            _check_messages(waiting, f"{source}: frames[{number}]")
        return session

    @classmethod
    def load(cls, path: str | Path) -> Session:
        """Read a session file. Raises FileFormatError or OSError."""
        text = files.read(path, source=f"session file {path}", hint=AGAIN)
        return cls.from_json(text, source=str(path))


_changing: set[int] = set()
"""The sessions that a run is changing, by `id`: copies of a session are others."""
_running: ContextVar[Session | None] = ContextVar("switchboard_session", default=None)


def state() -> dict[str, Any]:
    """What all agents of the running session know, as JSON. Built in chapter 03.

    Raises ConfigurationError: no session is running.
    """
    session = _running.get()
    if session is None:
        raise ConfigurationError(
            "no session is running here: call the tool from a team, or inside `with"
            " session.running():`"
        )
    return session.state


def heard() -> tuple[str, ...]:
    """What the person said in the running session, the latest first, the matter in hand before all.
    Used in chapter 03. Raises ConfigurationError where no session is running.
    """
    state()  # refuses where none is running
    session = cast(Session, _running.get())
    messages = (*session.history, *session.context.messages)
    return tuple(str(m["content"]) for m in reversed(messages) if m["role"] == "user")


def _check_plain(key: str, value: Any) -> None:
    """Refuse what JSON does not know, or would give back as something else."""
    try:
        same = json.loads(json.dumps(value)) == value or value != value  # NaN equals nothing
    except (TypeError, ValueError, RecursionError):
        same = False
    if not same or not isinstance(key, str):
        raise ConfigurationError(
            f"state[{key!r}] cannot be saved as JSON: keep text, numbers, lists and dictionaries"
            " with text for keys"
        )


def _check_messages(messages: tuple[Message, ...], where: str) -> None:
    """Refuse a conversation that no model would take, such as a call without its result."""
    try:
        if messages:
            Histories().check(list(messages))
    except ApiError as error:
        raise FileFormatError(f"{where}: {error.message} {AGAIN.capitalize()}") from None
