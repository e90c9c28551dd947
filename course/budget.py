"""A budget that many model calls share: each reserves before it is made and settles after it.

Eight calls at once each find room in the same sum, and together overshoot. So a call first takes
the most that it can cost, its prompt and its longest answer, without an await between looking and
taking, and gives back what it did not use: as exact as the count of its prompt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from course.answers import Answer, Usage
from course.errors import ModelError, no_number, refuse
from course.limits import Stop
from course.models.account import Making, charging
from course.models.time_limit import standing_in_line
from course.models.tokens import prompt_tokens
from course.runs import within
from course.trace import span

ANSWER_TOKENS = 600
"""The longest answer of a call whose request sets no limit itself (tokens)."""

ENOUGH_CALLS = 2
"""The calls of a piece of work that uses a tool: the one that asks for it, and the answer."""

LEAST_ANSWER = 32
"""Room for fewer tokens than this is no room for an answer."""


class BudgetExceeded(ModelError):
    """A model call was not made: no room for what it `needs`; `stop` says which limit."""

    def __init__(self, stop: Stop, needs: int) -> None:
        thing = "token" if stop.reason == "max_tokens" else "model call"
        unit = thing if needs == 1 else f"{thing}s"
        super().__init__(
            f"{stop.reason} is {stop.limit:g}, reached {stop.value:g}: there is no room for"
            f" {needs} more {unit}; answer with what there is, or give a larger budget"
        )
        self.stop = stop
        self.needs = needs


@dataclass(kw_only=True, eq=False)
class Budget:
    """What all model calls within `in_force` may use together. None means no limit of that kind.
    Used in chapter 04.

    Attributes:
        tokens: read and written by models; `calls`: model calls.
        calls_are: the name of the limit of calls where a stop tells it.
        answer_tokens: the longest answer of a call whose request sets no limit itself.
        kept_tokens, kept_calls: kept back for calls that may use the last (`in_force(last=True)`).
        spent, held: tokens used by calls that have ended, and reserved by those under way.
        made: calls made; `read`, `written`: tokens of those answered, as their models counted them.
        pieces: the pieces of work under way that share it, the first one first.

    Raises ConfigurationError: a number is none, or below 0.
    """

    tokens: int | None = None
    calls: int | None = None
    calls_are: str = "max_calls"
    answer_tokens: int = ANSWER_TOKENS
    kept_tokens: int = 0
    kept_calls: int = 0
    spent: int = field(default=0, init=False)
    held: int = field(default=0, init=False)
    made: int = field(default=0, init=False)
    read: int = field(default=0, init=False)
    written: int = field(default=0, init=False)
    pieces: list[Piece] = field(default_factory=list, init=False, repr=False, compare=False)
    _freed: asyncio.Event = field(
        default_factory=asyncio.Event, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        for name in ("tokens", "calls"):
            refuse(no_number(getattr(self, name), f"a budget's {name}", optional=True))
        for name in ("answer_tokens", "kept_tokens", "kept_calls"):
            refuse(no_number(getattr(self, name), f"a budget's {name}"))

    def check(self, tokens: int, *, last: bool = False) -> None:
        """Raise BudgetExceeded without room for a call of so many tokens."""
        if self.calls is not None and self.made + (0 if last else self.kept_calls) >= self.calls:
            raise BudgetExceeded(Stop(self.calls_are, self.calls, self.made), 1)
        if self.tokens is not None and tokens > self.left(last=last):
            raise BudgetExceeded(Stop("max_tokens", self.tokens, self.spent + self.held), tokens)

    def reserve(self, tokens: int, *, last: bool = False) -> None:
        """Take the most that one call can cost, before it is made; `check` comes first."""
        self.check(tokens, last=last)
        self.held += tokens
        self.made += 1

    def settle(self, reserved: int, used: int) -> None:
        """After the call: the tokens it used are spent, the rest of what it reserved is free."""
        self.held -= reserved
        self.spent += used
        self.changed()

    def changed(self) -> None:
        """Wake those who wait for a `change`."""
        self._freed.set()
        self._freed = asyncio.Event()

    def short(self, most: int) -> bool:
        """Whether there is too little for the pieces under way to make two calls more each, the
        tool's and the answer's, of so many tokens at the most.
        """
        calls, enough = self.calls, ENOUGH_CALLS * len(self.pieces)
        if calls is not None and calls - self.made - self.kept_calls < enough:
            return True
        return self.left() < enough * most

    async def turn(self, most: int) -> None:
        """Wait until a call of so many tokens may be made; only a piece of work waits."""

    def left(self, *, last: bool = False) -> float:
        """Tokens that no call has spent or reserved; without `last`, less what is kept back."""
        if self.tokens is None:
            return float("inf")
        return self.tokens - self.spent - self.held - (0 if last else self.kept_tokens)

    def used_up(self) -> Stop | None:
        """The limit that leaves room for no other call than those for which it is kept back."""
        if self.calls is not None and self.made + self.kept_calls >= self.calls:
            return Stop(self.calls_are, self.calls, self.made)
        if self.tokens is not None and self.left() < LEAST_ANSWER and not self.held:
            return Stop("max_tokens", self.tokens, self.spent)
        return None

    @contextmanager
    def in_force(self, *, last: bool = False) -> Iterator[None]:
        """Charge every model call within the block and its tasks to this budget, and all around it:
        those of another framework too, through a client of the course.

        With `last` they may use what this one keeps back.
        """
        others = tuple(share for share in _in_force.get() if share[0] is not self)
        with within(_in_force, (*others, (self, last))), within(charging, on_account):
            yield

    async def change(self) -> None:
        """Wait until a call that is under way gives back what it did not use."""
        await self._freed.wait()


@dataclass(kw_only=True, eq=False)
class Piece(Budget):
    """A meter for one of several pieces of work that share a budget.

    While that is short, only the first of them makes calls and the others wait: so it pays for the
    results of some, and not for the first steps of all.
    """

    shared: Budget

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Charge every model call within the block to this piece, and to what is shared."""
        self.shared.pieces.append(self)
        try:
            with self.in_force():
                yield
        finally:
            self.shared.pieces.remove(self)
            self.shared.changed()

    async def turn(self, most: int) -> None:
        """Wait while the shared budget is short and an earlier piece is at work."""
        if not self._waits(most):
            return
        with span("wait", "budget"), standing_in_line():
            while self._waits(most):
                await self.shared.change()

    def _waits(self, most: int) -> bool:
        return self.shared.pieces[0] is not self and self.shared.short(most)


