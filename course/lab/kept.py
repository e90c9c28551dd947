"""What a service was asked and what it answered: kept, so that it is paid for once, and capped.

Each run has a file of its own in `answers/`, in the form of a recording (`course.models.recording`)
whose requests have the seed that the service got. Who asks the same with the same seed gets the
kept answer, after the seconds that it took: a run that was broken off goes on where it was, and
`judge` plays runs again without a request. What may be spent is taken before a request goes out,
and written down (`spent.jsonl`), so that a kill forgets no money.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2

from course.budget import ANSWER_TOKENS
from course.errors import ConfigurationError
from course.models.endpoint import seed_sent
from course.models.masking import masked, masked_answer
from course.models.recorder import PRIVATE
from course.models.recording import HEADER, Exchange, read_recording, route
from course.models.tokens import prompt_tokens
from course.models.transport import key_headers, uncoded
from course.models.wire import Key

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from course.lab.spec import Cell
    from course.models.places import Places
    from course.models.rates import RateLimit

ANSWERS = "answers"
SPENT = "spent.jsonl"
Prices = tuple[float, float]


class NotKept(ConfigurationError):
    """A run that is played again asks what was never answered."""


class Answers:
    """The kept answers of a results folder, and what they cost.

    Args:
        folder: of the results.
        prices: US dollars per million tokens read and written.
        most: US dollars that may be spent in all; None is no limit.
        secrets: texts that must not get into a file.

    Attributes:
        spent, held: US dollars paid so far, and taken for requests that are under way.
        served: models and fingerprints that answered, as the service names them.
        stop: why nothing more is asked; "" while it is.

    Raises FileFormatError: a kept file is damaged in its middle; the message gives the line.
    """

    def __init__(
        self, folder: Path, *, prices: Prices = (0.0, 0.0), most: float | None = None,
        secrets: Collection[str] = (),
    ) -> None:  # fmt: skip
        self.folder, self.prices, self.most, self.secrets = folder, prices, most, secrets
        self.served: set[tuple[str, str]] = set()
        self.stop = ""
        self.held, self._freed = 0.0, asyncio.Event()
        self.spent, self._sent = _spent(folder / SPENT)
        self._known: dict[str, list[Exchange]] = defaultdict(list)
        self._asking: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        for path in sorted((folder / ANSWERS).glob("*.jsonl")):
            _whole_lines(path)
            for exchange in read_recording(path):
                self._remember(exchange)

    def known(self, asked: str, attempt: int) -> Exchange | None:
        """The kept answer to a request, the first, the second, ... that was had to it."""
        found = self._known.get(asked, ())
        return found[attempt] if attempt < len(found) else None

    def turn(self, asked: str) -> asyncio.Lock:
        """Held by who asks, so that who asks the same meanwhile waits for the answer."""
        return self._asking[asked]

    async def reserve(self, body: dict[str, Any]) -> tuple[int, float]:
        """Take what a request may cost, before it is sent; where what others took leaves no room,
        wait until they give back what they did not use.

        Returns its number, and the dollars. Raises ConfigurationError: the cap has no room for it.
        """
        longest = body.get("max_completion_tokens") or body.get("max_tokens") or ANSWER_TOKENS
        usd = self._cost(prompt_tokens(body), longest)
        while self.most is not None and self.spent + self.held + usd > self.most:
            if self.held > 1e-12 and not self.stop:  # what sums of floats are off is nobody's
                await self._freed.wait()
                continue
            self.stop = (
                f"the cap of {self.most:g} USD is reached ({self.spent:.4g} spent): what has ended"
                " is kept, what was answered is not paid again; raise cap.usd and run the same"
                " again"
            )
            raise ConfigurationError(self.stop)
        self._sent += 1
        self.held += usd
        self._tell({"call": self._sent, "held": usd})
        return self._sent, usd

    def settle(self, call: int, held: float, paid: float) -> None:
        """After the request: what it cost is spent, the rest of what was taken is free."""
        self.held -= held
        self.spent += paid
        self._tell({"call": call, "paid": paid})
        self._freed.set()
        self._freed = asyncio.Event()

    def keep(self, run_id: str, exchange: Exchange, *, fresh: bool) -> None:
        """Write an answer down for a run, at once; a fresh one for all who ask the same."""
        if fresh:
            self._remember(exchange)
        path = self.folder / ANSWERS / f"{run_id}.jsonl"
        line = masked(exchange.to_json(), self.secrets)
        if not path.exists():
            _private(path, json.dumps(HEADER))
        with path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(line + "\n")

    def paid(self, exchange: Exchange) -> float:
        """What an answer cost (US dollars), by the tokens that the service counts."""
        read = written = 0
        for told in _told(exchange):
            usage = told.get("usage") or {}
            read = usage.get("prompt_tokens") or read
            written = usage.get("completion_tokens") or written
        return self._cost(read, written)

    def _cost(self, read: int, written: int) -> float:
        return (read * self.prices[0] + written * self.prices[1]) / 1e6

    def _remember(self, exchange: Exchange) -> None:
        listed, same = self._known[_identity(exchange.request, exchange.key)], exchange.key.run
        if not any(each.answer == exchange.answer and each.key.run == same for each in listed):
            listed.append(exchange)
        for told in _told(exchange):
            served = (str(told.get("model") or ""), str(told.get("system_fingerprint") or ""))
            self.served |= {served} if any(served) else set()

    def _tell(self, what: dict[str, Any]) -> None:
        path = self.folder / SPENT
        if not path.exists():
            _private(path)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(what) + "\n")


class Kept(httpx2.AsyncBaseTransport):
    """Answers from what is kept, and else passes a request on and keeps what comes.

    Args:
        inner: reaches the service; None asks nobody, and raises NotKept.
        answers: of the folder.
        run_id: whose requests these are.
        seed: of the client, from which the seed of each request follows.

    Attributes:
        refused: whether a request was not made, so that the run did not end by itself.
    """

    def __init__(
        self, inner: httpx2.AsyncBaseTransport | None, answers: Answers, run_id: str, seed: int
    ) -> None:
        self._inner, self._answers, self._run_id, self._seed = inner, answers, run_id, seed
        self._had: Counter[str] = Counter()
        self.refused = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one request; called by the client."""
        body, key = json.loads(await request.aread()), Key.of(key_headers(request))
        body.setdefault("seed", seed_sent(self._seed, key))
        asked = _identity(body, key)
        async with self._answers.turn(asked):
            attempt = self._had[asked]
            if found := self._answers.known(asked, attempt):
                self._had[asked] += 1
                if self._inner:
                    self._answers.keep(self._run_id, found, fresh=False)
            else:
                response = await self._fresh(request, body, key)
                if isinstance(response, httpx2.Response):
                    return response
                self._had[asked] += 1
                return _response(response)
        await asyncio.sleep(found.seconds)
        return _response(found)

    async def _fresh(
        self, request: httpx2.Request, body: dict[str, Any], key: Key
    ) -> httpx2.Response | Exchange:
        """An answer of the service: kept, if it is one; as it came, if it is none."""
        try:
            if self._inner is None:
                raise NotKept("this was never answered: the pattern or the bench is another one")
            call, held = await self._answers.reserve(body)
        except ConfigurationError:
            self.refused = True
            raise
        began, paid = asyncio.get_running_loop().time(), held  # whoever goes away may have to pay
        try:
            response = await self._inner.handle_async_request(request)
            content = (await response.aread()).decode("utf-8", "replace")
            kind = uncoded(response.headers)
            exchange = Exchange(
                request.method, route(request.url.path), body, key,
                round(asyncio.get_running_loop().time() - began, 6), response.status_code,
                {"content-type": kind}, masked_answer(content, self._answers.secrets),
            )  # fmt: skip
            paid = self._answers.paid(exchange) if response.status_code == 200 else 0.0
            if response.status_code != 200 or not any(t.get("choices") for t in _told(exchange)):
                return httpx2.Response(
                    response.status_code, headers=_plain(response.headers), content=content
                )
            self._answers.keep(self._run_id, exchange, fresh=True)
            return exchange
        except (httpx2.ConnectError, ConfigurationError):
            paid = 0.0  # nobody was reached, or nobody who answers
            raise
        finally:
            self._answers.settle(call, held, paid)


