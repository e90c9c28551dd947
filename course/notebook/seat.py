"""The model's seat, for a person: see the exact request, and answer as the model would.

A run goes on in virtual time, and a person thinks in real time. So the run is made anew with each
answer: those that were given before come at the moments at which a model would have given them,
and the first request without one waits. The same answers make the same run.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from course.errors import ConfigurationError, CourseError, UnexpectedRequest
from course.models.connect import connect
from course.models.scripted import Scripted
from course.models.wire import Call, ChatRequest, Reply
from course.notebook.show import show, watched
from course.runner import run_sync
from course.trace import Trace
from course.trace_messages import as_json
from course.viewer.picture import picture_of
from course.viewer.widget import widget

WITHOUT_WIDGETS = (
    "There are no widgets here: read `.request`, answer with `.say(...)` or `.call(...)`."
)


class _Waiting(UnexpectedRequest):
    """A request that nobody has answered yet."""


class Seat:
    """A run in which you are the model; made by `answer_as_the_model`.

    Attributes:
        request: the request that waits for your answer; None when the run is over.
        answers: what you have answered so far.
        result: what the system gave at the end; None before it, or where it broke.
        error: how it broke, in a line.
        trace: of the run so far.
    """

    def __init__(
        self, system: Any, request: Any, *, profile: str = "calm", seed: int = 0, **options: Any
    ) -> None:
        self.answers: list[Reply] = []
        self.request: ChatRequest | None = None
        self.result: Any = None
        self.error = ""
        self.trace = Trace("")
        self._system, self._asked = system, request
        self._profile, self._seed, self._options = profile, seed, options
        self._told: list[Callable[[], None]] = []
        self._play()

    def say(self, text: str) -> Seat:
        """Answer the waiting request with words."""
        return self._answer(Reply(text=text))

    def call(self, tool: str, arguments: str | Mapping[str, Any] = "", /, **named: Any) -> Seat:
        """Answer with one call of a tool, the arguments by name; a text goes out as it is, whether
        it is JSON or not, as a model's would."""
        return self.calls((tool, arguments or named))

    def calls(self, *calls: tuple[str, str | Mapping[str, Any]], text: str | None = None) -> Seat:
        """Answer with several calls at once, each a tool's name and its arguments."""
        made = tuple(
            Call(name, given if isinstance(given, str) else json.dumps(given))
            for name, given in calls
        )
        return self._answer(Reply(text=text, calls=made))

    def back(self) -> Seat:
        """Take the last answer back."""
        self.answers = self.answers[:-1]
        self._play()
        return self

    def save(self, path: str | Path) -> Path:
        """Keep the whole run as a recording, which `connect(Replay(path))` answers from.

        Raises ConfigurationError: the run is not over, or the path holds something else.
        """
        if self.request is not None:
            raise ConfigurationError("the run is not over: a request still waits for your answer")
        self._play(record=path)
        return Path(path)

    def _answer(self, reply: Reply) -> Seat:
        if self.request is None:
            raise ConfigurationError("no request waits for an answer: the run is over")
        self.answers = [*self.answers, reply]
        self._play()
        return self

    def _play(self, record: str | Path | None = None) -> None:
        """Make the run with the answers that there are, up to the first that is missing."""
        left = iter(self.answers)
        self.request, self.result, self.error = None, None, ""

        def answer(request: ChatRequest) -> Reply:
            if self.request is None and (reply := next(left, None)) is not None:
                return reply
            self.request = self.request or request
            raise _Waiting("this request waits for your answer")

        makes = inspect.isfunction(self._system)
        system = self._system() if makes else self._system
        self.trace = Trace(f"{getattr(system, 'name', 'run')}: {self._asked}", messages=True)
        client = connect(Scripted(answer), profile=self._profile, seed=self._seed, record=record)
        try:
            self.result = run_sync(
                system, self._asked, client=client, trace=self.trace, **self._options
            )
        except CourseError as error:
            if self.request is None:
                self.error = f"{type(error).__name__}: {error}"
        for tell in self._told:
            tell()

    def as_json(self) -> dict[str, Any]:
        """What the widget shows: the request that waits, or the whole run at its end."""
        told: dict[str, Any] = {"answered": len(self.answers), "error": self.error}
        if (request := self.request) is None:
            return {**told, "run": picture_of(self.trace).as_json()}
        tools = [
            {"name": each.name, "description": each.description, "parameters": each.parameters}
            for each in request.tools
        ]
        return {
            **told,
            "agent": request.key.agent,
            "model": request.model,
            "choice": request.named_tool or request.tool_choice,
            "form": request.schema if request.response_format == "json_schema" else None,
            "messages": json.loads(as_json(request.messages)),
            "tools": tools,
        }

    def take(self, said: Mapping[str, Any]) -> None:
        """Do what the widget's form says: `text`, `calls` (name and arguments as text), `back`."""
        if said.get("back"):
            self.back()
        elif self.request is not None:
            calls: Sequence[Any] = said.get("calls") or ()
            made = tuple(Call(str(c["name"]), str(c["arguments"])) for c in calls)
            self._answer(Reply(text=str(said.get("text") or "") or None, calls=made))

    def watch(self, tell: Callable[[], None]) -> None:
        """Be told whenever there is another request, or the end."""
        self._told.append(tell)


def answer_as_the_model(system: Any, request: Any, **options: Any) -> Seat:
    """Take the model's seat: a system works on a request, and you answer in the model's place.

    You see each request as the model would, messages and tools, and answer with words, with calls
    chosen from the tools, or with a mistake on purpose: a tool that is not there, arguments that
    are no JSON. The system goes on with it in virtual time, and at the end the board plays it.

    Args:
        system: an agent, a team, a supervisor; or a function without arguments that makes it,
            where its tools change something, since each answer begins the run anew.
        request: what is asked of it.
        options: as `course.run` takes them; `profile` and `seed` say how long answers take.

    Gives the seat, to answer from code as well, and to keep: `seat.say("...")`,
    `seat.call("find_patient", name="Ada")`, `seat.save("mine.jsonl")`.
    """
    seat = Seat(system, request, **options)
    if not watched():
        print(WITHOUT_WIDGETS)
        return seat
    box = widget(seat.as_json())
    box.observe(lambda change: seat.take(change["new"]), names="said")
    seat.watch(lambda: setattr(box, "data", seat.as_json()))
    made = box._repr_mimebundle_()
    bundle = made[0] if isinstance(made, tuple) else made
    show({**bundle, "text/plain": WITHOUT_WIDGETS})
    return seat
