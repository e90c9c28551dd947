"""The world a stage is played in: its time, its tools, its model, and the log of it all.

Nothing here trusts the other side. Times are the world's own; a request is known by what it asks,
never by what its sender says about it.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic_core import from_json, to_json

from course.models.wire import ApiError, ChatRequest, Key
from graders.judge import answers
from graders.judge.answers import Part
from graders.judge.checked import CheckedTool, worded
from graders.judge.ledger import Ledger, rounded
from graders.judge.protocol import (
    Asleep,
    Began,
    Cancel,
    Idle,
    Lied,
    Message,
    ModelAsk,
    Note,
    Raised,
    Ready,
    Returned,
    Spinning,
    Stuck,
    Told,
    ToolAsk,
)
from graders.records.log import Exchange, Failure, Log, Moment, MomentKind, Outcome
from graders.records.scenario import Answer, Ask, Scenario

MOST_REQUESTS = 5_000
MOST_IDLES = 10_000  # a right answer that looks again and again has under 2,000 in all
LATEST = 36_000.0  # virtual seconds; who still waits after ten hours polls for ever

Tokens = Callable[[int], str]
Delivery = dict[str, Any]


def tokens_from(salt: bytes) -> Tokens:
    """Fresh texts, one for each request, that nobody can tell without the salt."""
    return lambda number: hashlib.blake2b(b"%d" % number, key=salt[:64], digest_size=6).hexdigest()


@dataclass
class _Open:
    """A request that was not answered to its end yet."""

    place: int
    kind: Literal["model", "tool"]
    name: str


@dataclass(order=True)
class _Due:
    """A part of an answer and when it falls due; equal times go in the order of asking."""

    time: float
    order: int
    id: int = field(compare=False)
    event: Mapping[str, Any] = field(compare=False)
    outcome: Outcome = field(compare=False)
    reply: Any = field(compare=False)


class World:
    """One run of a scenario.

    Args:
        scenario: what its tools and its model do.
        tokens: the fresh text for each request, by its number.

    Attributes:
        over: the stage ended, or the world ended it.
        silent: all was heard that there is to hear.
        ready: the box did its own part, and the student's code was next.
        began: the notebook is built up.
        notes: cells of the notebook that raised.
    """

    def __init__(self, scenario: Scenario, tokens: Tokens) -> None:
        self.now = 0.0
        self.over = False
        self.silent = False
        self.ready = False
        self.began = False
        self.notes: tuple[Note, ...] = ()
        self._scenario = scenario
        self._tokens = tokens
        self._tools = {offer.name: CheckedTool(offer) for offer in scenario.tools}
        self._book = Ledger()
        self._open: dict[int, _Open] = {}
        self._used: set[int] = set()
        self._asked: dict[tuple[str, str], int] = {}
        self._due: list[_Due] = []
        self._order = 0
        self._idles = 0
        self._log = Log(params=scenario.params, places=scenario.places)

    # -- the other side -----------------------------------------------------------------------

    def hear(self, message: Message) -> Delivery | None:
        """Take one message; an `Idle` is answered with a delivery.

        Raises:
            Lied: the message cannot be, as things stand.
        """
        if isinstance(message, Ready):
            self._set_out()
        elif isinstance(message, Began):
            self._begin(message)
        elif self._log.returned:
            return self._afterwards(message)
        elif isinstance(message, (Returned, Raised, Stuck, Spinning, Asleep)):
            self._end(message)
        elif not self.began or self.over:
            raise Lied("a message outside the stage")
        elif isinstance(message, ModelAsk):
            self._ask_model(message)
        elif isinstance(message, ToolAsk):
            self._ask_tool(message)
        elif isinstance(message, Cancel):
            self._cancel(message.id)
        elif isinstance(message, Told):
            self._tell(message)
        else:
            return self._pass_time(message)
        return None

    def stop(self, kind: MomentKind, detail: str, seconds: float = 0.0) -> None:
        """End the run from outside, with a moment that says why; only the first one counts."""
        if not self.over:
            self.over = True
            self._book.moments.append(Moment(kind, self.now, detail, seconds))
            self._log = replace(self._log, ended=self.now)

    def log(self, output: str = "") -> Log:
        """Everything that is known about the run."""
        return replace(self._book.written_into(self._log), output=output)

    # -- beginning and end --------------------------------------------------------------------

    def _set_out(self) -> None:
        if self.ready or self.began or self.over:
            raise Lied("a second start")
        self.ready = True

    def _begin(self, message: Began) -> None:
        if self.began or self.over:
            raise Lied("a second beginning")
        self.began = True
        self.notes = message.notes

    def _end(self, message: Returned | Raised | Stuck | Spinning | Asleep) -> None:
        if isinstance(message, Stuck):
            if not self._book.explain_stall(", ".join(message.waiting[:5])):
                raise Lied("a stall that was none")
        elif self.over:
            raise Lied("a second end")
        elif isinstance(message, Spinning):
            self.stop("silent", message.line)
        elif isinstance(message, Asleep):
            self.stop("asleep", message.line)
        elif isinstance(message, Raised):
            failure = Failure(message.type, message.message, message.line)
            self._log = replace(self._log, failure=failure, mistake=message.mistake, ended=self.now)
        elif not self.began:
            raise Lied("a result before the beginning")
        else:
            trace = _trace(message.trace)
            self._log = replace(
                self._log,
                returned=True,
                result=message.result,
                trace=trace,
                still_running=message.running,
                left=_RESTLESS,
                mistake=message.mistake,
                ended=self.now,
            )
        self.over = True
        self.silent = not self._log.returned

    def _afterwards(self, message: Message) -> Delivery | None:
        """After the return: what is heard next tells whether something was left running."""
        if isinstance(message, Returned):
            raise Lied("a second end")
        if not self.silent and not isinstance(message, (Cancel, Told)):
            self.silent = True
            self._log = replace(self._log, left=_goes_on(message))
        idle = isinstance(message, Idle)
        return {"now": self.now, "events": [], "end": "over"} if idle else None

    # -- requests -----------------------------------------------------------------------------

    def _ask_model(self, message: ModelAsk) -> None:
        try:
            request, prompt = answers.parse(message)
        except ApiError as error:
            self._arrive(message.id, "model", "", answers.raw_request(message))
            sent, shown = answers.refused(error)
            self._promise(message.id, sent, "failed", shown)
            return
        number = self._arrive(message.id, "model", request.model, request.raw, request.key)
        said = self._model_says(number, request)
        if not said.never:
            token = self._tokens(number)
            sent, shown = answers.parts(request, prompt, said, salt=token, now=self.now)
            self._promise(message.id, sent, "failed" if said.error else "answered", shown)

    def _model_says(self, number: int, request: ChatRequest) -> Answer:
        if self._scenario.model is None:
            return Answer(error=ApiError(404, "there is no model in this exercise"))
        try:
            said = self._scenario.model(self._as_ask(number, {}, request))
        except ApiError as error:
            return Answer(error=error)
        except Exception as trouble:  # a behaviour that did not expect what it was asked
            return Answer(error=ApiError(400, f"the model cannot answer this: {trouble!r:.200}"))
        return said if isinstance(said, Answer) else Answer(said)

    def _ask_tool(self, message: ToolAsk) -> None:
        offer = self._tools.get(message.name)
        if offer is None:
            raise Lied("a call of a tool that there is not")
        number = self._arrive(message.id, "tool", message.name, message.arguments)
        said = offer.says(self._as_ask(number, message.arguments, None))
        if said.never:
            return
        if said.error is not None:
            event: dict[str, Any] = {"error": worded(said.error), "last": True}
            shown: Any = {"error": event["error"]}
        else:
            shown = from_json(to_json(said.value))
            event = {"value": shown, "last": True}
        outcome: Outcome = "answered" if said.error is None else "failed"
        self._promise(message.id, [Part(said.seconds, event)], outcome, shown)

    def _arrive(
        self,
        ident: int,
        kind: Literal["model", "tool"],
        name: str,
        request: Mapping[str, Any],
        key: Key = Key(),
    ) -> int:
        """Log a request; returns its number."""
        if ident in self._used:
            raise Lied("a request's number used twice")
        number = len(self._book.exchanges)
        if number >= MOST_REQUESTS:
            self.stop("flooded", f"{MOST_REQUESTS} requests")
            raise Lied("requests without end")
        self._used.add(ident)
        token = self._tokens(number)
        self._book.exchanges.append(
            Exchange(number, kind, name, request, self.now, token=token, key=key)
        )
        self._open[ident] = _Open(number, kind, name)
        return number

    def _as_ask(
        self, number: int, arguments: Mapping[str, Any], request: ChatRequest | None
    ) -> Ask:
        this = self._book.exchanges[number]
        before = self._asked.get((this.kind, this.name), 0)
        self._asked[this.kind, this.name] = before + 1
        running = sum((o.kind, o.name) == (this.kind, this.name) for o in self._open.values())
        return Ask(before, arguments, request, self.now, this.token, running)

    def _promise(self, ident: int, sent: list[Part], outcome: Outcome, shown: Any) -> None:
        for part in sent:
            self._order += 1
            time = rounded(self.now + max(0.0, part.delay))
            event = {"id": ident, **part.event}
            heapq.heappush(self._due, _Due(time, self._order, ident, event, outcome, shown))

    def _cancel(self, ident: int) -> None:
        gone = self._open.pop(ident, None)
        if gone is None:
            if ident not in self._used:
                raise Lied("a request given up that was never made")
            return
        self._due = [due for due in self._due if due.id != ident]
        heapq.heapify(self._due)
        self._book.close(gone.place, self.now, "cancelled")

    def _tell(self, message: Told) -> None:
        if len(self._book.marks) >= MOST_REQUESTS:
            self.stop("flooded", f"{MOST_REQUESTS} marks")
            raise Lied("marks without end")
        self._book.mark(self.now, message.name, message.value)

    # -- time ---------------------------------------------------------------------------------

    def _pass_time(self, idle: Idle) -> Delivery:
        """Move to the next thing that happens: a reply that falls due, or the child's timer."""
        begin = self.now
        self._idles += 1
        following = self._due[0].time if self._due else None
        times = [time for time in (following, idle.until) if time is not None]
        if not times:
            return self._finish("")
        if min(times) > LATEST or self._idles > MOST_IDLES:
            return self._finish(f"still waiting, again and again, at {self.now:g} s")
        self.now = max(self.now, rounded(min(times)))
        if idle.held:
            self._book.hold_up(idle.held, begin, self.now)
        events = []
        while self._due and self._due[0].time <= self.now:
            due = heapq.heappop(self._due)
            events.append(due.event)
            if due.event["last"]:
                place = self._open.pop(due.id).place
                self._book.close(place, self.now, due.outcome, due.reply)
        return {"now": self.now, "events": events}

    def _finish(self, detail: str) -> Delivery:
        self.stop("stalled", detail)
        return {"now": self.now, "events": [], "end": "stalled"}


_RESTLESS = "something that never came to rest"


def _goes_on(message: Message) -> str:
    """What a message from after the return is a sign of; empty where nothing goes on."""
    if isinstance(message, Idle):
        return "" if message.until is None else f"a timer, due at {message.until:g} s"
    if isinstance(message, ToolAsk):
        return f"a call of {message.name}"
    return "a request to the model" if isinstance(message, ModelAsk) else _RESTLESS


def _trace(raw: Any) -> Mapping[str, Any] | None:
    """An exported trace as an object; text is read as JSON."""
    if isinstance(raw, str):
        try:
            raw = from_json(raw)
        except ValueError:
            return {"unreadable": raw[:200]}
    if raw is None or isinstance(raw, dict):
        return raw
    return {"unreadable": str(raw)[:200]}