@dataclass
class Service:
    """What the runs of a sweep share of a service that is asked, or was.

    Attributes:
        answers: the kept ones.
        rate: what the account allows in a minute.
        places: requests at the same time; None asks nobody and has kept answers alone.
    """

    answers: Answers
    rate: RateLimit | None = None
    places: Places | None = None
    ways: dict[str, Kept] = field(default_factory=dict)

    def client(self, cell: Cell) -> AsyncOpenAI:
        """A client for a run."""
        from course.models.connect import connect

        def through(usual: httpx2.AsyncBaseTransport) -> httpx2.AsyncBaseTransport:
            inner = usual if self.places else None
            self.ways[cell.run_id] = Kept(inner, self.answers, cell.run_id, cell.luck)
            return self.ways[cell.run_id]

        model = "endpoint" if self.places else "simulated"
        made: Any = connect(model, seed=cell.luck, through=through)
        made.places = self.places
        return made  # type: ignore[no-any-return]

    def refused(self, cell: Cell) -> bool:
        """Whether a request of a run was not made."""
        return cell.run_id in self.ways and self.ways[cell.run_id].refused


def _identity(body: Any, key: Key) -> str:
    """What two requests have in common of which one answer is enough."""
    who = [key.run, key.owner or key.agent, key.matter, key.call]
    return json.dumps([body, who], sort_keys=True, ensure_ascii=False)


def _told(exchange: Exchange) -> Iterator[dict[str, Any]]:
    """The JSON objects of an answer: one, or those of a stream's events."""
    text = exchange.answer or ""
    parts = [text]
    if exchange.headers.get("content-type") == "text/event-stream":
        parts = [line.removeprefix("data:") for line in text.split("\n")]
    for part in parts:
        try:
            found = json.loads(part)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found


def _response(exchange: Exchange) -> httpx2.Response:
    return httpx2.Response(exchange.status, headers=dict(exchange.headers),
                           content=(exchange.answer or "").encode("utf-8", "replace"))  # fmt: skip


def _plain(headers: httpx2.Headers) -> dict[str, str]:
    """What is still true of a body that was read."""
    gone = ("content-encoding", "content-length", "transfer-encoding")
    return {name: value for name, value in headers.items() if name not in gone}


def _spent(path: Path) -> tuple[float, int]:
    """Dollars spent so far, and the number of the last request; what was sent and never came back
    counts as if it had been paid."""
    calls: dict[int, float] = {}
    if path.exists():
        _whole_lines(path)
        for line in path.read_text("utf-8").splitlines():
            told = json.loads(line)
            calls[told["call"]] = told.get("paid", told.get("held", 0.0))
    return sum(calls.values()), max(calls, default=0)


def _whole_lines(path: Path) -> None:
    """Take away a last line that a kill broke off."""
    data = path.read_bytes()
    if not data.endswith(b"\n"):
        path.write_bytes(data[: data.rfind(b"\n") + 1])


def _private(path: Path, *lines: str) -> None:
    """Begin a file that is its owner's alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=PRIVATE)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