Share = tuple[Budget, bool]
_in_force: ContextVar[tuple[Share, ...]] = ContextVar("switchboard_budgets", default=())


async def charge(
    budget: Budget, most: int, call: Callable[[], Awaitable[Answer]], *, last: bool = False
) -> Answer:
    """Make one model call against a budget: reserve before it, settle after it, whatever happens.
    Built in chapter 04, exercise 4.3.

    Args:
        budget: what is charged.
        most: the tokens that the call can cost at most.
        call: makes the call; nothing is sent before it is awaited.
        last: whether the call may use what the budget keeps back.

    Returns:
        What the call gives. What its usage counts is spent.

    Raises:
        BudgetExceeded: there is no room; the call was not made. Whatever the call raises: what the
            service refused is free, and what broke off has used all that was reserved for it, as
            far as anybody can tell.
    """
    budget.reserve(most, last=last)
    used = most
    try:
        answer = await call()
        used = answer.usage.total or most  # a service that counts nothing gets all of it
        return answer
    except Exception as error:
        if was_refused(error):
            used = 0
        raise
    finally:
        budget.settle(most, used)


def was_refused(error: Exception) -> bool:
    """Whether a service refused, so that no model read it. Built in chapter 04."""
    return getattr(error, "status_code", None) is not None


class Shares(Budget):
    """All budgets in force around one model call, which `charge` charges as one."""

    def __init__(self) -> None:
        self._shares = _in_force.get()

    def reserve(self, tokens: int, *, last: bool = False) -> None:
        """Take the call's most from every budget, or from none where one has no room."""
        for budget, may in self._shares:
            budget.check(tokens, last=may or last)
        for budget, may in self._shares:
            budget.reserve(tokens, last=may or last)

    def settle(self, reserved: int, used: int) -> None:
        """Every budget hears what the call used."""
        for budget, _ in self._shares:
            budget.settle(reserved, used)

    def count(self, usage: Usage) -> None:
        """Note what an answered call read and wrote."""
        for budget, _ in self._shares:
            budget.read += usage.input
            budget.written += usage.output

    async def fit(self, body: Mapping[str, Any]) -> tuple[Mapping[str, Any], int]:
        """The request with a limit for its answer that fits, and the most that it can cost.

        It waits for room that other calls still hold; else a shorter answer may fit.
        """
        limited = [budget for budget, _ in self._shares if budget.tokens is not None]
        if not limited:
            await self._turn(0)
            return body, 0
        name = "max_tokens" if body.get("max_tokens") else "max_completion_tokens"
        prompt, choices = prompt_tokens(body), body.get("n") or 1
        wanted = body.get(name) or min(budget.answer_tokens for budget in limited)
        most = prompt + wanted * choices
        await self._turn(most)
        left, tight = self._tightest()
        while left < most and tight.held and left + tight.held >= prompt + LEAST_ANSWER:
            await tight.change()  # a call that is under way may make room
            left, tight = self._tightest()
        answer = int(min(wanted, (left - prompt) // choices))
        if answer < min(wanted, LEAST_ANSWER):
            answer = wanted  # too little to be of use: let the budget say what it lacks
        if body.get(name) != answer:
            body = {**body, name: answer}
        return body, prompt + answer * choices

    async def _turn(self, most: int) -> None:
        for budget, _ in self._shares:
            await budget.turn(most)

    def _tightest(self) -> tuple[float, Budget]:
        """The tokens left for the call, and the budget that has so few."""
        left = ((budget.left(last=last), budget) for budget, last in self._shares)
        return min(left, key=lambda each: each[0])


async def on_account(body: Mapping[str, Any], make: Making) -> Any:
    """Make a call of somebody else's code on all budgets in force around it.

    Args:
        body: the request.
        make: makes the call.

    Gives what that gives. Raises BudgetExceeded: one of them has no room; else what `make` raises.
    """
    bill = _Bill()
    fitting, bill.most = await bill.shares.fit(body)

    async def made() -> Any:
        bill.came = await make(fitting, bill.used)
        return bill

    await charge(bill.shares, bill.most, made)
    bill.settled = True
    return bill.came


@dataclass
class _Bill:
    """What one call costs; of a stream that is known when it has ended, after the call."""

    shares: Shares = field(default_factory=Shares)
    usage: Usage = field(default_factory=Usage)
    most: int = 0
    settled: bool = False
    came: Any = None

    def used(self, read: int, written: int) -> None:
        self.usage = Usage(read, written)
        self.shares.count(self.usage)
        if self.settled:
            self.shares.settle(0, self.usage.total - self.most)
